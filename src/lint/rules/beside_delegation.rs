//! Records at a delegated name itself.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::RecordType;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0008",
        summary: "the record is at a delegated name",
        severity: Severity::Warning,
        why: "Resolvers follow the NS records of a name to its name servers, so they rarely see \
            other records there; zones \
              with advanced name servers never serve them. The documentation says that NS shares a \
              name with DS alone; in \
              practice Cloudflare accepts some types, hence a warning. Addresses and aliases \
              beside NS are refused, and \
              are an error (DNS0007).",
        fix: "Move the record into the delegated zone, or remove it.",
    },
    sources: &[
        "RFC 1034 section 4.2.1",
        "developers.cloudflare.com/dns/foundation-dns/setup, read 2026-11-20",
        "developers.cloudflare.com/api/resources/dns/subresources/records, read 2026-11-20",
    ],
    good: "\
zones:
  example.com:
    records:
      - { name: lab, type: NS, content: [ns1.example.net, ns2.example.net] }
      - { name: lab-note, type: TXT, content: run by the lab team }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: lab, type: NS, content: [ns1.example.net, ns2.example.net] }
      - { name: lab, type: TXT, content: run by the lab team }
",
    check: report_records_beside_delegations,
};

fn report_records_beside_delegations(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners().filter(|(z, o)| !z.is_apex(o.name)) {
        let Some(ns) = owner.of_type(RecordType::Ns).next() else { continue };
        let beside = |t: RecordType| {
            t != RecordType::Ns && t.as_str() != "DS" && !t.excludes_at(RecordType::Ns, false)
        };
        // One finding for each type is enough.
        for same in owner.records.chunk_by(|a, b| a.data.record_type() == b.data.record_type()) {
            let (record, Some(record_type)) = (same[0], same[0].data.record_type()) else {
                continue;
            };
            if !beside(record_type) {
                continue;
            }
            let detail = format!(
                "`{}` is delegated, so this {record_type} record may not be seen",
                owner.name
            );
            findings.push(
                RULE.at(record.spelling.place, detail)
                    .and_at(ns.spelling.place, "it is delegated here")
                    .about(zone.address(record))
                    .help("write it in the delegated zone, or remove it"),
            );
        }
    }
}
