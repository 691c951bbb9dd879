//! Facts about each zone setting: its valid values, and the plans that can change it.
//!
//! # Sources
//! Names and values: developers.cloudflare.com/api, "Edit zone setting", and the types of the
//! official Python SDK 5.9.0, read 2026-11-20. Plans: the settings that were not editable in a free
//! zone (observed 2022), or for which an edit was refused (observed 2026), and the settings that
//! the API reference calls limited to Enterprise. ASSUMED: every other setting is editable on every
//! plan, also `tls_client_auth`, which the types of the SDK still give to Enterprise alone.
//! Defaults: settings whose `modified_on` was null in listings recorded 2022 and later, which means
//! that nobody changed them; numbers also in Cloudflare's OpenAPI schema (cloudflare/api-schemas,
//! read 2026-11-26). No default is known if the schema says that it depends on the zone's plan
//! (`automatic_https_rewrites`, `max_upload`, `opportunistic_encryption`, `opportunistic_onion`,
//! `ssl`, `tls_1_3`), or if the schema and the listings disagree (`nel`).

use super::fact_value::FactValue;

/// The valid values of a setting.
#[derive(Debug, Clone, Copy)]
pub enum SettingKind {
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these numbers.
    Number(&'static [u64]),
    /// A whole number in this range, ends included.
    Range(u64, u64),
    /// A list of these words, each at most once.
    Words(&'static [&'static str]),
    /// An object whose members are of these kinds.
    Object(&'static [(&'static str, SettingKind)]),
    /// A boolean.
    Switch,
}

/// The facts of one setting.
#[derive(Debug, Clone, Copy)]
pub struct SettingFacts {
    /// Its name in the API path and in the spec.
    pub name: &'static str,
    /// Its valid values.
    pub kind: SettingKind,
    /// The smallest plan whose zones can change it; `None` if it cannot be changed.
    pub plan: Option<&'static str>,
    /// Cloudflare's default, if it is the same for every zone and known.
    pub default: Option<FactValue>,
}

impl SettingFacts {
    /// Sets the default.
    const fn or(self, default: FactValue) -> Self {
        Self { default: Some(default), ..self }
    }
}

/// `on` or `off`, the most common kind.
const ON_OFF: SettingKind = SettingKind::Word(&["on", "off"]);

const fn any_setting(name: &'static str, kind: SettingKind, plan: &'static str) -> SettingFacts {
    SettingFacts { name, kind, plan: Some(plan), default: None }
}

const fn on_off_setting(name: &'static str, plan: &'static str) -> SettingFacts {
    any_setting(name, ON_OFF, plan)
}

/// Returns a setting that is on by default.
const fn on(name: &'static str, plan: &'static str) -> SettingFacts {
    on_off_setting(name, plan).or(FactValue::Word("on"))
}

/// Returns a setting that is off by default.
const fn off(name: &'static str, plan: &'static str) -> SettingFacts {
    on_off_setting(name, plan).or(FactValue::Word("off"))
}

/// Valid times for which browsers may cache an answer, in seconds; 0 leaves the time to the origin.
const BROWSER_CACHE_TTLS: SettingKind = SettingKind::Number(&[
    0, 30, 60, 120, 300, 1200, 1800, 3600, 7200, 10_800, 14_400, 18_000, 28_800, 43_200, 57_600,
    72_000, 86_400, 172_800, 259_200, 345_600, 432_000, 691_200, 1_382_400, 2_073_600, 2_678_400,
    5_356_800, 16_070_400, 31_536_000,
]);

/// Valid times for which a solved challenge is accepted, in seconds.
const CHALLENGE_TTLS: SettingKind = SettingKind::Number(&[
    300, 900, 1800, 2700, 3600, 7200, 10_800, 14_400, 28_800, 57_600, 86_400, 604_800, 2_592_000,
    31_536_000,
]);

/// Valid upload limits, in megabytes.
const UPLOADS: SettingKind = SettingKind::Number(&[
    100, 125, 150, 175, 200, 225, 250, 275, 300, 325, 350, 375, 400, 425, 450, 475, 500, 1000,
    1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000,
]);

/// Source:
/// developers.cloudflare.com/ssl/edge-certificates/additional-options/cipher-suites/supported-cipher-suites,
/// read 2026-11-20.
const CIPHERS: SettingKind = SettingKind::Words(&[
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-RSA-CHACHA20-POLY1305",
    "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE-ECDSA-AES128-SHA",
    "ECDHE-RSA-AES128-SHA256",
    "ECDHE-RSA-AES128-SHA",
    "AES128-GCM-SHA256",
    "AES128-SHA256",
    "AES128-SHA",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-AES256-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-SHA384",
    "ECDHE-RSA-AES256-SHA",
    "AES256-GCM-SHA384",
    "AES256-SHA256",
    "AES256-SHA",
    "DES-CBC3-SHA",
]);

/// The `Strict-Transport-Security` header. ASSUMED: the largest age is one that every browser can
/// represent.
const SECURITY_HEADER: SettingKind = SettingKind::Object(&[(
    "strict_transport_security",
    SettingKind::Object(&[
        ("enabled", SettingKind::Switch),
        ("max_age", SettingKind::Range(0, 4_294_967_295)),
        ("include_subdomains", SettingKind::Switch),
        ("preload", SettingKind::Switch),
        ("nosniff", SettingKind::Switch),
    ]),
)]);

/// Disables the `Strict-Transport-Security` header.
const NO_SECURITY_HEADER: FactValue = FactValue::Object(&[(
    "strict_transport_security",
    FactValue::Object(&[
        ("enabled", FactValue::Switch(false)),
        ("max_age", FactValue::Number(0)),
        ("include_subdomains", FactValue::Switch(false)),
        ("preload", FactValue::Switch(false)),
        ("nosniff", FactValue::Switch(false)),
    ]),
)]);

/// Disables minification for all kinds of files.
const MINIFIED_NOTHING: FactValue = FactValue::Object(&[
    ("css", FactValue::Word("off")),
    ("html", FactValue::Word("off")),
    ("js", FactValue::Word("off")),
]);

/// All known settings, sorted by name.
///
/// `minify`, `mirage`, `server_side_exclude` and `waf` are old, but still in the reference or in
/// use.
pub const SETTINGS: &[SettingFacts] = &[
    off("0rtt", "free"),
    on("always_online", "free"),
    off("always_use_https", "free"),
    on_off_setting("automatic_https_rewrites", "free"),
    on("brotli", "free"),
    any_setting("browser_cache_ttl", BROWSER_CACHE_TTLS, "free").or(FactValue::Number(14_400)),
    on("browser_check", "free"),
    any_setting("cache_level", SettingKind::Word(&["aggressive", "basic", "simplified"]), "free")
        .or(FactValue::Word("aggressive")),
    any_setting("challenge_ttl", CHALLENGE_TTLS, "free").or(FactValue::Number(1800)),
    // ASSUMED: the plan is a substitute for the Advanced Certificate Manager, which Cloudflare
    // requires.
    any_setting("ciphers", CIPHERS, "pro").or(FactValue::EmptyList),
    // Deprecated in favour of `flatten_all_cnames` of the DNS settings.
    SettingFacts {
        name: "cname_flattening",
        kind: SettingKind::Word(&["flatten_at_root", "flatten_all"]),
        plan: None,
        default: Some(FactValue::Word("flatten_at_root")),
    },
    off("development_mode", "free"),
    off("early_hints", "free"),
    on("email_obfuscation", "free"),
    any_setting("h2_prioritization", SettingKind::Word(&["on", "off", "custom"]), "pro")
        .or(FactValue::Word("off")),
    off("hotlink_protection", "free"),
    on("http2", "pro"),
    on("http3", "free"),
    any_setting("image_resizing", SettingKind::Word(&["on", "off", "open"]), "pro")
        .or(FactValue::Word("off")),
    on("ip_geolocation", "free"),
    on("ipv6", "free"),
    any_setting("max_upload", UPLOADS, "free"),
    any_setting("min_tls_version", SettingKind::Word(&["1.0", "1.1", "1.2", "1.3"]), "free")
        .or(FactValue::Word("1.0")),
    any_setting(
        "minify",
        SettingKind::Object(&[("css", ON_OFF), ("html", ON_OFF), ("js", ON_OFF)]),
        "free",
    )
    .or(MINIFIED_NOTHING),
    off("mirage", "pro"),
    any_setting("nel", SettingKind::Object(&[("enabled", SettingKind::Switch)]), "free"),
    on_off_setting("opportunistic_encryption", "free"),
    on_off_setting("opportunistic_onion", "free"),
    off("origin_error_page_pass_thru", "enterprise"),
    any_setting("origin_max_http_version", SettingKind::Word(&["1", "2"]), "enterprise")
        .or(FactValue::Word("2")),
    any_setting("polish", SettingKind::Word(&["off", "lossless", "lossy"]), "pro")
        .or(FactValue::Word("off")),
    off("prefetch_preload", "enterprise"),
    any_setting("proxy_read_timeout", SettingKind::Range(1, 6000), "enterprise")
        .or(FactValue::Number(100)),
    any_setting(
        "pseudo_ipv4",
        SettingKind::Word(&["off", "add_header", "overwrite_header"]),
        "free",
    )
    .or(FactValue::Word("off")),
    off("response_buffering", "enterprise"),
    off("rocket_loader", "free"),
    any_setting("security_header", SECURITY_HEADER, "free").or(NO_SECURITY_HEADER),
    any_setting(
        "security_level",
        SettingKind::Word(&["off", "essentially_off", "low", "medium", "high", "under_attack"]),
        "free",
    )
    .or(FactValue::Word("medium")),
    on("server_side_exclude", "free"),
    off("sort_query_string_for_cache", "enterprise"),
    any_setting(
        "ssl",
        SettingKind::Word(&["off", "flexible", "full", "strict", "origin_pull"]),
        "free",
    ),
    any_setting("tls_1_3", SettingKind::Word(&["on", "off", "zrt"]), "free"),
    off("tls_client_auth", "free"),
    off("true_client_ip_header", "enterprise"),
    off("waf", "pro"),
    off("webp", "pro"),
    on("websockets", "free"),
];

/// Returns the facts of a setting.
#[must_use]
pub fn setting_facts(name: &str) -> Option<&'static SettingFacts> {
    SETTINGS.iter().find(|s| s.name == name)
}

/// The setting that Cloudflare resets: development mode lasts three hours.
///
/// # Sources
/// developers.cloudflare.com/cache/reference/development-mode, read 2026-11-20.
pub const TEMPORARY: &str = "development_mode";

/// The settings that configurations name most often. They are read one by one once Cloudflare no
/// longer lists all settings of a zone.
///
/// # Sources
/// Counted on 2026-11-26 in public repositories with a Terraform configuration of Cloudflare, 26 of
/// which name settings: each of these is in 5 or more of them.
pub const OFTEN_NAMED: &[&str] = &[
    "always_use_https",
    "ssl",
    "min_tls_version",
    "automatic_https_rewrites",
    "tls_1_3",
    "security_level",
    "opportunistic_encryption",
    "brotli",
    "browser_check",
    "http3",
    "challenge_ttl",
    "websockets",
    "ipv6",
    "email_obfuscation",
    "hotlink_protection",
    "cache_level",
    "security_header",
];
