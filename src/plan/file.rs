//! Saved plans: what was reviewed, as a file that is complete in itself.
//!
//! The file is the plan in its JSON form with more beside it: the spec as resolved, the previous spec, the exact requests, the
//! consents, and a checksum over everything. To apply it, the same inputs are planned again against what is live then; only if
//! that gives the same operations, with the same before and after of each, is anything sent. So applying makes no choices, and
//! a change that somebody else made in the meantime shows as an operation that differs.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use super::BaseSource;

/// Version of the form of saved plans.
const FORMAT: u64 = 1;
/// The member that makes a plan a saved one.
const SAVED: &str = "saved";
/// The member with the checksum.
const CHECKSUM: &str = "checksum";

/// What a saved plan holds beside the plan itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// The program that wrote it, with its version.
    pub tool: String,
    /// When it was made, RFC 3339 in UTC.
    pub created_at: String,
    /// The day by which it was judged what has expired, `YYYY-MM-DD`.
    pub today: String,
    /// The spec as resolved, as YAML.
    pub desired: String,
    /// Where the previous version of the spec comes from, and what it said, as YAML.
    pub base: Option<(BaseSource, String)>,
    /// The SHA-256 of the spec's files.
    pub spec_digest: String,
    /// How many deletes were allowed.
    pub deletes: Option<usize>,
    /// The codes of other dangers that were allowed on the command line.
    pub dangers: Vec<String>,
}

/// Why a file is no saved plan that can be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanFileError {
    /// It is no JSON: cut off, or something else.
    #[error("the file is not whole, or no plan at all: {0}")]
    NotJson(String),
    /// It is JSON of another kind.
    #[error("the file is no saved plan; save one with `plan --out`")]
    NotSaved,
    /// It was written in another form.
    #[error("the plan is in format {0}; this version reads format {FORMAT}. Plan again")]
    Format(String),
    /// It was changed after it was written.
    #[error("the plan was edited or damaged after it was saved: its checksum does not fit. Plan again")]
    Checksum,
    /// What it was made with is not what it shows.
    #[error("the plan shows another base than the one it was made with. Plan again")]
    Base,
    /// Something is missing.
    #[error("the plan has no usable `{0}`; plan again")]
    Missing(&'static str),
}

/// A plan in its JSON form as a saved plan. The members of the plan stay as they are.
#[must_use]
pub fn seal(plan: Json, requests: Vec<Json>, saved: &Saved) -> Json {
    let Json::Object(mut file) = plan else { return plan };
    let Saved { tool, created_at, today, desired, base, spec_digest, deletes, dangers } = saved;
    let base = base.as_ref().map(|(source, text)| {
        let mut base = json!(source);
        base["spec"] = json!(text);
        base
    });
    file.insert(
        SAVED.to_owned(),
        json!({
            "format": FORMAT, "tool": tool, "created_at": created_at, "today": today, "spec_digest": spec_digest,
            "consents": { "deletes": deletes, "dangers": dangers }, "requests": requests,
            "spec": desired, "base": base,
        }),
    );
    let sum = checksum(&file);
    file.insert(CHECKSUM.to_owned(), json!(sum));
    Json::Object(file)
}

/// The SHA-256 of everything but the checksum, in a form that does not depend on the order of members.
fn checksum(file: &Map<String, Json>) -> String {
    let mut hash = Sha256::new();
    let members: BTreeMap<&String, &Json> = file.iter().filter(|(name, _)| *name != CHECKSUM).collect();
    for (name, value) in members {
        feed(&mut hash, &Json::String(name.clone()));
        feed(&mut hash, value);
    }
    HEXLOWER.encode(&hash.finalize())
}

/// The SHA-256 of a value, in a form that does not depend on the order of members.
#[must_use]
pub fn digest(value: &Json) -> [u8; 32] {
    let mut hash = Sha256::new();
    feed(&mut hash, value);
    hash.finalize().into()
}

/// Adds a value to a digest; members of objects by their names.
fn feed(hash: &mut Sha256, value: &Json) {
    match value {
        Json::Object(members) => {
            hash.update(b"{");
            let sorted: BTreeMap<&String, &Json> = members.iter().collect();
            for (name, value) in sorted {
                feed(hash, &Json::String(name.clone()));
                feed(hash, value);
            }
            hash.update(b"}");
        }
        Json::Array(items) => {
            hash.update(b"[");
            items.iter().for_each(|item| feed(hash, item));
            hash.update(b"]");
        }
        scalar => {
            let text = scalar.to_string();
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        }
    }
}

/// Whether a text looks like a plan rather than a spec: specs are YAML mappings, written without braces around everything.
#[must_use]
pub fn looks_like_plan(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"kind\"")
}

/// Reads a saved plan: the plan, and what is beside it.
///
/// # Errors
/// It is not whole, of another kind or format, or was changed.
pub fn open(text: &str) -> Result<(Json, Saved), PlanFileError> {
    let file: Json = serde_json::from_str(text).map_err(|error| PlanFileError::NotJson(error.to_string()))?;
    let members = file.as_object().ok_or(PlanFileError::NotSaved)?;
    let saved = members.get(SAVED).and_then(Json::as_object).ok_or(PlanFileError::NotSaved)?;
    if file.get("kind").and_then(Json::as_str) != Some("plan") {
        return Err(PlanFileError::NotSaved);
    }
    match saved.get("format") {
        Some(format) if format.as_u64() == Some(FORMAT) => {}
        Some(format) => return Err(PlanFileError::Format(format.to_string())),
        None => return Err(PlanFileError::Missing("format")),
    }
    if members.get(CHECKSUM).and_then(Json::as_str) != Some(checksum(members).as_str()) {
        return Err(PlanFileError::Checksum);
    }
    let text = |name: &'static str| {
        saved.get(name).and_then(Json::as_str).map(str::to_owned).ok_or(PlanFileError::Missing(name))
    };
    let dangers = file.pointer("/saved/consents/dangers").and_then(Json::as_array).into_iter().flatten();
    let result = Saved {
        tool: text("tool")?,
        created_at: text("created_at")?,
        today: text("today")?,
        desired: text("spec")?,
        base: base(&file)?,
        spec_digest: text("spec_digest")?,
        deletes: file.pointer("/saved/consents/deletes").and_then(Json::as_u64).and_then(|n| usize::try_from(n).ok()),
        dangers: dangers.filter_map(Json::as_str).map(str::to_owned).collect(),
    };
    Ok((file, result))
}

/// The previous version of the spec that a saved plan was made with. What a reader of the plan is shown must be the same.
fn base(file: &Json) -> Result<Option<(BaseSource, String)>, PlanFileError> {
    let shown = file.get("base").filter(|base| !base.is_null());
    let Some(saved) = file.pointer("/saved/base").filter(|base| !base.is_null()) else {
        return if shown.is_none() { Ok(None) } else { Err(PlanFileError::Base) };
    };
    let source = BaseSource::deserialize(saved).map_err(|_| PlanFileError::Missing("base"))?;
    let text = saved.get("spec").and_then(Json::as_str).ok_or(PlanFileError::Missing("base"))?;
    let is_bound = match &source {
        BaseSource::Revision { .. } => true,
        BaseSource::Path { digest, .. } => *digest == base_digest(text),
    };
    let is_shown = shown.and_then(|shown| BaseSource::deserialize(shown).ok()).as_ref() == Some(&source);
    if is_bound && is_shown { Ok(Some((source, text.to_owned()))) } else { Err(PlanFileError::Base) }
}

/// The SHA-256 of a resolved spec's text, hexadecimal, by which a base that is no revision is known.
#[must_use]
pub fn base_digest(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}
