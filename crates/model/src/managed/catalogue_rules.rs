//! The rules of a managed ruleset in their order, with look-up by name.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use super::catalogue_rule::CatalogueRule;

/// A list of rules.
#[derive(Clone, Default)]
pub struct CatalogueRules {
    list: Vec<CatalogueRule>,
    /// Built on first use, because most runs never look up a rule.
    index: OnceLock<Index>,
}

/// Positions of rules in the list, ascending, by their names.
#[derive(Clone, Default)]
struct Index {
    ids: HashMap<String, usize>,
    lower_ids: BTreeMap<String, Vec<usize>>,
    numbers: HashMap<u32, Vec<usize>>,
    titles: HashMap<String, Vec<usize>>,
}

impl Index {
    /// Builds the index of a list.
    fn new(list: &[CatalogueRule]) -> Self {
        let mut index = Self::default();
        for (n, rule) in list.iter().enumerate() {
            index.ids.entry(rule.id.0.clone()).or_insert(n);
            index.lower_ids.entry(rule.id.0.to_lowercase()).or_default().push(n);
            if let Some(number) = rule.number {
                index.numbers.entry(number).or_default().push(n);
            }
            let (title, description) = (rule.title(), rule.description.to_lowercase());
            if title != description {
                index.titles.entry(title).or_default().push(n);
            }
            index.titles.entry(description).or_default().push(n);
        }
        index
    }
}

impl CatalogueRules {
    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.list))
    }

    /// Returns the rules at these positions.
    fn at<'r>(&'r self, places: impl IntoIterator<Item = &'r usize>) -> Vec<&'r CatalogueRule> {
        let mut places: Vec<usize> = places.into_iter().copied().collect();
        places.sort_unstable();
        places.into_iter().map(|n| &self.list[n]).collect()
    }

    /// Returns the list for changing it.
    pub fn list_mut(&mut self) -> &mut Vec<CatalogueRule> {
        // The index does not match the changed list.
        self.index.take();
        &mut self.list
    }

    /// Returns the first rule with an id.
    #[must_use]
    pub fn by_id(&self, id: &str) -> Option<&CatalogueRule> {
        self.index().ids.get(id).map(|n| &self.list[*n])
    }

    /// Returns the rules whose id begins with a text in lower case.
    #[must_use]
    pub fn by_prefix(&self, lower: &str) -> Vec<&CatalogueRule> {
        let from = self.index().lower_ids.range(lower.to_owned()..);
        self.at(from.take_while(|(id, _)| id.starts_with(lower)).flat_map(|(_, places)| places))
    }

    /// Returns the rules with a number of the Core Rule Set.
    #[must_use]
    pub fn by_number(&self, number: u32) -> Vec<&CatalogueRule> {
        self.at(self.index().numbers.get(&number).into_iter().flatten())
    }

    /// Returns the rules whose description, with or without its number, equals a text in lower
    /// case.
    #[must_use]
    pub fn by_title(&self, lower: &str) -> Vec<&CatalogueRule> {
        self.at(self.index().titles.get(lower).into_iter().flatten())
    }
}

impl Deref for CatalogueRules {
    type Target = [CatalogueRule];

    fn deref(&self) -> &[CatalogueRule] {
        &self.list
    }
}

impl<'r> IntoIterator for &'r CatalogueRules {
    type Item = &'r CatalogueRule;
    type IntoIter = std::slice::Iter<'r, CatalogueRule>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl From<Vec<CatalogueRule>> for CatalogueRules {
    fn from(list: Vec<CatalogueRule>) -> Self {
        Self { list, index: OnceLock::new() }
    }
}

impl FromIterator<CatalogueRule> for CatalogueRules {
    fn from_iter<I: IntoIterator<Item = CatalogueRule>>(rules: I) -> Self {
        rules.into_iter().collect::<Vec<_>>().into()
    }
}

impl PartialEq for CatalogueRules {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Eq for CatalogueRules {}

impl fmt::Debug for CatalogueRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::RuleId;

    fn rule(id: &str, number: Option<u32>, description: &str) -> CatalogueRule {
        CatalogueRule {
            id: RuleId(id.to_owned()),
            number,
            description: description.to_owned(),
            tags: Vec::new(),
            enabled: true,
            action: "block".to_owned(),
            score: None,
            threshold: None,
        }
    }

    fn ids(rules: Vec<&CatalogueRule>) -> Vec<&str> {
        rules.into_iter().map(|r| r.id.0.as_str()).collect()
    }

    #[test]
    fn rules_are_found_by_every_name_in_their_order() {
        let mut rules: CatalogueRules = vec![
            rule("ab02", Some(942_100), "942100: SQL Injection"),
            rule("AB01", None, "sql injection"),
            rule("ac00", Some(942_100), "942100: Other"),
        ]
        .into();
        assert_eq!(ids(rules.by_prefix("ab")), ["ab02", "AB01"], "by place, not by id");
        assert_eq!(ids(rules.by_prefix("ab01")), ["AB01"]);
        assert_eq!(ids(rules.by_prefix("b")), [""; 0]);
        assert_eq!(ids(rules.by_title("sql injection")), ["ab02", "AB01"]);
        assert_eq!(ids(rules.by_title("942100: sql injection")), ["ab02"]);
        assert_eq!(ids(rules.by_number(942_100)), ["ab02", "ac00"]);
        assert_eq!(rules.by_id("AB01").map(|r| r.description.as_str()), Some("sql injection"));
        assert_eq!(rules.by_id("ab01"), None, "ids are compared to the letter");
        // The index follows the list.
        rules.list_mut().remove(0);
        rules.list_mut().push(rule("AB01", None, "Again"));
        assert_eq!((rules.by_id("ab02"), ids(rules.by_number(942_100))), (None, vec!["ac00"]));
        assert_eq!(
            rules.by_id("AB01").map(|r| r.description.as_str()),
            Some("sql injection"),
            "the first of several"
        );
    }
}
