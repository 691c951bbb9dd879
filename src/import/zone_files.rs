//! Decides which zone each zone file belongs to, and which files are includes of others.
//!
//! Two files of one zone are only read if the user names both: `db.example.com` and
//! `db.example.com.bak` are two versions, and two directories may have two views.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::import_result::{ImportResult, Translation};
use super::source_files::{path_below, read};
use super::zone_file::{self, Outline};
use super::zone_of_path::zone_of_path;
use crate::diagnostic::{Place, SourceId, Span, findings};
use crate::model::ZoneName;

/// A zone file.
#[derive(Debug, Clone)]
pub(super) struct MasterFile {
    pub(super) path: PathBuf,
    pub(super) source: SourceId,
    /// True if the user named the file itself and not only its directory.
    pub(super) is_named: bool,
}

impl MasterFile {
    /// Returns the directory that limits the includes of the file.
    fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Returns the first line, for messages about the whole file.
    fn beginning(&self, found: &ImportResult) -> Place {
        let text = found.sources.get(self.source).map_or("", |source| source.text());
        let end = text.lines().next().map_or(0, str::len);
        Place { source: self.source, span: Span::new(0, end) }
    }
}

/// Reads zone files. `given` is the zone that the user names.
pub(super) fn read_zone_files(
    files: Vec<MasterFile>,
    given: Option<&ZoneName>,
    found: &mut ImportResult,
) {
    let mut sources: HashMap<PathBuf, SourceId> = HashMap::new();
    let mut outlined = Vec::new();
    let mut included = BTreeSet::new();
    let files = unique(files);
    // A file that includes itself is recognised by its real path.
    sources.extend(
        files.iter().filter_map(|file| Some((file.path.canonicalize().ok()?, file.source))),
    );
    for file in files {
        let zone_in_path = zone_of_path(&file.path);
        let assumed = given.or(zone_in_path.as_ref());
        let outline = {
            let mut read_file = reader(file.directory(), &mut sources);
            Outline::read(file.source, file.directory(), assumed, &mut read_file, found)
        };
        if let Some((place, why)) = outline.unreadable {
            found.report(findings::UNREADABLE_SOURCE, "", place, why, None);
            continue;
        }
        included.extend(outline.included.iter().filter_map(|path| path.canonicalize().ok()));
        outlined.push((file, outline));
    }
    // A file that another file includes is part of the zone of that file.
    let is_part = |file: &MasterFile| {
        !file.is_named && file.path.canonicalize().is_ok_and(|path| included.contains(&path))
    };
    outlined.retain(|(file, _)| !is_part(file));
    let mut by_zone: BTreeMap<ZoneName, Vec<(MasterFile, Outline)>> = BTreeMap::new();
    for (file, outline) in outlined {
        if is_contradicting(&file, &outline, given, found) {
            continue;
        }
        match outline.zone(given, zone_of_path(&file.path)) {
            Some(zone) => by_zone.entry(zone).or_default().push((file, outline)),
            None => report_unknown_zone(&file, &outline, found),
        }
    }
    for (zone, files) in by_zone {
        if let [(first, _), (second, _), ..] = files.as_slice()
            && files.iter().any(|(file, _)| !file.is_named)
        {
            let paths: Vec<String> =
                files.iter().map(|(file, _)| file.path.display().to_string()).collect();
            let detail = format!("{zone} is in several zone files: {}", paths.join(", "));
            let choice = "import the one that is in force alone; to merge them, name each of them"
                .to_owned();
            found.contradiction(detail, [first.beginning(found), second.beginning(found)], choice);
            continue;
        }
        for (file, outline) in files {
            let mut read_file = reader(file.directory(), &mut sources);
            zone_file::read(
                file.source,
                &zone,
                outline.is_export,
                file.directory(),
                &mut read_file,
                found,
            );
        }
    }
}

/// Removes duplicate files. A file is named if one of its duplicates is.
fn unique(files: Vec<MasterFile>) -> Vec<MasterFile> {
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    let mut unique: Vec<MasterFile> = Vec::new();
    for file in files {
        let real = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
        match places.get(&real) {
            Some(at) => unique[*at].is_named |= file.is_named,
            None => {
                places.insert(real, unique.len());
                unique.push(file);
            }
        }
    }
    unique
}

/// Returns a reader for files below a directory that reads each file once.
fn reader<'r>(
    directory: &'r Path,
    sources: &'r mut HashMap<PathBuf, SourceId>,
) -> impl FnMut(&Path, &mut ImportResult) -> Result<SourceId, String> + use<'r> {
    move |path, found| {
        let below = path.strip_prefix(directory).unwrap_or(path).to_str().unwrap_or_default();
        let real = path_below(directory, below)?;
        if let Some(source) = sources.get(&real) {
            return Ok(*source);
        }
        let text = read(&real).map_err(|why| format!("`{below}`: {why}"))?;
        found.read_file(path);
        let source = found.sources.add(path.display().to_string(), text);
        sources.insert(real, source);
        Ok(source)
    }
}

/// Reports a SOA record that contradicts another one or the zone that the user names.
fn is_contradicting(
    file: &MasterFile,
    outline: &Outline,
    given: Option<&ZoneName>,
    found: &mut ImportResult,
) -> bool {
    let path = file.path.display();
    match outline.authorities.as_slice() {
        [(first, place), (second, other), ..] => {
            let detail = format!("{path} has SOA records of {first} and of {second}");
            found.contradiction(
                detail,
                [*place, *other],
                "a zone file has one zone; divide it into two files".to_owned(),
            );
            true
        }
        [(owner, place)] if given.is_some_and(|given| given.as_fqdn() != owner) => {
            let given_name = given.map(ToString::to_string).unwrap_or_default();
            let detail = format!(
                "the SOA record of {path} is of {owner}, and `--zone-name` says {given_name}"
            );
            let choice = format!("leave out `--zone-name`, or write `--zone-name {owner}`");
            found.contradiction(detail, [*place, Place::NOWHERE], choice);
            true
        }
        _ => false,
    }
}

/// Reports a file with an unknown zone, and the number of its records.
fn report_unknown_zone(file: &MasterFile, outline: &Outline, found: &mut ImportResult) {
    (0..outline.record_count).for_each(|_| found.count("record", Translation::LeftOut));
    let why = "it has neither a SOA record nor `$ORIGIN`, and its name is not that of a zone";
    let help = "add `--zone-name example.com`".to_owned();
    let shown = file.path.display().to_string();
    found.report(findings::UNKNOWN_ZONE, &shown, file.beginning(found), why, Some(help));
}
