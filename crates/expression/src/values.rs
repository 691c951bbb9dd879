//! The set of values that a comparison accepts, for comparing two sets.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::syntax::{ComparedValue, Item, Literal, Operator};

/// The values that a comparison accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Values {
    Texts(BTreeSet<Vec<u8>>),
    /// Intervals of numbers or addresses of one kind each, including their ends. They are sorted
    /// and disjoint.
    Intervals(Vec<(ValueKind, u128, u128)>),
    /// Texts that contain this.
    Containing(Vec<u8>),
    /// Texts that begin with this.
    StartingWith(Vec<u8>),
    /// Texts that end with this.
    EndingWith(Vec<u8>),
}

/// A kind of ordered values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueKind {
    /// Whole numbers.
    Integer,
    /// IPv4 addresses.
    Four,
    /// IPv6 addresses.
    Six,
}

/// Maps a signed number to an unsigned one, keeping the order.
fn integer_as_key(number: i64) -> u128 {
    u128::from(number.cast_unsigned() ^ (1 << 63))
}

/// Returns an address as a number.
fn address_as_number(address: IpAddr) -> (ValueKind, u128) {
    match address {
        IpAddr::V4(four) => (ValueKind::Four, u128::from(four.to_bits())),
        IpAddr::V6(six) => (ValueKind::Six, six.to_bits()),
    }
}

/// Returns the interval of a member.
fn interval(item: &Item) -> Option<(ValueKind, u128, u128)> {
    match item {
        Item::One(Literal::Integer(n)) => {
            Some((ValueKind::Integer, integer_as_key(*n), integer_as_key(*n)))
        }
        Item::One(Literal::Address(one)) => {
            let (kind, at) = address_as_number(*one);
            Some((kind, at, at))
        }
        Item::One(Literal::Network(network)) => {
            let (kind, from) = address_as_number(network.network());
            Some((kind, from, address_as_number(network.broadcast()).1))
        }
        Item::Range(Literal::Integer(first), Literal::Integer(last)) => {
            Some((ValueKind::Integer, integer_as_key(*first), integer_as_key(*last)))
        }
        Item::Range(Literal::Address(first), Literal::Address(last)) => {
            let (from, to) = (address_as_number(*first), address_as_number(*last));
            (from.0 == to.0).then_some((from.0, from.1, to.1))
        }
        Item::One(_) | Item::Range(..) => None,
    }
}

impl Values {
    /// Returns the values that an operator and its right side accept.
    pub(super) fn of(operator: Operator, right: &ComparedValue) -> Option<Self> {
        let items: Vec<Item> = match right {
            ComparedValue::Literal(literal) => vec![Item::One(literal.clone())],
            ComparedValue::Set(items) => items.iter().map(|(i, _)| i.clone()).collect(),
            ComparedValue::List(_) | ComparedValue::Operand(_) | ComparedValue::Broken => {
                return None;
            }
        };
        let number = match items.as_slice() {
            [Item::One(Literal::Integer(n))] => Some(integer_as_key(*n)),
            _ => None,
        };
        let smallest = integer_as_key(i64::MIN);
        let largest = integer_as_key(i64::MAX);
        match operator {
            Operator::Equal | Operator::In => Self::of_items(&items),
            Operator::Less => Some(Self::numbers([(smallest, number?.checked_sub(1)?)])),
            Operator::LessOrEqual => Some(Self::numbers([(smallest, number?)])),
            Operator::Greater => Some(Self::numbers([(number? + 1, largest)])),
            Operator::GreaterOrEqual => Some(Self::numbers([(number?, largest)])),
            Operator::NotEqual => {
                let number = number?;
                Some(Self::numbers([(smallest, number.checked_sub(1)?), (number + 1, largest)]))
            }
            Operator::Contains => match items.as_slice() {
                [Item::One(Literal::Bytes(text))] => Some(Self::Containing(text.clone())),
                _ => None,
            },
            Operator::Matches | Operator::Wildcard | Operator::StrictWildcard => None,
        }
    }

    /// Returns the members of a set.
    fn of_items(items: &[Item]) -> Option<Self> {
        let text = |item: &Item| match item {
            Item::One(Literal::Bytes(text)) => Some(text.clone()),
            Item::One(_) | Item::Range(..) => None,
        };
        if let Some(texts) = items.iter().map(text).collect() {
            return Some(Self::Texts(texts));
        }
        let intervals: Option<Vec<_>> = items.iter().map(interval).collect();
        Some(Self::Intervals(merged(intervals?)))
    }

    /// Returns numbers between bounds.
    fn numbers(bounds: impl IntoIterator<Item = (u128, u128)>) -> Self {
        Self::Intervals(merged(
            bounds.into_iter().map(|(from, to)| (ValueKind::Integer, from, to)).collect(),
        ))
    }

    /// Returns the intervals; texts have none.
    fn intervals(&self) -> &[(ValueKind, u128, u128)] {
        match self {
            Self::Intervals(intervals) => intervals,
            Self::Texts(_) | Self::Containing(_) | Self::StartingWith(_) | Self::EndingWith(_) => {
                &[]
            }
        }
    }

    pub(super) fn map_texts(&self, change: impl Fn(&[u8]) -> Vec<u8>) -> Self {
        match self {
            Self::Texts(texts) => Self::Texts(texts.iter().map(|text| change(text)).collect()),
            Self::Containing(text) => Self::Containing(change(text)),
            Self::StartingWith(text) => Self::StartingWith(change(text)),
            Self::EndingWith(text) => Self::EndingWith(change(text)),
            Self::Intervals(_) => self.clone(),
        }
    }

    /// Returns true if this is a subset of the others.
    pub(super) fn are_among(&self, others: &Self) -> bool {
        let contains = |text: &[u8], part: &[u8]| {
            part.is_empty() || text.windows(part.len()).any(|w| w == part)
        };
        match (self, others) {
            (Self::Texts(these), Self::Texts(those)) => these.is_subset(those),
            (Self::Texts(these), Self::Containing(part)) => these.iter().all(|t| contains(t, part)),
            (Self::Texts(these), Self::StartingWith(start)) => {
                these.iter().all(|t| t.starts_with(start))
            }
            (Self::Texts(these), Self::EndingWith(end)) => these.iter().all(|t| t.ends_with(end)),
            (
                Self::Containing(text) | Self::StartingWith(text) | Self::EndingWith(text),
                Self::Containing(part),
            ) => contains(text, part),
            (Self::StartingWith(text), Self::StartingWith(start)) => text.starts_with(start),
            (Self::EndingWith(text), Self::EndingWith(end)) => text.ends_with(end),
            (Self::Intervals(these), Self::Intervals(those)) => {
                these.iter().all(|(kind, from, to)| {
                    those
                        .iter()
                        .any(|(other, first, last)| kind == other && first <= from && to <= last)
                })
            }
            _ => false,
        }
    }

    /// Returns true if the two sets are disjoint.
    pub(super) fn excludes(&self, others: &Self) -> bool {
        match (self, others) {
            (Self::Texts(these), Self::Texts(those)) => these.is_disjoint(those),
            (Self::StartingWith(one), Self::StartingWith(other)) => {
                !one.starts_with(other) && !other.starts_with(one)
            }
            (Self::EndingWith(one), Self::EndingWith(other)) => {
                !one.ends_with(other) && !other.ends_with(one)
            }
            (Self::Intervals(these), Self::Intervals(those)) => {
                these.iter().all(|(kind, from, to)| {
                    those
                        .iter()
                        .all(|(other, first, last)| kind != other || last < from || to < first)
                })
            }
            _ => false,
        }
    }
}

/// Sorts intervals and joins those that touch. Reversed ones are empty.
fn merged(mut intervals: Vec<(ValueKind, u128, u128)>) -> Vec<(ValueKind, u128, u128)> {
    intervals.retain(|(_, from, to)| from <= to);
    intervals.sort_unstable();
    let mut apart: Vec<(ValueKind, u128, u128)> = Vec::new();
    for (kind, from, to) in intervals {
        match apart.last_mut() {
            Some((last, _, end)) if *last == kind && from <= end.saturating_add(1) => {
                *end = to.max(*end)
            }
            _ => apart.push((kind, from, to)),
        }
    }
    apart
}

/// Returns true if no value is in all of `sets` and in none of `without`, which are all intervals.
pub(super) fn leave_nothing(sets: &[&Values], without: &[&Values]) -> bool {
    let mut shared = sets.first().map(|set| set.intervals().to_vec()).unwrap_or_default();
    for set in sets.iter().skip(1) {
        let overlaps = shared.iter().flat_map(|(kind, from, to)| {
            let same_kind = set.intervals().iter().filter(move |(other, ..)| other == kind);
            same_kind.map(move |(_, first, last)| (*kind, *from.max(first), *to.min(last)))
        });
        shared = merged(overlaps.collect());
    }
    let excluded = merged(without.iter().flat_map(|set| set.intervals().iter().copied()).collect());
    Values::Intervals(shared).are_among(&Values::Intervals(excluded))
}

/// Returns true if sets of intervals together contain all numbers, or all addresses.
pub(super) fn are_everything(sets: &[&Values]) -> bool {
    let joined = merged(sets.iter().flat_map(|set| set.intervals().iter().copied()).collect());
    joined == [(ValueKind::Integer, integer_as_key(i64::MIN), integer_as_key(i64::MAX))]
        || joined == [(ValueKind::Four, 0, u128::from(u32::MAX)), (ValueKind::Six, 0, u128::MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_that_touch_are_one() {
        let six = ValueKind::Six;
        let of = |list: &[(u128, u128)]| merged(list.iter().map(|(a, b)| (six, *a, *b)).collect());
        assert_eq!(of(&[(5, 9), (1, 2), (3, 4), (20, 10)]), [(six, 1, 9)]);
        assert_eq!(of(&[(1, 2), (4, 4)]), [(six, 1, 2), (six, 4, 4)]);
        assert_eq!(of(&[(0, u128::MAX), (7, 8)]), [(six, 0, u128::MAX)]);
    }

    #[test]
    fn numbers_keep_their_order_without_sign() {
        assert!(
            integer_as_key(i64::MIN) < integer_as_key(-1)
                && integer_as_key(-1) < integer_as_key(0)
                && integer_as_key(0) < integer_as_key(i64::MAX)
        );
        let less =
            Values::of(Operator::Less, &ComparedValue::Literal(Literal::Integer(5))).unwrap();
        let most = Values::of(Operator::LessOrEqual, &ComparedValue::Literal(Literal::Integer(4)))
            .unwrap();
        assert_eq!(less, most);
    }
}
