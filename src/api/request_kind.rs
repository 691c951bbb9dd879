//! Kinds of requests: groups of calls that Cloudflare permits, refuses and counts together.
//!
//! A kind consists of the access (read or write) and the path without identifiers: `GET
//! /zones/023e…/dns_records/372e…` belongs to *read zones/dns_records*. The permissions of tokens
//! apply to a kind, and so do some rate limits.

use std::fmt;

use crate::wire::Request;

/// Access (read or write) and path without identifiers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RequestKind {
    /// True if the requests only read.
    pub(super) read: bool,
    /// Resource, such as `zones`, `zones/dns_records`, `accounts/rulesets`.
    pub(super) resource: String,
}

impl RequestKind {
    /// Returns the kind of a request.
    pub(super) fn of(request: &Request) -> Self {
        Self { read: request.method.is_read(), resource: resource(&request.path) }
    }
}

impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.read { "read" } else { "write" }, self.resource)
    }
}

/// Returns the resource of a path: the first and third segment, because the second one is an
/// identifier.
pub(super) fn resource(path: &str) -> String {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    let first = segments.next().unwrap_or_default();
    match segments.nth(1) {
        Some(third) => format!("{first}/{third}"),
        None => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Method;

    #[test]
    fn identifiers_do_not_matter() {
        assert_eq!(resource("/zones"), "zones");
        assert_eq!(resource("/zones/a"), "zones");
        assert_eq!(resource("/zones/a/dns_records/b"), "zones/dns_records");
        assert_eq!(resource("/zones/a/rulesets/phases/p/entrypoint"), "zones/rulesets");
        assert_eq!(resource("/user/tokens/verify"), "user/verify");
        assert_eq!(resource("/"), "");
        let kind =
            |method| RequestKind::of(&Request::new(method, "/zones/a/dns_records")).to_string();
        assert_eq!(kind(Method::Get), "read zones/dns_records");
        assert_eq!(kind(Method::Patch), kind(Method::Post));
    }
}
