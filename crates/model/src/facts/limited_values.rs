//! Values of zone settings and DNS settings that not every plan has. The client and the sandbox both
//! read these tables.

use super::certainty::Certainty;

/// Values of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedValue {
    /// This text alone.
    Word(&'static str),
    /// Any text but this.
    Not(&'static str),
    /// All numbers above this one.
    Above(u64),
    /// True.
    On,
    /// An object whose member `type` begins with this.
    Type(&'static str),
    /// Any value.
    Any,
}

/// The plans that have a value of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValuePlan {
    /// Cloudflare's name of the setting.
    pub setting: &'static str,
    /// Values that smaller plans do not have.
    pub value: LimitedValue,
    /// The smallest plan that has it: 0 free, 1 pro, 2 business, 3 enterprise.
    pub lowest_plan: usize,
    /// How certain the refusal on smaller plans is.
    pub certainty: Certainty,
    /// The name of what the value turns on, as the subject of a sentence; `None` if the value itself
    /// is the subject.
    pub about: Option<&'static str>,
    /// The page of developers.cloudflare.com that documents it, and the day on which it was read.
    pub source: &'static str,
}

impl ValuePlan {
    /// Returns the plans of a value that is a feature.
    const fn feature(
        (setting, value): (&'static str, LimitedValue),
        lowest_plan: usize,
        about: &'static str,
        (certainty, source): (Certainty, &'static str),
    ) -> Self {
        Self { setting, value, lowest_plan, certainty, about: Some(about), source }
    }

    /// Returns the plans of one of several values.
    const fn value(
        (setting, value): (&'static str, LimitedValue),
        lowest_plan: usize,
        (certainty, source): (Certainty, &'static str),
    ) -> Self {
        Self { setting, value, lowest_plan, certainty, about: None, source }
    }
}

/// The page about upload limits.
const UPLOAD_LIMITS: &str =
    "/cache/concepts/default-cache-behavior (Cloudflare cache limits), read 2026-11-20";

/// All values of zone settings that not every plan can have.
pub const SETTING_VALUES: &[ValuePlan] = &[
    ValuePlan::value(
        ("ssl", LimitedValue::Word("origin_pull")),
        3,
        (Certainty::Certain, "/ssl/origin-configuration/ssl-modes, read 2026-11-20"),
    ),
    ValuePlan::value(
        ("security_level", LimitedValue::Word("off")),
        3,
        (Certainty::Assumed, "not documented"),
    ),
    ValuePlan::value(
        ("max_upload", LimitedValue::Above(100)),
        2,
        (Certainty::Certain, UPLOAD_LIMITS),
    ),
    ValuePlan::value(
        ("max_upload", LimitedValue::Above(200)),
        3,
        (Certainty::Certain, UPLOAD_LIMITS),
    ),
];

/// All values of DNS settings that not every plan has.
pub const DNS_SETTING_VALUES: &[ValuePlan] = &[
    ValuePlan::feature(
        ("flatten_all_cnames", LimitedValue::On),
        1,
        "CNAME flattening",
        (Certainty::Certain, "/dns/cname-flattening, read 2026-11-20"),
    ),
    ValuePlan::feature(
        ("nameservers", LimitedValue::Type("cloudflare.advanced")),
        3,
        "Foundation DNS",
        (Certainty::Certain, "/dns/foundation-dns, read 2026-11-20"),
    ),
    ValuePlan::feature(
        ("nameservers", LimitedValue::Type("custom")),
        2,
        "Custom nameservers",
        (Certainty::Certain, "/dns/nameservers/custom-nameservers, read 2026-11-20"),
    ),
    ValuePlan::feature(
        ("zone_mode", LimitedValue::Not("standard")),
        3,
        "The zone mode",
        (Certainty::Assumed, "not documented"),
    ),
    ValuePlan::feature(
        ("secondary_overrides", LimitedValue::On),
        3,
        "Secondary DNS override",
        (Certainty::Assumed, "not documented"),
    ),
    ValuePlan::feature(
        ("internal_dns", LimitedValue::Any),
        3,
        "Internal DNS",
        (Certainty::Assumed, "refusal 1029: probed by the authors of a client"),
    ),
];
