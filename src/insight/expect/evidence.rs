//! What expectations are judged on.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::Sources;
use crate::insight::dns::Zones;
use crate::insight::traffic::{FindsHits, Protection};
use crate::model::ZoneName;
use crate::model::expression::Lists;

/// What expectations are judged on.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'w, 'a> {
    /// The zones, as name servers serve them.
    pub zones: &'w Zones<'a>,
    /// The rules of zones, for expectations about requests.
    pub protections: &'w BTreeMap<ZoneName, Protection>,
    /// Whether the zones have all records; a spec alone does not, unless it is pruned.
    pub knows_all: bool,
    /// How requests are judged.
    pub rigor: Rigor<'w>,
}

/// How expected requests are judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rigor<'w> {
    /// The public OWASP rules, if they are at hand.
    pub rules: Option<&'w dyn FindsHits>,
    /// Whether a request that passes fails its expectation if something was not evaluated.
    pub is_strict: bool,
    /// Lists whose items are known.
    pub lists: Option<&'w Arc<Lists>>,
    /// The texts of the spec, to say where a rule is.
    pub sources: Option<&'w Sources>,
}
