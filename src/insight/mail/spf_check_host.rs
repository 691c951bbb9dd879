//! Whether a host may send mail in the name of a domain: the function `check_host` of RFC 7208
//! section 4, answered as far as the zones at hand tell.

use std::net::IpAddr;

use ipnet::IpNet;

use super::spf::{Directive, Mechanism, Prefixes, Qualifier, Spf, is_spf};
use super::spf_limits::{MOST_LOOKUPS, MOST_NAMES, MOST_VOID};
use super::spf_macros::{DomainSpec, Envelope};
use crate::model::{Fqdn, LABEL_OCTETS, NAME_OCTETS};

/// What is known about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known<T> {
    /// These values; none, if the name has no such records or does not exist.
    Values(Vec<T>),
    /// Nothing: other servers answer for it, or none does.
    Unknown,
}

/// Where names are looked up. Aliases are followed.
pub trait Lookup {
    /// The texts at a name.
    fn texts(&self, name: &Fqdn) -> Known<Vec<u8>>;
    /// The addresses of a name, of one family.
    fn addresses(&self, name: &Fqdn, v6: bool) -> Known<IpAddr>;
    /// The mail servers of a name, the first ones first.
    fn exchanges(&self, name: &Fqdn) -> Known<Fqdn>;
    /// The names of an address.
    fn reverse(&self, address: IpAddr) -> Known<Fqdn>;
}

/// What a receiver finds (section 2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The domain says nothing.
    None,
    /// The domain explicitly does not say whether the host may send.
    Neutral,
    /// The host may send.
    Pass,
    /// The host may not send.
    Fail,
    /// The host probably may not send.
    SoftFail,
    /// The record of the domain, or one that it includes, is wrong.
    PermError,
    /// The zones at hand do not tell.
    Unknown,
}

impl From<Qualifier> for Outcome {
    fn from(qualifier: Qualifier) -> Self {
        match qualifier {
            Qualifier::Pass => Self::Pass,
            Qualifier::Neutral => Self::Neutral,
            Qualifier::SoftFail => Self::SoftFail,
            Qualifier::Fail => Self::Fail,
        }
    }
}

/// Whether the host of an envelope may send in the name of a domain.
#[must_use]
pub fn check_host(domain: &str, envelope: &Envelope<'_>, lookup: &dyn Lookup) -> Outcome {
    // An IPv4 address in IPv6 form is an IPv4 address (section 5).
    let envelope = &Envelope { address: envelope.address.to_canonical(), ..envelope.clone() };
    let mut check = Check { lookup, envelope, lookups: 0, void: 0 };
    match check.host(domain) {
        Ok(outcome) => outcome,
        Err(stop) => stop.into(),
    }
}

/// Why a check ends before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Wrong,
    Unknown,
}

impl From<Stop> for Outcome {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Wrong => Self::PermError,
            Stop::Unknown => Self::Unknown,
        }
    }
}

/// A check under way.
struct Check<'c> {
    lookup: &'c dyn Lookup,
    envelope: &'c Envelope<'c>,
    lookups: usize,
    void: usize,
}

impl Check<'_> {
    /// The function of section 4 for one domain.
    fn host(&mut self, domain: &str) -> Result<Outcome, Stop> {
        let Some(domain) = name(domain).filter(|domain| domain.label_count() > 1) else {
            return Ok(Outcome::None);
        };
        let Known::Values(texts) = self.lookup.texts(&domain) else { return Err(Stop::Unknown) };
        let mut own = texts.iter().filter(|text| is_spf(text));
        let record = match (own.next(), own.next()) {
            (None, _) => return Ok(Outcome::None),
            (Some(_), Some(_)) => return Err(Stop::Wrong),
            (Some(text), None) => Spf::parse(text).map_err(|_| Stop::Wrong)?,
        };
        // What the check would say if terms matched of which that is not known.
        let mut open: Vec<Outcome> = Vec::new();
        let close = |open: &[Outcome], outcome: Outcome| {
            if open.iter().all(|o| *o == outcome) { Ok(outcome) } else { Err(Stop::Unknown) }
        };
        for Directive { qualifier, mechanism } in &record.directives {
            match self.matches(mechanism, &domain) {
                Ok(true) => return close(&open, (*qualifier).into()),
                Ok(false) => {}
                Err(Stop::Unknown) => open.push((*qualifier).into()),
                Err(Stop::Wrong) => return close(&open, Outcome::PermError),
            }
        }
        let Some(target) = &record.redirect else { return close(&open, Outcome::Neutral) };
        self.count()?;
        let target = self.expand(target, &domain)?;
        match self.host(&target) {
            Ok(Outcome::None) | Err(Stop::Wrong) => close(&open, Outcome::PermError),
            Ok(outcome) => close(&open, outcome),
            Err(Stop::Unknown) => Err(Stop::Unknown),
        }
    }

    /// Counts a term that takes a lookup.
    fn count(&mut self) -> Result<(), Stop> {
        self.lookups += 1;
        if self.lookups > MOST_LOOKUPS { Err(Stop::Wrong) } else { Ok(()) }
    }

    /// The values of a lookup; none count as void.
    fn values<T>(&mut self, known: Known<T>) -> Result<Vec<T>, Stop> {
        let Known::Values(values) = known else { return Err(Stop::Unknown) };
        self.void += usize::from(values.is_empty());
        if self.void > MOST_VOID { Err(Stop::Wrong) } else { Ok(values) }
    }

    /// A name with its macros replaced.
    fn expand(&self, spec: &DomainSpec, domain: &Fqdn) -> Result<String, Stop> {
        spec.expand(domain, self.envelope).ok_or(Stop::Unknown)
    }

    /// Whether a mechanism matches.
    fn matches(&mut self, mechanism: &Mechanism, domain: &Fqdn) -> Result<bool, Stop> {
        let address = self.envelope.address;
        if mechanism.takes_a_lookup() {
            self.count()?;
        }
        let target = |check: &Self, spec: &Option<DomainSpec>| match spec {
            Some(spec) => check.expand(spec, domain).map(|text| name(&text)),
            None => Ok(Some(domain.clone())),
        };
        match mechanism {
            Mechanism::All => Ok(true),
            Mechanism::Ip4(network) => Ok(IpNet::V4(*network).contains(&address)),
            Mechanism::Ip6(network) => Ok(IpNet::V6(*network).contains(&address)),
            Mechanism::Include(spec) => match self.host(&self.expand(spec, domain)?)? {
                Outcome::Pass => Ok(true),
                Outcome::Fail | Outcome::SoftFail | Outcome::Neutral => Ok(false),
                Outcome::None | Outcome::PermError => Err(Stop::Wrong),
                Outcome::Unknown => Err(Stop::Unknown),
            },
            Mechanism::A(spec, prefixes) => {
                let Some(host) = target(self, spec)? else { return Ok(false) };
                let found = self.lookup.addresses(&host, address.is_ipv6());
                Ok(self.values(found)?.into_iter().any(|a| is_near(a, address, *prefixes)))
            }
            Mechanism::Mx(spec, prefixes) => {
                let Some(host) = target(self, spec)? else { return Ok(false) };
                let found = self.lookup.exchanges(&host);
                let exchanges = self.values(found)?;
                if exchanges.len() > MOST_NAMES {
                    return Err(Stop::Wrong);
                }
                let mut is_unknown = false;
                for exchange in &exchanges {
                    match self.lookup.addresses(exchange, address.is_ipv6()) {
                        Known::Values(own)
                            if own.iter().any(|a| is_near(*a, address, *prefixes)) =>
                        {
                            return Ok(true);
                        }
                        Known::Values(_) => {}
                        Known::Unknown => is_unknown = true,
                    }
                }
                if is_unknown { Err(Stop::Unknown) } else { Ok(false) }
            }
            Mechanism::Ptr(spec) => {
                let Some(host) = target(self, spec)? else { return Ok(false) };
                let Known::Values(names) = self.lookup.reverse(address) else {
                    return Err(Stop::Unknown);
                };
                let is_own = |name: &Fqdn| match self.lookup.addresses(name, address.is_ipv6()) {
                    Known::Values(own) => own.contains(&address),
                    Known::Unknown => false,
                };
                Ok(names.iter().take(MOST_NAMES).any(|name| name.is_within(&host) && is_own(name)))
            }
            Mechanism::Exists(spec) => {
                let Some(host) = name(&self.expand(spec, domain)?) else { return Ok(false) };
                let found = self.lookup.addresses(&host, false);
                Ok(!self.values(found)?.is_empty())
            }
        }
    }
}

/// A name that can be looked up; others do not match.
fn name(text: &str) -> Option<Fqdn> {
    let bare = text.strip_suffix('.').unwrap_or(text);
    let is_label = |label: &str| !label.is_empty() && label.len() <= LABEL_OCTETS;
    (bare.len() <= NAME_OCTETS && bare.split('.').all(is_label)).then(|| Fqdn::reported(bare))
}

/// Whether an address is in the network around another one.
fn is_near(own: IpAddr, address: IpAddr, prefixes: Prefixes) -> bool {
    let length = if own.is_ipv4() { prefixes.v4 } else { prefixes.v6 };
    IpNet::new(own, length).is_ok_and(|network| network.contains(&address))
}
