//! Effects of exposed origins: addresses that the proxy hid before the change.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::dns::{End, Entry};
use super::effect::{Effect, Topic, at_most_five};
use super::hidden_alias::HiddenUse;
use super::other_zones::OtherZones;
use super::published_addresses::published;
use super::zone_view::View;
use crate::model::{Danger, Fqdn, Gather, RecordType};

/// Addresses that proxied names of any zone hide and that no query returns before the change.
#[derive(Debug, Default)]
pub(super) struct Hidden(BTreeSet<IpAddr>);

impl Hidden {
    /// Finds the hidden addresses that the records would publish. Takes time in proportion to the
    /// zone if there are any.
    pub(super) fn of<'r>(
        before: View<'_, '_>,
        after: impl Iterator<Item = &'r Entry<'r>>,
        others: OtherZones<'_>,
    ) -> Self {
        let published_addresses: BTreeSet<IpAddr> = after.flat_map(published).gather();
        if published_addresses.is_empty() {
            return Self::default();
        }
        let is_hidden = |address: &&IpAddr| others.hide(**address, before.0.name());
        let mut hidden: BTreeSet<IpAddr> =
            published_addresses.iter().filter(is_hidden).copied().gather();
        let mut public = BTreeSet::new();
        for record in before.0.entries() {
            if let Some(address) = record.data.address() {
                if published_addresses.contains(&address) {
                    let is_hidden = record.proxied || is_behind_edge(before, record.name);
                    if is_hidden { &mut hidden } else { &mut public }.insert(address);
                }
            } else if !record.proxied {
                public.extend(
                    published(&record).into_iter().filter(|a| published_addresses.contains(a)),
                );
            }
        }
        Self(hidden.difference(&public).copied().collect())
    }

    /// Returns the hidden addresses that one record publishes; `was_proxied` is true if its name
    /// was proxied, and `after` is the zone with the record.
    pub(super) fn exposed_by(
        &self,
        record: &Entry<'_>,
        was_proxied: bool,
        after: View<'_, '_>,
    ) -> Vec<Effect> {
        let name = record.name;
        // One proxied record hides the other records of its name, and an alias of a proxied name
        // also leads to the edge.
        if record.is_address_or_alias() && is_behind_edge(after, name) {
            return Vec::new();
        }
        let line = match leads_to(record) {
            // This also applies if the address is public under another name, because requests no
            // longer pass through Cloudflare.
            Some(host) if !record.proxied && was_proxied && !is_only_read(record) => {
                is_no_longer_proxied(name, &host)
            }
            _ => {
                let exposed: Vec<IpAddr> =
                    published(record).into_iter().filter(|a| self.0.contains(a)).collect();
                if exposed.is_empty() {
                    return Vec::new();
                }
                format!(
                    "{name} {}: {} was behind the proxy and becomes public",
                    record.data.type_name(),
                    at_most_five(exposed)
                )
            }
        };
        vec![Effect::needing(Danger::ExposesOrigin, Topic::Addresses, name, line)]
    }
}

/// Describes what becomes visible because a proxied record of a name is removed, and another one
/// that it hid stays.
pub(super) fn uncovered_by_removal(
    removed: &Entry<'_>,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Option<Effect> {
    let name = removed.name;
    if !removed.is_proxied() || is_behind_edge(after, name) {
        return None;
    }
    let staying = before.at(name).into_iter().filter(|record| !record.proxied);
    let is_there = |record: &Entry<'_>| {
        after.at(name).iter().any(|other| other.data == record.data && !other.proxied)
    };
    let host = staying.filter(is_there).find_map(|record| leads_to(&record))?;
    let line = is_no_longer_proxied(name, &host);
    Some(Effect::needing(Danger::ExposesOrigin, Topic::Addresses, name, line))
}

/// Returns true if resolvers get only addresses of Cloudflare's edge for a name.
fn is_behind_edge(view: View<'_, '_>, name: &Fqdn) -> bool {
    let ends = [RecordType::A, RecordType::Aaaa].map(|kind| view.0.answer(name, kind).end);
    ends.iter().any(|end| matches!(end, End::Edge(_)))
        && !ends.iter().any(|end| matches!(end, End::Records(_)))
}

/// Returns true if a record is an alias that nobody visits, such as that of a key: no origin is
/// behind it.
fn is_only_read(record: &Entry<'_>) -> bool {
    let target = record.data.target().filter(|_| record.is(RecordType::Cname));
    target.is_some_and(|target| HiddenUse::of(record.name, target).is_some())
}

/// Returns the address or the alias in a record.
fn leads_to(record: &Entry<'_>) -> Option<String> {
    record.data.address().map(|a| a.to_string()).or_else(|| {
        let target = record.data.target().filter(|_| record.is(RecordType::Cname))?;
        Some(target.to_string())
    })
}

/// Returns the sentence about a name that leaves the proxy.
fn is_no_longer_proxied(name: &Fqdn, host: &str) -> String {
    format!(
        "{name} is no longer proxied: everyone sees that it leads to {host}, and requests no longer pass through Cloudflare"
    )
}
