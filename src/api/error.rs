//! Errors between zonewright and Cloudflare.
//!
//! Every variant says how much is known about the *effect* of the request, because the effect
//! decides the next step: a request that was never sent may be repeated, and a write with a lost
//! response must be settled by reading. Texts are fragments that continue "failed to". Secrets are
//! removed from Cloudflare's texts before they get here. Whoever prints the texts escapes control
//! characters.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::error_codes;
use crate::wire::{ApiMessage, Method, Request, reasons};

/// Name of a request in messages: method and path, without its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestName {
    /// HTTP method.
    pub method: Method,
    /// Path below the base URL.
    pub path: String,
}

impl RequestName {
    /// Returns the name of a request.
    #[must_use]
    pub fn of(request: &Request) -> Self {
        Self { method: request.method, path: request.path.clone() }
    }
}

impl fmt::Display for RequestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// Credentials that signed a refused request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    /// The API token.
    Token,
    /// E-mail address and global key.
    Key,
    /// First the token, then the key. Cloudflare refused both; the messages are those for the
    /// token.
    Both,
}

/// Reasons why a request has no usable response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// The settings are unusable; no request was sent.
    #[error("{what}")]
    Settings {
        /// Failed action.
        what: String,
        /// Underlying cause, if any.
        #[source]
        source: Option<Fault>,
    },
    /// The program sent a request that the handle does not allow; nothing was sent.
    #[error("send {request}: {why}")]
    Misused {
        /// Request that failed.
        request: RequestName,
        /// Reason why the request was not sent.
        why: &'static str,
    },
    /// No connection could be made, so nothing was sent.
    #[error("connect for {request}")]
    Unreached {
        /// Request that failed.
        request: RequestName,
        /// Cause of the failure.
        source: Fault,
    },
    /// The request was sent, at least in part, but no complete response arrived.
    #[error("get a complete response to {request}")]
    Lost {
        /// Request that failed.
        request: RequestName,
        /// Cause of the failure.
        source: Fault,
    },
    /// Cloudflare refused the request.
    #[error("complete {request}: HTTP {status}: {}", joined_messages(messages))]
    Refused {
        /// Request that failed.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// Cloudflare's messages.
        messages: Vec<ApiMessage>,
        /// Credentials that signed the request.
        signature: Signature,
    },
    /// The response is not Cloudflare's JSON, for example an HTML page or a truncated body.
    #[error("complete {request}: HTTP {status}: {what}")]
    Garbled {
        /// Request that failed.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// Description of the response.
        what: String,
    },
    /// Cloudflare's rate limit refused the request, with a longer wait or more often than the
    /// client accepts. The request had no effect.
    #[error("complete {request}: HTTP {status}: {}{}", joined_messages(messages), asked_to_wait(*wait))]
    Throttled {
        /// Request that failed.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// Cloudflare's messages.
        messages: Vec<ApiMessage>,
        /// Requested wait, if the response has one.
        wait: Option<Duration>,
    },
    /// The response is a redirect. Redirects are never followed, so that the credentials stay with
    /// their host.
    #[error("complete {request}: HTTP {status}: redirected to {to}, which is never followed")]
    Redirected {
        /// Request that failed.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// Target of the redirect, as far as it may be shown.
        to: String,
    },
    /// The response is larger than any plausible one.
    #[error("read the response to {request}: it has more than {limit}")]
    TooLarge {
        /// Request that failed.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// Size limit in words: `N bytes`.
        limit: String,
    },
    /// The user asked to stop while the request waited; it was not sent.
    #[error("send {request}: the run was stopped while the request waited")]
    Stopped {
        /// Request that failed.
        request: RequestName,
    },
    /// A recording has no response for the request; nothing was sent.
    #[error("find {request} in the snapshot: the snapshot does not contain it")]
    Unrecorded {
        /// Request that failed.
        request: RequestName,
    },
}

/// Joins Cloudflare's messages in one line.
fn joined_messages(messages: &[ApiMessage]) -> String {
    reasons(messages).unwrap_or_else(|| "Cloudflare gave no reason".to_owned())
}

/// Describes the requested wait.
fn asked_to_wait(wait: Option<Duration>) -> String {
    wait.map(|wait| format!(" (asked to wait {} s)", wait.as_secs())).unwrap_or_default()
}

impl ApiError {
    /// Builds an error about the settings.
    pub(super) fn settings(what: impl Into<String>) -> Self {
        Self::Settings { what: what.into(), source: None }
    }

    /// Returns the name of the request, if there was one.
    #[must_use]
    pub fn request(&self) -> Option<&RequestName> {
        match self {
            Self::Settings { .. } => None,
            Self::Misused { request, .. }
            | Self::Unreached { request, .. }
            | Self::Lost { request, .. }
            | Self::Refused { request, .. }
            | Self::Garbled { request, .. }
            | Self::Throttled { request, .. }
            | Self::Redirected { request, .. }
            | Self::TooLarge { request, .. }
            | Self::Stopped { request }
            | Self::Unrecorded { request } => Some(request),
        }
    }

    /// Returns the HTTP status, if a response began.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Settings { .. }
            | Self::Misused { .. }
            | Self::Unreached { .. }
            | Self::Lost { .. }
            | Self::Stopped { .. }
            | Self::Unrecorded { .. } => None,
            Self::Refused { status, .. }
            | Self::Garbled { status, .. }
            | Self::Throttled { status, .. }
            | Self::Redirected { status, .. }
            | Self::TooLarge { status, .. } => Some(*status),
        }
    }

    /// Returns Cloudflare's messages. Empty if there are none.
    #[must_use]
    pub fn messages(&self) -> &[ApiMessage] {
        match self {
            Self::Refused { messages, .. } | Self::Throttled { messages, .. } => messages,
            _ => &[],
        }
    }

    /// Joins Cloudflare's messages in one line. `None` if there are none.
    #[must_use]
    pub fn reasons(&self) -> Option<String> {
        reasons(self.messages())
    }

    /// Returns true if one of Cloudflare's messages has this code.
    #[must_use]
    pub fn has_code(&self, code: i64) -> bool {
        self.messages().iter().any(|message| message.code == Some(code))
    }

    /// Returns true for a failed write that may have taken effect, which only a read can settle.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        if self.request().is_none_or(|request| request.method.is_read()) || self.is_no_such_route()
        {
            return false;
        }
        match self {
            Self::Settings { .. }
            | Self::Misused { .. }
            | Self::Unreached { .. }
            | Self::Throttled { .. }
            | Self::Stopped { .. }
            | Self::Unrecorded { .. } => false,
            Self::Lost { .. } | Self::TooLarge { .. } => true,
            Self::Refused { status, .. } => *status >= 500 && *status != 501,
            // A proxy may send a 408 after it forwarded the request.
            Self::Garbled { status, .. } => !(400..500).contains(status) || *status == 408,
            // A completed write may return "See Other". The other redirects mean that nothing was
            // done.
            Self::Redirected { status, .. } => *status == 303,
        }
    }

    /// Returns true for a write whose status reports success and whose body reports a failure. If
    /// it had no effect, Cloudflare refused it.
    #[must_use]
    pub fn is_contradictory(&self) -> bool {
        match self {
            Self::Refused { request, status, .. } => {
                !request.method.is_read() && (200..300).contains(status)
            }
            _ => false,
        }
    }

    /// Returns true if the response is larger than any plausible one. A smaller page may work.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooLarge { .. })
    }

    /// Returns true if the response cannot be read, so that only the status of a refusal is known.
    #[must_use]
    pub fn is_garbled(&self) -> bool {
        matches!(self, Self::Garbled { .. })
    }

    /// Returns true if Cloudflare lacks this operation, so that another one may work.
    ///
    /// # Sources
    /// Codes 7000, 7001 and 7003 have been seen under 400, 404 and 405.
    #[must_use]
    pub fn is_no_such_route(&self) -> bool {
        match self {
            Self::Refused { status, .. } => {
                matches!(status, 400 | 404 | 405 | 501)
                    && error_codes::ROUTING.iter().any(|code| self.has_code(*code))
            }
            Self::Garbled { status, .. } => matches!(status, 404 | 405 | 501),
            _ => false,
        }
    }
}

/// Reasons why a proxy did not connect to Cloudflare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProxyFault {
    /// The proxy requires credentials, or refuses those that were sent.
    Credentials,
    /// The proxy refused the tunnel or closed the connection.
    NoTunnel,
    /// The proxy cannot be reached, for a reason that the HTTP library does not report.
    Unreached,
}

/// A fault of the transport: name resolution, connection, TLS, or a timeout.
///
/// Its text is the innermost cause, because the outer layers add nothing useful.
pub struct Fault(reqwest::Error);

impl Fault {
    /// Wraps the transport's error without the URL, because the owner of the fault names the
    /// request.
    pub(super) fn new(error: reqwest::Error) -> Self {
        Self(error.without_url())
    }

    /// Returns true for a timeout.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.0.is_timeout()
    }

    /// Returns true if the host's name could not be resolved.
    #[must_use]
    pub fn is_name_resolution(&self) -> bool {
        self.0.is_dns()
    }

    /// Returns the error of the TLS library, if it is the cause.
    pub(super) fn tls(&self) -> Option<&rustls::Error> {
        self.chain().find_map(|error| error.downcast_ref())
    }

    /// Returns the kind of the operating system's error, if it is the cause.
    pub(super) fn io(&self) -> Option<std::io::ErrorKind> {
        self.chain()
            .filter_map(|error| error.downcast_ref::<std::io::Error>())
            .last()
            .map(std::io::Error::kind)
    }

    /// Returns the reason why a proxy did not connect to Cloudflare, if that is the cause.
    ///
    /// The HTTP library has no public type for it, so its text identifies it.
    pub(super) fn proxy(&self) -> Option<ProxyFault> {
        let is_proxy = |said: &String| {
            ["tunnel error", "SOCKS error"].iter().any(|start| said.starts_with(start))
        };
        let proxy_message = self.chain().map(ToString::to_string).find(is_proxy)?;
        // There was no connection to the proxy, so it returned nothing. For SOCKS, the library
        // drops the cause.
        if proxy_message.contains("underlying connection") {
            return proxy_message.starts_with("SOCKS").then_some(ProxyFault::Unreached);
        }
        let credentials =
            ["authorization required", "credentials not accepted", "user/pass", "authentication"];
        let wants_others = credentials.iter().any(|words| proxy_message.contains(words));
        Some(if wants_others { ProxyFault::Credentials } else { ProxyFault::NoTunnel })
    }

    /// Returns true if the response is not HTTP, which also only the text identifies.
    pub(super) fn is_not_http(&self) -> bool {
        self.root().starts_with("invalid HTTP version")
    }

    /// Describes the innermost cause.
    pub(super) fn root(&self) -> String {
        match self.chain().last() {
            Some(error) => error.to_string(),
            None => self.0.to_string(),
        }
    }

    /// Iterates over the causes, the outermost first.
    fn chain(&self) -> impl Iterator<Item = &(dyn Error + 'static)> {
        std::iter::successors(self.0.source(), |&error| cause(error))
    }
}

/// Returns the next cause. An I/O error hides the error that it wraps from `source`, which skips to
/// the cause of the wrapped error.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_timeout() {
            return f.write_str("no response in time");
        }
        f.write_str(&self.root())
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault({:?})", self.root())
    }
}

impl Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(method: Method, status: u16, code: i64) -> ApiError {
        let request = RequestName { method, path: "/zones".to_owned() };
        let messages =
            vec![ApiMessage { code: Some(code), message: "no".to_owned(), pointer: None }];
        ApiError::Refused { request, status, messages, signature: Signature::Token }
    }

    /// Returns a response without an envelope.
    fn garbled(method: Method, status: u16) -> ApiError {
        let request = RequestName { method, path: "/zones".to_owned() };
        ApiError::Garbled { request, status, what: "a page".to_owned() }
    }

    #[test]
    fn only_writes_are_uncertain() {
        assert!(refused(Method::Post, 500, 10013).is_uncertain());
        assert!(!refused(Method::Get, 500, 10013).is_uncertain());
        assert!(!refused(Method::Post, 400, 9021).is_uncertain());
        assert!(!refused(Method::Post, 200, 9021).is_uncertain(), "Cloudflare said no");
        assert!(
            refused(Method::Post, 200, 9021).is_contradictory()
                && !refused(Method::Get, 200, 1).is_contradictory()
        );
        assert!(!refused(Method::Post, 400, 9021).is_contradictory());
        for status in [200, 201, 204, 408, 500, 502, 522] {
            assert!(garbled(Method::Patch, status).is_uncertain(), "{status}");
        }
        assert!(!refused(Method::Post, 501, 1).is_uncertain(), "it is not implemented");
        for status in [403, 404, 405, 413, 501] {
            assert!(!garbled(Method::Patch, status).is_uncertain(), "{status}");
        }
    }

    #[test]
    fn a_missing_operation_is_known_by_its_codes() {
        assert!(refused(Method::Post, 404, 7000).is_no_such_route());
        assert!(refused(Method::Post, 405, 7001).is_no_such_route());
        assert!(refused(Method::Post, 400, 7003).is_no_such_route());
        assert!(
            !refused(Method::Post, 404, 81044).is_no_such_route(),
            "the record is missing, not the route"
        );
        assert!(!refused(Method::Post, 405, 10405).is_no_such_route(), "only this scheme may not");
        assert!(
            garbled(Method::Get, 404).is_no_such_route()
                && !garbled(Method::Get, 403).is_no_such_route()
        );
    }

    #[test]
    fn texts_read_after_failed_to() {
        assert_eq!(
            refused(Method::Post, 400, 9021).to_string(),
            "complete POST /zones: HTTP 400: no (code 9021)"
        );
        assert!(refused(Method::Get, 400, 9021).has_code(9021));
        let request = RequestName { method: Method::Get, path: "/zones".to_owned() };
        let throttled = ApiError::Throttled {
            request,
            status: 429,
            messages: vec![],
            wait: Some(Duration::from_secs(7200)),
        };
        assert_eq!(
            throttled.to_string(),
            "complete GET /zones: HTTP 429: Cloudflare gave no reason (asked to wait 7200 s)"
        );
    }
}
