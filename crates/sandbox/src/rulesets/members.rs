//! Reads members of bodies like a strict JSON decoder.
//!
//! # Sources
//! The text for unknown members, and that it has no code: observed 2026. ASSUMED: the text for
//! values of a wrong type, and that null counts as absent.

use serde_json::{Map, Value};

use crate::envelope::{Outcome, Refusal};

/// A refusal of the decoder.
fn invalid(text: &str) -> Refusal {
    Refusal::unnumbered(400, format!("invalid JSON: {text}"))
}

/// Refuses members other than the known ones.
pub(super) fn check_known(object: &Map<String, Value>, known: &[&str]) -> Outcome<()> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(invalid(&format!("unknown field \"{key}\""))),
        None => Ok(()),
    }
}

/// Returns a member, converted by a function.
fn member<'a, T>(
    object: &'a Map<String, Value>,
    key: &str,
    what: &str,
    read: impl FnOnce(&'a Value) -> Option<T>,
) -> Outcome<Option<T>> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            read(value).map(Some).ok_or_else(|| invalid(&format!("field \"{key}\" must be {what}")))
        }
    }
}

pub(super) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Outcome<Option<&'a str>> {
    member(object, key, "a string", Value::as_str)
}

pub(super) fn truth(object: &Map<String, Value>, key: &str) -> Outcome<Option<bool>> {
    member(object, key, "a boolean", Value::as_bool)
}

pub(super) fn number(object: &Map<String, Value>, key: &str) -> Outcome<Option<i64>> {
    member(object, key, "an integer", Value::as_i64)
}

pub(super) fn object<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> Outcome<Option<&'a Map<String, Value>>> {
    member(object, key, "an object", Value::as_object)
}

pub(super) fn list<'a>(object: &'a Map<String, Value>, key: &str) -> Outcome<Option<&'a [Value]>> {
    member(object, key, "an array", |value| value.as_array().map(Vec::as_slice))
}

pub(super) fn objects<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> Outcome<Option<Vec<&'a Map<String, Value>>>> {
    member(object, key, "an array of objects", |v| {
        v.as_array()?.iter().map(Value::as_object).collect()
    })
}

pub(super) fn texts<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> Outcome<Option<Vec<&'a str>>> {
    member(object, key, "an array of strings", |v| {
        v.as_array()?.iter().map(Value::as_str).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn strictness() {
        let body = json!({"a": "x", "b": null, "c": [1]});
        let body = body.as_object().unwrap();
        assert_eq!(text(body, "a").unwrap(), Some("x"));
        assert_eq!(text(body, "b").unwrap(), None);
        assert!(
            text(body, "c").is_err() && texts(body, "c").is_err() && objects(body, "c").is_err()
        );
        let refusal = check_known(body, &["a", "b"]).unwrap_err();
        assert_eq!(refusal.problems[0].message, "invalid JSON: unknown field \"c\"");
    }
}
