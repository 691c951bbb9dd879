//! The anomaly score of a request under a deployment of the OWASP ruleset.
//!
//! # Sources
//! developers.cloudflare.com/waf/managed-rules/reference/owasp-core-ruleset/concepts and …/example,
//! read 2026-11-22: each rule that matches adds its score once; the action is taken if the sum is
//! at or above the threshold. Rules that an exception skips for the request, and rules that are
//! off, add nothing.

use std::collections::BTreeMap;
use std::fmt;

use super::super::waf::action_strength::strength;
use super::super::waf::{DecidedBy, effective_deployment};
use super::rule_action::{Act, RuleAt};
use crate::model::Gather;
use crate::model::managed::{Catalogue, Managed};
use crate::model::request::Request;
use crate::model::ruleset::RuleBody;

/// A public rule that matched a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hit {
    /// The number of the rule.
    pub rule: u32,
    /// The paranoia level of the rule, 1 to 4.
    pub level: u8,
    /// The score that the rule adds.
    pub score: u32,
}

/// The matches of the public rules in a request, at all levels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// The rules that matched, by number.
    pub hits: Vec<Hit>,
    /// Rules without a result, with the score that they add if they match.
    pub undecided: Vec<Hit>,
}

/// A score with its uncertainty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScoreSpan {
    /// The score without the rules that have no result.
    pub least: u32,
    /// The score with all of these rules.
    pub most: u32,
}

impl ScoreSpan {
    /// Returns true if the score reaches a threshold; `None` if that is unknown.
    #[must_use]
    pub fn reaches(self, threshold: u32) -> Option<bool> {
        match (self.least >= threshold, self.most >= threshold) {
            (true, _) => Some(true),
            (false, true) => None,
            (false, false) => Some(false),
        }
    }

    /// Returns the scores at the paranoia levels 1 to 4.
    fn by_level<'h>(
        hits: impl Iterator<Item = &'h Hit> + Clone,
        open: impl Iterator<Item = &'h Hit> + Clone,
    ) -> [Self; 4] {
        [1, 2, 3, 4].map(|level| {
            let certain_score =
                hits.clone().filter(|hit| hit.level <= level).map(|hit| hit.score).sum();
            let possible_score: u32 =
                open.clone().filter(|hit| hit.level <= level).map(|hit| hit.score).sum();
            Self { least: certain_score, most: certain_score + possible_score }
        })
    }
}

impl Hits {
    /// Returns the score at a paranoia level, without rules that have no result.
    #[must_use]
    pub fn score(&self, level: u8) -> u32 {
        self.hits.iter().filter(|hit| hit.level <= level).map(|hit| hit.score).sum()
    }

    /// Returns the scores at the paranoia levels 1 to 4.
    #[must_use]
    pub fn by_level(&self) -> [ScoreSpan; 4] {
        ScoreSpan::by_level(self.hits.iter(), self.undecided.iter())
    }
}

/// Runs the public OWASP rules.
pub trait FindsHits: fmt::Debug + Send + Sync {
    /// Returns the matches of the rules in a request.
    fn hits(&self, request: &Request) -> Hits;
}

/// The treatment of a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HitTreatment {
    /// The hit counts.
    Counts,
    /// The rule is off, for this reason.
    Off(DecidedBy),
    /// The request bypasses the rule, by this exception.
    Bypassed(RuleAt),
    /// Cloudflare's ruleset does not have the rule.
    Foreign,
}

/// A hit with its treatment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedHit {
    pub hit: Hit,
    /// Its treatment.
    pub fate: HitTreatment,
}

/// The score of a request, with its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scored {
    /// The rule that deploys the ruleset.
    pub by: RuleAt,
    /// In the order of their numbers.
    pub hits: Vec<CountedHit>,
    /// The sum of the hits that count.
    pub total: u32,
    /// The rules without a result, by number.
    pub undecided: Vec<CountedHit>,
    /// The score from which on the action is taken.
    pub threshold: u32,
    pub action: String,
    /// The paranoia level, if the set of enabled rules matches one.
    pub level: Option<u8>,
}

impl Scored {
    /// Returns the sums for each paranoia level, without rules that are off or bypassed for another
    /// reason.
    #[must_use]
    pub fn by_level(&self) -> [ScoreSpan; 4] {
        let could = |counted: &&CountedHit| counted.could_count();
        let (hits, open) = (self.hits.iter().filter(could), self.undecided.iter().filter(could));
        ScoreSpan::by_level(hits.map(|counted| &counted.hit), open.map(|counted| &counted.hit))
    }

    /// Returns true if the action is taken; `None` if that is unknown.
    #[must_use]
    pub fn acts(&self) -> Option<bool> {
        let possible_score: u32 = self.open().map(|hit| hit.score).sum();
        ScoreSpan { least: self.total, most: self.total + possible_score }.reaches(self.threshold)
    }

    /// Iterates over the rules without a result that count if they match.
    pub fn open(&self) -> impl Iterator<Item = Hit> {
        self.undecided
            .iter()
            .filter(|counted| counted.fate == HitTreatment::Counts)
            .map(|counted| counted.hit)
    }
}

impl CountedHit {
    /// Returns true if the hit counts at some paranoia level.
    #[must_use]
    pub fn could_count(&self) -> bool {
        matches!(self.fate, HitTreatment::Counts | HitTreatment::Off(DecidedBy::Level(_)))
    }
}

/// A deployment of the OWASP ruleset, prepared for scoring.
#[derive(Debug, Clone)]
pub struct Scoring {
    /// The id of the ruleset.
    pub(super) id: String,
    /// Its common name.
    pub(super) name: String,
    /// Its rules by number: the id, and the reason if the rule is off.
    rules: BTreeMap<u32, (String, Option<DecidedBy>)>,
    threshold: u32,
    action: String,
    level: Option<u8>,
}

impl Scoring {
    /// Reads a rule that executes a ruleset; `None` if it executes another ruleset, or its effect
    /// is unknown.
    pub(super) fn of(body: &RuleBody, catalogue: Option<&Catalogue>, name: &str) -> Option<Self> {
        let catalogue = catalogue.filter(|catalogue| catalogue.which == Some(Managed::Owasp))?;
        let effective = effective_deployment(body, catalogue)?;
        let (threshold, action) = (effective.threshold()?, effective.action()?.to_owned());
        let rules = effective.rules.iter().filter_map(|rule| {
            let why = (!rule.effect.enabled).then(|| rule.why.clone());
            Some((rule.rule.number?, (rule.rule.id.0.clone(), why)))
        });
        // If the rule that compares the score is off, no action is taken.
        let action = if effective.acts() { action } else { "log".to_owned() };
        Some(Self {
            id: catalogue.id.0.clone(),
            name: name.to_owned(),
            rules: rules.gather(),
            threshold,
            action,
            level: effective.paranoia.map(|level| level.level()),
        })
    }

    /// Returns the score from which on the action is taken.
    #[must_use]
    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Returns the action at the threshold.
    #[must_use]
    pub fn action(&self) -> &str {
        &self.action
    }

    /// Returns the paranoia level, if the set of enabled rules matches one.
    #[must_use]
    pub fn level(&self) -> Option<u8> {
        self.level
    }

    /// Returns true if a rule is on.
    #[must_use]
    pub fn has(&self, rule: u32) -> bool {
        matches!(self.rules.get(&rule), Some((_, None)))
    }

    /// Returns the action on requests at the threshold; `None` if they are only logged.
    #[must_use]
    pub fn act(&self) -> Option<Act> {
        strength(&self.action).and_then(Act::of)
    }

    /// Returns the score of a request; `bypassed` has the ids of rules that the request bypasses,
    /// with the exception.
    pub(super) fn score(&self, by: RuleAt, found: &Hits, bypassed: &[(String, RuleAt)]) -> Scored {
        let exception =
            |id: &str| bypassed.iter().find(|(rule, _)| rule == id).map(|(_, by)| by.clone());
        let fate = |number: u32| match self.rules.get(&number) {
            None => HitTreatment::Foreign,
            // An exception also applies to rules of a disabled level: it excludes them from the
            // result of a higher level.
            Some((id, Some(why @ DecidedBy::Level(_)))) => {
                exception(id).map_or(HitTreatment::Off(why.clone()), HitTreatment::Bypassed)
            }
            Some((_, Some(why))) => HitTreatment::Off(why.clone()),
            Some((id, None)) => exception(id).map_or(HitTreatment::Counts, HitTreatment::Bypassed),
        };
        let counted = |hit: &Hit| CountedHit { hit: *hit, fate: fate(hit.rule) };
        let hits: Vec<CountedHit> = found.hits.iter().map(counted).collect();
        let total = hits
            .iter()
            .filter(|hit| hit.fate == HitTreatment::Counts)
            .map(|hit| hit.hit.score)
            .sum();
        let undecided = found.undecided.iter().map(counted).collect();
        let Self { threshold, level, .. } = *self;
        Scored { by, hits, total, undecided, threshold, action: self.action.clone(), level }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ruleset::Phase;

    #[test]
    fn exceptions_hold_at_levels_that_are_off() {
        let off = |id: &str, why: DecidedBy| (id.to_owned(), Some(why));
        let scoring = Scoring {
            id: "owasp".to_owned(),
            name: "owasp".to_owned(),
            rules: BTreeMap::from([
                (1, off("a", DecidedBy::Level(2))),
                (2, off("b", DecidedBy::Level(2))),
                (3, off("c", DecidedBy::Rule)),
            ]),
            threshold: 5,
            action: "block".to_owned(),
            level: Some(1),
        };
        let by = RuleAt { name: "exception".to_owned(), phase: Phase::Managed, place: None };
        let hits = [1, 2, 3].map(|rule| Hit { rule, level: 2, score: 5 }).to_vec();
        let hits = Hits { hits, undecided: Vec::new() };
        let score = scoring.score(
            by.clone(),
            &hits,
            &[("a".to_owned(), by.clone()), ("c".to_owned(), by.clone())],
        );
        let fates: Vec<_> = score.hits.iter().map(|counted| counted.fate.clone()).collect();
        assert_eq!(
            fates,
            [
                HitTreatment::Bypassed(by),
                HitTreatment::Off(DecidedBy::Level(2)),
                HitTreatment::Off(DecidedBy::Rule)
            ]
        );
        assert_eq!(score.by_level().map(|span| span.least), [0, 5, 5, 5]);
    }
}
