//! Effects of a change of how a zone is served, independent of its records: sentences for the zone.
//!
//! Only settings that are known before and after are compared. DNSSEC is not among them, because
//! the setting itself reports the work at the registrar.

use super::caching::describe_duration;
use super::index::{NameNode, ZoneIndex};
use super::serving::Serving;
use crate::insight::effect::at_most_five;
use crate::model::{Fqdn, RecordType};

/// Returns the differences between two ways of serving a zone.
pub(super) fn changes(before: &ZoneIndex<'_>, after: &ZoneIndex<'_>) -> Vec<String> {
    let (old, new) = (before.serving(), after.serving());
    let changed = |of: fn(&Serving) -> Option<bool>| match (of(old), of(new)) {
        (Some(old), Some(new)) if old != new => Some(new),
        _ => None,
    };
    let mut lines = Vec::new();
    if let Some(never_proxies) = changed(|s| s.never_proxies).filter(|_| !new.is_paused) {
        let now = if never_proxies {
            "with the record values, which anyone can look up, and requests no longer pass through \
            Cloudflare"
        } else {
            "with the addresses of Cloudflare's edge"
        };
        lines.extend(sentence_about_names(
            after,
            is_proxied,
            &format!("is answered {now}"),
            &format!("are answered {now}"),
        ));
    }
    if let Some(ipv6) = changed(|s| s.ipv6)
        && new.proxies()
    {
        let (one, several) = if ipv6 {
            ("gets IPv6 addresses", "get IPv6 addresses")
        } else {
            ("has no IPv6 addresses any more", "have no IPv6 addresses any more")
        };
        lines.extend(sentence_about_names(after, is_proxied, one, several));
    }
    if let Some(flattens) = changed(|s| s.flattens_all) {
        let way = if flattens { "with the addresses of the target" } else { "as an alias" };
        let is_alias = |node: &NameNode<'_, '_>| {
            !node.is_apex()
                && !is_proxied(node)
                && node
                    .of_type(RecordType::Cname)
                    .iter()
                    .any(|alias| alias.settings.flatten_cname != Some(true))
        };
        lines.extend(sentence_about_names(
            after,
            is_alias,
            &format!("is answered {way}"),
            &format!("are answered {way}"),
        ));
    }
    if changed(|s| s.stops_at_empty).is_some() {
        let star = |zone: &ZoneIndex<'_>, name: &str| {
            zone.locate(name).is_some_and(|l| l.wildcard.is_some())
        };
        for (is_covered, one, several) in [
            (true, "is covered by a wildcard", "are covered by a wildcard"),
            (false, "is no longer covered by a wildcard", "are no longer covered by a wildcard"),
        ] {
            let moves = |node: &NameNode<'_, '_>| {
                star(after, node.name()) == is_covered
                    && star(before, node.name()) != is_covered
                    && !node.has_records()
            };
            lines.extend(sentence_about_names(after, moves, one, several));
        }
    }
    if let Some(multi) = changed(|s| s.multi_provider) {
        let hosts = after.apex().of_type(RecordType::Ns);
        let mut hosts: Vec<String> =
            hosts.iter().filter_map(|ns| ns.data.target()).map(ToString::to_string).collect();
        hosts.sort();
        if !hosts.is_empty() {
            let role = if multi {
                "are served beside Cloudflare's name servers"
            } else {
                "are no longer served"
            };
            lines.push(format!("the NS records of the apex {role}: {}", at_most_five(&hosts)));
        }
    }
    if let (Some(old), Some(new)) = (old.negative_ttl, new.negative_ttl)
        && old != new
    {
        lines.push(format!(
            "resolvers keep \"no such name\" for {} instead of {}",
            describe_duration(new),
            describe_duration(old)
        ));
    }
    lines
}

/// Returns true if a name is answered with Cloudflare's edge when the zone proxies.
fn is_proxied(node: &NameNode<'_, '_>) -> bool {
    node.records().any(|entry| entry.is_proxied())
}

/// Returns a sentence about the affected names; none if there are none.
fn sentence_about_names(
    zone: &ZoneIndex<'_>,
    concerns: impl Fn(&NameNode<'_, '_>) -> bool,
    one: &str,
    several: &str,
) -> Option<String> {
    let names = zone
        .nodes()
        .filter(concerns)
        .map(|node| zone.name().relative(&Fqdn::reported(node.name())).to_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    match names.len() {
        0 => None,
        1 => Some(format!("1 name {one}: {}", names[0])),
        n => Some(format!("{n} names {several}: {}", at_most_five(&names))),
    }
}
