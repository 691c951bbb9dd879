//! Derives a zone from the name of a file.

use std::path::Path;

use crate::model::ZoneName;

/// Endings of copies of files. None of them is a top-level domain.
const BACKUP_ENDINGS: &[&str] = &[".bak", ".old", ".orig", ".signed"];

/// Returns the zone that a path names: `example.com.yaml`, `db.example.com`, or a file below
/// `example.com./`.
pub(super) fn zone_of_path(path: &Path) -> Option<ZoneName> {
    let parts: Vec<&str> = path.components().filter_map(|part| part.as_os_str().to_str()).collect();
    let (name, directories) = parts.split_last()?;
    let directory = directories.iter().rev().find(|part| part.ends_with('.') && part.len() > 2);
    if let Some(zone) = directory.and_then(|directory| ZoneName::parse(directory).ok()) {
        return Some(zone);
    }
    let stem = name.strip_prefix("db.").unwrap_or(name).trim_end_matches('~');
    // A backup copy belongs to the zone of the original file.
    let stem = BACKUP_ENDINGS.iter().find_map(|ending| stem.strip_suffix(ending)).unwrap_or(stem);
    let stem = match stem.rsplit_once('.') {
        Some((stem, "yaml" | "yml" | "csv" | "zone" | "bind" | "db" | "hosts" | "txt")) => stem,
        _ => stem,
    };
    let stem = stem.trim_end_matches('.').trim_start_matches('$');
    ZoneName::parse(stem).ok().filter(|zone| zone.as_fqdn().label_count() > 1)
}
