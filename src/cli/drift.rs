//! One look at drift, and whom to tell. Shared by `drift` and `watch`.

use std::path::Path;
use std::sync::Arc;

use super::args::TellArgs;
use super::exit::Exit;
use super::files::{self, Readers};
use super::output::Output;
use super::service::{Access, Service};
use super::settings::Settings;
use crate::api::Webhook;
use crate::document::drift::Drift as DriftDocument;
use crate::drift::{Report, Verdict};
use crate::plan::Plan;
use crate::reconcile::{self, Drift, Goal};
use crate::render::{DriftView, openmetrics};
use anyhow::Context;

/// What one look showed.
pub(super) struct Look {
    /// The spec that was looked for.
    pub(super) goal: Goal,
    /// What would be done.
    pub(super) plan: Plan,
    /// What that means.
    pub(super) report: Report,
}

impl Look {
    /// For those who show it.
    pub(super) fn view<'a>(&'a self, tell: &'a TellArgs) -> DriftView<'a> {
        DriftView { report: &self.report, plan: &self.plan, asked: &tell.fail_on, sources: &self.goal.sources }
    }
}

/// Looks once, and adds the requests that it took. There is no means of writing, so credentials that may only read are enough.
///
/// # Errors
/// No credentials, no service.
pub(super) async fn look(
    goal: Goal,
    settings: &Settings<'_>,
    output: &Arc<Output>,
    requests: &mut u64,
) -> anyhow::Result<Look> {
    let service = Service::open(settings, Access::Read, output, goal.needed_zones()).await?;
    let options = service.options(settings, output);
    let drift = reconcile::drift(&goal, &service.reader, &options, settings.now()?).await;
    *requests += service.requests();
    service.close().await;
    let Drift { plan, report } = drift?;
    output.hide();
    Ok(Look { goal, plan, report })
}

/// What a verdict is to the caller.
pub(super) fn exit(verdict: Verdict, on_findings: Exit) -> Exit {
    match verdict {
        Verdict::InSync | Verdict::Tolerated => Exit::Success,
        Verdict::Found => on_findings,
        Verdict::Incomplete => Exit::Error,
    }
}

/// Writes the metrics of a report. One that is incomplete is left out: the file that is there tells its age by itself.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_metrics(path: &Path, report: &Report, requests: u64, output: &Output) -> anyhow::Result<()> {
    if !report.is_complete {
        return Ok(());
    }
    let text = openmetrics::drift(report, requests);
    files::write(path, text.as_bytes(), Readers::Everyone, output)
        .with_context(|| format!("failed to write the metrics to {}", path.display()))
}

/// The report for programs.
pub(super) fn document(view: &DriftView<'_>) -> DriftDocument {
    let DriftView { report, plan, asked, sources } = view;
    DriftDocument::of(report, plan, asked, sources)
}

/// The webhook that the flags or the environment name.
///
/// The inner error is what is wrong with its address.
///
/// # Errors
/// A file that the environment names cannot be read.
pub(super) fn webhook(tell: &TellArgs, settings: &Settings<'_>) -> anyhow::Result<Result<Option<Webhook>, String>> {
    let Some(url) = settings.webhook(tell.webhook.as_ref())? else { return Ok(Ok(None)) };
    Ok(Webhook::new(&url, tell.webhook_timeout).map(Some).map_err(|error| format!("the webhook: failed to {error}")))
}

/// Sends a report; whether it arrived. A failure is told, and is nothing more: the report itself has been shown.
pub(super) async fn deliver(webhook: &Webhook, report: &DriftDocument, output: &Output) -> bool {
    let delivered = webhook.post(report).await;
    if let Err(error) = delivered {
        output.message(&format!("warning: the report did not reach the webhook: failed to {error}"));
    }
    delivered.is_ok()
}
