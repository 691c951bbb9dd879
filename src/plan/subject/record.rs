//! A DNS record: what is done to it, and the request for it.
//!
//! An operation expects to find what it was planned with: no record of that name and value to
//! create one, and the record as it was before to update or delete it.

use crate::diff::DeleteReason;
use crate::model::{Comment, RecordForm, RecordId, Tag, ZoneId};
use crate::plan::action::{Action, Why};
use crate::plan::overwrites::Overwrites;
use crate::wire::Request;
use crate::wire::record::{Batch, create_record, delete_record, patch_record};

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordSubject {
    /// The name as its author wrote it; relative where no author did.
    pub shown_name: String,
    /// What is done.
    pub action: RecordAction,
    /// What that does to a value of someone else.
    pub overwrites: Overwrites,
    /// How many live values of the same purpose stay beside it without being in the spec.
    pub beside: usize,
    /// Whether the base wanted the value that is live.
    pub was_wanted: bool,
}

/// What is done to a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordAction {
    /// It is created.
    Create {
        /// Exactly what the spec says.
        after: RecordForm,
    },
    /// Some of its fields are changed.
    Update {
        /// Cloudflare's id.
        id: RecordId,
        /// All of it, before.
        before: Box<RecordForm>,
        /// All of it, after.
        after: Box<RecordForm>,
    },
    /// It is deleted.
    Delete {
        /// Cloudflare's id.
        id: RecordId,
        /// All of it.
        before: Box<RecordForm>,
        /// Why.
        reason: DeleteReason,
    },
}

impl RecordAction {
    /// What that is.
    #[must_use]
    pub fn kind(&self) -> Action {
        match self {
            Self::Create { .. } => Action::Create,
            Self::Update { .. } => Action::Update,
            Self::Delete { .. } => Action::Delete,
        }
    }

    /// The id of the live record, if there is one.
    #[must_use]
    pub fn id(&self) -> Option<&RecordId> {
        match self {
            Self::Create { .. } => None,
            Self::Update { id, .. } | Self::Delete { id, .. } => Some(id),
        }
    }

    /// The record before it, if there is one.
    #[must_use]
    pub fn before(&self) -> Option<&RecordForm> {
        match self {
            Self::Create { .. } => None,
            Self::Update { before, .. } | Self::Delete { before, .. } => Some(before),
        }
    }

    /// The record after it, if there is one.
    #[must_use]
    pub fn after(&self) -> Option<&RecordForm> {
        match self {
            Self::Create { after } => Some(after),
            Self::Update { after, .. } => Some(after),
            Self::Delete { .. } => None,
        }
    }
}

impl RecordSubject {
    /// Why it is done, or what it does to others, where the action alone does not say it.
    pub(super) fn why(&self) -> Why {
        match &self.action {
            RecordAction::Create { .. } if self.beside == 0 => Why::default(),
            RecordAction::Create { .. } => {
                let noun = if self.beside == 1 { "value" } else { "values" };
                let about =
                    format!("beside {} live {noun} that the spec does not name", self.beside);
                Why { brief: about.clone().into(), about: about.into(), noted: String::new() }
            }
            RecordAction::Update { before, .. } => {
                let why = |about: &'static str, brief: &'static str| Why {
                    noted: noted(before),
                    ..Why::fixed(about, brief)
                };
                match self.overwrites {
                    Overwrites::Nothing => Why::default(),
                    Overwrites::Unknown { .. } => why(
                        "replaces a live value; without --base it is unknown who made it",
                        "replaces a live value of unknown origin",
                    ),
                    Overwrites::Foreign => why(
                        "replaces a foreign value, which no spec ever named",
                        "replaces a foreign value",
                    ),
                }
            }
            RecordAction::Delete { reason, .. } => match self.overwrites {
                Overwrites::Nothing => Why::fixed(reason.about(), reason.brief()),
                Overwrites::Unknown { .. } => Why {
                    about: format!(
                        "{}; without --base it is unknown who made this one",
                        reason.about()
                    )
                    .into(),
                    brief: format!("{}, of unknown origin", reason.brief()).into(),
                    noted: String::new(),
                },
                Overwrites::Foreign => Why {
                    about: format!("{}; this one is foreign", reason.about()).into(),
                    brief: format!("{}, foreign", reason.brief()).into(),
                    noted: String::new(),
                },
            },
        }
    }

    /// The record's name, type and value after the operation; before it, for a delete.
    #[must_use]
    pub fn form(&self) -> &RecordForm {
        match &self.action {
            RecordAction::Create { after } => after,
            RecordAction::Update { after, .. } => after,
            RecordAction::Delete { before, .. } => before,
        }
    }

    /// The request for it alone.
    pub(super) fn request(&self, zone: &ZoneId) -> Request {
        match &self.action {
            RecordAction::Create { after } => create_record(zone, after),
            RecordAction::Update { id, before, after } => patch_record(zone, id, before, after),
            RecordAction::Delete { id, .. } => delete_record(zone, id),
        }
    }
}

/// The comment and the tags of a live record, to be added to what is said of it: they may tell
/// whose it is.
fn noted(form: &RecordForm) -> String {
    let comment = form
        .facets
        .comment
        .as_ref()
        .and_then(Comment::text)
        .map(|text| format!("; live comment \"{}\"", text.replace('"', "\\\"")));
    let tags: Vec<&str> = form.facets.tags.iter().flatten().map(Tag::as_str).collect();
    let tags =
        if tags.is_empty() { String::new() } else { format!("; live tags {}", tags.join(", ")) };
    comment.unwrap_or_default() + &tags
}

/// One request for several records.
pub(in crate::plan) fn batch_request<'a>(
    zone: &ZoneId,
    records: impl Iterator<Item = &'a RecordSubject>,
) -> Request {
    let mut batch = Batch::default();
    for record in records {
        match &record.action {
            RecordAction::Create { after } => batch.post(after),
            RecordAction::Update { id, before, after } => batch.patch(id, before, after),
            RecordAction::Delete { id, .. } => batch.delete(id),
        }
    }
    batch.into_request(zone)
}
