//! Evaluates recorded requests now and after a plan.
//!
//! Takes the protection of zones before and after, and recorded requests. Returns a report. One
//! thread reads, some run the OWASP rules, and the caller's thread counts, in the order of the
//! recording. Only few requests are in memory at a time.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use bumpalo::Bump;

use super::goal::Goal;
use super::protection::Protected;
use crate::crs::hits;
use crate::insight::dns::{End, Entry, ZoneIndex, Zones};
use crate::insight::traffic::{
    CountedRequest, Counters, Hits, Pace, Protection, Report, RequestCounts, Set,
};
use crate::model::expression::Lists;
use crate::model::{DesiredZone, Fqdn, RecordType};
use crate::recorded::{ReadError, Recorded, Sample};
use crate::seclang::RuleSet;

/// Number of requests in a batch.
const BATCH: usize = 64;
/// Approximate size of the bodies in a batch, in bytes.
const BATCH_BYTES: usize = 1 << 20;
/// Maximum number of waiting batches.
const WAITING: usize = 4;
/// Maximum number of threads that run rules.
const MOST_WORKERS: usize = 8;
/// Maximum number of unreadable lines that are reported one by one.
const TOLD: usize = 3;

/// The requests to rehearse.
#[derive(Debug)]
pub(crate) struct RequestsToRehearse {
    /// Recorded requests, each set in order.
    pub sets: Vec<(Set, Recorded)>,
    /// True if the report shows some of them.
    pub has_examples: bool,
    /// Lists with known items.
    pub lists: Arc<Lists>,
}

/// The result of a rehearsal.
#[derive(Debug)]
pub(crate) struct RehearsedRequests {
    /// The report.
    pub report: Report,
    /// The first lines and entries that are not requests.
    pub unreadable: Vec<ReadError>,
}

/// The rules of a zone, with what they counted.
struct Rules {
    name: String,
    before: (Protection, Counters),
    after: (Protection, Counters),
    has_owasp: bool,
}

/// A read request, with the hits of the public rules.
type Evaluated = (Set, Result<(Sample, Option<(Hits, bool)>), ReadError>);
/// A batch that waits for evaluation, and the receiver of its result.
type Work = (Vec<(Set, Result<Sample, ReadError>)>, SyncSender<Vec<Evaluated>>);

/// Follows recorded requests through the rules of some zones as they are and as the goal wants
/// them. `rules` are those of the public Core Rule Set; without them, the OWASP ruleset is not
/// evaluated. `progress` is called with the number of requests that are done.
///
/// # Errors
/// Fails if a recording cannot be read any further, or has errors and no request.
pub(crate) fn rehearse_requests(
    goal: &Goal,
    zones: &[Protected],
    rules: Option<&RuleSet>,
    requests: RequestsToRehearse,
    progress: &mut dyn FnMut(u64),
) -> Result<RehearsedRequests, ReadError> {
    let mut rehearsal = Rehearsal::new(goal, zones, &requests);
    let workers = thread::available_parallelism().map_or(1, usize::from).min(MOST_WORKERS);
    thread::scope(|scope| {
        let (work, waiting) = sync_channel::<Work>(WAITING);
        let (order, in_order) = sync_channel::<Receiver<Vec<Evaluated>>>(WAITING);
        scope.spawn(move || read(requests.sets, &work, &order));
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..workers {
            let waiting = waiting.clone();
            scope.spawn(move || evaluate(rules, &waiting));
        }
        drop(waiting);
        let mut done = 0;
        for batch in in_order {
            for (set, read) in batch.recv().into_iter().flatten() {
                done += 1;
                rehearsal.add(set, read)?;
            }
            progress(done);
        }
        Ok(())
    })?;
    // A file without any request is the wrong file.
    if let Some((_, error)) = rehearsal.hopeless.pop_first() {
        return Err(error);
    }
    Ok(RehearsedRequests { report: rehearsal.tally.report(), unreadable: rehearsal.unreadable })
}

/// Reads recordings in batches, up to the point where they cannot be read any further. Ends if the
/// receiver is dropped.
fn read(
    sets: Vec<(Set, Recorded)>,
    work: &SyncSender<Work>,
    order: &SyncSender<Receiver<Vec<Evaluated>>>,
) {
    let hand_over = |batch: Vec<_>| {
        let (result, promise) = sync_channel(1);
        order.send(promise).is_ok() && work.send((batch, result)).is_ok()
    };
    let (mut batch, mut bytes) = (Vec::new(), 0);
    for (set, recorded) in sets {
        for read in recorded {
            bytes += read.as_ref().map_or(0, |sample| sample.request.body.bytes().len());
            batch.push((set, read));
            if batch.len() >= BATCH || bytes >= BATCH_BYTES {
                bytes = 0;
                if !hand_over(std::mem::take(&mut batch)) {
                    return;
                }
            }
        }
    }
    hand_over(batch);
}

/// Runs the rules on batches until there are none left.
fn evaluate(rules: Option<&RuleSet>, waiting: &Mutex<Receiver<Work>>) {
    let mut engine = rules.map(|rules| (rules, rules.evaluator()));
    loop {
        let received = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((batch, result)) = received else { return };
        let mut evaluate = |sample: Sample| {
            let crs_hits = engine.as_mut().map(|(rules, evaluator)| {
                (hits(rules, &evaluator.evaluate(&sample.as_sent())), !sample.is_complete())
            });
            (sample, crs_hits)
        };
        let batch = batch.into_iter().map(|(set, read)| (set, read.map(&mut evaluate))).collect();
        // After an error, the result is not needed.
        let _ = result.send(batch);
    }
}

/// The zones, and the counts so far.
struct Rehearsal<'g> {
    zones: BTreeMap<String, Rules>,
    served: Zones<'g>,
    tally: RequestCounts,
    unreadable: Vec<ReadError>,
    /// The memory for the fields of one request after the other.
    arena: Bump,
    current: Option<Set>,
    /// The first error of each set that has no valid request so far.
    hopeless: BTreeMap<Set, ReadError>,
}

impl<'g> Rehearsal<'g> {
    /// Returns the state before the first request.
    fn new(goal: &'g Goal, zones: &[Protected], requests: &RequestsToRehearse) -> Self {
        let mut tally = RequestCounts::new(requests.has_examples);
        let mut zones_of_run = BTreeMap::new();
        for zone in zones {
            let Some(desired) = goal.desired.zones.get(&zone.name) else { continue };
            let protection = |waf| {
                let protection_of_waf =
                    Protection::new(waf, |phase, name| desired.place_of_rule(phase, name));
                protection_of_waf
                    .with_lists(&requests.lists)
                    .with_unread("rules of the account, which are not read")
            };
            let setting =
                |of: &Protection| of.owasp().map(|owasp| (owasp.level(), owasp.threshold()));
            let (before, after) = (protection(&zone.before), protection(&zone.after));
            let name = zone.name.as_str().to_owned();
            tally.add_zone(&name, setting(&before), setting(&after));
            let has_owasp = after.owasp().is_some();
            let counters = Counters::default;
            zones_of_run.insert(
                name.clone(),
                Rules { name, before: (before, counters()), after: (after, counters()), has_owasp },
            );
        }
        let index =
            |desired: &'g DesiredZone| match zones.iter().find(|zone| zone.name == desired.name) {
                Some(zone) => {
                    let records = desired.records.iter().map(Entry::of_spec);
                    ZoneIndex::with(&desired.name, zone.serving.clone(), records)
                }
                None => ZoneIndex::of_spec(desired),
            };
        let served = Zones::new(goal.desired.zones.values().map(index).collect());
        let arena = Bump::new();
        Self {
            zones: zones_of_run,
            served,
            tally,
            unreadable: Vec::new(),
            arena,
            current: None,
            hopeless: BTreeMap::new(),
        }
    }

    /// Counts a read request.
    fn add(
        &mut self,
        set: Set,
        read: Result<(Sample, Option<(Hits, bool)>), ReadError>,
    ) -> Result<(), ReadError> {
        let is_first = self.current != Some(set);
        if is_first {
            // Sets are separate recordings, so requests of one do not count in another.
            self.current = Some(set);
            for rules in self.zones.values_mut() {
                (rules.before.1, rules.after.1) = (Counters::default(), Counters::default());
            }
        }
        let (sample, found) = match read {
            Ok(read) => {
                self.hopeless.remove(&set);
                read
            }
            Err(error) if error.is_fatal => return Err(error),
            Err(error) => {
                self.tally.unreadable(set);
                if is_first {
                    self.hopeless.insert(set, error.clone());
                }
                if self.unreadable.len() < TOLD {
                    self.unreadable.push(error);
                }
                return Ok(());
            }
        };
        let host = &sample.request.host;
        let Some(zone) = zone_of(&mut self.zones, host) else {
            self.tally.elsewhere(set);
            return Ok(());
        };
        let end = Fqdn::parse(host).ok().map(|name| self.served.answer(&name, RecordType::A).end);
        if matches!(end, Some(End::Records(_))) {
            self.tally.dns_only(set);
            return Ok(());
        }
        self.arena.reset();
        let (hits, is_partial) =
            found.map_or((None, false), |(hits, is_partial)| (Some(hits), is_partial));
        let verdict = |(protection, counters): &mut (Protection, Counters)| {
            let pace = sample.time.map_or(Pace::Unknown, |time| Pace::At(time, counters));
            protection.verdict_at(&sample.request, pace, hits.as_ref(), &self.arena)
        };
        let (before, after) = (verdict(&mut zone.before), verdict(&mut zone.after));
        self.tally.add(&CountedRequest {
            set,
            zone: &zone.name,
            id: sample.id.as_deref(),
            place: &sample.place,
            request: &sample.request,
            hits: hits.as_ref(),
            is_partial,
            before: &before,
            after: &after,
            has_owasp: zone.has_owasp,
        });
        Ok(())
    }
}

/// Returns the zone of a host: the longest name that the host ends in.
fn zone_of<'z>(zones: &'z mut BTreeMap<String, Rules>, host: &str) -> Option<&'z mut Rules> {
    let ends = std::iter::successors(Some(host), |name| name.split_once('.').map(|(_, rest)| rest));
    let name = ends.into_iter().find(|name| zones.contains_key(*name))?;
    zones.get_mut(name)
}
