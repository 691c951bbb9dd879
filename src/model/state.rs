//! Whole zones: as the spec wants them, and as the service has them.

use std::collections::BTreeMap;

use super::name::ZoneName;
use super::rdata::RecordType;
use super::record::{DesiredRecord, LiveRecord, Tombstone, ZoneId};
use super::tier::Tier;
use crate::diagnostic::Place;

/// What happens to live records that the spec does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unmanaged {
    /// They are counted and left alone.
    #[default]
    Keep,
    /// They are deleted: the spec is the whole truth.
    Prune,
}

/// Live records that are left alone although the zone is pruned. A record matches if every part given matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnorePattern {
    /// Glob over the relative name (`@` at the apex).
    pub name: Option<glob::Pattern>,
    /// Type mnemonic, upper case; also of types that we do not manage.
    pub record_type: Option<String>,
    /// Glob over the presentation form, for TXT over the joined text.
    pub content: Option<glob::Pattern>,
    /// A tag that the record has, as `name:value` or `name`.
    pub tag: Option<String>,
    /// Why, for the reader of the plan.
    pub reason: Option<String>,
    /// Where it stands.
    pub place: Place,
}

/// A zone as the spec wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredZone {
    /// Its name.
    pub name: ZoneName,
    /// Its id, where the spec pins it.
    pub id: Option<ZoneId>,
    /// Where the zone stands first.
    pub place: Place,
    /// What happens to the rest.
    pub unmanaged: Unmanaged,
    /// Exceptions from pruning.
    pub ignore: Vec<IgnorePattern>,
    /// Records wanted, in the order of name, type, value.
    pub records: Vec<DesiredRecord>,
    /// Records wanted gone.
    pub tombstones: Vec<Tombstone>,
}

/// Everything that the spec wants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Desired {
    /// The zones by name.
    pub zones: BTreeMap<ZoneName, DesiredZone>,
}

/// A zone as the service has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveZone {
    /// Its name.
    pub name: ZoneName,
    /// Its id.
    pub id: ZoneId,
    /// Its plan.
    pub tier: Tier,
    /// When it was created, as the service wrote it (RFC 3339).
    pub created_on: Option<String>,
    /// The name servers that the service assigned to it.
    pub name_servers: Vec<String>,
    /// `active`, `pending`, …, as the service wrote it.
    pub status: Option<String>,
    /// Every record.
    pub records: Vec<LiveRecord>,
    /// Quota and use of records, where the service was asked and told.
    pub record_quota: Option<usize>,
}

/// What was fetched, and so what may be compared: a zone that is not here was not seen, which is not the same as empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Live {
    /// The zones seen whole.
    pub zones: BTreeMap<ZoneName, LiveZone>,
}

impl LiveZone {
    /// How many records of a type it has.
    #[must_use]
    pub fn count(&self, record_type: RecordType) -> usize {
        self.records.iter().filter(|r| r.data.record_type() == Some(record_type)).count()
    }
}
