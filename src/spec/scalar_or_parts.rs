//! A word, or a mapping or list: `owasp: off` and `owasp: { paranoia: 2 }`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, Visitor};

use super::deserialize::{SCALAR_OR, Text};

/// A single value as written, or a mapping or list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScalarOr<T> {
    Word(Text),
    /// A mapping or a list.
    Parts(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ScalarOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = ScalarOr<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word, or several values")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
                Ok(ScalarOr::Word(Text(word.to_owned())))
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                parts: D,
            ) -> Result<Self::Value, D::Error> {
                T::deserialize(parts).map(ScalarOr::Parts)
            }
        }
        deserializer.deserialize_newtype_struct(SCALAR_OR, Either(PhantomData))
    }
}
