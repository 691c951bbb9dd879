//! Counts requests for a report. The memory is bounded, for any number of requests
//! (`most_frequent`, `changed_outcomes`).

use std::collections::BTreeMap;

use super::anomaly_score::Scored;
use super::changed_outcomes::{ChangedOutcomes, flip};
use super::counted_request::CountedRequest;
use super::most_frequent::Names;
use super::owasp_matrix::{Matrix, THRESHOLDS};
use super::report::{Cell, Counts, Flip, Outcomes, Report, ReportKind, Set, Zone};
use super::request_verdict::RequestVerdict;
use crate::model::request::Outcome;

/// The level, if there is one, and the threshold.
type OwaspSetting = Option<(Option<u8>, u32)>;

/// Counts of requests.
#[derive(Debug, Default)]
pub struct RequestCounts {
    zones: BTreeMap<String, Zone>,
    sets: BTreeMap<Set, Outcomes>,
    flips: ChangedOutcomes,
    not_evaluated: Names,
    depends_on: Names,
}

impl RequestCounts {
    /// Creates empty counts; `has_examples` is true if the report shows examples.
    #[must_use]
    pub fn new(has_examples: bool) -> Self {
        Self { flips: ChangedOutcomes::new(has_examples), ..Self::default() }
    }

    /// Adds a zone of the spec, with its settings of the OWASP ruleset now and after the plan.
    pub fn add_zone(&mut self, name: &str, before: OwaspSetting, after: OwaspSetting) {
        let cell =
            |setting: OwaspSetting| setting.map(|(level, threshold)| Cell { level, threshold });
        let (before, after) = (cell(before), cell(after));
        let zone = Zone {
            name: name.to_owned(),
            before,
            after,
            requests: 0,
            stopped: 0,
            let_through: 0,
            unknown: 0,
        };
        self.zones.insert(name.to_owned(), zone);
    }

    fn set(&mut self, set: Set) -> &mut Outcomes {
        self.sets.entry(set).or_insert_with(|| Outcomes {
            set,
            requests: 0,
            unreadable: 0,
            elsewhere: 0,
            dns_only: 0,
            partial: 0,
            before: Counts::default(),
            after: Counts::default(),
            matrix: None,
        })
    }

    /// Counts a line or entry that is not a request.
    pub fn unreadable(&mut self, set: Set) {
        self.set(set).unreadable += 1;
    }

    /// Counts a request for a host that is DNS only, to which no rule applies.
    pub fn dns_only(&mut self, set: Set) {
        self.set(set).dns_only += 1;
    }

    /// Counts a request for a host of no zone.
    pub fn elsewhere(&mut self, set: Set) {
        self.set(set).elsewhere += 1;
    }

    /// Counts a request.
    pub fn add(&mut self, seen: &CountedRequest<'_>) {
        let CountedRequest { set, before, after, hits, .. } = *seen;
        let outcomes = self.set(set);
        outcomes.requests += 1;
        outcomes.partial += u64::from(seen.is_partial);
        outcomes.before.add(before.outcome);
        outcomes.after.add(after.outcome);
        if let Some(hits) = hits {
            let matrix = outcomes
                .matrix
                .get_or_insert_with(|| Matrix { thresholds: THRESHOLDS, ..Matrix::default() });
            let own_levels = after.score.as_ref().map(Scored::by_level);
            // Without a deployment, the score counts for requests that no other rule stops.
            let would =
                (!seen.has_owasp && after.outcome == Outcome::Pass).then(|| hits.by_level());
            match own_levels.or(would) {
                Some(levels) => matrix.add(levels),
                None => matrix.not_scored += 1,
            }
        }
        for what in &after.not_evaluated {
            self.not_evaluated.add(what);
        }
        for reason in before.depends_on.union(&after.depends_on) {
            self.depends_on.add(reason);
        }
        let is_unknown = |verdict: &RequestVerdict| verdict.outcome == Outcome::Unknown;
        let flip = flip(before.outcome, after.outcome);
        if let Some(zone) = self.zones.get_mut(seen.zone) {
            zone.requests += 1;
            zone.stopped += u64::from(flip == Some(Flip::Stopped));
            zone.let_through += u64::from(flip == Some(Flip::LetThrough));
            zone.unknown += u64::from(is_unknown(before) || is_unknown(after));
        }
        if let Some(flip) = flip {
            self.flips.add(seen, flip);
        }
    }

    /// Returns the report on all requests that were counted.
    #[must_use]
    pub fn report(self) -> Report {
        Report {
            format: 1,
            kind: ReportKind::WafRehearsal,
            zones: self.zones.into_values().filter(|zone| zone.requests > 0).collect(),
            sets: self.sets.into_values().collect(),
            changes: self.flips.groups(),
            not_evaluated: self.not_evaluated.listed(),
            depends_on: self.depends_on.listed(),
        }
    }
}

impl Counts {
    /// Counts an outcome.
    fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Pass => &mut self.pass,
            Outcome::Block => &mut self.block,
            Outcome::Challenge => &mut self.challenge,
            Outcome::Unknown => &mut self.unknown,
        } += 1;
    }
}
