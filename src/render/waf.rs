//! Insight into the protection of zones as JSON. The field names are a stable contract.

use serde_json::{Value as Json, json};

use crate::insight::lock::{LockChanges, LockedRule};
use crate::insight::{
    AccountSurvey, ChangedRule, Difference, FamilyCount, Reach, RuleDifference, RuleRow, RuleSurvey, RulesetSurvey,
    Survey, title,
};
use crate::model::managed::{CatalogueRule, threshold_word};
use crate::model::ruleset::Phase;
use crate::plan::Plan;

/// The rules of one managed ruleset in several zones.
#[must_use]
pub fn rules(zones: &[(&str, &RulesetSurvey, Vec<RuleRow>)]) -> Json {
    let zones = zones.iter().map(|(name, ruleset, rows)| {
        let mut object = json!({ "zone": name });
        object["ruleset"] = head(ruleset);
        object["rules"] = rows.iter().map(row).collect();
        object
    });
    json!({ "format": Plan::FORMAT, "kind": "waf_rules", "zones": zones.collect::<Vec<_>>() })
}

/// The ruleset itself.
fn head(ruleset: &RulesetSurvey) -> Json {
    json!({
        "id": ruleset.id,
        "key": ruleset.which.map(|w| w.key()),
        "name": ruleset.name,
        "version": ruleset.catalogue.map(|c| c.version.as_str()),
        "deployed": ruleset.deployed.as_str(),
    })
}

/// The rule itself.
fn rule(rule: &CatalogueRule) -> Json {
    json!({
        "id": rule.id.0,
        "number": rule.number,
        "title": title(rule),
        "level": rule.level().map(|l| l.level()),
        "family": rule.family().map(|f| f.key),
        "score": rule.score(),
        "tags": rule.tags,
    })
}

/// The state of a rule.
fn row(row: &RuleRow) -> Json {
    let mut object = rule(row.rule);
    object["enabled"] = json!(row.is_on);
    object["action"] = json!(row.action);
    object["why"] = json!(row.why);
    object["why_tag"] = json!(row.tag);
    object["exceptions"] = json!(row.exceptions);
    object
}

/// The protection of zones.
#[must_use]
pub fn effective(zones: &[(&str, Survey, AccountSurvey)], with_rules: bool) -> Json {
    let own = |rules: &[RuleSurvey]| rules.iter().map(own_rule).collect::<Vec<_>>();
    let zones = zones.iter().map(|(name, survey, account)| {
        json!({
            "zone": name,
            "account_rules": account_rules(account),
            "rulesets": survey.rulesets.iter().map(|r| ruleset(r, with_rules)).collect::<Vec<_>>(),
            "custom_rules": own(&survey.custom),
            "rate_limits": own(&survey.rate_limits),
        })
    });
    json!({ "format": Plan::FORMAT, "kind": "waf_effective", "zones": zones.collect::<Vec<_>>() })
}

/// The rules of the account; `null` if they are not known.
fn account_rules(account: &AccountSurvey) -> Json {
    match account {
        AccountSurvey::Unknown(_) => Json::Null,
        AccountSurvey::Rules(phases) => {
            let of_phase = |(phase, rules): &(Phase, Vec<RuleSurvey>)| json!({ "phase": phase.as_str(), "rules": rules.iter().map(own_rule).collect::<Vec<_>>() });
            phases.iter().map(of_phase).collect()
        }
    }
}

/// A managed ruleset with its state.
fn ruleset(ruleset: &RulesetSurvey, with_rules: bool) -> Json {
    let mut object = head(ruleset);
    let effective = ruleset.effective.as_ref();
    let threshold = effective.and_then(|s| s.threshold());
    object["scope"] = json!(ruleset.scope);
    object["pinned_version"] = json!(effective.and_then(|s| s.version.clone()));
    object["paranoia"] = json!(effective.and_then(|s| s.paranoia).map(|p| p.level()));
    object["paranoia_custom"] = json!(ruleset.strange_levels);
    object["threshold"] = json!(threshold);
    object["threshold_word"] = json!(threshold.and_then(threshold_word));
    object["action"] = json!(effective.and_then(|s| s.action()));
    object["acts"] = json!(effective.map(|s| s.acts()));
    object["rules_on"] = json!(effective.map(|s| if s.is_on { s.rules_on() } else { 0 }));
    object["rules_total"] = json!(effective.map(|s| s.rules.len()));
    object["families"] = ruleset.families().iter().map(family).collect();
    object["rule_overrides"] = json!(ruleset.rule_overrides());
    object["exceptions"] = ruleset.exceptions.iter().map(own_rule).collect();
    object["unreachable"] = ruleset.unreachable.iter().map(reach).collect();
    if with_rules {
        object["rules"] = ruleset.rows().iter().map(row).collect();
    }
    object
}

/// A family.
fn family(count: &FamilyCount) -> Json {
    let FamilyCount { family, on, total } = count;
    json!({ "family": family.map(|f| f.key), "on": on, "total": total })
}

/// A family that cannot be stopped.
fn reach(reach: &Reach) -> Json {
    let Reach { family, total, threshold, assumed } = reach;
    json!({ "family": family.key, "total": total, "threshold": threshold, "assumed": assumed })
}

/// A rule with its own expression.
fn own_rule(rule: &RuleSurvey) -> Json {
    let RuleSurvey { name, id, action, is_on, scope, does } = rule;
    json!({ "name": name, "id": id, "action": action, "enabled": is_on, "expression": scope, "does": does })
}

/// The effective changes of a spec.
#[must_use]
pub fn difference(zones: &[(&str, Difference)]) -> Json {
    let zones = zones.iter().map(|(name, difference)| {
        let Difference { direction, changed, rules } = difference;
        let changed = changed.iter().map(|ChangedRule { phase, name, impact }| {
            json!({ "phase": phase.as_str(), "name": name, "direction": impact.direction.as_str(), "effects": impact.lines })
        });
        json!({
            "zone": name,
            "direction": direction.as_str(),
            "changes": changed.collect::<Vec<_>>(),
            "rules": rules.iter().map(rule_difference).collect::<Vec<_>>(),
        })
    });
    json!({ "format": Plan::FORMAT, "kind": "waf_diff", "zones": zones.collect::<Vec<_>>() })
}

/// A rule whose state changes.
fn rule_difference(difference: &RuleDifference) -> Json {
    let RuleDifference { ruleset, rule: of, before, after, exceptions_before, exceptions_after, why } = difference;
    let mut object = rule(of);
    object["ruleset"] = json!(ruleset);
    object["before"] = json!(before);
    object["after"] = json!(after);
    object["why"] = json!(why);
    object["exceptions_before"] = json!(exceptions_before);
    object["exceptions_after"] = json!(exceptions_after);
    object
}

/// What Cloudflare changed since the lock was written.
#[must_use]
pub fn lock(file: &str, changes: &[LockChanges], is_same: bool, is_check: bool) -> Json {
    let ids = |rules: &[LockedRule]| rules.iter().map(locked).collect::<Vec<_>>();
    let pairs = |pairs: &[(LockedRule, LockedRule)]| {
        pairs.iter().map(|(b, a)| json!({ "before": locked(b), "after": locked(a) })).collect::<Vec<_>>()
    };
    let rulesets = changes.iter().map(|changes| {
        let LockChanges {
            name,
            from_version,
            to_version,
            added,
            removed,
            relevelled,
            default_changed,
            renamed,
            retagged,
        } = changes;
        json!({
            "name": name, "from_version": from_version, "to_version": to_version,
            "added": ids(added), "removed": ids(removed), "relevelled": pairs(relevelled),
            "default_changed": pairs(default_changed), "renamed": pairs(renamed), "retagged": pairs(retagged),
            "sentence": changes.sentence(),
        })
    });
    json!({
        "format": Plan::FORMAT, "kind": "waf_lock", "file": file, "same": is_same, "written": !is_check && !is_same,
        "rulesets": rulesets.collect::<Vec<_>>(),
    })
}

/// A rule of a lock.
fn locked(rule: &LockedRule) -> Json {
    let LockedRule { number, id, level, enabled, action, tags: _, title } = rule;
    json!({
        "id": id, "number": number, "level": level.map(|l| l.level()), "enabled": enabled, "action": action, "title": title,
    })
}
