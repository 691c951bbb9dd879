//! `sandbox`: run, fill, print or empty the embedded service.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cli::args::{Global, SandboxCommand, ServeArgs};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::service::{SEED, store};
use crate::diagnostic::{count, read_bytes, read_text};
use crate::sandbox::{self, StoreLocation};

/// Where the state is if no directory is named.
const DIRECTORY: &str = ".zonewright/sandbox";

/// Longest list of faults that is read, in bytes.
const MOST_OF_FAULTS: u64 = 1024 * 1024;

/// Longest document that can be seeded, in bytes.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// Runs one of the commands.
pub(in crate::cli) async fn run(command: &SandboxCommand, global: &Global, output: &Output) -> anyhow::Result<Exit> {
    let directory = global.sandbox.clone().unwrap_or_else(|| PathBuf::from(DIRECTORY));
    let store = store(&directory)?;
    match command {
        SandboxCommand::Serve(args) => return serve(args, store, global, output).await,
        SandboxCommand::Seed { file } => {
            let report = sandbox::seed(&store, &document(file)?)?;
            output.result(|out| {
                writeln!(out, "Added {} and {}.", count(report.zones, "zone"), count(report.records, "record"))
            })?;
        }
        SandboxCommand::Dump => output.json(&sandbox::dump(&store)?)?,
        SandboxCommand::Reset => {
            sandbox::reset(&store)?;
            output.say("The sandbox is empty.");
        }
    }
    Ok(Exit::Success)
}

/// A JSON document from a file or standard input.
fn document(file: &Path) -> anyhow::Result<serde_json::Value> {
    let what = || format!("failed to read {}", file.display());
    let reader: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(file).with_context(what)?)
    };
    let text = read_bytes(reader, MOST_BYTES).with_context(what)?;
    serde_json::from_slice(&text).with_context(what)
}

/// Serves until interrupted.
async fn serve(args: &ServeArgs, store: StoreLocation, global: &Global, output: &Output) -> anyhow::Result<Exit> {
    anyhow::ensure!(
        args.listen.ip().is_loopback(),
        "the sandbox listens on loopback addresses only, not on {}",
        args.listen
    );
    let faults = args.faults.as_deref().map(faults).transpose()?.unwrap_or_default();
    for zone in &args.with_zone {
        let name = crate::model::ZoneName::parse(zone).with_context(|| format!("failed to make the zone {zone:?}"))?;
        sandbox::ensure_zone(&store, name.as_str(), &args.plan, SEED)?;
    }
    let stop = crate::cli::signals::stop(global)?;
    let running = sandbox::start(sandbox::Options {
        store,
        listen: args.listen,
        seed: SEED,
        profile: profile(args),
        faults,
        remembered: 0,
        hosts: args.hosts.clone(),
        ..sandbox::Options::default()
    })
    .await?;
    let credentials = sandbox::Credentials::default();
    output.result(|out| {
        writeln!(out, "export CLOUDFLARE_BASE_URL={}", running.base_url())?;
        writeln!(out, "export CLOUDFLARE_API_TOKEN={}", credentials.token)
    })?;
    output.say("The sandbox is serving; interrupt to stop.");
    stop.asked(1).await;
    let requests = running.request_count();
    running.shutdown().await;
    output.say(&format!("The sandbox answered {}.", count(requests, "request")));
    Ok(Exit::Success)
}

/// The failures that a document asks for.
fn faults(file: &Path) -> anyhow::Result<Vec<sandbox::Fault>> {
    let text = std::fs::File::open(file).and_then(|opened| read_text(opened, MOST_OF_FAULTS));
    let text = text.with_context(|| format!("failed to read {}", file.display()))?;
    let what = || format!("the faults in {} cannot be used (docs/faults.md tells them all)", file.display());
    sandbox::Fault::list_from_json(&text).with_context(what)
}

/// The behaviour that the flags ask for.
fn profile(args: &ServeArgs) -> sandbox::Profile {
    let mut profile = sandbox::Profile::default();
    profile.tier.clone_from(&args.plan);
    profile.shape = match args.shape.as_str() {
        "seed" => sandbox::RecordMembers::Seed,
        "full" => sandbox::RecordMembers::Full,
        _ => sandbox::RecordMembers::Modern,
    };
    profile.batch = !args.no_batch;
    profile.page_limit = args.page_limit;
    profile.record_quota = args.record_quota;
    profile.latency_milliseconds = args.latency;
    profile.dry_run = !args.without_dry_run;
    profile.account_rulesets = !args.without_account_rulesets;
    profile.owasp_level = args.owasp_level;
    if args.old_srv_members {
        profile.old_srv_members = sandbox::OldSrvMembers::AcceptEqual;
    }
    if args.strict_data {
        profile.unknown_data = sandbox::UnknownData::Refuse;
    }
    if args.ns_beside_others {
        profile.ns_neighbours = sandbox::NsNeighbours::Accept;
    }
    if args.random_order {
        profile.list_order = sandbox::ListOrder::Hostile;
    }
    profile.rate_limit =
        (args.rate_limit > 0).then_some(sandbox::RateLimit { requests: args.rate_limit, window_seconds: 300 });
    profile
}
