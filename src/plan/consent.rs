//! Dangers, and the consents that allow them. There is no general consent.

use std::collections::{BTreeMap, BTreeSet};

use super::changes_much::changes_much;
use super::weakening_grade;
use super::zone_plan::{GivenConsent, Plan, ZonePlan};
use crate::diagnostic::count;
use crate::model::Danger;
use crate::model::Policy;

/// The consents for one run, and the policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Consents {
    /// The exact number of allowed deletes.
    pub deletes: Option<usize>,
    /// Other dangers that are allowed.
    pub dangers: BTreeSet<Danger>,
    /// The dangers in `dangers` that were allowed at the terminal after the plan was shown. The
    /// others come from the command line.
    pub typed: BTreeSet<Danger>,
    /// The committed permissions.
    pub policy: Policy,
}

impl Consents {
    /// Adds a consent that was typed at the terminal. For deletes, it allows exactly `operations`
    /// of them.
    pub fn allow_typed(&mut self, danger: Danger, operations: usize) {
        match danger {
            Danger::Delete => self.deletes = Some(operations),
            other => drop(self.dangers.insert(other)),
        }
        self.typed.insert(danger);
    }

    /// Returns the place where a consent was given.
    fn by(&self, danger: Danger) -> &'static str {
        if self.typed.contains(&danger) { "typed at the terminal" } else { "on the command line" }
    }
}

/// A missing consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingConsent {
    pub danger: Danger,
    /// Number of operations that need it; 0 if the plan as a whole needs it.
    pub operations: usize,
    /// The command-line flag that gives it.
    pub flag: String,
    /// The number that a given consent allows, if it does not match.
    pub given: Option<usize>,
}

impl MissingConsent {
    /// Describes the danger and the number of operations.
    #[must_use]
    pub fn about(&self) -> String {
        match self.operations {
            0 => self.danger.about().to_owned(),
            operations => format!("{}: {}", self.danger.about(), count(operations, "operation")),
        }
    }

    /// Describes the danger and the next step, as a sentence that ends before the flag.
    #[must_use]
    pub fn before_flag(&self) -> String {
        let given_count =
            self.given.map(|n| format!(" (consent was given for {n})")).unwrap_or_default();
        format!("{}{given_count}. To allow it, add ", self.about())
    }

    /// Returns the command-line flags for all missing consents.
    #[must_use]
    pub fn flags(missing: &[Self]) -> String {
        let deletes = missing.iter().filter(|m| m.danger == Danger::Delete).map(|m| m.flag.clone());
        let codes: Vec<_> = missing
            .iter()
            .map(|m| m.danger)
            .filter(|d| *d != Danger::Delete)
            .map(Danger::code)
            .collect();
        let codes = (!codes.is_empty()).then(|| format!("--allow {}", codes.join(",")));
        deletes.chain(codes).collect::<Vec<_>>().join(" ")
    }
}

/// The verdict on a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing differs.
    InSync,
    /// The plan can be applied.
    Ready,
    /// The plan can be applied with these consents.
    NeedsConsent(Vec<MissingConsent>),
    /// Part of the spec cannot be achieved. The diagnostics have the details.
    Incomplete,
}

impl Verdict {
    /// Returns the word that every output uses.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::InSync => "in-sync",
            Self::Ready => "ready",
            Self::NeedsConsent(_) => "needs-consent",
            Self::Incomplete => "incomplete",
        }
    }
}

impl Plan {
    /// Returns the verdict under these consents.
    #[must_use]
    pub fn verdict(&self, consents: &Consents) -> Verdict {
        if self.diagnostics.has_errors() {
            return Verdict::Incomplete;
        }
        let is_empty = self.zones.iter().all(ZonePlan::is_empty);
        // A weakening that lasts longer is a danger without an operation, because nothing at
        // Cloudflare changes.
        if is_empty && self.zones.iter().all(|zone| zone.dangers.is_empty()) {
            return Verdict::InSync;
        }
        let (missing, _) = judge(self, consents);
        match (missing.is_empty(), is_empty) {
            (true, true) => Verdict::InSync,
            (true, false) => Verdict::Ready,
            (false, _) => Verdict::NeedsConsent(missing),
        }
    }

    /// Grades narrow weakenings by a policy. If the policy demands more, their reasons are no
    /// consent.
    pub fn grade(&mut self, policy: &Policy) {
        for zone in &mut self.zones {
            weakening_grade::grade(zone, policy.narrow_rules, policy.narrow_days);
        }
    }

    /// Returns the consents that it needs and has.
    #[must_use]
    pub fn consents(&self, consents: &Consents) -> Vec<GivenConsent> {
        judge(self, consents).1
    }
}

/// Returns the dangers of a zone's plan, once for each operation that has it, with the reason of
/// the spec if it accepts the danger, and the number of operations: 0 for dangers of the plan as a
/// whole.
fn of_zone(zone: &ZonePlan) -> impl Iterator<Item = (Danger, Option<&str>, usize)> {
    let operations = zone.operations.iter().map(|o| (&o.dangers, &o.accepted, 1));
    operations.chain(std::iter::once((&zone.dangers, &zone.accepted, 0))).flat_map(
        |(dangers, accepted, operations)| {
            dangers
                .iter()
                .map(move |danger| (*danger, accepted.get(danger).map(String::as_str), operations))
        },
    )
}

/// Returns the consents that a plan lacks, and those that it needs and has.
pub(super) fn judge(plan: &Plan, consents: &Consents) -> (Vec<MissingConsent>, Vec<GivenConsent>) {
    let mut counts: BTreeMap<Danger, usize> = BTreeMap::new();
    let mut given_consents: BTreeSet<GivenConsent> = BTreeSet::new();
    for zone in &plan.zones {
        let much = changes_much(zone, &consents.policy);
        let much = much.then(|| {
            (Danger::ChangesMuch, zone.accepted.get(&Danger::ChangesMuch).map(String::as_str), 0)
        });
        for (danger, accepted, operations) in of_zone(zone).chain(much) {
            let by = match (danger, accepted, consents.policy.allows(zone.name.as_str(), danger)) {
                // Deletes are always counted.
                (Danger::Delete, _, _) => None,
                (_, Some(reason), _) => Some(format!("spec: {reason}")),
                (_, None, Some(reason)) => Some(format!("policy: {reason}")),
                (danger, None, None) if consents.dangers.contains(&danger) => {
                    Some(consents.by(danger).to_owned())
                }
                (_, None, None) => None,
            };
            match by {
                Some(by) => drop(given_consents.insert(GivenConsent { danger, by })),
                None => *counts.entry(danger).or_default() += operations,
            }
        }
    }
    // A number that does not match shows that the reader saw another plan.
    if let Some(count) =
        counts.get(&Danger::Delete).copied().filter(|count| consents.deletes == Some(*count))
    {
        counts.remove(&Danger::Delete);
        given_consents.insert(GivenConsent {
            danger: Danger::Delete,
            by: format!("{}, {count}", consents.by(Danger::Delete)),
        });
    }
    let missing = counts.into_iter().map(|(danger, operations)| MissingConsent {
        danger,
        operations,
        flag: danger.flag(operations),
        given: if danger == Danger::Delete { consents.deletes } else { None },
    });
    (missing.collect(), given_consents.into_iter().collect())
}
