//! The lint rules as a user sees them: a spec in, findings out.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::support::generators::{desired_zone, place};
use crate::support::processor_time::takes_at_most;
use proptest::prelude::*;
use zonewright::diagnostic::{Diagnostics, Severity, Sources};
use zonewright::lint::{self, LintRule};
use zonewright::model::{
    AsReported, Desired, DesiredRecord, DesiredZone, Facets, Fqdn, Rdata, RecordType, Spelling,
    Unmanaged, ZoneName,
};
use zonewright::render::diagnostics;
use zonewright::spec::{Input, Options, load};

/// Returns everything that is found in a good spec by the rules, sorted.
pub(crate) fn findings(text: &str) -> (Diagnostics, Sources) {
    let mut sources = Sources::default();
    let outcome = load(&[Input::Stdin(text.to_owned())], &Options::default(), &mut sources);
    let desired = outcome.desired.unwrap_or_else(|| panic!("{:?}\n{text}", outcome.diagnostics));
    let mut found = lint::lint(&desired);
    found.sort(&sources);
    (found, sources)
}

/// Returns the example of a rule as a whole spec; `LONG1` and the like stand for 3000 characters.
fn example(zones: &str) -> String {
    let long = |n: char| format!("{n}{}", "x".repeat(2999));
    let text = ['1', '2', '3']
        .into_iter()
        .fold(zones.to_owned(), |t, n| t.replace(&format!("LONG{n}"), &long(n)));
    format!("version: 1\n{text}")
}

/// Returns true if every type of the example is managed.
fn is_managed(rule: &LintRule) -> bool {
    RecordType::parse("DS").is_some()
        || !(rule.good.contains("type: DS") || rule.bad.contains("type: DS"))
}

#[test]
fn good_examples_are_good_and_bad_ones_bad() {
    for rule in lint::ALL.iter().filter(|r| is_managed(r)) {
        let (found, sources) = findings(&example(rule.good));
        let mut shown = Vec::new();
        diagnostics::write(&mut shown, &found, &sources, false, None).unwrap();
        assert!(found.is_empty(), "{}: {}", rule.finding.code, String::from_utf8_lossy(&shown));
        let (found, _) = findings(&example(rule.bad));
        let found: Vec<_> = found.iter().filter(|d| d.code() == rule.finding.code).collect();
        assert_eq!(found.len(), 1, "{}", rule.finding.code);
        assert_eq!(
            (found[0].severity, found[0].finding),
            (rule.finding.severity, &rule.finding),
            "{}",
            rule.finding.code
        );
        let helped = found[0].help.as_ref().is_some_and(|h| !h.is_empty());
        assert!(
            helped && found[0].primary.is_some() && found[0].address.is_some(),
            "{}",
            rule.finding.code
        );
    }
}

#[test]
fn cases() {
    insta::glob!("../cases/lint", "*.yaml", |path| {
        let (found, sources) = findings(&std::fs::read_to_string(path).unwrap());
        let mut shown = Vec::new();
        diagnostics::write(&mut shown, &found, &sources, false, None).unwrap();
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => true }, {
            insta::assert_snapshot!(String::from_utf8(shown).unwrap());
        });
    });
}

#[test]
fn the_examples_of_the_project_are_clean() {
    for entry in std::fs::read_dir("examples").unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("pipelines") || path.is_file() {
            // Files for forges, and programs; no specs.
            continue;
        }
        let mut sources = Sources::default();
        let outcome = load(&[Input::Path(path.clone())], &Options::default(), &mut sources);
        let found = lint::lint(&outcome.desired.unwrap());
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
    assert!(Path::new("examples/minimal").is_dir());
}

/// Returns codes and severities of the findings in a zone with these lines.
fn codes(lines: &str) -> Vec<(&'static str, Severity)> {
    let (found, _) = findings(&format!("version: 1\nzones:\n  example.com:\n{lines}"));
    found.iter().map(|d| (d.code(), d.severity)).collect()
}

#[test]
fn what_live_records_may_change_is_milder() {
    let long = |n: usize, c: &str| {
        format!(
            "      - {{ name: a, type: TXT, content: [\"1{0}\", \"2{0}\", \"3{0}\"] }}\n",
            c.repeat(n)
        )
    };
    // 8192 bytes are allowed; how Cloudflare counts quotes and escapes is not known.
    assert_eq!(codes(&format!("    records:\n{}", long(2600, "k"))), []);
    assert_eq!(
        codes(&format!("    records:\n{}", long(2729, "k"))),
        [("LINT0005", Severity::Warning)]
    );
    assert_eq!(
        codes(&format!("    records:\n{}", long(1000, "ü"))),
        [("LINT0005", Severity::Warning)]
    );
    assert_eq!(
        codes(&format!("    records:\n{}", long(2730, "k"))),
        [("LINT0005", Severity::Error)]
    );
    let many: Vec<_> = (100..900).map(|n| format!("198.51.{}.{}", n / 250, n % 250)).collect();
    let many =
        format!("    records:\n      - {{ name: a, type: A, content: [{}] }}\n", many.join(", "));
    assert_eq!(codes(&many), [("LINT0005", Severity::Error)]);
    if RecordType::parse("DS").is_none() {
        return;
    }
    let digest = "ab".repeat(32);
    let ds = |name: &str| {
        format!("      - {{ name: \"{name}\", type: DS, content: 2371 13 2 {digest} }}\n")
    };
    let rest = "      - { name: w, type: A, content: 192.0.2.1 }\n";
    assert_eq!(codes(&format!("    records:\n{}", ds("lab"))), [("LINT0003", Severity::Warning)]);
    let pruned = |lines: String| codes(&format!("    unmanaged: prune\n{lines}{rest}"));
    assert_eq!(pruned(format!("    records:\n{}", ds("lab"))), [("LINT0003", Severity::Error)]);
    let spared = format!("    ignore: [{{ type: NS }}]\n    records:\n{}", ds("lab"));
    assert_eq!(pruned(spared), [("LINT0003", Severity::Warning)]);
    assert_eq!(pruned(format!("    records:\n{}", ds("@"))), [("LINT0004", Severity::Error)]);
    let beside = "      - { name: lab, type: NS, content: ns.example.net }\n";
    assert_eq!(pruned(format!("    records:\n{beside}{}", ds("lab"))), []);
}

/// Returns a record of a zone.
fn record(zone: &ZoneName, name: &str, record_type: RecordType, content: &str) -> DesiredRecord {
    DesiredRecord {
        name: zone.resolve(name).unwrap(),
        data: Rdata::from_text(record_type, content).unwrap(),
        facets: Facets {
            proxied: record_type.facts().proxiable.then_some(true),
            ..Facets::default()
        },
        protect: false,
        allow: None,
        expires: None,
        spelling: Spelling {
            name: name.into(),
            place: place(),
            entry: place(),
            reported: AsReported::default(),
        },
    }
}

/// Returns a spec with one pruned zone.
fn spec(records: impl FnOnce(&ZoneName) -> Vec<DesiredRecord>) -> Desired {
    let name = ZoneName::parse("example.com").unwrap();
    let records = records(&name);
    let zone = DesiredZone {
        records,
        unmanaged: Unmanaged::Prune,
        ..DesiredZone::new(name.clone(), place())
    };
    Desired { zones: BTreeMap::from([(name, zone)]), ..Desired::default() }
}

/// Runs the lints, and requires that this is quick.
fn quickly(desired: &Desired) -> Diagnostics {
    // Much more than is needed without optimisation, and much less than a quadratic algorithm
    // takes.
    takes_at_most(Duration::from_secs(20), "linting", || lint::lint(desired))
}

#[test]
fn a_hundred_thousand_records_take_no_time() {
    let many = 100_000;
    let chain = |last: String| {
        move |zone: &ZoneName| {
            let target =
                |n| if n + 1 == many { last.clone() } else { format!("n{}.example.com", n + 1) };
            (0..many)
                .map(|n| record(zone, &format!("n{n}"), RecordType::Cname, &target(n)))
                .collect()
        }
    };
    let codes =
        |found: &Diagnostics| found.iter().map(|d| (d.code(), d.severity)).collect::<Vec<_>>();
    let one_loop = quickly(&spec(chain("n0.example.com".to_owned())));
    assert_eq!(codes(&one_loop), [("LINT0001", Severity::Error)]);
    assert!(one_loop.iter().all(|d| d.detail.len() < 400 && d.related.len() <= 8));
    assert_eq!(
        codes(&quickly(&spec(chain("nowhere.example.com".to_owned())))),
        [("LINT0006", Severity::Warning)]
    );
    assert!(quickly(&spec(chain("www.example.net".to_owned()))).is_empty());
    // Deep names that all have to be looked for, below a delegation and not.
    let deep = "a.".repeat(100);
    let looked_for = quickly(&spec(|zone| {
        let target = |n| format!("{deep}t{n}.example.com");
        (0..many / 10)
            .map(|n| record(zone, &format!("{deep}n{n}"), RecordType::Cname, &target(n)))
            .collect()
    }));
    assert_eq!(looked_for.count(Severity::Warning), 1000);
    assert_eq!(looked_for.iter().last().unwrap().code(), "LINT0000");
    let below = quickly(&spec(|zone| {
        let mut records = vec![record(zone, "lab", RecordType::Ns, "ns.example.net")];
        records.extend(
            (0..many).map(|n| record(zone, &format!("n{n}.lab"), RecordType::A, "192.0.2.1")),
        );
        records
    }));
    assert_eq!(below.len(), 1001);
}

/// Returns names that collide often, over two zones.
fn entangled() -> impl Strategy<Value = Desired> {
    let name = || proptest::sample::select(vec!["@", "a", "b", "a.b", "*", "*.b", "x.a.b"]);
    let target = proptest::sample::select(vec![
        "example.com",
        "a.example.com",
        "b.example.com",
        "a.b.example.com",
        "q.example.com",
        "q.b.example.com",
        "a.sub.example.com",
        "sub.example.com",
        "www.example.net",
    ]);
    let types = proptest::sample::select(vec![RecordType::Cname, RecordType::Ns, RecordType::A]);
    let records = proptest::collection::vec((name(), types, target), 0..12);
    (records.clone(), records, any::<bool>()).prop_map(|(first, second, prune)| {
        let zone = |name: &str, records: Vec<(&str, RecordType, &str)>| {
            let name = ZoneName::parse(name).unwrap();
            let content = |t, target: &str| {
                if t == RecordType::A { "10.0.0.1".to_owned() } else { target.to_owned() }
            };
            let records =
                records.into_iter().map(|(n, t, c)| record(&name, n, t, &content(t, c))).collect();
            let unmanaged = if prune { Unmanaged::Prune } else { Unmanaged::Keep };
            (name.clone(), DesiredZone { records, unmanaged, ..DesiredZone::new(name, place()) })
        };
        Desired {
            zones: BTreeMap::from([zone("example.com", first), zone("sub.example.com", second)]),
            ..Desired::default()
        }
    })
}

/// Returns true if the first CNAME of a name leads back to it, by following each target; exact
/// names only.
fn comes_back(desired: &Desired, start: &Fqdn) -> bool {
    let follow = |name: &Fqdn| {
        let zone = desired
            .zones
            .values()
            .filter(|z| name.is_within(z.name.as_fqdn()))
            .max_by_key(|z| z.name.as_str().len())?;
        let cut = zone.records.iter().any(|r| {
            let delegates = r.data.record_type() == Some(RecordType::Ns)
                && r.name != *zone.name.as_fqdn()
                && !r.name.is_wildcard();
            delegates && name.is_within(&r.name)
        });
        let mut own: Vec<_> = zone
            .records
            .iter()
            .filter(|r| r.name == *name && r.data.record_type() == Some(RecordType::Cname))
            .collect();
        own.sort_by(|a, b| a.data.cmp(&b.data));
        own.first().filter(|_| !cut).and_then(|r| r.data.target().cloned())
    };
    let mut at = start.clone();
    for _ in 0..20 {
        let Some(next) = follow(&at) else { return false };
        if next == *start {
            return true;
        }
        at = next;
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_generated_makes_it_panic(zone in desired_zone()) {
        let desired = Desired { zones: BTreeMap::from([(zone.name.clone(), zone)]), ..Desired::default() };
        let found = lint::lint(&desired);
        prop_assert!(found.iter().all(|d| d.primary.is_some() && d.help.is_some()));
    }

    /// Loops by exact names are errors, and nothing else of the aliases is.
    #[test]
    fn loops_are_found_as_by_walking(desired in entangled()) {
        let found = lint::lint(&desired);
        let errors: Vec<_> = found.iter().filter(|d| d.code() == "LINT0001" && !d.detail.contains("wildcard")).collect();
        let names: Vec<&str> = errors.iter().flat_map(|d| d.detail.split(" → ")).collect();
        let records = desired.zones.values().flat_map(|z| &z.records);
        for record in records.filter(|r| r.data.record_type() == Some(RecordType::Cname)) {
            let itself = desired.zones.values().flat_map(|z| &z.records).any(|r| r.name == record.name && r.data.target() == Some(&r.name));
            if !itself && comes_back(&desired, &record.name) {
                prop_assert!(names.contains(&record.name.as_str()), "{} in {names:?}", record.name);
            }
        }
        for name in names {
            prop_assert!(comes_back(&desired, &Fqdn::parse(name).unwrap()), "{name}");
        }
    }

    /// The order of records and their places do not affect the findings.
    #[test]
    fn the_order_is_irrelevant(desired in entangled(), turn in 0usize..12) {
        let words = |desired: &Desired| {
            let mut all: Vec<_> = lint::lint(desired).iter().map(|d| (d.code(), d.severity, d.detail.clone())).collect();
            all.sort();
            all
        };
        let first = words(&desired);
        let mut turned = desired;
        for zone in turned.zones.values_mut() {
            let n = turn.min(zone.records.len());
            zone.records.rotate_left(n);
        }
        prop_assert_eq!(words(&turned), first);
    }
}
