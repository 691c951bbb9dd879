//! The journal: the requests and results of an apply, as append-only JSON lines.
//!
//! | question | file |
//! |---|---|
//! | what is in a line? | `line` |
//! | how is a journal written? | `writer` |
//! | how is its file read? | `reader` |
//! | what is wrong with one that cannot be used? | `journal_read_error` |
//! | what did a run change? | `effects` |
//! | was an operation applied a short while ago? | `applied_operations` |
//! | what did an apply do, in numbers? | `summary` |
//! | which id does a record have that was deleted and created again? | `restored_records` |

mod applied_operations;
mod effects;
mod journal_read_error;
mod line;
mod reader;
mod restored_records;
mod summary;
mod writer;

pub use applied_operations::{AppliedBefore, AppliedOperations, EmptiedName};
pub use effects::{
    JournalRun, NewIds, ObjectEffect, PartEffect, RecordEffect, RuleDone, RuleEffect, ZoneRun,
};
pub use journal_read_error::JournalReadError;
pub use line::{JournalLine, StepFate};
pub use reader::{Bytes, JournalText, MOST_OPERATIONS};
pub use restored_records::RestoredRecords;
pub use summary::JournalSummary;
pub use writer::{JOURNAL_DIRECTORY, Journal, JournalError, JournalFile};
