//! Authoritative answers with the records that make them, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use super::safe::safe;
use super::view::place;
use crate::diagnostic::Sources;
use crate::insight::dns::{Answer, End, Entry};
use crate::model::{Fqdn, RecordType};

/// An answer to show.
#[derive(Debug, Clone)]
pub struct AnswerView<'a> {
    /// The type that was asked.
    pub kind: RecordType,
    /// The answer.
    pub answer: Answer<'a>,
    /// What it takes for granted.
    pub notes: Vec<String>,
}

/// A record that takes part, with how it does.
struct Part<'a> {
    entry: Entry<'a>,
    wildcard: Option<&'a str>,
    role: &'static str,
}

/// The records of an answer, in order.
fn parts<'a>(answer: &Answer<'a>) -> Vec<Part<'a>> {
    let aliases = answer.aliases.iter();
    let mut parts: Vec<Part<'a>> =
        aliases.map(|alias| Part { entry: alias.record, wildcard: alias.wildcard, role: "alias" }).collect();
    let wildcard = answer.wildcard;
    let mut add =
        |set: &[Entry<'a>], role| parts.extend(set.iter().map(|entry| Part { entry: *entry, wildcard, role }));
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
/// Those of the writer.
pub fn write_answers(
    out: &mut dyn Write,
    name: &Fqdn,
    answers: &[AnswerView<'_>],
    sources: &Sources,
) -> io::Result<()> {
    for (n, AnswerView { kind, answer, notes }) in answers.iter().enumerate() {
        if n > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{name} {kind}: {}", safe(&answer.words(*kind)))?;
        let rows: Vec<[String; 4]> = parts(answer).iter().map(|part| row(part, sources)).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        for [name, kind, value, about] in &rows {
            let line = format!("  {name:0$}  {kind:1$}  {value:2$}  {about}", widths[0], widths[1], widths[2]);
            writeln!(out, "{}", line.trim_end())?;
        }
        for note in notes {
            writeln!(out, "  note: {}", safe(note))?;
        }
    }
    Ok(())
}

/// One record: name, type, value, and everything else.
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
    let value = safe(&entry.data.presentation()).into_owned();
    [safe(entry.name.as_str()).into_owned(), entry.data.type_name().to_owned(), value, about.join(", ")]
}

/// Answers as JSON.
#[must_use]
pub fn json(name: &Fqdn, answers: &[AnswerView<'_>], sources: &Sources) -> Json {
    let record = |part: &Part<'_>| {
        let Part { entry, wildcard, role } = part;
        let source = entry.place.map(|place| {
            let at = sources.line_column(place);
            json!({ "file": sources.name(place.source), "line": at.line, "column": at.column })
        });
        json!({
            "role": role, "name": entry.name.as_str(), "type": entry.data.type_name(),
            "content": entry.data.presentation(), "ttl": entry.ttl.as_number(), "proxied": entry.is_proxied(),
            "wildcard": wildcard, "source": source,
        })
    };
    let one = |view: &AnswerView<'_>| {
        let AnswerView { kind, answer, notes } = view;
        json!({
            "type": kind.as_str(), "status": answer.status(), "text": answer.words(*kind),
            "name": answer.name.as_str(), "zone": answer.zone.map(|zone| zone.as_str()),
            "records": parts(answer).iter().map(record).collect::<Vec<_>>(), "notes": notes,
        })
    };
    json!({ "format": 1, "kind": "answers", "name": name.as_str(), "answers": answers.iter().map(one).collect::<Vec<_>>() })
}
