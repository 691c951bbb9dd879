//! A DNS record: what is done to it, and the request for it.
//!
//! An operation expects to find what it was planned with: no record of that name and value to
//! create one, and the record as it was before to update or delete it.

use super::Subject;
use crate::diff::{Change, ChangeKind, Claim, DeleteReason, Field, FieldChange, Owner};
use crate::model::facts::Slot;
use crate::model::{
    Comment, Danger, DesiredZone, Facets, Fields, RecordForm, RecordId, Settings, Tag, ZoneId,
};
use crate::plan::action::{Action, Why};
use crate::plan::operation::Operation;
use crate::plan::overwrites::Overwrites;
use crate::wire::Request;
use crate::wire::record::RecordPatch;
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
        /// What is sent.
        patch: RecordPatch,
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
            RecordAction::Update { id, after, patch, before: _ } => {
                patch_record(zone, id, &after.data, patch)
            }
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
            RecordAction::Update { id, after, patch, before: _ } => {
                batch.patch(id, &after.data, patch)
            }
            RecordAction::Delete { id, .. } => batch.delete(id),
        }
    }
    batch.into_request(zone)
}

/// One change as an operation.
pub(in crate::plan) fn operation(desired: &DesiredZone, change: &Change) -> Operation {
    let Change { address, kind } = change;
    // What the base protected is protected, even if this spec drops that together with the change.
    let was_protected = |claim: &Claim<'_>| claim.base.is_some_and(|base| base.protect);
    let (action, fields, place, protected, written) = match kind {
        ChangeKind::Create { after, beside: _ } => {
            let action = RecordAction::Create { after: after.form() };
            (
                action,
                Vec::new(),
                Some(after.spelling.entry),
                after.protect,
                Some(&after.spelling.name),
            )
        }
        ChangeKind::Update { before, after, fields, claim } => {
            let wanted = after.form();
            let patch = patch(&wanted, fields, before.settings);
            let whole = before.form();
            let after_form = Box::new(whole.overlaid(&wanted));
            let action = RecordAction::Update {
                id: before.id.clone(),
                before: Box::new(whole),
                after: after_form,
                patch,
            };
            let protected = after.protect || was_protected(claim);
            (
                action,
                fields.clone(),
                Some(after.spelling.entry),
                protected,
                Some(&after.spelling.name),
            )
        }
        ChangeKind::Delete { before, reason, place, accepted: _, claim } => {
            let action = RecordAction::Delete {
                id: before.id.clone(),
                before: Box::new(before.form()),
                reason: *reason,
            };
            (action, Vec::new(), *place, was_protected(claim), None)
        }
    };
    let mut dangers = Vec::new();
    if action.kind() == Action::Delete {
        dangers.push(Danger::Delete);
    }
    if protected && action.kind() != Action::Create {
        dangers.push(Danger::ChangesProtected);
    }
    let overwrites = Overwrites::of(kind);
    dangers.extend(overwrites.danger());
    let (beside, was_wanted) = match kind {
        ChangeKind::Create { beside, .. } => (*beside, false),
        ChangeKind::Update { claim, .. } | ChangeKind::Delete { claim, .. } => {
            (0, claim.owner == Owner::Spec && claim.base.is_some())
        }
    };
    let (accepted, modified_on) = match kind {
        ChangeKind::Create { after, .. } => (after.allow.as_deref().cloned(), None),
        ChangeKind::Update { before, after, .. } => {
            (after.allow.as_deref().cloned(), before.modified_on.clone())
        }
        ChangeKind::Delete { before, accepted, .. } => {
            (accepted.cloned(), before.modified_on.clone())
        }
    };
    let mut subject =
        RecordSubject { shown_name: String::new(), action, overwrites, beside, was_wanted };
    let name = &subject.form().name;
    subject.shown_name =
        written.map_or_else(|| desired.name.relative(name).to_owned(), |w| w.to_string());
    Operation {
        fields,
        dangers,
        accepted: accepted.unwrap_or_default(),
        modified_on,
        place,
        ..Operation::new(address.clone(), Subject::Record(subject))
    }
}

/// The patch that brings the changed fields to what `wanted` says.
///
/// `settings` may be replaced as a whole by Cloudflare, so those that are on and stay on are sent
/// along.
fn patch(wanted: &RecordForm, fields: &[FieldChange], settings_before: Settings) -> RecordPatch {
    let changed = |field: &Field| fields.iter().any(|f| f.field == *field);
    let facts = wanted.data.record_type().map_or(&[][..], |t| t.facts().fields);
    let data_changed = fields.iter().any(|f| matches!(f.field, Field::Data(_)));
    let all = wanted.data.fields();
    let mut value = Fields::new();
    for field in facts {
        let send = if field.slot == Slot::Data {
            data_changed
        } else {
            changed(&Field::Value(field.name))
        };
        if let Some(v) = all.get(field.name).filter(|_| send) {
            value.insert(field.name.to_owned(), v.clone());
        }
    }
    let Facets { ttl, proxied, comment, tags, settings } = &wanted.facets;
    let will_be_proxied = changed(&Field::Proxied) && *proxied == Some(true);
    let setting = |name: &'static str, wanted: Option<bool>, before: Option<bool>| {
        if changed(&Field::Flag(name)) {
            Some(wanted.unwrap_or(false))
        } else {
            before.filter(|b| *b)
        }
    };
    let any_setting = fields.iter().any(|f| matches!(f.field, Field::Flag(_)));
    RecordPatch {
        value,
        reported: wanted.reported.clone(),
        facets: Facets {
            ttl: if !changed(&Field::Ttl) {
                None
            } else if will_be_proxied {
                Some(crate::model::Ttl::AUTOMATIC)
            } else {
                *ttl
            },
            proxied: proxied.filter(|_| changed(&Field::Proxied)),
            comment: comment.clone().filter(|_| changed(&Field::Comment)),
            tags: tags.clone().filter(|_| changed(&Field::Tags)),
            settings: if any_setting {
                settings.with(settings_before, setting)
            } else {
                Settings::default()
            },
        },
    }
}
