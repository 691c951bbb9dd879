//! Sets, and the one type that the elements of a collection have.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use super::value::Term;
use crate::model::sort_by;

/// Compares and hashes a term by its value, for sets. A term cannot be NaN, because NaN has no
/// notation.
#[derive(PartialEq)]
struct ByValue<'t>(&'t Term);

impl Eq for ByValue<'_> {}

impl Hash for ByValue<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self.0).hash(state);
        match self.0 {
            Term::Null | Term::Missing(_) => {}
            Term::Bool(value) => value.hash(state),
            // Adding zero makes both zeros equal.
            Term::Number(number) => (number + 0.0).to_bits().hash(state),
            Term::Large(number) => number.hash(state),
            Term::Text(text) => text.hash(state),
            Term::List(items) | Term::Set(items) => {
                items.iter().for_each(|item| ByValue(item).hash(state));
            }
            Term::Map(members) => members.iter().for_each(|(key, item)| {
                key.hash(state);
                ByValue(item).hash(state);
            }),
        }
    }
}

/// Removes duplicates, keeping the first occurrence of each item.
pub(super) fn distinct(items: &[Term]) -> Term {
    let mut seen_items = HashSet::new();
    Term::List(items.iter().filter(|item| seen_items.insert(ByValue(item))).cloned().collect())
}

/// Returns the items of a set in Terraform's order: texts by bytes, numbers by size.
pub(super) fn set(items: &[Term]) -> Term {
    let mut items = distinct(items).items().to_vec();
    let rank = |item: &Term| match item {
        Term::Number(_) => 0,
        Term::Large(_) => 1,
        Term::Text(_) => 2,
        _ => 3,
    };
    sort_by(&mut items, |a, b| match (a, b) {
        (Term::Number(a), Term::Number(b)) => a.total_cmp(b),
        (Term::Large(a), Term::Large(b)) => a.cmp(b),
        (Term::Text(a), Term::Text(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    });
    Term::Set(items)
}

/// Converts values to one type, as Terraform does for the elements of a collection: numbers and
/// booleans beside a text become texts.
pub(super) fn of_one_type(values: Vec<Term>) -> Vec<Term> {
    if !values.iter().any(|value| matches!(value, Term::Text(_))) {
        return values;
    }
    let converted = |value: Term| match value {
        Term::Number(_) | Term::Large(_) | Term::Bool(_) => value.text().map_or(value, Term::Text),
        other => other,
    };
    values.into_iter().map(converted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_zeros_are_one_item() {
        let items = [Term::Number(0.0), Term::Number(-0.0), Term::from("0")];
        assert_eq!(distinct(&items), Term::List(vec![Term::Number(0.0), Term::from("0")]));
    }
}
