//! A reader that records its answers.
//!
//! Lists are kept complete: pages are joined, and an item that came twice counts once. A listing
//! that is read again, because pages shifted, replaces the earlier items.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value as Json;

use super::packed_texts::PackedTexts;
use super::{About, RecordedResponse, Snapshot, ZONES};
use crate::api::{ApiError, Reader, RequestName};
use crate::model::{Gather, sort_by_key};
use crate::wire::zone::kept_of_zone;
use crate::wire::{Envelope, Request};

/// Records the answers of another reader.
pub(super) struct Recorder<'r, R> {
    reader: &'r R,
    log: Mutex<RecordedAnswers>,
}

/// Answers so far.
#[derive(Default)]
struct RecordedAnswers {
    /// Zones by id.
    zones: BTreeMap<String, Json>,
    /// All other answers by path.
    seen: BTreeMap<String, Seen>,
}

/// Answer at a path.
enum Seen {
    /// A complete answer.
    Whole(RecordedResponse),
    /// A list so far: items by identity, each with its position in the order of arrival.
    List(BTreeMap<String, (usize, Box<str>)>),
}

impl<'r, R: Reader> Recorder<'r, R> {
    /// Records the answers of this reader.
    pub(super) fn new(reader: &'r R) -> Self {
        Self { reader, log: Mutex::default() }
    }

    /// Returns all answers about the zones of `about` as a snapshot.
    pub(super) fn finish(&self, about: About) -> Snapshot {
        let RecordedAnswers { zones, seen } = std::mem::take(&mut *self.log());
        // A listing of the account has more zones than were requested.
        let zone_ids: BTreeSet<&str> =
            about.zones.iter().filter_map(|z| z.id.as_ref()).map(|id| id.0.as_str()).gather();
        let zones = zones.iter().filter(|(id, _)| zone_ids.contains(id.as_str()));
        let zones: Vec<String> = zones.map(|(_, zone)| zone.to_string()).collect();
        let zones = RecordedResponse::List(zones.iter().map(String::as_str).collect());
        let answer = |(path, seen): (String, Seen)| match seen {
            Seen::Whole(answer) => (path, answer),
            Seen::List(items) => {
                // Rulesets keep their order of arrival; records have no order.
                let is_ordered = path.ends_with("/rulesets");
                let mut items: Vec<(usize, Box<str>)> = items.into_values().collect();
                if is_ordered {
                    sort_by_key(&mut items, |(number, _)| *number);
                }
                let mut lines = PackedTexts::default();
                items.into_iter().for_each(|(_, text)| lines.push(&text));
                (path, RecordedResponse::List(lines))
            }
        };
        let mut answers: BTreeMap<String, RecordedResponse> = seen.into_iter().map(answer).gather();
        answers.insert(ZONES.to_owned(), zones);
        Snapshot::new(about, answers)
    }

    fn log(&self) -> MutexGuard<'_, RecordedAnswers> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a refusal. A failure of the connection says nothing about the zone.
    fn failed(&self, request: &Request, error: ApiError) -> ApiError {
        if let ApiError::Refused { status, messages, .. } = &error {
            let refused = RecordedResponse::Refused { status: *status, messages: messages.clone() };
            self.log().seen.insert(request.path.clone(), Seen::Whole(refused));
        }
        error
    }
}

/// Returns true for the first page of a list.
fn begins(request: &Request) -> bool {
    let query = |name: &str| {
        request.query.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    };
    query("cursor").is_none() && query("page").is_none_or(|page| page == "1")
}

/// An item of a list as text on one line, with its identity.
struct PackedItem {
    key: String,
    text: Box<str>,
}

impl PackedItem {
    /// Converts a JSON value.
    fn of(json: &Json) -> Self {
        let text = json.to_string();
        let key = json.get("id").and_then(Json::as_str).map_or_else(|| text.clone(), str::to_owned);
        Self { key, text: text.into() }
    }
}

impl<'de> Deserialize<'de> for PackedItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(|json| Self::of(&json))
    }
}

impl RecordedAnswers {
    /// Records a zone.
    fn zone(&mut self, zone: &Json) {
        let Some(id) = zone.get("id").and_then(Json::as_str) else { return };
        self.zones.insert(id.to_owned(), kept_of_zone(zone));
    }

    /// Records a page of a list.
    fn list(&mut self, path: &str, items: impl Iterator<Item = PackedItem>, begins: bool) {
        let recorded =
            self.seen.entry(path.to_owned()).or_insert_with(|| Seen::List(BTreeMap::new()));
        let list = match recorded {
            Seen::List(list) if !begins => list,
            Seen::List(_) | Seen::Whole(_) => {
                *recorded = Seen::List(BTreeMap::new());
                let Seen::List(list) = recorded else { return };
                list
            }
        };
        for PackedItem { key, text } in items {
            let number = list.len();
            list.insert(key, (number, text));
        }
    }
}

impl<R: Reader> Reader for Recorder<'_, R> {
    fn lists_everything(&self) -> bool {
        false
    }

    async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
        let answer =
            self.reader.read(request).await.map_err(|error| self.failed(request, error))?;
        let path = &request.path;
        let is_zone =
            path == ZONES || path.strip_prefix("/zones/").is_some_and(|id| !id.contains('/'));
        let mut log = self.log();
        match &answer.result {
            Json::Array(items) if is_zone => items.iter().for_each(|zone| log.zone(zone)),
            result if is_zone => log.zone(result),
            Json::Array(items) => {
                // Only rulesets that Cloudflare maintains are read; the others are not needed.
                let is_needed =
                    |item: &&Json| !path.ends_with("/rulesets") || item["kind"] == "managed";
                log.list(path, items.iter().filter(is_needed).map(PackedItem::of), begins(request));
            }
            result => {
                log.seen.insert(
                    path.clone(),
                    Seen::Whole(RecordedResponse::Result(result.to_string().into())),
                );
            }
        }
        drop(log);
        Ok(answer)
    }

    async fn read_list<T: DeserializeOwned + Send>(
        &self,
        request: &Request,
    ) -> Result<Envelope<Option<Vec<T>>>, ApiError> {
        // The texts are recorded, and the requested items are decoded from them.
        let answer = self
            .reader
            .read_list::<PackedItem>(request)
            .await
            .map_err(|error| self.failed(request, error))?;
        let Envelope { result, page, cursor } = answer;
        let Some(items) = result else { return Ok(Envelope { result: None, page, cursor }) };
        let decoded = items
            .iter()
            .map(|item| serde_json::from_str(&item.text))
            .collect::<Result<Vec<T>, _>>();
        let decoded = decoded.map_err(|error| ApiError::Garbled {
            request: RequestName::of(request),
            status: 200,
            what: error.to_string(),
        })?;
        self.log().list(&request.path, items.into_iter(), begins(request));
        Ok(Envelope { result: Some(decoded), page, cursor })
    }
}
