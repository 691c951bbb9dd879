//! Hostile text in responses of Cloudflare, or of someone who pretends to be Cloudflare.

use std::fs;

use serde_json::{Value, json};

use super::shown::{EVIL, is_harmless};
use super::{ShownRun, run_in_each_document, shown_runs};
use crate::support::listener::{Listener, Response};
use crate::support::openmetrics::Metrics;
use crate::support::workspace::{Ran, Workspace, document_formats, options, options_on};
use zonewright::sandbox::{Fault, What, When};

/// A spec that uses every kind of response.
const SPEC: &str = "
version: 1
zones:
  example.com:
    unmanaged: prune
    ignore: [{ name: 'kept*', type: TXT, reason: someone else's }]
    settings: { ssl: strict }
    dnssec: on
    records:
      - { name: www, type: A, content: 192.0.2.1, ttl: 300, comment: plain words, tags: ['a:b'] }
      - { name: t, type: TXT, content: v=spf1 -all }
      - { name: old, type: TXT, state: absent }
    waf:
      custom: [{ name: scanners, when: 'http.user_agent contains \"scanner\"', action: block }]
";

/// Returns all commands that show such responses, with the formats of their output.
fn runs() -> Vec<ShownRun> {
    let plans = shown_runs(&[
        (&["plan", "spec.yaml", "-v"], "text"),
        (&["plan", "spec.yaml", "--color", "never", "-vvv"], "text"),
        (&["plan", "spec.yaml", "--format", "json"], "json"),
    ]);
    let applies_and_drift = shown_runs(&[
        (&["apply", "spec.yaml", "--yes", "--dry-run", "--allow-deletes", "6"], "text"),
        (&["apply", "spec.yaml", "--yes"], "text"),
        (&["apply", "spec.yaml", "--yes", "--format", "json"], "json"),
        (&["drift", "spec.yaml", "-v"], "text"),
        (&["drift", "spec.yaml", "--format", "json"], "json"),
    ]);
    let others = shown_runs(&[
        (&["watch", "spec.yaml", "--count", "1"], "text"),
        (&["watch", "spec.yaml", "--count", "1", "--format", "json"], "json"),
        (&["snapshot", "spec.yaml", "--out", "new.gz"], "text"),
        (&["import", "example.com"], "yaml"),
        (&["waf", "status", "example.com"], "text"),
        (&["waf", "status", "example.com", "--format", "json"], "json"),
        (&["waf", "rules", "--changes", "spec.yaml"], "text"),
    ]);
    let documents = run_in_each_document(&["plan", "spec.yaml"]);
    let drift_documents = run_in_each_document(&["drift", "spec.yaml"]);
    [plans, documents, applies_and_drift, drift_documents, others].concat()
}

/// Formats of plans and drift that programs read, or that leave out the values of records.
const WITHOUT_TEXT_FOR_PEOPLE: &[&str] = &["json", "sarif"];

/// Answers every read of a path that ends like this with the same response.
fn responds(workspace: &Workspace, path_suffix: &str, code: u16, body: Value) {
    workspace.fault(Fault {
        when: When::Matching {
            method: Some("GET".to_owned()),
            path_suffix: path_suffix.to_owned(),
            nth: 1,
        },
        what: What::Answer { code, body },
        times: u64::MAX / 2,
    });
}

/// Returns a success with this result.
fn success(result: &Value) -> Value {
    let count = result.as_array().map_or(1, Vec::len);
    json!({ "success": true, "errors": [], "messages": [], "result": result,
            "result_info": { "page": 1, "per_page": 5000, "count": count, "total_count": count, "total_pages": 1 } })
}

/// Returns a business zone with the spec beside it.
fn workspace() -> Workspace {
    let workspace = Workspace::new(options_on("business"));
    workspace.file("spec.yaml", SPEC);
    workspace
}

/// Returns a sandbox in which every text that a person can write is this text.
fn told(words: &str) -> Workspace {
    let workspace = workspace();
    let record = |id: &str, kind: &str, name: &str, content: &str| {
        json!({ "id": id, "type": kind, "name": name, "content": content, "ttl": 1, "proxied": false, "comment": words,
                "tags": [words, format!("a:{words}")], "settings": {}, "meta": { words: words },
                "created_on": words, "modified_on": words, "comment_modified_on": words })
    };
    responds(
        &workspace,
        "/dns_records",
        200,
        success(&json!([
            record("1", "A", "www.example.com", "192.0.2.9"),
            record("2", "TXT", "t.example.com", words),
            record("3", "TXT", "old.example.com", words),
            record("4", "TXT", "kept.example.com", words),
            record(words, "CNAME", &format!("{words}.example.com"), words),
            record("6", words, &format!("other.{words}.example.com"), words),
            record("7", "MX", "example.com", words),
        ])),
    );
    let rule = |id: &str, more: Value| {
        let mut rule = json!({ "id": id, "ref": words, "version": words, "action": "block", "expression": words, "enabled": true,
                               "description": words, "last_updated": words, "categories": [words] });
        rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        rule
    };
    responds(
        &workspace,
        "/phases/http_request_firewall_custom/entrypoint",
        200,
        success(
            &json!({ "id": "r", "name": words, "description": words, "kind": "zone", "version": "3", "phase": "http_request_firewall_custom",
            "rules": [
                rule("1", json!({})),
                rule("2", json!({ "ref": "scanners", "action": "managed_challenge" })),
                rule("3", json!({ "action": words, "action_parameters": { words: words } })),
                rule("4", json!({ "action": "skip", "action_parameters": { "phases": [words], "ruleset": words } })),
            ] }),
        ),
    );
    responds(
        &workspace,
        "/settings/ssl",
        200,
        success(&json!({ "id": "ssl", "value": words, "editable": true, "modified_on": words })),
    );
    responds(
        &workspace,
        "/dnssec",
        200,
        success(&json!({ "status": "disabled", "ds": words, "modified_on": words })),
    );
    workspace
}

#[test]
fn what_others_wrote_is_data_in_every_output() {
    let workspace = told(EVIL);
    for (arguments, format) in runs() {
        let ran = workspace.run(&arguments);
        assert!(matches!(ran.code, Some(0..=3)), "{arguments:?}: {ran:?}");
        is_harmless(&format!("{arguments:?}"), format, &ran);
    }
    // The text is shown and not merely left out.
    for format in ["text", "json", "markdown", "html"] {
        let ran = workspace.run(&["plan", "spec.yaml", "--format", format]).exits(0);
        assert!(ran.stdout.contains("EVIL"), "{format}: {}", ran.stdout);
    }
}

#[test]
fn a_megabyte_of_text_is_cut_for_people() {
    let workspace = workspace();
    let long = format!("EVIL\u{202e}{}", "é".repeat(500_000));
    let record = |id: &str, kind: &str, name: &str, content: &str, comment: &str| json!({ "id": id, "type": kind, "name": name, "content": content, "ttl": 1, "proxied": false, "comment": comment, "tags": [] });
    responds(
        &workspace,
        "/dns_records",
        200,
        success(&json!([
            record("1", "A", "www.example.com", "192.0.2.9", &long),
            record("2", "TXT", "t.example.com", &long, ""),
            record("3", "TXT", &format!("{long}.example.com"), "plain", ""),
            record("4", &long, "x.example.com", "plain", ""),
        ])),
    );
    let rule = json!({ "id": "1", "ref": "scanners", "action": "block", "expression": long, "description": long, "enabled": true });
    let entry_point = json!({ "id": "r", "name": "default", "kind": "zone", "version": "3", "phase": "http_request_firewall_custom", "rules": [rule] });
    responds(
        &workspace,
        "/phases/http_request_firewall_custom/entrypoint",
        200,
        success(&entry_point),
    );
    let told_to_people = |(arguments, format): &ShownRun| {
        matches!(arguments[0], "plan" | "drift")
            && !WITHOUT_TEXT_FOR_PEOPLE.contains(format)
            && !arguments.contains(&"-vvv")
    };
    let mut count = 0;
    for (arguments, format) in runs().into_iter().filter(told_to_people) {
        let ran = workspace.run(&arguments);
        assert!(matches!(ran.code, Some(0 | 2)), "{arguments:?}: {:?}", ran.code);
        is_harmless(&format!("long: {arguments:?}"), format, &ran);
        assert!(ran.stdout.contains("EVIL"), "{arguments:?}");
        count += 1;
    }
    // Text of plans and drift, and every document of both that people read.
    let documents = [document_formats("plan"), document_formats("drift")].concat();
    assert_eq!(
        count,
        2 + documents
            .into_iter()
            .filter(|format| !WITHOUT_TEXT_FOR_PEOPLE.contains(format))
            .count()
    );
}

#[test]
fn messages_of_cloudflare_are_not_commands() {
    let long = format!("{EVIL}{}", "x".repeat(1_000_000));
    let wrong = |words: &str| {
        let chain = json!([{ "code": 9021, "message": words }]);
        let error = json!({ "code": 1004, "message": words, "error_chain": chain, "source": { "pointer": words } });
        json!({ "success": false, "errors": [error], "messages": [words], "result": null })
    };
    for (words, code, path) in [
        (EVIL, 400, "/zones"),
        (EVIL, 403, "/dns_records"),
        (&long, 404, "/dns_records"),
        (EVIL, 400, "/entrypoint"),
    ] {
        let workspace = workspace();
        responds(&workspace, path, code, wrong(words));
        for (arguments, format) in
            runs().iter().filter(|(a, _)| matches!(a[0], "plan" | "apply" | "import")).step_by(2)
        {
            let ran = workspace.run(arguments);
            is_harmless(&format!("{code} for {path}: {arguments:?}"), format, &ran);
        }
        assert!(workspace.writes().is_empty());
    }
}

#[test]
fn a_refused_write_is_told_harmlessly() {
    for format in ["text", "json"] {
        let workspace = workspace();
        let body = json!({ "success": false, "errors": [{ "code": 1004, "message": EVIL }], "messages": [], "result": null });
        let when =
            When::Matching { method: Some("POST".to_owned()), path_suffix: String::new(), nth: 1 };
        workspace.fault(Fault { when, what: What::Answer { code: 400, body }, times: 1_000 });
        let ran = workspace.run(&["apply", "spec.yaml", "--yes", "--format", format]);
        assert!(matches!(ran.code, Some(1 | 5)), "{ran:?}");
        is_harmless("a refused write", format, &ran);
        let shown = format!("{}{}", ran.stdout, ran.stderr);
        assert!(shown.contains("EVIL") && shown.contains("1004"), "{shown}");
        let journals = fs::read_dir(workspace.path().join(".zonewright/journal")).unwrap();
        for journal in journals {
            let text = fs::read_to_string(journal.unwrap().path()).unwrap();
            super::shown::plain("the journal", &text);
        }
    }
}

#[test]
fn metrics_and_webhooks_are_whole() {
    let workspace = told(EVIL);
    let listener = Listener::start([Response::Status(204)]);
    let arguments = [
        "drift",
        "spec.yaml",
        "--metrics",
        "m.prom",
        "--webhook",
        &listener.url("/hook"),
        "--quiet",
    ];
    let ran: Ran = workspace.run(&arguments).exits(2);
    is_harmless("drift", "text", &ran);
    let text = fs::read_to_string(workspace.path().join("m.prom")).unwrap();
    Metrics::read(&text);
    assert!(!text.contains("evil_metric 1\n"), "{text}");
    super::shown::plain("metrics", &text);
    let [request] = &listener.requests()[..] else { panic!("{:?}", listener.requests()) };
    assert_eq!(request.body["kind"], "drift", "{}", request.head);
    assert!(!request.head.contains("EVIL"), "{}", request.head);
    assert!(request.body.to_string().contains("EVIL"));
}

#[test]
fn cached_text_is_shown_as_safely() {
    let workspace = told(EVIL);
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    for (mut arguments, format) in runs().into_iter().filter(|(a, _)| a[0] == "plan") {
        arguments.extend(["--against", "zonewright.snapshot.json.gz"]);
        let ran = workspace.run(&arguments).exits(0);
        is_harmless(&format!("{arguments:?}"), format, &ran);
    }
    workspace.run(&["plan", "spec.yaml", "--out", "plan.json"]).exits(0);
    super::shown::plain(
        "a saved plan",
        &fs::read_to_string(workspace.path().join("plan.json")).unwrap(),
    );
    is_harmless("apply of a plan", "text", &workspace.run(&["apply", "plan.json", "--yes"]));
    is_harmless(
        "apply of a plan",
        "json",
        &workspace.run(&["apply", "plan.json", "--yes", "--format", "json"]),
    );
}

/// An import of such a zone is a valid spec that is in sync, and has the same text as far as a spec
/// can contain it.
#[test]
fn what_is_imported_reads_as_it_was() {
    let workspace = workspace();
    let record = |name: &str, content: &str, comment: &str, tag: &str| json!({ "id": name, "type": "TXT", "name": name, "content": content, "ttl": 1, "comment": comment, "tags": [tag] });
    let told = "a\u{202e}b\u{a0}##[error]\u{feff} ${X} $$";
    let records = json!([
        record(
            "t.example.com",
            "\"a\u{202e}\u{1b}[2J\u{85} ##[error]\n::error::${X}\"",
            told,
            "a:b"
        ),
        record("u.example.com", "plain", EVIL, "plain"),
        record("v.example.com", "plain", "plain", EVIL),
        record(&format!("{EVIL}.example.com"), "plain", "plain", "plain"),
    ]);
    responds(&workspace, "/dns_records", 200, success(&records));
    let ran = workspace.run(&["import", "example.com", "--only-dns"]).exits(0);
    is_harmless("import", "yaml", &ran);
    assert_eq!(
        serde_yaml::from_str::<Value>(&ran.stdout).unwrap()["zones"]["example.com"]["records"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    for left in [
        "u TXT: a spec cannot express its comment; left alone",
        "v TXT: a spec cannot express its tags; left alone",
        "a name that a spec cannot express",
    ] {
        assert!(ran.stderr.contains(left), "{left}: {}", ran.stderr);
    }
    workspace.file("imported.yaml", &ran.stdout);
    let plan = workspace.run(&["plan", "imported.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(
        (&plan["verdict"], &plan["summary"]["unchanged"]),
        (&json!("in-sync"), &json!(3)),
        "{plan:#}\n{}",
        ran.stdout
    );
}

/// A listing with a record of another zone may be incomplete: nothing is planned from it, even with
/// pruning.
#[test]
fn a_record_of_another_zone_makes_a_listing_unusable() {
    let evil = format!("{EVIL}.example.org");
    for name in ["a.example.org", "example.com.example.org", "aexample.com", "com", ".", &evil] {
        let workspace = Workspace::new(options());
        workspace.file(
            "spec.yaml",
            "version: 1\nzones: { example.com: { unmanaged: prune, records: [] } }\n",
        );
        let record = |id: &str, name: &str| json!({ "id": id, "type": "A", "name": name, "content": "192.0.2.1", "ttl": 1, "proxied": false });
        responds(
            &workspace,
            "/dns_records",
            200,
            success(&json!([record("1", "a.example.com"), record("2", name)])),
        );
        let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
        assert!(ran.stderr.contains("which is not in the zone"), "{}", ran.stderr);
        is_harmless("a record of another zone", "text", &ran);
    }
}

/// The same for the texts of Cloudflare's managed rulesets.
#[test]
fn rules_of_managed_rulesets_are_data() {
    let workspace = Workspace::new(options_on("business"));
    workspace.file(
        "spec.yaml",
        "version: 1\nzones: { example.com: { waf: { owasp: { paranoia: 2 } } } }\n",
    );
    workspace.run(&["waf", "rules", "--lock", "spec.yaml"]).exits(0);
    let lock = fs::read_to_string(workspace.path().join("waf.lock")).unwrap();
    let owasp = "4814384a9e5d4991b9815dcfc25d2f1f";
    let named = json!({ "id": owasp, "name": EVIL, "description": EVIL, "kind": "managed", "version": "99", "last_updated": EVIL,
                        "phase": "http_request_firewall_managed" });
    responds(&workspace, "/rulesets", 200, success(&json!([named])));
    let rule = |id: &str, action: &str| {
        json!({ "id": id, "description": format!("942430: {EVIL}"), "action": action, "categories": [EVIL, "paranoia-level-3"], "enabled": true,
                "ref": EVIL, "version": EVIL, "score_threshold": 40, "action_parameters": { "increment": 3, EVIL: EVIL } })
    };
    let mut whole = named.clone();
    whole["rules"] = json!([
        rule("a", "score"),
        rule(EVIL, EVIL),
        rule("6179ae15870a4bb7b2d480d4843b323c", "block")
    ]);
    responds(&workspace, &format!("/rulesets/{owasp}"), 200, success(&whole));
    for (arguments, format) in [
        (&["waf", "rules", "spec.yaml"][..], "text"),
        (&["waf", "rules", "spec.yaml", "--format", "json"], "json"),
        (&["waf", "rules", "--changes", "spec.yaml"], "text"),
        (&["waf", "rules", "--changes", "spec.yaml", "--format", "json"], "json"),
        (&["waf", "status", "example.com"], "text"),
        (&["waf", "rules", "spec.yaml", "--check"], "text"),
        (&["plan", "spec.yaml", "-v"], "text"),
        (&["plan", "spec.yaml", "--format", "markdown"], "markdown"),
        (&["plan", "spec.yaml", "--format", "html"], "html"),
        (&["plan", "spec.yaml", "--format", "github"], "github"),
        (&["waf", "rules", "--lock", "spec.yaml"], "text"),
    ] {
        let ran = workspace.run(arguments);
        assert!(matches!(ran.code, Some(0..=3)), "{arguments:?}: {ran:?}");
        is_harmless(&format!("{arguments:?}"), format, &ran);
    }
    let written = fs::read_to_string(workspace.path().join("waf.lock")).unwrap();
    super::shown::plain("waf.lock", &written);
    assert!(written != lock && workspace.writes().is_empty());
}

/// Coloured output contains the program's own colours, and nothing else that a terminal interprets.
#[test]
fn colours_are_ours() {
    let workspace = told(EVIL);
    for command in ["plan", "drift", "apply"] {
        let more: &[&str] = if command == "apply" { &["--yes"] } else { &["-v"] };
        let ran = workspace.run(&[&[command, "spec.yaml", "--color", "always"], more].concat());
        for shown in [&ran.stdout, &ran.stderr] {
            let mut parts = shown.split("\u{1b}[");
            let mut bare = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let (style, rest) =
                    part.split_once('m').unwrap_or_else(|| panic!("{command}: {part:?}"));
                assert!(
                    style.chars().all(|c| c.is_ascii_digit() || c == ';'),
                    "{command}: {style:?}"
                );
                bare.push_str(rest);
            }
            super::shown::plain(command, &bare);
        }
        assert!(ran.stdout.contains('\u{1b}'), "{command}: no colour at all");
    }
}
