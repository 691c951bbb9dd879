//! The variables of a request without its body.

use super::Request;
use super::decode::{is_space, percent_decode, url_decode};
use super::transaction::Transaction;
use super::variables::Collection;

/// The client's address. From the range for documentation (RFC 5737), since recorded requests often
/// lack the address.
const CLIENT: &[u8] = b"192.0.2.1";

/// Sets the variables that are known before the body is read.
pub(super) fn read_head(transaction: &mut Transaction<'_>, request: &Request) {
    for (collection, value) in [
        (Collection::RemoteAddr, CLIENT),
        (Collection::RemotePort, b"40000"),
        (Collection::ServerAddr, b"192.0.2.2"),
        (Collection::ServerPort, b"443"),
        (Collection::UniqueId, b"request"),
        (Collection::Duration, b"0"),
        (Collection::WebAppId, b"default"),
        (Collection::InboundDataError, b"0"),
    ] {
        transaction.set(collection, value);
    }
    read_line(transaction, request);
    for (name, value) in &request.headers {
        add_header(transaction, name, value);
    }
}

fn read_line(transaction: &mut Transaction<'_>, request: &Request) {
    let (method, uri, version) =
        (&request.method, request.uri.as_slice(), request.version.as_bytes());
    transaction.set(Collection::RequestMethod, method);
    transaction.set(Collection::RequestProtocol, version);
    transaction
        .set(Collection::RequestLine, &[method, b" ".as_slice(), uri, b" ", version].concat());
    transaction.set(Collection::RequestUriRaw, uri);

    let address = &uri[..uri.iter().position(|byte| *byte == b'#').unwrap_or(uri.len())];
    let question = address.iter().position(|byte| *byte == b'?');
    let path = percent_decode(&address[..question.unwrap_or(address.len())]);
    transaction.set(Collection::PathInfo, &path);
    transaction.set(Collection::RequestFilename, &path);
    if let Some(slash) = path
        .iter()
        .rposition(|byte| matches!(byte, b'/' | b'\\'))
        .filter(|slash| slash + 1 < path.len())
    {
        transaction.set(Collection::RequestBasename, &path[slash + 1..]);
    }
    transaction.set(Collection::RequestUri, without_host(&percent_decode(address)));
    let query = question.map(|question| &address[question + 1..]).unwrap_or_default();
    if !query.is_empty() {
        transaction.set(Collection::QueryString, query);
        arguments(transaction, query, (Collection::ArgsGet, Collection::ArgsGetNames));
    }
}

/// Shortens `http://host/path` to `/path`.
fn without_host(uri: &[u8]) -> &[u8] {
    if uri.first() == Some(&b'/') {
        return uri;
    }
    let authority = uri
        .iter()
        .position(|byte| *byte == b':')
        .filter(|colon| uri[colon + 1..].starts_with(b"//"))
        .map(|colon| colon + 3);
    authority
        .and_then(|start| {
            uri[start..].iter().position(|byte| *byte == b'/').map(|slash| &uri[start + slash..])
        })
        .unwrap_or(uri)
}

/// Adds the arguments of a query or of a form.
pub(super) fn arguments(
    transaction: &mut Transaction<'_>,
    text: &[u8],
    own: (Collection, Collection),
) {
    for pair in text.split(|byte| *byte == b'&') {
        // A separator at the end separates nothing.
        if pair.is_empty() {
            continue;
        }
        let (name, value) = match pair.iter().position(|byte| *byte == b'=') {
            Some(equals) => (&pair[..equals], &pair[equals + 1..]),
            None => (pair, &b""[..]),
        };
        let (name, broken_name) = url_decode(name);
        let (value, broken_value) = url_decode(value);
        if broken_name || broken_value {
            transaction.set(Collection::UrlEncodedError, b"1");
        }
        if !transaction.add_argument(&name, &value, Some(own), true) {
            return;
        }
    }
}

fn add_header(transaction: &mut Transaction<'_>, name: &[u8], value: &[u8]) {
    transaction.add(Collection::RequestHeaders, name, value);
    transaction.add_name(Collection::RequestHeadersNames, name);
    match name.to_ascii_lowercase().as_slice() {
        b"cookie" => cookies(transaction, value),
        b"authorization" => {
            let scheme = value.split(|byte| *byte == b' ').next().unwrap_or_default();
            transaction.set(Collection::AuthType, scheme);
        }
        b"host" => {
            let host = value.split(|byte| *byte == b':').next().unwrap_or_default();
            transaction.set(Collection::ServerName, host);
        }
        b"content-type" => {
            let lower = value.to_ascii_lowercase();
            if lower.starts_with(b"multipart/form-data") {
                transaction.set(Collection::ReqbodyProcessor, b"MULTIPART");
            } else if lower.starts_with(b"application/x-www-form-urlencoded") {
                transaction.set(Collection::ReqbodyProcessor, b"URLENCODED");
            }
        }
        _ => {}
    }
}

fn cookies(transaction: &mut Transaction<'_>, value: &[u8]) {
    for cookie in value.trim_ascii_end().split(|byte| *byte == b';') {
        let (name, value) = match cookie.iter().position(|byte| *byte == b'=') {
            Some(equals) => (&cookie[..equals], &cookie[equals + 1..]),
            None => (cookie, &b""[..]),
        };
        let name = &name[name.iter().position(|byte| !is_space(*byte)).unwrap_or(name.len())..];
        if !name.is_empty() {
            transaction.add(Collection::RequestCookies, name, value);
            transaction.add_name(Collection::RequestCookiesNames, name);
        }
    }
}
