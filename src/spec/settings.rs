//! Zone settings: checks known ones against their valid values and converts them to Cloudflare's
//! types.

use std::collections::BTreeMap;

use super::attributes::Facet;
use super::suggest::{nearest, switch_meant};
use crate::diagnostic::{Diagnostics, Place, findings};
use crate::model::Value;
use crate::model::facts::settings::{SETTINGS, SettingKind, setting_facts};

/// An invalid value of a setting: the error, and the suggested correction.
type Wrong = (String, String);

/// Returns the value of a setting, converted to the setting's type. Reports an invalid value and
/// returns `None`. Returns the value of an unknown setting unchanged, with a note.
pub(super) fn checked(
    name: &str,
    place: Place,
    value: Facet<Value>,
    diagnostics: &mut Diagnostics,
) -> Option<Facet<Value>> {
    let Some(facts) = setting_facts(name) else {
        let help = match nearest(name, SETTINGS.iter().map(|s| s.name)) {
            Some(near) => format!("did you mean `{near}`? Otherwise it is sent as it is"),
            None => "check the name; it is sent as it is".to_owned(),
        };
        diagnostics.push(
            findings::UNLISTED_SETTING
                .at(place, format!("`{}` is not checked", super::clip(name)))
                .help(help),
        );
        return Some(value);
    };
    match typed_value(name, facts.kind, value.value) {
        Ok(typed) => Some(Facet { value: typed, place: value.place }),
        Err((detail, help)) => {
            diagnostics.push(findings::INVALID_SETTING.at(value.place, detail).help(help));
            None
        }
    }
}

/// Returns the value of a known setting, converted to the setting's type. Returns the value of an
/// unknown setting unchanged.
///
/// # Errors
/// Fails if it is none of the setting's values, with the reason and the suggested correction.
pub(crate) fn setting_value(name: &str, value: Value) -> Result<Value, (String, String)> {
    setting_facts(name).map_or(Ok(value.clone()), |facts| typed_value(name, facts.kind, value))
}

/// Converts a value to the type of a setting or of a member of one.
fn typed_value(path: &str, kind: SettingKind, value: Value) -> Result<Value, Wrong> {
    let shown = super::clip(&value.to_string());
    let wrong = |help: String| Err((format!("`{path}` cannot be `{shown}`"), help));
    match kind {
        SettingKind::Word(words) => match enumerated(words, &value) {
            Ok(word) => Ok(Value::from(word)),
            Err(help) => wrong(help),
        },
        SettingKind::Switch => {
            let meant_switch = match &value {
                Value::Bool(on) => return Ok(Value::Bool(*on)),
                Value::Text(text) => match text.as_str() {
                    "true" => return Ok(Value::Bool(true)),
                    "false" => return Ok(Value::Bool(false)),
                    other => switch_meant(other),
                },
                _ => None,
            };
            wrong(match meant_switch {
                Some("on") => "write `true`".to_owned(),
                Some(_) => "write `false`".to_owned(),
                None => "write `true` or `false`".to_owned(),
            })
        }
        SettingKind::Number(numbers) => {
            match whole_number(&value).filter(|n| numbers.contains(n)) {
                Some(number) => integer_value(number),
                None => {
                    let valid_numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
                    wrong(format!("write one of {}", valid_numbers.join(", ")))
                }
            }
        }
        SettingKind::Range(least, most) => {
            match whole_number(&value).filter(|n| (least..=most).contains(n)) {
                Some(number) => integer_value(number),
                None => wrong(format!("write a number from {least} to {most}")),
            }
        }
        SettingKind::Words(words) => {
            let Value::List(items) = value else {
                return wrong("write a list, such as `[…, …]`".to_owned());
            };
            let mut typed: Vec<Value> = Vec::with_capacity(items.len());
            for item in items {
                let shown = super::clip(&item.to_string());
                let item = enumerated(words, &item)
                    .map(Value::from)
                    .map_err(|help| (format!("`{path}` cannot hold `{shown}`"), help))?;
                if typed.contains(&item) {
                    return Err((
                        format!("`{path}` holds `{shown}` twice"),
                        "remove one of them".to_owned(),
                    ));
                }
                typed.push(item);
            }
            Ok(Value::List(typed))
        }
        SettingKind::Object(members) => {
            let Value::Map(given) = value else {
                let names: Vec<_> = members.iter().map(|(name, _)| format!("`{name}`")).collect();
                return wrong(format!("write a mapping with {}", names.join(", ")));
            };
            let mut typed_members = BTreeMap::new();
            for (name, value) in given {
                let path = format!("{path}.{name}");
                let Some((_, kind)) = members.iter().find(|(known, _)| *known == name) else {
                    // Cloudflare may add members. A name that resembles a known one is a
                    // misspelling.
                    if let Some(near) = nearest(&name, members.iter().map(|(name, _)| *name)) {
                        return Err((
                            format!("there is no `{}`", super::clip(&path)),
                            format!("did you mean `{near}`?"),
                        ));
                    }
                    typed_members.insert(name, value);
                    continue;
                };
                typed_members.insert(name, typed_value(&path, *kind, value)?);
            }
            Ok(Value::Map(typed_members))
        }
    }
}

/// Returns the word for a value. YAML reads `1.2` as a number and `true` as a boolean; for
/// Cloudflare both are words.
///
/// # Errors
/// Fails if it is not one of the words, with the suggested correction.
fn enumerated(words: &'static [&'static str], value: &Value) -> Result<&'static str, String> {
    let find = |text: &str| words.iter().copied().find(|word| *word == text);
    let text = match value {
        Value::Bool(on) if find("on").is_some() => if *on { "on" } else { "off" }.to_owned(),
        Value::List(_) | Value::Map(_) | Value::Null => String::new(),
        single => single.to_string(),
    };
    // YAML does not distinguish 1 from 1.0.
    if let Some(word) = find(&text).or_else(|| find(&format!("{text}.0"))) {
        return Ok(word);
    }
    // A different number is not a typo.
    let near = || {
        nearest(&text, words.iter().copied())
            .filter(|_| text.bytes().any(|b| b.is_ascii_alphabetic()))
    };
    let meant_word = switch_meant(&text).and_then(find).or_else(near);
    Err(match meant_word {
        Some(meant_word) => format!("did you mean `{meant_word}`?"),
        None => format!(
            "write one of {}",
            words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
        ),
    })
}

/// Reads a whole number, or text with one, which is the result of a substitution.
fn whole_number(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        Value::Text(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            text.parse().ok()
        }
        _ => None,
    }
}

/// Converts a number to a value.
fn integer_value(number: u64) -> Result<Value, Wrong> {
    Ok(Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_get_the_type_of_their_setting() {
        let typed =
            |name: &str, value: Value| typed_value(name, setting_facts(name).unwrap().kind, value);
        let text = |text: &str| Value::from(text);
        assert_eq!(typed("min_tls_version", Value::Decimal("1.2".into())), Ok(text("1.2")));
        assert_eq!(typed("min_tls_version", Value::Decimal("1".into())), Ok(text("1.0")));
        assert_eq!(typed("brotli", Value::Bool(true)), Ok(text("on")));
        assert_eq!(typed("origin_max_http_version", Value::Integer(2)), Ok(text("2")));
        assert_eq!(typed("browser_cache_ttl", text("14400")), Ok(Value::Integer(14400)));
        for (name, value, help) in [
            ("ssl", text("strictt"), "did you mean `strict`?"),
            ("brotli", text("enabled"), "did you mean `on`?"),
            ("brotli", text("no"), "did you mean `off`?"),
            (
                "min_tls_version",
                Value::Decimal("1.4".into()),
                "write one of `1.0`, `1.1`, `1.2`, `1.3`",
            ),
            ("proxy_read_timeout", Value::Integer(0), "write a number from 1 to 6000"),
            ("challenge_ttl", Value::Integer(301), "write one of 300,"),
        ] {
            let (_, found) = typed(name, value).unwrap_err();
            assert!(found.starts_with(help) || help.starts_with(&found), "{name}: {found}");
        }
        let header = |member: &str, value: Value| {
            let inner = Value::Map(BTreeMap::from([(member.to_owned(), value)]));
            typed(
                "security_header",
                Value::Map(BTreeMap::from([("strict_transport_security".to_owned(), inner)])),
            )
        };
        assert!(header("max_age", Value::Integer(31_536_000)).is_ok());
        assert!(header("preload", text("yes")).is_err());
        assert!(header("maxage", Value::Integer(1)).is_err());
    }
}
