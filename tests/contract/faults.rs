//! Scripted failures.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use zonewright::sandbox::{Fault, Options, Profile, What, When};

use crate::support::{Bench, a};

/// A sandbox whose nth POST of a record fails.
async fn bench(nth: u64, what: What, times: u64) -> Bench {
    let when = When::Matching { method: Some("POST".to_owned()), path_suffix: "/dns_records".to_owned(), nth };
    Bench::start(Options { faults: vec![Fault { when, what, times }], ..Options::default() }).await
}

/// How many records there are.
async fn count(bench: &Bench) -> u64 {
    bench.list("").await.body["result_info"]["total_count"].as_u64().unwrap()
}

#[tokio::test]
async fn refusals_without_effect() {
    let unavailable = What::Status { code: 503, html: false, retry_after: None };
    let bench = bench(2, unavailable, 2).await;
    assert_eq!(bench.post(a("n1", "192.0.2.1")).await.status, 200);
    let refused = bench.post(a("n2", "192.0.2.1")).await;
    assert_eq!((refused.status, refused.body["success"].as_bool()), (503, Some(false)));
    assert_eq!(bench.post(a("n2", "192.0.2.1")).await.status, 503);
    assert_eq!(bench.post(a("n2", "192.0.2.1")).await.status, 200);
    assert_eq!(count(&bench).await, 2);

    let outage = What::Status { code: 522, html: true, retry_after: Some(120) };
    bench.running.add_fault(Fault { when: When::Request(1), what: outage, times: 1 });
    let page = bench.list("").await;
    assert_eq!((page.status, page.headers["retry-after"].to_str().unwrap()), (522, "120"));
    assert_eq!(page.headers["content-type"], "text/html");
    for what in [What::NotJson200, What::SuccessFalse200] {
        bench.running.add_fault(Fault { when: When::Request(1), what, times: 1 });
        let reply = bench.post(a("n3", "192.0.2.1")).await;
        assert_eq!((reply.status, reply.body["success"] == true), (200, false));
    }
    assert_eq!(count(&bench).await, 2);
}

#[tokio::test]
async fn resets_with_and_without_effect() {
    for (what, effect) in [
        (What::ResetBeforeEffect, 0),
        (What::ResetAfterEffect, 1),
        (What::ResetMidBody, 1),
        (What::Stall { milliseconds: 1 }, 1),
    ] {
        let bench = bench(1, what.clone(), 1).await;
        let request = bench.request(Method::POST, &bench.records()).json(&a("n1", "192.0.2.1"));
        let answer = match request.send().await {
            Ok(response) => {
                assert_eq!(what, What::ResetMidBody);
                assert_eq!(response.status(), 200);
                response.text().await
            }
            Err(error) => Err(error),
        };
        assert!(answer.is_err(), "{what:?}");
        assert_eq!(count(&bench).await, effect, "{what:?}");
        assert_eq!(bench.running.requests()[0].status.is_some(), what == What::ResetMidBody);
    }
}

#[tokio::test]
async fn answers_that_cannot_be_used_after_the_effect() {
    let cut = bench(1, What::TruncateBody, 1).await;
    let reply = cut.post(a("n1", "192.0.2.1")).await;
    assert!(reply.status == 200 && reply.body.is_null() && reply.text.starts_with("{\"result\""), "{reply:?}");
    assert_eq!(count(&cut).await, 1);
    let lost = bench(1, What::StatusAfterEffect { code: 502 }, 1).await;
    assert_eq!(lost.post(a("n1", "192.0.2.1")).await.status, 502);
    assert_eq!(count(&lost).await, 1);
}

#[tokio::test]
async fn late_answers() {
    let late = bench(1, What::Delay { milliseconds: 30 }, 1).await;
    let start = Instant::now();
    assert_eq!(late.post(a("n1", "192.0.2.1")).await.status, 200);
    assert!(start.elapsed() >= Duration::from_millis(30));
    let slow = Bench::with(Profile { latency_milliseconds: 30, ..Profile::default() }).await;
    let start = Instant::now();
    slow.list("").await;
    assert!(start.elapsed() >= Duration::from_millis(30));
}

#[tokio::test]
async fn another_writer_and_stale_reads() {
    let bench = Bench::new().await;
    let fault = |what| Fault { when: When::Request(1), what, times: 1 };
    let path = bench.records();
    bench.running.add_fault(fault(What::AnotherWriter { method: "POST".into(), path, body: a("www", "192.0.2.1") }));
    let cname = json!({"type": "CNAME", "name": "www", "content": "o.example.net"});
    assert_eq!(bench.post(cname).await.refusal(), (400, 81053));
    assert_eq!(bench.running.requests().len(), 1);

    let stale = When::Matching { method: Some("GET".into()), path_suffix: "/dns_records".into(), nth: 2 };
    bench.running.add_fault(Fault { when: stale, what: What::StaleRead, times: 1 });
    assert_eq!(count(&bench).await, 1);
    bench.post(a("api", "192.0.2.1")).await.result();
    assert_eq!(count(&bench).await, 1);
    assert_eq!(count(&bench).await, 2);
}
