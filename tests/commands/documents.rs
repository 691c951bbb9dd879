//! Documents for programs are valid under their schema.

use std::fs;
use std::io::Read;

use serde_json::{Value, json};
use zonewright::schema::{Kind, schema};

use crate::support::journals::newest;
use crate::support::workspace::{Workspace, options_on};

/// Validates documents against their schema.
#[track_caller]
fn fits(kind: Kind, documents: &[Value]) {
    let validator = jsonschema::draft7::new(&schema(kind)).unwrap();
    assert!(!documents.is_empty(), "{}: none", kind.name());
    let is_line = matches!(kind, Kind::Journal | Kind::Snapshot | Kind::Request);
    for document in documents {
        assert!(
            is_line || (document["format"] == 1 && document["kind"].is_string()),
            "{}: {document:#}",
            kind.name()
        );
        let errors: Vec<_> = validator
            .iter_errors(document)
            .map(|e| format!("{e} at {}", e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}\n{document:#}", kind.name());
        if let Value::Object(members) = document {
            let known = serde_json::to_string(&schema(kind)).unwrap();
            for name in members.keys() {
                assert!(
                    known.contains(&format!("\"{name}\"")),
                    "{}: the schema has no {name}",
                    kind.name()
                );
            }
        }
        assert!(!validator.is_valid(&json!({})), "{}: anything fits", kind.name());
    }
}

/// Returns a zone in which every kind of object changes.
fn workspace() -> Workspace {
    let workspace = Workspace::new(options_on("business"));
    workspace.plant_records(json!([
        { "type": "A", "name": "www.example.com", "content": "192.0.2.1", "proxied": true, "comment": "before" },
        { "type": "TXT", "name": "old.example.com", "content": "\"gone\"" },
        { "type": "TXT", "name": "foreign.example.com", "content": "\"theirs\"" },
    ]));
    workspace.file(
        "spec.yaml",
        "
version: 1
zones:
  example.com:
    settings: { ssl: strict }
    dnssec: on
    records:
      - { name: www, type: A, content: 192.0.2.2, proxied: false, allow: { exposes-origin: moving } }
      - { name: old, type: TXT, state: absent }
      - { name: new, type: MX, priority: 10, content: mx.example.net }
    waf:
      owasp: { paranoia: 2 }
      custom: [{ name: scanners, when: 'http.user_agent contains \"scanner\"', action: block }]
",
    );
    workspace
}

const ALLOWED: [&str; 3] =
    ["--allow-deletes", "1", "--allow=weakens-protection,removes-last-address,changes-dnssec"];

#[test]
fn what_programs_read_fits_its_schema() {
    let workspace = workspace();
    let plan = |arguments: &[&str]| {
        let all = [&["plan", "spec.yaml", "--format", "json"], arguments].concat();
        workspace.run(&all).exits(0).json()
    };
    let snapshot = workspace.run(&["snapshot", "spec.yaml", "--out", "s.gz"]);
    snapshot.exits(0);
    fs::write(
        workspace.path().join("base.yaml"),
        "version: 1\nzones: { example.com: { records: [] } }\n",
    )
    .unwrap();
    fits(
        Kind::Plan,
        &[
            plan(&[]),
            plan(&ALLOWED),
            plan(&["--against", "s.gz"]),
            plan(&["--base", "./base.yaml"]),
            plan(&["--zone", "*.com"]),
        ],
    );
    workspace
        .run(
            &[&["plan", "spec.yaml", "--base", "./base.yaml", "--out", "plan.json"], &ALLOWED[..]]
                .concat(),
        )
        .exits(0);
    let saved = fs::read_to_string(workspace.path().join("plan.json")).unwrap();
    fits(Kind::SavedPlan, &[serde_json::from_str(&saved).unwrap()]);
    fits(
        Kind::Drift,
        &[workspace.run(&["drift", "spec.yaml", "--format", "json"]).exits(2).json()],
    );
    let applied = [&["apply", "spec.yaml", "--yes", "--format", "json"], &ALLOWED[..]].concat();
    let applied = workspace.run(&applied).exits(0).json();
    assert_eq!(applied["result"]["zones"][0]["in_sync"], true, "{applied:#}");
    fits(Kind::Apply, &[applied]);
    fits(
        Kind::Drift,
        &[workspace.run(&["drift", "spec.yaml", "--format", "json"]).exits(0).json()],
    );
    let journal = fs::read_to_string(newest(&workspace)).unwrap();
    let lines: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in ["begin", "consent", "intent", "outcome", "end"] {
        assert!(lines.iter().any(|line| line["event"] == event), "no {event}");
    }
    fits(Kind::Journal, &lines);
    let mut snapshot = String::new();
    let packed = fs::File::open(workspace.path().join("s.gz")).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut snapshot).unwrap();
    let lines = snapshot.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    // Errors of the items are in Cloudflare's words.
    let lines: Vec<Value> = lines
        .filter(|line| ["path", "kind", "sha256"].iter().any(|n| !line[n].is_null()))
        .collect();
    let own: Vec<Value> = lines
        .into_iter()
        .filter(|line| line["kind"].is_null() || line["kind"] == "snapshot")
        .collect();
    assert!(
        ["refused", "result", "items", "sha256"]
            .iter()
            .all(|name| own.iter().any(|line| !line[name].is_null()))
    );
    fits(Kind::Snapshot, &own);
}

/// Rules of our own, with the id of a rule in Cloudflare's ruleset.
const CRS: &str = "\
SecRule ARGS \"@contains select\" \"id:942100,phase:2,block,t:none,msg:'a word of SQL',setvar:'tx.anomaly_score_pl1=+5'\"
";

#[test]
fn reports_of_every_command_fit_their_schema() {
    let workspace = workspace();
    let json =
        |arguments: &[&str]| workspace.run(&[arguments, &["--format", "json"]].concat()).json();
    let spec = fs::read_to_string(workspace.path().join("spec.yaml")).unwrap();
    workspace.file(
        "base.yaml",
        "version: 1\nzones: { example.com: { records: [{ name: gone, type: A, content: 192.0.2.9 }] } }\n",
    );
    workspace.file(
        "bad.yaml",
        "version: 1\nzones: { example.com: { records: [{ name: www, type: A, content: x }] } }\n",
    );
    let expect =
        "    expect: [{ name: the site answers, resolve: www, type: A, is: [192.0.2.2] }]\n";
    workspace
        .file("expect.yaml", spec.replace("    records:\n", &format!("{expect}    records:\n")));
    workspace.file("crs/rules/REQUEST-942.conf", CRS);
    workspace.file("crs/crs-setup.conf", "SecAction \"id:900,phase:1,pass,nolog\"\n");

    fits(Kind::Validation, &[json(&["validate", "spec.yaml"])]);
    fits(Kind::Findings, &[json(&["validate", "bad.yaml"])]);
    fits(Kind::Requests, &[json(&[&["apply", "spec.yaml", "--dry-run"], &ALLOWED[..]].concat())]);
    fits(Kind::SpecDiff, &[json(&["diff", "base.yaml", "spec.yaml"])]);
    fits(Kind::Answers, &[json(&["resolve", "www.example.com", "--spec", "spec.yaml"])]);
    fits(Kind::Test, &[json(&["test", "expect.yaml"])]);
    fits(Kind::FormattedFiles, &[json(&["fmt", "spec.yaml", "--check"])]);
    fits(Kind::SnapshotFile, &[json(&["snapshot", "spec.yaml", "--out", "s.gz"])]);
    fits(Kind::PulledFiles, &[json(&["pull", "spec.yaml", "--dry-run"])]);
    fits(Kind::NewFiles, &[json(&["init", "--pipeline", "none", "--zone", "example.com"])]);
    let policy = jsonschema::draft7::new(&schema(Kind::Policy)).unwrap();
    assert!(policy.is_valid(
        &json!({ "version": 1, "most_changes": 20, "allow": { "changes-mail": "reviewed" } })
    ));
    assert!(!policy.is_valid(&json!({ "most_changes": 101 })));
    fits(Kind::WafDiff, &[json(&["waf", "rules", "--changes", "spec.yaml"])]);

    workspace.run(&[&["apply", "spec.yaml", "--yes"], &ALLOWED[..]].concat()).exits(0);
    fits(Kind::WafRules, &[json(&["waf", "rules", "spec.yaml"])]);
    fits(
        Kind::WafEffective,
        &[
            json(&["waf", "status", "example.com"]),
            json(&["waf", "status", "example.com", "--rules"]),
        ],
    );
    fits(Kind::WafLock, &[json(&["waf", "rules", "--lock", "spec.yaml"])]);
    let request = "curl 'https://www.example.com/?q=select' -A scanner-x";
    fits(Kind::Sandbox, &[workspace.dump()]);
    fits(
        Kind::WafTrace,
        &[json(&["waf", "trace", request, "--spec", "spec.yaml", "--crs", "crs"])],
    );
    fits(
        Kind::WafExplain,
        &[json(&["waf", "explain", request, "--spec", "spec.yaml", "--crs", "crs"])],
    );
    let line = |id: u32, query: &str| json!({ "id": id.to_string(), "method": "GET", "uri": format!("/?q={query}"), "headers": [["Host", "www.example.com"]] });
    let lines = [line(1, "shoes"), line(2, "select"), line(3, "hats")];
    fits(Kind::Request, &lines);
    workspace.file("lines.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    let lines = "lines.jsonl";
    fits(
        Kind::WafRehearsal,
        &[json(&["waf", "replay", "spec.yaml", "--crs", "crs", "--requests", lines])],
    );
    fits(
        Kind::WafTune,
        &[json(&[
            "waf",
            "tune",
            "--crs",
            "crs",
            "--spec",
            "spec.yaml",
            "--benign",
            lines,
            "--attacks",
            lines,
        ])],
    );
}

#[test]
fn a_doctor_and_a_rehearsal_fit_their_schema() {
    let workspace = workspace();
    fits(Kind::Doctor, &[workspace.run(&["doctor", "spec.yaml", "--format", "json"]).json()]);
    let rehearse = ["rehearse", "spec.yaml", "--format", "json"];
    fits(Kind::Rehearsal, &[workspace.run(&[&rehearse[..], &ALLOWED[..]].concat()).json()]);
}

/// Kinds that are compared elsewhere: a spec in `tests/pure/spec/`, a policy above, a report of
/// `conformance` by the tests of that command.
const COMPARED_ELSEWHERE: &[Kind] = &[Kind::Spec, Kind::Policy, Kind::Conformance];

#[test]
fn every_kind_of_document_is_compared_with_its_schema() {
    let own: String = include_str!("documents.rs").split_whitespace().collect();
    let is_compared = |kind: &&Kind| {
        COMPARED_ELSEWHERE.contains(kind) || own.contains(&format!("fits(Kind::{kind:?},"))
    };
    let missing: Vec<_> = Kind::ALL.iter().filter(|kind| !is_compared(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
