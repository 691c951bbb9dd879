//! The order of a ruleset while operations are executed one after the other.
//!
//! Positions are relative to rules that exist at that time, so each operation is executed here as
//! well. There is no search from the start of the list, because it may have thousands of rules.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::subject::RuleAction;
use crate::diff::{Member, PhaseChanges, RuleChange, RuleChangeKind};
use crate::model::Gather;
use crate::model::ruleset::{LiveRule, Position, RuleId};

/// The order of a ruleset.
pub(super) struct RulePositions<'a> {
    /// The rules as they were read.
    rules: &'a [LiveRule],
    /// The previous position of each rule.
    numbers: HashMap<&'a RuleId, usize>,
    /// The desired order.
    wanted: &'a [Member],
    /// The position of each member in the desired order.
    ranks: BTreeMap<Member, usize>,
    /// The positions that are settled already. The other members are still to be placed.
    settled: BTreeSet<usize>,
    /// The current order.
    now: LinkedNumbers,
}

impl<'a> RulePositions<'a> {
    /// Begins with the order as read.
    pub(super) fn new(rules: &'a [LiveRule], phase: &'a PhaseChanges) -> Self {
        let waiting: BTreeSet<Member> = phase.changes.iter().filter_map(|c| c.placed).gather();
        let desired_order = &phase.order;
        let created_count = desired_order
            .iter()
            .filter_map(|m| if let Member::New(n) = m { Some(n + 1) } else { None })
            .max();
        Self {
            rules,
            // The first of several rules with one id, although ids are unique.
            numbers: rules.iter().enumerate().rev().map(|(n, rule)| (&rule.id, n)).collect(),
            wanted: desired_order,
            ranks: desired_order.iter().enumerate().map(|(rank, member)| (*member, rank)).gather(),
            settled: (0..desired_order.len())
                .filter(|rank| !waiting.contains(&desired_order[*rank]))
                .collect(),
            now: LinkedNumbers::new(rules.len(), created_count.unwrap_or(0)),
        }
    }

    /// Returns the action of a change, and executes it here as well.
    pub(super) fn action(&mut self, change: &RuleChange) -> RuleAction {
        let position = change.placed.map(|member| self.place(member));
        match &change.kind {
            RuleChangeKind::Create => RuleAction::Create {
                after: change.after.clone(),
                // Without a position, a rule is placed at the end.
                position: position.filter(|p| *p != Position::Last),
            },
            RuleChangeKind::Update(live) => RuleAction::Update {
                id: live.id.clone(),
                before: live.body.clone(),
                after: change.after.clone(),
                position,
            },
            RuleChangeKind::Move(live) => RuleAction::Move {
                id: live.id.clone(),
                body: live.body.clone(),
                position: position.unwrap_or(Position::Last),
            },
            RuleChangeKind::Delete(live, reason) => {
                if let Some(n) = self.numbers.get(&live.id) {
                    self.now.remove(*n);
                }
                RuleAction::Delete {
                    id: live.id.clone(),
                    before: live.body.clone(),
                    reason: *reason,
                }
            }
        }
    }

    /// Places a member among those that are settled, and returns its position.
    fn place(&mut self, member: Member) -> Position {
        let number = self.number(member);
        self.now.remove(number);
        let own_rank = self.ranks.get(&member).copied();
        // The nearest settled member that follows. Others may still be waiting to be placed.
        let next_rank = self.settled.range(own_rank.map_or(0, |rank| rank + 1)..).next();
        let next_number = next_rank.map(|rank| self.number(self.wanted[*rank]));
        self.settled.extend(own_rank);
        let position = match next_number {
            None => Position::Last,
            Some(next) => match (self.id(next), self.now.before(next)) {
                (Some(id), _) => Position::Before(id.clone()),
                (None, None) => Position::First,
                (None, Some(previous)) => match self.id(previous) {
                    Some(id) => Position::After(id.clone()),
                    None => Position::Index(self.now.count_before(next) + 1),
                },
            },
        };
        self.now.insert(number, next_number);
        position
    }

    /// Returns the number of a member in the line. Rules that were read come first.
    fn number(&self, member: Member) -> usize {
        match member {
            Member::Live(n) => n,
            Member::New(n) => self.rules.len() + n,
        }
    }

    /// Returns the id of the member with this number; `None` if it is new.
    fn id(&self, number: usize) -> Option<&'a RuleId> {
        self.rules.get(number).map(|rule| &rule.id)
    }
}

/// An ordered line of numbers, linked to their neighbours.
struct LinkedNumbers {
    /// The predecessor of each number and, as the last entry, of the end. A number outside the line
    /// is its own predecessor.
    previous: Vec<usize>,
    /// The successor of each number and, as the last entry, of the end: the first number.
    next: Vec<usize>,
}

impl LinkedNumbers {
    /// Returns a line of `placed` numbers. Further `unplaced` numbers are outside the line.
    fn new(placed: usize, unplaced: usize) -> Self {
        let end = placed + unplaced;
        let mut line = Self { previous: (0..=end).collect(), next: (0..=end).collect() };
        (0..placed).for_each(|n| line.insert(n, None));
        line
    }

    /// Returns the number that means the end.
    fn end(&self) -> usize {
        self.next.len() - 1
    }

    /// Removes a number, if it is in the line.
    fn remove(&mut self, number: usize) {
        let (previous, next) = (self.previous[number], self.next[number]);
        (self.next[previous], self.previous[next]) = (next, previous);
        (self.next[number], self.previous[number]) = (number, number);
    }

    /// Inserts a number before another, or at the end.
    fn insert(&mut self, number: usize, before: Option<usize>) {
        let following = before.unwrap_or(self.end());
        let previous = self.previous[following];
        (self.previous[number], self.next[number]) = (previous, following);
        (self.next[previous], self.previous[following]) = (number, number);
    }

    /// Returns the predecessor of a number.
    fn before(&self, number: usize) -> Option<usize> {
        Some(self.previous[number]).filter(|n| *n != self.end())
    }

    /// Returns how many numbers precede a number. This visits all of them, and is called only if a
    /// rule is placed between two without ids.
    fn count_before(&self, number: usize) -> usize {
        std::iter::successors(self.before(number), |n| self.before(*n)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_list() {
        let mut line = LinkedNumbers::new(3, 2);
        let all = |line: &LinkedNumbers| {
            let all = std::iter::successors(line.before(line.end()), |n| line.before(*n));
            let mut all: Vec<usize> = all.collect();
            all.reverse();
            all
        };
        assert_eq!(all(&line), [0, 1, 2]);
        line.remove(4);
        line.insert(4, Some(0));
        line.insert(3, None);
        line.remove(1);
        assert_eq!(all(&line), [4, 0, 2, 3]);
        assert_eq!((line.before(4), line.before(2), line.count_before(3)), (None, Some(0), 3));
        line.insert(1, Some(2));
        assert_eq!(all(&line), [4, 0, 1, 2, 3]);
    }
}
