//! Requests as JSON lines: the form of our own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use data_encoding::BASE64;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::error::describe_json_error;
use super::options::{NO_HOST, RecordingOptions};
use super::request_target::{is_method, of_address, protocol_version, request};
use super::sample::{InputPosition, Sample, body_of, take_host};
use super::timestamps;
use crate::model::request::{Body, Given, clip};

/// A request as it is written in a line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(expecting = "an object with `method` and `uri`")]
pub struct Line<'a> {
    /// Its Ray ID, or another name.
    #[serde(default)]
    pub id: Option<String>,
    /// The method, such as `POST`.
    pub method: String,
    /// The path and the query, or the whole address.
    pub uri: String,
    /// The protocol, such as `HTTP/1.1`.
    #[serde(default)]
    pub version: Option<String>,
    /// Names and values of all headers in their order; the value `null` means that the request may
    /// have this header. If all are missing, they are unknown.
    #[serde(default)]
    pub headers: Option<Vec<(String, Option<String>)>>,
    /// The body in base64, without transfer coding. If it is missing, there is none as far as the
    /// headers tell; `null`: unknown.
    #[serde(default = "no_body", borrow)]
    pub body: Option<Cow<'a, str>>,
    /// The address of the client.
    #[serde(default)]
    pub ip: Option<std::net::IpAddr>,
    /// When it was made: text as in RFC 3339, or seconds, milliseconds or nanoseconds since 1970.
    #[serde(default)]
    pub time: Option<Json>,
    /// Fields of the rules language, such as `ip.src.country` or `cf.bot_management.score`.
    #[serde(default)]
    pub fields: BTreeMap<String, Json>,
}

/// Returns the default of a missing body.
fn no_body() -> Option<Cow<'static, str>> {
    Some(Cow::Borrowed(""))
}

impl Line<'_> {
    /// Returns the bytes of the body; `None` if it is unknown.  # Errors Fails if the body is not
    /// base64.
    pub fn body(&self) -> Result<Option<Vec<u8>>, String> {
        let decode = |text: &Cow<'_, str>| BASE64.decode(text.as_bytes());
        self.body.as_ref().map(decode).transpose().map_err(|_| "`body` is not base64".to_owned())
    }
}

/// Reads a line.
pub(super) fn parse_line(text: &[u8]) -> Result<Line<'_>, String> {
    serde_json::from_slice(text).map_err(|error| describe_json_error(&error))
}

/// Converts a line to a request.
pub(super) fn sample_of_json(
    line: Line<'_>,
    place: InputPosition,
    options: &RecordingOptions,
) -> Result<Sample, String> {
    let body = line.body()?;
    let Line { id, method, uri, version: protocol, headers, body: _, ip, time, fields } = line;
    if !is_method(&method) {
        return Err("`method` is not a method".to_owned());
    }
    let (is_https, named, target) = match of_address(&uri) {
        Some((is_https, host, target)) => (is_https, Some(host), target),
        None => (true, None, uri.as_str()),
    };
    let has_all_headers = headers.is_some();
    let (mut known, mut unsure) = (Vec::new(), Vec::new());
    for (name, value) in headers.into_iter().flatten() {
        let name = name.to_ascii_lowercase();
        match value {
            Some(value) => known.push((name, value.into_bytes())),
            None => unsure.push(name),
        }
    }
    let mut headers = known;
    let host = take_host(&mut headers).or_else(|| named.map(str::to_owned));
    let host = host.or_else(|| options.host.clone()).ok_or(NO_HOST)?;
    let mut request = request(&method, is_https, &host, target.as_bytes());
    request.body = match body {
        // The headers would tell if the request has a body.
        Some(body) if has_all_headers || !body.is_empty() => body_of(body, &headers),
        _ => Body::Unknown,
    };
    request.has_all_headers = has_all_headers;
    request.unsure_headers = unsure;
    request.headers = headers;
    request.version = protocol.as_deref().and_then(protocol_version);
    request.address = ip;
    for (name, value) in &fields {
        let field_value = given(value)
            .ok_or_else(|| format!("the field `{}` has a value of another kind", clip(name)))?;
        request.state(name, &field_value).map_err(|error| error.to_string())?;
    }
    let time = match time {
        None => None,
        Some(time) => Some(timestamps::of_json(&time).ok_or("`time` is not a valid time")?),
    };
    Ok(Sample { id, place, time, request, target: target.as_bytes().to_vec() })
}

/// Returns the value of a field; `None` for values of other types.
fn given(json: &Json) -> Option<Given> {
    match json {
        Json::Bool(truth) => Some(Given::Truth(*truth)),
        Json::Number(number) => number.as_i64().map(Given::Integer),
        Json::String(text) => Some(Given::Text(text.clone())),
        Json::Array(items) => items.iter().map(given).collect::<Option<_>>().map(Given::Several),
        Json::Null | Json::Object(_) => None,
    }
}
