//! Requests for the commands below `waf`: one in an argument, or many in a file.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use jiff::Span;
use jiff::civil::Date;

use crate::cli::exit::Ended;
use crate::cli::output::Output;
use crate::cli::recordings::{each, no_requests};
use crate::cli::settings::Settings;
use crate::crs;
use crate::insight::traffic::{Attacks, Hits};
use crate::model::facts::owasp::ANOMALY_NUMBER;
use crate::model::request::{Request, RequestError};
use crate::recorded::{self, Sample};
use crate::seclang::RuleSet;

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
    ///
    /// # Errors
    /// A file cannot be read, or has no request.
    pub(super) fn read(words: &[String], entry: Option<usize>, options: &recorded::Options) -> anyhow::Result<Self> {
        let mut numbers: Vec<u32> = words.iter().filter_map(|word| rules_in(word)).flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        // The dashboard lists the rule that compares the score among those that contribute.
        if numbers.len() > 1 {
            numbers.retain(|number| *number != ANOMALY_NUMBER);
        }
        let others: Vec<&String> = words.iter().filter(|word| rules_in(word).is_none()).collect();
        let request = match others.as_slice() {
            [] => None,
            [one] => Some(Box::new(one_of(one, entry, options)?)),
            [_, second, ..] => {
                let second = crate::model::request::clip(second);
                return Err(Ended::usage(format!(
                    "`{second}` is one request too many: write each request in one argument, in quotes"
                )));
            }
        };
        match (request, numbers.is_empty()) {
            (Some(request), true) => Ok(Self::Request(request)),
            (request, false) => Ok(Self::Rules(numbers, request)),
            (None, true) => Err(Ended::usage("there is no request and no number of a rule: write one such as 942100")),
        }
    }
}

/// The numbers of rules that an argument has: alone, or each at the beginning of a line, as the dashboard shows rules with what they
/// look for.
fn rules_in(word: &str) -> Option<Vec<u32>> {
    let number = |part: &str| {
        let is_one = part.len() == 6 && part.bytes().all(|byte| byte.is_ascii_digit());
        is_one.then(|| part.parse::<u32>().ok()).flatten()
    };
    let alone = word.split([',', ' ', '\n']).filter(|part| !part.is_empty()).map(number).collect::<Option<Vec<_>>>();
    let first = |line: &str| number(line.split([':', ' ', '\t']).next()?);
    let lines = word.lines().map(str::trim).filter(|line| !line.is_empty());
    alone.or_else(|| lines.map(first).collect()).filter(|numbers| !numbers.is_empty())
}

/// The request that an argument is or names.
fn one_of(word: &str, entry: Option<usize>, options: &recorded::Options) -> anyhow::Result<Sample> {
    if let Some(request) = request_of(word).map_err(|error| Ended::Usage(error.to_string()))? {
        return Ok(Sample::of(request, "argument"));
    }
    // What is not a name may hold credentials, and is not repeated.
    if word.trim().contains(char::is_whitespace) && !Path::new(word).exists() {
        let why = "the argument is neither a request nor a file: write a `curl` command, or a method and an address";
        return Err(Ended::usage(why));
    }
    let named = if word == "-" { "standard input" } else { word };
    let mut requests = recorded::open(&[Path::new(word).to_owned()], options)?;
    let first = requests.next().ok_or_else(|| anyhow!("{named} has no request"))?;
    match (entry, requests.next()) {
        (None | Some(1), None) => Ok(first?),
        (None, Some(Err(error))) if error.is_fatal => Err(first.err().unwrap_or(error).into()),
        (None, Some(_)) => Err(Ended::usage(format!("{named} has several requests: name one with --entry, from 1 on"))),
        (Some(0), _) => Err(Ended::usage("entries are numbered from 1 on")),
        (Some(1), Some(_)) => Ok(first?),
        (Some(2), Some(second)) => Ok(second?),
        (Some(entry), second) => match second.and_then(|_| requests.nth(entry - 3)) {
            Some(found) => Ok(found?),
            None => Err(Ended::usage(format!("{named} has no entry {entry}"))),
        },
    }
}

/// The request that an argument is: a `curl` command, or a method and an address; `None` if it can only be a file.
fn request_of(word: &str) -> Result<Option<Request>, RequestError> {
    let word = word.trim();
    if word.starts_with("curl ") {
        return Request::from_curl(word).map(Some);
    }
    let is_address = word.split_whitespace().nth(1).is_some_and(|second| second.contains("://"));
    if is_address && !Path::new(word).exists() { Request::parse(word).map(Some) } else { Ok(None) }
}

/// Tells what the rules find in each request of files, one after the other.
///
/// # Errors
/// A file cannot be read any further, there is no request, or `heard` fails.
pub(super) fn find_in_each(
    paths: &[PathBuf],
    options: &recorded::Options,
    rules: &RuleSet,
    output: &Output,
    heard: &mut dyn FnMut(Sample, Hits) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut evaluator = rules.evaluator();
    let requests = recorded::open(paths, options)?;
    let count = each(requests, output, &mut |sample: Sample| {
        let hits = crs::hits(rules, &evaluator.evaluate(&sample.as_sent()));
        heard(sample, hits)
    })?;
    if count == 0 { Err(no_requests(paths)) } else { Ok(()) }
}

/// What the rules find in attacks: those of files, or shapes of our own if there are none.
pub(super) fn attacks(
    paths: &[PathBuf],
    options: &recorded::Options,
    rules: &RuleSet,
    output: &Output,
) -> anyhow::Result<Attacks> {
    let mut attacks = Attacks::new();
    let mut add = |hits: Hits| *attacks.entry(hits.hits).or_default() += 1;
    if paths.is_empty() {
        let samples = crs::sample_attacks()?.into_iter().map(|request| Sample::of(request, "shapes"));
        let mut evaluator = rules.evaluator();
        samples.for_each(|sample| add(crs::hits(rules, &evaluator.evaluate(&sample.as_sent()))));
    } else {
        find_in_each(paths, options, rules, output, &mut |_, hits| {
            add(hits);
            Ok(())
        })?;
    }
    Ok(attacks)
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
