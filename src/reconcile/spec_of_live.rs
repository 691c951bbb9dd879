//! Returns a spec of the live state, which `validate` accepts and which plans nothing once it is
//! printed.
//!
//! Cloudflare stores records that a spec may not contain: a CNAME that leads to itself over three
//! names, a DS record without its delegation. A lint about such a record is suppressed at its
//! place, so that it stays visible and applies to nothing else. A record that no spec can express
//! is left out, with a note.

use crate::diagnostic::{Diagnostic, Diagnostics, Severity, Sources};
use crate::lint;
use crate::model::{Desired, DesiredRecord, DesiredZone, Suppression, SuppressionScope};
use crate::spec::{self, Input, Options};

/// The reason that is written to each suppression.
const REASON: &str = "as found at import";

/// The spec of a live state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AsFound {
    /// The spec to print.
    pub desired: Desired,
    /// Records that were left out, with the reasons.
    pub notes: Vec<String>,
}

/// Adds the suppressions of lints that a spec needs. Records that a spec cannot express are left
/// out.
#[must_use]
pub(crate) fn as_found(desired: Desired) -> AsFound {
    let mut notes = Vec::new();
    let text = spec::print(&desired);
    let (read, errors) = load(text);
    if let Some(read) = read {
        drop(desired);
        return AsFound { desired: accepted(read), notes };
    }
    let mut kept = desired;
    for (name, zone) in &mut kept.zones {
        let alone = |record: &DesiredRecord| {
            let records = vec![record.clone()];
            let zone = DesiredZone { records, ..DesiredZone::new(name.clone(), zone.place) };
            load(spec::print(&Desired {
                zones: [(name.clone(), zone)].into(),
                ..Desired::default()
            }))
            .1
        };
        let refused: Vec<_> = zone.records.iter().map(alone).collect();
        let mut refused = refused.into_iter();
        zone.records.retain(|record| {
            match refused.next().as_ref().and_then(|all| all.iter().find(is_error)) {
                None => true,
                Some(error) => {
                    let what =
                        format!("{} {}", name.relative(&record.name), record.data.type_name());
                    notes.push(format!(
                        "{name}: {what} was left out, because a spec cannot express it: {}",
                        error.detail
                    ));
                    false
                }
            }
        });
    }
    match load(spec::print(&kept)).0 {
        Some(read) => AsFound { desired: accepted(read), notes },
        None => {
            // Records that a spec cannot express together. The author decides.
            notes.extend(
                errors
                    .iter()
                    .filter(is_error)
                    .map(|e| format!("the spec has an error: {}", e.detail)),
            );
            AsFound { desired: kept, notes }
        }
    }
}

/// Reads a printed spec.
fn load(text: String) -> (Option<Desired>, Diagnostics) {
    let outcome = spec::load(&[Input::Stdin(text)], &Options::default(), &mut Sources::default());
    (outcome.desired, outcome.diagnostics)
}

/// Returns true if a finding makes a spec unusable.
fn is_error(diagnostic: &&Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

/// Returns a spec in which every error of a lint is accepted.
fn accepted(mut desired: Desired) -> Desired {
    loop {
        let diagnostics = lint::lint(&desired);
        let suppressions: Vec<Suppression> = diagnostics
            .iter()
            .filter(is_error)
            .map(|error| Suppression {
                code: error.code().to_owned(),
                reason: REASON.to_owned(),
                place: None,
                scope: scope(&desired, error),
            })
            .filter(|suppression| !desired.suppressions.contains(suppression))
            .collect();
        if suppressions.is_empty() {
            return desired;
        }
        for suppression in suppressions {
            if !desired.suppressions.contains(&suppression) {
                desired.suppressions.push(suppression);
            }
        }
    }
}

/// Returns the scope of a suppression: the record that a finding points to, otherwise its zone.
fn scope(desired: &Desired, finding: &Diagnostic) -> SuppressionScope {
    let place = finding.primary.as_ref().map(|label| label.place);
    let records =
        desired.zones.values().flat_map(|zone| &zone.records).map(|record| record.spelling.entry);
    if let Some(entry) =
        place.and_then(|place| records.into_iter().find(|entry| entry.contains(place)))
    {
        return SuppressionScope::Entry(entry);
    }
    let is_own = |zone: &&DesiredZone| match (&finding.address, place) {
        (Some(address), _) => address.split('/').next() == Some(zone.name.as_str()),
        (None, Some(place)) => {
            zone.place.source == place.source && zone.place.span.start <= place.span.start
        }
        (None, None) => false,
    };
    // A place belongs to the last zone that begins before it.
    let zone = desired.zones.values().filter(is_own).max_by_key(|zone| zone.place.span.start);
    zone.map_or(SuppressionScope::Everything, |zone| SuppressionScope::Zone(zone.name.clone()))
}
