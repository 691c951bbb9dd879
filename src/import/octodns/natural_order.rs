//! Compares names in the natural order of the package natsort: digits within names compare as
//! numbers.

use std::cmp::Ordering;

pub(crate) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        // A text that begins with a number comes after the empty text, which natsort puts before
        // the number.
        for is_number in [false, true] {
            let split = |text: &str| {
                text.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(text.len())
            };
            let ((left, after_left), (right, after_right)) =
                (a.split_at(split(a)), b.split_at(split(b)));
            let order = if is_number {
                let (left, right) = (left.trim_start_matches('0'), right.trim_start_matches('0'));
                left.len().cmp(&right.len()).then_with(|| left.cmp(right))
            } else {
                left.cmp(right)
            };
            if order.is_ne() {
                return order;
            }
            match (after_left.is_empty(), after_right.is_empty()) {
                (true, true) => return Ordering::Equal,
                (true, false) => return Ordering::Less,
                (false, true) => return Ordering::Greater,
                (false, false) => (a, b) = (after_left, after_right),
            }
        }
    }
}
