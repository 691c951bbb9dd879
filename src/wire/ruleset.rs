//! Converts rulesets from and to Cloudflare's JSON, and builds the requests for them.
//!
//! A PATCH of a rule *replaces its definition*, unlike a PATCH of a record, which merges: the body
//! must contain every member of the rule that is to be kept. Only a body with nothing but
//! `position` leaves the definition unchanged.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rulesets-api (view, create, update, update-rule,
//! add-rule, delete-rule, dry-run), read 2026-11-20.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::record::value_to_json;
use super::request::segment;
use super::request::{Method, Request};
use super::settings::from_json;
use crate::model::managed::{Catalogue, CatalogueRule, Managed};
use crate::model::ruleset::{LiveRule, LiveRuleset, Phase, Position, RuleBody, RuleId, RulesetId};
use crate::model::{Value, ZoneId};

/// An invalid ruleset in a response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a ruleset in the response has no usable `{0}`")]
pub struct InvalidRuleset(&'static str);

/// The owner of rulesets: an account, or a zone, which also sees those of its account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RulesetOwner {
    Account(String),
    Zone(ZoneId),
}

impl RulesetOwner {
    /// Returns the prefix of its paths.
    fn path(&self) -> String {
        match self {
            Self::Account(id) => format!("/accounts/{}/rulesets", segment(id)),
            Self::Zone(id) => format!("/zones/{}/rulesets", segment(&id.0)),
        }
    }
}

/// Returns the path of a zone's entry point.
fn entry_point_path(zone: &ZoneId, phase: Phase) -> String {
    format!("/zones/{}/rulesets/phases/{}/entrypoint", segment(&zone.0), phase.as_str())
}

/// Returns the path of the rules of a zone's ruleset.
fn rules_path(zone: &ZoneId, ruleset: &RulesetId) -> String {
    format!("/zones/{}/rulesets/{}/rules", segment(&zone.0), segment(&ruleset.0))
}

fn rule_path(zone: &ZoneId, ruleset: &RulesetId, rule: &RuleId) -> String {
    format!("{}/{}", rules_path(zone, ruleset), segment(&rule.0))
}

/// Lists the rulesets of a scope, without their rules, from a cursor on.
#[must_use]
pub fn list_rulesets(scope: &RulesetOwner, cursor: Option<&str>) -> Request {
    let request = Request::new(Method::Get, scope.path());
    match cursor {
        Some(cursor) => request.query("cursor", cursor),
        None => request,
    }
}

/// Reads a ruleset with its rules.
#[must_use]
pub fn get_ruleset(scope: &RulesetOwner, id: &RulesetId) -> Request {
    Request::new(Method::Get, format!("{}/{}", scope.path(), segment(&id.0)))
}

/// Reads the entry point of a zone for a phase.
#[must_use]
pub fn get_entry_point(zone: &ZoneId, phase: Phase) -> Request {
    Request::new(Method::Get, entry_point_path(zone, phase))
}

/// Reads the entry point of an account for a phase.
#[must_use]
pub fn get_account_entry_point(account: &str, phase: Phase) -> Request {
    let scope = RulesetOwner::Account(account.to_owned());
    Request::new(Method::Get, format!("{}/phases/{}/entrypoint", scope.path(), phase.as_str()))
}

/// Creates the entry point of a phase with these rules. It is refused if there is one already (code
/// 20217).
///
/// # Sources
/// developers.cloudflare.com/waf/rate-limiting-rules/create-api ("If the entry point ruleset does
/// not exist"), read 2026-11-22.
#[must_use]
pub fn create_entry_point<'r>(
    zone: &ZoneId,
    phase: Phase,
    rules: impl Iterator<Item = &'r RuleBody>,
) -> Request {
    let rules: Vec<Json> = rules.map(|rule| rule_json(rule).into()).collect();
    let body =
        json!({ "name": "default", "kind": "zone", "phase": phase.as_str(), "rules": rules });
    Request::new(Method::Post, RulesetOwner::Zone(zone.clone()).path()).body(body)
}

/// Replaces all rules of the entry point of a phase, which is created if there is none.
#[must_use]
pub fn replace_entry_point<'r>(
    zone: &ZoneId,
    phase: Phase,
    rules: impl Iterator<Item = &'r RuleBody>,
) -> Request {
    let rules: Vec<Json> = rules.map(|rule| rule_json(rule).into()).collect();
    Request::new(Method::Put, entry_point_path(zone, phase)).body(json!({ "rules": rules }))
}

/// Reads a ruleset of a zone as it was in a version.
#[must_use]
pub fn get_ruleset_version(zone: &ZoneId, ruleset: &RulesetId, version: u64) -> Request {
    let path = RulesetOwner::Zone(zone.clone()).path();
    Request::new(Method::Get, format!("{path}/{}/versions/{version}", segment(&ruleset.0)))
}

/// Adds a rule; without a position, at the end.
#[must_use]
pub fn create_rule(
    zone: &ZoneId,
    ruleset: &RulesetId,
    rule: &RuleBody,
    position: Option<&Position>,
) -> Request {
    Request::new(Method::Post, rules_path(zone, ruleset))
        .body(with_position(rule_json(rule), position))
}

/// Replaces the definition of a rule, and moves it if a position is given.
#[must_use]
pub fn patch_rule(
    zone: &ZoneId,
    ruleset: &RulesetId,
    id: &RuleId,
    rule: &RuleBody,
    position: Option<&Position>,
) -> Request {
    Request::new(Method::Patch, rule_path(zone, ruleset, id))
        .body(with_position(rule_json(rule), position))
}

/// Moves a rule without a change of its definition.
#[must_use]
pub fn move_rule(zone: &ZoneId, ruleset: &RulesetId, id: &RuleId, position: &Position) -> Request {
    Request::new(Method::Patch, rule_path(zone, ruleset, id))
        .body(with_position(Map::new(), Some(position)))
}

/// Deletes a rule.
#[must_use]
pub fn delete_rule(zone: &ZoneId, ruleset: &RulesetId, id: &RuleId) -> Request {
    Request::new(Method::Delete, rule_path(zone, ruleset, id))
}

/// Converts a request to a dry run: Cloudflare checks it in full and stores nothing.
#[must_use]
pub fn dry_run(request: Request) -> Request {
    request.query("dry_run", "true")
}

/// Returns a request that can never take effect. An API with dry runs refuses it because of
/// `dry_run`.
///
/// The rule is empty, so it is refused in any case. Only a refusal that mentions `dry_run` shows
/// that the parameter is supported.
#[must_use]
pub fn dry_run_probe(zone: &ZoneId, phase: Phase, ruleset: Option<&RulesetId>) -> Request {
    let request = match ruleset {
        Some(ruleset) => Request::new(Method::Post, rules_path(zone, ruleset)).body(json!({})),
        None => {
            Request::new(Method::Put, entry_point_path(zone, phase)).body(json!({ "rules": [{}] }))
        }
    };
    request.query("dry_run", "probe")
}

/// Adds a position to a body.
fn with_position(mut body: Map<String, Json>, position: Option<&Position>) -> Json {
    if let Some(position) = position {
        body.insert("position".to_owned(), position_json(position));
    }
    Json::Object(body)
}

/// Returns a position as JSON.
#[must_use]
pub fn position_json(position: &Position) -> Json {
    match position {
        Position::First => json!({ "before": "" }),
        Position::Last => json!({ "after": "" }),
        Position::Before(id) => json!({ "before": id.0 }),
        Position::After(id) => json!({ "after": id.0 }),
        Position::Index(index) => json!({ "index": index }),
    }
}

/// Parses a position.
#[must_use]
pub fn read_position(json: &Json) -> Option<Position> {
    let id = |name: &str| json.get(name).and_then(Json::as_str);
    match (id("before"), id("after"), json.get("index").and_then(Json::as_u64)) {
        (Some(""), None, None) => Some(Position::First),
        (None, Some(""), None) => Some(Position::Last),
        (Some(before), None, None) => Some(Position::Before(RuleId(before.to_owned()))),
        (None, Some(after), None) => Some(Position::After(RuleId(after.to_owned()))),
        (None, None, Some(index)) => usize::try_from(index).ok().map(Position::Index),
        _ => None,
    }
}

/// Returns a rule's definition as JSON, with the most important members first.
#[must_use]
pub fn rule_json(rule: &RuleBody) -> Map<String, Json> {
    const FIRST: [&str; 6] =
        ["ref", "description", "action", "action_parameters", "expression", "enabled"];
    let first = FIRST.iter().filter_map(|name| rule.members().get_key_value(*name));
    let other_members = rule.members().iter().filter(|(name, _)| !FIRST.contains(&name.as_str()));
    first.chain(other_members).map(|(name, value)| (name.clone(), value_to_json(value))).collect()
}

/// Returns the text of a member, if it is not empty.
fn nonempty_text<'j>(json: &'j Json, name: &str) -> Option<&'j str> {
    json.get(name).and_then(Json::as_str).filter(|t| !t.is_empty())
}

/// Returns a version, which is usually a string and sometimes a number.
fn version_text(json: &Json) -> Option<String> {
    match json.get("version")? {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Parses a ruleset of a zone. The key is absent if there are no rules.
///
/// # Errors
/// Fails if the id is missing, the rules are not a list, or a rule is not an object or has no id.
pub fn read_ruleset(json: &Json) -> Result<LiveRuleset, InvalidRuleset> {
    let id = nonempty_text(json, "id").ok_or(InvalidRuleset("id"))?;
    let rules = rule_list(json)?.iter().map(read_rule).collect::<Result<_, _>>()?;
    Ok(LiveRuleset {
        id: RulesetId(id.to_owned()),
        version: version_text(json),
        last_updated: nonempty_text(json, "last_updated").map(str::to_owned),
        rules,
    })
}

/// Returns the rules of a ruleset.
fn rule_list(json: &Json) -> Result<&[Json], InvalidRuleset> {
    match json.get("rules") {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(rules)) => Ok(rules),
        Some(_) => Err(InvalidRuleset("rules")),
    }
}

/// Parses a rule. A `ref` that only repeats the id is dropped.
fn read_rule(json: &Json) -> Result<LiveRule, InvalidRuleset> {
    let Value::Map(mut members) = from_json(json) else { return Err(InvalidRuleset("rules")) };
    let id = nonempty_text(json, "id").ok_or(InvalidRuleset("rules[].id"))?;
    if members.get("ref") == Some(&Value::from(id)) {
        members.remove("ref");
    }
    Ok(LiveRule {
        id: RuleId(id.to_owned()),
        last_updated: nonempty_text(json, "last_updated").map(str::to_owned),
        body: RuleBody::new(members),
    })
}

/// A managed ruleset in a list: its id, name, version and kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRuleset {
    pub id: RulesetId,
    pub name: String,
    pub version: Option<String>,
    /// Its kind, if it has a name in specs.
    pub which: Option<Managed>,
}

/// Returns the managed rulesets of a list, without other rulesets.
#[must_use]
pub fn read_managed(list: &[Json]) -> Vec<ListedRuleset> {
    let listed_ruleset = |json: &Json| {
        let (id, name) =
            (nonempty_text(json, "id")?, nonempty_text(json, "name").unwrap_or_default());
        // Rulesets of other phases have the same names.
        let deployable =
            nonempty_text(json, "phase").is_none_or(|phase| phase == Phase::Managed.as_str());
        (nonempty_text(json, "kind")? == "managed").then(|| ListedRuleset {
            id: RulesetId(id.to_owned()),
            name: name.to_owned(),
            version: version_text(json),
            which: Managed::recognise(id, name).filter(|_| deployable),
        })
    };
    list.iter().filter_map(listed_ruleset).collect()
}

/// A ruleset in a list that belongs to the zone or account itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnRuleset {
    pub id: RulesetId,
    /// `zone`, `root` or `custom`, as Cloudflare wrote it.
    pub kind: String,
    /// The name of its phase.
    pub phase: String,
}

/// Returns the rulesets of a list that Cloudflare does not maintain.
#[must_use]
pub fn read_own(list: &[Json]) -> Vec<OwnRuleset> {
    let own_ruleset = |json: &Json| {
        let (kind, phase) =
            (nonempty_text(json, "kind")?, nonempty_text(json, "phase").unwrap_or_default());
        let id = RulesetId(nonempty_text(json, "id")?.to_owned());
        (kind != "managed").then(|| OwnRuleset {
            id,
            kind: kind.to_owned(),
            phase: phase.to_owned(),
        })
    };
    list.iter().filter_map(own_ruleset).collect()
}

/// Returns the phases for which a zone has an entry point, according to the list of its rulesets.
/// Returns `None` if the list has no ruleset of the managed phases: the credentials may not be
/// allowed to see any.
#[must_use]
pub fn read_listed_phases(list: &[Json]) -> Option<BTreeSet<Phase>> {
    let phase = |json: &Json| {
        Phase::ALL
            .iter()
            .copied()
            .find(|phase| nonempty_text(json, "phase") == Some(phase.as_str()))
    };
    let ours: Vec<(Phase, bool)> = list
        .iter()
        .filter_map(|json| Some((phase(json)?, nonempty_text(json, "kind") == Some("zone"))))
        .collect();
    let entry_points = ours.iter().filter(|(_, is_entry_point)| *is_entry_point);
    (!ours.is_empty()).then(|| entry_points.map(|(phase, _)| *phase).collect())
}

/// Assigns each known name to one ruleset: the one with the documented id, else the first with that
/// name.
pub fn settle_names(listed: &mut [ListedRuleset]) {
    for managed in Managed::ALL {
        let of_it = |r: &ListedRuleset| r.which == Some(*managed);
        let documented = listed.iter().position(|r| of_it(r) && r.id.0 == managed.facts().id);
        let Some(chosen) = documented.or_else(|| listed.iter().position(of_it)) else { continue };
        for (n, ruleset) in listed.iter_mut().enumerate() {
            if n != chosen && ruleset.which == Some(*managed) {
                ruleset.which = None;
            }
        }
    }
}

/// Parses a managed ruleset with its rules.
///
/// # Errors
/// Fails as [`read_ruleset`] does, and for a known ruleset without any rules, because no change
/// could have an effect on it.
pub fn read_catalogue(json: &Json) -> Result<Catalogue, InvalidRuleset> {
    let id = nonempty_text(json, "id").ok_or(InvalidRuleset("id"))?;
    let name = nonempty_text(json, "name").unwrap_or_default();
    let which = Managed::recognise(id, name);
    let rules: Vec<_> =
        rule_list(json)?.iter().map(read_catalogue_rule).collect::<Result<_, _>>()?;
    if which.is_some() && rules.is_empty() {
        return Err(InvalidRuleset("rules"));
    }
    Ok(Catalogue {
        which,
        id: RulesetId(id.to_owned()),
        name: name.to_owned(),
        version: version_text(json).unwrap_or_default(),
        rules: rules.into(),
    })
}

/// Parses a rule of a managed ruleset.
fn read_catalogue_rule(json: &Json) -> Result<CatalogueRule, InvalidRuleset> {
    let id = nonempty_text(json, "id").ok_or(InvalidRuleset("rules[].id"))?;
    let description = nonempty_text(json, "description").unwrap_or_default();
    let digits: String = description
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    let starts = description.starts_with(&digits)
        || json.get("action").and_then(Json::as_str) == Some("score");
    let tags = json.get("categories").and_then(Json::as_array).into_iter().flatten();
    let number =
        |value: Option<&Json>| value.and_then(Json::as_u64).and_then(|n| u32::try_from(n).ok());
    Ok(CatalogueRule {
        id: RuleId(id.to_owned()),
        number: (digits.len() == 6 && starts).then(|| digits.parse().ok()).flatten(),
        description: description.to_owned(),
        tags: tags.filter_map(Json::as_str).map(str::to_owned).collect(),
        enabled: json.get("enabled").and_then(Json::as_bool).unwrap_or(true),
        action: nonempty_text(json, "action").unwrap_or_default().to_owned(),
        score: number(json.pointer("/action_parameters/increment")),
        threshold: number(json.get("score_threshold")),
    })
}
