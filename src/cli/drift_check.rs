//! Checks for drift once and delivers the report. Shared by `drift` and `watch`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use anyhow::Context;
use clap::Args;
use secrecy::SecretString;

use super::connection::{Access, OpenConnection};
use super::exit_codes::{Ended, Exit};
use super::files::{self, Readers};
use super::output::Output;
use super::settings::Settings;
use super::shared_arguments::duration_in_words;
use crate::api::{WEBHOOK_TIMEOUT, Webhook};
use crate::document::drift::Drift as DriftDocument;
use crate::drift::{Report, State, Verdict};
use crate::model::Live;
use crate::plan::Plan;
use crate::reconcile::{self, Drift, Goal};
use crate::render::{DriftView, openmetrics};

/// What is reported, and where.
#[derive(Debug, Args)]
pub(super) struct ReportingArgs {
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = state, help = states_in_help(),
          default_value = default_states())]
    pub fail_on: Vec<State>,
    /// Write metrics to FILE, as OpenMetrics text
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// POST the JSON report to URL if there are findings [env: ZONEWRIGHT_WEBHOOK or
    /// ZONEWRIGHT_WEBHOOK_FILE]
    #[arg(long, value_name = "URL", value_parser = secret)]
    pub webhook: Option<SecretString>,
    /// Send the report even without findings
    #[arg(long)]
    pub webhook_always: bool,
    /// Wait at most DURATION for a response of the webhook
    #[arg(long, value_name = "DURATION", default_value_t = WEBHOOK_TIMEOUT.into(), value_parser = duration_in_words)]
    pub webhook_timeout: humantime::Duration,
}

/// Result of one check.
pub(super) struct Look {
    /// Desired state.
    pub(super) goal: Goal,
    /// Plan that would remove the differences.
    pub(super) plan: Plan,
    /// Live state.
    pub(super) live: Live,
    /// Differences with their causes.
    pub(super) report: Report,
}

impl Look {
    /// Returns the result for the output.
    pub(super) fn view<'a>(&'a self, reporting: &'a ReportingArgs) -> DriftView<'a> {
        DriftView {
            report: &self.report,
            plan: &self.plan,
            asked: &reporting.fail_on,
            sources: &self.goal.sources,
        }
    }
}

/// Checks once, and adds the number of requests. The connection cannot write, so read-only
/// credentials are enough.
///
/// # Errors
/// The credentials are missing or the connection fails.
pub(super) async fn look(
    goal: Goal,
    settings: &Settings<'_>,
    output: &Arc<Output>,
    requests: &mut u64,
) -> anyhow::Result<Look> {
    let connection =
        OpenConnection::open(settings, Access::Read, output, goal.needed_zones()).await?;
    let options = connection.options(settings, output);
    let drift = reconcile::drift(&goal, &connection.reader, &options, settings.now()?).await;
    *requests += connection.requests();
    connection.close().await;
    let Drift { plan, live, report } = drift?;
    output.hide();
    Ok(Look { goal, plan, live, report })
}

/// Maps a verdict to an exit code.
pub(super) fn exit(verdict: Verdict, on_findings: Exit) -> Exit {
    match verdict {
        Verdict::InSync | Verdict::Tolerated => Exit::Success,
        Verdict::Found => on_findings,
        Verdict::Incomplete => Exit::Error,
    }
}

/// Writes the metrics of a report. An incomplete report is not written: the age of the existing
/// metrics shows that they are old.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_metrics(
    path: &Path,
    report: &Report,
    requests: u64,
    output: &Output,
) -> anyhow::Result<()> {
    if !report.is_complete {
        return Ok(());
    }
    let text = openmetrics::drift(report, requests);
    files::write_file(path, text.as_bytes(), Readers::Everyone, output)
        .with_context(|| format!("failed to write the metrics to {}", path.display()))
}

/// Returns the report as a JSON document.
pub(super) fn drift_document(view: &DriftView<'_>) -> DriftDocument {
    let DriftView { report, plan, asked, sources } = view;
    DriftDocument::of(report, plan, asked, sources)
}

/// Returns the webhook that the flags or the environment name.
///
/// # Errors
/// The address is invalid, or a file that the environment names cannot be read.
pub(super) fn webhook(
    reporting: &ReportingArgs,
    settings: &Settings<'_>,
) -> anyhow::Result<Option<Webhook>> {
    let Some(url) = settings.webhook(reporting.webhook.as_ref())? else { return Ok(None) };
    let webhook = Webhook::new(&url, *reporting.webhook_timeout);
    webhook.map(Some).map_err(|error| Ended::usage(format!("the webhook: failed to {error}")))
}

/// Sends a report, and returns true if it arrived. A failure is only a warning, because the report
/// itself has been shown.
pub(super) async fn deliver(webhook: &Webhook, report: &DriftDocument, output: &Output) -> bool {
    let delivered = webhook.post(report).await;
    if let Err(error) = delivered {
        output
            .message(&format!("warning: the report did not reach the webhook: failed to {error}"));
    }
    delivered.is_ok()
}

/// Parses a state for `--fail-on`.
fn state(text: &str) -> Result<State, String> {
    let named_state = State::differing().find(|state| state.as_str() == text.trim());
    named_state.ok_or_else(|| format!("known states are {}", state_keywords(", ", |_| true)))
}

/// Returns the help of `--fail-on`.
fn states_in_help() -> String {
    format!("States that count as findings: {}", state_keywords(", ", |_| true))
}

/// Returns the default of `--fail-on`.
fn default_states() -> &'static str {
    static STATES: LazyLock<String> =
        LazyLock::new(|| state_keywords(",", State::counts_by_default));
    &STATES
}

/// Joins the keywords of some states.
fn state_keywords(separator: &str, which: impl Fn(State) -> bool) -> String {
    let states: Vec<_> =
        State::differing().filter(|state| which(*state)).map(State::as_str).collect();
    states.join(separator)
}

/// Accepts any text. Errors never show it.
#[expect(clippy::unnecessary_wraps, reason = "it is what clap takes")]
fn secret(text: &str) -> Result<SecretString, std::convert::Infallible> {
    Ok(SecretString::from(text))
}
