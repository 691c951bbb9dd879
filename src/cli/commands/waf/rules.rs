//! Implements `waf rules`: lists the rules of a managed ruleset as the spec configures them, shows
//! what the spec changes, and writes them to a lock file.

use std::path::PathBuf;

use anyhow::bail;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::changes::show_changes;
use super::lock::LockArgs;
use super::protection;
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::options_in_help::Matters;
use crate::cli::shared_arguments::{Format, Global, SpecArgs};
use crate::document::waf as json;
use crate::insight::waf::{RuleFilter, survey};
use crate::model::facts::crs::ATTACK_FAMILIES;
use crate::model::managed::Managed;
use crate::render::text::write_waf_rules;

/// List the rules of a managed ruleset: on or off under the spec, and why; or what changes
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf rules zones/ --state off\n  zonewright waf rules zones/ --changes\n  zonewright waf rules zones/ --lock\n  zonewright waf rules zones/ --check"
)]
pub(super) struct WafRulesArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// Which ruleset
    #[arg(long, value_enum, default_value_t = Ruleset::Owasp)]
    ruleset: Ruleset,
    /// Only rules with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Only rules of this attack category
    #[arg(long, value_parser = PossibleValuesParser::new(ATTACK_FAMILIES.iter().map(|f| f.key)))]
    family: Option<String>,
    /// Only rules of this paranoia level
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=4))]
    level: Option<u8>,
    /// Only rules that are on, or off
    #[arg(long, value_enum)]
    state: Option<RuleState>,
    /// Show what the spec changes instead, rule by rule, in all phases
    #[arg(long, conflicts_with_all = ["ruleset", "tag", "family", "level", "state", "lock", "check"])]
    changes: bool,
    /// Exit with 2 if there are changes
    #[arg(long, requires = "changes")]
    detailed_exitcode: bool,
    /// The lock file.
    #[command(flatten)]
    lock: LockArgs,
}

/// A managed ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ruleset {
    /// The Cloudflare OWASP Core Ruleset.
    Owasp,
    /// The Cloudflare Managed Ruleset.
    Cloudflare,
}

impl Ruleset {
    /// Returns the ruleset in the terms of the model.
    fn managed(self) -> Managed {
        match self {
            Self::Owasp => Managed::Owasp,
            Self::Cloudflare => Managed::Cloudflare,
        }
    }
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleState {
    /// On.
    On,
    /// Off.
    Off,
}

impl Run for WafRulesArgs {
    const MATTERS: Matters = Matters { base: false, ..Matters::ALL };

    fn facts(&self) -> Facts<'_> {
        Facts { files: self.spec.files(), ..Facts::online("waf") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    fn check(&self, _global: &Global) -> Result<(), String> {
        self.lock.check()
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let (goal, zones) = protection::of_spec(&self.spec, settings, output).await?;
        if self.changes {
            return Ok(show_changes(&zones, self.detailed_exitcode, output)?);
        }
        if self.lock.is_given() {
            return self.lock.run(&self.spec, (&goal, &zones), output);
        }
        let filter = RuleFilter {
            tag: self.tag.clone(),
            family: self.family.clone(),
            level: self.level,
            is_on: self.state.map(|state| state == RuleState::On),
        };
        let managed = Some(self.ruleset.managed());
        let surveys: Vec<_> =
            zones.iter().map(|zone| (zone.name.as_str(), survey(&zone.after, None))).collect();
        let mut shown = Vec::new();
        for (name, survey) in &surveys {
            let listed =
                survey.rulesets.iter().find(|r| r.which == managed && r.catalogue.is_some());
            let Some(ruleset) = listed else {
                bail!(
                    "Cloudflare does not list the rules of `{}` for {name}: check which managed \
                    rulesets the Cloudflare plan \
                     of the zone has, and whether the token may read the account's rulesets \
                     (`zonewright doctor`)",
                    self.ruleset.managed().key()
                )
            };
            let rows: Vec<_> = ruleset.rows().into_iter().filter(|row| filter.keeps(row)).collect();
            shown.push((*name, ruleset, rows));
        }
        match output.format {
            Format::Json => output.json(&json::rules(&shown))?,
            Format::Text | Format::Document(_) => {
                output.result(|out| write_waf_rules(out, &shown, output.colour))?
            }
        }
        Ok(Exit::Success)
    }
}
