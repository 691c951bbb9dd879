//! A member of a closed set, as its word in JSON.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::model::ClosedSet;

/// A member of a closed set. In JSON it is its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Keyword<T>(pub T);

impl<T: ClosedSet> Serialize for Keyword<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.keyword())
    }
}

impl<'de, T: ClosedSet> Deserialize<'de> for Keyword<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Cow::<'de, str>::deserialize(deserializer)?;
        T::by_keyword(&word)
            .map(Self)
            .ok_or_else(|| D::Error::custom("a word that this version does not know"))
    }
}

impl<T: ClosedSet> JsonSchema for Keyword<T> {
    fn schema_name() -> Cow<'static, str> {
        let path = std::any::type_name::<T>();
        path.rsplit("::").next().unwrap_or(path).into()
    }

    fn schema_id() -> Cow<'static, str> {
        std::any::type_name::<T>().into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<_> = T::ALL.iter().map(|member| member.keyword()).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}
