//! The order in which the changes of a zone's rules are executed, over all phases.
//!
//! Between two requests, each kind of request has to meet what it met before the plan or what it
//! meets after it; at the least, no request may pass that is stopped both before and after. Of all
//! orders, the one with the fewest states is taken in which that is not so, and such states are
//! reported. Among equal orders, the changes keep their ranks. With few changes every order is
//! looked at; with many, the next change is the first one that leads to a good state.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::diff::{Member, PhaseChanges, RuleChange, RuleChangeKind};
use crate::insight::waf::{Requests, SimpleRule, Treatment};
use crate::model::ruleset::{EntryPoint, LiveWaf, Phase, RuleBody};
use crate::model::{Gather, Tier, sort_by_key};

/// Maximum number of changes for which every order is tried.
const ALL_ORDERS: usize = 8;
/// Maximum work: rules, times kinds of requests, times states.
const MOST_WORK: usize = 10_000_000;
/// Minimum number of kinds of requests for a meaningful result.
const FEWEST_KINDS: usize = 16;

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// The number of its phase.
    pub(super) phase: usize,
    /// The number of the change in it; `None` for all changes, which create the entry point.
    pub(super) change: Option<usize>,
}

/// States between two requests in which some requests are treated neither as before nor as
/// afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    /// The steps after which the window is open. It closes with the next step.
    pub(super) steps: Range<usize>,
    /// True if some requests are stopped less than before and afterwards, and not more.
    pub(super) is_weaker: bool,
    /// A description of such requests.
    pub(super) about: String,
}

/// An order of steps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Transition {
    /// The steps, by their number.
    pub(super) order: Vec<usize>,
    /// The windows that are open in between.
    pub(super) windows: Vec<Window>,
}

/// Returns the member of the order that a change concerns.
pub(super) fn member(phase: &PhaseChanges, change: &RuleChange) -> Option<Member> {
    let live = match &change.kind {
        RuleChangeKind::Update(live)
        | RuleChangeKind::Move(live)
        | RuleChangeKind::Delete(live, _) => Some(live),
        RuleChangeKind::Create => None,
    };
    let index =
        || phase.live.rules().iter().position(|rule| live.is_some_and(|live| rule.id == live.id));
    change.placed.or_else(|| index().map(Member::Live))
}

/// A phase, with the effects of its rules before and after their changes.
pub(super) struct Stage<'c> {
    pub(super) phase: Phase,
    order: &'c [Member],
    ranks: BTreeMap<Member, usize>,
    pub(super) before: BTreeMap<Member, SimpleRule>,
    pub(super) after: BTreeMap<Member, SimpleRule>,
    /// Number of live rules.
    live: usize,
    /// Maximum number of rules that the zone's plan allows.
    most_rules: Option<usize>,
    pub(super) members: Vec<Option<Member>>,
    pub(super) changes: &'c [RuleChange<'c>],
}

/// The state of a phase between two requests.
#[derive(Clone)]
pub(super) struct Now {
    line: Vec<Member>,
    settled: BTreeSet<usize>,
    done: BTreeSet<Member>,
}

/// The flaws of a state: a kind of request that is stopped less, or more, than before and
/// afterwards.
#[derive(Debug, Clone, Copy, Default)]
struct Flaws {
    /// True if there are more rules than the zone's plan allows.
    too_many: bool,
    weaker: Option<usize>,
    stricter: Option<usize>,
}

/// The numbers of flaws of states, the worst flaw first.
type Cost = [usize; 3];

impl Flaws {
    /// Returns the cost of the flaws. A refusal by Cloudflare is worst, and weaker is worse than
    /// stricter.
    fn cost(self) -> Cost {
        [self.too_many, self.weaker.is_some(), self.stricter.is_some()].map(usize::from)
    }
}

/// The state of the search over all phases.
pub(super) struct Way<'c> {
    pub(super) stages: Vec<Stage<'c>>,
    steps: Vec<Step>,
    pub(super) requests: Requests,
    before: Vec<Treatment>,
    after: Vec<Treatment>,
}

/// Finds the order of these steps, which are in the order of their ranks.
pub(super) fn order(mut way: Way<'_>, steps: Vec<Step>) -> Transition {
    let as_ranked = Transition { order: (0..steps.len()).collect(), windows: Vec::new() };
    if steps.len() < 2 {
        return as_ranked;
    }
    let rules =
        way.stages.iter().map(|stage| stage.order.len().max(stage.live)).sum::<usize>().max(1);
    let fits = |states: usize| MOST_WORK / (rules * states.max(1));
    if fits(steps.len()) < FEWEST_KINDS {
        return as_ranked;
    }
    let states = match steps.len() {
        few if few <= ALL_ORDERS => 1 << few,
        many => many * many / 2,
    };
    let count = steps.len();
    way.look(steps);
    let (order, most) = match fits(states) {
        most if most >= FEWEST_KINDS.min(way.requests.len()) => (None, most),
        _ => (Some(as_ranked.order), fits(count)),
    };
    way.limit(most);
    let order =
        order.unwrap_or_else(|| if count <= ALL_ORDERS { way.best() } else { way.greedy() });
    let windows = way.windows(&order);
    Transition { order, windows }
}

impl<'c> Way<'c> {
    /// Returns the state before the first step.
    pub(super) fn new(phases: &'c [PhaseChanges<'c>], waf: &'c LiveWaf, tier: Tier) -> Self {
        let mut changes = Vec::new();
        let mut known_bodies: Vec<&RuleBody> = Vec::new();
        for phase in phases {
            for change in &phase.changes {
                let (before, after) = sides(change);
                changes.push((phase.phase, before, after));
            }
            known_bodies.extend(phase.live.rules().iter().map(|rule| &rule.body));
        }
        // Phases that the spec leaves alone count as well, if they were read.
        let unchanged_phases =
            waf.entry_points.iter().filter(|(phase, _)| phases.iter().all(|p| p.phase != **phase));
        let unchanged_phases: Vec<(Phase, &EntryPoint)> =
            unchanged_phases.map(|(phase, entry_point)| (*phase, entry_point)).collect();
        let resting = unchanged_phases
            .iter()
            .flat_map(|(_, entry_point)| entry_point.rules())
            .map(|rule| &rule.body);
        let mut requests = Requests::new(&changes, known_bodies.into_iter().chain(resting), waf);
        let mut stages: Vec<Stage<'_>> = phases
            .iter()
            .map(|phase| {
                Stage::new(phase.phase, phase.live, Some(phase), &mut requests, (waf, tier))
            })
            .collect();
        stages.extend(
            unchanged_phases
                .into_iter()
                .map(|(phase, live)| Stage::new(phase, live, None, &mut requests, (waf, tier))),
        );
        Self { stages, steps: Vec::new(), requests, before: Vec::new(), after: Vec::new() }
    }

    /// Computes the treatment of requests before and after all steps.
    fn look(&mut self, steps: Vec<Step>) {
        self.steps = steps;
        self.requests.tell_apart();
        let mut order_now = self.start();
        self.before = self.treatments(&order_now);
        (0..self.steps.len()).for_each(|step| self.carry_out(&mut order_now, step));
        self.after = self.treatments(&order_now);
    }

    /// Limits the number of kinds of requests.
    fn limit(&mut self, most: usize) {
        self.requests.truncate(most);
        self.before.truncate(most);
        self.after.truncate(most);
    }

    /// Returns the state of each phase before the first step.
    pub(super) fn start(&self) -> Vec<Now> {
        let stage_now = |stage: &Stage<'_>| {
            let waiting: BTreeSet<Member> =
                stage.changes.iter().filter_map(|change| change.placed).gather();
            let settled = (0..stage.order.len())
                .filter(|rank| !waiting.contains(&stage.order[*rank]))
                .collect();
            let line = (0..stage.live).map(Member::Live).collect();
            Now { line, settled, done: BTreeSet::new() }
        };
        self.stages.iter().map(stage_now).collect()
    }

    /// Executes a step.
    fn carry_out(&self, now: &mut [Now], step: usize) {
        let Step { phase, change } = self.steps[step];
        let (stage, now) = (&self.stages[phase], &mut now[phase]);
        match change {
            Some(change) => stage.carry_out(now, change),
            None => (0..stage.changes.len()).for_each(|change| stage.carry_out(now, change)),
        }
    }

    /// Returns the treatment of each kind of request.
    fn treatments(&self, now: &[Now]) -> Vec<Treatment> {
        self.requests.treatments(&self.rules(now))
    }

    /// Returns the rules of all phases in a state, in their order.
    pub(super) fn rules<'s>(&'s self, now: &'s [Now]) -> Vec<(Phase, Vec<&'s SimpleRule>)> {
        let rules = |(stage, now): (&'s Stage<'c>, &'s Now)| {
            let of = |member: &Member| {
                (if now.done.contains(member) { &stage.after } else { &stage.before }).get(member)
            };
            (stage.phase, now.line.iter().filter_map(of).collect::<Vec<_>>())
        };
        let mut phases: Vec<(Phase, Vec<&SimpleRule>)> =
            self.stages.iter().zip(now).map(rules).collect();
        sort_by_key(&mut phases, |(phase, _)| *phase);
        phases
    }

    /// Returns the flaws of a state.
    fn flaws(&self, now: &[Now]) -> Flaws {
        let too_many = self.stages.iter().zip(now).any(|(stage, now)| {
            let rule_limit = stage.most_rules.filter(|most| stage.live <= *most);
            rule_limit.is_some_and(|most| now.line.len() > most.max(stage.order.len()))
        });
        let mut flaws = Flaws { too_many, ..Flaws::default() };
        for (kind, met) in self.treatments(now).iter().enumerate() {
            let (before, after) = (&self.before[kind], &self.after[kind]);
            if met == before || met == after {
                continue;
            }
            if flaws.weaker.is_none()
                && !self.requests.covers(met, before)
                && !self.requests.covers(met, after)
            {
                flaws.weaker = Some(kind);
            }
            if flaws.stricter.is_none()
                && !self.requests.covers(&Requests::both(before, after), met)
            {
                flaws.stricter = Some(kind);
            }
        }
        flaws
    }

    /// Returns the best of all orders.
    fn best(&self) -> Vec<usize> {
        let count = self.steps.len();
        let all_done = (1_usize << count) - 1;
        let mut states: Vec<Vec<Now>> = vec![self.start()];
        let mut costs = vec![Cost::default()];
        for done in 1..=all_done {
            let last = usize::BITS as usize - 1 - done.leading_zeros() as usize;
            let mut order_now = states[done & !(1 << last)].clone();
            self.carry_out(&mut order_now, last);
            costs.push(if done == all_done {
                Cost::default()
            } else {
                self.flaws(&order_now).cost()
            });
            states.push(order_now);
        }
        // The cost of the remaining steps, from the end, and the first of them.
        let mut remaining: Vec<(Cost, usize)> = vec![(Cost::default(), 0); all_done + 1];
        for done in (0..all_done).rev() {
            let candidates = (0..count).filter(|step| done & 1 << step == 0).map(|step| {
                let with_step = done | 1 << step;
                let (own, later) = (costs[with_step], remaining[with_step].0);
                (std::array::from_fn(|n| own[n] + later[n]), step)
            });
            remaining[done] = candidates.min().unwrap_or_default();
        }
        let mut order = Vec::new();
        let mut done = 0;
        while done != all_done {
            order.push(remaining[done].1);
            done |= 1 << remaining[done].1;
        }
        order
    }

    /// Returns an order that always takes the first step to a good state, otherwise the first to a
    /// state that is not weaker, otherwise the first.
    fn greedy(&self) -> Vec<usize> {
        let mut waiting: Vec<usize> = (0..self.steps.len()).collect();
        let mut order = Vec::new();
        let mut order_now = self.start();
        while !waiting.is_empty() {
            let mut best: Option<(Cost, usize)> = None;
            for (at, step) in waiting.iter().enumerate() {
                let mut order_then = order_now.clone();
                self.carry_out(&mut order_then, *step);
                let cost = self.flaws(&order_then).cost();
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, at));
                }
                if cost == Cost::default() {
                    break;
                }
            }
            let step = waiting.remove(best.map_or(0, |(_, at)| at));
            self.carry_out(&mut order_now, step);
            order.push(step);
        }
        order
    }

    /// Returns the windows of an order. Consecutive windows of one kind are merged.
    fn windows(&self, order: &[usize]) -> Vec<Window> {
        let mut windows: Vec<Window> = Vec::new();
        let mut order_now = self.start();
        for (n, step) in order.iter().enumerate().take(order.len() - 1) {
            self.carry_out(&mut order_now, *step);
            let flaws = self.flaws(&order_now);
            for (kind, is_weaker) in [(flaws.weaker, true), (flaws.stricter, false)] {
                let Some(kind) = kind else { continue };
                match windows
                    .iter_mut()
                    .rev()
                    .find(|w| w.is_weaker == is_weaker && w.steps.end == n)
                {
                    Some(window) => window.steps.end = n + 1,
                    None => windows.push(Window {
                        steps: n..n + 1,
                        is_weaker,
                        about: self.requests.about(kind),
                    }),
                }
            }
        }
        windows
    }
}

/// Returns a rule before and after its change.
fn sides<'c>(change: &'c RuleChange<'_>) -> (Option<&'c RuleBody>, Option<&'c RuleBody>) {
    match &change.kind {
        RuleChangeKind::Create => (None, Some(&change.after)),
        RuleChangeKind::Update(live) => (Some(&live.body), Some(&change.after)),
        RuleChangeKind::Move(live) => (Some(&live.body), Some(&live.body)),
        RuleChangeKind::Delete(live, _) => (Some(&live.body), None),
    }
}

impl<'c> Stage<'c> {
    /// Returns a phase. Without changes it stays as it is.
    fn new(
        phase: Phase,
        live: &EntryPoint,
        changes: Option<&'c PhaseChanges<'c>>,
        requests: &mut Requests,
        (waf, tier): (&LiveWaf, Tier),
    ) -> Self {
        let order = changes.map_or(&[][..], |changes| &changes.order);
        let members: Vec<Option<Member>> = changes
            .iter()
            .flat_map(|phase| phase.changes.iter().map(|change| member(phase, change)))
            .collect();
        let changed = changes.map_or(&[][..], |changes| &changes.changes);
        let rules = live.rules().iter().enumerate();
        let treatments_before = rules
            .filter_map(|(n, rule)| Some((Member::Live(n), requests.simple(&rule.body, waf)?)))
            .gather();
        let treatments_after = changed.iter().zip(&members).filter_map(|(change, member)| {
            let body_after = sides(change).1?;
            Some(((*member)?, requests.simple(body_after, waf)?))
        });
        let treatments_after = treatments_after.gather();
        let ranks = order.iter().enumerate().map(|(rank, member)| (*member, rank)).gather();
        Self {
            phase,
            order,
            ranks,
            before: treatments_before,
            after: treatments_after,
            live: live.rules().len(),
            most_rules: phase.facts().most_rules.map(|most| most[tier.rank()]),
            members,
            changes: changed,
        }
    }

    /// Executes a change: removes the rule, or replaces it and, if it is placed again, inserts it
    /// before the next settled rule.
    pub(super) fn carry_out(&self, now: &mut Now, number: usize) {
        let change = &self.changes[number];
        let Some(member) = self.members[number] else { return };
        now.done.insert(member);
        let is_deleted = matches!(change.kind, RuleChangeKind::Delete(..));
        if is_deleted || change.placed.is_some() {
            now.line.retain(|other| *other != member);
        }
        if change.placed.is_some() {
            let rank = self.ranks.get(&member).copied();
            let next_member = now
                .settled
                .range(rank.map_or(0, |rank| rank + 1)..)
                .next()
                .map(|rank| self.order[*rank]);
            let at = next_member.and_then(|next| now.line.iter().position(|other| *other == next));
            now.line.insert(at.unwrap_or(now.line.len()), member);
            now.settled.extend(rank);
        }
    }
}
