//! Implements `waf replay`: shows the effect of the plan on recorded requests. The connection
//! cannot write.

use std::path::PathBuf;

use clap::Args;

use super::protection;
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::load_spec::load_spec;
use crate::cli::options_in_help::Matters;
use crate::cli::recordings::{
    ListArgs, ReadingArgs, Recordings, RuleArgs, check_standard_input, note_if_missing,
};
use crate::cli::shared_arguments::{Format, Global, SpecArgs};
use crate::cli::snapshot_options::SnapshotOptions;
use crate::insight::traffic::Set;
use crate::reconcile::{self, OpenSnapshot};
use crate::render::waf_rehearsal::write;

/// Replay recorded requests: which ones the plan newly stops, and which it newly lets through
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf replay zones/ --requests requests.har logs/*.json.gz\n  zonewright waf replay zones/ --benign ordinary.jsonl --attacks attacks.jsonl --crs coreruleset --format html > rehearsal.html"
)]
pub(super) struct WafReplayArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// The recordings.
    #[command(flatten)]
    recordings: RecordingArgs,
    /// A snapshot.
    #[command(flatten)]
    against: SnapshotOptions,
}

/// Recorded requests.
#[derive(Debug, Args)]
struct RecordingArgs {
    /// Recorded requests: HAR, JSON lines, Logpush, an access log, raw requests, each also .gz or
    /// .zst; a directory; or -
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

impl Run for WafReplayArgs {
    const MATTERS: Matters = Matters { base: false, ..Matters::ALL };

    fn facts(&self) -> Facts<'_> {
        Facts {
            files: self.against.file().into_iter().chain(self.spec.files()).collect(),
            ..Facts::online("waf replay")
        }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    fn check(&self, _global: &Global) -> Result<(), String> {
        let RecordingArgs { requests, benign, attacks, .. } = &self.recordings;
        check_standard_input(self.spec.spec.iter().chain(requests).chain(benign).chain(attacks))
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        // Mistakes in file names are reported before Cloudflare is asked.
        let RecordingArgs { requests, benign, attacks, rules, reading, lists, no_samples } =
            &self.recordings;
        let rules = note_if_missing(rules.available()?, output);
        let sets =
            [(Set::Requests, requests.as_slice()), (Set::Benign, benign), (Set::Attacks, attacks)];
        let recordings =
            Recordings::open(&sets, rules, &reading.options(), !no_samples, &lists.read()?)?;
        let mut goal = load_spec("waf", &self.spec, settings, output)?;
        let zones = match self.against.open(&mut goal, settings, output)? {
            None => protection::of_goal(&goal, settings, output).await?,
            Some(OpenSnapshot { snapshot, .. }) => {
                reconcile::protection(&goal, &snapshot, &settings.options_for(&snapshot).read)
                    .await?
            }
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
