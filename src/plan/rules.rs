//! Converts a zone's changes of rules to operations, in an order that opens no gap if there is one
//! ([`rule_transition`]).
//!
//! Among equally good orders, new exceptions come before the stricter rules that need them. Then
//! come changes that strengthen the protection, changes that make no difference or cannot be
//! judged, and finally changes that weaken it. Each write creates a new version of its ruleset, and
//! positions are relative to rules that exist at that time.

use std::collections::BTreeMap;

use super::operation::Operation;
use super::rule_positions::RulePositions;
use super::rule_transition::{self, Step, Transition, Way, Window, member};
use super::rule_weighing::{self, Weight};
use super::subject::{ExpectRuleset, RuleAction, RuleSubject, Subject};
use super::weakening_grade::narrow;
use crate::diff::{
    Field, FieldChange, Member, PhaseChanges, RuleChange, RuleChangeKind, RuleDeleteReason,
    RuleField, WafChanges,
};
use crate::insight::waf::{
    Impact, Move, MovedRule, cancels, deployment_impact, deployment_locks_out, lets_pass,
    move_impact, relieves_nothing, rule_impact, rule_locks_out,
};
use crate::insight::{Direction, Sentence};
use crate::model::Narrow;
use crate::model::ruleset::{EntryPoint, LiveRule, LiveWaf, RuleBody, RuleId};
use crate::model::{Address, Danger, DesiredZone, Gather, LiveZone, sort_by_key};

/// Returns all operations on the rules of a zone, and the states between two of them in which some
/// requests are treated neither as before nor as afterwards.
pub(super) fn operations(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: &WafChanges,
) -> (Vec<Operation>, Vec<Window>) {
    let way = Way::new(&changes.phases, &live.waf, live.tier);
    let weights = rule_weighing::weigh(&way);
    let judge = |(n, phase): (usize, &PhaseChanges<'_>)| {
        let weights = weights.as_ref().map(|weights| weights[n].as_slice());
        judged(desired, phase, weights, &live.waf)
    };
    let judged: Vec<Vec<Judged>> = changes.phases.iter().enumerate().map(judge).collect();
    let mut ranked: Vec<(Rank, Step)> = Vec::new();
    for (n, (phase, judged)) in changes.phases.iter().zip(&judged).enumerate() {
        match phase.live {
            EntryPoint::Absent => {
                let direction = judged
                    .iter()
                    .fold(Direction::Neutral, |all, one| all.combine(one.impact.direction));
                let step = Step { phase: n, change: None };
                ranked.extend((!phase.changes.is_empty()).then_some((Rank::of(direction), step)));
            }
            EntryPoint::Present(_) => {
                let of_phase = ranks(phase, judged).into_iter();
                ranked.extend(
                    of_phase.map(|(rank, change)| (rank, Step { phase: n, change: Some(change) })),
                );
            }
        }
    }
    sort_by_key(&mut ranked, |(rank, _)| *rank);
    let steps: Vec<Step> = ranked.into_iter().map(|(_, step)| step).collect();
    let Transition { order, windows } = rule_transition::order(way, steps.clone());
    let mut positions: Vec<RulePositions> =
        changes.phases.iter().map(|phase| RulePositions::new(phase.live.rules(), phase)).collect();
    let operation = |step: usize| {
        let Step { phase: n, change } = steps[step];
        let phase = &changes.phases[n];
        match change {
            None => entry_point(desired, phase, &judged[n]),
            Some(change) => of_rule(
                desired,
                phase,
                &phase.changes[change],
                &judged[n][change],
                &mut positions[n],
            ),
        }
    };
    (order.into_iter().filter_map(operation).collect(), windows)
}

/// The judgement of a change.
struct Judged {
    /// The effect on traffic.
    impact: Impact,
    /// True if ordinary visitors may be stopped.
    locks_out: bool,
    /// The evidence that a weakening is narrow, if it is.
    narrow: Option<Narrow>,
    /// True if it deletes a rule, and other rules do the same.
    is_replaced: bool,
}

/// Judges the changes of a phase, by themselves and together.
fn judged(
    desired: &DesiredZone,
    phase: &PhaseChanges,
    weights: Option<&[Weight]>,
    waf: &LiveWaf,
) -> Vec<Judged> {
    let desired_order = wanted(phase);
    let judge = |(n, change): (usize, &RuleChange)| {
        let mut impact = in_company(
            impact(phase, change, &desired_order, waf),
            phase,
            change,
            &desired_order,
            waf,
        );
        let weight = weights.map(|weights| weights[n]);
        weight.inspect(|weight| weight.correct(&mut impact));
        if impact.direction == Direction::Unclassified && !change.is_expiry {
            let consent = Danger::WeakensProtection.code();
            let line =
                format!("may weaken: cannot be classified, so it needs the consent {consent}");
            impact.lines.push(line.into());
        }
        let why = locks_out(change, impact.direction, waf);
        let locks_out = why.is_some();
        impact.lines.extend(why.map(Sentence::from));
        let narrow =
            impact.direction.may_weaken().then(|| narrow(desired, phase, change, waf)).flatten();
        let is_replaced = weight.is_some_and(|weight| weight.is_replaced);
        Judged { impact, locks_out, narrow, is_replaced }
    };
    phase.changes.iter().enumerate().map(judge).collect()
}

/// Returns the reason why a change may stop ordinary visitors, if there is one.
fn locks_out(change: &RuleChange, direction: Direction, waf: &LiveWaf) -> Option<String> {
    let live_body = match &change.kind {
        RuleChangeKind::Create => None,
        RuleChangeKind::Update(live) => Some(&live.body),
        RuleChangeKind::Move(_) | RuleChangeKind::Delete(..) => return None,
    };
    match change.after.executes() {
        // If an exception disables the whole deployment, it stops no request.
        Some(_) if direction == Direction::Neutral => None,
        Some(id) => deployment_locks_out(live_body, Some(&change.after), waf.catalogue(id)),
        None => rule_locks_out(live_body, &change.after, direction),
    }
}

/// The time at which an operation is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Exceptions that stricter rules need.
    Prepares,
    /// Stronger.
    Strengthens,
    /// No difference, or not judged.
    Neutral,
    /// Weaker.
    Weakens,
}

impl Rank {
    /// Returns the rank of a direction.
    fn of(direction: Direction) -> Self {
        match direction {
            // A change that does both cannot be split, and its stricter part must not wait.
            Direction::Strengthens | Direction::Both => Self::Strengthens,
            Direction::Neutral | Direction::Unclassified => Self::Neutral,
            Direction::Weakens => Self::Weakens,
        }
    }
}

/// Returns the number of the change that places each member.
fn by_place(phase: &PhaseChanges) -> BTreeMap<Member, usize> {
    phase.changes.iter().enumerate().filter_map(|(n, change)| Some((change.placed?, n))).gather()
}

/// The desired rules of a phase.
struct Wanted<'c> {
    /// The rules in order.
    rules: Vec<(Member, MovedRule<'c>)>,
    /// The position of each rule.
    at: BTreeMap<Member, usize>,
    /// The rules that execute a ruleset.
    deployments: Vec<&'c RuleBody>,
}

/// Returns the desired rules of a phase.
fn wanted<'c>(phase: &'c PhaseChanges) -> Wanted<'c> {
    let rules = phase.live.rules();
    let updates = phase.changes.iter().filter_map(|change| match &change.kind {
        RuleChangeKind::Update(live) => Some((&live.id, &change.after)),
        RuleChangeKind::Create | RuleChangeKind::Move(_) | RuleChangeKind::Delete(..) => None,
    });
    let updates: BTreeMap<&RuleId, &RuleBody> = updates.gather();
    let placed = by_place(phase);
    let body = |member: &Member| match member {
        Member::Live(n) => {
            let live = rules.get(*n)?;
            Some(updates.get(&live.id).copied().unwrap_or(&live.body))
        }
        Member::New(_) => placed.get(member).map(|n| &phase.changes[*n].after),
    };
    let rules: Vec<_> = phase
        .order
        .iter()
        .filter_map(|member| Some((*member, MovedRule::new(body(member)?))))
        .collect();
    let at = rules.iter().enumerate().map(|(n, (member, _))| (*member, n)).gather();
    let deployments =
        rules.iter().map(|(_, rule)| rule.body).filter(|body| body.executes().is_some()).collect();
    Wanted { rules, at, deployments }
}

/// Returns the rules that an existing rule passes on its way to another position.
fn passed<'w, 'c>(wanted: &'w Wanted<'c>, placed: Member) -> Option<Move<'w, 'c>> {
    let (at, wanted) = (*wanted.at.get(&placed)?, &wanted.rules);
    let live = |side: &'w [(Member, MovedRule<'c>)],
                has_passed: &dyn Fn(Member) -> bool|
     -> Vec<&'w MovedRule<'c>> {
        let passed_rules =
            side.iter().filter(|(m, _)| matches!(m, Member::Live(_)) && has_passed(*m));
        passed_rules.map(|(_, rule)| rule).collect()
    };
    // Live members are numbered in their order.
    Some(Move {
        rule: &wanted[at].1,
        upward: live(&wanted[at + 1..], &|other| other < placed),
        downward: live(&wanted[..at], &|other| other > placed),
    })
}

/// Returns the effect of a change on traffic, by itself and by its position.
fn impact(phase: &PhaseChanges, change: &RuleChange, wanted: &Wanted<'_>, waf: &LiveWaf) -> Impact {
    let moved = |live: &LiveRule| {
        let stays = MovedRule::new(&live.body);
        match change.placed.and_then(|placed| passed(wanted, placed)) {
            Some(moved) => move_impact(phase.phase, &moved, waf),
            None => move_impact(
                phase.phase,
                &Move { rule: &stays, upward: Vec::new(), downward: Vec::new() },
                waf,
            ),
        }
    };
    let (before, after) = match &change.kind {
        RuleChangeKind::Create => (None, Some(&change.after)),
        RuleChangeKind::Update(live) => (Some(&live.body), Some(&change.after)),
        RuleChangeKind::Delete(live, _) => (Some(&live.body), None),
        RuleChangeKind::Move(live) => return moved(live),
    };
    let executed = before.or(after).and_then(RuleBody::executes);
    let mut impact = match executed {
        Some(id) => deployment_impact(before, after, waf.catalogue(id)),
        None => rule_impact(phase.phase, before, after, waf),
    };
    if let (RuleChangeKind::Update(live), Some(_)) = (&change.kind, change.placed) {
        let moved = moved(live);
        impact.direction = impact.direction.combine(moved.direction);
        if moved.direction != Direction::Neutral {
            impact.lines.extend(moved.lines);
        }
    }
    impact
}

/// Adjusts the effect of a change to the other changes: an exception can disable a whole
/// deployment, and takes nothing away if there was no protection before.
fn in_company(
    mut impact: Impact,
    phase: &PhaseChanges,
    change: &RuleChange,
    wanted: &Wanted<'_>,
    waf: &LiveWaf,
) -> Impact {
    if change.after.executes().is_some() && impact.direction == Direction::Strengthens {
        let own_member = member(phase, change);
        let mut rules_before =
            wanted.rules.iter().take_while(|(member, _)| Some(*member) != own_member);
        if let Some((_, exception)) =
            rules_before.find(|(_, rule)| cancels(rule.body, &change.after, waf))
        {
            let name = exception
                .body
                .reference()
                .or_else(|| exception.body.description())
                .unwrap_or("without a name");
            impact.direction = Direction::Neutral;
            let line =
                format!("no effect: the exception {name} bypasses all of it, for all its requests");
            impact.lines.push(line.into());
        }
    }
    let is_made = matches!(change.kind, RuleChangeKind::Create | RuleChangeKind::Update(_));
    if is_made && impact.direction == Direction::Strengthens {
        let own_member = member(phase, change);
        let mut rules_from_own =
            wanted.rules.iter().skip_while(|(member, _)| Some(*member) != own_member);
        let rule = rules_from_own.next().map(|(_, rule)| rule);
        let live_body = match &change.kind {
            RuleChangeKind::Update(live) => Some(&live.body),
            RuleChangeKind::Create | RuleChangeKind::Move(_) | RuleChangeKind::Delete(..) => None,
        };
        // A rule that is also new stopped no request before.
        let live_rules_behind = rules_from_own
            .filter(|(member, _)| matches!(member, Member::Live(_)))
            .map(|(_, rule)| rule);
        if let Some((direction, line)) =
            rule.and_then(|rule| lets_pass(live_body, rule, live_rules_behind, waf))
        {
            impact.direction = direction;
            impact.lines.push(line.into());
        }
    }
    let is_beside_others = || wanted.rules.iter().any(|(_, rule)| rule.body.action() != "skip");
    let mut live = phase.live.rules().iter().map(|rule| &rule.body);
    let cancels_any = || wanted.deployments.iter().any(|body| cancels(&change.after, body, waf));
    if change.kind == RuleChangeKind::Create
        && impact.direction == Direction::Weakens
        && is_beside_others()
        && relieves_nothing(&change.after, &mut live, waf)
        && !cancels_any()
    {
        impact.direction = Direction::Neutral;
        let line = "no existing protection is skipped (rules of the account, which run first, are not read)";
        impact.lines.push(line.into());
    }
    impact
}

/// Returns the dangers of a change. A change that cannot be classified counts as weaker.
fn dangers(
    impact: &Impact,
    locks_out: bool,
    delete: Option<RuleDeleteReason>,
    is_expiry: bool,
) -> Vec<Danger> {
    let mut dangers = Vec::new();
    // The author of an expired entry dated it, and so agreed to its end in any case.
    if is_expiry {
        return dangers;
    }
    if matches!(
        delete,
        Some(
            RuleDeleteReason::Absent
                | RuleDeleteReason::Pruned
                | RuleDeleteReason::Removed
                | RuleDeleteReason::Undone
        )
    ) {
        dangers.push(Danger::Delete);
    }
    if impact.direction.may_weaken() {
        dangers.push(Danger::WeakensProtection);
    }
    if locks_out {
        dangers.push(Danger::MayLockOut);
    }
    dangers
}

/// Returns the operation that creates the entry point of a phase with all its rules.
fn entry_point(
    desired: &DesiredZone,
    phase: &PhaseChanges,
    judged: &[Judged],
) -> Option<Operation> {
    let first = phase.changes.first()?;
    let placed = by_place(phase);
    let in_order: Vec<(&RuleChange, &Judged)> = phase
        .order
        .iter()
        .filter_map(|member| placed.get(member))
        .map(|n| (&phase.changes[*n], &judged[*n]))
        .collect();
    let mut impact = Impact { direction: Direction::Neutral, lines: Vec::new() };
    for (_, Judged { impact: one, .. }) in &in_order {
        impact.direction = impact.direction.combine(one.direction);
        impact.lines.extend(one.lines.iter().cloned());
    }
    let weakening = || in_order.iter().filter(|(_, one)| one.impact.direction.may_weaken());
    let narrow = weakening()
        .map(|(_, one)| one.narrow.clone())
        .collect::<Option<Vec<_>>>()
        .and_then(Narrow::of_all);
    let names: Vec<&str> = in_order.iter().map(|(change, _)| change.name.as_str()).collect();
    let subject = RuleSubject {
        phase: phase.phase,
        name: names.join(", "),
        action: RuleAction::CreateEntryPoint {
            rules: in_order.iter().map(|(c, _)| c.after.clone()).collect(),
        },
        expect: ExpectRuleset::Absent,
        is_expiry: false,
    };
    Some(Operation {
        fields: in_order
            .iter()
            .flat_map(|(change, _)| change.fields.iter().map(|f| within(f, &change.name)))
            .collect(),
        dangers: dangers(&impact, in_order.iter().any(|(_, one)| one.locks_out), None, false),
        narrow,
        impact: Some(impact),
        place: first.place,
        ..Operation::new(
            Address::of_rule(&desired.name, phase.phase, None),
            Subject::Rule(Box::new(subject)),
        )
    })
}

/// Returns a field of one of several rules.
fn within(change: &FieldChange, rule: &str) -> FieldChange {
    let FieldChange { field, before, after } = change.clone();
    let field = match field {
        Field::Rule(field) => {
            Field::Rule(RuleField::Of { rule: rule.to_owned(), field: Box::new(field) })
        }
        field => field,
    };
    FieldChange { field, before, after }
}

/// Returns the ranks of the changes in an existing entry point, in order.
fn ranks(phase: &PhaseChanges, judged: &[Judged]) -> Vec<(Rank, usize)> {
    let is_stricter = |(change, Judged { impact, .. }): (&RuleChange, &Judged)| {
        let deleted_exception =
            matches!(&change.kind, RuleChangeKind::Delete(live, _) if live.body.action() == "skip");
        matches!(impact.direction, Direction::Strengthens | Direction::Both)
            && (deleted_exception || change.after.action() != "skip")
    };
    let any_stricter = phase.changes.iter().zip(judged).any(is_stricter);
    let mut ranks: Vec<(Rank, usize)> = phase
        .changes
        .iter()
        .zip(judged)
        .enumerate()
        .map(|(n, (change, Judged { impact, .. }))| {
            let prepares = any_stricter
                && change.kind == RuleChangeKind::Create
                && change.after.action() == "skip";
            (if prepares { Rank::Prepares } else { Rank::of(impact.direction) }, n)
        })
        .collect();
    ranks.sort();
    ranks
}

/// Returns the operation for a change in an existing entry point.
fn of_rule(
    desired: &DesiredZone,
    phase: &PhaseChanges,
    change: &RuleChange,
    judged: &Judged,
    positions: &mut RulePositions,
) -> Option<Operation> {
    let EntryPoint::Present(ruleset) = phase.live else { return None };
    let Judged { impact, locks_out, narrow, is_replaced } = judged;
    let deleted = match &change.kind {
        RuleChangeKind::Delete(_, reason) => (!is_replaced).then_some(*reason),
        RuleChangeKind::Create | RuleChangeKind::Update(_) | RuleChangeKind::Move(_) => None,
    };
    let address = Address::of_rule(&desired.name, phase.phase, Some(&change.name));
    let subject = RuleSubject {
        phase: phase.phase,
        name: change.name.clone(),
        action: positions.action(change),
        expect: ExpectRuleset::Version { id: ruleset.id.clone(), version: ruleset.version.clone() },
        is_expiry: change.is_expiry,
    };
    Some(Operation {
        fields: change.fields.clone(),
        impact: Some(impact.clone()),
        dangers: dangers(impact, *locks_out, deleted, change.is_expiry),
        narrow: narrow.clone(),
        modified_on: modified_on(change),
        place: change.place,
        ..Operation::new(address, Subject::Rule(Box::new(subject)))
    })
}

/// Returns the time of the last change of the live rule.
fn modified_on(change: &RuleChange) -> Option<String> {
    match &change.kind {
        RuleChangeKind::Create => None,
        RuleChangeKind::Update(live)
        | RuleChangeKind::Move(live)
        | RuleChangeKind::Delete(live, _) => live.last_updated.clone(),
    }
}
