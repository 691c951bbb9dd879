//! Implements `drift`: reports differences and who caused them. The connection cannot write.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::drift_check::{
    Look, ReportingArgs, deliver, drift_document, exit, look, webhook, write_metrics,
};
use crate::cli::edited_spec::{Wish, changed_files, edited, is_in_files};
use crate::cli::exit_codes::Exit;
use crate::cli::files::{self, Readers};
use crate::cli::load_spec::load_spec;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{Format, Global, SpecArgs};
use crate::cli::write_documents;
use crate::drift::Verdict;
use crate::model::Only;
use crate::render::text::write_drift;
use crate::render::{DriftView, patch};

/// Detect drift: what changed outside the spec, and when
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright drift zones/ --base HEAD\n  zonewright drift zones/ \
        --base HEAD --fail-on drifted,conflicting --metrics drift.prom\n  zonewright drift zones/ \
        --base HEAD --propose drift.patch"
)]
pub(in crate::cli) struct DriftArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// What is reported, and where.
    #[command(flatten)]
    reporting: ReportingArgs,
    /// Exit with N instead of 2 on findings
    #[arg(long, value_name = "N", default_value_t = Exit::Differences.code())]
    drift_exit_code: u8,
    /// Write a patch to FILE that updates the spec to the live state, as `pull` would
    #[arg(long, value_name = "FILE")]
    propose: Option<PathBuf>,
}

impl Run for DriftArgs {
    fn facts(&self) -> Facts<'_> {
        Facts { files: self.spec.files(), ..Facts::online("drift") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    fn check(&self, _: &Global) -> Result<(), String> {
        if self.propose.is_none() || is_in_files(&self.spec) {
            return Ok(());
        }
        Err("--propose makes a patch of the spec's files, and standard input is not a file; name \
            the files"
            .to_owned())
    }

    /// Checks and reports.
    ///
    /// # Order
    /// The report comes first, then the metrics, then the webhook, so that no later failure can
    /// hide the report.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let DriftArgs { spec, reporting, drift_exit_code, propose } = self;
        let webhook = webhook(reporting, settings)?;
        let goal = load_spec("drift", spec, settings, output)?;
        let mut requests = 0;
        let look = look(goal, settings, output, &mut requests).await?;
        let view = look.view(reporting);
        print_drift(&look, &view, settings, output)?;
        let metrics = reporting
            .metrics
            .as_deref()
            .map(|path| write_metrics(path, &look.report, requests, output));
        let verdict = view.verdict();
        if let Some(webhook) = &webhook
            && (reporting.webhook_always
                || verdict == Verdict::Found
                || look.report.count_of(&reporting.fail_on) > 0)
        {
            deliver(webhook, &drift_document(&view), output).await;
        }
        metrics.transpose()?;
        if let Some(path) = propose {
            write_proposal(path, &look, spec, settings, output)?;
        }
        Ok(exit(verdict, Exit::Chosen(*drift_exit_code)))
    }
}

/// Writes a patch of the spec's files. The patch is empty if there is nothing to take over.
fn write_proposal(
    path: &Path,
    look: &Look,
    spec: &SpecArgs,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<()> {
    let wish = Wish { only: &Only::default(), unmanaged: false, snapshot: None };
    let pulled =
        edited((&look.goal, &look.plan, &look.live), spec, &wish, (&|_| true, &|_| true), settings)
            .context("failed to propose changes of the spec")?;
    pulled.notes.iter().for_each(|words| output.say(&format!("note: {words}")));
    pulled
        .left
        .iter()
        .for_each(|(address, why)| output.say(&format!("not in the patch: {address}: {why}")));
    files::write_file(path, patch(&changed_files(&pulled)).as_bytes(), Readers::Everyone, output)
        .with_context(|| format!("failed to write the patch to {}", path.display()))
}

/// Prints a report in the selected format.
fn print_drift(
    look: &Look,
    view: &DriftView<'_>,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<()> {
    match output.format {
        Format::Json => output.json(&drift_document(view))?,
        Format::Document(document) => {
            if let Some(drift) = document.drift {
                write_documents::write_document(settings.flags, output, |out, options| {
                    drift(out, view, options)
                })?;
            }
        }
        Format::Text => {
            // Findings about the spec itself were shown earlier.
            output.plan_diagnostics(&look.plan, &look.goal.diagnostics, &look.goal.sources);
            output.report(|out| write_drift(out, view, output.colour, output.verbose > 0))?;
        }
    }
    Ok(())
}
