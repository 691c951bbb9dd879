//! Checks that no record of the known zones publishes addresses that must stay hidden.

use std::collections::BTreeSet;

use ipnet::IpNet;

use super::evidence::Evidence;
use super::outcome::ExpectationOutcome;
use crate::insight::dns::Entry;
use crate::insight::effect::at_most_five;
use crate::insight::published_addresses::{network_in_words, published_networks};
use crate::model::RecordType;

/// Minimum prefix length for a network of SPF to reveal single addresses (IPv4, IPv6).
const REVEALING: (u8, u8) = (16, 32);

pub(super) fn check_hidden(evidence: Evidence<'_, '_>, networks: &[IpNet]) -> ExpectationOutcome {
    let mut revelations = BTreeSet::new();
    for zone in evidence.zones.iter() {
        let proxies = zone.serving().proxies();
        for entry in zone.entries() {
            let says = published_networks(&entry, proxies);
            let revealed =
                says.iter().filter(|network| reveals(network, networks)).map(network_in_words);
            revelations.extend(revealed.map(|address| {
                format!("{} {} publishes {address}", entry.name, entry.data.type_name())
            }));
            revelations.extend(in_text(&entry, networks));
            revelations.extend(by_target(evidence, &entry, networks));
        }
    }
    match revelations.is_empty() {
        false => ExpectationOutcome::Failed(at_most_five(revelations)),
        true if evidence.knows_all => ExpectationOutcome::Passed,
        true => ExpectationOutcome::Unknown(
            "no record of the spec publishes them; a live record that it does not name may"
                .to_owned(),
        ),
    }
}

/// Returns true if naming a network reveals one of the hidden ones.
fn reveals(named: &IpNet, hidden: &[IpNet]) -> bool {
    let shortest = if matches!(named, IpNet::V4(_)) { REVEALING.0 } else { REVEALING.1 };
    hidden.iter().any(|hidden| {
        hidden.contains(named) || (named.contains(hidden) && named.prefix_len() >= shortest)
    })
}

/// Returns hidden addresses in a text of any purpose.
fn in_text(entry: &Entry<'_>, hidden: &[IpNet]) -> Vec<String> {
    let Some(text) = entry.text().and_then(|text| std::str::from_utf8(text).ok()) else {
        return Vec::new();
    };
    // SPF records are parsed as such.
    if text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("v=spf1")) {
        return Vec::new();
    }
    let words = text.split(|c: char| !(c.is_ascii_hexdigit() || c == '.' || c == ':'));
    let addresses =
        words.filter_map(|word| word.trim_matches(['.', ':']).parse::<std::net::IpAddr>().ok());
    let revealed =
        addresses.filter(|address| hidden.iter().any(|network| network.contains(address)));
    revealed.map(|address| format!("{} TXT names {address}", entry.name)).collect()
}

/// Returns hidden addresses behind the target of a mail server or service. Cloudflare answers with
/// a name of its own for it, which has them.
fn by_target(evidence: Evidence<'_, '_>, entry: &Entry<'_>, hidden: &[IpNet]) -> Vec<String> {
    if !matches!(entry.record_type(), Some(RecordType::Mx | RecordType::Srv)) {
        return Vec::new();
    }
    let Some(target) = entry.data.target() else { return Vec::new() };
    let Some(zone) = evidence.zones.zone_of(target) else { return Vec::new() };
    let proxied =
        zone.records(target).filter(Entry::is_proxied).filter_map(|record| record.data.address());
    let revealed = proxied.filter(|address| hidden.iter().any(|network| network.contains(address)));
    revealed
        .map(|address| {
            format!(
                "{} {} points to {target}, so Cloudflare publishes {address} beside it",
                entry.name,
                entry.data.type_name()
            )
        })
        .collect()
}
