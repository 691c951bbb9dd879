//! `validate`: check a spec offline.

use serde_json::json;

use crate::cli::args::{Format, Global, ValidateArgs};
use crate::cli::exit::Exit;
use crate::cli::formats::write_findings;
use crate::cli::output::Output;
use crate::cli::planning::load;
use crate::plan::Plan;
use crate::render::{self, Findings};
use crate::spec;

/// Checks; prints the resolved spec if wanted.
pub(in crate::cli) fn run(args: &ValidateArgs, global: &Global, output: &Output) -> anyhow::Result<Exit> {
    let loaded = match load("validate", &args.spec, global, output)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let zones = loaded.desired.zones.len();
    if args.print {
        let text = spec::print(&loaded.desired);
        output.result(|out| out.write_all(text.as_bytes()))?;
        return Ok(Exit::Success);
    }
    let count = |n: usize, noun: &str| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
    let holds = [count(loaded.files, "file"), count(zones, "zone"), count(loaded.records, "record")].join(", ");
    match output.format {
        Format::Text => output.result(|out| writeln!(out, "Valid: {holds}."))?,
        Format::Json => output.json(&json!({
            "format": Plan::FORMAT, "kind": "validation", "valid": true,
            "files": loaded.files, "zones": zones, "records": loaded.records,
            "diagnostics": render::json::diagnostics_json(&loaded.diagnostics, &loaded.sources),
        }))?,
        Format::Markdown | Format::Github | Format::Sarif | Format::Junit | Format::Html => {
            let (diagnostics, sources) = (&loaded.diagnostics, &loaded.sources);
            let found = Findings { command: "validate", diagnostics, sources, holds: Some(&holds) };
            write_findings(&found, global, output)?;
        }
    }
    Ok(Exit::Success)
}
