//! zonewright: a declarative reconciler for Cloudflare zones, DNS records and managed-WAF tuning.
//!
//! ```text
//!  YAML ──spec──▶ Desired ─┐                              ┌─▶ render: text · JSON · Markdown · HTML · SARIF
//!                          ├─diff─▶ ChangeSet ─plan─▶ Plan ┤
//!  API ──api──▶ live ▶ Live┘        (pure)      (pure)    └─▶ apply ─▶ journal ─▶ verify
//!           wire ⇅ model
//! ```
//!
//! Everything between [`model::Desired`], [`model::Live`] and [`plan::Plan`] is a pure, synchronous function; I/O lives at
//! the two ends. `tests/pure/architecture.rs` enforces which module may use which.

pub mod api;
pub mod apply;
pub mod cli;
pub mod conformance;
pub mod crs;
pub mod diagnostic;
pub mod diff;
pub mod doctor;
pub mod document;
pub mod drift;
pub mod edit;
pub mod export;
pub mod import;
pub mod insight;
pub mod lint;
pub mod live;
pub mod model;
pub mod plan;
pub mod reconcile;
pub mod recorded;
#[cfg(feature = "sandbox")]
pub mod rehearsal;
pub mod render;
#[cfg(feature = "sandbox")]
pub mod sandbox;
pub mod schema;
pub mod seclang;
pub mod spec;
pub mod wire;
