//! Compares imported zones with Cloudflare and reports the findings of the migration. Only reads.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;

use crate::cli::connection::{Access, OpenConnection};
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::diagnostic::count;
use crate::import::ImportResult;
use crate::model::{Fqdn, Rdata, ZoneName};
use crate::reconcile::{Goal, Migration, OpenSnapshot, Planned, Selection, migration, plan};
use crate::spec;

/// Compares and reports. Does nothing without a snapshot or credentials.
///
/// # Errors
/// The snapshot cannot be used.
pub(super) async fn compare_with_cloudflare(
    text: &str,
    found: &ImportResult,
    against: Option<&Path>,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<()> {
    let has_connection = settings.flags.sandbox.is_some() || settings.credentials().is_ok();
    if against.is_none() && !has_connection {
        return Ok(());
    }
    let options = spec::Options { today: Some(settings.today()?), ..spec::Options::default() };
    let Ok(goal) =
        Goal::from_spec(&[spec::Input::Stdin(text.to_owned())], &options, Selection::default())
    else {
        output.news(
            "not compared with Cloudflare, because the spec has errors; `zonewright \
            validate` shows them",
        );
        return Ok(());
    };
    let outcome = planned(goal, found, against, settings, output).await;
    output.hide();
    match outcome {
        Ok(()) => Ok(()),
        Err(error) if against.is_some() => Err(error),
        // The import itself is complete and needs no network.
        Err(error) => {
            output.message(&format!("not compared with Cloudflare: {error:#}"));
            Ok(())
        }
    }
}

/// Plans the imported zones and reports.
async fn planned(
    mut goal: Goal,
    found: &ImportResult,
    against: Option<&Path>,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<()> {
    if let Some(file) = against {
        let open = OpenSnapshot::open(file, settings.now()?)?;
        let lacking = open.limit(&mut goal, Duration::MAX);
        output.diagnostics(&lacking, &goal.sources);
        let planned = plan(&goal, &open.snapshot, &settings.options_for(&open.snapshot))
            .await
            .context("failed to read the snapshot")?;
        report_differences(&planned, found, output);
        return Ok(());
    }
    let connection =
        OpenConnection::open(settings, Access::Read, output, goal.needed_zones()).await?;
    let planned = plan(&goal, &connection.reader, &connection.options(settings, output)).await;
    connection.close().await;
    report_differences(&planned?, found, output);
    Ok(())
}

fn report_differences(planned: &Planned<'_>, found: &ImportResult, output: &Output) {
    let origin = |zone: &ZoneName, name: &Fqdn, data: &Rdata| {
        found.origins.get(&(zone.clone(), name.clone(), data.clone())).map(|origin| origin.place)
    };
    let Migration { diagnostics, equal, different, only_in_source, only_at_cloudflare } =
        migration(planned, &origin);
    output.hide();
    output.diagnostics(&diagnostics, &found.sources);
    let counts = format!(
        "compared with Cloudflare: {} equal, {different} different, {only_in_source} only in the \
        source, {only_at_cloudflare} only at \
         Cloudflare",
        count(equal, "record")
    );
    // Differences are a result.
    match output.is_quiet() && different + only_in_source + only_at_cloudflare > 0 {
        true => output.message(&format!("{counts}; run without --quiet to list each difference")),
        false => output.news(&counts),
    }
}
