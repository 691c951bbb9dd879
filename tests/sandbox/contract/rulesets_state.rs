//! State of rulesets: dry runs, permissions, faults, identifiers, loading and dumping.

use reqwest::Method;
use serde_json::{Value, json};
use zonewright::model::facts::permissions::PermissionAccess;
use zonewright::sandbox::{
    self, Fault, Permissions, Profile, SandboxError, SandboxOptions, StoreLocation, What, When,
};

use super::rulesets::{CUSTOM, MANAGED, OWASP, block, column, messages};
use super::support::Bench;

/// Returns a document with rulesets of every owner.
fn document() -> Value {
    let id = |digit: &str| digit.repeat(32);
    json!({
        "zones": [{"name": "example.com", "plan": "pro", "rulesets": [
            {"id": id("1"), "phase": MANAGED, "version": "7", "description": "ours", "earlier": [
                {"version": "3", "rules": []}
            ], "rules": [
                {"id": id("2"), "ref": "owasp", "version": "4", "action": "execute", "expression": "true",
                 "action_parameters": {"id": OWASP, "version": "latest", "matched_data": {"public_key": "k"},
                     "overrides": {"rules": [{"id": "f".repeat(32), "enabled": false}]}, "of_tomorrow": 1},
                 "last_updated": "2026-01-01T00:00:00Z", "enabled": false}
            ]},
            {"id": id("3"), "phase": CUSTOM, "rules": []},
            {"phase": "http_request_dynamic_redirect", "rules": [{"action": "redirect", "expression": "ssl"}]}
        ]}],
        "account_rulesets": [
            {"id": id("4"), "kind": "custom", "name": "c", "phase": CUSTOM, "rules": [block("a")]},
            {"id": id("5"), "phase": CUSTOM, "rules": [
                {"action": "execute", "action_parameters": {"id": id("4")}, "expression": "ssl"}]}
        ],
        "managed_rulesets": [
            {"id": OWASP, "version": "36", "rules": [{"id": id("6"), "action": "score", "categories": ["paranoia-level-1"]}]},
            {"id": id("7"), "name": "New", "phase": MANAGED, "rules": [{"action": "block"}]}
        ]
    })
}

#[test]
fn dumping_and_planting_is_the_identity() {
    let directory = tempfile::tempdir().unwrap();
    let store = |name: &str| StoreLocation::File(directory.path().join(name));
    let (first, second) = (store("one.sqlite"), store("two.sqlite"));
    sandbox::seed(&first, &document()).unwrap();
    let dumped = sandbox::dump(&first).unwrap();
    sandbox::seed(&second, &dumped).unwrap();
    // Compared without being printed, as the vendor's rules are many.
    let text = |store: &StoreLocation| sandbox::dump(store).unwrap().to_string();
    let expected = dumped.to_string();
    assert!(text(&second) == expected, "the copy differs");
    // Loading it again gives the same state.
    sandbox::seed(&first, &dumped).unwrap();
    assert!(text(&first) == expected, "planting twice differs");
    let entry = &dumped["zones"][0]["rulesets"][0];
    assert_eq!(
        entry["rules"][0]["action_parameters"],
        document()["zones"][0]["rulesets"][0]["rules"][0]["action_parameters"]
    );
    assert_eq!((&entry["version"], &entry["earlier"][0]["version"]), (&json!("7"), &json!("3")));
    assert_eq!(dumped["managed_rulesets"][0]["earlier"][0]["version"], "35");
    assert_eq!(dumped["account_rulesets"].as_array().unwrap().len(), 2);
    sandbox::reset(&first).unwrap();
    assert_eq!(
        sandbox::dump(&first).unwrap(),
        json!({"format": 1, "kind": "sandbox", "counter": 0, "zones": []})
    );
}

#[tokio::test]
async fn what_is_planted_is_served() {
    let bench = Bench::new().await;
    bench.running.seed(&document()).unwrap();
    let entry = bench.entry(MANAGED).await;
    assert_eq!((entry.id(), &entry.result()["version"]), ("1".repeat(32), &json!("7")));
    let rule = &entry.result()["rules"][0];
    assert_eq!(
        (&rule["id"], &rule["ref"], &rule["enabled"]),
        (&json!("2".repeat(32)), &json!("owasp"), &json!(false))
    );
    let former =
        bench.rulesets(Method::GET, &format!("/{}/versions/3", "1".repeat(32)), None).await;
    assert!(former.result().get("rules").is_none());
    let list = bench.account_rulesets(Method::GET, "", None).await;
    assert_eq!(list.column("kind")[..2], ["custom", "root"]);
    assert_eq!(list.column("id").last(), Some(&"7".repeat(32)));
    let owasp = bench.account_rulesets(Method::GET, &format!("/{OWASP}"), None).await;
    assert_eq!(column(owasp.result(), "id"), ["6".repeat(32)]);
}

#[test]
fn faulty_documents_plant_nothing_and_say_where() {
    for (rulesets, place) in [
        (json!([{"phase": "x"}]), "zones[0].rulesets[0]"),
        (
            json!([{"phase": CUSTOM, "rules": [{"action": "block"}]}]),
            "zones[0].rulesets[0].rules[0]",
        ),
        (
            json!([{"phase": CUSTOM, "rules": [{"action": "x", "expression": "ssl"}]}]),
            "zones[0].rulesets[0].rules[0]",
        ),
        (json!([{"phase": CUSTOM, "kind": "root"}]), "zones[0].rulesets[0]"),
        (json!([{"phase": CUSTOM, "etag": "x"}]), "zones[0].rulesets[0]"),
        (json!([{"phase": CUSTOM}, {"id": "1", "phase": CUSTOM}]), "zones[0].rulesets[1]"),
        (
            json!([{"id": "1", "phase": MANAGED}, {"id": "1", "phase": CUSTOM, "earlier": [{"version": "9"}]}]),
            "zones[0].rulesets[1]",
        ),
    ] {
        let store = tempfile::tempdir().unwrap();
        let store = StoreLocation::File(store.path().join("s.sqlite"));
        let document = json!({"zones": [{"name": "example.com", "rulesets": rulesets}]});
        let error = sandbox::seed(&store, &document).unwrap_err();
        assert!(
            matches!(&error, SandboxError::Document { place: at, .. } if at == place),
            "{document}: {error}"
        );
        assert_eq!(sandbox::dump(&store).unwrap()["zones"], json!([]));
    }
}

#[tokio::test]
async fn a_dry_run_checks_and_stores_nothing() {
    let bench = Bench::new().await;
    let path = format!("/phases/{CUSTOM}/entrypoint?dry_run=true");
    let put = |rules: Value| bench.rulesets(Method::PUT, &path, Some(json!({ "rules": rules })));
    let dry = put(json!([block("a")])).await;
    assert_eq!((dry.result(), bench.entry(CUSTOM).await.refusal()), (&Value::Null, (404, 10003)));
    assert_eq!(put(json!([{"action": "block", "expression": "x"}])).await.refusal(), (400, 20127));
    let real = bench.put_rules(CUSTOM, json!([block("a")])).await;
    let (id, rule) = (real.id(), column(real.result(), "id")[0].clone());
    // The dry run did not use any identifiers.
    let other = Bench::new().await;
    assert_eq!(other.put_rules(CUSTOM, json!([block("a")])).await.id(), id);
    let body = Some(json!({"action": "block", "expression": "ssl"}));
    for (method, path, body, status) in [
        (Method::PUT, format!("/{id}"), Some(json!({"rules": []})), 200),
        (Method::POST, format!("/{id}/rules"), body.clone(), 200),
        (Method::PATCH, format!("/{id}/rules/{rule}"), body.clone(), 200),
        (Method::DELETE, format!("/{id}/rules/{rule}"), None, 200),
        (Method::DELETE, format!("/{id}"), None, 204),
        (Method::PATCH, format!("/{id}/rules/{id}"), body.clone(), 404),
        (
            Method::POST,
            String::new(),
            Some(json!({"name": "x", "kind": "zone", "phase": CUSTOM})),
            400,
        ),
        (
            Method::POST,
            String::new(),
            Some(json!({"name": "x", "kind": "zone", "phase": MANAGED})),
            200,
        ),
    ] {
        let dry = bench.rulesets(method.clone(), &format!("{path}?dry_run=true"), body).await;
        assert_eq!(dry.status, status, "{method} {path} {}", dry.text);
        assert!(dry.body["result"].is_null(), "{}", dry.text);
    }
    assert_eq!(bench.entry(CUSTOM).await.result(), real.result());
    for value in ["1", "", "TRUE", "yes"] {
        let path = format!("/{id}?dry_run={value}");
        assert_eq!(
            bench.rulesets(Method::DELETE, &path, None).await.refusal(),
            (400, 0),
            "{value}"
        );
    }
    assert_eq!(
        bench.rulesets(Method::DELETE, &format!("/{id}?dry_run=false"), None).await.status,
        204
    );
    assert_eq!(bench.entry(CUSTOM).await.status, 404);
}

#[tokio::test]
async fn a_sandbox_without_dry_runs_writes_nothing() {
    let bench = Bench::with(Profile { dry_run: false, ..Profile::default() }).await;
    let path = format!("/phases/{CUSTOM}/entrypoint?dry_run=true");
    let refused = bench.rulesets(Method::PUT, &path, Some(json!({"rules": [block("a")]}))).await;
    assert_eq!(
        (refused.refusal(), messages(&refused)),
        ((400, 0), vec!["unknown query parameter \"dry_run\""])
    );
    assert_eq!(bench.entry(CUSTOM).await.status, 404);
    bench.put_rules(CUSTOM, json!([block("a")])).await.result();
}

#[tokio::test]
async fn permissions() {
    for (access, read, write) in [
        (Some(PermissionAccess::Edit), 404, 200),
        (Some(PermissionAccess::Read), 404, 403),
        (None, 403, 403),
    ] {
        let bench = Bench::with(Profile {
            permissions: Permissions::everything().with_rulesets(access),
            ..Profile::default()
        })
        .await;
        assert_eq!(bench.entry(CUSTOM).await.status, read);
        let refused = bench.put_rules(CUSTOM, json!([block("a")])).await;
        assert_eq!(refused.status, write);
        if write == 403 {
            assert_eq!(refused.body["errors"], json!([{"message": "request is not authorized"}]));
        }
    }
    let bench = Bench::new().await;
    let url = format!("{}/zones/{}/rulesets", bench.running.base_url(), bench.zone);
    assert_eq!(super::support::reply(bench.client.get(url)).await.refusal(), (400, 9106));
}

#[tokio::test]
async fn routes() {
    let bench = Bench::new().await;
    for (method, path, refusal) in [
        (Method::DELETE, String::new(), (405, 7001)),
        (Method::POST, format!("/phases/{CUSTOM}/entrypoint"), (405, 7001)),
        (Method::PATCH, format!("/{OWASP}"), (405, 7001)),
        (Method::GET, format!("/{OWASP}/rules"), (405, 7001)),
        (Method::GET, "/owasp".to_owned(), (400, 7003)),
        (Method::PATCH, format!("/{OWASP}/rules/1"), (400, 7003)),
        (Method::GET, format!("/phases/{CUSTOM}"), (400, 7000)),
    ] {
        assert_eq!(
            bench.rulesets(method.clone(), &path, None).await.refusal(),
            refusal,
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn faults_strike_rulesets_too() {
    let bench = Bench::new().await;
    let rules = json!({"rules": [block("theirs")]});
    let other = format!("/zones/{}/rulesets/phases/{CUSTOM}/entrypoint", bench.zone);
    let when =
        When::Matching { method: Some("PUT".into()), path_suffix: "/entrypoint".into(), nth: 1 };
    let what = What::AnotherWriter { method: "PUT".into(), path: other, body: rules };
    bench.running.add_fault(Fault { when, what, times: 1 });
    let answer = bench.put_rules(CUSTOM, json!([block("ours")])).await;
    assert_eq!(
        (column(answer.result(), "ref"), &answer.result()["version"]),
        (vec!["ours".to_owned()], &json!("2"))
    );
    let when =
        When::Matching { method: Some("PUT".into()), path_suffix: "/entrypoint".into(), nth: 1 };
    bench.running.add_fault(Fault { when, what: What::StatusAfterEffect { code: 502 }, times: 1 });
    assert_eq!(bench.put_rules(CUSTOM, json!([])).await.status, 502);
    assert_eq!(bench.entry(CUSTOM).await.result()["version"], "3");
}

#[tokio::test]
async fn equal_seeds_give_equal_identifiers() {
    let run = |seed| async move {
        let bench = Bench::start(SandboxOptions { seed, ..SandboxOptions::default() }).await;
        bench.put_rules(CUSTOM, json!([{"action": "block", "expression": "x"}])).await;
        let answer = bench.put_rules(CUSTOM, json!([block("a"), block("b")])).await;
        (answer.id(), column(answer.result(), "id"))
    };
    assert_eq!(run(1).await, run(1).await);
    assert_ne!(run(1).await, run(2).await);
    // An identifier in a document is not assigned again.
    let (_, ids) = run(3).await;
    let bench = Bench::start(SandboxOptions { seed: 3, ..SandboxOptions::default() }).await;
    let mut rule = block("planted");
    rule["id"] = json!(ids[0]);
    let rulesets = json!([{"id": "a".repeat(32), "phase": "http_ratelimit", "rules": [rule]}]);
    bench.running.seed(&json!({"zones": [{"name": "example.com", "rulesets": rulesets}]})).unwrap();
    let answer = bench.put_rules(CUSTOM, json!([block("a"), block("b")])).await;
    assert!(!column(answer.result(), "id").contains(&ids[0]));
}

#[tokio::test]
async fn rulesets_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let store = || StoreLocation::File(directory.path().join("s.sqlite"));
    let bench = Bench::start(SandboxOptions { store: store(), ..SandboxOptions::default() }).await;
    bench.put_rules(CUSTOM, json!([block("a")])).await.result();
    let before = bench.put_rules(CUSTOM, json!([block("b")])).await;
    bench.running.shutdown().await;
    let again = Bench::start(SandboxOptions { store: store(), ..SandboxOptions::default() }).await;
    assert_eq!(again.entry(CUSTOM).await.result(), before.result());
    let versions = again.rulesets(Method::GET, &format!("/{}/versions", before.id()), None).await;
    assert_eq!(versions.column("version"), ["1", "2"]);
}
