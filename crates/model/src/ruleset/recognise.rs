//! Converts a live rule to the form of a spec. A rule that the spec cannot express exactly is kept
//! verbatim.

use std::collections::BTreeMap;

use super::canonical::canonical;
use super::characteristics::counting_error;
use super::compile::compile_rule;
use super::desired::{DesiredRate, DesiredRule, Note, RuleForm, SkipTarget};
use super::live_waf::LiveWaf;
use super::rule::{LiveRule, RuleBody};
use crate::diagnostic::Place;
use crate::facts::phases::{Phase, RuleKind};
use crate::facts::rate_limits::{LONGEST_TIMEOUT, RATE_COLO, RATE_PERIODS};
use crate::facts::rulesets::{RESPONSE_CONTENT_TYPES, RESPONSE_STATUSES};
use crate::fields::Value;
use crate::managed::{Managed, RuleName};
use crate::unmanaged::Unmanaged;
use crate::{ExpressionSetting, parse_expression};

/// Returns a live rule as a spec would declare it, under the given name.
///
/// Compiling the result gives the same rule.
#[must_use]
pub fn recognise_rule(
    live: &LiveRule,
    name: &str,
    phase: Phase,
    waf: &LiveWaf,
    place: Place,
) -> DesiredRule {
    let body = &live.body;
    let typed = rule_form(body, phase, waf, place).map(|form| DesiredRule {
        name: name.to_owned(),
        place,
        when: body.expression().map(|e| (e, place)),
        is_absent: false,
        enabled: body.is_enabled(),
        description: body.description().map(str::to_owned),
        log: recognise_log(body),
        form,
        anchors: Vec::new(),
        note: Note::default(),
        key_places: Vec::new(),
    });
    // A spec with an expression that our parser refuses would be refused too.
    let is_understood = |text: Option<&str>, sees_response: bool| {
        let setting =
            ExpressionSetting { sees_response, ..ExpressionSetting::in_phase(phase.as_str()) };
        text.is_none_or(|text| parse_expression(text, setting).0.is_some())
    };
    let counted = body.rate_limit().and_then(|rate| rate.get("counting_expression"));
    let counted = counted.map(ToString::to_string).filter(|text| !text.is_empty());
    let is_understood =
        is_understood(body.text("expression"), false) && is_understood(counted.as_deref(), true);
    let is_exact = |desired: &DesiredRule| {
        let compiled = compile_rule(desired, phase, (None, Unmanaged::Keep), waf);
        is_understood
            && compiled.problems.is_empty()
            && canonical(&compiled.body) == canonical(body)
    };
    typed.filter(is_exact).unwrap_or_else(|| {
        let mut members = body.members().clone();
        members.remove("ref");
        DesiredRule {
            name: name.to_owned(),
            place,
            when: None,
            is_absent: false,
            enabled: true,
            description: None,
            log: None,
            form: RuleForm::Raw(Value::Map(members)),
            anchors: Vec::new(),
            note: Note::default(),
            key_places: Vec::new(),
        }
    })
}

/// Returns false if hits are not logged; logging is the default.
fn recognise_log(body: &RuleBody) -> Option<bool> {
    let Some(Value::Map(logging)) = body.get("logging") else { return None };
    (body.action() == "skip" && logging.get("enabled") == Some(&Value::Bool(false)))
        .then_some(false)
}

/// Returns the effect of a rule, if a spec can express it.
fn rule_form(body: &RuleBody, phase: Phase, waf: &LiveWaf, place: Place) -> Option<RuleForm> {
    let action = body.action();
    if !phase.facts().actions.contains(&action) || action == "execute" {
        return None;
    }
    match (phase.rules(), action) {
        (RuleKind::Exception | RuleKind::Action, "skip") => {
            recognise_skip(body, waf, place).map(RuleForm::Skip)
        }
        (RuleKind::Exception | RuleKind::Action, _) => {
            Some(RuleForm::Act { action: action.to_owned(), response: recognise_response(body)? })
        }
        (RuleKind::Rate, _) => recognise_rate(body, place).map(RuleForm::Rate),
    }
}

/// Returns a list of texts.
fn text_list(value: &Value) -> Option<Vec<&str>> {
    let Value::List(list) = value else { return None };
    list.iter()
        .map(|item| match item {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// Returns the skipped targets.
fn recognise_skip(body: &RuleBody, waf: &LiveWaf, place: Place) -> Option<Vec<SkipTarget>> {
    let managed = |id: &str| {
        let is = |m: &&Managed| waf.managed(**m).map_or(m.facts().id == id, |c| c.id.0 == id);
        Managed::ALL.iter().find(is).copied()
    };
    let mut targets = Vec::new();
    for (member, value) in body.parameters()? {
        match (member.as_str(), value) {
            ("ruleset", Value::Text(word)) if word == "current" => {
                targets.push(SkipTarget::Everything)
            }
            ("rulesets", list) => {
                let skipped_ruleset = |id: &str| {
                    managed(id)
                        .map_or_else(|| SkipTarget::RulesetId(id.to_owned()), SkipTarget::Ruleset)
                };
                targets.extend(text_list(list)?.into_iter().map(skipped_ruleset));
            }
            ("phases", list) => targets
                .extend(text_list(list)?.into_iter().map(|p| SkipTarget::Phase(p.to_owned()))),
            ("products", list) => targets
                .extend(text_list(list)?.into_iter().map(|p| SkipTarget::Product(p.to_owned()))),
            ("rules", Value::Map(rulesets)) => {
                targets.extend(recognise_skipped_rules(rulesets, waf, &managed, place)?)
            }
            _ => return None,
        }
    }
    (!targets.is_empty()).then_some(targets)
}

/// Returns the single rules that are skipped.
fn recognise_skipped_rules(
    rulesets: &BTreeMap<String, Value>,
    waf: &LiveWaf,
    managed: &dyn Fn(&str) -> Option<Managed>,
    place: Place,
) -> Option<Vec<SkipTarget>> {
    let skipped_rules = |(id, list): (&String, &Value)| {
        let (which, catalogue) = (managed(id)?, waf.catalogue(id)?);
        let name = |id: &str| {
            let number = catalogue.rule(id)?.number.map(|n| RuleName::new(&n.to_string()));
            let unique = number.filter(|n| n.resolve(catalogue).is_ok());
            Some((unique.unwrap_or_else(|| RuleName::new(id)), place))
        };
        Some(SkipTarget::Rules(
            which,
            text_list(list)?.into_iter().map(name).collect::<Option<_>>()?,
        ))
    };
    rulesets.iter().map(skipped_rules).collect()
}

fn recognise_rate(body: &RuleBody, place: Place) -> Option<DesiredRate> {
    let rate = body.rate_limit()?;
    let number = |name: &str| match rate.get(name) {
        Some(Value::Integer(number)) => u32::try_from(*number).ok(),
        _ => None,
    };
    let count = match rate.get("counting_expression") {
        Some(Value::Text(text)) if !text.is_empty() => {
            Some((crate::expression::Expression::reported(text), place))
        }
        _ => None,
    };
    let per = text_list(rate.get("characteristics")?)?;
    // A spec refuses undocumented values. Such a rule stays verbatim.
    let (requests, period) = (number("requests_per_period")?, number("period")?);
    let timeout = number("mitigation_timeout").unwrap_or(0);
    if requests == 0 || !RATE_PERIODS.contains(&period) || timeout > LONGEST_TIMEOUT {
        return None;
    }
    let own_characteristics: Vec<String> =
        per.into_iter().filter(|c| *c != RATE_COLO).map(str::to_owned).collect();
    if own_characteristics
        .iter()
        .enumerate()
        .any(|(i, name)| counting_error(&own_characteristics[..i], name).is_some())
    {
        return None;
    }
    Some(DesiredRate {
        per: own_characteristics,
        requests,
        period,
        action: body.action().to_owned(),
        timeout,
        count,
        to_origin: (rate.get("requests_to_origin") == Some(&Value::Bool(true))).then_some(true),
        response: recognise_response(body)?,
    })
}

/// Returns the response to a blocked request, if any; `None` if a spec would refuse it.
fn recognise_response(body: &RuleBody) -> Option<Option<Value>> {
    let Some(response) = body.parameter("response") else { return Some(None) };
    let Value::Map(members) = response else { return None };
    let is_said = |(name, value): (&String, &Value)| match (name.as_str(), value) {
        ("status_code", Value::Integer(status)) => RESPONSE_STATUSES.contains(status),
        ("content", Value::Text(_)) => true,
        ("content_type", Value::Text(kind)) => RESPONSE_CONTENT_TYPES.contains(&kind.as_str()),
        _ => false,
    };
    (body.action() == "block" && members.len() == 3 && members.iter().all(is_said))
        .then(|| Some(response.clone()))
}
