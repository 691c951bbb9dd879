//! Serves `/metrics` and `/healthz` of `watch` over HTTP for monitoring systems.
//!
//! Both report the result of the last successful round. There are no other paths and no way to
//! change anything.
//!
//! Clients must never stop a round, so they get few file descriptors and little time: a connection
//! carries one request, the request must arrive within seconds, and a new connection replaces the
//! oldest one if there are too many.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::api::Stop;
use crate::render::openmetrics;

/// Number of intervals without a successful round after which the watch is unhealthy.
const INTERVALS_UNTIL_UNHEALTHY: u32 = 3;

/// Maximum number of open connections. Each takes a file descriptor that the rounds could need.
const CONNECTIONS: usize = 16;

/// Maximum time until the head of a request has arrived.
const HEAD_TIME: Duration = Duration::from_secs(5);

/// Maximum time for a whole connection, slow readers included.
const CONNECTION_TIME: Duration = Duration::from_secs(30);

/// Maximum size of the head of a request, in bytes.
const HEAD_BYTES: usize = 16 * 1024;

/// Pause after a connection could not be accepted, as when file descriptors are short.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// State of the rounds so far.
#[derive(Debug)]
pub(super) struct Health {
    interval: Duration,
    /// Last successful round.
    good: Mutex<Option<Good>>,
}

/// A successful round.
#[derive(Debug)]
struct Good {
    /// End of the round.
    at: Instant,
    /// Metrics of the round, as text.
    metrics: String,
}

impl Health {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, good: Mutex::default() }
    }

    /// Records a successful round.
    pub(super) fn note(&self, metrics: String) {
        *self.good() = Some(Good { at: Instant::now(), metrics });
    }

    /// Returns the last successful round.
    fn good(&self) -> MutexGuard<'_, Option<Good>> {
        self.good.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the health at a moment. The error is the reason why the watch is unhealthy.
    fn judge(&self, now: Instant) -> Result<(), String> {
        let Some(since) = self.good().as_ref().map(|good| now.saturating_duration_since(good.at))
        else {
            return Err("no round has succeeded yet".to_owned());
        };
        if since <= self.interval.saturating_mul(INTERVALS_UNTIL_UNHEALTHY) {
            return Ok(());
        }
        let seconds = self.interval.as_secs_f64();
        Err(format!(
            "the last successful round was {} s ago, and one is due every {seconds} s",
            since.as_secs()
        ))
    }
}

/// Serves requests until it is stopped, and then finishes the open ones.
pub(super) async fn serve_metrics(listener: TcpListener, health: Arc<Health>, stop: Stop) {
    let mut open: VecDeque<JoinHandle<()>> = VecDeque::new();
    loop {
        let accepted = tokio::select! {
            () = stop.asked(1) => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                open.retain(|connection| !connection.is_finished());
                while open.len() >= CONNECTIONS {
                    if let Some(oldest) = open.pop_front() {
                        oldest.abort();
                        // The descriptor is free only after the task has ended. Its cancellation is
                        // expected.
                        let _ = oldest.await;
                    }
                }
                open.push_back(tokio::spawn(connection(stream, Arc::clone(&health), stop.clone())));
            }
            Err(error) => {
                tracing::debug!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    for connection in open {
        // A task that panicked sent no response, and its result is not needed.
        let _ = connection.await;
    }
}

/// Responds to one request and closes the connection.
async fn connection(stream: TcpStream, health: Arc<Health>, stop: Stop) {
    let answer = service_fn(move |request| {
        let response = metrics_response(&health, &request);
        async move { Ok::<_, Infallible>(response) }
    });
    let http = http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(HEAD_BYTES)
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), answer);
    let answered = timeout(CONNECTION_TIME, async {
        let mut http = pin!(http);
        tokio::select! {
            answered = http.as_mut() => answered,
            () = stop.asked(1) => {
                http.as_mut().graceful_shutdown();
                http.await
            }
        }
    });
    match answered.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::debug!(%error, "no response could be sent to a client of the metrics")
        }
        Err(_) => tracing::debug!("a client of the metrics took too long"),
    }
}

/// Returns the response to a request.
fn metrics_response(health: &Health, request: &Request<Incoming>) -> Response<String> {
    let (status, kind, body) = match request.uri().path() {
        "/metrics" | "/healthz" if !matches!(*request.method(), Method::GET | Method::HEAD) => {
            (StatusCode::METHOD_NOT_ALLOWED, TEXT, String::new())
        }
        "/metrics" => match health.good().as_ref() {
            Some(good) => (StatusCode::OK, openmetrics::CONTENT_TYPE, good.metrics.clone()),
            None => {
                (StatusCode::SERVICE_UNAVAILABLE, TEXT, "no round has succeeded yet\n".to_owned())
            }
        },
        "/healthz" => match health.judge(Instant::now()) {
            Ok(()) => (StatusCode::OK, TEXT, "ok\n".to_owned()),
            Err(why) => (StatusCode::SERVICE_UNAVAILABLE, TEXT, format!("{why}\n")),
        },
        _ => (StatusCode::NOT_FOUND, TEXT, String::new()),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

/// `Content-Type` of all responses except metrics.
const TEXT: &str = "text/plain; charset=utf-8";

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::api::Stopper;

    /// Returns the text that a client reads if it sends these bytes and then waits.
    async fn read_after(address: std::net::SocketAddr, sent: &[u8]) -> String {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(sent).await.unwrap();
        let mut answer = Vec::new();
        // A reset ends it as well.
        let _ = client.read_to_end(&mut answer).await;
        String::from_utf8(answer).unwrap()
    }

    /// The clock jumps to the next timer while no task can run, so the test tries time-outs without
    /// waiting.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_is_silent_or_slow_is_let_go() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stopper = Stopper::new();
        let health = Arc::new(Health::new(Duration::from_secs(1)));
        let server = tokio::spawn(serve_metrics(listener, health, stopper.listener()));
        assert_eq!(read_after(address, b"").await, "", "silent from the beginning");
        let partial = read_after(address, b"GET /healthz HTTP/1.1\r\nhost: x\r\n").await;
        assert!(!partial.contains("200 OK"), "{partial}");
        let served = read_after(address, b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert!(
            served.starts_with("HTTP/1.1 503 ") && served.ends_with("no round has succeeded yet\n"),
            "{served}"
        );
        let head =
            [b"GET /healthz HTTP/1.1\r\nhost: ".as_slice(), &[b'x'; 2 * HEAD_BYTES], b"\r\n\r\n"]
                .concat();
        assert!(!read_after(address, &head).await.contains("no round"), "a head without end");
        let posted =
            read_after(address, b"POST /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")
                .await;
        assert!(posted.starts_with("HTTP/1.1 405 "), "{posted}");
        stopper.ask();
        server.await.unwrap();
    }

    #[test]
    fn three_intervals_are_the_limit() {
        let health = Health::new(Duration::from_secs(10));
        let begin = Instant::now();
        assert!(health.judge(begin).unwrap_err().contains("yet"));
        health.note(String::new());
        let at = health.good().as_ref().unwrap().at;
        assert_eq!(health.judge(at + Duration::from_secs(30)), Ok(()));
        let why = health.judge(at + Duration::from_secs(31)).unwrap_err();
        assert_eq!(why, "the last successful round was 31 s ago, and one is due every 10 s");
        // A clock that goes back does not make the process unhealthy.
        assert_eq!(health.judge(begin), Ok(()));
    }
}
