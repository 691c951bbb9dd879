//! Caches managed rulesets between runs, one file for each version. Deleting the cache changes no
//! plan; it only costs a request.
//!
//! Plans use these rulesets to decide whether a change weakens the protection, and the directory
//! may lie in a tree that others write to. Each file is therefore sealed with the credentials of
//! its reader, and a file that someone else put there is ignored.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use serde_json::Value as Json;

use super::files::{self, Readers};
use crate::api::Credentials;
use crate::diagnostic::read_text;
use crate::live::CatalogueCache;
use crate::wire::json::{MOST_VALUES, parse_limited};

/// Maximum size of a file that is read, in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;

/// A directory of managed rulesets from one address of the API.
#[derive(Debug)]
pub(super) struct FileCache {
    directory: PathBuf,
    base_url: String,
    credentials: Credentials,
}

impl FileCache {
    /// Creates a cache below `directory`. Each address of the API has a directory of its own,
    /// because versions are unique only within one API.
    pub(super) fn new(directory: &Path, base_url: &str, credentials: Credentials) -> Self {
        let directory =
            directory.join(&HEXLOWER.encode(digest(&SHA256, base_url.as_bytes()).as_ref())[..12]);
        Self { directory, base_url: base_url.to_owned(), credentials }
    }

    /// Returns the path for a version; `None` if id or version is not a plain file name.
    fn path(&self, id: &str, version: &str) -> Option<PathBuf> {
        let is_plain = |text: &str| {
            !text.is_empty() && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        (is_plain(id) && is_plain(version))
            .then(|| self.directory.join(format!("ruleset-{id}-{version}.json")))
    }

    /// Returns the first line of a file, which authenticates the rest of the file.
    fn seal(&self, id: &str, version: &str, content: &str) -> String {
        // Ids and versions contain no line feed, and neither does an address that can be connected
        // to.
        let sealed_text = format!("{}\n{id}\n{version}\n{content}", self.base_url);
        HEXLOWER.encode(self.credentials.seal(sealed_text.as_bytes()).as_ref())
    }
}

impl CatalogueCache for FileCache {
    fn get(&self, id: &str, version: &str) -> Option<Json> {
        let path = self.path(id, version)?;
        // Other users may have put anything there, even a pipe that never ends.
        fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let text = read_text(File::open(path).ok()?, LARGEST).ok()?;
        let (seal, content) = text.split_once('\n')?;
        if seal != self.seal(id, version, content) {
            return None;
        }
        parse_limited(content.as_bytes(), MOST_VALUES).ok()
    }

    fn put(&self, id: &str, version: &str, ruleset: &Json) {
        let Some(path) = self.path(id, version) else { return };
        let content = ruleset.to_string();
        let text = format!("{}\n{content}", self.seal(id, version, &content));
        let written = files::make_directory(&self.directory)
            .and_then(|()| files::replace(&path, text.as_bytes(), Readers::Owner));
        if written.is_err() {
            tracing::debug!(path = %path.display(), "the managed ruleset could not be cached");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cache(directory: &Path, base_url: &str, token: &str) -> FileCache {
        FileCache::new(directory, base_url, Credentials::Token(token.to_owned().into()))
    }

    #[test]
    fn what_was_kept_comes_back_for_this_service_and_version_only() {
        let directory = tempfile::tempdir().unwrap();
        let one = cache(directory.path(), "https://one.example", "a");
        assert_eq!(one.get("abc", "1"), None);
        one.put("abc", "1", &json!({ "id": "abc" }));
        assert_eq!(one.get("abc", "1"), Some(json!({ "id": "abc" })));
        assert_eq!(one.get("abc", "2"), None);
        assert_eq!(cache(directory.path(), "https://two.example", "a").get("abc", "1"), None);
        one.put("../evil", "1", &json!({}));
        assert_eq!(one.get("../evil", "1"), None);
    }

    /// Whoever can write to the directory cannot say what a ruleset is.
    #[test]
    fn what_others_put_there_is_not_believed() {
        let directory = tempfile::tempdir().unwrap();
        let (ours, theirs) = (
            cache(directory.path(), "https://one.example", "a"),
            cache(directory.path(), "https://one.example", "b"),
        );
        theirs.put("abc", "1", &json!({ "id": "abc", "rules": [] }));
        assert_eq!(ours.get("abc", "1"), None);
        ours.put("abc", "1", &json!({ "id": "abc" }));
        let path = ours.path("abc", "1").unwrap();
        let text = fs::read_to_string(&path).unwrap();
        for forged in [
            text.replace("abc", "abd"),
            text.replacen('\n', "\n ", 1),
            text.split_once('\n').unwrap().1.to_owned(),
            String::new(),
        ] {
            fs::write(&path, forged).unwrap();
            assert_eq!(ours.get("abc", "1"), None);
        }
        // A file of another version is ignored, whatever its name is.
        fs::write(ours.path("abc", "2").unwrap(), &text).unwrap();
        assert_eq!(ours.get("abc", "2"), None);
        fs::write(&path, &text).unwrap();
        assert_eq!(ours.get("abc", "1"), Some(json!({ "id": "abc" })));
    }
}
