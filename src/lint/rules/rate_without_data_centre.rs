//! Raw rate limits that do not count by data centre.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::Value;
use crate::model::facts::rate_limits::RATE_COLO;
use crate::model::ruleset::RuleForm;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0016",
        summary: "the rate limit does not count by data centre",
        severity: Severity::Warning,
        why: "Each data centre of Cloudflare counts separately, so `cf.colo.id` must be among the \
            characteristics of a rate \
              limit. Cloudflare refuses a rule without it. `per` adds it; under `raw` nothing is \
              added.",
        fix: "Write the rate limit with `per`, `limit` and `then`, or add `cf.colo.id` to \
            `characteristics`.",
    },
    sources: &["developers.cloudflare.com/waf/rate-limiting-rules/parameters, read 2026-11-22"],
    good: "\
zones:
  example.com:
    records: []
    waf:
      rate_limits:
        - { name: login, when: 'http.request.uri.path eq \"/login\"', per: ip, limit: 5 in 10s, then: block for 10s }
",
    bad: "\
zones:
  example.com:
    records: []
    waf:
      rate_limits:
        - name: login
          raw:
            action: block
            expression: http.request.uri.path eq \"/login\"
            ratelimit: \
            { characteristics: [ip.src], period: 10, requests_per_period: 5, mitigation_timeout: 10 }
",
    check: report_rates_without_data_centre,
};

fn report_rates_without_data_centre(context: &LintContext<'_>, findings: &mut Findings) {
    for zone in &context.zones {
        let rules = zone.zone.waf.iter().flat_map(|waf| waf.all_rules());
        for rule in rules {
            let RuleForm::Raw(Value::Map(members)) = &rule.form else { continue };
            let Some(Value::Map(rate)) = members.get("ratelimit") else { continue };
            let Some(Value::List(characteristics)) = rate.get("characteristics") else { continue };
            if !characteristics.contains(&Value::from(RATE_COLO)) {
                findings.push(
                    RULE.at(
                        rule.place,
                        format!("the characteristics of `{}` lack `{RATE_COLO}`", rule.name),
                    )
                    .about(zone.zone.name.to_string())
                    .help(format!("add `{RATE_COLO}` to `characteristics`")),
                );
            }
        }
    }
}
