//! Lints that a spec accepts where they are found: `lint: { LINT0002: reason }` in a file, a zone
//! or a record.

use super::yaml_tree::{NodeId, Tree};
use crate::diagnostic::{Diagnostics, findings};
use crate::model::{Suppression, SuppressionScope, ZoneName};

/// Collects the suppressions of a file.
pub(super) fn collect(
    tree: &Tree,
    text: &str,
    all: &mut Vec<Suppression>,
    diagnostics: &mut Diagnostics,
) {
    // Most files have none.
    if !text.contains("lint") {
        return;
    }
    let mut read = |owner: NodeId, scope: SuppressionScope| {
        let Some(section) = tree.entry(owner, "lint") else { return };
        for entry in tree.entries(section.value) {
            let (code, reason, place) =
                (tree.text(entry.key), tree.text(entry.value).trim(), tree.place(entry.key));
            if reason.is_empty() {
                diagnostics.push(
                    findings::INVALID_SUPPRESSION
                        .at(place, format!("nothing says why `{}` is accepted", super::clip(code)))
                        .help("write the reason as its value"),
                );
                continue;
            }
            let (code, reason) = (code.to_owned(), reason.to_owned());
            all.push(Suppression { code, reason, place: Some(place), scope: scope.clone() });
        }
    };
    read(tree.root, SuppressionScope::File);
    let Some(zones) = tree.entry(tree.root, "zones") else { return };
    for zone in tree.entries(zones.value) {
        // An invalid name has been reported.
        let Ok(name) = ZoneName::parse(tree.text(zone.key)) else { continue };
        read(zone.value, SuppressionScope::Zone(name));
        if let Some(records) = tree.entry(zone.value, "records") {
            for record in tree.items(records.value) {
                read(*record, SuppressionScope::Entry(tree.place(*record)));
            }
        }
    }
}
