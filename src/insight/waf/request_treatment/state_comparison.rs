//! Compares the treatment of requests in two states of the rules.
//!
//! Each obstacle is examined by itself, and a property of a request only where it matters. So every
//! kind of request is covered without an examination of all combinations of properties.

use super::{Aspect, MOST_BITS, MOST_PROPERTIES, PhaseRules, RequestKind, Requests, SimpleRule};
use super::{Treatment, bits};

/// Maximum number of kinds of requests for which two states are compared.
const MOST_COMPARED: usize = 4_000;

impl Requests {
    /// Returns true if no rules share a number because there are too many.
    #[must_use]
    pub fn are_all_told_apart(&self) -> bool {
        let counts = [self.limits.len(), self.others.len(), self.rulesets.len(), self.exempt.len()];
        self.expressions.len() < MOST_PROPERTIES && counts.iter().all(|count| *count < MOST_BITS)
    }

    /// Compares two states for every obstacle and every kind of request. Calls `visit` with the
    /// kinds whose treatment differs. Returns `None` if there are too many kinds.
    pub fn compare_states(
        &self,
        before: &PhaseRules<'_>,
        after: &PhaseRules<'_>,
        visit: &mut dyn FnMut(&Changed<'_>),
    ) -> Option<()> {
        let mut work = MOST_COMPARED;
        for aspect in self.aspects() {
            let states = States { requests: self, before, after, aspect };
            let any_request = RequestKind { known: 0, held: 0, goes_on: false };
            states.compare(any_request, &mut work, visit)?;
        }
        Some(())
    }

    /// Returns each obstacle with the obstacles that imply it.
    fn aspects(&self) -> Vec<Aspect> {
        let mut aspects = vec![Aspect::default()];
        for n in 0..self.limits.len() {
            let implying = (0..self.limits.len()).filter(|m| self.limits_implied[*m] & 1 << n != 0);
            aspects.push(Aspect {
                limits: implying.fold(0, |all, m| all | 1 << m),
                ..Aspect::default()
            });
        }
        aspects
            .extend((0..self.others.len()).map(|n| Aspect { others: 1 << n, ..Aspect::default() }));
        for n in 0..self.rulesets.len() {
            let of_ruleset = Aspect { ruleset: Some(n), ..Aspect::default() };
            aspects.push(of_ruleset);
            aspects.extend(
                bits(self.rules_of(n)).map(|rule| Aspect { exempt: 1 << rule, ..of_ruleset }),
            );
        }
        aspects
    }

    /// Returns false if certainly no request is of a kind.
    fn is_possible(&self, kind: RequestKind) -> bool {
        self.conditions.are_possible(bits(kind.held), bits(kind.known & !kind.held))
    }

    /// Returns true if other rules certainly do the same for every request of a rule.
    #[must_use]
    pub fn is_replaced<'r>(
        &self,
        rule: &SimpleRule,
        others: impl Iterator<Item = &'r SimpleRule>,
    ) -> bool {
        let same_action = others.filter(|other| other.act == rule.act).map(|other| other.property);
        !self.conditions.are_possible([rule.property], same_action)
    }
}

/// Two states of the rules that are compared for one obstacle.
struct States<'r> {
    requests: &'r Requests,
    before: &'r PhaseRules<'r>,
    after: &'r PhaseRules<'r>,
    aspect: Aspect,
}

impl States<'_> {
    /// Compares the treatment of a kind of request. Where it depends on a property, the requests
    /// with it and those without it are compared separately.
    fn compare(
        &self,
        kind: RequestKind,
        work: &mut usize,
        visit: &mut dyn FnMut(&Changed<'_>),
    ) -> Option<()> {
        *work = work.checked_sub(1)?;
        let treatment = |rules| self.requests.treatment(kind, rules, &self.aspect);
        let property = match (treatment(self.before), treatment(self.after)) {
            (Ok(before), Ok(after)) => {
                if before != after {
                    visit(&Changed { states: self, kind, before, after });
                }
                return Some(());
            }
            (Err(property), _) | (_, Err(property)) => property,
        };
        for held in [0, 1_u64 << property] {
            let (known, held) = (kind.known | 1 << property, kind.held | held);
            let narrower = RequestKind { known, held, ..kind };
            if self.requests.is_possible(narrower) {
                self.compare(narrower, work, visit)?;
            }
        }
        Some(())
    }
}

/// A kind of request whose treatment differs between two states.
pub struct Changed<'s> {
    states: &'s States<'s>,
    kind: RequestKind,
    before: Treatment,
    after: Treatment,
}

impl Changed<'_> {
    /// Returns true if it may pass where it was stopped before.
    #[must_use]
    pub fn is_weaker(&self) -> bool {
        !self.states.requests.covers(&self.after, &self.before)
    }

    /// Returns true if it may be stopped where it passed before.
    #[must_use]
    pub fn is_stricter(&self) -> bool {
        !self.states.requests.covers(&self.before, &self.after)
    }

    /// Returns true if a rule may apply to it.
    #[must_use]
    pub fn may_match(&self, rule: &SimpleRule) -> bool {
        let bit = 1 << rule.property;
        self.kind.known & bit == 0 || self.kind.held & bit != 0
    }

    /// Compares its treatment afterwards with that in another state. Returns whether it is stopped
    /// less, and whether it is stopped more.
    #[must_use]
    pub fn beside(&self, other: &PhaseRules<'_>) -> (bool, bool) {
        let requests = self.states.requests;
        let mut kind = self.kind;
        let met = loop {
            match requests.treatment(kind, other, &self.states.aspect) {
                Ok(met) => break met,
                Err(property) => {
                    kind.known |= 1 << property;
                    if !requests.is_possible(kind) {
                        kind.held |= 1 << property;
                    }
                }
            }
        };
        (!requests.covers(&self.after, &met), !requests.covers(&met, &self.after))
    }
}
