//! Accidents and everyday changes on realistic zones, planned with the zone as it was as base: which are stopped, which are
//! named, which pass in silence. The data is in tests/scenarios; the tables in docs/safety.md are written from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

use crate::support::rulesets::waf;
use serde_json::Value;
use zonewright::diagnostic::{Diagnostics, Severity, Sources};
use zonewright::insight::{OtherZones, Overview};
use zonewright::model::ruleset::{EntryPoint, LiveRule, LiveRuleset, LiveWaf, Phase, RuleId, RulesetId};
use zonewright::model::{
    AsReported, Desired, DesiredZone, LiveDnssec, LiveRecord, LiveZone, Only, RecordId, Tier, Ttl, ZoneId, ZoneName,
};
use zonewright::plan::{
    Consents, Plan, RuleAction, Verdict, ZonePlan, plan_part, plan_part_with_base, plan_zone, plan_zone_with_base,
};
use zonewright::{spec, wire};

/// The zones, each with its accidents and everyday changes.
const FILES: &[&str] = &[
    "company",
    "workspace",
    "parked",
    "unused",
    "agency",
    "startup",
    "machinery",
    "shop",
    "platform",
    "bought",
    "protection",
];

/// What a plan does with a change.
struct Outcome {
    /// Codes of the consents that it asks for.
    stops: BTreeSet<&'static str>,
    /// What it says that the change means.
    lines: Vec<String>,
}

impl Outcome {
    fn keyword(&self) -> String {
        match (self.stops.is_empty(), self.lines.is_empty()) {
            (false, _) => {
                let codes: Vec<String> = self.stops.iter().map(|code| format!("`{code}`")).collect();
                format!("stopped: {}", codes.join(", "))
            }
            (true, false) => "named".to_owned(),
            (true, true) => "silent".to_owned(),
        }
    }
}

/// The only zone of a spec.
fn try_load(text: &str) -> Result<DesiredZone, Diagnostics> {
    let mut sources = Sources::default();
    let options = spec::Options { today: Some("2026-11-22".to_owned()), ..spec::Options::default() };
    let outcome = spec::load(&[spec::Input::Stdin(text.to_owned())], &options, &mut sources);
    outcome.desired.and_then(|desired| desired.zones.into_values().next()).ok_or(outcome.diagnostics)
}

/// The only zone of a spec without mistakes.
fn load(text: &str) -> DesiredZone {
    try_load(text).unwrap_or_else(|found| panic!("a mistake in:\n{text}\n{found:?}"))
}

/// Records of others.
fn foreign_records(records: &Value) -> Vec<LiveRecord> {
    let record = |(n, other): (usize, &Value)| {
        let mut record = other.clone();
        record["id"] = format!("{:032}", 900 + n).into();
        wire::record::read(&record).expect("a record")
    };
    records.as_array().into_iter().flatten().enumerate().map(record).collect()
}

/// The zone as it is after the previous spec was applied.
fn live(base: &DesiredZone) -> LiveZone {
    let mut records: Vec<LiveRecord> = Vec::new();
    for (n, record) in base.records.iter().enumerate() {
        records.push(LiveRecord {
            id: RecordId(format!("{n:032}")),
            name: record.name.clone(),
            data: record.data.clone(),
            ttl: record.facets.ttl.unwrap_or(Ttl::AUTOMATIC),
            proxied: record.facets.proxied == Some(true),
            comment: None,
            tags: BTreeSet::new(),
            settings: record.facets.settings,
            read_only: None,
            modified_on: None,
            reported: AsReported::default(),
        });
    }
    let mut zone = LiveZone::new(base.name.clone(), ZoneId("1".repeat(32)));
    zone.settings.dnssec = Some(LiveDnssec { status: "active".to_owned(), ..LiveDnssec::default() });
    zone.waf = protection(base);
    LiveZone { tier: Tier::from_legacy_id("enterprise"), status: Some("active".to_owned()), records, ..zone }
}

/// The rules of the zone after the previous spec was applied.
fn protection(base: &DesiredZone) -> LiveWaf {
    let absent = Phase::ALL.iter().map(|phase| (*phase, EntryPoint::Absent)).collect();
    let mut waf = LiveWaf { entry_points: absent, ..waf() };
    if base.waf.is_none() {
        return LiveWaf::default();
    }
    let zone = LiveZone::new(base.name.clone(), ZoneId("1".repeat(32)));
    let (plan, _) = plan_zone(base, &LiveZone { waf: waf.clone(), ..zone });
    for (n, (_, _, subject)) in plan.rules().enumerate() {
        let RuleAction::CreateEntryPoint { rules } = &subject.action else { continue };
        let rules = rules.iter().enumerate().map(|(m, body)| LiveRule {
            id: RuleId(format!("{n:016}{m:016}")),
            last_updated: None,
            body: body.clone(),
        });
        let id = RulesetId(format!("{n:032x}"));
        let ruleset = LiveRuleset { id, version: Some("3".to_owned()), last_updated: None, rules: rules.collect() };
        waf.entry_points.insert(subject.phase, EntryPoint::Present(ruleset));
    }
    waf
}

/// The spec after a change.
fn changed(text: &str, scenario: &Value) -> String {
    let mut text = text.to_owned();
    for (from, to) in scenario["change"].as_object().into_iter().flatten() {
        assert_eq!(text.matches(from.as_str()).count(), 1, "{}: {from}", scenario["about"]);
        text = text.replace(from.as_str(), to.as_str().map_or(&to.to_string(), |to| to));
    }
    if let Some(entry) = scenario["add"].as_str() {
        writeln!(text, "      - {entry}").expect("a text");
    }
    text
}

/// A zone with its spec.
struct Prepared {
    /// The text of the spec.
    text: String,
    /// The spec.
    base: DesiredZone,
    /// The zone after the spec was applied.
    live: LiveZone,
}

/// Plans one change.
fn run(zone: &Prepared, scenario: &Value) -> Outcome {
    let Prepared { text, base, live } = zone;
    let desired = match try_load(&changed(text, scenario)) {
        Ok(desired) => desired,
        // A spec with a mistake is refused.
        Err(found) => {
            let errors = || found.iter().filter(|d| d.severity == Severity::Error);
            let lines = errors().map(|d| d.detail.clone()).collect();
            return Outcome { stops: errors().map(|d| d.code()).collect(), lines };
        }
    };
    let mut live = live.clone();
    live.records.extend(foreign_records(&scenario["live"]));
    let (zone, diagnostics) = plan_zone_with_base(&desired, base, &live);
    // A plan with an error is refused as a whole.
    let refused = diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code());
    let refused: BTreeSet<&'static str> = refused.collect();
    let mut lines: Vec<String> =
        zone.operations.iter().filter_map(|o| o.impact.as_ref()).flat_map(|impact| impact.lines.clone()).collect();
    lines.extend(zone.notes.iter().cloned());
    let plan = Plan { zones: vec![zone], diagnostics, ..Plan::default() };
    let stops = match plan.verdict(&Consents::default()) {
        Verdict::NeedsConsent(missing) => missing.into_iter().map(|m| m.danger.code()).collect(),
        _ => refused,
    };
    Outcome { stops, lines }
}

/// All scenarios: the file, whether they are accidents, the zone, the scenario.
fn scenarios() -> Vec<(bool, Rc<Prepared>, Value)> {
    let mut all = Vec::new();
    for file in FILES {
        let text = std::fs::read_to_string(format!("tests/scenarios/{file}.yaml")).expect("a file");
        let data: Value = serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
        let text = data["zone"].as_str().expect("a zone").to_owned();
        let base = load(&text);
        let zone = Rc::new(Prepared { live: live(&base), base, text });
        for (list, is_accident) in [("accidents", true), ("everyday", false)] {
            for scenario in data[list].as_array().expect("a list") {
                all.push((is_accident, zone.clone(), scenario.clone()));
            }
        }
    }
    all
}

#[test]
fn accidents_are_stopped_or_named_and_everyday_changes_are_not_stopped() {
    let (mut wrong, all) = (Vec::new(), scenarios());
    for (is_accident, zone, scenario) in &all {
        let outcome = run(zone, scenario);
        let about = scenario["about"].as_str().unwrap_or_default();
        let told = || format!("{about}: {} {:?}", outcome.keyword(), outcome.lines);
        match (scenario["stops"].as_str(), scenario["names"].as_str()) {
            (Some(code), _) if !outcome.stops.contains(code) => wrong.push(format!("should need {code}: {}", told())),
            (None, Some(word)) if !outcome.lines.iter().any(|l| l.contains(word)) => {
                wrong.push(format!("should name {word}: {}", told()));
            }
            (None, None) if *is_accident => wrong.push(format!("says nothing of what should happen: {}", told())),
            (None, _) if !outcome.stops.is_empty() => wrong.push(format!("should not be stopped: {}", told())),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// Whatever a record is for: a TTL, a comment or a tag changes nothing for the world, alone or on all records.
#[test]
fn notes_and_times_to_live_are_silent() {
    for file in FILES {
        let text = std::fs::read_to_string(format!("tests/scenarios/{file}.yaml")).expect("a file");
        let data: Value = serde_yaml::from_str(&text).expect("a file of scenarios");
        let zone = data["zone"].as_str().expect("a zone");
        let base = load(zone);
        let live = live(&base);
        let lines: Vec<&str> = zone.lines().collect();
        let is_plain = |line: &&str| line.contains("type: ") && !line.contains("ttl: ") && !line.contains("comment: ");
        let record = |line: &'_ str| line.strip_suffix(" }").filter(is_plain).map(str::to_owned);
        let noted = |line: &str| match record(line) {
            Some(record) => format!("{record}, ttl: 777, comment: by hand, tags: [\"team:dns\"] }}"),
            None => line.to_owned(),
        };
        let one =
            |n: usize| lines.iter().enumerate().map(|(m, l)| if m == n { noted(l) } else { (*l).to_owned() }).collect();
        let mut texts: Vec<Vec<String>> = (0..lines.len()).map(one).collect();
        texts.push(lines.iter().map(|line| noted(line)).collect());
        for changed in texts {
            let changed = changed.join("\n");
            let (plan, diagnostics) = plan_zone_with_base(&load(&changed), &base, &live);
            assert!(plan.operations.iter().all(|o| o.impact.is_none() && o.dangers.is_empty()), "{changed}");
            let plan = Plan { zones: vec![plan], diagnostics, ..Plan::default() };
            assert!(matches!(plan.verdict(&Consents::default()), Verdict::InSync | Verdict::Ready), "{changed}");
        }
    }
}

/// A zone of two tokens, two addresses and a DKIM key, planned after a change; the codes that it needs.
fn stops_of(base: &str, changed: &str, with_base: bool) -> Vec<&'static str> {
    let text = |records: &str| format!("version: 1\nzones:\n  example.com:\n    records:\n{records}");
    let (base, desired) = (load(&text(base)), load(&text(changed)));
    let live = live(&base);
    let (zone, _) = if with_base { plan_zone_with_base(&desired, &base, &live) } else { plan_zone(&desired, &live) };
    let deletes = zone.operations.iter().filter(|o| o.dangers.contains(&zonewright::model::Danger::Delete)).count();
    let plan = Plan { zones: vec![zone], ..Plan::default() };
    match plan.verdict(&Consents::default()) {
        Verdict::NeedsConsent(missing) => {
            assert_eq!(missing.iter().find(|m| m.danger.code() == "delete").map_or(0, |m| m.operations), deletes);
            missing.into_iter().map(|m| m.danger.code()).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn what_is_replaced_is_not_counted() {
    let token =
        |value: &str| format!("      - {{ name: \"@\", type: TXT, content: google-site-verification={value} }}\n");
    let (old, new) = (token("Wb8cXk2n9QpLr4TtYv6Z"), token("Zx9wVu8tSr7qPo6nMl5k"));
    assert_eq!(stops_of(&old, &new, true), Vec::<&str>::new());
    // Nothing comes, or something else does.
    let other = "      - { name: \"@\", type: TXT, content: MS=ms48151623 }\n";
    let host = "      - { name: a, type: A, content: 192.0.2.1 }\n";
    assert_eq!(stops_of(&format!("{old}{host}"), host, true), ["delete"]);
    assert_eq!(stops_of(&format!("{old}{host}"), &format!("{host}{other}"), true), ["delete"]);
    // Two go and one comes.
    let third = token("Aa1bB2cC3dD4eE5fF6gG");
    assert_eq!(stops_of(&format!("{old}{third}"), &new, true), ["delete"]);
    // Absent by name, without a base.
    let absent = old.replace(" }}\n", " }\n").replace(" }\n", ", state: absent }\n");
    assert_eq!(stops_of(&old, &format!("{new}{absent}"), false), Vec::<&str>::new());
    // What was never in the base may be someone else's: a change of type counts without one.
    let alias = "      - { name: a, type: CNAME, content: host.example.net }\n";
    assert_eq!(stops_of(host, alias, true), Vec::<&str>::new());
    assert_eq!(stops_of(host, alias, false), ["delete"]);
    // Where the zone is pruned and there is no base, the spec asks for everything that it does not name to go.
    let prune = |records: &str| format!("{records}    unmanaged: prune\n");
    for (before, after) in [(&old[..], &new[..]), (host, alias)] {
        assert_eq!(stops_of(&prune(before), &prune(after), false), Vec::<&str>::new());
    }
    assert_eq!(stops_of(&prune(&format!("{old}{third}")), &prune(&new), false), ["delete"]);
}

/// A weakening that lasts longer changes nothing at Cloudflare, so no operation shows it; unless it stays narrow, it needs a consent.
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
            Verdict::NeedsConsent(missing) => missing.into_iter().map(|m| m.danger.code()).collect(),
            Verdict::InSync => Vec::new(),
            other => panic!("{other:?}"),
        }
    };
    let told = |from: &str, to: &str| -> Vec<String> {
        let (zone, diagnostics) = plan_zone_with_base(&load(&text.replace(from, to)), &base, &live(&base));
        assert!(zone.is_empty(), "{to}");
        diagnostics.iter().filter(|d| d.code() == "PLAN0048").map(|d| d.detail.clone()).collect()
    };
    let editor = "the editor sends HTML, expires: 2027-01-31";
    let later = told(editor, "the editor sends HTML, expires: 2036-01-31");
    assert_eq!(later, ["the exception editor lasts until 2036-01-31 instead of 2027-01-31"]);
    assert_eq!(told(editor, "the editor sends HTML"), ["the exception editor no longer ends on 2027-01-31"]);
    let rule = told("punctuation, expires: 2027-01-31", "punctuation, expires: 2027-03-31");
    assert_eq!(rule, ["the override of owasp, rule 942430, lasts until 2027-03-31 instead of 2027-01-31"]);
    for (from, to) in
        [(editor, "the editor sends HTML, expires: 2026-12-31"), ("reason: the editor", "reason: an editor")]
    {
        assert_eq!(told(from, to), Vec::<String>::new());
        assert_eq!(needs(from, to), Vec::<&str>::new());
    }
    // Today is 2026-11-22.
    assert_eq!(needs(editor, "the editor sends HTML, expires: 2027-02-15"), Vec::<&str>::new());
    assert_eq!(needs(editor, "the editor sends HTML, expires: 2036-01-31"), ["weakens-protection"]);
    assert_eq!(needs(editor, "the editor sends HTML"), ["weakens-protection"]);
    // A part of the plan asks for what it names.
    let of_part = |pattern: &str, from: &str, to: &str| -> bool {
        let only = Only::new(vec![glob::Pattern::new(&format!("{}/{pattern}", base.name)).expect("a pattern")]);
        let desired = load(&text.replace(from, to));
        let (zone, found) = plan_part_with_base(&desired, &base, &live(&base), &only, OtherZones::NONE);
        let is_told = found.iter().any(|d| d.code() == "PLAN0048");
        assert_eq!(is_told, !zone.dangers.is_empty(), "{pattern}");
        is_told
    };
    assert!(!of_part("dns/*", editor, "the editor sends HTML"));
    assert!(of_part("waf/*", editor, "the editor sends HTML"));
    assert!(of_part("waf/http_request_firewall_managed/editor", editor, "the editor sends HTML"));
    assert!(!of_part("waf/http_request_firewall_managed/owasp", editor, "the editor sends HTML"));
    let punctuation = "punctuation, expires: 2027-01-31";
    assert!(of_part("waf/http_request_firewall_managed/owasp", punctuation, "punctuation, expires: 2027-03-31"));
    assert_eq!(needs(punctuation, "punctuation, expires: 2027-02-15"), Vec::<&str>::new());
    assert_eq!(needs(punctuation, "punctuation, expires: 2027-03-31"), ["weakens-protection"]);
}

/// What one zone hides or uses is known to the others of the spec.
#[test]
fn the_other_zones_of_a_spec_count() {
    let both = |records: &str| -> Desired {
        let text = format!(
            "version: 1\nzones:\n  example.com:\n    records:\n      - {{ name: api, type: A, content: 198.51.100.4, proxied: true }}\n      \
             - {{ name: lab, type: NS, content: [ns1.provider-dns.org, ns2.provider-dns.org] }}\n  example.net:\n    records:\n      \
             - {{ name: \"@\", type: A, content: 203.0.113.1 }}\n{records}"
        );
        let mut sources = Sources::default();
        spec::load(&[spec::Input::Stdin(text)], &spec::Options::default(), &mut sources).desired.expect("a spec")
    };
    let base = both("");
    let name = ZoneName::parse("example.net").expect("a name");
    for (record, code) in [
        ("{ name: direct, type: A, content: 198.51.100.4 }", Some("exposes-origin")),
        ("{ name: \"@\", type: TXT, content: \"v=spf1 ip4:198.51.100.4 -all\" }", Some("exposes-origin")),
        ("{ name: lab, type: NS, content: [ns1.provdier-dns.org, ns2.provdier-dns.org] }", Some("looks-mistyped")),
        ("{ name: lab, type: NS, content: [ns1.provider-dns.com, ns2.provider-dns.com] }", Some("looks-mistyped")),
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
        let without = plan_part(own, &live(old), &Only::default(), OtherZones::of(&spec, &overview)).0;
        assert_eq!(dangers(with_base).into_iter().next(), code, "{record}");
        // Without a base, nothing tells what was hidden until now: all zones of the spec may be new.
        let code = code.filter(|code| *code != "exposes-origin");
        assert_eq!(dangers(without).into_iter().next(), code, "{record}");
        assert_eq!(dangers(plan_zone(own, &live(old)).0), BTreeSet::new(), "{record}");
    }
}

/// An address that differs by one digit from the one that it replaces is no typing error in a network that another zone uses.
#[test]
fn networks_of_other_zones_are_known() {
    let both_with = |vpn: &str, moving: &str| -> Desired {
        let text = format!(
            "version: 1\nzones:\n  example.com:\n    records:\n      - {{ name: api, type: A, content: 198.18.100.4, proxied: true }}\n      \
             - {{ name: vpn, type: A, content: {vpn} }}\n  example.net:\n    records:\n      \
             - {{ name: moving, type: A, content: {moving} }}\n"
        );
        let mut sources = Sources::default();
        spec::load(&[spec::Input::Stdin(text)], &spec::Options::default(), &mut sources).desired.expect("a spec")
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
        let dangers: Vec<&str> = plan.operations.iter().flat_map(|o| &o.dangers).map(|danger| danger.code()).collect();
        assert_eq!(dangers.into_iter().next(), code, "{moving}");
    }
    // The same mistake in another zone of the planned spec hides nothing, with a base or without one.
    let (copied, overview) = (both_with("198.18.101.9", "198.18.101.9"), Overview::default());
    let (own, old) = (&copied.zones[&name], &base.zones[&name]);
    let before = Overview::default();
    let others = OtherZones::before(&base, &copied, &before);
    let with_base = plan_part_with_base(own, old, &live(old), &Only::default(), others).0;
    let without = plan_part(own, &live(old), &Only::default(), OtherZones::of(&copied, &overview)).0;
    for plan in [with_base, without] {
        assert!(plan.operations.iter().flat_map(|o| &o.dangers).any(|danger| danger.code() == "looks-mistyped"));
    }
}

/// Without a base, other zones of the planned spec tell which domains there are, but not that they are right: the same mistake copied into
/// two zones would hide itself.
#[test]
fn a_mistake_in_two_zones_does_not_hide_itself() {
    let spec_of = |lab: &str| -> Desired {
        let zone = |name: &str, host: &str| {
            format!("  {name}:\n    records:\n      - {{ name: lab, type: NS, content: [ns1.{host}, ns2.{host}] }}\n")
        };
        let zones = [("example.com", "provider-dns.org"), ("example.net", lab), ("example.org", lab)];
        let zones: String = zones.into_iter().map(|(name, host)| zone(name, host)).collect();
        let mut sources = Sources::default();
        let input = spec::Input::Stdin(format!("version: 1\nzones:\n{zones}"));
        spec::load(&[input], &spec::Options::default(), &mut sources).desired.expect("a spec")
    };
    let empty = load("version: 1\nzones:\n  example.net:\n    records: []\n");
    for (lab, is_mistyped) in
        [("provdier-dns.org", true), ("provider-dns.org", false), ("other-dns.org", false), ("example.com", false)]
    {
        let (desired, overview) = (spec_of(lab), Overview::default());
        let own = &desired.zones[&empty.name];
        let plan = plan_part(own, &live(&empty), &Only::default(), OtherZones::of(&desired, &overview)).0;
        let dangers: Vec<&str> = plan.operations.iter().flat_map(|o| &o.dangers).map(|d| d.code()).collect();
        assert_eq!(dangers.contains(&"looks-mistyped"), is_mistyped, "{lab}: {dangers:?}");
    }
}

/// What a plan of a zone says that gets other records.
fn lines_of(before: &str, after: &str) -> Vec<(String, Vec<String>)> {
    let (base, desired) = (load(before), load(after));
    let (zone, _) = plan_zone_with_base(&desired, &base, &live(&base));
    let lines = |o: &zonewright::plan::Operation| o.impact.iter().flat_map(|impact| impact.lines.clone()).collect();
    zone.operations.iter().map(|o| (o.address.to_string(), lines(o))).collect()
}

#[test]
fn reverse_lookups_that_answer_another_name_are_told() {
    for (zone, name, address) in [
        ("60.18.198.in-addr.arpa", "25", "198.18.60.25"),
        ("8.b.d.0.1.0.0.2.ip6.arpa", "5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0", "2001:db8::25"),
    ] {
        let text = |host: &str| {
            format!(
                "version: 1\nzones:\n  {zone}:\n    records:\n      - {{ name: {name}, type: PTR, content: {host} }}\n"
            )
        };
        let said = lines_of(&text("mail.example.com"), &text("host25.provider.example"));
        let line = format!("reverse lookups of {address}: mail.example.com → host25.provider.example");
        assert!(said.iter().any(|(_, lines)| lines.iter().any(|l| l.contains(&line))), "{said:?}");
    }
}

/// Mail of one zone can depend on records of another one: an SPF record that it includes, a key or a policy that it has by an alias.
#[test]
fn mail_of_other_zones_counts() {
    let key = |n: &str| {
        let text = std::fs::read_to_string("tests/scenarios/company.yaml").expect("a file");
        let key = text.lines().find(|line| line.contains(&format!("{n}._domainkey"))).expect("a key").to_owned();
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
        let mut sources = Sources::default();
        spec::load(&[spec::Input::Stdin(text)], &spec::Options::default(), &mut sources).desired.expect("a spec")
    };
    let text = |name: &str, value: &str| format!("      - {{ name: {name}, type: TXT, content: \"{value}\" }}\n");
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
        let breaks = plan.operations.iter().flat_map(|o| &o.dangers).any(|d| d.code() == "breaks-mail-authentication");
        let lines: Vec<String> =
            plan.operations.iter().filter_map(|o| o.impact.as_ref()).flat_map(|i| i.lines.clone()).collect();
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
        (changed("ip4:198.18.51.25 ", ""), "although mail for club.example is still received by mx.host.example"),
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
    assert!(lines.contains("it is the one of shared._domainkey.host.example; 1 other key stays"), "{lines}");
}

/// An SPF record can keep the address of a host that moves. That is said unless another of its terms allows the new one.
#[test]
fn an_address_left_behind_in_spf_is_told() {
    let text = |terms: &str, record: &str, relay: &str| -> String {
        format!(
            "version: 1\nzones:\n  example.com:\n    records:\n      - {{ name: relay, type: A, content: {relay} }}\n      \
             - {{ name: www, type: A, content: 198.18.60.2 }}\n      - {{ name: \"@\", type: TXT, content: \"v=spf1 {terms}\" }}\n{record}"
        )
    };
    let is_not_there = Some("and does not name 198.18.52.25");
    let own = |network: &str| format!("      - {{ name: _spf, type: TXT, content: \"v=spf1 ip4:{network} -all\" }}\n");
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
        let [base, desired] = ["198.18.51.25", "198.18.52.25"].map(|relay| load(&text(terms, record, relay)));
        let (zone, _) = plan_zone_with_base(&desired, &base, &live(&base));
        let lines = zone.operations.iter().filter_map(|o| o.impact.as_ref()).flat_map(|impact| &impact.lines);
        let lines: Vec<&String> = lines.filter(|line| line.contains("the old address of")).collect();
        let wanted = end.map(|end| {
            format!("SPF for example.com still allows 198.18.51.25, the old address of relay.example.com, {end}")
        });
        assert_eq!(lines, wanted.iter().collect::<Vec<_>>(), "{terms}");
    }
}

/// A zone of these records, without those that a spec may not have, which are written down.
fn readable(zone: &str, records: &BTreeSet<String>, refused: &mut BTreeSet<String>) -> DesiredZone {
    let head = format!("version: 1\nzones:\n  {zone}:\n    records:\n");
    let mut records: Vec<&String> = records.iter().collect();
    loop {
        let text = records.iter().fold(head.clone(), |text, record| text + "      - " + record + "\n");
        let found = match try_load(&text) {
            Ok(desired) => return desired,
            Err(found) => found,
        };
        // Each record is on a line of its own.
        let record = |start: u32| text.get(head.len()..start as usize).map(|before| before.matches('\n').count());
        let errors = found.iter().filter(|d| d.severity == Severity::Error);
        let errors: BTreeMap<usize, &str> =
            errors.filter_map(|d| Some((record(d.primary.as_ref()?.place.span.start)?, d.code()))).collect();
        assert!(!errors.is_empty(), "{zone}: {found:?}");
        refused.extend(errors.iter().map(|(line, code)| format!("{zone} {code} {}", records[*line])));
        records = records.into_iter().enumerate().filter(|(n, _)| !errors.contains_key(n)).map(|(_, r)| r).collect();
    }
}

/// Changes that people really made, each planned with the zone before it as base. The history is not part of this
/// repository; tests/scenarios/replay.py writes it, and `ZONEWRIGHT_REPLAY` names the file.
#[test]
fn a_history_of_real_zones() {
    let Some(path) = std::env::var_os("ZONEWRIGHT_REPLAY") else {
        eprintln!(
            "SKIPPED: the history of real zones; write it with tests/scenarios/replay.py and name it in ZONEWRIGHT_REPLAY"
        );
        return;
    };
    let text = std::fs::read_to_string(path).expect("the history");
    let mut zones: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut planned, mut refused) = (0, BTreeSet::new());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let change: Value = serde_json::from_str(line).expect("a change");
        let name = change["zone"].as_str().expect("a zone").to_owned();
        let list = |key: &str| -> BTreeSet<String> {
            change[key].as_array().into_iter().flatten().filter_map(|r| r.as_str().map(str::to_owned)).collect()
        };
        let zone = zones.entry(name.clone()).or_default();
        zone.extend(list("before"));
        let before = readable(&name, zone, &mut refused);
        zone.retain(|record| !list("removed").contains(record));
        zone.extend(list("added"));
        let after = readable(&name, zone, &mut refused);
        let (plan, diagnostics) = plan_zone_with_base(&after, &before, &live(&before));
        let lines: Vec<String> = plan
            .operations
            .iter()
            .filter(|o| o.dangers.iter().any(|d| *d != zonewright::model::Danger::Delete))
            .filter_map(|o| o.impact.as_ref())
            .flat_map(|impact| impact.lines.clone())
            .collect();
        let plan = Plan { zones: vec![plan], diagnostics, ..Plan::default() };
        planned += 1;
        let stops: Vec<&str> = match plan.verdict(&Consents::default()) {
            Verdict::NeedsConsent(missing) => missing.into_iter().map(|m| m.danger.code()).collect(),
            _ => Vec::new(),
        };
        *counts.entry(if stops.is_empty() { "not stopped".to_owned() } else { stops.join(", ") }).or_default() += 1;
        let is_plain =
            stops.contains(&"delete") && stops.iter().all(|c| ["delete", "removes-last-address"].contains(c));
        if !stops.is_empty() && !is_plain {
            eprintln!("{} {name} {stops:?}\n    - {:?}\n    + {:?}", change["commit"], list("removed"), list("added"));
            for line in lines {
                eprintln!("    → {line}");
            }
        }
    }
    eprintln!("{planned} changes planned; records that a spec may not have were left out:");
    for record in refused {
        eprintln!("    {record}");
    }
    for (stops, count) in counts {
        eprintln!("{count:5} {stops}");
    }
}

/// The tables of scenarios for the page about safety.
pub(super) fn tables() -> String {
    let mut text = String::new();
    for (title, wanted) in [("accident", true), ("everyday change", false)] {
        let rows: Vec<(String, Outcome)> = scenarios()
            .into_iter()
            .filter(|(is_accident, _, _)| *is_accident == wanted)
            .map(|(_, zone, scenario)| {
                (scenario["about"].as_str().unwrap_or_default().to_owned(), run(&zone, &scenario))
            })
            .collect();
        let count = |is: fn(&Outcome) -> bool| rows.iter().filter(|(_, outcome)| is(outcome)).count();
        let stopped = count(|o| !o.stops.is_empty());
        let named = count(|o| o.stops.is_empty() && !o.lines.is_empty());
        let _ = writeln!(
            text,
            "{} {title}s: {stopped} stopped, {named} named, {} silent.\n",
            rows.len(),
            rows.len() - stopped - named
        );
        let _ = writeln!(text, "| {title} | the plan |\n|---|---|");
        for (about, outcome) in rows {
            let _ = writeln!(text, "| {about} | {} |", outcome.keyword());
        }
        text.push('\n');
    }
    text
}
