//! Outlines the protection of a zone, with the keys of the spec.

use std::collections::BTreeMap;

use super::outline::{OutlineItem, What, prunes};
use crate::diagnostic::Place;
use crate::expression::Expression;
use crate::managed::threshold_keyword;
use crate::ruleset::{
    AcceptedCause, AcceptedObject, Anchor, DesiredDeployment, DesiredRate, DesiredRule, DesiredWaf,
    Note, RuleForm, RuleTuning, SkipTarget, Switch, TagTuning, TuningTarget,
};
use crate::{Gather, Value};

/// The parts of an item, at a place.
struct ItemParts {
    place: Place,
    all: BTreeMap<String, OutlineItem>,
}

impl ItemParts {
    fn new(place: Place) -> Self {
        Self { place, all: BTreeMap::new() }
    }

    /// Adds a value if there is one.
    fn put(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.all.insert(name.to_owned(), OutlineItem::value(value, self.place));
        }
    }

    fn add(&mut self, name: impl Into<String>, what: What) {
        self.all.insert(name.into(), OutlineItem { place: self.place, what });
    }

    /// Adds an expression. Different spellings of the same expression are equal.
    fn expression(&mut self, name: &str, expression: Option<&(Expression, Place)>) {
        if let Some((expression, place)) = expression {
            self.all.insert(
                name.to_owned(),
                OutlineItem::written(scope_in_words(expression), expression.canonical(), *place),
            );
        }
    }

    /// Adds the reason of an entry. Its expiry is left out: it depends on the day, which is the
    /// same for both specs.
    fn note(&mut self, note: &Note) {
        let Note { reason, owner, expires, is_expired: _, days_left: _, expires_soon: _ } = note;
        self.put("reason", reason.as_deref());
        self.put("owner", owner.as_deref());
        self.put("expires", expires.as_deref());
    }

    /// Returns all parts as one item.
    fn thing(self, words: Option<String>) -> OutlineItem {
        OutlineItem { place: self.place, what: What::Thing { parts: self.all, words } }
    }
}

/// Describes the requests that an expression matches, with the keywords of the spec.
fn scope_in_words(expression: &Expression) -> &str {
    if expression.canonical() == "true" { "all" } else { expression.text() }
}

pub(super) fn outline_waf(desired: &DesiredWaf) -> OutlineItem {
    let DesiredWaf { place, unmanaged, deployments, lists, accept_weakening, accept } = desired;
    let mut parts = ItemParts::new(*place);
    if let Some(said) = prunes(*unmanaged, *place) {
        parts.all.insert("unmanaged".to_owned(), said);
    }
    if let Some((words, place)) = accept_weakening {
        parts.all.insert("accept_weakening".to_owned(), OutlineItem::value(words.as_str(), *place));
    }
    let accepted = distinct(accept.iter().map(accepted_cause));
    if !accepted.is_empty() {
        parts.add("accept", What::List { items: accepted, is_managed: false });
    }
    // Deployments run in Cloudflare's order, which no spec can change.
    for desired in deployments {
        parts.all.insert(desired.ruleset.key().to_owned(), deployment(desired));
    }
    for (phase, list) in lists {
        // An empty list differs from no list: the rules of the phase are managed, and may be
        // pruned.
        let items = list.iter().map(|desired| (desired.name.clone(), rule_item(desired))).collect();
        parts.add(phase.key(), What::List { items, is_managed: true });
    }
    OutlineItem { place: *place, what: What::Group(parts.all) }
}

/// Returns a cause that may weaken the protection, with its name.
fn accepted_cause(accepted: &AcceptedCause) -> (String, OutlineItem) {
    let AcceptedCause { object, ruleset, note, place } = accepted;
    let mut parts = ItemParts::new(*place);
    let value = match object {
        AcceptedObject::Rule { is, .. } => Value::Map(is.members().clone()),
        AcceptedObject::Key { is, .. } | AcceptedObject::Override { is, .. } => {
            Value::from(is.as_str())
        }
    };
    parts.put("is", Some(value));
    parts.put("ruleset", ruleset.map(|ruleset| ruleset.key()));
    parts.note(note);
    let (kind, name) = object.identity();
    let identity = [kind, &name, object.part()].join(" ");
    (identity.trim_end().to_owned(), parts.thing(Some(format!("accepted{}", noted(note)))))
}

fn deployment(desired: &DesiredDeployment) -> OutlineItem {
    let DesiredDeployment {
        ruleset: _,
        place,
        switch,
        when,
        version,
        paranoia,
        threshold,
        action,
        tags,
        rules,
        raw,
    } = desired;
    let mut parts = ItemParts::new(*place);
    let switch = match switch {
        Switch::On => "on",
        Switch::Off => "off",
    };
    parts.put("switch", Some(switch));
    parts.expression("when", when.as_ref());
    parts.put("version", version.as_ref().map(|(version, _)| version.as_str()));
    parts.put("paranoia", paranoia.map(|(level, _)| u32::from(level.level())));
    parts.put(
        "threshold",
        threshold.map(|(n, _)| threshold_keyword(n).map_or(Value::from(n), Value::from)),
    );
    parts.put("action", action.map(|(action, _)| action.as_str()));
    // If several tags select a rule, the last one applies.
    let tags = distinct(tags.iter().map(|tuning| (tuning.tag.clone(), tag_tuning(tuning))));
    if !tags.is_empty() {
        parts.add("tags", What::List { items: tags, is_managed: false });
    }
    let rules = distinct(rules.iter().map(rule_tuning));
    if !rules.is_empty() {
        parts.add("rules", What::Group(rules.into_iter().gather()));
    }
    if let Some((value, place)) = raw {
        parts.all.insert("raw".to_owned(), OutlineItem::value(value.clone(), *place));
    }
    parts.thing(None)
}

/// Makes equal names distinct by appending a number.
fn distinct(all: impl Iterator<Item = (String, OutlineItem)>) -> Vec<(String, OutlineItem)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let name = |(name, said): (String, OutlineItem)| {
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        (if *count == 1 { name } else { format!("{name} #{count}") }, said)
    };
    all.map(name).collect()
}

fn tag_tuning(tuning: &TagTuning) -> OutlineItem {
    let TagTuning { tag: _, enabled, action, note, place } = tuning;
    let mut parts = ItemParts::new(*place);
    parts.put("enabled", *enabled);
    parts.put("action", action.as_deref());
    parts.note(note);
    parts.thing(tuned(*enabled, action.as_deref(), note))
}

/// Returns the tuning of rules, named after the rules that it selects.
fn rule_tuning(tuning: &RuleTuning) -> (String, OutlineItem) {
    let RuleTuning { target, enabled, action, note, place } = tuning;
    let name = match target {
        TuningTarget::Rule(name) => name.as_str().to_owned(),
        TuningTarget::Tag(tag) => format!("tag {tag}"),
    };
    let mut parts = ItemParts::new(*place);
    parts.put("enabled", *enabled);
    parts.put("action", action.as_deref());
    parts.note(note);
    (name, parts.thing(tuned(*enabled, action.as_deref(), note)))
}

/// Describes a tuning in a few words.
fn tuned(enabled: Option<bool>, action: Option<&str>, note: &Note) -> Option<String> {
    let switch = enabled.map(|on| if on { "enabled" } else { "disabled" }.to_owned());
    let words: Vec<String> = switch.into_iter().chain(action.map(str::to_owned)).collect();
    Some(format!("{}{}", words.join(", "), noted(note)))
}

/// Describes the reason of an entry in a few words.
fn noted(note: &Note) -> String {
    let Note { reason, owner, expires, is_expired: _, days_left: _, expires_soon: _ } = note;
    let expires = expires.as_ref().map(|day| format!("until {day}"));
    let words: Vec<String> = reason.iter().chain(owner).cloned().chain(expires).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join("; ")) }
}

fn rule_item(desired: &DesiredRule) -> OutlineItem {
    let DesiredRule {
        name: _,
        place,
        when,
        is_absent,
        enabled,
        description,
        form,
        log,
        anchors,
        note,
        key_places: _,
    } = desired;
    let mut parts = ItemParts::new(*place);
    if *is_absent {
        parts.put("state", Some("absent"));
        parts.note(note);
        return parts.thing(Some(format!("state: absent{}", noted(note))));
    }
    parts.expression("when", when.as_ref());
    let does = match form {
        RuleForm::Skip(targets) => {
            let targets = skipped(targets);
            let words = format!("skip {targets}");
            parts.put("skip", Some(targets));
            words
        }
        RuleForm::Act { action, response } => {
            parts.put("action", Some(action.as_str()));
            parts.put("response", response.clone());
            action.clone()
        }
        RuleForm::Rate(desired) => put_rate(&mut parts, desired),
        RuleForm::Raw(value) => {
            parts.all.insert("raw".to_owned(), raw_item(value, *place));
            "a raw rule".to_owned()
        }
    };
    parts.put("log", *log);
    parts.put("enabled", (!enabled).then_some(false));
    parts.put("description", description.as_deref());
    parts.note(note);
    for anchor in anchors {
        match anchor {
            Anchor::Before(name, _) => parts.put("before", Some(name.as_str())),
            Anchor::After(name, _) => parts.put("after", Some(name.as_str())),
        }
    }
    let when = when
        .as_ref()
        .map(|(expression, _)| format!(" when {}", scope_in_words(expression)))
        .unwrap_or_default();
    parts.thing(Some(format!("{does}{when}{}", noted(note))))
}

/// Returns the targets of a skip in a fixed order, because their order has no meaning.
fn skipped(targets: &[SkipTarget]) -> Value {
    let word = |target: &SkipTarget| match target {
        SkipTarget::Everything => vec!["everything".to_owned()],
        SkipTarget::Ruleset(managed) => vec![managed.key().to_owned()],
        SkipTarget::RulesetId(id) => vec![format!("ruleset {id}")],
        SkipTarget::Rules(managed, names) => names
            .iter()
            .map(|(name, _)| format!("{} rule {}", managed.key(), name.as_str()))
            .collect(),
        SkipTarget::Phase(phase) => vec![format!("phase {phase}")],
        SkipTarget::Product(product) => vec![format!("product {product}")],
    };
    let words: std::collections::BTreeSet<String> = targets.iter().flat_map(word).gather();
    Value::List(words.into_iter().map(Value::from).collect())
}

/// Adds the parts of a rate limit and returns a short description.
fn put_rate(parts: &mut ItemParts, desired: &DesiredRate) -> String {
    let DesiredRate { per, requests, period, action, timeout, count, to_origin, response } =
        desired;
    let per: std::collections::BTreeSet<&String> = per.iter().gather();
    let per = Value::List(per.into_iter().map(|name| Value::from(name.as_str())).collect());
    let words = format!("{action} above {requests} in {period} s per {per}");
    parts.put("per", Some(per));
    parts.put("requests", Some(*requests));
    parts.put("period", Some(*period));
    parts.put("then", Some(action.as_str()));
    parts.put("timeout", Some(*timeout));
    parts.expression("count", count.as_ref());
    parts.put("to_origin", *to_origin);
    parts.put("response", response.clone());
    words
}

/// Returns a rule in Cloudflare's form; its expression is compared by meaning.
fn raw_item(value: &Value, place: Place) -> OutlineItem {
    let mut item = OutlineItem::value(value.clone(), place);
    if let (Value::Map(members), What::Thing { parts, .. }) = (value, &mut item.what)
        && let Some(Value::Text(text)) = members.get("expression")
    {
        let canonical = Expression::reported(text).canonical().to_owned();
        parts
            .insert("expression".to_owned(), OutlineItem::written(text.as_str(), canonical, place));
    }
    item
}
