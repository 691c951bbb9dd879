//! The lines of a snapshot.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;

use super::{About, SeenZone};
use crate::model::{ZoneId, ZoneName};
use crate::wire::ApiMessage;

/// A line of a snapshot, apart from those with the items of a list: each of these is as Cloudflare
/// answered it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SnapshotLine {
    /// The first line.
    Header(Header),
    /// What Cloudflare answered at a path.
    Entry(Entry),
    /// The last line.
    End(End),
}

/// The first line: where, when and of what a snapshot was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// Version of the format.
    pub format: u64,
    /// `snapshot`.
    pub kind: SnapshotKind,
    /// The program and its version.
    pub tool: String,
    /// When reading began, RFC 3339 in UTC.
    pub taken_at: String,
    /// The host of the API.
    pub service: String,
    /// The account that zones were looked up in, if one was named.
    pub account: Option<String>,
    /// The zones that were looked for.
    pub zones: Vec<HeaderZone>,
}

/// Which document it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum SnapshotKind {
    /// A snapshot.
    Snapshot,
}

/// What is read of the first line, whatever its version.
#[derive(Debug, Deserialize)]
pub(super) struct AnyHeader {
    /// Which document it is.
    pub(super) kind: Option<String>,
    /// The version of the format.
    pub(super) format: Option<u64>,
}

/// A zone that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeaderZone {
    /// Its name.
    pub name: String,
    /// The id that it was looked for by, where the spec pinned one.
    pub pinned: Option<String>,
    /// Its id; `null` if Cloudflare did not have it.
    pub id: Option<String>,
    /// How many records it had.
    pub records: usize,
}

/// What Cloudflare answered at a path: one of a result, a number of items on the lines that follow,
/// and a refusal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The path below the base URL.
    pub path: String,
    /// The result.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// How many items follow, each on a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// The refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refused>,
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
    /// Cloudflare's reasons.
    pub messages: Vec<Message>,
}

/// One of Cloudflare's reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// The code, if there is one.
    pub code: Option<i64>,
    /// The text.
    pub message: String,
    /// JSON pointer into the request body, if there is one.
    pub pointer: Option<String>,
}

/// The last line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct End {
    /// The SHA-256 of all bytes before it, hexadecimal.
    pub sha256: String,
}

/// Accepts a member with any value; `null` is a result too.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

impl Header {
    /// Returns the first line of a snapshot.
    pub(super) fn of(format: u64, about: &About) -> Self {
        let About { taken_at, tool, service, account, zones } = about.clone();
        let text = |id: Option<ZoneId>| id.map(|id| id.0);
        let zones = zones.into_iter().map(|SeenZone { name, pinned, id, records }| HeaderZone {
            name: name.as_str().to_owned(),
            pinned: text(pinned),
            id: text(id),
            records,
        });
        Self {
            format,
            kind: SnapshotKind::Snapshot,
            tool,
            taken_at,
            service,
            account,
            zones: zones.collect(),
        }
    }

    /// Returns the description of the snapshot; `None` if a zone has an invalid name.
    pub(super) fn into_about(self) -> Option<About> {
        let Self { format: _, kind: _, tool, taken_at, service, account, zones } = self;
        let zone = |HeaderZone { name, pinned, id, records }: HeaderZone| {
            let (name, pinned, id) =
                (ZoneName::parse(&name).ok()?, pinned.map(ZoneId), id.map(ZoneId));
            Some(SeenZone { name, pinned, id, records })
        };
        let zones = zones.into_iter().map(zone).collect::<Option<_>>()?;
        Some(About { taken_at, tool, service, account, zones })
    }
}

impl Entry {
    /// Returns a path without an answer yet.
    pub(super) fn at(path: &str) -> Self {
        Self { path: path.to_owned(), result: None, items: None, refused: None }
    }
}

impl From<&ApiMessage> for Message {
    fn from(message: &ApiMessage) -> Self {
        let ApiMessage { code, message, pointer } = message.clone();
        Self { code, message, pointer }
    }
}

impl From<Message> for ApiMessage {
    fn from(message: Message) -> Self {
        let Message { code, message, pointer } = message;
        Self { code, message, pointer }
    }
}
