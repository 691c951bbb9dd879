//! The proxy between this machine and Cloudflare, for connection reports.

use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;

use super::base_url::BaseUrl;

/// Returns true if the HTTP library understands the value of a variable such as `HTTPS_PROXY`. It
/// ignores other values.
#[must_use]
pub fn is_proxy_address(value: &str) -> bool {
    let destination = Uri::from_static("https://api.cloudflare.com/");
    let proxy = Matcher::builder().all(value).build().intercept(&destination);
    proxy.is_some_and(|proxy| {
        // An address without a number as its port would be used with another port.
        let authority = proxy.uri().authority().map_or("", |authority| authority.as_str());
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let port = host.rsplit_once(':').filter(|(_, port)| !port.contains(']'));
        port.is_none_or(|(_, port)| port.parse::<u16>().is_ok_and(|port| port > 0))
    })
}

/// Returns the proxy that the environment selects for a base URL, as `scheme://host:port` without
/// credentials. The HTTP library selects it in the same way.
#[must_use]
pub fn proxy_in_use(base_url: &str) -> Option<String> {
    if BaseUrl::read(base_url).ok()?.is_loopback() {
        return None;
    }
    let proxy = Matcher::from_system().intercept(&base_url.trim().parse::<Uri>().ok()?)?;
    let uri = proxy.uri();
    let (scheme, host) = (uri.scheme_str().unwrap_or("http"), uri.host()?);
    Some(
        uri.port_u16().map_or_else(
            || format!("{scheme}://{host}"),
            |port| format!("{scheme}://{host}:{port}"),
        ),
    )
}
