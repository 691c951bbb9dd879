//! A zone's changes of rules as operations, in an order that never opens a hole.
//!
//! Within a zone: exceptions that are new come before the stricter rules that need them and before the exceptions that they
//! replace; then everything that makes the protection stronger; then what makes no difference or cannot be judged; at last
//! what makes it weaker. Each write makes a new version of its ruleset, and positions are said relative to rules that exist
//! by then.

use std::collections::BTreeMap;

use super::operation::Operation;
use super::positions::RulePositions;
use super::subject::{ExpectRuleset, RuleAction, RuleSubject, Subject};
use crate::diff::{
    Field, FieldChange, Member, PhaseChanges, RuleChange, RuleChangeKind, RuleDeleteReason, RuleField, WafChanges,
};
use crate::insight::{
    Direction, Impact, Move, MovedRule, cancels, deployment_impact, move_impact, relieves_nothing, rule_impact,
};
use crate::model::ruleset::{EntryPoint, LiveRule, LiveWaf, RuleBody, RuleId};
use crate::model::{Address, Danger, DesiredZone, LiveZone};

/// All operations on the rules of a zone.
pub(super) fn operations(desired: &DesiredZone, live: &LiveZone, changes: &WafChanges) -> Vec<Operation> {
    let mut ranked: Vec<(Rank, Operation)> = Vec::new();
    for phase in &changes.phases {
        let wanted = wanted(phase);
        let impact = |change| in_company(impact(phase, change, &wanted, &live.waf), phase, change, &wanted, &live.waf);
        let impacts: Vec<Impact> = phase.changes.iter().map(impact).collect();
        match phase.live {
            EntryPoint::Absent => ranked.extend(entry_point(desired, phase, &impacts)),
            EntryPoint::Present(_) => ranked.extend(in_entry_point(desired, phase, &impacts)),
        }
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, operation)| operation).collect()
}

/// When an operation is carried out.
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
    /// The rank of an impact.
    fn of(direction: Direction) -> Self {
        match direction {
            // Both at once cannot be split; what it strengthens must not wait.
            Direction::Strengthens | Direction::Both => Self::Strengthens,
            Direction::Neutral | Direction::Unclassified => Self::Neutral,
            Direction::Weakens => Self::Weakens,
        }
    }
}

/// The number of the change that places each member.
fn by_place(phase: &PhaseChanges) -> BTreeMap<Member, usize> {
    phase.changes.iter().enumerate().filter_map(|(n, change)| Some((change.placed?, n))).collect()
}

/// The rules of a phase as they will be.
struct Wanted<'c> {
    /// In their order.
    rules: Vec<(Member, MovedRule<'c>)>,
    /// Where each of them is.
    at: BTreeMap<Member, usize>,
    /// Those that execute a ruleset.
    deployments: Vec<&'c RuleBody>,
}

/// The rules of a phase as they will be.
fn wanted<'c>(phase: &'c PhaseChanges) -> Wanted<'c> {
    let rules = phase.live.rules();
    let updates = phase.changes.iter().filter_map(|change| match &change.kind {
        RuleChangeKind::Update(live) => Some((&live.id, &change.after)),
        RuleChangeKind::Create | RuleChangeKind::Move(_) | RuleChangeKind::Delete(..) => None,
    });
    let updates: BTreeMap<&RuleId, &RuleBody> = updates.collect();
    let placed = by_place(phase);
    let body = |member: &Member| match member {
        Member::Live(n) => {
            let live = rules.get(*n)?;
            Some(updates.get(&live.id).copied().unwrap_or(&live.body))
        }
        Member::New(_) => placed.get(member).map(|n| &phase.changes[*n].after),
    };
    let rules: Vec<_> =
        phase.order.iter().filter_map(|member| Some((*member, MovedRule::new(body(member)?)))).collect();
    let at = rules.iter().enumerate().map(|(n, (member, _))| (*member, n)).collect();
    let deployments = rules.iter().map(|(_, rule)| rule.body).filter(|body| body.executes().is_some()).collect();
    Wanted { rules, at, deployments }
}

/// The member of the order that a change is about.
fn member(phase: &PhaseChanges, change: &RuleChange) -> Option<Member> {
    let live = match &change.kind {
        RuleChangeKind::Update(live) | RuleChangeKind::Move(live) | RuleChangeKind::Delete(live, _) => Some(live),
        RuleChangeKind::Create => None,
    };
    let index = || phase.live.rules().iter().position(|rule| live.is_some_and(|live| rule.id == live.id));
    change.placed.or_else(|| index().map(Member::Live))
}

/// What a rule that is there passes on its way to another place.
fn passed<'w, 'c>(wanted: &'w Wanted<'c>, placed: Member) -> Option<Move<'w, 'c>> {
    let (at, wanted) = (*wanted.at.get(&placed)?, &wanted.rules);
    let live = |side: &'w [(Member, MovedRule<'c>)], has_passed: &dyn Fn(Member) -> bool| -> Vec<&'w MovedRule<'c>> {
        let others = side.iter().filter(|(m, _)| matches!(m, Member::Live(_)) && has_passed(*m));
        others.map(|(_, rule)| rule).collect()
    };
    // Live members are numbered in the order in which they stand.
    Some(Move {
        rule: &wanted[at].1,
        upward: live(&wanted[at + 1..], &|other| other < placed),
        downward: live(&wanted[..at], &|other| other > placed),
    })
}

/// What a change means for traffic, by itself and by its place.
fn impact(phase: &PhaseChanges, change: &RuleChange, wanted: &Wanted<'_>, waf: &LiveWaf) -> Impact {
    let moved = |live: &LiveRule| {
        let stays = MovedRule::new(&live.body);
        match change.placed.and_then(|placed| passed(wanted, placed)) {
            Some(moved) => move_impact(phase.phase, &moved, waf),
            None => move_impact(phase.phase, &Move { rule: &stays, upward: Vec::new(), downward: Vec::new() }, waf),
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

/// What a change means beside the others: an exception can leave nothing of a deployment, and takes nothing away where
/// nothing was before.
fn in_company(
    mut impact: Impact,
    phase: &PhaseChanges,
    change: &RuleChange,
    wanted: &Wanted<'_>,
    waf: &LiveWaf,
) -> Impact {
    if change.after.executes().is_some() && impact.direction == Direction::Strengthens {
        let own = member(phase, change);
        let mut before = wanted.rules.iter().take_while(|(member, _)| Some(*member) != own);
        if let Some((_, exception)) = before.find(|(_, rule)| cancels(rule.body, &change.after, waf)) {
            let name = exception.body.reference().or_else(|| exception.body.description()).unwrap_or("without a name");
            impact.direction = Direction::Neutral;
            impact.lines.push(format!("no effect: the exception {name} bypasses all of it, for all its requests"));
        }
    }
    if impact.direction == Direction::Unclassified {
        let consent = Danger::WeakensProtection.code();
        impact.lines.push(format!("may weaken: cannot be classified, so it needs the consent {consent}"));
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
        impact.lines.push("nothing that it bypasses was there before".to_owned());
    }
    impact
}

/// The dangers of a change. What cannot be classified counts as weaker.
fn dangers(impact: &Impact, delete: Option<RuleDeleteReason>) -> Vec<Danger> {
    let mut dangers = Vec::new();
    // An entry whose last day is over was dated by its author, who thereby agreed to its end.
    if matches!(delete, Some(RuleDeleteReason::Absent | RuleDeleteReason::Pruned | RuleDeleteReason::Undone)) {
        dangers.push(Danger::Delete);
    }
    if impact.direction.may_weaken() {
        dangers.push(Danger::WeakensProtection);
    }
    dangers
}

/// A phase without an entry point: it is made with all rules at once.
fn entry_point(desired: &DesiredZone, phase: &PhaseChanges, impacts: &[Impact]) -> Option<(Rank, Operation)> {
    let first = phase.changes.first()?;
    let placed = by_place(phase);
    let in_order: Vec<(&RuleChange, &Impact)> = phase
        .order
        .iter()
        .filter_map(|member| placed.get(member))
        .map(|n| (&phase.changes[*n], &impacts[*n]))
        .collect();
    let mut impact = Impact { direction: Direction::Neutral, lines: Vec::new() };
    for (_, one) in &in_order {
        impact.direction = impact.direction.combine(one.direction);
        impact.lines.extend(one.lines.iter().cloned());
    }
    let names: Vec<&str> = in_order.iter().map(|(change, _)| change.name.as_str()).collect();
    let subject = RuleSubject {
        phase: phase.phase,
        name: names.join(", "),
        action: RuleAction::CreateEntryPoint { rules: in_order.iter().map(|(c, _)| c.after.clone()).collect() },
        expect: ExpectRuleset::Absent,
    };
    let rank = Rank::of(impact.direction);
    let operation = Operation {
        fields: in_order.iter().flat_map(|(change, _)| change.fields.iter().map(|f| within(f, &change.name))).collect(),
        dangers: dangers(&impact, None),
        impact: Some(impact),
        place: first.place,
        ..Operation::new(Address::of_rule(&desired.name, phase.phase, None), Subject::Rule(Box::new(subject)))
    };
    Some((rank, operation))
}

/// A field of one of several rules.
fn within(change: &FieldChange, rule: &str) -> FieldChange {
    let FieldChange { field, before, after } = change.clone();
    let field = match field {
        Field::Rule(field) => Field::Rule(RuleField::Of { rule: rule.to_owned(), field: Box::new(field) }),
        field => field,
    };
    FieldChange { field, before, after }
}

/// Changes in an entry point that exists.
fn in_entry_point(desired: &DesiredZone, phase: &PhaseChanges, impacts: &[Impact]) -> Vec<(Rank, Operation)> {
    let EntryPoint::Present(ruleset) = phase.live else { return Vec::new() };
    let is_stricter = |(change, impact): (&RuleChange, &Impact)| {
        let deleted_exception = matches!(&change.kind, RuleChangeKind::Delete(live, _) if live.body.action() == "skip");
        matches!(impact.direction, Direction::Strengthens | Direction::Both)
            && (deleted_exception || change.after.action() != "skip")
    };
    let any_stricter = phase.changes.iter().zip(impacts).any(is_stricter);
    let mut order: Vec<(Rank, usize)> = phase
        .changes
        .iter()
        .zip(impacts)
        .enumerate()
        .map(|(n, (change, impact))| {
            let prepares = any_stricter && change.kind == RuleChangeKind::Create && change.after.action() == "skip";
            (if prepares { Rank::Prepares } else { Rank::of(impact.direction) }, n)
        })
        .collect();
    order.sort();
    let mut positions = RulePositions::new(&ruleset.rules, phase);
    let expect = ExpectRuleset::Version { id: ruleset.id.clone(), version: ruleset.version.clone() };
    order
        .into_iter()
        .map(|(rank, n)| {
            let (change, impact) = (&phase.changes[n], &impacts[n]);
            let deleted = match &change.kind {
                RuleChangeKind::Delete(_, reason) => Some(*reason),
                RuleChangeKind::Create | RuleChangeKind::Update(_) | RuleChangeKind::Move(_) => None,
            };
            let address = Address::of_rule(&desired.name, phase.phase, Some(&change.name));
            let subject = RuleSubject {
                phase: phase.phase,
                name: change.name.clone(),
                action: positions.action(change),
                expect: expect.clone(),
            };
            let operation = Operation {
                fields: change.fields.clone(),
                impact: Some(impact.clone()),
                dangers: dangers(impact, deleted),
                modified_on: modified_on(change),
                place: change.place,
                ..Operation::new(address, Subject::Rule(Box::new(subject)))
            };
            (rank, operation)
        })
        .collect()
}

/// When the live rule of a change was last changed.
fn modified_on(change: &RuleChange) -> Option<String> {
    match &change.kind {
        RuleChangeKind::Create => None,
        RuleChangeKind::Update(live) | RuleChangeKind::Move(live) | RuleChangeKind::Delete(live, _) => {
            live.last_updated.clone()
        }
    }
}
