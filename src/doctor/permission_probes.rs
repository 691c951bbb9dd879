//! What is tried, and what a response means for the credentials.

use std::sync::{Mutex, PoisonError};

use crate::api::ApiError;
use crate::api::error_codes::NO_ENTRY_POINT;
use crate::document::doctor::What;
use crate::live::AnyReader;
use crate::model::facts::permissions::PermissionGroup;
use crate::model::facts::resources;
use crate::model::ruleset::Phase;
use crate::wire::{Envelope, Request};

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

/// The setting that is tried where the spec names none: one that every zone has.
pub(super) const SETTING: &str = "ssl";

/// The phase that is tried where the spec names none.
pub(super) const PHASE: Phase = Phase::Custom;

/// Records on the page that is tried: the size does not matter, so a small one is enough.
pub(super) const RECORDS: u64 = 5;

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
            error if is_refused(error) => Self::No(said(error)),
            // "There is no entry point": only who may look is told.
            error if error.status() == Some(404) && error.has_code(NO_ENTRY_POINT) => Self::Yes,
            error => Self::Unknown(said(error)),
        }
    }
}

/// Whether it is the credentials that were refused. A page of a proxy in between says nothing about
/// them.
pub(super) fn is_refused(error: &ApiError) -> bool {
    matches!(error.status(), Some(401 | 403)) && !error.is_garbled()
}

/// Cloudflare's reasons, or ours. A failure of Cloudflare itself is one reason, whatever was asked.
pub(super) fn said(error: &ApiError) -> String {
    if let Some(status @ 500..) = error.status() {
        return format!("Cloudflare answered {status}");
    }
    error.reasons().unwrap_or_else(|| format!("failed to {error}"))
}

/// After this many failures of Cloudflare in a row, nothing more is asked.
const MOST_FAILURES: usize = 3;

/// Tries reads. Where Cloudflare fails to answer several in a row, the others are not sent: each
/// would wait to be repeated, and teach nothing about the credentials.
pub(super) struct Prober<'r> {
    reader: &'r dyn AnyReader,
    /// The failures since the last answer, and the reason of the last one.
    failures: Mutex<(usize, String)>,
}

/// Why nothing was read.
pub(super) enum Unread {
    /// It failed.
    Failed(ApiError),
    /// It was not sent, because Cloudflare fails; with the reason of the failures.
    NotSent(String),
}

impl<'r> Prober<'r> {
    /// Over this reader.
    pub(super) fn new(reader: &'r dyn AnyReader) -> Self {
        Self { reader, failures: Mutex::default() }
    }

    /// Reads.
    pub(super) async fn read(&self, request: &Request) -> Result<Envelope, Unread> {
        let (failures, why) = self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if failures >= MOST_FAILURES {
            return Err(Unread::NotSent(why));
        }
        let answer = self.reader.read(request).await;
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        match &answer {
            Err(error) if matches!(error.status(), Some(500..)) => {
                *failures = (failures.0 + 1, said(error))
            }
            Ok(_) | Err(_) => *failures = (0, String::new()),
        }
        answer.map_err(Unread::Failed)
    }

    /// Tries a read.
    pub(super) async fn try_read(&self, request: &Request) -> Tried {
        Tried::of(&self.read(request).await)
    }
}
