//! Snapshots and plans against them: the binary against the sandbox, and then without it.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use crate::support::workspace::{Ran, Workspace, binary, document_formats, options, options_on};
use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use zonewright::sandbox::{self, SandboxOptions};

const FILE: &str = "zonewright.snapshot.json.gz";

const SPEC: &str = "
version: 1
zones:
  example.com:
    settings: { ssl: strict, min_tls_version: '1.2' }
    dnssec: on
    dns_settings: { flatten_all_cnames: true }
    records:
      - { name: www, type: A, content: 192.0.2.1, ttl: 300 }
      - { name: '@', type: TXT, content: hello }
    waf:
      owasp: { paranoia: 2, threshold: medium, action: block }
      custom:
        - { name: no-admin, when: 'http.request.uri.path eq \"/admin\"', action: block, reason: nobody needs it }
";

/// Returns a service whose zones are on the business plan.
fn business() -> SandboxOptions {
    options_on("business")
}

/// Returns a zone with every kind of object, and the spec.
fn workspace() -> Workspace {
    let workspace = Workspace::new(business());
    workspace.plant_records(json!([
        { "name": "www.example.com", "type": "A", "content": "192.0.2.9", "ttl": 300 },
        { "name": "mail.example.com", "type": "A", "content": "192.0.2.7" }
    ]));
    workspace.file("spec.yaml", SPEC);
    workspace
}

/// Returns the binary without access to Cloudflare and without credentials: a pull request from a
/// fork.
fn offline(workspace: &Workspace, arguments: &[&str]) -> Ran {
    binary(workspace.path()).args(arguments).output().unwrap().into()
}

/// Returns a plan against the snapshot, as JSON.
#[track_caller]
fn plan_from_snapshot(workspace: &Workspace, spec: &str, code: i32) -> Value {
    offline(workspace, &["plan", spec, "--against", FILE, "--format", "json"]).exits(code).json()
}

/// Returns a plan without the two expected differences: the requests made, and the time of the
/// snapshot.
fn comparable(mut plan: Value) -> String {
    plan["requests"]["made"] = json!(0);
    plan.as_object_mut().unwrap().shift_remove("against");
    format!("{plan:#}")
}

/// Requires that a live plan and a plan from a snapshot of the same time are equal.
#[track_caller]
fn same_plan(workspace: &Workspace, spec: &str) -> Value {
    workspace.run(&["snapshot", spec]).exits(0);
    let live = workspace.run(&["plan", spec, "--format", "json"]).exits(0).json();
    let offline = plan_from_snapshot(workspace, spec, 0);
    assert_eq!(offline["requests"]["made"], 0);
    assert_eq!(comparable(offline.clone()), comparable(live));
    offline
}

/// Returns the text in a snapshot.
fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// Packs a text.
fn packed(text: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

/// Returns the lines of a snapshot with a checksum that fits.
fn signed(content: &str) -> String {
    let sum = HEXLOWER.encode(digest(&SHA256, content.as_bytes()).as_ref());
    format!("{content}{{\"sha256\":\"{sum}\"}}\n")
}

#[test]
fn a_plan_against_a_snapshot_is_the_live_plan() {
    let workspace = workspace();
    let plan = same_plan(&workspace, "spec.yaml");
    assert_eq!(plan["verdict"], "ready");
    assert_eq!(
        plan["against"]["service"],
        workspace.run(&["snapshot", "spec.yaml", "--format", "json"]).json()["service"]
    );
    let before = workspace.requests().len();
    let text =
        offline(&workspace, &["plan", "spec.yaml", "--against", FILE, "--detailed-exitcode"])
            .exits(2);
    assert!(
        text.stdout.starts_with("As of 20")
            && text.stdout.contains(" s ago): a snapshot of 127.0.0.1"),
        "{text:?}"
    );
    assert!(text.stdout.contains("(0 requests made"), "{text:?}");
    assert_eq!(workspace.requests().len(), before, "nothing was asked");
    // After an apply, both plans are empty.
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert_eq!(same_plan(&workspace, "spec.yaml")["verdict"], "in-sync");
    assert!(workspace.writes().iter().all(|w| !w.path.contains("snapshot")));
}

#[test]
fn many_records_zones_and_small_pages_make_no_difference() {
    let mut options = options();
    options.profile.page_limit = 100;
    options.profile.list_order = sandbox::ListOrder::Random;
    let workspace = Workspace::new(options);
    let record = |n: u32| json!({ "name": format!("r{n}.example.com"), "type": "A", "content": "192.0.2.1" });
    workspace.plant_records((0..150).map(record).collect());
    workspace.plant(&json!({ "zones": [
        { "name": "example.org", "records": [] }, { "name": "example.net", "records": [] }, { "name": "secret.example", "records": [] }
    ] }));
    let zone = |name: &str| {
        format!(
            "  {name}: {{ unmanaged: prune, records: [{{ name: r7, type: A, content: 192.0.2.2 }}] }}\n"
        )
    };
    let zones: String =
        ["example.com", "example.org", "example.net"].into_iter().map(zone).collect();
    workspace.file("spec.yaml", format!("version: 1\nzones:\n{zones}"));
    let plan = same_plan(&workspace, "spec.yaml");
    assert_eq!(plan["summary"]["delete"], 149);
    // With other page sizes too, and for a part of the zones.
    let one =
        ["plan", "spec.yaml", "--zone", "example.com", "--page-size", "7", "--format", "json"];
    let live = workspace.run(&one).exits(0).json();
    let offline = offline(&workspace, &[&one[..], &["--against", FILE]].concat()).exits(0).json();
    assert_eq!(comparable(offline), comparable(live));
    // The account has more zones than requested; the others are not in the snapshot.
    assert!(!unpacked(&workspace.path().join(FILE)).contains("secret.example"));
}

#[test]
fn a_quota_that_the_plan_would_ask_for_is_in_the_snapshot() {
    let mut options = options();
    options.profile.record_quota = Some(210);
    let workspace = Workspace::new(options);
    let records: String = (0..230)
        .map(|n| format!("      - {{ name: r{n}, type: A, content: 192.0.2.1 }}\n"))
        .collect();
    workspace.records_spec(&records);
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    let live = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(1).json();
    assert!(live["diagnostics"].to_string().contains("its quota is 210"), "{live:#}");
    assert_eq!(comparable(plan_from_snapshot(&workspace, "spec.yaml", 1)), comparable(live));
}

#[test]
fn zones_that_are_not_there_are_recorded_as_such() {
    let workspace = workspace();
    workspace.file(
        "spec.yaml",
        "version: 1\nzones:\n  example.com: { records: [] }\n  example.org: { create: true, records: [{ name: a, type: A, content: 192.0.2.1 }] }\n",
    );
    let plan = same_plan(&workspace, "spec.yaml");
    assert_eq!(plan["operations"][0]["kind"], "zone");
    workspace.file("spec.yaml", "version: 1\nzones:\n  example.org: { records: [] }\n");
    let live = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(1).json();
    assert_eq!(comparable(plan_from_snapshot(&workspace, "spec.yaml", 1)), comparable(live));
}

/// A fork changes the spec; the pipeline has no credentials there and the snapshot of the branch
/// that it forked from.
#[test]
fn a_fork_sees_what_the_snapshot_knows_and_what_it_does_not() {
    let workspace = workspace();
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    // Rules of another phase and another managed ruleset are in every snapshot.
    let more =
        SPEC.replace("      custom:", "      cloudflare: on\n      rate_limits: []\n      custom:");
    workspace.file("spec.yaml", more.replace("192.0.2.1,", "192.0.2.2,"));
    let live = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(comparable(plan_from_snapshot(&workspace, "spec.yaml", 0)), comparable(live));
    // A zone and a setting that are not in the snapshot: they are unknown, and the rest is planned.
    let spec = SPEC.replace("ssl: strict,", "ssl: strict, brotli: on,")
        + "  example.org:\n    create: true\n    records: []\n";
    workspace.file("spec.yaml", spec);
    let plan = plan_from_snapshot(&workspace, "spec.yaml", 1);
    assert_eq!(plan["verdict"], "incomplete");
    let found: Vec<&Value> = plan["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|d| d["code"] == "SNAP0001")
        .collect();
    assert_eq!(found.len(), 2, "{plan:#}");
    let text = json!(found).to_string();
    assert!(
        text.contains("the setting brotli of example.com")
            && text.contains("example.org is not in the snapshot"),
        "{text}"
    );
    assert!(!plan.to_string().contains("does not exist at Cloudflare"), "unknown is not missing");
    let addresses = plan["operations"].to_string();
    assert!(
        addresses.contains("settings/ssl")
            && addresses.contains("/dns/www/A")
            && !addresses.contains("example.org")
    );
    let shown = offline(&workspace, &["plan", "spec.yaml", "--against", FILE]).exits(1);
    assert!(
        shown.stderr.contains("take a newer snapshot") && shown.stderr.contains("spec.yaml:5"),
        "{}",
        shown.stderr
    );
}

/// Every output tells reviewers that the plan was made from a snapshot.
#[test]
fn every_output_says_what_it_was_made_from() {
    let workspace = workspace();
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    for format in std::iter::once("text").chain(document_formats("plan")) {
        let ran =
            offline(&workspace, &["plan", "spec.yaml", "--against", FILE, "--format", format])
                .exits(0);
        assert!(ran.stdout.contains("): a snapshot of"), "{format}: {}", ran.stdout);
    }
    let plan = plan_from_snapshot(&workspace, "spec.yaml", 0);
    assert!(plan["against"]["taken_at"].as_str().unwrap().starts_with("20"));
}

/// The previous spec is also used with a snapshot. Parts that the snapshot lacks are not reported
/// as removed.
#[test]
fn the_previous_spec_is_compared_too() {
    let mut options = business();
    options.profile.permissions = sandbox::Permissions::everything();
    let workspace = Workspace::new(options);
    workspace.file("before.yaml", SPEC);
    workspace.run(&["apply", "before.yaml", "--yes"]).exits(0);
    workspace.file(
        "spec.yaml",
        SPEC.replace("      - { name: www, type: A, content: 192.0.2.1, ttl: 300 }\n", ""),
    );
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    let flags = ["plan", "spec.yaml", "--base", "./before.yaml", "--format", "json"];
    let live = workspace.run(&flags).exits(0).json();
    assert_eq!(live["summary"]["delete"], 1, "{live:#}");
    let seen = offline(&workspace, &[&flags[..], &["--against", FILE]].concat()).exits(0).json();
    assert_eq!(comparable(seen), comparable(live));
    // Without the rules in the snapshot, nothing of them is deleted.
    let text = unpacked(&workspace.path().join(FILE));
    let kept: Vec<&str> =
        text.lines().filter(|line| !line.contains("firewall_custom/entrypoint")).collect();
    let content = format!("{}\n", kept[..kept.len() - 1].join("\n"));
    workspace.file(FILE, packed(&signed(&content)));
    let seen = offline(&workspace, &[&flags[..], &["--against", FILE]].concat()).exits(1).json();
    assert!(
        seen["diagnostics"]
            .to_string()
            .contains("the custom rules of example.com: not in the snapshot"),
        "{seen:#}"
    );
    assert_eq!(seen["summary"]["delete"], 1, "{seen:#}");
}

#[test]
fn zones_are_found_by_a_pinned_id_too() {
    let workspace = workspace();
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    let id = workspace.run(&["snapshot", "spec.yaml", "--format", "json"]).exits(0).json()["zones"]
        [0]["id"]
        .clone();
    let id = id.as_str().unwrap();
    workspace.file(
        "spec.yaml",
        SPEC.replace("  example.com:\n", &format!("  example.com:\n    id: {id}\n")),
    );
    let live = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(comparable(plan_from_snapshot(&workspace, "spec.yaml", 0)), comparable(live));
    same_plan(&workspace, "spec.yaml");
    let other = "0123456789abcdef0123456789abcdef";
    workspace.file(
        "spec.yaml",
        SPEC.replace("  example.com:\n", &format!("  example.com:\n    id: {other}\n")),
    );
    let plan = plan_from_snapshot(&workspace, "spec.yaml", 1);
    assert!(plan["diagnostics"].to_string().contains("is not in the snapshot"), "{plan:#}");
}

#[test]
fn what_the_credentials_may_not_read_is_no_obstacle_unless_it_is_needed() {
    let mut options = business();
    options.profile.permissions = sandbox::Permissions::everything().with_rulesets(None);
    let workspace = Workspace::new(options);
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
    let ran = workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    assert!(
        ran.stderr.contains("not needed by this spec: the custom rules of example.com: HTTP 403"),
        "{}",
        ran.stderr
    );
    assert_eq!(plan_from_snapshot(&workspace, "spec.yaml", 0)["verdict"], "ready");
    workspace.file(
        "spec.yaml",
        SPEC.replace("    settings", "    # settings").replace("    dns", "    # dns"),
    );
    let plan = plan_from_snapshot(&workspace, "spec.yaml", 1);
    let words = plan["diagnostics"].to_string();
    assert!(
        words.contains("Cloudflare refused: HTTP 403")
            && words.contains("credentials that may read"),
        "{words}"
    );
    assert_eq!(plan["summary"]["create"], 2, "the records are planned all the same");
    // If the spec needs them, a snapshot without them is refused.
    workspace.run(&["snapshot", "spec.yaml"]).exits(1);
}

#[test]
fn no_secret_gets_into_a_snapshot_and_it_is_private() {
    let workspace = workspace();
    let ran = workspace.run(&["snapshot", "spec.yaml", "--out", "nowhere/one.gz"]);
    // The directory is not made.
    ran.exits(1);
    workspace.run(&["snapshot", "spec.yaml", "--out", "one.gz"]).exits(0);
    let text = unpacked(&workspace.path().join("one.gz"));
    assert!(
        text.starts_with("{\"format\":1,\"kind\":\"snapshot\",") && text.contains("192.0.2.7"),
        "{text}"
    );
    for secret in [sandbox::TOKEN, "Bearer", "X-Auth", "@"] {
        let place = text.find(secret).map(|at| &text[at.saturating_sub(40)..at + 40]);
        assert_eq!(place, None, "{secret}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(workspace.path().join("one.gz")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // On stdout there is the snapshot and nothing else.
    let out = workspace.command().args(["snapshot", "spec.yaml", "--out", "-"]).output().unwrap();
    assert!(out.status.success() && out.stdout.starts_with(&[0x1f, 0x8b]));
    fs::write(workspace.path().join("two.gz"), out.stdout).unwrap();
    offline(&workspace, &["plan", "spec.yaml", "--against", "two.gz"]).exits(0);
    let files: Vec<_> =
        fs::read_dir(workspace.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert!(files.iter().all(|f| !f.to_string_lossy().ends_with(".part")), "{files:?}");
}

#[test]
fn files_that_are_no_snapshot_of_ours_are_refused_with_the_reason() {
    let workspace = workspace();
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    let good = fs::read(workspace.path().join(FILE)).unwrap();
    let text = unpacked(&workspace.path().join(FILE));
    let cases: [(&str, Vec<u8>, &str); 6] = [
        ("cut", good[..good.len() / 2].to_vec(), "it is cut off"),
        (
            "edited",
            packed(&text.replace("192.0.2.7", "192.0.2.8")),
            "it was changed after it was taken",
        ),
        ("longer", [&good[..], b"x"].concat(), "it was changed after it was taken"),
        ("empty", Vec::new(), "it is not a snapshot of zonewright: it is empty"),
        ("spec", SPEC.into(), "it is not packed with gzip"),
        ("newer", packed(&text.replacen("\"format\":1", "\"format\":7", 1)), "it has format 7"),
    ];
    for (name, bytes, words) in cases {
        workspace.file(name, bytes);
        let ran = offline(&workspace, &["plan", "spec.yaml", "--against", name]).exits(1);
        assert!(ran.stderr.contains(words) && ran.stdout.is_empty(), "{name}: {}", ran.stderr);
    }
    // A file of the program in the wrong place is a usage error.
    workspace.file("foreign", packed("{\"kind\":\"plan\",\"format\":1}\n"));
    let ran = offline(&workspace, &["plan", "spec.yaml", "--against", "foreign"]).exits(64);
    assert!(
        ran.stderr.contains("foreign is not a snapshot, but a saved plan") && ran.stdout.is_empty(),
        "{}",
        ran.stderr
    );
    let ran = offline(&workspace, &["plan", "spec.yaml", "--against", "nowhere"]).exits(1);
    assert!(ran.stderr.contains("failed to read the snapshot nowhere"), "{}", ran.stderr);
    for flags in [
        &["--server-check"][..],
        &["--out", "saved"],
        &["--sandbox"],
        &["--base-url", "http://127.0.0.1:1"],
    ] {
        offline(&workspace, &[&["plan", "spec.yaml", "--against", FILE], flags].concat()).exits(64);
    }
}

#[test]
fn an_old_snapshot_is_used_with_a_warning() {
    let workspace = workspace();
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    assert!(
        !plan_from_snapshot(&workspace, "spec.yaml", 0)["diagnostics"]
            .to_string()
            .contains("SNAP0002")
    );
    let ran =
        offline(&workspace, &["plan", "spec.yaml", "--against", FILE, "--max-snapshot-age", "0s"]);
    // Within the first second it is not older than that.
    if !ran.stdout.contains("(0 s ago)") {
        assert!(ran.stderr.contains("SNAP0002"), "{}", ran.stderr);
    }
    offline(&workspace, &["plan", "spec.yaml", "--against", FILE, "--max-snapshot-age", "soon"])
        .exits(64);
    // Taken by a program whose clock was right, some years ago.
    let text = unpacked(&workspace.path().join(FILE));
    let at = text.find("\"taken_at\":\"").unwrap() + "\"taken_at\":\"".len();
    let (content, _) = text.trim_end().rsplit_once('\n').unwrap();
    let content = format!("{}2001{}\n", &content[..at], &content[at + 4..]);
    workspace.file(FILE, packed(&signed(&content)));
    let ran = offline(&workspace, &["plan", "spec.yaml", "--against", FILE]).exits(0);
    assert!(
        ran.stdout.contains(" days ago)") && ran.stderr.contains("the snapshot is old"),
        "{ran:?}"
    );
    let age =
        plan_from_snapshot(&workspace, "spec.yaml", 0)["against"]["age_seconds"].as_u64().unwrap();
    assert!(age > 20 * 365 * 86_400);
}
