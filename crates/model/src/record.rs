//! Desired and live records.

use std::collections::{BTreeMap, BTreeSet};

use super::cloudflare_spelling::AsReported;
use super::danger::Danger;
use super::ids::RecordId;
use super::name::Fqdn;
use super::rdata::{Rdata, RecordType};
use super::read_only::ReadOnly;
use super::ttl::Ttl;
use crate::diagnostic::Place;

/// The comment of a record in the spec.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comment {
    /// The record has this comment.
    Set(String),
    /// The record has no comment: `comment: null`.
    Clear,
}

/// An error in a comment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommentError {
    /// The comment is too long.
    #[error("the comment has {0} characters")]
    Long(usize),
    /// The comment contains a control character.
    #[error("{} is in the comment", if matches!(.0, '\n' | '\r') { "a line break".to_owned() } else { format!("{:?}", .0) })]
    Control(char),
}

impl Comment {
    /// Maximum length of a comment on any plan.
    ///
    /// # Units
    /// Characters.
    pub const MOST_CHARACTERS: usize = 500;

    /// Parses a comment as written in a spec; an empty text means no comment.
    ///
    /// # Errors
    /// More than [`Comment::MOST_CHARACTERS`], or a control character other than a tab.
    pub fn parse(text: &str) -> Result<Self, CommentError> {
        let characters = text.chars().count();
        if characters > Self::MOST_CHARACTERS {
            return Err(CommentError::Long(characters));
        }
        match text.chars().find(|c| c.is_control() && *c != '\t') {
            Some(c) => Err(CommentError::Control(c)),
            None if text.is_empty() => Ok(Self::Clear),
            None => Ok(Self::Set(text.to_owned())),
        }
    }

    /// Returns the text of the comment, if there is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Set(text) => Some(text),
            Self::Clear => None,
        }
    }
}

/// A tag, `name:value` or `name`; the name ignores case.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/reference/record-attributes, read 2026-11-20.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

/// An error in a tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    /// The name is empty, too long, or contains invalid characters.
    #[error("`{0}` is not a tag name: 1 to 32 letters, digits, `-` or `_`")]
    Name(String),
    /// The value is too long.
    #[error("the tag value has {0} characters; at most 100 are allowed")]
    Value(usize),
    /// Reserved by Cloudflare.
    #[error("tag names that begin with `cf-` are reserved by Cloudflare")]
    Reserved,
}

impl Tag {
    /// Maximum number of tags of a record on any plan.
    pub const MOST: usize = 20;

    /// Parses a tag as written in a spec.
    ///
    /// # Errors
    /// A name outside 1…32 letters, digits, `-`, `_` or beginning with `cf-`; a value above 100
    /// characters.
    pub fn parse(text: &str) -> Result<Self, TagError> {
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || name.len() > 32 || !name.chars().all(legal) {
            return Err(TagError::Name(name.to_owned()));
        }
        if name.to_ascii_lowercase().starts_with("cf-") {
            return Err(TagError::Reserved);
        }
        let characters = value.chars().count();
        if characters > 100 {
            return Err(TagError::Value(characters));
        }
        Ok(Self::reported(text))
    }

    /// Reads a tag that Cloudflare reported.
    #[must_use]
    pub fn reported(text: &str) -> Self {
        match text.split_once(':') {
            Some((name, "")) => Self(name.to_ascii_lowercase()),
            Some((name, value)) => Self(format!("{}:{value}", name.to_ascii_lowercase())),
            None => Self(text.to_ascii_lowercase()),
        }
    }

    /// Returns the canonical text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The kind of records that have a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingScope {
    /// The types of the records.
    pub types: &'static [RecordType],
    /// True if only proxied records have the setting, false if only other records have it.
    pub is_proxied: bool,
}

impl SettingScope {
    /// Returns true if records of a type have the setting. `is_proxied` is `None` if the spec does
    /// not set it.
    #[must_use]
    pub fn has(&self, record_type: RecordType, is_proxied: Option<bool>) -> bool {
        self.types.contains(&record_type)
            && is_proxied.is_none_or(|proxied| proxied == self.is_proxied)
    }
}

/// Declares the settings: the only list.
macro_rules! settings {
    ($($(#[$about:meta])* $name:ident: $scope:expr,)+) => {
        /// Cloudflare's per-record settings; `None` if not set in the spec, or not reported by
        /// Cloudflare.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct Settings {
            $($(#[$about])* pub $name: Option<bool>,)+
        }

        impl Settings {
            /// Returns the settings with their names, in a fixed order.
            #[must_use]
            pub fn named(self) -> [(&'static str, Option<bool>); [$(stringify!($name)),+].len()] {
                [$((stringify!($name), self.$name)),+]
            }

            /// Creates settings from a function that returns the value for each name.
            #[must_use]
            pub fn of(value: impl Fn(&'static str) -> Option<bool>) -> Self {
                Self { $($name: value(stringify!($name))),+ }
            }

            /// Combines each setting with the setting of the same name in another set.
            #[must_use]
            pub fn with(
                self,
                others: Self,
                combine: impl Fn(&'static str, Option<bool>, Option<bool>) -> Option<bool>,
            ) -> Self {
                Self { $($name: combine(stringify!($name), self.$name, others.$name)),+ }
            }

            /// Returns the kind of records that have the setting with this name.
            #[must_use]
            pub fn scope(name: &str) -> Option<SettingScope> {
                match name { $(stringify!($name) => Some($scope),)+ _ => None }
            }

            /// Removes settings that are on and that records of this kind do not have.
            #[must_use]
            pub fn within(self, record_type: RecordType, is_proxied: Option<bool>) -> Self {
                let is_possible = |scope: SettingScope, on: bool| !on || scope.has(record_type, is_proxied);
                Self { $($name: self.$name.filter(|on| is_possible($scope, *on))),+ }
            }

            /// Returns the setting with this name.
            pub fn by_name(&mut self, name: &str) -> Option<&mut Option<bool>> {
                match name { $(stringify!($name) => Some(&mut self.$name),)+ _ => None }
            }
        }
    };
}

settings! {
    /// Answers with the addresses behind a CNAME.
    ///
    /// # Sources
    /// developers.cloudflare.com/api/resources/dns, read 2026-11-22: not available for proxied
    /// records.
    flatten_cname: SettingScope { types: &[RecordType::Cname], is_proxied: false },
    /// Answers with IPv4 addresses only, on proxied records.
    ///
    /// # Sources
    /// developers.cloudflare.com/api/resources/dns, read 2026-11-22: only for proxied records.
    ipv4_only: SettingScope { types: PROXIABLE, is_proxied: true },
    /// Answers with IPv6 addresses only, on proxied records.
    ///
    /// # Sources
    /// The same as for `ipv4_only`.
    ipv6_only: SettingScope { types: PROXIABLE, is_proxied: true },
    /// Reaches the origin through a private network, on proxied A and AAAA records. In the API it
    /// is a member of the record and not of `settings`.
    ///
    /// # Sources
    /// developers.cloudflare.com/api/resources/dns (A, AAAA), read 2026-11-22, and
    /// /dns/manage-dns-records/how-to/private-network-routing, read 2026-11-26.
    private_routing: SettingScope { types: &[RecordType::A, RecordType::Aaaa], is_proxied: true },
}

/// The types that can be proxied.
const PROXIABLE: &[RecordType] = &[RecordType::A, RecordType::Aaaa, RecordType::Cname];

impl Settings {
    /// Returns true if no setting is set.
    #[must_use]
    pub fn is_silent(self) -> bool {
        self == Self::default()
    }
}

/// The attributes of a record other than its value. `None` means not set: the live value is left
/// alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facets {
    /// Time to live.
    pub ttl: Option<Ttl>,
    /// Sends traffic through Cloudflare.
    pub proxied: Option<bool>,
    /// A note for people.
    pub comment: Option<Comment>,
    /// Tags, as a set.
    pub tags: Option<BTreeSet<Tag>>,
    /// Per-record settings.
    pub settings: Settings,
}

/// The author's spelling of a record, kept for printing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// The name, as written.
    pub name: Box<str>,
    /// The place of its value.
    pub place: Place,
    /// The place of its entry, or of the value if the entry has several values.
    pub entry: Place,
    /// Cloudflare's spelling, if the record is restored.
    pub reported: AsReported,
}

/// A record of the spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredRecord {
    /// Full name.
    pub name: Fqdn,
    /// Value; never opaque.
    pub data: Rdata,
    /// Its other attributes.
    pub facets: Facets,
    /// True if changing or deleting the record needs a separate consent.
    pub protect: bool,
    /// Accepted dangers with their reasons; `None` for none, the usual case.
    pub allow: Option<Box<BTreeMap<Danger, String>>>,
    /// Its last day, `YYYY-MM-DD`; `None` for none, the usual case.
    pub expires: Option<Box<str>>,
    /// The author's spelling.
    pub spelling: Spelling,
}

/// A record that must not exist (`state: absent`), or that is no longer needed since its last day is
/// over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Full name.
    pub name: Fqdn,
    /// Type of the records that must not exist.
    pub record_type: RecordType,
    /// The value; `None` for every value at the name and type.
    pub data: Option<Rdata>,
    /// The last day of a record whose last day is over, `YYYY-MM-DD`.
    pub expired: Option<Box<str>>,
    /// True if deleting the record needs a separate consent.
    pub protect: bool,
    /// Accepted dangers with their reasons.
    pub allow: Option<Box<BTreeMap<Danger, String>>>,
    /// The author's spelling.
    pub spelling: Spelling,
}

/// A live record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveRecord {
    /// Cloudflare's id.
    pub id: RecordId,
    /// Full name.
    pub name: Fqdn,
    /// The value; opaque if it cannot be parsed.
    pub data: Rdata,
    /// Time to live.
    pub ttl: Ttl,
    /// True if traffic goes through Cloudflare.
    pub proxied: bool,
    /// `None` without a comment.
    pub comment: Option<String>,
    /// In alphabetical order.
    pub tags: BTreeSet<Tag>,
    /// Settings, as far as reported.
    pub settings: Settings,
    /// The reason why the record must not be changed, if there is one.
    pub read_only: Option<ReadOnly>,
    /// Time of the last change, as Cloudflare wrote it (RFC 3339).
    pub modified_on: Option<String>,
    /// Cloudflare's spelling.
    pub reported: AsReported,
}

/// A record as one value, which is written, shown, expected and restored.
///
/// From a desired record, unset attributes stay unset; from a live record, every attribute is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordForm {
    /// Full name.
    pub name: Fqdn,
    /// Value.
    pub data: Rdata,
    /// The attributes.
    pub facets: Facets,
    /// Cloudflare's spelling, if the record was read from Cloudflare.
    pub reported: AsReported,
}

impl DesiredRecord {
    /// Returns the desired record as one value.
    #[must_use]
    pub fn form(&self) -> RecordForm {
        RecordForm {
            name: self.name.clone(),
            data: self.data.clone(),
            facets: self.facets.clone(),
            reported: self.spelling.reported.clone(),
        }
    }
}

impl LiveRecord {
    /// Returns the live record as one value.
    #[must_use]
    pub fn form(&self) -> RecordForm {
        let Self {
            id: _,
            name,
            data,
            ttl,
            proxied,
            comment,
            tags,
            settings,
            read_only: _,
            modified_on: _,
            reported,
        } = self;
        let facets = Facets {
            ttl: Some(*ttl),
            proxied: Some(*proxied),
            comment: Some(comment.clone().map_or(Comment::Clear, Comment::Set)),
            tags: Some(tags.clone()),
            settings: *settings,
        };
        RecordForm { name: name.clone(), data: data.clone(), facets, reported: reported.clone() }
    }
}

impl RecordForm {
    /// Returns this form without settings that are off: off is the default, and Cloudflare may
    /// refuse them.
    #[must_use]
    pub fn without_settings_off(&self) -> RecordForm {
        let settings = self
            .facets
            .settings
            .with(Settings::default(), |_, setting, _| setting.filter(|on| *on));
        RecordForm { facets: Facets { settings, ..self.facets.clone() }, ..self.clone() }
    }

    /// Returns this form in this program's spelling.
    #[must_use]
    pub fn in_own_spelling(&self) -> RecordForm {
        RecordForm { reported: AsReported::default(), ..self.clone() }
    }

    /// Merges every set attribute of `desired` over this form. The result is the record that
    /// Cloudflare would then have.
    ///
    /// Proxied records always have an automatic time to live.
    #[must_use]
    pub fn overlaid(&self, desired: &RecordForm) -> RecordForm {
        let RecordForm { name, data, facets, reported } = desired.clone();
        let Facets { ttl, proxied, comment, tags, settings } = facets;
        // An attribute that is not sent keeps its spelling.
        let changes_tags = tags.is_some() && tags != self.facets.tags;
        let reported = if reported.is_plain() {
            self.reported.after(data != self.data, changes_tags)
        } else {
            reported
        };
        let proxied = proxied.or(self.facets.proxied);
        RecordForm {
            name,
            data,
            facets: Facets {
                ttl: if proxied == Some(true) {
                    Some(Ttl::AUTOMATIC)
                } else {
                    ttl.or(self.facets.ttl)
                },
                proxied,
                comment: comment.or_else(|| self.facets.comment.clone()),
                tags: tags.or_else(|| self.facets.tags.clone()),
                settings: settings.with(self.facets.settings, |_, changed, own| changed.or(own)),
            },
            reported,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_proxied_is_as_in_the_facts() {
        let proxiable: Vec<_> =
            RecordType::ALL.iter().copied().filter(|kind| kind.facts().proxiable).collect();
        assert_eq!(proxiable, PROXIABLE);
    }

    #[test]
    fn tags_compare_their_names_without_case() {
        assert_eq!(Tag::parse("Team:DNS").unwrap(), Tag::reported("team:DNS"));
        assert_ne!(Tag::parse("team:dns").unwrap(), Tag::parse("team:DNS").unwrap());
        assert_eq!(Tag::parse("a:").unwrap(), Tag::parse("A").unwrap());
        assert_eq!(Tag::parse("cf-x:1"), Err(TagError::Reserved));
        assert!(matches!(Tag::parse("a b"), Err(TagError::Name(_))));
        assert!(matches!(Tag::parse(&format!("a:{}", "ä".repeat(101))), Err(TagError::Value(101))));
        assert!(Tag::parse(&format!("a:{}", "ä".repeat(100))).is_ok());
    }
}
