//! Describes the value and the attributes of a record, for all outputs for reviewers.

use super::names_in_words::with_unicode;
use super::safe::safe;
use crate::diff::Field;
use crate::model::{Comment, Facets, RecordForm, Tag, Ttl, Value};

/// Describes a record that can be proxied and is not.
const NOT_PROXIED: &str = "DNS only";

pub(super) fn value(form: &RecordForm) -> String {
    with_unicode(&form.data.presentation()).into_owned()
}

/// Formats the value of one attribute.
pub(super) fn attribute(field: &Field, value: &Value) -> String {
    match (field, value) {
        (Field::Ttl, Value::Integer(seconds)) => ttl(*seconds),
        (Field::Comment, Value::Text(text)) => format!("\"{text}\""),
        _ => value.to_string(),
    }
}

/// Formats a number of seconds as in a spec.
fn ttl(seconds: i64) -> String {
    u32::try_from(seconds)
        .map_or_else(|_| seconds.to_string(), |seconds| Ttl::reported(seconds).to_string())
}

/// Describes Cloudflare's defaults for attributes that the spec does not set.
pub(super) fn defaults_in_words() -> String {
    format!("{NOT_PROXIED}, ttl {}", Ttl::AUTOMATIC)
}

/// Returns true if a created record has other attributes than the record that it replaces. Unset
/// attributes have Cloudflare's defaults. Comment and tags of the old record are shown with the
/// delete, so each of the new record counts as a difference.
pub(super) fn differ(old: &RecordForm, new: &RecordForm) -> bool {
    let effective = |form: &RecordForm| {
        let Facets { ttl, proxied, comment: _, tags: _, settings } = &form.facets;
        let is_proxied = *proxied == Some(true);
        let ttl = ttl.filter(|ttl| !is_proxied && !ttl.is_automatic());
        (is_proxied, ttl, settings.named().map(|(_, value)| value == Some(true)))
    };
    let Facets { comment, tags, .. } = &new.facets;
    let says_more = comment.as_ref().and_then(Comment::text).is_some()
        || tags.as_ref().is_some_and(|t| !t.is_empty());
    says_more || effective(old) != effective(new)
}

/// Describes the attributes of a record other than its value in a few words.
pub(super) fn facets(form: &RecordForm) -> String {
    let Facets { ttl, proxied, comment, tags, settings } = &form.facets;
    let mut words = Vec::new();
    match proxied {
        Some(true) => words.push("proxied".to_owned()),
        Some(false) if form.data.record_type().is_some_and(|t| t.facts().proxiable) => {
            words.push(NOT_PROXIED.to_owned())
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
