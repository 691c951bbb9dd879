//! Measures concurrency: connections, requests under way, and writes to one zone.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The numbers of connections and concurrent requests so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Number of connections.
    pub connections: u64,
    /// Largest number of concurrent requests.
    pub most_at_once: u64,
    /// Largest number of concurrent writes to any one zone.
    pub most_writes_to_a_zone: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counter(Mutex<ConcurrencyState>);

#[derive(Debug, Default)]
struct ConcurrencyState {
    seen: Traffic,
    now: u64,
    /// Current writes, by zone.
    writes: HashMap<String, u64>,
}

/// Counts a request as under way until it is dropped.
pub(super) struct UnderWay<'a> {
    counter: &'a Counter,
    /// The zone that the request writes to.
    zone: Option<String>,
}

impl Counter {
    pub(super) fn seen(&self) -> Traffic {
        self.with(|state| state.seen)
    }

    /// Counts a connection.
    pub(super) fn connection(&self) {
        self.with(|state| state.seen.connections += 1);
    }

    /// Counts a request, by its path without the base path.
    pub(super) fn request(&self, is_write: bool, path: &str) -> UnderWay<'_> {
        let zone = path.strip_prefix("/zones/").and_then(|rest| rest.split(['/', '?']).next());
        let zone = zone.filter(|_| is_write).map(str::to_owned);
        self.with(|state| {
            state.now += 1;
            state.seen.most_at_once = state.seen.most_at_once.max(state.now);
            if let Some(zone) = &zone {
                let writes = state.writes.entry(zone.clone()).or_default();
                *writes += 1;
                state.seen.most_writes_to_a_zone = state.seen.most_writes_to_a_zone.max(*writes);
            }
        });
        UnderWay { counter: self, zone }
    }

    /// Accesses the counters, each of which is complete by itself.
    fn with<T>(&self, work: impl FnOnce(&mut ConcurrencyState) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let zone = self.zone.take();
        self.counter.with(|state| {
            state.now -= 1;
            if let Some(zone) = zone
                && let Some(writes) = state.writes.get_mut(&zone)
            {
                *writes -= 1;
                if *writes == 0 {
                    state.writes.remove(&zone);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_at_once_is_counted() {
        let counter = Counter::default();
        let one = counter.request(true, "/zones/a/dns_records?x=1");
        let two = counter.request(true, "/zones/b/dns_records");
        drop(one);
        let again = counter.request(true, "/zones/a/rulesets");
        let read = counter.request(false, "/zones/a");
        drop((two, again, read));
        assert_eq!(
            counter.seen(),
            Traffic { connections: 0, most_at_once: 3, most_writes_to_a_zone: 1 }
        );
        let _both = (counter.request(true, "/zones/a"), counter.request(true, "/zones/a/x"));
        assert_eq!(counter.seen().most_writes_to_a_zone, 2);
    }
}
