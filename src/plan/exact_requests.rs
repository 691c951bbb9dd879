//! Operations as exact requests, without sending anything.

use super::action::Action;
use super::batches::batches;
use super::lowering::Lowering;
use super::operation::Operation;
use super::subject::batch_request;
use super::zone_plan::ZonePlan;
use crate::wire::Request;

/// One request and the operations it carries out.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The request, complete.
    pub request: Request,
    /// Numbers of the zone's operations, in the order of execution.
    pub operations: Vec<usize>,
}

/// All requests that a zone's plan takes; a zone that is created gets this account, where
/// credentials can see several.
///
/// # Order
/// That of the operations; records as [`lower_records`] has them.
#[must_use]
pub fn lower(zone: &ZonePlan, lowering: Lowering, account: Option<&str>) -> Vec<Step> {
    let alone =
        zone.operations.iter().enumerate().filter(|(_, operation)| operation.record().is_none());
    let alone = alone.map(|(n, operation)| {
        let request = lower_operation(zone, operation, account);
        Step { request, operations: vec![n] }
    });
    let records = batches(zone, lowering).into_iter();
    alone.chain(records.map(|operations| lower_records(zone, operations, lowering))).collect()
}

/// An operation as a request of its own.
#[must_use]
pub fn lower_operation(zone: &ZonePlan, operation: &Operation, account: Option<&str>) -> Request {
    operation.subject.request(&zone.id, &zone.name, account)
}

/// These operations on records in one request.
///
/// # Order
/// By name, and within a name as [`batches`] has them. Cloudflare executes the deletes of a batch
/// first, then changes and creates.
#[must_use]
pub fn lower_records(zone: &ZonePlan, operations: Vec<usize>, lowering: Lowering) -> Step {
    let is_alone = |n: usize| match lowering {
        Lowering::Single => true,
        Lowering::Batches(size) => size <= 1 && zone.operations[n].action() != Action::Delete,
    };
    let request = match operations.as_slice() {
        [only] if is_alone(*only) => lower_operation(zone, &zone.operations[*only], None),
        _ => {
            batch_request(&zone.id, operations.iter().filter_map(|n| zone.operations[*n].record()))
        }
    };
    Step { request, operations }
}
