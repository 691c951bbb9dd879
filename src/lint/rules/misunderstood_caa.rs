//! CAA records that authorities read otherwise than meant.

use crate::diagnostic::{Finding, Severity};
use crate::insight::caa_faults;
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::RecordType;

/// The rule.
pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0029",
        summary: "certificate authorities do not understand the CAA record as meant",
        severity: Severity::Warning,
        why: "An authority may issue only if a record names it exactly. A record with another \
            spelling allows no one, or not the one that is meant, and renewals of certificates \
            fail.",
        fix: "Correct what the finding names.",
    },
    sources: &["RFC 8659 sections 4.1 to 4.4", "RFC 8657 section 4"],
    good: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: CAA, content: '0 issue \"letsencrypt.org\"' }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: CAA, content: '0 issue \"letsencrypt.com\"' }
",
    check: report_misunderstood_caa,
};

fn report_misunderstood_caa(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, record) in context.records() {
        if record.data.record_type() != Some(RecordType::Caa) {
            continue;
        }
        for fault in caa_faults(&record.name, std::iter::once(&record.data)) {
            findings.push(
                RULE.at(record.spelling.place, fault)
                    .about(zone.address(record))
                    .help("write the identifier that the authority documents"),
            );
        }
    }
}
