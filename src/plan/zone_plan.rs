//! The plan of a zone, and the plan of all zones, as data.

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
use crate::insight::dns::Picture;
use crate::model::Narrow;
use crate::model::{Address, Danger, Fqdn, LiveZone, Rdata, Tier, ZoneId, ZoneName};

/// Who manages a record that the plan leaves alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keeper {
    /// Unknown.
    Unknown,
    /// The spec ignores it.
    Ignored,
    /// Another product of Cloudflare manages it.
    Service,
}

/// The live records that are left alone for one reason, counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetAsideCount {
    /// Who manages them.
    pub keeper: Keeper,
    /// The reason in words: `unmanaged`, `ignored (…)`, `managed by …`, `not understood`,
    /// `duplicate`.
    pub reason: String,
    /// Their number by type.
    pub types: BTreeMap<String, usize>,
    /// Their names with types, for the detailed output. At most 100.
    pub examples: Vec<String>,
}

impl SetAsideCount {
    /// Returns their number.
    #[must_use]
    pub fn count(&self) -> usize {
        self.types.values().sum()
    }

    /// Returns the number and the reason, such as `2 unmanaged` or `1 foreign custom rule`.
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
    /// Its creation time, as Cloudflare wrote it (RFC 3339). Together with the id it distinguishes
    /// the zone from one of a sandbox that was reset, which has the same id.
    pub created_on: Option<String>,
    /// Its plan at Cloudflare.
    pub tier: Tier,
    /// True if the zone does not exist yet. Its id is then a placeholder.
    pub is_new: bool,
    /// The operations.
    ///
    /// # Order
    /// They are ordered: the zone itself, its settings, its rules in the order of execution, its
    /// records in the order of their names. Apply executes the rules of an existing zone first,
    /// because their state is checked again before anything is sent.
    pub operations: Vec<Operation>,
    /// The addresses of further differences that are left out, because a part of the plan was
    /// selected.
    pub left_out: BTreeSet<Address>,
    /// Number of rules that are equal to the spec.
    pub rules_unchanged: usize,
    /// Number of records that are equal to the spec.
    pub unchanged: usize,
    /// Number of live records that the spec does not name.
    pub unmanaged: usize,
    /// Number of live records that an `ignore` pattern matches.
    pub ignored: usize,
    /// Live records left alone, by reason.
    pub set_aside: Vec<SetAsideCount>,
    /// True if the zone can hold no more records until some are deleted.
    pub deletes_first: bool,
    /// Live values that stay unchanged beside values that are created, changed or deleted, by name
    /// and type.
    pub beside: BTreeMap<(Fqdn, String), Vec<Rdata>>,
    /// The dangers of the plan as a whole.
    pub dangers: Vec<Danger>,
    /// The evidence that weakenings that last longer than the previous spec said are narrow, if all
    /// of them are.
    pub postponed: Option<Narrow>,
    /// Dangers that the spec accepts for the zone, with the reasons.
    pub accepted: BTreeMap<Danger, String>,
    /// Number of records in the zone.
    pub live_records: usize,
    /// Work that no request can do: records for the registrar, name servers.
    pub notes: Vec<String>,
    /// The effects as a whole on those who query name servers.
    pub impact: Vec<String>,
    /// Pictures of mail, aliases and delegations that change.
    pub pictures: Vec<Picture>,
    /// The deployments of managed rulesets, compared with the promises of the spec.
    pub in_force: Vec<DeploymentInForce>,
    /// True if more records are planned than zones of this plan usually hold, and the real quota
    /// was not read.
    pub quota_in_doubt: bool,
}

impl ZonePlan {
    /// Returns true if there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns the addresses of all operations, in order.
    pub fn addresses(&self) -> impl Iterator<Item = &Address> {
        self.operations.iter().map(|o| &o.address)
    }

    /// Returns the operations on rules, in order, with their numbers among all.
    pub fn rules(&self) -> impl Iterator<Item = (usize, &Operation, &RuleSubject)> {
        self.operations.iter().enumerate().filter_map(|(n, o)| Some((n, o, o.rule()?)))
    }

    /// Returns the operations on records, in order, with their numbers among all.
    pub fn records(&self) -> impl Iterator<Item = (usize, &Operation, &RecordSubject)> {
        self.operations.iter().enumerate().filter_map(|(n, o)| Some((n, o, o.record()?)))
    }

    /// Returns the same plan for the zone after its creation.
    #[must_use]
    pub fn for_zone(&self, zone: &LiveZone) -> Self {
        Self { id: zone.id.clone(), created_on: zone.created_on.clone(), ..self.clone() }
    }
}

/// Numbers of operations and objects in all zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of records to create.
    pub create: usize,
    /// Number of records to change.
    pub update: usize,
    /// Number of records to delete.
    pub delete: usize,
    /// Number of deletes that need consent. A delete whose record is replaced needs none.
    pub deletes_to_allow: usize,
    /// Number of records and rules that are equal to the spec.
    pub unchanged: usize,
    /// Number of live records that the spec does not name.
    pub unmanaged: usize,
    /// Number of live records that `ignore` matches.
    pub ignored: usize,
}

impl Summary {
    /// Returns the number of operations.
    #[must_use]
    pub fn operations(self) -> usize {
        self.create + self.update + self.delete
    }

    /// Describes the deletes, with the number for `--allow-deletes` if it is different.
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

/// A consent that is needed and given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GivenConsent {
    /// The danger.
    pub danger: Danger,
    /// The place where it was given, and the reason: `on the command line`, `typed at the
    /// terminal`, `policy: …`, `spec: …`.
    pub by: String,
}

/// The plan as a part of a larger one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Part {
    /// The addresses and globs of `--only`.
    pub only: Vec<String>,
    /// Number of selected operations.
    pub chosen: usize,
    /// Number of operations that are left out. Their differences remain.
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

/// All operations of an apply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// SHA-256 of the spec as read, hexadecimal.
    pub spec_digest: String,
    /// The zones, by name.
    pub zones: Vec<ZonePlan>,
    /// Findings of planning.
    pub diagnostics: Diagnostics,
    /// Number of requests made so far.
    pub requests_made: u64,
    /// The source of the previous version of the spec, if one is named.
    pub base: Option<BaseSource>,
    /// The consents that it needs and has.
    pub consents_given: Vec<GivenConsent>,
    /// The selection of a part, if there is one.
    pub only: Vec<String>,
    /// True if only the zones that differ from the base were planned.
    pub is_of_changed: bool,
}

impl Plan {
    /// Returns the whole that it is a part of, if a part was selected.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        let sum = |number: fn(&ZonePlan) -> usize| self.zones.iter().map(number).sum();
        (!self.only.is_empty()).then(|| Part {
            only: self.only.clone(),
            chosen: sum(|zone| zone.operations.len()),
            left_out: sum(|zone| zone.left_out.len()),
        })
    }

    /// Counts operations and objects in all zones.
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
