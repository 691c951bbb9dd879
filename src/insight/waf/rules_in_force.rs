//! The rules that are in force: which they are, the order in which a request meets them, and what
//! each does. Plans, drift, surveys, traces and expectations about requests read them here.
//!
//! # Sources
//! Custom rules run before rate limiting rules, and those before managed rules; in each phase, the
//! rules of the account run first: developers.cloudflare.com/waf/concepts and
//! /ruleset-engine/about/phases, read 2026-11-22.

use std::collections::BTreeMap;

use super::action_strength::{Strength, strength};
use super::exception::{Skipped, skipped};
use crate::model::ruleset::{EntryPoint, LiveRule, LiveWaf, Phase, RuleBody, canonical_rate_limit};

/// The owner of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::insight) enum Owner {
    /// The account's.
    Account,
    /// The zone's.
    Zone,
}

/// What a rule does with the requests that it matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::insight) enum Deed<'r> {
    /// Lets requests bypass other rules.
    Skip(Skipped),
    /// Executes a managed ruleset, by its id.
    Execute(&'r str),
    /// Only logs requests.
    Log,
    /// Blocks or challenges requests.
    Stop(Strength),
    /// Blocks or challenges requests above a rate.
    Limit(Strength),
    /// Something else.
    Other,
}

/// A rule that is on.
#[derive(Debug, Clone, Copy)]
pub(in crate::insight) struct RuleInForce<'w> {
    pub(in crate::insight) owner: Owner,
    pub(in crate::insight) phase: Phase,
    pub(in crate::insight) rule: &'w LiveRule,
    /// Its position in its entry point.
    at: usize,
}

impl<'r> Deed<'r> {
    /// Reads what a rule does.
    pub(in crate::insight) fn of(body: &'r RuleBody) -> Self {
        if let Some(skipped) = skipped(body) {
            return Self::Skip(skipped);
        }
        if let Some(ruleset) = body.executes() {
            return Self::Execute(ruleset);
        }
        match strength(body.action()) {
            None => Self::Other,
            Some(Strength::Log) => Self::Log,
            Some(stops) if canonical_rate_limit(body).is_some() => Self::Limit(stops),
            Some(stops) => Self::Stop(stops),
        }
    }
}

/// Returns the rules that are on, in the order in which a request meets them.
pub(in crate::insight) fn rules_in_force<'w>(
    waf: &'w LiveWaf,
    account: Option<&'w BTreeMap<Phase, EntryPoint>>,
) -> impl Iterator<Item = RuleInForce<'w>> {
    let of_phase = move |phase: &'w Phase| {
        let of_owner = move |owner: Owner, entry_point: Option<&'w EntryPoint>| {
            let rules = entry_point.map(EntryPoint::rules).unwrap_or_default();
            let rules = rules.iter().enumerate().filter(|(_, rule)| rule.body.is_enabled());
            rules.map(move |(at, rule)| RuleInForce { owner, phase: *phase, rule, at })
        };
        of_owner(Owner::Account, account.and_then(|account| account.get(phase)))
            .chain(of_owner(Owner::Zone, waf.entry_points.get(phase)))
    };
    Phase::ALL.iter().flat_map(of_phase)
}

/// Returns the rules with what they let requests bypass that a request meets before the zone's
/// deployment of a managed ruleset, or before its phase if the ruleset is not deployed.
pub(in crate::insight) fn skips_before<'w>(
    waf: &'w LiveWaf,
    account: Option<&'w BTreeMap<Phase, EntryPoint>>,
    ruleset: &str,
) -> impl Iterator<Item = (RuleInForce<'w>, Skipped)> {
    let managed = waf.entry_points.get(&Phase::Managed).map(EntryPoint::rules).unwrap_or_default();
    let at = managed.iter().position(|rule| rule.body.executes() == Some(ruleset)).unwrap_or(0);
    let is_before = move |rule: &RuleInForce<'_>| match rule.owner {
        _ if rule.phase < Phase::Managed => true,
        Owner::Account => rule.phase == Phase::Managed,
        Owner::Zone => rule.phase == Phase::Managed && rule.at < at,
    };
    let skipped = |rule: RuleInForce<'w>| Some((rule, skipped(&rule.rule.body)?));
    rules_in_force(waf, account).filter(is_before).filter_map(skipped)
}
