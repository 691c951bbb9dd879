//! Contents of a snapshot.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;

use super::packed_texts::PackedTexts;
use crate::model::{Gather, ZoneId, ZoneName};
use crate::wire::ApiMessage;

/// Origin of a snapshot: time, program, host and zones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Time when reading began (RFC 3339, UTC).
    pub taken_at: String,
    /// Program and its version.
    pub tool: String,
    /// Host of the API.
    pub service: String,
    /// Account in which zones were looked up, if one was named.
    pub account: Option<String>,
    /// Zones that were looked up.
    pub zones: Vec<SeenZone>,
}

/// Time and origin of a snapshot, for outputs that are made from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsOf {
    /// Time of the snapshot, as the snapshot says.
    pub taken_at: String,
    /// Age of the snapshot. `None` if its time is in the future.
    pub age: Option<Duration>,
    /// Program that took the snapshot.
    pub tool: String,
    /// Host from which the snapshot was taken.
    pub service: String,
}

/// A zone that was looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenZone {
    /// Name of the zone.
    pub name: ZoneName,
    /// Identifier that the spec pinned, if any.
    pub pinned: Option<ZoneId>,
    /// Identifier of the zone. `None` if Cloudflare did not have the zone.
    pub id: Option<ZoneId>,
    /// Number of records in the zone.
    pub records: usize,
}

/// State of several zones at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    pub(super) about: About,
    /// Cloudflare's answers, by path.
    pub(super) answers: BTreeMap<String, RecordedResponse>,
    /// Accounts of the zones by the ids of the zones, taken from the answers.
    pub(super) accounts: BTreeMap<String, String>,
}

/// An answer of Cloudflare. JSON is kept as text, which takes a fraction of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RecordedResponse {
    Result(Box<str>),
    /// Items of all pages of a list.
    List(PackedTexts),
    /// A refusal.
    Refused {
        /// HTTP status.
        status: u16,
        /// Cloudflare's messages.
        messages: Vec<ApiMessage>,
    },
}

/// Path under which the zones are kept.
pub(super) const ZONES: &str = "/zones";

impl Snapshot {
    /// Newest supported version of the file format.
    pub const FORMAT: u64 = 1;

    /// Returns the origin of the snapshot.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Iterates over the results by path, without refusals and invalid JSON.
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

    /// Returns the account of a zone, if it is known.
    pub(super) fn account_of(&self, zone: &ZoneId) -> Option<&str> {
        self.accounts.get(&zone.0).map(String::as_str)
    }

    /// Returns the answer at a path.
    ///
    /// Managed rulesets are the same for an account and all its zones, so an answer for one of them
    /// serves for the others.
    pub(super) fn response(&self, path: &str) -> Option<&RecordedResponse> {
        let own_response = self.answers.get(path);
        if own_response.is_some() {
            return own_response;
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
