//! Describes promises that are not in force.

use std::collections::BTreeSet;

use super::{Cause, InForce, Shortfall};
use crate::diagnostic::{double_quoted, escape_variables, first_of, is_hidden, one_line};
use crate::insight::waf::phrases;
use crate::model::Value;
use crate::model::expression::Expression;
use crate::model::managed::{CatalogueRule, Managed};
use crate::model::ruleset::{Note, canonical};

/// Maximum number of rules that one sentence names.
const MOST_NAMES: usize = 8;

/// Returns the names of the first rules.
pub(super) fn list_of<'r>(rules: impl Iterator<Item = &'r CatalogueRule>) -> String {
    first_of(rules.map(phrases::rule_label), MOST_NAMES)
}

/// Returns the requests that match an expression, as the subject of a sentence.
pub(super) fn requests(expression: &Expression) -> String {
    match expression.is_always_true() {
        true => "all requests".to_owned(),
        false => format!("requests that match {}", phrases::expression(expression.text().trim())),
    }
}

/// Describes an accepted cause, with its reason.
pub(super) fn accepted(shortfall: &Shortfall, note: &Note) -> String {
    let until = note.expires.as_ref().map_or_else(String::new, |day| format!(", until {day}"));
    let reason = note.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    format!("accepted{until}{reason}: {} ({})", shortfall.live, shortfall.cause.words())
}

impl Cause {
    /// Returns the cause in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Key { name: "enabled", .. } => "override of the whole ruleset".to_owned(),
            Self::Key { name: "when", .. } => "`when` of the deployment".to_owned(),
            Self::Key { name, rule: Some(_), .. } => format!("override of the {name}"),
            Self::Key { name, rule: None, .. } => format!("override of the {name} of all rules"),
            Self::Override { shown, .. } => format!("override of {shown}"),
            Self::Rule { shown, phase, .. } => {
                format!("the rule {shown} among the {}", phase.about())
            }
        }
    }
}

impl Cause {
    /// Returns the entry of `accept` that accepts it for a ruleset, as a spec has it. The entry names
    /// its ruleset, because both have the same keys and a rule can let requests skip both.
    #[must_use]
    pub fn accept_entry(&self, ruleset: Managed) -> String {
        let of_ruleset = format!("ruleset: {}, ", ruleset.key());
        let (name, is) = match self {
            Self::Key { name, is, .. } => {
                let is_word = matches!(*name, "threshold" | "enabled");
                (format!("key: {name}"), if is_word { is.clone() } else { quoted(is) })
            }
            Self::Override { name, is, .. } => {
                let is = if is == "off" { is.clone() } else { scalar(is) };
                (format!("override: {}", scalar(name)), is)
            }
            Self::Rule { id, body, .. } => {
                let expression = body.expression().map(|e| e.text().to_owned()).unwrap_or_default();
                let parameters =
                    canonical(body).get("action_parameters").cloned().unwrap_or(Value::Null);
                let skip = match &parameters {
                    Value::Map(members)
                        if members.len() == 1
                            && members.get("ruleset") == Some(&Value::from("current")) =>
                    {
                        "everything".to_owned()
                    }
                    other => flow(other),
                };
                // A spec reads a name without the spaces around it.
                let reference = body.reference().filter(|name| name.trim() == *name);
                let name = reference.unwrap_or(&id.0);
                (
                    format!("rule: {}", scalar(name)),
                    format!("{{ when: {}, skip: {skip} }}", quoted(&expression)),
                )
            }
        };
        format!("{{ {name}, is: {is}, {of_ruleset}reason: … }}")
    }
}

/// Returns a text as a scalar of a spec, in single quotes if they are enough.
fn quoted(text: &str) -> String {
    let text = escape_variables(text);
    let is_harmless = !text.contains(is_hidden) && !text.contains(['\n', '\t', '#']);
    if is_harmless { format!("'{}'", text.replace('\'', "''")) } else { double_quoted(&text) }
}

/// Returns a text as a scalar of a spec, plain if it can be.
fn scalar(text: &str) -> String {
    one_line(&escape_variables(text))
}

/// Returns a value in one line of YAML.
fn flow(value: &Value) -> String {
    match value {
        Value::Text(text) => scalar(text),
        Value::List(list) => format!("[{}]", list.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Map(map) => {
            let members =
                map.iter().map(|(name, value)| format!("{}: {}", one_line(name), flow(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Integer(_) | Value::Decimal(_) => value.to_string(),
    }
}

impl InForce {
    /// Describes how many of the promised rules are lost: `1 / 135 rules`; `None` if no rule is.
    #[must_use]
    pub fn rules_in_words(&self) -> Option<String> {
        match self.lost_rules().len() {
            0 => None,
            lost => Some(format!("{lost} / {} rules", self.promised_rules)),
        }
    }

    /// Describes the promises that are not in force, one by one.
    #[must_use]
    pub fn shortfalls_in_words(&self) -> Vec<String> {
        let words = self.shortfalls.iter().map(|shortfall| {
            let Shortfall { promised, live, cause, .. } = shortfall;
            format!("promised: {promised}; live: {live} ({})", cause.words())
        });
        words.collect()
    }

    /// Returns the entries of `accept` that together accept everything that is not in force, each
    /// once.
    #[must_use]
    pub fn accept_entries(&self) -> Vec<String> {
        let mut known = BTreeSet::new();
        let entries = self.shortfalls.iter().map(|one| one.cause.accept_entry(self.ruleset));
        entries.filter(|entry| known.insert(entry.clone())).collect()
    }

    /// Describes how to clear the finding.
    #[must_use]
    pub fn remedy(&self) -> String {
        let entries = self.accept_entries();
        let more = match entries.len().saturating_sub(MOST_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more, which `drift --format json` shows"),
        };
        let entries: Vec<String> = entries.into_iter().take(MOST_NAMES).collect();
        format!(
            "undo it at Cloudflare, write it into the spec (`zonewright pull`), or accept it: `waf.accept: [{}]`{more}",
            entries.join(", ")
        )
    }

    /// Describes everything that is not in force, in one sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let rules = self.rules_in_words().map(|words| format!(", {words}")).unwrap_or_default();
        let first = first_of(self.shortfalls_in_words(), MOST_NAMES);
        format!("{} is weaker than the spec says{rules}: {first}", self.ruleset.key())
    }
}
