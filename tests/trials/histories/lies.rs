//! Falsified results: the judge must detect each of them.

use serde_json::{Value as Json, json};

use super::facts::records;
use super::history::{History, full};
use super::judge::{outcome_of, reported_unknown, was_deceived};
use super::play::{Played, Ran};

/// A falsification: its name, the problem that the judge must report, and a function that applies
/// it and returns whether it was possible.
pub(crate) struct Lie {
    pub(crate) name: &'static str,
    pub(crate) caught_by: &'static str,
    pub(crate) tell: fn(&History, &mut Played) -> bool,
}

/// All falsifications.
pub(crate) const LIES: &[Lie] = &[
    Lie {
        name: "a foreign record says something else",
        caught_by: "was nobody's to change",
        tell: foreign_changed,
    },
    Lie {
        name: "a foreign record is gone",
        caught_by: "was nobody's to change",
        tell: foreign_gone,
    },
    Lie {
        name: "a record has lost a comment of which the spec says nothing",
        caught_by: "the spec says nothing of it",
        tell: facet_changed,
    },
    Lie {
        name: "a foreign rule says something else",
        caught_by: "rules of someone else",
        tell: rule_changed,
    },
    Lie {
        name: "something beside the records changed",
        caught_by: "changed beside its records",
        tell: beside_changed,
    },
    Lie { name: "the journal lacks an intent", caught_by: "is in no intent", tell: intent_dropped },
    Lie {
        name: "the journal lacks an outcome",
        caught_by: "has no outcome",
        tell: outcome_dropped,
    },
    Lie {
        name: "the journal is certain of what is unknown",
        caught_by: "and its journal says",
        tell: played_down,
    },
    Lie { name: "the journal has no end", caught_by: "the journal has no end", tell: end_dropped },
    Lie {
        name: "a write was sent that nobody announced",
        caught_by: "without an intent",
        tell: unannounced,
    },
    Lie {
        name: "a write was sent that the journal does not hold",
        caught_by: "is in no intent",
        tell: unsaid,
    },
    Lie {
        name: "a record was created that nobody wants",
        caught_by: "creates what nobody wants",
        tell: created,
    },
    Lie {
        name: "a foreign record was patched",
        caught_by: "which is not the spec's",
        tell: patched,
    },
    Lie {
        name: "a foreign record was deleted",
        caught_by: "is not the spec's to delete",
        tell: deleted,
    },
    Lie {
        name: "a wanted record is missing after an apply that ended well",
        caught_by: "lacks Wanted",
        tell: missing,
    },
    Lie {
        name: "an operation that was not done is reported as done",
        caught_by: "is reported as done",
        tell: glossed_over,
    },
    Lie {
        name: "an operation that was done is reported as refused",
        caught_by: "is reported as refused",
        tell: denied,
    },
    Lie {
        name: "an operation that was done is reported as unknown",
        caught_by: "is reported as unknown",
        tell: forgotten,
    },
    Lie {
        name: "nothing was written, says the exit code of an apply that wrote",
        caught_by: "and wrote to",
        tell: not_me,
    },
    Lie {
        name: "it ended well, says the exit code of an apply that did not",
        caught_by: "it ended well with",
        tell: all_is_well,
    },
    Lie {
        name: "a plan asks nobody before it overwrites",
        caught_by: "lacks overwrites-foreign",
        tell: unasked,
    },
    Lie { name: "a plan wrote", caught_by: "plan: it wrote", tell: plan_wrote },
    Lie { name: "a record is there twice", caught_by: "is there twice", tell: twice },
    Lie {
        name: "the second apply left a difference",
        caught_by: "second apply: ",
        tell: left_over,
    },
    Lie { name: "the third apply wrote", caught_by: "it wrote again", tell: repeated_a_write },
    Lie {
        name: "the third apply changed something",
        caught_by: "it changed something",
        tell: repeated_a_change,
    },
];

/// Removes a danger from an operation of the plan.
fn unasked(_: &History, played: &mut Played) -> bool {
    let operations = played.plan.document["operations"].as_array_mut().into_iter().flatten();
    operations.filter_map(|operation| operation["dangers"].as_array_mut()).any(|codes| {
        let count = codes.len();
        codes.retain(|code| code != "overwrites-foreign");
        codes.len() < count
    })
}

/// Returns the list of records of a zone of a dump.
fn list<'j>(dump: &'j mut Json, zone: &str) -> Option<&'j mut Vec<Json>> {
    let zones = dump["zones"].as_array_mut()?;
    zones.iter_mut().find(|own| own["name"] == zone)?["records"].as_array_mut()
}

/// Returns a record at a name of which no spec says anything: its zone and id.
fn foreign(history: &History, dump: &Json) -> Option<(&'static str, String)> {
    history.zones.iter().filter(|zone| !zone.is_new).find_map(|zone| {
        let is_named =
            |name: &str| zone.wanted.iter().chain(&zone.before).any(|wanted| wanted.name == name);
        let is_gone = |name: &str| zone.gone.iter().any(|gone| gone.name == name);
        let is_touched = |name: &str| history.foreign().any(|foreign| foreign.name == name);
        let all = records(dump, zone.name);
        let mut own =
            all.iter().filter(|r| !is_named(&r.name) && !is_gone(&r.name) && !is_touched(&r.name));
        (!zone.prune).then(|| own.next().map(|record| (zone.name, record.id.clone()))).flatten()
    })
}

/// Changes the record of an id in the last dump.
fn in_the_end(history: &History, played: &mut Played, change: fn(&mut Vec<Json>, usize)) -> bool {
    let Some((zone, id)) = foreign(history, &played.plan.before) else { return false };
    let Some(list) = list(&mut played.third.after, zone) else { return false };
    let Some(at) = list.iter().position(|record| record["id"] == *id) else { return false };
    change(list, at);
    true
}

fn foreign_changed(history: &History, played: &mut Played) -> bool {
    in_the_end(history, played, |list, at| list[at]["ttl"] = json!(77))
}

fn foreign_gone(history: &History, played: &mut Played) -> bool {
    in_the_end(history, played, |list, at| drop(list.remove(at)))
}

fn facet_changed(history: &History, played: &mut Played) -> bool {
    let begin = played.plan.before.clone();
    history.zones.iter().any(|zone| {
        let quiet: Vec<String> = records(&begin, zone.name)
            .iter()
            .filter(|r| zone.wanted.iter().any(|wanted| r.is(wanted) && wanted.comment.is_none()))
            .filter(|r| !history.foreign().any(|foreign| foreign.name == r.name))
            .map(|r| r.id.clone())
            .collect();
        let list = list(&mut played.third.after, zone.name).into_iter().flatten();
        let record = list.into_iter().find(|record| quiet.iter().any(|id| record["id"] == **id));
        record.map(|record| record["comment"] = json!("mine")).is_some()
    })
}

fn rule_changed(history: &History, played: &mut Played) -> bool {
    let zones = played.third.after["zones"].as_array_mut().into_iter().flatten();
    let rulesets = zones.flat_map(|zone| zone["rulesets"].as_array_mut().into_iter().flatten());
    let mut rules =
        rulesets.flat_map(|ruleset| ruleset["rules"].as_array_mut().into_iter().flatten());
    let theirs =
        rules.find(|rule| rule["ref"].as_str().is_some_and(|name| name.starts_with("theirs-")));
    history.foreign().next().is_none()
        && theirs.map(|rule| rule["enabled"] = json!(false)).is_some()
}

fn beside_changed(history: &History, played: &mut Played) -> bool {
    let Some(zone) = history.zones.iter().find(|zone| !zone.is_new) else { return false };
    let all = played.third.after["zones"].as_array_mut().into_iter().flatten();
    all.filter(|own| own["name"] == zone.name).for_each(|own| own["paused"] = json!(true));
    true
}

/// Takes the first line of an event out of the journal of the first apply.
fn line_dropped(played: &mut Played, event: &str) -> bool {
    let at = played.first.journal.iter().rposition(|line| line["event"] == event);
    at.map(|at| played.first.journal.remove(at)).is_some()
}

fn intent_dropped(_: &History, played: &mut Played) -> bool {
    // Without a write that was repeated: the intent of either covers both.
    played.first.writes().count() == 1 && line_dropped(played, "intent")
}

fn played_down(_: &History, played: &mut Played) -> bool {
    let first = &mut played.first;
    let Some(address) = reported_unknown(first).next().map(str::to_owned) else { return false };
    let lines = first.journal.iter().filter_map(|line| outcome_of(first, line, &address));
    let steps: Vec<Json> = lines.map(|outcome| outcome["step"].clone()).collect();
    for line in
        first.journal.iter_mut().filter(|l| l["event"] == "outcome" && steps.contains(&l["step"]))
    {
        line["outcome"] = json!("refused");
    }
    !steps.is_empty()
}

fn outcome_dropped(_: &History, played: &mut Played) -> bool {
    line_dropped(played, "outcome")
}

fn end_dropped(_: &History, played: &mut Played) -> bool {
    line_dropped(played, "end")
}

fn unannounced(_: &History, played: &mut Played) -> bool {
    let write =
        played.first.writes().next().map(|write| format!("{} {}", write.method, write.path));
    write.map(|write| played.first.unannounced.push(write)).is_some()
}

/// Adds a write to a run: one of its reads with another method, end of path and body.
fn sent(ran: &mut Ran, zone: &str, method: &str, end: &str, body: Json) {
    let mut write = ran.requests.first().cloned().expect("it read something");
    write.method = method.to_owned();
    write.path = format!("/zones/{}/dns_records{end}", super::history::zone_id(zone));
    write.body = Some(body);
    ran.requests.push(write);
}

fn unsaid(_: &History, played: &mut Played) -> bool {
    let Some(write) = played.first.writes().find(|write| write.body.is_some()).cloned() else {
        return false;
    };
    let more = json!({ "comment": "and this" });
    played.first.requests.push(zonewright::sandbox::LoggedRequest { body: Some(more), ..write });
    true
}

fn created(history: &History, played: &mut Played) -> bool {
    let Some(zone) = history.zones.iter().find(|zone| !zone.is_new) else { return false };
    let body = json!({ "type": "A", "name": full("nobody", zone.name), "content": "192.0.2.99" });
    sent(&mut played.second, zone.name, "POST", "", body);
    true
}

fn patched(history: &History, played: &mut Played) -> bool {
    let Some((zone, id)) = foreign(history, &played.second.before) else { return false };
    sent(&mut played.second, zone, "PATCH", &format!("/{id}"), json!({ "ttl": 77 }));
    true
}

fn deleted(history: &History, played: &mut Played) -> bool {
    let Some((zone, id)) = foreign(history, &played.second.before) else { return false };
    sent(&mut played.second, zone, "POST", "/batch", json!({ "deletes": [{ "id": id }] }));
    true
}

/// Removes a wanted record that no one else writes from a dump.
fn lost(history: &History, dump: &mut Json) -> bool {
    history.zones.iter().any(|zone| {
        let is_touched = |name: &str| history.foreign().any(|foreign| foreign.name == name);
        let Some(wanted) = zone.wanted.iter().find(|wanted| !is_touched(wanted.name)) else {
            return false;
        };
        let all = records(dump, zone.name);
        let Some(record) = all.iter().find(|record| record.is(wanted)) else { return false };
        let Some(list) = list(dump, zone.name) else { return false };
        list.retain(|own| own["id"] != *record.id);
        true
    })
}

fn missing(history: &History, played: &mut Played) -> bool {
    played.first.exit == 0 && !was_deceived(&played.first) && lost(history, &mut played.first.after)
}

/// Returns the first list of operations that were not done, of a zone that has one.
fn not_done(ran: &mut Ran) -> impl Iterator<Item = &mut Vec<Json>> {
    let zones = ran.document["result"]["zones"].as_array_mut().into_iter().flatten();
    zones.filter_map(|zone| zone["not_done"].as_array_mut())
}

fn glossed_over(history: &History, played: &mut Played) -> bool {
    let is_sure = |entry: &Json| {
        entry["outcome"] == "not-sent"
            && entry["address"].as_str().is_some_and(|a| a.contains("/dns/"))
    };
    let mut occasion = false;
    not_done(&mut played.first).for_each(|list| {
        let before = list.len();
        list.retain(|entry| !is_sure(entry));
        occasion |= list.len() < before;
    });
    occasion && history.foreign().next().is_none() && !was_deceived(&played.first)
}

/// Reports an operation on a record as something else than done.
fn reported_as(history: &History, played: &mut Played, outcome: &str) -> bool {
    if played.first.exit != 0 || history.foreign().next().is_some() || was_deceived(&played.first) {
        return false;
    }
    let operations = played.first.document["operations"].as_array().cloned().unwrap_or_default();
    let Some(one) = operations.iter().find(|operation| operation["kind"] == "dns_record") else {
        return false;
    };
    let entry = json!({ "address": one["address"], "outcome": outcome, "reason": "a lie" });
    not_done(&mut played.first).next().map(|list| list.push(entry)).is_some()
}

fn denied(history: &History, played: &mut Played) -> bool {
    reported_as(history, played, "refused")
}

fn forgotten(history: &History, played: &mut Played) -> bool {
    let is_struck = played.first.requests.iter().any(|request| request.fault.is_some());
    !is_struck && reported_as(history, played, "unknown")
}

fn not_me(history: &History, played: &mut Played) -> bool {
    let is_told = played.first.exit == 0 && played.first.before != played.first.after;
    played.first.exit = 1;
    is_told && history.foreign().next().is_none()
}

fn all_is_well(_: &History, played: &mut Played) -> bool {
    let is_told = played.first.exit == 5;
    played.first.exit = 0;
    is_told
}

fn plan_wrote(history: &History, played: &mut Played) -> bool {
    sent(&mut played.plan, history.zones[0].name, "POST", "", json!({}));
    true
}

fn twice(history: &History, played: &mut Played) -> bool {
    history.zones.iter().any(|zone| {
        let Some(list) = list(&mut played.second.after, zone.name) else { return false };
        let Some(first) = list.first().cloned() else { return false };
        list.push(first);
        true
    })
}

fn left_over(history: &History, played: &mut Played) -> bool {
    played.second.exit == 0 && lost(history, &mut played.second.after)
}

fn repeated_a_write(history: &History, played: &mut Played) -> bool {
    sent(&mut played.third, history.zones[0].name, "POST", "/batch", json!({ "posts": [] }));
    true
}

fn repeated_a_change(_: &History, played: &mut Played) -> bool {
    played.third.after["counter"] = json!(-1);
    true
}
