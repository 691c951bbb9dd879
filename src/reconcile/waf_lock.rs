//! Reads `waf.lock` beside a spec, and reports Cloudflare's changes since it was written.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::{self, Diagnostics, findings};
use crate::insight::waf::lock::{Lock, compare};
use crate::model::managed::Catalogue;
use crate::model::ruleset::AcceptedObject;
use crate::model::{Desired, Live, sort_by};

/// Name of the file.
const NAME: &str = "waf.lock";

/// Maximum size of the file, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Returns the path of the file beside the first part of a spec, or in the working directory if the
/// spec is not a file.
#[must_use]
pub(crate) fn path_beside(spec: Option<&Path>) -> PathBuf {
    match spec {
        Some(path) if path.is_dir() => path.join(NAME),
        Some(path) => path.parent().unwrap_or_else(|| Path::new("")).join(NAME),
        None => PathBuf::from(NAME),
    }
}

/// Reports Cloudflare's changes of the rulesets that a file has and a plan read. Without a file,
/// reports nothing.
pub(super) fn check(path: &Path, live: &Live) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let file = path.display();
    let lock = match read(path) {
        Ok(None) => return diagnostics,
        Ok(Some(lock)) => lock,
        Err(reason) => {
            let what = format!(
                "{file}: {reason}; changes that Cloudflare made to its rulesets are not reported"
            );
            let diagnostic = findings::LOCK_UNREADABLE.nowhere(what);
            diagnostics.push(diagnostic.help("write it again: zonewright waf rules --lock SPEC"));
            return diagnostics;
        }
    };
    let mut catalogues: Vec<&Catalogue> =
        live.zones.values().flat_map(|zone| &zone.waf.catalogues).map(AsRef::as_ref).collect();
    sort_by(&mut catalogues, |a, b| a.id.0.cmp(&b.id.0));
    catalogues.dedup_by(|a, b| a.id == b.id);
    for catalogue in catalogues {
        let Some(locked) = lock.ruleset(&catalogue.id.0) else { continue };
        let changes = compare(Some(locked), catalogue);
        if changes.is_empty() {
            continue;
        }
        diagnostics.push(
            findings::LOCK_CHANGED.nowhere(changes.sentence()).help(format!(
                "zonewright waf rules --check SPEC shows it; zonewright waf rules --lock SPEC accepts it in {file}"
            )),
        );
    }
    diagnostics
}

/// Reports entries of `accept` for rules that the file does not have. Without a file, or without
/// one of the rulesets in it, nothing is known.
pub(super) fn unknown_acceptances(path: &Path, desired: &Desired) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let sections =
        desired.zones.values().filter_map(|zone| Some((&zone.name, zone.waf.as_deref()?)));
    let entries = sections
        .flat_map(|(zone, section)| section.accept.iter().map(move |entry| (zone, section, entry)));
    let named_rules: Vec<_> = entries
        .filter_map(|(zone, section, accepted)| match &accepted.object {
            // Tags and descriptions are not in the file in the form of the spec.
            AcceptedObject::Override { name, .. } if name.number().is_some() || name.is_id() => {
                Some((zone, section, accepted, name))
            }
            _ => None,
        })
        .collect();
    if named_rules.is_empty() {
        return diagnostics;
    }
    let Ok(Some(lock)) = read(path) else { return diagnostics };
    let mut places = BTreeSet::new();
    for (zone, section, accepted, name) in named_rules {
        let rulesets = section.deployments.iter().map(|deployment| deployment.ruleset);
        let rulesets =
            rulesets.filter(|ruleset| accepted.ruleset.is_none_or(|only| only == *ruleset));
        let locked: Option<Vec<_>> =
            rulesets.map(|ruleset| lock.ruleset(ruleset.facts().id)).collect();
        let Some(locked) = locked.filter(|locked| !locked.is_empty()) else { continue };
        if locked.iter().any(|ruleset| ruleset.has_rule(name)) || !places.insert(accepted.place) {
            continue;
        }
        let versions: Vec<String> =
            locked.iter().map(|ruleset| format!("{} {}", ruleset.name, ruleset.version)).collect();
        let detail = format!("no rule of {} is `{name}`", versions.join(" and "));
        let help = "correct the number or the id, or write `waf.lock` again: zonewright waf rules --lock SPEC";
        diagnostics.push(
            findings::ACCEPTS_UNKNOWN_RULE
                .at(accepted.place, detail)
                .about(zone.to_string())
                .help(help),
        );
    }
    diagnostics
}

/// Reads the file. Fails with the reason if it cannot be read.
fn read(path: &Path) -> Result<Option<Lock>, String> {
    match read_text(path) {
        Ok(text) => Lock::parse(&text).map(Some).map_err(|error| error.to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the text of a lock file.
///
/// # Errors
/// Fails if it cannot be read, is too large, or is not a regular file.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    // This is checked before opening, because opening a FIFO waits for a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    diagnostic::read_text(File::open(path)?, LARGEST)
}
