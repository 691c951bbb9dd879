//! What a request meets on its way through the phases, for every kind of request that the rules
//! tell apart.
//!
//! Each expression counts as one property that a request has or not; which of them go together is
//! known as far as two expressions can be compared. What a request meets is a set of obstacles, and
//! it passes if it gets past all of them. So one treatment is at least as strict as another one if
//! whoever passes the one also passes the other.
//!
//! # Sources
//! Order of the phases: developers.cloudflare.com/waf/feature-interoperability. A passed challenge
//! accepts the request: developers.cloudflare.com/ruleset-engine/rules-language/actions, both read
//! 2026-11-22. The page does not say what happens to later requests of the client, so the order of
//! changes is right for both: rules behind a challenge do not see them, or do.

mod state_comparison;

use std::collections::{BTreeMap, BTreeSet};

pub use state_comparison::Changed;

use super::action_strength::{Strength, only_logs};
use super::deployment_change::deployment_impact;
use super::effective_rules::{EffectiveRule, effective_deployment};
use super::exception::{Skipped, Target};
use super::rule_change::rule_impact;
use super::rules_in_force::Deed;
use super::{phrases, rule_scope};
use crate::diagnostic::first_of;
use crate::insight::direction::Direction;
use crate::model::expression::{Conditions, Expression};
use crate::model::managed::Catalogue;
use crate::model::ruleset::{LiveWaf, Phase, RuleBody, canonical, counting_expression};
use crate::model::{Gather, Value, sort_by_key};

/// Most properties that are told apart.
const MOST_PROPERTIES: usize = 64;
/// Up to this many properties, every combination is looked at; beyond, those of a few properties at
/// a time.
const ALL_COMBINATIONS: usize = 9;
/// Most rules, limits and rulesets of each kind that are told apart; those beyond count as one.
const MOST_BITS: usize = 63;

/// What a rule does to a request that it applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Act {
    /// Stops the request.
    Block,
    /// Stops the request unless its client passes a challenge.
    Challenge,
    /// Counts the request against a rate limit.
    Limit(usize),
    /// Evaluates a ruleset for the request.
    Check { ruleset: usize, version: usize },
    /// Lets the request bypass other rules.
    Skip(Bypass),
    /// Something else.
    Other(usize),
}

/// What a skip rule bypasses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Bypass {
    /// What follows in the entry point.
    rest: bool,
    /// Phases that we know, by their number.
    phases: u64,
    /// Whole rulesets.
    rulesets: u64,
    /// Rules of rulesets.
    rules: u64,
    /// Other things: products, other phases, what is not known.
    others: u64,
}

/// A rule, reduced to what it does with which requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleRule {
    property: usize,
    act: Act,
}

/// What a request meets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Treatment {
    blocked: bool,
    challenged: bool,
    limits: u64,
    others: u64,
    /// Checks by a ruleset: its number, the version of its tuning, the rules that are bypassed.
    checks: Vec<(usize, usize, u64)>,
}

/// An obstacle that can be in the way of a request, beside blocks and challenges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Aspect {
    limits: u64,
    others: u64,
    ruleset: Option<usize>,
    exempt: u64,
}

impl Aspect {
    const ALL: Self = Self { limits: !0, others: !0, ruleset: None, exempt: !0 };

    /// Returns true if a rule can affect the obstacle.
    fn concerns(&self, act: &Act) -> bool {
        *self == Self::ALL
            || match act {
                Act::Block | Act::Challenge => true,
                Act::Limit(n) => self.limits & 1 << n != 0,
                Act::Other(n) => self.others & 1 << n != 0,
                Act::Check { ruleset, .. } => self.ruleset == Some(*ruleset),
                Act::Skip(bypass) => {
                    let rulesets = self.ruleset.map_or(0, |ruleset| 1 << ruleset);
                    bypass.rest
                        || bypass.phases != 0
                        || bypass.others & self.others != 0
                        || bypass.rulesets & rulesets != 0
                        || bypass.rules & self.exempt != 0
                }
            }
    }
}

/// A kind of request. Of the properties in `known`, it has those in `held`; the others are unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RequestKind {
    known: u64,
    held: u64,
    /// True if it also meets what follows a challenge that it passes.
    goes_on: bool,
}

/// The rules of each phase, in the order in which they act.
pub type PhaseRules<'r> = [(Phase, Vec<&'r SimpleRule>)];

/// Every kind of request that a set of rules tells apart.
#[derive(Debug)]
pub struct Requests {
    conditions: Conditions,
    expressions: Vec<Expression>,
    numbers: BTreeMap<String, usize>,
    /// Each kind of request; few properties first.
    kinds: Vec<RequestKind>,
    limits: Vec<RuleBody>,
    /// Which limits hold if one holds.
    limits_implied: Vec<u64>,
    rulesets: Vec<String>,
    versions: Vec<RuleBody>,
    /// Which versions find nothing if one finds nothing.
    versions_implied: Vec<BTreeSet<usize>>,
    /// The bypassed rules that are off in each version.
    versions_off: Vec<u64>,
    exempt: Vec<(String, String)>,
    others: Vec<Unfollowed>,
    /// What is an obstacle unless it is bypassed.
    outside: u64,
    has_challenges: bool,
}

/// What acts or is bypassed in a way that is not followed, and only told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Unfollowed {
    /// A rule with another action.
    Rule(RuleBody),
    /// A phase whose rules are unknown: we do not manage it, or its entry point was not read.
    Phase(String),
    /// A product outside the rulesets.
    Product(String),
    /// An unknown parameter of a skip rule.
    Parameter(String, Value),
}

/// Returns the position of a value in a list, to which it is added if needed. The last place stands
/// for all that have none.
fn number_of<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    let position = list.iter().position(|one| *one == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    });
    position.min(MOST_BITS)
}

/// Returns true if a deployment stops no request: it only logs, or what would act is off.
fn stops_nothing(body: &RuleBody, catalogue: &Catalogue) -> bool {
    let is_idle = |rule: &EffectiveRule<'_>| !rule.effect.enabled || only_logs(&rule.effect.action);
    effective_deployment(body, catalogue).is_some_and(|deployment| match &deployment.anomaly {
        Some(anomaly) => is_idle(anomaly),
        None => deployment.rules.iter().all(is_idle),
    })
}

/// Returns the rule without what says which requests it is for and what it is called.
fn deed(body: &RuleBody) -> RuleBody {
    let mut deed = canonical(body);
    for member in ["expression", "ref", "description", "enabled", "logging"] {
        deed.remove(member);
    }
    deed
}

/// Returns the rule without its names, with the requests that it counts.
fn counted(body: &RuleBody) -> RuleBody {
    let mut deed = deed(body);
    let counting = body.rate_limit().and_then(counting_expression).filter(|text| !text.is_empty());
    if counting.is_none() {
        deed.set("expression", rule_scope::expression(body).canonical());
    }
    deed
}

impl Requests {
    /// The requests that these rules tell apart. `changes` are rules before and after a change;
    /// they come first, should there be too many to tell all apart.
    #[must_use]
    pub fn new<'r>(
        changes: &[(Phase, Option<&'r RuleBody>, Option<&'r RuleBody>)],
        others: impl Iterator<Item = &'r RuleBody>,
        waf: &LiveWaf,
    ) -> Self {
        let mut requests = Self {
            conditions: Conditions::default(),
            expressions: Vec::new(),
            numbers: BTreeMap::new(),
            kinds: Vec::new(),
            limits: Vec::new(),
            limits_implied: Vec::new(),
            rulesets: Vec::new(),
            versions: Vec::new(),
            versions_implied: Vec::new(),
            versions_off: Vec::new(),
            exempt: Vec::new(),
            others: Vec::new(),
            outside: 0,
            has_challenges: false,
        };
        let changed = changes.iter().flat_map(|(_, before, after)| [*before, *after]).flatten();
        for body in changed.chain(others) {
            requests.learn(body, waf);
        }
        // Rules that were not read may stop requests, unless a rule before them accepts or skips.
        for phase in Phase::ALL.iter().filter(|phase| !waf.entry_points.contains_key(*phase)) {
            requests.outside |=
                1 << number_of(&mut requests.others, Unfollowed::Phase(phase.as_str().to_owned()));
        }
        requests.limits_implied =
            (0..requests.limits.len()).map(|n| 1 << n.min(MOST_BITS)).collect();
        requests.versions_implied =
            (0..requests.versions.len()).map(|n| BTreeSet::from([n.min(MOST_BITS)])).collect();
        requests.versions_off =
            requests.versions.iter().map(|version| requests.off(version, waf)).collect();
        for (phase, before, after) in changes {
            if let (Some(before), Some(after)) = (before, after) {
                requests.compare(*phase, before, after, waf);
            }
        }
        requests
    }

    /// Takes note of a rule.
    fn learn(&mut self, body: &RuleBody, waf: &LiveWaf) {
        let expression = rule_scope::expression(body);
        let key = expression.canonical().to_owned();
        if !self.numbers.contains_key(&key) && self.expressions.len() < MOST_PROPERTIES {
            self.numbers.insert(key, self.conditions.add(&expression));
            self.expressions.push(expression);
        }
        match self.act(body, waf) {
            Some(Act::Skip(bypass)) => self.outside |= bypass.others,
            Some(Act::Challenge) => self.has_challenges = true,
            _ => {}
        }
    }

    /// What a rule does; `None` if nothing.
    fn act(&mut self, body: &RuleBody, waf: &LiveWaf) -> Option<Act> {
        Some(match Deed::of(body) {
            Deed::Log | Deed::Stop(Strength::Log) => return None,
            Deed::Skip(skipped) => Act::Skip(self.bypass(&skipped, waf)),
            Deed::Execute(_) if waf.executed(body).is_some_and(|all| stops_nothing(body, all)) => {
                return None;
            }
            Deed::Execute(id) => Act::Check {
                ruleset: number_of(&mut self.rulesets, id.to_owned()),
                version: number_of(&mut self.versions, deed(body)),
            },
            Deed::Limit(_) => Act::Limit(number_of(&mut self.limits, counted(body))),
            Deed::Stop(Strength::Block) => Act::Block,
            Deed::Stop(Strength::Challenge) => Act::Challenge,
            Deed::Other => Act::Other(number_of(&mut self.others, Unfollowed::Rule(deed(body)))),
        })
    }

    /// What a skip rule bypasses.
    fn bypass(&mut self, skipped: &Skipped, waf: &LiveWaf) -> Bypass {
        let mut bypass = Bypass::default();
        for target in skipped.in_effect(waf) {
            match target {
                Target::Rest | Target::RestOfPhase => bypass.rest = true,
                Target::Ruleset(id) => bypass.rulesets |= 1 << number_of(&mut self.rulesets, id),
                Target::Rule(ruleset, id) => {
                    bypass.rules |= 1 << number_of(&mut self.exempt, (ruleset, id))
                }
                Target::Phase(name) => match Phase::ALL
                    .iter()
                    .position(|phase| phase.as_str() == name)
                {
                    Some(n) if waf.entry_points.contains_key(&Phase::ALL[n]) => {
                        bypass.phases |= 1 << n
                    }
                    _ => bypass.others |= 1 << number_of(&mut self.others, Unfollowed::Phase(name)),
                },
                Target::Product(name) => {
                    bypass.others |= 1 << number_of(&mut self.others, Unfollowed::Product(name))
                }
            }
        }
        for (name, value) in &skipped.unknown {
            bypass.others |= 1
                << number_of(&mut self.others, Unfollowed::Parameter(name.clone(), value.clone()));
        }
        bypass
    }

    /// Takes note of which of two rules is the stricter one, for requests that both apply to.
    fn compare(&mut self, phase: Phase, before: &RuleBody, after: &RuleBody, waf: &LiveWaf) {
        let mut same_scope = after.clone();
        for member in ["expression", "enabled"] {
            match before.get(member) {
                Some(value) => same_scope.set(member, value.clone()),
                None => drop(same_scope.remove(member)),
            }
        }
        let direction = match (self.act(before, waf), self.act(after, waf)) {
            (Some(Act::Limit(_)), Some(Act::Limit(_))) => {
                rule_impact(phase, Some(before), Some(&same_scope), waf).direction
            }
            (Some(Act::Check { ruleset, .. }), Some(Act::Check { ruleset: other, .. }))
                if ruleset == other =>
            {
                let catalogue = before.executes().and_then(|id| waf.catalogue(id));
                deployment_impact(Some(before), Some(&same_scope), catalogue).direction
            }
            _ => return,
        };
        let is_stricter = matches!(direction, Direction::Strengthens | Direction::Neutral);
        let is_laxer = matches!(direction, Direction::Weakens | Direction::Neutral);
        match (self.act(before, waf), self.act(after, waf)) {
            (Some(Act::Limit(one)), Some(Act::Limit(other))) => {
                self.limits_implied[other] |= u64::from(is_stricter) << one;
                self.limits_implied[one] |= u64::from(is_laxer) << other;
            }
            (Some(Act::Check { version: one, .. }), Some(Act::Check { version: other, .. })) => {
                self.versions_implied[other].extend(is_stricter.then_some(one));
                self.versions_implied[one].extend(is_laxer.then_some(other));
            }
            _ => {}
        }
    }

    /// Finds the kinds of requests: properties that can go together.
    pub fn tell_apart(&mut self) {
        let has_challenges = self.has_challenges;
        let readings = |held: u64| {
            let goes_on = [false, true].into_iter().take(1 + usize::from(has_challenges));
            goes_on.map(move |goes_on| RequestKind { known: !0, held, goes_on })
        };
        self.kinds = self.combinations().into_iter().flat_map(readings).collect();
    }

    fn combinations(&self) -> Vec<u64> {
        let count = self.expressions.len();
        let (mut implied, mut apart) = (vec![0_u64; count], vec![0_u64; count]);
        let mut always = 0_u64;
        let is_possible = |held: &[usize], denied: &[usize]| {
            self.conditions.are_possible(held.iter().copied(), denied.iter().copied())
        };
        for n in 0..count {
            implied[n] |= 1 << n;
            if !is_possible(&[], &[n]) {
                always |= 1 << n;
            }
            for m in n + 1..count {
                implied[n] |= u64::from(!is_possible(&[n], &[m])) << m;
                implied[m] |= u64::from(!is_possible(&[m], &[n])) << n;
                if !is_possible(&[n, m], &[]) {
                    apart[n] |= 1 << m;
                    apart[m] |= 1 << n;
                }
            }
        }
        let impossible = |n: usize| !is_possible(&[n], &[]);
        let closed = |seeds: u64| -> Option<u64> {
            let mut implied_kinds = seeds | always;
            loop {
                let wider = bits(implied_kinds).fold(implied_kinds, |all, n| all | implied[n]);
                if wider == implied_kinds {
                    break;
                }
                implied_kinds = wider;
            }
            (!bits(implied_kinds).any(|n| impossible(n) || apart[n] & implied_kinds != 0))
                .then_some(implied_kinds)
        };
        let mut kinds: BTreeSet<u64> = BTreeSet::new();
        if count <= ALL_COMBINATIONS {
            kinds.extend((0..1_u64 << count).filter_map(closed));
        } else {
            kinds.extend(closed(0));
            for n in 0..count {
                kinds.extend(closed(1 << n));
                for m in 0..n {
                    kinds.extend(closed(1 << n | 1 << m));
                    if count <= MOST_PROPERTIES / 2 {
                        kinds.extend((0..m).filter_map(|l| closed(1 << n | 1 << m | 1 << l)));
                    }
                }
            }
        }
        let mut kinds: Vec<u64> = kinds.into_iter().collect();
        sort_by_key(&mut kinds, |kind| kind.count_ones());
        kinds
    }

    /// How many kinds of requests there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Looks at this many of them only.
    pub fn truncate(&mut self, most: usize) {
        self.kinds.truncate(most);
    }

    /// A rule, reduced to what it does; `None` if it does nothing.
    pub fn simple(&mut self, body: &RuleBody, waf: &LiveWaf) -> Option<SimpleRule> {
        if !body.is_enabled() {
            return None;
        }
        let property = *self.numbers.get(rule_scope::expression(body).canonical())?;
        Some(SimpleRule { property, act: self.act(body, waf)? })
    }

    /// What each kind of request meets, where the phases have these rules in this order.
    #[must_use]
    pub fn treatments(&self, phases: &PhaseRules<'_>) -> Vec<Treatment> {
        let treatment = |kind: &RequestKind| self.treatment(*kind, phases, &Aspect::ALL).ok();
        self.kinds.iter().filter_map(treatment).collect()
    }

    /// Returns the treatment of a kind of request, or an unknown property on which it depends.
    fn treatment(
        &self,
        kind: RequestKind,
        phases: &PhaseRules<'_>,
        aspect: &Aspect,
    ) -> Result<Treatment, usize> {
        let mut met = Treatment { others: self.outside & aspect.others, ..Treatment::default() };
        let mut bypassed = 0_u64;
        for (phase, rules) in phases {
            let number = Phase::ALL.iter().position(|p| p == phase).unwrap_or(MOST_BITS);
            if bypassed & 1 << number != 0 {
                continue;
            }
            let (mut rulesets, mut exempt) = (0_u64, 0_u64);
            for rule in rules.iter().filter(|rule| aspect.concerns(&rule.act)) {
                if kind.known & 1 << rule.property == 0 {
                    return Err(rule.property);
                }
                if kind.held & 1 << rule.property == 0 {
                    continue;
                }
                match &rule.act {
                    Act::Block => return Ok(Treatment { blocked: true, ..Treatment::default() }),
                    Act::Challenge if kind.goes_on => met.challenged = true,
                    Act::Challenge => {
                        met.challenged = true;
                        // Who passes it meets nothing more.
                        met.others &= !self.outside;
                        return Ok(met);
                    }
                    Act::Limit(n) => met.limits |= 1 << n,
                    Act::Other(n) => met.others |= 1 << n,
                    Act::Check { ruleset, version } => {
                        if rulesets & 1 << ruleset == 0 {
                            let off = self.versions_off.get(*version).copied().unwrap_or_default();
                            met.checks.push((
                                *ruleset,
                                *version,
                                exempt & self.rules_of(*ruleset) & aspect.exempt & !off,
                            ));
                        }
                    }
                    Act::Skip(bypass) => {
                        bypassed |= bypass.phases;
                        rulesets |= bypass.rulesets;
                        exempt |= bypass.rules;
                        met.others &= !bypass.others;
                        if bypass.rest {
                            break;
                        }
                    }
                }
            }
        }
        Ok(met)
    }

    /// Returns the bypassed rules that are off in a version: bypassing them changes nothing.
    fn off(&self, version: &RuleBody, waf: &LiveWaf) -> u64 {
        let catalogue = version.executes().and_then(|id| waf.catalogue(id));
        let Some(effective) =
            catalogue.and_then(|catalogue| effective_deployment(version, catalogue))
        else {
            return 0;
        };
        let id = version.executes().unwrap_or_default();
        let off: BTreeSet<&str> = effective
            .rules
            .iter()
            .filter(|rule| !rule.effect.enabled)
            .map(|rule| rule.rule.id.0.as_str())
            .gather();
        let is_off =
            |(ruleset, rule): &(String, String)| ruleset == id && off.contains(rule.as_str());
        let exemptions = self.exempt.iter().enumerate().take(MOST_BITS);
        exemptions.filter(|(_, rule)| is_off(rule)).fold(0, |all, (n, _)| all | 1 << n)
    }

    /// Returns the rules of a ruleset that are bypassed anywhere.
    fn rules_of(&self, ruleset: usize) -> u64 {
        let of_it = |(id, _): &(String, String)| self.rulesets.get(ruleset) == Some(id);
        self.exempt
            .iter()
            .enumerate()
            .filter(|(_, rule)| of_it(rule))
            .fold(0, |all, (n, _)| all | 1 << n.min(MOST_BITS))
    }

    /// Returns true if whoever passes `stricter` also passes `other`.
    #[must_use]
    pub fn covers(&self, stricter: &Treatment, other: &Treatment) -> bool {
        if stricter.blocked || other.blocked {
            return stricter.blocked;
        }
        let limits = bits(stricter.limits)
            .fold(stricter.limits, |all, n| all | self.limits_implied.get(n).unwrap_or(&0));
        let is_checked = |(ruleset, version, exempt): &(usize, usize, u64)| {
            stricter.checks.iter().any(|(of, by, without)| {
                let implies = by == version
                    || self.versions_implied.get(*by).is_some_and(|all| all.contains(version));
                let off = self.versions_off.get(*version).copied().unwrap_or_default();
                of == ruleset && implies && without & !exempt & !off == 0
            })
        };
        (stricter.challenged || !other.challenged)
            && other.limits & !limits == 0
            && other.others & !stricter.others == 0
            && other.checks.iter().all(is_checked)
    }

    /// Both treatments, one after the other.
    #[must_use]
    pub fn both(one: &Treatment, other: &Treatment) -> Treatment {
        Treatment {
            blocked: one.blocked || other.blocked,
            challenged: one.challenged || other.challenged,
            limits: one.limits | other.limits,
            others: one.others | other.others,
            checks: one.checks.iter().chain(&other.checks).copied().collect(),
        }
    }

    /// Returns a kind of request in words.
    #[must_use]
    pub fn about(&self, kind: usize) -> String {
        let RequestKind { held, goes_on, .. } = self.kinds[kind];
        let conditions: Vec<String> = bits(held)
            .filter(|n| !self.expressions[*n].is_always_true())
            .map(|n| phrases::expression(self.expressions[n].text().trim()))
            .collect();
        let passes = if goes_on { ", from clients that pass the challenge" } else { "" };
        match conditions.is_empty() {
            true => format!("all other requests{passes}"),
            false => format!("requests where {}{passes}", first_of(&conditions, 4)),
        }
    }
}

/// Returns the numbers of the bits that are set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let n = set.trailing_zeros();
        (n < 64).then(|| {
            set &= set - 1;
            n as usize
        })
    })
}
