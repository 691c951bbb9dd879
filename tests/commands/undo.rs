//! Undo: changes of an apply are reverted, and changes that someone else made since are kept.

use std::fs;

use crate::support::journals::{newest, world};
use crate::support::workspace::{Ran, Workspace, options};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, SandboxOptions, What, When};

/// Returns records for every kind of change, and one that no spec names.
fn planted(options: SandboxOptions) -> Workspace {
    let workspace = Workspace::new(options);
    workspace.plant_records(json!([
        { "type": "A", "name": "www.example.com", "content": "192.0.2.1", "ttl": 300, "comment": "the old one" },
        { "type": "CNAME", "name": "swap.example.com", "content": "host.example.net", "ttl": 600 },
        { "type": "TXT", "name": "gone.example.com", "content": "\"bye\"", "ttl": 900, "comment": "needed once" },
        { "type": "MX", "name": "mail.example.com", "content": "mx1.example.net", "priority": 10, "ttl": 300 },
        { "type": "A", "name": "foreign.example.com", "content": "192.0.2.99", "ttl": 300 },
    ]));
    workspace
}

const CHANGES: &str = r#"      - { name: www, type: A, content: 192.0.2.2, ttl: 600, comment: "the new one" }
      - { name: swap, type: A, content: 192.0.2.3, ttl: 120 }
      - { name: gone, type: TXT, state: absent }
      - { name: mail, type: MX, priority: 20, content: mx2.example.net }
      - { name: fresh, type: SRV, content: "10 5 5060 sip.example.com." }
      - { name: fresh, type: TXT, content: "hällo" }"#;

/// Changes the record with this name, as someone else would.
fn someone(workspace: &Workspace, method: &str, name: &str, body: &Value) {
    let dump = workspace.dump();
    let zone = &dump["zones"][0];
    let record = zone["records"].as_array().unwrap().iter().find(|r| r["name"] == name).unwrap();
    let path = format!(
        "/zones/{}/dns_records/{}",
        zone["id"].as_str().unwrap(),
        record["id"].as_str().unwrap()
    );
    workspace.write(method, &path, body);
}

/// A zone that was created later under the name of the one that the apply wrote to is another zone,
/// and an undo has no spec to correct.
#[test]
fn a_zone_that_was_created_anew_is_not_touched() {
    let workspace = planted(options());
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.2, ttl: 600 }");
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "overwrites-foreign"]).exits(0);
    let journal = newest(&workspace);
    let zone = workspace.dump()["zones"][0].clone();
    let (id, account) = (zone["id"].as_str().unwrap(), zone["account"]["id"].as_str().unwrap());
    workspace.write("DELETE", &format!("/zones/{id}"), &json!({}));
    let is_refused = |account: Option<&str>| {
        let mut command = workspace.command();
        command.envs(account.map(|account| ("CLOUDFLARE_ACCOUNT_ID", account)));
        let ran: Ran = command.args(["undo", &journal, "--yes"]).output().unwrap().into();
        let ran = ran.exits(1);
        assert!(ran.stderr.contains(id) && ran.stderr.contains("created later"), "{}", ran.stderr);
        for of_specs in ["create: true", "`id`", "CLOUDFLARE_ACCOUNT_ID"] {
            assert!(!ran.stderr.contains(of_specs), "{}", ran.stderr);
        }
    };
    is_refused(None);
    is_refused(Some(account));
    workspace.plant(&json!({ "zones": [{ "name": "example.com", "records": [] }] }));
    let writes = workspace.writes().len();
    is_refused(None);
    is_refused(Some(account));
    is_refused(Some(&"ab".repeat(16)));
    assert_eq!(workspace.writes().len(), writes);
}

#[test]
fn an_apply_of_every_kind_is_taken_back_and_brought_again() {
    for batch in [true, false] {
        let mut options = options();
        options.profile.batch = batch;
        let workspace = planted(options);
        workspace.records_spec(CHANGES);
        let before = world(&workspace);
        workspace
            .run(&[
                "apply",
                "spec.yaml",
                "--yes",
                "--allow-deletes",
                "2",
                "--allow",
                "changes-mail,overwrites-foreign",
            ])
            .exits(0);
        let after = world(&workspace);
        assert_ne!(before, after);
        let journal = newest(&workspace);

        // An undo is shown like any plan, needs the same consents, and names the origin of each
        // operation.
        let writes = workspace.writes().len();
        let refused = workspace.run(&["undo", &journal, "--yes"]).exits(3);
        assert!(
            refused.stdout.contains("created by the apply that is undone"),
            "{}",
            refused.stdout
        );
        assert!(refused.stdout.contains("--allow-deletes 3"), "{}", refused.stdout);
        let dry = workspace
            .run(&[
                "undo",
                &journal,
                "--dry-run",
                "--allow-deletes",
                "3",
                "--allow",
                "changes-mail",
            ])
            .exits(0);
        assert!(dry.stdout.contains("dns_records"), "{}", dry.stdout);
        assert_eq!(workspace.writes().len(), writes);

        let undone = workspace
            .run(&["undo", &journal, "--yes", "--allow-deletes", "3", "--allow", "changes-mail"])
            .exits(0);
        assert!(undone.stdout.contains("in sync, read back"), "{}", undone.stdout);
        assert_eq!(world(&workspace), before);
        // A second undo has nothing to do.
        let writes = workspace.writes().len();
        let again = workspace.run(&["undo", &journal, "--yes"]).exits(0);
        assert!(again.stdout.contains("nothing to do"), "{}", again.stdout);
        assert_eq!(workspace.writes().len(), writes);

        // The undo has a journal of its own, which can be undone.
        let own = newest(&workspace);
        assert_ne!(own, journal);
        workspace
            .run(&["undo", &own, "--yes", "--allow-deletes", "2", "--allow", "changes-mail"])
            .exits(0);
        assert_eq!(world(&workspace), after);
    }
}

#[test]
fn only_the_fields_that_were_changed_are_sent() {
    let workspace = planted(options());
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1, ttl: 600 }");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let journal = newest(&workspace);
    let dry = workspace.run(&["undo", &journal, "--dry-run", "--format", "json"]).exits(0).json();
    let patch = &dry["requests"][0]["body"]["patches"][0];
    let members: Vec<&String> = patch.as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "ttl"], "{dry}");
    assert_eq!(patch["ttl"], 300);
}

/// Journals of later applies know which records have new ids. One that cannot be read is named.
#[test]
fn a_later_journal_that_cannot_be_read_is_named() {
    let workspace = planted(options());
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1, ttl: 600 }");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let journal = newest(&workspace);
    let dry_run = ["undo", &journal, "--dry-run"];
    let ran = workspace.run(&dry_run).exits(0);
    assert!(!ran.stderr.contains("PLAN0051"), "{ran:?}");
    for (name, text) in [("9998-01-01T00-00-00Z-1.jsonl", "no journal"), ("9999.jsonl", "")] {
        workspace.file(&format!(".zonewright/journal/{name}"), text);
    }
    let ran = workspace.run(&dry_run).exits(0);
    for words in ["PLAN0051", "2 later journals could not be read", "9999.jsonl"] {
        assert!(ran.stderr.contains(words) || ran.stdout.contains(words), "{words}: {ran:?}");
    }
    // At most 100 later journals are read, each of at most 32 MiB.
    let real = fs::read(workspace.path().join(&journal)).unwrap();
    let later = |name: &str| format!(".zonewright/journal/{name}.jsonl");
    for name in ["9998-01-01T00-00-00Z-1", "9999"] {
        fs::remove_file(workspace.path().join(later(name))).unwrap();
    }
    for n in 0..100 {
        workspace.file(&later(&format!("9998-{n:03}")), &real);
    }
    let ran = workspace.run(&dry_run).exits(0);
    assert!(!ran.stderr.contains("PLAN0051"), "{ran:?}");
    workspace.file(&later("9999"), &real);
    let large = fs::File::create(workspace.path().join(later("9998-050"))).unwrap();
    large.set_len((32 << 20) + 1).unwrap();
    let ran = workspace.run(&dry_run).exits(0);
    assert!(ran.stderr.contains("2 later journals could not be read"), "{ran:?}");
}

#[test]
fn what_someone_changed_since_is_a_conflict_and_stays() {
    let conflicts: [(&str, &str, Value, &str); 3] = [
        (
            "PATCH",
            "www.example.com",
            json!({ "ttl": 1200 }),
            "someone else changed the record at 2",
        ),
        ("DELETE", "www.example.com", Value::Null, "the record is gone; the apply was at 2"),
        ("PATCH", "fresh.example.com", json!({ "comment": "mine now" }), "comment; it is now"),
    ];
    for (method, name, body, words) in conflicts {
        let workspace = planted(options());
        workspace.records_spec(CHANGES);
        workspace
            .run(&[
                "apply",
                "spec.yaml",
                "--yes",
                "--allow-deletes",
                "2",
                "--allow",
                "changes-mail,overwrites-foreign",
            ])
            .exits(0);
        let journal = newest(&workspace);
        someone(&workspace, method, name, &body);
        let writes = workspace.writes().len();
        let seen = workspace
            .records("example.com")
            .into_iter()
            .filter(|r| r["name"] == name)
            .collect::<Vec<_>>();
        let deletes = if name.starts_with("fresh") { "2" } else { "3" };
        let refused = workspace
            .run(&[
                "undo",
                &journal,
                "--yes",
                "--allow-deletes",
                deletes,
                "--allow",
                "changes-mail",
            ])
            .exits(4);
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(said.contains("PLAN0019") && said.contains(words), "{words}: {said}");
        assert_eq!(workspace.writes().len(), writes);
        // The rest can be undone with a flag, and the change of someone else stays.
        workspace
            .run(&[
                "undo",
                &journal,
                "--yes",
                "--allow-deletes",
                deletes,
                "--allow",
                "changes-mail",
                "--skip-conflicts",
            ])
            .exits(0);
        let kept = workspace.records("example.com");
        for record in seen.iter().filter(|r| r["comment"] == "mine now" || r["ttl"] == 1200) {
            assert!(kept.contains(record), "{record}");
        }
        assert!(kept.iter().any(|r| r["name"] == "gone.example.com"));
        assert!(kept.iter().any(|r| r["name"] == "foreign.example.com"));
    }
}

#[test]
fn a_record_in_the_way_is_not_removed() {
    let workspace = planted(options());
    workspace.records_spec("      - { name: swap, type: CNAME, state: absent }");
    let allow = ["--allow-deletes", "1", "--allow", "removes-last-address"];
    workspace.run(&[&["apply", "spec.yaml", "--yes"], &allow[..]].concat()).exits(0);
    let journal = newest(&workspace);
    workspace.plant_records(
        json!([{ "type": "A", "name": "swap.example.com", "content": "192.0.2.77" }]),
    );
    let refused = workspace.run(&["undo", &journal, "--yes"]).exits(4);
    assert!(
        format!("{}{}", refused.stdout, refused.stderr).contains("cannot exist beside it"),
        "{}",
        refused.stderr
    );
    workspace.run(&["undo", &journal, "--yes", "--skip-conflicts"]).exits(0);
    assert_eq!(
        workspace.records("example.com").iter().filter(|r| r["name"] == "swap.example.com").count(),
        1
    );
}

#[test]
fn a_lost_response_is_resolved_by_reading() {
    for what in [What::ResetAfterEffect, What::ResetBeforeEffect] {
        let workspace = planted(options());
        workspace.records_spec(CHANGES);
        let before = world(&workspace);
        workspace
            .run(&[
                "apply",
                "spec.yaml",
                "--yes",
                "--allow-deletes",
                "2",
                "--allow",
                "changes-mail,overwrites-foreign",
            ])
            .exits(0);
        let journal = newest(&workspace);
        // As a crash leaves it: an intent without its outcome, and the last line cut.
        let text = fs::read_to_string(&journal).unwrap();
        let intents: Vec<&str> =
            text.lines().filter(|l| !l.contains("\"event\":\"outcome\"")).collect();
        fs::write(&journal, format!("{}\n{{\"event\":\"outc", intents.join("\n"))).unwrap();
        workspace.fault(Fault {
            when: When::Matching {
                method: Some("POST".into()),
                path_suffix: "/batch".into(),
                nth: 1,
            },
            what,
            times: 1,
        });
        workspace
            .run(&["undo", &journal, "--yes", "--allow-deletes", "3", "--allow", "changes-mail"])
            .exits(0);
        assert_eq!(world(&workspace), before);
        workspace.run(&["undo", &journal, "--yes"]).exits(0);
        assert_eq!(world(&workspace), before);
    }
}

#[test]
fn what_is_no_journal_is_refused_with_the_reason() {
    let workspace = planted(options());
    let begin = r#"{"event":"begin","format":1,"spec_digest":"","time":"2026-01-01T00:00:00Z"}"#;
    let outside = r#"{"event":"intent","step":1,"zone":"example.com","zone_id":"x","request":{},"operations":[{"address":"example.com/dns/a/A","action":"delete","id":"1","before":{"type":"A","name":"a.example.net","content":"192.0.2.1"}}]}"#;
    for (text, words) in [
        ("version: 1\n".to_owned(), "not a journal of an apply"),
        (begin.replace(":1,", ":2,") + "\n", "it has format 2; this version reads format 1 only"),
        (format!("{begin}\nnonsense\n{begin}\n"), "line 2 is broken"),
        (format!("{begin}\n{outside}\n"), "outside of its zone"),
    ] {
        workspace.file("journal.jsonl", text);
        let ran = workspace.run(&["undo", "journal.jsonl", "--yes"]).exits(1);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    workspace.run(&["undo", "missing.jsonl", "--yes"]).exits(1);
    // A journal in which nothing was sent leaves nothing to do.
    workspace.file("journal.jsonl", format!("{begin}\n"));
    workspace.run(&["undo", "journal.jsonl", "--yes"]).exits(0);
    assert_eq!(workspace.writes().len(), 0);
}

/// A kill while a zone is created leaves an intent without the zone's id.
#[test]
fn an_apply_that_ended_while_it_created_a_zone_is_undone() {
    let spec = "version: 1\nzones:\n  example.com: { records: [{ name: www, type: A, content: 192.0.2.2 }] }\n  new-zone.com: { create: true, records: [{ name: a, type: A, content: 192.0.2.1 }] }\n";
    for is_made in [true, false] {
        let workspace = Workspace::new(options());
        workspace.file("spec.yaml", spec);
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        let journal = newest(&workspace);
        let text = fs::read_to_string(workspace.path().join(&journal)).unwrap();
        let id = |zone: &Value| zone["id"].as_str().unwrap().to_owned();
        let zones = workspace.dump()["zones"].as_array().unwrap().clone();
        let new = zones.iter().find(|zone| zone["name"] == "new-zone.com").map(id).unwrap();
        // Nothing of the new zone is known but that its creation was sent.
        let kept: String = text
            .lines()
            .filter(|line| !line.contains(&new) && !line.contains("verified"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(kept.contains("NEW_ZONE_ID"), "{kept}");
        workspace.file("cut.jsonl", &kept);
        if !is_made {
            workspace.write("DELETE", &format!("/zones/{new}"), &json!({}));
        }
        let ran = workspace.run(&[
            "undo",
            "cut.jsonl",
            "--yes",
            "--allow-deletes",
            "1",
            "--allow",
            "removes-last-address",
        ]);
        let ran = ran.exits(0);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("PLAN0057") && said.contains("new-zone.com"), "{said}");
        assert!(said.contains("never deletes a zone"), "{said}");
        assert!(workspace.records("example.com").is_empty(), "the rest is undone");
        // Nothing else was sent.
        let is_of_new_zone =
            |line: &&str| line.contains("\"begin\"") || line.contains("NEW_ZONE_ID");
        let begin: String =
            kept.lines().filter(is_of_new_zone).map(|line| format!("{line}\n")).collect();
        workspace.file("only.jsonl", &begin);
        let ran = workspace.run(&["undo", "only.jsonl", "--yes"]).exits(0);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("PLAN0057"), "{ran:?}");
    }
}

/// Without an argument, the applies are listed: when, where, how much, and whether undone.
#[test]
fn applies_are_listed_and_the_last_one_is_undone() {
    let workspace = Workspace::new(options());
    let ran = workspace.run(&["undo"]).exits(1);
    assert!(ran.stderr.contains("no journal of an apply is in .zonewright/journal"), "{ran:?}");
    let spec = |records: &str| workspace.records_spec(records);
    spec(
        "      - { name: www, type: A, content: 192.0.2.1, ttl: 300 }\n      - { name: api, type: A, content: 192.0.2.2 }",
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let first = newest(&workspace);
    spec("      - { name: www, type: A, content: 192.0.2.1, ttl: 600 }");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    // An apply that had nothing to do is not listed.
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let ran = workspace.run(&["undo"]).exits(3);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", ran.stdout);
    assert!(
        lines[0].starts_with("  1  20") && lines[0].ends_with("  example.com: 1 updated"),
        "{}",
        ran.stdout
    );
    assert!(lines[2].ends_with("  example.com: 2 created"), "{}", ran.stdout);
    assert!(first.ends_with(lines[3].trim()), "{}", ran.stdout);
    assert!(ran.stderr.contains("name its journal, or use --last"), "{}", ran.stderr);
    // Without a name, nothing is undone by a script.
    workspace.run(&["undo", "--yes"]).exits(64);
    workspace.run(&["undo", "--dry-run"]).exits(64);
    workspace.run(&["undo", &first, "--last"]).exits(64);
    workspace.run(&["undo", "--last", "--yes"]).exits(0);
    assert_eq!(workspace.records("example.com")[1]["ttl"], 300);
    let ran = workspace.run(&["undo"]).exits(3);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].contains(": 1 updated (an undo of 20"), "{}", ran.stdout);
    assert!(lines[2].contains(": 1 updated (undone at 20"), "{}", ran.stdout);
    let ran = workspace.run(&["undo", "--last", "--yes"]).exits(1);
    assert!(ran.stderr.contains("was undone at 20"), "{}", ran.stderr);
}

#[test]
fn a_journal_that_cannot_be_read_is_not_passed_over() {
    let workspace = Workspace::new(options());
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let later = ".zonewright/journal/2999-01-01T00-00-00Z.jsonl";
    workspace.file(later, "{ torn");
    let ran = workspace.run(&["undo"]).exits(3);
    assert!(ran.stdout.contains("  1  20"), "{}", ran.stdout);
    assert!(ran.stderr.contains(&format!("warning: {later} is not listed")), "{}", ran.stderr);
    let ran = workspace.run(&["undo", "--last", "--yes"]).exits(1);
    let expected = format!("the last apply is not known, because {later} cannot be read");
    assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
    assert_eq!(workspace.records("example.com").len(), 1);
    // One that is older than the last apply is not in the way.
    workspace.file(".zonewright/journal/1999-01-01T00-00-00Z.jsonl", "{ torn");
    std::fs::remove_file(workspace.path().join(later)).unwrap();
    workspace.run(&["undo", "--last", "--yes", "--allow-deletes", "1"]).exits(0);
    assert_eq!(workspace.records("example.com").len(), 0);
}
