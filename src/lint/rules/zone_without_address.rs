//! Zones in which no name has an address.

use crate::diagnostic::{Finding, Severity, count};
use crate::lint::context::{ADDRESSES, LintContext, OwnerRecords};
use crate::lint::{Findings, LintRule};
use crate::model::{Fqdn, RecordType};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0007",
        summary: "no name of the zone has an address",
        severity: Severity::Note,
        why: "The zone is pruned and has no A, AAAA or CNAME record: no website and no host can be \
            reached by a name in it. \
              This is right for a domain that is parked or used for mail alone. Zones that \
              delegate names, zones of \
              addresses (`in-addr.arpa`, `ip6.arpa`) and zones without any record are not checked.",
        fix: "Add the missing records, or change nothing if nothing should be reachable.",
    },
    sources: &[
        "developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types, read \
        2026-11-20",
    ],
    good: "\
zones:
  example.com:
    unmanaged: prune
    records:
      - { name: \"@\", type: A, content: 192.0.2.1 }
      - { name: \"@\", type: MX, content: 10 mx.example.net }
",
    bad: "\
zones:
  example.com:
    unmanaged: prune
    records:
      - { name: \"@\", type: MX, content: 10 mx.example.net }
",
    check: report_zones_without_address,
};

fn report_zones_without_address(context: &LintContext<'_>, findings: &mut Findings) {
    for zone in context
        .zones
        .iter()
        .filter(|z| z.knows_all(ADDRESSES) && !is_reverse(z.zone.name.as_fqdn()))
    {
        let useful = |o: &OwnerRecords<'_>| o.has_any(ADDRESSES) || o.has_any(&[RecordType::Ns]);
        let records = zone.zone.records.len();
        if records == 0 || zone.owners.iter().any(useful) {
            continue;
        }
        let detail = format!(
            "{} has {} and none of them is an A, AAAA or CNAME",
            zone.zone.name,
            count(records, "record")
        );
        findings.push(RULE.at(zone.zone.place, detail).about(zone.zone.name.to_string()).help(
            "write the A, AAAA or CNAME records of the zone if a website or host should be reached",
        ));
    }
}

/// Returns true if the names of a zone represent addresses.
fn is_reverse(name: &Fqdn) -> bool {
    [".in-addr.arpa", ".ip6.arpa"].iter().any(|end| name.as_str().ends_with(end))
}
