//! Whether the protection of a zone is as the spec wants it, and what is somebody else's in it is as it was.

use serde_json::Value as Json;

use super::facts::zone;
use super::history::{Protection, Zone};

/// The OWASP ruleset, as the service numbers it for everybody.
const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";

/// Its rule that acts on the score.
const SCORE: &str = "6179ae15870a4bb7b2d480d4843b323c";

const CUSTOM_PHASE: &str = "http_request_firewall_custom";
const MANAGED_PHASE: &str = "http_request_firewall_managed";

/// The rules of a phase of a zone.
fn rules(dump: &Json, name: &str, phase: &str) -> Vec<Json> {
    let rulesets = zone(dump, name).and_then(|zone| zone["rulesets"].as_array());
    let own = rulesets.into_iter().flatten().find(|ruleset| ruleset["phase"] == phase);
    own.and_then(|ruleset| ruleset["rules"].as_array()).cloned().unwrap_or_default()
}

/// Whether a rule runs the OWASP ruleset.
fn runs_owasp(rule: &Json) -> bool {
    rule["action"] == "execute" && rule["action_parameters"]["id"] == OWASP
}

/// What is not as the spec wants it.
pub(super) fn differences(own: &Zone, dump: &Json) -> Vec<String> {
    let Some(Protection { owasp, custom, .. }) = &own.protection else { return Vec::new() };
    let mut found = Vec::new();
    if let Some((paranoia, threshold)) = owasp {
        let all = rules(dump, own.name, MANAGED_PHASE);
        let deployed: Vec<&Json> = all.iter().filter(|rule| runs_owasp(rule)).collect();
        match deployed.as_slice() {
            [one] if is_tuned(one, *paranoia, *threshold) => {}
            other => found.push(format!(
                "{} does not run OWASP at level {paranoia} and threshold {threshold}: {other:?}",
                own.name
            )),
        }
    }
    let all = rules(dump, own.name, CUSTOM_PHASE);
    for (name, host, action) in custom {
        let named: Vec<&Json> = all.iter().filter(|rule| rule["ref"] == *name).collect();
        let is_right = |rule: &Json| {
            rule["expression"] == format!("http.host eq \"{host}\"")
                && rule["action"] == *action
                && rule["enabled"] != false
        };
        if !matches!(named.as_slice(), [one] if is_right(one)) {
            found.push(format!("{} has no rule {name} for {host} that does {action}: {named:?}", own.name));
        }
    }
    found
}

/// Whether a deployment of the OWASP ruleset is on, at this level and with this threshold, and blocks.
fn is_tuned(rule: &Json, paranoia: u8, threshold: u32) -> bool {
    let overrides = &rule["action_parameters"]["overrides"];
    let is_off = |level: u8| {
        let category = format!("paranoia-level-{level}");
        let mut entries = overrides["categories"].as_array().into_iter().flatten();
        entries.any(|entry| entry["category"] == *category && entry["enabled"] == false)
    };
    let score = overrides["rules"].as_array().into_iter().flatten().find(|rule| rule["id"] == SCORE);
    rule["enabled"] != false
        && (2..=4).all(|level| is_off(level) == (level > paranoia))
        && score.is_some_and(|score| score["score_threshold"] == threshold && score["action"] == "block")
}

/// Rules of somebody else that are not as they were, and rules that nobody wanted.
pub(super) fn of_others(own: &Zone, begin: &Json, end: &Json) -> Vec<String> {
    let Some(Protection { owasp, custom, .. }) = &own.protection else { return Vec::new() };
    let is_ours =
        |rule: &Json| (owasp.is_some() && runs_owasp(rule)) || custom.iter().any(|(name, _, _)| rule["ref"] == *name);
    let theirs = |dump: &Json, phase: &str| -> Vec<Json> {
        rules(dump, own.name, phase).into_iter().filter(|rule| !is_ours(rule)).collect()
    };
    let mut found = Vec::new();
    for phase in [CUSTOM_PHASE, MANAGED_PHASE] {
        // With their order, ids, versions and times.
        let (before, after) = (theirs(begin, phase), theirs(end, phase));
        if before != after {
            found.push(format!("rules of somebody else in {} changed: {before:?} to {after:?}", own.name));
        }
    }
    found
}
