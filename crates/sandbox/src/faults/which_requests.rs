//! A scripted failure, and the requests that it applies to.

use serde::Deserialize;

use super::what_happens::What;

/// A scripted failure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The first request that fails.
    pub when: When,
    /// The effect.
    pub what: What,
    /// Number of consecutive requests that fail, counted as [`When`] counts; with [`When::Chance`],
    /// the maximum number of requests that fail.
    #[serde(default = "default_count")]
    pub times: u64,
}

/// Selects the requests that fail.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum When {
    /// The nth request overall, counted from 1.
    Request(u64),
    /// The nth request, counted from 1, with this method and a path with this suffix.
    Matching {
        /// Method, upper case; `None` for any.
        #[serde(default)]
        method: Option<String>,
        /// End of the path, without the query.
        #[serde(default)]
        path_suffix: String,
        /// The number of the request, counted from 1.
        #[serde(default = "default_count")]
        nth: u64,
    },
    /// Some of the requests with this method and a path with this suffix. The selection depends
    /// only on the seed and on the numbers of the requests.
    Chance {
        /// Seed of the random choice.
        #[serde(default)]
        seed: u64,
        /// Average number of failures in 1000 requests: 0 to 1000.
        per_mille: u16,
        /// Method, upper case; `None` for any.
        #[serde(default)]
        method: Option<String>,
        /// End of the path, without the query.
        #[serde(default)]
        path_suffix: String,
    },
}

/// Returns the default of counts.
fn default_count() -> u64 {
    1
}
