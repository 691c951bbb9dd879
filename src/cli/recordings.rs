//! Recorded requests and the public OWASP rules, as commands are given them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use super::output::Output;
use crate::api::Reader;
use crate::crs;
use crate::insight::traffic::Set;
use crate::reconcile::{self, Goal, Planned, Protected, RehearsedRequests, RequestsToRehearse, rehearse_requests};
use crate::recorded;
use crate::seclang::RuleSet;

/// How requests are judged, recorded ones and expected ones.
#[derive(Debug, Args)]
pub(super) struct RequestArgs {
    /// Say what the plan does to recorded requests: HAR, JSON lines, Logpush, an access log, raw requests, or a directory
    #[arg(long, value_name = "FILE", num_args = 1..)]
    requests: Vec<PathBuf>,
    /// The host of requests whose recording does not tell it
    #[arg(long, value_name = "NAME", requires = "requests", hide_short_help = true)]
    host: Option<String>,
    /// How expected requests are judged.
    #[command(flatten)]
    pub(super) expected: ExpectedRequestArgs,
}

/// How expected requests are judged.
#[derive(Debug, Args)]
pub(super) struct ExpectedRequestArgs {
    /// The directory of the OWASP Core Rule Set: runs its rules on requests, so that the score takes part
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(super) crs: Option<PathBuf>,
    /// Fail if a request is expected to pass and something was not evaluated
    #[arg(long, hide_short_help = true)]
    pub(super) strict: bool,
}

impl ExpectedRequestArgs {
    /// The public rules, if their directory is named.
    ///
    /// # Errors
    /// They cannot be used.
    pub(super) fn rules(&self) -> anyhow::Result<Option<Arc<RuleSet>>> {
        Ok(self.crs.as_deref().map(crs::load).transpose()?.map(Arc::new))
    }
}

impl RequestArgs {
    /// Opens what is named.
    ///
    /// # Errors
    /// A file cannot be found, or the rules cannot be used.
    pub(super) fn open(&self, output: &Output) -> anyhow::Result<Foresight> {
        let rules = self.expected.rules()?;
        let recordings = match self.requests.as_slice() {
            [] => None,
            paths => {
                let sets = [(Set::Requests, paths)];
                let rules = rules.clone().map_or_else(|| installed_rules(output), |rules| Ok(Some(rules)))?;
                Some(Recordings::open(&sets, rules, self.host.as_deref(), false)?)
            }
        };
        Ok(Foresight { recordings, rules, is_strict: self.expected.strict })
    }
}

/// What is used to say what a plan does to requests.
#[derive(Default)]
pub(super) struct Foresight {
    recordings: Option<Recordings>,
    rules: Option<Arc<RuleSet>>,
    is_strict: bool,
}

impl Foresight {
    /// Adds to the options of a plan how expected requests are judged.
    pub(super) fn options(&self, options: reconcile::Options) -> reconcile::Options {
        let rules = self.rules.clone().map(|rules| rules as _);
        reconcile::Options { rules, is_strict: self.is_strict, ..options }
    }

    /// Rehearses a plan on the recordings, if there are some; what matters most is added to the plan of each zone.
    ///
    /// # Errors
    /// Cloudflare cannot be read, or a recording cannot be read any further.
    pub(super) async fn add_to<R: Reader>(
        self,
        planned: &mut Planned<'_>,
        reader: &R,
        output: &Output,
    ) -> anyhow::Result<()> {
        let Some(recordings) = self.recordings else { return Ok(()) };
        let goal = planned.goal;
        let zones = reconcile::protection(goal, reader, &planned.options.read).await;
        let zones = zones.context("failed to read the rules that recorded requests meet")?;
        let rehearsed = recordings.rehearse(goal, &zones, output)?;
        for zone in &mut planned.plan.zones {
            zone.impact.extend(rehearsed.report.headlines(zone.name.as_str()));
        }
        Ok(())
    }
}

/// Recordings that are open, with the rules to run on them.
pub(super) struct Recordings {
    requests: RequestsToRehearse,
    rules: Option<Arc<RuleSet>>,
}

impl Recordings {
    /// Opens recordings.
    ///
    /// # Errors
    /// A file cannot be found.
    pub(super) fn open(
        sets: &[(Set, &[PathBuf])],
        rules: Option<Arc<RuleSet>>,
        host: Option<&str>,
        has_examples: bool,
    ) -> anyhow::Result<Self> {
        let options = recorded::Options { host: host.map(str::to_owned), ..recorded::Options::default() };
        let named = sets.iter().filter(|(_, paths)| !paths.is_empty());
        let sets = named.map(|(set, paths)| Ok((*set, recorded::open(paths, &options)?)));
        let sets = sets.collect::<Result<Vec<_>, recorded::ReadError>>()?;
        Ok(Self { requests: RequestsToRehearse { sets, has_examples }, rules })
    }

    /// Follows the requests through the rules of some zones.
    ///
    /// # Errors
    /// A recording cannot be read any further.
    pub(super) fn rehearse(
        self,
        goal: &Goal,
        zones: &[Protected],
        output: &Output,
    ) -> anyhow::Result<RehearsedRequests> {
        let Self { requests, rules } = self;
        let mut heard = |done: u64| {
            if done.is_multiple_of(1024) {
                output.status(&format!("{done} requests"));
            }
        };
        let rehearsed = rehearse_requests(goal, zones, rules.as_deref(), requests, &mut heard)?;
        output.hide();
        for error in &rehearsed.unreadable {
            output.say(&format!("warning: {error}"));
        }
        Ok(rehearsed)
    }
}

/// The rules that a package has installed, if there is one.
///
/// # Errors
/// They cannot be used.
pub(super) fn installed_rules(output: &Output) -> anyhow::Result<Option<Arc<RuleSet>>> {
    let directory = Path::new(crs::DEBIAN_RULES);
    if !directory.is_dir() {
        output.say("note: the OWASP rules are not run: name their directory with --crs, or install modsecurity-crs");
        return Ok(None);
    }
    Ok(Some(Arc::new(crs::load(directory)?)))
}
