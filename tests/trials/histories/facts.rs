//! Facts from a dump of the sandbox, read without the program's own code.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use zonewright::sandbox::LoggedRequest;

use super::history::{History, Wanted, Zone, full};
use super::pool::{Value, excludes, said, uncut};

/// A record of a dump.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) id: String,
    /// Relative to the zone.
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) ttl: u64,
    pub(crate) proxied: bool,
    pub(crate) comment: Option<String>,
    pub(crate) is_read_only: bool,
    /// The record as in the dump.
    pub(crate) whole: Json,
}

impl Record {
    /// Returns a record of a dump, or a body of a request.
    pub(crate) fn read(json: &Json, zone: &str) -> Self {
        let (kind, text) = said(json);
        let name = json["name"].as_str().unwrap_or_default();
        let name =
            if name == zone { "@" } else { name.strip_suffix(&format!(".{zone}")).unwrap_or(name) };
        Self {
            id: json["id"].as_str().unwrap_or_default().to_owned(),
            name: name.to_owned(),
            kind,
            text,
            ttl: json["ttl"].as_u64().unwrap_or(1),
            proxied: json["proxied"].as_bool().unwrap_or(false),
            comment: json["comment"].as_str().map(str::to_owned),
            is_read_only: json["meta"]["read_only"] == true,
            whole: json.clone(),
        }
    }

    /// Returns name, type and value.
    pub(crate) fn identity(&self) -> (&str, &str, &str) {
        (&self.name, &self.kind, &self.text)
    }

    /// Returns true if it differs from a value only in the cuts of a text.
    pub(crate) fn is_twin(&self, value: Value) -> bool {
        value.is_twin(&self.kind, &self.text)
    }

    /// Returns true if it has the value of a record of the spec.
    pub(crate) fn is(&self, wanted: &Wanted) -> bool {
        self.identity() == (wanted.name, wanted.value.kind, wanted.value.text)
    }

    /// Returns true if it also has everything else that the spec says of it.
    pub(crate) fn satisfies(&self, wanted: &Wanted) -> bool {
        let Wanted { name: _, value: _, ttl, proxied, comment } = wanted;
        self.is(wanted)
            && proxied.is_none_or(|proxied| proxied == self.proxied)
            && ttl.is_none_or(|ttl| self.ttl == if self.proxied { 1 } else { u64::from(ttl) })
            && comment.is_none_or(|comment| comment == self.comment.as_deref())
    }
}

/// Returns the zone of a dump.
pub(crate) fn zone<'a>(dump: &'a Json, name: &str) -> Option<&'a Json> {
    dump["zones"].as_array()?.iter().find(|zone| zone["name"] == name)
}

/// Returns the records of a zone of a dump.
pub(crate) fn records(dump: &Json, name: &str) -> Vec<Record> {
    let list = zone(dump, name).and_then(|zone| zone["records"].as_array());
    list.into_iter().flatten().map(|record| Record::read(record, name)).collect()
}

/// Returns the names at which someone else writes: zone and name.
pub(crate) fn touched(history: &History) -> BTreeSet<(&'static str, &'static str)> {
    history.foreign().map(|foreign| (foreign.zone, foreign.name)).collect()
}

impl Zone {
    /// Returns true if a record of the sandbox is not managed by the spec.
    pub(crate) fn sets_aside(&self, record: &Record) -> bool {
        let is_named = self.wanted.iter().any(|wanted| record.is(wanted));
        record.is_read_only
            || (!is_named && self.ignored.iter().any(|i| i.matches(&record.name, &record.kind)))
    }

    /// Returns true if the spec wants a record gone.
    pub(crate) fn deletes(&self, record: &Record, has_base: bool) -> bool {
        if self.sets_aside(record) || self.wanted.iter().any(|wanted| record.is(wanted)) {
            return false;
        }
        let is_tombstone = self.gone.iter().any(|gone| {
            (gone.name, gone.kind) == (record.name.as_str(), record.kind.as_str())
                && gone.value.is_none_or(|value| value.text == record.text)
        });
        is_tombstone
            || self.prune
            || (has_base && self.before.iter().any(|before| record.is(before)))
    }

    /// Returns what keeps the spec from being carried out: a record that must stay where a wanted
    /// one cannot exist beside it.
    pub(crate) fn obstacle(&self, records: &[Record]) -> Option<String> {
        let is_apex = |name: &str| name == "@";
        let aside = records.iter().filter(|record| self.sets_aside(record));
        let mut blocked = aside.flat_map(|record| {
            let excludes = move |wanted: &&Wanted| {
                wanted.name == record.name
                    && (excludes(wanted.value.kind, &record.kind, is_apex(wanted.name))
                        || (wanted.value.kind == "CNAME" && record.kind == "CNAME"))
            };
            self.wanted
                .iter()
                .filter(excludes)
                .map(move |w| format!("{} {} stands against {w:?}", record.name, record.kind))
        });
        blocked.next()
    }

    /// Returns what is not as the spec wants it; names that are `left_out` are not looked at.
    pub(crate) fn differences(
        &self,
        dump: &Json,
        has_base: bool,
        joins_texts: bool,
        left_out: &BTreeSet<(&'static str, &'static str)>,
    ) -> Vec<String> {
        let records = records(dump, self.name);
        let is_in = |name: &str| !left_out.contains(&(self.name, name));
        let mut found = Vec::new();
        for wanted in self.wanted.iter().filter(|wanted| is_in(wanted.name)) {
            let equal: Vec<&Record> = records.iter().filter(|record| record.is(wanted)).collect();
            match equal.as_slice() {
                [one] if one.satisfies(wanted) || one.is_read_only => {}
                [one] => found
                    .push(format!("{} is not as wanted: {} for {wanted:?}", self.name, one.whole)),
                // A sandbox that calls both identical has one of them.
                [] if joins_texts
                    && records.iter().any(|r| r.name == wanted.name && r.is_twin(wanted.value)) => {
                }
                [] => found.push(format!("{} lacks {wanted:?}", self.name)),
                [_, _, ..] => found.push(format!("{} has {wanted:?} more than once", self.name)),
            }
        }
        let unwanted = records.iter().filter(|r| is_in(&r.name) && self.deletes(r, has_base));
        found.extend(unwanted.map(|record| format!("{} still has {}", self.name, record.whole)));
        for (name, value) in &self.settings {
            let stands = zone(dump, self.name)
                .map(|zone| zone["settings"][*name].clone())
                .unwrap_or_default();
            let stands = if stands.is_object() { stands["value"].clone() } else { stands };
            if stands != *value {
                found.push(format!("{} has {name} = {stands} in place of {value}", self.name));
            }
        }
        found.extend(super::protection::differences(self, dump, has_base));
        found
    }
}

/// The effect of a request: the changes of records by their ids, and the created records.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) deletes: Vec<String>,
    pub(crate) patches: Vec<(String, Json)>,
    pub(crate) posts: Vec<Json>,
}

/// Returns what a request writes to the records of its zone; `None` if it is about something else.
pub(crate) fn written(request: &LoggedRequest) -> Option<Written> {
    let path = request.path.split('?').next().unwrap_or_default();
    let rest = path.split_once("/dns_records")?.1;
    let body = request.body.clone().unwrap_or_default();
    let mut written = Written::default();
    let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
    let id = |json: &Json| json["id"].as_str().unwrap_or_default().to_owned();
    match (request.method.as_str(), rest.trim_start_matches('/')) {
        ("POST", "batch") => {
            written.deletes = list("deletes").iter().map(id).collect();
            written.patches =
                list("patches").iter().map(|patch| (id(patch), patch.clone())).collect();
            written.posts = list("posts");
        }
        ("POST", "") => written.posts.push(body),
        ("PATCH", own) => written.patches.push((own.to_owned(), body.clone())),
        ("DELETE", own) => written.deletes.push(own.to_owned()),
        _ => return None,
    }
    Some(written)
}

/// Returns true if a write only creates texts of which the sandbox, which calls both identical, has
/// one with other cuts.
pub(crate) fn asks_for_a_twin(history: &History, write: &LoggedRequest, dump: &Json) -> bool {
    let (Some(zone), Some(written)) = (zone_of(history, write, dump), written(write)) else {
        return false;
    };
    let live = records(dump, zone.name);
    let is_twin = |post: &Json| {
        let post = Record::read(post, zone.name);
        let is_of = |r: &Record| {
            r.name == post.name && r.kind == "TXT" && post.kind == "TXT" && r.text != post.text
        };
        live.iter().any(|record| is_of(record) && uncut(&record.text) == uncut(&post.text))
    };
    history.service.joins_texts
        && !written.posts.is_empty()
        && written.deletes.is_empty()
        && written.patches.is_empty()
        && written.posts.iter().all(is_twin)
}

/// Returns the zone that a request is about.
pub(crate) fn zone_of<'h>(
    history: &'h History,
    request: &LoggedRequest,
    dump: &Json,
) -> Option<&'h Zone> {
    let id = request.path.strip_prefix("/zones/")?.split(['/', '?']).next()?;
    // A zone that was made has an id of its own.
    let made = dump["zones"].as_array().into_iter().flatten().find(|zone| zone["id"] == id);
    let name = made.and_then(|zone| zone["name"].as_str());
    history.zones.iter().find(|zone| Some(zone.name) == name || zone.id() == id)
}

/// Returns what a patch would make of a record.
pub(crate) fn patched(before: &Record, patch: &Json, zone: &str) -> Record {
    let mut whole = before.whole.clone();
    whole["name"] = full(&before.name, zone).into();
    for (name, value) in patch.as_object().into_iter().flatten() {
        whole[name] = value.clone();
    }
    Record::read(&whole, zone)
}

/// Returns records of all dumps by their ids.
pub(crate) fn by_id<'a>(
    dumps: impl IntoIterator<Item = &'a Json>,
    zone: &str,
) -> BTreeMap<String, Record> {
    dumps
        .into_iter()
        .flat_map(|dump| records(dump, zone))
        .map(|record| (record.id.clone(), record))
        .collect()
}
