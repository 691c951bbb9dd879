//! Records as the spec wants them and as the service has them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::danger::Danger;
use super::name::Fqdn;
use super::rdata::{Rdata, RecordType};
use super::ttl::Ttl;
use crate::diagnostic::Place;

/// The service's id of a zone: 32 hexadecimal digits, taken as they come.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZoneId(pub String);

/// The service's id of a record: 32 hexadecimal digits, taken as they come.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub String);

impl fmt::Display for ZoneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the spec says about a comment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comment {
    /// This text.
    Set(String),
    /// None: `comment: null`.
    Clear,
}

/// Why a text is no comment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommentError {
    /// It is too long.
    #[error("the comment has {0} characters")]
    Long(usize),
    /// It holds a control character.
    #[error("{} stands in the comment", if matches!(.0, '\n' | '\r') { "a line break".to_owned() } else { format!("{:?}", .0) })]
    Control(char),
}

impl Comment {
    /// Longest comment that any plan allows.
    ///
    /// # Units
    /// Characters.
    pub const MOST_CHARACTERS: usize = 500;

    /// A comment as written in a spec; an empty one is none.
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

    /// The text wanted, if any.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Set(text) => Some(text),
            Self::Clear => None,
        }
    }
}

/// A tag, `name:value` or `name`; the name is compared without case.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/reference/record-attributes, read 2026-11-20.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

/// Why a text is no tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    /// The name is empty, too long, or has other characters.
    #[error("`{0}` is not a tag name: 1 to 32 letters, digits, `-` or `_`")]
    Name(String),
    /// The value is too long.
    #[error("the tag value has {0} characters; at most 100 are allowed")]
    Value(usize),
    /// Reserved by the service.
    #[error("tag names that begin with `cf-` are reserved by the service")]
    Reserved,
}

impl Tag {
    /// Most tags that any plan allows on a record.
    pub const MOST: usize = 20;

    /// A tag as written in a spec.
    ///
    /// # Errors
    /// A name outside 1…32 letters, digits, `-`, `_` or beginning with `cf-`; a value above 100 characters.
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

    /// A tag as the service reported it.
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

/// The service's per-record settings; `None` where the spec is silent or the service did not report one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Settings {
    /// Answer with the addresses behind a CNAME.
    pub flatten_cname: Option<bool>,
    /// Answer with IPv4 addresses only, on proxied records.
    pub ipv4_only: Option<bool>,
    /// Answer with IPv6 addresses only, on proxied records.
    pub ipv6_only: Option<bool>,
}

impl Settings {
    /// The settings with their names, in a fixed order.
    #[must_use]
    pub fn named(self) -> [(&'static str, Option<bool>); 3] {
        let Self { flatten_cname, ipv4_only, ipv6_only } = self;
        [("flatten_cname", flatten_cname), ("ipv4_only", ipv4_only), ("ipv6_only", ipv6_only)]
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_silent(self) -> bool {
        self == Self::default()
    }
}

/// What the spec says about a record beside its value. `None` is silence: the live value is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facets {
    /// Time to live.
    pub ttl: Option<Ttl>,
    /// Whether traffic goes through the service.
    pub proxied: Option<bool>,
    /// A note for people.
    pub comment: Option<Comment>,
    /// Tags, as a set.
    pub tags: Option<BTreeSet<Tag>>,
    /// Per-record settings.
    pub settings: Settings,
}

/// How the author wrote a record, kept for printing it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// The name, as written.
    pub name: Box<str>,
    /// Where its value stands.
    pub place: Place,
    /// Where its entry stands; for one of several values of an entry, that value.
    pub entry: Place,
}

/// A record that the spec wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredRecord {
    /// Full name.
    pub name: Fqdn,
    /// Value; never opaque.
    pub data: Rdata,
    /// The rest of what the spec says.
    pub facets: Facets,
    /// Changing or deleting it needs its own consent.
    pub protect: bool,
    /// Dangers that are accepted for it, with the reasons; `None` for none, as almost always.
    pub allow: Option<Box<BTreeMap<Danger, String>>>,
    /// How it was written.
    pub spelling: Spelling,
}

/// A record that the spec wants gone (`state: absent`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Full name.
    pub name: Fqdn,
    /// Type.
    pub record_type: RecordType,
    /// Only this value; `None` for every value at the name and type.
    pub data: Option<Rdata>,
    /// Dangers that are accepted for it, with the reasons.
    pub allow: Option<Box<BTreeMap<Danger, String>>>,
    /// How it was written.
    pub spelling: Spelling,
}

/// Why the service lets nobody change a record here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadOnly {
    /// `meta.read_only`: a product of the service owns it.
    ReadOnly,
    /// `meta.email_routing`: written by Email Routing.
    EmailRouting,
    /// `meta.managed_by_apps`.
    Apps,
    /// `meta.managed_by_argo_tunnel`, in the seed document `managed_by_edge_tunnel`.
    Tunnel,
    /// `meta.auto_added`: found by the service's scan when the zone was added.
    AutoAdded,
    /// `locked`.
    Locked,
    /// A name server of the zone itself, which the service maintains.
    ZoneNameServer,
    /// A name outside of the zone, however it came to be listed: what is written to it could not be taken back here.
    OtherZone,
}

impl ReadOnly {
    /// In words, after "managed by".
    #[must_use]
    pub fn owner(self) -> &'static str {
        match self {
            Self::ReadOnly => "the service (read-only)",
            Self::EmailRouting => "Email Routing",
            Self::Apps => "an app",
            Self::Tunnel => "a tunnel",
            Self::AutoAdded => "the service's scan (auto-added)",
            Self::Locked => "the service (locked)",
            Self::ZoneNameServer => "the service (name server of the zone)",
            Self::OtherZone => "another zone (its name is not in this one)",
        }
    }
}

/// A record that the service has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveRecord {
    /// The service's id.
    pub id: RecordId,
    /// Full name.
    pub name: Fqdn,
    /// Value; opaque if we do not understand it.
    pub data: Rdata,
    /// Time to live.
    pub ttl: Ttl,
    /// Whether traffic goes through the service.
    pub proxied: bool,
    /// The note.
    pub comment: Option<String>,
    /// Tags.
    pub tags: BTreeSet<Tag>,
    /// Settings as far as reported.
    pub settings: Settings,
    /// Why it must not be touched, if so.
    pub read_only: Option<ReadOnly>,
    /// When it was last changed, as the service wrote it (RFC 3339).
    pub modified_on: Option<String>,
}

/// A record as one value: what is written, shown, expected and restored.
///
/// From a desired record, silence stays silence; from a live record, everything is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordForm {
    /// Full name.
    pub name: Fqdn,
    /// Value.
    pub data: Rdata,
    /// The rest.
    pub facets: Facets,
}

impl DesiredRecord {
    /// What the spec says, as one value.
    #[must_use]
    pub fn form(&self) -> RecordForm {
        RecordForm { name: self.name.clone(), data: self.data.clone(), facets: self.facets.clone() }
    }
}

impl LiveRecord {
    /// What the service has, as one value.
    #[must_use]
    pub fn form(&self) -> RecordForm {
        let Self { id: _, name, data, ttl, proxied, comment, tags, settings, read_only: _, modified_on: _ } = self;
        let facets = Facets {
            ttl: Some(*ttl),
            proxied: Some(*proxied),
            comment: Some(comment.clone().map_or(Comment::Clear, Comment::Set)),
            tags: Some(tags.clone()),
            settings: *settings,
        };
        RecordForm { name: name.clone(), data: data.clone(), facets }
    }
}

impl RecordForm {
    /// This form with nothing said about settings that are off: they are off by themselves, and naming them can be refused.
    #[must_use]
    pub fn without_settings_off(&self) -> RecordForm {
        let Settings { flatten_cname, ipv4_only, ipv6_only } = self.facets.settings;
        let on = |setting: Option<bool>| setting.filter(|on| *on);
        let settings =
            Settings { flatten_cname: on(flatten_cname), ipv4_only: on(ipv4_only), ipv6_only: on(ipv6_only) };
        RecordForm { facets: Facets { settings, ..self.facets.clone() }, ..self.clone() }
    }

    /// This form with everything that `desired` says laid over it; what the service would then have.
    ///
    /// Proxied records always have an automatic time to live.
    #[must_use]
    pub fn overlaid(&self, desired: &RecordForm) -> RecordForm {
        let RecordForm { name, data, facets: Facets { ttl, proxied, comment, tags, settings } } = desired.clone();
        let proxied = proxied.or(self.facets.proxied);
        let own = self.facets.settings;
        RecordForm {
            name,
            data,
            facets: Facets {
                ttl: if proxied == Some(true) { Some(Ttl::AUTOMATIC) } else { ttl.or(self.facets.ttl) },
                proxied,
                comment: comment.or_else(|| self.facets.comment.clone()),
                tags: tags.or_else(|| self.facets.tags.clone()),
                settings: Settings {
                    flatten_cname: settings.flatten_cname.or(own.flatten_cname),
                    ipv4_only: settings.ipv4_only.or(own.ipv4_only),
                    ipv6_only: settings.ipv6_only.or(own.ipv6_only),
                },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
