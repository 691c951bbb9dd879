//! The changes of a spec to the protection of a zone, as text.

use std::io::{self, Write};

use super::signs::UPDATED;
use super::style::{BOLD, CREATE, DANGER, DIM, UPDATE, styled};
use super::waf_overview::WIDEST_TITLE;
use crate::diagnostic::{count, cut};
use crate::insight::Direction;
use crate::insight::waf::{Difference, rule_label, title};
use crate::plan::DeploymentInForce;
use crate::render::safe::safe;

/// Writes the effective changes of a spec.
///
/// # Errors
/// The errors of the writer.
pub fn write_waf_difference(
    out: &mut dyn Write,
    zone: &str,
    (difference, in_force): (&Difference, &[DeploymentInForce]),
    colour: bool,
) -> io::Result<()> {
    let Difference { direction, changed, rules } = difference;
    let name = styled(&safe(zone), BOLD, colour);
    if changed.is_empty() && rules.is_empty() {
        let about = match in_force.iter().any(|deployment| deployment.in_force.is_weakened()) {
            true => "nothing to change, and weaker than the spec says",
            false if in_force.iter().all(|deployment| deployment.in_force.unknown.is_empty()) => {
                "in effect as wanted"
            }
            false => "nothing to change",
        };
        writeln!(out, "{name}  {about}")?;
        return write_in_force(out, in_force, colour);
    }
    writeln!(
        out,
        "{}  {}\n",
        styled(&safe(zone), BOLD, colour),
        direction_text(*direction, colour)
    )?;
    for change in changed {
        let name = safe(&change.name);
        writeln!(
            out,
            "  {name} ({})  {}",
            change.phase.about(),
            direction_text(change.impact.direction, colour)
        )?;
        for effect in &change.impact.lines {
            writeln!(out, "    {}", safe(effect))?;
        }
    }
    if !rules.is_empty() {
        writeln!(out, "\n  {} of managed rulesets:", count(rules.len(), "rule"))?;
    }
    for rule in rules {
        let label = match rule.rule.number {
            Some(number) => format!("{number} {}", cut(&safe(title(&rule.rule)), WIDEST_TITLE)),
            None => safe(&rule_label(&rule.rule)).into_owned(),
        };
        let state = match rule.before == rule.after {
            true => safe(&rule.after).into_owned(),
            false => format!("{} → {}", safe(&rule.before), safe(&rule.after)),
        };
        let passed = match rule.exceptions_before == rule.exceptions_after {
            true => String::new(),
            false if rule.exceptions_after.is_empty() => "  (no exception any more)".to_owned(),
            false => format!("  (except {})", safe(&rule.exceptions_after.join(", "))),
        };
        writeln!(
            out,
            "  {} {label}: {state}{passed}",
            styled(UPDATED.0.trim_end(), UPDATED.1, colour)
        )?;
    }
    write_in_force(out, in_force, colour)?;
    writeln!(out)
}

/// Writes promises of the spec that are not in force, and comparisons without a result.
fn write_in_force(
    out: &mut dyn Write,
    in_force: &[DeploymentInForce],
    colour: bool,
) -> io::Result<()> {
    for DeploymentInForce { in_force, .. } in in_force {
        if in_force.is_weakened() {
            writeln!(out, "  {}", styled(&safe(&in_force.summary()), DANGER, colour))?;
        }
        for unknown in &in_force.unknown {
            writeln!(
                out,
                "  {}",
                safe(&format!("not known of {}: {unknown}", in_force.ruleset.key()))
            )?;
        }
    }
    Ok(())
}

fn direction_text(direction: Direction, colour: bool) -> String {
    let style = match direction {
        Direction::Neutral => DIM,
        Direction::Strengthens => CREATE,
        Direction::Weakens | Direction::Both => DANGER,
        Direction::Unclassified => UPDATE,
    };
    styled(direction.as_str(), style, colour)
}
