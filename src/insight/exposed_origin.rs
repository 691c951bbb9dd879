//! Effects of exposed origins: addresses that the proxy hid before the change.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::dns::Entry;
use super::effect::{Effect, Topic, listed};
use super::other_zones::OtherZones;
use super::published_addresses::published;
use super::zone_view::View;
use crate::model::{Danger, Gather, RecordType};

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
        let wanted: BTreeSet<IpAddr> = after.flat_map(published).gather();
        if wanted.is_empty() {
            return Self::default();
        }
        let is_hidden = |address: &&IpAddr| others.hide(**address, before.0.name());
        let mut hidden: BTreeSet<IpAddr> = wanted.iter().filter(is_hidden).copied().gather();
        let mut public = BTreeSet::new();
        for record in before.0.entries() {
            if let Some(address) = record.data.address() {
                if wanted.contains(&address) {
                    if record.proxied { &mut hidden } else { &mut public }.insert(address);
                }
            } else if !record.proxied {
                public.extend(published(&record).into_iter().filter(|a| wanted.contains(a)));
            }
        }
        Self(hidden.difference(&public).copied().collect())
    }

    /// Returns the hidden addresses that one record publishes; `was_proxied` is true if its name
    /// was proxied.
    pub(super) fn exposed_by(&self, record: &Entry<'_>, was_proxied: bool) -> Vec<Effect> {
        let name = record.name;
        let leads = record.data.address().map(|a| a.to_string()).or_else(|| {
            let target = record.data.target().filter(|_| record.is(RecordType::Cname))?;
            Some(target.to_string())
        });
        let line = match leads {
            // This also applies if the address is public under another name, because requests no
            // longer pass through Cloudflare.
            Some(host) if !record.proxied && was_proxied => {
                format!(
                    "{name} is no longer proxied: everyone sees that it leads to {host}, and requests no longer pass through Cloudflare"
                )
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
                    listed(exposed)
                )
            }
        };
        vec![Effect::needing(Danger::ExposesOrigin, Topic::Addresses, name, line)]
    }
}
