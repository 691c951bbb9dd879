//! A domain's mail moves to another provider: effects, and what SPF, DKIM and DMARC say about the
//! new provider.

use std::collections::{BTreeMap, BTreeSet};

use super::dkim_change::{self, selector};
use super::dmarc_discovery::{Discovery, Policy};
use super::spf_senders::{SpfPolicy, find_spf};
use crate::insight::direction::Direction;
use crate::insight::effect::{Effect, Topic, at_most_five};
use crate::insight::providers::Provider;
use crate::insight::zone_view::View;
use crate::model::{Fqdn, Gather};

/// Returns the name of a mail provider, or the registered domain of the host if it is unknown.
fn provider_of(host: &Fqdn) -> Option<&str> {
    Provider::of(host).map(|provider| provider.name).or_else(|| host.registrable())
}

/// Returns true if two hosts belong to one mail provider.
pub(super) fn is_same_provider(a: &Fqdn, b: &Fqdn) -> bool {
    provider_of(a).is_some() && provider_of(a) == provider_of(b)
        || a.registrable().is_some() && a.registrable() == b.registrable()
}

/// Returns one registered domain of each mail provider of these hosts.
fn provider_domains<'h>(hosts: &BTreeSet<&'h Fqdn>) -> BTreeSet<&'h str> {
    let mut domains: BTreeMap<&str, &str> = BTreeMap::new();
    for (provider, domain) in
        hosts.iter().filter_map(|host| Some((provider_of(host)?, host.registrable()?)))
    {
        let first = domains.entry(provider).or_insert(domain);
        *first = domain.min(*first);
    }
    domains.into_values().collect()
}

/// Returns the effect on a domain if only other providers receive its mail from now on.
pub(super) fn compare_providers(
    name: &Fqdn,
    old: &BTreeSet<&Fqdn>,
    new: &BTreeSet<&Fqdn>,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Option<Effect> {
    let (left, joined) = (provider_domains(old), provider_domains(new));
    let stays = old.iter().any(|old| new.iter().any(|new| is_same_provider(old, new)));
    if left.is_empty() || joined.is_empty() || stays {
        return None;
    }
    let to = at_most_five(&joined);
    let parts = [spf(name, new, after, &to), dkim(name, before, after), dmarc(name, after)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let line =
        format!("mail for {name} moves from {} to {to}: {}", at_most_five(&left), parts.join("; "));
    Some(Effect::shown(Topic::Mail, name, Direction::Neutral, line))
}

/// Describes if SPF allows the new servers.
fn spf(name: &Fqdn, servers: &BTreeSet<&Fqdn>, after: View<'_, '_>, to: &str) -> Option<String> {
    let senders = match find_spf(after, name) {
        SpfPolicy::Record(senders) => senders,
        SpfPolicy::Nothing => return Some("there is no SPF record".to_owned()),
        SpfPolicy::Broken(_) | SpfPolicy::Unknown => return None,
    };
    let networks = senders.networks();
    let is_named = senders.others.iter().any(|term| {
        let host = term.split_once([':', '=']).map(|(_, host)| Fqdn::reported(host));
        host.is_some_and(|host| servers.iter().any(|server| is_same_provider(&host, server)))
    });
    let addresses = || {
        let records = servers.iter().flat_map(|server| after.answering(server));
        records.filter_map(|record| record.data.address())
    };
    let is_allowed =
        is_named || addresses().any(|a| networks.iter().any(|network| network.contains(&a)));
    Some(if is_allowed { format!("SPF allows {to}") } else { format!("SPF does not name {to}") })
}

/// Describes the DKIM keys that the change adds.
fn dkim(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>) -> Option<String> {
    let usable = |view: View<'_, '_>| -> BTreeSet<Fqdn> {
        let is_own =
            |other: &&Fqdn| selector(other).is_some_and(|(_, domain)| domain == name.as_str());
        let names = view.0.entries().map(|entry| entry.name).filter(is_own).cloned();
        names.filter(|key| dkim_change::find_selector(view, key).is_usable()).gather()
    };
    let (old, new) = (usable(before), usable(after));
    let came = new.difference(&old).count();
    Some(match (came, new.len()) {
        (0, 0) => "there is no DKIM key".to_owned(),
        (0, 1) => "no DKIM key comes with it, 1 stays".to_owned(),
        (0, stay) => format!("no DKIM key comes with it, {stay} stay"),
        (came, _) => format!("{} with it", comes(came)),
    })
}

/// Describes the number of new keys.
fn comes(keys: usize) -> String {
    if keys == 1 { "1 DKIM key comes".to_owned() } else { format!("{keys} DKIM keys come") }
}

/// Describes how receivers treat mail that passes neither SPF nor DKIM.
fn dmarc(name: &Fqdn, after: View<'_, '_>) -> Option<String> {
    let answer = |name: &Fqdn, kind| after.0.answer(name, kind);
    match (Discovery { answer: &answer }).policy(name) {
        Policy::Applies(action, _) => Some(format!("DMARC is {}", action.as_str())),
        Policy::Missing => Some("there is no DMARC policy".to_owned()),
        Policy::Unknown(_) => None,
    }
}
