//! Rules by the names that people use: a number, a description, the beginning of an id.

use std::fmt;

use super::catalogue::{Catalogue, CatalogueRule};

/// The shortest beginning of an id that is taken for one.
const SHORTEST_PREFIX: usize = 6;
/// Most candidates that are listed.
const CANDIDATES: usize = 5;

/// How the spec names a rule of a managed ruleset.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleName(String);

/// Why a name does not lead to one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// No rule has it; these are near.
    Unknown(Vec<String>),
    /// Several rules have it.
    Ambiguous(Vec<String>),
}

impl RuleName {
    /// A name as written.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// As written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a number of the Core Rule Set.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        (self.0.len() == 6).then(|| self.0.parse().ok()).flatten()
    }

    /// Whether it looks like an id or the beginning of one.
    #[must_use]
    pub fn is_id(&self) -> bool {
        (SHORTEST_PREFIX..=32).contains(&self.0.len()) && self.0.bytes().all(|b| b.is_ascii_hexdigit())
    }

    /// The one rule of a catalogue that it names.
    ///
    /// # Errors
    /// None, or several.
    pub fn resolve<'c>(&self, catalogue: &'c Catalogue) -> Result<&'c CatalogueRule, Unresolved> {
        let text = self.0.to_lowercase();
        let title = |rule: &CatalogueRule| {
            let lower = rule.description.to_lowercase();
            match lower.split_once(':') {
                Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest.trim().to_owned(),
                _ => lower,
            }
        };
        let by_number = |r: &&CatalogueRule| self.number().is_some() && r.number == self.number();
        let by_id = |r: &&CatalogueRule| self.is_id() && r.id.0.to_lowercase().starts_with(&text);
        let by_title = |r: &&CatalogueRule| r.description.to_lowercase() == text || title(r) == text;
        let ways: [&dyn Fn(&&CatalogueRule) -> bool; 3] = [&by_number, &by_title, &by_id];
        for way in ways {
            let found: Vec<_> = catalogue.rules.iter().filter(way).collect();
            match found.as_slice() {
                [] => {}
                [only] => return Ok(only),
                several => {
                    return Err(Unresolved::Ambiguous(several.iter().map(|r| shown(r)).take(CANDIDATES).collect()));
                }
            }
        }
        let mut near: Vec<_> = catalogue
            .rules
            .iter()
            .filter_map(|rule| {
                let number = rule.number.map(|n| n.to_string()).unwrap_or_default();
                let likeness = if !text.is_empty() && title(rule).contains(&text) {
                    1.0
                } else {
                    strsim::jaro_winkler(&title(rule), &text).max(strsim::jaro_winkler(&number, &text))
                };
                (likeness > 0.85).then_some((likeness, rule))
            })
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        Err(Unresolved::Unknown(near.into_iter().take(CANDIDATES).map(|(_, r)| shown(r)).collect()))
    }
}

/// A candidate: its description, with the beginning of its id where it has no number.
fn shown(rule: &CatalogueRule) -> String {
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
