//! Checks that the records of a zone do not contradict each other.
//!
//! Records are sorted by name, type and value, so all records of a name are adjacent and one pass
//! is enough.

use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::model::{Address, DesiredRecord, DesiredZone, Fqdn, Rdata, RecordType, sort_by};

/// Reports contradictions in a zone and drops duplicates.
pub(super) fn check(zone: &mut DesiredZone, diagnostics: &mut Diagnostics) {
    sort(zone);
    for same in zone.records.chunk_by(|a, b| a.name == b.name) {
        if super::is_enough(diagnostics) {
            return;
        }
        repeated(zone, same, diagnostics);
        types(zone, same, diagnostics);
    }
    for tombstone in zone.tombstones.iter().take(super::MOST) {
        contradiction(zone, tombstone, diagnostics);
    }
    for pair in zone.tombstones.windows(2) {
        let key = |t: &crate::model::Tombstone| (t.name.clone(), t.record_type, t.data.clone());
        if key(&pair[0]) == key(&pair[1]) {
            diagnostics.push(
                findings::REPEATED
                    .at(pair[1].spelling.place, "duplicate `state: absent`")
                    .and_at(pair[0].spelling.place, "it is first written here")
                    .help("remove one of the two"),
            );
        }
    }
}

/// Sorts records and tombstones by name, type, value and place.
fn sort(zone: &mut DesiredZone) {
    fn key(record: &DesiredRecord) -> (&Fqdn, Option<RecordType>, &Rdata, Place) {
        (&record.name, record.data.record_type(), &record.data, record.spelling.place)
    }
    sort_by(&mut zone.records, |a, b| key(a).cmp(&key(b)));
    sort_by(&mut zone.tombstones, |a, b| {
        (&a.name, a.record_type, &a.data, a.spelling.place).cmp(&(
            &b.name,
            b.record_type,
            &b.data,
            b.spelling.place,
        ))
    });
}

/// Returns the address that messages use for the records of a name and type.
fn record_address(zone: &DesiredZone, record: &DesiredRecord) -> String {
    Address::of_record(&zone.name, &record.name, &record.data, false).to_string()
}

/// Reports duplicate records.
fn repeated(zone: &DesiredZone, same: &[DesiredRecord], diagnostics: &mut Diagnostics) {
    let mut first = 0;
    for n in 1..same.len() {
        if same[n].data != same[first].data {
            first = n;
            continue;
        }
        let place = |r: &DesiredRecord| r.spelling.place;
        diagnostics.push(
            findings::REPEATED
                .at(
                    place(&same[n]),
                    format!("this {} record is already defined here", same[n].data.type_name()),
                )
                .and_at(place(&same[first]), "it is first written here")
                .about(record_address(zone, &same[n]))
                .help("remove one of the two; spellings that mean the same count as equal"),
        );
    }
}

/// Reports types that exclude each other at one name.
fn types(zone: &DesiredZone, same: &[DesiredRecord], diagnostics: &mut Diagnostics) {
    let of_type: Vec<(RecordType, &[DesiredRecord])> = same
        .chunk_by(|a, b| a.data.record_type() == b.data.record_type())
        .filter_map(|records| records[0].data.record_type().map(|t| (t, records)))
        .collect();
    for (n, (later, records)) in of_type.iter().enumerate() {
        if later.is_single() {
            // Duplicates are reported by `repeated`.
            for other in records.iter().skip(1).filter(|r| r.data != records[0].data) {
                let diagnostic = findings::SECOND_CNAME
                    .at(
                        other.spelling.place,
                        format!("`{}` has another {later} already", other.name),
                    )
                    .and_at(records[0].spelling.place, "the first one")
                    .about(record_address(zone, other))
                    .help("keep one of them");
                diagnostics.push(diagnostic);
            }
        }
        for (earlier, others) in &of_type[..n] {
            if earlier.excludes_at(*later, records[0].name == *zone.name.as_fqdn()) {
                diagnostics.push(exclusive(zone, &others[0], &records[0]));
            }
        }
    }
}

/// Reports two records whose types exclude each other, at the later one in the text.
fn exclusive(zone: &DesiredZone, a: &DesiredRecord, b: &DesiredRecord) -> Diagnostic {
    let (first, second) = if a.spelling.place <= b.spelling.place { (a, b) } else { (b, a) };
    let (one, other) = (first.data.type_name(), second.data.type_name());
    let help = if one == "CNAME" || other == "CNAME" {
        "keep the CNAME or the other record; a name that is an alias has no address or name server \
        of its own"
    } else {
        "keep the NS records or the addresses; the name servers of a delegated name answer for it"
    };
    findings::EXCLUSIVE
        .at(second.spelling.place, format!("`{}` has a record of type {other} here", second.name))
        .and_at(first.spelling.place, format!("and one of type {one} here"))
        .about(record_address(zone, second))
        .help(help)
}

/// Reports a record that the spec both wants and declares absent.
fn contradiction(
    zone: &DesiredZone,
    tombstone: &crate::model::Tombstone,
    diagnostics: &mut Diagnostics,
) {
    let key = (&tombstone.name, Some(tombstone.record_type));
    let start = zone.records.partition_point(|r| (&r.name, r.data.record_type()) < key);
    let set = zone.records[start..].iter().take_while(|r| (&r.name, r.data.record_type()) == key);
    let wanted_record = match &tombstone.data {
        None => set.into_iter().next(),
        Some(data) => {
            // The set is sorted by value, and it can be large.
            let length =
                zone.records[start..].partition_point(|r| (&r.name, r.data.record_type()) == key);
            let set = &zone.records[start..start + length];
            set.binary_search_by(|r| r.data.cmp(data)).ok().map(|n| &set[n])
        }
    };
    let Some(record) = wanted_record else { return };
    let place: Place = tombstone.spelling.place;
    let which = if tombstone.data.is_some() { "this" } else { "every" };
    diagnostics.push(
        findings::CONTRADICTION
            .at(
                place,
                format!(
                    "{which} {} record of `{}` should be gone",
                    tombstone.record_type, tombstone.name
                ),
            )
            .and_at(record.spelling.place, "and is wanted here")
            .about(record_address(zone, record))
            .help(
                "remove one of the two, or give the `state: absent` the value that should be gone",
            ),
    );
}
