//! The results of expectations, as text. JUnit XML is in `junit.rs`.

use std::io::{self, Write};

use super::names_in_words::{in_both_forms, with_unicode};
use super::safe::safe;
use crate::diagnostic::Sources;
use crate::document::expectations::{Checked, counts};
use crate::document::place::place;

/// Writes the results as text.
///
/// # Errors
/// The errors of the writer.
pub fn write(out: &mut dyn Write, all: &[Checked<'_>], sources: &Sources) -> io::Result<()> {
    for zone in all.chunk_by(|a, b| a.zone == b.zone) {
        if let Some(first) = zone.first() {
            writeln!(out, "{}", in_both_forms(first.zone.as_str()))?;
        }
        for Checked { zone: _, expectation, outcome } in zone {
            writeln!(out, "  {:7}  {}", outcome.as_str(), safe(&expectation.name))?;
            if let Some(why) = outcome.why() {
                let at = place(expectation.place, sources)
                    .map(|at| format!(" ({at})"))
                    .unwrap_or_default();
                writeln!(out, "           {}{}", safe(&with_unicode(why)), safe(&at))?;
            }
        }
        writeln!(out)?;
    }
    let [passed, failed, unknown] = counts(all);
    let noun = if all.len() == 1 { "expectation" } else { "expectations" };
    writeln!(out, "{} {noun}: {passed} passed, {failed} failed, {unknown} unknown", all.len())
}
