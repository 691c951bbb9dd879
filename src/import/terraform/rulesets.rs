//! `cloudflare_ruleset`, and the firewall rules of the old API.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use super::Resource;
use super::not_imported::{Refusal, refuse};
use super::value::Term;
use super::zones::Zones;
use crate::diagnostic::findings;
use crate::import::import_result::{ImportResult, Translation};
use crate::model::facts::rulesets::{REF_CHARACTERS, is_ref};
use crate::model::ruleset::{LiveRule, Phase};
use crate::model::{Gather, ZoneName, sort_by_key};
use crate::wire::ruleset::read_ruleset;

/// Members that version 4 writes as a block and the API as an object.
const OBJECTS: &[&str] =
    &["action_parameters", "ratelimit", "logging", "exposed_credential_check", "overrides", "response", "matched_data"];
/// Numbers that are 0 in a state where the code is silent.
const ZERO_IS_UNSET: &[&str] = &["score_threshold", "score_per_period", "requests_per_period", "period", "status_code"];

/// `cloudflare_ruleset`.
pub(super) fn ruleset(resource: &Resource, zones: &Zones<'_>, found: &mut ImportResult) -> Result<(), Refusal> {
    let values = &resource.values;
    let rules = values.get("rules").map(Term::items).unwrap_or_default();
    let phase_name = match values.get("phase") {
        Some(Term::Missing(missing)) => return Err(missing.clone().into()),
        phase => phase.and_then(Term::text).unwrap_or_default(),
    };
    let Some(phase) = Phase::ALL.iter().copied().find(|phase| phase.as_str() == phase_name) else {
        return Err(Refusal::Untranslatable(format!(
            "it has {} of the phase `{phase_name}`, which a spec does not manage",
            count(rules.len())
        )));
    };
    if values.get("account_id").is_some() && values.get("zone_id").is_none() {
        return Err(Refusal::Untranslatable(format!(
            "it is a ruleset of the account with {}; a spec manages the rulesets of zones",
            count(rules.len())
        )));
    }
    if let Some(kind) = values.get("kind").and_then(Term::text).filter(|kind| kind != "zone") {
        return Err(Refusal::Untranslatable(format!("its kind is `{kind}`; a spec manages entry points of zones")));
    }
    let zone = zones.of(resource)?;
    let mut translated = Vec::new();
    for (n, rule) in rules.iter().enumerate() {
        if let Some(missing) = rule.missing() {
            // A ruleset of which one rule is left out protects less, so it is refused as a whole.
            return Err(missing.clone().into());
        }
        translated.push(self::rule(rule, &resource.kind, &format!("{}-{}", resource.address, n + 1), found));
    }
    let mut refs = BTreeSet::new();
    for own in translated.iter().filter_map(|rule| rule.get("ref")?.as_str()) {
        if !is_ref(own) {
            return Err(Refusal::Invalid(format!("the `ref` `{own}` of a rule has characters that no spec can name")));
        }
        if !refs.insert(own) {
            return Err(Refusal::Invalid(format!("two of its rules have the `ref` `{own}`")));
        }
    }
    add(&zone, phase, translated, found).map_err(Refusal::Invalid)?;
    found.count(&resource.kind, Translation::Whole);
    Ok(())
}

/// A number of rules.
fn count(n: usize) -> String {
    if n == 1 { "1 rule".to_owned() } else { format!("{n} rules") }
}

/// Adds rules in Cloudflare's JSON.
pub(super) fn add(zone: &ZoneName, phase: Phase, rules: Vec<Json>, found: &mut ImportResult) -> Result<(), String> {
    let ruleset = read_ruleset(&json!({ "id": phase.as_str(), "rules": rules })).map_err(|error| error.to_string())?;
    let rules: Vec<LiveRule> = ruleset.rules;
    found.rules(zone, phase, rules);
    Ok(())
}

/// The `ref` of a rule for which the code has neither a `ref` nor a description: its address, in characters that a spec can name.
pub(super) fn reference(kind: &str, address: &str, found: &mut ImportResult) -> String {
    let name = address.strip_prefix(kind).and_then(|rest| rest.strip_prefix('.')).unwrap_or(address);
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    // Leaves characters for a number, where two addresses differ in punctuation only.
    let name: String = words.collect::<Vec<_>>().join("-").chars().take(REF_CHARACTERS - 8).collect();
    let name = match name.trim_end_matches('-') {
        "" => "rule",
        name => name,
    };
    found.distinct_reference(name)
}

/// A rule as the API has it.
fn rule(rule: &Term, kind: &str, id: &str, found: &mut ImportResult) -> Json {
    let mut json = object(rule);
    if let Some(members) = json.as_object_mut() {
        let own = members.get("id").and_then(Json::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
        // Code knows no ids, so an unnamed rule is called like its resource.
        if own.is_none() && !members.contains_key("ref") && !members.contains_key("description") {
            members.insert("ref".to_owned(), json!(reference(kind, id, found)));
        }
        members.insert("id".to_owned(), json!(own.unwrap_or_else(|| id.to_owned())));
        for name in ["version", "last_updated"] {
            members.remove(name);
        }
        members.entry("enabled").or_insert(json!(true));
    }
    json
}

/// An object without its empty members; blocks of which there can be one are objects.
fn object(term: &Term) -> Json {
    let Term::Map(map) = term else { return term.to_json() };
    let mut out = Map::new();
    for (name, value) in map.iter().filter(|(_, value)| !value.is_empty()) {
        if ZERO_IS_UNSET.contains(&name.as_str()) && value.number() == Some(0.0) {
            continue;
        }
        match (name.as_str(), value) {
            // `enabled` and `disabled` in early versions of the provider.
            ("status", Term::Text(status)) if matches!(status.as_str(), "enabled" | "disabled") => {
                out.insert("enabled".to_owned(), json!(status == "enabled"));
            }
            (name, Term::List(list)) if OBJECTS.contains(&name) && list.len() == 1 => {
                out.insert(name.to_owned(), object(&list[0]));
            }
            // Rules to skip, by ruleset: a list, which version 4 joins with commas.
            ("rules", Term::Map(by_ruleset)) => {
                let ids = |value: &Term| -> Json {
                    let texts: Vec<String> = value.items().iter().filter_map(Term::text).collect();
                    texts.iter().flat_map(|text| text.split(',')).map(|id| json!(id.trim())).collect()
                };
                out.insert(
                    name.clone(),
                    by_ruleset.iter().map(|(id, list)| (id.clone(), ids(list))).collect::<Map<_, _>>().into(),
                );
            }
            (name, Term::List(list)) => {
                out.insert(name.to_owned(), list.iter().map(object).collect());
            }
            (name, value) => {
                out.insert(name.to_owned(), object(value));
            }
        }
    }
    out.into()
}

/// A firewall rule of the old API.
pub(super) struct FirewallRule<'r> {
    /// Its zone.
    pub(super) zone: ZoneName,
    /// The resource.
    pub(super) resource: &'r Resource,
}

/// The order in which the old API tried actions of equal priority.
///
/// # Sources
/// developers.cloudflare.com/firewall/cf-firewall-rules/actions (action precedence), read 2026-11-22.
const ACTIONS: &[(&str, &str)] = &[
    ("log", "log"),
    ("bypass", "skip"),
    ("allow", "skip"),
    ("managed_challenge", "managed_challenge"),
    ("challenge", "challenge"),
    ("js_challenge", "js_challenge"),
    ("block", "block"),
];

/// A translated firewall rule with its priority and precedence.
type Placed<'r> = ((u32, usize), &'r Resource, Json);

/// Adds firewall rules as custom rules, in the order in which they were tried.
pub(super) fn firewall_rules(rules: &[FirewallRule<'_>], resources: &[Resource], found: &mut ImportResult) {
    let filters: BTreeMap<String, &Resource> = resources
        .iter()
        .filter(|resource| resource.kind == "cloudflare_filter")
        .filter_map(|filter| Some((filter.values.get("id").and_then(Term::text)?, filter)))
        .gather();
    let mut by_zone: BTreeMap<&ZoneName, Vec<Placed<'_>>> = BTreeMap::new();
    for FirewallRule { zone, resource } in rules {
        match firewall_rule(resource, &filters, found) {
            Ok((place, json)) => by_zone.entry(zone).or_default().push((place, resource, json)),
            Err(refusal) => refuse(resource, refusal, found),
        }
    }
    for (zone, mut rules) in by_zone {
        sort_by_key(&mut rules, |(place, ..)| *place);
        for (_, resource, _) in &rules {
            found.count(&resource.kind, Translation::Whole);
            found.leaving.terraform.insert(resource.address.clone(), true);
            let filter = resource.values.get("filter_id").and_then(Term::text).and_then(|id| filters.get(&id).copied());
            found.leaving.terraform.extend(filter.map(|filter| (filter.address.clone(), true)));
        }
        let rules = rules.into_iter().map(|(_, _, json)| json).collect();
        if let Err(why) = add(zone, Phase::Custom, rules, found) {
            found.report(findings::INVALID_IN_SOURCE, zone.as_str(), crate::diagnostic::Place::NOWHERE, &why, None);
        }
    }
}

/// A firewall rule as a custom rule, and its place in the order.
fn firewall_rule(
    resource: &Resource,
    filters: &BTreeMap<String, &Resource>,
    found: &mut ImportResult,
) -> Result<((u32, usize), Json), Refusal> {
    let values = &resource.values;
    if let Some(missing) = values.missing_beside_zone() {
        return Err(missing.clone().into());
    }
    let filter = values.get("filter_id").and_then(Term::text).and_then(|id| filters.get(&id).copied());
    let filter = filter.ok_or_else(|| Refusal::Invalid("its filter is missing".to_owned()))?;
    if let Some(missing) = filter.values.missing_beside_zone() {
        return Err(missing.clone().into());
    }
    let action = values.get("action").and_then(Term::text).unwrap_or_default();
    let Some((precedence, (_, translated))) = ACTIONS.iter().enumerate().find(|(_, (old, _))| *old == action) else {
        return Err(Refusal::Untranslatable(format!("its action is `{action}`")));
    };
    let expression = filter.values.get("expression").and_then(Term::text).unwrap_or_default();
    let is_paused = [values, &filter.values].iter().any(|v| v.get("paused").and_then(Term::truth) == Some(true));
    let mut rule = json!({
        "id": resource.address,
        "action": translated,
        "expression": expression.trim(),
        "enabled": !is_paused,
    });
    let described = [values, &filter.values].iter().find_map(|v| v.get("description").and_then(Term::text));
    match described {
        Some(description) => rule["description"] = json!(description),
        None => rule["ref"] = json!(reference(&resource.kind, &resource.address, found)),
    }
    match action.as_str() {
        "allow" => rule["action_parameters"] = json!({ "ruleset": "current" }),
        "bypass" => {
            let products: Vec<String> =
                values.get("products").map(Term::items).unwrap_or_default().iter().filter_map(Term::text).collect();
            if products.is_empty() || products.iter().any(|product| product == "waf") {
                return Err(Refusal::Untranslatable(
                    "it bypasses the old WAF, which rules can no longer do; write a skip rule".to_owned(),
                ));
            }
            rule["action_parameters"] = json!({ "products": products });
        }
        _ => {}
    }
    let priority = values.get("priority").and_then(Term::whole).filter(|priority| *priority > 0).unwrap_or(u32::MAX);
    Ok(((priority, precedence), rule))
}
