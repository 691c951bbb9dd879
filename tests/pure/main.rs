//! The parts that need no sandbox: specs, comparison, expressions, insight, the executor, renderers, committed files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod allocation;
mod architecture;
mod as_reported;
mod cases;
mod circles;
mod directions;
mod dns_answers;
mod executor;
mod expectations;
mod export;
mod expression_engine;
mod expression_laws;
mod expression_wirefilter;
mod expressions;
mod fields;
mod format;
mod fuzz_corpus;
mod generated;
mod grades;
mod insight;
mod insight_catalogues;
mod insight_lock;
mod insight_plans;
mod insight_sentences;
mod journal;
mod laws;
mod lint;
mod outputs;
mod ownership;
mod pull;
mod recorded;
mod rule_order;
mod rulesets;
mod scenarios;
mod seclang;
mod source;
mod spec;
mod spellings;
mod spf;
mod style;
#[path = "../support/mod.rs"]
mod support;
mod transitions;
mod tuning;
