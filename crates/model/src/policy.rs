//! The policy: permissions and limits that are committed beside a spec.

use super::narrow_consent::{NARROW_DAYS, NARROW_RULES};
use crate::Danger;

/// Default for the share of a zone that may change without consent.
///
/// # Units
/// Percent of its records.
const MOST_CHANGES: u8 = 50;

/// Default for the number of records from which a zone has this limit.
const FROM_RECORDS: usize = 20;

/// Permissions and limits that are committed beside a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The share of a zone that may change without consent.
    ///
    /// # Units
    /// Percent of its records, 0 to 100.
    pub most_changes: u8,
    /// Number of records from which a zone has this limit.
    pub from_records: usize,
    /// Maximum number of rules that a narrow weakening of a zone affects; 0 allows none.
    pub narrow_rules: u8,
    /// Maximum number of days that a narrow weakening lasts.
    pub narrow_days: u8,
    /// Dangers that are allowed for zones with matching names, with the reasons.
    pub allowed: Vec<PolicyEntry>,
}

/// A danger that a policy allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyEntry {
    /// Glob over the names of zones.
    pub zones: glob::Pattern,
    /// The allowed danger.
    pub danger: Danger,
    /// Reason of the author, for readers of the plan.
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
    /// Returns the reason for which a danger is allowed for a zone, if it is allowed.
    #[must_use]
    pub fn allows(&self, zone: &str, danger: Danger) -> Option<&str> {
        let entry = self.allowed.iter().find(|e| e.danger == danger && e.zones.matches(zone))?;
        Some(&entry.reason)
    }
}
