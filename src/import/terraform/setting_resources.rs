//! Translates zones with their settings: `cloudflare_zone`, `cloudflare_zone_settings_override`,
//! `cloudflare_zone_setting`, `cloudflare_zone_dnssec` and `cloudflare_zone_dns_settings`.

use super::Resource;
use super::attributes::Attributes;
use super::not_imported::{Refusal, in_part};
use super::value::Term;
use super::zones::Zones;
use crate::diagnostic::findings;
use crate::import::import_result::{Claim, Claimed, ImportResult, Translation};
use crate::model::facts::settings::{self, SettingKind};
use crate::model::{Gather, Value, ZoneName};
use crate::spec::setting_value;

/// Members of `cloudflare_zone_settings_override` that have another name in the API.
const RENAMED_SETTINGS: &[(&str, &str)] = &[("zero_rtt", "0rtt")];

/// Settings that a spec cannot change, with the default of every zone. A state contains them
/// although no one set them.
///
/// # Sources
/// developers.cloudflare.com/api, "Get all zone settings" (defaults); the states among the tests of
/// the provider 4.52, read 2026-11-26.
const USUAL: &[(&str, &str)] = &[
    ("binary_ast", "off"),
    ("cname_flattening", "flatten_at_root"),
    ("filter_logs_to_cloudflare", "off"),
    ("fonts", "off"),
    ("log_to_cloudflare", "on"),
    ("orange_to_orange", "off"),
    ("privacy_pass", "on"),
    ("replace_insecure_js", "off"),
    ("speed_brain", "off"),
    ("ssl_automatic_mode", "custom"),
    ("tls_1_2_only", "off"),
    ("universal_ssl", "on"),
    ("visitor_ip", "on"),
];

/// Members of the DNS settings that a spec has.
const DNS_SETTINGS: &[&str] = &[
    "flatten_all_cnames",
    "internal_dns",
    "multi_provider",
    "nameservers",
    "ns_ttl",
    "secondary_overrides",
    "soa",
    "zone_mode",
];

/// Extent of a translation, or the reason why there is none.
type Translated = Result<Translation, Refusal>;

/// Returns the attributes of a zone's resource, and the zone.
fn parts<'r>(
    resource: &'r Resource,
    zones: &Zones<'_>,
) -> Result<(Attributes<'r>, ZoneName), Refusal> {
    Ok((Attributes::new(resource), zones.of(resource)?))
}

/// Translates a `cloudflare_zone`.
pub(super) fn zone(resource: &Resource, found: &mut ImportResult) -> Translated {
    let attributes = Attributes::new(resource);
    let (old, name) = (attributes.text("zone")?, attributes.text("name")?);
    let name = old.or(name).unwrap_or_default();
    let name = ZoneName::parse(&name).map_err(|error| Refusal::Invalid(error.to_string()))?;
    found.zone(&name);
    Ok(counted(resource, &attributes, found))
}

/// Translates a `cloudflare_zone_dnssec`. Version 4 has no status: the resource turns DNSSEC on.
pub(super) fn dnssec(
    resource: &Resource,
    zones: &Zones<'_>,
    found: &mut ImportResult,
) -> Translated {
    let (attributes, zone) = parts(resource, zones)?;
    let status = attributes.text("status")?;
    let is_on = !matches!(status.as_deref(), Some("disabled" | "pending-disabled"));
    if found.claim(&zone, claim(resource, &resource.address, "DNSSEC"), &is_on.to_string())
        == Claimed::First
    {
        found.dnssec(&zone, is_on, resource.place);
    }
    Ok(counted(resource, &attributes, found))
}

/// Translates a `cloudflare_zone_dns_settings` of version 5.
pub(super) fn dns_settings(
    resource: &Resource,
    zones: &Zones<'_>,
    found: &mut ImportResult,
) -> Translated {
    let (attributes, zone) = parts(resource, zones)?;
    if let Some(missing) = attributes.missing() {
        return Err(missing.clone().into());
    }
    for name in DNS_SETTINGS {
        let Some(value) = attributes.get(name) else { continue };
        let value = without_empty(value);
        if matches!(&value, Value::Map(members) if members.is_empty()) {
            continue;
        }
        let thing = format!("the DNS setting `{name}`");
        if found.claim(&zone, claim(resource, &resource.address, &thing), &format!("{value:?}"))
            == Claimed::First
        {
            found.dns_setting(&zone, name, value, resource.place);
        }
    }
    found.zone(&zone);
    Ok(counted(resource, &attributes, found))
}

/// Translates a `cloudflare_zone_settings_override` of version 4. Each setting counts as an entry.
pub(super) fn settings_override(
    resource: &Resource,
    zones: &Zones<'_>,
    found: &mut ImportResult,
) -> Translated {
    let (attributes, zone) = parts(resource, zones)?;
    let Some(Term::Map(members)) = attributes.object("settings")? else {
        return Err(Refusal::Invalid("it has no settings".to_owned()));
    };
    attributes.get("settings");
    let read_only = attributes.texts("readonly_settings")?;
    let mut translations = Vec::new();
    for (name, value) in members.iter().filter(|(_, value)| !value.is_empty()) {
        let api = RENAMED_SETTINGS
            .iter()
            .find(|(theirs, _)| theirs == name)
            .map_or(name.as_str(), |(_, api)| *api);
        let is_usual =
            USUAL.iter().any(|(usual, of)| *usual == api && value.text().as_deref() == Some(*of));
        let is_off = api == "mobile_redirect" && value.items().iter().all(is_off_redirect);
        let is_ours = settings::setting_facts(api).is_some_and(|facts| facts.plan.is_some());
        if resource.is_complete && (read_only.contains(name) || !is_ours && (is_usual || is_off)) {
            continue;
        }
        let what = format!("{}.settings.{name}", resource.address);
        if let Some(missing) = value.missing() {
            found.refuse(
                findings::UNKNOWN_VALUE,
                &resource.kind,
                &what,
                missing.place,
                &missing.why,
            );
            translations.push(Translation::LeftOut);
            continue;
        }
        // `security_header` and others are blocks with one object.
        let value = match value {
            Term::List(list) if list.len() == 1 && matches!(list[0], Term::Map(_)) => &list[0],
            other => other,
        };
        let value = match (api, without_empty(value)) {
            // The block contains the members of the API's only member.
            ("security_header", Value::Map(members)) => Value::Map(
                [("strict_transport_security".to_owned(), Value::Map(members))]
                    .into_iter()
                    .gather(),
            ),
            (_, value) => value,
        };
        let translation = setting(resource, found, &zone, api, value, &what);
        found.count(&resource.kind, translation);
        translations.push(translation);
    }
    Ok(in_part(resource, &attributes.not_taken(), found)
        .unwrap_or_else(|| Translation::of_all(translations)))
}

/// Returns true for a disabled mobile redirect, which a state contains if the zone has none.
fn is_off_redirect(redirect: &Term) -> bool {
    redirect.get("status").and_then(Term::text).is_none_or(|status| status == "off")
}

/// Translates a `cloudflare_zone_setting` of version 5.
pub(super) fn zone_setting(
    resource: &Resource,
    zones: &Zones<'_>,
    found: &mut ImportResult,
) -> Translated {
    let (attributes, zone) = parts(resource, zones)?;
    let name = attributes.text("setting_id")?.unwrap_or_default();
    let Some(value) = attributes.get("value") else {
        return Err(Refusal::Untranslatable("the setting has no `value`".to_owned()));
    };
    if let Some(missing) = value.missing() {
        return Err(missing.clone().into());
    }
    let translation =
        setting(resource, found, &zone, &name, without_empty(value), &resource.address);
    let is_in_spec = translation == Translation::Whole;
    let in_part = is_in_spec.then(|| in_part(resource, &attributes.not_taken(), found)).flatten();
    found.count(&resource.kind, in_part.unwrap_or(translation));
    Ok(in_part.unwrap_or(translation))
}

/// Adds a setting that a spec can have. Reports any other.
fn setting(
    resource: &Resource,
    found: &mut ImportResult,
    zone: &ZoneName,
    name: &str,
    value: Value,
    what: &str,
) -> Translation {
    let place = resource.place;
    let Some(facts) = settings::setting_facts(name).filter(|facts| facts.plan.is_some()) else {
        let why = "the setting cannot be changed by a spec";
        found.report(findings::NOT_TRANSLATED, what, place, why, None);
        return Translation::LeftOut;
    };
    match setting_value(name, from_json_text(facts.kind, value)) {
        Ok(value) => {
            if found.claim(
                zone,
                claim(resource, what, &format!("the setting `{name}`")),
                &format!("{value:?}"),
            ) == Claimed::First
            {
                found.setting(zone, name, value, place);
            }
            Translation::Whole
        }
        Err((why, help)) => {
            found.report(findings::INVALID_IN_SOURCE, what, place, &why, Some(help));
            Translation::LeftOut
        }
    }
}

/// Parses the text that `jsonencode` made of a value if the setting is an object or a list. Other
/// settings are plain texts.
fn from_json_text(kind: SettingKind, value: Value) -> Value {
    let is_structured = matches!(kind, SettingKind::Object(_) | SettingKind::Words(_));
    match &value {
        Value::Text(text) if is_structured => {
            let decoded =
                serde_json::from_str(text).map(|json| without_empty(&Term::from_json(&json)));
            decoded.unwrap_or(value)
        }
        _ => value,
    }
}

/// Removes empty and null members from a value, at any depth.
fn without_empty(value: &Term) -> Value {
    match value {
        Term::Map(map) => {
            // Blocks with one object.
            let inner = |value: &Term| match value {
                Term::List(list) if list.len() == 1 && matches!(list[0], Term::Map(_)) => {
                    without_empty(&list[0])
                }
                other => without_empty(other),
            };
            let members = map.iter().filter(|(_, value)| !value.is_empty());
            let members = members.map(|(name, value)| (name.clone(), inner(value)));
            Value::Map(
                members
                    .filter(|(_, value)| !matches!(value, Value::Map(of) if of.is_empty()))
                    .gather(),
            )
        }
        other => other.to_value(),
    }
}

/// Returns the claim of a resource about a thing.
pub(super) fn claim<'r>(resource: &'r Resource, what: &'r str, thing: &'r str) -> Claim<'r> {
    Claim { thing, what, origin: &resource.origin, place: resource.place }
}

/// Counts a resource that is one entry.
fn counted(
    resource: &Resource,
    attributes: &Attributes<'_>,
    found: &mut ImportResult,
) -> Translation {
    let translation =
        in_part(resource, &attributes.not_taken(), found).unwrap_or(Translation::Whole);
    found.count(&resource.kind, translation);
    translation
}
