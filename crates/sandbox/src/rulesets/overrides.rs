//! The parameters of rules that execute a ruleset, with overrides for its rules.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/managed-rulesets/override-managed-ruleset and
//! /deploy-managed-ruleset,
//! developers.cloudflare.com/waf/managed-rules/reference/owasp-core-ruleset/configure-api, read
//! 2026-11-20. Lists that are not empty, and items with one member beside their key: Cloudflare's
//! OpenAPI schema. ASSUMED: texts of refusals without a cited source, and that they have no code.

use serde_json::{Map, Value};

use super::author::{Author, Problems};
use super::ruleset::{Ruleset, id_of};
use super::{catalogue, members, store};
use crate::envelope::{HandlerResult, Problem, Refusal};
use zonewright_model::facts::owasp::ANOMALY_RULE;
use zonewright_model::facts::rulesets::SCORE_ACTIONS;

/// Sensitivity levels of DDoS rules. ASSUMED: accepted in every phase.
const SENSITIVITIES: &[&str] = &["default", "medium", "low", "eoff"];

/// Checks the parameters; returns them with the version that Cloudflare adds.
///
/// # Sources
/// `"version": "latest"` in responses: observed 2025 and 2026. `matched_data` and unknown members
/// are kept: ASSUMED, as clients send back what they read.
pub(super) fn check_execution(
    author: &Author<'_>,
    sent: &Map<String, Value>,
    problems: &mut Problems,
) -> HandlerResult<Map<String, Value>> {
    let id = members::optional_text(sent, "id")?.unwrap_or_default();
    let version = members::optional_text(sent, "version")?.unwrap_or("latest");
    let overrides = members::optional_object(sent, "overrides")?;
    match executed_ruleset(author, id)? {
        Some(target) => {
            if !author.scope.is_entitled_to(id) {
                problems.add(Problem::new(50002, "not entitled to execute this managed ruleset"));
            }
            if let Some(overrides) = overrides {
                check_overrides(&target, overrides, problems)?;
            }
        }
        None => problems.say(format!(
            "'{id}' is not a valid value for id because the ruleset cannot be executed here"
        )),
    }
    let mut kept = Map::new();
    kept.insert("id".to_owned(), id.into());
    kept.insert("version".to_owned(), version.into());
    for (key, value) in sent {
        if !kept.contains_key(key) {
            kept.insert(key.clone(), value.clone());
        }
    }
    Ok(kept)
}

/// Returns the ruleset that a rule would execute: a managed one, or a custom one of the account,
/// for the same phase.
fn executed_ruleset(author: &Author<'_>, id: &str) -> HandlerResult<Option<Ruleset>> {
    let custom = store::get(author.context.connection, author.scope.id(), id)?
        .filter(|r| r.kind == "custom");
    let target = match custom {
        Some(custom) => Some(custom),
        None => catalogue::find_managed_ruleset(author.context, id)?,
    };
    Ok(target.filter(|ruleset| ruleset.phase == author.phase))
}

/// Checks the overrides of a ruleset.
fn check_overrides(
    target: &Ruleset,
    sent: &Map<String, Value>,
    problems: &mut Problems,
) -> HandlerResult<()> {
    members::check_known(sent, &["action", "enabled", "sensitivity_level", "categories", "rules"])?;
    check_effects(sent, problems)?;
    if let Some(items) = members::objects(sent, "categories")? {
        check_list("categories", &items, problems);
        for item in items {
            members::check_known(item, &["category", "action", "enabled", "sensitivity_level"])?;
            let tag = required(item, "category")?;
            check_effects(item, problems)?;
            check_item("category", tag, item, problems);
            if !target.rules.iter().any(|rule| catalogue::tags(rule).any(|t| t == tag)) {
                problems.say(format!(
                    "'{tag}' is not a valid value for category because no rule of the \
                        ruleset has it"
                ));
            }
        }
    }
    if let Some(items) = members::objects(sent, "rules")? {
        check_list("rules", &items, problems);
        let mut rule_ids = Vec::new();
        for item in items {
            members::check_known(
                item,
                &["id", "action", "enabled", "score_threshold", "sensitivity_level"],
            )?;
            let id = required(item, "id")?;
            check_effects(item, problems)?;
            check_item("rule", id, item, problems);
            if !target.rules.iter().any(|rule| id_of(rule) == id) {
                problems.say(format!(
                    "'{id}' is not a valid value for id because the ruleset has no such rule"
                ));
            }
            if rule_ids.contains(&id) {
                problems.say(format!("rule '{id}' is overridden more than once"));
            }
            rule_ids.push(id);
            check_threshold(id, item, problems)?;
        }
    }
    Ok(())
}

fn required<'a>(item: &'a Map<String, Value>, key: &str) -> HandlerResult<&'a str> {
    let refusal = || Refusal::unnumbered(400, format!("{key} is required in overrides"));
    members::optional_text(item, key)?.ok_or_else(refusal)
}

/// Refuses a list of overrides that is empty or has duplicates.
fn check_list(what: &str, items: &[&Map<String, Value>], problems: &mut Problems) {
    if items.is_empty() {
        problems.say(format!("{what} of overrides cannot be empty"));
    }
    if items.iter().enumerate().any(|(n, item)| items[..n].contains(item)) {
        problems.say(format!("{what} of overrides must be unique"));
    }
}

/// Refuses an override that changes nothing.
fn check_item(what: &str, key: &str, item: &Map<String, Value>, problems: &mut Problems) {
    if item.values().filter(|value| !value.is_null()).count() < 2 {
        problems.say(format!("the override of {what} '{key}' must change something"));
    }
}

/// Checks action, `enabled` and sensitivity.
fn check_effects(sent: &Map<String, Value>, problems: &mut Problems) -> HandlerResult<()> {
    members::truth(sent, "enabled")?;
    let words = [("action", SCORE_ACTIONS), ("sensitivity_level", SENSITIVITIES)];
    for (key, allowed) in words {
        if let Some(word) =
            members::optional_text(sent, key)?.filter(|word| !allowed.contains(word))
        {
            problems.say(format!("'{word}' is not a valid value for {key} of overrides"));
        }
    }
    Ok(())
}

/// Checks the threshold, which only one rule has.
fn check_threshold(
    id: &str,
    item: &Map<String, Value>,
    problems: &mut Problems,
) -> HandlerResult<()> {
    let Some(threshold) = members::optional_number(item, "score_threshold")? else { return Ok(()) };
    if id != ANOMALY_RULE {
        problems.say(format!("score_threshold is not possible for rule '{id}'"));
    } else if threshold < 1 {
        problems.say(format!(
            "'{threshold}' is not a valid value for score_threshold because it must be at least 1"
        ));
    }
    Ok(())
}
