//! `waf replay`: recorded requests under the live rules and under those after the plan.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::workspace::{Workspace, document_formats, options, options_on};

const SPEC: &str = "\
version: 1
zones:
  example.com:
    records:
      - { name: www, type: A, content: 192.0.2.1, proxied: true }
      - { name: mail, type: A, content: 192.0.2.2, proxied: false }
    waf:
      custom:
        - { name: no-wordpress, when: 'http.request.uri.path contains \"/wp-\"', action: block }
        - { name: bots, when: cf.bot_management.score lt 30, action: managed_challenge }
      rate_limits:
        - { name: login, when: 'http.request.uri.path eq \"/login\"', per: [ip], limit: 3 in 1m, then: block for 1m }
      owasp: { paranoia: 1, threshold: 10, action: block }
";

/// Rules of our own with numbers that Cloudflare's ruleset has.
const RULES: &str = "\
SecRule ARGS \"@contains attack\" \"id:942100,phase:2,block,t:none,setvar:'tx.anomaly_score_pl1=+5'\"
SecRule ARGS \"@contains bad\" \"id:942140,phase:2,block,t:none,setvar:'tx.anomaly_score_pl1=+5'\"
SecRule ARGS \"@contains odd\" \"id:942150,phase:2,block,t:none,setvar:'tx.anomaly_score_pl2=+5'\"
SecRule ARGS \"@rx ^(?=x)(?:(x+x+)+\\1)+y$\" \"id:942190,phase:2,block,t:none,setvar:'tx.anomaly_score_pl1=+5'\"
";

fn workspace() -> Workspace {
    let workspace = Workspace::new(options_on("enterprise"));
    workspace.file("spec.yaml", SPEC);
    workspace.file("crs/rules/REQUEST-942.conf", RULES);
    workspace.file("crs/crs-setup.conf", "SecAction \"id:900,phase:1,pass,nolog\"\n");
    workspace
}

/// Returns a request as a line, with a bot score, an address and a time in seconds.
fn line(id: &str, uri: &str, time: u32) -> String {
    let request = json!({
        "id": id, "method": "GET", "uri": uri, "time": time, "ip": "203.0.113.9",
        "headers": [["Host", "www.example.com"], ["User-Agent", "Browser"], ["Cookie", "session=hidden-cookie"], ["Authorization", "Bearer hidden-token"]],
        "fields": { "cf.bot_management.score": 99 },
    });
    format!("{request}\n")
}

const FLAGS: [&str; 6] = ["waf", "replay", "spec.yaml", "--crs", "crs", "--color=never"];

fn recording() -> String {
    let mut lines = line("r1", "/?q=fine", 1)
        + &line("r2", "/wp-login.php", 2)
        + &line("r3", "/?q=attack+bad", 3);
    for n in 0..5 {
        lines += &line(
            &format!("login{n}"),
            "/login?token=hidden-argument&to=hidden-person%40mail.example",
            10 + n,
        );
    }
    lines += &line("r4", "/?q=attack+odd", 30);
    // Without a bot score, without the other headers, and for hosts that meet no rule.
    lines += "{\"id\":\"r5\",\"method\":\"GET\",\"uri\":\"https://www.example.com/\"}\n";
    lines += "{\"id\":\"r6\",\"method\":\"GET\",\"uri\":\"https://mail.example.com/\"}\n";
    lines += "{\"id\":\"r7\",\"method\":\"GET\",\"uri\":\"https://www.example.org/\"}\n";
    lines
}

/// For a paused zone, Cloudflare answers with the values of the records.
#[test]
fn requests_of_a_paused_zone_meet_no_rule() {
    let workspace = Workspace::empty(options());
    let records = json!([{ "type": "A", "name": "www", "content": "192.0.2.1", "proxied": true }]);
    workspace
        .plant(&json!({ "zones": [{ "name": "example.com", "plan": "free", "paused": true, "records": records }] }));
    workspace.file(
        "spec.yaml",
        "version: 1\nzones:\n  example.com:\n    records:\n      - { name: www, type: A, content: 192.0.2.1, proxied: true }\n    waf:\n      \
         custom:\n        - { name: wp, when: 'http.request.uri.path contains \"/wp-\"', action: block }\n",
    );
    workspace.file("requests.jsonl", line("r1", "/wp-login.php", 1));
    let ran = workspace
        .run(&["waf", "replay", "spec.yaml", "--requests", "requests.jsonl", "--color=never"])
        .exits(0);
    assert!(!ran.stdout.contains("newly stopped: 1"), "{}", ran.stdout);
    assert!(ran.stdout.contains("DNS only"), "{}", ran.stdout);
}

#[test]
fn requests_are_followed_before_and_after_the_plan() {
    let workspace = workspace();
    let next = "{\"id\":\"r5\"";
    workspace.file(
        "requests.jsonl",
        recording().replace(next, &format!("{{\"method\": \"GET\"}}\n{next}")),
    );
    let refused = workspace.run(&[&FLAGS[..], &["--requests", "requests.jsonl"]].concat()).exits(1);
    assert!(
        refused
            .stderr
            .contains("requests.jsonl:10: it is not a request: missing field `uri`; to leave out")
            && refused.stdout.is_empty(),
        "{}",
        refused.stderr
    );
    let rehearse = [&FLAGS[..], &["--requests", "requests.jsonl", "--skip-unreadable"]].concat();
    let ran = workspace.run(&rehearse).exits(0);
    assert!(
        ran.stderr.contains("warning: requests.jsonl:10: it is not a request: missing field `uri`"),
        "{}",
        ran.stderr
    );
    insta::assert_snapshot!("waf_replay", ran.stdout);
    assert!(workspace.writes().is_empty());
    let json = workspace.run(&[&rehearse[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(json["zones"][0]["stopped"], 4);
    assert_eq!(json["sets"][0]["matrix"]["rows"][0], json!([0, 0, 0, 0, 1, 2]));
    assert_eq!(json["sets"][0]["matrix"]["rows"][1], json!([0, 0, 0, 0, 2, 2]));
    // Once it is applied, nothing changes; a looser spec lets requests through.
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "may-lock-out"]).exits(0);
    let ran = workspace.run(&rehearse).exits(0);
    assert!(
        ran.stdout.contains("No request has another outcome after the plan."),
        "{}",
        ran.stdout
    );
    workspace.file("spec.yaml", SPEC.replace("threshold: 10", "threshold: 25"));
    let json = workspace.run(&[&rehearse[..], &["--format", "json"]].concat()).exits(0).json();
    let change = &json["changes"][0];
    assert_eq!(
        (&change["change"], &change["requests"], &change["rule"]),
        (&json!("let_through"), &json!(1), &json!("owasp"))
    );
    assert_eq!(
        change["owasp_rules"],
        json!([{"name": "942100", "requests": 1}, {"name": "942140", "requests": 1}])
    );
    assert_eq!(json["zones"][0]["before"], json!({"level": 1, "threshold": 10}));
}

#[test]
fn nothing_secret_is_in_any_output() {
    let workspace = workspace();
    workspace.file("requests.jsonl", recording());
    for format in ["text", "json"].into_iter().chain(document_formats("waf replay")) {
        let more = ["--format", format, "--requests", "requests.jsonl"];
        let shown = workspace.run(&[&FLAGS[..], &more].concat()).exits(0).stdout;
        assert!(!shown.contains("hidden-"), "{format}: {shown}");
        assert!(shown.contains("login1") || shown.contains("login3"), "{format}: {shown}");
        assert!(!shown.contains("<script"), "{format}");
        let without =
            workspace.run(&[&FLAGS[..], &more, &["--no-samples"]].concat()).exits(0).stdout;
        assert!(!without.contains("login3") && !without.contains("r2"), "{format}: {without}");
        if format == "html" {
            // Well-formed, as the test of pages demands.
            roxmltree::Document::parse(shown.strip_prefix("<!DOCTYPE html>\n").unwrap()).unwrap();
        }
    }
}

#[test]
fn labelled_sets_have_matrices_of_their_own() {
    let workspace = workspace();
    workspace.file("benign.jsonl", line("b1", "/?q=fine", 1) + &line("b2", "/?q=odd", 2));
    workspace.file("attacks/one.jsonl", line("a1", "/?q=attack+bad", 1));
    let more = ["--benign", "benign.jsonl", "--attacks", "attacks"];
    let text = workspace.run(&[&FLAGS[..], &more].concat()).exits(0).stdout;
    assert!(
        text.contains("false positives: benign requests") && text.contains("detection: attacks"),
        "{text}"
    );
    assert!(text.contains(">1 100.0%"), "the planned setting is marked: {text}");
}

/// A rule that cannot be decided makes cells unknown if their threshold is between the score
/// without it and the score with it.
#[test]
fn rules_that_cannot_be_decided_are_counted() {
    let workspace = workspace();
    let long = "x".repeat(80);
    let lines =
        [format!("/?q={long}%21&r=attack"), format!("/?q={long}%21"), "/?q=attack+bad".to_owned()];
    workspace.file("requests.jsonl", lines.iter().map(|uri| line("a", uri, 1)).collect::<String>());
    let run = |more: &[&str]| {
        workspace.run(&[&FLAGS[..], &["--requests", "requests.jsonl"], more].concat()).exits(0)
    };
    let report = run(&["--format", "json"]).json();
    let matrix = &report["sets"][0]["matrix"];
    assert_eq!(matrix["rows"][0], json!([0, 0, 0, 0, 1, 2]), "{report}");
    assert_eq!(matrix["unknown"][0], json!([0, 0, 0, 0, 1, 1]), "{report}");
    assert_eq!(
        report["sets"][0]["after"],
        json!({"pass": 1, "block": 1, "challenge": 0, "unknown": 1}),
        "{report}"
    );
    let text = run(&[]).stdout;
    assert!(
        text.contains("1+1?") && text.contains("+n? up to n more requests may be acted on"),
        "{text}"
    );
    for format in document_formats("waf replay") {
        let shown = run(&["--format", format]).stdout;
        assert!(
            shown.contains("1+1?") && shown.contains("up to n more requests"),
            "{format}: {shown}"
        );
    }
}

/// A check that passes because its recording is empty, or from another site, would be misleading.
#[test]
fn a_recording_without_requests_is_an_error() {
    let workspace = workspace();
    workspace.file("empty.jsonl", "\n");
    workspace.file("empty.har", r#"{"log":{"entries":[]}}"#);
    workspace.file("full.jsonl", line("a", "/", 1));
    workspace
        .file("elsewhere.jsonl", line("a", "/", 1).replace("www.example.com", "www.example.org"));
    workspace
        .file("direct.jsonl", line("a", "/", 1).replace("www.example.com", "mail.example.com"));
    let none = "empty.jsonl has no requests: check how they were recorded";
    for (files, words) in [
        (&["--requests", "empty.jsonl"][..], none),
        (&["--requests", "empty.jsonl", "empty.har"], "empty.jsonl, empty.har have no requests"),
        (&["--benign", "full.jsonl", "--attacks", "empty.jsonl"], none),
        (
            &["--requests", "elsewhere.jsonl"],
            "none of the recorded requests is for a host of a zone in the spec",
        ),
    ] {
        let ran = workspace.run(&[&FLAGS[..], files].concat()).exits(1);
        assert!(ran.stderr.contains(words) && ran.stdout.is_empty(), "{files:?}: {}", ran.stderr);
    }
    workspace.run(&[&FLAGS[..], &["--requests", "direct.jsonl"]].concat()).exits(0);
    let ran =
        workspace.run(&["plan", "spec.yaml", "--crs", "crs", "--requests", "empty.jsonl"]).exits(1);
    assert!(ran.stderr.contains(none), "{}", ran.stderr);
}

#[test]
fn standard_input_is_one_of_the_files() {
    let workspace = workspace();
    workspace.file("a.jsonl", line("a", "/", 1));
    for arguments in [
        &["plan", "-", "--requests", "-"][..],
        &["apply", "-", "--requests", "a.jsonl", "-", "--yes"],
        &["waf", "replay", "-", "--requests", "-"],
        &["waf", "explain", "-", "--spec", "-"],
        &["waf", "explain", "-", "--attacks", "-"],
        &["waf", "tune", "--benign", "-", "--attacks", "-", "--spec", "spec.yaml"],
    ] {
        let ran = workspace.run(arguments).exits(64);
        assert!(
            ran.stderr.contains("standard input can be read once"),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

/// The entries of a list are unknown until its file is named.
#[test]
fn lists_come_from_files() {
    let workspace = workspace();
    let spec = SPEC.replace(
        "http.request.uri.path contains \"/wp-\"",
        "http.request.uri.path contains \"/wp-\" and ip.src in $office",
    );
    assert_ne!(spec, SPEC);
    let request = "GET https://www.example.com/wp-login.php";
    let expected = format!(
        "{spec}    expect:\n      - {{ request: \"{request}\", from: {{ ip: 203.0.113.9 }}, fields: {{ cf.bot_management.score: 99 }}, verdict: block }}\n"
    );
    workspace.file("spec.yaml", expected);
    workspace.file("office.csv", "# name, description\n203.0.113.0/24, the office\n");
    workspace.file("requests.jsonl", line("r2", "/wp-login.php", 2));
    let given = ["--list", "office=office.csv"];
    let trace = [
        "waf",
        "trace",
        request,
        "--spec",
        "spec.yaml",
        "--ip",
        "203.0.113.9",
        "--field",
        "cf.bot_management.score=99",
    ];
    for (arguments, unknown, known) in [
        (&trace[..], "the list $office", ": block"),
        (
            &[&FLAGS[..], &["--requests", "requests.jsonl"]].concat(),
            "the list $office",
            "planned  0 pass, 1 blocked",
        ),
        (&["test", "spec.yaml"], "the list $office", "1 passed, 0 failed, 0 unknown"),
        (
            &["plan", "spec.yaml", "--requests", "requests.jsonl"],
            "the list $office",
            "newly stopped: 1 request",
        ),
    ] {
        let without = workspace.run(arguments).exits(0).stdout;
        assert!(without.contains(unknown) && !without.contains(known), "{arguments:?}: {without}");
        let with = workspace.run(&[arguments, &given].concat()).exits(0).stdout;
        assert!(with.contains(known) && !with.contains(unknown), "{arguments:?}: {with}");
    }
    workspace.file("office.csv", "203.0.113.0/24\nnothing\n");
    let ran = workspace.run(&[&trace[..], &given].concat()).exits(1);
    assert!(ran.stderr.contains("office.csv:2: this is not an item of a list"), "{}", ran.stderr);
    workspace.run(&[&trace[..], &["--list", "office"]].concat()).exits(64);
}

#[test]
fn a_snapshot_takes_the_place_of_cloudflare() {
    let workspace = workspace();
    workspace.file("requests.jsonl", recording());
    workspace.run(&["snapshot", "spec.yaml", "--out", "live.snapshot"]).exits(0);
    let live =
        workspace.run(&[&FLAGS[..], &["--requests", "requests.jsonl"]].concat()).exits(0).stdout;
    let before = workspace.requests().len();
    let more = ["--against", "live.snapshot", "--requests", "requests.jsonl"];
    let from_snapshot = workspace.run(&[&FLAGS[..], &more].concat()).exits(0).stdout;
    assert_eq!(from_snapshot, live);
    assert_eq!(workspace.requests().len(), before);
}

#[test]
fn a_plan_says_what_it_does_to_requests() {
    let workspace = workspace();
    workspace.file("requests.jsonl", recording());
    let foreseen = ["--requests", "requests.jsonl", "--crs", "crs"];
    let plan = |more: &[&str]| {
        workspace.run(&[&["plan", "spec.yaml"], &foreseen[..], more].concat()).exits(0).stdout
    };
    let lines = [
        "10 recorded requests: 4 newly stopped, 0 newly let through",
        "newly stopped: 2 requests by login on /login",
        "1 unknown outcome depends on cf.bot_management.score",
    ];
    let text = plan(&["--color=never"]);
    for line in lines {
        assert!(text.contains(&format!("→ {line}\n")), "{line}: {text}");
    }
    assert!(plan(&["--format", "markdown"]).contains("recorded requests"));
    let ran = workspace
        .run(
            &[
                &["apply", "spec.yaml", "--dry-run", "--allow", "may-lock-out", "--color=never"],
                &foreseen[..],
            ]
            .concat(),
        )
        .exits(0);
    assert!(ran.stdout.contains(lines[0]), "{}", ran.stdout);
}

#[test]
fn expected_requests_are_judged_by_their_score_and_strictly() {
    let workspace = workspace();
    let expect = |request: &str, verdict: &str| {
        let entry = format!(
            "{{ request: \"GET https://www.example.com{request}\", fields: {{ cf.bot_management.score: 99 }}, verdict: {verdict} }}"
        );
        workspace.file("spec.yaml", format!("{SPEC}    expect:\n      - {entry}\n"));
    };
    expect("/?q=attack+bad", "block");
    let test = |more: &[&str]| workspace.run(&[&["test", "spec.yaml"], more].concat());
    let ran = test(&[]).exits(2);
    assert!(
        ran.stdout
            .contains("pass, but this was not evaluated: OWASP ruleset, whose public rules run"),
        "{}",
        ran.stdout
    );
    test(&["--crs", "crs"]).exits(0);
    let fails = |more: &[&str]| {
        let ran =
            workspace.run(&[&["plan", "spec.yaml", "--format", "json"], more].concat()).exits(0);
        ran.stdout.contains("fails-expectation")
    };
    assert!(fails(&[]) && !fails(&["--crs", "crs"]));
    expect("/?q=fine", "pass");
    test(&["--crs", "crs"]).exits(0);
    let ran = test(&["--crs", "crs", "--strict"]).exits(2);
    assert!(
        ran.stdout.contains("this was not evaluated: live rules that the spec does not name"),
        "{}",
        ran.stdout
    );
    assert!(fails(&["--strict"]) && !fails(&["--strict", "--crs", "crs"]));
    // In a strict test, an unknown result is a failure.
    workspace.file(
        "spec.yaml",
        format!("{SPEC}    expect:\n      - {{ request: \"GET https://www.example.com/\", verdict: not block }}\n"),
    );
    let ran = test(&["--crs", "crs"]).exits(0);
    assert!(ran.stdout.contains("it depends on cf.bot_management.score"), "{}", ran.stdout);
    test(&["--crs", "crs", "--strict"]).exits(2);
}

#[test]
fn broken_recordings_are_refused() {
    let workspace = workspace();
    workspace.file("broken.har", "{\"log\":{\"entries\":[{\"request\":");
    workspace.file("broken.jsonl", "{}\n{\n");
    workspace.file(
        "access.log",
        "192.0.2.1 - - [01/Jan/1970:00:00:04 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"-\"\n",
    );
    for (name, words) in [
        ("broken.har", "broken.har, entry 1: it ends too early"),
        ("broken.jsonl", "broken.jsonl:1: it is not a request: missing field `method`"),
        ("missing.jsonl", "missing.jsonl: cannot be read"),
        ("access.log", "access.log:1: it does not contain the host; name it with --host"),
    ] {
        let ran = workspace.run(&[&FLAGS[..], &["--requests", name]].concat()).exits(1);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
        assert!(ran.stdout.is_empty());
    }
    workspace
        .run(&[&FLAGS[..], &["--host", "www.example.com", "--requests", "access.log"]].concat())
        .exits(0);
    workspace.run(&["waf", "replay", "spec.yaml"]).exits(64);
}

/// Returns the most memory that a process has had, in KiB.
fn most_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[test]
fn memory_does_not_grow_with_the_number_of_requests() {
    if !std::path::Path::new("/proc/self/status").exists() {
        eprintln!("SKIPPED: there is no /proc to read memory from");
        return;
    }
    let workspace = workspace();
    workspace.file("empty.yaml", "version: 1\nzones: { example.com: { waf: { custom: [] } } }\n");
    let arguments =
        ["waf", "replay", "empty.yaml", "--crs", "crs", "--format", "json", "--requests", "-"];
    let mut child = workspace
        .command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // Each request has a path of its own. A pipe holds far less than a round, so the rounds before
    // it have been read.
    let most: u64 =
        std::env::var("ZONEWRIGHT_RECORDED").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let mut used = Vec::new();
    for round in 0..most {
        let mut lines = String::new();
        for n in 0..4_000 {
            // Not of the letter that the expression with a look-ahead runs long on.
            let filler = "z".repeat(100);
            writeln!(
                lines,
                "{{\"method\":\"GET\",\"uri\":\"https://www.example.com/{round}/{n}?q={filler}\"}}"
            )
            .unwrap();
        }
        input.write_all(lines.as_bytes()).unwrap();
        used.push(most_memory(child.id()).unwrap());
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["sets"][0]["requests"], most * 4_000);
    let (first, last) = (used[1], *used.last().unwrap());
    assert!(last < first + 16 * 1024, "KiB after each round: {used:?}");
}
