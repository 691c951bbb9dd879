//! The values of records, with one line for each type in the list below.
//!
//! The values of most types are [`Plain`]: fields of a known kind in a known order, fully described
//! by the facts of the type in `plain_type_table.rs`. A type with another grammar has a file with
//! its struct in canonical form, its facts, and the conversions from and to [`Fields`] and
//! presentation text. The list generates [`RecordType`], [`Rdata`], the dispatch and the facts of
//! all types; `wire`, the schema, the documentation and the sandbox use the facts.
//!
//! | step | form |
//! |---|---|
//! | spec `content:` | presentation text, [`Rdata::from_text`] |
//! | spec `data:` | [`Fields`], [`Rdata::from_fields`] |
//! | Cloudflare's answer | [`Fields`] selected by [`Slot`], or its composed `content`; [`Rdata::reported`] |
//! | request to Cloudflare | [`Rdata::fields`], put into JSON by slot |
//! | output | [`Rdata::presentation`] |

mod caa;
mod hex_and_base64;
mod host_name;
mod ip_address;
mod loc;
mod mnemonics;
mod naptr;
mod plain_type_table;
mod plain_value;
mod presentation;
mod reader;
mod record_data;
mod svc_params;
mod svcb_and_https;
mod txt;
mod txt_pairing;

use std::fmt;
use std::net::IpAddr;

use super::facts::{Slot, TypeFacts};
use super::fields::{Fields, Value};
use super::name::Fqdn;

use host_name::{Root, parse_host};
use reader::FieldReader;
use record_data::RecordData;
pub use record_data::{DataError, Purpose};
pub use txt_pairing::token_key;

pub use caa::Caa;
pub use loc::Loc;
pub use naptr::Naptr;
pub use plain_value::Plain;
pub use presentation::STRING_OCTETS;
pub use svcb_and_https::{Https, Svcb};
pub use txt::Txt;

/// The facts of a type: of a type with its own struct, or of a plain type.
macro_rules! facts {
    ($value:ident) => {
        <$value as RecordData>::FACTS
    };
    ($value:ident $plain:ident) => {
        plain_type_table::$plain.facts
    };
}

/// Declares the record types: the only list.
macro_rules! record_types {
    ($($variant:ident => $value:ident $(($plain:ident))?),+ $(,)?) => {
        /// A type of DNS record that can be managed. Its integer value is its number in the DNS
        /// parameters registry.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum RecordType {
            $(#[doc = concat!("Type ", stringify!($variant), ".")] $variant = facts!($value $($plain)?).number,)+
        }

        impl RecordType {
            /// All types, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the facts of the type.
            #[must_use]
            pub fn facts(self) -> &'static TypeFacts {
                match self { $(Self::$variant => &facts!($value $($plain)?),)+ }
            }
        }

        /// The facts of every type, in the order of the list.
        pub(super) const FACTS: &[&TypeFacts] = &[$(&facts!($value $($plain)?)),+];

        /// The value of a record, in canonical form: Cloudflare treats equal values the same.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rdata {
            $(#[doc = concat!("Value of type ", stringify!($variant), ".")] $variant($value),)+
            /// A value that this program cannot parse: shown and counted, never changed.
            Opaque(Opaque),
        }

        impl Rdata {
            /// Returns the type, if this program manages it.
            #[must_use]
            pub fn record_type(&self) -> Option<RecordType> {
                match self { $(Self::$variant(_) => Some(RecordType::$variant),)+ Self::Opaque(_) => None }
            }

            /// Reads named scalars.
            ///
            /// # Errors
            /// One error for each field that is missing, unknown or invalid.
            pub fn from_fields(record_type: RecordType, fields: &Fields) -> Result<Self, Vec<DataError>> {
                unknown_fields(record_type.facts(), fields)?;
                match record_type { $(RecordType::$variant => $value::from_fields($(&plain_type_table::$plain,)? fields).map(Self::$variant),)+ }
            }

            /// Parses presentation text.
            ///
            /// # Errors
            /// The first error, with its place in the text if known.
            pub fn from_text(record_type: RecordType, text: &str) -> Result<Self, DataError> {
                match record_type { $(RecordType::$variant => $value::from_text($(&plain_type_table::$plain,)? text).map(Self::$variant),)+ }
            }

            /// Returns named scalars in the spelling of requests; empty for opaque values.
            #[must_use]
            pub fn fields(&self) -> Fields {
                match self { $(Self::$variant(data) => data.fields($(&plain_type_table::$plain)?),)+ Self::Opaque(_) => Fields::new() }
            }

            /// Returns the presentation form.
            #[must_use]
            pub fn presentation(&self) -> String {
                match self { $(Self::$variant(data) => data.presentation($(&plain_type_table::$plain)?),)+ Self::Opaque(data) => data.content.clone() }
            }

            /// Returns a key for pairing: among values of one purpose, values with equal keys are
            /// paired first.
            #[must_use]
            pub fn pairing_key(&self) -> String {
                match self { $(Self::$variant(data) => data.pairing_key($(&plain_type_table::$plain)?),)+ Self::Opaque(_) => String::new() }
            }

            /// Returns the purpose, which decides to which values of its set it may be updated.
            #[must_use]
            pub fn purpose(&self) -> Purpose {
                match self { $(Self::$variant(data) => data.purpose($(&plain_type_table::$plain)?),)+ Self::Opaque(_) => Purpose::Unique }
            }

            /// Returns the host that the value points to, if any.
            #[must_use]
            pub fn target(&self) -> Option<&Fqdn> {
                match self { $(Self::$variant(data) => data.target($(&plain_type_table::$plain)?),)+ Self::Opaque(_) => None }
            }
        }
    };
}

record_types! {
    A => Plain(A),
    Aaaa => Plain(AAAA),
    Cname => Plain(CNAME),
    Mx => Plain(MX),
    Txt => Txt,
    Ns => Plain(NS),
    Srv => Plain(SRV),
    Caa => Caa,
    Https => Https,
    Svcb => Svcb,
    Ptr => Plain(PTR),
    Ds => Plain(DS),
    Dnskey => Plain(DNSKEY),
    Uri => Plain(URI),
    Naptr => Naptr,
    Sshfp => Plain(SSHFP),
    Tlsa => Plain(TLSA),
    Smimea => Plain(SMIMEA),
    Cert => Plain(CERT),
    Loc => Loc,
    Openpgpkey => Plain(OPENPGPKEY),
}

impl Rdata {
    /// Returns true for the value of a CNAME record that leads to the record itself.
    #[must_use]
    pub fn is_alias_of(&self, name: &Fqdn) -> bool {
        self.record_type() == Some(RecordType::Cname) && self.target() == Some(name)
    }

    /// Returns true if two texts differ only in how they are cut into strings, and the cuts are
    /// part of the value. A server may call such texts identical.
    #[must_use]
    pub fn differs_in_cuts(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Txt(one), Self::Txt(other)) if one.differs_in_cuts(other))
    }

    /// Returns the slot of a value that can exist only once at a name and type: an alias, a text
    /// that exists once (SPF, DMARC and other texts that begin with `v=`), the most preferred host
    /// or service, the property of a certification authority. `None` for values that coexist.
    #[must_use]
    pub fn slot(&self) -> Option<(Purpose, String)> {
        match self {
            Self::Cname(_) => Some((Purpose::Shared, String::new())),
            Self::Txt(_) => {
                Some((self.purpose(), self.pairing_key())).filter(|(_, key)| !key.is_empty())
            }
            Self::Mx(_) | Self::Srv(_) | Self::Uri(_) | Self::Caa(_) => {
                Some((self.purpose(), self.pairing_key()))
            }
            Self::A(_)
            | Self::Aaaa(_)
            | Self::Ns(_)
            | Self::Https(_)
            | Self::Svcb(_)
            | Self::Ptr(_)
            | Self::Ds(_)
            | Self::Dnskey(_)
            | Self::Naptr(_)
            | Self::Sshfp(_)
            | Self::Tlsa(_)
            | Self::Smimea(_)
            | Self::Cert(_)
            | Self::Loc(_)
            | Self::Openpgpkey(_)
            | Self::Opaque(_) => None,
        }
    }

    /// Returns the address of an A or AAAA record.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        if let Self::A(data) | Self::Aaaa(data) = self { data.address() } else { None }
    }

    /// Returns true if two values have the same host, service or property and differ only in
    /// priority, weight or flag.
    #[must_use]
    pub fn is_same_but_for_preference(&self, other: &Self) -> bool {
        let is_preferred = matches!(self, Self::Mx(_) | Self::Srv(_) | Self::Uri(_) | Self::Caa(_));
        is_preferred && self.record_type() == other.record_type() && self.slot() == other.slot()
    }
}

impl RecordType {
    /// Returns the mnemonic, upper case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// Finds a type by its mnemonic, in any case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.as_str().eq_ignore_ascii_case(name))
    }

    /// Returns true if a name can have only one record of this type.
    #[must_use]
    pub fn is_single(self) -> bool {
        self == Self::Cname
    }

    /// Returns true if records of both types cannot share a name, at the apex of the zone or below
    /// it.
    ///
    /// The zone's own NS records share the apex with every type.
    #[must_use]
    pub fn excludes_at(self, other: Self, is_apex: bool) -> bool {
        self.excludes(other) && !(is_apex && (self == Self::Ns || other == Self::Ns))
    }

    /// Returns true if records of both types cannot share a name below the apex.
    ///
    /// # Sources
    /// RFC 1034 section 3.6.2; Cloudflare's error codes 81053, 81054 and 81056: only A, AAAA, CNAME
    /// and NS exclude each other there, while MX, TXT or CAA may share a name with a CNAME.
    fn excludes(self, other: Self) -> bool {
        let address = |t: Self| matches!(t, Self::A | Self::Aaaa);
        match (self, other) {
            (Self::Cname, o) | (o, Self::Cname) => o == Self::Ns || address(o),
            (Self::Ns, o) | (o, Self::Ns) => address(o),
            _ => false,
        }
    }
}

impl fmt::Display for RecordType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A value that this program cannot parse, as Cloudflare reported it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opaque {
    /// The type's mnemonic, upper case.
    pub type_name: String,
    /// The content, verbatim.
    pub content: String,
}

impl Rdata {
    /// Returns the mnemonic of the type, also for opaque values.
    #[must_use]
    pub fn type_name(&self) -> &str {
        match self {
            Self::Opaque(data) => &data.type_name,
            known => known.record_type().map_or("", RecordType::as_str),
        }
    }

    /// Reads the value that Cloudflare reported: from its fields if they are complete, otherwise
    /// from its composed content.
    ///
    /// Never fails: a value that cannot be parsed is opaque. `priority` is the one next to
    /// `content`; old answers repeat it there although it belongs in `data`, or the reverse.
    #[must_use]
    pub fn reported(
        type_name: &str,
        content: Option<&str>,
        data: &Fields,
        priority: Option<&Value>,
    ) -> Self {
        let opaque = || {
            Self::Opaque(Opaque {
                type_name: type_name.to_ascii_uppercase(),
                content: content.unwrap_or_default().to_owned(),
            })
        };
        let Some(record_type) = RecordType::parse(type_name) else { return opaque() };
        if record_type == RecordType::Txt {
            return content.map_or_else(opaque, |text| Self::Txt(Txt::reported(text)));
        }
        let facts = record_type.facts();
        let mut fields = Fields::new();
        for field in facts.fields {
            let value = match field.slot {
                Slot::Content => content.map(Value::from),
                Slot::Data => data.get(field.name).cloned(),
                Slot::Top => None,
            };
            let value = value.or_else(|| {
                (field.name == "priority")
                    .then(|| priority.or(data.get("priority")).cloned())
                    .flatten()
            });
            if let Some(value) = value {
                fields.insert(field.name.to_owned(), value);
            }
        }
        if let Ok(data) = Self::from_fields(record_type, &fields) {
            return data;
        }
        let Some(content) = content else { return opaque() };
        // Composed content does not include a priority that is next to it.
        let with_priority = match fields.get("priority") {
            Some(priority)
                if facts.repeats_priority || (facts.has_data() && facts.has_priority_beside()) =>
            {
                Self::from_text(record_type, &format!("{priority} {content}")).ok()
            }
            _ => None,
        };
        with_priority.or_else(|| Self::from_text(record_type, content).ok()).unwrap_or_else(opaque)
    }

    /// Interprets the value for an owner name. Must be called before a comparison if the name is
    /// known, because the cuts of some texts are significant under one name and not under another.
    #[must_use]
    pub fn at(self, name: &Fqdn) -> Self {
        match self {
            Self::Txt(text) => Self::Txt(text.at(name)),
            other => other,
        }
    }

    /// Returns the presentation form without differences of spelling: the same text for equal
    /// values.
    #[must_use]
    pub fn canonical(&self) -> String {
        match self {
            Self::Txt(text) => text.canonical().presentation(),
            other => other.presentation(),
        }
    }

    /// Reads a spec's `content` and the `priority` next to it, if any.
    ///
    /// # Errors
    /// The errors of [`Rdata::from_text`] and [`Rdata::from_fields`].
    pub fn from_content(
        record_type: RecordType,
        content: &str,
        priority: Option<&Value>,
    ) -> Result<Self, Vec<DataError>> {
        let facts = record_type.facts();
        let Some(priority) = priority else {
            return Self::from_text(record_type, content).map_err(|e| vec![e]);
        };
        if facts.field("priority").is_none() {
            return Err(vec![
                DataError::field("priority", format!("{} records have no priority", facts.name))
                    .help("remove `priority`"),
            ]);
        }
        if facts.has_data() {
            return Self::from_text(record_type, &format!("{priority} {content}")).map_err(
                |mut error| {
                    let shift = priority.to_string().len() + 1;
                    error.offset = error.offset.and_then(|n| n.checked_sub(shift));
                    vec![error]
                },
            );
        }
        let fields = Fields::from([
            ("content".to_owned(), Value::from(content)),
            ("priority".to_owned(), priority.clone()),
        ]);
        Self::from_fields(record_type, &fields)
    }
}

/// Refuses fields that the type does not have.
fn unknown_fields(facts: &TypeFacts, fields: &Fields) -> Result<(), Vec<DataError>> {
    let errors: Vec<_> = fields
        .keys()
        .filter(|name| facts.field(name).is_none())
        .map(|name| {
            let known_fields: Vec<_> =
                facts.fields.iter().map(|f| format!("`{}`", f.name)).collect();
            DataError::whole(format!("{} records have no field `{name}`", facts.name))
                .help(format!("the fields are {}", known_fields.join(", ")))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_of_every_type_is_canonical() {
        for record_type in RecordType::ALL.iter().copied() {
            let facts = record_type.facts();
            assert!(!facts.examples.is_empty(), "{record_type} has no example");
            for example in facts.examples {
                let data = Rdata::from_text(record_type, example)
                    .unwrap_or_else(|e| panic!("{record_type} {example}: {e}"));
                assert_eq!(&data.presentation(), example, "{record_type}");
                assert_eq!(
                    Rdata::from_fields(record_type, &data.fields()).as_ref(),
                    Ok(&data),
                    "{record_type} {example}"
                );
                assert_eq!(data.record_type(), Some(record_type));
            }
        }
    }

    #[test]
    fn what_is_not_understood_is_opaque() {
        let data = Rdata::reported("LOC", Some("51 30 12.748 N"), &Fields::new(), None);
        assert!(matches!(data, Rdata::Opaque(_)));
        let data = Rdata::reported(
            "soa",
            Some("ns.example.net dns.example.net 1 2 3 4 5"),
            &Fields::new(),
            None,
        );
        assert_eq!(data.type_name(), "SOA");
        assert_eq!(data.presentation(), "ns.example.net dns.example.net 1 2 3 4 5");
        assert!(matches!(
            Rdata::reported("A", Some("nonsense"), &Fields::new(), None),
            Rdata::Opaque(_)
        ));
        assert!(matches!(Rdata::reported("A", None, &Fields::new(), None), Rdata::Opaque(_)));
    }
}
