//! Saved plans: a reviewed plan as a file that is complete in itself.
//!
//! The file is the plan in its JSON form with more beside it: the spec as resolved, the previous
//! spec, the exact requests, the consents, and a checksum over everything. To apply it, the same
//! inputs are planned again against what is live then; only if that gives the same operations, with
//! the same before and after of each, is anything sent. So applying makes no choices, and a change
//! that someone else made in the meantime shows as an operation that differs.
//!
//! A file is read twice, as a stream: first for its checksum, then into types. Neither its text nor
//! a tree of its values is kept, and only those parts of each operation that the comparison needs.

use std::fmt;
use std::io::{self, BufReader, Read, Seek};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use super::plan::{ExactRequest, Plan, Saved, SavedBase, SavedConsents, Verdict};
use super::saved_zone::SavedZone;
use super::stale::Reviewed;
use crate::apply::MOST_OPERATIONS;
use crate::model::Danger;
use crate::plan::BaseSource;
use crate::wire::Request;
use crate::wire::bounded_json::{Bounded, TooLarge};
use crate::wire::json_digest::{Outline, Summed};
use crate::wire::keyword::Keyword;

/// Version of the format of saved plans.
const FORMAT: u64 = 1;
/// The member with the checksum.
const CHECKSUM: &str = "checksum";
/// Maximum size of a saved plan, in bytes. A plan that creates 100,000 records takes a third of it.
const LARGEST: u64 = 256 * 1024 * 1024;
/// Maximum length of a text in a saved plan, in bytes: more than the largest spec.
const LARGEST_TEXT: u64 = 25 * 1024 * 1024;
/// Maximum number of members of the objects before the operations, all together.
const MOST_MEMBERS: usize = 2_000_000;

/// The inputs that a saved plan was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis {
    /// The program that wrote it, with its version.
    pub tool: String,
    /// The time at which it was made, RFC 3339 in UTC.
    pub created_at: String,
    /// The day on which expiry was decided, `YYYY-MM-DD`.
    pub today: String,
    /// The resolved spec, as YAML.
    pub desired: String,
    /// The source of the previous version of the spec, and its content as YAML.
    pub base: Option<(BaseSource, String)>,
    /// The SHA-256 of the spec's files.
    pub spec_digest: String,
    /// Number of allowed deletes.
    pub deletes: Option<usize>,
    /// Other dangers that were allowed on the command line.
    pub dangers: Vec<Danger>,
    /// The addresses and globs that selected a part of the plan; none for all of it.
    pub only: Vec<String>,
    /// True if only the zones that differ from the base were planned.
    pub changed: bool,
    /// The zones at Cloudflare that it is for.
    pub zones: Vec<SavedZone>,
}

/// A saved plan that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedPlan {
    /// The inputs that it was made from.
    pub basis: Basis,
    /// True if it had errors when it was saved.
    pub is_incomplete: bool,
    /// The reviewed operations.
    pub operations: Vec<Reviewed>,
}

/// The reason why a file is not a saved plan that can be applied.
#[derive(Debug, thiserror::Error)]
pub enum SavedPlanError {
    /// The file cannot be read.
    #[error("the file cannot be read")]
    Io(#[source] io::Error),
    /// The file is not JSON: truncated, or another format.
    #[error("the file is incomplete, or not a plan: {0}; save one with `plan --out`")]
    NotJson(String),
    /// The file is JSON of another kind.
    #[error("the file is not a saved plan; save one with `plan --out`")]
    NotSaved,
    /// The file has another version of the format.
    #[error("the plan is in format {0}; this version reads format {FORMAT}. Plan again")]
    Format(String),
    /// The file was changed after it was written.
    #[error(
        "the plan was edited or damaged after it was saved: its checksum does not match. Plan again"
    )]
    Checksum,
    /// The base that it shows is not the base that it was made with.
    #[error("the plan shows another base than the one it was made with. Plan again")]
    Base,
    /// The file is larger than any plan.
    #[error("the plan is too large: {0}. Plan fewer zones at once")]
    TooLarge(String),
    /// Something in it is missing, or has the wrong type.
    #[error("this version cannot read the plan: {0}. Plan again")]
    Malformed(String),
}

/// Returns a plan as a saved plan.
#[must_use]
pub fn seal(plan: Plan, requests: &[Request], basis: &Basis) -> String {
    let Basis {
        tool,
        created_at,
        today,
        desired,
        base,
        spec_digest,
        deletes,
        dangers,
        only,
        changed,
        zones,
    } = basis.clone();
    let base = base.map(|(source, spec)| SavedBase { source, spec });
    let dangers = dangers.iter().map(|danger| danger.code().to_owned()).collect();
    let plan = plan.saved(Saved {
        format: FORMAT,
        tool,
        created_at,
        today,
        spec_digest,
        consents: SavedConsents { deletes, dangers },
        requests: requests.iter().map(ExactRequest::of).collect(),
        spec: desired,
        base,
        only,
        changed,
        zones,
    });
    let sum = checksum(&super::text(&plan));
    super::text(&plan.sealed(sum))
}

/// Returns the checksum of a plan's text, independent of its layout.
#[must_use]
pub fn checksum(text: &str) -> String {
    let sum = OUTLINE.deserialize(&mut serde_json::Deserializer::from_str(text));
    sum.map(|summed| summed.sum.hex()).unwrap_or_default()
}

/// Returns true if a text looks like a plan rather than a spec: specs are YAML mappings, written
/// without braces around everything.
#[must_use]
pub fn looks_like_plan(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"kind\"")
}

/// The members that are checked before anything is read into types.
static OUTLINE: Outline = Outline {
    members: &[
        ("kind", Outline { members: &[], unsummed: None }),
        (CHECKSUM, Outline { members: &[], unsummed: None }),
        (
            "saved",
            Outline {
                members: &[("format", Outline { members: &[], unsummed: None })],
                unsummed: None,
            },
        ),
    ],
    unsummed: Some(CHECKSUM),
};

/// Reads a saved plan.
///
/// # Errors
/// Fails if it is truncated, of another kind or format, too large, or changed.
pub fn read<R: Read + Seek>(mut file: R) -> Result<SavedPlan, SavedPlanError> {
    let of = |error: serde_json::Error, limit: fn(String) -> SavedPlanError| match error.classify()
    {
        serde_json::error::Category::Io => read_error(error.into()),
        serde_json::error::Category::Data => limit(error.to_string()),
        serde_json::error::Category::Syntax | serde_json::error::Category::Eof => {
            SavedPlanError::NotJson(error.to_string())
        }
    };
    let mut once = reader(&mut file);
    let outline = OUTLINE.deserialize(&mut once).and_then(|outline| once.end().map(|()| outline));
    check_outline(&outline.map_err(|error| of(error, SavedPlanError::TooLarge))?)?;
    drop(once);
    file.rewind().map_err(SavedPlanError::Io)?;
    let contents = Contents::deserialize(&mut reader(&mut file));
    let contents = contents.map_err(|error| of(error, SavedPlanError::Malformed))?;
    contents.into_plan()
}

/// Returns a reader with the limits for a saved plan.
fn reader<R: Read>(file: R) -> serde_json::Deserializer<serde_json::de::IoRead<impl Read>> {
    serde_json::Deserializer::from_reader(Bounded::new(BufReader::new(file), LARGEST, LARGEST_TEXT))
}

/// Converts an error of reading.
fn read_error(error: io::Error) -> SavedPlanError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<TooLarge>()) {
        Some(too_large) => SavedPlanError::TooLarge(too_large.to_string()),
        None if error.kind() == io::ErrorKind::InvalidData => {
            SavedPlanError::NotJson(error.to_string())
        }
        None => SavedPlanError::Io(error),
    }
}

/// Checks the kind and the checksum.
fn check_outline(outline: &Summed) -> Result<(), SavedPlanError> {
    let scalar = |value: Option<&Summed>| value.and_then(|value| value.scalar.clone());
    let saved = outline
        .get("saved")
        .filter(|saved| saved.members.is_some())
        .ok_or(SavedPlanError::NotSaved)?;
    if scalar(outline.get("kind")).as_deref() != Some("plan") {
        return Err(SavedPlanError::NotSaved);
    }
    match saved.get("format") {
        Some(format) if format.scalar.as_deref() == Some("1") => {}
        format => {
            return Err(SavedPlanError::Format(
                scalar(format).map_or("unknown".to_owned(), Into::into),
            ));
        }
    }
    if scalar(outline.get(CHECKSUM)).as_deref() != Some(outline.sum.hex().as_str()) {
        return Err(SavedPlanError::Checksum);
    }
    Ok(())
}

/// The members of the file that are read.
#[derive(Deserialize)]
struct Contents {
    verdict: Verdict,
    base: Option<Base>,
    operations: Operations,
    saved: SavedContents,
}

/// The members of `saved` that are read.
#[derive(Deserialize)]
struct SavedContents {
    tool: String,
    created_at: String,
    today: String,
    spec_digest: String,
    consents: Consents,
    spec: String,
    base: Option<Base>,
    #[serde(default)]
    only: Vec<String>,
    #[serde(default)]
    changed: bool,
    zones: Vec<SavedZone>,
}

#[derive(Deserialize)]
struct Consents {
    deletes: Option<usize>,
    dangers: Vec<Keyword<Danger>>,
}

/// The source of the previous version of the spec. [`BaseSource`] is not read directly: serde keeps
/// a value that is tagged by a member as a tree of values until the tag comes.
#[derive(Deserialize)]
struct Base {
    kind: String,
    name: String,
    commit: Option<String>,
    digest: Option<String>,
    spec: Option<String>,
}

impl Base {
    /// Converts to the typed source, and the content.
    fn into_source(self) -> Option<(BaseSource, Option<String>)> {
        let Self { kind, name, commit, digest, spec } = self;
        let source = match (kind.as_str(), commit, digest) {
            ("revision", Some(commit), None) => BaseSource::Revision { name, commit },
            ("path", None, Some(digest)) => BaseSource::Path { name, digest },
            _ => return None,
        };
        Some((source, spec))
    }
}

impl Contents {
    /// Converts to a saved plan.
    fn into_plan(self) -> Result<SavedPlan, SavedPlanError> {
        let Self { verdict, base: shown, operations: Operations(operations), saved } = self;
        let SavedContents {
            tool,
            created_at,
            today,
            spec_digest,
            consents,
            spec: desired,
            base,
            only,
            changed,
            zones,
        } = saved;
        // The base that a reader of the plan sees must be the one that it was made with.
        let base = match (shown, base) {
            (None, None) => None,
            (Some(shown), Some(base)) => match (shown.into_source(), base.into_source()) {
                (Some((shown, None)), Some((base, Some(spec))))
                    if shown == base && base.is_of(&spec) =>
                {
                    Some((base, spec))
                }
                _ => return Err(SavedPlanError::Base),
            },
            (None, Some(_)) | (Some(_), None) => return Err(SavedPlanError::Base),
        };
        let specs = desired.len() + base.as_ref().map_or(0, |(_, spec)| spec.len());
        if specs as u64 > LARGEST_TEXT {
            let reason = format!(
                "its spec and the previous one have more than {LARGEST_TEXT} bytes together"
            );
            return Err(SavedPlanError::TooLarge(reason));
        }
        let Consents { deletes, dangers } = consents;
        let dangers = dangers.into_iter().map(|Keyword(danger)| danger).collect();
        let basis = Basis {
            tool,
            created_at,
            today,
            desired,
            base,
            spec_digest,
            deletes,
            dangers,
            only,
            changed,
            zones,
        };
        Ok(SavedPlan { basis, is_incomplete: verdict == Verdict::Incomplete, operations })
    }
}

/// The operations of a file.
struct Operations(Vec<Reviewed>);

impl<'de> Deserialize<'de> for Operations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Reads the operations one after the other.
        struct Each;

        impl<'de> Visitor<'de> for Each {
            type Value = Operations;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of operations")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Operations, A::Error> {
                let (mut all, mut members) = (Vec::new(), 0);
                while let Some(operation) = items.next_element::<Reviewed>()? {
                    members += operation.members();
                    all.push(operation);
                    if all.len() > MOST_OPERATIONS || members > MOST_MEMBERS {
                        return Err(A::Error::custom(format_args!(
                            "there are more than {MOST_OPERATIONS} operations"
                        )));
                    }
                }
                Ok(Operations(all))
            }
        }

        deserializer.deserialize_seq(Each)
    }
}
