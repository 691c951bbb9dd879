//! Saved plans: exactly the reviewed operations are applied, or none.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use crate::support::saved_plans::sealed;
use crate::support::workspace::{Ran, Workspace, options, options_on};
use serde_json::{Value, json};
use zonewright::cli::{Invocation, Sink};
use zonewright::sandbox::{Fault, What, When};

/// Returns a workspace with a zone, and a saved plan that changes one record, makes another, and
/// makes a rule.
fn saved() -> Workspace {
    let workspace = Workspace::new(options_on("business"));
    workspace.plant_records(json!([
        { "type": "A", "name": "www.example.com", "content": "192.0.2.1", "ttl": 300 },
        { "type": "A", "name": "other.example.com", "content": "192.0.2.9", "ttl": 300 },
    ]));
    workspace.file(
        "spec.yaml",
        "version: 1\nzones:\n  example.com:\n    waf:\n      custom: [{ name: a, when: 'http.host eq \"a.example.com\"', action: block }]\n    records:\n      - { name: www, type: A, content: 192.0.2.1, ttl: 600 }\n      - { name: new, type: TXT, content: \"héllo; \\\"wörld\\\"\" }\n",
    );
    workspace.run(&["plan", "spec.yaml", "--out", "plan.json"]).exits(0);
    workspace
}

fn text(workspace: &Workspace) -> String {
    std::fs::read_to_string(workspace.path().join("plan.json")).expect("the plan was saved")
}

/// Changes the record with this name, as someone else would.
fn changed(workspace: &Workspace, name: &str, body: &Value) {
    let dump = workspace.dump();
    let zone = &dump["zones"][0];
    let record = zone["records"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|r| r["name"] == name)
        .expect("the record is there");
    let path = format!(
        "/zones/{}/dns_records/{}",
        zone["id"].as_str().unwrap_or_default(),
        record["id"].as_str().unwrap_or_default()
    );
    workspace.write("PATCH", &path, body);
}

#[test]
fn a_saved_plan_is_applied_as_it_was_reviewed() {
    let workspace = saved();
    // The spec is not read any more.
    workspace.file("spec.yaml", "version: 1\nzones: { example.com: { records: [] } }\n");
    // Changes that do not concern the plan are allowed meanwhile.
    changed(&workspace, "other.example.com", &json!({ "ttl": 900 }));
    let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(0);
    assert!(ran.stdout.contains("in sync, read back"), "{}", ran.stdout);
    assert_eq!(workspace.records("example.com").len(), 3);
    // Once applied, it is not needed a second time.
    let before = workspace.writes().len();
    workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
    workspace.run(&["apply", "plan.json", "--yes", "--resume"]).exits(0);
    assert_eq!(workspace.writes().len(), before);
}

#[test]
fn a_live_state_that_changed_is_refused_with_what_and_when() {
    type Someone = fn(&Workspace);
    let moves: [(&str, Someone); 3] = [
        ("example.com/dns/www/A: it was changed by someone else at 20", |w| {
            changed(w, "www.example.com", &json!({ "ttl": 900 }))
        }),
        ("example.com/dns/www/A: it is no longer needed", |w| {
            changed(w, "www.example.com", &json!({ "ttl": 600 }))
        }),
        ("example.com/waf/http_request_firewall_custom", |w| {
            let zone = w.dump()["zones"][0]["id"].as_str().unwrap_or_default().to_owned();
            let rule =
                json!({ "rules": [{ "action": "block", "expression": "ip.src eq 192.0.2.1" }] });
            w.write(
                "PUT",
                &format!("/zones/{zone}/rulesets/phases/http_request_firewall_custom/entrypoint"),
                &rule,
            );
        }),
    ];
    for (words, someone) in moves {
        let workspace = saved();
        someone(&workspace);
        let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
        assert_eq!(workspace.writes().len(), 0);
    }
}

/// The zone of the plan is gone, and another one has its name: in this account or in another one.
#[test]
fn a_plan_is_bound_to_its_zones_and_their_account() {
    let workspace = Workspace::new(options());
    workspace.records_spec("      - { name: new, type: TXT, content: text }");
    workspace.run(&["plan", "spec.yaml", "--out", "plan.json"]).exits(0);
    let honest: Value = serde_json::from_str(&text(&workspace)).expect("it is JSON");
    let zone = honest["saved"]["zones"][0].clone();
    assert_eq!(zone["name"], "example.com");
    assert!(zone["id"].is_string() && zone["account"].is_string(), "{zone}");
    for (member, says) in
        [("id", "another zone of this name has the id"), ("account", "and is in the account")]
    {
        let mut other = honest.clone();
        other["saved"]["zones"][0][member] = json!("f".repeat(32));
        workspace.file("plan.json", sealed(other));
        for resume in [&[][..], &["--resume"]] {
            let ran = workspace.run(&[&["apply", "plan.json", "--yes"], resume].concat()).exits(4);
            assert!(
                ran.stderr.contains(says) && ran.stderr.contains("nothing was sent"),
                "{}",
                ran.stderr
            );
        }
    }
    let mut unbound = honest.clone();
    unbound["saved"]["zones"] = json!([]);
    workspace.file("plan.json", sealed(unbound));
    let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
    assert!(ran.stderr.contains("not bound to this zone"), "{}", ran.stderr);
    let mut without = honest.clone();
    without["saved"].as_object_mut().expect("an object").remove("zones");
    workspace.file("plan.json", sealed(without));
    let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(1);
    assert!(ran.stderr.contains("zones") && ran.stderr.contains("Plan again"), "{}", ran.stderr);
    assert_eq!(workspace.writes().len(), 0);
    workspace.file("plan.json", honest.to_string());
    workspace.run(&["apply", "plan.json", "--yes"]).exits(0);
    // Cloudflare answers with another zone of the same name.
    let answer = |id: &str, account: &str| What::Answer {
        code: 200,
        body: json!({ "success": true, "errors": [], "messages": [], "result": [{ "id": id, "name": "example.com",
            "status": "active", "plan": { "legacy_id": "free" }, "account": { "id": account } }],
            "result_info": { "page": 1, "per_page": 50, "count": 1, "total_count": 1, "total_pages": 1 } }),
    };
    let (id, account) =
        (zone["id"].as_str().expect("an id"), zone["account"].as_str().expect("an account"));
    workspace.records_spec("      - { name: newer, type: TXT, content: text }");
    workspace.run(&["plan", "spec.yaml", "--out", "plan.json"]).exits(0);
    let writes = workspace.writes().len();
    let when = When::Matching { method: Some("GET".into()), path_suffix: "/zones".into(), nth: 1 };
    workspace.fault(Fault { when, what: answer(id, &"e".repeat(32)), times: 1 });
    let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
    assert!(
        ran.stderr.contains(&format!("it was in the account {account}, and is in")),
        "{}",
        ran.stderr
    );
    assert_eq!(workspace.writes().len(), writes);
    workspace.run(&["apply", "plan.json", "--yes"]).exits(0);
}

/// A zone that the plan creates has no id yet. The plan is bound to the account of the zone, and a
/// run that resumes it recognises the zone.
#[test]
fn a_plan_that_creates_its_zone_is_bound_to_the_account() {
    let workspace = Workspace::empty(options());
    workspace.file(
        "spec.yaml",
        "version: 1\nzones:\n  example.com:\n    create: true\n    records: [{ name: new, type: TXT, content: text }]\n",
    );
    let ran = workspace.run(&["plan", "spec.yaml", "--out", "plan.json"]).exits(0);
    let saved: Value = serde_json::from_str(&text(&workspace)).expect("it is JSON");
    let zone = &saved["saved"]["zones"][0];
    assert_eq!(zone["id"], Value::Null);
    let is_unbound = ran.stderr.contains("set CLOUDFLARE_ACCOUNT_ID");
    assert_eq!(is_unbound, zone["account"] == Value::Null, "{}", ran.stderr);
    let mut other = saved.clone();
    other["saved"]["zones"][0]["account"] = json!("f".repeat(32));
    workspace.file("plan.json", sealed(other));
    workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
    assert_eq!(workspace.writes().len(), 0);
    workspace.file("plan.json", saved.to_string());
    workspace.run(&["apply", "plan.json", "--yes"]).exits(0);
    let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
    assert!(ran.stderr.contains("it did not exist, and exists now"), "{}", ran.stderr);
    workspace.run(&["apply", "plan.json", "--yes", "--resume"]).exits(0);
}

/// The day on which expiry is judged is part of the plan. It may not be older than the plan may be.
#[test]
fn the_day_of_a_plan_is_bounded() {
    let workspace = saved();
    let plan: Value = serde_json::from_str(&text(&workspace)).expect("it is JSON");
    for (day, says) in [
        ("2020-01-01", "was judged by the day 2020-01-01"),
        ("2999-12-31", "was judged by the day 2999-12-31"),
        ("today", "does not say by which day"),
        ("2026-02-31", "does not say by which day"),
        ("", "does not say by which day"),
    ] {
        let mut other = plan.clone();
        other["saved"]["today"] = json!(day);
        workspace.file("plan.json", sealed(other));
        let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(1);
        assert!(ran.stderr.contains(says), "{day}: {}", ran.stderr);
    }
    assert_eq!(workspace.writes().len(), 0);
    workspace.file("plan.json", plan.to_string());
    workspace.run(&["apply", "plan.json", "--yes", "--max-age", "1h"]).exits(0);
}

#[test]
fn a_file_that_is_not_what_was_saved_is_refused() {
    let workspace = saved();
    let whole = text(&workspace);
    let refused = |content: String, words: &str| {
        workspace.file("plan.json", content);
        let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(1);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
        assert_eq!(workspace.writes().len(), 0);
    };
    refused(whole.replacen("192.0.2.1", "192.0.2.7", 1), "edited or damaged");
    refused(
        whole.replace("\"verdict\": \"ready\"", "\"verdict\": \"in-sync\""),
        "edited or damaged",
    );
    refused(whole[..whole.len() / 2].to_owned(), "incomplete");
    let plan: Value = serde_json::from_str(&whole).expect("it is JSON");
    let mut other = plan.clone();
    other["saved"]["format"] = json!(2);
    // Whatever else such a version writes.
    other["operations"] = json!("elsewhere");
    refused(other.to_string(), "format 2");
    refused(sealed(other), "format 2");
    let plain = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).stdout;
    refused(plain, "not a saved plan");
    let mut unlike = plan.clone();
    unlike["operations"][0]["action"] = json!("destroy");
    refused(sealed(unlike), "this version cannot read the plan");
    // A plan of yesterday with a valid seal.
    let mut old = plan.clone();
    old["saved"]["created_at"] = json!("2020-01-01T00:00:00Z");
    refused(sealed(old), "--max-age");
    // The order of members and the layout of the file have no influence.
    let mut members: Vec<_> = plan.as_object().cloned().unwrap_or_default().into_iter().collect();
    members.reverse();
    workspace.file("plan.json", Value::Object(members.into_iter().collect()).to_string());
    workspace.run(&["apply", "plan.json", "--dry-run"]).exits(0);
    // Complete and unchanged, it is accepted.
    workspace.file("plan.json", whole);
    workspace.run(&["apply", "plan.json", "--yes", "--max-age", "1h"]).exits(0);
}

#[test]
fn consents_go_with_the_plan_and_can_be_added() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "A", "name": "old.example.com", "content": "192.0.2.1" },
        { "type": "TXT", "name": "old.example.com", "content": "\"in use\"" },
    ]));
    workspace.records_spec("      - { name: old, type: A, state: absent }");
    workspace.run(&["plan", "spec.yaml", "--out", "plan.json", "--allow-deletes", "1"]).exits(0);
    workspace.run(&["apply", "plan.json", "--yes"]).exits(3);
    workspace.run(&["apply", "plan.json", "--yes", "--allow", "removes-last-address"]).exits(0);
    assert_eq!(workspace.records("example.com").len(), 1);
}

#[test]
fn a_saved_plan_holds_no_secret_and_is_private() {
    let workspace = saved();
    assert!(!text(&workspace).contains(zonewright::sandbox::TOKEN));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(workspace.path().join("plan.json"))
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // It holds the exact requests of a dry run.
    let dry =
        workspace.run(&["apply", "plan.json", "--dry-run", "--format", "json"]).exits(0).json();
    let plan: Value = serde_json::from_str(&text(&workspace)).expect("it is JSON");
    assert_eq!(plan["saved"]["requests"], dry["requests"]);
    assert_eq!(plan["format"], 1);
    assert_eq!(plan["kind"], "plan");
}

/// Part of a saved plan was applied, then the sandbox failed: the rest can be applied, and only the
/// rest.
#[test]
fn a_plan_that_was_applied_in_part_can_be_resumed() {
    use zonewright::sandbox::{Fault, What, When};
    let workspace = saved();
    workspace.fault(Fault {
        when: When::Matching { method: Some("POST".into()), path_suffix: "/batch".into(), nth: 1 },
        what: What::Answer { code: 403, body: json!({ "success": false, "errors": [{ "code": 10000, "message": "Authentication error" }], "messages": [], "result": null }) },
        times: 1,
    });
    workspace.run(&["apply", "plan.json", "--yes"]).exits(5);
    workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
    workspace.run(&["apply", "plan.json", "--yes", "--resume"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn two_applies_exclude_each_other() {
    let workspace = saved();
    let directory = workspace.path().join(".zonewright/journal");
    std::fs::create_dir_all(&directory).expect("it can be made");
    let file = std::fs::File::create(directory.join("apply.lock")).expect("it can be made");
    file.lock().expect("nobody has it");
    let before = workspace.requests().len();
    let ran = workspace.run(&["apply", "plan.json", "--yes"]).exits(1);
    assert!(ran.stderr.contains("another apply is running"), "{}", ran.stderr);
    assert_eq!(workspace.requests().len(), before, "nothing was asked");
    workspace.run(&["plan", "spec.yaml"]).exits(0);
    // Closing the file is not enough: a process that another test starts right now has it, too,
    // until it begins.
    file.unlock().expect("it was locked");
    workspace.run(&["apply", "plan.json", "--yes"]).exits(0);
}

/// Runs the program in this process, with a clock that shows this time. File names are relative to
/// the workspace.
fn at(workspace: &Workspace, time: SystemTime, arguments: &[&str]) -> Ran {
    let place = |name: &str| workspace.path().join(name).into_os_string();
    let is_file = |name: &str| name.contains('.') && !name.starts_with("example");
    let argument = |name: &&str| if is_file(name) { place(name) } else { OsString::from(name) };
    let mut arguments: Vec<OsString> = arguments.iter().map(argument).collect();
    arguments.extend(["--journal".into(), place("journal"), "--cache".into(), place("cache")]);
    let (results, messages) = (Arc::<Mutex<Vec<u8>>>::default(), Arc::<Mutex<Vec<u8>>>::default());
    let variable = |name: &str, value: &str| (name.to_owned(), OsString::from(value));
    let token = variable("CLOUDFLARE_API_TOKEN", zonewright::sandbox::TOKEN);
    let base_url = variable("CLOUDFLARE_BASE_URL", &workspace.base_url());
    let invocation = Invocation {
        arguments,
        environment: BTreeMap::from([token, base_url]),
        results: Arc::clone(&results) as Sink,
        messages: Arc::clone(&messages) as Sink,
        observer: None,
    };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts");
    let code = i32::from(runtime.block_on(invocation.run_by(Arc::new(move || time))).code());
    let text = |sink: &Mutex<Vec<u8>>| {
        String::from_utf8_lossy(&sink.lock().expect("nobody panics")).into_owned()
    };
    Ran { code: Some(code), stdout: text(&results), stderr: text(&messages) }
}

/// Seconds since 1970.
fn moment(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

/// A plan that was saved with a fast clock still expires.
#[test]
fn the_age_of_a_plan_is_judged_by_clocks_that_agree() {
    let workspace = saved();
    let made = moment(1_800_000_000);
    at(&workspace, made, &["plan", "spec.yaml", "--out", "fast.json"]).exits(0);
    let apply = |time, more: &[&str]| {
        at(&workspace, time, &[&["apply", "fast.json", "--dry-run"], more].concat())
    };
    let minutes = |n: u64| Duration::from_secs(60 * n);
    for before in [6, 60, 60 * 24 * 365] {
        let ran = apply(made - minutes(before), &["--max-age", "10000h"]).exits(1);
        let words = "made at 2027-01-15T08:00:00Z, and this machine's clock says";
        assert!(
            ran.stderr.contains(words) && ran.stderr.contains("one of the two clocks is wrong"),
            "{ran:?}"
        );
    }
    apply(made - minutes(5), &[]).exits(0);
    apply(made + minutes(59), &["--max-age", "1h"]).exits(0);
    let ran = apply(made + minutes(61), &["--max-age", "1h"]).exits(1);
    assert!(ran.stderr.contains("was made 1h 1m ago, and --max-age is 1h"), "{ran:?}");
    assert!(workspace.writes().is_empty());
}

#[test]
fn a_saved_plan_is_applied_for_its_own_day() {
    let workspace = saved();
    workspace.run(&["plan", "spec.yaml", "--today", "2026-11-20", "--out", "plan.json"]).exits(0);
    let apply = ["apply", "plan.json", "--yes", "--max-age", "100000h", "--today"];
    for base in [&[][..], &["--base", "spec.yaml"]] {
        let ran = workspace.run(&[&apply[..], &["2026-11-21"], base].concat()).exits(64);
        assert!(ran.stderr.contains("the saved plan was made for 2026-11-20"), "{ran:?}");
    }
    let ran = workspace.run(&["apply", "plan.json", "--yes", "--var", "X=1"]).exits(64);
    assert!(ran.stderr.contains("a saved plan was made with its own values"), "{ran:?}");
    workspace.run(&[&apply[..], &["2026-11-20"]].concat()).exits(0);
}

/// A clock that was never set, or was set to an impossible time.
#[test]
fn a_clock_that_cannot_be_right_is_told() {
    let workspace = saved();
    let past = SystemTime::UNIX_EPOCH - Duration::from_secs(86_400);
    for (time, words) in [
        (past, "far in the past: it says 1970-01-01T00:00:00Z"),
        (moment(0), "far in the past"),
        (moment(86_400 * 365), "far in the past: it says 1971-01-01T00:00:00Z"),
        // The last second that any offset can show.
        (moment(253_402_300_800), "far in the future: it says 9999-12-30T22:00:00Z"),
        (moment(1 << 50), "far in the future"),
    ] {
        let before = workspace.requests().len();
        for arguments in [
            &["plan", "spec.yaml"][..],
            &["plan", "spec.yaml", "--today", "2027-01-01", "--out", "other.json"],
            &["apply", "spec.yaml", "--yes"],
            &["apply", "plan.json", "--yes"],
            &["drift", "spec.yaml"],
            &["snapshot", "spec.yaml", "--out", "snapshot.gz"],
            &["validate", "spec.yaml"],
            &["diff", "spec.yaml", "spec.yaml"],
            &["import", "example.com"],
        ] {
            let ran = at(&workspace, time, arguments).exits(1);
            assert!(
                ran.stderr.contains(words) && ran.stderr.contains("Set it"),
                "{arguments:?}: {ran:?}"
            );
        }
        assert_eq!(workspace.requests().len(), before);
    }
    // Commands that do not depend on the clock work with any clock.
    at(&workspace, past, &["validate", "spec.yaml", "--today", "2027-01-01"]).exits(0);
    at(&workspace, moment(4_102_444_800), &["apply", "spec.yaml", "--yes"]).exits(0);
}

/// Every file that the program writes can be shown, without a connection.
#[test]
fn what_is_saved_can_be_shown() {
    let workspace = saved();
    let ran = workspace.run(&["plan", "spec.yaml", "--out", "again.zwplan"]).exits(0);
    assert!(ran.stderr.contains("zonewright show again.zwplan"), "{}", ran.stderr);
    workspace.run(&["snapshot", "spec.yaml", "--out", "live.json.gz"]).exits(0);
    let drift = workspace.run(&["drift", "spec.yaml", "--format", "json"]).exits(2);
    workspace.file("drift.json", drift.stdout);
    let requests = workspace.requests().len();
    let show = |file: &str| workspace.run(&["show", file]).exits(0);
    let ran = show("again.zwplan");
    for words in ["plan: ", "saved at 2", "~ example.com/dns/www/A", "ttl: 300 → ", "In all: "] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    assert!(ran.stderr.contains("zonewright apply again.zwplan"), "{}", ran.stderr);
    let json = workspace.run(&["show", "again.zwplan", "--format", "json"]).exits(0).json();
    assert!(json["operations"].is_array() && json["saved"].is_null(), "{json:#}");
    assert!(show("drift.json").stdout.starts_with("drift: "));
    assert!(show("live.json.gz").stdout.contains("  example.com\n"));
    // Parts that an apply would refuse are shown with a warning.
    let text = std::fs::read_to_string(workspace.path().join("again.zwplan")).unwrap();
    workspace.file("edited.zwplan", text.replace("192.0.2.1", "192.0.2.77"));
    let ran = show("edited.zwplan");
    assert!(ran.stderr.contains("cannot be applied: the plan was edited"), "{}", ran.stderr);
    assert_eq!(workspace.requests().len(), requests);
    let ran = workspace.run(&["show", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("is no file that `show` knows"), "{}", ran.stderr);
    workspace.run(&["show", "absent.json"]).exits(1);
    workspace.run(&["apply", "again.zwplan", "--yes", "--allow", "overwrites-foreign"]).exits(0);
    let journal = crate::support::journals::newest(&workspace);
    let ran = workspace.run(&["show", &journal]).exits(0);
    assert!(ran.stdout.contains("  update example.com/dns/www/A: done\n"), "{}", ran.stdout);
    let ran = workspace.run(&["plan", "drift.json"]).exits(64);
    assert!(ran.stderr.contains("zonewright show drift.json"), "{}", ran.stderr);
}
