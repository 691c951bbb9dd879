//! Estimates the memory that a file of a spec takes once it is read. The size in bytes says little:
//! an empty zone has ten bytes and takes two thousand.
//!
//! The weights are upper bounds of measurements. Every value that an alias repeats is counted
//! again.

use super::limits::{
    EXPRESSION_WEIGHT, ITEM_WEIGHT, LABEL_WEIGHT, MAPPING_WEIGHT, MOST_WEIGHT, PATTERN_WEIGHT,
    SCALAR_WEIGHT, SECTION_WEIGHT, ZONE_WEIGHT,
};
use super::yaml_tree::{Kind, NodeId, Tree};
use crate::diagnostic::{Diagnostics, Place, findings};
use crate::model::EvaluationBudget;

/// Returns true if a file does not take too much memory. If not, reports the place at which the
/// limit is reached.
pub(super) fn check(tree: &Tree, diagnostics: &mut Diagnostics) -> bool {
    let budget = EvaluationBudget::of_bytes(MOST_WEIGHT);
    let Err(place) = (Weighing { tree, budget }).file() else { return true };
    diagnostics.push(
        findings::TOO_LARGE
            .at(
                place,
                format!("what is up to here takes more than {} MiB of memory", MOST_WEIGHT >> 20),
            )
            .help("write the zones to several files"),
    );
    false
}

/// Returns the memory that a copy of a profile takes without its protection, in bytes.
pub(super) fn of_profile(tree: &Tree, profile: NodeId) -> usize {
    let weighing = Weighing { tree, budget: EvaluationBudget::of_bytes(MOST_WEIGHT) };
    for entry in tree.entries(profile).iter().filter(|entry| tree.text(entry.key) != "waf") {
        if weighing.node(entry.value).is_err() {
            return MOST_WEIGHT;
        }
    }
    MOST_WEIGHT - weighing.budget.remaining_bytes()
}

/// Sums up the weights of a tree, within the limit.
struct Weighing<'t> {
    tree: &'t Tree,
    budget: EvaluationBudget,
}

impl Weighing<'_> {
    /// Adds a file. Fails with the place at which the limit is reached.
    fn file(&self) -> Result<(), Place> {
        for entry in self.tree.entries(self.tree.root) {
            if self.tree.text(entry.key) != "zones" {
                self.node(entry.value)?;
                continue;
            }
            for zone in self.tree.entries(entry.value) {
                self.add(zone.key, ZONE_WEIGHT)?;
                self.node(zone.value)?;
            }
        }
        Ok(())
    }

    /// Adds a node and everything below it.
    fn node(&self, id: NodeId) -> Result<(), Place> {
        match &self.tree.node(id).kind {
            Kind::Scalar(text, _) => self.add(id, SCALAR_WEIGHT + text.len()),
            Kind::Sequence(items) => {
                self.add(id, SCALAR_WEIGHT)?;
                items.iter().try_for_each(|item| self.node(*item))
            }
            Kind::Mapping(entries) => {
                self.add(id, MAPPING_WEIGHT)?;
                for entry in entries {
                    let (key, value) =
                        (self.tree.text(entry.key), &self.tree.node(entry.value).kind);
                    let extra_weight = match (key, value) {
                        ("waf", _) => SECTION_WEIGHT,
                        ("when" | "count", Kind::Scalar(text, _)) => {
                            EXPRESSION_WEIGHT.0 + text.len().saturating_mul(EXPRESSION_WEIGHT.1)
                        }
                        ("name", Kind::Scalar(text, _)) => {
                            LABEL_WEIGHT * text.bytes().filter(|byte| *byte == b'.').count()
                        }
                        ("content" | "data", Kind::Sequence(items)) => ITEM_WEIGHT * items.len(),
                        ("ignore", _) => PATTERN_WEIGHT * self.text_length(entry.value),
                        _ => 0,
                    };
                    self.add(entry.key, SCALAR_WEIGHT + extra_weight)?;
                    self.node(entry.value)?;
                }
                Ok(())
            }
        }
    }

    /// Sums up the lengths of all values below a node, in bytes.
    fn text_length(&self, id: NodeId) -> usize {
        match &self.tree.node(id).kind {
            Kind::Scalar(text, _) => text.len(),
            Kind::Sequence(items) => items.iter().map(|item| self.text_length(*item)).sum(),
            Kind::Mapping(entries) => {
                entries.iter().map(|entry| self.text_length(entry.value)).sum()
            }
        }
    }

    fn add(&self, id: NodeId, bytes: usize) -> Result<(), Place> {
        if self.budget.hold(bytes) { Ok(()) } else { Err(self.tree.place(id)) }
    }
}
