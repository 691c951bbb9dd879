//! What is known of something live that a plan overwrites or deletes: it may tell a reviewer whom to ask.

use crate::model::{Comment, Facets};

/// What is known of something live that is overwritten or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct LiveView {
    /// Its comment.
    pub(super) comment: Option<String>,
    /// Its tags.
    pub(super) tags: Vec<String>,
    /// When it was last changed, as Cloudflare wrote it; of several, the first and the last time.
    pub(super) changed: Option<String>,
    /// Whether the previous spec wanted it.
    pub(super) was_wanted: bool,
}

impl LiveView {
    /// In words; `None` if nothing is known.
    pub(super) fn words(&self) -> Option<String> {
        let tags = Some(self.tags.join(", ")).filter(|tags| !tags.is_empty());
        let parts = [
            self.comment.as_ref().map(|text| format!("comment \"{}\"", text.replace('"', "\\\""))),
            tags.map(|tags| format!("tags {tags}")),
            self.changed.as_ref().map(|time| format!("last changed {time}")),
            self.was_wanted.then(|| "wanted by the previous spec".to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("live: {}", parts.join("; ")))
    }

    /// Takes comment and tags from the attributes of a record.
    pub(super) fn take_notes(&mut self, Facets { comment, tags, .. }: &Facets) {
        self.comment = comment.as_ref().and_then(Comment::text).map(str::to_owned);
        self.tags = tags.iter().flatten().map(|tag| tag.as_str().to_owned()).collect();
    }
}
