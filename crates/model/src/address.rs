//! Stable printable names of managed objects.

use std::fmt;

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};

use super::name::{Fqdn, ZoneName};
use super::rdata::{Rdata, RecordType};
use super::ruleset::Phase;

/// The name of one managed object, such as `example.com/dns/www/CNAME` or, if several records will
/// share a name and type, `example.com/dns/@/MX/1f0c93aa`. The address of a deleted record always
/// has the digest.
///
/// Records have no name at Cloudflare; the digest distinguishes the members of one set. The digest
/// is computed from the value in the spec (or, for a delete, the live value). Its presence depends
/// on the set after the plan, so an address stays the same from plan to plan, also while a plan is
/// applied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(String);

impl Address {
    /// Returns the address of a record, with a digest of its value if the record is one of several.
    #[must_use]
    pub fn of_record(zone: &ZoneName, name: &Fqdn, data: &Rdata, is_one_of_several: bool) -> Self {
        let (relative, record_type) = (zone.relative(name), data.type_name());
        let set = format!("{zone}/dns/{relative}/{record_type}");
        if !is_one_of_several {
            return Self(set);
        }
        let digest = digest(&SHA256, data.canonical().as_bytes());
        // Eight digits: in the largest sets seen (10,000 values), the chance that any two collide
        // is about one in a hundred.
        Self(format!("{set}/{}", HEXLOWER.encode(&digest.as_ref()[..4])))
    }

    /// Returns the name and the type in the address of a record of this zone; `None` for any other
    /// text.
    #[must_use]
    pub fn record_key(zone: &ZoneName, text: &str) -> Option<(Fqdn, RecordType)> {
        let record = text.strip_prefix(zone.as_str())?.strip_prefix("/dns/")?;
        // A name can contain slashes, and no type looks like a digest.
        let (name, last) = record.rsplit_once('/')?;
        let (name, record_type) = match RecordType::parse(last) {
            Some(record_type) => (name, record_type),
            None => name
                .rsplit_once('/')
                .and_then(|(name, word)| Some((name, RecordType::parse(word)?)))?,
        };
        Some((zone.resolve(name).ok()?, record_type))
    }

    /// Returns the address of a zone itself.
    #[must_use]
    pub fn of_zone(zone: &ZoneName) -> Self {
        Self(zone.to_string())
    }

    /// Returns the address of a part of a zone: `example.com/settings/ssl`, `example.com/dnssec`,
    /// `example.com/dns_settings`.
    #[must_use]
    pub fn of_zone_part(zone: &ZoneName, part: &str) -> Self {
        Self(format!("{zone}/{part}"))
    }

    /// Returns the address of a rule, `example.com/waf/http_request_firewall_managed/owasp`, or
    /// without a name that of the entry point.
    #[must_use]
    pub fn of_rule(zone: &ZoneName, phase: Phase, name: Option<&str>) -> Self {
        let phase = phase.as_str();
        match name {
            Some(name) => Self(format!("{zone}/waf/{phase}/{name}")),
            None => Self(format!("{zone}/waf/{phase}")),
        }
    }

    /// Returns the address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
