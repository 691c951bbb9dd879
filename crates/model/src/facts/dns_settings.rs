//! The DNS settings of a zone: the ranges of the numbers, and the defaults.
//!
//! # Sources
//! developers.cloudflare.com/api, "Update DNS Settings" of a zone, and the schema of the Terraform
//! provider, read 2026-11-20.

use std::ops::RangeInclusive;

use super::fact_value::FactValue;
use super::rule_features::Certainty;

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

/// A value of a DNS setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedDnsValue {
    /// True.
    On,
    /// An object whose member `type` begins with this.
    Type(&'static str),
    /// Any word but this.
    Not(&'static str),
    /// Any value.
    Any,
}

/// The plans that have a value of a DNS setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DnsSettingPlan {
    /// Cloudflare's name of the setting.
    pub setting: &'static str,
    /// Values that smaller plans do not have.
    pub value: LimitedDnsValue,
    /// The smallest plan that has it: 0 free, 1 pro, 2 business, 3 enterprise.
    pub lowest_plan: usize,
    /// How certain the refusal on smaller plans is.
    pub certainty: Certainty,
    /// The name of what it turns on, as the subject of a sentence.
    pub about: &'static str,
    /// The page of developers.cloudflare.com that documents it, and the day on which it was read.
    pub source: &'static str,
}

/// Returns the plans that have a value.
const fn value_from_plan(
    setting: &'static str,
    value: LimitedDnsValue,
    lowest_plan: usize,
    about: &'static str,
    (certainty, source): (Certainty, &'static str),
) -> DnsSettingPlan {
    DnsSettingPlan { setting, value, lowest_plan, certainty, about, source }
}

/// All values of DNS settings that not every plan has.
pub const DNS_SETTING_PLANS: &[DnsSettingPlan] = &[
    value_from_plan(
        "flatten_all_cnames",
        LimitedDnsValue::On,
        1,
        "CNAME flattening",
        (Certainty::Certain, "/dns/cname-flattening, read 2026-11-20"),
    ),
    value_from_plan(
        "nameservers",
        LimitedDnsValue::Type("cloudflare.advanced"),
        3,
        "Foundation DNS",
        (Certainty::Certain, "/dns/foundation-dns, read 2026-11-20"),
    ),
    value_from_plan(
        "nameservers",
        LimitedDnsValue::Type("custom"),
        2,
        "Custom nameservers",
        (Certainty::Certain, "/dns/nameservers/custom-nameservers, read 2026-11-20"),
    ),
    value_from_plan(
        "zone_mode",
        LimitedDnsValue::Not("standard"),
        3,
        "The zone mode",
        (Certainty::Assumed, "not documented"),
    ),
    value_from_plan(
        "secondary_overrides",
        LimitedDnsValue::On,
        3,
        "Secondary DNS override",
        (Certainty::Assumed, "not documented"),
    ),
    value_from_plan(
        "internal_dns",
        LimitedDnsValue::Any,
        3,
        "Internal DNS",
        (Certainty::Assumed, "refusal 1029: probed by the authors of a client"),
    ),
];
