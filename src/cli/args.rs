//! The command line.

mod drift;
mod import;
mod resolve;
mod waf;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::shard::ShardArg;
use super::surroundings::Surroundings;
use crate::apply::Verify;
use crate::document::Kind;
use crate::model::Danger;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(super) use drift::{DriftArgs, TellArgs, WatchArgs};
pub(super) use import::ImportArgs;
pub(super) use resolve::ResolveArgs;
pub(super) use waf::{State, WafCommand, WafDiffArgs, WafEffectiveArgs, WafHitsArgs, WafLockArgs, WafRulesArgs};

/// Text after the options in `--help`.
fn after_help() -> String {
    let consents = Danger::ALL.iter().map(|danger| match danger {
        Danger::Delete => format!("  {:<29} {}", "--allow-deletes N", danger.consent()),
        danger => format!("  {:<29} {}", format!("--allow {}", danger.code()), danger.consent()),
    });
    let consents = consents.collect::<Vec<_>>().join("\n");
    format!(
        "\
Exit codes:
  0   done, or no difference
  1   error, nothing was written
  2   differences (drift, or what --drift-exit-code says; plan and waf diff with --detailed-exitcode, diff --exit-code, waf lock --check)
  3   a consent is missing (apply, undo, plan with --detailed-exitcode), or the confirmation was declined
  4   the zone is no longer as the plan saw it, nothing was written
  5   applied in part, the journal says what
  64  wrong usage

Consents, each also possible in the spec (allow: {{ CODE: reason }}) and in the policy file:
{consents}

Environment:
  CLOUDFLARE_API_TOKEN                        an API token, or
  CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY     the e-mail address of the account and its global key
  CLOUDFLARE_ACCOUNT_ID                       use the zones of this account only
  CLOUDFLARE_BASE_URL                         another base URL of the API
  ZONEWRIGHT_WEBHOOK                          URL to which drift and watch send their report
  Each can be given as NAME_FILE, the name of a file with the value.
  JOB_COMPLETION_INDEX                        used by --shard auto/N only
"
    )
}

/// Declarative reconciler for Cloudflare zones, DNS records and managed-WAF tuning.
///
/// Write the desired state in YAML, review it with `plan`, and apply it with `apply`, which verifies the result.
#[derive(Debug, Parser)]
#[command(name = "zonewright", version, about, long_about = None, after_help = after_help(), disable_help_subcommand = true)]
pub(super) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Flags of every command.
    #[command(flatten)]
    pub global: Global,
}

/// Flags of every command.
#[derive(Debug, Args)]
pub(super) struct Global {
    /// Select zones by name or glob; repeatable
    #[arg(long, global = true, value_name = "NAME", help_heading = "Global options")]
    pub zone: Vec<String>,
    /// Select one of N parts of the zones: I/N with I from 1, or auto/N in an indexed Kubernetes job
    #[arg(long, global = true, value_name = "I/N", value_parser = ShardArg::parse, help_heading = "Global options")]
    pub shard: Option<ShardArg>,
    /// Set a variable of the spec; repeatable
    #[arg(long = "var", global = true, value_name = "NAME=VALUE", value_parser = variable, help_heading = "Global options")]
    pub variables: Vec<(String, String)>,
    /// Previous spec: a Git revision of the same paths, or a path written as ./PATH, /PATH or PATH/
    #[arg(long, global = true, value_name = "REV|PATH", help_heading = "Global options")]
    pub base: Option<String>,
    /// Policy file with consents and limits [default: .zonewright-policy.yaml, if it exists]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub policy: Option<PathBuf>,
    /// Evaluate expiry dates as of this date [default: today, in UTC]
    #[arg(long, global = true, value_name = "YYYY-MM-DD", value_parser = day, help_heading = "Global options")]
    pub today: Option<String>,
    /// Output format; not every command has every format
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, help_heading = "Global options")]
    pub format: Format,
    /// Name in the first line of a Markdown comment, to find it again: letters, digits, `-`, `_`, `.`
    #[arg(long, global = true, value_name = "NAME", value_parser = marker, help_heading = "Global options")]
    pub comment_marker: Option<String>,
    /// Limit Markdown comments to N characters; GitHub allows 65536, GitLab 1000000
    #[arg(long, global = true, value_name = "N", default_value_t = crate::render::markdown::LIMIT, value_parser = comment_limit, help_heading = "Global options")]
    pub comment_limit: usize,
    /// When to use color; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN", help_heading = "Global options")]
    pub color: Colour,
    /// Print results and errors only
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// -v lists unmanaged records; -vv also logs requests
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub verbose: u8,
    /// Use the sandbox, with its state in DIR [default: .zonewright/sandbox]
    #[arg(long, global = true, value_name = "DIR", num_args = 0..=1, require_equals = true,
          default_missing_value = ".zonewright/sandbox", conflicts_with = "base_url", help_heading = "Service")]
    pub sandbox: Option<PathBuf>,
    /// Base URL of the API
    #[arg(long, global = true, value_name = "URL", help_heading = "Service")]
    pub base_url: Option<String>,
    /// Use the e-mail address and key where the token is refused
    #[arg(long, global = true, help_heading = "Service")]
    pub key_fallback: bool,
    /// Send at most N requests a second
    #[arg(long, global = true, value_name = "N", value_parser = rate, help_heading = "Service")]
    pub max_rps: Option<f64>,
    /// Send at most N requests in 5 minutes, where Cloudflare does not report what is left
    #[arg(long, global = true, value_name = "N", default_value_t = 1200, value_parser = clap::value_parser!(u32).range(10..=1_000_000), help_heading = "Service")]
    pub request_quota: u32,
    /// Request pages of N records
    #[arg(long, global = true, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=5_000_000), help_heading = "Service")]
    pub page_size: u64,
    /// Send at most N changes in a request [default: what the plan of the zone allows]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Service")]
    pub batch_size: Option<u32>,
    /// Handle at most N zones, and send at most N requests, at the same time
    #[arg(long, global = true, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=64), help_heading = "Service")]
    pub concurrency: u16,
    /// Wait at most SECONDS for an answer
    #[arg(long, global = true, value_name = "SECONDS", default_value = "100", value_parser = seconds, help_heading = "Service")]
    pub timeout: Duration,
    /// Directory for cached managed rulesets
    #[arg(long, global = true, value_name = "DIR", default_value = ".zonewright/cache", help_heading = "Service")]
    pub cache: PathBuf,
    /// Directory for journals
    #[arg(long, global = true, value_name = "DIR", default_value = ".zonewright/journal", help_heading = "Service")]
    pub journal: PathBuf,
    /// What an embedding program passes in; not an argument.
    #[arg(skip)]
    pub surroundings: Surroundings,
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// A comment on a pull request: plan, validate, drift.
    Markdown,
    /// Annotations of GitHub Actions: plan, validate.
    Github,
    /// SARIF 2.1.0 for code scanning: plan, validate.
    Sarif,
    /// JUnit XML for test reports: validate, test.
    Junit,
    /// One self-contained page without scripts: plan.
    Html,
}

impl Format {
    /// The word on the command line.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Github => "github",
            Self::Sarif => "sarif",
            Self::Junit => "junit",
            Self::Html => "html",
        }
    }
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Colour {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show what would change; never writes
    #[command(
        after_help = "Examples:\n  zonewright plan zones/\n  zonewright plan zones/ --base origin/main --out plan.zwplan --format markdown"
    )]
    Plan(PlanArgs),
    /// Show the plan, ask for confirmation, apply it, verify the result
    #[command(
        after_help = "Examples:\n  zonewright apply zones/\n  zonewright apply plan.zwplan --yes --allow-deletes 2"
    )]
    Apply(ApplyArgs),
    /// Restore what an apply changed, from its journal
    #[command(
        after_help = "Examples:\n  zonewright undo .zonewright/journal/FILE.jsonl --dry-run\n  zonewright undo .zonewright/journal/FILE.jsonl --allow-deletes 3"
    )]
    Undo(UndoArgs),
    /// Show the authoritative answer for a name, and which records make it
    #[command(
        after_help = "Examples:\n  zonewright resolve www.example.com --spec zones/\n  zonewright resolve example.com MX --live"
    )]
    Resolve(ResolveArgs),
    /// Compare two specs offline
    #[command(
        after_help = "Examples:\n  zonewright diff old/ new/\n  zonewright diff old/ new/ --exit-code --format json"
    )]
    Diff(DiffArgs),
    /// Detect drift: what changed, when, and who changed it
    #[command(
        after_help = "Examples:\n  zonewright drift zones/ --base HEAD\n  zonewright drift zones/ --base HEAD --fail-on drifted,conflicting --metrics drift.prom"
    )]
    Drift(DriftArgs),
    /// Check for drift continuously, with /metrics and /healthz
    #[command(
        after_help = "Examples:\n  zonewright watch zones/ --interval 15m\n  zonewright watch zones/ --base HEAD --listen 127.0.0.1:9184"
    )]
    Watch(WatchArgs),
    /// Save the live state, for planning without credentials (plan --against)
    #[command(
        after_help = "Examples:\n  zonewright snapshot zones/\n  zonewright snapshot zones/ --out - | ssh host tee zones.json.gz"
    )]
    Snapshot(SnapshotArgs),
    /// Check a spec offline: syntax, meaning and lints
    #[command(after_help = "Examples:\n  zonewright validate zones/\n  zonewright validate zones/ --print")]
    Validate(ValidateArgs),
    /// Check the expectations of a spec (`expect:`) offline; exit with 2 if one fails
    #[command(
        after_help = "Examples:\n  zonewright test zones/\n  zonewright test zones/ --format junit > expectations.xml"
    )]
    Test(TestArgs),
    /// Generate a spec from a live zone, Terraform, octoDNS, DNSControl, a zone file or CSV
    #[command(
        after_help = "Examples:\n  zonewright import example.com > example.com.yaml\n  zonewright import example.com --only-waf\n  zonewright import ./terraform.tfstate > zones.yaml\n  zonewright import ./octodns/config/ --out zones/"
    )]
    Import(ImportArgs),
    /// Run, fill, print or empty the sandbox, the embedded service
    #[cfg(feature = "sandbox")]
    #[command(subcommand)]
    Sandbox(SandboxCommand),
    /// Show what the settings of the managed WAF mean
    #[command(subcommand)]
    Waf(WafCommand),
    /// Print the JSON Schema of the spec, or of what the program writes
    #[command(
        after_help = "Examples:\n  zonewright schema > spec.schema.json\n  zonewright schema plan > plan.schema.json"
    )]
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// What the schema describes
    #[arg(value_name = "KIND", default_value = "spec", value_parser = schemas())]
    pub kind: String,
}

/// What there are schemas of.
fn schemas() -> PossibleValuesParser {
    PossibleValuesParser::new(std::iter::once("spec").chain(Kind::ALL.iter().map(|kind| kind.name())))
}

/// What the spec is.
#[derive(Debug, Args)]
pub(super) struct SpecArgs {
    /// Files, directories (every *.yaml and *.yml below), or `-` for standard input
    #[arg(required = true, value_name = "SPEC")]
    pub spec: Vec<PathBuf>,
}

impl SpecArgs {
    /// The first file or directory, unless the spec comes from standard input.
    pub(super) fn first_file(&self) -> Option<&Path> {
        self.spec.first().map(PathBuf::as_path).filter(|path| path.as_os_str() != "-")
    }

    /// What may be a saved plan in place of a spec: one file.
    pub(super) fn single(&self) -> Option<&Path> {
        match self.spec.as_slice() {
            [path] => Some(path),
            _ => None,
        }
    }
}

/// Permissions.
#[derive(Debug, Args)]
pub(super) struct ConsentArgs {
    /// Allow exactly N deletes
    #[arg(long, value_name = "N")]
    pub allow_deletes: Option<usize>,
    /// Allow a danger by its code; repeatable, or separated by commas
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub allow: Vec<String>,
}

/// `plan`.
#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    /// The spec.
    #[command(flatten)]
    pub spec: SpecArgs,
    /// Permissions.
    #[command(flatten)]
    pub consents: ConsentArgs,
    /// Exit with 2 if there are differences, with 3 if applying them needs a consent that is missing
    #[arg(long)]
    pub detailed_exitcode: bool,
    /// Ask Cloudflare whether it would accept each change of a rule (a dry run; needs a token that can edit)
    #[arg(long)]
    pub server_check: bool,
    /// Save the plan for `apply FILE`
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Plan against a snapshot: no credentials, no requests
    #[arg(long, value_name = "FILE", conflicts_with_all = ["server_check", "out", "sandbox", "base_url"])]
    pub against: Option<PathBuf>,
    /// Warn if the snapshot is older than DURATION
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = duration)]
    pub max_snapshot_age: Duration,
}

/// `diff`.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// Old spec: a file, a directory, or `-` for standard input
    #[arg(value_name = "OLD")]
    pub before: PathBuf,
    /// New spec
    #[arg(value_name = "NEW")]
    pub after: PathBuf,
    /// Exit with 2 if there are differences
    #[arg(long)]
    pub exit_code: bool,
}

/// `snapshot`.
#[derive(Debug, Args)]
pub(super) struct SnapshotArgs {
    /// The spec.
    #[command(flatten)]
    pub spec: SpecArgs,
    /// File to write; `-` for standard output [default: zonewright.snapshot.json.gz]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `apply`.
#[derive(Debug, Args)]
pub(super) struct ApplyArgs {
    /// The spec, or a saved plan.
    #[command(flatten)]
    pub spec: SpecArgs,
    /// Permissions.
    #[command(flatten)]
    pub consents: ConsentArgs,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Print the exact requests instead of sending them
    #[arg(long)]
    pub dry_run: bool,
    /// Refuse a saved plan that is older than DURATION
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = duration)]
    pub max_age: Duration,
    /// Finish a partly applied saved plan
    #[arg(long)]
    pub resume: bool,
    /// How to know that a zone is in sync afterwards
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub verify: VerifyArg,
}

/// `--verify`.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum VerifyArg {
    /// Read where that costs no waiting for the rate limit, and trust the answers elsewhere
    #[default]
    Auto,
    /// Trust answers that confirm every change
    Answers,
    /// Always read the zone again
    Read,
}

impl From<VerifyArg> for Verify {
    fn from(verify: VerifyArg) -> Self {
        match verify {
            VerifyArg::Auto => Self::Auto,
            VerifyArg::Answers => Self::Answers,
            VerifyArg::Read => Self::Read,
        }
    }
}

/// `undo`.
#[derive(Debug, Args)]
pub(super) struct UndoArgs {
    /// Journal of the apply; the apply prints its path
    #[arg(value_name = "JOURNAL")]
    pub journal_file: PathBuf,
    /// Permissions.
    #[command(flatten)]
    pub consents: ConsentArgs,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Print the exact requests instead of sending them
    #[arg(long)]
    pub dry_run: bool,
    /// Keep what someone changed since, and undo the rest
    #[arg(long)]
    pub skip_conflicts: bool,
    /// How to know that a zone is in sync afterwards
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub verify: VerifyArg,
}

/// `validate`.
#[derive(Debug, Args)]
pub(super) struct ValidateArgs {
    /// The spec.
    #[command(flatten)]
    pub spec: SpecArgs,
    /// Print the spec as resolved: merged, with defaults and variables filled in
    #[arg(long)]
    pub print: bool,
}

/// `test`.
#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// The spec.
    #[command(flatten)]
    pub spec: SpecArgs,
}

/// `sandbox`.
#[cfg(feature = "sandbox")]
#[derive(Debug, Subcommand)]
pub(super) enum SandboxCommand {
    /// Serve the API on a loopback address until interrupted
    Serve(Box<ServeArgs>),
    /// Add zones, records and rulesets from a JSON document (`-` for standard input)
    Seed {
        /// Document in the form that `sandbox dump` prints
        file: PathBuf,
    },
    /// Print all zones, records and rulesets as a JSON document
    Dump,
    /// Delete all zones, records and rulesets
    Reset,
}

/// `sandbox serve`.
#[cfg(feature = "sandbox")]
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, default_value = "127.0.0.1:8787", value_name = "ADDRESS")]
    pub listen: std::net::SocketAddr,
    /// Also accept requests for this host name, for example through a tunnel; repeatable
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// Plan of new zones
    #[arg(long, default_value = "free", value_parser = ["free", "pro", "business", "enterprise"])]
    pub plan: String,
    /// Create this empty zone if it is missing; repeatable
    #[arg(long = "with-zone", value_name = "NAME")]
    pub with_zone: Vec<String>,
    /// Form of records in answers: current, with every documented member (full), or that of 2024 (seed)
    #[arg(long, default_value = "modern", value_parser = ["modern", "full", "seed"])]
    pub shape: String,
    /// Disable the batch endpoint
    #[arg(long)]
    pub no_batch: bool,
    /// Maximum records on a page
    #[arg(long, default_value_t = 5000, value_name = "N")]
    pub page_limit: u64,
    /// Record quota of a zone, instead of that of its plan
    #[arg(long, value_name = "N")]
    pub record_quota: Option<usize>,
    /// Accept `service`, `proto` and `name` in SRV data if they agree with the name of the record
    #[arg(long)]
    pub old_srv_members: bool,
    /// Refuse members of `data` that the record type does not have
    #[arg(long)]
    pub strict_data: bool,
    /// Accept NS records beside other types than A, AAAA and CNAME
    #[arg(long)]
    pub ns_beside_others: bool,
    /// List records in a different order each time
    #[arg(long)]
    pub random_order: bool,
    /// Refuse `dry_run` for rulesets
    #[arg(long)]
    pub without_dry_run: bool,
    /// Refuse account-level rulesets, as on all plans except Enterprise
    #[arg(long)]
    pub without_account_rulesets: bool,
    /// Highest paranoia level that is on by default in the OWASP ruleset
    #[arg(long, default_value_t = 4, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub owasp_level: u8,
    /// Requests allowed in five minutes; 0 for no limit
    #[arg(long, default_value_t = 1200, value_name = "N")]
    pub rate_limit: u32,
    /// Delay of each answer, in milliseconds
    #[arg(long, default_value_t = 0, value_name = "MILLISECONDS")]
    pub latency: u64,
    /// Script of failures, as JSON (docs/faults.md)
    #[arg(long, value_name = "FILE")]
    pub faults: Option<PathBuf>,
}

/// `NAME=VALUE`.
fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

/// The name of a comment.
fn marker(text: &str) -> Result<String, String> {
    if crate::render::markdown::is_marker(text) {
        Ok(text.to_owned())
    } else {
        Err("write at most 64 letters, digits and single `-`, `_`, `.`".to_owned())
    }
}

/// The size of a comment.
fn comment_limit(text: &str) -> Result<usize, String> {
    let smallest = crate::render::markdown::SMALLEST_LIMIT;
    match text.parse::<usize>() {
        Ok(n) if n >= smallest => Ok(n),
        _ => Err(format!("write a number of characters, at least {smallest}")),
    }
}

/// A day of the calendar.
fn day(text: &str) -> Result<String, String> {
    if crate::spec::is_date(text) { Ok(text.to_owned()) } else { Err("write a date as YYYY-MM-DD".to_owned()) }
}

/// A positive number of requests a second.
fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(n) if n.is_finite() && n > 0.0 => Ok(n),
        _ => Err("write a number above 0".to_owned()),
    }
}

/// A time such as `24h` or `30min`.
fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| "write a duration such as 24h, 30min or 7d".to_owned())
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(n) if n.is_finite() && n > 0.0 && n <= 86_400.0 => Ok(Duration::from_secs_f64(n)),
        _ => Err("write a number of seconds above 0".to_owned()),
    }
}
