//! Operations on a DNS record, and their requests.
//!
//! An operation expects the state that it was planned with: no record of that name and value for a
//! create, and the previous record for an update or delete.

use crate::diff::RecordChange;
use crate::model::{Comment, RecordForm, Tag, ZoneId};
use crate::plan::action::{Action, Why};
use crate::plan::overwrites::Overwrites;
use crate::wire::Request;
use crate::wire::record::{Batch, create_record, delete_record, patch_record};

/// An operation on a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordSubject {
    /// The name as its author wrote it. It is relative if there is no author.
    pub shown_name: String,
    pub change: RecordChange,
    /// The effect on a value of someone else.
    pub overwrites: Overwrites,
    /// Number of live values of the same purpose that stay beside it without being in the spec.
    pub beside: usize,
    /// True if the base wanted the live value.
    pub was_wanted: bool,
}

impl RecordSubject {
    /// Returns the reason for the operation, or its effect on others, if the action alone does not
    /// show it.
    pub(super) fn why(&self) -> Why {
        match &self.change {
            RecordChange::Create { .. } if self.beside == 0 => Why::default(),
            RecordChange::Create { .. } => {
                let noun = if self.beside == 1 { "value" } else { "values" };
                let about =
                    format!("beside {} live {noun} that the spec does not name", self.beside);
                Why { brief: about.clone().into(), about: about.into(), noted: String::new() }
            }
            RecordChange::Update { before, .. } => {
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
            RecordChange::Delete { reason, .. } => match self.overwrites {
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

    /// Returns the action.
    pub(super) fn action(&self) -> Action {
        match self.change {
            RecordChange::Create { .. } => Action::Create,
            RecordChange::Update { .. } => Action::Update,
            RecordChange::Delete { .. } => Action::Delete,
        }
    }

    /// Returns the record's name, type and value after the operation. For a delete, returns those
    /// before it.
    #[must_use]
    pub fn form(&self) -> &RecordForm {
        self.change.form()
    }

    /// Returns the request for this record alone.
    pub(super) fn request(&self, zone: &ZoneId) -> Request {
        match &self.change {
            RecordChange::Create { after } => create_record(zone, after),
            RecordChange::Update { id, before, after } => patch_record(zone, id, before, after),
            RecordChange::Delete { id, .. } => delete_record(zone, id),
        }
    }
}

/// Returns the comment and the tags of a live record as the end of a description, because they may
/// identify the owner.
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

/// Returns one request for several records.
pub(in crate::plan) fn batch_request<'a>(
    zone: &ZoneId,
    records: impl Iterator<Item = &'a RecordSubject>,
) -> Request {
    let mut batch = Batch::default();
    for record in records {
        match &record.change {
            RecordChange::Create { after } => batch.post(after),
            RecordChange::Update { id, before, after } => batch.patch(id, before, after),
            RecordChange::Delete { id, .. } => batch.delete(id),
        }
    }
    batch.into_request(zone)
}
