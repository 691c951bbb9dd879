//! Converts operations to exact requests, without sending anything.

use super::action::Action;
use super::batches::batches;
use super::lowering::Lowering;
use super::operation::Operation;
use super::subject::batch_request;
use super::zone_plan::ZonePlan;
use crate::wire::Request;

/// One request and its operations.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The complete request.
    pub request: Request,
    /// Numbers of the zone's operations, in the order of execution.
    pub operations: Vec<usize>,
}

/// Returns all requests of a zone's plan. A zone that is created is created in this account, if the
/// credentials can access several.
///
/// # Order
/// They are in the order of the operations. Records are in the order of [`lower_records`].
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

/// Returns the request for a single operation.
#[must_use]
pub fn lower_operation(zone: &ZonePlan, operation: &Operation, account: Option<&str>) -> Request {
    operation.subject.request(&zone.id, &zone.name, account)
}

/// Returns one request for these operations on records.
///
/// # Order
/// They are ordered by name, and within a name as in `RecordSchedule::batches`. Cloudflare executes
/// the deletes of a batch first, then changes and creates.
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
