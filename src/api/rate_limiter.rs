//! The rate limiter. All clones of a client share it, so that a run never exceeds Cloudflare's
//! limit by itself.
//!
//! | rule | reason |
//! |---|---|
//! | Cloudflare's reports ([`Reports`]) decide | they include requests of other clients that share
//! the quota |
//! | without reports: a bucket of 1,000, refilled by 4 a second | a run starts fast and then continues at Cloudflare's rate |
//! | without reports: at most 1,200 in any 300 seconds, the last 200 spread over the rest of the
//! window | bucket and refill together would allow more; after an excess Cloudflare blocks *all*
//! calls for 5 minutes; no run seems to hang for minutes |
//! | at most 200 a second, or what the user sets | the limit of one IP address |
//! | a pause that Cloudflare requests | it applies to all calls, not only to the refused one |
//!
//! A request counts from the moment it may be sent until 300 seconds after its response, because
//! only Cloudflare knows when it counted the request. All times are those of `tokio::time`. Each
//! wait is announced before it begins.
//!
//! # Sources
//! developers.cloudflare.com/fundamentals/api/reference/limits, read 2026-11-20.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::limit_headers::Limits;
use super::reported_limits::Reports;
use super::request_kind::RequestKind;
use super::{ApiEvent, Observer, Stop, WaitReason};

/// Requests in a window, for all clients of a user together.
pub const QUOTA: usize = 1200;

/// Length of the window, in seconds.
pub(super) const WINDOW_SECONDS: u64 = 300;

const WINDOW: Duration = Duration::from_secs(WINDOW_SECONDS);

/// Requests that an idle client may send at once.
pub(super) const BURST: usize = 1000;

/// Requests added to the bucket per second.
pub(super) const REFILL: usize = 4;

/// Requests per second from one IP address.
const PER_SECOND: f64 = 200.0;

/// Waits below this length are not announced, because no one would notice them.
const UNNOTICED: Duration = Duration::from_millis(100);

/// Longest wait after the user asked to stop. A request that completes something, such as reading
/// the result of a lost response, must not fail because of the pause between two requests.
const LAST_WAIT: Duration = Duration::from_secs(1);

pub(super) struct Limiter {
    state: Mutex<LimiterState>,
    /// One queue for each kind of request, in order of arrival, so that an exhausted limit of one
    /// kind does not block the others.
    queues: Mutex<BTreeMap<RequestKind, Arc<tokio::sync::Mutex<()>>>>,
    /// Tells whether the user asked to stop.
    stop: Stop,
    /// Receives the announcements of waits.
    observer: Observer,
}

struct LimiterState {
    /// Requests in a window.
    quota: u64,
    /// Requests in the bucket.
    tokens: f64,
    /// Time of the last refill.
    refilled: Instant,
    /// Response times of the requests in the window, in order.
    answered: VecDeque<Instant>,
    /// Concurrent requests, by kind.
    in_flight: BTreeMap<RequestKind, u64>,
    /// Minimum time between two requests.
    interval: Duration,
    /// Earliest time of the next request according to `interval`.
    next: Instant,
    /// Time of the last request.
    sent: Instant,
    /// No request is sent before this time.
    pause: Instant,
    /// Limits that Cloudflare reported.
    reports: Reports,
    /// End of the latest announced wait, so that several waits for the same reason are announced
    /// once.
    announced: Instant,
}

struct Wait {
    reason: WaitReason,
    /// Time of the next check.
    retry_at: Instant,
    /// Latest possible end of the wait.
    until: Instant,
}

impl Wait {
    /// Creates a wait until a known time.
    fn until(reason: WaitReason, until: Instant) -> Self {
        Self { reason, retry_at: until, until }
    }
}

/// Permission to send one request. The request counts as running until this is dropped.
pub(super) struct Permit<'a> {
    /// Limiter that issued the permission.
    limiter: &'a Limiter,
    kind: RequestKind,
}

impl Limiter {
    /// Creates a limiter with its full quota, in requests per window. `max_rps` is the maximum
    /// number of requests per second.
    pub(super) fn new(quota: usize, max_rps: Option<f64>, stop: Stop, observer: Observer) -> Self {
        let now = Instant::now();
        let state = LimiterState {
            quota: quota as u64,
            tokens: burst(quota as u64) as f64,
            refilled: now,
            answered: VecDeque::new(),
            in_flight: BTreeMap::new(),
            interval: Duration::from_secs_f64(max_rps.unwrap_or(PER_SECOND).recip()),
            next: now,
            sent: now,
            pause: now,
            reports: Reports::default(),
            announced: now,
        };
        Self { state: Mutex::new(state), queues: Mutex::default(), stop, observer }
    }

    /// Waits until a request of this kind may be sent, and counts it. After the user asked to stop,
    /// returns `None` if the request cannot be sent soon.
    pub(super) async fn acquire(&self, kind: &RequestKind) -> Option<Permit<'_>> {
        let queue = lock_counts(&self.queues).entry(kind.clone()).or_default().clone();
        let _turn = queue.lock().await;
        loop {
            let Some((wait, news)) = self.take(kind) else {
                return Some(Permit { limiter: self, kind: kind.clone() });
            };
            if self.stop.is_asked() {
                if wait.retry_at > Instant::now() + LAST_WAIT {
                    return None;
                }
                sleep_until(wait.retry_at).await;
                continue;
            }
            if let Some(duration) = news {
                (self.observer)(&ApiEvent::Waiting { reason: wait.reason, duration });
            }
            tokio::select! {
                biased;
                () = self.stop.asked(1) => {}
                () = sleep_until(wait.retry_at) => {}
            }
        }
    }

    /// Takes a request from the quota. Otherwise returns the wait, and its length if it was not
    /// announced yet.
    fn take(&self, kind: &RequestKind) -> Option<(Wait, Option<Duration>)> {
        let now = Instant::now();
        let mut state = lock_counts(&self.state);
        let Some(wait) = state.obstacle(kind, self.stop.is_asked(), now) else {
            state.take(kind, now);
            return None;
        };
        let duration = wait.until - now;
        // While requests are spread, the end of the window moves with each request.
        let is_announced = if wait.reason == WaitReason::Spread {
            state.announced > now
        } else {
            wait.until <= state.announced
        };
        let news = duration >= UNNOTICED && !is_announced;
        if news {
            state.announced = wait.until;
        }
        Some((wait, news.then_some(duration)))
    }

    /// Returns the number of requests that can be sent now, apart from the pause between two
    /// requests.
    pub(super) fn free_requests(&self) -> usize {
        let now = Instant::now();
        let mut state = lock_counts(&self.state);
        state.refresh(now);
        if state.pause > now {
            return 0;
        }
        let own_budget =
            || burst(state.quota).saturating_sub(state.counted()).min(state.tokens.max(0.0) as u64);
        usize::try_from(state.reports.free_requests(now).unwrap_or_else(own_budget))
            .unwrap_or(usize::MAX)
    }

    /// Sends no requests for this duration.
    pub(super) fn pause(&self, duration: Duration) {
        let mut state = lock_counts(&self.state);
        state.pause = state.pause.max(Instant::now() + duration);
    }
}

impl LimiterState {
    /// Returns the reason why no request can be sent now, and its end. After a request to stop, the
    /// remaining requests are not spread.
    fn obstacle(&mut self, kind: &RequestKind, is_stopping: bool, now: Instant) -> Option<Wait> {
        if self.pause > now {
            return Some(Wait::until(WaitReason::RetryAfter, self.pause));
        }
        self.refresh(now);
        let mut until = self.next;
        let reported = self.reports.wait(kind, now);
        if self.reports.free_requests(now).is_none() {
            if let Some(wait) =
                self.spread(now).filter(|wait| wait.retry_at > until && !is_stopping)
            {
                return Some(wait);
            }
            if self.tokens < 1.0 {
                until =
                    until.max(now + Duration::from_secs_f64((1.0 - self.tokens) / self.refill()));
            }
            if self.counted() >= self.quota {
                // If the whole quota is in use, some of its requests will be answered soon.
                until = until.max(
                    self.answered
                        .front()
                        .map_or(now + Duration::from_secs(1), |first| *first + WINDOW),
                );
            }
        }
        if let Some(reported) = reported.filter(|reported| reported.retry_at > until) {
            let reason =
                if reported.is_for_others { WaitReason::SharedQuota } else { WaitReason::Budget };
            return Some(Wait { reason, retry_at: reported.retry_at, until: reported.until });
        }
        (until > now).then_some(Wait::until(WaitReason::Budget, until))
    }

    /// Returns the wait for the next request after the burst. The remaining requests are spread
    /// until the first request leaves the window.
    fn spread(&self, now: Instant) -> Option<Wait> {
        let (counted, first) = (self.counted(), self.answered.front()?);
        let free_requests = self
            .quota
            .checked_sub(counted)
            .filter(|left| *left > 0 && counted >= burst(self.quota))?;
        let retry_at = self.sent
            + (*first + WINDOW).saturating_duration_since(self.sent).div_f64(free_requests as f64);
        // Spreading ends when enough requests left the window for another burst.
        let last = usize::try_from(counted - burst(self.quota))
            .ok()
            .and_then(|n| self.answered.get(n))
            .unwrap_or(first);
        (retry_at > now).then_some(Wait {
            reason: WaitReason::Spread,
            retry_at,
            until: *last + WINDOW,
        })
    }

    /// Returns the number of requests that count in the window.
    fn counted(&self) -> u64 {
        self.answered.len() as u64 + self.in_flight.values().sum::<u64>()
    }

    /// Returns the number of requests added to the bucket per second.
    fn refill(&self) -> f64 {
        self.quota as f64 / WINDOW.as_secs_f64()
    }

    /// Updates the counts to this time.
    fn refresh(&mut self, now: Instant) {
        let refilled = self.tokens + (now - self.refilled).as_secs_f64() * self.refill();
        self.tokens = refilled.min(burst(self.quota) as f64);
        self.refilled = now;
        while self.answered.front().is_some_and(|answered| *answered + WINDOW <= now) {
            self.answered.pop_front();
        }
    }

    /// Counts a request.
    fn take(&mut self, kind: &RequestKind, now: Instant) {
        // The bucket may be empty if reports decide.
        self.tokens = (self.tokens - 1.0).max(0.0);
        self.next = now + self.interval;
        self.sent = now;
        self.reports.take(kind, now);
        *self.in_flight.entry(kind.clone()).or_default() += 1;
    }
}

impl Permit<'_> {
    /// Applies the headers of a response.
    pub(super) fn note(&self, limits: &Limits) {
        let mut state = lock_counts(&self.limiter.state);
        let in_flight: u64 = state.in_flight.values().sum();
        state.reports.note(&self.kind, limits, in_flight.saturating_sub(1), Instant::now());
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = lock_counts(&self.limiter.state);
        if let Some(count) = state.in_flight.get_mut(&self.kind) {
            *count = count.saturating_sub(1);
        }
        state.answered.push_back(Instant::now());
    }
}

/// Returns the number of requests of a quota that an idle client may send at once.
fn burst(quota: u64) -> u64 {
    (quota * BURST as u64 / QUOTA as u64).max(1)
}

/// Describes Cloudflare's quota.
pub(super) fn quota_in_words() -> String {
    format!("{},{:03} requests in {} minutes", QUOTA / 1000, QUOTA % 1000, WINDOW_SECONDS / 60)
}

/// Locks the counts. They are still good enough after a panic elsewhere.
fn lock_counts<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::limit_headers::{LimitPolicy, Remaining};
    use super::*;

    /// A server that counts in a sliding window, the strictest kind.
    struct Service {
        /// Requests in a window.
        quota: usize,
        /// Arrival times of the requests in the window.
        came: VecDeque<Instant>,
    }

    impl Service {
        /// Counts a request and returns whether it was within the limit.
        fn count(&mut self) -> bool {
            let now = Instant::now();
            while self.came.front().is_some_and(|came| *came + WINDOW <= now) {
                self.came.pop_front();
            }
            self.came.push_back(now);
            self.came.len() <= self.quota
        }

        /// Returns the headers of the server.
        fn limits(&self) -> Limits {
            let reset = self.came.front().map_or(WINDOW, |came| *came + WINDOW - Instant::now());
            let reset = Duration::from_secs(reset.as_secs_f64().ceil() as u64);
            let requests = (self.quota - self.came.len()) as u64;
            let name = "default".to_owned();
            Limits {
                remaining: vec![Remaining { name: name.clone(), requests, reset }],
                policies: vec![LimitPolicy { name, quota: self.quota as u64, window: WINDOW }],
                ..Limits::default()
            }
        }
    }

    fn kind() -> RequestKind {
        RequestKind { read: true, resource: "zones".to_owned() }
    }

    /// Announced waits with the times of their announcements.
    type Waits = Arc<Mutex<Vec<(WaitReason, Duration, Instant)>>>;

    /// Creates a limiter and the list of waits that it announces.
    fn limiter(max_rps: Option<f64>) -> (Arc<Limiter>, Waits) {
        let waits = Waits::default();
        let seen = Arc::clone(&waits);
        let observer: Observer = Arc::new(move |event: &ApiEvent| {
            if let ApiEvent::Waiting { reason, duration } = event {
                lock_counts(&seen).push((*reason, *duration, Instant::now()));
            }
        });
        (Arc::new(Limiter::new(QUOTA, max_rps, Stop::never(), observer)), waits)
    }

    #[tokio::test(start_paused = true)]
    async fn three_thousand_requests_use_the_whole_budget_and_no_more() {
        let (limiter, waits) = limiter(None);
        let begin = Instant::now();
        let mut service = Service { quota: QUOTA, came: VecDeque::new() };
        for number in 0..3000 {
            let permit = limiter.acquire(&kind()).await.unwrap();
            assert!(service.count(), "request {number} after {:?}", begin.elapsed());
            drop(permit);
        }
        let taken = begin.elapsed();
        assert!(taken >= 2 * WINDOW && taken < 2 * WINDOW + Duration::from_secs(10), "{taken:?}");
        assert!(!lock_counts(&waits).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn without_reports_the_rest_of_the_budget_is_spread_and_never_stands_still() {
        let (limiter, waits) = limiter(None);
        let mut service = Service { quota: QUOTA, came: VecDeque::new() };
        let mut last = Instant::now();
        for number in 0..2600 {
            drop(limiter.acquire(&kind()).await.unwrap());
            assert!(
                service.count() && last.elapsed() < Duration::from_secs(10),
                "request {number} after {:?}",
                last.elapsed()
            );
            last = Instant::now();
        }
        let waits = lock_counts(&waits);
        assert!(
            waits.iter().filter(|(reason, ..)| *reason == WaitReason::Spread).count() < 8,
            "{waits:?}"
        );
        assert!(
            waits
                .iter()
                .any(|(reason, time, _)| (*reason, time.as_secs()) == (WaitReason::Spread, 295)),
            "{waits:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn reports_allow_more_than_our_own_count() {
        let (limiter, waits) = limiter(None);
        let begin = Instant::now();
        for number in 0..3000_u64 {
            let permit = limiter.acquire(&kind()).await.unwrap();
            let name = "default".to_owned();
            let remaining =
                vec![Remaining { name: name.clone(), requests: 6000 - number, reset: WINDOW }];
            permit.note(&Limits {
                remaining,
                policies: vec![LimitPolicy { name, quota: 6000, window: WINDOW }],
                ..Limits::default()
            });
        }
        assert!(
            begin.elapsed() < Duration::from_secs(16) && lock_counts(&waits).is_empty(),
            "{:?}",
            begin.elapsed()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_larger_quota_and_rate_are_used() {
        let limiter =
            Limiter::new(4 * QUOTA, Some(1000.0), Stop::never(), Arc::new(|_: &ApiEvent| {}));
        let begin = Instant::now();
        for _ in 0..4000 {
            drop(limiter.acquire(&kind()).await.unwrap());
        }
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn parallel_requests_share_one_budget() {
        let (limiter, _) = limiter(None);
        let service = Arc::new(Mutex::new(Service { quota: QUOTA, came: VecDeque::new() }));
        let begin = Instant::now();
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..16_u64 {
            let (limiter, service) = (Arc::clone(&limiter), Arc::clone(&service));
            tasks.spawn(async move {
                for _ in 0..100 {
                    let permit = limiter.acquire(&kind()).await.unwrap();
                    tokio::time::sleep(Duration::from_millis(20 + task * 7)).await;
                    assert!(lock_counts(&service).count());
                    permit.note(&lock_counts(&service).limits());
                    tokio::time::sleep(Duration::from_millis(30)).await;
                }
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
        assert!(begin.elapsed() < WINDOW + Duration::from_secs(20), "{:?}", begin.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_competitor_slows_us_down_without_an_excess() {
        let (limiter, waits) = limiter(None);
        let mut service = Service { quota: QUOTA, came: VecDeque::new() };
        for number in 0..600 {
            let permit = limiter.acquire(&kind()).await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
            assert!(service.count(), "our request {number}");
            permit.note(&service.limits());
            drop(permit);
            for _ in 0..3 {
                // The competitor stops when requested and takes the requests that the limiter left.
                if service.came.len() < QUOTA {
                    service.count();
                }
            }
        }
        assert!(
            lock_counts(&waits).iter().any(|(_, duration, _)| *duration > Duration::from_secs(100))
        );
    }

    /// Sends requests for some time beside another client, which sends one request every half
    /// second until `he_ends`. The server's windows begin with their first request. Returns the
    /// numbers of requests of both clients.
    async fn beside_another(
        limiter: &Limiter,
        time: Duration,
        he_ends: Duration,
    ) -> (usize, usize) {
        let begin = Instant::now();
        let (mut since, mut used, mut ours, mut his) = (begin, 0, 0, 0);
        while begin.elapsed() < time {
            let permit = limiter.acquire(&kind()).await.unwrap();
            let now = Instant::now();
            let mut count = |at: Instant| {
                if at >= since + WINDOW {
                    (since, used) = (at, 0);
                }
                used += 1;
                assert!(used <= QUOTA, "{:?} after the beginning", at - begin);
            };
            while Duration::from_millis(500) * (his + 1) <= he_ends.min(now - begin) {
                his += 1;
                count(begin + Duration::from_millis(500) * his);
            }
            count(now);
            ours += 1;
            let reset = Duration::from_secs((since + WINDOW - now).as_secs_f64().ceil() as u64);
            let name = "default".to_owned();
            permit.note(&Limits {
                remaining: vec![Remaining {
                    name: name.clone(),
                    requests: (QUOTA - used) as u64,
                    reset,
                }],
                policies: vec![LimitPolicy { name, quota: QUOTA as u64, window: WINDOW }],
                ..Limits::default()
            });
        }
        (ours, his as usize)
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_half_of_it_is_left_half_of_it() {
        let (limiter, waits) = limiter(None);
        let (ours, his) = beside_another(&limiter, 4 * WINDOW, 4 * WINDOW).await;
        assert!(ours + his >= 4 * QUOTA * 99 / 100, "{ours} and {his}");
        assert!(his >= 4 * QUOTA / 2 - 8, "{his}");
        assert!(lock_counts(&waits).iter().any(|(reason, ..)| *reason == WaitReason::SharedQuota));
    }

    #[tokio::test(start_paused = true)]
    async fn what_others_no_longer_take_is_used() {
        let (limiter, _) = limiter(None);
        let (ours, his) =
            beside_another(&limiter, WINDOW - Duration::from_secs(1), WINDOW / 4).await;
        assert!(ours + his >= QUOTA * 97 / 100, "{ours} and {his}");
        let (ours, his) = beside_another(&limiter, 2 * WINDOW, Duration::ZERO).await;
        assert!(ours >= 2 * QUOTA * 97 / 100 && his == 0, "{ours}");
    }

    #[tokio::test(start_paused = true)]
    async fn waits_are_announced_before_they_begin_and_once() {
        let (limiter, waits) = limiter(None);
        let begin = Instant::now();
        limiter.pause(Duration::from_secs(7));
        let (one, two) = (kind(), RequestKind { read: false, ..kind() });
        tokio::join!(async { drop(limiter.acquire(&one).await.unwrap()) }, async {
            drop(limiter.acquire(&two).await.unwrap())
        });
        assert!(begin.elapsed() >= Duration::from_secs(7));
        assert_eq!(*lock_counts(&waits), [(WaitReason::RetryAfter, Duration::from_secs(7), begin)]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_exhausted_limit_means_to_wait_until_its_reset() {
        let (limiter, waits) = limiter(None);
        let begin = Instant::now();
        let permit = limiter.acquire(&kind()).await.unwrap();
        let reset = Duration::from_secs(30);
        let remaining = vec![Remaining { name: "default".to_owned(), requests: 0, reset }];
        permit.note(&Limits { remaining, ..Limits::default() });
        drop(permit);
        drop(limiter.acquire(&kind()).await.unwrap());
        assert_eq!(begin.elapsed(), reset);
        assert_eq!(*lock_counts(&waits), [(WaitReason::Budget, reset, begin)]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_to_stop_waits_no_more_than_a_moment() {
        let stopper = crate::api::Stopper::new();
        let limiter = Arc::new(Limiter::new(
            QUOTA,
            Some(2.0),
            stopper.listener(),
            Arc::new(|_: &ApiEvent| {}),
        ));
        let begin = Instant::now();
        drop(limiter.acquire(&kind()).await.unwrap());
        stopper.ask();
        drop(limiter.acquire(&kind()).await.unwrap());
        assert_eq!(
            begin.elapsed(),
            Duration::from_millis(500),
            "the pause between two requests is kept"
        );
        limiter.pause(Duration::from_secs(9));
        assert!(limiter.acquire(&kind()).await.is_none());
        assert_eq!(begin.elapsed(), Duration::from_millis(500));
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_is_woken_to_stop() {
        let stopper = crate::api::Stopper::new();
        let limiter =
            Arc::new(Limiter::new(QUOTA, None, stopper.listener(), Arc::new(|_: &ApiEvent| {})));
        let begin = Instant::now();
        limiter.pause(Duration::from_secs(300));
        let others = async {
            tokio::time::sleep(Duration::from_secs(7)).await;
            stopper.ask();
        };
        let kind = kind();
        let (one, two, ()) = tokio::join!(limiter.acquire(&kind), limiter.acquire(&kind), others);
        assert!(one.is_none() && two.is_none());
        assert_eq!(begin.elapsed(), Duration::from_secs(7));
    }

    #[tokio::test(start_paused = true)]
    async fn the_user_may_wish_for_fewer() {
        let (limiter, _) = limiter(Some(0.5));
        let begin = Instant::now();
        for _ in 0..4 {
            drop(limiter.acquire(&kind()).await.unwrap());
        }
        assert_eq!(begin.elapsed(), Duration::from_secs(6));
    }
}
