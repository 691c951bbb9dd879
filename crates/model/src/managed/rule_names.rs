//! Finds rules by the names that people use: a number, a description, the beginning of an id.

use std::fmt;

use super::catalogue::Catalogue;
use super::catalogue_rule::CatalogueRule;
use crate::sort_by;

/// Minimum length of a text that may be the beginning of an id.
const SHORTEST_PREFIX: usize = 6;
/// Maximum number of candidates that are listed.
const CANDIDATES: usize = 5;

/// The name of a managed rule in the spec.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleName(String);

/// The reason why a name does not identify one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// No rule has this name. These names are similar.
    Unknown(Vec<String>),
    /// Several rules have this name.
    Ambiguous(Vec<String>),
}

impl RuleName {
    /// Returns the name as written.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Returns the name as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the number of the Core Rule Set that it is, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        (self.0.len() == 6).then(|| self.0.parse().ok()).flatten()
    }

    /// Returns true if it looks like an id or the beginning of one.
    #[must_use]
    pub fn is_id(&self) -> bool {
        (SHORTEST_PREFIX..=32).contains(&self.0.len())
            && self.0.bytes().all(|b| b.is_ascii_hexdigit())
    }

    /// Returns the only rule of a catalogue with this name.
    ///
    /// # Errors
    /// Fails if there is no rule or several.
    pub fn resolve<'c>(&self, catalogue: &'c Catalogue) -> Result<&'c CatalogueRule, Unresolved> {
        let text = self.0.to_lowercase();
        let rules = &catalogue.rules;
        let by_number = || self.number().map(|number| rules.by_number(number)).unwrap_or_default();
        let by_title = || rules.by_title(&text);
        let by_id = || if self.is_id() { rules.by_prefix(&text) } else { Vec::new() };
        let ways: [&dyn Fn() -> Vec<&'c CatalogueRule>; 3] = [&by_number, &by_title, &by_id];
        for way in ways {
            let candidates = way();
            match candidates.as_slice() {
                [] => {}
                [only] => return Ok(only),
                several => {
                    return Err(Unresolved::Ambiguous(
                        several.iter().map(|r| candidate_shown(r)).take(CANDIDATES).collect(),
                    ));
                }
            }
        }
        let mut near: Vec<_> = rules
            .iter()
            .filter_map(|rule| {
                let number = rule.number.map(|n| n.to_string()).unwrap_or_default();
                let title = rule.title();
                let likeness = if !text.is_empty() && title.contains(&text) {
                    1.0
                } else {
                    strsim::jaro_winkler(&title, &text).max(strsim::jaro_winkler(&number, &text))
                };
                (likeness > 0.85).then_some((likeness, rule))
            })
            .collect();
        sort_by(&mut near, |a, b| b.0.total_cmp(&a.0));
        Err(Unresolved::Unknown(
            near.into_iter().take(CANDIDATES).map(|(_, r)| candidate_shown(r)).collect(),
        ))
    }
}

/// Describes a candidate: its description, with the beginning of its id if it has no number.
fn candidate_shown(rule: &CatalogueRule) -> String {
    match rule.number {
        Some(_) => rule.description.clone(),
        None => format!("{} ({})", rule.description, rule.id.0.get(..8).unwrap_or(&rule.id.0)),
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
