//! SRV records at names that no client asks for.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0019",
        summary: "the SRV record is not at the name of a service",
        severity: Severity::Warning,
        why: "Clients look for a service at `_service._proto.name`, such as \
            `_sip._tcp.example.com`. They do not look for an SRV record \
              at another name.",
        fix: "Begin the name with the labels of service and protocol, each with an underscore.",
    },
    sources: &["RFC 2782", "RFC 8552 section 2"],
    good: "\
zones:
  example.com:
    records:
      - { name: _sip._tcp, type: SRV, content: 10 5 5060 sip.example.net }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: sip, type: SRV, content: 10 5 5060 sip.example.net }
",
    check: report_services_without_labels,
};

fn report_services_without_labels(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners() {
        let Some(record) = owner.records.iter().find(|r| r.data.type_name() == "SRV") else {
            continue;
        };
        let mut labels = owner.name.as_str().split('.').filter(|label| *label != "*");
        let is_marked =
            |label: Option<&str>| label.is_some_and(|l| l.len() > 1 && l.starts_with('_'));
        if is_marked(labels.next()) && is_marked(labels.next()) {
            continue;
        }
        let name = zone.zone.name.relative(owner.name);
        findings.push(
            RULE.at(
                record.spelling.place,
                format!("`{}` does not begin with a service and a protocol", owner.name),
            )
            .about(zone.address(record))
            .help(format!(
                "write a name such as `_sip._tcp{}`",
                if name == "@" { String::new() } else { format!(".{name}") }
            )),
        );
    }
}
