//! Checks that a plan needs consent if it replaces a record that someone else made or may have
//! made, and only then.
//!
//! This repeats the rules of docs/safety.md independently. With a base, a value that the base never
//! had is foreign, unless it replaces one that is gone. Without a base, values of types that can
//! exist side by side may be someone else's.

use super::facts::{Record, records};
use super::history::{History, Wanted, Zone};
use super::play::Ran;
use super::pool::{Value, excludes, known};

/// The danger of replacing such a value.
const CODE: &str = "overwrites-foreign";

/// Operations of a plan that ask for this consent without need, or that need it and do not ask.
pub(super) fn of_plan(history: &History, plan: &Ran) -> Vec<String> {
    let mut found = Vec::new();
    for operation in plan.document["operations"].as_array().into_iter().flatten() {
        let is_record = operation["kind"] == "dns_record" && operation["before"].is_object();
        let zone = history.zones.iter().find(|zone| operation["zone"] == zone.name);
        let (true, Some(zone)) = (is_record, zone) else { continue };
        let ground = Ground {
            has_base: history.call.has_base,
            zone,
            live: records(&plan.before, zone.name),
        };
        let before = Record::read(&operation["before"], zone.name);
        let after =
            Some(&operation["after"]).filter(|o| o.is_object()).map(|o| Record::read(o, zone.name));
        // The effect of the operation is after this sentence, if both are shown.
        let effect = operation["effect"]["lines"][0].as_str();
        let gives_way = effect
            .is_some_and(|words| words.starts_with("replaced by another record at this name"));
        let expected = match &after {
            Some(after) if after.text == before.text => false,
            None if !gives_way => false,
            after => ground.is_someones(&before, after.as_ref()),
        };
        let codes = operation["dangers"].as_array().into_iter().flatten();
        if codes.filter(|code| **code == CODE).count() != usize::from(expected) {
            let word = if expected { "lacks" } else { "has" };
            found.push(format!("{} {word} {CODE}: {before:?} to {after:?}", operation["address"]));
        }
    }
    found
}

/// The data for the decision who owns a value.
pub(super) struct Ground<'h> {
    pub(super) has_base: bool,
    pub(super) zone: &'h Zone,
    /// The zone's records before the run.
    pub(super) live: Vec<Record>,
}

impl Ground<'_> {
    /// Returns true if a value that gives way is someone else's, or may be.
    fn is_someones(&self, before: &Record, after: Option<&Record>) -> bool {
        if self.zone.prune {
            return false;
        }
        if !self.has_base {
            let is_alone = matches!(before.kind.as_str(), "A" | "AAAA" | "CNAME");
            let is_preference = after.is_some_and(|after| {
                preferred(before).is_some() && preferred(before) == preferred(after)
            });
            return !is_alone && !is_preference;
        }
        let is_apex = before.name == "@";
        let stood_here =
            |w: &&Wanted| w.name == before.name && excludes(w.value.kind, &before.kind, is_apex);
        let makes_room = after.is_none() && self.zone.before.iter().any(|w| stood_here(&w));
        !self.is_ours_or_drift(before) && !makes_room
    }

    /// Returns true if the base wanted this value, or one that it is in the place of.
    pub(super) fn is_ours_or_drift(&self, record: &Record) -> bool {
        self.is_ours(record) || self.is_drift(record)
    }

    /// Returns true if the base wanted this value.
    fn is_ours(&self, record: &Record) -> bool {
        self.zone.before.iter().any(|wanted| record.is(wanted))
    }

    /// Returns true if a value is in the place of one that the base wanted and that is gone.
    fn is_drift(&self, record: &Record) -> bool {
        let Some(value) = known(&record.kind, &record.text) else { return false };
        let alike = |v: &Value| v.kind == value.kind && v.purpose == value.purpose;
        let of_set = |r: &&Record| {
            r.name == record.name
                && !self.zone.sets_aside(r)
                && known(&r.kind, &r.text).is_some_and(|v| alike(&v))
        };
        let others: Vec<&Record> =
            self.live.iter().filter(of_set).filter(|r| !self.is_ours(r)).collect();
        let is_gone = |w: &&Wanted| !self.live.iter().any(|r| r.is(w) && !self.zone.sets_aside(r));
        let in_set = |w: &&Wanted| w.name == record.name && alike(&w.value);
        let gone: Vec<&Wanted> = self.zone.before.iter().filter(in_set).filter(is_gone).collect();
        let slots: Vec<Option<String>> =
            others.iter().map(|r| slot(&r.kind, &r.text, value.purpose)).collect();
        let gone_slots: Vec<Option<String>> =
            gone.iter().map(|w| slot(w.value.kind, w.value.text, w.value.purpose)).collect();
        let count = |all: &[Option<String>], slot: &Option<String>| {
            all.iter().filter(|s| *s == slot).count()
        };
        // Values of one slot belong together; the others of the set are matched by their number.
        let fits = |slot: &Option<String>| {
            slot.is_some() && count(&slots, slot) <= count(&gone_slots, slot)
        };
        let own = slot(&record.kind, &record.text, value.purpose);
        if fits(&own) {
            return true;
        }
        let left = slots.iter().filter(|s| !fits(s)).count();
        let taken = slots.iter().filter(|s| fits(s)).count();
        value.purpose != "unique" && left <= gone.len() - taken
    }
}

/// Returns what only one value of a set can have.
fn slot(kind: &str, text: &str, purpose: &str) -> Option<String> {
    match kind {
        "CNAME" => Some(String::new()),
        "TXT" if purpose.starts_with("v=") => Some(purpose.to_owned()),
        "MX" => text.split(' ').nth(1).map(str::to_owned),
        "SRV" => Some(text.split(' ').skip(2).collect::<Vec<_>>().join(" ")),
        "CAA" => Some(text.split(' ').skip(1).collect::<Vec<_>>().join(" ")),
        _ => None,
    }
}

/// Returns the host or property that a record prefers.
fn preferred(record: &Record) -> Option<String> {
    slot(&record.kind, &record.text, "")
        .filter(|_| matches!(record.kind.as_str(), "MX" | "SRV" | "CAA"))
}
