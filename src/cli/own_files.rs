//! Files that the program itself wrote, given to a command that takes something else.
//!
//! A file is recognized by how it begins. One that cannot be read, or is something else, is left to the command.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::args::{Command, WafCommand};

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
        let text: String = String::from_utf8_lossy(&head).chars().filter(|c| !c.is_whitespace()).collect();
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
            Self::Snapshot => format!("a snapshot; to plan against it, run `zonewright plan SPEC --against {path}`"),
            Self::Journal => format!("the journal of an apply; to undo that, run `zonewright undo {path}`"),
        }
    }
}

/// The first bytes of something.
fn head(input: impl Read) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    input.take(HEAD).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Refuses a file of the program in place of what a command takes.
///
/// # Errors
/// What the file is, and the command for it.
pub(super) fn check(command: &Command) -> Result<(), String> {
    let spec = |paths: &[std::path::PathBuf]| paths.iter().try_for_each(|path| is_taken(path, "a spec", None));
    match command {
        Command::Plan(args) => {
            let against = args.against.as_deref();
            against.map_or(Ok(()), |path| is_taken(path, "a snapshot", Some(Kind::Snapshot)))?;
            spec(&args.spec.spec)
        }
        Command::Apply(args) => match args.spec.single() {
            Some(path) => is_taken(path, "a spec or a saved plan", Some(Kind::Plan)),
            None => spec(&args.spec.spec),
        },
        Command::Undo(args) => is_taken(&args.journal_file, "a journal", Some(Kind::Journal)),
        Command::Snapshot(args) => spec(&args.spec.spec),
        Command::Diff(args) => spec(&[args.before.clone(), args.after.clone()]),
        Command::Drift(args) => spec(&args.spec.spec),
        Command::Watch(args) => spec(&args.spec.spec),
        Command::Validate(args) => spec(&args.spec.spec),
        Command::Test(args) => spec(&args.spec.spec),
        Command::Resolve(args) => {
            let against = args.against.as_deref();
            against.map_or(Ok(()), |path| is_taken(path, "a snapshot", Some(Kind::Snapshot)))?;
            spec(&args.spec)
        }
        Command::Waf(WafCommand::Rules(args)) => spec(&args.spec.spec),
        Command::Waf(WafCommand::Diff(args)) => spec(&args.spec.spec),
        Command::Waf(WafCommand::Lock(args)) => spec(&args.spec.spec),
        Command::Waf(WafCommand::Effective(_) | WafCommand::Hits(_))
        | Command::Import(_)
        | Command::Schema(_)
        | Command::Completions { .. }
        | Command::Man => Ok(()),
        #[cfg(feature = "sandbox")]
        Command::Sandbox(_) => Ok(()),
    }
}

/// Refuses a file of another kind than the one that is taken.
fn is_taken(path: &Path, wanted: &str, taken: Option<Kind>) -> Result<(), String> {
    match Kind::of(path) {
        Some(kind) if Some(kind) != taken => {
            let path = path.display().to_string();
            Err(format!("{path} is not {wanted}, but {}", kind.about(&path)))
        }
        _ => Ok(()),
    }
}
