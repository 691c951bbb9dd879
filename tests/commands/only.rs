//! `plan` and `apply` of a part: `--only` chooses operations by their addresses.

use serde_json::json;

use crate::support::workspace::{Workspace, document_formats, options};

const RECORDS: &str = "      - { name: a, type: A, content: 192.0.2.1 }
      - { name: b, type: A, content: 192.0.2.2 }
      - { name: c, type: A, content: 192.0.2.3 }";

fn workspace(records: &str) -> Workspace {
    let workspace = Workspace::new(options());
    workspace.records_spec(records);
    workspace
}

fn names(workspace: &Workspace) -> Vec<String> {
    let records = workspace.records("example.com");
    let mut names: Vec<_> =
        records.iter().map(|record| record["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_part_is_planned_and_applied_and_every_output_says_so() {
    let workspace = workspace(RECORDS);
    let part = ["--only", "example.com/dns/a/A", "--only", "*/c/*"];
    let run = |more: &[&str]| workspace.run(&[&["plan", "spec.yaml"], &part[..], more].concat());
    let words =
        "--only example.com/dns/a/A --only */c/* chooses 2 operations; 1 operation is left out";
    let text = run(&[]).exits(0).stdout;
    assert!(text.starts_with(&format!("Only a part of the plan: {words}\n")), "{text}");
    assert_eq!(text.matches(words).count(), 2, "at the beginning and at the end: {text}");
    assert!(text.contains("Plan: 2 to create, 0 to update, 0 to delete."), "{text}");
    for format in document_formats("plan") {
        let output = run(&["--format", format]).exits(0).stdout;
        assert!(output.contains("chooses 2 operations"), "{format}: {output}");
    }
    let document = run(&["--format", "json"]).exits(0).json();
    let expected = json!({ "only": ["example.com/dns/a/A", "*/c/*"], "chosen": 2, "left_out": 1 });
    assert_eq!(document["part"], expected);
    assert_eq!(document["summary"]["create"], 2);
    assert!(workspace.run(&["plan", "spec.yaml", "--format", "json"]).json()["part"].is_null());
    let ran = workspace.run(&[&["apply", "spec.yaml", "--yes"], &part[..]].concat()).exits(0);
    assert!(
        ran.stdout
            .contains("2 of 2 operations done; what was chosen is in sync; 1 operation left out"),
        "{ran:?}"
    );
    assert_eq!(names(&workspace), ["a.example.com", "c.example.com"]);
    // A second run: the chosen operations are done, and the others are still planned.
    let ran = workspace.run(&[&["apply", "spec.yaml", "--yes"], &part[..]].concat()).exits(0);
    assert!(ran.stdout.contains("Nothing that was chosen differs."), "{}", ran.stdout);
    assert!(ran.stderr.contains("--only names no operation"), "{}", ran.stderr);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(2);
}

#[test]
fn a_saved_plan_is_bound_to_its_part() {
    let workspace = workspace(RECORDS);
    workspace.run(&["plan", "spec.yaml", "--only", "*/b/A", "--out", "part.zwplan"]).exits(0);
    let ran = workspace.run(&["apply", "part.zwplan", "--yes", "--only", "*/a/A"]).exits(64);
    assert!(ran.stderr.contains("give --only to `plan --out`"), "{}", ran.stderr);
    let saved = std::fs::read_to_string(workspace.path().join("part.zwplan")).unwrap();
    assert!(saved.contains("\"only\""));
    // Without `--only`, it is another plan.
    let wider = saved.replace("*/b/A", "*/?/A");
    workspace.file("wider.zwplan", &wider);
    workspace.run(&["apply", "wider.zwplan", "--yes"]).exits(1);
    let resealed = zonewright::document::saved_plan::checksum(&wider);
    let sum = zonewright::document::saved_plan::checksum(&saved);
    workspace.file("wider.zwplan", wider.replace(&sum, &resealed));
    let ran = workspace.run(&["apply", "wider.zwplan", "--yes"]).exits(4);
    assert!(ran.stderr.contains("Plan again"), "{}", ran.stderr);
    assert!(workspace.writes().is_empty());
    workspace.run(&["apply", "part.zwplan", "--yes"]).exits(0);
    assert_eq!(names(&workspace), ["b.example.com"]);
}

#[test]
fn what_cannot_be_separated_is_refused_with_its_address() {
    let workspace = Workspace::new(options());
    workspace.plant_records(
        json!([{ "type": "A", "name": "www.example.com", "content": "192.0.2.1", "ttl": 300 }]),
    );
    workspace.file(
        "spec.yaml",
        "version: 1
zones:
  example.com:
    unmanaged: prune
    records:
      - { name: www, type: CNAME, content: other.example.net }
      - { name: lab, type: NS, content: ns1.example.net }
      - { name: lab, type: DS, content: '1 13 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef' }
  new.example:
    create: true
    records: [ { name: www, type: A, content: 192.0.2.1 } ]
",
    );
    for (chosen, needed) in [
        ("example.com/dns/www/CNAME", "example.com/dns/www/A"),
        ("example.com/dns/www/A/*", "example.com/dns/www/CNAME"),
        ("example.com/dns/lab/DS", "example.com/dns/lab/NS"),
        ("new.example/dns/www/A", "new.example"),
    ] {
        for command in [&["plan"][..], &["apply", "--yes", "--allow-deletes", "1"]] {
            let ran = workspace.run(&[command, &["spec.yaml", "--only", chosen]].concat()).exits(1);
            let said = format!(" needs {needed}");
            assert!(ran.stderr.contains(&said), "{said}: {}", ran.stderr);
            assert!(ran.stderr.contains(&format!("--only '{needed}")), "{}", ran.stderr);
        }
    }
    assert!(workspace.writes().is_empty());
    // A zone may be created without its records, and records with their zone.
    workspace.run(&["plan", "spec.yaml", "--only", "new.example"]).exits(0);
    workspace.run(&["apply", "spec.yaml", "--yes", "--only", "new.example*"]).exits(0);
    assert_eq!(workspace.records("new.example").len(), 1);
    let swap =
        ["apply", "spec.yaml", "--yes", "--allow-deletes", "1", "--only", "example.com/dns/www/*"];
    workspace.run(&swap).exits(0);
    assert_eq!(names(&workspace), ["www.example.com"]);
}

#[test]
fn consents_and_expectations_are_those_of_the_part() {
    let workspace = Workspace::new(options());
    let record =
        |name: &str| json!({ "type": "A", "name": name, "content": "192.0.2.9", "ttl": 300 });
    workspace.plant_records(json!([
        record("x.example.com"),
        record("y.example.com"),
        record("z.example.com")
    ]));
    workspace.file(
        "spec.yaml",
        "version: 1
zones:
  example.com:
    unmanaged: prune
    records: [ { name: new, type: A, content: 192.0.2.1, ttl: 300 }, { name: z, type: A, content: 192.0.2.9, ttl: 300 } ]
    expect:
      - { resolve: new, type: A, is: [192.0.2.1] }
",
    );
    // The whole plan has two deletes, the part has one.
    let missing = |arguments: &[&str]| {
        let plan = workspace
            .run(&[&["plan", "spec.yaml", "--format", "json"], arguments].concat())
            .exits(0)
            .json();
        let missing = plan["consents_missing"].as_array().unwrap().clone();
        missing.iter().map(|m| m["flag"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let whole = missing(&[]);
    assert!(
        whole.contains(&"--allow-deletes 2".to_owned())
            && !whole.iter().any(|f| f.contains("fails")),
        "{whole:?}"
    );
    let part = missing(&["--only", "*/x/A*"]);
    assert!(part.contains(&"--allow-deletes 1".to_owned()), "{part:?}");
    // Without the record that it depends on, the expectation fails after the part.
    assert!(part.contains(&"--allow fails-expectation".to_owned()), "{part:?}");
    assert!(missing(&["--only", "*/new/A"]).is_empty());
    let consents = ["--allow-deletes", "1", "--allow", "removes-last-address,fails-expectation"];
    workspace
        .run(&[&["apply", "spec.yaml", "--yes", "--only", "*/x/A*"], &consents[..]].concat())
        .exits(0);
    assert_eq!(names(&workspace), ["y.example.com", "z.example.com"]);
}

const RULES: &str = "version: 1
zones:
  example.com:
    waf:
      custom:
        - { name: first, when: 'http.request.uri.path eq \"/1\"', action: block }
        - { name: second, when: 'http.request.uri.path eq \"/2\"', action: js_challenge }
        - { name: third, when: 'http.request.uri.path eq \"/3\"', action: block }
";

#[test]
fn rules_that_are_placed_need_each_other_and_the_others_do_not() {
    let workspace = Workspace::new(options());
    workspace.file("spec.yaml", RULES);
    // The first rules of a phase are one operation.
    let plan = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    let address = plan["operations"][0]["address"].as_str().unwrap().to_owned();
    workspace
        .run(&["plan", "spec.yaml", "--only", &format!("{address}/first"), "--detailed-exitcode"])
        .exits(0);
    workspace.run(&["apply", "spec.yaml", "--yes", "--only", &address]).exits(0);
    // Two rules change in place: each by itself.
    let changed = RULES.replace("\"/1\"", "\"/one\"").replace("js_challenge", "managed_challenge");
    workspace.file("spec.yaml", &changed);
    let second = format!("{address}/second");
    let plan = workspace
        .run(&["plan", "spec.yaml", "--format", "json", "--only", &second])
        .exits(0)
        .json();
    assert_eq!(
        (&plan["part"]["chosen"], &plan["part"]["left_out"]),
        (&json!(1), &json!(1)),
        "{plan}"
    );
    let allow = ["--allow", "weakens-protection"];
    workspace
        .run(&[&["apply", "spec.yaml", "--yes", "--only", &second], &allow[..]].concat())
        .exits(0);
    let left = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(left["operations"].as_array().unwrap().len(), 1, "{left}");
    assert_eq!(left["operations"][0]["address"], format!("{address}/first"));
    // A new rule between others, and a deleted one: their positions are relative to each other.
    let rest = "        - { name: fourth, when: 'http.request.uri.path eq \"/4\"', action: block }\n        - { name: fifth, when: 'http.request.uri.path eq \"/5\"', action: block }\n";
    let placed =
        changed.replace("        - { name: third", &format!("{rest}        - {{ name: third"));
    workspace.file("spec.yaml", placed);
    let ran =
        workspace.run(&["plan", "spec.yaml", "--only", &format!("{address}/fourth")]).exits(1);
    let words = format!(
        "{address}/fourth needs {address}/fifth: the places of rules are relative to each other"
    );
    assert!(ran.stderr.contains(&words), "{}", ran.stderr);
    let both = ["--only", &format!("{address}/fourth"), "--only", &format!("{address}/fifth")];
    workspace.run(&[&["apply", "spec.yaml", "--yes"], &both[..]].concat()).exits(0);
    let left = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(left["operations"].as_array().unwrap().len(), 1, "{left}");
}

#[test]
fn a_base_is_compared_in_part_and_odd_patterns_are_refused_or_name_nothing() {
    let workspace = workspace(RECORDS);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    std::fs::rename(workspace.path().join("spec.yaml"), workspace.path().join("before.yaml"))
        .unwrap();
    workspace.records_spec("      - { name: c, type: A, content: 192.0.2.3 }");
    let part =
        ["plan", "spec.yaml", "--base", "./before.yaml", "--only", "*/a/A*", "--format", "json"];
    let plan = workspace.run(&part).exits(0).json();
    let address = plan["operations"][0]["address"].as_str().unwrap();
    assert!(address.starts_with("example.com/dns/a/A/"), "one of several values: {address}");
    assert_eq!(
        (&plan["summary"]["delete"], &plan["part"]["left_out"]),
        (&json!(1), &json!(1)),
        "{plan}"
    );
    for bad in ["[", "a**b"] {
        assert!(
            workspace
                .run(&["plan", "spec.yaml", "--only", bad])
                .exits(64)
                .stderr
                .contains("not a glob")
        );
    }
    let long = "x".repeat(10_000);
    for odd in ["", "example.com/dns/\u{202e}", long.as_str(), "EXAMPLE.COM/DNS/A/A"] {
        let ran = workspace.run(&["plan", "spec.yaml", "--only", odd]).exits(0);
        assert!(
            ran.stderr.contains("--only names no operation") && !ran.stdout.contains('\u{202e}'),
            "{ran:?}"
        );
    }
}

/// Indirect requirements are named in the same run.
#[test]
fn everything_that_a_part_needs_is_named_at_once() {
    let workspace = Workspace::new(options());
    workspace.file(
        "spec.yaml",
        "version: 1
zones:
  new.example:
    create: true
    records:
      - { name: lab, type: NS, content: [ns1.example.net, ns2.example.net] }
      - { name: lab, type: DS, content: '1 13 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef' }
",
    );
    let run = |only: &[String]| {
        let only = only.iter().flat_map(|address| ["--only", address.as_str()]);
        let arguments: Vec<&str> = ["plan", "spec.yaml"].into_iter().chain(only).collect();
        workspace.run(&arguments)
    };
    let mut chosen = vec!["new.example/dns/lab/DS".to_owned()];
    let ran = run(&chosen).exits(1);
    let named: Vec<String> = ran
        .stderr
        .lines()
        .filter_map(|line| {
            Some(
                line.split_once("choose it as well: --only '")?.1.trim_end_matches('\'').to_owned(),
            )
        })
        .collect();
    assert_eq!(named.len(), 3, "the zone, and both name servers: {}", ran.stderr);
    chosen.extend(named);
    run(&chosen).exits(0);
    // Of a large number, some are named, and the others are counted.
    let servers: Vec<String> = (0..103).map(|n| format!("ns{n}.example.net")).collect();
    let path = workspace.path().join("spec.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, text.replace("ns1.example.net, ns2.example.net", &servers.join(", ")))
        .unwrap();
    let ran = run(&chosen[..1]).exits(1);
    assert!(ran.stderr.contains("… and 4 more of PLAN0046"), "{}", ran.stderr);
}

/// A saved part that was applied in part is finished by `--resume`; with a spec, running it again
/// is enough.
#[test]
fn a_saved_part_is_resumed_and_a_spec_is_not() {
    let workspace = workspace(RECORDS);
    let part = ["--only", "*/a/A", "--only", "*/b/A"];
    let save =
        [&["plan", "spec.yaml", "--out", "part.zwplan", "--batch-size", "1"], &part[..]].concat();
    workspace.run(&save).exits(0);
    let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
    let body = json!({ "type": "A", "name": "a.example.com", "content": "192.0.2.1", "ttl": 1, "proxied": false });
    workspace.write("POST", &format!("/zones/{zone}/dns_records"), &body);
    workspace.run(&["apply", "part.zwplan", "--yes"]).exits(4);
    workspace.run(&["apply", "part.zwplan", "--yes", "--resume"]).exits(0);
    assert_eq!(names(&workspace), ["a.example.com", "b.example.com"]);
    for part in [&part[..], &[]] {
        let ran =
            workspace.run(&[&["apply", "spec.yaml", "--yes", "--resume"], part].concat()).exits(64);
        assert!(
            ran.stderr.contains("--resume is for a saved plan")
                && ran.stderr.contains("without --resume"),
            "{ran:?}"
        );
    }
    assert_eq!(names(&workspace), ["a.example.com", "b.example.com"]);
}
