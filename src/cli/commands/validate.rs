//! `validate`: check a spec offline.

use serde_json::json;

use crate::cli::args::{Format, Global, ValidateArgs};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::planning::load;
use crate::plan::Plan;
use crate::{render, spec};

/// Checks; prints the resolved spec if wanted.
pub(in crate::cli) fn run(args: &ValidateArgs, global: &Global, output: &Output) -> anyhow::Result<Exit> {
    let loaded = match load(&args.spec, global, output)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let zones = loaded.desired.zones.len();
    if args.print {
        let text = spec::print(&loaded.desired);
        output.result(|out| out.write_all(text.as_bytes()))?;
    } else if output.format == Format::Json {
        output.json(&json!({
            "format": Plan::FORMAT, "kind": "validation", "valid": true,
            "files": loaded.files, "zones": zones, "records": loaded.records,
            "diagnostics": render::json::diagnostics_json(&loaded.diagnostics, &loaded.sources),
        }))?;
    } else {
        let count = |n: usize, noun: &str| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
        let words = [count(loaded.files, "file"), count(zones, "zone"), count(loaded.records, "record")].join(", ");
        output.result(|out| writeln!(out, "Valid: {words}."))?;
    }
    Ok(Exit::Success)
}
