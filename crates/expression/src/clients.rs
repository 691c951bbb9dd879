//! Decides which addresses, numbers of networks and user agents name clients.

use std::net::IpAddr;

use crate::browsers::browser_user_agents;
use crate::evaluate::Matcher;
use crate::pages::says_something;
use crate::syntax::{Base, ComparedValue, Comparison, Item, Literal, NodeKind, Operand, Operator};

/// The widest networks that still name clients.
///
/// # Units
/// Prefix length for IPv4 and IPv6.
const WIDEST: (u8, u8) = (8, 16);

/// How many of the widest networks an expression may have in it and still name clients.
const MOST_OF_WIDEST: u128 = 16;

/// Maximum number of values in a set that names networks by their numbers.
const MOST_NUMBERS: i64 = 65_536;

/// The number of addresses by which an expression names clients, for IPv4 and IPv6. It is zero if
/// something else names them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NamedAddresses([u128; 2]);

impl NamedAddresses {
    /// Returns the sum of the alternatives; `None` if one of them names nothing, or if all together
    /// are too many to name clients.
    pub(super) fn of_any(mut alternatives: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        alternatives.try_fold(Self::default(), |Self(sum), alternative| {
            let Self(more) = alternative?;
            let sum: [u128; 2] = std::array::from_fn(|n| sum[n].saturating_add(more[n]));
            let widest = [widest_of(WIDEST.0, 32), widest_of(WIDEST.1, 128)];
            let are_few = (0..2).all(|n| sum[n] <= widest[n].saturating_mul(MOST_OF_WIDEST));
            are_few.then_some(Self(sum))
        })
    }

    /// Returns the fewest addresses of conditions that hold together.
    pub(super) fn of_all(conditions: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        conditions.flatten().min()
    }

    /// Returns the addresses of a set; `None` if a network in it, or all of it, is too wide to name
    /// clients.
    pub(super) fn of_value(right: &ComparedValue) -> Option<Self> {
        match right {
            ComparedValue::Literal(literal) => Self::of_range(literal, literal),
            ComparedValue::Set(items) => Self::of_any(items.iter().map(|(item, _)| match item {
                Item::One(literal) => Self::of_range(literal, literal),
                Item::Range(first, last) => Self::of_range(first, last),
            })),
            ComparedValue::List(_) => Some(Self::default()),
            ComparedValue::Operand(_) | ComparedValue::Broken => None,
        }
    }

    /// Returns the addresses from one literal to another, if they are few enough.
    fn of_range(first: &Literal, last: &Literal) -> Option<Self> {
        let ends = |literal: &Literal| match literal {
            Literal::Address(address) => Some((*address, *address)),
            Literal::Network(network) => Some((network.network(), network.broadcast())),
            Literal::Integer(_) | Literal::Bytes(_) | Literal::Truth(_) | Literal::Unquoted(_) => {
                None
            }
        };
        let (addresses, is_narrow) = match (ends(first)?.0, ends(last)?.1) {
            (IpAddr::V4(first), IpAddr::V4(last)) => {
                let number = u128::from(last.to_bits().saturating_sub(first.to_bits())) + 1;
                ([number, 0], number <= widest_of(WIDEST.0, 32))
            }
            (IpAddr::V6(first), IpAddr::V6(last)) => {
                let number = last.to_bits().saturating_sub(first.to_bits()).saturating_add(1);
                ([0, number], number <= widest_of(WIDEST.1, 128))
            }
            _ => return None,
        };
        is_narrow.then_some(Self(addresses))
    }
}

/// Returns the number of addresses in the widest network that still names clients.
fn widest_of(prefix: u8, bits: u32) -> u128 {
    1 << (bits - u32::from(prefix))
}

/// Returns true if the numbers are single values, or ranges that are not too long.
pub(super) fn are_few(comparison: &Comparison) -> bool {
    match (&comparison.right, comparison.operator) {
        (ComparedValue::Literal(_), Operator::Equal | Operator::NotEqual)
        | (ComparedValue::List(_), _) => true,
        (ComparedValue::Set(items), _) => {
            let mut sum = 0_i64;
            items.iter().all(|(item, _)| {
                let number = match item {
                    Item::One(_) => 1,
                    Item::Range(Literal::Integer(first), Literal::Integer(last)) => {
                        last.saturating_sub(*first).saturating_add(1)
                    }
                    Item::Range(..) => return false,
                };
                sum = sum.saturating_add(number.max(0));
                sum <= MOST_NUMBERS
            })
        }
        _ => false,
    }
}

/// Returns true if a comparison of the user agent excludes common browsers. No browser sends an
/// empty one.
pub(super) fn is_no_browser(comparison: &Comparison) -> bool {
    let Some(matcher) = Matcher::new(comparison) else {
        return matches!(comparison.right, ComparedValue::List(_));
    };
    let is_negated = comparison.operator == Operator::NotEqual;
    let texts: Vec<&[u8]> = match &comparison.right {
        ComparedValue::Literal(Literal::Bytes(text)) => vec![text],
        ComparedValue::Set(items) => items
            .iter()
            .filter_map(|(item, _)| match item {
                Item::One(Literal::Bytes(text)) => Some(text.as_slice()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let has_digits = texts.iter().any(|text| text.iter().any(u8::is_ascii_digit));
    let is_exact =
        matches!(comparison.operator, Operator::Equal | Operator::NotEqual | Operator::In);
    (is_exact || texts.iter().all(|text| says_something(text)))
        && is_no_browser_accepted(has_digits, |browser| {
            matcher.accepts(folded(&comparison.left, browser).as_bytes()) != is_negated
        })
}

/// Returns a value of a field as an operand reads it: in lower or upper case, or as it is.
pub(super) fn folded(operand: &Operand, text: &str) -> String {
    match &operand.base {
        Base::Call(name, _) if name == "lower" => text.to_ascii_lowercase(),
        Base::Call(name, _) if name == "upper" => text.to_ascii_uppercase(),
        Base::Call(..) | Base::Field(_) | Base::Literal(_) => text.to_owned(),
    }
}

/// Returns the field without an index that an operand reads: as it is, in one case, or without
/// percent signs.
pub(super) fn field_in_any_spelling(operand: &Operand) -> Option<&str> {
    let is_decoded = matches!(&operand.base, Base::Call(name, _) if name == "url_decode");
    match operand.arguments() {
        [argument, ..] if is_folded(operand) || is_decoded => match &argument.kind {
            NodeKind::Operand(inner) if operand.indexes.is_empty() => field_in_any_spelling(inner),
            _ => None,
        },
        _ => operand.plain_field(),
    }
}

/// Returns true if a field is compared in lower or upper case.
pub(super) fn is_folded(operand: &Operand) -> bool {
    matches!(&operand.base, Base::Call(name, _) if matches!(name.as_str(), "lower" | "upper"))
}

/// Returns true if no user agent of a common browser is accepted. A text with digits is compared
/// with more versions.
pub(super) fn is_no_browser_accepted(
    text_has_digits: bool,
    accepts: impl Fn(&str) -> bool,
) -> bool {
    !browser_user_agents(text_has_digits).any(|browser| accepts(&browser))
}
