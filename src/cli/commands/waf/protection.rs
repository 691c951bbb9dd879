//! Reads the protection of zones for the commands below `waf`: of the zones of a spec, or of zones
//! by their names.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::Args;

use crate::cli::commands::Facts;
use crate::cli::connection::{Access, OpenConnection};
use crate::cli::load_spec::load_spec;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::recordings::{ListArgs, RuleArgs};
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::SpecArgs;
use crate::cli::zone_source;
use crate::diagnostic::count;
use crate::insight::dns::{End, ZoneIndex, Zones};
use crate::model::request::Request;
use crate::model::{Desired, DesiredZone, Fqdn, RecordType, ZoneName};
use crate::reconcile::{
    Goal, LiveProtection, Protected, ProtectionError, protection, protection_of,
};

/// Whose settings are meant, and the public rules to run on requests.
#[derive(Debug, Args)]
pub(super) struct SettingArgs {
    /// Settings of a spec: a file, a directory, or `-`; repeatable
    #[arg(long, value_name = "SPEC")]
    pub(super) spec: Vec<PathBuf>,
    /// Live settings of this zone
    #[arg(long, value_name = "ZONE")]
    pub(super) live: Option<String>,
    /// The rules.
    #[command(flatten)]
    pub(super) rules: RuleArgs,
    /// The lists that they name.
    #[command(flatten)]
    pub(super) lists: ListArgs,
}

impl SettingArgs {
    /// Returns the global options that affect the command. Live settings need no options about
    /// specs.
    pub(super) fn matters(&self, of_spec: Matters) -> Matters {
        match &self.live {
            Some(_) if self.spec.is_empty() => {
                Matters { zones: false, today: of_spec.today, ..Matters::ONLINE }
            }
            _ => of_spec,
        }
    }

    /// Returns the facts of a command that reads settings.
    pub(super) fn facts(&self) -> Facts<'_> {
        zone_source::facts("waf", &self.spec, self.live.is_some(), None)
    }

    /// Returns the argument to fill in if no settings are named.
    pub(super) fn missing(&mut self) -> Option<&mut Vec<PathBuf>> {
        (self.spec.is_empty() && self.live.is_none()).then_some(&mut self.spec)
    }

    /// Refuses both kinds of settings for a command that takes one.
    ///
    /// # Errors
    /// What to write instead.
    pub(super) fn check_one(&self) -> Result<(), String> {
        match (&self.live, self.spec.is_empty()) {
            (Some(_), false) => {
                Err("--spec and --live exclude each other: name one of them".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Loads a spec and reads the protection of its zones.
///
/// # Errors
/// Cloudflare cannot be read, or lacks a zone.
pub(super) async fn of_spec(
    spec: &SpecArgs,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<(Goal, Vec<Protected>)> {
    let goal = load_spec("waf", spec, settings, output)?;
    let zones = of_goal(&goal, settings, output).await?;
    Ok((goal, zones))
}

/// Reads the protection of the zones of a goal.
///
/// # Errors
/// As [`of_spec`].
pub(super) async fn of_goal(
    goal: &Goal,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Vec<Protected>> {
    let connection =
        OpenConnection::open(settings, Access::Read, output, goal.needed_zones()).await?;
    let zones =
        protection(goal, &connection.reader, &connection.options(settings, output).read).await;
    connection.close().await;
    let zones = zones.map_err(unreadable)?;
    for Protected { name, problems, .. } in zones.iter().filter(|zone| zone.problems > 0) {
        let entries = count(*problems, "entry");
        output.say(&format!(
            "{name}: not possible or without effect: {entries} of the spec; `zonewright plan` says \
            which"
        ));
    }
    output.hide();
    Ok(zones)
}

/// Reads the protection of zones by their names.
///
/// # Errors
/// A name is invalid, or Cloudflare lacks the zone.
pub(super) async fn of_names(
    names: &[String],
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Vec<LiveProtection>> {
    let parse = |name: &String| {
        ZoneName::parse(name).with_context(|| format!("{name:?} is not the name of a zone"))
    };
    let mut names = names.iter().map(parse).collect::<anyhow::Result<Vec<_>>>()?;
    names.sort();
    names.dedup();
    let connection =
        OpenConnection::open(settings, Access::Read, output, std::iter::empty()).await?;
    let zones =
        protection_of(&names, &connection.reader, &connection.options(settings, output).read).await;
    connection.close().await;
    let zones = zones.map_err(unreadable)?;
    output.hide();
    Ok(zones)
}

/// Converts an error so that its help is shown.
fn unreadable(error: ProtectionError) -> anyhow::Error {
    match error {
        ProtectionError::Fetch(error) => error.into(),
        error @ ProtectionError::NoZone(_) => error.into(),
    }
}

/// Returns the zone of the spec to which a request belongs.
pub(super) fn zone_of<'d>(
    desired: &'d Desired,
    request: &Request,
) -> anyhow::Result<&'d DesiredZone> {
    let host = Fqdn::parse(&request.host).map_err(|error| anyhow!("{}: {error}", request.host))?;
    let zones = Zones::new(desired.zones.values().map(ZoneIndex::of_spec).collect());
    let name = zones.zone_of(&host).map(|zone| zone.name().clone());
    let zone = name.and_then(|name| desired.zones.get(&name));
    zone.ok_or_else(|| anyhow!("no zone of the spec has the host {}", request.host))
}

/// Returns why rules do not apply or may not apply to a host; `None` if they apply.
pub(super) fn serving(desired: &Desired, request: &Request) -> Option<String> {
    let host = Fqdn::parse(&request.host).ok()?;
    let zones = Zones::new(desired.zones.values().map(ZoneIndex::of_spec).collect());
    match zones.answer(&host, RecordType::A).end {
        End::Edge(_) => None,
        End::Records(_) => {
            Some(format!("{host} is DNS only: its requests bypass Cloudflare, so no rule applies"))
        }
        End::NoData(_) | End::NoName | End::Loop => {
            Some(format!("{host} has no address in the spec"))
        }
        End::Referral(_) | End::Elsewhere | End::Cloudflare(..) | End::Unknown(_) => {
            Some(format!("whether {host} is proxied is unknown"))
        }
    }
}
