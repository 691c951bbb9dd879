//! Chooses the zones whose plans a change of the spec can alter, for `plan --changed`.
//!
//! A zone that the change does not touch is still planned if it names a changed zone, is above or
//! below one, or depends on one by way of others: an alias, a mail server or an expectation of it
//! can depend on that zone. A zone with expectations needs the zones that it names, and those that
//! they name, to judge them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::diagnostic::{Diagnostic, count, findings};
use crate::model::{Desired, ZoneName};
use crate::spec;

/// The zones that are planned, of all zones of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ChangedZones {
    /// The zones that differ from the base.
    pub(super) changed: BTreeSet<ZoneName>,
    /// Other zones that changed zones depend on, or that depend on them.
    pub(super) connected: BTreeSet<ZoneName>,
}

impl ChangedZones {
    /// Compares two specs.
    pub(super) fn between(base: &Desired, desired: &Desired) -> Self {
        let (before, after) = (zone_texts(base), zone_texts(desired));
        let is_changed = |(name, text): &(&ZoneName, &String)| before.get(*name) != Some(*text);
        let changed: BTreeSet<ZoneName> =
            after.iter().filter(is_changed).map(|(name, _)| name.clone()).collect();
        // Others may name a zone that the spec no longer has.
        let removed = before.keys().filter(|name| !after.contains_key(*name));
        let mut reached: BTreeSet<ZoneName> = changed.iter().chain(removed).cloned().collect();
        let desired_texts: BTreeMap<&ZoneName, String> =
            after.iter().map(|(name, text)| (name, without_cuts(text))).collect();
        loop {
            let names: HashSet<&str> = reached.iter().map(ZoneName::as_str).collect();
            let above: HashSet<&str> = names.iter().flat_map(|name| suffixes(name)).collect();
            let depends = |name: &ZoneName, text: &str| {
                above.contains(name.as_str())
                    || suffixes(name.as_str()).any(|suffix| names.contains(suffix))
                    || named_zones(text, &names).next().is_some()
            };
            let dependents = desired_texts.iter().filter(|(name, text)| depends(name, text));
            let dependents = dependents.map(|(name, _)| ZoneName::clone(name));
            let dependents: Vec<ZoneName> =
                dependents.filter(|name| !reached.contains(name)).collect();
            if dependents.is_empty() {
                break;
            }
            reached.extend(dependents);
        }
        let all_names: HashSet<&str> = desired_texts.keys().map(|name| name.as_str()).collect();
        let has_expectations =
            |name: &&ZoneName| desired.zones.get(*name).is_some_and(|zone| !zone.expect.is_empty());
        let mut open: Vec<ZoneName> = reached.iter().filter(has_expectations).cloned().collect();
        let mut needed: BTreeSet<ZoneName> = open.iter().cloned().collect();
        while let Some(text) = open.pop().and_then(|name| desired_texts.get(&name)) {
            for zone in named_zones(text, &all_names).filter_map(|zone| ZoneName::parse(zone).ok())
            {
                if needed.insert(zone.clone()) {
                    open.push(zone);
                }
            }
        }
        let connected = reached.into_iter().chain(needed);
        let connected = connected
            .filter(|name| desired_texts.contains_key(name) && !changed.contains(name))
            .collect();
        Self { changed, connected }
    }

    /// Says which zones are planned, of how many.
    pub(super) fn note(&self, all: usize) -> Diagnostic {
        let Self { changed, connected } = self;
        let connected_words = match connected.len() {
            0 => String::new(),
            n => format!(", and {} connected with them", count(n, "zone")),
        };
        let planned = changed.len() + connected.len();
        findings::CHANGED_ZONES.nowhere(format!(
            "--changed plans {} of {} that differ from the base{connected_words}; {} not read",
            changed.len(),
            count(all, "zone"),
            all.saturating_sub(planned),
        ))
    }

    /// Returns true if a zone is planned.
    pub(super) fn has(&self, zone: &ZoneName) -> bool {
        self.changed.contains(zone) || self.connected.contains(zone)
    }
}

/// Returns each zone of a spec as a text.
fn zone_texts(spec: &Desired) -> BTreeMap<ZoneName, String> {
    let text = |(name, zone)| (ZoneName::clone(name), spec::zone_text(zone, spec));
    spec.zones.iter().map(text).collect()
}

/// Joins the strings of TXT records: a name may be on both sides of a cut.
fn without_cuts(text: &str) -> String {
    text.replace("\\\" \\\"", "").replace("\" \"", "")
}

/// Returns those of some zones that a text names: by their own names, or by names below them.
fn named_zones<'t>(text: &'t str, zones: &HashSet<&str>) -> impl Iterator<Item = &'t str> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.split(move |c| !is_of_name(c))
        .map(|name| name.trim_end_matches('.'))
        .flat_map(|name| std::iter::once(name).chain(suffixes(name)))
        .filter(|name| zones.contains(name))
}

/// Returns the names above a name.
fn suffixes(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('.').map(|(dot, _)| &name[dot + 1..])
}
