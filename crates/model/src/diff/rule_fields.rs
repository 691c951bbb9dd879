//! Finds the differences between two definitions of a rule, in the terms of the spec where it has a
//! term.

use std::collections::{BTreeMap, BTreeSet};

use super::field::{Field, FieldChange, Override, RuleField};
use crate::facts::owasp::PARANOIA_TAGS;
use crate::managed::{Catalogue, Managed, Overrides, RuleOverride, TagOverride, recognise};
use crate::ruleset::{LiveWaf, RuleBody, canonical};
use crate::{Gather, Value};

/// Fields of a rule with both values, sorted by name.
#[derive(Default)]
struct ChangedFields(BTreeMap<String, (RuleField, Value, Value)>);

impl ChangedFields {
    /// Adds a field; a later value for the same field replaces an earlier one.
    fn insert(&mut self, field: RuleField, before: Value, after: Value) {
        self.0.insert(field.to_string(), (field, before, after));
    }
}

/// Returns the differences, sorted by name. For a new rule, returns all of its fields.
#[must_use]
pub fn rule_fields(before: Option<&RuleBody>, after: &RuleBody, waf: &LiveWaf) -> Vec<FieldChange> {
    let empty = RuleBody::default();
    let executed = after.executes().map(|id| waf.catalogue(id));
    let (old, new) = (canonical(before.unwrap_or(&empty)), canonical(after));
    let mut fields = ChangedFields::default();
    let names: BTreeSet<&String> = old.members().keys().chain(new.members().keys()).gather();
    let is_skip = new.action() == "skip" || old.action() == "skip";
    for name in names {
        // The executed ruleset is the deployment's name, and the overrides are compared in
        // `overrides`.
        let is_said = before.is_none()
            && executed.is_some()
            && matches!(name.as_str(), "action" | "description");
        if is_said || (is_skip && name == "action_parameters") {
            continue;
        }
        compare_members(name, old.get(name), new.get(name), executed.is_some(), &mut fields);
    }
    fields.0.remove("action_parameters.id");
    if is_skip {
        compare_skips(&old, &new, waf, &mut fields);
    }
    if let Some(catalogue) = executed {
        let read = |body: Option<&RuleBody>| {
            body.map_or_else(|| Some(Overrides::default()), RuleBody::overrides)
        };
        match (read(before), read(Some(after))) {
            (Some(before_overrides), Some(after_overrides)) => {
                compare_overrides(
                    (before, &before_overrides),
                    (after, &after_overrides),
                    catalogue,
                    &mut fields,
                );
            }
            _ => compare_members(
                "overrides",
                old.parameter("overrides"),
                new.parameter("overrides"),
                false,
                &mut fields,
            ),
        }
    }
    if before.is_some() && old.get("enabled") != new.get("enabled") {
        let is_on = |body: &RuleBody| Value::Bool(body.is_enabled());
        fields.insert(RuleField::Member("enabled".to_owned()), is_on(&old), is_on(&new));
    }
    fields
        .0
        .into_values()
        .filter(|(_, before, after)| before != after)
        .map(|(field, before, after)| FieldChange { field: Field::Rule(field), before, after })
        .collect()
}

/// Compares the skipped rules and rulesets by their names instead of their ids.
fn compare_skips(before: &RuleBody, after: &RuleBody, waf: &LiveWaf, fields: &mut ChangedFields) {
    let (old, new) = (before.get("action_parameters"), after.get("action_parameters"));
    let mut by_id = ChangedFields::default();
    compare_members("skip", old, new, false, &mut by_id);
    let ruleset = |id: &str| {
        let managed_ids = Managed::ALL
            .iter()
            .find(|m| m.facts().id == id || waf.managed(**m).is_some_and(|c| c.id.0 == id));
        managed_ids.map_or_else(|| id.to_owned(), |m| m.key().to_owned())
    };
    let named_targets = |value: Value, name: &dyn Fn(&str) -> String| match value {
        Value::List(list) => Value::List(
            list.into_iter()
                .map(|item| match item {
                    Value::Text(id) => Value::from(name(&id)),
                    other => other,
                })
                .collect(),
        ),
        other => other,
    };
    for (path, (_, a, b)) in by_id.0 {
        let (path, name): (String, &dyn Fn(&str) -> String) = match path.strip_prefix("skip.rules.")
        {
            Some(id) => {
                (format!("skip.{}", ruleset(id)), &|rule| rule_name(waf.catalogue(id), rule))
            }
            None if path == "skip.rulesets" => (path, &ruleset),
            None => (path, &str::to_owned),
        };
        fields.insert(RuleField::Member(path), named_targets(a, name), named_targets(b, name));
    }
}

/// Returns the display name of a managed rule: its number, its description, or its id if the rule
/// is unknown.
fn rule_name(catalogue: Option<&Catalogue>, id: &str) -> String {
    match catalogue.and_then(|c| c.rule(id)) {
        Some(rule) => rule.number.map_or_else(|| rule.description.clone(), |n| n.to_string()),
        None => id.to_owned(),
    }
}

/// Compares two values member by member, except `overrides` of a deployment.
fn compare_members(
    path: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    skip_overrides: bool,
    fields: &mut ChangedFields,
) {
    if before == after || (skip_overrides && path == "action_parameters.overrides") {
        return;
    }
    let members = |value: Option<&Value>| match value {
        Some(Value::Map(members)) => Some(members.clone()),
        None => Some(BTreeMap::new()),
        Some(_) => None,
    };
    match (members(before), members(after)) {
        (Some(old), Some(new)) if !(old.is_empty() && new.is_empty()) => {
            let names: BTreeSet<&String> = old.keys().chain(new.keys()).gather();
            for name in names {
                compare_members(
                    &format!("{path}.{name}"),
                    old.get(name),
                    new.get(name),
                    skip_overrides,
                    fields,
                );
            }
        }
        _ => {
            let value = |value: Option<&Value>| value.cloned().unwrap_or(Value::Null);
            fields.insert(RuleField::Member(path.to_owned()), value(before), value(after));
        }
    }
}

/// Compares the overrides of a deployment in the terms of the spec.
fn compare_overrides(
    (before_rule, before): (Option<&RuleBody>, &Overrides),
    (after_rule, after): (&RuleBody, &Overrides),
    catalogue: Option<&Catalogue>,
    fields: &mut ChangedFields,
) {
    let mut put = |field: RuleField, a: Value, b: Value| {
        if a != b {
            fields.insert(field, a, b);
        }
    };
    let member = |path: &str| RuleField::Member(path.to_owned());
    let optional = |value: Option<Value>| value.unwrap_or(Value::Null);
    let is_owasp = catalogue.is_some_and(|c| c.which == Some(Managed::Owasp));
    if is_owasp {
        let level = |rule: Option<&RuleBody>| match rule {
            None => Value::Null,
            Some(rule) => {
                let mut on = rule.clone();
                on.remove("enabled");
                let place = crate::diagnostic::Place::NOWHERE;
                let recognised = recognise(&on, Managed::Owasp, catalogue, place).desired;
                recognised.paranoia.map_or_else(
                    || Value::from("custom"),
                    |(level, _)| Value::from(u32::from(level.level())),
                )
            }
        };
        put(member("paranoia"), level(before_rule), level(Some(after_rule)));
    }
    let anomaly = catalogue.filter(|_| is_owasp).and_then(Catalogue::anomaly_rule);
    let (before_rules, after_rules) = (before.by_rule(), after.by_rule());
    let ids: BTreeSet<&str> = before_rules.keys().chain(after_rules.keys()).copied().gather();
    for id in ids {
        let empty = RuleOverride::default();
        let (a, b) = (before_rules.get(id).copied(), after_rules.get(id).copied());
        let (a, b) = (a.unwrap_or(&empty), b.unwrap_or(&empty));
        let rule = catalogue.and_then(|c| c.rule(id));
        let name = rule_name(catalogue, id);
        let is_anomaly = anomaly.is_some_and(|r| r.id.0 == id);
        let of_rule = |what| RuleField::ManagedRule { rule: name.clone(), what };
        // The anomaly score has a rule of its own, for which the spec has separate keys.
        let path = |what: Override| if is_anomaly { member(what.as_str()) } else { of_rule(what) };
        // There is no previous value before the first deployment. After it, an absent override
        // means the default.
        let default = |value: Option<Value>| if before_rule.is_none() { None } else { value };
        let threshold =
            |r: &RuleOverride, d: Option<Value>| optional(r.threshold.map(Value::from).or(d));
        let own_threshold = rule.filter(|_| is_anomaly).and_then(|r| r.threshold).map(Value::from);
        put(
            path(Override::Threshold),
            threshold(a, default(own_threshold.clone())),
            threshold(b, own_threshold),
        );
        let action = |r: &RuleOverride, d: Option<Value>| {
            optional(r.action.as_deref().map(Value::from).or(d))
        };
        let own_action = rule.filter(|_| is_anomaly).map(|r| Value::from(r.action.as_str()));
        put(path(Override::Action), action(a, default(own_action.clone())), action(b, own_action));
        let enabled = |r: &RuleOverride| optional(r.enabled.map(Value::Bool));
        put(of_rule(Override::Enabled), enabled(a), enabled(b));
        put(of_rule(Override::Other), Value::Map(a.other.clone()), Value::Map(b.other.clone()));
    }
    let is_level = |t: &&TagOverride| PARANOIA_TAGS.contains(&t.tag.as_str());
    let tags: BTreeSet<&str> =
        before.tags.iter().chain(&after.tags).map(|t| t.tag.as_str()).gather();
    for tag in tags {
        let of_tag = |what| RuleField::Tag { tag: tag.to_owned(), what };
        let empty = TagOverride::default();
        let find = |all: &Overrides| {
            all.tags.iter().find(|t| t.tag == tag).cloned().unwrap_or_else(|| empty.clone())
        };
        let (a, b) = (find(before), find(after));
        if !(is_owasp && PARANOIA_TAGS.contains(&tag)) {
            put(
                of_tag(Override::Enabled),
                optional(a.enabled.map(Value::Bool)),
                optional(b.enabled.map(Value::Bool)),
            );
        }
        let action = |t: &TagOverride| optional(t.action.as_deref().map(Value::from));
        put(of_tag(Override::Action), action(&a), action(&b));
        put(of_tag(Override::Other), Value::Map(a.other), Value::Map(b.other));
    }
    let order = |all: &Overrides| {
        let kept = all.tags.iter().filter(|t| !(is_owasp && is_level(t)));
        Value::List(kept.map(|t| Value::from(t.tag.as_str())).collect())
    };
    let (a, b) = (order(before), order(after));
    let same_tags = match (&a, &b) {
        (Value::List(a), Value::List(b)) => {
            a.iter().gather::<BTreeSet<_>>() == b.iter().gather::<BTreeSet<_>>()
        }
        _ => false,
    };
    if same_tags {
        put(member("tags.order"), a, b);
    }
    put(
        member("overrides.enabled"),
        optional(before.enabled.map(Value::Bool)),
        optional(after.enabled.map(Value::Bool)),
    );
    let action = |all: &Overrides| optional(all.action.as_deref().map(Value::from));
    put(member("overrides.action"), action(before), action(after));
    put(
        member("overrides.other"),
        Value::Map(before.other.clone()),
        Value::Map(after.other.clone()),
    );
}
