//! The journal: what an apply did, as append-only JSON lines.
//!
//! | question | file |
//! |---|---|
//! | what is in a line? | `line` |
//! | how is a journal written? | `writer` |
//! | how is its file read, and what is wrong with one that cannot be? | `reader` |
//! | what did a run change? | `effects` |
//! | was an operation applied a short while ago? | `applied_operations` |

mod applied_operations;
mod effects;
mod line;
mod reader;
mod writer;

pub use applied_operations::{AppliedBefore, AppliedOperations};
pub use effects::{Entry, JournalRun, PartEffect, RecordEffect, RuleDone, RuleEffect, ZoneRun};
pub use line::{JournalLine, StepFate};
pub use reader::{Bytes, JournalReadError, JournalText, MOST_OPERATIONS};
pub use writer::{Clock, JOURNAL_DIRECTORY, Journal, JournalError, JournalFile};
