//! `plan`: show what differs. Holds no means of writing.

use std::path::Path;
use std::sync::Arc;

use crate::api::CheckClient;
use crate::apply::{Rehearsed, rehearse};
use crate::cli::against::{BegunAgainst, begin_against};
use crate::cli::args::{Format, Global, PlanArgs};
use crate::cli::exit::Exit;
use crate::cli::formats;
use crate::cli::output::Output;
use crate::cli::planning::{self, Begun, Loaded, Planned, begin};
use crate::cli::saved;
use crate::cli::service::Access;
use crate::model::Address;
use crate::plan::{Plan, Verdict, lower};
use crate::render::text::{PlanView, write_plan};
use crate::render::{Review, json};
use crate::wire::Request;

/// Plans and prints.
pub(in crate::cli) async fn run(args: &PlanArgs, global: &Global, output: &Arc<Output>) -> anyhow::Result<Exit> {
    if let Some(file) = &args.against {
        return run_against(file, args, global, output).await;
    }
    let access = if args.server_check { Access::Check } else { Access::Read };
    let Begun { loaded, consents, service } = match begin(&args.spec, &args.consents, access, global, output).await? {
        Ok(begun) => begun,
        Err(exit) => return Ok(exit),
    };
    let planned = planning::plan(&loaded, &service, global, output).await;
    let answers = match (&planned, &service.checker) {
        (Ok(planned), Some(checker)) => server_check(&planned.plan, checker).await,
        _ => Vec::new(),
    };
    service.close().await;
    let mut planned = planned?;
    planning::warn_of_repeats(&mut planned, &loaded, global)?;
    let refused = answers.iter().any(|(_, answer)| matches!(answer, Rehearsed::Refused(_)));
    if args.server_check {
        note_answers(&mut planned.plan, &answers);
    }
    planned.plan.consents_given = planned.plan.consents(&consents);
    let verdict = planned.plan.verdict(&consents);
    let requests = requests(&planned, global);
    if let Some(path) = &args.out {
        saved::save(path, (&planned, &verdict), &requests, (&loaded, &consents), (global, output))?;
    }
    show(&planned, &verdict, requests.len(), &loaded, global, output)?;
    let exit = exit(&verdict, args);
    // The process ends here; taking 100,000 records apart before would be a twentieth of the work. The credentials are among
    // the options, and are wiped.
    let Planned { plan, live, options: _ } = planned;
    std::mem::forget((plan, live, loaded));
    Ok(if refused { Exit::Error } else { exit })
}

/// Plans against a snapshot and prints.
async fn run_against(file: &Path, args: &PlanArgs, global: &Global, output: &Arc<Output>) -> anyhow::Result<Exit> {
    let BegunAgainst { loaded, consents, against } = match begin_against(file, args, global, output)? {
        Ok(begun) => begun,
        Err(exit) => return Ok(exit),
    };
    let mut planned = planning::plan(&loaded, &against, global, output).await?;
    planned.plan.consents_given = planned.plan.consents(&consents);
    let verdict = planned.plan.verdict(&consents);
    show(&planned, &verdict, requests(&planned, global).len(), &loaded, global, output)?;
    Ok(exit(&verdict, args))
}

/// What a verdict is to the caller.
fn exit(verdict: &Verdict, args: &PlanArgs) -> Exit {
    match verdict {
        Verdict::Incomplete => Exit::Error,
        Verdict::Ready | Verdict::NeedsConsent(_) if args.detailed_exitcode => Exit::Differences,
        Verdict::InSync | Verdict::Ready | Verdict::NeedsConsent(_) => Exit::Success,
    }
}

/// Asks the service about every planned change of rules.
async fn server_check(plan: &Plan, checker: &CheckClient) -> Vec<(Address, Rehearsed)> {
    let mut all = Vec::new();
    for zone in &plan.zones {
        let answers = rehearse(checker, zone).await;
        all.extend(zone.rules().map(|(_, operation, _)| operation.address.clone()).zip(answers));
    }
    all
}

/// Adds what the service said to the plan: a count, and each refusal.
fn note_answers(plan: &mut Plan, answers: &[(Address, Rehearsed)]) {
    for zone in &mut plan.zones {
        let own: Vec<_> =
            answers.iter().filter(|(address, _)| zone.rules().any(|(_, o, _)| o.address == *address)).collect();
        if own.is_empty() {
            continue;
        }
        let accepted = own.iter().filter(|(_, answer)| *answer == Rehearsed::Accepted).count();
        zone.notes
            .push(format!("server check: {accepted} of {} changes of rules would be accepted (dry run)", own.len()));
        for (address, answer) in own {
            match answer {
                Rehearsed::Accepted => {}
                Rehearsed::Refused(why) => zone.notes.push(format!("server check: {address} would be refused: {why}")),
                Rehearsed::Unchecked(why) => zone.notes.push(format!("server check: {address} was not checked: {why}")),
            }
        }
    }
}

/// All requests that applying takes, in order.
pub(super) fn requests(planned: &Planned, global: &Global) -> Vec<Request> {
    let account = planned.options.account.as_deref();
    let steps = planned.plan.zones.iter().flat_map(|zone| lower(zone, planning::lowering(zone, global), account));
    steps.map(|step| step.request).collect()
}

/// Prints a plan as wanted.
pub(super) fn show(
    planned: &Planned,
    verdict: &Verdict,
    requests_to_apply: usize,
    loaded: &Loaded,
    global: &Global,
    output: &Output,
) -> anyhow::Result<()> {
    let plan = &planned.plan;
    match output.format {
        Format::Json => {
            let mut document = json::plan(plan, verdict, requests_to_apply, &loaded.sources);
            if let Some(against) = &loaded.against {
                document["against"] = against.json();
            }
            output.json(&document)?;
        }
        Format::Text => {
            // What was found in the spec itself has been shown already.
            let known: Vec<_> = loaded.diagnostics.iter().collect();
            let new = plan.diagnostics.iter().filter(|d| !known.contains(d)).cloned().collect();
            output.diagnostics(&new, &loaded.sources);
            let (colour, verbose) = (output.colour, output.verbose > 0);
            let view = PlanView { plan, verdict, requests_to_apply, colour, verbose };
            output.result(|out| {
                if let Some(against) = &loaded.against {
                    writeln!(out, "{}\n", against.words())?;
                }
                write_plan(out, &view)
            })?;
        }
        Format::Markdown | Format::Github | Format::Sarif | Format::Junit | Format::Html => {
            let review = Review { plan, verdict, requests_to_apply, sources: &loaded.sources };
            formats::write_plan(&review, global, output)?;
        }
    }
    Ok(())
}
