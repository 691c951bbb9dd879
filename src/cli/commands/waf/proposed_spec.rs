//! Writes the specs that `waf explain` and `waf tune` propose, and determines when their content
//! expires.

use anyhow::Context;
use jiff::Span;
use jiff::civil::Date;

use crate::cli::settings::Settings;

/// Default lifetime of an exception from `waf explain`, in days. A narrow exception may have 90.
pub(super) const DAYS_OF_AN_EXCEPTION: u16 = 30;

/// Default lifetime of exceptions from `waf tune`, in days.
pub(super) const DAYS_OF_TUNING: u16 = 90;

/// Returns the date after a number of days as `YYYY-MM-DD`.
///
/// # Errors
/// As [`Settings::today`].
pub(super) fn after_days(settings: &Settings<'_>, days: u16) -> anyhow::Result<String> {
    let today: Date = settings.today()?.parse().context("today is not a day")?;
    Ok(today.saturating_add(Span::new().days(i64::from(days))).to_string())
}

/// Returns a spec with one section, which can be a separate file beside the others.
pub(super) fn spec_of(zone: &str, section: &str) -> String {
    let lines = section.lines().map(|line| format!("      {line}\n")).collect::<String>();
    format!("version: 1\nzones:\n  {zone}:\n    waf:\n{lines}")
}
