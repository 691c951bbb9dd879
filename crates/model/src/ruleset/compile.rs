//! Converts a rule of the spec to the definition that is sent to Cloudflare, merged into the live
//! one.

use std::collections::BTreeMap;

use super::desired::{DesiredRate, DesiredRule, RuleForm, SkipTarget};
use super::live_waf::LiveWaf;
use super::rule::RuleBody;
use crate::facts::phases::{Phase, RuleKind};
use crate::facts::rate_limits::RATE_COLO;
use crate::fields::Value;
use crate::managed::{Compiled, Managed, Problem, ProblemKind, Unresolved};
use crate::unmanaged::Unmanaged;

/// Members of a skip rule's parameters that name the skipped targets.
const SKIP_MEMBERS: [&str; 6] = ["ruleset", "rulesets", "rules", "phases", "phase", "products"];

/// Returns the desired definition of a rule. Members that the spec does not set stay as they are.
/// If the section is the complete state, members that have a key in specs get their default.
#[must_use]
pub fn compile_rule(
    desired: &DesiredRule,
    phase: Phase,
    (live, unmanaged): (Option<&RuleBody>, Unmanaged),
    waf: &LiveWaf,
) -> Compiled {
    let mut problems = Vec::new();
    let DesiredRule {
        name,
        place: _,
        when,
        is_absent: _,
        enabled,
        description,
        form,
        log,
        anchors: _,
        note: _,
        key_places: _,
    } = desired;
    if let RuleForm::Raw(raw) = form {
        let mut body = match raw {
            Value::Map(members) => RuleBody::new(members.clone()),
            _ => RuleBody::default(),
        };
        body.set("ref", name.as_str());
        return Compiled { body, problems };
    }
    let mut body = live.cloned().unwrap_or_default();
    if unmanaged == Unmanaged::Prune {
        remove_optional(&mut body);
    }
    if live.is_none() {
        body.set("ref", name.as_str());
        if let Some(words) = description.as_ref() {
            body.set("description", words.as_str());
        }
    } else if let Some(words) = description {
        body.set("description", words.as_str());
    }
    body.set("enabled", *enabled);
    if let Some((when, _)) = when
        && body.expression().as_ref() != Some(when)
    {
        body.set("expression", when.text());
    }
    match form {
        RuleForm::Skip(targets) => {
            set_action(&mut body, "skip");
            set_skip(&mut body, targets, waf, &mut problems);
            // Cloudflare turns logging on if it is not set, so it is always set.
            let is_unsaid = body.get("logging").is_none();
            if log.is_some() || is_unsaid {
                body.set(
                    "logging",
                    Value::Map([("enabled".to_owned(), Value::Bool(log.unwrap_or(true)))].into()),
                );
            }
        }
        RuleForm::Act { action, response } => {
            set_action(&mut body, action);
            set_response(&mut body, response.as_ref());
        }
        RuleForm::Rate(rate) => {
            set_action(&mut body, &rate.action);
            set_response(&mut body, rate.response.as_ref());
            set_rate(&mut body, rate);
        }
        RuleForm::Raw(_) => {}
    }
    debug_assert!(
        phase.rules() != RuleKind::Rate || body.get("ratelimit").is_some(),
        "a rate limiting rule has a rate"
    );
    Compiled { body, problems }
}

/// Removes the members whose keys a spec can leave out.
fn remove_optional(body: &mut RuleBody) {
    body.remove("description");
    body.remove_parameter("response");
    if body.action() == "skip" {
        body.remove("logging");
    }
    if let Some(mut rate) = body.rate_limit().cloned() {
        rate.retain(|name, _| {
            !matches!(name.as_str(), "counting_expression" | "requests_to_origin")
        });
        body.set("ratelimit", Value::Map(rate));
    }
}

/// Sets the action. Parameters belong to one action, so those of another action are removed.
fn set_action(body: &mut RuleBody, action: &str) {
    if body.action() != action {
        body.remove("action_parameters");
        body.set("action", action);
    }
}

/// Sets the response to a blocked request, if the spec has one.
fn set_response(body: &mut RuleBody, response: Option<&Value>) {
    if let Some(response) = response {
        body.set_parameter("response", response.clone());
    }
}

/// Sets the skipped targets.
fn set_skip(
    body: &mut RuleBody,
    targets: &[SkipTarget],
    waf: &LiveWaf,
    problems: &mut Vec<Problem>,
) {
    for member in SKIP_MEMBERS {
        body.remove_parameter(member);
    }
    let id_of = |managed: Managed| {
        waf.managed(managed).map_or_else(|| managed.facts().id.to_owned(), |c| c.id.0.clone())
    };
    let (mut rulesets, mut phases, mut products) = (Vec::new(), Vec::new(), Vec::new());
    let mut rules: BTreeMap<String, Value> = BTreeMap::new();
    for target in targets {
        match target {
            SkipTarget::Everything => body.set_parameter("ruleset", "current"),
            SkipTarget::Ruleset(managed) => rulesets.push(Value::from(id_of(*managed))),
            SkipTarget::RulesetId(id) => rulesets.push(Value::from(id.as_str())),
            SkipTarget::Phase(phase) => phases.push(Value::from(phase.as_str())),
            SkipTarget::Product(product) => products.push(Value::from(product.as_str())),
            SkipTarget::Rules(managed, names) => {
                let mut ids = Vec::new();
                for (name, place) in names {
                    let resolved = waf.managed(*managed).map(|catalogue| name.resolve(catalogue));
                    let kind = match resolved {
                        Some(Ok(rule)) => {
                            ids.push(Value::from(rule.id.0.as_str()));
                            continue;
                        }
                        None => ProblemKind::NoRuleset(*managed),
                        Some(Err(Unresolved::Unknown(near))) => {
                            ProblemKind::UnknownRule(name.to_string(), near)
                        }
                        Some(Err(Unresolved::Ambiguous(all))) => {
                            ProblemKind::AmbiguousRule(name.to_string(), all)
                        }
                    };
                    problems.push(Problem { kind, place: *place });
                }
                rules.insert(id_of(*managed), Value::List(ids));
            }
        }
    }
    for (member, list) in [("rulesets", rulesets), ("phases", phases), ("products", products)] {
        if !list.is_empty() {
            body.set_parameter(member, Value::List(list));
        }
    }
    if !rules.is_empty() {
        body.set_parameter("rules", Value::Map(rules));
    }
}

/// Sets the rate. Unknown members stay.
fn set_rate(body: &mut RuleBody, rate: &DesiredRate) {
    let DesiredRate { per, requests, period, action: _, timeout, count, to_origin, response: _ } =
        rate;
    let mut members = body.rate_limit().cloned().unwrap_or_default();
    let characteristics = std::iter::once(RATE_COLO)
        .chain(per.iter().map(String::as_str).filter(|p| *p != RATE_COLO));
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    set("characteristics", Value::List(characteristics.map(Value::from).collect()));
    set("period", Value::from(*period));
    set("requests_per_period", Value::from(*requests));
    set("mitigation_timeout", Value::from(*timeout));
    match count {
        // Without this member, or with an empty one, the rule's own expression is counted.
        Some((count, _)) if count.text().is_empty() => drop(members.remove("counting_expression")),
        Some((count, _)) => {
            drop(members.insert("counting_expression".to_owned(), Value::from(count.text())))
        }
        None => {}
    }
    if let Some(to_origin) = to_origin {
        members.insert("requests_to_origin".to_owned(), Value::Bool(*to_origin));
    }
    body.set("ratelimit", Value::Map(members));
}
