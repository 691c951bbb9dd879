//! Tests that need no sandbox: specs, comparison, insight, the executor, renderers,
//! committed files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod allocation;
mod architecture;
mod as_reported;
mod cases;
mod circles;
mod counts;
mod dangers;
mod directions;
mod dns_answers;
mod documentation;
mod executor;
mod expectations;
mod export;
mod fields;
mod format;
mod fuzz_corpus;
mod generated;
mod grades;
mod import_counters;
mod insight;
mod insight_catalogues;
mod insight_lock;
mod insight_plans;
mod insight_sentences;
mod journal;
mod last_address;
mod laws;
mod lint;
mod other_zones;
mod outputs;
mod ownership;
mod pictures;
mod printed_entries;
mod promise;
mod promise_kinds;
mod public_api;
mod pull;
mod recorded;
mod replayed_history;
mod rule_keys;
mod rule_order;
mod rulesets;
mod scenarios;
mod source;
mod spec;
mod spec_page;
mod spellings;
mod spf;
mod style;
#[path = "../support/mod.rs"]
mod support;
mod transitions;
mod tuning;
mod weighing;
