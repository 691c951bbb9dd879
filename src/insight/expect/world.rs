//! What expectations are judged on.

use crate::insight::dns::Zones;

/// What expectations are judged on.
#[derive(Debug, Clone, Copy)]
pub struct World<'w, 'a> {
    /// The zones, as name servers serve them.
    pub zones: &'w Zones<'a>,
    /// Whether they have all records; a spec alone does not, unless it is pruned.
    pub knows_all: bool,
}
