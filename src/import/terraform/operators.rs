//! Evaluates operators, `sensitive` and `nonsensitive`.

use hcl_edit::expr::BinaryOperator;

use super::value::{Missing, NOT_EXACT, Term};
use crate::diagnostic::Place;

/// Results of calculations below this number are exact if they are whole.
const LARGEST_RESULT: f64 = 9_007_199_254_740_992.0;

/// Evaluates `sensitive(value)` and `nonsensitive(value)`.
pub(super) fn sensitivity(function: &str, mut values: Vec<Term>, place: Place) -> Term {
    match (function, values.pop()) {
        ("nonsensitive", Some(Term::Missing(Missing { hidden: Some(hidden), .. }))) => hidden.0,
        ("sensitive", Some(value)) if value.missing().is_none() => {
            Term::Missing(Missing::sensitive("the value", value, place))
        }
        (_, value) => {
            value.unwrap_or_else(|| Term::Missing(Missing::error("a value is expected", place)))
        }
    }
}

/// Evaluates `left operator right`.
pub(super) fn binary(operator: BinaryOperator, left: Term, right: Term, place: Place) -> Term {
    // Both sides of `&&` and `||` are evaluated, as in Terraform. One known side can still decide.
    match (operator, left.truth(), right.truth()) {
        (BinaryOperator::And, Some(false), _) | (BinaryOperator::And, _, Some(false)) => {
            return Term::Bool(false);
        }
        (BinaryOperator::Or, Some(true), _) | (BinaryOperator::Or, _, Some(true)) => {
            return Term::Bool(true);
        }
        _ => {}
    }
    if let Some(missing) = left.missing().or_else(|| right.missing()) {
        return Term::Missing(missing.clone());
    }
    let whole_numbers = left.as_whole_number().zip(right.as_whole_number());
    let numbers = || left.number().zip(right.number());
    let calculated = |whole: fn(i128, i128) -> Option<i128>, f: fn(f64, f64) -> f64| {
        if let Some(n) = whole_numbers.and_then(|(l, r)| whole(l, r)) {
            return Some(Term::whole_number(n));
        }
        let is_number =
            |value: &Term| value.to_number().is_some() || matches!(value, Term::Large(_));
        let is_calculation = is_number(&left) && is_number(&right);
        match numbers().map(|(l, r)| f(l, r)) {
            Some(n) if n.abs() < LARGEST_RESULT => Some(Term::Number(n)),
            Some(n) if !n.is_finite() => None,
            _ => is_calculation.then(|| Term::Missing(Missing::unknown(NOT_EXACT, place))),
        }
    };
    let compared = |whole: fn(&i128, &i128) -> bool, f: fn(&f64, &f64) -> bool| match whole_numbers
    {
        Some((l, r)) => Some(Term::Bool(whole(&l, &r))),
        None => numbers().map(|(l, r)| Term::Bool(f(&l, &r))),
    };
    let result = match operator {
        BinaryOperator::Eq => Some(Term::Bool(left == right)),
        BinaryOperator::NotEq => Some(Term::Bool(left != right)),
        BinaryOperator::And | BinaryOperator::Or => {
            let both = left.truth().zip(right.truth());
            both.map(|(l, r)| {
                Term::Bool(if operator == BinaryOperator::And { l && r } else { l || r })
            })
        }
        BinaryOperator::Plus => calculated(i128::checked_add, |l, r| l + r),
        BinaryOperator::Minus => calculated(i128::checked_sub, |l, r| l - r),
        BinaryOperator::Mul => calculated(i128::checked_mul, |l, r| l * r),
        BinaryOperator::Div => {
            calculated(|l, r| if l.checked_rem(r)? == 0 { Some(l / r) } else { None }, |l, r| l / r)
        }
        BinaryOperator::Mod => calculated(i128::checked_rem, |l, r| l % r),
        BinaryOperator::Less => compared(i128::lt, f64::lt),
        BinaryOperator::LessEq => compared(i128::le, f64::le),
        BinaryOperator::Greater => compared(i128::gt, f64::gt),
        BinaryOperator::GreaterEq => compared(i128::ge, f64::ge),
    };
    result.unwrap_or_else(|| {
        Term::Missing(Missing::error("the operator does not fit these values", place))
    })
}
