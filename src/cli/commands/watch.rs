//! Implements `watch`: checks for drift continuously, at an interval. The connection cannot write.
//!
//! Each round reads the spec, the previous spec and the credentials anew, and opens a new
//! connection. A corrected spec or a renewed token is therefore used without a restart, and no
//! state grows. A failed round is reported, and the result of the last successful one stays.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

use super::{Facts, Run, Session};
use crate::api::{Stop, Webhook};
use crate::cli::drift_check::{
    Look, ReportingArgs, deliver, drift_document, exit, look, webhook, write_metrics,
};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::load_spec::{read_current_spec, with_base};
use crate::cli::metrics_server::{self, Health};
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{Format, Global, SpecArgs, parse_duration};
use crate::cli::signals;
use crate::diagnostic::{Diagnostics, Severity, count};
use crate::drift::Verdict;
use crate::model::time::rfc3339;
use crate::reconcile::InvalidSpec;
use crate::render::openmetrics;
use crate::render::safe::visible_json;
use crate::render::text::write_drift;

/// Time for open requests at the end.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// Check for drift continuously, with /metrics and /healthz
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright watch zones/ --interval 15m\n  zonewright watch zones/ \
        --base HEAD --listen 127.0.0.1:9184"
)]
pub(in crate::cli) struct WatchArgs {
    /// The spec. It is read again in each round, so it cannot be standard input.
    #[command(flatten)]
    spec: SpecArgs,
    /// What is reported, and where.
    #[command(flatten)]
    reporting: ReportingArgs,
    /// Time between the starts of two rounds, plus or minus a tenth
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = interval)]
    interval: Duration,
    /// Serve /metrics and /healthz at this address, such as 127.0.0.1:9184
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Stop after N rounds, with the exit code of `drift` for the last one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
}

impl Run for WatchArgs {
    fn facts(&self) -> Facts<'_> {
        Facts { is_signal_listener: true, files: self.spec.files(), ..Facts::online("watch") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        watch_drift(self, session.settings.flags, session.output).await
    }
}

/// Parses the interval, at most a month.
fn interval(text: &str) -> Result<Duration, String> {
    let longest = Duration::from_secs(31 * 24 * 3600);
    parse_duration(text).and_then(|time| {
        if time <= longest { Ok(time) } else { Err("write at most 31days".to_owned()) }
    })
}

/// Checks for drift until it is stopped.
async fn watch_drift(
    args: &WatchArgs,
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    if args.spec.spec.iter().any(|path| path == Path::new("-")) {
        let why = "the spec is read again in each round, and standard input can be read only once; \
            name a file";
        return Err(Ended::usage(why));
    }
    let settings = Settings::resolve(global);
    let webhook = webhook(&args.reporting, &settings)?;
    // Mistakes that no later round can fix are reported at once.
    if global.sandbox.is_none() {
        settings.credentials()?;
    }
    let stop = signals::stop(global)?;
    let health = Arc::new(Health::new(args.interval));
    let server = match args.listen {
        Some(address) => {
            let listener = TcpListener::bind(address)
                .await
                .with_context(|| format!("failed to listen on {address}"))?;
            let address = listener.local_addr()?;
            output.say(&format!("listening on http://{address}/metrics and /healthz"));
            if !address.ip().is_loopback() {
                output.message(&format!(
                    "warning: {address} is not a loopback address: anyone who reaches it can read \
                    the names of your zones \
                     and how they drift, without a password; allow only your monitoring system to \
                     connect"
                ));
            }
            Some(tokio::spawn(metrics_server::serve_metrics(
                listener,
                Arc::clone(&health),
                stop.clone(),
            )))
        }
        None => None,
    };
    let mut watcher = Watcher {
        args,
        global,
        output,
        webhook,
        health,
        requests: 0,
        shown: None,
        reported: None,
        last: Exit::Success,
    };
    let exit = rounds(&mut watcher, &stop).await;
    if let Some(server) = server {
        let end = server.abort_handle();
        // Responses that take longer are cut off.
        if stop.is_asked() && timeout(LAST_ANSWERS, server).await.is_ok() {
            return Ok(exit);
        }
        end.abort();
    }
    Ok(exit)
}

/// Runs all rounds.
async fn rounds(watcher: &mut Watcher<'_>, stop: &Stop) -> Exit {
    let mut number: u64 = 0;
    loop {
        let begun = Instant::now();
        number += 1;
        tokio::select! {
            // The first request to stop lets the round finish; the second does not.
            () = stop.asked(2) => return Exit::Error,
            () = watcher.round(number) => {}
        }
        if watcher.args.count == Some(number) {
            return watcher.last;
        }
        let pause = varied_interval(watcher.args.interval).saturating_sub(begun.elapsed());
        tokio::select! {
            biased;
            () = stop.asked(1) => return Exit::Success,
            () = sleep(pause) => {}
        }
    }
}

/// Varies an interval by up to a tenth, so that watches that started together do not keep sending
/// together.
fn varied_interval(interval: Duration) -> Duration {
    let random = RandomState::new().build_hasher().finish();
    let share = (random % 2001) as f64 / 10_000.0;
    interval.mul_f64(0.9 + share)
}

/// State between rounds.
struct Watcher<'a> {
    args: &'a WatchArgs,
    global: &'a Global,
    output: &'a Arc<Output>,
    webhook: Option<Webhook>,
    health: Arc<Health>,
    /// Number of requests so far.
    requests: u64,
    /// Fingerprint of the last report that was printed.
    shown: Option<u64>,
    /// Fingerprint of the findings that were last sent to the webhook.
    reported: Option<u64>,
    /// Exit code if the run ended now.
    last: Exit,
}

impl Watcher<'_> {
    /// Runs one round and reports its result in one line.
    async fn round(&mut self, number: u64) {
        let begun = Instant::now();
        let result = self.look().await;
        let clock = rfc3339(self.global.surroundings.clock()());
        match result {
            Ok(look) => {
                let view = look.view(&self.args.reporting);
                let line = format!(
                    "{clock} round {number}: {}: {} ({}, {:.1} s)",
                    view.verdict().as_str(),
                    view.counts(),
                    count(
                        usize::try_from(look.plan.requests_made).unwrap_or(usize::MAX),
                        "request"
                    ),
                    begun.elapsed().as_secs_f64()
                );
                self.last = exit(view.verdict(), Exit::Differences);
                if let Err(error) = self.report(&look).await {
                    self.output.error(&error);
                }
                self.output.say(&line);
            }
            Err(error) => {
                self.last = Exit::Error;
                self.output.error(&error.context(format!("{clock} round {number} failed")));
            }
        }
    }

    /// Reads the spec and checks for drift.
    async fn look(&mut self) -> anyhow::Result<Look> {
        let settings = &Settings::resolve(self.global);
        let goal = match read_current_spec(&self.args.spec, settings)? {
            Ok(goal) => with_base(goal, &self.args.spec, settings)?,
            Err(unusable) => {
                let InvalidSpec { diagnostics, sources } = *unusable;
                self.output.diagnostics(&diagnostics, &sources);
                bail!(
                    "the spec has mistakes: {}; no request was made",
                    diagnostics.count(Severity::Error)
                );
            }
        };
        look(goal, settings, self.output, &mut self.requests).await
    }

    /// Delivers the report to all receivers. A receiver that cannot be reached does not affect the
    /// others.
    async fn report(&mut self, look: &Look) -> anyhow::Result<()> {
        let reporting = &self.args.reporting;
        let view = look.view(reporting);
        if look.report.is_complete {
            self.health.note(openmetrics::drift(&look.report, self.requests));
        }
        let shown = self.show(look);
        let written = reporting
            .metrics
            .as_deref()
            .map(|path| write_metrics(path, &look.report, self.requests, self.output));
        if let Some(webhook) = &self.webhook {
            let is_found = look.report.count_of(&reporting.fail_on) > 0;
            let fingerprint = is_found.then(|| look.report.fingerprint(&reporting.fail_on));
            // Findings are reported once, and so is their end, unless the end is uncertain.
            let is_news =
                fingerprint != self.reported && (is_found || view.verdict() != Verdict::Incomplete);
            if (reporting.webhook_always || is_news)
                && deliver(webhook, &drift_document(&view), self.output).await
            {
                self.reported = fingerprint;
            }
        }
        shown?;
        written.transpose()?;
        Ok(())
    }

    /// Prints the report: a line each round as JSON, and only new content as text.
    fn show(&mut self, look: &Look) -> anyhow::Result<()> {
        let reporting = &self.args.reporting;
        let view = look.view(reporting);
        if self.output.format == Format::Json {
            let line = serde_json::to_string(&drift_document(&view))?;
            self.output.result(|out| writeln!(out, "{}", visible_json(&line)))?;
            return Ok(());
        }
        let fingerprint = look.report.fingerprint(crate::drift::State::ALL);
        if self.shown == Some(fingerprint) {
            return Ok(());
        }
        self.output.plan_diagnostics(&look.plan, &Diagnostics::default(), &look.goal.sources);
        self.output
            .report(|out| write_drift(out, &view, self.output.colour, self.output.verbose > 0))?;
        self.shown = Some(fingerprint);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_differ_by_a_tenth_at_most() {
        for _ in 0..1000 {
            let pause = varied_interval(Duration::from_secs(100)).as_secs_f64();
            assert!((90.0..=110.1).contains(&pause), "{pause}");
        }
        assert_eq!(varied_interval(Duration::ZERO), Duration::ZERO);
    }
}
