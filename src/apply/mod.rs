//! Executes a plan. It makes no choices of its own, repeats no write that took effect, and reports
//! only what it has observed.
//!
//! Each step is written to the journal before it is sent and again when its outcome is known. A
//! lost response is settled by reading. A refused request is narrowed down to the name concerned,
//! so that the other changes still take effect.

mod create_zone;
mod event;
mod executor;
mod failed_writes;
mod journal;
mod ordered_events;
mod outcome;
mod preconditions;
mod record_queue;
mod records;
mod rules;
mod server_dry_run;
mod settings;
mod undo;
mod undo_conflict;
mod undo_rules;
mod undo_settings;
mod verify;
mod waits;
mod write_attempts;
mod write_responses;
mod zones;

pub use create_zone::Prepared;
pub use event::{ApplyEvent, Observer};
pub use executor::{Executor, Verify};
pub use journal::{
    AppliedBefore, AppliedOperations, Bytes, EmptiedName, JOURNAL_DIRECTORY, Journal, JournalError,
    JournalFile, JournalLine, JournalReadError, JournalRun, JournalSummary, JournalText,
    MOST_OPERATIONS, NewIds, ObjectEffect, PartEffect, RecordEffect, RestoredRecords, RuleDone,
    RuleEffect, StepFate, ZoneRun,
};
pub use outcome::{Noticed, OperationOutcome, RecordsApplied, ZoneApplied};
pub use preconditions::{LiveIndex, OperationState, state_of};
pub use server_dry_run::{DryRunResult, DryRuns, dry_runs, note_server_check, server_dry_run};
pub use undo::{Undone, needed, undo_zone};
pub use undo_conflict::Moved;
pub use verify::Verified;
pub use zones::{ZoneDone, ZoneWork};
