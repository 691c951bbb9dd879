//! One operation of an apply, on any kind of object.

use std::collections::BTreeMap;

use super::action::Action;
use super::cause::Cause;
use super::subject::{RecordSubject, RuleSubject, Subject};
use crate::diagnostic::Place;
use crate::diff::{FieldChange, ZoneSetting};
use crate::insight::Sentence;
use crate::insight::waf::Impact;
use crate::model::Narrow;
use crate::model::{Address, Danger};

/// One operation of an apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The address of its object.
    pub address: Address,
    /// Its object, and the change.
    pub subject: Subject,
    /// The fields that differ.
    pub fields: Vec<FieldChange>,
    pub cause: Cause,
    /// The effect on traffic; `None` if it is not judged.
    pub impact: Option<Impact>,
    pub dangers: Vec<Danger>,
    /// Dangers that the spec accepts, with the reasons.
    pub accepted: BTreeMap<Danger, String>,
    /// The evidence that a weakening is narrow, if it is.
    pub narrow: Option<Narrow>,
    /// The time of the last change of the live object, as Cloudflare wrote it; `None` if it does
    /// not say.
    pub modified_on: Option<String>,
    /// The spec entry that asks for it.
    pub place: Option<Place>,
}

impl Operation {
    /// Returns an operation with default attributes.
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

    /// Adds sentences to its effect. The name of its record is apart from their words.
    pub(super) fn explain(&mut self, lines: impl IntoIterator<Item = String>) {
        let name = self.record().map(|record| record.form().name.clone());
        let name = name.as_ref().map_or("", |name| name.as_str());
        let sentences = lines.into_iter().map(|line| Sentence::from(line).naming(name));
        self.impact.get_or_insert_with(Impact::default).lines.extend(sentences);
    }

    /// Returns its action.
    #[must_use]
    pub fn action(&self) -> Action {
        self.subject.action()
    }

    /// Returns the setting of an operation on a setting.
    #[must_use]
    pub fn setting(&self) -> Option<&ZoneSetting> {
        self.subject.setting()
    }

    /// Returns the rule of an operation on a rule.
    #[must_use]
    pub fn rule(&self) -> Option<&RuleSubject> {
        self.subject.rule()
    }

    /// Returns the record of an operation on a record.
    #[must_use]
    pub fn record(&self) -> Option<&RecordSubject> {
        self.subject.record()
    }
}
