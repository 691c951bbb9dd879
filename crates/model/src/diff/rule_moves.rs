//! Decides which managed rules keep their place and where the other managed rules move.
//!
//! Foreign rules and deployments are never moved. The longest run of managed rules that is already
//! in the desired order stays; each other managed rule is placed once. So a change of order needs
//! as few moves as possible.
//!
//! Every constraint on the order is an edge of a graph: the order of the rules that stay, the order
//! of the spec's list, and the wishes (`before`, `after`, exceptions before the rules that they
//! skip). A wish is refused only if it closes a cycle.

use crate::Gather;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A managed rule in the desired order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct OrderedRule {
    /// Its current position, as an index into the live rules; `None` if it is new.
    pub(super) live: Option<usize>,
    /// True if the list does not determine its place: an existing rule stays, a new one is added at
    /// the end.
    pub(super) is_free: bool,
}

/// A member of the order: a live rule, or a new managed rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Member {
    /// A live rule, by its index.
    Live(usize),
    /// A new managed rule, by its index in the desired order.
    New(usize),
}

/// The reason why one member comes before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// Both stay where they are.
    Stays,
    /// The order of the spec's list.
    List,
    /// The wish with this index.
    Wish(usize),
}

/// A wish that contradicts other constraints: each member comes before the next one, and the last
/// is the first again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cycle {
    /// The index of the refused wish.
    pub(super) wish: usize,
    /// Pairs of members, the first of which comes before the second, with the reason.
    pub(super) steps: Vec<(Member, Member, Reason)>,
}

/// The computed order of a ruleset.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sequence {
    /// Indices of the items that are placed again.
    pub(super) placed: BTreeSet<usize>,
    /// All members, in their order after all moves.
    pub(super) order: Vec<Member>,
    /// The refused wishes, in the order of the wishes.
    pub(super) cycles: Vec<Cycle>,
}

/// The constraints on the order. Members are numbered: live rules first, then items.
struct Graph {
    /// The later members of each member, with the reason.
    next: Vec<Vec<(usize, Reason)>>,
    live: usize,
}

impl Graph {
    fn number(&self, member: Member) -> usize {
        match member {
            Member::Live(n) => n,
            Member::New(n) => self.live + n,
        }
    }

    fn member(&self, number: usize) -> Member {
        number.checked_sub(self.live).map_or(Member::Live(number), Member::New)
    }

    /// Adds edges between consecutive numbers.
    fn chain(&mut self, numbers: impl Iterator<Item = usize>, reason: Reason) {
        let mut last = None;
        for number in numbers {
            if let Some(last) = last.replace(number) {
                self.next[last].push((number, reason));
            }
        }
    }

    /// Returns all numbers in topological order. Numbers in cycles and after cycles are missing.
    fn topological(&self) -> Vec<usize> {
        let mut predecessors = vec![0_usize; self.next.len()];
        self.next.iter().flatten().for_each(|(n, _)| predecessors[*n] += 1);
        let mut order: Vec<usize> =
            (0..predecessors.len()).filter(|n| predecessors[*n] == 0).collect();
        let mut at = 0;
        while let Some(number) = order.get(at).copied() {
            at += 1;
            for (n, _) in &self.next[number] {
                predecessors[*n] -= 1;
                if predecessors[*n] == 0 {
                    order.push(*n);
                }
            }
        }
        order
    }

    /// Returns the shortest path from one number to another.
    fn way(&self, from: usize, to: usize) -> Option<Vec<(usize, usize, Reason)>> {
        let mut came: BTreeMap<usize, (usize, Reason)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(number) = queue.pop_front().filter(|n| *n != to) {
            for (n, reason) in &self.next[number] {
                if *n != from && !came.contains_key(n) {
                    came.insert(*n, (number, *reason));
                    queue.push_back(*n);
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = to;
        while at != from {
            let (previous, reason) = came.get(&at).copied()?;
            steps.push((previous, at, reason));
            at = previous;
        }
        steps.reverse();
        Some(steps)
    }

    /// Removes the first wish that closes a cycle and returns the cycle.
    fn break_cycle(&mut self, wishes: &[(Member, Member)], refused: &[Cycle]) -> Option<Cycle> {
        let open = (0..wishes.len()).filter(|wish| refused.iter().all(|c| c.wish != *wish));
        for wish in open {
            let (first, then) = (self.number(wishes[wish].0), self.number(wishes[wish].1));
            let Some(way) = self.way(then, first) else { continue };
            self.next[first].retain(|(_, reason)| *reason != Reason::Wish(wish));
            let steps = std::iter::once((first, then, Reason::Wish(wish))).chain(way);
            let mut joined: Vec<(Member, Member, Reason)> = Vec::new();
            for (from, to, reason) in steps {
                match joined.last_mut().filter(|(.., last)| *last == reason) {
                    Some((_, end, _)) => *end = self.member(to),
                    None => joined.push((self.member(from), self.member(to), reason)),
                }
            }
            return Some(Cycle { wish, steps: joined });
        }
        None
    }
}

/// Computes the order. `live` is the number of live rules; the rules in `gone` are deleted. The
/// first member of each wish comes before the second.
pub(super) fn sequence(
    live: usize,
    items: &[OrderedRule],
    wishes: &[(Member, Member)],
    gone: &BTreeSet<usize>,
) -> Sequence {
    let member = |n: usize| items[n].live.map_or(Member::New(n), Member::Live);
    let listed: Vec<usize> = (0..items.len()).filter(|n| !items[*n].is_free).collect();
    let listed_live: BTreeSet<usize> = listed.iter().filter_map(|n| items[*n].live).gather();
    let stays = |n: &usize| !gone.contains(n) && !listed_live.contains(n);
    let mut graph = Graph { next: vec![Vec::new(); live + items.len()], live };
    graph.chain((0..live).filter(stays), Reason::Stays);
    let numbers: Vec<usize> = listed.iter().map(|n| graph.number(member(*n))).collect();
    graph.chain(numbers.into_iter(), Reason::List);
    for (wish, (first, then)) in wishes.iter().enumerate() {
        let (first, then) = (graph.number(*first), graph.number(*then));
        graph.next[first].push((then, Reason::Wish(wish)));
    }
    let mut cycles: Vec<Cycle> = Vec::new();
    let mut sorted = graph.topological();
    while sorted.len() < graph.next.len()
        && let Some(cycle) = graph.break_cycle(wishes, &cycles)
    {
        cycles.push(cycle);
        sorted = graph.topological();
    }
    // For each member, the last unmoved rule among its predecessors and the first among its
    // successors.
    let (mut lowest, mut highest) = (vec![None; graph.next.len()], vec![None; graph.next.len()]);
    let unmoved = |n: usize| Some(n).filter(|n| *n < live && stays(n));
    for n in &sorted {
        for (next, _) in &graph.next[*n] {
            lowest[*next] = lowest[*next].max(unmoved(*n).or(lowest[*n]));
        }
    }
    for n in sorted.iter().rev() {
        let highest_followers =
            graph.next[*n].iter().filter_map(|(next, _)| unmoved(*next).or(highest[*next]));
        highest[*n] = highest_followers.min();
    }
    let standing: Vec<(usize, usize)> =
        listed.iter().filter_map(|n| Some((*n, items[*n].live?))).collect();
    let fits = |(_, at): &(usize, usize)| {
        lowest[*at].is_none_or(|low: usize| low < *at)
            && highest[*at].is_none_or(|high: usize| high > *at)
    };
    let kept: BTreeSet<usize> =
        longest_rising(&standing.into_iter().filter(fits).collect::<Vec<_>>()).into_iter().gather();
    let moved: BTreeSet<usize> =
        listed.iter().filter(|n| !kept.contains(n)).filter_map(|n| items[*n].live).gather();
    let mut order = Order::new(
        (0..live).filter(|n| !gone.contains(n) && !moved.contains(n)).map(Member::Live).collect(),
    );
    let mut placed = BTreeSet::new();
    let mut kept_after: Vec<usize> = kept.iter().rev().copied().collect();
    for (at, n) in listed.iter().enumerate() {
        if kept.contains(n) {
            kept_after.pop();
            continue;
        }
        let number = graph.number(member(*n));
        let label = |live: Option<usize>| live.and_then(|n| order.label(Member::Live(n)));
        let ours_before = at.checked_sub(1).and_then(|at| order.label(member(listed[at])));
        let ours_after = kept_after.last().and_then(|n| order.label(member(*n)));
        let low = label(lowest[number]).into_iter().chain(ours_before).max();
        let high = label(highest[number]).into_iter().chain(ours_after).min();
        let spot = match (low, high) {
            (Some(low), _) if ours_before.is_some() || high.is_none() => Spot::After(low),
            (_, Some(high)) => Spot::Before(high),
            (Some(low), None) => Spot::After(low),
            (None, None) => Spot::End,
        };
        order.insert(spot, member(*n));
        placed.insert(*n);
    }
    // New free items go to the end, unless another member has to come after them.
    for n in (0..items.len()).filter(|n| items[*n].is_free && items[*n].live.is_none()) {
        let number = graph.number(member(n));
        let follower_labels =
            graph.next[number].iter().filter_map(|(n, _)| order.label(graph.member(*n)));
        let high = highest[number]
            .and_then(|n| order.label(Member::Live(n)))
            .into_iter()
            .chain(follower_labels)
            .min();
        order.insert(high.map_or(Spot::End, Spot::Before), member(n));
        placed.insert(n);
    }
    Sequence { placed, order: order.finish(), cycles }
}

/// Represents a position in an order: of two members, the later one has the larger label.
type Label = u128;

/// The position at which a member is inserted.
#[derive(Debug, Clone, Copy)]
enum Spot {
    /// Directly after the member with this label.
    After(Label),
    /// Directly before the member with this label.
    Before(Label),
    /// After all members.
    End,
}

/// An order that supports insertion without counting positions, because there may be thousands of
/// members.
#[derive(Debug, Default)]
struct Order {
    by_label: BTreeMap<Label, Member>,
    labels: BTreeMap<Member, Label>,
}

impl Order {
    /// Distance between the labels of the initial members; 2^31 of them fit below 2^128.
    const WIDE: Label = 1 << 96;
    /// A gap of at least this width is halved; a narrower gap already has members in it.
    const FRESH: Label = 1 << 80;
    /// In a narrow gap, each new member follows its predecessor at this distance, so that thousands
    /// fit one after another.
    const STEP: Label = 1 << 40;

    fn new(members: Vec<Member>) -> Self {
        let labels = (1..).map(|n: Label| n * Self::WIDE);
        let by_label: BTreeMap<Label, Member> = labels.zip(members).gather();
        let labels = by_label.iter().map(|(label, member)| (*member, *label)).gather();
        Self { by_label, labels }
    }

    fn label(&self, member: Member) -> Option<Label> {
        self.labels.get(&member).copied()
    }

    fn insert(&mut self, spot: Spot, member: Member) {
        let label_below =
            |label: Label| self.by_label.range(..label).next_back().map_or(0, |(label, _)| *label);
        let (low, high) = match spot {
            Spot::After(low) => {
                (low, self.by_label.range(low + 1..).next().map(|(label, _)| *label))
            }
            Spot::Before(high) => (label_below(high), Some(high)),
            Spot::End => (label_below(Label::MAX), None),
        };
        let label = match high {
            None => low + Self::WIDE,
            Some(high) if high - low >= Self::FRESH => low + (high - low) / 2,
            Some(high) if high - low >= 2 => low + Self::STEP.min((high - low) / 2),
            Some(high) => {
                // No label is free between the two members, so all members get new labels. This is
                // rare.
                let upper_member = self.by_label[&high];
                *self = Self::new(std::mem::take(self).finish());
                return self
                    .insert(self.label(upper_member).map_or(Spot::End, Spot::Before), member);
            }
        };
        self.by_label.insert(label, member);
        self.labels.insert(member, label);
    }

    fn finish(self) -> Vec<Member> {
        self.by_label.into_values().collect()
    }
}

/// Returns the longest subsequence of (number, place) pairs in which the places rise. The numbers
/// rise already.
pub(super) fn longest_rising(list: &[(usize, usize)]) -> Vec<usize> {
    // Ends of the best rising runs by length, as indices into the list, with the predecessor of
    // each element.
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
    use super::Member::{Live, New};
    use super::*;

    fn at(live: usize) -> OrderedRule {
        OrderedRule { live: Some(live), ..OrderedRule::default() }
    }

    fn new() -> OrderedRule {
        OrderedRule::default()
    }

    fn free(live: Option<usize>) -> OrderedRule {
        OrderedRule { live, is_free: true }
    }

    #[track_caller]
    fn order(
        live: usize,
        items: &[OrderedRule],
        wishes: &[(Member, Member)],
    ) -> (Vec<usize>, Vec<Member>) {
        let found = sequence(live, items, wishes, &BTreeSet::new());
        assert!(found.cycles.is_empty(), "{:?}", found.cycles);
        (found.placed.into_iter().collect(), found.order)
    }

    #[test]
    fn what_is_right_stays() {
        assert_eq!(order(3, &[at(0), at(2)], &[]).0, Vec::<usize>::new());
        // The last rule moves to the beginning: one move.
        assert_eq!(
            order(3, &[at(2), at(0), at(1)], &[]),
            (vec![0], vec![Live(2), Live(0), Live(1)])
        );
        // A new rule between two managed rules, beside a foreign rule.
        assert_eq!(
            order(3, &[at(0), new(), at(2)], &[]),
            (vec![1], vec![Live(0), New(1), Live(1), Live(2)])
        );
        // New rules at the end, in order.
        assert_eq!(order(1, &[new(), new()], &[]).1, [Live(0), New(0), New(1)]);
    }

    #[test]
    fn rules_are_placed_beside_foreign_ones() {
        assert_eq!(
            order(2, &[new(), new()], &[(New(0), Live(0)), (New(1), Live(1))]).1,
            [New(0), New(1), Live(0), Live(1)]
        );
        assert_eq!(order(2, &[new()], &[(New(0), Live(1))]).1, [Live(0), New(0), Live(1)]);
        // The rule is below a foreign rule that it must precede.
        assert_eq!(order(2, &[at(1)], &[(Live(1), Live(0))]), (vec![0], vec![Live(1), Live(0)]));
    }

    /// A wish of a later entry also applies to the entries before it in the list, and the reverse.
    #[test]
    fn wishes_count_for_the_rest_of_the_list() {
        assert_eq!(
            order(2, &[new(), new()], &[(New(1), Live(1))]).1,
            [Live(0), New(0), New(1), Live(1)]
        );
        let both = order(3, &[at(2), new()], &[(New(1), Live(0))]);
        assert_eq!(both, (vec![0, 1], vec![Live(2), New(1), Live(0), Live(1)]));
        assert_eq!(
            order(3, &[new(), at(0)], &[(Live(1), New(0))]).1,
            [Live(1), New(0), Live(0), Live(2)]
        );
    }

    /// A new deployment is placed where a wish needs it, and otherwise at the end.
    #[test]
    fn deployments_follow_what_comes_before_them() {
        // Two exceptions: one from a new deployment, one from an existing one.
        let wishes = [(New(0), New(2)), (New(1), Live(0))];
        assert_eq!(
            order(1, &[new(), new(), free(None)], &wishes).1,
            [New(0), New(1), Live(0), New(2)]
        );
        // An exception between the two.
        let wishes = [(New(1), New(0)), (New(0), Live(0))];
        assert_eq!(order(1, &[new(), free(None)], &wishes).1, [New(1), New(0), Live(0)]);
    }

    #[test]
    fn a_cycle_is_told_with_its_reasons() {
        let cycles = |live, items: &[OrderedRule], wishes: &[(Member, Member)]| {
            sequence(live, items, wishes, &BTreeSet::new()).cycles
        };
        let found = cycles(2, &[new()], &[(Live(1), New(0)), (New(0), Live(0))]);
        let steps = vec![
            (Live(1), New(0), Reason::Wish(0)),
            (New(0), Live(0), Reason::Wish(1)),
            (Live(0), Live(1), Reason::Stays),
        ];
        assert_eq!(found, [Cycle { wish: 0, steps }]);
        // The list contradicts the wish.
        let steps = vec![(New(1), New(0), Reason::Wish(0)), (New(0), New(1), Reason::List)];
        assert_eq!(cycles(0, &[new(), new()], &[(New(1), New(0))]), [Cycle { wish: 0, steps }]);
        // This rule should come before itself.
        assert_eq!(
            cycles(0, &[new()], &[(New(0), New(0))])[0].steps,
            [(New(0), New(0), Reason::Wish(0))]
        );
        // Each contradiction is reported, and the other members have an order.
        let all = sequence(
            1,
            &[new(), new()],
            &[(New(1), New(0)), (New(0), New(0)), (New(1), Live(0))],
            &BTreeSet::new(),
        );
        assert_eq!(all.cycles.iter().map(|c| c.wish).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(all.order, [New(0), New(1), Live(0)]);
    }

    /// An order with labels equals a list with the same insertions, even when labels run out.
    #[test]
    fn an_order_with_labels_is_a_list() {
        let mut list: Vec<Member> = (0..5).map(Member::Live).collect();
        let mut order = Order::new(list.clone());
        let mut state = 7_u64;
        for n in 0..3_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            // Long runs of insertions into one gap from both sides, then somewhere else.
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
        // Always directly after the first member: the gap is halved several times until it is used
        // up.
        for n in 0..500 {
            let label = order.label(Member::Live(0)).unwrap();
            order.insert(Spot::After(label), Member::New(n));
        }
        let new = (0..500).rev().map(Member::New);
        let expected: Vec<Member> =
            [Member::Live(0)].into_iter().chain(new).chain([Member::Live(1)]).collect();
        assert_eq!(order.finish(), expected);
    }
}
