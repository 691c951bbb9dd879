//! Detects records and rules that the plan of a zone, according to the spec, does not allow.
//! Without `plan:` in a zone, only what no plan allows is reported, because the plan is unknown
//! offline. `plan` compares changes with the plan that Cloudflare reports, and does not need this.

use crate::diagnostic::{Diagnostics, Place};
use crate::model::plan_limits::{
    BeyondPlan, RuleUse, ZoneTier, dns_setting_limit, record_limits, rule_count, rule_uses,
    setting_limit,
};
use crate::model::ruleset::{DesiredDeployment, DesiredRule, LiveWaf, Phase, Switch, compile_rule};
use crate::model::{Desired, DesiredZone, Tier, Unmanaged};

/// Returns what the zones' plans do not allow. Certain refusals are errors.
#[must_use]
pub fn check_plans(desired: &Desired) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    for zone in desired.zones.values() {
        let tier = zone.tier.map_or(Tier::Unknown, |(tier, _)| tier);
        check_zone(zone, ZoneTier { tier, is_assumed: false }, &mut diagnostics);
    }
    diagnostics
}

fn check_zone(zone: &DesiredZone, tier: ZoneTier, found: &mut Diagnostics) {
    let mut report = |beyond: BeyondPlan, place: Place| {
        found.push(beyond.diagnostic(Some(place), zone.name.to_string()));
    };
    for record in &zone.records {
        for beyond in record_limits(&record.facets, tier) {
            report(beyond, record.spelling.place);
        }
    }
    for (name, (value, place)) in &zone.settings.settings {
        if let Some(beyond) = setting_limit(name, value, tier) {
            report(beyond, *place);
        }
    }
    for (name, (value, place)) in &zone.settings.dns_settings {
        if let Some(beyond) = dns_setting_limit(name, value, tier) {
            report(beyond, *place);
        }
    }
    let Some(waf) = &zone.waf else { return };
    for deployment in waf.deployments.iter().filter(|d| d.switch == Switch::On) {
        for (used, place) in deployment_uses(deployment) {
            if let Some(beyond) = used.beyond(tier, &[]) {
                report(beyond, place);
            }
        }
    }
    for (phase, rules) in &waf.lists {
        let is_wanted = |rule: &&DesiredRule| !rule.is_absent && !rule.note.is_expired;
        let wanted_rules: Vec<&DesiredRule> = rules.iter().filter(is_wanted).collect();
        if let (Some(beyond), Some(last)) =
            (rule_count(*phase, wanted_rules.len(), tier), wanted_rules.last())
        {
            report(beyond, last.place);
        }
        for rule in wanted_rules {
            for used in uses_of(rule, *phase) {
                if let Some(beyond) = used.beyond(tier, &[]) {
                    let place = rule.place_of_key(beyond.key);
                    report(beyond, place);
                }
            }
        }
    }
}

/// Returns what a deployment uses, with its places.
fn deployment_uses(deployment: &DesiredDeployment) -> Vec<(RuleUse, Place)> {
    let mut uses = vec![(RuleUse::Ruleset(deployment.ruleset.facts()), deployment.place)];
    if let Some((when, place)) = &deployment.when {
        let requirement = when.requirement();
        uses.extend(requirement.map(|requirement| (RuleUse::Terms(requirement, "when"), *place)));
    }
    uses
}

/// Returns what a rule uses, as Cloudflare would get it in an empty zone.
fn uses_of(rule: &DesiredRule, phase: Phase) -> Vec<RuleUse> {
    let compiled = compile_rule(rule, phase, (None, Unmanaged::Keep), &LiveWaf::default());
    rule_uses(phase, &compiled.body)
}
