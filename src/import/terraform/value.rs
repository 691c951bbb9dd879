//! Represents Terraform's values, of which parts may be missing.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::diagnostic::Place;
use crate::model::{Gather, Value};
use crate::spec::{Yaml, YamlKind};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Term {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A number. Whole numbers are exact up to 2^53.
    Number(f64),
    Text(String),
    /// A list, a tuple or a set.
    List(Vec<Term>),
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
            Json::Number(n) => n.as_f64().map_or(Self::Null, Self::Number),
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from_json).collect()),
            Json::Object(map) => {
                Self::Map(map.iter().map(|(k, v)| (k.clone(), Self::from_json(v))).gather())
            }
        }
    }

    /// Converts a value of a YAML file.
    pub(super) fn from_yaml(yaml: &Yaml) -> Self {
        match &yaml.kind {
            YamlKind::Null => Self::Null,
            YamlKind::Scalar(text) if yaml.is_plain => match text.as_str() {
                "true" | "True" | "TRUE" => Self::Bool(true),
                "false" | "False" | "FALSE" => Self::Bool(false),
                text => text.parse().map_or_else(|_| Self::from(text), Self::Number),
            },
            YamlKind::Scalar(text) => Self::Text(text.clone()),
            YamlKind::List(items) => Self::List(items.iter().map(Self::from_yaml).collect()),
            YamlKind::Map(members) => Self::Map(
                members.iter().map(|(name, value)| (name.clone(), Self::from_yaml(value))).gather(),
            ),
        }
    }

    /// Returns true for null and for an empty text, list or map. State files contain them for unset
    /// attributes.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            Self::List(list) => list.is_empty(),
            Self::Map(map) => map.is_empty(),
            Self::Bool(_) | Self::Number(_) | Self::Missing(_) => false,
        }
    }

    /// Returns the first missing part, at any depth.
    pub(super) fn missing(&self) -> Option<&Missing> {
        match self {
            Self::Missing(missing) => Some(missing),
            Self::List(list) => list.iter().find_map(Self::missing),
            Self::Map(map) => map.values().find_map(Self::missing),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => None,
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
            Self::List(list) => list.iter().map(Self::size).sum(),
            Self::Map(map) => map.values().map(Self::size).sum::<usize>(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Missing(_) => 0,
        }
    }

    /// Returns the minimum memory of the value, in bytes.
    pub(super) fn bytes(&self) -> usize {
        /// Number of entries that a nonempty map allocates.
        const LEAST_ENTRIES: usize = 11;
        let size = size_of::<Self>();
        size + match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => 0,
            Self::Text(text) => text.len(),
            Self::Missing(missing) => missing.why.len(),
            Self::List(list) => list.iter().map(Self::bytes).sum(),
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
            Self::List(list) => list,
            other => std::slice::from_ref(other),
        }
    }

    /// Converts a scalar to text like Terraform.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Bool(b) => Some(b.to_string()),
            Self::Number(n) => Some(number_text(*n)),
            _ => None,
        }
    }

    /// Returns a boolean, which may be written as text.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns a number, which may be written as text.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(n) => Some(*n),
            Self::Text(text) => text.trim().parse().ok().filter(|n: &f64| n.is_finite()),
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
            Self::Number(n) => match number_text(*n) {
                text if text.contains(['.', 'e']) => Value::Decimal(text),
                text => text.parse().map_or(Value::Decimal(text), Value::Integer),
            },
            Self::Text(text) => Value::Text(text.clone()),
            Self::List(list) => Value::List(list.iter().map(Self::to_value).collect()),
            Self::Map(map) => {
                Value::Map(map.iter().map(|(k, v)| (k.clone(), v.to_value())).gather())
            }
        }
    }
}

/// Converts a number to text like Terraform: whole numbers have no point.
pub(super) fn number_text(n: f64) -> String {
    if n.fract() == 0.0 && n.abs() < 1e15 { format!("{n:.0}") } else { n.to_string() }
}

impl Term {
    /// Converts the term to JSON. Missing parts become null.
    pub(super) fn to_json(&self) -> Json {
        match self {
            Self::Null | Self::Missing(_) => Json::Null,
            Self::Bool(b) => Json::Bool(*b),
            Self::Number(_) => match self.to_value() {
                Value::Integer(n) => Json::from(n),
                Value::Decimal(text) => text.parse::<f64>().map_or(Json::Null, Json::from),
                _ => Json::Null,
            },
            Self::Text(text) => Json::from(text.as_str()),
            Self::List(list) => list.iter().map(Self::to_json).collect(),
            Self::Map(map) => map
                .iter()
                .map(|(k, v)| (k.clone(), v.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}
