//! Authoritative answers with the records that they are made of, as text.

use std::io::{self, Write};

use super::names_in_words::{in_both_forms, with_unicode};
use super::safe::safe;
use crate::diagnostic::Sources;
use crate::document::dns_answer::{AnswerView, Part, parts};
use crate::document::place::place;
use crate::model::Fqdn;

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
