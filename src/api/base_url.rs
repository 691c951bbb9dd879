//! The base URL: validation, and the URLs of requests below it.
//!
//! The credentials are sent to this URL, so it is checked before the first request.

use reqwest::Url;

use super::error::{ApiError, RequestName};
use crate::wire::Request;

/// A base URL that credentials may be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BaseUrl {
    /// URL whose path has no final slash.
    url: Url,
    path: String,
}

impl BaseUrl {
    /// Parses a base URL, with or without a final slash.
    ///
    /// # Errors
    /// Fails with [`ApiError::Settings`] if the text is not a URL, if the URL is neither HTTPS nor
    /// plain HTTP to this machine, or if it has a user name, a password, a query or a fragment.
    pub(super) fn read(text: &str) -> Result<Self, ApiError> {
        // A URL with a password is refused before it is quoted anywhere.
        let refuse = |why: &str| Err(ApiError::settings(format!("use the base URL: {why}")));
        let Ok(url) = Url::parse(text.trim()) else {
            return refuse(
                "it is not an absolute URL such as `https://api.cloudflare.com/client/v4`",
            );
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("it must not hold a user name or a password");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse("it must not have a query or a fragment");
        }
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            _ => return refuse("it must use https:// (http:// only for localhost)"),
        }
        let path = url.path().trim_end_matches('/').to_owned();
        Ok(Self { url, path })
    }

    /// Returns true if the URL points to this machine.
    pub(super) fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    /// Returns true for plain HTTP.
    pub(super) fn is_plain(&self) -> bool {
        self.url.scheme() == "http"
    }

    /// Returns the URL of a request.
    ///
    /// # Errors
    /// Fails with [`ApiError::Misused`] if the URL library would change the path (`..`, `?`, `#`,
    /// spaces): an identifier with such characters could turn one request into another.
    pub(super) fn url(&self, request: &Request) -> Result<Url, ApiError> {
        let misused = || ApiError::Misused {
            request: RequestName::of(request),
            why: "its path must begin with a slash and hold nothing that needs encoding",
        };
        let path = format!("{}{}", self.path, request.path);
        let mut url = self.url.clone();
        url.set_path(&path);
        if !request.path.starts_with('/') || url.path() != path {
            return Err(misused());
        }
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        Ok(url)
    }
}

/// Returns true if a URL's host always means this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    if host.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Method;

    #[test]
    fn plain_http_is_for_this_machine_only() {
        for good in [
            "https://api.cloudflare.com/client/v4",
            "https://api.cloudflare.com/client/v4/",
            "http://localhost:8787",
            "http://127.0.0.1:1/client/v4",
            "http://127.9.9.9",
            "http://[::1]:8080/",
        ] {
            assert!(BaseUrl::read(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "api.cloudflare.com",
            "/client/v4",
            "ftp://localhost/",
            "file:///etc/passwd",
            "http://api.cloudflare.com/client/v4",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://0.0.0.0",
            "http://[::ffff:8.8.8.8]",
            "http://192.168.1.1",
            "https://user@example.com/",
            "https://user:hush@example.com/",
            "https://example.com/?a=b",
            "https://example.com/#a",
        ] {
            let error = BaseUrl::read(bad).expect_err(bad).to_string();
            assert!(
                error.starts_with("use the base URL: ") && !error.contains("hush"),
                "{bad}: {error}"
            );
        }
    }

    #[test]
    fn requests_stand_behind_it_exactly_as_written() {
        let base = BaseUrl::read("https://example.com/client/v4//").unwrap();
        let list =
            Request::new(Method::Get, "/zones").query("name", "a b&c.example").query("page", "2");
        assert_eq!(
            base.url(&list).unwrap().as_str(),
            "https://example.com/client/v4/zones?name=a+b%26c.example&page=2"
        );
        assert_eq!(BaseUrl::read("http://[::1]").unwrap().url(&list).unwrap().path(), "/zones");
        for path in [
            "zones",
            "/zones/../user",
            "/zones/%2e%2e/user",
            "/zones?a=b",
            "/zones#a",
            "/zones/a b",
            "@evil",
        ] {
            assert!(base.url(&Request::new(Method::Get, path)).is_err(), "{path}");
        }
    }
}
