//! Parses comments behind the records of Cloudflare's export: `; COMMENT
//! cf_tags=NAME,NAME:VALUE,cf-proxied:true`.
//!
//! # Sources
//! developers.cloudflare.com/dns/manage-dns-records/how-to/import-and-export, read 2026-11-26: a
//! comment is verbatim; values with `"`, `=`, `,` or `\` are JSON strings; a comment that contains
//! `cf_tags=` is followed by another ` cf_tags=`.

/// Prefix of the tags.
pub(super) const TAGS: &str = "cf_tags=";

/// Content of a comment behind a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Note {
    /// Comment of the record.
    pub(super) comment: Option<String>,
    pub(super) tags: Vec<String>,
    /// Proxy status, if stated.
    pub(super) proxied: Option<bool>,
    /// True if the CNAME is flattened.
    pub(super) is_flattened: bool,
    /// Unknown reserved tags.
    pub(super) unknown: Vec<String>,
}

/// Returns true if a comment behind a record has tags, as only Cloudflare's export has them.
pub(super) fn has_tags(text: &str) -> bool {
    starts(text).next().is_some()
}

/// Parses a comment of an export. The tags begin after the last `cf_tags=` that a valid list
/// follows.
pub(super) fn parse(text: &str) -> Note {
    let mut note = Note::default();
    let tags = starts(text).find_map(|at| Some((at, tags_of(text[at + TAGS.len()..].trim())?)));
    let comment = tags.as_ref().map_or(text, |(at, _)| &text[..*at]).trim();
    note.comment = (!comment.is_empty()).then(|| comment.to_owned());
    for tag in tags.map(|(_, tags)| tags).unwrap_or_default() {
        match tag.as_str() {
            "cf-proxied:true" => note.proxied = Some(true),
            "cf-proxied:false" => note.proxied = Some(false),
            "cf-flatten-cname" | "cf-flatten-cname:true" => note.is_flattened = true,
            "cf-flatten-cname:false" => {}
            reserved if reserved.starts_with("cf-") => note.unknown.push(tag),
            _ => note.tags.push(tag),
        }
    }
    note
}

/// Returns the offsets at which `cf_tags=` begins a word, last one first.
fn starts(text: &str) -> impl Iterator<Item = usize> {
    let is_word = |at: &usize| text[..*at].chars().next_back().is_none_or(char::is_whitespace);
    text.rmatch_indices(TAGS).map(|(at, _)| at).filter(is_word)
}

/// Parses a list of tags, `NAME` or `NAME:VALUE` each; `None` if the text is no such list.
fn tags_of(text: &str) -> Option<Vec<String>> {
    let mut tags = Vec::new();
    let mut unread = text;
    while !unread.is_empty() {
        let end = unread.find([',', ':', '"', '\\']).unwrap_or(unread.len());
        let (name, after) = unread.split_at(end);
        let (value, after) = match after.strip_prefix(':') {
            None => (String::new(), after),
            Some(value) if value.starts_with('"') => quoted_value(value)?,
            Some(value) => {
                let end = value.find([',', '"', '\\']).unwrap_or(value.len());
                (value[..end].trim().to_owned(), &value[end..])
            }
        };
        let name = name.trim();
        match (name.is_empty(), value.is_empty()) {
            (true, true) => {}
            (true, false) => return None,
            (false, true) => tags.push(name.to_owned()),
            (false, false) => tags.push(format!("{name}:{value}")),
        }
        unread = match after.trim_start().strip_prefix(',') {
            Some(next) => next,
            None if after.trim().is_empty() => "",
            None => return None,
        };
    }
    Some(tags)
}

/// Parses a quoted value, which is a JSON string. Returns the value and the text after it.
fn quoted_value(text: &str) -> Option<(String, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let value = values.next()?.ok()?;
    let end = values.byte_offset();
    Some((value, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The comment, and the tags joined with `|`.
    fn read(text: &str) -> (Option<String>, String) {
        let note = parse(text);
        (note.comment, note.tags.join("|"))
    }

    #[test]
    fn a_note_has_a_comment_and_tags() {
        for (text, comment, tags) in [
            ("cf_tags=awesome", None, "awesome"),
            (r#"cf_tags=a,b:v,c:"v,w",d:"say \"x\"""#, None, r#"a|b:v|c:v,w|d:say "x""#),
            ("no tags", Some("no tags"), ""),
            ("has cf_tags= as text cf_tags=", Some("has cf_tags= as text"), ""),
            ("has cf_tags= as text cf_tags=t:1", Some("has cf_tags= as text"), "t:1"),
            (r#"c cf_tags=t:"x cf_tags=y,z",u"#, Some("c"), "t:x cf_tags=y,z|u"),
            ("not_cf_tags=x", Some("not_cf_tags=x"), ""),
            (r#"c cf_tags=a:"",b:,c"#, Some("c"), "a|b|c"),
            (r#"c cf_tags=a:"open"#, Some(r#"c cf_tags=a:"open"#), ""),
            (r#"c cf_tags=a:"\u00e9\\" , b c"#, Some("c"), "a:é\\|b c"),
            ("", None, ""),
        ] {
            assert_eq!(read(text), (comment.map(str::to_owned), tags.to_owned()), "{text}");
        }
    }

    #[test]
    fn reserved_tags_are_no_tags() {
        let note = parse("cf_tags=test:1,cf-flatten-cname,cf-proxied:true,cf-new:x");
        assert_eq!((note.proxied, note.is_flattened), (Some(true), true));
        assert_eq!(
            (note.tags, note.unknown),
            (vec!["test:1".to_owned()], vec!["cf-new:x".to_owned()])
        );
    }
}
