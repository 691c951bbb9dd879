//! Facts about each zone setting: its valid values, and which plans can change it.
//!
//! # Sources
//! Names and values: developers.cloudflare.com/api, "Edit zone setting", and the types of the official Python SDK 5.9.0, read
//! 2026-11-20. Plans: the settings that were not editable in a free zone (observed 2022), or for which an edit was refused
//! (observed 2026), and those that the API reference calls limited to Enterprise. ASSUMED: everything else is editable on every
//! plan, also `tls_client_auth`, which the types of the SDK still give to Enterprise alone.

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
    /// True or false.
    Switch,
}

/// The facts of one setting.
#[derive(Debug, Clone, Copy)]
pub struct SettingFacts {
    /// Its name in the API path and in the spec.
    pub name: &'static str,
    /// Its valid values.
    pub kind: SettingKind,
    /// The lowest plan whose zones can change it; `None` if it cannot be changed.
    pub plan: Option<&'static str>,
}

/// `on` or `off`, the most common kind.
const ON_OFF: SettingKind = SettingKind::Word(&["on", "off"]);

/// A setting.
const fn setting(name: &'static str, kind: SettingKind, plan: &'static str) -> SettingFacts {
    SettingFacts { name, kind, plan: Some(plan) }
}

/// A setting that is on or off.
const fn switch(name: &'static str, plan: &'static str) -> SettingFacts {
    setting(name, ON_OFF, plan)
}

/// How long browsers may cache an answer, in seconds; 0 leaves it to the origin.
const BROWSER_CACHE_TTLS: SettingKind = SettingKind::Number(&[
    0, 30, 60, 120, 300, 1200, 1800, 3600, 7200, 10_800, 14_400, 18_000, 28_800, 43_200, 57_600, 72_000, 86_400,
    172_800, 259_200, 345_600, 432_000, 691_200, 1_382_400, 2_073_600, 2_678_400, 5_356_800, 16_070_400, 31_536_000,
]);

/// How long a passed challenge is valid, in seconds.
const CHALLENGE_TTLS: SettingKind = SettingKind::Number(&[
    300, 900, 1800, 2700, 3600, 7200, 10_800, 14_400, 28_800, 57_600, 86_400, 604_800, 2_592_000, 31_536_000,
]);

/// Largest upload in megabytes.
const UPLOADS: SettingKind = SettingKind::Number(&[
    100, 125, 150, 175, 200, 225, 250, 275, 300, 325, 350, 375, 400, 425, 450, 475, 500, 1000, 1500, 2000, 2500, 3000,
    3500, 4000, 4500, 5000,
]);

/// developers.cloudflare.com/ssl/edge-certificates/additional-options/cipher-suites/supported-cipher-suites, read 2026-11-20.
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

/// The `Strict-Transport-Security` header. ASSUMED: the largest age is one that every browser can represent.
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

/// All known settings, sorted by name.
///
/// `minify`, `mirage`, `server_side_exclude` and `waf` are old, but still in the reference or in use.
pub const SETTINGS: &[SettingFacts] = &[
    switch("0rtt", "free"),
    switch("always_online", "free"),
    switch("always_use_https", "free"),
    switch("automatic_https_rewrites", "free"),
    switch("brotli", "free"),
    setting("browser_cache_ttl", BROWSER_CACHE_TTLS, "free"),
    switch("browser_check", "free"),
    setting("cache_level", SettingKind::Word(&["aggressive", "basic", "simplified"]), "free"),
    setting("challenge_ttl", CHALLENGE_TTLS, "free"),
    // ASSUMED: the plan is a substitute for the Advanced Certificate Manager, which Cloudflare requires.
    setting("ciphers", CIPHERS, "pro"),
    // Deprecated in favour of `flatten_all_cnames` of the DNS settings.
    SettingFacts { name: "cname_flattening", kind: SettingKind::Word(&["flatten_at_root", "flatten_all"]), plan: None },
    switch("development_mode", "free"),
    switch("early_hints", "free"),
    switch("email_obfuscation", "free"),
    setting("h2_prioritization", SettingKind::Word(&["on", "off", "custom"]), "pro"),
    switch("hotlink_protection", "free"),
    switch("http2", "pro"),
    switch("http3", "free"),
    setting("image_resizing", SettingKind::Word(&["on", "off", "open"]), "pro"),
    switch("ip_geolocation", "free"),
    switch("ipv6", "free"),
    setting("max_upload", UPLOADS, "free"),
    setting("min_tls_version", SettingKind::Word(&["1.0", "1.1", "1.2", "1.3"]), "free"),
    setting("minify", SettingKind::Object(&[("css", ON_OFF), ("html", ON_OFF), ("js", ON_OFF)]), "free"),
    switch("mirage", "pro"),
    setting("nel", SettingKind::Object(&[("enabled", SettingKind::Switch)]), "free"),
    switch("opportunistic_encryption", "free"),
    switch("opportunistic_onion", "free"),
    switch("origin_error_page_pass_thru", "enterprise"),
    setting("origin_max_http_version", SettingKind::Word(&["1", "2"]), "enterprise"),
    setting("polish", SettingKind::Word(&["off", "lossless", "lossy"]), "pro"),
    switch("prefetch_preload", "enterprise"),
    setting("proxy_read_timeout", SettingKind::Range(1, 6000), "enterprise"),
    setting("pseudo_ipv4", SettingKind::Word(&["off", "add_header", "overwrite_header"]), "free"),
    switch("response_buffering", "enterprise"),
    switch("rocket_loader", "free"),
    setting("security_header", SECURITY_HEADER, "free"),
    setting(
        "security_level",
        SettingKind::Word(&["off", "essentially_off", "low", "medium", "high", "under_attack"]),
        "free",
    ),
    switch("server_side_exclude", "free"),
    switch("sort_query_string_for_cache", "enterprise"),
    setting("ssl", SettingKind::Word(&["off", "flexible", "full", "strict", "origin_pull"]), "free"),
    setting("tls_1_3", SettingKind::Word(&["on", "off", "zrt"]), "free"),
    switch("tls_client_auth", "free"),
    switch("true_client_ip_header", "enterprise"),
    switch("waf", "pro"),
    switch("webp", "pro"),
    switch("websockets", "free"),
];

/// The facts of a setting.
#[must_use]
pub fn of(name: &str) -> Option<&'static SettingFacts> {
    SETTINGS.iter().find(|s| s.name == name)
}
