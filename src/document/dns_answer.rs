//! Authoritative answers with the records that they consist of.

use schemars::JsonSchema;
use serde::Serialize;

use super::FORMAT;
use super::place::Source;
use crate::diagnostic::Sources;
use crate::insight::dns::{Answer, End, Entry};
use crate::model::{Fqdn, RecordType};

/// An answer to show.
#[derive(Debug, Clone)]
pub struct AnswerView<'a> {
    /// The queried type.
    pub kind: RecordType,
    /// Records or the reason for their absence.
    pub answer: Answer<'a>,
    /// The assumptions of the answer.
    pub notes: Vec<String>,
}

/// A record of an answer, with its role.
pub(crate) struct Part<'a> {
    pub(crate) entry: Entry<'a>,
    pub(crate) wildcard: Option<&'a str>,
    pub(crate) role: &'static str,
}

/// Returns the records of an answer, in order.
pub(crate) fn parts<'a>(answer: &Answer<'a>) -> Vec<Part<'a>> {
    let aliases = answer.aliases.iter();
    let mut parts: Vec<Part<'a>> = aliases
        .map(|alias| Part { entry: alias.record, wildcard: alias.wildcard, role: "alias" })
        .collect();
    let wildcard = answer.wildcard;
    let mut add = |set: &[Entry<'a>], role| {
        parts.extend(set.iter().map(|entry| Part { entry: *entry, wildcard, role }))
    };
    match &answer.end {
        End::Records(set) | End::Cloudflare(_, set) => add(set, "answer"),
        End::Edge(set) => add(set, "proxied"),
        End::Referral(referral) => {
            add(&referral.servers, "delegation");
            add(&referral.ds, "delegation");
            add(&referral.glue, "glue");
            add(&referral.hidden, "hidden");
        }
        End::NoData(_) | End::NoName | End::Elsewhere | End::Loop | End::Unknown(_) => {}
    }
    parts
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    format: u32,
    kind: &'static str,
    name: &'a str,
    answers: Vec<AnswerJson<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AnswerJson<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    status: &'static str,
    text: String,
    name: &'a str,
    zone: Option<&'a str>,
    records: Vec<RecordJson<'a>>,
    notes: &'a [String],
}

#[derive(Debug, Serialize, JsonSchema)]
struct RecordJson<'a> {
    role: &'static str,
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    content: String,
    ttl: u32,
    proxied: bool,
    wildcard: Option<&'a str>,
    source: Option<Source<'a>>,
}

/// Returns answers in the form of the JSON output.
pub fn json<'a>(
    name: &'a Fqdn,
    answers: &'a [AnswerView<'a>],
    sources: &'a Sources,
) -> impl Serialize + 'a {
    let record = |Part { entry, wildcard, role }: Part<'a>| RecordJson {
        role,
        name: entry.name.as_str(),
        kind: entry.data.type_name(),
        content: entry.data.presentation(),
        ttl: entry.ttl.as_number(),
        proxied: entry.is_proxied(),
        wildcard,
        source: entry.place.map(|place| Source::of(place, sources)),
    };
    let answer_json = |AnswerView { kind, answer, notes }: &'a AnswerView<'a>| AnswerJson {
        kind: kind.as_str(),
        status: answer.status(),
        text: answer.words(*kind),
        name: answer.name.as_str(),
        zone: answer.zone.map(|zone| zone.as_str()),
        records: parts(answer).into_iter().map(record).collect(),
        notes,
    };
    Document {
        format: FORMAT,
        kind: "answers",
        name: name.as_str(),
        answers: answers.iter().map(answer_json).collect(),
    }
}
