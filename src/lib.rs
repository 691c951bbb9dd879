//! zonewright: a declarative reconciler for Cloudflare zones, DNS records and managed-WAF tuning.
//!
//! To embed it, use [`reconcile`]: load a spec, plan, apply, report. It is the public API: it has
//! all types that it hands out, and `docs/internals/public-api.txt` lists it. Every other module is
//! internal: it is reachable for the program and the tests alone, has no page here, and changes in
//! any version.
//!
//! ```text
//!  YAML ──spec──▶ Desired ─┐                         ┌─▶ render: text · JSON · Markdown · HTML · SARIF
//!                          ├─diff──▶ changes ─plan──▶ Plan
//!  API ──api──▶ live ─▶ Live ┘       (pure)          └─▶ apply ─▶ journal ─▶ verify
//!             wire ⇄ model
//! ```
//!
//! Everything between `Desired`, `Live` and `Plan` is a pure, synchronous function; I/O happens at
//! the two ends. `tests/pure/architecture.rs` enforces which module may use which, and
//! `ARCHITECTURE.md` has the map.

#[doc(hidden)]
pub mod api;
#[doc(hidden)]
pub mod apply;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod conformance;
#[doc(hidden)]
pub mod crs;
#[doc(hidden)]
pub mod doctor;
#[doc(hidden)]
pub mod document;
#[doc(hidden)]
pub mod drift;
#[doc(hidden)]
pub mod edit;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod import;
#[doc(hidden)]
pub mod insight;
#[doc(hidden)]
pub mod lint;
#[doc(hidden)]
pub mod live;
#[doc(hidden)]
pub mod plan;
pub mod reconcile;
#[doc(hidden)]
pub mod recorded;
#[cfg(feature = "sandbox")]
#[doc(hidden)]
pub mod rehearsal;
#[doc(hidden)]
pub mod render;
#[doc(hidden)]
pub mod schema;
#[doc(hidden)]
pub mod spec;
#[doc(hidden)]
pub mod wire;

#[doc(hidden)]
pub use zonewright_model::{self as model, diagnostic, diff};
#[cfg(feature = "sandbox")]
#[doc(hidden)]
pub use zonewright_sandbox as sandbox;
#[doc(hidden)]
pub use zonewright_seclang as seclang;
