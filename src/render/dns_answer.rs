//! Authoritative answers with the records that they are made of, as text and as JSON.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::names_in_words::{in_both_forms, with_unicode};
use super::operation_view::place;
use super::place::Source;
use super::safe::safe;
use crate::diagnostic::Sources;
use crate::insight::dns::{Answer, End, Entry};
use crate::model::{Fqdn, RecordType};

/// An answer to show.
#[derive(Debug, Clone)]
pub struct AnswerView<'a> {
    /// The queried type.
    pub kind: RecordType,
    /// The answer.
    pub answer: Answer<'a>,
    /// The assumptions of the answer.
    pub notes: Vec<String>,
}

/// A record of an answer, with its role.
struct Part<'a> {
    entry: Entry<'a>,
    wildcard: Option<&'a str>,
    role: &'static str,
}

/// Returns the records of an answer, in order.
fn parts<'a>(answer: &Answer<'a>) -> Vec<Part<'a>> {
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

/// Writes answers to questions about a name.
///
/// # Errors
/// The errors of the writer.
pub fn write_answers(
    out: &mut dyn Write,
    name: &Fqdn,
    answers: &[AnswerView<'_>],
    sources: &Sources,
) -> io::Result<()> {
    // Notes that apply to all answers are written once.
    let is_common = |note: &&String| {
        answers.len() > 1 && answers.iter().all(|answer| answer.notes.contains(note))
    };
    for (n, AnswerView { kind, answer, notes }) in answers.iter().enumerate() {
        if n > 0 {
            writeln!(out)?;
        }
        writeln!(
            out,
            "{} {kind}: {}",
            in_both_forms(name.as_str()),
            safe(&with_unicode(&answer.words(*kind)))
        )?;
        let rows: Vec<[String; 4]> = parts(answer).iter().map(|part| row(part, sources)).collect();
        let width =
            |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        for [name, kind, value, about] in &rows {
            let line = format!(
                "  {name:0$}  {kind:1$}  {value:2$}  {about}",
                widths[0], widths[1], widths[2]
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        for note in notes.iter().filter(|note| !is_common(note)) {
            writeln!(out, "  note: {}", safe(note))?;
        }
    }
    let common = answers.first().into_iter().flat_map(|answer| &answer.notes).filter(is_common);
    for (n, note) in common.enumerate() {
        if n == 0 {
            writeln!(out)?;
        }
        writeln!(out, "note: {}", safe(note))?;
    }
    Ok(())
}

/// Returns the cells of one record: name, type, value, and all other attributes.
fn row(part: &Part<'_>, sources: &Sources) -> [String; 4] {
    let Part { entry, wildcard, role } = part;
    let mut about = vec![match entry.ttl {
        _ if entry.is_proxied() => "proxied".to_owned(),
        ttl => format!("ttl {ttl}"),
    }];
    match *role {
        "glue" => about.push("glue".to_owned()),
        "hidden" => about.push("hidden by the delegation".to_owned()),
        _ => {}
    }
    about.extend(wildcard.map(|_| "by the wildcard".to_owned()));
    about.extend(entry.read_only.map(|owner| format!("managed by {}", owner.owner())));
    about.extend(entry.place.and_then(|at| place(at, sources)));
    let shown = |text: &str| safe(&with_unicode(text)).into_owned();
    let value = shown(&entry.data.presentation());
    [shown(entry.name.as_str()), entry.data.type_name().to_owned(), value, about.join(", ")]
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
    let one = |AnswerView { kind, answer, notes }: &'a AnswerView<'a>| AnswerJson {
        kind: kind.as_str(),
        status: answer.status(),
        text: answer.words(*kind),
        name: answer.name.as_str(),
        zone: answer.zone.map(|zone| zone.as_str()),
        records: parts(answer).into_iter().map(record).collect(),
        notes,
    };
    Document {
        format: 1,
        kind: "answers",
        name: name.as_str(),
        answers: answers.iter().map(one).collect(),
    }
}
