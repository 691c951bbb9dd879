//! The answers of name servers as a source for SPF lookups.

use std::net::IpAddr;

use super::spf_walk::{Lookup, LookupAnswer};
use crate::insight::dns::{Answer, End, Entry};
use crate::model::{Fqdn, RecordType};

/// Name servers that SPF lookups ask.
pub struct AnsweredNames<F> {
    pub answer: F,
    /// True if a name without records in these zones does not exist.
    pub knows_all: bool,
}

impl<'a, F: Fn(&Fqdn, RecordType) -> Answer<'a>> AnsweredNames<F> {
    /// Returns the records of a type at a name, converted by `read`.
    fn records<T>(
        &self,
        name: &Fqdn,
        kind: RecordType,
        value: impl Fn(&Entry<'a>) -> Option<T>,
    ) -> LookupAnswer<T> {
        match (self.answer)(name, kind).end {
            End::Records(set) => LookupAnswer::Values(set.iter().filter_map(value).collect()),
            End::Edge(_) => LookupAnswer::Edge,
            End::NoData(_) | End::NoName | End::Loop if self.knows_all => {
                LookupAnswer::Values(Vec::new())
            }
            End::NoData(_)
            | End::NoName
            | End::Loop
            | End::Referral(_)
            | End::Elsewhere
            | End::Cloudflare(..)
            | End::Unknown(_) => LookupAnswer::Unknown,
        }
    }
}

impl<'a, F: Fn(&Fqdn, RecordType) -> Answer<'a>> Lookup for AnsweredNames<F> {
    fn texts(&self, name: &Fqdn) -> LookupAnswer<Vec<u8>> {
        self.records(name, RecordType::Txt, |entry| entry.text().map(<[u8]>::to_vec))
    }

    fn addresses(&self, name: &Fqdn, v6: bool) -> LookupAnswer<IpAddr> {
        let kind = if v6 { RecordType::Aaaa } else { RecordType::A };
        self.records(name, kind, |entry| entry.data.address())
    }

    fn exchanges(&self, name: &Fqdn) -> LookupAnswer<Fqdn> {
        self.records(name, RecordType::Mx, |entry| entry.data.target().cloned())
    }

    fn reverse(&self, _address: IpAddr) -> LookupAnswer<Fqdn> {
        LookupAnswer::Unknown
    }
}
