//! zonewright: a declarative reconciler for Cloudflare zones, DNS records and managed-WAF tuning.
//!
//! To embed it, begin with [`reconcile`]: load a spec, plan, apply, report, in twenty lines.
//! `examples/embed.rs` runs them. The other modules are public because `reconcile` hands out their
//! types, and for the tests of this crate. `model`, `diff` and `diagnostic` are those of the
//! package `zonewright-model`; `sandbox` is the package `zonewright-sandbox`, and `seclang` the
//! package `zonewright-seclang`.
//!
//! ```text
//!  YAML ──spec──▶ Desired ─┐                         ┌─▶ render: text · JSON · Markdown · HTML · SARIF
//!                          ├─diff──▶ changes ─plan──▶ Plan
//!  API ──api──▶ live ─▶ Live ┘       (pure)          └─▶ apply ─▶ journal ─▶ verify
//!             wire ⇄ model
//! ```
//!
//! Everything between [`model::Desired`], [`model::Live`] and [`plan::Plan`] is a pure, synchronous
//! function; I/O happens at the two ends. `tests/pure/architecture.rs` enforces which module may
//! use which, and `ARCHITECTURE.md` has the map.

pub mod api;
pub mod apply;
pub mod cli;
pub mod conformance;
pub mod crs;
pub mod doctor;
pub mod document;
pub mod drift;
pub mod edit;
pub mod export;
pub mod import;
pub mod insight;
pub mod lint;
pub mod live;
pub mod plan;
pub mod reconcile;
pub mod recorded;
#[cfg(feature = "sandbox")]
pub mod rehearsal;
pub mod render;
pub mod schema;
pub mod spec;
pub mod wire;

pub use zonewright_model::{self as model, diagnostic, diff};
#[cfg(feature = "sandbox")]
pub use zonewright_sandbox as sandbox;
pub use zonewright_seclang as seclang;
