//! Writes YAML that is safe to show: characters that are invisible, or that a CI runner would
//! interpret, are escaped.
//!
//! The emitter escapes control characters, but not marks that reorder text, blanks that look like
//! others, or lines that a runner takes for a command. So each such character is marked before the
//! text is emitted: a control character, which makes the emitter choose double quotes, a word that
//! occurs nowhere else, and the character's number. Afterwards the mark is replaced by the escape.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::diagnostic::escape_variables as escape;
use crate::diagnostic::{begins_command, is_hidden};
use crate::model::Value;

/// Returns a value as YAML without hidden characters. Reading it yields the same value.
pub(super) fn to_yaml(value: &impl Serialize) -> String {
    const WHY: &str = "maps of text and numbers are always YAML";
    let mut json = serde_json::to_value(value).expect(WHY);
    if !any_text(&json, &mut |text| marked(text).next().is_some()) {
        return serde_yaml::to_string(&json).expect(WHY);
    }
    let occurs = |word: &String| any_text(&json, &mut |text| text.contains(word.as_str()));
    let word =
        (0..).map(|n: u32| format!("hidden{n}.")).find(|word| !occurs(word)).unwrap_or_default();
    mark_hidden(&mut json, &word);
    reveal(&serde_yaml::to_string(&json).expect(WHY), &word)
}

/// Converts a value of the model for YAML.
pub(super) fn scalar(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Integer(number) => json!(number),
        Value::Decimal(text) => {
            text.parse::<f64>().map_or_else(|_| json!(escape(text)), |number| json!(number))
        }
        Value::Text(text) => json!(escape(text)),
        Value::List(items) => items.iter().map(scalar).collect(),
        Value::Map(map) => map
            .iter()
            .map(|(name, value)| (name.clone(), scalar(value)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

/// Returns true if a test holds for any text of a value, names included.
fn any_text(value: &Json, is: &mut impl FnMut(&str) -> bool) -> bool {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
        Json::String(text) => is(text),
        Json::Array(items) => items.iter().any(|item| any_text(item, is)),
        Json::Object(members) => {
            members.iter().any(|(name, value)| is(name) || any_text(value, is))
        }
    }
}

/// Returns the positions of characters that must be escaped. The emitter handles line breaks and
/// tabs.
fn marked(text: &str) -> impl Iterator<Item = usize> + '_ {
    let is_marked = |at: usize, c: char| match c {
        '\n' | '\t' => false,
        '#' => begins_command(&text[at..]),
        // GitHub's runner takes a line that begins like this for a command, even if it is indented.
        ':' => {
            text[at..].starts_with("::") && text[..at].trim_end_matches([' ', '\t']).ends_with('\n')
        }
        c => is_hidden(c),
    };
    text.char_indices().filter(move |(at, c)| is_marked(*at, *c)).map(|(at, _)| at)
}

/// Marks every such character.
fn mark_hidden(value: &mut Json, word: &str) {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
        Json::String(text) => *text = mark_text(text, word),
        Json::Array(items) => items.iter_mut().for_each(|item| mark_hidden(item, word)),
        Json::Object(members) => {
            let marked = std::mem::take(members).into_iter().map(|(name, mut value)| {
                mark_hidden(&mut value, word);
                (mark_text(&name, word), value)
            });
            *members = marked.collect();
        }
    }
}

/// Marks every such character of a text.
fn mark_text(text: &str, word: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for at in marked(text) {
        let c = text[at..].chars().next().unwrap_or_default();
        out.push_str(&text[copied..at]);
        out.push_str(&format!("\u{1}{word}{:08X}", u32::from(c)));
        copied = at + c.len_utf8();
    }
    out.push_str(&text[copied..]);
    out
}

/// Replaces the marks by YAML escapes.
fn reveal(yaml: &str, word: &str) -> String {
    let mark = format!("\\x01{word}");
    yaml.replace(&mark, "\\U")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_hidden_and_all_is_kept() {
        let value = serde_json::json!({
            "plain": "words", "lines": "one\n two\n", "\u{202e}name": 1,
            "marks": ["a\u{202e}b", "\u{1b}[31m", "\u{1}hidden0.0000202E", "n\u{a0}b\tc\u{feff}", "\u{e0041}", "\u{85}\u{2028}"],
            "commands": ["x\n ::error::y", "##[error]z", "::1", "a ##vso[b]"],
        });
        let yaml = to_yaml(&value);
        assert!(!yaml.contains(|c| c != '\n' && is_hidden(c)), "{yaml}");
        assert!(!yaml.contains("##[") && !yaml.contains("##vso["), "{yaml}");
        assert!(yaml.lines().all(|line| !line.trim_start().starts_with("::")), "{yaml}");
        assert_eq!(serde_yaml::from_str::<Json>(&yaml).unwrap(), value, "{yaml}");
        assert!(yaml.contains("lines: |\n  one\n   two\n") && yaml.contains("- ::1\n"), "{yaml}");
    }
}
