//! Reads a configuration: its providers, its processors, and the entries of its zones.
//!
//! # Sources
//! octodns 1.22.0, `manager.py`, read 2026-11.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::processors::{Processor, read_processor};
use super::providers::{
    OptionReader, Provider, ProviderKind, YamlProvider, is_true, read_provider, texts_of,
};
use crate::diagnostic::{Place, findings};
use crate::import::import_result::ImportResult;
use crate::import::source_files::within;
use crate::spec::{Yaml, YamlKind};

#[derive(Debug)]
pub(super) struct Configuration {
    pub(super) path: PathBuf,
    /// Directory that the user named. It contains every file that is read.
    pub(super) tree: PathBuf,
    /// Directory in which octoDNS runs. Directories of providers are relative to it.
    pub(super) base: PathBuf,
    pub(super) providers: BTreeMap<String, Provider>,
    pub(super) processors: BTreeMap<String, Processor>,
    /// Processors that run for every zone before and after the processors of the zone.
    pub(super) first_processors: Vec<String>,
    pub(super) last_processors: Vec<String>,
    /// Descriptions of records that the manager adds to every zone.
    pub(super) added_records: Vec<&'static str>,
    pub(super) zones: Vec<ZoneEntry>,
}

/// An entry of `zones`.
#[derive(Debug, Clone)]
pub(super) struct ZoneEntry {
    /// Key as written.
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) sources: Vec<String>,
    pub(super) targets: Vec<String>,
    pub(super) processors: Vec<String>,
    /// Zone whose records the entry copies.
    pub(super) alias: Option<String>,
    /// True if octoDNS plans the zone and never applies the plan.
    pub(super) is_never_applied: bool,
    /// True if octoDNS drops records that belong to other zones of the configuration; otherwise it
    /// refuses them.
    pub(super) drops_sub_zones: bool,
    /// Zones of the sources that a key with `*` matches.
    pub(super) filter: ZoneFilter,
}

/// A filter on the zones of the sources for a key with `*`.
#[derive(Debug, Clone)]
pub(super) enum ZoneFilter {
    All,
    Glob(String),
    Regex(String),
}

/// Returns true if a document is a configuration: it has providers and zones, and no record.
pub(super) fn is_configuration(root: &Yaml) -> bool {
    let is_mapping =
        |name: &str| root.get(name).is_some_and(|value| matches!(value.kind, YamlKind::Map(_)));
    is_mapping("providers") && is_mapping("zones")
}

impl Configuration {
    /// Reads a configuration and reports its mistakes. Returns `None` if the directories of its
    /// providers are not below the tree.
    pub(super) fn read(
        root: &Yaml,
        tree: &Path,
        path: &Path,
        found: &mut ImportResult,
    ) -> Option<Self> {
        let section = |name: &str| root.get(name).map(Yaml::members).unwrap_or_default();
        let handlers: BTreeSet<String> = std::iter::once("env".to_owned())
            .chain(section("secret_handlers").iter().map(|(name, _)| name.clone()))
            .collect();
        let providers: BTreeMap<String, Provider> = section("providers")
            .iter()
            .map(|(name, config)| (name.clone(), read_provider(config, &handlers)))
            .collect();
        let processors = section("processors")
            .iter()
            .map(|(name, config)| (name.clone(), read_processor(config, &handlers)))
            .collect();
        let no_manager = Yaml::new(root.place, YamlKind::Null);
        let manager = root.get("manager").unwrap_or(&no_manager);
        let mut options = OptionReader::new(manager, &handlers);
        let first_processors = options.texts("processors");
        let last_processors = options.texts("post_processors");
        let mut added_records = Vec::new();
        if manager.get("include_meta").is_some_and(is_true) {
            added_records.push(
                "`include_meta` adds a TXT record `octodns-meta`, which changes with each run",
            );
        }
        if manager.get("auto_arpa").is_some_and(is_true) {
            added_records.push("`auto_arpa` makes PTR records of the addresses of all zones");
        }
        let zones: Vec<ZoneEntry> =
            section("zones").iter().map(|(key, entry)| ZoneEntry::read(key, entry)).collect();
        let base = match find_base(tree, path, &providers, &zones) {
            Ok(base) => base,
            Err((place, why, help)) => {
                found.report(findings::UNREADABLE_SOURCE, "", place, &why, Some(help));
                return None;
            }
        };
        let (path, tree) = (path.to_owned(), tree.to_owned());
        Some(Self {
            path,
            tree,
            base,
            providers,
            processors,
            first_processors,
            last_processors,
            added_records,
            zones,
        })
    }

    /// Returns the provider of YAML files of this name, with its directory.
    pub(super) fn yaml_provider(&self, name: &str) -> Option<(&YamlProvider, PathBuf)> {
        let provider =
            self.providers.get(name).filter(|provider| provider.unread_options.is_empty())?;
        let ProviderKind::Yaml(yaml) = &provider.kind else { return None };
        let (directory, _) = yaml.directory.as_ref()?;
        Some((yaml, self.base.join(directory)))
    }
}

impl ZoneEntry {
    fn read(key: &str, entry: &Yaml) -> Self {
        let texts = |name: &str| entry.get(name).map(texts_of).unwrap_or_default();
        let text = |name: &str| {
            entry.get(name).filter(|value| is_true(value)).and_then(Yaml::text).map(str::to_owned)
        };
        let filter = match (text("glob"), text("regex")) {
            (Some(glob), _) => ZoneFilter::Glob(glob),
            (None, Some(regex)) => ZoneFilter::Regex(regex),
            (None, None) => ZoneFilter::All,
        };
        let first = entry.members().first().map_or(entry.place, |(_, value)| value.place);
        Self {
            key: key.to_owned(),
            place: first,
            sources: texts("sources"),
            targets: texts("targets"),
            processors: texts("processors"),
            alias: text("alias"),
            is_never_applied: entry.get("always-dry-run").is_some_and(is_true),
            drops_sub_zones: entry.get("ignore_subzone_adds").is_some_and(is_true),
            filter,
        }
    }

    /// Returns true if the key matches zones of the sources.
    pub(super) fn is_dynamic(&self) -> bool {
        self.key.starts_with('*')
    }
}

/// Finds the directory in which octoDNS runs: the lowest directory from that of the configuration
/// up to the tree that contains the directories of all providers. The error has the place of a
/// missing directory, the reason, and the path to name.
fn find_base(
    tree: &Path,
    path: &Path,
    providers: &BTreeMap<String, Provider>,
    zones: &[ZoneEntry],
) -> Result<PathBuf, (Place, String, String)> {
    let directory_of = |provider: &Provider| match &provider.kind {
        ProviderKind::Yaml(yaml) => yaml.directory.clone(),
        ProviderKind::Cloudflare(_) | ProviderKind::Other => None,
    };
    let directories: Vec<(String, Place)> = providers.values().filter_map(directory_of).collect();
    // The directory of a provider that is only a target need not exist.
    let is_source =
        |name: &str| zones.iter().any(|zone| zone.sources.iter().any(|source| source == name));
    let sources: Vec<(String, Place)> = providers
        .iter()
        .filter(|(name, _)| is_source(name))
        .filter_map(|(_, provider)| directory_of(provider))
        .collect();
    let directory = path.parent().unwrap_or(Path::new(""));
    let below = directory.strip_prefix(tree).unwrap_or(Path::new(""));
    let bases: Vec<PathBuf> = below.ancestors().map(|below| tree.join(below)).collect();
    let is_there = |base: &Path, directory: &str| {
        let path = base.join(directory);
        path.is_dir() && within(tree, &path, directory).is_ok_and(|real| real.is_some())
    };
    for wanted in [&directories, &sources] {
        if let Some(base) =
            bases.iter().find(|base| wanted.iter().all(|(directory, _)| is_there(base, directory)))
        {
            return Ok(base.clone());
        }
    }
    let is_missing =
        |(directory, _): &&(String, Place)| !bases.iter().any(|base| is_there(base, directory));
    let missing = sources.iter().find(is_missing).or(sources.first());
    let (directory, place) = missing.cloned().unwrap_or((String::new(), Place::NOWHERE));
    let shown = if tree.as_os_str().is_empty() { Path::new(".") } else { tree };
    let why =
        format!("`{directory}`, the directory of a provider, is not below {}", shown.display());
    let real = tree_above(shown, &sources);
    let help = match real {
        Some(above) => {
            format!(
                "name the directory that contains it: `zonewright import {}/ --config {}`",
                above,
                path.display()
            )
        }
        None => {
            "name the directory that contains both the configuration and the directories of its \
            providers"
                .to_owned()
        }
    };
    Err((place, why, help))
}

/// Finds the next directory above a tree that contains the directories of all sources.
fn tree_above(tree: &Path, sources: &[(String, Place)]) -> Option<String> {
    let is_base = |base: &&Path| sources.iter().all(|(directory, _)| base.join(directory).is_dir());
    let is_named = |base: &&Path| !base.as_os_str().is_empty();
    let as_written = tree.ancestors().skip(1).filter(is_named).find(is_base).map(Path::to_owned);
    let real =
        || tree.canonicalize().ok()?.ancestors().skip(1).take(8).find(is_base).map(Path::to_owned);
    as_written.or_else(real).map(|above| above.display().to_string())
}
