//! Implements `doctor`: shows what the credentials permit and what a spec needs. The connection
//! cannot write.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::{Facts, Run, Session};
use crate::api::SeenHeaders;
use crate::cli::connection::{Access, OpenConnection};
use crate::cli::exit_codes::Exit;
use crate::cli::file_kinds::Takes;
use crate::cli::load_spec::load_spec;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{Format, SpecArgs};
use crate::doctor::{Question, clock, examine};
use crate::document::doctor::{Connection, RateLimit, Requests, Spec, Sufficiency};
use crate::insight::waf::lock::Lock;
use crate::reconcile::{Base, Goal, Source, pattern, waf_lock};
use crate::render::text::write_doctor;

/// Show what the credentials may do, and what the spec needs
///
/// Only reads, so for most writes it cannot tell whether they are allowed. Exits with 1 if
/// something that the spec needs is refused, or if Cloudflare does not answer.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  zonewright doctor\n  zonewright doctor zones/ --probe-writes")]
pub(in crate::cli) struct DoctorArgs {
    /// Spec: files, directories, or `-`; without one, every zone that the credentials see
    #[arg(value_name = "SPEC")]
    spec: Vec<PathBuf>,
    /// Also ask Cloudflare by dry runs whether rulesets may be written; nothing is changed
    #[arg(long)]
    probe_writes: bool,
}

impl Run for DoctorArgs {
    fn matters(&self) -> Matters {
        if self.spec.is_empty() { Matters::ONLINE } else { Self::MATTERS }
    }

    fn facts(&self) -> Facts<'_> {
        let files = self.spec.iter().map(|path| (path.as_path(), Takes::Spec)).collect();
        Facts { files, ..Facts::online("doctor") }
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let goal = if self.spec.is_empty() {
            None
        } else {
            let spec = SpecArgs { spec: self.spec.clone() };
            Some(read_spec(&spec, settings, output)?)
        };
        let patterns = settings.flags.zone.iter().map(|text| {
            pattern(text).with_context(|| format!("--zone {text:?} is not a name or a glob"))
        });
        let patterns = patterns.collect::<anyhow::Result<Vec<_>>>()?;
        let lock = goal.as_ref().and_then(|(goal, _)| lock_beside_spec(goal));
        let access = Access::Probe { asks: self.probe_writes };
        let zones = goal.iter().flat_map(|(goal, _)| goal.needed_zones());
        let connection = OpenConnection::open(settings, access, output, zones).await?;
        let question = Question {
            secret: connection.secret,
            desired: goal.as_ref().map(|(goal, _)| &goal.desired),
            patterns: &patterns,
            lock: lock.as_ref(),
        };
        let options = connection.options(settings, output).read;
        let examined =
            examine(&connection.reader, connection.checker.as_ref(), &question, &options).await;
        let (seen, requests, host, proxy) = (
            connection.reader.seen(),
            connection.requests(),
            connection.host.clone(),
            connection.proxy.clone(),
        );
        connection.close().await;
        output.hide();
        let mut report = examined?;
        report.connection = describe_connection(host, proxy, seen);
        report.spec = goal.map(|(_, spec)| spec);
        report.requests = Requests { made: requests };
        let report = report.judged();
        match output.format {
            Format::Json => output.json(&report)?,
            Format::Text | Format::Document(_) => {
                output.report(|out| write_doctor(out, &report))?
            }
        }
        Ok(match report.verdict {
            Sufficiency::Sufficient | Sufficiency::Unknown if report.is_answered() => Exit::Success,
            Sufficiency::Sufficient | Sufficiency::Unknown | Sufficiency::Insufficient => {
                Exit::Error
            }
        })
    }
}

/// Reads the spec. Also returns whether it has a previous version: `--base`, or else the last
/// commit.
fn read_spec(
    spec: &SpecArgs,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<(Goal, Spec)> {
    let goal = load_spec("doctor", spec, settings, output)?;
    let (base, why_no_base) = match goal.base() {
        Some(base) => (Some(base.source.to_string()), None),
        None => match Base::load("HEAD", &spec.spec, &settings.base_options()?) {
            Ok(base) => (Some(base.source.to_string()), None),
            Err(error) => (None, Some(format!("{:#}", anyhow::Error::new(error)))),
        },
    };
    let about = Spec { files: goal.files, base, why_no_base };
    Ok((goal, about))
}

/// Returns the lock file beside the spec; empty if there is none or it is unreadable, which `plan`
/// reports.
fn lock_beside_spec(goal: &Goal) -> Option<Lock> {
    let Source::Spec(spec) = &goal.source else { return None };
    Lock::parse(&waf_lock::read_text(&spec.lock).ok()?).ok()
}

/// Describes the connection to Cloudflare.
fn describe_connection(host: String, proxy: Option<String>, seen: SeenHeaders) -> Connection {
    let SeenHeaders { limits, clock_offset } = seen;
    let limits = limits.into_iter().map(|(name, limit)| RateLimit {
        name,
        remaining: limit.remaining,
        reset_seconds: limit.reset,
        quota: limit.quota,
        window_seconds: limit.window,
    });
    Connection { host, proxy, clock: clock(clock_offset), rate_limits: limits.collect() }
}
