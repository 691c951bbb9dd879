//! Host names: who registered them, and whether one looks like a typo of another.

use std::collections::{BTreeMap, BTreeSet};

use strsim::damerau_levenshtein;

use super::providers::{LONG, Provider};
use crate::model::{Fqdn, PublicSuffix};

/// The longest part of a label that tells a region or a stage.
const VARIANT: usize = 3;

/// From so many accounts below one domain of a provider on, one of them resembles another by chance: a zone that gives names to strangers
/// has thousands.
const MANY_ACCOUNTS: usize = 50;

/// The domain that someone registered, of which a host is part; `None` for names that are public suffixes.
pub(super) fn registrable(host: &Fqdn) -> Option<&str> {
    PublicSuffix::of(host.as_str())?.registrable()
}

/// Of shorter names, most are one character away from another one.
///
/// # Units
/// Characters.
pub(super) const SHORTEST: usize = 4;

/// The label of a registrable domain before its public suffix.
fn label(domain: &str) -> &str {
    domain.split_once('.').map_or(domain, |(label, _)| label)
}

/// Registered domains with which a new one is compared.
#[derive(Debug, Default)]
pub(super) struct Domains<'k> {
    /// Those that are in use already: whatever they resemble, they are right.
    in_use: BTreeSet<&'k str>,
    /// Those of which another one can be a typing error.
    compared: Vec<&'k str>,
    /// Those that may be mistyped themselves.
    planned: BTreeSet<&'k str>,
}

impl<'k> Domains<'k> {
    /// Those that are in use, and those that other zones of the planned spec name: the same mistake can be in several of them.
    pub(super) fn new(in_use: BTreeSet<&'k str>, planned: BTreeSet<&'k str>) -> Self {
        let all = || in_use.union(&planned).copied();
        let mut accounts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, parent) in all().filter_map(|domain| domain.split_once('.')) {
            *accounts.entry(parent).or_default() += 1;
        }
        // Of the registries nothing is said: there a name costs something.
        accounts.retain(|parent, _| PublicSuffix::of(parent).is_some_and(PublicSuffix::is_company));
        let is_telling = |domain: &&str| {
            let Some((label, parent)) = domain.split_once('.') else { return true };
            accounts.get(parent).is_none_or(|count| *count < MANY_ACCOUNTS && label.len() >= LONG)
        };
        Self { compared: all().filter(is_telling).collect(), in_use, planned }
    }

    /// Whether a zone names a host of this domain.
    pub(super) fn contain(&self, domain: &str) -> bool {
        self.in_use.contains(domain) || self.planned.contains(domain)
    }
}

/// The known domain of which the one of a new host looks like a typing error, if there is one.
///
/// The registered domains differ by one character (missing, doubled, another, or two swapped) or by characters that look
/// alike; or a host that is replaced differs by its public suffix alone. A digit in place of a digit is no typing error:
/// servers are numbered. A domain that is in use already, or that a provider has, is right.
pub(super) fn mistyped<'k>(new: &Fqdn, replaced: &[&'k Fqdn], known: &Domains<'k>) -> Option<&'k str> {
    let own = registrable(new)?;
    let replaced_domains = || replaced.iter().filter_map(|host| registrable(host));
    if known.in_use.contains(own) || replaced_domains().any(|other| other == own) || Provider::has(own) {
        return None;
    }
    let of_replaced = replaced_domains().find(|other| is_near(own, other));
    let is_near = |other: &&str| is_near(own, other) && begins_like(own, other);
    let of_known = || known.compared.iter().copied().find(|other| is_near(other) && !is_variant(own, other));
    let suffix = || replaced.iter().find(|host| differs_by_suffix(new, host)).and_then(|host| registrable(host));
    let of_provider = || Provider::domains().find(|other| is_near(other) && !is_plural(label(own), label(other)));
    let is_near_label = |other: &&str| is_near_family(label(own), other) && begins_like(own, other);
    let of_label = || Provider::labels().find(is_near_label);
    of_replaced.or_else(of_known).or_else(suffix).or_else(of_provider).or_else(of_label)
}

/// Whether a name begins as another one, or lost its first character, or has the first two swapped. With another letter in front it is another
/// name: `ncloud`, `pcloud` and `icloud`. Only the host that is replaced tells more.
fn begins_like(own: &str, other: &str) -> bool {
    let first = |name: &str| looks_like(label(name)).chars().next();
    let (a, b) = (own.as_bytes(), other.as_bytes());
    let is_swapped = a.len() > 1 && b.len() > 1 && (a[0], a[1]) == (b[1], b[0]);
    first(own) == first(other) || is_swapped || other.get(1..).is_some_and(|rest| label(rest) == label(own))
}

/// Whether the account of a host nearly is the one of another host of the same provider.
pub(super) fn is_near_account(new: &Fqdn, old: &Fqdn) -> bool {
    Provider::accounts(new, old).is_some_and(|(a, b)| a.len().min(b.len()) >= SHORTEST && is_edit(a, b))
}

/// Whether two hosts are the same but for their public suffix, and no provider has both.
pub(super) fn differs_by_suffix(new: &Fqdn, other: &Fqdn) -> bool {
    let (Some(a), Some(b)) = (registrable(new), registrable(other)) else { return false };
    a != b
        && label(a) == label(b)
        && new.as_str().strip_suffix(a) == other.as_str().strip_suffix(b)
        && !Provider::has(a)
        && !is_at_provider(a)
        && !is_at_provider(b)
}

/// Another host of a set of name servers or mail servers whose registered domain nearly is that of this one, unless more of the
/// set are with this one, or as many and it comes first.
pub(super) fn odd_one_out<'k>(host: &Fqdn, set: &[&'k Fqdn]) -> Option<&'k Fqdn> {
    let own = registrable(host).filter(|own| !Provider::has(own))?;
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

/// Whether two labels of several parts differ in a short part alone, as regions and stages do: `shop-eu` and `shop-us`.
pub(super) fn is_variant(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) = (label(a).split('-').collect(), label(b).split('-').collect());
    let mut different = a.iter().zip(&b).filter(|(a, b)| a != b);
    a.len() == b.len()
        && a.len() > 1
        && different.next().is_some_and(|(a, b)| a.len().max(b.len()) <= VARIANT)
        && different.next().is_none()
}

/// Whether a word is the plural of the other one: real names, and no slip of the finger.
fn is_plural(a: &str, b: &str) -> bool {
    a.strip_suffix('s') == Some(b) || b.strip_suffix('s') == Some(a)
}

/// A label without the number at its end.
fn bare(label: &str) -> &str {
    label.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-')
}

/// Whether two domains are the same but for a number and the suffix: `awsdns-12.org` and `awsdns-63.net`.
fn is_family(a: &str, b: &str) -> bool {
    bare(label(a)) == bare(label(b))
}

/// Whether two labels with or without a number are nearly the same.
fn is_near_family(own: &str, other: &str) -> bool {
    let (own, other) = (bare(own), bare(other));
    other.len() >= LONG && is_edit(own, other)
}

/// Whether two names differ by one character that is missing, added or another one, or by two that are swapped, and by more than a number.
fn is_edit(a: &str, b: &str) -> bool {
    a.len().abs_diff(b.len()) <= 1 && damerau_levenshtein(a, b) == 1 && !is_renumbered(a, b)
}

/// Whether a domain was registered below the domain of a provider, such as `name.pages.dev`: people use one label at many.
fn is_at_provider(domain: &str) -> bool {
    PublicSuffix::of(domain).is_some_and(PublicSuffix::is_of_company)
}

/// Whether the provider of a host uses several domains with the same label.
pub(super) fn is_of_several_domains(host: &Fqdn) -> bool {
    registrable(host).is_some_and(|domain| Provider::has_several(label(domain)))
}

/// Whether two domains with the same public suffix nearly are one.
fn is_near(a: &str, b: &str) -> bool {
    let (Some((own, suffix)), Some((other, other_suffix))) = (a.split_once('.'), b.split_once('.')) else {
        return false;
    };
    suffix == other_suffix
        && own != other
        && own.len().min(other.len()) >= SHORTEST
        && (is_edit(own, other) || looks_like(own) == looks_like(other))
}

/// The label with characters that look alike made equal.
fn looks_like(label: &str) -> String {
    label.replace("rn", "m").replace("vv", "w").replace(['1', 'i'], "l").replace('0', "o").replace('5', "s")
}

/// Whether only numbers differ, or letters that stand for one: `ns1` and `ns2`, `dns9` and `dns10`, `shop-a` and `shop-b`.
pub(super) fn is_renumbered(a: &str, b: &str) -> bool {
    let part = |part: &str| match part.len() {
        1 => String::new(),
        _ => part.chars().filter(|c| !c.is_ascii_digit()).collect(),
    };
    let without = |label: &str| label.split(['-', '.']).map(part).collect::<Vec<String>>();
    without(a) == without(b)
}

#[cfg(test)]
mod tests {
    use super::super::providers::PROVIDERS;
    use super::*;

    #[test]
    fn typing_errors_are_found_and_others_are_not() {
        let name = |text: &str| Fqdn::parse(text).unwrap();
        let near = |new: &str, known: &str| {
            let known = name(known);
            let domains = Domains::new(registrable(&known).into_iter().collect(), BTreeSet::new());
            mistyped(&name(new), &[&known], &domains).is_some()
        };
        for (new, known) in [
            ("www.iconos.com", "mail.example.net"),
            ("www.gandhi.org", "mail.example.net"),
            ("x.statuspages.io", "mail.example.net"),
        ] {
            assert!(!near(new, known), "{new} {known}");
        }
        let accounts = |new: &str, known: &str| {
            let known = name(known);
            let domains = Domains::new(registrable(&known).into_iter().collect(), BTreeSet::new());
            mistyped(&name(new), &[], &domains).is_some()
        };
        for (new, known) in [
            ("acme-api.vercel.app", "acme-app.vercel.app"),
            ("acmeshop-uk.netlify.app", "acmeshop-us.netlify.app"),
            ("acme-au.azurewebsites.net", "acme-eu.azurewebsites.net"),
        ] {
            assert!(!accounts(new, known), "{new} {known}");
        }
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

    /// Whether a host looks mistyped in a zone that names others, of which it replaces none.
    fn in_a_zone<'k>(new: &str, others: impl IntoIterator<Item = &'k Fqdn>) -> bool {
        let domains = others.into_iter().filter_map(registrable).collect();
        mistyped(&Fqdn::parse(new).unwrap(), &[], &Domains::new(domains, BTreeSet::new())).is_some()
    }

    #[test]
    fn no_provider_is_a_typing_error_of_another() {
        let host =
            |provider: &Provider| Fqdn::parse(&format!("account.{}", provider.suffix.replace('*', "x1"))).unwrap();
        let all: Vec<Fqdn> = PROVIDERS.iter().map(host).collect();
        for (n, own) in all.iter().enumerate() {
            let others: Vec<&Fqdn> = all.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, other)| other).collect();
            assert!(!in_a_zone(own.as_str(), others.iter().copied()), "{own}");
            let domains = Domains::new(BTreeSet::new(), others.iter().filter_map(|host| registrable(host)).collect());
            assert_eq!(mistyped(own, &others, &domains), None, "{own}");
            assert_eq!(odd_one_out(own, &others), None, "{own}");
            assert!(!others.iter().any(|other| differs_by_suffix(own, other)), "{own}");
        }
    }

    /// Real domains, each beside another real one that nearly is the same.
    #[test]
    fn another_first_letter_is_another_name() {
        for (new, other) in [
            ("shop.pcloud.com", "mx01.mail.icloud.com"),
            ("lb.qcloud.com", "mx01.mail.icloud.com"),
            ("lb.ncloud.com", "lb.qcloud.com"),
            ("mx.ymail.com", "mx.gmail.com"),
            ("ns1.tdnsv5.com", "ns1.dnsv5.com"),
            ("a.mailway.app", "kestrel.up.railway.app"),
            ("ns1.wscdns.com", "pdns1.cscdns.net"),
            ("dual.s-msedge.net", "dual.a-msedge.net"),
            ("team.gitbook.io", "team.gitbooks.io"),
            ("mx.zoho.eu", "mx.zoho.com"),
            ("mx.yandex.net", "mx.yandex.ru"),
            ("ns2.desec.org", "ns1.desec.io"),
        ] {
            let known = Fqdn::parse(other).unwrap();
            assert!(!in_a_zone(new, [&known]), "{new} {other}");
        }
        for (new, other) in [
            ("ns1.rpovider.net", "ns1.provider.net"),
            ("ns1.rovider.net", "ns1.provider.net"),
            ("ns1.pprovider.net", "ns1.provider.net"),
            ("mail.0utlook.com", "ns1.provider.net"),
            ("team.ithub.io", "ns1.provider.net"),
            ("cdn.webfow.com", "ns1.provider.net"),
        ] {
            let known = Fqdn::parse(other).unwrap();
            assert!(in_a_zone(new, [&known]), "{new} {other}");
        }
    }

    /// A zone that gives names to strangers has thousands of accounts of one provider, and some are alike.
    #[test]
    fn accounts_of_strangers_may_be_alike() {
        let accounts = |count: usize| -> Vec<Fqdn> {
            let others = (1..count).map(|n| format!("person{}-site.github.io", "x".repeat(n)));
            let own = "kestrel.github.io".to_owned();
            others.chain([own]).map(|host| Fqdn::parse(&host).unwrap()).collect()
        };
        assert!(in_a_zone("kestrle.github.io", &accounts(3)));
        assert!(in_a_zone("kestrle.github.io", &accounts(MANY_ACCOUNTS - 1)));
        assert!(!in_a_zone("kestrle.github.io", &accounts(MANY_ACCOUNTS)));
        // Whatever else there is, the one that is replaced is known.
        let many = accounts(MANY_ACCOUNTS);
        let replaced = Fqdn::parse("kestrel.github.io").unwrap();
        let domains = Domains::new(many.iter().filter_map(registrable).collect(), BTreeSet::new());
        let new = Fqdn::parse("kestrle.github.io").unwrap();
        assert_eq!(mistyped(&new, &[&replaced], &domains), Some("kestrel.github.io"));
        // Short names are alike without any reason.
        let short = Fqdn::parse("oexs.github.io").unwrap();
        assert!(!in_a_zone("onxs.github.io", [&short]));
    }

    #[test]
    fn numbers_and_letters_that_stand_for_one_are_no_typing_errors() {
        for (a, b) in
            [("ns1", "ns2"), ("dns9", "dns10"), ("shop-a", "shop-b"), ("a-msedge", "s-msedge"), ("eu-1-a", "eu-2-b")]
        {
            assert!(is_renumbered(a, b), "{a} {b}");
        }
        for (a, b) in [("shop", "shob"), ("shop-eu", "shop-us"), ("kestrel", "kestrl"), ("a-shop", "shop")] {
            assert!(!is_renumbered(a, b), "{a} {b}");
        }
    }

    #[test]
    fn the_account_of_a_provider_is_compared_where_anyone_can_claim_it() {
        let is_near = |new: &str, old: &str| is_near_account(&Fqdn::parse(new).unwrap(), &Fqdn::parse(old).unwrap());
        assert!(is_near("kestrle.zendesk.com", "kestrel.zendesk.com"));
        assert!(is_near("kestrell.helpscoutdocs.com", "kestrel.helpscoutdocs.com"));
        assert!(!is_near("osprey.zendesk.com", "kestrel.zendesk.com"));
        assert!(!is_near("mail2.zendesk.com", "mail1.zendesk.com"));
        assert!(!is_near("kestrel-b.zendesk.com", "kestrel-a.zendesk.com"));
        assert!(!is_near("kestrel.zendesk.com", "kestrle.helpscoutdocs.com"));
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
