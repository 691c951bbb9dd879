//! The fields in which something differs from what is wanted of it.

use std::fmt;

use crate::model::{Value, closed_set};

/// A field of a record, a setting or a rule. As text it is the name by which outputs know it,
/// mostly that of Cloudflare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// Of a record's value, what is beside `data`: `content`, `priority`.
    Value(&'static str),
    /// Of a record's value, a member of `data`.
    Data(&'static str),
    /// A record's time to live.
    Ttl,
    /// Whether a record is proxied.
    Proxied,
    /// A record's comment.
    Comment,
    /// A record's tags.
    Tags,
    /// A member of a record's `settings`.
    Flag(&'static str),
    /// The value of a zone setting.
    Setting,
    /// The status of DNSSEC.
    DnssecStatus,
    /// A member of the DNS settings.
    DnsSetting(String),
    /// What a rule says.
    Rule(RuleField),
}

/// What a rule says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleField {
    /// A member of its definition by path, or what the spec calls it: `expression`,
    /// `ratelimit.period`, `paranoia`.
    Member(String),
    /// Of a deployment, what it says about a rule of its ruleset.
    ManagedRule {
        /// What a person calls the rule: its number, its description or its id.
        rule: String,
        /// What of it.
        what: Override,
    },
    /// Of a deployment, what it says about the rules with a tag.
    Tag {
        /// The tag.
        tag: String,
        /// What of them.
        what: Override,
    },
    /// Of one of several rules that are created together.
    Of {
        /// The rule's name.
        rule: String,
        /// What it says.
        field: Box<RuleField>,
    },
}

closed_set! {
    /// What a deployment says about rules of its ruleset.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Override {
        /// Whether they are on.
        Enabled = "enabled",
        /// What they do.
        Action = "action",
        /// The score from which on they act.
        Threshold = "threshold",
        /// What this version does not know.
        Other = "other",
    }
}

impl Field {
    /// Whether it is beside the value of a record rather than in it.
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

/// One field that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// Which.
    pub field: Field,
    /// What Cloudflare has.
    pub before: Value,
    /// What the spec wants.
    pub after: Value,
}
