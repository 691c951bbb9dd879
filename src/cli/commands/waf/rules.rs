//! `waf rules`: the rules of a managed ruleset as they stand under the spec.

use std::sync::Arc;

use anyhow::bail;

use super::protection;
use crate::cli::args::{Format, State, WafRulesArgs};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::insight::{RuleFilter, survey};
use crate::render::text::write_waf_rules;
use crate::render::waf as json;

/// Reads, filters, prints.
pub(super) async fn run(args: &WafRulesArgs, settings: &Settings<'_>, output: &Arc<Output>) -> anyhow::Result<Exit> {
    let (_, zones) = match protection::of_spec(&args.spec, settings, output).await? {
        Ok(read) => read,
        Err(exit) => return Ok(exit),
    };
    let filter = RuleFilter {
        tag: args.tag.clone(),
        family: args.family.clone(),
        level: args.level,
        is_on: args.state.map(|state| state == State::On),
    };
    let wanted = Some(args.ruleset.managed());
    let surveys: Vec<_> = zones.iter().map(|zone| (zone.name.as_str(), survey(&zone.after))).collect();
    let mut shown = Vec::new();
    for (name, survey) in &surveys {
        let found = survey.rulesets.iter().find(|r| r.which == wanted && r.catalogue.is_some());
        let Some(ruleset) = found else { bail!("the service does not offer the ruleset to {name}") };
        let rows: Vec<_> = ruleset.rows().into_iter().filter(|row| filter.keeps(row)).collect();
        shown.push((*name, ruleset, rows));
    }
    match output.format {
        Format::Json => output.json(&json::rules(&shown))?,
        Format::Text | Format::Markdown | Format::Github | Format::Sarif | Format::Junit | Format::Html => {
            output.result(|out| write_waf_rules(out, &shown, output.colour))?
        }
    }
    Ok(Exit::Success)
}
