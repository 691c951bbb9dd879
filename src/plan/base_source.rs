//! The source of the previous version of a spec.

use std::fmt;

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of digits that identify a commit for people.
const SHORT: usize = 12;

/// The source of the previous version of a spec, with the identity of its content. It is in the
/// JSON of plans and drift reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum BaseSource {
    /// A git revision.
    Revision {
        /// The revision as given.
        name: String,
        /// The full id of its commit.
        commit: String,
    },
    /// A file or a directory.
    Path {
        /// The path as given.
        name: String,
        /// The SHA-256 of the resolved spec, hexadecimal.
        digest: String,
    },
}

impl BaseSource {
    /// Returns the source for a file or a directory with the text of its resolved spec.
    #[must_use]
    pub fn of_path(name: &str, spec: &str) -> Self {
        Self::Path {
            name: name.to_owned(),
            digest: HEXLOWER.encode(digest(&SHA256, spec.as_bytes()).as_ref()),
        }
    }

    /// Returns true if a resolved spec can be the content of this source. For a revision, this is
    /// unknown and the result is true.
    #[must_use]
    pub fn is_of(&self, spec: &str) -> bool {
        match self {
            Self::Revision { .. } => true,
            Self::Path { name, .. } => *self == Self::of_path(name, spec),
        }
    }

    /// Returns true if the content is the same.
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
                // Any other value for a commit in a saved plan is shown in full. A shortened one
                // could end inside a word that outputs quote.
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
