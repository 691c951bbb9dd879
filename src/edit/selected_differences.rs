//! Which differences are written into the files of a spec, and which are left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::model::Address;
use crate::model::ruleset::RuleId;

/// Which differences are written into the files.
pub struct Chosen<'a> {
    /// Whether the difference at an address is.
    pub is_chosen: &'a dyn Fn(&Address) -> bool,
    /// Whether records and rules that the spec does not name are written as well.
    pub unmanaged: bool,
    /// Which of these.
    pub is_unmanaged_chosen: &'a dyn Fn(&Address) -> bool,
    /// Deployments whose live tuning is written as a whole, with the rules of others that let
    /// requests skip them.
    pub whole_deployments: &'a BTreeMap<Address, BTreeSet<RuleId>>,
}

impl fmt::Debug for Chosen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chosen").field("unmanaged", &self.unmanaged).finish_non_exhaustive()
    }
}

/// What is left alone, and why.
pub type Left = Vec<(Address, String)>;
