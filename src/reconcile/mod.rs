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
//! # use zonewright::api::{Client, Credentials, Settings, Stop};
//! # use zonewright::apply::{ApplyEvent, Journal};
//! # use zonewright::{sandbox, spec};
//! use zonewright::plan::Consents;
//! use zonewright::reconcile::{Conclusion, Goal, ApplyContext, Options, Selection, apply, plan};
//! # let sandbox = sandbox::start(sandbox::Options::default()).await?;
//! # sandbox.seed(&serde_json::json!({ "zones": [{ "name": "example.com" }] }))?;
//! # let token = sandbox::TOKEN.to_owned().into();
//! # let directory = tempfile::tempdir()?;
//! # let clock = || "2026-11-22T12:00:00Z".to_owned();
//!
//! let text = "{ version: 1, zones: { example.com: { records: [{ name: www, type: A, content: 192.0.2.7 }] } } }";
//! let input = spec::Input::Stdin(text.to_owned());
//! let goal = Goal::from_spec(&[input], &spec::Options::default(), Selection::default())?;
//!
//! let client = Client::new(Settings::new(sandbox.base_url(), Credentials::Token(token)))?;
//! let (reader, writer) = (&client.reader(), &client.writer());
//! let planned = plan(&goal, reader, &Options::default()).await?;
//! assert_eq!(planned.requests().len(), 1);
//!
//! let journal = &Journal::begin(directory.path(), &goal.digest, clock)?;
//! let context = ApplyContext { reader, writer, journal, observer: &|_: &ApplyEvent| {}, stop: &Stop::never() };
//! let report = apply(&planned, &Consents::default(), context).await?;
//! assert_eq!(report.conclusion(), Conclusion::Converged);
//! # sandbox.shutdown().await;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "sandbox"))]
//! # fn main() {}
//! ```
//!
//! `examples/embed.rs` is a complete program.
//!
//! Nothing here prints, or reads the environment or the clock. Time, options and observers are
//! parameters, and every error has a type. [`Client`](crate::api::Client) makes connections; the
//! client of the embedded sandbox is the same one.

mod applied_before;
mod apply;
mod base;
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
pub mod pull;
mod recorded_requests;
mod replan;
pub mod saved_plan;
mod selection;
mod spec_of_live;
mod undo;
pub mod waf_lock;

pub use apply::{ApplyContext, ApplyError, Conclusion, Report, apply};
pub use base::{Base, BaseError, BaseOptions};
pub use drift::{Drift, drift};
pub use goal::{Goal, InvalidSpec, Source, SpecSource};
pub use import_differences::{Migration, OriginOf, migration};
pub use journals::{PastApplies, PastApply};
pub use last_commit::DefaultBase;
pub use open_snapshot::{OpenError, OpenSnapshot};
pub use plan::{OnProgress, Options, Planned, plan};
pub use protection::{
    LiveProtection, Protected, ProtectionError, protection, protection_in_spec, protection_of,
};
pub use recorded_requests::{RehearsedRequests, RequestsToRehearse, rehearse_requests};
pub use replan::{changed_since, changed_since_saved, resume};
pub(crate) use selection::pattern;
pub use selection::{Selection, Shard};
pub use spec_of_live::{AsFound, as_found};
pub use undo::{Undo, UndoError};
