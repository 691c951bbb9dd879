//! Implements `waf explain`: shows why a request is stopped, and the ways to let it through. The
//! connection cannot write.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::Args;

use super::proposed_spec::{DAYS_OF_AN_EXCEPTION, after_days, spec_of};
use super::protection::{self, SettingArgs};
use super::request_argument::read_request;
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::recordings::{ReadingArgs, check_standard_input, find_in_each};
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{Format, Global};
use crate::cli::zone_source;
use crate::crs;
use crate::diagnostic::{Sources, has_secret_argument, sounds_secret};
use crate::document::waf_explain::Part;
use crate::insight::traffic::{Attacks, Hit, Hits, Protection, Ways, ways_to_let_through};
use crate::model::facts::owasp::ANOMALY_NUMBER;
use crate::model::request::{Body, Rate, Request, without_secrets};
use crate::model::ruleset::Note;
use crate::model::{DesiredZone, Gather, ZoneName};
use crate::reconcile::{Goal, protection_in_spec};
use crate::recorded::{self, Sample};
use crate::render::waf_explain::{Explained, document, write_explained};
use crate::seclang::{Evidence, RuleSet};
use crate::spec::print_waf;

/// Explain why the OWASP rules stop a request, and show the ways to let it through, least damage
/// first
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  zonewright waf explain \"curl \
        'https://www.example.com/search?q=1%27%20or%201=1'\" --spec zones/\n  zonewright waf \
        explain request.har --entry 3 --live example.com --redact\n  zonewright waf explain 942100 \
        941130 'GET https://www.example.com/search' --spec zones/")]
pub(super) struct WafExplainArgs {
    /// A `curl` command, or a method and an address, each in one argument; a file with a request
    /// (HAR, raw, JSON line), or - for standard input; numbers of rules
    #[arg(required = true, value_name = "REQUEST|RULE")]
    request: Vec<String>,
    /// The entry of a file with several requests, from 1 on
    #[arg(long, value_name = "N")]
    entry: Option<usize>,
    /// The settings.
    #[command(flatten)]
    settings: SettingArgs,
    /// Attacks to test the ways with, in place of the built-in ones; any form of recorded requests
    #[arg(long, value_name = "FILE", num_args = 1..)]
    attacks: Vec<PathBuf>,
    /// How requests are read.
    #[command(flatten)]
    reading: ReadingArgs,
    /// Show no bytes of the request; cookies, credentials and arguments that sound like secrets are
    /// never shown
    #[arg(long)]
    redact: bool,
    /// The way whose edit is shown
    #[arg(long, value_name = "N", default_value_t = 1)]
    way: usize,
    /// The reason to write into the edit
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Days until the edit expires
    #[arg(long, value_name = "DAYS", default_value_t = DAYS_OF_AN_EXCEPTION, value_parser = clap::value_parser!(u16).range(1..=3650))]
    days: u16,
}

impl Run for WafExplainArgs {
    const MATTERS: Matters = Matters { connection: true, ..Matters::SPEC };

    fn matters(&self) -> Matters {
        self.settings.matters(Self::MATTERS)
    }

    fn facts(&self) -> Facts<'_> {
        self.settings.facts()
    }

    fn check(&self, _global: &Global) -> Result<(), String> {
        self.settings.check_one()?;
        let request_files: Vec<PathBuf> = self.request.iter().map(PathBuf::from).collect();
        check_standard_input(request_files.iter().chain(&self.attacks).chain(&self.settings.spec))
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let subject = Asked::read(&self.request, self.entry, &self.reading.options())?;
        let rules = self.settings.rules.needed()?;
        let mut matches_found = find_rules(subject, &rules)?;
        let goal = zone_source::goal("waf", &self.settings.spec, settings, output)?;
        let setting = match (&goal, &self.settings.live) {
            (Some(goal), _) => Some(of_spec(goal, matches_found.request.as_ref(), &rules)?),
            (None, Some(zone)) => {
                let zones =
                    protection::of_names(std::slice::from_ref(zone), settings, output).await?;
                zones.into_iter().next().map(|zone| {
                    let protection = zone.for_requests();
                    Setting { zone: zone.name, whose: "live", protection, notes: Vec::new() }
                })
            }
            (None, None) => None,
        };
        // Without a request, exceptions are judged for the start page of the zone.
        let request = match (&matches_found.request, &setting) {
            (Some(request), _) => request.clone(),
            (None, Some(setting)) => {
                matches_found.notes.push(
                    "the request is unknown: give it as well to get exceptions for it".to_owned(),
                );
                Request::parse(&format!("GET https://{}/", setting.zone))?
            }
            (None, None) => Request::parse("GET https://example.com/")?,
        };
        let once = Rate { times: 1, seconds: 1 };
        let lists = self.settings.lists.read()?;
        let setting = setting.map(|setting| Setting {
            protection: setting.protection.with_lists(&lists),
            ..setting
        });
        let verdict = setting
            .as_ref()
            .map(|setting| setting.protection.verdict(&request, once, Some(&matches_found.hits)));
        let scoring = setting.as_ref().and_then(|setting| setting.protection.owasp());
        let ways = match (verdict.as_ref().and_then(|verdict| verdict.score.as_ref()), scoring) {
            (Some(score), Some(scoring)) => ways_to_let_through(
                score,
                scoring,
                &attacks(&self.attacks, &self.reading.options(), &rules, output)?,
            ),
            _ => Ways::default(),
        };
        let note = reason_and_last_day(self, &request, settings)?;
        let zone = setting.as_ref().map_or_else(String::new, |setting| setting.zone.to_string());
        let edits: Vec<String> = ways
            .ways
            .iter()
            .map(|way| spec_of(&zone, &print_waf(&way.edit(&request, &note))))
            .collect();
        if !edits.is_empty() && !(1..=edits.len()).contains(&self.way) {
            let (way, last) = (self.way, edits.len());
            let possible =
                if last == 1 { "only 1".to_owned() } else { format!("a number from 1 to {last}") };
            return Err(Ended::usage(format!(
                "--way {way} is not in the list of ways: {possible} is possible here"
            )));
        }
        matches_found
            .notes
            .extend(setting.iter().flat_map(|setting| setting.notes.iter().cloned()));
        let messages: BTreeMap<u32, &str> =
            rules.scoring().map(|rule| (rule.rule, rule.message)).gather();
        let explained = Explained {
            request: matches_found
                .request
                .as_ref()
                .map(|request| request_line(request, self.redact)),
            zone: setting.as_ref().map(|setting| (zone.as_str(), setting.whose)),
            hits: &matches_found.hits,
            messages: &messages,
            parts: matches_found
                .evidence
                .iter()
                .map(|evidence| (evidence.rule, redacted_part(evidence, self.redact)))
                .collect(),
            verdict: verdict.as_ref(),
            ways: &ways,
            edits: &edits,
            chosen: self.way,
            has_own_attacks: !self.attacks.is_empty(),
            is_request_known: matches_found.request.is_some(),
            notes: &matches_found.notes,
        };
        let no_sources = Sources::default();
        let sources = goal.as_ref().map_or(&no_sources, |goal| &goal.sources);
        output.hide();
        match output.format {
            Format::Json => output.json(&document(&explained, sources))?,
            Format::Text | Format::Document(_) => {
                output.report(|out| write_explained(out, &explained, sources))?
            }
        }
        Ok(Exit::Success)
    }
}

/// Subject of an explanation.
#[derive(Debug)]
enum Asked {
    Request(Box<Sample>),
    /// Rules by their numbers, with the request that they matched if it is known.
    Rules(Vec<u32>, Option<Box<Sample>>),
}

impl Asked {
    /// Reads the arguments: numbers of rules, and at most one request. `entry` selects a request of
    /// a file with several.
    ///
    /// # Errors
    /// A file cannot be read or has no request.
    fn read(
        words: &[String],
        entry: Option<usize>,
        options: &recorded::RecordingOptions,
    ) -> anyhow::Result<Self> {
        let mut numbers: Vec<u32> =
            words.iter().filter_map(|word| rules_in(word)).flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        // The dashboard also lists the rule that compares the score with the threshold.
        if numbers.len() > 1 {
            numbers.retain(|number| *number != ANOMALY_NUMBER);
        }
        let requests: Vec<&String> = words.iter().filter(|word| rules_in(word).is_none()).collect();
        let request = match requests.as_slice() {
            [] => None,
            [one] => Some(Box::new(read_request(one, entry, options)?)),
            [_, second, ..] => {
                let second = crate::model::request::clip(second);
                return Err(Ended::usage(format!(
                    "`{second}` is one request too many: write each request in one argument, in \
                    quotes"
                )));
            }
        };
        match (request, numbers.is_empty()) {
            (Some(request), true) => Ok(Self::Request(request)),
            (request, false) => Ok(Self::Rules(numbers, request)),
            (None, true) => Err(Ended::usage(
                "there is no request and no number of a rule: write one such as 942100",
            )),
        }
    }
}

/// Returns the rule numbers in an argument: a single number, or a number at the beginning of each
/// line, as in the dashboard's list of rules.
fn rules_in(word: &str) -> Option<Vec<u32>> {
    let number = |part: &str| {
        let is_one = part.len() == 6 && part.bytes().all(|byte| byte.is_ascii_digit());
        is_one.then(|| part.parse::<u32>().ok()).flatten()
    };
    let alone = word
        .split([',', ' ', '\n'])
        .filter(|part| !part.is_empty())
        .map(number)
        .collect::<Option<Vec<_>>>();
    let first = |line: &str| number(line.split([':', ' ', '\t']).next()?);
    let lines = word.lines().map(str::trim).filter(|line| !line.is_empty());
    alone.or_else(|| lines.map(first).collect()).filter(|numbers| !numbers.is_empty())
}

/// Runs the rules on attacks: on recorded ones from files, or on the built-in ones if there are no
/// files.
fn attacks(
    paths: &[PathBuf],
    options: &recorded::RecordingOptions,
    rules: &RuleSet,
    output: &Output,
) -> anyhow::Result<Attacks> {
    let mut attacks = Attacks::new();
    let mut add = |hits: Hits| *attacks.entry(hits.hits).or_default() += 1;
    if paths.is_empty() {
        let samples =
            crs::sample_attacks()?.into_iter().map(|request| Sample::of(request, "shapes"));
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

/// The settings and their owner.
struct Setting {
    zone: ZoneName,
    whose: &'static str,
    protection: Protection,
    notes: Vec<String>,
}

/// Matches of rules in the request.
struct RuleMatches {
    request: Option<Request>,
    hits: Hits,
    evidence: Vec<Evidence>,
    notes: Vec<String>,
}

/// Runs the rules on the request, or looks up the numbered rules.
fn find_rules(asked: Asked, rules: &RuleSet) -> anyhow::Result<RuleMatches> {
    let levels: BTreeMap<u32, u8> = rules.scoring().map(|rule| (rule.rule, rule.level)).gather();
    match asked {
        Asked::Request(sample) => {
            let (outcome, evidence) = rules.evaluator().explain(&sample.as_sent());
            let mut notes = Vec::new();
            let Request { has_all_headers, unsure_headers, body, .. } = &sample.request;
            let left_out: Vec<&str> = unsure_headers
                .iter()
                .map(String::as_str)
                .filter(|name| *name != "user-agent")
                .collect();
            if !has_all_headers {
                notes.push(
                    "the headers are not known: those of an ordinary browser are assumed"
                        .to_owned(),
                );
            }
            if !left_out.is_empty() {
                notes.push(format!("not recorded, so no rule ran on it: {}", left_out.join(", ")));
            }
            match body {
                Body::Unknown if *has_all_headers => {
                    notes.push("the body is not known: its rules did not run".to_owned())
                }
                Body::Partial(_) => notes.push("the end of the body is not known".to_owned()),
                Body::Unknown | Body::Known(_) => {}
            }
            Ok(RuleMatches {
                hits: crs::hits(rules, &outcome),
                request: Some(sample.request),
                evidence,
                notes,
            })
        }
        Asked::Rules(numbers, request) => {
            let hit = |number: &u32| {
                let level = levels.get(number);
                let level = *level.ok_or_else(|| {
                    anyhow!(
                        "rule {number} adds nothing to the score \
                    in these rules; name rules that contribute, as the dashboard lists them \
                    under \"Additional logs\""
                    )
                })?;
                Ok(Hit { rule: *number, level, score: crs::score(*number) })
            };
            let hits = Hits {
                hits: numbers.iter().map(hit).collect::<anyhow::Result<_>>()?,
                undecided: Vec::new(),
            };
            let notes = vec![
                "the scores are those of the public rules; if Cloudflare acted below this sum, \
                rules are missing from the list"
                    .to_owned(),
            ];
            Ok(RuleMatches {
                request: request.map(|sample| sample.request),
                hits,
                evidence: Vec::new(),
                notes,
            })
        }
    }
}

/// Returns the settings of a spec for the zone of the request, or for the only zone if there is no
/// request.
fn of_spec(goal: &Goal, request: Option<&Request>, rules: &RuleSet) -> anyhow::Result<Setting> {
    let desired = &goal.desired;
    let zone: &DesiredZone = match request {
        Some(request) => protection::zone_of(desired, request)?,
        None => match desired.zones.values().collect::<Vec<_>>().as_slice() {
            [zone] => zone,
            _ => bail!(
                "the spec has several zones: name the request as well, such as `GET \
                https://www.example.com/search`"
            ),
        },
    };
    let catalogue = Arc::new(crs::catalogue(rules));
    let protection = protection_in_spec(zone, Some(&catalogue));
    let notes =
        request.and_then(|request| protection::serving(desired, request)).into_iter().collect();
    Ok(Setting { zone: zone.name.clone(), whose: "spec", protection, notes })
}

/// Returns the reason and the last day of an edit.
fn reason_and_last_day(
    args: &WafExplainArgs,
    request: &Request,
    settings: &Settings<'_>,
) -> anyhow::Result<Note> {
    let usual = || format!("false positive on {} {}", request.method, request.path_seen());
    let reason = Some(args.reason.clone().unwrap_or_else(usual));
    Ok(Note { reason, expires: Some(after_days(settings, args.days)?), ..Note::default() })
}

/// Returns a request in one line.
fn request_line(request: &Request, redact: bool) -> String {
    match redact && !request.query.is_empty() {
        true => {
            let bare = Request { query: String::new(), ..request.clone() };
            format!("{bare}?… ({} bytes)", request.query.len())
        }
        false => without_secrets(request).to_string(),
    }
}

/// Returns the part of a request that a rule matched, without secrets.
fn redacted_part(evidence: &Evidence, redact: bool) -> Part {
    let Evidence { collection, key, is_count, matched, bytes, length, .. } = evidence;
    let key = String::from_utf8_lossy(key).to_ascii_lowercase();
    let text = String::from_utf8_lossy(matched).into_owned();
    let is_secret = match *collection {
        _ if *is_count => false,
        "REQUEST_COOKIES" | "FULL_REQUEST" | "AUTH_TYPE" => true,
        "ARGS" | "ARGS_GET" | "ARGS_POST" => sounds_secret(&key),
        "REQUEST_HEADERS" => sounds_secret(&key) || has_secret_argument(&text),
        // A value that other rules stored or matched may come from any part.
        "TX" | "MATCHED_VAR" | "MATCHED_VARS" | "RULE" => true,
        _ => has_secret_argument(&text),
    };
    Part {
        collection,
        key: String::from_utf8_lossy(&evidence.key).into_owned(),
        is_count: *is_count,
        text: (!redact && !is_secret).then_some(text),
        start: bytes.start,
        end: bytes.end,
        length: *length,
    }
}
