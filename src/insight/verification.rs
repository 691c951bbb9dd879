//! Effects of removed texts by which services verify who controls a domain.

use std::collections::BTreeMap;

use super::direction::Direction;
use super::dns::Entry;
use super::effect::{Effect, Topic};
use super::zone_view::View;
use crate::model::Fqdn;
use crate::model::facts::verification_texts::VerificationText;

/// Returns true if a service looks for the text of a record.
pub(super) fn is_verification(record: &Entry<'_>) -> bool {
    record.text().is_some_and(|text| VerificationText::of(text).is_some())
}

/// Returns the effects of texts at a name that services no longer find.
pub(super) fn compare_verifications(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let texts = |view: View<'_, '_>| {
        let mut by_service: BTreeMap<&str, (&VerificationText, usize)> = BTreeMap::new();
        let records = view.at(name);
        for known in records.iter().filter_map(Entry::text).filter_map(VerificationText::of) {
            by_service.entry(known.service).or_insert((known, 0)).1 += 1;
        }
        by_service
    };
    let (old, new) = (texts(before), texts(after));
    let lost = old.values().filter_map(|(known, count)| {
        let remaining = new.get(known.service).map_or(0, |(_, left)| *left);
        // A text of the same service in its place is a new token.
        if remaining >= *count {
            return None;
        }
        let service = known.service;
        let line = match remaining {
            0 => format!(
                "{name}: {service} no longer finds its verification text, and may end {}",
                known.lost
            ),
            _ => format!(
                "{name}: {service} no longer finds one of its verification texts; {remaining} stay",
            ),
        };
        Some(Effect::shown(Topic::Hosting, name, Direction::Neutral, line))
    });
    lost.collect()
}
