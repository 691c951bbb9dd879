//! Messages about settings that an export cannot represent.

use std::collections::BTreeSet;

use crate::model::{DesiredRecord, DesiredZone, Gather, Unmanaged};

/// Lists the settings of a zone beside its records, which no other format can represent.
pub(super) fn beside_records(zone: &DesiredZone) -> Vec<String> {
    let DesiredZone {
        name: _,
        id: _,
        place: _,
        tier: _,
        unmanaged,
        ignore,
        allow,
        create,
        settings,
        waf,
        records,
        tombstones,
        expect,
    } = zone;
    let mut parts = Vec::new();
    let mut part = |is_there: bool, words: &str| {
        if is_there {
            parts.push(format!("{words} cannot be expressed in this format"));
        }
    };
    part(*unmanaged == Unmanaged::Prune, "`unmanaged: prune`");
    part(!ignore.is_empty(), "`ignore`");
    part(!allow.is_empty() || records.iter().any(|record| record.allow.is_some()), "`allow`");
    part(*create, "`create`");
    part(!settings.settings.is_empty(), "zone settings");
    part(settings.dnssec.is_some(), "DNSSEC");
    part(!settings.dns_settings.is_empty(), "DNS settings");
    part(waf.is_some(), "the protection");
    part(!tombstones.is_empty(), "`state: absent`");
    part(records.iter().any(|record| record.protect), "`protect`");
    part(!expect.is_empty(), "`expect`");
    parts
}

pub(super) fn name_and_type(zone: &DesiredZone, record: &DesiredRecord) -> String {
    format!("{} {}", zone.name.relative(&record.name), record.data.type_name())
}

/// Lists the attributes of a record that the format cannot represent.
pub(super) fn name_settings(
    zone: &DesiredZone,
    record: &DesiredRecord,
    known: &[&str],
    left_out: &mut Vec<String>,
) {
    let switches = record.facets.settings.named();
    let unsaid: BTreeSet<&str> = switches
        .into_iter()
        .filter(|(name, value)| *value == Some(true) && !known.contains(name))
        .map(|(name, _)| name)
        .gather();
    if !unsaid.is_empty() {
        let unsaid: Vec<String> = unsaid.into_iter().map(|name| format!("`{name}`")).collect();
        left_out.push(format!(
            "{}: {} cannot be expressed in this format",
            name_and_type(zone, record),
            unsaid.join(", ")
        ));
    }
}
