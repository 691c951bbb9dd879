//! The sandbox against the documented and observed behaviour of the service, over real HTTP.
#![cfg(feature = "sandbox")]
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests as well")]

#[path = "contract/access.rs"]
mod access;
#[path = "contract/batch.rs"]
mod batch;
#[path = "contract/conflicts.rs"]
mod conflicts;
#[path = "contract/examples.rs"]
mod examples;
#[path = "contract/faults.rs"]
mod faults;
#[path = "contract/list.rs"]
mod list;
#[path = "contract/records.rs"]
mod records;
#[path = "contract/ruleset_examples.rs"]
mod ruleset_examples;
#[path = "contract/rulesets.rs"]
mod rulesets;
#[path = "contract/rulesets_checks.rs"]
mod rulesets_checks;
#[path = "contract/rulesets_managed.rs"]
mod rulesets_managed;
#[path = "contract/rulesets_state.rs"]
mod rulesets_state;
#[path = "contract/state.rs"]
mod state;
#[path = "contract/support.rs"]
mod support;
#[path = "contract/zone_dnssec.rs"]
mod zone_dnssec;
#[path = "contract/zone_settings.rs"]
mod zone_settings;
#[path = "contract/zones.rs"]
mod zones;
