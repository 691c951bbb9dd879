//! Exceptions in zones where no managed ruleset is deployed.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::Unmanaged;
use crate::model::ruleset::Switch;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0017",
        summary: "the exception has nothing to skip",
        severity: Severity::Warning,
        why: "An exception lets requests skip managed rules that run after it in the zone. Where \
            the spec deploys no managed ruleset, it \
              has no effect, and would silently weaken one that is deployed later. Where live \
              rules are left alone \
              (`unmanaged: keep`), a deployment may exist that the spec does not name: then this \
              is a note.",
        fix: "Deploy the ruleset with `owasp: on` or `cloudflare: on`, or remove the exception.",
    },
    sources: &["developers.cloudflare.com/waf/managed-rules/waf-exceptions, read 2026-11-22"],
    good: "\
zones:
  example.com:
    records: []
    waf:
      owasp: on
      exceptions:
        - { name: upload, when: 'http.request.uri.path eq \"/upload\"', skip: { owasp: [942430] }, reason: files }
",
    bad: "\
zones:
  example.com:
    records: []
    waf:
      unmanaged: prune
      exceptions:
        - { name: upload, when: 'http.request.uri.path eq \"/upload\"', skip: everything, reason: files }
",
    check: report_exceptions_from_nothing,
};

fn report_exceptions_from_nothing(context: &LintContext<'_>, findings: &mut Findings) {
    for zone in &context.zones {
        let Some(waf) = &zone.zone.waf else { continue };
        if waf.deployments.iter().any(|d| d.switch == Switch::On) {
            continue;
        }
        for exception in waf.exceptions().filter(|e| !e.is_absent) {
            let detail =
                format!("no managed ruleset is deployed here that `{}` could skip", exception.name);
            let mut finding = RULE.at(exception.place, detail).about(zone.zone.name.to_string());
            if waf.unmanaged == Unmanaged::Keep {
                finding.severity = Severity::Note;
            }
            findings
                .push(finding.help("add `owasp: on` or `cloudflare: on`, or remove the exception"));
        }
    }
}
