//! Exit codes: a contract with pipelines.

use std::process::ExitCode;

use thiserror::Error;

/// How a run ended, as [`Exit::meaning`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0.
    Success,
    /// 1.
    Error,
    /// 2.
    Differences,
    /// The number that the caller chose for differences.
    Chosen(u8),
    /// 3.
    Refused,
    /// 4.
    Stale,
    /// 5.
    Partial,
    /// 64.
    Usage,
}

impl Exit {
    /// All that a caller does not choose, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Success,
        Self::Error,
        Self::Differences,
        Self::Refused,
        Self::Stale,
        Self::Partial,
        Self::Usage,
    ];

    /// What it means, for `help exit-codes`.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Success => "done, or no difference",
            Self::Error => "error, nothing was written",
            Self::Differences | Self::Chosen(_) => {
                "differences (drift, or what --drift-exit-code says; plan and waf diff with --detailed-exitcode, diff --exit-code, waf lock --check), or a failed expectation (test, rehearse)"
            }
            Self::Refused => {
                "a consent is missing (apply, undo, plan with --detailed-exitcode), or the confirmation was declined"
            }
            Self::Stale => {
                "the live state or the base is not what the plan or the undo expects, nothing was written"
            }
            Self::Partial => "applied in part, the journal says what",
            Self::Usage => "wrong usage",
        }
    }

    /// The number.
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

/// The end of a run before its result. It is an error, so that `?` ends the run.
#[derive(Debug, Error)]
pub(super) enum Ended {
    /// What ended it was reported.
    #[error("the run has ended")]
    Reported(Exit),
    /// Wrong usage, and what to write instead.
    #[error("{0}")]
    Usage(String),
}

impl Ended {
    /// Wrong usage, as the error of a command.
    pub(super) fn usage(message: impl Into<String>) -> anyhow::Error {
        Self::Usage(message.into()).into()
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
