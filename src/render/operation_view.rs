//! Any operation of a plan as one neutral view: the only module that describes operations for
//! reviewers. [`entries`](super::entries) sorts the views, and pages show them.
//!
//! The input is an operation on a zone, a setting, a rule or a record. The output is the action,
//! the object, both values, and the effect, as plain text. Nothing is escaped here, although names
//! and values may come from anyone: each output escapes them by its own rules.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::findings::Findings;
use super::names_in_words::{in_both_forms, in_words};
use super::overwritten_value::LiveView;
use super::record_in_words::{attribute, facets, value};
use super::textdiff::Compared;
use crate::diagnostic::{Place, Sources, count, noun_for};
use crate::diff::{Field, FieldChange, Override, RuleField, ZoneSetting};
use crate::document::place::place;
use crate::insight::{Direction, Sentence};
use crate::model::managed::threshold_keyword;
use crate::model::{Danger, Facets, RecordForm, Value};
use crate::plan::{
    Action, MissingConsent, Operation, Plan, RecordSubject, RuleSubject, Subject, Verdict, Why,
    ZonePlan,
};

/// A plan with its context for a reviewer.
#[derive(Debug, Clone, Copy)]
pub struct Review<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The decision if the plan may be applied.
    pub verdict: &'a Verdict,
    /// Number of requests that an apply sends.
    pub requests_to_apply: usize,
    /// The source texts of the spec.
    pub sources: &'a Sources,
}

impl<'a> Review<'a> {
    /// Returns the findings of planning.
    pub(super) fn findings(&self) -> Findings<'a> {
        Findings {
            command: "plan",
            diagnostics: &self.plan.diagnostics,
            sources: self.sources,
            holds: None,
        }
    }

    /// Returns the missing consents.
    pub(super) fn missing(&self) -> &'a [MissingConsent] {
        match self.verdict {
            Verdict::NeedsConsent(missing) => missing,
            Verdict::InSync | Verdict::Ready | Verdict::Incomplete => &[],
        }
    }

    /// Describes the number of operations that revert changes made outside the spec.
    pub(super) fn outside(&self) -> Option<String> {
        let operations = self.plan.zones.iter().flat_map(|zone| &zone.operations);
        match operations.filter(|o| o.cause.about(None).is_some()).count() {
            0 => None,
            1 => Some("1 operation reverts what someone changed outside the spec".to_owned()),
            count => {
                Some(format!("{count} operations revert what someone changed outside the spec"))
            }
        }
    }

    /// Returns the verdict for a heading. A plan with dangers is never just "ready": the page shows
    /// each danger with its consent.
    pub(super) fn verdict_words(&self) -> &'static str {
        match self.verdict {
            Verdict::InSync => "in sync",
            Verdict::Ready if self.is_dangerous() => {
                "ready to apply, with consent for every danger"
            }
            Verdict::Ready => "ready to apply",
            Verdict::NeedsConsent(_) => "needs consent",
            Verdict::Incomplete => "incomplete, cannot be applied",
        }
    }

    /// Returns true if any operation is dangerous, accepted or not.
    fn is_dangerous(&self) -> bool {
        let mut zones = self.plan.zones.iter();
        let is_loud =
            |zone: &ZonePlan| !zone.dangers.is_empty() || views(zone).any(|view| view.is_loud());
        !self.plan.consents_given.is_empty() || zones.any(is_loud)
    }
}

/// The section of a zone that an object belongs to; each has its own layout on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// The zone itself and its settings.
    Zone,
    /// Its rules.
    Rules,
    /// Its records.
    Records,
}

/// One side of a field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Side {
    /// No value.
    Nothing,
    /// A value that could not be read.
    Unknown,
    /// A value as text.
    Value(String),
}

impl Side {
    /// Returns the text, if there is a value.
    pub(super) fn words(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Unknown => Some("unknown"),
            Self::Value(words) => Some(words),
        }
    }
}

/// One field that changes, as text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FieldView {
    pub(super) name: String,
    /// True if the object has no other field, so that the name adds nothing.
    pub(super) is_whole: bool,
    /// The value before the change.
    pub(super) before: Side,
    /// The value after the change.
    pub(super) after: String,
}

/// One operation, or several that a reviewer reads as one.
#[derive(Debug, Clone)]
pub(super) struct OperationView<'a> {
    /// The action.
    pub(super) action: Action,
    /// The verb: that of the action, `rename` or `swap`.
    pub(super) verb: &'static str,
    /// The number of operations.
    pub(super) number: usize,
    /// The section of the zone that it belongs to.
    pub(super) section: Section,
    /// The kind of object: `record`, `rule`, `rules`, `zone`, `setting`, …
    pub(super) kind: &'static str,
    /// Its display name.
    pub(super) name: Cow<'a, str>,
    /// Cloudflare's id, if a reviewer may need it.
    pub(super) id: Option<&'a str>,
    /// The type of a record, the phase of a rule; may be empty.
    pub(super) type_name: &'a str,
    /// Its address.
    pub(super) address: &'a str,
    /// The value before the change, if the object has one value.
    pub(super) before: Option<String>,
    /// The value after the change, if the object has one value.
    pub(super) after: Option<String>,
    /// Other attributes of an object that is created or deleted.
    pub(super) aside: String,
    /// The fields that change in addition to the value.
    pub(super) fields: Vec<FieldView>,
    /// The reason, if it is not just the spec.
    pub(super) why: Why,
    /// The cause of the change, if it is not the author of the spec.
    pub(super) cause: Option<String>,
    /// The direction of the protection, if it is judged.
    pub(super) direction: Option<Direction>,
    /// Attributes of the live object that it overwrites or deletes.
    pub(super) live: LiveView,
    /// Its effect on traffic, and on DNS clients.
    pub(super) impact: Cow<'a, [Sentence]>,
    /// Its dangers.
    pub(super) dangers: Cow<'a, [Danger]>,
    /// The dangers that the spec accepts, with the reasons.
    pub(super) accepted: Cow<'a, BTreeMap<Danger, String>>,
    /// The spec entry of the operation.
    pub(super) place: Option<Place>,
}

/// The attention that an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attention {
    /// An ordinary operation.
    Plain,
    /// A weakening that the spec accepts, or an unknown effect.
    Doubt,
    /// A danger.
    Danger,
    /// A weakening of the protection that the spec does not accept.
    Weakening,
}

impl OperationView<'_> {
    /// Returns the attention that it needs.
    pub(super) fn attention(&self) -> Attention {
        // Deletes are always counted, accepted or not.
        let open =
            |danger: &&Danger| **danger == Danger::Delete || !self.accepted.contains_key(danger);
        match self.dangers.iter().filter(open).max_by_key(|d| **d == Danger::WeakensProtection) {
            Some(Danger::WeakensProtection) => Attention::Weakening,
            Some(_) => Attention::Danger,
            None if !self.dangers.is_empty()
                || self.direction.is_some_and(Direction::may_weaken) =>
            {
                Attention::Doubt
            }
            None => Attention::Plain,
        }
    }

    /// Returns the sort key of the entries that need attention: the attention first, then the weight
    /// of the heaviest danger that is not accepted.
    pub(super) fn by_weight(&self) -> (Reverse<Attention>, usize) {
        let open = self.dangers.iter().filter(|danger| !self.accepted.contains_key(danger));
        (Reverse(self.attention()), open.map(|danger| danger.rank()).min().unwrap_or(usize::MAX))
    }

    /// Returns true if it belongs in the list of dangers: it is dangerous, accepted or not.
    pub(super) fn is_loud(&self) -> bool {
        !self.dangers.is_empty() || self.weakens()
    }

    /// Describes its effects and its dangers. Each danger has a sentence.
    pub(super) fn explanations(&self) -> Vec<Cow<'_, str>> {
        let impact = self.impact.iter().map(in_words);
        let unexplained =
            self.dangers.iter().filter(|d| self.impact.is_empty() && **d != Danger::Delete);
        let live = self.live.words().map(Cow::Owned);
        impact.chain(unexplained.map(|danger| danger.about().into())).chain(live).collect()
    }

    /// Returns true if it lets traffic through that was stopped before, accepted or not.
    pub(super) fn weakens(&self) -> bool {
        match self.direction {
            Some(Direction::Weakens | Direction::Both) => true,
            Some(Direction::Neutral | Direction::Strengthens | Direction::Unclassified) | None => {
                false
            }
        }
    }

    /// Returns the kind of object, with the number of objects if there are several.
    pub(super) fn kinds(&self) -> Cow<'static, str> {
        if self.number > 1 { count(self.number, self.kind).into() } else { self.kind.into() }
    }

    /// Describes the object: `record www A`, `rule login (rate limits)`, `27 A records: host01 …
    /// host27`.
    pub(super) fn what(&self) -> String {
        if self.number > 1 && self.verb == self.action.as_str() {
            return format!(
                "{} {}: {}",
                self.number,
                noun_for(self.number, &format!("{} {}", self.type_name, self.kind)),
                self.name
            );
        }
        let type_name = if self.direction.is_some() {
            format!("({})", self.type_name)
        } else {
            self.type_name.into()
        };
        let words = [self.kind, &self.name, &type_name];
        words.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Describes the change in one line: the value, or the first fields. Empty if the effect on
    /// traffic is more informative.
    pub(super) fn change(&self) -> String {
        /// Maximum number of fields that are named.
        const FIELDS: usize = 3;
        if !self.impact.is_empty() && self.section == Section::Rules {
            return String::new();
        }
        let becomes = |before: Option<&str>, after: Option<&str>| match (before, after) {
            (Some(before), Some(after)) if before == after => None,
            (Some(before), Some(after)) => Some(Compared::of(before, after).in_a_line()),
            (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
            (None, None) => None,
        };
        let fields = self.fields.iter();
        let label =
            |f: &FieldView| if f.name.is_empty() { String::new() } else { format!("{}: ", f.name) };
        let fields = fields.filter_map(|f| {
            Some(format!("{}{}", label(f), becomes(f.before.words(), Some(&f.after))?))
        });
        becomes(self.before.as_deref(), self.after.as_deref())
            .into_iter()
            .chain(fields.take(FIELDS))
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Returns the file and line of the spec entry.
    pub(super) fn place(&self, sources: &Sources) -> Option<String> {
        place(self.place?, sources)
    }
}

/// The number of operations with each action.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    create: usize,
    update: usize,
    delete: usize,
}

impl Tally {
    pub(super) fn of(actions: impl IntoIterator<Item = Action>) -> Self {
        actions.into_iter().map(Self::from).fold(Self::default(), Self::and)
    }

    /// Returns the sum of both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            create: self.create + other.create,
            update: self.update + other.update,
            delete: self.delete + other.delete,
        }
    }

    /// Describes the counts: `1 to create, 2 to delete`.
    pub(super) fn words(self) -> String {
        let parts = [(self.create, "create"), (self.update, "update"), (self.delete, "delete")];
        let words: Vec<_> = parts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| format!("{n} to {word}"))
            .collect();
        if words.is_empty() { "nothing to do".to_owned() } else { words.join(", ") }
    }
}

impl From<Action> for Tally {
    fn from(action: Action) -> Self {
        let mut tally = Self::default();
        match action {
            Action::Create => tally.create = 1,
            Action::Update | Action::Move => tally.update = 1,
            Action::Delete => tally.delete = 1,
        }
        tally
    }
}

/// Returns the views of all operations of a zone, in the order of the plan.
pub(super) fn views(zone: &ZonePlan) -> impl Iterator<Item = OperationView<'_>> {
    zone.operations.iter().map(OperationView::of)
}

/// Returns the dangers of a zone's plan as a whole: the zone, the code, the effect.
pub(super) fn zone_dangers(zone: &ZonePlan) -> impl Iterator<Item = (&str, &'static str, String)> {
    zone.dangers.iter().map(|danger| {
        let why = zone
            .accepted
            .get(danger)
            .map(|why| format!("; accepted in the spec: {why}"))
            .unwrap_or_default();
        (zone.name.as_str(), danger.code(), format!("{}{why}", danger.about()))
    })
}

/// Describes a zone briefly.
pub(super) fn zone_words(zone: &ZonePlan) -> String {
    if zone.is_new { "new zone".to_owned() } else { format!("{} plan", zone.tier.facts().name) }
}

/// Describes the objects of a zone that are in sync or unmanaged.
pub(super) fn rest(zone: &ZonePlan) -> String {
    let mut parts = vec![format!("{} unchanged", zone.unchanged)];
    if zone.rules_unchanged > 0 {
        parts.push(format!("{} unchanged", count(zone.rules_unchanged, "rule")));
    }
    parts.extend(zone.set_aside.iter().map(|aside| {
        let types: Vec<_> =
            aside.types.iter().map(|(name, count)| format!("{count} {name}")).collect();
        format!("{}, left alone ({})", aside.words(), types.join(", "))
    }));
    parts.join("; ")
}

impl<'a> OperationView<'a> {
    /// Creates the view of an operation.
    pub(super) fn of(operation: &'a Operation) -> Self {
        let Operation {
            address,
            subject,
            fields,
            cause,
            impact,
            dangers,
            accepted,
            narrow: _,
            modified_on,
            place,
        } = operation;
        let action = operation.action();
        let is_over = matches!(action, Action::Update | Action::Delete);
        let cause = cause.about(modified_on.as_deref());
        // A cause already contains the time of the change.
        let changed = modified_on.clone().filter(|_| is_over && cause.is_none());
        let live = LiveView { changed, ..LiveView::default() };
        let view = Self {
            action,
            verb: action.as_str(),
            number: 1,
            section: Section::Zone,
            kind: subject.noun(),
            name: "".into(),
            id: None,
            type_name: "",
            address: address.as_str(),
            before: None,
            after: None,
            aside: String::new(),
            fields: Vec::new(),
            why: subject.why(),
            cause,
            live,
            direction: impact
                .as_ref()
                .filter(|_| operation.rule().is_some())
                .map(|impact| impact.direction),
            impact: impact
                .as_ref()
                .map_or(Cow::Borrowed(&[][..]), |impact| Cow::Borrowed(&impact.lines)),
            dangers: Cow::Borrowed(dangers),
            accepted: Cow::Borrowed(accepted),
            place: *place,
        };
        match subject {
            Subject::Zone => Self { name: address.as_str().into(), ..view },
            Subject::Setting(setting) => view.of_setting(setting, fields),
            Subject::Rule(rule) => view.of_rule(rule, fields),
            Subject::Record(record) => view.of_record(record, fields),
        }
    }

    /// Adds the details of a setting.
    fn of_setting(self, setting: &'a ZoneSetting, fields: &[FieldChange]) -> Self {
        let (name, is_whole) = match setting {
            ZoneSetting::Setting { name, .. } => (name.as_str(), true),
            ZoneSetting::Dnssec { .. } => ("", true),
            ZoneSetting::DnsSettings { .. } => ("", false),
        };
        let fields = fields.iter().map(|change| FieldView {
            name: change.field.to_string(),
            is_whole,
            before: match &change.before {
                Value::Null => Side::Unknown,
                value => Side::Value(value.to_string()),
            },
            after: change.after.to_string(),
        });
        Self { name: name.into(), fields: fields.collect(), ..self }
    }

    /// Adds the details of a rule.
    fn of_rule(self, rule: &'a RuleSubject, fields: &[FieldChange]) -> Self {
        // The fields of an updated rule contain its previous values; for a deleted rule, they are
        // kept here.
        let live = if self.action == Action::Delete { self.live } else { LiveView::default() };
        Self {
            live,
            section: Section::Rules,
            name: rule.name.as_str().into(),
            id: rule.action.id().map(|id| id.0.as_str()),
            type_name: rule.phase.about(),
            fields: rule_fields(fields),
            ..self
        }
    }

    /// Adds the details of a record.
    fn of_record(self, record: &'a RecordSubject, fields: &[FieldChange]) -> Self {
        let (before, after) = (record.change.before(), record.change.after());
        let is_update = self.action == Action::Update;
        // An object whose comment or tags alone change is not overwritten.
        let is_over =
            before.is_some() && before.map(|form| &form.data) != after.map(|form| &form.data);
        let mut live = if is_over { self.live } else { LiveView::default() };
        let fields: Vec<FieldView> = match is_update {
            // A change of a value's part is visible in the value.
            true => fields.iter().filter(|change| change.field.is_facet()).map(facet).collect(),
            false => Vec::new(),
        };
        if let Some(form) = before.filter(|_| is_over) {
            // Attributes that change are already among the fields.
            let stays = |field: &str| fields.iter().all(|f| f.name != field);
            live.take_notes(&form.facets);
            live.comments.retain(|_| stays("comment"));
            live.tags.retain(|_| stays("tags"));
            live.was_wanted = record.was_wanted;
        }
        // Comment and tags of a deleted record are among its live attributes.
        let bare = |form: &RecordForm| match self.action {
            Action::Delete => facets(&RecordForm {
                facets: Facets { comment: None, tags: None, ..form.facets.clone() },
                ..form.clone()
            }),
            Action::Create | Action::Update | Action::Move => facets(form),
        };
        Self {
            section: Section::Records,
            name: in_both_forms(&record.shown_name),
            type_name: record.form().data.type_name(),
            before: before.map(value),
            after: after.map(value),
            aside: if is_update { String::new() } else { bare(record.form()) },
            fields,
            live,
            ..self
        }
    }
}

/// Creates the view of a changed attribute of a record.
fn facet(change: &FieldChange) -> FieldView {
    FieldView {
        name: change.field.to_string(),
        is_whole: false,
        before: Side::Value(attribute(&change.field, &change.before)),
        after: attribute(&change.field, &change.after),
    }
}

/// Returns the fields of a rule. Rules of a managed ruleset with the same override share one field.
fn rule_fields(fields: &[FieldChange]) -> Vec<FieldView> {
    let switched = |field: &Field| match field {
        Field::Rule(RuleField::ManagedRule { rule, what: Override::Enabled }) => {
            Some((String::new(), rule.clone()))
        }
        Field::Rule(RuleField::Of { rule: whole, field }) => match &**field {
            RuleField::ManagedRule { rule, what: Override::Enabled } => {
                Some((format!("{whole}."), rule.clone()))
            }
            _ => None,
        },
        _ => None,
    };
    let side = |value: &Value, words: String| {
        if *value == Value::Null { Side::Nothing } else { Side::Value(words) }
    };
    let mut all = Vec::new();
    let mut groups: Vec<((String, Value, Value), Vec<String>)> = Vec::new();
    for change in fields {
        let Some((whole, rule)) = switched(&change.field) else {
            let name = change.field.to_string();
            all.push(FieldView {
                is_whole: false,
                before: side(&change.before, setting(&name, &change.before)),
                after: setting(&name, &change.after),
                name,
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
            Value::Null
            | Value::Integer(_)
            | Value::Decimal(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Map(_) => "as the ruleset has it".to_owned(),
        };
        let noun = noun_for(rules.len(), "rule");
        FieldView {
            name: format!("{whole}{noun} {}", rules.join(", ")),
            is_whole: false,
            before: side(&before, word(&before)),
            after: word(&after),
        }
    }));
    all
}

/// Formats a setting of a rule; thresholds have a keyword.
fn setting(field: &str, value: &Value) -> String {
    let word = match (field.rsplit('.').next(), value) {
        (Some("threshold"), Value::Integer(number)) => {
            u32::try_from(*number).ok().and_then(threshold_keyword)
        }
        _ => None,
    };
    word.map_or_else(|| value.to_string(), |word| format!("{word} ({value})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_switched_alike_share_a_field() {
        let change = |field: RuleField, before: Value, after: Value| {
            let field =
                Field::Rule(RuleField::Of { rule: "owasp".to_owned(), field: Box::new(field) });
            FieldChange { field, before, after }
        };
        let off = |rule: &str| {
            let field = RuleField::ManagedRule { rule: rule.to_owned(), what: Override::Enabled };
            change(field, Value::Null, Value::Bool(false))
        };
        let threshold = RuleField::Member("threshold".to_owned());
        let threshold = change(threshold, Value::Integer(40), Value::Integer(60));
        let fields = rule_fields(&[off("1"), threshold, off("2")]);
        let shown: Vec<_> =
            fields.iter().map(|f| (f.name.as_str(), f.before.words(), f.after.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("owasp.threshold", Some("medium (40)"), "low (60)"),
                ("owasp.rules 1, 2", None, "off")
            ]
        );
    }

    #[test]
    fn tallies_say_what_there_is() {
        assert_eq!(Tally { create: 1, update: 0, delete: 2 }.words(), "1 to create, 2 to delete");
        assert_eq!(Tally::default().words(), "nothing to do");
    }
}
