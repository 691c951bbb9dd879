//! Implements `sandbox`: runs, fills, empties or prints the sandbox.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};

use super::{Facts, Run, Session};
use crate::cli::connection::{SEED, store};
use crate::cli::exit_codes::Exit;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::shared_arguments::{Global, SANDBOX_DIRECTORY};
use crate::diagnostic::{count, read_bytes, read_text};
use crate::model::facts::permissions::{Permission, PermissionGroup};
use crate::sandbox::{self, StoreLocation};

/// Maximum size of a list of faults, in bytes.
const MOST_OF_FAULTS: u64 = 1024 * 1024;

/// Maximum size of a document to seed, in bytes.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// Run, fill or print the sandbox, the embedded service
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright sandbox serve --dns 127.0.0.1:5300\n  zonewright sandbox \
        seed zones.json\n  zonewright sandbox dump > zones.json"
)]
pub(in crate::cli) struct SandboxArgs {
    /// What to do.
    #[command(subcommand)]
    command: SandboxCommand,
}

/// What to do with the sandbox.
#[derive(Debug, Subcommand)]
enum SandboxCommand {
    /// Serve the API on a loopback address until interrupted
    #[command(
        after_help = "Examples:\n  zonewright sandbox serve --with-zone example.com\n  zonewright \
            sandbox serve --plan pro --dns 127.0.0.1:5300"
    )]
    Serve(Box<ServeArgs>),
    /// Add zones, records and rulesets from a JSON document (`-` for standard input)
    #[command(
        after_help = "Examples:\n  zonewright sandbox seed zones.json\n  zonewright sandbox seed - --sandbox=/tmp/sandbox < zones.json\n  zonewright sandbox seed --reset"
    )]
    Seed {
        /// Document in the form that `sandbox dump` prints
        #[arg(required_unless_present = "reset")]
        file: Option<PathBuf>,
        /// Delete all zones, records and rulesets first
        #[arg(long)]
        reset: bool,
    },
    /// Print all zones, records and rulesets as a JSON document
    #[command(after_help = "Examples:\n  zonewright sandbox dump\n  zonewright sandbox dump \
            --sandbox=/tmp/sandbox > zones.json")]
    Dump,
}

/// Heading of the options for behaviour of Cloudflare that is uncertain or differs between
/// accounts.
const BEHAVIOUR: &str = "Uncertain behaviour of Cloudflare";

/// `sandbox serve`.
#[derive(Debug, Args)]
struct ServeArgs {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, default_value = "127.0.0.1:8787", value_name = "ADDRESS")]
    listen: std::net::SocketAddr,
    /// Also answer DNS queries at this address, over UDP and TCP; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS")]
    dns: Option<std::net::SocketAddr>,
    /// Also accept requests for this host name, for example through a tunnel; repeatable
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Plan of new zones
    #[arg(long, default_value = "free", value_parser = ["free", "pro", "business", "enterprise"])]
    plan: String,
    /// Create this empty zone if it is missing; repeatable
    #[arg(long = "with-zone", value_name = "NAME")]
    with_zone: Vec<String>,
    /// Form of records in responses: current, with every documented member (full), or that of 2024
    /// (seed)
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR, default_value = "modern", value_parser = ["modern", "full", "seed"])]
    shape: String,
    /// Disable the batch endpoint
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    no_batch: bool,
    /// Maximum records on a page
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR, default_value_t = sandbox::Profile::default().page_limit, value_name = "N")]
    page_limit: u64,
    /// Record quota of a zone, instead of that of its plan
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR, value_name = "N")]
    record_quota: Option<usize>,
    /// Accept `service`, `proto` and `name` in SRV data if they agree with the name of the record
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    old_srv_members: bool,
    /// Store and find the names of zones in Unicode
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    unicode_zone_names: bool,
    /// Refuse members of `data` that the record type does not have
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    strict_data: bool,
    /// Accept NS records beside other types than A, AAAA and CNAME
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    ns_beside_others: bool,
    /// Refuse a TXT record as identical if it differs from another one only in where it is cut into
    /// strings
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    joined_texts: bool,
    /// List records in a different order each time
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    random_order: bool,
    /// Refuse to list all settings of a zone at once, as from 2027-03-31
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    without_settings_list: bool,
    /// Refuse `dry_run` for rulesets
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    without_dry_run: bool,
    /// Refuse account-level rulesets, as on all plans except Enterprise
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR)]
    without_account_rulesets: bool,
    /// Highest paranoia level that is on by default in the OWASP ruleset
    #[arg(long, hide_short_help = true, help_heading = BEHAVIOUR, default_value_t = sandbox::Profile::default().owasp_level, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=4))]
    owasp_level: u8,
    /// Limit the credentials to this permission, such as "DNS Edit"; repeatable
    #[arg(long = "permission", value_name = "NAME", value_parser = parse_permission)]
    permissions: Vec<Permission>,
    /// Requests allowed in five minutes; 0 for no limit
    #[arg(long, default_value_t = sandbox::RateLimit::USUAL.requests, value_name = "N")]
    rate_limit: u32,
    /// Delay of each response, in milliseconds
    #[arg(long, default_value_t = 0, value_name = "MILLISECONDS")]
    latency: u64,
    /// Script of failures, as JSON (docs/faults.md)
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
}

impl Run for SandboxArgs {
    const MATTERS: Matters = Matters { zones: false, ..Matters::ONLINE };

    fn facts(&self) -> Facts<'_> {
        Facts { is_signal_listener: true, ..Facts::offline("sandbox") }
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        run_command(&self.command, session.settings.flags, session.output).await
    }
}

async fn run_command(
    command: &SandboxCommand,
    global: &Global,
    output: &Output,
) -> anyhow::Result<Exit> {
    let directory = global.sandbox.clone().unwrap_or_else(|| PathBuf::from(SANDBOX_DIRECTORY));
    let store = store(&directory)?;
    match command {
        SandboxCommand::Serve(args) => {
            return serve_until_stopped(args, store, global, output).await;
        }
        SandboxCommand::Seed { file, reset } => {
            let document = file.as_deref().map(read_document).transpose()?;
            if *reset {
                sandbox::reset(&store)?;
            }
            let Some(document) = document else {
                output.say("The sandbox is empty.");
                return Ok(Exit::Success);
            };
            let report = sandbox::seed(&store, &document)?;
            output.result(|out| {
                writeln!(
                    out,
                    "Added {} and {}.",
                    count(report.zones, "zone"),
                    count(report.records, "record")
                )
            })?;
        }
        SandboxCommand::Dump => output.json(&sandbox::dump(&store)?)?,
    }
    Ok(Exit::Success)
}

/// Reads a JSON document from a file or standard input.
fn read_document(file: &Path) -> anyhow::Result<serde_json::Value> {
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
async fn serve_until_stopped(
    args: &ServeArgs,
    store: StoreLocation,
    global: &Global,
    output: &Output,
) -> anyhow::Result<Exit> {
    for address in [Some(args.listen), args.dns].into_iter().flatten() {
        anyhow::ensure!(
            address.ip().is_loopback(),
            "the sandbox listens on loopback addresses only, not on {address}"
        );
    }
    let faults = args.faults.as_deref().map(faults).transpose()?.unwrap_or_default();
    for zone in &args.with_zone {
        let name = crate::model::ZoneName::parse(zone)
            .with_context(|| format!("failed to make the zone {zone:?}"))?;
        sandbox::ensure_zone(&store, name.as_str(), &args.plan, SEED)?;
    }
    let stop = crate::cli::signals::stop(global)?;
    let running = sandbox::start(sandbox::SandboxOptions {
        store,
        listen: args.listen,
        seed: SEED,
        profile: profile(args),
        faults,
        remembered: 0,
        dns: args.dns,
        hosts: args.hosts.clone(),
        ..sandbox::SandboxOptions::default()
    })
    .await?;
    let credentials = sandbox::Credentials::default();
    output.result(|out| {
        writeln!(out, "export CLOUDFLARE_BASE_URL={}", running.base_url())?;
        writeln!(out, "export CLOUDFLARE_API_TOKEN={}", credentials.token)
    })?;
    if let Some(address) = running.dns_address() {
        output.say(&format!(
            "Answering DNS queries: dig @{} -p {} NAME",
            address.ip(),
            address.port()
        ));
    }
    output.say("The sandbox is serving; interrupt to stop.");
    stop.asked(1).await;
    let requests = running.request_count();
    running.shutdown().await;
    output.say(&format!("The sandbox answered {}.", count(requests, "request")));
    Ok(Exit::Success)
}

/// Reads the faults in a document.
fn faults(file: &Path) -> anyhow::Result<Vec<sandbox::Fault>> {
    let text = std::fs::File::open(file).and_then(|opened| read_text(opened, MOST_OF_FAULTS));
    let text = text.with_context(|| format!("failed to read {}", file.display()))?;
    let what =
        || format!("the faults in {} cannot be used (docs/faults.md lists them)", file.display());
    sandbox::Fault::list_from_json(&text).with_context(what)
}

/// Parses the name of a permission.
fn parse_permission(name: &str) -> Result<Permission, String> {
    sandbox::permission_by_name(name).ok_or_else(|| {
        let names =
            PermissionGroup::ALL.iter().map(|group| group.name()).collect::<Vec<_>>().join(", ");
        format!("write one of these with Read or Edit: {names}")
    })
}

/// Returns the behaviour that the flags select.
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
    profile.unicode_zone_names = args.unicode_zone_names;
    profile.settings_list = !args.without_settings_list;
    profile.dry_run = !args.without_dry_run;
    profile.account_rulesets = !args.without_account_rulesets;
    profile.owasp_level = args.owasp_level;
    if !args.permissions.is_empty() {
        let permissions = args.permissions.iter();
        profile.permissions = permissions
            .fold(sandbox::Permissions::default(), |all, permission| {
                all.with(permission.group, Some(permission.access))
            });
    }
    if args.old_srv_members {
        profile.old_srv_members = sandbox::OldSrvMembers::AcceptEqual;
    }
    if args.strict_data {
        profile.unknown_data = sandbox::UnknownData::Refuse;
    }
    if args.ns_beside_others {
        profile.ns_neighbours = sandbox::NsNeighbours::Accept;
    }
    if args.joined_texts {
        profile.txt_cuts = sandbox::TxtCuts::Joined;
    }
    if args.random_order {
        profile.list_order = sandbox::ListOrder::Hostile;
    }
    profile.rate_limit = (args.rate_limit > 0)
        .then_some(sandbox::RateLimit { requests: args.rate_limit, ..sandbox::RateLimit::USUAL });
    profile
}
