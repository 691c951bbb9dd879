//! The target of a request line, as bytes and as the text that the rules language sees.

use crate::model::percent_encoded;
use crate::model::request::Request;

/// Builds a request to a host with a target such as `/a?b=c`. Unprintable bytes are
/// percent-encoded. All other facts are unknown.
pub(super) fn request(method: &str, is_https: bool, host: &str, target: &[u8]) -> Request {
    let target = memchr::memchr(b'#', target).map_or(target, |at| &target[..at]);
    let (path, query) = match memchr::memchr(b'?', target) {
        Some(at) => (&target[..at], &target[at + 1..]),
        None => (target, &[][..]),
    };
    let slash = if path.first() == Some(&b'/') { "" } else { "/" };
    Request::of_line(
        method,
        is_https,
        &of_host(host),
        &format!("{slash}{}", printable(path)),
        &printable(query),
    )
}

/// Normalizes a host as rules see it: lower case, no port, no final dot.
pub(super) fn of_host(text: &str) -> String {
    let text = text.trim();
    let host = match text.rsplit_once(':') {
        Some((host, port))
            if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            host
        }
        _ => text,
    };
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// Splits an address into scheme, host and target. Returns `None` unless the scheme is `http` or
/// `https`.
pub(super) fn of_address(address: &str) -> Option<(bool, &str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let is_https = match scheme.to_ascii_lowercase().as_str() {
        "https" | "wss" => true,
        "http" | "ws" => false,
        _ => return None,
    };
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, target) = rest.split_at(at);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    (!host.is_empty()).then_some((is_https, host, if target.is_empty() { "/" } else { target }))
}

/// Returns true if a text is a method.
pub(super) fn is_method(text: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=64).contains(&text.len()) && text.bytes().all(is_token)
}

/// Converts the protocol of a log, such as `h2` or `http/2.0`, to the form of the rules language,
/// `HTTP/2`.
pub(super) fn protocol_version(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    Some(match text.as_str() {
        "http/1.0" => "HTTP/1.0".to_owned(),
        "http/1.1" => "HTTP/1.1".to_owned(),
        "h2" | "http/2" | "http/2.0" => "HTTP/2".to_owned(),
        "h3" | "http/3" | "http/3.0" => "HTTP/3".to_owned(),
        _ => return None,
    })
}

/// Converts bytes to text and percent-encodes those that are not printable ASCII, as clients do.
fn printable(bytes: &[u8]) -> String {
    percent_encoded(bytes, |byte| byte.is_ascii_graphic())
}
