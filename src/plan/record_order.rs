//! The order in which a plan lists the changes of a zone's records. Before them it lists the zone
//! itself, its settings, and its rules in the order of execution.
//!
//! Batches keep the order of names, and of the operations of a name that is not divided
//! (`batches`). Apply executes the rules of an existing zone before its settings (`apply`), because
//! their state is checked again before anything is sent.

use crate::diff::{Change, RecordChange};
use crate::model::{Address, Fqdn, sort_by};

/// Returns the changes of records in order.
pub(super) fn ordered<'c, 'a>(changes: &'c [Change<'a>]) -> Vec<&'c Change<'a>> {
    let mut ordered: Vec<_> = changes.iter().collect();
    sort_by(&mut ordered, |a, b| record_rank(a).cmp(&record_rank(b)));
    ordered
}

/// Returns the rank of a record change: by name; deletes before operations that need the name or
/// the value; DS records are deleted before their NS records, and created after them.
///
/// # Sources
/// A DS record needs NS records at its name (RFC 4035 section 2.4), and Cloudflare refuses one
/// without them.
fn record_rank<'c>(change: &'c Change<'_>) -> (&'c Fqdn, u8, &'c Address) {
    let (name, rank) = match &change.change {
        RecordChange::Delete { before, .. } => match before.data.type_name() {
            "DS" => (&before.name, 0),
            "NS" => (&before.name, 2),
            _ => (&before.name, 1),
        },
        RecordChange::Update { after, .. } => (&after.name, 3),
        RecordChange::Create { after } => match after.data.type_name() {
            "NS" => (&after.name, 4),
            "DS" => (&after.name, 6),
            _ => (&after.name, 5),
        },
    };
    (name, rank, &change.address)
}
