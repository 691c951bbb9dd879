//! `apply`: plan, show, ask, make it so, read it back.

use std::io::IsTerminal;
use std::sync::Arc;

use super::plan::{requests, show};
use crate::api::{ReadClient, WriteClient};
use crate::apply::{ApplyEvent, Executor, Journal, JournalError, Moved, Outcome, Prepared, ZoneApplied, moved, verify};
use crate::cli::args::{ApplyArgs, Format, Global};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::planning::{self, Begun, Loaded, Planned, begin, with_hint};
use crate::live::fetch_records;
use crate::model::LiveZone;
use crate::plan::{Verdict, ZonePlan};
use crate::render::json;
use crate::render::text::{ZoneResult, write_requests, write_result};

/// Plans, asks and applies.
pub(in crate::cli) async fn run(args: &ApplyArgs, global: &Global, output: &Arc<Output>) -> anyhow::Result<Exit> {
    let Begun { loaded, consents, service } = match begin(&args.spec, &args.consents, global, output).await? {
        Ok(begun) => begun,
        Err(exit) => return Ok(exit),
    };
    let exit = async {
        let planned = planning::plan(&loaded, &service, global, output).await?;
        let verdict = planned.plan.verdict(&consents);
        let requests = requests(&planned, global);
        // A dry run in JSON prints the requests alone, an apply the plan with its result.
        if output.format == Format::Text {
            show(&planned, &verdict, requests.len(), &loaded, output)?;
        }
        if args.dry_run {
            match output.format {
                Format::Json => output.json(&json::requests(&requests))?,
                Format::Text => output.result(|out| write_requests(out, &requests, output.colour))?,
            }
        }
        let stop = match verdict {
            Verdict::Incomplete => Some(Exit::Error),
            Verdict::NeedsConsent(_) => Some(Exit::Refused),
            Verdict::InSync => Some(Exit::Success),
            Verdict::Ready => args.dry_run.then_some(Exit::Success),
        };
        if let Some(exit) = stop {
            if output.format == Format::Json && !args.dry_run {
                output.json(&json::plan(&planned.plan, &verdict, requests.len(), &loaded.sources))?;
            }
            return Ok(exit);
        }
        let reader = service.client.reader();
        if !args.yes {
            if !ask(&planned, output)? {
                return Ok(Exit::Refused);
            }
            // Somebody thought about it, so time has passed.
            let moved = look_again(&planned, &reader).await?;
            if !moved.is_empty() {
                report_moved(&moved, output);
                return Ok(Exit::Stale);
            }
        }
        execute(&loaded, &planned, &reader, &service.client.writer(), global, output).await
    }
    .await;
    service.close().await;
    exit
}

/// Asks whether to go on. Without a terminal there is nobody to ask.
fn ask(planned: &Planned, output: &Output) -> anyhow::Result<bool> {
    output.hide();
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        output.message("error: there is no terminal to ask on; add --yes to apply without asking");
        return Ok(false);
    }
    let n = planned.plan.summary().operations();
    let question = if n == 1 { "Apply this operation?".to_owned() } else { format!("Apply these {n} operations?") };
    let answer = dialoguer::Confirm::new().with_prompt(question).default(false).interact_opt()?;
    if answer != Some(true) {
        output.message("Nothing was applied.");
    }
    Ok(answer == Some(true))
}

/// Reads again what the plan will touch.
async fn look_again(planned: &Planned, reader: &ReadClient) -> anyhow::Result<Vec<Moved>> {
    let mut all = Vec::new();
    for zone in planned.plan.zones.iter().filter(|z| !z.is_empty()) {
        let Some(live) = planned.live.zones.get(&zone.name) else { continue };
        let records = fetch_records(reader, live, &planned.options, &|_| {}).await.map_err(with_hint)?;
        all.extend(moved(zone, &records));
    }
    Ok(all)
}

/// Says what is no longer as the plan saw it.
fn report_moved(moved: &[Moved], output: &Output) {
    output.message("error: the service is no longer as this plan saw it; nothing was written. Plan again.");
    for Moved { address, what } in moved {
        output.message(&format!("  {address}: {}", crate::render::safe::safe(what)));
    }
}

/// One zone's execution.
struct Executed<'a> {
    plan: &'a ZonePlan,
    applied: ZoneApplied,
    remaining: Option<usize>,
}

/// Sends, reads back, reports.
async fn execute(
    loaded: &Loaded,
    planned: &Planned,
    reader: &ReadClient,
    writer: &WriteClient,
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    let clock = || humantime::format_rfc3339_micros(std::time::SystemTime::now()).to_string();
    let mut journal = Journal::begin(&global.journal, &loaded.digest, clock)?;
    let shown = Arc::clone(output);
    let mut observer = move |event: &ApplyEvent| progress(event, &shown);
    let mut done: Vec<Executed> = Vec::new();
    let mut notes: Vec<String> = Vec::new();
    for plan in planned.plan.zones.iter().filter(|z| !z.is_empty()) {
        let (Some(live), Some(desired)) = (planned.live.zones.get(&plan.name), loaded.desired.zones.get(&plan.name))
        else {
            continue;
        };
        let mut executor =
            Executor { reader, writer, options: &planned.options, journal: &mut journal, observer: &mut observer };
        let (applied, live) = match carry_out(&mut executor, plan, live, global).await {
            Ok(applied) => applied,
            Err(error) => {
                output.error(&anyhow::Error::new(error));
                return Ok(if done.iter().any(|e| e.applied.wrote_anything()) { Exit::Partial } else { Exit::Error });
            }
        };
        let remaining = if applied.wrote_anything() {
            match verify(reader, desired, &live, &planned.options, &mut observer).await {
                Ok(verified) => {
                    notes.extend(verified.remaining.notes.iter().map(|note| format!("{}: {note}", plan.name)));
                    Some(verified.remaining.len())
                }
                Err(error) => {
                    output.error(&with_hint(error));
                    None
                }
            }
        } else {
            Some(plan.len())
        };
        if let Some(remaining) = remaining {
            journal.verified(&plan.name, remaining)?;
        }
        done.push(Executed { plan, applied, remaining });
    }
    journal.end()?;
    output.hide();
    report(&done, planned, loaded, &journal, global, output)?;
    for note in notes {
        output.say(&crate::render::safe::safe(&note));
    }
    Ok(exit(&done))
}

/// Carries out the plan of one zone: the zone itself, then its records. Gives back the zone with its real id.
async fn carry_out(
    executor: &mut Executor<'_, ReadClient, WriteClient>,
    plan: &ZonePlan,
    live: &LiveZone,
    global: &Global,
) -> Result<(ZoneApplied, LiveZone), JournalError> {
    let Prepared { id, outcomes: zone_outcomes } = executor.prepare(plan).await?;
    let Some(id) = id else {
        let reason = Outcome::NotSent("the zone could not be made".to_owned());
        return Ok((ZoneApplied { zone_outcomes, outcomes: vec![reason; plan.operations.len()] }, live.clone()));
    };
    let live = LiveZone { id: id.clone(), ..live.clone() };
    let plan = plan.with_id(id);
    let applied = executor.execute(&plan, &live, planning::lowering(&plan, global)).await?;
    Ok((ZoneApplied { zone_outcomes, ..applied }, live))
}

/// Prints the result.
fn report(
    done: &[Executed],
    planned: &Planned,
    loaded: &Loaded,
    journal: &Journal,
    global: &Global,
    output: &Output,
) -> anyhow::Result<()> {
    let zones: Vec<_> = done
        .iter()
        .map(|Executed { plan, applied, remaining }| ZoneResult { plan, applied, remaining: *remaining })
        .collect();
    match output.format {
        Format::Text => output.result(|out| write_result(out, &zones, output.colour))?,
        Format::Json => {
            let path = journal.path().display().to_string();
            let mut document =
                json::plan(&planned.plan, &Verdict::Ready, requests(planned, global).len(), &loaded.sources);
            document["kind"] = "apply".into();
            document["result"] = json::result(&zones, Some(&path));
            output.json(&document)?;
        }
    }
    output.say(&format!("journal: {}", journal.path().display()));
    Ok(())
}

/// The exit code of what happened.
fn exit(done: &[Executed]) -> Exit {
    let converged = |e: &Executed| e.remaining == Some(0) && !e.applied.all().any(|o| matches!(o, Outcome::Unknown(_)));
    if done.iter().all(converged) {
        Exit::Success
    } else if done.iter().any(|e| e.applied.wrote_anything()) {
        Exit::Partial
    } else {
        Exit::Error
    }
}

/// Shows what is happening.
fn progress(event: &ApplyEvent, output: &Output) {
    match event {
        ApplyEvent::ZoneStarted { zone, operations } => {
            output.progress(&format!("{zone}: {operations} operations"), false)
        }
        ApplyEvent::Sending { zone, operations } => output.progress(&format!("{zone}: sending {operations}"), false),
        ApplyEvent::Done { zone, operations } => output.progress(&format!("{zone}: {operations} done"), true),
        ApplyEvent::Refused { zone, operations, reason, narrowing } => {
            let next = if *narrowing { "; trying smaller parts" } else { "" };
            output.progress(&format!("{zone}: {operations} refused: {reason}{next}"), true);
        }
        ApplyEvent::NoBatches { zone } => {
            output
                .progress(&format!("{zone}: the service has no batches; sending one request for each operation"), true);
        }
        ApplyEvent::Settling { zone, reason } => {
            output.progress(&format!("{zone}: {reason}; reading the zone to see what took effect"), true);
        }
        ApplyEvent::Waiting { zone, duration } => {
            output.progress(&format!("{zone}: waiting {:.1} s", duration.as_secs_f64()), duration.as_secs() >= 1);
        }
        ApplyEvent::Verifying { zone } => output.progress(&format!("{zone}: reading back"), false),
    }
}
