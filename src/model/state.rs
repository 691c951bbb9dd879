//! Whole zones: as the spec wants them, and as the service has them.

use std::collections::BTreeMap;

use super::danger::Danger;
use super::fields::Value;
use super::name::{Fqdn, ZoneName};
use super::rdata::Rdata;
use super::record::{DesiredRecord, LiveRecord, Tombstone, ZoneId};
use super::ruleset::{LiveWaf, WafWants};
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
    /// Dangers that are accepted for everything in the zone, with the reasons.
    pub allow: BTreeMap<Danger, String>,
    /// Whether the zone is made if the service does not have it.
    pub create: bool,
    /// What is wanted of the zone around its records.
    pub around: ZoneWants,
    /// What is wanted of its protection; `None` leaves it alone.
    pub waf: Option<Box<WafWants>>,
    /// Records wanted, in the order of name, type, value.
    pub records: Vec<DesiredRecord>,
    /// Records wanted gone.
    pub tombstones: Vec<Tombstone>,
    /// Records that an earlier spec wanted and this one does not name, and whether they were protected.
    pub removed: BTreeMap<(Fqdn, Rdata), bool>,
}

impl DesiredZone {
    /// A zone of which nothing is wanted.
    #[must_use]
    pub fn new(name: ZoneName, place: Place) -> Self {
        Self {
            name,
            id: None,
            place,
            unmanaged: Unmanaged::Keep,
            ignore: Vec::new(),
            allow: BTreeMap::new(),
            create: false,
            around: ZoneWants::default(),
            waf: None,
            records: Vec::new(),
            tombstones: Vec::new(),
            removed: BTreeMap::new(),
        }
    }
}

/// Everything that the spec wants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Desired {
    /// The zones by name.
    pub zones: BTreeMap<ZoneName, DesiredZone>,
    /// Lints that it accepts.
    pub suppressions: Vec<Suppression>,
}

/// A lint that a spec or a policy accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// The code of the lint, as written.
    pub code: String,
    /// Why it is accepted.
    pub reason: String,
    /// Where it stands; `None` for one of a policy.
    pub place: Option<Place>,
    /// What it concerns.
    pub scope: SuppressionScope,
}

/// What a suppression concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuppressionScope {
    /// Every finding.
    Everything,
    /// Findings in the file in which it stands.
    File,
    /// Findings about a zone, whatever file they are in.
    Zone(ZoneName),
    /// Findings within an entry, such as a record.
    Entry(Place),
}

/// What a spec wants of a zone beside its records. What is not here is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZoneWants {
    /// Zone settings by the service's name, each with its place.
    pub settings: BTreeMap<String, (Value, Place)>,
    /// Whether the zone is signed.
    pub dnssec: Option<(bool, Place)>,
    /// Members of the zone's DNS settings by the service's name, each with its place.
    pub dns_settings: BTreeMap<String, (Value, Place)>,
}

/// A zone setting as the service has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveSetting {
    /// It has this value.
    Value {
        /// The value.
        value: Value,
        /// Whether the zone's plan lets it be changed.
        editable: bool,
        /// When it was last changed, as the service wrote it; `None` if it never was.
        modified_on: Option<String>,
    },
    /// The service does not know it, or does not tell; in its own words.
    Refused(String),
}

/// Signing of a zone as the service has it.
///
/// # Sources
/// developers.cloudflare.com/api/resources/dns/subresources/dnssec, read 2026-11-20.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveDnssec {
    /// `active`, `pending`, `disabled`, `pending-disabled` or `error`, as the service wrote it.
    pub status: String,
    /// The DS record for the parent zone, as the service wrote it.
    pub ds: Option<String>,
    /// When that was last changed, as the service wrote it; `None` if it never was.
    pub modified_on: Option<String>,
}

impl LiveDnssec {
    /// Whether the zone is signed, or will be once the parent zone has its DS record.
    #[must_use]
    pub fn is_on(&self) -> bool {
        matches!(self.status.as_str(), "active" | "pending" | "error")
    }
}

/// What the service has of a zone beside its records, as far as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveAround {
    /// Zone settings.
    pub settings: BTreeMap<String, LiveSetting>,
    /// Signing.
    pub dnssec: Option<LiveDnssec>,
    /// DNS settings.
    pub dns_settings: BTreeMap<String, Value>,
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
    /// Quota of records, where the service was asked and told.
    pub record_quota: Option<usize>,
    /// The account that it belongs to, where the service says it.
    pub account: Option<String>,
    /// The rest of the zone, as far as it was asked for.
    pub around: LiveAround,
    /// Its protection, as far as it was asked for.
    pub waf: LiveWaf,
    /// Whether it does not exist yet and is to be made; its id then stands in for the real one.
    pub is_new: bool,
}

impl LiveZone {
    /// A zone of which nothing is known but its name and id.
    #[must_use]
    pub fn new(name: ZoneName, id: ZoneId) -> Self {
        Self {
            name,
            id,
            tier: Tier::Free,
            created_on: None,
            name_servers: Vec::new(),
            status: None,
            records: Vec::new(),
            record_quota: None,
            account: None,
            around: LiveAround::default(),
            waf: LiveWaf::default(),
            is_new: false,
        }
    }

    /// Whether the service says that it does not serve the zone yet.
    #[must_use]
    pub fn is_inactive(&self) -> bool {
        matches!(self.status.as_deref(), Some("pending" | "initializing"))
    }

    /// A zone that is to be made: empty, and on the free plan until somebody changes that.
    #[must_use]
    pub fn to_be_made(name: ZoneName) -> Self {
        Self { is_new: true, ..Self::new(name, ZoneId("NEW_ZONE_ID".to_owned())) }
    }
}

/// What was fetched, and so what may be compared: a zone that is not here was not seen, which is not the same as empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Live {
    /// The zones seen whole.
    pub zones: BTreeMap<ZoneName, LiveZone>,
}
