//! DS records at names that are not delegated.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::RecordType;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0003",
        summary: "the DS record is at a name that is not delegated",
        severity: Severity::Error,
        why: "A DS record holds the key of a delegated zone, so Cloudflare requires NS records at \
            the same name. Where live records \
              that the spec does not name may delegate the name, this is a warning.",
        fix: "Add the NS records of the delegated zone at the same name, or remove the DS record.",
    },
    sources: &["RFC 4035 section 2.4"],
    good: "\
zones:
  example.com:
    unmanaged: prune
    records:
      - { name: lab, type: NS, content: [ns1.example.net, ns2.example.net] }
      - name: lab
        type: DS
        content: 2371 13 2 1f987cc6583e92df0890718c42a4ad13f6ee0a5c8a5e2c3a9e1d7a8b9c0d1e2f
      - { name: www, type: A, content: 192.0.2.1 }
",
    bad: "\
zones:
  example.com:
    unmanaged: prune
    records:
      - name: lab
        type: DS
        content: 2371 13 2 1f987cc6583e92df0890718c42a4ad13f6ee0a5c8a5e2c3a9e1d7a8b9c0d1e2f
      - { name: www, type: A, content: 192.0.2.1 }
",
    check: report_ds_without_ns,
};

fn report_ds_without_ns(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners().filter(|(z, o)| !z.is_apex(o.name)) {
        let Some(ds) = owner.records.iter().find(|r| r.data.type_name() == "DS") else { continue };
        if owner.has_any(&[RecordType::Ns]) {
            continue;
        }
        let mut diagnostic =
            RULE.at(ds.spelling.place, format!("`{}` has no NS record", owner.name));
        if !zone.knows_all(&[RecordType::Ns]) {
            diagnostic.severity = Severity::Warning;
        }
        let name = zone.zone.name.relative(owner.name);
        let help = format!("write the NS records of `{name}` too, or remove the DS record");
        findings.push(diagnostic.about(zone.address(ds)).help(help));
    }
}
