//! `drift`: changes, their time and author, and notifications.

use std::process::Command;

use crate::support::generators::{desired_zone, live_zone};
use crate::support::listener::{Listener, Response};
use crate::support::openmetrics::Metrics;
use crate::support::workspace::{Ran, Workspace, options, options_on};
use proptest::prelude::*;
use serde_json::{Value, json};
use zonewright::drift::{State, classify};
use zonewright::model::facts::permissions::PermissionAccess;
use zonewright::plan::{Action, Plan, SetAsideCount, plan_zone, plan_zone_with_base};
use zonewright::sandbox::{self, Permissions};

/// The records of the previous spec.
const BEFORE: &str = "      - { name: same, type: A, content: 192.0.2.1, ttl: 300 }
      - { name: pending, type: A, content: 192.0.2.2, ttl: 300 }
      - { name: drifted, type: A, content: 192.0.2.3, ttl: 300 }
      - { name: both, type: A, content: 192.0.2.4, ttl: 300 }
      - { name: lost, type: A, content: 192.0.2.5, ttl: 300 }";

/// Runs git in the workspace, independent of the user's own configuration.
#[track_caller]
fn git(workspace: &Workspace, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(workspace.path())
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    assert!(command.status().unwrap().success(), "git {arguments:?}");
}

/// Changes a record at the sandbox, or deletes it, as someone else would.
#[track_caller]
fn meddle(workspace: &Workspace, name: &str, change: Option<Value>) {
    let dump = workspace.dump();
    let zone = dump["zones"][0]["id"].as_str().unwrap();
    let records = dump["zones"][0]["records"].as_array().unwrap();
    let full = format!("{name}.example.com");
    let id = records.iter().find(|r| r["name"] == full.as_str()).unwrap()["id"].as_str().unwrap();
    let path = format!("/zones/{zone}/dns_records/{id}");
    match change {
        Some(change) => workspace.write("PATCH", &path, &change),
        None => workspace.write("DELETE", &path, &Value::Null),
    }
}

/// Returns a committed and applied spec, then one record in each state.
fn in_every_state() -> Workspace {
    let workspace = Workspace::new(options());
    workspace.records_spec(BEFORE);
    git(&workspace, &["init", "-q", "-b", "main"]);
    git(&workspace, &["add", "spec.yaml"]);
    git(&workspace, &["commit", "-qm", "spec"]);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    workspace.plant_records(
        json!([{ "type": "TXT", "name": "foreign.example.com", "content": "\"x\"" }]),
    );
    workspace.records_spec(
        &BEFORE
            .replace("192.0.2.2, ttl: 300", "192.0.2.2, ttl: 600")
            .replace("192.0.2.4, ttl: 300", "192.0.2.4, ttl: 600"),
    );
    meddle(&workspace, "drifted", Some(json!({ "ttl": 900 })));
    meddle(&workspace, "both", Some(json!({ "ttl": 900 })));
    meddle(&workspace, "lost", None);
    workspace
}

/// Returns the states of records, by relative name.
fn states(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let name = |f: &Value| text(&f["address"]).split('/').nth(2).unwrap().to_owned();
    let mut all: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (name(f), text(&f["state"])))
        .collect();
    all.sort();
    all
}

fn drift(workspace: &Workspace, more: &[&str]) -> Ran {
    workspace.run(&[&["drift", "spec.yaml"][..], more].concat())
}

#[test]
fn with_git_every_state_is_told_apart() {
    let workspace = in_every_state();
    let writes = workspace.writes().len();
    let report = drift(&workspace, &["--base", "HEAD", "--format", "json"]).exits(2).json();
    let wanted = [
        ("both", "conflicting"),
        ("drifted", "drifted"),
        ("lost", "drifted"),
        ("pending", "pending"),
    ];
    assert_eq!(states(&report), wanted.map(|(name, state)| (name.to_owned(), state.to_owned())));
    let summary = json!({ "conflicting": 1, "drifted": 2, "weakened": 0, "unknown": 0, "pending": 1, "unmanaged": 1, "in-sync": 1 });
    assert_eq!((&report["summary"], &report["zones"][0]["summary"]), (&summary, &summary));
    assert_eq!((&report["kind"], &report["verdict"]), (&json!("drift"), &json!("drift")));
    assert_eq!(report["zones"][0]["unmanaged"][0]["examples"], json!(["foreign TXT"]));
    let drifted = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["after"]["name"] == "drifted.example.com");
    let drifted = drifted.unwrap();
    assert_eq!(drifted["fields"], json!([{ "field": "ttl", "before": 900, "after": 300 }]));
    assert!(
        drifted["live_modified_on"].as_str().unwrap().starts_with("20")
            && drifted["age_seconds"].is_u64()
    );
    let lost =
        report["findings"].as_array().unwrap().iter().find(|f| f["action"] == "create").unwrap();
    assert_eq!((&lost["age_seconds"], &lost["state"]), (&Value::Null, &json!("drifted")));
    assert!(report["oldest_seconds"].is_u64());
    let text = drift(&workspace, &["--base", "HEAD"]).exits(2).stdout;
    for words in [
        "  conflicting  different: record both A  192.0.2.4\n                 ttl: 900 at Cloudflare, 600 in the spec\n",
        "  drifted      missing: record lost A  192.0.2.5",
        "last changed at Cloudflare 20",
        "left alone: 1 unmanaged (1 TXT)",
        "Drift: 1 conflicting, 2 drifted, 1 pending, 1 unmanaged, 1 in-sync.",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    assert_eq!(workspace.writes().len(), writes, "drift never writes");
}

#[test]
fn settings_drift_too() {
    let workspace = Workspace::new(options());
    let spec =
        "version: 1\nzones:\n  example.com:\n    settings: { ssl: strict }\n    records: []\n";
    workspace.file("spec.yaml", spec);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
    workspace.write("PATCH", &format!("/zones/{zone}/settings/ssl"), &json!({ "value": "off" }));
    workspace.file("before.yaml", spec);
    let report =
        drift(&workspace, &["--base", "./before.yaml", "--format", "json"]).exits(2).json();
    let [finding] = &report["findings"].as_array().unwrap()[..] else { panic!("{report:#}") };
    assert_eq!((&finding["kind"], &finding["state"]), (&json!("zone_setting"), &json!("drifted")));
    assert!(
        finding["live_modified_on"].is_string() && finding["age_seconds"].is_u64(),
        "{finding:#}"
    );
    let text = drift(&workspace, &["--base", "./before.yaml"]).exits(2).stdout;
    assert!(
        text.contains("setting ssl\n")
            && text.contains("value: off at Cloudflare, strict in the spec"),
        "{text}"
    );
}

#[test]
fn without_git_every_difference_is_unknown_and_counts() {
    let workspace = in_every_state();
    let report = drift(&workspace, &["--format", "json"]).exits(2).json();
    assert_eq!(report["summary"]["unknown"], 4);
    assert_eq!(report["base"], Value::Null);
    let text = drift(&workspace, &[]).exits(2).stdout;
    assert!(text.contains("without --base it is unknown who changed what"), "{text}");
}

#[test]
fn the_caller_chooses_what_fails_and_how() {
    let workspace = in_every_state();
    let base = ["--base", "HEAD", "--fail-on"];
    let with =
        |states: &str, more: &[&str]| drift(&workspace, &[&base[..], &[states], more].concat());
    with("unknown", &[]).exits(0);
    with("unmanaged", &[]).exits(2);
    with("pending,unknown", &["--drift-exit-code", "7"]).exits(7);
    with("drifted", &["--drift-exit-code", "0"]).exits(0);
    let ran = with("unknown", &["--format", "json"]).exits(0).json();
    assert_eq!((&ran["verdict"], &ran["summary"]["drifted"]), (&json!("tolerated"), &json!(2)));
    let ran = with("in-sync", &[]).exits(64);
    assert!(ran.stderr.contains("known states are conflicting, drifted"), "{}", ran.stderr);
}

#[test]
fn what_is_in_sync_is_0() {
    let workspace = Workspace::new(options());
    workspace.records_spec(BEFORE);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let ran = drift(&workspace, &[]).exits(0);
    assert!(ran.stdout.starts_with("In sync: 5 in-sync.") && ran.stderr.is_empty(), "{ran:?}");
    let report = drift(&workspace, &["--format", "json"]).exits(0).json();
    assert_eq!((&report["verdict"], &report["findings"]), (&json!("in-sync"), &json!([])));
}

#[test]
fn errors_are_1_and_hide_nothing() {
    let workspace = in_every_state();
    let text = std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap();
    workspace.file("spec.yaml", format!("{text}\n  example.net:\n    records: []\n"));
    let report = drift(&workspace, &["--format", "json", "--metrics", "m.prom"]).exits(1).json();
    assert_eq!(
        (&report["verdict"], &report["summary"]["unknown"]),
        (&json!("incomplete"), &json!(4))
    );
    assert!(
        !workspace.path().join("m.prom").exists(),
        "half of the truth does not replace the whole"
    );
    workspace.file("spec.yaml", "version: 1\nzones: { example.com: { recrods: [] } }\n");
    let ran = drift(&workspace, &[]).exits(1);
    assert!(ran.stderr.contains("no request was made"), "{}", ran.stderr);
}

#[test]
fn credentials_that_may_only_read_are_enough() {
    let mut options = options_on("business");
    options.profile.permissions =
        Permissions::everything().with_rulesets(Some(PermissionAccess::Read));
    let workspace = Workspace::new(options);
    workspace.file(
        "spec.yaml",
        "version: 1\nzones:\n  example.com:\n    records: []\n    waf:\n      owasp: { paranoia: 2 }\n      custom:\n        - { name: a, when: 'http.host eq \"a.example.com\"', action: block }\n",
    );
    let report = drift(&workspace, &["--format", "json"]).exits(2).json();
    assert!(report["summary"]["unknown"].as_u64().unwrap() >= 2, "{report:#}");
    assert!(workspace.writes().is_empty());
}

#[test]
fn markdown_is_marked_safe_and_short() {
    let workspace = in_every_state();
    workspace.plant_records(
        json!([{ "type": "TXT", "name": "drifted.example.com", "content": "\"<b>@all</b>\"" }]),
    );
    let ran = drift(&workspace, &["--base", "HEAD", "--format", "markdown"]).exits(2);
    assert!(
        ran.stdout.starts_with("<!-- zonewright:drift -->\n### zonewright drift: drift\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("- different: record `drifted` A in `example.com`, `192.0.2.3`"),
        "{}",
        ran.stdout
    );
    let many: Vec<_> = (0..150)
        .map(|n| format!("      - {{ name: h{n}, type: A, content: 192.0.2.9 }}"))
        .collect();
    workspace.records_spec(&many.join("\n"));
    let ran = drift(
        &workspace,
        &["--format", "markdown", "--comment-limit", "4000", "--comment-marker", "x"],
    )
    .exits(2);
    assert!(ran.stdout.starts_with("<!-- zonewright:drift:x -->"), "{}", ran.stdout);
    assert!(
        ran.stdout.chars().count() <= 4000 && ran.stdout.contains("lines left out"),
        "{}",
        ran.stdout
    );
}

#[test]
fn metrics_are_whole_and_true() {
    let workspace = in_every_state();
    drift(&workspace, &["--base", "HEAD", "--metrics", "zonewright.prom"]).exits(2);
    let metrics =
        Metrics::read(&std::fs::read_to_string(workspace.path().join("zonewright.prom")).unwrap());
    let objects = |state: &str| {
        metrics.value("zonewright_drift_objects", &[("zone", "example.com"), ("state", state)])
    };
    let states = ["conflicting", "drifted", "unknown", "pending", "unmanaged", "in-sync"];
    assert_eq!(states.map(objects), [1.0, 2.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(metrics.value("zonewright_zone_records", &[("zone", "example.com")]), 5.0);
    assert!(metrics.value("zonewright_requests_total", &[]) >= 2.0);
    assert!(metrics.value("zonewright_last_success_timestamp_seconds", &[]) > 1.7e9);
    assert!(metrics.value("zonewright_drift_oldest_seconds", &[("zone", "example.com")]) < 600.0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(workspace.path().join("zonewright.prom"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o044, 0o044 & !umask(), "another user collects them");
    }
    let ran = drift(&workspace, &["--metrics", "no/such/directory/m.prom"]).exits(1);
    assert!(
        ran.stdout.contains("Drift: ") && ran.stderr.contains("failed to write the metrics"),
        "{ran:?}"
    );
}

/// Returns the bits that new files of this process lack.
#[cfg(unix)]
fn umask() -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let file = tempfile::tempdir().unwrap();
    let path = file.path().join("x");
    std::fs::write(&path, "").unwrap();
    0o666 & !std::fs::metadata(&path).unwrap().permissions().mode()
}

#[test]
fn the_webhook_hears_of_findings() {
    let workspace = in_every_state();
    let listener = Listener::start([Response::Status(204)]);
    let ran =
        drift(&workspace, &["--base", "HEAD", "--webhook", &listener.url("/T0/hush?key=hush")])
            .exits(2);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    let [request] = &listener.requests()[..] else { panic!("{:?}", listener.requests()) };
    assert!(request.head.starts_with("POST /T0/hush?key=hush HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!(
        (&request.body["kind"], &request.body["summary"]["drifted"]),
        (&json!("drift"), &json!(2))
    );
    let head = request.head.to_lowercase();
    assert!(
        !head.contains("authorization")
            && !head.contains("x-auth")
            && !head.contains(sandbox::TOKEN),
        "{head}"
    );
    // Without drift, no webhook is sent unless that is requested.
    let tolerated = ["--base", "HEAD", "--fail-on", "unknown", "--webhook"];
    let listener = Listener::start([Response::Status(200)]);
    drift(&workspace, &[&tolerated[..], &[&listener.url("/")]].concat()).exits(0);
    assert!(listener.requests().is_empty());
    drift(&workspace, &[&tolerated[..], &[&listener.url("/"), "--webhook-always"]].concat())
        .exits(0);
    assert_eq!(listener.requests().len(), 1);
}

#[test]
fn a_failing_webhook_hides_nothing_and_is_not_named() {
    let workspace = in_every_state();
    // Only silence is waited out: an answer has a minute, so that a busy machine gives it.
    let (patient, brief) = ("60s", "2s");
    for (answers, timeout, tries, words) in [
        (
            vec![Response::Status(500), Response::Status(503), Response::Status(500)],
            patient,
            3,
            "the response has status 500",
        ),
        (vec![Response::Status(500), Response::Status(200)], patient, 2, ""),
        (vec![Response::Status(410)], patient, 1, "the response has status 410"),
        (vec![Response::Redirect], patient, 1, "redirect (status 302), which is not followed"),
        (
            vec![Response::Silence, Response::Silence, Response::Silence],
            brief,
            3,
            "failed to get a response in time",
        ),
        (vec![Response::Hangup, Response::Hangup, Response::Status(200)], patient, 3, ""),
    ] {
        let listener = Listener::start(answers);
        let url = listener.url("/services/hush");
        let mut command = workspace.command();
        command.args([
            "drift",
            "spec.yaml",
            "--format",
            "json",
            "--webhook-timeout",
            timeout,
            "-vvv",
        ]);
        let ran: Ran = command.env("ZONEWRIGHT_WEBHOOK", &url).output().unwrap().into();
        let ran = ran.exits(2);
        assert_eq!(ran.json()["verdict"], "drift");
        assert_eq!(listener.all_requests(tries).len(), tries, "{words}");
        assert_eq!(
            ran.stderr.contains("warning: the report did not reach the webhook"),
            !words.is_empty()
        );
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
        assert!(!ran.stderr.contains("hush") && !ran.stdout.contains("hush"), "{}", ran.stderr);
    }
}

#[test]
fn a_webhook_in_a_file_and_addresses_that_will_not_do() {
    let workspace = in_every_state();
    let listener = Listener::start([Response::Status(200)]);
    workspace.file("hook", format!("{}\n", listener.url("/x")));
    let mut command = workspace.command();
    command.env("ZONEWRIGHT_WEBHOOK_FILE", "hook").args(["drift", "spec.yaml", "--quiet"]);
    Ran::from(command.output().unwrap()).exits(2);
    assert_eq!(listener.requests().len(), 1);
    for bad in ["http://example.com/hush", "hush", "ftp://127.0.0.1/hush"] {
        let ran = drift(&workspace, &["--webhook", bad]).exits(64);
        assert!(
            ran.stderr.contains("error: the webhook: failed to use the address")
                && ran.stdout.is_empty()
        );
        assert!(
            !ran.stderr.contains("hush") && !ran.stderr.contains("example.com"),
            "{}",
            ran.stderr
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// A report has one finding for each operation of the plan, counts each live record once, and
    /// counts records as in sync exactly if the plan does.
    #[test]
    fn a_report_says_what_the_plan_says(desired in desired_zone(), base in desired_zone(), live in live_zone()) {
        for base in [None, Some(&base), Some(&desired)] {
            let (zone, _) = match base {
                None => plan_zone(&desired, &live),
                Some(base) => plan_zone_with_base(&desired, base, &live),
            };
            let plan = Plan { zones: vec![zone], ..Plan::default() };
            let report = classify(&plan, std::time::SystemTime::UNIX_EPOCH);
            let zone = &plan.zones[0];
            prop_assert_eq!(report.is_in_sync(), zone.is_empty());
            let of_zone = &report.zones[0];
            let addresses: Vec<_> = of_zone.findings.iter().map(|f| &f.address).collect();
            prop_assert_eq!(addresses, zone.addresses().collect::<Vec<_>>());
            let of_operations = [State::Conflicting, State::Drifted, State::Unknown, State::Pending];
            let found: usize = of_operations.iter().map(|state| report.count(*state)).sum();
            prop_assert_eq!(found, zone.operations.len());
            prop_assert_eq!(report.objects(), zone.operations.len() + zone.unchanged + zone.rules_unchanged + report.count(State::Unmanaged));
            let created = zone.records().filter(|(_, operation, _)| operation.action() == Action::Create).count();
            let spared: usize = of_zone.spared.iter().map(SetAsideCount::count).sum();
            prop_assert_eq!(report.objects() - created + spared, live.records.len());
            // Without the previous spec it is unknown; with it nothing is unknown; a spec that did
            // not change is never pending.
            let unknown = if base.is_none() { found } else { 0 };
            prop_assert_eq!(report.count(State::Unknown), unknown);
            if base == Some(&desired) {
                prop_assert_eq!(report.count(State::Drifted) + report.count(State::Conflicting), found);
            }
        }
    }
}
