//! Defines the flags of every command, and arguments that several commands share.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use super::default_spec::in_help;
use super::embedding_program::Surroundings;
use super::file_kinds::Takes;
use super::shard::ShardArg;
use crate::api::{QUOTA, Settings};
use crate::apply::{JOURNAL_DIRECTORY, Verify};
use crate::live::RECORDS_PER_PAGE;
use crate::render::{DOCUMENTS, Document};
use crate::spec::POLICY_FILE;
use clap::builder::{PossibleValue, RangedU64ValueParser};
use clap::{Args, ValueEnum};

/// Heading of options about the output and the choice of zones.
pub(super) const GLOBAL: &str = "Global options";

/// Heading of options about the connection.
pub(super) const CONNECTION: &str = "Connection";

/// Default directory for the state of the sandbox.
pub(super) const SANDBOX_DIRECTORY: &str = ".zonewright/sandbox";

/// Flags of every command.
#[derive(Debug, Args)]
pub(super) struct Global {
    /// Select zones by name or glob; repeatable
    #[arg(long, global = true, value_name = "NAME", help_heading = GLOBAL)]
    pub zone: Vec<String>,
    /// Select one of N parts of the zones: I/N with I from 1, or auto/N in an indexed Kubernetes
    /// job
    #[arg(long, global = true, value_name = "I/N", value_parser = ShardArg::parse, help_heading = GLOBAL)]
    pub shard: Option<ShardArg>,
    /// Set a variable of the spec; with `import`, of the Terraform configuration; repeatable
    #[arg(long = "var", global = true, value_name = "NAME=VALUE", value_parser = variable, help_heading = GLOBAL)]
    pub variables: Vec<(String, String)>,
    /// Previous spec: a Git revision of the same paths, or a path written as ./PATH, /PATH or PATH/
    #[arg(long, global = true, value_name = "REV|PATH", help_heading = GLOBAL)]
    pub base: Option<String>,
    #[arg(long, global = true, value_name = "FILE", help_heading = GLOBAL, help = format!("Policy file with consents and limits [default: {POLICY_FILE}, if it exists]"))]
    pub policy: Option<PathBuf>,
    /// Evaluate expiry dates as of this date [default: today, in UTC]
    #[arg(long, global = true, value_name = "YYYY-MM-DD", value_parser = day, help_heading = GLOBAL)]
    pub today: Option<String>,
    /// Output format
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, help_heading = GLOBAL)]
    pub format: Format,
    /// Name in the first line of a Markdown comment, to find it again: letters, digits, `-`, `_`,
    /// `.`
    #[arg(long, global = true, value_name = "NAME", value_parser = marker, help_heading = GLOBAL)]
    pub comment_marker: Option<String>,
    /// Limit Markdown comments to N characters; GitHub allows 65536, GitLab 1000000
    #[arg(long, global = true, value_name = "N", default_value_t = crate::render::markdown::LIMIT, value_parser = comment_limit, help_heading = GLOBAL)]
    pub comment_limit: usize,
    /// When to use color; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN", help_heading = GLOBAL)]
    pub color: Colour,
    /// Print results and errors only
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    pub quiet: bool,
    /// -v lists unmanaged records; -vv also logs requests
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = GLOBAL)]
    pub verbose: u8,
    /// Use the sandbox, with its state in DIR [default: .zonewright/sandbox]
    #[arg(long, global = true, value_name = "DIR", num_args = 0..=1, require_equals = true,
          default_missing_value = SANDBOX_DIRECTORY, conflicts_with = "base_url", help_heading = CONNECTION)]
    pub sandbox: Option<PathBuf>,
    /// Base URL of the API; `zonewright help connection` lists further options
    #[arg(long, global = true, value_name = "URL", help_heading = CONNECTION)]
    pub base_url: Option<String>,
    /// Use the e-mail address and key where the token is refused
    #[arg(long, global = true, help_heading = CONNECTION)]
    pub key_fallback: bool,
    /// Send at most N requests a second
    #[arg(long, global = true, value_name = "N", value_parser = rate, help_heading = CONNECTION)]
    pub max_rps: Option<f64>,
    /// Send at most N requests in 5 minutes if Cloudflare does not report how many are left
    #[arg(long, global = true, value_name = "N", default_value_t = QUOTA, value_parser = RangedU64ValueParser::<usize>::new().range(10..=1_000_000), help_heading = CONNECTION)]
    pub request_quota: usize,
    /// Request pages of N records
    #[arg(long, global = true, value_name = "N", default_value_t = RECORDS_PER_PAGE, value_parser = clap::value_parser!(u64).range(1..=5_000_000), help_heading = CONNECTION)]
    pub page_size: u64,
    /// Send at most N changes in a request [default: what the plan of the zone allows]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = CONNECTION)]
    pub batch_size: Option<u32>,
    /// Handle at most N zones, and send at most N requests, at the same time
    #[arg(long, global = true, value_name = "N", default_value_t = Settings::CONCURRENCY, value_parser = clap::value_parser!(u16).range(1..=64), help_heading = CONNECTION)]
    pub concurrency: u16,
    /// Wait at most SECONDS for a response
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = Seconds(Settings::TIMEOUT), value_parser = parse_seconds, help_heading = CONNECTION)]
    pub timeout: Seconds,
    /// Directory for cached managed rulesets
    #[arg(long, global = true, value_name = "DIR", default_value = ".zonewright/cache", help_heading = CONNECTION)]
    pub cache: PathBuf,
    /// Directory for journals
    #[arg(long, global = true, value_name = "DIR", default_value = JOURNAL_DIRECTORY, help_heading = CONNECTION)]
    pub journal: PathBuf,
    /// Replacements of an embedding program; not an argument.
    #[arg(skip)]
    pub surroundings: Surroundings,
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
    /// A format that only some commands have.
    Document(&'static Document),
}

impl Format {
    /// Returns the keyword of the format on the command line.
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Document(document) => document.name,
        }
    }
}

impl Format {
    /// Returns the formats of a command, such as `waf replay`.
    pub(super) fn of(command: &str) -> impl Iterator<Item = Self> {
        Self::value_variants().iter().copied().filter(move |format| match format {
            Self::Text | Self::Json => true,
            Self::Document(document) => document.commands().contains(&command),
        })
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Format>> = LazyLock::new(|| {
            [Format::Text, Format::Json]
                .into_iter()
                .chain(DOCUMENTS.iter().map(Format::Document))
                .collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.keyword()))
    }
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Colour {
    // The keywords say it all; comments for the documentation would lengthen each help.
    Auto,
    Always,
    Never,
}

/// What the spec is.
#[derive(Debug, Args)]
pub(super) struct SpecArgs {
    #[arg(value_name = "SPEC", help = in_help("Files, directories (every *.yaml and *.yml below), \
        or `-` for standard input"))]
    pub spec: Vec<PathBuf>,
}

impl SpecArgs {
    /// Returns the argument to fill in if no spec is given.
    pub(super) fn missing(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.is_empty().then_some(&mut self.spec)
    }

    /// Returns the arguments with the kind of file that they name.
    pub(super) fn files(&self) -> Vec<(&Path, Takes)> {
        self.spec.iter().map(|path| (path.as_path(), Takes::Spec)).collect()
    }

    /// Returns the first file or directory, unless the spec comes from standard input.
    pub(super) fn first_file(&self) -> Option<&Path> {
        self.spec.first().map(PathBuf::as_path).filter(|path| path.as_os_str() != "-")
    }

    /// Returns the only path, which may be that of a saved plan.
    pub(super) fn single(&self) -> Option<&Path> {
        match self.spec.as_slice() {
            [path] => Some(path),
            _ => None,
        }
    }
}

/// Base of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BaseChoice {
    /// The base that `--base` names, if it names one.
    Named,
    /// The base that `--base` names, or else the last commit if the spec has uncommitted changes.
    NamedOrLastCommit,
}

/// The base if `--base` names none.
#[derive(Debug, Args)]
pub(super) struct DefaultBaseArgs {
    /// Compare with no previous spec, even if the spec has uncommitted changes
    #[arg(long, conflicts_with = "base")]
    pub no_base: bool,
}

impl DefaultBaseArgs {
    /// Returns the base of the command.
    pub(super) fn choice(&self) -> BaseChoice {
        if self.no_base { BaseChoice::Named } else { BaseChoice::NamedOrLastCommit }
    }
}

/// A part of a plan.
#[derive(Debug, Args)]
pub(super) struct PartArgs {
    /// Select operations by address, such as example.com/dns/www/A, or by glob; repeatable
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub only: Vec<glob::Pattern>,
}

/// Parses an address or a glob of addresses; `*` matches slashes, too.
pub(super) fn address(text: &str) -> Result<glob::Pattern, String> {
    glob::Pattern::new(text).map_err(|error| format!("not a glob: {}", error.msg))
}

/// Permissions.
#[derive(Debug, Args)]
pub(super) struct ConsentArgs {
    /// Allow exactly N deletes
    #[arg(long, value_name = "N")]
    pub allow_deletes: Option<usize>,
    /// Allow a danger by its code; repeatable, or separated by commas; `zonewright help consents`
    /// lists the codes
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub allow: Vec<String>,
}

/// `--verify`.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum VerifyArg {
    /// Read the zone again unless that has to wait for the rate limit; then trust the responses
    #[default]
    Auto,
    /// Trust responses that confirm every change
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

/// Parses `NAME=VALUE`.
fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

/// Parses the name of a comment.
fn marker(text: &str) -> Result<String, String> {
    if crate::render::markdown::is_marker(text) {
        Ok(text.to_owned())
    } else {
        Err("write at most 64 letters, digits and single `-`, `_`, `.`".to_owned())
    }
}

/// Parses the size of a comment.
fn comment_limit(text: &str) -> Result<usize, String> {
    let smallest = crate::render::markdown::SMALLEST_LIMIT;
    match text.parse::<usize>() {
        Ok(n) if n >= smallest => Ok(n),
        _ => Err(format!("write a number of characters, at least {smallest}")),
    }
}

/// Parses a day of the calendar.
fn day(text: &str) -> Result<String, String> {
    if crate::spec::is_date(text) {
        Ok(text.to_owned())
    } else {
        Err("write a date as YYYY-MM-DD".to_owned())
    }
}

/// Parses a positive number of requests a second.
fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(n) if n.is_finite() && n > 0.0 => Ok(n),
        _ => Err("write a number above 0".to_owned()),
    }
}

/// Parses a duration such as `24h` or `30min`.
pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "write a duration such as 24h, 30min or 7d".to_owned())
}

/// Parses a duration such as `24h` for an option whose default is defined as a number elsewhere.
pub(super) fn duration_in_words(text: &str) -> Result<humantime::Duration, String> {
    parse_duration(text).map(Into::into)
}

/// A duration in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seconds(pub Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs_f64())
    }
}

/// Parses a positive number of seconds.
fn parse_seconds(text: &str) -> Result<Seconds, String> {
    match text.parse::<f64>() {
        Ok(n) if n.is_finite() && n > 0.0 && n <= 86_400.0 => {
            Ok(Seconds(Duration::from_secs_f64(n)))
        }
        _ => Err("write a number of seconds above 0".to_owned()),
    }
}
