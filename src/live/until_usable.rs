//! Repeats reads with unusable results, and reports the number of attempts: a server in trouble may
//! return such results for a moment.

use std::time::Duration;

use super::error::FetchError;

/// Maximum number of attempts to read a complete listing.
pub(super) const LISTINGS: usize = 3;

/// Delays between attempts.
const WAITS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];

/// Reads, and repeats the read if its result is unusable.
///
/// # Errors
/// Fails with the error of the last attempt. The client already retried failed requests, so they
/// are not repeated here.
pub(super) async fn until_usable<T>(
    mut read: impl AsyncFnMut() -> Result<T, FetchError>,
) -> Result<T, FetchError> {
    for wait in WAITS {
        match read().await {
            Err(
                FetchError::Zone(_)
                | FetchError::Record { .. }
                | FetchError::OutsideZone { .. }
                | FetchError::Ruleset { .. }
                | FetchError::NotAList { .. }
                | FetchError::NoValue { .. },
            ) => {
                tokio::time::sleep(wait).await;
            }
            other => return other,
        }
    }
    read().await
}
