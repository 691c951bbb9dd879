//! Facts about each record type, as plain data.
//!
//! The facts of a type are under `rdata/`; this file defines their format. They describe the form
//! in which Cloudflare expects a value and the form in which it returns the value; they contain no
//! parsing or printing code. The sandbox may use this folder and nothing else of the model, so that
//! an error in a codec of the model is not repeated there. The folder also has the facts about
//! rulesets, rate limits, what each plan's rules have, other resources of zones, the OWASP Core Rule Set, zone settings, DNS
//! settings, the permissions of API tokens, the networks and targets that Cloudflare does not proxy to,
//! texts that verify domains, and mail records. The facts about the Rules language are those of its package.

pub mod certainty;
pub mod crs;
pub mod dns_settings;
mod fact_value;
pub mod limited_values;
mod mail;
mod networks;
pub mod owasp;
pub mod permissions;
pub mod phases;
pub mod proxied_aliases;
pub mod proxied_ports;
pub mod rate_limits;
pub mod record_features;
pub mod resources;
pub mod rule_features;
pub mod rulesets;
pub mod settings;
mod tiers;
mod ttl;
mod types;
pub mod verification_texts;

pub use fact_value::FactValue;
pub use mail::{MAIL_LABELS, MAIL_TEXTS};
pub use networks::{CLOUDFLARE_NETWORKS, PRIVATE_NETWORKS};
pub use tiers::{FREE_QUOTA_CHANGED_ON, FREE_RECORDS_OF_OLD_ZONES, TIERS, TierFacts, UNKNOWN_TIER};
pub use ttl::{
    AUTOMATIC_TTL, AUTOMATIC_TTL_SECONDS, MAXIMUM_TTL, MINIMUM_TTL, MINIMUM_TTL_OF_ENTERPRISE,
};
pub use types::{all_types, type_facts};
/// The vocabulary of the Rules language.
pub use zonewright_expression::vocabulary as expressions;

/// The place of a field in Cloudflare's JSON of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The record's `content` string.
    Content,
    /// A member of the record's `data` object.
    Data,
    /// A member of the record itself, next to `content` (only `priority`).
    Top,
}

/// The kind of value that a field has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldKind {
    /// A dotted-quad IPv4 address.
    Ipv4,
    /// An IPv6 address, returned in RFC 5952 form.
    Ipv6,
    /// A host name; returned in lower case without the final dot.
    Host,
    /// A host name or `.` (no host); returned without the final dot, `.` stays.
    HostOrRoot,
    /// Character strings of a TXT record.
    CharacterStrings,
    /// A whole number from 0 to `max`.
    Integer {
        /// Largest value.
        max: u32,
    },
    /// A word of letters and digits; case is ignored.
    Tag,
    /// Free text, which fills the rest of the value on the wire (RFC 8659 section 4.1, RFC 7553
    /// section 4.4); quoted in the composed content.
    Text,
    /// Free text that is a character string on the wire (RFC 3403 section 4.1); quoted in the
    /// composed content.
    CharacterString,
    /// A host name or `.`; returned in lower case with the final dot.
    HostKeepDot,
    /// Octets as hexadecimal digits, in any case.
    Hex {
        /// The case in which Cloudflare returns the letters.
        answered: LetterCase,
    },
    /// Octets in base64 (RFC 4648 section 4), with padding.
    Base64,
    /// A decimal number in units of its last place: with two `places`, 100 means 1.00.
    Decimal {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// Digits after the point.
        places: u8,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Service parameters, `key` or `key=value`, in any order (RFC 9460 section 2.1); may be absent
    /// or empty.
    SvcParams,
}

/// The case of letters in answers, for values where case is insignificant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetterCase {
    /// The letters of the request.
    AsSent,
    /// In upper case.
    Upper,
}

/// One named part of a record's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldFacts {
    /// Cloudflare's name of the field, which is also its name in the spec.
    pub name: &'static str,
    /// Its place in JSON.
    pub slot: Slot,
    /// The kind of its value.
    pub kind: FieldKind,
    /// Its meaning, for the schema and the documentation.
    pub about: &'static str,
}

impl FieldFacts {
    /// Returns a field in the record's `content`.
    pub(super) const fn content(kind: FieldKind, about: &'static str) -> Self {
        Self { name: "content", slot: Slot::Content, kind, about }
    }

    /// Returns the `priority` next to `content` or `data`.
    pub(super) const fn priority(about: &'static str) -> Self {
        Self { name: "priority", slot: Slot::Top, kind: FieldKind::Integer { max: 65_535 }, about }
    }

    /// Returns a member of `data`.
    pub(super) const fn data(name: &'static str, kind: FieldKind, about: &'static str) -> Self {
        Self { name, slot: Slot::Data, kind, about }
    }

    /// Returns a whole number in `data`.
    pub(super) const fn number(name: &'static str, max: u32, about: &'static str) -> Self {
        Self::data(name, FieldKind::Integer { max }, about)
    }

    /// Returns true if the field may be left out.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        matches!(self.kind, FieldKind::SvcParams)
    }
}

/// The facts of one record type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TypeFacts {
    /// The type's mnemonic, upper case.
    pub name: &'static str,
    /// The type's number in the DNS parameters registry.
    pub number: u16,
    /// One line for the schema and the documentation.
    pub about: &'static str,
    /// The fields, in the order of the presentation format.
    pub fields: &'static [FieldFacts],
    /// True if Cloudflare can proxy records of the type.
    pub proxiable: bool,
    /// True if the answer repeats `data.priority` next to `content`, and leaves it out of the
    /// composed `content`.
    pub repeats_priority: bool,
    /// The specification of the format.
    pub source: &'static str,
    /// Values in presentation form, for documentation and tests; outputs show the first one.
    pub examples: &'static [&'static str],
}

impl TypeFacts {
    /// Values that most types have in common.
    pub(super) const BASE: Self = Self {
        name: "",
        number: 0,
        about: "",
        fields: &[],
        proxiable: false,
        repeats_priority: false,
        source: "",
        examples: &[],
    };

    /// Returns true if the value is sent as a `data` object. Cloudflare then composes `content` of
    /// its members, in the order of the presentation format: text in quotes, decimal numbers with
    /// all their decimal places.
    #[must_use]
    pub fn has_data(&self) -> bool {
        self.fields.iter().any(|f| f.slot == Slot::Data)
    }

    /// Returns true if `priority` is next to `content` or `data`, and not in them.
    #[must_use]
    pub fn has_priority_beside(&self) -> bool {
        self.fields.iter().any(|f| f.slot == Slot::Top)
    }

    /// Returns the field with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static FieldFacts> {
        self.fields.iter().find(|f| f.name == name)
    }
}

/// Maximum length of a TXT value on the wire, in bytes, including length octets.
pub const TXT_WIRE_BYTES: usize = 4096;
