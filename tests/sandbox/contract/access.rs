//! Credentials, routes, bodies and the rate limit.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use zonewright::model::facts::permissions::{PermissionAccess, PermissionGroup};
use zonewright::sandbox::{
    self, ACCOUNT_ID, EMAIL, KEY, Permissions, Profile, RateLimit, SandboxOptions, Scheme, TOKEN,
    Token, TokenOwner,
};

use super::support::{Bench, a, reply};

#[tokio::test]
async fn both_schemes_and_their_failures() {
    let bench = Bench::new().await;
    let get = || bench.client.get(format!("{}/zones", bench.running.base_url()));
    let unknown = "x".repeat(40);

    assert_eq!(reply(get().bearer_auth(TOKEN)).await.status, 200);
    assert_eq!(
        reply(get().header("X-Auth-Email", EMAIL).header("X-Auth-Key", KEY)).await.status,
        200
    );

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
    assert_eq!(
        (log[0].method.as_str(), log[0].status, log[0].scheme),
        ("POST", Some(200), Some(Scheme::Bearer))
    );
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
    assert_eq!(
        send(Method::GET, format!("/zones/{absent}/dns_records")).await.refusal(),
        (403, 9109)
    );
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
    let typed = |body: &'static str| {
        post().header("Content-Type", "application/json; charset=utf-8").body(body)
    };
    assert_eq!(reply(typed("{")).await.refusal(), (400, 9207));
    assert_eq!(reply(typed("[]")).await.refusal(), (400, 9207));
    // A GET with a body is accepted: observed 2025-08.
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

/// Returns the sandbox's response to these bytes on a connection that stays open; the test fails
/// after a minute without one.
async fn raw(bench: &Bench, request: String) -> String {
    let address = bench.running.address();
    let exchange = move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"}") {
            let mut part = [0; 1024];
            let length = stream.read(&mut part).expect("an answer within a minute");
            assert!(length > 0, "closed after {:?}", String::from_utf8_lossy(&answer));
            answer.extend_from_slice(&part[..length]);
        }
        String::from_utf8(answer).unwrap()
    };
    tokio::task::spawn_blocking(exchange).await.unwrap()
}

#[tokio::test]
async fn without_credentials_no_body_is_read() {
    let bench = Bench::new().await;
    let unknown = "x".repeat(40);
    for (credentials, code) in [
        (String::new(), 9106),
        (format!("authorization: Bearer {unknown}\r\n"), 9109),
        (format!("x-auth-email: {EMAIL}\r\nx-auth-key: {}\r\n", "0".repeat(37)), 9103),
    ] {
        // The announced body is never sent.
        let head = format!(
            "POST /client/v4{} HTTP/1.1\r\nhost: {}\r\n{credentials}content-type: application/json\r\ncontent-length: 9000000\r\n\r\n",
            bench.records(),
            bench.running.address()
        );
        let answer = raw(&bench, head).await;
        assert!(answer.contains(&format!("\"code\":{code}")), "{answer}");
    }
    let post = bench.client.post(format!("{}{}", bench.running.base_url(), bench.records()));
    assert_eq!(
        reply(post.bearer_auth(&unknown).json(&a("www", "192.0.2.1"))).await.refusal(),
        (403, 9109)
    );
    let log = bench.running.requests();
    assert_eq!(
        log.iter().map(|entry| (entry.status, &entry.body)).collect::<Vec<_>>()[3],
        (Some(403), &None)
    );
}

#[tokio::test]
async fn web_pages_are_not_answered() {
    let bench = Bench::new().await;
    let get = || bench.request(Method::GET, "/zones");
    let port = bench.running.address().port();
    for host in [
        "evil.example".to_owned(),
        format!("rebound.evil.example:{port}"),
        format!("192.0.2.1:{port}"),
    ] {
        let refused = reply(get().header("Host", &host)).await;
        assert_eq!((refused.status, &refused.body["result"]), (403, &json!(null)), "{host}");
        assert!(
            refused.text.contains("loopback") && refused.text.contains(&host),
            "{}",
            refused.text
        );
    }
    for origin in ["https://evil.example", "null", "http://127.0.0.1"] {
        let refused = reply(get().header("Origin", origin)).await;
        assert!(
            refused.status == 403 && refused.text.contains("web page"),
            "{origin}: {}",
            refused.text
        );
    }
    assert!(bench.running.requests().is_empty(), "they are no requests of clients");
    for host in [format!("127.0.0.1:{port}"), "localhost".to_owned(), format!("[::1]:{port}")] {
        assert_eq!(reply(get().header("Host", &host)).await.status, 200, "{host}");
    }
    // HTTP/2 names the host in the address.
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
    let client = client.resolve("evil.example", bench.running.address()).build().unwrap();
    let get =
        |host: &str| client.get(format!("http://{host}:{port}/client/v4/zones")).bearer_auth(TOKEN);
    assert_eq!(reply(get("evil.example")).await.status, 403);
    assert_eq!(reply(get("127.0.0.1")).await.status, 200);
}

#[tokio::test]
async fn the_log_of_requests_is_bounded() {
    let bench = Bench::start(SandboxOptions { remembered: 1, ..SandboxOptions::default() }).await;
    bench.post(a("www", "192.0.2.1")).await;
    bench.list("").await;
    assert_eq!((bench.running.requests().len(), bench.running.request_count()), (1, 2));
    let bench = Bench::start(SandboxOptions { remembered: 0, ..SandboxOptions::default() }).await;
    bench.post(a("www", "192.0.2.1")).await;
    assert_eq!((bench.running.requests(), bench.running.request_count()), (Vec::new(), 1));
}

#[tokio::test]
async fn tokens_have_limits() {
    let read_zones =
        Permissions::default().with(PermissionGroup::Zone, Some(PermissionAccess::Read));
    let secret = |n: u32| format!("limited-token-{n:026}");
    let narrow = Token {
        zones: Some(vec!["example.net".to_owned()]),
        ..Token::new(secret(1), read_zones.clone())
    };
    let of_account = Token {
        owner: TokenOwner::Account,
        expires_on: Some("2027-01-01T00:00:00Z".to_owned()),
        ..Token::new(secret(2), read_zones.clone())
    };
    let expired =
        Token { status: "expired".to_owned(), ..Token::new(secret(3), read_zones.clone()) };
    let tokens = vec![Token::new(secret(0), read_zones), narrow, of_account, expired];
    let running =
        sandbox::start(SandboxOptions { tokens, ..SandboxOptions::default() }).await.unwrap();
    running
        .seed(&json!({ "zones": [{ "name": "example.com" }, { "name": "example.net" }] }))
        .unwrap();
    let ids: Vec<String> = running.dump().unwrap()["zones"]
        .as_array()
        .unwrap()
        .iter()
        .map(|zone| zone["id"].as_str().unwrap().to_owned())
        .collect();
    let client = super::support::client();
    let get = |n: u32, path: String| {
        let request = client.get(format!("{}{path}", running.base_url())).bearer_auth(secret(n));
        async move { reply(request).await }
    };
    // One permission only.
    assert_eq!(get(0, "/zones".to_owned()).await.column("name"), ["example.com", "example.net"]);
    assert_eq!(get(0, format!("/zones/{}", ids[0])).await.status, 200);
    for path in ["dns_records", "dnssec", "dns_settings", "settings/ssl"] {
        assert_eq!(
            get(0, format!("/zones/{}/{path}", ids[0])).await.refusal(),
            (403, 10000),
            "{path}"
        );
    }
    let rulesets = get(0, format!("/zones/{}/rulesets", ids[0])).await;
    assert_eq!(rulesets.body["errors"], json!([{ "message": "request is not authorized" }]));
    assert_eq!(get(0, format!("/accounts/{ACCOUNT_ID}/rules/lists")).await.refusal(), (403, 10000));
    let renamed =
        client.patch(format!("{}/zones/{}", running.base_url(), ids[0])).bearer_auth(secret(0));
    assert_eq!(
        reply(renamed.json(&json!({ "paused": true }))).await.refusal(),
        (403, 9109),
        "reading is not writing"
    );
    // Some zones.
    assert_eq!(get(1, "/zones".to_owned()).await.column("name"), ["example.net"]);
    assert_eq!(get(1, format!("/zones/{}", ids[0])).await.refusal(), (403, 9109));
    assert_eq!(get(1, format!("/zones/{}", ids[1])).await.status, 200);
    // The owner of the token, and its expiry.
    let (of_user, of_account) =
        ("/user/tokens/verify".to_owned(), format!("/accounts/{ACCOUNT_ID}/tokens/verify"));
    assert_eq!(get(0, of_user.clone()).await.result()["status"], "active");
    assert_eq!(get(0, of_account.clone()).await.refusal(), (401, 1000));
    assert_eq!(get(2, of_user.clone()).await.refusal(), (401, 1000));
    assert_eq!(get(2, of_account).await.result()["expires_on"], "2027-01-01T00:00:00Z");
    assert_eq!(get(3, of_user).await.result()["status"], "expired");
    assert_eq!(get(3, "/zones".to_owned()).await.refusal(), (403, 9109));
    running.shutdown().await;
}
