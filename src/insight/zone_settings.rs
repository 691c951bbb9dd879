//! Effects of changed zone settings on visitors.
//!
//! | setting | weaker, and needs consent | shown |
//! |---|---|---|
//! | `ssl` | a step down: origin_pull, strict, full, flexible, off | every change |
//! | `min_tls_version` | an older version | a newer version, which old clients do not support |
//! | `security_level` | off, or almost | every visitor is challenged, which may lock out programs and needs consent; or no longer |
//! | `always_use_https`, `development_mode`, `security_header` | | every change that visitors notice |
//!
//! Only settings whose value is known before and after are compared.
//!
//! # Sources
//! developers.cloudflare.com: ssl/origin-configuration/ssl-modes and the page of each mode,
//! ssl/edge-certificates/additional-options/minimum-tls and …/always-use-https,
//! fundamentals/reference/under-attack-mode, cache/reference/development-mode, read 2026-11. RFC
//! 6797 for the header.

use super::direction::{Direction, more_is_stronger};
use super::effect::at_most_five;
use super::hidden_alias::HiddenUse;
use crate::model::{Danger, Fqdn, Value, ZoneName};

/// The modes of encryption, the weakest first.
const MODES: &[&str] = &["off", "flexible", "full", "strict", "origin_pull"];

/// The effect of a setting on visitors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingEffect {
    /// The direction of their protection.
    pub direction: Direction,
    /// The required consent; `None` if the effect is only shown.
    pub danger: Option<Danger>,
    /// Describes the effect in a sentence.
    pub line: String,
}

/// Returns the effect of a changed setting; `None` if no effect is known, or visitors notice no
/// change.
#[must_use]
pub fn setting_effect(
    zone: &ZoneName,
    name: &str,
    before: &Value,
    after: &Value,
) -> Option<SettingEffect> {
    if before == after {
        return None;
    }
    let words = (before.to_string(), after.to_string());
    let (old, new) = (words.0.as_str(), words.1.as_str());
    let shown =
        |direction, line: &str| SettingEffect { direction, danger: None, line: line.to_owned() };
    let weakens = |effect: SettingEffect| match effect.direction {
        Direction::Weakens => SettingEffect { danger: Some(Danger::WeakensProtection), ..effect },
        _ => effect,
    };
    let on = |line| shown(Direction::Strengthens, line);
    let off = |line| shown(Direction::Weakens, line);
    Some(match (name, old, new) {
        ("ssl", ..) => {
            let rank = |mode: &str| MODES.iter().position(|known| *known == mode);
            weakens(shown(more_is_stronger(rank(old)?, rank(new)?), encryption(new)?))
        }
        // The versions sort as text.
        ("min_tls_version", ..) => {
            let line = match new < old {
                true => format!("clients may use TLS {new}"),
                false => format!("clients that know only versions before TLS {new} are refused"),
            };
            weakens(shown(more_is_stronger(old, new), &line))
        }
        ("always_use_https", "on", "off") => {
            off("requests by plain HTTP are no longer redirected to HTTPS")
        }
        ("always_use_https", "off", "on") => on("requests by plain HTTP are redirected to HTTPS"),
        ("security_level", _, "under_attack") => SettingEffect {
            danger: Some(Danger::MayLockOut),
            ..on("every visitor is challenged first, and programs that call the site cannot pass")
        },
        ("security_level", _, "off" | "essentially_off") => weakens(off(
            "visitors are no longer challenged for the reputation of their address, or almost none are",
        )),
        ("security_level", "under_attack", _) => off("visitors are no longer challenged first"),
        ("development_mode", "off", "on") => shown(
            Direction::Neutral,
            "nothing is answered from the cache for three hours: every request reaches the origin",
        ),
        ("security_header", ..) => strict_transport(zone, before, after)?,
        _ => return None,
    })
}

/// Returns the effect of disabling DNSSEC.
///
/// # Sources
/// RFC 4035 section 5.2.
#[must_use]
pub fn signing_ends() -> SettingEffect {
    SettingEffect {
        direction: Direction::Weakens,
        danger: None,
        line: "remove the DS record at the registrar first: while it is there, resolvers that validate accept signed answers only"
            .to_owned(),
    }
}

/// Returns the effect of another kind of name servers; `None` if the kind stays.
///
/// # Sources
/// developers.cloudflare.com/dns/foundation-dns/setup, read 2026-11: once a zone has advanced name
/// servers, the standard ones still answer.
#[must_use]
pub fn name_servers(before: &str, after: &str) -> Option<SettingEffect> {
    let (direction, line) =
        (Direction::Neutral, "the zone gets other name servers: name them at the registrar");
    match after {
        _ if before == after => None,
        "cloudflare.advanced" => Some(SettingEffect {
            direction,
            danger: None,
            line: format!("{line}; the previous ones still answer"),
        }),
        _ => Some(SettingEffect {
            direction,
            danger: Some(Danger::ChangesNameServers),
            line: line.to_owned(),
        }),
    }
}

/// Returns the effect of flattening aliases, each a name with its target; `None` if visitors alone
/// use them.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/troubleshooting/cname-domain-verification, read
/// 2026-11-27.
#[must_use]
pub fn flattened_aliases<'a>(
    aliases: impl Iterator<Item = (&'a Fqdn, &'a Fqdn)>,
) -> Option<SettingEffect> {
    let uses = aliases.filter_map(|(name, target)| Some((name, HiddenUse::of(name, target)?)));
    let (of_aliases, of_texts): (Vec<_>, Vec<_>) = uses.partition(|(_, hidden)| hidden.is_of_alias);
    let names = |uses: &[(&Fqdn, HiddenUse)]| at_most_five(uses.iter().map(|(name, _)| *name));
    let hidden = (!of_aliases.is_empty()).then(|| {
        format!("certificate authorities no longer see these aliases: {}", names(&of_aliases))
    });
    let unknown = (!of_texts.is_empty()).then(|| {
        format!(
            "Cloudflare does not document what is answered for the texts behind {}",
            names(&of_texts)
        )
    });
    let lines: Vec<String> = hidden.into_iter().chain(unknown).collect();
    (!lines.is_empty()).then(|| SettingEffect {
        direction: Direction::Neutral,
        danger: (!of_aliases.is_empty()).then_some(Danger::ChangesIssuance),
        line: lines.join("; "),
    })
}

/// Describes the connections of visitors to Cloudflare, and of Cloudflare to the origin.
fn encryption(mode: &str) -> Option<&'static str> {
    Some(match mode {
        "off" => {
            "visitors reach the site by plain HTTP only: requests by HTTPS are redirected to it"
        }
        "flexible" => {
            "Cloudflare connects to the origin without encryption; where the origin redirects to HTTPS, visitors get an \
             endless redirect"
        }
        "full" => {
            "Cloudflare connects to the origin as visitors do, and does not check its certificate"
        }
        "strict" => {
            "Cloudflare connects to the origin as visitors do; where it has no valid certificate, visitors by HTTPS get error 526"
        }
        "origin_pull" => {
            "Cloudflare connects to the origin by HTTPS only; where it has no valid certificate, visitors get error 526"
        }
        _ => return None,
    })
}

/// Describes the effect of the `Strict-Transport-Security` header on browsers, if the header is
/// added, removed or extended.
fn strict_transport(zone: &ZoneName, before: &Value, after: &Value) -> Option<SettingEffect> {
    let member = |value: &Value, name: &str| match value {
        Value::Map(outer) => match outer.get("strict_transport_security") {
            Some(Value::Map(inner)) => inner.get(name).cloned(),
            _ => None,
        },
        _ => None,
    };
    let has = |value: &Value, name: &str| {
        member(value, "enabled") == Some(Value::Bool(true))
            && member(value, name) == Some(Value::Bool(true))
    };
    let begins = !has(before, "enabled") && has(after, "enabled");
    let widens = !has(before, "include_subdomains") && has(after, "include_subdomains");
    let seconds = |value: &Value| match member(value, "max_age") {
        Some(Value::Integer(seconds)) => Some(seconds),
        _ => None,
    };
    if has(before, "enabled") && !has(after, "enabled") {
        let old_seconds = seconds(before).filter(|old| *old > 0)?;
        let line = format!(
            "browsers that visited {zone} keep to HTTPS for up to {old_seconds} s, and new ones no longer do (RFC 6797)"
        );
        return Some(SettingEffect { direction: Direction::Weakens, danger: None, line });
    }
    let new_seconds = seconds(after).filter(|_| has(after, "enabled"))?;
    let lasts = seconds(before).is_some_and(|old| old < new_seconds);
    let is_listed = !has(before, "preload") && has(after, "preload");
    if !(begins || widens || lasts || is_listed) {
        return None;
    }
    let below = if has(after, "include_subdomains") { " and every name below it" } else { "" };
    let list = match is_listed {
        true => {
            "; with `preload`, browsers can take the domain into the lists that they ship, which is hard to take back"
        }
        false => "",
    };
    let line = format!(
        "browsers use nothing but HTTPS for {zone}{below}, for {new_seconds} s after each visit, even if you turn the setting off \
         again (RFC 6797){list}"
    );
    Some(SettingEffect { direction: Direction::Strengthens, danger: None, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_visitors_notice() {
        let zone = ZoneName::parse("example.com").unwrap();
        let of = |name: &str, old: &str, new: &str| {
            setting_effect(&zone, name, &Value::Text(old.to_owned()), &Value::Text(new.to_owned()))
        };
        for (name, old, new, danger) in [
            ("ssl", "strict", "full", Some(Danger::WeakensProtection)),
            ("ssl", "full", "flexible", Some(Danger::WeakensProtection)),
            ("ssl", "flexible", "off", Some(Danger::WeakensProtection)),
            ("ssl", "full", "strict", None),
            ("ssl", "strict", "origin_pull", None),
            ("min_tls_version", "1.2", "1.0", Some(Danger::WeakensProtection)),
            ("min_tls_version", "1.0", "1.2", None),
            ("security_level", "medium", "essentially_off", Some(Danger::WeakensProtection)),
            ("always_use_https", "on", "off", None),
            ("security_level", "medium", "under_attack", Some(Danger::MayLockOut)),
            ("security_level", "under_attack", "medium", None),
            ("development_mode", "off", "on", None),
        ] {
            let effect =
                of(name, old, new).unwrap_or_else(|| panic!("{name} {new}: nothing is said"));
            assert_eq!(effect.danger, danger, "{name}: {old} → {new}");
        }
        for (name, old, new) in [
            ("ssl", "strict", "strict"),
            ("ssl", "strict", "unheard of"),
            ("security_level", "medium", "high"),
            ("brotli", "off", "on"),
        ] {
            assert_eq!(of(name, old, new), None, "{name}: {old} → {new}");
        }
        let header = |enabled: bool, below: bool| {
            let members = [
                ("enabled", Value::Bool(enabled)),
                ("include_subdomains", Value::Bool(below)),
                ("max_age", Value::Integer(86_400)),
            ];
            let inner = members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            Value::Map([("strict_transport_security".to_owned(), Value::Map(inner))].into())
        };
        let line = |old: &Value, new: &Value| {
            setting_effect(&zone, "security_header", old, new).map(|effect| effect.line)
        };
        assert!(
            line(&header(false, false), &header(true, false))
                .unwrap()
                .contains("for example.com, for 86400 s")
        );
        assert!(
            line(&header(true, false), &header(true, true))
                .unwrap()
                .contains("every name below it")
        );
        assert_eq!(line(&header(true, true), &header(true, false)), None);
        assert!(
            line(&header(true, true), &header(false, true))
                .unwrap()
                .contains("keep to HTTPS for up to 86400 s")
        );
        let with = |name: &str, value: Value| match header(true, false) {
            Value::Map(mut outer) => {
                if let Some(Value::Map(inner)) = outer.get_mut("strict_transport_security") {
                    inner.insert(name.to_owned(), value);
                }
                Value::Map(outer)
            }
            other => other,
        };
        assert!(
            line(&header(true, false), &with("max_age", Value::Integer(31_536_000)))
                .unwrap()
                .contains("31536000 s")
        );
        assert!(
            line(&header(true, false), &with("preload", Value::Bool(true)))
                .unwrap()
                .contains("hard to take back")
        );
    }
}
