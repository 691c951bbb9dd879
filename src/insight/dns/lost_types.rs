//! The record types that a name loses although it keeps other records.

use super::answer::End;
use super::answer_source::AnswerSource;
use super::differences::Difference;
use super::index::ZoneIndex;
use super::proxy_change;
use crate::insight::effect::at_most_five;
use crate::model::{Fqdn, RecordType};

/// Returns the types that a name loses while it keeps other records, unless another sentence
/// reports that it moves behind the proxy or leaves it. `difference` is the difference for the
/// name.
pub(super) fn lost_types(
    name: &Fqdn,
    zones: [&ZoneIndex<'_>; 2],
    difference: Option<&Difference<'_>>,
) -> Vec<RecordType> {
    let [AnswerSource::Own(before), AnswerSource::Own(after)] =
        zones.map(|zone| AnswerSource::of(zone, name.as_str()))
    else {
        return Vec::new();
    };
    if name.is_wildcard() || proxy_change::moved("", zones, [before, after]).is_some() {
        return Vec::new();
    }
    let is_gone = |kind: &RecordType| {
        difference.and_then(|d| d.types.get(kind)).is_some_and(|(_, after)| {
            matches!(after.end, End::NoData(_)) && after.aliases.is_empty() && before.has(*kind)
        })
    };
    RecordType::ALL.iter().copied().filter(is_gone).collect()
}

/// Returns the sentence about a name that loses these types. `shown` is the name as it is
/// displayed.
pub(super) fn lost_types_sentence(shown: &str, lost: &[RecordType]) -> String {
    format!("{shown}: no {} any more; the name has other records", at_most_five(lost))
}
