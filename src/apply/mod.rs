//! Executes a plan: no choices of its own, nothing written twice, nothing reported that was not seen.
//!
//! Each step is written to the journal before it is sent and again when its outcome is known. A lost response is
//! settled by reading. What Cloudflare refuses is narrowed down to the name concerned, so that the rest still lands.

mod attempts_and_waits;
mod create_zone;
mod event;
mod executor;
mod expect;
mod journal;
mod journal_applied;
mod journal_line;
mod journal_run;
mod journal_text;
mod ordered_events;
mod outcome;
mod record_queue;
mod records;
mod response;
mod rules;
mod server_dry_run;
mod settings;
mod settle;

mod undo;
mod undo_conflict;
mod undo_rules;
mod undo_settings;
mod verify;
mod write_responses;
mod zones;

pub use create_zone::Prepared;
pub use event::{ApplyEvent, Observer};
pub use executor::{Executor, Verify};
pub use expect::{Index, OperationState, state_of};
pub use journal::{Clock, JOURNAL_DIRECTORY, Journal, JournalError, JournalFile};
pub use journal_applied::{AppliedBefore, AppliedOperations};
pub use journal_line::{JournalLine, StepFate};
pub use journal_run::{Entry, JournalRun, PartEffect, RecordEffect, RuleDone, RuleEffect, ZoneRun};
pub use journal_text::{Bytes, JournalReadError, JournalText, MOST_OPERATIONS};
pub use outcome::{Noticed, Outcome, RecordsApplied, ZoneApplied};
pub use server_dry_run::{DryRunResult, DryRuns, dry_runs, note_server_check, server_dry_run};
pub use undo::{Undone, needed, undo_zone};
pub use undo_conflict::Moved;
pub use verify::Verified;
pub use zones::{ZoneDone, ZoneWork};
