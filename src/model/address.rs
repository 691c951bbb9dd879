//! Stable printable names of managed things.

use std::fmt;

use super::name::{Fqdn, ZoneName};

/// The name of one managed thing, such as `example.com/dns/www/CNAME` or, where several records share a name and type,
/// `example.com/dns/@/MX/1f0c93aa`.
///
/// Records have no name of their own on the service; the digest tells the members of one set apart. It is taken from the
/// value that the spec wants (or, for a delete, the live value), so it stays the same from plan to plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(String);

impl Address {
    /// The address of a record; `member` is given where its set has several.
    #[must_use]
    pub fn record(zone: &ZoneName, name: &Fqdn, record_type: &str, member: Option<&str>) -> Self {
        let relative = zone.relative(name);
        Self(match member {
            None => format!("{zone}/dns/{relative}/{record_type}"),
            Some(digest) => format!("{zone}/dns/{relative}/{record_type}/{digest}"),
        })
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
