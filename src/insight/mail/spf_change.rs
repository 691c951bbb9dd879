//! Effects of a changed SPF record: hosts that may send now, and hosts that may no longer send.

use ipnet::IpNet;

use super::provider_change::is_same_provider;
use super::spf::Qualifier;
use super::spf_limits::{MOST_OCTETS, WIDE};
use super::spf_senders::{Senders, SpfPolicy, find_spf};
use crate::diagnostic::count;
use crate::insight::direction::Direction;
use crate::insight::effect::{Effect, Topic, at_most_five};
use crate::insight::mistyped_addresses::slip_of;
use crate::insight::other_zones::OtherZones;
use crate::insight::published_addresses::network_in_words;
use crate::insight::zone_view::View;
use crate::model::{Danger, Fqdn, RecordType};

/// Returns the effects of a change of SPF on a domain.
pub(in crate::insight) fn compare_spf(
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
    if !before.is_for(name, RecordType::Txt) && !after.is_for(name, RecordType::Txt) {
        return effects;
    }
    match (find_spf(before, name), find_spf(after, name)) {
        (SpfPolicy::Nothing, SpfPolicy::Nothing) | (SpfPolicy::Unknown, SpfPolicy::Unknown) => {}
        // The texts that became unknown were no policy.
        (SpfPolicy::Nothing, SpfPolicy::Unknown) if !before.texts(name).is_empty() => {}
        (SpfPolicy::Nothing, SpfPolicy::Unknown) if after.flattens_alias(name) => {}
        (_, SpfPolicy::Unknown) => {
            effects.push(shown(
                Direction::Unclassified,
                format!("SPF for {name} is unknown now: the zone does not tell who may send"),
            ));
        }
        (SpfPolicy::Unknown, SpfPolicy::Nothing) => {
            effects.push(shown(
                Direction::Unclassified,
                format!(
                    "SPF for {name}: there is no record; the zone did not tell who may send before"
                ),
            ));
        }
        (SpfPolicy::Broken(_), SpfPolicy::Nothing) => {
            effects.push(shown(
                Direction::Neutral,
                format!("SPF for {name}: the record that receivers refused is gone"),
            ));
        }
        (SpfPolicy::Record(_), SpfPolicy::Nothing) if after.is_given_up(name) => {
            effects.push(shown(
                Direction::Neutral,
                format!("SPF for {name} is gone with everything else at the name"),
            ));
        }
        (SpfPolicy::Record(_), SpfPolicy::Nothing) => {
            effects.push(breaks(format!(
                "SPF for {name} is gone: receivers cannot tell who may send"
            )));
        }
        (SpfPolicy::Broken(old), SpfPolicy::Broken(new)) if old != new => {
            effects.push(shown(Direction::Neutral, format!("SPF for {name} stays invalid: {new}")));
        }
        (SpfPolicy::Broken(_), SpfPolicy::Broken(_)) => {}
        (
            SpfPolicy::Nothing | SpfPolicy::Unknown | SpfPolicy::Record(_),
            SpfPolicy::Broken(why),
        ) => {
            effects.push(breaks(format!("SPF for {name} becomes invalid (permerror): {why}")));
        }
        (
            old @ (SpfPolicy::Nothing | SpfPolicy::Unknown | SpfPolicy::Broken(_)),
            SpfPolicy::Record(new),
        ) => {
            let was = if matches!(old, SpfPolicy::Broken(_)) { "works again" } else { "is new" };
            let line = format!("SPF for {name} {was}; it allows {}; {}", new.summary(), new.rest());
            effects.push(shown(Direction::Strengthens, line));
            opens(name, None, &new, &mut effects);
        }
        (SpfPolicy::Record(old), SpfPolicy::Record(new)) => {
            changed_senders(name, &old, &new, after, others, &mut effects);
            opens(name, Some(&old), &new, &mut effects);
        }
    }
    effects
}

/// Adds the effects of records that let almost every host send.
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
    let known_networks = old.map(Senders::networks).unwrap_or_default();
    for network in new
        .networks()
        .iter()
        .filter(|n| is_wide(n))
        .filter(|n| !known_networks.iter().any(|k| k.contains(*n)))
    {
        effects.push(breaks(format!(
            "SPF for {name} now allows all of {network}, which is more than one sender has"
        )));
    }
}

/// Returns true if a network is too large for one sender.
fn is_wide(network: &IpNet) -> bool {
    network.prefix_len() < if matches!(network, IpNet::V4(_)) { WIDE.0 } else { WIDE.1 }
}

/// Returns sentences about hosts that may send now, and hosts that may no longer send.
fn changed_senders(
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
    for term in new.proxied.difference(&old.proxied) {
        let line = format!(
            "SPF for {name}: `{term}` names a proxied host, so it allows addresses of Cloudflare, which send no mail"
        );
        effects.push(Effect::shown(topic, name, Direction::Neutral, line));
    }
    let lost_networks: Vec<String> = lost
        .iter()
        .map(network_in_words)
        .chain(old.others.difference(&new.others).cloned())
        .collect();
    if !came.is_empty() {
        effects.push(Effect::shown(
            topic,
            name,
            Direction::Neutral,
            format!("SPF for {name} now allows {}", at_most_five(&came)),
        ));
    }
    let slips = gained
        .iter()
        .filter_map(|came| Some((came, slip_of(name, &lost, *came, &has, after, others)?)));
    for (came, (gone, how)) in slips {
        let line = format!(
            "SPF for {name}: {} differs from {} by {how} and is in no network that this spec uses",
            network_in_words(came),
            network_in_words(&gone)
        );
        effects.push(Effect::needing(Danger::LooksMistyped, topic, name, line));
    }
    if !lost_networks.is_empty() {
        let line = format!("SPF for {name} no longer allows {}", at_most_five(&lost_networks));
        let exchanges = after.targets(name, RecordType::Mx);
        let is_of = |exchange: &Fqdn, term: &String| {
            let host = term.split_once(':').map(|(_, host)| Fqdn::reported(host));
            host.is_some_and(|host| is_same_provider(&host, exchange))
        };
        let receives_there = |exchange: &&Fqdn| {
            let addresses = after.answering(exchange).into_iter().filter_map(|r| r.data.address());
            let is_lost = |address| {
                lost.iter().any(|n| n.contains(&address))
                    && !has.iter().any(|n| n.contains(&address))
            };
            addresses.into_iter().any(is_lost)
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
        // `opens` reports these records.
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
