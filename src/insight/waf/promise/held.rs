//! Compares a live deployment with the promises of the spec.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Context;
use super::foreign_skip::{Bypass, bypasses};
use super::words::{self, list_of};
use super::{Cause, InForce, LOOSEST_THRESHOLD, Promised, Shortfall};
use crate::diagnostic::{Place, count};
use crate::insight::waf::action_strength::{Strength, fate, only_logs, strength};
use crate::insight::waf::effective_rules::{
    DecidedBy, EffectiveDeployment, EffectiveRule, effective_deployment,
};
use crate::insight::waf::{phrases, rule_scope};
use crate::model::Unmanaged;
use crate::model::expression::{Expression, ScopeChange};
use crate::model::managed::{Catalogue, Managed, compile};
use crate::model::ruleset::{
    AcceptedCause, AcceptedObject, DesiredDeployment, EntryPoint, LiveWaf, Phase, RuleBody, Switch,
    canonical,
};

/// Compares the live deployment of a managed ruleset with the floor: the promise of a spec that
/// says `on` and names none of the live rules.
#[must_use]
pub fn hold_floor(
    ruleset: Managed,
    waf: &LiveWaf,
    account: Option<&BTreeMap<Phase, EntryPoint>>,
) -> Option<InForce> {
    let context =
        Context { waf, account, is_foreign: &|_, _| true, is_changed: false, accept: &[] };
    hold_deployment(&DesiredDeployment::new(ruleset, Switch::On, Place::NOWHERE), &context)
}

/// Compares the live deployment of a managed ruleset with the promises of the spec. Returns `None`
/// if the spec promises nothing, or nothing executes the ruleset.
#[must_use]
pub fn hold_deployment(desired: &DesiredDeployment, context: &Context<'_>) -> Option<InForce> {
    if desired.switch == Switch::Off || desired.raw.is_some() {
        return None;
    }
    let served = context.waf.managed(desired.ruleset)?;
    let managed = context.waf.entry_points.get(&Phase::Managed)?.rules();
    let mut managed = managed.iter().map(|rule| &rule.body);
    let live = managed.find(|body| body.executes() == Some(served.id.0.as_str()))?;
    let mut found = InForce::new(desired.ruleset);
    let catalogue = match context.waf.executed(live) {
        Some(catalogue) => catalogue,
        None => {
            let version = live.pinned_version().unwrap_or("?");
            let version = format!(
                "version {version} could not be read; compared by the rules of {}",
                served.version
            );
            found.choices.push(version);
            served
        }
    };
    if let Some(version) = live
        .pinned_version()
        .filter(|version| desired.version.is_none() && *version != served.version)
    {
        found
            .choices
            .push(format!("pinned to version {version}; Cloudflare serves {}", served.version));
    }
    let alone = compile(desired, Some(catalogue), None, Unmanaged::Prune).body;
    let Some(promised) = effective_deployment(&alone, catalogue) else { return Some(found) };
    let promised = Promise { desired, rules: promised };
    found.promised_rules = promised.on().count();
    if !context.is_changed {
        match effective_deployment(live, catalogue) {
            Some(effective) => promised.compare(live, &effective, &mut found),
            None => found
                .unknown
                .push("the overrides have an unknown form and cannot be compared".to_owned()),
        }
    }
    let ids: BTreeSet<&str> = promised.on().map(|rule| rule.rule.id.0.as_str()).collect();
    let Bypass { shortfalls, narrow, unknown, not_asked } =
        bypasses(context, live, catalogue, &ids);
    found.shortfalls.extend(shortfalls);
    found.narrow_skips.extend(narrow);
    found.unknown.extend(unknown);
    found.not_asked = not_asked;
    settle(&mut found, context.accept, catalogue);
    Some(found)
}

/// The promises of a spec, with the rules of the ruleset as the spec alone would have them.
struct Promise<'a> {
    desired: &'a DesiredDeployment,
    rules: EffectiveDeployment<'a>,
}

impl<'a> Promise<'a> {
    /// Returns true if the spec promises that a rule is on; `rule` is as the spec alone has it.
    fn is_on(&self, rule: &EffectiveRule<'_>) -> bool {
        let is_said = matches!(rule.why, DecidedBy::Rule | DecidedBy::Tag(_));
        let is_in_floor = match self.desired.ruleset {
            Managed::Cloudflare => strength(&rule.rule.action) != Some(Strength::Log),
            Managed::Owasp => match (&self.desired.paranoia, rule.rule.level()) {
                (_, None) => false,
                (Some(_), Some(_)) => true,
                (None, Some(level)) => level.level() == 1,
            },
        };
        let is_default = rule.rule.enabled || rule.why != DecidedBy::Default;
        rule.effect.enabled && (is_said || (is_in_floor && is_default))
    }

    /// Returns the rules that are promised to be on.
    fn on(&self) -> impl Iterator<Item = &EffectiveRule<'a>> {
        self.rules.rules.iter().filter(|rule| self.is_on(rule))
    }

    fn compare(&self, live: &RuleBody, effective: &EffectiveDeployment<'_>, found: &mut InForce) {
        if !effective.is_on {
            let is = "false".to_owned();
            found.shortfalls.push(Shortfall {
                what: Promised::Deployment,
                promised: "the deployment is enabled".to_owned(),
                live: "it is disabled".to_owned(),
                cause: Cause::Key { name: "enabled", is, rule: None },
                rules: BTreeSet::new(),
            });
            return;
        }
        self.compare_scope(live, found);
        self.compare_score(effective, found);
        self.compare_rules(effective, found);
        self.compare_actions(effective, found);
        self.note_stronger(effective, found);
        self.note_level(effective, found);
    }

    /// Compares the scope: all requests must be checked.
    fn compare_scope(&self, live: &RuleBody, found: &mut InForce) {
        let scope = rule_scope::expression(live);
        if self.desired.when.is_some() || scope.is_always_true() {
            return;
        }
        match Expression::scope_change(&Expression::reported("true"), &scope) {
            ScopeChange::Equal | ScopeChange::Wider => {}
            ScopeChange::Narrower => found.shortfalls.push(Shortfall {
                what: Promised::AllRequests,
                promised: "all requests are checked".to_owned(),
                live: format!("only {} are checked", words::requests(&scope)),
                cause: Cause::Key { name: "when", is: scope.canonical().to_owned(), rule: None },
                rules: BTreeSet::new(),
            }),
            ScopeChange::Unknown => {
                found
                    .unknown
                    .push(format!("the scope {} cannot be compared", rule_scope::requests(&scope)));
            }
        }
    }

    /// Compares the rule that acts on the score, with its threshold and action.
    fn compare_score(&self, effective: &EffectiveDeployment<'_>, found: &mut InForce) {
        let (Some(own), Some(live)) = (&self.rules.anomaly, &effective.anomaly) else { return };
        let rule = Some(live.rule.id.0.clone());
        let mut add = |what, promised: String, live_words: String, cause| {
            found.shortfalls.push(Shortfall {
                what,
                promised,
                live: live_words,
                cause,
                rules: BTreeSet::new(),
            });
        };
        if own.effect.enabled && !live.effect.enabled {
            let label = phrases::rule_label(live.rule);
            let promised = format!("the rule that acts on the score ({label}) is on");
            if let Some(cause) = cause_of(live, &live.why, "off") {
                add(
                    Promised::ScoreRule,
                    promised,
                    "it is off, so nothing acts on the score".to_owned(),
                    cause,
                );
            }
        }
        let default = live.rule.threshold;
        let threshold = effective.threshold().unwrap_or_default();
        if self.desired.threshold.is_none() {
            if threshold > LOOSEST_THRESHOLD {
                add(
                    Promised::Threshold,
                    format!("the threshold is at most {LOOSEST_THRESHOLD}"),
                    format!("it is {}", phrases::threshold(threshold)),
                    Cause::Key { name: "threshold", is: threshold.to_string(), rule: rule.clone() },
                );
            } else if Some(threshold) != default {
                found.choices.push(format!("threshold {}", phrases::threshold(threshold)));
            }
        }
        let action = live.effect.action.as_str();
        if self.desired.action.is_none() {
            if only_logs(action) {
                let cause = Cause::Key { name: "action", is: action.to_owned(), rule };
                let promised = "requests at the threshold are blocked or challenged".to_owned();
                let live = "they pass and are only logged".to_owned();
                found.shortfalls.push(Shortfall {
                    what: Promised::Action,
                    promised,
                    live,
                    cause,
                    rules: BTreeSet::new(),
                });
            } else if strength(action).is_none() {
                found
                    .unknown
                    .push(format!("the action `{action}` at the threshold cannot be compared"));
            } else if action != live.rule.action {
                found.choices.push(format!("action {action}"));
            }
        }
    }

    /// Returns pairs of the promised rules: as promised, and live.
    fn pairs<'e, 'c>(
        &'e self,
        effective: &'e EffectiveDeployment<'c>,
    ) -> impl Iterator<Item = (&'e EffectiveRule<'a>, &'e EffectiveRule<'c>)> {
        self.rules.rules.iter().zip(&effective.rules).filter(|(promised, _)| self.is_on(promised))
    }

    /// Finds rules that are promised to be on and are off.
    fn compare_rules(&self, effective: &EffectiveDeployment<'_>, found: &mut InForce) {
        let mut causes: BTreeMap<&DecidedBy, Vec<&EffectiveRule<'_>>> = BTreeMap::new();
        let mut of_rules = Vec::new();
        for (_, live) in self.pairs(effective).filter(|(_, live)| !live.effect.enabled) {
            match &live.why {
                DecidedBy::Rule => of_rules.push(vec![live]),
                why => causes.entry(why).or_default().push(live),
            }
        }
        for rules in of_rules.into_iter().chain(causes.into_values()) {
            let Some(cause) = rules.first().and_then(|first| cause_of(first, &first.why, "off"))
            else {
                continue;
            };
            found.shortfalls.push(Shortfall {
                what: Promised::Rules,
                promised: self.promised_rules(),
                live: format!("off: {}", list_of(rules.iter().map(|rule| rule.rule))),
                cause,
                rules: rules.iter().map(|rule| rule.rule.id.0.clone()).collect(),
            });
        }
    }

    /// Returns the promise about rules, in words.
    fn promised_rules(&self) -> String {
        let count = count(self.on().count(), "rule");
        match (self.desired.ruleset, &self.desired.paranoia) {
            (Managed::Owasp, Some((level, _))) => {
                format!("{count} up to paranoia {} on", level.level())
            }
            (Managed::Owasp, None) => format!("{count} of paranoia 1 on"),
            (Managed::Cloudflare, _) => format!("{count} on"),
        }
    }

    /// Finds rules that are promised to stop requests and do less.
    fn compare_actions(&self, effective: &EffectiveDeployment<'_>, found: &mut InForce) {
        // In a ruleset with a score, the effect of a single rule's action is not documented.
        if effective.anomaly.is_some() {
            let is_other = |(own, live): &(&EffectiveRule<'_>, &EffectiveRule<'_>)| {
                live.effect.enabled
                    && own.effect.action != live.effect.action
                    && live.why_action != DecidedBy::Ruleset
            };
            let others = self.pairs(effective).filter(is_other).count();
            if others > 0 {
                let rules = count(others, "rule");
                found.unknown.push(format!(
                    "{rules} that add to the score have another action; its effect is unknown"
                ));
            }
            return;
        }
        let mut weaker: BTreeMap<(&DecidedBy, &str, &str), Vec<&EffectiveRule<'_>>> =
            BTreeMap::new();
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        for (own, live) in self.pairs(effective).filter(|(_, live)| live.effect.enabled) {
            let is_said = own.why_action != DecidedBy::Default;
            let (action, name) = (live.effect.action.as_str(), own.effect.action.as_str());
            let own_name =
                if live.why_action == DecidedBy::Rule { live.rule.id.0.as_str() } else { "" };
            let least = match strength(name) {
                Some(Strength::Block | Strength::Challenge) if !is_said => Strength::Challenge,
                Some(least) => least,
                None => continue,
            };
            match strength(action) {
                Some(live_strength) if live_strength < least => {
                    weaker.entry((&live.why_action, own_name, action)).or_default().push(live);
                }
                None if action != name => {
                    found.unknown.push(format!(
                        "the action `{action}` of {} cannot be compared",
                        phrases::rule_label(live.rule)
                    ));
                }
                _ if action != name => *others.entry(action).or_default() += 1,
                _ => {}
            }
        }
        for ((why, _, action), rules) in weaker {
            let Some(cause) = rules.first().and_then(|first| cause_of(first, why, action)) else {
                continue;
            };
            found.shortfalls.push(Shortfall {
                what: Promised::RuleActions,
                promised: "rules that block or challenge by default, or by the spec, still do"
                    .to_owned(),
                live: format!(
                    "{action}: requests {}: {}",
                    fate(action),
                    list_of(rules.iter().map(|rule| rule.rule))
                ),
                cause,
                rules: rules.iter().map(|rule| rule.rule.id.0.clone()).collect(),
            });
        }
        for (action, rules) in others {
            found.choices.push(format!("action {action} of {}", count(rules, "rule")));
        }
    }

    /// Adds rules that are on beyond the promise.
    fn note_stronger(&self, effective: &EffectiveDeployment<'_>, found: &mut InForce) {
        let more = self.rules.rules.iter().zip(&effective.rules);
        let more = more
            .filter(|(own, live)| live.effect.enabled && !own.effect.enabled)
            .map(|(_, live)| live.rule);
        let more: Vec<_> = more.collect();
        if !more.is_empty() {
            found.choices.push(format!(
                "stronger: {} more on: {}",
                count(more.len(), "rule"),
                list_of(more.into_iter())
            ));
        }
    }

    /// Adds the live paranoia level, if the spec leaves it open and an override sets it.
    fn note_level(&self, effective: &EffectiveDeployment<'_>, found: &mut InForce) {
        let by_level = effective.rules.iter().any(|rule| matches!(rule.why, DecidedBy::Level(_)));
        if let Some(level) =
            effective.paranoia.filter(|_| self.desired.paranoia.is_none() && by_level)
        {
            found.choices.push(format!("paranoia {}", level.level()));
        }
    }
}

/// Returns the override that determines the state of a rule.
fn cause_of(rule: &EffectiveRule<'_>, why: &DecidedBy, is: &str) -> Option<Cause> {
    let of_tag =
        |tag: String| Cause::Override { shown: format!("tag {tag}"), name: tag, is: is.to_owned() };
    Some(match why {
        DecidedBy::Default => return None,
        DecidedBy::Ruleset if is == "off" => {
            Cause::Key { name: "enabled", is: "false".to_owned(), rule: None }
        }
        DecidedBy::Ruleset => Cause::Key { name: "action", is: is.to_owned(), rule: None },
        DecidedBy::Level(level) => of_tag(format!("paranoia-level-{level}")),
        DecidedBy::Tag(tag) => of_tag(tag.clone()),
        DecidedBy::Rule => Cause::Override {
            name: rule.rule.id.0.clone(),
            shown: format!("rule {}", phrases::rule_label(rule.rule)),
            is: is.to_owned(),
        },
    })
}

/// Removes causes that the spec accepts.
fn settle(found: &mut InForce, accept: &[AcceptedCause], catalogue: &Catalogue) {
    let own =
        |accepted: &AcceptedCause| accepted.ruleset.is_none_or(|ruleset| ruleset == found.ruleset);
    let own: Vec<bool> = accept.iter().map(own).collect();
    let mut left = Vec::new();
    for shortfall in std::mem::take(&mut found.shortfalls) {
        let mut is_accepted = false;
        let mut outdated = Vec::new();
        for (n, accepted) in accept.iter().enumerate().filter(|(n, _)| own[*n]) {
            match agreement(&accepted.object, &shortfall.cause, catalogue) {
                None => {}
                Some(_) if accepted.note.is_expired => drop(found.matched.insert(n)),
                Some(true) => {
                    found.matched.insert(n);
                    is_accepted = true;
                    found.accepted.push(words::accepted(&shortfall, &accepted.note));
                }
                Some(false) => outdated.push((n, shortfall.live.clone())),
            }
        }
        if !is_accepted {
            found.outdated.extend(outdated);
            left.push(shortfall);
        }
    }
    found.accepted.dedup();
    found.shortfalls = left;
}

/// Returns true if an entry of `accept` names a cause with its value, and false if with another
/// value; `None` if it names another cause.
fn agreement(object: &AcceptedObject, cause: &Cause, catalogue: &Catalogue) -> Option<bool> {
    let resolved = |name: &crate::model::managed::RuleName| {
        name.resolve(catalogue).ok().map(|rule| rule.id.0.as_str())
    };
    match (object, cause) {
        (AcceptedObject::Rule { name, is }, Cause::Rule { id, body, .. }) => {
            let is_it = *name == id.0 || body.reference() == Some(name);
            is_it.then(|| skipped_alike(is, body))
        }
        (AcceptedObject::Key { name, is: value }, Cause::Key { name: key, is, .. }) => {
            (name == key).then(|| value == is)
        }
        // The score rule is named by a key of the deployment or as a rule.
        (AcceptedObject::Override { name, is: value }, Cause::Key { is, rule: Some(rule), .. }) => {
            (resolved(name) == Some(rule)).then(|| value == is)
        }
        (AcceptedObject::Override { name, is: value }, Cause::Override { name: own, is, .. }) => {
            let is_it = name.as_str() == own || resolved(name) == Some(own.as_str());
            is_it.then(|| value == is)
        }
        (_, _) => None,
    }
}

/// Returns true if two rules skip the same for the same requests.
fn skipped_alike(accepted: &RuleBody, live: &RuleBody) -> bool {
    let part = |body: &RuleBody| {
        let body = canonical(body);
        (body.get("expression").cloned(), body.get("action_parameters").cloned())
    };
    part(accepted) == part(live)
}
