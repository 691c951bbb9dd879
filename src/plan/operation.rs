//! The plan as data.

use std::collections::BTreeMap;

use super::guard::{Consents, GivenConsent, MissingConsent};
use super::rule_operation::{RuleAction, RuleOperation};
use crate::diagnostic::{Diagnostics, Place};
use crate::diff::{DeleteReason, FieldChange, ZonePart};
use crate::model::{Address, Danger, RecordForm, RecordId, Tier, ZoneId, ZoneName};
use crate::wire::record::RecordPatch;

/// What is done to one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// It is created.
    CreateRecord {
        /// Exactly what the spec says.
        after: RecordForm,
    },
    /// Some of its fields are changed.
    PatchRecord {
        /// The service's id.
        id: RecordId,
        /// All of it, before.
        before: Box<RecordForm>,
        /// All of it, after.
        after: Box<RecordForm>,
        /// What is sent.
        patch: RecordPatch,
    },
    /// It is deleted.
    DeleteRecord {
        /// The service's id.
        id: RecordId,
        /// All of it.
        before: Box<RecordForm>,
        /// Why.
        reason: DeleteReason,
    },
}

/// What an operation expects to find when it is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// No record of this name and value.
    Absent,
    /// The record with this id, looking like this.
    Unchanged {
        /// The service's id.
        id: RecordId,
        /// All of it.
        form: Box<RecordForm>,
    },
}

/// What undoes an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reverse {
    /// Delete what was created.
    Delete,
    /// Change the same fields back.
    PatchBack(RecordPatch),
    /// Create it again.
    Recreate(Box<RecordForm>),
}

/// Why an operation is in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The spec changed.
    Spec,
    /// Somebody changed the service, and the plan takes that back.
    Drift,
    /// Both: a conflict.
    Both,
    /// Nobody knows whether the spec or the service changed: there is no earlier spec to compare with.
    Unknown,
}

impl Cause {
    /// From whether the spec changed, and whether the service is not as the spec before wanted it.
    #[must_use]
    pub fn of(changed: bool, drifted: bool) -> Self {
        match (changed, drifted) {
            (true, false) => Self::Spec,
            (false, true) => Self::Drift,
            (true, true) => Self::Both,
            // Neither changed, and yet they differ: the spec before was never applied.
            (false, false) => Self::Spec,
        }
    }

    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Drift => "drift",
            Self::Both => "both",
            Self::Unknown => "unknown",
        }
    }
}

/// One thing that apply will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The record's address.
    pub address: Address,
    /// The name as its author wrote it; relative where no author did.
    pub shown_name: String,
    /// What is done.
    pub action: Action,
    /// The fields that change, for an update.
    pub fields: Vec<FieldChange>,
    /// What it expects to find.
    pub expect: Expect,
    /// What undoes it.
    pub reverse: Reverse,
    /// Why it is here.
    pub cause: Cause,
    /// What is dangerous about it.
    pub dangers: Vec<Danger>,
    /// Dangers of it that the spec accepts, with the reasons.
    pub accepted: BTreeMap<Danger, String>,
    /// When the live record was last changed, as the service wrote it.
    pub modified_on: Option<String>,
    /// The spec entry that asks for it.
    pub place: Option<Place>,
}

impl Operation {
    /// The record's name, type and value after the operation; before it, for a delete.
    #[must_use]
    pub fn form(&self) -> &RecordForm {
        match &self.action {
            Action::CreateRecord { after } => after,
            Action::PatchRecord { after, .. } => after,
            Action::DeleteRecord { before, .. } => before,
        }
    }
}

/// One thing that apply will do to a zone itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneOperation {
    /// The address of the part concerned.
    pub address: Address,
    /// What is done.
    pub action: ZoneAction,
    /// The fields that change.
    pub fields: Vec<FieldChange>,
    /// Why it is here.
    pub cause: Cause,
    /// What is dangerous about it.
    pub dangers: Vec<Danger>,
    /// Dangers of it that the spec accepts, with the reasons.
    pub accepted: BTreeMap<Danger, String>,
    /// When that part of the live zone was last changed, as the service wrote it; DNS settings have no such time.
    pub modified_on: Option<String>,
    /// The spec entry that asks for it.
    pub place: Place,
}

/// What is done to a zone itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ZoneAction {
    /// It is made.
    Create,
    /// A part of it is changed.
    Change(ZonePart),
}

/// Whose business it is what is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keeper {
    /// Nobody's that is known.
    Nobody,
    /// The spec names it to be ignored.
    Ignored,
    /// Another product of the service makes it.
    Service,
}

/// How many live records are left alone for one reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetAsideCount {
    /// Whose business it is.
    pub keeper: Keeper,
    /// The reason in words: `unmanaged`, `ignored (…)`, `managed by …`, `not understood`, `duplicate`.
    pub reason: String,
    /// How many by type.
    pub types: BTreeMap<String, usize>,
    /// Their names with types, for the detailed output; at most the first hundred.
    pub examples: Vec<String>,
}

impl SetAsideCount {
    /// How many in all.
    #[must_use]
    pub fn count(&self) -> usize {
        self.types.values().sum()
    }
}

/// The plan of one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZonePlan {
    /// The zone.
    pub name: ZoneName,
    /// Its id.
    pub id: ZoneId,
    /// Its plan at the service.
    pub tier: Tier,
    /// Whether the zone does not exist yet; its id then stands in for the real one.
    pub is_new: bool,
    /// What is done to the zone itself, in order, before anything is done to its records.
    pub zone_operations: Vec<ZoneOperation>,
    /// What is done to its rules, in the order of execution, before anything is done to its records.
    pub rule_operations: Vec<RuleOperation>,
    /// What is done to its records, in the order of their names.
    pub operations: Vec<Operation>,
    /// Rules that are as they should be.
    pub rules_unchanged: usize,
    /// Records that are as they should be.
    pub unchanged: usize,
    /// Live records that nobody named.
    pub unmanaged: usize,
    /// Live records that an `ignore` pattern names.
    pub ignored: usize,
    /// Live records left alone, by reason.
    pub set_aside: Vec<SetAsideCount>,
    /// Whether the live records, before anything is deleted, leave no room for what is created.
    pub tight: bool,
    /// What is dangerous about the plan as a whole.
    pub dangers: Vec<Danger>,
    /// Dangers that the spec accepts for the zone, with the reasons.
    pub accepted: BTreeMap<Danger, String>,
    /// How many records the zone has.
    pub live_records: usize,
    /// What somebody has to do elsewhere: records for the registrar, name servers.
    pub notes: Vec<String>,
    /// Whether more records are planned than zones of this plan usually hold, while the real quota was not asked for.
    pub quota_in_doubt: bool,
}

impl ZonePlan {
    /// Whether there is anything to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty() && self.zone_operations.is_empty() && self.rule_operations.is_empty()
    }

    /// The addresses of all operations, in order.
    pub fn addresses(&self) -> impl Iterator<Item = &Address> {
        let around = self.zone_operations.iter().map(|o| &o.address);
        let rules = self.rule_operations.iter().map(|o| &o.address);
        around.chain(rules).chain(self.operations.iter().map(|o| &o.address))
    }

    /// How many operations there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len() + self.zone_operations.len() + self.rule_operations.len()
    }

    /// The same plan for the zone with this id, after it was made.
    #[must_use]
    pub fn with_id(&self, id: ZoneId) -> Self {
        Self { id, ..self.clone() }
    }
}

/// Counts over all zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Records to create.
    pub create: usize,
    /// Records to change.
    pub update: usize,
    /// Records to delete.
    pub delete: usize,
    /// Records and rules as they should be.
    pub unchanged: usize,
    /// Live records that the spec does not name.
    pub unmanaged: usize,
    /// Live records that `ignore` names.
    pub ignored: usize,
}

impl Summary {
    /// How many operations there are.
    #[must_use]
    pub fn operations(self) -> usize {
        self.create + self.update + self.delete
    }
}

/// What may happen to a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// There is nothing to do.
    InSync,
    /// It may be applied.
    Ready,
    /// It may be applied with these consents.
    NeedsConsent(Vec<MissingConsent>),
    /// Something wanted cannot be had; the diagnostics say what.
    Incomplete,
}

impl Verdict {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::InSync => "in-sync",
            Self::Ready => "ready",
            Self::NeedsConsent(_) => "needs-consent",
            Self::Incomplete => "incomplete",
        }
    }
}

/// Everything that an apply would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// SHA-256 of the spec as read, hexadecimal.
    pub spec_digest: String,
    /// The zones, by name.
    pub zones: Vec<ZonePlan>,
    /// What was found while planning.
    pub diagnostics: Diagnostics,
    /// Requests made so far.
    pub requests_made: u64,
    /// The spec before, in the words by which a reader knows it.
    pub base: Option<String>,
    /// The consents that it needs and has.
    pub consents_given: Vec<GivenConsent>,
}

impl Plan {
    /// Version of the JSON form.
    pub const FORMAT: u32 = 1;

    /// Counts over all zones.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for zone in &self.zones {
            summary.unchanged += zone.unchanged + zone.rules_unchanged;
            summary.unmanaged += zone.unmanaged;
            summary.ignored += zone.ignored;
            for operation in &zone.zone_operations {
                match operation.action {
                    ZoneAction::Create => summary.create += 1,
                    ZoneAction::Change(_) => summary.update += 1,
                }
            }
            for operation in &zone.rule_operations {
                match operation.action {
                    RuleAction::CreateEntryPoint { .. } | RuleAction::Create { .. } => summary.create += 1,
                    RuleAction::Patch { .. } | RuleAction::Move { .. } => summary.update += 1,
                    RuleAction::Delete { .. } => summary.delete += 1,
                }
            }
            for operation in &zone.operations {
                match operation.action {
                    Action::CreateRecord { .. } => summary.create += 1,
                    Action::PatchRecord { .. } => summary.update += 1,
                    Action::DeleteRecord { .. } => summary.delete += 1,
                }
            }
        }
        summary
    }

    /// All operations on records, in order.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.zones.iter().flat_map(|z| &z.operations)
    }

    /// What may happen to it, given these consents.
    #[must_use]
    pub fn verdict(&self, consents: &Consents) -> Verdict {
        if self.diagnostics.has_errors() {
            return Verdict::Incomplete;
        }
        if self.zones.iter().all(ZonePlan::is_empty) {
            return Verdict::InSync;
        }
        let (missing, _) = super::guard::judge(self, consents);
        if missing.is_empty() { Verdict::Ready } else { Verdict::NeedsConsent(missing) }
    }

    /// The consents that it needs and has, of these.
    #[must_use]
    pub fn consents(&self, consents: &Consents) -> Vec<GivenConsent> {
        super::guard::judge(self, consents).1
    }
}
