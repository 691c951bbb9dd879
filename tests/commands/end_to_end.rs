//! The binary against the sandbox: an apply converges and stays converged, whatever happens
//! meanwhile.

use std::fmt::Write as _;

use crate::support::journals::newest;
use crate::support::workspace::{Workspace, binary, options};
use serde_json::{Value, json};
use zonewright::sandbox::{
    self, Fault, ListOrder, OwnNetwork, Profile, ProxiedTtl, RecordMembers, SandboxOptions,
    TxtQuotes, What, When,
};

/// One record of each type, in mixed spellings.
const EVERYTHING: &str = r#"
      - { name: "@", type: A, content: [192.0.2.10, 192.0.2.11], proxied: true, ttl: 300 }
      - { name: WWW, type: AAAA, content: "2001:0DB8::0:10", ttl: 3600, comment: "with, a \"comment\"" }
      - { name: bücher, type: CNAME, content: Host.Example.NET. }
      - { name: "@", type: MX, content: mx1.example.net., priority: 10 }
      - { name: nomail, type: MX, content: ".", priority: 0 }
      - { name: "@", type: TXT, content: "v=spf1 -all" }
      - { name: long, type: TXT, content: "KKKK" }
      - { name: odd, type: TXT, content: 'a;b "c" \ ü' }
      - { name: cut, type: TXT, content: '"one " "two"' }
      - { name: printer._ipp._tcp, type: TXT, content: '"txtvers=1" "rp=ipp/print"' }
      - { name: key._domainkey, type: TXT, content: '"k=ed25519; " "p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="' }
      - { name: lab, type: NS, content: [ns1.example.net, NS2.example.net.], ttl: 86400 }
      - { name: _sip._tcp, type: SRV, content: "10 5 5060 SIP.example.com." }
      - { name: "@", type: CAA, data: { flags: "0", tag: ISSUE, value: ca.example.net } }
      - { name: "*.wild", type: A, content: 192.0.2.12 }
      - { name: "@", type: HTTPS, content: "1 . ipv4hint=192.0.2.10 ALPN=h3,h2 key3=\\001\\187" }
      - { name: alias, type: HTTPS, data: { priority: 0, target: Pool.example.net } }
      - { name: _dns, type: SVCB, data: { priority: "1", target: DNS.example.com., value: " port=853 alpn=dot" } }
      - { name: "10", type: PTR, content: Host.Example.com. }
      - { name: lab, type: DS, content: "2371 ECDSAP256SHA256 2 ABAB" }
      - { name: "@", type: DNSKEY, content: "257 3 13 bWFk ZS11 cA" }
      - { name: _http._tcp, type: URI, priority: 10, data: { weight: "1", target: "https://example.com/" } }
      - { name: _ftp._tcp, type: URI, content: "10 1 ftp://ftp.example.com/" }
      - { name: naptr, type: NAPTR, content: '100 50 s "SIP+D2U" "" _SIP._udp.example.com' }
      - { name: number, type: NAPTR, content: '100 10 "u" "E2U+sip" "!^(.*)$!sip:\\1@example.com!" .' }
      - { name: www, type: SSHFP, data: { algorithm: "4", type: 2, fingerprint: "ABAB" } }
      - { name: _443._tcp, type: TLSA, content: "3 1 1 ABAB" }
      - { name: a._smimecert, type: SMIMEA, content: "3 0 0 30 82 01 0a" }
      - { name: cert, type: CERT, content: "PKIX 12179 DSA TUlJ Qg" }
      - { name: loc, type: LOC, content: "31 58 52.1 S 115 49 11.7 E 20m" }
      - { name: spot, type: LOC, content: "IN LOC 42 N 71 6 W -24.29m 0.5 0 0" }
      - { name: a._openpgpkey, type: OPENPGPKEY, content: "bWFk ZS11 cC1r ZXk" }"#;

fn everything() -> String {
    EVERYTHING.replace("KKKK", &"k".repeat(600)).replace("ABAB", &"aB".repeat(32))
}

/// Returns `n` address records.
fn addresses(n: usize) -> String {
    (0..n).fold(String::new(), |mut text, n| {
        writeln!(text, "      - {{ name: h{n}, type: A, content: 192.0.2.{} }}", n % 250 + 1)
            .unwrap();
        text
    })
}

fn profile(change: impl FnOnce(&mut Profile)) -> SandboxOptions {
    let mut options = options();
    change(&mut options.profile);
    options
}

fn fault(what: What, method: &str, path: &str, nth: u64) -> Fault {
    Fault {
        when: When::Matching { method: Some(method.into()), path_suffix: path.into(), nth },
        what,
        times: 1,
    }
}

#[test]
fn every_type_settles_in_every_profile() {
    let profiles: [(&str, SandboxOptions); 13] = [
        ("default", options()),
        ("pro", profile(|p| p.tier = "pro".into())),
        ("enterprise", profile(|p| p.tier = "enterprise".into())),
        ("seed shape", profile(|p| p.shape = RecordMembers::Seed)),
        ("every documented member", profile(|p| p.shape = RecordMembers::Full)),
        ("no batches", profile(|p| p.batch = false)),
        (
            "no batches, conflicts linger",
            profile(|p| {
                p.batch = false;
                p.conflict_lag_milliseconds = 50
            }),
        ),
        ("small pages", profile(|p| p.page_limit = 3)),
        ("one a page", profile(|p| p.page_limit = 1)),
        ("random order", profile(|p| p.list_order = ListOrder::Hostile)),
        ("quotes added", profile(|p| p.txt_quotes = TxtQuotes::Auto)),
        ("ttl beside proxied refused", profile(|p| p.proxied_ttl = ProxiedTtl::Refuse)),
        ("own network refused", profile(|p| p.own_network = OwnNetwork::Strict)),
    ];
    for (name, options) in profiles {
        println!("{name}");
        let workspace = Workspace::new(options);
        workspace.records_spec(&everything());
        workspace.settles("spec.yaml");
        assert_eq!(workspace.records("example.com").len(), 34, "{name}");
    }
}

#[test]
fn a_text_keeps_the_strings_that_its_author_wrote() {
    let workspace = Workspace::new(options());
    let content = |name: &str| {
        let name = format!("{name}.example.com");
        workspace.records("example.com").into_iter().find(|r| r["name"] == name).expect("it exists")
            ["content"]
            .clone()
    };
    let (printer, key) = (
        r#""txtvers=1" "rp=ipp/print""#,
        r#""k=ed25519; " "p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=""#,
    );
    let record = |name: &str, content: &str| {
        format!("      - {{ name: {name}, type: TXT, content: '{content}' }}\n")
    };
    let spec = |printer: &str, key: &str| record("printer", printer) + &record("a._domainkey", key);
    workspace.records_spec(&spec(printer, key));
    workspace.settles("spec.yaml");
    assert_eq!((content("printer"), content("a._domainkey")), (printer.into(), key.into()));

    // At `_domainkey`, the strings form one text; elsewhere other strings are another value, and an
    // undo restores the first.
    workspace.records_spec(&spec(
        r#""txtvers=1rp=ipp/print""#,
        "k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    ));
    let plan = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(plan["operations"].as_array().map(Vec::len), Some(1), "{plan}");
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "overwrites-foreign"]).exits(0);
    assert_eq!(
        (content("printer"), content("a._domainkey")),
        (r#""txtvers=1rp=ipp/print""#.into(), key.into())
    );
    let journal = newest(&workspace);
    workspace.run(&["undo", &journal, "--yes"]).exits(0);
    assert_eq!((content("printer"), content("a._domainkey")), (printer.into(), key.into()));

    // An import keeps the strings, and a plan of the import is empty.
    let imported = workspace.run(&["import", "example.com"]).exits(0).stdout;
    for text in [printer, key] {
        assert!(imported.contains(&text.replace('"', "\\\"")), "{imported}");
    }
    workspace.file("spec.yaml", imported);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    workspace.run(&["drift", "spec.yaml"]).exits(0);
}

#[test]
fn requests_are_as_few_as_can_be() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(150));
    let plan = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(plan["requests"], json!({ "made": 2, "to_apply": 1 }));
    let seen: Vec<_> = workspace.requests().iter().map(|r| r.path.clone()).collect();
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen[0].starts_with("/zones?name=example.com&"), "{seen:?}");
    assert!(seen[1].contains("/dns_records?") && seen[1].contains("per_page=5000"), "{seen:?}");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    // Lookup, listing, one batch, reading back.
    assert_eq!(workspace.requests().len(), 2 + 4);
    assert_eq!(workspace.writes().len(), 1);
}

#[test]
fn batches_are_sized_by_the_plan_and_the_flag() {
    let writes = |tier: &str, flags: &[&str]| {
        let workspace = Workspace::new(profile(|p| {
            p.tier = tier.into();
            p.record_quota = Some(10_000)
        }));
        workspace.records_spec(&addresses(400));
        workspace.run(&[&["apply", "spec.yaml", "--yes"], flags].concat()).exits(0);
        workspace.writes().len()
    };
    assert_eq!(writes("free", &[]), 2);
    assert_eq!(writes("pro", &[]), 1);
    assert_eq!(writes("pro", &["--batch-size", "100"]), 4);
    assert_eq!(writes("pro", &["--batch-size", "99"]), 5);
    assert_eq!(writes("free", &["--batch-size", "1000"]), 2);
}

#[test]
fn ten_plans_in_a_row_are_empty_whatever_the_order() {
    let workspace = Workspace::new(profile(|p| p.list_order = ListOrder::Hostile));
    workspace.records_spec(&format!("{}\n{}", everything(), addresses(100)));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    for _ in 0..10 {
        let plan = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
        assert_eq!((&plan["verdict"], &plan["operations"]), (&json!("in-sync"), &json!([])));
    }
    assert_eq!(workspace.writes().len(), 1);
}

#[test]
fn a_changed_field_is_patched_alone() {
    let workspace = Workspace::new(options());
    workspace.records_spec(
        "      - { name: www, type: A, content: 192.0.2.1, ttl: 300, comment: kept }",
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let before = workspace.records("example.com");
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1, ttl: 600 }");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let after = workspace.records("example.com");
    let body = workspace.writes().last().unwrap().body.clone().unwrap();
    assert_eq!(body, json!({ "patches": [{ "id": before[0]["id"], "ttl": 600 }] }));
    assert_eq!((&after[0]["id"], &after[0]["comment"]), (&before[0]["id"], &json!("kept")));
}

#[test]
fn deletes_need_their_exact_number() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "A", "name": "old", "content": "192.0.2.1" }, { "type": "A", "name": "old", "content": "192.0.2.2" },
        { "type": "A", "name": "other", "content": "192.0.2.3" },
        { "type": "TXT", "name": "old", "content": "\"in use\"" },
    ]));
    workspace.records_spec("      - { name: old, type: A, state: absent }");
    let refused = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(3);
    assert!(refused.stdout.contains("--allow-deletes 2"), "{}", refused.stdout);
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow-deletes", "1"]).exits(3);
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow-deletes", "3"]).exits(3);
    assert_eq!(workspace.writes().len(), 0);
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow-deletes", "2"]).exits(3);
    let consents = ["--allow-deletes", "2", "--allow", "removes-last-address"];
    workspace.run(&[&["apply", "spec.yaml", "--yes"][..], &consents].concat()).exits(0);
    assert_eq!(workspace.records("example.com").len(), 2);
    workspace.run(&[&["apply", "spec.yaml", "--yes"][..], &consents].concat()).exits(0);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
}

#[test]
fn a_change_of_type_is_one_batch() {
    for batch in [true, false] {
        let workspace = Workspace::new(profile(|p| {
            p.batch = batch;
            p.conflict_lag_milliseconds = 0
        }));
        workspace.plant_records(
            json!([{ "type": "CNAME", "name": "www", "content": "host.example.net" }]),
        );
        workspace.records_spec("      - { name: www, type: A, content: [192.0.2.1, 192.0.2.2] }");
        workspace.run(&["apply", "spec.yaml", "--yes", "--allow-deletes", "1"]).exits(0);
        let bodies: Vec<_> = workspace
            .writes()
            .into_iter()
            .map(|r| (r.method, r.body.unwrap_or_default()))
            .collect();
        if batch {
            assert_eq!(bodies.len(), 1);
            assert_eq!(
                (
                    bodies[0].1["deletes"].as_array().unwrap().len(),
                    bodies[0].1["posts"].as_array().unwrap().len()
                ),
                (1, 2)
            );
        } else {
            let methods: Vec<_> = bodies.iter().map(|(m, _)| m.as_str()).collect();
            assert_eq!(
                methods,
                ["POST", "DELETE", "POST", "POST"],
                "the first is the batch that is not there"
            );
        }
        assert!(!bodies.iter().any(|(m, body)| m == "PATCH" && body.get("type").is_some()));
        assert_eq!(workspace.records("example.com").len(), 2);
    }
}

#[test]
fn a_name_emptied_for_nothing_is_filled_again() {
    let workspace = Workspace::new(profile(|p| p.batch = false));
    workspace
        .plant_records(json!([{ "type": "CNAME", "name": "www", "content": "host.example.net", "comment": "mine" }]));
    // Only Cloudflare knows that the plan of the zone does not have this setting.
    workspace.records_spec(
        "      - { name: www, type: A, content: 192.0.2.1, proxied: true, settings: { ipv4_only: true } }",
    );
    let ran = workspace.run(&["apply", "spec.yaml", "--yes", "--allow-deletes", "1"]).exits(5);
    assert!(ran.stdout.contains("IPv4 Only"), "{}", ran.stdout);
    let records = workspace.records("example.com");
    assert_eq!(
        (records.len(), &records[0]["content"], &records[0]["comment"]),
        (1, &json!("host.example.net"), &json!("mine"))
    );
}

/// Requests that the sandbox would refuse in the middle of an apply are refused before the first
/// request.
#[test]
fn a_spec_with_a_lint_error_makes_no_request() {
    let workspace = Workspace::new(options());
    workspace.records_spec("      - { name: www, type: A, content: 10.0.0.1, proxied: true }");
    for arguments in
        [&["validate", "spec.yaml"][..], &["plan", "spec.yaml"], &["apply", "spec.yaml", "--yes"]]
    {
        let ran = workspace.run(arguments).exits(1);
        assert!(
            ran.stderr.contains("LINT0002") && ran.stderr.contains("spec.yaml:5:40"),
            "{}",
            ran.stderr
        );
    }
    let json = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(1).json();
    assert_eq!(
        (&json["kind"], &json["diagnostics"][0]["code"]),
        (&json!("diagnostics"), &json!("LINT0002"))
    );
    assert_eq!(workspace.requests().len(), 0);
    // A warning is shown, and the run continues.
    workspace.records_spec("      - { name: www.unknown.net, type: A, content: 192.0.2.1 }");
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(ran.stderr.contains("LINT0011"), "{}", ran.stderr);
    assert_eq!(workspace.records("example.com").len(), 1);
}

#[test]
fn a_dry_run_prints_the_requests_and_sends_none() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&everything());
    let shown =
        workspace.run(&["apply", "spec.yaml", "--dry-run", "--format", "json"]).exits(0).json();
    assert_eq!(workspace.writes().len(), 0);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let sent = &workspace.writes()[0];
    assert_eq!(shown["requests"].as_array().unwrap().len(), 1);
    assert_eq!(
        (shown["requests"][0]["path"].as_str().unwrap(), &shown["requests"][0]["body"]),
        (sent.path.as_str(), sent.body.as_ref().unwrap())
    );
    let text = workspace.run(&["apply", "spec.yaml", "--dry-run"]).exits(0);
    assert!(text.stdout.contains("in sync") || text.stdout.contains("In sync"), "{}", text.stdout);
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(1));
    let ran = workspace.run(&["apply", "spec.yaml"]).exits(3);
    assert!(ran.stderr.contains("--yes"), "{}", ran.stderr);
    assert_eq!(workspace.writes().len(), 0);
}

#[test]
fn one_bad_record_does_not_keep_the_others_back() {
    for batch in [true, false] {
        let workspace = Workspace::new(profile(|p| p.batch = batch));
        // A refusal of the sandbox simulates a record of someone else that the listing does not
        // show.
        workspace.records_spec(&format!(
            "{}      - {{ name: worker, type: CNAME, content: x.example.net, settings: {{ ipv4_only: true }} }}",
            addresses(20)
        ));
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(5);
        assert!(ran.stdout.contains("20 of 21 operations done"), "{}", ran.stdout);
        assert!(ran.stdout.contains("refused  example.com/dns/worker/CNAME"), "{}", ran.stdout);
        assert_eq!(workspace.records("example.com").len(), 20);
    }
}

#[test]
fn lost_answers_are_settled_by_reading() {
    let faults = [
        What::ResetAfterEffect,
        What::ResetBeforeEffect,
        What::ResetMidBody,
        What::TruncateBody,
        What::StatusAfterEffect { code: 502 },
        What::Status { code: 503, html: true, retry_after: None },
        What::Status { code: 500, html: false, retry_after: None },
        What::NotJson200,
    ];
    for what in faults {
        for batch in [true, false] {
            println!("{what:?}, batch: {batch}");
            let workspace = Workspace::new(profile(|p| p.batch = batch));
            workspace.records_spec(&addresses(10));
            let path = if batch { "/dns_records/batch" } else { "/dns_records" };
            workspace.fault(fault(what.clone(), "POST", path, 1));
            workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
            assert_eq!(workspace.records("example.com").len(), 10);
            workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
        }
    }
}

#[test]
fn refusals_to_serve_are_waited_for() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(3));
    workspace.fault(fault(
        What::Status { code: 429, html: false, retry_after: Some(0) },
        "GET",
        "/zones",
        1,
    ));
    workspace.fault(fault(
        What::Status { code: 429, html: true, retry_after: Some(0) },
        "POST",
        "/batch",
        1,
    ));
    workspace.fault(fault(
        What::Status { code: 522, html: true, retry_after: Some(0) },
        "GET",
        "/dns_records",
        1,
    ));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert_eq!(workspace.records("example.com").len(), 3);
}

#[test]
fn an_error_is_never_an_empty_zone() {
    for what in [
        What::SuccessFalse200,
        What::Status { code: 404, html: true, retry_after: None },
        What::Status { code: 405, html: false, retry_after: None },
    ] {
        let workspace = Workspace::new(options());
        workspace.plant_records(json!([{ "type": "A", "name": "h0", "content": "192.0.2.1" }]));
        workspace.records_spec(&addresses(3));
        workspace.fault(Fault { times: 100, ..fault(what.clone(), "GET", "/dns_records", 1) });
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert!(
            ran.stderr.lines().any(|line| line.starts_with("error: ")),
            "{what:?}: {}",
            ran.stderr
        );
        assert_eq!(workspace.writes().len(), 0);
    }
}

#[test]
fn both_ways_of_authentication() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(1));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let schemes = |w: &Workspace| {
        w.requests()
            .iter()
            .map(|r| format!("{:?}", r.scheme))
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(schemes(&workspace).len(), 1);
    let before = workspace.requests().len();
    let mut command = workspace.command();
    let key_file = workspace.file("key", format!("{}\n", sandbox::KEY));
    command
        .env_remove("CLOUDFLARE_API_TOKEN")
        .env("CLOUDFLARE_EMAIL", sandbox::EMAIL)
        .env("CLOUDFLARE_API_KEY_FILE", key_file);
    let output = command.args(["plan", "spec.yaml"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(workspace.requests().len(), before + 2);
    assert_eq!(schemes(&workspace).len(), 2);
}

#[test]
fn wrong_credentials_are_explained() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(1));
    for token in ["x", "not-the-token-00000000000000000000000000", "Bearer abc"] {
        let output = workspace
            .command()
            .env("CLOUDFLARE_API_TOKEN", token)
            .args(["apply", "spec.yaml", "--yes"])
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("token"), "{stderr}");
        assert!(token == "x" || !stderr.contains(token), "{stderr}");
    }
    let output = workspace
        .command()
        .env_remove("CLOUDFLARE_API_TOKEN")
        .args(["plan", "spec.yaml"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("CLOUDFLARE_API_TOKEN"));
    assert_eq!(workspace.writes().len(), 0);
}

#[test]
fn no_secret_gets_out() {
    let (token, key, email) = (
        "Tk9fU0VDUkVUX0dFVFNfT1VU0123456789abcdef",
        "c0ffee0c0ffee0c0ffee0c0ffee0c0ffee012",
        "planted@secrets.example",
    );
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(2));
    for arguments in [
        &["plan", "spec.yaml", "-vv"][..],
        &["apply", "spec.yaml", "--yes", "-vvv"],
        &["plan", "spec.yaml", "--format", "json", "--key-fallback"],
        &["validate", "spec.yaml"],
    ] {
        let mut command = workspace.command();
        command
            .env("CLOUDFLARE_API_TOKEN", token)
            .env("CLOUDFLARE_API_KEY", key)
            .env("CLOUDFLARE_EMAIL", email);
        let output = command.args(arguments).output().unwrap();
        let all = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        for secret in [token, key, email] {
            assert!(!all.contains(secret), "{arguments:?}: {all}");
        }
    }
}

#[test]
fn a_missing_zone_is_an_error_with_a_place() {
    let workspace = Workspace::empty(options());
    workspace.records_spec(&addresses(1));
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains("does not exist") && ran.stderr.contains("spec.yaml:3"),
        "{}",
        ran.stderr
    );
    assert_eq!(workspace.writes().len(), 0);
}

#[test]
fn nobody_listening_is_an_error() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(1));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/client/v4", listener.local_addr().unwrap());
    drop(listener);
    let output = workspace
        .command()
        .env("CLOUDFLARE_BASE_URL", url)
        .args(["plan", "spec.yaml"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    for url in [
        "http://api.example.com/client/v4",
        "https://user:pw@api.example.com",
        "ftp://x",
        "nonsense",
    ] {
        let output = workspace
            .command()
            .env("CLOUDFLARE_BASE_URL", url)
            .args(["plan", "spec.yaml"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{url}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("pw@"), "{output:?}");
    }
}

#[test]
fn a_quota_that_is_known_is_kept() {
    let workspace = Workspace::new(profile(|p| p.record_quota = Some(100)));
    workspace.records_spec(&addresses(250));
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(ran.stderr.contains("quota is 100"), "{}", ran.stderr);
    assert_eq!(workspace.writes().len(), 0);
    let roomy = Workspace::new(profile(|p| p.record_quota = Some(1000)));
    roomy.records_spec(&addresses(250));
    roomy.settles("spec.yaml");
}

#[test]
fn killed_in_the_middle_it_converges_the_next_time() {
    let workspace = Workspace::new(profile(|p| p.latency_milliseconds = 5));
    workspace.records_spec(&addresses(120));
    for batches in [3, 9, 17] {
        let mut child = workspace.start(&["apply", "spec.yaml", "--yes", "--batch-size", "5"]);
        let done = |w: &Workspace| w.writes().len();
        while done(&workspace) < batches && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(workspace.records("example.com").len() < 120, "it was never interrupted");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let mut names: Vec<String> =
        workspace.records("example.com").iter().map(|r| r["name"].to_string()).collect();
    assert_eq!(names.len(), 120);
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 120, "nothing is there twice");
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn the_journal_tells_what_was_done() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(2));
    workspace.run(&["apply", "spec.yaml", "--yes", "--journal", "j"]).exits(0);
    // The lock is in the directory of the journal.
    let mut files =
        std::fs::read_dir(workspace.path().join("j")).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_some_and(|e| e == "jsonl")).unwrap();
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions())
            & 0o777,
        0o600
    );
    let text = std::fs::read_to_string(file).unwrap();
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let events: Vec<_> = lines.iter().map(|l| l["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["begin", "intent", "outcome", "verified", "end"]);
    assert_eq!(
        (&lines[2]["outcome"], lines[2]["ids"].as_array().unwrap().len(), &lines[3]["remaining"]),
        (&json!("done"), 2, &json!(0))
    );
    assert!(!text.contains(sandbox::TOKEN));
}

#[test]
#[cfg(target_os = "linux")]
fn a_result_that_cannot_be_printed_does_not_say_that_nothing_was_written() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(2));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = workspace
        .command()
        .args(["apply", "spec.yaml", "--yes", "--format", "json"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert_eq!(workspace.records("example.com").len(), 2);
}

#[test]
fn json_needs_a_decision_beforehand() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(2));
    workspace.run(&["apply", "spec.yaml", "--format", "json"]).exits(64);
    assert_eq!(workspace.requests().len(), 0);
}

#[test]
fn what_did_not_converge_is_named() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(2));
    workspace.fault(Fault { times: 100, ..fault(What::StaleRead, "GET", "/dns_records", 2) });
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(5);
    assert!(ran.stdout.contains("left  example.com/dns/h0/A"), "{}", ran.stdout);
}

#[test]
fn a_journal_that_cannot_be_written_stops_everything() {
    let workspace = Workspace::new(options());
    workspace.records_spec(&addresses(2));
    workspace.file("taken", "");
    workspace.run(&["apply", "spec.yaml", "--yes", "--journal", "taken"]).exits(1);
    assert_eq!(workspace.writes().len(), 0);
}

#[test]
fn examples_are_applied_and_stay_applied() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for example in [
        "examples/minimal",
        "examples/mail-domain",
        "examples/many-zones/main.yaml",
        "examples/whole-zone",
    ] {
        let directory = tempfile::TempDir::new().unwrap();
        let spec = root.join(example);
        let run = |arguments: &[&str]| {
            let output = binary(directory.path())
                .args(arguments)
                .arg(&spec)
                .arg("--sandbox")
                .output()
                .unwrap();
            crate::support::workspace::Ran::from(output)
        };
        let first = run(&["apply", "--yes"]).exits(0);
        assert!(first.stdout.contains("in sync, read back"), "{}", first.stdout);
        let second = run(&["apply", "--yes"]).exits(0);
        assert!(second.stdout.contains("In sync: nothing to do."), "{}", second.stdout);
        run(&["plan", "--detailed-exitcode"]).exits(0);
    }
}

/// The managed rulesets of the example need a paid plan; expired entries are removed.
#[test]
fn the_tuned_example_is_applied_and_its_entries_expire() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = Workspace::empty(profile(|p| p.tier = "business".to_owned()));
    workspace
        .plant(&json!({ "zones": [{ "name": "example.com", "plan": "business", "records": [] }] }));
    workspace.file(
        "spec.yaml",
        std::fs::read_to_string(root.join("examples/waf-tuning/zone.yaml")).unwrap(),
    );
    let day = ["--today", "2026-11-20"];
    workspace.run(&[&["apply", "spec.yaml", "--yes"], &day[..]].concat()).exits(0);
    workspace.run(&[&["plan", "spec.yaml", "--detailed-exitcode"], &day[..]].concat()).exits(0);
    let later = workspace
        .run(&["plan", "spec.yaml", "--detailed-exitcode", "--today", "2029-02-01"])
        .exits(2);
    assert!(
        later.stderr.contains("WAF0022") && later.stdout.contains("editor"),
        "{}{}",
        later.stdout,
        later.stderr
    );
}
