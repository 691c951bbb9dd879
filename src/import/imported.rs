//! Holds a zone as an import returns it.

use crate::model::DesiredZone;
use crate::model::ruleset::RuleId;
use crate::spec::Remarks;

/// An imported zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Spec of the zone.
    pub zone: DesiredZone,
    /// Content that the spec cannot express, which a plan leaves unmanaged, and content that needs
    /// a review.
    pub notes: Vec<String>,
    /// Notes about rules, each with the id of the rule.
    pub rule_notes: Vec<(RuleId, String)>,
    /// Notes about content that does not do what it appears to do.
    pub meanings: Vec<String>,
    /// Settings that differ from their defaults and that the spec leaves out, with the reasons.
    pub left_out_settings: Vec<String>,
    /// Comments of the source.
    pub remarks: Remarks,
}
