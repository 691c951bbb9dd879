//! Evaluates `format`.
//!
//! # Sources
//! github.com/zclconf/go-cty (`function/stdlib/format.go`), compared with Terraform 1.11.4,
//! 2026-11-27.

use super::characters::characters;
use super::json_text::append_json;
use super::numerals::NOT_EXACT;
use super::value::Term;

/// Reason for a verb that is not evaluated.
pub(super) const NOT_FORMATTED: &str =
    "only the verbs %s, %d, %v and %q are supported; import the state instead";

/// Evaluates `format(pattern, arguments…)` with the verbs `%s`, `%d`, `%v`, `%q` and `%%`.
pub(super) fn format(pattern: &str, arguments: &[Term]) -> Result<Term, &'static str> {
    let mut out = String::new();
    let mut arguments = arguments.iter();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let mut verb = letters.next().ok_or("the pattern ends with `%`")?;
        let mut width = String::new();
        while verb.is_ascii_digit() && width.len() < 3 {
            width.push(verb);
            verb = letters.next().ok_or("the pattern ends within a verb")?;
        }
        if verb == '%' {
            out.push('%');
            continue;
        }
        if !matches!(verb, 's' | 'd' | 'v' | 'q') {
            return Err(NOT_FORMATTED);
        }
        let value = arguments.next().ok_or("there is no value for a verb")?;
        let padded = width.parse::<usize>().unwrap_or_default();
        let text = match verb {
            'd' => {
                let whole = whole_number(value)?;
                match width.starts_with('0') {
                    true => format!("{whole:0padded$}"),
                    false => whole.to_string(),
                }
            }
            'q' => format!("{:?}", text(value)?),
            'v' if matches!(value, Term::List(_) | Term::Set(_) | Term::Map(_)) => {
                let mut json = String::new();
                append_json(value, &mut json)?;
                json
            }
            _ => text(value)?,
        };
        let length = if padded > 0 { characters(&text)?.len() } else { 0 };
        let blanks = if verb == 'q' { 0 } else { padded.saturating_sub(length) };
        out.extend(std::iter::repeat_n(' ', blanks));
        out.push_str(&text);
    }
    match arguments.next() {
        None => Ok(Term::Text(out)),
        Some(_) => Err("there are more values than verbs"),
    }
}

fn text(value: &Term) -> Result<String, &'static str> {
    let is_number = matches!(value, Term::Number(_));
    value.text().ok_or(if is_number { NOT_EXACT } else { "text is expected" })
}

fn whole_number(value: &Term) -> Result<i128, &'static str> {
    let read = match value {
        Term::Text(text) => Term::read_number(text).transpose()?,
        other => Some(other.clone()),
    };
    let number = read.filter(|read| matches!(read, Term::Number(_) | Term::Large(_)));
    number.and_then(|number| number.as_whole_number()).ok_or("a whole number is expected")
}
