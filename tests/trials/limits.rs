//! Runs that need many times Cloudflare's limit of 1,200 requests in 5 minutes stay within it,
//! alone and beside other clients. The whole program runs against the sandbox in virtual time;
//! docs/limits.md has the results of the long runs.
#![expect(clippy::print_stdout, reason = "the long runs tell their numbers")]

use std::cell::Cell;
use std::time::Duration;

use crate::support::virtual_time::{Ran, Stage};
use serde_json::{Value, json};
use zonewright::api::WaitReason;
use zonewright::sandbox::{Profile, RateLimit, SandboxOptions};

/// The documented limit. A client that exceeds it is blocked for the same time again, with all
/// others of its user.
const LIMIT: RateLimit = RateLimit { requests: 1200, window_seconds: 300 };

/// Requests that may be sent at once, in a second.
const PER_SECOND: f64 = 200.0;

/// Returns a sandbox with this limit.
fn options() -> SandboxOptions {
    SandboxOptions {
        profile: Profile { rate_limit: Some(LIMIT), ..Profile::default() },
        ..SandboxOptions::default()
    }
}

/// Returns the least time in which so many requests can be answered, if so many are in a window:
/// the last ones need no whole window.
fn ideal(requests: u64, in_a_window: u64) -> f64 {
    let before_last = (requests - 1) / in_a_window;
    let last = requests - before_last * in_a_window;
    (before_last * u64::from(LIMIT.window_seconds)) as f64 + last as f64 / PER_SECOND
}

/// Asserts that there was no 429, that almost no time was lost, and that long waits were announced.
#[track_caller]
fn check(what: &str, ran: &Ran, in_a_window: u64) {
    assert_eq!(ran.exit, 0, "{}", ran.messages);
    let (took, ideal) = (ran.took.as_secs_f64(), ideal(ran.requests, in_a_window));
    println!("{what}: {} requests in {took:.1} s, at least {ideal:.1} s", ran.requests);
    assert_eq!(ran.retries, [""; 0], "nothing was refused");
    // The requests of the last window may be as slow as the bucket is refilled.
    assert!(
        took <= ideal * 1.02 + 60.0,
        "{took} s instead of {ideal} s for {} requests",
        ran.requests
    );
    let told = ran.messages.lines().filter(|line| line.starts_with("waiting ")).count() as u64;
    assert!(told >= ran.requests / 1200, "{}", ran.messages);
    let waited: Duration = ran.waits.iter().map(|(_, duration)| *duration).sum();
    assert!(waited.as_secs_f64() >= took * 0.9, "{waited:?} of {took} s were announced");
}

/// Creates this number of empty zones, and a spec with a record in each.
async fn zones(zones: usize) -> Stage {
    let name = |n: usize| format!("z{n}.example");
    let document: Vec<Value> =
        (0..zones).map(|n| json!({ "name": name(n), "plan": "free" })).collect();
    let stage = Stage::new(options(), &json!({ "zones": document })).await;
    let spec =
        |n| format!("  {}: {{ records: [{{ name: a, type: A, content: 192.0.2.1 }}] }}\n", name(n));
    let spec: String = (0..zones).map(spec).collect();
    stage.file("spec.yaml", &format!("version: 1\nzones:\n{spec}"));
    stage
}

/// Creates records one by one.
async fn create(records: usize) {
    let mut options = options();
    options.profile.batch = false;
    options.profile.record_quota = Some(records + 1);
    let stage =
        Stage::new(options, &json!({ "zones": [{ "name": "example.com", "plan": "enterprise" }] }))
            .await;
    let record = |n: usize| format!("      - {{ name: h{n}, type: A, content: 192.0.2.1 }}\n");
    let spec: String = (0..records).map(record).collect();
    stage.file("spec.yaml", &format!("version: 1\nzones:\n  example.com:\n    records:\n{spec}"));
    let ran = stage.run("apply", &["--yes"]).await;
    check("creates", &ran, 1200);
    assert!(ran.requests > records as u64);
    assert!(
        ran.results
            .contains(&format!("{records} of {records} operations done; in sync, read back"))
    );
}

/// Plans zones.
async fn plan(count: usize) {
    let ran = zones(count).await.run("plan", &["--format=json"]).await;
    check("zones", &ran, 1200);
    let plan: Value = serde_json::from_str(&ran.results).expect("it is JSON");
    assert_eq!(plan["summary"]["create"], count);
}

/// Plans zones while someone else sends two requests a second, which is half of the limit, and does
/// not care about us.
async fn plan_beside_another(count: usize) {
    let stage = zones(count).await;
    let (answered, refused) = (Cell::new(0), Cell::new(0));
    let another = async {
        loop {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let of = if stage.sandbox.compete(1) == 1 { &answered } else { &refused };
            of.set(of.get() + 1);
        }
    };
    let ran = tokio::select! {
        biased;
        ran = stage.run("plan", &["--format=json"]) => ran,
        () = another => unreachable!("it never ends"),
    };
    println!("meanwhile {} requests of another, {} refused", answered.get(), refused.get());
    check("zones, beside another", &ran, 600);
    assert_eq!(refused.get(), 0, "we leave enough to others");
    assert!(ran.waits.iter().any(|(reason, _)| *reason == WaitReason::SharedQuota));
    assert!(
        ran.messages.contains("s at most: others use the API budget as well"),
        "{}",
        ran.messages
    );
}

/// Runs two plans at the same time that do not know of each other.
async fn plan_twice(count: usize) {
    let (one, two) = {
        let stage = zones(count).await;
        tokio::join!(stage.run("plan", &["--format=json"]), stage.run("plan", &["--format=json"]))
    };
    for ran in [&one, &two] {
        check("zones, each of two", ran, 600);
    }
}

#[tokio::test(start_paused = true)]
async fn creates_without_batches_use_the_whole_budget() {
    create(2500).await;
}

#[tokio::test(start_paused = true)]
async fn plans_of_many_zones_use_the_whole_budget() {
    plan(2500).await;
}

#[tokio::test(start_paused = true)]
async fn another_client_that_uses_half_keeps_half() {
    plan_beside_another(1300).await;
}

#[tokio::test(start_paused = true)]
async fn two_runs_share_the_budget() {
    plan_twice(1300).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "takes long: cargo test --test trials limits -- --ignored --nocapture"]
async fn twenty_thousand_creates_without_batches() {
    create(20_000).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "takes long: cargo test --test trials limits -- --ignored --nocapture"]
async fn five_thousand_zones() {
    plan(5000).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "takes long: cargo test --test trials limits -- --ignored --nocapture"]
async fn five_thousand_zones_beside_another_client() {
    plan_beside_another(5000).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "takes long: cargo test --test trials limits -- --ignored --nocapture"]
async fn two_runs_of_five_thousand_zones_each() {
    plan_twice(5000).await;
}
