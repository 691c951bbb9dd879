//! Keeps managed rulesets between runs, one file for each version. Deleting it changes no plan; it only costs a request.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::private_file;
use crate::live::CatalogueCache;

/// A directory of managed rulesets of one service.
#[derive(Debug)]
pub(super) struct FileCache {
    directory: PathBuf,
}

impl FileCache {
    /// Below `directory`, apart for each address of the API: two services may call different things by one version.
    pub(super) fn new(directory: &Path, base_url: &str) -> Self {
        let digest = Sha256::digest(base_url.as_bytes());
        let name: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        Self { directory: directory.join(name) }
    }

    /// The file of a version; `None` if id or version would make no plain file name.
    fn path(&self, id: &str, version: &str) -> Option<PathBuf> {
        let is_plain =
            |text: &str| !text.is_empty() && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric());
        (is_plain(id) && is_plain(version)).then(|| self.directory.join(format!("ruleset-{id}-{version}.json")))
    }
}

impl CatalogueCache for FileCache {
    fn get(&self, id: &str, version: &str) -> Option<Json> {
        serde_json::from_slice(&fs::read(self.path(id, version)?).ok()?).ok()
    }

    fn put(&self, id: &str, version: &str, ruleset: &Json) {
        let Some(path) = self.path(id, version) else { return };
        let written = private_file::make_directory(&self.directory)
            .and_then(|()| private_file::write(&path, ruleset.to_string().as_bytes()));
        if written.is_err() {
            tracing::debug!(path = %path.display(), "the managed ruleset could not be kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_kept_comes_back_for_this_service_and_version_only() {
        let directory = tempfile::tempdir().unwrap();
        let cache = FileCache::new(directory.path(), "https://one.example");
        assert_eq!(cache.get("abc", "1"), None);
        cache.put("abc", "1", &json!({ "id": "abc" }));
        assert_eq!(cache.get("abc", "1"), Some(json!({ "id": "abc" })));
        assert_eq!(cache.get("abc", "2"), None);
        assert_eq!(FileCache::new(directory.path(), "https://two.example").get("abc", "1"), None);
        cache.put("../evil", "1", &json!({}));
        assert_eq!(cache.get("../evil", "1"), None);
    }
}
