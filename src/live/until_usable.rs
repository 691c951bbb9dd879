//! Repeats reads whose result cannot be used, and says how often: a server in trouble may respond
//! so for a moment.

use std::time::Duration;

use super::error::FetchError;

/// How often a listing that falls short is read, the first time included, before it is given up.
pub(super) const LISTINGS: usize = 3;

/// Delays before a read is repeated.
const WAITS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];

/// Reads, and repeats the read if its result cannot be used.
///
/// # Errors
/// The error of the last attempt. Failed requests were already retried by the client, so they are
/// not repeated here.
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
