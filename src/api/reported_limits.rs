//! Limits that Cloudflare reported, and their consequences for the next request.
//!
//! Cloudflare chooses the name of a limit. Some limits are for all calls, some for one operation.
//! So a name applies to the kinds under which it was seen, and `default` applies to all. Between
//! two reports, the limit is counted down locally. A report can only lower the count within one
//! window, because responses arrive out of order and some requests are still running.
//!
//! Other clients share the quota (the dashboard, another pipeline). If a report is lower than the
//! local count, they used the difference. A margin of the size of their largest step is then left
//! unused, so that they do not exceed the limit between two reports. The requests that they will
//! need until the reset are reserved for them too ([`SharedQuota`]). While the client waits for the
//! reset, an occasional request checks whether they still use the reserve.
//!
//! # Sources
//! developers.cloudflare.com/fundamentals/api/reference/limits, read 2026-11-20.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::Instant;

use super::limit_headers::Limits;
use super::request_kind::RequestKind;
use super::retry::LONGEST_WAIT;
use super::shared_quota::{PROBE, SharedQuota};
use crate::wire::{Method, Request};

/// Name of the limit for all calls.
const FOR_ALL: &str = "default";

/// Tolerance between two reports of one reset: the seconds are whole, and the transfer takes time.
const SAME_RESET: Duration = Duration::from_secs(2);

/// Largest margin that is left unused because of other clients: our own choice, a few seconds of
/// their requests.
const LARGEST_MARGIN: u64 = 50;

/// Maximum number of names that are kept; Cloudflare uses a few.
const MOST_NAMES: usize = 64;

/// All limits that were reported.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// Limits by name.
    limits: BTreeMap<String, Limit>,
    /// Names of the limits seen under each kind of request.
    names: BTreeMap<RequestKind, BTreeSet<String>>,
}

/// Reason why a request must wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Obstacle {
    /// Time of the next check.
    pub(super) retry_at: Instant,
    /// Latest possible end of the wait.
    pub(super) until: Instant,
    /// True if the quota is reserved for other clients.
    pub(super) is_for_others: bool,
}

#[derive(Debug, Default)]
struct Limit {
    /// Requests that may still be sent, and the end of this window. `None` if unknown.
    remaining: Option<(u64, Instant)>,
    /// Quota and window, if Cloudflare reported them.
    policy: Option<(u64, Duration)>,
    /// Largest number of requests by others between two reports, beyond the expected number.
    bite: u64,
    /// Estimated use by other clients.
    others: Option<SharedQuota>,
    /// Time of Cloudflare's last report.
    reported: Option<Instant>,
    /// Time of the last request.
    sent: Option<Instant>,
}

impl Reports {
    /// Applies the headers of a response to a request of this kind. `in_flight` is the number of
    /// other running requests.
    pub(super) fn note(
        &mut self,
        kind: &RequestKind,
        limits: &Limits,
        in_flight: u64,
        now: Instant,
    ) {
        for policy in &limits.policies {
            if let Some(limit) = self.bind(kind, &policy.name) {
                limit.policy = Some((policy.quota, policy.window.min(LONGEST_WAIT)));
            }
        }
        for item in &limits.remaining {
            if let Some(limit) = self.bind(kind, &item.name) {
                // For a longer reset, trying and receiving 429 is better than waiting because of a
                // header.
                limit.note(item.requests, now + item.reset.min(LONGEST_WAIT), in_flight, now);
            }
        }
    }

    /// Returns the limit with this name and applies it to the kind from now on. `None` if there are
    /// too many names.
    fn bind(&mut self, kind: &RequestKind, name: &str) -> Option<&mut Limit> {
        if self.limits.len() >= MOST_NAMES && !self.limits.contains_key(name) {
            return None;
        }
        self.names.entry(kind.clone()).or_default().insert(name.to_owned());
        Some(self.limits.entry(name.to_owned()).or_default())
    }

    /// Returns the reason why a request of this kind must wait now.
    pub(super) fn wait(&mut self, kind: &RequestKind, now: Instant) -> Option<Obstacle> {
        self.binding(kind).filter_map(|limit| limit.wait(now)).max()
    }

    /// Returns the number of requests that the limit for all calls allows now. `None` if it was not
    /// reported.
    pub(super) fn free_requests(&self, now: Instant) -> Option<u64> {
        let limit = self.limits.get(FOR_ALL)?;
        let (remaining, until) = limit.remaining.filter(|(_, until)| *until > now)?;
        Some(remaining.saturating_sub(limit.margin() + limit.claim(until, now)))
    }

    /// Counts a request of this kind.
    pub(super) fn take(&mut self, kind: &RequestKind, now: Instant) {
        for limit in self.binding(kind) {
            limit.sent = Some(now);
            if let Some(others) = &mut limit.others {
                others.count_ours();
            }
            if let Some((remaining, _)) = &mut limit.remaining {
                *remaining = remaining.saturating_sub(1);
            }
        }
    }

    /// Returns the limits that apply to a kind.
    fn binding(&mut self, kind: &RequestKind) -> impl Iterator<Item = &mut Limit> {
        let names = self.names.get(kind);
        let binds =
            move |name: &String| name == FOR_ALL || names.is_some_and(|names| names.contains(name));
        self.limits.iter_mut().filter(move |(name, _)| binds(name)).map(|(_, limit)| limit)
    }
}

impl Limit {
    /// Applies a report.
    fn note(&mut self, reported: u64, reset: Instant, in_flight: u64, now: Instant) {
        // It is unknown whether running requests were counted; the safe assumption is that they
        // were not.
        let ours = reported.saturating_sub(in_flight);
        match self.remaining {
            Some((counted, until)) if now < until && apart(until, reset) <= SAME_RESET => {
                let foreign_use = self
                    .others
                    .get_or_insert_with(|| SharedQuota::begin(reported, in_flight, now, None));
                let silence = self.reported.map_or(Duration::ZERO, |last| now - last);
                let surprise = counted
                    .saturating_sub(reported)
                    .saturating_sub(foreign_use.expected(silence, now) as u64);
                self.bite = self.bite.max(surprise);
                foreign_use.note(reported, now);
                // Only an exhausted limit moves the reset: a reset that moved with each report
                // would never arrive.
                let until = if reported == 0 { until.max(reset) } else { until };
                self.remaining = Some((counted.min(ours), until));
            }
            _ => {
                self.remaining = Some((ours, reset));
                self.others =
                    Some(SharedQuota::begin(reported, in_flight, now, self.others.as_ref()));
            }
        }
        self.reported = Some(now);
    }

    /// Returns the reason why a request must wait now.
    fn wait(&mut self, now: Instant) -> Option<Obstacle> {
        if self.remaining.is_some_and(|(_, until)| until <= now) {
            self.remaining = self.policy.map(|(quota, window)| (quota, now + window));
            let quota = self.remaining.map_or(0, |(quota, _)| quota);
            self.others = Some(SharedQuota::begin(quota, 0, now, self.others.as_ref()));
            self.reported = None;
        }
        let (remaining, until) = self.remaining?;
        if remaining <= self.margin() {
            return Some(Obstacle { retry_at: until, until, is_for_others: false });
        }
        if remaining > self.claim(until, now) {
            return None;
        }
        let retry_at = self.sent.map_or(now, |sent| sent + PROBE).min(until);
        (retry_at > now).then_some(Obstacle { retry_at, until, is_for_others: true })
    }

    /// Returns the number of requests that are always left unused.
    fn margin(&self) -> u64 {
        let largest =
            self.policy.map_or(LARGEST_MARGIN, |(quota, _)| LARGEST_MARGIN.min(quota / 20));
        self.bite.min(largest)
    }

    /// Returns the number of requests that the last report reserves for others until the reset.
    /// Between two reports, their expected use is subtracted.
    fn claim(&self, until: Instant, now: Instant) -> u64 {
        match (&self.others, self.policy) {
            (Some(others), Some((quota, _))) => {
                others.claim(quota, until, self.reported.unwrap_or(now))
            }
            _ => 0,
        }
    }
}

/// Returns the absolute difference of two times.
fn apart(a: Instant, b: Instant) -> Duration {
    a.max(b) - a.min(b)
}

/// Returns the longest waits that headers cause: the requested wait, and the wait for the next
/// request.
///
/// Public only for the fuzz target of these headers.
#[doc(hidden)]
#[must_use]
pub fn waits_for(headers: &[(&str, &str)], clock: SystemTime) -> Vec<Duration> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value))
        {
            map.append(name, value);
        }
    }
    let limits = Limits::read(&map, clock);
    let (mut reports, kind, now) =
        (Reports::default(), RequestKind::of(&Request::new(Method::Get, "/zones")), Instant::now());
    let mut waits: Vec<Duration> = limits.retry_after.into_iter().chain(limits.reset()).collect();
    for _ in 0..2 {
        reports.note(&kind, &limits, 1, now);
        reports.take(&kind, now);
        waits.extend(reports.wait(&kind, now).map(|obstacle| obstacle.until - now));
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::super::limit_headers::{LimitPolicy, Remaining};
    use super::*;

    fn kind(resource: &str) -> RequestKind {
        RequestKind { read: true, resource: resource.to_owned() }
    }

    fn report(name: &str, requests: u64, reset: u64) -> Limits {
        let reset = Duration::from_secs(reset);
        Limits {
            remaining: vec![Remaining { name: name.to_owned(), requests, reset }],
            ..Limits::default()
        }
    }

    /// Returns the latest time until which a request must wait.
    fn until(reports: &mut Reports, kind: &RequestKind, now: Instant) -> Option<Instant> {
        reports.wait(kind, now).map(|obstacle| obstacle.until)
    }

    #[test]
    fn an_exhausted_limit_holds_until_its_reset() {
        let (mut reports, now, zones) = (Reports::default(), Instant::now(), kind("zones"));
        assert_eq!(reports.wait(&zones, now), None);
        reports.note(&zones, &report("default", 0, 30), 0, now);
        let reset = now + Duration::from_secs(30);
        assert_eq!(until(&mut reports, &zones, now), Some(reset));
        assert_eq!(
            until(&mut reports, &kind("zones/dns_records"), now),
            Some(reset),
            "`default` binds all"
        );
        assert_eq!(reports.wait(&zones, reset), None);
    }

    #[test]
    fn other_names_bind_only_where_they_were_seen() {
        let (mut reports, now) = (Reports::default(), Instant::now());
        reports.note(&kind("zones"), &report("list_zones", 0, 30), 0, now);
        assert!(reports.wait(&kind("zones"), now).is_some());
        assert!(reports.wait(&kind("zones/dns_records"), now).is_none());
    }

    #[test]
    fn between_reports_we_count_ourselves() {
        let (mut reports, now, zones) = (Reports::default(), Instant::now(), kind("zones"));
        reports.note(&zones, &report("default", 3, 30), 1, now);
        for _ in 0..2 {
            assert_eq!(reports.wait(&zones, now), None);
            reports.take(&zones, now);
        }
        assert!(reports.wait(&zones, now).is_some());
        reports.note(&zones, &report("default", 3, 30), 0, now);
        assert!(reports.wait(&zones, now).is_some(), "a late report does not raise the count");
        reports.note(&zones, &report("default", 1200, 300), 0, now);
        assert!(reports.wait(&zones, now).is_none(), "another window does");
    }

    #[test]
    fn the_quota_counts_after_the_reset() {
        let (mut reports, now, zones) = (Reports::default(), Instant::now(), kind("zones"));
        let window = Duration::from_secs(60);
        let mut limits = report("default", 0, 10);
        limits.policies.push(LimitPolicy { name: "default".to_owned(), quota: 1, window });
        reports.note(&zones, &limits, 0, now);
        let reset = now + Duration::from_secs(10);
        assert_eq!(reports.wait(&zones, reset), None);
        reports.take(&zones, now);
        assert_eq!(until(&mut reports, &zones, reset), Some(reset + window));
    }

    #[test]
    fn absurd_headers_do_not_stop_the_work() {
        let (mut reports, now, zones) = (Reports::default(), Instant::now(), kind("zones"));
        for number in 0..1000 {
            reports.note(&zones, &report(&number.to_string(), 9, 30), 0, now);
        }
        assert_eq!(reports.limits.len(), MOST_NAMES);
        reports.note(&zones, &report("0", 0, 10_000_000), 0, now + Duration::from_secs(60));
        let later = now + Duration::from_secs(60);
        assert_eq!(until(&mut reports, &zones, later), Some(later + LONGEST_WAIT));
    }

    #[test]
    fn what_others_take_becomes_a_margin() {
        let (mut reports, now, zones) = (Reports::default(), Instant::now(), kind("zones"));
        reports.note(&zones, &report("default", 20, 30), 0, now);
        reports.take(&zones, now);
        reports.note(&zones, &report("default", 14, 30), 0, now);
        assert_eq!(reports.wait(&zones, now), None);
        reports.note(&zones, &report("default", 5, 30), 0, now);
        assert!(
            reports.wait(&zones, now).is_some(),
            "others took nine at once, so five are not safe"
        );
    }
}
