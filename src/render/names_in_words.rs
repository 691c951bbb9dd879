//! Names for readers: internationalised names in both forms, and lists of names in few words.

use crate::insight::{Sentence, Span};
use crate::model::sort_by;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Minimum length of a run of numbered names that is written as its ends.
const SHORTEST_RUN: usize = 3;

/// Adds the other form to every internationalised name in a text: `xn--bcher-kva.example` becomes
/// `xn--bcher-kva.example (bücher.example)`.
///
/// A name that cannot be converted stays unchanged.
///
/// # Sources
/// RFC 5890 section 2.3.2.1 (A-labels and U-labels).
pub(super) fn with_unicode(text: &str) -> Cow<'_, str> {
    const MARK: &str = "xn--";
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '*');
    if !text.contains(MARK) && !text.contains("XN--") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut unread = text;
    while !unread.is_empty() {
        let end = unread.find(|c| !is_of_name(c)).unwrap_or(unread.len());
        let (word, after) = unread.split_at(end);
        out.push_str(word);
        let name = word.trim_end_matches('.');
        // A name in brackets after its other form needs no second one.
        let is_second = out[..out.len() - word.len()].ends_with(" (") && after.starts_with(')');
        if name.to_ascii_lowercase().contains(MARK)
            && !is_second
            && let (unicode, Ok(())) = idna::domain_to_unicode(name)
            && unicode != name.to_ascii_lowercase()
        {
            out.push_str(&format!(" ({unicode})"));
        }
        let end = after.find(is_of_name).unwrap_or(after.len());
        out.push_str(&after[..end]);
        unread = &after[end..];
    }
    Cow::Owned(out)
}

/// Returns a sentence with both forms of its internationalised names.
pub(super) fn in_words(sentence: &Sentence) -> Cow<'_, str> {
    let spans: Vec<Span<'_>> = sentence.spans().collect();
    if spans.len() == 1 {
        return Cow::Borrowed(sentence);
    }
    let shown = spans.iter().enumerate().map(|(n, span)| match span {
        Span::Words(words) => Cow::Borrowed(*words),
        // A name in brackets after its other form needs no second one.
        Span::Name(name) => match (n.checked_sub(1).and_then(|n| spans.get(n)), spans.get(n + 1)) {
            (Some(Span::Words(before)), Some(Span::Words(after)))
                if before.ends_with(" (") && after.starts_with(')') =>
            {
                Cow::Borrowed(*name)
            }
            _ => with_unicode(name),
        },
    });
    Cow::Owned(shown.collect())
}

/// Returns a name in its author's spelling, with its other form: `bücher (xn--bcher-kva)`,
/// `xn--bcher-kva (bücher)`.
pub(super) fn in_both_forms(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return with_unicode(name);
    }
    match idna::domain_to_ascii(name) {
        Ok(ascii) if !ascii.is_empty() => Cow::Owned(format!("{name} ({ascii})")),
        _ => Cow::Borrowed(name),
    }
}

/// A name split at its last number: `host07.a` is `host`, `07`, `.a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbered<'a> {
    name: &'a str,
    before: &'a str,
    digits: &'a str,
    after: &'a str,
}

impl<'a> Numbered<'a> {
    /// Splits a name; a name without a number has no digits.
    fn new(name: &'a str) -> Self {
        let is_digit = |c: char| c.is_ascii_digit();
        let end = name.rfind(is_digit).map_or(name.len(), |last| last + 1);
        let start = name[..end].trim_end_matches(is_digit).len();
        Self { name, before: &name[..start], digits: &name[start..end], after: &name[end..] }
    }

    fn number(self) -> Option<u64> {
        self.digits.parse().ok()
    }

    /// Returns true if it is the next name after `other`.
    fn follows(self, other: Self) -> bool {
        let is_padded = |digits: &str| digits.len() > 1 && digits.starts_with('0');
        let same_form = self.digits.len() == other.digits.len()
            || !(is_padded(self.digits) || is_padded(other.digits));
        (self.before, self.after) == (other.before, other.after)
            && same_form
            && matches!((self.number(), other.number()), (Some(own), Some(other)) if other.checked_add(1) == Some(own))
    }

    /// Compares by number.
    fn compare(self, other: Self) -> Ordering {
        (self.before, self.after, self.number(), self.name).cmp(&(
            other.before,
            other.after,
            other.number(),
            other.name,
        ))
    }
}

/// Lists names in few words, each once: `host01 … host27, www`. A run contains every name between
/// its ends.
///
/// At most `most` parts are written, further names are counted.
pub(super) fn in_few_words<'a>(names: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let mut numbered_names: Vec<Numbered<'_>> = names.into_iter().map(Numbered::new).collect();
    sort_by(&mut numbered_names, |a, b| a.compare(*b));
    numbered_names.dedup();
    let mut parts: Vec<(String, usize)> = Vec::new();
    for run in numbered_names.chunk_by(|one, next| next.follows(*one)) {
        match run {
            [first, .., last] if run.len() >= SHORTEST_RUN => {
                parts.push((
                    format!("{} … {}", in_both_forms(first.name), in_both_forms(last.name)),
                    run.len(),
                ));
            }
            _ => parts.extend(run.iter().map(|name| (in_both_forms(name.name).into_owned(), 1))),
        }
    }
    let omitted: usize = parts.iter().skip(most).map(|(_, number)| number).sum();
    let shown: Vec<String> = parts.into_iter().take(most).map(|(words, _)| words).collect();
    let omission = if omitted > 0 { format!(" and {omitted} more") } else { String::new() };
    format!("{}{omission}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internationalised_names_have_both_forms() {
        assert_eq!(
            with_unicode("10 mx.xn--bcher-kva.example."),
            "10 mx.xn--bcher-kva.example. (mx.bücher.example)"
        );
        assert_eq!(with_unicode("bücher (xn--bcher-kva): gone"), "bücher (xn--bcher-kva): gone");
        assert_eq!(with_unicode("plain, xn---, é"), "plain, xn---, é");
        assert_eq!(in_both_forms("bücher"), "bücher (xn--bcher-kva)");
        assert_eq!(in_both_forms("xn--bcher-kva"), "xn--bcher-kva (bücher)");
        assert_eq!(in_both_forms("www"), "www");
        // The first letter is Cyrillic.
        assert_eq!(in_both_forms("\u{440}aypal"), "\u{440}aypal (xn--aypal-uye)");
    }

    #[test]
    fn numbered_names_are_runs() {
        let words = |names: &[&str], most| in_few_words(names.iter().copied(), most);
        assert_eq!(words(&["host02", "host01", "host03", "www"], 9), "host01 … host03, www");
        assert_eq!(words(&["h9", "h10", "h8", "h12"], 9), "h8 … h10, h12");
        assert_eq!(words(&["a1.x", "a2.x", "a3.y"], 9), "a1.x, a2.x, a3.y");
        assert_eq!(words(&["a", "a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(words(&["h1", "h2", "h3", "h4", "a", "b"], 1), "a and 5 more");
        assert_eq!(words(&["99999999999999999999999", "x"], 9), "99999999999999999999999, x");
        assert_eq!(words(&["h09", "h9", "h10", "h11"], 9), "h09, h9 … h11");
    }
}
