//! Zones: list, create, change, delete.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use zonewright::sandbox::{ACCOUNT_ID, Profile};

use super::support::{Bench, a, keys};

#[tokio::test]
async fn create_get_change_delete() {
    let bench = Bench::new().await;
    let body = json!({"name": "Example.ORG", "account": {"id": "503be6216751f6fa1a8132a34b38ff29"}, "type": "full"});
    let created = bench.send(Method::POST, "/zones", Some(body.clone())).await;
    let zone = created.result();
    assert_eq!((&zone["name"], &zone["status"]), (&json!("example.org"), &json!("pending")));
    assert_eq!(zone["account"]["id"], "503be6216751f6fa1a8132a34b38ff29");
    assert_eq!(zone["plan"]["legacy_id"], "free");
    assert_eq!(
        keys(zone)[..8],
        [
            "id",
            "name",
            "status",
            "paused",
            "type",
            "development_mode",
            "name_servers",
            "original_name_servers"
        ]
    );
    let again = bench.send(Method::POST, "/zones", Some(body)).await;
    assert_eq!(again.refusal(), (400, 1061));
    assert_eq!(again.body["errors"][0]["message"], "example.org already exists");
    for name in [
        json!("nonsense"),
        json!("a..b"),
        json!(null),
        json!(7),
        json!("_a.example"),
        json!("-a.example"),
        json!("*.example.net"),
        json!("a b.example"),
        json!("192.0.2.1"),
        json!("example.123"),
    ] {
        let refused = bench.send(Method::POST, "/zones", Some(json!({"name": name}))).await;
        assert_eq!(refused.refusal(), (400, 1049));
    }
    let path = format!("/zones/{}", created.id());
    assert_eq!(bench.send(Method::GET, &path, None).await.result(), zone);
    let paused = bench.send(Method::PATCH, &path, Some(json!({"paused": true}))).await;
    assert_eq!(paused.result()["paused"], true);
    let record =
        bench.send(Method::POST, &format!("{path}/dns_records"), Some(a("www", "192.0.2.1"))).await;
    assert_eq!(record.result()["name"], "www.example.org");
    assert_eq!(
        bench.send(Method::DELETE, &path, None).await.result(),
        &json!({"id": created.id()})
    );
    assert_eq!(bench.send(Method::GET, &path, None).await.refusal(), (403, 9109));
}

#[tokio::test]
async fn list() {
    let bench = Bench::new().await;
    let zones: Vec<_> = ["b.example", "c.example", "d.example", "e.example", "f.example", "a.example"]
        .iter()
        .map(|name| json!({"name": name, "status": if *name == "c.example" { "pending" } else { "active" }}))
        .collect();
    bench.running.seed(&json!({"zones": zones})).unwrap();
    bench
        .running
        .seed(&json!({"zones": [{"name": "hidden.example", "type": "internal"}]}))
        .unwrap();
    for (query, names) in [
        ("name=example.com", "example.com"),
        ("name=EXAMPLE.com&status=active", "example.com"),
        ("name=starts_with:b", "b.example"),
        ("name=contains:.com", "example.com"),
        ("name=missing.example", ""),
        ("status=pending", "c.example"),
        ("type=internal", "hidden.example"),
        ("match=any&status=pending&name=a.example&order=name", "a.example c.example"),
        ("account.id=503be6216751f6fa1a8132a34b38ff29", ""),
        ("account.name=sandbox&name=a.example", "a.example"),
        ("order=name&direction=asc&per_page=5&page=2", "example.com f.example"),
        ("order=name&direction=desc&per_page=5&page=2", "b.example a.example"),
    ] {
        let reply = bench.send(Method::GET, &format!("/zones?{query}"), None).await;
        let names: Vec<_> = names.split_whitespace().collect();
        assert_eq!(reply.column("name"), names, "{query}");
    }
    let reply = bench.send(Method::GET, "/zones?per_page=5&page=2", None).await;
    let info = r#"{"page":2,"per_page":5,"total_pages":2,"count":2,"total_count":7}"#;
    assert_eq!(reply.body["result_info"].to_string(), info);
    let reply = bench.send(Method::GET, "/zones", None).await;
    assert_eq!(reply.body["result_info"]["per_page"], 20);
}

#[tokio::test]
async fn accounts_of_new_zones() {
    let bench = Bench::with(Profile { tier: "business".to_owned(), ..Profile::default() }).await;
    for (name, account) in
        [("a.example", json!(null)), ("b.example", json!({})), ("c.example", json!({"id": null}))]
    {
        let created = bench
            .send(Method::POST, "/zones", Some(json!({"name": name, "account": account})))
            .await;
        assert_eq!(created.result()["account"]["id"], ACCOUNT_ID, "{name}");
        assert_eq!(created.result()["plan"]["legacy_id"], "business");
        assert_eq!(created.result()["activated_on"], json!(null));
        assert_eq!(created.result()["name_servers"].as_array().unwrap().len(), 2);
    }
    for id in [json!("x"), json!(7)] {
        let refused = bench
            .send(Method::POST, "/zones", Some(json!({"name": "d.example", "account": {"id": id}})))
            .await;
        assert_eq!(refused.refusal(), (400, 1101));
    }
    let bare = bench.send(Method::POST, "/zones", Some(json!({"name": "Bücher.example"}))).await;
    assert_eq!(bare.result()["name"], "xn--bcher-kva.example");
}

#[tokio::test]
async fn a_fresh_zone_refuses_all_requests() {
    let bench =
        Bench::with(Profile { fresh_zone_forbidden_milliseconds: 5_000, ..Profile::default() })
            .await;
    let zone = bench.send(Method::POST, "/zones", Some(json!({"name": "example.org"}))).await.id();
    let path = format!("/zones/{zone}");
    for below in ["dns_records", "dnssec", "dns_settings", "settings/ssl", "dns_records/export"] {
        let refused = bench.send(Method::GET, &format!("{path}/{below}"), None).await;
        assert_eq!(refused.refusal(), (403, 10000), "{below}");
    }
    let post =
        bench.send(Method::POST, &format!("{path}/dns_records"), Some(a("www", "192.0.2.1"))).await;
    assert_eq!(post.body["errors"][0]["message"], "Authentication error");
    // The zone itself, and zones that were there before, are not concerned.
    assert_eq!(bench.send(Method::GET, &path, None).await.id(), zone);
    bench.list("").await.result();
    let mut post = post;
    let deadline = Instant::now() + Duration::from_secs(60);
    while post.status == 403 && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(250)).await;
        post = bench
            .send(Method::POST, &format!("{path}/dns_records"), Some(a("www", "192.0.2.1")))
            .await;
    }
    assert_eq!(post.result()["name"], "www.example.org");
}
