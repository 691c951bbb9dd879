//! The protection of a zone: in the spec, in the sandbox, and whether the result is correct.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::facts::zone;
use super::history::{Zone, zone_id};

/// The OWASP ruleset, as Cloudflare numbers it for everybody.
const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";

/// Its rule that acts on the score.
const SCORE: &str = "6179ae15870a4bb7b2d480d4843b323c";

const CUSTOM_PHASE: &str = "http_request_firewall_custom";
const MANAGED_PHASE: &str = "http_request_firewall_managed";

/// A rule: its ref, the host that it concerns, its action.
pub(crate) type Rule = (&'static str, &'static str, &'static str);

/// The protection of a zone.
#[derive(Debug, Clone)]
pub(crate) struct Protection {
    /// Protection that the spec wants.
    pub(crate) wanted: Option<Waf>,
    /// Protection that the previous spec wanted.
    pub(crate) before: Option<Waf>,
    /// Custom rules that the sandbox has.
    pub(crate) existing: Vec<Rule>,
    /// True if the OWASP ruleset runs already, untuned.
    pub(crate) is_deployed: bool,
}

/// A `waf` section of a spec.
#[derive(Debug, Clone)]
pub(crate) struct Waf {
    /// Paranoia level and threshold of the OWASP ruleset.
    pub(crate) owasp: Option<(u8, u32)>,
    /// Custom rules.
    pub(crate) custom: Vec<Rule>,
}

impl Waf {
    /// Writes the section of a spec.
    pub(super) fn write(&self, text: &mut String) {
        let mut line = |words: std::fmt::Arguments| {
            writeln!(text, "{words}").expect("a text takes everything")
        };
        let is_empty = self.owasp.is_none() && self.custom.is_empty();
        line(format_args!("    waf:{}", if is_empty { " {}" } else { "" }));
        if let Some((paranoia, threshold)) = self.owasp {
            line(format_args!(
                "      owasp: {{ paranoia: {paranoia}, threshold: {threshold}, action: block }}"
            ));
        }
        if !self.custom.is_empty() {
            line(format_args!("      custom:"));
        }
        for (name, host, action) in &self.custom {
            let when = format!("http.host eq \"{host}\"");
            line(format_args!(
                "        - {{ name: {name}, when: '{when}', action: {action}, reason: a history }}"
            ));
        }
    }

    /// Returns true if it names a rule.
    fn names(&self, rule: &Json) -> bool {
        self.custom.iter().any(|(name, _, _)| rule["ref"] == *name)
    }
}

impl Protection {
    /// Returns the rulesets as the sandbox plants them.
    pub(super) fn document(&self, zone: &str) -> Json {
        let mut rulesets = Vec::new();
        let ruleset = |phase: &str, rules: Vec<Json>| {
            let id = zone_id(&format!("{phase}{zone}").split_off(22));
            json!({ "id": id, "kind": "zone", "name": "default", "phase": phase, "rules": rules })
        };
        if !self.existing.is_empty() {
            let rule = |(name, host, action): &Rule| {
                let expression = format!("http.host eq \"{host}\"");
                json!({ "ref": name, "action": action, "expression": expression, "description": "theirs", "enabled": true })
            };
            rulesets.push(ruleset(CUSTOM_PHASE, self.existing.iter().map(rule).collect()));
        }
        if self.is_deployed {
            rulesets.push(ruleset(
                MANAGED_PHASE,
                vec![json!({
                    "action": "execute", "expression": "true", "enabled": true, "description": "OWASP",
                    "action_parameters": { "id": OWASP, "version": "latest" }
                })],
            ));
        }
        rulesets.into()
    }
}

/// Returns the rules of a phase of a zone.
fn rules(dump: &Json, name: &str, phase: &str) -> Vec<Json> {
    let rulesets = zone(dump, name).and_then(|zone| zone["rulesets"].as_array());
    let own = rulesets.into_iter().flatten().find(|ruleset| ruleset["phase"] == phase);
    own.and_then(|ruleset| ruleset["rules"].as_array()).cloned().unwrap_or_default()
}

/// Returns true if a rule runs the OWASP ruleset.
fn runs_owasp(rule: &Json) -> bool {
    rule["action"] == "execute" && rule["action_parameters"]["id"] == OWASP
}

/// Returns what is not as the spec wants it.
pub(super) fn differences(own: &Zone, dump: &Json, has_base: bool) -> Vec<String> {
    let Some(Protection { wanted, before, .. }) = &own.protection else { return Vec::new() };
    let mut found = Vec::new();
    let all = rules(dump, own.name, CUSTOM_PHASE);
    if let Some((paranoia, threshold)) = wanted.as_ref().and_then(|waf| waf.owasp) {
        let managed = rules(dump, own.name, MANAGED_PHASE);
        let deployed: Vec<&Json> = managed.iter().filter(|rule| runs_owasp(rule)).collect();
        match deployed.as_slice() {
            [one] if is_tuned(one, paranoia, threshold) => {}
            other => found.push(format!(
                "{} does not run OWASP at level {paranoia} and threshold {threshold}: {other:?}",
                own.name
            )),
        }
    }
    for (name, host, action) in wanted.iter().flat_map(|waf| &waf.custom) {
        let named: Vec<&Json> = all.iter().filter(|rule| rule["ref"] == *name).collect();
        let is_right = |rule: &Json| {
            rule["expression"] == format!("http.host eq \"{host}\"")
                && rule["action"] == *action
                && rule["enabled"] != false
        };
        if !matches!(named.as_slice(), [one] if is_right(one)) {
            found.push(format!(
                "{} has no rule {name} for {host} that does {action}: {named:?}",
                own.name
            ));
        }
    }
    let was_named = |rule: &Json| has_base && before.as_ref().is_some_and(|waf| waf.names(rule));
    let is_named = |rule: &Json| wanted.as_ref().is_some_and(|waf| waf.names(rule));
    let given_up = all.iter().filter(|rule| was_named(rule) && !is_named(rule));
    found.extend(given_up.map(|rule| format!("{} still has the rule {rule}", own.name)));
    found
}

/// Returns true if a deployment of the OWASP ruleset is on, at this level and with this threshold,
/// and blocks.
fn is_tuned(rule: &Json, paranoia: u8, threshold: u32) -> bool {
    let overrides = &rule["action_parameters"]["overrides"];
    let is_off = |level: u8| {
        let category = format!("paranoia-level-{level}");
        let mut entries = overrides["categories"].as_array().into_iter().flatten();
        entries.any(|entry| entry["category"] == *category && entry["enabled"] == false)
    };
    let score =
        overrides["rules"].as_array().into_iter().flatten().find(|rule| rule["id"] == SCORE);
    rule["enabled"] != false
        && (2..=4).all(|level| is_off(level) == (level > paranoia))
        && score.is_some_and(|score| {
            score["score_threshold"] == threshold && score["action"] == "block"
        })
}

/// Returns changed rules of someone else, and rules that neither the spec nor someone else wanted.
pub(super) fn foreign_rules(own: &Zone, begin: &Json, end: &Json, has_base: bool) -> Vec<String> {
    let Some(Protection { wanted, before, .. }) = &own.protection else { return Vec::new() };
    let specs = || wanted.iter().chain(before.iter().filter(|_| has_base));
    let runs_ours =
        |rule: &Json| runs_owasp(rule) && wanted.as_ref().is_some_and(|waf| waf.owasp.is_some());
    let theirs = |dump: &Json, phase: &str| -> Vec<Json> {
        let all = rules(dump, own.name, phase).into_iter();
        all.filter(|rule| !runs_ours(rule) && !specs().any(|waf| waf.names(rule))).collect()
    };
    let mut found = Vec::new();
    for phase in [CUSTOM_PHASE, MANAGED_PHASE] {
        // With their order, ids, versions and times.
        let (before, after) = (theirs(begin, phase), theirs(end, phase));
        if before != after {
            found.push(format!(
                "rules of someone else in {} changed: {before:?} to {after:?}",
                own.name
            ));
        }
    }
    found
}
