//! Implements `waf score`: runs the OWASP Core Rule Set on requests. Needs no spec and no zone.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::recordings::{ReadingArgs, check_standard_input, each};
use crate::cli::shared_arguments::Global;
use crate::crs;
use crate::model::Gather;
use crate::recorded::{self, Verbatim};
use crate::seclang::Outcome;

/// Score requests with the OWASP Core Rule Set: which rules match
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf score --crs coreruleset --requests requests.jsonl\n  zonewright waf score --requests - < requests.jsonl"
)]
pub(super) struct WafScoreArgs {
    /// The directory of the rules: crs-setup.conf (or its example) and rules/*.conf
    #[arg(long, value_name = "DIR", default_value = crs::DEBIAN_RULES)]
    crs: PathBuf,
    /// Requests as JSON lines, or in any form of recorded requests; - is standard input
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    requests: Vec<PathBuf>,
    /// How they are read.
    #[command(flatten)]
    reading: ReadingArgs,
}

impl Run for WafScoreArgs {
    const MATTERS: Matters = Matters::NOTHING;

    fn facts(&self) -> Facts<'_> {
        Facts::online("waf")
    }

    fn check(&self, _global: &Global) -> Result<(), String> {
        check_standard_input(&self.requests)
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        print_hits(self, session.output)
    }
}

/// Reads the rules, then prints a line for each request.
fn print_hits(args: &WafScoreArgs, output: &Arc<Output>) -> anyhow::Result<Exit> {
    let set = crs::load(&args.crs)?;
    let requests = recorded::open_verbatim(&args.requests, &args.reading.options())?;
    let mut evaluator = set.evaluator();
    let mut failure = None;
    output.result(|out| {
        let answered = each(requests, output, &mut |Verbatim { id, request }| {
            let line = serde_json::to_string(&HitsLine::of(&id, &evaluator.evaluate(&request)))?;
            Ok(writeln!(out, "{line}")?)
        });
        // The lines of requests before an unreadable one are printed.
        failure = match answered.map_err(anyhow::Error::downcast::<io::Error>) {
            Ok(_) => None,
            Err(Ok(of_output)) => return Err(of_output),
            Err(Err(error)) => Some(error),
        };
        Ok(())
    })?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Exit::Success),
    }
}

/// Result for a request, as a JSON line.
#[derive(Debug, Serialize)]
struct HitsLine<'a> {
    id: &'a str,
    hits: Vec<u32>,
    /// Score at each paranoia level.
    score: BTreeMap<u8, i64>,
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    undecided: &'a [u32],
}

impl<'a> HitsLine<'a> {
    fn of(id: &'a str, outcome: &'a Outcome) -> Self {
        Self {
            id,
            hits: outcome.hits.iter().map(|hit| hit.rule).collect(),
            score: (1..=4).map(|level| (level, outcome.score(level))).gather(),
            undecided: &outcome.undecided,
        }
    }
}
