//! Detects files that the program wrote and that a command cannot read in place of its own input.
//!
//! The first bytes identify a file. An unreadable or unknown file is left to the command.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

use crate::model::ZoneName;

/// Number of bytes that identify a file.
const HEAD: u64 = 4 * 1024;

/// First bytes of a gzip file (RFC 1952 section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Kind of a file that the program writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// Output of `plan --out`.
    Plan,
    /// Output of `snapshot`.
    Snapshot,
    /// Journal of `apply` or `undo`.
    Journal,
    /// JSON report of `apply` or `drift`.
    Report,
}

impl FileKind {
    /// Detects the kind of a file; `None` if the program did not write it.
    pub(super) fn of(path: &Path) -> Option<Self> {
        // The content of a pipe can only be read once.
        if !path.is_file() {
            return None;
        }
        let mut head = first_bytes(File::open(path).ok()?)?;
        if head.starts_with(&GZIP) {
            head = self::first_bytes(GzDecoder::new(BufReader::new(File::open(path).ok()?)))?;
        }
        let text: String =
            String::from_utf8_lossy(&head).chars().filter(|c| !c.is_whitespace()).collect();
        if text.starts_with("{\"event\":\"begin\"") {
            return Some(Self::Journal);
        }
        let kind = text.strip_prefix('{')?.split_once("\"kind\":\"")?.1.split_once('"')?.0;
        match kind {
            "plan" => Some(Self::Plan),
            "snapshot" => Some(Self::Snapshot),
            "apply" | "drift" => Some(Self::Report),
            _ => None,
        }
    }

    /// Returns the message about a file of this kind, with the command that reads it.
    fn about(self, path: &str) -> String {
        match self {
            Self::Plan => format!("a saved plan; to apply it, run `zonewright apply {path}`"),
            Self::Snapshot => format!(
                "a snapshot; to plan against it, run `zonewright plan SPEC --against {path}`"
            ),
            Self::Report => format!("a report; to show it, run `zonewright show {path}`"),
            Self::Journal => {
                format!("the journal of an apply; to undo that, run `zonewright undo {path}`")
            }
        }
    }
}

/// Reads the first bytes of an input.
fn first_bytes(input: impl Read) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    input.take(HEAD).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Kind of file that a command reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Spec,
    /// A spec or a saved plan.
    SpecOrPlan,
    Snapshot,
    Journal,
}

impl Takes {
    /// Returns the description, and the kind of written file that it corresponds to.
    fn about(self) -> (&'static str, Option<FileKind>) {
        match self {
            Self::Spec => ("a spec", None),
            Self::SpecOrPlan => ("a spec or a saved plan", Some(FileKind::Plan)),
            Self::Snapshot => ("a snapshot", Some(FileKind::Snapshot)),
            Self::Journal => ("a journal", Some(FileKind::Journal)),
        }
    }
}

/// Endings of files that look like the last label of a domain.
const ENDINGS: [&str; 6] = ["yaml", "yml", "json", "jsonl", "zwplan", "gz"];

/// Returns true for the name of a domain that is no file.
fn is_zone_and_no_file(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let is_domain = path
        .to_str()
        .and_then(|name| ZoneName::parse(name).ok())
        .is_some_and(|name| name.as_fqdn().label_count() > 1);
    is_domain
        && !ending.is_some_and(|ending| ENDINGS.contains(&&*ending))
        && path.symlink_metadata().is_err()
}

/// Refuses a file that the program wrote but that the command does not read.
///
/// # Errors
/// The kind of the file, and the command that reads it.
pub(super) fn check_kind(path: &Path, takes: Takes) -> Result<(), String> {
    if matches!(takes, Takes::Spec | Takes::SpecOrPlan) && is_zone_and_no_file(path) {
        let name = path.display();
        return Err(format!(
            "there is no file {name}; to select that zone of the spec, write --zone {name}; to \
            write a spec of it, run \
             `zonewright import {name}`"
        ));
    }
    let (wanted, taken) = takes.about();
    match FileKind::of(path) {
        Some(kind) if Some(kind) != taken => {
            let path = path.display().to_string();
            Err(format!("{path} is not {wanted}, but {}", kind.about(&path)))
        }
        _ => Ok(()),
    }
}
