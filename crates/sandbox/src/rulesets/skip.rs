//! The parameters of rules that skip other rules.
//!
//! # Sources
//! Members and their combinations: developers.cloudflare.com/waf/custom-rules/skip/options and
//! /waf/managed-rules/waf-exceptions, read 2026-11-20. Codes 20119 and 20120 with their texts:
//! observed 2025. ASSUMED: the texts of all other refusals, and that they have no code.

use serde_json::{Map, Value};

use super::author::{Author, Problems};
use super::ruleset::id_of;
use super::{catalogue, members};
use crate::envelope::{HandlerResult, Problem};
use zonewright_model::facts::rule_features::RuleFeature;
use zonewright_model::facts::rulesets::{
    BOT_FIGHT_PHASE, CUSTOM_PHASE, SKIP_PHASES, SKIP_PRODUCTS,
};

/// The members.
const MEMBERS: &[&str] = &["ruleset", "rulesets", "rules", "phase", "phases", "products"];

/// Checks the parameters, which are stored as sent.
pub(super) fn check_skip(
    author: &Author<'_>,
    sent: &Map<String, Value>,
    problems: &mut Problems,
) -> HandlerResult<Map<String, Value>> {
    members::check_known(sent, MEMBERS)?;
    if sent.values().all(Value::is_null) {
        problems.say("a skip action must have something to skip");
    }
    for key in ["ruleset", "phase"] {
        if let Some(word) = members::optional_text(sent, key)?.filter(|word| *word != "current") {
            problems.say(format!(
                "'{word}' is not a valid value for {key} because only current is possible"
            ));
        }
    }
    let is_custom = author.phase == CUSTOM_PHASE;
    // For zones only: the page named above.
    if sent.contains_key("phase") && (!is_custom || author.scope.is_account()) {
        problems.say("phase is not possible in this ruleset");
    }
    let has = |key: &str| sent.get(key).is_some_and(|value| !value.is_null());
    if has("rulesets") && (has("ruleset") || has("phases")) {
        problems.say("rulesets cannot be combined with ruleset or phases");
    }
    for (key, list) in [
        ("products", members::optional_texts(sent, "products")?),
        ("phases", members::optional_texts(sent, "phases")?),
    ] {
        let Some(list) = list else { continue };
        // ASSUMED: the same as for lists of overrides.
        if list.is_empty() {
            problems.say(format!("{key} of a skip action cannot be empty"));
        }
        for word in list {
            match key {
                "products" if !(is_custom && SKIP_PRODUCTS.contains(&word)) => {
                    let text = format!("skip action parameter product '{word}' is invalid");
                    problems.add(Problem::new(20119, text));
                }
                "phases" if !can_skip(author, word) => {
                    let text = format!("skip action parameter phase '{word}' is not authorized");
                    problems.add(Problem::new(20120, text));
                }
                _ => {}
            }
        }
    }
    check_managed(author, sent, problems)?;
    Ok(sent.clone())
}

/// Returns true if the author's rules can skip the phase.
///
/// # Sources
/// Only in custom rules, and only some phases: observed as code 20120. ASSUMED: the phase of Super
/// Bot Fight Mode only on the plans that include it, from Pro.
fn can_skip(author: &Author<'_>, phase: &str) -> bool {
    let has_plan = phase != BOT_FIGHT_PHASE || author.scope.has(RuleFeature::SkipOfBotFightMode);
    author.phase == CUSTOM_PHASE && SKIP_PHASES.contains(&phase) && has_plan
}

/// Checks that the managed rulesets and rules to skip exist.
fn check_managed(
    author: &Author<'_>,
    sent: &Map<String, Value>,
    problems: &mut Problems,
) -> HandlerResult<()> {
    let rulesets = members::optional_texts(sent, "rulesets")?.unwrap_or_default();
    if rulesets.is_empty() && sent.get("rulesets").is_some_and(Value::is_array) {
        problems.say("rulesets of a skip action cannot be empty");
    }
    for id in rulesets {
        if catalogue::find_managed_ruleset(author.context, id)?.is_none() {
            problems.say(format!("skip action parameter ruleset '{id}' does not exist"));
        }
    }
    let Some(rules) = members::optional_object(sent, "rules")? else { return Ok(()) };
    if rules.is_empty() {
        problems.say("rules of a skip action cannot be empty");
    }
    for ruleset in rules.keys() {
        let ids = members::optional_texts(rules, ruleset)?.unwrap_or_default();
        let Some(managed) = catalogue::find_managed_ruleset(author.context, ruleset)? else {
            problems.say(format!("skip action parameter ruleset '{ruleset}' does not exist"));
            continue;
        };
        for id in ids {
            if !managed.rules.iter().any(|rule| id_of(rule) == id) {
                problems.say(format!(
                    "skip action parameter rule '{id}' does not exist in ruleset '{ruleset}'"
                ));
            }
        }
    }
    Ok(())
}
