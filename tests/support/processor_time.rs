//! Limits on processor time. Elapsed time would depend on how busy the machine is.

use std::time::Duration;

/// Does some work on this thread, and panics if it takes more processor time. Where the system does
/// not report it, which is everywhere except on Linux, nothing is measured.
pub(crate) fn takes_at_most<T>(most: Duration, what: &str, work: impl FnOnce() -> T) -> T {
    let before = spent();
    let done = work();
    if let (Some(before), Some(after)) = (before, spent()) {
        let took = after.saturating_sub(before);
        assert!(took < most, "{what} took {took:?} of processor time");
    }
    done
}

/// Returns the processor time that this thread has spent so far. Source: "schedstats" in the
/// documentation of the Linux kernel (`Documentation/scheduler/sched-stats.rst`): the first number
/// is the time on a processor, in nanoseconds.
fn spent() -> Option<Duration> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(line.split(' ').next()?.parse().ok()?))
}
