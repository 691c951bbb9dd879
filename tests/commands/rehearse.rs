//! `rehearse`, and the name server of `sandbox serve`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::json;

#[cfg(unix)]
use crate::support::interrupt::listening;
use crate::support::resolver::Resolver;
use crate::support::workspace::{Workspace, binary, options};

const SPEC: &str = "\
version: 1
zones:
  example.com:
    expect:
      - { name: the website is ours, resolve: www, type: A, within: [192.0.2.0/24] }
      - { name: mail, resolve: \"@\", type: MX, is: [10 mx1.example.com] }
      - { name: the shop is proxied, resolve: shop, type: A, answer: edge }
      - { name: old is gone, resolve: old, type: A, answer: none }
      - { name: a policy, resolve: _dmarc, type: TXT, is: ['\"v=DMARC1; p=reject\"'] }
    records:
      - { name: www, type: A, content: 192.0.2.8 }
      - { name: shop, type: A, content: 192.0.2.30, proxied: true }
      - { name: \"@\", type: MX, priority: 10, content: mx1.example.com }
      - { name: mx1, type: A, content: 192.0.2.25 }
      - { name: _dmarc, type: TXT, content: v=DMARC1; p=reject }
";

/// Creates the previous live state: an old website, and records that are not in the spec.
fn live(workspace: &Workspace) {
    workspace.plant_records(json!([
        { "type": "A", "name": "www", "content": "192.0.2.7", "ttl": 300, "comment": "web team" },
        { "type": "TXT", "name": "foreign", "content": "not ours" },
        { "type": "SRV", "name": "_sip._tcp", "data": { "priority": 1, "weight": 2, "port": 5060, "target": "sip.example.net" } },
    ]));
}

#[test]
fn a_plan_is_rehearsed_on_a_copy_and_nothing_is_written() {
    let workspace = Workspace::new(options());
    live(&workspace);
    workspace.file("spec.yaml", SPEC);
    let before = workspace.dump();
    let ran = workspace.run(&["rehearse", "spec.yaml"]).exits(0);
    assert!(
        ran.stdout.contains("Rehearsed on a copy of 1 zone with 3 records.\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("in sync, read back"), "{}", ran.stdout);
    assert!(
        ran.stdout.ends_with("5 expectations: 5 passed, 0 failed, 0 unknown\n"),
        "{}",
        ran.stdout
    );
    // The live zone was only read, and is unchanged.
    assert!(
        workspace.requests().len() > 1 && workspace.writes().is_empty(),
        "{:#?}",
        workspace.writes()
    );
    assert_eq!(workspace.dump(), before);
    assert!(
        !workspace.path().join(".zonewright").join("journal").exists(),
        "no journal of something that was not written"
    );
    let json = workspace.run(&["rehearse", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(
        (&json["kind"], &json["copied"]),
        (&json!("rehearsal"), &json!({ "zones": 1, "records": 3 }))
    );
    assert_eq!((&json["not_copied"], &json["differs"]), (&json!([]), &json!([])));
    assert_eq!(json["result"]["zones"][0]["in_sync"], true);
    assert_eq!(
        json["expectations"][0],
        json!({
            "zone": "example.com", "name": "the website is ours", "outcome": "passed", "why": null,
            "source": { "file": "spec.yaml", "line": 5, "column": 9 },
        })
    );
    let schema: serde_json::Value = workspace.run(&["schema", "rehearsal"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(
        validator.is_valid(&json),
        "{:?}",
        validator.iter_errors(&json).map(|e| e.to_string()).collect::<Vec<_>>()
    );
    // The same from a snapshot, without access to the live zone.
    workspace.run(&["snapshot", "spec.yaml", "--out", "now.gz"]).exits(0);
    let requests = workspace.requests().len();
    let of_snapshot = workspace
        .run(&["rehearse", "spec.yaml", "--against", "now.gz", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!((&of_snapshot["copied"], workspace.requests().len()), (&json["copied"], requests));
}

#[test]
fn a_failed_expectation_a_missing_consent_and_a_mistake_have_their_exit_codes() {
    let workspace = Workspace::new(options());
    live(&workspace);
    // The plan predicts the failure, so it needs a consent; with it, the name server confirms the
    // failure.
    workspace.file("fails.yaml", SPEC.replace("content: 192.0.2.8", "content: 203.0.113.8"));
    workspace.run(&["rehearse", "fails.yaml"]).exits(3);
    let refused = workspace.run(&["rehearse", "fails.yaml", "--format", "json"]).exits(3).json();
    let missing = refused["consents_missing"].as_array().unwrap();
    let codes: Vec<&str> =
        missing.iter().map(|consent| consent["danger"].as_str().unwrap()).collect();
    assert!(codes.contains(&"fails-expectation"), "{codes:?}");
    let arguments = ["rehearse", "fails.yaml", "--allow", &codes.join(","), "--format", "json"];
    let failed = workspace.run(&arguments).exits(2).json();
    assert_eq!(failed["expectations"][0]["outcome"], "failed");
    assert_eq!(
        failed["expectations"][0]["why"],
        "www.example.com A: 203.0.113.8; expected addresses in 192.0.2.0/24"
    );
    workspace.file("wrong.yaml", "version: 1\nzones:\n  other.example: { records: [] }\n");
    workspace.run(&["rehearse", "wrong.yaml"]).exits(1);
    workspace.run(&["rehearse", "missing.yaml"]).exits(1);
    assert!(workspace.writes().is_empty());
}

/// Expectations that are not about answers, in a zone with records of others.
const MEANING: &str = "\
version: 1
zones:
  example.com:
    expect:
      - { name: mail is received, mail: { domain: \"@\", by: [mx1] } }
      - { name: we may send, mail: { domain: \"@\", spf_pass: [192.0.2.25], dmarc: at least quarantine } }
      - { name: a provider may send, mail: { domain: news, spf_pass: [198.51.100.7] } }
      - { name: one authority, certificates: { name: \"@\", only: [ca.example.net], universal_ssl: false } }
      - { name: the origin is hidden, hidden: [203.0.113.0/24] }
    records:
      - { name: \"@\", type: MX, priority: 10, content: mx1.example.com }
      - { name: mx1, type: A, content: 192.0.2.25 }
      - { name: \"@\", type: TXT, content: v=spf1 mx -all }
      - { name: news, type: TXT, content: v=spf1 include:spf.provider.example -all }
      - { name: _dmarc, type: TXT, content: v=DMARC1; p=reject }
      - { name: \"@\", type: CAA, content: 0 issue \"ca.example.net\" }
      - { name: shop, type: A, content: 203.0.113.9, proxied: true }
";

#[test]
fn mail_issuance_and_hidden_addresses_are_checked_on_what_was_read_back() {
    let workspace = Workspace::new(options());
    live(&workspace);
    workspace.file("spec.yaml", MEANING);
    let outcomes = |report: &serde_json::Value| -> Vec<String> {
        let all = report["expectations"].as_array().unwrap().iter();
        all.map(|e| e["outcome"].as_str().unwrap().to_owned()).collect()
    };
    let report = workspace.run(&["rehearse", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(
        outcomes(&report),
        ["passed", "passed", "unknown", "passed", "passed"],
        "{report:#}"
    );
    let why = report["expectations"][2]["why"].as_str().unwrap();
    assert!(why.contains("an include or another name decides"), "{why}");
    // A foreign record publishes the origin: only the copy of the zone shows that, not the spec.
    workspace.plant_records(
        json!([{ "type": "A", "name": "direct", "content": "203.0.113.9", "ttl": 300 }]),
    );
    let arguments = ["rehearse", "spec.yaml", "--allow", "fails-expectation", "--format", "json"];
    let report = workspace.run(&arguments).exits(2).json();
    assert_eq!(
        outcomes(&report),
        ["passed", "passed", "unknown", "passed", "failed"],
        "{report:#}"
    );
    assert_eq!(report["expectations"][4]["why"], "direct.example.com A publishes 203.0.113.9");
    // Obstacles for another expectation are reported, too.
    workspace.file(
        "spec.yaml",
        MEANING
            .replace("by: [mx1]", "by: [mx2]")
            .replace("p=reject", "p=none")
            .replace("[ca.example.net], u", "[ca.example.org], u"),
    );
    let report = workspace.run(&arguments).exits(2).json();
    assert_eq!(
        outcomes(&report),
        ["failed", "failed", "unknown", "failed", "failed"],
        "{report:#}"
    );
    assert!(workspace.writes().is_empty());
}

/// Data that a sandbox invents or does not have proves nothing about Cloudflare: neither that an
/// answer exists, nor that none exists.
#[test]
fn what_the_sandbox_cannot_know_is_unknown() {
    let workspace = Workspace::new(options());
    workspace.file(
        "spec.yaml",
        r#"version: 1
zones:
  example.com:
    expect:
      - { resolve: out, type: A, answer: none }
      - { resolve: out, type: A, within: [192.0.2.0/24] }
      - { resolve: out, type: CNAME, is: [host.provider.example] }
      - { resolve: www, type: HTTPS, answer: none }
      - { resolve: "@", type: NS, is: [ada.ns.cloudflare.com] }
      - { resolve: lab, type: NS, is: [ns1.hosting.example] }
      - { resolve: host.lab, type: A, answer: none }
      - { resolve: www, type: A, within: [192.0.2.0/24] }
    records:
      - { name: out, type: CNAME, content: host.provider.example }
      - { name: www, type: A, content: 192.0.2.8, proxied: true }
      - { name: lab, type: NS, content: ns1.hosting.example }
"#,
    );
    let report = workspace.run(&["rehearse", "spec.yaml", "--format", "json"]).exits(0).json();
    let outcomes: Vec<&str> = report["expectations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["outcome"].as_str().unwrap())
        .collect();
    let wanted =
        ["unknown", "unknown", "passed", "unknown", "unknown", "passed", "unknown", "unknown"];
    assert_eq!(outcomes, wanted, "{report:#}");
}

/// A live zone has objects that the sandbox refuses. Each is named, and the others are rehearsed.
#[test]
fn what_the_copy_cannot_hold_is_named() {
    let workspace = Workspace::new(options());
    live(&workspace);
    workspace.file("spec.yaml", SPEC);
    workspace.run(&["snapshot", "spec.yaml", "--out", "now.json"]).exits(0);
    let gzipped = std::fs::File::open(workspace.path().join("now.json")).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(gzipped), &mut text).unwrap();
    assert!(text.contains("web team"));
    // A live zone with such records needs a sandbox that accepts NS records beside other types.
    let odd = Workspace::new(sandbox_that_takes_more());
    live(&odd);
    odd.plant_records(json!([
        { "type": "TXT", "name": "sub", "content": "beside a delegation" },
        { "type": "NS", "name": "sub", "content": "ns.example.net" },
    ]));
    odd.file("spec.yaml", SPEC);
    let report = odd.run(&["rehearse", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(report["copied"], json!({ "zones": 1, "records": 4 }));
    let left_out = &report["not_copied"][0];
    assert_eq!(
        (&left_out["place"], &left_out["what"]),
        (&json!("example.com"), &json!("the record sub.example.com NS"))
    );
    assert!(!left_out["why"].as_str().unwrap().is_empty(), "{left_out}");
    let text = odd.run(&["rehearse", "spec.yaml"]).exits(0).stdout;
    assert!(text.contains("  not copied  example.com: the record sub.example.com NS: "), "{text}");
}

/// Returns a service that accepts NS records beside others.
fn sandbox_that_takes_more() -> zonewright::sandbox::SandboxOptions {
    let mut options = options();
    options.profile.ns_neighbours = zonewright::sandbox::NsNeighbours::Accept;
    options
}

/// Both servers stay until they are interrupted.
#[cfg(unix)]
#[test]
fn the_sandbox_of_a_rehearsal_can_be_asked() {
    let workspace = Workspace::new(options());
    live(&workspace);
    workspace.file("spec.yaml", SPEC);
    let mut command = listening(&workspace.command());
    command.args(["rehearse", "spec.yaml", "--serve"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let base_url = lines
        .find_map(|line| line.strip_prefix("export CLOUDFLARE_BASE_URL=").map(str::to_owned))
        .unwrap();
    let dig = lines.find(|line| line.starts_with("dig @")).unwrap();
    assert_ne!(base_url, workspace.base_url());
    let mut resolver = Resolver::new(address(&dig));
    let reply = resolver.ask("www.example.com", 1).unwrap();
    assert_eq!(reply.answer.into_iter().collect::<Vec<_>>(), ["www.example.com A 192.0.2.8"]);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(workspace.writes().is_empty());
}

/// Returns the address in `dig @ADDRESS -p PORT NAME`.
fn address(line: &str) -> std::net::SocketAddr {
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|word| word.starts_with('@')).unwrap();
    format!("{}:{}", &words[at][1..], words[at + 2]).parse().unwrap()
}

/// Sends an interrupt.
#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let pid = i32::try_from(child.id()).unwrap();
    let sent =
        std::process::Command::new("kill").args(["-INT", &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// `sandbox serve --dns`, as a process.
#[cfg(unix)]
#[test]
fn the_sandbox_answers_dns_queries() {
    let directory = tempfile::tempdir().unwrap();
    let document = json!({ "zones": [{ "name": "example.com", "records": [{ "type": "A", "name": "www", "content": "192.0.2.1" }] }] });
    std::fs::write(directory.path().join("d.json"), document.to_string()).unwrap();
    assert!(
        binary(directory.path())
            .args(["sandbox", "seed", "d.json"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let refused = binary(directory.path())
        .args(["sandbox", "serve", "--listen", "127.0.0.1:0", "--dns", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("loopback"));
    let mut command = listening(&binary(directory.path()));
    command.args(["sandbox", "serve", "--listen", "127.0.0.1:0", "--dns", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let dig = lines.find(|line| line.contains("dig @")).unwrap();
    let mut resolver = Resolver::new(address(&dig));
    assert_eq!(resolver.ask("www.example.com", 1).unwrap().answer.len(), 1);
    assert_eq!(resolver.ask("none.example.com", 1).unwrap().code, 3);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
