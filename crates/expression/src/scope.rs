//! Decides what an expression matches, as far as its form shows: everything, nothing, certain
//! hosts, more or less than another expression.
//!
//! Every result is a proof from the form. `a implies b` is tried part by part, and where no rule
//! applies the answer is "unknown", never a guess.

use std::collections::BTreeSet;

use crate::canonical::{CanonicalForm, CanonicalKind};
use crate::syntax::{
    Base, ComparedValue, Comparison, Connective, Item, Literal, NodeKind, Operand, Operator,
};
use crate::values::{self, Values};

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

/// Maximum length of the text that a proof may read. Beyond that, the answer is "unknown".
///
/// # Units
/// Bytes of canonical text, counted each time they are read.
const MOST_READ: usize = 4_000_000;

/// Fields that every request has, so that a comparison with them never has a missing value. This is
/// inferred from the nature of requests, because the documentation does not say which fields can be
/// missing.
const ALWAYS_THERE: &[&str] = &[
    "http.host",
    "http.request.full_uri",
    "http.request.method",
    "http.request.uri",
    "http.request.uri.path",
    "raw.http.request.full_uri",
    "raw.http.request.uri",
    "raw.http.request.uri.path",
];

/// Fields whose values always begin with a slash (inferred; the asterisk of `OPTIONS *` does not
/// reach a zone).
const SLASHED: &[&str] = &[
    "http.request.uri",
    "http.request.uri.path",
    "raw.http.request.uri",
    "raw.http.request.uri.path",
];

/// Regular expressions that match every text.
const ANY_REGEX: &[&str] = &["", "^", "$", ".*", "^.*", ".*$", "^.*$", "(.*)"];

/// In addition, regular expressions that match every text that begins with a slash.
const SLASHED_REGEX: &[&str] =
    &["/", "^/", ".", ".+", "^.+", "^.+$", "/.*", "^/.*", "^/.*$", "^/(.*)$"];

/// Returns the value of an expression, if it is certainly the same for every request.
pub(super) fn truth(form: &CanonicalForm) -> Option<bool> {
    match &form.kind {
        CanonicalKind::Not(inner) => truth(inner).map(|t| !t),
        CanonicalKind::Operand(operand) => match (&operand.base, operand.arguments()) {
            (Base::Literal(Literal::Truth(truth)), _) => Some(*truth),
            (Base::Call(name, _), [first, second])
                if name == "starts_with" || name == "ends_with" =>
            {
                let (NodeKind::Operand(first), NodeKind::Operand(second)) =
                    (&first.kind, &second.kind)
                else {
                    return None;
                };
                let field = first.plain_field()?;
                let Some(Literal::Bytes(text)) = second.literal() else { return None };
                let always = text.is_empty() && ALWAYS_THERE.contains(&field)
                    || name == "starts_with" && text == b"/" && SLASHED.contains(&field);
                always.then_some(true)
            }
            _ => None,
        },
        CanonicalKind::Comparison(comparison) => of_comparison(comparison),
        CanonicalKind::Chain(connective, parts) => of_chain(*connective, parts),
    }
}

/// Returns the value of a comparison for every request.
fn of_comparison(comparison: &Comparison) -> Option<bool> {
    let field = comparison.left.plain_field()?;
    if let ComparedValue::Set(items) = &comparison.right {
        let has = |text: &str| {
            items
                .iter()
                .any(|(i, _)| matches!(i, Item::One(Literal::Network(n)) if n.to_string() == text))
        };
        return (field == "ip.src" && has("0.0.0.0/0") && has("::/0")).then_some(true);
    }
    let ComparedValue::Literal(Literal::Bytes(bytes)) = &comparison.right else { return None };
    let text = std::str::from_utf8(bytes).ok()?;
    let (is_there, is_slashed) = (ALWAYS_THERE.contains(&field), SLASHED.contains(&field));
    let always = match comparison.operator {
        Operator::Contains => is_there && text.is_empty() || is_slashed && text == "/",
        Operator::Wildcard | Operator::StrictWildcard => {
            is_there && text == "*" || is_slashed && text == "/*"
        }
        Operator::Matches => {
            is_there && ANY_REGEX.contains(&text) || is_slashed && SLASHED_REGEX.contains(&text)
        }
        Operator::NotEqual => is_slashed && !text.starts_with('/'),
        Operator::Equal
        | Operator::Less
        | Operator::LessOrEqual
        | Operator::Greater
        | Operator::GreaterOrEqual
        | Operator::In => false,
    };
    always.then_some(true)
}

/// Returns the value of a chain for every request.
fn of_chain(connective: Connective, parts: &[CanonicalForm]) -> Option<bool> {
    let truths: Vec<_> = parts.iter().map(truth).collect();
    if connective == Connective::Xor {
        return truths.into_iter().try_fold(false, |all, t| Some(all ^ t?));
    }
    // One part with this value is decisive.
    let decisive = connective == Connective::Or;
    if truths.contains(&Some(decisive)) {
        return Some(decisive);
    }
    if truths.iter().all(Option::is_some) {
        return Some(!decisive);
    }
    let texts: BTreeSet<&str> = parts.iter().map(|p| p.text.as_str()).collect();
    let denied: Vec<&CanonicalForm> = parts.iter().filter_map(|p| contrary(p)).collect();
    if denied.iter().any(|d| texts.contains(d.text.as_str())) {
        return Some(decisive);
    }
    let excludes = match connective {
        Connective::And => exclude_one_another(parts.iter().filter_map(chosen)),
        // `not a or not b` is always true if a and b exclude each other.
        Connective::Or | Connective::Xor => {
            exclude_one_another(denied.iter().filter_map(|d| chosen(d)))
                || exclude_one_another(parts.iter().filter_map(unequal))
        }
    };
    excludes.then_some(decisive)
}

/// Returns the part inside a negation.
fn contrary(form: &CanonicalForm) -> Option<&CanonicalForm> {
    match &form.kind {
        CanonicalKind::Not(inner) => Some(inner),
        CanonicalKind::Chain(..) | CanonicalKind::Comparison(_) | CanonicalKind::Operand(_) => None,
    }
}

/// Returns the comparison of a part.
fn compared(form: &CanonicalForm) -> Option<&Comparison> {
    match &form.kind {
        CanonicalKind::Comparison(comparison) => Some(comparison),
        CanonicalKind::Chain(..) | CanonicalKind::Not(_) | CanonicalKind::Operand(_) => None,
    }
}

/// Returns the operand, and the only values that it may have.
fn chosen(form: &CanonicalForm) -> Option<(&Operand, Values)> {
    let comparison = compared(form)?;
    matches!(comparison.operator, Operator::Equal | Operator::In).then_some(())?;
    Some((&comparison.left, Values::of(comparison.operator, &comparison.right)?))
}

/// Returns the field, which every request has, and the value that it must not have.
fn unequal(form: &CanonicalForm) -> Option<(&Operand, Values)> {
    let comparison = compared(form)?;
    let is_there = ALWAYS_THERE.contains(&comparison.left.plain_field()?);
    (is_there && comparison.operator == Operator::NotEqual).then_some(())?;
    Some((&comparison.left, Values::of(Operator::Equal, &comparison.right)?))
}

/// Returns true if two of the choices are never possible at the same time.
fn exclude_one_another<'n>(choices: impl Iterator<Item = (&'n Operand, Values)>) -> bool {
    let choices: Vec<_> = choices.take(64).collect();
    choices.iter().enumerate().any(|(n, (operand, values))| {
        choices[..n].iter().any(|(other, others)| {
            operand.base == other.base
                && values::same_indexes(operand, other)
                && values.excludes(others)
        })
    })
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
    let forth = implies(before, after, &mut { MOST_READ });
    let back = implies(after, before, &mut { MOST_READ });
    match (forth, back) {
        (true, true) => ScopeChange::Equal,
        (true, false) => ScopeChange::Wider,
        (false, true) => ScopeChange::Narrower,
        (false, false) => ScopeChange::Unknown,
    }
}

/// Returns true if the second certainly matches everything that the first matches.
fn implies(a: &CanonicalForm, b: &CanonicalForm, budget: &mut usize) -> bool {
    let Some(left) = budget.checked_sub(a.text.len() + b.text.len()) else { return false };
    *budget = left;
    if a.text == b.text || truth(a) == Some(false) || truth(b) == Some(true) {
        return true;
    }
    use Connective::{And, Or};
    match (&a.kind, &b.kind) {
        (CanonicalKind::Chain(Or, parts), _) => parts.iter().all(|p| implies(p, b, budget)),
        (_, CanonicalKind::Chain(And, parts)) => parts.iter().all(|p| implies(a, p, budget)),
        (CanonicalKind::Chain(And, parts), CanonicalKind::Chain(Or, others)) => {
            others.iter().any(|o| implies(a, o, budget))
                || parts.iter().any(|p| implies(p, b, budget))
        }
        (CanonicalKind::Chain(And, parts), _) => parts.iter().any(|p| implies(p, b, budget)),
        (_, CanonicalKind::Chain(Or, others)) => others.iter().any(|o| implies(a, o, budget)),
        (CanonicalKind::Not(a), CanonicalKind::Not(b)) => implies(b, a, budget),
        (_, CanonicalKind::Not(b)) => match (values::of_canonical(a), values::of_canonical(b)) {
            (Some((left, a)), Some((right, b))) => left == right && a.excludes(&b),
            (None, _) | (_, None) => false,
        },
        _ => match (values::of_canonical(a), values::of_canonical(b)) {
            (Some((left, a)), Some((right, b))) => left == right && a.are_among(&b),
            (None, _) | (_, None) => false,
        },
    }
}
