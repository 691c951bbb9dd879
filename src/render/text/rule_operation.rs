//! An operation on a rule, for a reviewer: what is done, which settings change, and what that means for traffic.

use std::io::{self, Write};

use super::layout::{CREATE, DELETE, DIM, UPDATE, styled};
use super::plan::write_dangers;
use crate::diff::{FieldChange, RuleDeleteReason};
use crate::insight::Direction;
use crate::model::Value;
use crate::model::managed::threshold_word;
use crate::plan::{RuleAction, RuleOperation};
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

/// The fields; single rules that are switched in the same way share a line.
fn lines(fields: &[FieldChange], colour: bool) -> Vec<String> {
    let switched = |change: &FieldChange| {
        let (whole, rule) = change.field.strip_suffix(".enabled")?.split_once("rules.")?;
        Some((whole.to_owned(), rule.to_owned()))
    };
    let mut lines = Vec::new();
    let mut groups: Vec<((String, Value, Value), Vec<String>)> = Vec::new();
    for change in fields {
        let Some((whole, rule)) = switched(change) else {
            lines.push(field(change, colour));
            continue;
        };
        let key = (whole, change.before.clone(), change.after.clone());
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, rules)) => rules.push(rule),
            None => groups.push((key, vec![rule])),
        }
    }
    for ((whole, before, after), rules) in groups {
        let word = |value: &Value| match value {
            Value::Bool(true) => "on".to_owned(),
            Value::Bool(false) => "off".to_owned(),
            _ => "as the ruleset has it".to_owned(),
        };
        let change = if before == Value::Null { word(&after) } else { inline(&word(&before), &word(&after), colour) };
        let noun = if rules.len() == 1 { "rule" } else { "rules" };
        lines.push(format!("{}{noun} {}: {change}", safe(&whole), safe(&rules.join(", "))));
    }
    lines
}

/// One field that changes.
fn field(change: &FieldChange, colour: bool) -> String {
    let words = |value: &Value| match (change.field.rsplit('.').next(), value) {
        (Some("threshold"), Value::Integer(number)) => {
            let word = u32::try_from(*number).ok().and_then(threshold_word);
            word.map_or_else(|| number.to_string(), |word| format!("{word} ({number})"))
        }
        (_, Value::Text(text)) => safe(text).into_owned(),
        (_, value) => safe(&value.to_string()).into_owned(),
    };
    let (before, after) = (words(&change.before), words(&change.after));
    let name = safe(&change.field);
    if change.before == Value::Null {
        format!("{name}: {after}")
    } else {
        format!("{name}: {}", inline(&before, &after, colour))
    }
}
