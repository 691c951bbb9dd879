//! A serde deserialiser over the [`Tree`], and the generic types that it knows.
//!
//! One parser reads the YAML (`read_yaml`); this module passes its nodes to serde. A [`Spanned`]
//! value asks for its place by the name of its newtype, and the deserialiser answers with `(start,
//! end, value)`. The caller has checked the tree against the schema, so errors are not expected
//! here. They are still reported.

use std::fmt;
use std::marker::PhantomData;

use schemars::json_schema;
use serde::de::value::StrDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};

use super::yaml_tree::{Entry, Kind, Meaning, NodeId, Tree};
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostic, Place, Span};

/// The newtype name by which a `ScalarOr` identifies itself.
pub(super) const SCALAR_OR: &str = "$zonewright::scalar_or";

/// The newtype name by which a [`Spanned`] asks for its place.
const SPANNED: &str = "$zonewright::spanned";

/// The newtype name by which a [`OneOrMany`] identifies itself.
const ONE_OR_MANY: &str = "$zonewright::one_or_many";

/// The unit name by which a [`Nullable`] identifies itself.
const NULLABLE: &str = "$zonewright::nullable";

/// The newtype name by which a [`Deferred`] asks for the number of its node.
const DEFERRED: &str = "$zonewright::deferred";

/// A value with its place in the file being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spanned<T> {
    /// Its place.
    pub(super) span: Span,
    pub(super) value: T,
}

/// Text as written, from any scalar: `101` and `1.10` keep their spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text(pub(super) String);

/// Text or an explicit `null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Nullable {
    Null,
    Text(String),
}

/// A mapping with free keys, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entries<T>(pub(super) Vec<(Spanned<Text>, T)>);

/// One value or a list of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OneOrMany<T>(pub(super) Vec<T>);

/// A value that is read later, so that millions of records are never in memory in their typed form
/// at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deferred<T> {
    node: NodeId,
    form: PhantomData<T>,
}

impl<T> Deferred<T> {
    /// Returns the node that the value is read from.
    pub(super) fn node(&self) -> NodeId {
        self.node
    }
}

impl<T: for<'de> Deserialize<'de>> Deferred<T> {
    /// Reads the value from the tree in which it was found.
    ///
    /// # Errors
    /// Fails as [`read`] does.
    pub(super) fn read(&self, tree: &Tree) -> Result<T, ReadError> {
        read(tree, self.node)
    }
}

/// A node that does not fit the type that is read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct ReadError {
    pub(super) message: String,
    /// Place of the innermost node affected.
    pub(super) span: Option<Span>,
}

impl ReadError {
    /// Converts the error to a finding.
    pub(super) fn diagnostic(self, tree: &Tree) -> Diagnostic {
        let place =
            Place { source: tree.source, span: self.span.unwrap_or(tree.node(tree.root).span) };
        findings::NOT_UNDERSTOOD.at(place, self.message).help("compare with the schema of the spec")
    }
}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), span: None }
    }
}

/// Reads a value from a node.
///
/// # Errors
/// Fails at the first node that does not fit the type.
pub(super) fn read<'de, T: Deserialize<'de>>(tree: &'de Tree, id: NodeId) -> Result<T, ReadError> {
    T::deserialize(NodeReader { tree, id })
}

/// Deserialises one node.
#[derive(Clone, Copy)]
struct NodeReader<'de> {
    tree: &'de Tree,
    id: NodeId,
}

impl NodeReader<'_> {
    /// Adds the place of this node to an error that has no place.
    fn locate<T>(self, result: Result<T, ReadError>) -> Result<T, ReadError> {
        result.map_err(|mut e| {
            e.span.get_or_insert(self.tree.node(self.id).span);
            e
        })
    }

    /// Returns the error for a node of the wrong kind.
    fn unfit(self, wanted: &dyn de::Expected) -> ReadError {
        let kind = match self.tree.node(self.id).kind {
            Kind::Scalar(..) => "a scalar",
            Kind::Sequence(_) => "a list",
            Kind::Mapping(_) => "a mapping",
        };
        ReadError {
            span: Some(self.tree.node(self.id).span),
            ..de::Error::invalid_type(Unexpected::Other(kind), wanted)
        }
    }
}

impl<'de> Deserializer<'de> for NodeReader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let result = match &self.tree.node(self.id).kind {
            Kind::Scalar(text, _) => match self.tree.meaning(self.id) {
                Some(Meaning::Null) => visitor.visit_unit(),
                Some(Meaning::Bool(value)) => visitor.visit_bool(value),
                Some(Meaning::Integer(value)) => visitor.visit_i64(value),
                Some(Meaning::Number) if text.parse::<f64>().is_ok_and(f64::is_finite) => {
                    visitor.visit_f64(text.parse().unwrap_or_default())
                }
                _ => visitor.visit_borrowed_str(text),
            },
            Kind::Sequence(_) => return self.deserialize_seq(visitor),
            Kind::Mapping(_) => return self.deserialize_map(visitor),
        };
        self.locate(result)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let Kind::Sequence(items) = &self.tree.node(self.id).kind else {
            return Err(self.unfit(&visitor));
        };
        self.locate(visitor.visit_seq(Items { tree: self.tree, items: items.iter() }))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let Kind::Mapping(entries) = &self.tree.node(self.id).kind else {
            return Err(self.unfit(&visitor));
        };
        self.locate(visitor.visit_map(Pairs {
            tree: self.tree,
            entries: entries.iter(),
            value: None,
        }))
    }

    /// Reads a mapping. A visitor that also takes lists would be compiled for each type, and the
    /// schema refuses lists here.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.tree.node(self.id).kind {
            Kind::Scalar(text, _) => self.locate(visitor.visit_borrowed_str(text)),
            Kind::Sequence(_) | Kind::Mapping(_) => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    /// Absent keys are `None`; a present key is `Some`, even with `null`, which only [`Nullable`]
    /// accepts.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if name == SPANNED {
            return visitor.visit_seq(SpannedParts { reader: self, part: 0 });
        }
        if name == DEFERRED {
            return visitor.visit_u32(self.id.0);
        }
        if name == ONE_OR_MANY && matches!(self.tree.node(self.id).kind, Kind::Sequence(_)) {
            return self.deserialize_seq(visitor);
        }
        if name == SCALAR_OR && matches!(self.tree.node(self.id).kind, Kind::Scalar(..)) {
            return self.deserialize_str(visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let word: StrDeserializer<'_, ReadError> = self.tree.text(self.id).into_deserializer();
        self.locate(visitor.visit_enum(word))
    }

    /// Reads a [`Nullable`]: `null`, or text as written.
    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if name == NULLABLE && self.tree.meaning(self.id).is_some_and(|m| m != Meaning::Null) {
            return self.deserialize_str(visitor);
        }
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf
        unit tuple tuple_struct ignored_any
    }
}

/// The items of a list.
struct Items<'de> {
    tree: &'de Tree,
    items: std::slice::Iter<'de, NodeId>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let Some(id) = self.items.next() else { return Ok(None) };
        seed.deserialize(NodeReader { tree: self.tree, id: *id }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The pairs of a mapping.
struct Pairs<'de> {
    tree: &'de Tree,
    entries: std::slice::Iter<'de, Entry>,
    value: Option<NodeId>,
}

impl<'de> MapAccess<'de> for Pairs<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(entry.value);
        seed.deserialize(NodeReader { tree: self.tree, id: entry.key }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let id = self
            .value
            .take()
            .ok_or_else(|| de::Error::custom("a value was asked for before its key"))?;
        seed.deserialize(NodeReader { tree: self.tree, id })
    }
}

/// Yields start, end and value of a [`Spanned`].
struct SpannedParts<'de> {
    reader: NodeReader<'de>,
    part: u8,
}

impl<'de> SeqAccess<'de> for SpannedParts<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let span = self.reader.tree.node(self.reader.id).span;
        self.part += 1;
        match self.part {
            1 => seed.deserialize(span.start.into_deserializer()).map(Some),
            2 => seed.deserialize(span.end.into_deserializer()).map(Some),
            3 => seed.deserialize(self.reader).map(Some),
            _ => Ok(None),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
            type Value = Spanned<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its place")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
                let missing = || de::Error::custom("a value has no place");
                let start: u32 = parts.next_element()?.ok_or_else(missing)?;
                let end: u32 = parts.next_element()?.ok_or_else(missing)?;
                let value = parts.next_element()?.ok_or_else(missing)?;
                Ok(Spanned { span: Span { start, end }, value })
            }
        }
        deserializer.deserialize_newtype_struct(SPANNED, Parts(PhantomData))
    }
}

impl<'de, T> Deserialize<'de> for Deferred<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = u32;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the number of a node")
            }

            fn visit_u32<E: de::Error>(self, number: u32) -> Result<u32, E> {
                Ok(number)
            }
        }
        let number = deserializer.deserialize_newtype_struct(DEFERRED, Number)?;
        Ok(Self { node: NodeId(number), form: PhantomData })
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for Nullable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NullOrText;
        impl Visitor<'_> for NullOrText {
            type Value = Nullable;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or null")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Nullable, E> {
                Ok(Nullable::Null)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Nullable, E> {
                Ok(Nullable::Text(text.to_owned()))
            }
        }
        deserializer.deserialize_unit_struct(NULLABLE, NullOrText)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Mapping<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Mapping<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(pair) = pairs.next_entry()? {
                    entries.push(pair);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Mapping(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one value or a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = items.next_element()? {
                    values.push(value);
                }
                Ok(OneOrMany(values))
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                one: D,
            ) -> Result<Self::Value, D::Error> {
                T::deserialize(one).map(|item| OneOrMany(vec![item]))
            }
        }
        deserializer.deserialize_newtype_struct(ONE_OR_MANY, Either(PhantomData))
    }
}

/// Inlines the JSON Schema of a type wherever the type is used.
macro_rules! inline_schema {
    (@ [$($parameters:tt)*] $type:ty, $generator:pat_param => $schema:expr) => {
        impl $($parameters)* schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema($generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $schema
            }
        }
    };
    (<$parameter:ident> $type:ty, $generator:pat_param => $schema:expr) => {
        inline_schema!(@ [<$parameter: schemars::JsonSchema>] $type, $generator => $schema);
    };
    ($type:ty, $generator:pat_param => $schema:expr) => {
        inline_schema!(@ [] $type, $generator => $schema);
    };
}
pub(super) use inline_schema;

inline_schema!(<T> Spanned<T>, generator => T::json_schema(generator));
inline_schema!(<T> Deferred<T>, generator => T::json_schema(generator));
inline_schema!(Text, _ => json_schema!({ "type": ["string", "number"] }));
// `schema` removes the `null` that optional keys add. This mark keeps it.
inline_schema!(Nullable, _ => json_schema!({ "type": ["string", "number", "null"], "x-nullable": true }));
inline_schema!(<T> Entries<T>, generator => json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<T>() }));
inline_schema!(<T> OneOrMany<T>, generator => {
    let item_schema = generator.subschema_for::<T>();
    json_schema!({ "anyOf": [item_schema, { "type": "array", "items": item_schema, "minItems": 1 }] })
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Diagnostics, Sources};
    use crate::spec::read_yaml::scan;

    /// Reads a value from a text.
    fn from_text<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, ReadError> {
        let source = Sources::default().add("a.yaml", text);
        let tree = scan(text, source, &mut Diagnostics::default()).unwrap();
        read(&tree, tree.root)
    }

    #[test]
    fn text_is_taken_as_written() {
        assert_eq!(from_text::<Vec<Text>>("[101, 1.10, 'x', 010]").unwrap().len(), 4);
        assert_eq!(from_text::<Text>("1.10").unwrap(), Text("1.10".to_owned()));
        assert_eq!(from_text::<Nullable>("~").unwrap(), Nullable::Null);
        assert_eq!(from_text::<Nullable>("'~'").unwrap(), Nullable::Text("~".to_owned()));
        assert_eq!(from_text::<Nullable>("12").unwrap(), Nullable::Text("12".to_owned()));
        assert_eq!(from_text::<OneOrMany<Text>>("a").unwrap().0.len(), 1);
        assert_eq!(from_text::<OneOrMany<Text>>("[a, b]").unwrap().0.len(), 2);
    }

    #[test]
    fn places_come_with_values_and_errors() {
        let all = from_text::<Entries<Spanned<bool>>>("a: true\nb: false\n").unwrap();
        assert_eq!(
            (all.0[1].0.span, all.0[1].1.span),
            (Span { start: 8, end: 9 }, Span { start: 11, end: 16 })
        );
        let error = from_text::<Entries<Spanned<bool>>>("a: true\nb: no\n").unwrap_err();
        assert_eq!(error.span, Some(Span { start: 11, end: 13 }));
    }
}
