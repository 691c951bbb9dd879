//! Expectations about requests: offline, in plans with rules that others made, and in drift.

use serde_json::json;

use crate::support::workspace::{Workspace, options};

/// Returns a spec with a custom rule and expectations, each a line.
fn spec(rule: &str, expect: &[&str]) -> String {
    let expect: String = expect.iter().map(|line| format!("      - {line}\n")).collect();
    format!(
        "version: 1\nzones:\n  example.com:\n    expect:\n{expect}    records:\n      - {{ name: www, type: A, content: 192.0.2.1, proxied: true }}\n      \
         - {{ name: mail, type: A, content: 192.0.2.2 }}\n    waf:\n      custom:\n        - {rule}\n      rate_limits:\n        \
         - {{ name: login, when: 'http.request.uri.path eq \"/login\"', per: [ip], limit: 5 in 10s, then: block for 10s }}\n"
    )
}

const NO_SCANNERS: &str =
    "{ name: no-wordpress, when: 'http.request.uri.path contains \"/wp-\"', action: block }";

const EXPECT: [&str; 5] = [
    "{ request: \"GET https://www.example.com/search?q=union\", verdict: pass }",
    "{ name: logins are limited, request: \"POST https://www.example.com/login\", times: 6 in 10s, verdict: block, by: login }",
    "{ request: \"GET https://www.example.com/wp-login.php\", from: { ip: 203.0.113.9, country: DE }, verdict: block }",
    "{ curl: \"curl -X POST https://www.example.com/v1/items -H 'content-type: application/json' -d '{}'\", verdict: not challenge }",
    "{ request: \"GET https://mail.example.com/wp-login.php\", verdict: pass }",
];

#[test]
fn expectations_about_requests_are_checked_offline() {
    let workspace = Workspace::new(options());
    workspace.file("spec.yaml", spec(NO_SCANNERS, &EXPECT));
    let ran = workspace.run(&["test", "spec.yaml"]).exits(0);
    assert!(ran.stdout.contains("5 expectations: 5 passed"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("passed   GET https://www.example.com/search?q=union"),
        "{}",
        ran.stdout
    );
    // A passed verdict names the parts that were not evaluated, and reports that no rule applies.
    let why =
        "pass, but this was not evaluated: live rules that the spec does not name; managed rules";
    assert!(ran.stdout.contains(why), "{}", ran.stdout);
    let direct = "pass: the host is DNS only, so no rule applies (spec.yaml:9)";
    assert!(ran.stdout.contains(direct), "{}", ran.stdout);
    let failing = [
        "{ name: a, request: \"GET https://www.example.com/wp-x\", verdict: pass }",
        "{ name: b, request: \"GET https://www.example.com/wp-x\", verdict: block, by: another }",
        "{ name: c, request: \"POST https://www.example.com/login\", verdict: block }",
        "{ name: d, request: \"GET https://mail.example.com/\", verdict: block }",
    ];
    workspace.file("failing.yaml", spec(NO_SCANNERS, &failing));
    let ran = workspace.run(&["test", "failing.yaml"]).exits(2);
    assert!(ran.stdout.contains("4 expectations: 0 passed, 4 failed"), "{}", ran.stdout);
    // The line of the rule, what was expected, and the line of the expectation.
    for line in [
        "block by no-wordpress (failing.yaml:14); expected pass (failing.yaml:5)\n",
        "block by no-wordpress (failing.yaml:14); expected block by another (failing.yaml:6)\n",
        "pass: the host is DNS only, so no rule applies; expected block (failing.yaml:8)\n",
    ] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains("the host is DNS only, so no rule applies"), "{}", ran.stdout);
    let bots = "{ name: bots, when: cf.bot_management.score lt 30, action: block }";
    workspace.file(
        "unknown.yaml",
        spec(bots, &["{ request: \"GET https://www.example.com/\", verdict: pass }"]),
    );
    let ran = workspace.run(&["test", "unknown.yaml"]).exits(0);
    assert!(ran.stdout.contains("it depends on cf.bot_management.score"), "{}", ran.stdout);
    // With `--strict`, an unknown result fails.
    workspace.run(&["test", "unknown.yaml", "--strict"]).exits(2);
    workspace.file(
        "other.yaml",
        spec(NO_SCANNERS, &["{ request: \"GET https://www.other.example/\", verdict: pass }"]),
    );
    let ran = workspace.run(&["test", "other.yaml"]).exits(0);
    assert!(ran.stdout.contains("www.other.example is in no known zone"), "{}", ran.stdout);
    let ran = workspace.run(&["test", "other.yaml", "--strict"]).exits(2);
    assert!(
        ran.stdout.contains("www.other.example is in no known zone; expected pass"),
        "{}",
        ran.stdout
    );
    let told = "{ request: \"GET https://www.example.com/\", fields: { cf.bot_management.score: 12 }, verdict: block, by: bots }";
    workspace.file("told.yaml", spec(bots, &[told]));
    workspace.run(&["test", "told.yaml"]).exits(0);
}

#[test]
fn a_plan_that_breaks_one_needs_consent() {
    let workspace = Workspace::new(options());
    workspace.file("spec.yaml", spec(NO_SCANNERS, &EXPECT));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    workspace.run(&["drift", "spec.yaml"]).exits(0);
    let wide =
        "{ name: no-wordpress, when: 'http.request.uri.path contains \"/\"', action: block }";
    workspace.file("spec.yaml", spec(wide, &EXPECT));
    let ran = workspace
        .run(&["apply", "spec.yaml", "--yes", "--allow", "may-lock-out,weakens-protection"])
        .exits(3);
    assert!(
        ran.stdout.contains("expectation fails: GET https://www.example.com/search?q=union"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("--allow fails-expectation"), "{}", ran.stdout);
}

#[test]
fn mistakes_are_told_with_their_places() {
    let workspace = Workspace::new(options());
    for (line, words) in [
        ("{ request: \"GET https://www.example.com/\" }", "`verdict` is missing"),
        (
            "{ request: \"GET https://www.example.com/\", verdict: allow }",
            "`allow` is not a verdict",
        ),
        ("{ request: www.example.com, verdict: pass }", "not a method and an address"),
        ("{ curl: wget, verdict: pass }", "not `curl`"),
        ("{ verdict: pass }", "`verdict` needs `request` or `curl`"),
        (
            "{ request: \"GET https://a.example.com/\", curl: \"curl https://a.example.com\", verdict: pass }",
            "one of `request` and `curl`",
        ),
        ("{ request: \"GET https://www.example.com/\", times: often, verdict: pass }", "how often"),
        (
            "{ request: \"GET https://www.example.com/\", from: { ip: home }, verdict: pass }",
            "`home` is not an address",
        ),
        (
            "{ request: \"GET https://www.example.com/\", from: { asn: x }, verdict: pass }",
            "write a number",
        ),
        (
            "{ request: \"GET https://www.example.com/\", fields: { ip.src.contry: DE }, verdict: pass }",
            "did you mean `ip.src.country`?",
        ),
        (
            "{ request: \"GET https://www.example.com/\", resolve: www, type: A, answer: none, verdict: pass }",
            "more than one thing",
        ),
    ] {
        workspace.file("spec.yaml", spec(NO_SCANNERS, &[line]));
        let ran = workspace.run(&["validate", "spec.yaml", "--format", "json"]).exits(1);
        let diagnostics = &ran.json()["diagnostics"];
        let told = diagnostics.to_string();
        assert!(told.contains(words), "{line}: {told}");
        assert_eq!(diagnostics[0]["line"], json!(5), "{line}: {told}");
    }
}
