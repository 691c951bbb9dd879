//! The opposite of apply: edits the spec's own files to match the live state.
//!
//! New texts are never trusted: they are read again and planned again against the same live state.
//! They are accepted if no selected difference remains, everything else resolves to the same state,
//! and no comment is lost.

use std::collections::{BTreeMap, BTreeSet};

use super::goal::{Goal, InvalidSpec};
use crate::edit::{Chosen, Left, Proposal, ProposeError, Sides, comments, propose};
use crate::insight::waf::Cause;
use crate::model::ruleset::RuleId;
use crate::model::{Address, Desired, Gather, Live, Only, Rdata, Unmanaged, Value};
use crate::plan::{self, DeploymentInForce, Operation, Plan, Subject, deployments_in_force};
use crate::spec;

/// Maximum number of rounds of editing, because a change can uncover another one, such as a default
/// that now applies.
const ROUNDS: usize = 6;

/// The selected differences.
pub struct Choice<'a> {
    /// The selected addresses.
    pub only: &'a Only,
    /// True for a further difference that is selected.
    pub is_wanted: &'a dyn Fn(&Operation) -> bool,
    /// True for a deployment that is weaker than the spec says and is selected.
    pub is_weakened_wanted: &'a dyn Fn(&DeploymentInForce) -> bool,
    /// True if unmanaged objects are copied as well.
    pub unmanaged: bool,
    /// The variables of the command line.
    pub given: &'a [(String, String)],
}

impl std::fmt::Debug for Choice<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Choice")
            .field("only", &self.only)
            .field("unmanaged", &self.unmanaged)
            .finish_non_exhaustive()
    }
}

/// A file of the spec with its new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Its name, as the spec was given.
    pub name: String,
    /// Its text.
    pub before: String,
    /// Its new text.
    pub after: String,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pulled {
    /// The files that change, in the order in which they were read.
    pub files: Vec<Edited>,
    /// The addresses of copied changes.
    pub taken: BTreeSet<Address>,
    /// Differences that were left alone, with the reasons.
    pub left: Left,
    /// Places of changed values, if they are not obvious.
    pub notes: Vec<String>,
}

/// The reason why nothing can be copied.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// No edits can be made.
    #[error(transparent)]
    Propose(#[from] ProposeError),
    /// The new texts are not a valid spec.
    #[error("the edited spec would have mistakes{0}; nothing was written")]
    Mistakes(String),
    /// Something would still differ.
    #[error(
        "after the edits, {address} would still differ{fields}; nothing was written. Change it by \
        hand, or leave it out with --only"
    )]
    Remains {
        /// Its address.
        address: Address,
        /// The fields that differ, in words that continue the sentence.
        fields: String,
    },
    /// Something else would change.
    #[error(
        "the edits would also change {0}; nothing was written. Change it by hand, or leave it out \
        with --only"
    )]
    Touches(String),
    /// A comment would be lost.
    #[error(
        "the edits would remove a comment of {0}; nothing was written. Change it by hand, or leave \
        it out with --only"
    )]
    LosesComment(String),
}

/// Returns the differences of a plan that can be copied, and those that are left alone, with the
/// reasons.
#[must_use]
pub fn candidates<'p>(
    goal: &Goal,
    plan: &'p Plan,
    choice: &Choice<'_>,
) -> (Vec<&'p Operation>, Left) {
    let (mut all, mut left) = (Vec::new(), Left::new());
    for operation in plan
        .zones
        .iter()
        .flat_map(|zone| &zone.operations)
        .filter(|o| choice.only.names(&o.address))
    {
        let why = match (&operation.subject, operation.cause) {
            (Subject::Zone, _) => "Cloudflare does not have the zone; apply creates it",
            (_, plan::Cause::Spec) if goal.base().is_some() => {
                "the spec changed, and that is not applied yet"
            }
            (_, plan::Cause::Both | plan::Cause::Foreign)
                if goal.base().is_some() && choice.only.is_all() =>
            {
                "changed on both sides; to take what Cloudflare has, name it with --only"
            }
            _ => {
                all.push(operation);
                continue;
            }
        };
        left.push((operation.address.clone(), why.to_owned()));
    }
    (all, left)
}

/// Edits the files of a spec, in memory. `reread` reads the spec with new texts in place of files.
///
/// # Errors
/// Fails if the edits cannot be made, or would have another effect than intended.
pub fn pull(
    goal: &Goal,
    (plan, live): (&Plan, &Live),
    choice: &Choice<'_>,
    reread: &dyn Fn(BTreeMap<String, String>) -> Result<Goal, Box<InvalidSpec>>,
) -> Result<Pulled, PullError> {
    let (candidates, left) = candidates(goal, plan, choice);
    let chosen: BTreeSet<Address> = candidates
        .into_iter()
        .filter(|o| (choice.is_wanted)(o))
        .map(|o| o.address.clone())
        .gather();
    let weakened = plan.zones.iter().flat_map(|zone| &zone.in_force).filter(|deployment| {
        let is_plain = deployment.in_force.is_weakened() && !deployment.is_changed;
        is_plain
            && choice.only.names(&deployment.address)
            && (choice.is_weakened_wanted)(deployment)
    });
    let weakened: BTreeMap<Address, BTreeSet<RuleId>> =
        weakened.map(|deployment| (deployment.address.clone(), skips(deployment))).gather();
    let attempt =
        Attempt { goal, plan, live, choice, chosen: &chosen, weakened: &weakened, reread };
    let mut pulled = attempt.make(false).or_else(|error| attempt.make(true).map_err(|_| error))?;
    pulled.left.splice(0..0, left);
    Ok(pulled)
}

/// Returns the foreign rules that let requests skip a deployment.
fn skips(deployment: &DeploymentInForce) -> BTreeSet<RuleId> {
    let causes = deployment.in_force.shortfalls.iter().map(|shortfall| &shortfall.cause);
    let ids = causes.filter_map(|cause| match cause {
        Cause::Rule { id, .. } => Some(id.clone()),
        Cause::Key { .. } | Cause::Override { .. } => None,
    });
    ids.gather()
}

/// One attempt to edit the files.
struct Attempt<'a> {
    goal: &'a Goal,
    plan: &'a Plan,
    live: &'a Live,
    choice: &'a Choice<'a>,
    chosen: &'a BTreeSet<Address>,
    /// Deployments that are weaker than the spec says, with the rules that let requests skip them.
    weakened: &'a BTreeMap<Address, BTreeSet<RuleId>>,
    reread: &'a dyn Fn(BTreeMap<String, String>) -> Result<Goal, Box<InvalidSpec>>,
}

impl Attempt<'_> {
    /// Edits until no selected difference remains. With `is_local`, values are never changed at
    /// their definition.
    fn make(&self, is_local: bool) -> Result<Pulled, PullError> {
        // Differences that were not selected remain. Addresses of records contain a digest of the
        // value, which can change.
        let operations = || self.plan.zones.iter().flat_map(|zone| &zone.operations);
        let other_operations: BTreeMap<&Address, &Operation> = operations()
            .filter(|o| !self.chosen.contains(&o.address))
            .map(|o| (&o.address, o))
            .gather();
        let taken_addresses = self.chosen.iter().chain(self.weakened.keys()).cloned().gather();
        let mut pulled = Pulled { taken: taken_addresses, ..Pulled::default() };
        let nothing = BTreeMap::new();
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        let mut reread: Option<Goal> = None;
        for round in 0..ROUNDS {
            let goal = reread.as_ref().unwrap_or(self.goal);
            let chosen = Chosen {
                is_chosen: &|address| match round {
                    0 => self.chosen.contains(address),
                    _ => !other_operations.contains_key(address),
                },
                unmanaged: self.choice.unmanaged && round == 0,
                is_unmanaged_chosen: &|address| self.choice.only.names(address),
                whole_deployments: if round == 0 { self.weakened } else { &nothing },
            };
            let base = goal.base().map(|base| &base.desired);
            let (desired, sources, given) = (&goal.desired, &goal.sources, self.choice.given);
            let Proposal { texts: new, notes, left } = propose(
                Sides { desired, base, live: self.live, sources, given },
                &chosen,
                is_local,
            )?;
            pulled.notes.extend(notes);
            pulled.left.extend(left);
            let is_changed = !new.is_empty();
            texts
                .extend(new.into_iter().map(|(id, text)| (goal.sources.name(id).to_owned(), text)));
            if !is_changed {
                break;
            }
            let reread_goal = (self.reread)(texts.clone()).map_err(|unusable| {
                PullError::Mistakes(super::goal::first(&unusable.diagnostics))
            })?;
            let is_done = self.remaining(&reread_goal, &other_operations, &pulled.left).is_none();
            reread = Some(reread_goal);
            if is_done {
                break;
            }
        }
        let left_addresses: Vec<Address> =
            pulled.left.iter().map(|(address, _)| address.clone()).collect();
        pulled.taken.retain(|address| !left_addresses.contains(address));
        if let Some(goal) = &reread {
            if let Some(operation) = self.remaining(goal, &other_operations, &pulled.left) {
                return Err(remains(&operation));
            }
            if let Some(address) = self.still_weakened(goal, &pulled.left) {
                return Err(PullError::Remains {
                    address,
                    fields: " (weaker than the spec says)".to_owned(),
                });
            }
            self.check_rest_unchanged(goal, &other_operations)?;
            for (_, source) in self.goal.sources.iter() {
                let Some(after) = texts.get(source.name()).filter(|after| *after != source.text())
                else {
                    continue;
                };
                let (name, before, after) =
                    (source.name().to_owned(), source.text().to_owned(), after.clone());
                if loses_comment(&before, &after) {
                    return Err(PullError::LosesComment(name));
                }
                pulled.files.push(Edited { name, before, after });
            }
        } else if let Some(operation) = operations().find(|o| pulled.taken.contains(&o.address)) {
            return Err(remains(operation));
        }
        Ok(pulled)
    }

    /// Returns the operations of all zones under another goal.
    fn operations(&self, goal: &Goal) -> Vec<Operation> {
        let zones = goal.desired.zones.iter();
        let zones = zones.filter_map(|(name, desired)| Some((desired, self.live.zones.get(name)?)));
        zones.flat_map(|(desired, live)| goal.plan_zone(desired, live).0.operations).collect()
    }

    /// Returns a selected difference that remains.
    fn remaining(
        &self,
        goal: &Goal,
        others: &BTreeMap<&Address, &Operation>,
        left: &Left,
    ) -> Option<Operation> {
        let is_left = |address: &Address| left.iter().any(|(left, _)| left == address);
        let mut operations = self.operations(goal).into_iter();
        operations.find(|operation| {
            !others.contains_key(&operation.address) && !is_left(&operation.address)
        })
    }

    /// Returns a selected deployment that is still weaker than the spec says.
    fn still_weakened(&self, goal: &Goal, left: &Left) -> Option<Address> {
        let zones = goal.desired.zones.iter().filter(|_| !self.weakened.is_empty());
        let zones = zones.filter_map(|(name, desired)| Some((desired, self.live.zones.get(name)?)));
        let mut in_force = zones.flat_map(|(desired, live)| deployments_in_force(desired, live));
        // A rule that cannot be written is among the differences that are left alone.
        let is_chosen = |deployment: &DeploymentInForce| {
            deployment.in_force.is_weakened()
                && self.weakened.contains_key(&deployment.address)
                && left.is_empty()
        };
        in_force.find(is_chosen).map(|deployment| deployment.address)
    }

    /// Checks that everything that was not selected is unchanged.
    ///
    /// # Errors
    /// Fails with a change that was not selected.
    fn check_rest_unchanged(
        &self,
        goal: &Goal,
        others: &BTreeMap<&Address, &Operation>,
    ) -> Result<(), PullError> {
        let (before, after) = (outline(&self.goal.desired), outline(&goal.desired));
        let is_meant = |key: &str| {
            let is_of_key = |address: &Address| {
                let address = address.as_str();
                let is_below = |long: &str, short: &str| {
                    long.strip_prefix(short).is_some_and(|r| r.is_empty() || r.starts_with('/'))
                };
                is_below(address, key) || is_below(key, address)
            };
            // Unmanaged objects were not named before.
            let takes_new =
                self.choice.unmanaged || self.weakened.values().any(|skips| !skips.is_empty());
            let is_new = || takes_new && !before.contains_key(key);
            self.chosen.iter().any(is_of_key)
                || self.weakened.keys().any(is_of_key)
                || is_new()
                || self.choice.unmanaged && key.contains("/dns/")
        };
        let keys: BTreeSet<&String> = before.keys().chain(after.keys()).gather();
        for key in keys {
            if before.get(key) != after.get(key) && !is_meant(key) {
                return Err(PullError::Touches(key.clone()));
            }
        }
        let operations = self.operations(goal);
        for (address, operation) in others {
            let is_same =
                |other: &&Operation| other.address == **address && other.fields == operation.fields;
            if !operations.iter().any(|other| is_same(&other)) {
                return Err(PullError::Touches(address.to_string()));
            }
        }
        Ok(())
    }
}

/// Returns the error for an operation that should not remain.
fn remains(operation: &Operation) -> PullError {
    let field = |change: &crate::diff::FieldChange| {
        format!("{}: {} → {}", change.field, change.before, change.after)
    };
    let fields: Vec<String> = operation.fields.iter().map(field).collect();
    let fields =
        if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
    PullError::Remains { address: operation.address.clone(), fields }
}

/// One statement of a spec.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    /// For a zone: true if it is pruned, true if it is created, and the number of its `ignore`
    /// patterns.
    Zone {
        prunes: bool,
        creates: bool,
        ignores: usize,
    },
    /// An entry, as it is in a spec.
    Entry(String),
    /// A record that must not exist.
    Absent(Option<Rdata>),
    Setting(Value),
}

/// Returns the statements of a spec, by address, as far as addresses distinguish objects.
fn outline(desired: &Desired) -> BTreeMap<String, Vec<Said>> {
    let mut values_by_path: BTreeMap<String, Vec<Said>> = BTreeMap::new();
    for (name, zone) in &desired.zones {
        let mut add = |key: String, value: Said| values_by_path.entry(key).or_default().push(value);
        let prunes = zone.unmanaged == Unmanaged::Prune;
        add(
            name.to_string(),
            Said::Zone { prunes, creates: zone.create, ignores: zone.ignore.len() },
        );
        for record in &zone.records {
            let key = Address::of_record(name, &record.name, &record.data, false);
            add(key.to_string(), Said::Entry(spec::record_entry(name, record).to_string()));
        }
        for stone in &zone.tombstones {
            let key = format!("{name}/dns/{}/{}", name.relative(&stone.name), stone.record_type);
            add(key, Said::Absent(stone.data.clone()));
        }
        for (key, (value, _)) in &zone.settings.settings {
            add(format!("{name}/settings/{key}"), Said::Setting(value.clone()));
        }
        zone.settings
            .dnssec
            .iter()
            .for_each(|(on, _)| add(format!("{name}/dnssec"), Said::Setting(Value::Bool(*on))));
        for (value, _) in zone.settings.dns_settings.values() {
            add(format!("{name}/dns_settings"), Said::Setting(value.clone()));
        }
        let Some(waf) = zone.waf.as_deref() else { continue };
        use crate::model::ruleset::Phase;
        for (phase, rules) in &waf.lists {
            for rule in rules {
                let key = Address::of_rule(name, *phase, Some(&rule.name));
                add(key.to_string(), Said::Entry(spec::rule_entry(rule, *phase).to_string()));
            }
        }
        for deployment in &waf.deployments {
            let key = Address::of_rule(name, Phase::Managed, Some(deployment.ruleset.key()));
            add(key.to_string(), Said::Entry(spec::deployment_entry(deployment).to_string()));
        }
    }
    values_by_path.values_mut().for_each(|values| values.sort());
    values_by_path
}

/// Returns true if a comment of a text is missing in another.
fn loses_comment(before: &str, after: &str) -> bool {
    let count = |text| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for comment in comments(text).unwrap_or_default() {
            *counts.entry(comment.to_owned()).or_default() += 1;
        }
        counts
    };
    let counts_after = count(after);
    count(before)
        .into_iter()
        .any(|(comment, n)| counts_after.get(&comment).copied().unwrap_or(0) < n)
}
