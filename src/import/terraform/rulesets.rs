//! Translates `cloudflare_ruleset` and the firewall rules of the old API.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use super::Resource;
use super::attributes::Attributes;
use super::not_imported::{Refusal, in_part, refuse};
use super::setting_resources::claim;
use super::value::Term;
use super::zones::Zones;
use crate::diagnostic::{Severity, Sources, findings};
use crate::import::from_live::from_live;
use crate::import::import_result::{Claimed, ImportResult, Translation};
use crate::import::imported::Imported;
use crate::model::facts::rulesets::{REF_CHARACTERS, is_ref};
use crate::model::ruleset::{DesiredWaf, EntryPoint, Phase, RuleId};
use crate::model::{Desired, DesiredZone, Gather, LiveZone, ZoneId, ZoneName, sort_by_key};
use crate::spec::{self, Input};
use crate::wire::ruleset::read_ruleset;

/// Members that are blocks in version 4 and objects in the API.
const OBJECTS: &[&str] = &[
    "action_parameters",
    "ratelimit",
    "logging",
    "exposed_credential_check",
    "overrides",
    "response",
    "matched_data",
];
/// Numbers that are 0 in a state if the code does not set them.
const ZERO_IS_UNSET: &[&str] =
    &["score_threshold", "score_per_period", "requests_per_period", "period", "status_code"];

/// Translates a `cloudflare_ruleset`.
pub(super) fn ruleset(
    resource: &Resource,
    zones: &Zones<'_>,
    found: &mut ImportResult,
) -> Result<Translation, Refusal> {
    let attributes = Attributes::new(resource);
    let rules = attributes.get("rules").map(Term::items).unwrap_or_default();
    let (phase_name, kind) =
        (attributes.text("phase")?.unwrap_or_default(), attributes.text("kind")?);
    // The entry point of a phase has a name that nothing refers to.
    attributes.text("name")?;
    let has_description = attributes.get("description").is_some_and(|value| !value.is_empty());
    let Some(phase) = Phase::ALL.iter().copied().find(|phase| phase.as_str() == phase_name) else {
        return Err(Refusal::Untranslatable(format!(
            "it has {} of the phase `{phase_name}`, which a spec does not manage",
            count(rules.len())
        )));
    };
    if resource.values.get("account_id").is_some() && resource.values.get("zone_id").is_none() {
        return Err(Refusal::Untranslatable(format!(
            "it is a ruleset of the account with {}; a spec manages the rulesets of zones",
            count(rules.len())
        )));
    }
    if let Some(kind) = kind.filter(|kind| kind != "zone") {
        return Err(Refusal::Untranslatable(format!(
            "its kind is `{kind}`; a spec manages entry points of zones"
        )));
    }
    let zone = zones.of(resource)?;
    // A ruleset without one of its rules protects less, so it is refused as a whole.
    if let Some(missing) = rules.iter().find_map(Term::missing) {
        return Err(missing.clone().into());
    }
    let contents: Vec<Json> = rules.iter().map(|rule| without_identity(object(rule))).collect();
    let thing = format!("the rules of the phase `{phase_name}`");
    let claim = found.claim(
        &zone,
        claim(resource, &resource.address, &thing),
        &Json::from(contents).to_string(),
    );
    if claim != Claimed::First {
        // Equal rules can be read twice, for example from a configuration and its state.
        let translation =
            if claim == Claimed::Same { Translation::Whole } else { Translation::LeftOut };
        found.count(&resource.kind, translation);
        return Ok(translation);
    }
    let mut translated = Vec::new();
    for (n, rule) in rules.iter().enumerate() {
        translated.push(self::rule(
            rule,
            &resource.kind,
            &format!("{}-{}", resource.address, n + 1),
            found,
        ));
    }
    let mut refs = BTreeSet::new();
    for own in translated.iter().filter_map(|rule| rule.get("ref")?.as_str()) {
        if !is_ref(own) {
            return Err(Refusal::Invalid(format!(
                "the `ref` `{own}` of a rule has characters that no spec can name"
            )));
        }
        if !refs.insert(own) {
            return Err(Refusal::Invalid(format!("two of its rules have the `ref` `{own}`")));
        }
    }
    let RulesInSpec { all, in_spec, notes } =
        add(&zone, phase, translated, found).map_err(Refusal::Invalid)?;
    let of_rules = match in_spec {
        0 if all > 0 => Translation::LeftOut,
        _ if in_spec < all || !notes.is_empty() => Translation::InPart,
        _ => Translation::Whole,
    };
    let finding =
        if of_rules == Translation::LeftOut { findings::NOT_TRANSLATED } else { findings::IN_PART };
    for (_, note) in notes {
        found.report(finding, &resource.address, resource.place, &note, None);
    }
    let translation = match of_rules {
        Translation::Whole => {
            in_part(resource, &attributes.not_taken(), found).unwrap_or(Translation::Whole)
        }
        Translation::InPart => {
            in_part(resource, &attributes.not_taken(), found).unwrap_or(Translation::InPart)
        }
        Translation::LeftOut => Translation::LeftOut,
    };
    if has_description && translation != Translation::LeftOut {
        let why = "the `description` of the ruleset is not in the spec; it stays at Cloudflare and \
            changes no rule";
        found.report(findings::INFORMS_ONLY, &resource.address, resource.place, why, None);
    }
    found.count(&resource.kind, translation);
    Ok(translation)
}

/// Removes members that only identify a rule.
fn without_identity(mut rule: Json) -> Json {
    if let Some(members) = rule.as_object_mut() {
        ["id", "ref", "version", "last_updated"]
            .iter()
            .for_each(|name| drop(members.remove(*name)));
        if members.get("enabled") == Some(&json!(true)) {
            members.remove("enabled");
        }
    }
    rule
}

/// Returns a number of rules in words.
fn count(n: usize) -> String {
    if n == 1 { "1 rule".to_owned() } else { format!("{n} rules") }
}

/// Number of a resource's rules that a spec has.
pub(super) struct RulesInSpec {
    /// Number of all rules.
    all: usize,
    /// Number of rules that the spec has, completely or in part.
    in_spec: usize,
    /// Content that the spec lacks, each with the id of its rule.
    pub(super) notes: Vec<(RuleId, String)>,
}

/// Adds rules in Cloudflare's JSON.
pub(super) fn add(
    zone: &ZoneName,
    phase: Phase,
    rules: Vec<Json>,
    found: &mut ImportResult,
) -> Result<RulesInSpec, String> {
    let ruleset = read_ruleset(&json!({ "id": phase.as_str(), "rules": rules }))
        .map_err(|error| error.to_string())?;
    let rules = ruleset.rules.clone();
    let mut alone = LiveZone::new(zone.clone(), ZoneId(String::new()));
    let rule_count = ruleset.rules.len();
    alone.waf.entry_points.insert(phase, EntryPoint::Present(ruleset));
    let Imported { zone: zone_in_spec, rule_notes: notes, .. } = from_live(&alone);
    if let Some(why) = spec_error(&zone_in_spec) {
        return Err(format!("a spec with its rules is invalid: {why}"));
    }
    found.rules(zone, phase, rules);
    let lists =
        |waf: &DesiredWaf| waf.deployments.len() + waf.lists.values().map(Vec::len).sum::<usize>();
    let in_spec = zone_in_spec.waf.as_deref().map_or(0, lists);
    Ok(RulesInSpec { all: rule_count, in_spec, notes })
}

/// Returns the first error of a spec with one zone.
fn spec_error(zone: &DesiredZone) -> Option<String> {
    let zones = [(zone.name.clone(), zone.clone())].into();
    let text = spec::print(&Desired { zones, ..Desired::default() });
    let read =
        spec::load(&[Input::Stdin(text)], &spec::Options::default(), &mut Sources::default());
    let mut diagnostics = read.diagnostics.iter();
    diagnostics.find(|found| found.severity == Severity::Error).map(|error| error.detail.clone())
}

/// Returns the `ref` of a rule for which the code has neither a `ref` nor a description: its
/// address, in characters that a spec permits.
pub(super) fn reference(kind: &str, address: &str, found: &mut ImportResult) -> String {
    let name =
        address.strip_prefix(kind).and_then(|rest| rest.strip_prefix('.')).unwrap_or(address);
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    // Shorter than the limit, so that a number fits behind it if two addresses differ only in
    // punctuation.
    let name: String =
        words.collect::<Vec<_>>().join("-").chars().take(REF_CHARACTERS - 8).collect();
    let name = match name.trim_end_matches('-') {
        "" => "rule",
        name => name,
    };
    found.distinct_reference(name)
}

/// Converts a rule to the JSON of the API.
fn rule(rule: &Term, kind: &str, id: &str, found: &mut ImportResult) -> Json {
    let mut json = object(rule);
    if let Some(members) = json.as_object_mut() {
        let id_of_source =
            members.get("id").and_then(Json::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
        // Code has no ids, so an unnamed rule gets the name of its resource.
        if id_of_source.is_none()
            && !members.contains_key("ref")
            && !members.contains_key("description")
        {
            members.insert("ref".to_owned(), json!(reference(kind, id, found)));
        }
        members.insert("id".to_owned(), json!(id_of_source.unwrap_or_else(|| id.to_owned())));
        for name in ["version", "last_updated"] {
            members.remove(name);
        }
        members.entry("enabled").or_insert(json!(true));
    }
    json
}

/// Converts an object without its empty members. Blocks that occur at most once become objects.
fn object(term: &Term) -> Json {
    let Term::Map(map) = term else { return term.to_json() };
    let mut out = Map::new();
    for (name, value) in map.iter().filter(|(_, value)| !value.is_empty()) {
        if ZERO_IS_UNSET.contains(&name.as_str()) && value.number() == Some(0.0) {
            continue;
        }
        match (name.as_str(), value) {
            // Early versions of the provider have `enabled` and `disabled`.
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
                    texts
                        .iter()
                        .flat_map(|text| text.split(','))
                        .map(|id| json!(id.trim()))
                        .collect()
                };
                out.insert(
                    name.clone(),
                    by_ruleset
                        .iter()
                        .map(|(id, list)| (id.clone(), ids(list)))
                        .collect::<Map<_, _>>()
                        .into(),
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
    pub(super) zone: ZoneName,
    pub(super) resource: &'r Resource,
}

/// Precedence of actions in the old API at equal priority.
///
/// # Sources
/// developers.cloudflare.com/firewall/cf-firewall-rules/actions (action precedence), read
/// 2026-11-22.
const ACTIONS: &[(&str, &str)] = &[
    ("log", "log"),
    ("bypass", "skip"),
    ("allow", "skip"),
    ("managed_challenge", "managed_challenge"),
    ("challenge", "challenge"),
    ("js_challenge", "js_challenge"),
    ("block", "block"),
];

/// Attributes of a firewall rule that its translation includes.
const OF_FIREWALL_RULES: &[&str] =
    &["action", "description", "filter_id", "paused", "priority", "products"];
/// Attributes of a filter that the translation of its rule includes. Its `ref` only names the
/// filter.
const OF_FILTERS: &[&str] = &["expression", "paused", "ref"];

/// A translated firewall rule with its priority and precedence.
type Placed<'r> = ((u32, usize), &'r Resource, Json);

/// Adds firewall rules as custom rules, in the order in which the old API tried them.
pub(super) fn firewall_rules(
    rules: &[FirewallRule<'_>],
    resources: &[Resource],
    found: &mut ImportResult,
) {
    let filters: BTreeMap<String, &Resource> = resources
        .iter()
        .filter(|resource| resource.kind == "cloudflare_filter")
        .filter_map(|filter| Some((filter.values.get("id").and_then(Term::text)?, filter)))
        .gather();
    let mut by_zone: BTreeMap<&ZoneName, Vec<Placed<'_>>> = BTreeMap::new();
    let mut translations: BTreeMap<&str, Translation> = BTreeMap::new();
    for FirewallRule { zone, resource } in rules {
        translations.insert(&resource.address, Translation::LeftOut);
        match firewall_rule(resource, &filters, found) {
            Ok((place, json)) => by_zone.entry(zone).or_default().push((place, resource, json)),
            Err(refusal) => refuse(resource, refusal, found),
        }
    }
    for (zone, mut rules) in by_zone {
        sort_by_key(&mut rules, |(place, ..)| *place);
        let (resources, jsons): (Vec<&Resource>, Vec<Json>) =
            rules.into_iter().map(|(_, resource, json)| (resource, json)).unzip();
        let notes = match add(zone, Phase::Custom, jsons, found) {
            Ok(added) => added.notes,
            Err(why) => resources
                .iter()
                .map(|resource| (RuleId(resource.address.clone()), why.clone()))
                .collect(),
        };
        for resource in resources {
            let of_rule = |(id, _): &&(RuleId, String)| id.0 == resource.address;
            let translation = match notes.iter().find(of_rule) {
                Some((_, why)) => {
                    found.report(
                        findings::NOT_TRANSLATED,
                        &resource.address,
                        resource.place,
                        why,
                        None,
                    );
                    Translation::LeftOut
                }
                None => {
                    let untranslated =
                        untranslated_of_firewall_rule(resource, filter_of(resource, &filters));
                    in_part(resource, &untranslated, found).unwrap_or(Translation::Whole)
                }
            };
            found.count(&resource.kind, translation);
            translations.insert(&resource.address, translation);
        }
    }
    for FirewallRule { resource, .. } in rules {
        let is_whole = translations.get(resource.address.as_str()) == Some(&Translation::Whole);
        found.leaving.resource(&resource.address, is_whole);
    }
    report_filters(rules, resources, &filters, &translations, found);
}

/// Returns the attributes of a firewall rule and its filter that the custom rule lacks.
fn untranslated_of_firewall_rule(rule: &Resource, filter: Option<&Resource>) -> Vec<String> {
    let attributes = Attributes::new(rule);
    attributes.take(OF_FIREWALL_RULES);
    let mut untranslated = attributes.not_taken();
    if let Some(filter) = filter {
        let of_filter = Attributes::new(filter);
        of_filter.take(OF_FILTERS);
        // The custom rule has one description: that of the rule, or else that of the filter.
        if rule.values.get("description").is_none() {
            of_filter.take(&["description"]);
        }
        untranslated.extend(of_filter.not_taken().into_iter().map(|name| format!("filter.{name}")));
    }
    untranslated
}

/// Returns the filter of a firewall rule.
fn filter_of<'r>(
    rule: &Resource,
    filters: &BTreeMap<String, &'r Resource>,
) -> Option<&'r Resource> {
    rule.values.get("filter_id").and_then(Term::text).and_then(|id| filters.get(&id).copied())
}

/// Counts filters. The spec has them as part of the rules that use them.
fn report_filters(
    rules: &[FirewallRule<'_>],
    resources: &[Resource],
    filters: &BTreeMap<String, &Resource>,
    translations: &BTreeMap<&str, Translation>,
    found: &mut ImportResult,
) {
    let mut used: BTreeMap<&str, bool> = BTreeMap::new();
    for FirewallRule { resource, .. } in rules {
        let Some(filter) = filter_of(resource, filters) else { continue };
        let is_whole = translations.get(resource.address.as_str()) == Some(&Translation::Whole);
        *used.entry(&filter.address).or_insert(true) &= is_whole;
    }
    for filter in resources.iter().filter(|resource| resource.kind == "cloudflare_filter") {
        let is_whole = used.get(filter.address.as_str()).copied();
        found.leaving.resource(&filter.address, is_whole == Some(true));
        match is_whole {
            Some(true) => found.count(&filter.kind, Translation::Whole),
            Some(false) => {
                let why = "a firewall rule that uses it is not in the spec, or only in part";
                found.refuse(
                    findings::NOT_TRANSLATED,
                    &filter.kind,
                    &filter.address,
                    filter.place,
                    why,
                );
            }
            None => {
                let why = "no firewall rule that is imported uses it";
                found.refuse(
                    findings::NOT_TRANSLATED,
                    &filter.kind,
                    &filter.address,
                    filter.place,
                    why,
                );
            }
        }
    }
}

/// Converts a firewall rule to a custom rule, with its position in the order.
fn firewall_rule(
    resource: &Resource,
    filters: &BTreeMap<String, &Resource>,
    found: &mut ImportResult,
) -> Result<((u32, usize), Json), Refusal> {
    let values = &resource.values;
    if let Some(missing) = values.missing_beside_zone() {
        return Err(missing.clone().into());
    }
    let filter = filter_of(resource, filters)
        .ok_or_else(|| Refusal::Invalid("its filter is missing".to_owned()))?;
    if let Some(missing) = filter.values.missing_beside_zone() {
        return Err(missing.clone().into());
    }
    let action = values.get("action").and_then(Term::text).unwrap_or_default();
    let Some((precedence, (_, translated))) =
        ACTIONS.iter().enumerate().find(|(_, (old, _))| *old == action)
    else {
        return Err(Refusal::Untranslatable(format!("its action is `{action}`")));
    };
    let expression = filter.values.get("expression").and_then(Term::text).unwrap_or_default();
    let is_paused = [values, &filter.values]
        .iter()
        .any(|v| v.get("paused").and_then(Term::truth) == Some(true));
    let mut rule = json!({
        "id": resource.address,
        "action": translated,
        "expression": expression.trim(),
        "enabled": !is_paused,
    });
    let described =
        [values, &filter.values].iter().find_map(|v| v.get("description").and_then(Term::text));
    match described {
        Some(description) => rule["description"] = json!(description),
        None => rule["ref"] = json!(reference(&resource.kind, &resource.address, found)),
    }
    match action.as_str() {
        "allow" => rule["action_parameters"] = json!({ "ruleset": "current" }),
        "bypass" => {
            let products: Vec<String> = values
                .get("products")
                .map(Term::items)
                .unwrap_or_default()
                .iter()
                .filter_map(Term::text)
                .collect();
            if products.is_empty() || products.iter().any(|product| product == "waf") {
                return Err(Refusal::Untranslatable(
                    "it bypasses the old WAF, which rules can no longer do; write a skip rule"
                        .to_owned(),
                ));
            }
            rule["action_parameters"] = json!({ "products": products });
        }
        _ => {}
    }
    let priority = values
        .get("priority")
        .and_then(Term::whole)
        .filter(|priority| *priority > 0)
        .unwrap_or(u32::MAX);
    Ok(((priority, precedence), rule))
}
