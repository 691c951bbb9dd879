//! Writes one text as a YAML scalar of one line, for a spec or for a suggestion that can be copied
//! into one.

use super::hidden::{begins_command, is_hidden};

/// Returns a text as a scalar of one line: plain if every reader takes it for text, even one of
/// YAML 1.1, and otherwise in double quotes with escapes. It may be within brackets.
#[must_use]
pub fn one_line(text: &str) -> String {
    // Words that some version of YAML reads as a boolean or as null.
    const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_name)
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_plain || text.parse::<std::net::Ipv4Addr>().is_ok() {
        return text.to_owned();
    }
    double_quoted(text)
}

/// Returns a text in double quotes. Invisible characters and commands of a CI runner are escaped.
#[must_use]
pub fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for (at, c) in text.char_indices() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '#' if begins_command(&text[at..]) => out.push_str("\\x23"),
            c if is_hidden(c) => out.push_str(&format!("\\U{:08X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Escapes a text so that a spec reads no variables in it.
#[must_use]
pub fn escape_variables(text: &str) -> String {
    text.replace("${", "$${")
}
