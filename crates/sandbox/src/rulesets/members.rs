//! Reads members of bodies like a strict JSON decoder.
//!
//! # Sources
//! The text for unknown members, and that it has no code: observed 2026. ASSUMED: the text for
//! values of a wrong type, and that null counts as absent.

use serde_json::{Map, Value};

use crate::envelope::{HandlerResult, Refusal};

/// Returns a refusal of the decoder.
fn refuse_body(text: &str) -> Refusal {
    Refusal::unnumbered(400, format!("invalid JSON: {text}"))
}

/// Refuses members other than the known ones.
pub(super) fn check_known(object: &Map<String, Value>, known: &[&str]) -> HandlerResult<()> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(refuse_body(&format!("unknown field \"{key}\""))),
        None => Ok(()),
    }
}

/// Returns a member, converted by a function.
fn optional_member<'a, T>(
    object: &'a Map<String, Value>,
    key: &str,
    what: &str,
    read: impl FnOnce(&'a Value) -> Option<T>,
) -> HandlerResult<Option<T>> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => read(value)
            .map(Some)
            .ok_or_else(|| refuse_body(&format!("field \"{key}\" must be {what}"))),
    }
}

pub(super) fn optional_text<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> HandlerResult<Option<&'a str>> {
    optional_member(object, key, "a string", Value::as_str)
}

pub(super) fn truth(object: &Map<String, Value>, key: &str) -> HandlerResult<Option<bool>> {
    optional_member(object, key, "a boolean", Value::as_bool)
}

pub(super) fn optional_number(
    object: &Map<String, Value>,
    key: &str,
) -> HandlerResult<Option<i64>> {
    optional_member(object, key, "an integer", Value::as_i64)
}

pub(super) fn optional_object<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> HandlerResult<Option<&'a Map<String, Value>>> {
    optional_member(object, key, "an object", Value::as_object)
}

pub(super) fn optional_list<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> HandlerResult<Option<&'a [Value]>> {
    optional_member(object, key, "an array", |value| value.as_array().map(Vec::as_slice))
}

pub(super) fn objects<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> HandlerResult<Option<Vec<&'a Map<String, Value>>>> {
    optional_member(object, key, "an array of objects", |v| {
        v.as_array()?.iter().map(Value::as_object).collect()
    })
}

pub(super) fn optional_texts<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> HandlerResult<Option<Vec<&'a str>>> {
    optional_member(object, key, "an array of strings", |v| {
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
        assert_eq!(optional_text(body, "a").unwrap(), Some("x"));
        assert_eq!(optional_text(body, "b").unwrap(), None);
        assert!(
            optional_text(body, "c").is_err()
                && optional_texts(body, "c").is_err()
                && objects(body, "c").is_err()
        );
        let refusal = check_known(body, &["a", "b"]).unwrap_err();
        assert_eq!(refusal.problems[0].message, "invalid JSON: unknown field \"c\"");
    }
}
