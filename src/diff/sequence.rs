//! The order of rules: which of ours stay where they are, and where the others go.
//!
//! Foreign rules are never moved. Of ours, the longest run that stands in the wanted order already stays; each of the others
//! is placed once. So a change of order costs as few moves as possible.

use std::collections::BTreeSet;

/// One of our rules in the wanted order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Item {
    /// Where it stands now, as an index into the live rules; `None` if it is new.
    pub(super) live: Option<usize>,
    /// Live rules that it must come after.
    pub(super) after: BTreeSet<usize>,
    /// Live rules that it must come before.
    pub(super) before: BTreeSet<usize>,
}

/// Something in the order: a live rule, or one of ours that is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Member {
    /// A live rule, by its index.
    Live(usize),
    /// One of ours, by its index in the wanted order.
    New(usize),
}

/// The wanted order of a ruleset.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sequence {
    /// Items that are placed anew, by their index.
    pub(super) placed: BTreeSet<usize>,
    /// Everything in its order, once all is placed.
    pub(super) order: Vec<Member>,
    /// Items for which there is no place, by their index.
    pub(super) impossible: Vec<usize>,
}

/// Finds the order. `live` is the number of live rules; those in `gone` are deleted.
pub(super) fn sequence(live: usize, items: &[Item], gone: &BTreeSet<usize>) -> Sequence {
    let fits = |item: &Item, at: usize| {
        item.after.iter().filter(|n| !gone.contains(n)).all(|n| *n < at)
            && item.before.iter().filter(|n| !gone.contains(n)).all(|n| *n > at)
    };
    let standing: Vec<(usize, usize)> = items
        .iter()
        .enumerate()
        .filter_map(|(n, item)| item.live.filter(|at| fits(item, *at)).map(|at| (n, at)))
        .collect();
    let kept: BTreeSet<usize> = longest_rising(&standing).into_iter().collect();
    let moved: BTreeSet<usize> = items
        .iter()
        .enumerate()
        .filter(|(n, item)| item.live.is_some() && !kept.contains(n))
        .filter_map(|(_, item)| item.live)
        .collect();
    let mut order: Vec<Member> =
        (0..live).filter(|n| !gone.contains(n) && !moved.contains(n)).map(Member::Live).collect();
    let member = |n: usize| items[n].live.map_or(Member::New(n), Member::Live);
    let mut sequence = Sequence::default();
    // The next item that stays, for each; everything before an item stands by the time it is placed.
    let mut next_kept: Vec<Option<usize>> = vec![None; items.len()];
    let mut next = None;
    for n in (0..items.len()).rev() {
        next_kept[n] = next;
        if kept.contains(&n) {
            next = Some(n);
        }
    }
    for n in (0..items.len()).filter(|n| !kept.contains(n)) {
        let index = |order: &[Member], wanted: Member| order.iter().position(|m| *m == wanted);
        let found = |order: &[Member], wanted: &BTreeSet<usize>| -> Vec<usize> {
            wanted.iter().filter_map(|n| index(order, Member::Live(*n))).collect()
        };
        let ours_before = n.checked_sub(1).and_then(|n| index(&order, member(n)));
        let ours_after = next_kept[n].and_then(|n| index(&order, member(n)));
        let lowest = found(&order, &items[n].after).into_iter().chain(ours_before).max();
        let highest = found(&order, &items[n].before).into_iter().chain(ours_after).min();
        let at = match (lowest, highest) {
            (Some(low), Some(high)) if low >= high => {
                sequence.impossible.push(n);
                low + 1
            }
            (Some(low), _) if ours_before.is_some() || highest.is_none() => low + 1,
            (_, Some(high)) => high,
            (Some(low), None) => low + 1,
            (None, None) => order.len(),
        };
        order.insert(at, member(n));
        sequence.placed.insert(n);
    }
    sequence.order = order;
    sequence
}

/// The longest part of a list of (number, place) in which the places rise, as numbers; the numbers rise already.
pub(super) fn longest_rising(list: &[(usize, usize)]) -> Vec<usize> {
    // Ends of the best rising runs by length, as indices into the list, with the way back from each element.
    let mut ends: Vec<usize> = Vec::new();
    let mut back: Vec<Option<usize>> = vec![None; list.len()];
    for (n, (_, place)) in list.iter().enumerate() {
        let length = ends.partition_point(|end| list[*end].1 < *place);
        back[n] = length.checked_sub(1).map(|l| ends[l]);
        if length == ends.len() {
            ends.push(n);
        } else {
            ends[length] = n;
        }
    }
    let mut run = Vec::new();
    let mut at = ends.last().copied();
    while let Some(n) = at {
        run.push(list[n].0);
        at = back[n];
    }
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(live: usize) -> Item {
        Item { live: Some(live), ..Item::default() }
    }

    fn order(live: usize, items: &[Item]) -> (Vec<usize>, Vec<Member>) {
        let found = sequence(live, items, &BTreeSet::new());
        assert!(found.impossible.is_empty());
        (found.placed.into_iter().collect(), found.order)
    }

    #[test]
    fn what_stands_right_stays() {
        use Member::{Live, New};
        assert_eq!(order(3, &[at(0), at(2)]).0, Vec::<usize>::new());
        // The last comes first: one move.
        assert_eq!(order(3, &[at(2), at(0), at(1)]), (vec![0], vec![Live(2), Live(0), Live(1)]));
        // A new one between two, beside a foreign one.
        assert_eq!(order(3, &[at(0), Item::default(), at(2)]), (vec![1], vec![Live(0), New(1), Live(1), Live(2)]));
        // New ones at the end, in order.
        assert_eq!(order(1, &[Item::default(), Item::default()]).1, [Live(0), New(0), New(1)]);
    }

    #[test]
    fn rules_stand_where_they_are_told_beside_foreign_ones() {
        use Member::{Live, New};
        let before = |n| Item { before: BTreeSet::from([n]), ..Item::default() };
        assert_eq!(order(2, &[before(0), before(1)]).1, [New(0), New(1), Live(0), Live(1)]);
        assert_eq!(order(2, &[before(1)]).1, [Live(0), New(0), Live(1)]);
        // It slid below a foreign rule that it belongs before.
        let slid = Item { live: Some(1), before: BTreeSet::from([0]), ..Item::default() };
        assert_eq!(order(2, &[slid]), (vec![0], vec![Live(1), Live(0)]));
    }

    #[test]
    fn an_order_that_cannot_be_is_told() {
        let both = Item { live: None, after: BTreeSet::from([1]), before: BTreeSet::from([0]) };
        assert_eq!(sequence(2, &[both], &BTreeSet::new()).impossible, [0]);
    }
}
