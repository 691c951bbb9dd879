//! A small neutral map of named values that connects YAML and JSON with the record types.

use std::collections::BTreeMap;
use std::fmt;

use super::Ttl;
use super::facts::FactValue;
use crate::diagnostic::names_credential;

/// A value of a field, of a facet, or in the before and after of a plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Unset or cleared.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction, as decimal text so that it is exact.
    Decimal(String),
    /// A string.
    Text(String),
    /// Values in their order.
    List(Vec<Value>),
    /// Named values; only settings of zones have them.
    Map(BTreeMap<String, Value>),
}

impl Value {
    /// Returns true if a key at any depth names a credential.
    #[must_use]
    pub fn holds_credential(&self) -> bool {
        match self {
            Self::List(list) => list.iter().any(Self::holds_credential),
            Self::Map(map) => {
                map.iter().any(|(key, value)| names_credential(key) || value.holds_credential())
            }
            Self::Null | Self::Bool(_) | Self::Integer(_) | Self::Decimal(_) | Self::Text(_) => {
                false
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("none"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Integer(n) => write!(f, "{n}"),
            Self::Decimal(text) | Self::Text(text) => f.write_str(text),
            Self::List(list) => {
                for (n, value) in list.iter().enumerate() {
                    if n > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{value}")?;
                }
                Ok(())
            }
            Self::Map(map) => {
                f.write_str("{")?;
                for (n, (name, value)) in map.iter().enumerate() {
                    write!(f, "{}{name}: {value}", if n > 0 { ", " } else { " " })?;
                }
                f.write_str(" }")
            }
        }
    }
}

impl From<FactValue> for Value {
    fn from(fact: FactValue) -> Self {
        match fact {
            FactValue::Null => Self::Null,
            FactValue::Switch(is_on) => Self::Bool(is_on),
            FactValue::Number(number) => Self::from(number),
            FactValue::Word(word) => Self::from(word),
            FactValue::EmptyList => Self::List(Vec::new()),
            FactValue::Object(members) => Self::Map(
                members
                    .iter()
                    .map(|(name, member)| ((*name).to_owned(), Self::from(*member)))
                    .collect(),
            ),
        }
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<u32> for Value {
    fn from(n: u32) -> Self {
        Self::Integer(i64::from(n))
    }
}

/// Converts to the spelling of a spec: `auto`, or a number.
impl From<Ttl> for Value {
    fn from(ttl: Ttl) -> Self {
        if ttl.is_automatic() { Self::Text(ttl.to_string()) } else { Self::from(ttl.as_number()) }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Named scalars of a record's value, by Cloudflare's names (`content`, `priority`, `target`, …).
pub type Fields = BTreeMap<String, Value>;
