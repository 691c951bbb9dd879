//! Lines of access logs in the common and the combined format, with or without the host in front.
//!
//! # Sources
//! httpd.apache.org/docs/2.4/logs.html and nginx.org/en/docs/http/ngx_http_log_module.html, read
//! 2026-11-23: a backslash escapes quotes, backslashes and unprintable bytes; `-` is a missing
//! value. Such logs contain no host, no scheme, no other headers and no body. The protocol is that
//! of Cloudflare's connection to the server, not the client's. The address is Cloudflare's too,
//! unless the server restores the client's address
//! (developers.cloudflare.com/support/troubleshooting/restoring-visitor-ips, read 2026-11-23).

use std::sync::LazyLock;

use ipnet::IpNet;

use super::options::{NO_HOST, RecordingOptions};
use super::request_target::{is_method, of_address, request};
use super::sample::{InputPosition, Sample};
use super::timestamps::of_access_log;
use crate::model::facts::CLOUDFLARE_NETWORKS;

/// Address ranges of Cloudflare.
static OF_CLOUDFLARE: LazyLock<Vec<IpNet>> = LazyLock::new(|| {
    CLOUDFLARE_NETWORKS.iter().filter_map(|network| network.parse().ok()).collect()
});

/// Reads a line. Returns `Ok(None)` if the line logs no HTTP request, for example a TLS greeting to
/// a port without TLS.
pub(super) fn sample_of_line(
    line: &[u8],
    place: InputPosition,
    options: &RecordingOptions,
) -> Result<Option<Sample>, String> {
    const FORM: &str = "it is not a line of an access log in the combined format";
    // The text before the timestamp holds an address, two names, and perhaps the host.
    let open = memchr::memchr(b'[', line).ok_or(FORM)?;
    let close = open + memchr::memchr(b']', &line[open..]).ok_or(FORM)?;
    let front = std::str::from_utf8(&line[..open]).map_err(|_| FORM)?;
    let words: Vec<&str> = front.split_ascii_whitespace().collect();
    let (host, client) = match words.as_slice() {
        [host, client, _, _, ..] if client.parse::<std::net::IpAddr>().is_ok() => {
            (Some(*host), *client)
        }
        [client, _, _, ..] => (None, *client),
        _ => return Err(FORM.to_owned()),
    };
    let time =
        std::str::from_utf8(&line[open + 1..close]).ok().and_then(of_access_log).ok_or(FORM)?;
    let mut unread = &line[close + 1..];
    let first = take_quoted(&mut unread).ok_or(FORM)?;
    // Status and size are between the request and the headers.
    let mut header = |name: &str| {
        let value = take_quoted(&mut unread)?;
        Some((name.to_owned(), if value == b"-" { Vec::new() } else { value }))
    };
    let headers: Vec<(String, Vec<u8>)> =
        [header("referer"), header("user-agent")].into_iter().flatten().collect();
    let mut parts = first.splitn(2, |byte| *byte == b' ');
    let method = parts
        .next()
        .and_then(|method| std::str::from_utf8(method).ok())
        .filter(|method| is_method(method));
    let (Some(method), Some(rest)) = (method, parts.next()) else { return Ok(None) };
    let target = match memchr::memrchr(b' ', rest) {
        Some(at) if rest[at + 1..].starts_with(b"HTTP/") => &rest[..at],
        _ => rest,
    };
    let address = std::str::from_utf8(target).ok().and_then(of_address);
    let (is_https, named, target) = match address {
        Some((is_https, host, target)) => (Some(is_https), Some(host), target.as_bytes()),
        None => (None, None, target),
    };
    let host =
        named.or(host.filter(|host| *host != "-")).or(options.host.as_deref()).ok_or(NO_HOST)?;
    let mut request = request(method, is_https.unwrap_or(true), host, target);
    request.is_scheme_assumed = is_https.is_none();
    request.address = client
        .parse()
        .ok()
        .filter(|client| !OF_CLOUDFLARE.iter().any(|network| network.contains(client)));
    request.headers = headers;
    Ok(Some(Sample { id: None, place, time: Some(time), request, target: target.to_vec() }))
}

/// Takes the next quoted text and removes its escapes.
fn take_quoted(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let mut at = memchr::memchr(b'"', rest)? + 1;
    let mut text = Vec::new();
    loop {
        match (rest.get(at)?, rest.get(at + 1)) {
            (b'"', _) => break,
            (b'\\', Some(b'x')) => {
                let digits =
                    rest.get(at + 2..at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
                match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    Some(byte) => {
                        text.push(byte);
                        at += 4;
                    }
                    None => {
                        text.push(b'\\');
                        at += 1;
                    }
                }
            }
            (b'\\', Some(letter)) => {
                text.push(match letter {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    other => *other,
                });
                at += 2;
            }
            (byte, _) => {
                text.push(*byte);
                at += 1;
            }
        }
    }
    *rest = &rest[at + 1..];
    Some(text)
}
