//! One reconciliation as a library: load a spec, plan, apply, report.
//!
//! ```text
//!  spec ────────┐
//!  journal ─────┼─▶ Goal ──plan──▶ Planned ──judge──▶ Verdict ──apply──▶ Report
//!  saved plan ──┘         (reads)           (consents)          (writes, verifies)
//! ```
//!
//! A [`Goal`] has the desired state and its source. [`plan()`] reads what the goal needs, from
//! Cloudflare or from a snapshot, and changes nothing. [`Planned::judge`] names the missing
//! consents. [`apply()`] refuses a plan that is not ready, records every request in a journal
//! before it is sent, and reads back what it wrote. [`drift()`] plans and reports who changed what.
//!
//! ```
//! # #[cfg(feature = "sandbox")]
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use zonewright::reconcile::{ApplyContext, Client, Conclusion, Consents, Goal, Options, Verdict, apply, plan};
//! # use zonewright::reconcile::{Credentials, Settings};
//! # let sandbox = zonewright::sandbox::start(Default::default()).await?;
//! # sandbox.seed(&serde_json::json!({ "zones": [{ "name": "example.com" }] }))?;
//! # let token = Credentials::Token(zonewright::sandbox::TOKEN.to_owned().into());
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("zones.yaml");
//! # std::fs::write(&path, "{ version: 1, zones: { example.com: { records: [{ name: www, type: A, content: 192.0.2.7 }] } } }")?;
//! # let now = std::time::SystemTime::now();
//!
//! # #[cfg(any())]
//! let client = Client::with_token(token)?;
//! # let client = Client::new(Settings::new(sandbox.base_url(), token))?;
//! let (reader, writer) = (client.reader(), client.writer());
//! let goal = Goal::from_path(path, now)?;
//! let mut planned = plan(&goal, &reader, &Options::default()).await?;
//! let consents = Consents::default();
//! assert_eq!(planned.judge(&consents), Verdict::Ready);
//! let report = apply(&planned, &consents, ApplyContext::new(&reader, &writer)).await?;
//! assert_eq!(report.conclusion(), Conclusion::Converged);
//! # sandbox.shutdown().await;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "sandbox"))]
//! # fn main() {}
//! ```
//!
//! `examples/embed.rs` is a complete program, with a journal and an observer.
//!
//! Nothing here prints, or reads the environment or the clock. Time, options and observers are
//! parameters, and every error has a type. [`Client`] makes connections, also to the embedded
//! sandbox.

mod applied_before;
mod apply;
mod base;
mod changed_zones;
mod drift;
mod goal;
mod import_differences;
mod journals;
mod known_notes;
mod last_commit;
mod missing_zones;
mod open_snapshot;
mod plan;
mod protection;
#[doc(hidden)]
pub mod pull;
mod recorded_requests;
mod replan;
pub(crate) mod saved_plan;
mod selection;
mod spec_of_live;
mod undo;
pub(crate) mod waf_lock;

#[doc(inline)]
pub use crate::api::{
    ApiError, Client, Credentials, ReadClient, Settings, Stop, Stopper, WriteClient, Writer,
};
#[doc(inline)]
pub use crate::apply::{ApplyEvent, JOURNAL_DIRECTORY, Journal, JournalError, Observer, Verify};
#[doc(inline)]
pub use crate::diagnostic::{Diagnostic, Diagnostics, Severity, Sources};
#[doc(inline)]
pub use crate::document::{
    apply::Applied as ReportDocument, drift::Drift as DriftDocument, plan::Plan as PlanDocument,
};
#[doc(inline)]
pub use crate::live::{AnyReader, FetchError};
#[doc(inline)]
pub use crate::model::{Danger, Policy, ZoneName};
#[doc(inline)]
pub use crate::plan::{Consents, MissingConsent, Verdict};
#[doc(inline)]
pub use crate::spec::{Input as SpecInput, Options as SpecOptions};
#[doc(inline)]
pub use crate::wire::{Method, Request};

pub use apply::{ApplyContext, ApplyError, Conclusion, Report, apply};
pub(crate) use base::{Base, BaseOptions};
pub use drift::{Drift, drift};
pub(crate) use goal::Source;
pub use goal::{Goal, InvalidSpec};
pub(crate) use import_differences::{Migration, migration};
pub(crate) use journals::{PastApplies, PastApply};
pub(crate) use last_commit::DefaultBase;
pub(crate) use open_snapshot::OpenSnapshot;
pub(crate) use plan::OnProgress;
pub use plan::{Options, Planned, plan};
pub(crate) use protection::{
    LiveProtection, Protected, ProtectionError, protection, protection_in_spec, protection_of,
};
pub(crate) use recorded_requests::{RehearsedRequests, RequestsToRehearse, rehearse_requests};
pub(crate) use replan::{changed_since, changed_since_saved, resume};
pub(crate) use selection::pattern;
pub use selection::{Selection, Shard};
pub(crate) use spec_of_live::{AsFound, as_found};
pub use undo::UndoError;
