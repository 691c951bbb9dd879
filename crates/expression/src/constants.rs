//! Comparisons and calls that have the same value for every request.

use crate::canonical::{CanonicalForm, CanonicalKind};
use crate::syntax::{Base, ComparedValue, Comparison, Item, Literal, NodeKind, Operator};

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

/// Returns the value of a part that cannot be divided, if it is the same for every request.
pub(super) fn constant(form: &CanonicalForm) -> Option<bool> {
    match &form.kind {
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
        CanonicalKind::Chain(..) | CanonicalKind::Not(_) => None,
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
