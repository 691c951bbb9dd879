//! Refuses requests that web pages send to a sandbox.
//!
//! A page in a browser on the same machine can send requests to the sandbox: at a loopback address,
//! or at a name that the page's owner points to one (DNS rebinding), which makes the responses
//! readable. Browsers send that host in `Host`, and the page in `Origin`; API clients do not send
//! `Origin`. Cloudflare has no such check.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;

use super::envelope::{HandlerResult, Refusal};

/// Refuses a request that a web page may have sent.
///
/// # Errors
/// 403, without a code, if the request has an `Origin`, or names a host that is neither a loopback
/// address nor `localhost` nor one of `hosts`.
pub(super) fn refuse_web_pages(request: &Parts, hosts: &[String]) -> HandlerResult<()> {
    let refused = |reason: String| Err(Refusal::unnumbered(403, reason));
    if request.headers.contains_key(ORIGIN) {
        return refused(
            "the sandbox refuses requests from web pages: send the request without `Origin`"
                .to_owned(),
        );
    }
    let header_hosts =
        request.headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
    // In HTTP/2 the host is part of the URI.
    let named_hosts = header_hosts.chain(request.uri.authority().map(Authority::as_str));
    match named_hosts.into_iter().find(|host| !is_ours(host, hosts)) {
        Some(host) => refused(format!(
            "the sandbox serves loopback addresses and `localhost`, not `{}`",
            host.escape_debug()
        )),
        None => Ok(()),
    }
}

/// Returns true if a host, with or without a port, is one of `hosts` or always refers to this
/// machine.
fn is_ours(host: &str, hosts: &[String]) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    // The part before an `@` is not part of the host.
    if authority.as_str().contains('@') {
        return false;
    }
    let name = authority.host();
    if hosts.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        return true;
    }
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    match address.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        // RFC 6761 section 6.3: `localhost` and its subdomains are loopback addresses.
        Err(_) => name.to_ascii_lowercase().rsplit('.').next() == Some("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_local() {
        let is_local = |host: &str| is_ours(host, &[]);
        for host in [
            "127.0.0.1",
            "127.0.0.1:8787",
            "127.9.9.9",
            "[::1]:80",
            "[::ffff:127.0.0.1]",
            "LocalHost:1",
            "a.localhost",
        ] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8787",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "192.0.2.1",
        ] {
            assert!(!is_local(host), "{host}");
        }
        for host in [
            "127.0.0.1@evil.example",
            "evil.example@127.0.0.1",
            "0.0.0.0",
            "2130706433",
            "[::]",
            "a b",
            "localhost.",
        ] {
            assert!(!is_local(host), "{host}");
        }
        let named = ["API.test".to_owned()];
        assert!(
            is_ours("api.test:443", &named)
                && is_ours("localhost", &named)
                && !is_ours("x.api.test", &named)
        );
    }
}
