//! The TTLs of record sets: the records of a name and type have one TTL (RFC 2181 section 5.2).
//!
//! # Sources
//! `named-compilezone` 9.18.49, tried 2026-11: among entries of one owner that follow each other, the
//! TTL of the first record of a type is that of the others ("TTL set to prior TTL"). If the owner
//! comes back after another one, the TTL of the later entries is that of all.

use std::collections::BTreeMap;

use crate::diagnostic::{Place, findings};
use crate::import::import_result::ImportResult;
use crate::model::{Fqdn, RecordType, ZoneName};

/// The TTLs of the record sets of a zone file.
#[derive(Debug, Default)]
pub(super) struct RecordSetTtls {
    sets: BTreeMap<(Fqdn, RecordType), SetTtl>,
    /// Number of runs of entries with one owner.
    run: usize,
    /// Owner of the last entry.
    owner: Option<Fqdn>,
}

#[derive(Debug)]
struct SetTtl {
    /// TTL of the first record of the file.
    first: Option<u32>,
    /// TTL of the set, as far as the file was read.
    current: Option<u32>,
    /// Run of the last record.
    run: usize,
    /// Places of the records, with their own TTLs.
    records: Vec<(Place, Option<u32>)>,
}

impl RecordSetTtls {
    /// Notes the owner of the next entry.
    pub(super) fn enter_owner(&mut self, owner: &Fqdn) {
        if self.owner.as_ref() != Some(owner) {
            self.owner = Some(owner.clone());
            self.run += 1;
        }
    }

    /// Ends the run of entries with one owner.
    pub(super) fn end_run(&mut self) {
        self.owner = None;
    }

    /// Adds a record of the last owner. Returns the TTL of the first record of the set, which the
    /// records have until [`Self::finish`].
    pub(super) fn add(
        &mut self,
        owner: &Fqdn,
        record_type: RecordType,
        place: Place,
        ttl: Option<u32>,
    ) -> Option<u32> {
        let run = self.run;
        let set = self.sets.entry((owner.clone(), record_type)).or_insert_with(|| SetTtl {
            first: ttl,
            current: ttl,
            run,
            records: Vec::new(),
        });
        if set.run != run {
            (set.run, set.current) = (run, ttl);
        }
        set.records.push((place, ttl));
        set.first
    }

    /// Gives the imported records the TTLs of their sets, with a note at each record that says
    /// another one.
    pub(super) fn finish(self, zone: &ZoneName, found: &mut ImportResult) {
        let mut changed = BTreeMap::new();
        for ((owner, record_type), SetTtl { first, current, records, .. }) in self.sets {
            let in_words = |ttl: Option<u32>| {
                ttl.map_or_else(|| "none".to_owned(), |seconds| seconds.to_string())
            };
            for (place, own) in records.iter().filter(|(_, own)| *own != current) {
                let why = format!(
                    "its TTL is that of the other {record_type} records of the name, {}, as in BIND, and not {}",
                    in_words(current),
                    in_words(*own)
                );
                let what = format!("{owner} {record_type}");
                found.report(findings::ONE_TTL, &what, *place, &why, None);
            }
            if first != current {
                changed.insert((owner, record_type), current);
            }
        }
        found.change_ttls(zone, &changed);
    }
}
