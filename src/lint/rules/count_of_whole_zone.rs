//! Counting expressions that do not repeat the expression of their rule.

use crate::diagnostic::{Finding, Place, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::expression::Counterexample;
use crate::model::ruleset::{DesiredRule, RuleForm, counting_expression};
use crate::model::{Expression, ScopeChange, Value};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0022",
        summary: "the rate limit counts requests that it does not match",
        severity: Severity::Warning,
        why: "`count` replaces the expression of the rule where requests are counted: nothing else limits what is counted. An expression \
              about the response alone counts the whole zone, so visitors who never ask for the page of the rule use up its limit. One that adds requests \
              with `or` counts what the rule never acts on, too.",
        fix: "Repeat the expression of the rule in `count`, and add the condition with `and`.",
    },
    sources: &[
        "developers.cloudflare.com/waf/rate-limiting-rules/parameters (counting expression; by default the rule expression), read 2026-11-26",
    ],
    good: "\
zones:
  example.com:
    records: []
    waf:
      rate_limits:
        - name: login
          when: http.request.uri.path eq \"/login\"
          per: ip
          limit: 5 in 10s
          then: block for 10s
          count: http.request.uri.path eq \"/login\" and http.response.code eq 401
",
    bad: "\
zones:
  example.com:
    records: []
    waf:
      rate_limits:
        - name: login
          when: http.request.uri.path eq \"/login\"
          per: ip
          limit: 5 in 10s
          then: block for 10s
          count: http.response.code eq 401
",
    check: report_counts_of_whole_zone,
};

fn report_counts_of_whole_zone(context: &LintContext<'_>, findings: &mut Findings) {
    for zone in &context.zones {
        let rules =
            zone.zone.waf.iter().flat_map(|waf| waf.all_rules()).filter(|rule| !rule.is_absent);
        for rule in rules {
            let Some((when, count, place)) = rule_and_counting_expression(rule) else { continue };
            if when.is_always_true() || !count.is_comparable() {
                continue;
            }
            let missing = when.fields_beyond(&count);
            let is_beyond = match Expression::scope_change(&when, &count) {
                ScopeChange::Equal | ScopeChange::Narrower => false,
                ScopeChange::Wider => true,
                ScopeChange::Unknown => {
                    match count.counterexample(&when, zone.zone.name.as_str()) {
                        Counterexample::Found(_) => true,
                        Counterexample::NotFound => false,
                        Counterexample::Open => !missing.is_empty(),
                    }
                }
            };
            if !is_beyond {
                continue;
            }
            let (what, help) = if missing.is_empty() {
                (
                    format!(
                        "`{}` counts requests that it does not match: `count` is not limited to `when`",
                        rule.name
                    ),
                    "remove `count`, so that what the rule matches is counted, or repeat `when` in it and add a condition with `and`"
                        .to_owned(),
                )
            } else {
                let fields: Vec<String> =
                    missing.iter().map(|field| format!("`{field}`")).collect();
                let what = format!(
                    "`{}` matches by {}, and its counting expression does not: requests to the rest of the zone are counted too",
                    rule.name,
                    fields.join(", ")
                );
                (what, format!("write `({}) and ({})`", when.text().trim(), count.text().trim()))
            };
            findings.push(RULE.at(place, what).about(zone.zone.name.to_string()).help(help));
        }
    }
}

/// Returns the expression of a rate limit, its own counting expression, and the place of the
/// latter.
fn rule_and_counting_expression(rule: &DesiredRule) -> Option<(Expression, Expression, Place)> {
    let (when, count, place) = match &rule.form {
        RuleForm::Rate(rate) => {
            let (count, place) = rate.count.clone()?;
            (rule.when.clone()?.0, count, place)
        }
        RuleForm::Raw(Value::Map(members)) => {
            let (Some(Value::Map(rate)), Some(Value::Text(when))) =
                (members.get("ratelimit"), members.get("expression"))
            else {
                return None;
            };
            (
                Expression::reported(when),
                Expression::reported(counting_expression(rate)?),
                rule.place,
            )
        }
        RuleForm::Raw(_) | RuleForm::Skip(_) | RuleForm::Act { .. } => return None,
    };
    (!count.text().trim().is_empty()).then_some((when, count, place))
}
