//! The executor against a service that answers as scripted. Time is paused: waits are counted, not waited for.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::generators::{desired_record, stored, zone_name};
use serde_json::{Value, json};
use zonewright::api::{ApiError, Reader, RequestName, Signature, Stop, Writer};
use zonewright::apply::{
    ApplyEvent, Executor, Index, Journal, JournalFile, OperationState, Outcome, RecordsApplied, Verify, ZoneApplied,
    state_of,
};
use zonewright::live::Options;
use zonewright::model::{
    AsReported, DesiredRecord, DesiredZone, Facets, LiveRecord, LiveZone, Rdata, RecordForm, RecordType, Ttl,
    Unmanaged, ZoneId,
};
use zonewright::plan::{Lowering, RecordSubject, ZonePlan, plan_zone};
use zonewright::wire::record::create_body;
use zonewright::wire::{ApiMessage, Envelope, PageInfo, Request};

/// What the service answers to a write.
#[derive(Clone)]
enum Answer {
    /// Success.
    Yes,
    /// A refusal with a status and a code.
    No(u16, i64),
    /// A page of the edge, after which nobody knows.
    Lost,
    /// A refusal with a status, and nothing else that can be read.
    Unreadable(u16),
    /// "Wait", under a status.
    Busy(u16),
    /// "Ask there", under a status.
    Elsewhere(u16),
}

use Answer::{Busy, Elsewhere, Lost, No, Unreadable, Yes};

/// A service with a script for writes, and what it holds whenever it is read.
#[derive(Clone)]
struct Service {
    script: Arc<Mutex<VecDeque<Answer>>>,
    reads: Arc<Mutex<VecDeque<Vec<LiveRecord>>>>,
    sent: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Writer for Service {
    async fn write(&self, request: &Request) -> Result<Envelope, ApiError> {
        self.sent.lock().unwrap().push((request.method.to_string(), request.body.clone().unwrap_or_default()));
        let name = RequestName::of(request);
        match self.script.lock().unwrap().pop_front().unwrap_or(Yes) {
            Yes => Ok(Envelope { result: json!({}), page: PageInfo::default(), cursor: None }),
            No(status, code) => Err(ApiError::Refused {
                request: name,
                status,
                messages: vec![ApiMessage { code: Some(code), message: format!("refused with {code}"), pointer: None }],
                signature: Signature::Token,
            }),
            Lost => Err(ApiError::Garbled { request: name, status: 502, what: "a page".into() }),
            Unreadable(status) => Err(ApiError::Garbled { request: name, status, what: "half of a text".into() }),
            Busy(status) => Err(ApiError::Throttled { request: name, status, messages: vec![], wait: None }),
            Elsewhere(status) => Err(ApiError::Redirected { request: name, status, to: "elsewhere".into() }),
        }
    }
}

impl Reader for Service {
    async fn read(&self, _: &Request) -> Result<Envelope, ApiError> {
        let mut reads = self.reads.lock().unwrap();
        // The last state stays.
        let records =
            if reads.len() > 1 { reads.pop_front().unwrap() } else { reads.front().cloned().unwrap_or_default() };
        let one = |r: &LiveRecord| {
            let mut body = create_body(&r.form());
            body["id"] = json!(r.id.0);
            body
        };
        let result: Vec<Value> = records.iter().map(one).collect();
        let total = Some(result.len() as u64);
        Ok(Envelope {
            result: json!(result),
            page: PageInfo { total_count: total, total_pages: Some(1), ..PageInfo::default() },
            cursor: None,
        })
    }
}

fn form(name: &str, record_type: RecordType, text: &str) -> RecordForm {
    let data = Rdata::from_text(record_type, text).unwrap();
    RecordForm {
        name: zone_name().resolve(name).unwrap(),
        data,
        facets: Facets::default(),
        reported: AsReported::default(),
    }
}

fn a(name: &str, n: u8) -> RecordForm {
    form(name, RecordType::A, &format!("192.0.2.{n}"))
}

fn live(records: &[LiveRecord]) -> LiveZone {
    LiveZone { records: records.to_vec(), ..LiveZone::new(zone_name(), ZoneId("z".into())) }
}

fn plan(wanted: &[RecordForm], zone: &LiveZone) -> ZonePlan {
    let records: Vec<DesiredRecord> = wanted.iter().map(desired_record).collect();
    let place = crate::support::generators::place();
    let desired = DesiredZone { records, unmanaged: Unmanaged::Keep, ..DesiredZone::new(zone_name(), place) };
    plan_zone(&desired, zone).0
}

/// What a run left behind.
struct Ran {
    applied: ZoneApplied,
    sent: Vec<(String, Value)>,
    waited: Duration,
    journal: Vec<Value>,
}

/// Carries out a plan against a script; `reads` is what the zone holds at each reading.
async fn run(
    plan: &ZonePlan,
    zone: &LiveZone,
    lowering: Lowering,
    script: &[Answer],
    reads: &[Vec<LiveRecord>],
) -> Ran {
    run_on(|file| Box::new(file), plan, zone, lowering, script, reads).await
}

/// As [`run`], with a journal on a disk of its own kind.
async fn run_on(
    disk: impl FnOnce(std::fs::File) -> Box<dyn JournalFile>,
    plan: &ZonePlan,
    zone: &LiveZone,
    lowering: Lowering,
    script: &[Answer],
    reads: &[Vec<LiveRecord>],
) -> Ran {
    let service = Service {
        script: Arc::new(Mutex::new(script.iter().cloned().collect())),
        reads: Arc::new(Mutex::new(reads.iter().cloned().collect())),
        sent: Arc::default(),
    };
    let directory = tempfile::TempDir::new().unwrap();
    let path = directory.path().join("journal.jsonl");
    let file = disk(std::fs::File::create(&path).unwrap());
    let journal = Journal::on(file, &path, "digest", || "2026-01-01T00:00:00Z".to_owned()).unwrap();
    let begun = tokio::time::Instant::now();
    let options = Options::default();
    let RecordsApplied { outcomes, noticed, is_confirmed } = Executor {
        reader: &service,
        writer: &service,
        options: &options,
        journal: &journal,
        observer: &|_: &ApplyEvent| {},
        stop: &Stop::never(),
        verify: Verify::Read,
        read_at: tokio::time::Instant::now(),
    }
    .execute(plan, zone, lowering)
    .await;
    let applied = ZoneApplied { outcomes, noticed, is_confirmed };
    let text = std::fs::read_to_string(journal.path()).unwrap();
    let sent = service.sent.lock().unwrap().clone();
    let mut lines = text.lines().map(serde_json::from_str).collect::<Vec<_>>();
    // The last one may be cut.
    lines.pop_if(|last| last.is_err());
    let journal = lines.into_iter().map(Result::unwrap).collect();
    Ran { applied, sent, waited: begun.elapsed(), journal }
}

/// The outcomes in words.
fn words(ran: &Ran) -> Vec<&'static str> {
    let word = |o: &Outcome| match o {
        Outcome::Done => "done",
        Outcome::Refused(_) => "refused",
        Outcome::NotSent(_) => "not sent",
        Outcome::Stale(_) => "stale",
        Outcome::Restored => "restored",
        Outcome::Unknown(_) => "unknown",
        Outcome::Deferred(_) => "deferred",
    };
    ran.applied.outcomes.iter().map(word).collect()
}

fn journalled(ran: &Ran) -> Vec<String> {
    ran.journal.iter().filter_map(|l| l["outcome"].as_str().map(str::to_owned)).collect()
}

const BATCH: Lowering = Lowering::Batches(200);

#[tokio::test(start_paused = true)]
async fn one_culprit_is_found_and_the_rest_lands() {
    let zone = live(&[]);
    let plan = plan(&(1..=8).map(|n| a(&format!("h{n}"), n)).collect::<Vec<_>>(), &zone);
    // Whole, first half, second half: the fourth of eight is the culprit.
    let script = [No(400, 9003), No(400, 9003), Yes, No(400, 9003), Yes, No(400, 9003), Yes];
    let ran = run(&plan, &zone, BATCH, &script, &[vec![]]).await;
    assert_eq!(words(&ran).iter().filter(|w| **w == "done").count(), 7, "{:?}", words(&ran));
    assert_eq!(ran.sent.len(), 7);
}

#[tokio::test(start_paused = true)]
async fn a_zone_where_everything_is_refused_costs_few_requests() {
    let zone = live(&[]);
    let plan = plan(&(0..200).map(|n| a(&format!("h{n}"), 1)).collect::<Vec<_>>(), &zone);
    let ran = run(&plan, &zone, BATCH, &vec![No(400, 9003); 500], &[vec![]]).await;
    assert!(words(&ran).iter().all(|w| *w == "refused"));
    assert!(ran.sent.len() < 140, "{} requests", ran.sent.len());
}

#[tokio::test(start_paused = true)]
async fn what_concerns_the_credentials_or_the_quota_stops_everything() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2), a("c", 3)], &zone);
    for (status, code) in [(401, 1000), (403, 10000), (403, 9109), (429, 971), (400, 81045)] {
        let ran = run(&plan, &zone, Lowering::Single, &[Yes, No(status, code)], &[vec![]]).await;
        assert_eq!((words(&ran), ran.sent.len()), (vec!["done", "refused", "not sent"], 2), "{status} {code}");
    }
    // MX records of a zone with Email Routing are refused under 403 with a code of their own.
    let ran = run(&plan, &zone, Lowering::Single, &[Yes, No(403, 1046)], &[vec![]]).await;
    assert_eq!(words(&ran), ["done", "refused", "done"]);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_seen_by_reading() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let both = vec![stored(1, &a("a", 1)), stored(2, &a("b", 2))];
    let ran = run(&plan, &zone, BATCH, &[Lost], &[both]).await;
    assert_eq!((words(&ran), ran.sent.len(), journalled(&ran)), (vec!["done", "done"], 1, vec!["done".to_owned()]));
    // Without effect it is sent again; and never more than five times.
    let ran = run(&plan, &zone, BATCH, &[Lost, Yes], &[vec![]]).await;
    assert_eq!((words(&ran), journalled(&ran)), (vec!["done", "done"], vec!["lost".to_owned(), "done".into()]));
    let ran = run(&plan, &zone, BATCH, &vec![Lost; 50], &[vec![]]).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["unknown", "unknown"], 5));
    // Whoever reads the journal must look, too: the listings may have been old.
    assert_eq!(journalled(&ran), ["lost", "lost", "lost", "lost", "unknown"]);
}

#[tokio::test(start_paused = true)]
async fn resends_are_counted_in_a_row() {
    let zone = live(&[]);
    let wanted: Vec<_> = (1..=12).map(|n| a(&format!("h{n:02}"), n)).collect();
    let plan = plan(&wanted, &zone);
    // Each of twelve requests is lost twice with effect seen at the second look.
    let mut reads = Vec::new();
    for n in 1..=12_usize {
        let held: Vec<_> = wanted[..n].iter().enumerate().map(|(i, f)| stored(i, f)).collect();
        reads.push(held[..n - 1].to_vec());
        reads.push(held);
    }
    let ran = run(&plan, &zone, Lowering::Single, &vec![Lost; 24], &reads).await;
    assert!(words(&ran).iter().all(|w| *w == "done"), "{:?}", words(&ran));
}

#[tokio::test(start_paused = true)]
async fn what_somebody_else_changed_is_not_called_done() {
    let old = stored(1, &a("a", 1));
    let zone = live(std::slice::from_ref(&old));
    let plan = plan(&[a("a", 2)], &zone);
    let other = stored(1, &a("a", 9));
    let ran = run(&plan, &zone, BATCH, &[Lost], &[vec![other]]).await;
    // Ours may have been there in between.
    assert_eq!((words(&ran), journalled(&ran)), (vec!["unknown"], vec!["unknown".to_owned()]));
    // A create whose value appeared with other facets is somebody else's as well.
    let zone = live(&[]);
    let mut wanted = a("b", 1);
    wanted.facets.ttl = Some(Ttl::seconds(300).unwrap());
    let plan = self::plan(&[wanted], &zone);
    let ran = run(&plan, &zone, BATCH, &[Lost], &[vec![stored(1, &a("b", 1))]]).await;
    assert_eq!(words(&ran), ["unknown"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_came_late_is_not_refused_twice() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let both = vec![stored(1, &a("a", 1)), stored(2, &a("b", 2))];
    let ran = run(&plan, &zone, BATCH, &[Lost, No(400, 81058)], &[vec![], both]).await;
    assert_eq!((words(&ran), journalled(&ran)), (vec!["done", "done"], vec!["lost".to_owned(), "done".into()]));
    // "Identical" for something that is not there is a refusal.
    let ran = run(&plan, &zone, Lowering::Single, &[No(400, 81058), Yes], &[vec![]]).await;
    assert_eq!(words(&ran), ["refused", "done"]);
}

/// Listings may lag behind for longer than anybody waits.
#[tokio::test(start_paused = true)]
async fn a_request_that_may_have_come_late_is_not_called_refused() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, 81058), Yes], &[vec![]]).await;
    assert_eq!(words(&ran), ["unknown", "done"]);
    assert_eq!((journalled(&ran), ran.waited.as_secs()), (["lost", "unknown", "done"].map(Into::into).into(), 7));
    // Only what was lost itself.
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, Yes, No(400, 81058)], &[vec![]]).await;
    assert_eq!(words(&ran), ["done", "refused"]);
    let ran = run(&plan, &zone, BATCH, &[Lost, No(400, 81058)], &[vec![]]).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["unknown", "unknown"], 2));

    // Nor does "no" under a status that says yes.
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(200, 10013), Yes], &[vec![]]).await;
    assert_eq!(words(&ran), ["unknown", "done"]);

    // Nor "the name is taken", which the record of the earlier try may be what takes it.
    for code in [81053, 81054] {
        let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, code), Yes], &[vec![]]).await;
        assert_eq!((words(&ran), journalled(&ran)[1].as_str()), (vec!["unknown", "done"], "unknown"));
        let there = vec![stored(1, &a("a", 1))];
        let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, code), Yes], &[vec![], vec![], there]).await;
        assert_eq!((words(&ran), ran.waited.as_secs()), (vec!["done", "done"], 1));
        let ran = run(&plan, &zone, Lowering::Single, &[No(400, code), Yes], &[vec![]]).await;
        assert_eq!(words(&ran), ["refused", "done"], "nothing was lost before");
    }

    let (zone, plan) = swap();
    let ran = run(&plan, &zone, BATCH, &[Lost, No(404, 81044)], std::slice::from_ref(&zone.records)).await;
    assert_eq!((words(&ran), journalled(&ran)), (vec!["unknown"; 2], ["lost", "unknown"].map(Into::into).into()));
}

/// One name that is taken by somebody else does not keep the others of a batch from their effect.
#[tokio::test(start_paused = true)]
async fn a_taken_name_is_found_in_a_batch_that_got_lost() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2), a("c", 3), a("d", 4)], &zone);
    let taken = || No(400, 81054);
    let script = [Lost, taken(), Yes, taken(), Yes, taken()];
    let ran = run(&plan, &zone, BATCH, &script, &[vec![]]).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["done", "done", "done", "unknown"], 6));
    // What is refused as a whole had no effect when it was sent first either.
    let ran = run(&plan, &zone, BATCH, &[Lost, No(400, 9003), Yes, taken(), Yes, taken()], &[vec![]]).await;
    assert_eq!(words(&ran), ["done", "done", "done", "refused"]);
}

/// What somebody else changed is not sent again with what is narrowed.
#[tokio::test(start_paused = true)]
async fn what_somebody_else_changed_is_not_sent_again_in_halves() {
    let zone = live(&[stored(1, &a("a", 1))]);
    let plan = plan(&[a("a", 2), a("b", 2), a("c", 3)], &zone);
    let other = vec![stored(1, &a("a", 9))];
    let script = [Lost, No(400, 81054), Yes];
    let ran = run(&plan, &zone, BATCH, &script, &[zone.records.clone(), other]).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["unknown", "done", "done"], 3));
    let (_, last) = &ran.sent[2];
    assert_eq!((&last["patches"], last["posts"].as_array().map(Vec::len)), (&Value::Null, Some(2)), "{last}");
}

/// Losses are counted in a row, and an answer ends the row.
#[tokio::test(start_paused = true)]
async fn an_answer_ends_the_row_of_losses() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let first = vec![stored(1, &a("a", 1))];
    let script = [Lost, Lost, Lost, No(400, 81058), Lost, Lost, Lost, Yes];
    let reads = [vec![vec![]; 3], vec![first]].concat();
    let ran = run(&plan, &zone, Lowering::Single, &script, &reads).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["done", "done"], 8));
}

/// An answer of which both may be true leaves its operations as unsure as one that got lost.
#[tokio::test(start_paused = true)]
async fn what_an_answer_of_yes_and_no_left_open_is_not_called_refused() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    let first = vec![stored(1, &a("a", 1))];
    let ran = run(&plan, &zone, BATCH, &[No(200, 10013), No(400, 81058)], &[first]).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["done", "unknown"], 2));
}

/// Being sent away says nothing of the try before.
#[tokio::test(start_paused = true)]
async fn what_is_sent_away_the_second_time_is_unknown() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    for (answer, second) in [(Busy(500), "not sent"), (Busy(429), "not sent"), (Elsewhere(302), "done")] {
        for (script, first) in [(vec![answer.clone()], "refused"), (vec![Lost, answer], "unknown")] {
            let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
            assert_eq!(words(&ran), [first, second]);
        }
    }
}

/// Nobody knows of the create, but the name shall not be empty.
#[tokio::test(start_paused = true)]
async fn a_name_is_filled_again_though_the_zone_cannot_be_read() {
    let (zone, plan) = swap();
    // Two of one id are never as many as the service counts.
    let unreadable = vec![stored(7, &a("x", 7)), stored(7, &a("x", 7))];
    for script in [vec![Yes, Lost, Yes], vec![Yes, Lost, No(401, 10000), Yes]] {
        let reads = [vec![], unreadable.clone()];
        let reads = if script.len() == 3 { &reads[1..] } else { &reads[..] };
        let ran = run(&plan, &zone, Lowering::Single, &script, reads).await;
        assert_eq!((words(&ran), ran.sent.len()), (vec!["restored", "unknown"], script.len()));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_lost_and_not_sent_again_is_unknown() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2), a("c", 3)], &zone);
    // The batch is lost, there are no batches when it is sent again, and then the credentials are refused.
    let ran = run(&plan, &zone, Lowering::Batches(2), &[Lost, Unreadable(404), No(403, 9109)], &[vec![]]).await;
    assert_eq!(words(&ran), ["unknown", "unknown", "not sent"]);
    for outcome in &ran.applied.outcomes[..2] {
        let Outcome::Unknown(reason) = outcome else { panic!() };
        assert!(reason.contains("not sent again: refused with 9109"), "{reason}");
    }
    assert_eq!(journalled(&ran).last().map(String::as_str), Some("unknown"), "an undo must look");
    // What the zone shows is told even so, and the rest is not sent.
    let there = vec![stored(1, &a("a", 1))];
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, 81045)], &[vec![], there]).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["done", "not sent", "not sent"], 2));
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, 81045)], &[vec![]]).await;
    assert_eq!(words(&ran), ["unknown", "not sent", "not sent"]);
    let ran = run(&plan, &zone, Lowering::Batches(2), &[Lost, No(404, 7000), No(403, 9109)], &[vec![]]).await;
    assert_eq!(words(&ran), ["refused", "not sent", "not sent"], "without batches, none had an effect");
    // A refusal of what is asked would have met the first one, too.
    let ran = run(&plan, &zone, Lowering::Single, &[Lost, No(400, 9003)], &[vec![]]).await;
    assert_eq!(words(&ran), ["refused", "done", "done"]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_cannot_be_read_says_nothing_of_what_was_lost_before() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1)], &zone);
    for lowering in [Lowering::Single, BATCH] {
        let ran = run(&plan, &zone, lowering, &[vec![Lost], vec![Unreadable(400); 9]].concat(), &[vec![]]).await;
        assert_eq!((words(&ran), ran.sent.len()), (vec!["unknown"], 5));
        assert_eq!(journalled(&ran).last().map(String::as_str), Some("unknown"));
        let ran = run(&plan, &zone, lowering, &[Lost, Unreadable(400), Yes], &[vec![]]).await;
        assert_eq!(words(&ran), ["done"]);
        let ran = run(&plan, &zone, lowering, &[Unreadable(400)], &[vec![]]).await;
        assert_eq!((words(&ran), ran.sent.len()), (vec!["refused"], 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_zone_that_cannot_be_read_leaves_it_unknown() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2)], &zone);
    // A listing that never holds what it counts.
    struct Liar(Service);
    impl Reader for Liar {
        async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
            let mut answer = self.0.read(request).await?;
            answer.page.total_count = Some(99);
            Ok(answer)
        }
    }
    let script = Arc::new(Mutex::new(VecDeque::from([Lost])));
    let service = Service { script, reads: Arc::default(), sent: Arc::default() };
    let liar = Liar(service.clone());
    let directory = tempfile::TempDir::new().unwrap();
    let journal = Journal::begin(directory.path(), "digest", String::new).unwrap();
    let options = Options::default();
    let RecordsApplied { outcomes, noticed, is_confirmed } = Executor {
        reader: &liar,
        writer: &service,
        options: &options,
        journal: &journal,
        observer: &|_: &ApplyEvent| {},
        stop: &Stop::never(),
        verify: Verify::Read,
        read_at: tokio::time::Instant::now(),
    }
    .execute(&plan, &zone, Lowering::Single)
    .await;
    let applied = ZoneApplied { outcomes, noticed, is_confirmed };
    assert!(
        matches!(applied.outcomes.as_slice(), [Outcome::Unknown(_), Outcome::NotSent(_)]),
        "{:?}",
        applied.outcomes
    );
    assert!(applied.wrote_anything());
}

/// A name with a CNAME that becomes an address, one request at a time.
fn swap() -> (LiveZone, ZonePlan) {
    let zone = live(&[stored(1, &form("www", RecordType::Cname, "host.example.net"))]);
    let plan = plan(&[a("www", 1)], &zone);
    (zone, plan)
}

#[tokio::test(start_paused = true)]
async fn a_conflict_with_what_was_just_deleted_is_waited_for() {
    let (zone, plan) = swap();
    let script = [Yes, No(400, 81054), No(400, 81054), No(400, 81054), Yes];
    let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
    assert_eq!((words(&ran), ran.waited), (vec!["done", "done"], Duration::from_secs(1 + 2 + 4)));
    // For ever it is not.
    let ran =
        run(&plan, &zone, Lowering::Single, &[vec![Yes], vec![No(400, 81054); 6], vec![Yes]].concat(), &[vec![]]).await;
    assert_eq!((words(&ran), ran.waited), (vec!["restored", "refused"], Duration::from_secs(30)));
    assert_eq!(ran.sent.last().unwrap().1["type"], "CNAME");
}

#[tokio::test(start_paused = true)]
async fn a_name_is_filled_again_whatever_went_wrong() {
    let (zone, plan) = swap();
    let lost = [vec![Yes], vec![Lost; 5], vec![Yes]].concat();
    for (script, create) in [(vec![Yes, No(400, 9003), Yes], "refused"), (lost, "unknown")] {
        let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
        assert_eq!(words(&ran), ["restored", create]);
        assert_eq!(
            ran.sent.last().map(|(m, b)| (m.as_str(), b["content"].clone())),
            Some(("POST", json!("host.example.net")))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_name_that_cannot_be_filled_again_is_said_so() {
    let (zone, plan) = swap();
    let ran = run(&plan, &zone, Lowering::Single, &[vec![Yes], vec![Lost; 50]].concat(), &[vec![]]).await;
    assert_eq!(words(&ran), ["unknown", "unknown"]);
    let Outcome::Unknown(reason) = &ran.applied.outcomes[0] else { panic!() };
    assert!(reason.contains("may be empty"), "{reason}");
    // Refused, it is certain: the delete is done, and the create says what is there now.
    let ran = run(&plan, &zone, Lowering::Single, &[Yes, No(400, 9003), No(400, 9003)], &[vec![]]).await;
    assert_eq!(words(&ran), ["done", "refused"]);
    let Outcome::Refused(reason) = &ran.applied.outcomes[1] else { panic!() };
    assert!(reason.contains("could not be created again") && reason.contains("may be empty"), "{reason}");
    // It is tried once, however many creates were to stand there.
    let two = self::plan(&[a("www", 1), a("www", 2)], &zone);
    let ran = run(&two, &zone, Lowering::Single, &[vec![Yes], vec![No(400, 9003); 9]].concat(), &[vec![]]).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["done", "refused", "refused"], 4));
    // Lost at first, found there at the second attempt.
    let script = [Yes, No(400, 9003), Lost, No(400, 81058)];
    let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
    assert_eq!(words(&ran), ["restored", "refused"]);
    // "Identical" at first is what was deleted, not yet forgotten.
    let script = [Yes, No(400, 9003), No(400, 81058), No(400, 81053), Yes];
    let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["restored", "refused"], 5));
    let script = [vec![Yes, No(400, 9003)], vec![No(400, 81058); 50]].concat();
    let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
    assert_eq!(words(&ran), ["unknown", "refused"]);
}

/// NS records at the apex take nobody's room.
#[tokio::test(start_paused = true)]
async fn the_apex_is_filled_again_though_it_has_name_servers() {
    let zone = live(&[stored(1, &a("@", 1))]);
    let wanted = [form("@", RecordType::Cname, "host.example.net"), form("@", RecordType::Ns, "ns1.example.org")];
    let plan = plan(&wanted, &zone);
    let kinds: Vec<_> = plan.operations.iter().map(|o| o.address.to_string()).collect();
    let script: Vec<_> = kinds.iter().map(|k| if k.ends_with("/CNAME") { No(400, 9003) } else { Yes }).collect();
    let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
    let mut all = words(&ran);
    all.sort_unstable();
    assert_eq!(all, ["done", "refused", "restored"], "{kinds:?} {:?}", ran.sent);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_was_swapped_is_not_filled_again() {
    let zone = live(&[stored(1, &form("www", RecordType::Cname, "host.example.net"))]);
    let plan = plan(&[a("www", 1), form("www", RecordType::Txt, "words")], &zone);
    let ran = run(&plan, &zone, Lowering::Single, &[Yes, Yes, No(400, 9051)], &[vec![]]).await;
    assert_eq!((words(&ran), ran.sent.len()), (vec!["done", "done", "refused"], 3));
}

/// A disk that takes so many lines, then half of one, and then whole ones again.
struct Full {
    file: std::fs::File,
    lines: usize,
}

impl JournalFile for Full {
    fn append(&mut self, line: &[u8]) -> std::io::Result<()> {
        if self.lines == 0 {
            self.lines = usize::MAX;
            self.file.append(&line[..line.len() / 2])?;
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.lines -= 1;
        self.file.append(line)
    }

    fn sync(&mut self) -> std::io::Result<()> {
        self.file.sync()
    }
}

/// Lines: the beginning, then intent and outcome of each request.
#[tokio::test(start_paused = true)]
async fn nothing_is_sent_that_the_journal_does_not_hold() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2), a("c", 3)], &zone);
    for (lines, sent) in [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)] {
        let disk = |file| -> Box<dyn JournalFile> { Box::new(Full { file, lines }) };
        let ran = run_on(disk, &plan, &zone, Lowering::Single, &[], &[]).await;
        assert_eq!(ran.sent.len(), sent, "{lines}");
        let expected: Vec<_> = (0..3).map(|n| if n < sent { "done" } else { "not sent" }).collect();
        assert_eq!(words(&ran), expected, "{lines}");
        // The line that was cut is the last: nothing was written after it, so the journal can be read.
        assert_eq!(ran.journal.len(), lines, "{lines}");
    }
}

/// The addresses of operations that are no longer to be done as they were planned.
fn moved(plan: &ZonePlan, records: &[LiveRecord]) -> Vec<String> {
    let index = Index::new(records);
    let is_moved = |record: &RecordSubject| state_of(record, &index) != OperationState::Pending;
    let all = plan.records().filter(|(_, _, record)| is_moved(record));
    all.map(|(_, operation, _)| operation.address.to_string()).collect()
}

#[test]
fn a_plan_is_stale_if_what_it_touches_moved() {
    let zone = live(&[stored(1, &a("a", 1)), stored(2, &form("b", RecordType::Cname, "x.example.net"))]);
    let plan = plan(&[a("a", 2), a("b", 3), a("c", 4)], &zone);
    assert_eq!(plan.operations.len(), 4);
    assert!(moved(&plan, &zone.records).is_empty());
    let gone = moved(&plan, &[]);
    assert_eq!(gone.len(), 2, "{gone:?}");
    let foreign = [stored(1, &a("a", 9)), zone.records[1].clone(), stored(7, &a("c", 4))];
    assert_eq!(moved(&plan, &foreign), ["example.com/dns/a/A", "example.com/dns/c/A"]);
}

/// A state of DNSSEC that cannot be told is never taken for "on".
#[test]
fn signing_is_asked_for_where_its_state_is_unknown() {
    let mut wanted = DesiredZone::new(zone_name(), crate::support::generators::place());
    for (on, operations) in [(true, 1), (false, 0)] {
        wanted.settings.dnssec = Some((on, crate::support::generators::place()));
        assert_eq!(plan_zone(&wanted, &live(&[])).0.operations.len(), operations, "{on}");
    }
}
