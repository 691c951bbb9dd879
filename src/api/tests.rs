//! Tests the client against a scripted server: requests, retries, reports, and that no secret
//! leaks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use secrecy::SecretString;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::scripted_server::{Reaction, Scripted, bad, good, response};
use super::{
    ApiError, ApiEvent, Client, Credentials, Reader, Settings, Signature, WaitReason, Writer,
};
use crate::wire::{Method, Request};

/// A token that must not appear anywhere.
const TOKEN: &str = "hush-token-0123456789";

/// A key that must not appear anywhere.
const KEY: &str = "hush-key-0123456789";

/// An email address that must not appear anywhere.
const EMAIL: &str = "hush@example.com";

fn token() -> Credentials {
    Credentials::Token(SecretString::from(TOKEN))
}

/// Credentials with a key.
fn key() -> Credentials {
    Credentials::Key { email: SecretString::from(EMAIL), key: SecretString::from(KEY) }
}

/// Credentials with a token and a key.
fn both() -> Credentials {
    let Credentials::Key { email, key } = key() else { unreachable!() };
    Credentials::TokenThenKey { token: SecretString::from(TOKEN), email, key }
}

/// Returns a client without delays of its own.
fn client(url: &str, credentials: Credentials) -> Client {
    client_with(Settings::new(url, credentials)).0
}

/// Returns a client without delays of its own, and the events that it emits.
fn client_with(settings: Settings) -> (Client, Arc<Mutex<Vec<ApiEvent>>>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let observer: super::Observer =
        Arc::new(move |event: &ApiEvent| seen.lock().unwrap().push(event.clone()));
    let client = Client::with_delays(Settings { observer, ..settings }, Duration::ZERO).unwrap();
    (client, events)
}

fn list() -> Request {
    Request::new(Method::Get, "/zones").query("name", "example.com")
}

fn create() -> Request {
    Request::new(Method::Post, "/zones/a/dns_records").body(json!({ "type": "A" }))
}

#[tokio::test]
async fn a_token_is_sent_as_bearer_and_nothing_else() {
    let server = Scripted::play(vec![good("[1]"), good("{}")]).await;
    let client = client(&format!("{}/client/v4/", server.url), token());
    assert_eq!(client.reader().read(&list()).await.unwrap().result, json!([1]));
    client.writer().write(&create()).await.unwrap();
    let received = server.received();
    assert!(
        received[0].starts_with("GET /client/v4/zones?name=example.com HTTP/1.1\r\n"),
        "{}",
        received[0]
    );
    assert!(
        received[0].contains(&format!("authorization: Bearer {TOKEN}\r\n"))
            && !received[0].contains("x-auth")
    );
    assert!(received[0].contains(concat!("user-agent: zonewright/", env!("CARGO_PKG_VERSION"))));
    assert!(received[1].starts_with("POST /client/v4/zones/a/dns_records HTTP/1.1\r\n"));
    assert!(
        received[1].contains("content-type: application/json\r\n")
            && received[1].ends_with(r#"{"type":"A"}"#)
    );
    assert_eq!(client.requests(), 2);
}

#[tokio::test]
async fn a_key_is_sent_in_its_own_headers_and_nothing_else() {
    let server = Scripted::play(vec![good("[]")]).await;
    client(&server.url, key()).reader().read(&list()).await.unwrap();
    let received = &server.received()[0];
    assert!(
        received.contains(&format!("x-auth-email: {EMAIL}\r\n"))
            && received.contains(&format!("x-auth-key: {KEY}\r\n"))
    );
    assert!(!received.contains("authorization"));
}

#[tokio::test]
async fn the_key_follows_where_the_token_is_refused_and_is_remembered() {
    let server = Scripted::play(vec![
        bad("403 Forbidden", 10000, "Authentication error"),
        good("1"),
        good("2"),
        bad("403 Forbidden", 9109, "Unauthorized to access requested resource"),
        bad("400 Bad Request", 9103, "Unknown X-Auth-Key or X-Auth-Email"),
        bad("400 Bad Request", 9021, "Invalid TTL"),
    ])
    .await;
    let client = client(&server.url, both());
    client.reader().read(&list()).await.unwrap();
    client.reader().read(&list()).await.unwrap();
    let error = client.writer().write(&create()).await.unwrap_err();
    assert!(
        matches!(error, ApiError::Refused { status: 403, signature: Signature::Both, .. }),
        "{error:?}"
    );
    let error = client.writer().write(&create()).await.unwrap_err();
    assert!(error.has_code(9021), "a refusal of the content is no matter for the key");
    let by_key: Vec<bool> =
        server.received().iter().map(|request| request.contains("x-auth-key")).collect();
    assert_eq!(by_key, [false, true, true, false, true, false]);
}

#[tokio::test]
async fn redirections_are_never_followed() {
    let elsewhere = Scripted::play(vec![good("[]")]).await;
    let location = format!("location: {}/?secret={TOKEN}", elsewhere.url);
    let server = Scripted::play(vec![response("302 Found", &[&location], "")]).await;
    let error = client(&server.url, token()).reader().read(&list()).await.unwrap_err();
    assert!(
        matches!(error, ApiError::Redirected { status: 302, .. })
            && !error.to_string().contains(TOKEN),
        "{error}"
    );
    assert!(elsewhere.received().is_empty());
}

#[tokio::test]
async fn a_429_is_obeyed_for_reads_and_writes() {
    let busy = || response("429 Too Many Requests", &["retry-after: 0"], "slow down");
    let server = Scripted::play(vec![
        busy(),
        good("[]"),
        busy(),
        bad("500 Internal Server Error", 971, "Please wait"),
    ])
    .await;
    let (client, events) =
        client_with(Settings { attempts: 2, ..Settings::new(&server.url, token()) });
    client.reader().read(&list()).await.unwrap();
    // The second response to the write gives no time, so it means five minutes; the last attempt
    // does not wait.
    let error = client.writer().write(&create()).await.unwrap_err();
    assert!(
        matches!(error, ApiError::Throttled { status: 500, wait: Some(wait), .. } if wait.as_secs() == 300),
        "{error:?}"
    );
    assert!(!error.is_uncertain() && error.has_code(971));
    let events = events.lock().unwrap();
    assert_eq!(
        events
            .iter()
            .filter(|event| matches!(event, ApiEvent::Retrying { attempt: 2, .. }))
            .count(),
        2
    );
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, ApiEvent::Waiting { reason: WaitReason::BackOff, .. }))
    );
}

#[tokio::test]
async fn a_request_to_wait_a_day_is_an_error() {
    let server =
        Scripted::play(vec![response("429 Too Many Requests", &["retry-after: 86400"], "")]).await;
    let error = client(&server.url, token()).reader().read(&list()).await.unwrap_err();
    assert!(error.to_string().ends_with("(asked to wait 86400 s)"), "{error}");
}

#[tokio::test]
async fn a_page_of_html_is_read_again_but_leaves_a_write_uncertain() {
    let page = || {
        response(
            "502 Bad Gateway",
            &["content-type: text/html"],
            "<html><h1>502 Bad Gateway</h1></html>",
        )
    };
    let server = Scripted::play(vec![page(), page(), good("[]"), page()]).await;
    let client = client(&server.url, token());
    client.reader().read(&list()).await.unwrap();
    let error = client.writer().write(&create()).await.unwrap_err();
    assert!(
        error.is_uncertain() && error.status() == Some(502) && !error.is_no_such_route(),
        "{error:?}"
    );
    assert_eq!(server.received().len(), 4);
}

#[tokio::test]
async fn a_reset_is_read_again_but_leaves_a_write_uncertain() {
    let server = Scripted::play(vec![Reaction::Reset, good("[]"), Reaction::Reset]).await;
    let client = client(&server.url, token());
    client.reader().read(&list()).await.unwrap();
    let error = client.writer().write(&create()).await.unwrap_err();
    assert!(error.is_uncertain() && matches!(error, ApiError::Lost { .. }), "{error:?}");
}

#[tokio::test]
async fn a_timeout_leaves_a_write_uncertain() {
    let server = Scripted::play(vec![Reaction::Silence]).await;
    let settings =
        Settings { timeout: Duration::from_millis(200), ..Settings::new(&server.url, token()) };
    let error = client_with(settings).0.writer().write(&create()).await.unwrap_err();
    assert!(error.is_uncertain(), "{error:?}");
    assert!(error.advice().unwrap().contains("--timeout"));
}

#[tokio::test]
async fn a_refused_connection_had_no_effect() {
    let nobody = Scripted::play(vec![]).await;
    // The server stops listening as soon as its script is empty.
    while tokio::net::TcpStream::connect(nobody.url.trim_start_matches("http://")).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let (client, events) =
        client_with(Settings { attempts: 3, ..Settings::new(&nobody.url, token()) });
    let error = client.writer().write(&create()).await.unwrap_err();
    assert!(matches!(error, ApiError::Unreached { .. }) && !error.is_uncertain(), "{error:?}");
    assert_eq!(error.to_string(), "connect for POST /zones/a/dns_records");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.to_lowercase().contains("refused"), "{source}");
    assert!(error.advice().unwrap().contains("nothing listens"));
    let retries = events
        .lock()
        .unwrap()
        .iter()
        .filter(|event| matches!(event, ApiEvent::Retrying { .. }))
        .count();
    assert_eq!(retries, 2);
}

#[tokio::test]
async fn a_failed_handshake_had_no_effect() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let settings = Settings { attempts: 1, ..Settings::new(url, token()) };
    let Ok(client) = Client::new(settings) else { return };
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut hello = [0; 5];
        stream.read_exact(&mut hello).await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        stream
    });
    let error = client.writer().write(&create()).await.unwrap_err();
    assert!(matches!(error, ApiError::Unreached { .. }) && !error.is_uncertain(), "{error:?}");
    assert!(error.advice().unwrap().contains("TLS handshake"), "{error:?}");
    drop(server.await);
}

#[tokio::test]
async fn a_cut_answer_is_read_again_but_leaves_a_write_uncertain() {
    let cut = || response("200 OK", &["content-length: 500"], r#"{"result":["#);
    let short = || response("200 OK", &[], r#"{"result":["#);
    let server = Scripted::play(vec![
        cut(),
        short(),
        response("200 OK", &[], "ok"),
        good("[]"),
        cut(),
        short(),
    ])
    .await;
    let client = client(&server.url, token());
    client.reader().read(&list()).await.unwrap();
    assert!(client.writer().write(&create()).await.unwrap_err().is_uncertain());
    let error = client.writer().write(&create()).await.unwrap_err();
    assert!(
        error.is_uncertain() && matches!(error, ApiError::Garbled { status: 200, .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_absurd_length_is_an_error_at_once() {
    let server =
        Scripted::play(vec![response("200 OK", &["content-length: 9000000000000000"], "{}")]).await;
    let error = client(&server.url, token()).reader().read(&list()).await.unwrap_err();
    assert!(matches!(error, ApiError::TooLarge { .. }), "{error:?}");
}

#[tokio::test]
async fn compressed_answers_are_read() {
    // {"success":true,"result":["squeezed"],"errors":[],"messages":[]}
    let squeezed: [u8; 77] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 42, 46, 77, 78, 78, 45, 46, 86, 178, 42, 41, 42,
        77, 213, 81, 42, 74, 45, 46, 205, 41, 81, 178, 138, 86, 42, 46, 44, 77, 77, 173, 74, 77,
        81, 138, 213, 81, 74, 45, 42, 202, 47, 2, 170, 137, 6, 178, 115, 129, 170, 19, 211, 83,
        193, 188, 90, 0, 12, 68, 65, 55, 64, 0, 0, 0,
    ];
    let server =
        Scripted::play(vec![response("200 OK", &["content-encoding: gzip"], squeezed)]).await;
    let envelope = client(&server.url, token()).reader().read(&list()).await.unwrap();
    assert_eq!(envelope.result, json!(["squeezed"]));
    assert!(server.received()[0].contains("accept-encoding: gzip"));
}

#[tokio::test]
async fn definite_refusals_are_not_repeated() {
    let server = Scripted::play(vec![
        bad("400 Bad Request", 81058, "An identical record already exists."),
        bad("200 OK", 1234, "no"),
        bad("404 Not Found", 7000, "No route for that URI"),
        response("404 Not Found", &[], "<html>nothing here</html>"),
    ])
    .await;
    let client = client(&server.url, token());
    assert!(client.writer().write(&create()).await.unwrap_err().has_code(81058));
    let error = client.writer().write(&create()).await.unwrap_err();
    assert_eq!((error.status(), error.messages().len()), (Some(200), 1));
    assert!(error.is_contradictory());
    for _ in 0..2 {
        let error = client.writer().write(&create()).await.unwrap_err();
        assert!(error.is_no_such_route() && !error.is_uncertain());
    }
    assert_eq!(client.requests(), 4);
}

#[tokio::test]
async fn a_no_under_200_is_read_again() {
    let server = Scripted::play(vec![bad("200 OK", 1234, "no"), good("[]")]).await;
    let client = client(&server.url, token());
    client.reader().read(&list()).await.unwrap();
    assert_eq!(client.requests(), 2);
}

#[tokio::test]
async fn echoed_secrets_are_redacted() {
    let pad = "x".repeat(110);
    let server = Scripted::play(vec![
        bad(
            "400 Bad Request",
            6003,
            &format!("bad header `Bearer {TOKEN}` of {}", EMAIL.to_uppercase()),
        ),
        response(
            "403 Forbidden",
            &[],
            r#"{"success":false,"errors":[{"message":"no \u0068ush\u002dkey-0123456789"}]}"#,
        ),
        response("500 Oops", &[], format!("{pad}{TOKEN}")),
        response("500 Oops", &[], format!("<html>{KEY}</html>")),
    ])
    .await;
    let Credentials::TokenThenKey { token, email, key } = both() else { unreachable!() };
    let settings = Settings {
        attempts: 2,
        ..Settings::new(&server.url, Credentials::TokenThenKey { token, email, key })
    };
    let (client, events) = client_with(settings);
    let first = client.reader().read(&list()).await.unwrap_err();
    assert!(first.to_string().contains("[redacted]"), "{first}");
    let second = client.reader().read(&list()).await.unwrap_err();
    let all =
        format!("{first} {first:?} {second} {second:?} {client:?} {:?}", events.lock().unwrap())
            .to_lowercase();
    assert!(!all.contains("hush"), "{all}");
}

#[tokio::test]
async fn data_is_not_redacted() {
    let server = Scripted::play(vec![good(&format!("\"{EMAIL}\""))]).await;
    let envelope = client(&server.url, key()).reader().read(&list()).await.unwrap();
    assert_eq!(envelope.result, json!(EMAIL));
}

#[tokio::test]
async fn each_handle_does_one_thing() {
    let client = client("http://127.0.0.1:9", token());
    assert!(matches!(client.reader().read(&create()).await, Err(ApiError::Misused { .. })));
    assert!(matches!(client.writer().write(&list()).await, Err(ApiError::Misused { .. })));
    let sideways = Request::new(Method::Get, "/zones/../user");
    assert!(matches!(client.reader().read(&sideways).await, Err(ApiError::Misused { .. })));
    assert_eq!(client.requests(), 0);
}

#[test]
fn unusable_settings_are_refused() {
    let refused = |settings: Settings| Client::new(settings).unwrap_err().to_string();
    let plain = refused(Settings::new("http://api.example.com", token()));
    assert!(plain.contains("it must use https:// (http:// only for localhost)"), "{plain}");
    assert!(
        refused(Settings::new("https://me:hush@api.example.com", token())).contains("password")
    );
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(Settings { max_rps: Some(rate), ..Settings::new("http://localhost", token()) });
    }
    refused(Settings { timeout: Duration::ZERO, ..Settings::new("http://localhost", token()) });
    assert!(
        !format!("{:?}", Settings::new("https://me:hush@api.example.com", token()))
            .contains("hush")
    );
    // A machine without any root certificates cannot use TLS, and the error says so.
    if let Err(error) = Client::new(Settings::new(Settings::BASE_URL, token())) {
        assert!(error.advice().unwrap().contains("SSL_CERT_FILE"), "{error:?}");
    }
}
