//! What expectations are judged on.

use std::collections::BTreeMap;

use crate::insight::dns::Zones;
use crate::insight::traffic::Protection;
use crate::model::ZoneName;

/// What expectations are judged on.
#[derive(Debug, Clone, Copy)]
pub struct World<'w, 'a> {
    /// The zones, as name servers serve them.
    pub zones: &'w Zones<'a>,
    /// The rules of zones, for expectations about requests.
    pub protections: &'w BTreeMap<ZoneName, Protection>,
    /// Whether the zones have all records; a spec alone does not, unless it is pruned.
    pub knows_all: bool,
}
