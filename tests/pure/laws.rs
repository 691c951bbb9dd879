//! Properties of all records and zones, tested with random ones.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::support::generators::{
    desired_record, desired_zone, empty_desired, empty_live, live_zone, place, rdata, respelled,
    stored, two_spellings, zone_name,
};
use crate::support::protection::desired_waf;
use proptest::prelude::*;
use zonewright::apply::{
    Journal, JournalFile, JournalRun, JournalText, StepFate, needed, undo_zone,
};
use zonewright::diagnostic::{Diagnostics, Sources};
use zonewright::diff::{RecordChange, SetAsideReason, diff_records};
use zonewright::insight::OtherZones;
use zonewright::model::{
    Address, AsReported, Desired, DesiredZone, Facets, Fields, LiveRecord, LiveZone, Only, Rdata,
    RecordForm, RecordId, RecordType, Unmanaged, Value, ZoneId,
};
use zonewright::plan::{Action, Lowering, Operation, ZonePlan, lower, plan_part, plan_zone};
use zonewright::{spec, wire};

/// The number of cases of each test.
const CASES: u32 = 1000;

/// A zone of records by id, on which plans are carried out.
type Evidence = BTreeMap<RecordId, LiveRecord>;

fn world(live: &LiveZone) -> Evidence {
    live.records.iter().map(|r| (r.id.clone(), r.clone())).collect()
}

fn live(zone: &LiveZone, world: &Evidence) -> LiveZone {
    LiveZone { records: world.values().cloned().collect(), ..zone.clone() }
}

/// Returns the record as Cloudflare would hold it after a change.
fn changed(id: &RecordId, after: &RecordForm) -> LiveRecord {
    LiveRecord { id: id.clone(), ..stored(0, after) }
}

/// Carries out operations; records that are created get ids from this number on. Gives back the ids
/// of those, in order.
fn carry_out(world: &mut Evidence, operations: &[Operation], first: usize) -> Vec<RecordId> {
    let mut created = Vec::new();
    for (n, operation) in operations.iter().enumerate() {
        match &operation.record().unwrap().change {
            RecordChange::Create { after } => {
                let record = stored(first + n, after);
                created.push(record.id.clone());
                world.insert(record.id.clone(), record);
            }
            RecordChange::Update { id, after, .. } => {
                *world.get_mut(id).unwrap() = changed(id, after)
            }
            RecordChange::Delete { id, .. } => drop(world.remove(id).unwrap()),
        }
    }
    created
}

/// A journal in memory.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl JournalFile for Lines {
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().extend(line);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Carries out a plan in batches of this size and writes the journal of it, which is read back.
fn journalled(world: &mut Evidence, plan: &ZonePlan, size: usize) -> JournalRun {
    let lines = Lines::default();
    let clock = || std::time::SystemTime::UNIX_EPOCH;
    let journal =
        Journal::on(Box::new(lines.clone()), Path::new("journal"), "digest", clock).unwrap();
    for (n, step) in lower(plan, Lowering::Batches(size), None).into_iter().enumerate() {
        let number = journal.intent(plan, &step).unwrap();
        let operations: Vec<_> =
            step.operations.iter().map(|n| plan.operations[*n].clone()).collect();
        let created = carry_out(world, &operations, 1_000_000 + 1000 * n);
        let posts: Vec<_> = created.iter().map(|id| serde_json::json!({ "id": id.0 })).collect();
        journal.outcome(number, StepFate::Done, None, Some(&serde_json::json!({ "posts": posts })));
    }
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let text = JournalText::of(&text).unwrap();
    let source = Sources::default().add("journal", text.outline().to_owned());
    JournalRun::read(text, source).unwrap()
}

fn plan(desired: &DesiredZone, live: &LiveZone) -> ZonePlan {
    plan_zone(desired, live).0
}

/// Texts that are made of few octets and cut at random, so that some are equal.
fn cut_texts() -> impl Strategy<Value = Vec<String>> {
    let part = prop_oneof![
        4 => "[ab]{0,2}".prop_map(String::from),
        1 => proptest::sample::select(&["v=spf1", "v=sp", "f1 ", "k=rsa; "][..]).prop_map(String::from),
        1 => (253usize..258).prop_map(|n| "b".repeat(n)),
    ];
    let quoted = proptest::collection::vec(part, 1..4).prop_map(|parts| {
        parts.iter().map(|part| format!("\"{part}\"")).collect::<Vec<_>>().join(" ")
    });
    proptest::collection::vec(
        prop_oneof![5 => quoted, 1 => "[ab]{1,3}".prop_map(String::from)],
        1..7,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES / 5, failure_persistence: None, ..ProptestConfig::default() })]

    /// A part of a plan has the same effect as its operations in the whole plan, and leaves the
    /// other operations. It is sufficient to add the operations that a refusal names.
    #[test]
    fn a_part_leaves_the_rest(desired in desired_zone(), zone in live_zone(), bits in any::<u64>()) {
        let whole = plan(&desired, &zone);
        let chosen = |n: usize| bits >> (n % 64) & 1 == 1;
        let mut addresses: Vec<_> =
            whole.addresses().enumerate().filter(|(n, _)| chosen(*n)).map(|(_, address)| address.clone()).collect();
        if addresses.is_empty() {
            return Ok(());
        }
        let part = |addresses: &[Address]| {
            let patterns = addresses.iter().map(|a| glob::Pattern::new(&glob::Pattern::escape(a.as_str())).unwrap());
            plan_part(&desired, &zone, &Only::new(patterns.collect()), OtherZones::NONE)
        };
        let needed = |found: &Diagnostics| -> Vec<Address> {
            let named = found.iter().filter(|d| d.code() == "PLAN0046").filter_map(|d| d.address.clone());
            let named: Vec<String> = named.collect();
            whole.addresses().filter(|a| named.iter().any(|n| n == a.as_str())).cloned().collect()
        };
        let (mut small, found) = part(&addresses);
        // All requirements are named at once, including indirect ones.
        if !needed(&found).is_empty() {
            addresses.extend(needed(&found));
            prop_assert!(addresses.len() <= whole.operations.len(), "{:?}", found);
            let again;
            (small, again) = part(&addresses);
            prop_assert!(needed(&again).is_empty(), "{:?} then {:?}", found, again);
        }
        prop_assert_eq!(small.operations.len() + small.left_out.len(), whole.operations.len());
        let actions = |plan: &ZonePlan| -> Vec<_> {
            plan.operations.iter().filter(|o| !small.left_out.contains(&o.address)).map(|o| (o.address.clone(), o.action())).collect()
        };
        prop_assert_eq!(actions(&small), actions(&whole));
        let mut after = world(&zone);
        carry_out(&mut after, &small.operations, 1_000_000);
        let rest = plan(&desired, &live(&zone, &after));
        prop_assert_eq!(rest.operations.len(), small.left_out.len(), "{:?}", rest.operations);
        carry_out(&mut after, &rest.operations, 2_000_000);
        prop_assert!(plan(&desired, &live(&zone, &after)).operations.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    /// A printed value reads back as the same value, from text and from fields; printing it again
    /// changes nothing.
    #[test]
    fn printing_and_reading_are_inverse(data in rdata()) {
        let record_type = data.record_type().unwrap();
        let text = data.presentation();
        let again = Rdata::from_text(record_type, &text).unwrap();
        prop_assert_eq!(&again, &data);
        prop_assert_eq!(again.presentation(), text);
        prop_assert_eq!(&Rdata::from_fields(record_type, &data.fields()).unwrap(), &data);
    }

    /// Equality of texts is an equivalence, whatever their strings, the spec's or the answer's
    /// spelling, and their name; and equal texts have one hash, one order and one digest.
    #[test]
    fn texts_are_compared_by_an_equivalence(texts in cut_texts(), name in proptest::sample::select(&["a", "k._domainkey"][..])) {
        let name = zone_name().resolve(name).unwrap();
        let read = |text: &String| Rdata::from_text(RecordType::Txt, text).ok().map(|data| data.at(&name));
        let answered = |text: &String| Rdata::reported("TXT", Some(text), &Fields::new(), None).at(&name);
        let all: Vec<Rdata> = texts.iter().filter_map(read).chain(texts.iter().map(answered)).collect();
        let hash = |data: &Rdata| std::hash::BuildHasher::hash_one(&std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default(), data);
        for a in &all {
            prop_assert_eq!(a, a);
            for b in &all {
                prop_assert_eq!(a == b, b == a, "{:?} {:?}", a, b);
                prop_assert_eq!(a == b, a.cmp(b).is_eq(), "{:?} {:?}", a, b);
                prop_assert_eq!(a == b, a.canonical() == b.canonical(), "{:?} {:?}", a, b);
                prop_assert!(a != b || hash(a) == hash(b), "{:?} {:?}", a, b);
                for c in &all {
                    prop_assert!(a != b || b != c || a == c, "{:?} {:?} {:?}", a, b, c);
                }
            }
        }
        for text in &texts {
            // The strings sent are the strings written, and read back they are the same value.
            let Some(wanted) = read(text) else { continue };
            prop_assert_eq!(&answered(&wanted.presentation()), &wanted);
            prop_assert_eq!(answered(text), wanted);
        }
    }

    /// Another spelling of a value is the same value, and planning it changes nothing.
    #[test]
    fn a_spelling_makes_no_difference((record_type, one, other) in two_spellings()) {
        let read = |text: &str| Rdata::from_text(record_type, text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")));
        let (first, second) = (read(&one)?, read(&other)?);
        prop_assert_eq!(&first, &second, "{:?} and {:?}", one, other);
        let form = |data| RecordForm { name: zone_name().as_fqdn().clone(), data, facets: Facets::default(), reported: AsReported::default() };
        let zone = LiveZone { records: vec![stored(1, &form(first))], ..empty_live() };
        let records = vec![desired_record(&form(second))];
        let desired = DesiredZone { records, unmanaged: Unmanaged::Prune, ..empty_desired() };
        let changes = diff_records(&desired, None, &zone);
        prop_assert!(changes.changes.is_empty(), "{:?}", changes.changes);
        prop_assert_eq!(changes.unchanged, 1);
    }

    /// An answer without `data` reads as the same value from its composed content.
    #[test]
    fn composed_content_says_the_same(data in rdata()) {
        let facts = data.record_type().unwrap().facts();
        let text = data.presentation();
        let beside = facts.repeats_priority || facts.has_priority_beside();
        let (priority, content) = if beside { text.split_once(' ').unwrap() } else { ("", text.as_str()) };
        let mut answer = serde_json::json!({"id": "1", "name": "example.com", "type": facts.name, "content": content, "data": null});
        if beside {
            answer["priority"] = priority.parse::<u16>().unwrap().into();
        }
        prop_assert_eq!(wire::record::read_record(&answer).unwrap().data, data);
    }

    /// Every text is read as a value or a mistake; the span of the mistake is inside the text.
    #[test]
    fn no_text_breaks_a_type(
        record_type in proptest::sample::select(RecordType::ALL),
        text in prop_oneof![".*", "[0-9]{1,5}( [0-9]{1,5}){0,2} \\PC*", "[0-9 .mNSEWa-f=\",\\\\]{0,40}", "1 \\. ([a-z0-9-]{1,8}=?[\"\\\\0-9é, ]{0,6} ?){0,4}"],
        priority in proptest::option::of(any::<u16>()),
    ) {
        match Rdata::from_text(record_type, &text) {
            Ok(data) => prop_assert_eq!(&Rdata::from_text(record_type, &data.presentation()).unwrap(), &data),
            Err(e) => prop_assert!(e.offset.is_none_or(|n| n <= text.len()), "{:?}", e),
        }
        let priority = priority.map(|n| Value::from(u32::from(n)));
        let _ = Rdata::from_content(record_type, &text, priority.as_ref());
        let fields: Fields = record_type.facts().fields.iter().map(|f| (f.name.to_owned(), Value::from(text.as_str()))).collect();
        let _ = Rdata::reported(record_type.as_str(), Some(&text), &fields, priority.as_ref());
        if let Ok(data) = Rdata::from_fields(record_type, &fields) {
            prop_assert_eq!(&Rdata::from_fields(record_type, &data.fields()).unwrap(), &data);
        }
    }

    /// One invalid member of `data` gives a mistake or a value, whatever it is.
    #[test]
    fn no_field_breaks_a_type(data in rdata(), turn in any::<prop::sample::Index>(), text in prop_oneof![".*", "[0-9A-Fa-f]{0,70}", "-?[0-9]{0,12}(\\.[0-9]{0,4})?", "[ -~]{0,20}"], number in any::<i64>()) {
        let record_type = data.record_type().unwrap();
        let name = record_type.facts().fields[turn.index(record_type.facts().fields.len())].name;
        for value in [Value::Text(text.clone()), Value::Decimal(text), Value::Integer(number), Value::Bool(true), Value::Null, Value::List(vec![])] {
            let mut fields = data.fields();
            fields.insert(name.to_owned(), value);
            match Rdata::from_fields(record_type, &fields) {
                Ok(data) => prop_assert_eq!(&Rdata::from_text(record_type, &data.presentation()).unwrap(), &data),
                Err(errors) => prop_assert!(!errors.is_empty()),
            }
        }
    }

    /// A sent value is equal to the value that is read from Cloudflare's answer.
    #[test]
    fn what_is_sent_comes_back(zone in live_zone()) {
        for record in &zone.records {
            let mut body = wire::record::create_body(&record.form());
            body["id"] = record.id.0.clone().into();
            prop_assert_eq!(&wire::record::read_record(&body).unwrap(), record);
        }
    }

    /// A zone compared with itself has no difference.
    #[test]
    fn a_zone_does_not_differ_from_itself(zone in live_zone(), prune in any::<bool>()) {
        let record = |r: &LiveRecord| {
            desired_record(&r.form())
        };
        let desired = DesiredZone {
            unmanaged: if prune { Unmanaged::Prune } else { Unmanaged::Keep },
            records: zone.records.iter().map(record).collect(),
            ..DesiredZone::new(zone.name.clone(), place())
        };
        let changes = diff_records(&desired, None, &zone);
        prop_assert!(changes.changes.is_empty(), "{:?}", changes.changes);
        prop_assert_eq!(changes.unchanged, zone.records.len());
    }

    /// After a plan is applied, the next plan is empty, and unmanaged objects are unchanged.
    #[test]
    fn plans_converge_and_leave_the_rest_alone(desired in desired_zone(), zone in live_zone()) {
        let first = plan(&desired, &zone);
        let mut after = world(&zone);
        carry_out(&mut after, &first.operations, 1_000_000);
        let second = plan(&desired, &live(&zone, &after));
        prop_assert!(second.operations.is_empty(), "{:?}\nafter\n{:?}", second.operations, first.operations);
        for aside in diff_records(&desired, None, &zone).set_aside {
            prop_assert_eq!(after.get(&aside.record.id), Some(aside.record));
            prop_assert_eq!(aside.reason, SetAsideReason::Unmanaged);
        }
    }

    /// Undoing a plan from its journal restores the zone as it was written, apart from ids of
    /// records that were deleted; once is enough.
    #[test]
    fn undoing_restores(desired in desired_zone(), mut zone in live_zone(), size in 1usize..20, turn in 0usize..5) {
        for record in &mut zone.records {
            *record = respelled(record, turn).0;
        }
        // Cloudflare has no DS record without a delegation, so a zone with one cannot be restored.
        let is = |r: &LiveRecord, wanted: RecordType| r.data.record_type() == Some(wanted);
        let has_ns = |ds: &LiveRecord| zone.records.iter().any(|r| r.name == ds.name && is(r, RecordType::Ns));
        prop_assume!(zone.records.iter().filter(|r| is(r, RecordType::Ds)).all(has_ns));
        let mut after = world(&zone);
        let run = journalled(&mut after, &plan(&desired, &zone), size);
        for (n, is_undone) in [false, true].into_iter().enumerate() {
            let Some(of_zone) = run.zones.get(&zone.name) else { break };
            let undone = undo_zone(of_zone, &needed(&zone.name, of_zone), &live(&zone, &after));
            prop_assert!(undone.conflicts.is_empty(), "{:?}", undone.conflicts);
            prop_assert_eq!(undone.plan.is_empty(), is_undone);
            carry_out(&mut after, &undone.plan.operations, 2_000_000 + 1000 * n);
        }
        // A setting that Cloudflare does not report is off.
        let without_id = |r: &LiveRecord| {
            let settings = r.settings.with(r.settings, |_, setting, _| setting.filter(|on| *on));
            LiveRecord { id: RecordId(String::new()), settings, ..r.clone() }
        };
        let without_ids = |world: &Evidence| {
            let mut all: Vec<_> = world.values().map(without_id).collect();
            all.sort_by(|a, b| (&a.name, &a.data).cmp(&(&b.name, &b.data)));
            all
        };
        let (restored, before) = (without_ids(&after), without_ids(&world(&zone)));
        prop_assert_eq!(&restored, &before);
        let written = |all: &[LiveRecord]| all.iter().map(|r| wire::record::create_body(&r.form())).collect::<Vec<_>>();
        prop_assert_eq!(written(&restored), written(&before));
    }

    /// Neither the order of the spec nor that of the listing makes a difference.
    #[test]
    fn order_is_irrelevant(desired in desired_zone(), zone in live_zone(), turn in 0usize..14) {
        let first = plan(&desired, &zone);
        let (mut desired, mut zone) = (desired, zone);
        let turned = |n: usize| turn.min(n);
        let n = turned(desired.records.len());
        desired.records.rotate_left(n);
        desired.records.reverse();
        let n = turned(zone.records.len());
        zone.records.rotate_left(n);
        zone.records.reverse();
        prop_assert_eq!(plan(&desired, &zone), first);
    }

    /// A value moves to another name in one request if one request can hold both names.
    #[test]
    fn renames_are_one_batch(from in "[a-c]", to in "[d-f]", others in 0usize..6, size in 2usize..9) {
        let at = |name: &str, n: u8| {
            let data = Rdata::from_text(RecordType::A, &format!("192.0.2.{n}")).unwrap();
            RecordForm { name: zone_name().resolve(name).unwrap(), data, facets: Facets::default(), reported: AsReported::default() }
        };
        let mut records = vec![desired_record(&at(&to, 1))];
        records.extend((0..others).map(|n| desired_record(&at(&format!("b{n}"), 9))));
        let desired = DesiredZone { unmanaged: Unmanaged::Prune, records, ..DesiredZone::new(zone_name(), place()) };
        let live = LiveZone { records: vec![stored(1, &at(&from, 1))], ..LiveZone::new(zone_name(), ZoneId("z".into())) };
        let plan = plan(&desired, &live);
        let steps = lower(&plan, Lowering::Batches(size), None);
        let home = |wanted: Action| {
            let data = at("x", 1).data;
            steps.iter().position(|s| s.operations.iter().any(|o| {
                let o = &plan.operations[*o];
                o.action() == wanted && o.record().unwrap().form().data == data
            }))
        };
        let (left, came) = (home(Action::Delete), home(Action::Create));
        prop_assert!(left.is_some() && left == came, "{left:?} {came:?}");
    }

    /// Every operation is in exactly one request, and no name is split over two batches if one
    /// batch can hold it.
    #[test]
    fn batches_hold_names_together(desired in desired_zone(), zone in live_zone(), size in 1usize..8) {
        let plan = plan(&desired, &zone);
        let steps = lower(&plan, Lowering::Batches(size), None);
        let mut all: Vec<usize> = steps.iter().flat_map(|s| s.operations.clone()).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..plan.operations.len()).collect::<Vec<_>>());
        let mut homes: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (n, step) in steps.iter().enumerate() {
            // A delete and the create that takes its place are one request, whatever the size: the
            // name is never empty.
            let operations = || step.operations.iter().map(|o| &plan.operations[*o]);
            let is_pair = || {
                let name = |o: &Operation| o.record().unwrap().form().name.clone();
                let names: BTreeSet<_> = operations().map(name).collect();
                let actions: Vec<_> = operations().map(Operation::action).collect();
                names.len() == 1 && actions == [Action::Delete, Action::Create]
            };
            prop_assert!(step.operations.len() <= size || is_pair());
            for o in &step.operations {
                homes.entry(plan.operations[*o].record().unwrap().form().name.clone()).or_default().push(n);
            }
        }
        for (name, mut steps) in homes {
            let operations = steps.len();
            steps.dedup();
            prop_assert!(steps.len() == 1 || operations > size, "{name} is cut");
        }
    }
}

/// In a full zone, deletes that make room are sent before creates.
#[test]
fn a_full_zone_shrinks_before_it_grows() {
    let form = |name: &str| RecordForm {
        name: zone_name().resolve(name).unwrap(),
        data: Rdata::from_text(RecordType::A, "192.0.2.1").unwrap(),
        facets: Facets::default(),
        reported: AsReported::default(),
    };
    let live = LiveZone {
        records: (0..200).map(|n| stored(n, &form(&format!("z{n:03}")))).collect(),
        ..LiveZone::new(zone_name(), ZoneId("z".into()))
    };
    // The created names sort before the deleted ones, and their values differ, so that nothing is a
    // rename.
    let wanted = |n: usize| {
        let data = Rdata::from_text(RecordType::A, &format!("198.51.100.{n}")).unwrap();
        desired_record(&RecordForm { data, ..form(&format!("a{n:03}")) })
    };
    let desired = DesiredZone {
        unmanaged: Unmanaged::Prune,
        records: (0..100).map(wanted).collect(),
        ..DesiredZone::new(zone_name(), place())
    };
    let plan = plan(&desired, &live);
    let steps = lower(&plan, Lowering::Batches(50), None);
    let mut held = 200_i64;
    for step in &steps {
        let count = |wanted: Action| {
            i64::try_from(
                step.operations.iter().filter(|n| plan.operations[**n].action() == wanted).count(),
            )
            .unwrap()
        };
        held += count(Action::Create) - count(Action::Delete);
        assert!(held <= 200, "{held} records in a zone for 200");
    }
    assert_eq!(held, 100);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// The printed protection of a zone reads back as the same, except for places; printing it
    /// again changes nothing.
    #[test]
    fn printing_and_loading_protection_are_inverse(waf in desired_waf()) {
        let zone = DesiredZone { waf: Some(Box::new(waf)), ..empty_desired() };
        let desired = Desired { zones: [(zone_name(), zone)].into(), ..Desired::default() };
        let printed = spec::print(&desired);
        let mut sources = Sources::default();
        let outcome = spec::load(&[spec::Input::Stdin(printed.clone())], &spec::Options::default(), &mut sources);
        let again = outcome.desired.unwrap_or_else(|| panic!("{:?}\n{printed}", outcome.diagnostics));
        let waf = |desired: &Desired| desired.zones[&zone_name()].waf.clone().map(|waf| waf.at_place(place()));
        prop_assert_eq!(waf(&again), waf(&desired), "{}", printed);
        prop_assert_eq!(spec::print(&again), printed);
    }
}
