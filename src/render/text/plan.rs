//! A plan as text for reviewers.

use std::borrow::Cow;
use std::io::{self, Write};

use anstyle::Style;

use super::layout::{BOLD, CREATE, DELETE, DIM, UPDATE, pad, styled};
use crate::diagnostic::count;
use crate::insight::Direction;
use crate::model::Danger;
use crate::plan::{Action, GivenConsent, MissingConsent, Plan, SetAsideCount, Verdict, ZonePlan};
use crate::render::safe::{safe, shortened};
use crate::render::textdiff::inline;
use crate::render::view::{FieldView, OperationView, Section, Side, views};
use crate::wire::budget;

/// Widest column of names that is still aligned.
const WIDEST_NAME: usize = 40;

/// Largest number of characters shown of a record type.
const LONGEST_TYPE: usize = 20;

/// Largest number of fields shown of an operation on a rule; the JSON has all.
const FIELDS: usize = 30;

/// Indentation of additional lines about an operation.
const INDENT: &str = "      ";

/// How a plan is shown.
#[derive(Debug, Clone, Copy)]
pub struct PlanView<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Whether it may be applied.
    pub verdict: &'a Verdict,
    /// Number of requests to apply it.
    pub requests_to_apply: usize,
    /// With colour.
    pub colour: bool,
    /// Also name what is unmanaged.
    pub verbose: bool,
    /// How much of the plan is shown.
    pub extent: Extent,
}

/// How much of a plan is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Every operation.
    Whole,
    /// Counts and consents only.
    Summary,
}

/// Writes a plan.
///
/// # Errors
/// Those of the writer.
pub fn write_plan(out: &mut dyn Write, view: &PlanView) -> io::Result<()> {
    if view.extent == Extent::Whole {
        for zone in &view.plan.zones {
            write_zone(out, zone, view)?;
        }
    }
    write_summary(out, view)?;
    for GivenConsent { danger, by } in &view.plan.consents_given {
        let line = format!("Consent given: {} ({})", danger.about(), safe(by));
        writeln!(out, "{}", styled(&line, DIM, view.colour))?;
    }
    write_consents(out, view)
}

/// One zone: heading, operations, what is unmanaged.
fn write_zone(out: &mut dyn Write, zone: &ZonePlan, view: &PlanView) -> io::Result<()> {
    let about = format!("{} plan, zone {}", zone.tier.facts().name, safe(&zone.id.0));
    let about = if zone.is_new { "new zone, free plan".to_owned() } else { about };
    writeln!(out, "{}  {}", styled(zone.name.as_str(), BOLD, view.colour), styled(&about, DIM, view.colour))?;
    write_operations(out, &views(zone).collect::<Vec<_>>(), view.colour)?;
    write_impact(out, "  ", &zone.impact, view.colour)?;
    for note in &zone.notes {
        writeln!(out, "  {}", safe(note))?;
    }
    write_rest(out, zone, view)?;
    writeln!(out)
}

/// The operations of a zone; each section has an empty line before and after it.
fn write_operations(out: &mut dyn Write, operations: &[OperationView<'_>], colour: bool) -> io::Result<()> {
    for section in operations.chunk_by(|a, b| a.section == b.section) {
        writeln!(out)?;
        let columns = Columns::of(section);
        for operation in section {
            match operation.section {
                Section::Zone => write_setting(out, operation, colour)?,
                Section::Rules => write_rule(out, operation, colour)?,
                Section::Records => write_record(out, operation, columns, colour)?,
            }
            write_dangers(out, operation, colour)?;
        }
    }
    if !operations.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// `+`, `~` or `-`.
fn mark(action: Action, colour: bool) -> String {
    let (mark, style) = match action {
        Action::Create => ("+", CREATE),
        Action::Update | Action::Move => ("~", UPDATE),
        Action::Delete => ("-", DELETE),
    };
    styled(mark, style, colour)
}

/// A new zone, or each field of a setting before and after.
fn write_setting(out: &mut dyn Write, operation: &OperationView<'_>, colour: bool) -> io::Result<()> {
    let head = format!("  {} {}", mark(operation.action, colour), safe(&operation.what()));
    if operation.fields.is_empty() {
        return writeln!(out, "{head}");
    }
    for FieldView { name, is_whole, before, after } in &operation.fields {
        let member = if *is_whole { String::new() } else { format!(" {}", safe(name)) };
        let before = if *before == Side::Unknown { "?" } else { before.words().unwrap_or_default() };
        writeln!(out, "{head}{member}: {}", inline(before, after, colour))?;
    }
    Ok(())
}

/// A rule: the action, the settings that change, and the effect on traffic.
fn write_rule(out: &mut dyn Write, operation: &OperationView<'_>, colour: bool) -> io::Result<()> {
    let id = operation.id.map(|id| format!(" {}", styled(&safe(id), DIM, colour))).unwrap_or_default();
    let words = [operation.type_name, &operation.why.brief];
    let words: Vec<_> = words.into_iter().filter(|w| !w.is_empty()).collect();
    writeln!(
        out,
        "  {} waf {}{id}  {}  {}",
        mark(operation.action, colour),
        safe(&operation.name),
        styled(&format!("({})", words.join(", ")), DIM, colour),
        operation.direction.map(|direction| class(direction, colour)).unwrap_or_default()
    )?;
    for FieldView { name, is_whole: _, before, after } in operation.fields.iter().take(FIELDS) {
        let change = match before.words() {
            Some(before) => inline(before, after, colour),
            None => safe(after).into_owned(),
        };
        writeln!(out, "{INDENT}{}: {change}", safe(name))?;
    }
    if operation.fields.len() > FIELDS {
        writeln!(out, "{INDENT}and {} more", operation.fields.len() - FIELDS)?;
    }
    write_impact(out, INDENT, operation.impact, colour)
}

/// What something means: sentences, each after an arrow.
fn write_impact(out: &mut dyn Write, indent: &str, lines: &[String], colour: bool) -> io::Result<()> {
    for line in lines {
        writeln!(out, "{indent}{} {}", styled("→", DIM, colour), safe(line))?;
    }
    Ok(())
}

/// The direction of the protection, highlighted where it is dangerous.
fn class(direction: Direction, colour: bool) -> String {
    let word = direction.as_str();
    match direction {
        Direction::Weakens | Direction::Both => styled(&word.to_uppercase(), DELETE, colour),
        Direction::Strengthens => styled(word, CREATE, colour),
        Direction::Neutral | Direction::Unclassified => styled(word, DIM, colour),
    }
}

/// The widths of the columns of records, in characters.
#[derive(Debug, Clone, Copy)]
struct Columns {
    /// Width of names.
    names: usize,
    /// Width of types.
    types: usize,
}

impl Columns {
    /// As wide as these operations need, within limits.
    fn of(operations: &[OperationView<'_>]) -> Self {
        let name = |o: &OperationView<'_>| safe(&o.name).chars().count();
        let types = |o: &OperationView<'_>| shown_type(o).chars().count();
        Self {
            names: operations.iter().map(name).max().unwrap_or(0).min(WIDEST_NAME),
            types: operations.iter().map(types).max().unwrap_or(0),
        }
    }
}

/// A record: name, type, value, then other changes.
fn write_record(
    out: &mut dyn Write,
    operation: &OperationView<'_>,
    Columns { names, types }: Columns,
    colour: bool,
) -> io::Result<()> {
    let name = pad(&safe(&operation.name), names);
    let head = format!("  {} {name}  {}", mark(operation.action, colour), pad(&shown_type(operation), types));
    let value = match (&operation.before, &operation.after) {
        (Some(before), Some(after)) if before != after => inline(before, after, colour),
        (_, Some(value)) | (Some(value), None) => safe(value).into_owned(),
        (None, None) => String::new(),
    };
    let why = safe(&operation.why.brief);
    let words = [operation.aside.as_str(), &why];
    let words: Vec<_> = words.into_iter().filter(|w| !w.is_empty()).collect();
    writeln!(out, "{head}  {value}{}", aside(&words.join("; "), colour))?;
    let indent = " ".repeat(4 + name.chars().count() + 2 + types + 2);
    for FieldView { name, is_whole: _, before, after } in &operation.fields {
        writeln!(out, "{indent}{}: {}", safe(name), inline(before.words().unwrap_or_default(), after, colour))?;
    }
    write_impact(out, INDENT, operation.impact, colour)
}

/// The dangers of an operation and what it reverts, one line each.
fn write_dangers(out: &mut dyn Write, operation: &OperationView<'_>, colour: bool) -> io::Result<()> {
    let line = |words: &str, style: Style| format!("{INDENT}{}", styled(&format!("! {words}"), style, colour));
    if let Some(cause) = &operation.cause {
        writeln!(out, "{}", line(&safe(cause), UPDATE))?;
    }
    // A delete is visible already.
    for danger in operation.dangers.iter().filter(|d| **d != Danger::Delete) {
        let why = operation.accepted.get(danger).map(|reason| format!(" (accepted in the spec: {})", safe(reason)));
        let words = format!("{}: {}", danger.code(), danger.about());
        writeln!(out, "{}{}", line(&words, DELETE), why.unwrap_or_default())?;
    }
    Ok(())
}

/// The type of a record, cut if it is unknown and too long.
fn shown_type<'a>(operation: &OperationView<'a>) -> Cow<'a, str> {
    shortened(operation.type_name, LONGEST_TYPE)
}

/// A note after a value.
fn aside(words: &str, colour: bool) -> String {
    if words.is_empty() { String::new() } else { format!("  {}", styled(&format!("({words})"), DIM, colour)) }
}

/// What is in sync, and what is unmanaged.
fn write_rest(out: &mut dyn Write, zone: &ZonePlan, view: &PlanView) -> io::Result<()> {
    let mut parts = vec![format!("{} unchanged", zone.unchanged)];
    if zone.rules_unchanged > 0 {
        parts.push(format!("{} unchanged", count(zone.rules_unchanged, "rule")));
    }
    parts.extend(zone.set_aside.iter().map(|aside| {
        let types: Vec<_> = aside.types.iter().map(|(t, n)| format!("{n} {}", safe(t))).collect();
        format!("{} {}, left alone ({})", aside.count(), safe(&aside.reason), types.join(", "))
    }));
    writeln!(out, "  {}", styled(&parts.join(" · "), DIM, view.colour))?;
    if view.verbose {
        for aside in &zone.set_aside {
            write_examples(out, aside, view.colour)?;
        }
    }
    Ok(())
}

/// The names of what is unmanaged.
fn write_examples(out: &mut dyn Write, aside: &SetAsideCount, colour: bool) -> io::Result<()> {
    for example in &aside.examples {
        writeln!(out, "    {}", styled(&format!("{} {}", safe(&aside.reason), safe(example)), DIM, colour))?;
    }
    let more = aside.count() - aside.examples.len();
    if more > 0 {
        writeln!(out, "    {}", styled(&format!("and {more} more"), DIM, colour))?;
    }
    Ok(())
}

/// The last lines.
fn write_summary(out: &mut dyn Write, view: &PlanView) -> io::Result<()> {
    let s = view.plan.summary();
    let made = count(usize::try_from(view.plan.requests_made).unwrap_or(usize::MAX), "request");
    if s.operations() == 0 {
        let line = match view.verdict {
            Verdict::Incomplete => "The plan is incomplete: see the errors.".to_owned(),
            _ => format!(
                "In sync: nothing to do. {} as wanted.",
                count(s.unchanged, if rules_are_meant(view) { "object" } else { "record" })
            ),
        };
        return writeln!(
            out,
            "{}  {}",
            styled(&line, BOLD, view.colour),
            styled(&format!("({made})"), DIM, view.colour)
        );
    }
    let line = format!("Plan: {} to create, {} to update, {}.", s.create, s.update, s.deletes());
    let base =
        view.plan.base.as_ref().map(|base| format!("; compared with {}", safe(&base.to_string()))).unwrap_or_default();
    let time = budget::seconds_at_limit(view.plan.requests_made, view.requests_to_apply);
    let time = time.map(|seconds| format!(", {}", budget::words(seconds))).unwrap_or_default();
    let requests = format!("({made} made, {} to apply{time}{base})", view.requests_to_apply);
    writeln!(out, "{}  {}", styled(&line, BOLD, view.colour), styled(&requests, DIM, view.colour))?;
    if *view.verdict == Verdict::Incomplete {
        writeln!(out, "The plan is incomplete and cannot be applied: see the errors.")?;
    }
    Ok(())
}

/// Whether any zone has rules that the spec manages.
fn rules_are_meant(view: &PlanView) -> bool {
    view.plan.zones.iter().any(|z| z.rules_unchanged > 0)
}

/// The missing consents.
fn write_consents(out: &mut dyn Write, view: &PlanView) -> io::Result<()> {
    let Verdict::NeedsConsent(missing) = view.verdict else { return Ok(()) };
    for MissingConsent { danger, operations, flag, given } in missing {
        let given = given.map(|n| format!(" (consent was given for {n})")).unwrap_or_default();
        writeln!(
            out,
            "{} {}: {}{given}. To allow it, add {}",
            styled("Needs consent:", DELETE, view.colour),
            danger.about(),
            count(*operations, "operation"),
            styled(flag, BOLD, view.colour)
        )?;
    }
    if missing.len() > 1 {
        writeln!(out, "To allow all of them: {}", styled(&MissingConsent::flags(missing), BOLD, view.colour))?;
    }
    Ok(())
}
