//! Prints a plan in the selected format.

use super::output::Output;
use super::settings::Settings;
use super::shared_arguments::Format;
use super::write_documents;
use crate::document::plan::Plan as PlanDocument;
use crate::plan::Verdict;
use crate::reconcile::Planned;
use crate::render::text::{Extent, PlanView, write_plan};
use crate::render::{Review, snapshot};

/// Prints a plan in the selected format. `extent` limits the text output.
pub(super) fn show_plan(
    planned: &Planned<'_>,
    verdict: &Verdict,
    requests_to_apply: usize,
    extent: Extent,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<()> {
    let Planned { goal, plan, .. } = planned;
    match output.format {
        Format::Json => {
            let document = PlanDocument::of(plan, verdict, requests_to_apply, &goal.sources);
            output.json(&match goal.as_of() {
                Some(as_of) => document.with_snapshot(as_of),
                None => document,
            })?;
        }
        Format::Text => {
            // Findings about the spec itself were shown earlier.
            output.plan_diagnostics(plan, &goal.diagnostics, &goal.sources);
            let (colour, verbose) = (output.colour, output.verbose > 0);
            let width = output.width();
            let view =
                PlanView { plan, verdict, requests_to_apply, colour, width, verbose, extent };
            output.result(|out| {
                if let Some(as_of) = goal.as_of() {
                    writeln!(out, "{}\n", snapshot::words(as_of))?;
                }
                write_plan(out, &view)
            })?;
        }
        Format::Document(document) => {
            let review = &Review { plan, verdict, requests_to_apply, sources: &goal.sources };
            if let Some(plan) = document.plan {
                write_documents::write_document(settings.flags, output, |out, options| {
                    plan(out, review, options)
                })?;
            }
        }
    }
    Ok(())
}
