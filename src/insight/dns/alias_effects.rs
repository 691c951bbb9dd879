//! Effects of an edit on aliases: an alias that leads nowhere, and aliases that change with their
//! target.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{Answer, End, NoData};
use super::answer_in_words::NO_NAME;
use super::differences::{Class, Difference};
use super::index::ZoneIndex;
use super::zones::Zones;
use crate::insight::effect::at_most_five;
use crate::model::{Fqdn, RecordType};

/// Names that are not edited and whose answers differ, by the targets of their aliases.
pub(super) struct Dependents<'v, 'a>(BTreeMap<&'a Fqdn, BTreeSet<&'v Fqdn>>);

impl<'v, 'a> Dependents<'v, 'a> {
    /// Selects the names that are not edited.
    pub(super) fn of(found: &'v [Difference<'a>], edited: &BTreeSet<&Fqdn>) -> Self {
        let mut dependents: BTreeMap<&'a Fqdn, BTreeSet<&'v Fqdn>> = BTreeMap::new();
        for difference in found {
            let Class::Name(name) = &difference.class else { continue };
            let answers = difference.types.values().flat_map(|(before, after)| [before, after]);
            for target in
                answers.flat_map(|a| &a.aliases).filter_map(|alias| alias.record.data.target())
            {
                if !edited.contains(name) {
                    dependents.entry(target).or_default().insert(name);
                }
            }
        }
        Self(dependents)
    }

    /// Returns the sentence about the names whose aliases lead to `name`, relative to `zone`, the
    /// zone of `name`.
    pub(super) fn sentence(&self, name: &Fqdn, zone: &ZoneIndex<'_>) -> Option<String> {
        let names = self.0.get(name)?;
        let shown = names.iter().map(|other| zone.name().relative(other));
        Some(format!(
            "{} {} differently too: {}",
            if names.len() == 1 {
                "1 alias".to_owned()
            } else {
                format!("{} aliases", names.len())
            },
            if names.len() == 1 { "answers" } else { "answer" },
            at_most_five(shown)
        ))
    }
}

/// Returns the sentence about an alias that leads to nothing in the known zones. `shown` is the
/// name as it is displayed.
pub(super) fn leads_nowhere(name: &Fqdn, shown: &str, after: &Zones<'_>) -> Option<String> {
    let answers = [RecordType::A, RecordType::Aaaa].map(|kind| after.answer(name, kind));
    let is_dead =
        |answer: &Answer<'_>| matches!(answer.end, End::NoName | End::NoData(_) | End::Loop);
    if !answers.iter().all(is_dead) {
        return None;
    }
    let end = &answers[0];
    // No client connects to the name of a key or a token, so a text is sufficient.
    if name.has_underscored_label()
        && answers.iter().all(|answer| matches!(answer.end, End::NoData(NoData::OtherTypes)))
    {
        return None;
    }
    Some(match end.end {
        End::Loop => {
            format!("{shown}: the aliases form a loop at {}, so there is no answer", end.name)
        }
        End::NoName => format!("{shown}: leads to {}, and there is {NO_NAME}", end.name),
        _ => format!("{shown}: leads to {}, which has no address", end.name),
    })
}
