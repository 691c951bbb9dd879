//! One record of a zone from any source: a spec, a live zone, or an operation of a plan.

use crate::diagnostic::Place;
use crate::model::{
    DesiredRecord, Fqdn, LiveRecord, Rdata, ReadOnly, RecordForm, RecordId, RecordType, Settings,
    Ttl,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its full name.
    pub name: &'a Fqdn,
    /// Its value; may be opaque.
    pub data: &'a Rdata,
    /// Its time to live; automatic if the spec leaves it unset.
    pub ttl: Ttl,
    /// True if it is proxied. False if the spec leaves it unset.
    pub proxied: bool,
    pub settings: Settings,
    /// Its place in the spec, if it is known.
    pub place: Option<Place>,
    /// Cloudflare's id, if it is live.
    pub id: Option<&'a RecordId>,
    /// The product of Cloudflare that owns it, if one does.
    pub read_only: Option<ReadOnly>,
}

impl<'a> Entry<'a> {
    /// Returns the entry for a record of a spec.
    #[must_use]
    pub fn of_spec(record: &'a DesiredRecord) -> Self {
        Self {
            name: &record.name,
            data: &record.data,
            ttl: record.facets.ttl.unwrap_or(Ttl::AUTOMATIC),
            proxied: record.facets.proxied == Some(true),
            settings: record.facets.settings,
            place: Some(record.spelling.entry),
            id: None,
            read_only: None,
        }
    }

    /// Returns the entry for a live record.
    #[must_use]
    pub fn of_live(record: &'a LiveRecord) -> Self {
        Self {
            name: &record.name,
            data: &record.data,
            ttl: record.ttl,
            proxied: record.proxied,
            settings: record.settings,
            place: None,
            id: Some(&record.id),
            read_only: record.read_only,
        }
    }

    /// Returns the entry for a record that an operation creates or changes.
    #[must_use]
    pub fn of_form(form: &'a RecordForm, place: Option<Place>) -> Self {
        Self {
            name: &form.name,
            data: &form.data,
            ttl: form.facets.ttl.unwrap_or(Ttl::AUTOMATIC),
            proxied: form.facets.proxied == Some(true),
            settings: form.facets.settings,
            place,
            id: None,
            read_only: None,
        }
    }

    /// Returns its type; `None` for a value that is not understood.
    #[must_use]
    pub fn record_type(&self) -> Option<RecordType> {
        self.data.record_type()
    }

    /// Returns true if it has a type.
    #[must_use]
    pub fn is(&self, record_type: RecordType) -> bool {
        self.record_type() == Some(record_type)
    }

    /// Returns true if it is A, AAAA or CNAME, and so can be proxied.
    #[must_use]
    pub fn is_address_or_alias(&self) -> bool {
        matches!(self.record_type(), Some(RecordType::A | RecordType::Aaaa | RecordType::Cname))
    }
}
