//! Rulesets of accounts and zones: the rules of the firewall and of other products, and managed
//! rulesets.
//!
//! ```text
//!  router ─▶ routes ─┬▶ read ───────────────┬▶ catalogue (managed) ─▶ store
//!                    ├▶ write (rulesets) ───┤
//!                    └▶ rules (single) ─────┴▶ check ─▶ overrides · skip · ratelimit · response · expression
//!  document (seed, dump) ─▶ store
//! ```
//!
//! A write is checked as a whole. It is stored as a new version of its ruleset, or not at all.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine and developers.cloudflare.com/waf, read 2026-11-20;
//! codes and texts of refusals were observed in 2025 and 2026, as cited at each.

mod author;
mod catalogue;
mod document;
mod expression;
mod members;
mod overrides;
mod ratelimit;
mod read;
mod response;
mod routes;
mod rule_check;
mod rules;
mod ruleset;
mod scope;
mod skip;
mod store;
mod write;

pub(super) use document::{
    managed, of_accounts, of_vendor, plant_account, plant_managed, plant_zone, zone_rulesets,
};
pub(super) use routes::{ScopedRoute, handle};
pub(super) use store::SCHEMA;
