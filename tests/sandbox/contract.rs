//! The sandbox against the documented and observed behaviour of Cloudflare, over real HTTP.

mod access;
mod batch;
mod conflicts;
mod examples;
mod faults;
mod list;
mod records;
mod ruleset_examples;
mod rulesets;
mod rulesets_checks;
mod rulesets_managed;
mod rulesets_state;
mod state;
mod support;
mod zone_dnssec;
mod zone_settings;
mod zones;
