//! `waf rehearse`: what becomes of recorded requests now and after the plan. Holds no means of writing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::protection;
use crate::cli::args::{Format, Global, SpecArgs, duration};
use crate::cli::commands::plan::open as open_snapshot;
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit::Exit;
use crate::cli::file_kinds::Takes;
use crate::cli::load::load;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::recordings::{ListArgs, ReadingArgs, Recordings, RuleArgs, check_standard_input, note_if_missing};
use crate::cli::settings::Settings;
use crate::insight::traffic::Set;
use crate::reconcile::{Goal, MAX_SNAPSHOT_AGE, Protected};
use crate::render::requests::write;

/// Rehearse the plan on recorded requests: which are newly stopped, and which are newly let through
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf rehearse zones/ --requests requests.har logs/*.json.gz\n  zonewright waf rehearse zones/ --benign ordinary.jsonl --attacks attacks.jsonl --crs coreruleset --format html > rehearsal.html"
)]
pub(super) struct WafRehearseArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// The recordings.
    #[command(flatten)]
    recordings: RecordingArgs,
    /// Use a snapshot in place of Cloudflare: no credentials, no requests
    #[arg(long, value_name = "SNAPSHOT", conflicts_with_all = ["sandbox", "base_url"])]
    against: Option<PathBuf>,
    /// Warn if the snapshot is older than DURATION
    #[arg(long, value_name = "DURATION", default_value = MAX_SNAPSHOT_AGE, value_parser = duration, hide_short_help = true)]
    max_snapshot_age: Duration,
}

/// Recorded requests.
#[derive(Debug, Args)]
struct RecordingArgs {
    /// Recorded requests: HAR, JSON lines, Logpush, an access log, raw requests, each also .gz or .zst; a directory; or -
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present_any = ["benign", "attacks"])]
    requests: Vec<PathBuf>,
    /// Recorded requests that no rule should stop
    #[arg(long, value_name = "FILE", num_args = 1..)]
    benign: Vec<PathBuf>,
    /// Recorded attacks
    #[arg(long, value_name = "FILE", num_args = 1..)]
    attacks: Vec<PathBuf>,
    /// The rules.
    #[command(flatten)]
    rules: RuleArgs,
    /// How they are read.
    #[command(flatten)]
    reading: ReadingArgs,
    /// The lists that rules name.
    #[command(flatten)]
    lists: ListArgs,
    /// Do not show individual requests in the report
    #[arg(long)]
    no_samples: bool,
}

impl Run for WafRehearseArgs {
    const MATTERS: Matters = Matters { base: false, ..Matters::ALL };

    fn facts(&self) -> Facts<'_> {
        let against = self.against.as_deref().map(|path| (path, Takes::Snapshot));
        Facts {
            has_document: |document| document.requests.is_some(),
            files: against.into_iter().chain(self.spec.files()).collect(),
            ..Facts::online("waf")
        }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    fn check(&self, _global: &Global) -> Result<(), String> {
        let RecordingArgs { requests, benign, attacks, .. } = &self.recordings;
        check_standard_input(self.spec.spec.iter().chain(requests).chain(benign).chain(attacks))
    }

    /// Reads the rules of both sides, then the requests, and prints.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        // Mistakes in the names of files are told before Cloudflare is asked.
        let RecordingArgs { requests, benign, attacks, rules, reading, lists, no_samples } = &self.recordings;
        let rules = note_if_missing(rules.available()?, output);
        let sets = [(Set::Requests, requests.as_slice()), (Set::Benign, benign), (Set::Attacks, attacks)];
        let recordings = Recordings::open(&sets, rules, &reading.options(), !no_samples, &lists.read()?)?;
        let (goal, zones) = match &self.against {
            None => protection::of_spec(&self.spec, settings, output).await?,
            Some(file) => with_snapshot(file, self, settings, output).await?,
        };
        let report = recordings.rehearse(&goal, &zones, output)?.report;
        match output.format {
            Format::Json => output.json(&report)?,
            Format::Text => output.report(|out| write(out, &report))?,
            Format::Document(document) => {
                if let Some(write) = document.requests {
                    output.result(|out| write(out, &report))?;
                }
            }
        }
        Ok(Exit::Success)
    }
}

/// The protection of the zones of a spec, with a snapshot in the place of Cloudflare.
async fn with_snapshot(
    file: &Path,
    args: &WafRehearseArgs,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<(Goal, Vec<Protected>)> {
    let mut goal = load("waf", &args.spec, settings, output)?;
    let open = open_snapshot(file, &mut goal, args.max_snapshot_age, settings, output)?;
    let mut options = settings.options();
    options.read.account.clone_from(&open.snapshot.about().account);
    let zones = crate::reconcile::protection(&goal, &open.snapshot, &options.read).await?;
    Ok((goal, zones))
}
