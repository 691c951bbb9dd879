//! Defines `--against` and `--max-snapshot-age` of the commands that plan: a snapshot replaces
//! Cloudflare.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::file_kinds::Takes;
use super::output::Output;
use super::settings::Settings;
use super::shared_arguments::{Format, parse_duration};
use crate::diagnostic::{Diagnostics, findings};
use crate::reconcile::{Goal, OpenSnapshot};
use crate::render::snapshot;

/// Default age beyond which a plan warns about its snapshot.
const MAX_AGE: &str = "24h";

/// Which snapshot, and how old it may be.
#[derive(Debug, Args)]
pub(super) struct SnapshotOptions {
    /// Use a snapshot in place of Cloudflare: no credentials, no requests
    #[arg(long, value_name = "SNAPSHOT", conflicts_with_all = ["sandbox", "base_url"])]
    against: Option<PathBuf>,
    /// Warn if the snapshot is older than DURATION
    #[arg(long, value_name = "DURATION", default_value = MAX_AGE, value_parser = parse_duration, hide_short_help = true)]
    max_snapshot_age: Duration,
}

impl SnapshotOptions {
    /// Returns the snapshot file for [`Facts`](super::commands::Facts).
    pub(super) fn file(&self) -> Option<(&Path, Takes)> {
        self.against.as_deref().map(|path| (path, Takes::Snapshot))
    }

    /// Opens the snapshot, if one is named, and limits the goal to its content. The caller shows
    /// the findings.
    ///
    /// # Errors
    /// As [`OpenSnapshot::open`].
    pub(super) fn limit(
        &self,
        goal: &mut Goal,
        settings: &Settings<'_>,
    ) -> anyhow::Result<Option<(OpenSnapshot, Diagnostics)>> {
        let Some(file) = &self.against else { return Ok(None) };
        let open = OpenSnapshot::open(file, settings.now()?)?;
        let diagnostics = open.limit(goal, self.max_snapshot_age);
        Ok(Some((open, diagnostics)))
    }

    /// Opens the snapshot for a command that prints a plan: shows the findings and adds them to the
    /// goal.
    ///
    /// # Errors
    /// As [`limit`](Self::limit).
    pub(super) fn open(
        &self,
        goal: &mut Goal,
        settings: &Settings<'_>,
        output: &Output,
    ) -> anyhow::Result<Option<OpenSnapshot>> {
        let Some((open, mut found)) = self.limit(goal, settings)? else { return Ok(None) };
        match output.format {
            Format::Text => output.diagnostics(&found, &goal.sources),
            // The JSON document has a member for the findings.
            Format::Json => {}
            Format::Document(_) => {
                found.push(findings::OF_SNAPSHOT.nowhere(snapshot::words(&open.as_of)));
            }
        }
        goal.diagnostics.append(found);
        Ok(Some(open))
    }
}
