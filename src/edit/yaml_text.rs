//! Writes values as YAML text that fits into its surroundings and hides nothing.

use serde_json::Value as Json;

use super::source_tree::Style;
use crate::diagnostic::{begins_command, double_quoted, is_hidden};

/// Length of the longest list or mapping that is written on one line.
///
/// # Units
/// Bytes.
const ONE_LINE: usize = 100;

/// Writes a scalar, if possible in the style of the scalar that it replaces.
pub(super) fn scalar(value: &Json, style: Style, is_in_flow: bool) -> String {
    let Json::String(text) = value else { return value.to_string() };
    let is_harmless =
        !text.contains(|c: char| is_hidden(c) || c == '\n' || c == '\t') && !has_command(text);
    match style {
        Style::Single if is_harmless => format!("'{}'", text.replace('\'', "''")),
        Style::Plain | Style::Block if is_harmless && is_plain(text, is_in_flow) => text.clone(),
        Style::Plain | Style::Block if is_harmless && text.contains('"') => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => double_quoted(text),
    }
}

/// Returns true if a CI runner would execute a part of a text.
fn has_command(text: &str) -> bool {
    text.match_indices('#').any(|(at, _)| begins_command(&text[at..]))
}

/// Returns true if readers of YAML 1.1 and 1.2 read an unquoted text back unchanged.
fn is_plain(text: &str, is_in_flow: bool) -> bool {
    let is_word = ["null", "true", "false", "yes", "no", "~", "y", "n"]
        .iter()
        .any(|w| w.eq_ignore_ascii_case(text));
    let begins = text.starts_with(|c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '(' | '$' | '+')
    });
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+'))
        && text.bytes().all(|b| {
            b.is_ascii_hexdigit() || matches!(b, b'.' | b'+' | b'-' | b'_' | b'x' | b'o' | b':')
        })
        && text.split('.').count() < 4
        && text.split(':').count() < 4;
    let ends = !text.ends_with([' ', ':']);
    let inside = !text.contains(": ") && !text.contains(" #");
    let in_flow = !is_in_flow || !text.contains([',', '[', ']', '{', '}', ':', '?']);
    begins && ends && inside && in_flow && !is_word && !is_number && text != "<<"
}

/// Writes a value on one line.
pub(super) fn flow(value: &Json) -> String {
    match value {
        Json::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Json::Object(members) if members.is_empty() => "{}".to_owned(),
        Json::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", key(name), flow(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        other => scalar(other, Style::Plain, true),
    }
}

pub(super) fn key(name: &str) -> String {
    scalar(&Json::String(name.to_owned()), Style::Plain, true)
}

/// Returns true if a value is short enough for one line.
fn fits(value: &Json) -> bool {
    let is_single = |value: &Json| !value.is_array() && !value.is_object();
    match value {
        Json::Array(items) => {
            items.is_empty() || items.iter().all(is_single) && flow(value).len() <= ONE_LINE
        }
        Json::Object(members) => {
            members.is_empty() || members.values().all(is_single) && flow(value).len() <= ONE_LINE
        }
        _ => true,
    }
}

/// Writes the text after the colon of a key whose entries are indented by `indent`: a blank and the
/// value, or lines below.
pub(super) fn behind_key(value: &Json, indent: usize, line_break: &str) -> String {
    match value {
        _ if fits(value) => match value {
            Json::Array(_) | Json::Object(_) => format!(" {}", flow(value)),
            _ => format!(" {}", scalar(value, Style::Plain, false)),
        },
        Json::Array(items) => {
            let items = items.iter().map(|item| {
                format!(
                    "{line_break}{:indent$}- {}",
                    "",
                    item_text(item, indent, false, line_break)
                )
            });
            items.collect()
        }
        _ => format!("{line_break}{:indent$}{}", "", entries(value, indent, line_break)),
    }
}

/// Writes the entries of a mapping on lines of their own, the first without indentation.
fn entries(value: &Json, indent: usize, line_break: &str) -> String {
    let Json::Object(members) = value else { return scalar(value, Style::Plain, false) };
    let members = members.iter().map(|(name, value)| entry(name, value, indent, line_break));
    members.collect::<Vec<_>>().join(&format!("{line_break}{:indent$}", ""))
}

/// Writes a key and its value without indentation. `indent` is the indentation of the mapping.
pub(super) fn entry(name: &str, value: &Json, indent: usize, line_break: &str) -> String {
    format!("{}:{}", key(name), behind_key(value, indent + 2, line_break))
}

/// Writes an item of a list without its dash. `indent` is the indentation of the dashes.
pub(super) fn item_text(value: &Json, indent: usize, wants_flow: bool, line_break: &str) -> String {
    match value {
        Json::Object(members) if !members.is_empty() && !wants_flow => {
            entries(value, indent + 2, line_break)
        }
        Json::Object(_) | Json::Array(_) => flow(value),
        _ => scalar(value, Style::Plain, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn single_values_keep_their_style_where_they_can() {
        for (text, style, expected) in [
            ("192.0.2.1", Style::Plain, "192.0.2.1"),
            ("2001:db8::1", Style::Plain, "2001:db8::1"),
            ("::1", Style::Plain, "\"::1\""),
            ("300", Style::Plain, "\"300\""),
            ("1.10", Style::Plain, "\"1.10\""),
            ("12:30:45", Style::Plain, "\"12:30:45\""),
            ("no", Style::Plain, "\"no\""),
            ("on", Style::Plain, "on"),
            ("@", Style::Plain, "\"@\""),
            ("0 issue \"x\"", Style::Plain, "0 issue \"x\""),
            ("\"x\" y", Style::Plain, "'\"x\" y'"),
            ("it's", Style::Single, "'it''s'"),
            ("a\u{202e}b", Style::Single, "\"a\\U0000202Eb\""),
            ("a: b", Style::Plain, "\"a: b\""),
            ("##[error]x", Style::Single, "\"\\x23#[error]x\""),
        ] {
            let written = scalar(&json!(text), style, false);
            assert_eq!(written, expected);
            assert_eq!(serde_yaml::from_str::<Json>(&written).unwrap(), json!(text), "{written}");
        }
    }

    #[test]
    fn collections_read_back() {
        let value = json!({ "name": "@", "content": ["192.0.2.1", "a,b", "::1"], "raw": { "a": [{ "b": null }], "c": {} },
                            "log": false, "long": "x".repeat(200) });
        let text = format!("- {}", item_text(&value, 0, false, "\n"));
        assert_eq!(serde_yaml::from_str::<Json>(&text).unwrap(), json!([value]), "{text}");
        let text = flow(&value);
        assert_eq!(serde_yaml::from_str::<Json>(&text).unwrap(), value, "{text}");
    }
}
