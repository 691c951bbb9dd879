//! The live rulesets of a zone.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rule::EntryPoint;
use crate::model::facts::phases::Phase;
use crate::model::managed::{Catalogue, Managed};

/// The live rulesets of a zone, as far as they were read. A phase that is missing here was not read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveWaf {
    /// Entry points by phase.
    pub entry_points: BTreeMap<Phase, EntryPoint>,
    /// The managed rulesets that the spec tunes, with all their rules; shared by the zones of an account.
    pub catalogues: Vec<Arc<Catalogue>>,
}

impl LiveWaf {
    /// A managed ruleset by its id.
    #[must_use]
    pub fn catalogue(&self, id: &str) -> Option<&Catalogue> {
        self.catalogues.iter().map(AsRef::as_ref).find(|c| c.id.0 == id)
    }

    /// A managed ruleset by its kind.
    #[must_use]
    pub fn managed(&self, which: Managed) -> Option<&Catalogue> {
        self.catalogues.iter().map(AsRef::as_ref).find(|c| c.which == Some(which))
    }
}
