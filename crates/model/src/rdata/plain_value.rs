//! Values that are described by the facts of their type: fields in order, each read, sent and
//! printed according to its kind.
//!
//! Further rules of a type are in its [`Rules`]. Types with another grammar have a struct of their
//! own: TXT, CAA, LOC, NAPTR, SVCB and HTTPS.

use std::iter;
use std::net::IpAddr;

use super::hex_and_base64::{Digits, base64, check_length, lower_hex, upper_hex};
use super::ip_address::{ipv4, ipv6};
use super::mnemonics::Mnemonics;
use super::presentation::{self, PresentationToken, tokens};
use super::{DataError, FieldReader, Purpose, Root, parse_host};
use crate::Gather;
use crate::diagnostic::count;
use crate::facts::{FieldFacts, FieldKind, TypeFacts};
use crate::fields::{Fields, Value};
use crate::name::Fqdn;

pub(super) struct PlainType {
    /// The facts of the type.
    pub(super) facts: TypeFacts,
    /// Its further rules.
    pub(super) rules: Rules,
}

/// Rules of a plain type that its facts do not contain.
pub(super) struct Rules {
    /// The fields whose equality makes two values near: see
    /// [`Rdata::pairing_key`](super::Rdata::pairing_key).
    pub(super) pairing: &'static [&'static str],
    /// The field that distinguishes the value from all others of its set; no field if all values of
    /// a set are alternatives.
    pub(super) identity: Option<&'static str>,
    /// Fields whose numbers have names in text.
    pub(super) names: &'static [(&'static str, &'static Mnemonics)],
    /// The field with the kind of a digest, and the length in bytes for each kind. The digest is
    /// the last field.
    pub(super) lengths: Option<(&'static str, &'static [(u32, usize)])>,
    /// True if hexadecimal digits are printed in upper case.
    pub(super) is_upper: bool,
    /// A check of the last field, if it is text.
    pub(super) check: fn(&str) -> Result<(), DataError>,
    /// A check of the whole text, for errors with a better message than that of a single field.
    pub(super) written: fn(&str) -> Result<(), DataError>,
}

impl Rules {
    /// No further rules.
    pub(super) const NONE: Self = Self {
        pairing: &[],
        identity: None,
        names: &[],
        lengths: None,
        is_upper: false,
        check: |_| Ok(()),
        written: |_| Ok(()),
    };
}

/// A value of a plain type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plain {
    /// The first field. Most records have only one, which needs no allocation here.
    first: CanonicalField,
    /// The other fields, in the order of the facts.
    rest: Box<[CanonicalField]>,
}

/// A field in canonical form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum CanonicalField {
    Address(IpAddr),
    Number(u32),
    Host(Fqdn),
    Octets(Box<[u8]>),
    Text(Box<str>),
}

impl Plain {
    /// Checks the fields and creates the value.
    fn new(of: &'static PlainType, mut parts: Vec<CanonicalField>) -> Result<Self, DataError> {
        let fields = of.facts.fields;
        if let Some(CanonicalField::Text(text)) = parts.last() {
            (of.rules.check)(text)?;
        }
        if let (Some((kind_field, lengths)), Some(CanonicalField::Octets(octets))) =
            (of.rules.lengths, parts.last())
            && let Some((_, CanonicalField::Number(kind))) =
                fields.iter().zip(&parts).find(|(field, _)| field.name == kind_field)
            && let Some(digest) = fields.last()
        {
            check_length(digest.name, octets, kind_field, *kind, lengths)?;
        }
        let other_parts = parts.split_off(parts.len().min(1)).into_boxed_slice();
        let first = parts
            .pop()
            .ok_or_else(|| DataError::whole(format!("{} records need a value", of.facts.name)))?;
        Ok(Self { first, rest: other_parts })
    }

    /// Reads named scalars, from `data:` or from an answer.
    pub(super) fn from_fields(
        of: &'static PlainType,
        fields: &Fields,
    ) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&of.facts, fields);
        if of.facts.fields.len() == 1 {
            return reader.content(|text| Self::from_text(of, text));
        }
        let read = |field: &'static FieldFacts| {
            let name = field.name;
            match field.kind {
                FieldKind::Integer { max } => reader.integer(name, max).map(CanonicalField::Number),
                FieldKind::Hex { .. } => {
                    reader.hex(name).map(|octets| CanonicalField::Octets(octets.into()))
                }
                FieldKind::Base64 => {
                    reader.base64(name).map(|octets| CanonicalField::Octets(octets.into()))
                }
                FieldKind::Text | FieldKind::CharacterString => reader
                    .text(name)
                    .map(|text| CanonicalField::Text(presentation::unquoted(&text).into())),
                _ => reader.text(name).and_then(|text| reader.keep(of_text(field, &text))),
            }
        };
        // Every field is read, so that every error is found.
        let parts: Vec<_> = of.facts.fields.iter().map(read).collect();
        let parts: Option<Vec<_>> = parts.into_iter().collect();
        let value = parts.and_then(|parts| reader.keep(Self::new(of, parts)));
        reader.finish(value)
    }

    /// Parses presentation text.
    pub(super) fn from_text(of: &'static PlainType, text: &str) -> Result<Self, DataError> {
        (of.rules.written)(text)?;
        let fields = of.facts.fields;
        if let [field] = fields {
            let part = match field.kind {
                FieldKind::Hex { .. } | FieldKind::Base64 => {
                    of_digits(field, &Digits::of_tokens(&tokens(text)?))?
                }
                _ => of_text(field, text.trim())?,
            };
            return Self::new(of, vec![part]);
        }
        let words = of.words(text)?;
        let mut parts = Vec::with_capacity(fields.len());
        let mut offset = 0;
        for (n, (field, word)) in fields.iter().zip(&words).enumerate() {
            offset = word.offset;
            parts.push(match field.kind {
                FieldKind::Integer { max } => {
                    CanonicalField::Number(of.number(field.name, max, word)?)
                }
                FieldKind::Hex { .. } | FieldKind::Base64 => {
                    let digits = Digits::of_tokens(&words[n..]);
                    offset = digits.offset();
                    of_digits(field, &digits)?
                }
                _ => of_text(field, &word.text()).map_err(|e| e.at(word.offset))?,
            });
        }
        Self::new(of, parts).map_err(|e| e.at(offset))
    }

    /// Returns named scalars in the spelling of requests.
    pub(super) fn fields(&self, of: &'static PlainType) -> Fields {
        let value = |field: &FieldFacts, part: &CanonicalField| match part {
            CanonicalField::Number(number) => Value::from(*number),
            _ => Value::from(of.spelled(field, part)),
        };
        self.named(of).map(|(field, part)| (field.name.to_owned(), value(field, part))).gather()
    }

    /// Returns the presentation form.
    pub(super) fn presentation(&self, of: &'static PlainType) -> String {
        let mut text = String::new();
        for (field, part) in self.named(of) {
            if !text.is_empty() {
                text.push(' ');
            }
            match part {
                CanonicalField::Text(words) => {
                    text.push_str(&presentation::quoted(words.as_bytes()))
                }
                _ => text.push_str(&of.spelled(field, part)),
            }
        }
        text
    }

    /// See [`Rdata::pairing_key`](super::Rdata::pairing_key).
    pub(super) fn pairing_key(&self, of: &'static PlainType) -> String {
        let near = self.named(of).filter(|(field, _)| of.rules.pairing.contains(&field.name));
        near.map(|(field, part)| of.spelled(field, part)).collect::<Vec<_>>().join(" ")
    }

    /// See [`Purpose`].
    pub(super) fn purpose(&self, of: &'static PlainType) -> Purpose {
        let identity = self.named(of).find(|(field, _)| of.rules.identity == Some(field.name));
        identity.map_or(Purpose::Shared, |(field, part)| Purpose::Keyed(of.spelled(field, part)))
    }

    /// Returns the host that the value points to, if any.
    pub(super) fn target(&self, _of: &'static PlainType) -> Option<&Fqdn> {
        self.parts()
            .find_map(|part| if let CanonicalField::Host(host) = part { Some(host) } else { None })
    }

    /// Returns the address, if the value is an address.
    pub(super) fn address(&self) -> Option<IpAddr> {
        if let CanonicalField::Address(address) = &self.first { Some(*address) } else { None }
    }

    fn parts(&self) -> impl Iterator<Item = &CanonicalField> {
        iter::once(&self.first).chain(&self.rest)
    }

    /// Returns the fields with their facts.
    fn named(
        &self,
        of: &'static PlainType,
    ) -> impl Iterator<Item = (&'static FieldFacts, &CanonicalField)> {
        of.facts.fields.iter().zip(self.parts())
    }
}

impl PlainType {
    /// Returns a field in the spelling of requests.
    fn spelled(&self, field: &FieldFacts, part: &CanonicalField) -> String {
        match (part, field.kind) {
            (CanonicalField::Address(address), _) => address.to_string(),
            (CanonicalField::Number(number), _) => number.to_string(),
            (CanonicalField::Host(host), _) => host.to_string(),
            (CanonicalField::Octets(octets), FieldKind::Base64) => base64(octets),
            (CanonicalField::Octets(octets), _) if self.rules.is_upper => upper_hex(octets),
            (CanonicalField::Octets(octets), _) => lower_hex(octets),
            (CanonicalField::Text(text), _) => text.clone().into(),
        }
    }

    /// Parses a number, or the name of a number.
    fn number(
        &self,
        field: &'static str,
        max: u32,
        word: &PresentationToken,
    ) -> Result<u32, DataError> {
        match self.rules.names.iter().find(|(named, _)| *named == field) {
            Some((_, names)) => names.number(field, max, word),
            // Authors often write the host before its priority.
            None if field == "priority" => word.integer(field, max).map_err(|e| {
                e.help(format!("write a number from 0 to {max} first: `{}`", self.form()))
            }),
            None => word.integer(field, max),
        }
    }

    /// Splits a text into one word per field; digits at the end may have several words.
    fn words(&self, text: &str) -> Result<Vec<PresentationToken>, DataError> {
        let (fields, kind) = (self.facts.fields, self.facts.name);
        let words = tokens(text)?;
        if self.facts.has_priority_beside() && words.len() + 1 == fields.len() {
            let error = DataError::field("priority", format!("{kind} records need `priority`"));
            return Err(error.help("add `priority: 10`"));
        }
        let has_digits = fields
            .last()
            .is_some_and(|f| matches!(f.kind, FieldKind::Hex { .. } | FieldKind::Base64));
        if words.len() == fields.len() || (has_digits && words.len() > fields.len()) {
            return Ok(words);
        }
        let needed = if has_digits { "at least " } else { "" };
        let message =
            format!("{} where {needed}{} are needed", count(words.len(), "word"), fields.len());
        Err(DataError::whole(message).help(format!("write `{}`", self.form())))
    }

    /// Returns the names of the fields in the order of a text, for a hint.
    fn form(&self) -> String {
        let names = self.facts.fields.iter().map(|field| match field.kind {
            FieldKind::Text | FieldKind::CharacterString => {
                format!("\"{}\"", field.name.to_ascii_uppercase())
            }
            FieldKind::HostOrRoot if field.name == "content" => "HOST".to_owned(),
            _ => field.name.to_ascii_uppercase().replace('_', "-"),
        });
        names.collect::<Vec<_>>().join(" ")
    }
}

/// Reads a field from a text that contains nothing else.
fn of_text(field: &'static FieldFacts, text: &str) -> Result<CanonicalField, DataError> {
    match field.kind {
        FieldKind::Ipv4 => ipv4(field.name, text).map(|a| CanonicalField::Address(a.into())),
        FieldKind::Ipv6 => ipv6(field.name, text).map(|a| CanonicalField::Address(a.into())),
        FieldKind::Host => parse_host(field.name, text, Root::Refused).map(CanonicalField::Host),
        FieldKind::HostOrRoot => {
            parse_host(field.name, text, Root::Allowed).map(CanonicalField::Host)
        }
        _ => Ok(CanonicalField::Text(text.into())),
    }
}

fn of_digits(field: &'static FieldFacts, digits: &Digits) -> Result<CanonicalField, DataError> {
    let octets = if field.kind == FieldKind::Base64 {
        digits.base64(field.name)
    } else {
        digits.hex(field.name)
    };
    octets.map(|octets| CanonicalField::Octets(octets.into()))
}

#[cfg(test)]
mod tests {
    use crate::rdata::{Rdata, RecordType};

    #[test]
    fn a_value_before_its_priority_names_the_order() {
        for (record_type, text, help) in [
            (
                RecordType::Mx,
                " mail.example.com 10",
                "write a number from 0 to 65535 first: `PRIORITY HOST`",
            ),
            (
                RecordType::Srv,
                " sip.example.com 1 5060 10",
                "write a number from 0 to 65535 first: `PRIORITY WEIGHT PORT TARGET`",
            ),
            (
                RecordType::Uri,
                " \"https://example.com/\" 1 10",
                "write a number from 0 to 65535 first: `PRIORITY WEIGHT \"TARGET\"`",
            ),
        ] {
            let error = Rdata::from_text(record_type, text).unwrap_err();
            assert_eq!(
                (error.field, error.help.as_deref(), error.offset),
                (Some("priority"), Some(help), Some(1))
            );
        }
    }
}
