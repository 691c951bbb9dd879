//! The plan as data: that of a zone, and that of all zones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::action::Action;
use super::base_source::BaseSource;
use super::in_force::DeploymentInForce;
use super::operation::Operation;
use super::subject::{RecordSubject, RuleSubject};
use crate::diagnostic::{Diagnostics, count};
use crate::model::Narrow;
use crate::model::{Address, Danger, Fqdn, LiveZone, Rdata, Tier, ZoneId, ZoneName};

/// Whose business it is what is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keeper {
    /// Unknown.
    Unknown,
    /// The spec names it to be ignored.
    Ignored,
    /// Another product of Cloudflare makes it.
    Service,
}

/// How many live records are left alone for one reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetAsideCount {
    /// Whose business it is.
    pub keeper: Keeper,
    /// The reason in words: `unmanaged`, `ignored (…)`, `managed by …`, `not understood`,
    /// `duplicate`.
    pub reason: String,
    /// How many by type.
    pub types: BTreeMap<String, usize>,
    /// Their names with types, for the detailed output; at most the first hundred.
    pub examples: Vec<String>,
}

impl SetAsideCount {
    /// How many in all.
    #[must_use]
    pub fn count(&self) -> usize {
        self.types.values().sum()
    }

    /// How many and why, such as `2 unmanaged` or `1 foreign custom rule`.
    #[must_use]
    pub fn words(&self) -> String {
        match (self.count(), self.reason.strip_suffix("rules")) {
            (1, Some(start)) => format!("1 {start}rule"),
            (n, _) => format!("{n} {}", self.reason),
        }
    }
}

/// The plan of one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZonePlan {
    /// The zone.
    pub name: ZoneName,
    /// Its id.
    pub id: ZoneId,
    /// When it was created, as Cloudflare wrote it (RFC 3339); with the id it tells the zone from
    /// one of a sandbox that was reset, which has the same id.
    pub created_on: Option<String>,
    /// Its plan at Cloudflare.
    pub tier: Tier,
    /// Whether the zone does not exist yet; its id then stands in for the real one.
    pub is_new: bool,
    /// What is done.
    ///
    /// # Order
    /// The zone itself, its settings, its rules in the order of execution, its records in the order
    /// of their names. Apply carries out the rules of a zone that exists first: they are what it
    /// looks at once more before anything is sent.
    pub operations: Vec<Operation>,
    /// The addresses of what differs as well, and is left out, because a part of the plan was
    /// chosen.
    pub left_out: BTreeSet<Address>,
    /// Rules that are as they should be.
    pub rules_unchanged: usize,
    /// Records that are as they should be.
    pub unchanged: usize,
    /// Live records that the spec does not name.
    pub unmanaged: usize,
    /// Live records that an `ignore` pattern names.
    pub ignored: usize,
    /// Live records left alone, by reason.
    pub set_aside: Vec<SetAsideCount>,
    /// Whether the zone is too full for what is created until something is deleted.
    pub deletes_first: bool,
    /// Live values that stay as they are beside values that come, change or go, by name and type.
    pub beside: BTreeMap<(Fqdn, String), Vec<Rdata>>,
    /// What is dangerous about the plan as a whole.
    pub dangers: Vec<Danger>,
    /// What makes narrow those weakenings that last longer than the previous spec said, if they all
    /// are.
    pub postponed: Option<Narrow>,
    /// Dangers that the spec accepts for the zone, with the reasons.
    pub accepted: BTreeMap<Danger, String>,
    /// How many records the zone has.
    pub live_records: usize,
    /// What someone has to do elsewhere: records for the registrar, name servers.
    pub notes: Vec<String>,
    /// What it means as a whole to those who ask name servers.
    pub impact: Vec<String>,
    /// The deployments of managed rulesets, held against what the spec promises.
    pub in_force: Vec<DeploymentInForce>,
    /// Whether more records are planned than zones of this plan usually hold, while the real quota
    /// was not asked for.
    pub quota_in_doubt: bool,
}

impl ZonePlan {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The addresses of all operations, in order.
    pub fn addresses(&self) -> impl Iterator<Item = &Address> {
        self.operations.iter().map(|o| &o.address)
    }

    /// The operations on rules, in order, with their numbers among all.
    pub fn rules(&self) -> impl Iterator<Item = (usize, &Operation, &RuleSubject)> {
        self.operations.iter().enumerate().filter_map(|(n, o)| Some((n, o, o.rule()?)))
    }

    /// The operations on records, in order, with their numbers among all.
    pub fn records(&self) -> impl Iterator<Item = (usize, &Operation, &RecordSubject)> {
        self.operations.iter().enumerate().filter_map(|(n, o)| Some((n, o, o.record()?)))
    }

    /// The same plan for the zone as it was made.
    #[must_use]
    pub fn for_zone(&self, zone: &LiveZone) -> Self {
        Self { id: zone.id.clone(), created_on: zone.created_on.clone(), ..self.clone() }
    }
}

/// Counts over all zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Records to create.
    pub create: usize,
    /// Records to change.
    pub update: usize,
    /// Records to delete.
    pub delete: usize,
    /// Those of them that need consent: a delete whose record is replaced does not.
    pub deletes_to_allow: usize,
    /// Records and rules as they should be.
    pub unchanged: usize,
    /// Live records that the spec does not name.
    pub unmanaged: usize,
    /// Live records that `ignore` names.
    pub ignored: usize,
}

impl Summary {
    /// How many operations there are.
    #[must_use]
    pub fn operations(self) -> usize {
        self.create + self.update + self.delete
    }

    /// The deletes in words, with the number for `--allow-deletes` where that is another one.
    #[must_use]
    pub fn deletes(self) -> String {
        let Self { delete, deletes_to_allow, .. } = self;
        match deletes_to_allow {
            _ if deletes_to_allow == delete => format!("{delete} to delete"),
            0 => format!("{delete} to delete (none counts for --allow-deletes)"),
            1 => format!("{delete} to delete (1 counts for --allow-deletes)"),
            count => format!("{delete} to delete ({count} count for --allow-deletes)"),
        }
    }
}

/// A permission that was needed and is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GivenConsent {
    /// For what.
    pub danger: Danger,
    /// Where it was given, and why: `on the command line`, `typed at the terminal`, `policy: …`,
    /// `spec: …`.
    pub by: String,
}

/// What a plan is a part of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Part {
    /// The addresses and globs of `--only`.
    pub only: Vec<String>,
    /// How many operations were chosen.
    pub chosen: usize,
    /// How many operations are left out; what they would change still differs afterwards.
    pub left_out: usize,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { only, chosen, left_out } = self;
        write!(f, "--only {} chooses {}", only.join(" --only "), count(*chosen, "operation"))?;
        match left_out {
            0 => f.write_str(", and nothing else differs"),
            1 => f.write_str("; 1 operation is left out"),
            n => write!(f, "; {n} operations are left out"),
        }
    }
}

/// Everything that an apply would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// SHA-256 of the spec as read, hexadecimal.
    pub spec_digest: String,
    /// The zones, by name.
    pub zones: Vec<ZonePlan>,
    /// What was found while planning.
    pub diagnostics: Diagnostics,
    /// Requests made so far.
    pub requests_made: u64,
    /// Where the previous version of the spec comes from, if one is named.
    pub base: Option<BaseSource>,
    /// The consents that it needs and has.
    pub consents_given: Vec<GivenConsent>,
    /// What chose a part of it, if something did.
    pub only: Vec<String>,
}

impl Plan {
    /// What it is a part of, if a part was chosen.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        let sum = |number: fn(&ZonePlan) -> usize| self.zones.iter().map(number).sum();
        (!self.only.is_empty()).then(|| Part {
            only: self.only.clone(),
            chosen: sum(|zone| zone.operations.len()),
            left_out: sum(|zone| zone.left_out.len()),
        })
    }

    /// Counts over all zones.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for zone in &self.zones {
            summary.unchanged += zone.unchanged + zone.rules_unchanged;
            summary.unmanaged += zone.unmanaged;
            summary.ignored += zone.ignored;
            for operation in &zone.operations {
                summary.deletes_to_allow +=
                    usize::from(operation.dangers.contains(&Danger::Delete));
                match operation.action() {
                    Action::Create => summary.create += 1,
                    Action::Update | Action::Move => summary.update += 1,
                    Action::Delete => summary.delete += 1,
                }
            }
        }
        summary
    }
}
