//! Implements `waf diff`: shows the effective changes of a spec.

use std::path::PathBuf;

use clap::Args;

use super::protection;
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::options_in_help::Matters;
use crate::cli::shared_arguments::{Format, SpecArgs};
use crate::document::waf as json;
use crate::insight::waf::{Difference, difference};
use crate::render::text::write_waf_difference;

/// Show what the spec changes, rule by rule
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf diff zones/\n  zonewright waf diff zones/ --zone \
        example.com --detailed-exitcode"
)]
pub(super) struct WafDiffArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// Exit with 2 if there are differences
    #[arg(long)]
    detailed_exitcode: bool,
}

impl Run for WafDiffArgs {
    const MATTERS: Matters = Matters { base: false, ..Matters::ALL };

    fn facts(&self) -> Facts<'_> {
        Facts { files: self.spec.files(), ..Facts::online("waf") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let (_, zones) = protection::of_spec(&self.spec, settings, output).await?;
        let differences: Vec<_> = zones
            .iter()
            .map(|z| (z.name.as_str(), difference(&z.before, &z.after), z.in_force.as_slice()))
            .collect();
        match output.format {
            Format::Json => output.json(&json::difference(&differences))?,
            Format::Text | Format::Document(_) => output.result(|out| {
                differences.iter().try_for_each(|(name, difference, in_force)| {
                    write_waf_difference(out, name, (difference, in_force), output.colour)
                })
            })?,
        }
        let differs = |d: &Difference| !(d.changed.is_empty() && d.rules.is_empty());
        Ok(if self.detailed_exitcode && differences.iter().any(|(_, d, _)| differs(d)) {
            Exit::Differences
        } else {
            Exit::Success
        })
    }
}
