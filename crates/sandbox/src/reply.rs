//! A response before it becomes HTTP, and its delivery.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::{Stream, StreamExt, stream};
use serde_json::Value;

use super::envelope::{HandlerResult, Success};

/// Number of spaces that are sent at once.
const PIECE: u64 = 1 << 16;

/// The delivery of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// The body is sent completely and at once.
    Whole,
    /// Half of the body is sent, and then the connection is cut.
    HalfThenReset,
    /// The body is sent byte by byte, with this pause after each.
    Drip(Duration),
    /// The body is sent with this `Content-Length`, which may be wrong.
    Claimed(u64),
    /// The body is followed by this many spaces.
    Padded(u64),
}

/// The format of an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// No spaces.
    Compact,
    /// Two spaces per level, and a space after each colon.
    Indented,
}

impl Layout {
    /// Serializes an envelope.
    fn write(self, body: &Value) -> Vec<u8> {
        match self {
            Self::Compact => body.to_string(),
            Self::Indented => format!("{body:#}"),
        }
        .into_bytes()
    }
}

/// A response before it becomes HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// `Content-Type`.
    kind: &'static str,
    pub(super) body: Vec<u8>,
    /// More headers.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// The delivery of the body.
    pub(super) delivery: Delivery,
}

impl Reply {
    /// Returns a response with any content type.
    fn new(status: u16, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, kind, body: body.into(), headers: Vec::new(), delivery: Delivery::Whole }
    }

    /// Returns an envelope.
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self::text_of_json(status, Layout::Compact.write(body))
    }

    /// Returns an envelope that is already serialized.
    pub(super) fn text_of_json(status: u16, body: Vec<u8>) -> Self {
        Self::new(status, "application/json", body)
    }

    /// Returns an HTML page as Cloudflare's edge sends it: observed in outages of 2026-07.
    pub(super) fn html(status: u16) -> Self {
        Self::new(status, "text/html", format!("<html><body>{status}</body></html>"))
    }

    /// Returns the response for the result of a handler.
    pub(super) fn outcome(outcome: HandlerResult<Success>, layout: Layout) -> Self {
        if outcome == Ok(Success::Empty) {
            return Self::new(204, "application/json", Vec::new());
        }
        match outcome.map(Success::body) {
            Ok(Ok(body)) => Self::text_of_json(200, layout.write(&body)),
            Ok(Err(body)) => Self::new(200, "text/plain", body),
            Err(refusal) => Self::text_of_json(refusal.status, layout.write(&refusal.body())),
        }
    }

    /// Adds a header.
    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Converts to an HTTP response.
    pub(super) fn into_response(self) -> Response {
        let Self { status, kind, body, headers, delivery } = self;
        let mut response = Response::new(Body::empty());
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        response.headers_mut().extend(headers);
        let length = match delivery {
            Delivery::Drip(_) => Some(body.len() as u64),
            Delivery::Claimed(length) => Some(length),
            Delivery::Whole | Delivery::HalfThenReset | Delivery::Padded(_) => None,
        };
        if let Some(length) = length {
            response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
        }
        *response.body_mut() = match delivery {
            Delivery::Whole | Delivery::HalfThenReset => Body::from(body),
            Delivery::Drip(pause) => Body::from_stream(drip(body, pause)),
            // A stream has no known length, so the claimed one is sent.
            Delivery::Claimed(_) => Body::from_stream(stream::iter([sent(body)])),
            Delivery::Padded(blanks) => Body::from_stream(padded(body, blanks)),
        };
        response
    }
}

/// A piece of a body; never fails.
type Sent = Result<Bytes, std::convert::Infallible>;

fn sent(bytes: Vec<u8>) -> Sent {
    Ok(Bytes::from(bytes))
}

/// Streams a body byte by byte.
fn drip(body: Vec<u8>, pause: Duration) -> impl Stream<Item = Sent> + Send + 'static {
    stream::iter(body).then(move |byte| async move {
        // Without a pause, yielding lets the server send the previous byte first.
        if pause.is_zero() {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(pause).await;
        }
        sent(vec![byte])
    })
}

/// Streams a body followed by spaces.
fn padded(body: Vec<u8>, blanks: u64) -> impl Stream<Item = Sent> + Send + 'static {
    let pieces = (0..blanks.div_ceil(PIECE)).map(move |n| PIECE.min(blanks - n * PIECE));
    let blanks = pieces.map(|length| sent(vec![b' '; usize::try_from(length).unwrap_or(0)]));
    stream::iter([sent(body)]).chain(stream::iter(blanks))
}
