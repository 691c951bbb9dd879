//! Determines the zones of a configuration and the records that each target gets.
//!
//! # Sources
//! octodns 1.22.0, `Manager._preprocess_zones`, `sync` and `configured_sub_zones`, read 2026-11.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::configuration::{Configuration, ZoneEntry, ZoneFilter};
use super::documents::Documents;
use super::populate::{Populated, files_of_zone, list_zones};
use super::processors::{Processor, ProcessorKind};
use super::providers::ProviderKind;
use super::publish::{Publisher, Target, TargetKind};
use super::zone_content::ZoneContent;
use crate::diagnostic::{Sources, findings};
use crate::import::import_result::ImportResult;
use crate::model::ZoneName;

/// A zone of a configuration.
#[derive(Debug)]
pub(super) struct ConfiguredZone<'c> {
    pub(super) zone: ZoneName,
    /// Zone whose sources are read: the zone itself, or the zone that it is an alias of.
    pub(super) source_zone: ZoneName,
    /// Entry with the sources and targets.
    pub(super) entry: &'c ZoneEntry,
    /// True if octoDNS plans the zone and never applies the plan.
    pub(super) is_never_applied: bool,
    /// Names of other zones of the configuration, relative to the zone.
    sub_zones: BTreeSet<String>,
}

/// Returns the zones of a configuration. Reports entries without a zone.
pub(super) fn expand_zones<'c>(
    configuration: &'c Configuration,
    found: &mut ImportResult,
) -> Vec<ConfiguredZone<'c>> {
    let mut entries: BTreeMap<ZoneName, &ZoneEntry> = BTreeMap::new();
    for entry in configuration.zones.iter().filter(|entry| !entry.is_dynamic()) {
        match ZoneName::parse(&entry.key) {
            Ok(zone) => drop(entries.insert(zone, entry)),
            Err(error) => {
                let why = error.to_string();
                found.refuse(
                    findings::INVALID_IN_SOURCE,
                    "zone",
                    &format!("zone {}", entry.key),
                    entry.place,
                    &why,
                );
            }
        }
    }
    for entry in configuration.zones.iter().filter(|entry| entry.is_dynamic()) {
        let listed = listed_zones(configuration, entry, found);
        match matching_zones(&entry.filter, listed) {
            Ok(names) => {
                for zone in names.iter().filter_map(|name| ZoneName::parse(name).ok()) {
                    entries.entry(zone).or_insert(entry);
                }
            }
            Err(why) => report_entry(entry, &why, found),
        }
    }
    let mut sub_zones = sub_zones_by_zone(entries.keys());
    let mut zones = Vec::new();
    for (zone, entry) in &entries {
        let sub_zones = sub_zones.remove(zone).unwrap_or_default();
        let zone = zone.clone();
        let is_never_applied = entry.is_never_applied;
        let Some(alias) = &entry.alias else {
            zones.push(ConfiguredZone {
                source_zone: zone.clone(),
                zone,
                entry,
                is_never_applied,
                sub_zones,
            });
            continue;
        };
        let source = ZoneName::parse(alias).ok().and_then(|source| entries.get_key_value(&source));
        match source.filter(|(_, source)| source.alias.is_none()) {
            Some((source_zone, source)) => {
                let source_zone = source_zone.clone();
                zones.push(ConfiguredZone {
                    zone,
                    source_zone,
                    entry: source,
                    is_never_applied,
                    sub_zones,
                });
            }
            None => {
                let why = format!(
                    "it is an alias of `{alias}`, which is not a zone of the configuration with \
                    sources"
                );
                found.refuse(
                    findings::INVALID_IN_SOURCE,
                    "zone",
                    &format!("zone {zone}"),
                    entry.place,
                    &why,
                );
            }
        }
    }
    zones
}

/// Returns the zones for which the sources of an entry have files.
fn listed_zones(
    configuration: &Configuration,
    entry: &ZoneEntry,
    found: &mut ImportResult,
) -> Vec<String> {
    let mut zones = Vec::new();
    for source in &entry.sources {
        let listed = match configuration.yaml_provider(source) {
            Some((provider, directory)) => list_zones(provider, &directory),
            None => Err(format!("the zones of its source `{source}` are not known")),
        };
        match listed {
            Ok(names) => zones.extend(names),
            Err(why) => report_entry(entry, &why, found),
        }
    }
    zones
}

/// Reports an entry of which some zones are unknown.
fn report_entry(entry: &ZoneEntry, why: &str, found: &mut ImportResult) {
    found.refuse(
        findings::NOT_TRANSLATED,
        "zone",
        &format!("zone `{}`", entry.key),
        entry.place,
        why,
    );
}

/// Returns the zones that an entry matches.
fn matching_zones(filter: &ZoneFilter, zones: Vec<String>) -> Result<Vec<String>, String> {
    let mut zones = zones;
    match filter {
        ZoneFilter::All => {}
        ZoneFilter::Glob(text) => {
            let mut single = text.clone();
            while single.contains("**") {
                single = single.replace("**", "*");
            }
            let pattern =
                glob::Pattern::new(&single).map_err(|error| format!("`glob: {text}`: {error}"))?;
            zones.retain(|zone| pattern.matches(zone));
        }
        ZoneFilter::Regex(text) => {
            let pattern =
                Regex::new(text).map_err(|_| format!("`regex: {text}` cannot be read"))?;
            zones.retain(|zone| pattern.is_match(zone));
        }
    }
    Ok(zones)
}

/// Reads the files of a zone.
pub(super) fn load_zone(
    configuration: &Configuration,
    zone: &ConfiguredZone<'_>,
    documents: &mut Documents,
    found: &mut ImportResult,
) {
    for source in &zone.entry.sources {
        let Some((provider, directory)) = configuration.yaml_provider(source) else { continue };
        for file in files_of_zone(provider, &directory, &zone.source_zone).unwrap_or_default() {
            documents.load(&configuration.tree, &file, found);
        }
    }
}

/// Returns the records of a zone that a target gets.
pub(super) fn zone_content(
    configuration: &Configuration,
    zone: &ConfiguredZone<'_>,
    target: &str,
    documents: &Documents,
    sources: &Sources,
) -> ZoneContent {
    let mut content = ZoneContent::default();
    let mut populated = Populated::default();
    for source in &zone.entry.sources {
        if let Err(why) =
            populate(configuration, zone, source, documents, &mut populated, &mut content)
        {
            content.in_part.insert(why);
        }
    }
    if zone.entry.sources.is_empty() {
        content.in_part.insert("it has no sources".to_owned());
    }
    content.in_part.extend(configuration.added_records.iter().map(|added| (*added).to_owned()));
    let kind = match configuration.providers.get(target) {
        Some(provider) => {
            if !provider.unread_options.is_empty() {
                content.in_part.insert(unread(target, &provider.unread_options));
            }
            match &provider.kind {
                ProviderKind::Cloudflare(cloudflare) => TargetKind::Cloudflare(cloudflare),
                ProviderKind::Yaml(_) | ProviderKind::Other => TargetKind::Other,
            }
        }
        None => TargetKind::Other,
    };
    let publisher = Publisher {
        zone: &zone.zone,
        target: Target { name: Some(target), kind },
        processors: processors_of(configuration, zone.entry, &mut content),
        sub_zones: &zone.sub_zones,
        drops_sub_zones: zone.entry.drops_sub_zones,
        is_copied: zone.zone != zone.source_zone,
        sources,
    };
    publisher.publish(&populated.sets, &mut content);
    content
}

/// Adds the record sets of one source. The error is the reason why they are unknown.
fn populate<'y>(
    configuration: &'y Configuration,
    zone: &ConfiguredZone<'_>,
    source: &str,
    documents: &'y Documents,
    populated: &mut Populated<'y>,
    content: &mut ZoneContent,
) -> Result<(), String> {
    let Some(provider) = configuration.providers.get(source) else {
        return Err(format!("its source `{source}` is not a provider of the configuration"));
    };
    if !provider.unread_options.is_empty() {
        return Err(unread(source, &provider.unread_options));
    }
    match &provider.kind {
        ProviderKind::Yaml(_) => {}
        ProviderKind::Cloudflare(_) => {
            return Err(format!("its source `{source}` is Cloudflare itself"));
        }
        ProviderKind::Other => {
            return Err(format!("its source `{source}` ({}) is not read", provider.class));
        }
    }
    let Some((yaml, directory)) = configuration.yaml_provider(source) else {
        return Err(format!("its source `{source}` has no directory"));
    };
    for file in files_of_zone(yaml, &directory, &zone.source_zone)? {
        if documents.get(&file).is_none() {
            return Err(format!("{} cannot be read", file.display()));
        }
        populated.add_file(documents, &file, yaml, &zone.zone, content);
    }
    Ok(())
}

/// Returns the message about provider options that come from a secret handler.
fn unread(provider: &str, options: &[String]) -> String {
    format!(
        "{} of its provider `{provider}` is not read, because it can be a secret",
        options.join(", ")
    )
}

/// Returns the processors of a zone, in order. Notes the unknown ones.
fn processors_of<'c>(
    configuration: &'c Configuration,
    entry: &'c ZoneEntry,
    content: &mut ZoneContent,
) -> Vec<(&'c str, &'c Processor)> {
    let names = configuration
        .first_processors
        .iter()
        .chain(&entry.processors)
        .chain(&configuration.last_processors);
    let mut processors = Vec::new();
    for name in names {
        match configuration.processors.get(name) {
            Some(processor) => {
                if matches!(processor.kind, ProcessorKind::Unknown) {
                    let why = format!(
                        "what its processor `{name}` ({}) changes is not known",
                        processor.class
                    );
                    content.in_part.insert(why);
                }
                processors.push((name.as_str(), processor));
            }
            None => {
                content
                    .in_part
                    .insert(format!("its processor `{name}` is not in the configuration"));
            }
        }
    }
    processors
}

/// Returns the names of the zones below each zone, relative to it.
fn sub_zones_by_zone<'z>(
    zones: impl Iterator<Item = &'z ZoneName> + Clone,
) -> BTreeMap<ZoneName, BTreeSet<String>> {
    let zones_by_name: BTreeMap<&str, &ZoneName> =
        zones.clone().map(|zone| (zone.as_str(), zone)).collect();
    let mut below: BTreeMap<ZoneName, BTreeSet<String>> = BTreeMap::new();
    for zone in zones {
        let name = zone.as_str();
        let parents = name
            .match_indices('.')
            .filter_map(|(at, _)| Some((at, zones_by_name.get(&name[at + 1..])?)));
        for (at, parent) in parents {
            below.entry((*parent).clone()).or_default().insert(name[..at].to_owned());
        }
    }
    below
}

/// Returns the message about a zone that goes to other targets than the imported one.
pub(super) fn other_targets(
    configuration: &Configuration,
    entry: &ZoneEntry,
    wanted: &str,
) -> String {
    if entry.targets.is_empty() {
        return "it has no targets, so octoDNS publishes it nowhere".to_owned();
    }
    let in_words = |name: &String| match configuration.providers.get(name) {
        Some(provider) => format!("`{name}` ({})", provider.class),
        None => format!("`{name}`, which is not a provider of the configuration"),
    };
    let targets: Vec<String> = entry.targets.iter().map(in_words).collect();
    format!("it goes to {}, not to {wanted}", targets.join(" and "))
}
