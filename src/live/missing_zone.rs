//! A zone that a look-up does not find.

use crate::model::{ZoneId, ZoneName};

/// A zone that does not exist, or that these credentials cannot see.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", self.what(), self.advice())]
pub struct MissingZone {
    /// What was looked for, in words.
    zone: String,
    /// The account to which the look-up was limited.
    account: Option<String>,
}

impl MissingZone {
    /// A zone with a certain name.
    #[must_use]
    pub fn named(zone: &ZoneName, account: Option<&str>) -> Self {
        Self { zone: format!("the zone {zone}"), account: account.map(str::to_owned) }
    }

    /// The zone that an apply wrote to.
    #[must_use]
    pub fn written_to(zone: &ZoneName, id: &ZoneId) -> Self {
        let zone = format!("the zone {zone} (id {}) that the apply wrote to", id.0);
        Self { zone, account: None }
    }

    /// A zone that contains a name.
    #[must_use]
    pub fn containing(name: &str, account: Option<&str>) -> Self {
        Self { zone: format!("a zone that contains {name}"), account: account.map(str::to_owned) }
    }

    /// What is missing.
    #[must_use]
    pub fn what(&self) -> String {
        let Self { zone, account } = self;
        match account {
            Some(account) => format!(
                "the account {account}, which CLOUDFLARE_ACCOUNT_ID names, does not have {zone}, or these credentials cannot see it"
            ),
            None => format!("{zone} does not exist, or these credentials cannot see it"),
        }
    }

    /// What to do about it.
    fn advice(&self) -> &'static str {
        match self.account {
            Some(_) => "check the account and the name, or run `zonewright doctor`",
            None => "check the name, or run `zonewright doctor`",
        }
    }
}
