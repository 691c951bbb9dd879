//! Attributes of a live object that a plan overwrites or deletes: they may show a reviewer whom to
//! ask.

use std::collections::BTreeSet;

use crate::model::{Comment, Facets, Gather};

/// Attributes of one or more live objects that are overwritten or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct LiveView {
    /// The comments of the objects.
    pub(super) comments: Vec<String>,
    /// The tags of the objects.
    pub(super) tags: Vec<String>,
    /// The time of the last change, as Cloudflare wrote it; for several objects, the first and the
    /// last time.
    pub(super) changed: Option<String>,
    /// True if the base wanted the object.
    pub(super) was_wanted: bool,
}

impl LiveView {
    /// Describes the attributes; `None` if there are none.
    pub(super) fn words(&self) -> Option<String> {
        let tags = Some(self.tags.join(", ")).filter(|tags| !tags.is_empty());
        let comments: Vec<_> =
            self.comments.iter().map(|text| format!("\"{}\"", text.replace('"', "\\\""))).collect();
        let parts = [
            match comments.len() {
                0 => None,
                1 => Some(format!("comment {}", comments[0])),
                _ => Some(format!("comments {}", comments.join(" and "))),
            },
            tags.map(|tags| format!("tags {tags}")),
            self.changed.as_ref().map(|time| format!("last changed {time}")),
            self.was_wanted.then(|| "wanted by the previous spec".to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("live: {}", parts.join("; ")))
    }

    /// Merges the attributes of two objects that are overwritten together.
    pub(super) fn and(&self, other: &Self) -> Self {
        let joined = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().chain(other.iter().filter(|text| !one.contains(text))).cloned().collect()
        };
        Self {
            comments: joined(&self.comments, &other.comments),
            tags: joined(&self.tags, &other.tags),
            changed: span(self.changed.iter().chain(&other.changed).map(String::as_str).gather()),
            was_wanted: self.was_wanted && other.was_wanted,
        }
    }

    /// Takes comment and tags from the attributes of a record.
    pub(super) fn take_notes(&mut self, Facets { comment, tags, .. }: &Facets) {
        self.comments =
            comment.as_ref().and_then(Comment::text).map(str::to_owned).into_iter().collect();
        self.tags = tags.iter().flatten().map(|tag| tag.as_str().to_owned()).collect();
    }
}

/// Returns the first and the last time; `None` if there are none.
pub(super) fn span(times: BTreeSet<&str>) -> Option<String> {
    match (times.first(), times.last()) {
        (Some(first), Some(last)) if first != last => Some(format!("between {first} and {last}")),
        (first, _) => first.map(|time| (*time).to_owned()),
    }
}
