//! Records below a delegated name.

use std::collections::HashSet;

use crate::diagnostic::{Finding, Severity, count};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::{Fqdn, RecordType};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0009",
        summary: "the record is below a delegated name",
        severity: Severity::Warning,
        why: "Resolvers ask the name servers of a delegated name for everything below it, so they \
            rarely see this record. \
              The addresses of name servers that are themselves below the name (glue) are needed, \
              and are not reported.",
        fix: "Move the record into the delegated zone, or remove it.",
    },
    sources: &["RFC 1034 section 4.2.1", "RFC 9471 (glue)"],
    good: "\
zones:
  example.com:
    records:
      - { name: lab, type: NS, content: ns1.lab.example.com }
      - { name: ns1.lab, type: A, content: 192.0.2.53 }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: lab, type: NS, content: ns1.example.net }
      - { name: www.lab, type: A, content: 192.0.2.1 }
",
    check: report_records_below_delegations,
};

fn report_records_below_delegations(context: &LintContext<'_>, findings: &mut Findings) {
    for zone in &context.zones {
        let Some(answers) = context.answers.named(&zone.zone.name) else { continue };
        let servers: HashSet<&Fqdn> = zone
            .owners
            .iter()
            .flat_map(|o| o.of_type(RecordType::Ns))
            .filter_map(|r| r.data.target())
            .collect();
        if servers.is_empty() {
            continue;
        }
        for owner in &zone.owners {
            let cut = answers.locate(owner.name.as_str()).and_then(|location| location.cut);
            let Some(cut) = cut.filter(|cut| cut.name() != owner.name.as_str()) else { continue };
            let is_glue = |t: Option<RecordType>| {
                matches!(t, Some(RecordType::A | RecordType::Aaaa)) && servers.contains(owner.name)
            };
            let hidden: Vec<_> =
                owner.records.iter().filter(|r| !is_glue(r.data.record_type())).collect();
            let ns = cut
                .of_type(RecordType::Ns)
                .first()
                .and_then(|ns| zone.owner(ns.name)?.of_type(RecordType::Ns).next());
            let (Some(record), Some(ns)) = (hidden.first(), ns) else { continue };
            let other_records = match hidden.len() - 1 {
                0 => String::new(),
                n => format!(", like {} of this name", count(n, "other record")),
            };
            let detail = format!(
                "`{}` is below `{}`, so this record may not be seen{other_records}",
                owner.name, ns.name
            );
            findings.push(
                RULE.at(record.spelling.place, detail)
                    .and_at(ns.spelling.place, format!("`{}` is delegated here", ns.name))
                    .about(zone.address(record))
                    .help("write it in the delegated zone, or remove it"),
            );
        }
    }
}
