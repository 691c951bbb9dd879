//! The command line from outside: exit codes, streams, colours, help.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::support::workspace::{Ran, Workspace, binary, options};
use serde_json::json;
use tempfile::TempDir;

const ONE: &str = "      - { name: www, type: A, content: 192.0.2.1 }";

fn alone(arguments: &[&str]) -> Ran {
    binary(TempDir::new().unwrap().path()).args(arguments).output().unwrap().into()
}

#[test]
fn help_and_version_are_results() {
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["plan", "--help"],
        &["apply", "-h"],
        &["sandbox", "--help"],
        &["sandbox", "serve", "-h"],
        &["drift", "--help"],
        &["watch", "--help"],
    ] {
        let ran = alone(arguments).exits(0);
        assert!(
            ran.stdout.contains("zonewright") && ran.stderr.is_empty(),
            "{arguments:?}: {ran:?}"
        );
    }
}

#[test]
fn wrong_usage_is_64() {
    for arguments in [
        &[][..],
        &["plan"],
        &["frobnicate"],
        &["plan", "x.yaml", "--frobnicate"],
        &["plan", "x.yaml", "--color", "sometimes"],
        &["apply", "x.yaml", "--allow-deletes", "many"],
        &["help", "frobnicate"],
        &["apply", "x.yaml", "--allow", "everything"],
        &["apply", "x.yaml", "--allow", "delete"],
        &["plan", "x.yaml", "--max-rps", "0"],
        &["drift", "x.yaml", "--fail-on", "everything"],
        &["drift", "x.yaml", "--drift-exit-code", "256"],
        &["drift", "x.yaml", "--format", "html"],
        &["watch", "x.yaml", "--count", "0"],
        &["watch", "x.yaml", "--listen", "here"],
        &["plan", "x.yaml", "--timeout", "-1"],
        &["plan", "x.yaml", "--var", "novalue"],
        &["plan", "x.yaml", "--sandbox", "--base-url", "http://127.0.0.1:1"],
    ] {
        let ran = alone(arguments).exits(64);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    for arguments in [
        &["plan", "spec.yaml"][..],
        &["schema"],
        &["man"],
        &["help", "plan"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let mut child = workspace
            .command()
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
    // An apply continues although its output is not read.
    let mut child = workspace
        .command()
        .args(["apply", "spec.yaml", "--yes"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(workspace.records("example.com").len(), 1);
}

#[test]
fn differences_are_2_only_if_asked_for() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    workspace.run(&["plan", "spec.yaml"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(2);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn results_go_to_stdout_and_the_rest_to_stderr() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let ran = workspace.run(&["apply", "spec.yaml", "--yes", "--format", "json"]).exits(0);
    let document = ran.json();
    assert_eq!(
        (&document["kind"], &document["result"]["zones"][0]["remaining"]),
        (&json!("apply"), &json!(0))
    );
    assert!(ran.stderr.contains("journal: "), "{}", ran.stderr);
    let quiet = workspace.run(&["apply", "spec.yaml", "--yes", "--quiet"]).exits(0);
    assert!(quiet.stderr.is_empty() && quiet.stdout.contains("In sync"), "{quiet:?}");
}

#[test]
fn colour_only_where_wanted() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let has_colour = |ran: Ran| ran.stdout.contains('\u{1b}');
    assert!(!has_colour(workspace.run(&["plan", "spec.yaml"])));
    assert!(has_colour(workspace.run(&["plan", "spec.yaml", "--color", "always"])));
    let no_colour: Ran = workspace
        .command()
        .env("NO_COLOR", "1")
        .args(["plan", "spec.yaml"])
        .output()
        .unwrap()
        .into();
    assert!(!has_colour(no_colour));
    assert!(!has_colour(workspace.run(&[
        "plan",
        "spec.yaml",
        "--color",
        "always",
        "--format",
        "json"
    ])));
}

#[test]
fn a_wrong_spec_makes_no_request() {
    let workspace = Workspace::new(options());
    workspace.records_spec("      - { name: www, type: A, content: nonsense, tll: 5 }");
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(ran.stderr.contains("spec.yaml:5:") && ran.stderr.contains("`ttl`"), "{}", ran.stderr);
    let ran = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(1);
    let found = ran.json()["diagnostics"].as_array().unwrap().clone();
    assert!(found.iter().all(|d| d["line"] == 5 && d["file"] == "spec.yaml"), "{found:?}");
    assert_eq!(workspace.requests().len(), 0);
}

#[test]
fn standard_input_is_a_spec() {
    let workspace = Workspace::new(options());
    let path = workspace.records_spec(ONE);
    let input = std::fs::File::open(path).unwrap();
    let ran: Ran = workspace.command().args(["plan", "-"]).stdin(input).output().unwrap().into();
    assert!(ran.exits(0).stdout.contains("+ www  A  192.0.2.1"));
    let input = std::fs::File::open(workspace.file("bytes", b"\xff\xfe\x00")).unwrap();
    let ran: Ran = workspace.command().args(["plan", "-"]).stdin(input).output().unwrap().into();
    ran.exits(1);
    // Reading ends one byte after the limit, here within a character.
    let text = "# ".to_owned() + &"é".repeat(13 << 20);
    let input = std::fs::File::open(workspace.file("large", text)).unwrap();
    let ran: Ran =
        workspace.command().args(["validate", "-"]).stdin(input).output().unwrap().into();
    assert!(ran.stderr.contains("the standard input has more than 24 MiB"), "{}", ran.stderr);
    ran.exits(1);
}

#[test]
fn zones_can_be_chosen() {
    let workspace = Workspace::new(options());
    workspace.plant(
        &json!({ "zones": [{ "name": "example.net", "records": [] }, { "name": "example.org", "records": [] }] }),
    );
    let zone = |name: &str| format!("  {name}:\n    records:\n{ONE}\n");
    workspace.file(
        "spec.yaml",
        format!(
            "version: 1\nzones:\n{}{}{}",
            zone("example.com"),
            zone("example.net"),
            zone("example.org")
        ),
    );
    let zones = |arguments: &[&str]| {
        let plan = workspace
            .run(&[&["plan", "spec.yaml", "--format", "json"], arguments].concat())
            .exits(0)
            .json();
        plan["operations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|o| o["zone"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(zones(&[]), ["example.com", "example.net", "example.org"]);
    assert_eq!(zones(&["--zone", "example.net"]), ["example.net"]);
    assert_eq!(
        zones(&["--zone", "Example.NET.", "--zone", "*.org"]),
        ["example.net", "example.org"]
    );
    let ran = workspace.run(&["plan", "spec.yaml", "--zone", "example.edu"]).exits(1);
    assert!(ran.stderr.contains("example.com"), "{}", ran.stderr);
}

#[test]
fn validate_needs_nothing() {
    let directory = TempDir::new().unwrap();
    std::fs::write(
        directory.path().join("spec.yaml"),
        format!("version: 1\nzones:\n  example.com:\n    records:\n{ONE}\n"),
    )
    .unwrap();
    let run =
        |arguments: &[&str]| Ran::from(binary(directory.path()).args(arguments).output().unwrap());
    assert_eq!(
        run(&["validate", "spec.yaml"]).exits(0).stdout,
        "Valid: 1 file, 1 zone, 1 record.\n"
    );
    assert_eq!(run(&["validate", "spec.yaml", "--format", "json"]).exits(0).json()["valid"], true);
    let printed = run(&["validate", "spec.yaml", "--print"]).exits(0).stdout;
    std::fs::write(directory.path().join("again.yaml"), &printed).unwrap();
    assert_eq!(run(&["validate", "again.yaml", "--print"]).exits(0).stdout, printed);
    run(&["validate", "missing.yaml"]).exits(1);
}

#[test]
fn the_day_can_be_given() {
    let directory = TempDir::new().unwrap();
    let rule = "{ name: a, when: all, action: log, reason: x, expires: 2027-03-01 }";
    let text = format!("version: 1\nzones:\n  example.com:\n    waf: {{ custom: [{rule}] }}\n");
    std::fs::write(directory.path().join("spec.yaml"), text).unwrap();
    let run = |day: &str| {
        Ran::from(
            binary(directory.path())
                .args(["validate", "spec.yaml", "--today", day])
                .output()
                .unwrap(),
        )
    };
    assert!(!run("2027-02-14").exits(0).stderr.contains("WAF"));
    assert!(run("2027-02-15").exits(0).stderr.contains("WAF0023"));
    assert!(run("2027-03-01").exits(0).stderr.contains("WAF0023"));
    assert!(run("2027-03-02").exits(0).stderr.contains("WAF0022"));
    run("2027-02-30").exits(64);
}

#[test]
fn the_sandbox_can_be_filled_printed_and_emptied() {
    let directory = TempDir::new().unwrap();
    let run =
        |arguments: &[&str]| Ran::from(binary(directory.path()).args(arguments).output().unwrap());
    let document = json!({ "zones": [{ "name": "example.com", "plan": "pro", "records": [{ "type": "A", "name": "www", "content": "192.0.2.1" }] }] });
    std::fs::write(directory.path().join("d.json"), document.to_string()).unwrap();
    assert_eq!(run(&["sandbox", "seed", "d.json"]).exits(0).stdout, "Added 1 zone and 1 record.\n");
    let dump = run(&["sandbox", "dump"]).exits(0);
    assert_eq!(dump.json()["zones"][0]["records"][0]["name"], "www.example.com");
    run(&["sandbox", "seed", "--reset"]).exits(0);
    assert_eq!(run(&["sandbox", "dump"]).exits(0).json()["zones"], json!([]));
    std::fs::write(directory.path().join("dump.json"), &dump.stdout).unwrap();
    run(&["sandbox", "seed", "dump.json"]).exits(0);
    assert_eq!(run(&["sandbox", "dump"]).exits(0).stdout, dump.stdout);
    run(&["sandbox", "seed", "missing.json"]).exits(1);
    let elsewhere = run(&["sandbox", "dump", "--sandbox=other"]).exits(0);
    assert_eq!(elsewhere.json()["zones"], json!([]));
    let ran = run(&["sandbox", "serve", "--listen", "0.0.0.0:0"]).exits(1);
    assert!(ran.stderr.contains("loopback"), "{}", ran.stderr);
}

/// Each switch of `sandbox serve` changes the responses as documented.
#[tokio::test]
async fn the_sandbox_behaves_as_its_switches_say() {
    let srv = json!({"type": "SRV", "name": "_sip._tcp", "data": {"service": "_sip", "proto": "_tcp", "name": "example.com",
        "priority": 1, "weight": 1, "port": 1, "target": "s.example"}});
    let caa = json!({"type": "CAA", "name": "@", "data": {"flags": 0, "tag": "issue", "value": "ca.example", "weight": 0}});
    let ns = json!({"type": "NS", "name": "sub", "content": "ns.example"});
    let txt = json!({"type": "TXT", "name": "sub", "content": "t"});
    for (switches, statuses) in [
        (vec![], [400, 200, 200, 400]),
        (vec!["--old-srv-members", "--strict-data", "--ns-beside-others"], [200, 400, 200, 200]),
    ] {
        let directory = TempDir::new().unwrap();
        let mut command = binary(directory.path());
        command
            .args(["sandbox", "serve", "--listen", "127.0.0.1:0", "--with-zone", "example.com"])
            .args(&switches);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut exported = |name: &str| {
            let line = lines.next().unwrap().unwrap();
            line.strip_prefix(&format!("export {name}=")).unwrap().to_owned()
        };
        let (base, token) = (exported("CLOUDFLARE_BASE_URL"), exported("CLOUDFLARE_API_TOKEN"));
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let zones = client.get(format!("{base}/zones")).bearer_auth(&token).send().await.unwrap();
        let zones: serde_json::Value = serde_json::from_str(&zones.text().await.unwrap()).unwrap();
        let records =
            format!("{base}/zones/{}/dns_records", zones["result"][0]["id"].as_str().unwrap());
        let mut got = Vec::new();
        for record in [&srv, &caa, &ns, &txt] {
            got.push(
                client
                    .post(&records)
                    .bearer_auth(&token)
                    .json(record)
                    .send()
                    .await
                    .unwrap()
                    .status()
                    .as_u16(),
            );
        }
        assert_eq!(got, statuses, "{switches:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Jobs share the zones of a spec: each zone belongs to exactly one job, which is chosen by its
/// index.
#[test]
fn zones_are_shared_between_jobs() {
    let directory = TempDir::new().unwrap();
    let zones: String =
        (0..12).map(|n| format!("  zone-{n}.example: {{ records: [] }}\n")).collect();
    std::fs::write(directory.path().join("spec.yaml"), format!("version: 1\nzones:\n{zones}"))
        .unwrap();
    let part = |shard: &str, index: Option<&str>| {
        let mut command = binary(directory.path());
        command.args(["validate", "spec.yaml", "--print", "--shard", shard]);
        command.envs(index.map(|index| ("JOB_COMPLETION_INDEX", index)));
        let ran = Ran::from(command.output().unwrap()).exits(0);
        let mut lines =
            ran.stdout.lines().filter(|l| l.contains(".example:")).map(|l| l.trim().to_owned());
        let zones: Vec<String> = lines.by_ref().collect();
        let words = format!("has {} of 12 zones", zones.len());
        assert!(ran.stderr.contains(&words), "{words}: {}", ran.stderr);
        zones
    };
    let parts: Vec<_> = ["1/3", "2/3", "3/3"].iter().map(|shard| part(shard, None)).collect();
    let mut all = parts.concat();
    all.sort();
    all.dedup();
    assert_eq!((all.len(), parts.concat().len()), (12, 12), "{parts:?}");
    for (n, zones) in parts.iter().enumerate() {
        assert_eq!(part("auto/3", Some(&n.to_string())), *zones, "the job's index counts from 0");
        assert_eq!(part(&format!("{}/3", n + 1), Some("2")), *zones, "what is written counts");
    }
    let refused = |arguments: &[&str], index: Option<&str>, code, words: &str| {
        let mut command = binary(directory.path());
        command.args(arguments).envs(index.map(|index| ("JOB_COMPLETION_INDEX", index)));
        let ran = Ran::from(command.output().unwrap()).exits(code);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    };
    refused(&["validate", "spec.yaml", "--shard", "auto/3"], None, 1, "JOB_COMPLETION_INDEX");
    refused(&["validate", "spec.yaml", "--shard", "auto/3"], Some("3"), 1, "`completions`");
    let no_number = "JOB_COMPLETION_INDEX is not a number; run it";
    refused(&["validate", "spec.yaml", "--shard", "auto/3"], Some("a-secret"), 1, no_number);
    refused(&["validate", "spec.yaml", "--shard", "4/3"], None, 64, "I from 1 to N");
    refused(&["schema", "--shard", "1/3"], None, 64, "no --shard");
    // A saved plan cannot be divided.
    std::fs::write(
        directory.path().join("plan.json"),
        "{\"format\": 1, \"kind\": \"plan\", \"saved\": {}}",
    )
    .unwrap();
    refused(&["apply", "plan.json", "--shard", "1/3"], None, 64, "as a whole");
    refused(&["apply", "plan.json", "--zone", "zone-1.example"], None, 64, "as a whole");
}

#[test]
fn faults_that_cannot_be_are_told_with_their_place() {
    let directory = TempDir::new().unwrap();
    for (text, says) in [
        (
            "[{\n\"when\": {\"request\": 1},\n\"what\": \"reset\"}]",
            "unknown variant `reset`, expected one of `status`",
        ),
        ("[{\n\"when\": {\"request\": 1},\n\"what\": \"reset\"}]", "at line 3 column"),
        (
            "[{\"when\": {\"request\": 0}, \"what\": \"extra\"}]",
            "fault 1: requests are counted from 1",
        ),
        ("", "EOF"),
    ] {
        std::fs::write(directory.path().join("faults.json"), text).unwrap();
        let arguments = ["sandbox", "serve", "--listen", "127.0.0.1:0", "--faults", "faults.json"];
        let ran = Ran::from(binary(directory.path()).args(arguments).output().unwrap()).exits(1);
        assert!(ran.stderr.contains("faults.json") && ran.stderr.contains(says), "{}", ran.stderr);
    }
}

#[test]
fn options_that_a_command_does_not_read_are_refused() {
    let given = |option: &str| match option {
        "var" => vec!["--var", "A=b"],
        "shard" => vec!["--shard", "1/2"],
        "policy" => vec!["--policy", "none.yaml"],
        "base" => vec!["--base", "./none"],
        _ => vec!["--zone", "example.com"],
    };
    let none = &["zone", "shard", "var", "policy", "base"][..];
    for (arguments, unread) in [
        (&["import", "example.com"][..], &["shard", "policy", "base"][..]),
        (&["import", "./x.zone"], &["shard", "policy", "base"]),
        (&["init"], &["shard", "var", "policy", "base"]),
        (&["undo", "journal.jsonl"], &["shard", "var", "base"]),
        (&["doctor"], &["shard", "var", "policy", "base"]),
        (&["conformance"], &["shard", "var", "policy", "base"]),
        (
            &["export", "--to", "bind", "--live", "--zone", "example.com"],
            &["shard", "var", "policy", "base"],
        ),
        (&["resolve", "example.com", "--live"], &["shard", "var", "policy", "base"]),
        (&["validate", "spec.yaml"], &["base"]),
        (&["snapshot", "spec.yaml"], &["base"]),
        (&["fmt", "spec.yaml"], &["zone", "shard", "base"]),
        (&["diff", "spec.yaml", "spec.yaml"], &["shard", "base"]),
        (&["waf", "status", "example.com"], none),
        (
            &["waf", "trace", "GET https://example.com/", "--live", "example.com"],
            &["zone", "shard", "var", "policy", "base"],
        ),
        (&["waf", "rules", "spec.yaml"], &["base"]),
        (&["schema"], none),
        (&["man", "x"], none),
        (&["completions", "bash"], none),
        (&["help", "consents"], none),
        (&["sandbox", "dump"], none),
    ] {
        for option in unread {
            let ran = alone(&[arguments, &given(option)].concat()).exits(64);
            let words = format!("has no --{option}, which would have no effect");
            assert!(
                ran.stderr.contains(&words) && ran.stdout.is_empty(),
                "{arguments:?} {option}: {ran:?}"
            );
        }
        for option in none.iter().filter(|option| !unread.contains(option)) {
            let ran = alone(&[arguments, &given(option)].concat());
            assert!(
                !ran.stderr.contains("which would have no effect"),
                "{arguments:?} {option}: {ran:?}"
            );
        }
        // A wrapper can pass these to every command.
        let ran = alone(
            &[
                arguments,
                &["--quiet", "--timeout", "3", "--color", "never", "--today", "2026-11-20"],
            ]
            .concat(),
        );
        assert!(!ran.stderr.contains("which would have no effect"), "{arguments:?}: {ran:?}");
    }
}
