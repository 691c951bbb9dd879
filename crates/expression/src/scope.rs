//! Decides what an expression matches, as far as its form shows: everything, nothing, certain
//! hosts, more or less than another expression.
//!
//! Every result is a proof from the form ([`crate::decision`]). Where there is none, the answer is
//! "unknown", never a guess.

use std::collections::BTreeSet;

use crate::canonical::{CanonicalForm, CanonicalKind};
use crate::constants;
use crate::decision::Parts;
use crate::formula::Formula;
use crate::syntax::{ComparedValue, Connective, Item, Literal, Operator};

/// The difference between the requests that two expressions match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScopeChange {
    /// No difference.
    Equal,
    /// The second matches everything that the first matches, and probably more.
    Wider,
    /// The second matches only what the first matches, and probably less.
    Narrower,
    /// Unknown.
    Unknown,
}

/// Returns the value of an expression, if it is certainly the same for every request.
pub(super) fn truth(form: &CanonicalForm) -> Option<bool> {
    match &form.kind {
        CanonicalKind::Not(inner) => truth(inner).map(|truth| !truth),
        CanonicalKind::Comparison(_) | CanonicalKind::Operand(_) => constants::constant(form),
        CanonicalKind::Chain(..) => {
            let mut parts = Parts::default();
            let formula = parts.formula(form);
            if parts.is_impossible(&formula) {
                return Some(false);
            }
            parts.is_impossible(&Formula::denied(formula)).then_some(true)
        }
    }
}

/// Returns true if a boolean is required to be true, after an even number of negations.
pub(super) fn asks_for(form: &CanonicalForm, field: &str, is_asked: bool) -> bool {
    match &form.kind {
        CanonicalKind::Chain(Connective::Xor, _) | CanonicalKind::Comparison(_) => false,
        CanonicalKind::Chain(Connective::And | Connective::Or, parts) => {
            parts.iter().any(|part| asks_for(part, field, is_asked))
        }
        CanonicalKind::Not(inner) => asks_for(inner, field, !is_asked),
        CanonicalKind::Operand(operand) => is_asked && operand.plain_field() == Some(field),
    }
}

/// Returns the hosts outside which nothing matches.
pub(super) fn hosts(form: &CanonicalForm) -> Option<BTreeSet<String>> {
    if truth(form) == Some(false) {
        return Some(BTreeSet::new());
    }
    match &form.kind {
        CanonicalKind::Comparison(comparison) => {
            let is_host = comparison.left.plain_field() == Some("http.host")
                || crate::canonical::operand_text(&comparison.left)? == "lower(http.host)";
            let literals: Vec<&Literal> = match (&comparison.right, comparison.operator) {
                (ComparedValue::Literal(literal), Operator::Equal) => vec![literal],
                (ComparedValue::Set(items), Operator::In) => {
                    let is_single = |item: &'_ Item| matches!(item, Item::One(_));
                    items.iter().all(|(i, _)| is_single(i)).then_some(())?;
                    items
                        .iter()
                        .filter_map(|(i, _)| if let Item::One(l) = i { Some(l) } else { None })
                        .collect()
                }
                _ => return None,
            };
            is_host.then_some(())?;
            let host = |literal: &Literal| match literal {
                Literal::Bytes(bytes) => {
                    String::from_utf8(bytes.clone()).ok().map(|h| h.to_lowercase())
                }
                Literal::Integer(_)
                | Literal::Address(_)
                | Literal::Network(_)
                | Literal::Truth(_)
                | Literal::Unquoted(_) => None,
            };
            literals.into_iter().map(host).collect()
        }
        CanonicalKind::Chain(Connective::And, parts) => {
            parts.iter().filter_map(hosts).reduce(|a, b| a.intersection(&b).cloned().collect())
        }
        CanonicalKind::Chain(Connective::Or, parts) => {
            let hosts_of_parts: Option<Vec<_>> = parts.iter().map(hosts).collect();
            Some(hosts_of_parts?.into_iter().flatten().collect())
        }
        CanonicalKind::Chain(Connective::Xor, _)
        | CanonicalKind::Not(_)
        | CanonicalKind::Operand(_) => None,
    }
}

/// Returns the hosts that any part of it requires. Those that it excludes are left out.
pub(super) fn named_hosts(form: &CanonicalForm) -> BTreeSet<String> {
    match &form.kind {
        CanonicalKind::Comparison(_) => hosts(form).unwrap_or_default(),
        CanonicalKind::Chain(Connective::And | Connective::Or, parts) => {
            parts.iter().flat_map(named_hosts).collect()
        }
        CanonicalKind::Chain(Connective::Xor, _)
        | CanonicalKind::Not(_)
        | CanonicalKind::Operand(_) => BTreeSet::new(),
    }
}

/// Returns how the matched requests change.
pub(super) fn change(before: &CanonicalForm, after: &CanonicalForm) -> ScopeChange {
    if before.text == after.text {
        return ScopeChange::Equal;
    }
    let mut parts = Parts::default();
    let formulas = (parts.formula(before), parts.formula(after));
    let implies = |one: &Formula, other: &Formula| {
        parts.is_impossible(&Formula::All(vec![one.clone(), Formula::denied(other.clone())]))
    };
    let forth = is_special_case(before, after) || implies(&formulas.0, &formulas.1);
    let back = is_special_case(after, before) || implies(&formulas.1, &formulas.0);
    match (forth, back) {
        (true, true) => ScopeChange::Equal,
        (true, false) => ScopeChange::Wider,
        (false, true) => ScopeChange::Narrower,
        (false, false) => ScopeChange::Unknown,
    }
}

/// Returns true if one expression has all conditions of the other, or if the other has all its
/// alternatives. The bounded search may be too short to find this.
fn is_special_case(one: &CanonicalForm, other: &CanonicalForm) -> bool {
    let is_subset = |connective, inner, outer| {
        texts_of_parts(inner, connective).is_subset(&texts_of_parts(outer, connective))
    };
    is_subset(Connective::And, other, one) || is_subset(Connective::Or, one, other)
}

fn texts_of_parts(form: &CanonicalForm, connective: Connective) -> BTreeSet<&str> {
    match &form.kind {
        CanonicalKind::Chain(joined_by, parts) if *joined_by == connective => {
            parts.iter().map(|part| part.text.as_str()).collect()
        }
        _ => BTreeSet::from([form.text.as_str()]),
    }
}
