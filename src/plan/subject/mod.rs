//! What an operation is about. What differs between zones, settings, rules and records is here:
//! what can be done to it, what is expected to be there, the request, and the words of a reviewer.
//!
//! A new kind of thing is a variant of [`Subject`]; the compiler then names every place that has to
//! know it.

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

/// What an operation is about, with what is done to it.
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
    /// The kind of thing that an operation is about, for programs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SubjectKind {
        /// A zone.
        Zone = "zone",
        /// A setting of a zone.
        Setting = "zone_setting",
        /// DNSSEC.
        Dnssec = "dnssec",
        /// DNS settings.
        DnsSettings = "dns_settings",
        /// The first rules of a phase.
        EntryPoint = "entry_point",
        /// A rule.
        Rule = "waf_rule",
        /// A DNS record.
        Record = "dns_record",
    }
}

impl Subject {
    /// What is done.
    #[must_use]
    pub fn action(&self) -> Action {
        match self {
            Self::Zone => Action::Create,
            Self::Setting(_) => Action::Update,
            Self::Rule(rule) => rule.action.kind(),
            Self::Record(record) => record.action(),
        }
    }

    /// The kind of thing, for programs.
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

    /// The kind of thing, for people.
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

    /// Why it is done, or how, where the action alone does not say it.
    #[must_use]
    pub fn why(&self) -> Why {
        match self {
            Self::Zone | Self::Setting(_) => Why::default(),
            Self::Rule(rule) => rule.action.why(),
            Self::Record(record) => record.why(),
        }
    }

    /// The setting, if it is one.
    #[must_use]
    pub fn setting(&self) -> Option<&ZoneSetting> {
        match self {
            Self::Setting(setting) => Some(setting),
            Self::Zone | Self::Rule(_) | Self::Record(_) => None,
        }
    }

    /// The rule, if it is one.
    #[must_use]
    pub fn rule(&self) -> Option<&RuleSubject> {
        match self {
            Self::Rule(rule) => Some(rule),
            Self::Zone | Self::Setting(_) | Self::Record(_) => None,
        }
    }

    /// The record, if it is one.
    #[must_use]
    pub fn record(&self) -> Option<&RecordSubject> {
        match self {
            Self::Record(record) => Some(record),
            Self::Zone | Self::Setting(_) | Self::Rule(_) => None,
        }
    }

    /// The request that carries it out by itself.
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
