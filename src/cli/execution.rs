//! Carrying out a plan: send, read back, report. Whatever fails after the first write, the exit code says that something was
//! written.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::args::{Format, Global};
use super::exit::Exit;
use super::output::Output;
use super::planning::{Loaded, Planned, lowering, plan_one, with_hint};
use crate::api::{ReadClient, Stop, WriteClient};
use crate::apply::{ApplyEvent, Executor, Journal, Observer, Outcome, Verified, ZoneDone, ZoneWork};
use crate::diagnostic::Severity;
use crate::model::time::rfc3339_micros;
use crate::plan::{Verdict, ZonePlan};
use crate::render::json;
use crate::render::safe::safe;
use crate::render::text::{ZoneResult, write_result};

/// Sends a plan, reads back, reports.
///
/// # Errors
/// Before anything is sent. After that, failures are reported and end in an exit code.
pub(super) async fn execute(
    loaded: &Loaded,
    planned: &Planned,
    (reader, writer, stop): (&ReadClient, &WriteClient, &Stop),
    requests_to_apply: usize,
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    let time = global.surroundings.clock();
    let clock = move || rfc3339_micros(time());
    let journal = Journal::begin(&global.journal, &loaded.digest, clock)?;
    for consent in &planned.plan.consents_given {
        journal.consent(consent.danger, &consent.by);
    }
    if let Some(failure) = journal.take_failure() {
        return Err(failure.into());
    }
    let observer = &ApplyProgress::new(output, planned.plan.summary().operations());
    let executor = Executor { reader, writer, options: &planned.options, journal: &journal, observer, stop };
    let work = work(loaded, planned, global);
    let mut done = executor.execute_zones(&work, &|desired, now| plan_one(loaded, desired, now)).await;
    journal.end();
    output.hide();
    for error in done.iter_mut().filter_map(|zone| zone.unread.take()) {
        output.error(&with_hint(error));
    }
    let mut exit = exit(&done);
    if let Some(failure) = journal.take_failure() {
        output.error(&anyhow::Error::new(failure));
        exit = worse(exit, &done);
    }
    if let Err(error) = report(&done, planned, loaded, &journal, requests_to_apply, output) {
        output.error(&error.context("failed to print the result"));
        exit = worse(exit, &done);
    }
    Ok(exit)
}

/// The zones that there is something to do for.
fn work<'a>(loaded: &'a Loaded, planned: &'a Planned, global: &Global) -> Vec<ZoneWork<'a>> {
    let one = |plan: &'a ZonePlan| {
        let live = planned.live.zones.get(&plan.name)?;
        let desired = loaded.desired.zones.get(&plan.name)?;
        Some(ZoneWork { plan, desired, live, query: loaded.waf_query(desired), lowering: lowering(plan, global) })
    };
    planned.plan.zones.iter().filter(|z| !z.is_empty()).filter_map(one).collect()
}

/// The exit code of what happened.
fn exit(done: &[ZoneDone]) -> Exit {
    let converged = |e: &ZoneDone| {
        e.verified.as_ref().is_some_and(Verified::is_in_sync)
            && !e.applied.outcomes.iter().any(|o| matches!(o, Outcome::Unknown(_)))
    };
    if done.iter().all(converged) { Exit::Success } else { worse(Exit::Success, done) }
}

/// The exit code of a failure, by whether something was written before it.
fn worse(exit: Exit, done: &[ZoneDone]) -> Exit {
    let wrote = done.iter().any(|e| e.applied.wrote_anything());
    if exit != Exit::Success {
        exit
    } else if wrote {
        Exit::Partial
    } else if done.iter().any(|e| e.applied.outcomes.iter().any(|o| matches!(o, Outcome::Stale(_)))) {
        Exit::Stale
    } else {
        Exit::Error
    }
}

/// Prints the result.
fn report(
    done: &[ZoneDone],
    planned: &Planned,
    loaded: &Loaded,
    journal: &Journal,
    requests_to_apply: usize,
    output: &Output,
) -> anyhow::Result<()> {
    let zones: Vec<_> = done
        .iter()
        .map(|ZoneDone { plan, applied, verified, unread: _ }| ZoneResult {
            plan,
            applied,
            verified: verified.as_ref(),
        })
        .collect();
    let path = journal.path().display().to_string();
    if output.format == Format::Json {
        let mut document = json::plan(&planned.plan, &Verdict::Ready, requests_to_apply, &loaded.sources);
        document["kind"] = "apply".into();
        document["result"] = json::result(&zones, Some(&path));
        output.json(&document)?;
    } else {
        output.result(|out| write_result(out, &zones, output.colour))?;
    }
    for ZoneDone { plan, verified, .. } in done {
        if let Some(Verified { diagnostics, .. }) = verified {
            let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
            output.diagnostics(&errors, &loaded.sources);
        }
        for note in verified.iter().flat_map(|v| &v.remaining.notes) {
            output.say(&format!("{}: {}", plan.name, safe(note)));
        }
    }
    output.say(&format!("journal: {path}"));
    Ok(())
}

/// Shows what is happening, with how much of it is done.
struct ApplyProgress {
    output: Arc<Output>,
    /// Operations of the plan.
    total: usize,
    /// Operations that took effect, as far as they were told.
    told: AtomicUsize,
    /// Operations that took effect.
    done: AtomicUsize,
}

impl ApplyProgress {
    /// Nothing done yet.
    fn new(output: &Arc<Output>, total: usize) -> Self {
        Self { output: Arc::clone(output), total, told: AtomicUsize::new(0), done: AtomicUsize::new(0) }
    }
}

impl Observer for ApplyProgress {
    /// The bar shows what is happening now.
    fn now(&self, event: &ApplyEvent) {
        if let ApplyEvent::Done { operations, .. } = event {
            self.done.fetch_add(*operations, Ordering::Relaxed);
        }
        let (zone, done) = (event.zone(), self.done.load(Ordering::Relaxed));
        let words = match event {
            ApplyEvent::Sending { operations, .. } => format!("{zone}: sending {operations}"),
            ApplyEvent::Verifying { .. } => format!("{zone}: reading back"),
            ApplyEvent::ZoneStarted { .. }
            | ApplyEvent::Done { .. }
            | ApplyEvent::Refused { .. }
            | ApplyEvent::NoBatches { .. }
            | ApplyEvent::Settling { .. }
            | ApplyEvent::Waiting { .. } => zone.to_string(),
        };
        self.output.count(done, self.total, &words);
    }

    /// What stays to be read.
    fn event(&self, event: &ApplyEvent) {
        let (output, total) = (&self.output, self.total);
        match event {
            ApplyEvent::Done { zone, operations } => {
                let told = self.told.fetch_add(*operations, Ordering::Relaxed) + operations;
                output.log(&format!("{zone}: {told} of {total} done"));
            }
            ApplyEvent::Refused { zone, operations, reason, narrowing } => {
                let next = if *narrowing { "; trying smaller parts" } else { "" };
                output.news(&format!("{zone}: {operations} refused: {reason}{next}"));
            }
            ApplyEvent::NoBatches { zone } => {
                output.news(&format!("{zone}: the service has no batches; sending one request for each operation"));
            }
            ApplyEvent::Settling { zone, reason } => {
                output.news(&format!("{zone}: {reason}; reading the zone to see what took effect"));
            }
            ApplyEvent::Waiting { zone, duration } if duration.as_secs() >= 1 => {
                output.news(&format!("{zone}: waiting {:.0} s", duration.as_secs_f64()));
            }
            ApplyEvent::Waiting { .. }
            | ApplyEvent::ZoneStarted { .. }
            | ApplyEvent::Sending { .. }
            | ApplyEvent::Verifying { .. } => {}
        }
    }
}
