//! How requests are read.

use super::request_limits::LONGEST;

/// Why a request cannot be evaluated.
pub(super) const NO_HOST: &str = "it does not contain the host; name it with --host";

/// How to go on after a request that cannot be read.
pub(super) const GO_ON: &str = "; to leave out what is not a request, add --skip-unreadable";

/// How requests are read.
#[derive(Debug, Clone)]
pub struct Options {
    /// The host of requests whose source does not tell it.
    pub host: Option<String>,
    /// Bytes of a request as it is recorded; more are an error.
    pub longest: u64,
    /// Whether what is not a request is left out, so that the requests after it are read; otherwise
    /// it ends the recording.
    pub skips_unreadable: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { host: None, longest: LONGEST, skips_unreadable: false }
    }
}
