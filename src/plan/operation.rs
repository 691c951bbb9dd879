//! One thing that apply will do, whatever it is about.

use std::collections::BTreeMap;

use super::action::Action;
use super::cause::Cause;
use super::subject::{RecordSubject, RuleSubject, Subject};
use crate::diagnostic::Place;
use crate::diff::{FieldChange, ZoneSetting};
use crate::insight::waf::Impact;
use crate::model::Narrow;
use crate::model::{Address, Danger};

/// One thing that apply will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The address of what it is about.
    pub address: Address,
    /// What it is about, and what is done to it.
    pub subject: Subject,
    /// The fields that differ.
    pub fields: Vec<FieldChange>,
    /// Why it is here.
    pub cause: Cause,
    /// What it means for traffic; `None` where that is not judged.
    pub impact: Option<Impact>,
    /// What is dangerous about it.
    pub dangers: Vec<Danger>,
    /// Dangers of it that the spec accepts, with the reasons.
    pub accepted: BTreeMap<Danger, String>,
    /// What makes it narrow, if it weakens the protection no more than that.
    pub narrow: Option<Narrow>,
    /// When what is live was last changed, as Cloudflare wrote it; `None` where it does not say so.
    pub modified_on: Option<String>,
    /// The spec entry that asks for it.
    pub place: Option<Place>,
}

impl Operation {
    /// An operation of which nothing more is known yet.
    pub(super) fn new(address: Address, subject: Subject) -> Self {
        Self {
            address,
            subject,
            fields: Vec::new(),
            cause: Cause::Unknown,
            impact: None,
            dangers: Vec::new(),
            accepted: BTreeMap::new(),
            narrow: None,
            modified_on: None,
            place: None,
        }
    }

    /// What is done.
    #[must_use]
    pub fn action(&self) -> Action {
        self.subject.action()
    }

    /// The setting that it is about, if it is about one.
    #[must_use]
    pub fn setting(&self) -> Option<&ZoneSetting> {
        self.subject.setting()
    }

    /// The rule that it is about, if it is about one.
    #[must_use]
    pub fn rule(&self) -> Option<&RuleSubject> {
        self.subject.rule()
    }

    /// The record that it is about, if it is about one.
    #[must_use]
    pub fn record(&self) -> Option<&RecordSubject> {
        self.subject.record()
    }
}
