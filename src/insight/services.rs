//! Effects of changed services: compares SRV records (RFC 2782), HTTPS and SVCB records (RFC 9460),
//! and reverse lookups.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::direction::Direction;
use super::dns::Entry;
use super::effect::{Effect, Topic, at_most_five};
use super::mail::mx_change::proxied_target;
use super::published_addresses::hints;
use super::zone_view::View;
use crate::model::{Danger, Fqdn, Gather, RecordType};

/// Returns a numeric field of a record.
fn numeric_field(record: &Entry<'_>, field: &str) -> Option<u64> {
    record.data.fields().get(field)?.to_string().parse().ok()
}

/// Returns priority, weight and port of an SRV record.
fn numbers(record: &Entry<'_>) -> Option<[u64; 3]> {
    Some([
        numeric_field(record, "priority")?,
        numeric_field(record, "weight")?,
        numeric_field(record, "port")?,
    ])
}

/// Returns the effects of changed SRV records, or of their targets, for a service.
pub(super) fn compare_services(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let (old, new) = (before.of_type(name, RecordType::Srv), after.of_type(name, RecordType::Srv));
    let shown = |line: String| Effect::shown(Topic::Addresses, name, Direction::Neutral, line);
    let mut effects = Vec::new();
    for record in new.iter().filter(|record| !old.iter().any(|other| other.data == record.data)) {
        if let Some(line) = swapped(name, record, &old) {
            effects.push(Effect::needing(Danger::LooksMistyped, Topic::Addresses, name, line));
        }
    }
    let targets = |set: &[Entry<'_>]| -> BTreeSet<Fqdn> {
        set.iter().filter_map(|r| r.data.target().cloned()).gather()
    };
    let ports = |set: &[Entry<'_>]| -> BTreeSet<u64> {
        let offered =
            set.iter().filter(|r| r.data.target().is_some_and(|target| !target.is_root()));
        offered.filter_map(|r| numeric_field(r, "port")).gather()
    };
    let (was, is) = (ports(&old), ports(&new));
    if was != is && !was.is_empty() && !is.is_empty() {
        let (gone, came): (Vec<_>, Vec<_>) =
            (was.difference(&is).collect(), is.difference(&was).collect());
        let line = match (gone.is_empty(), came.is_empty()) {
            (true, _) => format!("clients also connect to port {}", at_most_five(came)),
            (_, true) => format!("clients no longer connect to port {}", at_most_five(gone)),
            _ => format!(
                "clients connect to port {} instead of {}",
                at_most_five(came),
                at_most_five(gone)
            ),
        };
        effects.push(shown(format!("{name} SRV: {line}")));
    }
    let (old, new) = (targets(&old), targets(&new));
    if new.contains(&Fqdn::root()) && !old.contains(&Fqdn::root()) {
        effects.push(shown(match new.len() {
            1 => format!("{name} SRV: is declared unavailable (target `.`, RFC 2782)"),
            _ => format!(
                "{name} SRV: one record declares it unavailable (target `.`), and others name \
                servers (RFC 2782)"
            ),
        }));
    }
    for target in new.iter().filter(|target| !target.is_root() && after.answers_for(target)) {
        let was_target = old.contains(target);
        if !after.leads_somewhere(target) {
            if !was_target || before.leads_somewhere(target) {
                effects.push(shown(format!("{name} SRV: its server {target} has no address")));
            }
            continue;
        }
        let line = format!(
            "{name} SRV: its server {target} is proxied; so that clients reach it, Cloudflare \
            answers with a name \
             dc-… that shows the address of the origin"
        );
        effects.extend(proxied_target(
            name,
            target,
            was_target,
            before,
            after,
            Topic::Addresses,
            line,
        ));
    }
    effects
}

/// Describes a record with the numbers of an old one in another order, so that clients would use
/// another port.
fn swapped(name: &Fqdn, record: &Entry<'_>, old: &[Entry<'_>]) -> Option<String> {
    let new_numbers = numbers(record)?;
    let sorted = |numbers: [u64; 3]| {
        let mut sorted = numbers;
        sorted.sort_unstable();
        sorted
    };
    let is_swapped =
        |old: &[u64; 3]| sorted(*old) == sorted(new_numbers) && old[2] != new_numbers[2];
    let [priority, weight, port] = old.iter().filter_map(numbers).find(is_swapped)?;
    Some(format!(
        "{name} SRV: priority {}, weight {}, port {} are the numbers {priority}, {weight}, {port} \
        in another order",
        new_numbers[0], new_numbers[1], new_numbers[2]
    ))
}

/// Returns the port of an HTTPS record (RFC 9460 section 7.2), if it has one.
fn port(record: &Entry<'_>) -> Option<u16> {
    let text = record.data.presentation();
    text.split(' ')
        .find_map(|parameter| parameter.strip_prefix("port=")?.trim_matches('"').parse().ok())
}

/// Returns the protocols that HTTPS records announce (RFC 9460 section 7.1); `None` if none of them
/// describes a server.
fn protocols(set: &[Entry<'_>]) -> Option<BTreeSet<String>> {
    let servers: Vec<&Entry<'_>> =
        set.iter().filter(|record| numeric_field(record, "priority") != Some(0)).collect();
    let mut protocols_of_servers = BTreeSet::new();
    for record in &servers {
        let text = record.data.presentation();
        let listed = text
            .split(' ')
            .find_map(|parameter| parameter.strip_prefix("alpn="))
            .unwrap_or_default();
        let listed = listed.trim_matches('"').split(',').filter(|protocol| !protocol.is_empty());
        protocols_of_servers.extend(listed.map(str::to_owned));
        if !text.split(' ').any(|parameter| parameter == "no-default-alpn") {
            protocols_of_servers.insert("http/1.1".to_owned());
        }
    }
    (!servers.is_empty()).then_some(protocols_of_servers)
}

/// Returns the address whose reverse lookups a name answers (RFC 1035 section 3.5, RFC 3596 section
/// 2.5).
fn reversed(name: &Fqdn) -> Option<IpAddr> {
    let mut labels: Vec<&str> = match name.as_str().strip_suffix(".in-addr.arpa") {
        Some(labels) => labels.split('.').collect(),
        None => name.as_str().strip_suffix(".ip6.arpa")?.split('.').collect(),
    };
    labels.reverse();
    match labels.len() {
        4 => labels.join(".").parse().ok().map(IpAddr::V4),
        32 => labels
            .chunks(4)
            .map(<[&str]>::concat)
            .collect::<Vec<_>>()
            .join(":")
            .parse()
            .ok()
            .map(IpAddr::V6),
        _ => None,
    }
}

/// Returns the effects of changed reverse lookups of an address.
pub(super) fn reverse(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>) -> Vec<Effect> {
    let [old, new] = [before, after].map(|view| -> BTreeSet<&Fqdn> {
        view.targets(name, RecordType::Ptr).into_iter().gather()
    });
    let Some(address) = reversed(name).filter(|_| old != new && !old.is_empty() && !new.is_empty())
    else {
        return Vec::new();
    };
    let line = format!(
        "reverse lookups of {address}: {} → {}; mail servers compare this name with the one that a \
        sender gives",
        at_most_five(old),
        at_most_five(new)
    );
    vec![Effect::shown(Topic::Addresses, name, Direction::Neutral, line)]
}

/// Returns the effects of changed HTTPS or SVCB records, or of the addresses beside them.
pub(super) fn endpoints(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>) -> Vec<Effect> {
    let shown = |line: String| Effect::shown(Topic::Addresses, name, Direction::Neutral, line);
    let mut effects = Vec::new();
    for kind in [RecordType::Https, RecordType::Svcb] {
        let old_records = before.of_type(name, kind);
        for record in after.of_type(name, kind) {
            let was_there = old_records.iter().any(|other| other.data == record.data);
            let is_alias = numeric_field(&record, "priority") == Some(0);
            if is_alias && !was_there && record.data.target() == Some(name) {
                effects.push(shown(format!(
                    "{name} {kind}: the alias leads to itself, so clients ignore it (RFC 9460)"
                )));
            }
            if is_alias && !was_there && record.data.target().is_some_and(Fqdn::is_root) {
                effects.push(shown(format!(
                    "{name} {kind}: says that nothing is offered here (RFC 9460)"
                )));
            }
            let stale = stale_hints(name, &record, was_there, before, after);
            if !stale.is_empty() {
                effects.push(shown(format!(
                    "{name} {kind}: clients may still connect to {}, which is a hint and no \
                    address of the host (RFC 9460)",
                    at_most_five(stale)
                )));
            }
        }
        if let (RecordType::Https, Some(was), Some(is)) =
            (kind, protocols(&old_records), protocols(&after.of_type(name, kind)))
        {
            let lost: Vec<&String> = was.difference(&is).collect();
            if !lost.is_empty() {
                let line = format!(
                    "{name} HTTPS: no longer announces {}; announced: {} (RFC 9460)",
                    at_most_five(lost),
                    at_most_five(&is)
                );
                effects.push(shown(line));
            }
        }
        let ports = |set: &[Entry<'_>]| -> BTreeSet<u16> {
            set.iter().map(|r| port(r).unwrap_or(443)).gather()
        };
        let (was, is) = (ports(&old_records), ports(&after.of_type(name, kind)));
        if kind == RecordType::Https && was != is && is.iter().any(|port| *port != 443) {
            effects.push(shown(format!(
                "{name} HTTPS: browsers connect to port {}",
                at_most_five(is)
            )));
        }
    }
    effects
}

/// Returns the hints of a record that are not addresses of its host according to this zone, if they
/// were before or are new.
fn stale_hints(
    name: &Fqdn,
    record: &Entry<'_>,
    was_there: bool,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<IpAddr> {
    let target = record.data.target().filter(|target| !target.is_root()).unwrap_or(name);
    // The addresses of a proxied or delegated name, or of an alias target, are not in the records.
    if !after.answers_for(target)
        || after.at(target).iter().any(|r| r.proxied || r.is(RecordType::Cname))
    {
        return Vec::new();
    }
    let addresses = |view: View<'_, '_>| -> Vec<IpAddr> {
        view.at(target).iter().filter_map(|r| r.data.address()).collect()
    };
    let (was, is) = (addresses(before), addresses(after));
    let is_stale = |hint: &IpAddr| {
        let has_family = is.iter().any(|address| address.is_ipv4() == hint.is_ipv4());
        has_family && !is.contains(hint) && (!was_there || was.contains(hint))
    };
    hints(record).into_iter().filter(is_stale).collect()
}
