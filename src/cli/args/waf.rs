//! Arguments of `waf`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};

use super::SpecArgs;
use crate::model::facts::crs::FAMILIES;
use crate::model::managed::Managed;

/// `waf`.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum WafCommand {
    /// List the rules of a managed ruleset: on or off under the spec, and why
    Rules(Box<WafRulesArgs>),
    /// Show the live protection of a zone
    Effective(WafEffectiveArgs),
    /// Show what the spec changes, rule by rule
    Diff(WafDiffArgs),
    /// Write waf.lock, or compare the managed rulesets with it
    Lock(WafLockArgs),
    /// Run the OWASP Core Rule Set on requests: which rules match, and the score
    #[command(
        after_help = "Examples:\n  zonewright waf hits --crs coreruleset --requests requests.jsonl\n  zonewright waf hits --requests - < requests.jsonl"
    )]
    Hits(WafHitsArgs),
}

/// `waf rules`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WafRulesArgs {
    /// The spec.
    #[command(flatten)]
    pub(in crate::cli) spec: SpecArgs,
    /// Which ruleset
    #[arg(long, value_enum, default_value_t = Ruleset::Owasp)]
    pub(in crate::cli) ruleset: Ruleset,
    /// Only rules with this tag
    #[arg(long, value_name = "TAG")]
    pub(in crate::cli) tag: Option<String>,
    /// Only rules of this attack category
    #[arg(long, value_parser = PossibleValuesParser::new(FAMILIES.iter().map(|f| f.key)))]
    pub(in crate::cli) family: Option<String>,
    /// Only rules of this paranoia level
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub(in crate::cli) level: Option<u8>,
    /// Only rules that are on, or off
    #[arg(long, value_enum)]
    pub(in crate::cli) state: Option<State>,
}

/// A managed ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Ruleset {
    /// The Cloudflare OWASP Core Ruleset.
    Owasp,
    /// The Cloudflare Managed Ruleset.
    Cloudflare,
}

impl Ruleset {
    /// As the model has it.
    pub(in crate::cli) fn managed(self) -> Managed {
        match self {
            Self::Owasp => Managed::Owasp,
            Self::Cloudflare => Managed::Cloudflare,
        }
    }
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum State {
    /// On.
    On,
    /// Off.
    Off,
}

/// `waf effective`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WafEffectiveArgs {
    /// Zones to show
    #[arg(required = true, value_name = "ZONE")]
    pub(in crate::cli) zones: Vec<String>,
    /// List the rules of the managed rulesets as well
    #[arg(long)]
    pub(in crate::cli) rules: bool,
}

/// `waf diff`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WafDiffArgs {
    /// The spec.
    #[command(flatten)]
    pub(in crate::cli) spec: SpecArgs,
    /// Exit with 2 if there are differences
    #[arg(long)]
    pub(in crate::cli) detailed_exitcode: bool,
}

/// `waf lock`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WafLockArgs {
    /// The spec.
    #[command(flatten)]
    pub(in crate::cli) spec: SpecArgs,
    /// The file [default: waf.lock beside the first SPEC]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) lock: Option<PathBuf>,
    /// Compare only; exit with 2 if Cloudflare changed something
    #[arg(long)]
    pub(in crate::cli) check: bool,
}

/// `waf hits`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WafHitsArgs {
    /// The directory of the rules: crs-setup.conf (or its example) and rules/*.conf
    #[arg(long, value_name = "DIR", default_value = "/usr/share/modsecurity-crs")]
    pub(in crate::cli) crs: PathBuf,
    /// Requests as JSON lines; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) requests: PathBuf,
}
