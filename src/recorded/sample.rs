//! A recorded request, and its conversion for the engine of the OWASP rules.

use std::fmt;
use std::sync::Arc;

use crate::model::request::{Body, Request};
use crate::seclang;

/// Name of the header that identifies the client.
const USER_AGENT: &str = "user-agent";

/// A recorded request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Ray ID, or another name from the source.
    pub id: Option<String>,
    /// Position in the input.
    pub place: InputPosition,
    /// Time of the request: milliseconds since 1970 in UTC.
    pub time: Option<i64>,
    /// Known facts about the request. Headers are unknown unless `has_all_headers` is true. Single
    /// headers and the body may be unknown too.
    pub request: Request,
    /// Target of the request line as it was sent, such as `/a?b=c`.
    pub target: Vec<u8>,
}

/// Position of a request in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputPosition {
    /// Name of the file; `-` for standard input.
    pub source: Arc<str>,
    /// Number in the file, from 1: a line or a HAR entry. 0 is the file itself.
    pub number: u64,
    /// True if the number counts lines.
    pub is_line: bool,
}

impl InputPosition {
    pub(super) fn file(source: &Arc<str>) -> Self {
        Self { source: source.clone(), number: 0, is_line: false }
    }

    pub(super) fn line(source: &Arc<str>, number: u64) -> Self {
        Self { source: source.clone(), number, is_line: true }
    }

    pub(super) fn entry(source: &Arc<str>, number: u64) -> Self {
        Self { source: source.clone(), number, is_line: false }
    }
}

impl fmt::Display for InputPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, number, is_line } = self;
        let source = if &**source == "-" { "standard input" } else { source };
        match (number, is_line) {
            (0, _) => f.write_str(source),
            (number, true) => write!(f, "{source}:{number}"),
            (number, false) => write!(f, "{source}, entry {number}"),
        }
    }
}

impl Sample {
    /// Creates a sample from a hand-written request, such as a `curl` command.
    #[must_use]
    pub fn of(request: Request, source: &str) -> Self {
        let mark = if request.query.is_empty() { "" } else { "?" };
        let target = format!("{}{mark}{}", request.path, request.query).into_bytes();
        Self { id: None, place: InputPosition::file(&source.into()), time: None, request, target }
    }

    /// Returns true if everything that rules read is known: the headers, and the body of a request
    /// that can have one.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let Request { method, has_all_headers, unsure_headers, body, .. } = &self.request;
        let is_known = match body {
            Body::Known(_) => true,
            Body::Unknown => matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS"),
            Body::Partial(_) => false,
        };
        *has_all_headers && is_known && unsure_headers.iter().all(|name| name == USER_AGENT)
    }

    /// Converts the request for the engine of the OWASP rules. Ordinary headers replace unknown
    /// ones, so that no rule about missing headers matches. An unknown body is empty. So more rules
    /// may match than the result shows. An unknown user agent becomes that of `curl`, because
    /// `curl` commands leave it out.
    #[must_use]
    pub fn as_sent(&self) -> seclang::Request {
        let Request {
            method, host, version, headers, has_all_headers, unsure_headers, body, ..
        } = &self.request;
        let mut sent = vec![(b"Host".to_vec(), host.clone().into_bytes())];
        sent.extend(headers.iter().map(|(name, value)| (name.clone().into_bytes(), value.clone())));
        let body = body.bytes().to_vec();
        let has = |name: &str| headers.iter().any(|(known, _)| known == name);
        let mut add = |name: &str, value: &str| {
            sent.push((name.as_bytes().to_vec(), value.as_bytes().to_vec()))
        };
        if !has_all_headers {
            for (name, value) in [(USER_AGENT, "Mozilla/5.0 (compatible)"), ("accept", "*/*")] {
                if !has(name) {
                    add(name, value);
                }
            }
        } else if unsure_headers.iter().any(|name| name == USER_AGENT) {
            add(USER_AGENT, "curl/8.14.1");
        }
        // HTTP/2 requests may lack the length of the body, but rules expect it.
        let is_bodyless = matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS");
        let needs_length = !body.is_empty() || (!has_all_headers && !is_bodyless);
        if needs_length && !has("content-length") && !has("transfer-encoding") {
            add("content-length", &body.len().to_string());
        }
        // Assumed: Cloudflare's ruleset accepts newer protocols, unlike older public ones.
        let version = match version.as_deref() {
            Some("HTTP/3") => "HTTP/2",
            Some(version) => version,
            None => "HTTP/1.1",
        };
        let (method, uri) = (method.clone().into_bytes(), self.target.clone());
        seclang::Request { method, uri, version: version.to_owned(), headers: sent, body }
    }
}

/// Interprets a recorded body with its headers: an export may leave out all of the body, or its
/// end.
pub(super) fn body_of(recorded: Vec<u8>, headers: &[(String, Vec<u8>)]) -> Body {
    let value = |name: &str| {
        headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    };
    let length = value("content-length")
        .and_then(|value| std::str::from_utf8(value).ok()?.trim().parse::<usize>().ok());
    // After decoding, the length differs from the header's.
    let is_in_chunks = value("transfer-encoding").is_some();
    match (recorded.is_empty(), length) {
        (true, Some(0)) => Body::Known(recorded),
        (true, length) if is_in_chunks || length.is_some() => Body::Unknown,
        (false, Some(length)) if !is_in_chunks && length > recorded.len() => {
            Body::Partial(recorded)
        }
        (..) => Body::Known(recorded),
    }
}

/// Removes the host from headers, whose names are in lower case.
pub(super) fn take_host(headers: &mut Vec<(String, Vec<u8>)>) -> Option<String> {
    let at = headers.iter().position(|(name, _)| name == "host")?;
    Some(String::from_utf8_lossy(&headers.remove(at).1).into_owned())
}
