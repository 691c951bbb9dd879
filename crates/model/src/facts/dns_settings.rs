//! The DNS settings of a zone: the ranges of the numbers, and the defaults.
//!
//! # Sources
//! developers.cloudflare.com/api, "Update DNS Settings" of a zone, and the schema of the Terraform
//! provider, read 2026-11-20.

use std::ops::RangeInclusive;

use super::fact_value::FactValue;

/// The time to live of the zone's name servers, in seconds.
pub const NS_TTL: RangeInclusive<u32> = 30..=86_400;

/// The interval at which secondaries check for changes, in seconds.
pub const SOA_REFRESH: RangeInclusive<u32> = 600..=86_400;

/// The interval at which secondaries retry after a failure, in seconds.
pub const SOA_RETRY: RangeInclusive<u32> = 600..=3600;

/// The time after which secondaries stop serving the zone, in seconds.
pub const SOA_EXPIRE: RangeInclusive<u32> = 86_400..=2_419_200;

/// The time for which resolvers remember that a name does not exist, in seconds.
pub const SOA_MINIMUM_TTL: RangeInclusive<u32> = 60..=86_400;

/// The time to live of the SOA record, in seconds.
pub const SOA_TTL: RangeInclusive<u32> = 1800..=3600;

/// The settings of a zone that nobody changed.
pub const DEFAULTS: &[(&str, FactValue)] = &[
    ("flatten_all_cnames", FactValue::Switch(false)),
    ("foundation_dns", FactValue::Switch(false)),
    ("multi_provider", FactValue::Switch(false)),
    ("nameservers", FactValue::Object(&[("type", FactValue::Word("cloudflare.standard"))])),
    ("ns_ttl", FactValue::Number(86_400)),
    ("secondary_overrides", FactValue::Switch(false)),
    (
        "soa",
        FactValue::Object(&[
            ("mname", FactValue::Null),
            ("rname", FactValue::Word("dns.cloudflare.com")),
            ("refresh", FactValue::Number(10_000)),
            ("retry", FactValue::Number(2400)),
            ("expire", FactValue::Number(604_800)),
            ("min_ttl", FactValue::Number(1800)),
            ("ttl", FactValue::Number(3600)),
        ]),
    ),
    ("zone_mode", FactValue::Word("standard")),
];

/// The old name of advanced name servers, which are also part of `nameservers`.
pub const OLD_NAME_SERVERS: &str = "foundation_dns";
