//! Accidents that come from outside: other writers, and an outage of Cloudflare.

use serde_json::json;

use super::{changed_outside, contents, on_plan, plan, refused_without, zone_spec};
use crate::support::workspace::{Workspace, options};
use zonewright::sandbox::{Fault, What, When};

/// C11: the same update again and again. Equal values are no change, whatever their spelling; a
/// change that does not converge is reported.
#[test]
fn c11_the_same_update_is_not_repeated() {
    let workspace = Workspace::new(options());
    zone_spec(
        &workspace,
        "spec.yaml",
        "records:\n  - { name: WWW, type: AAAA, content: '2001:0DB8:0:0::1' }\n  - { name: \"@\", type: TXT, content: '\"v=spf1 \" \"-all\"' }\n  - { name: mail, type: CNAME, content: Host.Example.NET. }",
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let writes = workspace.writes().len();
    for _ in 0..3 {
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    }
    assert_eq!(workspace.writes().len(), writes, "what is equal is not written");
    // Someone changes the record between our write and the check: the run does not report success.
    zone_spec(
        &workspace,
        "spec.yaml",
        "records:\n  - { name: www, type: AAAA, content: '2001:db8::1', ttl: 600 }",
    );
    let zone = super::zone_id(&workspace);
    let id = super::record_id(&workspace, "www.example.com", "AAAA");
    workspace.fault(Fault {
        when: When::Matching {
            method: Some("GET".into()),
            path_suffix: "/dns_records".into(),
            nth: 2,
        },
        what: What::AnotherWriter {
            method: "PATCH".into(),
            path: format!("/zones/{zone}/dns_records/{id}"),
            body: json!({ "ttl": 300 }),
        },
        times: 1,
    });
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(5);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("1 difference") && said.contains("example.com/dns/www/AAAA"), "{said}");
}

/// C13: Cloudflare is down. The report says that nothing is written; a plan from a snapshot works;
/// later, the same command succeeds.
#[test]
fn c13_cloudflare_is_down_for_days() {
    let spec = "records:\n  - { name: www, type: A, content: 192.0.2.1 }";
    let away = [
        What::Answer {
            code: 403,
            body: json!({ "success": false, "errors": [{ "code": 9109, "message": "Invalid access token" }], "messages": [], "result": null }),
        },
        What::Status { code: 500, html: true, retry_after: None },
    ];
    for what in away {
        let workspace = Workspace::new(options());
        zone_spec(&workspace, "spec.yaml", spec);
        workspace.run(&["snapshot", "spec.yaml"]).exits(0);
        let fault = |path_suffix: &str, times| Fault {
            when: When::Matching { method: None, path_suffix: path_suffix.into(), nth: 1 },
            what: what.clone(),
            times,
        };
        workspace.fault(fault("/zones", 100));
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert!(ran.stderr.contains("nothing was written"), "{}", ran.stderr);
        assert_eq!(workspace.writes().len(), 0);
        let offline = workspace
            .run(&["plan", "spec.yaml", "--against", "zonewright.snapshot.json.gz"])
            .exits(0);
        assert!(offline.stdout.contains("+ www  A  192.0.2.1"), "{}", offline.stdout);
    }
}

/// C13: Cloudflare goes down during an apply. The report lists the completed operations, and the
/// same command finishes the others later.
#[test]
fn c13_cloudflare_goes_down_during_an_apply() {
    let workspace = Workspace::new(options());
    let records: Vec<String> =
        (1..=6).map(|n| format!("  - {{ name: h{n}, type: A, content: 192.0.2.{n} }}")).collect();
    zone_spec(&workspace, "spec.yaml", &format!("records:\n{}", records.join("\n")));
    workspace.fault(Fault {
        when: When::Matching { method: Some("POST".into()), path_suffix: "/batch".into(), nth: 2 },
        what: What::Status { code: 403, html: false, retry_after: None },
        times: 100,
    });
    let ran = workspace.run(&["apply", "spec.yaml", "--yes", "--batch-size", "2"]).exits(5);
    assert!(ran.stdout.contains("2 of 6"), "{}", ran.stdout);
    let left = plan(&workspace, &["spec.yaml"]);
    assert_eq!(left["summary"]["create"], 4);
    workspace.run(&["apply", "spec.yaml", "--yes", "--batch-size", "1"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    assert_eq!(workspace.records("example.com").len(), 6);
}

/// C14: someone repairs a record by hand at night, and the next run would revert the repair. The
/// plan reports it with the time, and needs consent.
#[test]
fn c14_a_repair_by_hand_is_reverted() {
    let workspace = on_plan("business");
    let spec = "records:\n  - { name: \"@\", type: NS, content: [ns1.example.net, ns2.example.net] }\n  - { name: www, type: A, content: 192.0.2.1 }";
    zone_spec(&workspace, "spec.yaml", spec);
    zone_spec(&workspace, "before.yaml", spec);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let zone = super::zone_id(&workspace);
    let records = workspace.records("example.com");
    let ns2 = records.iter().find(|r| r["content"] == "ns2.example.net").unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    workspace.write(
        "PATCH",
        &format!("/zones/{zone}/dns_records/{ns2}"),
        &json!({ "type": "NS", "name": "example.com", "content": "ns9.example.net" }),
    );
    let words = [
        "reverts a change made outside the spec (last changed 20",
        "the name servers of the zone or of a delegated name change",
    ];
    let arguments = ["spec.yaml", "--base", "./before.yaml"];
    let cause = plan(&workspace, &arguments)["operations"][0]["cause"].clone();
    assert_eq!(cause, "drift");
    refused_without(&workspace, &arguments, &words, &[&["--allow", "changes-name-servers"]]);
    assert_eq!(contents(&workspace, "example.com"), ["ns1.example.net", "ns2.example.net"]);
    // Both sides changed the same thing: a conflict, with a consent of its own.
    changed_outside(&workspace, "www.example.com", "A", &json!({ "ttl": 900 }));
    zone_spec(
        &workspace,
        "spec.yaml",
        &spec.replace("content: 192.0.2.1", "content: 192.0.2.1, ttl: 600"),
    );
    zone_spec(
        &workspace,
        "before.yaml",
        &spec.replace("content: 192.0.2.1", "content: 192.0.2.1, ttl: 300"),
    );
    refused_without(
        &workspace,
        &arguments,
        &["someone else changed what the spec changes"],
        &[&["--allow", "overrides-conflict"]],
    );
}
