//! What a snapshot holds.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;

use super::packed_texts::PackedTexts;
use crate::model::{Gather, ZoneId, ZoneName};
use crate::wire::ApiMessage;

/// Where and when a snapshot was taken, and of what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// When reading began (RFC 3339, UTC).
    pub taken_at: String,
    /// The program and its version.
    pub tool: String,
    /// The host of the API.
    pub service: String,
    /// The account that zones were looked up in, if one was named.
    pub account: Option<String>,
    /// The zones that were looked for.
    pub zones: Vec<SeenZone>,
}

/// The moment of a snapshot, for those who show what was made from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsOf {
    /// When it was taken, as it says.
    pub taken_at: String,
    /// How long ago that is; `None` if that time is in the future.
    pub age: Option<Duration>,
    /// The program that took it.
    pub tool: String,
    /// The host that it was taken of.
    pub service: String,
}

/// A zone that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenZone {
    /// Its name.
    pub name: ZoneName,
    /// The id that it was looked for by, where the spec pinned one.
    pub pinned: Option<ZoneId>,
    /// Its id; `None` if Cloudflare did not have it.
    pub id: Option<ZoneId>,
    /// How many records it had.
    pub records: usize,
}

/// The state of some zones at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Where, when and of what.
    pub(super) about: About,
    /// What Cloudflare answered, by path.
    pub(super) answers: BTreeMap<String, RecordedResponse>,
    /// The accounts of the zones, by the zones' ids; found in the answers.
    pub(super) accounts: BTreeMap<String, String>,
}

/// What Cloudflare answered. JSON is kept as its text, which takes a fraction of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RecordedResponse {
    /// This result.
    Result(Box<str>),
    /// These items, of all pages.
    List(PackedTexts),
    /// A refusal.
    Refused {
        /// HTTP status.
        status: u16,
        /// Cloudflare's reasons.
        messages: Vec<ApiMessage>,
    },
}

/// The path under which the zones are kept.
pub(super) const ZONES: &str = "/zones";

impl Snapshot {
    /// The newest version of the file format that is understood.
    pub const FORMAT: u64 = 1;

    /// Where, when and of what it was taken.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.about
    }

    /// What was answered, by path; refusals, and what is no JSON, are left out.
    pub fn results(&self) -> impl Iterator<Item = (&str, Json)> {
        let json = |answer: &RecordedResponse| match answer {
            RecordedResponse::Result(text) => serde_json::from_str(text).ok(),
            RecordedResponse::List(lines) => Some(
                lines.iter().filter_map(|text| serde_json::from_str::<Json>(text).ok()).collect(),
            ),
            RecordedResponse::Refused { .. } => None,
        };
        self.answers.iter().filter_map(move |(path, answer)| Some((path.as_str(), json(answer)?)))
    }

    /// With these answers.
    pub(super) fn new(about: About, answers: BTreeMap<String, RecordedResponse>) -> Self {
        let zones = match answers.get(ZONES) {
            Some(RecordedResponse::List(zones)) => Some(zones),
            Some(RecordedResponse::Result(_) | RecordedResponse::Refused { .. }) | None => None,
        };
        let account = |text: &str| {
            let zone: Json = serde_json::from_str(text).ok()?;
            let text =
                |pointer: &str| zone.pointer(pointer).and_then(Json::as_str).map(str::to_owned);
            Some((text("/id")?, text("/account/id")?))
        };
        let accounts = zones.into_iter().flat_map(PackedTexts::iter).filter_map(account).gather();
        Self { about, answers, accounts }
    }

    /// The account of a zone, as far as it is known.
    pub(super) fn account_of(&self, zone: &ZoneId) -> Option<&str> {
        self.accounts.get(&zone.0).map(String::as_str)
    }

    /// The answer at a path.
    ///
    /// Managed rulesets are the same for an account and all its zones, so what was read through one
    /// of them answers for the others.
    pub(super) fn response(&self, path: &str) -> Option<&RecordedResponse> {
        let own = self.answers.get(path);
        if own.is_some() {
            return own;
        }
        let (scope, rest) = path.split_once("/rulesets")?;
        if rest.starts_with("/phases/") {
            return None;
        }
        let account = match scope.strip_prefix("/zones/") {
            Some(zone) => self.accounts.get(zone).map(String::as_str),
            None => Some(scope.strip_prefix("/accounts/")?),
        };
        let zones = self
            .about
            .zones
            .iter()
            .filter_map(|z| z.id.as_ref())
            .filter(|z| self.account_of(z) == account);
        let scopes = account
            .iter()
            .map(|id| format!("/accounts/{id}"))
            .chain(zones.map(|z| format!("/zones/{z}")));
        scopes.filter_map(|scope| self.answers.get(&format!("{scope}/rulesets{rest}"))).find(
            |answer| match answer {
                RecordedResponse::Result(_) | RecordedResponse::List(_) => true,
                RecordedResponse::Refused { .. } => false,
            },
        )
    }
}
