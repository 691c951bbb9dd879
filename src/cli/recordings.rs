//! Reads recorded requests and the public OWASP rules from the arguments of commands.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::Args;

use super::output::Output;
use super::shared_arguments::SpecArgs;
use crate::crs;
use crate::insight::traffic::{Hits, Set};
use crate::live::AnyReader;
use crate::model::expression::{ListItems, Lists};
use crate::reconcile::{
    self, Goal, Planned, Protected, RehearsedRequests, RequestsToRehearse, rehearse_requests,
};
use crate::recorded::{self, Recorded, Recording, Sample};
use crate::render::waf_rehearsal::headlines;
use crate::seclang::RuleSet;

/// The public OWASP rules.
#[derive(Debug, Args)]
pub(super) struct RuleArgs {
    /// The directory of the OWASP Core Rule Set; without it, that of the Debian package
    /// modsecurity-crs
    #[arg(long, value_name = "DIR")]
    crs: Option<PathBuf>,
}

impl RuleArgs {
    /// Returns the rules. Fails without them.
    ///
    /// # Errors
    /// The rules are missing or cannot be used.
    pub(super) fn needed(&self) -> anyhow::Result<RuleSet> {
        Ok(crs::load(self.crs.as_deref().unwrap_or(Path::new(crs::DEBIAN_RULES)))?)
    }

    /// Returns the rules if they exist. A named directory must contain them.
    ///
    /// # Errors
    /// The rules cannot be used.
    pub(super) fn available(&self) -> anyhow::Result<Option<Arc<RuleSet>>> {
        let is_needed = self.crs.is_some() || Path::new(crs::DEBIAN_RULES).is_dir();
        Ok(if is_needed { Some(Arc::new(self.needed()?)) } else { None })
    }
}

/// Lists that expressions name, in files.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// The items of a list that rules name as $NAME, in the CSV form of Cloudflare, one per line;
    /// repeatable
    #[arg(long = "list", value_name = "NAME=FILE", value_parser = named_file, hide_short_help = true)]
    lists: Vec<(String, PathBuf)>,
}

impl ListArgs {
    /// Returns the items of the lists.
    ///
    /// # Errors
    /// A file cannot be read, or contains an invalid item.
    pub(super) fn read(&self) -> anyhow::Result<Arc<Lists>> {
        let mut lists = Lists::new();
        for (name, file) in &self.lists {
            let shown = file.display();
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("{shown}: cannot be read"))?;
            let items = ListItems::parse(&text).map_err(|line| {
                anyhow!(
                    "{shown}:{line}: this is not an item of a list: write an address, a network, a \
                    host name or an AS number"
                )
            })?;
            lists.insert(name.clone(), items);
        }
        Ok(Arc::new(lists))
    }
}

/// Parses the name of a list and its file.
fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    let name_and_file =
        text.split_once('=').map(|(name, file)| (name.trim_start_matches('$'), file));
    match name_and_file.filter(|(name, file)| !name.is_empty() && !file.is_empty()) {
        Some((name, file)) => Ok((name.to_owned(), file.into())),
        None => {
            Err("write the name of the list and its file, such as office=office.csv".to_owned())
        }
    }
}

/// How recorded requests are read.
#[derive(Debug, Args)]
pub(super) struct ReadingArgs {
    /// Host of requests whose recording does not name one, such as those of access logs
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Skip lines and entries that are not requests, instead of ending with an error
    #[arg(long)]
    skip_unreadable: bool,
}

impl ReadingArgs {
    /// Returns the options for the readers of recordings.
    pub(super) fn options(&self) -> recorded::RecordingOptions {
        options(self.host.as_deref(), self.skip_unreadable)
    }
}

/// Returns the options for reading recorded requests. `host` applies to requests that name none.
fn options(host: Option<&str>, skips_unreadable: bool) -> recorded::RecordingOptions {
    recorded::RecordingOptions {
        host: host.map(str::to_owned),
        skips_unreadable,
        ..recorded::RecordingOptions::default()
    }
}

/// Refuses more than one use of standard input, which can only be read once.
///
/// # Errors
/// What to write instead.
pub(super) fn check_standard_input<'f>(
    files: impl IntoIterator<Item = &'f PathBuf>,
) -> Result<(), String> {
    match files.into_iter().filter(|file| file.as_os_str() == "-").count() {
        0 | 1 => Ok(()),
        _ => Err("standard input can be read once: write `-` for one of the files".to_owned()),
    }
}

/// Reads recorded requests one after the other, and reports their number. Warns about skipped
/// parts.
///
/// # Errors
/// A recording is unreadable, or `visit` fails.
pub(super) fn each<T: Recording>(
    requests: Recorded<T>,
    output: &Output,
    visit: &mut dyn FnMut(T) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let (mut count, mut left_out) = (0, 0_usize);
    for read in requests {
        match read {
            Ok(request) => {
                count += 1;
                visit(request)?;
            }
            Err(error) if error.is_fatal => return Err(error.into()),
            Err(error) => {
                left_out += 1;
                if left_out <= MOST_ERRORS {
                    output.say(&format!("warning: {error}"));
                }
            }
        }
    }
    if left_out > MOST_ERRORS {
        output.say(&format!(
            "warning: {left_out} lines or entries are not requests, and are left out"
        ));
    }
    Ok(count)
}

/// Runs the rules on each request of files and passes their matches to `visit`.
///
/// # Errors
/// A file is unreadable, there is no request, or `visit` fails.
pub(super) fn find_in_each(
    paths: &[PathBuf],
    options: &recorded::RecordingOptions,
    rules: &RuleSet,
    output: &Output,
    visit: &mut dyn FnMut(Sample, Hits) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut evaluator = rules.evaluator();
    let requests = recorded::open(paths, options)?;
    let count = each(requests, output, &mut |sample: Sample| {
        let hits = crs::hits(rules, &evaluator.evaluate(&sample.as_sent()));
        visit(sample, hits)
    })?;
    if count == 0 { Err(no_requests(paths)) } else { Ok(()) }
}

/// Returns the error for recordings without a request, which would let every check pass.
fn no_requests(paths: &[PathBuf]) -> anyhow::Error {
    let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    let verb = if names.len() == 1 { "has" } else { "have" };
    anyhow!("{} {verb} no requests: check how they were recorded", names.join(", "))
}

/// Maximum number of errors to show for a file.
const MOST_ERRORS: usize = 3;

/// How requests are judged, recorded ones and expected ones.
#[derive(Debug, Args)]
pub(super) struct RequestArgs {
    /// Show what the plan does to recorded requests: HAR, JSON lines, Logpush, an access log, raw
    /// requests, or a directory
    #[arg(long, value_name = "FILE", num_args = 1..)]
    requests: Vec<PathBuf>,
    /// Host of requests whose recording does not name one
    #[arg(long, value_name = "NAME", requires = "requests", hide_short_help = true)]
    host: Option<String>,
    /// Skip what is not a request in the recording
    #[arg(long, requires = "requests", hide_short_help = true)]
    skip_unreadable: bool,
    /// How expected requests are judged.
    #[command(flatten)]
    pub(super) expected: ExpectedRequestArgs,
}

/// How expected requests are judged.
#[derive(Debug, Args)]
pub(super) struct ExpectedRequestArgs {
    /// The directory of the OWASP Core Rule Set: runs its rules on requests, so that verdicts
    /// include the score
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(super) crs: Option<PathBuf>,
    /// Fail if a verdict is unknown, or if a request is expected to pass and something was not
    /// evaluated
    #[arg(long, hide_short_help = true)]
    pub(super) strict: bool,
    /// The lists that rules name.
    #[command(flatten)]
    pub(super) lists: ListArgs,
}

impl ExpectedRequestArgs {
    /// Returns the public rules if their directory is named.
    ///
    /// # Errors
    /// The rules cannot be used.
    pub(super) fn rules(&self) -> anyhow::Result<Option<Arc<RuleSet>>> {
        Ok(self.crs.as_deref().map(crs::load).transpose()?.map(Arc::new))
    }
}

impl RequestArgs {
    /// Refuses standard input for both the spec and requests.
    ///
    /// # Errors
    /// As [`check_standard_input`].
    pub(super) fn check(&self, spec: &SpecArgs) -> Result<(), String> {
        check_standard_input(spec.spec.iter().chain(&self.requests))
    }

    /// Opens the recordings and rules that the arguments name.
    ///
    /// # Errors
    /// A file does not exist, or the rules cannot be used.
    pub(super) fn open(&self, output: &Output) -> anyhow::Result<Foresight> {
        let rules = self.expected.rules()?;
        let lists = self.expected.lists.read()?;
        let recordings = match self.requests.as_slice() {
            [] => None,
            paths => {
                let sets = [(Set::Requests, paths)];
                let rules = match &rules {
                    Some(rules) => Some(rules.clone()),
                    None => note_if_missing(RuleArgs { crs: None }.available()?, output),
                };
                Some(Recordings::open(
                    &sets,
                    rules,
                    &options(self.host.as_deref(), self.skip_unreadable),
                    false,
                    &lists,
                )?)
            }
        };
        Ok(Foresight { recordings, rules, is_strict: self.expected.strict, lists })
    }
}

/// Recordings, rules and lists with which the effect of a plan on requests is predicted.
#[derive(Default)]
pub(super) struct Foresight {
    recordings: Option<Recordings>,
    rules: Option<Arc<RuleSet>>,
    is_strict: bool,
    lists: Arc<Lists>,
}

impl Foresight {
    /// Adds the rules for expected requests to the options of a plan.
    pub(super) fn options(&self, options: reconcile::Options) -> reconcile::Options {
        let rules = self.rules.clone().map(|rules| rules as _);
        reconcile::Options {
            rules,
            is_strict: self.is_strict,
            lists: self.lists.clone(),
            ..options
        }
    }

    /// Rehearses a plan on the recordings, and adds the most important results to the plan of each
    /// zone.
    ///
    /// # Errors
    /// Cloudflare or a recording cannot be read.
    pub(super) async fn add_to(
        self,
        planned: &mut Planned<'_>,
        reader: &dyn AnyReader,
        output: &Output,
    ) -> anyhow::Result<()> {
        let Some(recordings) = self.recordings else { return Ok(()) };
        let goal = planned.goal;
        let zones = reconcile::protection(goal, reader, &planned.options.read).await;
        let zones = zones.context("failed to read the rules that recorded requests meet")?;
        let rehearsed = recordings.rehearse(goal, &zones, output)?;
        for zone in &mut planned.plan.zones {
            zone.impact.extend(headlines(&rehearsed.report, zone.name.as_str()));
        }
        Ok(())
    }
}

/// Open recordings, with the rules to run on them.
pub(super) struct Recordings {
    requests: RequestsToRehearse,
    /// Files of each set.
    names: Vec<(Set, Vec<PathBuf>)>,
    rules: Option<Arc<RuleSet>>,
}

impl Recordings {
    /// Opens recordings.
    ///
    /// # Errors
    /// A file does not exist.
    pub(super) fn open(
        sets: &[(Set, &[PathBuf])],
        rules: Option<Arc<RuleSet>>,
        options: &recorded::RecordingOptions,
        has_examples: bool,
        lists: &Arc<Lists>,
    ) -> anyhow::Result<Self> {
        let given_sets = || sets.iter().filter(|(_, paths)| !paths.is_empty());
        let names = given_sets().map(|(set, paths)| (*set, paths.to_vec())).collect();
        let sets = given_sets().map(|(set, paths)| Ok((*set, recorded::open(paths, options)?)));
        let sets = sets.collect::<Result<Vec<_>, recorded::ReadError>>()?;
        Ok(Self {
            requests: RequestsToRehearse { sets, has_examples, lists: lists.clone() },
            names,
            rules,
        })
    }

    /// Evaluates the requests with the rules of some zones.
    ///
    /// # Errors
    /// A recording is unreadable or has no request for a zone of the spec. A check that passes with
    /// the wrong file would be worse than no check.
    pub(super) fn rehearse(
        self,
        goal: &Goal,
        zones: &[Protected],
        output: &Output,
    ) -> anyhow::Result<RehearsedRequests> {
        let Self { requests, names, rules } = self;
        let mut progress = |done: u64| {
            if done.is_multiple_of(1024) {
                output.status(&format!("{done} requests"));
            }
        };
        let rehearsed = rehearse_requests(goal, zones, rules.as_deref(), requests, &mut progress)?;
        output.hide();
        for error in &rehearsed.unreadable {
            output.say(&format!("warning: {error}"));
        }
        for (set, paths) in &names {
            match rehearsed.report.set(*set) {
                Some(outcomes) if outcomes.requests + outcomes.dns_only > 0 => {}
                Some(outcomes) if outcomes.elsewhere > 0 => bail!(
                    "none of the {} is for a host of a zone in the spec: {} for other hosts",
                    set.words(),
                    outcomes.elsewhere
                ),
                _ => return Err(no_requests(paths)),
            }
        }
        Ok(rehearsed)
    }
}

/// Returns the rules, and prints a note if they are missing.
pub(super) fn note_if_missing(
    rules: Option<Arc<RuleSet>>,
    output: &Output,
) -> Option<Arc<RuleSet>> {
    if rules.is_none() {
        output.say(
            "note: the OWASP rules are not run: name their directory with --crs, or install \
            modsecurity-crs",
        );
    }
    rules
}
