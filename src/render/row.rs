//! Any operation of a plan as one neutral row: the only place where the outputs for reviewers learn what kinds there are.
//!
//! An operation on a zone, a rule or a record goes in; what it does, to what, before and after, and what that means comes
//! out, as plain text. Nothing here is safe to show yet: names and values come from anywhere, and each output escapes them
//! by its own rules.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::text::facets;
use crate::diagnostic::{Place, Sources};
use crate::diff::{DeleteReason, FieldChange, RuleDeleteReason, ZonePart};
use crate::insight::Direction;
use crate::model::managed::threshold_word;
use crate::model::{Danger, Value};
use crate::plan::{
    Action, Cause, MissingConsent, Operation, Plan, RuleAction, RuleOperation, Verdict, ZoneAction, ZoneOperation,
    ZonePlan,
};

/// A plan with everything that a reviewer is told about it.
#[derive(Debug, Clone, Copy)]
pub struct Review<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// What may happen to it.
    pub verdict: &'a Verdict,
    /// Requests that applying takes.
    pub requests_to_apply: usize,
    /// The texts of the spec.
    pub sources: &'a Sources,
}

impl<'a> Review<'a> {
    /// The consents that are missing.
    pub(super) fn missing(&self) -> &'a [MissingConsent] {
        match self.verdict {
            Verdict::NeedsConsent(missing) => missing,
            Verdict::InSync | Verdict::Ready | Verdict::Incomplete => &[],
        }
    }

    /// How many operations take back what somebody changed outside the spec, in words.
    pub(super) fn outside(&self) -> Option<String> {
        let causes = self.plan.zones.iter().flat_map(|zone| {
            let around = zone.zone_operations.iter().map(|o| o.cause);
            around.chain(zone.rule_operations.iter().map(|o| o.cause)).chain(zone.operations.iter().map(|o| o.cause))
        });
        match causes.filter(|c| cause(*c, None).is_some()).count() {
            0 => None,
            1 => Some("1 operation takes back what somebody changed outside the spec".to_owned()),
            count => Some(format!("{count} operations take back what somebody changed outside the spec")),
        }
    }

    /// The verdict for a heading.
    pub(super) fn verdict_words(&self) -> &'static str {
        match self.verdict {
            Verdict::InSync => "in sync",
            Verdict::Ready => "ready to apply",
            Verdict::NeedsConsent(_) => "needs consent",
            Verdict::Incomplete => "incomplete, cannot be applied",
        }
    }
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// Something comes.
    Create,
    /// Something changes.
    Update,
    /// Something changes its place only.
    Move,
    /// Something goes.
    Delete,
}

impl Mark {
    /// The word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Move => "move",
            Self::Delete => "delete",
        }
    }
}

/// One field that changes, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// Its name.
    pub(super) name: String,
    /// What it was; `None` if nothing was said.
    pub(super) before: Option<String>,
    /// What it becomes.
    pub(super) after: Option<String>,
}

/// One operation.
#[derive(Debug, Clone)]
pub(super) struct Row<'a> {
    /// What is done.
    pub(super) mark: Mark,
    /// To what kind of thing: `record`, `rule`, `entry point`, `zone`, `setting`, …
    pub(super) kind: &'static str,
    /// What a person knows it by.
    pub(super) name: Cow<'a, str>,
    /// The type of a record, the phase of a rule; may be empty.
    pub(super) type_name: &'a str,
    /// Its address.
    pub(super) address: &'a str,
    /// Its value before, where it has one value.
    pub(super) before: Option<String>,
    /// Its value after, where it has one value.
    pub(super) after: Option<String>,
    /// What else is said of something that comes or goes.
    pub(super) aside: String,
    /// What changes beside the value.
    pub(super) fields: Vec<Field>,
    /// Why it is done, where that is not the plain wish of the spec.
    pub(super) why: &'static str,
    /// Who caused it, where that is somebody else than the author of the spec.
    pub(super) cause: Option<String>,
    /// Which way the protection goes; rules only.
    pub(super) direction: Option<Direction>,
    /// What it means for traffic.
    pub(super) impact: &'a [String],
    /// What is dangerous about it.
    pub(super) dangers: &'a [Danger],
    /// Dangers of it that the spec accepts, with the reasons.
    pub(super) accepted: &'a BTreeMap<Danger, String>,
    /// The spec entry that asks for it.
    pub(super) place: Option<Place>,
}

/// How much attention an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attention {
    /// What was asked for.
    Plain,
    /// A weakening that the spec accepts, or something that cannot be judged.
    Doubt,
    /// A danger.
    Danger,
    /// Protection gets weaker, without the spec saying that this is accepted.
    Weakening,
}

impl Row<'_> {
    /// How much attention it needs.
    pub(super) fn attention(&self) -> Attention {
        // Deletes are counted, whoever accepts them.
        let open = |danger: &&Danger| **danger == Danger::Delete || !self.accepted.contains_key(danger);
        match self.dangers.iter().filter(open).max_by_key(|d| **d == Danger::WeakensProtection) {
            Some(Danger::WeakensProtection) => Attention::Weakening,
            Some(_) => Attention::Danger,
            None if !self.dangers.is_empty() || self.direction.is_some_and(Direction::may_weaken) => Attention::Doubt,
            None => Attention::Plain,
        }
    }

    /// Whether it belongs into the list of dangers: it is one, accepted or not.
    pub(super) fn is_loud(&self) -> bool {
        !self.dangers.is_empty() || self.weakens()
    }

    /// Whether traffic gets through that was stopped before, accepted or not.
    pub(super) fn weakens(&self) -> bool {
        match self.direction {
            Some(Direction::Weakens | Direction::Both) => true,
            Some(Direction::Neutral | Direction::Strengthens | Direction::Unclassified) | None => false,
        }
    }

    /// What it is done to, in words: `record www A`, `rule login (rate limits)`.
    pub(super) fn what(&self) -> String {
        let type_name = if self.direction.is_some() { format!("({})", self.type_name) } else { self.type_name.into() };
        let words = [self.kind, &self.name, &type_name];
        words.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// What changes, in one line: the value, or the first fields. Empty where what it means for traffic says more.
    pub(super) fn change(&self) -> String {
        /// Fields that are named.
        const FIELDS: usize = 3;
        if !self.impact.is_empty() {
            return String::new();
        }
        let becomes = |before: &Option<String>, after: &Option<String>| match (before, after) {
            (Some(before), Some(after)) if before == after => None,
            (Some(before), Some(after)) => Some(format!("{before} → {after}")),
            (Some(one), None) | (None, Some(one)) => Some(one.clone()),
            (None, None) => None,
        };
        let fields = self.fields.iter().filter_map(|f| Some(format!("{}: {}", f.name, becomes(&f.before, &f.after)?)));
        becomes(&self.before, &self.after).into_iter().chain(fields.take(FIELDS)).collect::<Vec<_>>().join("; ")
    }

    /// The file and line of the spec entry.
    pub(super) fn place(&self, sources: &Sources) -> Option<String> {
        place(self.place?, sources)
    }
}

/// A file and line; `None` for what nobody wrote.
pub(super) fn place(place: Place, sources: &Sources) -> Option<String> {
    let source = sources.get(place.source)?;
    Some(format!("{}:{}", source.name(), sources.line_column(place).line))
}

/// Counts by what is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    create: usize,
    update: usize,
    delete: usize,
}

impl Tally {
    /// Counts rows.
    pub(super) fn of<'r, 'a: 'r>(rows: impl IntoIterator<Item = &'r Row<'a>>) -> Self {
        let mut tally = Self::default();
        for row in rows {
            match row.mark {
                Mark::Create => tally.create += 1,
                Mark::Update | Mark::Move => tally.update += 1,
                Mark::Delete => tally.delete += 1,
            }
        }
        tally
    }

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            create: self.create + other.create,
            update: self.update + other.update,
            delete: self.delete + other.delete,
        }
    }

    /// In words: `1 to create, 2 to delete`.
    pub(super) fn words(self) -> String {
        let parts = [(self.create, "create"), (self.update, "update"), (self.delete, "delete")];
        let words: Vec<_> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} to {word}")).collect();
        if words.is_empty() { "nothing to do".to_owned() } else { words.join(", ") }
    }
}

/// All operations of a zone, in the order in which they are carried out.
pub(super) fn rows(zone: &ZonePlan) -> impl Iterator<Item = Row<'_>> {
    let around = zone.zone_operations.iter().map(zone_row);
    around.chain(zone.rule_operations.iter().map(rule_row)).chain(zone.operations.iter().map(record_row))
}

/// What is dangerous about the plan of a zone as a whole: the zone, the code, what happens.
pub(super) fn zone_dangers(zone: &ZonePlan) -> impl Iterator<Item = (&str, &'static str, String)> {
    zone.dangers.iter().map(|danger| {
        let why = zone.accepted.get(danger).map(|why| format!("; accepted in the spec: {why}")).unwrap_or_default();
        (zone.name.as_str(), danger.code(), format!("{}{why}", danger.about()))
    })
}

/// What a zone is, in a few words.
pub(super) fn zone_words(zone: &ZonePlan) -> String {
    if zone.is_new { "new zone".to_owned() } else { format!("{} plan", zone.tier.facts().name) }
}

/// What of a zone needs nothing or is left alone, in words.
pub(super) fn rest(zone: &ZonePlan) -> String {
    let mut parts = vec![format!("{} unchanged", zone.unchanged)];
    if zone.rules_unchanged > 0 {
        let noun = if zone.rules_unchanged == 1 { "rule" } else { "rules" };
        parts.push(format!("{} {noun} unchanged", zone.rules_unchanged));
    }
    parts.extend(zone.set_aside.iter().map(|aside| {
        let types: Vec<_> = aside.types.iter().map(|(name, count)| format!("{count} {name}")).collect();
        format!("{} {}, left alone ({})", aside.count(), aside.reason, types.join(", "))
    }));
    parts.join("; ")
}

/// The cause in words, where it is not the plain wish of the spec.
fn cause(cause: Cause, modified_on: Option<&String>) -> Option<String> {
    let when = modified_on.map(|time| format!(" (last changed {time})")).unwrap_or_default();
    match cause {
        Cause::Drift => Some(format!("takes back a change made outside{when}")),
        Cause::Both => Some(format!("changed in the spec, and by somebody else as well{when}")),
        Cause::Spec | Cause::Unknown => None,
    }
}

/// An operation on the zone itself.
fn zone_row(operation: &ZoneOperation) -> Row<'_> {
    let ZoneOperation { address, action, fields, cause: why_here, dangers, accepted, modified_on, place } = operation;
    let (mark, kind, name) = match action {
        ZoneAction::Create => (Mark::Create, "zone", address.as_str()),
        ZoneAction::Change(ZonePart::Setting { name, .. }) => (Mark::Update, "setting", name.as_str()),
        ZoneAction::Change(ZonePart::Dnssec { .. }) => (Mark::Update, "dnssec", ""),
        ZoneAction::Change(ZonePart::DnsSettings { .. }) => (Mark::Update, "dns_settings", ""),
    };
    let known = |value: &Value| if *value == Value::Null { "unknown".to_owned() } else { value.to_string() };
    let fields = fields.iter().map(|change| Field {
        name: change.field.clone(),
        before: Some(known(&change.before)),
        after: Some(change.after.to_string()),
    });
    Row {
        mark,
        kind,
        name: name.into(),
        type_name: "",
        address: address.as_str(),
        before: None,
        after: None,
        aside: String::new(),
        fields: fields.collect(),
        why: "",
        cause: cause(*why_here, modified_on.as_ref()),
        direction: None,
        impact: &[],
        dangers,
        accepted,
        place: Some(*place),
    }
}

/// An operation on a rule.
fn rule_row(operation: &RuleOperation) -> Row<'_> {
    let RuleOperation {
        address,
        phase,
        name,
        action,
        fields,
        impact,
        expect: _,
        reverse: _,
        cause: why_here,
        dangers,
        accepted,
        modified_on,
        place,
    } = operation;
    let (mark, kind, why) = match action {
        RuleAction::CreateEntryPoint { .. } => (Mark::Create, "rules", "the first of their phase"),
        RuleAction::Create { .. } => (Mark::Create, "rule", ""),
        RuleAction::Patch { position: Some(_), .. } => (Mark::Update, "rule", "changed and moved"),
        RuleAction::Patch { position: None, .. } => (Mark::Update, "rule", ""),
        RuleAction::Move { .. } => (Mark::Move, "rule", "moved, and otherwise as it is"),
        RuleAction::Delete { reason, .. } => {
            let why = match reason {
                RuleDeleteReason::Expired => "its last day is over",
                RuleDeleteReason::Absent => "the spec says state: absent",
                RuleDeleteReason::Pruned => "not in the spec, and the section is pruned",
                RuleDeleteReason::Undone => "made by the apply that is undone",
            };
            (Mark::Delete, "rule", why)
        }
    };
    Row {
        mark,
        kind,
        name: name.as_str().into(),
        type_name: phase.about(),
        address: address.as_str(),
        before: None,
        after: None,
        aside: String::new(),
        fields: rule_fields(fields),
        why,
        cause: cause(*why_here, modified_on.as_ref()),
        direction: Some(impact.direction),
        impact: &impact.lines,
        dangers,
        accepted,
        place: *place,
    }
}

/// An operation on a record.
fn record_row(operation: &Operation) -> Row<'_> {
    let Operation {
        address,
        shown_name,
        action,
        fields,
        expect: _,
        reverse: _,
        cause: why_here,
        dangers,
        accepted,
        modified_on,
        place,
    } = operation;
    let (mark, before, after, aside, why) = match action {
        Action::CreateRecord { after } => (Mark::Create, None, Some(after), facets(after), ""),
        Action::PatchRecord { before, after, .. } => (Mark::Update, Some(&**before), Some(&**after), String::new(), ""),
        Action::DeleteRecord { before, reason, .. } => {
            let why = match reason {
                DeleteReason::Tombstone => "the spec says state: absent",
                DeleteReason::Pruned => "not in the spec, and the zone is pruned",
                DeleteReason::InTheWay => "makes room for another record at this name",
                DeleteReason::Removed => "removed from the spec",
                DeleteReason::Undone => "made by the apply that is undone",
            };
            (Mark::Delete, Some(&**before), None, facets(before), why)
        }
    };
    let beside = |change: &&FieldChange| {
        matches!(change.field.as_str(), "ttl" | "proxied" | "comment" | "tags") || change.field.starts_with("settings.")
    };
    Row {
        mark,
        kind: "record",
        name: shown_name.as_str().into(),
        type_name: operation.form().data.type_name(),
        address: address.as_str(),
        before: before.map(|form| form.data.presentation()),
        after: after.map(|form| form.data.presentation()),
        aside,
        // What is within the value is seen in the value.
        fields: if mark == Mark::Update { fields.iter().filter(beside).map(facet).collect() } else { Vec::new() },
        why,
        cause: cause(*why_here, modified_on.as_ref()),
        direction: None,
        impact: &[],
        dangers,
        accepted,
        place: *place,
    }
}

/// A facet of a record that changes.
fn facet(change: &FieldChange) -> Field {
    let words = |value: &Value| match (change.field.as_str(), value) {
        ("ttl", Value::Integer(1)) => "auto".to_owned(),
        ("comment", Value::Text(text)) => format!("\"{text}\""),
        _ => value.to_string(),
    };
    Field { name: change.field.clone(), before: Some(words(&change.before)), after: Some(words(&change.after)) }
}

/// The fields of a rule; single rules of a managed ruleset that are switched in the same way share one.
pub(super) fn rule_fields(fields: &[FieldChange]) -> Vec<Field> {
    let switched = |change: &FieldChange| {
        let (whole, rule) = change.field.strip_suffix(".enabled")?.split_once("rules.")?;
        Some((whole.to_owned(), rule.to_owned()))
    };
    let said = |value: &Value, words: String| (*value != Value::Null).then_some(words);
    let mut all = Vec::new();
    let mut groups: Vec<((String, Value, Value), Vec<String>)> = Vec::new();
    for change in fields {
        let Some((whole, rule)) = switched(change) else {
            all.push(Field {
                name: change.field.clone(),
                before: said(&change.before, setting(&change.field, &change.before)),
                after: Some(setting(&change.field, &change.after)),
            });
            continue;
        };
        let key = (whole, change.before.clone(), change.after.clone());
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, rules)) => rules.push(rule),
            None => groups.push((key, vec![rule])),
        }
    }
    all.extend(groups.into_iter().map(|((whole, before, after), rules)| {
        let word = |value: &Value| match value {
            Value::Bool(true) => "on".to_owned(),
            Value::Bool(false) => "off".to_owned(),
            Value::Null | Value::Integer(_) | Value::Decimal(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => {
                "as the ruleset has it".to_owned()
            }
        };
        let noun = if rules.len() == 1 { "rule" } else { "rules" };
        Field {
            name: format!("{whole}{noun} {}", rules.join(", ")),
            before: said(&before, word(&before)),
            after: Some(word(&after)),
        }
    }));
    all
}

/// A setting of a rule, thresholds with their word.
fn setting(field: &str, value: &Value) -> String {
    let word = match (field.rsplit('.').next(), value) {
        (Some("threshold"), Value::Integer(number)) => u32::try_from(*number).ok().and_then(threshold_word),
        _ => None,
    };
    word.map_or_else(|| value.to_string(), |word| format!("{word} ({value})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_switched_alike_share_a_field() {
        let change = |field: &str, before: Value, after: Value| FieldChange { field: field.to_owned(), before, after };
        let fields = rule_fields(&[
            change("owasp.rules.1.enabled", Value::Null, Value::Bool(false)),
            change("owasp.threshold", Value::Integer(40), Value::Integer(60)),
            change("owasp.rules.2.enabled", Value::Null, Value::Bool(false)),
        ]);
        let shown: Vec<_> = fields.iter().map(|f| (f.name.as_str(), f.before.as_deref(), f.after.as_deref())).collect();
        assert_eq!(
            shown,
            [("owasp.threshold", Some("medium (40)"), Some("low (60)")), ("owasp.rules 1, 2", None, Some("off")),]
        );
    }

    #[test]
    fn tallies_say_what_there_is() {
        assert_eq!(Tally { create: 1, update: 0, delete: 2 }.words(), "1 to create, 2 to delete");
        assert_eq!(Tally::default().words(), "nothing to do");
    }
}
