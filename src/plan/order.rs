//! Which operations go together in one request.
//!
//! A batch is one transaction, and a name is changed in one transaction if at all possible: its operations never straddle
//! two batches, so a swap of types or a rename of values leaves no moment without an answer. Only a name with more
//! operations than a batch may hold is cut, its deletes first.

use super::operation::{Action, Operation, ZonePlan};
use crate::model::Fqdn;

/// Cuts a zone's operations into batches of at most `size`, as indices in the order of execution.
pub(super) fn batches(zone: &ZonePlan, size: usize) -> Vec<Vec<usize>> {
    let size = size.max(1);
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for group in groups(zone) {
        match batches.last_mut() {
            Some(last) if last.len() + group.len() <= size => last.extend(group),
            _ => batches.extend(group.chunks(size).map(<[usize]>::to_vec)),
        }
    }
    batches
}

/// The operations of each name. In a zone whose quota is tight, names that shrink come before names that grow.
fn groups(zone: &ZonePlan) -> Vec<Vec<usize>> {
    let mut groups: Vec<(&Fqdn, Vec<usize>)> = Vec::new();
    for (n, operation) in zone.operations.iter().enumerate() {
        let name = &operation.form().name;
        match groups.last_mut() {
            Some((last, group)) if *last == name => group.push(n),
            _ => groups.push((name, vec![n])),
        }
    }
    if zone.tight {
        groups.sort_by_key(|(_, group)| group.iter().map(|n| growth(&zone.operations[*n])).sum::<i64>());
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// How many records an operation adds.
fn growth(operation: &Operation) -> i64 {
    match operation.action {
        Action::CreateRecord { .. } => 1,
        Action::PatchRecord { .. } => 0,
        Action::DeleteRecord { .. } => -1,
    }
}
