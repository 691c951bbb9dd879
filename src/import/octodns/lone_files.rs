//! Imports zone files without a configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::choice::OctodnsChoice;
use super::documents::Documents;
use super::octodns_file::OctodnsFile;
use super::populate::Populated;
use super::providers::YamlProvider;
use super::publish::{Publisher, Target, TargetKind};
use super::zone_content::ZoneContent;
use crate::diagnostic::{Place, findings};
use crate::import::import_result::ImportResult;
use crate::model::ZoneName;

/// Imports files that are named after their zones. A file that others include belongs to the zones
/// of those files.
pub(super) fn import_lone_files(
    files: &[&OctodnsFile],
    choice: &OctodnsChoice,
    documents: &mut Documents,
    found: &mut ImportResult,
) {
    for file in files.iter().filter(|file| file.zone.is_some()) {
        documents.load(&file.tree, &file.path, found);
    }
    let included = documents.included();
    let mut by_zone: BTreeMap<&ZoneName, BTreeMap<PathBuf, Vec<&Path>>> = BTreeMap::new();
    for file in files {
        let Some(zone) = &file.zone else {
            let why = "it is neither a configuration of octoDNS nor called like a zone";
            found.skip_file(&file.path, why);
            continue;
        };
        if !file.path.canonicalize().is_ok_and(|path| included.contains(&path)) {
            by_zone
                .entry(zone)
                .or_default()
                .entry(directory_of_zone(&file.path))
                .or_default()
                .push(&file.path);
        } else if file.is_named_like_zone {
            let shown = file.path.display().to_string();
            let why = format!("another file includes it, so it is not imported as the zone {zone}");
            let help = format!(
                "if it is a zone as well, import it alone: `zonewright import --from octodns \
                {shown}`"
            );
            found.report(findings::NOT_TRANSLATED, &shown, Place::NOWHERE, &why, Some(help));
        }
    }
    let provider = YamlProvider::default();
    let no_zones = BTreeSet::new();
    for (zone, directories) in &by_zone {
        if directories.len() > 1 {
            contradict(zone, directories, documents, found);
            continue;
        }
        let mut content = ZoneContent::default();
        let mut populated = Populated::default();
        for path in directories.values().flatten() {
            populated.add_file(documents, path, &provider, zone, &mut content);
        }
        let publisher = Publisher {
            zone,
            target: Target { name: choice.target.as_deref(), kind: TargetKind::Assumed },
            processors: Vec::new(),
            sub_zones: &no_zones,
            drops_sub_zones: false,
            is_copied: false,
            sources: &found.sources,
        };
        publisher.publish(&populated.sets, &mut content);
        content.import(zone, found);
    }
    if !by_zone.is_empty() {
        let detail = "each file is taken for a zone of Cloudflare with a `default_ttl` of 3600 \
            seconds, escaped semicolons \
                      and no `min_ttl`";
        found.report(findings::NO_CONFIGURATION, "", Place::NOWHERE, detail, None);
    }
}

/// Returns the directory in which a provider would find a zone: the parent of a directory of split
/// files.
fn directory_of_zone(path: &Path) -> PathBuf {
    let directory = path.parent().unwrap_or(Path::new(""));
    let is_split = |path: &&Path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with('.'))
    };
    match directory.ancestors().find(is_split) {
        Some(split) => split.parent().unwrap_or(Path::new("")).to_owned(),
        None => directory.to_owned(),
    }
}

/// Reports files of one zone in several directories. They are different views of the zone.
fn contradict(
    zone: &ZoneName,
    directories: &BTreeMap<PathBuf, Vec<&Path>>,
    documents: &Documents,
    found: &mut ImportResult,
) {
    let paths: Vec<&&Path> = directories.values().filter_map(|paths| paths.first()).collect();
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut places =
        paths.iter().map(|path| documents.get(path).map_or(Place::NOWHERE, |file| file.root.place));
    let places = [places.next().unwrap_or(Place::NOWHERE), places.next().unwrap_or(Place::NOWHERE)];
    let detail = format!("{zone} has files in several directories: {}", shown.join(", "));
    let choice =
        "name the directory that is in force, or the directory that contains the configuration"
            .to_owned();
    found.contradiction(detail, places, choice);
}
