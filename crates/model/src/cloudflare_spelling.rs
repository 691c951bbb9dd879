//! Spellings of Cloudflare that differ from this program's spelling of the same record.
//!
//! | part | two spellings of one value |
//! |---|---|
//! | name, host names | `SIP.example.com`, `sip.example.com` |
//! | hexadecimal digits | `AB12`, `ab12` |
//! | tag of CAA | `ISSUE`, `issue` |
//! | parameters of SVCB and HTTPS | `port="853" alpn="dot"`, `alpn="dot" port="853"` |
//! | hemisphere of a zero angle in LOC | `S`, `N` |
//! | quotes of TXT | `v=spf1 -all`, `"v=spf1 -all"` |
//! | tags | another order, upper case in the name |
//!
//! Only `undo` needs the spelling: it restores the previous record letter by letter.

use super::facts::Slot;
use super::fields::{Fields, Value};
use super::name::Fqdn;
use super::rdata::Rdata;

/// Cloudflare's spelling of a record; empty if it equals this program's spelling, as it usually
/// does.
///
/// The spelling is not part of a record's value: two spellings are always equal, so comparisons of
/// records ignore it.
#[derive(Debug, Clone, Default)]
pub struct AsReported(Option<Box<Spelled>>);

/// The parts that Cloudflare spells differently.
#[derive(Debug, Clone, Default)]
struct Spelled {
    name: Option<Box<str>>,
    /// Fields of the value.
    fields: Vec<(&'static str, Box<str>)>,
    tags: Option<Vec<Box<str>>>,
}

impl Spelled {
    /// Returns true if the reported fields mean this value. They do not if `data` contradicts the
    /// `content` that was read.
    fn spell(&self, value: &Rdata, name: &Fqdn) -> bool {
        let Some(kind) = value.record_type() else { return false };
        let (mut content, mut data, mut priority) = (None, Fields::new(), None);
        let ours = value.fields();
        for field in kind.facts().fields {
            let theirs = self
                .fields
                .iter()
                .find(|(name, _)| *name == field.name)
                .map(|(_, text)| Value::from(&**text));
            let Some(part) = theirs.or_else(|| ours.get(field.name).cloned()) else { continue };
            match (field.slot, part) {
                (Slot::Content, Value::Text(text)) => content = Some(text),
                (Slot::Content | Slot::Data, value) => {
                    drop(data.insert(field.name.to_owned(), value))
                }
                (Slot::Top, value) => priority = Some(value),
            }
        }
        Rdata::reported(value.type_name(), content.as_deref(), &data, priority.as_ref()).at(name)
            == *value
    }
}

impl PartialEq for AsReported {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for AsReported {}

impl AsReported {
    /// Returns the differences between the received spelling of a record and this program's.
    ///
    /// `content` and `data` are those of the answer; `tags` are its tags in order, in both
    /// spellings.
    #[must_use]
    pub fn of<'a>(
        (written, name): (&str, &Fqdn),
        (content, data): (Option<&str>, &Fields),
        value: &Rdata,
        (written_tags, tags): (&[String], impl Iterator<Item = &'a str>),
    ) -> Self {
        let mut spelled = Spelled::default();
        // Any other difference is a different name.
        if written != name.as_str() && written.eq_ignore_ascii_case(name.as_str()) {
            spelled.name = Some(written.into());
        }
        let ours = value.fields();
        for field in value.record_type().map_or(&[][..], |kind| kind.facts().fields) {
            let theirs = match (field.slot, data.get(field.name)) {
                (Slot::Content, _) => content,
                (Slot::Data, Some(Value::Text(text))) => Some(text.as_str()),
                (Slot::Data | Slot::Top, _) => None,
            };
            if let (Some(theirs), Some(Value::Text(ours))) = (theirs, ours.get(field.name))
                && theirs != ours
            {
                spelled.fields.push((field.name, theirs.into()));
            }
        }
        if !spelled.fields.is_empty() && !spelled.spell(value, name) {
            spelled.fields.clear();
        }
        if !tags.eq(written_tags.iter().map(String::as_str)) {
            spelled.tags = Some(written_tags.iter().map(|tag| tag.as_str().into()).collect());
        }
        let Spelled { name, fields, tags } = &spelled;
        let is_plain = name.is_none() && fields.is_empty() && tags.is_none();
        Self((!is_plain).then(|| Box::new(spelled)))
    }

    /// Returns true if Cloudflare spells the record as this program does.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the name, if Cloudflare spells it differently.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.as_ref()?.name.as_deref()
    }

    /// Returns a field of the value, if Cloudflare spells it differently.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.0.as_ref()?.fields.iter().find(|(field, _)| *field == name).map(|(_, text)| &**text)
    }

    /// Returns the tags, if Cloudflare spells them differently.
    #[must_use]
    pub fn tags(&self) -> Option<&[Box<str>]> {
        self.0.as_ref()?.tags.as_deref()
    }

    /// Returns the spelling that remains after a change of the value, or of the tags.
    #[must_use]
    pub(super) fn after(&self, changes_value: bool, changes_tags: bool) -> Self {
        let Some(spelled) = &self.0 else { return Self::default() };
        let mut kept_spelling = spelled.clone();
        if changes_value {
            kept_spelling.fields.clear();
        }
        if changes_tags {
            kept_spelling.tags = None;
        }
        Self(Some(kept_spelling))
    }
}
