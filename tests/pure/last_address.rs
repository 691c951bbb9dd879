//! The danger `removes-last-address`: each clause of its definition, in both directions.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use zonewright::diagnostic::Sources;
use zonewright::insight::expect::Rigor;
use zonewright::insight::{OtherZones, Overview};
use zonewright::model::ruleset::{EntryPoint, LiveRule, LiveRuleset, Phase, RulesetId};
use zonewright::model::{Desired, Live, Only, ZoneName};
use zonewright::plan::{ZonePlan, explain_records, plan_part, plan_part_with_base};
use zonewright::{spec, wire};

use crate::scenarios::live;

/// A run: the zones as the base wanted them, what others made in them, and the planned spec.
#[derive(Default)]
struct Run<'r> {
    base: &'r str,
    spec: &'r str,
    /// Foreign records, and the zone of each.
    foreign: Vec<(&'r str, Value)>,
    /// Expressions of enabled or disabled foreign rules of the first zone.
    rules: Vec<(bool, &'r str)>,
    /// True if there is no base, so that the plan does not know the previous spec.
    has_no_base: bool,
    /// Name servers with which an empty name stops wildcards.
    is_advanced: bool,
}

/// Returns a spec of zones, each with its lines: `name` begins a zone, other lines are records or
/// members.
fn spec_of(text: &str) -> Desired {
    let mut yaml = "version: 1\nzones:\n".to_owned();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        yaml += &match line.split_once(' ') {
            Some(("zone", name)) => format!("  {name}:\n"),
            Some(("records:", _)) | None => format!("    {line}\n"),
            Some(("-", record)) => format!("      - {record}\n"),
            Some(_) => format!("    {line}\n"),
        };
    }
    let mut sources = Sources::default();
    let options =
        spec::Options { today: Some("2026-11-26".to_owned()), ..spec::Options::default() };
    let outcome = spec::load(&[spec::Input::Stdin(yaml.clone())], &options, &mut sources);
    outcome.desired.unwrap_or_else(|| panic!("{yaml}\n{:?}", outcome.diagnostics))
}

impl Run<'_> {
    /// Returns the plans of all zones, as a run makes them.
    fn plans(&self) -> Vec<ZonePlan> {
        let (base, desired) = (spec_of(self.base), spec_of(self.spec));
        let mut zones: BTreeMap<_, _> =
            base.zones.iter().map(|(name, zone)| (name.clone(), live(zone))).collect();
        for (n, (zone, record)) in self.foreign.iter().enumerate() {
            let mut record = record.clone();
            record["id"] = format!("f{n:031}").into();
            let zone = zones.get_mut(&ZoneName::parse(zone).unwrap()).expect("the zone is live");
            zone.records.push(wire::record::read_record(&record).expect("a record"));
        }
        let first = zones.values_mut().next().expect("a zone");
        if self.is_advanced {
            first.settings.dns_settings.insert("foundation_dns".to_owned(), true.into());
        }
        if !self.rules.is_empty() {
            let rule = |(n, (is_enabled, expression)): (usize, &(bool, &str))| -> LiveRule {
                let rule = json!({ "id": format!("{n:032}"), "version": "1", "ref": format!("rule{n}"), "action": "block",
                    "expression": expression, "enabled": is_enabled });
                let ruleset = json!({ "id": "a", "version": "1", "rules": [rule] });
                wire::ruleset::read_ruleset(&ruleset).expect("a ruleset").rules.remove(0)
            };
            let rules = self.rules.iter().enumerate().map(rule).collect();
            let ruleset = LiveRuleset {
                id: RulesetId("a".repeat(32)),
                version: None,
                last_updated: None,
                rules,
            };
            first.waf.entry_points.insert(Phase::Custom, EntryPoint::Present(ruleset));
        }
        let (live, overview) = (Live { zones }, Overview::default());
        let plan = |(name, zone): (&ZoneName, &_)| {
            let old = base.zones.get(name).expect("the base has the zone");
            let only = Only::default();
            match self.has_no_base {
                true => {
                    plan_part(zone, &live.zones[name], &only, OtherZones::of(&desired, &overview)).0
                }
                false => {
                    let others = OtherZones::before(&base, &desired, &overview);
                    plan_part_with_base(zone, old, &live.zones[name], &only, others).0
                }
            }
        };
        let mut plans: Vec<ZonePlan> = desired.zones.iter().map(plan).collect();
        explain_records(
            &mut plans,
            &desired,
            (!self.has_no_base).then_some(&base),
            &live,
            Rigor::default(),
        );
        plans
    }

    /// Returns the addresses of the operations with the danger.
    fn raised(&self) -> Vec<String> {
        let plans = self.plans();
        let operations = plans.iter().flat_map(|plan| &plan.operations);
        let with_danger =
            operations.filter(|o| o.dangers.iter().any(|d| d.code() == "removes-last-address"));
        with_danger.map(|operation| operation.address.to_string()).collect()
    }

    #[track_caller]
    fn is_raised(&self, wanted: bool) {
        let raised = self.raised();
        assert_eq!(
            !raised.is_empty(),
            wanted,
            "{raised:?}\nbase:\n{}\nspec:\n{}",
            self.base,
            self.spec
        );
    }
}

/// Returns a zone of these lines.
fn zone(records: &str) -> String {
    format!(
        "zone example.com\nrecords:\n- {{ name: \"@\", type: A, content: 198.18.1.1 }}\n{records}"
    )
}

/// Checks a deleted host beside records that stay, and beside records that go with it.
#[track_caller]
fn deleted(host: &str, stays: &str, is_raised: bool) {
    let (base, spec) = (zone(&format!("{host}\n{stays}")), zone(stays));
    Run { base: &base, spec: &spec, ..Run::default() }.is_raised(is_raised);
}

const HOST: &str = "- { name: h, type: A, content: 198.18.1.2 }";

#[test]
fn a_host_that_nothing_refers_to_needs_its_delete_only() {
    deleted(HOST, "", false);
    deleted("- { name: h, type: A, content: 198.18.1.2, proxied: true }", "", false);
    deleted("- { name: h, type: CNAME, content: host.example.net }", "", false);
    deleted(
        "- { name: h, type: AAAA, content: \"2001:db8::1\" }\n- { name: h, type: TXT, content: text }",
        "",
        false,
    );
    // A wildcard above it is another danger.
    let wildcard = "- { name: \"*\", type: A, content: 198.18.1.9 }";
    deleted(HOST, wildcard, false);
    let run = Run {
        base: &zone(&format!("{HOST}\n{wildcard}")),
        spec: &zone(wildcard),
        ..Run::default()
    };
    let dangers: Vec<_> = run.plans()[0].operations[0].dangers.iter().map(|d| d.code()).collect();
    assert_eq!(dangers, ["delete", "falls-to-wildcard"]);
}

#[test]
fn a_name_that_keeps_records_is_still_in_use() {
    for kept in [
        "- { name: h, type: TXT, content: text }",
        "- { name: h, type: MX, priority: 10, content: mx.example.net }",
        "- { name: h, type: HTTPS, data: { priority: 1, target: ., value: \"alpn=h2\" } }",
    ] {
        deleted(HOST, kept, true);
        deleted(&format!("{HOST}\n{kept}"), "", false);
    }
    // Names below it are names of their own.
    deleted(HOST, "- { name: below.h, type: A, content: 198.18.1.3 }", false);
    // The remaining record leads to a server.
    deleted(HOST, "- { name: h, type: AAAA, content: \"2001:db8::1\" }", false);
    let hint = "- { name: h, type: HTTPS, data: { priority: 1, target: ., value: \"ipv4hint=198.18.1.2\" } }";
    deleted(HOST, hint, false);
    deleted(
        HOST,
        "- { name: h, type: HTTPS, data: { priority: 0, target: h.example.net } }",
        false,
    );
}

#[test]
fn the_apex_and_wildcards_always_count() {
    let (base, spec) = (
        "zone example.com\nrecords:\n- { name: \"@\", type: A, content: 198.18.1.1 }",
        "zone example.com\nrecords: []",
    );
    Run { base, spec, ..Run::default() }.is_raised(true);
    deleted("- { name: \"*\", type: A, content: 198.18.1.9 }", "", true);
    deleted("- { name: \"*.w\", type: CNAME, content: host.example.net }", "", true);
    deleted("- { name: \"*.w\", type: TXT, content: text }", "", false);
    // A higher wildcard covers the same names.
    let star = |name: &str| format!("- {{ name: \"{name}\", type: A, content: 198.18.1.9 }}");
    deleted(&star("*.w"), &star("*"), false);
}

#[test]
fn every_type_that_refers_to_it_counts() {
    for record in [
        "- { name: m, type: MX, priority: 10, content: h.example.com }",
        "- { name: _sip._tcp, type: SRV, data: { priority: 10, weight: 5, port: 5060, target: h.example.com } }",
        "- { name: sub, type: NS, content: h.example.com }",
        "- { name: www, type: CNAME, content: h.example.com }",
        "- { name: www, type: HTTPS, data: { priority: 1, target: h.example.com, value: \"alpn=h2\" } }",
        "- { name: _dns, type: SVCB, data: { priority: 1, target: h.example.com, value: \"alpn=dot\" } }",
        "- { name: n, type: NAPTR, data: { order: 10, preference: 10, flags: \"A\", service: \"x-svc\", regex: \"\", replacement: h.example.com } }",
        "- { name: \"4\", type: PTR, content: h.example.com }",
    ] {
        deleted(HOST, record, true);
        // References that the same plan removes do not count, nor do references to another name.
        deleted(&format!("{HOST}\n{record}"), "", false);
        deleted(HOST, &record.replace("h.example.com", "example.com"), false);
    }
}

#[test]
fn names_in_spf_records_count() {
    let host = |name: &str| format!("- {{ name: {name}, type: A, content: 198.18.1.2 }}");
    for (terms, is_raised) in [
        ("a:h.example.com -all", true),
        ("mx:h.example.com -all", true),
        ("include:h.example.com -all", true),
        ("exists:h.example.com -all", true),
        ("redirect=h.example.com", true),
        ("?a:H.Example.COM/24 ~all", true),
        ("a:h.%{d} -all", true),
        ("a:h.%{d2} -all", true),
        // About the domain itself.
        ("a mx -all", false),
        ("a:example.com -all", false),
        ("ip4:198.18.1.2 -all", false),
        // Never evaluated, or another name for each sender.
        ("-all a:h.example.com", false),
        ("-all redirect=h.example.com", false),
        ("exists:%{l}.h.example.com -all", false),
        ("a:%{i}.example.com -all", false),
        // Receivers ignore a record with an error.
        ("a:h.example.com ip4:1.2 -all", false),
    ] {
        deleted(
            &host("h"),
            &format!("- {{ name: \"@\", type: TXT, content: \"v=spf1 {terms}\" }}"),
            is_raised,
        );
    }
    let spf = "- { name: other, type: TXT, content: \"v=spf1 a:h.example.com -all\" }";
    deleted(&host("h"), spf, true);
    deleted(&host("h"), &spf.replace("v=spf1 ", "spf "), false);
}

#[test]
fn the_host_of_a_policy_counts_where_one_is_announced() {
    let host = "- { name: mta-sts, type: A, content: 198.18.1.2 }";
    for (announcement, is_raised) in [
        ("- { name: _mta-sts, type: TXT, content: \"v=STSv1; id=20261126\" }", true),
        ("- { name: _mta-sts, type: CNAME, content: _mta-sts.provider.net }", true),
        ("- { name: _mta-sts, type: TXT, content: \"v=STSv1; id=\" }", false),
        ("- { name: _mta-sts, type: TXT, content: \"something else\" }", false),
        ("- { name: _mta-sts.sub, type: TXT, content: \"v=STSv1; id=20261126\" }", false),
        (
            "- { name: _smtp._tls, type: TXT, content: \"v=TLSRPTv1; rua=mailto:a@example.com\" }",
            false,
        ),
    ] {
        deleted(host, announcement, is_raised);
        deleted(&format!("{host}\n{announcement}"), "", false);
    }
}

#[test]
fn records_of_others_and_of_other_zones_count() {
    let (base, spec) = (zone(HOST), zone(""));
    let cname = |name: &str| json!({ "type": "CNAME", "name": name, "content": "h.example.com", "ttl": 300 });
    let foreign = vec![("example.com", cname("foreign.example.com"))];
    Run { base: &base, spec: &spec, foreign, ..Run::default() }.is_raised(true);
    let other = |records: &str| {
        format!(
            "zone example.net\nrecords:\n- {{ name: \"@\", type: A, content: 198.18.1.5 }}\n{records}"
        )
    };
    let mail = other("- { name: \"@\", type: MX, priority: 10, content: h.example.com }");
    let both = |one: &str, other: &str| format!("{one}\n{other}");
    let [with_mail, without] = [&mail, &other("")].map(|net| both(&spec, net));
    let base_of_both = both(&base, &mail);
    Run { base: &base_of_both, spec: &with_mail, ..Run::default() }.is_raised(true);
    Run { base: &base_of_both, spec: &without, ..Run::default() }.is_raised(false);
    let foreign = vec![("example.net", cname("foreign.example.net"))];
    let base_of_both = both(&base, &other(""));
    Run { base: &base_of_both, spec: &without, foreign, ..Run::default() }.is_raised(true);
    Run { base: &base_of_both, spec: &without, ..Run::default() }.is_raised(false);
}

#[test]
fn expectations_and_enabled_rules_count() {
    for (expectation, is_raised) in [
        ("{ name: x, resolve: h, type: A, is: [198.18.1.2] }", true),
        ("{ name: x, resolve: h, type: A, answer: none }", false),
        ("{ name: x, resolve: other, type: A, answer: none }", false),
        ("{ name: x, certificates: { name: h, only: [letsencrypt.org] } }", true),
        ("{ name: x, mail: { by: [h] } }", true),
    ] {
        let expect = format!("expect: [{expectation}]");
        let (base, spec) = (
            zone(&format!("{HOST}\n{expect}")),
            zone(&format!("- {{ name: other2, type: TXT, content: x }}\n{expect}")),
        );
        Run { base: &base, spec: &spec, ..Run::default() }.is_raised(is_raised);
        // The expectation is removed with the host.
        Run { base: &base, spec: &zone(""), ..Run::default() }.is_raised(false);
    }
    let (base, spec) = (zone(HOST), zone(""));
    for (is_enabled, expression, is_raised) in [
        (true, "http.host eq \"h.example.com\"", true),
        (true, "http.host in {\"example.com\" \"h.example.com\"} and ip.src ne 192.0.2.1", true),
        (true, "http.host eq \"h.example.com\" or ip.src eq 192.0.2.1", true),
        (
            true,
            "(ip.src eq 192.0.2.1 or lower(http.host) in {\"h.example.com\"}) and not cf.client.bot",
            true,
        ),
        (true, "not http.host in {\"h.example.com\"} and ip.src eq 192.0.2.1", false),
        (true, "http.host eq \"example.com\"", false),
        (true, "http.host ne \"h.example.com\"", false),
        (true, "http.request.uri.path eq \"/h.example.com\"", false),
        (false, "http.host eq \"h.example.com\"", false),
    ] {
        let rules = vec![(is_enabled, expression)];
        Run { base: &base, spec: &spec, rules, ..Run::default() }.is_raised(is_raised);
    }
    // Rules of the spec. A rule that is deleted with the host does not count.
    let waf = |rules: &str| format!("waf: {{ custom: [{rules}] }}");
    let [about, other] = ["h.example.com", "example.com"]
        .map(|host| format!("{{ name: a, when: 'http.host eq \"{host}\"', action: block }}"));
    let [base, with_rule, with_other] =
        [zone(&format!("{HOST}\n{}", waf(&about))), zone(&waf(&about)), zone(&waf(&other))];
    Run { base: &base, spec: &with_rule, ..Run::default() }.is_raised(true);
    Run { base: &base, spec: &with_other, ..Run::default() }.is_raised(false);
    Run { base: &base, spec: &zone(""), ..Run::default() }.is_raised(false);
}

#[test]
fn pruning_of_what_nobody_named_counts() {
    let foreign = || {
        vec![(
            "example.com",
            json!({ "type": "A", "name": "h.example.com", "content": "198.18.1.2" }),
        )]
    };
    let pruned = |records: &str| format!("{}\nunmanaged: prune", zone(records));
    let (base, spec) = (zone(""), pruned(""));
    Run { base: &base, spec: &spec, foreign: foreign(), ..Run::default() }.is_raised(true);
    Run { base: &base, spec: &spec, foreign: foreign(), has_no_base: true, ..Run::default() }
        .is_raised(true);
    // The base had it, or the spec names its end.
    Run { base: &pruned(HOST), spec: &spec, ..Run::default() }.is_raised(false);
    let absent = pruned("- { name: h, type: A, state: absent }");
    Run { base: &base, spec: &absent, foreign: foreign(), ..Run::default() }.is_raised(false);
    let absent = zone("- { name: h, type: A, state: absent }");
    Run { base: &base, spec: &absent, foreign: foreign(), has_no_base: true, ..Run::default() }
        .is_raised(false);
}

#[test]
fn the_answer_tells_whether_a_name_led_to_a_server() {
    let changed = |before: &str, after: &str, is_raised: bool| {
        let (base, spec) = (zone(before), zone(after));
        Run { base: &base, spec: &spec, ..Run::default() }.is_raised(is_raised);
    };
    let alias = |target: &str| format!("- {{ name: www, type: CNAME, content: {target} }}");
    // An alias that leads to nothing.
    changed(&alias("host.example.net"), &alias("typo.example.com"), true);
    changed(&alias("example.com"), &alias("host.example.net"), false);
    changed(&alias("typo.example.com"), &alias("typo2.example.com"), false);
    // An alias that led to nothing loses nothing.
    changed(&alias("typo.example.com"), "- { name: www, type: TXT, content: text }", false);
    changed(&alias("host.example.net"), "- { name: www, type: TXT, content: text }", true);
    // The target of an alias in the zone is deleted, with or without the alias.
    deleted(HOST, &alias("h.example.com"), true);
    deleted(&format!("{HOST}\n{}", alias("h.example.com")), "", false);
    // A text hides the wildcard that gave the name its address.
    let wildcard = "- { name: \"*.w\", type: A, content: 198.18.1.9 }";
    let text = "- { name: b.w, type: TXT, content: text }";
    changed(wildcard, &format!("{wildcard}\n{text}"), false);
    let used = format!("{wildcard}\n{}", alias("b.w.example.com"));
    changed(&used, &format!("{used}\n{text}"), true);
    changed(&used, &format!("{used}\n- {{ name: b.w, type: A, content: 198.18.1.3 }}"), false);
    // An address below the name makes it exist: advanced name servers do not cover it any more.
    let below = format!("{used}\n- {{ name: a.b.w, type: A, content: 198.18.1.3 }}");
    changed(&used, &below, false);
    let (base, spec) = (zone(&used), zone(&below));
    Run { base: &base, spec: &spec, is_advanced: true, ..Run::default() }.is_raised(true);
    let unused = zone(&format!("{wildcard}\n- {{ name: a.b.w, type: A, content: 198.18.1.3 }}"));
    Run { base: &zone(wildcard), spec: &unused, is_advanced: true, ..Run::default() }
        .is_raised(false);
    // Names of keys and tokens are no hosts.
    deleted(
        "- { name: _x.h, type: CNAME, content: host.example.net }",
        "- { name: www, type: CNAME, content: _x.h.example.com }",
        false,
    );
    // Other name servers answer for a delegated name.
    changed(HOST, "- { name: h, type: NS, content: [ns1.example.net, ns2.example.net] }", false);
    // The address of a name server below its delegation (glue).
    let delegation = "- { name: sub, type: NS, content: [ns1.sub.example.com, ns2.example.net] }";
    deleted("- { name: ns1.sub, type: A, content: 198.18.1.3 }", delegation, true);
    deleted("- { name: www.sub, type: A, content: 198.18.1.3 }", delegation, false);
}

#[test]
fn an_alias_into_another_zone_of_the_run_is_followed() {
    let net = |records: &str| {
        format!(
            "zone example.net\nrecords:\n- {{ name: \"@\", type: A, content: 198.18.1.5 }}\n{records}"
        )
    };
    let alias = |target: &str| {
        format!(
            "{}\n{}",
            zone(&format!("- {{ name: www, type: CNAME, content: {target} }}")),
            net("")
        )
    };
    for (target, is_raised) in
        [("gone.example.net", true), ("example.net", false), ("gone.example.org", false)]
    {
        Run { base: &alias("example.com"), spec: &alias(target), ..Run::default() }
            .is_raised(is_raised);
    }
}

/// Each record of a name that loses its address has the danger, and the consent beside one of them
/// covers that one.
#[test]
fn every_address_of_the_name_has_the_danger() {
    let addresses = "- { name: h, type: A, content: [198.18.1.2, 198.18.1.3] }";
    let text = "- { name: h, type: TXT, content: text }";
    let (base, spec) = (zone(&format!("{addresses}\n{text}")), zone(text));
    assert_eq!(Run { base: &base, spec: &spec, ..Run::default() }.raised().len(), 2);
    let allowed = zone(&format!(
        "{text}\n- {{ name: h, type: A, state: absent, allow: {{ removes-last-address: moved }} }}"
    ));
    let plans = Run { base: &base, spec: &allowed, ..Run::default() }.plans();
    assert!(plans[0].operations.iter().all(|o| o.accepted.len() == 1), "{plans:?}");
    // A consent that is not needed is not shown.
    let plans = Run {
        base: &zone(addresses),
        spec: &allowed.replace(&format!("{text}\n"), ""),
        ..Run::default()
    }
    .plans();
    assert!(plans[0].operations.iter().all(|o| o.accepted.is_empty()), "{plans:?}");
}

/// References of others, and of other zones, in every form; and changes that keep what refers to
/// the host working.
#[test]
fn references_of_each_form_count_wherever_they_are() {
    let (base, spec) = (zone(HOST), zone(""));
    let other = "zone example.net\nrecords:\n- { name: \"@\", type: A, content: 198.18.1.5 }\n";
    let (base_of_both, both) = (format!("{base}\n{other}"), format!("{spec}\n{other}"));
    let record = |kind: &str, name: &str, content: &str| json!({ "type": kind, "name": name, "content": content, "ttl": 300 });
    for (domain, is_other) in [("example.com", false), ("example.net", true)] {
        let at = |name: &str| format!("{name}.{domain}");
        let mail = |name: &str| {
            let mut mx = record("MX", &at(name), "h.example.com");
            mx["priority"] = 10.into();
            mx
        };
        let service = json!({ "type": "SRV", "name": at("_sip._tcp"), "ttl": 300, "content": "5 5060 h.example.com",
            "data": { "priority": 10, "weight": 5, "port": 5060, "target": "h.example.com" } });
        for (foreign, is_raised) in [
            (mail("m"), true),
            (mail("*.m"), true),
            (service, true),
            (record("CNAME", &at("www"), "h.example.com"), true),
            (record("CNAME", &at("*"), "h.example.com"), true),
            (record("NS", &at("sub"), "h.example.com"), true),
            (record("PTR", &at("4"), "h.example.com"), true),
            (record("TXT", &at("s"), "\"v=spf1 include:h.example.com ~all\""), true),
            (record("TXT", &at("s"), "\"v=spf1 redirect=h.example.com\""), true),
            (record("TXT", &at("s"), "\"h.example.com\""), false),
            (record("CNAME", &at("www"), "h2.example.com"), false),
            (record("CNAME", &at("www"), "h.example.org"), false),
        ] {
            // A wildcard alias of the zone leads the deleted host to itself.
            let run = match is_other {
                false => Run {
                    base: &base,
                    spec: &spec,
                    foreign: vec![(domain, foreign)],
                    ..Run::default()
                },
                true => Run {
                    base: &base_of_both,
                    spec: &both,
                    foreign: vec![(domain, foreign)],
                    ..Run::default()
                },
            };
            run.is_raised(is_raised);
        }
    }
    // Renamed, with what refers to it.
    let renamed = |host: &str| {
        zone(&format!(
            "- {{ name: {host}, type: A, content: 198.18.1.2 }}\n- {{ name: m, type: MX, priority: 10, content: {host}.example.com }}"
        ))
    };
    Run { base: &renamed("h"), spec: &renamed("h2"), ..Run::default() }.is_raised(false);
    // An alias takes its place, or one of its addresses stays.
    let mail = "- { name: m, type: MX, priority: 10, content: h.example.com }";
    let with = |host: &str| zone(&format!("{host}\n{mail}"));
    let alias = with("- { name: h, type: CNAME, content: host.example.net }");
    Run { base: &with(HOST), spec: &alias, ..Run::default() }.is_raised(false);
    let two = with("- { name: h, type: A, content: [198.18.1.2, 198.18.1.3] }");
    Run { base: &two, spec: &with(HOST), ..Run::default() }.is_raised(false);
}

/// Rules of each list of the spec, and the deployments, are about hosts; a request that is expected
/// is too.
#[test]
fn rules_of_each_list_and_expected_requests_count() {
    let when = |host: &str| format!("when: 'http.host eq \"{host}\"'");
    let lists: [fn(&str) -> String; 4] = [
        |when| format!("custom: [{{ name: a, {when}, action: block }}]"),
        |when| {
            format!(
                "rate_limits: [{{ name: a, {when}, per: [ip], limit: 500 in 1m, then: block for 10m }}]"
            )
        },
        |when| format!("exceptions: [{{ name: a, {when}, skip: everything, reason: x }}]"),
        |when| format!("owasp: {{ {when} }}"),
    ];
    for list in lists {
        for (host, is_raised) in [("h.example.com", true), ("example.com", false)] {
            let waf = format!("waf: {{ {} }}", list(&when(host)));
            let (base, spec) = (zone(&format!("{HOST}\n{waf}")), zone(&waf));
            Run { base: &base, spec: &spec, ..Run::default() }.is_raised(is_raised);
        }
    }
    let off = "waf: { custom: [{ name: a, when: 'http.host eq \"h.example.com\"', action: block, enabled: false }] }";
    Run { base: &zone(&format!("{HOST}\n{off}")), spec: &zone(off), ..Run::default() }
        .is_raised(false);
    for (host, is_raised) in [("h.example.com", true), ("example.com", false)] {
        let expect =
            format!("expect: [{{ name: x, request: 'GET https://{host}/', verdict: pass }}]");
        let (base, spec) = (zone(&format!("{HOST}\n{expect}")), zone(&expect));
        Run { base: &base, spec: &spec, ..Run::default() }.is_raised(is_raised);
    }
}
