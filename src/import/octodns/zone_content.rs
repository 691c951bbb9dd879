//! Holds the records that octoDNS publishes in one zone at one target, before they are added to the
//! import.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Finding, Place, SourceId, findings};
use crate::import::comments::Comment;
use crate::import::import_result::{Entry, ImportResult, Translation, Written};
use crate::model::{RecordType, ZoneName};

/// Maximum number of record sets in the message about a zone.
const MOST_NAMES: usize = 5;

/// A record that octoDNS publishes.
#[derive(Debug, Clone)]
pub(super) struct PublishedRecord {
    /// Name of the record in messages.
    pub(super) shown: String,
    pub(super) place: Place,
    /// Absolute name with a final dot, or `@`.
    pub(super) name: String,
    pub(super) type_name: &'static str,
    pub(super) value: Written,
    /// Seconds; `None` means automatic.
    pub(super) ttl: Option<u32>,
    pub(super) is_proxied: bool,
    pub(super) comment: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) comments: Vec<Comment>,
}

impl PublishedRecord {
    /// Converts the record to an entry of an import.
    fn to_entry<'s>(&'s self, zone: &'s ZoneName) -> Entry<'s> {
        let mut entry = Entry::new(zone, &self.name, self.type_name, self.value.clone());
        entry.ttl = self.ttl;
        entry.proxied = self.is_proxied;
        entry.comment.clone_from(&self.comment);
        entry.tags.clone_from(&self.tags);
        entry.comments.clone_from(&self.comments);
        entry
    }

    /// Returns the record as Cloudflare would store it, for comparisons.
    fn fingerprint(&self, zone: &ZoneName) -> String {
        match self.to_entry(zone).record(String::new()) {
            Ok(record) => format!(
                "{} {:?} {:?} {:?} {:?} {:?}",
                record.name, record.data, record.ttl, record.proxied, record.comment, record.tags
            ),
            Err((why, _)) => format!("{} {} {why}", self.name, self.type_name),
        }
    }
}

/// A record set that is not in the spec.
#[derive(Debug)]
pub(super) struct LeftOut {
    pub(super) shown: String,
    pub(super) place: Place,
    pub(super) why: String,
    /// Number of values.
    pub(super) values: usize,
    pub(super) finding: &'static Finding,
}

/// Notes about one zone. Equal notes about one file are reported once.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<(&'static Finding, Place, String)>);

impl Notes {
    /// Notes that octoDNS reads a value differently from its appearance.
    pub(super) fn read_otherwise(&mut self, place: Place, detail: impl Into<String>) {
        self.0.push((findings::READ_OTHERWISE, place, detail.into()));
    }

    /// Notes that octoDNS would refuse a value.
    pub(super) fn refused_by_octodns(&mut self, place: Place, detail: impl Into<String>) {
        self.0.push((findings::REFUSED_BY_OCTODNS, place, detail.into()));
    }

    pub(super) fn report(&self, found: &mut ImportResult) {
        type NoteKey<'n> = (&'n str, Option<SourceId>, &'n str);
        let mut by_text: BTreeMap<NoteKey<'_>, (Place, usize, &'static Finding)> = BTreeMap::new();
        for (finding, place, detail) in &self.0 {
            let source = (*place != Place::NOWHERE).then_some(place.source);
            let entry =
                by_text.entry((finding.code, source, detail)).or_insert((*place, 0, finding));
            entry.1 += 1;
        }
        for ((_, _, detail), (place, number, finding)) in by_text {
            let detail = match number {
                1 => detail.to_owned(),
                _ => format!("{detail} ({number} times in this file)"),
            };
            let diagnostic = if place == Place::NOWHERE {
                finding.nowhere(detail)
            } else {
                finding.at(place, detail)
            };
            if !found.diagnostics.iter().any(|known| *known == diagnostic) {
                found.diagnostics.push(diagnostic);
            }
        }
    }
}

/// Records that octoDNS publishes in one zone at one target.
#[derive(Debug, Default)]
pub(super) struct ZoneContent {
    pub(super) records: Vec<PublishedRecord>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) notes: Notes,
    /// Reasons why some records of the zone are unknown.
    pub(super) in_part: BTreeSet<String>,
    /// Pairs of different record sets with the same name and type.
    pub(super) contradictions: Vec<(String, [Place; 2])>,
}

impl ZoneContent {
    /// Adds a record set that is left out.
    pub(super) fn leave_out(
        &mut self,
        shown: &str,
        place: Place,
        values: usize,
        why: impl Into<String>,
    ) {
        let (shown, why) = (shown.to_owned(), why.into());
        self.left_out.push(LeftOut {
            shown,
            place,
            why,
            values,
            finding: findings::NOT_TRANSLATED,
        });
    }

    /// Adds an invalid record set.
    pub(super) fn refuse(
        &mut self,
        shown: &str,
        place: Place,
        values: usize,
        why: impl Into<String>,
    ) {
        let (shown, why) = (shown.to_owned(), why.into());
        self.left_out.push(LeftOut {
            shown,
            place,
            why,
            values,
            finding: findings::INVALID_IN_SOURCE,
        });
    }

    /// Returns a value that is equal for two targets that get the same records.
    pub(super) fn fingerprint(&self, zone: &ZoneName) -> (Vec<String>, &BTreeSet<String>) {
        let mut records: Vec<String> =
            self.records.iter().map(|record| record.fingerprint(zone)).collect();
        records.sort_unstable();
        (records, &self.in_part)
    }

    /// Adds the zone to an import.
    pub(super) fn import(self, zone: &ZoneName, found: &mut ImportResult) {
        found.zone(zone);
        found.leaving.octodns.insert(zone.clone());
        for record in &self.records {
            found.record("record", &record.shown, record.place, record.to_entry(zone));
        }
        for set in &self.left_out {
            found.report(set.finding, &set.shown, set.place, &set.why, None);
            (0..set.values).for_each(|_| found.count("record", Translation::LeftOut));
        }
        for reason in &self.in_part {
            found.zone_in_part(zone, reason.clone());
            found.count("source or processor", Translation::LeftOut);
        }
        self.report_notes(found);
    }

    /// Reports a zone that is left out, and counts its records.
    pub(super) fn leave_out_zone(
        self,
        zone: &ZoneName,
        place: Place,
        why: &str,
        help: Option<String>,
        found: &mut ImportResult,
    ) {
        let values = self.records.len() + self.left_out.iter().map(|set| set.values).sum::<usize>();
        let mut names: Vec<&str> =
            self.records.iter().map(|record| record.shown.as_str()).collect();
        names.extend(self.left_out.iter().map(|set| set.shown.as_str()));
        names.dedup();
        let mut why = why.to_owned();
        if !names.is_empty() {
            let omitted = names.len().saturating_sub(MOST_NAMES);
            let omission = if omitted > 0 { format!(" and {omitted} more") } else { String::new() };
            names.truncate(MOST_NAMES);
            why.push_str(&format!("; left out: {}{omission}", names.join(", ")));
        }
        found.report(findings::NOT_TRANSLATED, &format!("zone {zone}"), place, &why, help);
        if values == 0 {
            found.count("zone", Translation::LeftOut);
        }
        (0..values).for_each(|_| found.count("record", Translation::LeftOut));
    }

    /// Reports notes and contradictions.
    fn report_notes(self, found: &mut ImportResult) {
        self.notes.report(found);
        for (detail, places) in self.contradictions {
            found.contradiction(
                detail,
                places,
                "keep one of them; octoDNS refuses the zone as well".to_owned(),
            );
        }
    }
}

/// Returns the model's name of a type; `None` if Cloudflare has no such type.
pub(super) fn type_of_cloudflare(type_name: &str) -> Option<&'static str> {
    // An alias at the apex is a flattened CNAME at Cloudflare.
    let own_type = if type_name == "ALIAS" { "CNAME" } else { type_name };
    RecordType::parse(own_type).map(|known| known.facts().name)
}
