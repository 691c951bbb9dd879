//! Dangers, and the consents that release them. There is no blanket consent.

use std::collections::{BTreeMap, BTreeSet};

use super::changes_much::changes_much;
use super::weakening_grade;
use super::zone_plan::{GivenConsent, Plan, ZonePlan};
use crate::diagnostic::count;
use crate::model::Danger;
use crate::model::Policy;

/// Permissions given for one run, and what counts as much.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Consents {
    /// How many deletes exactly.
    pub deletes: Option<usize>,
    /// Other dangers, on the command line.
    pub dangers: BTreeSet<Danger>,
    /// Those of them that were typed at the terminal after the plan was shown; the others come from
    /// the command line.
    pub typed: BTreeSet<Danger>,
    /// Permissions that are committed beside the spec.
    pub policy: Policy,
}

impl Consents {
    /// Adds a permission that was typed at the terminal; of deletes, for `operations` of them
    /// exactly.
    pub fn allow_typed(&mut self, danger: Danger, operations: usize) {
        match danger {
            Danger::Delete => self.deletes = Some(operations),
            other => drop(self.dangers.insert(other)),
        }
        self.typed.insert(danger);
    }

    /// Where a permission was given.
    fn by(&self, danger: Danger) -> &'static str {
        if self.typed.contains(&danger) { "typed at the terminal" } else { "on the command line" }
    }
}

/// A permission that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingConsent {
    /// For what.
    pub danger: Danger,
    /// How many operations need it; none if it is the plan as a whole.
    pub operations: usize,
    /// What to add to the command line.
    pub flag: String,
    /// Why the permission given does not do, if one was given.
    pub given: Option<usize>,
}

impl MissingConsent {
    /// What may happen, and by how many operations.
    #[must_use]
    pub fn about(&self) -> String {
        match self.operations {
            0 => self.danger.about().to_owned(),
            operations => format!("{}: {}", self.danger.about(), count(operations, "operation")),
        }
    }

    /// What may happen and what to do, as a sentence that ends before the flag.
    #[must_use]
    pub fn before_flag(&self) -> String {
        let given = self.given.map(|n| format!(" (consent was given for {n})")).unwrap_or_default();
        format!("{}{given}. To allow it, add ", self.about())
    }

    /// What to add to the command line for all of these.
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

/// What may happen to a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// There is nothing to do.
    InSync,
    /// It may be applied.
    Ready,
    /// It may be applied with these consents.
    NeedsConsent(Vec<MissingConsent>),
    /// Something wanted cannot be had; the diagnostics say what.
    Incomplete,
}

impl Verdict {
    /// The word used in every output.
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
    /// What may happen to it, given these consents.
    #[must_use]
    pub fn verdict(&self, consents: &Consents) -> Verdict {
        if self.diagnostics.has_errors() {
            return Verdict::Incomplete;
        }
        let is_empty = self.zones.iter().all(ZonePlan::is_empty);
        // A weakening that lasts longer is a danger without an operation: nothing at Cloudflare
        // changes.
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

    /// Takes narrow weakenings as a policy does: where it demands more, their reasons are no
    /// consent.
    pub fn grade(&mut self, policy: &Policy) {
        for zone in &mut self.zones {
            weakening_grade::grade(zone, policy.narrow_rules, policy.narrow_days);
        }
    }

    /// The consents that it needs and has, of these.
    #[must_use]
    pub fn consents(&self, consents: &Consents) -> Vec<GivenConsent> {
        judge(self, consents).1
    }
}

/// The dangers of a zone's plan, each as often as an operation has it, with the reason of the spec
/// if that accepts it, and how many operations that is: none for those of the plan as a whole.
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

/// The permissions that a plan needs: those that it lacks, and those that it has.
pub(super) fn judge(plan: &Plan, consents: &Consents) -> (Vec<MissingConsent>, Vec<GivenConsent>) {
    let mut counts: BTreeMap<Danger, usize> = BTreeMap::new();
    let mut given: BTreeSet<GivenConsent> = BTreeSet::new();
    for zone in &plan.zones {
        let much = changes_much(zone, &consents.policy);
        let much = much.then(|| {
            (Danger::ChangesMuch, zone.accepted.get(&Danger::ChangesMuch).map(String::as_str), 0)
        });
        for (danger, accepted, operations) in of_zone(zone).chain(much) {
            let by = match (danger, accepted, consents.policy.allows(zone.name.as_str(), danger)) {
                // Deletes are counted, whoever allows them.
                (Danger::Delete, _, _) => None,
                (_, Some(reason), _) => Some(format!("spec: {reason}")),
                (_, None, Some(reason)) => Some(format!("policy: {reason}")),
                (danger, None, None) if consents.dangers.contains(&danger) => {
                    Some(consents.by(danger).to_owned())
                }
                (_, None, None) => None,
            };
            match by {
                Some(by) => drop(given.insert(GivenConsent { danger, by })),
                None => *counts.entry(danger).or_default() += operations,
            }
        }
    }
    // A number that does not fit says that the reader saw another plan.
    if let Some(count) =
        counts.get(&Danger::Delete).copied().filter(|count| consents.deletes == Some(*count))
    {
        counts.remove(&Danger::Delete);
        given.insert(GivenConsent {
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
    (missing.collect(), given.into_iter().collect())
}
