//! Credentials, routes, bodies and the rate limit.

use reqwest::Method;
use serde_json::json;
use zonewright::sandbox::{EMAIL, KEY, Profile, RateLimit, Scheme, TOKEN};

use super::support::{Bench, a, reply};

#[tokio::test]
async fn both_schemes_and_their_failures() {
    let bench = Bench::new().await;
    let get = || bench.client.get(format!("{}/zones", bench.running.base_url()));
    let unknown = "x".repeat(40);

    assert_eq!(reply(get().bearer_auth(TOKEN)).await.status, 200);
    assert_eq!(reply(get().header("X-Auth-Email", EMAIL).header("X-Auth-Key", KEY)).await.status, 200);

    let none = reply(get()).await;
    assert_eq!(none.refusal(), (400, 9106));
    assert!(none.body["result"].is_null() && none.body["success"] == false);
    let malformed = reply(get().header("Authorization", "Bearer Bearer x")).await;
    assert_eq!(malformed.refusal(), (400, 6003));
    assert_eq!(malformed.body["errors"][0]["error_chain"][0]["code"], 6111);
    let malformed = reply(get().header("X-Auth-Email", EMAIL).header("X-Auth-Key", "short")).await;
    assert_eq!(malformed.refusal(), (400, 6003));
    assert_eq!(malformed.body["errors"][0]["error_chain"][0]["code"], 6103);
    assert_eq!(reply(get().bearer_auth(&unknown)).await.refusal(), (403, 9109));
    let unknown_key = get().header("X-Auth-Email", EMAIL).header("X-Auth-Key", "0".repeat(37));
    assert_eq!(reply(unknown_key).await.refusal(), (403, 9103));

    let verify = || bench.client.get(format!("{}/user/tokens/verify", bench.running.base_url()));
    assert_eq!(reply(verify().bearer_auth(TOKEN)).await.result()["status"], "active");
    assert_eq!(reply(verify().bearer_auth(&unknown)).await.refusal(), (401, 1000));
}

#[tokio::test]
async fn the_log_keeps_schemes_and_no_secrets() {
    let bench = Bench::new().await;
    bench.post(a("www", "192.0.2.1")).await;
    let keyed = bench.client.get(format!("{}/zones?name=x", bench.running.base_url()));
    reply(keyed.header("X-Auth-Email", EMAIL).header("X-Auth-Key", KEY)).await;
    let log = bench.running.requests();
    assert_eq!((log[0].method.as_str(), log[0].status, log[0].scheme), ("POST", Some(200), Some(Scheme::Bearer)));
    assert_eq!(log[0].body, Some(a("www", "192.0.2.1")));
    assert_eq!((log[1].path.as_str(), log[1].scheme), ("/zones?name=x", Some(Scheme::Key)));
    assert!(!format!("{log:?}").contains(TOKEN) && !format!("{log:?}").contains(KEY));
}

#[tokio::test]
async fn routes_methods_and_identifiers() {
    let bench = Bench::new().await;
    let send = |method, path: String| {
        let bench = &bench;
        async move { bench.send(method, &path, None).await }
    };
    assert_eq!(send(Method::GET, "/nothing".into()).await.refusal(), (400, 7000));
    let wrong = send(Method::DELETE, bench.records()).await;
    assert_eq!(wrong.refusal(), (405, 7001));
    assert_eq!(wrong.body["errors"][0]["message"], "Method DELETE not available for that URI.");
    let malformed = send(Method::GET, "/zones/example.com".into()).await;
    assert_eq!(malformed.refusal(), (400, 7003));
    assert_eq!(malformed.body["errors"][1]["code"], 7000);
    assert_eq!(send(Method::GET, format!("{}/x", bench.records())).await.refusal(), (400, 7003));
    let absent = "0123456789abcdef0123456789abcdef";
    assert_eq!(send(Method::GET, format!("/zones/{absent}")).await.refusal(), (403, 9109));
    assert_eq!(send(Method::GET, format!("/zones/{absent}/dns_records")).await.refusal(), (403, 9109));
    assert_eq!(bench.get(absent).await.refusal(), (404, 81044));
    assert_eq!(bench.delete(absent).await.refusal(), (404, 81044));
    assert_eq!(bench.patch(absent, json!({})).await.refusal(), (404, 81044));
    let outside = bench.client.get(format!("http://{}/v5/zones", bench.running.address()));
    assert_eq!(reply(outside).await.refusal(), (400, 7000));
}

#[tokio::test]
async fn bodies_must_be_json_objects() {
    let bench = Bench::new().await;
    let post = || bench.request(Method::POST, &bench.records());
    assert_eq!(reply(post().body("{}")).await.refusal(), (415, 9207));
    let typed = |body: &'static str| post().header("Content-Type", "application/json; charset=utf-8").body(body);
    assert_eq!(reply(typed("{")).await.refusal(), (400, 9207));
    assert_eq!(reply(typed("[]")).await.refusal(), (400, 9207));
    // A GET with a body is tolerated: observed 2025-08.
    let get = bench.request(Method::GET, &bench.records()).json(&json!({}));
    assert_eq!(reply(get).await.status, 200);
}

#[tokio::test]
async fn exceeding_the_rate_limit_blocks() {
    let rate_limit = Some(RateLimit { requests: 2, window_seconds: 300 });
    let bench = Bench::with(Profile { rate_limit, ..Profile::default() }).await;
    let first = bench.list("").await;
    assert!(first.headers["ratelimit"].to_str().unwrap().starts_with("\"default\";r=1;t="));
    assert_eq!(first.headers["ratelimit-policy"], "\"default\";q=2;w=300");
    assert!(!first.headers.contains_key("retry-after"));
    bench.list("").await;
    let refused = bench.list("").await;
    assert_eq!(refused.refusal(), (429, 971));
    let seconds: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((299..=300).contains(&seconds), "{seconds}");
    assert_eq!(bench.list("").await.status, 429);
}
