//! Checks that the program only changed records that the spec owns.
//!
//! This repeats the rules of the documentation independently. A record that the spec names is
//! managed. A record that it removes may be deleted, and so may one that cannot exist beside a
//! wanted one. Without a base, a value may be rewritten into a wanted one of its name, type and
//! purpose, if it is the nearest or if there are no more of them than are wanted. With a base, it
//! may be rewritten if the base had it, if it replaces one that is gone, or if both cannot exist
//! together. All other records are someone else's.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::facts::{Record, by_id, patched, records, touched, written, zone, zone_of};
use super::history::{History, Wanted, Zone};
use super::play::{Played, Ran};
use super::pool::{Value, excludes, known};
use super::{consents, protection};

/// Writes that the spec does not allow.
pub(super) fn of_writes(history: &History, ran: &Ran) -> Vec<String> {
    let mut found = Vec::new();
    for request in ran.writes() {
        let Some(written) = written(request) else { continue };
        let Some(zone) = zone_of(history, request, &ran.after) else {
            found.push(format!(
                "{} {} is about a zone that nobody named",
                request.method, request.path
            ));
            continue;
        };
        let known = known_records(ran, zone);
        let ground = Ground { history, zone, live: records(&ran.before, zone.name) };
        for id in &written.deletes {
            match known.get(id) {
                Some(record)
                    if ground.states(record).iter().any(|state| ground.may_delete(state)) => {}
                other => found.push(format!(
                    "{} deletes {id}, which is not the spec's to delete: {other:?}",
                    zone.name
                )),
            }
        }
        for (id, patch) in &written.patches {
            match known.get(id) {
                Some(record)
                    if (ground.states(record).iter()).any(|state| {
                        ground.may_patch(state, &patched(state, patch, zone.name))
                    }) => {}
                other => found.push(format!(
                    "{} patches {id} with {patch}, which is not the spec's: {other:?}",
                    zone.name
                )),
            }
        }
        let deleted: Vec<&Record> = deleted(ran).iter().filter_map(|id| known.get(id)).collect();
        for post in &written.posts {
            let post = Record::read(post, zone.name);
            let is_wanted = zone.wanted.iter().any(|wanted| post.is(wanted));
            // A name that was emptied for a refused create gets its record back.
            if !is_wanted && !deleted.iter().any(|record| record.identity() == post.identity()) {
                found.push(format!("{} creates what nobody wants: {}", zone.name, post.whole));
            }
        }
    }
    found
}

/// Returns the ids of records that a run deletes.
fn deleted(ran: &Ran) -> BTreeSet<String> {
    ran.writes().filter_map(written).flat_map(|written| written.deletes).collect()
}

/// Returns the records of a zone that a run could see: those of the dumps, and temporary ones, as
/// the journal saw them.
fn known_records(ran: &Ran, zone: &Zone) -> BTreeMap<String, Record> {
    let mut known = BTreeMap::new();
    for operation in ran.journal.iter().flat_map(|line| line["operations"].as_array()).flatten() {
        let mut before = operation["before"].clone();
        if let (Some(id), true) = (operation["id"].as_str(), before.is_object()) {
            before["id"] = id.into();
            known.insert(id.to_owned(), Record::read(&before, zone.name));
        }
    }
    // The sandbox is more reliable than the journal.
    known.extend(by_id([&ran.after, &ran.before], zone.name));
    known
}

/// The data for the decision who owns a record.
struct Ground<'h> {
    history: &'h History,
    zone: &'h Zone,
    /// The zone's records before the run.
    live: Vec<Record>,
}

impl Ground<'_> {
    /// Returns a record as it was before the run, and as someone else made it meanwhile, one change
    /// after the other.
    fn states(&self, record: &Record) -> Vec<Record> {
        let mut states = vec![record.clone()];
        let path_end = format!("/{}", record.id);
        for foreign in
            self.history.foreign().filter(|f| f.method == "PATCH" && f.path.ends_with(&path_end))
        {
            states.push(patched(&states[states.len() - 1], &foreign.body, self.zone.name));
        }
        states
    }

    /// Returns true if a record may be deleted.
    fn may_delete(&self, record: &Record) -> bool {
        let zone = self.zone;
        let is_apex = record.name == "@";
        let is_in_the_way = |wanted: &Wanted| {
            wanted.name == record.name && excludes(wanted.value.kind, &record.kind, is_apex)
        };
        !zone.sets_aside(record)
            && !zone.wanted.iter().any(|wanted| record.is(wanted))
            && (zone.deletes(record, self.history.call.has_base)
                || zone.wanted.iter().any(is_in_the_way))
    }

    /// Returns true if a record may be made into another.
    fn may_patch(&self, before: &Record, after: &Record) -> bool {
        if self.zone.sets_aside(before) {
            return false;
        }
        let Some(wanted) = self.zone.wanted.iter().find(|wanted| after.is(wanted)) else {
            return false;
        };
        before.identity() == after.identity() || self.may_rewrite(before, wanted)
    }

    /// Returns true if a value may take the place of another.
    fn may_rewrite(&self, before: &Record, wanted: &Wanted) -> bool {
        // The records at a name where someone else writes are not known here.
        if self.is_disputed(wanted.name)
            && before.name == wanted.name
            && before.kind == wanted.value.kind
        {
            return true;
        }
        let Some(value) = known(&before.kind, &before.text) else { return false };
        if before.name == wanted.name && before.is_twin(wanted.value) {
            let ground =
                consents::Ground { has_base: true, zone: self.zone, live: self.live.clone() };
            return self.zone.prune
                || !self.history.call.has_base
                || ground.is_ours_or_drift(before);
        }
        let is_same_set = (before.name.as_str(), value.kind, value.purpose)
            == (wanted.name, wanted.value.kind, wanted.value.purpose);
        if !is_same_set || value.purpose == "unique" {
            return false;
        }
        if self.zone.prune || is_near(value, wanted.value) {
            return true;
        }
        if self.history.call.has_base {
            let live = self.live.clone();
            value.kind == "CNAME"
                || consents::Ground { has_base: true, zone: self.zone, live }
                    .is_ours_or_drift(before)
        } else {
            self.none_are_foreign(value, wanted.name)
        }
    }

    /// Returns true if someone else writes at a name.
    fn is_disputed(&self, name: &str) -> bool {
        touched(self.history).iter().any(|(zone, at)| *zone == self.zone.name && *at == name)
    }

    /// Returns true if a set has at most as many unwanted values as wanted values that are missing.
    fn none_are_foreign(&self, like: Value, name: &str) -> bool {
        let is_like = |value: Value| value.kind == like.kind && value.purpose == like.purpose;
        let of_set = |record: &&Record| {
            record.name == name && known(&record.kind, &record.text).is_some_and(is_like)
        };
        let is_wanted = |record: &Record| self.zone.wanted.iter().any(|wanted| record.is(wanted));
        let is_gone = |record: &Record| {
            self.zone.gone.iter().any(|gone| {
                (gone.name, gone.kind) == (name, record.kind.as_str())
                    && gone.value.is_none_or(|v| v.text == record.text)
            })
        };
        let spare =
            self.live.iter().filter(of_set).filter(|r| !is_wanted(r) && !is_gone(r)).count();
        let has = |wanted: &&Wanted| self.live.iter().any(|record| record.is(wanted));
        let missing = self
            .zone
            .wanted
            .iter()
            .filter(|w| w.name == name && is_like(w.value))
            .filter(|w| !has(w))
            .count();
        spare <= missing
    }
}

/// Returns true if two values differ in their lesser part only: mail for the same host, a service
/// at the same place, a text that exists once.
fn is_near(a: Value, b: Value) -> bool {
    let last = |value: Value, words: usize| -> Vec<&'static str> {
        let mut all: Vec<&str> = value.text.rsplit(' ').take(words).collect();
        all.reverse();
        all
    };
    match a.kind {
        "MX" => last(a, 1) == last(b, 1),
        "SRV" => last(a, 2) == last(b, 2),
        "TXT" => a.purpose.starts_with("v="),
        _ => false,
    }
}

/// Returns what someone else has must be as it was, or as someone else made it.
pub(super) fn of_what_is_foreign(history: &History, played: &Played) -> Vec<String> {
    let mut found = Vec::new();
    let runs = [&played.first, &played.second, &played.third];
    let by_us: BTreeSet<String> = runs
        .iter()
        .flat_map(|ran| ran.writes().filter_map(written))
        .flat_map(|w| w.deletes.into_iter().chain(w.patches.into_iter().map(|(id, _)| id)))
        .collect();
    let is_theirs =
        |id: &str| history.foreign().any(|foreign| foreign.path.ends_with(&format!("/{id}")));
    let (begin, end) = (&played.plan.before, &played.third.after);
    for own in &history.zones {
        let after = by_id([end], own.name);
        for record in
            records(begin, own.name).iter().filter(|r| !by_us.contains(&r.id) && !is_theirs(&r.id))
        {
            match after.get(&record.id) {
                Some(now) if now.whole == record.whole => {}
                other => {
                    found.push(format!("{} was nobody's to change and is {other:?}", record.whole))
                }
            }
        }
        found.extend(facets(history, own, begin, &after, &is_theirs));
        if !own.is_new {
            found.extend(rest_of_zone(own, begin, end));
            found.extend(protection::foreign_rules(own, begin, end, history.call.has_base));
        }
    }
    found
}

/// Returns what the spec does not say of a record that it owns stays as it was.
fn facets(
    history: &History,
    own: &Zone,
    begin: &Json,
    after: &BTreeMap<String, Record>,
    is_theirs: &impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for before in records(begin, own.name).iter().filter(|record| !is_theirs(&record.id)) {
        let Some(now) = after.get(&before.id) else { continue };
        let Some(wanted) = own.wanted.iter().find(|wanted| now.is(wanted)) else { continue };
        let mut changed = Vec::new();
        if wanted.comment.is_none() && now.comment != before.comment {
            changed.push("comment");
        }
        if wanted.proxied.is_none() && now.proxied != before.proxied {
            changed.push("proxied");
        }
        if wanted.ttl.is_none()
            && !now.proxied
            && now.proxied == before.proxied
            && now.ttl != before.ttl
        {
            changed.push("ttl");
        }
        if !changed.is_empty() {
            let what = changed.join(", ");
            found.push(format!(
                "{what} of {} became {} though the spec says nothing of it (seed {})",
                before.whole, now.whole, history.seed
            ));
        }
    }
    found
}

/// Returns what is beside the records of a zone, and not in the spec, is as it was.
fn rest_of_zone(own: &Zone, begin: &Json, end: &Json) -> Vec<String> {
    let rest = |dump: &Json| {
        let mut whole = zone(dump, own.name).cloned().unwrap_or_default();
        let members = whole.as_object_mut().expect("a zone is an object");
        members.remove("records");
        members.remove("modified_on");
        if !own.settings.is_empty() {
            members.remove("settings");
        }
        if own.protection.is_some() {
            members.remove("rulesets");
        }
        whole
    };
    let (before, after) = (rest(begin), rest(end));
    if before == after {
        Vec::new()
    } else {
        vec![format!("{} changed beside its records: {before} to {after}", own.name)]
    }
}
