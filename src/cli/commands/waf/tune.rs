//! `waf tune`: the setting of the OWASP ruleset with the least damage. Holds no means of writing to Cloudflare.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::Args;
use sha2::{Digest, Sha256};

use super::protection::{self, SettingArgs};
use super::requests::{after_days, found, spec_of};
use crate::cli::args::{Format, Global, SpecArgs};
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit::Exit;
use crate::cli::load::load;
use crate::cli::output::Output;
use crate::cli::recordings::{ReadingArgs, check_standard_input};
use crate::cli::relevance::Matters;
use crate::cli::settings::Settings;
use crate::crs;
use crate::diagnostic::count;
use crate::insight::traffic::{Bounds, Hit, Hits, Load, Protection, Scored, least_damage};
use crate::model::request::Rate;
use crate::model::ruleset::Note;
use crate::model::{Fqdn, ZoneName};
use crate::reconcile::protection_in_spec;
use crate::recorded::Sample;
use crate::render::tune::{Outcome, Tuned, document, write_tuned};
use crate::spec::print_waf;

/// The thresholds that are tried: from that of the Core Rule Set itself to Cloudflare's lowest sensitivity.
const THRESHOLDS: (u32, u32) = (5, 60);
/// Entries that are proposed at most, unless another number is given.
const ENTRIES: usize = 5;

/// Find the OWASP setting that stops no benign request and the most attacks
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf tune --benign site.har --attacks attacks.jsonl --spec zones/\n  zonewright waf tune --benign logs/ --min-level 2 --max-threshold 25 --live example.com"
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
    #[arg(long, value_name = "N", default_value_t = ENTRIES)]
    max_exceptions: usize,
    /// The reason to write into the edit
    #[arg(long, value_name = "TEXT", default_value = "false alarms on benign requests")]
    reason: String,
    /// Days until exceptions expire
    #[arg(long, value_name = "DAYS", default_value_t = 90, value_parser = clap::value_parser!(u16).range(1..=3650))]
    days: u16,
}

impl Run for WafTuneArgs {
    const MATTERS: Matters = Matters { connection: true, ..Matters::SPEC };

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
            (true, _, Some(threshold)) if threshold < THRESHOLDS.0 => {
                Err(format!("--max-threshold is at least {}, the score of one critical rule", THRESHOLDS.0))
            }
            _ => Ok(()),
        }
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        run(self, settings, output).await
    }
}

/// Requests of one kind under today's setting, in two halves.
#[derive(Default)]
struct Halves {
    /// Those that the search sees, and those that judge it; each with whether it is acted on today.
    seen: Vec<(Load, bool)>,
    unseen: Vec<(Load, bool)>,
    /// Requests to other hosts.
    foreign: usize,
    /// Requests that never reach the ruleset.
    unreached: usize,
    /// Requests with rules that could not be decided.
    undecided: usize,
}

/// Reads, searches and prints.
async fn run(args: &WafTuneArgs, settings: &Settings<'_>, output: &Arc<Output>) -> anyhow::Result<Exit> {
    let rules = args.settings.rules.needed()?;
    let (zone, whose, protection) = match &args.settings.live {
        Some(live) => {
            let zones = protection::of_names(std::slice::from_ref(live), settings, output).await?;
            let (zone, waf, _) = zones.into_iter().next().ok_or_else(|| anyhow!("there is no zone {live}"))?;
            (zone, "live", Protection::new(&waf, |_, _| None))
        }
        None => match load("waf", &SpecArgs { spec: args.settings.spec.clone() }, settings, output)? {
            Err(exit) => return Ok(exit),
            Ok(goal) => match goal.desired.zones.values().collect::<Vec<_>>().as_slice() {
                [zone] => {
                    let catalogue = Arc::new(crs::catalogue(&rules));
                    (zone.name.clone(), "spec", protection_in_spec(zone, Some(&catalogue)))
                }
                _ => bail!("the spec has several zones: choose one with --zone NAME"),
            },
        },
    };
    let Some(scoring) = protection.owasp() else {
        bail!(
            "{zone} has no OWASP deployment whose rules are known: add `waf: {{ owasp: {{ paranoia: 1 }} }}` to its spec first"
        );
    };
    let read = |paths: &[PathBuf], is_benign: bool| {
        let found = found(paths, &args.reading.options(), &rules, output)?;
        let halves = halves(found, is_benign, &zone, &protection);
        if halves.seen.len() + halves.unseen.len() == 0 {
            bail!("{} has no request to a host of {zone}", names(paths));
        }
        Ok(halves)
    };
    let has_attacks = !args.attacks.is_empty();
    let benign = read(&args.benign, true)?;
    let attacks = if has_attacks { read(&args.attacks, false)? } else { Halves::default() };
    let loads = |half: &[(Load, bool)]| half.iter().map(|(load, _)| load.clone()).collect::<Vec<_>>();
    let (seen, unseen) = (loads(&benign.seen), loads(&benign.unseen));
    let (seen_attacks, unseen_attacks) = (loads(&attacks.seen), loads(&attacks.unseen));
    let highest = args.max_threshold.unwrap_or(THRESHOLDS.1);
    // Without attacks the weakest setting that the floor allows needs the fewest entries.
    let lowest = if has_attacks { THRESHOLDS.0.min(highest) } else { highest };
    let least = args.min_level.unwrap_or(1);
    let most = if has_attacks { 4 } else { least };
    let bounds = Bounds { levels: least..=most, thresholds: lowest..=highest, entries: args.max_exceptions };
    let Some(tuning) = least_damage(&seen, &seen_attacks, &bounds) else {
        bail!(
            "no setting spares all {} with at most {}: raise --max-exceptions, lower --min-level, or raise --max-threshold",
            count(seen.len(), "benign request"),
            count(args.max_exceptions, "exception")
        );
    };
    let today = |half: &[(Load, bool)]| half.iter().filter(|(_, acted)| *acted).count();
    let then = |half: &[Load]| half.iter().filter(|load| tuning.acts_on(load)).count();
    let outcome =
        |half: &[(Load, bool)], loads: &[Load]| Outcome { all: half.len(), today: today(half), then: then(loads) };
    let note =
        Note { reason: Some(args.reason.clone()), expires: Some(after_days(settings, args.days)?), ..Note::default() };
    let edit = spec_of(zone.as_str(), &print_waf(&tuning.edit(&note, (scoring.level(), scoring.threshold()))));
    let tuned = Tuned {
        zone: zone.as_str(),
        whose,
        level: scoring.level(),
        threshold: scoring.threshold(),
        action: scoring.action(),
        tuning: &tuning,
        seen: (outcome(&benign.seen, &seen), outcome(&attacks.seen, &seen_attacks)),
        unseen: (outcome(&benign.unseen, &unseen), outcome(&attacks.unseen, &unseen_attacks)),
        has_attacks,
        entries: tuning
            .entries
            .iter()
            .map(|entry| {
                let without = tuning.without(entry);
                let needs = |load: &&Load| without.acts_on(load);
                let lost = |load: &&Load| without.acts_on(load) && !tuning.acts_on(load);
                let spared = seen.iter().filter(needs).count();
                let costs = seen_attacks.iter().filter(lost).count();
                (entry, spared, costs, tuning.passing_at(entry, &seen_attacks))
            })
            .collect(),
        foreign: benign.foreign + attacks.foreign,
        unreached: benign.unreached + attacks.unreached,
        undecided: benign.undecided + attacks.undecided,
        edit: &edit,
    };
    output.hide();
    match output.format {
        Format::Json => output.json(&document(&tuned))?,
        Format::Text | Format::Document(_) => output.result(|out| write_tuned(out, &tuned))?,
    }
    Ok(Exit::Success)
}

/// Names of files in a message.
fn names(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Divides requests by a digest, so that their order has no influence. Rules that could not be decided count for benign requests, and
/// not for attacks: what is proposed holds whether they match or not.
fn halves(found: Vec<(Sample, Hits)>, is_benign: bool, zone: &ZoneName, protection: &Protection) -> Halves {
    let once = Rate { times: 1, seconds: 1 };
    let mut halves = Halves::default();
    for (sample, hits) in found {
        let request = &sample.request;
        if !Fqdn::parse(&request.host).is_ok_and(|host| host.is_within(zone.as_fqdn())) {
            halves.foreign += 1;
            continue;
        }
        let verdict = protection.verdict(request, once, Some(&hits));
        let counting = verdict.score.as_ref().map(|score| {
            let open = score.undecided.iter().filter(|_| is_benign);
            score.hits.iter().chain(open).filter(|hit| hit.could_count()).map(|hit| hit.hit).collect::<Vec<Hit>>()
        });
        halves.unreached += usize::from(counting.is_none());
        halves.undecided += usize::from(verdict.score.as_ref().is_some_and(|score| !score.undecided.is_empty()));
        let acts = |score: &Scored| score.acts().unwrap_or(is_benign) && score.action != "log";
        let acts = verdict.score.as_ref().is_some_and(acts);
        let load = Load { host: request.host.clone(), path: request.path_seen(), hits: counting.unwrap_or_default() };
        let half = if is_seen(&sample) { &mut halves.seen } else { &mut halves.unseen };
        half.push((load, acts));
    }
    halves
}

/// The half that a request belongs to: the lowest bit of the SHA-256 of what rules see of it.
fn is_seen(sample: &Sample) -> bool {
    let sent = sample.as_sent();
    let mut digest = Sha256::new();
    for part in [&sent.method, &sent.uri, &sent.body] {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    for (name, value) in &sent.headers {
        digest.update(name);
        digest.update(value);
    }
    digest.finalize()[31] & 1 == 0
}
