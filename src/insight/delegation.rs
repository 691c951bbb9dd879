//! Effects of changed delegations: compares the NS, DS and DNSKEY records of a name.

use std::collections::BTreeSet;

use super::direction::Direction;
use super::dns::{Entry, NameNode};
use super::effect::{Effect, Topic, at_most_five};
use super::providers::Provider;
use super::zone_view::View;
use crate::model::{Danger, Fqdn, Gather, Rdata, RecordType};

/// Returns the effects of changed NS, DS or DNSKEY records for a name.
pub(super) fn compare_delegations(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let mut effects = Vec::new();
    servers(name, before, after, &mut effects);
    proxied_servers(name, before, after, &mut effects);
    trust(name, before, after, &mut effects);
    effects
}

fn servers_at<'a>(view: View<'_, 'a>, name: &Fqdn) -> BTreeSet<&'a Fqdn> {
    view.targets(name, RecordType::Ns).into_iter().gather()
}

fn record_values<'a>(view: View<'_, 'a>, name: &Fqdn, kind: RecordType) -> BTreeSet<&'a Rdata> {
    view.of_type(name, kind).into_iter().map(|r| r.data).collect()
}

/// Adds the effects of changed name servers.
fn servers(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>, effects: &mut Vec<Effect>) {
    let topic = Topic::NameServers;
    let breaks = |line: String| Effect::needing(Danger::BreaksDelegation, topic, name, line);
    let shown = |line: String| Effect::shown(topic, name, Direction::Neutral, line);
    let is_apex = name == after.0.name().as_fqdn();
    let (old, new) = (servers_at(before, name), servers_at(after, name));
    let signers =
        (record_values(before, name, RecordType::Ds), record_values(after, name, RecordType::Ds));
    if old != new {
        let line = format!(
            "name servers of {name}: {} → {}",
            sentence_of_servers(&old),
            sentence_of_servers(&new)
        );
        match (old.is_empty(), new.is_empty()) {
            (true, _) if is_apex => {
                let effect = match after.0.serving().multi_provider {
                    Some(true) => "Cloudflare serves them beside its own name servers",
                    Some(false) => {
                        "no effect: Cloudflare serves its own name servers alone, unless \
                        `multi_provider` is on"
                    }
                    None => {
                        "Cloudflare serves them beside its own name servers only if \
                        `multi_provider` is on"
                    }
                };
                effects
                    .push(shown(format!("NS records at {name}: {}; {effect}", at_most_five(&new))));
            }
            (true, _) => {
                let hidden = hidden(name, before, &new);
                effects.push(if hidden.is_empty() {
                    shown(format!("{name} is delegated to {} from now on", at_most_five(&new)))
                } else {
                    breaks(format!(
                        "{name} is delegated to {} from now on, which hides records of this zone \
                        at: {}",
                        at_most_five(&new),
                        at_most_five(hidden)
                    ))
                });
            }
            (_, true) if is_apex => {
                effects.push(Effect::needing(Danger::ChangesNameServers, topic, name, line))
            }
            (_, true) => {
                effects.push(breaks(format!(
                    "{name} is no longer delegated: what {} answered is gone",
                    at_most_five(&old)
                )));
            }
            (false, false)
                if !signers.0.is_empty() && signers.0 == signers.1 && old.is_disjoint(&new) =>
            {
                effects.push(breaks(format!(
                    "{line}, while the DS record stays: unless the new servers sign with the same \
                    key, resolvers that \
                     validate get no answer"
                )));
            }
            (false, false) if adds_of_same_providers(&old, &new) => {
                effects.push(shown(format!("{line}; what comes is of the same provider")));
            }
            (false, false) => {
                effects.push(Effect::needing(Danger::ChangesNameServers, topic, name, line))
            }
        }
    }
    if !is_apex
        && new.is_empty()
        && !signers.1.is_empty()
        && (!old.is_empty() || signers.0.is_empty())
    {
        effects.push(breaks(format!("{name} has a DS record and no name servers")));
    }
    let has_address =
        |view: View<'_, '_>, host: &Fqdn| view.at(host).iter().any(|r| r.data.address().is_some());
    for host in
        new.iter().filter(|host| !is_apex && host.is_within(name) && !has_address(after, host))
    {
        if !old.contains(*host) || has_address(before, host) {
            effects.push(breaks(format!(
                "{name}: its name server {host} is below it and has no address in this zone"
            )));
        }
    }
    for host in
        new.iter().filter(|host| !is_apex && after.answers_for(host) && !host.is_within(name))
    {
        let is_lost =
            !after.leads_somewhere(host) && (!old.contains(*host) || before.leads_somewhere(host));
        if is_lost {
            effects.push(breaks(format!("{name}: its name server {host} has no address")));
        }
    }
}

/// Adds the effect of name servers of a delegated name that become proxied.
fn proxied_servers(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
    effects: &mut Vec<Effect>,
) {
    if name == after.0.name().as_fqdn() || !after.0.serving().proxies() {
        return;
    }
    let is_proxied =
        |view: View<'_, '_>, host: &Fqdn| view.at(host).iter().any(|entry| entry.is_proxied());
    for host in servers_at(after, name) {
        if is_proxied(after, host) && !is_proxied(before, host) {
            let line = format!(
                "{name}: its name server {host} is proxied, and Cloudflare's edge answers no \
                questions about {name}"
            );
            let danger = Danger::BreaksDelegation;
            effects.push(Effect::needing(danger, Topic::NameServers, name, line));
        }
    }
}

/// Returns true if all old name servers stay, and each new one is of a provider that has one of
/// them.
fn adds_of_same_providers(old: &BTreeSet<&Fqdn>, new: &BTreeSet<&Fqdn>) -> bool {
    let is_known = |server: &&Fqdn| old.iter().any(|other| are_of_one_provider(other, server));
    old.is_subset(new) && new.iter().all(is_known)
}

/// Returns true if two hosts have the same registered domain, or domains of one known provider.
fn are_of_one_provider(one: &Fqdn, other: &Fqdn) -> bool {
    let have_one_domain = one.registrable().is_some() && one.registrable() == other.registrable();
    let name = |host: &Fqdn| Provider::of(host).map(|provider| provider.name);
    have_one_domain || (name(one).is_some() && name(one) == name(other))
}

/// Lists name servers in a sentence.
fn sentence_of_servers(servers: &BTreeSet<&Fqdn>) -> String {
    if servers.is_empty() { "none".to_owned() } else { at_most_five(servers) }
}

/// Returns the names at and below a name whose records are hidden once it is delegated. Addresses
/// of the new servers are not hidden.
fn hidden(name: &Fqdn, before: View<'_, '_>, servers: &BTreeSet<&Fqdn>) -> Vec<String> {
    let Some(node) = before.0.node(name.as_str()) else { return Vec::new() };
    let is_hidden = |r: &Entry<'_>| {
        let is_glue = r.data.address().is_some() && servers.contains(r.name);
        !is_glue && !matches!(r.record_type(), Some(RecordType::Ns | RecordType::Ds))
    };
    let nodes = std::iter::once(node).chain(node.below());
    let has_hidden = |n: &NameNode<'_, '_>| n.records().any(|r| is_hidden(&r));
    let mut names: Vec<String> = nodes.filter(has_hidden).map(|n| n.name().to_owned()).collect();
    names.sort_unstable();
    names
}

/// Adds the effects of changed DS or DNSKEY records.
fn trust(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>, effects: &mut Vec<Effect>) {
    for (kind, what) in [(RecordType::Ds, "DS record"), (RecordType::Dnskey, "key")] {
        let (old, new) = (record_values(before, name, kind), record_values(after, name, kind));
        if old == new {
            continue;
        }
        let lost_keys = old.difference(&new).count();
        let line = match (old.is_empty(), new.is_empty()) {
            (true, _) if kind == RecordType::Ds => {
                format!(
                    "{name} gets a DS record: resolvers that validate require its signatures from \
                    now on"
                )
            }
            (_, true) if kind == RecordType::Ds => {
                format!("{name} loses its DS records: its answers are no longer validated")
            }
            _ if lost_keys == 0 => format!("{name} gets another {what}; the others stay"),
            _ if old.is_disjoint(&new) => {
                format!(
                    "{name}: every {what} is replaced; if the keys do not match, resolvers that \
                    validate get no answer"
                )
            }
            _ => format!("{name} loses a {what}; {} stay", new.intersection(&old).count()),
        };
        effects.push(if lost_keys > 0 {
            Effect::needing(Danger::ChangesDnssec, Topic::Dnssec, name, line)
        } else {
            Effect::shown(Topic::Dnssec, name, Direction::Strengthens, line)
        });
    }
}
