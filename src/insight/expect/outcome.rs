//! The outcome of checking an expectation.

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectationOutcome {
    /// The statement is true.
    Passed,
    /// The statement is true as far as known. The text names the parts without a result, or the
    /// reason why none was needed.
    PassedSoFar(String),
    /// The statement is false. The text describes the actual value.
    Failed(String),
    /// The result is unknown, for this reason.
    Unknown(String),
}

impl ExpectationOutcome {
    /// Returns the word that every output uses.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Passed | Self::PassedSoFar(_) => "passed",
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Returns the value found instead, the reason why it is unknown, or the parts that were not
    /// evaluated.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Passed => None,
            Self::PassedSoFar(why) | Self::Failed(why) | Self::Unknown(why) => Some(why),
        }
    }

    /// Returns failed if everything is known, otherwise unknown.
    pub(super) fn failed_if(knows_all: bool, why: String) -> Self {
        if knows_all {
            Self::Failed(why)
        } else {
            Self::Unknown(format!(
                "{why} in the spec; a live record that it does not name may say otherwise"
            ))
        }
    }

    /// Combines several demands: a failed one decides, then an unknown one.
    pub(super) fn of_all(parts: impl IntoIterator<Item = Self>) -> Self {
        let (mut failed, mut unknown) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Self::Passed | Self::PassedSoFar(_) => {}
                Self::Failed(why) => failed.push(why),
                Self::Unknown(why) => unknown.push(why),
            }
        }
        match (failed.is_empty(), unknown.is_empty()) {
            (false, _) => Self::Failed(failed.join("; ")),
            (true, false) => Self::Unknown(unknown.join("; ")),
            (true, true) => Self::Passed,
        }
    }
}
