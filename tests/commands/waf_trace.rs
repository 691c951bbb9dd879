//! `waf trace`: the rules that apply to a request under a spec, and the verdict.

use crate::support::workspace::{Ran, Workspace, binary, options};

const SPEC: &str = "\
version: 1
zones:
  example.com:
    records:
      - { name: www, type: A, content: 192.0.2.1, proxied: true }
      - { name: mail, type: A, content: 192.0.2.2 }
    waf:
      custom:
        - { name: office, when: 'ip.src in {192.0.2.0/24}', action: skip, skip: everything, reason: the office }
        - { name: no-wordpress, when: 'http.request.uri.path contains \"/wp-\"', action: block }
        - { name: bots, when: cf.bot_management.score lt 30, action: managed_challenge }
      rate_limits:
        - name: login
          when: http.request.uri.path eq \"/login\"
          per: [ip]
          limit: 5 in 1m
          then: block for 10m
";

fn workspace() -> Workspace {
    let workspace = Workspace::new(options());
    workspace.file("spec.yaml", SPEC);
    workspace
}

/// Returns the standard output of a trace, without its first line.
fn trace(request: &str, more: &[&str]) -> String {
    let workspace = workspace();
    let ran =
        workspace.run(&[&["waf", "trace", request, "--spec", "spec.yaml"], more].concat()).exits(0);
    ran.stdout.split_once("\n\n").expect("there is a verdict").1.to_owned()
}

#[test]
fn rules_that_only_log_are_shown_and_files_are_read() {
    let workspace = workspace();
    let logging = SPEC.replace(
        "        - { name: bots,",
        "        - { name: watch, when: 'http.host contains \"www\"', action: log }\n        - { name: bots,",
    );
    workspace.file("spec.yaml", &logging);
    workspace.file("request.txt", "GET /wp-login.php HTTP/1.1\r\nHost: www.example.com\r\n\r\n");
    let more =
        ["--spec", "spec.yaml", "--ip", "203.0.113.9", "--field", "cf.bot_management.score=99"];
    let ran = workspace
        .run(&[&["waf", "trace", "GET https://www.example.com/a"][..], &more].concat())
        .exits(0);
    assert!(ran.stdout.contains("watch") && ran.stdout.contains("only logs it"), "{}", ran.stdout);
    let ran = workspace.run(&[&["waf", "trace", "request.txt"][..], &more].concat()).exits(0);
    assert!(ran.stdout.contains("block by no-wordpress"), "{}", ran.stdout);
}

#[test]
fn a_request_is_followed_through_the_phases() {
    let known = ["--ip", "203.0.113.9", "--field", "cf.bot_management.score=99"];
    let text = trace("GET https://www.example.com/wp-login.php", &known);
    assert!(
        text.starts_with("example.com (spec): block by no-wordpress (spec.yaml:10)\n"),
        "{text}"
    );
    let text = trace("GET https://www.example.com/wp-login.php", &["--ip", "192.0.2.7"]);
    assert!(
        text.contains("depends on: cf.bot_management.score")
            || text.starts_with("example.com (spec): pass"),
        "{text}"
    );
    let text = trace("GET https://www.example.com/", &["--ip", "203.0.113.9"]);
    assert!(text.starts_with("example.com (spec): unknown\n"), "{text}");
    assert!(text.contains("  depends on: cf.bot_management.score\n"), "{text}");
    for (times, verdict) in
        [("5/1m", "pass"), ("6/1m", "block by login (spec.yaml:13)"), ("6/10m", "pass")]
    {
        let text = trace(
            "POST https://www.example.com/login",
            &[&known[..], &["--times", times]].concat(),
        );
        assert!(text.starts_with(&format!("example.com (spec): {verdict}\n")), "{times}: {text}");
    }
    let text = trace("curl 'https://www.example.com/a' -A scanner --data 'x=1'", &known);
    assert!(
        text.starts_with("example.com (spec): pass\n")
            && text.contains("not evaluated: live rules"),
        "{text}"
    );
    let text = trace("GET https://mail.example.com/", &known);
    assert!(text.contains("note: mail.example.com is DNS only"), "{text}");
}

#[test]
fn programs_get_the_same() {
    let ran = workspace()
        .run(&[
            "waf",
            "trace",
            "GET https://www.example.com/wp-x",
            "--spec",
            "spec.yaml",
            "--ip",
            "203.0.113.9",
            "--format",
            "json",
        ])
        .exits(0);
    let verdict = &ran.json()["verdicts"][0];
    assert_eq!(verdict["verdict"], "block");
    assert_eq!(verdict["by"]["source"], "spec.yaml:10");
    assert_eq!(verdict["trace"][0]["rule"]["phase"], "http_request_firewall_custom");
}

#[test]
fn live_rules_are_followed_in_the_embedded_sandbox() {
    let workspace = workspace();
    let spec = SPEC.replace("cf.bot_management.score lt 30", "'http.user_agent contains \"bot\"'");
    workspace.file("spec.yaml", spec);
    let run = |arguments: &[&str]| {
        Ran::from(binary(workspace.path()).args(arguments).output().unwrap()).exits(0).stdout
    };
    let sandbox = "--sandbox=state";
    run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection", sandbox]);
    let request = "GET https://www.example.com/wp-login.php";
    let known = ["--ip", "203.0.113.9"];
    let text =
        run(&[&["waf", "trace", request, "--live", "example.com", sandbox], &known[..]].concat());
    assert!(text.contains("example.com (live): block by no-wordpress"), "{text}");
    let both = [
        "waf",
        "trace",
        request,
        "--live",
        "example.com",
        "--spec",
        "spec.yaml",
        "--ip",
        "192.0.2.9",
        sandbox,
    ];
    let text = run(&both);
    assert!(
        text.contains("example.com (live): pass") && text.contains("example.com (spec): pass"),
        "{text}"
    );
}

/// The entries of a list of the account are unknown here.
#[test]
fn a_list_by_its_name_makes_the_verdict_unknown() {
    let workspace = workspace();
    workspace.file("spec.yaml", SPEC.replace("ip.src in {192.0.2.0/24}", "ip.src in $office"));
    let request =
        ["waf", "trace", "GET https://www.example.com/wp-login.php", "--spec", "spec.yaml"];
    let text = workspace.run(&[&request[..], &["--ip", "192.0.2.7"]].concat()).exits(0).stdout;
    assert!(text.contains("example.com (spec): unknown\n"), "{text}");
    assert!(text.contains("  depends on: the list $office\n"), "{text}");
}

/// A score below the threshold is not reported as an action.
#[test]
fn a_score_below_the_threshold_does_nothing() {
    let workspace = workspace();
    workspace.file(
        "spec.yaml",
        SPEC.replace(
            "    waf:\n",
            "    waf:\n      owasp: { paranoia: 1, threshold: 10, action: block }\n",
        ),
    );
    workspace.file("crs/crs-setup.conf", "SecAction \"id:900,phase:1,pass,nolog\"\n");
    let rule = "SecRule ARGS \"@contains attack\" \"id:942100,phase:2,block,t:none,setvar:'tx.anomaly_score_pl1=+5'\"\n";
    workspace.file(
        "crs/rules/REQUEST-942.conf",
        [rule, &rule.replace("942100", "942140").replace("attack", "bad")].concat(),
    );
    let known = [
        "--ip",
        "203.0.113.9",
        "--field",
        "cf.bot_management.score=99",
        "--spec",
        "spec.yaml",
        "--crs",
        "crs",
    ];
    let trace = |query: &str| {
        let request = format!("curl 'https://www.example.com/?q={query}' -A b");
        workspace.run(&[&["waf", "trace", &request], &known[..]].concat()).exits(0).stdout
    };
    let below = trace("attack");
    assert!(
        below.contains("scores 5, and does nothing below 10\n") && !below.contains(": block"),
        "{below}"
    );
    let above = trace("attack+bad");
    assert!(above.contains("scores 10, and acts from 10 on: block\n"), "{above}");
}

/// A rule that may act is not reported as one that acts.
#[test]
fn steps_that_depend_on_something_unknown_say_so() {
    let text = trace("GET https://www.example.com/", &["--ip", "203.0.113.9"]);
    assert!(text.contains("bots (spec.yaml:11) may challenge\n"), "{text}");
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let workspace = workspace();
    let long = format!("GET https://www.example.com/{}", "a".repeat(100_000));
    workspace.run(&["waf", "trace", &long, "--spec", "spec.yaml"]).exits(0);
    for (request, more, words) in [
        ("https://www.example.com/", &[][..], "not a method and an address"),
        ("GET www.example.com", &[], "no scheme"),
        ("GET https://ä.example.com/", &[], "U+00E4"),
        ("curl -F a=@b https://www.example.com/", &[], "`-F @b` reads a file"),
        ("curl 'https://www.example.com/", &[], "open quote"),
        (
            "GET https://www.example.com/",
            &["--field", "cf.bot_management.scor=1"],
            "did you mean `cf.bot_management.score`?",
        ),
        (
            "GET https://www.example.com/",
            &["--field", "cf.bot_management.score=high"],
            "write a number",
        ),
        (
            "GET https://www.example.com/",
            &["--field", "http.request.headers=x"],
            "gets its value from it",
        ),
        ("GET https://www.example.com/", &["--times", "often"], "6 in 1m"),
    ] {
        let ran = workspace
            .run(&[&["waf", "trace", request, "--spec", "spec.yaml"], more].concat())
            .exits(64);
        assert!(ran.stderr.contains(words) && ran.stdout.is_empty(), "{request}: {}", ran.stderr);
    }
    let ran = workspace
        .run(&["waf", "trace", "GET https://example.net/", "--spec", "spec.yaml"])
        .exits(1);
    assert!(ran.stderr.contains("no zone of the spec has the host example.net"), "{}", ran.stderr);
}
