//! Decides if a host may send mail in the name of a domain: the function `check_host` of RFC 7208
//! section 4, as far as the known zones show.

use super::spf::{Directive, Mechanism, Qualifier};
use super::spf_macros::Envelope;
use super::spf_walk::{Hosts, Lookup, Matched, Stop, Walk, name_to_look_up, network_of};
use crate::insight::published_addresses::EDGE;
use crate::model::Fqdn;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpfResult {
    /// The domain has no policy.
    None,
    /// The record makes no statement about the host.
    Neutral,
    /// The host may send.
    Pass,
    /// The host may not send.
    Fail,
    /// The host probably may not send.
    SoftFail,
    /// The record of the domain, or one that it includes, is wrong.
    PermError,
    /// The known zones have no data.
    Unknown,
}

impl From<Qualifier> for SpfResult {
    fn from(qualifier: Qualifier) -> Self {
        match qualifier {
            Qualifier::Pass => Self::Pass,
            Qualifier::Neutral => Self::Neutral,
            Qualifier::SoftFail => Self::SoftFail,
            Qualifier::Fail => Self::Fail,
        }
    }
}

/// Returns the result for the host of an envelope and the name of a domain.
#[must_use]
pub fn check_host(domain: &str, envelope: &Envelope<'_>, lookup: &dyn Lookup) -> SpfResult {
    // An IPv4 address in IPv6 form is an IPv4 address (section 5).
    let envelope = &Envelope { address: envelope.address.to_canonical(), ..envelope.clone() };
    let mut check = SpfCheck { walk: Walk::new(lookup, Some(envelope)), envelope };
    match check.host(domain) {
        Ok(outcome) => outcome,
        Err(Stop::Wrong(_)) => SpfResult::PermError,
        Err(Stop::Unknown) => SpfResult::Unknown,
    }
}

/// The state of a check.
struct SpfCheck<'c> {
    walk: Walk<'c>,
    envelope: &'c Envelope<'c>,
}

impl SpfCheck<'_> {
    /// Executes the function of section 4 for one domain.
    fn host(&mut self, domain: &str) -> Result<SpfResult, Stop> {
        let Some(domain) = name_to_look_up(domain).filter(|domain| domain.label_count() > 1) else {
            return Ok(SpfResult::None);
        };
        let Some((record, _)) = self.walk.record(&domain)? else { return Ok(SpfResult::None) };
        // Possible results of earlier terms, if it is unknown whether they match.
        let mut open: Vec<SpfResult> = Vec::new();
        let close = |open: &[SpfResult], outcome: SpfResult| {
            if open.iter().all(|o| *o == outcome) { Ok(outcome) } else { Err(Stop::Unknown) }
        };
        for Directive { qualifier, mechanism } in &record.directives {
            match self.matches(mechanism, &domain) {
                Ok(true) => return close(&open, (*qualifier).into()),
                Ok(false) => {}
                Err(Stop::Unknown) => open.push((*qualifier).into()),
                Err(Stop::Wrong(_)) => return close(&open, SpfResult::PermError),
            }
        }
        let Some(target) = &record.redirect else { return close(&open, SpfResult::Neutral) };
        self.walk.count_lookup()?;
        let target = self.walk.expand(target, &domain)?;
        match self.host(&target) {
            Ok(SpfResult::None) | Err(Stop::Wrong(_)) => close(&open, SpfResult::PermError),
            Ok(outcome) => close(&open, outcome),
            Err(Stop::Unknown) => Err(Stop::Unknown),
        }
    }

    /// Returns true if a mechanism matches.
    fn matches(&mut self, mechanism: &Mechanism, domain: &Fqdn) -> Result<bool, Stop> {
        match self.walk.look_up(mechanism, domain)? {
            Matched::Everyone => Ok(true),
            Matched::Hosts(hosts) => self.is_one_of(&hosts),
            Matched::PassingAt(inner) => match self.host(&inner)? {
                SpfResult::Pass => Ok(true),
                SpfResult::Fail | SpfResult::SoftFail | SpfResult::Neutral => Ok(false),
                SpfResult::None | SpfResult::PermError => {
                    Err(Stop::Wrong(format!("{inner} has no SPF record")))
                }
                SpfResult::Unknown => Err(Stop::Unknown),
            },
        }
    }

    /// Returns true if the sending host is in `hosts`. The addresses of a proxied name at the edge
    /// are unknown, except that they are Cloudflare's.
    fn is_one_of(&self, hosts: &Hosts) -> Result<bool, Stop> {
        let address = self.envelope.address;
        if hosts.networks.iter().any(|network| network.contains(&address)) {
            return Ok(true);
        }
        let may_be_edge = hosts.proxied.iter().any(|host| {
            let near = network_of(address, host.prefixes);
            near.is_some_and(|near| {
                EDGE.iter().any(|edge| edge.contains(&near) || near.contains(edge))
            })
        });
        if may_be_edge || !hosts.unknown.is_empty() { Err(Stop::Unknown) } else { Ok(false) }
    }
}
