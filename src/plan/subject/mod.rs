//! The object of an operation. Everything that differs between zones, settings, rules and records
//! is here: the possible changes, the expected state, the request, and the words for a reviewer.
//!
//! A new kind of object is a variant of [`Subject`]. The compiler then reports every place that has
//! to handle it.

mod record;
mod rule;

use super::action::{Action, Why};
use crate::diff::ZoneSetting;
use crate::model::{ZoneId, ZoneName, closed_set};
use crate::wire::Request;
use crate::wire::settings::{patch_dns_settings, patch_dnssec, patch_setting};
use crate::wire::zone::create_zone;

pub use record::RecordSubject;
pub(super) use record::batch_request;
pub use rule::{ExpectRuleset, RuleAction, RuleSubject};

/// The object of an operation, with the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The zone itself, which is created.
    Zone,
    /// A setting of the zone, DNSSEC or DNS settings, which are changed.
    Setting(ZoneSetting),
    /// A rule, or the entry point of a phase.
    Rule(Box<RuleSubject>),
    /// A DNS record.
    Record(RecordSubject),
}

closed_set! {
    /// The kind of object of an operation, for programs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SubjectKind {
        Zone = "zone",
        /// A setting of a zone.
        Setting = "zone_setting",
        Dnssec = "dnssec",
        DnsSettings = "dns_settings",
        /// The first rules of a phase.
        EntryPoint = "entry_point",
        Rule = "waf_rule",
        /// A DNS record.
        Record = "dns_record",
    }
}

impl Subject {
    /// Returns the action.
    #[must_use]
    pub fn action(&self) -> Action {
        match self {
            Self::Zone => Action::Create,
            Self::Setting(_) => Action::Update,
            Self::Rule(rule) => rule.action.kind(),
            Self::Record(record) => record.action(),
        }
    }

    /// Returns the kind of object, for programs.
    #[must_use]
    pub fn kind(&self) -> SubjectKind {
        match self {
            Self::Zone => SubjectKind::Zone,
            Self::Setting(ZoneSetting::Setting { .. }) => SubjectKind::Setting,
            Self::Setting(ZoneSetting::Dnssec { .. }) => SubjectKind::Dnssec,
            Self::Setting(ZoneSetting::DnsSettings { .. }) => SubjectKind::DnsSettings,
            Self::Rule(rule) if rule.action.makes_entry_point() => SubjectKind::EntryPoint,
            Self::Rule(_) => SubjectKind::Rule,
            Self::Record(_) => SubjectKind::Record,
        }
    }

    /// Returns the kind of object, for people.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Zone => "zone",
            Self::Setting(ZoneSetting::Setting { .. }) => "setting",
            Self::Setting(ZoneSetting::Dnssec { .. }) => "dnssec",
            Self::Setting(ZoneSetting::DnsSettings { .. }) => "dns_settings",
            Self::Rule(rule) if rule.action.makes_entry_point() => "rules",
            Self::Rule(_) => "rule",
            Self::Record(_) => "record",
        }
    }

    /// Returns the reason for the operation, if the action alone does not show it.
    #[must_use]
    pub fn why(&self) -> Why {
        match self {
            Self::Zone | Self::Setting(_) => Why::default(),
            Self::Rule(rule) => rule.action.why(),
            Self::Record(record) => record.why(),
        }
    }

    /// Returns the setting, if it is one.
    #[must_use]
    pub fn setting(&self) -> Option<&ZoneSetting> {
        match self {
            Self::Setting(setting) => Some(setting),
            Self::Zone | Self::Rule(_) | Self::Record(_) => None,
        }
    }

    /// Returns the rule, if it is one.
    #[must_use]
    pub fn rule(&self) -> Option<&RuleSubject> {
        match self {
            Self::Rule(rule) => Some(rule),
            Self::Zone | Self::Setting(_) | Self::Record(_) => None,
        }
    }

    /// Returns the record, if it is one.
    #[must_use]
    pub fn record(&self) -> Option<&RecordSubject> {
        match self {
            Self::Record(record) => Some(record),
            Self::Zone | Self::Setting(_) | Self::Rule(_) => None,
        }
    }

    /// Returns the request that executes it by itself.
    pub(super) fn request(&self, zone: &ZoneId, name: &ZoneName, account: Option<&str>) -> Request {
        match self {
            Self::Zone => create_zone(name, account),
            Self::Setting(ZoneSetting::Setting { name, value }) => patch_setting(zone, name, value),
            Self::Setting(ZoneSetting::Dnssec { on }) => patch_dnssec(zone, *on),
            Self::Setting(ZoneSetting::DnsSettings { members }) => {
                patch_dns_settings(zone, members)
            }
            Self::Rule(rule) => rule.request(zone),
            Self::Record(record) => record.request(zone),
        }
    }
}
