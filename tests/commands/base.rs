//! `--base`: the previous spec from Git. With it, changes of the spec and drift are distinguished,
//! and removed records are deleted.

use std::process::Command;

use crate::support::saved_plans::sealed;
use crate::support::workspace::{Ran, Workspace, options, options_on};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, What, When};

/// Runs git in the workspace, independent of the user's own configuration.
#[track_caller]
fn git(workspace: &Workspace, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(workspace.path())
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let ran = command.output().expect("git runs");
    assert!(ran.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// Returns a repository with one commit of a spec of example.com, applied.
fn committed(waf_or_records: &str) -> Workspace {
    let workspace = Workspace::new(options_on("business"));
    workspace
        .file("spec/zone.yaml", format!("version: 1\nzones:\n  example.com:\n{waf_or_records}\n"));
    git(&workspace, &["init", "-q", "-b", "main"]);
    git(&workspace, &["add", "spec"]);
    git(&workspace, &["commit", "-qm", "spec"]);
    workspace.run(&["apply", "spec", "--yes", "--allow", "weakens-protection"]).exits(0);
    workspace
}

fn edit(workspace: &Workspace, waf_or_records: &str) {
    workspace
        .file("spec/zone.yaml", format!("version: 1\nzones:\n  example.com:\n{waf_or_records}\n"));
}

/// Actions and causes by address.
fn causes(ran: &Ran) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |o: &Value| (text(&o["address"]), text(&o["action"]), text(&o["cause"]));
    ran.json()["operations"].as_array().expect("there are operations").iter().map(one).collect()
}

fn plan(workspace: &Workspace, base: &str) -> Ran {
    workspace.run(&["plan", "spec", "--base", base, "--format", "json"]).exits(0)
}

fn one(address: &str, action: &str, cause: &str) -> Vec<(String, String, String)> {
    vec![(format!("example.com/{address}"), action.to_owned(), cause.to_owned())]
}

#[test]
fn intent_drift_and_conflicts_are_told_apart() {
    let workspace =
        committed("    records:\n      - { name: www, type: A, content: 192.0.2.1, ttl: 300 }");
    let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap_or_default().to_owned();
    let id =
        workspace.dump()["zones"][0]["records"][0]["id"].as_str().unwrap_or_default().to_owned();
    // The author changed it.
    edit(&workspace, "    records:\n      - { name: www, type: A, content: 192.0.2.1, ttl: 600 }");
    assert_eq!(causes(&plan(&workspace, "HEAD")), one("dns/www/A", "update", "spec"));
    // Someone else changed it, and the author as well.
    workspace.plant(&json!({ "zones": [{ "name": "example.com", "records": [] }] }));
    workspace.write("PATCH", &format!("/zones/{zone}/dns_records/{id}"), &json!({ "ttl": 900 }));
    assert_eq!(causes(&plan(&workspace, "HEAD")), one("dns/www/A", "update", "both"));
    let ran = workspace.run(&["plan", "spec", "--base", "HEAD"]).exits(0);
    assert!(
        ran.stdout.contains("by someone else as well")
            && ran.stdout.contains("--allow overrides-conflict"),
        "{}",
        ran.stdout
    );
    workspace.run(&["apply", "spec", "--base", "HEAD", "--yes"]).exits(3);
    // Only someone else changed it.
    edit(&workspace, "    records:\n      - { name: www, type: A, content: 192.0.2.1, ttl: 300 }");
    assert_eq!(causes(&plan(&workspace, "HEAD")), one("dns/www/A", "update", "drift"));
    let ran = workspace.run(&["plan", "spec", "--base", "HEAD"]).exits(0);
    assert!(
        ran.stdout.contains("reverts a change made outside the spec (last changed 20"),
        "{}",
        ran.stdout
    );
    // Unknown without the previous spec.
    let without = workspace.run(&["plan", "spec", "--no-base", "--format", "json"]).exits(0);
    assert_eq!(causes(&without), one("dns/www/A", "update", "unknown"));
}

#[test]
fn what_someone_put_in_the_way_is_drift_and_no_conflict() {
    let workspace = committed("    records:\n      - { name: www, type: A, content: 192.0.2.1 }");
    let dump = workspace.dump();
    let (zone, record) = (&dump["zones"][0]["id"], &dump["zones"][0]["records"][0]["id"]);
    let path = format!(
        "/zones/{}/dns_records/{}",
        zone.as_str().unwrap_or_default(),
        record.as_str().unwrap_or_default()
    );
    workspace.write("DELETE", &path, &Value::Null);
    workspace.plant_records(
        json!([{ "type": "CNAME", "name": "www.example.com", "content": "a.example.net" }]),
    );
    let found: Vec<_> = causes(&plan(&workspace, "HEAD"))
        .into_iter()
        .map(|(_, action, cause)| (action, cause))
        .collect();
    let wanted = [("delete", "drift"), ("create", "drift")];
    assert_eq!(found, wanted.map(|(action, cause)| (action.to_owned(), cause.to_owned())));
}

#[test]
fn what_was_given_up_is_deleted_and_nothing_else() {
    let workspace = committed(
        "    records:\n      - { name: a, type: A, content: 192.0.2.1 }\n      - { name: b, type: A, content: [192.0.2.2, 192.0.2.3] }\n      - { name: c, type: A, content: 192.0.2.4, protect: true }",
    );
    workspace
        .plant_records(json!([{ "type": "A", "name": "b.example.com", "content": "192.0.2.99" }]));
    edit(&workspace, "    records:\n      - { name: b, type: A, content: [192.0.2.5, 192.0.2.3] }");
    let ran = plan(&workspace, "HEAD");
    let json = ran.json();
    let deleted: Vec<_> = json["operations"]
        .as_array()
        .expect("operations")
        .iter()
        .filter(|o| o["action"] == "delete")
        .collect();
    let contents: Vec<_> =
        deleted.iter().map(|o| o["before"]["content"].as_str().unwrap_or_default()).collect();
    assert_eq!(contents, ["192.0.2.1", "192.0.2.4"]);
    // The value that the base had is replaced by the new one, even if someone else added another
    // value.
    let updated: Vec<_> = json["operations"]
        .as_array()
        .expect("operations")
        .iter()
        .filter(|o| o["action"] == "update")
        .collect();
    let sides: Vec<_> =
        updated.iter().map(|o| (&o["before"]["content"], &o["after"]["content"])).collect();
    assert_eq!(sides, [(&json!("192.0.2.2"), &json!("192.0.2.5"))]);
    // The effect of the change is given after the reason.
    let reason = |operation: &Value| operation["effect"]["lines"][0].clone();
    assert!(
        deleted.iter().all(|o| reason(o) == "removed from the spec" && o["cause"] == "spec"),
        "{deleted:?}"
    );
    // Without the previous spec, nothing is deleted.
    let without = workspace.run(&["plan", "spec", "--no-base", "--format", "json"]).exits(0).json();
    assert_eq!(without["summary"]["delete"], 0);
    let consents = ["--allow-deletes", "2", "--allow", "removes-last-address,changes-protected"];
    workspace
        .run(&[&["apply", "spec", "--base", "HEAD", "--yes"][..], &consents[..2]].concat())
        .exits(3);
    workspace
        .run(&[&["apply", "spec", "--base", "HEAD", "--yes"][..], &consents].concat())
        .exits(0);
    let left: Vec<_> =
        workspace.records("example.com").iter().map(|r| r["content"].clone()).collect();
    assert_eq!(left.len(), 3);
    assert!(left.contains(&json!("192.0.2.99")), "what someone else made stays");
    workspace.run(&["plan", "spec", "--base", "HEAD", "--detailed-exitcode"]).exits(0);
}

#[test]
fn a_removal_that_was_refused_is_not_in_sync() {
    let workspace = committed(
        "    records:\n      - { name: a, type: A, content: 192.0.2.1 }\n      - { name: b, type: A, content: 192.0.2.2 }\n      - { name: c, type: A, content: 192.0.2.3 }",
    );
    edit(&workspace, "    records:\n      - { name: a, type: A, content: 192.0.2.1 }");
    let when = When::Matching {
        method: Some("POST".to_owned()),
        path_suffix: "/dns_records/batch".to_owned(),
        nth: 2,
    };
    workspace.fault(Fault { when, what: What::TokenRefused { status: 401, code: 1000 }, times: 1 });
    let consents = ["--allow-deletes", "2", "--allow", "removes-last-address"];
    let apply =
        ["apply", "spec", "--base", "HEAD", "--yes", "--batch-size", "1", "--format", "json"];
    let ran = workspace.run(&[&apply[..], &consents].concat()).exits(5).json();
    assert_eq!(workspace.records("example.com").len(), 2);
    let zone = &ran["result"]["zones"][0];
    assert_eq!((&zone["in_sync"], &zone["remaining"]), (&json!(false), &json!(1)));
}

#[test]
fn rules_that_were_given_up_go_too() {
    let both = "    waf:\n      owasp: { paranoia: 2, disable: [{ rule: 942430, reason: x }, { rule: 911100, reason: y }] }\n      custom:\n        - { name: a, when: 'http.host eq \"a.example.com\"', action: block }\n        - { name: b, when: 'http.host eq \"b.example.com\"', action: block }";
    let workspace = committed(both);
    edit(
        &workspace,
        "    waf:\n      owasp: { paranoia: 2, disable: [{ rule: 942430, reason: x }] }\n      custom:\n        - { name: a, when: 'http.host eq \"a.example.com\"', action: block }",
    );
    let ran = plan(&workspace, "HEAD");
    let actions: Vec<_> = causes(&ran)
        .into_iter()
        .map(|(address, action, cause)| {
            (address.rsplit('/').next().unwrap_or_default().to_owned(), action, cause)
        })
        .collect();
    let wanted = [("owasp", "update", "spec"), ("b", "delete", "spec")];
    assert_eq!(actions, wanted.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    workspace
        .run(&[
            "apply",
            "spec",
            "--base",
            "HEAD",
            "--yes",
            "--allow-deletes",
            "1",
            "--allow",
            "weakens-protection",
        ])
        .exits(0);
    workspace.run(&["plan", "spec", "--base", "HEAD", "--detailed-exitcode"]).exits(0);
    // The rule that is off on purpose stays so.
    let rulesets = workspace.dump()["zones"][0]["rulesets"].as_array().cloned().unwrap_or_default();
    let rules = json!(rulesets.iter().map(|r| &r["rules"]).collect::<Vec<_>>());
    assert!(rules.to_string().contains("5e4903d6afa841c9b88b96203297003f"), "{rules}");
    assert!(!rules.to_string().contains("8ac8bc2a661e475d940980f9317f28e1"), "{rules}");
}

#[test]
fn the_rules_of_a_section_that_was_given_up_go_too() {
    let rule = "        - { name: a, when: 'http.host eq \"a.example.com\"', action: block }";
    let workspace = committed(&format!("    records: []\n    waf:\n      custom:\n{rule}"));
    edit(&workspace, "    records: []");
    let allowed = ["--allow-deletes", "1", "--allow", "weakens-protection"];
    workspace.run(&[&["apply", "spec", "--base", "HEAD", "--yes"][..], &allowed].concat()).exits(0);
    let rulesets = workspace.dump()["zones"][0]["rulesets"].as_array().cloned().unwrap_or_default();
    assert!(
        rulesets.iter().all(|r| r["rules"].as_array().is_none_or(Vec::is_empty)),
        "{rulesets:?}"
    );
}

#[test]
fn the_work_tree_is_not_touched_and_refusals_are_explained() {
    let workspace = committed("    records:\n      - { name: www, type: A, content: 192.0.2.1 }");
    edit(&workspace, "    records: []");
    workspace.file("spec/untracked.yaml", "version: 1\nzones: { example.net: { records: [] } }\n");
    std::fs::remove_file(workspace.path().join("spec/untracked.yaml")).expect("it is there");
    workspace.run(&["plan", "spec", "--base", "HEAD"]).exits(0);
    let text =
        std::fs::read_to_string(workspace.path().join("spec/zone.yaml")).expect("it is there");
    assert!(text.contains("records: []"));
    for (base, words) in [
        ("no-such-branch", "there is no revision \"no-such-branch\" in this repository"),
        ("--upload-pack=x", "--upload-pack"),
        ("HEAD~7", "there is no revision"),
    ] {
        let ran = workspace.run(&["plan", "spec", &format!("--base={base}")]).exits(1);
        assert!(ran.stderr.contains(words), "{base}: {}", ran.stderr);
    }
    // A path starts with `./`, `../` or `/`.
    workspace.file(
        "before/zone.yaml",
        text.replace("records: []", "records: [{ name: www, type: A, content: 192.0.2.1 }]"),
    );
    assert_eq!(causes(&plan(&workspace, "./before")), one("dns/www/A/37fcff24", "delete", "spec"));
    // A previous spec with mistakes is refused as a whole.
    workspace.file("before/zone.yaml", "version: 1\nzones: { example.com: { recrods: [] } }\n");
    let ran = workspace.run(&["plan", "spec", "--base", "./before"]).exits(1);
    assert!(ran.stderr.contains("the previous spec (./before) has mistakes"), "{}", ran.stderr);
    // Outside of any repository.
    let outside = Workspace::new(options());
    outside.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
    let mut command = outside.command();
    command.args(["plan", "spec.yaml", "--base", "HEAD"]);
    let ran: Ran = command.output().expect("it runs").into();
    assert!(ran.exits(1).stderr.contains("not a git repository"));
}

/// Every plan contains the kind of base and its commit; a saved plan is bound to it.
#[test]
fn a_plan_says_what_its_base_is_and_a_saved_one_is_bound_to_it() {
    let workspace = committed("    records:\n      - { name: www, type: A, content: 192.0.2.1 }");
    let before =
        std::fs::read_to_string(workspace.path().join("spec/zone.yaml")).expect("it is there");
    workspace.file("before.yaml", before);
    edit(&workspace, "    records:\n      - { name: www, type: A, content: 192.0.2.2 }");
    let plan_of = |base: &str, out: &str| {
        workspace
            .run(&["plan", "spec", "--base", base, "--out", out, "--format", "json"])
            .exits(0)
            .json()
    };
    let revision = plan_of("main", "revision.json")["base"].clone();
    let commit = revision["commit"].as_str().expect("a commit").to_owned();
    assert_eq!(revision, json!({ "kind": "revision", "name": "main", "commit": commit }));
    let path = plan_of("./before.yaml", "path.json")["base"].clone();
    assert_eq!((&path["kind"], &path["name"]), (&json!("path"), &json!("./before.yaml")));
    for (base, words) in [
        ("main", format!("revision main (commit {})", &commit[..12])),
        (commit.as_str(), format!("commit {}", &commit[..12])),
        ("./before.yaml", "path ./before.yaml".to_owned()),
    ] {
        for format in ["text", "markdown", "html"] {
            let ran = workspace.run(&["plan", "spec", "--base", base, "--format", format]).exits(0);
            assert!(ran.stdout.contains(&words), "{base}, {format}: {}", ran.stdout);
        }
        let ran = workspace.run(&["drift", "spec", "--base", base]).exits(2);
        assert!(ran.stdout.contains(&words), "{base}: {}", ran.stdout);
    }
    // Someone edits the plan so that it shows or contains another base.
    let forged = |file: &str, change: fn(&mut Value)| {
        let text = std::fs::read_to_string(workspace.path().join(file)).expect("it was saved");
        let mut plan: Value = serde_json::from_str(&text).expect("it is JSON");
        change(&mut plan);
        workspace.file("forged.json", sealed(plan));
        let ran = workspace.run(&["apply", "forged.json", "--yes"]).exits(1);
        assert!(ran.stderr.contains("shows another base"), "{}", ran.stderr);
    };
    let writes = workspace.writes().len();
    forged("revision.json", |plan| plan["base"]["commit"] = json!("0".repeat(40)));
    forged("revision.json", |plan| plan["base"] = Value::Null);
    forged("revision.json", |plan| plan["saved"]["base"] = Value::Null);
    forged("path.json", |plan| {
        let spec = plan["saved"]["base"]["spec"].as_str().unwrap_or_default();
        plan["saved"]["base"]["spec"] = json!(format!("{spec}# more\n"));
    });
    // A base on the command line must be the base that the plan was made with.
    git(&workspace, &["commit", "-qam", "second"]);
    workspace.file("other.yaml", "version: 1\nzones: { example.com: { records: [] } }\n");
    for (file, base) in [
        ("revision.json", "main"),
        ("revision.json", "./before.yaml"),
        ("path.json", "main~1"),
        ("path.json", "./other.yaml"),
    ] {
        let ran = workspace.run(&["apply", file, "--base", base, "--yes"]).exits(4);
        assert!(ran.stderr.contains("another base"), "{file} {base}: {}", ran.stderr);
    }
    assert_eq!(workspace.writes().len(), writes, "nothing is sent");
    workspace.run(&["apply", "path.json", "--base", "./before.yaml", "--dry-run"]).exits(0);
    workspace.run(&["apply", "revision.json", "--base", "main~1", "--yes"]).exits(0);
}

/// A pipeline that applies a spec must not apply a plan because a file contains one.
#[test]
fn a_saved_plan_does_not_take_the_place_of_a_spec() {
    let workspace = committed("    records:\n      - { name: www, type: A, content: 192.0.2.1 }");
    edit(&workspace, "    records: []\n    unmanaged: prune");
    workspace
        .run(&[
            "plan",
            "spec",
            "--allow-deletes",
            "1",
            "--allow",
            "removes-last-address",
            "--out",
            "plan.json",
        ])
        .exits(0);
    std::fs::copy(workspace.path().join("plan.json"), workspace.path().join("spec/zone.yaml"))
        .expect("it was saved");
    let ran = workspace.run(&["apply", "spec/zone.yaml", "--yes"]).exits(1);
    assert!(ran.stderr.contains("under the name of a spec"), "{}", ran.stderr);
    assert_eq!(workspace.records("example.com").len(), 1);
    workspace.run(&["plan", "spec", "--out", "plan.yaml"]).exits(64);
}

#[test]
fn a_shallow_clone_is_explained() {
    let workspace = committed("    records:\n      - { name: www, type: A, content: 192.0.2.1 }");
    edit(&workspace, "    records: []");
    git(&workspace, &["commit", "-qam", "second"]);
    let origin = format!("file://{}", workspace.path().display());
    git(&workspace, &["clone", "-q", "--depth", "1", &origin, "shallow"]);
    let ran = workspace.run(&["plan", "shallow/spec", "--base", "HEAD~1"]).exits(1);
    assert!(
        ran.stderr.contains("shallow clone") && ran.stderr.contains("fetch-depth: 0"),
        "{}",
        ran.stderr
    );
}

/// Half of a spec, or half of a listing, is more likely a broken source than intended. (Accidents 1
/// and 12.)
#[test]
fn a_source_that_shrank_by_half_needs_consent() {
    let addresses = |n: usize| {
        let one = |n| format!("      - {{ name: h{n}, type: A, content: 192.0.2.{n} }}");
        format!("    records:\n{}", (1..=n).map(one).collect::<Vec<_>>().join("\n"))
    };
    let workspace = committed(&addresses(20));
    edit(&workspace, &addresses(8));
    let consents = [
        "apply",
        "spec",
        "--base",
        "HEAD",
        "--yes",
        "--allow-deletes",
        "12",
        "--allow",
        "removes-last-address,changes-much",
    ];
    let ran = workspace.run(&consents).exits(3);
    assert!(ran.stdout.contains("--allow spec-shrank"), "{}", ran.stdout);
    // Cloudflare lists half of the zone.
    let empty = Workspace::new(options());
    empty.file("before.yaml", format!("version: 1\nzones:\n  example.com:\n{}\n", addresses(20)));
    empty.file("spec.yaml", format!("version: 1\nzones:\n  example.com:\n{}\n", addresses(20)));
    let ran = empty.run(&["apply", "spec.yaml", "--base", "./before.yaml", "--yes"]).exits(3);
    assert!(ran.stdout.contains("--allow live-shrank"), "{}", ran.stdout);
    empty
        .run(&["apply", "spec.yaml", "--base", "./before.yaml", "--yes", "--allow", "live-shrank"])
        .exits(0);
}

/// Consents in the spec and in the policy file, with their reasons.
#[test]
fn consents_can_be_committed() {
    let workspace = Workspace::new(options());
    workspace
        .plant_records(json!([{ "type": "MX", "name": "example.com", "content": "mx1.example.net", "priority": 10 }]));
    let spec = |extra: &str| {
        workspace.records_spec(&format!(
            "      - {{ name: \"@\", type: MX, content: mx2.example.net, priority: 10{extra} }}"
        ))
    };
    spec("");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(3);
    spec(", allow: { changes-mail: TICKET-7, overwrites-foreign: ours }");
    let ran = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0);
    assert_eq!(
        ran.json()["consents_given"],
        json!([
            { "danger": "changes-mail", "by": "spec: TICKET-7" },
            { "danger": "overwrites-foreign", "by": "spec: ours" },
        ])
    );
    spec("");
    workspace.file(
        ".zonewright-policy.yaml",
        "version: 1\nzones:\n  \"*.com\":\n    allow: { changes-mail: moving mail, overwrites-foreign: ours }\n",
    );
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(ran.stdout.contains("policy: moving mail"), "{}", ran.stdout);
    workspace.file(".zonewright-policy.yaml", "version: 1\nallow: { nonsense: x }\n");
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("there is no key `nonsense` here"), "{}", ran.stderr);
    assert!(ran.stderr.contains(".zonewright-policy.yaml:2:10"), "{}", ran.stderr);
    workspace.file(".zonewright-policy.yaml", "version: 1\nallow: { chnges-mail: x }\n");
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("did you mean `changes-mail`?"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the policy .zonewright-policy.yaml cannot be used: it has 1 error"),
        "{}",
        ran.stderr
    );
    // An unknown danger in the spec is an error with a place.
    std::fs::remove_file(workspace.path().join(".zonewright-policy.yaml")).expect("it is there");
    spec(", allow: { chnges-mail: x }");
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
    assert!(
        ran.stderr.contains("spec.yaml:5:") && ran.stderr.contains("changes-mail"),
        "{}",
        ran.stderr
    );
    // A danger of an earlier version is refused everywhere; the error names the danger that
    // replaced it.
    spec(", allow: { changes-apex-mx: x }");
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("`changes-apex-mx` is now `changes-mail`"), "{}", ran.stderr);
    spec("");
    let ran = workspace.run(&["plan", "spec.yaml", "--allow", "changes-apex-ns"]);
    assert!(
        ran.stderr.contains("`changes-apex-ns` is now `changes-name-servers`"),
        "{}",
        ran.stderr
    );
    assert_ne!(ran.code, Some(0));
    workspace.file(".zonewright-policy.yaml", "version: 1\nallow: { changes-apex-mx: x }\n");
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("`changes-apex-mx` is now `changes-mail`"), "{}", ran.stderr);
}

/// A file of a revision has the limit of a file of a spec.
#[test]
fn a_revision_with_too_large_a_file_is_refused() {
    let workspace = committed("    records: []");
    workspace.file("spec/large.yaml", "#".repeat((24 << 20) + 1));
    git(&workspace, &["add", "spec"]);
    git(&workspace, &["commit", "-qm", "large"]);
    std::fs::remove_file(workspace.path().join("spec/large.yaml")).unwrap();
    let ran = workspace.run(&["plan", "spec", "--base", "HEAD"]).exits(1);
    assert!(ran.stderr.contains("a file is over 24 MiB"), "{}", ran.stderr);
}

/// A pull request adds a zone. Neither the base nor Cloudflare has it, so someone else changed
/// nothing.
#[test]
fn a_new_zone_is_what_the_spec_says() {
    let zone = |name: &str, address: &str| {
        format!(
            "version: 1\nzones:\n  {name}:\n    create: true\n    dnssec: on\n    settings: {{ always_use_https: on }}\n    \
             waf: {{ custom: [{{ name: a, when: 'http.host eq \"a.{name}\"', action: block }}] }}\n    \
             records:\n      - {{ name: \"@\", type: A, content: {address} }}\n"
        )
    };
    let workspace = Workspace::empty(options_on("business"));
    workspace.file("base/a.yaml", zone("example.com", "198.18.1.1"));
    workspace.run(&["apply", "base", "--yes"]).exits(0);
    workspace.file("spec/a.yaml", zone("example.com", "198.18.1.1"));
    workspace.file("spec/b.yaml", zone("example.net", "198.18.1.2"));
    let planned = workspace
        .run(&["plan", "spec", "--base", "./base", "--detailed-exitcode", "--format", "json"])
        .exits(2)
        .json();
    let operations = planned["operations"].as_array().expect("operations");
    assert!(operations.iter().any(|o| o["kind"] == "zone"), "{planned:#}");
    for operation in operations {
        assert_eq!(
            (&operation["cause"], &operation["dangers"]),
            (&json!("spec"), &json!([])),
            "{operation:#}"
        );
    }
    let text = workspace.run(&["plan", "spec", "--base", "./base"]).exits(0).stdout;
    assert!(!text.contains("someone else"), "{text}");
    workspace.run(&["apply", "spec", "--base", "./base", "--yes"]).exits(0);
    workspace.run(&["plan", "spec", "--base", "./spec", "--detailed-exitcode"]).exits(0);
    // A zone that the base did create, and that someone deleted: the plan reverts that.
    let emptied = Workspace::empty(options_on("business"));
    emptied.file("spec.yaml", zone("example.com", "198.18.1.1"));
    let planned = emptied
        .run(&["plan", "spec.yaml", "--base", "./spec.yaml", "--format", "json"])
        .exits(0)
        .json();
    let of_zone =
        planned["operations"].as_array().expect("operations").iter().find(|o| o["kind"] == "zone");
    assert_eq!(of_zone.expect("the zone")["cause"], "drift", "{planned:#}");
    // The base named the zone, and did not create it.
    let named = zone("example.com", "198.18.1.1").replace("    create: true\n", "");
    emptied.file("base.yaml", named);
    let planned = emptied
        .run(&["plan", "spec.yaml", "--base", "./base.yaml", "--format", "json"])
        .exits(0)
        .json();
    let of_zone =
        planned["operations"].as_array().expect("operations").iter().find(|o| o["kind"] == "zone");
    assert_eq!(
        (&of_zone.expect("the zone")["cause"], &of_zone.expect("the zone")["dangers"]),
        (&json!("spec"), &json!([]))
    );
}

/// A pull request that adds a zone with mail: nothing that answers today is lost. What the values
/// themselves say wrong is still a danger.
#[test]
fn a_new_zone_has_nothing_to_lose() {
    let records = |zone: &str, more: &str| {
        format!(
            "version: 1\nzones:\n  {zone}:\n    create: true\n    records:\n      - {{ name: \"@\", type: A, content: 198.18.1.1 }}\n{more}"
        )
    };
    let mail = r#"      - { name: "@", type: MX, priority: 10, content: mx1.example.net }
      - { name: "@", type: MX, priority: 20, content: later.example.net }
      - { name: "@", type: TXT, content: "v=spf1 mx a:gone.example.net ~all" }
      - { name: _dmarc, type: TXT, content: "v=DMARC1; p=none" }
      - { name: s1._domainkey, type: TXT, content: "v=DKIM1; p=" }
      - { name: "@", type: CAA, content: '0 issue ";"' }
      - { name: "*.w", type: TXT, content: "v=spf1 +all" }
      - { name: sub, type: NS, content: ns1.sub.example.net }
      - { name: mx1, type: CNAME, content: mx1.example.com }
"#;
    let workspace = Workspace::empty(options_on("business"));
    workspace.file("base/a.yaml", records("example.com", ""));
    workspace.run(&["apply", "base", "--yes"]).exits(0);
    workspace.file("spec/a.yaml", records("example.com", ""));
    workspace.file("spec/b.yaml", records("example.net", mail));
    for base in [&["--base", "./base"][..], &["--no-base"]] {
        let plan = [&["plan", "spec", "--format", "json"], base].concat();
        let planned = workspace.run(&plan).exits(0).json();
        assert_eq!(planned["verdict"], "ready", "{planned:#}");
        for operation in planned["operations"].as_array().expect("operations") {
            assert_eq!(operation["dangers"], json!([]), "{operation:#}");
        }
        assert!(planned.to_string().contains("what answers for example.net today"), "{planned:#}");
    }
    // A zone that an interrupted run made, and that nobody uses yet.
    let pending = Workspace::empty(options_on("business"));
    pending
        .file("spec.yaml", "version: 1\nzones: { example.net: { create: true, records: [] } }\n");
    pending.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    pending.file("spec.yaml", records("example.net", mail));
    pending.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    // What is wrong in itself, without anything to compare with.
    let wrong = "      - { name: www, type: CNAME, content: www.example.net.example.net }\n";
    workspace.file("spec/b.yaml", records("example.net", wrong));
    let planned = workspace.run(&["plan", "spec", "--base", "./base", "--format", "json"]).exits(0);
    let dangers = planned.json()["consents_missing"].to_string();
    assert!(dangers.contains("looks-mistyped"), "{}", planned.stdout);
}

/// A proxied record has no TTL of its own: a `ttl` that is removed beside `proxied: true` gives up
/// nothing.
#[test]
fn the_ttl_of_a_proxied_record_is_not_given_up() {
    let record = |attributes: &str| {
        format!("    records:\n      - {{ name: www, type: A, content: 192.0.2.1{attributes} }}")
    };
    let found = |workspace: &Workspace| -> Vec<String> {
        let planned = plan(workspace, "HEAD").json();
        let all = planned["diagnostics"]
            .as_array()
            .expect("findings")
            .iter()
            .map(|d| d["code"].as_str().unwrap_or_default());
        all.filter(|code| ["PLAN0038", "PLAN0039"].contains(code)).map(str::to_owned).collect()
    };
    for (before, after, codes) in [
        // The advice for a `ttl` beside `proxied: true` is to remove it.
        (", proxied: true, ttl: 3600", ", proxied: true", &[][..]),
        (", ttl: 3600", ", proxied: true", &[]),
        (", proxied: true", ", proxied: true, ttl: auto", &[]),
        // A record that is not proxied keeps the TTL that it has.
        (", ttl: 3600", "", &["PLAN0038"]),
        (", proxied: false, ttl: 3600", ", proxied: false", &["PLAN0038"]),
    ] {
        let workspace = committed(&record(before));
        edit(&workspace, &record(after));
        assert_eq!(found(&workspace), codes, "{before} → {after}");
    }
    // The same where the base was never applied.
    let workspace = committed(&record(", ttl: 3600"));
    edit(&workspace, &record(", proxied: true, ttl: 3600"));
    git(&workspace, &["commit", "-qam", "proxied"]);
    edit(&workspace, &record(", proxied: true"));
    assert_eq!(found(&workspace), Vec::<String>::new());
    let text = workspace.run(&["plan", "spec", "--base", "HEAD", "-v"]).exits(0).stdout;
    assert!(text.contains("ttl: 3600 → auto") && !text.contains("stays"), "{text}");
    // The base also wanted to remove the override, so the plan overrides no change of someone else.
    assert!(!text.contains("overrides-conflict"), "{text}");
}

/// Whoever writes a tree can give a directory any name, but no commit the id that they like.
#[test]
fn a_directory_with_the_name_of_the_commit_stops_nothing() {
    let workspace = committed("    records:\n      - { name: www, type: A, content: 192.0.2.1 }");
    let id = Command::new("git")
        .current_dir(workspace.path())
        .args(["rev-parse", "HEAD"])
        .output()
        .unwrap();
    let id = String::from_utf8(id.stdout).unwrap().trim().to_owned();
    edit(&workspace, "    records:\n      - { name: www, type: A, content: 192.0.2.2 }");
    for name in [&id[..], &id[..12], &id[..7]] {
        workspace.file(
            &format!("{name}/spec/zone.yaml"),
            "version: 1\nzones: { example.com: { records: [] } }\n",
        );
        assert_eq!(causes(&plan(&workspace, name)), one("dns/www/A", "update", "spec"), "{name}");
    }
    // A path says that it is one.
    let ran = plan(&workspace, &format!("./{id}"));
    assert_ne!(ran.json()["base"]["kind"], "revision", "{ran:?}");
    // A directory with the name of a branch is ambiguous.
    workspace.file("main/spec/zone.yaml", "version: 1\n");
    let ran = workspace.run(&["plan", "spec", "--base", "main"]).exits(1);
    assert!(ran.stderr.contains("both a git revision and a path"), "{ran:?}");
    // A saved plan is bound to the same base.
    workspace.run(&["plan", "spec", "--base", &id, "--out", "plan.json"]).exits(0);
    workspace.run(&["apply", "plan.json", "--yes", "--base", &id]).exits(0);
}
