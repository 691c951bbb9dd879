//! The documents that are made of findings and plans, in the formats that are documents of their own.

use super::args::{Format, Global};
use super::output::Output;
use crate::diagnostic::{Finding, Sources};
use crate::lint;
use crate::plan::Plan;
use crate::render::markdown::Comment;
use crate::render::{self, Findings, Review};

/// Writes what was found in a spec, where the format is a document of its own; text and JSON are written elsewhere.
///
/// # Errors
/// Those of stdout.
pub(super) fn write_findings(found: &Findings<'_>, global: &Global, output: &Output) -> std::io::Result<()> {
    let text = match output.format {
        Format::Text | Format::Json => return Ok(()),
        Format::Github => return output.result(|out| render::github::report(out, found)),
        Format::Markdown => render::markdown::report(found, comment(global)),
        Format::Sarif => return output.json(&render::sarif::report(found, &lint::findings().collect::<Vec<_>>())),
        Format::Junit => render::junit::report(found, &lints()),
        Format::Html => render::html::report(found),
    };
    output.result(|out| out.write_all(text.as_bytes()))
}

/// Writes a plan, where the format is a document of its own; text and JSON are written elsewhere.
///
/// # Errors
/// Those of stdout.
pub(super) fn write_plan(review: &Review<'_>, global: &Global, output: &Output) -> std::io::Result<()> {
    let text = match output.format {
        Format::Text | Format::Json => return Ok(()),
        Format::Github => return output.result(|out| render::github::plan(out, review)),
        Format::Markdown => render::markdown::plan(review, comment(global)),
        Format::Html => render::html::plan(review),
        // These two know findings only.
        Format::Sarif | Format::Junit => {
            return write_findings(&plan_findings(review.plan, review.sources), global, output);
        }
    };
    output.result(|out| out.write_all(text.as_bytes()))
}

/// What was found while planning.
fn plan_findings<'a>(plan: &'a Plan, sources: &'a Sources) -> Findings<'a> {
    Findings { command: "plan", diagnostics: &plan.diagnostics, sources, holds: None }
}

/// How comments are made.
pub(super) fn comment(global: &Global) -> Comment<'_> {
    Comment { marker: global.comment_marker.as_deref(), limit: global.comment_limit }
}

/// The lints, each of which has a test case of its own in JUnit reports.
fn lints() -> Vec<&'static Finding> {
    lint::lints().collect()
}
