//! Host names: who registered them, and whether one looks like a typo of another.

use std::collections::BTreeSet;

use strsim::damerau_levenshtein;

use super::providers::{LONG, Provider};
use crate::model::{Fqdn, PublicSuffix};

/// Providers whose servers have names below several similar domains: one is no typing error of the other.
///
/// # Sources
/// Public name server and mail server names of these providers, 2026-11.
const WITH_SEVERAL_DOMAINS: &[&str] = &[
    "awsdns",
    "azure-dns",
    "cscdns",
    "dnsimple",
    "domaincontrol",
    "easydns",
    "google",
    "googledomains",
    "googlemail",
    "gandi",
    "hostinger",
    "ionos",
    "mimecast",
    "nsone",
    "outlook",
    "ovh",
    "pphosted",
    "protonmail",
    "rackspace",
    "registrar-servers",
    "ui-dns",
    "ultradns",
    "zoho",
];

/// The domain that someone registered, of which a host is part; `None` for names that are public suffixes.
pub(super) fn registrable(host: &Fqdn) -> Option<&str> {
    PublicSuffix::of(host.as_str())?.registrable()
}

/// The label of a registrable domain before its public suffix.
fn label(domain: &str) -> &str {
    domain.split_once('.').map_or(domain, |(label, _)| label)
}

/// The known domain of which the one of a new host looks like a typing error, if there is one.
///
/// The registered domains differ by one character (missing, doubled, another, or two swapped) or by characters that look
/// alike; or a host that is replaced differs by its public suffix alone. A digit in place of a digit is no typing error:
/// servers are numbered. A domain that is in use already is right.
pub(super) fn mistyped<'k>(new: &Fqdn, replaced: &[&'k Fqdn], known: &BTreeSet<&'k str>) -> Option<&'k str> {
    let own = registrable(new)?;
    let replaced_domains = || replaced.iter().filter_map(|host| registrable(host));
    if known.contains(own) || replaced_domains().any(|other| other == own) {
        return None;
    }
    let found = replaced_domains().chain(known.iter().copied()).find(|other| is_near(own, other));
    if Provider::named(own).is_some() {
        return None;
    }
    let suffix = || replaced.iter().find(|host| differs_by_suffix(new, host)).and_then(|host| registrable(host));
    let well_known = || Provider::domains().find(|other| is_near(own, other));
    let provider = || WITH_SEVERAL_DOMAINS.iter().copied().find(|other| is_near_family(label(own), other));
    found.or_else(suffix).or_else(well_known).or_else(provider)
}

/// Whether two hosts are the same but for their public suffix, and no provider has both.
pub(super) fn differs_by_suffix(new: &Fqdn, other: &Fqdn) -> bool {
    let (Some(a), Some(b)) = (registrable(new), registrable(other)) else { return false };
    a != b
        && label(a) == label(b)
        && new.as_str().strip_suffix(a) == other.as_str().strip_suffix(b)
        && !uses_several_domains(label(a))
        && !is_at_provider(a)
        && !is_at_provider(b)
}

/// Another host of a set of name servers or mail servers whose registered domain nearly is that of this one, unless more of the
/// set are with this one, or as many and it comes first.
pub(super) fn odd_one_out<'k>(host: &Fqdn, set: &[&'k Fqdn]) -> Option<&'k Fqdn> {
    let own = registrable(host)?;
    let count =
        |domain: &str| set.iter().filter(|other| registrable(other).is_some_and(|d| is_family(d, domain))).count();
    let is_near = |other: &&&Fqdn| {
        registrable(other).is_some_and(|other| {
            let near = is_near(own, other) || is_near_family(label(own), label(other));
            near && (count(own), other) < (count(other), own)
        })
    };
    set.iter().find(is_near).copied()
}

/// Whether one host of a provider is another one with a character missing, added or swapped.
pub(super) fn is_slip(new: &Fqdn, old: &Fqdn) -> bool {
    let (a, b) = (new.as_str(), old.as_str());
    let is_swap = a.len() == b.len() && a.chars().zip(b.chars()).filter(|(a, b)| a != b).count() == 2;
    registrable(new).is_some_and(|domain| registrable(old) == Some(domain))
        && (a.len() != b.len() || is_swap)
        && damerau_levenshtein(a, b) == 1
        && !is_renumbered(a, b)
}

/// A label without the number at its end.
fn bare(label: &str) -> &str {
    label.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-')
}

/// Whether two domains are the same but for a number and the suffix: `awsdns-12.org` and `awsdns-63.net`.
fn is_family(a: &str, b: &str) -> bool {
    bare(label(a)) == bare(label(b))
}

/// Whether two labels with or without a number nearly are the same.
fn is_near_family(own: &str, other: &str) -> bool {
    let (own, other) = (bare(own), bare(other));
    own.len().min(other.len()) >= LONG
        && own.len().abs_diff(other.len()) <= 1
        && !uses_several_domains(own)
        && damerau_levenshtein(own, other) == 1
        && !is_renumbered(own, other)
}

/// Whether a domain was registered below the domain of a provider, such as `name.pages.dev`: people use one label at many.
fn is_at_provider(domain: &str) -> bool {
    PublicSuffix::of(domain).is_some_and(PublicSuffix::is_of_company)
}

/// Whether a provider uses several domains with this label.
fn uses_several_domains(label: &str) -> bool {
    WITH_SEVERAL_DOMAINS.contains(&bare(label)) || WITH_SEVERAL_DOMAINS.contains(&label)
}

/// Whether the provider of a host uses several domains with the same label.
pub(super) fn is_of_several_domains(host: &Fqdn) -> bool {
    registrable(host).is_some_and(|domain| uses_several_domains(label(domain)))
}

/// Whether two domains with the same public suffix nearly are one.
fn is_near(a: &str, b: &str) -> bool {
    let (Some((own, suffix)), Some((other, other_suffix))) = (a.split_once('.'), b.split_once('.')) else {
        return false;
    };
    // Of short names, most are one character away from another one.
    if suffix != other_suffix
        || own == other
        || own.len().min(other.len()) < 4
        || (uses_several_domains(own) && uses_several_domains(other))
    {
        return false;
    }
    looks_like(own) == looks_like(other) || (damerau_levenshtein(own, other) == 1 && !is_renumbered(own, other))
}

/// The label with characters that look alike made equal.
fn looks_like(label: &str) -> String {
    label.replace("rn", "m").replace("vv", "w").replace(['1', 'i'], "l").replace('0', "o").replace('5', "s")
}

/// Whether only digits differ: `ns1` and `ns2`, or `dns9` and `dns10`.
pub(super) fn is_renumbered(a: &str, b: &str) -> bool {
    let without = |label: &str| label.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    without(a) == without(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_found_and_others_are_not() {
        let name = |text: &str| Fqdn::parse(text).unwrap();
        let near = |new: &str, known: &str| {
            let known = name(known);
            mistyped(&name(new), &[&known], &registrable(&known).into_iter().collect()).is_some()
        };
        for (new, known) in [
            ("ns1.exarnple.net", "ns1.example.net"),
            ("ns1.examp1e.net", "ns2.example.net"),
            ("ns1.exmaple.net", "ns1.example.net"),
            ("ns1.exampl.net", "ns1.example.net"),
            ("ns1.exxample.net", "ns1.example.net"),
            ("ns1.example.org", "ns1.example.net"),
            ("mx.g00gle.com", "mx.google.com"),
            ("_spf.gogle.com", "mail.example.net"),
            ("mail.protection.0utlook.com", "mail.example.net"),
            ("ns-609.awsdsn-12.net", "mail.example.net"),
        ] {
            assert!(near(new, known), "{new} {known}");
        }
        for (new, known) in [
            ("ns2.example.net", "ns1.example.net"),
            ("ns-2.awsdns-12.org", "ns-1.awsdns-11.com"),
            ("ns2.dns2.example", "ns1.dns1.example"),
            ("ns1.provider2.net", "ns1.provider1.net"),
            ("ns1.other.net", "ns1.example.net"),
            ("mx.abc.net", "mx.abd.net"),
            ("mail.example.org", "mx.example.net"),
            ("northwind.netlify.app", "northwind.pages.dev"),
            ("aspmx.l.google.com", "mx.example.net"),
            ("pdns1.ultradns.net", "pdns2.ultradns.org"),
        ] {
            assert!(!near(new, known), "{new} {known}");
        }
    }

    #[test]
    fn the_odd_one_of_a_set_is_found_once() {
        let odd = |set: &[&str]| {
            let set: Vec<Fqdn> = set.iter().map(|text| Fqdn::parse(text).unwrap()).collect();
            let all: Vec<&Fqdn> = set.iter().collect();
            all.iter()
                .filter(|host| odd_one_out(host, &all).is_some())
                .map(|h| h.as_str().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(odd(&["ns1.provider.net", "ns2.provdier.net", "ns3.provider.net"]), ["ns2.provdier.net"]);
        assert_eq!(odd(&["ns1.provdier.net", "ns2.provider.net"]).len(), 1);
        assert_eq!(odd(&["a.nsprov-09.com", "b.nsporv-12.net", "c.nsprov-22.org"]), ["b.nsporv-12.net"]);
        for set in [
            &["ns.inwx.de", "ns2.inwx.de", "ns3.inwx.eu", "ns4.inwx.com", "ns5.inwx.net"][..],
            &["ns-77.awsdns-09.com", "ns-609.awsdns-12.net"],
            &["hydrogen.ns.hetzner.com", "helium.ns.hetzner.de"],
            &["ns1.dns1.example", "ns1.dns2.example"],
        ] {
            assert!(odd(set).is_empty(), "{set:?}");
        }
    }
}
