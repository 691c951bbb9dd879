//! Malformed and unusual responses: changes to the JSON of a body.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The kind of compression of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "snake_case")]
pub enum Gzip {
    /// The compression is correct.
    Correct,
    /// The second half is missing.
    Truncated,
    /// The checksum does not match.
    Corrupt,
    /// The body is not compressed, although the header says so.
    Plain,
}

/// Changes every object of a body, the outer ones first. A body that is not JSON stays unchanged.
fn each_object(body: &mut Vec<u8>, change: &dyn Fn(&mut Map<String, Value>)) {
    fn walk(value: &mut Value, change: &dyn Fn(&mut Map<String, Value>)) {
        match value {
            Value::Object(object) => {
                object.values_mut().for_each(|value| walk(value, change));
                change(object);
            }
            Value::Array(items) => items.iter_mut().for_each(|value| walk(value, change)),
            _ => {}
        }
    }
    if let Ok(mut json) = serde_json::from_slice::<Value>(body) {
        walk(&mut json, change);
        *body = json.to_string().into_bytes();
    }
}

/// Replaces the value of every member with this name.
pub(super) fn replace(body: &mut Vec<u8>, member: &str, value: &Value) {
    each_object(body, &|object| {
        if let Some(old) = object.get_mut(member) {
            *old = value.clone();
        }
    });
}

/// Removes every member with this name.
pub(super) fn remove_member(body: &mut Vec<u8>, member: &str) {
    each_object(body, &|object| {
        object.shift_remove(member);
    });
}

/// Adds unknown members to every object.
pub(super) fn extra(body: &mut Vec<u8>) {
    each_object(body, &|object| {
        let unknown = [
            ("x_null", Value::Null),
            ("x_text", json!("\u{0}\u{202e}<b>\u{1b}[31m")),
            ("x_number", json!(-1.5e300)),
            ("x_list", json!([[], {}, null])),
            ("x_object", json!({ "id": 7, "errors": true })),
        ];
        object.extend(unknown.map(|(name, value)| (name.to_owned(), value)));
    });
}

/// Adds nested lists. Works on text, because such a deep value cannot be serialized.
pub(super) fn deep(body: &mut Vec<u8>, levels: usize) {
    if body.starts_with(b"{") {
        let deep = format!("\"x_deep\":{}{},", "[".repeat(levels), "]".repeat(levels));
        body.splice(1..1, deep.into_bytes());
    }
}

/// Cuts the body in half.
pub(super) fn halve(body: &mut Vec<u8>) {
    // A cut within a character would be a different fault.
    let text = String::from_utf8_lossy(body);
    let half = (text.len() / 2..).find(|n| text.is_char_boundary(*n)).unwrap_or(text.len());
    body.truncate(half);
}

/// Ends the body with the wrong bracket.
pub(super) fn wrong_bracket(body: &mut Vec<u8>) {
    body.pop();
    body.push(b']');
}

/// Compresses the body, correctly or not.
pub(super) fn gzip(body: &mut Vec<u8>, how: Gzip) {
    if how == Gzip::Plain {
        return;
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    let Ok(mut packed) = written else {
        tracing::error!("an answer could not be compressed in memory");
        return;
    };
    match how {
        Gzip::Correct | Gzip::Plain => {}
        Gzip::Truncated => packed.truncate(packed.len() / 2),
        Gzip::Corrupt => {
            // The checksum is eight bytes before the end: RFC 1952, section 2.3.
            let at = packed.len().saturating_sub(8);
            packed[at] ^= 0xff;
        }
    }
    *body = packed;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a body after a change.
    fn changed(change: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut body = br#"{"result":[{"id":"1","n":{"id":"2"}}],"success":true}"#.to_vec();
        change(&mut body);
        String::from_utf8(body).expect("it is text")
    }

    #[test]
    fn members_change_at_any_depth() {
        assert_eq!(
            changed(|b| replace(b, "id", &json!(7))),
            r#"{"result":[{"id":7,"n":{"id":7}}],"success":true}"#
        );
        assert_eq!(changed(|b| remove_member(b, "id")), r#"{"result":[{"n":{}}],"success":true}"#);
        assert_eq!(changed(extra).matches("x_list").count(), 3);
        assert!(changed(|b| deep(b, 3)).starts_with(r#"{"x_deep":[[[]]],"result""#));
        assert!(serde_json::from_str::<Value>(&changed(wrong_bracket)).is_err());
        assert!(serde_json::from_str::<Value>(&changed(halve)).is_err());
    }

    #[test]
    fn what_is_compressed_can_be_read_only_if_it_is_meant_to() {
        use std::io::Read as _;
        for (how, good) in [
            (Gzip::Correct, true),
            (Gzip::Truncated, false),
            (Gzip::Corrupt, false),
            (Gzip::Plain, false),
        ] {
            let mut body = b"text".repeat(100);
            gzip(&mut body, how);
            let mut read = Vec::new();
            let result = flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut read);
            assert_eq!(result.is_ok(), good, "{how:?}");
        }
    }
}
