//! What can go wrong between us and Cloudflare.
//!
//! Every variant says how much is known about the *effect* of the request, because that decides
//! what may follow: a request that never left may be repeated, a write whose response is lost must
//! be settled by reading. Texts are fragments that read after "failed to". Secrets are removed from
//! Cloudflare's texts before they get here; control characters in them are for those who print them
//! to escape.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::error_codes;
use crate::wire::{ApiMessage, Method, Request, reasons};

/// A request's name in messages: method and path, without its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestName {
    /// The method.
    pub method: Method,
    /// The path below the base URL.
    pub path: String,
}

impl RequestName {
    /// The name of a request.
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

/// With what a refused request was signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    /// The API token.
    Token,
    /// E-mail address and global key.
    Key,
    /// The token and then the key; both were refused, and the messages are those for the token.
    Both,
}

/// Why a request has no good answer.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The settings are unusable; there was no request.
    #[error("{what}")]
    Settings {
        /// What could not be done with them.
        what: String,
        /// The cause, if there is one beneath.
        #[source]
        source: Option<Fault>,
    },
    /// The program asked for something that it may not; nothing was sent.
    #[error("send {request}: {why}")]
    Misused {
        /// The request.
        request: RequestName,
        /// Why it was not sent.
        why: &'static str,
    },
    /// There was no connection, so nothing was sent.
    #[error("connect for {request}")]
    Unreached {
        /// The request.
        request: RequestName,
        /// The cause.
        source: Fault,
    },
    /// The request was sent, at least in part, and no whole answer came.
    #[error("get a complete response to {request}")]
    Lost {
        /// The request.
        request: RequestName,
        /// The cause.
        source: Fault,
    },
    /// Cloudflare said no.
    #[error("complete {request}: HTTP {status}: {}", said(messages))]
    Refused {
        /// The request.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// Cloudflare's reasons.
        messages: Vec<ApiMessage>,
        /// With what it was signed.
        signature: Signature,
    },
    /// An answer that is not Cloudflare's JSON: an HTML page, a cut body, something else.
    #[error("complete {request}: HTTP {status}: {what}")]
    Garbled {
        /// The request.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// What came instead.
        what: String,
    },
    /// Cloudflare limited requests, with a longer wait or more often than the client accepts; the
    /// request had no effect.
    #[error("complete {request}: HTTP {status}: {}{}", said(messages), asked_to_wait(*wait))]
    Throttled {
        /// The request.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// Cloudflare's reasons.
        messages: Vec<ApiMessage>,
        /// How long it asked to wait, if it said so.
        wait: Option<Duration>,
    },
    /// The answer points elsewhere. It is never followed: the credentials stay with the host they
    /// are meant for.
    #[error("complete {request}: HTTP {status}: redirected to {to}, which is never followed")]
    Redirected {
        /// The request.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// Where to, as far as it may be shown.
        to: String,
    },
    /// The answer is larger than any that makes sense.
    #[error("read the response to {request}: it has more than {limit}")]
    TooLarge {
        /// The request.
        request: RequestName,
        /// HTTP status.
        status: u16,
        /// The most that is read, in words: `N bytes`.
        limit: String,
    },
    /// The user wants to stop, and the request would have had to wait; it was not sent.
    #[error("send {request}: the run was stopped while the request waited")]
    Stopped {
        /// The request.
        request: RequestName,
    },
    /// The answer is looked for in a recording that does not have it; nothing was sent.
    #[error("find {request} in the snapshot: the snapshot does not contain it")]
    Unrecorded {
        /// The request.
        request: RequestName,
    },
}

/// Cloudflare's reasons in one line.
fn said(messages: &[ApiMessage]) -> String {
    reasons(messages).unwrap_or_else(|| "Cloudflare gave no reason".to_owned())
}

/// How long Cloudflare asked to wait.
fn asked_to_wait(wait: Option<Duration>) -> String {
    wait.map(|wait| format!(" (asked to wait {} s)", wait.as_secs())).unwrap_or_default()
}

impl ApiError {
    /// An error in the settings.
    pub(super) fn settings(what: impl Into<String>) -> Self {
        Self::Settings { what: what.into(), source: None }
    }

    /// The request's name, if there was a request.
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

    /// The HTTP status, if an answer began.
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

    /// Cloudflare's reasons; empty if it gave none.
    #[must_use]
    pub fn messages(&self) -> &[ApiMessage] {
        match self {
            Self::Refused { messages, .. } | Self::Throttled { messages, .. } => messages,
            _ => &[],
        }
    }

    /// Cloudflare's reasons in one line; `None` if it gave none.
    #[must_use]
    pub fn reasons(&self) -> Option<String> {
        reasons(self.messages())
    }

    /// Whether one of Cloudflare's reasons has this code.
    #[must_use]
    pub fn has_code(&self, code: i64) -> bool {
        self.messages().iter().any(|message| message.code == Some(code))
    }

    /// Whether this was a write that may have taken effect all the same: only reading can tell.
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
            // A proxy may send a 408 after it has passed the request on.
            Self::Garbled { status, .. } => !(400..500).contains(status) || *status == 408,
            // "See Other" is what a completed write may answer; the others mean "ask there
            // instead".
            Self::Redirected { status, .. } => *status == 303,
        }
    }

    /// Whether this was a write to which the status says yes and the body no: it had an effect or
    /// it had none, and if it had none, it was refused.
    #[must_use]
    pub fn is_contradictory(&self) -> bool {
        match self {
            Self::Refused { request, status, .. } => {
                !request.method.is_read() && (200..300).contains(status)
            }
            _ => false,
        }
    }

    /// Whether the answer has more than makes sense; that of a smaller page may not.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooLarge { .. })
    }

    /// Whether there was an answer that cannot be read: of a refusal only the status is known.
    #[must_use]
    pub fn is_garbled(&self) -> bool {
        matches!(self, Self::Garbled { .. })
    }

    /// Whether Cloudflare lacks this operation, so that another way may be tried.
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

/// Why a proxy did not lead to Cloudflare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProxyFault {
    /// It wants credentials, or others.
    Credentials,
    /// It refused, or went away.
    NoTunnel,
    /// There is no connection to it, for a reason that the HTTP library does not tell.
    Unreached,
}

/// A fault of the transport: names, connections, TLS, time.
///
/// Its text is the innermost cause, the layers above it say nothing that helps.
pub struct Fault(reqwest::Error);

impl Fault {
    /// Wraps the transport's error, without the URL: the request is named by those who hold this.
    pub(super) fn new(error: reqwest::Error) -> Self {
        Self(error.without_url())
    }

    /// Whether time ran out.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.0.is_timeout()
    }

    /// Whether the host's name could not be resolved.
    #[must_use]
    pub fn is_name_resolution(&self) -> bool {
        self.0.is_dns()
    }

    /// The error of the TLS library, if it is one.
    pub(super) fn tls(&self) -> Option<&rustls::Error> {
        self.chain().find_map(|error| error.downcast_ref())
    }

    /// The kind of the operating system's error, if it is one.
    pub(super) fn io(&self) -> Option<std::io::ErrorKind> {
        self.chain()
            .filter_map(|error| error.downcast_ref::<std::io::Error>())
            .last()
            .map(std::io::Error::kind)
    }

    /// Why a proxy did not lead to Cloudflare, if that is the cause.
    ///
    /// The HTTP library has no type for it that can be named, so it is known by its words.
    pub(super) fn proxy(&self) -> Option<ProxyFault> {
        let is_proxy = |said: &String| {
            ["tunnel error", "SOCKS error"].iter().any(|start| said.starts_with(start))
        };
        let said = self.chain().map(ToString::to_string).find(is_proxy)?;
        // There was no connection to the proxy itself, so it said nothing. With SOCKS the cause of
        // that is lost.
        if said.contains("underlying connection") {
            return said.starts_with("SOCKS").then_some(ProxyFault::Unreached);
        }
        let credentials =
            ["authorization required", "credentials not accepted", "user/pass", "authentication"];
        let wants_others = credentials.iter().any(|words| said.contains(words));
        Some(if wants_others { ProxyFault::Credentials } else { ProxyFault::NoTunnel })
    }

    /// Whether what came is no HTTP at all. Known by its words as well.
    pub(super) fn is_not_http(&self) -> bool {
        self.root().starts_with("invalid HTTP version")
    }

    /// The innermost cause in words.
    pub(super) fn root(&self) -> String {
        match self.chain().last() {
            Some(error) => error.to_string(),
            None => self.0.to_string(),
        }
    }

    /// The causes, the outermost first.
    fn chain(&self) -> impl Iterator<Item = &(dyn Error + 'static)> {
        std::iter::successors(self.0.source(), |&error| cause(error))
    }
}

/// The next cause. An I/O error hides the error that it wraps from `source`, which skips to that
/// one's own cause.
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

    /// A refusal.
    fn refused(method: Method, status: u16, code: i64) -> ApiError {
        let request = RequestName { method, path: "/zones".to_owned() };
        let messages =
            vec![ApiMessage { code: Some(code), message: "no".to_owned(), pointer: None }];
        ApiError::Refused { request, status, messages, signature: Signature::Token }
    }

    /// An answer without envelope.
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
