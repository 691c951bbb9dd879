//! Finds zones for read-only commands: in a spec, at Cloudflare, or in a snapshot.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::commands::Facts;
use super::connection::{Access, OpenConnection};
use super::file_kinds::Takes;
use super::load_spec::load_spec;
use super::output::Output;
use super::settings::Settings;
use super::shared_arguments::SpecArgs;
use crate::live::{Fetched, ZoneQuery, fetch};
use crate::model::ZoneName;
use crate::reconcile::{Goal, OpenSnapshot};

/// Returns the facts of a command that reads specs, and Cloudflare or a snapshot.
pub(super) fn facts<'a>(
    name: &'static str,
    specs: &'a [PathBuf],
    is_live: bool,
    snapshot: Option<&'a PathBuf>,
) -> Facts<'a> {
    let against = snapshot.map(|path| (path.as_path(), Takes::Snapshot));
    let specs = specs.iter().map(|path| (path.as_path(), Takes::Spec));
    Facts {
        is_online: is_live || snapshot.is_some(),
        files: against.into_iter().chain(specs).collect(),
        ..Facts::offline(name)
    }
}

/// Reads the specs, if there are any. An invalid spec is reported here and ends the run.
///
/// # Errors
/// Fails where [`load_spec`] fails.
pub(super) fn goal(
    command: &'static str,
    specs: &[PathBuf],
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<Option<Goal>> {
    if specs.is_empty() {
        return Ok(None);
    }
    load_spec(command, &SpecArgs { spec: specs.to_vec() }, settings, output).map(Some)
}

/// Returns the selected zones of a snapshot with their records.
///
/// # Errors
/// The snapshot cannot be read.
pub(super) async fn of_snapshot(
    file: &Path,
    is_meant: impl Fn(&ZoneName) -> bool,
    settings: &Settings<'_>,
) -> anyhow::Result<Fetched> {
    let OpenSnapshot { snapshot, .. } = OpenSnapshot::open(file, settings.now()?)?;
    let zones = snapshot.about().zones.iter().filter(|zone| is_meant(&zone.name));
    let zones: Vec<_> = zones
        .map(|zone| ZoneQuery { id: zone.pinned.clone(), ..ZoneQuery::new(zone.name.clone()) })
        .collect();
    Ok(fetch(&snapshot, &zones, &settings.options_for(&snapshot).read, &|_| {}).await?)
}

/// Reads zones from Cloudflare.
///
/// # Errors
/// Cloudflare cannot be read.
pub(super) async fn of_cloudflare(
    zones: &[ZoneQuery],
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Fetched> {
    let connection =
        OpenConnection::open(settings, Access::Read, output, std::iter::empty()).await?;
    let fetched =
        fetch(&connection.reader, zones, &connection.options(settings, output).read, &|_| {}).await;
    connection.close().await;
    Ok(fetched?)
}
