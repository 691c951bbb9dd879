//! Defines the exit codes, which are a contract with pipelines.

use std::process::ExitCode;

use thiserror::Error;

/// Result of a run. [`Exit::meaning`] describes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Exit code 0.
    Success,
    /// Exit code 1.
    Error,
    /// Exit code 2.
    Differences,
    /// The exit code that the caller chose for differences.
    Chosen(u8),
    /// Exit code 3.
    Refused,
    /// Exit code 4.
    Stale,
    /// Exit code 5.
    Partial,
    /// Exit code 64.
    Usage,
}

impl Exit {
    /// All fixed exit codes in ascending order.
    pub const ALL: [Self; 7] = [
        Self::Success,
        Self::Error,
        Self::Differences,
        Self::Refused,
        Self::Stale,
        Self::Partial,
        Self::Usage,
    ];

    /// Returns the description for `help exit-codes`.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Success => "done, or no difference",
            Self::Error => "error, nothing was written",
            Self::Differences | Self::Chosen(_) => {
                "differences (drift, or what --drift-exit-code says; plan, diff and waf rules --changes with --detailed-exitcode, waf rules --check), or a failed expectation (test, rehearse)"
            }
            Self::Refused => {
                "a consent is missing (apply, undo, plan with --detailed-exitcode), or the \
                confirmation was declined"
            }
            Self::Stale => {
                "the live state or the base is not what the plan or the undo expects, nothing was \
                written"
            }
            Self::Partial => "applied in part, the journal says what",
            Self::Usage => "wrong usage",
        }
    }

    /// Returns the number of the exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Error => 1,
            Self::Differences => 2,
            Self::Chosen(code) => code,
            Self::Refused => 3,
            Self::Stale => 4,
            Self::Partial => 5,
            Self::Usage => 64,
        }
    }
}

/// The end of a run before its result. It is an error so that `?` ends the run.
#[derive(Debug, Error)]
pub(super) enum Ended {
    /// The cause was reported.
    #[error("the run has ended")]
    Reported(Exit),
    /// Wrong usage, and what to write instead.
    #[error("{0}")]
    Usage(String),
}

impl Ended {
    /// Returns the error of a command for wrong usage.
    pub(super) fn usage(message: impl Into<String>) -> anyhow::Error {
        Self::Usage(message.into()).into()
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
