//! Who may send in the name of a domain: SPF records followed through the zone, and compared.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::spf::{Directive, Mechanism, Prefixes, Qualifier, Spf, is_spf};
use super::spf_limits::{MOST_LOOKUPS, MOST_OCTETS, MOST_VOID, WIDE};
use crate::diagnostic::count;
use crate::insight::direction::Direction;
use crate::insight::effect::{Effect, Topic, listed};
use crate::insight::mistyped_addresses::slip_of;
use crate::insight::other_zones::OtherZones;
use crate::insight::published_addresses::network_in_words;
use crate::insight::zone_view::View;
use crate::model::{Danger, Fqdn, RecordType};

/// What receivers find at a domain.
pub(super) enum Found {
    Nothing,
    /// They answer "permerror", because of this.
    Broken(String),
    Record(Senders),
}

/// Who may send.
#[derive(Default)]
pub(super) struct Senders {
    v4: Vec<Ipv4Net>,
    v6: Vec<Ipv6Net>,
    /// Terms whose hosts this zone does not tell, as written.
    others: BTreeSet<String>,
    /// What happens to everyone else; `None` if another domain decides.
    otherwise: Option<Qualifier>,
    lookups: usize,
    void: usize,
    octets: usize,
    /// How many terms follow `all`, so that receivers ignore them (RFC 7208 section 5.1).
    ignored: usize,
    /// Whether nothing says what happens to everyone else, which is as `?all` (RFC 7208 section
    /// 4.7).
    says_nothing: bool,
}

impl Senders {
    /// Whether no host may send.
    fn is_empty(&self) -> bool {
        self.v4.is_empty()
            && self.v6.is_empty()
            && self.others.is_empty()
            && self.otherwise != Some(Qualifier::Pass)
    }

    /// The networks that none of these has, as few as possible.
    pub(super) fn beyond(&self, known: &[IpNet]) -> Vec<IpNet> {
        let is_new = |network: IpNet| !known.iter().any(|known| known.contains(&network));
        let v4 = self.v4.iter().copied().filter(|n| is_new(IpNet::V4(*n))).collect();
        let v6 = self.v6.iter().copied().filter(|n| is_new(IpNet::V6(*n))).collect();
        Self { v4, v6, ..Self::default() }.networks()
    }

    /// What of the networks is in none of these, as few as possible.
    pub(super) fn lost_to(&self, known: &[IpNet]) -> Vec<IpNet> {
        IpNet::aggregate(
            &self.networks().into_iter().flat_map(|network| without(network, known)).collect(),
        )
    }

    /// The networks, as few as possible.
    pub(super) fn networks(&self) -> Vec<IpNet> {
        let v4 = Ipv4Net::aggregate(&self.v4).into_iter().map(IpNet::V4);
        v4.chain(Ipv6Net::aggregate(&self.v6).into_iter().map(IpNet::V6)).collect()
    }

    /// What happens to everyone else, in words.
    fn rest(&self) -> &'static str {
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

    /// In a few words.
    fn summary(&self) -> String {
        let networks = self.networks();
        let networks = networks.iter().map(network_in_words);
        let all: Vec<String> = networks.chain(self.others.iter().cloned()).collect();
        if all.is_empty() { "no one".to_owned() } else { listed(all) }
    }
}

/// Whether the record of a domain allows an address.
pub(super) enum Allows {
    Yes,
    No,
    /// If one of these terms does; their hosts are not in this zone.
    Perhaps(BTreeSet<String>),
}

/// Whether the record of a domain allows an address, as far as the zone tells; `None` if receivers
/// find no record that they understand.
pub(super) fn allows(view: View<'_, '_>, name: &Fqdn, address: IpAddr) -> Option<Allows> {
    let Found::Record(senders) = find(view, name) else { return None };
    Some(match senders.networks().iter().any(|network| network.contains(&address)) {
        true => Allows::Yes,
        false if senders.others.is_empty() => Allows::No,
        false => Allows::Perhaps(senders.others),
    })
}

/// The one record of a domain.
fn record(view: View<'_, '_>, name: &Fqdn) -> Result<Option<(Spf, usize)>, String> {
    let texts: Vec<&[u8]> = view.texts(name).into_iter().filter(|text| is_spf(text)).collect();
    match texts[..] {
        [] => Ok(None),
        [text] => Spf::parse(text).map(|record| Some((record, text.len()))),
        _ => Err(format!("{} SPF records at one name", texts.len())),
    }
}

/// What receivers find at a domain, as far as the zone tells.
pub(super) fn find(view: View<'_, '_>, name: &Fqdn) -> Found {
    let mut senders = Senders::default();
    let (octets, ignored, ends) = match record(view, name) {
        Ok(None) => return Found::Nothing,
        Ok(Some((record, octets))) => {
            let ends = matches!(
                record.reachable().last(),
                Some(Directive { mechanism: Mechanism::All, .. })
            );
            (
                octets,
                record.directives.len() - record.reachable().len(),
                ends || record.redirect.is_some(),
            )
        }
        Err(why) => return Found::Broken(why),
    };
    if let Err(why) = follow(view, name, &mut senders, &mut vec![name.clone()]) {
        return Found::Broken(why);
    }
    (senders.octets, senders.ignored, senders.says_nothing) = (octets, ignored, !ends);
    if senders.lookups > MOST_LOOKUPS {
        return Found::Broken(format!("{} lookups, more than {MOST_LOOKUPS}", senders.lookups));
    }
    if senders.void > MOST_VOID {
        return Found::Broken(format!(
            "{} names without an answer, more than {MOST_VOID}",
            senders.void
        ));
    }
    Found::Record(senders)
}

/// Adds those whom the record of a domain allows; errors make receivers answer "permerror".
fn follow(
    view: View<'_, '_>,
    name: &Fqdn,
    senders: &mut Senders,
    path: &mut Vec<Fqdn>,
) -> Result<(), String> {
    let (record, _) = record(view, name)?.ok_or_else(|| format!("{name} has no SPF record"))?;
    for Directive { qualifier, mechanism } in record.reachable() {
        senders.lookups += usize::from(mechanism.takes_a_lookup());
        if senders.lookups > MOST_LOOKUPS {
            return Ok(());
        }
        let passes = *qualifier == Qualifier::Pass;
        match mechanism {
            Mechanism::All => {}
            Mechanism::Ip4(network) if passes => senders.v4.push(*network),
            Mechanism::Ip6(network) if passes => senders.v6.push(*network),
            Mechanism::Ip4(_) | Mechanism::Ip6(_) => {}
            Mechanism::Include(spec) => match spec.name().filter(|n| view.covers(n)) {
                Some(inner) if path.contains(&inner) => {
                    return Err(format!("{inner} includes itself"));
                }
                Some(inner) => {
                    let otherwise = senders.otherwise.take();
                    path.push(inner.clone());
                    let mut allowed = Senders {
                        lookups: senders.lookups,
                        void: senders.void,
                        ..Senders::default()
                    };
                    follow(view, &inner, &mut allowed, path)?;
                    path.pop();
                    (senders.lookups, senders.void) = (allowed.lookups, allowed.void);
                    senders.otherwise = otherwise;
                    if passes {
                        senders.v4.append(&mut allowed.v4);
                        senders.v6.append(&mut allowed.v6);
                        senders.others.append(&mut allowed.others);
                        // Whoever passes everywhere passes here.
                        if allowed.otherwise == Some(Qualifier::Pass) {
                            senders.v4.push(Ipv4Net::default());
                            senders.v6.push(Ipv6Net::default());
                        }
                    }
                }
                None if passes => drop(senders.others.insert(mechanism.shown(name))),
                None => {}
            },
            Mechanism::A(spec, prefixes) => {
                let target = spec.as_ref().map_or_else(|| Some(name.clone()), |s| s.name());
                hosts(view, target.as_ref(), &mechanism.shown(name), *prefixes, passes, senders);
            }
            Mechanism::Mx(spec, prefixes) => {
                let target = spec.as_ref().map_or_else(|| Some(name.clone()), |s| s.name());
                match target.filter(|t| view.covers(t)) {
                    Some(target) => {
                        let exchanges = view.targets(&target, RecordType::Mx);
                        senders.void += usize::from(exchanges.is_empty());
                        for exchange in exchanges.into_iter().filter(|e| !e.is_root()) {
                            hosts(
                                view,
                                Some(exchange),
                                &format!("a:{exchange}"),
                                *prefixes,
                                passes,
                                senders,
                            );
                        }
                    }
                    None if passes => drop(senders.others.insert(mechanism.shown(name))),
                    None => {}
                }
            }
            Mechanism::Ptr(_) | Mechanism::Exists(_) if passes => {
                senders.others.insert(mechanism.shown(name));
            }
            Mechanism::Ptr(_) | Mechanism::Exists(_) => {}
        }
    }
    senders.otherwise = record.otherwise();
    if let (None, Some(target)) = (senders.otherwise, &record.redirect) {
        senders.lookups += 1;
        match target.name().filter(|n| view.covers(n)) {
            Some(target) if path.contains(&target) => {
                return Err(format!("{target} redirects to itself"));
            }
            Some(target) => {
                path.push(target.clone());
                follow(view, &target, senders, path)?;
            }
            None => drop(senders.others.insert(format!("redirect={}", target.as_str()))),
        }
    }
    Ok(())
}

/// Adds the addresses of a host.
fn hosts(
    view: View<'_, '_>,
    host: Option<&Fqdn>,
    written: &str,
    prefixes: Prefixes,
    passes: bool,
    senders: &mut Senders,
) {
    let Some(host) = host.filter(|host| view.covers(host)) else {
        if passes {
            senders.others.insert(written.to_owned());
        }
        return;
    };
    let records = view.answering(host);
    let found: Vec<_> = records.iter().filter(|r| r.leads_to_a_server()).collect();
    senders.void += usize::from(found.is_empty());
    for record in found.into_iter().filter(|_| passes) {
        match record.data.address() {
            // Receivers compare with the addresses of the edge, which send no mail.
            _ if record.proxied => drop(senders.others.insert(format!("{written} (proxied)"))),
            Some(IpAddr::V4(a)) => {
                senders.v4.extend(Ipv4Net::new(a, prefixes.v4).map(|n| n.trunc()))
            }
            Some(IpAddr::V6(a)) => {
                senders.v6.extend(Ipv6Net::new(a, prefixes.v6).map(|n| n.trunc()))
            }
            None => drop(senders.others.insert(written.to_owned())),
        }
    }
}

/// What a change of SPF means for a domain.
pub(in crate::insight) fn compare(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
    others: OtherZones<'_>,
) -> Vec<Effect> {
    let topic = Topic::MailAuthentication;
    let breaks =
        |line: String| Effect::needing(Danger::BreaksMailAuthentication, topic, name, line);
    let shown = |direction, line: String| Effect::shown(topic, name, direction, line);
    let mut effects = Vec::new();
    match (find(before, name), find(after, name)) {
        (Found::Nothing, Found::Nothing) => {}
        (Found::Broken(_), Found::Nothing) => {
            effects.push(shown(
                Direction::Neutral,
                format!("SPF for {name}: the record that receivers refused is gone"),
            ));
        }
        (Found::Record(_), Found::Nothing) if after.is_given_up(name) => {
            effects.push(shown(
                Direction::Neutral,
                format!("SPF for {name} is gone with everything else at the name"),
            ));
        }
        (Found::Record(_), Found::Nothing) => {
            effects.push(breaks(format!(
                "SPF for {name} is gone: receivers cannot tell who may send"
            )));
        }
        (Found::Broken(old), Found::Broken(new)) if old != new => {
            effects.push(shown(Direction::Neutral, format!("SPF for {name} stays invalid: {new}")));
        }
        (Found::Broken(_), Found::Broken(_)) => {}
        (Found::Nothing | Found::Record(_), Found::Broken(why)) => {
            effects.push(breaks(format!("SPF for {name} becomes invalid (permerror): {why}")));
        }
        (old @ (Found::Nothing | Found::Broken(_)), Found::Record(new)) => {
            let was = if matches!(old, Found::Nothing) { "is new" } else { "works again" };
            let line = format!("SPF for {name} {was}; it allows {}; {}", new.summary(), new.rest());
            effects.push(shown(Direction::Strengthens, line));
            opens(name, None, &new, &mut effects);
        }
        (Found::Record(old), Found::Record(new)) => {
            differences(name, &old, &new, after, others, &mut effects);
            opens(name, Some(&old), &new, &mut effects);
        }
    }
    effects
}

/// Records that let more or less everyone send.
fn opens(name: &Fqdn, old: Option<&Senders>, new: &Senders, effects: &mut Vec<Effect>) {
    let topic = Topic::MailAuthentication;
    let breaks =
        |line: String| Effect::needing(Danger::BreaksMailAuthentication, topic, name, line);
    let was = old.and_then(|old| old.otherwise);
    match new.otherwise {
        Some(Qualifier::Pass) if was != new.otherwise => {
            effects.push(breaks(format!(
                "SPF for {name}: every host on the internet may send (+all)"
            )));
        }
        Some(Qualifier::Neutral) if matches!(was, Some(Qualifier::Fail | Qualifier::SoftFail)) => {
            let how = if new.says_nothing { "no `all`" } else { "?all" };
            effects
                .push(breaks(format!("SPF for {name}: no sender is refused any longer ({how})")));
        }
        _ => {}
    }
    if new.ignored > old.map_or(0, |old| old.ignored) {
        let what = count(new.ignored, "term");
        effects.push(breaks(format!(
            "SPF for {name}: receivers ignore the mechanisms after `all`: {what} without effect"
        )));
    }
    let known = old.map(Senders::networks).unwrap_or_default();
    for network in new
        .networks()
        .iter()
        .filter(|n| is_wide(n))
        .filter(|n| !known.iter().any(|k| k.contains(*n)))
    {
        effects.push(breaks(format!(
            "SPF for {name} now allows all of {network}, which is more than one sender has"
        )));
    }
}

/// What is left of a network without others.
fn without(network: IpNet, others: &[IpNet]) -> Vec<IpNet> {
    if others.iter().any(|other| other.contains(&network)) {
        return Vec::new();
    }
    let inside: Vec<IpNet> =
        others.iter().copied().filter(|other| network.contains(other)).collect();
    match network.subnets(network.prefix_len() + 1) {
        Ok(halves) if !inside.is_empty() => {
            halves.flat_map(|half| without(half, &inside)).collect()
        }
        _ => vec![network],
    }
}

/// Whether a network is more than one sender has.
fn is_wide(network: &IpNet) -> bool {
    network.prefix_len() < if matches!(network, IpNet::V4(_)) { WIDE.0 } else { WIDE.1 }
}

/// Who may send now, and who no longer.
fn differences(
    name: &Fqdn,
    old: &Senders,
    new: &Senders,
    after: View<'_, '_>,
    others: OtherZones<'_>,
    effects: &mut Vec<Effect>,
) {
    let topic = Topic::MailAuthentication;
    let (had, has) = (old.networks(), new.networks());
    let (gained, lost) = (new.beyond(&had), old.lost_to(&has));
    let came = gained.iter().filter(|network| !is_wide(network)).map(network_in_words);
    let came: Vec<String> = came.chain(new.others.difference(&old.others).cloned()).collect();
    let gone: Vec<String> = lost
        .iter()
        .map(network_in_words)
        .chain(old.others.difference(&new.others).cloned())
        .collect();
    if !came.is_empty() {
        effects.push(Effect::shown(
            topic,
            name,
            Direction::Neutral,
            format!("SPF for {name} now allows {}", listed(&came)),
        ));
    }
    let slips = gained
        .iter()
        .filter_map(|came| Some((came, slip_of(name, &lost, *came, &has, after, others)?)));
    for (came, (gone, how)) in slips {
        let line = format!(
            "SPF for {name}: {} differs from {} by {how} and is in no network that is in use",
            network_in_words(came),
            network_in_words(&gone)
        );
        effects.push(Effect::needing(Danger::LooksMistyped, topic, name, line));
    }
    if !gone.is_empty() {
        let line = format!("SPF for {name} no longer allows {}", listed(&gone));
        let exchanges = after.targets(name, RecordType::Mx);
        let is_of = |exchange: &Fqdn, term: &String| {
            let host = term.split_once(':').map(|(_, host)| Fqdn::reported(host));
            host.is_some_and(|host| is_same_provider(&host, exchange))
        };
        let receives_there = |exchange: &&Fqdn| {
            let own = after
                .answering(exchange)
                .into_iter()
                .filter_map(|r| r.data.address().filter(|_| !r.proxied));
            let is_lost = |address| {
                lost.iter().any(|n| n.contains(&address))
                    && !has.iter().any(|n| n.contains(&address))
            };
            own.into_iter().any(is_lost)
                || (old.others.difference(&new.others).any(|term| is_of(exchange, term))
                    && !new.others.iter().any(|term| is_of(exchange, term)))
        };
        let provider = exchanges.iter().copied().find(receives_there);
        effects.push(match provider {
            Some(exchange) => Effect::needing(
                Danger::BreaksMailAuthentication,
                topic,
                name,
                format!("{line}, although mail for {name} is still received by {exchange}"),
            ),
            None if new.is_empty() && !old.is_empty() && exchanges.iter().any(|e| !e.is_root()) => {
                Effect::needing(
                    Danger::BreaksMailAuthentication,
                    topic,
                    name,
                    format!("{line}: no server may send mail from {name}, which receives mail"),
                )
            }
            None => Effect::shown(topic, name, Direction::Neutral, line),
        });
    }
    if old.otherwise != new.otherwise {
        let direction = match (old.otherwise, new.otherwise) {
            (Some(old), Some(new)) if new > old => Direction::Strengthens,
            (Some(_), Some(_)) => Direction::Weakens,
            _ => Direction::Unclassified,
        };
        let was = match (old.otherwise, new.otherwise) {
            (Some(Qualifier::Fail), Some(Qualifier::SoftFail)) => ", and no longer refused (-all)",
            _ => "",
        };
        // What opens the domain is said where it is judged.
        let is_judged = matches!(
            (old.otherwise, new.otherwise),
            (_, Some(Qualifier::Pass))
                | (Some(Qualifier::Fail | Qualifier::SoftFail), Some(Qualifier::Neutral))
        );
        if !is_judged {
            effects.push(Effect::shown(
                topic,
                name,
                direction,
                format!("SPF for {name}: {}{was}", new.rest()),
            ));
        }
    }
    if new.octets > MOST_OCTETS && old.octets <= MOST_OCTETS {
        let line = format!(
            "SPF for {name} has {} octets: above {MOST_OCTETS} some receivers do not get it by UDP",
            new.octets
        );
        effects.push(Effect::shown(topic, name, Direction::Neutral, line));
    }
}

/// Whether two hosts belong to one mail provider.
fn is_same_provider(a: &Fqdn, b: &Fqdn) -> bool {
    let key = |host: &Fqdn| match host.registrable() {
        Some("googlemail.com") => Some("google.com".to_owned()),
        other => other.map(str::to_owned),
    };
    key(a).is_some() && key(a) == key(b)
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
