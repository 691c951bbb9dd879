//! Describes when all resolvers see the changes of a zone.

use super::answer_source::AnswerSource;
use super::caching::describe_duration;
use super::index::ZoneIndex;
use super::record_edit::RecordEdit;
use super::serving::Hindrance;
use super::zones::Zones;
use crate::model::facts::AUTOMATIC_TTL_SECONDS;

/// Describes when all resolvers see these edits of a zone, which change answers. `zone` is the zone
/// after them.
pub(super) fn describe_visibility<'a>(
    zone: &ZoneIndex<'a>,
    before: &Zones<'a>,
    edits: &[&RecordEdit<'a>],
) -> Vec<String> {
    match zone.serving().hindrance {
        Some(Hindrance::Pending) => {
            return vec![
                "not visible yet: the zone is pending, and Cloudflare does not serve it".to_owned(),
            ];
        }
        Some(hindrance @ (Hindrance::Moved | Hindrance::Partial)) => {
            return vec![format!("the zone {}", hindrance.about())];
        }
        None => {}
    }
    let kept = edits.iter().filter_map(|edit| Some(edit.before?.seconds())).max();
    // No resolver has cached names of a zone without records.
    let has_records = before.named(zone.name()).is_some_and(|zone| zone.entries().next().is_some());
    let is_new_name = |edit: &RecordEdit<'a>| {
        let name = edit.after.filter(|_| edit.before.is_none()).map(|entry| entry.name);
        name.and_then(|name| Some(AnswerSource::of(before.zone_of(name)?, name.as_str())))
            .is_some_and(|source| matches!(source, AnswerSource::Nothing | AnswerSource::Empty))
    };
    let has_new_names = has_records && edits.iter().any(|edit| is_new_name(edit));
    let negative = has_new_names.then(|| zone.serving().negative_seconds());
    visible_within(kept, negative).into_iter().collect()
}

/// Describes when all resolvers see a change, if that takes longer than usual. `kept` is the
/// longest time to live of records that change, in seconds. `negative` is the number of seconds
/// for which resolvers cache the absence of a name, if there are new names.
fn visible_within(kept: Option<u32>, negative: Option<u32>) -> Option<String> {
    // Five minutes are usual.
    match (kept.filter(|seconds| *seconds > AUTOMATIC_TTL_SECONDS), negative) {
        (Some(kept), None) => Some(format!(
            "visible everywhere within {} (the longest ttl of what changes)",
            describe_duration(kept)
        )),
        (Some(kept), Some(negative)) => Some(format!(
            "visible everywhere within {}; new names within {} (negative caching)",
            describe_duration(kept),
            describe_duration(negative)
        )),
        (None, None) => None,
        (None, Some(negative)) => Some(format!(
            "visible everywhere within {} (negative caching)",
            describe_duration(negative)
        )),
    }
}
