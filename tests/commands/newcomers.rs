//! Mistakes of the first day, and the messages for them.

use crate::support::journals::newest;
use crate::support::workspace::{Workspace, options};
use serde_json::json;
use zonewright::sandbox::ACCOUNT_ID;

const SPEC: &str = "      - { name: www, type: A, content: 192.0.2.1 }";
const OTHER: &str = "0123456789abcdef0123456789abcdef";

/// Returns a zone, and a spec of it.
fn workspace() -> Workspace {
    let workspace = Workspace::new(options());
    workspace.records_spec(SPEC);
    workspace
}

#[test]
fn a_wrong_account_is_named_as_the_reason() {
    let workspace = workspace();
    let run = |account: &str, arguments: &[&str]| {
        let output =
            workspace.command().env("CLOUDFLARE_ACCOUNT_ID", account).args(arguments).output();
        crate::support::workspace::Ran::from(output.unwrap())
    };
    run(ACCOUNT_ID, &["plan", "spec.yaml"]).exits(0);
    let ran = run(OTHER, &["plan", "spec.yaml"]).exits(1);
    let words = format!(
        "example.com is in the account {ACCOUNT_ID}, and CLOUDFLARE_ACCOUNT_ID names the account {OTHER}"
    );
    assert!(ran.stderr.contains(&words), "{}", ran.stderr);
    assert!(
        ran.stderr.contains(&format!("set CLOUDFLARE_ACCOUNT_ID to {ACCOUNT_ID}, or unset it")),
        "{}",
        ran.stderr
    );
    for command in [
        &["import", "example.com"] as &[&str],
        &["export", "--to", "bind", "--live", "--zone", "example.com"],
        &["resolve", "www.example.com", "--live"],
        &["waf", "status", "example.com"],
    ] {
        let ran = run(OTHER, command).exits(1);
        assert!(
            ran.stderr.contains("CLOUDFLARE_ACCOUNT_ID names, does not have"),
            "{command:?}: {}",
            ran.stderr
        );
    }
    // A zone that is in no account.
    workspace.file("spec.yaml", "version: 1\nzones: { example.org: { records: [] } }\n");
    let ran = run(OTHER, &["plan", "spec.yaml"]).exits(1);
    assert!(
        ran.stderr.contains("does not have the zone example.org")
            && ran.stderr.contains("check CLOUDFLARE_ACCOUNT_ID"),
        "{}",
        ran.stderr
    );
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
    assert!(!ran.stderr.contains("CLOUDFLARE_ACCOUNT_ID"), "{}", ran.stderr);
    // The account has a zone of this name, but an `id` names another one.
    let other_zone = format!(
        "version: 1\nzones: {{ example.com: {{ id: {}, records: [] }} }}\n",
        "cd".repeat(16)
    );
    workspace.file("spec.yaml", other_zone);
    for account in [ACCOUNT_ID, OTHER] {
        let ran = run(account, &["plan", "spec.yaml"]).exits(1);
        assert!(
            ran.stderr.contains("remove `id`") && !ran.stderr.contains("CLOUDFLARE_ACCOUNT_ID"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn the_form_of_an_account_id_is_checked() {
    let workspace = workspace();
    for account in [
        "my-account",
        "0123456789abcdef",
        "A_very-secret_token-of-forty-characters_0",
        "é",
        "ops@example.com",
    ] {
        let ran = workspace
            .command()
            .env("CLOUDFLARE_ACCOUNT_ID", account)
            .args(["plan", "spec.yaml"])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(1), "{stderr}");
        assert!(
            stderr.contains("expected 32 hexadecimal digits, found") && !stderr.contains(account),
            "{stderr}"
        );
    }
    assert!(workspace.requests().is_empty());
}

#[test]
fn own_files_in_the_wrong_place_are_recognized() {
    let workspace = workspace();
    workspace.run(&["plan", "spec.yaml", "--out", "p.zwplan"]).exits(0);
    workspace.run(&["snapshot", "spec.yaml", "--out", "s.json.gz"]).exits(0);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let journal = newest(&workspace);
    let plan = "a saved plan; to apply it, run `zonewright apply p.zwplan`";
    let snapshot = "a snapshot; to plan against it, run `zonewright plan SPEC --against s.json.gz`";
    let undo = format!("the journal of an apply; to undo that, run `zonewright undo {journal}`");
    let requests = workspace.requests().len();
    let cases: &[(&[&str], &str)] = &[
        (&["plan", "p.zwplan"], plan),
        (&["validate", "p.zwplan"], plan),
        (&["drift", "spec.yaml", "p.zwplan"], plan),
        (&["undo", "p.zwplan"], plan),
        (&["plan", "spec.yaml", "--against", "p.zwplan"], plan),
        (&["diff", "spec.yaml", "p.zwplan"], plan),
        (&["apply", "s.json.gz", "--yes"], snapshot),
        (&["plan", "s.json.gz"], snapshot),
        (&["undo", "s.json.gz"], snapshot),
        (&["plan", &journal], &undo),
        (&["apply", &journal], &undo),
        (&["plan", "spec.yaml", "--against", &journal], &undo),
    ];
    for (arguments, words) in cases {
        let ran = workspace.run(arguments).exits(64);
        assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    }
    assert_eq!(workspace.requests().len(), requests);
    // Each variable in its place, and variables that only look similar.
    workspace.run(&["plan", "spec.yaml", "--against", "s.json.gz"]).exits(0);
    workspace.file("x.json", json!({ "kind": "plans", "version": 1 }).to_string());
    workspace.file("x.gz", [0x1f, 0x8b, 0, 1, 2]);
    workspace.file("empty", "");
    for file in ["x.json", "x.gz", "empty"] {
        workspace.run(&["validate", file]).exits(1);
    }
}

#[test]
fn variables_of_other_programs_are_hinted_at() {
    let workspace = workspace();
    for (other, own) in
        [("CF_API_TOKEN", "CLOUDFLARE_API_TOKEN"), ("CF_API_KEY", "CLOUDFLARE_API_KEY")]
    {
        let mut command = workspace.command();
        let ran = command
            .env_remove("CLOUDFLARE_API_TOKEN")
            .env(other, "hush-hush")
            .args(["plan", "spec.yaml"])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(1), "{stderr}");
        assert!(
            stderr.contains(&format!("{other} is set, but zonewright reads {own}"))
                && !stderr.contains("hush"),
            "{stderr}"
        );
    }
}

#[test]
fn a_policy_that_accepts_what_is_not_found_is_noted() {
    let workspace = workspace();
    let policy = "version: 1\nlint: { LINT0001: nobody remembers }\n";
    workspace.file(".zonewright-policy.yaml", policy);
    let ran = workspace.run(&["validate", "spec.yaml"]).exits(0);
    assert!(
        ran.stderr.contains("note[SPEC0042]")
            && ran.stderr.contains("the policy file accepts LINT0001"),
        "{}",
        ran.stderr
    );
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(
        !ran.stderr.contains("note[SPEC0042]") && ran.stderr.contains("1 SPEC0042"),
        "{}",
        ran.stderr
    );
}

/// Words of other tools lead to the words of this one.
#[test]
fn words_of_other_tools_are_answered() {
    let workspace = workspace();
    for (arguments, words) in [
        (&["apply", "spec.yaml", "--force"][..], "--allow CODE"),
        (&["apply", "spec.yaml", "-auto-approve"], "--yes applies without asking"),
        (&["apply", "spec.yaml", "--auto-approve"], "--yes applies without asking"),
        (&["preview", "spec.yaml"], "`zonewright plan` shows what would change"),
        (&["waf", "effective", "example.com"], "`waf effective` is called `waf status` now"),
        (&["waf", "hits"], "`waf hits` is called `waf score` now"),
        (&["waf", "rehearse", "spec.yaml"], "`waf rehearse` is called `waf replay` now"),
        (&["waf", "diff", "spec.yaml"], "`waf diff` is called `waf rules --changes` now"),
        (&["waf", "lock", "spec.yaml"], "`waf lock` is called `waf rules --lock` now"),
        (&["sandbox", "reset"], "`sandbox reset` is called `sandbox seed --reset` now"),
        (&["import", "./infra/", "--leave", "text"], "`--leave` is called `--handover` now"),
        (&["lint", "spec.yaml"], "`zonewright validate` checks"),
        (&["version"], "`zonewright --version` prints"),
        (&["plan", "example.com"], "--zone example.com"),
        (&["apply", "example.com"], "zonewright import example.com"),
        (&["explain", "LINT9999"], "lists all codes"),
        (&["undo", "--yes"], "use --last"),
    ] {
        let ran = workspace.run(arguments).exits(64);
        assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    }
    assert!(workspace.requests().is_empty());
    // A file of that name is a file, and a file that is missing is missing.
    workspace.file("example.com", "version: 1\nzones: { example.com: { records: [] } }\n");
    workspace.run(&["plan", "example.com"]).exits(0);
    workspace.run(&["plan", "absent.yaml"]).exits(1);
    workspace.records_spec("      - { name: www, type: URL, content: \"https://example.net/\" }");
    let ran = workspace.run(&["validate", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("redirect rule"), "{}", ran.stderr);
}

/// Every code that a run prints has its page in the program.
#[test]
fn codes_are_explained() {
    let workspace = workspace();
    for code in ["LINT0010", "lint0010", "[LINT0010]"] {
        let page = workspace.run(&["explain", code]).exits(0).stdout;
        assert!(
            page.starts_with("LINT0010\n") && page.contains("Wrong:") && page.contains("Right:"),
            "{page}"
        );
    }
    let page = workspace.run(&["explain", "changes-mail"]).exits(0).stdout;
    assert!(page.contains("--allow changes-mail"), "{page}");
    let pages = std::fs::read_to_string("docs/findings.md").unwrap();
    let list = workspace.run(&["explain"]).exits(0).stdout;
    let codes = pages.lines().filter_map(|line| line.strip_prefix("## "));
    for code in codes {
        assert!(list.contains(code), "{code}");
    }
    let section = pages.split("\n## PLAN0022\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap().trim();
    let page = workspace.run(&["explain", "PLAN0022"]).exits(0).stdout;
    assert_eq!(page.trim(), format!("PLAN0022\n\n{section}"));
    assert!(workspace.requests().is_empty());
}

/// A colon that ends a key in braces is quoted in the hint.
#[test]
fn a_value_with_a_colon_gets_the_hint_to_quote_it() {
    let workspace = workspace();
    for (value, quoted) in [
        ("2001:db8::", Some("\"2001:db8::\"")),
        ("fe80::, ttl: 300", Some("\"fe80::\"")),
        ("v=spf1 x: y", Some("\"v=spf1 x: y\"")),
        ("\"2001:db8::\", a: b: c", Some("\"b: c\"")),
        ("a b, c} d", None),
    ] {
        workspace.records_spec(&format!("      - {{ name: www, type: AAAA, content: {value} }}"));
        let ran = workspace.run(&["validate", "spec.yaml"]).exits(1);
        match quoted {
            Some(quoted) => {
                let hint = format!("needs quotes: write {quoted}\n");
                assert!(ran.stderr.contains(&hint), "{value}: {}", ran.stderr);
            }
            None => assert!(!ran.stderr.contains("needs quotes: write"), "{}", ran.stderr),
        }
    }
}
