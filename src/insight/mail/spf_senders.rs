//! The hosts that may send in the name of a domain: SPF records followed through the zone.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::spf::{Directive, Mechanism, Qualifier, Spf, glued_domain};
use super::spf_lookup::AnsweredNames;
use super::spf_walk::{Hosts, Matched, NamedHost, Stop, Walk};
use crate::insight::dns::Answer;
use crate::insight::effect::at_most_five;
use crate::insight::published_addresses::network_in_words;
use crate::insight::zone_view::View;
use crate::model::{Fqdn, RecordType};

/// The SPF policy of a domain.
pub(super) enum SpfPolicy {
    Nothing,
    /// The zone has no data.
    Unknown,
    /// Receivers answer "permerror", for this reason.
    Broken(String),
    Record(Senders),
}

/// The hosts that may send, and the result for all others.
#[derive(Default)]
pub(super) struct Senders {
    v4: Vec<Ipv4Net>,
    v6: Vec<Ipv6Net>,
    /// Terms whose hosts this zone does not have, as written.
    pub(super) others: BTreeSet<String>,
    /// Terms whose hosts are proxied. Receivers compare the sender with addresses of the edge.
    pub(super) proxied: BTreeSet<String>,
    /// The result for all other hosts; `None` if another domain decides.
    pub(super) otherwise: Option<Qualifier>,
    pub(super) octets: usize,
    /// Number of terms after `all`, which receivers ignore (RFC 7208 section 5.1).
    pub(super) ignored: usize,
    /// True if the record does not define the result for other hosts, which is the same as `?all`
    /// (RFC 7208 section 4.7).
    pub(super) says_nothing: bool,
}

impl Senders {
    /// Returns true if no host may send.
    pub(super) fn is_empty(&self) -> bool {
        self.v4.is_empty()
            && self.v6.is_empty()
            && self.others.is_empty()
            && self.otherwise != Some(Qualifier::Pass)
    }

    /// Returns the networks of these senders outside of the known networks, as few as possible.
    pub(super) fn beyond(&self, known: &[IpNet]) -> Vec<IpNet> {
        let is_new = |network: IpNet| !known.iter().any(|known| known.contains(&network));
        let v4 = self.v4.iter().copied().filter(|n| is_new(IpNet::V4(*n))).collect();
        let v6 = self.v6.iter().copied().filter(|n| is_new(IpNet::V6(*n))).collect();
        Self { v4, v6, ..Self::default() }.networks()
    }

    /// Returns the networks of these senders outside of the given networks, as few as possible.
    pub(super) fn lost_to(&self, known: &[IpNet]) -> Vec<IpNet> {
        IpNet::aggregate(
            &self
                .networks()
                .into_iter()
                .flat_map(|network| network_without(network, known))
                .collect(),
        )
    }

    /// Returns the networks, as few as possible.
    pub(super) fn networks(&self) -> Vec<IpNet> {
        let v4 = Ipv4Net::aggregate(&self.v4).into_iter().map(IpNet::V4);
        v4.chain(Ipv6Net::aggregate(&self.v6).into_iter().map(IpNet::V6)).collect()
    }

    /// Describes the result for all other hosts.
    pub(super) fn rest(&self) -> &'static str {
        match self.otherwise {
            Some(Qualifier::Fail) => "everyone else is refused (-all)",
            Some(Qualifier::SoftFail) => "everyone else is suspected (~all)",
            Some(Qualifier::Neutral) if self.says_nothing => {
                "nothing is said about everyone else (no `all`)"
            }
            Some(Qualifier::Neutral) => "nothing is said about everyone else (?all)",
            Some(Qualifier::Pass) => "everyone else is allowed as well (+all)",
            None => "another domain decides about everyone else",
        }
    }

    /// Describes the senders.
    pub(super) fn summary(&self) -> String {
        let networks = self.networks();
        let networks = networks.iter().map(network_in_words);
        let proxied = self.proxied.iter().map(|term| format!("{term} (proxied)"));
        let senders: Vec<String> =
            networks.chain(self.others.iter().cloned()).chain(proxied).collect();
        if senders.is_empty() { "no one".to_owned() } else { at_most_five(senders) }
    }
}

/// The answer to the question if an SPF record allows an address.
pub(super) enum Allows {
    Yes,
    No,
    /// The result depends on these terms, whose hosts are not in this zone.
    Perhaps(BTreeSet<String>),
}

/// Decides if the record of a domain allows an address, as far as the zone shows; `None` if
/// receivers find no record that they understand.
pub(super) fn allows(view: View<'_, '_>, name: &Fqdn, address: IpAddr) -> Option<Allows> {
    let SpfPolicy::Record(senders) = find_spf(view, name) else { return None };
    Some(match senders.networks().iter().any(|network| network.contains(&address)) {
        true => Allows::Yes,
        false if senders.others.is_empty() => Allows::No,
        false => Allows::Perhaps(senders.others),
    })
}

/// Returns the policy of a domain, as far as the zone shows.
pub(super) fn find_spf(view: View<'_, '_>, name: &Fqdn) -> SpfPolicy {
    find_in(|name, kind| view.0.answer(name, kind), true, name)
}

/// Returns the policy of a domain. If `knows_all` is true, names without an answer do not exist.
pub(super) fn find_in<'a>(
    answer: impl Fn(&Fqdn, RecordType) -> Answer<'a>,
    knows_all: bool,
    name: &Fqdn,
) -> SpfPolicy {
    let names = AnsweredNames { answer, knows_all };
    let mut walk = Walk::new(&names, None);
    let mut senders = Senders::default();
    match senders.follow(&mut walk, name, &mut vec![name.clone()]) {
        Ok(Some((record, octets))) => {
            let reachable = record.reachable();
            let ends =
                matches!(reachable.last(), Some(Directive { mechanism: Mechanism::All, .. }));
            senders.octets = octets;
            senders.ignored = record.directives.len() - reachable.len();
            senders.says_nothing = !ends && record.redirect.is_none();
            SpfPolicy::Record(senders)
        }
        Ok(None) => SpfPolicy::Nothing,
        Err(Stop::Unknown) => SpfPolicy::Unknown,
        Err(Stop::Wrong(why)) => SpfPolicy::Broken(why),
    }
}

impl Senders {
    /// Adds the hosts that the record of a domain allows, and returns the record with its length in
    /// octets. Errors make receivers answer "permerror".
    fn follow(
        &mut self,
        walk: &mut Walk<'_>,
        name: &Fqdn,
        path: &mut Vec<Fqdn>,
    ) -> Result<Option<(Spf, usize)>, Stop> {
        let Some((record, octets)) = walk.record(name)? else { return Ok(None) };
        for Directive { qualifier, mechanism } in record.reachable() {
            let passes = *qualifier == Qualifier::Pass;
            if let Mechanism::Include(spec) = mechanism
                && let Some(why) = glued_domain(spec, "include:")
            {
                return Err(Stop::Wrong(why));
            }
            let matched = match walk.look_up(mechanism, name) {
                Ok(matched) => matched,
                Err(Stop::Unknown) => {
                    self.others.extend(passes.then(|| mechanism.shown(name)));
                    continue;
                }
                Err(wrong) => return Err(wrong),
            };
            match matched {
                Matched::Hosts(hosts) if passes => self.add(hosts, &mechanism.shown(name)),
                // The end of the record defines the result for all other hosts.
                Matched::Everyone | Matched::Hosts(_) => {}
                Matched::PassingAt(inner) => {
                    let inner = Fqdn::reported(&inner);
                    if path.contains(&inner) {
                        return Err(Stop::Wrong(format!("{inner} includes itself")));
                    }
                    let mut allowed = Self::default();
                    path.push(inner.clone());
                    match allowed.follow_required(walk, &inner, path) {
                        Err(Stop::Unknown) => {
                            self.others.extend(passes.then(|| mechanism.shown(name)));
                        }
                        Err(wrong) => return Err(wrong),
                        Ok(()) if passes => self.include(allowed),
                        Ok(()) => {}
                    }
                    path.pop();
                }
            }
        }
        self.otherwise = record.otherwise();
        if let (None, Some(target)) = (self.otherwise, &record.redirect) {
            walk.count_lookup()?;
            if let Some(why) = glued_domain(target, "redirect=") {
                return Err(Stop::Wrong(why));
            }
            let is_known = match target.name() {
                Some(target) if path.contains(&target) => {
                    return Err(Stop::Wrong(format!("{target} redirects to itself")));
                }
                Some(target) => {
                    path.push(target.clone());
                    match self.follow_required(walk, &target, path) {
                        Ok(()) => true,
                        Err(Stop::Unknown) => false,
                        Err(wrong) => return Err(wrong),
                    }
                }
                None => false,
            };
            self.others.extend((!is_known).then(|| format!("redirect={}", target.as_str())));
        }
        Ok(Some((record, octets)))
    }

    /// Does the same as [`Senders::follow`] for a domain in another record. Fails if the domain has
    /// no record.
    fn follow_required(
        &mut self,
        walk: &mut Walk<'_>,
        name: &Fqdn,
        path: &mut Vec<Fqdn>,
    ) -> Result<(), Stop> {
        match self.follow(walk, name, path)? {
            Some(_) => Ok(()),
            None => Err(Stop::Wrong(format!("{name} has no SPF record"))),
        }
    }

    fn add(&mut self, hosts: Hosts, term: &str) {
        for network in hosts.networks {
            match network {
                IpNet::V4(network) => self.v4.push(network),
                IpNet::V6(network) => self.v6.push(network),
            }
        }
        let words = |host: NamedHost| host.exchange.map_or(term.to_owned(), |e| format!("a:{e}"));
        self.others.extend(hosts.unknown.into_iter().map(words));
        self.proxied.extend(hosts.proxied.into_iter().map(words));
    }

    /// Adds the hosts of an included record. A host that passes there passes here.
    fn include(&mut self, mut allowed: Self) {
        self.v4.append(&mut allowed.v4);
        self.v6.append(&mut allowed.v6);
        self.others.append(&mut allowed.others);
        self.proxied.append(&mut allowed.proxied);
        if allowed.otherwise == Some(Qualifier::Pass) {
            self.v4.push(Ipv4Net::default());
            self.v6.push(Ipv6Net::default());
        }
    }
}

/// Returns a network without the other networks.
pub(super) fn network_without(network: IpNet, others: &[IpNet]) -> Vec<IpNet> {
    if others.iter().any(|other| other.contains(&network)) {
        return Vec::new();
    }
    let inside: Vec<IpNet> =
        others.iter().copied().filter(|other| network.contains(other)).collect();
    match network.subnets(network.prefix_len() + 1) {
        Ok(halves) if !inside.is_empty() => {
            halves.flat_map(|half| network_without(half, &inside)).collect()
        }
        _ => vec![network],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_narrower_network_loses_is_the_rest() {
        let net = |text: &str| -> IpNet { text.parse().unwrap() };
        let senders = Senders { v4: vec!["198.18.60.0/24".parse().unwrap()], ..Senders::default() };
        assert_eq!(senders.lost_to(&[net("198.18.60.0/25")]), [net("198.18.60.128/25")]);
        assert_eq!(
            senders.lost_to(&[net("198.18.60.64/26")]),
            [net("198.18.60.0/26"), net("198.18.60.128/25")]
        );
        assert_eq!(senders.lost_to(&[net("198.18.0.0/16")]), []);
        assert_eq!(senders.lost_to(&[net("198.18.61.0/24")]), [net("198.18.60.0/24")]);
    }
}
