//! Chooses the zones whose plans a change of the spec can alter, for `plan --changed`.
//!
//! A zone that the change does not touch is still planned if it names a changed zone: an alias, a
//! mail server or an expectation of it can depend on that zone. A changed zone with expectations
//! needs the zones that it names, to judge them.

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
        let texts = |spec: &Desired| -> BTreeMap<ZoneName, String> {
            let text = |(name, zone)| (ZoneName::clone(name), spec::zone_text(zone, spec));
            spec.zones.iter().map(text).collect()
        };
        let (before, after) = (texts(base), texts(desired));
        let is_changed = |(name, text): &(&ZoneName, &String)| before.get(*name) != Some(*text);
        let changed: BTreeSet<ZoneName> =
            after.iter().filter(is_changed).map(|(name, _)| name.clone()).collect();
        let names: HashSet<&str> = changed.iter().map(ZoneName::as_str).collect();
        let all_names: HashSet<&str> = after.keys().map(ZoneName::as_str).collect();
        let mut connected = BTreeSet::new();
        for (name, text) in &after {
            let needs_others = !desired.zones[name].expect.is_empty();
            if !changed.contains(name) {
                connected.extend(named_zones(text, &names).next().map(|_| name.clone()));
            } else if needs_others {
                let needed = named_zones(text, &all_names).filter(|zone| !names.contains(zone));
                connected.extend(needed.filter_map(|zone| ZoneName::parse(zone).ok()));
            }
        }
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

/// Returns those of some zones that a text names: by their own names, or by names below them.
fn named_zones<'t>(text: &'t str, zones: &HashSet<&str>) -> impl Iterator<Item = &'t str> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let suffixes = |name: &'t str| {
        let starts = name.match_indices('.').map(|(dot, _)| dot + 1);
        std::iter::once(0).chain(starts).map(move |start| &name[start..])
    };
    text.split(move |c| !is_of_name(c))
        .map(|name| name.trim_end_matches('.'))
        .flat_map(suffixes)
        .filter(|name| zones.contains(name))
        .collect::<Vec<_>>()
        .into_iter()
}
