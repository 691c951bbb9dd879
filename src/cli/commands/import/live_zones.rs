//! Imports live zones, and reports features that act on them and are not in a spec.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};

use crate::api::ReadClient;
use crate::cli::connection::{Access, OpenConnection};
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::diagnostic::{Diagnostics, Place, count, findings, first_of};
use crate::import::{Imported, from_live};
use crate::lint::check_plans;
use crate::live::{
    self, MOST_REQUESTS, MissingZone, Unknown, Wanted, WantedSettings, WholeZone, WholeZones,
    fetch_whole_zones,
};
use crate::model::{Desired, Tier, ZoneName};

/// Maximum number of zones that a sentence names.
const MOST_NAMED: usize = 3;

/// Selection of the parts of live zones.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiveParts {
    /// True for records only.
    pub(super) only_dns: bool,
    /// True for protection only.
    pub(super) only_waf: bool,
    /// Zone settings to import, unless only one of the other parts is.
    pub(super) settings: WantedSettings,
}

/// Imports live zones. Reports content that the spec does not have.
pub(super) async fn import_live(
    parts: LiveParts,
    names: &[&String],
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<(Vec<Imported>, Diagnostics)> {
    let name = |text: &&String| {
        let what = if Path::new(text.as_str()).exists() {
            format!("{text:?} is a file, which is imported as ./{text}, and not the name of a zone")
        } else {
            format!("{text:?} is not the name of a zone")
        };
        ZoneName::parse(text).context(what)
    };
    let file = names.iter().find(|text| Path::new(text.as_str()).exists());
    let names = names.iter().map(name).collect::<anyhow::Result<Vec<_>>>()?;
    let opened = OpenConnection::open(settings, Access::Read, output, std::iter::empty()).await;
    let connection = match file {
        Some(file) => opened
            .with_context(|| format!("failed to read the live zone {file:?}{}", file_hint(file)))?,
        None => opened?,
    };
    let read =
        read_zones(parts, &names, &connection.reader, &connection.options(settings, output).read)
            .await;
    connection.close().await;
    let zones = read?;
    let imported: Vec<Imported> =
        zones.zones.iter().map(|zone| with_plan(from_live(&zone.live), zone.live.tier)).collect();
    let mut diagnostics = Diagnostics::default();
    report_acting(&zones.zones, &mut diagnostics);
    report_unknown(&zones.zones, &mut diagnostics);
    report_left_out(&zones, parts, &mut diagnostics);
    Ok((imported, diagnostics))
}

/// Names the plan of an imported zone, unless the zone has more than the plan allows today, which
/// `validate` would refuse.
fn with_plan(mut imported: Imported, tier: Tier) -> Imported {
    if tier == Tier::Unknown {
        return imported;
    }
    imported.zone.tier = Some((tier, Place::NOWHERE));
    let zones = BTreeMap::from([(imported.zone.name.clone(), imported.zone.clone())]);
    if !check_plans(&Desired { zones, ..Desired::default() }).is_empty() {
        imported.zone.tier = None;
    }
    imported
}

async fn read_zones(
    parts: LiveParts,
    names: &[ZoneName],
    reader: &ReadClient,
    options: &live::ReadOptions,
) -> anyhow::Result<WholeZones> {
    let is_part = parts.only_dns || parts.only_waf;
    let wanted_parts = Wanted {
        rules: !parts.only_dns,
        settings: if is_part { WantedSettings::None } else { parts.settings },
        others: !is_part,
    };
    let zones = fetch_whole_zones(reader, names, wanted_parts, options).await?;
    if let Some(missing) = zones.missing.first() {
        let file = file_hint(missing.as_str());
        bail!("{}{file}", MissingZone::named(missing, options.account.as_deref()));
    }
    // Without its rules, nothing of a zone would be imported.
    if parts.only_waf
        && let Some(Unknown { about, permission, why }) =
            zones.zones.iter().flat_map(|zone| &zone.unknown).next()
    {
        bail!(
            "failed to read the {about}: Cloudflare says: {why}. It needs the permission {permission}"
        );
    }
    Ok(zones)
}

/// Reports features that act on each zone and are not in the spec.
fn report_acting(zones: &[WholeZone], diagnostics: &mut Diagnostics) {
    for WholeZone { live, acting, .. } in zones.iter().filter(|zone| !zone.acting.is_empty()) {
        let detail = format!("{}: the spec does not have {}", live.name, acting.join(", "));
        diagnostics.push(findings::ACTS_ON_ZONE.nowhere(detail));
    }
}

/// Reports parts that Cloudflare did not show, once for all zones with the same reason.
fn report_unknown(zones: &[WholeZone], diagnostics: &mut Diagnostics) {
    let mut names: BTreeMap<(&str, &str), BTreeMap<&str, Vec<&ZoneName>>> = BTreeMap::new();
    for zone in zones {
        for Unknown { about, permission, why } in &zone.unknown {
            let by_about = names.entry((permission, why)).or_default();
            by_about.entry(about).or_default().push(&zone.live.name);
        }
    }
    for ((permission, why), by_about) in names {
        let about: Vec<&str> = by_about.keys().copied().collect();
        let mut zones: Vec<&ZoneName> = by_about.into_values().flatten().collect();
        zones.sort();
        zones.dedup();
        let detail = format!(
            "{} of {}: Cloudflare says: {why}",
            about.join(", "),
            first_of(zones, MOST_NAMED)
        );
        let help = format!("seeing it takes the permission {permission}");
        diagnostics.push(findings::NOT_SHOWN.nowhere(detail).help(help));
    }
}

/// Reports parts that were not read.
fn report_left_out(found: &WholeZones, parts: LiveParts, diagnostics: &mut Diagnostics) {
    let zones = count(found.zones.len(), "zone");
    if !found.left_out.is_empty() {
        let what = found.left_out.join(", ");
        let detail = format!("of {zones}, to stay below {MOST_REQUESTS} requests: {what}");
        let help = "import a zone alone to see everything that it has: `zonewright import ZONE`";
        diagnostics.push(findings::NOT_LOOKED_AT.nowhere(detail).help(help));
    }
    if found.lacks_settings && parts.settings != WantedSettings::Each {
        let what = if found.left_out.is_empty() { "the less common settings" } else { "settings" };
        let detail = format!("of {zones}: {what}, which Cloudflare no longer lists at once");
        let help = "add `--all-settings` to read each setting with a request of its own";
        diagnostics.push(findings::NOT_LOOKED_AT.nowhere(detail).help(help));
    }
}

/// Returns a hint on naming a file, for a source that may be meant as one.
fn file_hint(source: &str) -> String {
    if Path::new(source).exists() {
        format!("; write ./{source} to import the file of this name")
    } else if source.contains('/') {
        format!("; if a file is meant, write ./{source}")
    } else {
        String::new()
    }
}
