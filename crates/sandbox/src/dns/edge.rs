//! Answers for proxied names: the addresses of Cloudflare's network, and the HTTPS records that
//! Cloudflare creates for them.
//!
//! # Sources
//! Addresses are of Cloudflare's published networks: cloudflare.com/ips, read 2026-11-20. HTTPS
//! records with `alpn` and both hints:
//! developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types, read 2026-11.
//! ASSUMED: the addresses of a name, here two of each family from its checksum; and that the record
//! has no other parameters.

use std::net::IpAddr;

use ring::digest::{SHA256, digest};

use super::svcb;
use super::zones::{Stored, ZoneData, types};

/// Networks of the IPv4 addresses: inside 104.16.0.0/13 and 172.64.0.0/13.
const IPV4: [[u8; 2]; 2] = [[104, 21], [172, 67]];

/// Networks of the IPv6 addresses: inside 2606:4700::/32.
const IPV6: [[u8; 6]; 2] =
    [[0x26, 0x06, 0x47, 0x00, 0x30, 0x30], [0x26, 0x06, 0x47, 0x00, 0x30, 0x31]];

/// Returns two octets that depend on the name.
fn octets(name: &str) -> [u8; 2] {
    let digest = digest(&SHA256, name.as_bytes());
    [digest.as_ref()[0] % 64, digest.as_ref()[1]]
}

/// Returns the values of the answer for a proxied name; `None` if the name's own records are the
/// answer. HTTPS records of the zone take precedence over those that Cloudflare creates.
pub(super) fn edge_answer(
    zone: &ZoneData,
    name: &str,
    records: &[Stored],
    kind: u16,
) -> Option<Vec<Vec<u8>>> {
    let is_answered = matches!(kind, types::A | types::AAAA | types::CNAME | types::HTTPS);
    if !is_answered || !records.iter().any(|record| record.proxied) {
        return None;
    }
    if kind == types::HTTPS && records.iter().any(|record| record.kind == types::HTTPS) {
        return None;
    }
    let is_said =
        |only: fn(&Stored) -> bool| records.iter().any(|record| record.proxied && only(record));
    let v4 = if is_said(|record| record.ipv6_only) { Vec::new() } else { ipv4(name) };
    let v6 = if !zone.ipv6 || is_said(|record| record.ipv4_only) { Vec::new() } else { ipv6(name) };
    Some(match kind {
        types::A => v4,
        types::AAAA => v6,
        types::HTTPS if !zone.alpn.is_empty() => vec![https(&zone.alpn, &v4, &v6)],
        _ => Vec::new(),
    })
}

fn ipv4(name: &str) -> Vec<Vec<u8>> {
    IPV4.iter().map(|network| [&network[..], &octets(name)].concat()).collect()
}

fn ipv6(name: &str) -> Vec<Vec<u8>> {
    IPV6.iter().map(|network| [&network[..], &[0; 8], &octets(name)].concat()).collect()
}

/// Returns true for an address of the answers for proxied names.
#[must_use]
pub fn is_edge(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => IPV4.iter().any(|network| address.octets().starts_with(network)),
        IpAddr::V6(address) => IPV6.iter().any(|network| address.octets().starts_with(network)),
    }
}

/// Returns the value of an HTTPS record with these protocols and addresses.
fn https(alpn: &[&str], ipv4: &[Vec<u8>], ipv6: &[Vec<u8>]) -> Vec<u8> {
    let mut protocols = Vec::new();
    for protocol in alpn {
        // Protocol names are shorter than 256 octets.
        protocols.push(u8::try_from(protocol.len()).unwrap_or(0));
        protocols.extend(protocol.as_bytes());
    }
    let parameters =
        [(svcb::ALPN, protocols), (svcb::IPV4HINT, ipv4.concat()), (svcb::IPV6HINT, ipv6.concat())];
    let parameters = parameters.into_iter().filter(|(_, value)| !value.is_empty());
    // Priority 1, and the root as target, which means the record's own name.
    let mut octets = vec![0, 1, 0];
    octets.extend(svcb::compose(parameters));
    octets
}
