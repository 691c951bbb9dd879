//! Notes of a plan beside its operations: a recent apply was reverted, rulesets changed, and the
//! time for sending.

use std::fmt::Write as _;
use std::fs;

use crate::support::journals::{journals, newest};
use crate::support::workspace::{Ran, Workspace, binary, options, options_on};
use serde_json::{Value, json};

/// Returns the findings of a plan with this code.
fn findings(workspace: &Workspace, code: &str) -> Vec<Value> {
    let plan = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    plan["diagnostics"].as_array().unwrap().iter().filter(|d| d["code"] == code).cloned().collect()
}

/// Changes the record, as someone else would.
fn someone(workspace: &Workspace, body: &Value) {
    let zone = workspace.dump()["zones"][0].clone();
    let id = |value: &Value| value["id"].as_str().unwrap().to_owned();
    workspace.write(
        "PATCH",
        &format!("/zones/{}/dns_records/{}", id(&zone), id(&zone["records"][0])),
        body,
    );
}

/// Returns a zone with one record, applied with a time to live of 600.
fn applied() -> Workspace {
    let workspace = Workspace::new(options());
    workspace.plant_records(
        json!([{ "type": "A", "name": "www.example.com", "content": "192.0.2.1", "ttl": 300 }]),
    );
    wanted(&workspace, 600);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    workspace
}

/// Writes a spec with this TTL for the record.
fn wanted(workspace: &Workspace, ttl: u32) {
    workspace
        .records_spec(&format!("      - {{ name: www, type: A, content: 192.0.2.1, ttl: {ttl} }}"));
}

#[test]
fn what_someone_takes_back_is_an_alarm() {
    let workspace = applied();
    assert_eq!(findings(&workspace, "PLAN0022"), Vec::<Value>::new());
    someone(&workspace, &json!({ "ttl": 300 }));
    let found = findings(&workspace, "PLAN0022");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["severity"], "warning");
    let detail = found[0]["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("1 change is needed again: example.com/dns/www/A (applied at 2"),
        "{detail}"
    );
    // The same note is shown before an apply, and does not block it.
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(ran.stderr.contains("PLAN0022"), "{}", ran.stderr);

    // A day later it is not reported.
    someone(&workspace, &json!({ "ttl": 300 }));
    assert_eq!(findings(&workspace, "PLAN0022").len(), 1);
    for journal in journals(&workspace) {
        let text = fs::read_to_string(&journal).unwrap();
        let year = text.split("\"time\":\"").nth(1).unwrap()[..4].to_owned();
        fs::write(&journal, text.replace(&format!("\"time\":\"{year}-"), "\"time\":\"2020-"))
            .unwrap();
    }
    assert_eq!(findings(&workspace, "PLAN0022"), Vec::<Value>::new());
}

#[test]
fn a_second_change_and_a_way_back_are_no_alarm() {
    let workspace = applied();
    // Another change of the same record.
    wanted(&workspace, 900);
    assert_eq!(findings(&workspace, "PLAN0022"), Vec::<Value>::new());
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    // Back to a value that was applied earlier.
    wanted(&workspace, 600);
    assert_eq!(findings(&workspace, "PLAN0022"), Vec::<Value>::new());
    // A value that was undone is wanted again.
    workspace.run(&["undo", &newest(&workspace), "--yes"]).exits(0);
    wanted(&workspace, 900);
    assert_eq!(findings(&workspace, "PLAN0022"), Vec::<Value>::new());
    // A value that was refused was never applied.
    let last = newest(&workspace);
    let text = fs::read_to_string(&last).unwrap();
    someone(&workspace, &json!({ "ttl": 900 }));
    wanted(&workspace, 600);
    assert_eq!(findings(&workspace, "PLAN0022").len(), 1, "the undo brought 600, and it is gone");
    fs::write(&last, text.replace("\"outcome\":\"done\"", "\"outcome\":\"refused\"")).unwrap();
    assert_eq!(findings(&workspace, "PLAN0022"), Vec::<Value>::new());
}

#[test]
fn what_is_left_is_one_warning() {
    let workspace = Workspace::new(options());
    let record = |n: usize| format!("      - {{ name: h{n}, type: A, content: 192.0.2.1 }}\n");
    workspace.records_spec(&(0..8).map(record).collect::<String>());
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let zone = workspace.dump()["zones"][0].clone();
    for record in zone["records"].as_array().unwrap() {
        let (zone, record) = (zone["id"].as_str().unwrap(), record["id"].as_str().unwrap());
        workspace.write("DELETE", &format!("/zones/{zone}/dns_records/{record}"), &Value::Null);
    }
    let found = findings(&workspace, "PLAN0022");
    assert_eq!(found.len(), 1, "{found:#?}");
    let detail = found[0]["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("8 changes are needed again: example.com/dns/h0/A (applied at 2"),
        "{detail}"
    );
    assert!(detail.ends_with(" and 3 more"), "{detail}");
}

#[test]
fn an_undo_of_ones_own_is_no_alarm() {
    let workspace = Workspace::new(options());
    // If a name has several values, their addresses depend on the others.
    let two = "      - { name: www, type: A, content: [192.0.2.1, 192.0.2.2] }\n      - { name: t, type: TXT, content: [one, two] }";
    let plans: [(&str, &[&str]); 2] = [
        (two, &["--allow-deletes", "4"]),
        ("      - { name: www, type: A, content: 192.0.2.3 }", &["--allow-deletes", "1"]),
    ];
    for (records, deletes) in plans {
        workspace.records_spec(records);
        for _ in 0..2 {
            workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
            let journal = newest(&workspace);
            workspace
                .run(
                    &[&["undo", &journal, "--yes", "--allow", "removes-last-address"], deletes]
                        .concat(),
                )
                .exits(0);
            assert_eq!(findings(&workspace, "PLAN0022"), Vec::<Value>::new());
        }
    }
}

#[test]
fn journals_of_another_sandbox_are_no_alarm() {
    let directory = tempfile::TempDir::new().unwrap();
    std::fs::write(
        directory.path().join("spec.yaml"),
        "version: 1\nzones: { example.com: { records: [{ name: www, type: A, content: 192.0.2.1 }] } }\n",
    )
    .unwrap();
    let run = |arguments: &[&str]| -> Ran {
        binary(directory.path()).args(arguments).output().unwrap().into()
    };
    let is_warned =
        |sandbox: &str| run(&["plan", "spec.yaml", sandbox]).exits(0).stderr.contains("PLAN0022");
    run(&["apply", "spec.yaml", "--yes", "--sandbox"]).exits(0);
    assert!(!is_warned("--sandbox=other"));
    // The other journal is older than the next one.
    run(&["sandbox", "seed", "--reset"]).exits(0);
    assert!(!is_warned("--sandbox"));
    run(&["apply", "spec.yaml", "--yes", "--sandbox"]).exits(0);
    assert!(!is_warned("--sandbox=other"));
    run(&["sandbox", "seed", "--reset"]).exits(0);
    assert!(!is_warned("--sandbox"));
}

#[test]
fn rulesets_that_changed_since_they_were_locked_are_noted() {
    let workspace = Workspace::new(options_on("business"));
    workspace.file(
        "spec.yaml",
        "version: 1\nzones: { example.com: { waf: { owasp: { paranoia: 2 } } } }\n",
    );
    assert_eq!(
        findings(&workspace, "PLAN0021"),
        Vec::<Value>::new(),
        "without a file nothing is said"
    );
    workspace.run(&["waf", "rules", "--lock", "spec.yaml"]).exits(0);
    assert_eq!(findings(&workspace, "PLAN0021"), Vec::<Value>::new());
    // As if Cloudflare had added a rule since.
    let path = workspace.path().join("waf.lock");
    let lock = fs::read_to_string(&path).unwrap();
    let without: Vec<&str> = lock.lines().filter(|line| !line.contains("942430")).collect();
    assert_eq!(without.len() + 1, lock.lines().count());
    fs::write(&path, without.join("\n") + "\n").unwrap();
    let found = findings(&workspace, "PLAN0021");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["severity"], "note");
    assert!(found[0]["detail"].as_str().unwrap().contains("1 rule added (942430"), "{}", found[0]);
    assert!(
        found[0]["help"].as_str().unwrap().contains("zonewright waf rules --lock SPEC"),
        "{}",
        found[0]
    );
    let text = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(text.stderr.contains("1 rule added (942430"), "{}", text.stderr);
    // A journal that cannot be read does not block the plan.
    fs::write(&path, "nonsense\n").unwrap();
    let found = findings(&workspace, "PLAN0035");
    assert_eq!((found.len(), found[0]["severity"].as_str()), (1, Some("warning")));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
}

#[test]
fn a_plan_beyond_the_budget_says_how_long_it_takes() {
    let mut options = options();
    options.profile.record_quota = Some(10_000);
    let workspace = Workspace::new(options);
    let records = (0..1300).fold(String::new(), |mut text, n| {
        writeln!(text, "      - {{ name: h{n}, type: A, content: 192.0.2.1 }}").unwrap();
        text
    });
    workspace.records_spec(&records);
    let words = "about 5 min at Cloudflare's limit of 1,200 requests in 5 minutes";
    let plan = |flags: &[&str]| workspace.run(&[&["plan", "spec.yaml"], flags].concat()).exits(0);
    assert!(plan(&["--batch-size", "1"]).stdout.contains(words));
    let one = plan(&["--batch-size", "1", "--format", "json"]).json();
    assert_eq!(
        (&one["requests"]["to_apply"], &one["requests"]["seconds_at_limit"]),
        (&json!(1300), &json!(300))
    );
    // With batches it is within the limit, and nothing is reported.
    assert!(!plan(&[]).stdout.contains("at Cloudflare's limit"));
    let requests = plan(&["--format", "json"]).json()["requests"].clone();
    assert_eq!((&requests["to_apply"], requests.get("seconds_at_limit")), (&json!(7), None));
}

/// Without a base, a plan does not know whose a live value is. That an apply wrote it is explained
/// by a note, and changes nothing else.
#[test]
fn a_value_that_an_apply_wrote_is_told_and_changes_nothing() {
    let workspace = Workspace::new(options());
    let records = |address: &str, text: &str| {
        workspace.records_spec(&format!(
            "      - {{ name: www, type: A, content: {address} }}\n      - {{ name: \"@\", type: MX, priority: 10, content: {text} }}"
        ));
    };
    records("192.0.2.1", "mx1.example.net");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    records("192.0.2.2", "mx2.example.net");
    let found = findings(&workspace, "PLAN0054");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["severity"], "note");
    let detail = found[0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("an apply wrote what is replaced at example.com/dns/"), "{detail}");
    assert!(
        detail.contains("/dns/www/A (applied at 2") && detail.contains("/MX (applied at 2"),
        "{detail}"
    );
    // The plan is the same without the journal.
    let plan = || {
        let mut plan = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
        plan["diagnostics"] = Value::Null;
        plan
    };
    let with_journal = plan();
    assert_eq!(with_journal["verdict"], "needs-consent");
    for journal in journals(&workspace) {
        fs::remove_file(journal).unwrap();
    }
    assert_eq!(findings(&workspace, "PLAN0054"), Vec::<Value>::new());
    assert_eq!(plan(), with_journal);
    // A value that someone else wrote since is theirs, whatever a journal says.
    let workspace = applied();
    someone(&workspace, &json!({ "content": "192.0.2.7" }));
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.8 }");
    assert_eq!(findings(&workspace, "PLAN0054"), Vec::<Value>::new());
    // With a base there is no doubt to explain.
    let workspace = applied();
    workspace.file("before.yaml", fs::read_to_string(workspace.path().join("spec.yaml")).unwrap());
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.8 }");
    let planned = workspace
        .run(&["plan", "spec.yaml", "--base", "./before.yaml", "--format", "json"])
        .exits(0)
        .json();
    assert!(!planned.to_string().contains("PLAN0054"), "{planned:#}");
}

/// A spec that returns to an older state reverts our own apply. So does an unchanged spec after an
/// undo.
#[test]
fn a_plan_that_reverts_an_apply_says_so() {
    let workspace = Workspace::new(options());
    let www = "      - { name: www, type: A, content: 192.0.2.1, ttl: ";
    let wanted = |ttl: u32| workspace.records_spec(&format!("{www}{ttl} }}"));
    wanted(300);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    wanted(600);
    assert_eq!(findings(&workspace, "PLAN0070"), Vec::<Value>::new());
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    wanted(300);
    let found = findings(&workspace, "PLAN0070");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["severity"], "note");
    let detail = found[0]["detail"].as_str().unwrap();
    let words = "1 operation takes back what an apply did: example.com/dns/www/A (applied at 2";
    assert!(detail.starts_with(words), "{detail}");
    // Another value is no way back.
    wanted(900);
    assert_eq!(findings(&workspace, "PLAN0070"), Vec::<Value>::new());
    // After an undo, the same spec takes the undo back.
    wanted(600);
    workspace.run(&["undo", "--last", "--yes"]).exits(0);
    assert_eq!(findings(&workspace, "PLAN0070").len(), 1);
    // The undo itself is meant to be one.
    wanted(300);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let ran = workspace.run(&["undo", &newest(&workspace), "--dry-run"]);
    assert!(!ran.stderr.contains("PLAN0070"), "{ran:?}");
}

/// Caches keep answers for their old time to live, and new ones for the new one.
#[test]
fn times_to_live_around_a_move_are_told() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "A", "name": "slow.example.com", "content": "192.0.2.1", "ttl": 86400 },
        { "type": "A", "name": "raised.example.com", "content": "192.0.2.2", "ttl": 300 },
    ]));
    let plan = |records: &str| {
        workspace.records_spec(records);
        workspace.run(&["plan", "spec.yaml"]).exits(0).stdout
    };
    let lowered = plan("      - { name: slow, type: A, content: 192.0.2.1, ttl: 300 }");
    assert!(lowered.contains("a quick move is possible 24 h after this change"), "{lowered}");
    let raised = plan("      - { name: raised, type: A, content: 192.0.2.9, ttl: 86400 }");
    assert!(raised.contains("the ttl rises together with the change"), "{raised}");
    let usual = plan("      - { name: raised, type: A, content: 192.0.2.9, ttl: 600 }");
    assert!(!usual.contains("the ttl rises"), "{usual}");
    let shorter = plan("      - { name: raised, type: A, content: 192.0.2.2, ttl: 60 }");
    assert!(!shorter.contains("a quick move"), "{shorter}");
}

#[test]
fn flattening_all_aliases_names_those_that_are_read_and_not_visited() {
    let workspace = Workspace::new(options_on("pro"));
    let spec = |zone: &str| {
        format!(
            "version: 1\nzones:\n  example.com:\n{zone}    records:\n\
             \x20     - {{ name: _dnsauth, type: CNAME, content: a.dcv.digicert.com }}\n\
             \x20     - {{ name: _dmarc, type: CNAME, content: policy.example.net }}\n\
             \x20     - {{ name: www, type: CNAME, content: www.example.net }}\n"
        )
    };
    workspace.file("spec.yaml", spec(""));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    workspace.file("spec.yaml", spec("    dns_settings: { flatten_all_cnames: true }\n"));
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(3);
    assert!(
        ran.stdout.contains(
            "certificate authorities no longer see these aliases: _dnsauth.example.com; \
             Cloudflare does not document what is answered for the texts behind _dmarc.example.com"
        ),
        "{ran:?}"
    );
    let allowed = ["apply", "spec.yaml", "--yes", "--allow", "changes-issuance"];
    workspace.run(&allowed).exits(0);
}
