//! Collects the record sets of a zone from all its sources in order.
//!
//! # Sources
//! octodns 1.22.0, `YamlProvider.populate`, `list_zones` and `Zone.add_record`, read 2026-11.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::documents::Documents;
use super::natural_order::natural_order;
use super::providers::{KeyOrder, YamlProvider};
use super::zone_content::ZoneContent;
use crate::diagnostic::Place;
use crate::model::ZoneName;
use crate::spec::{PythonScalar, Yaml, YamlKind};

/// A record set of a source.
#[derive(Debug, Clone)]
pub(super) struct RecordSet<'y> {
    /// Name relative to the zone; empty for the apex.
    pub(super) name: String,
    /// Type in capitals; empty if there is none.
    pub(super) type_name: String,
    pub(super) data: &'y Yaml,
    pub(super) place: Place,
    pub(super) provider: &'y YamlProvider,
}

impl RecordSet<'_> {
    pub(super) fn values(&self) -> &[Yaml] {
        let value = self.value_key().and_then(|name| self.data.get(name));
        value.map(Yaml::items).unwrap_or_default()
    }

    /// Returns the key of the values that octoDNS reads.
    pub(super) fn value_key(&self) -> Option<&'static str> {
        // Types with one value only read `value`.
        let is_single = matches!(self.type_name.as_str(), "CNAME" | "ALIAS" | "DNAME");
        let names = if is_single { ["value", "values"] } else { ["values", "value"] };
        names.into_iter().find(|name| self.data.get(name).is_some())
    }

    /// Returns the name of the record set for messages.
    pub(super) fn shown(&self, zone: &ZoneName) -> String {
        let name = if self.name.is_empty() { "@" } else { &self.name };
        format!("{name} {} of {zone}", self.type_name)
    }

    /// Returns true if two record sets are equal, wherever they are.
    fn is_like(&self, other: &Self) -> bool {
        is_equal(self.data, other.data) && self.provider.default_ttl == other.provider.default_ttl
    }
}

/// Returns true if two values are equal, wherever they are.
fn is_equal(a: &Yaml, b: &Yaml) -> bool {
    match (&a.kind, &b.kind) {
        (YamlKind::List(a), YamlKind::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (YamlKind::Map(a), YamlKind::Map(b)) => {
            let is_in = |(name, value): &(String, Yaml)| {
                b.iter().any(|(key, other)| key == name && is_equal(value, other))
            };
            a.len() == b.len() && a.iter().all(is_in)
        }
        _ => a.python().is_some() && a.python() == b.python(),
    }
}

/// Returns the zones for which a directory has files.
pub(super) fn list_zones(provider: &YamlProvider, directory: &Path) -> Result<Vec<String>, String> {
    let mut zones = Vec::new();
    for name in file_names(directory)? {
        let path = directory.join(&name);
        if let Some(extension) = &provider.split_extension
            && name.ends_with(extension.as_str())
            && path.is_dir()
        {
            // octoDNS removes the first character of the extension, usually a dot, and everything
            // after it.
            let first_length = extension.chars().next().map_or(0, char::len_utf8);
            zones.push(name[..name.len() - (extension.len() - first_length)].to_owned());
        }
        let is_zone_file = name.ends_with(".yaml") && name.matches('.').count() >= 2;
        if provider.reads_zone_files && is_zone_file && path.is_file() {
            zones.push(name[..name.len() - "yaml".len()].to_owned());
        }
    }
    zones.sort_unstable();
    zones.dedup();
    Ok(zones)
}

/// Returns the names of the files in a directory, in order.
fn file_names(directory: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(directory)
        .map_err(|error| format!("{}: {error}", directory.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", directory.display()))?;
        names.extend(entry.file_name().into_string().ok());
    }
    names.sort_unstable();
    Ok(names)
}

/// Returns the files from which a provider reads a zone, in the provider's order.
pub(super) fn files_of_zone(
    provider: &YamlProvider,
    directory: &Path,
    zone: &ZoneName,
) -> Result<Vec<PathBuf>, String> {
    let ascii = zone.as_str().to_owned();
    let names: Vec<String> = zone.unicode().into_iter().chain([ascii]).collect();
    let mut files = Vec::new();
    if let Some(extension) = &provider.split_extension {
        let mut directories = names.iter().map(|name| directory.join(format!("{name}{extension}")));
        if let Some(split) = directories.find(|path| path.is_dir()) {
            let yaml = file_names(&split)?.into_iter().filter(|name| name.ends_with(".yaml"));
            files.extend(yaml.map(|name| split.join(name)));
        }
    }
    if provider.reads_zone_files {
        let mut paths = names.iter().map(|name| directory.join(format!("{name}.yaml")));
        files.extend(paths.find(|path| path.is_file()));
    }
    if let Some(shared) = &provider.shared_filename {
        files.push(directory.join(shared));
    }
    if files.is_empty() && !provider.ignores_missing_zones {
        let shown: std::path::PathBuf = directory.components().collect();
        return Err(format!("there is no file for {zone} in {}", shown.display()));
    }
    files.sort_unstable();
    Ok(files)
}

/// The record sets of a zone, in the order of its sources.
#[derive(Debug, Default)]
pub(super) struct Populated<'y> {
    pub(super) sets: Vec<RecordSet<'y>>,
    /// Indexes by name and type.
    places: BTreeMap<(String, String), usize>,
}

impl<'y> Populated<'y> {
    /// Adds the record sets of a file. What is wrong with it goes to the content of the zone.
    pub(super) fn add_file(
        &mut self,
        documents: &'y Documents,
        path: &Path,
        provider: &'y YamlProvider,
        zone: &ZoneName,
        content: &mut ZoneContent,
    ) {
        let Some(document) = documents.get(path) else { return };
        for (place, remark) in &document.remarks {
            content.notes.read_otherwise(*place, remark.clone());
        }
        if let Some((place, key)) = first_unordered(&document.root, provider.key_order) {
            let why = format!(
                "the key `{key}` is not in order, which octoDNS checks unless `enforce_order: false`"
            );
            content.notes.refused_by_octodns(place, why);
        }
        let is_mapping = matches!(document.root.kind, YamlKind::Map(_) | YamlKind::Null);
        if !is_mapping {
            let why = "a file of a zone is a mapping of names to records";
            content.refuse("", document.root.place, document.root.items().len(), why);
        }
        for (name, value) in document.root.members() {
            for data in value.items() {
                self.add_set(name, data, provider, zone, content);
            }
        }
    }

    /// Adds a record set; one of the same name and type is replaced if the provider says so.
    fn add_set(
        &mut self,
        name: &str,
        data: &'y Yaml,
        provider: &'y YamlProvider,
        zone: &ZoneName,
        content: &mut ZoneContent,
    ) {
        let written = data.get("type").and_then(Yaml::text).unwrap_or_default();
        let type_name = written.to_ascii_uppercase();
        let place = data.get("type").map_or(data.place, |value| value.place);
        if type_name != written {
            content.notes.refused_by_octodns(place, "a type is written in capitals");
        }
        let mut name = name.to_lowercase();
        if name == "@" {
            content.notes.refused_by_octodns(place, "the apex is written '', not '@'");
            name.clear();
        }
        let full_name = if name.is_empty() { "@".to_owned() } else { format!("{name}.{zone}.") };
        let known_name = zone.resolve(&full_name).map_or(full_name, |name| name.to_string());
        let set = RecordSet { name, type_name, data, place, provider };
        let key = (known_name, set.type_name.clone());
        let Some(n) = self.places.get(&key) else {
            self.places.insert(key, self.sets.len());
            self.sets.push(set);
            return;
        };
        let existing = &mut self.sets[*n];
        let (shown, values) = (set.shown(zone), existing.values().len());
        if provider.replaces {
            let why = "a later source of the zone replaces it (`populate_should_replace`)";
            content.leave_out(&shown, existing.place, values, why);
            *existing = set;
        } else if set.is_like(existing) {
            content.notes.refused_by_octodns(place, "a record set is in the sources twice");
        } else {
            let detail = format!("{shown}: two record sets have this name and type");
            content.contradictions.push((detail, [existing.place, place]));
        }
    }
}

/// Finds the first key that is not in the order that octoDNS enforces, in a mapping or one below
/// it.
fn first_unordered(value: &Yaml, order: KeyOrder) -> Option<(Place, &str)> {
    if order == KeyOrder::Any {
        return None;
    }
    let mut previous: Option<&str> = None;
    for (key, member) in value.members() {
        let is_unordered = previous.is_some_and(|previous| match order {
            KeyOrder::Natural => natural_order(previous, key).is_gt(),
            KeyOrder::Simple | KeyOrder::Any => previous > key.as_str(),
        });
        if is_unordered {
            return Some((member.place, key));
        }
        previous = Some(key);
        if let Some(below) = first_unordered(member, order) {
            return Some(below);
        }
    }
    match &value.kind {
        YamlKind::List(items) => items.iter().find_map(|item| first_unordered(item, order)),
        YamlKind::Null | YamlKind::Scalar(_) | YamlKind::Map(_) => None,
    }
}

/// Returns the number that Python's `int` makes of a TTL; otherwise why it is none.
pub(super) fn read_ttl(value: &Yaml) -> Result<i64, String> {
    let scalar = value.python().unwrap_or(PythonScalar::Null);
    let seconds = scalar.to_integer().ok_or_else(|| "`ttl` is not a number".to_owned())?;
    if seconds < 0 { Err("`ttl` is negative".to_owned()) } else { Ok(seconds) }
}
