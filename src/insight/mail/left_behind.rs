//! SPF records that still allow the old address of a host.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use ipnet::IpNet;

use super::spf::is_spf;
use super::spf_senders::{Allows, allows};
use crate::insight::direction::Direction;
use crate::insight::dns::RecordEdit;
use crate::insight::effect::{Caused, Effect, Topic, at_most_five};
use crate::insight::published_addresses::published_networks;
use crate::insight::zone_view::View;
use crate::model::{Fqdn, Gather};

/// A host that gets a new address: the number of its edit, its name, and the new address.
type Moved<'a> = (usize, &'a Fqdn, IpAddr);

/// Returns the addresses that hosts of a zone replace by another address of the same family.
/// Proxied names are left out, because mail is never sent from them.
fn moved<'a>(edits: &[RecordEdit<'a>]) -> BTreeMap<IpAddr, Moved<'a>> {
    let moved_address = |(n, edit): (usize, &RecordEdit<'a>)| {
        let (before, after) = (edit.before?, edit.after?);
        let (old, new) = (before.data.address()?, after.data.address()?);
        let is_public = !before.proxied && !after.proxied;
        (is_public && old != new && old.is_ipv4() == new.is_ipv4())
            .then_some((old, (n, after.name, new)))
    };
    edits.iter().enumerate().filter_map(moved_address).gather()
}

/// Reports SPF records that name an address without a host in the zone, and that do not allow its
/// replacement, as far as the zone shows. Takes one pass over the zone if an address changes.
pub(in crate::insight) fn left_behind(
    after: View<'_, '_>,
    edits: &[RecordEdit<'_>],
) -> Vec<Caused> {
    let mut moved = moved(edits);
    if moved.is_empty() {
        return Vec::new();
    }
    let mut records = Vec::new();
    for entry in after.0.entries() {
        if let Some(address) = entry.data.address() {
            moved.remove(&address);
        }
        if entry.text().is_some_and(is_spf) {
            records.push(entry);
        }
    }
    let mut caused = Vec::new();
    for entry in records {
        let (name, networks) = (entry.name, published_networks(&entry, false));
        for (old, (n, host, new)) in &moved {
            if !networks.contains(&IpNet::from(*old)) {
                continue;
            }
            let what = match allows(after, name, *new) {
                None | Some(Allows::Yes) => continue,
                Some(Allows::No) => format!("and does not name {new}"),
                // The record of another domain rarely has an address of this zone, but its terms
                // that look up hosts may match one.
                Some(Allows::Perhaps(terms)) if terms.iter().all(|term| is_elsewhere(term)) => {
                    format!("and names {new} by {} at most", at_most_five(terms))
                }
                Some(Allows::Perhaps(_)) => continue,
            };
            let line =
                format!("SPF for {name} still allows {old}, the old address of {host}, {what}");
            caused.push((
                Rc::from([*n]),
                Effect::shown(Topic::MailAuthentication, name, Direction::Neutral, line),
            ));
        }
    }
    caused
}

/// Returns true if a term refers to the record of another domain.
fn is_elsewhere(term: &str) -> bool {
    term.starts_with("include:") || term.starts_with("redirect=")
}
