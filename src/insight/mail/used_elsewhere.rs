//! Effects of changed records on other zones of the spec that use them: by including an SPF record,
//! or by an alias to a key or a policy.

use ipnet::IpNet;

use super::dkim_change;
use super::dmarc_change;
use super::spf_senders::{self, SpfPolicy};
use crate::insight::direction::Direction;
use crate::insight::effect::{Effect, Topic, at_most_five};
use crate::insight::other_zones::{Borrowed, Borrower, OtherZones};
use crate::insight::published_addresses::network_in_words;
use crate::insight::zone_view::View;
use crate::model::{Danger, Fqdn};

/// Returns the effects of a name's records on the domains of other zones that use them.
pub(in crate::insight) fn compare_users(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
    others: OtherZones<'_>,
) -> Vec<Effect> {
    let borrowers = others.borrowers(name, after.0.name());
    let senders: Vec<&Borrower> =
        borrowers.iter().filter(|b| b.what == Borrowed::Senders).copied().collect();
    let mut effects = senders_of(name, &senders, before, after);
    for borrower in &borrowers {
        effects.extend(match borrower.what {
            Borrowed::Senders => None,
            Borrowed::Key => effect_of_key(name, borrower, before, after),
            Borrowed::Policy => policy(name, borrower, before, after),
        });
    }
    effects
}

/// Returns an effect that needs consent.
fn breaks(domain: &Fqdn, line: String) -> Effect {
    Effect::needing(Danger::BreaksMailAuthentication, Topic::MailAuthentication, domain, line)
}

/// Returns the effects of a changed SPF record on the domains that include it. Without a record,
/// the check ends with "permerror" (RFC 7208 section 5.2).
fn senders_of(
    name: &Fqdn,
    borrowers: &[&Borrower],
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let Some(first) = borrowers.first().map(|b| &b.domain) else { return Vec::new() };
    let who = at_most_five(borrowers.iter().map(|b| &b.domain));
    let (old, new) = (spf_senders::find_spf(before, name), spf_senders::find_spf(after, name));
    let (SpfPolicy::Record(old), new) = (old, new) else { return Vec::new() };
    match new {
        SpfPolicy::Unknown => Vec::new(),
        SpfPolicy::Nothing => {
            vec![breaks(
                first,
                format!(
                    "SPF for {who} becomes invalid (permerror): {name}, which it includes, has no \
                    SPF record"
                ),
            )]
        }
        SpfPolicy::Broken(why) => {
            vec![breaks(
                first,
                format!(
                    "SPF for {who} becomes invalid (permerror): {name}, which it includes: {why}"
                ),
            )]
        }
        SpfPolicy::Record(new) => {
            let lost = old.lost_to(&new.networks());
            let is_lost = |host: &&Fqdn| {
                let addresses = after.answering(host).into_iter().filter_map(|r| r.data.address());
                addresses
                    .map(IpNet::from)
                    .any(|address| lost.iter().any(|network| network.contains(&address)))
            };
            let loss_of = |b: &&Borrower| {
                let host = b.exchanges.iter().find(is_lost)?;
                let lost_networks = at_most_five(lost.iter().map(network_in_words));
                let domain = &b.domain;
                Some(breaks(
                    domain,
                    format!(
                        "SPF for {domain} no longer allows {lost_networks}, although mail for \
                        {domain} is still received by {host}"
                    ),
                ))
            };
            borrowers.iter().filter_map(loss_of).collect()
        }
    }
}

/// Returns the effect of a changed key on a domain with an alias to it.
fn effect_of_key(
    name: &Fqdn,
    borrower: &Borrower,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Option<Effect> {
    let (old, new) =
        (dkim_change::find_selector(before, name), dkim_change::find_selector(after, name));
    if !old.is_usable() || new.is_usable() {
        return None;
    }
    let (domain, label) = (&borrower.domain, &borrower.label);
    let line = format!(
        "DKIM key {label} of {domain} cannot be used any longer: it is an alias of the one at \
        {name}"
    );
    Some(match borrower.others {
        0 => breaks(domain, format!("{line}, and the spec has no other key of {domain}")),
        n => Effect::shown(
            Topic::MailAuthentication,
            domain,
            Direction::Weakens,
            format!(
                "{line}; {}",
                if n == 1 {
                    "1 other key stays".to_owned()
                } else {
                    format!("{n} other keys stay")
                }
            ),
        ),
    })
}

/// Returns the effect of a changed policy on a domain with an alias to it.
fn policy(
    name: &Fqdn,
    borrower: &Borrower,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Option<Effect> {
    let (old, new) = (dmarc_change::action_at(before, name)?, dmarc_change::action_at(after, name));
    let domain = &borrower.domain;
    let consequence = match new {
        Some(new) if new >= old => return None,
        Some(new) => format!("{} → {}", old.as_str(), new.as_str()),
        None => format!("{} → no policy", old.as_str()),
    };
    Some(breaks(
        domain,
        format!(
            "DMARC for {domain}: {consequence}, because its record is an alias of the one at {name}"
        ),
    ))
}
