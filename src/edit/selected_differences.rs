//! The selection of differences that are written into the files of a spec.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::model::Address;
use crate::model::ruleset::RuleId;

/// Selection of differences to write.
pub struct Chosen<'a> {
    /// Returns true if the difference at an address is selected.
    pub is_chosen: &'a dyn Fn(&Address) -> bool,
    /// True if unmanaged records and rules are written too.
    pub unmanaged: bool,
    /// Returns true if the unmanaged object at an address is selected.
    pub is_unmanaged_chosen: &'a dyn Fn(&Address) -> bool,
    /// Deployments whose live tuning is written in full, with the foreign rules that let requests
    /// skip them.
    pub whole_deployments: &'a BTreeMap<Address, BTreeSet<RuleId>>,
}

impl fmt::Debug for Chosen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chosen").field("unmanaged", &self.unmanaged).finish_non_exhaustive()
    }
}

/// Addresses that are left alone, with reasons.
pub type Left = Vec<(Address, String)>;
