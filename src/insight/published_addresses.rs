//! The addresses and networks that records publish, and the notation of networks.

use std::net::IpAddr;
use std::sync::LazyLock;

use ipnet::IpNet;

use super::dns::Entry;
use super::mail::spf::{Mechanism, Qualifier, Spf};
use crate::model::Rdata;
use crate::model::facts::CLOUDFLARE_NETWORKS;

/// The networks of Cloudflare's edge, whose addresses proxied names have.
pub(super) static EDGE: LazyLock<Vec<IpNet>> = LazyLock::new(|| {
    CLOUDFLARE_NETWORKS.iter().filter_map(|network| network.parse().ok()).collect()
});

/// Returns the addresses that a record publishes.
pub(super) fn published(record: &Entry<'_>) -> Vec<IpAddr> {
    let networks = published_networks(record, true).into_iter();
    networks
        .filter(|network| network.prefix_len() == network.max_prefix_len())
        .map(|network| network.addr())
        .collect()
}

/// Returns the addresses in the hints of an HTTPS or SVCB record (RFC 9460 section 7.3).
pub(super) fn hints(record: &Entry<'_>) -> Vec<IpAddr> {
    let text = record.data.presentation();
    let lists =
        text.split(' ').filter_map(|p| p.strip_prefix("ipv4hint=").or(p.strip_prefix("ipv6hint=")));
    lists
        .flat_map(|list| list.trim_matches('"').split(','))
        .filter_map(|address| address.parse().ok())
        .collect()
}

/// Returns the networks and addresses that a record publishes; `proxies` is true if Cloudflare
/// answers for proxied names.
pub(super) fn published_networks(record: &Entry<'_>, proxies: bool) -> Vec<IpNet> {
    match record.data {
        _ if record.proxied && proxies => Vec::new(),
        Rdata::A(_) | Rdata::Aaaa(_) => {
            record.data.address().map(IpNet::from).into_iter().collect()
        }
        Rdata::Https(_) | Rdata::Svcb(_) => hints(record).into_iter().map(IpNet::from).collect(),
        Rdata::Txt(text) => {
            let Ok(record) = Spf::parse(text.as_bytes()) else { return Vec::new() };
            let allowed = record.directives.into_iter().filter(|d| d.qualifier == Qualifier::Pass);
            let network = |mechanism| match mechanism {
                Mechanism::Ip4(network) => Some(IpNet::V4(network)),
                Mechanism::Ip6(network) => Some(IpNet::V6(network)),
                _ => None,
            };
            allowed.filter_map(|d| network(d.mechanism)).collect()
        }
        _ => Vec::new(),
    }
}

/// Formats a network; a single address without its prefix length.
pub(super) fn network_in_words(network: &IpNet) -> String {
    if network.prefix_len() == network.max_prefix_len() {
        network.addr().to_string()
    } else {
        network.to_string()
    }
}
