//! Effects of changed addresses: addresses that cannot be reached, that stay in the old network, or
//! that belong to other names.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::direction::Direction;
use super::effect::{Effect, Topic, at_most_five};
use super::mistyped_addresses::{host_part, leaves, loses_group, site, slip};
use super::other_zones::OtherZones;
use super::zone_view::View;
use crate::model::{Danger, Fqdn, Gather, Rdata, RecordType};

/// Number of replaced addresses among which one with another group is looked for.
const MOST_CANDIDATES: usize = 16;

/// Returns the effects of changed addresses for a name.
pub(super) fn compare_addresses(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
    others: OtherZones<'_>,
) -> Vec<Effect> {
    let addresses_of = |view: View<'_, '_>| -> BTreeSet<IpAddr> {
        view.at(name).iter().filter_map(|entry| entry.data.address()).collect()
    };
    let (old, new) = (addresses_of(before), addresses_of(after));
    let (gone, came): (Vec<IpAddr>, Vec<IpAddr>) =
        (old.difference(&new).copied().collect(), new.difference(&old).copied().collect());
    let is_proxied = after.at(name).iter().any(|record| record.proxied);
    // One private record makes all records of its name private
    // (developers.cloudflare.com/dns/manage-dns-records/how-to/private-network-routing, read
    // 2026-11-26).
    let is_routed =
        after.at(name).iter().any(|r| r.proxied && r.settings.private_routing == Some(true));
    // Checks of the whole zone or of all addresses run at most once, because a name can have
    // hundreds of addresses. A documentation address behind the proxy can be a placeholder.
    let is_strange = LazyCell::new(|| !is_proxied && has_only_other_addresses(before));
    let lost = |address: IpAddr| {
        let strange = || {
            (is_for_documentation(address) && *is_strange).then_some("an address for documentation")
        };
        unreachable(address).or_else(strange)
    };
    let reached = |set: &BTreeSet<IpAddr>| {
        [true, false]
            .map(|is_v4| set.iter().filter(|a| a.is_ipv4() == is_v4 && lost(**a).is_none()).count())
    };
    let fewer = LazyCell::new(|| (reached(&old), reached(&new)));
    // A name that already has such an address belongs to a private network.
    let is_inside = LazyCell::new(|| old.iter().any(|address| lost(*address).is_some()));
    let is_replaced =
        [IpAddr::is_ipv4, IpAddr::is_ipv6].map(|is_of_family| gone.iter().any(is_of_family));
    let gone_by_host =
        gone.iter().fold(BTreeMap::<IpAddr, Vec<IpAddr>>::new(), |mut by_host, gone| {
            by_host.entry(host_part(*gone)).or_default().push(*gone);
            by_host
        });
    let mut effects = Vec::new();
    let was_proxied = before.at(name).iter().any(|record| record.proxied);
    let moves = !old.is_empty() && !new.is_empty() && old.is_disjoint(&new) && !is_proxied;
    if moves || is_proxied && !was_proxied {
        let stale = stale_fingerprints(name, before, after).map(|kinds| match is_proxied {
            true => format!(
                "{name} is proxied and keeps {kinds}: clients that check them reach Cloudflare's \
                 edge, which has other keys"
            ),
            false => format!(
                "{name} moves and keeps {kinds}: clients that check them refuse a host with other \
                 keys"
            ),
        });
        effects.extend(
            stale.map(|line| Effect::shown(Topic::Addresses, name, Direction::Neutral, line)),
        );
    }
    if !is_proxied {
        effects.extend(left_in_place(&old, &new).map(|line| {
            Effect::shown(Topic::Addresses, name, Direction::Neutral, format!("{name}: {line}"))
        }));
    }
    for came in &came {
        let family = usize::from(!came.is_ipv4());
        let alike = gone_by_host.get(&host_part(*came)).into_iter().flatten();
        let mut slips = alike.filter_map(|gone| Some((*gone, slip(*gone, *came)?)));
        let mistyped = slips.find(|(gone, _)| leaves(name, *gone, *came, after, others));
        let without_group = || {
            let candidates = gone.iter().take(MOST_CANDIDATES);
            let mut shorter = candidates.filter(|gone| loses_group(**gone, *came));
            let shorter_address =
                shorter.find(|gone| leaves(name, **gone, *came, after, others))?;
            Some((*shorter_address, "a missing group"))
        };
        if let Some((gone, how)) = mistyped.or_else(without_group) {
            let line = format!(
                "{name}: {came} differs from {gone} by {how} and is in no network that this spec uses"
            );
            effects.push(Effect::needing(Danger::LooksMistyped, Topic::Addresses, name, line));
        }
        if is_replaced[family]
            && let Some(line) = shared(name, *came, before, after)
        {
            effects.push(Effect::shown(Topic::Addresses, name, Direction::Neutral, line));
        }
        let Some(why) = lost(*came).filter(|_| !is_routed) else { continue };
        let line = format!("{name}: {came} is {why}, so it cannot be reached from the internet");
        let (then, now) = &*fewer;
        effects.push(if now[family] < then[family] && !*is_inside {
            Effect::needing(Danger::LooksMistyped, Topic::Addresses, name, line)
        } else {
            Effect::shown(Topic::Addresses, name, Direction::Neutral, line)
        });
    }
    effects
}

/// Names the fingerprints of keys and certificates that stay although the host moves.
fn stale_fingerprints(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>) -> Option<String> {
    let pinned = |kind: RecordType, holder: &Fqdn| {
        let values = |view: View<'_, '_>| -> Vec<Rdata> {
            view.of_type(holder, kind).iter().map(|entry| entry.data.clone()).collect()
        };
        let staying = values(after);
        !staying.is_empty() && staying == values(before)
    };
    let mut kinds = Vec::new();
    if pinned(RecordType::Sshfp, name) {
        kinds.push("SSHFP".to_owned());
    }
    let below = after.0.node(name.as_str()).map(|node| node.below().collect::<Vec<_>>());
    for node in below.into_iter().flatten() {
        let holder = Fqdn::reported(node.name());
        // `_25._tcp` before the host (RFC 6698 section 3).
        let is_of_port = holder.label_count() == name.label_count() + 2;
        if is_of_port && node.name().starts_with('_') && pinned(RecordType::Tlsa, &holder) {
            kinds.push(format!("TLSA ({})", after.0.name().relative(&holder)));
        }
    }
    (!kinds.is_empty()).then(|| at_most_five(kinds))
}

/// Describes a move of one address family to other networks while the other family stays, so that
/// some clients still use the old network.
fn left_in_place(old: &BTreeSet<IpAddr>, new: &BTreeSet<IpAddr>) -> Option<String> {
    let family = |set: &BTreeSet<IpAddr>, is_v4: bool| -> Vec<IpAddr> {
        set.iter().copied().filter(|address| address.is_ipv4() == is_v4).collect()
    };
    let moves = |is_v4: bool| {
        let (old, new) = (family(old, is_v4), family(new, is_v4));
        let sites: BTreeSet<IpAddr> = old.iter().map(|address| site(*address)).gather();
        !sites.is_empty()
            && !new.is_empty()
            && !new.iter().any(|address| sites.contains(&site(*address)))
    };
    let moved = [true, false].into_iter().find(|is_v4| {
        let other_family = family(old, !is_v4);
        moves(*is_v4) && !other_family.is_empty() && other_family == family(new, !is_v4)
    })?;
    let (clients, other) =
        if moved { ("IPv6", family(new, false)) } else { ("IPv4", family(new, true)) };
    Some(format!("clients with {clients} still go to {}, which stays", at_most_five(other)))
}

/// Describes the other names that had an address before and keep it.
fn shared(
    name: &Fqdn,
    address: IpAddr,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Option<String> {
    let keeps = |other: &&Fqdn| after.at(other).iter().any(|r| r.data.address() == Some(address));
    let held = before
        .0
        .addresses_between(address, address)
        .map(|(_, other)| other)
        .filter(|other| *other != name);
    let other_names: BTreeSet<&str> =
        held.filter(keeps).map(|other| before.0.name().relative(other)).gather();
    (!other_names.is_empty()).then(|| {
        format!("{name}: {address} is the address of {} as well", at_most_five(other_names))
    })
}

/// Returns the reason why an address cannot be reached from the internet; `None` for reachable
/// addresses, and for documentation addresses, which example zones use.
///
/// # Sources
/// The IANA registries of special-purpose addresses (RFC 6890), read 2026-11.
fn unreachable(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(a) => match a {
            _ if a.is_private() => Some("private"),
            _ if a.is_loopback() => Some("a loopback address"),
            _ if a.is_link_local() => Some("a link-local address"),
            _ if a.octets()[0] == 0 => Some("not an address of a host"),
            _ if a.octets()[0] == 100 && a.octets()[1] & 0xc0 == 64 => {
                Some("shared by customers of a carrier")
            }
            _ if a.is_multicast() || a.octets()[0] >= 240 => Some("reserved"),
            _ => None,
        },
        IpAddr::V6(a) => match a {
            _ if a.to_ipv4_mapped().is_some() => Some("an IPv4 address in the form of IPv6"),
            _ if a.is_loopback() => Some("a loopback address"),
            _ if a.is_unspecified() => Some("not an address of a host"),
            _ if a.is_unique_local() => Some("private"),
            _ if a.is_unicast_link_local() => Some("a link-local address"),
            _ if a.is_multicast() => Some("reserved"),
            _ => None,
        },
    }
}

/// Returns true for a documentation address.
///
/// # Sources
/// RFC 5737, RFC 3849, RFC 9637.
fn is_for_documentation(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(a) => a.is_documentation(),
        IpAddr::V6(a) => {
            a.segments()[..2] == [0x2001, 0xdb8]
                || (a.segments()[0] == 0x3fff && a.segments()[1] < 0x1000)
        }
    }
}

/// Returns true if a zone has addresses and none of them is a documentation address.
fn has_only_other_addresses(zone: View<'_, '_>) -> bool {
    let mut addresses = zone.0.entries().filter_map(|record| record.data.address()).peekable();
    addresses.peek().is_some() && !addresses.any(is_for_documentation)
}
