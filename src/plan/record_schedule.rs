//! The order in which a plan's changes of records are sent, and where a request may be divided.

use super::batches::{batches, bonds, groups, waits_for_delete};
use super::lowering::Lowering;
use super::zone_plan::ZonePlan;

/// The order in which a zone's changes of records are sent, and where a refused request may be
/// divided. A change is the number of its operation in the plan.
#[derive(Debug)]
pub struct RecordSchedule<'z> {
    zone: &'z ZonePlan,
    /// The kind of the requests.
    pub lowering: Lowering,
    /// Changes of each request, in the order of execution.
    pub batches: Vec<Vec<usize>>,
    /// Group of each operation. Operations of one group are sent together if possible.
    pub groups: Vec<usize>,
    /// Bond of each operation. Operations of one bond are never separated.
    pub bonds: Vec<usize>,
}

impl<'z> RecordSchedule<'z> {
    /// Schedules the changes of a zone's records.
    #[must_use]
    pub fn new(zone: &'z ZonePlan, lowering: Lowering) -> Self {
        let mut group_of = vec![0; zone.operations.len()];
        for (number, members) in groups(zone, lowering.size()).into_iter().enumerate() {
            for n in members {
                group_of[n] = number;
            }
        }
        let (batches, bonds) = (batches(zone, lowering), bonds(zone));
        Self { zone, lowering, batches, groups: group_of, bonds }
    }

    /// Returns the changes of each request if Cloudflare has no batch requests.
    #[must_use]
    pub fn single_requests(&self) -> Vec<Vec<usize>> {
        batches(self.zone, Lowering::Single)
    }

    /// Returns true if Cloudflare refuses a create while the record of a delete exists.
    #[must_use]
    pub fn waits_for_delete(&self, create: usize, delete: usize) -> bool {
        waits_for_delete(self.zone, create, delete)
    }
}
