//! An operation on a rule, for a reviewer: what is done, which settings change, and what that means for traffic.

use std::io::{self, Write};

use super::layout::{CREATE, DELETE, DIM, UPDATE, styled};
use super::plan::write_dangers;
use crate::diff::{FieldChange, RuleDeleteReason};
use crate::insight::Direction;
use crate::plan::{RuleAction, RuleOperation};
use crate::render::row::{Field, rule_fields};
use crate::render::safe::safe;
use crate::render::textdiff::inline;

/// Most fields that are shown of one operation; the JSON has all.
const FIELDS: usize = 30;

/// Writes an operation on a rule.
pub(super) fn write_rule_operation(out: &mut dyn Write, operation: &RuleOperation, colour: bool) -> io::Result<()> {
    let (mark, style) = match &operation.action {
        RuleAction::CreateEntryPoint { .. } | RuleAction::Create { .. } => ("+", CREATE),
        RuleAction::Patch { .. } | RuleAction::Move { .. } => ("~", UPDATE),
        RuleAction::Delete { .. } => ("-", DELETE),
    };
    let id = match &operation.action {
        RuleAction::Patch { id, .. } | RuleAction::Move { id, .. } | RuleAction::Delete { id, .. } => {
            format!(" {}", styled(&safe(&id.0), DIM, colour))
        }
        RuleAction::CreateEntryPoint { .. } | RuleAction::Create { .. } => String::new(),
    };
    let what = match &operation.action {
        RuleAction::CreateEntryPoint { .. } => ", the first of its phase",
        RuleAction::Move { .. } => ", moved",
        RuleAction::Patch { position: Some(_), .. } => ", changed and moved",
        RuleAction::Delete { reason: RuleDeleteReason::Expired, .. } => ", its last day is over",
        RuleAction::Delete { reason: RuleDeleteReason::Absent, .. } => ", state: absent",
        RuleAction::Delete { reason: RuleDeleteReason::Pruned, .. } => ", not in the spec, and the section is pruned",
        RuleAction::Delete { reason: RuleDeleteReason::Undone, .. } => ", made by the apply that is undone",
        RuleAction::Create { .. } | RuleAction::Patch { .. } => "",
    };
    let (name, phase) = (safe(&operation.name), operation.phase.about());
    writeln!(
        out,
        "  {} waf {name}{id}  {}  {}",
        styled(mark, style, colour),
        styled(&format!("({phase}{what})"), DIM, colour),
        class(operation.impact.direction, colour)
    )?;
    let lines = lines(&operation.fields, colour);
    for line in lines.iter().take(FIELDS) {
        writeln!(out, "      {line}")?;
    }
    if lines.len() > FIELDS {
        writeln!(out, "      and {} more", lines.len() - FIELDS)?;
    }
    for line in &operation.impact.lines {
        writeln!(out, "      {} {}", styled("→", DIM, colour), safe(line))?;
    }
    let cause = (operation.cause, operation.modified_on.as_deref());
    write_dangers(out, (&operation.dangers, &operation.accepted), cause, "      ", colour)?;
    Ok(())
}

/// The class of an operation, loud where it is dangerous.
fn class(direction: Direction, colour: bool) -> String {
    let word = direction.as_str();
    match direction {
        Direction::Weakens | Direction::Both => styled(&word.to_uppercase(), DELETE, colour),
        Direction::Strengthens => styled(word, CREATE, colour),
        Direction::Neutral | Direction::Unclassified => styled(word, DIM, colour),
    }
}

/// The fields, each on one line.
fn lines(fields: &[FieldChange], colour: bool) -> Vec<String> {
    let line = |Field { name, before, after }: Field| {
        let after = after.unwrap_or_default();
        let change = match before {
            Some(before) => inline(&before, &after, colour),
            None => safe(&after).into_owned(),
        };
        format!("{}: {change}", safe(&name))
    };
    rule_fields(fields).into_iter().map(line).collect()
}
