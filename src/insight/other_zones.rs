//! Names and addresses that the other zones of a spec hide and use, for judging the changes of one
//! zone.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::OnceLock;

use super::dns::Entry;
use super::mail::dkim_change::selector;
use super::mail::dmarc_change::domain as policy_domain;
use super::published_addresses::published;
use crate::model::{Desired, DesiredRecord, Fqdn, RecordType, ZoneName};

/// Indexes over all zones of a spec. Each is computed at its first use.
#[derive(Debug, Default)]
pub struct Overview {
    addresses: OnceLock<Addresses>,
    hosts: OnceLock<Hosts>,
    borrowers: OnceLock<Borrowers>,
}

/// The use that a domain makes of a name in another zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Borrowed {
    /// Its SPF record includes the other record.
    Senders,
    /// Its DKIM key is an alias to the other record.
    Key,
    /// Its DMARC policy is an alias to the other record.
    Policy,
}

/// A domain that uses a record of another zone of the spec.
#[derive(Debug)]
pub(super) struct Borrower {
    /// The zone of the domain.
    zone: ZoneName,
    /// The kind of use.
    pub(super) what: Borrowed,
    pub(super) domain: Fqdn,
    /// The selector of a key.
    pub(super) label: String,
    /// Number of other selectors of the domain.
    pub(super) others: usize,
    /// The hosts that receive its mail.
    pub(super) exchanges: Vec<Fqdn>,
}

/// The domains that use records of other zones, by the names of these records.
type Borrowers = BTreeMap<Fqdn, Vec<Borrower>>;

/// The zones that use an item: `Some` for one zone, `None` for several.
type Users = Option<ZoneName>;

/// Addresses of a spec.
#[derive(Debug, Default)]
struct Addresses {
    hidden: BTreeMap<IpAddr, Users>,
    public: BTreeMap<IpAddr, Users>,
}

/// Hosts of a spec that are outside the zones that name them.
#[derive(Debug, Default)]
struct Hosts {
    /// Their registered domains.
    domains: BTreeMap<String, Users>,
    servers: BTreeMap<Fqdn, Users>,
}

/// The other zones of a spec.
#[derive(Debug, Clone, Copy)]
pub struct OtherZones<'s> {
    spec: Option<(&'s Desired, &'s Overview)>,
    /// The planned spec, which shows the names that other zones use once it is applied.
    planned: Option<(&'s Desired, &'s Overview)>,
    /// True if the spec is the previous one, which shows the names and addresses that were in use
    /// and hidden before.
    is_previous: bool,
}

impl<'s> OtherZones<'s> {
    /// No other zones, or unknown ones.
    pub const NONE: Self = Self { spec: None, planned: None, is_previous: false };

    /// Creates the view of the planned spec, for any zone. Old and hidden addresses are not
    /// included.
    #[must_use]
    pub fn of(spec: &'s Desired, overview: &'s Overview) -> Self {
        Self {
            spec: (spec.zones.len() > 1).then_some((spec, overview)),
            planned: (spec.zones.len() > 1).then_some((spec, overview)),
            is_previous: false,
        }
    }

    /// Creates the view of the previous spec; `planned` shows the names that its zones use
    /// afterwards.
    #[must_use]
    pub fn before(base: &'s Desired, planned: &'s Desired, overview: &'s Overview) -> Self {
        // A zone that the base lacks has other zones before it, even if the base has only one.
        let has_others = base.zones.len() > 1
            || planned.zones.len() > 1
            || base.zones.keys().next() != planned.zones.keys().next();
        let planned = (planned.zones.len() > 1).then_some((planned, overview));
        Self { is_previous: true, planned, spec: has_others.then_some((base, overview)) }
    }

    /// Returns true if other zones use a record at this name for their mail.
    pub(super) fn lends(self, name: &Fqdn, own: &ZoneName) -> bool {
        !self.borrowers(name, own).is_empty()
    }

    /// Returns the domains of other zones that use a record at this name for their mail.
    pub(super) fn borrowers(self, name: &Fqdn, own: &ZoneName) -> Vec<&'s Borrower> {
        let (Some((planned, overview)), Some(_)) = (self.planned, self.spec) else {
            return Vec::new();
        };
        let all = overview.borrowers.get_or_init(|| borrowers(planned));
        all.get(name).into_iter().flatten().filter(|borrower| borrower.zone != *own).collect()
    }

    /// Returns true if a proxied name hid an address before that no other zone publishes.
    pub(super) fn hide(self, address: IpAddr, own: &ZoneName) -> bool {
        let Some((spec, overview)) = self.spec.filter(|_| self.is_previous) else { return false };
        let all = overview.addresses.get_or_init(|| Addresses::of(spec));
        all.hidden.contains_key(&address)
            && all.public.get(&address).is_none_or(|users| users.as_ref() == Some(own))
    }

    /// Returns true if other zones had an address between these two before. The planned spec is not
    /// used: if a mistyped address is copied into two zones, each would count as a use for the
    /// other.
    pub(super) fn use_some(self, first: IpAddr, last: IpAddr, own: &ZoneName) -> bool {
        let Some((spec, overview)) = self.spec.filter(|_| self.is_previous) else { return false };
        let all = overview.addresses.get_or_init(|| Addresses::of(spec));
        let mut all = all.hidden.range(first..=last).chain(all.public.range(first..=last));
        all.any(|(_, users)| users.as_ref() != Some(own))
    }

    /// Iterates over the registered domains in use: the domains of the zones themselves, and of the
    /// hosts that other zones named before.
    pub(super) fn domains_in_use(self, own: &ZoneName) -> impl Iterator<Item = &'s str> {
        let zones = self.spec.into_iter().flat_map(|(spec, _)| spec.zones.keys());
        let of_hosts = self.is_previous.then(|| self.domains(own)).into_iter().flatten();
        zones.filter_map(|zone| zone.as_fqdn().registrable()).chain(of_hosts)
    }

    /// Iterates over the registered domains of the hosts that other zones of the planned spec name,
    /// if the previous spec is unknown. They may be new: if a mistyped domain is copied into two
    /// zones, each would count as a use for the other.
    pub(super) fn domains_planned(self, own: &ZoneName) -> impl Iterator<Item = &'s str> {
        (!self.is_previous).then(|| self.domains(own)).into_iter().flatten()
    }

    /// Iterates over the registered domains of the hosts that other zones name.
    fn domains(self, own: &ZoneName) -> impl Iterator<Item = &'s str> {
        let domains = self.hosts().into_iter().flat_map(|hosts| &hosts.domains);
        domains.filter(|(_, users)| users.as_ref() != Some(own)).map(|(domain, _)| domain.as_str())
    }

    /// Iterates over the name servers that other zones name.
    pub(super) fn servers(self, own: &ZoneName) -> impl Iterator<Item = &'s Fqdn> {
        let servers = self.hosts().into_iter().flat_map(|hosts| &hosts.servers);
        servers.filter(|(_, users)| users.as_ref() != Some(own)).map(|(server, _)| server)
    }

    fn hosts(self) -> Option<&'s Hosts> {
        self.spec.map(|(spec, overview)| overview.hosts.get_or_init(|| Hosts::of(spec)))
    }
}

/// Iterates over the records of a spec, with their zones.
fn records_of_spec(spec: &Desired) -> impl Iterator<Item = (&ZoneName, &DesiredRecord)> {
    spec.zones.values().flat_map(|zone| zone.records.iter().map(|record| (&zone.name, record)))
}

/// Finds the domains that use records of other zones in a spec.
fn borrowers(spec: &Desired) -> Borrowers {
    let mut all = Borrowers::new();
    for zone in spec.zones.values() {
        // The selectors of each domain, and the hosts that receive its mail.
        let mut selectors: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut exchanges: BTreeMap<&Fqdn, Vec<&Fqdn>> = BTreeMap::new();
        for record in &zone.records {
            if let Some((label, domain)) = selector(&record.name) {
                selectors.entry(domain).or_default().insert(label);
            }
            if let Some(host) =
                record.data.target().filter(|_| record.data.record_type() == Some(RecordType::Mx))
            {
                exchanges.entry(&record.name).or_default().push(host);
            }
        }
        for record in &zone.records {
            let entry = Entry::of_spec(record);
            let (name, target) =
                (entry.name, entry.data.target().filter(|_| entry.is(RecordType::Cname)));
            let key = selector(name)
                .map(|(label, domain)| (Borrowed::Key, label, Fqdn::reported(domain)));
            let of_alias = key.or_else(|| Some((Borrowed::Policy, "", policy_domain(name)?)));
            let aliases =
                target.into_iter().zip(of_alias).map(|(target, use_of)| (target.clone(), use_of));
            let included = entry
                .included()
                .into_iter()
                .map(|inner| (inner, (Borrowed::Senders, "", name.clone())));
            for (target, (what, label, domain)) in aliases.chain(included) {
                if target.is_within(zone.name.as_fqdn()) {
                    continue;
                }
                let count = selectors.get(domain.as_str()).map_or(0, BTreeSet::len);
                let received_by = exchanges.get(&domain).into_iter().flatten();
                let borrower = Borrower {
                    zone: zone.name.clone(),
                    what,
                    label: label.to_owned(),
                    others: count.saturating_sub(usize::from(what == Borrowed::Key)),
                    exchanges: received_by.map(|host| (*host).clone()).collect(),
                    domain,
                };
                all.entry(target).or_default().push(borrower);
            }
        }
    }
    all
}

/// Records that a zone uses an item.
fn note_user<T: Ord>(all: &mut BTreeMap<T, Users>, what: T, zone: &ZoneName) {
    let users = all.entry(what).or_insert_with(|| Some(zone.clone()));
    if users.as_ref() != Some(zone) {
        *users = None;
    }
}

impl Addresses {
    fn of(spec: &Desired) -> Self {
        let mut all = Self::default();
        for (zone, record) in records_of_spec(spec) {
            let entry = Entry::of_spec(record);
            if let Some(address) = record.data.address().filter(|_| entry.proxied) {
                note_user(&mut all.hidden, address, zone);
            }
            for address in published(&entry) {
                note_user(&mut all.public, address, zone);
            }
        }
        all
    }
}

impl Hosts {
    fn of(spec: &Desired) -> Self {
        let mut all = Self::default();
        for (zone, record) in records_of_spec(spec) {
            let Some(target) =
                record.data.target().filter(|target| !target.is_within(zone.as_fqdn()))
            else {
                continue;
            };
            if let Some(domain) = target.registrable() {
                note_user(&mut all.domains, domain.to_owned(), zone);
            }
            if record.data.record_type() == Some(RecordType::Ns) {
                note_user(&mut all.servers, target.clone(), zone);
            }
        }
        all
    }
}
