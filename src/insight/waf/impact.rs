//! The impact of a change on traffic: its direction, and the sentences that explain it.

use crate::insight::direction::Direction;
use crate::insight::sentence::Sentence;

/// The sentence for a change that makes no difference to requests.
pub const NO_EFFECT: &str = "no effect on traffic";
/// Maximum number of sentences about one change. The others are counted.
const MOST_LINES: usize = 12;

/// The impact of a change on traffic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Impact {
    /// Direction of all effects together.
    pub direction: Direction,
    /// Sentences for the reviewer.
    pub lines: Vec<Sentence>,
}

impl Impact {
    /// Returns the impact of a change without any effect, optionally with a reason.
    pub(super) fn none(why: &str) -> Self {
        let line =
            if why.is_empty() { NO_EFFECT.to_owned() } else { format!("{NO_EFFECT}: {why}") };
        Self { direction: Direction::Neutral, lines: vec![line.into()] }
    }
}

/// Collects effects.
#[derive(Debug, Default)]
pub(super) struct Effects {
    direction: Direction,
    lines: Vec<String>,
    /// Remarks that are shown in addition to the effects.
    asides: Vec<String>,
}

impl Effects {
    /// Adds an effect.
    pub(super) fn add(&mut self, direction: Direction, line: String) {
        self.direction = self.direction.combine(direction);
        self.lines.push(line);
    }

    /// Adds other effects. Their direction is left out if it does not matter here.
    pub(super) fn join(&mut self, others: Self, matters: bool) {
        if matters {
            self.direction = self.direction.combine(others.direction);
        }
        self.lines.extend(others.lines);
        self.asides.extend(others.asides);
    }

    /// Adds a remark that is not an effect.
    pub(super) fn remark(&mut self, line: String) {
        self.asides.push(line);
    }

    /// Returns the impact: effects first, then remarks, up to the maximum number of lines.
    pub(super) fn finish(self) -> Impact {
        let Self { direction, mut lines, asides } = self;
        if lines.is_empty() {
            lines.push(NO_EFFECT.to_owned());
        }
        lines.extend(asides);
        if lines.len() > MOST_LINES {
            let omitted = lines.len() - (MOST_LINES - 1);
            lines.truncate(MOST_LINES - 1);
            lines.push(format!("and {omitted} more"));
        }
        Impact { direction, lines: lines.into_iter().map(Sentence::from).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_effects_are_counted() {
        let mut effects = Effects::default();
        for n in 0..20 {
            effects.add(Direction::Weakens, n.to_string());
        }
        let impact = effects.finish();
        assert_eq!((impact.lines.len(), &*impact.lines[11]), (12, "and 9 more"));
        assert_eq!(Effects::default().finish(), Impact::none(""));
    }
}
