//! `export`: write zones in the format of another tool. Holds no means of writing to Cloudflare.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::args::{Global, SpecArgs};
use crate::cli::exit::Exit;
use crate::cli::files;
use crate::cli::load::load;
use crate::cli::output::Output;
use crate::cli::own_files::Takes;
use crate::cli::relevance::Matters;
use crate::cli::service::{Access, Service};
use crate::cli::settings::Settings;
use crate::export::{Exported, Target, export};
use crate::import::{Imported, from_live};
use crate::live::{Fetched, WafQuery, Wanted, fetch};
use crate::model::{DesiredSettings, DesiredZone, LiveZone, ZoneName};
use crate::reconcile::OpenSnapshot;
use crate::render::safe::safe;

/// Write zones in the format of another tool
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright export --to bind zones/example.com.yaml > example.com.zone\n  zonewright export --to octodns zones/ --out config/\n  zonewright export --to bind --live --zone example.com"
)]
pub(in crate::cli) struct ExportArgs {
    /// Files and directories of the spec; `-` is standard input [default: zonewright.yaml, zones/ or dns/]
    #[arg(value_name = "SPEC", conflicts_with_all = ["live", "against"])]
    spec: Vec<PathBuf>,
    /// Format to write
    #[arg(long, value_name = "FORMAT", value_parser = ["bind", "octodns"])]
    to: String,
    /// Export what Cloudflare has, of the zones named with --zone
    #[arg(long, conflicts_with = "against")]
    live: bool,
    /// Export what a snapshot has: no credentials, no requests
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

    fn facts(&self) -> Facts<'_> {
        let against = self.against.as_deref().map(|path| (path, Takes::Snapshot));
        let spec = self.spec.iter().map(|path| (path.as_path(), Takes::Spec));
        Facts {
            is_online: self.live || self.against.is_some(),
            files: against.into_iter().chain(spec).collect(),
            ..Facts::offline("export")
        }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        (self.spec.is_empty() && !self.live && self.against.is_none()).then_some(&mut self.spec)
    }

    fn check(&self, global: &Global) -> Result<(), String> {
        let is_name = |name: &String| ZoneName::parse(name).is_ok();
        if self.live && (global.zone.is_empty() || !global.zone.iter().all(is_name)) {
            return Err("`export --live` needs the zones: --zone example.com, repeated for several".to_owned());
        }
        match self.name_server.iter().find(|name| ZoneName::parse(name).is_err()) {
            Some(name) => Err(format!("--name-server {name:?} is not a host name")),
            None => Ok(()),
        }
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let zones = if self.spec.is_empty() {
            live(self, settings, output).await?
        } else {
            match load("export", &SpecArgs { spec: self.spec.clone() }, settings, output)? {
                Ok(goal) => goal.desired.zones.into_values().map(|zone| (zone, Vec::new())).collect(),
                Err(exit) => return Ok(exit),
            }
        };
        output.hide();
        let target = Target::parse(&self.to).context("the format is not known")?;
        write(self, zones, target, output)?;
        Ok(Exit::Success)
    }
}

/// Zones with their name servers.
type Zones = Vec<(DesiredZone, Vec<String>)>;

/// What Cloudflare or a snapshot has.
async fn live(args: &ExportArgs, settings: &Settings<'_>, output: &Arc<Output>) -> anyhow::Result<Zones> {
    let named =
        |name: ZoneName| Wanted { name, id: None, settings: DesiredSettings::default(), waf: WafQuery::default() };
    let fetched = if let Some(file) = &args.against {
        let OpenSnapshot { snapshot, .. } = OpenSnapshot::open(file, settings.now()?)?;
        let about = snapshot.about();
        let zones = about.zones.iter().map(|zone| Wanted { id: zone.pinned.clone(), ..named(zone.name.clone()) });
        let is_meant = |zone: &Wanted| {
            settings.flags.zone.is_empty() || settings.flags.zone.iter().any(|n| n == zone.name.as_str())
        };
        let mut options = settings.options();
        options.read.account.clone_from(&about.account);
        fetch(&snapshot, &zones.filter(is_meant).collect::<Vec<_>>(), &options.read, &|_| {}).await?
    } else {
        let zones = settings.flags.zone.iter().map(|name| Ok(named(ZoneName::parse(name)?)));
        let zones = zones.collect::<anyhow::Result<Vec<_>>>()?;
        let service = Service::open(settings, Access::Read, output, std::iter::empty()).await?;
        let fetched = fetch(&service.reader, &zones, &service.options(settings, output).read, &|_| {}).await;
        service.close().await;
        fetched?
    };
    let Fetched { live, missing, .. } = fetched;
    if let Some(missing) = missing.first() {
        bail!("the zone {missing} does not exist, or these credentials cannot see it");
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

/// Prints one zone, or writes a file for each.
fn write(args: &ExportArgs, zones: Zones, target: Target, output: &Output) -> anyhow::Result<()> {
    if args.out.is_none() && zones.len() > 1 {
        bail!("the spec has several zones; choose one with --zone, or write a file for each with --out DIR");
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
    let files: Vec<(PathBuf, String)> = files.into_iter().map(|(name, text)| (directory.join(name), text)).collect();
    files::write_new(directory, &files, output)
}
