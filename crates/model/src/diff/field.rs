//! The fields in which desired and live state can differ.

use std::fmt;

use crate::{Value, closed_set};

/// A field of a record, a setting or a rule. Its `Display` form is the name that outputs use,
/// mostly Cloudflare's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// A part of a record's value outside `data`: `content`, `priority`.
    Value(&'static str),
    /// A member of a record's `data`.
    Data(&'static str),
    /// A record's time to live.
    Ttl,
    /// A record's proxy status.
    Proxied,
    /// A record's comment.
    Comment,
    /// A record's tags.
    Tags,
    /// A member of a record's `settings`.
    Flag(&'static str),
    /// The value of a zone setting.
    Setting,
    /// `status` of DNSSEC, as Cloudflare calls it.
    DnssecStatus,
    /// A member of the DNS settings.
    DnsSetting(String),
    /// A field of a rule.
    Rule(RuleField),
}

/// A field of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleField {
    /// A member of the rule's definition by its path, or by its name in the spec: `expression`,
    /// `ratelimit.period`, `paranoia`.
    Member(String),
    /// An override that a deployment has for one rule of its ruleset.
    ManagedRule {
        /// The display name of the rule: its number, its description or its id.
        rule: String,
        /// The kind of override.
        what: Override,
    },
    /// An override that a deployment has for all rules with a tag.
    Tag {
        /// Cloudflare calls it a category.
        tag: String,
        /// The kind of override.
        what: Override,
    },
    /// A field of one of several rules that are created together.
    Of {
        /// The rule's name.
        rule: String,
        /// The field of that rule.
        field: Box<RuleField>,
    },
}

closed_set! {
    /// The kinds of overrides that a deployment can have for rules of its ruleset.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Override {
        /// The rules are switched on or off.
        Enabled = "enabled",
        /// The action of the rules.
        Action = "action",
        /// The score from which on the rules act.
        Threshold = "threshold",
        /// An override that this version does not know.
        Other = "other",
    }
}

impl Field {
    /// Returns true if the field is outside the value of a record, such as its time to live.
    #[must_use]
    pub fn is_facet(&self) -> bool {
        match self {
            Self::Ttl | Self::Proxied | Self::Comment | Self::Tags | Self::Flag(_) => true,
            Self::Value(_)
            | Self::Data(_)
            | Self::Setting
            | Self::DnssecStatus
            | Self::DnsSetting(_)
            | Self::Rule(_) => false,
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(name) => f.write_str(name),
            Self::Data(name) => write!(f, "data.{name}"),
            Self::Ttl => f.write_str("ttl"),
            Self::Proxied => f.write_str("proxied"),
            Self::Comment => f.write_str("comment"),
            Self::Tags => f.write_str("tags"),
            Self::Flag(name) => write!(f, "settings.{name}"),
            Self::Setting => f.write_str("value"),
            Self::DnssecStatus => f.write_str("status"),
            Self::DnsSetting(name) => f.write_str(name),
            Self::Rule(field) => field.fmt(f),
        }
    }
}

impl fmt::Display for RuleField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(path) => f.write_str(path),
            Self::ManagedRule { rule, what } => write!(f, "rules.{rule}.{}", what.as_str()),
            Self::Tag { tag, what } => write!(f, "tags.{tag}.{}", what.as_str()),
            Self::Of { rule, field } => write!(f, "{rule}.{field}"),
        }
    }
}

/// A field that differs, with both values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// Attribute of the record, setting or rule.
    pub field: Field,
    /// The live value.
    pub before: Value,
    /// The value of the spec.
    pub after: Value,
}
