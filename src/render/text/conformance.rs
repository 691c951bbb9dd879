//! The results of conformance checks, as text.

use std::io::{self, Write};

use crate::diagnostic::count;
use crate::document::conformance::{CheckResult, Conformance, Outcome, Summary};
use crate::render::safe::safe;

/// Writes one line for each check, with its differences below it.
///
/// # Errors
/// The errors of the writer.
pub fn write_conformance(out: &mut dyn Write, report: &Conformance) -> io::Result<()> {
    for CheckResult { id, assumption, relied_on, outcome, found } in &report.checks {
        let (sign, label) = match outcome {
            Outcome::Held => ("✔", ""),
            Outcome::Differed => ("✘", "found"),
            Outcome::Unknown => ("?", "nothing was learned"),
        };
        writeln!(out, "{sign} {id}: {assumption}")?;
        if let Some(found) = found {
            writeln!(out, "    {label}: {}", safe(found))?;
        }
        if *outcome == Outcome::Differed {
            writeln!(out, "    relied on in {}", relied_on.join("; "))?;
        }
    }
    let Summary { held, differed, unknown } = report.summary;
    let assumptions = count(report.checks.len(), "assumption");
    writeln!(
        out,
        "{}, {} plan: {assumptions}: {held} held, {differed} differed, {unknown} unknown.",
        report.date,
        safe(&report.plan)
    )?;
    if !report.is_complete {
        writeln!(out, "Interrupted: the other assumptions were not tried.")?;
    }
    if report.left_behind > 0 {
        writeln!(out, "{} could not be deleted.", count(report.left_behind, "record"))?;
    }
    Ok(())
}
