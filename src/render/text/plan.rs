//! A plan as text for reviewers: the counts and consents, and each zone with its entries, see
//! `entry`.

use std::io::{self, Write};

use super::entry::{write_effect, write_entries};
use super::layout::{Line, Paper};
use super::style::{BOLD, DANGER, DELETE, DIM, PLAIN};
use crate::api::time_at_limit;
use crate::diagnostic::count;
use crate::plan::{GivenConsent, MissingConsent, Plan, SetAsideCount, Verdict, ZonePlan};
use crate::render::entries::ZoneEntries;
use crate::render::names_in_words::{in_both_forms, with_unicode};
use crate::render::safe::safe;
use crate::render::same_in_zones::{entries_of_zones, repeating_zones_in_words};

/// A plan with the options of its output.
#[derive(Debug, Clone, Copy)]
pub struct PlanView<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The decision if the plan may be applied.
    pub verdict: &'a Verdict,
    /// Number of requests that an apply sends.
    pub requests_to_apply: usize,
    /// True for colours.
    pub colour: bool,
    /// The width of the terminal, in columns; `None` if lines may have any length.
    pub width: Option<usize>,
    /// True to name unmanaged objects, every zone, and each record of an entry, and to show long
    /// values and all comments in full.
    pub verbose: bool,
    /// The shown part of the plan.
    pub extent: Extent,
}

impl PlanView<'_> {
    /// Returns the output medium.
    fn paper(&self) -> Paper {
        Paper { colour: self.colour, width: self.width, is_full: self.verbose }
    }
}

/// The shown part of a plan.
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
/// The errors of the writer.
pub fn write_plan(out: &mut dyn Write, view: &PlanView) -> io::Result<()> {
    let paper = view.paper();
    if view.extent == Extent::Whole {
        if write_part(out, view)? {
            writeln!(out)?;
        }
        let mut quiet = Vec::new();
        let zones = match view.verbose {
            true => view.plan.zones.iter().map(ZoneEntries::of).collect(),
            false => entries_of_zones(view.plan),
        };
        let (repeating, shown): (Vec<_>, Vec<_>) =
            zones.iter().partition(|zone| zone.is_repeated());
        for entries in shown {
            match entries.is_quiet() && !view.verbose && view.plan.zones.len() > 1 {
                true => quiet.push(entries.zone),
                false => write_zone(out, entries, view)?,
            }
        }
        if let Some(words) = repeating_zones_in_words(&repeating) {
            let line = hanging().add(safe(&words), BOLD);
            line.add("  ", PLAIN).add("(-v lists them)", DIM).write(out, paper)?;
            writeln!(out)?;
        }
        write_quiet(out, &quiet, paper)?;
    }
    write_summary(out, view)?;
    write_part(out, view)?;
    for GivenConsent { danger, by } in &view.plan.consents_given {
        let line = format!("Consent given: {} ({})", danger.about(), safe(by));
        hanging().add(line, DIM).write(out, paper)?;
    }
    write_consents(out, view)
}

/// Writes that the plan is a part of a larger plan, if it is. Returns true if it is.
fn write_part(out: &mut dyn Write, view: &PlanView) -> io::Result<bool> {
    let Some(part) = view.plan.part() else { return Ok(false) };
    let line =
        hanging().add("Only a part of the plan: ", DELETE).add(safe(&part.to_string()), PLAIN);
    line.write(out, view.paper()).map(|()| true)
}

/// A line at the margin that continues with an indentation if it does not fit.
fn hanging() -> Line {
    Line::hung(2)
}

/// Writes the zones without changes.
fn write_quiet(out: &mut dyn Write, zones: &[&ZonePlan], paper: Paper) -> io::Result<()> {
    if zones.is_empty() {
        return Ok(());
    }
    let sum = |number: fn(&ZonePlan) -> usize| zones.iter().map(|zone| number(zone)).sum::<usize>();
    let (same, unmanaged) =
        (sum(|zone| zone.unchanged + zone.rules_unchanged), sum(|zone| zone.unmanaged));
    let unmanaged =
        if unmanaged > 0 { format!(", {unmanaged} unmanaged left alone") } else { String::new() };
    let about = format!("({} as wanted{unmanaged}; -v lists them)", count(same, "object"));
    let line = hanging().add(format!("{} unchanged", count(zones.len(), "zone")), BOLD);
    line.add("  ", PLAIN).add(about, DIM).write(out, paper)?;
    writeln!(out)
}

/// Writes one zone: heading, entries, unmanaged objects.
fn write_zone(out: &mut dyn Write, entries: &ZoneEntries<'_>, view: &PlanView) -> io::Result<()> {
    let (zone, paper) = (entries.zone, view.paper());
    let about = format!("{} plan, zone {}", zone.tier.facts().name, safe(&zone.id.0));
    let about = if zone.is_new { "new zone, free plan".to_owned() } else { about };
    let name = in_both_forms(zone.name.as_str()).into_owned();
    hanging().add(name, BOLD).add("  ", PLAIN).add(about, DIM).write(out, paper)?;
    write_entries(out, entries, paper)?;
    for note in zone.impact.iter().cloned().chain(entries.sentences()) {
        write_effect(out, 2, &note, paper)?;
    }
    for note in &zone.notes {
        Line::indented(2).add(safe(note), PLAIN).write(out, paper)?;
    }
    write_rest(out, zone, view)?;
    writeln!(out)
}

/// Writes the numbers of objects that are in sync or unmanaged.
fn write_rest(out: &mut dyn Write, zone: &ZonePlan, view: &PlanView) -> io::Result<()> {
    let mut parts = vec![format!("{} unchanged", zone.unchanged)];
    if zone.rules_unchanged > 0 {
        parts.push(format!("{} unchanged", count(zone.rules_unchanged, "rule")));
    }
    parts.extend(zone.set_aside.iter().map(|aside| {
        let types: Vec<_> = aside.types.iter().map(|(t, n)| format!("{n} {}", safe(t))).collect();
        format!("{}, left alone ({})", safe(&aside.words()), types.join(", "))
    }));
    Line::indented(2).add(parts.join(" · "), DIM).write(out, view.paper())?;
    if view.verbose {
        for aside in &zone.set_aside {
            write_examples(out, aside, view.paper())?;
        }
    }
    Ok(())
}

/// Writes the names of unmanaged objects.
fn write_examples(out: &mut dyn Write, aside: &SetAsideCount, paper: Paper) -> io::Result<()> {
    for example in &aside.examples {
        let line = format!("{} {}", safe(&aside.reason), safe(&with_unicode(example)));
        Line::indented(4).add(line, DIM).write(out, paper)?;
    }
    let omitted = aside.count() - aside.examples.len();
    if omitted > 0 {
        Line::indented(4).add(format!("and {omitted} more"), DIM).write(out, paper)?;
    }
    Ok(())
}

fn write_summary(out: &mut dyn Write, view: &PlanView) -> io::Result<()> {
    let s = view.plan.summary();
    let requests_made =
        count(usize::try_from(view.plan.requests_made).unwrap_or(usize::MAX), "request");
    if s.operations() == 0 {
        let line = match view.verdict {
            Verdict::Incomplete => "The plan is incomplete: see the errors.".to_owned(),
            _ if !view.plan.only.is_empty() => "Nothing that was chosen differs.".to_owned(),
            Verdict::NeedsConsent(_) => {
                "Nothing changes at Cloudflare, but the plan needs consent.".to_owned()
            }
            _ => format!(
                "In sync: nothing to do. {} as wanted.",
                count(s.unchanged, if rules_are_meant(view) { "object" } else { "record" })
            ),
        };
        return hanging()
            .add(line, BOLD)
            .add("  ", PLAIN)
            .add(format!("({requests_made})"), DIM)
            .write(out, view.paper());
    }
    let line = format!("Plan: {} to create, {} to update, {}.", s.create, s.update, s.deletes());
    let base = view
        .plan
        .base
        .as_ref()
        .map(|base| format!("; compared with {}", safe(&base.to_string())))
        .unwrap_or_default();
    let time = time_at_limit::after_comma(view.plan.requests_made, view.requests_to_apply);
    let requests =
        format!("({requests_made} made, {} to apply{time}{base})", view.requests_to_apply);
    hanging().add(line, BOLD).add("  ", PLAIN).add(requests, DIM).write(out, view.paper())?;
    if *view.verdict == Verdict::Incomplete {
        writeln!(out, "The plan is incomplete and cannot be applied: see the errors.")?;
    }
    Ok(())
}

/// Returns true if any zone has rules that the spec manages.
fn rules_are_meant(view: &PlanView) -> bool {
    view.plan.zones.iter().any(|z| z.rules_unchanged > 0)
}

fn write_consents(out: &mut dyn Write, view: &PlanView) -> io::Result<()> {
    let Verdict::NeedsConsent(missing) = view.verdict else { return Ok(()) };
    for consent in missing {
        let words = format!(" {}", consent.before_flag());
        let line = hanging()
            .add("Needs consent:", DANGER)
            .add(words, PLAIN)
            .add_whole(&consent.flag, BOLD);
        line.write(out, view.paper())?;
    }
    if missing.len() > 1 {
        let (about, flags) = ("To allow all of them:", MissingConsent::flags(missing));
        let line = hanging().add(about, PLAIN).add(" ", PLAIN).add(&flags, BOLD);
        if view.width.is_none_or(|width| line.width() <= width) {
            return line.write(out, view.paper());
        }
        // On one line, because a line break within a command would end it.
        hanging().add(about, PLAIN).write(out, view.paper())?;
        hanging().add(flags, BOLD).write(out, Paper { width: None, ..view.paper() })?;
    }
    Ok(())
}
