//! Collects the constraints on the order of a phase's rules: the list, `before` and `after`, and
//! exceptions before the rules that they skip.

use std::collections::{BTreeSet, HashMap};

use super::rule_moves::{Cycle, Member, OrderedRule, Reason, Sequence, sequence};
use super::rule_pair::{Ours, Pair};
use crate::diagnostic::Place;
use crate::ruleset::{Anchor, LiveRule, Phase, RuleBody};
use crate::{Gather, Value};

/// Maps each name to the index of the first item that has it.
pub(super) fn numbers_by_name<'n>(
    names: impl Iterator<Item = (usize, &'n str)>,
) -> HashMap<&'n str, usize> {
    let mut first = HashMap::new();
    names.for_each(|(n, name)| {
        first.entry(name).or_insert(n);
    });
    first
}

/// The rules of a phase whose order is computed.
pub(super) struct WantedOrder<'p, 'w, 'a> {
    pub(super) phase: Phase,
    pub(super) rules: &'a [LiveRule],
    /// Managed rules that will exist.
    pub(super) placed: &'p [&'p Pair<'w, 'a>],
    /// All managed rules.
    pub(super) pairs: &'p [Pair<'w, 'a>],
    /// Live rules that are deleted.
    pub(super) gone: &'p BTreeSet<usize>,
    /// The deleted live rules that the spec does not name.
    pub(super) pruned: &'p [usize],
}

/// A constraint on the order of two members.
struct Wish<'w> {
    first: Member,
    then: Member,
    /// The anchor in the spec. `None` for an exception, which always comes before the rules that it
    /// skips.
    anchor: Option<(&'w Anchor, usize)>,
}

impl<'w> WantedOrder<'_, 'w, '_> {
    /// Computes the order and the managed rules that are placed again. Contradictions are added to
    /// `misplaced` with the place of the spec entry.
    pub(super) fn find(&self, misplaced: &mut Vec<(Place, String)>) -> Sequence {
        // Deployments keep their place; only other rules are ordered by the list.
        let item = |pair: &&Pair<'_, '_>| OrderedRule {
            live: pair.live,
            is_free: matches!(pair.ours, Ours::Deployment(_)),
        };
        let items: Vec<OrderedRule> = self.placed.iter().map(item).collect();
        let mut wishes = self.anchors(misplaced);
        wishes.extend(self.exceptions());
        let pairs: Vec<(Member, Member)> =
            wishes.iter().map(|wish| (wish.first, wish.then)).collect();
        let sequence = sequence(self.rules.len(), &items, &pairs, self.gone);
        for cycle in &sequence.cycles {
            let place = match wishes[cycle.wish].anchor {
                Some((Anchor::Before(_, place) | Anchor::After(_, place), _)) => *place,
                None => self.pair(wishes[cycle.wish].first).map_or(Place::NOWHERE, Pair::place),
            };
            misplaced.push((place, self.about(cycle, &wishes)));
        }
        sequence
    }

    /// Returns the wishes of `before` and `after`.
    fn anchors(&self, misplaced: &mut Vec<(Place, String)>) -> Vec<Wish<'w>> {
        let live = numbers_by_name(self.rules.iter().enumerate().flat_map(|(n, rule)| {
            let names = [Some(rule.id.0.as_str()), rule.body.reference()];
            names.into_iter().flatten().map(move |name| (n, name))
        }));
        let placed =
            numbers_by_name(self.placed.iter().enumerate().map(|(n, pair)| (n, pair.name())));
        let names: BTreeSet<&str> = self.pairs.iter().map(Pair::name).gather();
        let pruned: BTreeSet<usize> = self.pruned.iter().copied().gather();
        let mut wishes = Vec::new();
        for (n, pair) in self.placed.iter().enumerate() {
            let Ours::Rule(wants) = pair.ours else { continue };
            for anchor in &wants.anchors {
                let (Anchor::Before(name, place) | Anchor::After(name, place)) = anchor;
                let anchor_member = match (live.get(name.as_str()), placed.get(name.as_str())) {
                    (Some(live), _) if pruned.contains(live) => {
                        let what = format!(
                            "this plan deletes the rule `{name}`: the spec does not name it, and \
                            `unmanaged` is `prune`"
                        );
                        misplaced.push((*place, what));
                        continue;
                    }
                    // The spec deletes the anchor's rule, so the anchor has no effect.
                    (Some(live), _) if self.gone.contains(live) => continue,
                    (Some(live), _) => Member::Live(*live),
                    (None, Some(placed)) => self.placed[*placed].member(*placed),
                    (None, None) if names.contains(name.as_str()) => continue,
                    (None, None) => {
                        let what =
                            format!("there is no rule with the `ref` or id `{name}` in the phase");
                        misplaced.push((*place, what));
                        continue;
                    }
                };
                let member = pair.member(n);
                let (first, then) = match anchor {
                    Anchor::Before(..) => (member, anchor_member),
                    Anchor::After(..) => (anchor_member, member),
                };
                wishes.push(Wish { first, then, anchor: Some((anchor, n)) });
            }
        }
        wishes
    }

    /// Returns a wish for each exception and each deployment that it concerns, because a skip acts
    /// only on later rules.
    fn exceptions(&self) -> Vec<Wish<'w>> {
        let live = self
            .rules
            .iter()
            .enumerate()
            .filter_map(|(n, rule)| Some((Member::Live(n), rule.body.executes()?)));
        let created_pairs = self.placed.iter().enumerate().filter(|(_, pair)| pair.live.is_none());
        let created_rules = created_pairs
            .filter_map(|(n, pair)| Some((Member::New(n), pair.compiled.body.executes()?)));
        let is_there =
            |member: &Member| !matches!(member, Member::Live(n) if self.gone.contains(n));
        let executing: Vec<(Member, &str)> =
            live.chain(created_rules).filter(|(member, _)| is_there(member)).collect();
        let mut wishes = Vec::new();
        for (n, pair) in
            self.placed.iter().enumerate().filter(|(_, pair)| pair.compiled.body.action() == "skip")
        {
            let concerned = concerned(&pair.compiled.body);
            let is_concerned = |id: &str| concerned.as_ref().is_none_or(|ids| ids.contains(id));
            let of_it = executing.iter().filter(|(_, id)| is_concerned(id));
            wishes.extend(of_it.map(|(then, _)| Wish {
                first: pair.member(n),
                then: *then,
                anchor: None,
            }));
        }
        wishes
    }

    /// Returns the managed rule of a member.
    fn pair(&self, member: Member) -> Option<&Pair<'w, '_>> {
        match member {
            Member::New(n) => self.placed.get(n).copied(),
            Member::Live(n) => self.placed.iter().copied().find(|pair| pair.live == Some(n)),
        }
    }

    /// Describes a cycle.
    fn about(&self, cycle: &Cycle, wishes: &[Wish<'_>]) -> String {
        let name = |member: Member| match (self.pair(member), member) {
            (Some(pair), _) => pair.name().to_owned(),
            (None, Member::Live(n)) => self.rules[n].shown().to_owned(),
            (None, Member::New(_)) => String::new(),
        };
        let mut steps: Vec<String> = Vec::new();
        for (first, then, reason) in &cycle.steps {
            let why = match reason {
                Reason::Stays => "neither is moved".to_owned(),
                Reason::List => "the order of the list".to_owned(),
                Reason::Wish(n) => match &wishes[*n].anchor {
                    Some((Anchor::Before(..), own)) => {
                        format!("`before` of {}", self.placed[*own].name())
                    }
                    Some((Anchor::After(..), own)) => {
                        format!("`after` of {}", self.placed[*own].name())
                    }
                    None => "an exception acts only on what follows it".to_owned(),
                },
            };
            steps.push(format!("`{}` before `{}` ({why})", name(*first), name(*then)));
        }
        format!(
            "no order of the {} satisfies all of this: {}",
            self.phase.about(),
            steps.join(", ")
        )
    }
}

/// Returns the rulesets that an exception bypasses; `None` if it bypasses all.
fn concerned(body: &RuleBody) -> Option<BTreeSet<String>> {
    if body.parameter("ruleset").is_some() {
        return None;
    }
    let mut ids = BTreeSet::new();
    if let Some(Value::List(list)) = body.parameter("rulesets") {
        ids.extend(list.iter().map(ToString::to_string));
    }
    if let Some(Value::Map(rules)) = body.parameter("rules") {
        ids.extend(rules.keys().cloned());
    }
    Some(ids)
}
