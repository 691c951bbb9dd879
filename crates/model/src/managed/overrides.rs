//! Typed overrides of a deployment. Unknown members are kept.

use std::collections::{BTreeMap, HashMap};

use crate::Gather;
use crate::fields::Value;
use crate::ruleset::RuleBody;

/// An override for all rules with a tag.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagOverride {
    /// The tag; Cloudflare calls it a category.
    pub tag: String,
    /// On or off.
    pub enabled: Option<bool>,
    /// Replaces the default action of these rules.
    pub action: Option<String>,
    /// Unknown members.
    pub other: BTreeMap<String, Value>,
}

/// An override of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleOverride {
    /// The rule's id.
    pub id: String,
    /// On or off.
    pub enabled: Option<bool>,
    /// Replaces the default action of this rule.
    pub action: Option<String>,
    /// The score at which the action is taken.
    pub threshold: Option<u32>,
    /// Unknown members.
    pub other: BTreeMap<String, Value>,
}

impl TagOverride {
    /// Returns true if it overrides nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { tag: _, enabled, action, other } = self;
        enabled.is_none() && action.is_none() && other.is_empty()
    }
}

impl RuleOverride {
    /// Returns true if it overrides nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { id: _, enabled, action, threshold, other } = self;
        enabled.is_none() && action.is_none() && threshold.is_none() && other.is_empty()
    }
}

/// All overrides of a deployment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overrides {
    /// On or off, for all rules.
    pub enabled: Option<bool>,
    /// The action, for all rules.
    pub action: Option<String>,
    /// Overrides by tag. For a rule with several of the tags, the last one wins.
    pub tags: Vec<TagOverride>,
    /// Overrides by rule.
    pub rules: Vec<RuleOverride>,
    /// Unknown members.
    pub other: BTreeMap<String, Value>,
}

impl RuleBody {
    /// Returns the overrides of a deployment; `None` if they have an unknown shape.
    #[must_use]
    pub fn overrides(&self) -> Option<Overrides> {
        Overrides::read(self.parameter("overrides"))
    }

    /// Sets overrides in Cloudflare's form, or removes them.
    pub fn set_overrides(&mut self, overrides: Option<Value>) {
        match overrides {
            Some(value) => self.set_parameter("overrides", value),
            None => self.remove_parameter("overrides"),
        }
    }
}

/// Removes a boolean member and returns it. The old spelling `status` is accepted.
fn take_enabled(members: &mut BTreeMap<String, Value>) -> Option<bool> {
    if let Some(Value::Bool(enabled)) = members.get("enabled") {
        let enabled = *enabled;
        members.remove("enabled");
        return Some(enabled);
    }
    let enabled = match members.get("status") {
        Some(Value::Text(word)) if word == "enabled" => true,
        Some(Value::Text(word)) if word == "disabled" => false,
        _ => return None,
    };
    members.remove("status");
    Some(enabled)
}

/// Removes a text member and returns it.
fn take_text(members: &mut BTreeMap<String, Value>, name: &str) -> Option<String> {
    match members.get(name) {
        Some(Value::Text(text)) => {
            let text = text.clone();
            members.remove(name);
            Some(text)
        }
        _ => None,
    }
}

impl Overrides {
    /// Reads overrides; `None` if they have an unknown shape.
    #[must_use]
    pub fn read(value: Option<&Value>) -> Option<Self> {
        let Some(value) = value.filter(|v| **v != Value::Null) else {
            return Some(Self::default());
        };
        let Value::Map(members) = value else { return None };
        let mut members: BTreeMap<_, _> = members
            .iter()
            .filter(|(_, v)| **v != Value::Null)
            .map(|(n, v)| (n.clone(), v.clone()))
            .gather();
        let (enabled, action) = (take_enabled(&mut members), take_text(&mut members, "action"));
        let tags = list_items(members.remove("categories"), |members| {
            let tag = take_text(members, "category")?;
            let (enabled, action) = (take_enabled(members), take_text(members, "action"));
            Some(TagOverride { tag, enabled, action, other: std::mem::take(members) })
        })?;
        let rules = list_items(members.remove("rules"), |members| {
            let id = take_text(members, "id")?;
            let (enabled, action) = (take_enabled(members), take_text(members, "action"));
            let threshold = match members.get("score_threshold") {
                Some(Value::Integer(number)) => u32::try_from(*number).ok(),
                Some(Value::Decimal(text)) => text.strip_suffix(".0").and_then(|t| t.parse().ok()),
                _ => None,
            };
            if threshold.is_some() {
                members.remove("score_threshold");
            }
            Some(RuleOverride { id, enabled, action, threshold, other: std::mem::take(members) })
        })?;
        Some(Self { enabled, action, tags, rules, other: members })
    }

    /// Returns Cloudflare's form; `None` if there is nothing to send, because empty overrides and
    /// lists are refused.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        let Self { enabled, action, tags, rules, other } = self;
        let mut members = other.clone();
        put_member(&mut members, "enabled", enabled.map(Value::Bool));
        put_member(&mut members, "action", action.as_deref().map(Value::from));
        let tags: Vec<_> = tags.iter().filter(|t| !t.is_empty()).map(TagOverride::value).collect();
        put_member(
            &mut members,
            "categories",
            Some(Value::List(tags)).filter(|l| *l != Value::List(Vec::new())),
        );
        let rules: Vec<_> =
            rules.iter().filter(|r| !r.is_empty()).map(RuleOverride::value).collect();
        put_member(
            &mut members,
            "rules",
            Some(Value::List(rules)).filter(|l| *l != Value::List(Vec::new())),
        );
        (!members.is_empty()).then_some(Value::Map(members))
    }

    /// Returns the override of a tag, or creates it. Of several, returns the last, which wins.
    pub fn tag_mut(&mut self, tag: &str) -> &mut TagOverride {
        let position = self.tags.iter().rposition(|t| t.tag == tag);
        let n = position.unwrap_or_else(|| {
            self.tags.push(TagOverride { tag: tag.to_owned(), ..TagOverride::default() });
            self.tags.len() - 1
        });
        &mut self.tags[n]
    }

    /// Returns the override of a rule, or creates it. Of several, returns the last.
    pub fn rule_mut(&mut self, id: &str) -> &mut RuleOverride {
        let position = self.rules.iter().rposition(|r| r.id == id);
        let n = position.unwrap_or_else(|| {
            self.rules.push(RuleOverride { id: id.to_owned(), ..RuleOverride::default() });
            self.rules.len() - 1
        });
        &mut self.rules[n]
    }

    /// Returns the override of a rule. Of several, returns the last.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&RuleOverride> {
        self.rules.iter().rfind(|r| r.id == id)
    }

    /// Returns all overrides of rules by rule id. Of several for one rule, returns the last.
    #[must_use]
    pub fn by_rule(&self) -> HashMap<&str, &RuleOverride> {
        self.rules.iter().map(|r| (r.id.as_str(), r)).collect()
    }

    /// Removes entries that override nothing.
    #[must_use]
    pub fn pruned(mut self) -> Self {
        self.tags.retain(|t| !t.is_empty());
        self.rules.retain(|r| !r.is_empty());
        self
    }
}

/// Returns the items of a list, each a map; `None` if the shape is different.
fn list_items<T>(
    value: Option<Value>,
    mut read: impl FnMut(&mut BTreeMap<String, Value>) -> Option<T>,
) -> Option<Vec<T>> {
    let Some(value) = value else { return Some(Vec::new()) };
    let Value::List(list) = value else { return None };
    list.into_iter()
        .map(|item| match item {
            Value::Map(mut members) => {
                members.retain(|_, v| *v != Value::Null);
                read(&mut members)
            }
            _ => None,
        })
        .collect()
}

/// Sets a member if there is a value.
fn put_member(members: &mut BTreeMap<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        members.insert(name.to_owned(), value);
    }
}

impl TagOverride {
    /// Returns Cloudflare's form.
    fn value(&self) -> Value {
        let Self { tag, enabled, action, other } = self;
        let mut members = other.clone();
        put_member(&mut members, "category", Some(Value::from(tag.as_str())));
        put_member(&mut members, "enabled", enabled.map(Value::Bool));
        put_member(&mut members, "action", action.as_deref().map(Value::from));
        Value::Map(members)
    }
}

impl RuleOverride {
    /// Returns Cloudflare's form.
    fn value(&self) -> Value {
        let Self { id, enabled, action, threshold, other } = self;
        let mut members = other.clone();
        put_member(&mut members, "id", Some(Value::from(id.as_str())));
        put_member(&mut members, "enabled", enabled.map(Value::Bool));
        put_member(&mut members, "action", action.as_deref().map(Value::from));
        put_member(&mut members, "score_threshold", threshold.map(Value::from));
        Value::Map(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_overrides_of_one_thing_the_last_is_the_one() {
        let tag = |enabled| TagOverride {
            tag: "a".to_owned(),
            enabled: Some(enabled),
            ..TagOverride::default()
        };
        let rule = |enabled| RuleOverride {
            id: "b".to_owned(),
            enabled: Some(enabled),
            ..RuleOverride::default()
        };
        let mut overrides = Overrides {
            tags: vec![tag(true), tag(false)],
            rules: vec![rule(true), rule(false)],
            ..Overrides::default()
        };
        overrides.tag_mut("a").action = Some("log".to_owned());
        assert_eq!(
            (overrides.tags[0].action.as_deref(), overrides.tags[1].action.as_deref()),
            (None, Some("log"))
        );
        assert_eq!(overrides.rule("b").and_then(|r| r.enabled), Some(false));
        assert_eq!(overrides.rule_mut("b").enabled, Some(false));
    }
}
