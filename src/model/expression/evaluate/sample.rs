//! What is known of a request.

use super::super::super::facts::expressions::FIELDS;
use super::list::{ListItems, Lists};
use super::value::Value;

/// What is known of a request: a value for each field. A field that is not set is unknown.
#[derive(Debug, Clone)]
pub struct Sample<'s> {
    values: Box<[Value<'s>]>,
    lists: Option<&'s Lists>,
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

    /// Sets the lists whose items are known.
    pub fn set_lists(&mut self, lists: &'s Lists) {
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
