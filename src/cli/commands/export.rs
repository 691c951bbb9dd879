//! Implements `export`: writes zones in the format of another tool. The connection cannot write.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::default_spec::in_help;
use crate::cli::exit_codes::Exit;
use crate::cli::files;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::Global;
use crate::cli::zone_source;
use crate::export::{ExportTarget, Exported, export};
use crate::import::{Imported, from_live};
use crate::live::{Fetched, MissingZone, ZoneQuery};
use crate::model::{DesiredZone, LiveZone, ZoneName};
use crate::render::safe::safe;

/// Write zones in the format of another tool
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  zonewright export --to bind zones/example.com.yaml > \
        example.com.zone\n  zonewright export --to octodns zones/ --out config/\n  zonewright \
        export --to bind --live --zone example.com")]
pub(in crate::cli) struct ExportArgs {
    #[arg(value_name = "SPEC", help = in_help("Files and directories of the spec; `-` is standard \
        input"), conflicts_with_all = ["live", "against"])]
    spec: Vec<PathBuf>,
    /// Format to write
    #[arg(long, value_name = "FORMAT", value_parser = ["bind", "octodns"])]
    to: String,
    /// Export the live zones that are named with --zone
    #[arg(long, conflicts_with = "against")]
    live: bool,
    /// Export the zones of a snapshot: no credentials, no requests
    #[arg(long, value_name = "SNAPSHOT")]
    against: Option<PathBuf>,
    /// Write one file for each zone into this directory, instead of one zone to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Name server of the zones for zone files, if they are not read from Cloudflare; repeatable
    #[arg(long, value_name = "HOST")]
    name_server: Vec<String>,
}

impl Run for ExportArgs {
    const MATTERS: Matters = Matters { connection: true, ..Matters::SPEC };

    fn matters(&self) -> Matters {
        let is_without_spec = self.spec.is_empty() && (self.live || self.against.is_some());
        if is_without_spec { Matters::ONLINE } else { Self::MATTERS }
    }

    fn facts(&self) -> Facts<'_> {
        zone_source::facts("export", &self.spec, self.live, self.against.as_ref())
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        (self.spec.is_empty() && !self.live && self.against.is_none()).then_some(&mut self.spec)
    }

    fn check(&self, global: &Global) -> Result<(), String> {
        let is_name = |name: &String| ZoneName::parse(name).is_ok();
        if self.live && (global.zone.is_empty() || !global.zone.iter().all(is_name)) {
            return Err(
                "`export --live` needs the zones: --zone example.com, repeated for several"
                    .to_owned(),
            );
        }
        match self.name_server.iter().find(|name| ZoneName::parse(name).is_err()) {
            Some(name) => Err(format!("--name-server {name:?} is not a host name")),
            None => Ok(()),
        }
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let zones = match zone_source::goal("export", &self.spec, settings, output)? {
            Some(goal) => goal.desired.zones.into_values().map(|zone| (zone, Vec::new())).collect(),
            None => live(self, settings, output).await?,
        };
        output.hide();
        let target = ExportTarget::parse(&self.to).context("the format is not known")?;
        write_zones(self, zones, target, output)?;
        Ok(Exit::Success)
    }
}

/// Zones with their name servers.
type ServedZones = Vec<(DesiredZone, Vec<String>)>;

/// Reads zones from Cloudflare or a snapshot.
async fn live(
    args: &ExportArgs,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<ServedZones> {
    let names = &settings.flags.zone;
    let Fetched { live, missing, account } = if let Some(file) = &args.against {
        let is_meant =
            |zone: &ZoneName| names.is_empty() || names.iter().any(|name| name == zone.as_str());
        zone_source::of_snapshot(file, is_meant, settings).await?
    } else {
        let zones = names.iter().map(|name| Ok(ZoneQuery::new(ZoneName::parse(name)?)));
        let zones = zones.collect::<anyhow::Result<Vec<_>>>()?;
        zone_source::of_cloudflare(&zones, settings, output).await?
    };
    if let Some(missing) = missing.first() {
        if args.against.is_some() {
            bail!(
                "the snapshot says that the zone {missing} did not exist, or could not be seen: \
                take it again"
            );
        }
        return Err(MissingZone::named(missing, account.as_deref()).into());
    }
    if live.zones.is_empty() {
        bail!("the snapshot has no such zone; name one of its zones with --zone");
    }
    let zone = |live: &LiveZone| {
        let Imported { zone, notes, .. } = from_live(live);
        notes.iter().for_each(|note| output.news(&safe(&format!("{}: {note}", zone.name))));
        (zone, live.name_servers.clone())
    };
    Ok(live.zones.values().map(zone).collect())
}

/// Prints one zone, or writes a file for each zone.
fn write_zones(
    args: &ExportArgs,
    zones: ServedZones,
    target: ExportTarget,
    output: &Output,
) -> anyhow::Result<()> {
    if args.out.is_none() && zones.len() > 1 {
        bail!(
            "the spec has several zones; choose one with --zone, or write a file for each with \
            --out DIR"
        );
    }
    let mut files = Vec::new();
    for (zone, servers) in zones {
        let servers = if args.name_server.is_empty() { &servers } else { &args.name_server };
        let Exported { text, left_out, .. } = export(&zone, servers, target);
        for words in left_out {
            output.news(&safe(&format!("{}: {words}", zone.name)));
        }
        files.push((target.file_name(&zone), text));
    }
    let Some(directory) = &args.out else {
        let text = files.pop().map(|(_, text)| text).unwrap_or_default();
        output.result(|out| out.write_all(text.as_bytes()))?;
        return Ok(());
    };
    let files: Vec<(PathBuf, String)> =
        files.into_iter().map(|(name, text)| (directory.join(name), text)).collect();
    files::write_new(directory, &files, output)
}
