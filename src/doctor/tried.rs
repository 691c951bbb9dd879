//! What is tried, and what a response means for the credentials.

use crate::api::{ApiError, Reader};
use crate::document::doctor::What;
use crate::model::facts::permissions::PermissionGroup;
use crate::wire::Request;

/// Something that is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    /// What it is.
    pub(super) what: What,
    /// The permission for it.
    pub(super) group: PermissionGroup,
}

impl Kind {
    pub(super) const ZONE: Self = Self { what: What::Zone, group: PermissionGroup::Zone };
    pub(super) const RECORDS: Self = Self { what: What::Records, group: PermissionGroup::Dns };
    pub(super) const DNSSEC: Self = Self { what: What::Dnssec, group: PermissionGroup::Dns };
    pub(super) const SETTINGS: Self = Self { what: What::Settings, group: PermissionGroup::ZoneSettings };
    pub(super) const DNS_SETTINGS: Self = Self { what: What::DnsSettings, group: PermissionGroup::ZoneDnsSettings };
    pub(super) const RULESETS: Self = Self { what: What::Rulesets, group: PermissionGroup::ZoneWaf };
    pub(super) const ACCOUNT_RULESETS: Self =
        Self { what: What::AccountRulesets, group: PermissionGroup::AccountRulesets };
    pub(super) const LISTS: Self = Self { what: What::Lists, group: PermissionGroup::AccountFilterLists };
}

/// What came of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tried {
    /// It is allowed.
    Yes,
    /// It is refused, with Cloudflare's reason.
    No(String),
    /// It is not known, with the reason.
    Unknown(String),
}

impl Tried {
    /// What a response means.
    pub(super) fn of<T>(answer: &Result<T, ApiError>) -> Self {
        match answer {
            Ok(_) => Self::Yes,
            Err(error) if is_refused(error) => Self::No(said(error)),
            // "There is no entry point": only who may look is told.
            Err(error) if error.status() == Some(404) && error.has_code(10003) => Self::Yes,
            Err(error) => Self::Unknown(said(error)),
        }
    }
}

/// Whether it is the credentials that were refused. A page of a proxy in between says nothing about them.
pub(super) fn is_refused(error: &ApiError) -> bool {
    matches!(error.status(), Some(401 | 403)) && !error.is_garbled()
}

/// Cloudflare's reasons, or ours.
pub(super) fn said(error: &ApiError) -> String {
    let words: Vec<String> = error.messages().iter().map(ToString::to_string).collect();
    if words.is_empty() { format!("failed to {error}") } else { words.join("; ") }
}

/// Tries a read.
pub(super) async fn try_read<R: Reader>(reader: &R, request: &Request) -> Tried {
    Tried::of(&reader.read(request).await)
}
