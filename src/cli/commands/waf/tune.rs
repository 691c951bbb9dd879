//! Implements `waf tune`: finds the settings of the OWASP ruleset with the least damage. The
//! connection cannot write.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::Args;
use ring::digest::{Context, SHA256};

use super::proposed_spec::{DAYS_OF_TUNING, after_days, spec_of};
use super::protection::{self, SettingArgs};
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::load_spec::load_spec;
use crate::cli::options_in_help::Matters;
use crate::cli::recordings::{ReadingArgs, check_standard_input, find_in_each};
use crate::cli::shared_arguments::{Format, Global, SpecArgs};
use crate::crs;
use crate::diagnostic::count;
use crate::document::waf_tune::{Outcome, Tuned, TunedEntry, TunedRow, document};
use crate::insight::traffic::{
    Bounds, Hits, Load, Loads, Protection, Scored, Tuning, TuningRequests, acted_on, least_damage,
};
use crate::model::request::Rate;
use crate::model::ruleset::Note;
use crate::model::{Fqdn, ZoneName};
use crate::reconcile::protection_in_spec;
use crate::recorded::Sample;
use crate::render::waf_tune::write_tuned;
use crate::spec::print_waf;

/// Shares of benign requests, in millionths, for which the table has settings.
const TABLE_SHARES: [u32; 7] = [0, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000];
/// Number of recorded places that measure the breadth of exceptions: those with the lowest digests.
const MOST_PLACES: usize = 500;
/// Number of benign requests that are shown, of those that the proposed setting acts on.
const MOST_SHOWN: usize = 5;

/// Find OWASP settings that stop many attacks and hardly any benign request
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf tune --benign site.har --attacks attacks.jsonl --spec zones/\n  zonewright waf tune --benign site.har --attacks attacks.jsonl --tolerate 0.5% --live example.com\n  zonewright waf tune --benign logs/ --min-level 2 --max-threshold 25 --live example.com"
)]
pub(super) struct WafTuneArgs {
    /// Requests that must not be acted on, in any form of recorded requests
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    benign: Vec<PathBuf>,
    /// Requests that should be stopped
    #[arg(long, value_name = "FILE", num_args = 1..)]
    attacks: Vec<PathBuf>,
    /// Today's settings.
    #[command(flatten)]
    settings: SettingArgs,
    /// How requests are read.
    #[command(flatten)]
    reading: ReadingArgs,
    /// The lowest paranoia level to propose
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=4))]
    min_level: Option<u8>,
    /// The highest threshold to propose
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_threshold: Option<u32>,
    /// The most exceptions and disabled rules to propose
    #[arg(long, value_name = "N", default_value_t = Bounds::ENTRIES)]
    max_exceptions: usize,
    /// The share of benign requests that may be acted on, such as 0.5%
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = parse_share)]
    tolerate: u32,
    /// The setting of the table to propose, by its number
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    row: Option<u16>,
    /// The reason to write into the edit
    #[arg(long, value_name = "TEXT", default_value = "false positives on benign requests")]
    reason: String,
    /// Days until exceptions expire
    #[arg(long, value_name = "DAYS", default_value_t = DAYS_OF_TUNING, value_parser = clap::value_parser!(u16).range(1..=3650))]
    days: u16,
}

impl Run for WafTuneArgs {
    const MATTERS: Matters = Matters { connection: true, ..Matters::SPEC };

    fn matters(&self) -> Matters {
        self.settings.matters(Self::MATTERS)
    }

    fn facts(&self) -> Facts<'_> {
        self.settings.facts()
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.settings.missing()
    }

    fn check(&self, _global: &Global) -> Result<(), String> {
        self.settings.check_one()?;
        check_standard_input(self.benign.iter().chain(&self.attacks).chain(&self.settings.spec))?;
        let has_attacks = !self.attacks.is_empty();
        match (has_attacks, self.min_level, self.max_threshold) {
            (false, None, _) | (false, _, None) => Err(
                "without attacks, the best setting would switch everything off: give attacks with --attacks FILE, or a floor \
                 with --min-level LEVEL and --max-threshold SCORE"
                    .to_owned(),
            ),
            (true, _, Some(threshold)) if threshold < Bounds::THRESHOLDS.0 => {
                Err(format!("--max-threshold is at least {}, the score of one critical rule", Bounds::THRESHOLDS.0))
            }
            _ => Ok(()),
        }
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let rules = self.settings.rules.needed()?;
        let (zone, whose, protection) = match &self.settings.live {
            Some(live) => {
                let zones =
                    protection::of_names(std::slice::from_ref(live), settings, output).await?;
                let zone =
                    zones.into_iter().next().ok_or_else(|| anyhow!("there is no zone {live}"))?;
                let protection = zone.for_requests();
                (zone.name, "live", protection)
            }
            None => {
                let goal = load_spec(
                    "waf",
                    &SpecArgs { spec: self.settings.spec.clone() },
                    settings,
                    output,
                )?;
                let zones: Vec<_> = goal.desired.zones.values().collect();
                let [zone] = zones[..] else {
                    bail!("the spec has several zones: choose one with --zone NAME")
                };
                let catalogue = Arc::new(crs::catalogue(&rules));
                (zone.name.clone(), "spec", protection_in_spec(zone, Some(&catalogue)))
            }
        };
        let protection = protection.with_lists(&self.settings.lists.read()?);
        let Some(scoring) = protection.owasp() else {
            bail!(
                "{zone} has no OWASP deployment whose rules are known: add `waf: {{ owasp: {{ paranoia: 1 }} }}` to its spec first"
            );
        };
        let has_attacks = !self.attacks.is_empty();
        let highest = self.max_threshold.unwrap_or(Bounds::THRESHOLDS.1);
        // Without attacks, the weakest setting that the floor allows needs the fewest entries.
        let lowest = if has_attacks { Bounds::THRESHOLDS.0.min(highest) } else { highest };
        let lowest_level = self.min_level.unwrap_or(1);
        let highest_level = if has_attacks { 4 } else { lowest_level };
        let mut bounds = Bounds {
            levels: lowest_level..=highest_level,
            thresholds: lowest..=highest,
            entries: self.max_exceptions,
            tolerated: 0,
        };
        let read = |paths: &[PathBuf], is_benign: bool| {
            let mut halves = Halves::default();
            find_in_each(paths, &self.reading.options(), &rules, output, &mut |sample, hits| {
                halves.add(&sample, &hits, is_benign, &zone, &protection, &bounds)
            })?;
            if halves.seen.all + halves.unseen.all == 0 {
                bail!("{} has no request to a host of {zone}", joined_names(paths));
            }
            Ok(halves)
        };
        let benign = read(&self.benign, true)?;
        let attacks = if has_attacks { read(&self.attacks, false)? } else { Halves::default() };
        let (seen, seen_attacks) = (&benign.seen.loads, &attacks.seen.loads);
        let places: Loads = benign.places.into_values().map(|place| (place, 1)).collect();
        bounds.tolerated = part_of(benign.seen.all, self.tolerate);
        let found = least_damage(
            TuningRequests {
                benign: seen,
                all_benign: benign.seen.all,
                attacks: seen_attacks,
                places: &places,
            },
            &bounds,
            &TABLE_SHARES.map(|share| part_of(benign.seen.all, share)),
        );
        let note = Note {
            reason: Some(self.reason.clone()),
            expires: Some(after_days(settings, self.days)?),
            ..Note::default()
        };
        let row = |tuning: &Tuning| TunedRow {
            seen: (benign.seen.outcome(tuning), attacks.seen.outcome(tuning)),
            unseen: (benign.unseen.outcome(tuning), attacks.unseen.outcome(tuning)),
            exempt: tuning.exempted(&places),
            edit: spec_of(
                zone.as_str(),
                &print_waf(&tuning.edit(&note, (scoring.level(), scoring.threshold()))),
            ),
            tuning: tuning.clone(),
        };
        let rows: Vec<TunedRow> = found.rows.iter().map(row).collect();
        let proposed = match self.row {
            Some(number) => Some(usize::from(number) - 1).filter(|at| *at < rows.len()),
            None => found.rows.iter().position(|row| Some(row) == found.best.as_ref()),
        };
        let Some(proposed) = proposed else {
            if let (Some(number), false) = (self.row, rows.is_empty()) {
                bail!("there is no setting {number}: --row is at most {}", rows.len());
            }
            let least = rows.iter().map(|row| row.seen.0.then).min();
            bail!(
                "no setting spares {} of {} with at most {}{}: raise --max-exceptions, lower --min-level, raise \
                 --max-threshold, or accept some with --tolerate SHARE",
                if bounds.tolerated == 0 { "all" } else { "enough" },
                count(benign.seen.all, "benign request"),
                count(self.max_exceptions, "exception"),
                least.map_or_else(String::new, |least| format!(" (at least {least} are acted on)"))
            );
        };
        let tuning = &rows[proposed].tuning;
        let entry = |entry| {
            let without = tuning.without(entry);
            let only = Tuning { entries: vec![entry.clone()], ..tuning.clone() };
            TunedEntry {
                entry,
                // An entry never causes more requests to be stopped.
                spares: acted_on(&without, seen) - acted_on(tuning, seen),
                lets_through: acted_on(&without, seen_attacks) - acted_on(tuning, seen_attacks),
                lets_through_there: tuning.passing_at(entry, seen_attacks),
                places: only.exempted(&places),
            }
        };
        let still_acted_on = seen.keys().filter(|load| tuning.acts_on(load)).take(MOST_SHOWN);
        let tuned = Tuned {
            zone: zone.as_str(),
            whose,
            level: scoring.level(),
            threshold: scoring.threshold(),
            action: scoring.action(),
            rows: &rows,
            proposed,
            is_proven: found.is_proven,
            has_attacks,
            entries: tuning.entries.iter().map(entry).collect(),
            acted_on: still_acted_on.map(|load| (load, tuning.score(load))).collect(),
            places: places.len(),
            foreign: benign.foreign + attacks.foreign,
            unreached: benign.unreached + attacks.unreached,
            undecided: benign.undecided + attacks.undecided,
        };
        output.hide();
        match output.format {
            Format::Json => output.json(&document(&tuned))?,
            Format::Text | Format::Document(_) => output.report(|out| write_tuned(out, &tuned))?,
        }
        Ok(Exit::Success)
    }
}

/// Half of the requests of one kind.
#[derive(Default)]
struct Half {
    /// Number of requests.
    all: usize,
    /// Number of requests that are acted on today.
    today: usize,
    /// Requests that a setting could act on.
    loads: Loads,
}

/// Requests of one kind under today's setting, in two halves.
#[derive(Default)]
struct Halves {
    /// Requests that the search uses.
    seen: Half,
    /// Requests that test the result of the search.
    unseen: Half,
    /// Requests to other hosts.
    foreign: usize,
    /// Requests that never reach the ruleset.
    unreached: usize,
    /// Requests with rules that could not be decided.
    undecided: usize,
    /// Places of requests of the first half that reach the ruleset, by digest.
    places: BTreeMap<Vec<u8>, Load>,
}

impl Half {
    /// Returns the outcome of a tuning for the requests.
    fn outcome(&self, tuning: &Tuning) -> Outcome {
        Outcome { all: self.all, today: self.today, then: acted_on(tuning, &self.loads) }
    }
}

/// Joins the names of files for a message.
fn joined_names(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl Halves {
    /// Adds a request to the half that its digest selects, so that the order of requests has no
    /// influence. Undecided rules count as matching for benign requests and as not matching for
    /// attacks, so that the proposal holds in either case.
    ///
    /// # Errors
    /// The number of different requests exceeds the limit.
    fn add(
        &mut self,
        sample: &Sample,
        hits: &Hits,
        is_benign: bool,
        zone: &ZoneName,
        protection: &Protection,
        bounds: &Bounds,
    ) -> anyhow::Result<()> {
        let request = &sample.request;
        if !Fqdn::parse(&request.host).is_ok_and(|host| host.is_within(zone.as_fqdn())) {
            self.foreign += 1;
            return Ok(());
        }
        let verdict = protection.verdict(request, Rate { times: 1, seconds: 1 }, Some(hits));
        let acts = |score: &Scored| score.acts().unwrap_or(is_benign) && score.action != "log";
        let is_seen = is_seen(sample);
        let half = if is_seen { &mut self.seen } else { &mut self.unseen };
        half.all += 1;
        half.today += usize::from(verdict.score.as_ref().is_some_and(acts));
        let Some(score) = &verdict.score else {
            self.unreached += 1;
            return Ok(());
        };
        self.undecided += usize::from(!score.undecided.is_empty());
        let open = score.undecided.iter().filter(|_| is_benign);
        let counting =
            score.hits.iter().chain(open).filter(|hit| hit.could_count()).map(|hit| hit.hit);
        let hits = counting.filter(|hit| hit.level <= *bounds.levels.end()).collect();
        let load = Load {
            host: request.host.clone(),
            method: request.method.clone(),
            path: request.path_seen(),
            hits,
        };
        if is_seen {
            let parts = [&load.host, &load.method, &load.path];
            let place = Load { hits: Vec::new(), ..load.clone() };
            self.places.insert(digest(parts.into_iter().map(|part| part.as_bytes())), place);
            if self.places.len() > MOST_PLACES {
                self.places.pop_last();
            }
        }
        if bounds.could_act_on(&load) {
            *half.loads.entry(load).or_default() += 1;
            if half.loads.len() > Bounds::MOST_LOADS {
                bail!(
                    "more than {} requests differ in path and rules: give a part of the recording",
                    Bounds::MOST_LOADS
                );
            }
        }
        Ok(())
    }
}

/// Returns true if a request belongs to the first half: the lowest bit of the digest of its content
/// decides.
fn is_seen(sample: &Sample) -> bool {
    let sent = sample.as_sent();
    let headers = sent.headers.iter().flat_map(|(name, value)| [name, value]);
    let parts = [&sent.method, &sent.uri, &sent.body].into_iter().chain(headers);
    digest(parts.map(Vec::as_slice))[31] & 1 == 0
}

/// Returns the SHA-256 of texts with their lengths.
fn digest<'p>(parts: impl Iterator<Item = &'p [u8]>) -> Vec<u8> {
    let mut all = Context::new(&SHA256);
    for part in parts {
        all.update(&part.len().to_le_bytes());
        all.update(part);
    }
    all.finish().as_ref().to_vec()
}

/// Reads a share such as `0.5%`, in millionths.
fn parse_share(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match number {
        Some(percent) if (0.0..=100.0).contains(&percent) => {
            Ok((percent * 10_000.0).round() as u32)
        }
        _ => Err("write a percentage from 0% to 100%, such as 0.5%".to_owned()),
    }
}

/// Returns the number of requests that a share, in millionths, is of all of them.
fn part_of(requests: usize, share: u32) -> usize {
    requests * share as usize / 1_000_000
}
