//! Words for rules, counts and lists.

use crate::diagnostic::cut;
use crate::model::managed::{CatalogueRule, threshold_keyword};

/// Maximum number of characters of a description that are shown.
const MOST_OF_TITLE: usize = 70;
/// Maximum number of characters of an expression that are shown.
const MOST_OF_EXPRESSION: usize = 160;
/// Number of characters shown of an id.
pub const SHORT_ID: usize = 8;

/// Returns the title of a rule: its description without its number.
#[must_use]
pub fn title(rule: &CatalogueRule) -> &str {
    match rule.description.split_once(':') {
        Some((number, rest))
            if rule.number.is_some() && number.trim().bytes().all(|b| b.is_ascii_digit()) =>
        {
            rest.trim()
        }
        _ => rule.description.trim(),
    }
}

/// Returns the shortest display name of a rule: its number, else its title, else the beginning of
/// its id.
#[must_use]
pub fn rule_label(rule: &CatalogueRule) -> String {
    match (rule.number, title(rule)) {
        (Some(number), _) => number.to_string(),
        (None, "") => short(&rule.id.0),
        (None, title) => format!("\"{}\"", cut(title, MOST_OF_TITLE)),
    }
}

/// Returns a rule with its important properties, without its state: `942430 off: SQL injection "…",
/// paranoia 2, score 3`.
pub(super) fn about(rule: &CatalogueRule) -> String {
    let mut words = Vec::new();
    let title = cut(title(rule), MOST_OF_TITLE);
    match (rule.attack_family(), rule.number.is_some() && !title.is_empty()) {
        (Some(family), true) => words.push(format!("{} \"{title}\"", family.name)),
        (Some(family), false) => words.push(family.name.to_owned()),
        (None, true) => words.push(format!("\"{title}\"")),
        (None, false) => {}
    }
    if let Some(level) = rule.level() {
        words.push(format!("paranoia {}", level.level()));
    }
    if let Some(score) = rule.score() {
        words.push(format!("score {score}"));
    }
    words.join(", ")
}

/// Returns the beginning of an id.
pub(super) fn short(id: &str) -> String {
    cut(id, SHORT_ID)
}

/// Formats an expression for a sentence.
pub(super) fn expression(text: &str) -> String {
    format!("`{}`", cut(text, MOST_OF_EXPRESSION))
}

/// Returns a threshold with its word.
pub(super) fn threshold(threshold: u32) -> String {
    match threshold_keyword(threshold) {
        Some(word) => format!("{threshold} ({word})"),
        None => threshold.to_string(),
    }
}
