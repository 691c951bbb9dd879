//! Options for reading requests.

use super::request_limits::LONGEST;

/// Reason why a request without a host cannot be evaluated.
pub(super) const NO_HOST: &str = "it does not contain the host; name it with --host";

/// Advice after a request that cannot be read.
pub(super) const GO_ON: &str = "; to leave out what is not a request, add --skip-unreadable";

/// Options for reading requests.
#[derive(Debug, Clone)]
pub struct RecordingOptions {
    /// Host of requests whose source does not contain it.
    pub host: Option<String>,
    /// Maximum size of a recorded request in bytes; larger ones are errors.
    pub longest: u64,
    /// True if unreadable inputs are skipped. Otherwise the first one ends the recording.
    pub skips_unreadable: bool,
}

impl Default for RecordingOptions {
    fn default() -> Self {
        Self { host: None, longest: LONGEST, skips_unreadable: false }
    }
}
