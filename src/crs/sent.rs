//! Requests of the model as rules see them, and what rules find as plain numbers.

use crate::insight::traffic::{Hit, Hits};
use crate::model::request::{Body, Request};
use crate::seclang;

/// Headers of an ordinary browser, for requests whose headers are not known: rules about missing headers must not match.
const USUAL: [(&str, &str); 3] = [
    ("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
    ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ("accept-language", "en-US,en;q=0.5"),
];
/// What `curl` sends if nothing else is said.
const CURL: &str = "curl/8.14.1";

/// Parts of a request that rules would look at and that are not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unseen {
    /// Some headers.
    pub headers: bool,
    /// The body.
    pub body: bool,
}

/// A request as the rules see it, and what of it is not known. Unknown headers are those of an ordinary browser.
#[must_use]
pub fn as_sent(request: &Request) -> (seclang::Request, Unseen) {
    let bytes = |text: &str| text.as_bytes().to_vec();
    let mark = if request.query.is_empty() { "" } else { "?" };
    let mut headers = vec![(bytes("host"), bytes(&request.host))];
    headers.extend(request.headers.iter().map(|(name, value)| (bytes(name), value.clone())));
    let mut fill = |name: &str, value: &str| {
        if request.header(name).is_none() {
            headers.push((bytes(name), bytes(value)));
        }
    };
    if request.has_all_headers {
        fill("user-agent", CURL);
    } else {
        USUAL.iter().for_each(|(name, value)| fill(name, value));
    }
    let body = match &request.body {
        Body::Known(body) => body.clone(),
        Body::Unknown => Vec::new(),
    };
    if !body.is_empty() || matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") {
        fill("content-length", &body.len().to_string());
    }
    let has_body = !matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    let unseen = Unseen { headers: !request.has_all_headers, body: request.body == Body::Unknown && has_body };
    let sent = seclang::Request {
        method: bytes(&request.method),
        uri: bytes(&format!("{}{mark}{}", request.path, request.query)),
        version: request.version.clone().unwrap_or_else(|| "HTTP/1.1".to_owned()),
        headers,
        body,
    };
    (sent, unseen)
}

/// What rules found.
#[must_use]
pub fn hits(outcome: &seclang::Outcome) -> Hits {
    let hit =
        |hit: &seclang::Hit| Hit { rule: hit.rule, level: hit.level, score: u32::try_from(hit.score).unwrap_or(0) };
    Hits { hits: outcome.hits.iter().map(hit).collect(), undecided: outcome.undecided.clone() }
}
