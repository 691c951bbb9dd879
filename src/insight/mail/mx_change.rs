//! Effects of changed MX records on the delivery of mail.

use std::collections::{BTreeMap, BTreeSet};

use super::mta_sts_tls_reporting::{Announcement, mta_sts};
use super::provider_change;
use crate::insight::direction::Direction;
use crate::insight::dns::{End, Entry, Unknown};
use crate::insight::effect::{Effect, Topic, at_most_five};
use crate::insight::zone_view::View;
use crate::model::{Danger, Fields, Fqdn, Gather, RecordType};

#[derive(Debug)]
struct Exchanges<'a> {
    /// Servers by preference. Senders try the group with the lowest number first.
    groups: BTreeMap<u64, BTreeSet<&'a Fqdn>>,
    /// Target of the domain's alias (RFC 5321 section 5.1).
    alias_of: Option<Fqdn>,
    /// The reason why the servers are unknown.
    unknown: Option<String>,
    /// True if the domain has its servers beside an alias, so that only some senders find them.
    is_beside_alias: bool,
}

/// Returns the preference of an MX record.
pub(in crate::insight) fn preference(fields: &Fields) -> u64 {
    fields.get("priority").and_then(|p| p.to_string().parse().ok()).unwrap_or_default()
}

impl<'a> Exchanges<'a> {
    fn of(view: View<'_, 'a>, name: &Fqdn) -> Self {
        let answer = view.0.answer(name, RecordType::Mx);
        let mut groups: BTreeMap<u64, BTreeSet<&Fqdn>> = BTreeMap::new();
        if let End::Records(set) = &answer.end {
            for record in set {
                if let Some(target) = record.data.target() {
                    groups.entry(preference(&record.data.fields())).or_default().insert(target);
                }
            }
        }
        let is_known = matches!(answer.end, End::Records(_) | End::NoData(_) | End::NoName);
        let unknown = (!is_known).then(|| match (answer.aliases.is_empty(), &answer.end) {
            (false, End::Elsewhere | End::Referral(_)) => {
                format!("unknown: it is an alias of {}, whose zone decides", answer.name)
            }
            (_, End::Unknown(_)) => answer.words(RecordType::Mx),
            _ => format!("unknown: {}", answer.words(RecordType::Mx)),
        });
        let alias_of = (!answer.aliases.is_empty()).then_some(answer.name);
        let is_beside_alias = matches!(answer.end, End::Unknown(Unknown::BesideAlias));
        Self { groups, alias_of, unknown, is_beside_alias }
    }

    /// Returns true if senders find the same servers.
    fn is_like(&self, other: &Self) -> bool {
        self.groups == other.groups && self.unknown.is_some() == other.unknown.is_some()
    }

    fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns true if the domain says that it takes no mail (RFC 7505).
    fn is_null(&self) -> bool {
        !self.is_empty() && self.targets().all(Fqdn::is_root)
    }

    /// Returns true if one record says that there is no mail, and other records name servers.
    fn is_contradictory(&self) -> bool {
        self.targets().any(Fqdn::is_root) && !self.is_null()
    }

    fn targets(&self) -> impl Iterator<Item = &'a Fqdn> {
        self.groups.values().flatten().copied()
    }

    fn hosts(&self) -> BTreeSet<&'a Fqdn> {
        self.targets().filter(|target| !target.is_root()).gather()
    }

    /// Returns the servers that senders try first.
    fn first(&self) -> Option<&BTreeSet<&'a Fqdn>> {
        self.groups.values().next()
    }

    /// Describes the change of the servers that senders try first.
    fn first_after(&self, before: &Self) -> String {
        let none = BTreeSet::new();
        let (old, new) = (before.first().unwrap_or(&none), self.first().unwrap_or(&none));
        let is = |n: usize| if n == 1 { "is" } else { "are" };
        match (new.is_superset(old), new.is_subset(old)) {
            (true, _) => format!(
                "{} {} tried first as well",
                at_most_five(new.difference(old)),
                is(new.len() - old.len())
            ),
            (_, true) => format!(
                "{} {} no longer tried first",
                at_most_five(old.difference(new)),
                is(old.len() - new.len())
            ),
            (false, false) if !self.targets().any(|t| before.targets().any(|o| o == t)) => {
                "every server is another".to_owned()
            }
            (false, false) => "another server comes first".to_owned(),
        }
    }

    /// Describes the servers: `mx1 (10), mx2 (20)`.
    fn summary(&self) -> String {
        if self.is_null() {
            return "no mail (null MX)".to_owned();
        }
        if let Some(why) = &self.unknown {
            return why.clone();
        }
        let servers = self
            .groups
            .iter()
            .flat_map(|(p, targets)| targets.iter().map(move |t| format!("{t} ({p})")));
        let servers: Vec<String> = servers.collect();
        match &self.alias_of {
            _ if servers.is_empty() => "none".to_owned(),
            Some(target) => format!("{} through {target}", servers.join(", ")),
            None => servers.join(", "),
        }
    }

    /// Returns each of these servers with its rank among them. Servers with equal preferences share
    /// one rank.
    fn ranks(&self, among: &BTreeSet<&Fqdn>) -> Vec<(usize, &'a Fqdn)> {
        let groups = self
            .groups
            .values()
            .map(|t| t.iter().copied().filter(|t| among.contains(t)).collect::<Vec<_>>());
        let groups = groups.filter(|g| !g.is_empty()).enumerate();
        groups.flat_map(|(n, g)| g.into_iter().map(move |t| (n, t))).collect()
    }
}

/// Returns the effect if the target of an MX or SRV record becomes proxied.  # Sources
/// developers.cloudflare.com/dns/manage-dns-records/troubleshooting/unexpected-dns-records, "_dc-mx
/// and dc-##### subdomains", read 2026-11-23: where an MX or SRV record leads to a proxied name,
/// Cloudflare answers with a name of its own, which has the address of the origin.
pub(in crate::insight) fn proxied_target(
    name: &Fqdn,
    target: &Fqdn,
    was_target: bool,
    before: View<'_, '_>,
    after: View<'_, '_>,
    topic: Topic,
    line: String,
) -> Option<Effect> {
    let earlier = before.answering(target);
    let was_hidden = was_target && earlier.iter().any(|r| r.proxied);
    if was_hidden || !after.answering(target).iter().any(|r| r.proxied) {
        return None;
    }
    // The new answer reveals nothing if everyone could already look up the address.
    let leads = |r: &Entry<'_>| r.data.address().is_some() || r.is(RecordType::Cname);
    Some(match earlier.iter().any(|r| !r.proxied && leads(r)) {
        true => Effect::shown(topic, name, Direction::Neutral, line),
        false => Effect::needing(Danger::ExposesOrigin, topic, name, line),
    })
}

/// Describes what senders do for a name without MX records (RFC 5321 section 5.1).
fn without_servers(name: &Fqdn, after: View<'_, '_>) -> String {
    if has_public_address(after, name) {
        format!("servers try the address of {name} instead")
    } else if after.leads_somewhere(name) {
        format!("servers try {name}, and Cloudflare's edge takes no mail")
    } else {
        format!("{name} has no address that servers could try instead")
    }
}

/// Returns true if clients find an address other than Cloudflare's, or an alias, at a name.
fn has_public_address(view: View<'_, '_>, name: &Fqdn) -> bool {
    let leads =
        |r: &Entry<'_>| !r.proxied && (r.data.address().is_some() || r.is(RecordType::Cname));
    view.answering(name).iter().any(leads)
}

/// Returns a sentence about MTA-STS if new servers receive mail. Senders that keep a policy deliver
/// only to servers that it names, and they fetch a new policy when its `id` changes (RFC 8461
/// sections 3.1, 3.3 and 4.1).
fn transport_policy(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
    came: &BTreeSet<&Fqdn>,
) -> Option<String> {
    let id = |view: View<'_, '_>| match mta_sts(
        &view.texts(&Fqdn::reported(&format!("_mta-sts.{name}"))),
    ) {
        Announcement::Valid(id) => Some(id),
        Announcement::Missing | Announcement::Void(_) => None,
    };
    let id = id(after).filter(|now| id(before).as_ref() == Some(now))?;
    (!came.is_empty()).then(|| {
        format!(
            "MTA-STS for {name} stays at {id}: senders that keep its policy deliver to {} only if the policy names it",
            at_most_five(came)
        )
    })
}

/// Returns the effects of changed mail servers on a domain.
pub(in crate::insight) fn compare_mail_servers(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    if !before.is_for(name, RecordType::Mx) && !after.is_for(name, RecordType::Mx) {
        return Vec::new();
    }
    let (old, new) = (Exchanges::of(before, name), Exchanges::of(after, name));
    let changes = |line: String| Effect::needing(Danger::ChangesMail, Topic::Mail, name, line);
    let shown = |line: String| Effect::shown(Topic::Mail, name, Direction::Neutral, line);
    let mut effects = Vec::new();
    if !old.is_like(&new) {
        let line = format!("mail for {name}: {} → {}", old.summary(), new.summary());
        let common: BTreeSet<&Fqdn> =
            old.targets().filter(|t| new.targets().any(|n| n == *t)).gather();
        effects.push(match () {
            () if old.unknown.is_some() => shown(line),
            () if new.unknown.is_some() && (old.is_empty() || old.is_null()) => shown(line),
            () if new.is_beside_alias => shown(line),
            () if new.unknown.is_some() => changes(line),
            () if new.is_contradictory() && !old.is_contradictory() => changes(format!(
                "{line}: one record says that there is no mail, and others name servers (RFC 7505 section 3)"
            )),
            // Without MX records, senders deliver to the address of the domain (RFC 5321 section
            // 5.1).
            () if old.is_null() && new.is_empty() && has_public_address(after, name) => {
                changes(format!("{line}: servers try the address of {name} instead"))
            }
            () if old.is_null() && new.is_empty() && after.leads_somewhere(name) => {
                shown(format!("{line}: servers try {name}, and Cloudflare's edge takes no mail"))
            }
            // Nothing was received before, so no mail is lost.
            () if old.is_empty() || old.is_null() => shown(line),
            () if new.is_empty() => changes(format!("{line}: {}", without_servers(name, after))),
            () if new.is_null() => changes(format!("{line}: mail is refused from now on")),
            () if old.first() != new.first() => changes(format!("{line}: {}", new.first_after(&old))),
            () if old.ranks(&common) != new.ranks(&common) => changes(format!("{line}: another order")),
            () => {
                let backups = |a: &Exchanges<'_>, b: &Exchanges<'_>| a.targets().any(|t| !b.targets().any(|o| o == t));
                match (backups(&new, &old), backups(&old, &new)) {
                    (false, false) => shown(format!("{line}: the order stays")),
                    (true, false) => shown(format!("{line}: the new servers are used if the first do not answer")),
                    (_, true) => shown(format!("{line}: the first server stays")),
                }
            }
        });
    }
    if !old.is_empty() {
        effects.extend(provider_change::compare_providers(
            name,
            &old.hosts(),
            &new.hosts(),
            before,
            after,
        ));
        let came: BTreeSet<&Fqdn> =
            new.targets().filter(|t| !t.is_root() && !old.targets().any(|o| o == *t)).gather();
        effects.extend(transport_policy(name, before, after, &came).map(shown));
    }
    for target in new.targets().filter(|t| !t.is_root() && after.answers_for(t)) {
        let was_target = old.targets().any(|t| t == target);
        let (records, earlier) = (after.answering(target), before.answering(target));
        if !after.leads_somewhere(target) {
            if !was_target || before.leads_somewhere(target) {
                effects
                    .push(changes(format!("mail for {name}: its server {target} has no address")));
            }
            continue;
        }
        let line = format!(
            "mail for {name}: its server {target} is proxied; so that mail arrives, Cloudflare answers with a name \
             _dc-mx.… that shows the address of the origin"
        );
        effects.extend(proxied_target(name, target, was_target, before, after, Topic::Mail, line));
        let is_alias =
            |r: &Entry<'_>| !r.proxied && r.data.record_type() == Some(RecordType::Cname);
        if records.iter().any(is_alias) && !(was_target && earlier.iter().any(is_alias)) {
            effects.push(shown(format!(
                "mail for {name}: its server {target} is an alias, which RFC 5321 does not allow"
            )));
        }
    }
    effects
}
