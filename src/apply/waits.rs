//! How long an apply waits, how old what it knows of a zone may be, and how often it sends again:
//! the one table.
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

/// The conflict has been seen to stay for up to half a minute after the delete.
pub(super) const AFTER_DELETE: [Duration; 5] = seconds([1, 2, 4, 8, 15]);

/// A listing may lag behind the writes before it.
pub(super) const FOR_LOST: [Duration; 3] = seconds([1, 2, 4]);

/// A listing may lag behind the writes before it.
pub(super) const FOR_DONE: [Duration; 2] = seconds([1, 3]);

/// A zone just created can answer 403 for a while; this is a minute in all.
pub(super) const FOR_NEW_ZONE: [Duration; 6] = seconds([1, 2, 4, 8, 15, 30]);

/// How old what is known of a zone may be when a record of it is changed or deleted.
pub(super) const STALE_AFTER: Duration = Duration::from_secs(60);

/// How often a change of a rule or of a setting is sent, the first time included.
pub(super) const SENDS: usize = 4;

/// How often a step of records is sent, the first time included.
pub(super) const RECORD_SENDS: usize = 5;

/// The wait before a request is sent again, for the nth time.
pub(super) fn before_resend(nth: usize) -> Duration {
    Duration::from_millis(250 << nth)
}

/// These, as durations.
const fn seconds<const N: usize>(seconds: [u64; N]) -> [Duration; N] {
    let mut waits = [Duration::ZERO; N];
    let mut n = 0;
    while n < N {
        waits[n] = Duration::from_secs(seconds[n]);
        n += 1;
    }
    waits
}
