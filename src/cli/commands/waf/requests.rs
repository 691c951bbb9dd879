//! Requests for the commands below `waf`: one that is asked about, or many in a file.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use jiff::Span;
use jiff::civil::Date;

use crate::cli::settings::Settings;
use crate::crs;
use crate::insight::traffic::Hits;
use crate::model::request::Request;
use crate::recorded::{self, Sample};
use crate::seclang::{self, RuleSet};

/// Errors of a file that are shown.
const MOST_ERRORS: usize = 3;
/// Where a request is from that was given as a `curl` command.
const CURL: &str = "curl";

/// What is asked about.
#[derive(Debug)]
pub(super) enum Asked {
    /// A request.
    Request(Box<Sample>),
    /// Rules by their numbers, with the request that they matched if it is named.
    Rules(Vec<u32>, Option<Box<Sample>>),
}

impl Asked {
    /// Reads arguments: numbers of rules, and at most one request; of a file with several, the entry.
    pub(super) fn read(words: &[String], entry: Option<usize>) -> anyhow::Result<Self> {
        let number = |word: &str| (word.len() == 6).then(|| word.parse::<u32>().ok()).flatten();
        let pasted = words.iter().flat_map(|word| word.split([',', ' ', '\n']).filter(|part| !part.is_empty()));
        let are_all_numbers =
            |word: &String| word.split([',', ' ', '\n']).all(|part| part.is_empty() || number(part).is_some());
        let mut numbers: Vec<u32> = pasted.filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let others: Vec<&String> = words.iter().filter(|word| !are_all_numbers(word)).collect();
        let request = match others.as_slice() {
            [] => None,
            [one] => Some(Box::new(one_of(one, entry)?)),
            [_, second, ..] => bail!(
                "`{}` is one request too many: write each request in one argument, in quotes",
                crate::model::request::clip(second)
            ),
        };
        match (request, numbers.is_empty()) {
            (Some(request), true) => Ok(Self::Request(request)),
            (request, false) => Ok(Self::Rules(numbers, request)),
            (None, true) => bail!("there is no request and no number of a rule: write one such as 942100"),
        }
    }
}

/// The request that an argument is or names.
fn one_of(word: &str, entry: Option<usize>) -> anyhow::Result<Sample> {
    if let Some(request) = request_of(word)? {
        return Ok(Sample::of(request, source_of(word)));
    }
    // What is not a name may hold credentials, and is not repeated.
    if word.trim().contains(char::is_whitespace) && !Path::new(word).exists() {
        bail!("the argument is no request and no file: write a `curl` command, or a method and an address");
    }
    let mut requests = recorded::open(&[Path::new(word).to_owned()], &recorded::Options::default())?;
    let first = requests.next().ok_or_else(|| anyhow!("{word} has no request"))?;
    match (entry, requests.next()) {
        (None | Some(1), None) => Ok(first?),
        (None, Some(Err(error))) if error.is_fatal => Err(first.err().unwrap_or(error).into()),
        (None, Some(_)) => bail!("{word} has several requests: name one with --entry, from 1 on"),
        (Some(0), _) => bail!("entries are numbered from 1 on"),
        (Some(1), Some(_)) => Ok(first?),
        (Some(2), Some(second)) => Ok(second?),
        (Some(entry), second) => {
            let rest = second.and_then(|_| requests.nth(entry - 3));
            Ok(rest.ok_or_else(|| anyhow!("{word} has no entry {entry}"))??)
        }
    }
}

/// The request that an argument is: a `curl` command, or a method and an address; `None` if it can only be a file.
fn request_of(word: &str) -> anyhow::Result<Option<Request>> {
    let word = word.trim();
    if word.starts_with("curl ") {
        return Ok(Some(Request::from_curl(word)?));
    }
    let is_address = word.split_whitespace().nth(1).is_some_and(|second| second.contains("://"));
    if is_address && !Path::new(word).exists() { Ok(Some(Request::parse(word)?)) } else { Ok(None) }
}

/// What a request is called that an argument is.
pub(super) fn source_of(word: &str) -> &'static str {
    if word.trim().starts_with("curl ") { CURL } else { "argument" }
}

/// A request as the rules take it. What `curl` itself sends is not in its command.
pub(super) fn as_sent(sample: &Sample) -> seclang::Request {
    let mut sent = sample.as_sent();
    if &*sample.place.source == CURL && sample.request.header("user-agent").is_none() {
        sent.headers.push((b"user-agent".to_vec(), b"curl/8.14.1".to_vec()));
    }
    sent
}

/// What the rules find in the requests of files.
pub(super) fn found(path: &Path, rules: &RuleSet) -> anyhow::Result<Vec<(Sample, Hits)>> {
    let mut evaluator = rules.evaluator();
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    for read in recorded::open(&[path.to_owned()], &recorded::Options::default())? {
        match read {
            Ok(sample) => {
                let hits = crs::hits(&evaluator.evaluate(&sample.as_sent()));
                all.push((sample, hits));
            }
            Err(error) if error.is_fatal => return Err(error.into()),
            Err(error) => errors.push(error.to_string()),
        }
    }
    if !errors.is_empty() {
        let count = errors.len();
        errors.truncate(MOST_ERRORS);
        bail!("{count} of the requests cannot be read: {}", errors.join("; "));
    }
    if all.is_empty() {
        bail!("{} has no requests", path.display());
    }
    Ok(all)
}

/// What the rules find in attacks: those of a file, or shapes of our own.
pub(super) fn attacks(path: Option<&Path>, rules: &RuleSet) -> anyhow::Result<Vec<Hits>> {
    match path {
        Some(path) => Ok(found(path, rules)?.into_iter().map(|(_, hits)| hits).collect()),
        None => {
            let mut evaluator = rules.evaluator();
            let shapes = crs::shapes()?.into_iter().map(|request| Sample::of(request, "shapes"));
            Ok(shapes.map(|sample| crs::hits(&evaluator.evaluate(&sample.as_sent()))).collect())
        }
    }
}

/// The day after so many days, `YYYY-MM-DD`.
///
/// # Errors
/// As [`Settings::today`].
pub(super) fn after_days(settings: &Settings<'_>, days: u16) -> anyhow::Result<String> {
    let today: Date = settings.today()?.parse().context("today is not a day")?;
    Ok(today.saturating_add(Span::new().days(i64::from(days))).to_string())
}

/// A spec with one section, which can be a file of its own beside the others.
pub(super) fn spec_of(zone: &str, section: &str) -> String {
    let lines = section.lines().map(|line| format!("      {line}\n")).collect::<String>();
    format!("version: 1\nzones:\n  {zone}:\n    waf:\n{lines}")
}
