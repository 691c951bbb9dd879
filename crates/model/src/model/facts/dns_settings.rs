//! The numbers among the DNS settings of a zone, with their ranges.
//!
//! # Sources
//! developers.cloudflare.com/api, "Update DNS Settings" of a zone, read 2026-11-20.

use std::ops::RangeInclusive;

/// The time to live of the zone's name servers, in seconds.
pub const NS_TTL: RangeInclusive<u32> = 30..=86_400;

/// How often secondaries check for changes, in seconds.
pub const SOA_REFRESH: RangeInclusive<u32> = 600..=86_400;

/// When secondaries retry after a failure, in seconds.
pub const SOA_RETRY: RangeInclusive<u32> = 600..=3600;

/// When secondaries stop serving the zone, in seconds.
pub const SOA_EXPIRE: RangeInclusive<u32> = 86_400..=2_419_200;

/// How long resolvers remember that a name does not exist, in seconds.
pub const SOA_MINIMUM_TTL: RangeInclusive<u32> = 60..=86_400;

/// The time to live of the SOA record, in seconds.
pub const SOA_TTL: RangeInclusive<u32> = 1800..=3600;
