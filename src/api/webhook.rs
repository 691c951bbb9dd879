//! Sends reports to the user's webhook. The content of a report is in the documents, such as
//! `document::drift`.
//!
//! The address may be a secret, as for chat services: no text from this file contains the address,
//! or text of a library or the receiver, because these may quote it. Cloudflare's credentials are
//! not accessible here: a webhook has its own client.

use std::time::Duration;

use reqwest::header::{RETRY_AFTER, USER_AGENT as AGENT};
use reqwest::{Response, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use tokio::time::sleep;

use super::base_url::is_loopback;
use super::retry::BackOff;
use super::settings::Settings;
use super::transport::USER_AGENT;

/// Default time limit of one response.
pub const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(10);

/// Largest number of attempts to send a report.
const ATTEMPTS: u32 = 3;

/// Longest wait that a receiver may request.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Reasons why a report was not delivered. No variant holds the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The address cannot be used; no request was sent.
    #[error("use the address: {0}")]
    Address(&'static str),
    /// Connections cannot be set up.
    #[error("set up TLS")]
    Tls,
    /// No connection could be made.
    #[error("connect")]
    Unreached,
    /// No response arrived in time.
    #[error("get a response in time")]
    Late,
    /// The connection broke before a response arrived.
    #[error("get a response: the connection was interrupted")]
    Lost,
    /// The response is a redirect, which is not followed.
    #[error(
        "deliver it: the response is a redirect (status {0}), which is not followed; give the \
        final address"
    )]
    Redirected(u16),
    /// The receiver refused the report.
    #[error("deliver it: the response has status {0}")]
    Refused(u16),
}

impl WebhookError {
    /// Returns true if another attempt may succeed.
    fn is_passing(self) -> bool {
        match self {
            Self::Address(_) | Self::Tls | Self::Redirected(_) => false,
            Self::Unreached | Self::Late | Self::Lost => true,
            Self::Refused(status) => status == 408 || status == 429 || status >= 500,
        }
    }
}

/// A receiver of reports.
pub struct Webhook {
    /// The HTTP library's client, without credentials.
    http: reqwest::Client,
    url: Url,
    /// Delays between attempts.
    back_off: BackOff,
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook").finish_non_exhaustive()
    }
}

impl Webhook {
    /// Prepares to send to an address; `timeout` applies to each attempt.
    ///
    /// # Errors
    /// Fails with [`WebhookError::Address`] if the address is neither HTTPS nor plain HTTP to this
    /// machine, and with [`WebhookError::Tls`] without TLS.
    pub fn new(url: &SecretString, timeout: Duration) -> Result<Self, WebhookError> {
        Self::with_delays(url, timeout, BackOff::BASE)
    }

    /// Like [`Webhook::new`], with another first delay.
    fn with_delays(
        url: &SecretString,
        timeout: Duration,
        base: Duration,
    ) -> Result<Self, WebhookError> {
        let refuse = |why| Err(WebhookError::Address(why));
        let Ok(url) = Url::parse(url.expose_secret().trim()) else {
            return refuse("it is not an absolute URL");
        };
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            _ => return refuse("it must use https:// (http:// only for localhost)"),
        }
        if timeout.is_zero() {
            return refuse("with a timeout of zero no response can arrive");
        }
        // An error means that a provider is already installed, which is sufficient.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .pool_max_idle_per_host(0)
            .connect_timeout(Settings::CONNECT.min(timeout))
            .timeout(timeout);
        if is_loopback(&url) {
            builder = builder.no_proxy();
        }
        if url.scheme() == "http" {
            // Plain HTTP checks no certificates, so a machine without any must still
            // work.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|_| WebhookError::Tls)?;
        Ok(Self { http, url, back_off: BackOff::new(base, 0) })
    }

    /// Sends a report and retries if that may help. If a response is lost, the receiver may get the
    /// report twice.
    ///
    /// # Errors
    /// Fails with the error of the last attempt.
    pub async fn post(&self, report: &(impl Serialize + Sync)) -> Result<(), WebhookError> {
        let mut attempt = 1;
        loop {
            let (error, asked) = match self.once(report).await {
                Ok(response) => match response.status().as_u16() {
                    200..300 => return Ok(()),
                    status @ 300..400 => (WebhookError::Redirected(status), None),
                    status => (WebhookError::Refused(status), requested_wait(&response)),
                },
                Err(error) => (error, None),
            };
            if !error.is_passing() || attempt >= ATTEMPTS {
                return Err(error);
            }
            sleep(self.back_off.delay(attempt).max(asked.unwrap_or_default())).await;
            attempt += 1;
        }
    }

    /// Sends a report once. Only the status of the response is read.
    async fn once(&self, report: &(impl Serialize + Sync)) -> Result<Response, WebhookError> {
        let request = self.http.post(self.url.clone()).header(AGENT, USER_AGENT).json(report);
        request.send().await.map_err(|error| {
            if error.is_timeout() {
                WebhookError::Late
            } else if error.is_connect() {
                WebhookError::Unreached
            } else {
                WebhookError::Lost
            }
        })
    }
}

/// Returns the wait that a response requests, up to our limit.
fn requested_wait(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a webhook, or returns the reason why the address is refused.
    fn made(url: &str) -> Result<Webhook, WebhookError> {
        Webhook::new(&SecretString::from(url), Duration::from_secs(1))
    }

    #[test]
    fn addresses_are_safe_or_refused_without_being_quoted() {
        for good in
            ["https://hooks.example.com/T0/secret", "http://127.0.0.1:1/x", " http://localhost/y\n"]
        {
            assert!(made(good).is_ok(), "{good}");
        }
        for bad in ["hush", "", "http://example.com/hush", "ftp://127.0.0.1/hush", "file:///hush"] {
            let error = made(bad).expect_err(bad);
            assert!(!format!("{error} {error:?}").contains("hush"), "{error}");
        }
        let shown = format!("{:?}", made("https://example.com/hush").expect("it is one"));
        assert!(!shown.contains("hush") && !shown.contains("example"), "{shown}");
    }

    #[tokio::test]
    async fn what_cannot_be_reached_is_tried_again_and_not_named() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it has one").port();
        drop(listener);
        let url = SecretString::from(format!("http://127.0.0.1:{port}/hush"));
        let webhook = Webhook::with_delays(&url, Duration::from_secs(5), Duration::from_millis(1))
            .expect("it is an address");
        let error = webhook.post(&()).await.expect_err("nobody is there");
        assert_eq!((error, error.to_string().as_str()), (WebhookError::Unreached, "connect"));
    }
}
