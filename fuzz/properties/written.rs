//! Files: specs, and files that the program itself writes and reads.

use std::collections::BTreeSet;
use std::io::{Cursor, Write};

use data_encoding::HEXLOWER;
use flate2::{Compression, write::GzEncoder};
use ring::digest::{SHA256, digest};
use serde_json::{Value as Json, json};
use zonewright::apply::{
    AppliedOperations, JournalReadError, JournalRun, JournalText, RecordEffect, RuleDone,
    RuleEffect, ZoneRun, needed, undo_zone,
};
use zonewright::diagnostic::{Diagnostics, Place, Sources, Span};
use zonewright::diff::diff_specs;
use zonewright::document::diagnostic::Diagnostic;
use zonewright::document::saved_plan::{SavedPlanError, checksum, looks_like_plan, read};
use zonewright::document::stale::{Achievable, differences, differences_of_rest};
use zonewright::insight::waf::lock::{Lock, compare};
use zonewright::live::snapshot::Snapshot;
use zonewright::live::{ReadOptions, WafQuery, ZoneQuery, fetch};
use zonewright::model::ruleset::{EntryPoint, LiveRule, LiveRuleset, RuleBody, RuleId, RulesetId};
use zonewright::model::{Desired, LiveDnssec, LiveRecord, LiveSetting, LiveZone, Value, ZoneName};
use zonewright::plan::{Lowering, ZonePlan, lower};
use zonewright::render::diagnostics;
use zonewright::render::safe::is_hidden;
use zonewright::spec::{Input, Options, Outcome, load, print, read_policy};
use zonewright::wire::ruleset::read_catalogue;

use super::text;

/// The limit for findings of one spec, plus room for the finding that says that there are more.
const FINDINGS: usize = 10_100;
/// The limit for the output of one finding, in bytes.
const SHOWN: usize = 64 * 1024;

/// Properties of a whole spec: YAML, variables, records, protection, lints.
pub fn spec(data: &[u8]) {
    let text = text(data);
    let (outcome, sources) = loaded(&text);
    let desired = outcome.desired;
    assert_eq!(desired.is_none(), outcome.diagnostics.has_errors(), "neither a spec nor an error");
    are_shown(&outcome.diagnostics, &sources);
    let Some(desired) = desired else { return };
    are_shown(&zonewright::lint::lint(&desired), &sources);
    let printed = print(&desired);
    let (again, sources) = loaded(&printed);
    are_shown(&again.diagnostics, &sources);
    let again = again
        .desired
        .unwrap_or_else(|| panic!("refused, as printed:\n{printed}\n{:?}", again.diagnostics));
    assert_eq!(print(&again), printed, "printed again it is something else");
    let changes = diff_specs(&desired, &again);
    assert!(changes.is_empty(), "printed it means something else: {changes:?}\n{printed}");
    assert_eq!(bare(again), bare(desired), "{printed}");
}

/// Loads a text as a spec.
fn loaded(text: &str) -> (Outcome, Sources) {
    let mut sources = Sources::default();
    let options = Options {
        variables: vec![("GIVEN".to_owned(), "192.0.2.1".to_owned())],
        may_leave_variables: true,
        accepted_lints: Vec::new(),
        today: Some("2026-11-20".to_owned()),
        ..Options::default()
    };
    let outcome = load(&[Input::Stdin(text.to_owned())], &options, &mut sources);
    (outcome, sources)
}

/// Returns the desired state without spans and spellings.
fn bare(mut desired: Desired) -> Desired {
    desired.profiles.clear();
    let nowhere = Place::NOWHERE;
    for zone in desired.zones.values_mut() {
        zone.place = nowhere;
        zone.waf = zone.waf.take().map(|waf| Box::new(waf.at_place(nowhere)));
        zone.ignore.iter_mut().for_each(|i| i.place = nowhere);
        zone.settings
            .settings
            .values_mut()
            .chain(zone.settings.dns_settings.values_mut())
            .for_each(|s| s.1 = nowhere);
        if let Some(dnssec) = &mut zone.settings.dnssec {
            dnssec.1 = nowhere;
        }
        let records = zone.records.iter_mut().map(|r| &mut r.spelling);
        for spelling in records.chain(zone.tombstones.iter_mut().map(|t| &mut t.spelling)) {
            spelling.place = nowhere;
            spelling.entry = nowhere;
            spelling.name = "".into();
        }
    }
    desired
}

/// Asserts that the spans of findings are inside their texts, and that output has no hidden
/// characters and a bounded size.
fn are_shown(all: &Diagnostics, sources: &Sources) {
    assert!(all.len() <= FINDINGS, "{} findings", all.len());
    let lies_within = |place: Place| {
        let source = sources.get(place.source).unwrap_or_else(|| panic!("{place:?} is in no text"));
        let Span { start, end } = place.span;
        start <= end && source.text().get(start as usize..end as usize).is_some()
    };
    for finding in all.iter() {
        let labels = finding.primary.iter().chain(&finding.related);
        labels.for_each(|label| {
            assert!(lies_within(label.place), "{finding:?} is outside of its text")
        });
    }
    let mut shown = Vec::new();
    diagnostics::write(&mut shown, all, sources, false, None).expect("memory can be written");
    let shown = String::from_utf8(shown).expect("what is shown is text");
    assert!(!shown.contains(|c| c != '\n' && is_hidden(c)), "{shown:?}");
    assert!(
        shown.len() <= SHOWN * (all.len() + 1),
        "{} bytes for {} findings",
        shown.len(),
        all.len()
    );
    let _ = Diagnostic::all(all, sources);
}

/// Properties of a saved plan, or of any JSON that is sealed as one.
pub fn plan(data: &[u8]) {
    let text = text(data);
    let _ = looks_like_plan(&text);
    if let Ok(plan) = read(Cursor::new(text.as_bytes())) {
        let operations = &plan.operations;
        assert!(differences(operations, operations).is_empty());
        let rest = differences_of_rest(operations, operations, &Achievable::default());
        assert!(rest.is_empty());
        let _ = loaded(&plan.basis.desired);
    }
    let Ok(Json::Object(mut members)) = serde_json::from_str::<Json>(&text) else { return };
    members.insert("kind".to_owned(), json!("plan"));
    members.shift_remove("checksum");
    let sum = checksum(&Json::Object(members.clone()).to_string());
    members.insert("checksum".to_owned(), json!(sum));
    let sealed = Json::Object(members).to_string();
    assert!(looks_like_plan(&sealed));
    let read_sealed = read(Cursor::new(sealed.as_bytes()));
    assert!(
        !matches!(read_sealed, Err(SavedPlanError::Checksum | SavedPlanError::NotJson(_))),
        "{sealed}"
    );
    let edited = sealed.replacen("\"kind\":\"plan\"", "\"kind\":\"plan\",\"x\":0", 1);
    if read_sealed.is_ok() {
        assert!(
            matches!(read(Cursor::new(edited.as_bytes())), Err(SavedPlanError::Checksum)),
            "{edited}"
        );
    }
}

/// Properties of a journal.
pub fn journal(data: &[u8]) {
    let text = text(data);
    let mut sources = Sources::default();
    let read = JournalText::of(&text).and_then(|text| {
        let source = sources.add("journal", text.outline().to_owned());
        JournalRun::read(text, source)
    });
    let run = match read {
        Ok(run) => run,
        Err(error) => {
            if let JournalReadError::Broken(line, _) = error {
                assert!((1..=text.lines().count()).contains(&line), "{error}");
            }
            return;
        }
    };
    let mut applied = AppliedOperations::default();
    applied.add(JournalText::of(&text).expect("it was read before"));
    for (name, zone) in &run.zones {
        let records = zone.records.iter().map(|entry| entry.place);
        let places = records
            .chain(zone.parts.iter().map(|e| e.place))
            .chain(zone.rules.iter().map(|e| e.place));
        for place in places {
            let text = sources.get(place.source).expect("it is there").text();
            assert!(
                text.get(place.span.start as usize..place.span.end as usize).is_some(),
                "{place:?}"
            );
        }
        for at in [Moment::Nothing, Moment::Before, Moment::After] {
            let live = as_told(name, zone, at);
            let undone = undo_zone(zone, &needed(name, zone), &live);
            are_shown(&undone.diagnostics, &sources);
            is_carried_out(&undone.plan, &live);
            assert!(applied.repeated(&undone.plan, |_| true).len() <= undone.plan.operations.len());
        }
    }
    // A crash leaves any number of whole lines, and perhaps a part of the next one.
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for count in 1..lines.len() {
        let cut = lines[..count].concat();
        let source = sources.add("cut", String::new());
        let read = JournalText::of(&cut).and_then(|text| JournalRun::read(text, source));
        assert!(read.is_ok(), "cut behind line {count}");
    }
}

/// The moment at which a zone is seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// An empty zone.
    Nothing,
    /// Before the apply that the journal describes.
    Before,
    /// After the apply.
    After,
}

/// Returns the state of a zone according to a journal.
fn as_told(name: &ZoneName, run: &ZoneRun, at: Moment) -> LiveZone {
    let mut live = LiveZone::new(name.clone(), run.id.clone());
    if at == Moment::Nothing {
        return live;
    }
    let choose = |before: &Value, after: &Value| {
        if at == Moment::Before { before.clone() } else { after.clone() }
    };
    live.records =
        run.records.iter().filter_map(|entry| record_as_told(&entry.effect, at)).collect();
    for part in &run.parts {
        for (field, (before, after)) in &part.effect.fields {
            let value = choose(before, after);
            match part.effect.part.strip_prefix("settings/") {
                Some(name) => {
                    let value = LiveSetting::Value { value, editable: true, modified_on: None };
                    live.settings.settings.insert(name.to_owned(), value);
                }
                None => drop(live.settings.dns_settings.insert(field.clone(), value)),
            }
        }
    }
    let status = if at == Moment::Before { "disabled" } else { "active" };
    live.settings.dnssec = Some(LiveDnssec { status: status.to_owned(), ..LiveDnssec::default() });
    for entry in &run.rules {
        let RuleEffect { phase, what, order, .. } = &entry.effect;
        let present = LiveRuleset {
            id: RulesetId("r".to_owned()),
            version: None,
            last_updated: None,
            rules: Vec::new(),
        };
        let entry_point =
            live.waf.entry_points.entry(*phase).or_insert(EntryPoint::Present(present));
        let EntryPoint::Present(LiveRuleset { rules, .. }) = entry_point else { continue };
        let told: Vec<(Option<&RuleId>, Option<&RuleBody>)> = match what {
            RuleDone::EntryPoint(bodies) if at == Moment::After => {
                bodies.iter().map(|body| (None, Some(body))).collect()
            }
            RuleDone::Created(id, body) if at == Moment::After => vec![(id.as_ref(), Some(body))],
            RuleDone::Patched(id, before, _) if at == Moment::Before => {
                vec![(Some(id), Some(before))]
            }
            RuleDone::Patched(id, _, after) => vec![(Some(id), Some(after))],
            RuleDone::Deleted(id, before) if at == Moment::Before => vec![(Some(id), Some(before))],
            RuleDone::Moved(id) => vec![(Some(id), None)],
            RuleDone::EntryPoint(_) | RuleDone::Created(..) | RuleDone::Deleted(..) => Vec::new(),
        };
        // Rules of which the journal only gives the position exist, too.
        let others = order.iter().flatten().map(|id| (Some(id), None));
        for (id, body) in told.into_iter().chain(others) {
            let id = id.cloned().unwrap_or_else(|| RuleId(format!("made {}", rules.len())));
            match (rules.iter_mut().find(|rule| rule.id == id), body) {
                (Some(known), Some(body)) => known.body = body.clone(),
                (Some(_), None) => {}
                (None, body) => {
                    rules.push(LiveRule {
                        id,
                        last_updated: None,
                        body: body.cloned().unwrap_or_default(),
                    });
                }
            }
        }
    }
    live
}

/// Returns a record according to a journal.
fn record_as_told(effect: &RecordEffect, at: Moment) -> Option<LiveRecord> {
    match (effect, at) {
        (
            RecordEffect::Created { after, .. } | RecordEffect::Changed { after, .. },
            Moment::After,
        ) => Some(after),
        (
            RecordEffect::Changed { before, .. } | RecordEffect::Deleted { before },
            Moment::Before,
        ) => Some(before),
        _ => None,
    }
    .map(|record| LiveRecord::clone(record))
}

/// Asserts that a plan stays within its zone, changes each rule once, can be turned into requests,
/// and shows no hidden characters.
fn is_carried_out(plan: &ZonePlan, live: &LiveZone) {
    for address in plan.addresses() {
        let rest = address.as_str().strip_prefix(live.name.as_str());
        assert!(
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            "{address} is outside of {}",
            live.name
        );
    }
    for lowering in [Lowering::Batches(2), Lowering::Single] {
        let steps = lower(plan, lowering, None);
        let lowered: usize = steps.iter().map(|step| step.operations.len()).sum();
        assert_eq!(lowered, plan.operations.len());
    }
    let mut ids = BTreeSet::new();
    for (_, _, rule) in plan.rules() {
        let Some(id) = rule.action.id() else { continue };
        assert!(
            live.waf.entry_points[&rule.phase].rules().iter().any(|rule| rule.id == *id),
            "{id} is not there"
        );
        assert!(ids.insert((rule.phase, id)), "{id} is touched twice");
    }
}

/// Properties of a snapshot: a compressed one, or lines that are compressed with a correct
/// checksum.
pub fn snapshot(data: &[u8]) {
    let bytes = if data.starts_with(&[0x1f, 0x8b]) { data.to_vec() } else { packed(data) };
    let Ok(snapshot) = Snapshot::from_bytes(&bytes) else { return };
    let again = snapshot.to_bytes().expect("memory can be written");
    assert_eq!(Snapshot::from_bytes(&again).as_ref(), Ok(&snapshot));
    assert_eq!(snapshot.to_bytes().expect("memory can be written"), again);
    let query = WafQuery::everything();
    let zones = snapshot.about().zones.iter();
    let wanted: Vec<ZoneQuery> = zones
        .map(|z| ZoneQuery {
            name: z.name.clone(),
            id: z.pinned.clone(),
            settings: Default::default(),
            waf: query.clone(),
        })
        .collect();
    for wanted in &wanted {
        let _ = snapshot.lacks(wanted);
    }
    let options = ReadOptions { page_size: 2, ..ReadOptions::default() };
    if let Ok(fetched) = super::service::wait(fetch(&snapshot, &wanted, &options, &|_| {})) {
        assert!(fetched.live.zones.len() <= wanted.len());
    }
}

/// Packs lines as a snapshot, with the checksum at the end.
fn packed(lines: &[u8]) -> Vec<u8> {
    let mut lines = lines.to_vec();
    if !lines.ends_with(b"\n") {
        lines.push(b'\n');
    }
    let sum = HEXLOWER.encode(digest(&SHA256, &lines).as_ref());
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(&lines)
        .and_then(|()| writeln!(out, r#"{{"sha256":"{sum}"}}"#))
        .expect("memory can be written");
    out.finish().expect("memory can be written")
}

/// Properties of `waf.lock`.
pub fn lock(data: &[u8]) {
    let text = text(data);
    let Ok(lock) = Lock::parse(&text) else { return };
    let printed = lock.print();
    let again =
        Lock::parse(&printed).unwrap_or_else(|e| panic!("refused, as printed: {e}\n{printed}"));
    assert_eq!(again, lock);
    assert_eq!(again.print(), printed);
    let catalogue = json!({ "id": "a", "name": "b", "version": "1", "rules": [{ "id": "c", "description": "d" }] });
    let catalogue = read_catalogue(&catalogue).expect("it is a ruleset");
    let changes = compare(lock.rulesets.first(), &catalogue);
    assert!(!changes.sentence().is_empty() || changes.is_empty());
}

/// Properties of a policy file.
pub fn policy(data: &[u8]) {
    let text = text(data);
    let Ok(policy) = read_policy("policy.yaml", &text) else { return };
    assert!(policy.most_changes.is_none_or(|share| share <= 100));
    assert!(policy.allowed.iter().all(|allowed| !allowed.reason.trim().is_empty()));
}
