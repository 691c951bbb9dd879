//! The policy: permissions and limits that are committed beside a spec.

use super::narrow_consent::{NARROW_DAYS, NARROW_RULES};
use crate::model::Danger;

/// How much of a zone may change without consent, unless a policy says otherwise.
///
/// # Units
/// Percent of its records.
const MOST_CHANGES: u8 = 50;

/// Zones with fewer records than this have no such limit, unless a policy says otherwise.
const FROM_RECORDS: usize = 20;

/// Permissions and limits that are committed beside a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How much of a zone may change without consent.
    ///
    /// # Units
    /// Percent of its records, 0 to 100.
    pub most_changes: u8,
    /// Zones with fewer records than this have no such limit.
    pub from_records: usize,
    /// The most rules that a narrow weakening of a zone concerns; 0 refuses the grade.
    pub narrow_rules: u8,
    /// The most days that it lasts.
    pub narrow_days: u8,
    /// Dangers that are allowed, for zones whose names match, with the reasons.
    pub allowed: Vec<PolicyEntry>,
}

/// A danger that a policy allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyEntry {
    /// Which zones.
    pub zones: glob::Pattern,
    /// Which danger.
    pub danger: Danger,
    /// Why.
    pub reason: String,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            most_changes: MOST_CHANGES,
            from_records: FROM_RECORDS,
            narrow_rules: NARROW_RULES,
            narrow_days: NARROW_DAYS,
            allowed: Vec::new(),
        }
    }
}

impl Policy {
    /// Why a danger is allowed for a zone, if it is.
    #[must_use]
    pub fn allows(&self, zone: &str, danger: Danger) -> Option<&str> {
        let entry = self.allowed.iter().find(|e| e.danger == danger && e.zones.matches(zone))?;
        Some(&entry.reason)
    }
}
