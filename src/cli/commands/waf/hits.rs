//! `waf hits`: runs the OWASP Core Rule Set on requests. Needs no spec and no zone.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::relevance::Matters;
use crate::crs;
use crate::seclang::{Evaluator, Outcome, Request};

/// Bytes of a line: a body of 100 MB in base64, plus the rest.
const LONGEST_LINE: u64 = 160 << 20;

/// A request as it is written in a line.
#[derive(Debug, Deserialize)]
struct Line<'a> {
    id: String,
    method: String,
    uri: String,
    #[serde(default = "usual_version")]
    version: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    /// In base64; not copied, as it can be large.
    #[serde(default, borrow)]
    body: Cow<'a, str>,
}

fn usual_version() -> String {
    "HTTP/1.1".to_owned()
}

/// Run the OWASP Core Rule Set on requests: which rules match, and the score
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf hits --crs coreruleset --requests requests.jsonl\n  zonewright waf hits --requests - < requests.jsonl"
)]
pub(super) struct WafHitsArgs {
    /// The directory of the rules: crs-setup.conf (or its example) and rules/*.conf
    #[arg(long, value_name = "DIR", default_value = crs::DEBIAN_RULES)]
    crs: PathBuf,
    /// Requests as JSON lines; - is standard input
    #[arg(long, value_name = "FILE")]
    requests: PathBuf,
}

impl Run for WafHitsArgs {
    const MATTERS: Matters = Matters::NOTHING;

    fn facts(&self) -> Facts<'_> {
        Facts::online("waf")
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        run(self, session.output)
    }
}

/// Reads the rules, then answers each request with a line.
fn run(args: &WafHitsArgs, output: &Arc<Output>) -> anyhow::Result<Exit> {
    let set = crs::load(&args.crs)?;
    let name = args.requests.display().to_string();
    let requests: Box<dyn Read> = if args.requests.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(&args.requests).with_context(|| format!("cannot open {name}"))?)
    };
    let mut evaluator = set.evaluator();
    let mut failure = None;
    output.result(|out| {
        failure = evaluate_all(BufReader::new(requests), &name, &mut evaluator, out)?;
        Ok(())
    })?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Exit::Success),
    }
}

/// Answers requests until one cannot be read. The outer error is that of the output.
fn evaluate_all(
    mut requests: impl BufRead,
    name: &str,
    evaluator: &mut Evaluator<'_>,
    out: &mut dyn Write,
) -> io::Result<Option<anyhow::Error>> {
    let mut text = Vec::new();
    for number in 1_usize.. {
        text.clear();
        if let Err(error) = requests.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text) {
            return Ok(Some(anyhow!(error).context(format!("cannot read {name}"))));
        }
        if text.is_empty() {
            break;
        }
        if text.trim_ascii().is_empty() {
            continue;
        }
        match read(&text) {
            Ok((id, request)) => {
                let line = serde_json::to_string(&HitsLine::of(&id, &evaluator.evaluate(&request)))?;
                writeln!(out, "{line}")?;
            }
            Err(error) => return Ok(Some(error.context(format!("{name}:{number}: not a request")))),
        }
    }
    Ok(None)
}

/// A line as a request with its id.
fn read(text: &[u8]) -> anyhow::Result<(String, Request)> {
    if text.len() as u64 == LONGEST_LINE && !text.ends_with(b"\n") {
        bail!("the line is longer than {} MiB; leave large bodies out", LONGEST_LINE >> 20);
    }
    let line: Line<'_> = serde_json::from_slice(text)?;
    let body = BASE64.decode(line.body.as_bytes()).context("`body` is not base64")?;
    let headers = line.headers.into_iter().map(|(name, value)| (name.into_bytes(), value.into_bytes())).collect();
    let Line { id, method, uri, version, .. } = line;
    Ok((id, Request { method: method.into_bytes(), uri: uri.into_bytes(), version, headers, body }))
}

/// What came of a request, as a line.
#[derive(Debug, Serialize)]
struct HitsLine<'a> {
    id: &'a str,
    hits: Vec<u32>,
    /// The score at each paranoia level.
    score: BTreeMap<u8, i64>,
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    undecided: &'a [u32],
}

impl<'a> HitsLine<'a> {
    fn of(id: &'a str, outcome: &'a Outcome) -> Self {
        Self {
            id,
            hits: outcome.hits.iter().map(|hit| hit.rule).collect(),
            score: (1..=4).map(|level| (level, outcome.score(level))).collect(),
            undecided: &outcome.undecided,
        }
    }
}
