//! HTTP archives, as browsers and proxies export them. Only one entry is in memory at a time.
//!
//! # Sources
//! w3c.github.io/web-performance/specs/HAR/Overview.html, read 2026-11-23. Browsers leave out
//! cookies and credentials by default. Assumed: tools that hide a value write `redacted` in its
//! place.

use std::sync::Arc;

use data_encoding::BASE64;
use serde::Deserialize;

use super::compression::Bytes;
use super::error::{ReadError, describe_json_error};
use super::request_limits::Limited;
use super::request_target::{is_method, of_address, protocol_version, request};
use super::sample::{InputPosition, Sample, body_of, take_host};
use super::timestamps::of_rfc3339;
use crate::model::request::Body;

/// Headers that exports may leave out. After an entry with such a header, later entries without it
/// are known to have none.
const LEFT_OUT: [&str; 2] = ["cookie", "authorization"];

/// An entry of the archive, with the members that are used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an entry, which is an object")]
struct HarEntry {
    #[serde(default)]
    started_date_time: Option<String>,
    request: Asked,
    #[serde(default)]
    response: Option<Response>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a request, which is an object")]
struct Asked {
    method: String,
    url: String,
    #[serde(default)]
    http_version: Option<String>,
    #[serde(default)]
    headers: Vec<Header>,
    #[serde(default)]
    post_data: Option<PostData>,
    #[serde(default)]
    body_size: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a response, which is an object")]
struct Response {
    #[serde(default)]
    headers: Vec<Header>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a header, which is an object")]
struct Header {
    name: String,
    #[serde(default)]
    value: String,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "the data of a request, which is an object")]
struct PostData {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

pub(super) struct Entries {
    bytes: Limited<Bytes>,
    source: Arc<str>,
    number: u64,
    is_over: bool,
    /// Headers of [`LEFT_OUT`] that the archive was seen to keep.
    keeps: [bool; 2],
}

impl Entries {
    pub(super) fn new(bytes: Limited<Bytes>, source: Arc<str>) -> Self {
        Self { bytes, source, number: 0, is_over: false, keeps: [false; 2] }
    }

    /// Reads the next entry that is an HTTP request.
    fn read(&mut self) -> Result<Option<Sample>, ReadError> {
        if self.number == 0 && !find_entries(&mut self.bytes).map_err(|why| self.fatal(&why))? {
            return Err(self.fatal("it has no `log.entries`, so it is not an HTTP archive"));
        }
        loop {
            match byte(&mut self.bytes).map_err(|why| self.fatal(&why))? {
                b']' => return Ok(None),
                b',' if self.number > 0 => {
                    self.bytes.take().map_err(|error| self.fatal(&error.to_string()))?
                }
                _ if self.number == 0 => {}
                _ => return Err(self.fatal("there is no comma after an entry")),
            }
            self.number += 1;
            self.bytes.limit();
            let entry =
                HarEntry::deserialize(&mut serde_json::Deserializer::from_reader(&mut self.bytes));
            self.bytes.unlimit();
            let entry = entry.map_err(|error| self.fatal(&describe_json_error(&error)))?;
            let place = InputPosition::entry(&self.source, self.number);
            match sample_of_entry(entry, place.clone(), &mut self.keeps) {
                Ok(None) => {}
                Ok(Some(sample)) => return Ok(Some(sample)),
                Err(why) => return Err(ReadError::of_one(place, why)),
            }
        }
    }

    /// Returns the error of a broken archive.
    fn fatal(&self, why: &str) -> ReadError {
        ReadError::fatal(InputPosition::entry(&self.source, self.number), why)
    }
}

impl Iterator for Entries {
    type Item = Result<Sample, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let read = self.read().transpose();
        self.is_over =
            read.as_ref().is_none_or(|read| read.as_ref().is_err_and(|error| error.is_fatal));
        read
    }
}

/// Converts an entry to a sample. Returns `None` for entries that are not HTTP requests, such as
/// pages within the browser.
fn sample_of_entry(
    entry: HarEntry,
    place: InputPosition,
    keeps: &mut [bool; 2],
) -> Result<Option<Sample>, String> {
    let Asked { method, url, http_version, headers, post_data, body_size } = entry.request;
    let Some((is_https, host, target)) = of_address(&url) else { return Ok(None) };
    if !is_method(&method) {
        return Err("its method is not an HTTP method".to_owned());
    }
    // Names that begin with a colon are not headers; HTTP/2 has the request line in them.
    let real_headers = headers.into_iter().filter(|header| !header.name.starts_with(':'));
    let mut headers: Vec<_> = real_headers
        .map(|header| (header.name.to_ascii_lowercase(), header.value.into_bytes()))
        .collect();
    let host = take_host(&mut headers).unwrap_or_else(|| host.to_owned());
    let target = target.split('#').next().unwrap_or_default();
    let mut request = request(&method, is_https, &host, target.as_bytes());
    request.version = http_version.as_deref().and_then(protocol_version);
    request.body = match post_data.and_then(|data| Some((data.text?, data.encoding))) {
        Some((text, Some(encoding))) if encoding == "base64" => {
            body_of(BASE64.decode(text.as_bytes()).map_err(|_| "its body is not base64")?, &headers)
        }
        Some((text, _)) => body_of(text.into_bytes(), &headers),
        None if body_size == Some(0.0) || matches!(method.as_str(), "GET" | "HEAD") => {
            Body::Known(Vec::new())
        }
        None => Body::Unknown,
    };
    for (name, keeps) in LEFT_OUT.iter().zip(keeps) {
        let is_redacted =
            |value: &[u8]| value.to_ascii_lowercase().windows(8).any(|part| part == b"redacted");
        let count = headers.len();
        headers.retain(|(known, value)| known != name || !is_redacted(value));
        let has_value = headers.iter().any(|(known, value)| known == name && !value.is_empty());
        *keeps |= has_value;
        if !has_value && (!*keeps || headers.len() < count) {
            request.unsure_headers.push((*name).to_owned());
        }
    }
    request.headers = headers;
    request.has_all_headers = true;
    let of_response = entry.response.map(|response| response.headers).unwrap_or_default();
    let ray = of_response
        .into_iter()
        .find(|header| header.name.eq_ignore_ascii_case("cf-ray"))
        .map(|ray| ray.value);
    let id = ray.map(|ray| ray.split('-').next().unwrap_or_default().to_owned());
    let time = entry.started_date_time.as_deref().and_then(of_rfc3339);
    Ok(Some(Sample { id, place, time, request, target: target.as_bytes().to_vec() }))
}

/// Advances to the first entry. Returns `false` if the archive has none.
fn find_entries(bytes: &mut Limited<Bytes>) -> Result<bool, String> {
    let mut depth = 0;
    expect(bytes, b'{')?;
    loop {
        if byte(bytes)? == b'}' {
            return Ok(false);
        }
        let key = take_text(bytes)?;
        expect(bytes, b':')?;
        match (depth, key.as_slice()) {
            (0, b"log") => {
                expect(bytes, b'{')?;
                depth = 1;
                continue;
            }
            (1, b"entries") => return expect(bytes, b'[').map(|()| true),
            _ => skip(bytes)?,
        }
        match byte(bytes)? {
            b',' => advance(bytes)?,
            b'}' => return Ok(false),
            _ => return Err("it is not JSON: a comma is missing".to_owned()),
        }
    }
}

/// Peeks at the next byte that is not blank.
fn byte(bytes: &mut Limited<Bytes>) -> Result<u8, String> {
    loop {
        match bytes.peek().map_err(|error| error.to_string())? {
            Some(b' ' | b'\n' | b'\r' | b'\t') => advance(bytes)?,
            Some(byte) => return Ok(byte),
            None => return Err("the file ends too early".to_owned()),
        }
    }
}

fn advance(bytes: &mut Limited<Bytes>) -> Result<(), String> {
    bytes.take().map_err(|error| error.to_string())
}

fn expect(bytes: &mut Limited<Bytes>, expected: u8) -> Result<(), String> {
    match byte(bytes)? {
        found if found == expected => advance(bytes),
        _ => Err(format!("it is not an HTTP archive: `{}` is missing", char::from(expected))),
    }
}

/// Takes a JSON string. Keeps only the beginning of a long one.
fn take_text(bytes: &mut Limited<Bytes>) -> Result<Vec<u8>, String> {
    expect(bytes, b'"')?;
    let (mut text, mut is_escaped) = (Vec::new(), false);
    loop {
        let Some(byte) = bytes.peek().map_err(|error| error.to_string())? else {
            return Err("the file ends within a text".to_owned());
        };
        advance(bytes)?;
        match byte {
            b'"' if !is_escaped => return Ok(text),
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
        if text.len() < 64 {
            text.push(byte);
        }
    }
}

/// Takes a JSON value without keeping it.
fn skip(bytes: &mut Limited<Bytes>) -> Result<(), String> {
    let mut depth = 0_u64;
    loop {
        match byte(bytes)? {
            b'"' => drop(take_text(bytes)?),
            b'{' | b'[' => {
                depth += 1;
                advance(bytes)?;
                continue;
            }
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                advance(bytes)?;
            }
            b',' | b':' if depth > 0 => {
                advance(bytes)?;
                continue;
            }
            b',' | b':' | b'}' | b']' => {
                return Err("it is not JSON: a value is missing".to_owned());
            }
            _ => {
                while bytes
                    .peek()
                    .map_err(|error| error.to_string())?
                    .is_some_and(|b| !b" \n\r\t,:{}[]\"".contains(&b))
                {
                    advance(bytes)?;
                }
            }
        }
        if depth == 0 {
            return Ok(());
        }
    }
}
