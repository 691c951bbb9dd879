//! Carrying out a plan: send, read back, report. Whatever fails after the first write, the exit code says that something was
//! written.

use std::sync::Arc;

use super::args::{Format, Global};
use super::exit::Exit;
use super::output::Output;
use super::planning::{Loaded, Planned, lowering, plan_again, with_hint};
use crate::api::{ReadClient, WriteClient};
use crate::apply::{
    ApplyEvent, Executor, Journal, JournalError, Observer, Outcome, Prepared, Verified, ZoneApplied, verify,
};
use crate::diagnostic::Severity;
use crate::model::{DesiredZone, LiveZone};
use crate::plan::{Verdict, ZonePlan};
use crate::render::json;
use crate::render::safe::safe;
use crate::render::text::{ZoneResult, write_result};

/// One zone's execution.
struct Executed<'a> {
    plan: &'a ZonePlan,
    applied: ZoneApplied,
    /// What was found when the zone was read back; `None` if it was not.
    verified: Option<Verified>,
}

/// Sends a plan, reads back, reports.
///
/// # Errors
/// Before anything is sent. After that, failures are reported and end in an exit code.
pub(super) async fn execute(
    loaded: &Loaded,
    planned: &Planned,
    (reader, writer): (&ReadClient, &WriteClient),
    requests_to_apply: usize,
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    let clock = || humantime::format_rfc3339_micros(std::time::SystemTime::now()).to_string();
    let mut journal = Journal::begin(&global.journal, &loaded.digest, clock)?;
    for consent in &planned.plan.consents_given {
        journal.consent(consent.danger, &consent.by)?;
    }
    let mut observer = progress(output, planned.plan.summary().operations());
    let mut done: Vec<Executed> = Vec::new();
    let mut broken: Option<JournalError> = None;
    for plan in planned.plan.zones.iter().filter(|z| !z.is_empty()) {
        let (Some(live), Some(desired)) = (planned.live.zones.get(&plan.name), loaded.desired.zones.get(&plan.name))
        else {
            continue;
        };
        let mut executor = Executor {
            reader,
            writer,
            options: &planned.options,
            journal: &mut journal,
            observer: &mut observer,
            broken,
        };
        let (applied, live) = carry_out(&mut executor, plan, desired, live, global).await;
        broken = executor.broken;
        let mut verified = None;
        if applied.wrote_anything() {
            let asked = (desired, &loaded.waf_query(desired));
            let again = |now: &LiveZone| plan_again(loaded, desired, now);
            match verify(reader, asked, &live, &planned.options, &mut observer, again).await {
                Ok(found) => verified = Some(found),
                Err(error) => output.error(&with_hint(error)),
            }
        }
        if let (Some(found), None) = (&verified, &broken) {
            broken = journal.verified(&plan.name, found.remaining.len()).err();
        }
        done.push(Executed { plan, applied, verified });
    }
    let broken = broken.or_else(|| journal.end().err());
    output.hide();
    let mut exit = exit(&done);
    if let Some(error) = broken {
        output.error(&anyhow::Error::new(error));
        exit = worse(exit, &done);
    }
    if let Err(error) = report(&done, planned, loaded, &journal, requests_to_apply, output) {
        output.error(&error.context("failed to print the result"));
        exit = worse(exit, &done);
    }
    Ok(exit)
}

/// Carries out the plan of one zone: its rules, the zone itself, its records; a new zone is made first. Gives back the zone with its real id.
async fn carry_out(
    executor: &mut Executor<'_, ReadClient, WriteClient>,
    plan: &ZonePlan,
    desired: &DesiredZone,
    live: &LiveZone,
    global: &Global,
) -> (ZoneApplied, LiveZone) {
    // Rules come first, as they are what is looked at once more before anything is sent.
    let mut rule_outcomes = None;
    if !plan.is_new {
        let outcomes = executor.execute_rules(plan, live).await;
        if outcomes.iter().any(|o| matches!(o, Outcome::Stale(_))) {
            let reason = Outcome::NotSent("the zone's rules are no longer as the plan saw them".to_owned());
            return (not_sent(plan, Some(outcomes), &reason), live.clone());
        }
        rule_outcomes = Some(outcomes);
    }
    let Prepared { zone, outcomes: zone_outcomes } = executor.prepare(plan, desired, live).await;
    let Some(live) = zone else {
        let reason = Outcome::NotSent("the zone could not be made".to_owned());
        return (ZoneApplied { zone_outcomes, ..not_sent(plan, rule_outcomes, &reason) }, live.clone());
    };
    let plan = plan.with_id(live.id.clone());
    let rule_outcomes = match rule_outcomes {
        Some(outcomes) => outcomes,
        None => executor.execute_rules(&plan, &live).await,
    };
    let applied = executor.execute(&plan, &live, lowering(&plan, global)).await;
    (ZoneApplied { zone_outcomes, rule_outcomes, ..applied }, live)
}

/// Nothing was sent but, perhaps, the rules.
fn not_sent(plan: &ZonePlan, rules: Option<Vec<Outcome>>, reason: &Outcome) -> ZoneApplied {
    let all = |n: usize| vec![reason.clone(); n];
    ZoneApplied {
        zone_outcomes: all(plan.zone_operations.len()),
        rule_outcomes: rules.unwrap_or_else(|| all(plan.rule_operations.len())),
        outcomes: all(plan.operations.len()),
    }
}

/// The exit code of what happened.
fn exit(done: &[Executed]) -> Exit {
    let converged = |e: &Executed| {
        e.verified.as_ref().is_some_and(Verified::is_in_sync)
            && !e.applied.all().any(|o| matches!(o, Outcome::Unknown(_)))
    };
    if done.iter().all(converged) { Exit::Success } else { worse(Exit::Success, done) }
}

/// The exit code of a failure, by whether something was written before it.
fn worse(exit: Exit, done: &[Executed]) -> Exit {
    let wrote = done.iter().any(|e| e.applied.wrote_anything());
    if exit != Exit::Success {
        exit
    } else if wrote {
        Exit::Partial
    } else if done.iter().any(|e| e.applied.all().any(|o| matches!(o, Outcome::Stale(_)))) {
        Exit::Stale
    } else {
        Exit::Error
    }
}

/// Prints the result.
fn report(
    done: &[Executed],
    planned: &Planned,
    loaded: &Loaded,
    journal: &Journal,
    requests_to_apply: usize,
    output: &Output,
) -> anyhow::Result<()> {
    let zones: Vec<_> = done
        .iter()
        .map(|Executed { plan, applied, verified }| ZoneResult { plan, applied, verified: verified.as_ref() })
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
    for Executed { plan, verified, .. } in done {
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
fn progress(output: &Arc<Output>, total: usize) -> impl Observer + use<> {
    let output = Arc::clone(output);
    let mut done = 0;
    move |event: &ApplyEvent| match event {
        ApplyEvent::ZoneStarted { zone, .. } => output.count(done, total, &format!("{zone}")),
        ApplyEvent::Sending { zone, operations } => output.count(done, total, &format!("{zone}: sending {operations}")),
        ApplyEvent::Done { zone, operations } => {
            done += operations;
            output.count(done, total, &format!("{zone}"));
            output.log(&format!("{zone}: {done} of {total} done"));
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
        ApplyEvent::Waiting { .. } => {}
        ApplyEvent::Verifying { zone } => output.count(done, total, &format!("{zone}: reading back")),
    }
}
