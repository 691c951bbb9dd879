//! The faults of a sandbox. Selects the fault for the next request.

use super::what_happens::What;
use super::which_requests::{Fault, When};

/// The faults of a sandbox with their counts.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// Each fault with its counts.
    faults: Vec<Counted>,
}

/// A fault and its counts.
#[derive(Debug)]
struct Counted {
    fault: Fault,
    /// Matching requests so far.
    requests: u64,
    /// Matching requests that the fault applied to.
    strikes: u64,
}

impl Script {
    /// Starts with all counts at 0.
    pub(crate) fn new(faults: Vec<Fault>) -> Self {
        let mut script = Self::default();
        faults.into_iter().for_each(|fault| script.push(fault));
        script
    }

    /// Adds a fault, which counts from now on.
    pub(crate) fn push(&mut self, fault: Fault) {
        self.faults.push(Counted { fault, requests: 0, strikes: 0 });
    }

    /// Removes all faults.
    pub(crate) fn clear(&mut self) {
        self.faults.clear();
    }

    /// Returns true if responses must be kept because a fault may repeat them.
    pub(crate) fn has_stale_reads(&self) -> bool {
        self.faults.iter().any(|counted| counted.fault.what == What::StaleRead)
    }

    /// Returns the fault for the next request; the first one if several apply.
    pub(crate) fn next(&mut self, method: &str, path: &str) -> Option<What> {
        let mut struck = None;
        for counted in &mut self.faults {
            if counted.strikes_next(method, path) && struck.is_none() {
                struck = Some(counted.fault.what.clone());
            }
        }
        struck
    }
}

impl Counted {
    /// Counts a request and returns true if the fault applies to it.
    fn strikes_next(&mut self, method: &str, path: &str) -> bool {
        let Fault { when, times, .. } = &self.fault;
        let is_meant = |wanted: &Option<String>, suffix: &String| {
            wanted.as_ref().is_none_or(|wanted| wanted == method) && path.ends_with(suffix.as_str())
        };
        let counts = match when {
            When::Request(_) => true,
            When::Matching { method, path_suffix, .. }
            | When::Chance { method, path_suffix, .. } => is_meant(method, path_suffix),
        };
        if !counts {
            return false;
        }
        self.requests += 1;
        let strikes = match when {
            When::Request(nth) | When::Matching { nth, .. } => {
                self.requests >= *nth && self.requests - *nth < *times
            }
            When::Chance { seed, per_mille, .. } => {
                self.strikes < *times && dice(*seed, self.requests) % 1000 < u64::from(*per_mille)
            }
        };
        self.strikes += u64::from(strikes);
        strikes
    }
}

/// Computes a pseudorandom number that depends only on the seed and the request's number
/// (splitmix64).
fn dice(seed: u64, number: u64) -> u64 {
    let mut mixed = seed.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_strike_the_requests_they_name() {
        let matching =
            When::Matching { method: Some("POST".into()), path_suffix: "/batch".into(), nth: 2 };
        let mut script = Script::new(vec![
            Fault { when: matching, what: What::ResetAfterEffect, times: 1 },
            Fault { when: When::Request(5), what: What::NotJson200, times: 2 },
        ]);
        let requests = [
            ("POST", "/z/batch", false),
            ("GET", "/z/batch", false),
            ("POST", "/z/batch", true),
            ("POST", "/z/batch", false),
            ("GET", "/z", true),
            ("GET", "/z", true),
            ("GET", "/z", false),
        ];
        for (n, (method, path, struck)) in requests.into_iter().enumerate() {
            assert_eq!(script.next(method, path).is_some(), struck, "request {}", n + 1);
        }
    }

    /// Returns the indices of the requests that fail, of 1,000 GET requests.
    fn struck(seed: u64, per_mille: u16, times: u64) -> Vec<usize> {
        let when = When::Chance {
            seed,
            per_mille,
            method: Some("GET".into()),
            path_suffix: String::new(),
        };
        let mut script = Script::new(vec![Fault { when, what: What::ResetBeforeEffect, times }]);
        (0..1000)
            .filter(|_| {
                assert!(script.next("POST", "/z").is_none());
                script.next("GET", "/z").is_some()
            })
            .collect()
    }

    #[test]
    fn chance_comes_from_the_seed_and_the_numbers() {
        let some = struck(7, 100, u64::MAX);
        assert!((60..140).contains(&some.len()), "{}", some.len());
        assert_eq!(some, struck(7, 100, u64::MAX));
        assert_ne!(some, struck(8, 100, u64::MAX));
        assert_eq!(struck(7, 100, 3), some[..3]);
        assert_eq!((struck(7, 0, 9).len(), struck(7, 1000, u64::MAX).len()), (0, 1000));
    }
}
