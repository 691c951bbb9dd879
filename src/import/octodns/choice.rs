//! Decides which configuration and which target provide a zone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::configuration::Configuration;
use super::documents::Documents;
use super::providers::ProviderKind;
use super::zone_content::ZoneContent;
use super::zones::{ConfiguredZone, expand_zones, load_zone, other_targets, zone_content};
use crate::diagnostic::{Place, findings};
use crate::import::import_result::ImportResult;
use crate::model::ZoneName;

/// Configuration and target of octoDNS that the user chose.
#[derive(Debug, Clone, Default)]
pub struct OctodnsChoice {
    /// Path of the only configuration to read.
    pub config: Option<PathBuf>,
    /// Name of the target whose records are imported instead of Cloudflare's.
    pub target: Option<String>,
}

/// A zone that a target gets from a configuration.
struct Publication<'c> {
    configuration: &'c Configuration,
    zone: &'c ConfiguredZone<'c>,
    target: &'c str,
}

impl Publication<'_> {
    fn content(&self, documents: &Documents, found: &ImportResult) -> ZoneContent {
        zone_content(self.configuration, self.zone, self.target, documents, &found.sources)
    }

    /// Names the configuration and the target.
    fn in_words(&self) -> String {
        format!("{} (target `{}`)", self.configuration.path.display(), self.target)
    }
}

/// Imports the zones of configurations. Reports a chosen target that no zone has.
pub(super) fn import_configurations(
    configurations: &[Configuration],
    choice: &OctodnsChoice,
    documents: &mut Documents,
    found: &mut ImportResult,
) {
    if configurations.is_empty() {
        return;
    }
    if let Some(target) =
        choice.target.as_deref().filter(|target| !is_target(configurations, target))
    {
        let mut targets: Vec<&String> = configurations.iter().flat_map(targets_of).collect();
        targets.sort_unstable();
        targets.dedup();
        let names: Vec<String> = targets.iter().map(|name| format!("`{name}`")).collect();
        let help = format!("the zones go to {}", names.join(", "));
        let why = format!("no zone of octoDNS has the target `{target}`");
        return found.report(findings::UNREADABLE_SOURCE, "", Place::NOWHERE, &why, Some(help));
    }
    let expanded: Vec<Vec<ConfiguredZone<'_>>> =
        configurations.iter().map(|configuration| expand_zones(configuration, found)).collect();
    for (configuration, zones) in configurations.iter().zip(&expanded) {
        for zone in zones {
            load_zone(configuration, zone, documents, found);
        }
    }
    let mut by_zone: BTreeMap<&ZoneName, Vec<Publication<'_>>> = BTreeMap::new();
    for (configuration, zones) in configurations.iter().zip(&expanded) {
        for zone in zones {
            // A plan that octoDNS never applies changes nothing at Cloudflare; the user may still
            // name the target of the zone.
            let is_published = choice.target.is_some() || !zone.is_never_applied;
            let targets =
                zone.entry.targets.iter().filter(|target| is_wanted(configuration, target, choice));
            let targets: Vec<&String> = targets.filter(|_| is_published).collect();
            if targets.is_empty() {
                leave_out(configuration, zone, choice, documents, found);
            }
            let publications =
                targets.into_iter().map(|target| Publication { configuration, zone, target });
            by_zone.entry(&zone.zone).or_default().extend(publications);
        }
    }
    for (zone, publications) in by_zone {
        import_zone(zone, &publications, documents, found);
    }
}

/// Returns the names of the targets of all zones.
fn targets_of(configuration: &Configuration) -> impl Iterator<Item = &String> {
    configuration.zones.iter().flat_map(|zone| &zone.targets)
}

/// Returns true if a zone of a configuration has a target of this name.
fn is_target(configurations: &[Configuration], target: &str) -> bool {
    configurations.iter().flat_map(targets_of).any(|known| known == target)
}

/// Returns true if the records of a target are imported.
fn is_wanted(configuration: &Configuration, target: &str, choice: &OctodnsChoice) -> bool {
    match &choice.target {
        Some(chosen) => chosen == target,
        None => {
            let provider = configuration.providers.get(target);
            provider.is_some_and(|provider| matches!(provider.kind, ProviderKind::Cloudflare(_)))
        }
    }
}

/// Reports a zone without a target that is imported.
fn leave_out(
    configuration: &Configuration,
    zone: &ConfiguredZone<'_>,
    choice: &OctodnsChoice,
    documents: &Documents,
    found: &mut ImportResult,
) {
    let target = zone.entry.targets.first().map_or("", String::as_str);
    let content = zone_content(configuration, zone, target, documents, &found.sources);
    let target_name =
        choice.target.as_ref().map_or("Cloudflare".to_owned(), |chosen| format!("`{chosen}`"));
    let why = match zone.is_never_applied
        && zone.entry.targets.iter().any(|target| is_wanted(configuration, target, choice))
    {
        true => "octoDNS never publishes it (`always-dry-run`)".to_owned(),
        false => other_targets(configuration, zone.entry, &target_name),
    };
    let path = configuration.path.display();
    let why = format!("in {path}, {why}");
    let help = "name a target with `--target NAME` to import what goes to it".to_owned();
    let help = Some(help).filter(|_| !zone.entry.targets.is_empty());
    content.leave_out_zone(&zone.zone, zone.entry.place, &why, help, found);
}

/// Imports a zone, unless its targets get different records.
fn import_zone(
    zone: &ZoneName,
    publications: &[Publication<'_>],
    documents: &Documents,
    found: &mut ImportResult,
) {
    let Some(first) = publications.first() else { return };
    let content = first.content(documents, found);
    let different = {
        let fingerprint = content.fingerprint(zone);
        let differs = |other: &&Publication<'_>| {
            let other_content = other.content(documents, found);
            other_content.fingerprint(zone) != fingerprint
        };
        publications[1..].iter().find(differs)
    };
    let Some(different) = different else {
        return content.import(zone, found);
    };
    let places: Vec<String> = publications.iter().map(Publication::in_words).collect();
    let detail = format!("{zone} has different records in {}", places.join(", "));
    let choice = "choose one with `--config FILE`, `--target NAME` or both".to_owned();
    found.contradiction(detail, [first.zone.entry.place, different.zone.entry.place], choice);
}
