//! `test`: check the expectations of a spec. Offline.

use crate::cli::args::{Format, TestArgs};
use crate::cli::exit::Exit;
use crate::cli::load::load;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::insight::dns::{Outcome, ZoneIndex, Zones, hold};
use crate::model::Unmanaged;
use crate::render::expectations::{Checked, json, junit, write};

/// Checks and prints.
pub(in crate::cli) fn run(args: &TestArgs, settings: &Settings<'_>, output: &Output) -> anyhow::Result<Exit> {
    let goal = match load("test", &args.spec, settings, output)? {
        Ok(goal) => goal,
        Err(exit) => return Ok(exit),
    };
    let desired = &goal.desired;
    let zones = Zones::new(desired.zones.values().map(ZoneIndex::of_spec).collect());
    let mut checked = Vec::new();
    for zone in desired.zones.values() {
        // What a pattern ignores is not known.
        let knows_all = zone.unmanaged == Unmanaged::Prune && zone.ignore.is_empty();
        for expectation in &zone.expect {
            let outcome = hold(&zones, &expectation.what, knows_all);
            checked.push(Checked { zone: &zone.name, expectation, outcome });
        }
    }
    let failed = checked.iter().any(|checked| matches!(checked.outcome, Outcome::Failed(_)));
    match output.format {
        Format::Json => output.json(&json(&checked, &goal.sources))?,
        Format::Junit => output.result(|out| out.write_all(junit(&checked, &goal.sources).as_bytes()))?,
        Format::Text | Format::Markdown | Format::Github | Format::Sarif | Format::Html => {
            output.result(|out| write(out, &checked, &goal.sources))?;
        }
    }
    Ok(if failed { Exit::Differences } else { Exit::Success })
}
