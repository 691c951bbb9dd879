//! Rules that compare the threat score, which is always 0.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::protection::expressions_of;
use crate::lint::{Findings, LintRule};

/// The field.
const FIELD: &str = "cf.threat_score";

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0014",
        summary: "the threat score is always 0",
        severity: Severity::Warning,
        why: "Cloudflare no longer computes the threat score: `cf.threat_score` is 0 for every \
            request, so a comparison \
              with it has the same result for all of them. A rule that was written to stop bad \
              visitors has no effect.",
        fix: "Remove the comparison. Managed rules, rate limits and `cf.bot_management.score` tell \
            visitors apart.",
    },
    sources: &[
        "developers.cloudflare.com/analytics/account-and-zone-analytics/threat-types, read \
        2026-11-22",
    ],
    good: "\
zones:
  example.com:
    records: []
    waf:
      custom:
        - { name: admin, when: 'http.request.uri.path eq \"/admin\"', action: managed_challenge }
",
    bad: "\
zones:
  example.com:
    records: []
    waf:
      custom:
        - { name: threats, when: cf.threat_score gt 14, action: managed_challenge }
",
    check: report_threat_scores,
};

fn report_threat_scores(context: &LintContext<'_>, findings: &mut Findings) {
    for zone in &context.zones {
        for (expression, place) in zone.zone.waf.iter().flat_map(|waf| expressions_of(waf)) {
            if expression.fields().contains(FIELD) {
                findings.push(
                    RULE.at(place, format!("`{FIELD}` is 0 for every request"))
                        .about(zone.zone.name.to_string())
                        .help("remove the comparison with it"),
                );
            }
        }
    }
}
