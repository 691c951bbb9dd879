//! Operations as exact requests, without sending anything.

use super::operation::{Action, Operation, ZoneAction, ZoneOperation, ZonePlan};
use super::order::batches;
use super::rule_operation::{ExpectRuleset, RuleAction, RuleOperation};
use crate::diff::ZonePart;
use crate::wire::Request;
use crate::wire::around::{create_zone, patch_dns_settings, patch_dnssec, patch_setting};
use crate::wire::ruleset::{create_entry_point, create_rule, delete_rule as delete_live_rule, move_rule, patch_rule};
use crate::wire::zone::{Batch, create_record, delete_record, patch_record};

/// How the service takes changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lowering {
    /// In batches of at most this many operations.
    Batches(usize),
    /// One request for each operation, because the service has no batches.
    Single,
}

/// One request and the operations it carries out.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The request, complete.
    pub request: Request,
    /// Indices into the zone's operations, in the order of execution.
    pub operations: Vec<usize>,
}

/// The steps of a zone's plan.
///
/// # Order
/// By name; within a name deletes, changes, creates, which is also the order in which the service executes a batch.
#[must_use]
pub fn lower(zone: &ZonePlan, lowering: Lowering) -> Vec<Step> {
    let size = match lowering {
        Lowering::Batches(size) => size,
        Lowering::Single => 1,
    };
    batches(zone, size).into_iter().map(|operations| lower_step(zone, operations, lowering)).collect()
}

/// An operation on the zone itself as a request.
#[must_use]
pub fn lower_zone_operation(zone: &ZonePlan, operation: &ZoneOperation, account: Option<&str>) -> Request {
    match &operation.action {
        ZoneAction::Create => create_zone(&zone.name, account),
        ZoneAction::Change(ZonePart::Setting { name, value }) => patch_setting(&zone.id, name, value),
        ZoneAction::Change(ZonePart::Dnssec { on }) => patch_dnssec(&zone.id, *on),
        ZoneAction::Change(ZonePart::DnsSettings { members }) => patch_dns_settings(&zone.id, members),
    }
}

/// An operation on a zone's rules as a request.
///
/// # Panics
/// Never: an operation on a rule expects its ruleset.
#[must_use]
pub fn lower_rule_operation(zone: &ZonePlan, operation: &RuleOperation) -> Request {
    let ruleset = || match &operation.expect {
        ExpectRuleset::Version { id, .. } => id,
        ExpectRuleset::Absent => unreachable!("only the making of an entry point expects none"),
    };
    match &operation.action {
        RuleAction::CreateEntryPoint { rules } => create_entry_point(&zone.id, operation.phase, rules.iter()),
        RuleAction::Create { after, position } => create_rule(&zone.id, ruleset(), after, position.as_ref()),
        RuleAction::Patch { id, before: _, after, position } => {
            patch_rule(&zone.id, ruleset(), id, after, position.as_ref())
        }
        RuleAction::Move { id, body: _, position } => move_rule(&zone.id, ruleset(), id, position),
        RuleAction::Delete { id, .. } => delete_live_rule(&zone.id, ruleset(), id),
    }
}

/// One step: these operations of a zone in one request.
#[must_use]
pub fn lower_step(zone: &ZonePlan, operations: Vec<usize>, lowering: Lowering) -> Step {
    let request = match (lowering, operations.as_slice()) {
        (Lowering::Single, [only]) => single(zone, &zone.operations[*only]),
        _ => batch(zone, operations.iter().map(|n| &zone.operations[*n])),
    };
    Step { request, operations }
}

/// Several operations in one batch.
fn batch<'a>(zone: &ZonePlan, operations: impl Iterator<Item = &'a Operation>) -> Request {
    let mut batch = Batch::default();
    for operation in operations {
        match &operation.action {
            Action::CreateRecord { after } => batch.post(after),
            Action::PatchRecord { id, after, patch, before: _ } => batch.patch(id, &after.data, patch),
            Action::DeleteRecord { id, .. } => batch.delete(id),
        }
    }
    batch.into_request(&zone.id)
}

/// One operation alone.
fn single(zone: &ZonePlan, operation: &Operation) -> Request {
    match &operation.action {
        Action::CreateRecord { after } => create_record(&zone.id, after),
        Action::PatchRecord { id, after, patch, before: _ } => patch_record(&zone.id, id, &after.data, patch),
        Action::DeleteRecord { id, .. } => delete_record(&zone.id, id),
    }
}
