//! Networks that Cloudflare does not proxy to: its own, and private ones.

/// Cloudflare's own networks.
///
/// # Sources
/// www.cloudflare.com/ips, read 2026-11-20. The networks of Cloudflare's public resolver (1.1.1.1,
/// 1.0.0.1 and 2606:4700:4700::/48) are here as well, although not all of them are on that list.
pub const CLOUDFLARE_NETWORKS: &[&str] = &[
    "1.0.0.1/32",
    "1.1.1.1/32",
    "103.21.244.0/22",
    "103.22.200.0/22",
    "103.31.4.0/22",
    "104.16.0.0/13",
    "104.24.0.0/14",
    "108.162.192.0/18",
    "131.0.72.0/22",
    "141.101.64.0/18",
    "162.158.0.0/15",
    "172.64.0.0/13",
    "173.245.48.0/20",
    "188.114.96.0/20",
    "190.93.240.0/20",
    "197.234.240.0/22",
    "198.41.128.0/17",
    "2400:cb00::/32",
    "2405:8100::/32",
    "2405:b500::/32",
    "2606:4700::/32",
    "2606:4700:4700::/48",
    "2803:f800::/32",
    "2a06:98c0::/29",
    "2c0f:f248::/32",
];

/// Networks that are not reachable from the internet, each with its usual name.
///
/// # Sources
/// RFC 6890 sections 2.2.2 and 2.2.3. Cloudflare refuses them with code 9003. The documentation
/// networks of RFC 5737 and the discard prefix 100::/64 are not here: Cloudflare recommends them
/// for hosts without an origin.
pub const PRIVATE_NETWORKS: &[(&str, &str)] = &[
    ("0.0.0.0/8", "\"this network\""),
    ("10.0.0.0/8", "a private network"),
    ("127.0.0.0/8", "the loopback network"),
    ("169.254.0.0/16", "the link-local network"),
    ("172.16.0.0/12", "a private network"),
    ("192.168.0.0/16", "a private network"),
    ("::1/128", "the loopback address"),
    ("fc00::/7", "a private network"),
    ("fe80::/10", "the link-local network"),
];
