//! What a check of an expectation comes to.

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It holds as far as that is known; what was not evaluated, or why nothing had to be.
    PassedSoFar(String),
    /// It does not hold; what is found instead.
    Failed(String),
    /// It is unknown; why.
    Unknown(String),
}

impl Outcome {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Passed | Self::PassedSoFar(_) => "passed",
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
        }
    }

    /// What is found instead, why it is unknown, or what was not evaluated.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Passed => None,
            Self::PassedSoFar(why) | Self::Failed(why) | Self::Unknown(why) => Some(why),
        }
    }

    /// Failed if everything is known, else unknown.
    pub(super) fn failed_if(knows_all: bool, why: String) -> Self {
        if knows_all {
            Self::Failed(why)
        } else {
            Self::Unknown(format!(
                "{why} in the spec; a live record that it does not name may say otherwise"
            ))
        }
    }

    /// Several demands as one: a failed one decides, then an unknown one.
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
