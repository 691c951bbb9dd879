//! Counts requests by name, in bounded memory: names beyond the first few thousand are counted
//! together.

use std::collections::BTreeMap;

use super::report::Named;
use crate::diagnostic::cut;
use crate::model::sort_by;

/// Maximum number of names that are counted separately.
const MOST_NAMES: usize = 2_000;
/// Maximum number of names in a report.
const LISTED: usize = 10;
/// Maximum length of a name in characters.
pub(super) const LONGEST_NAME: usize = 100;
/// The name for all other names.
pub(super) const OTHERS: &str = "(others)";

/// Numbers of requests by name.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, u64>);

impl Names {
    /// Counts a name.
    pub(super) fn add(&mut self, name: &str) {
        let name = cut(name, LONGEST_NAME);
        let is_counted = self.0.len() < MOST_NAMES || self.0.contains_key(&name);
        *self.0.entry(if is_counted { name } else { OTHERS.to_owned() }).or_default() += 1;
    }

    /// Returns the most frequent names.
    pub(super) fn listed(self) -> Vec<Named> {
        let mut names: Vec<_> =
            self.0.into_iter().map(|(name, requests)| Named { name, requests }).collect();
        sort_by(&mut names, |one, other| {
            other.requests.cmp(&one.requests).then_with(|| one.name.cmp(&other.name))
        });
        let unlisted_requests: u64 = names.iter().skip(LISTED).map(|named| named.requests).sum();
        names.truncate(LISTED);
        match names.iter_mut().find(|named| named.name == OTHERS) {
            Some(others) => others.requests += unlisted_requests,
            None if unlisted_requests > 0 => {
                names.push(Named { name: OTHERS.to_owned(), requests: unlisted_requests })
            }
            None => {}
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_most_are_others() {
        let mut names = Names::default();
        for n in 0..MOST_NAMES + 5 {
            names.add(&format!("{n:05}"));
        }
        names.add("00007");
        let listed = names.listed();
        assert_eq!((listed[0].name.as_str(), listed[0].requests), (OTHERS, 1996));
        assert_eq!((listed[1].name.as_str(), listed[1].requests), ("00007", 2));
        assert_eq!(listed.iter().map(|named| named.requests).sum::<u64>(), 2006);
    }
}
