//! The state: it survives restarts, it can be dumped and loaded, and it is deterministic.

use std::io::{BufRead, BufReader};
use std::time::Instant;

use rusqlite::Connection;
use serde_json::{Value, json};
use zonewright::sandbox::{self, Profile, SandboxError, SandboxOptions, SeedReport, StoreLocation};

use super::support::{Bench, a};

/// Returns a document with every kind of object.
fn document() -> Value {
    json!({"zones": [
        {"name": "example.com", "plan": "pro", "records": [
            {"type": "A", "name": "www", "content": "192.0.2.1", "proxied": true, "tags": ["a:b"], "comment": "web"},
            {"type": "CNAME", "name": "f", "content": "t.example", "settings": {"flatten_cname": true}},
            {"type": "SRV", "name": "_sip._tcp", "data": {"priority": 1, "weight": 2, "port": 3, "target": "."}},
            {"type": "MX", "name": "@", "content": "r.example", "priority": 1, "meta": {"email_routing": true}},
            {"type": "MX", "name": "@", "content": "s.example", "priority": 2, "meta": {"read_only": true}},
            {"type": "TXT", "name": "@", "content": "k".repeat(300), "locked": true,
             "id": "0123456789abcdef0123456789abcdef", "created_on": "2024-02-03T10:15:30.5Z"}
        ]},
        {"name": "old.example", "created_on": "2023-01-01T00:00:00Z", "status": "pending", "activated_on": null}
    ]})
}

/// Returns a store in a fresh directory.
fn file() -> (tempfile::TempDir, StoreLocation) {
    let directory = tempfile::tempdir().unwrap();
    let location = StoreLocation::File(directory.path().join("state/sandbox.sqlite"));
    (directory, location)
}

#[test]
fn dumping_and_planting_is_the_identity() {
    let (_one, first) = file();
    let (_two, second) = file();
    let report = sandbox::seed(&first, &document()).unwrap();
    assert_eq!(report, SeedReport { zones: 2, records: 6, present: 0 });
    let dumped = sandbox::dump(&first).unwrap();
    assert_eq!(sandbox::dump(&first).unwrap().to_string(), dumped.to_string());
    sandbox::seed(&second, &dumped).unwrap();
    assert_eq!(sandbox::dump(&second).unwrap().to_string(), dumped.to_string());
    // Loading again finds everything in its place.
    let report = sandbox::seed(&first, &document()).unwrap();
    assert_eq!(report, SeedReport { zones: 0, records: 0, present: 6 });
    assert_eq!(sandbox::dump(&first).unwrap(), dumped);
    sandbox::reset(&first).unwrap();
    assert_eq!(
        sandbox::dump(&first).unwrap(),
        json!({"format": 1, "kind": "sandbox", "counter": 0, "zones": []})
    );
}

#[test]
fn a_faulty_document_plants_nothing_and_says_where() {
    let (_directory, location) = file();
    let faulty = json!({"zones": [{"name": "example.com", "records": [a("www", "192.0.2.1"), a("x", "y")]}]});
    let error = sandbox::seed(&location, &faulty).unwrap_err();
    assert!(
        matches!(&error, SandboxError::Document { place, .. } if place == "zones[0].records[1]"),
        "{error}"
    );
    assert!(error.to_string().contains("9005"), "{error}");
    assert_eq!(sandbox::dump(&location).unwrap()["zones"], json!([]));
    assert!(
        sandbox::seed(&location, &json!({"zones": [{"name": "x.example", "plan": "gold"}]}))
            .is_err()
    );
}

#[tokio::test]
async fn a_file_survives_restarts() {
    let (_directory, store) = file();
    assert!(sandbox::ensure_zone(&store, "example.com", "pro", 7).unwrap());
    assert!(!sandbox::ensure_zone(&store, "example.com", "pro", 7).unwrap());
    let options = || SandboxOptions { store: store.clone(), seed: 7, ..SandboxOptions::default() };
    let bench = Bench::start(options()).await;
    let record = bench.post(a("www", "192.0.2.1")).await;
    bench.running.shutdown().await;
    let again = Bench::start(options()).await;
    assert_eq!(again.get(&record.id()).await.result(), record.result());
    let zone = again.send(reqwest::Method::GET, &format!("/zones/{}", again.zone), None).await;
    assert_eq!(
        (&zone.result()["status"], &zone.result()["plan"]["legacy_id"]),
        (&json!("active"), &json!("pro"))
    );
    // Identifiers continue after the last one.
    assert_ne!(again.post(a("api", "192.0.2.1")).await.id(), record.id());
}

/// Names the store of [`a_server_to_be_killed`] in its own process.
const STORE_VARIABLE: &str = "ZONEWRIGHT_TEST_STORE";

#[tokio::test]
async fn a_killed_server_loses_no_acknowledged_write() {
    let (directory, store) = file();
    sandbox::ensure_zone(&store, "example.com", "pro", 0).unwrap();
    let zone = sandbox::dump(&store).unwrap()["zones"][0]["id"].as_str().unwrap().to_owned();
    let mut server = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "contract::state::a_server_to_be_killed"])
        .env(STORE_VARIABLE, directory.path().join("state/sandbox.sqlite"))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let base = lines
        .map_while(Result::ok)
        .find_map(|l| l.find("http://").map(|at| l[at..].to_owned()))
        .unwrap();
    let client = super::support::client();
    for n in 0..20 {
        let request =
            client.post(format!("{base}/zones/{zone}/dns_records")).bearer_auth(sandbox::TOKEN);
        super::support::reply(request.json(&a(&format!("n{n}"), "192.0.2.1"))).await.result();
    }
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(sandbox::dump(&store).unwrap()["zones"][0]["records"].as_array().unwrap().len(), 20);
}

#[tokio::test]
#[ignore = "is started and killed by another test"]
async fn a_server_to_be_killed() {
    // Without the variable someone runs all ignored tests, and there is nothing to do.
    let Some(path) = std::env::var_os(STORE_VARIABLE) else { return };
    let store = StoreLocation::File(path.into());
    let running =
        sandbox::start(SandboxOptions { store, ..SandboxOptions::default() }).await.unwrap();
    println!("{}", running.base_url());
    // Long enough for the other test, and bounded in case that one fails.
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
}

#[tokio::test]
async fn an_acknowledged_write_is_in_the_file() {
    let (directory, store) = file();
    let bench = Bench::start(SandboxOptions { store, ..SandboxOptions::default() }).await;
    let id = bench.post(a("www", "192.0.2.1")).await.id();
    // As any SQLite tool would read it, while the sandbox runs.
    let other = Connection::open(directory.path().join("state/sandbox.sqlite")).unwrap();
    let sql = "SELECT name || ' ' || type || ' ' || content FROM records WHERE id = ?1";
    let row: String = other.query_row(sql, [&id], |row| row.get(0)).unwrap();
    assert_eq!(row, "www.example.com A 192.0.2.1");
}

#[tokio::test]
async fn equal_seeds_give_equal_identifiers() {
    let run = |seed| async move {
        let bench = Bench::start(SandboxOptions { seed, ..SandboxOptions::default() }).await;
        let first = bench.post(a("www", "192.0.2.1")).await.id();
        // A refused request uses no identifier up.
        bench.post(a("www", "192.0.2.1")).await;
        (bench.zone.clone(), first, bench.post(a("api", "192.0.2.1")).await.id())
    };
    assert_eq!(run(1).await, run(1).await);
    assert_ne!(run(1).await, run(2).await);
}

#[tokio::test]
async fn large_zones_stay_fast() {
    // This only tests that counts are right, not the speed.
    let profile =
        Profile { tier: "pro".to_owned(), record_quota: Some(20_000), ..Profile::default() };
    let bench = Bench::with(profile).await;
    let record = |n: u32| a(&format!("n{n}"), &format!("10.0.{}.{}", n / 256, n % 256));
    bench.plant((0..6000).map(record).collect());
    bench.batch(json!({"posts": (6000..9500).map(record).collect::<Vec<_>>()})).await.result();
    let page = bench.list("per_page=5000&page=2&order=name").await;
    assert_eq!(page.body["result_info"]["count"], 4500);
    assert_eq!(page.body["result_info"]["total_count"], 9500);
}

#[tokio::test]
#[ignore = "measures; run it with --release"]
async fn speed_in_a_zone_of_100_000_records() {
    let (_directory, store) = file();
    let profile = Profile {
        tier: "pro".to_owned(),
        record_quota: Some(200_000),
        rate_limit: None,
        ..Profile::default()
    };
    let bench = Bench::start(SandboxOptions { store, profile, ..SandboxOptions::default() }).await;
    let record =
        |n: u32| a(&format!("n{n}"), &format!("10.{}.{}.{}", n / 65_536, n / 256 % 256, n % 256));
    let measure = |what: &'static str, start: Instant| println!("{what}: {:?}", start.elapsed());
    let start = Instant::now();
    bench.plant((0..100_000).map(record).collect());
    measure("plant 100,000", start);
    let start = Instant::now();
    bench
        .batch(json!({"posts": (100_000..103_500).map(record).collect::<Vec<_>>()}))
        .await
        .result();
    measure("batch of 3,500 posts", start);
    let ids = bench.list("per_page=3500&order=name").await.column("id");
    let start = Instant::now();
    let patches: Vec<_> = ids.iter().map(|id| json!({"id": id, "ttl": 300})).collect();
    bench.batch(json!({"patches": patches})).await.result();
    measure("batch of 3,500 patches", start);
    let start = Instant::now();
    let deletes: Vec<_> = ids.iter().map(|id| json!({"id": id})).collect();
    bench.batch(json!({"deletes": deletes})).await.result();
    measure("batch of 3,500 deletes", start);
    let start = Instant::now();
    for n in 0..100 {
        bench.post(a(&format!("m{n}"), "192.0.2.1")).await.result();
    }
    measure("100 posts", start);
    for query in [
        "per_page=5000",
        "per_page=5000&page=20&order=name",
        "per_page=5000&page=10&order=type",
        "name=n9.example.com",
        "content.contains=10.1.2",
    ] {
        let start = Instant::now();
        bench.list(query).await.result();
        println!("list {query}: {:?}", start.elapsed());
    }
}

#[tokio::test]
async fn an_unknown_plan_is_an_error() {
    let profile = Profile { tier: "gold".to_owned(), ..Profile::default() };
    assert!(sandbox::start(SandboxOptions { profile, ..SandboxOptions::default() }).await.is_err());
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_reads_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, location) = file();
    let StoreLocation::File(path) = &location else { unreachable!() };
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let bench =
        Bench::start(SandboxOptions { store: location.clone(), ..SandboxOptions::default() }).await;
    bench.post(a("www", "192.0.2.1")).await;
    for name in ["sandbox.sqlite", "sandbox.sqlite-wal", "sandbox.sqlite-shm"] {
        assert_eq!(mode(&path.with_file_name(name)), 0o600, "{name}");
    }
    bench.running.shutdown().await;
    // A store of an earlier version is closed to other users when it is opened.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
    sandbox::dump(&location).unwrap();
    assert_eq!(mode(path), 0o600);
    // A link could point to a file that does not belong to the sandbox.
    let elsewhere = path.with_file_name("elsewhere");
    std::fs::write(&elsewhere, "").unwrap();
    std::fs::set_permissions(&elsewhere, std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::remove_file(path).unwrap();
    std::os::unix::fs::symlink(&elsewhere, path).unwrap();
    let error = sandbox::dump(&location).unwrap_err();
    assert!(matches!(error, SandboxError::Link(_)), "{error}");
    assert_eq!((mode(&elsewhere), elsewhere.metadata().unwrap().len()), (0o644, 0));
}
