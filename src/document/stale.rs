//! Compares the reviewed operations of a plan with those that would be planned now. Pure.
//!
//! Only those parts of an operation are kept that the comparison needs: sums of it, and a few
//! words.
//!
//! A plan that was applied in part is resumed only for what is left of it. What its own progress
//! changes is no difference:
//!
//! | progress | what it changes in an operation that is left |
//! |---|---|
//! | a record is deleted and put back | its id, and when it was last changed |
//! | a rule of the phase is written | positions, which name other rules; what the rule means beside them |
//! | a zone is created | its settings have values before |
//! | the successor of a record is created | its delete is no replacement any more, so it has the danger `delete` |
//! | anything | the base is no longer what is live, so that it looks like drift; a danger may be over |
//!
//! A new danger is a difference, unless the progress of the plan can have caused it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::plan::{Operation, operations};
use crate::diagnostic::Sources;
use crate::model::{Address, ClosedSet, Danger, Gather, ZoneName};
use crate::plan::{Action, Plan, SubjectKind, SuccessorKey};
use crate::wire::json_digest::{ListSum, ObjectSum, Sum};
use crate::wire::keyword::Keyword;

/// Maximum number of members of one object.
const MOST_MEMBERS: usize = 10_000;

/// A reviewed operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewed {
    address: Box<str>,
    zone: Box<str>,
    /// The kind of object.
    kind: SubjectKind,
    action: Action,
    /// The time of the last change of the live object.
    modified_on: Option<Box<str>>,
    dangers: Vec<Danger>,
    /// The members of the state before it with their sums; `None` if there was none.
    before: Option<Vec<(Box<str>, Sum)>>,
    /// The sum of everything except its place in a file and, for a record, its effect on resolvers.
    essence: Sum,
    /// The same sum without the parts that the progress of its plan changes.
    of_rest: Sum,
    /// The same sum in a zone that its plan created.
    in_new_zone: Sum,
}

/// An operation that differs from the reviewed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleOperation {
    /// Address in the saved plan.
    pub address: String,
    /// The difference.
    pub what: String,
}

impl Reviewed {
    /// Converts an operation of a plan.
    fn of(operation: &Operation) -> Self {
        serde_json::to_value(operation)
            .and_then(Self::deserialize)
            .expect("it has every member that is read")
    }

    /// Converts the operations of a plan.
    #[must_use]
    pub fn all(plan: &Plan, sources: &Sources) -> Vec<Self> {
        operations(plan, sources).map(|operation| Self::of(&operation)).collect()
    }

    /// Returns the number of members that are kept.
    pub(super) fn members(&self) -> usize {
        self.before.as_ref().map_or(0, Vec::len) + self.dangers.len()
    }

    /// Returns the key for finding the successor of a record.
    fn successor_key(&self) -> Option<SuccessorKey> {
        let zone = ZoneName::parse(&self.zone).ok()?;
        let (name, record_type) = Address::record_key(&zone, &self.address)?;
        Some(SuccessorKey::new(&name, record_type))
    }

    /// Returns the phase of an operation on a rule, with its zone.
    fn phase(&self) -> Option<String> {
        let mut parts = self.address.split('/');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(zone), Some("waf"), Some(phase)) => Some(format!("{zone}/{phase}")),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Reviewed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// Reads the members of an operation.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Reviewed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an operation")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Reviewed, A::Error> {
        let (mut essence, mut of_rest, mut in_new_zone) = Default::default();
        let add_all = |sums: [&mut ObjectSum; 3], name: &str, sum| {
            sums.into_iter().for_each(|all| all.add(name, sum))
        };
        let (mut address, mut zone, mut kind, mut action) = (None, None, None, None);
        let mut effect = None;
        let (mut modified_on, mut dangers, mut before, mut after): (
            _,
            Vec<Keyword<Danger>>,
            Option<State>,
            Option<State>,
        ) = Default::default();
        while let Some(name) = members.next_key::<String>()? {
            let name = name.as_str();
            match name {
                "source" => drop(members.next_value::<IgnoredAny>()?),
                "address" | "zone" => {
                    let text: Box<str> = members.next_value()?;
                    let sum = Sum::of(&Json::from(&*text));
                    add_all([&mut essence, &mut of_rest, &mut in_new_zone], name, sum);
                    if name == "zone" { zone = Some(text) } else { address = Some(text) }
                }
                "kind" => {
                    let Keyword(word) = members.next_value::<Keyword<SubjectKind>>()?;
                    kind = Some(word);
                    let sum = Sum::of(&Json::from(word.keyword()));
                    add_all([&mut essence, &mut of_rest, &mut in_new_zone], name, sum);
                }
                "action" => {
                    let Keyword(word) = members.next_value::<Keyword<Action>>()?;
                    action = Some(word);
                    let sum = Sum::of(&Json::from(word.keyword()));
                    essence.add(name, sum);
                    of_rest.add(name, sum);
                }
                "live_modified_on" => {
                    modified_on = members.next_value::<Option<Box<str>>>()?;
                    essence.add(name, Sum::of(&Json::from(modified_on.as_deref())));
                }
                "dangers" => {
                    dangers = members.next_value()?;
                    let codes: Json = dangers.iter().map(|Keyword(danger)| danger.code()).collect();
                    essence.add(name, Sum::of(&codes));
                }
                "effect" => effect = Some(members.next_value::<Sum>()?),
                "cause" | "accepted" | "position" => essence.add(name, members.next_value()?),
                "before" => before = Some(members.next_value_seed(Without("id"))?),
                "after" => after = Some(members.next_value_seed(Without("id"))?),
                "fields" => {
                    let Fields { sum, without_before } = members.next_value()?;
                    essence.add(name, sum);
                    of_rest.add(name, sum);
                    in_new_zone.add(name, without_before);
                }
                _ => add_all(
                    [&mut essence, &mut of_rest, &mut in_new_zone],
                    name,
                    members.next_value()?,
                ),
            }
        }
        let missing = |name| A::Error::missing_field(name);
        let kind = kind.ok_or_else(|| missing("kind"))?;
        let before_image = before.ok_or_else(|| missing("before"))?;
        let after_image = after.ok_or_else(|| missing("after"))?;
        let of_record =
            |state: &State| if kind == SubjectKind::Record { state.without } else { state.sum };
        // The effect of an operation on a record can depend on zones that were not read again.
        if let Some(effect) = effect.filter(|_| kind != SubjectKind::Record) {
            essence.add("effect", effect);
        }
        essence.add("before", before_image.sum);
        essence.add("after", after_image.sum);
        of_rest.add("before", of_record(&before_image));
        of_rest.add("after", of_record(&after_image));
        in_new_zone.add("after", of_record(&after_image));
        Ok(Reviewed {
            address: address.ok_or_else(|| missing("address"))?,
            zone: zone.ok_or_else(|| missing("zone"))?,
            kind,
            action: action.ok_or_else(|| missing("action"))?,
            modified_on,
            dangers: dangers.into_iter().map(|Keyword(danger)| danger).collect(),
            before: before_image.members,
            essence: essence.finish(),
            of_rest: of_rest.finish(),
            in_new_zone: in_new_zone.finish(),
        })
    }
}

/// The sum of an object with and without one of its members. For any other value, both are its sum.
struct State {
    sum: Sum,
    without: Sum,
    /// The members with their sums, if it is an object.
    members: Option<Vec<(Box<str>, Sum)>>,
}

/// Reads an object or `null` and leaves out a member.
struct Without(&'static str);

impl<'de> DeserializeSeed<'de> for Without {
    type Value = State;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<State, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Without {
    type Value = State;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or null")
    }

    fn visit_unit<E: Error>(self) -> Result<State, E> {
        let sum = Sum::of(&Json::Null);
        Ok(State { sum, without: sum, members: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<State, A::Error> {
        let mut member_sums: Vec<(Box<str>, Sum)> = Vec::new();
        let (mut sum, mut without) = <(ObjectSum, ObjectSum)>::default();
        while let Some((name, value)) = members.next_entry::<Box<str>, Sum>()? {
            sum.add(&name, value);
            if *name != *self.0 {
                without.add(&name, value);
            }
            member_sums.push((name, value));
            if member_sums.len() > MOST_MEMBERS {
                return Err(A::Error::custom(format_args!(
                    "an object has more than {MOST_MEMBERS} members"
                )));
            }
        }
        member_sums.sort();
        Ok(State { sum: sum.finish(), without: without.finish(), members: Some(member_sums) })
    }
}

/// The sum of the fields that differ, with and without their previous values.
struct Fields {
    sum: Sum,
    without_before: Sum,
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Reads the fields one after the other.
        struct Each;

        impl<'de> Visitor<'de> for Each {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of fields")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Fields, A::Error> {
                let (mut all, mut without_before) = <(ListSum, ListSum)>::default();
                while let Some(State { sum, without, members: _ }) =
                    items.next_element_seed(Without("before"))?
                {
                    all.add(sum);
                    without_before.add(without);
                }
                Ok(Fields { sum: all.finish(), without_before: without_before.finish() })
            }
        }

        deserializer.deserialize_seq(Each)
    }
}

/// An address, and the index of the operation among those at the same address.
type Key<'r> = (&'r str, usize);

/// Returns the differences between reviewed operations and those that would be planned now.
#[must_use]
pub fn differences(reviewed: &[Reviewed], now: &[Reviewed]) -> Vec<StaleOperation> {
    let no_longer_needed =
        "it is no longer needed: someone else did it, or what it concerns is gone";
    compare_operations(reviewed, now, |operation| operation.essence, Some(no_longer_needed))
}

/// What a saved plan can have achieved, whatever its operations claim: a file can contain operations
/// that were never planned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Achievable {
    /// Zones that the plan is for and that it creates.
    pub zones: BTreeSet<String>,
    /// Where the spec has records.
    pub records: BTreeSet<SuccessorKey>,
    /// Where the spec has records whose hidden addresses may be published.
    pub exposed: BTreeSet<SuccessorKey>,
    /// Zones whose protection may become weaker.
    pub weakened: BTreeSet<String>,
}

/// Returns the differences between the rest of a partly applied plan and the operations that would
/// be planned now.
#[must_use]
pub fn differences_of_rest(
    reviewed: &[Reviewed],
    now: &[Reviewed],
    achievable: &Achievable,
) -> Vec<StaleOperation> {
    let progress = Progress::new(reviewed, now, achievable);
    let mut moved =
        compare_operations(reviewed, now, |operation| progress.essence(operation), None);
    moved.extend(progress.new_dangers(reviewed, now));
    moved
}

/// Gives the rest of a plan the dangers of the whole plan, which were judged on the whole. Returns
/// the number of deletes in the whole plan.
pub fn take_dangers(reviewed: &[Reviewed], rest: &mut Plan) -> usize {
    let reviewed_by_address = by_address(reviewed);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for operation in rest.zones.iter_mut().flat_map(|zone| &mut zone.operations) {
        let address = operation.address.as_str();
        let count = counts.entry(address.to_owned()).or_default();
        *count += 1;
        if let Some(whole) = reviewed_by_address.get(&(address, *count)) {
            operation.dangers.retain(|danger| whole.dangers.contains(danger));
        }
    }
    reviewed.iter().filter(|operation| operation.dangers.contains(&Danger::Delete)).count()
}

/// Compares operations one by one. `gone` describes an operation that is no longer needed.
fn compare_operations(
    reviewed: &[Reviewed],
    now: &[Reviewed],
    essence: impl Fn(&Reviewed) -> Sum,
    gone: Option<&'static str>,
) -> Vec<StaleOperation> {
    let (before, after) = (by_address(reviewed), by_address(now));
    let mut moved = Vec::new();
    for (address, operation) in &before {
        let what = match after.get(address) {
            Some(same) if essence(same) == essence(operation) => None,
            Some(other) => Some(describe_change(operation, other)),
            None => gone.map(str::to_owned),
        };
        moved.extend(what.map(|what| StaleOperation { address: address.0.to_owned(), what }));
    }
    for address in after.keys().filter(|a| !before.contains_key(*a)) {
        moved.push(StaleOperation {
            address: address.0.to_owned(),
            what: "it would be needed now, and was not planned".to_owned(),
        });
    }
    moved
}

/// Returns operations by address. Several operations at one address are numbered.
fn by_address(operations: &[Reviewed]) -> BTreeMap<Key<'_>, &Reviewed> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    operations
        .iter()
        .map(|operation| {
            let count = counts.entry(&operation.address).or_default();
            *count += 1;
            ((&*operation.address, *count), operation)
        })
        .gather()
}

/// The progress of a plan.
struct Progress {
    /// Phases with a written rule in zones whose protection may become weaker, as the beginnings of
    /// addresses.
    phases: BTreeSet<String>,
    /// Created zones.
    zones: BTreeSet<Box<str>>,
    /// Keys of created records.
    successors: BTreeSet<SuccessorKey>,
    /// Keys of addresses that were published with consent and that the proxy had hidden.
    exposed: BTreeSet<SuccessorKey>,
}

impl Progress {
    /// Derives the progress from the whole plan and the operations that would be planned now.
    fn new(reviewed: &[Reviewed], now: &[Reviewed], achievable: &Achievable) -> Self {
        let (before, left) = (by_address(reviewed), by_address(now));
        let done = || {
            before
                .iter()
                .filter(|(key, _)| !left.contains_key(*key))
                .map(|(_, operation)| *operation)
        };
        let zones = done().filter(|operation| {
            operation.kind == SubjectKind::Zone && achievable.zones.contains(&*operation.zone)
        });
        let creates = done().filter(|operation| operation.action == Action::Create);
        let exposing =
            done().filter(|operation| operation.dangers.contains(&Danger::ExposesOrigin));
        Self {
            exposed: exposing
                .filter_map(Reviewed::successor_key)
                .filter(|key| achievable.exposed.contains(key))
                .collect(),
            successors: creates
                .filter_map(Reviewed::successor_key)
                .filter(|key| achievable.records.contains(key))
                .collect(),
            phases: done()
                .filter(|operation| achievable.weakened.contains(&*operation.zone))
                .filter_map(Reviewed::phase)
                .collect(),
            zones: zones.map(|operation| operation.zone.clone()).collect(),
        }
    }

    /// Returns the identity of an operation, without the parts that the progress of its plan
    /// changes.
    fn essence(&self, operation: &Reviewed) -> Sum {
        if self.zones.contains(&operation.zone) { operation.in_new_zone } else { operation.of_rest }
    }

    /// Returns dangers of the rest of a plan that the whole plan did not have.
    fn new_dangers(&self, reviewed: &[Reviewed], now: &[Reviewed]) -> Vec<StaleOperation> {
        let reviewed_by_address = by_address(reviewed);
        let is_ours = |operation: &Reviewed, danger: Danger| {
            danger == Danger::OverridesConflict
                || self.zones.contains(&operation.zone)
                || (danger == Danger::WeakensProtection
                    && operation.phase().is_some_and(|phase| self.phases.contains(&phase)))
        };
        let dangers_by_operation = by_address(now).into_iter().filter_map(|(key, operation)| {
            let was_delete =
                reviewed_by_address.get(&key).is_some_and(|whole| whole.action == Action::Delete);
            let is_replaced = || {
                was_delete
                    && operation.successor_key().is_some_and(|key| self.successors.contains(&key))
            };
            let is_ours = |operation: &Reviewed, danger: Danger| {
                // The last proxied record of a name uncovers the addresses that the plan has
                // published there.
                let is_exposed =
                    || operation.successor_key().is_some_and(|key| self.exposed.contains(&key));
                is_ours(operation, danger)
                    || (danger == Danger::Delete && is_replaced())
                    || (danger == Danger::ExposesOrigin && is_exposed())
            };
            let had = reviewed_by_address.get(&key).map_or(&[][..], |whole| &whole.dangers);
            let new_dangers = operation
                .dangers
                .iter()
                .filter(|danger| !had.contains(danger) && !is_ours(operation, **danger));
            let new_dangers = new_dangers.min_by_key(|danger| danger.code())?;
            let what = format!("it now has a danger that it did not have: {}", new_dangers.code());
            Some(StaleOperation { address: key.0.to_owned(), what })
        });
        dangers_by_operation.collect()
    }
}

/// Describes how an operation changed.
fn describe_change(before: &Reviewed, now: &Reviewed) -> String {
    let when = now.modified_on.as_ref().map(|time| format!(" at {time}")).unwrap_or_default();
    if before.action != now.action {
        return format!(
            "it was to {}, and would {} now{when}",
            before.action.as_str(),
            now.action.as_str()
        );
    }
    if before.before != now.before {
        let old_members = before.before.as_deref().unwrap_or_default();
        let names = now.before.iter().flatten().filter(|member| !old_members.contains(member));
        let names: Vec<&str> = names.map(|(name, _)| &**name).collect();
        return format!("it was changed by someone else{when}: {}", names.join(", "));
    }
    if before.modified_on != now.modified_on {
        return format!("it was touched by someone else{when}");
    }
    "its effects or its dangers have changed".to_owned()
}
