//! The HTTP side: takes requests in, lets faults and limits have their way, logs, and sends answers out.
//!
//! Order of one request: fault, delay, rate limit, handling in a transaction of its own on a blocking thread, log, answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use rusqlite::{Connection, TransactionBehavior};
use serde_json::{Value, json};

use super::auth::{Credentials, Scheme};
use super::call::Call;
use super::clock;
use super::conflicts::RecentDeletions;
use super::connection::Link;
use super::envelope::{Answer, Outcome, Refusal};
use super::faults::{Script, What};
use super::fresh::FreshZones;
use super::limits::{Budget, Limiter};
use super::log::{Log, LoggedRequest};
use super::profile::{ErrorStyle, Profile};
use super::router::{self, BASE, Incoming};

/// Largest body that is read, in bytes: a full batch of the longest TXT records, with room to spare.
const BODY_BYTES: usize = 64 << 20;

/// Everything that requests share.
pub(super) struct Service {
    /// The store.
    connection: Mutex<Connection>,
    /// The switches.
    pub(super) profile: Profile,
    /// Who is let in.
    credentials: Credentials,
    /// Where identifiers come from.
    seed: u64,
    /// The last requests.
    log: Mutex<Log>,
    /// Faults to come.
    script: Mutex<Script>,
    /// Bodies of earlier reads by path with query, kept only while the script has stale reads.
    earlier: Mutex<HashMap<String, String>>,
    /// The rate limit's state.
    limiter: Mutex<Limiter>,
    /// Names that still count as taken.
    recent: RecentDeletions,
    /// Zones that nobody is let into yet.
    fresh: FreshZones,
}

/// Locks, also after a panic elsewhere: every change of the shared state is complete in itself.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service {
    /// A service on a store.
    pub(super) fn new(
        connection: Connection,
        profile: Profile,
        credentials: Credentials,
        seed: u64,
        script: Script,
    ) -> Self {
        Self {
            connection: Mutex::new(connection),
            profile,
            credentials,
            seed,
            log: Mutex::default(),
            script: Mutex::new(script),
            earlier: Mutex::default(),
            limiter: Mutex::default(),
            recent: RecentDeletions::default(),
            fresh: FreshZones::default(),
        }
    }

    /// The last requests, in the order of arrival.
    pub(super) fn requests(&self) -> Vec<LoggedRequest> {
        lock(&self.log).requests()
    }

    /// Adds a fault.
    pub(super) fn push_fault(&self, fault: super::Fault) {
        lock(&self.script).push(fault);
    }

    /// Runs something in a transaction that is kept only if it succeeds.
    pub(super) fn transact<T, E: From<rusqlite::Error>>(
        &self,
        turn: u64,
        work: impl FnOnce(&Call<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = lock(&self.connection);
        let now = clock::now();
        // Immediate, so that another process on the same file is waited for at the beginning and not in the middle.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (profile, seed, recent, fresh) = (&self.profile, self.seed, &self.recent, &self.fresh);
        let result = work(&Call { connection: &transaction, profile, seed, now: &now, recent, fresh, turn })?;
        transaction.commit()?;
        Ok(result)
    }

    /// Runs something that only reads.
    pub(super) fn read<T, E>(&self, turn: u64, work: impl FnOnce(&Call<'_>) -> Result<T, E>) -> Result<T, E> {
        let connection = lock(&self.connection);
        let now = clock::now();
        let (profile, seed, recent, fresh) = (&self.profile, self.seed, &self.recent, &self.fresh);
        work(&Call { connection: &connection, profile, seed, now: &now, recent, fresh, turn })
    }

    /// Answers one request.
    fn handle(&self, turn: u64, incoming: &Incoming) -> Outcome<Answer> {
        let work = |call: &Call<'_>| router::answer(call, &self.credentials, incoming);
        let outcome = if incoming.is_write() { self.transact(turn, work) } else { self.read(turn, work) };
        match self.profile.errors {
            ErrorStyle::Direct => outcome,
            ErrorStyle::Chain => outcome.map_err(Refusal::chained),
        }
    }
}

impl Service {
    /// Answers one request under the faults that concern the state.
    fn reply(&self, turn: u64, incoming: &Incoming, fault: Option<&What>) -> Reply {
        if let Some(What::AnotherWriter { method, path, body }) = fault
            && let Some(other) = self.own_request(method, path, body)
            && let Err(refusal) = self.handle(turn, &other)
        {
            tracing::warn!(?refusal, "the other writer of the script was refused");
        }
        let address = incoming.uri.to_string();
        if fault == Some(&What::StaleRead)
            && !incoming.is_write()
            && let Some(body) = lock(&self.earlier).get(&address)
        {
            return Reply { status: 200, kind: "application/json", body: body.clone(), retry_after: None };
        }
        let reply = Reply::outcome(self.handle(turn, incoming));
        if !incoming.is_write() && reply.status == 200 && lock(&self.script).has_stale_reads() {
            lock(&self.earlier).insert(address, reply.body.clone());
        }
        reply
    }

    /// Carries out a request of somebody else, unlogged; whether it was accepted.
    pub(super) fn as_another(&self, method: &str, path: &str, body: &Value) -> bool {
        self.own_request(method, path, body).is_some_and(|request| self.handle(0, &request).is_ok())
    }

    /// A request with the sandbox's own credentials; `None` if method or path make none.
    fn own_request(&self, method: &str, path: &str, body: &Value) -> Option<Incoming> {
        let authorization = HeaderValue::from_str(&format!("Bearer {}", self.credentials.token)).ok()?;
        let json = HeaderValue::from_static("application/json");
        Some(Incoming {
            method: method.parse().ok()?,
            uri: format!("{BASE}{path}").parse().ok()?,
            headers: [(header::AUTHORIZATION, authorization), (header::CONTENT_TYPE, json)].into_iter().collect(),
            body: body.to_string().into_bytes(),
        })
    }
}

/// An answer before it is turned into HTTP.
struct Reply {
    /// Status.
    status: u16,
    /// `Content-Type`.
    kind: &'static str,
    /// Body.
    body: String,
    /// `Retry-After` in seconds.
    retry_after: Option<u64>,
}

impl Reply {
    /// An envelope.
    fn json(status: u16, body: &Value) -> Self {
        Self { status, kind: "application/json", body: body.to_string(), retry_after: None }
    }

    /// A page as the edge sends it: observed in outages of 2026-07.
    fn html(status: u16) -> Self {
        let body = format!("<html><body>{status}</body></html>");
        Self { status, kind: "text/html", body, retry_after: None }
    }

    /// What a handler gave.
    fn outcome(outcome: Outcome<Answer>) -> Self {
        if outcome == Ok(Answer::Empty) {
            return Self { status: 204, kind: "application/json", body: String::new(), retry_after: None };
        }
        match outcome.map(Answer::body) {
            Ok(Ok(body)) => Self::json(200, &body),
            Ok(Err(body)) => Self { status: 200, kind: "text/plain", body, retry_after: None },
            Err(refusal) => Self::json(refusal.status, &refusal.body()),
        }
    }
}

/// The entry of every request.
pub(super) async fn receive(
    State(service): State<Arc<Service>>,
    ConnectInfo(link): ConnectInfo<Link>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    // A body that does not arrive whole is treated as one that is no JSON.
    let body = axum::body::to_bytes(body, BODY_BYTES).await.map(|b| b.to_vec()).unwrap_or_default();
    let incoming = Incoming { method: parts.method, uri: parts.uri, headers: parts.headers, body };
    let turn = {
        let path = incoming.uri.path_and_query().map_or("/", |p| p.as_str());
        let entry = LoggedRequest {
            method: incoming.method.to_string(),
            path: path.strip_prefix(BASE).unwrap_or(path).to_owned(),
            scheme: Scheme::of(&incoming.headers),
            body: serde_json::from_slice(&incoming.body).ok(),
            status: None,
        };
        lock(&service.log).push(entry)
    };
    let fault = lock(&service.script).next(incoming.method.as_str(), incoming.uri.path());
    tokio::time::sleep(Duration::from_millis(service.profile.latency_milliseconds)).await;

    let (reply, budget) = respond(&service, &link, turn, incoming, fault).await;
    if let Some(reply) = &reply {
        lock(&service.log).answered(turn, reply.status);
    }
    let mut response = Response::new(Body::empty());
    let Some(reply) = reply else {
        // Never seen: the connection is cut.
        link.cut();
        return response;
    };
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.kind));
    if let Some(budget) = budget {
        for (name, value) in budget.headers() {
            let value = HeaderValue::from_str(&value).expect("made of digits, quotes and letters");
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    if let Some(seconds) = reply.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    *response.body_mut() = Body::from(reply.body);
    response
}

/// The reply, or none for a cut connection, with what the headers say about the rate limit.
async fn respond(
    service: &Arc<Service>,
    link: &Link,
    turn: u64,
    incoming: Incoming,
    fault: Option<What>,
) -> (Option<Reply>, Option<Budget>) {
    match &fault {
        Some(What::ResetBeforeEffect) => return (None, None),
        Some(What::Status { code, html, retry_after }) => {
            // ASSUMED: the code and text of an error that the script asks for.
            let refusal = Refusal::new(*code, if *code == 429 { 971 } else { 10013 }, "Scripted failure");
            let reply = if *html { Reply::html(*code) } else { Reply::json(*code, &refusal.body()) };
            return (Some(Reply { retry_after: *retry_after, ..reply }), None);
        }
        Some(What::NotJson200) => return (Some(Reply::html(200)), None),
        Some(What::SuccessFalse200) => {
            let refusal = Refusal::new(200, 10013, "Scripted failure");
            return (Some(Reply::json(200, &refusal.body())), None);
        }
        Some(What::Answer { code, body }) => return (Some(Reply::json(*code, body)), None),
        Some(What::Delay { milliseconds }) => tokio::time::sleep(Duration::from_millis(*milliseconds)).await,
        Some(
            What::StatusAfterEffect { .. }
            | What::ResetAfterEffect
            | What::ResetMidBody
            | What::TruncateBody
            | What::Stall { .. }
            | What::AnotherWriter { .. }
            | What::StaleRead,
        )
        | None => {}
    }
    let taken = service.profile.rate_limit.map(|limit| lock(&service.limiter).take(limit, Instant::now()));
    let budget = match taken {
        Some(Err(budget)) => {
            let reply = Reply::json(429, &Budget::refusal().body());
            return (Some(Reply { retry_after: Some(budget.retry_after()), ..reply }), Some(budget));
        }
        Some(Ok(budget)) => Some(budget),
        None => None,
    };
    let reply = {
        let service = Arc::clone(service);
        let fault = fault.clone();
        // The store is locked and SQLite blocks, so this must not hold up the threads that serve connections.
        tokio::task::spawn_blocking(move || service.reply(turn, &incoming, fault.as_ref())).await
    };
    let mut reply = reply.unwrap_or_else(|error| {
        tracing::error!(%error, "a handler of the sandbox panicked");
        Reply::json(500, &json!({ "result": null, "success": false, "errors": [], "messages": [] }))
    });
    match fault {
        Some(What::ResetAfterEffect) => return (None, budget),
        Some(What::StatusAfterEffect { code }) => reply = Reply::html(code),
        Some(What::TruncateBody) => {
            let half = reply.body.len() / 2;
            let cut = (half..).find(|n| reply.body.is_char_boundary(*n)).unwrap_or(half);
            reply.body.truncate(cut);
        }
        Some(What::ResetMidBody) => link.cut_mid_body(),
        Some(What::Stall { milliseconds }) => {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            return (None, budget);
        }
        _ => {}
    }
    (Some(reply), budget)
}
