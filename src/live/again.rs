//! Reads again what came in a form that cannot be used: a service in trouble may answer so for a moment.

use std::time::Duration;

use super::fetch::FetchError;

/// Waits before something is read again.
const WAITS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];

/// Reads, and again if what was read cannot be used.
///
/// # Errors
/// Of the last try; a request that failed was repeated as far as it helps, so it is not made again here.
pub(super) async fn again<T>(mut read: impl AsyncFnMut() -> Result<T, FetchError>) -> Result<T, FetchError> {
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
