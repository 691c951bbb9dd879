//! A reader that writes down what it hears.
//!
//! Lists are kept whole: the pages are put together, and an item that came twice counts once. A listing that begins again
//! (because pages shifted while they were read) forgets what it had.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value as Json, json};

use super::{About, Answer, Snapshot, ZONES};
use crate::api::{ApiError, Reader};
use crate::wire::{Envelope, Request};

/// Writes down what another reader hears.
pub(super) struct Recorder<'r, R> {
    reader: &'r R,
    log: Mutex<Log>,
}

/// What was heard.
#[derive(Default)]
struct Log {
    /// Zones by id.
    zones: BTreeMap<String, Json>,
    /// Everything else by path.
    heard: BTreeMap<String, Heard>,
}

/// What was heard at a path.
enum Heard {
    /// An answer that is complete.
    Whole(Answer),
    /// A list so far: items by what tells them apart, each with its number in the order of arrival.
    List(BTreeMap<String, (usize, Box<str>)>),
}

impl<'r, R: Reader> Recorder<'r, R> {
    /// Hears what this reader hears.
    pub(super) fn new(reader: &'r R) -> Self {
        Self { reader, log: Mutex::default() }
    }

    /// Everything heard about the zones of `about`, as a snapshot.
    pub(super) fn finish(&self, about: About) -> Snapshot {
        let Log { zones, heard } = std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner));
        // A listing of the account names more zones than were asked for.
        let wanted: BTreeSet<&str> = about.zones.iter().filter_map(|z| z.id.as_ref()).map(|id| id.0.as_str()).collect();
        let zones = zones.iter().filter(|(id, _)| wanted.contains(id.as_str()));
        let zones = Answer::List(zones.map(|(_, zone)| zone.to_string().into()).collect());
        let answer = |(path, heard): (String, Heard)| match heard {
            Heard::Whole(answer) => (path, answer),
            Heard::List(items) => {
                // Rulesets keep the order in which they came, which was one page after the other; of records there is none.
                let is_ordered = path.ends_with("/rulesets");
                let mut items: Vec<(usize, Box<str>)> = items.into_values().collect();
                if is_ordered {
                    items.sort_by_key(|(number, _)| *number);
                }
                (path, Answer::List(items.into_iter().map(|(_, text)| text).collect()))
            }
        };
        let mut answers: BTreeMap<String, Answer> = heard.into_iter().map(answer).collect();
        answers.insert(ZONES.to_owned(), zones);
        Snapshot::new(about, answers)
    }

    /// Notes an answer.
    fn note(&self, request: &Request, answer: &Result<Envelope, ApiError>) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let path = &request.path;
        let is_zone = path == ZONES || path.strip_prefix("/zones/").is_some_and(|id| !id.contains('/'));
        match answer {
            Ok(Envelope { result: Json::Array(items), .. }) if is_zone => items.iter().for_each(|zone| log.zone(zone)),
            Ok(Envelope { result, .. }) if is_zone => log.zone(result),
            Ok(Envelope { result: Json::Array(items), .. }) => {
                let query =
                    |name: &str| request.query.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str());
                let begins = query("cursor").is_none() && query("page").is_none_or(|page| page == "1");
                log.list(path, items, begins);
            }
            Ok(Envelope { result, .. }) => {
                log.heard.insert(path.clone(), Heard::Whole(Answer::Result(result.to_string().into())));
            }
            Err(ApiError::Refused { status, messages, .. }) => {
                let refused = Answer::Refused { status: *status, messages: messages.clone() };
                log.heard.insert(path.clone(), Heard::Whole(refused));
            }
            // A failure of the connection says nothing about the zone.
            Err(_) => {}
        }
    }
}

impl Log {
    /// Notes a zone: what is read of it, and nothing else. The rest names owners and their addresses.
    fn zone(&mut self, zone: &Json) {
        const KEPT: [&str; 5] = ["id", "name", "status", "name_servers", "created_on"];
        let Some(id) = zone.get("id").and_then(Json::as_str) else { return };
        let kept = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), zone.get(*name)?.clone())));
        let mut kept: serde_json::Map<String, Json> = kept.collect();
        if let Some(tier) = zone.pointer("/plan/legacy_id") {
            kept.insert("plan".to_owned(), json!({ "legacy_id": tier }));
        }
        if let Some(account) = zone.pointer("/account/id") {
            kept.insert("account".to_owned(), json!({ "id": account }));
        }
        self.zones.insert(id.to_owned(), Json::Object(kept));
    }

    /// Notes a page of a list.
    fn list(&mut self, path: &str, items: &[Json], begins: bool) {
        let heard = self.heard.entry(path.to_owned()).or_insert_with(|| Heard::List(BTreeMap::new()));
        let list = match heard {
            Heard::List(list) if !begins => list,
            Heard::List(_) | Heard::Whole(_) => {
                *heard = Heard::List(BTreeMap::new());
                let Heard::List(list) = heard else { return };
                list
            }
        };
        // Of rulesets only those that the vendor maintains are looked at; the others are nobody's business.
        let is_needed = |item: &&Json| !path.ends_with("/rulesets") || item["kind"] == "managed";
        for item in items.iter().filter(is_needed) {
            let text = item.to_string();
            let key = item.get("id").and_then(Json::as_str).map_or_else(|| text.clone(), str::to_owned);
            let number = list.len();
            list.insert(key, (number, text.into()));
        }
    }
}

impl<R: Reader> Reader for Recorder<'_, R> {
    async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
        let answer = self.reader.read(request).await;
        self.note(request, &answer);
        answer
    }
}
