//! Reduces a history that fails to a smaller one that still fails.

use super::history::{History, Zone};

/// The limit for attempts.
const TRIES: usize = 300;

/// Returns the smallest history found that still fails.
pub(crate) fn shrink(history: &History, fails: impl Fn(&History) -> bool) -> History {
    let mut best = history.clone();
    let mut tries = 0;
    loop {
        let Some(next) = smaller(&best).into_iter().find(|candidate| {
            tries += 1;
            tries <= TRIES && fails(candidate)
        }) else {
            return best;
        };
        best = next;
    }
}

/// Histories with one part less, the larger parts first.
fn smaller(history: &History) -> Vec<History> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut History)| {
        let mut candidate = history.clone();
        change(&mut candidate);
        all.push(candidate);
    };
    if history.zones.len() > 1 {
        (0..history.zones.len()).for_each(|n| with(&|h| _ = h.zones.remove(n)));
    }
    (0..history.script.len()).for_each(|n| with(&|h| _ = h.script.remove(n)));
    (0..history.between.len()).for_each(|n| with(&|h| _ = h.between.remove(n)));
    if history.interrupt.is_some() {
        with(&|h| h.interrupt = None);
    }
    if history.call.is_saved {
        with(&|h| h.call.is_saved = false);
    }
    if history.call.has_base {
        with(&|h| h.call.has_base = false);
    }
    if history.service.joins_texts {
        with(&|h| h.service.joins_texts = false);
    }
    if history.service.is_old {
        with(&|h| h.service.is_old = false);
    }
    if history.service.is_unordered {
        with(&|h| h.service.is_unordered = false);
    }
    if history.service.page_limit != 5000 {
        with(&|h| h.service.page_limit = 5000);
    }
    if history.call.batch_size.is_some() {
        with(&|h| h.call.batch_size = None);
    }
    for n in 0..history.zones.len() {
        for less in less(&history.zones[n]) {
            with(&|h| h.zones[n] = less.clone());
        }
    }
    all
}

/// Returns zones with one part less.
fn less(zone: &Zone) -> Vec<Zone> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Zone)| {
        let mut candidate = zone.clone();
        change(&mut candidate);
        all.push(candidate);
    };
    if zone.protection.is_some() {
        with(&|z| z.protection = None);
    }
    if !zone.settings.is_empty() {
        with(&|z| z.settings.clear());
    }
    (0..zone.wanted.len()).for_each(|n| with(&|z| _ = z.wanted.remove(n)));
    (0..zone.existing.len()).for_each(|n| with(&|z| _ = z.existing.remove(n)));
    (0..zone.before.len()).for_each(|n| with(&|z| _ = z.before.remove(n)));
    (0..zone.gone.len()).for_each(|n| with(&|z| _ = z.gone.remove(n)));
    (0..zone.ignored.len()).for_each(|n| with(&|z| _ = z.ignored.remove(n)));
    all
}
