//! Drift: differences between the live state and the previous spec.

use std::collections::BTreeSet;

use super::zone_plan::ZonePlan;
use crate::diff::RecordChange;
use crate::model::{Address, DesiredRecord, Fqdn, Rdata, RecordId};

/// Differences between the live state and the previous spec.
pub(super) struct Drift<'p> {
    /// Records that would be created again, because someone removed or changed them.
    pub(super) created: BTreeSet<(&'p Fqdn, &'p Rdata)>,
    /// Live records that differ from the previous spec.
    pub(super) touched: BTreeSet<RecordId>,
    /// Live records that the previous spec does not want.
    pub(super) deleted: BTreeSet<RecordId>,
    /// The addresses of everything that differs.
    pub(super) addresses: BTreeSet<Address>,
}

impl<'p> Drift<'p> {
    /// Derives the drift from the plan of the previous spec.
    pub(super) fn new(past: &'p ZonePlan) -> Self {
        let mut drift = Self {
            created: BTreeSet::new(),
            touched: BTreeSet::new(),
            deleted: BTreeSet::new(),
            addresses: past.addresses().cloned().collect(),
        };
        for (_, _, record) in past.records() {
            match &record.change {
                RecordChange::Create { after } => {
                    drift.created.insert((&after.name, &after.data));
                }
                RecordChange::Update { id, after, .. } => {
                    drift.touched.insert(id.clone());
                    drift.created.insert((&after.name, &after.data));
                }
                RecordChange::Delete { id, .. } => {
                    drift.touched.insert(id.clone());
                    drift.deleted.insert(id.clone());
                }
            }
        }
        drift
    }
}

/// Finds a record in a sorted list.
pub(super) fn find<'r>(
    records: &'r [DesiredRecord],
    name: &Fqdn,
    data: &Rdata,
) -> Option<&'r DesiredRecord> {
    let record_key = (name, data.record_type(), data);
    let position =
        records.binary_search_by(|r| (&r.name, r.data.record_type(), &r.data).cmp(&record_key));
    position.ok().map(|n| &records[n])
}
