//! The known part of a request.

use std::cell::Cell;
use std::fmt;

use bumpalo::Bump;

use super::list::{ListItems, Lists};
use super::value::Value;
use crate::vocabulary::FIELDS;

/// The source of field values.
pub trait Fields: fmt::Debug {
    /// Returns the value of a field by its number in the table of fields. Derived values are placed
    /// in the arena.
    fn value<'s>(&'s self, number: usize, arena: &'s Bump) -> Value<'s>;
}

/// The known part of a request: a value for each field. It is derived when an expression first
/// reads it, and kept for the next one.
#[derive(Debug)]
pub struct Sample<'s> {
    fields: Option<&'s dyn Fields>,
    values: &'s [Cell<Option<Value<'s>>>],
    lists: Option<&'s Lists>,
    arena: &'s Bump,
}

/// Returns the number of a field. A deprecated field has the number of its replacement.
pub(super) fn number_of(name: &str) -> Option<usize> {
    let number = FIELDS.binary_search_by(|field| field.name.cmp(name)).ok()?;
    match FIELDS.get(number)?.instead {
        Some(instead) => number_of(instead),
        None => Some(number),
    }
}

impl<'s> Sample<'s> {
    /// Returns a sample in which every field is unknown until it is set. Results of functions are
    /// also placed in the arena.
    #[must_use]
    pub fn unknown(arena: &'s Bump) -> Self {
        let values = arena.alloc_slice_fill_with(FIELDS.len(), |_| Cell::new(None));
        Self { fields: None, values, lists: None, arena }
    }

    /// Returns a sample whose fields have these values.
    #[must_use]
    pub fn new(fields: &'s dyn Fields, arena: &'s Bump) -> Self {
        Self { fields: Some(fields), ..Self::unknown(arena) }
    }

    /// Sets a field. Returns false if there is no such field.
    pub fn set(&mut self, name: &str, value: Value<'s>) -> bool {
        let slot = number_of(name).and_then(|number| self.values.get(number));
        slot.inspect(|slot| slot.set(Some(value))).is_some()
    }

    /// Sets the lists whose items are known.
    pub fn set_lists(&mut self, lists: &'s Lists) {
        self.lists = Some(lists);
    }

    /// Returns the value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value<'s>> {
        number_of(name).map(|number| self.at(number))
    }

    /// Returns the value of a field by its number.
    pub(super) fn at(&self, number: usize) -> Value<'s> {
        let slot = self.values.get(number);
        slot.and_then(Cell::get).unwrap_or_else(|| {
            let value =
                self.fields.map_or(Value::Unknown(0), |fields| fields.value(number, self.arena));
            slot.inspect(|slot| slot.set(Some(value)));
            value
        })
    }

    /// Returns a list, if its items are known.
    pub(super) fn list(&self, name: &str) -> Option<&'s ListItems> {
        self.lists?.get(name)
    }

    /// Returns the arena for results of functions.
    pub(super) fn arena(&self) -> &'s Bump {
        self.arena
    }
}
