//! A zone that a look-up does not find.

use crate::model::{ZoneId, ZoneName};

/// A zone that does not exist, or that these credentials cannot see.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", self.what(), self.advice())]
pub struct MissingZone {
    /// Description of the zone.
    zone: String,
    /// Account to which the look-up was limited.
    account: Option<String>,
}

impl MissingZone {
    /// Returns a zone with this name.
    #[must_use]
    pub fn named(zone: &ZoneName, account: Option<&str>) -> Self {
        Self { zone: format!("the zone {zone}"), account: account.map(str::to_owned) }
    }

    /// Returns a zone that an apply wrote to.
    #[must_use]
    pub fn written_to(zone: &ZoneName, id: &ZoneId) -> Self {
        let zone = format!("the zone {zone} (id {}) that the apply wrote to", id.0);
        Self { zone, account: None }
    }

    /// Returns a zone that contains a name.
    #[must_use]
    pub fn containing(name: &str, account: Option<&str>) -> Self {
        Self { zone: format!("a zone that contains {name}"), account: account.map(str::to_owned) }
    }

    /// Describes the missing zone.
    #[must_use]
    pub fn what(&self) -> String {
        let Self { zone, account } = self;
        match account {
            Some(account) => format!(
                "the account {account}, which CLOUDFLARE_ACCOUNT_ID names, does not have {zone}, \
                or these credentials cannot see it"
            ),
            None => format!("{zone} does not exist, or these credentials cannot see it"),
        }
    }

    /// Returns advice for the missing zone.
    fn advice(&self) -> &'static str {
        match self.account {
            Some(_) => "check the account and the name, or run `zonewright doctor`",
            None => "check the name, or run `zonewright doctor`",
        }
    }
}
