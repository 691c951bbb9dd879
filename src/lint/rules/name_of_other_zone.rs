//! Names that seem to be meant for another zone.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::{LintContext, LintedZone, OwnerRecords};
use crate::lint::{Findings, LintRule};
use crate::model::{Address, DesiredRecord, Expectation, Expected, Fqdn};

/// Last labels that do not occur inside a zone by chance.
const TOP_LEVEL: &[&str] = &["com", "net", "org"];

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0011",
        summary: "the name looks like one of another zone",
        severity: Severity::Warning,
        why: "A name without a final dot is completed with the name of the zone, unless it ends \
            with that already: `www.example.net` \
              in the zone example.com means `www.example.net.example.com`. The lint reports names \
              that end with another \
              zone of the spec, or in `.com`, `.net` or `.org`. It reports such a name in an \
              expectation as well, if it has no \
              records, because `answer: none` would hold for it whatever is published.",
        fix: "Move the record to the zone it belongs to. If it is meant as written, write the \
            whole name with a final dot.",
    },
    sources: &["RFC 1035 section 5.1"],
    good: "\
zones:
  example.com:
    records:
      - { name: www, type: A, content: 192.0.2.1 }
      - { name: www.example.net.example.com., type: A, content: 192.0.2.1 }
  example.net:
    records:
      - { name: www.example.net, type: A, content: 192.0.2.1 }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: www.example.net, type: A, content: 192.0.2.1 }
",
    check: report_names_of_other_zones,
};

fn report_names_of_other_zones(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners() {
        // All spellings of a name are equal, so one finding is enough.
        let Some((record, written)) = odd(zone, owner) else { continue };
        let Some(place) = elsewhere(context, zone, &written) else { continue };
        findings.push(
            RULE.at(
                record.spelling.place,
                format!("`{}` means `{}`", record.spelling.name, owner.name),
            )
            .about(zone.address(record))
            .help(format!("{place}, or write `{}.` if this is what you mean", owner.name)),
        );
    }
    for zone in &context.zones {
        for expectation in &zone.zone.expect {
            let Some((name, written)) = asked_name(zone, expectation) else { continue };
            let Some(place) = elsewhere(context, zone, &written) else { continue };
            findings.push(
                RULE.at(
                    expectation.place,
                    format!("`{}` asks for `{name}`, which has no records", expectation.name),
                )
                .about(Address::of_zone_part(&zone.zone.name, "expect").to_string())
                .help(format!("{place}, or add a record with this name if this is what you mean")),
            );
        }
    }
}

/// Returns the suggestion for a name that looks like one of another zone.
fn elsewhere(context: &LintContext<'_>, zone: &LintedZone<'_>, written: &Fqdn) -> Option<String> {
    let zone_of_name = context.answers.zone_of(written).map(|zone| zone.name());
    let other_zone =
        zone_of_name.filter(|name| **name != zone.zone.name && name.as_fqdn().label_count() > 1);
    let last = written.as_str().rsplit('.').next().unwrap_or_default();
    match other_zone {
        Some(other) => Some(format!("move it to the zone {other}")),
        None => TOP_LEVEL.contains(&last).then(|| "move it to the zone it belongs to".to_owned()),
    }
}

/// Returns the name whose answer is expected, if it has no records, and that name as it would be
/// outside the zone.
fn asked_name<'a>(zone: &LintedZone<'_>, expectation: &'a Expectation) -> Option<(&'a Fqdn, Fqdn)> {
    let Expected::Answer { name, .. } = &expectation.what else { return None };
    let written = Fqdn::parse(zone.zone.name.relative(name))
        .ok()
        .filter(|written| written.label_count() > 1)?;
    let has_records = zone.owner(name).is_some();
    (!has_records && name.is_within(zone.zone.name.as_fqdn())).then_some((name, written))
}

/// Returns the first record whose name was written without the zone name, and that name as it would
/// be outside the zone.
fn odd<'a>(zone: &LintedZone<'a>, owner: &OwnerRecords<'a>) -> Option<(&'a DesiredRecord, Fqdn)> {
    // Only names with at least two labels can be meant. This skips most names.
    if owner.name.label_count() < zone.zone.name.as_fqdn().label_count() + 2 {
        return None;
    }
    owner.records.iter().find_map(|record| {
        let written = Fqdn::parse(&record.spelling.name).ok()?;
        (!written.is_within(zone.zone.name.as_fqdn()) && written.label_count() > 1)
            .then_some((*record, written))
    })
}
