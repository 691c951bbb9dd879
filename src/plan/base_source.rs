//! Where the previous version of a spec comes from.

use std::fmt;

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Digits by which people know a commit.
const SHORT: usize = 12;

/// Where the previous version of a spec comes from, and what its content is known by. It is in the
/// JSON of plans and drift reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum BaseSource {
    /// A git revision.
    Revision {
        /// As it was given.
        name: String,
        /// The commit that it meant, its full id.
        commit: String,
    },
    /// A file or a directory.
    Path {
        /// As it was given.
        name: String,
        /// The SHA-256 of the spec as it was resolved from there, hexadecimal.
        digest: String,
    },
}

impl BaseSource {
    /// A file or a directory with the text of its spec as resolved.
    #[must_use]
    pub fn of_path(name: &str, spec: &str) -> Self {
        Self::Path {
            name: name.to_owned(),
            digest: HEXLOWER.encode(digest(&SHA256, spec.as_bytes()).as_ref()),
        }
    }

    /// Whether the text of a spec as resolved can be what it says; of a revision that is not known.
    #[must_use]
    pub fn is_of(&self, spec: &str) -> bool {
        match self {
            Self::Revision { .. } => true,
            Self::Path { name, .. } => *self == Self::of_path(name, spec),
        }
    }

    /// The same content.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Revision { commit, .. }, Self::Revision { commit: other, .. }) => {
                commit == other
            }
            (Self::Path { digest, .. }, Self::Path { digest: other, .. }) => digest == other,
            _ => false,
        }
    }
}

impl fmt::Display for BaseSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Revision { name, commit } => {
                // Whatever else a saved plan calls a commit is shown whole: a cut could end within
                // a word that outputs quote.
                let is_id = commit.bytes().all(|b| b.is_ascii_hexdigit());
                let short = commit.get(..SHORT).filter(|_| is_id).unwrap_or(commit);
                match commit.starts_with(name.as_str()) {
                    true => write!(f, "commit {short}"),
                    false => write!(f, "revision {name} (commit {short})"),
                }
            }
            Self::Path { name, .. } => write!(f, "path {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_told_which_kind_it_is() {
        let commit = "0123456789abcdef0123456789abcdef01234567".to_owned();
        let revision =
            |name: &str| BaseSource::Revision { name: name.to_owned(), commit: commit.clone() };
        assert_eq!(revision("main").to_string(), "revision main (commit 0123456789ab)");
        assert_eq!(revision(&commit).to_string(), "commit 0123456789ab");
        assert_eq!(revision("0123456").to_string(), "commit 0123456789ab");
        let path = |digest: &str| BaseSource::Path {
            name: "./main".to_owned(),
            digest: digest.to_owned(),
        };
        assert_eq!(path("00").to_string(), "path ./main");
        assert!(
            revision("main").is_same(&revision("HEAD"))
                && !revision("main").is_same(&path(&commit))
        );
        assert!(path("00").is_same(&path("00")) && !path("00").is_same(&path("01")));
    }
}
