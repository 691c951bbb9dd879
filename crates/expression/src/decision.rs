//! Decides whether a condition can hold: a search through the values of its parts, each of which is
//! a set of values of a field ([`crate::predicate`]).
//!
//! The search is bounded. What it does not prove is unknown, never a guess.

use std::collections::BTreeMap;

use crate::canonical::{CanonicalForm, CanonicalKind};
use crate::formula::Formula;
use crate::predicate::{Claims, Predicate};
use crate::syntax::Connective;

/// Maximum work of one search.
///
/// # Units
/// Parts of a condition, and comparisons of two sets of values.
const MOST_WORK: usize = 20_000;

/// The parts of several conditions, each distinct one once.
#[derive(Debug, Default)]
pub(super) struct Parts {
    predicates: Vec<Predicate>,
    numbers: BTreeMap<String, usize>,
    /// Parts with the same subject.
    subjects: BTreeMap<String, Vec<usize>>,
}

impl Parts {
    pub(super) fn formula(&mut self, form: &CanonicalForm) -> Formula {
        match &form.kind {
            CanonicalKind::Not(inner) => self.formula(inner).denied(),
            CanonicalKind::Chain(connective, parts) => {
                let parts = parts.iter().map(|part| self.formula(part)).collect();
                match connective {
                    Connective::And => Formula::All(parts),
                    Connective::Or => Formula::Any(parts),
                    Connective::Xor => Formula::Odd(parts),
                }
            }
            CanonicalKind::Comparison(_) | CanonicalKind::Operand(_) => {
                Predicate::divide(form, &mut |key, predicate| self.part(key, predicate))
            }
        }
    }

    /// Returns a condition of which only the text is known.
    pub(super) fn unknown(&mut self, text: &str) -> Formula {
        Predicate::unknown(text, &mut |key, predicate| self.part(key, predicate))
    }

    /// Returns the part with a key, which is added if it is new.
    fn part(&mut self, key: String, predicate: Predicate) -> Formula {
        if let Some(number) = self.numbers.get(&key) {
            return Formula::Part(*number);
        }
        let number = self.predicates.len();
        self.subjects.entry(predicate.subject.clone()).or_default().push(number);
        self.predicates.push(predicate);
        self.numbers.insert(key, number);
        Formula::Part(number)
    }

    /// Returns true if it is certain that no request fulfills a condition.
    pub(super) fn is_impossible(&self, condition: &Formula) -> bool {
        let mut search =
            Search { parts: self, values: vec![None; self.predicates.len()], work: MOST_WORK };
        search.finds(condition) == Some(false)
    }
}

/// A search for values of the parts with which a condition holds.
struct Search<'p> {
    parts: &'p Parts,
    values: Vec<Option<bool>>,
    work: usize,
}

impl Search<'_> {
    /// Returns true if there are such values; `None` if the search takes too long.
    fn finds(&mut self, condition: &Formula) -> Option<bool> {
        let undecided = match self.value(condition)? {
            Ok(value) => return Some(value),
            Err(part) => part,
        };
        let mut is_impossible = true;
        for value in [true, false] {
            self.values[undecided] = Some(value);
            if self.is_consistent(undecided)? {
                match self.finds(condition) {
                    Some(false) => {}
                    Some(true) => return Some(true),
                    None => is_impossible = false,
                }
            }
            self.values[undecided] = None;
            if !is_impossible {
                return None;
            }
        }
        Some(false)
    }

    /// Returns the value of a condition, or an undecided part on which it depends; `None` if the
    /// search takes too long.
    fn value(&mut self, condition: &Formula) -> Option<Result<bool, usize>> {
        self.work = self.work.checked_sub(1)?;
        Some(match condition {
            Formula::Constant(value) => Ok(*value),
            Formula::Part(part) => self.values[*part].ok_or(*part),
            Formula::Not(inner) => self.value(inner)?.map(|value| !value),
            Formula::All(parts) => return self.chain(parts, false),
            Formula::Any(parts) => return self.chain(parts, true),
            Formula::Odd(parts) => {
                let mut odd = false;
                for part in parts {
                    match self.value(part)? {
                        Ok(value) => odd ^= value,
                        undecided => return Some(undecided),
                    }
                }
                Ok(odd)
            }
        })
    }

    /// Returns the value of a chain. One part with the decisive value is enough.
    fn chain(&mut self, parts: &[Formula], decisive: bool) -> Option<Result<bool, usize>> {
        let mut undecided = None;
        for part in parts {
            match self.value(part)? {
                Ok(value) if value == decisive => return Some(Ok(decisive)),
                Ok(_) => {}
                Err(part) => undecided = undecided.or(Some(part)),
            }
        }
        Some(undecided.map_or(Ok(!decisive), Err))
    }

    /// Returns false if the values of the parts about the subject of this part contradict one
    /// another.
    fn is_consistent(&mut self, part: usize) -> Option<bool> {
        let subject = &self.parts.predicates[part].subject;
        let same_subject = self.parts.subjects.get(subject).map(Vec::as_slice).unwrap_or_default();
        let mut claims = Claims::default();
        for other in same_subject {
            if let Some(value) = self.values[*other] {
                claims.add(&self.parts.predicates[*other], value);
            }
        }
        self.work = self.work.checked_sub(claims.cost())?;
        Some(!claims.contradict())
    }
}
