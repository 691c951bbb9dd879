//! Records as the spec wants them and as Cloudflare has them.

use std::collections::{BTreeMap, BTreeSet};

use super::cloudflare_spelling::AsReported;
use super::danger::Danger;
use super::ids::RecordId;
use super::name::Fqdn;
use super::rdata::{Rdata, RecordType};
use super::read_only::ReadOnly;
use super::ttl::Ttl;
use crate::diagnostic::Place;

/// What the spec says about a comment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comment {
    /// This text.
    Set(String),
    /// No comment: `comment: null`.
    Clear,
}

/// Why a text is not a valid comment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommentError {
    /// It is too long.
    #[error("the comment has {0} characters")]
    Long(usize),
    /// It contains a control character.
    #[error("{} is in the comment", if matches!(.0, '\n' | '\r') { "a line break".to_owned() } else { format!("{:?}", .0) })]
    Control(char),
}

impl Comment {
    /// Longest comment that any plan allows.
    ///
    /// # Units
    /// Characters.
    pub const MOST_CHARACTERS: usize = 500;

    /// A comment as written in a spec; an empty one counts as no comment.
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

    /// The wanted text, if any.
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

/// Why a text is not a valid tag.
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
    /// How many tags a record may have at most on any plan.
    pub const MOST: usize = 20;

    /// A tag as written in a spec.
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

    /// A tag as Cloudflare reported it.
    #[must_use]
    pub fn reported(text: &str) -> Self {
        match text.split_once(':') {
            Some((name, "")) => Self(name.to_ascii_lowercase()),
            Some((name, value)) => Self(format!("{}:{value}", name.to_ascii_lowercase())),
            None => Self(text.to_ascii_lowercase()),
        }
    }

    /// The canonical text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The records for which Cloudflare has a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingScope {
    /// Their types.
    pub types: &'static [RecordType],
    /// Whether they are proxied.
    pub is_proxied: bool,
}

impl SettingScope {
    /// Whether records of a type have the setting; `is_proxied` is `None` if that is not said.
    #[must_use]
    pub fn has(&self, record_type: RecordType, is_proxied: Option<bool>) -> bool {
        self.types.contains(&record_type)
            && is_proxied.is_none_or(|proxied| proxied == self.is_proxied)
    }
}

/// Declares the settings: the one list.
macro_rules! settings {
    ($($(#[$about:meta])* $name:ident: $scope:expr,)+) => {
        /// Cloudflare's per-record settings; `None` if not set in the spec, or not reported by
        /// Cloudflare.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct Settings {
            $($(#[$about])* pub $name: Option<bool>,)+
        }

        impl Settings {
            /// The settings with their names, in a fixed order.
            #[must_use]
            pub fn named(self) -> [(&'static str, Option<bool>); [$(stringify!($name)),+].len()] {
                [$((stringify!($name), self.$name)),+]
            }

            /// The settings, each with the value for its name.
            #[must_use]
            pub fn of(value: impl Fn(&'static str) -> Option<bool>) -> Self {
                Self { $($name: value(stringify!($name))),+ }
            }

            /// Each of these settings, combined with that of the same name among others.
            #[must_use]
            pub fn with(
                self,
                others: Self,
                combine: impl Fn(&'static str, Option<bool>, Option<bool>) -> Option<bool>,
            ) -> Self {
                Self { $($name: combine(stringify!($name), self.$name, others.$name)),+ }
            }

            /// The records for which Cloudflare has the setting of a name.
            #[must_use]
            pub fn scope(name: &str) -> Option<SettingScope> {
                match name { $(stringify!($name) => Some($scope),)+ _ => None }
            }

            /// These settings without those that are on and that records of this kind do not have.
            #[must_use]
            pub fn within(self, record_type: RecordType, is_proxied: Option<bool>) -> Self {
                let is_possible = |scope: SettingScope, on: bool| !on || scope.has(record_type, is_proxied);
                Self { $($name: self.$name.filter(|on| is_possible($scope, *on))),+ }
            }

            /// The setting of a name.
            pub fn by_name(&mut self, name: &str) -> Option<&mut Option<bool>> {
                match name { $(stringify!($name) => Some(&mut self.$name),)+ _ => None }
            }
        }
    };
}

settings! {
    /// Answer with the addresses behind a CNAME.
    ///
    /// # Sources
    /// developers.cloudflare.com/api/resources/dns, read 2026-11-22: not available for proxied
    /// records.
    flatten_cname: SettingScope { types: &[RecordType::Cname], is_proxied: false },
    /// Answer with IPv4 addresses only, on proxied records.
    ///
    /// # Sources
    /// developers.cloudflare.com/api/resources/dns, read 2026-11-22: only for proxied records.
    ipv4_only: SettingScope { types: PROXIABLE, is_proxied: true },
    /// Answer with IPv6 addresses only, on proxied records.
    ///
    /// # Sources
    /// As for `ipv4_only`.
    ipv6_only: SettingScope { types: PROXIABLE, is_proxied: true },
    /// Reach the origin through a private network, on proxied A and AAAA records. The API has it
    /// beside `settings`, not in it.
    ///
    /// # Sources
    /// developers.cloudflare.com/api/resources/dns (A, AAAA), read 2026-11-22, and
    /// /dns/manage-dns-records/how-to/private-network-routing, read 2026-11-26.
    private_routing: SettingScope { types: &[RecordType::A, RecordType::Aaaa], is_proxied: true },
}

/// The types that can be proxied, as their facts say.
const PROXIABLE: &[RecordType] = &[RecordType::A, RecordType::Aaaa, RecordType::Cname];

impl Settings {
    /// Whether no setting is set.
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
    /// Whether traffic goes through Cloudflare.
    pub proxied: Option<bool>,
    /// A note for people.
    pub comment: Option<Comment>,
    /// Tags, as a set.
    pub tags: Option<BTreeSet<Tag>>,
    /// Per-record settings.
    pub settings: Settings,
}

/// How the author wrote a record, kept for printing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// The name, as written.
    pub name: Box<str>,
    /// The place of its value.
    pub place: Place,
    /// The place of its entry; for one of several values of an entry, that of the value.
    pub entry: Place,
    /// How Cloudflare wrote it, if it is a record that is restored.
    pub reported: AsReported,
}

/// A record that the spec wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredRecord {
    /// Full name.
    pub name: Fqdn,
    /// Value; never opaque.
    pub data: Rdata,
    /// Its other attributes.
    pub facets: Facets,
    /// Whether changing or deleting it needs a separate consent.
    pub protect: bool,
    /// Accepted dangers with their reasons; `None` for none, the usual case.
    pub allow: Option<Box<BTreeMap<Danger, String>>>,
    /// How it was written.
    pub spelling: Spelling,
}

/// A record that must not exist (`state: absent`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Full name.
    pub name: Fqdn,
    /// Type.
    pub record_type: RecordType,
    /// Only this value; `None` for every value at the name and type.
    pub data: Option<Rdata>,
    /// Accepted dangers with their reasons.
    pub allow: Option<Box<BTreeMap<Danger, String>>>,
    /// How it was written.
    pub spelling: Spelling,
}

/// A live record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveRecord {
    /// Cloudflare's id.
    pub id: RecordId,
    /// Full name.
    pub name: Fqdn,
    /// Value; opaque if we cannot parse it.
    pub data: Rdata,
    /// Time to live.
    pub ttl: Ttl,
    /// Whether traffic goes through Cloudflare.
    pub proxied: bool,
    /// The comment.
    pub comment: Option<String>,
    /// Tags.
    pub tags: BTreeSet<Tag>,
    /// Settings, as far as reported.
    pub settings: Settings,
    /// Why it must not be changed, if so.
    pub read_only: Option<ReadOnly>,
    /// When it was last changed, as Cloudflare wrote it (RFC 3339).
    pub modified_on: Option<String>,
    /// How Cloudflare writes it.
    pub reported: AsReported,
}

/// A record as one value: what is written, shown, expected and restored.
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
    /// How Cloudflare writes it, if it came from there.
    pub reported: AsReported,
}

impl DesiredRecord {
    /// The record in the spec, as one value.
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
    /// The live record, as one value.
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
    /// This form with settings that are off left out: off is the default, and sending them can be
    /// refused.
    #[must_use]
    pub fn without_settings_off(&self) -> RecordForm {
        let settings = self
            .facets
            .settings
            .with(Settings::default(), |_, setting, _| setting.filter(|on| *on));
        RecordForm { facets: Facets { settings, ..self.facets.clone() }, ..self.clone() }
    }

    /// This form as this program writes it.
    #[must_use]
    pub fn in_own_spelling(&self) -> RecordForm {
        RecordForm { reported: AsReported::default(), ..self.clone() }
    }

    /// This form with everything that `desired` sets merged into it; what Cloudflare would then
    /// have.
    ///
    /// Proxied records always have an automatic time to live.
    #[must_use]
    pub fn overlaid(&self, desired: &RecordForm) -> RecordForm {
        let RecordForm { name, data, facets, reported } = desired.clone();
        let Facets { ttl, proxied, comment, tags, settings } = facets;
        // What is not sent stays as it is written.
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
