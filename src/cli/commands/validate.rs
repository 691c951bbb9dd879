//! Implements `validate`: checks a spec offline.

use std::path::PathBuf;

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::load_spec::load_spec;
use crate::cli::options_in_help::Matters;
use crate::cli::shared_arguments::{Format, SpecArgs};
use crate::cli::write_documents::write_findings;
use crate::diagnostic::count;
use crate::document::diagnostic::Validation;
use crate::render::Findings;
use crate::spec;

/// Check a spec offline: syntax, meaning and lints
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright validate zones/\n  zonewright validate zones/ --print"
)]
pub(in crate::cli) struct ValidateArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// Print the spec as resolved: merged, with defaults and variables filled in, and where values
    /// of profiles come from
    #[arg(long)]
    print: bool,
}

impl Run for ValidateArgs {
    const MATTERS: Matters = Matters::SPEC;

    fn facts(&self) -> Facts<'_> {
        let name = if self.print { "validate --print" } else { "validate" };
        Facts { files: self.spec.files(), ..Facts::offline(name) }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    /// Checks the spec, and prints the resolved spec on request.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let goal = load_spec("validate", &self.spec, settings, output)?;
        let zones = goal.desired.zones.len();
        if self.print {
            let text = spec::print_with_origins(&goal.desired, &goal.sources);
            output.result(|out| out.write_all(text.as_bytes()))?;
            return Ok(Exit::Success);
        }
        let holds =
            [count(goal.files, "file"), count(zones, "zone"), count(goal.records, "record")]
                .join(", ");
        match output.format {
            Format::Text => output.result(|out| writeln!(out, "Valid: {holds}."))?,
            Format::Json => {
                let counts = (goal.files, zones, goal.records);
                output.json(&Validation::of(counts, &goal.diagnostics, &goal.sources))?;
            }
            Format::Document(_) => {
                let (diagnostics, sources) = (&goal.diagnostics, &goal.sources);
                let findings =
                    Findings { command: "validate", diagnostics, sources, holds: Some(&holds) };
                write_findings(&findings, settings.flags, output)?;
            }
        }
        Ok(Exit::Success)
    }
}
