//! Masks values that may be credentials, so that they are never shown.
//!
//! The shape check refuses a key that names a credential, and knows the value's place. But it does
//! not see parts that the scan could not read or skipped, so the lines are also searched as text
//! before anything is shown. Masking too much is harmless: it only affects the parts of a file that
//! findings quote.

use crate::diagnostic::{Diagnostic, Place, SourceId, Sources, Span, findings, names_credential};

/// Reports a value that names a credential.
pub(super) fn found(place: Place, what: &str) -> Diagnostic {
    findings::SECRET.at(place, what).help(
        "remove it here and revoke it if it was ever committed; set CLOUDFLARE_API_TOKEN or \
        CLOUDFLARE_API_TOKEN_FILE in the \
         environment",
    )
}

/// Masks the given places and all other values that look like secrets.
pub(super) fn mask(mut places: Vec<Place>, sources: &mut Sources) {
    places.extend(sources.iter().flat_map(|(id, source)| find_secrets(id, source.text())));
    places.into_iter().for_each(|place| sources.redact(place));
}

/// Returns the values that follow a key that names a credential, on the lines of a text.
fn find_secrets(source: SourceId, text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        // Most lines contain no such word, and this test is cheap.
        if names_credential(line) {
            in_line(line, |from, to| {
                places.push(Place { source, span: Span::new(start + from, start + to) });
            });
        }
        start += line.len();
    }
    places
}

/// Calls `found` with the range of each such value in a line.
fn in_line(line: &str, mut found: impl FnMut(usize, usize)) {
    for (colon, _) in line.match_indices([':', '=']) {
        let key_part = line[..colon].trim_end_matches(['"', '\'', ' ']);
        let key = key_part
            .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
            .map_or(0, |n| n + key_part[n..].chars().next().map_or(1, char::len_utf8));
        if !names_credential(&key_part[key..]) {
            continue;
        }
        let value = &line[colon + 1..];
        let from = colon + 1 + (value.len() - value.trim_start().len());
        let value = line[from..].trim_end();
        let length = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].find(quote).map_or(value.len(), |n| n + 2),
            Some('{' | '[') => value.len(),
            _ => value[..value.find([',', '}', ']']).unwrap_or(value.len())].trim_end().len(),
        };
        if length > 0 {
            found(from, from + length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_behind_such_keys_are_found() {
        let found = |line: &str| {
            let mut values = Vec::new();
            in_line(line, |from, to| values.push(line[from..to].to_owned()));
            values
        };
        assert_eq!(found("  api_token: abc\n"), ["abc"]);
        assert_eq!(found("{ x: 1, \"X-Auth-Key\": 'a, b', token: c }"), ["'a, b'", "c"]);
        assert_eq!(found("token: \"open"), ["\"open"]);
        assert_eq!(found("API_TOKEN=abc"), ["abc"]);
        assert_eq!(found("token: {deep: abc} }"), ["{deep: abc} }"]);
        assert_eq!(found("  password_expression: http.host"), Vec::<String>::new());
        assert_eq!(found("name: token, type: A"), Vec::<String>::new());
        assert_eq!(found("token.example.com: {}"), Vec::<String>::new());
        assert_eq!(found("token:"), Vec::<String>::new());
    }
}
