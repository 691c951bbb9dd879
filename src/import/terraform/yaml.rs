//! Evaluates `yamldecode`. Unquoted values follow the rules of Terraform's library, which mix
//! YAML 1.1 and YAML 1.2.
//!
//! # Sources
//! github.com/zclconf/go-cty-yaml (`resolve.go`), compared with Terraform 1.11.4, 2026-11-27.

use super::value::{Missing, Term};
use crate::diagnostic::{Diagnostics, Place, SourceId};
use crate::model::Gather;
use crate::spec::{Yaml, YamlKind, read_yaml};

const TRUE: &[&str] = &["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"];
const FALSE: &[&str] =
    &["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"];
const NULL: &[&str] = &["", "~", "null", "Null", "NULL"];

/// Evaluates `yamldecode(text)`.
pub(super) fn decode(values: &[Term], source: SourceId, place: Place) -> Term {
    let text = match values.first() {
        Some(Term::Missing(missing)) => return Term::Missing(missing.clone()),
        value => value.and_then(Term::text).unwrap_or_default(),
    };
    let mut diagnostics = Diagnostics::default();
    match read_yaml(&text, source, &mut diagnostics) {
        Some(yaml) if !diagnostics.has_errors() => match value(&yaml) {
            Ok(value) => value,
            Err(why) => Term::Missing(Missing::unknown(format!("`yamldecode`: {why}"), place)),
        },
        _ => Term::Missing(Missing::error("`yamldecode`: it is not valid YAML", place)),
    }
}

/// Converts a value of a YAML text. The error is the reason why it cannot be read.
fn value(yaml: &Yaml) -> Result<Term, String> {
    Ok(match &yaml.kind {
        YamlKind::Null => Term::Null,
        YamlKind::Scalar(scalar) if yaml.is_bare => unquoted(scalar)?,
        YamlKind::Scalar(scalar) => Term::from(scalar.as_str()),
        YamlKind::List(items) => Term::List(items.iter().map(value).collect::<Result<_, _>>()?),
        YamlKind::Map(members) => {
            let member = |(name, member): &(String, Yaml)| {
                Ok::<_, String>((key(name, member.is_key_bare)?, value(member)?))
            };
            Term::Map(
                members.iter().map(member).collect::<Result<Vec<_>, _>>()?.into_iter().gather(),
            )
        }
    })
}

/// Returns the name of a member. A key without quotes is a value that is converted to text.
fn key(name: &str, is_bare: bool) -> Result<String, String> {
    match is_bare {
        true => unquoted(name)?.text().ok_or_else(|| format!("the key `{name}` is not a text")),
        false => Ok(name.to_owned()),
    }
}

/// Converts an unquoted value.
fn unquoted(text: &str) -> Result<Term, String> {
    Ok(match text {
        _ if TRUE.contains(&text) => Term::Bool(true),
        _ if FALSE.contains(&text) => Term::Bool(false),
        _ if NULL.contains(&text) => Term::Null,
        _ if is_special(text) => return Err(format!("`{text}` is a number without digits")),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) => {
            match number(text)? {
                Some(number) => number,
                None => date(text)?.map_or_else(|| Term::from(text), Term::Text),
            }
        }
        _ => Term::from(text),
    })
}

/// Returns true for infinity and for what is no number.
fn is_special(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// Reads a number. Only hexadecimal and octal numbers have a prefix.
///
/// # Errors
/// The number has no value here.
fn number(text: &str) -> Result<Option<Term>, &'static str> {
    let with_base = |digits: &str, base| {
        let is_valid = digits.bytes().all(|byte| char::from(byte).is_digit(base));
        is_valid.then(|| i128::from_str_radix(digits, base).ok()).flatten()
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return Ok(with_base(digits, 16).map(Term::whole_number));
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return Ok(with_base(digits, 8).map(Term::whole_number));
    }
    let is_number_character = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    Term::read_number(text).filter(|_| text.bytes().all(is_number_character)).transpose()
}

/// Reads a date, which Terraform converts to a time. Returns `None` for another text.
fn date(text: &str) -> Result<Option<String>, String> {
    let (day, time) = text.split_at(text.find(['T', 't', ' ']).unwrap_or(text.len()));
    let parts: Vec<&str> = day.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return Ok(None) };
    let is_of_length = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !is_of_length(year, 4..=4) || !is_of_length(month, 1..=2) || !is_of_length(day, 1..=2) {
        return Ok(None);
    }
    let full_date = format!("{year}-{month:0>2}-{day:0>2}");
    match (full_date.parse::<jiff::civil::Date>().is_ok(), time.is_empty()) {
        (true, true) => Ok(Some(format!("{full_date}T00:00:00Z"))),
        (true, false) => Err(format!("the time `{text}` is not read; write it in quotes")),
        (false, _) => Ok(None),
    }
}
