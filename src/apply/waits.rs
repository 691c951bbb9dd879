//! The waits of an apply, the maximum age of its knowledge about a zone, and the maximum number of
//! attempts.
//!
//! | wait | in seconds | for what |
//! |---|---|---|
//! | [`AFTER_DELETE`] | 1, 2, 4, 8, 15 | a create is refused because of a record just deleted |
//! | [`FOR_LOST`] | 1, 2, 4 | a listing may not show yet what a request did whose response was lost |
//! | [`FOR_DONE`] | 1, 3 | a zone is read back in which only what was just done is missing |
//! | [`FOR_NEW_ZONE`] | 1, 2, 4, 8, 15, 30 | a zone just created refuses to be read |
//! | [`STALE_AFTER`] | 60 | a zone is read again before more of its records are overwritten |
//! | [`before_resend`] | 0.5, 1, 2, 4 | a request whose response was lost, and which had no effect, is sent again |

use std::time::Duration;

/// A conflict was observed to last for up to half a minute after the delete.
pub(super) const AFTER_DELETE: [Duration; 5] = in_seconds([1, 2, 4, 8, 15]);

/// A listing may lag behind the writes before it.
pub(super) const FOR_LOST: [Duration; 3] = in_seconds([1, 2, 4]);

/// A listing may lag behind the writes before it.
pub(super) const FOR_DONE: [Duration; 2] = in_seconds([1, 3]);

/// A new zone can answer 403 for a while. The waits are one minute in total.
pub(super) const FOR_NEW_ZONE: [Duration; 6] = in_seconds([1, 2, 4, 8, 15, 30]);

/// Maximum age of the knowledge about a zone when one of its records is changed or deleted.
pub(super) const STALE_AFTER: Duration = Duration::from_secs(60);

/// Maximum number of times that a change of a rule or of a setting is sent.
pub(super) const SENDS: usize = 4;

/// Maximum number of times that a step of records is sent.
pub(super) const RECORD_SENDS: usize = 5;

/// Returns the wait before the nth repetition of a request.
pub(super) fn before_resend(nth: usize) -> Duration {
    Duration::from_millis(250 << nth)
}

/// Converts seconds to durations.
const fn in_seconds<const N: usize>(seconds: [u64; N]) -> [Duration; N] {
    let mut waits = [Duration::ZERO; N];
    let mut n = 0;
    while n < N {
        waits[n] = Duration::from_secs(seconds[n]);
        n += 1;
    }
    waits
}
