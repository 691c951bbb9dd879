//! Reads the host names in record values, and suggests a fix for invalid ones.

use super::super::name::Fqdn;
use super::DataError;

/// Decides if `.` is a valid host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// `.` means that there is no such service (RFC 7505, RFC 2782).
    Allowed,
    /// `.` is an error.
    Refused,
}

pub(super) fn parse_host(field: &'static str, text: &str, root: Root) -> Result<Fqdn, DataError> {
    if text == "@" {
        return Err(DataError::field(field, "`@` stands for the zone only in `name`")
            .help("write the zone's name in full"));
    }
    let bare = text.strip_suffix('.').unwrap_or(text);
    if bare.parse::<std::net::IpAddr>().is_ok() {
        return Err(DataError::field(field, format!("`{text}` is an address, not a host name"))
            .help("write the host's name, or use a record of type A or AAAA"));
    }
    let name = Fqdn::parse(text).map_err(|e| {
        DataError::field(field, e.to_string()).help("write a host name such as host.example.com")
    })?;
    if name.is_root() && root == Root::Refused {
        return Err(DataError::field(field, "`.` is not a host")
            .help("write a host name such as host.example.com"));
    }
    if name.is_wildcard() {
        return Err(DataError::field(field, "a record cannot point to a wildcard")
            .help("write a host name such as host.example.com"));
    }
    Ok(name)
}
