//! A saved plan or a report as text, from its JSON alone.

use std::io::{self, Write};

use serde_json::Value as Json;

use super::layout::FIELDS;
use super::signs::{CREATED, DELETED, UPDATED};
use super::style::{BOLD, DANGER, DIM, styled};
use crate::document::readable::{ReadableDocument, ReadableOperation};
use crate::render::safe::safe;

/// Writes a saved plan or a report.
///
/// # Errors
/// The errors of the writer.
pub fn write_readable(
    out: &mut dyn Write,
    document: &ReadableDocument,
    colour: bool,
) -> io::Result<()> {
    let ReadableDocument { kind, verdict, summary, base, consents_missing, .. } = document;
    let age = match &document.saved {
        Some(saved) => format!(
            ", saved at {} by {}, for the day {}",
            saved.created_at, saved.tool, saved.today
        ),
        None if document.checked_at.is_empty() => String::new(),
        None => format!(", made at {}", document.checked_at),
    };
    let title = safe(&format!("{kind}: {verdict}{age}")).into_owned();
    writeln!(out, "{}", styled(&title, BOLD, colour))?;
    if let Some(base) = base {
        let member = |name: &str| base.get(name).and_then(Json::as_str).unwrap_or_default();
        let commit = Some(member("commit")).filter(|commit| !commit.is_empty());
        let commit = commit.map(|commit| format!(" (commit {commit})")).unwrap_or_default();
        let line = format!("Compared with {} {}{commit}", member("kind"), member("name"));
        writeln!(out, "{}", safe(&line))?;
    }
    writeln!(out)?;
    for operation in document.operations.iter().chain(&document.findings) {
        write_operation(out, operation, colour)?;
    }
    for consent in consents_missing {
        writeln!(out, "{} {}", styled("Needs consent:", DANGER, colour), safe(&consent.flag))?;
    }
    let numbers: Vec<String> = summary
        .iter()
        .filter(|(_, number)| **number > 0)
        .map(|(word, number)| format!("{number} {}", word.replace('_', " ")))
        .collect();
    let numbers = if numbers.is_empty() { "nothing".to_owned() } else { numbers.join(", ") };
    writeln!(out, "In all: {}", safe(&numbers))
}

/// Writes an operation or a finding: its address, values, effects and dangers.
fn write_operation(
    out: &mut dyn Write,
    operation: &ReadableOperation,
    colour: bool,
) -> io::Result<()> {
    let ReadableOperation { address, action, state, effect, before, after, fields, dangers } =
        operation;
    let (sign, style) = match action.as_str() {
        "create" => CREATED,
        "delete" => DELETED,
        _ => UPDATED,
    };
    let state = if state.is_empty() { String::new() } else { format!("  ({state})") };
    let line = safe(&format!("{sign}{address}{state}")).into_owned();
    writeln!(out, "{}", styled(&line, style, colour))?;
    if fields.is_empty()
        && let Some(body) = after.as_ref().or(before.as_ref())
    {
        let value = ["content", "data", "expression"].iter().find_map(|name| body.get(*name));
        if let Some(value) = value {
            writeln!(out, "    {}", safe(&words(value)))?;
        }
    }
    for field in fields.iter().take(FIELDS) {
        let (before, after) = (words(&field.before), words(&field.after));
        writeln!(out, "    {}", safe(&format!("{}: {before} → {after}", field.field)))?;
    }
    if fields.len() > FIELDS {
        writeln!(out, "    and {} more", fields.len() - FIELDS)?;
    }
    for sentence in effect.iter().flat_map(|effect| &effect.lines) {
        writeln!(out, "    → {}", safe(sentence))?;
    }
    if !dangers.is_empty() {
        let codes = safe(&dangers.join(", ")).into_owned();
        writeln!(out, "    {} {codes}", styled("dangers:", DIM, colour))?;
    }
    Ok(())
}

/// Returns a value as text on one line.
fn words(value: &Json) -> String {
    match value {
        Json::Null => "none".to_owned(),
        Json::String(text) => text.clone(),
        value => value.to_string(),
    }
}
