//! The canonical form of a rule: two rules are equal exactly if Cloudflare treats them the same.
//!
//! | what | why it makes no difference |
//! |---|---|
//! | `enabled: true`, `description: ""`, members that are `null` | Cloudflare's defaults, or added by it |
//! | `logging.enabled: true` | added by Cloudflare to skip rules, and removed from others |
//! | `action_parameters.version: latest` | added to answers |
//! | empty `overrides`, `categories`, `rules` | not accepted, so equivalent to absent |
//! | the order of rule overrides, skipped rules and rulesets, phases, products, characteristics | sets |
//! | the order of adjacent paranoia levels | no rule has two of them |
//! | `status: enabled` of one override or of all | the old spelling of `enabled: true` |
//! | spellings of an expression | equal by the parsed form |
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/managed-rulesets/override-managed-ruleset and
//! /waf/managed-rules/waf-exceptions/define-api, read 2026-11-20. Cloudflare's additions were
//! observed in responses.

use std::collections::BTreeMap;

use super::rule::RuleBody;
use crate::expression::Expression;
use crate::facts::owasp::PARANOIA_TAGS;
use crate::fields::Value;
use crate::{Gather, sort_by_key};

/// Returns the canonical form of a rule's definition, without its `ref`, which identifies rules and
/// is not compared.
#[must_use]
pub fn canonical(body: &RuleBody) -> RuleBody {
    let mut members = BTreeMap::new();
    for (name, value) in body.members() {
        let value = match name.as_str() {
            "ref" => continue,
            "enabled" if *value == Value::Bool(true) => continue,
            "description" if *value == Value::from("") => continue,
            "expression" => canonical_expression(value),
            "action_parameters" => canonical_parameters(value),
            "logging" => canonical_logging(value),
            "ratelimit" => canonical_rate(value, body.text("expression")),
            _ => without_nulls(value),
        };
        if !is_nothing(&value) {
            members.insert(name.clone(), value);
        }
    }
    RuleBody::new(members)
}

/// Returns the rate limit of the canonical form; `None` if the rule has none. The rest of the rule
/// is not converted, because that would parse its expression.
#[must_use]
pub fn canonical_rate_limit(body: &RuleBody) -> Option<BTreeMap<String, Value>> {
    match canonical_rate(body.get("ratelimit")?, body.text("expression")) {
        Value::Map(members) if !members.is_empty() => Some(members),
        _ => None,
    }
}

/// Returns true if a value is equivalent to absent.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Map(map) => map.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Bool(_) | Value::Integer(_) | Value::Decimal(_) | Value::Text(_) => false,
    }
}

/// Returns the value without members that are null.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let kept = map.iter().filter(|(_, v)| **v != Value::Null);
            Value::Map(kept.map(|(name, v)| (name.clone(), without_nulls(v))).gather())
        }
        Value::List(list) => Value::List(list.iter().map(without_nulls).collect()),
        // A number has many spellings: `2.50`, `25e-1`, `2.5`.
        Value::Decimal(text) => {
            match (text.strip_suffix(".0").unwrap_or(text).parse(), text.parse::<f64>()) {
                (Ok(whole), _) => Value::Integer(whole),
                (Err(_), Ok(number)) => Value::Decimal(number.to_string()),
                (Err(_), Err(_)) => value.clone(),
            }
        }
        _ => value.clone(),
    }
}

/// Returns the canonical text of an expression.
fn canonical_expression(value: &Value) -> Value {
    match value {
        Value::Text(text) => Value::from(Expression::reported(text).canonical()),
        other => other.clone(),
    }
}

/// Returns a list of texts as a set, and other lists unchanged.
fn as_set(value: &Value) -> Value {
    match value {
        Value::List(list) => {
            let mut sorted = list.clone();
            sorted.sort();
            sorted.dedup();
            Value::List(sorted)
        }
        // Older clients wrote lists of ids as text with commas.
        Value::Text(text) if text.contains(',') => {
            as_set(&Value::List(text.split(',').map(|t| Value::from(t.trim())).collect()))
        }
        other => other.clone(),
    }
}

/// Applies a function to the members of a map; members equivalent to absent are removed.
fn map_members(value: &Value, each: impl Fn(&str, &Value) -> Value) -> Value {
    match without_nulls(value) {
        Value::Map(members) => {
            let canonical_member = |(name, value): (String, Value)| {
                let value = each(&name, &value);
                (!is_nothing(&value)).then_some((name, value))
            };
            Value::Map(members.into_iter().filter_map(canonical_member).gather())
        }
        other => other,
    }
}

/// Returns the parameters of an action in canonical form.
fn canonical_parameters(value: &Value) -> Value {
    map_members(value, |name, value| match (name, value) {
        ("version", Value::Text(version)) if version == "latest" => Value::Null,
        ("overrides", value) => canonical_overrides(value),
        ("rulesets" | "phases" | "products", value) => as_set(value),
        // Some clients write a single id without a list.
        ("rules", Value::Map(_)) => map_members(value, |_, ids| match ids {
            Value::Text(text) if !text.contains(',') => {
                Value::List(vec![Value::from(text.as_str())])
            }
            ids => as_set(ids),
        }),
        (_, value) => value.clone(),
    })
}

/// Returns logging in canonical form. On is the default.
fn canonical_logging(value: &Value) -> Value {
    map_members(value, |name, value| match (name, value) {
        ("enabled", Value::Bool(true)) => Value::Null,
        (_, value) => value.clone(),
    })
}

/// Returns a rate in canonical form.
fn canonical_rate(value: &Value, own: Option<&str>) -> Value {
    let is_own =
        |text: &str| own.is_some_and(|own| Expression::reported(own) == Expression::reported(text));
    map_members(value, |name, value| match (name, value) {
        ("characteristics", value) => as_set(value),
        ("requests_to_origin", Value::Bool(false)) => Value::Null,
        ("mitigation_expression" | "counting_expression", Value::Text(text)) if text.is_empty() => {
            Value::Null
        }
        // Without this member, the rule's own expression is counted.
        ("counting_expression", Value::Text(text)) if is_own(text) => Value::Null,
        ("counting_expression", value) => canonical_expression(value),
        (_, value) => value.clone(),
    })
}

/// Returns the overrides of a deployment in canonical form.
fn canonical_overrides(value: &Value) -> Value {
    map_members(&override_item(value), |name, value| match (name, value) {
        ("rules", Value::List(list)) => {
            let mut list: Vec<_> = list.iter().map(override_item).collect();
            sort_by_key(&mut list, |item| key_of(item, "id"));
            Value::List(list)
        }
        ("categories", Value::List(list)) => {
            let mut list: Vec<_> = list.iter().map(override_item).collect();
            let is_level =
                |item: &Value| PARANOIA_TAGS.contains(&key_of(item, "category").as_str());
            for run in list.chunk_by_mut(|a, b| is_level(a) && is_level(b)) {
                sort_by_key(run, |item| key_of(item, "category"));
            }
            Value::List(list)
        }
        (_, value) => value.clone(),
    })
}

/// Returns one override, with its state in the current spelling.
fn override_item(value: &Value) -> Value {
    let Value::Map(mut members) = without_nulls(value) else { return value.clone() };
    if let Some(Value::Text(status)) = members.get("status") {
        let enabled = match status.as_str() {
            "enabled" => Some(true),
            "disabled" => Some(false),
            _ => None,
        };
        if let Some(enabled) = enabled {
            members.remove("status");
            members.entry("enabled".to_owned()).or_insert(Value::Bool(enabled));
        }
    }
    Value::Map(members)
}

/// Returns a text member; empty if there is none.
fn key_of(item: &Value, key: &str) -> String {
    match item {
        Value::Map(members) => match members.get(key) {
            Some(Value::Text(text)) => text.clone(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_spelling_is_the_same_for_all_rules_too() {
        let rule = |name: &str, value: Value| {
            let overrides = Value::Map([(name.to_owned(), value)].into());
            let mut rule = RuleBody::default();
            rule.set_parameter("overrides", overrides);
            canonical(&rule)
        };
        assert_eq!(rule("status", Value::from("disabled")), rule("enabled", Value::from(false)));
        assert_ne!(rule("status", Value::from("enabled")), rule("enabled", Value::from(false)));
        assert_ne!(rule("status", Value::from("perhaps")), rule("enabled", Value::from(true)));
    }

    #[test]
    fn a_rate_limit_alone_has_the_form_that_it_has_in_its_rule() {
        let map = |members: &[(&str, Value)]| {
            Value::Map(
                members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
            )
        };
        let fields = Value::List(vec![Value::from("ip.src"), Value::from("cf.colo.id")]);
        let rates = [
            (None, false),
            (Some(Value::Null), false),
            (Some(map(&[])), false),
            (Some(Value::from("soon")), false),
            (Some(map(&[("counting_expression", Value::from(""))])), false),
            (
                Some(map(&[("requests_to_origin", Value::from(false)), ("period", Value::Null)])),
                false,
            ),
            (
                Some(map(&[
                    ("characteristics", fields),
                    ("counting_expression", Value::from("(true)")),
                ])),
                true,
            ),
            (Some(map(&[("counting_expression", Value::from("(http.host eq \"a\")"))])), true),
        ];
        for (rate, has_one) in rates {
            let mut body = RuleBody::default();
            body.set("expression", "true");
            if let Some(rate) = rate.clone() {
                body.set("ratelimit", rate);
            }
            let whole = match canonical(&body).get("ratelimit") {
                Some(Value::Map(members)) => Some(members.clone()),
                _ => None,
            };
            assert_eq!(canonical_rate_limit(&body), whole, "{rate:?}");
            assert_eq!(whole.is_some(), has_one, "{rate:?}");
        }
    }
}
