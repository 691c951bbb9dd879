//! "Did you mean": the nearest of several words, and words of other programs for keys, record types
//! and switches.

/// Returns the candidate nearest to a word, if one is near enough to be what the author meant.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Long words are not typos, and the distance takes quadratic time.
    if word.is_empty() || word.len() > 64 {
        return None;
    }
    let lower = word.to_lowercase().replace('-', "_");
    let letters = lower.chars().count();
    let allowed = (letters / 3).max(1);
    candidates
        .into_iter()
        .filter_map(|c| {
            // Case, and `-` for `_`, are free; an abbreviation such as `prio` is cheap.
            let candidate = c.to_lowercase().replace('-', "_");
            let short = lower.len() >= 3 && candidate.starts_with(&lower);
            // The distance is at least the difference of the lengths, which is much faster to
            // compute.
            if !short && candidate.chars().count().abs_diff(letters) > allowed {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&lower, &candidate);
            Some((if short { distance.min(1) } else { distance }, c))
        })
        .filter(|(distance, c)| *distance <= allowed && *distance < c.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}

/// Returns `on` or `off` for words with the same meaning.
pub(super) fn switch_meant(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "on" | "yes" | "y" | "true" | "enable" | "enabled" | "active" | "1" => Some("on"),
        "off" | "no" | "n" | "false" | "disable" | "disabled" | "inactive" | "0" => Some("off"),
        _ => None,
    }
}

/// Returns the key for a name that other programs and APIs use.
pub(super) fn foreign_key(key: &str) -> Option<&'static str> {
    match key.to_ascii_lowercase().as_str() {
        "value" | "values" | "target" | "address" | "rdata" | "answer" => Some("content"),
        "prio" | "pref" | "preference" | "mx_priority" => Some("priority"),
        "host" | "hostname" | "subdomain" => Some("name"),
        "kind" | "record_type" => Some("type"),
        "note" | "notes" | "description" => Some("comment"),
        "proxy" | "cloud" => Some("proxied"),
        _ => None,
    }
}

/// Returns the suggested replacement for a record type of other providers.
pub(super) fn foreign_type(text: &str) -> Option<&'static str> {
    match text.to_ascii_uppercase().as_str() {
        "ALIAS" | "ANAME" | "FLATTEN" => Some(
            "write `CNAME`; at the apex, where DNS allows none, Cloudflare answers with the \
            addresses behind it",
        ),
        "URL" | "REDIRECT" | "URLFWD" => Some(
            "DNS has no redirects: write a proxied record of the name, and redirect its requests \
            with a redirect rule of Cloudflare, \
             which a spec cannot have",
        ),
        "SPF" => Some("write `TXT`: SPF records are TXT records since RFC 7208"),
        _ => None,
    }
}

/// Returns "did you mean `x`?" or the list of allowed words.
pub(super) fn hint<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
    what: &str,
) -> String {
    if let Some(nearest) = nearest(word, candidates.clone()) {
        return format!("did you mean `{nearest}`?");
    }
    let words: Vec<_> = candidates.into_iter().map(|c| format!("`{c}`")).collect();
    if words.is_empty() {
        format!("there are no {what} here")
    } else {
        format!("{what} possible here: {}", words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_recognised_and_other_words_are_not() {
        let keys = ["name", "type", "content", "proxied", "ttl", "records"];
        for (word, meant) in [
            ("record", Some("records")),
            ("proxed", Some("proxied")),
            ("TTL", Some("ttl")),
            ("tlt", Some("ttl")),
            ("contnet", Some("content")),
            ("cont", Some("content")),
            ("value", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, keys), meant, "{word}");
        }
        assert_eq!(nearest("cname", ["A", "CNAME", "NS"]), Some("CNAME"));
    }
}
