//! Comparison of a zone's protection: finds the rules that are created, changed, moved or deleted,
//! and those that are left alone. Pure.
//!
//! | live rule | result |
//! |---|---|
//! | executes a managed ruleset that the spec deploys | compared with the deployment of the spec, merged over the live one |
//! | has the `ref` of a rule of the spec | compared with that rule |
//! | has no `ref` of its own and does exactly the same as a rule of the spec | adopted as that rule |
//! | any other | left alone; deleted if the section is pruned and names rules of its kind |

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::delete_reason::RuleDeleteReason;
use super::field::FieldChange;
use super::rule_fields::rule_fields;
use super::rule_moves::Member;
use super::rule_order::{WantedOrder, numbers_by_name};
use super::rule_pair::{Ours, Pair};
use crate::diagnostic::Place;
use crate::managed::{Compiled, Problem, ProblemKind, compile, find_deployment};
use crate::ruleset::{
    DesiredWaf, EntryPoint, LiveRule, LiveWaf, Phase, RuleBody, Switch, canonical, compile_rule,
};
use crate::{DesiredZone, Gather, LiveZone, Unmanaged};

/// The kind of change that one rule needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleChangeKind<'a> {
    /// Cloudflare does not have the rule.
    Create,
    /// Cloudflare has the rule, with other values.
    Update(&'a LiveRule),
    /// The rule is at the wrong position and has no other difference.
    Move(&'a LiveRule),
    /// Cloudflare has the rule and the spec does not want it.
    Delete(&'a LiveRule, RuleDeleteReason),
}

/// One difference between a desired and a live rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleChange<'a> {
    /// The rule's name: its `ref`, or its display name.
    pub name: String,
    /// The kind of change.
    pub kind: RuleChangeKind<'a>,
    /// The desired definition; for a deletion or a move, the live one.
    pub after: RuleBody,
    /// The fields that differ.
    pub fields: Vec<FieldChange>,
    /// Its member of [`PhaseChanges::order`], if it is placed again.
    pub placed: Option<Member>,
    /// The spec entry that asks for it.
    pub place: Option<Place>,
    /// True if the change only applies the `expires` of a spec entry.
    pub is_expiry: bool,
}

/// All differences of the entry point of one phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseChanges<'a> {
    /// Cloudflare's phase, which has one entry point for each zone.
    pub phase: Phase,
    /// The live entry point.
    pub live: &'a EntryPoint,
    /// The changes in the order of the spec, deletions last.
    pub changes: Vec<RuleChange<'a>>,
    /// The order of all rules after the changes, without deleted rules.
    pub order: Vec<Member>,
    /// Number of rules without a difference.
    pub unchanged: usize,
    /// Live rules that the plan leaves alone.
    pub foreign: Vec<&'a LiveRule>,
}

/// All differences of a zone's protection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WafChanges<'a> {
    /// The changes of each phase.
    pub phases: Vec<PhaseChanges<'a>>,
    /// Parts of the spec that cannot be applied, or have no effect.
    pub problems: Vec<Problem>,
    /// Contradictions in the desired order: the place of the rule, and a description.
    pub misplaced: Vec<(Place, String)>,
    /// Live rules without a `ref` that were adopted because they do the same as a rule of the spec.
    pub unnamed: Vec<(Place, String)>,
}

/// Compares a zone's protection. Phases that were not read are not compared.
#[must_use]
pub fn diff_rulesets<'a>(desired: &DesiredZone, live: &'a LiveZone) -> WafChanges<'a> {
    let mut changes = WafChanges::default();
    let Some(section) = &desired.waf else { return changes };
    for (phase, entry_point) in &live.waf.entry_points {
        let Some(ours) = managed_rules(section, *phase) else { continue };
        let phase_changes =
            diff_phase(section, *phase, &ours, entry_point, &live.waf, &mut changes);
        changes.phases.push(phase_changes);
    }
    changes
}

/// Returns the managed rules of a phase in the desired order; `None` if the spec does not manage
/// the phase.
fn managed_rules(section: &DesiredWaf, phase: Phase) -> Option<Vec<Ours<'_>>> {
    let named_rules = section.rules(phase);
    let deployments = section.deployments.iter().filter(|_| phase.deploys()).map(Ours::Deployment);
    let rules: Vec<_> =
        named_rules.into_iter().flatten().map(Ours::Rule).chain(deployments).collect();
    (named_rules.is_some() || !rules.is_empty()).then_some(rules)
}

fn diff_phase<'a>(
    section: &DesiredWaf,
    phase: Phase,
    ours: &[Ours<'_>],
    entry_point: &'a EntryPoint,
    waf: &LiveWaf,
    all: &mut WafChanges<'a>,
) -> PhaseChanges<'a> {
    let rules = entry_point.rules();
    let by_reference = numbers_by_name(
        rules.iter().enumerate().filter_map(|(n, rule)| Some((n, rule.body.reference()?))),
    );
    let mut paired_rules: BTreeSet<usize> = BTreeSet::new();
    let mut pairs: Vec<Pair<'_, 'a>> = Vec::new();
    for one in ours {
        let (one, live) = match one {
            Ours::Deployment(d) => {
                let deployment = find_deployment(rules, d.ruleset, waf.managed(d.ruleset));
                let live = deployment
                    .and_then(|deployment| rules.iter().position(|r| r.id == deployment.id));
                (Ours::Deployment(d), live)
            }
            Ours::Rule(r) => (Ours::Rule(r), by_reference.get(r.name.as_str()).copied()),
        };
        paired_rules.extend(live);
        let compiled = compiled(&one, phase, live.map(|n| &rules[n].body), section.unmanaged, waf);
        pairs.push(Pair { ours: one, live, compiled, rules });
    }
    adopt_unnamed(&mut pairs, &mut paired_rules, section, phase, waf, all);
    for pair in &pairs {
        if pair.gone().is_none() && !pair.is_nothing() {
            all.problems.extend(pair.compiled.problems.iter().cloned());
        }
        if let Ours::Deployment(d) = &pair.ours
            && d.switch == Switch::On
            && waf.managed(d.ruleset).is_none()
            && !pair.compiled.problems.iter().any(|p| matches!(p.kind, ProblemKind::NoRuleset(_)))
        {
            all.problems.push(Problem { kind: ProblemKind::NoRuleset(d.ruleset), place: d.place });
        }
    }
    let pruned = pruned_rules(section, phase, rules, &paired_rules);
    let deleted_rules: BTreeSet<usize> = pairs
        .iter()
        .filter(|p| p.gone().is_some())
        .filter_map(|p| p.live)
        .chain(pruned.iter().copied())
        .gather();
    let placed: Vec<&Pair> =
        pairs.iter().filter(|p| p.gone().is_none() && !p.is_nothing()).collect();
    let order = WantedOrder {
        phase,
        rules,
        placed: &placed,
        pairs: &pairs,
        gone: &deleted_rules,
        pruned: &pruned,
    };
    let sequence = order.find(&mut all.misplaced);
    let mut changes = PhaseChanges {
        phase,
        live: entry_point,
        changes: Vec::new(),
        order: sequence.order,
        unchanged: 0,
        foreign: Vec::new(),
    };
    for (n, pair) in placed.iter().enumerate() {
        match rule_change(pair, sequence.placed.contains(&n).then_some(n), section.unmanaged, waf) {
            Some(change) => changes.changes.push(change),
            None => changes.unchanged += 1,
        }
    }
    for pair in &pairs {
        if let (Some(live), Some(reason)) = (pair.live(), pair.gone()) {
            changes.changes.push(deletion(
                live,
                pair.name().to_owned(),
                reason,
                Some(pair.place()),
            ));
        }
    }
    for n in &pruned {
        let live = &rules[*n];
        changes.changes.push(deletion(
            live,
            live.shown().to_owned(),
            RuleDeleteReason::Pruned,
            Some(section.place),
        ));
    }
    changes.foreign = rules
        .iter()
        .enumerate()
        .filter(|(n, _)| !paired_rules.contains(n) && !deleted_rules.contains(n))
        .map(|(_, r)| r)
        .collect();
    changes
}

/// Returns the desired definition of a rule.
fn compiled(
    one: &Ours<'_>,
    phase: Phase,
    live: Option<&RuleBody>,
    unmanaged: Unmanaged,
    waf: &LiveWaf,
) -> Compiled {
    match one {
        Ours::Deployment(section) => {
            compile(section, waf.managed(section.ruleset), live, unmanaged)
        }
        Ours::Rule(section) => compile_rule(section, phase, (live, unmanaged), waf),
    }
}

/// Adopts live rules without a `ref` that do exactly the same as a rule of the spec.
fn adopt_unnamed(
    pairs: &mut [Pair<'_, '_>],
    taken: &mut BTreeSet<usize>,
    section: &DesiredWaf,
    phase: Phase,
    waf: &LiveWaf,
    all: &mut WafChanges<'_>,
) {
    let bare = |body: &RuleBody| {
        let mut bare = canonical(body);
        bare.remove("description");
        bare
    };
    let mut unnamed: Option<HashMap<RuleBody, Vec<usize>>> = None;
    for pair in pairs.iter_mut().filter(|p| p.live.is_none() && matches!(p.ours, Ours::Rule(_))) {
        // Indexed by definition; the first of several equal live rules is the last of its list.
        let unnamed = unnamed.get_or_insert_with(|| {
            let mut by_definition: HashMap<RuleBody, Vec<usize>> = HashMap::new();
            for (n, rule) in pair.rules.iter().enumerate().rev() {
                if !taken.contains(&n) && rule.body.reference().is_none() {
                    by_definition.entry(bare(&rule.body)).or_default().push(n);
                }
            }
            by_definition
        });
        let Some(n) = unnamed.get_mut(&bare(&pair.compiled.body)).and_then(Vec::pop) else {
            continue;
        };
        let rule = &pair.rules[n];
        taken.insert(n);
        pair.live = Some(n);
        pair.compiled = compiled(&pair.ours, phase, Some(&rule.body), section.unmanaged, waf);
        all.unnamed.push((pair.place(), pair.name().to_owned()));
    }
}

/// Returns the live rules that pruning deletes: rules of the kinds that the section names, without
/// an entry of their own.
fn pruned_rules(
    section: &DesiredWaf,
    phase: Phase,
    rules: &[LiveRule],
    taken: &BTreeSet<usize>,
) -> Vec<usize> {
    // The list of exceptions does not name deployments of other rulesets.
    let is_named_kind =
        |rule: &LiveRule| section.rules(phase).is_some() && phase.lists(rule.body.action());
    let numbers =
        rules.iter().enumerate().filter(|(n, rule)| !taken.contains(n) && is_named_kind(rule));
    if section.unmanaged == Unmanaged::Prune {
        numbers.map(|(n, _)| n).collect()
    } else {
        Vec::new()
    }
}

/// Returns the change of one managed rule; `None` if nothing differs.
fn rule_change<'a>(
    pair: &Pair<'_, 'a>,
    placed: Option<usize>,
    unmanaged: Unmanaged,
    waf: &LiveWaf,
) -> Option<RuleChange<'a>> {
    let desired_body = pair.compiled.body.clone();
    let member = placed.map(|n| pair.member(n));
    let fields = |before: Option<&RuleBody>| rule_fields(before, &desired_body, waf);
    let (kind, fields) = match pair.live() {
        None => (RuleChangeKind::Create, fields(None)),
        Some(live) if canonical(&live.body) != canonical(&desired_body) => {
            (RuleChangeKind::Update(live), fields(Some(&live.body)))
        }
        Some(live) if placed.is_some() => (RuleChangeKind::Move(live), Vec::new()),
        Some(_) => return None,
    };
    let is_expiry = is_expiry(pair, unmanaged, waf);
    let (name, place) = (pair.name().to_owned(), Some(pair.place()));
    Some(RuleChange { name, kind, after: desired_body, fields, placed: member, place, is_expiry })
}

/// Returns true if a deployment equals the one that the spec wanted until some of its entries
/// expired.
fn is_expiry(pair: &Pair<'_, '_>, unmanaged: Unmanaged, waf: &LiveWaf) -> bool {
    let (Ours::Deployment(desired), Some(live)) = (&pair.ours, pair.live()) else { return false };
    let until_then = desired.with_notes(|note| note.is_expired = false);
    until_then != **desired && {
        let compiled =
            compile(&until_then, waf.managed(desired.ruleset), Some(&live.body), unmanaged);
        canonical(&compiled.body) == canonical(&live.body)
    }
}

fn deletion(
    live: &LiveRule,
    name: String,
    reason: RuleDeleteReason,
    place: Option<Place>,
) -> RuleChange<'_> {
    RuleChange {
        name,
        kind: RuleChangeKind::Delete(live, reason),
        after: live.body.clone(),
        fields: Vec::new(),
        placed: None,
        place,
        is_expiry: reason == RuleDeleteReason::Expired,
    }
}

/// Counts the live rules that are left alone, by action.
#[must_use]
pub fn foreign_by_action<'a>(rules: &[&'a LiveRule]) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for rule in rules {
        *counts.entry(rule.body.action()).or_default() += 1;
    }
    counts
}
