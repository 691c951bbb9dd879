//! One exchange over HTTP: a request goes out, a response or a fault comes back. It never repeats
//! anything.
//!
//! The credentials stay with the host they are meant for: no redirect is followed. Responses are
//! read within the budget of their kind, and few large ones at once, so that no response fills the
//! memory. Secrets are removed here from what Cloudflare says in a failure, before any other module
//! sees it; the result of a success is data and is left as it is.

use std::time::{Duration, SystemTime};

use reqwest::Response;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue, LOCATION};
use tokio::sync::Semaphore;

use super::base_url::BaseUrl;
use super::credentials::Scheme;
use super::error::{ApiError, Fault, RequestName};
use super::error_codes::PLEASE_WAIT;
use super::limit_headers::Limits;
use super::redactor::Redactor;
use super::retry::WAIT_AFTER_BARE_429;
use super::settings::Settings;
use crate::wire::{
    ApiMessage, Envelope, EnvelopeError, Intake, Method, Request, TooMuch, Unusable, Whole,
};

/// How many large answers are taken in at once.
const LARGE_AT_ONCE: usize = 2;

/// How long an unused connection is kept. Shorter than Cloudflare keeps it, or else a write may
/// meet its closing, and then the result of the write is unknown.
const IDLE: Duration = Duration::from_secs(30);

/// Name and version, as Cloudflare's logs will show them.
pub(super) const USER_AGENT: &str = concat!("zonewright/", env!("CARGO_PKG_VERSION"));

/// Sends requests.
pub(super) struct Transport {
    /// The HTTP library's client.
    http: reqwest::Client,
    /// Where to.
    base: BaseUrl,
    /// What must not be seen in texts.
    redactor: Redactor,
    /// Large answers that may be taken in beside those that are.
    large: Semaphore,
}

/// An exchange that did not end well.
#[derive(Debug)]
pub(super) struct Failed {
    /// The error.
    pub(super) error: ApiError,
    /// How long the answer asked to wait.
    pub(super) asked: Option<Duration>,
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        Self { error, asked: None }
    }
}

/// The outcome of an exchange, with what the answer's headers said about limits.
pub(super) type Outcome<T> = (Result<Envelope<T>, Failed>, Limits);

impl Transport {
    /// Prepares connections.
    ///
    /// # Errors
    /// [`ApiError::Settings`] if TLS cannot be set up.
    pub(super) fn new(
        base: BaseUrl,
        redactor: Redactor,
        timeout: Duration,
    ) -> Result<Self, ApiError> {
        // An error means that a provider is already there, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .default_headers(HeaderMap::from_iter([(
                ACCEPT,
                HeaderValue::from_static("application/json"),
            )]))
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .gzip(true)
            .pool_idle_timeout(IDLE)
            .connect_timeout(Settings::CONNECT.min(timeout / 2))
            .timeout(timeout);
        if base.is_loopback() {
            builder = builder.no_proxy();
        }
        if base.is_plain() {
            // No certificate is ever looked at, so a machine without any must not be an obstacle.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|error| ApiError::Settings {
            what: "set up TLS".to_owned(),
            source: Some(Fault::new(error)),
        })?;
        Ok(Self { http, base, redactor, large: Semaphore::new(LARGE_AT_ONCE) })
    }

    /// Whether a request can be sent as it is written; asked first, so that one that cannot is
    /// never counted as sent.
    ///
    /// # Errors
    /// [`ApiError::Misused`] if its path cannot.
    pub(super) fn check(&self, request: &Request) -> Result<(), ApiError> {
        self.base.url(request).map(|_| ())
    }

    /// Sends a request with these credentials and reads its answer.
    pub(super) async fn send<I: Intake>(
        &self,
        request: &Request,
        scheme: Scheme,
        credentials: HeaderMap,
    ) -> Outcome<I::Result> {
        match self.begin(request, credentials).await {
            Ok(response) => {
                let limits = Limits::read(response.headers(), SystemTime::now());
                (self.finish::<I>(request, scheme, response, &limits).await, limits)
            }
            Err(error) => (Err(error.into()), Limits::default()),
        }
    }

    /// Sends a request and waits for the head of its answer.
    async fn begin(&self, request: &Request, credentials: HeaderMap) -> Result<Response, ApiError> {
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Patch => reqwest::Method::PATCH,
            Method::Put => reqwest::Method::PUT,
            Method::Delete => reqwest::Method::DELETE,
        };
        let mut builder = self.http.request(method, self.base.url(request)?).headers(credentials);
        if let Some(body) = &request.body {
            builder = builder.json(body);
        }
        builder.send().await.map_err(|error| {
            let name = RequestName::of(request);
            // A connection that was never made is the only fault after which nothing can have been
            // sent.
            if error.is_connect() || error.is_builder() {
                ApiError::Unreached { request: name, source: Fault::new(error) }
            } else {
                ApiError::Lost { request: name, source: Fault::new(error) }
            }
        })
    }

    /// Reads the rest of an answer and tells what it means.
    async fn finish<I: Intake>(
        &self,
        request: &Request,
        scheme: Scheme,
        response: Response,
        limits: &Limits,
    ) -> Result<Envelope<I::Result>, Failed> {
        let status = response.status().as_u16();
        let name = RequestName::of(request);
        if (300..400).contains(&status) {
            return Err(
                ApiError::Redirected { request: name, status, to: self.target(&response) }.into()
            );
        }
        // Why an answer says no is read as a whole, whatever a good one would be.
        let taken = if (200..300).contains(&status) {
            self.take::<I>(&name, response).await
        } else {
            self.take::<Whole>(&name, response)
                .await
                .map(|taken| taken.and_then(|_| Err(contradiction())))
        };
        let refusal = match taken {
            Ok(Ok(envelope)) => return Ok(envelope),
            Ok(Err(Unusable::TooMuch(TooMuch(limit)))) => {
                return Err(ApiError::TooLarge { request: name, status, limit }.into());
            }
            Ok(Err(Unusable::Body { body: Some(body), .. })) => self.redacted(status, &body),
            Ok(Err(Unusable::Body { error, body: None })) => self.cleaned(error),
            // With a status that says no, it matters little that the rest is missing.
            Err(ApiError::Lost { source, .. }) if status >= 400 => {
                EnvelopeError::NotAnEnvelope(source.to_string())
            }
            Err(error) => return Err(error.into()),
        };
        let asked = limits.retry_after;
        if status == 429 || refusal.has_code(PLEASE_WAIT) {
            let wait =
                asked.or_else(|| limits.reset().map(|reset| reset.max(Duration::from_secs(1))));
            let wait = Some(wait.unwrap_or(WAIT_AFTER_BARE_429));
            let messages = match refusal {
                EnvelopeError::Refused { messages } => messages,
                EnvelopeError::NotAnEnvelope(_) | EnvelopeError::TooMany(_) => Vec::new(),
            };
            return Err(Failed {
                error: ApiError::Throttled { request: name, status, messages, wait },
                asked: wait,
            });
        }
        let error = match refusal {
            EnvelopeError::Refused { messages } => {
                ApiError::Refused { request: name, status, messages, signature: scheme.into() }
            }
            EnvelopeError::NotAnEnvelope(what) => ApiError::Garbled { request: name, status, what },
            error @ EnvelopeError::TooMany(_) => {
                ApiError::Garbled { request: name, status, what: error.to_string() }
            }
        };
        Err(Failed { error, asked })
    }

    /// Takes in a body, within a time limit.
    async fn take<I: Intake>(
        &self,
        name: &RequestName,
        mut response: Response,
    ) -> Result<Result<Envelope<I::Result>, Unusable>, ApiError> {
        let status = response.status().as_u16();
        let too_large = |limit| ApiError::TooLarge { request: name.clone(), status, limit };
        let most = I::most_bytes();
        if response.content_length().is_some_and(|length| length > most as u64) {
            return Err(too_large(format!("{most} bytes")));
        }
        let mut intake = I::begin();
        let mut permit = None;
        loop {
            let chunk = response.chunk().await;
            let chunk = chunk.map_err(|error| ApiError::Lost {
                request: name.clone(),
                source: Fault::new(error),
            })?;
            let Some(chunk) = chunk else { return Ok(intake.finish(status)) };
            intake.push(&chunk).map_err(|TooMuch(limit)| too_large(limit))?;
            if permit.is_none() && intake.is_large() {
                // It is never closed, and is held until the answer is read.
                permit = self.large.acquire().await.ok();
            }
        }
    }

    /// Where a redirection leads, as far as it may be shown: without its query.
    fn target(&self, response: &Response) -> String {
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let target = location.and_then(|location| response.url().join(location).ok());
        let Some(mut target) = target else { return "an unknown place".to_owned() };
        target.set_query(None);
        target.set_fragment(None);
        self.redactor.text(target.as_str())
    }

    /// What a failed answer says, without secrets. The body is cleaned before it is read, since the
    /// excerpt of one that is no JSON could otherwise end within a secret; the texts are cleaned
    /// again after it, since JSON can spell a letter in ways that only reading undoes.
    fn redacted(&self, status: u16, body: &[u8]) -> EnvelopeError {
        let clean = self.redactor.text(&String::from_utf8_lossy(body));
        match Envelope::read(status, clean.as_bytes()) {
            Err(error) => self.cleaned(error),
            // It became readable only by being cleaned (bytes that are no text): the original
            // reading holds.
            Ok(_) => EnvelopeError::NotAnEnvelope("the response is not text".to_owned()),
        }
    }

    /// Texts of an answer without secrets.
    fn cleaned(&self, error: EnvelopeError) -> EnvelopeError {
        match error {
            EnvelopeError::Refused { messages } => {
                let messages =
                    messages.into_iter().map(|ApiMessage { code, message, pointer }| ApiMessage {
                        code,
                        message: self.redactor.text(&message),
                        pointer: pointer.map(|pointer| self.redactor.text(&pointer)),
                    });
                EnvelopeError::Refused { messages: messages.collect() }
            }
            EnvelopeError::NotAnEnvelope(what) => {
                EnvelopeError::NotAnEnvelope(self.redactor.text(&what))
            }
            EnvelopeError::TooMany(most) => EnvelopeError::TooMany(most),
        }
    }
}

/// A success under a status that is none, which no reading of a body gives.
fn contradiction() -> Unusable {
    Unusable::Body {
        error: EnvelopeError::NotAnEnvelope("a success with the status of a failure".to_owned()),
        body: None,
    }
}
