//! Desired and live zones.

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
use crate::diagnostic::{Diagnostic, Place};

/// Live records that are left alone even if the zone is pruned. A record matches if every given
/// part matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnorePattern {
    /// Glob over the relative name (`@` at the apex).
    pub name: Option<glob::Pattern>,
    /// Type mnemonic, upper case; may be a type that this program does not manage.
    pub record_type: Option<String>,
    /// Glob over the presentation form; for TXT over the joined text.
    pub content: Option<glob::Pattern>,
    /// A tag of the record, as `name:value` or `name`.
    pub tag: Option<String>,
    /// The reason, for readers of the plan.
    pub reason: Option<String>,
    /// Part of the spec to point at.
    pub place: Place,
}

/// A zone of the spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredZone {
    /// Registered domain, or a subdomain that is a zone of its own.
    pub name: ZoneName,
    /// Its id, if the spec pins it.
    pub id: Option<ZoneId>,
    /// The first place of the zone.
    pub place: Place,
    /// The plan that the spec says it has.
    pub tier: Option<(Tier, Place)>,
    /// The treatment of unmanaged records.
    pub unmanaged: Unmanaged,
    /// Exceptions from pruning.
    pub ignore: Vec<IgnorePattern>,
    /// Accepted dangers for everything in the zone, with the reasons.
    pub allow: BTreeMap<Danger, String>,
    /// True if the zone is created when Cloudflare does not have it.
    pub create: bool,
    /// The desired settings of the zone.
    pub settings: DesiredSettings,
    /// The desired protection; `None` leaves it alone.
    pub waf: Option<Box<DesiredWaf>>,
    /// The desired records, in the order of name, type, value.
    pub records: Vec<DesiredRecord>,
    /// Records that must not exist.
    pub tombstones: Vec<Tombstone>,
    /// The expectations, which must be true after every plan.
    pub expect: Vec<Expectation>,
}

impl DesiredZone {
    /// Creates a zone without any desired content.
    #[must_use]
    pub fn new(name: ZoneName, place: Place) -> Self {
        Self {
            name,
            id: None,
            place,
            tier: None,
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

    /// Returns true if the zone has an expectation about requests.
    #[must_use]
    pub fn expects_of_requests(&self) -> bool {
        self.expect.iter().any(|expectation| matches!(expectation.what, Expected::Request(_)))
    }

    /// Returns the place of a rule by its phase and name, if the spec has it.
    #[must_use]
    pub fn place_of_rule(&self, phase: Phase, name: &str) -> Option<Place> {
        self.waf.as_ref()?.rule(phase, name).map(|rule| rule.place)
    }
}

/// The content of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Desired {
    /// The zones by name.
    pub zones: BTreeMap<ZoneName, DesiredZone>,
    /// Accepted lints.
    pub suppressions: Vec<Suppression>,
    /// The profiles that zones share: the place of the content of each, and its name.
    pub profiles: Vec<(Place, String)>,
}

impl Desired {
    /// Returns the name of the profile that contains a place.
    #[must_use]
    pub fn profile_at(&self, place: Place) -> Option<&str> {
        let profile = self.profiles.iter().find(|(whole, _)| whole.contains(place));
        profile.map(|(_, name)| name.as_str())
    }
}

/// A lint that a spec or a policy accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// The code of the lint, as written.
    pub code: String,
    /// The reason for accepting it.
    pub reason: String,
    /// Its place; `None` for a suppression in a policy.
    pub place: Option<Place>,
    /// The findings that it applies to.
    pub scope: SuppressionScope,
}

impl Suppression {
    /// Returns true if it applies to a finding.
    #[must_use]
    pub fn accepts(&self, diagnostic: &Diagnostic) -> bool {
        let at = diagnostic.primary.as_ref().map(|label| label.place);
        let is_in_scope = match &self.scope {
            SuppressionScope::Everything => true,
            SuppressionScope::File => {
                let files = at.zip(self.place);
                files.is_some_and(|(at, own)| at.source == own.source)
            }
            SuppressionScope::Zone(zone) => diagnostic.address.as_deref().is_some_and(|address| {
                address
                    .strip_prefix(zone.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }),
            SuppressionScope::Entry(entry) => at.is_some_and(|at| entry.contains(at)),
        };
        is_in_scope && self.code == diagnostic.code()
    }
}

/// The scope of a suppression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuppressionScope {
    /// All findings.
    Everything,
    /// Findings in the file of the suppression.
    File,
    /// Findings about a zone, in any file.
    Zone(ZoneName),
    /// Findings within an entry, such as a record.
    Entry(Place),
}

/// The settings that a spec has for a zone. Other settings are left alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DesiredSettings {
    /// Zone settings by Cloudflare's name, each with its place.
    pub settings: BTreeMap<String, (Value, Place)>,
    /// The desired state of DNSSEC.
    pub dnssec: Option<(bool, Place)>,
    /// Members of the zone's DNS settings by Cloudflare's name, each with its place.
    pub dns_settings: BTreeMap<String, (Value, Place)>,
}

/// A live zone setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveSetting {
    /// The setting has this value.
    Value {
        /// JSON value, as Cloudflare wrote it.
        value: Value,
        /// True if the zone's plan allows changing it.
        editable: bool,
        /// Time of the last change, as Cloudflare wrote it; `None` if never changed.
        modified_on: Option<String>,
    },
    /// Cloudflare does not know the setting or does not show it. Contains Cloudflare's message.
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
    /// Time of the last change, as Cloudflare wrote it; `None` if never changed.
    pub modified_on: Option<String>,
    /// The enabled options, such as `dnssec_multi_signer`. A spec cannot set them.
    pub options: Vec<String>,
}

impl LiveDnssec {
    /// Returns true if the zone is signed, or will be once the parent zone has its DS record.
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
    /// `None` if it was not read.
    pub dnssec: Option<LiveDnssec>,
    /// Members by Cloudflare's name.
    pub dns_settings: BTreeMap<String, Value>,
}

/// A live zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveZone {
    /// Registered domain, or a subdomain that is a zone of its own.
    pub name: ZoneName,
    /// Cloudflare's id, which is part of every address of the API.
    pub id: ZoneId,
    /// Its plan.
    pub tier: Tier,
    /// Time of creation, as Cloudflare wrote it (RFC 3339).
    pub created_on: Option<String>,
    /// The name servers that Cloudflare assigned to it.
    pub name_servers: Vec<String>,
    /// `active`, `pending`, …, as Cloudflare wrote it.
    pub status: Option<String>,
    /// True if the zone is paused: Cloudflare answers with the records' own values, and no rule
    /// applies.
    pub is_paused: bool,
    /// `full`, `partial`, `secondary`, …, as Cloudflare wrote it.
    pub setup: Option<String>,
    /// All records.
    pub records: Vec<LiveRecord>,
    /// Its record quota, if it was requested and reported.
    pub record_quota: Option<usize>,
    /// The account that owns the zone, if reported.
    pub account: Option<String>,
    /// Its settings, as far as they were read.
    pub settings: LiveSettings,
    /// Its protection, as far as it was read.
    pub waf: LiveWaf,
    /// True if the zone does not exist yet and will be created; its id is then a placeholder.
    pub is_new: bool,
}

impl LiveZone {
    /// Creates a zone with only a name and an id.
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

    /// Returns true if Cloudflare reports that it does not serve the zone yet.
    #[must_use]
    pub fn is_inactive(&self) -> bool {
        matches!(self.status.as_deref(), Some("pending" | "initializing"))
    }

    /// Returns true if nobody was ever answered from the zone: it will be created, or it has no
    /// records and Cloudflare does not serve it yet.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.is_new || (self.is_inactive() && self.records.is_empty())
    }

    /// Returns true if Cloudflare reports that the domain now has other name servers.
    #[must_use]
    pub fn is_moved(&self) -> bool {
        self.status.as_deref() == Some("moved")
    }

    /// Returns true if other name servers answer for the zone and only point names at Cloudflare (a
    /// CNAME setup).
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.setup.as_deref() == Some("partial")
    }

    /// Creates the state of a zone that will be created: empty, and on the free plan until someone
    /// changes the plan.
    #[must_use]
    pub fn to_be_made(name: ZoneName) -> Self {
        Self { is_new: true, ..Self::new(name, ZoneId("NEW_ZONE_ID".to_owned())) }
    }
}

/// The state that was read and may be compared. A zone that is missing here was not read, which
/// differs from an empty zone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Live {
    /// The zones that were read completely.
    pub zones: BTreeMap<ZoneName, LiveZone>,
}
