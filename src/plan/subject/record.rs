//! A DNS record: what is done to it, and the request for it.
//!
//! An operation expects to find what it was planned with: no record of that name and value to
//! create one, and the record as it was before to update or delete it.

use crate::diff::RecordChange;
use crate::model::{Comment, RecordForm, Tag, ZoneId};
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
    pub change: RecordChange,
    /// What that does to a value of someone else.
    pub overwrites: Overwrites,
    /// How many live values of the same purpose stay beside it without being in the spec.
    pub beside: usize,
    /// Whether the base wanted the value that is live.
    pub was_wanted: bool,
}

impl RecordSubject {
    /// Why it is done, or what it does to others, where the action alone does not say it.
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

    /// What is done.
    pub(super) fn action(&self) -> Action {
        match self.change {
            RecordChange::Create { .. } => Action::Create,
            RecordChange::Update { .. } => Action::Update,
            RecordChange::Delete { .. } => Action::Delete,
        }
    }

    /// The record's name, type and value after the operation; before it, for a delete.
    #[must_use]
    pub fn form(&self) -> &RecordForm {
        self.change.form()
    }

    /// The request for it alone.
    pub(super) fn request(&self, zone: &ZoneId) -> Request {
        match &self.change {
            RecordChange::Create { after } => create_record(zone, after),
            RecordChange::Update { id, before, after } => patch_record(zone, id, before, after),
            RecordChange::Delete { id, .. } => delete_record(zone, id),
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
        match &record.change {
            RecordChange::Create { after } => batch.post(after),
            RecordChange::Update { id, before, after } => batch.patch(id, before, after),
            RecordChange::Delete { id, .. } => batch.delete(id),
        }
    }
    batch.into_request(zone)
}
