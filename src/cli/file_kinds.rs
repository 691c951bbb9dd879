//! Files that the program itself wrote, given to a command that takes something else.
//!
//! A file is recognized by how it begins. One that cannot be read, or is something else, is left to
//! the command.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

/// Bytes that tell what a file is.
const HEAD: u64 = 4 * 1024;

/// The first bytes of a gzip file (RFC 1952 section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A kind of file that the program writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Of `plan --out`.
    Plan,
    /// Of `snapshot`.
    Snapshot,
    /// Of `apply` and `undo`.
    Journal,
}

impl Kind {
    /// What a file is, if the program wrote it.
    fn of(path: &Path) -> Option<Self> {
        // A pipe gives what it holds only once.
        if !path.is_file() {
            return None;
        }
        let mut head = head(File::open(path).ok()?)?;
        if head.starts_with(&GZIP) {
            head = self::head(GzDecoder::new(BufReader::new(File::open(path).ok()?)))?;
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
            _ => None,
        }
    }

    /// What it is, and the command that takes it.
    fn about(self, path: &str) -> String {
        match self {
            Self::Plan => format!("a saved plan; to apply it, run `zonewright apply {path}`"),
            Self::Snapshot => format!(
                "a snapshot; to plan against it, run `zonewright plan SPEC --against {path}`"
            ),
            Self::Journal => {
                format!("the journal of an apply; to undo that, run `zonewright undo {path}`")
            }
        }
    }
}

/// The first bytes of something.
fn head(input: impl Read) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    input.take(HEAD).read_to_end(&mut head).ok()?;
    Some(head)
}

/// What a command takes as a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// A spec.
    Spec,
    /// A spec, or a saved plan.
    SpecOrPlan,
    /// A snapshot.
    Snapshot,
    /// A journal.
    Journal,
}

impl Takes {
    /// In words, and the kind of own file that it is.
    fn about(self) -> (&'static str, Option<Kind>) {
        match self {
            Self::Spec => ("a spec", None),
            Self::SpecOrPlan => ("a spec or a saved plan", Some(Kind::Plan)),
            Self::Snapshot => ("a snapshot", Some(Kind::Snapshot)),
            Self::Journal => ("a journal", Some(Kind::Journal)),
        }
    }
}

/// Refuses a file of the program in place of what a command takes.
///
/// # Errors
/// What the file is, and the command for it.
pub(super) fn check(path: &Path, takes: Takes) -> Result<(), String> {
    let (wanted, taken) = takes.about();
    match Kind::of(path) {
        Some(kind) if Some(kind) != taken => {
            let path = path.display().to_string();
            Err(format!("{path} is not {wanted}, but {}", kind.about(&path)))
        }
        _ => Ok(()),
    }
}
