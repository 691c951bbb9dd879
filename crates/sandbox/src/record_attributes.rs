//! The attributes of a record beside its value: TTL, proxy status, comment, tags and settings.

use std::net::IpAddr;

use serde_json::{Map, Value};

use super::envelope::{HandlerResult, Refusal};
use super::profile::{self, OwnNetwork, ProxiedTtl};
use super::unproxiable_addresses;
use super::zone::Zone;
use zonewright_model::facts::proxied_aliases::is_never_proxied;
use zonewright_model::facts::{AUTOMATIC_TTL, MAXIMUM_TTL, TIERS, TypeFacts, record_features};

/// Returns the proxy status, or refuses it.
///
/// # Sources
/// Only A, AAAA and CNAME: developers.cloudflare.com/dns/proxy-status, read 2026-11-20; code 9004:
/// reported, text approximate. Code 9003 and its text: observed 2026-08. ASSUMED: 9003 also if the profile
/// refuses DNS-only records to Cloudflare's own network.
pub(super) fn proxied(
    facts: &TypeFacts,
    sent: Option<&Value>,
    address: Option<IpAddr>,
    own_network: OwnNetwork,
) -> HandlerResult<bool> {
    let proxied = match sent {
        None | Some(Value::Null) => false,
        Some(Value::Bool(proxied)) => *proxied,
        Some(_) => return Err(Refusal::unspecified("proxied must be true or false.")),
    };
    if proxied && !facts.proxiable {
        return Err(Refusal::invalid(9004, "This record type cannot be proxied."));
    }
    if let Some(address) = address {
        if proxied && !unproxiable_addresses::may_be_proxied(address) {
            return Err(Refusal::invalid(
                9003,
                format!("Target {address} is not allowed for a proxied record."),
            ));
        }
        if own_network == OwnNetwork::Strict && unproxiable_addresses::is_own(address) {
            return Err(Refusal::invalid(9003, format!("Target {address} is not allowed.")));
        }
    }
    Ok(proxied)
}

/// Refuses a proxied alias with a target that Cloudflare does not proxy to.
///
/// # Sources
/// developers.cloudflare.com/dns/proxy-status/limitations, "Non-proxiable targets", read 2026-11-27:
/// Cloudflare prevents these records from being proxied. ASSUMED: by a refusal with code 9003, and
/// not by storing them as DNS only.
pub(super) fn refuse_proxied_target(
    facts: &TypeFacts,
    content: &str,
    is_proxied: bool,
) -> HandlerResult<()> {
    let target = content.trim_end_matches('.').to_ascii_lowercase();
    if facts.name == "CNAME" && is_proxied && is_never_proxied(&target) {
        return Err(Refusal::invalid(
            9003,
            format!("Target {target} is not allowed for a proxied record."),
        ));
    }
    Ok(())
}

/// Returns the time to live, or refuses it.
///
/// # Units
/// Seconds; 1 is automatic.
///
/// # Sources
/// Range by plan, and automatic for proxied records:
/// developers.cloudflare.com/dns/manage-dns-records/reference/ttl, read 2026-11-20; code 9021:
/// reported, text approximate. A TTL other than automatic beside `proxied` is replaced: observed.
/// ASSUMED: a value outside the range is refused also for proxied records.
pub(super) fn read_ttl(
    zone: &Zone,
    sent: Option<&Value>,
    proxied: bool,
    style: ProxiedTtl,
) -> HandlerResult<u32> {
    let minimum = zone.tier().minimum_ttl;
    let refused = || {
        let message = format!(
            "Invalid TTL. Must be between {minimum} and {MAXIMUM_TTL} seconds, or 1 for Automatic."
        );
        Refusal::invalid(9021, message)
    };
    let ttl = match sent {
        None | Some(Value::Null) => AUTOMATIC_TTL,
        Some(value) => value
            .as_u64()
            .and_then(|n| u32::try_from(n).ok())
            .filter(|n| *n == AUTOMATIC_TTL || (minimum..=MAXIMUM_TTL).contains(n))
            .ok_or_else(refused)?,
    };
    if proxied && ttl != AUTOMATIC_TTL {
        return match style {
            ProxiedTtl::Coerce => Ok(AUTOMATIC_TTL),
            ProxiedTtl::Refuse => {
                Err(Refusal::invalid(9021, "ttl must be set to 1 when proxied is true."))
            }
        };
    }
    Ok(ttl)
}

/// Returns the comment; `None` if it is unset, null or empty.
///
/// # Sources
/// Lengths by plan, no line breaks:
/// developers.cloudflare.com/dns/manage-dns-records/reference/record-attributes, read 2026-11-20.
/// ASSUMED: the code of a refusal.
pub(super) fn comment(zone: &Zone, sent: Option<&Value>) -> HandlerResult<Option<String>> {
    let text = match sent {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text,
        Some(_) => return Err(Refusal::unspecified("comment must be text.")),
    };
    let limit = zone.tier().comment_characters;
    if text.chars().count() > limit {
        return Err(Refusal::unspecified(format!(
            "Comment exceeds the maximum length of {limit} characters."
        )));
    }
    if text.contains(['\r', '\n']) {
        return Err(Refusal::unspecified("Comment must not contain line breaks."));
    }
    Ok(Some(text.clone()).filter(|t| !t.is_empty()))
}

/// Returns the tags, or refuses them.
///
/// # Sources
/// Form and numbers by plan:
/// developers.cloudflare.com/dns/manage-dns-records/reference/record-attributes, read 2026-11-20.
/// Code 9300 and its text: observed 2026-09. ASSUMED: the code of tags that are malformed.
pub(super) fn tags(zone: &Zone, sent: Option<&Value>) -> HandlerResult<Vec<String>> {
    let items = match sent {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(Refusal::unspecified("tags must be a list.")),
    };
    let quota = zone.tier().tags;
    if items.len() > quota {
        let message =
            format!("DNS record has {} tags, exceeding the quota of {quota}.", items.len());
        return Err(Refusal::invalid(9300, message));
    }
    items
        .iter()
        .map(|item| {
            let tag = item.as_str().unwrap_or_default();
            if is_tag(tag) {
                Ok(tag.to_owned())
            } else {
                Err(Refusal::unspecified(format!("Tag {item} is invalid.")))
            }
        })
        .collect()
}

/// Returns true if a text is `name` or `name:value`, and the name is not reserved by Cloudflare.
fn is_tag(tag: &str) -> bool {
    let (name, value) = tag.split_once(':').unwrap_or((tag, ""));
    let letters = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    (1..=32).contains(&name.len())
        && name.bytes().all(letters)
        && value.chars().count() <= 100
        && !name.to_ascii_lowercase().starts_with("cf-")
}

/// Returns the settings in the form of the API.
///
/// # Sources
/// `{"flatten_cname": …}` for a DNS-only CNAME, otherwise `{}`: observed 2025-08. Code 9226:
/// observed. The words for `ipv4_only` and `ipv6_only`: observed. ASSUMED: their code, and that the
/// enterprise plan has them; members that do not apply to the record are dropped.
pub(super) fn settings(
    facts: &TypeFacts,
    zone: &Zone,
    sent: Option<&Value>,
    proxied: bool,
) -> HandlerResult<Map<String, Value>> {
    let empty = Map::new();
    let sent = match sent {
        None | Some(Value::Null) => &empty,
        Some(Value::Object(members)) => members,
        Some(_) => return Err(Refusal::unspecified("settings must be an object.")),
    };
    let is_on = |name: &str| match sent.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(on)) => Ok(*on),
        Some(_) => Err(Refusal::unspecified(format!("settings.{name} must be true or false."))),
    };
    let has =
        |name: &str| profile::reaches(&zone.plan, TIERS[record_features::lowest_plan(name)].name);
    let flatten = is_on("flatten_cname")?;
    if flatten && !has("flatten_cname") {
        return Err(Refusal::invalid(9226, "CNAME flattening is not available to this zone."));
    }
    let mut out = Map::new();
    if facts.name == "CNAME" && !proxied {
        out.insert("flatten_cname".to_owned(), flatten.into());
    }
    for name in ["ipv4_only", "ipv6_only"] {
        if !is_on(name)? {
            continue;
        }
        if !has(name) {
            let message = "The IPv4 Only and IPv6 Only settings are not available to this zone.";
            return Err(Refusal::unspecified(message));
        }
        if proxied {
            out.insert(name.to_owned(), true.into());
        }
    }
    Ok(out)
}

/// Returns true if the origin is reached through a private network.
///
/// # Sources
/// A member of A and AAAA records: developers.cloudflare.com/api/resources/dns, read 2026-11-22.
/// ASSUMED: it is available on every plan, omitted if it is off, and ignored for other types.
pub(super) fn private_routing(facts: &TypeFacts, sent: Option<&Value>) -> HandlerResult<bool> {
    match sent {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(on)) => Ok(*on && matches!(facts.name, "A" | "AAAA")),
        Some(_) => Err(Refusal::unspecified("private_routing must be true or false.")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use zonewright_model::facts;

    fn zone(plan: &str) -> Zone {
        Zone::active("z".into(), "example.com".into(), plan, "2026-01-01T00:00:00Z")
    }

    #[test]
    fn times_to_live() {
        let read = |plan: &str, sent: Value, proxied| {
            read_ttl(&zone(plan), Some(&sent), proxied, ProxiedTtl::Coerce)
        };
        assert_eq!(read("free", json!(1), false), Ok(1));
        assert_eq!(read("free", json!(60), false), Ok(60));
        assert_eq!(read("free", json!(3600), true), Ok(1));
        assert_eq!(read("enterprise", json!(30), false), Ok(30));
        for bad in [json!(0), json!(59), json!(86_401), json!("60"), json!(-1), json!(60.5)] {
            assert_eq!(read("free", bad, false).unwrap_err().code(), 9021);
        }
        let refused = read_ttl(&zone("free"), Some(&json!(300)), true, ProxiedTtl::Refuse);
        assert_eq!(refused.unwrap_err().code(), 9021);
    }

    #[test]
    fn some_targets_are_never_proxied() {
        let refused = |kind: &str, content: &str, is_proxied| {
            refuse_proxied_target(facts::type_facts(kind).unwrap(), content, is_proxied).is_err()
        };
        assert!(refused("CNAME", "x.dkim.amazonses.com", true));
        assert!(refused("CNAME", "tenant.onmicrosoft.com", true));
        assert!(!refused("CNAME", "onmicrosoft.com", true));
        assert!(!refused("CNAME", "x.dkim.amazonses.com", false));
        assert!(!refused("NS", "x.dkim.amazonses.com", false));
    }

    #[test]
    fn comments_and_tags_by_plan() {
        let long = json!("ä".repeat(101));
        assert_eq!(
            comment(&zone("free"), Some(&json!("ä".repeat(100)))).unwrap().unwrap().chars().count(),
            100
        );
        assert!(comment(&zone("free"), Some(&long)).is_err());
        assert!(comment(&zone("pro"), Some(&long)).is_ok());
        assert!(comment(&zone("pro"), Some(&json!("a\nb"))).is_err());
        assert_eq!(comment(&zone("free"), Some(&json!(""))), Ok(None));
        assert_eq!(tags(&zone("free"), Some(&json!(["a:b"]))).unwrap_err().code(), 9300);
        assert_eq!(
            tags(&zone("pro"), Some(&json!(["a:b", "c"]))),
            Ok(vec!["a:b".to_owned(), "c".to_owned()])
        );
        for bad in [json!(["cf-x:1"]), json!(["a b"]), json!([1]), json!([""]), json!("a")] {
            assert!(tags(&zone("pro"), Some(&bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn settings_by_type_and_plan() {
        let read = |kind: &str, plan: &str, sent: Value, proxied| {
            settings(facts::type_facts(kind).unwrap(), &zone(plan), Some(&sent), proxied)
                .map(Value::Object)
        };
        assert_eq!(read("CNAME", "free", json!({}), false), Ok(json!({"flatten_cname": false})));
        assert_eq!(read("CNAME", "free", json!({}), true), Ok(json!({})));
        assert_eq!(read("A", "free", json!({}), false), Ok(json!({})));
        assert_eq!(
            read("CNAME", "pro", json!({"flatten_cname": true}), false),
            Ok(json!({"flatten_cname": true}))
        );
        assert_eq!(
            read("CNAME", "free", json!({"flatten_cname": true}), false).unwrap_err().code(),
            9226
        );
        assert!(read("A", "pro", json!({"ipv4_only": true}), true).is_err());
    }
}
