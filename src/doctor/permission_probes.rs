//! Requests that try a permission, and the meaning of their responses.

use std::sync::{Mutex, PoisonError};

use crate::api::ApiError;
use crate::api::error_codes::NO_ENTRY_POINT;
use crate::document::doctor::What;
use crate::live::AnyReader;
use crate::model::facts::permissions::PermissionGroup;
use crate::model::facts::resources;
use crate::model::ruleset::Phase;
use crate::wire::{Envelope, Request};

/// A kind of object for which permissions are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProbedKind {
    pub(super) what: What,
    pub(super) group: PermissionGroup,
}

impl ProbedKind {
    pub(super) const ZONE: Self = Self { what: What::Zone, group: PermissionGroup::Zone };
    pub(super) const RECORDS: Self =
        Self { what: What::Records, group: resources::RECORDS.permission };
    pub(super) const DNSSEC: Self =
        Self { what: What::Dnssec, group: resources::DNSSEC.permission };
    pub(super) const SETTINGS: Self =
        Self { what: What::Settings, group: resources::SETTINGS.permission };
    pub(super) const DNS_SETTINGS: Self =
        Self { what: What::DnsSettings, group: resources::DNS_SETTINGS.permission };
    pub(super) const RULESETS: Self =
        Self { what: What::Rulesets, group: resources::RULESETS.permission };
    pub(super) const ACCOUNT_RULESETS: Self =
        Self { what: What::AccountRulesets, group: PermissionGroup::AccountRulesets };
    pub(super) const LISTS: Self =
        Self { what: What::Lists, group: PermissionGroup::AccountFilterLists };
}

/// Setting to try if the spec names none; every zone has it.
pub(super) const SETTING: &str = "ssl";

/// Phase to try if the spec names none.
pub(super) const PHASE: Phase = Phase::Custom;

/// Number of records on the page to try. Any size works, so a small one is enough.
pub(super) const RECORDS: u64 = 5;

/// Result of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tried {
    /// Access is allowed.
    Yes,
    /// Access is refused, with Cloudflare's reason.
    No(String),
    /// Access is unknown, with the reason.
    Unknown(String),
}

impl Tried {
    pub(super) fn of<T>(answer: &Result<T, Unread>) -> Self {
        let error = match answer {
            Ok(_) => return Self::Yes,
            Err(Unread::NotSent(why)) => {
                return Self::Unknown(format!(
                    "not asked, because {MOST_FAILURES} requests in a row failed: {why}"
                ));
            }
            Err(Unread::Failed(error)) => error,
        };
        match error {
            error if is_refused(error) => Self::No(reason_of(error)),
            // Cloudflare answers "there is no entry point" only if the token may read entry points.
            error if error.status() == Some(404) && error.has_code(NO_ENTRY_POINT) => Self::Yes,
            error => Self::Unknown(reason_of(error)),
        }
    }
}

/// Returns true if Cloudflare refused the credentials. An error page of a proxy in between says
/// nothing about them.
pub(super) fn is_refused(error: &ApiError) -> bool {
    matches!(error.status(), Some(401 | 403)) && !error.is_garbled()
}

/// Returns Cloudflare's reasons or ours. A failure of Cloudflare itself has the same reason for
/// every request.
pub(super) fn reason_of(error: &ApiError) -> String {
    if let Some(status @ 500..) = error.status() {
        return format!("Cloudflare answered {status}");
    }
    error.reasons().unwrap_or_else(|| format!("failed to {error}"))
}

/// Number of consecutive failures of Cloudflare after which no more requests are sent.
const MOST_FAILURES: usize = 3;

/// Tries reads. After several consecutive failures of Cloudflare, the remaining requests are not
/// sent: each would be retried for a while and would say nothing about the credentials.
pub(super) struct Prober<'r> {
    reader: &'r dyn AnyReader,
    /// Number of failures since the last answer, and the reason of the latest failure.
    failures: Mutex<(usize, String)>,
}

/// Reasons why a read has no answer.
pub(super) enum Unread {
    /// The request failed.
    Failed(ApiError),
    /// The request was not sent because Cloudflare fails, with the reason of the failures.
    NotSent(String),
}

impl<'r> Prober<'r> {
    pub(super) fn new(reader: &'r dyn AnyReader) -> Self {
        Self { reader, failures: Mutex::default() }
    }

    pub(super) async fn read(&self, request: &Request) -> Result<Envelope, Unread> {
        let (failures, why) = self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if failures >= MOST_FAILURES {
            return Err(Unread::NotSent(why));
        }
        let answer = self.reader.read(request).await;
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        match &answer {
            Err(error) if matches!(error.status(), Some(500..)) => {
                *failures = (failures.0 + 1, reason_of(error))
            }
            Ok(_) | Err(_) => *failures = (0, String::new()),
        }
        answer.map_err(Unread::Failed)
    }

    pub(super) async fn try_read(&self, request: &Request) -> Tried {
        Tried::of(&self.read(request).await)
    }
}
