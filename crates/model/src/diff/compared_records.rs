//! Selects the live records that are compared.
//!
//! Foreign records leave the comparison before it starts, so that no later step can plan a change
//! on one by mistake.

use super::changes::SetAsideReason;
use crate::{DesiredZone, Fqdn, IgnorePattern, LiveRecord, LiveZone, Rdata, ReadOnly, RecordType};

/// Options for the globs of `ignore`: case is ignored, and `*` also matches dots.
const GLOB: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: false,
    require_literal_separator: false,
    require_literal_leading_dot: false,
};

/// Returns the reason why Cloudflare does not allow changes to this record, if there is one.
pub(super) fn read_only(zone: &LiveZone, record: &LiveRecord) -> Option<ReadOnly> {
    let name_server =
        is_own_name_server(zone, &record.name, &record.data).then_some(ReadOnly::ZoneNameServer);
    let other_zone = (!record.name.is_within(zone.name.as_fqdn())).then_some(ReadOnly::OtherZone);
    record.read_only.or(name_server).or(other_zone)
}

/// Returns true for an NS record at the apex that Cloudflare maintains. Cloudflare usually does not
/// list these records.
pub(super) fn is_own_name_server(zone: &LiveZone, name: &Fqdn, data: &Rdata) -> bool {
    let is_own = |target: &str| {
        zone.name_servers.iter().any(|n| n.trim_end_matches('.').eq_ignore_ascii_case(target))
    };
    name == zone.name.as_fqdn()
        && data.record_type() == Some(RecordType::Ns)
        && data.target().is_some_and(|target| is_own(target.as_str()))
}

/// Returns the index of the first `ignore` pattern that matches the record.
pub(super) fn ignored(zone: &DesiredZone, record: &LiveRecord) -> Option<usize> {
    zone.ignore.iter().position(|pattern| pattern_matches(pattern, zone, record))
}

/// Returns true if every part of the pattern matches the record.
fn pattern_matches(pattern: &IgnorePattern, zone: &DesiredZone, record: &LiveRecord) -> bool {
    let IgnorePattern { name, record_type, content, tag, reason: _, place: _ } = pattern;
    let name_matches = |glob: &glob::Pattern| {
        glob.matches_with(zone.name.relative(&record.name), GLOB)
            || glob.matches_with(record.name.as_str(), GLOB)
    };
    let content_matches = |glob: &glob::Pattern| match &record.data {
        Rdata::Txt(text) => glob.matches_with(&String::from_utf8_lossy(text.as_bytes()), GLOB),
        data => glob.matches_with(&data.presentation(), GLOB),
    };
    let tag_matches = |wanted: &str| {
        record.tags.iter().any(|tag| {
            tag.as_str().eq_ignore_ascii_case(wanted)
                || (!wanted.contains(':')
                    && tag
                        .as_str()
                        .split(':')
                        .next()
                        .is_some_and(|n| n.eq_ignore_ascii_case(wanted)))
        })
    };
    name.as_ref().is_none_or(name_matches)
        && record_type.as_ref().is_none_or(|t| t.eq_ignore_ascii_case(record.data.type_name()))
        && content.as_ref().is_none_or(content_matches)
        && tag.as_ref().is_none_or(|t| tag_matches(t))
}

/// Returns the reason why the record must be neither changed nor deleted, if there is one.
pub(super) fn untouchable(
    desired: &DesiredZone,
    live: &LiveZone,
    record: &LiveRecord,
) -> Option<SetAsideReason> {
    if let Some(reason) = read_only(live, record) {
        return Some(SetAsideReason::ReadOnly(reason));
    }
    if record.data.record_type().is_none() {
        return Some(SetAsideReason::Opaque);
    }
    ignored(desired, record).map(SetAsideReason::Ignored)
}
