//! The rate of requests: stated by an author, or measured in a recording.
//!
//! # Sources
//! developers.cloudflare.com/waf/rate-limiting-rules/request-rate, read 2026-11-22: requests with
//! equal characteristics share a counter; a rule acts on requests above the rate, and then for its
//! mitigation timeout. Assumed: the counter is a sliding window, made of the current period and a
//! share of the previous one; each client is served by one data center, so `cf.colo.id` makes no
//! difference.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::model::expression::{Sample, SampleValue};
use crate::model::request::Rate;

/// The rate of a request.
#[derive(Debug)]
pub enum Pace<'c> {
    /// The rate is stated by an author.
    Stated(Rate),
    /// The request is sent at a moment in milliseconds since 1970, after the requests that were
    /// counted.
    At(i64, &'c mut Counters),
    /// The rate is unknown.
    Unknown,
}

/// Counters of the recorded requests, in the order of their time.
#[derive(Debug, Default)]
pub struct Counters {
    windows: HashMap<(usize, u64), Window>,
    /// The latest moment, in milliseconds.
    latest: i64,
    added: u64,
}

/// Maximum number of counters at a time; further clients are not counted.
const MOST_WINDOWS: usize = 200_000;
/// Number of requests after which old counters are removed.
const SWEEP: u64 = 1 << 16;

/// The counter of a client.
#[derive(Debug, Clone, Copy, Default)]
struct Window {
    /// The number of the period.
    period: i64,
    current: Counted,
    previous: Counted,
    /// The end of the action in milliseconds.
    acts_until: i64,
    /// The moment in milliseconds from which on the counter can be removed.
    ends: i64,
}

/// The number of requests that count, and of requests that may count.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    surely: u32,
    perhaps: u32,
}

/// The parameters of counting one request for a limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counting {
    pub(super) rule: usize,
    /// The client.
    pub(super) key: u64,
    /// The number of requests.
    pub(super) most: u64,
    /// The period in seconds.
    pub(super) period: u64,
    /// The duration of the action in seconds.
    pub(super) timeout: u64,
    /// True if the request counts; `None` if that is unknown.
    pub(super) counts: Option<bool>,
}

impl Counters {
    /// Counts a request. Returns true if it is above the limit, or the reason why that is unknown.
    pub(super) fn count(&mut self, now: i64, counting: Counting) -> Result<bool, String> {
        let Counting { rule, key, most, period, timeout, counts } = counting;
        self.added += 1;
        self.latest = self.latest.max(now);
        if self.added.is_multiple_of(SWEEP) {
            let latest = self.latest;
            self.windows.retain(|_, window| window.ends >= latest);
        }
        if self.windows.len() >= MOST_WINDOWS && !self.windows.contains_key(&(rule, key)) {
            return Err("rates of more clients than are counted at once".to_owned());
        }
        let millis = i64::try_from(period).unwrap_or(i64::MAX).saturating_mul(1000).max(1);
        let number = now.div_euclid(millis);
        let window = self.windows.entry((rule, key)).or_default();
        match number - window.period {
            0 => {}
            1 => (window.previous, window.current) = (window.current, Counted::default()),
            behind if behind < 0 && window.ends > 0 => {
                return Err("the order of the requests, which are not sorted by time".to_owned());
            }
            _ => (window.previous, window.current) = (Counted::default(), Counted::default()),
        }
        window.period = number;
        window.ends = window.acts_until.max((number + 2).saturating_mul(millis));
        match counts {
            Some(true) => window.current.surely += 1,
            None => window.current.perhaps += 1,
            Some(false) => {}
        }
        // The part of the previous period that is within one period before now.
        let overlap = millis - now.rem_euclid(millis);
        let share = |count: u32| i64::from(count).saturating_mul(overlap) / millis;
        let surely = i64::from(window.current.surely) + share(window.previous.surely);
        let perhaps = i64::from(window.current.perhaps) + share(window.previous.perhaps);
        let limit = i64::try_from(most).unwrap_or(i64::MAX);
        if surely > limit {
            window.acts_until =
                now.saturating_add(i64::try_from(timeout).unwrap_or(i64::MAX).saturating_mul(1000));
            window.ends = window.ends.max(window.acts_until);
            return Ok(true);
        }
        if now < window.acts_until {
            return Ok(true);
        }
        if surely + perhaps > limit {
            return Err("whether earlier requests count".to_owned());
        }
        Ok(false)
    }
}

/// Returns the key of a request for a limit, or the name of an unknown characteristic.
pub(super) fn counting_key(characteristics: &[String], sample: &Sample<'_>) -> Result<u64, String> {
    let mut hasher = DefaultHasher::new();
    for name in characteristics.iter().filter(|name| *name != "cf.colo.id") {
        let value = characteristic_value(name, sample).ok_or_else(|| name.clone())?;
        value.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Returns the value of a characteristic: a field, or a member of one such as
/// `http.request.headers["x-key"]`.
fn characteristic_value<'s>(name: &str, sample: &Sample<'s>) -> Option<SampleValue<'s>> {
    let (field, member) = match name.split_once("[\"") {
        Some((field, rest)) => (field, Some(rest.strip_suffix("\"]")?)),
        None => (name, None),
    };
    let value = sample.get(field)?;
    match (value, member) {
        (SampleValue::Unknown(_), _) => None,
        (value, None) => Some(value),
        (SampleValue::Map(map), Some(member)) => {
            let entry = map.iter().find(|(name, _)| name.eq_ignore_ascii_case(member.as_bytes()));
            Some(entry.map_or(SampleValue::Missing, |(_, value)| *value))
        }
        (_, Some(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(key: u64, counts: Option<bool>) -> Counting {
        Counting { rule: 0, key, most: 2, period: 10, timeout: 30, counts }
    }

    #[test]
    fn requests_above_the_rate_are_acted_on() {
        let mut counters = Counters::default();
        let mut count = |now, key| counters.count(now, counting(key, Some(true)));
        assert_eq!([count(0, 1), count(10, 1), count(20, 2)], [Ok(false), Ok(false), Ok(false)]);
        // The third request of the same client, and the requests within the timeout.
        assert_eq!(
            [count(30, 1), count(29_000, 1), count(70_000, 1)],
            [Ok(true), Ok(true), Ok(false)]
        );
        assert!(count(1_000, 1).is_err(), "it is before the others");
    }

    #[test]
    fn the_previous_period_counts_in_part() {
        let mut counters = Counters::default();
        let mut count =
            |now| counters.count(now, Counting { timeout: 0, ..counting(1, Some(true)) });
        assert_eq!([count(9_000), count(9_500)], [Ok(false), Ok(false)]);
        assert_eq!([count(10_500), count(18_000)], [Ok(false), Ok(false)]);
        assert_eq!(count(18_001), Ok(true));
    }

    #[test]
    fn what_may_count_makes_the_rate_unknown() {
        let mut counters = Counters::default();
        let mut count = |now, counts| counters.count(now, counting(1, counts));
        assert_eq!(
            [count(0, None), count(1, None), count(2, Some(false))],
            [Ok(false), Ok(false), Ok(false)]
        );
        assert!(count(3, None).is_err());
    }
}
