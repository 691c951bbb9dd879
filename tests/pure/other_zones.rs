//! Findings of a plan that depend on other zones of the spec: hidden hosts, networks, domains,
//! mail.

use std::collections::BTreeSet;

use zonewright::diagnostic::Sources;
use zonewright::insight::{OtherZones, Overview};
use zonewright::model::{Desired, LiveZone, Only, ZoneName};
use zonewright::plan::{ZonePlan, plan_part, plan_part_with_base, plan_zone};
use zonewright::spec;

use crate::scenarios::{live, load};

/// Returns a spec of several zones.
fn spec_of_zones(text: String) -> Desired {
    let mut sources = Sources::default();
    spec::load(&[spec::Input::Stdin(text)], &spec::Options::default(), &mut sources)
        .desired
        .expect("a spec")
}

/// The plan of one zone knows the hidden and used addresses of the other zones of the spec.
#[test]
fn the_other_zones_of_a_spec_count() {
    let both = |records: &str| -> Desired {
        let text = format!(
            "version: 1\nzones:\n  example.com:\n    records:\n      - {{ name: api, type: A, content: 198.51.100.4, proxied: true }}\n      \
             - {{ name: lab, type: NS, content: [ns1.provider-dns.org, ns2.provider-dns.org] }}\n  example.net:\n    records:\n      \
             - {{ name: \"@\", type: A, content: 203.0.113.1 }}\n{records}"
        );
        spec_of_zones(text)
    };
    let base = both("");
    let name = ZoneName::parse("example.net").expect("a name");
    for (record, code) in [
        ("{ name: direct, type: A, content: 198.51.100.4 }", Some("exposes-origin")),
        (
            "{ name: \"@\", type: TXT, content: \"v=spf1 ip4:198.51.100.4 -all\" }",
            Some("exposes-origin"),
        ),
        (
            "{ name: lab, type: NS, content: [ns1.provdier-dns.org, ns2.provdier-dns.org] }",
            Some("looks-mistyped"),
        ),
        (
            "{ name: lab, type: NS, content: [ns1.provider-dns.com, ns2.provider-dns.com] }",
            Some("looks-mistyped"),
        ),
        ("{ name: direct, type: A, content: 198.51.100.5 }", None),
        ("{ name: lab, type: NS, content: [ns1.provider-dns.org, ns2.provider-dns.org] }", None),
    ] {
        let spec = both(&format!("      - {record}\n"));
        let (own, old) = (&spec.zones[&name], &base.zones[&name]);
        let dangers = |zone: ZonePlan| -> BTreeSet<&'static str> {
            zone.operations.iter().flat_map(|o| &o.dangers).map(|danger| danger.code()).collect()
        };
        let overview = Overview::default();
        let others = OtherZones::before(&base, &spec, &overview);
        let with_base = plan_part_with_base(own, old, &live(old), &Only::default(), others).0;
        let overview = Overview::default();
        let without =
            plan_part(own, &live(old), &Only::default(), OtherZones::of(&spec, &overview)).0;
        assert_eq!(dangers(with_base).into_iter().next(), code, "{record}");
        // Without a base, hidden addresses are unknown, because all zones of the spec may be new.
        let code = code.filter(|code| *code != "exposes-origin");
        assert_eq!(dangers(without).into_iter().next(), code, "{record}");
        assert_eq!(dangers(plan_zone(own, &live(old)).0), BTreeSet::new(), "{record}");
    }
}

/// A zone that the base lacks is judged by the zones of the base, however many it has.
#[test]
fn a_new_zone_publishes_no_hidden_address_unseen() {
    let zone = |name: &str, records: &[&str]| {
        let records: String = records.iter().map(|r| format!("      - {{ {r} }}\n")).collect();
        format!("  {name}:\n    records:\n{records}")
    };
    let spec = |zones: &[String]| spec_of_zones(format!("version: 1\nzones:\n{}", zones.concat()));
    let shop = zone("shop.example", &["name: api, type: A, content: 198.51.100.4, proxied: true"]);
    let web = zone("web.example", &["name: www, type: A, content: 203.0.113.1"]);
    let direct = "name: direct, type: A, content: 198.51.100.4";
    let sends = "name: \"@\", type: TXT, content: \"v=spf1 ip4:198.51.100.4 -all\"";
    let behind = "name: direct, type: A, content: 198.51.100.4, proxied: true";
    let other = "name: direct, type: A, content: 198.51.100.5";
    let known = zone("mail.example", &[sends]);
    let name = ZoneName::parse("new.example").expect("a name");
    let empty = load("version: 1\nzones:\n  new.example:\n    records: []\n");
    for (base, record, is_exposed) in [
        (vec![&shop], direct, true),
        (vec![&shop, &web], direct, true),
        (vec![&shop], sends, true),
        (vec![&shop], behind, false),
        (vec![&shop], other, false),
        (vec![&web], direct, false),
        (vec![], direct, false),
        // Mail servers already have this address from another zone.
        (vec![&shop, &known], direct, false),
    ] {
        let zones: Vec<String> = base.into_iter().cloned().collect();
        let base = if zones.is_empty() { Desired::default() } else { spec(&zones) };
        let new = zone("new.example", &[record]);
        // The new zone is added, or it replaces the others.
        for planned in [[&zones[..], std::slice::from_ref(&new)].concat(), vec![new.clone()]] {
            let (planned, overview) = (spec(&planned), Overview::default());
            let others = OtherZones::before(&base, &planned, &overview);
            let own = &planned.zones[&name];
            for live in [live(&empty), LiveZone::to_be_made(name.clone())] {
                let plan = plan_part_with_base(own, &empty, &live, &Only::default(), others).0;
                let mut dangers = plan.operations.iter().flat_map(|o| &o.dangers);
                let exposes = dangers.any(|danger| danger.code() == "exposes-origin");
                assert_eq!(exposes, is_exposed, "{record} {:?}", base.zones.keys());
            }
        }
    }
}

/// An address that differs by one digit from the one that it replaces is no typing error in a
/// network that another zone uses.
#[test]
fn networks_of_other_zones_are_known() {
    let both_with = |vpn: &str, moving: &str| -> Desired {
        let text = format!(
            "version: 1\nzones:\n  example.com:\n    records:\n      - {{ name: api, type: A, content: 198.18.100.4, proxied: true }}\n      \
             - {{ name: vpn, type: A, content: {vpn} }}\n  example.net:\n    records:\n      \
             - {{ name: moving, type: A, content: {moving} }}\n"
        );
        spec_of_zones(text)
    };
    let both = |moving: &str| both_with("198.18.103.4", moving);
    let base = both("198.18.102.9");
    let name = ZoneName::parse("example.net").expect("a name");
    for (moving, code) in [
        ("198.18.100.9", None),
        ("198.18.103.9", None),
        ("198.18.102.8", None),
        ("198.18.101.9", Some("looks-mistyped")),
        ("198.18.2.9", None),
        ("198.18.12.9", Some("looks-mistyped")),
    ] {
        let (spec, overview) = (both(moving), Overview::default());
        let (own, old) = (&spec.zones[&name], &base.zones[&name]);
        let others = OtherZones::before(&base, &spec, &overview);
        let plan = plan_part_with_base(own, old, &live(old), &Only::default(), others).0;
        let dangers: Vec<&str> =
            plan.operations.iter().flat_map(|o| &o.dangers).map(|danger| danger.code()).collect();
        assert_eq!(dangers.into_iter().next(), code, "{moving}");
    }
    // The same mistake in another zone of the planned spec hides nothing, with a base or without
    // one.
    let (copied, overview) = (both_with("198.18.101.9", "198.18.101.9"), Overview::default());
    let (own, old) = (&copied.zones[&name], &base.zones[&name]);
    let before = Overview::default();
    let others = OtherZones::before(&base, &copied, &before);
    let with_base = plan_part_with_base(own, old, &live(old), &Only::default(), others).0;
    let without =
        plan_part(own, &live(old), &Only::default(), OtherZones::of(&copied, &overview)).0;
    for plan in [with_base, without] {
        assert!(
            plan.operations
                .iter()
                .flat_map(|o| &o.dangers)
                .any(|danger| danger.code() == "looks-mistyped")
        );
    }
}

/// Without a base, other zones of the planned spec tell which domains there are, but not that they
/// are right: the same mistake copied into two zones would hide itself.
#[test]
fn a_mistake_in_two_zones_does_not_hide_itself() {
    let spec_of = |lab: &str| -> Desired {
        let zone = |name: &str, host: &str| {
            format!(
                "  {name}:\n    records:\n      - {{ name: lab, type: NS, content: [ns1.{host}, ns2.{host}] }}\n"
            )
        };
        let zones =
            [("example.com", "provider-dns.org"), ("example.net", lab), ("example.org", lab)];
        let zones: String = zones.into_iter().map(|(name, host)| zone(name, host)).collect();
        spec_of_zones(format!("version: 1\nzones:\n{zones}"))
    };
    let empty = load("version: 1\nzones:\n  example.net:\n    records: []\n");
    for (lab, is_mistyped) in [
        ("provdier-dns.org", true),
        ("provider-dns.org", false),
        ("other-dns.org", false),
        ("example.com", false),
    ] {
        let (desired, overview) = (spec_of(lab), Overview::default());
        let own = &desired.zones[&empty.name];
        let plan =
            plan_part(own, &live(&empty), &Only::default(), OtherZones::of(&desired, &overview)).0;
        let dangers: Vec<&str> =
            plan.operations.iter().flat_map(|o| &o.dangers).map(|d| d.code()).collect();
        assert_eq!(dangers.contains(&"looks-mistyped"), is_mistyped, "{lab}: {dangers:?}");
    }
}

/// Mail of one zone can depend on records of another one: an SPF record that it includes, a key or
/// a policy that it has by an alias.
#[test]
fn mail_of_other_zones_counts() {
    let key = |n: &str| {
        let text = std::fs::read_to_string("tests/scenarios/company.yaml").expect("a file");
        let key = text
            .lines()
            .find(|line| line.contains(&format!("{n}._domainkey")))
            .expect("a key")
            .to_owned();
        key.split('"').nth(1).expect("a text").to_owned()
    };
    let all = |records: &str, selectors: &str| -> Desired {
        let text = format!(
            "version: 1\nzones:\n  host.example:\n    records:\n      - {{ name: mx, type: A, content: 198.18.51.25 }}\n{records}  \
             club.example:\n    records:\n      - {{ name: \"@\", type: MX, priority: 10, content: mx.host.example }}\n      \
             - {{ name: \"@\", type: TXT, content: \"v=spf1 include:_spf.host.example -all\" }}\n      \
             - {{ name: k1._domainkey, type: CNAME, content: shared._domainkey.host.example }}\n{selectors}      \
             - {{ name: _dmarc, type: CNAME, content: strict.host.example }}\n"
        );
        spec_of_zones(text)
    };
    let text = |name: &str, value: &str| {
        format!("      - {{ name: {name}, type: TXT, content: \"{value}\" }}\n")
    };
    let spf = text("_spf", "v=spf1 ip4:198.18.51.25 ip4:198.18.51.26 -all");
    let shared = text("shared._domainkey", &key("s2025"));
    let strict = text("strict", "v=DMARC1; p=reject; rua=mailto:a@host.example");
    let whole = format!("{spf}{shared}{strict}");
    let base = all(&whole, "");
    let name = ZoneName::parse("host.example").expect("a name");
    let second = "      - { name: k2._domainkey, type: CNAME, content: k2.provider.example }\n";
    let plan = |changed: &str, selectors: &str| {
        let (spec, overview) = (all(changed, selectors), Overview::default());
        let (own, old) = (&spec.zones[&name], &base.zones[&name]);
        let others = OtherZones::before(&base, &spec, &overview);
        let plan = plan_part_with_base(own, old, &live(old), &Only::default(), others).0;
        let breaks = plan
            .operations
            .iter()
            .flat_map(|o| &o.dangers)
            .any(|d| d.code() == "breaks-mail-authentication");
        let lines: Vec<String> = plan
            .operations
            .iter()
            .filter_map(|o| o.impact.as_ref())
            .flat_map(|i| i.lines.iter().map(|line| line.to_string()))
            .collect();
        (breaks, lines.join("\n"))
    };
    let changed = |from: &str, to: &str| whole.replace(from, to);
    for (after, word) in [
        (
            changed(&spf, ""),
            "SPF for club.example becomes invalid (permerror): _spf.host.example, which it includes, has no",
        ),
        (
            changed("ip4:198.18.51.26 -all", "ip4:198.18.51.2600 -all"),
            "SPF for club.example becomes invalid (permerror)",
        ),
        (
            changed("ip4:198.18.51.25 ", ""),
            "although mail for club.example is still received by mx.host.example",
        ),
        (changed(&shared, ""), "DKIM key k1 of club.example cannot be used any longer"),
        (changed(&strict, ""), "DMARC for club.example: reject → no policy"),
        (changed("p=reject", "p=none"), "DMARC for club.example: reject → none"),
    ] {
        let (breaks, lines) = plan(&after, "");
        assert!(breaks && lines.contains(word), "{word}:\n{lines}");
    }
    for after in [
        changed("ip4:198.18.51.26 ", ""),
        changed("ip4:198.18.51.26", "ip4:198.18.51.26 ip4:198.18.51.27"),
        changed("rua=mailto:a@", "rua=mailto:b@"),
    ] {
        let (breaks, lines) = plan(&after, "");
        assert!(!breaks, "{lines}");
    }
    let (_, lines) = plan(&changed(&shared, ""), second);
    assert!(
        lines.contains(
            "it is an alias of the one at shared._domainkey.host.example; 1 other key stays"
        ),
        "{lines}"
    );
}
