//! Addresses that a proxied record may not point to.

use std::net::IpAddr;
use std::sync::LazyLock;

use ipnet::IpNet;

/// Cloudflare's own network.
///
/// # Sources
/// cloudflare.com/ips, read 2026-11-20. The resolver's addresses are refused as well although they are not on that list:
/// observed 2026-08.
const OWN: &[&str] = &[
    "173.245.48.0/20",
    "103.21.244.0/22",
    "103.22.200.0/22",
    "103.31.4.0/22",
    "141.101.64.0/18",
    "108.162.192.0/18",
    "190.93.240.0/20",
    "188.114.96.0/20",
    "197.234.240.0/22",
    "198.41.128.0/17",
    "162.158.0.0/15",
    "104.16.0.0/13",
    "104.24.0.0/14",
    "172.64.0.0/13",
    "131.0.72.0/22",
    "1.1.1.1/32",
    "1.0.0.1/32",
    "2400:cb00::/32",
    "2606:4700::/32",
    "2803:f800::/32",
    "2405:b500::/32",
    "2405:8100::/32",
    "2a06:98c0::/29",
    "2c0f:f248::/32",
];

/// Networks that cannot be reached from outside.
///
/// # Sources
/// Refusals of 192.168/16 and 10/8: observed 2025 and 2026. ASSUMED: the other private and local networks as well.
const PRIVATE: &[&str] = &[
    "0.0.0.0/8",
    "10.0.0.0/8",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "::1/128",
    "fc00::/7",
    "fe80::/10",
];

/// [`OWN`], parsed.
static OWN_NETWORKS: LazyLock<Vec<IpNet>> = LazyLock::new(|| parse(OWN));

/// [`PRIVATE`], parsed.
static PRIVATE_NETWORKS: LazyLock<Vec<IpNet>> = LazyLock::new(|| parse(PRIVATE));

/// The networks of a constant list.
fn parse(list: &[&str]) -> Vec<IpNet> {
    list.iter().map(|text| text.parse().expect("the lists above hold networks")).collect()
}

/// Whether the address belongs to Cloudflare.
pub(super) fn is_own(address: IpAddr) -> bool {
    OWN_NETWORKS.iter().any(|n| n.contains(&address))
}

/// Whether a proxied record may point to the address.
pub(super) fn may_be_proxied(address: IpAddr) -> bool {
    !is_own(address) && !PRIVATE_NETWORKS.iter().any(|n| n.contains(&address))
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
        for bad in ["1.1.1.1", "104.16.1.1", "192.168.1.10", "10.0.0.1", "fe80::1", "::1", "2606:4700::1111"] {
            assert!(!may_be_proxied(bad.parse().unwrap()), "{bad}");
        }
        assert!(!is_own("10.0.0.1".parse().unwrap()));
    }
}
