//! Values, and what is known of a request.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ipnet::IpNet;

use super::super::super::facts::expressions::FIELDS;
use super::Reasons;

/// The value of a field, of a part of it, or of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'v> {
    /// The sample does not tell; for these reasons of the program.
    Unknown(Reasons),
    /// The request does not have it.
    Missing,
    /// True or false.
    Truth(bool),
    /// A whole number.
    Integer(i64),
    /// An address.
    Address(IpAddr),
    /// Text.
    Bytes(&'v [u8]),
    /// Values by number.
    Array(&'v [Value<'v>]),
    /// Values by name; each name occurs once.
    Map(&'v [(&'v [u8], Value<'v>)]),
}

/// The items of a list of the account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListItems {
    /// Addresses and networks.
    pub networks: Vec<IpNet>,
    /// Numbers.
    pub integers: BTreeSet<i64>,
    /// Texts, such as host names.
    pub texts: BTreeSet<Vec<u8>>,
}

impl ListItems {
    /// Whether a value is one of the items.
    pub(super) fn contains(&self, value: Value<'_>) -> bool {
        match value {
            Value::Address(address) => self.networks.iter().any(|network| network.contains(&address)),
            Value::Integer(number) => self.integers.contains(&number),
            Value::Bytes(bytes) => self.texts.contains(bytes),
            Value::Unknown(_) | Value::Missing | Value::Truth(_) | Value::Array(_) | Value::Map(_) => false,
        }
    }
}

/// What is known of a request: a value for each field. A field that nobody has set is unknown.
#[derive(Debug, Clone)]
pub struct Sample<'s> {
    values: Box<[Value<'s>]>,
    lists: Option<&'s BTreeMap<String, ListItems>>,
}

impl Default for Sample<'_> {
    fn default() -> Self {
        Self { values: vec![Value::Unknown(0); FIELDS.len()].into(), lists: None }
    }
}

/// The number of a field; of a deprecated one, its replacement's.
pub(super) fn number_of(name: &str) -> Option<usize> {
    let number = FIELDS.binary_search_by(|field| field.name.cmp(name)).ok()?;
    match FIELDS.get(number)?.instead {
        Some(instead) => number_of(instead),
        None => Some(number),
    }
}

impl<'s> Sample<'s> {
    /// Sets a field; `false` if there is no such field.
    pub fn set(&mut self, name: &str, value: Value<'s>) -> bool {
        let slot = number_of(name).and_then(|number| self.values.get_mut(number));
        let is_known = slot.is_some();
        if let Some(slot) = slot {
            *slot = value;
        }
        is_known
    }

    /// Sets the lists whose items are known, by their names without the dollar sign.
    pub fn set_lists(&mut self, lists: &'s BTreeMap<String, ListItems>) {
        self.lists = Some(lists);
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value<'s>> {
        number_of(name).map(|number| self.at(number))
    }

    /// The value of a field by its number.
    pub(super) fn at(&self, number: usize) -> Value<'s> {
        self.values.get(number).copied().unwrap_or(Value::Unknown(0))
    }

    /// A list, if its items are known.
    pub(super) fn list(&self, name: &str) -> Option<&'s ListItems> {
        self.lists?.get(name)
    }
}
