//! Events of zones that are applied at the same time, reported in the order of the plan.
//!
//! Events of the first unfinished zone are reported immediately. Events of later zones are kept
//! until all earlier zones are finished.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::event::{ApplyEvent, Observer};

/// Shows the events of all zones in the order of the plan.
pub(super) struct OrderedEvents<'o> {
    observer: &'o dyn Observer,
    state: Mutex<CurrentZone>,
}

/// The current zone, and the events of later ones.
#[derive(Default)]
struct CurrentZone {
    /// The number of the zone whose events are reported immediately.
    now: usize,
    /// Events of later zones; true if the zone is finished.
    kept: BTreeMap<usize, (Vec<ApplyEvent>, bool)>,
}

/// Receives the events of one zone. Dropping it finishes the zone.
pub(super) struct ZoneEvents<'e, 'o> {
    all: &'e OrderedEvents<'o>,
    number: usize,
}

impl<'o> OrderedEvents<'o> {
    /// Begins with the first zone.
    pub(super) fn new(observer: &'o dyn Observer) -> Self {
        Self { observer, state: Mutex::default() }
    }

    /// Returns the receiver for the zone with this number, from 0. Each number is used once, and
    /// without gaps.
    pub(super) fn of(&self, number: usize) -> ZoneEvents<'_, 'o> {
        ZoneEvents { all: self, number }
    }
}

impl Observer for ZoneEvents<'_, '_> {
    fn event(&self, event: &ApplyEvent) {
        self.all.observer.now(event);
        let mut state = self.all.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.now == self.number {
            self.all.observer.event(event);
        } else {
            state.kept.entry(self.number).or_default().0.push(event.clone());
        }
    }
}

impl Drop for ZoneEvents<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.all.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.kept.entry(self.number).or_default().1 = true;
        while state.kept.get(&state.now).is_some_and(|(_, is_all)| *is_all) {
            let number = state.now;
            state.kept.remove(&number);
            state.now += 1;
            let next_number = state.now;
            let kept = state.kept.get_mut(&next_number).map(|(events, _)| std::mem::take(events));
            kept.iter().flatten().for_each(|event| self.all.observer.event(event));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ZoneName;

    /// Returns an event that carries a number.
    fn event(zone: &str, operations: usize) -> ApplyEvent {
        ApplyEvent::Done { zone: ZoneName::reported(zone), operations }
    }

    #[test]
    fn zones_are_told_in_their_order() {
        let told = Mutex::new(Vec::new());
        let observer = |event: &ApplyEvent| told.lock().unwrap().push(event.clone());
        let events = OrderedEvents::new(&observer);
        let (one, two, three) = (events.of(0), events.of(1), events.of(2));
        three.event(&event("c.example", 1));
        one.event(&event("a.example", 1));
        two.event(&event("b.example", 1));
        assert_eq!(*told.lock().unwrap(), [event("a.example", 1)], "the first is told as it goes");
        drop(three);
        two.event(&event("b.example", 2));
        one.event(&event("a.example", 2));
        drop(one);
        two.event(&event("b.example", 3));
        drop(two);
        let expected: Vec<_> = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("b", 3), ("c", 1)]
            .map(|(z, n)| event(&format!("{z}.example"), n))
            .into();
        assert_eq!(*told.lock().unwrap(), expected);
    }
}
