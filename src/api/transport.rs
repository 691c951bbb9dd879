//! One exchange over HTTP: sends a request and returns a response or a fault. It never retries.
//!
//! The credentials stay with their host: no redirect is followed. The size of a response is limited
//! by its kind, and only a few large ones are read at once, so that responses cannot fill the
//! memory. Secrets are removed here from Cloudflare's error texts, before other modules see them;
//! the result of a success is data and stays as it is.

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

/// Maximum number of large responses that are read at once.
const LARGE_AT_ONCE: usize = 2;

/// Time for which an unused connection is kept. It is shorter than Cloudflare's: otherwise a write
/// could meet a closing connection, and its result would be unknown.
const IDLE: Duration = Duration::from_secs(30);

/// Name and version, as Cloudflare's logs show them.
pub(super) const USER_AGENT: &str = concat!("zonewright/", env!("CARGO_PKG_VERSION"));

/// Sends requests.
pub(super) struct Transport {
    http: reqwest::Client,
    base: BaseUrl,
    /// Removes secrets from texts.
    redactor: Redactor,
    /// Slots for further large responses.
    large: Semaphore,
}

/// An exchange that failed.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) error: ApiError,
    /// Wait that the response requested.
    pub(super) asked: Option<Duration>,
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        Self { error, asked: None }
    }
}

/// Result of an exchange, with the limits from the response's headers.
pub(super) type ExchangeResult<T> = (Result<Envelope<T>, Failed>, Limits);

impl Transport {
    /// Prepares connections.
    ///
    /// # Errors
    /// Fails with [`ApiError::Settings`] if TLS cannot be set up.
    pub(super) fn new(
        base: BaseUrl,
        redactor: Redactor,
        timeout: Duration,
    ) -> Result<Self, ApiError> {
        // An error means that a provider is already installed, which is sufficient.
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
            // Plain HTTP checks no certificates, so a machine without any must still
            // work.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|error| ApiError::Settings {
            what: "set up TLS".to_owned(),
            source: Some(Fault::new(error)),
        })?;
        Ok(Self { http, base, redactor, large: Semaphore::new(LARGE_AT_ONCE) })
    }

    /// Checks that a request can be sent as it is written. Called first, so that an invalid request
    /// never counts as sent.
    ///
    /// # Errors
    /// Fails with [`ApiError::Misused`] if the path is invalid.
    pub(super) fn check(&self, request: &Request) -> Result<(), ApiError> {
        self.base.url(request).map(|_| ())
    }

    /// Sends a request with these credentials and reads its response.
    pub(super) async fn send<I: Intake>(
        &self,
        request: &Request,
        scheme: Scheme,
        credentials: HeaderMap,
    ) -> ExchangeResult<I::Result> {
        match self.begin(request, credentials).await {
            Ok(response) => {
                let limits = Limits::read(response.headers(), SystemTime::now());
                (self.finish::<I>(request, scheme, response, &limits).await, limits)
            }
            Err(error) => (Err(error.into()), Limits::default()),
        }
    }

    /// Sends a request and waits for the headers of its response.
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
            // Only after a failed connection attempt is it certain that nothing was sent.
            if error.is_connect() || error.is_builder() {
                ApiError::Unreached { request: name, source: Fault::new(error) }
            } else {
                ApiError::Lost { request: name, source: Fault::new(error) }
            }
        })
    }

    /// Reads and interprets the body of a response.
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
        // The body of a failure is always read as a whole.
        let content = if (200..300).contains(&status) {
            self.take::<I>(&name, response).await
        } else {
            self.take::<Whole>(&name, response)
                .await
                .map(|taken| taken.and_then(|_| Err(contradiction())))
        };
        let refusal = match content {
            Ok(Ok(envelope)) => return Ok(envelope),
            Ok(Err(Unusable::TooMuch(TooMuch(limit)))) => {
                return Err(ApiError::TooLarge { request: name, status, limit }.into());
            }
            Ok(Err(Unusable::Body { body: Some(body), .. })) => self.redacted(status, &body),
            Ok(Err(Unusable::Body { error, body: None })) => self.cleaned(error),
            // After a failure status, an incomplete body does not matter.
            Err(ApiError::Lost { source, .. }) if status >= 400 => {
                EnvelopeError::NotAnEnvelope(source.to_string())
            }
            Err(error) => return Err(error.into()),
        };
        let retry_after = limits.retry_after;
        if status == 429 || refusal.has_code(PLEASE_WAIT) {
            let wait = retry_after
                .or_else(|| limits.reset().map(|reset| reset.max(Duration::from_secs(1))));
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
        Err(Failed { error, asked: retry_after })
    }

    /// Reads a body within a time limit.
    async fn take<I: Intake>(
        &self,
        name: &RequestName,
        mut response: Response,
    ) -> Result<Result<Envelope<I::Result>, Unusable>, ApiError> {
        let status = response.status().as_u16();
        let too_large = |limit| ApiError::TooLarge { request: name.clone(), status, limit };
        let byte_limit = I::most_bytes();
        if response.content_length().is_some_and(|length| length > byte_limit as u64) {
            return Err(too_large(format!("{byte_limit} bytes")));
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
                // The semaphore is never closed. The permit is held until the response is read.
                permit = self.large.acquire().await.ok();
            }
        }
    }

    /// Returns the target of a redirect without its query.
    fn target(&self, response: &Response) -> String {
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let target = location.and_then(|location| response.url().join(location).ok());
        let Some(mut target) = target else { return "an unknown place".to_owned() };
        target.set_query(None);
        target.set_fragment(None);
        self.redactor.text(target.as_str())
    }

    /// Decodes a failed response without secrets. The body is cleaned before it is decoded, because
    /// the excerpt of an invalid body could otherwise end within a secret. The texts are cleaned
    /// again afterwards, because JSON can escape a letter of a secret.
    fn redacted(&self, status: u16, body: &[u8]) -> EnvelopeError {
        let clean = self.redactor.text(&String::from_utf8_lossy(body));
        match Envelope::read(status, clean.as_bytes()) {
            Err(error) => self.cleaned(error),
            // Cleaning made the body readable by removing invalid bytes; the result of the original
            // body is valid.
            Ok(_) => EnvelopeError::NotAnEnvelope("the response is not text".to_owned()),
        }
    }

    /// Removes the secrets from the texts of an error.
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

/// Returns the error of a success body under a failure status.
fn contradiction() -> Unusable {
    Unusable::Body {
        error: EnvelopeError::NotAnEnvelope("a success with the status of a failure".to_owned()),
        body: None,
    }
}
