//! Turns a plan into a drift report.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, SystemTime};

use super::state::State;
use crate::diagnostic::Place;
use crate::insight::expect::ExpectationOutcome;
use crate::model::time;
use crate::model::{Address, ZoneName};
use crate::plan::{DeploymentInForce, Keeper, Plan, SetAsideCount, ZonePlan};

/// One object that differs from the spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Address of the object.
    pub address: Address,
    /// State of the object.
    pub state: State,
    /// Time of the last change as Cloudflare writes it. `None` if the object is not live or if
    /// Cloudflare gives no time.
    pub modified_on: Option<String>,
    /// Age of the last change at the time of the check.
    pub age: Option<Duration>,
}

/// A deployment that is weaker than the spec says, although the plan leaves it alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakenedDeployment {
    /// Effective deployment at Cloudflare.
    pub deployment: DeploymentInForce,
    /// Age of the change that weakens the deployment.
    pub age: Option<Duration>,
}

/// An expectation of the spec and its result for the live state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedExpectation {
    /// Name of the expectation.
    pub name: String,
    /// Position of the expectation in the spec.
    pub place: Place,
    /// Result of the check.
    pub outcome: ExpectationOutcome,
}

impl CheckedExpectation {
    /// Returns true if the expectation fails.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        matches!(self.outcome, ExpectationOutcome::Failed(_))
    }
}

/// Drift report of one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneReport {
    /// Name of the zone.
    pub name: ZoneName,
    /// Number of live records.
    pub records: usize,
    /// Number of records and rules that match the spec.
    pub in_sync: usize,
    /// Objects that differ from the spec, in the order of the plan's operations: the zone itself,
    /// rules, records.
    pub findings: Vec<Finding>,
    /// Deployments that are weaker than the spec says.
    pub weakened: Vec<WeakenedDeployment>,
    /// Unknown aspects of the protection, as sentences.
    pub not_known: Vec<String>,
    /// True if rules of an earlier phase, which can skip managed rulesets, were not read.
    pub is_partly_read: bool,
    /// Objects that the spec does not name.
    pub unmanaged: Vec<SetAsideCount>,
    /// Objects that the plan leaves alone for a reason: ignored, or managed by other Cloudflare
    /// products.
    pub spared: Vec<SetAsideCount>,
    /// Expectations of the spec, in its order.
    pub expectations: Vec<CheckedExpectation>,
}

impl ZoneReport {
    /// Counts the objects in a state.
    #[must_use]
    pub fn count(&self, state: State) -> usize {
        match state {
            State::InSync => self.in_sync,
            State::Unmanaged => self.unmanaged.iter().map(SetAsideCount::count).sum(),
            State::Weakened => self.weakened.len(),
            State::Conflicting | State::Drifted | State::Unknown | State::Pending => {
                self.findings.iter().filter(|f| f.state == state).count()
            }
        }
    }

    /// Returns the age of the oldest change that someone made outside the spec, as far as
    /// Cloudflare gives times. Changes of the spec that are not applied yet do not count.
    #[must_use]
    pub fn oldest(&self) -> Option<Duration> {
        let of_findings =
            self.findings.iter().filter(|f| f.state.is_outside()).filter_map(|f| f.age);
        of_findings.chain(self.weakened.iter().filter_map(|weakened| weakened.age)).max()
    }
}

/// Drift report of all zones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Time of the check.
    pub checked_at: SystemTime,
    /// Zones, sorted by name.
    pub zones: Vec<ZoneReport>,
    /// False if something could not be read; the plan's diagnostics then list it.
    pub is_complete: bool,
}

impl Report {
    /// Counts the objects in a state.
    #[must_use]
    pub fn count(&self, state: State) -> usize {
        self.zones.iter().map(|z| z.count(state)).sum()
    }

    /// Counts the objects in all states.
    #[must_use]
    pub fn objects(&self) -> usize {
        State::ALL.iter().map(|state| self.count(*state)).sum()
    }

    /// Counts the expectations of the spec that fail for the live state.
    #[must_use]
    pub fn failed_expectations(&self) -> usize {
        self.zones
            .iter()
            .flat_map(|zone| &zone.expectations)
            .filter(|checked| checked.is_failed())
            .count()
    }

    /// Counts the objects in any of these states.
    #[must_use]
    pub fn count_of(&self, states: &[State]) -> usize {
        State::ALL
            .iter()
            .filter(|state| states.contains(state))
            .map(|state| self.count(*state))
            .sum()
    }

    /// Returns a hash of the objects in these states, which ignores ages. It may be compared within
    /// one process only.
    #[must_use]
    pub fn fingerprint(&self, asked: &[State]) -> u64 {
        let mut hasher = DefaultHasher::new();
        for zone in &self.zones {
            for Finding { address, state, modified_on, age: _ } in &zone.findings {
                if asked.contains(state) {
                    (address.as_str(), state, modified_on).hash(&mut hasher);
                }
            }
            for WeakenedDeployment { deployment, age: _ } in &zone.weakened {
                if asked.contains(&State::Weakened) {
                    (deployment.address.as_str(), deployment.in_force.summary()).hash(&mut hasher);
                }
            }
            for failed in zone.expectations.iter().filter(|checked| checked.is_failed()) {
                (zone.name.as_str(), &failed.name, failed.outcome.why()).hash(&mut hasher);
            }
            for aside in zone.unmanaged.iter().filter(|_| asked.contains(&State::Unmanaged)) {
                (zone.name.as_str(), &aside.reason, &aside.types, &aside.examples)
                    .hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// Returns the age of the oldest change that was made outside the spec; see
    /// [`ZoneReport::oldest`].
    #[must_use]
    pub fn oldest(&self) -> Option<Duration> {
        self.zones.iter().filter_map(ZoneReport::oldest).max()
    }
}

/// Classifies each object of a plan at a point in time.
#[must_use]
pub fn classify(plan: &Plan, now: SystemTime) -> Report {
    Report {
        checked_at: now,
        zones: plan.zones.iter().map(|zone| of_zone(zone, now)).collect(),
        is_complete: !plan.diagnostics.has_errors(),
    }
}

fn of_zone(zone: &ZonePlan, now: SystemTime) -> ZoneReport {
    let findings = zone.operations.iter().map(|operation| Finding {
        address: operation.address.clone(),
        state: State::from(operation.cause),
        modified_on: operation.modified_on.clone(),
        age: operation.modified_on.as_deref().and_then(|time| age(time, now)),
    });
    let (unmanaged, spared) =
        zone.set_aside.iter().cloned().partition(|aside| match aside.keeper {
            Keeper::Unknown => true,
            Keeper::Ignored | Keeper::Service => false,
        });
    let weakened = zone.in_force.iter().filter(|deployment| deployment.in_force.is_weakened());
    let weakened: Vec<WeakenedDeployment> = weakened
        .map(|deployment| WeakenedDeployment {
            age: deployment.modified_on.as_deref().and_then(|time| age(time, now)),
            deployment: deployment.clone(),
        })
        .collect();
    // Unchanged objects do not include those that the plan changes.
    let unchanged = weakened.iter().filter(|weakened| !weakened.deployment.is_changed).count();
    let not_known =
        zone.in_force.iter().filter(|deployment| !deployment.in_force.unknown.is_empty());
    let not_known = not_known.map(|DeploymentInForce { in_force, .. }| {
        format!("{}: {}", in_force.ruleset.key(), in_force.unknown.join("; "))
    });
    ZoneReport {
        name: zone.name.clone(),
        records: zone.live_records,
        in_sync: (zone.unchanged + zone.rules_unchanged).saturating_sub(unchanged),
        findings: findings.collect(),
        not_known: not_known.collect(),
        is_partly_read: zone
            .in_force
            .iter()
            .any(|deployment| !deployment.in_force.not_asked.is_empty()),
        weakened,
        unmanaged,
        spared,
        expectations: Vec::new(),
    }
}

/// Returns `None` if Cloudflare's clock is ahead of ours.
fn age(moment: &str, now: SystemTime) -> Option<Duration> {
    time::age(time::parse_rfc3339(moment).ok()?, now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Place, Sources, Span};
    use crate::model::{DesiredZone, LiveZone, ZoneId};
    use crate::plan::{Cause, plan_zone};

    /// Returns a plan that creates one zone.
    fn new_zone() -> Plan {
        let name = ZoneName::parse("example.com").unwrap();
        let place = Place { source: Sources::default().add("x", ""), span: Span::default() };
        let (zone, diagnostics) =
            plan_zone(&DesiredZone::new(name.clone(), place), &LiveZone::to_be_made(name));
        Plan { zones: vec![zone], diagnostics, ..Plan::default() }
    }

    #[test]
    fn causes_are_states() {
        let mut plan = new_zone();
        let now = SystemTime::UNIX_EPOCH;
        for (cause, state) in [
            (Cause::Spec, State::Pending),
            (Cause::Drift, State::Drifted),
            (Cause::Both, State::Conflicting),
            (Cause::Unknown, State::Unknown),
        ] {
            plan.zones[0].operations[0].cause = cause;
            let report = classify(&plan, now);
            assert_eq!((report.count(state), report.objects(), report.is_in_sync()), (1, 1, false));
            assert_eq!(
                report.count_of(&[state, state, State::Unmanaged]),
                1,
                "named twice is counted once"
            );
        }
    }

    #[test]
    fn whose_business_it_is_decides_what_is_unmanaged() {
        let mut plan = new_zone();
        let aside = |keeper, n| SetAsideCount {
            keeper,
            reason: String::new(),
            types: [("A".to_owned(), n)].into(),
            examples: Vec::new(),
        };
        plan.zones[0].operations.clear();
        plan.zones[0].set_aside =
            vec![aside(Keeper::Unknown, 3), aside(Keeper::Ignored, 5), aside(Keeper::Service, 7)];
        let report = classify(&plan, SystemTime::UNIX_EPOCH);
        assert_eq!((report.count(State::Unmanaged), report.zones[0].spared.len()), (3, 2));
        assert!(report.is_in_sync(), "what the spec does not name is not a difference");
    }

    #[test]
    fn ages_are_those_of_the_service() {
        let now = time::parse_rfc3339("2026-11-20T12:00:00Z").unwrap();
        let seconds = |time| age(time, now).map(|age| age.as_secs());
        assert_eq!(seconds("2026-11-20T11:00:00.123456Z"), Some(3599));
        assert_eq!(seconds("2026-11-20T11:59:00.5+00:00"), Some(59));
        assert_eq!(seconds("2026-11-20T12:00:05Z"), Some(0), "the clocks disagree");
        assert_eq!(seconds("yesterday"), None);
    }

    #[test]
    fn the_oldest_change_is_one_made_outside() {
        let finding = |state, seconds| Finding {
            address: crate::model::Address::of_zone(&ZoneName::parse("example.com").unwrap()),
            state,
            modified_on: None,
            age: Some(Duration::from_secs(seconds)),
        };
        let mut zone = of_zone(&new_zone().zones[0], SystemTime::UNIX_EPOCH);
        zone.findings = vec![
            finding(State::Pending, 900),
            finding(State::Drifted, 30),
            finding(State::Unknown, 60),
        ];
        assert_eq!(zone.oldest(), Some(Duration::from_secs(60)));
    }

    #[test]
    fn a_zone_that_was_not_seen_is_not_in_sync() {
        let mut plan = new_zone();
        plan.zones.clear();
        assert!(classify(&plan, SystemTime::UNIX_EPOCH).is_in_sync());
        plan.diagnostics.push(crate::diagnostic::findings::QUOTA.nowhere("y"));
        assert!(!classify(&plan, SystemTime::UNIX_EPOCH).is_in_sync());
    }

    #[test]
    fn a_zone_that_is_seen_and_as_wanted_is_in_sync() {
        let name = ZoneName::parse("example.com").unwrap();
        let place = Place { source: Sources::default().add("x", ""), span: Span::default() };
        let live = LiveZone::new(name.clone(), ZoneId("z".to_owned()));
        let (zone, diagnostics) = plan_zone(&DesiredZone::new(name, place), &live);
        let report = classify(
            &Plan { zones: vec![zone], diagnostics, ..Plan::default() },
            SystemTime::UNIX_EPOCH,
        );
        assert!(report.is_in_sync() && report.objects() == 0);
    }
}
