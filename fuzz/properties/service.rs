//! Responses of Cloudflare: bodies, whole exchanges, headers.

use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Value as Json, json};
use zonewright::api::{ApiError, Reader, RequestName, Signature, Stop, Writer, waits_for};
use zonewright::apply::{
    ApplyEvent, Executor, Journal, JournalRun, JournalText, Verify, ZoneWork, needed, undo_zone,
};
use zonewright::diagnostic::{Severity, Sources};
use zonewright::import::from_live;
use zonewright::live::{ReadOptions, WafQuery, ZoneQuery, fetch};
use zonewright::model::ruleset::{EntryPoint, canonical};
use zonewright::model::{Desired, LiveZone, ZoneId, ZoneName};
use zonewright::plan::{Lowering, RecordSchedule, plan_zone};
use zonewright::spec::{Input, Options, load, print};
use zonewright::wire::{Envelope, EnvelopeError, Request, record, ruleset, settings, zone};

use super::{choose, text};

/// The limit of requests in one exchange: a server must not be able to keep a run busy without end.
const MOST_REQUESTS: usize = 5_000;
/// Codes of findings about combinations of records that Cloudflare does not store.
const EXCLUSIVE: &[&str] = &["DNS0007", "DNS0008", "DNS0009", "DNS0011"];
/// The longest time for which a header is believed.
const YEAR: Duration = Duration::from_secs(366 * 24 * 3600);

/// Runs a future to completion, in virtual time.
pub(super) fn wait<F: Future>(future: F) -> F::Output {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("it needs no more than memory").block_on(future)
}

/// Reads one response as every kind of document.
pub fn answer(data: &[u8]) {
    let Some((status, body)) = choose(&[200_u16, 201, 204, 400, 404, 429, 500, 524], data) else {
        return;
    };
    let envelope = match Envelope::read(status, body) {
        Ok(envelope) => envelope,
        Err(error) => {
            assert!(error.to_string().len() <= 4096 + 2 * body.len() * 3);
            return;
        }
    };
    assert!((200..300).contains(&status), "a failure was taken for a success");
    let one = std::slice::from_ref(&envelope.result);
    let items = envelope.result.as_array().map_or(one, Vec::as_slice);
    let mut live = LiveZone::new(ZoneName::reported("example.com"), ZoneId("z".to_owned()));
    for item in items {
        live.records.extend(record::read_record(item));
        let _ = (zone::read_zone(item), settings::read_setting(item), settings::read_dnssec(item));
        let _ = (
            settings::read_dns_settings(item),
            ruleset::read_catalogue(item),
            ruleset::read_position(item),
        );
        rules(item, &mut live);
    }
    // Content that the program does not understand is never written.
    for live in live.records.iter().filter(|live| live.data.record_type().is_some()) {
        let mut body = record::create_body(&live.form());
        body["id"] = json!(live.id.0);
        let again = record::read_record(&body).unwrap_or_else(|e| panic!("{e}: {body}"));
        assert_eq!(
            (&again.name, &again.data, again.proxied),
            (&live.name, &live.data, live.proxied),
            "{body}"
        );
    }
    let mut listed = ruleset::read_managed(items);
    ruleset::settle_names(&mut listed);
    imported(&live);
}

/// Reads a ruleset; its rules become the rules of the zone's first phase.
fn rules(json: &Json, live: &mut LiveZone) {
    let Ok(read) = ruleset::read_ruleset(json) else { return };
    for rule in &read.rules {
        let form = canonical(&rule.body);
        assert_eq!(canonical(&form), form, "the canonical form is no fixed point");
        let written =
            json!({ "id": "a", "rules": [with_id(ruleset::rule_json(&rule.body).into())] });
        let again = ruleset::read_ruleset(&written).expect("a rule that we write can be read");
        assert_eq!(canonical(&again.rules[0].body), form, "{written}");
    }
    let phase = zonewright::model::ruleset::Phase::ALL
        [read.rules.len() % zonewright::model::ruleset::Phase::ALL.len()];
    live.waf.entry_points.insert(phase, EntryPoint::Present(read));
}

/// Returns a rule with an id.
fn with_id(mut rule: Json) -> Json {
    rule["id"] = json!("0");
    rule
}

/// Requires that an import can be loaded as a spec, and that its plan against the same zone is
/// empty.
fn imported(live: &LiveZone) {
    let ids: BTreeSet<_> = live.records.iter().map(|r| &r.id).collect();
    if ids.len() < live.records.len() {
        // A listing with one id twice is refused, so no zone has two records of one id.
        return;
    }
    let twice = |entry: &EntryPoint| {
        let EntryPoint::Present(ruleset) = entry else { return false };
        let ids: BTreeSet<_> = ruleset.rules.iter().map(|rule| &rule.id).collect();
        ids.len() < ruleset.rules.len()
    };
    if live.waf.entry_points.values().any(twice) {
        // No ruleset has two rules of one id: a move by id could then move the wrong rule.
        return;
    }
    let imported = from_live(live);
    let desired = Desired {
        zones: [(live.name.clone(), imported.zone.clone())].into(),
        ..Desired::default()
    };
    let printed = print(&desired);
    let mut sources = Sources::default();
    let outcome = load(&[Input::Stdin(printed.clone())], &Options::default(), &mut sources);
    let Some(desired) = outcome.desired else {
        // A spec must not have records that exclude each other, and Cloudflare does not store them.
        let errors = outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let other: Vec<_> = errors.filter(|d| !EXCLUSIVE.contains(&d.code())).collect();
        assert!(other.is_empty(), "what is imported is refused: {other:?}\n{printed}");
        return;
    };
    let zone = desired.zones.get(&live.name).expect("the zone that was printed");
    let (plan, _) = plan_zone(zone, live);
    assert!(
        plan.operations.is_empty(),
        "imported, and not in sync:\n{printed}\n{:?}",
        plan.operations
    );
}

/// A transport that replays scripted responses, and fails when there are none left.
struct Script(Mutex<Left>);

/// The rest of a script.
struct Left {
    /// Statuses and bodies.
    answers: VecDeque<(u16, Vec<u8>)>,
    /// The number of requests so far.
    requests: usize,
}

impl Script {
    /// Reads a script: one response per line, with three digits for the status, then the body.
    fn new(data: &[u8]) -> Self {
        let answers = data.split(|b| *b == b'\n').map(|line| match line {
            [a @ b'1'..=b'5', b @ b'0'..=b'9', c @ b'0'..=b'9', body @ ..] => {
                let digit = |d: &u8| u16::from(d - b'0');
                (digit(a) * 100 + digit(b) * 10 + digit(c), body.to_vec())
            }
            body => (200, body.to_vec()),
        });
        Self(Mutex::new(Left { answers: answers.collect(), requests: 0 }))
    }

    /// Returns the next response.
    fn next(&self, request: &Request) -> Result<Envelope, ApiError> {
        let name = RequestName::of(request);
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        left.requests += 1;
        assert!(left.requests < MOST_REQUESTS, "it never stops asking");
        let Some((status, body)) = left.answers.pop_front() else {
            return Err(ApiError::Garbled {
                request: name,
                status: 502,
                what: "the end".to_owned(),
            });
        };
        Envelope::read(status, &body).map_err(|error| match error {
            EnvelopeError::Refused { messages } => {
                ApiError::Refused { request: name, status, messages, signature: Signature::Token }
            }
            EnvelopeError::NotAnEnvelope(what) => ApiError::Garbled { request: name, status, what },
            error @ EnvelopeError::TooMany(_) => {
                ApiError::Garbled { request: name, status, what: error.to_string() }
            }
        })
    }
}

impl Reader for Script {
    async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
        self.next(request)
    }
}

impl Writer for Script {
    async fn write(&self, request: &Request) -> Result<Envelope, ApiError> {
        self.next(request)
    }
}

/// The desired state of an exchange.
const WANTED: &str = "
version: 1
zones:
  example.com:
    unmanaged: prune
    settings: { ssl: strict }
    records:
      - { name: '@', type: A, content: [192.0.2.1, 192.0.2.2], ttl: 300 }
      - { name: www, type: CNAME, content: example.com, proxied: true }
      - { name: '@', type: MX, priority: 10, content: mx.example.net, comment: mail }
    waf:
      owasp: { paranoia: 2 }
      custom: [{ name: scanners, when: 'http.user_agent contains \"x\"', action: block }]
";

/// Runs a plan and its apply against arbitrary responses.
pub fn exchange(data: &[u8]) {
    let script = Script::new(data);
    let mut sources = Sources::default();
    let desired =
        load(&[Input::Stdin(WANTED.to_owned())], &Options::default(), &mut sources).desired;
    let desired = desired.expect("the spec is right");
    let wants = desired.zones.values().next().expect("it has a zone");
    let waf = wants.waf.as_ref().map(|waf| WafQuery::of(waf)).unwrap_or_default();
    let wanted = ZoneQuery {
        name: wants.name.clone(),
        id: wants.id.clone(),
        settings: wants.settings.clone(),
        waf,
    };
    let options = ReadOptions { page_size: 3, ..ReadOptions::default() };
    let fetched = wait(fetch(&script, std::slice::from_ref(&wanted), &options, &|_| {}));
    let Ok(fetched) = fetched else { return };
    let Some(live) = fetched.live.zones.get(&wants.name) else { return };
    let ids: BTreeSet<_> = live.records.iter().map(|r| &r.id).collect();
    assert_eq!(ids.len(), live.records.len(), "a record was counted twice");
    let (plan, diagnostics) = plan_zone(wants, live);
    if diagnostics.has_errors() {
        return;
    }
    let directory = tempfile::tempdir().expect("there is a directory for temporary files");
    let journal = Journal::begin(directory.path(), "digest", || std::time::SystemTime::UNIX_EPOCH);
    let journal = journal.expect("it can be written");
    let (stop, nobody) = (Stop::never(), |_: &ApplyEvent| {});
    let executor = Executor {
        reader: &script,
        writer: &script,
        options: &options,
        journal: &journal,
        observer: &nobody,
        stop: &stop,
        verify: Verify::Read,
        read_at: tokio::time::Instant::now(),
    };
    let work = ZoneWork {
        plan: &plan,
        desired: wants,
        live,
        query: wanted.waf,
        schedule: RecordSchedule::new(&plan, Lowering::Batches(2)),
    };
    let work = [work];
    let done = wait(executor.execute_zones(&work, &plan_zone)).remove(0);
    assert_eq!(done.applied.outcomes.len(), plan.operations.len());
    let text = std::fs::read_to_string(journal.path()).expect("it was written");
    let mut sources = Sources::default();
    let read = JournalText::of(&text).and_then(|text| {
        let source = sources.add("journal", text.outline().to_owned());
        JournalRun::read(text, source)
    });
    let run = read.unwrap_or_else(|e| panic!("our own journal: {e}\n{text}"));
    for (name, zone) in &run.zones {
        let _ = undo_zone(zone, &needed(name, zone), live);
    }
}

/// Reads the headers about rate limits.
pub fn headers(data: &[u8]) {
    let text = text(data);
    let headers: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(':')).collect();
    let waits = waits_for(&headers, SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000));
    assert!(waits.iter().all(|wait| *wait <= YEAR), "{waits:?}");
}
