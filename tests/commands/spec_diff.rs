//! `spec diff`: cases with their text and JSON output, properties, and the command.

use std::path::Path;

use crate::support::generators::desired_zone;
use crate::support::protection::desired_waf;
use crate::support::workspace::{Ran, binary};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;
use zonewright::diagnostic::Sources;
use zonewright::diff::{SpecChangeKind, SpecChanges, ZoneSpecKind, diff_specs};
use zonewright::document;
use zonewright::model::ruleset::DesiredWaf;
use zonewright::model::{Desired, DesiredZone};
use zonewright::render::text::write_spec_changes;
use zonewright::spec;

/// Returns a spec as it is understood.
fn load(text: &str, sources: &mut Sources) -> Desired {
    let options =
        spec::Options { today: Some("2026-11-20".to_owned()), ..spec::Options::default() };
    let outcome = spec::load(&[spec::Input::Stdin(text.to_owned())], &options, sources);
    outcome
        .desired
        .unwrap_or_else(|| panic!("the spec of a case is good: {:?}", outcome.diagnostics))
}

/// Returns a case: its purpose, and the two specs.
fn case(path: &Path) -> (String, String, String) {
    let case: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = |name: &str| case[name].as_str().unwrap().to_owned();
    (text("about"), text("before"), text("after"))
}

#[test]
fn spec_diffs() {
    insta::glob!("../cases/spec_diff", "*.yaml", |path| {
        let (about, before, after) = case(path);
        let mut sources = Sources::default();
        let changes = diff_specs(&load(&before, &mut sources), &load(&after, &mut sources));
        let mut out = Vec::new();
        write_spec_changes(&mut out, &changes, false).unwrap();
        let text = String::from_utf8(out).unwrap();
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("{about}\n\n{text}"));
        });
    });
}

/// The field names and codes of the JSON form are a contract: a change of this snapshot raises
/// `format`.
#[test]
fn spec_diff_json_is_a_contract() {
    let mut sources = Sources::default();
    let before = "version: 1\nzones:\n  example.com:\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }\n    waf:\n      custom:\n        - { name: a, when: cf.client.bot, action: block }\n        - { name: b, when: ssl, action: block }\n";
    let after = "version: 1\nzones:\n  example.com:\n    records:\n      - { name: www, type: A, content: 192.0.2.2, comment: null }\n    waf:\n      custom:\n        - { name: b, when: ssl, action: block }\n        - { name: a, when: cf.client.bot, action: block }\n";
    let changes = diff_specs(&load(before, &mut sources), &load(after, &mut sources));
    let json =
        serde_json::to_value(document::spec_diff::json(&changes, &sources)).expect("it is JSON");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(format!("{json:#}"));
    });
}

/// Returns the paths and their changes. Of two values that swap places, either can be reported as
/// moved.
fn told(changes: &SpecChanges, is_back: bool) -> Vec<String> {
    let (comes, goes) = if is_back { ("-", "+") } else { ("+", "-") };
    let one = |path: &str, kind: &SpecChangeKind| match kind {
        SpecChangeKind::Added { after, words: _ } => Some(format!("{comes} {path} {after}")),
        SpecChangeKind::Removed { before, words: _ } => Some(format!("{goes} {path} {before}")),
        SpecChangeKind::Changed { before, after } if is_back => {
            Some(format!("~ {path} {after} {before}"))
        }
        SpecChangeKind::Changed { before, after } => Some(format!("~ {path} {before} {after}")),
        SpecChangeKind::Moved { .. } => None,
    };
    let all = changes.zones.iter().flat_map(|zone| &zone.changes);
    let mut all: Vec<_> = all.filter_map(|c| one(&c.path, &c.kind)).collect();
    all.sort();
    all
}

#[test]
fn a_spec_equals_itself_and_the_way_back_is_the_mirror() {
    insta::glob!("../cases/spec_diff", "*.yaml", |path| {
        let (_, before, after) = case(path);
        let mut sources = Sources::default();
        let (before, after) = (load(&before, &mut sources), load(&after, &mut sources));
        assert!(diff_specs(&before, &before).is_empty() && diff_specs(&after, &after).is_empty());
        let (there, back) = (diff_specs(&before, &after), diff_specs(&after, &before));
        assert_eq!(told(&there, false), told(&back, true), "{}", path.display());
        // The printed spec reads back as the same spec.
        for desired in [&before, &after] {
            let printed = load(&spec::print(desired), &mut sources);
            let changes = diff_specs(desired, &printed);
            assert!(changes.is_empty(), "{}: {changes:#?}", path.display());
        }
        // Against nothing, everything is new.
        let all = diff_specs(&Desired::default(), &after);
        assert!(all.zones.iter().all(|zone| zone.kind == ZoneSpecKind::Added));
    });
}

/// Returns a spec with one zone.
fn spec_of(zone: DesiredZone, waf: DesiredWaf) -> Desired {
    Desired {
        zones: [(zone.name.clone(), DesiredZone { waf: Some(Box::new(waf)), ..zone })].into(),
        ..Desired::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// The printed spec has other spellings and spans, but no difference.
    #[test]
    fn what_is_printed_of_any_spec_is_no_difference(zone in desired_zone(), waf in desired_waf()) {
        let options = spec::Options::default();
        let read = |text: String| spec::load(&[spec::Input::Stdin(text)], &options, &mut Sources::default()).desired;
        // A generated zone can be invalid as a spec, for example with an alias of itself, or a TTL
        // beside `proxied`.
        let desired = read(spec::print(&spec_of(zone, waf)));
        prop_assume!(desired.is_some());
        let desired = desired.unwrap();
        let printed = spec::print(&desired);
        let changes = diff_specs(&desired, &read(printed.clone()).unwrap());
        prop_assert!(changes.is_empty(), "{changes:#?}\n{printed}");
    }

    /// The reverse comparison has the same changes with sides swapped, and every difference is
    /// reported.
    #[test]
    fn the_way_back_is_the_mirror(one in desired_zone(), two in desired_zone(), a in desired_waf(), b in desired_waf()) {
        let (one, two) = (spec_of(one, a), spec_of(two, b));
        let (there, back) = (diff_specs(&one, &two), diff_specs(&two, &one));
        prop_assert_eq!(told(&there, false), told(&back, true));
        prop_assert_eq!(there.is_empty(), spec::print(&one) == spec::print(&two));
        prop_assert!(diff_specs(&one, &one).is_empty());
    }
}

/// Returns the binary in a directory, without service or credentials.
fn run(directory: &TempDir, arguments: &[&str]) -> Ran {
    binary(directory.path()).args(arguments).output().unwrap().into()
}

#[test]
fn files_and_directories_are_compared_offline() {
    let directory = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let zone =
        |records: &str| format!("version: 1\nzones:\n  example.com:\n    records:\n{records}");
    let (one, two) = (
        "      - { name: a, type: A, content: 192.0.2.1 }\n",
        "      - { name: b, type: A, content: 192.0.2.2 }\n",
    );
    file("one.yaml", &zone(&format!("{one}{two}")));
    file("two/a.yaml", &zone(two));
    file("two/b/c.yaml", &zone(one));
    // The same in fragments.
    let ran = run(&directory, &["diff", "one.yaml", "two", "--detailed-exitcode"]).exits(0);
    assert_eq!(ran.stdout, "No difference: 1 zone the same in both.\n");
    file(
        "two/d.yaml",
        "version: 1\nzones:\n  example.org: { records: [{ name: '@', type: A, content: 192.0.2.3 }] }\n",
    );
    run(&directory, &["diff", "one.yaml", "two"]).exits(0);
    let ran = run(&directory, &["diff", "one.yaml", "two", "--detailed-exitcode"]).exits(2);
    assert!(
        ran.stdout.contains("+ example.org") && ran.stdout.contains("records[@ A]: 192.0.2.3"),
        "{}",
        ran.stdout
    );
    let json = run(&directory, &["diff", "one.yaml", "two", "--format", "json"]).exits(0).json();
    assert_eq!(
        (&json["equal"], &json["zones"][0]["action"]),
        (&Value::from(false), &Value::from("add"))
    );
    assert_eq!(json["zones"][0]["changes"][0]["source"]["file"], "two/d.yaml");
    // Zones of either side can be chosen.
    run(&directory, &["diff", "one.yaml", "two", "--detailed-exitcode", "--zone", "example.com"])
        .exits(0);
    run(&directory, &["diff", "two", "one.yaml", "--detailed-exitcode", "--zone", "*.org"])
        .exits(2);
    let ran = run(&directory, &["diff", "one.yaml", "two", "--zone", "example.net"]).exits(1);
    assert!(ran.stderr.contains("no zone of either spec matches"), "{}", ran.stderr);
}

#[test]
fn mistakes_of_either_spec_are_shown_where_they_are() {
    let directory = TempDir::new().unwrap();
    let file = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    file("good.yaml", "version: 1\nzones:\n  example.com: { records: [] }\n");
    file(
        "bad.yaml",
        "version: 1\nzones:\n  example.com: { records: [{ name: a, type: A, content: nowhere }] }\n",
    );
    for arguments in [["diff", "good.yaml", "bad.yaml"], ["diff", "bad.yaml", "good.yaml"]] {
        let ran = run(&directory, &arguments).exits(1);
        assert!(ran.stderr.contains("bad.yaml:3") && ran.stdout.is_empty(), "{}", ran.stderr);
    }
    let json =
        run(&directory, &["diff", "good.yaml", "bad.yaml", "--format", "json"]).exits(1).json();
    assert_eq!(json["kind"], "diagnostics");
    run(&directory, &["diff", "good.yaml"]).exits(64);
    run(&directory, &["diff", "good.yaml", "nowhere.yaml"]).exits(1);
}
