//! Queries on the records of a zone, for finding effects.

use super::dns::{End, Entry, ZoneIndex};
use super::mail::spf;
use crate::model::{Fqdn, Rdata, RecordType};

impl<'a> Entry<'a> {
    /// Returns the text of a TXT record.
    pub(super) fn text(&self) -> Option<&'a [u8]> {
        match self.data {
            Rdata::Txt(text) => Some(text.as_bytes()),
            _ => None,
        }
    }

    /// Returns the domains that an SPF record includes or redirects to.
    pub(super) fn included(&self) -> Vec<Fqdn> {
        let Some(Ok(record)) = self.text().filter(|text| spf::is_spf(text)).map(spf::Spf::parse)
        else {
            return Vec::new();
        };
        let specs = record.directives.iter().filter_map(|d| match &d.mechanism {
            spf::Mechanism::Include(spec) => Some(spec),
            _ => None,
        });
        specs.chain(&record.redirect).filter_map(|spec| spec.name()).collect()
    }

    /// Returns the names that decide which hosts an SPF record permits: the names in `a:`, `mx:`,
    /// `include`, `exists` and `redirect` (RFC 7208 sections 5 and 6.1). Names that depend on the
    /// sender are left out. Terms without a name refer to the record's own name.
    pub(super) fn names_of_senders(&self) -> Vec<Fqdn> {
        use spf::Mechanism::{A, All, Exists, Include, Ip4, Ip6, Mx, Ptr};
        let spf_text = self.text().filter(|text| spf::is_spf(text));
        let Some(Ok(record)) = spf_text.map(spf::Spf::parse) else { return Vec::new() };
        let of_mechanisms = record.reachable().iter().filter_map(|d| match &d.mechanism {
            Include(spec) | Exists(spec) => Some(spec),
            A(spec, _) | Mx(spec, _) => spec.as_ref(),
            All | Ptr(_) | Ip4(_) | Ip6(_) => None,
        });
        // A record with `all` never redirects.
        let redirect = record.redirect.iter().filter(|_| record.otherwise().is_none());
        of_mechanisms.chain(redirect).filter_map(|spec| spec.name_at(self.name)).collect()
    }

    /// Returns the hosts in two states of a zone whose addresses or mail servers an SPF record
    /// permits: those of the terms `a` and `mx` (RFC 7208 sections 5.3 and 5.4).
    pub(super) fn hosts_of_senders(&self, states: [View<'_, '_>; 2]) -> Vec<Fqdn> {
        let spf_text = self.text().filter(|text| spf::is_spf(text));
        let Some(Ok(record)) = spf_text.map(spf::Spf::parse) else { return Vec::new() };
        let mut hosts = Vec::new();
        for directive in record.reachable() {
            let (spf::Mechanism::A(spec, _) | spf::Mechanism::Mx(spec, _)) = &directive.mechanism
            else {
                continue;
            };
            let host_of_sender = spec.as_ref().map_or(Some(self.name.clone()), |spec| spec.name());
            let Some(host) = host_of_sender else { continue };
            if matches!(directive.mechanism, spf::Mechanism::Mx(..)) {
                let servers = states.iter().flat_map(|view| view.targets(&host, RecordType::Mx));
                hosts.extend(servers.cloned());
            }
            hosts.push(host);
        }
        hosts
    }

    /// Returns true if the record leads a client to a server.
    #[must_use]
    pub fn leads_to_a_server(&self) -> bool {
        use RecordType::{A, Aaaa, Cname, Https, Svcb};
        matches!(self.record_type(), Some(A | Aaaa | Cname | Https | Svcb))
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct View<'i, 'a>(pub(super) &'i ZoneIndex<'a>);

impl<'a> View<'_, 'a> {
    /// Returns the records with exactly this owner.
    pub(super) fn at(self, name: &Fqdn) -> Vec<Entry<'a>> {
        self.0.records(name).collect()
    }

    /// Returns the records of a type with exactly this owner, in the order of their values.
    pub(super) fn of_type(self, name: &Fqdn, kind: RecordType) -> Vec<Entry<'a>> {
        self.0.node(name.as_str()).map(|node| node.of_type(kind)).unwrap_or_default()
    }

    /// Returns the records that answer for a name: its own, otherwise those of the wildcard that
    /// covers it.
    pub(super) fn answering(self, name: &Fqdn) -> Vec<Entry<'a>> {
        let Some(location) = self.0.locate(name.as_str()) else { return Vec::new() };
        let exact_node = location.exact.filter(|node| node.records().next().is_some());
        exact_node.or(location.wildcard).map(|node| node.records().collect()).unwrap_or_default()
    }

    /// Returns true if a name of the zone has an address, or is an alias.
    pub(super) fn leads_somewhere(self, name: &Fqdn) -> bool {
        let leads = |r: &Entry<'_>| r.data.address().is_some() || r.is(RecordType::Cname);
        self.answering(name).iter().any(leads)
    }

    /// Returns the texts that answer for a name.
    pub(super) fn texts(self, name: &Fqdn) -> Vec<&'a [u8]> {
        self.answering(name).iter().filter_map(Entry::text).collect()
    }

    /// Returns the hosts to which records of a type with exactly this owner point.
    pub(super) fn targets(self, name: &Fqdn, kind: RecordType) -> Vec<&'a Fqdn> {
        self.of_type(name, kind).into_iter().filter_map(|r| r.data.target()).collect()
    }

    /// Returns the host of which a name is an alias, as resolvers see it: a proxied alias is
    /// answered with addresses alone.
    pub(super) fn visible_alias(self, name: &Fqdn) -> Option<&'a Fqdn> {
        let alias = *self.of_type(name, RecordType::Cname).first()?;
        alias.data.target().filter(|_| !self.hides_alias(name))
    }

    /// Returns true if a name has an alias that resolvers do not see, because it is proxied.
    pub(super) fn hides_alias(self, name: &Fqdn) -> bool {
        let aliases = self.of_type(name, RecordType::Cname);
        self.0.serving().proxies() && aliases.first().is_some_and(|alias| alias.proxied)
    }

    /// Returns true if a setting flattens the DNS-only alias of a name below the apex, so that
    /// resolvers do not see it.
    pub(super) fn flattens_alias(self, name: &Fqdn) -> bool {
        let alias = self.of_type(name, RecordType::Cname).first().copied();
        let is_flattened =
            |alias: Entry<'_>| self.0.serving().flattens(alias.settings.flatten_cname);
        name != self.0.name().as_fqdn()
            && !self.hides_alias(name)
            && alias.is_some_and(is_flattened)
    }

    /// Returns true if records of a type at a name are texts with an SPF record.
    pub(super) fn has_senders(self, name: &Fqdn, kind: RecordType) -> bool {
        kind == RecordType::Txt && self.texts(name).iter().any(|text| spf::is_spf(text))
    }

    /// Returns true if a name has records of a type, or is an alias of a name that has such records
    /// and no address.
    pub(super) fn is_for(self, name: &Fqdn, kind: RecordType) -> bool {
        if !self.of_type(name, kind).is_empty() {
            return true;
        }
        let Some(target) = self.visible_alias(name) else { return false };
        let ends = [RecordType::A, RecordType::Aaaa].map(|kind| self.0.answer(target, kind).end);
        !ends.iter().any(|end| matches!(end, End::Records(_) | End::Edge(_)))
            && matches!(self.0.answer(target, kind).end, End::Records(_))
    }

    /// Returns true if a name of the zone has no records left; false for the apex.
    pub(super) fn is_given_up(self, name: &Fqdn) -> bool {
        name != self.0.name().as_fqdn() && self.at(name).is_empty()
    }

    /// Returns true if a name or a name below it leads to a server, or is delegated.
    pub(super) fn has_hosts(self, name: &Fqdn) -> bool {
        let is_delegated =
            |entry: &Entry<'_>| entry.is(RecordType::Ns) && entry.name != self.0.name().as_fqdn();
        let is_host = |entry: &Entry<'_>| entry.leads_to_a_server() || is_delegated(entry);
        self.0.entries().any(|entry| entry.name.is_within(name) && is_host(&entry))
    }

    /// Returns true if this zone answers for a name: it is in the zone, and not at or below a
    /// delegation.
    pub(super) fn answers_for(self, name: &Fqdn) -> bool {
        self.0.locate(name.as_str()).is_some_and(|location| location.cut.is_none())
    }

    /// Returns true if a name is in the zone.
    pub(super) fn covers(self, name: &Fqdn) -> bool {
        name.is_within(self.0.name().as_fqdn())
    }
}
