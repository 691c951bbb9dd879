//! Batches: order, atomicity, limits.

use serde_json::{Value, json};
use zonewright::sandbox::Profile;

use super::support::{Bench, a, keys};

#[tokio::test]
async fn deletes_patches_puts_posts() {
    let bench = Bench::new().await;
    let old = bench.post(a("old", "192.0.2.30")).await.id();
    let www = bench.post(a("www", "192.0.2.10")).await.id();
    let mx = json!({"type": "MX", "name": "@", "content": "mail.example.com", "priority": 10});
    let mx = bench.post(mx).await.id();
    let reply = bench
        .batch(json!({
            "posts": [{"type": "CNAME", "name": "old", "content": "new.example.net"}, a("n1", "192.0.2.10")],
            "puts": [{"id": mx, "type": "MX", "name": "@", "content": "mail.example.com", "priority": 20, "ttl": 3600}],
            "patches": [{"id": www, "name": "n2", "content": "192.0.2.21"}],
            "deletes": [{"id": old}]
        }))
        .await;
    let result = reply.result();
    assert_eq!(keys(result), ["deletes", "patches", "puts", "posts"]);
    assert_eq!(result["deletes"][0]["content"], "192.0.2.30");
    assert_eq!(result["patches"][0]["name"], "n2.example.com");
    assert_eq!(result["puts"][0]["priority"], 20);
    assert_eq!(result["posts"][0]["type"], "CNAME");
    assert_eq!(bench.list("").await.body["result_info"]["total_count"], 4);
    assert_eq!(bench.get(&old).await.refusal(), (404, 81044));

    let reply = bench.batch(json!({"posts": [a("n3", "192.0.2.43")], "puts": null})).await;
    assert_eq!((&reply.result()["deletes"], &reply.result()["puts"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn the_first_failure_undoes_everything() {
    let bench = Bench::new().await;
    let www = bench.post(a("www", "192.0.2.10")).await.id();
    let before = bench.running.dump().unwrap();
    let absent = "0123456789abcdef0123456789abcdef";
    for (refusal, body) in [
        (
            (400, 81053),
            json!({"posts": [a("n2", "192.0.2.42"), {"type": "CNAME", "name": "www", "content": "o.example"}]}),
        ),
        (
            (404, 81044),
            json!({"deletes": [{"id": www}, {"id": www}], "posts": [a("n2", "192.0.2.42")]}),
        ),
        ((404, 81044), json!({"deletes": [{"id": www}], "patches": [{"id": absent, "ttl": 60}]})),
        ((404, 81044), json!({"deletes": [{}]})),
        ((400, 9005), json!({"deletes": [{"id": www}], "posts": [a("n2", "x")]})),
        ((400, 81058), json!({"posts": [a("n2", "192.0.2.42"), a("n2", "192.0.2.42")]})),
        ((400, 1004), json!({"posts": a("n2", "192.0.2.42")})),
    ] {
        let reply = bench.batch(body.clone()).await;
        assert_eq!(reply.refusal(), refusal, "{body}");
        assert_eq!(reply.body["errors"].as_array().unwrap().len(), 1);
        assert_eq!(bench.running.dump().unwrap(), before, "{body}");
    }
}

#[tokio::test]
async fn numbers_by_plan() {
    let posts = |count: usize| {
        let record = |n: usize| a(&format!("n{n}"), &format!("192.0.2.{}", n % 250));
        json!({"posts": (0..count).map(record).collect::<Vec<_>>()})
    };
    let free = Bench::with(Profile { record_quota: Some(10_000), ..Profile::default() }).await;
    assert_eq!(free.batch(posts(201)).await.refusal(), (400, 1004));
    assert_eq!(free.batch(posts(200)).await.result()["posts"].as_array().unwrap().len(), 200);
    let pro = Bench::with(Profile { tier: "pro".to_owned(), ..Profile::default() }).await;
    assert_eq!(pro.batch(posts(3501)).await.refusal(), (400, 1004));
    pro.batch(posts(3500)).await.result();
    assert_eq!(pro.batch(json!({"posts": [a("more", "192.0.2.1")]})).await.refusal(), (400, 81045));
    // The deletes of a batch reduce the number of records before its creates are counted.
    let first = pro.list("per_page=1").await.column("id").remove(0);
    pro.batch(json!({"deletes": [{"id": first}], "posts": [a("more", "192.0.2.1")]}))
        .await
        .result();
}

#[tokio::test]
async fn the_endpoint_can_be_absent() {
    let bench = Bench::with(Profile { batch: false, ..Profile::default() }).await;
    assert_eq!(bench.batch(json!({"posts": [a("n", "192.0.2.1")]})).await.refusal(), (400, 7000));
}
