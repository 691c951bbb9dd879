//! Addresses that Cloudflare does not proxy to.

use std::net::IpAddr;
use std::sync::LazyLock;

use ipnet::IpNet;

use crate::model::facts::{CLOUDFLARE_NETWORKS, PRIVATE_NETWORKS};

/// Both lists, parsed, with their names for messages.
static NETWORKS: LazyLock<Vec<(IpNet, &'static str)>> = LazyLock::new(|| {
    let service = CLOUDFLARE_NETWORKS.iter().map(|network| (*network, "Cloudflare's own network"));
    let parse =
        |(network, name): (&str, _)| (network.parse().expect("the lists hold networks"), name);
    PRIVATE_NETWORKS.iter().copied().chain(service).map(parse).collect()
});

/// Returns the network of an address that Cloudflare does not proxy to, with its name for messages.
pub(super) fn unproxiable_network(address: IpAddr) -> Option<(IpNet, &'static str)> {
    NETWORKS.iter().copied().find(|(network, _)| network.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_the_networks() {
        for good in [
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "100::",
            "2001:db8::1",
            "9.255.255.255",
            "11.0.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "1.1.1.2",
            "1.0.0.2",
            "1.0.0.0",
            "103.21.248.0",
            "104.28.0.0",
            "fbff::1",
            "fec0::1",
            "::2",
            "2606:4701::1",
            "2a06:98c8::",
            "128.0.0.1",
            "1.0.0.0",
        ] {
            assert_eq!(unproxiable_network(good.parse().unwrap()), None, "{good}");
        }
        for bad in [
            "0.0.0.0",
            "10.255.255.255",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.168.1.10",
            "1.1.1.1",
            "1.0.0.1",
            "104.16.0.0",
            "104.27.255.255",
            "172.71.255.255",
            "::1",
            "fc00::",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "2606:4700:4700::1111",
            "2a06:98c7::",
        ] {
            assert!(unproxiable_network(bad.parse().unwrap()).is_some(), "{bad}");
        }
    }
}
