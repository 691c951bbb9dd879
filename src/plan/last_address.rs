//! Finds the names that lose their last address: the danger `removes-last-address`.
//!
//! Raised for a name without labels that begin with `_`, if the answers for it led to a server
//! before the plan and do not after it, and if after the plan one of these holds:
//!
//! | | because |
//! |---|---|
//! | the name keeps other records, or is an alias that leads to nothing | it is still in use |
//! | it is the apex | it cannot be given up |
//! | it is a wildcard | every name that it covers loses its address |
//! | a record of any zone of the run refers to it | that record leads to nothing |
//! | an expectation, or an enabled rule, is about it | the spec counts on it |
//! | the delete was not asked for: pruning of a record that the base did not have | someone else may use it |
//!
//! All of these are evaluated on the zones after the plan, so anything that the same plan removes
//! does not count. A wildcard that answers afterwards is `falls-to-wildcard`.

use std::collections::BTreeMap;

use super::operation::Operation;
use super::zone_plan::ZonePlan;
use crate::diff::DeleteReason;
use crate::insight::dns::{Entry, RecordEdit, References, Zones};
use crate::model::{Danger, Desired, Fqdn, RecordType};

/// The records of all zones of a run, before and after their plans.
pub(super) struct Records<'r, 'a> {
    /// The zones before their plans.
    pub(super) before: &'r Zones<'a>,
    /// The zones after their plans.
    pub(super) after: &'r Zones<'a>,
    /// The edits of the plans.
    pub(super) edits: &'r [RecordEdit<'a>],
    /// References to the names that are edited or created, after the plans.
    pub(super) references: &'r References<'a>,
    /// Names that exist because of new names below them ([`names_made_above`]).
    pub(super) made: &'r NamesMade,
}

/// Names with the numbers of the edits that may take their address.
pub(super) type NamesMade = BTreeMap<Fqdn, Vec<usize>>;

impl Records<'_, '_> {
    /// Returns the numbers of the edits that take the last address of a name. `is_unasked` returns
    /// true for a delete that nobody asked for.
    pub(super) fn takers(
        &self,
        desired: &Desired,
        is_unasked: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut takers = Vec::new();
        for (name, edits) in self.candidates() {
            let is_unasked = || edits.iter().any(|n| is_unasked(*n));
            if self.loses(name)
                && (self.is_in_use(name) || is_expected(desired, name) || is_unasked())
            {
                takers.extend(self.of_servers(&edits).unwrap_or(edits));
            }
        }
        for (name, edits) in self.made {
            if self.loses(name) && (self.is_in_use(name) || is_expected(desired, name)) {
                takers.extend(edits);
            }
        }
        takers
    }

    /// Returns true if the answers for a name led to a server, and no longer do.
    fn loses(&self, name: &Fqdn) -> bool {
        self.before.leads_to_server(name) == Some(true)
            && self.after.leads_to_server(name) == Some(false)
    }

    /// Returns the edited names that can lose an address. A name that only gets addresses cannot.
    fn candidates(&self) -> BTreeMap<&Fqdn, Vec<usize>> {
        let mut candidates: BTreeMap<&Fqdn, Vec<usize>> = BTreeMap::new();
        for (n, edit) in self.edits.iter().enumerate().filter(|(_, edit)| edit.changes_answers()) {
            let is_new_address = edit.before.is_none()
                && edit.after.is_some_and(|entry| entry.data.address().is_some());
            if let Some(name) =
                edit.name().filter(|name| !is_new_address && !name.has_underscored_label())
            {
                candidates.entry(name).or_default().push(n);
            }
        }
        candidates
    }

    /// Returns true if something needs the address of a name after the plans.
    fn is_in_use(&self, name: &Fqdn) -> bool {
        let records_at = |zones: &Zones<'_>| -> Vec<bool> {
            let zone = zones.zone_of(name).into_iter();
            zone.flat_map(|zone| zone.records(name))
                .map(|entry| entry.is(RecordType::Cname))
                .collect()
        };
        let (records_before, records_after) = (records_at(self.before), records_at(self.after));
        let keeps_records = !records_before.is_empty() && !records_after.is_empty();
        let is_dead_alias = records_after.contains(&true);
        let is_apex = self.after.zone_of(name).is_some_and(|zone| zone.name().as_fqdn() == name);
        keeps_records
            || is_dead_alias
            || is_apex
            || name.is_wildcard()
            || !self.references.to(name).is_empty()
            || self.references.has_rule_about(name)
    }

    /// Returns those of some edits that concern records that lead to a server; `None` if there are
    /// none.
    fn of_servers(&self, edits: &[usize]) -> Option<Vec<usize>> {
        let leads = |entry: Option<Entry<'_>>| entry.is_some_and(|entry| entry.leads_to_a_server());
        let of_server = |edit: &RecordEdit<'_>| leads(edit.before) || leads(edit.after);
        let of_servers =
            edits.iter().copied().filter(|n| self.edits.get(*n).is_some_and(of_server));
        Some(of_servers.collect::<Vec<_>>()).filter(|edits| !edits.is_empty())
    }
}

/// Returns the names that exist because of new names below them, in zones where such a name hides a
/// wildcard, with the numbers of the edits that create them.
pub(super) fn names_made_above(
    before: &Zones<'_>,
    after: &Zones<'_>,
    edits: &[RecordEdit<'_>],
) -> NamesMade {
    let mut created_names = NamesMade::new();
    for (n, edit) in edits.iter().enumerate().filter(|(_, edit)| edit.before.is_none()) {
        let (Some(old), Some(new), Some(name)) =
            (before.named(edit.zone), after.named(edit.zone), edit.name())
        else {
            continue;
        };
        if new.serving().stops_at_empty != Some(true) {
            continue;
        }
        let names_above = std::iter::successors(parent(name.as_str()), |name| parent(name));
        for above in names_above.take_while(|above| above.len() > new.name().as_str().len()) {
            if old.node(above).is_some() {
                break;
            }
            created_names.entry(Fqdn::reported(above)).or_default().push(n);
        }
    }
    created_names
}

/// Returns the name above a name.
fn parent(name: &str) -> Option<&str> {
    name.split_once('.').map(|(_, parent)| parent)
}

/// Returns true if an expectation of the spec is about a name.
fn is_expected(desired: &Desired, name: &Fqdn) -> bool {
    desired
        .zones
        .values()
        .flat_map(|zone| &zone.expect)
        .any(|expectation| expectation.what.names(name))
}

/// Returns true if an operation deletes a record that nobody asked to delete: the zone is pruned,
/// and the base did not have the record.
pub(super) fn is_unasked(operation: &Operation) -> bool {
    operation
        .record()
        .is_some_and(|record| record.change.deletes_for(DeleteReason::Pruned) && !record.was_wanted)
}

/// Adds the danger to some operations of a plan, by their numbers. Consents to it for other
/// operations are dropped, because they are not needed.
pub(super) fn mark(plan: &mut ZonePlan, takers: impl Iterator<Item = usize>) {
    for n in takers {
        if let Some(operation) = plan.operations.get_mut(n)
            && !operation.dangers.contains(&Danger::RemovesLastAddress)
        {
            operation.dangers.push(Danger::RemovesLastAddress);
            operation.dangers.sort();
        }
    }
    for operation in &mut plan.operations {
        if !operation.dangers.contains(&Danger::RemovesLastAddress) {
            operation.accepted.remove(&Danger::RemovesLastAddress);
        }
    }
}
