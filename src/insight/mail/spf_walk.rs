//! Finds what the terms of SPF records match, within the limits of RFC 7208 section 4.6.4: lookups,
//! mail servers of one name, and lookups without an answer.
//!
//! `spf_check_host` walks records for one host, `spf_senders` for all hosts.

use std::net::IpAddr;

use ipnet::IpNet;

use super::spf::{Mechanism, Prefixes, Spf, is_spf};
use super::spf_limits::{MOST_LOOKUPS, MOST_NAMES, MOST_VOID};
use super::spf_macros::{DomainSpec, Envelope};
use crate::model::{Fqdn, LABEL_OCTETS, NAME_OCTETS};

/// The answer to a lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupAnswer<T> {
    /// Empty if the name has no such records or does not exist.
    Values(Vec<T>),
    /// Addresses of Cloudflare's edge: the name is proxied.
    Edge,
    /// Unknown: other servers answer for it, or none does.
    Unknown,
}

/// A source for looking up names. Aliases are followed.
pub trait Lookup {
    /// Returns the texts at a name.
    fn texts(&self, name: &Fqdn) -> LookupAnswer<Vec<u8>>;
    /// Returns the addresses of a name, of one family.
    fn addresses(&self, name: &Fqdn, v6: bool) -> LookupAnswer<IpAddr>;
    /// Returns the mail servers of a name. The root means none (RFC 7505).
    fn exchanges(&self, name: &Fqdn) -> LookupAnswer<Fqdn>;
    /// Returns the names of an address.
    fn reverse(&self, address: IpAddr) -> LookupAnswer<Fqdn>;
}

/// The reason why a walk stops early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// Receivers answer "permerror", for this reason.
    Wrong(String),
    /// The known zones have no data.
    Unknown,
}

pub(super) enum Matched {
    Everyone,
    Hosts(Hosts),
    /// The hosts that pass the record of this domain.
    PassingAt(String),
}

/// Hosts that a mechanism matches.
#[derive(Default)]
pub(super) struct Hosts {
    /// Their networks.
    pub(super) networks: Vec<IpNet>,
    /// Hosts with addresses of Cloudflare's edge, which sends no mail.
    pub(super) proxied: Vec<NamedHost>,
    /// Hosts with unknown addresses.
    pub(super) unknown: Vec<NamedHost>,
}

/// A host without known addresses of its own.
#[derive(Clone)]
pub(super) struct NamedHost {
    /// Its name, if it is a mail server. Otherwise the mechanism names it.
    pub(super) exchange: Option<Fqdn>,
    /// Determines the networks around its addresses that match.
    pub(super) prefixes: Prefixes,
}

/// The state of a check of one record and of the records that it includes.
pub(super) struct Walk<'w> {
    names: &'w dyn Lookup,
    /// The mail that is checked; `None` for any mail of any host.
    envelope: Option<&'w Envelope<'w>>,
    lookups: usize,
    void: usize,
}

impl<'w> Walk<'w> {
    pub(super) fn new(names: &'w dyn Lookup, envelope: Option<&'w Envelope<'w>>) -> Self {
        Self { names, envelope, lookups: 0, void: 0 }
    }

    /// Returns the only record of a domain, with its length in octets.
    pub(super) fn record(&self, domain: &Fqdn) -> Result<Option<(Spf, usize)>, Stop> {
        let LookupAnswer::Values(texts) = self.names.texts(domain) else {
            return Err(Stop::Unknown);
        };
        let texts: Vec<&Vec<u8>> = texts.iter().filter(|text| is_spf(text)).collect();
        match texts[..] {
            [] => Ok(None),
            [text] => {
                Spf::parse(text).map(|record| Some((record, text.len()))).map_err(Stop::Wrong)
            }
            _ => Err(Stop::Wrong(format!("{} SPF records at one name", texts.len()))),
        }
    }

    /// Counts a term that takes a lookup.
    pub(super) fn count_lookup(&mut self) -> Result<(), Stop> {
        self.lookups += 1;
        if self.lookups <= MOST_LOOKUPS {
            return Ok(());
        }
        Err(Stop::Wrong(format!("{} lookups, more than {MOST_LOOKUPS}", self.lookups)))
    }

    /// Counts a lookup if it has no answer.
    fn count_void(&mut self, is_void: bool) -> Result<(), Stop> {
        self.void += usize::from(is_void);
        if self.void <= MOST_VOID {
            return Ok(());
        }
        Err(Stop::Wrong(format!("{} names without an answer, more than {MOST_VOID}", self.void)))
    }

    /// Returns a name in a record of `domain` with its macros replaced.
    pub(super) fn expand(&self, spec: &DomainSpec, domain: &Fqdn) -> Result<String, Stop> {
        let expanded = match self.envelope {
            Some(envelope) => spec.expand(domain, envelope),
            None => spec.name().map(|name| name.to_string()),
        };
        expanded.ok_or(Stop::Unknown)
    }

    /// Returns the name that a mechanism of a record of `domain` concerns; `None` if no such name
    /// can be looked up.
    fn target(&self, spec: Option<&DomainSpec>, domain: &Fqdn) -> Result<Option<Fqdn>, Stop> {
        match spec {
            Some(spec) => self.expand(spec, domain).map(|text| name_to_look_up(&text)),
            None => Ok(Some(domain.clone())),
        }
    }

    /// Looks up the hosts that a mechanism of the record of `domain` matches.
    pub(super) fn look_up(
        &mut self,
        mechanism: &Mechanism,
        domain: &Fqdn,
    ) -> Result<Matched, Stop> {
        if mechanism.takes_a_lookup() {
            self.count_lookup()?;
        }
        let mut hosts = Hosts::default();
        match mechanism {
            Mechanism::All => return Ok(Matched::Everyone),
            Mechanism::Ip4(network) => hosts.networks.push(IpNet::V4(*network)),
            Mechanism::Ip6(network) => hosts.networks.push(IpNet::V6(*network)),
            Mechanism::Include(spec) => return self.expand(spec, domain).map(Matched::PassingAt),
            Mechanism::A(spec, prefixes) => {
                if let Some(host) = self.target(spec.as_ref(), domain)? {
                    let is_void = self.add_host(&host, None, *prefixes, &mut hosts);
                    self.count_void(is_void)?;
                }
            }
            Mechanism::Mx(spec, prefixes) => {
                if let Some(host) = self.target(spec.as_ref(), domain)? {
                    self.add_exchanges(&host, *prefixes, &mut hosts)?;
                }
            }
            Mechanism::Ptr(spec) => {
                let envelope = self.envelope.ok_or(Stop::Unknown)?;
                if let Some(host) = self.target(spec.as_ref(), domain)? {
                    self.add_reversed(&host, envelope.address, &mut hosts)?;
                }
            }
            Mechanism::Exists(spec) => {
                self.envelope.ok_or(Stop::Unknown)?;
                if let Some(host) = self.target(Some(spec), domain)? {
                    match self.names.addresses(&host, false) {
                        LookupAnswer::Values(found) => {
                            self.count_void(found.is_empty())?;
                            if !found.is_empty() {
                                return Ok(Matched::Everyone);
                            }
                        }
                        LookupAnswer::Edge => return Ok(Matched::Everyone),
                        LookupAnswer::Unknown => return Err(Stop::Unknown),
                    }
                }
            }
        }
        Ok(Matched::Hosts(hosts))
    }

    /// Adds the networks around the addresses of a host, for the relevant families. Returns true if
    /// it has no address.
    fn add_host(
        &self,
        host: &Fqdn,
        exchange: Option<&Fqdn>,
        prefixes: Prefixes,
        hosts: &mut Hosts,
    ) -> bool {
        let families = match self.envelope {
            Some(envelope) if envelope.address.is_ipv6() => &[true][..],
            Some(_) => &[false],
            None => &[false, true],
        };
        let named_host = || NamedHost { exchange: exchange.cloned(), prefixes };
        let mut is_void = true;
        for v6 in families {
            match self.names.addresses(host, *v6) {
                LookupAnswer::Values(found) => {
                    is_void &= found.is_empty();
                    hosts
                        .networks
                        .extend(found.into_iter().filter_map(|a| network_of(a, prefixes)));
                }
                LookupAnswer::Edge => {
                    is_void = false;
                    hosts.proxied.push(named_host());
                }
                LookupAnswer::Unknown => {
                    is_void = false;
                    hosts.unknown.push(named_host());
                }
            }
        }
        is_void
    }

    /// Adds the mail servers of a name.
    fn add_exchanges(
        &mut self,
        host: &Fqdn,
        prefixes: Prefixes,
        hosts: &mut Hosts,
    ) -> Result<(), Stop> {
        let LookupAnswer::Values(exchanges) = self.names.exchanges(host) else {
            return Err(Stop::Unknown);
        };
        self.count_void(exchanges.is_empty())?;
        if exchanges.len() > MOST_NAMES {
            let count = exchanges.len();
            return Err(Stop::Wrong(format!(
                "`mx` finds {count} mail servers of {host}, more than {MOST_NAMES}"
            )));
        }
        for exchange in exchanges.iter().filter(|exchange| !exchange.is_root()) {
            self.add_host(exchange, Some(exchange), prefixes, hosts);
        }
        Ok(())
    }

    /// Adds an address if one of its names is below a name and has the address.
    fn add_reversed(&self, host: &Fqdn, address: IpAddr, hosts: &mut Hosts) -> Result<(), Stop> {
        let LookupAnswer::Values(names) = self.names.reverse(address) else {
            return Err(Stop::Unknown);
        };
        let is_own = |name: &Fqdn| match self.names.addresses(name, address.is_ipv6()) {
            LookupAnswer::Values(own) => own.contains(&address),
            LookupAnswer::Edge | LookupAnswer::Unknown => false,
        };
        if names.iter().take(MOST_NAMES).any(|name| name.is_within(host) && is_own(name)) {
            hosts.networks.push(IpNet::from(address));
        }
        Ok(())
    }
}

/// Returns a name that can be looked up. Other names do not match.
pub(super) fn name_to_look_up(text: &str) -> Option<Fqdn> {
    let bare = text.strip_suffix('.').unwrap_or(text);
    let is_label = |label: &str| !label.is_empty() && label.len() <= LABEL_OCTETS;
    (bare.len() <= NAME_OCTETS && bare.split('.').all(is_label)).then(|| Fqdn::reported(bare))
}

/// Returns the network around an address.
pub(super) fn network_of(address: IpAddr, prefixes: Prefixes) -> Option<IpNet> {
    let length = if address.is_ipv4() { prefixes.v4 } else { prefixes.v6 };
    IpNet::new(address, length).ok().map(|network| network.trunc())
}
