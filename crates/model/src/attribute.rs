//! The attributes of a record other than its value: their names, values, and what a spec can say.

use std::collections::BTreeSet;

use super::fields::Value;
use super::record::{Comment, Facets, LiveRecord, Settings, Tag};
use super::ttl::Ttl;

/// An attribute of a record that is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute<'f> {
    /// The time to live.
    Ttl(Ttl),
    /// The proxy status.
    Proxied(bool),
    /// The comment; `None` for no comment.
    Comment(Option<&'f str>),
    /// All tags of the record, in order.
    Tags(&'f BTreeSet<Tag>),
    /// A per-record setting, by its name.
    Setting(&'static str, bool),
}

impl Attribute<'_> {
    /// Returns its name in a spec and in the API.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ttl(_) => "ttl",
            Self::Proxied(_) => "proxied",
            Self::Comment(_) => "comment",
            Self::Tags(_) => "tags",
            Self::Setting(name, _) => name,
        }
    }

    /// Returns its value in a spec.
    #[must_use]
    pub fn value(self) -> Value {
        match self {
            Self::Ttl(ttl) => ttl.into(),
            Self::Proxied(is_on) | Self::Setting(_, is_on) => is_on.into(),
            Self::Comment(text) => text.map_or(Value::Null, Value::from),
            Self::Tags(tags) => {
                Value::List(tags.iter().map(|tag| Value::from(tag.as_str())).collect())
            }
        }
    }

    /// Returns true if a spec can express it. Cloudflare accepts values that a spec refuses, such
    /// as a comment of several lines.
    #[must_use]
    pub fn is_expressible(self) -> bool {
        match self {
            Self::Ttl(ttl) => Ttl::seconds(u64::from(ttl.as_number())).is_ok(),
            Self::Comment(text) => Comment::parse(text.unwrap_or_default()).is_ok(),
            Self::Tags(tags) => {
                tags.len() <= Tag::MOST && tags.iter().all(|tag| Tag::parse(tag.as_str()).is_ok())
            }
            Self::Proxied(_) | Self::Setting(..) => true,
        }
    }
}

impl Facets {
    /// Returns the attributes that are set, in the order of [`Attribute`].
    pub fn attributes(&self) -> impl Iterator<Item = Attribute<'_>> {
        let Self { ttl, proxied, comment, tags, settings } = self;
        let first = [
            ttl.map(Attribute::Ttl),
            proxied.map(Attribute::Proxied),
            comment.as_ref().map(|comment| Attribute::Comment(comment.text())),
            tags.as_ref().map(Attribute::Tags),
        ];
        let settings = settings.named().into_iter();
        let settings = settings.filter_map(|(name, value)| Some(Attribute::Setting(name, value?)));
        first.into_iter().flatten().chain(settings)
    }

    /// Removes the attributes that a spec cannot express.
    pub fn remove_inexpressible(&mut self) {
        let Self { ttl, proxied: _, comment, tags, settings: _ } = self;
        ttl.take_if(|ttl| !Attribute::Ttl(*ttl).is_expressible());
        comment.take_if(|comment| !Attribute::Comment(comment.text()).is_expressible());
        tags.take_if(|tags| !Attribute::Tags(tags).is_expressible());
    }
}

impl LiveRecord {
    /// Returns the attributes that a spec of this record sets: those that differ from Cloudflare's
    /// defaults, the time to live, and the proxy status if the type has one.
    #[must_use]
    pub fn facets_for_spec(&self) -> Facets {
        let Self { data, ttl, proxied, comment, tags, settings, .. } = self;
        let record_type = data.record_type();
        // A setting that is off equals an absent one, also where a record type does not have the
        // setting.
        let on = settings.with(Settings::default(), |_, own, _| own.filter(|is_on| *is_on));
        Facets {
            ttl: (!proxied).then_some(*ttl),
            proxied: record_type.is_some_and(|t| t.facts().proxiable).then_some(*proxied),
            comment: comment.clone().filter(|text| !text.is_empty()).map(Comment::Set),
            tags: (!tags.is_empty()).then(|| tags.clone()),
            settings: record_type.map_or(on, |t| on.within(t, Some(*proxied))),
        }
    }
}
