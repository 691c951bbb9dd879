//! Differences between the source of an import and Cloudflare.
//!
//! Takes the plan of the imported spec, and the origin of each record. Returns findings at places
//! of the source. Pure.

use std::collections::HashSet;

use super::Planned;
use crate::diagnostic::{Diagnostic, Diagnostics, Finding, Place, cut, findings};
use crate::diff::{FieldChange, diff_rulesets};
use crate::live::MissingZone;
use crate::model::{Address, DesiredZone, Fqdn, LiveZone, Rdata, ZoneName};
use crate::plan::{Action, ZonePlan};

/// Maximum number of findings of a kind in a zone. The rest is counted.
const MOST: usize = 50;
/// Maximum number of fields of one difference.
const MOST_FIELDS: usize = 4;
/// Maximum length of a value that is quoted.
///
/// # Units
/// Characters.
const LONGEST: usize = 80;

/// Returns the place of a record in the source; `None` if it is unknown.
pub(crate) type OriginOf<'o> = dyn Fn(&ZoneName, &Fqdn, &Rdata) -> Option<Place> + 'o;

/// The differences between a source and Cloudflare.
#[derive(Debug, Default)]
pub(crate) struct Migration {
    /// The differences.
    pub diagnostics: Diagnostics,
    /// Number of equal records.
    pub equal: usize,
    /// Number of records, settings and rules that differ.
    pub different: usize,
    /// Number of records, rules and zones that only the source has.
    pub only_in_source: usize,
    /// Number of records that only Cloudflare has, and of such rules in phases of the source.
    pub only_at_cloudflare: usize,
}

/// Compares the imported spec with Cloudflare.
#[must_use]
pub(crate) fn migration(planned: &Planned<'_>, origin: &OriginOf<'_>) -> Migration {
    let mut result = Migration::default();
    for zone in planned.goal.desired.zones.values() {
        let plan = planned.plan.zones.iter().find(|plan| plan.name == zone.name);
        match (planned.live.zones.get(&zone.name), plan) {
            (Some(live), Some(plan)) => result.zone(zone, live, plan, origin),
            _ => {
                result.only_in_source += 1 + zone.records.len();
                let detail = MissingZone::named(&zone.name, None).what();
                result.diagnostics.push(findings::ONLY_IN_SOURCE.nowhere(detail));
            }
        }
    }
    result
}

impl Migration {
    /// Compares a zone.
    fn zone(
        &mut self,
        zone: &DesiredZone,
        live: &LiveZone,
        plan: &ZonePlan,
        origin: &OriginOf<'_>,
    ) {
        let source_records: HashSet<(&Fqdn, &Rdata)> =
            zone.records.iter().map(|record| (&record.name, &record.data)).collect();
        let live_records: HashSet<(&Fqdn, &Rdata)> =
            live.records.iter().map(|record| (&record.name, &record.data)).collect();
        let shown = |name: &Fqdn, data: &Rdata| {
            let value = clipped(&data.presentation());
            format!("{}: {} {} {value}", zone.name, zone.name.relative(name), data.type_name())
        };
        let missing = zone
            .records
            .iter()
            .filter(|record| !live_records.contains(&(&record.name, &record.data)));
        let missing = missing.map(|record| {
            let place = origin(&zone.name, &record.name, &record.data);
            found(findings::ONLY_IN_SOURCE, place, shown(&record.name, &record.data))
        });
        // Rules and rulesets that the plan would create. A phase without an entry point is created
        // as a whole.
        let waf = diff_rulesets(zone, live);
        let rules_of = |address: &Address| -> Vec<Address> {
            let phase = waf
                .phases
                .iter()
                .find(|of| Address::of_rule(&zone.name, of.phase, None) == *address);
            let rules = phase
                .into_iter()
                .flat_map(|of| of.changes.iter().map(|rule| (of.phase, &rule.name)));
            rules.map(|(phase, name)| Address::of_rule(&zone.name, phase, Some(name))).collect()
        };
        let created =
            plan.operations.iter().filter(|o| o.record().is_none() && o.action() == Action::Create);
        let created = created.flat_map(|operation| match rules_of(&operation.address) {
            rules if rules.is_empty() => vec![operation.address.clone()],
            rules => rules,
        });
        let created =
            created.map(|address| found(findings::ONLY_IN_SOURCE, None, address.to_string()));
        self.only_in_source += self.add(findings::ONLY_IN_SOURCE, zone, created);
        let missing = self.add(findings::ONLY_IN_SOURCE, zone, missing);
        let own_records = live.records.iter().filter(|record| record.read_only.is_none());
        let unknown_records =
            own_records.filter(|record| !source_records.contains(&(&record.name, &record.data)));
        let unknown_records = unknown_records.map(|record| {
            found(findings::ONLY_AT_CLOUDFLARE, None, shown(&record.name, &record.data))
        });
        // Only rules of phases that the source has.
        let rules =
            waf.phases.iter().flat_map(|of| of.foreign.iter().map(|rule| (of.phase, rule.shown())));
        let rules = rules.map(|(phase, name)| Address::of_rule(&zone.name, phase, Some(name)));
        let rules =
            rules.map(|address| found(findings::ONLY_AT_CLOUDFLARE, None, address.to_string()));
        self.only_at_cloudflare +=
            self.add(findings::ONLY_AT_CLOUDFLARE, zone, unknown_records.chain(rules));
        self.only_in_source += missing;
        let is_same_value = |operation: &crate::plan::Operation| {
            operation.record().is_none()
                || operation.fields.iter().all(|change| change.field.is_facet())
        };
        let operations = plan.operations.iter().filter(|operation| is_same_value(operation));
        let operations = operations.filter(|operation| match operation.record() {
            Some(_) => operation.action() == Action::Update,
            None => operation.action() != Action::Create,
        });
        let differences: Vec<Diagnostic> = operations
            .clone()
            .map(|operation| {
                let fields: Vec<String> =
                    operation.fields.iter().take(MOST_FIELDS).map(difference).collect();
                let what =
                    if fields.is_empty() { "it differs".to_owned() } else { fields.join("; ") };
                let place = zone
                    .records
                    .iter()
                    .find(|record| operation.place == Some(record.spelling.entry));
                let place = place.and_then(|record| origin(&zone.name, &record.name, &record.data));
                found(
                    findings::DIFFERENT_AT_CLOUDFLARE,
                    place,
                    format!("{}: {what}", operation.address),
                )
            })
            .collect();
        let records = operations.filter(|operation| operation.record().is_some()).count();
        self.different +=
            self.add(findings::DIFFERENT_AT_CLOUDFLARE, zone, differences.into_iter());
        self.equal += zone.records.len().saturating_sub(missing + records);
    }

    /// Adds findings of a kind. Returns their number.
    fn add(
        &mut self,
        kind: &'static Finding,
        zone: &DesiredZone,
        all: impl Iterator<Item = Diagnostic>,
    ) -> usize {
        let mut n = 0;
        for diagnostic in all {
            n += 1;
            if n <= MOST {
                self.diagnostics.push(diagnostic);
            }
        }
        if n > MOST {
            self.diagnostics.push(kind.nowhere(format!("{}: {} more", zone.name, n - MOST)));
        }
        n
    }
}

/// Returns a finding, at its place if that is known.
fn found(kind: &'static Finding, place: Option<Place>, detail: String) -> Diagnostic {
    match place.filter(|place| *place != Place::NOWHERE) {
        Some(place) => kind.at(place, detail),
        None => kind.nowhere(detail),
    }
}

/// Describes a field that differs.
fn difference(change: &FieldChange) -> String {
    let (source, live) = (clipped(&change.after.to_string()), clipped(&change.before.to_string()));
    format!("`{}` is {source} in the source and {live} at Cloudflare", change.field)
}

/// Returns the beginning of a text.
fn clipped(text: &str) -> String {
    if text.is_empty() { "none".to_owned() } else { cut(text, LONGEST) }
}
