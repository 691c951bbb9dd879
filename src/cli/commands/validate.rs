//! `validate`: check a spec offline.

use crate::cli::args::{Format, ValidateArgs};
use crate::cli::exit::Exit;
use crate::cli::formats::write_findings;
use crate::cli::load::load;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::diagnostic::count;
use crate::document::diagnostic::Validation;
use crate::render::Findings;
use crate::spec;

/// Checks; prints the resolved spec if wanted.
pub(in crate::cli) fn run(args: &ValidateArgs, settings: &Settings<'_>, output: &Output) -> anyhow::Result<Exit> {
    let goal = match load("validate", &args.spec, settings, output)? {
        Ok(goal) => goal,
        Err(exit) => return Ok(exit),
    };
    let zones = goal.desired.zones.len();
    if args.print {
        let text = spec::print(&goal.desired);
        output.result(|out| out.write_all(text.as_bytes()))?;
        return Ok(Exit::Success);
    }
    let holds = [count(goal.files, "file"), count(zones, "zone"), count(goal.records, "record")].join(", ");
    match output.format {
        Format::Text => output.result(|out| writeln!(out, "Valid: {holds}."))?,
        Format::Json => {
            let counts = (goal.files, zones, goal.records);
            output.json(&Validation::of(counts, &goal.diagnostics, &goal.sources))?;
        }
        Format::Markdown | Format::Github | Format::Sarif | Format::Junit | Format::Html => {
            let (diagnostics, sources) = (&goal.diagnostics, &goal.sources);
            let found = Findings { command: "validate", diagnostics, sources, holds: Some(&holds) };
            write_findings(&found, settings.flags, output)?;
        }
    }
    Ok(Exit::Success)
}
