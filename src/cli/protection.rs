//! The protection of zones for the commands of `waf`: as it is, and as a spec wants it.

use std::sync::Arc;

use anyhow::{Context, bail};

use super::args::{Global, SpecArgs};
use super::exit::Exit;
use super::output::Output;
use super::planning::{Loaded, load, with_hint};
use super::service::{Access, Service};
use crate::diff::{diff_rulesets, planned};
use crate::live::{self, WafQuery, Wanted, fetch_protection, fetch_waf_of_new};
use crate::model::ruleset::LiveWaf;
use crate::model::{LiveZone, ZoneName, ZoneWants};

/// A zone of a spec.
pub(super) struct Protected {
    /// Its name.
    pub(super) name: ZoneName,
    /// Its protection now.
    pub(super) before: LiveWaf,
    /// Its protection as the spec wants it.
    pub(super) after: LiveWaf,
}

/// How the service is read.
fn options(service: &Service, global: &Global) -> live::Options {
    live::Options {
        page_size: global.page_size,
        concurrency: usize::from(global.concurrency),
        account: service.account.clone(),
        cache: service.cache.clone(),
    }
}

/// Everything that is asked of a zone.
fn wanted(name: &ZoneName) -> Wanted {
    Wanted { name: name.clone(), id: None, around: ZoneWants::default(), waf: WafQuery::everything() }
}

/// Loads a spec and reads the protection of its zones.
///
/// # Errors
/// The service cannot be read, or lacks a zone.
pub(super) async fn of_spec(
    spec: &SpecArgs,
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Result<(Loaded, Vec<Protected>), Exit>> {
    let loaded = match load("waf", spec, global, output)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(Err(exit)),
    };
    let service = Service::open(global, Access::Read, output, loaded.rehearsed()).await?;
    let zones = read_spec(&loaded, &service, global).await;
    service.close().await;
    let mut all = Vec::new();
    for zone in zones? {
        let Some(desired) = loaded.desired.zones.get(&zone.name) else { continue };
        let changes = diff_rulesets(desired, &zone);
        let after = planned(&zone.waf, &changes);
        let problems = changes.problems.len() + changes.misplaced.len();
        if problems > 0 {
            output.say(&format!(
                "{}: {problems} entries of the spec cannot be had, or have no effect; `zonewright plan` says which",
                zone.name
            ));
        }
        all.push(Protected { name: zone.name.clone(), after, before: zone.waf });
    }
    output.hide();
    Ok(Ok((loaded, all)))
}

/// The zones of a spec with their protection, by name; those that are to be made are empty.
async fn read_spec(loaded: &Loaded, service: &Service, global: &Global) -> anyhow::Result<Vec<LiveZone>> {
    let options = options(service, global);
    let zones = loaded.desired.zones.values();
    let wanted: Vec<_> = zones.map(|zone| Wanted { id: zone.id.clone(), ..wanted(&zone.name) }).collect();
    let fetched = fetch_protection(&service.reader, &wanted, &options).await.map_err(with_hint)?;
    let mut zones = fetched.live.zones;
    for name in &fetched.missing {
        if !loaded.desired.zones.get(name).is_some_and(|z| z.create && z.id.is_none()) {
            bail!("the service has no zone {name}, or these credentials may not see it");
        }
        let everything = WafQuery::everything();
        let waf = fetch_waf_of_new(&service.reader, &everything, &options).await.map_err(with_hint)?;
        zones.insert(name.clone(), LiveZone { waf, ..LiveZone::to_be_made(name.clone()) });
    }
    Ok(zones.into_values().collect())
}

/// Reads the protection of zones by their names.
///
/// # Errors
/// A name is none, or the service does not have the zone.
pub(super) async fn of_names(
    names: &[String],
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Vec<(ZoneName, LiveWaf)>> {
    let parse = |name: &String| ZoneName::parse(name).with_context(|| format!("{name:?} is no name of a zone"));
    let mut names = names.iter().map(parse).collect::<anyhow::Result<Vec<_>>>()?;
    names.sort();
    names.dedup();
    let service = Service::open(global, Access::Read, output, std::iter::empty()).await?;
    let wanted: Vec<_> = names.iter().map(wanted).collect();
    let fetched = fetch_protection(&service.reader, &wanted, &options(&service, global)).await;
    service.close().await;
    let fetched = fetched.map_err(with_hint)?;
    if let Some(name) = fetched.missing.first() {
        bail!("the service has no zone {name}, or these credentials may not see it");
    }
    output.hide();
    Ok(fetched.live.zones.into_values().map(|zone| (zone.name, zone.waf)).collect())
}
