//! The attributes of a record other than its value: TTL, proxying, comment, tags, and metadata that
//! is never sent.
//!
//! Takes syntax with places and returns checked model values. Each invalid value becomes a finding
//! and is left out.

use std::collections::{BTreeMap, BTreeSet};

use super::deserialize::{Entries, Nullable, Spanned, Text};
use super::expiry::{Day, LastDay, not_a_date, reminder};
use super::record_syntax::DefaultsSyntax;
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostics, Place, SourceId};
use crate::model::facts::{MAXIMUM_TTL, MINIMUM_TTL};
use crate::model::{Comment, CommentError, Danger, Tag, TagError, Ttl};

/// A value with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Facet<T> {
    pub(super) value: T,
    pub(super) place: Place,
}

/// Defaults for records.
#[derive(Debug, Clone, Default)]
pub(super) struct Defaults {
    /// Time to live.
    pub(super) ttl: Option<Facet<Ttl>>,
    /// True if traffic goes through Cloudflare.
    pub(super) proxied: Option<Facet<bool>>,
    /// A note for people.
    pub(super) comment: Option<Facet<Comment>>,
    pub(super) tags: Option<Facet<BTreeSet<Tag>>>,
    /// Owner of the records.
    pub(super) owner: Option<Facet<String>>,
}

impl Defaults {
    /// Reads a `defaults` section.
    pub(super) fn new(
        syntax: &DefaultsSyntax,
        source: SourceId,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut reader = Reader { source, diagnostics };
        let DefaultsSyntax { ttl, proxied, comment, tags, owner } = syntax;
        Self {
            ttl: ttl.as_ref().and_then(|t| reader.ttl(t)),
            proxied: proxied.map(|p| reader.facet(&p, p.value)),
            comment: comment.as_ref().and_then(|c| reader.comment(c)),
            tags: tags.as_ref().and_then(|t| reader.tags(t)),
            owner: owner.as_ref().and_then(|o| reader.words("owner", o)),
        }
    }

    /// Returns these defaults, completed from others.
    #[must_use]
    pub(super) fn or(self, other: &Self) -> Self {
        Self {
            ttl: self.ttl.or_else(|| other.ttl.clone()),
            proxied: self.proxied.or_else(|| other.proxied.clone()),
            comment: self.comment.or_else(|| other.comment.clone()),
            tags: self.tags.or_else(|| other.tags.clone()),
            owner: self.owner.or_else(|| other.owner.clone()),
        }
    }

    /// Returns the first key in which the two differ, with the places that are known.
    pub(super) fn difference(
        &self,
        other: &Self,
    ) -> Option<(&'static str, Option<Place>, Option<Place>)> {
        fn differ<T: PartialEq>(
            key: &'static str,
            a: Option<&Facet<T>>,
            b: Option<&Facet<T>>,
        ) -> Option<(&'static str, Option<Place>, Option<Place>)> {
            (a.map(|f| &f.value) != b.map(|f| &f.value))
                .then(|| (key, a.map(|f| f.place), b.map(|f| f.place)))
        }
        differ("ttl", self.ttl.as_ref(), other.ttl.as_ref())
            .or_else(|| differ("proxied", self.proxied.as_ref(), other.proxied.as_ref()))
            .or_else(|| differ("comment", self.comment.as_ref(), other.comment.as_ref()))
            .or_else(|| differ("tags", self.tags.as_ref(), other.tags.as_ref()))
            .or_else(|| differ("owner", self.owner.as_ref(), other.owner.as_ref()))
    }

    /// Merges the defaults of another fragment of the same zone. Where both set a key, the values
    /// must agree.
    pub(super) fn merge(&mut self, other: Self, diagnostics: &mut Diagnostics) {
        fn one<T: PartialEq>(
            key: &str,
            a: &mut Option<Facet<T>>,
            b: Option<Facet<T>>,
            diagnostics: &mut Diagnostics,
        ) {
            match (a, b) {
                (Some(first), Some(second)) if first.value != second.value => {
                    diagnostics.push(
                        findings::ZONE_CLASH
                            .at(
                                second.place,
                                format!("the zone's default `{key}` has another value here"),
                            )
                            .and_at(first.place, "the first one")
                            .help("give the zone's defaults in one fragment"),
                    );
                }
                (first, second) => {
                    if first.is_none() {
                        *first = second;
                    }
                }
            }
        }
        let Self { ttl, proxied, comment, tags, owner } = other;
        one("ttl", &mut self.ttl, ttl, diagnostics);
        one("proxied", &mut self.proxied, proxied, diagnostics);
        one("comment", &mut self.comment, comment, diagnostics);
        one("tags", &mut self.tags, tags, diagnostics);
        one("owner", &mut self.owner, owner, diagnostics);
    }
}

/// Reads the attributes of the records in one file and collects findings.
pub(super) struct Reader<'a> {
    /// The file.
    pub(super) source: SourceId,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    /// Returns the place of a spanned thing.
    pub(super) fn place<T>(&self, at: &Spanned<T>) -> Place {
        Place { source: self.source, span: at.span }
    }

    /// Reads accepted dangers. The shape check has refused unknown ones.
    pub(super) fn allow(
        &mut self,
        entries: Option<&Entries<Spanned<Text>>>,
    ) -> BTreeMap<Danger, String> {
        let mut accepted = BTreeMap::new();
        for (code, reason) in entries.into_iter().flat_map(|e| &e.0) {
            if let (Some(danger), Some(reason)) =
                (Danger::by_code(&code.value.0), self.words("reason", reason))
            {
                accepted.insert(danger, reason.value);
            }
        }
        accepted
    }

    pub(super) fn facet<S, T>(&self, at: &Spanned<S>, value: T) -> Facet<T> {
        Facet { value, place: self.place(at) }
    }

    pub(super) fn ttl(&mut self, syntax: &Spanned<Text>) -> Option<Facet<Ttl>> {
        let (text, place) = (syntax.value.0.as_str(), self.place(syntax));
        let ttl = match parse_ttl(text) {
            Ok(ttl) => ttl,
            Err(error) => {
                let detail = match error {
                    TtlTextError::Range => format!("{} seconds are not allowed", super::clip(text)),
                    TtlTextError::Duration(_) | TtlTextError::Other => {
                        format!("`{}` is not a time to live", super::clip(text))
                    }
                };
                let help = match error {
                    TtlTextError::Duration(seconds) => {
                        format!("write the number of seconds: {seconds}")
                    }
                    TtlTextError::Range | TtlTextError::Other => {
                        format!("write `auto`, or seconds from {MINIMUM_TTL} to {MAXIMUM_TTL}")
                    }
                };
                self.diagnostics.push(findings::TTL.at(place, detail).help(help));
                return None;
            }
        };
        if !ttl.is_automatic() && ttl.as_number() < MINIMUM_TTL {
            self.diagnostics.push(
                findings::TTL_ENTERPRISE
                    .at(place, format!("{ttl} seconds are refused outside Enterprise zones"))
                    .help(format!(
                        "write {MINIMUM_TTL} or more unless the zone is on the Enterprise plan"
                    )),
            );
        }
        Some(Facet { value: ttl, place })
    }

    /// Reads a comment. An empty one counts as absent.
    pub(super) fn comment(&mut self, syntax: &Spanned<Nullable>) -> Option<Facet<Comment>> {
        let place = self.place(syntax);
        let Nullable::Text(text) = &syntax.value else {
            return Some(Facet { value: Comment::Clear, place });
        };
        let error = match Comment::parse(text) {
            Ok(value) => return Some(Facet { value, place }),
            Err(error) => error,
        };
        let help = match error {
            CommentError::Long(_) => {
                format!(
                    "shorten it to {}; zones on the free plan allow 100",
                    Comment::MOST_CHARACTERS
                )
            }
            CommentError::Control(_) => {
                "write the comment on one line; after `|` or `>` a line break is part of the text, \
                after `>-` it is not"
                    .to_owned()
            }
        };
        self.diagnostics.push(findings::COMMENT.at(place, error.to_string()).help(help));
        None
    }

    pub(super) fn tags(
        &mut self,
        syntax: &Spanned<Vec<Spanned<Text>>>,
    ) -> Option<Facet<BTreeSet<Tag>>> {
        let mut tags = BTreeSet::new();
        let mut good = true;
        for item in &syntax.value {
            match Tag::parse(&item.value.0) {
                Ok(tag) => {
                    tags.insert(tag);
                }
                Err(error) => {
                    good = false;
                    let place = self.place(item);
                    let help = match error {
                        TagError::Reserved => "choose another name",
                        TagError::Value(_) => "shorten the part after the `:`",
                        TagError::Name(_) => "write `name` or `name:value`, such as team:dns",
                    };
                    self.diagnostics
                        .push(findings::RECORD_TAG.at(place, error.to_string()).help(help));
                }
            }
        }
        let place = self.place(syntax);
        if tags.len() > Tag::MOST {
            good = false;
            let place = syntax.value.get(Tag::MOST).map_or(place, |t| self.place(t));
            self.diagnostics.push(
                findings::TOO_MANY_TAGS
                    .at(place, format!("there are {} tags", tags.len()))
                    .help(format!("keep at most {}; zones on the free plan have none", Tag::MOST)),
            );
        }
        good.then_some(Facet { value: tags, place })
    }

    /// Reads free text for people, which must not be empty.
    pub(super) fn words(&mut self, key: &str, syntax: &Spanned<Text>) -> Option<Facet<String>> {
        let place = self.place(syntax);
        if syntax.value.0.trim().is_empty() {
            self.diagnostics.push(
                findings::WRONG_KIND
                    .at(place, format!("`{key}` is empty"))
                    .help("write some words, or remove the key"),
            );
            return None;
        }
        Some(Facet { value: syntax.value.0.clone(), place })
    }

    /// Reads the last day of an entry, which must exist in the calendar, and returns the number of
    /// days left; `None` if today is unknown. Reports an entry that has expired or expires soon.
    pub(super) fn days_left(
        &mut self,
        syntax: &Spanned<Text>,
        what: &str,
        today: Option<Day>,
        of_what: LastDay,
    ) -> Option<i64> {
        let (text, place) = (syntax.value.0.as_str(), self.place(syntax));
        let Some(last) = Day::parse(text) else {
            self.diagnostics.push(not_a_date(text, place, of_what));
            return None;
        };
        let days_left = today.map(|today| today.until(last))?;
        if let Some(reminder) = reminder(what, text, days_left, place, of_what) {
            self.diagnostics.push(reminder);
        }
        Some(days_left)
    }
}

/// Why a text is not a valid TTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TtlTextError {
    /// A number of seconds outside the range.
    Range,
    /// A duration with a unit, such as `5m`, in seconds.
    Duration(u64),
    /// Anything else.
    Other,
}

/// Parses a time to live: `auto`, or a number of seconds.
///
/// # Errors
/// Fails for anything else. For a duration with a unit, the error has its seconds.
fn parse_ttl(text: &str) -> Result<Ttl, TtlTextError> {
    if text == "auto" {
        return Ok(Ttl::AUTOMATIC);
    }
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().ok().and_then(|n| Ttl::seconds(n).ok()).ok_or(TtlTextError::Range);
    }
    Err(duration_seconds(text).map_or(TtlTextError::Other, TtlTextError::Duration))
}

/// Parses a duration such as `5m`, `2h` or `1d` and returns its seconds.
fn duration_seconds(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let factor = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    let seconds = number.parse::<u64>().ok()?.checked_mul(factor)?;
    Ttl::seconds(seconds).is_ok().then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::facts::MINIMUM_TTL_OF_ENTERPRISE;

    #[test]
    fn durations_have_their_duration() {
        assert_eq!(duration_seconds("5m"), Some(300));
        assert_eq!(duration_seconds("1d"), Some(86_400));
        for bad in ["2d", "m", "", "5 m", "-5m", "ü"] {
            assert_eq!(duration_seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn texts_name_the_limits_of_a_ttl() {
        let (finding, enterprise) = (&findings::TTL, &findings::TTL_ENTERPRISE);
        let range = format!("{MINIMUM_TTL} to {MAXIMUM_TTL}");
        let also = format!("{MINIMUM_TTL_OF_ENTERPRISE} on Enterprise zones");
        assert!(
            finding.why.contains(&range)
                && finding.why.ends_with(&format!("allow {MINIMUM_TTL_OF_ENTERPRISE}."))
        );
        assert!(enterprise.why.contains(&format!("{MINIMUM_TTL} seconds")));
        assert!(enterprise.fix.contains(&format!("{MINIMUM_TTL} or more")));
        let schema = super::super::schema().to_string();
        let described = |words: &str| schema.matches(words).count();
        assert!(described("Time to live: `auto`") >= 2);
        assert_eq!(
            described(&format!("Time to live: `auto`, or seconds from {range} (from {also})")),
            described("Time to live: `auto`")
        );
    }
}
