//! Whole zones: as the spec wants them, and as Cloudflare has them.

use std::collections::BTreeMap;

use super::danger::Danger;
use super::expect::{Expectation, Expected};
use super::fields::Value;
use super::ids::ZoneId;
use super::name::ZoneName;
use super::record::{DesiredRecord, LiveRecord, Tombstone};
use super::ruleset::{DesiredWaf, LiveWaf, Phase};
use super::tier::Tier;
use super::unmanaged::Unmanaged;
use crate::diagnostic::Place;

/// Live records that are left alone even if the zone is pruned. A record matches if every given
/// part matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnorePattern {
    /// Glob over the relative name (`@` at the apex).
    pub name: Option<glob::Pattern>,
    /// Type mnemonic, upper case; may be a type that we do not manage.
    pub record_type: Option<String>,
    /// Glob over the presentation form; for TXT over the joined text.
    pub content: Option<glob::Pattern>,
    /// A tag of the record, as `name:value` or `name`.
    pub tag: Option<String>,
    /// Why, for readers of the plan.
    pub reason: Option<String>,
    /// Its place.
    pub place: Place,
}

/// A zone as the spec wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredZone {
    /// Its name.
    pub name: ZoneName,
    /// Its id, if the spec pins it.
    pub id: Option<ZoneId>,
    /// The first place of the zone.
    pub place: Place,
    /// What happens to unmanaged records.
    pub unmanaged: Unmanaged,
    /// Exceptions from pruning.
    pub ignore: Vec<IgnorePattern>,
    /// Accepted dangers for everything in the zone, with the reasons.
    pub allow: BTreeMap<Danger, String>,
    /// Whether the zone is created if Cloudflare does not have it.
    pub create: bool,
    /// The wanted settings of the zone.
    pub settings: DesiredSettings,
    /// The wanted protection; `None` leaves it alone.
    pub waf: Option<Box<DesiredWaf>>,
    /// Wanted records, in the order of name, type, value.
    pub records: Vec<DesiredRecord>,
    /// Records that must not exist.
    pub tombstones: Vec<Tombstone>,
    /// What must hold after every plan.
    pub expect: Vec<Expectation>,
}

impl DesiredZone {
    /// A zone without any wanted content.
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
            settings: DesiredSettings::default(),
            waf: None,
            records: Vec::new(),
            tombstones: Vec::new(),
            expect: Vec::new(),
        }
    }

    /// Whether it has an expectation about requests.
    #[must_use]
    pub fn expects_of_requests(&self) -> bool {
        self.expect.iter().any(|expectation| matches!(expectation.what, Expected::Request(_)))
    }

    /// The place of a rule by its phase and name, if it is wanted.
    #[must_use]
    pub fn place_of_rule(&self, phase: Phase, name: &str) -> Option<Place> {
        self.waf.as_ref()?.rule(phase, name).map(|rule| rule.place)
    }
}

/// Everything in the spec.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Desired {
    /// The zones by name.
    pub zones: BTreeMap<ZoneName, DesiredZone>,
    /// Accepted lints.
    pub suppressions: Vec<Suppression>,
}

/// A lint that a spec or a policy accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// The code of the lint, as written.
    pub code: String,
    /// Why it is accepted.
    pub reason: String,
    /// Its place; `None` for one of a policy.
    pub place: Option<Place>,
    /// What it applies to.
    pub scope: SuppressionScope,
}

/// The scope of a suppression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuppressionScope {
    /// Every finding.
    Everything,
    /// Findings in its file.
    File,
    /// Findings about a zone, whatever file they are in.
    Zone(ZoneName),
    /// Findings within an entry, such as a record.
    Entry(Place),
}

/// The settings that a spec wants for a zone. Anything that is not here is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DesiredSettings {
    /// Zone settings by Cloudflare's name, each with its place.
    pub settings: BTreeMap<String, (Value, Place)>,
    /// Whether DNSSEC is on.
    pub dnssec: Option<(bool, Place)>,
    /// Members of the zone's DNS settings by Cloudflare's name, each with its place.
    pub dns_settings: BTreeMap<String, (Value, Place)>,
}

/// A live zone setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveSetting {
    /// It has this value.
    Value {
        /// The value.
        value: Value,
        /// Whether the zone's plan allows changing it.
        editable: bool,
        /// When it was last changed, as Cloudflare wrote it; `None` if never.
        modified_on: Option<String>,
    },
    /// Cloudflare does not know it or does not show it; the text is Cloudflare's.
    Refused(String),
}

/// The live DNSSEC state of a zone.
///
/// # Sources
/// developers.cloudflare.com/api/resources/dns/subresources/dnssec, read 2026-11-20.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveDnssec {
    /// `active`, `pending`, `disabled`, `pending-disabled` or `error`, as Cloudflare wrote it.
    pub status: String,
    /// The DS record for the parent zone, as Cloudflare wrote it.
    pub ds: Option<String>,
    /// When it was last changed, as Cloudflare wrote it; `None` if never.
    pub modified_on: Option<String>,
    /// The options that are on, such as `dnssec_multi_signer`; a spec cannot say them.
    pub options: Vec<String>,
}

impl LiveDnssec {
    /// Whether the zone is signed, or will be once the parent zone has its DS record.
    #[must_use]
    pub fn is_on(&self) -> bool {
        matches!(self.status.as_str(), "active" | "pending" | "error")
    }
}

/// The live settings of a zone, as far as they were read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveSettings {
    /// Zone settings.
    pub settings: BTreeMap<String, LiveSetting>,
    /// DNSSEC.
    pub dnssec: Option<LiveDnssec>,
    /// DNS settings.
    pub dns_settings: BTreeMap<String, Value>,
}

/// A live zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveZone {
    /// Its name.
    pub name: ZoneName,
    /// Its id.
    pub id: ZoneId,
    /// Its plan.
    pub tier: Tier,
    /// When it was created, as Cloudflare wrote it (RFC 3339).
    pub created_on: Option<String>,
    /// The name servers that Cloudflare assigned to it.
    pub name_servers: Vec<String>,
    /// `active`, `pending`, …, as Cloudflare wrote it.
    pub status: Option<String>,
    /// Whether someone paused it: Cloudflare answers with what the records say, and no rule
    /// applies.
    pub is_paused: bool,
    /// `full`, `partial`, `secondary`, …, as Cloudflare wrote it.
    pub setup: Option<String>,
    /// Every record.
    pub records: Vec<LiveRecord>,
    /// Its record quota, if it was requested and reported.
    pub record_quota: Option<usize>,
    /// The account that it belongs to, if reported.
    pub account: Option<String>,
    /// Its settings, as far as they were read.
    pub settings: LiveSettings,
    /// Its protection, as far as it was read.
    pub waf: LiveWaf,
    /// Whether it does not exist yet and will be created; its id is then a placeholder.
    pub is_new: bool,
}

impl LiveZone {
    /// A zone of which only the name and id are known.
    #[must_use]
    pub fn new(name: ZoneName, id: ZoneId) -> Self {
        Self {
            name,
            id,
            tier: Tier::Free,
            created_on: None,
            name_servers: Vec::new(),
            status: None,
            is_paused: false,
            setup: None,
            records: Vec::new(),
            record_quota: None,
            account: None,
            settings: LiveSettings::default(),
            waf: LiveWaf::default(),
            is_new: false,
        }
    }

    /// Whether Cloudflare reports that it does not serve the zone yet.
    #[must_use]
    pub fn is_inactive(&self) -> bool {
        matches!(self.status.as_deref(), Some("pending" | "initializing"))
    }

    /// Whether Cloudflare reports that the domain has other name servers by now.
    #[must_use]
    pub fn is_moved(&self) -> bool {
        self.status.as_deref() == Some("moved")
    }

    /// Whether other name servers answer for the zone and only point names at Cloudflare (a CNAME
    /// setup).
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.setup.as_deref() == Some("partial")
    }

    /// A zone that will be created: empty, and on the free plan until someone changes that.
    #[must_use]
    pub fn to_be_made(name: ZoneName) -> Self {
        Self { is_new: true, ..Self::new(name, ZoneId("NEW_ZONE_ID".to_owned())) }
    }
}

/// What was read, and so what may be compared: a zone that is missing here was not read, which is
/// not the same as empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Live {
    /// The zones that were read completely.
    pub zones: BTreeMap<ZoneName, LiveZone>,
}
