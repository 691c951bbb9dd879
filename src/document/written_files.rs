//! Reports of commands about files that they wrote, or would write.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use crate::live::snapshot::{About, Snapshot};

/// The files that `fmt` changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FormattedFiles {
    format: u32,
    kind: &'static str,
    /// The files whose layout is not canonical.
    changed: Vec<String>,
    /// True if they were written.
    written: bool,
}

impl FormattedFiles {
    /// Returns the report for these files.
    #[must_use]
    pub fn of(changed: Vec<String>, written: bool) -> Self {
        Self { format: FORMAT, kind: "fmt", changed, written }
    }
}

/// The changes that `pull` copied into the files of a spec.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PulledFiles {
    format: u32,
    kind: &'static str,
    /// True if files were written.
    written: bool,
    /// The files that change.
    files: Vec<String>,
    /// The addresses of copied changes.
    taken: Vec<String>,
    /// Changes that were not copied.
    left: Vec<LeftOut>,
    /// Remarks.
    notes: Vec<String>,
    /// The change as a patch.
    patch: String,
}

/// A change that `pull` did not copy.
#[derive(Debug, Serialize, JsonSchema)]
struct LeftOut {
    address: String,
    reason: String,
}

impl PulledFiles {
    /// Returns the report; `left` has addresses and reasons.
    #[must_use]
    pub fn of<'a>(
        (written, files): (bool, Vec<String>),
        taken: Vec<String>,
        left: impl IntoIterator<Item = (&'a str, &'a str)>,
        notes: Vec<String>,
        patch: String,
    ) -> Self {
        let left_out = left.into_iter();
        let left_out = left_out.map(|(address, reason)| LeftOut {
            address: address.to_owned(),
            reason: reason.to_owned(),
        });
        Self {
            format: FORMAT,
            kind: "pull",
            written,
            files,
            taken,
            left: left_out.collect(),
            notes,
            patch,
        }
    }
}

/// The files that `init` wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewFiles {
    format: u32,
    kind: &'static str,
    /// Imported zones.
    pub imported: Vec<String>,
    /// Written files.
    pub written: Vec<String>,
    /// Files that existed, and are unchanged.
    pub existing: Vec<String>,
    /// The next steps.
    pub next: Vec<String>,
}

impl Default for NewFiles {
    fn default() -> Self {
        let (imported, written, existing, next) = Default::default();
        Self { format: FORMAT, kind: "init", imported, written, existing, next }
    }
}

/// The snapshot that `snapshot` saved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SnapshotFile {
    format: u64,
    kind: &'static str,
    /// The path of the file.
    file: String,
    /// Its length in bytes.
    bytes: usize,
    /// The time at which reading began.
    taken_at: String,
    /// The host that was read.
    service: String,
    /// The zones that were looked for.
    zones: Vec<SnapshotZone>,
    /// Parts that Cloudflare refused to show.
    refused: Vec<String>,
    /// The requests of the command.
    requests: Made,
}

/// A zone that was looked for.
#[derive(Debug, Serialize, JsonSchema)]
struct SnapshotZone {
    name: String,
    /// `null` if the zone does not exist, or may not be seen.
    id: Option<String>,
    records: usize,
}

/// The requests of the command.
#[derive(Debug, Serialize, JsonSchema)]
struct Made {
    made: u64,
}

impl SnapshotFile {
    /// Returns the report for a snapshot; `bytes` is the size of the file, and `requests` the
    /// number of requests.
    #[must_use]
    pub fn of(
        about: &About,
        (file, bytes): (String, usize),
        refused: &[String],
        requests: u64,
    ) -> Self {
        let zone = |zone: &crate::live::snapshot::SeenZone| SnapshotZone {
            name: zone.name.to_string(),
            id: zone.id.as_ref().map(|id| id.0.clone()),
            records: zone.records,
        };
        Self {
            format: Snapshot::FORMAT,
            kind: "snapshot",
            file,
            bytes,
            taken_at: about.taken_at.clone(),
            service: about.service.clone(),
            zones: about.zones.iter().map(zone).collect(),
            refused: refused.to_vec(),
            requests: Made { made: requests },
        }
    }
}
