//! The live rulesets of a zone.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rule::{EntryPoint, RuleBody};
use crate::facts::phases::Phase;
use crate::managed::{Catalogue, Managed};

/// The live rulesets of a zone, as far as they were read. A phase that is missing here was not
/// read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveWaf {
    /// Entry points by phase.
    pub entry_points: BTreeMap<Phase, EntryPoint>,
    /// The managed rulesets that the spec tunes, with all their rules; shared by the zones of an
    /// account.
    pub catalogues: Vec<Arc<Catalogue>>,
    /// Older versions of managed rulesets that live rules pin.
    pub pinned: Vec<Arc<Catalogue>>,
    /// Phases that affect managed rulesets and that were not read, with the reasons.
    pub unread: BTreeMap<Phase, Unread>,
}

/// The reason why a phase was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// Nothing indicated that it has rules, and reading costs one request per zone.
    NotAsked,
    /// It could not be read, for this reason.
    Failed(String),
}

impl LiveWaf {
    /// Returns a managed ruleset by its id.
    #[must_use]
    pub fn catalogue(&self, id: &str) -> Option<&Catalogue> {
        self.catalogues.iter().map(AsRef::as_ref).find(|c| c.id.0 == id)
    }

    /// Returns the managed ruleset in the version that a rule executes; `None` if that version was
    /// not read.
    #[must_use]
    pub fn executed(&self, rule: &RuleBody) -> Option<&Catalogue> {
        let served = self.catalogue(rule.executes()?);
        let Some(version) = rule.pinned_version() else { return served };
        let is_it =
            |c: &&Catalogue| Some(c.id.0.as_str()) == rule.executes() && c.version == version;
        self.pinned.iter().map(AsRef::as_ref).chain(served).find(is_it)
    }

    /// Returns a managed ruleset by its kind.
    #[must_use]
    pub fn managed(&self, which: Managed) -> Option<&Catalogue> {
        self.catalogues.iter().map(AsRef::as_ref).find(|c| c.which == Some(which))
    }
}
