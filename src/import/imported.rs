//! A zone as an import found it.

use crate::model::DesiredZone;
use crate::model::ruleset::RuleId;
use crate::spec::Remarks;

/// An imported zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The spec of the zone.
    pub zone: DesiredZone,
    /// What the spec cannot express and a plan leaves unmanaged, and what needs a review.
    pub notes: Vec<String>,
    /// The notes that are about rules, each with the id of its rule.
    pub rule_notes: Vec<(RuleId, String)>,
    /// What does not do what it appears to do.
    pub meanings: Vec<String>,
    /// Settings that the spec leaves out although they are not at their default, with the reasons.
    pub left_out_settings: Vec<String>,
    /// Comments of the source.
    pub remarks: Remarks,
}
