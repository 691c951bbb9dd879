//! Names that look mistyped, and names that do not.

use super::super::providers::PROVIDERS;
use super::*;

#[test]
fn typing_errors_are_found_and_others_are_not() {
    let name = |text: &str| Fqdn::parse(text).unwrap();
    let near = |new: &str, known: &str| {
        let known = name(known);
        let domains = Domains::new(known.registrable().into_iter().collect(), BTreeSet::new());
        nearly_known(&name(new), &[&known], &domains).is_some()
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
        let domains = Domains::new(known.registrable().into_iter().collect(), BTreeSet::new());
        nearly_known(&name(new), &[], &domains).is_some()
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

/// Returns true if a host looks mistyped in a zone with these other hosts, none of which it
/// replaces.
fn in_a_zone<'k>(new: &str, others: impl IntoIterator<Item = &'k Fqdn>) -> bool {
    let domains = others.into_iter().filter_map(Fqdn::registrable).collect();
    nearly_known(&Fqdn::parse(new).unwrap(), &[], &Domains::new(domains, BTreeSet::new())).is_some()
}

#[test]
fn no_provider_is_a_typing_error_of_another() {
    let host = |provider: &Provider| {
        Fqdn::parse(&format!("account.{}", provider.suffix.replace('*', "x1"))).unwrap()
    };
    let all: Vec<Fqdn> = PROVIDERS.iter().map(host).collect();
    for (n, own) in all.iter().enumerate() {
        let others: Vec<&Fqdn> =
            all.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, other)| other).collect();
        assert!(!in_a_zone(own.as_str(), others.iter().copied()), "{own}");
        let domains = Domains::new(
            BTreeSet::new(),
            others.iter().filter_map(|host| host.registrable()).collect(),
        );
        assert_eq!(nearly_known(own, &others, &domains), None, "{own}");
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

/// A zone that gives names to strangers has thousands of accounts of one provider, and some are
/// alike.
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
    // The replaced host is always known.
    let many = accounts(MANY_ACCOUNTS);
    let replaced = Fqdn::parse("kestrel.github.io").unwrap();
    let domains =
        Domains::new(many.iter().filter_map(Fqdn::registrable).collect(), BTreeSet::new());
    let new = Fqdn::parse("kestrle.github.io").unwrap();
    assert_eq!(nearly_known(&new, &[&replaced], &domains), Some("kestrel.github.io"));
    // Short names are alike without any reason.
    let short = Fqdn::parse("oexs.github.io").unwrap();
    assert!(!in_a_zone("onxs.github.io", [&short]));
}

#[test]
fn numbers_and_letters_that_stand_for_one_are_no_typing_errors() {
    for (a, b) in [
        ("ns1", "ns2"),
        ("dns9", "dns10"),
        ("shop-a", "shop-b"),
        ("a-msedge", "s-msedge"),
        ("eu-1-a", "eu-2-b"),
    ] {
        assert!(is_renumbered(a, b), "{a} {b}");
    }
    for (a, b) in
        [("shop", "shob"), ("shop-eu", "shop-us"), ("kestrel", "kestrl"), ("a-shop", "shop")]
    {
        assert!(!is_renumbered(a, b), "{a} {b}");
    }
}

#[test]
fn the_account_of_a_provider_is_compared_where_anyone_can_claim_it() {
    let is_near = |new: &str, old: &str| {
        is_near_account(&Fqdn::parse(new).unwrap(), &Fqdn::parse(old).unwrap())
    };
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
    assert_eq!(
        odd(&["ns1.provider.net", "ns2.provdier.net", "ns3.provider.net"]),
        ["ns2.provdier.net"]
    );
    assert_eq!(odd(&["ns1.provdier.net", "ns2.provider.net"]).len(), 1);
    assert_eq!(
        odd(&["a.nsprov-09.com", "b.nsporv-12.net", "c.nsprov-22.org"]),
        ["b.nsporv-12.net"]
    );
    for set in [
        &["ns.inwx.de", "ns2.inwx.de", "ns3.inwx.eu", "ns4.inwx.com", "ns5.inwx.net"][..],
        &["ns-77.awsdns-09.com", "ns-609.awsdns-12.net"],
        &["hydrogen.ns.hetzner.com", "helium.ns.hetzner.de"],
        &["ns1.dns1.example", "ns1.dns2.example"],
    ] {
        assert!(odd(set).is_empty(), "{set:?}");
    }
}
