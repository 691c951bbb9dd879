//! Writes [`DesiredWaf`] as YAML in the form of a spec.
//!
//! Reading it yields an equal value apart from places. Everything is written in its shortest form:
//! thresholds as words, rules that are only switched under `disable` and `enable`, durations in the
//! largest unit.

use serde_json::{Map, Value as Json, json};

use super::super::write_yaml::{scalar, to_yaml};
use super::rate_limits::{CHARACTERISTICS, duration};
use crate::diagnostic::escape_variables as escape;
use crate::model::expression::{Expression, ExpressionSetting, parse_expression};
use crate::model::facts::rate_limits::RATE_COLO;
use crate::model::facts::rulesets::MANAGED_PHASE;
use crate::model::managed::{Managed, threshold_keyword};
use crate::model::ruleset::{
    AcceptedCause, AcceptedObject, Anchor, DesiredDeployment, DesiredRate, DesiredRule, DesiredWaf,
    Note, Phase, RuleForm, RuleKind, RuleTuning, SkipTarget, Switch, TagTuning, TuningTarget,
};
use crate::model::{Unmanaged, Value};

/// Returns the content of a `waf` section as YAML, without the key.
#[must_use]
pub fn print_waf(desired: &DesiredWaf) -> String {
    to_yaml(&waf(desired))
}

/// A mapping under construction.
#[derive(Default)]
struct Parts(Map<String, Json>);

impl Parts {
    /// Adds a key if there is a value.
    fn put(&mut self, key: &str, value: Option<impl Into<Json>>) {
        if let Some(value) = value {
            self.0.insert(key.to_owned(), value.into());
        }
    }

    /// Adds a list if it is not empty.
    fn list(&mut self, key: &str, items: Vec<Json>) {
        self.put(key, Some(items).filter(|i| !i.is_empty()));
    }

    /// Adds the reason, owner and expiry of an entry.
    fn note(&mut self, note: &Note) {
        let Note { reason, owner, expires, is_expired: _, days_left: _, expires_soon: _ } = note;
        self.put("reason", reason.as_deref().map(escape));
        self.put("owner", owner.as_deref().map(escape));
        self.put("expires", expires.clone());
    }
}

/// Returns a `waf` section.
pub(in crate::spec) fn waf(desired: &DesiredWaf) -> Json {
    let DesiredWaf { place: _, unmanaged, deployments, lists, accept_weakening, accept } = desired;
    let mut parts = Parts::default();
    parts.put("unmanaged", (*unmanaged == Unmanaged::Prune).then_some("prune"));
    parts.put("accept_weakening", accept_weakening.as_ref().map(|(words, _)| escape(words)));
    parts.list("accept", accept.iter().map(accepted_cause).collect());
    for desired in deployments {
        parts.put(desired.ruleset.key(), Some(deployment_entry(desired)));
    }
    for phase in Phase::in_spec() {
        let list = lists.get(&phase);
        parts.put(
            phase.key(),
            list.map(|list| list.iter().map(|r| rule_entry(r, phase)).collect::<Vec<_>>()),
        );
    }
    Json::Object(parts.0)
}

/// Returns an item of `accept`.
fn accepted_cause(accepted: &AcceptedCause) -> Json {
    let AcceptedCause { object, ruleset, note, place: _ } = accepted;
    let mut parts = Parts::default();
    match object {
        AcceptedObject::Rule { name, is } => {
            parts.put("rule", Some(escape(name)));
            let skip = match is.get("action_parameters") {
                Some(Value::Map(members)) if is_everything(members) => json!("everything"),
                Some(parameters) => scalar(parameters),
                None => Json::Null,
            };
            let scope =
                is.expression().map_or_else(|| "all".to_owned(), |expression| when(&expression));
            parts.put("is", Some(json!({ "when": scope, "skip": skip })));
        }
        AcceptedObject::Key { name, is } => {
            parts.put("key", Some(escape(name)));
            let value = match name.as_str() {
                "threshold" => {
                    is.parse::<u32>().map_or_else(|_| json!(escape(is)), |number| json!(number))
                }
                "enabled" => json!(false),
                _ => json!(escape(is)),
            };
            parts.put("is", Some(value));
        }
        AcceptedObject::Override { name, is } => {
            parts.put("override", Some(rule_name(name.as_str())));
            parts.put("is", Some(escape(is)));
        }
    }
    parts.put("ruleset", ruleset.map(Managed::key));
    parts.note(note);
    Json::Object(parts.0)
}

/// Returns true if the parameters of a skip rule mean `everything`.
fn is_everything(parameters: &std::collections::BTreeMap<String, Value>) -> bool {
    parameters.len() == 1 && parameters.get("ruleset") == Some(&Value::from("current"))
}

/// Returns the text of `when`.
fn when(expression: &Expression) -> String {
    if expression.canonical() == "true" { "all".to_owned() } else { escape(expression.text()) }
}

/// Returns a managed ruleset as the value of its key.
#[must_use]
pub fn deployment_entry(desired: &DesiredDeployment) -> Json {
    let DesiredDeployment {
        ruleset,
        place: _,
        switch,
        when: scope,
        version,
        paranoia,
        threshold,
        action,
        tags,
        rules,
        raw,
    } = desired;
    if *switch == Switch::Off {
        return json!("off");
    }
    let mut parts = Parts::default();
    parts.put("paranoia", paranoia.map(|(level, _)| level.level()));
    parts.put(
        "threshold",
        threshold.map(|(n, _)| threshold_keyword(n).map_or_else(|| json!(n), |word| json!(word))),
    );
    parts.put("action", action.map(|(action, _)| action.as_str()));
    if let Some((expression, _)) = scope {
        let setting = ExpressionSetting::in_phase(MANAGED_PHASE);
        let is_understood = parse_expression(expression.text(), setting).0.is_some();
        match is_understood {
            true => parts.put("when", Some(when(expression))),
            false => parts.put("expression", Some(escape(expression.text()))),
        }
    }
    parts.put("version", version.as_ref().map(|(version, _)| escape(version)));
    let (mut disable, mut enable, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for RuleTuning { target, enabled, action, note, place: _ } in rules {
        let mut entry = Parts::default();
        match target {
            TuningTarget::Rule(name) => entry.put("rule", Some(rule_name(name.as_str()))),
            TuningTarget::Tag(tag) => entry.put("tag", Some(escape(tag))),
        }
        let list = match (enabled, action) {
            (Some(false), None) => &mut disable,
            (Some(true), None) => &mut enable,
            (enabled, action) => {
                entry.put("enabled", *enabled);
                entry.put("action", action.as_deref());
                &mut others
            }
        };
        entry.note(note);
        list.push(Json::Object(entry.0));
    }
    let mut ordered = Vec::new();
    for TagTuning { tag, enabled, action, note, place: _ } in tags {
        let mut entry = Parts::default();
        entry.put("tag", Some(escape(tag)));
        // Only one of the rulesets has an ordered list. In the other, no rule has two of the tags.
        let list = match (ruleset, enabled) {
            (Managed::Owasp, Some(true)) => &mut enable,
            (Managed::Owasp, _) => &mut disable,
            (Managed::Cloudflare, _) => &mut ordered,
        };
        if *ruleset == Managed::Owasp {
            entry.put("future", Some(true));
        } else {
            entry.put("enabled", *enabled);
            entry.put("action", action.as_deref());
        }
        entry.note(note);
        list.push(Json::Object(entry.0));
    }
    parts.list("tags", ordered);
    parts.list("rules", others);
    parts.list("disable", disable);
    parts.list("enable", enable);
    parts.put("raw", raw.as_ref().map(|(value, _)| scalar(value)));
    if parts.0.is_empty() { json!("on") } else { Json::Object(parts.0) }
}

/// Returns the name of a rule. Numbers are written as numbers.
pub(in crate::spec) fn rule_name(name: &str) -> Json {
    match name.parse::<u32>() {
        Ok(number) if number.to_string() == name => json!(number),
        _ => json!(escape(name)),
    }
}

/// Returns a named rule as an item of the list of its phase.
#[must_use]
pub fn rule_entry(desired: &DesiredRule, phase: Phase) -> Json {
    let DesiredRule {
        name,
        place: _,
        when: scope,
        is_absent,
        enabled,
        description,
        form,
        log,
        anchors,
        note,
        key_places: _,
    } = desired;
    let mut parts = Parts::default();
    parts.put("name", Some(escape(name)));
    if *is_absent {
        parts.put("state", Some("absent"));
        parts.note(note);
        return Json::Object(parts.0);
    }
    parts.put("when", scope.as_ref().map(|(expression, _)| when(expression)));
    match form {
        RuleForm::Skip(targets) => {
            // Exceptions only skip, so their action is not written.
            parts.put("action", (phase.rules() != RuleKind::Exception).then_some("skip"));
            parts.put("skip", Some(skip_value(targets)));
        }
        RuleForm::Act { action, response } => {
            parts.put("action", Some(action.as_str()));
            parts.put("response", response.as_ref().map(scalar));
        }
        RuleForm::Rate(desired) => put_rate(&mut parts, desired),
        RuleForm::Raw(value) => parts.put("raw", Some(scalar(value))),
    }
    parts.put("log", *log);
    parts.put("state", is_absent.then_some("absent"));
    parts.put("enabled", (!enabled).then_some(false));
    parts.put("description", description.as_deref().map(escape));
    parts.note(note);
    for anchor in anchors {
        match anchor {
            Anchor::Before(name, _) => parts.put("before", Some(escape(name))),
            Anchor::After(name, _) => parts.put("after", Some(escape(name))),
        }
    }
    Json::Object(parts.0)
}

/// Returns the value of `skip`.
fn skip_value(targets: &[SkipTarget]) -> Json {
    if let [SkipTarget::Everything] = targets {
        return json!("everything");
    }
    let mut parts = Parts::default();
    let (mut rulesets, mut phases, mut products) = (Vec::new(), Vec::new(), Vec::new());
    for target in targets {
        match target {
            SkipTarget::Everything => parts.put("everything", Some(true)),
            SkipTarget::Ruleset(managed) => rulesets.push(json!(managed.key())),
            SkipTarget::RulesetId(id) => rulesets.push(json!(id)),
            SkipTarget::Rules(managed, names) => {
                parts.list(
                    managed.key(),
                    names.iter().map(|(name, _)| rule_name(name.as_str())).collect(),
                );
            }
            SkipTarget::Phase(phase) => phases.push(json!(phase)),
            SkipTarget::Product(product) => products.push(json!(product)),
        }
    }
    if let [one] = rulesets.as_slice() {
        parts.put("ruleset", Some(one.clone()));
    } else {
        parts.list("rulesets", rulesets);
    }
    parts.list("phases", phases);
    parts.list("products", products);
    Json::Object(parts.0)
}

fn put_rate(parts: &mut Parts, desired: &DesiredRate) {
    let DesiredRate { per, requests, period, action, timeout, count, to_origin, response } =
        desired;
    let word = |name: &String| {
        let keyword = CHARACTERISTICS
            .iter()
            .find(|(_, keyword)| keyword == name)
            .map(|(word, _)| (*word).to_owned());
        json!(keyword.unwrap_or_else(|| escape(name)))
    };
    let per: Vec<Json> =
        if per.is_empty() { vec![json!(RATE_COLO)] } else { per.iter().map(word).collect() };
    parts.list("per", per);
    parts.put("limit", Some(format!("{requests} in {}", duration(*period))));
    let action_text = if *timeout == 0 && action != "block" {
        action.clone()
    } else {
        format!("{action} for {}", duration(*timeout))
    };
    parts.put("then", Some(action_text));
    parts.put("count", count.as_ref().map(|(expression, _)| escape(expression.text())));
    parts.put("to_origin", *to_origin);
    parts.put("response", response.as_ref().map(scalar));
}
