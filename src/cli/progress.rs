//! Reports the progress of a run: reads, waits, retries and applied operations.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::output::Output;
use crate::api::{ApiEvent, WaitReason};
use crate::apply::{ApplyEvent, Observer};
use crate::diagnostic::count;
use crate::live::Progress;
use crate::reconcile::OnProgress;

/// Shows the current read and the number of remaining ones.
pub(super) fn show_reads(output: &Arc<Output>) -> OnProgress {
    let shown = Arc::clone(output);
    let (done, total) = (AtomicUsize::new(0), AtomicUsize::new(0));
    Arc::new(move |progress: Progress| match progress {
        Progress::Reading { zones } => {
            done.store(0, Ordering::Relaxed);
            total.store(zones, Ordering::Relaxed);
        }
        Progress::ZoneRead { zone, records } => {
            let line = format!("read {zone}: {}", count(records, "record"));
            let (done, total) =
                (done.fetch_add(1, Ordering::Relaxed) + 1, total.load(Ordering::Relaxed));
            if total > 1 { shown.count(done.min(total), total, &line) } else { shown.status(&line) }
        }
        Progress::SmallPages { zone, per_page } => {
            shown.news(&format!(
                "{zone}: Cloudflare gives {} a page",
                count(usize::try_from(per_page).unwrap_or(usize::MAX), "record")
            ));
        }
    })
}

/// Reports why a request waits and that it is sent again.
pub(super) fn show_request(event: &ApiEvent, output: &Output) {
    match event {
        ApiEvent::Waiting { reason, duration } => {
            let seconds = duration.as_secs_f64();
            let why = match reason {
                WaitReason::Spread => {
                    output.news(&format!(
                        "sending slowly for {seconds:.0} s: the API budget is nearly used up"
                    ));
                    return;
                }
                WaitReason::Budget => "for API budget",
                WaitReason::SharedQuota => "at most: others use the API budget as well",
                WaitReason::RetryAfter => "because Cloudflare asked to",
                WaitReason::BackOff => "before trying again",
            };
            // Waits of a fraction of a second are not reported.
            if duration.as_secs() >= 1 {
                output.news(&format!("waiting {seconds:.0} s {why}"));
            }
        }
        ApiEvent::Retrying { request, attempt, cause } => {
            output.news(&format!("{request}: {cause}; attempt {attempt}"));
        }
        _ => {}
    }
}

/// Shows the current operation and the number of applied ones.
pub(super) struct ApplyProgress {
    output: Arc<Output>,
    /// Number of operations in the plan.
    total: usize,
    /// Number of applied operations in the last line of the log.
    logged: AtomicUsize,
    /// Number of applied operations.
    done: AtomicUsize,
}

impl ApplyProgress {
    pub(super) fn new(output: &Arc<Output>, total: usize) -> Self {
        Self {
            output: Arc::clone(output),
            total,
            logged: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        }
    }
}

impl Observer for ApplyProgress {
    /// Shows the current operation in the bar.
    fn now(&self, event: &ApplyEvent) {
        if let ApplyEvent::Done { operations, .. } = event {
            self.done.fetch_add(*operations, Ordering::Relaxed);
        }
        let (zone, done) = (event.zone(), self.done.load(Ordering::Relaxed));
        let words = match event {
            ApplyEvent::Sending { operations, .. } => format!("{zone}: sending {operations}"),
            ApplyEvent::Verifying { .. } => format!("{zone}: reading back"),
            ApplyEvent::ZoneStarted { .. }
            | ApplyEvent::Done { .. }
            | ApplyEvent::Refused { .. }
            | ApplyEvent::NoBatches { .. }
            | ApplyEvent::Settling { .. }
            | ApplyEvent::LookingAgain { .. }
            | ApplyEvent::Waiting { .. } => zone.to_string(),
        };
        self.output.count(done, self.total, &words);
    }

    /// Prints messages that stay visible.
    fn event(&self, event: &ApplyEvent) {
        let (output, total) = (&self.output, self.total);
        match event {
            ApplyEvent::Done { zone, operations } => {
                let logged = self.logged.fetch_add(*operations, Ordering::Relaxed) + operations;
                output.log(&format!("{zone}: {logged} of {total} done"));
            }
            ApplyEvent::Refused { zone, operations, reason, narrowing } => {
                let consequence = if *narrowing { "; trying smaller parts" } else { "" };
                output.news(&format!("{zone}: {operations} refused: {reason}{consequence}"));
            }
            ApplyEvent::NoBatches { zone } => {
                output.news(&format!(
                    "{zone}: batch requests are not available; sending one request \
                        for each operation"
                ));
            }
            ApplyEvent::Settling { zone, reason } => {
                output.news(&format!("{zone}: {reason}; reading the zone to see what took effect"));
            }
            ApplyEvent::LookingAgain { zone } => {
                output.log(&format!("{zone}: reading the zone again, because it may have changed"));
            }
            ApplyEvent::Waiting { zone, duration } if duration.as_secs() >= 1 => {
                output.news(&format!("{zone}: waiting {:.0} s", duration.as_secs_f64()));
            }
            ApplyEvent::Waiting { .. }
            | ApplyEvent::ZoneStarted { .. }
            | ApplyEvent::Sending { .. }
            | ApplyEvent::Verifying { .. } => {}
        }
    }
}
