//! `zonewright waf explain` and `waf tune`: each proposed edit is valid, and changes the verdict of
//! the request.

use serde_json::{Value, json};

use crate::support::journals::newest;
use crate::support::workspace::{Ran, Workspace, options_on};

/// A small rule set of our own, with numbers and levels that Cloudflare's ruleset has as well.
const RULES: &str = "\
SecRule ARGS \"@contains select\" \"id:942100,phase:2,block,t:none,t:lowercase,msg:'a word of SQL',setvar:'tx.anomaly_score_pl1=+%{tx.critical}'\"
SecRule ARGS \"@rx or\\s+1\" \"id:942180,phase:2,block,t:none,t:lowercase,msg:'always true',setvar:'tx.anomaly_score_pl2=+%{tx.critical}'\"
SecRule ARGS \"@contains ;\" \"id:942430,phase:2,block,t:none,msg:'many signs',setvar:'tx.anomaly_score_pl2=+3'\"
SecRule REQUEST_COOKIES|REQUEST_HEADERS:Authorization \"@contains hush\" \"id:941100,phase:1,block,t:none,msg:'in a header',setvar:'tx.anomaly_score_pl1=+%{tx.critical}'\"
SecRule ARGS \"@contains <script\" \"id:941110,phase:2,block,t:none,msg:'a tag',setvar:'tx.anomaly_score_pl1=+%{tx.critical}'\"
SecRule ARGS \"@rx ^(?=x)(?:(x+x+)+\\1)+y$\" \"id:942190,phase:2,block,setvar:'tx.anomaly_score_pl1=+5'\"
";

const SPEC: &str = "\
version: 1
zones:
  example.com:
    records:
      - { name: www, type: A, content: 192.0.2.1, proxied: true }
    waf:
      owasp:
        paranoia: 2
        threshold: 10
        action: managed_challenge
";

const REQUEST: &str =
    "curl 'https://www.example.com/shop/search?q=SELECT%20x%20or%201%3B' -A browser";

/// Creates a workspace with the rules, the spec, and a zone on a plan that has the ruleset.
fn workspace() -> Workspace {
    workspace_on("business")
}

/// The same on another plan.
fn workspace_on(tier: &str) -> Workspace {
    let workspace = Workspace::new(options_on(tier));
    workspace.file(
        "crs/crs-setup.conf",
        "SecAction \"id:900,phase:1,pass,nolog,setvar:tx.critical=5\"\n",
    );
    workspace.file("crs/rules/REQUEST-942.conf", RULES);
    workspace.file("spec.yaml", SPEC);
    workspace
}

fn explain(workspace: &Workspace, arguments: &[&str]) -> Ran {
    workspace.run(&[&["waf", "explain", "--crs", "crs"], arguments].concat())
}

fn of_spec(workspace: &Workspace, request: &str, specs: &[&str]) -> Value {
    let specs: Vec<&str> = specs.iter().flat_map(|spec| ["--spec", *spec]).collect();
    explain(
        workspace,
        &[&[request, "--format", "json", "--today", "2026-11-23"], &specs[..]].concat(),
    )
    .exits(0)
    .json()
}

#[test]
fn each_way_out_is_an_edit_that_lets_the_request_pass() {
    let workspace = workspace();
    let before = of_spec(&workspace, REQUEST, &["spec.yaml"]);
    assert_eq!(before["verdict"], "challenge");
    assert_eq!(
        (&before["score"], &before["threshold"], &before["level"]),
        (&json!(13), &json!(10), &json!(2))
    );
    let kinds: Vec<_> = before["ways"]
        .as_array()
        .unwrap()
        .iter()
        .map(|way| (&way["kind"], &way["scope"]))
        .collect();
    assert_eq!(
        kinds[..2],
        [(&json!("exception"), &json!("path")), (&json!("exception"), &json!("host"))]
    );
    assert_eq!(kinds.len(), 5, "{kinds:?}");
    for way in before["ways"].as_array().unwrap() {
        let edit = way["edit"].as_str().unwrap();
        let (spec, note) = match way["kind"].as_str().unwrap() {
            // A file of its own beside the spec.
            "exception" | "disable" => {
                (SPEC.to_owned(), "reason: false positive on GET /shop/search")
            }
            // A value takes the place of the one that is there.
            "paranoia" => (SPEC.replace("paranoia: 2", "paranoia: 1"), "paranoia: 1"),
            _ => (SPEC.replace("threshold: 10", "threshold: 14"), "threshold: 14"),
        };
        assert!(edit.contains(note) && edit.contains("2026-12-23"), "{edit}");
        let is_replaced = spec != SPEC;
        assert_eq!(is_replaced, edit.contains("accept_weakening: "), "{edit}");
        workspace.file("spec2.yaml", spec);
        workspace.file(
            "edit.yaml",
            if is_replaced { "version: 1\nzones: { example.com: {} }\n" } else { edit },
        );
        workspace.run(&["validate", "spec2.yaml", "edit.yaml", "--today", "2026-11-23"]).exits(0);
        let after = of_spec(&workspace, REQUEST, &["spec2.yaml", "edit.yaml"]);
        assert_eq!(
            (&after["verdict"], &after["score"]),
            (&json!("pass"), &way["score"]),
            "{way}\n{after}"
        );
        let traced = workspace.run(&[
            "waf",
            "trace",
            REQUEST,
            "--spec",
            "spec2.yaml",
            "--spec",
            "edit.yaml",
            "--crs",
            "crs",
        ]);
        let traced = traced.exits(0).stdout;
        assert!(traced.contains("example.com (spec): pass"), "{traced}");
    }
}

/// A verdict on a request of a live zone says that the rules of the account are not in it, where
/// Cloudflare applies them.
#[test]
fn rules_of_the_account_are_no_part_of_a_verdict() {
    for (tier, is_said) in [("enterprise", true), ("business", false)] {
        let workspace = workspace_on(tier);
        let dump = workspace.dump();
        let account = dump["zones"][0]["account"]["id"].as_str().expect("an account").to_owned();
        let rule = json!({ "ref": "all", "action": "execute", "expression": "cf.zone.plan eq \"ENT\"",
            "action_parameters": { "id": "4814384a9e5d4991b9815dcfc25d2f1f" } });
        let phase = "http_request_firewall_managed";
        let path = format!("/accounts/{account}/rulesets/phases/{phase}/entrypoint");
        workspace.write("PUT", &path, &json!({ "rules": [rule] }));
        for command in ["trace", "explain"] {
            let live = [REQUEST, "--live", "example.com", "--crs", "crs"];
            let ran = workspace.run(&[&["waf", command], &live[..]].concat()).exits(0);
            assert_eq!(
                ran.stdout.contains("rules of the account"),
                is_said,
                "{tier} {command}: {ran:?}"
            );
        }
    }
}

#[test]
fn the_first_edit_is_applied_and_undone() {
    let workspace = workspace();
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "may-lock-out"]).exits(0);
    let live = || {
        explain(&workspace, &[REQUEST, "--live", "example.com", "--format", "json"]).exits(0).json()
    };
    let before = live();
    assert_eq!(
        (&before["verdict"], &before["score"]),
        (&json!("challenge"), &json!(13)),
        "{before}"
    );
    workspace.file("edit.yaml", before["ways"][0]["edit"].as_str().unwrap());
    // The exception is narrow, so it needs no consent.
    workspace.run(&["apply", "spec.yaml", "edit.yaml", "--yes"]).exits(0);
    let after = live();
    assert_eq!((&after["verdict"], &after["score"]), (&json!("pass"), &json!(8)), "{after}");
    assert_eq!(
        after["hits"].as_array().unwrap().iter().filter(|hit| hit["counts"] == false).count(),
        1
    );
    let journal = newest(&workspace);
    workspace.run(&["undo", &journal, "--yes", "--allow-deletes", "1"]).exits(0);
    assert_eq!(live()["verdict"], "challenge");
}

#[test]
fn a_person_sees_what_matched_where_and_what_crosses_the_threshold() {
    let workspace = workspace();
    let text = explain(&workspace, &[REQUEST, "--spec", "spec.yaml", "--today", "2026-11-23"])
        .exits(0)
        .stdout;
    for line in [
        "example.com (spec): challenge by owasp; score 13 ≥ threshold 10, level 2, action managed_challenge\n",
        "  942100  1      +5    5    a word of SQL\n          argument `q`, bytes 1-6 of 14: select\n",
        "  942180  2      +5    10   always true  ← reaches 10\n          argument `q`, bytes 10-13 of 14: or 1\n",
        "  942430  2      +3    13   many signs\n",
        "  1. exception for 942",
        "Two edits are not listed, `action: log` and a `when`",
        "        exceptions:\n",
        "zonewright undo JOURNAL",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(text.lines().count() <= 50, "it is one screen:\n{text}");
    let second =
        explain(&workspace, &[REQUEST, "--spec", "spec.yaml", "--way", "2"]).exits(0).stdout;
    assert!(
        second.contains("Edit 2") && second.contains("when: http.host eq \"www.example.com\"\n"),
        "{second}"
    );
    for way in ["0", "99"] {
        let none = explain(&workspace, &[REQUEST, "--spec", "spec.yaml", "--way", way]).exits(64);
        assert!(
            none.stderr
                .contains(&format!("--way {way} is not in the list of ways: a number from 1 to ")),
            "{}",
            none.stderr
        );
        assert!(none.stdout.is_empty(), "{}", none.stdout);
    }
}

#[test]
fn a_rule_about_what_is_missing_says_how_many_there_are() {
    let workspace = workspace();
    let rule = "SecRule &REQUEST_HEADERS:X-Sent-By \"@eq 0\" \"id:920300,phase:1,block,t:none,msg:'a header is missing',\
        setvar:'tx.anomaly_score_pl2=+2'\"\n";
    workspace.file("crs/rules/REQUEST-920.conf", rule);
    let text = explain(&workspace, &[REQUEST, "--spec", "spec.yaml"]).exits(0).stdout;
    assert!(
        text.contains("a header is missing\n          header `x-sent-by`, number of them: 0\n"),
        "{text}"
    );
}

#[test]
fn secrets_of_the_request_are_never_shown() {
    let workspace = workspace();
    let request = "curl 'https://www.example.com/a?q=select' -b 'session=hush-c00kie' -u 'user:hush-pass' -H 'Authorization: hush-t0ken'";
    for more in [&["--format", "json"][..], &[], &["--redact"], &["--redact", "--format", "json"]] {
        let ran = explain(&workspace, &[&[request, "--spec", "spec.yaml"], more].concat()).exits(0);
        for secret in ["c00kie", "t0ken", "hush"] {
            assert!(
                !ran.stdout.contains(secret) && !ran.stderr.contains(secret),
                "{secret} {more:?}: {}",
                ran.stdout
            );
        }
        assert!(ran.stdout.contains("941100"), "{}", ran.stdout);
        assert_eq!(
            ran.stdout.contains("select"),
            !more.contains(&"--redact"),
            "{more:?}: {}",
            ran.stdout
        );
    }
}

#[test]
fn requests_come_in_every_form() {
    let workspace = workspace();
    workspace.file(
        "raw.http",
        "GET /shop/search?q=SELECT%20x%20or%201%3B HTTP/1.1\r\nHost: www.example.com\r\n\r\n",
    );
    let entry = |query: &str| {
        json!({"request": {"method": "GET", "url": format!("https://www.example.com/shop/search?q={query}"),
            "httpVersion": "HTTP/2", "headers": [{"name": "user-agent", "value": "browser"}], "cookies": [], "queryString": [],
            "headersSize": -1, "bodySize": 0}})
    };
    let har = json!({"log": {"version": "1.2", "creator": {"name": "t", "version": "1"},
        "entries": [entry("fine"), entry("SELECT%20x%20or%201%3B"), entry("fine")]}});
    workspace.file("session.har", har.to_string());
    workspace.file("empty.har", "{\"log\":{\"entries\":[]}}");
    workspace.file("hostless.http", "GET /shop/search?q=SELECT%20x%20or%201%3B HTTP/1.0\n\n");
    let named =
        ["hostless.http", "--host", "www.example.com", "--spec", "spec.yaml", "--format", "json"];
    assert_eq!(explain(&workspace, &named).exits(0).json()["score"], json!(13));
    for arguments in [&["raw.http"][..], &["session.har", "--entry", "2"]] {
        let ran = explain(
            &workspace,
            &[arguments, &["--spec", "spec.yaml", "--format", "json"]].concat(),
        )
        .exits(0)
        .json();
        assert_eq!(
            (&ran["verdict"], &ran["score"]),
            (&json!("challenge"), &json!(13)),
            "{arguments:?}"
        );
    }
    // Numbers as a person pastes them, with the request that the event names.
    let pasted = [
        "942100, 942180 942430",
        "GET https://www.example.com/shop/search",
        "--spec",
        "spec.yaml",
        "--format",
        "json",
    ];
    let ran = explain(&workspace, &pasted).exits(0).json();
    assert_eq!(
        (&ran["verdict"], &ran["score"], ran["ways"].as_array().unwrap().len()),
        (&json!("challenge"), &json!(13), 5)
    );
    // Lines as the dashboard shows them, among them the rule that compares the score.
    let lines =
        "942100: a word of SQL\n949110: Inbound Anomaly Score Exceeded\n\n942180 always true\n";
    let ran =
        explain(&workspace, &[lines, "--spec", "spec.yaml", "--format", "json"]).exits(0).json();
    let rules: Vec<_> = ran["hits"].as_array().unwrap().iter().map(|hit| &hit["rule"]).collect();
    assert_eq!(rules, [&json!(942_100), &json!(942_180)]);
    // Without settings, the output has scores but no ways to let the request through.
    let ran = explain(&workspace, &[REQUEST, "--format", "json"]).exits(0).json();
    assert_eq!(
        (&ran["verdict"], &ran["scores"]["1"], &ran["scores"]["2"]),
        (&Value::Null, &json!(5), &json!(13))
    );
    for (arguments, code, message) in [
        (
            &["942101", "--spec", "spec.yaml"][..],
            1,
            "rule 942101 adds nothing to the score in these rules",
        ),
        (&["none.har", "--spec", "spec.yaml"], 1, "none.har: cannot be read"),
        (&["empty.har", "--spec", "spec.yaml"], 1, "empty.har has no request"),
        (&["-", "--spec", "spec.yaml"], 1, "standard input has no request"),
        (&["949110", "--spec", "spec.yaml"], 1, "rule 949110 adds nothing to the score"),
        (&["hostless.http", "--spec", "spec.yaml"], 1, "name it with --host"),
        (
            &["session.har", "--entry", "2", "--spec", "spec.yaml", "--live", "example.com"],
            64,
            "--spec and --live exclude",
        ),
        (&["session.har", "--spec", "spec.yaml"], 64, "name one with --entry"),
        (&["session.har", "--entry", "4", "--spec", "spec.yaml"], 64, "has no entry 4"),
        (
            &["GET https://a.example/", "GET https://b.example/", "--spec", "spec.yaml"],
            64,
            "one request too many",
        ),
        (
            &["GET https://a.example/", "--spec", "spec.yaml"],
            1,
            "no zone of the spec has the host a.example",
        ),
        (&["curl -d @x https://www.example.com/"], 64, "reads a file"),
        (
            &["curl 'https://www.example.com/: #x'"],
            64,
            "the address has the character U+0020: write it with percent signs",
        ),
    ] {
        let ran = explain(&workspace, arguments).exits(code);
        assert!(
            ran.stderr.contains(message) && ran.stdout.is_empty(),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_pattern_that_explodes_makes_the_verdict_unknown() {
    let workspace = workspace();
    let long = "x".repeat(80);
    let request = format!("curl 'https://www.example.com/a?q={long}%21&r=select' -A browser");
    let ran = of_spec(&workspace, &request, &["spec.yaml"]);
    assert_eq!((&ran["verdict"], &ran["undecided"]), (&json!("unknown"), &json!([942190])));
    assert_eq!(
        ran["depends_on"][0],
        "rule 942190, whose pattern takes too many steps on this request"
    );
    // It has no influence if the score reaches the threshold without it, or not even with it.
    let request = format!("curl 'https://www.example.com/a?q={long}%21' -A browser");
    assert_eq!(of_spec(&workspace, &request, &["spec.yaml"])["verdict"], "pass");
}

/// Returns a request as a line.
fn line(path: &str, query: &str) -> String {
    let headers = json!([["Host", "www.example.com"], ["User-Agent", "browser"]]);
    format!(
        "{}\n",
        json!({"method": "GET", "uri": format!("{path}?q={query}"), "headers": headers})
    )
}

#[test]
fn a_setting_is_found_and_judged_on_what_it_did_not_see() {
    let workspace = workspace();
    let benign: Vec<String> = (0..20).map(|n| line("/forum", &format!("select%20{n}"))).collect();
    let calm: Vec<String> = (0..20).map(|n| line("/news", &format!("page{n}"))).collect();
    let attacks: Vec<String> =
        (0..20).map(|n| line("/shop", &format!("select%20or%201%20{n}"))).collect();
    workspace.file("benign.jsonl", [benign.concat(), calm.concat()].concat());
    workspace.file("attacks.jsonl", attacks.concat());
    let tune = |more: &[&str]| {
        workspace.run(
            &[
                &["waf", "tune", "--crs", "crs", "--spec", "spec.yaml", "--today", "2026-11-23"],
                more,
            ]
            .concat(),
        )
    };
    let files = ["--benign", "benign.jsonl", "--attacks", "attacks.jsonl", "--format", "json"];
    let found = tune(&files).exits(0).json();
    // Attacks score 10, benign requests 5: a threshold between them needs no exception, and the
    // highest leaves the widest margin.
    assert_eq!(found["proposed"], json!({"paranoia": 2, "threshold": 10}), "{found}");
    assert_eq!(found["entries"], json!([]));
    let of = |half: &str, kind: &str| found[half][kind]["then"].clone();
    assert_eq!(
        (of("unseen", "benign"), of("unseen", "attacks")),
        (json!(0), found["unseen"]["attacks"]["all"].clone())
    );
    let all = found["seen"]["benign"]["all"].as_u64().unwrap()
        + found["unseen"]["benign"]["all"].as_u64().unwrap();
    assert!(all == 40 && found["unseen"]["attacks"]["all"].as_u64().unwrap() > 0, "{found}");
    // The order of the requests has no influence.
    workspace.file(
        "benign.jsonl",
        [calm.into_iter().rev().collect::<String>(), benign.into_iter().rev().collect()].concat(),
    );
    workspace.file("attacks.jsonl", attacks.into_iter().rev().collect::<String>());
    assert_eq!(tune(&files).exits(0).json(), found);
    // Without attacks, a floor is needed; at level 1 and threshold 5 one rule must not count on one
    // path.
    let refused = tune(&["--benign", "benign.jsonl"]).exits(64);
    assert!(
        refused.stderr.contains("--min-level LEVEL and --max-threshold SCORE"),
        "{}",
        refused.stderr
    );
    let floor = [
        "--benign",
        "benign.jsonl",
        "--min-level",
        "1",
        "--max-threshold",
        "5",
        "--format",
        "json",
    ];
    let found = tune(&floor).exits(0).json();
    assert_eq!(found["proposed"], json!({"paranoia": 1, "threshold": 5}));
    let entry = &found["entries"][0];
    assert_eq!((&entry["rules"], &entry["path"]), (&json!([942100]), &json!("/forum")), "{found}");
    assert_eq!((found["entries"].as_array().unwrap().len(), of_then(&found)), (1, json!(0)));
    let edit = found["edit"].as_str().unwrap();
    assert!(
        edit.contains("expires: 2027-02-21")
            && edit.contains("reason: false positives on benign requests"),
        "{edit}"
    );
    let record =
        "    records:\n      - { name: www, type: A, content: 192.0.2.1, proxied: true }\n";
    workspace
        .file("tuned.yaml", edit.replace("  example.com:\n", &format!("  example.com:\n{record}")));
    workspace.run(&["validate", "tuned.yaml", "--today", "2026-11-23"]).exits(0);
    let trace = [
        "waf",
        "trace",
        "curl 'https://www.example.com/forum?q=select' -A b",
        "--spec",
        "tuned.yaml",
        "--crs",
        "crs",
    ];
    let traced = workspace.run(&trace).exits(0).stdout;
    assert!(traced.contains("example.com (spec): pass"), "{traced}");
    // Nothing may be proposed: no setting is left.
    let none = tune(&[&floor[..], &["--max-exceptions", "0"]].concat()).exits(1);
    assert!(none.stderr.contains("raise --max-exceptions"), "{}", none.stderr);
    let text = tune(&floor[..6]).exits(0).stdout;
    assert!(text.contains("exception for 942100 on www.example.com/forum: spares"), "{text}");
}

fn of_then(found: &Value) -> Value {
    found["unseen"]["benign"]["then"].clone()
}

/// A benign request is spared, and an attack is stopped, whether or not a rule matches that cannot
/// be decided.
#[test]
fn a_setting_holds_for_rules_that_cannot_be_decided() {
    let workspace = workspace();
    let long = "x".repeat(80);
    let benign: Vec<String> =
        (0..12).map(|n| line(&format!("/a{n}"), &format!("{long}%21"))).collect();
    let attacks: Vec<String> =
        (0..12).map(|n| line(&format!("/a{n}"), &format!("{long}%21%26select{n}"))).collect();
    workspace.file("benign.jsonl", benign.concat());
    workspace.file("attacks.jsonl", attacks.concat());
    let files = [
        "--benign",
        "benign.jsonl",
        "--attacks",
        "attacks.jsonl",
        "--spec",
        "spec.yaml",
        "--format",
        "json",
    ];
    let found =
        workspace.run(&[&["waf", "tune", "--crs", "crs"], &files[..]].concat()).exits(0).json();
    assert_eq!(found["undecided"], 24, "{found}");
    // Benign requests may score 5, so the rule must not count for them; attacks score 5 without it.
    assert_eq!(found["proposed"], json!({"paranoia": 1, "threshold": 5}), "{found}");
    let entries = found["entries"].as_array().unwrap();
    assert_eq!(
        (entries.len(), &entries[0]["rules"], &entries[0]["path"]),
        (1, &json!([942190]), &Value::Null),
        "{found}"
    );
    assert_eq!(
        (of_then(&found), &found["seen"]["attacks"]["then"]),
        (json!(0), &found["seen"]["attacks"]["all"])
    );
}

/// Each proposal is a part of a spec that can be planned unchanged, without another consent.
#[test]
fn proposals_can_be_planned_as_they_are() {
    let workspace = workspace();
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "may-lock-out"]).exits(0);
    let benign: Vec<String> =
        (0..20).map(|n| line("/forum", &format!("select%20or%201{n}"))).collect();
    workspace.file("benign.jsonl", benign.concat());
    let records = SPEC.split("    waf:").next().unwrap();
    let planned = |edit: &str, what: &str| {
        let waf = edit.split_once("    waf:").expect("it has a section").1;
        workspace.file("pasted.yaml", format!("{records}    waf:{waf}"));
        let plan = workspace
            .run(&["plan", "pasted.yaml", "--format", "json", "--today", "2026-11-23"])
            .exits(0)
            .json();
        assert_eq!(plan["verdict"], "ready", "{what}: {edit}\n{plan}");
    };
    let spread: Vec<String> = (0..20).map(|n| line(&format!("/p{n}"), "select%20or%201")).collect();
    workspace.file("spread.jsonl", spread.concat());
    for (benign, level, threshold, exceptions) in [
        ("benign.jsonl", "1", "10", "5"),
        ("benign.jsonl", "1", "60", "0"),
        ("benign.jsonl", "2", "40", "0"),
        ("benign.jsonl", "2", "10", "5"),
        ("spread.jsonl", "2", "10", "1"),
    ] {
        let floor =
            ["--min-level", level, "--max-threshold", threshold, "--max-exceptions", exceptions];
        let files = [
            "--benign",
            benign,
            "--spec",
            "spec.yaml",
            "--today",
            "2026-11-23",
            "--format",
            "json",
        ];
        let tune = workspace
            .run(&[&["waf", "tune", "--crs", "crs"], &floor[..], &files[..]].concat())
            .exits(0)
            .json();
        planned(
            tune["edit"].as_str().unwrap(),
            &format!("{benign}, level {level}, threshold {threshold}"),
        );
    }
    // A wide exception and a disabled rule are asked for by name.
    for way in of_spec(&workspace, REQUEST, &["spec.yaml"])["ways"].as_array().unwrap() {
        let is_narrow =
            way["scope"] == "path" || way["kind"] == "paranoia" || way["kind"] == "threshold";
        if is_narrow {
            planned(way["edit"].as_str().unwrap(), &way["kind"].to_string());
        }
    }
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let workspace = workspace();
    workspace.file("benign.jsonl", line("/forum", "fine"));
    workspace.file("broken.jsonl", "{\"method\": \"GET\"\n{\n");
    workspace.file(
        "elsewhere.jsonl",
        line("/forum", "fine").replace("www.example.com", "www.example.net"),
    );
    workspace.file("none.yaml", "version: 1\nzones: { example.com: { records: [] } }\n");
    workspace.file("empty.jsonl", "");
    let floor = ["--min-level", "1", "--max-threshold", "25"];
    for (arguments, code, message) in [
        (&["--benign", "broken.jsonl", "--spec", "spec.yaml"][..], 1, "broken.jsonl:1"),
        (&["--benign", "empty.jsonl", "--spec", "spec.yaml"], 1, "empty.jsonl has no requests"),
        (&["--benign", "absent.jsonl", "--spec", "spec.yaml"], 1, "absent.jsonl"),
        (
            &["--benign", "elsewhere.jsonl", "--spec", "spec.yaml"],
            1,
            "has no request to a host of example.com",
        ),
        (&["--benign", "benign.jsonl", "--spec", "none.yaml"], 1, "has no OWASP deployment"),
        (&["--benign", "benign.jsonl"], 64, "no SPEC is given"),
    ] {
        let ran = workspace
            .run(&[&["waf", "tune", "--crs", "crs"], arguments, &floor[..]].concat())
            .exits(code);
        assert!(
            ran.stderr.contains(message) && ran.stdout.is_empty(),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    let both = [
        "waf",
        "tune",
        "--crs",
        "crs",
        "--benign",
        "benign.jsonl",
        "--attacks",
        "benign.jsonl",
        "--spec",
        "spec.yaml",
    ];
    workspace.run(&[&both[..], &["--max-threshold", "4"]].concat()).exits(64);
    workspace.run(&[&both[..], &["--min-level", "5"]].concat()).exits(64);
}

/// A forum whose replies hit different rules on different paths, and a recording that nobody has
/// sorted: it has the request of a scanner.
#[test]
fn exceptions_for_paths_with_numbers_are_one_exception() {
    let workspace = workspace();
    let texts = ["select", "or%201", "select%20or%201%3B", "%3Cscript", "%3Cscript%20select"];
    let reply = |n: usize| line(&format!("/t/{n}/reply"), &format!("{}{n}", texts[n % 5]));
    let calm = |n: usize| line(&format!("/news/{n}"), "fine");
    let benign: String = (0..60).map(reply).chain((0..240).map(calm)).collect();
    let scanner = line("/.env", "select%20or%201%3B%3Cscript");
    workspace.file("benign.jsonl", [benign.clone(), scanner].concat());
    workspace.file("clean.jsonl", benign);
    let attack =
        |n: usize| line(&format!("/news/{n}"), ["select", "%3Cscript", "select%20or%201"][n % 3]);
    workspace.file("attacks.jsonl", (0..90).map(attack).collect::<String>());
    let tune = |benign: &str, more: &[&str]| {
        let files = [
            "--benign",
            benign,
            "--attacks",
            "attacks.jsonl",
            "--spec",
            "spec.yaml",
            "--crs",
            "crs",
        ];
        workspace.run(&[&["waf", "tune", "--today", "2026-11-23"], &files[..], more].concat())
    };
    let found = tune("clean.jsonl", &["--format", "json"]).exits(0).json();
    let entries = found["entries"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["path_prefix"]), (1, &json!("/t/")), "{found}");
    let [seen, unseen] = ["seen", "unseen"].map(|half| found[half].clone());
    for half in [&seen, &unseen] {
        assert_eq!(half["benign"]["then"], 0, "{found}");
        assert_eq!(half["attacks"]["then"], half["attacks"]["all"], "{found}");
    }
    // No row of the table is better than another one in all respects.
    let rows = found["rows"].as_array().unwrap();
    let is_as_good = |one: &Value, other: &Value| {
        let of = |row: &Value, at: &str| row.pointer(at).and_then(Value::as_u64).unwrap();
        of(one, "/seen/attacks/then") >= of(other, "/seen/attacks/then")
            && ["/seen/benign/then", "/exempt"].iter().all(|at| of(one, at) <= of(other, at))
    };
    for (at, row) in rows.iter().enumerate() {
        let others = rows.iter().enumerate().filter(|(other, _)| *other != at);
        for (_, other) in others {
            assert!(!is_as_good(other, row), "{row}\n{other}");
        }
    }
    // A share that is tolerated leaves the scanner acted on, wherever it falls.
    let tolerant = tune("benign.jsonl", &["--tolerate", "1%", "--format", "json"]).exits(0).json();
    assert_eq!(tolerant["entries"].as_array().unwrap().len(), 1, "{tolerant}");
    let acted_on = tolerant["acted_on"].as_array().unwrap();
    assert!(acted_on.iter().all(|request| request["path"] == "/.env"), "{tolerant}");
    assert_eq!(tolerant["edit"], found["edit"]);
    // The edit of each row can be planned.
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "may-lock-out"]).exits(0);
    let records = SPEC.split("    waf:").next().unwrap();
    for (at, row) in rows.iter().enumerate() {
        let edit = row["edit"].as_str().unwrap();
        let waf = edit.split_once("    waf:").unwrap().1;
        workspace.file("pasted.yaml", format!("{records}    waf:{waf}"));
        workspace.run(&["validate", "pasted.yaml", "--today", "2026-11-23"]).exits(0);
        let number = (at + 1).to_string();
        let chosen = tune("clean.jsonl", &["--row", &number, "--format", "json"]).exits(0).json();
        assert_eq!((&chosen["edit"], &chosen["row"]), (&row["edit"], &json!(at + 1)));
    }
    let refused = tune("clean.jsonl", &["--row", "99"]).exits(1);
    assert!(refused.stderr.contains("--row is at most"), "{}", refused.stderr);
    for share in ["1", "101%", "-1%", "x%", "NaN%"] {
        let refused = tune("clean.jsonl", &[&format!("--tolerate={share}")]).exits(64);
        assert!(refused.stderr.contains("such as 0.5%"), "{share}: {}", refused.stderr);
    }
}

/// An exception for every path of a host is announced: the requests that need it may be attacks.
#[test]
fn a_wide_exception_is_named_as_one() {
    let workspace = workspace();
    let probes: String = (0..30).map(|n| line(&format!("/p{n}"), "select")).collect();
    workspace.file("benign.jsonl", probes);
    let floor = ["--min-level", "1", "--max-threshold", "5", "--max-exceptions", "2"];
    let files = ["--benign", "benign.jsonl", "--spec", "spec.yaml", "--crs", "crs"];
    let text = workspace.run(&[&["waf", "tune"], &files[..], &floor].concat()).exits(0).stdout;
    assert!(text.contains("exception for 942100 on www.example.com: spares"), "{text}");
    assert!(text.contains("warning: this concerns every path of www.example.com"), "{text}");
}
