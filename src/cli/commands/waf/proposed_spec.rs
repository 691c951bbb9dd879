//! The spec that `waf explain` and `waf tune` propose, and the last day of what is in it.

use anyhow::Context;
use jiff::Span;
use jiff::civil::Date;

use crate::cli::settings::Settings;

/// Days for which `waf explain` proposes an exception, unless another number is given; a narrow one
/// may have 90.
pub(super) const DAYS_OF_AN_EXCEPTION: u16 = 30;

/// Days for which `waf tune` proposes its exceptions, unless another number is given.
pub(super) const DAYS_OF_TUNING: u16 = 90;

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
