//! `apply`: plan, show, ask, make it so, read it back.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value as Json;

use super::plan::{requests, show};
use crate::api::ReadClient;
use crate::apply::{Moved, moved, rules_moved, zone_moved};
use crate::cli::args::{ApplyArgs, Format, Global};
use crate::cli::execution::execute;
use crate::cli::exit::Exit;
use crate::cli::lock;
use crate::cli::output::Output;
use crate::cli::planning::{self, Begun, Loaded, Planned, begin, with_hint};
use crate::cli::saved::{self, Opened};
use crate::cli::service::{Access, Service};
use crate::cli::settings;
use crate::cli::signals::Interrupt;
use crate::cli::undoing;
use crate::live::{WafQuery, fetch_around, fetch_records, fetch_waf, find_zone_by_name};
use crate::model::ruleset::Phase;
use crate::model::{DesiredZone, LiveZone};
use crate::plan::file::PlanMoved;
use crate::plan::{Consents, Verdict, ZonePlan};
use crate::render::json;
use crate::render::safe::safe;
use crate::render::text::write_requests;

/// Plans, asks and applies.
pub(in crate::cli) async fn run(
    args: &ApplyArgs,
    global: &Global,
    output: &Arc<Output>,
    interrupt: &Interrupt,
) -> anyhow::Result<Exit> {
    let how = How { yes: args.yes, dry_run: args.dry_run, resume: args.resume };
    if let Some(exit) = how.refused(output) {
        return Ok(exit);
    }
    let access = if args.dry_run { Access::Read } else { Access::Write(interrupt.stop().clone()) };
    // Held to the end; a dry run writes nothing and may run beside others.
    let _lock = if args.dry_run { None } else { Some(lock::take(&global.journal)?) };
    let mut reviewed = None;
    let begun = if saved::is_plan(&args.spec) {
        let consents = match settings::consents(&args.consents, global)? {
            Ok(consents) => consents,
            Err(message) => {
                output.message(&format!("error: {message}"));
                return Ok(Exit::Usage);
            }
        };
        let Opened { plan, loaded, consents } = saved::open(&args.spec.spec[0], args.max_age, consents, global)?;
        reviewed = Some(plan);
        let service = Service::open(global, access, output, loaded.rehearsed()).await?;
        Ok(Begun { loaded, consents, service })
    } else {
        begin(&args.spec, &args.consents, access, global, output).await?
    };
    let Begun { loaded, consents, service } = match begun {
        Ok(begun) => begun,
        Err(exit) => return Ok(exit),
    };
    let exit =
        plan_and_apply(how, global, output, &loaded, (&consents, reviewed.as_ref()), (&service, interrupt)).await;
    service.close().await;
    exit
}

/// How a plan is carried out.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    /// Without asking.
    pub(super) yes: bool,
    /// Not at all: its requests are printed.
    pub(super) dry_run: bool,
    /// Without what is done already.
    pub(super) resume: bool,
}

impl How {
    /// Refuses what leaves nobody anything to look at.
    pub(super) fn refused(self, output: &Output) -> Option<Exit> {
        let is_blind = output.format == Format::Json && !self.yes && !self.dry_run;
        is_blind.then(|| {
            let why = "--format json leaves nothing to look at before the question; add --yes or --dry-run";
            output.message(&format!("error: {why}"));
            Exit::Usage
        })
    }
}

/// Everything between opening and closing the connection.
pub(super) async fn plan_and_apply(
    how: How,
    global: &Global,
    output: &Arc<Output>,
    loaded: &Loaded,
    (consents, reviewed): (&Consents, Option<&Json>),
    (service, interrupt): (&Service, &Interrupt),
) -> anyhow::Result<Exit> {
    let mut planned = planning::plan(loaded, service, global, output).await?;
    if let Some(reviewed) = reviewed {
        let moved = saved::moved(reviewed, &planned, loaded, how.resume);
        if !moved.is_empty() {
            output.hide();
            output.message("error: the service is no longer as the saved plan saw it; nothing was sent. Plan again.");
            for PlanMoved { address, what } in &moved {
                output.message(&format!("  {}: {}", safe(address), safe(what)));
            }
            return Ok(Exit::Stale);
        }
    }
    planning::warn_of_repeats(&mut planned, loaded, global)?;
    planned.plan.consents_given = planned.plan.consents(consents);
    let verdict = planned.plan.verdict(consents);
    let requests = requests(&planned, global);
    let stop = match verdict {
        Verdict::Incomplete => Some(undoing::exit(&planned.plan.diagnostics)),
        Verdict::NeedsConsent(_) => Some(Exit::Refused),
        Verdict::InSync => Some(Exit::Success),
        Verdict::Ready => how.dry_run.then_some(Exit::Success),
    };
    // In JSON there is one document: the requests of a dry run, the plan that goes no further, or the plan with its result.
    if output.format == Format::Text || (stop.is_some() && !how.dry_run) {
        show(&planned, &verdict, requests.len(), loaded, global, output)?;
    }
    if how.dry_run && verdict != Verdict::Incomplete {
        if output.format == Format::Json {
            output.json(&json::requests(&requests))?;
        } else {
            output.result(|out| write_requests(out, &requests, output.colour))?;
        }
    } else if how.dry_run && output.format == Format::Json {
        show(&planned, &verdict, requests.len(), loaded, global, output)?;
    }
    let (None, Some(writer)) = (stop, &service.writer) else { return Ok(stop.unwrap_or(Exit::Success)) };
    if !how.yes {
        if !interrupt.while_asking(|| ask(&planned, output))? {
            return Ok(Exit::Refused);
        }
        // Somebody thought about it, so time has passed.
        let moved = match &loaded.undoing {
            Some(_) => undoing::look_again(loaded, &planned, service, global, output).await?,
            None => look_again(loaded, &planned, &service.reader).await?,
        };
        if !moved.is_empty() {
            report_moved(&moved, output);
            return Ok(Exit::Stale);
        }
    }
    let means = (&service.reader, writer, interrupt.stop());
    interrupt.while_writing(execute(loaded, &planned, means, requests.len(), global, output)).await
}

/// Asks whether to go on. Without a terminal there is nobody to ask.
fn ask(planned: &Planned, output: &Output) -> anyhow::Result<bool> {
    output.hide();
    if !output.can_ask() {
        output.message("error: there is no terminal to ask on; add --yes to apply without asking");
        return Ok(false);
    }
    let n = planned.plan.summary().operations();
    let question = if n == 1 { "Apply this operation?".to_owned() } else { format!("Apply these {n} operations?") };
    let answer = output.ask(&format!("{question} [y/N]"))?;
    let is_yes = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !is_yes {
        output.message("Nothing was applied.");
    }
    Ok(is_yes)
}

/// Reads again what the plan will touch, zones at the same time.
async fn look_again(loaded: &Loaded, planned: &Planned, reader: &ReadClient) -> anyhow::Result<Vec<Moved>> {
    let zones =
        planned.plan.zones.iter().filter(|z| !z.is_empty()).filter_map(|zone| {
            Some((zone, planned.live.zones.get(&zone.name)?, loaded.desired.zones.get(&zone.name)?))
        });
    let looks: Vec<_> = zones.map(|(zone, live, desired)| look_at(zone, live, desired, planned, reader)).collect();
    let found: Vec<_> = stream::iter(looks).buffered(planned.options.concurrency.max(1)).try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}

/// Reads again what the plan of a zone will touch.
async fn look_at(
    zone: &ZonePlan,
    live: &LiveZone,
    desired: &DesiredZone,
    planned: &Planned,
    reader: &ReadClient,
) -> anyhow::Result<Vec<Moved>> {
    if zone.is_new {
        let there = find_zone_by_name(reader, &zone.name, &planned.options).await.map_err(with_hint)?;
        let exists = there.map(|_| Moved { address: zone.name.to_string(), what: "the zone exists now".to_owned() });
        return Ok(exists.into_iter().collect());
    }
    let mut all = Vec::new();
    if zone.records().next().is_some() {
        let records = fetch_records(reader, live, &planned.options, &|_| {}).await.map_err(with_hint)?;
        all.extend(moved(zone, &records));
    }
    let phases: BTreeSet<Phase> = zone.rules().map(|(_, _, rule)| rule.phase).collect();
    if !phases.is_empty() {
        let query = WafQuery { phases, ..WafQuery::default() };
        let now = fetch_waf(reader, live, &query, &planned.options).await.map_err(with_hint)?;
        all.extend(rules_moved(zone, live, &now));
    }
    if zone.operations.iter().any(|operation| operation.setting().is_some()) {
        let around = fetch_around(reader, live, &desired.around, &planned.options).await.map_err(with_hint)?;
        let now = LiveZone { around, records: Vec::new(), ..live.clone() };
        all.extend(zone_moved(zone, desired, &now));
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
