//! Finds a value in a JSON document by names and positions. The rest of the document is parsed, but
//! not kept.

use std::fmt;

use bumpalo::Bump;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::value::Value;

/// Returns the text or number at a path; missing if there is none, or if the document is not valid.
pub(super) fn found<'v>(text: &[u8], path: &[Value<'_>], arena: &'v Bump) -> Value<'v> {
    // Most bodies are not JSON, and the parser would allocate an error for each.
    if !matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return Value::Missing;
    }
    let mut document = serde_json::Deserializer::from_slice(text);
    let member = At { path, arena }.deserialize(&mut document);
    match document.end() {
        Ok(()) => member.unwrap_or(Value::Missing),
        Err(_) => Value::Missing,
    }
}

/// The value that is searched for.
#[derive(Clone, Copy)]
struct At<'p, 'v> {
    /// The remaining steps.
    path: &'p [Value<'p>],
    arena: &'v Bump,
}

impl<'p, 'v> At<'p, 'v> {
    /// Returns a value, if no steps remain.
    fn here(self, value: Value<'v>) -> Value<'v> {
        if self.path.is_empty() { value } else { Value::Missing }
    }

    /// Returns the search for values that are parsed and not kept: nothing has this path.
    fn elsewhere(self) -> Self {
        Self { path: &[Value::Missing], ..self }
    }

    /// Returns the next step, and the search after it.
    fn next(self) -> Option<(Value<'p>, Self)> {
        let (step, path) = self.path.split_first()?;
        Some((*step, Self { path, ..self }))
    }
}

impl<'de, 'v> DeserializeSeed<'de> for At<'_, 'v> {
    type Value = Value<'v>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'v>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, 'v> Visitor<'de> for At<'_, 'v> {
    type Value = Value<'v>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value<'v>, E> {
        Ok(Value::Missing)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Value<'v>, E> {
        Ok(Value::Missing)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Value<'v>, E> {
        Ok(Value::Missing)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value<'v>, E> {
        Ok(self.here(Value::Integer(number)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value<'v>, E> {
        Ok(i64::try_from(number).map_or(Value::Missing, |number| self.here(Value::Integer(number))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value<'v>, E> {
        Ok(if self.path.is_empty() {
            Value::Bytes(self.arena.alloc_slice_copy(text.as_bytes()))
        } else {
            Value::Missing
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'v>, A::Error> {
        let (wanted, inner) = match self.next() {
            Some((Value::Integer(position), inner)) => {
                (usize::try_from(position).ok(), Some(inner))
            }
            _ => (None, None),
        };
        let mut item = Value::Missing;
        let mut position = 0;
        loop {
            let wanted_item = inner.filter(|_| wanted == Some(position));
            let Some(value) =
                items.next_element_seed(wanted_item.unwrap_or_else(|| self.elsewhere()))?
            else {
                break;
            };
            if wanted_item.is_some() {
                item = value;
            }
            position += 1;
        }
        Ok(item)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value<'v>, A::Error> {
        let next_step = self.next();
        let mut member = Value::Missing;
        while let Some(is_wanted) = entries.next_key_seed(IsKey(next_step.map(|(step, _)| step)))? {
            match next_step.filter(|_| is_wanted) {
                // The last of equal keys counts.
                Some((_, inner)) => member = entries.next_value_seed(inner)?,
                None => {
                    entries.next_value_seed(self.elsewhere())?;
                }
            }
        }
        Ok(member)
    }
}

/// Compares a key with the one that is searched for.
struct IsKey<'p>(Option<Value<'p>>);

impl<'de> DeserializeSeed<'de> for IsKey<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for IsKey<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key of JSON")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<bool, E> {
        Ok(self.0 == Some(Value::Bytes(key.as_bytes())))
    }
}
