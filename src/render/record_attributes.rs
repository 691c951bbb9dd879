//! The attributes of a record in words, for all outputs for reviewers.

use super::safe::safe;
use crate::model::{Comment, Facets, RecordForm, Tag};

/// The attributes of a record beside its value, in a few words.
pub(super) fn facets(form: &RecordForm) -> String {
    let Facets { ttl, proxied, comment, tags, settings } = &form.facets;
    let mut words = Vec::new();
    match proxied {
        Some(true) => words.push("proxied".to_owned()),
        Some(false) if form.data.record_type().is_some_and(|t| t.facts().proxiable) => {
            words.push("DNS only".to_owned())
        }
        Some(false) | None => {}
    }
    if let Some(ttl) = ttl.filter(|_| *proxied != Some(true)) {
        words.push(format!("ttl {ttl}"));
    }
    if let Some(text) = comment.as_ref().and_then(Comment::text) {
        words.push(format!("comment \"{}\"", safe(&text.replace('"', "\\\""))));
    }
    if let Some(tags) = tags.as_ref().filter(|t| !t.is_empty()) {
        let list: Vec<_> = tags.iter().map(Tag::as_str).map(safe).collect();
        words.push(format!("tags {}", list.join(", ")));
    }
    for (name, value) in settings.named() {
        if let Some(value) = value {
            words.push(format!("{name} {}", if value { "on" } else { "off" }));
        }
    }
    words.join(", ")
}
