//! The right side of a comparison, compiled to a test.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::net::IpAddr;

use bumpalo::Bump;
use memchr::memmem::Finder;
use regex::bytes::Regex;

use super::value::Value;
use crate::syntax::{ComparedValue, Item, Literal, Operator};

/// Maximum size of a compiled regular expression, in bytes.
const REGEX_BYTES: usize = 1 << 20;

/// The test of a value.
#[derive(Debug)]
pub(super) enum Test {
    /// The value must be true.
    IsTrue,
    /// The value is compared with another one, in these orders.
    Ordered(Constant, Orders),
    /// The value must contain a text.
    Contains(Box<Finder<'static>>),
    /// The value must match a regular expression.
    Matches(Box<Regex>),
    /// The value must match a pattern with asterisks.
    Wildcard(Wildcard),
    /// The value must be one of these numbers.
    Integers(Vec<(i64, i64)>),
    /// The value must be one of these addresses.
    Addresses(Vec<(IpAddr, IpAddr)>),
    /// The value must be one of these texts.
    Texts(BTreeSet<Vec<u8>>),
}

/// A value in the text of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Constant {
    /// A number.
    Integer(i64),
    Address(IpAddr),
    /// Text.
    Bytes(Vec<u8>),
}

impl Constant {
    /// Returns the value of a literal, unless it is a boolean or an error.
    pub(super) fn of(literal: &Literal) -> Option<Self> {
        match literal {
            Literal::Integer(number) => Some(Self::Integer(*number)),
            Literal::Address(address) => Some(Self::Address(*address)),
            Literal::Bytes(bytes) => Some(Self::Bytes(bytes.clone())),
            Literal::Network(_) | Literal::Truth(_) | Literal::Unquoted(_) => None,
        }
    }

    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Self::Integer(number) => Value::Integer(*number),
            Self::Address(address) => Value::Address(*address),
            Self::Bytes(bytes) => Value::Bytes(bytes),
        }
    }
}

/// The orders between a value and a constant under which a comparison holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Orders {
    pub(super) less: bool,
    pub(super) equal: bool,
    pub(super) greater: bool,
}

impl Orders {
    /// Returns the orders of an operator that orders.
    fn of(operator: Operator) -> Option<Self> {
        let (less, equal, greater) = match operator {
            Operator::Equal => (false, true, false),
            Operator::NotEqual => (true, false, true),
            Operator::Less => (true, false, false),
            Operator::LessOrEqual => (true, true, false),
            Operator::Greater => (false, false, true),
            Operator::GreaterOrEqual => (false, true, true),
            Operator::Contains
            | Operator::Matches
            | Operator::Wildcard
            | Operator::StrictWildcard
            | Operator::In => {
                return None;
            }
        };
        Some(Self { less, equal, greater })
    }

    /// Returns true if this order is among them.
    fn include(self, order: Ordering) -> bool {
        match order {
            Ordering::Less => self.less,
            Ordering::Equal => self.equal,
            Ordering::Greater => self.greater,
        }
    }

    /// Returns true if they are the orders of `ne`.
    fn are_unequal(self) -> bool {
        self.less && self.greater && !self.equal
    }
}

/// The reason why there is no test.
pub(super) enum NoTest {
    /// The right side was an error, or it is a list.
    NotOfAnyType,
    /// The regular expression is too large.
    TooLarge(String),
}

impl Test {
    /// Compiles an operator and a right side that is not a list.
    pub(super) fn new(operator: Operator, right: &ComparedValue) -> Result<Self, NoTest> {
        match (operator, right) {
            (Operator::In, ComparedValue::Set(items)) => {
                Self::set(items.iter().map(|(item, _)| item))
            }
            (Operator::Contains, ComparedValue::Literal(Literal::Bytes(bytes))) => {
                Ok(Self::Contains(Box::new(Finder::new(bytes).into_owned())))
            }
            (Operator::Matches, ComparedValue::Literal(Literal::Bytes(bytes))) => {
                let text = String::from_utf8_lossy(bytes);
                let regex = regex::bytes::RegexBuilder::new(&text)
                    .unicode(false)
                    .size_limit(REGEX_BYTES)
                    .build();
                regex
                    .map(|regex| Self::Matches(Box::new(regex)))
                    .map_err(|_| NoTest::TooLarge(text.into_owned()))
            }
            (
                Operator::Wildcard | Operator::StrictWildcard,
                ComparedValue::Literal(Literal::Bytes(bytes)),
            ) => Ok(Self::Wildcard(Wildcard::new(bytes, operator == Operator::StrictWildcard))),
            (operator, ComparedValue::Literal(literal)) => {
                match (Constant::of(literal), Orders::of(operator)) {
                    (Some(constant), Some(orders)) => Ok(Self::Ordered(constant, orders)),
                    _ => Err(NoTest::NotOfAnyType),
                }
            }
            _ => Err(NoTest::NotOfAnyType),
        }
    }

    /// Compiles a set.
    fn set<'i>(items: impl Iterator<Item = &'i Item>) -> Result<Self, NoTest> {
        let (mut integers, mut addresses, mut texts) = (Vec::new(), Vec::new(), BTreeSet::new());
        for item in items {
            match item {
                Item::One(Literal::Integer(number)) => integers.push((*number, *number)),
                Item::Range(Literal::Integer(first), Literal::Integer(last)) => {
                    integers.push((*first, *last))
                }
                Item::One(Literal::Address(address)) => addresses.push((*address, *address)),
                Item::Range(Literal::Address(first), Literal::Address(last)) => {
                    addresses.push((*first, *last))
                }
                Item::One(Literal::Network(network)) => {
                    addresses.push((network.network(), network.broadcast()))
                }
                Item::One(Literal::Bytes(bytes)) => drop(texts.insert(bytes.clone())),
                Item::One(Literal::Truth(_) | Literal::Unquoted(_)) | Item::Range(..) => {
                    return Err(NoTest::NotOfAnyType);
                }
            }
        }
        if !integers.is_empty() {
            return Ok(Self::Integers(joined_ranges(integers)));
        }
        // IPv4 addresses come before IPv6 addresses, so no range contains both.
        Ok(if addresses.is_empty() {
            Self::Texts(texts)
        } else {
            Self::Addresses(joined_ranges(addresses))
        })
    }

    /// Returns true if a missing value passes.
    pub(super) fn of_missing(&self) -> bool {
        matches!(self, Self::Ordered(_, orders) if orders.are_unequal())
    }

    /// Returns true if a value passes. A value of another type is treated as a missing one.
    pub(super) fn passes(&self, value: Value<'_>, arena: &Bump) -> bool {
        match (self, value) {
            (Self::IsTrue, Value::Truth(truth)) => truth,
            (Self::Ordered(Constant::Integer(constant), orders), Value::Integer(number)) => {
                orders.include(number.cmp(constant))
            }
            (Self::Ordered(Constant::Bytes(constant), orders), Value::Bytes(bytes)) => {
                orders.include(bytes.cmp(constant.as_slice()))
            }
            (Self::Ordered(Constant::Address(constant), orders), Value::Address(address)) => {
                orders.include(address.cmp(constant))
            }
            (Self::Contains(finder), Value::Bytes(bytes)) => finder.find(bytes).is_some(),
            (Self::Matches(regex), Value::Bytes(bytes)) => regex.is_match(bytes),
            (Self::Wildcard(wildcard), Value::Bytes(bytes)) => wildcard.matches(bytes, arena),
            (Self::Integers(ranges), Value::Integer(number)) => is_in_ranges(ranges, &number),
            (Self::Addresses(ranges), Value::Address(address)) => is_in_ranges(ranges, &address),
            (Self::Texts(texts), Value::Bytes(bytes)) => texts.contains(bytes),
            _ => self.of_missing(),
        }
    }
}

/// Compares two values. A value that is missing, or of another type, is unequal.
pub(super) fn compare_values(left: Value<'_>, operator: Operator, right: Value<'_>) -> bool {
    let order = match (left, right) {
        (Value::Bytes(left), Value::Bytes(right)) if operator == Operator::Contains => {
            return memchr::memmem::find(left, right).is_some();
        }
        (Value::Bytes(left), Value::Bytes(right)) => left.cmp(right),
        (Value::Integer(left), Value::Integer(right)) => left.cmp(&right),
        (Value::Address(left), Value::Address(right)) => left.cmp(&right),
        _ => return operator == Operator::NotEqual,
    };
    Orders::of(operator).is_some_and(|orders| orders.include(order))
}

/// Returns ranges in order, without overlaps.
fn joined_ranges<T: Ord + Copy>(mut ranges: Vec<(T, T)>) -> Vec<(T, T)> {
    ranges.sort_unstable();
    let mut joined: Vec<(T, T)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match joined.last_mut() {
            Some((_, end)) if first <= *end => *end = last.max(*end),
            _ => joined.push((first, last)),
        }
    }
    joined
}

/// Returns true if a value is in one of the ranges.
fn is_in_ranges<T: Ord>(ranges: &[(T, T)], value: &T) -> bool {
    let next_range = ranges.partition_point(|(first, _)| first <= value);
    next_range.checked_sub(1).and_then(|n| ranges.get(n)).is_some_and(|(_, last)| value <= last)
}

/// A pattern in which an asterisk matches any text.
#[derive(Debug)]
pub(super) struct Wildcard {
    /// The texts between the asterisks. They are in lower case unless the pattern is strict.
    parts: Vec<Vec<u8>>,
    /// True if case matters.
    is_strict: bool,
}

impl Wildcard {
    /// Parses a pattern.
    fn new(pattern: &[u8], is_strict: bool) -> Self {
        Self { parts: wildcard_parts(pattern, is_strict), is_strict }
    }

    /// Returns true if it matches a whole text.
    fn matches(&self, text: &[u8], arena: &Bump) -> bool {
        let text = if self.is_strict || !text.iter().any(u8::is_ascii_uppercase) {
            text
        } else {
            let copy = arena.alloc_slice_copy(text);
            copy.make_ascii_lowercase();
            copy
        };
        let Some((first, rest)) = self.parts.split_first() else { return text.is_empty() };
        let Some(mut text) = text.strip_prefix(first.as_slice()) else { return false };
        let Some((last, middle)) = rest.split_last() else { return text.is_empty() };
        for part in middle {
            match memchr::memmem::find(text, part) {
                Some(at) => text = &text[at + part.len()..],
                None => return false,
            }
        }
        text.ends_with(last)
    }
}

/// Returns the texts between the asterisks of a pattern, in lower case unless it is strict. `\*`
/// and `\\` are an asterisk and a backslash.
pub(crate) fn wildcard_parts(pattern: &[u8], is_strict: bool) -> Vec<Vec<u8>> {
    let mut parts = vec![Vec::new()];
    let mut bytes = pattern.iter().copied();
    while let Some(byte) = bytes.next() {
        let literal = match byte {
            b'*' => {
                parts.push(Vec::new());
                continue;
            }
            b'\\' => bytes.next().unwrap_or(b'\\'),
            byte => byte,
        };
        let literal = if is_strict { literal } else { literal.to_ascii_lowercase() };
        parts.last_mut().into_iter().for_each(|part| part.push(literal));
    }
    parts
}
