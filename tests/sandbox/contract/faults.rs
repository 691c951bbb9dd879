//! Scripted failures.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use zonewright::sandbox::{Fault, Gzip, Profile, SandboxOptions, What, When};

use super::support::{Bench, a};

/// Returns a sandbox whose nth POST of a record fails.
async fn bench(nth: u64, what: What, times: u64) -> Bench {
    let when = When::Matching {
        method: Some("POST".to_owned()),
        path_suffix: "/dns_records".to_owned(),
        nth,
    };
    Bench::start(SandboxOptions {
        faults: vec![Fault { when, what, times }],
        ..SandboxOptions::default()
    })
    .await
}

/// Returns the number of records.
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
    assert!(
        reply.status == 200 && reply.body.is_null() && reply.text.starts_with("{\"result\""),
        "{reply:?}"
    );
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
    bench.running.add_fault(fault(What::AnotherWriter {
        method: "POST".into(),
        path,
        body: a("www", "192.0.2.1"),
    }));
    let cname = json!({"type": "CNAME", "name": "www", "content": "o.example.net"});
    assert_eq!(bench.post(cname).await.refusal(), (400, 81053));
    assert_eq!(bench.running.requests().len(), 1);

    let stale =
        When::Matching { method: Some("GET".into()), path_suffix: "/dns_records".into(), nth: 2 };
    bench.running.add_fault(Fault { when: stale, what: What::StaleRead, times: 1 });
    assert_eq!(count(&bench).await, 1);
    bench.post(a("api", "192.0.2.1")).await.result();
    assert_eq!(count(&bench).await, 1);
    assert_eq!(count(&bench).await, 2);
}

/// Returns the answer to a create that is struck by a fault, and the number of records after it.
async fn struck(what: What) -> (Result<(u16, String), reqwest::Error>, u64) {
    let bench = bench(1, what, 1).await;
    let answer = async {
        let response = bench
            .request(Method::POST, &bench.records())
            .json(&a("n1", "192.0.2.1"))
            .send()
            .await?;
        Ok((response.status().as_u16(), response.text().await?))
    };
    (answer.await, count(&bench).await)
}

#[tokio::test]
async fn connections_that_end_or_never_end_well() {
    for (what, effect) in [
        (What::CloseBeforeEffect, 0),
        (What::CloseAfterEffect, 1),
        (What::WrongLength { by: 5 }, 1),
        (What::Gzip(Gzip::Truncated), 1),
        (What::Gzip(Gzip::Corrupt), 1),
        (What::Gzip(Gzip::Plain), 1),
    ] {
        let (answer, count) = struck(what.clone()).await;
        assert!(answer.is_err(), "{what:?}: {answer:?}");
        assert_eq!(count, effect, "{what:?}");
    }
}

#[tokio::test]
async fn answers_that_arrive_and_are_not_as_they_should_be() {
    let whole = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    let text = |member: &str| What::LongText { member: member.to_owned(), bytes: 100_000 };
    type Check = fn(&str) -> bool;
    let cases: [(What, Check); 11] = [
        (What::InvalidJson, |text| text.starts_with('{') && text.ends_with(']')),
        (What::EmptyBody, str::is_empty),
        (What::WrongLength { by: -5 }, |text| text.starts_with('{') && !text.ends_with('}')),
        (What::Gzip(Gzip::Correct), |text| text.ends_with('}')),
        (What::Drip { milliseconds: 0 }, |text| text.ends_with('}')),
        (What::Replace { member: "content".into(), value: json!([7]) }, |text| {
            text.contains(r#""content":[7]"#)
        }),
        (What::Without { member: "id".into() }, |text| !text.contains(r#""id""#)),
        (What::Extra, |text| text.matches("x_object").count() > 1),
        (text("content"), |text| text.len() > 100_000),
        (What::Deep { levels: 100_000 }, |text| text.len() > 200_000),
        (What::Padded { bytes: 1_000_001 }, |text| text.len() > 1_000_001 && text.ends_with("  ")),
    ];
    for (what, is_so) in cases {
        let (answer, count) = struck(what.clone()).await;
        let (status, text) = answer.unwrap();
        assert!(status == 200 && is_so(&text), "{what:?}: {text:.300}");
        let good = !matches!(
            what,
            What::InvalidJson | What::EmptyBody | What::WrongLength { .. } | What::Deep { .. }
        );
        assert_eq!((whole(&text), count), (good, 1), "{what:?}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_accepted_later_at_the_same_address() {
    let bench = bench(1, What::ConnectionRefused { milliseconds: 3_600_000 }, 1).await;
    let post = || bench.request(Method::POST, &bench.records()).json(&a("n1", "192.0.2.1")).send();
    assert!(!post().await.unwrap_err().is_connect(), "it is cut");
    for _ in 0..3 {
        assert!(post().await.unwrap_err().is_connect(), "nothing listens");
    }
    bench.running.reopen().await;
    assert_eq!(post().await.unwrap().status(), 200);
    assert_eq!(count(&bench).await, 1);
    // It ends by itself after its time.
    let brief = What::ConnectionRefused { milliseconds: 1 };
    bench.running.add_fault(Fault { when: When::Request(1), what: brief, times: 1 });
    assert!(post().await.is_err());
    while let Err(error) = bench.request(Method::GET, &bench.records()).send().await {
        assert!(error.is_connect(), "{error}");
    }
    bench.running.add_fault(Fault { when: When::Request(1), what: What::EmptyBody, times: 9 });
    bench.running.clear_faults().await;
    assert_eq!(count(&bench).await, 1);
}

#[tokio::test]
async fn redirects_refused_tokens_and_another_writer() {
    let bench = Bench::new().await;
    let fault = |what| bench.running.add_fault(Fault { when: When::Request(1), what, times: 1 });
    fault(What::Redirect { code: 302, to: "https://example.com/x".into() });
    let client =
        reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let url = format!("{}{}", bench.running.base_url(), bench.records());
    let answer = client.get(url).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["location"]),
        (302, &"https://example.com/x".parse().unwrap())
    );
    fault(What::TokenRefused { status: 401, code: 1000 });
    assert_eq!(bench.post(a("n1", "192.0.2.1")).await.refusal(), (401, 1000));
    let (method, path) = ("POST".to_owned(), bench.records());
    fault(What::AnotherWriterAfter { method, path, body: a("n2", "192.0.2.2") });
    assert_eq!(count(&bench).await, 0);
    assert_eq!(count(&bench).await, 1);
}
