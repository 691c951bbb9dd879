//! What is known of a request.

use std::cell::Cell;
use std::fmt;

use bumpalo::Bump;

use super::list::{ListItems, Lists};
use super::value::Value;
use crate::vocabulary::FIELDS;

/// Where the values of fields come from.
pub trait Fields: fmt::Debug {
    /// The value of a field by its number in the table of fields. What is derived is placed in the
    /// arena.
    fn value<'s>(&'s self, number: usize, arena: &'s Bump) -> Value<'s>;
}

/// What is known of a request: a value for each field. It is derived when an expression first asks
/// for it, and kept for the next one.
#[derive(Debug)]
pub struct Sample<'s> {
    fields: Option<&'s dyn Fields>,
    values: &'s [Cell<Option<Value<'s>>>],
    lists: Option<&'s Lists>,
    arena: &'s Bump,
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
    /// A sample of which every field is unknown until it is set. What functions compute is placed
    /// in the arena as well.
    #[must_use]
    pub fn unknown(arena: &'s Bump) -> Self {
        let values = arena.alloc_slice_fill_with(FIELDS.len(), |_| Cell::new(None));
        Self { fields: None, values, lists: None, arena }
    }

    /// A sample whose fields have these values.
    #[must_use]
    pub fn new(fields: &'s dyn Fields, arena: &'s Bump) -> Self {
        Self { fields: Some(fields), ..Self::unknown(arena) }
    }

    /// Sets a field; `false` if there is no such field.
    pub fn set(&mut self, name: &str, value: Value<'s>) -> bool {
        let slot = number_of(name).and_then(|number| self.values.get(number));
        slot.inspect(|slot| slot.set(Some(value))).is_some()
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
        let slot = self.values.get(number);
        slot.and_then(Cell::get).unwrap_or_else(|| {
            let value =
                self.fields.map_or(Value::Unknown(0), |fields| fields.value(number, self.arena));
            slot.inspect(|slot| slot.set(Some(value)));
            value
        })
    }

    /// A list, if its items are known.
    pub(super) fn list(&self, name: &str) -> Option<&'s ListItems> {
        self.lists?.get(name)
    }

    /// Where what functions compute is placed.
    pub(super) fn arena(&self) -> &'s Bump {
        self.arena
    }
}
