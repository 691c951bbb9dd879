//! Represents a record as its source writes it.

use std::collections::BTreeSet;

use super::comments::Comment;
use crate::model::{
    AsReported, Fields, Gather, LiveRecord, Rdata, RecordId, RecordType, Settings, Tag, Ttl, Value,
    ZoneName,
};

/// The value of a record, as its source writes it.
#[derive(Debug, Clone)]
pub(super) enum Written {
    /// Presentation form, as on the right-hand side of a line of a zone file.
    Text(String),
    /// `content` and `priority` of Cloudflare's record object.
    Content(String, Option<Value>),
    /// Named fields, as in Cloudflare's `data`.
    Fields(Fields),
}

/// A record, as its source writes it.
#[derive(Debug, Clone)]
pub(super) struct Entry<'s> {
    pub(super) zone: &'s ZoneName,
    /// `@`, a name relative to the zone, or a name within it.
    pub(super) name: &'s str,
    /// Mnemonic of the record type.
    pub(super) type_name: &'s str,
    pub(super) value: Written,
    /// Time to live in seconds; 1 or `None` means automatic.
    pub(super) ttl: Option<u32>,
    pub(super) proxied: bool,
    pub(super) comment: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) settings: Settings,
    /// Comments of the source, by offset in the text of the entry's place.
    pub(super) comments: Vec<Comment>,
    /// Attributes that the reader of the source does not translate.
    pub(super) not_translated: Vec<String>,
}

impl<'s> Entry<'s> {
    /// Creates a record with automatic TTL and no other attributes.
    pub(super) fn new(
        zone: &'s ZoneName,
        name: &'s str,
        type_name: &'s str,
        value: Written,
    ) -> Self {
        Self {
            zone,
            name,
            type_name,
            value,
            ttl: None,
            proxied: false,
            comment: None,
            tags: Vec::new(),
            settings: Settings::default(),
            comments: Vec::new(),
            not_translated: Vec::new(),
        }
    }

    /// Converts the entry to a record. The error is the problem and what to write instead.
    pub(super) fn record(self, id: String) -> Result<LiveRecord, (String, Option<String>)> {
        let name = self.zone.resolve(if self.name.is_empty() { "@" } else { self.name });
        let name = name.map_err(|error| (error.to_string(), None))?;
        let Some(record_type) = RecordType::parse(self.type_name) else {
            return Err((format!("{} records cannot be managed", self.type_name), None));
        };
        let data = match self.value {
            Written::Text(text) => {
                Rdata::from_text(record_type, &text).map_err(|error| vec![error])
            }
            Written::Content(content, priority) => {
                Rdata::from_content(record_type, &content, priority.as_ref())
            }
            Written::Fields(fields) => Rdata::from_fields(record_type, &fields),
        };
        let data = data.map_err(|errors| {
            let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
            (messages.join("; "), errors.into_iter().find_map(|error| error.help))
        })?;
        Ok(LiveRecord {
            id: RecordId(id),
            data: data.at(&name),
            name,
            ttl: self.ttl.map_or(Ttl::AUTOMATIC, Ttl::reported),
            proxied: self.proxied && record_type.facts().proxiable,
            comment: self.comment.filter(|text| !text.is_empty()),
            tags: self.tags.iter().map(|tag| Tag::reported(tag)).gather::<BTreeSet<_>>(),
            settings: self.settings,
            read_only: None,
            modified_on: None,
            reported: AsReported::default(),
        })
    }
}
