//! The order of a ruleset while operations are being carried out, one after the other.
//!
//! Positions are said relative to rules that exist by then, so each operation is carried out here
//! as well. Nothing is looked for from the start of the list: it may have thousands of rules.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::subject::RuleAction;
use crate::diff::{Member, PhaseChanges, RuleChange, RuleChangeKind};
use crate::model::Gather;
use crate::model::ruleset::{LiveRule, Position, RuleId};

/// The order of a ruleset.
pub(super) struct RulePositions<'a> {
    /// The rules as they were read.
    rules: &'a [LiveRule],
    /// Where each of them was.
    numbers: HashMap<&'a RuleId, usize>,
    /// The order wanted in the end.
    wanted: &'a [Member],
    /// Where each member is in it.
    ranks: BTreeMap<Member, usize>,
    /// Those of them that are in place already; the others are placed again and have not been yet.
    settled: BTreeSet<usize>,
    /// What is there now.
    now: Line,
}

impl<'a> RulePositions<'a> {
    /// As it was read.
    pub(super) fn new(rules: &'a [LiveRule], phase: &'a PhaseChanges) -> Self {
        let waiting: BTreeSet<Member> = phase.changes.iter().filter_map(|c| c.placed).gather();
        let wanted = &phase.order;
        let new = wanted
            .iter()
            .filter_map(|m| if let Member::New(n) = m { Some(n + 1) } else { None })
            .max();
        Self {
            rules,
            // The first of several, though ids are unique.
            numbers: rules.iter().enumerate().rev().map(|(n, rule)| (&rule.id, n)).collect(),
            wanted,
            ranks: wanted.iter().enumerate().map(|(rank, member)| (*member, rank)).gather(),
            settled: (0..wanted.len()).filter(|rank| !waiting.contains(&wanted[*rank])).collect(),
            now: Line::new(rules.len(), new.unwrap_or(0)),
        }
    }

    /// The action of a change, carried out here as well.
    pub(super) fn action(&mut self, change: &RuleChange) -> RuleAction {
        let position = change.placed.map(|member| self.place(member));
        match &change.kind {
            RuleChangeKind::Create => RuleAction::Create {
                after: change.after.clone(),
                // Without a position a rule goes to the end.
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

    /// Puts a member where it belongs among those that are in place already, and says where that
    /// is.
    fn place(&mut self, member: Member) -> Position {
        let number = self.number(member);
        self.now.remove(number);
        let own = self.ranks.get(&member).copied();
        // The nearest that follows and is in place; others may still be waiting for their own turn.
        let next = self.settled.range(own.map_or(0, |rank| rank + 1)..).next();
        let next = next.map(|rank| self.number(self.wanted[*rank]));
        self.settled.extend(own);
        let position = match next {
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
        self.now.insert(number, next);
        position
    }

    /// The number of a member in the line: those that were read come first.
    fn number(&self, member: Member) -> usize {
        match member {
            Member::Live(n) => n,
            Member::New(n) => self.rules.len() + n,
        }
    }

    /// The id of the member with this number; none if it is new.
    fn id(&self, number: usize) -> Option<&'a RuleId> {
        self.rules.get(number).map(|rule| &rule.id)
    }
}

/// Numbers in a row, linked to their neighbours.
struct Line {
    /// What is before each number, and before the end, which is the last entry; itself for what is
    /// nowhere.
    previous: Vec<usize>,
    /// What is behind each number, and behind the end: the first.
    next: Vec<usize>,
}

impl Line {
    /// As many numbers in a row, and as many more that are nowhere yet.
    fn new(placed: usize, unplaced: usize) -> Self {
        let end = placed + unplaced;
        let mut line = Self { previous: (0..=end).collect(), next: (0..=end).collect() };
        (0..placed).for_each(|n| line.insert(n, None));
        line
    }

    /// The number that means the end.
    fn end(&self) -> usize {
        self.next.len() - 1
    }

    /// Takes a number out, if it is anywhere.
    fn remove(&mut self, number: usize) {
        let (previous, next) = (self.previous[number], self.next[number]);
        (self.next[previous], self.previous[next]) = (next, previous);
        (self.next[number], self.previous[number]) = (number, number);
    }

    /// Puts a number that is nowhere before another, or at the end.
    fn insert(&mut self, number: usize, before: Option<usize>) {
        let next = before.unwrap_or(self.end());
        let previous = self.previous[next];
        (self.previous[number], self.next[number]) = (previous, next);
        (self.next[previous], self.previous[next]) = (number, number);
    }

    /// What is right before a number.
    fn before(&self, number: usize) -> Option<usize> {
        Some(self.previous[number]).filter(|n| *n != self.end())
    }

    /// How many are before a number. This goes through all of them, and is asked only where a rule
    /// is put between two that have no ids yet.
    fn count_before(&self, number: usize) -> usize {
        std::iter::successors(self.before(number), |n| self.before(*n)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_list() {
        let mut line = Line::new(3, 2);
        let all = |line: &Line| {
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
