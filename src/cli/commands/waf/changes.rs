//! Implements `waf rules --changes`: shows the effective changes of a spec.

use std::io;

use crate::cli::exit_codes::Exit;
use crate::cli::output::Output;
use crate::cli::shared_arguments::Format;
use crate::document::waf as json;
use crate::insight::waf::{Difference, difference};
use crate::reconcile::Protected;
use crate::render::text::write_waf_difference;

/// Shows what a spec changes, rule by rule.
///
/// # Errors
/// The output cannot be written.
pub(super) fn show_changes(
    zones: &[Protected],
    has_detailed_exit_code: bool,
    output: &Output,
) -> io::Result<Exit> {
    let differences: Vec<_> = zones
        .iter()
        .map(|z| (z.name.as_str(), difference(&z.before, &z.after), z.in_force.as_slice()))
        .collect();
    match output.format {
        Format::Json => output.json(&json::difference(&differences))?,
        Format::Text | Format::Document(_) => output.result(|out| {
            differences.iter().try_for_each(|(name, difference, in_force)| {
                write_waf_difference(out, name, (difference, in_force), output.colour)
            })
        })?,
    }
    let differs = |d: &Difference| !(d.changed.is_empty() && d.rules.is_empty());
    Ok(if has_detailed_exit_code && differences.iter().any(|(_, d, _)| differs(d)) {
        Exit::Differences
    } else {
        Exit::Success
    })
}
