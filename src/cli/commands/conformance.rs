//! Implements `conformance`: tests the assumptions about Cloudflare at a scratch name of a real
//! zone.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::connection::{Access, OpenConnection};
use crate::cli::exit_codes::Exit;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{Format, Global};
use crate::cli::signals::Interrupt;
use crate::conformance::{CHECKS, NotReady, prepare, run_checks};
use crate::diagnostic::count;
use crate::document::conformance::Conformance;
use crate::live::find_zone_by_name;
use crate::model::ZoneName;
use crate::render::text::write_conformance;

/// Test the assumptions about Cloudflare at a scratch name of your zone
///
/// Creates records at and below a random name of the zone given by --zone, and deletes them again.
/// Checks rules with dry runs. Exits with 2 if something differs.
#[derive(Debug, Args)]
#[command(
    hide = true,
    after_help = "Examples:\n  zonewright conformance --zone example.com --i-own-this-zone\n  \
        zonewright conformance --zone example.com --sandbox --i-own-this-zone --format json"
)]
pub(in crate::cli) struct ConformanceArgs {
    /// Confirm that records may be created in the zone
    #[arg(long)]
    i_own_this_zone: bool,
    /// Test only this assumption; repeatable
    #[arg(long, value_name = "ID", value_parser = id)]
    only: Vec<String>,
    /// List the assumptions; no requests
    #[arg(long)]
    list: bool,
}

/// Parses the id of a check.
fn id(text: &str) -> Result<String, String> {
    if CHECKS.iter().any(|check| check.id == text) {
        return Ok(text.to_owned());
    }
    Err("there is no such assumption; --list shows them".to_owned())
}

impl Run for ConformanceArgs {
    const MATTERS: Matters = Matters { today: true, ..Matters::ONLINE };

    fn facts(&self) -> Facts<'_> {
        Facts { is_online: !self.list, ..Facts::online("conformance") }
    }

    fn check(&self, global: &Global) -> Result<(), String> {
        if self.list {
            return match global.format {
                Format::Json => Err(
                    "--list prints text only; `zonewright schema conformance` describes the report"
                        .to_owned(),
                ),
                Format::Text | Format::Document(_) => Ok(()),
            };
        }
        if !matches!(global.zone.as_slice(), [_]) {
            return Err("name one zone with --zone".to_owned());
        }
        if !self.i_own_this_zone {
            return Err(
                "conformance creates records in the zone and deletes them again; confirm with \
                --i-own-this-zone"
                    .to_owned(),
            );
        }
        Ok(())
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, interrupt, .. } = *session;
        if self.list {
            output.result(|out| {
                CHECKS
                    .iter()
                    .try_for_each(|check| writeln!(out, "{}: {}", check.id, check.assumption))
            })?;
            return Ok(Exit::Success);
        }
        run_and_report(self, settings, output, interrupt).await
    }
}

/// Runs the checks, deletes their records, and reports the results.
async fn run_and_report(
    args: &ConformanceArgs,
    settings: &Settings<'_>,
    output: &Arc<Output>,
    interrupt: &Interrupt,
) -> anyhow::Result<Exit> {
    let [name] = settings.flags.zone.as_slice() else { bail!("name one zone with --zone") };
    let zone = ZoneName::parse(name)
        .with_context(|| format!("--zone {name:?} is not the name of a zone"))?;
    let access = Access::Write(interrupt.stop().clone());
    let connection =
        OpenConnection::open(settings, access, output, std::iter::once((&zone, "free"))).await?;
    let tried = try_all(args, &zone, &connection, settings, output, interrupt).await;
    let requests = connection.requests();
    connection.close().await;
    output.hide();
    let mut report = tried?;
    report.requests = requests;
    match output.format {
        Format::Json => output.json(&report)?,
        Format::Text | Format::Document(_) => {
            output.report(|out| write_conformance(out, &report))?
        }
    }
    Ok(match report {
        Conformance { left_behind: 1.., .. } => Exit::Partial,
        Conformance { is_complete: false, .. } => Exit::Error,
        Conformance { summary, .. } if summary.differed > 0 => Exit::Differences,
        _ => Exit::Success,
    })
}

/// Runs the checks at a new scratch name.
async fn try_all(
    args: &ConformanceArgs,
    zone: &ZoneName,
    connection: &OpenConnection,
    settings: &Settings<'_>,
    output: &Arc<Output>,
    interrupt: &Interrupt,
) -> anyhow::Result<Conformance> {
    let options = connection.options(settings, output).read;
    let Some(live) = find_zone_by_name(&connection.reader, zone, &options).await? else {
        bail!(
            "Cloudflare does not have the zone {zone}, or does not show it to these credentials: \
            run `zonewright doctor`"
        )
    };
    let (Some(writer), Some(checker)) = (connection.writer.clone(), connection.checker.clone())
    else {
        bail!("the connection cannot write")
    };
    // Each `RandomState` of the standard library has random keys.
    let random = RandomState::new().build_hasher().finish();
    let scratch = match prepare((connection.reader.clone(), writer, checker), &live, random).await {
        Ok(scratch) => scratch,
        Err(NotReady::Read(error)) => {
            return Err(anyhow::Error::new(error).context("failed to read the scratch name"));
        }
        Err(error) => return Err(error.into()),
    };
    let tried = CHECKS
        .iter()
        .filter(|check| args.only.is_empty() || args.only.iter().any(|id| id == check.id))
        .count();
    output.say(&format!("trying {} at and below {}", count(tried, "assumption"), scratch.name()));
    let report = Conformance::new(
        settings.today()?,
        connection.host.clone(),
        live.tier.facts().name.to_owned(),
    );
    let leftovers = scratch.may_be_left();
    let checks = run_checks(&scratch, &args.only, interrupt.stop(), report, |id| output.status(id));
    let report = interrupt.while_leaving(&leftovers, Exit::Partial, checks).await;
    if report.left_behind > 0 {
        output.message(&scratch.could_not_delete());
    }
    Ok(report)
}
