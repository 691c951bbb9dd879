//! A digest of a JSON value that does not depend on the order of members. It shows that a file is
//! complete, and that two values are equal.
//!
//! It is computed while the value is read, from the digests of the parts, so that a large document
//! is never in memory.
//!
//! | value | the SHA-256 of |
//! |---|---|
//! | scalar | its JSON |
//! | list | `[`, then the sum of each item |
//! | object | `{`, then for each member, in the order of their names, the sum of the name and that of the value |

use std::fmt;

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

/// Maximum number of members of an object.
const MOST_MEMBERS: usize = 10_000;

/// Maximum length of a scalar that is kept, in bytes.
const KEPT: usize = 128;

/// The digest of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sum([u8; 32]);

impl Sum {
    /// Returns the digest of a tree of values.
    #[must_use]
    pub fn of(value: &Json) -> Self {
        match value {
            Json::Array(items) => {
                let mut list = ListSum::default();
                items.iter().for_each(|item| list.add(Self::of(item)));
                list.finish()
            }
            Json::Object(members) => {
                let mut object = ObjectSum::default();
                members.iter().for_each(|(name, value)| object.add(name, Self::of(value)));
                object.finish()
            }
            Json::String(text) => Self::of_text(text),
            scalar @ (Json::Null | Json::Bool(_) | Json::Number(_)) => {
                Self::of_scalar(&scalar.to_string())
            }
        }
    }

    /// Returns the digest of a text.
    fn of_text(text: &str) -> Self {
        let mut hash = beginning(b"\"");
        hash.update(text.as_bytes());
        Self::finish(hash)
    }

    /// Returns the digest of any other scalar.
    fn of_scalar(text: &str) -> Self {
        Self::finish(beginning(text.as_bytes()))
    }

    /// Finishes a digest.
    fn finish(hash: Context) -> Self {
        let mut sum = [0; 32];
        sum.copy_from_slice(hash.finish().as_ref());
        Self(sum)
    }

    /// Returns its hexadecimal form.
    #[must_use]
    pub fn hex(&self) -> String {
        HEXLOWER.encode(&self.0)
    }
}

/// Begins a hash with these bytes. Every scalar needs one, so this function avoids generic code.
fn beginning(bytes: &[u8]) -> Context {
    let mut hash = Context::new(&SHA256);
    hash.update(bytes);
    hash
}

/// The digest of an object, computed member by member.
#[derive(Debug, Default)]
pub struct ObjectSum(Vec<(Sum, Sum)>);

impl ObjectSum {
    /// Adds a member.
    pub fn add(&mut self, name: &str, value: Sum) {
        self.0.push((Sum::of_text(name), value));
    }

    /// Returns the digest of all members.
    #[must_use]
    pub fn finish(mut self) -> Sum {
        self.0.sort();
        let mut hash = beginning(b"{");
        for (name, value) in self.0 {
            hash.update(&name.0);
            hash.update(&value.0);
        }
        Sum::finish(hash)
    }
}

/// The digest of a list, computed item by item.
#[derive(Clone)]
pub struct ListSum(Context);

impl Default for ListSum {
    fn default() -> Self {
        Self(beginning(b"["))
    }
}

impl ListSum {
    /// Adds the digest of an item.
    pub fn add(&mut self, item: Sum) {
        self.0.update(&item.0);
    }

    /// Returns the digest of all items.
    #[must_use]
    pub fn finish(self) -> Sum {
        Sum::finish(self.0)
    }
}

/// Selects the scalars to keep from a value that is only digested, by the names of the members that
/// lead to them.
#[derive(Debug, Default)]
pub struct Outline {
    /// Members to keep, each with its own selection.
    pub members: &'static [(&'static str, Outline)],
    /// A member that is not included in the digest.
    pub unsummed: Option<&'static str>,
}

/// A value that was digested.
#[derive(Debug)]
pub struct Summed {
    /// Its digest.
    pub sum: Sum,
    /// Its JSON, if it is a short scalar. For a text, its content.
    pub scalar: Option<Box<str>>,
    /// The selected members, if it is an object.
    pub members: Option<Vec<(&'static str, Summed)>>,
}

impl Summed {
    fn scalar(sum: Sum, text: &str) -> Self {
        Self { sum, scalar: (text.len() <= KEPT).then(|| text.into()), members: None }
    }

    /// Returns a selected member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let mut members = self.members.iter().flatten();
        members.find(|(own, _)| *own == name).map(|(_, value)| value)
    }
}

impl<'de> DeserializeSeed<'de> for &Outline {
    type Value = Summed;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Summed, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Selects nothing.
static NOTHING: Outline = Outline { members: &[], unsummed: None };

impl<'de> Visitor<'de> for &Outline {
    type Value = Summed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<Summed, E> {
        Ok(Summed::scalar(Sum::of_scalar("null"), "null"))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Summed, E> {
        let text = value.to_string();
        Ok(Summed::scalar(Sum::of_scalar(&text), &text))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Summed, E> {
        let text = value.to_string();
        Ok(Summed::scalar(Sum::of_scalar(&text), &text))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Summed, E> {
        let text = value.to_string();
        Ok(Summed::scalar(Sum::of_scalar(&text), &text))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Summed, E> {
        let text = Json::from(value).to_string();
        Ok(Summed::scalar(Sum::of_scalar(&text), &text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Summed, E> {
        Ok(Summed::scalar(Sum::of_text(text), text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Summed, A::Error> {
        let mut list = ListSum::default();
        while let Some(item) = items.next_element_seed(&NOTHING)? {
            list.add(item.sum);
        }
        Ok(Summed { sum: list.finish(), scalar: None, members: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Summed, A::Error> {
        let mut object = ObjectSum::default();
        let mut kept = Vec::new();
        while let Some(name) = members.next_key::<String>()? {
            let outline = self.members.iter().find(|(member, _)| *member == name);
            let value =
                members.next_value_seed(outline.map_or(&NOTHING, |(_, outline)| outline))?;
            if self.unsummed != Some(name.as_str()) {
                object.add(&name, value.sum);
            }
            if object.0.len() > MOST_MEMBERS {
                return Err(A::Error::custom(format_args!(
                    "an object has more than {MOST_MEMBERS} members"
                )));
            }
            if let Some((name, _)) = outline {
                // The last of repeated members counts.
                kept.retain(|(known, _)| known != name);
                kept.push((*name, value));
            }
        }
        Ok(Summed { sum: object.finish(), scalar: None, members: Some(kept) })
    }
}

impl<'de> Deserialize<'de> for Sum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        (&NOTHING).deserialize(deserializer).map(|summed| summed.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of a text while it is read, which is that of its tree.
    fn sum(text: &str) -> Sum {
        let read: Sum = serde_json::from_reader(text.as_bytes()).unwrap();
        assert_eq!(read, Sum::of(&serde_json::from_str(text).unwrap()), "{text}");
        read
    }

    #[test]
    fn the_order_of_members_makes_no_difference() {
        assert_eq!(
            sum(r#"{"a":[1,-2,3.5],"b":{"c":null,"d":true}}"#),
            sum(r#"{ "b": {"d":true,"c":null}, "a": [1,-2,3.5] }"#)
        );
    }

    #[test]
    fn everything_else_does() {
        let values = [
            "null",
            "true",
            "false",
            "0",
            "1",
            "-1",
            "1.5",
            r#""""#,
            r#""0""#,
            r#""null""#,
            r#""a""#,
            "[]",
            "{}",
            "[[]]",
            "[null]",
            "[0]",
            "[0,0]",
            r#"[""]"#,
            r#"{"":0}"#,
            r#"{"a":0}"#,
            r#"{"a":"0"}"#,
            r#"{"a":0,"b":0}"#,
            r#"{"a":{"b":0}}"#,
        ];
        for (n, one) in values.iter().enumerate() {
            for other in &values[..n] {
                assert_ne!(sum(one), sum(other), "{one} {other}");
            }
        }
    }

    #[test]
    fn what_is_asked_for_is_kept() {
        const INNER: Outline =
            Outline { members: &[("b", Outline { members: &[], unsummed: None })], unsummed: None };
        const OUTLINE: Outline = Outline { members: &[("a", INNER)], unsummed: Some("x") };
        let read = |text: &str| {
            let mut reader = serde_json::Deserializer::from_str(text);
            (&OUTLINE).deserialize(&mut reader).unwrap()
        };
        let summed = read(r#"{"x":1,"a":{"b":7,"c":[]},"b":8}"#);
        let b = summed.get("a").and_then(|a| a.get("b"));
        assert_eq!(b.and_then(|b| b.scalar.as_deref()), Some("7"));
        assert_eq!(summed.sum, sum(r#"{"a":{"b":7,"c":[]},"b":8}"#));
        assert!(read("[]").members.is_none());
    }
}
