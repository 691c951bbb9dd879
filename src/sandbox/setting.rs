//! What is known about each zone setting, as plain data.
//!
//! # Sources
//! Names and values: developers.cloudflare.com/api, "Edit zone setting", and the types of the official Python SDK 5.9.0.
//! Defaults: settings whose `modified_on` was null in listings recorded 2022 and later; for the others as documented. Plans:
//! the settings that were not editable in a free zone (observed 2022), or for which an edit was refused (observed 2026), and
//! those that the API reference calls limited to Enterprise. ASSUMED: everything else is editable on every plan,
//! including `tls_client_auth`, which the types of the SDK still limit to Enterprise.

use serde_json::{Map, Value, json};

use super::profile;

/// The values of a setting.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// One of these strings.
    Word(&'static [&'static str]),
    /// One of these numbers.
    Number(&'static [u64]),
    /// A whole number in this range.
    Range(u64, u64),
    /// A list of these strings, without duplicates.
    Words(&'static [&'static str]),
    /// An object with members of these kinds.
    Object(&'static [(&'static str, Kind)]),
    /// True or false.
    Switch,
}

/// Everything known about one setting.
pub(super) struct Setting {
    /// Its name in the path.
    pub(super) name: &'static str,
    /// The values that it accepts.
    kind: Kind,
    /// Its default value.
    pub(super) default: fn() -> Value,
    /// The lowest plan whose zones can change it; `None` if none can.
    plan: Option<&'static str>,
}

/// The kind of most settings.
const ON_OFF: Kind = Kind::Word(&["on", "off"]);

/// A setting.
const fn setting(name: &'static str, kind: Kind, default: fn() -> Value, plan: &'static str) -> Setting {
    Setting { name, kind, default, plan: Some(plan) }
}

/// A switch that is on by default.
const fn on(name: &'static str, plan: &'static str) -> Setting {
    setting(name, ON_OFF, || json!("on"), plan)
}

/// A switch that is off by default.
const fn off(name: &'static str, plan: &'static str) -> Setting {
    setting(name, ON_OFF, || json!("off"), plan)
}

/// How long browsers may cache a response, in seconds; 0 leaves it to the origin.
const BROWSER_CACHE_TTLS: Kind = Kind::Number(&[
    0, 30, 60, 120, 300, 1200, 1800, 3600, 7200, 10_800, 14_400, 18_000, 28_800, 43_200, 57_600, 72_000, 86_400,
    172_800, 259_200, 345_600, 432_000, 691_200, 1_382_400, 2_073_600, 2_678_400, 5_356_800, 16_070_400, 31_536_000,
]);

/// How long a solved challenge is valid, in seconds.
const CHALLENGE_TTLS: Kind = Kind::Number(&[
    300, 900, 1800, 2700, 3600, 7200, 10_800, 14_400, 28_800, 57_600, 86_400, 604_800, 2_592_000, 31_536_000,
]);

/// Largest upload in megabytes.
const UPLOADS: Kind = Kind::Number(&[
    100, 125, 150, 175, 200, 225, 250, 275, 300, 325, 350, 375, 400, 425, 450, 475, 500, 1000, 1500, 2000, 2500, 3000,
    3500, 4000, 4500, 5000,
]);

/// developers.cloudflare.com/ssl/edge-certificates/additional-options/cipher-suites/supported-cipher-suites, read 2026-11-20.
const CIPHERS: Kind = Kind::Words(&[
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

/// The `Strict-Transport-Security` header. ASSUMED: the largest age is a number that any browser can represent.
const SECURITY_HEADER: Kind = Kind::Object(&[(
    "strict_transport_security",
    Kind::Object(&[
        ("enabled", Kind::Switch),
        ("max_age", Kind::Range(0, 4_294_967_295)),
        ("include_subdomains", Kind::Switch),
        ("preload", Kind::Switch),
        ("nosniff", Kind::Switch),
    ]),
)]);

/// Every known setting, sorted by name.
///
/// `minify`, `mirage`, `server_side_exclude` and `waf` are older settings that are still in the reference or in use.
pub(super) const SETTINGS: &[Setting] = &[
    off("0rtt", "free"),
    on("always_online", "free"),
    off("always_use_https", "free"),
    on("automatic_https_rewrites", "free"),
    on("brotli", "free"),
    setting("browser_cache_ttl", BROWSER_CACHE_TTLS, || json!(14400), "free"),
    on("browser_check", "free"),
    setting("cache_level", Kind::Word(&["aggressive", "basic", "simplified"]), || json!("aggressive"), "free"),
    setting("challenge_ttl", CHALLENGE_TTLS, || json!(1800), "free"),
    // ASSUMED: the plan represents the Advanced Certificate Manager, which Cloudflare requires.
    setting("ciphers", CIPHERS, || json!([]), "pro"),
    // Deprecated in favour of `flatten_all_cnames` of the DNS settings.
    Setting {
        name: "cname_flattening",
        kind: Kind::Word(&["flatten_at_root", "flatten_all"]),
        default: || json!("flatten_at_root"),
        plan: None,
    },
    off("development_mode", "free"),
    off("early_hints", "free"),
    on("email_obfuscation", "free"),
    setting("h2_prioritization", Kind::Word(&["on", "off", "custom"]), || json!("off"), "pro"),
    off("hotlink_protection", "free"),
    on("http2", "pro"),
    on("http3", "free"),
    setting("image_resizing", Kind::Word(&["on", "off", "open"]), || json!("off"), "pro"),
    on("ip_geolocation", "free"),
    on("ipv6", "free"),
    setting("max_upload", UPLOADS, || json!(100), "free"),
    setting("min_tls_version", Kind::Word(&["1.0", "1.1", "1.2", "1.3"]), || json!("1.0"), "free"),
    setting(
        "minify",
        Kind::Object(&[("css", ON_OFF), ("html", ON_OFF), ("js", ON_OFF)]),
        || json!({ "css": "off", "html": "off", "js": "off" }),
        "free",
    ),
    off("mirage", "pro"),
    // ASSUMED: the default.
    setting("nel", Kind::Object(&[("enabled", Kind::Switch)]), || json!({ "enabled": true }), "free"),
    on("opportunistic_encryption", "free"),
    on("opportunistic_onion", "free"),
    off("origin_error_page_pass_thru", "enterprise"),
    setting("origin_max_http_version", Kind::Word(&["1", "2"]), || json!("2"), "enterprise"),
    setting("polish", Kind::Word(&["off", "lossless", "lossy"]), || json!("off"), "pro"),
    off("prefetch_preload", "enterprise"),
    setting("proxy_read_timeout", Kind::Range(1, 6000), || json!(100), "enterprise"),
    setting("pseudo_ipv4", Kind::Word(&["off", "add_header", "overwrite_header"]), || json!("off"), "free"),
    off("response_buffering", "enterprise"),
    off("rocket_loader", "free"),
    setting(
        "security_header",
        SECURITY_HEADER,
        || {
            json!({ "strict_transport_security": {
                "enabled": false, "max_age": 0, "include_subdomains": false, "preload": false, "nosniff": false
            }})
        },
        "free",
    ),
    setting(
        "security_level",
        Kind::Word(&["off", "essentially_off", "low", "medium", "high", "under_attack"]),
        || json!("medium"),
        "free",
    ),
    on("server_side_exclude", "free"),
    off("sort_query_string_for_cache", "enterprise"),
    // ASSUMED: the default, which Cloudflare chooses according to the origin.
    setting("ssl", Kind::Word(&["off", "flexible", "full", "strict", "origin_pull"]), || json!("full"), "free"),
    setting("tls_1_3", Kind::Word(&["on", "off", "zrt"]), || json!("on"), "free"),
    off("tls_client_auth", "free"),
    off("true_client_ip_header", "enterprise"),
    off("waf", "pro"),
    off("webp", "pro"),
    on("websockets", "free"),
];

/// The setting with this name.
pub(super) fn of(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|s| s.name == name)
}

impl Setting {
    /// Whether a zone on this plan can change it.
    pub(super) fn is_editable(&self, plan: &str) -> bool {
        self.plan.is_some_and(|least| profile::reaches(plan, least))
    }

    /// Cloudflare's message for an edit that the plan does not allow.
    ///
    /// # Sources
    /// Both forms observed 2026 with code 1015. ASSUMED: the second one is for what only Enterprise includes.
    pub(super) fn refusal(&self) -> String {
        let what = match self.name {
            "proxy_read_timeout" => "setting for",
            _ if self.plan == Some("enterprise") => "zone setting",
            _ => "setting for",
        };
        format!("Not allowed to edit {what} {}", self.name)
    }

    /// Its value after a value was sent; `None` if it does not accept that value.
    ///
    /// ASSUMED: members of objects that are not sent are kept, and unknown members are refused.
    pub(super) fn after(&self, before: &Value, sent: &Value) -> Option<Value> {
        taken(self.kind, before, sent)
    }

    /// Whether a plan allows a valid value.
    ///
    /// # Sources
    /// developers.cloudflare.com/cache/concepts/default-cache-behavior, "Cloudflare cache limits", and
    /// developers.cloudflare.com/ssl/origin-configuration/ssl-modes, read 2026-11-20. ASSUMED: `security_level` off too.
    pub(super) fn suits(&self, plan: &str, value: &Value) -> bool {
        let is_enterprise = plan == "enterprise";
        match (self.name, value.as_str()) {
            ("ssl", Some("origin_pull")) | ("security_level", Some("off")) => is_enterprise,
            ("max_upload", _) => {
                let most = if plan == "business" { 200 } else { 100 };
                is_enterprise || value.as_u64().is_some_and(|n| n <= most)
            }
            _ => true,
        }
    }
}

/// A value of a kind, from what was sent and the previous value.
fn taken(kind: Kind, before: &Value, sent: &Value) -> Option<Value> {
    let is_valid = match kind {
        Kind::Word(words) => sent.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Number(numbers) => sent.as_u64().is_some_and(|number| numbers.contains(&number)),
        Kind::Range(least, most) => sent.as_u64().is_some_and(|number| (least..=most).contains(&number)),
        Kind::Switch => sent.is_boolean(),
        Kind::Words(words) => sent.as_array().is_some_and(|items| {
            let is_known = |item: &Value| item.as_str().is_some_and(|word| words.contains(&word));
            items.iter().all(is_known) && items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))
        }),
        Kind::Object(members) => {
            let sent = sent.as_object()?;
            if sent.keys().any(|key| members.iter().all(|(name, _)| name != key)) {
                return None;
            }
            let mut out = Map::new();
            for (name, kind) in members {
                let old = before.get(*name).unwrap_or(&Value::Null);
                let new = sent.get(*name).map_or_else(|| Some(old.clone()), |value| taken(*kind, old, value))?;
                out.insert((*name).to_owned(), new);
            }
            return Some(Value::Object(out));
        }
    };
    is_valid.then(|| sent.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_its_defaults_are_valid() {
        assert!(SETTINGS.is_sorted_by(|a, b| a.name < b.name));
        for setting in SETTINGS {
            let default = (setting.default)();
            assert_eq!(setting.after(&Value::Null, &default), Some(default.clone()), "{}", setting.name);
            assert!(setting.suits("free", &default), "{}", setting.name);
            assert!(setting.plan.is_none_or(|plan| profile::tier(plan).is_some()), "{}", setting.name);
        }
    }

    #[test]
    fn objects_merge() {
        let minify = of("minify").unwrap();
        let before = (minify.default)();
        let after = json!({ "css": "on", "html": "off", "js": "off" });
        assert_eq!(minify.after(&before, &json!({ "css": "on" })), Some(after));
        assert_eq!(minify.after(&before, &json!({ "svg": "on" })), None);
        assert_eq!(minify.after(&before, &json!("on")), None);
    }
}
