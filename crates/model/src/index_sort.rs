//! Sorts lists by a permutation of their indexes.
//!
//! The sort of the standard library is compiled for each type of items and each comparison, 14 KB
//! of instructions at a time. These functions compile one sort, of indexes, and move each item
//! once. They allocate, so the few lists that are sorted for each of many records use the standard
//! library.

use std::cmp::Ordering;

/// Sorts a list; equal items keep their order.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if list.len() > 1 {
        let order = sorted(list.len(), &|a, b| compare(&list[a], &list[b]));
        permute(list, order);
    }
}

/// Sorts a list by a key; items with equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(list, |a, b| key(a).cmp(&key(b)));
}

/// Returns the indices below `length` in the order of a comparison.
fn sorted(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Puts the items of a list into the order of the given indices. Each item moves once.
pub fn permute<T>(list: &mut [T], mut order: Vec<usize>) {
    for first in 0..order.len() {
        // Follow each cycle of the permutation.
        let mut place = first;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == first {
                break;
            }
            list.swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{permute, sort_by_key};

    proptest! {
        #[test]
        fn items_come_where_they_are_wanted(order in Just((0..20_usize).collect::<Vec<_>>()).prop_shuffle()) {
            let mut list: Vec<usize> = (100..120).collect();
            permute(&mut list, order.clone());
            prop_assert_eq!(list, order.into_iter().map(|n| 100 + n).collect::<Vec<_>>());
        }

        #[test]
        fn the_order_is_that_of_the_standard_library(list in prop::collection::vec(0..50_u8, 0..40)) {
            let mut expected: Vec<_> = list.into_iter().enumerate().collect();
            let mut list = expected.clone();
            expected.sort_by_key(|(_, key)| key / 5);
            sort_by_key(&mut list, |(_, key)| key / 5);
            prop_assert_eq!(list, expected);
        }
    }
}
