//! What `watch` tells monitoring systems over HTTP: `/metrics` and `/healthz`.
//!
//! Both say what the last good round found. There is nothing else to ask for and no way to change anything.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;

use crate::render::openmetrics::CONTENT_TYPE;

/// Intervals without a good round after which the watch is not well.
const PATIENCE: u32 = 3;

/// What is known of the rounds so far.
#[derive(Debug)]
pub(super) struct Health {
    /// Time between rounds.
    interval: Duration,
    /// The last good round.
    good: Mutex<Option<Good>>,
}

/// A round that went well.
#[derive(Debug)]
struct Good {
    /// When it ended.
    at: Instant,
    /// What it found.
    metrics: String,
}

impl Health {
    /// Before the first round.
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, good: Mutex::default() }
    }

    /// A round went well.
    pub(super) fn note(&self, metrics: String) {
        *self.good() = Some(Good { at: Instant::now(), metrics });
    }

    /// The last good round.
    fn good(&self) -> MutexGuard<'_, Option<Good>> {
        self.good.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all is well at a moment; if not, why.
    fn judge(&self, now: Instant) -> Result<(), String> {
        let Some(since) = self.good().as_ref().map(|good| now.saturating_duration_since(good.at)) else {
            return Err("no round has gone well yet".to_owned());
        };
        if since <= self.interval.saturating_mul(PATIENCE) {
            return Ok(());
        }
        let seconds = self.interval.as_secs_f64();
        Err(format!("the last good round is {} s ago, and one is due every {seconds} s", since.as_secs()))
    }
}

/// Answers until told to stop.
///
/// # Errors
/// Those of the listener.
pub(super) async fn serve(
    listener: TcpListener,
    health: Arc<Health>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let routes = Router::new().route("/metrics", get(metrics)).route("/healthz", get(healthz)).with_state(health);
    axum::serve(listener, routes).with_graceful_shutdown(stop).await
}

/// What the last good round found.
async fn metrics(State(health): State<Arc<Health>>) -> Response {
    match health.good().as_ref() {
        Some(good) => ([(header::CONTENT_TYPE, CONTENT_TYPE)], good.metrics.clone()).into_response(),
        None => (StatusCode::SERVICE_UNAVAILABLE, "no round has gone well yet\n").into_response(),
    }
}

/// Whether rounds go well.
async fn healthz(State(health): State<Arc<Health>>) -> Response {
    match health.judge(Instant::now()) {
        Ok(()) => (StatusCode::OK, "ok\n").into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_intervals_are_the_limit() {
        let health = Health::new(Duration::from_secs(10));
        let begin = Instant::now();
        assert!(health.judge(begin).unwrap_err().contains("yet"));
        health.note(String::new());
        let at = health.good().as_ref().unwrap().at;
        assert_eq!(health.judge(at + Duration::from_secs(30)), Ok(()));
        let why = health.judge(at + Duration::from_secs(31)).unwrap_err();
        assert_eq!(why, "the last good round is 31 s ago, and one is due every 10 s");
        // A clock that goes back is no reason to worry.
        assert_eq!(health.judge(begin), Ok(()));
    }
}
