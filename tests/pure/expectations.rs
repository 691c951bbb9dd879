//! Expectations of a spec with each result: passed, failed, and unknown with a reason.

use std::collections::BTreeMap;

use zonewright::diagnostic::Sources;
use zonewright::insight::dns::{ZoneIndex, Zones};
use zonewright::insight::expect::{Evidence, ExpectationOutcome, Rigor, check_expectation};
use zonewright::model::Desired;
use zonewright::spec;

/// A zone of a company with its own mail, one domain that sends nothing, and a hidden origin.
const ZONES: &str = r#"version: 1
zones:
  example.com:
    records:
      - { name: "@", type: A, content: 198.51.100.10, proxied: true }
      - { name: www, type: CNAME, content: example.com, proxied: true }
      - { name: "@", type: MX, content: mx1.example.com, priority: 10 }
      - { name: "@", type: MX, content: mx2.example.com, priority: 20 }
      - { name: mx1, type: A, content: 192.0.2.25 }
      - { name: mx2, type: A, content: 192.0.2.26 }
      - { name: "@", type: TXT, content: "v=spf1 ip4:192.0.2.25 include:newsletter.example -all" }
      - { name: _dmarc, type: TXT, content: "v=DMARC1; p=quarantine; sp=reject" }
      - { name: s2025._domainkey, type: TXT, content: "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=" }
      - { name: old._domainkey, type: TXT, content: "v=DKIM1; p=" }
      - { name: test._domainkey, type: TXT, content: "v=DKIM1; t=y; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=" }
      - { name: k1._domainkey, type: CNAME, content: dkim.newsletter.example }
      - { name: "@", type: CAA, content: 0 issue "letsencrypt.org" }
      - { name: wild, type: CAA, content: 0 issuewild "letsencrypt.org" }
      - { name: cdn, type: CNAME, content: cdn.provider.example }
      - { name: "null", type: MX, content: ., priority: 0 }
      - { name: lost, type: MX, content: nowhere.example.com, priority: 0 }
      - { name: text, type: TXT, content: "contact noc at 203.0.113.5." }
      - { name: lab, type: NS, content: [ns1.lab.example.com, ns.hosting.example] }
      - { name: ns1.lab, type: A, content: 192.0.2.53 }
  example.net:
    records:
      - { name: "@", type: TXT, content: "v=spf1 ip4:203.0.113.0/24 -all" }
      - { name: svc, type: HTTPS, content: 1 . ipv4hint=203.0.113.77 }
      - { name: mail, type: A, content: 198.51.100.77, proxied: true }
      - { name: "@", type: MX, content: mail.example.net, priority: 0 }
"#;

/// Returns the spec with one expectation of its first zone.
fn load(expectation: &str) -> Desired {
    let text = ZONES.replacen(
        "    records:",
        &format!("    expect:\n      - {expectation}\n    records:"),
        1,
    );
    let mut sources = Sources::default();
    let outcome = spec::load(&[spec::Input::Stdin(text)], &spec::Options::default(), &mut sources);
    outcome.desired.unwrap_or_else(|| panic!("{expectation}: {:?}", outcome.diagnostics))
}

fn check(expectation: &str, knows_all: bool) -> ExpectationOutcome {
    let desired = load(&format!("{{ name: x, {expectation} }}"));
    let zones = Zones::new(desired.zones.values().map(ZoneIndex::of_spec).collect());
    let expected = desired.zones.values().flat_map(|zone| &zone.expect).next().unwrap();
    check_expectation(
        Evidence {
            zones: &zones,
            protections: &BTreeMap::new(),
            knows_all,
            rigor: Rigor::default(),
        },
        &expected.what,
    )
}

#[test]
fn what_is_expected_holds_or_not_for_a_reason() {
    for (expectation, word, why) in [
        ("mail: { by: [mx1, mx2.example.com] }", "passed", ""),
        ("mail: { by: [mx1.example.com, mx2.example.com.] }", "passed", ""),
        ("mail: { by: [mx2, mx1] }", "failed", "another order"),
        ("mail: { by: [mx1] }", "failed", "mx2.example.com (20)"),
        ("mail: { by: [] }", "failed", "mx1.example.com (10)"),
        (
            "resolve: mx1, type: A, answer: none",
            "failed",
            "192.0.2.25; expected no record of this type",
        ),
        (
            "resolve: mx1, type: A, within: [198.51.100.0/24]",
            "failed",
            "expected addresses in 198.51.100.0/24",
        ),
        ("resolve: lab, type: NS, is: [ns.hosting.example, ns1.lab.example.com]", "passed", ""),
        (
            "resolve: lab, type: NS, is: [ns.hosting.example]",
            "failed",
            "ns.hosting.example; expected ns.hosting.example",
        ),
        ("resolve: lab, type: NS, answer: none", "failed", "expected no record"),
        ("resolve: lab, type: A, answer: none", "unknown", "delegated to"),
        ("resolve: host.lab, type: NS, is: [ns.hosting.example]", "unknown", "delegated to"),
        ("resolve: cdn, type: A, answer: none", "unknown", "cdn.provider.example"),
        ("mail: { domain: 'null', by: [] }", "passed", ""),
        ("mail: { domain: 'null', by: [mx1] }", "failed", "null.example.com"),
        ("mail: { domain: mx1, by: [] }", "failed", "senders try its address"),
        ("mail: { domain: nothing, by: [] }", "passed", ""),
        (
            "mail: { domain: lost, by: [nowhere.example.com] }",
            "failed",
            "nowhere.example.com has no address",
        ),
        ("mail: { spf_pass: [192.0.2.25] }", "passed", ""),
        ("mail: { spf_pass: [192.0.2.26] }", "unknown", "an include or another name decides"),
        ("mail: { domain: mx1, spf_pass: [192.0.2.25] }", "failed", "there is no SPF record"),
        ("mail: { dmarc: quarantine }", "passed", ""),
        ("mail: { dmarc: at least quarantine }", "passed", ""),
        ("mail: { dmarc: at least none }", "passed", ""),
        ("mail: { dmarc: reject }", "failed", "DMARC for example.com: quarantine"),
        ("mail: { domain: mx1, dmarc: At Least  Reject }", "passed", ""),
        ("mail: { dkim: [s2025] }", "passed", ""),
        ("mail: { dkim: [old] }", "failed", "revoked"),
        ("mail: { dkim: [test] }", "failed", "test mode"),
        ("mail: { dkim: [s2024] }", "failed", "there is none"),
        ("mail: { dkim: [k1] }", "unknown", "dkim.newsletter.example"),
        // One failed condition decides, even if others are unknown.
        ("mail: { dkim: [k1, old], by: [mx1, mx2] }", "failed", "revoked"),
        ("mail: { dkim: [k1, s2025], by: [mx1, mx2] }", "unknown", "k1"),
        (
            "certificates: { only: [letsencrypt.org] }",
            "unknown",
            "Cloudflare adds its own authorities",
        ),
        ("certificates: { only: [letsencrypt.org], universal_ssl: false }", "passed", ""),
        ("certificates: { only: [letsencrypt.org], universal_ssl: true }", "failed", "pki.goog"),
        (
            "certificates: { only: [letsencrypt.org, pki.goog, ssl.com, digicert.com, sectigo.com, comodoca.com], universal_ssl: true }",
            "passed",
            "",
        ),
        (
            "certificates: { only: [pki.goog], universal_ssl: false }",
            "failed",
            "letsencrypt.org may issue as well",
        ),
        ("certificates: { only: [] }", "failed", "letsencrypt.org"),
        (
            "certificates: { name: www, only: [letsencrypt.org], universal_ssl: false }",
            "passed",
            "",
        ),
        (
            "certificates: { name: a.b.c, only: [letsencrypt.org], universal_ssl: false }",
            "passed",
            "",
        ),
        (
            "certificates: { name: wild, only: [letsencrypt.org], universal_ssl: false }",
            "failed",
            "every authority may issue",
        ),
        ("certificates: { name: cdn, only: [letsencrypt.org] }", "unknown", "cdn.provider.example"),
        ("hidden: [198.51.100.10]", "passed", ""),
        ("hidden: [198.51.100.0/28]", "passed", ""),
        ("hidden: [192.0.2.0/24]", "failed", "mx1.example.com A publishes 192.0.2.25"),
        ("hidden: [203.0.113.5]", "failed", "text.example.com TXT names 203.0.113.5"),
        ("hidden: [203.0.113.64/27]", "failed", "svc.example.net HTTPS publishes 203.0.113.77"),
        ("hidden: [203.0.113.9]", "failed", "example.net TXT publishes 203.0.113.0/24"),
        ("hidden: [198.51.100.77]", "failed", "Cloudflare publishes 198.51.100.77 beside it"),
        ("hidden: ['2001:db8::/32']", "passed", ""),
    ] {
        let outcome = check(expectation, true);
        assert_eq!(outcome.as_str(), word, "{expectation}: {outcome:?}");
        assert!(outcome.why().unwrap_or_default().contains(why), "{expectation}: {outcome:?}");
    }
}

#[test]
fn what_a_spec_alone_does_not_know_is_unknown() {
    for (expectation, word) in [
        ("mail: { dkim: [s2024] }", "unknown"),
        ("mail: { domain: nothing, by: [] }", "unknown"),
        ("mail: { domain: nothing, by: [mx1] }", "unknown"),
        ("mail: { domain: nothing, dmarc: reject }", "passed"),
        ("certificates: { name: www, only: [pki.goog] }", "failed"),
        ("hidden: [198.51.100.10]", "unknown"),
        ("hidden: [192.0.2.25]", "failed"),
        ("mail: { by: [mx1, mx2], dmarc: at least none }", "passed"),
    ] {
        assert_eq!(check(expectation, false).as_str(), word, "{expectation}");
    }
}

/// Any expectation that is printed reads back as the same.
#[test]
fn expectations_are_printed_as_they_are_read() {
    for expectation in [
        "resolve: www, type: A, answer: edge",
        "resolve: mx1, type: A, within: [192.0.2.0/24, '2001:db8::/32']",
        "resolve: '@', type: MX, is: [10 mx1.example.com, 20 mx2.example.com]",
        "mail: { by: [] }",
        "mail: { domain: mx1, by: [mx1, mail.example.net], spf_pass: [192.0.2.25, '2001:db8::1'], dmarc: at least reject, dkim: [s1, a.b] }",
        "certificates: { name: www, only: [letsencrypt.org, pki.goog], universal_ssl: true }",
        "certificates: { only: [] }",
        "hidden: [192.0.2.7, '2001:db8::/48']",
    ] {
        let desired = load(&format!("{{ name: x, {expectation} }}"));
        let printed = spec::print(&desired);
        let mut sources = Sources::default();
        let again = spec::load(
            &[spec::Input::Stdin(printed.clone())],
            &spec::Options::default(),
            &mut sources,
        );
        let what = |desired: &Desired| -> Vec<_> {
            desired
                .zones
                .values()
                .flat_map(|zone| zone.expect.iter().map(|e| e.what.clone()))
                .collect()
        };
        let again = again.desired.unwrap_or_else(|| panic!("{printed}\n{:?}", again.diagnostics));
        assert_eq!(what(&again), what(&desired), "{printed}");
    }
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let text = |entry: &str| {
        ZONES.replacen(
            "    records:",
            &format!("    expect:\n      - {{ name: x, {entry} }}\n    records:"),
            1,
        )
    };
    for (entry, token, says) in [
        ("mail: { by: [mx1, a..b] }", "a..b", "a..b"),
        ("mail: { by: [mx1, '*.example.com'] }", "'*", "not the name of a host"),
        ("mail: { by: [mx1, .] }", ".]", "not the name of a host"),
        ("mail: { spf_pass: [192.0.2.0/24] }", "192", "not an address"),
        ("mail: { dmarc: strict }", "strict", "not a policy"),
        ("mail: { dmarc: at most reject }", "at most", "not a policy"),
        ("mail: { dkim: ['a b'] }", "'a b'", "not a selector"),
        ("mail: { domain: mail.example.net., by: [] }", "mail.example", "example.net"),
        ("mail: { domain: www }", "{ domain", "demands nothing"),
        ("mail: {}", "{}", "demands nothing"),
        ("mail: { by: [], pop: x }", "pop", "pop"),
        ("certificates: { only: [\"letsencrypt org\"] }", "\"letsencrypt", "not the identifier"),
        ("certificates: { only: [';'] }", "';'", "not the identifier"),
        ("certificates: {}", "{}", "only"),
        ("hidden: []", "[]", "no network"),
        ("hidden: [192.0.2.0/33]", "192", "not a network"),
        ("hidden: [192.0.2.1], mail: { by: [] }", "{ name", "more than one thing"),
        ("hidden: [192.0.2.1], type: A", "A }", "needs `resolve`"),
        ("resolve: www", "www", "type"),
        ("resolve: www, type: A, is: []", "[]", "no value"),
        ("resolve: www, type: A, within: []", "[]", "no network"),
        ("is: [192.0.2.1]", "[192", "needs `resolve`"),
    ] {
        let mut sources = Sources::default();
        let outcome =
            spec::load(&[spec::Input::Stdin(text(entry))], &spec::Options::default(), &mut sources);
        let found: Vec<_> = outcome
            .diagnostics
            .iter()
            .filter(|d| d.severity == zonewright::diagnostic::Severity::Error)
            .collect();
        assert!(outcome.desired.is_none() && !found.is_empty(), "{entry}");
        let place = found[0].primary.as_ref().unwrap_or_else(|| panic!("{entry}: {found:?}")).place;
        let at = sources.line_column(place);
        let line = text(entry).lines().nth(4).and_then(|line| line.find(token)).unwrap_or_default();
        assert_eq!((at.line, at.column), (5, line + 1), "{entry}: {:?}", found[0]);
        assert!(
            found[0].detail.contains(says) || format!("{:?}", found[0]).contains(says),
            "{entry}: {:?}",
            found[0]
        );
    }
}

/// Returns the outcome of an expectation in a pruned zone of its own with these records.
fn outcome_in(records: &str, expectation: &str) -> (&'static str, String) {
    let text = format!(
        "version: 1\nzones:\n  example.com:\n    unmanaged: prune\n    expect:\n      - {{ name: x, {expectation} }}\n    records:\n{records}"
    );
    let mut sources = Sources::default();
    let outcome = spec::load(&[spec::Input::Stdin(text)], &spec::Options::default(), &mut sources);
    let desired = outcome.desired.unwrap_or_else(|| panic!("{:?}", outcome.diagnostics));
    let zones = Zones::new(desired.zones.values().map(ZoneIndex::of_spec).collect());
    let expected = desired.zones.values().flat_map(|zone| &zone.expect).next().unwrap();
    let evidence = Evidence {
        zones: &zones,
        protections: &BTreeMap::new(),
        knows_all: true,
        rigor: Rigor::default(),
    };
    match check_expectation(evidence, &expected.what) {
        ExpectationOutcome::Passed => ("passed", String::new()),
        ExpectationOutcome::PassedSoFar(why) => ("passed so far", why),
        ExpectationOutcome::Failed(why) => ("failed", why),
        ExpectationOutcome::Unknown(why) => ("unknown", why),
    }
}

/// Ten mail servers may be looked up, and one more makes the record invalid (RFC 7208 section
/// 4.6.4).
#[test]
fn the_eleventh_mail_server_spoils_an_spf_record() {
    let records = |count: usize| {
        let server = |n: usize| {
            format!(
                "      - {{ name: \"@\", type: MX, content: {n} m{n}.example.com }}\n      - {{ name: m{n}, type: A, content: 192.0.2.{n} }}\n"
            )
        };
        let servers: String = (1..=count).map(server).collect();
        format!("{servers}      - {{ name: \"@\", type: TXT, content: v=spf1 mx -all }}\n")
    };
    let expectation = "mail: { spf_pass: [192.0.2.1] }";
    assert_eq!(outcome_in(&records(10), expectation).0, "passed");
    let (word, why) = outcome_in(&records(11), expectation);
    assert!(word == "failed" && why.contains("permerror"), "{word} {why}");
}

/// Results that depend on the sender or the connection are unknown; Cloudflare's edge sends no
/// mail.
#[test]
fn spf_says_what_the_zone_tells() {
    let records = "      - { name: h, type: TXT, content: \"v=spf1 a:%{h} -all\" }
      - { name: l, type: TXT, content: \"v=spf1 exists:%{l}.user.%{d} -all\" }
      - { name: foo.user.l, type: A, content: 127.0.0.2 }
      - { name: e, type: TXT, content: \"v=spf1 exists:%{i}._spf.%{d} -all\" }
      - { name: 1.2.3.4._spf.e, type: A, content: 127.0.0.2 }
      - { name: relay, type: A, content: 1.2.3.4, proxied: true }
      - { name: relay, type: TXT, content: v=spf1 a -all }
      - { name: own, type: TXT, content: v=spf1 ip4:1.2.3.4 -all }
      - { name: news, type: CNAME, content: own.example.com }
      - { name: mixed, type: CNAME, content: host.example.net }
      - { name: mixed, type: TXT, content: v=spf1 ip4:1.2.3.4 -all }
";
    for (domain, wanted) in [
        ("h", "unknown"),
        ("l", "unknown"),
        ("e", "passed"),
        ("relay", "failed"),
        ("news", "passed"),
        ("mixed", "unknown"),
    ] {
        let expectation = format!("mail: {{ domain: {domain}, spf_pass: [1.2.3.4] }}");
        let (word, why) = outcome_in(records, &expectation);
        assert_eq!(word, wanted, "{domain}: {why}");
    }
    let of_edge = "mail: { domain: relay, spf_pass: [104.16.0.1] }";
    assert_eq!(outcome_in(records, of_edge).0, "unknown");
}

/// Resolvers get addresses for a proxied alias, and no texts of its target.
#[test]
fn what_is_behind_a_proxied_alias_is_not_found() {
    let records = "      - { name: s1._domainkey, type: CNAME, content: key.example.com, proxied: PROXIED }
      - { name: key, type: TXT, content: \"v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\" }
      - { name: _dmarc, type: CNAME, content: policy.example.com, proxied: PROXIED }
      - { name: policy, type: TXT, content: v=DMARC1; p=reject }
";
    for (proxied, wanted) in [("true", "failed"), ("false", "passed")] {
        let records = records.replace("PROXIED", proxied);
        for expectation in ["mail: { dkim: [s1] }", "mail: { dmarc: reject }"] {
            let (word, why) = outcome_in(&records, expectation);
            assert_eq!(word, wanted, "{expectation}: {why}");
        }
    }
}

/// A record counts for its own domain, and for subdomains if it is that of the organizational
/// domain (RFC 9989 section 4.10).
#[test]
fn dmarc_of_a_subdomain_is_that_of_the_organizational_domain() {
    let records =
        "      - { name: _dmarc, type: TXT, content: v=DMARC1; p=reject; sp=quarantine; np=none }
      - { name: _dmarc.own, type: TXT, content: v=DMARC1; p=none }
      - { name: below.own, type: A, content: 192.0.2.1 }
      - { name: _dmarc.end, type: TXT, content: v=DMARC1; p=none; psd=n }
      - { name: below.end, type: A, content: 192.0.2.1 }
      - { name: _dmarc.suffix, type: TXT, content: v=DMARC1; p=none; psd=y }
      - { name: _dmarc.org.suffix, type: TXT, content: v=DMARC1; p=reject }
      - { name: below.org.suffix, type: A, content: 192.0.2.1 }
      - { name: below.bare.suffix, type: A, content: 192.0.2.1 }
      - { name: _dmarc.two, type: TXT, content: [v=DMARC1; p=none, v=DMARC1; p=reject] }
      - { name: two, type: A, content: 192.0.2.1 }
      - { name: a.empty, type: A, content: 192.0.2.1 }
      - { name: '*.wild', type: A, content: 192.0.2.1 }
      - { name: a.b.c.d.e.f.g.h, type: A, content: 192.0.2.1 }
      - { name: _dmarc.b.c.d.e.f.g.h, type: TXT, content: v=DMARC1; p=none; psd=n }
      - { name: _dmarc.alias, type: CNAME, content: policy.example.net }
      - { name: below.alias, type: A, content: 192.0.2.1 }
";
    for (domain, wanted, outcome) in [
        ("'@'", "reject", "passed"),
        ("own", "none", "passed"),
        ("below.own", "quarantine", "passed"),
        ("below.end", "none", "passed"),
        ("below.org.suffix", "reject", "passed"),
        ("below.bare.suffix", "none", "passed"),
        ("two", "quarantine", "passed"),
        ("empty", "quarantine", "passed"),
        ("any.wild", "quarantine", "passed"),
        ("nothing", "none", "passed"),
        ("below.nothing", "at least quarantine", "failed"),
        // Of nine labels, the walk asks the last seven.
        ("a.b.c.d.e.f.g.h", "quarantine", "passed"),
        ("alias", "reject", "unknown"),
        ("below.alias", "reject", "unknown"),
    ] {
        let expectation = format!("mail: {{ domain: {domain}, dmarc: {wanted} }}");
        let (word, why) = outcome_in(records, &expectation);
        assert_eq!(word, outcome, "{domain}: {why}");
    }
}

/// Above a zone that is part of another domain, records are unknown.
#[test]
fn dmarc_above_the_known_zones_is_unknown() {
    let zone = |record: &str| {
        format!(
            "version: 1\nzones:\n  team.example.com:\n    unmanaged: prune\n    expect:\n      \
             - {{ name: x, mail: {{ domain: www, dmarc: reject }} }}\n      \
             - {{ name: x, mail: {{ domain: '@', dmarc: reject }} }}\n    records:\n      \
             - {{ name: www, type: A, content: 192.0.2.1 }}\n      - {{ name: _dmarc, type: TXT, content: {record} }}\n"
        )
    };
    for (record, words) in [
        ("v=DMARC1; p=reject", ["unknown", "passed"]),
        ("v=DMARC1; p=reject; psd=n", ["passed", "passed"]),
    ] {
        let mut sources = Sources::default();
        let input = spec::Input::Stdin(zone(record));
        let outcome = spec::load(&[input], &spec::Options::default(), &mut sources);
        let desired = outcome.desired.unwrap_or_else(|| panic!("{:?}", outcome.diagnostics));
        let zones = Zones::new(desired.zones.values().map(ZoneIndex::of_spec).collect());
        let protections = BTreeMap::new();
        let rigor = Rigor::default();
        let evidence =
            Evidence { zones: &zones, protections: &protections, knows_all: true, rigor };
        let expectations = desired.zones.values().flat_map(|zone| &zone.expect);
        let found: Vec<&str> = expectations
            .map(|expected| check_expectation(evidence, &expected.what).as_str())
            .collect();
        assert_eq!(found, words, "{record}");
    }
}
