//! The client: combines rate limiter, credentials, transport and retries.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use super::base_url::BaseUrl;
use super::credentials::{Credentials, Scheme, Signer};
use super::error::{ApiError, RequestName, Signature};
use super::error_codes::OTHER_CREDENTIALS_MAY_DO;
use super::rate_limiter::Limiter;
use super::redactor::Redactor;
use super::request_kind::RequestKind;
use super::retry::{self, BackOff, Next};
use super::transport::{Failed, Transport};
use super::{ApiEvent, Observer, SeenHeaders, Settings, Stop, WaitReason};
use crate::wire::{Envelope, Intake, Request};

/// A client of Cloudflare's API. Clones share connections, rate limiter and counters.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

/// State that all clones of a client share.
struct Shared {
    transport: Transport,
    signer: Signer,
    /// Kinds of requests for which Cloudflare refused the token but accepted the key.
    by_key: Mutex<BTreeSet<RequestKind>>,
    limiter: Limiter,
    /// Slots for further concurrent requests.
    slots: Semaphore,
    /// Tells whether the user asked to stop.
    stop: Stop,
    back_off: BackOff,
    /// Maximum number of attempts for a request.
    attempts: u32,
    /// Receives the events of the client.
    observer: Observer,
    /// Number of requests sent.
    requests: AtomicU64,
    /// Facts from the headers of responses.
    seen: Mutex<SeenHeaders>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("requests", &self.requests()).finish_non_exhaustive()
    }
}

impl Client {
    /// Creates a client of Cloudflare's API with a token and default settings.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_token(token: impl Into<String>) -> Result<Self, ApiError> {
        let credentials = Credentials::Token(token.into().into());
        Self::new(Settings::new(Settings::BASE_URL, credentials))
    }

    /// Creates a client without sending a request.
    ///
    /// # Errors
    /// Fails with [`ApiError::Settings`] if the base URL, the credentials or a number is unusable,
    /// or if TLS cannot be set up.
    pub fn new(settings: Settings) -> Result<Self, ApiError> {
        Self::with_delays(settings, BackOff::BASE)
    }

    /// Creates a client whose delays begin at `base`.
    pub(super) fn with_delays(settings: Settings, base: Duration) -> Result<Self, ApiError> {
        let Settings {
            base_url,
            credentials,
            max_rps,
            quota,
            timeout,
            attempts,
            concurrency,
            stop,
            observer,
            random_seed,
        } = settings;
        if let Some(rate) = max_rps
            && !(rate.is_finite() && rate >= SLOWEST)
        {
            return Err(ApiError::settings(format!(
                "use {rate} requests a second as a limit: it must be {SLOWEST} or more"
            )));
        }
        if timeout.is_zero() {
            return Err(ApiError::settings(
                "use a timeout of zero: no response could arrive in time",
            ));
        }
        let signer = Signer::new(&credentials)?;
        let transport =
            Transport::new(BaseUrl::read(&base_url)?, Redactor::new(&credentials), timeout)?;
        let shared = Shared {
            transport,
            signer,
            by_key: Mutex::default(),
            limiter: Limiter::new(quota, max_rps, stop.clone(), Arc::clone(&observer)),
            slots: Semaphore::new(concurrency.clamp(1, Semaphore::MAX_PERMITS)),
            stop,
            back_off: BackOff::new(base, random_seed),
            attempts: attempts.max(1),
            observer,
            requests: AtomicU64::new(0),
            seen: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Returns the number of requests sent so far, including retries.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// Returns the facts from the headers of all responses so far.
    #[must_use]
    #[doc(hidden)]
    pub fn seen(&self) -> SeenHeaders {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the number of requests that can be sent now without waiting for the rate limit.
    #[must_use]
    pub fn free_requests(&self) -> usize {
        self.shared.limiter.free_requests()
    }

    /// Sends a request, and retries it where that is harmless and may help.
    pub(super) async fn exchange<I: Intake>(
        &self,
        request: &Request,
    ) -> Result<Envelope<I::Result>, ApiError> {
        let shared = &*self.shared;
        shared.transport.check(request)?;
        let kind = RequestKind::of(request);
        let mut attempt = 1;
        loop {
            let failed = match shared.attempt::<I>(request, &kind, attempt).await {
                Ok(envelope) => return Ok(envelope),
                Err(failed) => failed,
            };
            let next_step = retry::next_step(&failed.error, failed.asked);
            let delay = shared.back_off.delay(attempt);
            if let Next::Pause(asked) = next_step {
                // After two refusals in a row, the requested wait was too short, so wait longer.
                let pause = if attempt > 1 { asked.max(delay) } else { asked };
                shared.limiter.pause(pause);
            }
            if next_step == Next::GiveUp || attempt >= shared.attempts {
                return Err(failed.error);
            }
            attempt += 1;
            shared.retrying(request, attempt, &failed.error);
            let may_go_on = match next_step {
                Next::BackOff => shared.wait(WaitReason::BackOff, delay).await,
                Next::Wait(asked) => shared.wait(WaitReason::RetryAfter, asked.max(delay)).await,
                // The rate limiter delays this request like all others.
                Next::Pause(_) | Next::GiveUp => !shared.stop.is_asked(),
            };
            if !may_go_on {
                return Err(failed.error);
            }
        }
    }
}

/// Lowest allowed number of requests per second: one request in almost three hours.
const SLOWEST: f64 = 0.0001;

impl Shared {
    /// Boxes one attempt. Otherwise each caller would contain a copy of the code that sends a
    /// request.
    #[inline(never)]
    fn attempt<'a, I: Intake + 'a>(
        &'a self,
        request: &'a Request,
        kind: &'a RequestKind,
        attempt: u32,
    ) -> BoxFuture<'a, Result<Envelope<I::Result>, Failed>> {
        Box::pin(self.signed::<I>(request, kind, attempt))
    }

    /// Sends a request once, or twice if Cloudflare refuses the token and there is a key.
    async fn signed<I: Intake>(
        &self,
        request: &Request,
        kind: &RequestKind,
        attempt: u32,
    ) -> Result<Envelope<I::Result>, Failed> {
        let by_key = self.signer.has_fallback() && self.by_key().contains(kind);
        let scheme = if by_key { Scheme::Key } else { self.signer.first() };
        let failed = match self.once::<I>(request, kind, scheme).await {
            Err(failed)
                if !by_key && self.signer.has_fallback() && is_for_the_key(&failed.error) =>
            {
                failed
            }
            outcome => return outcome,
        };
        self.retrying(request, attempt + 1, &failed.error);
        let outcome = self.once::<I>(request, kind, Scheme::Key).await;
        match (&outcome, failed.error) {
            (Err(second), ApiError::Refused { request, status, messages, .. })
                if is_for_the_key(&second.error) =>
            {
                // Report the refusal of the token, because the user meant to use it.
                Err(ApiError::Refused { request, status, messages, signature: Signature::Both }
                    .into())
            }
            (Ok(_), _) => {
                self.by_key().insert(kind.clone());
                outcome
            }
            (Err(second), _) => {
                if matches!(second.error, ApiError::Refused { status, .. } if status < 500) {
                    // Cloudflare refused the content of the request, so it accepted the key.
                    self.by_key().insert(kind.clone());
                }
                outcome
            }
        }
    }

    /// Sends a request once.
    async fn once<I: Intake>(
        &self,
        request: &Request,
        kind: &RequestKind,
        scheme: Scheme,
    ) -> Result<Envelope<I::Result>, Failed> {
        let stopped = || ApiError::Stopped { request: RequestName::of(request) };
        let permit = self.limiter.acquire(kind).await.ok_or_else(stopped)?;
        // The semaphore is never closed, and running requests always finish.
        let _slot = self.slots.acquire().await.ok();
        let RequestName { method, path } = RequestName::of(request);
        self.requests.fetch_add(1, Ordering::Relaxed);
        (self.observer)(&ApiEvent::Sent { method, path: path.clone() });
        let _exchange = Exchange(&self.observer);
        let begin = Instant::now();
        let (outcome, limits) =
            self.transport.send::<I>(request, scheme, self.signer.headers(scheme)).await;
        permit.note(&limits);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).note(&limits);
        let milliseconds = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &outcome {
            Ok(_) => tracing::debug!(%method, path, milliseconds, "answered"),
            Err(failed) => match failed.error.status() {
                Some(status) => tracing::debug!(%method, path, status, milliseconds, "failed"),
                None => tracing::debug!(%method, path, milliseconds, "no answer"),
            },
        }
        outcome
    }

    /// Locks the set of kinds that need the key.
    fn by_key(&self) -> std::sync::MutexGuard<'_, BTreeSet<RequestKind>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces a retry.
    fn retrying(&self, request: &Request, attempt: u32, error: &ApiError) {
        let cause = match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        (self.observer)(&ApiEvent::Retrying {
            request: RequestName::of(request).to_string(),
            attempt,
            cause,
        });
    }

    /// Announces a wait and waits. Returns false if the user asked to stop.
    async fn wait(&self, reason: WaitReason, duration: Duration) -> bool {
        if !duration.is_zero() && !self.stop.is_asked() {
            (self.observer)(&ApiEvent::Waiting { reason, duration });
            tokio::select! {
                biased;
                () = self.stop.asked(1) => {}
                () = sleep(duration) => {}
            }
        }
        !self.stop.is_asked()
    }
}

/// A running exchange. Announces its end when dropped, even if the request is abandoned.
struct Exchange<'a>(&'a Observer);

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        (self.0)(&ApiEvent::Over);
    }
}

/// Returns true if a refusal concerns the credentials, so that others might be accepted.
fn is_for_the_key(error: &ApiError) -> bool {
    let ApiError::Refused { status, messages, .. } = error else { return false };
    match status {
        401 => true,
        403 if messages.iter().all(|message| message.code.is_none()) => true,
        400 | 403 | 405 => OTHER_CREDENTIALS_MAY_DO.iter().any(|code| error.has_code(*code)),
        _ => false,
    }
}
