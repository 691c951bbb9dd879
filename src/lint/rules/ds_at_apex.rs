//! DS records for the zone itself.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0004",
        summary: "the DS record of a zone belongs in its parent zone",
        severity: Severity::Error,
        why: "The DS record of a zone belongs in the zone above it, where the registrar puts it. \
            In the zone itself it has no effect.",
        fix: "Remove the record, write `dnssec: on`, and give the DS record that Cloudflare shows \
            to the registrar.",
    },
    sources: &["RFC 4035 section 2.4"],
    good: "\
zones:
  example.com:
    dnssec: on
    records:
      - { name: www, type: A, content: 192.0.2.1 }
",
    bad: "\
zones:
  example.com:
    records:
      - name: \"@\"
        type: DS
        content: 2371 13 2 1f987cc6583e92df0890718c42a4ad13f6ee0a5c8a5e2c3a9e1d7a8b9c0d1e2f
      - { name: www, type: A, content: 192.0.2.1 }
",
    check: report_ds_at_apex,
};

fn report_ds_at_apex(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners().filter(|(z, o)| z.is_apex(o.name)) {
        for ds in owner.records.iter().filter(|r| r.data.type_name() == "DS") {
            findings.push(
                RULE.at(
                    ds.spelling.place,
                    format!("this is the DS record of {} itself", owner.name),
                )
                .about(zone.address(ds))
                .help(
                    "remove it, and write `dnssec: on` in the zone; give the DS record that \
                        is then shown to the registrar",
                ),
            );
        }
    }
}
