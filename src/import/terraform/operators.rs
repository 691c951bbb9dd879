//! Evaluates operators, `sensitive` and `nonsensitive`.

use hcl_edit::expr::BinaryOperator;

use super::numerals::NOT_EXACT;
use super::value::{Missing, Term};
use crate::diagnostic::Place;

/// Numbers below this one are exact if they are whole.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Number of parts of 1 in which fractions are calculated. Fractions with other parts, such as 0.1,
/// are not exact in Terraform either.
const PARTS: i128 = 1 << 20;

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
    let is_number = |value: &Term| matches!(value, Term::Number(_)) && value.text().is_none();
    let (whole_numbers, numbers) =
        (left.as_whole_number().zip(right.as_whole_number()), left.number().zip(right.number()));
    // Numbers that look equal here may differ in the digits that only Terraform has.
    let is_undecided =
        (is_number(&left) || is_number(&right)) && numbers.is_some_and(|(l, r)| l == r);
    let is_comparison = !matches!(
        operator,
        BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Mul
            | BinaryOperator::Div
            | BinaryOperator::Mod
    );
    if is_comparison && is_undecided {
        return Term::Missing(Missing::unknown(NOT_EXACT, place));
    }
    let not_exact = || Term::Missing(Missing::unknown(NOT_EXACT, place));
    let compared =
        |whole: fn(&i128, &i128) -> bool, f: fn(&f64, &f64) -> bool| match (whole_numbers, numbers)
        {
            (Some((l, r)), _) => Some(Term::Bool(whole(&l, &r))),
            (None, Some((l, r))) => Some(Term::Bool(f(&l, &r))),
            (None, None) => (is_numeral(&left) && is_numeral(&right)).then(not_exact),
        };
    let result = match operator {
        BinaryOperator::Eq => Some(Term::Bool(left == right)),
        BinaryOperator::NotEq => Some(Term::Bool(left != right)),
        BinaryOperator::And | BinaryOperator::Or => {
            let truths = left.truth().zip(right.truth());
            truths.map(|(l, r)| {
                Term::Bool(if operator == BinaryOperator::And { l && r } else { l || r })
            })
        }
        BinaryOperator::Plus
        | BinaryOperator::Minus
        | BinaryOperator::Mul
        | BinaryOperator::Div
        | BinaryOperator::Mod => calculate(operator, &left, &right)
            .map(|calculated| calculated.unwrap_or_else(not_exact)),
        BinaryOperator::Less => compared(i128::lt, f64::lt),
        BinaryOperator::LessEq => compared(i128::le, f64::le),
        BinaryOperator::Greater => compared(i128::gt, f64::gt),
        BinaryOperator::GreaterEq => compared(i128::ge, f64::ge),
    };
    result.unwrap_or_else(|| {
        Term::Missing(Missing::error("the operator does not fit these values", place))
    })
}

/// Calculates with two numbers. Returns `None` for values that are no numbers, and `Some(None)` for
/// a result of which Terraform has more digits.
pub(super) fn calculate(
    operator: BinaryOperator,
    left: &Term,
    right: &Term,
) -> Option<Option<Term>> {
    if !is_numeral(left) || !is_numeral(right) {
        return None;
    }
    let whole_numbers = left.as_whole_number().zip(right.as_whole_number());
    let fractions = || Some((in_parts(left)?, in_parts(right)?, PARTS));
    let Some((l, r, parts)) = whole_numbers.map(|(l, r)| (l, r, 1)).or_else(fractions) else {
        return Some(None);
    };
    let (numerator, denominator) = match operator {
        BinaryOperator::Plus => (l.checked_add(r), parts),
        BinaryOperator::Minus => (l.checked_sub(r), parts),
        BinaryOperator::Mul => (l.checked_mul(r), parts * parts),
        BinaryOperator::Div if r != 0 => (Some(l), r),
        // Terraform divides by zero to infinity, and has no remainder then.
        BinaryOperator::Div if l != 0 => return Some(None),
        BinaryOperator::Mod if r == 0 => (Some(l), parts),
        BinaryOperator::Mod => (l.checked_rem(r), parts),
        _ => return None,
    };
    let result = numerator.and_then(|numerator| quotient(numerator, denominator));
    Some(match result {
        Some(Term::Number(0.0)) if is_negative_zero(operator, left, right) => {
            Some(Term::Number(-0.0))
        }
        result => result,
    })
}

/// Returns true for a number, or a text that is one.
fn is_numeral(value: &Term) -> bool {
    match value {
        Term::Number(_) | Term::Large(_) => true,
        Term::Text(text) => Term::read_number(text).is_some(),
        _ => false,
    }
}

/// Returns true if a result that is zero has a sign, which its text shows.
fn is_negative_zero(operator: BinaryOperator, left: &Term, right: &Term) -> bool {
    let is_negative = |value: &Term| match value.to_number() {
        Some(Term::Number(number)) => number.is_sign_negative(),
        Some(Term::Large(number)) => number < 0,
        _ => false,
    };
    let is_zero = left.number() == Some(0.0);
    match operator {
        BinaryOperator::Mul | BinaryOperator::Div => is_negative(left) != is_negative(right),
        BinaryOperator::Plus => is_negative(left) && is_zero && is_negative(right),
        BinaryOperator::Minus => is_negative(left) && is_zero && !is_negative(right),
        BinaryOperator::Mod => is_negative(left) && is_zero,
        _ => false,
    }
}

/// Returns a number in parts of 1; `None` if it is not exact in them.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "checked")]
fn in_parts(value: &Term) -> Option<i128> {
    let parts = value.number()? * PARTS as f64;
    (parts.fract() == 0.0 && parts.abs() < LARGEST_WHOLE).then_some(parts as i128)
}

/// Returns a quotient. One with more digits than a text here can have is a number without a text.
#[allow(clippy::cast_precision_loss, reason = "checked in the same expression")]
fn quotient(numerator: i128, denominator: i128) -> Option<Term> {
    if numerator.checked_rem(denominator)? == 0 {
        return Some(Term::whole_number(numerator / denominator));
    }
    let is_exact = |n: i128| n.unsigned_abs() as f64 <= LARGEST_WHOLE;
    let value = (is_exact(numerator) && is_exact(denominator))
        .then(|| Term::Number(numerator as f64 / denominator as f64))?;
    let Some(text) = value.text() else { return Some(value) };
    // A text of few digits can hide that the quotient has more of them.
    let (whole, fraction) = text.split_once('.')?;
    let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let is_same = digits.checked_mul(denominator)? == numerator.checked_mul(scale)?;
    is_same.then_some(value)
}
