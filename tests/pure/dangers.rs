//! Consents and sentences of plans: cases that the tables in tests/scenarios cannot express.

use serde_json::Value;
use zonewright::insight::OtherZones;
use zonewright::model::Only;
use zonewright::plan::{
    Consents, Plan, Verdict, plan_part_with_base, plan_zone, plan_zone_with_base,
};

use crate::scenarios::{judged, live, load};

/// Returns a zone of two tokens, two addresses and a DKIM key, planned after a change; the codes
/// that it needs.
fn stops_of(base: &str, changed: &str, with_base: bool) -> Vec<&'static str> {
    let text =
        |records: &str| format!("version: 1\nzones:\n  example.com:\n    records:\n{records}");
    let (base, desired) = (load(&text(base)), load(&text(changed)));
    let live = live(&base);
    let (zone, _) = if with_base {
        plan_zone_with_base(&desired, &base, &live)
    } else {
        plan_zone(&desired, &live)
    };
    let zone = judged(zone, &desired, Some(&base), &live);
    let deletes = zone
        .operations
        .iter()
        .filter(|o| o.dangers.contains(&zonewright::model::Danger::Delete))
        .count();
    let plan = Plan { zones: vec![zone], ..Plan::default() };
    match plan.verdict(&Consents::default()) {
        Verdict::NeedsConsent(missing) => {
            assert_eq!(
                missing.iter().find(|m| m.danger.code() == "delete").map_or(0, |m| m.operations),
                deletes
            );
            missing.into_iter().map(|m| m.danger.code()).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn what_is_replaced_is_not_counted() {
    let token = |value: &str| {
        format!("      - {{ name: \"@\", type: TXT, content: google-site-verification={value} }}\n")
    };
    let (old, new) = (token("Wb8cXk2n9QpLr4TtYv6Z"), token("Zx9wVu8tSr7qPo6nMl5k"));
    assert_eq!(stops_of(&old, &new, true), Vec::<&str>::new());
    // No record is created, or an unrelated one.
    let other = "      - { name: \"@\", type: TXT, content: MS=ms48151623 }\n";
    let host = "      - { name: a, type: A, content: 192.0.2.1 }\n";
    assert_eq!(stops_of(&format!("{old}{host}"), host, true), ["delete"]);
    assert_eq!(stops_of(&format!("{old}{host}"), &format!("{host}{other}"), true), ["delete"]);
    // Two records are deleted and one is created.
    let third = token("Aa1bB2cC3dD4eE5fF6gG");
    assert_eq!(stops_of(&format!("{old}{third}"), &new, true), ["delete"]);
    // `state: absent`, without a base.
    let absent = old.replace(" }}\n", " }\n").replace(" }\n", ", state: absent }\n");
    assert_eq!(stops_of(&old, &format!("{new}{absent}"), false), Vec::<&str>::new());
    // A record that was never in the base may be someone else's: a change of type counts without a
    // base.
    let alias = "      - { name: a, type: CNAME, content: host.example.net }\n";
    assert_eq!(stops_of(host, alias, true), Vec::<&str>::new());
    assert_eq!(stops_of(host, alias, false), ["delete"]);
    // In a pruned zone without a base, the spec asks to delete everything that it does not name.
    let prune = |records: &str| format!("{records}    unmanaged: prune\n");
    for (before, after) in [(&old[..], &new[..]), (host, alias)] {
        assert_eq!(stops_of(&prune(before), &prune(after), false), Vec::<&str>::new());
    }
    assert_eq!(stops_of(&prune(&format!("{old}{third}")), &prune(&new), false), ["delete"]);
}

/// More name servers of the providers that a name has are no change of who answers for it.
#[test]
fn another_name_server_of_the_same_provider_is_no_danger() {
    let delegated =
        |servers: &str| format!("      - {{ name: lab, type: NS, content: [{servers}] }}\n");
    let at_apex =
        |servers: &str| format!("      - {{ name: \"@\", type: NS, content: [{servers}] }}\n");
    let changes = |before: &str, after: &str| -> bool {
        let codes = [delegated, at_apex].map(|records| {
            stops_of(&records(before), &records(after), true).contains(&"changes-name-servers")
        });
        assert_eq!(codes[0], codes[1], "{after}");
        codes[0]
    };
    let two = "ns1.provider-dns.org, ns2.provider-dns.org";
    for (before, after, is_danger) in [
        (two, "ns1.provider-dns.org, ns2.provider-dns.org, ns3.provider-dns.org", false),
        (
            "ns-1.awsdns-01.com, ns-600.awsdns-10.net",
            "ns-1.awsdns-01.com, ns-600.awsdns-10.net, ns-1500.awsdns-60.org",
            false,
        ),
        // One of another provider, or of one whose name only begins alike.
        (two, "ns1.provider-dns.org, ns2.provider-dns.org, ns1.other-dns.net", true),
        (
            two,
            "ns1.provider-dns.org, ns2.provider-dns.org, ns3.provider-dns.org.attacker.net",
            true,
        ),
        // One of two name servers is deleted or replaced.
        (two, "ns1.provider-dns.org", true),
        (two, "ns1.provider-dns.org, ns3.provider-dns.org", true),
    ] {
        assert_eq!(changes(before, after), is_danger, "{after}");
    }
}

/// Cloudflare reaches an origin with a private address through a tunnel, if any address of a
/// proxied name is routed so.
#[test]
fn private_routing_reaches_private_addresses() {
    let host = |address: &str, settings: &str| {
        format!(
            "      - {{ name: a, type: A, content: {address}, proxied: true, settings: {{ {settings} }} }}\n"
        )
    };
    let public = host("198.18.60.2", "");
    assert_eq!(stops_of(&public, &host("10.0.0.2", ""), true), ["looks-mistyped"]);
    assert_eq!(
        stops_of(&public, &host("10.0.0.2", "private_routing: true"), true),
        Vec::<&str>::new()
    );
    let two = host("10.0.0.2", "private_routing: true") + &host("10.0.0.3", "");
    assert_eq!(stops_of(&public, &two, true), Vec::<&str>::new());
}

/// A longer expiry of a weakening changes nothing at Cloudflare, so there is no operation for it;
/// unless the weakening stays narrow, it needs a consent.
#[test]
fn a_later_last_day_is_told() {
    let text = std::fs::read_to_string("tests/scenarios/protection.yaml").expect("a file");
    let data: Value = serde_yaml::from_str(&text).expect("a file of scenarios");
    let text = data["zone"].as_str().expect("a zone");
    let base = load(text);
    let needs = |from: &str, to: &str| -> Vec<&'static str> {
        let (zone, _) = plan_zone_with_base(&load(&text.replace(from, to)), &base, &live(&base));
        let plan = Plan { zones: vec![zone], ..Plan::default() };
        match plan.verdict(&Consents::default()) {
            Verdict::NeedsConsent(missing) => {
                missing.into_iter().map(|m| m.danger.code()).collect()
            }
            Verdict::InSync => Vec::new(),
            other => panic!("{other:?}"),
        }
    };
    let told = |from: &str, to: &str| -> Vec<String> {
        let (zone, diagnostics) =
            plan_zone_with_base(&load(&text.replace(from, to)), &base, &live(&base));
        assert!(zone.is_empty(), "{to}");
        diagnostics.iter().filter(|d| d.code() == "PLAN0048").map(|d| d.detail.clone()).collect()
    };
    let editor = "the editor sends HTML, expires: 2027-01-31";
    let later = told(editor, "the editor sends HTML, expires: 2036-01-31");
    assert_eq!(later, ["the exception editor lasts until 2036-01-31 instead of 2027-01-31"]);
    assert_eq!(
        told(editor, "the editor sends HTML"),
        ["the exception editor no longer ends on 2027-01-31"]
    );
    let rule = told("punctuation, expires: 2027-01-31", "punctuation, expires: 2027-03-31");
    assert_eq!(
        rule,
        ["the override of owasp, rule 942430, lasts until 2027-03-31 instead of 2027-01-31"]
    );
    for (from, to) in [
        (editor, "the editor sends HTML, expires: 2026-12-31"),
        ("reason: the editor", "reason: an editor"),
    ] {
        assert_eq!(told(from, to), Vec::<String>::new());
        assert_eq!(needs(from, to), Vec::<&str>::new());
    }
    // Today is 2026-11-22.
    assert_eq!(needs(editor, "the editor sends HTML, expires: 2027-02-15"), Vec::<&str>::new());
    assert_eq!(needs(editor, "the editor sends HTML, expires: 2036-01-31"), ["weakens-protection"]);
    assert_eq!(needs(editor, "the editor sends HTML"), ["weakens-protection"]);
    // A part of the plan needs the consents for its own operations only.
    let of_part = |pattern: &str, from: &str, to: &str| -> bool {
        let only = Only::new(vec![
            glob::Pattern::new(&format!("{}/{pattern}", base.name)).expect("a pattern"),
        ]);
        let desired = load(&text.replace(from, to));
        let (zone, found) =
            plan_part_with_base(&desired, &base, &live(&base), &only, OtherZones::NONE);
        let is_told = found.iter().any(|d| d.code() == "PLAN0048");
        assert_eq!(is_told, !zone.dangers.is_empty(), "{pattern}");
        is_told
    };
    assert!(!of_part("dns/*", editor, "the editor sends HTML"));
    assert!(of_part("waf/*", editor, "the editor sends HTML"));
    assert!(of_part("waf/http_request_firewall_managed/editor", editor, "the editor sends HTML"));
    assert!(!of_part("waf/http_request_firewall_managed/owasp", editor, "the editor sends HTML"));
    let punctuation = "punctuation, expires: 2027-01-31";
    assert!(of_part(
        "waf/http_request_firewall_managed/owasp",
        punctuation,
        "punctuation, expires: 2027-03-31"
    ));
    assert_eq!(needs(punctuation, "punctuation, expires: 2027-02-15"), Vec::<&str>::new());
    assert_eq!(needs(punctuation, "punctuation, expires: 2027-03-31"), ["weakens-protection"]);
}

/// Returns the findings of a plan after the records of a zone change.
fn lines_of(before: &str, after: &str) -> Vec<(String, Vec<String>)> {
    let (base, desired) = (load(before), load(after));
    let (zone, _) = plan_zone_with_base(&desired, &base, &live(&base));
    let lines = |o: &zonewright::plan::Operation| {
        o.impact.iter().flat_map(|impact| &impact.lines).map(|line| line.to_string()).collect()
    };
    zone.operations.iter().map(|o| (o.address.to_string(), lines(o))).collect()
}

#[test]
fn reverse_lookups_that_answer_another_name_are_told() {
    for (zone, name, address) in [
        ("60.18.198.in-addr.arpa", "25", "198.18.60.25"),
        (
            "8.b.d.0.1.0.0.2.ip6.arpa",
            "5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0",
            "2001:db8::25",
        ),
    ] {
        let text = |host: &str| {
            format!(
                "version: 1\nzones:\n  {zone}:\n    records:\n      - {{ name: {name}, type: PTR, content: {host} }}\n"
            )
        };
        let said = lines_of(&text("mail.example.com"), &text("host25.provider.example"));
        let line =
            format!("reverse lookups of {address}: mail.example.com → host25.provider.example");
        assert!(said.iter().any(|(_, lines)| lines.iter().any(|l| l.contains(&line))), "{said:?}");
    }
}

/// An SPF record can keep the address of a host that moves. The plan has a note unless another term
/// allows the new address.
#[test]
fn an_address_left_behind_in_spf_is_told() {
    let text = |terms: &str, record: &str, relay: &str| -> String {
        format!(
            "version: 1\nzones:\n  example.com:\n    records:\n      - {{ name: relay, type: A, content: {relay} }}\n      \
             - {{ name: www, type: A, content: 198.18.60.2 }}\n      - {{ name: \"@\", type: TXT, content: \"v=spf1 {terms}\" }}\n{record}"
        )
    };
    let is_not_there = Some("and does not name 198.18.52.25");
    let own = |network: &str| {
        format!("      - {{ name: _spf, type: TXT, content: \"v=spf1 ip4:{network} -all\" }}\n")
    };
    let exchange = "      - { name: \"@\", type: MX, priority: 10, content: relay.example.com }\n";
    for (terms, record, end) in [
        ("ip4:198.18.51.25 -all", "", is_not_there),
        ("include:_spf.example.com ip4:198.18.51.25 -all", &own("198.18.52.25"), None),
        ("include:_spf.example.com ip4:198.18.51.25 -all", &own("198.18.61.1"), is_not_there),
        ("ip4:198.18.51.25 redirect=_spf.example.com", &own("198.18.52.0/24"), None),
        ("a:relay.example.com ip4:198.18.51.25 -all", "", None),
        ("a:www.example.com ip4:198.18.51.25 -all", "", is_not_there),
        ("mx ip4:198.18.51.25 -all", exchange, None),
        ("a:mx.mailhost.example ip4:198.18.51.25 -all", "", None),
        ("exists:%{i}.mailhost.example ip4:198.18.51.25 -all", "", None),
        (
            "include:_spf.mailhost.example ip4:198.18.51.25 -all",
            "",
            Some("and names 198.18.52.25 by include:_spf.mailhost.example at most"),
        ),
    ] {
        let [base, desired] =
            ["198.18.51.25", "198.18.52.25"].map(|relay| load(&text(terms, record, relay)));
        let (zone, _) = plan_zone_with_base(&desired, &base, &live(&base));
        let lines = zone
            .operations
            .iter()
            .filter_map(|o| o.impact.as_ref())
            .flat_map(|impact| &impact.lines);
        let lines: Vec<&str> =
            lines.map(|line| &**line).filter(|line| line.contains("the old address of")).collect();
        let wanted = end.map(|end| {
            format!("SPF for example.com still allows 198.18.51.25, the old address of relay.example.com, {end}")
        });
        assert_eq!(lines, wanted.iter().collect::<Vec<_>>(), "{terms}");
    }
}
