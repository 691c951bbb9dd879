//! Foreign records, records that the spec no longer names, and delegations: in the whole program.

use serde_json::{Value, json};
use zonewright::sandbox::DsWithoutNs;

use crate::support::journals::{newest, world};
use crate::support::workspace::{Workspace, document_formats, options_on};

/// Returns a zone on a plan with tags.
fn workspace() -> Workspace {
    let mut options = options_on("business");
    options.profile.ds_without_ns = DsWithoutNs::Refuse;
    Workspace::new(options)
}

/// Writes the base, `before.yaml`.
fn base(workspace: &Workspace, records: &str) {
    workspace.file(
        "before.yaml",
        format!("version: 1\nzones:\n  example.com:\n    records:\n{records}\n"),
    );
}

const BASE: [&str; 2] = ["--base", "./before.yaml"];

#[test]
fn a_foreign_value_is_shown_with_what_its_maker_said_and_stays_without_consent() {
    let workspace = workspace();
    workspace.plant_records(json!([
        { "type": "CNAME", "name": "shop.example.com", "content": "theirs.example.net", "comment": "ask \u{1b}[31mAnna", "tags": ["team:web"] },
        { "type": "A", "name": "www.example.com", "content": "192.0.2.9", "comment": "theirs" },
    ]));
    base(&workspace, "      - { name: mail, type: A, content: 192.0.2.3 }");
    workspace.records_spec(
        "      - { name: shop, type: CNAME, content: ours.example.net }\n      - { name: www, type: A, content: 192.0.2.1 }",
    );
    let run = |arguments: &[&str]| workspace.run(&[arguments, &BASE].concat());
    let text = run(&["plan", "spec.yaml"]).exits(0).stdout;
    for words in [
        "(replaces a foreign value)",
        r#"live: comment "ask \u{1b}[31mAnna"; tags team:web"#,
        "! overwrites-foreign",
        "--allow overwrites-foreign",
        "beside 1 live value that the spec does not name",
        "replaces what someone else created (last changed 20",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    for format in ["markdown", "html", "json"] {
        let shown = run(&["plan", "spec.yaml", "--format", format]).exits(0).stdout;
        for words in ["replaces a foreign value", "team:web", "overwrites-foreign"] {
            assert!(shown.contains(words), "{format}: {words:?} is not in\n{shown}");
        }
        assert!(!shown.contains('\u{1b}'), "{format}");
    }
    let github = run(&["plan", "spec.yaml", "--format", "github"]).exits(0).stdout;
    assert!(
        github.contains("overwrites-foreign")
            && github.contains("replaces what someone else created"),
        "{github}"
    );
    let json = run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    let shop = json["operations"]
        .as_array()
        .expect("operations")
        .iter()
        .find(|o| o["action"] == "update")
        .expect("one");
    assert_eq!(
        (&shop["cause"], &shop["dangers"]),
        (&json!("both"), &json!(["overwrites-foreign"]))
    );
    assert_eq!(
        (&shop["before"]["comment"], &shop["before"]["tags"]),
        (&json!("ask \u{1b}[31mAnna"), &json!(["team:web"]))
    );
    let drift = run(&["drift", "spec.yaml", "--format", "json"]).exits(2).json();
    let found = drift["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .find(|f| f["action"] == "update")
        .expect("one");
    assert_eq!(found["state"], "conflicting");

    // The exit code reports it, if that is requested.
    run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(3);
    run(&["plan", "spec.yaml", "--detailed-exitcode", "--allow", "overwrites-foreign"]).exits(2);
    let writes = workspace.writes().len();
    run(&["apply", "spec.yaml", "--yes", "--allow", "overrides-conflict"]).exits(3);
    assert_eq!(workspace.writes().len(), writes);
    run(&["apply", "spec.yaml", "--yes", "--allow", "overwrites-foreign"]).exits(0);
    let contents: Vec<Value> =
        workspace.records("example.com").iter().map(|r| r["content"].clone()).collect();
    assert!(
        contents.contains(&json!("192.0.2.9")) && contents.contains(&json!("192.0.2.1")),
        "{contents:?}"
    );
    run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn without_a_base_a_replaced_value_is_called_so() {
    let workspace = workspace();
    workspace.plant_records(json!([
        { "type": "TXT", "name": "note.example.com", "content": "\"some words\"", "comment": "by Anna" },
        { "type": "A", "name": "www.example.com", "content": "192.0.2.9", "tags": ["cdn:yes"] },
    ]));
    workspace.records_spec(
        "      - { name: note, type: TXT, content: other words }\n      - { name: www, type: A, content: 192.0.2.1 }",
    );
    let text = workspace.run(&["plan", "spec.yaml"]).exits(0).stdout;
    for words in [
        "of unknown origin)\n      live: comment \"by Anna\"",
        "of unknown origin)\n      live: tags cdn:yes",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(3);
    assert!(
        ran.stdout
            .contains("is replaced: 1 operation. To allow it, add --allow overwrites-foreign"),
        "{}",
        ran.stdout
    );
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "overwrites-foreign"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

const DELEGATED: &str = "      - { name: lab, type: NS, content: [ns1.example.net, ns2.example.net] }\n      - { name: lab, type: DS, content: 2371 13 2 1f987cc6583e92df0890718c42a4ad13f6ee0a5c8a5e2c3a9e1d7a8b9c0d1e2f }";

#[test]
fn a_delegation_with_ds_is_made_and_unmade_in_the_order_that_holds() {
    for batch in [true, false] {
        let mut options = options_on("business");
        options.profile.ds_without_ns = DsWithoutNs::Refuse;
        options.profile.batch = batch;
        let workspace = Workspace::new(options);
        let empty = world(&workspace);
        workspace.records_spec(DELEGATED);
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        let delegated = world(&workspace);
        let journal = newest(&workspace);
        let undo = ["--yes", "--allow-deletes", "3", "--allow", "changes-dnssec,breaks-delegation"];
        workspace.run(&[&["undo", journal.as_str()][..], &undo].concat()).exits(0);
        assert_eq!(world(&workspace), empty, "undone");
        let own = newest(&workspace);
        workspace.run(&["undo", &own, "--yes"]).exits(0);
        assert_eq!(world(&workspace), delegated, "brought again");

        // An address replaces the delegation, and the spec does not mention the DS record.
        workspace.records_spec("      - { name: lab, type: A, content: 192.0.2.1 }");
        let replace = [
            "--yes",
            "--allow-deletes",
            "3",
            "--allow",
            "changes-dnssec,overwrites-foreign,breaks-delegation",
        ];
        workspace.run(&[&["apply", "spec.yaml"][..], &replace].concat()).exits(0);
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
        let journal = newest(&workspace);
        let back =
            ["--yes", "--allow-deletes", "1", "--allow", "removes-last-address,breaks-delegation"];
        workspace.run(&[&["undo", journal.as_str()][..], &back].concat()).exits(0);
        assert_eq!(world(&workspace), delegated, "brought back");
    }
}

#[test]
fn a_ds_that_must_stay_keeps_its_delegation() {
    let workspace = workspace();
    workspace.records_spec(DELEGATED);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let writes = workspace.writes().len();
    workspace.file("spec.yaml", "version: 1\nzones:\n  example.com:\n    ignore: [{ type: DS }]\n    records:\n      - { name: lab, type: A, content: 192.0.2.1 }\n");
    let ran = workspace
        .run(&[
            "apply",
            "spec.yaml",
            "--yes",
            "--allow-deletes",
            "2",
            "--allow",
            "overwrites-foreign",
        ])
        .exits(1);
    assert!(
        ran.stderr.contains("PLAN0037") && ran.stderr.contains("is named by `ignore`"),
        "{}",
        ran.stderr
    );
    assert_eq!(workspace.writes().len(), writes);

    // Someone adds a DS to a delegation, which is then undone.
    let workspace = self::workspace();
    workspace.records_spec("      - { name: lab, type: NS, content: ns1.example.net }");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let journal = newest(&workspace);
    let digest = "1f987cc6583e92df0890718c42a4ad13f6ee0a5c8a5e2c3a9e1d7a8b9c0d1e2f";
    workspace.plant_records(json!([{ "type": "DS", "name": "lab.example.com", "data": { "key_tag": 1, "algorithm": 13, "digest_type": 2, "digest": digest } }]));
    let writes = workspace.writes().len();
    let ran = workspace.run(&["undo", &journal, "--yes", "--allow-deletes", "1"]).exits(4);
    assert!(
        format!("{}{}", ran.stdout, ran.stderr).contains("a DS record that needs it exists now"),
        "{ran:?}"
    );
    assert_eq!(workspace.writes().len(), writes);
}

#[test]
fn what_the_spec_stops_naming_is_said_in_every_output() {
    let workspace = workspace();
    let full = "      - { name: www, type: A, content: 192.0.2.1, proxied: true, comment: web, tags: [\"team:web\"] }\n      - { name: api, type: A, content: 192.0.2.2, proxied: false, ttl: 300 }\n      - { name: ftp, type: A, content: 192.0.2.3, ttl: 600 }";
    base(&workspace, full);
    workspace.records_spec(full);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }\n      - { name: api, type: A, content: 192.0.2.9, proxied: false }\n      - { name: ftp, type: A, content: 192.0.2.3 }");
    let run = |arguments: &[&str]| workspace.run(&[arguments, &BASE].concat());
    let expected = [
        "`proxied` of www A is no longer managed; it stays on",
        "`comment` of www A is no longer managed; it stays \"web\"",
        "`tags` of www A is no longer managed; it stays team:web",
        "`ttl` of 2 records is no longer managed; it stays as it is: ftp A (600), api A (300)",
    ];
    for format in ["text", "json"].into_iter().chain(document_formats("plan")) {
        let ran = run(&["plan", "spec.yaml", "--format", format]);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains("PLAN0038"), "{format}: {all}");
        assert!(all.matches("no longer managed").count() >= 4, "{format}: {all}");
    }
    let json = run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    let details: Vec<&str> = json["diagnostics"]
        .as_array()
        .expect("some")
        .iter()
        .filter(|d| d["code"] == "PLAN0038")
        .filter_map(|d| d["detail"].as_str())
        .collect();
    for words in expected {
        assert!(details.contains(&words), "{words}: {details:#?}");
    }
    // Only with a base, and only once.
    let without = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0);
    assert!(!without.stdout.contains("PLAN0038"), "{}", without.stdout);
    // The same for settings and protection.
    workspace.file("before.yaml", "version: 1\nzones:\n  example.com:\n    settings: { ssl: strict, min_tls_version: \"1.2\" }\n    dnssec: on\n    records: []\n    waf: { owasp: { paranoia: 2, threshold: medium }, cloudflare: on }\n");
    workspace.file("spec.yaml", "version: 1\nzones:\n  example.com:\n    settings: { ssl: strict }\n    records: []\n    waf: { owasp: { paranoia: 2 } }\n");
    let said = run(&["plan", "spec.yaml", "--format", "json"]).stdout;
    for words in [
        "the setting `min_tls_version`",
        "`dnssec`",
        "`threshold` of `owasp`",
        "the deployment of `cloudflare`",
    ] {
        assert!(
            said.contains(&format!("{words} is no longer managed; it stays as it is")),
            "{words}: {said}"
        );
    }
    assert!(!said.contains("`ssl`"), "{said}");
}

#[test]
fn a_ttl_that_a_proxied_record_cannot_have_is_not_in_sync_without_a_word() {
    let workspace = workspace();
    workspace.plant_records(json!([
        { "type": "A", "name": "api.example.com", "content": "192.0.2.1", "proxied": true },
        { "type": "A", "name": "www.example.com", "content": "192.0.2.9", "proxied": true },
        { "type": "A", "name": "ftp.example.com", "content": "192.0.2.3", "ttl": 300 },
    ]));
    workspace.records_spec("      - { name: api, type: A, content: 192.0.2.1, ttl: 300 }\n      - { name: ftp, type: A, content: 192.0.2.3, ttl: 300 }");
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(ran.stdout.contains("In sync"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("PLAN0039") && ran.stderr.contains("api A (ttl 300) is proxied live"),
        "{}",
        ran.stderr
    );
    // The same if its value changes and it stays proxied.
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.2, ttl: 300 }");
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(ran.stderr.contains("www A (ttl 300) is proxied live"), "{}", ran.stderr);
    workspace.records_spec("      - { name: ftp, type: A, content: 192.0.2.3, ttl: 300 }\n      - { name: api, type: A, content: 192.0.2.1, proxied: true }");
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(!ran.stderr.contains("PLAN0039"), "{}", ran.stderr);
}
