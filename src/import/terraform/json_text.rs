//! Writes values in JSON as Terraform does.

use super::numerals::NOT_EXACT;
use super::value::Term;

/// Appends a value in JSON as Terraform writes it.
///
/// # Errors
/// A number has more digits than an import calculates.
pub(super) fn append_json(value: &Term, out: &mut String) -> Result<(), &'static str> {
    match value {
        Term::Null | Term::Missing(_) => out.push_str("null"),
        Term::Bool(_) | Term::Number(_) | Term::Large(_) => {
            out.push_str(&value.text().ok_or(NOT_EXACT)?);
        }
        Term::Text(text) => append_json_text(text, out),
        Term::List(items) | Term::Set(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { "," });
                append_json(item, out)?;
            }
            out.push(']');
        }
        Term::Map(members) => {
            out.push('{');
            for (n, (name, member)) in members.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { "," });
                append_json_text(name, out);
                out.push(':');
                append_json(member, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

/// Appends a text in JSON. Like Go's encoder, it escapes characters that have a meaning in HTML.
fn append_json_text(text: &str, out: &mut String) {
    for c in serde_json::Value::from(text).to_string().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
}
