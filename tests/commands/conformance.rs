//! `conformance`: it reports each difference from Cloudflare and nothing else, and leaves nothing
//! in the zone.

use std::cell::Cell;

use secrecy::SecretString;
use serde_json::json;
use zonewright::api::{Client, Credentials, Settings, Stop, Stopper};
use zonewright::conformance::{CHECKS, NotReady, ScratchName, prepare, run_checks};
use zonewright::document::conformance::{Conformance, Outcome};
use zonewright::live::{self, find_zone_by_name};
use zonewright::model::ZoneName;
use zonewright::sandbox::{
    self, DsWithoutNs, Fault, ListOrder, NsNeighbours, OldSrvMembers, OwnNetwork, Permissions,
    Profile, ProxiedTtl, RecordMembers, Running, SandboxOptions, TxtQuotes, UnknownData, What,
    When,
};

use crate::support::workspace::{Workspace, options};

/// The seed of the scratch name in the tests.
const RANDOM: u64 = 0xc0ffee;

/// Returns a sandbox with a zone that has a record.
async fn start(profile: Profile) -> Running {
    let running =
        sandbox::start(SandboxOptions { profile, remembered: 0, ..options() }).await.unwrap();
    let records = json!([{ "type": "A", "name": "www.example.com", "content": "192.0.2.7" }]);
    running
        .seed(&json!({ "zones": [{ "name": "example.com", "plan": "free", "records": records }] }))
        .unwrap();
    running
}

/// Returns a scratch name in that zone.
async fn scratch(running: &Running) -> Result<ScratchName, NotReady> {
    let token = Credentials::Token(SecretString::from(sandbox::TOKEN.to_owned()));
    // A lost request is not sent again, so that the checks see it.
    let client =
        Client::new(Settings { attempts: 1, ..Settings::new(running.base_url(), token) }).unwrap();
    let name = ZoneName::parse("example.com").unwrap();
    let zone = find_zone_by_name(&client.reader(), &name, &live::ReadOptions::default())
        .await
        .unwrap()
        .unwrap();
    prepare((client.reader(), client.writer(), client.checker()), &zone, RANDOM).await
}

/// Returns a report without checks.
fn report() -> Conformance {
    Conformance::new("2026-11-23".to_owned(), "sandbox".to_owned(), "free".to_owned())
}

/// Runs every check in a sandbox, which must have the same state afterwards.
async fn try_all(profile: Profile) -> Conformance {
    let running = start(profile).await;
    let before = running.dump().unwrap();
    let scratch = scratch(&running).await.unwrap_or_else(|error| panic!("{error}"));
    let report = run_checks(&scratch, &[], &Stop::never(), report(), |_| {}).await;
    assert_eq!(running.dump().unwrap()["zones"][0]["records"], before["zones"][0]["records"]);
    assert_eq!((report.left_behind, report.is_complete), (0, true));
    running.shutdown().await;
    report
}

/// Returns the checks that found a difference.
fn differed(report: &Conformance) -> Vec<&str> {
    report
        .checks
        .iter()
        .filter(|check| check.outcome == Outcome::Differed)
        .map(|check| check.id.as_str())
        .collect()
}

/// Returns a profile without a rate limit.
fn profile() -> Profile {
    options().profile
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_assumption_holds_in_the_sandbox() {
    let report = try_all(profile()).await;
    let others: Vec<_> =
        report.checks.iter().filter(|check| check.outcome != Outcome::Held).collect();
    assert!(others.is_empty(), "{others:#?}");
    assert_eq!((report.checks.len(), report.summary.held), (CHECKS.len(), CHECKS.len()));
}

/// A sandbox that differs in one point: exactly the checks of that point report it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_switch_is_noticed_and_nothing_else() {
    let differing: Vec<(&[&str], Profile)> = vec![
        (&["text-as-sent"], Profile { txt_quotes: TxtQuotes::Auto, ..profile() }),
        (&["proxied-ttl"], Profile { proxied_ttl: ProxiedTtl::Refuse, ..profile() }),
        (&["own-network"], Profile { own_network: OwnNetwork::Strict, ..profile() }),
        (
            &["srv-old-members"],
            Profile { old_srv_members: OldSrvMembers::AcceptEqual, ..profile() },
        ),
        (&["data-unknown-members"], Profile { unknown_data: UnknownData::Refuse, ..profile() }),
        (&["delegation-neighbours"], Profile { ns_neighbours: NsNeighbours::Accept, ..profile() }),
        (
            &["signer-without-delegation"],
            Profile { ds_without_ns: DsWithoutNs::Refuse, ..profile() },
        ),
        (&["deleted-name-free"], Profile { conflict_lag_milliseconds: 600_000, ..profile() }),
        (&["batch-exists"], Profile { batch: false, ..profile() }),
        (&["page-size"], Profile { page_limit: 100, ..profile() }),
        (&["list-order"], Profile { list_order: ListOrder::Random, ..profile() }),
        (&["dry-run"], Profile { dry_run: false, ..profile() }),
        // The older form has another code for equal records.
        (
            &["text-spellings-equal", "equal-record-first", "record-members"],
            Profile { shape: RecordMembers::Seed, ..profile() },
        ),
    ];
    for (ids, profile) in differing {
        let words = format!("{profile:?}");
        let report = try_all(profile).await;
        let found: Vec<_> =
            report.checks.iter().filter(|check| check.outcome == Outcome::Differed).collect();
        assert_eq!(differed(&report), ids, "{found:#?}\n{words}");
    }
}

/// Without a permission, the result is unknown, which is not a difference.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_allowed_is_unknown() {
    let report = try_all(Profile {
        permissions: Permissions::everything().with_rulesets(None),
        ..profile()
    })
    .await;
    assert!(differed(&report).is_empty());
    let unknown = report.checks.iter().filter(|check| check.outcome == Outcome::Unknown);
    let words: Vec<_> = unknown
        .map(|check| (check.id.as_str(), check.found.as_deref().unwrap_or_default()))
        .collect();
    assert!(
        words.len() > 5
            && words
                .iter()
                .all(|(id, why)| (id.starts_with("rule") || *id == "dry-run")
                    && why.contains("doctor")),
        "{words:?}"
    );
}

/// A stop ends the checks, a lost response leaves a record whose id is unknown, and a failed delete
/// is tried again: nothing stays in the zone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_stays_behind_after_a_stop_or_a_failure() {
    let running = start(profile()).await;
    let before = running.dump().unwrap();
    let matching = |method: &str, path_suffix: &str, nth| When::Matching {
        method: Some(method.to_owned()),
        path_suffix: path_suffix.to_owned(),
        nth,
    };
    running.add_fault(Fault {
        when: matching("POST", "/dns_records", 3),
        what: What::ResetAfterEffect,
        times: 2,
    });
    let failing = What::Status { code: 500, html: false, retry_after: None };
    running.add_fault(Fault { when: matching("DELETE", "", 2), what: failing, times: 2 });
    let scratch = scratch(&running).await.unwrap_or_else(|error| panic!("{error}"));
    let (stopper, tried) = (Stopper::new(), Cell::new(0));
    let tell = |_: &str| {
        tried.set(tried.get() + 1);
        if tried.get() == 12 {
            stopper.ask();
        }
    };
    let report = run_checks(&scratch, &[], &stopper.listener(), report(), tell).await;
    assert_eq!((report.is_complete, report.checks.len(), report.left_behind), (false, 12, 0));
    assert_eq!(running.dump().unwrap()["zones"][0]["records"], before["zones"][0]["records"]);
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scratch_name_with_records_is_refused() {
    let running = start(profile()).await;
    let name = scratch(&running).await.unwrap_or_else(|error| panic!("{error}")).name().to_owned();
    let records = json!([{ "type": "A", "name": format!("below.{name}"), "content": "192.0.2.7" }]);
    running.seed(&json!({ "zones": [{ "name": "example.com", "records": records }] })).unwrap();
    let before = running.dump().unwrap();
    assert!(matches!(scratch(&running).await.err(), Some(NotReady::NotEmpty { .. })));
    assert_eq!(running.dump().unwrap(), before);
    running.shutdown().await;
}

#[test]
fn the_command_asks_for_confirmation_and_writes_a_report() {
    let workspace = Workspace::new(options());
    let ran = workspace.run(&["conformance", "--zone", "example.com"]).exits(64);
    assert!(ran.stderr.contains("confirm with --i-own-this-zone"), "{}", ran.stderr);
    workspace.run(&["conformance", "--i-own-this-zone"]).exits(64);
    workspace.run(&["conformance", "--zone", "example.net", "--i-own-this-zone"]).exits(1);
    assert!(workspace.writes().is_empty());
    let arguments = [
        "conformance",
        "--zone",
        "example.com",
        "--i-own-this-zone",
        "--only",
        "name-case",
        "--only",
        "dry-run",
    ];
    let ran = workspace.run(&arguments).exits(0);
    assert!(
        ran.stdout.contains("✔ name-case: Names are returned in lower case.\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.ends_with("free plan: 2 assumptions: 2 held, 0 differed, 0 unknown.\n"),
        "{}",
        ran.stdout
    );
    let report = workspace.run(&[&arguments[..], &["--format", "json"]].concat()).exits(0);
    assert!(!report.stdout.contains("example.com"), "it can be shared: {}", report.stdout);
    let schema = workspace.run(&["schema", "conformance"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = report.json();
    assert!(
        validator.is_valid(&document),
        "{:?}",
        validator.iter_errors(&document).map(|e| e.to_string()).collect::<Vec<_>>()
    );
    let list = workspace.run(&["conformance", "--list"]).exits(0).stdout;
    assert_eq!(list.lines().count(), CHECKS.len());
    workspace.run(&["conformance", "--list", "--format", "json"]).exits(64);
    assert!(
        workspace
            .run(&["conformance", "--list", "--only", "nonsense"])
            .exits(64)
            .stderr
            .contains("--list shows them")
    );
}

/// Returns a run that is interrupted while it creates its third record, which is held.
#[cfg(unix)]
fn interrupted(workspace: &Workspace) -> crate::support::interrupt::UnderWay {
    let when = When::Matching {
        method: Some("POST".to_owned()),
        path_suffix: "/dns_records".to_owned(),
        nth: 3,
    };
    workspace.fault(Fault { when, what: What::Held, times: 1 });
    let mut run = crate::support::interrupt::UnderWay::start(
        workspace,
        &["conformance", "--zone", "example.com", "--i-own-this-zone"],
    );
    workspace.until_held(1);
    run.signal("INT");
    run.says("stopping: finishing the requests in flight");
    run
}

/// Ctrl-C while a record is being created: the create is finished, and the record is deleted.
#[cfg(unix)]
#[test]
fn an_interrupted_run_deletes_what_it_created() {
    let workspace = Workspace::new(options());
    let before = workspace.dump();
    let run = interrupted(&workspace);
    workspace.release();
    let ran = run.ends().exits(1);
    assert!(
        ran.stdout.contains("Interrupted: the other assumptions were not tried."),
        "{}",
        ran.stdout
    );
    assert!(workspace.writes().len() > 3, "{:?}", workspace.writes());
    assert_eq!(workspace.dump()["zones"][0]["records"], before["zones"][0]["records"]);
}

/// A second Ctrl-C: the message says which record may be left.
#[cfg(unix)]
#[test]
fn a_second_interruption_says_what_may_be_left() {
    let workspace = Workspace::new(options());
    let run = interrupted(&workspace);
    run.signal("INT");
    let ran = run.ends().exits(5);
    assert!(
        ran.stderr.contains("stopped at once; records at and below zonewright-conformance-"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains(".example.com may be left: delete them in the dashboard"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("journal"), "{}", ran.stderr);
    workspace.release();
    // Help shows the options that matter to a command without a spec.
    let help = workspace.run(&["conformance", "-h"]).exits(0).stdout;
    assert!(
        help.contains("--zone") && !help.contains("--var") && !help.contains("--base "),
        "{help}"
    );
}
