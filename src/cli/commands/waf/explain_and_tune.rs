//! What `waf explain` and `waf tune` have in common: what rules find in recorded requests, and the edit that is proposed.

use std::path::PathBuf;

use anyhow::Context;
use jiff::Span;
use jiff::civil::Date;

use crate::cli::output::Output;
use crate::cli::recordings::{each, no_requests};
use crate::cli::settings::Settings;
use crate::crs;
use crate::insight::traffic::Hits;
use crate::recorded::{self, Sample};
use crate::seclang::RuleSet;

/// Tells what the rules find in each request of files, one after the other.
///
/// # Errors
/// A file cannot be read any further, there is no request, or `heard` fails.
pub(super) fn find_in_each(
    paths: &[PathBuf],
    options: &recorded::Options,
    rules: &RuleSet,
    output: &Output,
    heard: &mut dyn FnMut(Sample, Hits) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut evaluator = rules.evaluator();
    let requests = recorded::open(paths, options)?;
    let count = each(requests, output, &mut |sample: Sample| {
        let hits = crs::hits(rules, &evaluator.evaluate(&sample.as_sent()));
        heard(sample, hits)
    })?;
    if count == 0 { Err(no_requests(paths)) } else { Ok(()) }
}

/// The day after so many days, `YYYY-MM-DD`.
///
/// # Errors
/// As [`Settings::today`].
pub(super) fn after_days(settings: &Settings<'_>, days: u16) -> anyhow::Result<String> {
    let today: Date = settings.today()?.parse().context("today is not a day")?;
    Ok(today.saturating_add(Span::new().days(i64::from(days))).to_string())
}

/// A spec with one section, which can be a file of its own beside the others.
pub(super) fn spec_of(zone: &str, section: &str) -> String {
    let lines = section.lines().map(|line| format!("      {line}\n")).collect::<String>();
    format!("version: 1\nzones:\n  {zone}:\n    waf:\n{lines}")
}
