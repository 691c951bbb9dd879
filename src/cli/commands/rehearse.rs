//! Implements `rehearse`: copies the live zones into a sandbox, applies the plan there, and checks
//! the expectations. The connection to Cloudflare cannot write.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Context;
use clap::Args;
use secrecy::SecretString;

use super::{Facts, Run, Session};
use crate::api::{Client, Credentials};
use crate::apply::{Journal, Verify, ZoneDone};
use crate::cli::connection::{self, Access, OpenConnection, SEED};
use crate::cli::exit_codes::Exit;
use crate::cli::load_spec::load_with_consents;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{BaseChoice, ConsentArgs, Format, SpecArgs};
use crate::cli::show_plan::show_plan;
use crate::cli::snapshot_options::SnapshotOptions;
use crate::diagnostic::count;
use crate::document::expectations::Checked;
use crate::document::rehearsal::{Copied, Differs, NotCopied, Rehearsal};
use crate::insight::expect::ExpectationOutcome;
use crate::live::AnyReader;
use crate::live::snapshot::Snapshot;
use crate::model::{Expected, Gather};
use crate::plan::{Consents, Plan, Verdict};
use crate::reconcile::{self, ApplyContext, Conclusion, Goal, Options, Report, apply};
use crate::rehearsal::{ask, dump_of_snapshot, judge_reply};
use crate::render::expectations;
use crate::render::safe::safe;
use crate::render::text::{Extent, ZoneResult, write_result};
use crate::sandbox::{self, Profile, Running, StoreLocation};

/// Copy the live zones into a sandbox, apply the plan there, check the expectations
///
/// Cloudflare is only read. Exits as `apply` does, and with 2 if an expectation of the spec fails.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright rehearse zones/\n  zonewright rehearse zones/ --against \
        zonewright.snapshot.json.gz --serve"
)]
pub(in crate::cli) struct RehearseArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// Permissions.
    #[command(flatten)]
    consents: ConsentArgs,
    /// A snapshot.
    #[command(flatten)]
    against: SnapshotOptions,
    /// Keep the API and the name server of the sandbox running afterwards, until interrupted
    #[arg(long)]
    serve: bool,
}

impl Run for RehearseArgs {
    fn facts(&self) -> Facts<'_> {
        Facts {
            files: self.against.file().into_iter().chain(self.spec.files()).collect(),
            ..Facts::online("rehearse")
        }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        rehearse(self, session).await
    }
}

async fn rehearse(args: &RehearseArgs, session: &Session<'_>) -> anyhow::Result<Exit> {
    let Session { settings, output, .. } = *session;
    let (mut goal, consents) =
        load_with_consents(&args.spec, &args.consents, BaseChoice::Named, settings, output)?;
    let snapshot = match args.against.open(&mut goal, settings, output)? {
        Some(open) => open.snapshot,
        None => read_live(&goal, settings, output).await?,
    };
    let mut options = settings.options_for(&snapshot);
    options.verify = Verify::Read;
    let mut planned = reconcile::plan(&goal, &snapshot, &options).await?;
    output.hide();
    let verdict = planned.judge(&consents);
    let stops = stop(&verdict);
    // JSON output is one document: the plan if the run ends with it, or the rehearsal.
    if output.format == Format::Text || stops.is_some() {
        show_plan(&planned, &verdict, planned.requests().len(), Extent::Whole, settings, output)?;
    }
    if let Some(exit) = stops {
        return Ok(exit);
    }
    let running = start_sandbox().await?;
    let exit =
        in_sandbox(&running, (&goal, &consents), (&snapshot, &planned.plan), &options, session)
            .await;
    if args.serve && exit.is_ok() {
        wait_for_interrupt(&running, session).await?;
    }
    running.shutdown().await;
    exit
}

/// Returns the exit code of a rehearsal that ends with the plan. A plan without operations is
/// rehearsed too, for its expectations.
fn stop(verdict: &Verdict) -> Option<Exit> {
    match verdict {
        Verdict::Incomplete => Some(Exit::Error),
        Verdict::NeedsConsent(_) => Some(Exit::Refused),
        Verdict::InSync | Verdict::Ready => None,
    }
}

/// Reads the live zones. The connection cannot write.
async fn read_live(
    goal: &Goal,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Snapshot> {
    let connection =
        OpenConnection::open(settings, Access::Read, output, goal.needed_zones()).await?;
    let snapshot = super::snapshot::read_zones(goal, &connection, settings, output).await;
    connection.close().await;
    Ok(snapshot?.snapshot)
}

/// Starts a sandbox in memory, with a name server.
async fn start_sandbox() -> anyhow::Result<Running> {
    let options = sandbox::SandboxOptions {
        store: StoreLocation::Memory,
        seed: SEED,
        remembered: 0,
        profile: Profile { rate_limit: None, ..Profile::default() },
        dns: Some(std::net::SocketAddr::from((std::net::Ipv4Addr::LOCALHOST, 0))),
        ..sandbox::SandboxOptions::default()
    };
    sandbox::start(options).await.context("failed to start a sandbox")
}

/// Copies the zones, plans anew, applies, checks and reports.
async fn in_sandbox(
    running: &Running,
    (goal, consents): (&Goal, &Consents),
    (snapshot, plan): (&Snapshot, &Plan),
    options: &Options,
    session: &Session<'_>,
) -> anyhow::Result<Exit> {
    let Session { settings, output, interrupt, .. } = *session;
    let (report, refused) = running
        .copy(&dump_of_snapshot(snapshot))
        .context("failed to copy the zones into the sandbox")?;
    let copied = Copied { zones: report.zones, records: report.records };
    let not_copied: Vec<NotCopied> = refused
        .into_iter()
        .map(|sandbox::RefusedPart { place, what, why }| NotCopied { place, what, why })
        .collect();
    let client = connect(running, session)?;
    let (reader, writer) = (&client.reader(), &client.writer());
    let mut planned =
        reconcile::plan(goal, reader, options).await.context("failed to plan in the sandbox")?;
    let differs = differing_operations(plan, &planned.plan);
    let verdict = planned.judge(consents);
    if let Some(exit) = stop(&verdict) {
        // Objects that the sandbox lacks lead to a different plan, so the rehearsal says nothing
        // about the real one.
        say_copy(output, copied, &not_copied, &differs)?;
        show_plan(&planned, &verdict, planned.requests().len(), Extent::Whole, settings, output)?;
        return Ok(exit);
    }
    let directory = tempfile::tempdir().context("failed to make a directory for the journal")?;
    let clock = settings.flags.surroundings.clock();
    let journal = &Journal::begin(directory.path(), &goal.digest, move || clock())?;
    let context =
        ApplyContext::new(reader, writer).with_journal(journal).with_stop(interrupt.stop().clone());
    let leftovers = "nothing was written to Cloudflare";
    let report =
        interrupt.while_leaving(leftovers, Exit::Error, apply(&planned, consents, context)).await?;
    let checked = check_expectations(running, reader, goal, options, settings.now()?).await?;
    output.hide();
    let failed =
        checked.iter().any(|checked| matches!(checked.outcome, ExpectationOutcome::Failed(_)));
    if output.format == Format::Json {
        let applied = report.document();
        let mut document = Rehearsal::new(copied, not_copied, differs, applied);
        for Checked { zone, expectation, outcome } in &checked {
            document.add(zone, expectation, outcome, &goal.sources);
        }
        output.json(&document)?;
    } else {
        say_copy(output, copied, &not_copied, &differs)?;
        say_result(output, &report, &checked, goal)?;
    }
    Ok(match report.conclusion() {
        Conclusion::Converged if failed => Exit::Differences,
        Conclusion::Converged => Exit::Success,
        Conclusion::Partial => Exit::Partial,
        Conclusion::Stale => Exit::Stale,
        Conclusion::Failed => Exit::Error,
    })
}

/// Connects to the sandbox in the same way as to Cloudflare.
fn connect(running: &Running, session: &Session<'_>) -> anyhow::Result<Client> {
    let token = Credentials::Token(SecretString::from(sandbox::Credentials::default().token));
    let access = Access::Write(session.interrupt.stop().clone());
    connection::client(session.settings, &access, session.output, running.base_url(), token)
}

/// Returns the operations that only one of the plans has.
fn differing_operations(live: &Plan, copy: &Plan) -> Vec<Differs> {
    let actions = |plan: &Plan| -> BTreeMap<String, String> {
        let operations = plan.zones.iter().flat_map(|zone| &zone.operations);
        operations.map(|o| (o.address.as_str().to_owned(), o.action().as_str().to_owned())).gather()
    };
    let (live, mut copy) = (actions(live), actions(copy));
    let mut differs = Vec::new();
    for (address, planned) in live {
        let in_sandbox = copy.remove(&address);
        if in_sandbox.as_ref() != Some(&planned) {
            differs.push(Differs { address, planned: Some(planned), in_sandbox });
        }
    }
    differs.extend(copy.into_iter().map(|(address, action)| Differs {
        address,
        planned: None,
        in_sandbox: Some(action),
    }));
    differs
}

/// Asks the name server of the sandbox for expected DNS replies, and judges the other expectations
/// by the content of the sandbox, like `drift`.
async fn check_expectations<'g>(
    running: &Running,
    reader: &dyn AnyReader,
    goal: &'g Goal,
    options: &Options,
    now: SystemTime,
) -> anyhow::Result<Vec<Checked<'g>>> {
    let server = running.dns_address().context("the sandbox has no name server")?;
    if goal.desired.zones.values().all(|zone| zone.expect.is_empty()) {
        return Ok(Vec::new());
    }
    let read_back = reconcile::drift(goal, reader, options, now)
        .await
        .context("failed to read the zones of the sandbox back")?;
    let mut checked = Vec::new();
    for zone in goal.desired.zones.values() {
        let judged = read_back.report.zones.iter().find(|report| report.name == zone.name);
        for (n, expectation) in zone.expect.iter().enumerate() {
            let outcome = match &expectation.what {
                Expected::Answer { name, record_type, answer } => {
                    judge_reply(&ask(server, name, *record_type).await?, name, *record_type, answer)
                }
                Expected::Mail(_)
                | Expected::Certificates(_)
                | Expected::Hidden(_)
                | Expected::Request(_) => {
                    judged.and_then(|report| report.expectations.get(n)).map_or_else(
                        || {
                            ExpectationOutcome::Unknown(
                                "the sandbox does not have the zone".to_owned(),
                            )
                        },
                        |e| e.outcome.clone(),
                    )
                }
            };
            checked.push(Checked { zone: &zone.name, expectation, outcome });
        }
    }
    Ok(checked)
}

/// Reports the copied objects and the differences between the copy and the live zones.
fn say_copy(
    output: &Output,
    copied: Copied,
    not_copied: &[NotCopied],
    differs: &[Differs],
) -> io::Result<()> {
    if output.format != Format::Text {
        return Ok(());
    }
    output.report(|out| {
        let Copied { zones, records } = copied;
        writeln!(
            out,
            "Rehearsed on a copy of {} with {}.",
            count(zones, "zone"),
            count(records, "record")
        )?;
        for NotCopied { place, what, why } in not_copied {
            writeln!(out, "  not copied  {}: {}: {}", safe(place), safe(what), safe(why))?;
        }
        for Differs { address, planned, in_sandbox } in differs {
            let word =
                |action: &Option<String>| action.clone().unwrap_or_else(|| "nothing".to_owned());
            let (planned, in_sandbox) = (word(planned), word(in_sandbox));
            writeln!(
                out,
                "  differs     {}: {planned} in the plan, {in_sandbox} for the copy",
                safe(address)
            )?;
        }
        Ok(())
    })
}

/// Reports the result of the plan and of the expectations.
fn say_result(
    output: &Output,
    report: &Report<'_>,
    checked: &[Checked<'_>],
    goal: &Goal,
) -> io::Result<()> {
    let zones = report.zones.iter().map(|zone: &ZoneDone<'_>| ZoneResult {
        plan: zone.plan,
        applied: &zone.applied,
        verified: zone.verified.as_ref(),
        is_confirmed: zone.is_confirmed,
    });
    let zones: Vec<_> = zones.collect();
    output.report(|out| {
        write_result(out, &zones, output.colour)?;
        if checked.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        expectations::write(out, checked, &goal.sources)
    })
}

/// Keeps the sandbox running until the user interrupts.
async fn wait_for_interrupt(running: &Running, session: &Session<'_>) -> io::Result<()> {
    let Session { output, interrupt, .. } = *session;
    output.say(&format!("export CLOUDFLARE_BASE_URL={}", running.base_url()));
    output.say(&format!("export CLOUDFLARE_API_TOKEN={}", sandbox::TOKEN));
    if let Some(address) = running.dns_address() {
        output.say(&format!("dig @{} -p {} NAME", address.ip(), address.port()));
    }
    output.say("The sandbox keeps running; interrupt to stop.");
    interrupt.while_writing(interrupt.stop().asked(1)).await;
    Ok(())
}
