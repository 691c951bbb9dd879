//! The entries of a zone's plan as text.
//!
//! ```text
//!   ~ @     MX  10 mx1.example.net → 20 mx1.example.net
//!               10 mx2.example.net  unchanged
//!       → mail for example.com: …
//!       ! changes-mail: …
//!   ~ 27 A records: host01 … host27
//!       ttl: 300 → 600
//! ```

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::layout::{FIELDS, INDENT, Line, Paper, pad, write_change};
use super::signs::{self, UPDATED};
use super::style::{CREATE, DANGER, DIM, PLAIN, UPDATE};
use crate::insight::Direction;
use crate::model::Danger;
use crate::render::entries::{BESIDE, Entry, Member, ZoneEntries};
use crate::render::names_in_words::in_words;
use crate::render::operation_view::{FieldView, OperationView, Section, Side};
use crate::render::safe::{safe, shortened};

/// Maximum width of an aligned column of names.
const WIDEST_NAME: usize = 40;

/// Maximum number of characters that are shown of a record type.
const LONGEST_TYPE: usize = 20;

/// Maximum number of changes of comments and tags that are shown if nothing else changes.
const MOST_NOTES: usize = 3;

/// Writes the entries of a zone; each section has an empty line before and after it.
///
/// # Errors
/// The errors of the writer.
pub(super) fn write_entries(
    out: &mut dyn Write,
    zone: &ZoneEntries<'_>,
    paper: Paper,
) -> io::Result<()> {
    let is_folded = !paper.is_full && (zone.matters() || zone.notes.len() > MOST_NOTES);
    let shown: Vec<&Entry<'_>> =
        if is_folded { zone.entries.iter().collect() } else { zone.all().collect() };
    for section in shown.chunk_by(|a, b| a.view.section == b.view.section) {
        writeln!(out)?;
        let columns = Columns::of(section, paper);
        for entry in section {
            write_entry(out, entry, columns, paper)?;
        }
    }
    if let Some((words, names)) = zone.notes_in_a_line().filter(|_| is_folded) {
        let words = format!("{words}: {names}");
        writeln!(out)?;
        Line::indented(2)
            .add(UPDATED.0, UPDATED.1)
            .hanging()
            .add(safe(&words), DIM)
            .add("  (-v shows them)", DIM)
            .write(out, paper)?;
    }
    if zone.all().next().is_some() { writeln!(out) } else { Ok(()) }
}

fn write_entry(
    out: &mut dyn Write,
    entry: &Entry<'_>,
    columns: Columns,
    paper: Paper,
) -> io::Result<()> {
    let view = &entry.view;
    match view.section {
        Section::Zone => write_setting(out, view, paper)?,
        Section::Rules => write_rule(out, view, paper)?,
        Section::Records if entry.is_same_change() => write_group(out, entry, paper)?,
        Section::Records => write_record(out, entry, columns, paper)?,
    }
    if let Some(words) = view.live.words() {
        Line::indented(INDENT).add(safe(&words), DIM).write(out, paper)?;
    }
    for line in view.impact.iter() {
        write_effect(out, INDENT, &in_words(line), paper)?;
    }
    write_dangers(out, view, paper)
}

/// Returns `+`, `~` or `-`, and the verb if it is not create, update or delete.
fn mark(view: &OperationView<'_>) -> Line {
    let (mark, style) = signs::of(view.action);
    let word =
        if view.verb == view.action.as_str() { String::new() } else { format!("{} ", view.verb) };
    Line::indented(2).add(mark, style).add(word, UPDATE)
}

/// Writes a new zone, or both values of each field of a setting.
fn write_setting(out: &mut dyn Write, view: &OperationView<'_>, paper: Paper) -> io::Result<()> {
    let head = mark(view).add(safe(&view.what()), PLAIN);
    if view.fields.is_empty() {
        return head.write(out, paper);
    }
    for FieldView { name, is_whole, before, after } in &view.fields {
        let member = if *is_whole { ": ".to_owned() } else { format!(" {}: ", safe(name)) };
        let old_words =
            if *before == Side::Unknown { "?" } else { before.words().unwrap_or_default() };
        write_change(out, head.clone().add(member, PLAIN), (old_words, after), "", paper)?;
    }
    Ok(())
}

/// Writes a rule: the action, and the settings that change.
fn write_rule(out: &mut dyn Write, view: &OperationView<'_>, paper: Paper) -> io::Result<()> {
    let mut line = mark(view).hanging().add(format!("waf {}", safe(&view.name)), PLAIN);
    if let Some(id) = view.id {
        line = line.add(" ", PLAIN).add(safe(id), DIM);
    }
    let words = [view.type_name, &view.why.brief];
    let words: Vec<_> = words.into_iter().filter(|w| !w.is_empty()).collect();
    line = line.add("  ", PLAIN).add(format!("({})", safe(&words.join(", "))), DIM);
    if let Some(direction) = view.direction {
        let (word, style) = class(direction);
        line = line.add("  ", PLAIN).add(word, style);
    }
    line.write(out, paper)?;
    write_fields(out, &view.fields, INDENT, paper)
}

/// Writes the fields that change, each on a line of its own, from a column on.
fn write_fields(
    out: &mut dyn Write,
    fields: &[FieldView],
    column: usize,
    paper: Paper,
) -> io::Result<()> {
    for FieldView { name, is_whole, before, after } in fields.iter().take(FIELDS) {
        let label = if *is_whole { String::new() } else { format!("{}: ", safe(name)) };
        let head = Line::indented(column).add(label, PLAIN);
        match before.words() {
            Some(before) => write_change(out, head, (before, after), "", paper)?,
            None => head.hanging().add(safe(after), PLAIN).write(out, paper)?,
        }
    }
    if fields.len() > FIELDS {
        Line::indented(column)
            .add(format!("and {} more", fields.len() - FIELDS), PLAIN)
            .write(out, paper)?;
    }
    Ok(())
}

/// Writes an effect: a sentence after an arrow.
///
/// # Errors
/// The errors of the writer.
pub(super) fn write_effect(
    out: &mut dyn Write,
    column: usize,
    line: &str,
    paper: Paper,
) -> io::Result<()> {
    Line::indented(column).add("→ ", DIM).hanging().add(safe(line), PLAIN).write(out, paper)
}

/// Returns the direction of the protection, highlighted if it is dangerous.
fn class(direction: Direction) -> (String, Style) {
    let word = direction.as_str();
    match direction {
        Direction::Weakens | Direction::Both => (word.to_uppercase(), DANGER),
        Direction::Strengthens => (word.to_owned(), CREATE),
        Direction::Neutral | Direction::Unclassified => (word.to_owned(), DIM),
    }
}

/// The widths of the columns of records.
#[derive(Debug, Clone, Copy)]
struct Columns {
    /// Width of names, with the verb.
    names: usize,
    /// Width of types.
    types: usize,
}

impl Columns {
    /// Computes the widths that these entries need, within limits.
    fn of(entries: &[&Entry<'_>], paper: Paper) -> Self {
        let single =
            || entries.iter().filter(|entry| !entry.is_same_change()).map(|entry| &entry.view);
        let widest = paper.width.map_or(WIDEST_NAME, |width| WIDEST_NAME.min(width / 3));
        let names = single().map(|view| name(view).width()).filter(|width| *width <= widest).max();
        Self {
            names: names.unwrap_or(0),
            types: single().map(|view| shown_type(view).width()).max().unwrap_or(0),
        }
    }
}

/// Returns the name of a record, after the verb if the sign does not show it.
fn name(view: &OperationView<'_>) -> String {
    let word =
        if view.verb == view.action.as_str() { String::new() } else { format!("{} ", view.verb) };
    format!("{word}{}", safe(&view.name))
}

/// Returns the type of a record, cut if it is unknown and too long.
fn shown_type(view: &OperationView<'_>) -> String {
    shortened(view.type_name, LONGEST_TYPE).into_owned()
}

/// Returns a note after a value.
fn aside(view: &OperationView<'_>) -> String {
    let words = [view.aside.as_str(), &view.why.brief];
    let words: Vec<_> = words.into_iter().filter(|w| !w.is_empty()).map(safe).collect();
    if words.is_empty() { String::new() } else { format!("  ({})", words.join("; ")) }
}

/// Writes a record: name, type, value, then other changes, and the values that stay beside it.
fn write_record(
    out: &mut dyn Write,
    entry: &Entry<'_>,
    Columns { names, types }: Columns,
    paper: Paper,
) -> io::Result<()> {
    let view = &entry.view;
    let sign = signs::of(view.action);
    let name = name(view);
    let column = 4 + names + 2;
    let mut line = Line::indented(2).add(sign.0, sign.1).hanging().add(&name, PLAIN);
    if name.width() > names {
        // A long name has a line of its own, so that values stay in their column.
        line.write(out, paper)?;
        line = Line::indented(column);
    } else {
        line = line.up_to(column);
    }
    let line = line.add(pad(&shown_type(view), types), PLAIN).add("  ", PLAIN);
    let values = line.width();
    let column = if paper.width.is_some_and(|width| values > width / 2) { INDENT } else { values };
    let (rest, mut fields) = (aside(view), &view.fields[..]);
    match (&view.before, &view.after) {
        (Some(before), Some(after)) if before != after => {
            write_change(out, line, (before, after), &rest, paper)?
        }
        (_, Some(value)) | (Some(value), None) => {
            line.hanging().add(safe(value), PLAIN).add(rest, DIM).write(out, paper)?;
        }
        (None, None) if rest.is_empty() && !fields.is_empty() => {
            let [FieldView { name, is_whole, before, after }, others @ ..] = fields else {
                return Ok(());
            };
            let label = if *is_whole { String::new() } else { format!("{}: ", safe(name)) };
            write_change(
                out,
                line.add(label, PLAIN),
                (before.words().unwrap_or_default(), after),
                "",
                paper,
            )?;
            fields = others;
        }
        (None, None) => line.hanging().add(rest.trim_start(), DIM).write(out, paper)?,
    }
    write_fields(out, fields, column, paper)?;
    for value in entry.beside.iter().take(BESIDE) {
        Line::indented(column).add(safe(value), DIM).add("  unchanged", DIM).write(out, paper)?;
    }
    if entry.beside.len() > BESIDE {
        let omission = format!("and {} more unchanged", entry.beside.len() - BESIDE);
        Line::indented(column).add(omission, DIM).write(out, paper)?;
    }
    Ok(())
}

/// Writes the same change on several records: their names, the common change, and each record if
/// requested.
fn write_group(out: &mut dyn Write, entry: &Entry<'_>, paper: Paper) -> io::Result<()> {
    let view = &entry.view;
    mark(view).hanging().add(safe(&view.what()), PLAIN).write(out, paper)?;
    let (line, rest) = (Line::indented(INDENT), aside(view));
    match (&view.before, &view.after) {
        (Some(before), Some(after)) if before != after => {
            write_change(out, line, (before, after), &rest, paper)?
        }
        (_, Some(value)) | (Some(value), None) => {
            line.add(safe(value), PLAIN).add(rest, DIM).write(out, paper)?
        }
        (None, None) if rest.is_empty() => {}
        (None, None) => line.add(rest.trim_start(), DIM).write(out, paper)?,
    }
    write_fields(out, &view.fields, INDENT, paper)?;
    let members = if paper.is_full { &entry.members[..] } else { &[] };
    for Member { view, .. } in members {
        let mut line = Line::indented(INDENT).add("· ", DIM).hanging().add(safe(&view.name), PLAIN);
        if let Some(value) = view.after.as_ref().or(view.before.as_ref()) {
            line = line.add("  ", PLAIN).add(safe(value), PLAIN);
        }
        if let Some(time) = &view.live.changed {
            line = line.add(format!("  last changed {}", safe(time)), DIM);
        }
        line.write(out, paper)?;
    }
    Ok(())
}

/// Writes the changes that it reverts, and its dangers.
fn write_dangers(out: &mut dyn Write, view: &OperationView<'_>, paper: Paper) -> io::Result<()> {
    let line =
        |words: &str, style| Line::indented(INDENT).add("! ", style).hanging().add(words, style);
    if let Some(cause) = &view.cause {
        line(&safe(cause), UPDATE).write(out, paper)?;
    }
    // A delete is already visible.
    for danger in view.dangers.iter().filter(|d| **d != Danger::Delete) {
        let why = view
            .accepted
            .get(danger)
            .map(|reason| format!(" (accepted in the spec: {})", safe(reason)));
        let code = format!("{}: ", danger.code());
        Line::indented(INDENT)
            .add("! ", DANGER)
            .hanging()
            .add(&code, PLAIN)
            .add(danger.about(), DANGER)
            .add(why.unwrap_or_default(), PLAIN)
            .write(out, paper)?;
    }
    Ok(())
}
