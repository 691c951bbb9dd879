//! Accidents with the inputs of a run: specs, listings, imports.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{on_plan, plan, refused_without, snapshot, zone_spec};
use crate::support::workspace::{Workspace, options};
use zonewright::sandbox::{Fault, What, When};

/// More attempts than the program ever makes.
const SEVERAL: u64 = 100;
/// One record.
const RECORDS: &str = "records:\n  - { name: www, type: A, content: 192.0.2.1 }";

/// C4: a zone is missing from a file, or the file has a typing error. The zone is then out of scope
/// and not deleted.
#[test]
fn c4_a_typing_error_in_a_file() {
    let workspace = Workspace::new(options());
    workspace.plant(&json!({ "zones": [{ "name": "example.net", "records": [{ "type": "A", "name": "example.net", "content": "192.0.2.9" }] }] }));
    let two = format!(
        "version: 1\nzones:\n  example.com:\n    {}\n  example.net: {{ records: [{{ name: \"@\", type: A, content: 192.0.2.9 }}] }}\n",
        RECORDS.replace('\n', "\n    ")
    );
    workspace.file("before.yaml", &two);
    workspace.run(&["apply", "before.yaml", "--yes"]).exits(0);
    let writes = workspace.writes().len();
    // The spec no longer has the zone: the zone stays unchanged whatever is allowed, and the plan
    // has a note about it.
    zone_spec(&workspace, "spec.yaml", RECORDS);
    let ran = workspace
        .run(&["apply", "spec.yaml", "--base", "./before.yaml", "--yes", "--allow-deletes", "1"])
        .exits(0);
    assert!(ran.stdout.contains("In sync"), "{}", ran.stdout);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("example.net") && said.contains("no longer"), "{said}");
    assert_eq!(workspace.records("example.net").len(), 1);
    // Typing errors: refused with a place before anything is asked.
    let requests = workspace.requests().len();
    for (wrong, words) in [
        (two.replace("records:\n", "recrods:\n"), "records"),
        (two.replace("type: A", "type: AA"), "AA"),
        (two.replace("example.net: {", "example.com: {"), "example.com"),
        (two.replace("zones:", "zone:"), "zones"),
        (
            two.replace("{ name: www, type: A, content: 192.0.2.1 }", "{ name: www, type: A }"),
            "content",
        ),
    ] {
        workspace.file("spec.yaml", &wrong);
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert!(
            ran.stderr.contains("spec.yaml:") && ran.stderr.contains(words),
            "{wrong}\n{}",
            ran.stderr
        );
    }
    assert_eq!(workspace.requests().len(), requests, "nothing is asked for a spec with mistakes");
    assert_eq!(workspace.writes().len(), writes);
}

/// C6: an incomplete import is an error. A complete import reports the number of records, and a
/// plan of it is empty.
#[test]
fn c6_a_zone_is_taken_over_with_records_missing() {
    let workspace = Workspace::new(options());
    let record = |n: u32| json!({ "type": "A", "name": format!("h{n}.example.com"), "content": format!("192.0.2.{n}") });
    let mut records: Vec<_> = (1..=11).map(record).collect();
    records.push(json!({ "type": "A", "name": "*.example.com", "content": "192.0.2.99" }));
    workspace.plant_records(json!(records));
    // Cloudflare says 12 and lists 11.
    let mut listed = workspace.records("example.com");
    listed.pop();
    workspace.fault(Fault {
        when: When::Matching { method: Some("GET".into()), path_suffix: "/dns_records".into(), nth: 1 },
        what: What::Answer {
            code: 200,
            body: json!({ "success": true, "errors": [], "messages": [], "result": listed,
                          "result_info": { "page": 1, "per_page": 5000, "count": 11, "total_count": 12, "total_pages": 1 } }),
        },
        // The listing is requested again before the import fails.
        times: SEVERAL,
    });
    let short = workspace.run(&["import", "example.com"]).exits(1);
    assert!(short.stdout.is_empty(), "half of a zone is not printed: {}", short.stdout);
    assert!(short.stderr.contains("11") && short.stderr.contains("12"), "{}", short.stderr);
    // A complete listing.
    let workspace = Workspace::new(options());
    workspace.plant_records(json!(records));
    let whole = workspace.run(&["import", "example.com"]).exits(0);
    assert_eq!(whole.stdout.matches("- { name: ").count(), 12, "{}", whole.stdout);
    assert!(whole.stdout.contains("name: \"*\""), "the wildcard is part of it: {}", whole.stdout);
    workspace.file("spec.yaml", &whole.stdout);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

/// C12: an input of the plan is broken. An empty or short listing is an error or needs consent; it
/// is never taken for an empty zone.
#[test]
fn c12_a_source_that_failed() {
    let workspace = on_plan("business");
    let addresses = |n: usize| {
        let one = |n| format!("  - {{ name: h{n}, type: A, content: 192.0.2.{n} }}");
        format!("unmanaged: prune\nrecords:\n{}", (1..=n).map(one).collect::<Vec<_>>().join("\n"))
    };
    zone_spec(&workspace, "before.yaml", &addresses(20));
    workspace.run(&["apply", "before.yaml", "--yes"]).exits(0);
    let before = snapshot(&workspace);
    // A generator that wrote an empty or a truncated file.
    for text in [
        "",
        "\n",
        "---\n",
        "version: 1\n",
        "version: 1\nzones:\n",
        "{}",
        "version: 1\nzones:\n  example.com:\n    records:\n      - { name: h1",
    ] {
        workspace.file("spec.yaml", text);
        let requests = workspace.requests().len();
        let ran = workspace.run(&["apply", "spec.yaml", "--yes", "--allow-deletes", "20"]);
        assert!(matches!(ran.code, Some(0 | 1)), "{text:?}: {ran:?}");
        assert_eq!(workspace.requests().len(), requests, "{text:?} asks for nothing");
    }
    // Half of the spec, with pruning on: the number of deletes, their share and the shrinking each
    // need consent.
    zone_spec(&workspace, "spec.yaml", &addresses(8));
    for consents in [
        &["--allow-deletes", "12", "--allow", "changes-much"][..],
        &["--allow-deletes", "12", "--allow", "spec-shrank"],
        &["--allow", "changes-much,spec-shrank"],
    ] {
        workspace
            .run(&[&["apply", "spec.yaml", "--base", "./before.yaml", "--yes"], consents].concat())
            .exits(3);
    }
    let planned = workspace.run(&["plan", "spec.yaml", "--base", "./before.yaml"]).exits(0);
    assert!(
        planned.stdout.contains("the spec has much less for the zone than the previous spec"),
        "{}",
        planned.stdout
    );
    assert_eq!(snapshot(&workspace), before);
    // A broken listing: short, empty despite a count, or missing.
    let answer = |result, total: u32| What::Answer {
        code: 200,
        body: json!({ "success": true, "errors": [], "messages": [], "result": result,
                      "result_info": { "page": 1, "per_page": 5000, "count": 0, "total_count": total, "total_pages": 1 } }),
    };
    for what in [answer(json!([]), 20), answer(json!(null), 20), What::SuccessFalse200] {
        let workspace = on_plan("business");
        workspace.plant(&workspace_with(&before));
        workspace.fault(Fault {
            when: When::Matching {
                method: Some("GET".into()),
                path_suffix: "/dns_records".into(),
                nth: 1,
            },
            what: what.clone(),
            times: SEVERAL,
        });
        zone_spec(&workspace, "spec.yaml", &addresses(20));
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]);
        assert_eq!(ran.code, Some(1), "{what:?}: {ran:?}");
        assert_eq!(workspace.writes().len(), 0);
    }
    // A complete listing of a zone that someone emptied: the zone is not rebuilt without consent.
    let emptied = on_plan("business");
    zone_spec(&emptied, "before.yaml", &addresses(20));
    refused_without(
        &emptied,
        &["before.yaml", "--base", "./before.yaml"],
        &["the live zone has much less than the previous spec wanted"],
        &[&["--allow", "live-shrank"]],
    );
}

/// Returns a document of example.com with these records.
fn workspace_with(records: &serde_json::Value) -> serde_json::Value {
    json!({ "zones": [{ "name": "example.com", "plan": "business", "records": records }] })
}

/// C17: the program cannot reach a registrar and cannot delete a zone: neither by requests that it
/// sends nor in its code.
#[test]
fn c17_no_way_to_the_domain_itself() {
    let workspace = Workspace::empty(options());
    zone_spec(
        &workspace,
        "spec.yaml",
        &format!("create: true\nsettings: {{ always_use_https: on }}\ndnssec: on\n{RECORDS}"),
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    zone_spec(&workspace, "pruned.yaml", "unmanaged: prune\ndnssec: off\nrecords: []");
    let all = "changes-dnssec,removes-last-address,changes-much,spec-shrank";
    workspace
        .run(&[
            "apply",
            "pruned.yaml",
            "--base",
            "./spec.yaml",
            "--yes",
            "--allow-deletes",
            "1",
            "--allow",
            all,
        ])
        .exits(0);
    workspace.file("none.yaml", "version: 1\nzones: {}\n");
    workspace.run(&["apply", "none.yaml", "--base", "./spec.yaml", "--yes"]);
    assert_eq!(plan(&workspace, &["pruned.yaml"])["verdict"], "in-sync", "the zone is still there");
    for request in workspace.requests() {
        assert!(!request.path.contains("registrar"), "{request:?}");
        let below: Vec<_> = request.path.trim_start_matches('/').split('/').collect();
        assert!(request.method != "DELETE" || below.len() > 2, "{request:?}");
    }
    // Two places in the code make DELETE requests: for one record, and for one rule.
    let wire = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wire");
    let mut found = Vec::new();
    for entry in fs::read_dir(wire).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains("registrar/") && !text.contains("/registrar"));
        found.extend(
            text.lines().filter(|l| l.contains("Method::Delete,")).map(|l| l.trim().to_owned()),
        );
    }
    found.sort();
    assert_eq!(
        found,
        [
            "Request::new(Method::Delete, record_path(zone, id))",
            "Request::new(Method::Delete, rule_path(zone, ruleset, id))"
        ]
    );
}
