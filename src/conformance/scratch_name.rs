//! The scratch name: requests about its records, and their removal.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value as Json, json};

use super::finding::{CheckedAssumption, Unconfirmed};
use crate::api::{ApiError, CheckClient, ReadClient, Reader, WriteClient, Writer};
use crate::model::{LiveZone, ZoneId};
use crate::wire::{Envelope, Method, Request};

/// Reasons why no check can run.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    /// The records of the zone cannot be read.
    #[error("failed to read the records of the scratch name")]
    Read(#[source] ApiError),
    /// The scratch name has records already.
    #[error(
        "the scratch name {name} is not empty; nothing was written. Run again: each run takes \
        another name"
    )]
    NotEmpty {
        /// The scratch name.
        name: String,
    },
}

/// A scratch name in a zone, with the clients that work on its records.
pub struct ScratchName {
    reader: ReadClient,
    writer: WriteClient,
    pub(super) checker: CheckClient,
    pub(super) zone: ZoneId,
    pub(super) account: Option<String>,
    zone_name: String,
    /// Everything is created at or below this name.
    name: String,
    created: Mutex<Vec<String>>,
}

/// Result of a request.
#[derive(Debug)]
pub(super) enum CheckResponse {
    /// Cloudflare accepted the request, with this result.
    Accepted(Json),
    /// Cloudflare refused the content of the request.
    Refused(RefusedRequest),
    /// The request says nothing about the assumption, for this reason.
    Nothing(String),
}

/// A refusal by Cloudflare.
#[derive(Debug)]
pub(super) struct RefusedRequest {
    pub(super) status: u16,
    /// Error codes. `None` for an error without one.
    pub(super) codes: Vec<Option<i64>>,
    /// Error messages.
    pub(super) text: String,
}

impl CheckResponse {
    /// Interprets an answer.
    pub(super) fn of(answer: Result<Envelope, ApiError>) -> Self {
        match answer {
            Ok(envelope) => Self::Accepted(envelope.result),
            Err(error) => match error.status() {
                Some(status @ (400 | 404..=428)) if !error.is_garbled() => {
                    let codes = error.messages().iter().map(|message| message.code).collect();
                    let text = error.reasons().unwrap_or_default();
                    Self::Refused(RefusedRequest { status, codes, text })
                }
                _ => Self::Nothing(match error.advice() {
                    Some(advice) => format!("failed to {error} ({advice})"),
                    None => format!("failed to {error}"),
                }),
            },
        }
    }

    fn in_words(&self) -> String {
        match self {
            Self::Accepted(result) => {
                let shown = ["type", "name", "content", "ttl", "data", "priority"];
                let members = shown
                    .iter()
                    .filter_map(|name| Some(((*name).to_owned(), result.get(*name)?.clone())));
                format!("accepted: {}", Json::Object(members.collect::<Map<_, _>>()))
            }
            Self::Refused(RefusedRequest { status, codes: _, text }) => {
                format!("refused: HTTP {status}: {text}")
            }
            Self::Nothing(why) => why.clone(),
        }
    }

    /// Returns the result, or a finding if the request was not accepted.
    pub(super) fn accepted(self) -> Result<Json, Unconfirmed> {
        match self {
            Self::Accepted(result) => Ok(result),
            Self::Refused(_) => Err(Unconfirmed::Differed(self.in_words())),
            Self::Nothing(why) => Err(Unconfirmed::Unknown(why)),
        }
    }

    /// Like [`Self::accepted`], for a request that only prepares a check.
    pub(super) fn prepared(self) -> Result<Json, Unconfirmed> {
        self.accepted().map_err(|finding| match finding {
            Unconfirmed::Differed(found) => {
                Unconfirmed::Unknown(format!("could not be prepared: {found}"))
            }
            Unconfirmed::Unknown(why) => Unconfirmed::Unknown(why),
        })
    }

    /// Checks for a refusal with this code. `None` is a refusal without any code.
    pub(super) fn refused_with(self, code: Option<i64>) -> CheckedAssumption {
        if let Self::Refused(RefusedRequest { codes, .. }) = &self {
            let is_as_assumed = match code {
                Some(_) => codes.contains(&code),
                None => codes.iter().all(Option::is_none),
            };
            if !is_as_assumed {
                return self.differs();
            }
        }
        self.refused()
    }

    /// Checks for a refusal with any code.
    pub(super) fn refused(self) -> CheckedAssumption {
        match self {
            Self::Refused(_) => Ok(()),
            Self::Accepted(_) => self.differs(),
            Self::Nothing(why) => Err(Unconfirmed::Unknown(why)),
        }
    }

    /// Reports a difference from the assumption.
    fn differs(&self) -> CheckedAssumption {
        Err(Unconfirmed::Differed(self.in_words()))
    }
}

/// Converts the error of a failed read: a refusal of its content is a difference.
pub(super) fn unread(error: ApiError) -> Unconfirmed {
    match CheckResponse::of(Err(error)).accepted() {
        Err(finding) => finding,
        Ok(_) => Unconfirmed::Unknown("nothing was read".to_owned()),
    }
}

/// Fails unless a member of the result has the assumed value.
pub(super) fn expect_member(result: &Json, pointer: &str, assumed: &Json) -> CheckedAssumption {
    let actual = result.pointer(pointer).unwrap_or(&Json::Null);
    if actual == assumed {
        return Ok(());
    }
    let member = pointer.trim_start_matches('/');
    Err(Unconfirmed::Differed(format!("{member} is {actual} where {assumed} is assumed")))
}

impl ScratchName {
    /// Creates a scratch name from the random number `random`.
    pub(super) fn new(
        clients: (ReadClient, WriteClient, CheckClient),
        zone: &LiveZone,
        random: u64,
    ) -> Self {
        let (reader, writer, checker) = clients;
        Self {
            reader,
            writer,
            checker,
            zone: zone.id.clone(),
            account: zone.account.clone(),
            zone_name: zone.name.to_string(),
            name: format!(
                "zonewright-conformance-{:012x}.{}",
                random & 0xffff_ffff_ffff,
                zone.name
            ),
            created: Mutex::default(),
        }
    }

    /// Returns the full scratch name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Explains how to remove records that may remain.
    #[must_use]
    pub fn may_be_left(&self) -> String {
        format!("records at and below {} may be left: delete them in the dashboard", self.name)
    }

    /// Explains how to remove records that remain.
    #[must_use]
    pub fn could_not_delete(&self) -> String {
        format!(
            "some records at and below {} could not be deleted: delete them in the dashboard",
            self.name
        )
    }

    /// Removes everything from a text that identifies who ran the checks.
    pub(super) fn anonymous(&self, text: &str) -> String {
        let mut text = text
            .replace(&self.name, "SCRATCH")
            .replace(&self.zone_name, "ZONE")
            .replace(&self.zone.0, "ZONE_ID");
        if let Some(account) = &self.account {
            text = text.replace(account, "ACCOUNT_ID");
        }
        text
    }

    /// Returns a name below the scratch name.
    pub(super) fn below(&self, label: &str) -> String {
        format!("{label}.{}", self.name)
    }

    pub(super) fn records_path(&self) -> String {
        format!("/zones/{}/dns_records", self.zone.0)
    }

    fn created(&self) -> MutexGuard<'_, Vec<String>> {
        self.created.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the records in a result, so that they are deleted later.
    fn remember(&self, result: &Json) {
        let ids = result.get("id").and_then(Json::as_str).map(str::to_owned);
        self.created().extend(ids);
    }

    pub(super) async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
        self.reader.read(request).await
    }

    /// Creates a record. Its `name` must be the scratch name or a name below it.
    pub(super) async fn create(&self, body: Json) -> CheckResponse {
        let response = CheckResponse::of(
            self.writer.write(&Request::new(Method::Post, self.records_path()).body(body)).await,
        );
        if let CheckResponse::Accepted(result) = &response {
            self.remember(result);
        }
        response
    }

    /// Creates an A record with a documentation address (RFC 5737).
    pub(super) async fn create_address(&self, label: &str) -> Result<Json, Unconfirmed> {
        self.create(
            json!({ "type": "A", "name": self.below(label), "content": "192.0.2.1", "ttl": 300 }),
        )
        .await
        .prepared()
    }

    pub(super) async fn patch(&self, record: &Json, body: Json) -> CheckResponse {
        let path = format!("{}/{}", self.records_path(), id_of(record));
        CheckResponse::of(self.writer.write(&Request::new(Method::Patch, path).body(body)).await)
    }

    pub(super) async fn delete(&self, record: &Json) -> CheckResponse {
        let path = format!("{}/{}", self.records_path(), id_of(record));
        CheckResponse::of(self.writer.write(&Request::new(Method::Delete, path)).await)
    }

    pub(super) async fn batch(&self, body: Json) -> CheckResponse {
        let path = format!("{}/batch", self.records_path());
        let response = CheckResponse::of(
            self.writer.write(&Request::new(Method::Post, path).body(body)).await,
        );
        if let CheckResponse::Accepted(result) = &response {
            result
                .get("posts")
                .and_then(Json::as_array)
                .into_iter()
                .flatten()
                .for_each(|record| self.remember(record));
        }
        response
    }

    /// Lists the records at and below the scratch name.
    pub(super) async fn everything(&self) -> Result<Vec<Json>, ApiError> {
        let request = Request::new(Method::Get, self.records_path())
            .query("name.endswith", self.name.clone())
            .query("per_page", "1000");
        let envelope = self.reader.read(&request).await?;
        // Cloudflare may ignore the filter.
        let is_ours = |record: &&Json| {
            let name = record.get("name").and_then(Json::as_str).unwrap_or_default().to_lowercase();
            name == self.name || name.ends_with(&format!(".{}", self.name))
        };
        Ok(envelope.result.as_array().into_iter().flatten().filter(is_ours).cloned().collect())
    }

    /// Fails if the scratch name has records.
    pub(super) async fn must_be_empty(&self) -> Result<(), NotReady> {
        let records = self.everything().await.map_err(NotReady::Read)?;
        if records.is_empty() {
            Ok(())
        } else {
            Err(NotReady::NotEmpty { name: self.name.clone() })
        }
    }

    /// Deletes the records that a check created.
    pub(super) async fn delete_created(&self) {
        let created = std::mem::take(&mut *self.created());
        for id in created {
            // A failed deletion is repeated at the end, and a missing record is deleted already.
            let _ = self.delete(&json!({ "id": id })).await;
        }
    }

    /// Deletes everything at and below the scratch name, including records whose creation was not
    /// confirmed. Returns the number of records that could not be deleted.
    pub(super) async fn delete_everything(&self) -> usize {
        self.delete_created().await;
        let mut leftovers = 0;
        for _ in 0..3 {
            let Ok(there) = self.everything().await else {
                leftovers = leftovers.max(1);
                continue;
            };
            leftovers = there.len();
            if leftovers == 0 {
                break;
            }
            for record in &there {
                let _ = self.delete(record).await;
            }
        }
        leftovers
    }
}

fn id_of(record: &Json) -> &str {
    record.get("id").and_then(Json::as_str).unwrap_or_default()
}
