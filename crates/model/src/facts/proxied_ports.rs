//! The ports that Cloudflare proxies.

/// Ports of HTTP and HTTPS at which Cloudflare accepts requests for proxied names.
///
/// # Sources
/// developers.cloudflare.com/fundamentals/reference/network-ports, read 2026-11-27.
pub const PROXIED_PORTS: &[u16] =
    &[80, 443, 2052, 2053, 2082, 2083, 2086, 2087, 2095, 2096, 8080, 8443, 8880];
