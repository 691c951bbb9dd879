//! Runs a program over a sample. Memory is allocated only for results of functions, in the arena.

use bumpalo::Bump;
use bumpalo::collections::Vec as Items;

use super::compile::{Argument, Condition, Origin, Quantifier, Term};
use super::functions::Function;
use super::sample::Sample;
use super::value::Value;
use super::{Reasons, Truth};
use crate::evaluate::test::compare_values;
use crate::syntax::Index;

/// A run over a sample.
#[derive(Clone, Copy)]
pub(super) struct Run<'v, 's> {
    pub(super) sample: &'v Sample<'s>,
    pub(super) arena: &'v Bump,
}

/// The results of a condition inside `any` or `all`.
enum Each<'v> {
    /// The array is unknown.
    Unknown(Reasons),
    /// There is no array.
    Missing,
    /// One result for each value.
    Items(&'v [Truth]),
}

impl<'v, 's: 'v> Run<'v, 's> {
    /// Evaluates a condition.
    pub(super) fn condition(self, condition: &'v Condition) -> Truth {
        match condition {
            Condition::Always(truth) => *truth,
            Condition::And(parts) => {
                let mut truth = Truth::True;
                for part in parts {
                    truth = truth.and(self.condition(part));
                    if truth == Truth::False {
                        break;
                    }
                }
                truth
            }
            Condition::Or(parts) => {
                let mut truth = Truth::False;
                for part in parts {
                    truth = truth.or(self.condition(part));
                    if truth == Truth::True {
                        break;
                    }
                }
                truth
            }
            Condition::Xor(parts) => {
                parts.iter().fold(Truth::False, |truth, part| truth.xor(self.condition(part)))
            }
            Condition::Not(inner) => self.condition(inner).negated(),
            Condition::Quantified(quantifier, inner) => self.quantified(*quantifier, inner),
            Condition::Compare(..) | Condition::CompareValues(..) | Condition::InList(..) => {
                let (term, judge) = self.comparison(condition);
                judge(self.term(term))
            }
        }
    }

    /// Returns the value and the test of a comparison.
    fn comparison(self, condition: &'v Condition) -> (&'v Term, impl Fn(Value<'v>) -> Truth) {
        static NONE: Term = Term { origin: Origin::Truth(false), indexes: Vec::new() };
        let term = match condition {
            Condition::Compare(term, _)
            | Condition::CompareValues(term, ..)
            | Condition::InList(term, ..) => term,
            Condition::Always(_)
            | Condition::And(_)
            | Condition::Or(_)
            | Condition::Xor(_)
            | Condition::Not(_)
            | Condition::Quantified(..) => &NONE,
        };
        let judge = move |value: Value<'v>| match (condition, value) {
            (_, Value::Unknown(reasons)) => Truth::Unknown(reasons),
            (Condition::Compare(_, test), Value::Missing) => Truth::of(test.of_missing()),
            (Condition::Compare(_, test), value) => Truth::of(test.passes(value, self.arena)),
            (Condition::CompareValues(_, operator, right), value) => match self.term(right) {
                Value::Unknown(reasons) => Truth::Unknown(reasons),
                right => Truth::of(compare_values(value, *operator, right)),
            },
            (Condition::InList(..), Value::Missing) => Truth::False,
            (Condition::InList(_, name, reasons), value) => match self.sample.list(name) {
                Some(items) => Truth::of(items.contains(value)),
                None => Truth::Unknown(*reasons),
            },
            _ => Truth::False,
        };
        (term, judge)
    }

    /// Evaluates `any` or `all` over a condition.
    fn quantified(self, quantifier: Quantifier, inner: &'v Condition) -> Truth {
        let items = match self.each(inner) {
            Each::Unknown(reasons) => return Truth::Unknown(reasons),
            Each::Items(items) => items,
            // A missing array that is not indexed, such as the result of a function, satisfies
            // neither.
            Each::Missing
                if matches!(inner, Condition::Compare(..)) && self.is_given_whole(inner) =>
            {
                return Truth::False;
            }
            Each::Missing => &[],
        };
        match quantifier {
            Quantifier::Any => items.iter().fold(Truth::False, |truth, item| truth.or(*item)),
            Quantifier::All => items.iter().fold(Truth::True, |truth, item| truth.and(*item)),
        }
    }

    /// Returns true if a condition is itself an array of booleans, and not a comparison of the
    /// values of one.
    fn is_given_whole(self, condition: &Condition) -> bool {
        matches!(condition, Condition::Compare(term, super::test::Test::IsTrue) if !term.is_each())
    }

    /// Evaluates a condition for each value of an array.
    fn each(self, condition: &'v Condition) -> Each<'v> {
        match condition {
            Condition::And(parts) => self.zipped(parts, Truth::and),
            Condition::Or(parts) => self.zipped(parts, Truth::or),
            Condition::Xor(parts) => self.zipped(parts, Truth::xor),
            Condition::Not(inner) => match self.each(inner) {
                Each::Items(items) => Each::Items(
                    self.arena.alloc_slice_fill_iter(items.iter().map(|item| item.negated())),
                ),
                other => other,
            },
            Condition::Always(truth) => Each::Items(std::slice::from_ref(truth)),
            Condition::Quantified(..) => {
                Each::Items(self.arena.alloc_slice_copy(&[self.condition(condition)]))
            }
            Condition::Compare(..) | Condition::CompareValues(..) | Condition::InList(..) => {
                let (term, judge) = self.comparison(condition);
                match self.term(term) {
                    Value::Unknown(reasons) => Each::Unknown(reasons),
                    Value::Missing => Each::Missing,
                    Value::Array(items) => Each::Items(
                        self.arena.alloc_slice_fill_iter(items.iter().map(|item| judge(*item))),
                    ),
                    value => Each::Items(self.arena.alloc_slice_copy(&[judge(value)])),
                }
            }
        }
    }

    /// Combines results pairwise, up to the end of the shortest.
    fn zipped(self, parts: &'v [Condition], combine: impl Fn(Truth, Truth) -> Truth) -> Each<'v> {
        let mut truths: Option<Items<'v, Truth>> = None;
        for part in parts {
            let items = match self.each(part) {
                Each::Unknown(reasons) => return Each::Unknown(reasons),
                Each::Missing => &[],
                Each::Items(items) => items,
            };
            match &mut truths {
                None => truths = Some(Items::from_iter_in(items.iter().copied(), self.arena)),
                Some(truths) => {
                    truths.truncate(items.len());
                    truths
                        .iter_mut()
                        .zip(items)
                        .for_each(|(one, other)| *one = combine(*one, *other));
                }
            }
        }
        Each::Items(truths.map_or(&[], |truths| truths.into_bump_slice()))
    }

    /// Returns the value of a term.
    pub(super) fn term(self, term: &'v Term) -> Value<'v> {
        let value = match &term.origin {
            Origin::Field(number, reasons) => {
                // The sample does not know the reasons of the program. A part of a value can be
                // unknown as well.
                return match self.index(self.sample.at(*number), &term.indexes) {
                    Value::Unknown(_) => Value::Unknown(*reasons),
                    value => value,
                };
            }
            Origin::Constant(constant) => constant.value(),
            Origin::Truth(truth) => Value::Truth(*truth),
            Origin::Unknown(reasons) => Value::Unknown(*reasons),
            Origin::Call(function, arguments) => self.call(*function, arguments),
        };
        self.index(value, &term.indexes)
    }

    /// Returns a part of a value.
    fn index(self, value: Value<'v>, indexes: &'v [Index]) -> Value<'v> {
        let Some((first, rest)) = indexes.split_first() else { return value };
        match (first, value) {
            (_, Value::Unknown(_)) => value,
            (Index::Number(number), Value::Array(items)) => {
                let item = usize::try_from(*number).ok().and_then(|number| items.get(number));
                item.map_or(Value::Missing, |item| self.index(*item, rest))
            }
            (Index::Key(key), Value::Map(entries)) => {
                let entry = entries.iter().find(|(name, _)| *name == key.as_slice());
                entry.map_or(Value::Missing, |(_, item)| self.index(*item, rest))
            }
            (Index::Each, Value::Array(_)) if rest.is_empty() => value,
            (Index::Each, Value::Array(items)) => self.flattened(items.iter().copied(), rest),
            (Index::Each, Value::Map(entries)) => {
                self.flattened(entries.iter().map(|(_, item)| *item), rest)
            }
            _ => Value::Missing,
        }
    }

    /// Returns parts of each of several values in one array.
    fn flattened(self, values: impl Iterator<Item = Value<'v>>, indexes: &'v [Index]) -> Value<'v> {
        let is_nested = indexes.contains(&Index::Each);
        let mut parts = Items::new_in(self.arena);
        for value in values {
            match self.index(value, indexes) {
                Value::Unknown(reasons) => return Value::Unknown(reasons),
                Value::Missing => {}
                Value::Array(items) if is_nested => parts.extend_from_slice(items),
                value => parts.push(value),
            }
        }
        Value::Array(parts.into_bump_slice())
    }

    /// Returns the result of a call. If the first argument has one value for each of an array,
    /// returns an array of results.
    fn call(self, function: Function, arguments: &'v [Argument]) -> Value<'v> {
        let Some((Argument::Term(first), rest)) = arguments.split_first() else {
            return Value::Missing;
        };
        let other_arguments =
            Items::from_iter_in(rest.iter().map(|argument| self.argument(argument)), self.arena)
                .into_bump_slice();
        let value = self.term(first);
        if !first.is_each() {
            return match function.call(value, other_arguments, self.arena) {
                // A part of the value is unknown.
                Value::Unknown(0) => Value::Unknown(first.origin.reasons()),
                value => value,
            };
        }
        let items = match value {
            Value::Array(items) => items,
            Value::Unknown(_) => return value,
            _ => return Value::Missing,
        };
        let mut results = Items::new_in(self.arena);
        for item in items {
            match function.call(*item, other_arguments, self.arena) {
                Value::Unknown(reasons) => return Value::Unknown(reasons),
                // Values without a result are left out.
                Value::Missing => {}
                value => results.push(value),
            }
        }
        Value::Array(results.into_bump_slice())
    }

    /// Returns the value of an argument.
    fn argument(self, argument: &'v Argument) -> Value<'v> {
        match argument {
            Argument::Term(term) => self.term(term),
            Argument::Condition(condition) => match self.condition(condition) {
                Truth::False => Value::Truth(false),
                Truth::True => Value::Truth(true),
                Truth::Unknown(reasons) => Value::Unknown(reasons),
            },
        }
    }
}
