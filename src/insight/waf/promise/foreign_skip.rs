//! Foreign rules that let requests skip a managed ruleset.
//!
//! Such a rule counts if arbitrary clients can use it: its expression is not limited to certain
//! clients, to one page, or to a directory (`Expression::is_for_few`), and it frees the whole
//! ruleset or, together with others, more than [`FEW_RULES`] promised rules. What an exception of the
//! spec lets the same requests skip does not count. Rules of the account count if they were read.

use std::collections::BTreeSet;

use super::context::Context;
use super::words;
use super::{Cause, Promised, Shortfall};
use crate::insight::waf::exception::{Skipped, Target};
use crate::insight::waf::rule_scope;
use crate::insight::waf::rules_in_force::{Owner, RuleInForce, skips_before};
use crate::model::expression::{Conditions, Expression, ScopeChange};
use crate::model::facts::rulesets::MANAGED_PHASE;
use crate::model::managed::Catalogue;
use crate::model::ruleset::{LiveRule, Phase, RuleBody, Unread};

/// Maximum number of promised rules that arbitrary clients may skip without a finding.
const FEW_RULES: usize = 5;

/// Minimum number of segments of a path prefix that names a directory, as for a narrow weakening.
pub(super) const FEWEST_SEGMENTS: usize = super::super::narrow_weakening::FEWEST_SEGMENTS;

/// The bypasses of foreign rules.
#[derive(Debug, Default)]
pub(super) struct Bypass {
    /// Bypasses that count.
    pub(super) shortfalls: Vec<Shortfall>,
    /// Descriptions of bypasses that do not count.
    pub(super) narrow: Vec<String>,
    /// Parts that cannot be compared.
    pub(super) unknown: Vec<String>,
    /// Earlier phases that were not read.
    pub(super) not_asked: Vec<Phase>,
}

/// The rules that a skip rule frees requests from.
#[derive(Debug, Clone)]
enum Freed {
    /// The whole ruleset.
    All,
    /// These promised rules.
    Some(BTreeSet<String>),
}

/// The exceptions of the spec that come before the deployment.
struct OwnExceptions<'a> {
    /// The requests that the deployment checks.
    scope: &'a Expression,
    exceptions: Vec<(Expression, Freed)>,
}

impl OwnExceptions<'_> {
    /// Returns what an exception of others frees some requests from that those of the spec do not;
    /// `None` if nothing is left.
    fn leave(&self, freed: &Freed, requests: &Expression) -> Option<Freed> {
        let are_freed_from = |rule: Option<&String>| {
            let frees = |freed: &Freed| match (freed, rule) {
                (Freed::All, _) => true,
                (Freed::Some(rules), Some(rule)) => rules.contains(rule),
                (Freed::Some(_), None) => false,
            };
            let scopes = self.exceptions.iter().filter(|(_, freed)| frees(freed));
            self.contain(requests, scopes.map(|(scope, _)| scope).collect())
        };
        match freed {
            Freed::All => (!are_freed_from(None)).then_some(Freed::All),
            Freed::Some(rules) => {
                let left = rules.iter().filter(|rule| !are_freed_from(Some(rule)));
                let left: BTreeSet<String> = left.cloned().collect();
                (!left.is_empty()).then_some(Freed::Some(left))
            }
        }
    }

    /// Returns true if some exceptions together certainly match all of the requests that the
    /// deployment would check.
    fn contain(&self, requests: &Expression, scopes: Vec<&Expression>) -> bool {
        let is_within = |scope: &&Expression| {
            let change = Expression::scope_change(scope, requests);
            matches!(change, ScopeChange::Equal | ScopeChange::Narrower)
        };
        if scopes.is_empty() || scopes.iter().any(is_within) {
            return !scopes.is_empty();
        }
        let mut conditions = Conditions::default();
        let held = [requests, self.scope].map(|expression| conditions.add(expression));
        let denied: Vec<usize> = scopes.into_iter().map(|scope| conditions.add(scope)).collect();
        !conditions.are_possible(held, denied)
    }
}

/// Finds the bypasses of foreign rules before the deployment.
pub(super) fn bypasses(
    context: &Context<'_>,
    deployment: &RuleBody,
    catalogue: &Catalogue,
    promised: &BTreeSet<&str>,
) -> Bypass {
    let mut found = Bypass::default();
    for (phase, why) in &context.waf.unread {
        let about = phase.about();
        match why {
            Unread::NotAsked => found.not_asked.push(*phase),
            Unread::Failed(why) => {
                found.unknown.push(format!(
                    "whether {about} let requests skip it: they could not be read ({why})"
                ));
            }
        }
    }
    let ruleset = deployment.executes().unwrap_or_default();
    let (foreign, own): (Vec<_>, Vec<_>) = skips_before(context.waf, context.account, ruleset)
        .partition(|(one, _)| {
            one.owner == Owner::Account || (context.is_foreign)(one.phase, one.rule)
        });
    let own = own.into_iter().filter_map(|(one, skipped)| {
        let freed = freed(&skipped, (one.owner, one.phase), context, catalogue, promised)?;
        Some((rule_scope::expression(&one.rule.body), freed))
    });
    let scope = rule_scope::expression(deployment);
    let own = OwnExceptions { scope: &scope, exceptions: own.collect() };
    let mut pieces: Vec<(Shortfall, String)> = Vec::new();
    for (RuleInForce { owner, phase, rule, .. }, skipped) in foreign {
        let requests = rule_scope::expression(&rule.body);
        if requests.is_always_false() || rule_scope::are_apart(&requests, &scope) {
            continue;
        }
        let name = match owner {
            Owner::Account => format!("{} of the account", rule.shown()),
            Owner::Zone => rule.shown().to_owned(),
        };
        let freed = freed(&skipped, (owner, phase), context, catalogue, promised);
        if freed.is_none() && !skipped.unknown.is_empty() && phase == Phase::Managed {
            found
                .unknown
                .push(format!("what the rule {name} lets requests skip cannot be compared"));
        }
        let Some(freed) = freed else { continue };
        let Some((left, freed)) = beyond_own(&requests, &freed, &own) else { continue };
        let who = words::requests(&requests);
        let effect = format!("{who} bypass {}", skipped.about(phase, context.waf));
        let words = format!("the rule {name} ({}): {effect}", phase.about());
        if !requests.is_comparable() {
            found.unknown.push(format!("{words}; the expression cannot be compared"));
        } else if left.is_for_few(FEWEST_SEGMENTS) {
            found.narrow.push(words);
        } else {
            let shortfall = shortfall(phase, rule, (name, effect), &freed, promised);
            match freed {
                Freed::All => found.shortfalls.push(shortfall),
                Freed::Some(_) => pieces.push((shortfall, words)),
            }
        }
    }
    // A wide exception does not become narrow by being divided.
    let together: BTreeSet<&String> =
        pieces.iter().flat_map(|(shortfall, _)| &shortfall.rules).collect();
    let is_wide = together.len() > FEW_RULES;
    for (shortfall, words) in pieces {
        match is_wide {
            true => found.shortfalls.push(shortfall),
            false => found.narrow.push(words),
        }
    }
    found
}

/// Returns the part of the requests that the exceptions of the spec do not free, and what these
/// requests are freed from; `None` if nothing is left.
fn beyond_own(
    requests: &Expression,
    freed: &Freed,
    own: &OwnExceptions<'_>,
) -> Option<(Expression, Freed)> {
    let alternatives = requests.alternatives();
    let number = alternatives.len();
    let left = alternatives.into_iter().filter(|part| !rule_scope::are_apart(part, own.scope));
    let left = left.filter_map(|part| own.leave(freed, &part).map(|freed| (part, freed)));
    let (parts, freed): (Vec<Expression>, Vec<Freed>) = left.unzip();
    let freed = freed.into_iter().reduce(|one, other| match (one, other) {
        (Freed::Some(one), Freed::Some(other)) => {
            Freed::Some(one.into_iter().chain(other).collect())
        }
        (Freed::All, _) | (_, Freed::All) => Freed::All,
    })?;
    let requests = match parts.len() == number {
        true => requests.clone(),
        false => {
            let parts: Vec<String> =
                parts.iter().map(|part| format!("({})", part.canonical())).collect();
            Expression::reported(&parts.join(" or "))
        }
    };
    Some((requests, freed))
}

/// Returns the rules of a deployment that a skip rule frees requests from; `None` if there are
/// none.
fn freed(
    skipped: &Skipped,
    (owner, phase): (Owner, Phase),
    context: &Context<'_>,
    catalogue: &Catalogue,
    promised: &BTreeSet<&str>,
) -> Option<Freed> {
    let mut rules = BTreeSet::new();
    for target in skipped.in_effect(context.waf) {
        match target {
            Target::Phase(name) if name == MANAGED_PHASE => return Some(Freed::All),
            // Anything else that a rule of the account skips is in the account's entry point.
            _ if owner == Owner::Account => {}
            Target::Rest | Target::RestOfPhase if phase == Phase::Managed => {
                return Some(Freed::All);
            }
            Target::Ruleset(id) if id == catalogue.id.0 => return Some(Freed::All),
            Target::Rule(id, rule) if id == catalogue.id.0 && promised.contains(rule.as_str()) => {
                rules.insert(rule);
            }
            Target::Rest
            | Target::RestOfPhase
            | Target::Phase(_)
            | Target::Ruleset(_)
            | Target::Rule(..)
            | Target::Product(_) => {}
        }
    }
    (!rules.is_empty()).then_some(Freed::Some(rules))
}

/// Returns the shortfall for a rule that counts.
fn shortfall(
    phase: Phase,
    rule: &LiveRule,
    (shown, effect): (String, String),
    freed: &Freed,
    promised: &BTreeSet<&str>,
) -> Shortfall {
    let (words, rules) = match freed {
        Freed::All => {
            let all = promised.iter().map(|id| (*id).to_owned()).collect();
            ("no rule of others lets arbitrary clients skip it".to_owned(), all)
        }
        Freed::Some(rules) => (
            format!("rules of others let arbitrary clients skip at most {FEW_RULES} rules"),
            rules.clone(),
        ),
    };
    Shortfall {
        what: Promised::NoBypass,
        promised: words,
        live: effect,
        cause: Cause::Rule { phase, id: rule.id.clone(), shown, body: Box::new(rule.body.clone()) },
        rules,
    }
}
