//! The times to live (TTL) of records: their limit, and what "automatic" means.

/// Largest TTL, in seconds.
pub const MAXIMUM_TTL: u32 = 86_400;

/// The `ttl` value for automatic.
pub const AUTOMATIC_TTL: u32 = 1;

/// The time to live with which answers are sent whose TTL is automatic, and all answers for proxied names, in seconds.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/reference/ttl, read 2026-11.
pub const AUTOMATIC_TTL_SECONDS: u32 = 300;
