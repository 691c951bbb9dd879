//! The times to live (TTL) of records: their limits, and the meaning of "automatic".

/// Smallest TTL on plans below Enterprise, in seconds.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/reference/ttl, read 2026-11-20.
pub const MINIMUM_TTL: u32 = 60;

/// Smallest TTL on the Enterprise plan, in seconds. The source is that of [`MINIMUM_TTL`].
pub const MINIMUM_TTL_OF_ENTERPRISE: u32 = 30;

/// Largest TTL, in seconds.
pub const MAXIMUM_TTL: u32 = 86_400;

/// The `ttl` value for automatic.
pub const AUTOMATIC_TTL: u32 = 1;

/// The time to live in answers for records with an automatic TTL and for all proxied names, in
/// seconds.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/reference/ttl, read 2026-11.
pub const AUTOMATIC_TTL_SECONDS: u32 = 300;
