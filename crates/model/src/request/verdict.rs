//! The outcome of a request, and the outcome that its author expects.

use crate::closed_set;

closed_set! {
    /// The outcome of a request.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Outcome {
        /// No rule with a known effect acts on it.
        Pass = "pass",
        /// A rule refuses it.
        Block = "block",
        /// Its sender must pass a challenge.
        Challenge = "challenge",
        /// That depends on what is not known.
        Unknown = "unknown",
    }
}

/// The outcome that an author expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictExpected {
    /// Compared with the actual outcome.
    pub outcome: Outcome,
    /// True if any other outcome is expected.
    pub is_negated: bool,
}

impl VerdictExpected {
    /// Parses `pass`, `block`, `challenge`, or one of them after `not`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let (is_negated, word) = match (words.next()?, words.next()) {
            ("not", Some(word)) => (true, word),
            (word, None) => (false, word),
            _ => return None,
        };
        let outcomes = [Outcome::Pass, Outcome::Block, Outcome::Challenge];
        let outcome = outcomes
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
            .filter(|_| words.next().is_none())?;
        Some(Self { outcome, is_negated })
    }

    /// Returns true if an outcome is as expected; `None` if that is unknown.
    #[must_use]
    pub fn is_met_by(self, outcome: Outcome) -> Option<bool> {
        (outcome != Outcome::Unknown).then_some((outcome == self.outcome) != self.is_negated)
    }
}

impl std::fmt::Display for VerdictExpected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.is_negated { "not " } else { "" }, self.outcome.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_verdicts_are_parsed() {
        let parse = |text| VerdictExpected::parse(text).map(|expected| expected.to_string());
        assert_eq!(parse("not challenge").as_deref(), Some("not challenge"));
        assert_eq!(parse("block").as_deref(), Some("block"));
        for bad in ["", "not", "unknown", "block it", "not not block"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        let expected = VerdictExpected::parse("not challenge").expect("it is one");
        assert_eq!(
            [Outcome::Pass, Outcome::Challenge, Outcome::Unknown].map(|o| expected.is_met_by(o)),
            [Some(true), Some(false), None]
        );
    }
}
