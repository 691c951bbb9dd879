//! Names the keys of a record set that octoDNS or its Cloudflare provider does not read.

use super::populate::RecordSet;
use super::zone_content::Notes;
use crate::spec::{Yaml, YamlKind};

/// Keys that octoDNS reads.
const OF_RECORD: &[&str] = &["type", "ttl", "value", "values", "geo", "dynamic", "octodns"];
/// Keys of `octodns.cloudflare` that its provider reads.
const OF_CLOUDFLARE: &[&str] = &["proxied", "auto-ttl", "comment", "tags"];

/// Notes the keys that are not read. `is_cloudflare` is true if the target reads
/// `octodns.cloudflare`.
pub(super) fn note_ignored_keys(set: &RecordSet<'_>, is_cloudflare: bool, notes: &mut Notes) {
    let value_key = set.value_key();
    for (key, member) in set.data.members() {
        let is_other_value =
            matches!(key.as_str(), "value" | "values") && Some(&**key) != value_key;
        if is_other_value || !OF_RECORD.contains(&key.as_str()) {
            let other = value_key.filter(|_| is_other_value);
            let why = other.map_or(String::new(), |other| format!(" beside `{other}`"));
            notes.read_otherwise(member.place, format!("octoDNS ignores `{key}` of a record{why}"));
        }
    }
    let Some(options) = set.data.get("octodns").and_then(|own| own.get("cloudflare")) else {
        return;
    };
    if !is_cloudflare {
        return;
    }
    for (key, member) in options.members() {
        let is_text = |value: &Yaml| matches!(value.kind, YamlKind::Scalar(_));
        let why = match key.as_str() {
            "comment" if !is_text(member) && member.kind != YamlKind::Null => "is not a text",
            "tags" if !member.items().iter().all(is_text) => "are not a list of texts",
            key if OF_CLOUDFLARE.contains(&key) => continue,
            _ => {
                let why = format!("octodns-cloudflare ignores `{key}`");
                notes.read_otherwise(member.place, why);
                continue;
            }
        };
        notes.read_otherwise(member.place, format!("`{key}` {why}, and left out"));
    }
}
