//! The binary, run over real HTTP against the sandbox: one module for each command or concern.
#![cfg(feature = "sandbox")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accidents;
mod asking;
mod base;
mod brevity;
mod changed;
mod cli;
#[cfg(unix)]
mod clients;
mod complaints;
mod concurrency;
mod conformance;
mod default_base;
mod default_spec;
mod doctor;
mod documentation;
mod documents;
mod drift;
mod embed;
mod emptied_names;
mod end_to_end;
mod every_type;
mod expect_requests;
mod expectations;
mod export;
mod findings;
mod foreign;
mod foresight;
mod formats;
mod help;
mod hostile;
mod import;
mod import_anything;
mod import_dnscontrol;
mod import_files;
mod import_includes;
mod import_live;
mod import_modules;
mod import_octodns;
mod import_rate_limits;
mod import_terraform;
mod import_terraform_counted;
mod import_terraform_expressions;
mod import_terraform_json;
mod import_terraform_parts;
mod import_terraform_rivals;
mod import_terraform_values;
mod import_zone_files;
mod init;
#[cfg(unix)]
mod interrupted;
mod killed;
mod meanwhile;
mod move_in;
#[cfg(target_os = "linux")]
mod network;
mod newcomers;
mod octodns_differential;
mod only;
mod packaging;
#[cfg(unix)]
mod pipelines;
mod plan_limits;
mod progress;
mod pull;
mod real_zones;
mod record_expiry;
mod refused;
mod rehearse;
#[cfg(target_os = "linux")]
mod requests_by_command;
mod resolve;
mod resumed;
mod saved;
mod secrets;
mod snapshot;
mod spec_diff;
#[path = "../support/mod.rs"]
mod support;
mod tampering;
mod text_cuts;
mod undo;
mod undo_protection;
mod undo_spelling;
mod verified;
mod waf;
mod waf_commands;
mod waf_explain;
mod waf_races;
mod waf_replay;
mod waf_score;
mod waf_trace;
#[cfg(unix)]
mod watch;
mod weakened;
mod widths;
mod zones;
