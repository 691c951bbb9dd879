//! A value of any shape, for zone settings.

use std::fmt;

use schemars::json_schema;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::deserialize::inline_schema;
use crate::model::Value;

/// Any value: text, number, boolean, null, list or mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnyValue(pub(super) Value);

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValueVisitor)
    }
}

/// Builds a [`AnyValue`].
struct AnyValueVisitor;

impl<'de> Visitor<'de> for AnyValueVisitor {
    type Value = AnyValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<AnyValue, E> {
        Ok(AnyValue(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<AnyValue, E> {
        Ok(AnyValue(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<AnyValue, E> {
        Ok(AnyValue(Value::Integer(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<AnyValue, E> {
        Ok(AnyValue(Value::Decimal(value.to_string())))
    }

    fn visit_str<E>(self, value: &str) -> Result<AnyValue, E> {
        Ok(AnyValue(Value::from(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<AnyValue, A::Error> {
        let mut list = Vec::new();
        while let Some(AnyValue(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(AnyValue(Value::List(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<AnyValue, A::Error> {
        let mut map = std::collections::BTreeMap::new();
        while let Some((name, AnyValue(value))) = entries.next_entry::<String, AnyValue>()? {
            map.insert(name, value);
        }
        Ok(AnyValue(Value::Map(map)))
    }
}

inline_schema!(AnyValue, _ => json_schema!({}));
