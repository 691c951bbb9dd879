//! Sorts lists of large items by a permutation of their indexes.

/// Puts the items of a list into the order given by their indexes: each item moves once.
pub(crate) fn arrange<T>(list: &mut [T], mut order: Vec<usize>) {
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

    use super::arrange;

    proptest! {
        #[test]
        fn items_come_where_they_are_wanted(order in Just((0..20_usize).collect::<Vec<_>>()).prop_shuffle()) {
            let mut list: Vec<usize> = (100..120).collect();
            arrange(&mut list, order.clone());
            prop_assert_eq!(list, order.into_iter().map(|n| 100 + n).collect::<Vec<_>>());
        }
    }
}
