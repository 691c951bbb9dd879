//! Lints that a spec accepts where they are found: `lint: { LINT0002: reason }` in a file, a zone, a
//! record or a rule. Doubts about expressions, `WAF0002`, are accepted in the same way.

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
            // A doubt about an expression has a place, and no address of a zone.
            let scope = match &scope {
                SuppressionScope::Zone(_) if code == findings::EXPRESSION_DOUBT.code => {
                    SuppressionScope::Entry(tree.place(owner))
                }
                scope => scope.clone(),
            };
            let (code, reason) = (code.to_owned(), reason.to_owned());
            all.push(Suppression { code, reason, place: Some(place), scope });
        }
    };
    let read_rules = |owner: NodeId, read: &mut dyn FnMut(NodeId, SuppressionScope)| {
        let Some(section) = tree.entry(owner, "waf") else { return };
        for list in ["exceptions", "custom", "rate_limits"] {
            let Some(list) = tree.entry(section.value, list) else { continue };
            for rule in tree.items(list.value) {
                read(*rule, SuppressionScope::Entry(tree.place(*rule)));
            }
        }
    };
    read(tree.root, SuppressionScope::File);
    let read_records = |owner: NodeId, read: &mut dyn FnMut(NodeId, SuppressionScope)| {
        let Some(records) = tree.entry(owner, "records") else { return };
        for record in tree.items(records.value) {
            read(*record, SuppressionScope::Entry(tree.place(*record)));
        }
    };
    for profile in tree.entry(tree.root, "profiles").map_or(&[][..], |all| tree.entries(all.value))
    {
        read_records(profile.value, &mut read);
        read_rules(profile.value, &mut read);
    }
    let Some(zones) = tree.entry(tree.root, "zones") else { return };
    for zone in tree.entries(zones.value) {
        // An invalid name has been reported.
        let Ok(name) = ZoneName::parse(tree.text(zone.key)) else { continue };
        read(zone.value, SuppressionScope::Zone(name));
        read_records(zone.value, &mut read);
        read_rules(zone.value, &mut read);
    }
}

/// Removes the doubts about expressions that are accepted, and reports acceptances of them that have
/// no effect. Returns the suppressions of lints.
pub(super) fn apply_to_expressions(
    suppressions: Vec<Suppression>,
    diagnostics: &mut Diagnostics,
) -> Vec<Suppression> {
    let is_about_expression = |one: &Suppression| one.code == findings::EXPRESSION_DOUBT.code;
    let (own, of_lints): (Vec<_>, Vec<_>) = suppressions.into_iter().partition(is_about_expression);
    if own.is_empty() {
        return of_lints;
    }
    let mut used = vec![false; own.len()];
    let mut kept = Diagnostics::default();
    for diagnostic in std::mem::take(diagnostics).into_iter() {
        let accepting = own.iter().position(|suppression| suppression.accepts(&diagnostic));
        match accepting {
            Some(number) => used[number] = true,
            None => kept.push(diagnostic),
        }
    }
    for (suppression, _) in own.iter().zip(used).filter(|(_, used)| !used) {
        if let Some(place) = suppression.place {
            let detail = format!("{} finds nothing here", suppression.code);
            kept.push(findings::UNUSED_SUPPRESSION.at(place, detail).help("remove it"));
        }
    }
    *diagnostics = kept;
    of_lints
}
