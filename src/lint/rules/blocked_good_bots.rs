//! Rules that block search engines and other known good bots.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::ruleset::RuleForm;

/// The field.
const FIELD: &str = "cf.client.bot";

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0015",
        summary: "the rule stops known good bots",
        severity: Severity::Warning,
        why: "`cf.client.bot` is true for the bots of search engines, monitoring and the like that \
            Cloudflare has verified. It is not \
              true for bots in general. A rule that stops such requests takes the website out of \
              search results.",
        fix: "Write `not cf.client.bot` to spare good bots from a rule. To find bad ones, use \
            `cf.bot_management.score`, a rate limit \
              or a managed challenge.",
    },
    sources: &[
        "developers.cloudflare.com/ruleset-engine/rules-language/fields/reference/cf.client.bot, \
        read 2026-11-22",
    ],
    good: "\
zones:
  example.com:
    records: []
    waf:
      custom:
        - { name: crawlers, when: 'http.user_agent contains \"crawl\" and not cf.client.bot', action: block }
",
    bad: "\
zones:
  example.com:
    records: []
    waf:
      custom:
        - { name: bots, when: cf.client.bot, action: block }
",
    check: report_blocked_good_bots,
};

/// Actions that block a bot. A bot solves no challenges.
const STOPS: &[&str] = &["block", "challenge", "js_challenge", "managed_challenge"];

fn report_blocked_good_bots(context: &LintContext<'_>, findings: &mut Findings) {
    for zone in &context.zones {
        let Some(waf) = &zone.zone.waf else { continue };
        for rule in waf.all_rules() {
            let action = match &rule.form {
                RuleForm::Act { action, .. } => action,
                RuleForm::Rate(rate) => &rate.action,
                RuleForm::Skip(_) | RuleForm::Raw(_) => continue,
            };
            let bot_condition =
                rule.when.as_ref().filter(|(when, _)| rule.enabled && when.asks_for(FIELD));
            let Some((_, place)) = bot_condition.filter(|_| STOPS.contains(&action.as_str()))
            else {
                continue;
            };
            findings.push(
                RULE.at(*place, format!("`{}` stops requests with `{FIELD}`", rule.name))
                    .about(zone.zone.name.to_string())
                    .help(format!("write `not {FIELD}` if good bots are to be spared")),
            );
        }
    }
}
