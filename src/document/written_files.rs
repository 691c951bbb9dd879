//! What commands say about files that they wrote, or would write.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use crate::live::snapshot::{About, Snapshot};

/// What `fmt` changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FormattedFiles {
    format: u32,
    kind: &'static str,
    /// The files whose layout is not the usual one.
    changed: Vec<String>,
    /// Whether they were written.
    written: bool,
}

impl FormattedFiles {
    /// These files.
    #[must_use]
    pub fn of(changed: Vec<String>, written: bool) -> Self {
        Self { format: FORMAT, kind: "fmt", changed, written }
    }
}

/// What `pull` took over into the files of a spec.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PulledFiles {
    format: u32,
    kind: &'static str,
    /// Whether files were written.
    written: bool,
    /// The files that change.
    files: Vec<String>,
    /// The addresses of what was taken over.
    taken: Vec<String>,
    /// What was not.
    left: Vec<LeftOut>,
    /// Remarks.
    notes: Vec<String>,
    /// The change as a patch.
    patch: String,
}

/// Something that `pull` did not take over.
#[derive(Debug, Serialize, JsonSchema)]
struct LeftOut {
    address: String,
    reason: String,
}

impl PulledFiles {
    /// What was taken over; `left` has addresses and reasons.
    #[must_use]
    pub fn of<'a>(
        (written, files): (bool, Vec<String>),
        taken: Vec<String>,
        left: impl IntoIterator<Item = (&'a str, &'a str)>,
        notes: Vec<String>,
        patch: String,
    ) -> Self {
        let left = left.into_iter();
        let left = left.map(|(address, reason)| LeftOut {
            address: address.to_owned(),
            reason: reason.to_owned(),
        });
        Self {
            format: FORMAT,
            kind: "pull",
            written,
            files,
            taken,
            left: left.collect(),
            notes,
            patch,
        }
    }
}

/// What `init` wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewFiles {
    format: u32,
    kind: &'static str,
    /// Zones that were imported.
    pub imported: Vec<String>,
    /// Files that were written.
    pub written: Vec<String>,
    /// Files that were there already, and stay as they are.
    pub existing: Vec<String>,
    /// What to do next.
    pub next: Vec<String>,
}

impl Default for NewFiles {
    fn default() -> Self {
        let (imported, written, existing, next) = Default::default();
        Self { format: FORMAT, kind: "init", imported, written, existing, next }
    }
}

/// What `snapshot` saved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SnapshotFile {
    format: u64,
    kind: &'static str,
    /// The file.
    file: String,
    /// Its length in bytes.
    bytes: usize,
    /// When the reading began.
    taken_at: String,
    /// Where it was read.
    service: String,
    /// The zones that were looked for.
    zones: Vec<SnapshotZone>,
    /// What Cloudflare refused to show.
    refused: Vec<String>,
    /// What it took.
    requests: Made,
}

/// A zone that was looked for.
#[derive(Debug, Serialize, JsonSchema)]
struct SnapshotZone {
    name: String,
    /// `null` if it is not there, or may not be seen.
    id: Option<String>,
    records: usize,
}

/// Requests made.
#[derive(Debug, Serialize, JsonSchema)]
struct Made {
    made: u64,
}

impl SnapshotFile {
    /// A snapshot in a file of so many bytes, read with so many requests.
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
