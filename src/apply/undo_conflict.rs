//! What keeps an undo from reverting something: it is no longer as the apply left it.

use super::journal_run::Entry;

/// Something that is no longer as an apply left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The operation's address.
    pub address: String,
    /// What is different.
    pub what: String,
}

/// A conflict at the address of an entry.
pub(super) fn conflict<T>(entry: &Entry<T>, what: impl AsRef<str>) -> Moved {
    let certain = if entry.is_certain { "" } else { " (whether the apply changed it is not known)" };
    let what = format!("{}; the apply was at {}{certain}", what.as_ref(), entry.sent_at);
    Moved { address: entry.address.clone(), what }
}
