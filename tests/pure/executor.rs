//! The executor with scripted responses. Time is paused, so waits are counted and take no time.

mod lost;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::generators::{desired_record, stored, zone_name};
use serde_json::{Value, json};
use zonewright::api::{ApiError, Reader, RequestName, Signature, Stop, Writer};
use zonewright::apply::{
    ApplyEvent, Executor, Journal, JournalFile, LiveIndex, OperationOutcome, OperationState,
    RecordsApplied, Verify, ZoneApplied, state_of,
};
use zonewright::live::ReadOptions;
use zonewright::model::{
    AsReported, DesiredRecord, DesiredZone, Facets, LiveRecord, LiveZone, Rdata, RecordForm,
    RecordType, Ttl, Unmanaged, ZoneId,
};
use zonewright::plan::{Lowering, RecordSchedule, RecordSubject, ZonePlan, plan_zone};
use zonewright::wire::record::create_body;
use zonewright::wire::{ApiMessage, Envelope, PageInfo, Request};

/// Cloudflare's response to a write.
#[derive(Clone)]
enum WriteResult {
    /// Success.
    Yes,
    /// A refusal with a status and a code.
    No(u16, i64),
    /// An error page of the edge, after which the result is unknown.
    Lost,
    /// A refusal with a status, and nothing else that can be read.
    Unreadable(u16),
    /// "Retry later", under a status.
    Busy(u16),
    /// A redirect, under a status.
    Elsewhere(u16),
}

use WriteResult::{Busy, Elsewhere, Lost, No, Unreadable, Yes};

/// A server with a script for writes, and the records that each read returns.
#[derive(Clone)]
struct Service {
    script: Arc<Mutex<VecDeque<WriteResult>>>,
    reads: Arc<Mutex<VecDeque<Vec<LiveRecord>>>>,
    sent: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Writer for Service {
    async fn write(&self, request: &Request) -> Result<Envelope, ApiError> {
        self.sent
            .lock()
            .unwrap()
            .push((request.method.to_string(), request.body.clone().unwrap_or_default()));
        let name = RequestName::of(request);
        match self.script.lock().unwrap().pop_front().unwrap_or(Yes) {
            Yes => Ok(Envelope { result: json!({}), page: PageInfo::default(), cursor: None }),
            No(status, code) => Err(ApiError::Refused {
                request: name,
                status,
                messages: vec![ApiMessage {
                    code: Some(code),
                    message: format!("refused with {code}"),
                    pointer: None,
                }],
                signature: Signature::Token,
            }),
            Lost => Err(ApiError::Garbled { request: name, status: 502, what: "a page".into() }),
            Unreadable(status) => {
                Err(ApiError::Garbled { request: name, status, what: "half of a text".into() })
            }
            Busy(status) => {
                Err(ApiError::Throttled { request: name, status, messages: vec![], wait: None })
            }
            Elsewhere(status) => {
                Err(ApiError::Redirected { request: name, status, to: "elsewhere".into() })
            }
        }
    }
}

impl Reader for Service {
    async fn read(&self, _: &Request) -> Result<Envelope, ApiError> {
        let mut reads = self.reads.lock().unwrap();
        // The last state is repeated.
        let records = if reads.len() > 1 {
            reads.pop_front().unwrap()
        } else {
            reads.front().cloned().unwrap_or_default()
        };
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
    let desired =
        DesiredZone { records, unmanaged: Unmanaged::Keep, ..DesiredZone::new(zone_name(), place) };
    plan_zone(&desired, zone).0
}

/// The result of a run.
struct Ran {
    applied: ZoneApplied,
    sent: Vec<(String, Value)>,
    waited: Duration,
    journal: Vec<Value>,
}

/// Executes a plan against a script. `reads` has the content of the zone for each read.
async fn run(
    plan: &ZonePlan,
    zone: &LiveZone,
    lowering: Lowering,
    script: &[WriteResult],
    reads: &[Vec<LiveRecord>],
) -> Ran {
    run_on(|file| Box::new(file), plan, zone, lowering, script, reads).await
}

/// Does the same as [`run`] with a given journal.
async fn run_on(
    disk: impl FnOnce(std::fs::File) -> Box<dyn JournalFile>,
    plan: &ZonePlan,
    zone: &LiveZone,
    lowering: Lowering,
    script: &[WriteResult],
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
    let journal = Journal::on(file, &path, "digest", || std::time::SystemTime::UNIX_EPOCH).unwrap();
    let begun = tokio::time::Instant::now();
    let applied = execute(&service, &service, &journal, plan, zone, lowering).await;
    let text = std::fs::read_to_string(journal.path()).unwrap();
    let sent = service.sent.lock().unwrap().clone();
    let mut lines = text.lines().map(serde_json::from_str).collect::<Vec<_>>();
    // The last one may be cut.
    lines.pop_if(|last| last.is_err());
    let journal = lines.into_iter().map(Result::unwrap).collect();
    Ran { applied, sent, waited: begun.elapsed(), journal }
}

/// Carries out a plan on a service that reads otherwise than it writes.
async fn execute(
    reader: &impl Reader,
    writer: &Service,
    journal: &Journal,
    plan: &ZonePlan,
    zone: &LiveZone,
    lowering: Lowering,
) -> ZoneApplied {
    let RecordsApplied { outcomes, noticed, is_confirmed } = Executor {
        reader,
        writer,
        options: &ReadOptions::default(),
        journal,
        observer: &|_: &ApplyEvent| {},
        stop: &Stop::never(),
        verify: Verify::Read,
        read_at: tokio::time::Instant::now(),
    }
    .execute(plan, zone, &RecordSchedule::new(plan, lowering))
    .await;
    ZoneApplied { outcomes, noticed, is_confirmed }
}

/// Returns the outcomes in words.
fn outcome_names(ran: &Ran) -> Vec<&'static str> {
    let word = |o: &OperationOutcome| match o {
        OperationOutcome::Done => "done",
        OperationOutcome::OtherCuts(_) => "other cuts",
        OperationOutcome::Refused(_) => "refused",
        OperationOutcome::NotSent(_) => "not sent",
        OperationOutcome::Stale(_) => "stale",
        OperationOutcome::Restored => "restored",
        OperationOutcome::Unknown(_) => "unknown",
        OperationOutcome::Deferred(_) => "deferred",
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
    // All, the first half, the second half: the fourth of eight is the culprit.
    let script = [No(400, 9003), No(400, 9003), Yes, No(400, 9003), Yes, No(400, 9003), Yes];
    let ran = run(&plan, &zone, BATCH, &script, &[vec![]]).await;
    assert_eq!(
        outcome_names(&ran).iter().filter(|w| **w == "done").count(),
        7,
        "{:?}",
        outcome_names(&ran)
    );
    assert_eq!(ran.sent.len(), 7);
}

#[tokio::test(start_paused = true)]
async fn a_zone_where_everything_is_refused_costs_few_requests() {
    let zone = live(&[]);
    let plan = plan(&(0..200).map(|n| a(&format!("h{n}"), 1)).collect::<Vec<_>>(), &zone);
    let ran = run(&plan, &zone, BATCH, &vec![No(400, 9003); 500], &[vec![]]).await;
    assert!(outcome_names(&ran).iter().all(|w| *w == "refused"));
    assert!(ran.sent.len() < 140, "{} requests", ran.sent.len());
}

#[tokio::test(start_paused = true)]
async fn what_concerns_the_credentials_or_the_quota_stops_everything() {
    let zone = live(&[]);
    let plan = plan(&[a("a", 1), a("b", 2), a("c", 3)], &zone);
    for (status, code) in [(401, 1000), (403, 10000), (403, 9109), (429, 971), (400, 81045)] {
        let ran = run(&plan, &zone, Lowering::Single, &[Yes, No(status, code)], &[vec![]]).await;
        assert_eq!(
            (outcome_names(&ran), ran.sent.len()),
            (vec!["done", "refused", "not sent"], 2),
            "{status} {code}"
        );
    }
    // MX records of a zone with Email Routing are refused under 403 with a code of their own.
    let ran = run(&plan, &zone, Lowering::Single, &[Yes, No(403, 1046)], &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["done", "refused", "done"]);
}

/// Returns a name with a CNAME that becomes an address, one request at a time.
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
    assert_eq!(
        (outcome_names(&ran), ran.waited),
        (vec!["done", "done"], Duration::from_secs(1 + 2 + 4))
    );
    // It does not go on endlessly.
    let ran = run(
        &plan,
        &zone,
        Lowering::Single,
        &[vec![Yes], vec![No(400, 81054); 6], vec![Yes]].concat(),
        &[vec![]],
    )
    .await;
    assert_eq!(
        (outcome_names(&ran), ran.waited),
        (vec!["restored", "refused"], Duration::from_secs(30))
    );
    assert_eq!(ran.sent.last().unwrap().1["type"], "CNAME");
}

#[tokio::test(start_paused = true)]
async fn a_name_is_filled_again_whatever_went_wrong() {
    let (zone, plan) = swap();
    let lost = [vec![Yes], vec![Lost; 5], vec![Yes]].concat();
    for (script, create) in [(vec![Yes, No(400, 9003), Yes], "refused"), (lost, "unknown")] {
        let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
        assert_eq!(outcome_names(&ran), ["restored", create]);
        assert_eq!(
            ran.sent.last().map(|(m, b)| (m.as_str(), b["content"].clone())),
            Some(("POST", json!("host.example.net")))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_name_that_cannot_be_filled_again_is_said_so() {
    let (zone, plan) = swap();
    let ran =
        run(&plan, &zone, Lowering::Single, &[vec![Yes], vec![Lost; 50]].concat(), &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["unknown", "unknown"]);
    let OperationOutcome::Unknown(reason) = &ran.applied.outcomes[0] else { panic!() };
    assert!(reason.contains("may be empty"), "{reason}");
    // A refusal is certain: the delete is done, and the create shows which record exists now.
    let ran =
        run(&plan, &zone, Lowering::Single, &[Yes, No(400, 9003), No(400, 9003)], &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["done", "refused"]);
    let OperationOutcome::Refused(reason) = &ran.applied.outcomes[1] else { panic!() };
    assert!(
        reason.contains("could not be created again") && reason.contains("may be empty"),
        "{reason}"
    );
    // It is tried once, however many creates were planned at the name.
    let two = self::plan(&[a("www", 1), a("www", 2)], &zone);
    let ran = run(
        &two,
        &zone,
        Lowering::Single,
        &[vec![Yes], vec![No(400, 9003); 9]].concat(),
        &[vec![]],
    )
    .await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["done", "refused", "refused"], 4));
    // Lost at first, visible at the second attempt.
    let script = [Yes, No(400, 9003), Lost, No(400, 81058)];
    let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["restored", "refused"]);
    // "Identical record exists" refers to the deleted record, which Cloudflare still sees for a
    // moment.
    let script = [Yes, No(400, 9003), No(400, 81058), No(400, 81053), Yes];
    let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["restored", "refused"], 5));
    let script = [vec![Yes, No(400, 9003)], vec![No(400, 81058); 50]].concat();
    let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
    assert_eq!(outcome_names(&ran), ["unknown", "refused"]);
}

/// NS records at the apex do not conflict with other types.
#[tokio::test(start_paused = true)]
async fn the_apex_is_filled_again_though_it_has_name_servers() {
    let zone = live(&[stored(1, &a("@", 1))]);
    let wanted = [
        form("@", RecordType::Cname, "host.example.net"),
        form("@", RecordType::Ns, "ns1.example.org"),
    ];
    let plan = plan(&wanted, &zone);
    let kinds: Vec<_> = plan.operations.iter().map(|o| o.address.to_string()).collect();
    let script: Vec<_> =
        kinds.iter().map(|k| if k.ends_with("/CNAME") { No(400, 9003) } else { Yes }).collect();
    let ran = run(&plan, &zone, Lowering::Single, &script, &[vec![]]).await;
    let mut all = outcome_names(&ran);
    all.sort_unstable();
    assert_eq!(all, ["done", "refused", "restored"], "{kinds:?} {:?}", ran.sent);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_was_swapped_is_not_filled_again() {
    let zone = live(&[stored(1, &form("www", RecordType::Cname, "host.example.net"))]);
    let plan = plan(&[a("www", 1), form("www", RecordType::Txt, "words")], &zone);
    // The text is created first, because it can be beside the alias.
    let ran = run(&plan, &zone, Lowering::Single, &[No(400, 9051), Yes, Yes], &[vec![]]).await;
    assert_eq!((outcome_names(&ran), ran.sent.len()), (vec!["done", "done", "refused"], 3));
}

/// A disk that accepts this number of lines, then half a line, and then whole lines again.
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
        assert_eq!(outcome_names(&ran), expected, "{lines}");
        // The incomplete line is the last: nothing was written after it, so the journal can be
        // read.
        assert_eq!(ran.journal.len(), lines, "{lines}");
    }
}

/// Returns the addresses of operations whose preconditions changed.
fn moved(plan: &ZonePlan, records: &[LiveRecord]) -> Vec<String> {
    let index = LiveIndex::new(records);
    let is_moved = |record: &RecordSubject| state_of(record, &index) != OperationState::Pending;
    let all = plan.records().filter(|(_, _, record)| is_moved(record));
    all.map(|(_, operation, _)| operation.address.to_string()).collect()
}

#[test]
fn a_plan_is_stale_if_what_it_touches_moved() {
    let zone =
        live(&[stored(1, &a("a", 1)), stored(2, &form("b", RecordType::Cname, "x.example.net"))]);
    let plan = plan(&[a("a", 2), a("b", 3), a("c", 4)], &zone);
    assert_eq!(plan.operations.len(), 4);
    assert!(moved(&plan, &zone.records).is_empty());
    let gone = moved(&plan, &[]);
    assert_eq!(gone.len(), 2, "{gone:?}");
    let foreign = [stored(1, &a("a", 9)), zone.records[1].clone(), stored(7, &a("c", 4))];
    assert_eq!(moved(&plan, &foreign), ["example.com/dns/a/A", "example.com/dns/c/A"]);
}

/// An unknown state of DNSSEC is never taken for "on".
#[test]
fn signing_is_asked_for_where_its_state_is_unknown() {
    let mut wanted = DesiredZone::new(zone_name(), crate::support::generators::place());
    for (on, operations) in [(true, 1), (false, 0)] {
        wanted.settings.dnssec = Some((on, crate::support::generators::place()));
        assert_eq!(plan_zone(&wanted, &live(&[])).0.operations.len(), operations, "{on}");
    }
}
