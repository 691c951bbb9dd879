//! The HTTP server: receives requests, applies faults and limits, logs, and sends responses.
//!
//! Order of one request: fault, delay, rate limit, handling in a transaction of its own on a
//! blocking thread, log, response.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use rusqlite::{Connection, TransactionBehavior};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::auth::{self, AcceptedCredentials, Scheme};
use super::clock;
use super::concurrency::Counter;
use super::cross_origin;
use super::cut_connection::Link;
use super::envelope::{HandlerResult, Refusal, Success};
use super::faults::{Cut, Ending, Script, What};
use super::listener_switch::ListenerSwitch;
use super::new_zones::NewZones;
use super::profile::{ErrorStyle, Profile};
use super::rate_limit::{Limiter, RateBudget};
use super::recent_deletions::RecentDeletions;
use super::reply::{Delivery, Reply};
use super::request_context::RequestContext;
use super::request_hold::RequestHold;
use super::request_log::{Log, LoggedRequest};
use super::router::{self, BASE, Incoming};

/// Maximum size of a request body, in bytes: a full batch of the longest TXT records fits easily.
const BODY_BYTES: usize = 64 << 20;

/// The state that requests share.
pub(super) struct Service {
    /// The store.
    connection: Mutex<Connection>,
    /// The behaviour of the sandbox.
    pub(super) profile: Profile,
    /// The accepted credentials.
    known: AcceptedCredentials,
    /// Host names that are accepted like `localhost`.
    hosts: Vec<String>,
    /// Seed of the identifiers.
    seed: u64,
    /// The last requests.
    log: Mutex<Log>,
    /// Scripted faults.
    script: Mutex<Script>,
    /// Bodies of earlier reads by path with query, kept only if the script has stale reads.
    earlier: Mutex<HashMap<String, Vec<u8>>>,
    /// Accepts or refuses connections.
    pub(super) listener_switch: ListenerSwitch,
    pub(super) request_hold: RequestHold,
    /// Counts concurrent requests.
    pub(super) traffic: Counter,
    /// The rate limit's state.
    limiter: Mutex<Limiter>,
    /// Names that still count as taken after a deletion.
    recent: RecentDeletions,
    /// New zones that still refuse access.
    new_zones: NewZones,
}

/// Locks even after a panic elsewhere: every change of the shared state is complete in itself.
fn lock_shared<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service {
    pub(super) fn new(
        connection: Connection,
        profile: Profile,
        known: AcceptedCredentials,
        seed: u64,
        script: Script,
    ) -> Self {
        Self {
            connection: Mutex::new(connection),
            profile,
            known,
            hosts: Vec::new(),
            seed,
            log: Mutex::default(),
            script: Mutex::new(script),
            earlier: Mutex::default(),
            listener_switch: ListenerSwitch::new(),
            request_hold: RequestHold::new(),
            traffic: Counter::default(),
            limiter: Mutex::default(),
            recent: RecentDeletions::default(),
            new_zones: NewZones::default(),
        }
    }

    /// Sets the number of requests that the log keeps.
    pub(super) fn remembering(mut self, requests: usize) -> Self {
        self.log = Mutex::new(Log::new(requests));
        self
    }

    /// Adds host names that are accepted like `localhost`.
    pub(super) fn named(mut self, hosts: Vec<String>) -> Self {
        self.hosts = hosts;
        self
    }

    /// Returns the last requests, in the order of arrival.
    pub(super) fn requests(&self) -> Vec<LoggedRequest> {
        lock_shared(&self.log).requests()
    }

    /// Returns the total number of requests.
    pub(super) fn request_count(&self) -> u64 {
        lock_shared(&self.log).count()
    }

    /// Adds a fault.
    pub(super) fn push_fault(&self, fault: super::Fault) {
        lock_shared(&self.script).push(fault);
    }

    /// Removes all faults.
    pub(super) fn clear_faults(&self) {
        lock_shared(&self.script).clear();
    }

    /// Runs a function in a transaction that is committed only if it succeeds.
    pub(super) fn transact<T, E: From<rusqlite::Error>>(
        &self,
        turn: u64,
        work: impl FnOnce(&RequestContext<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = lock_shared(&self.connection);
        let now = clock::now();
        // Immediate, so that a wait for another process with the same file happens at the beginning
        // and not in the middle.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (profile, seed, recent, new_zones) =
            (&self.profile, self.seed, &self.recent, &self.new_zones);
        let result = work(&RequestContext {
            connection: &transaction,
            profile,
            seed,
            now: &now,
            recent,
            new_zones,
            turn,
        })?;
        transaction.commit()?;
        Ok(result)
    }

    /// Runs a function in a read transaction.
    pub(super) fn read<T, E>(
        &self,
        turn: u64,
        work: impl FnOnce(&RequestContext<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let connection = lock_shared(&self.connection);
        let now = clock::now();
        let (profile, seed, recent, new_zones) =
            (&self.profile, self.seed, &self.recent, &self.new_zones);
        work(&RequestContext {
            connection: &connection,
            profile,
            seed,
            now: &now,
            recent,
            new_zones,
            turn,
        })
    }

    /// Counts a request against the rate limit, if there is one; `Err` if it must be refused.
    pub(super) fn take_budget(&self) -> Option<Result<RateBudget, RateBudget>> {
        self.profile.rate_limit.map(|limit| lock_shared(&self.limiter).take(limit, Instant::now()))
    }

    fn handle(&self, turn: u64, incoming: &Incoming) -> HandlerResult<Success> {
        let work = |context: &RequestContext<'_>| router::handle(context, &self.known, incoming);
        let outcome =
            if incoming.is_write() { self.transact(turn, work) } else { self.read(turn, work) };
        match self.profile.errors {
            ErrorStyle::Direct => outcome,
            ErrorStyle::Chain => outcome.map_err(Refusal::chained),
        }
    }
}

impl Service {
    /// Answers one request, and applies the faults that concern the state.
    fn reply(&self, turn: u64, incoming: &Incoming, fault: Option<&What>) -> Reply {
        if let Some(What::AnotherWriter { method, path, body }) = fault {
            self.other_writer(turn, method, path, body);
        }
        let address = incoming.uri.to_string();
        if fault == Some(&What::StaleRead)
            && !incoming.is_write()
            && let Some(body) = lock_shared(&self.earlier).get(&address)
        {
            return Reply::text_of_json(200, body.clone());
        }
        let reply = Reply::outcome(self.handle(turn, incoming), incoming.layout());
        if let Some(What::AnotherWriterAfter { method, path, body }) = fault {
            self.other_writer(turn, method, path, body);
        }
        if !incoming.is_write()
            && reply.status == 200
            && lock_shared(&self.script).has_stale_reads()
        {
            lock_shared(&self.earlier).insert(address, reply.body.clone());
        }
        reply
    }

    /// Handles a scripted write of another client.
    fn other_writer(&self, turn: u64, method: &str, path: &str, body: &Value) {
        if let Some(other) = self.own_request(method, path, body)
            && let Err(refusal) = self.handle(turn, &other)
        {
            tracing::warn!(?refusal, "the other writer of the script was refused");
        }
    }

    /// Handles a request of another client, unlogged; returns true if it was accepted.
    pub(super) fn as_another(&self, method: &str, path: &str, body: &Value) -> bool {
        self.own_request(method, path, body).is_some_and(|request| self.handle(0, &request).is_ok())
    }

    /// Creates a request with the sandbox's own credentials; `None` if the method or path is
    /// invalid.
    fn own_request(&self, method: &str, path: &str, body: &Value) -> Option<Incoming> {
        let authorization =
            HeaderValue::from_str(&format!("Bearer {}", self.known.credentials.token)).ok()?;
        let json = HeaderValue::from_static("application/json");
        Some(Incoming {
            method: method.parse().ok()?,
            uri: format!("{BASE}{path}").parse().ok()?,
            headers: [(header::AUTHORIZATION, authorization), (header::CONTENT_TYPE, json)]
                .into_iter()
                .collect(),
            body: body.to_string().into_bytes(),
        })
    }
}

/// Handles every request.
pub(super) async fn receive(
    State(service): State<Arc<Service>>,
    ConnectInfo(link): ConnectInfo<Link>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    // Faults, limits and the log do not apply to web pages.
    if let Err(refusal) = cross_origin::refuse_web_pages(&parts, &service.hosts) {
        return Reply::json(refusal.status, &refusal.body()).into_response();
    }
    // A request without valid credentials is refused with any body, so the sandbox does not read
    // the body.
    let body = match auth::check_credentials(&parts.headers, &service.known, false) {
        // An incomplete body is treated as a body that is not JSON.
        Ok(_) => {
            axum::body::to_bytes(body, BODY_BYTES).await.map(|b| b.to_vec()).unwrap_or_default()
        }
        Err(_) => Vec::new(),
    };
    let incoming = Incoming { method: parts.method, uri: parts.uri, headers: parts.headers, body };
    let path = incoming.uri.path();
    let _under_way =
        service.traffic.request(incoming.is_write(), path.strip_prefix(BASE).unwrap_or(path));
    let fault = lock_shared(&service.script).next(incoming.method.as_str(), path);
    let turn = {
        let path = incoming.uri.path_and_query().map_or("/", |p| p.as_str());
        let mut log = lock_shared(&service.log);
        let entry = LoggedRequest {
            method: incoming.method.to_string(),
            path: path.strip_prefix(BASE).unwrap_or(path).to_owned(),
            scheme: Scheme::of(&incoming.headers),
            body: log.remembers().then(|| serde_json::from_slice(&incoming.body).ok()).flatten(),
            status: None,
            fault: fault.clone(),
            handled: None,
        };
        log.push(entry, incoming.body.len())
    };
    pause(Duration::from_millis(service.profile.latency_milliseconds)).await;

    let (ending, budget) = finish_request(&service, turn, incoming, fault).await;
    let reply = match ending {
        Ending::Answer(reply) => reply,
        Ending::Cut(cut) => {
            match cut {
                Cut::Reset => link.cut(),
                Cut::Close => link.close(),
                Cut::Refuse(time) => {
                    // The listener closes before the connection is cut, so that the peer cannot
                    // connect once more.
                    service.listener_switch.shut(time).await;
                    link.cut();
                }
            }
            // This response is never sent.
            return Response::new(Body::empty());
        }
    };
    lock_shared(&service.log).note_status(turn, reply.status);
    if reply.delivery == Delivery::HalfThenReset {
        link.cut_mid_body();
    }
    let mut response = reply.into_response();
    for (name, value) in budget.into_iter().flat_map(RateBudget::headers) {
        let value = HeaderValue::from_str(&value).expect("made of digits, quotes and letters");
        response.headers_mut().insert(HeaderName::from_static(name), value);
    }
    response
}

/// Returns the end of a request, and the content of the rate limit headers.
async fn finish_request(
    service: &Arc<Service>,
    turn: u64,
    incoming: Incoming,
    fault: Option<What>,
) -> (Ending, Option<RateBudget>) {
    if let Some(ending) = fault.as_ref().and_then(|fault| fault.instead(&incoming.headers)) {
        return (ending, None);
    }
    if let Some(fault) = &fault {
        pause(fault.delay()).await;
        if *fault == What::Held {
            service.request_hold.pass().await;
        }
    }
    let budget = match service.take_budget() {
        Some(Err(budget)) => return (Ending::Answer(budget.refusal()), Some(budget)),
        Some(Ok(budget)) => Some(budget),
        None => None,
    };
    let reply = {
        let service = Arc::clone(service);
        let fault = fault.clone();
        // The store is locked and SQLite blocks, so this must not run on the threads that serve
        // connections.
        tokio::task::spawn_blocking(move || service.reply(turn, &incoming, fault.as_ref())).await
    };
    let reply = reply.unwrap_or_else(|error| {
        tracing::error!(%error, "a handler of the sandbox panicked");
        Reply::json(500, &json!({ "result": null, "success": false, "errors": [], "messages": [] }))
    });
    lock_shared(&service.log).handled(turn, reply.status);
    let Some(fault) = fault else { return (Ending::Answer(reply), budget) };
    let (after, ending) = fault.ending(reply);
    pause(after).await;
    (ending, budget)
}

/// Waits, unless the duration is zero: a timer of zero length would still wait for the next tick.
async fn pause(duration: Duration) {
    if !duration.is_zero() {
        tokio::time::sleep(duration).await;
    }
}
