//! Implements `snapshot`: saves the live zones, so that a plan needs no credentials. The connection
//! cannot write.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::connection::{Access, OpenConnection};
use crate::cli::exit_codes::Exit;
use crate::cli::files::{self, Readers};
use crate::cli::load_spec::load_spec;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::progress::show_reads;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{Format, SpecArgs};
use crate::diagnostic::count;
use crate::document::written_files::SnapshotFile;
use crate::live::ZoneQuery;
use crate::live::snapshot::{About, Taken, take};
use crate::model::ZoneName;
use crate::model::time::rfc3339;
use crate::reconcile::Goal;
use crate::render::safe::safe;

/// Default file name.
const FILE: &str = "zonewright.snapshot.json.gz";

/// Save the live state, for planning without credentials (plan --against)
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright snapshot zones/\n  zonewright snapshot zones/ --out - | \
        ssh host tee zones.json.gz"
)]
pub(in crate::cli) struct SnapshotArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    #[arg(long, value_name = "FILE", help = format!("File to write; `-` for standard output \
        [default: {FILE}]"))]
    out: Option<PathBuf>,
}

impl Run for SnapshotArgs {
    const MATTERS: Matters = Matters { base: false, ..Matters::ALL };

    fn facts(&self) -> Facts<'_> {
        Facts { files: self.spec.files(), ..Facts::online("snapshot") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    /// Reads the zones of a spec and saves them.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let goal = load_spec("snapshot", &self.spec, settings, output)?;
        let connection =
            OpenConnection::open(settings, Access::Read, output, goal.needed_zones()).await?;
        let result = read_zones(&goal, &connection, settings, output).await;
        let requests = connection.requests();
        connection.close().await;
        let snapshot = result?;
        let bytes = snapshot.snapshot.to_bytes().context("failed to pack the snapshot")?;
        let (path, written) = match &self.out {
            Some(path) => (path.as_path(), files::write_file(path, &bytes, Readers::Owner, output)),
            None => (Path::new(FILE), files::replace(Path::new(FILE), &bytes, Readers::Owner)),
        };
        written.with_context(|| format!("failed to write the snapshot {}", path.display()))?;
        report_parts(&snapshot, (path, bytes.len()), requests, output)?;
        Ok(Exit::Success)
    }
}

/// Reads the zones of a snapshot.
pub(super) async fn read_zones(
    goal: &Goal,
    connection: &OpenConnection,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Taken> {
    let queries: Vec<_> = goal.desired.zones.values().map(ZoneQuery::of).collect();
    let records =
        |zone: &ZoneName| goal.desired.zones.get(zone).map_or(0, |zone| zone.records.len());
    let about = About {
        taken_at: rfc3339(settings.now()?),
        tool: concat!("zonewright ", env!("CARGO_PKG_VERSION")).to_owned(),
        service: connection.host.clone(),
        account: None,
        zones: Vec::new(),
    };
    let options = connection.options(settings, output).read;
    let snapshot =
        take(&connection.reader, &queries, &records, about, &options, &*show_reads(output)).await;
    output.hide();
    Ok(snapshot?)
}

/// Reports the saved and the missing parts. All messages go to stderr if the snapshot goes to
/// stdout.
fn report_parts(
    taken: &Taken,
    file: (&Path, usize),
    requests: u64,
    output: &Output,
) -> anyhow::Result<()> {
    let Taken { snapshot, refused, missing } = taken;
    let (path, bytes) = file;
    let is_stdout = path.as_os_str() == "-";
    for zone in missing {
        output.say(&format!(
            "{zone} is not at Cloudflare, or these credentials cannot see it; the snapshot records \
            that"
        ));
    }
    for words in refused {
        output.say(&format!("not in the snapshot, and not needed by this spec: {}", safe(words)));
    }
    let about = snapshot.about();
    if output.format == Format::Json && !is_stdout {
        let file = (path.display().to_string(), bytes);
        output.json(&SnapshotFile::of(about, file, refused, requests))?;
        return Ok(());
    }
    let zones = about.zones.iter().filter(|z| z.id.is_some()).count();
    let records: usize = about.zones.iter().map(|z| z.records).sum();
    let line = format!(
        "Snapshot of {} with {}: {}, {}. ({} made)",
        count(zones, "zone"),
        count(records, "record"),
        path.display(),
        count(bytes, "byte"),
        count(usize::try_from(requests).unwrap_or(usize::MAX), "request")
    );
    if is_stdout {
        output.say(&line);
    } else {
        output.result(|out| writeln!(out, "{}", safe(&line)))?;
    }
    Ok(())
}
