//! The TTLs of record sets: the records of a name and type have one TTL (RFC 2181 section 5.2).
//!
//! # Sources
//! `named-compilezone` 9.18.49, tried 2026-11. Entries of one owner that follow each other are a run.
//! Within a run, the TTL of the first record of a type is that of the others ("TTL set to prior
//! TTL"). Of several runs with records of a type, the last one determines the TTL.
//!
//! - Owners that differ in case are different owners.
//! - An entry whose owner is a name server of the current run (glue) does not end the run. Entries of
//!   one such owner that follow each other are a run of their own, which ends first.
//! - `$GENERATE` does not end a run, and its records are in none. `$INCLUDE` ends all runs, at its
//!   beginning and at its end.

use std::collections::BTreeMap;

use super::spelled_name::SpelledName;
use crate::diagnostic::{Place, findings};
use crate::import::import_result::ImportResult;
use crate::model::{Fqdn, RecordType, ZoneName};

/// The TTLs of the record sets of a zone file.
#[derive(Debug, Default)]
pub(super) struct RecordSetTtls {
    sets: BTreeMap<(Fqdn, RecordType), SetTtl>,
    runs: Runs,
}

/// The runs of entries that have not ended.
#[derive(Debug, Default)]
pub(super) struct Runs {
    current: Option<Run>,
    /// The run of a name server of the current run.
    glue: Option<Run>,
}

/// Entries of one owner that follow each other.
#[derive(Debug)]
struct Run {
    owner: SpelledName,
    /// The TTL of each type.
    ttls: BTreeMap<String, Option<u32>>,
    /// The hosts of its NS records.
    name_servers: Vec<Fqdn>,
}

#[derive(Debug)]
struct SetTtl {
    /// TTL of the first record that was imported.
    first: Option<u32>,
    /// TTL of the last run that ended.
    last: Option<u32>,
    /// Places of the imported records, with their own TTLs.
    records: Vec<(Place, Option<u32>)>,
}

impl Run {
    fn of(owner: &SpelledName) -> Self {
        Self { owner: owner.clone(), ttls: BTreeMap::new(), name_servers: Vec::new() }
    }
}

impl RecordSetTtls {
    /// Enters the run of the next entry.
    pub(super) fn enter_owner(&mut self, owner: &SpelledName) {
        let is_of = |run: &Run| run.owner == *owner;
        if self.runs.glue.as_ref().is_some_and(is_of) {
            return;
        }
        if let Some(glue) = self.runs.glue.take() {
            self.end_run(glue);
        }
        match self.runs.current.take() {
            Some(current) if current.owner == *owner => self.runs.current = Some(current),
            Some(current) if current.name_servers.contains(&owner.name) => {
                self.runs = Runs { current: Some(current), glue: Some(Run::of(owner)) };
            }
            current => {
                current.into_iter().for_each(|run| self.end_run(run));
                self.runs.current = Some(Run::of(owner));
            }
        }
    }

    /// Adds a record to the run that was entered last; `name_server` is the host of an NS record.
    /// Returns the TTL of the record in its run.
    pub(super) fn add(
        &mut self,
        type_name: &str,
        ttl: Option<u32>,
        name_server: Option<Fqdn>,
    ) -> Option<u32> {
        let is_glue = self.runs.glue.is_some();
        let Some(run) = self.runs.glue.as_mut().or(self.runs.current.as_mut()) else { return ttl };
        run.name_servers.extend(name_server.filter(|_| !is_glue));
        *run.ttls.entry(type_name.to_owned()).or_insert(ttl)
    }

    /// Notes an imported record with its own TTL and that of its run. Returns the TTL that all
    /// records of the set have until [`Self::finish`].
    pub(super) fn note(
        &mut self,
        owner: &Fqdn,
        record_type: RecordType,
        place: Place,
        own: Option<u32>,
        in_run: Option<u32>,
    ) -> Option<u32> {
        let set = self.sets.entry((owner.clone(), record_type)).or_insert_with(|| SetTtl {
            first: in_run,
            last: in_run,
            records: Vec::new(),
        });
        set.records.push((place, own));
        set.first
    }

    /// Ends all runs.
    pub(super) fn end_runs(&mut self) {
        let Runs { current, glue } = std::mem::take(&mut self.runs);
        current.into_iter().chain(glue).for_each(|run| self.end_run(run));
    }

    fn end_run(&mut self, run: Run) {
        for (type_name, ttl) in run.ttls {
            let Some(record_type) = RecordType::parse(&type_name) else { continue };
            if let Some(set) = self.sets.get_mut(&(run.owner.name.clone(), record_type)) {
                set.last = ttl;
            }
        }
    }

    /// Sets the runs aside, for records that are in none of them.
    pub(super) fn suspend_runs(&mut self) -> Runs {
        std::mem::take(&mut self.runs)
    }

    /// Continues runs that were set aside, after the end of those since then.
    pub(super) fn resume_runs(&mut self, runs: Runs) {
        self.end_runs();
        self.runs = runs;
    }

    /// Gives the imported records the TTLs of their sets, with a note at each record that says
    /// another one.
    pub(super) fn finish(mut self, zone: &ZoneName, found: &mut ImportResult) {
        self.end_runs();
        let mut changed = BTreeMap::new();
        for ((owner, record_type), SetTtl { first, last, records }) in self.sets {
            let in_words = |ttl: Option<u32>| {
                ttl.map_or_else(|| "none".to_owned(), |seconds| seconds.to_string())
            };
            for (place, own) in records.iter().filter(|(_, own)| *own != last) {
                let why = format!(
                    "its TTL is that of the other {record_type} records of the name, {}, as in BIND, and not {}",
                    in_words(last),
                    in_words(*own)
                );
                let what = format!("{owner} {record_type}");
                found.report(findings::ONE_TTL, &what, *place, &why, None);
            }
            if first != last {
                changed.insert((owner, record_type), last);
            }
        }
        found.change_ttls(zone, &changed);
    }
}
