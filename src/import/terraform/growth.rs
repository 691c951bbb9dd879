//! Estimates the size of a function's result before the call, because a short pattern can demand
//! more memory than there is.
//!
//! The result of a function that is not listed here is at most as large as its arguments.

use super::value::Term;

/// Maximum number of bytes that the width of a `format` verb adds.
const MOST_OF_WIDTH: usize = 1000;
/// Maximum number of blanks that `indent` puts before a line.
const MOST_OF_INDENT: usize = 100;
/// Maximum number of bytes of a character in JSON, such as `\u0000`.
const MOST_OF_JSON: usize = 6;
/// Memory of a parsed YAML value, in bytes.
const YAML_VALUE: usize = 120;
/// Number of bytes of a number, a literal or a punctuation mark in JSON.
const JSON_VALUE: usize = 24;

/// Returns the maximum size of the result of a function, in bytes.
pub(super) fn size_of_result(name: &str, arguments: &[Term]) -> usize {
    let text = |n: usize| arguments.get(n).and_then(Term::text).unwrap_or_default();
    let total_bytes = || arguments.iter().map(Term::bytes).sum::<usize>();
    match name {
        "replace" => size_of_replaced(&text(0), &text(1), &text(2)),
        "join" => {
            let items = arguments.iter().skip(1).map(|list| list.items().len()).sum::<usize>();
            total_bytes().saturating_add(items.saturating_mul(text(0).len()))
        }
        "format" => size_of_format(&text(0), total_bytes()),
        "formatlist" => {
            let lengths = arguments.iter().map(|value| match value {
                Term::List(list) | Term::Set(list) => list.len(),
                _ => 0,
            });
            let is_repeated = |value: &&Term| !matches!(value, Term::List(_) | Term::Set(_));
            let repeated = arguments.iter().filter(is_repeated).map(Term::bytes).sum();
            let rows = lengths.max().unwrap_or_default();
            total_bytes().saturating_add(size_of_format(&text(0), repeated).saturating_mul(rows))
        }
        "indent" => {
            let text = text(1);
            text.len() + text.matches('\n').count() * MOST_OF_INDENT
        }
        "split" => {
            let (separator, text) = (text(0), text(1));
            let parts = if separator.is_empty() {
                text.len()
            } else {
                text.matches(&separator).count() + 1
            };
            text.len() + parts * size_of::<Term>()
        }
        "regexall" => {
            let groups = text(0).matches('(').count() + 1;
            (text(1).len() + 1).saturating_mul(groups + 1).saturating_mul(size_of::<Term>())
        }
        "setproduct" => {
            let (mut rows, mut row) = (1_usize, 0_usize);
            for list in arguments.iter().map(Term::items) {
                rows = rows.saturating_mul(list.len());
                row = row.saturating_add(list.iter().map(Term::bytes).max().unwrap_or_default());
            }
            rows.saturating_mul(row)
        }
        "jsonencode" => size_of::<Term>() + arguments.iter().map(size_of_json).sum::<usize>(),
        "jsondecode" => total_bytes().saturating_mul(2),
        "yamldecode" => {
            let text = text(0);
            let is_mark = |byte: &u8| matches!(byte, b'\n' | b',' | b':' | b'[' | b'{' | b'-');
            text.len() + text.bytes().filter(is_mark).count().saturating_mul(YAML_VALUE)
        }
        _ => total_bytes(),
    }
}

/// Returns the maximum size of a value in JSON, in bytes.
fn size_of_json(value: &Term) -> usize {
    match value {
        Term::Null | Term::Bool(_) | Term::Missing(_) => JSON_VALUE,
        Term::Number(_) | Term::Large(_) => value.text().map_or(JSON_VALUE, |text| text.len()),
        Term::Text(text) => text.len() * MOST_OF_JSON + 2,
        Term::List(items) | Term::Set(items) => {
            2 + items.iter().map(|item| 1 + size_of_json(item)).sum::<usize>()
        }
        Term::Map(members) => {
            2 + members
                .iter()
                .map(|(key, item)| key.len() * MOST_OF_JSON + 4 + size_of_json(item))
                .sum::<usize>()
        }
    }
}

/// Returns the maximum size of a text after replacing a pattern. A pattern between slashes is a
/// regular expression.
fn size_of_replaced(text: &str, pattern: &str, replacement: &str) -> usize {
    let is_regular = pattern.len() > 1 && pattern.starts_with('/') && pattern.ends_with('/');
    if !is_regular {
        return text
            .len()
            .saturating_add(text.matches(pattern).count().saturating_mul(replacement.len()));
    }
    // Each `$` can insert the whole match; all matches together are at most the text.
    let groups = replacement.matches('$').count() + 1;
    (text.len() + 1)
        .saturating_mul(replacement.len())
        .saturating_add(text.len().saturating_mul(groups))
}

/// Returns the maximum size of the result of `format` for arguments of this total size.
fn size_of_format(pattern: &str, arguments: usize) -> usize {
    arguments
        .saturating_add(pattern.len())
        .saturating_add(pattern.matches('%').count() * MOST_OF_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::super::functions::call;
    use super::*;
    use crate::diagnostic::Place;

    #[test]
    fn no_result_is_larger_than_it_was_foreseen() {
        let text = |text: &str| Term::from(text);
        let list = |items: &[&str]| Term::List(items.iter().map(|item| text(item)).collect());
        let long = "x".repeat(300);
        for (name, arguments) in [
            ("replace", vec![text("abab"), text("b"), text(&long)]),
            ("replace", vec![text("abab"), text(""), text(&long)]),
            ("replace", vec![text("abab"), text("/(b)/"), text("$1$1$1$1${1}long")]),
            ("replace", vec![text("abab"), text("//"), text(&long)]),
            ("join", vec![text(&long), list(&["a", "b", "c"])]),
            ("format", vec![text("%999s%999d"), text("a"), Term::Number(1.0)]),
            ("formatlist", vec![text("%s%999s"), text(&long), list(&["a", "b", "c"])]),
            ("indent", vec![Term::Number(1e9), text("\n\n\n\n")]),
            ("split", vec![text(""), text(&long)]),
            ("split", vec![text("x"), text(&long)]),
            ("regexall", vec![text("(x)(x)?"), text(&long)]),
            ("setproduct", vec![list(&["a", &long]), list(&["b", "c"]), list(&["d", "e"])]),
            ("jsonencode", vec![text("\u{1}\"\u{1f}")]),
            ("jsondecode", vec![text("[[],[],[],[],[],[],[],[]]")]),
            ("upper", vec![text("abc")]),
            ("base64encode", vec![text(&long)]),
            ("concat", vec![list(&["a"]), list(&["b"])]),
        ] {
            let foreseen = size_of_result(name, &arguments);
            let result = call(name, arguments, Place::NOWHERE);
            assert!(result.missing().is_none(), "{name}: {result:?}");
            // The list or text itself, a third more for base64, and what JSON is short of.
            assert!(result.bytes() <= foreseen * 3, "{name}: {} > {foreseen}", result.bytes());
            assert!(result.bytes() * 1000 >= foreseen, "{name}: far too much, {foreseen}");
        }
    }
}
