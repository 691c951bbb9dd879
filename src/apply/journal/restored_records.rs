//! Records that an apply deleted and created again, because Cloudflare refused their replacement.
//! Cloudflare gave them new ids, and an undo of the apply that created them needs these.

use std::collections::BTreeMap;
use std::io::{BufRead, Seek};

use super::effects::{JournalRun, NewIds, is_single_create};
use super::line::{AnyLine, Intent};
use super::reader::{Fate, JournalText, MOST_OPERATIONS, typed};
use crate::model::{RecordId, ZoneId};
use crate::plan::Action;
use crate::wire::keyword::Keyword;

/// The records that were deleted and created again, according to the journals.
#[derive(Debug, Default)]
pub struct RestoredRecords {
    by_zone: BTreeMap<ZoneId, NewIds>,
}

impl RestoredRecords {
    /// Adds a journal. Returns false if a part of it cannot be read.
    pub fn add<R: BufRead + Seek>(&mut self, mut text: JournalText<R>) -> bool {
        let outcomes = text.take_outcomes();
        let (count, _) = text.extent();
        let Ok(mut lines) = text.lines() else { return false };
        while lines.number < count {
            let Ok(Some(line)) = lines.next() else { return false };
            let Ok(AnyLine { event, .. }) = typed(&line) else { return false };
            if event != "intent" {
                continue;
            }
            let Ok(Intent { step, zone_id, request, operations, .. }) = typed(&line) else {
                return false;
            };
            let ending = outcomes.get(&step);
            let fate = ending.map_or(Fate::Unknown, |ending| ending.fate);
            if !is_single_create(&request) || fate.of_taking_back().is_none() {
                continue;
            }
            let ids = ending.map_or(&[][..], |ending| &ending.ids);
            let new_id = ids.first().filter(|id| !id.is_empty()).map(|id| RecordId(id.to_string()));
            for operation in
                operations.iter().filter(|operation| operation.action == Keyword(Action::Delete))
            {
                let new_ids = self.by_zone.entry(ZoneId(zone_id.clone())).or_default();
                if new_ids.len() < MOST_OPERATIONS {
                    new_ids.insert(RecordId(operation.id().to_owned()), new_id.clone());
                }
            }
        }
        true
    }
}

impl JournalRun {
    /// Adds to the zones of this journal the records that later applies deleted and created again.
    pub fn follow(&mut self, mut records: RestoredRecords) {
        for zone in self.zones.values_mut() {
            zone.new_ids = records.by_zone.remove(&zone.id).unwrap_or_default();
        }
    }
}
