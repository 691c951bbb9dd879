//! A request as sent on the wire, one per file.
//!
//! # Sources
//! RFC 9112 sections 2 to 7: the request line, headers, and the body by its length or in chunks. A
//! line may end without a carriage return, because editors save it like that.

use super::options::{NO_HOST, RecordingOptions};
use super::request_target::{is_method, of_address, protocol_version, request};
use super::sample::{InputPosition, Sample, body_of, take_host};

/// Returns true if a file begins with a request line.
pub(super) fn is_beginning(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line_of(line).is_some_and(|(_, _, protocol)| protocol.starts_with("HTTP/"))
}

/// Splits a request line.
fn line_of(line: &[u8]) -> Option<(&str, &[u8], &str)> {
    let line = line.trim_ascii_end();
    let first = memchr::memchr(b' ', line)?;
    let last = memchr::memrchr(b' ', line).filter(|last| *last > first)?;
    let method = std::str::from_utf8(&line[..first]).ok().filter(|method| is_method(method))?;
    Some((method, &line[first + 1..last], std::str::from_utf8(&line[last + 1..]).ok()?))
}

pub(super) fn sample_of_raw(
    text: &[u8],
    place: InputPosition,
    options: &RecordingOptions,
) -> Result<Sample, String> {
    let mut unread = text;
    let (method, target, protocol) = next_line(&mut unread)
        .and_then(line_of)
        .ok_or("it does not begin with a request line such as `GET / HTTP/1.1`")?;
    let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
    while let Some(line) = next_line(&mut unread).filter(|line| !line.is_empty()) {
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            // A continued header line (obsolete).
            if let Some((_, value)) = headers.last_mut() {
                value.push(b' ');
                value.extend_from_slice(line.trim_ascii());
            }
            continue;
        }
        let colon = memchr::memchr(b':', line).ok_or("a header has no colon")?;
        let name = String::from_utf8_lossy(line[..colon].trim_ascii()).to_ascii_lowercase();
        headers.push((name, line[colon + 1..].trim_ascii().to_vec()));
    }
    let host = take_host(&mut headers);
    let (is_https, named, target) = match std::str::from_utf8(target).ok().and_then(of_address) {
        Some((is_https, host, target)) => (is_https, Some(host.to_owned()), target.as_bytes()),
        None => (true, None, target),
    };
    let host = named.or(host).or_else(|| options.host.clone()).ok_or(NO_HOST)?;
    let value = |name: &str| {
        headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    };
    let length = value("content-length")
        .and_then(|value| std::str::from_utf8(value).ok()?.parse::<usize>().ok());
    let is_in_chunks =
        value("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case(b"chunked"));
    let body = match length {
        _ if is_in_chunks => chunks(unread).unwrap_or_else(|| unread.to_vec()),
        // Editors add a line end after the body.
        Some(length) if length <= unread.len() => unread[..length].to_vec(),
        _ => unread.to_vec(),
    };
    let mut request = request(method, is_https, &host, target);
    request.version = protocol_version(protocol);
    request.body = body_of(body, &headers);
    request.headers = headers;
    request.has_all_headers = true;
    let id = place.source.rsplit(['/', '\\']).next().map(str::to_owned);
    Ok(Sample { id, place, time: None, request, target: target.to_vec() })
}

/// Takes a line without its line break.
fn next_line<'t>(rest: &mut &'t [u8]) -> Option<&'t [u8]> {
    if rest.is_empty() {
        return None;
    }
    let end = memchr::memchr(b'\n', rest);
    let line = &rest[..end.unwrap_or(rest.len())];
    *rest = end.map_or(&[][..], |end| &rest[end + 1..]);
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

/// Decodes a chunked body up to its end or its first error. Returns `None` without any chunk.
fn chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = None;
    while let Some(line) = next_line(&mut rest) {
        let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let Some(size) = std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| usize::from_str_radix(digits, 16).ok())
        else {
            break;
        };
        let chunk = rest.get(..size)?;
        body.get_or_insert_with(Vec::new).extend_from_slice(chunk);
        rest = &rest[size..];
        if size == 0 {
            break;
        }
        next_line(&mut rest);
    }
    body
}
