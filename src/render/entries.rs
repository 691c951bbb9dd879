//! The plan of a zone as outputs for reviewers show it: the one model between a plan and these
//! outputs.
//!
//! The operations of a plan are in the order of execution. A reviewer needs the most important
//! operations first, and related operations as one entry:
//!
//! | entry | operations |
//! |---|---|
//! | a rename | a delete and a create of the same value at another name |
//! | a swap | two updates, each of which sets the other's previous value |
//! | the same change | at least [`FEWEST`] operations on records that differ only in their names |
//! | one operation | any other |
//!
//! Changes of comments and tags alone come last, and pages fold them. Programs get the plan
//! unchanged, see [`crate::document`].

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::display_order::{Weight, sort_key};
use super::names_in_words::{in_few_words, with_unicode};
use super::operation_view::{Attention, FieldView, OperationView, Side, Tally};
use super::overwritten_value::{LiveView, span};
use super::record_in_words;
use crate::insight::Sentence;
use crate::model::{Fqdn, Gather, ZoneName, sort_by_key};
use crate::plan::{Action, Operation, ZonePlan};

/// Minimum number of operations that are shown as the same change.
pub(super) const FEWEST: usize = 3;

/// Maximum number of names, or runs of names, at the beginning of an entry.
pub(super) const NAMES: usize = 6;

/// Maximum number of names, or runs of names, at the beginning of a dangerous entry.
const DANGEROUS_NAMES: usize = 60;

/// Maximum number of unchanged values that are shown beside a changed one.
pub(super) const BESIDE: usize = 10;

/// One operation of an entry.
#[derive(Debug, Clone)]
pub(super) struct Member<'a> {
    /// Its index in the plan of the zone.
    pub(super) number: usize,
    operation: &'a Operation,
    /// The view of the operation.
    pub(super) view: OperationView<'a>,
}

/// One or more operations that a reviewer reads as one.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    /// The view of all of its operations.
    pub(super) view: OperationView<'a>,
    /// Its operations, in the order of the plan; never empty.
    pub(super) members: Vec<Member<'a>>,
    /// The live values that stay unchanged beside the changed one.
    pub(super) beside: Vec<String>,
    weight: Weight,
    /// Its importance without its dangers.
    kind: Weight,
}

/// The plan of a zone as entries.
#[derive(Debug)]
pub(super) struct ZoneEntries<'a> {
    /// The plan.
    pub(super) zone: &'a ZonePlan,
    /// Entries except those in `notes`, by importance.
    pub(super) entries: Vec<Entry<'a>>,
    /// Changes of comments and tags alone.
    pub(super) notes: Vec<Entry<'a>>,
    /// Entries that are shown in other zones.
    pub(super) repeated: Vec<Entry<'a>>,
    /// The zones in which they are shown.
    pub(super) shown_in: BTreeSet<&'a ZoneName>,
    /// A sentence about the live objects that are as the previous spec wanted them.
    pub(super) live: Option<String>,
}

impl<'a> ZoneEntries<'a> {
    /// Groups the operations of a plan into entries.
    pub(super) fn of(zone: &'a ZonePlan) -> Self {
        let operations = zone.operations.iter().enumerate();
        let members: Vec<Member<'a>> = operations
            .map(|(number, operation)| Member {
                number,
                operation,
                view: OperationView::of(operation),
            })
            .collect();
        let mut entries: Vec<Entry<'a>> =
            grouped(members).into_iter().map(|group| Entry::new(group, &zone.name)).collect();
        let is_new = zone.live_records == 0;
        sort_by_key(&mut entries, |entry| {
            sort_key(
                entry.weight,
                entry.kind,
                entry.view.by_weight(),
                is_new,
                entry.members[0].number,
            )
        });
        // The unchanged values of a record set are shown once, at its last change.
        let mut done = BTreeSet::new();
        for entry in entries.iter_mut().rev() {
            entry.beside = entry.set().filter(|set| done.insert(*set)).map_or_else(
                Vec::new,
                |(name, type_name)| {
                    let values = zone
                        .beside
                        .get(&(name.clone(), type_name.to_owned()))
                        .into_iter()
                        .flatten();
                    values.map(|value| with_unicode(&value.presentation()).into_owned()).collect()
                },
            );
        }
        let live = fold_live(&mut entries);
        let notes = entries
            .split_off(entries.partition_point(|entry| is_new || entry.weight < Weight::Notes));
        Self { zone, entries, notes, repeated: Vec::new(), shown_in: BTreeSet::new(), live }
    }

    /// Returns the sentences about the zone that follow from its entries.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        self.repeated_in_words().into_iter().chain(self.live.clone())
    }

    /// Iterates over all entries that are shown in this zone, by importance.
    pub(super) fn all(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.entries.iter().chain(&self.notes)
    }

    /// Returns the number of dangerous operations that are not accepted.
    pub(super) fn dangers(&self) -> usize {
        let members = self.entries.iter().chain(&self.repeated).flat_map(|entry| &entry.members);
        members.filter(|member| member.view.attention() > Attention::Doubt).count()
    }

    /// Returns the highest attention that one of its operations needs.
    pub(super) fn attention(&self) -> Attention {
        let entries = self.entries.iter().chain(&self.repeated);
        entries.map(|entry| entry.view.attention()).max().unwrap_or(Attention::Plain)
    }

    /// Returns true if anything except comments and tags changes.
    pub(super) fn matters(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Returns true if there is nothing to report about the zone.
    pub(super) fn is_quiet(&self) -> bool {
        self.zone.is_empty() && self.zone.notes.is_empty() && self.zone.impact.is_empty()
    }

    /// Counts its operations.
    pub(super) fn tally(&self) -> Tally {
        let entries = self.all().chain(&self.repeated);
        entries.fold(Tally::default(), |tally, entry| tally.and(entry.tally()))
    }

    /// Describes the changes of comments and tags in one line, and lists the names of the records;
    /// `None` if there are none.
    pub(super) fn notes_in_a_line(&self) -> Option<(String, String)> {
        let names: Vec<&str> = self.notes.iter().flat_map(Entry::names).collect();
        let what = match names.len() {
            0 => return None,
            1 => "the comment or tags of 1 record change".to_owned(),
            number => format!("the comments or tags of {number} records change"),
        };
        Some((what, in_few_words(names, NAMES)))
    }
}

impl<'a> Entry<'a> {
    /// Creates the entry of a group.
    fn new(Group { kind, members }: Group<'a>, zone: &ZoneName) -> Self {
        let view = match kind {
            Kind::One => members[0].view.clone(),
            Kind::Rename => rename(&members),
            Kind::Swap => swap(&members),
            Kind::Same => same(&members),
        };
        let lowest = |weight: fn(&Member<'_>, &ZoneName) -> Weight| {
            members.iter().map(|member| weight(member, zone)).min()
        };
        let weight =
            lowest(|member, zone| Weight::of(member.operation, member.view.is_loud(), zone));
        let kind = lowest(|member, zone| Weight::of(member.operation, false, zone));
        let (weight, kind) = (weight.unwrap_or(Weight::Others), kind.unwrap_or(Weight::Others));
        Self { view, members, beside: Vec::new(), weight, kind }
    }

    /// Counts its operations.
    pub(super) fn tally(&self) -> Tally {
        Tally::of(self.members.iter().map(|member| member.view.action))
    }

    /// Returns true if the entry is the same change on several records.
    pub(super) fn is_same_change(&self) -> bool {
        self.members.len() >= FEWEST
    }

    /// Returns the names of its records in the author's spelling, with repetitions.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.members
            .iter()
            .filter_map(|member| Some(member.operation.record()?.shown_name.as_str()))
    }

    /// Returns the record set of the changed value; `None` if the entry has several names, or no
    /// value changes.
    fn set(&self) -> Option<(&'a Fqdn, &'a str)> {
        if self.is_same_change() {
            return None;
        }
        let member = self.members.iter().rev().find(|member| changes_value(member.operation))?;
        let form = member.operation.record()?.form();
        Some((&form.name, form.data.type_name()))
    }
}

/// Removes from entries that need no attention that the previous spec wanted their live objects as
/// they are. Returns the sentence that says so of all of them, if there are at least [`FEWEST`].
fn fold_live(entries: &mut [Entry<'_>]) -> Option<String> {
    let is_expected = |entry: &Entry<'_>| entry.view.live.was_wanted && !entry.view.is_loud();
    let mut expected: Vec<&mut Entry<'_>> =
        entries.iter_mut().filter(|entry| is_expected(entry)).collect();
    let number = expected.iter().map(|entry| entry.members.len()).sum::<usize>();
    if number < FEWEST {
        return None;
    }
    let dated = expected.iter().filter(|entry| entry.view.live.changed.is_some());
    let members = dated.flat_map(|entry| &entry.members);
    let times = members.filter_map(|member| member.operation.modified_on.as_deref());
    let changed = span(times.gather()).map(|time| format!("; last changed {time}"));
    for entry in &mut expected {
        entry.view.live.was_wanted = false;
        entry.view.live.changed = None;
    }
    let changed = changed.unwrap_or_default();
    Some(format!("live: {number} objects are as the previous spec wanted them{changed}"))
}

/// Returns true if an operation changes the value of a record.
fn changes_value(operation: &Operation) -> bool {
    operation.record().is_some_and(|record| {
        let (before, after) = (record.change.before(), record.change.after());
        before.map(|form| &form.data) != after.map(|form| &form.data)
    })
}

/// The reason why operations form one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    One,
    Rename,
    Swap,
    Same,
}

/// Operations that form one entry.
struct Group<'a> {
    kind: Kind,
    members: Vec<Member<'a>>,
}

/// Groups all operations of a zone.
fn grouped(members: Vec<Member<'_>>) -> Vec<Group<'_>> {
    let pairs = pairs(&members);
    let mut partner: HashMap<usize, (usize, Kind)> = HashMap::new();
    for (one, other, kind) in pairs {
        partner.insert(one, (other, kind));
        partner.insert(other, (one, kind));
    }
    let mut same_changes: HashMap<SameKey, Vec<usize>> = HashMap::new();
    for (number, member) in members.iter().enumerate() {
        if !partner.contains_key(&number)
            && let Some(key) = SameKey::of(member)
        {
            same_changes.entry(key).or_default().push(number);
        }
    }
    let mut leads: HashMap<usize, Vec<usize>> = HashMap::new();
    for numbers in same_changes.into_values().filter(|numbers| numbers.len() >= FEWEST) {
        leads.insert(numbers[0], numbers);
    }
    let followers: BTreeSet<usize> =
        leads.values().flat_map(|numbers| numbers[1..].iter().copied()).gather();
    let mut ungrouped: Vec<Option<Member<'_>>> = members.into_iter().map(Some).collect();
    let mut groups = Vec::new();
    for number in 0..ungrouped.len() {
        if followers.contains(&number) {
            continue;
        }
        let (kind, numbers) = match (partner.get(&number), leads.remove(&number)) {
            (Some((other, kind)), _) => (*kind, vec![number, *other]),
            (None, Some(numbers)) => (Kind::Same, numbers),
            (None, None) => (Kind::One, vec![number]),
        };
        let members: Vec<Member<'_>> =
            numbers.into_iter().filter_map(|n| ungrouped[n].take()).collect();
        if !members.is_empty() {
            groups.push(Group { kind, members });
        }
    }
    groups
}

/// The type, the name and the values of a change: two changes with exchanged values are a swap.
type ExchangedValues<'a> = (&'a str, &'a str, Cow<'a, str>, Cow<'a, str>);

/// Returns pairs of indices of members that are a rename or a swap. A value that is created or
/// deleted more than once belongs to no pair.
fn pairs(members: &[Member<'_>]) -> Vec<(usize, usize, Kind)> {
    let (mut gone, mut come): (HashMap<_, Vec<usize>>, HashMap<_, Vec<usize>>) = Default::default();
    let mut changed: HashMap<ExchangedValues<'_>, Vec<usize>> = HashMap::new();
    for (number, Member { view, operation, .. }) in members.iter().enumerate() {
        let Some(record) = operation.record() else { continue };
        match (view.action, view.before.as_deref(), view.after.as_deref()) {
            (Action::Delete, Some(value), _) => {
                gone.entry((view.type_name, value)).or_default().push(number);
            }
            (Action::Create, _, Some(value)) => {
                come.entry((view.type_name, value)).or_default().push(number);
            }
            (Action::Update, Some(before), Some(after))
                if view.fields.is_empty() && before != after =>
            {
                changed
                    .entry((view.type_name, "", before.into(), after.into()))
                    .or_default()
                    .push(number);
                // At one name, two hosts are swapped if they exchange their priorities.
                if let [change] = operation.fields.as_slice()
                    && change.field.to_string() == "priority"
                {
                    let name = record.form().name.as_str();
                    let (before, after) = (change.before.to_string(), change.after.to_string());
                    changed
                        .entry((view.type_name, name, before.into(), after.into()))
                        .or_default()
                        .push(number);
                }
            }
            _ => {}
        }
    }
    let renamed = gone.iter().filter_map(|(value, numbers)| {
        match (numbers.as_slice(), come.get(value)?.as_slice()) {
            ([one], [other]) => Some((*one, *other, Kind::Rename)),
            _ => None,
        }
    });
    let swapped = changed.iter().filter_map(|((type_name, name, before, after), numbers)| {
        match (
            numbers.as_slice(),
            changed.get(&(*type_name, *name, after.clone(), before.clone()))?.as_slice(),
        ) {
            ([one], [other]) if one < other => Some((*one, *other, Kind::Swap)),
            _ => None,
        }
    });
    let mut pairs: Vec<(usize, usize, Kind)> = renamed.chain(swapped).collect();
    sort_by_key(&mut pairs, |(one, other, _)| (*one, *other));
    let mut paired = BTreeSet::new();
    pairs.retain(|(one, other, _)| {
        let is_free = !paired.contains(one) && !paired.contains(other);
        if is_free {
            paired.extend([*one, *other]);
        }
        is_free
    });
    pairs
}

/// The common part of operations that are the same change. Only the names differ; if values stay,
/// the values may differ as well.
#[derive(PartialEq, Eq, Hash)]
struct SameKey {
    action: Action,
    type_name: String,
    value: Option<(Option<String>, Option<String>)>,
    aside: String,
    fields: Vec<FieldView>,
    why: String,
    cause: Option<String>,
    live: LiveView,
    dangers: Vec<&'static str>,
    accepted: Vec<(&'static str, String)>,
    impact: Vec<Sentence>,
}

impl SameKey {
    /// Returns the common part of an operation on a record.
    fn of(Member { operation, view, .. }: &Member<'_>) -> Option<Self> {
        operation.record()?;
        let value = (view.before.clone(), view.after.clone());
        Some(Self {
            action: view.action,
            type_name: view.type_name.to_owned(),
            value: (value.0 != value.1).then_some(value),
            aside: view.aside.clone(),
            fields: view.fields.clone(),
            why: view.why.in_full(),
            cause: operation.cause.about(None),
            live: LiveView { changed: None, ..view.live.clone() },
            dangers: view.dangers.iter().map(|danger| danger.code()).collect(),
            accepted: view
                .accepted
                .iter()
                .map(|(danger, reason)| (danger.code(), reason.clone()))
                .collect(),
            impact: nameless(operation, view),
        })
    }
}

/// Returns the effect of an operation, with other words for the name of its record.
fn nameless(operation: &Operation, view: &OperationView<'_>) -> Vec<Sentence> {
    let Some(name) = operation.record().map(|record| record.form().name.as_str()) else {
        return Vec::new();
    };
    view.impact.iter().map(|sentence| sentence.with_words_for(name, "each name")).collect()
}

/// Creates the view of the same change on many records.
fn same<'a>(members: &[Member<'a>]) -> OperationView<'a> {
    let first = &members[0];
    let names =
        members.iter().filter_map(|member| Some(member.operation.record()?.shown_name.as_str()));
    let name_limit = if first.view.is_loud() { DANGEROUS_NAMES } else { NAMES };
    let stays = first.view.before == first.view.after;
    let is_one_value = members.iter().all(|member| member.view.after == first.view.after);
    let is_over = first.view.live.changed.is_some() || first.view.cause.is_some();
    let times = members
        .iter()
        .filter(|_| is_over)
        .filter_map(|member| member.operation.modified_on.as_deref());
    let changed = span(times.gather());
    OperationView {
        number: members.len(),
        name: Cow::Owned(in_few_words(names, name_limit)),
        before: first.view.before.clone().filter(|_| !stays || is_one_value),
        after: first.view.after.clone().filter(|_| !stays || is_one_value),
        cause: first.operation.cause.about(None),
        live: LiveView { changed, ..first.view.live.clone() },
        impact: Cow::Owned(nameless(first.operation, &first.view)),
        ..first.view.clone()
    }
}

/// Creates the view of a rename.
fn rename<'a>(members: &[Member<'a>]) -> OperationView<'a> {
    let (gone, come) = match members[0].view.action {
        Action::Delete => (&members[0], &members[1]),
        Action::Create | Action::Update | Action::Move => (&members[1], &members[0]),
    };
    let (old, new) = (&gone.view, &come.view);
    let forms = (gone.operation.record(), come.operation.record());
    let differs = matches!(forms, (Some(gone), Some(come)) if record_in_words::differ(gone.form(), come.form()));
    let attributes = FieldView {
        name: "attributes".to_owned(),
        is_whole: false,
        before: if old.aside.is_empty() { Side::Nothing } else { Side::Value(old.aside.clone()) },
        after: if new.aside.is_empty() {
            record_in_words::defaults_in_words()
        } else {
            new.aside.clone()
        },
    };
    OperationView {
        verb: "rename",
        action: Action::Update,
        name: Cow::Owned(format!("{} → {}", old.name, new.name)),
        before: new.after.clone(),
        aside: if differs { String::new() } else { new.aside.clone() },
        fields: if differs { vec![attributes] } else { Vec::new() },
        why: old.why.clone(),
        live: old.live.clone(),
        place: new.place.or(old.place),
        ..both(old, new)
    }
}

/// Creates the view of a swap.
fn swap<'a>(members: &[Member<'a>]) -> OperationView<'a> {
    let (one, other) = (&members[0].view, &members[1].view);
    let is_one_name = one.name == other.name;
    let field = |view: &OperationView<'_>| FieldView {
        name: if is_one_name { String::new() } else { view.name.to_string() },
        is_whole: is_one_name,
        before: view.before.clone().map_or(Side::Nothing, Side::Value),
        after: view.after.clone().unwrap_or_default(),
    };
    OperationView {
        verb: "swap",
        name: if is_one_name {
            one.name.clone()
        } else {
            Cow::Owned(format!("{} ⇄ {}", one.name, other.name))
        },
        before: None,
        after: None,
        fields: vec![field(one), field(other)],
        live: one.live.and(&other.live),
        ..both(one, other)
    }
}

/// Merges the effects, dangers and notes of two operations.
fn both<'a>(one: &OperationView<'a>, other: &OperationView<'a>) -> OperationView<'a> {
    let dangers: BTreeSet<_> = one.dangers.iter().chain(other.dangers.iter()).copied().gather();
    // A danger of both operations is accepted only if both spec entries accept it.
    let is_open = |view: &OperationView<'_>, danger| {
        view.dangers.contains(&danger) && !view.accepted.contains_key(&danger)
    };
    let accepted = one.accepted.iter().chain(other.accepted.iter());
    let accepted =
        accepted.filter(|(danger, _)| !is_open(one, **danger) && !is_open(other, **danger));
    let mut impact = one.impact.to_vec();
    impact.extend(other.impact.iter().filter(|line| !one.impact.contains(line)).cloned());
    OperationView {
        number: 2,
        cause: one.cause.clone().or_else(|| other.cause.clone()),
        accepted: Cow::Owned(accepted.map(|(danger, reason)| (*danger, reason.clone())).gather()),
        dangers: Cow::Owned(dangers.into_iter().collect()),
        impact: Cow::Owned(impact),
        ..other.clone()
    }
}
