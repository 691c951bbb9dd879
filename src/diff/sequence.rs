//! The order of rules: which of ours stay where they are, and where the others go.
//!
//! Foreign rules are never moved. Of ours, the longest run that stands in the wanted order already stays; each of the others
//! is placed once. So a change of order costs as few moves as possible.

use std::collections::{BTreeMap, BTreeSet};

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
    let mut order =
        Order::new((0..live).filter(|n| !gone.contains(n) && !moved.contains(n)).map(Member::Live).collect());
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
        let found = |wanted: &BTreeSet<usize>| -> Vec<Label> {
            wanted.iter().filter_map(|n| order.label(Member::Live(*n))).collect()
        };
        let ours_before = n.checked_sub(1).and_then(|n| order.label(member(n)));
        let ours_after = next_kept[n].and_then(|n| order.label(member(n)));
        let lowest = found(&items[n].after).into_iter().chain(ours_before).max();
        let highest = found(&items[n].before).into_iter().chain(ours_after).min();
        let spot = match (lowest, highest) {
            (Some(low), Some(high)) if low >= high => {
                sequence.impossible.push(n);
                Spot::After(low)
            }
            (Some(low), _) if ours_before.is_some() || highest.is_none() => Spot::After(low),
            (_, Some(high)) => Spot::Before(high),
            (Some(low), None) => Spot::After(low),
            (None, None) => Spot::End,
        };
        order.insert(spot, member(n));
        sequence.placed.insert(n);
    }
    sequence.order = order.finish();
    sequence
}

/// Stands for a place in an order: of two members, the later one has the larger label.
type Label = u128;

/// Where a member is put.
#[derive(Debug, Clone, Copy)]
enum Spot {
    /// Right behind the member with this label.
    After(Label),
    /// Right before it.
    Before(Label),
    /// Behind all.
    End,
}

/// An order into which members are put without counting where they are: there may be thousands.
#[derive(Debug, Default)]
struct Order {
    by_label: BTreeMap<Label, Member>,
    labels: BTreeMap<Member, Label>,
}

impl Order {
    /// Between the labels of members that stand there at first; leaves room below 2^128 for 2^31 of them.
    const WIDE: Label = 1 << 96;
    /// A gap that is at least so wide is halved; in a narrower one there are members already.
    const FRESH: Label = 1 << 80;
    /// From there on each member follows the one before it at this distance, so that thousands fit behind one another.
    const STEP: Label = 1 << 40;

    /// These members in this order.
    fn new(members: Vec<Member>) -> Self {
        let labels = (1..).map(|n: Label| n * Self::WIDE);
        let by_label: BTreeMap<Label, Member> = labels.zip(members).collect();
        let labels = by_label.iter().map(|(label, member)| (*member, *label)).collect();
        Self { by_label, labels }
    }

    /// Where a member is, if it is there.
    fn label(&self, member: Member) -> Option<Label> {
        self.labels.get(&member).copied()
    }

    /// Puts a member somewhere.
    fn insert(&mut self, spot: Spot, member: Member) {
        let before = |label: Label| self.by_label.range(..label).next_back().map_or(0, |(label, _)| *label);
        let (low, high) = match spot {
            Spot::After(low) => (low, self.by_label.range(low + 1..).next().map(|(label, _)| *label)),
            Spot::Before(high) => (before(high), Some(high)),
            Spot::End => (before(Label::MAX), None),
        };
        let label = match high {
            None => low + Self::WIDE,
            Some(high) if high - low >= Self::FRESH => low + (high - low) / 2,
            Some(high) if high - low >= 2 => low + Self::STEP.min((high - low) / 2),
            Some(high) => {
                // No room is left between two: all are labelled anew, which happens once in very many members.
                let next = self.by_label[&high];
                *self = Self::new(std::mem::take(self).finish());
                return self.insert(self.label(next).map_or(Spot::End, Spot::Before), member);
            }
        };
        self.by_label.insert(label, member);
        self.labels.insert(member, label);
    }

    /// All members in their order.
    fn finish(self) -> Vec<Member> {
        self.by_label.into_values().collect()
    }
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

    /// Members put anywhere stand as in a list into which they are inserted, also where room runs out again and again.
    #[test]
    fn an_order_with_labels_is_a_list() {
        let mut list: Vec<Member> = (0..5).map(Member::Live).collect();
        let mut order = Order::new(list.clone());
        let mut state = 7_u64;
        for n in 0..3_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Long runs into one and the same gap from both sides, then somewhere else.
            let around = usize::try_from(state >> 33).unwrap() % list.len();
            let at = if n % 500 < 400 { list.len() / 2 } else { around };
            let label = order.label(list[at]).unwrap();
            match state >> 60 & 3 {
                0 => {
                    order.insert(Spot::End, Member::New(n));
                    list.push(Member::New(n));
                }
                1 => {
                    order.insert(Spot::Before(label), Member::New(n));
                    list.insert(at, Member::New(n));
                }
                _ => {
                    order.insert(Spot::After(label), Member::New(n));
                    list.insert(at + 1, Member::New(n));
                }
            }
        }
        assert_eq!(order.finish(), list);
    }

    #[test]
    fn room_between_two_members_is_made() {
        let mut order = Order::new(vec![Member::Live(0), Member::Live(1)]);
        // Always right behind the first: the gap is halved until nothing is left of it, several times over.
        for n in 0..500 {
            let label = order.label(Member::Live(0)).unwrap();
            order.insert(Spot::After(label), Member::New(n));
        }
        let new = (0..500).rev().map(Member::New);
        let expected: Vec<Member> = [Member::Live(0)].into_iter().chain(new).chain([Member::Live(1)]).collect();
        assert_eq!(order.finish(), expected);
    }

    #[test]
    fn an_order_that_cannot_be_is_told() {
        let both = Item { live: None, after: BTreeSet::from([1]), before: BTreeSet::from([0]) };
        assert_eq!(sequence(2, &[both], &BTreeSet::new()).impossible, [0]);
    }
}
