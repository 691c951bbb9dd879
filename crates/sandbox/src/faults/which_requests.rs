//! A scripted failure, and which requests it applies to.

use serde::Deserialize;

use super::what_happens::What;

/// A scripted failure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The first request that fails.
    pub when: When,
    /// What happens.
    pub what: What,
    /// How many requests in a row fail, counted as [`When`] counts; with [`When::Chance`], the
    /// largest number that fail.
    #[serde(default = "one")]
    pub times: u64,
}

/// Which request fails.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum When {
    /// The nth request overall, counted from 1.
    Request(u64),
    /// The nth request, counted from 1, with this method and a path that ends like this.
    Matching {
        /// Method, upper case; `None` for any.
        #[serde(default)]
        method: Option<String>,
        /// End of the path, without the query.
        #[serde(default)]
        path_suffix: String,
        /// Which one.
        #[serde(default = "one")]
        nth: u64,
    },
    /// Some of the requests with this method and a path that ends like this. Which ones depends
    /// only on the seed and on their numbers.
    Chance {
        /// Seed of the random choice.
        #[serde(default)]
        seed: u64,
        /// How many of 1000 requests fail on average: 0 to 1000.
        per_mille: u16,
        /// Method, upper case; `None` for any.
        #[serde(default)]
        method: Option<String>,
        /// End of the path, without the query.
        #[serde(default)]
        path_suffix: String,
    },
}

/// The default of counts.
fn one() -> u64 {
    1
}
