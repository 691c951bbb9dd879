//! Records below a delegated name.

use std::collections::HashSet;

use crate::diagnostic::{Finding, Severity, count};
use crate::lint::zone_lookup::ZoneLookup;
use crate::lint::{Findings, Rule};
use crate::model::{Fqdn, RecordType};

/// The rule.
pub(in crate::lint) static RULE: Rule = Rule {
    finding: Finding {
        code: "LINT0009",
        summary: "the record is below a delegated name",
        severity: Severity::Warning,
        why: "Resolvers ask the name servers of a delegated name for everything below it, so they rarely see this record. \
              The addresses of name servers that are themselves below the name (glue) are needed, and are not reported.",
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
    check,
};

fn check(lookup: &ZoneLookup<'_>, findings: &mut Findings) {
    for zone in &lookup.zones {
        let servers: HashSet<&Fqdn> = zone
            .owners
            .iter()
            .flat_map(|o| o.of_type(RecordType::Ns))
            .filter_map(|r| r.data.target())
            .collect();
        for (number, owner) in zone.owners.iter().enumerate() {
            let Some(cut) = zone.delegation_above(number) else { continue };
            let is_glue = |t: Option<RecordType>| {
                matches!(t, Some(RecordType::A | RecordType::Aaaa)) && servers.contains(owner.name)
            };
            let hidden: Vec<_> =
                owner.records.iter().filter(|r| !is_glue(r.data.record_type())).collect();
            let (Some(record), Some(ns)) = (hidden.first(), cut.of_type(RecordType::Ns).next())
            else {
                continue;
            };
            let others = match hidden.len() - 1 {
                0 => String::new(),
                n => format!(", like {} of this name", count(n, "other record")),
            };
            let detail = format!(
                "`{}` is below `{}`, so this record may not be seen{others}",
                owner.name, cut.name
            );
            findings.push(
                RULE.at(record.spelling.place, detail)
                    .and_at(ns.spelling.place, format!("`{}` is delegated here", cut.name))
                    .about(zone.address(record))
                    .help("write it in the delegated zone, or remove it"),
            );
        }
    }
}
