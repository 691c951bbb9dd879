//! `plan`: show what differs. Holds no means of writing.

use std::sync::Arc;

use crate::cli::args::{Format, Global, PlanArgs};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::planning::{self, Begun, Loaded, Planned, begin};
use crate::cli::service::Access;
use crate::plan::{Verdict, ZonePlan, lower, lower_rule_operation, lower_zone_operation};
use crate::render::json;
use crate::render::text::{PlanView, write_plan};
use crate::wire::Request;

/// Plans and prints.
pub(in crate::cli) async fn run(args: &PlanArgs, global: &Global, output: &Arc<Output>) -> anyhow::Result<Exit> {
    let Begun { loaded, consents, service } =
        match begin(&args.spec, &args.consents, Access::Read, global, output).await? {
            Ok(begun) => begun,
            Err(exit) => return Ok(exit),
        };
    let planned = planning::plan(&loaded, &service, global, output).await;
    service.close().await;
    let planned = planned?;
    let verdict = planned.plan.verdict(&consents);
    let requests = requests(&planned, global).len();
    show(&planned, &verdict, requests, &loaded, output)?;
    Ok(match verdict {
        Verdict::Incomplete => Exit::Error,
        Verdict::InSync => Exit::Success,
        Verdict::Ready | Verdict::NeedsConsent(_) if args.detailed_exitcode => Exit::Differences,
        Verdict::Ready | Verdict::NeedsConsent(_) => Exit::Success,
    })
}

/// All requests that applying takes, in order.
pub(super) fn requests(planned: &Planned, global: &Global) -> Vec<Request> {
    let account = planned.options.account.as_deref();
    let of_zone = |zone: &ZonePlan| -> Vec<Request> {
        let around = zone.zone_operations.iter().map(|o| lower_zone_operation(zone, o, account));
        let records = lower(zone, planning::lowering(zone, global)).into_iter().map(|step| step.request);
        let rules = zone.rule_operations.iter().map(|o| lower_rule_operation(zone, o));
        around.chain(rules).chain(records).collect()
    };
    planned.plan.zones.iter().flat_map(of_zone).collect()
}

/// Prints a plan as wanted.
pub(super) fn show(
    planned: &Planned,
    verdict: &Verdict,
    requests_to_apply: usize,
    loaded: &Loaded,
    output: &Output,
) -> anyhow::Result<()> {
    let plan = &planned.plan;
    match output.format {
        Format::Json => output.json(&json::plan(plan, verdict, requests_to_apply, &loaded.sources))?,
        Format::Text => {
            // What was found in the spec itself has been shown already.
            let known: Vec<_> = loaded.diagnostics.iter().collect();
            let new = plan.diagnostics.iter().filter(|d| !known.contains(d)).cloned().collect();
            output.diagnostics(&new, &loaded.sources);
            let (colour, verbose) = (output.colour, output.verbose > 0);
            let view = PlanView { plan, verdict, requests_to_apply, colour, verbose };
            output.result(|out| write_plan(out, &view))?;
        }
    }
    Ok(())
}
