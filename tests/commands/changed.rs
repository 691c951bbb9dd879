//! `plan --changed`: only the zones of a change are read and planned.

use serde_json::json;

use crate::support::workspace::{Workspace, options_on};

/// Zones of a spec, each with its name and its section.
type Zones<'a> = [(&'a str, &'a str)];

/// `--changed` reads only the zones of the change: two requests for each, of 1,000 zones.
#[test]
fn a_plan_of_the_changed_zones_reads_only_those() {
    let workspace = Workspace::empty(options_on("business"));
    let names: Vec<String> = (0..1_000).map(|n| format!("z{n:03}.example")).collect();
    let zones: Vec<_> = names
        .iter()
        .map(|name| json!({ "name": name, "plan": "business", "records": [] }))
        .collect();
    workspace.plant(&json!({ "zones": zones }));
    let spec = |path: &str, changed: &str| {
        let zone = |name: &String| {
            let address = match name.as_str() {
                "z007.example" | "z008.example" | "z900.example" => changed,
                _ => "192.0.2.1",
            };
            format!("  {name}: {{ records: [{{ name: www, type: A, content: {address} }}] }}\n")
        };
        let zones: String = names.iter().map(zone).collect();
        workspace.file(path, format!("version: 1\nzones:\n{zones}"));
    };
    spec("spec.yaml", "192.0.2.2");
    spec("before/spec.yaml", "192.0.2.1");
    let before = workspace.requests().len();
    let arguments = ["plan", "spec.yaml", "--base", "before/", "--changed"];
    let ran = workspace.run(&arguments).exits(0);
    assert_eq!(workspace.requests().len() - before, 6, "{:?}", &workspace.requests()[before..]);
    let sentence = "plans 3 of 1000 zones that differ from the base; 997 not read";
    let told = format!("{}{}", ran.stdout, ran.stderr);
    assert!(told.contains(sentence), "{told}");
    for format in ["markdown", "json", "html"] {
        let shown =
            workspace.run(&[&arguments[..], &["--format", format]].concat()).exits(0).stdout;
        assert!(shown.contains(sentence), "{format}: {shown}");
    }
    // A saved plan remembers it, and applies to these zones alone.
    workspace.run(&[&arguments[..], &["--out", "plan.zwplan"]].concat()).exits(0);
    workspace.run(&["apply", "plan.zwplan", "--yes"]).exits(0);
    let saved: serde_json::Value = serde_json::from_str(
        &std::fs::read_to_string(workspace.path().join("plan.zwplan")).unwrap(),
    )
    .expect("a saved plan");
    assert_eq!(saved["saved"]["changed"], true);
    assert_eq!(saved["saved"]["zones"].as_array().map(Vec::len), Some(3));
    let json = workspace.run(&[&arguments[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(json["verdict"], "in-sync", "{json}");
    assert_eq!(json["diagnostics"][0]["code"], "PLAN0060", "{json}");
}

/// A zone that names a changed zone is planned, too: its expectations may depend on the change.
#[test]
fn zones_that_are_connected_with_a_changed_zone_are_planned_too() {
    let workspace = Workspace::empty(options_on("business"));
    let names = ["a.example", "b.example", "c.example"];
    let zones: Vec<_> = names
        .iter()
        .map(|name| json!({ "name": name, "plan": "business", "records": [] }))
        .collect();
    workspace.plant(&json!({ "zones": zones }));
    let spec = |path: &str, address: &str| {
        workspace.file(
            path,
            format!(
                "version: 1\nzones:\n  a.example:\n    records: [{{ name: www, type: CNAME, content: host.b.example }}]\n    \
                 expect: [{{ name: address, resolve: www, type: A, is: [192.0.2.1] }}]\n  \
                 b.example: {{ records: [{{ name: host, type: A, content: {address} }}] }}\n  \
                 c.example: {{ records: [{{ name: www, type: A, content: 192.0.2.1 }}] }}\n"
            ),
        );
    };
    spec("spec.yaml", "192.0.2.1");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    spec("before/spec.yaml", "192.0.2.1");
    spec("spec.yaml", "192.0.2.9");
    let ran = workspace.run(&["plan", "spec.yaml", "--base", "before/", "--changed"]).exits(0);
    let told = format!("{}{}", ran.stdout, ran.stderr);
    assert!(
        told.contains("1 of 3 zones that differ from the base, and 1 zone connected"),
        "{told}"
    );
    assert!(told.contains("expectation fails: address"), "{told}");
    // There is nothing to compare with.
    let refused = workspace.run(&["plan", "spec.yaml", "--changed"]).exits(64);
    assert!(refused.stderr.contains("--base origin/main"), "{}", refused.stderr);
    workspace.run(&["drift", "spec.yaml", "--base", "before/", "--changed"]).exits(64);
}

/// An effect in another zone is seen, however the zones are connected: by way of a third zone, by a
/// name below, by a name in two strings of a TXT record, by a zone that the spec no longer has.
#[test]
fn effects_in_other_zones_are_those_of_a_plan_of_all() {
    let zones = |all: &[(&str, &str)]| {
        let zone = |(name, body): &(&str, &str)| format!("  {name}: {{ {body} }}\n");
        format!("version: 1\nzones:\n{}", all.iter().map(zone).collect::<String>())
    };
    let alias = |to: &str| format!("records: [{{ name: www, type: CNAME, content: {to} }}]");
    let wants =
        |name: &str| format!("expect: [{{ name: it, resolve: {name}, type: A, is: [192.0.2.1] }}]");
    let address =
        |value: &str| format!("records: [{{ name: www, type: A, content: {value}, ttl: 300 }}]");
    let (one, two) = (address("192.0.2.1"), address("192.0.2.2"));
    let first = format!("{}, {}", alias("www.b.example"), wants("www"));
    let middle = alias("www.c.example");
    let relative = wants("www.sub");
    let cut = r#"records: [{ name: "@", type: TXT, content: '"v=spf1 a:www.c.exa" "mple -all"' }]"#;
    let none = "records: []";
    let cases: [(&Zones<'_>, &Zones<'_>); 4] = [
        (
            &[("a.example", &first), ("b.example", &middle), ("c.example", &one)],
            &[("a.example", &first), ("b.example", &middle), ("c.example", &two)],
        ),
        (
            &[("a.example", &relative), ("sub.a.example", &one)],
            &[("a.example", &relative), ("sub.a.example", &two)],
        ),
        (&[("a.example", cut), ("c.example", &one)], &[("a.example", cut), ("c.example", none)]),
        (
            &[("a.example", &first), ("b.example", &middle), ("c.example", &one)],
            &[("a.example", &first), ("b.example", &middle)],
        ),
    ];
    for (before, after) in cases {
        let workspace = Workspace::empty(options_on("business"));
        let live: Vec<_> = before
            .iter()
            .map(|(name, _)| json!({ "name": name, "plan": "business", "records": [] }))
            .collect();
        workspace.plant(&json!({ "zones": live }));
        workspace.file("spec.yaml", zones(before));
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        workspace.file("before/spec.yaml", zones(before));
        workspace.file("spec.yaml", zones(after));
        let arguments = ["plan", "spec.yaml", "--base", "before/", "--format", "json"];
        let of_all = workspace.run(&arguments).json();
        let of_changed = workspace.run(&[&arguments[..], &["--changed"]].concat()).json();
        for part in ["operations", "verdict", "expectations"] {
            assert_eq!(of_changed[part], of_all[part], "{part} of {after:?}");
        }
    }
}
