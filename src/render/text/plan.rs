//! A plan for a reviewer.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use super::layout::{BOLD, CREATE, DELETE, DIM, UPDATE, count, facets, pad, styled};
use super::rule_operation::write_rule_operation;
use crate::diff::{DeleteReason, FieldChange, ZonePart};
use crate::model::{Danger, Value};
use crate::plan::{
    Action, Cause, GivenConsent, MissingConsent, Operation, Plan, SetAsideCount, Verdict, ZoneAction, ZoneOperation,
    ZonePlan,
};
use crate::render::safe::{safe, shortened};
use crate::render::textdiff::inline;
use crate::wire::budget;

/// Widest column of names that is still aligned.
const WIDEST_NAME: usize = 40;

/// Most characters of the type of a record that are shown.
const LONGEST_TYPE: usize = 20;

/// How a plan is shown.
#[derive(Debug, Clone, Copy)]
pub struct PlanView<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// What may happen to it.
    pub verdict: &'a Verdict,
    /// Requests that applying takes.
    pub requests_to_apply: usize,
    /// With colour.
    pub colour: bool,
    /// Also name what is left alone.
    pub verbose: bool,
}

/// Writes a plan.
///
/// # Errors
/// Those of the writer.
pub fn write_plan(out: &mut dyn Write, view: &PlanView) -> io::Result<()> {
    for zone in &view.plan.zones {
        write_zone(out, zone, view)?;
    }
    write_summary(out, view)?;
    for GivenConsent { danger, by } in &view.plan.consents_given {
        let line = format!("Consent given: {} ({})", danger.about(), safe(by));
        writeln!(out, "{}", styled(&line, DIM, view.colour))?;
    }
    write_consents(out, view)
}

/// One zone: heading, operations, what is left alone.
fn write_zone(out: &mut dyn Write, zone: &ZonePlan, view: &PlanView) -> io::Result<()> {
    let about = format!("{} plan, zone {}", zone.tier.facts().name, safe(&zone.id.0));
    let about = if zone.is_new { "new zone, free plan".to_owned() } else { about };
    writeln!(out, "{}  {}", styled(zone.name.as_str(), BOLD, view.colour), styled(&about, DIM, view.colour))?;
    if !zone.is_empty() {
        writeln!(out)?;
        for operation in &zone.zone_operations {
            write_zone_operation(out, operation, view.colour)?;
            let dangers = (&operation.dangers[..], &operation.accepted);
            write_dangers(out, dangers, (operation.cause, operation.modified_on.as_deref()), "      ", view.colour)?;
        }
    }
    if !zone.rule_operations.is_empty() {
        if !zone.zone_operations.is_empty() {
            writeln!(out)?;
        }
        for operation in &zone.rule_operations {
            write_rule_operation(out, operation, view.colour)?;
        }
    }
    if !zone.operations.is_empty() {
        if !zone.zone_operations.is_empty() || !zone.rule_operations.is_empty() {
            writeln!(out)?;
        }
        let shown = |o: &Operation| safe(&o.shown_name).chars().count();
        let names = zone.operations.iter().map(shown).max().unwrap_or(0).min(WIDEST_NAME);
        let types = zone.operations.iter().map(|o| type_name(o).chars().count()).max().unwrap_or(0);
        for operation in &zone.operations {
            write_operation(out, operation, names, types, view.colour)?;
            let cause = (operation.cause, operation.modified_on.as_deref());
            write_dangers(out, (&operation.dangers, &operation.accepted), cause, "      ", view.colour)?;
        }
    }
    if !zone.is_empty() {
        writeln!(out)?;
    }
    for note in &zone.notes {
        writeln!(out, "  {}", safe(note))?;
    }
    write_rest(out, zone, view)?;
    writeln!(out)
}

/// One operation on the zone itself.
fn write_zone_operation(out: &mut dyn Write, operation: &ZoneOperation, colour: bool) -> io::Result<()> {
    let line = match &operation.action {
        ZoneAction::Create => {
            let line = format!("zone {}", safe(operation.address.as_str()));
            return writeln!(out, "  {} {line}", styled("+", CREATE, colour));
        }
        ZoneAction::Change(ZonePart::Setting { name, .. }) => format!("setting {}", safe(name)),
        ZoneAction::Change(ZonePart::Dnssec { .. }) => "dnssec".to_owned(),
        ZoneAction::Change(ZonePart::DnsSettings { .. }) => "dns_settings".to_owned(),
    };
    let is_members = matches!(&operation.action, ZoneAction::Change(ZonePart::DnsSettings { .. }));
    for change in &operation.fields {
        let member = if is_members { format!(" {}", safe(&change.field)) } else { String::new() };
        let known = |value: &Value| if *value == Value::Null { "?".to_owned() } else { value.to_string() };
        let words = inline(&known(&change.before), &change.after.to_string(), colour);
        writeln!(out, "  {} {line}{member}: {words}", styled("~", UPDATE, colour))?;
    }
    Ok(())
}

/// One operation: `+`, `~` or `-`, name, type, value, then what else changes.
fn write_operation(
    out: &mut dyn Write,
    operation: &Operation,
    names: usize,
    types: usize,
    colour: bool,
) -> io::Result<()> {
    let (mark, style) = match operation.action {
        Action::CreateRecord { .. } => ("+", CREATE),
        Action::PatchRecord { .. } => ("~", UPDATE),
        Action::DeleteRecord { .. } => ("-", DELETE),
    };
    let name = pad(&safe(&operation.shown_name), names);
    let head = format!("  {} {name}  {}", styled(mark, style, colour), pad(&type_name(operation), types));
    let indent = " ".repeat(4 + name.chars().count() + 2 + types + 2);
    match &operation.action {
        Action::CreateRecord { after } => {
            writeln!(out, "{head}  {}{}", safe(&after.data.presentation()), aside(&facets(after), colour))
        }
        Action::DeleteRecord { before, reason, .. } => {
            let why = match reason {
                DeleteReason::Tombstone => "state: absent",
                DeleteReason::Pruned => "not in the spec, and the zone is pruned",
                DeleteReason::InTheWay => "makes room at this name",
                DeleteReason::Removed => "removed from the spec",
                DeleteReason::Undone => "made by the apply that is undone",
            };
            let words = [facets(before), why.to_owned()];
            let words: Vec<_> = words.into_iter().filter(|w| !w.is_empty()).collect();
            writeln!(out, "{head}  {}{}", safe(&before.data.presentation()), aside(&words.join("; "), colour))
        }
        Action::PatchRecord { before, after, .. } => {
            if before.data == after.data {
                writeln!(out, "{head}  {}", safe(&after.data.presentation()))?;
            } else {
                let line = inline(&before.data.presentation(), &after.data.presentation(), colour);
                writeln!(out, "{head}  {line}")?;
            }
            for change in operation.fields.iter().filter(|c| is_facet(&c.field)) {
                writeln!(out, "{indent}{}", facet_change(change, colour))?;
            }
            Ok(())
        }
    }
}

/// What is dangerous about an operation, and what it takes back, each in a line of its own.
pub(super) fn write_dangers(
    out: &mut dyn Write,
    (dangers, accepted): (&[Danger], &BTreeMap<Danger, String>),
    (cause, modified_on): (Cause, Option<&str>),
    indent: &str,
    colour: bool,
) -> io::Result<()> {
    let when = modified_on.map(|t| format!(" (last changed {})", safe(t))).unwrap_or_default();
    let cause = match cause {
        Cause::Drift => Some(format!("takes back a change made outside{when}")),
        Cause::Both => Some(format!("changed in the spec, and by somebody else as well{when}")),
        Cause::Spec | Cause::Unknown => None,
    };
    if let Some(cause) = cause {
        writeln!(out, "{indent}{}", styled(&format!("! {cause}"), UPDATE, colour))?;
    }
    // That something is deleted is seen.
    for danger in dangers.iter().filter(|d| **d != Danger::Delete) {
        let why = accepted.get(danger).map(|reason| format!(" (accepted in the spec: {})", safe(reason)));
        let line = format!("! {}: {}", danger.code(), danger.about());
        writeln!(out, "{indent}{}{}", styled(&line, DELETE, colour), why.unwrap_or_default())?;
    }
    Ok(())
}

/// The type of a record; that of a type which nobody knows is no longer than that of one.
fn type_name(operation: &Operation) -> Cow<'_, str> {
    shortened(operation.form().data.type_name(), LONGEST_TYPE)
}

/// Words after a value.
fn aside(words: &str, colour: bool) -> String {
    if words.is_empty() { String::new() } else { format!("  {}", styled(&format!("({words})"), DIM, colour)) }
}

/// Whether a field stands beside the value rather than in it.
fn is_facet(field: &str) -> bool {
    matches!(field, "ttl" | "proxied" | "comment" | "tags") || field.starts_with("settings.")
}

/// One facet that changes.
fn facet_change(change: &FieldChange, colour: bool) -> String {
    let words = |value: &Value| match (change.field.as_str(), value) {
        ("ttl", Value::Integer(1)) => "auto".to_owned(),
        ("comment", Value::Text(text)) => format!("\"{text}\""),
        _ => value.to_string(),
    };
    format!("{}: {}", change.field, inline(&words(&change.before), &words(&change.after), colour))
}

/// What needs nothing, and what is left alone.
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

/// The names of what is left alone.
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
    let line = format!("Plan: {} to create, {} to update, {} to delete.", s.create, s.update, s.delete);
    let base = view.plan.base.as_ref().map(|base| format!("; compared with {}", safe(base))).unwrap_or_default();
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

/// What is missing.
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
    Ok(())
}
