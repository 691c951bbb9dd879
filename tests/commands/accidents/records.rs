//! Accidents with records.

use serde_json::json;

use super::{
    changed_outside, contents, dangers, on_plan, plan, refused_without, snapshot, zone_spec,
};
use crate::support::workspace::{Workspace, options};

/// C1: a generator leaves one host out by mistake. A single delete is below every limit that is a
/// percentage.
#[test]
fn c1_one_host_missing_from_a_generated_source() {
    let hosts = |n: usize| {
        let one = |n| format!("  - {{ name: backend-{n}, type: A, content: 192.0.2.{n} }}");
        format!("records:\n{}", (1..=n).map(one).collect::<Vec<_>>().join("\n"))
    };
    let workspace = on_plan("business");
    zone_spec(&workspace, "before.yaml", &hosts(30));
    workspace.run(&["apply", "before.yaml", "--yes"]).exits(0);
    zone_spec(&workspace, "spec.yaml", &hosts(29));
    // A name that is merely missing from the spec is not deleted.
    assert_eq!(plan(&workspace, &["spec.yaml"])["verdict"], "in-sync");
    // With the previous spec, the removal is planned, and needs its number. Nothing refers to the
    // host.
    let words = [
        "- backend-30  A  192.0.2.30",
        "removed from the spec",
        "records or rules are deleted: 1 operation. To allow it, add --allow-deletes 1",
    ];
    let arguments = ["spec.yaml", "--base", "./before.yaml"];
    workspace
        .run(&["apply", "spec.yaml", "--base", "./before.yaml", "--yes", "--allow-deletes", "2"])
        .exits(3);
    refused_without(&workspace, &arguments, &words, &[&["--allow-deletes", "1"]]);
}

/// C1 with something that needs the host: a record of this zone, of someone else, or of another
/// zone of the run. The plan names it, and the consent is needed in each case, and in none where
/// the same plan removes it.
#[test]
fn c1_a_host_that_is_in_use() {
    let spec = |host: &str, of_com: &str, of_net: &str| {
        let www = "      - { name: www, type: A, content: 192.0.2.2 }";
        format!(
            "version: 1\nzones:\n  example.com:\n    create: true\n    records:\n{www}\n{host}\n{of_com}\n  \
             example.net:\n    create: true\n    records:\n{www}\n{of_net}\n"
        )
    };
    let host = "      - { name: backend, type: A, content: 192.0.2.1 }";
    let record = "      - { name: \"@\", type: MX, priority: 10, content: backend.example.com }";
    let alias =
        json!({ "type": "CNAME", "name": "theirs.example.com", "content": "backend.example.com" });
    for (before, after, foreign, says) in [
        ([record, ""], [record, ""], None, "1 record refers to this name: @ MX"),
        (["", record], ["", record], None, "1 record refers to this name: example.net MX"),
        (["", ""], ["", ""], Some(&alias), "1 record refers to this name: theirs CNAME"),
        (["", record], ["", ""], None, ""),
        (["", ""], ["", ""], None, ""),
    ] {
        let workspace = Workspace::empty(options());
        workspace.file("before.yaml", spec(host, before[0], before[1]));
        workspace.run(&["apply", "before.yaml", "--yes"]).exits(0);
        if let Some(record) = foreign {
            workspace.plant_records(json!([record]));
        }
        workspace.file("spec.yaml", spec("", after[0], after[1]));
        let planned = plan(&workspace, &["spec.yaml", "--base", "./before.yaml"]);
        let is_raised = dangers(&planned).contains(&"removes-last-address".to_owned());
        assert_eq!(is_raised, !says.is_empty(), "{says}: {planned:#}");
        assert!(planned.to_string().contains(says), "{says}: {planned:#}");
        let apply = ["apply", "spec.yaml", "--base", "./before.yaml", "--yes", "--allow-deletes"];
        let deletes = if before == after { "1" } else { "2" };
        let code = if is_raised || before != after { 3 } else { 0 };
        workspace.run(&[&apply[..], &[deletes]].concat()).exits(code);
        if is_raised {
            workspace
                .run(
                    &[&apply[..], &[deletes, "--allow", "removes-last-address,changes-mail"]]
                        .concat(),
                )
                .exits(0);
        }
    }
}

/// C1, the other guard: a protected record stays even if the number of deletes is confirmed.
#[test]
fn c1_a_protected_host_missing_from_a_generated_source() {
    let workspace = Workspace::new(options());
    zone_spec(
        &workspace,
        "before.yaml",
        "records:\n  - { name: backend, type: A, content: 192.0.2.1, protect: true }\n  - { name: www, type: A, content: 192.0.2.2 }",
    );
    workspace.run(&["apply", "before.yaml", "--yes"]).exits(0);
    zone_spec(&workspace, "spec.yaml", "records:\n  - { name: www, type: A, content: 192.0.2.2 }");
    refused_without(
        &workspace,
        &["spec.yaml", "--base", "./before.yaml"],
        &["records marked `protect: true` are changed"],
        &[&["--allow-deletes", "1"], &["--allow", "changes-protected"]],
    );
}

/// C2: a slow process applies an old plan after a newer one; a cleaner then deletes the results of
/// the newer one.
#[test]
fn c2_an_old_plan_after_a_newer_one() {
    let workspace = Workspace::new(options());
    let spec = |address: &str| {
        zone_spec(
            &workspace,
            "spec.yaml",
            &format!("records:\n  - {{ name: api, type: A, content: {address} }}"),
        );
    };
    spec("192.0.2.1");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    spec("192.0.2.2");
    workspace.run(&["plan", "spec.yaml", "--out", "old.plan"]).exits(0);
    spec("192.0.2.3");
    workspace.run(&["plan", "spec.yaml", "--out", "newer.plan"]).exits(0);
    workspace.run(&["apply", "newer.plan", "--yes"]).exits(0);
    let writes = workspace.writes().len();
    let late = workspace.run(&["apply", "old.plan", "--yes"]).exits(4);
    assert!(
        late.stderr.contains("nothing was sent") && late.stderr.contains("example.com/dns/api/A"),
        "{}",
        late.stderr
    );
    assert_eq!(workspace.writes().len(), writes);
    assert_eq!(contents(&workspace, "api.example.com"), ["192.0.2.3"]);
    // The cleanup, which would leave a name in use without any address.
    workspace.plant_records(
        json!([{ "type": "CNAME", "name": "www.example.com", "content": "api.example.com" }]),
    );
    zone_spec(&workspace, "spec.yaml", "records:\n  - { name: api, type: A, state: absent }");
    refused_without(
        &workspace,
        &["spec.yaml"],
        &["a name in use loses its last address", "1 record refers to this name: www CNAME"],
        &[&["--allow-deletes", "1"], &["--allow", "removes-last-address"]],
    );
}

/// C3: the target of a proxied name changes. The record is updated in place, so its certificate is
/// not affected.
#[test]
fn c3_a_proxied_name_gets_another_target() {
    let workspace = Workspace::new(options());
    let spec = |target: &str| {
        zone_spec(
            &workspace,
            "spec.yaml",
            &format!(
                "records:\n  - {{ name: www, type: CNAME, content: {target}, proxied: true }}"
            ),
        );
    };
    spec("a.example.net");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    spec("b.example.net");
    let id = super::record_id(&workspace, "www.example.com", "CNAME");
    let planned = plan(&workspace, &["spec.yaml"]);
    assert_eq!(
        planned["summary"],
        json!({ "create": 0, "update": 1, "delete": 0, "deletes_to_allow": 0, "unchanged": 0, "unmanaged": 0, "ignored": 0 })
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert_eq!(
        super::record_id(&workspace, "www.example.com", "CNAME"),
        id,
        "it is still the same record"
    );
}

/// C3: a proxied name is renamed, or its type changes. Both records change in one batch, and the
/// plan names the loss of the old name.
#[test]
fn c3_a_proxied_name_is_renamed_or_replaced() {
    let workspace = Workspace::new(options());
    zone_spec(
        &workspace,
        "before.yaml",
        "records:\n  - { name: www, type: CNAME, content: a.example.net, proxied: true }",
    );
    workspace.run(&["apply", "before.yaml", "--yes"]).exits(0);
    zone_spec(
        &workspace,
        "renamed.yaml",
        "records:\n  - { name: web, type: CNAME, content: a.example.net, proxied: true }",
    );
    let writes = workspace.writes().len();
    refused_without(
        &workspace,
        &["renamed.yaml", "--base", "./before.yaml"],
        &["~ rename www → web  CNAME  a.example.net"],
        &[&["--allow-deletes", "1"]],
    );
    let sent = workspace.writes()[writes..].to_vec();
    assert_eq!(sent.len(), 1, "the old name and the new one in one transaction: {sent:?}");
    assert!(sent[0].path.ends_with("/dns_records/batch"), "{sent:?}");
    // Another type under the same name: the spec asks for the removal and has the replacement, so
    // it does not count as a delete.
    zone_spec(
        &workspace,
        "replaced.yaml",
        "records:\n  - { name: web, type: A, content: 192.0.2.1, proxied: true }",
    );
    let writes = workspace.writes().len();
    let arguments = ["replaced.yaml", "--base", "./renamed.yaml"];
    let said = workspace.run(&[&["apply", "--yes"][..], &arguments].concat()).exits(0).stdout;
    for words in ["- web  CNAME", "+ web  A", "replaced, not counted as a delete"] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(workspace.writes().len(), writes + 1, "in one transaction");
}

/// C5: a record is deleted, or deleted and created again, below an old wildcard that resolvers
/// remember for an hour.
#[test]
fn c5_a_wildcard_answers_for_what_is_gone() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "A", "name": "*.example.com", "content": "203.0.113.9", "ttl": 3600 },
        { "type": "CNAME", "name": "shop.example.com", "content": "a.example.net", "ttl": 300 },
    ]));
    // Deleted: the wildcard answers.
    zone_spec(&workspace, "gone.yaml", "records:\n  - { name: shop, type: CNAME, state: absent }");
    let planned = plan(&workspace, &["gone.yaml"]);
    assert_eq!(dangers(&planned), ["delete", "falls-to-wildcard"]);
    // Replaced: in one batch, the name always has a record.
    zone_spec(
        &workspace,
        "replaced.yaml",
        "records:\n  - { name: shop, type: A, content: 192.0.2.1 }",
    );
    let said = workspace.run(&["apply", "replaced.yaml", "--yes"]).exits(3).stdout;
    let words = "shop is replaced in one transaction; where batch requests are not available, *.example.com answers for it in between: A 203.0.113.9 (ttl 3600)";
    assert!(said.contains(words), "{said}");
    let writes = workspace.writes().len();
    workspace.run(&["apply", "replaced.yaml", "--yes", "--allow-deletes", "1"]).exits(0);
    assert_eq!(workspace.writes().len(), writes + 1);
    zone_spec(&workspace, "gone.yaml", "records:\n  - { name: shop, type: A, state: absent }");
    refused_without(
        &workspace,
        &["gone.yaml"],
        &[
            "a wildcard answers for a deleted name",
            "→ shop: *.example.com answers from now on: 203.0.113.9 (ttl 3600)",
        ],
        &[&["--allow-deletes", "1"], &["--allow", "falls-to-wildcard"]],
    );
}

/// C7: signing is switched on, then off again in haste, while caches still hold the parent's DS.
#[test]
fn c7_dnssec_is_rolled_back_in_haste() {
    let workspace = on_plan("business");
    zone_spec(&workspace, "spec.yaml", "dnssec: on");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    zone_spec(&workspace, "spec.yaml", "dnssec: off");
    refused_without(
        &workspace,
        &["spec.yaml"],
        &["the DNSSEC chain of trust changes"],
        &[&["--allow", "changes-dnssec"]],
    );
    // The chain of a delegated zone.
    let digest = |c: &str| c.repeat(64);
    workspace.plant_records(json!([
        { "type": "NS", "name": "lab.example.com", "content": "ns1.example.net" },
        { "type": "DS", "name": "lab.example.com", "data": { "key_tag": 1, "algorithm": 13, "digest_type": 2, "digest": digest("a") } },
    ]));
    zone_spec(
        &workspace,
        "spec.yaml",
        &format!("records:\n  - {{ name: lab, type: DS, content: '1 13 2 {}' }}", digest("b")),
    );
    let words = ["the DNSSEC chain of trust changes"];
    let consents: [&[&str]; 1] = [&["--allow", "changes-dnssec,overwrites-foreign"]];
    refused_without(&workspace, &["spec.yaml"], &words, &consents);
    zone_spec(&workspace, "spec.yaml", "records:\n  - { name: lab, type: DS, state: absent }");
    refused_without(
        &workspace,
        &["spec.yaml"],
        &words,
        &[&["--allow-deletes", "1"], &["--allow", "changes-dnssec"]],
    );
}

/// C9: only the objects of the spec are managed; all others stay unchanged.
#[test]
fn c9_a_spec_of_one_name_in_a_zone_of_many() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "A", "name": "example.com", "content": "192.0.2.1", "ttl": 300, "comment": "by hand" },
        { "type": "A", "name": "www.example.com", "content": "192.0.2.2", "proxied": true },
        { "type": "AAAA", "name": "www.example.com", "content": "2001:db8::2" },
        { "type": "MX", "name": "example.com", "content": "mx.example.net", "priority": 10 },
    ]));
    let before = snapshot(&workspace);
    zone_spec(
        &workspace,
        "spec.yaml",
        "records:\n  - { name: home, type: A, content: 198.51.100.7 }",
    );
    let planned = plan(&workspace, &["spec.yaml"]);
    assert_eq!(
        (&planned["summary"]["delete"], &planned["summary"]["unmanaged"]),
        (&json!(0), &json!(4))
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    // An empty spec deletes nothing, either.
    zone_spec(&workspace, "spec.yaml", "records: []");
    assert_eq!(plan(&workspace, &["spec.yaml"])["verdict"], "in-sync");
    let after: Vec<_> = workspace
        .records("example.com")
        .into_iter()
        .filter(|r| r["name"] != "home.example.com")
        .collect();
    assert_eq!(json!(after), before);
}

/// C10: pruning is opt-in in the spec, and the first run lists and counts everything that it
/// deletes.
#[test]
fn c10_pruning_a_zone_for_the_first_time() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "TXT", "name": "example.com", "content": "\"google-site-verification=abc\"" },
        { "type": "A", "name": "old.example.com", "content": "192.0.2.2" },
        { "type": "TXT", "name": "_acme-challenge.example.com", "content": "\"token\"" },
    ]));
    let records = "records:\n  - { name: www, type: A, content: 192.0.2.1 }";
    zone_spec(&workspace, "spec.yaml", records);
    let kept = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(
        kept.stdout.contains("3 unmanaged") && kept.stdout.contains("0 to delete"),
        "{}",
        kept.stdout
    );
    zone_spec(
        &workspace,
        "spec.yaml",
        &format!(
            "unmanaged: prune\nignore:\n  - {{ name: \"_acme-challenge*\", type: TXT, reason: certificates }}\n{records}"
        ),
    );
    refused_without(
        &workspace,
        &["spec.yaml"],
        &["- old", "google-site-verification=abc", "--allow-deletes 2", "1 ignored"],
        &[&["--allow-deletes", "2"], &["--allow", "removes-last-address"]],
    );
    changed_outside(
        &workspace,
        "_acme-challenge.example.com",
        "TXT",
        &json!({ "content": "\"next\"" }),
    );
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}
