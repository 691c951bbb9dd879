//! How requests are read.

use super::limit::LONGEST;

/// Why a request cannot be evaluated.
pub(super) const NO_HOST: &str = "it does not tell the host; name it with --host";

/// How requests are read.
#[derive(Debug, Clone)]
pub struct Options {
    /// The host of requests whose source does not tell it.
    pub host: Option<String>,
    /// Bytes of a request as it is recorded; more are an error.
    pub longest: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { host: None, longest: LONGEST }
    }
}
