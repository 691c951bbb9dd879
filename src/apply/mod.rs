//! Executes a plan: no choices of its own, nothing written twice, nothing reported that was not seen.
//!
//! Each step is written to the journal before it is sent and again when its outcome is known. An answer that got lost is
//! settled by reading. What the service refuses is narrowed down to the name concerned, so that the rest still lands.

mod answer;
mod around;
mod conflict;
mod event;
mod executor;
mod expect;
mod journal;
mod journal_run;
mod outcome;
mod parts;
mod rehearse;
mod repeats;
mod rules;
mod run;
mod settle;
mod turns;
mod undo;
mod undo_parts;
mod undo_rules;
mod verify;
mod waits;
mod zones;

pub use around::Prepared;
pub use conflict::Moved;
pub use event::{ApplyEvent, Observer};
pub use executor::Executor;
pub use expect::{Index, OperationState, state_of};
pub use journal::{Clock, Journal, JournalError, JournalFile};
pub use journal_run::{
    Entry, JournalReadError, JournalRun, PartEffect, RecordEffect, RuleDone, RuleEffect, ZoneRun, outline, read_journal,
};
pub use outcome::{Outcome, ZoneApplied};
pub use rehearse::{Rehearsed, rehearse};
pub use repeats::{Applied, Repeated};
pub use undo::{Undone, needed, undo_zone};
pub use verify::Verified;
pub use zones::{ZoneDone, ZoneWork};
