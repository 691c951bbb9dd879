//! The evidence for judging expectations.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::Sources;
use crate::insight::dns::Zones;
use crate::insight::traffic::{FindsHits, Protection};
use crate::model::ZoneName;
use crate::model::expression::Lists;

/// The evidence for judging expectations.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'w, 'a> {
    /// The zones, as name servers serve them.
    pub zones: &'w Zones<'a>,
    /// The rules of zones, for expectations about requests.
    pub protections: &'w BTreeMap<ZoneName, Protection>,
    /// True if the zones have all records. A spec alone has them only if it is pruned.
    pub knows_all: bool,
    /// Options for judging requests.
    pub rigor: Rigor<'w>,
}

/// Options for judging expected requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rigor<'w> {
    /// The public OWASP rules, if available.
    pub rules: Option<&'w dyn FindsHits>,
    /// True if a request that passes fails its expectation when something was not evaluated.
    pub is_strict: bool,
    /// Lists with known items.
    pub lists: Option<&'w Arc<Lists>>,
    /// The texts of the spec, for showing the place of a rule.
    pub sources: Option<&'w Sources>,
}
