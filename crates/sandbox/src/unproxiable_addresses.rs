//! Addresses that a proxied record may not point to.

use std::net::IpAddr;
use std::sync::LazyLock;

use ipnet::IpNet;
use zonewright_model::facts::{CLOUDFLARE_NETWORKS, PRIVATE_NETWORKS};

/// Cloudflare's own network; [`CLOUDFLARE_NETWORKS`] has its source. The resolver's addresses are
/// refused as well although they are not on the published list: observed 2026-08.
static OWN: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| parse_networks(CLOUDFLARE_NETWORKS.iter().copied()));

/// Networks that cannot be reached from outside. Refusals of 192.168/16 and 10/8: observed 2025 and
/// 2026. ASSUMED: the other private and local networks as well.
static PRIVATE: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| parse_networks(PRIVATE_NETWORKS.iter().map(|(network, _)| *network)));

fn parse_networks<'n>(list: impl Iterator<Item = &'n str>) -> Vec<IpNet> {
    list.map(|text| text.parse().expect("the facts hold networks")).collect()
}

/// Returns true if the address belongs to Cloudflare.
pub(super) fn is_own(address: IpAddr) -> bool {
    OWN.iter().any(|n| n.contains(&address))
}

/// Returns true if a proxied record may point to the address.
pub(super) fn may_be_proxied(address: IpAddr) -> bool {
    !is_own(address) && !PRIVATE.iter().any(|n| n.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        // The documentation recommends the placeholders 192.0.2.1 and 100:: for originless hosts.
        for good in ["192.0.2.1", "192.0.2.0", "100::", "8.8.8.8", "2001:db8::1"] {
            assert!(may_be_proxied(good.parse().unwrap()), "{good}");
        }
        for bad in [
            "1.1.1.1",
            "104.16.1.1",
            "192.168.1.10",
            "10.0.0.1",
            "fe80::1",
            "::1",
            "2606:4700::1111",
        ] {
            assert!(!may_be_proxied(bad.parse().unwrap()), "{bad}");
        }
        assert!(!is_own("10.0.0.1".parse().unwrap()));
    }

    /// One address of each published network (www.cloudflare.com/ips, read 2026-11-20), repeated
    /// here because the list itself is shared with the client.
    #[test]
    fn every_published_network_is_known() {
        for own in [
            "173.245.63.255",
            "103.21.247.1",
            "103.22.203.1",
            "103.31.7.1",
            "141.101.127.1",
            "108.162.255.1",
            "190.93.255.1",
            "188.114.111.1",
            "197.234.243.1",
            "198.41.255.1",
            "162.159.1.1",
            "104.23.1.1",
            "104.27.1.1",
            "172.71.1.1",
            "131.0.75.1",
            "2400:cb00:1::",
            "2606:4700:1::",
            "2803:f800:1::",
            "2405:b500:1::",
            "2405:8100:1::",
            "2a06:98c7:1::",
            "2c0f:f248:1::",
        ] {
            assert!(is_own(own.parse().unwrap()), "{own}");
        }
        for other in [
            "173.245.64.1",
            "104.28.1.1",
            "172.72.1.1",
            "162.160.1.1",
            "2606:4701::",
            "2a06:98c8::",
        ] {
            assert!(!is_own(other.parse().unwrap()), "{other}");
        }
    }
}
