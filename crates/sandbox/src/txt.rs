//! Character strings of TXT records: parses the content of a request, and splits long strings.
//!
//! | sent | stored |
//! |---|---|
//! | no quotes, up to 255 bytes | as sent (observed 2025-08, 2026-09), or quoted if the profile says so |
//! | quoted strings | as sent (observed) |
//! | any string above 255 bytes | all strings quoted, the long ones split (documented, and observed 2025-09) |
//! | unbalanced quotes | refused |
//!
//! Documented: developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types, read
//! 2026-11-20.

use super::profile::{TxtCuts, TxtQuotes};

/// Longest character string, in bytes: RFC 1035 section 3.3.
const STRING_BYTES: usize = 255;

/// Accepted content of a TXT record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TxtContent {
    /// The stored and returned form.
    pub(super) content: String,
    /// A text that is equal for the same strings with any quotes and escapes. If the profile
    /// ignores cuts, it is equal for the same octets.
    pub(super) identity: String,
    /// Length on the wire: the strings and one length octet each.
    pub(super) wire_bytes: usize,
}

/// Parses content; `None` if its quotes are unbalanced or it is empty.
///
/// ASSUMED: texts that are cut into strings differently are different records, as they are on the
/// wire, unless [`TxtCuts`] says otherwise.
///
/// ASSUMED: content that does not begin with a quote may contain pairs of quotes, and backslashes
/// are literal there.
pub(super) fn parse_content(content: &str, quotes: TxtQuotes, cuts: TxtCuts) -> Option<TxtContent> {
    let quoted = content.trim_start().starts_with('"');
    let bare_quotes = content.bytes().filter(|b| *b == b'"').count();
    if !quoted && bare_quotes % 2 == 1 {
        return None;
    }
    let uncut = as_written(content)?;
    let cut = octets(content)?;
    if cut.iter().all(|s| s.is_empty()) {
        return None;
    }
    let all_quoted = cut.iter().map(|s| quote(s)).collect::<Vec<_>>().join(" ");
    let wire_bytes = cut.iter().map(|s| s.len() + 1).sum();
    let wrap = !quoted && bare_quotes == 0 && quotes == TxtQuotes::Auto;
    let stored =
        if cut.len() > uncut.len() || wrap { all_quoted.clone() } else { content.to_owned() };
    let identity = match cuts {
        TxtCuts::Apart => all_quoted,
        TxtCuts::Joined => quote(&cut.concat()),
    };
    Some(TxtContent { content: stored, identity, wire_bytes })
}

/// Returns the strings for a DNS message, each at most 255 octets; `None` if the quotes are
/// unbalanced.
pub(super) fn octets(content: &str) -> Option<Vec<Vec<u8>>> {
    let cut = |string: Vec<u8>| -> Vec<Vec<u8>> {
        if string.is_empty() {
            vec![string]
        } else {
            string.chunks(STRING_BYTES).map(<[u8]>::to_vec).collect()
        }
    };
    Some(as_written(content)?.into_iter().flat_map(cut).collect())
}

/// Returns the strings as written, without splitting long ones.
fn as_written(content: &str) -> Option<Vec<Vec<u8>>> {
    if content.trim_start().starts_with('"') {
        strings(content)
    } else {
        Some(vec![content.as_bytes().to_vec()])
    }
}

/// Parses a text that consists only of quoted strings.
fn strings(text: &str) -> Option<Vec<Vec<u8>>> {
    let mut texts = Vec::new();
    let mut bytes = text.trim().bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'"' {
            return None;
        }
        let mut string = Vec::new();
        loop {
            match bytes.next()? {
                b'"' => break,
                b'\\' => {
                    let first = bytes.next()?;
                    if first.is_ascii_digit() {
                        // `\DDD` is one octet in decimal: RFC 1035 section 5.1.
                        let digits = [first, bytes.next()?, bytes.next()?];
                        string.push(std::str::from_utf8(&digits).ok()?.parse().ok()?);
                    } else {
                        string.push(first);
                    }
                }
                other => string.push(other),
            }
        }
        texts.push(string);
        // Two strings must be separated by a space.
        let mut blank = bytes.peek().is_none();
        while bytes.next_if(|b| b.is_ascii_whitespace()).is_some() {
            blank = true;
        }
        if !blank {
            return None;
        }
    }
    Some(texts)
}

/// Writes a quoted string, with escapes where necessary.
pub(super) fn quote(octets: &[u8]) -> String {
    let mut out = String::with_capacity(octets.len() + 2);
    out.push('"');
    for &byte in octets {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            other => out.push_str(&format!("\\{other:03}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses under the default profile.
    fn verbatim(content: &str) -> TxtContent {
        parse_content(content, TxtQuotes::Verbatim, TxtCuts::Apart).unwrap()
    }

    #[test]
    fn short_content_is_stored_as_it_came() {
        for content in
            ["v=spf1 -all", "\"v=spf1 -all\"", "\"a\"  \"b\"", "say \"hi\"", r#""a\"b\065""#]
        {
            assert_eq!(verbatim(content).content, content);
        }
        assert_eq!(verbatim("\"v=spf1 -all\"").identity, verbatim("v=spf1 -all").identity);
        assert_ne!(verbatim("\"v=spf1\" \" -all\"").identity, verbatim("v=spf1 -all").identity);
        assert_eq!(verbatim(r#""a\"b\065""#).identity, r#""a\"bA""#);
        for empty in ["", r#""""#, r#""" """#] {
            assert_eq!(parse_content(empty, TxtQuotes::Verbatim, TxtCuts::Apart), None, "{empty}");
        }
        assert_eq!(parse_content("a", TxtQuotes::Auto, TxtCuts::Apart).unwrap().content, "\"a\"");
        assert_eq!(
            parse_content("\"a\"", TxtQuotes::Auto, TxtCuts::Apart).unwrap().content,
            "\"a\""
        );
        let joined =
            |content: &str| parse_content(content, TxtQuotes::Verbatim, TxtCuts::Joined).unwrap();
        assert_eq!(joined("\"a\" \"b\"").identity, joined("ab").identity);
        assert_eq!(joined("\"a\" \"b\"").content, "\"a\" \"b\"");
    }

    #[test]
    fn long_strings_are_cut() {
        let long = "k".repeat(300);
        let cut = format!("\"{}\" \"{}\"", &long[..255], &long[255..]);
        assert_eq!(verbatim(&long).content, cut);
        assert_eq!(verbatim(&format!("\"{long}\"")).content, cut);
        assert_eq!(verbatim(&cut).content, cut);
        assert_eq!(verbatim(&long).wire_bytes, 302);
    }

    #[test]
    fn quotes_must_match() {
        for bad in ["\"open", "open\"", "\"a\" b", "\"a\"b", "\"a\"\"b\"", r#""a\""#, r#""\999""#] {
            assert_eq!(parse_content(bad, TxtQuotes::Verbatim, TxtCuts::Apart), None, "{bad}");
        }
    }
}
