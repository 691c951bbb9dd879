//! Represents Terraform's values, of which parts may be missing.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::numerals::{Numeral, number_text, parse_number};
use crate::diagnostic::Place;
use crate::model::{Gather, Value};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Term {
    Null,
    /// True or false.
    Bool(bool),
    /// A number. A whole number up to 2^53 is always of this variant.
    Number(f64),
    /// A whole number above 2^53, or below -2^53.
    Large(i128),
    Text(String),
    /// A list or a tuple.
    List(Vec<Term>),
    /// A set in Terraform's order.
    Set(Vec<Term>),
    /// A map, an object, or a block.
    Map(BTreeMap<String, Term>),
    /// A value that the source does not contain.
    Missing(Missing),
}

/// Reason for a missing value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Missing {
    /// Missing input, such as ``the variable `zone_id` has no value``.
    pub(super) why: String,
    /// Place of the expression that needs the value.
    pub(super) place: Place,
    /// True if Terraform would fail, too, so that `try` and `can` continue.
    pub(super) is_error: bool,
    /// Value that is known and must not be shown. It may only be compared.
    pub(super) hidden: Option<Box<Hidden>>,
}

/// A value that must not be shown.
#[derive(Clone, PartialEq)]
pub(super) struct Hidden(pub(super) Term);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Hidden")
    }
}

impl Missing {
    /// Creates a missing value that Terraform knows and the source does not contain.
    pub(super) fn unknown(why: impl Into<String>, place: Place) -> Self {
        Self { why: why.into(), place, is_error: false, hidden: None }
    }

    /// Creates a missing value that is known and must not be shown.
    pub(super) fn sensitive(what: &str, value: Term, place: Place) -> Self {
        let why = format!("{what} is sensitive, so its value is not written into a spec");
        Self { hidden: Some(Box::new(Hidden(value))), ..Self::unknown(why, place) }
    }

    /// Creates a missing value that Terraform would not find either.
    pub(super) fn error(why: impl Into<String>, place: Place) -> Self {
        Self { why: why.into(), place, is_error: true, hidden: None }
    }
}

impl From<&str> for Term {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Term {
    /// Converts a value of a state or plan.
    pub(super) fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(b) => Self::Bool(*b),
            Json::Number(n) => match (n.as_i64(), n.as_u64()) {
                (Some(n), _) => Self::whole_number(n.into()),
                (_, Some(n)) => Self::whole_number(n.into()),
                _ => n.as_f64().map_or(Self::Null, Self::Number),
            },
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from_json).collect()),
            Json::Object(map) => {
                Self::Map(map.iter().map(|(k, v)| (k.clone(), Self::from_json(v))).gather())
            }
        }
    }

    /// Returns true for null and for an empty text, list or map. State files contain them for unset
    /// attributes.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            Self::List(list) | Self::Set(list) => list.is_empty(),
            Self::Map(map) => map.is_empty(),
            Self::Bool(_) | Self::Number(_) | Self::Large(_) | Self::Missing(_) => false,
        }
    }

    /// Returns the first missing part, at any depth.
    pub(super) fn missing(&self) -> Option<&Missing> {
        match self {
            Self::Missing(missing) => Some(missing),
            Self::List(list) | Self::Set(list) => list.iter().find_map(Self::missing),
            Self::Map(map) => map.values().find_map(Self::missing),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Large(_) | Self::Text(_) => None,
        }
    }

    /// Returns the first missing part, except in members that only state the zone. The user can
    /// supply the zone.
    pub(super) fn missing_beside_zone(&self) -> Option<&Missing> {
        match self {
            Self::Map(map) => map
                .iter()
                .filter(|(name, _)| *name != "zone_id")
                .find_map(|(_, value)| value.missing()),
            other => other.missing(),
        }
    }

    /// Returns the number of values, the outermost included.
    pub(super) fn size(&self) -> usize {
        1 + match self {
            Self::List(list) | Self::Set(list) => list.iter().map(Self::size).sum(),
            Self::Map(map) => map.values().map(Self::size).sum::<usize>(),
            Self::Null
            | Self::Bool(_)
            | Self::Number(_)
            | Self::Large(_)
            | Self::Text(_)
            | Self::Missing(_) => 0,
        }
    }

    /// Returns the minimum memory of the value, in bytes.
    pub(super) fn bytes(&self) -> usize {
        /// Number of entries that a nonempty map allocates.
        const LEAST_ENTRIES: usize = 11;
        let size = size_of::<Self>();
        size + match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Large(_) => 0,
            Self::Text(text) => text.len(),
            Self::Missing(missing) => missing.why.len(),
            Self::List(list) | Self::Set(list) => list.iter().map(Self::bytes).sum(),
            Self::Map(map) => {
                let entry = size + size_of::<String>();
                let spare = LEAST_ENTRIES.saturating_sub(map.len())
                    * if map.is_empty() { 0 } else { entry };
                spare
                    + map
                        .iter()
                        .map(|(key, value)| size_of::<String>() + key.len() + value.bytes())
                        .sum::<usize>()
            }
        }
    }

    /// Returns a member of a map.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => map.get(name).filter(|value| !value.is_empty()),
            _ => None,
        }
    }

    /// Returns the only block or the object of a name: version 4 of the provider writes blocks and
    /// version 5 objects.
    pub(super) fn object(&self, name: &str) -> Option<&Self> {
        match self.get(name)? {
            Self::List(list) => match list.as_slice() {
                [only] => Some(only),
                _ => None,
            },
            other => Some(other),
        }
    }

    /// Returns the items of a list, or the value itself as the only item.
    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::List(list) | Self::Set(list) => list,
            other => std::slice::from_ref(other),
        }
    }

    /// Converts the sets of a value to lists, because an attribute of a resource is either.
    pub(super) fn without_sets(self) -> Self {
        match self {
            Self::List(items) | Self::Set(items) => {
                Self::List(items.into_iter().map(Self::without_sets).collect())
            }
            Self::Map(members) => Self::Map(
                members.into_iter().map(|(name, value)| (name, value.without_sets())).gather(),
            ),
            other => other,
        }
    }

    /// Converts a scalar to text like Terraform.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Bool(b) => Some(b.to_string()),
            Self::Number(n) => number_text(*n),
            Self::Large(n) => Some(n.to_string()),
            _ => None,
        }
    }

    /// Returns a boolean, which may be written as text.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            Self::Text(text) => match text.as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// Reads a number. Returns `None` for a text that is no number.
    ///
    /// # Errors
    /// The number has no value here.
    pub(super) fn read_number(text: &str) -> Option<Result<Self, &'static str>> {
        let number = |numeral| match numeral {
            Numeral::Whole(n) => Self::whole_number(n),
            Numeral::Other(n) => Self::Number(n),
        };
        Some(parse_number(text)?.map(number))
    }

    /// Creates a whole number.
    #[allow(clippy::cast_precision_loss, reason = "the number is small enough")]
    pub(super) fn whole_number(n: i128) -> Self {
        if n.unsigned_abs() <= LARGEST_EXACT { Self::Number(n as f64) } else { Self::Large(n) }
    }

    /// Returns a whole number of any size, which may be written as text.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "the number is small enough"
    )]
    pub(super) fn as_whole_number(&self) -> Option<i128> {
        match self {
            Self::Large(n) => Some(*n),
            Self::Number(n) if n.fract() == 0.0 && n.abs() <= LARGEST_EXACT as f64 => {
                Some(*n as i128)
            }
            Self::Text(text) => Self::read_number(text)?.ok()?.as_whole_number(),
            _ => None,
        }
    }

    /// Converts a number, or a text that is a number, to a number.
    pub(super) fn to_number(&self) -> Option<Self> {
        match self {
            Self::Number(_) | Self::Large(_) => Some(self.clone()),
            Self::Text(text) => Self::read_number(text)?.ok(),
            _ => None,
        }
    }

    /// Returns a number, which may be written as text. A large whole number has no such value.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(n) => Some(*n),
            Self::Text(text) => Self::read_number(text)?.ok()?.number(),
            _ => None,
        }
    }

    /// Returns a whole number that is not negative.
    pub(super) fn whole(&self) -> Option<u32> {
        let n = self.number()?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked in the same expression"
        )]
        (n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&n)).then_some(n as u32)
    }

    /// Converts the term to a value of the model. Missing parts become null; see [`Term::missing`].
    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Null | Self::Missing(_) => Value::Null,
            Self::Bool(b) => Value::Bool(*b),
            Self::Number(_) | Self::Large(_) => match self.text() {
                Some(text) if !text.contains('.') => {
                    text.parse().map_or(Value::Decimal(text), Value::Integer)
                }
                text => text.map_or(Value::Null, Value::Decimal),
            },
            Self::Text(text) => Value::Text(text.clone()),
            Self::List(list) | Self::Set(list) => {
                Value::List(list.iter().map(Self::to_value).collect())
            }
            Self::Map(map) => {
                Value::Map(map.iter().map(|(k, v)| (k.clone(), v.to_value())).gather())
            }
        }
    }
}

/// Largest whole number that is a [`Term::Number`].
const LARGEST_EXACT: u128 = 1 << 53;
impl Term {
    /// Converts the term to JSON. Missing parts become null.
    pub(super) fn to_json(&self) -> Json {
        match self {
            Self::Null | Self::Missing(_) => Json::Null,
            Self::Bool(b) => Json::Bool(*b),
            Self::Number(_) | Self::Large(_) => match self.to_value() {
                Value::Integer(n) => Json::from(n),
                Value::Decimal(text) => text.parse::<f64>().map_or(Json::Null, Json::from),
                _ => Json::Null,
            },
            Self::Text(text) => Json::from(text.as_str()),
            Self::List(list) | Self::Set(list) => list.iter().map(Self::to_json).collect(),
            Self::Map(map) => map
                .iter()
                .map(|(k, v)| (k.clone(), v.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}
