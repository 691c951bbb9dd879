//! Records that an apply deleted and created again, because Cloudflare refused their replacement.
//! Cloudflare gave them new ids, and an undo of the apply that created them needs these.

use std::collections::BTreeMap;
use std::io::{BufRead, Seek};

use super::effects::{JournalRun, NewIds, is_single_create};
use super::line::Intent;
use super::reader::{EventContent, JournalText, MOST_OPERATIONS};
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
        let Ok(mut events) = text.events() else { return false };
        loop {
            let content = match events.next() {
                Ok(Some(event)) => event.content,
                Ok(None) => return true,
                Err(_) => return false,
            };
            let EventContent::Sent(intent, fate, ids) = content else { continue };
            let Intent { zone_id, request, operations, .. } = *intent;
            if !is_single_create(&request) || fate.of_taking_back().is_none() {
                continue;
            }
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
