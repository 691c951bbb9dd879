//! Implements `waf status`: shows the live protection of zones, whoever configured it.

use clap::Args;

use super::protection;
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::options_in_help::Matters;
use crate::cli::shared_arguments::Format;
use crate::document::waf as json;
use crate::insight::waf::{survey, survey_account};
use crate::reconcile::LiveProtection;
use crate::render::text::write_waf_survey;

/// Show the live protection of a zone
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf status example.com\n  zonewright waf status example.com example.net --rules --format json"
)]
pub(super) struct WafStatusArgs {
    /// Zones to show
    #[arg(required = true, value_name = "ZONE")]
    zones: Vec<String>,
    /// List the rules of the managed rulesets as well
    #[arg(long)]
    rules: bool,
}

impl Run for WafStatusArgs {
    const MATTERS: Matters = Matters { zones: false, ..Matters::ONLINE };

    fn facts(&self) -> Facts<'_> {
        Facts::online("waf")
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let zones = protection::of_names(&self.zones, settings, output).await?;
        let surveys: Vec<_> = zones
            .iter()
            .map(|LiveProtection { name, waf, account, is_enterprise }| {
                let applied = Some(account).filter(|_| *is_enterprise);
                (name.as_str(), survey(waf, applied), survey_account(account, waf))
            })
            .collect();
        match output.format {
            Format::Json => output.json(&json::effective(&surveys, self.rules))?,
            Format::Text | Format::Document(_) => output.result(|out| {
                surveys.iter().try_for_each(|(name, survey, account)| {
                    write_waf_survey(out, name, (survey, account), self.rules, output.colour)
                })
            })?,
        }
        Ok(Exit::Success)
    }
}
