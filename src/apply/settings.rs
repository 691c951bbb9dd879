//! Executes changes of a zone itself: its settings, DNSSEC, its DNS settings.
//!
//! | answer | what follows |
//! |---|---|
//! | one that was lost | the setting is read: it is as it should be, or as before and the change is sent again |
//! | one that says both yes and no, or "no" to what was sent again | the same, but it is not sent again |
//! | a refusal | that setting stays as it is, the others go on |
//! | a refusal for the credentials | the same, but no other setting of that kind is sent: each kind needs a permission of its own |
//! | one that says nothing of an earlier try that was lost | the result of that one is unknown |
//! | no connection, too many requests, nothing to be read | no other setting is sent |
//!
//! A setting that has neither the value before nor the value after was changed by someone else,
//! before our change or after it. Sending our change again could undo theirs, so it is not sent and
//! the result is unknown.

use std::mem::{Discriminant, discriminant};

use super::event::ApplyEvent;
use super::executor::{BROKEN, Executor};
use super::failed_writes::{Judged, error_with_advice, is_hopeless};
use super::journal::StepFate;
use super::outcome::OperationOutcome;
use super::write_attempts::{Attempt, Failure, SeenState, WriteVerdict, judged};
use crate::api::{ApiError, Writer};
use crate::diff::{SettingChange, ZoneSetting, diff_settings};
use crate::live::fetch_settings;
use crate::model::{DesiredSettings, DesiredZone, LiveSetting, LiveZone, ZoneName};
use crate::plan::{Operation, ZonePlan, lower_operation};
use crate::wire::{Envelope, Request};

/// A setting of a zone to be changed.
pub(super) struct SettingWork<'a> {
    /// The zone's plan, with its id.
    pub(super) zone: &'a ZonePlan,
    /// The desired state of the zone.
    pub(super) desired: &'a DesiredZone,
    /// The zone as it was when the change was planned.
    pub(super) live: &'a LiveZone,
    pub(super) operation: &'a Operation,
    pub(super) setting: &'a ZoneSetting,
}

/// The result of a change.
pub(super) struct Changed {
    pub(super) outcome: OperationOutcome,
    /// Its effect on later changes, and the reason.
    pub(super) ends: (Ends, String),
}

impl From<OperationOutcome> for Changed {
    fn from(outcome: OperationOutcome) -> Self {
        Self { outcome, ends: (Ends::Nothing, String::new()) }
    }
}

/// The later changes that would fail as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ends {
    /// No change.
    Nothing,
    /// Changes of this kind.
    Kind(Discriminant<ZoneSetting>),
    /// All changes.
    All,
}

impl Ends {
    /// Returns true if sending this change is useless.
    pub(super) fn covers(&self, setting: &ZoneSetting) -> bool {
        match self {
            Self::Nothing => false,
            Self::Kind(kind) => *kind == discriminant(setting),
            Self::All => true,
        }
    }

    /// Returns the effect of a refusal on later changes.
    fn of(error: &ApiError, setting: &ZoneSetting) -> Self {
        match error.status() {
            _ if !is_hopeless(error) => Self::Nothing,
            Some(403) if !matches!(error, ApiError::Throttled { .. }) => {
                Self::Kind(discriminant(setting))
            }
            _ => Self::All,
        }
    }
}

impl<W: Writer> Executor<'_, W> {
    pub(super) async fn change(&self, work: &SettingWork<'_>) -> Changed {
        let SettingWork { zone, operation, .. } = work;
        let request = lower_operation(zone, operation, None);
        if let Some(reason) = self.halted() {
            return OperationOutcome::NotSent(reason.to_owned()).into();
        }
        let Some(number) = self.journal.intent_of(zone, operation, &[], &request) else {
            return OperationOutcome::NotSent(BROKEN.to_owned()).into();
        };
        let ends = (Ends::Nothing, String::new());
        let mut attempt = SettingAttempt { executor: self, work, request, sent: 1, ends };
        let (word, detail, outcome) = self.settle(&mut attempt).await;
        self.journal.outcome(number, word, detail.as_deref(), None);
        Changed { outcome, ends: attempt.ends }
    }
}

/// A change of a setting that is sent.
struct SettingAttempt<'a, 'e, W> {
    executor: &'a Executor<'e, W>,
    work: &'a SettingWork<'a>,
    request: Request,
    sent: usize,
    /// Its effect on later changes, and the reason.
    ends: (Ends, String),
}

impl<W: Writer> Attempt for SettingAttempt<'_, '_, W> {
    type End = Judged;

    fn zone(&self) -> &ZoneName {
        &self.work.zone.name
    }

    fn sends(&self) -> usize {
        self.sent
    }

    async fn send(&mut self) -> Result<Envelope, ApiError> {
        self.executor.writer.write(&self.request).await
    }

    async fn accepted(&mut self, _: Envelope) -> Result<Judged, String> {
        Ok((StepFate::Done, None, OperationOutcome::Done))
    }

    async fn read_back(&mut self, failure: &Failure) -> SeenState {
        let Self { executor, work, .. } = self;
        let SettingWork { zone, desired, live, setting, .. } = work;
        executor
            .observer
            .event(&ApplyEvent::Settling { zone: zone.name.clone(), reason: failure.reason() });
        let setting_to_read = only(setting, &desired.settings);
        let settings =
            match fetch_settings(executor.reader, live, &setting_to_read, executor.options).await {
                Ok(settings) => settings,
                Err(error) => {
                    return SeenState::Unread(format!(
                        "it could not be read to see what took effect: {error}"
                    ));
                }
            };
        let is_reported = match setting {
            ZoneSetting::Setting { name, .. } => {
                matches!(settings.settings.get(name), Some(LiveSetting::Value { .. }))
            }
            ZoneSetting::Dnssec { .. } => settings.dnssec.is_some(),
            ZoneSetting::DnsSettings { .. } => !settings.dns_settings.is_empty(),
        };
        if !is_reported {
            return SeenState::Unread("Cloudflare does not report the current value".to_owned());
        }
        seen(work, &LiveZone { settings, ..(*live).clone() })
    }

    fn lost(&mut self, _: &Failure) {
        self.sent += 1;
    }

    async fn conclude(&mut self, verdict: WriteVerdict<'_>, failure: &Failure) -> Judged {
        let refusal = match &verdict {
            WriteVerdict::Refused(error) | WriteVerdict::EarlierUnknown(error) => {
                Some(Ends::of(error, self.work.setting))
            }
            _ => None,
        };
        let is_unread = matches!(verdict, WriteVerdict::Unread(_));
        let judged = judged(verdict, failure, self.sent, error_with_advice);
        if let Some(ends) = refusal {
            self.ends = (ends, failure.reason());
        } else if is_unread && let OperationOutcome::Unknown(reason) = &judged.2 {
            self.ends = (Ends::All, reason.clone());
        }
        judged
    }
}

/// Returns the state of a change in a zone that was read again.
fn seen(work: &SettingWork<'_>, now: &LiveZone) -> SeenState {
    let SettingWork { zone, desired, operation, setting, .. } = work;
    match change_of(setting, desired, now) {
        None => SeenState::Done,
        // Nobody else knows a new zone, and its state before the change could not be read.
        Some(_) if zone.is_new => SeenState::Pending,
        Some(change) if change.fields == operation.fields => SeenState::Pending,
        Some(_) => SeenState::Moved(
            "it has neither its previous nor its planned value: someone else changed it".to_owned(),
        ),
    }
}

/// Returns the remaining change of a setting, if any.
pub(super) fn change_of(
    setting: &ZoneSetting,
    desired: &DesiredZone,
    now: &LiveZone,
) -> Option<SettingChange> {
    diff_settings(desired, now).into_iter().find(|change| match (&change.setting, setting) {
        (ZoneSetting::Setting { name: a, .. }, ZoneSetting::Setting { name: b, .. }) => a == b,
        (ZoneSetting::Dnssec { .. }, ZoneSetting::Dnssec { .. }) => true,
        (ZoneSetting::DnsSettings { .. }, ZoneSetting::DnsSettings { .. }) => true,
        (
            ZoneSetting::Setting { .. }
            | ZoneSetting::Dnssec { .. }
            | ZoneSetting::DnsSettings { .. },
            _,
        ) => false,
    })
}

/// Returns the desired state of one setting.
fn only(setting: &ZoneSetting, named: &DesiredSettings) -> DesiredSettings {
    let DesiredSettings { settings, dnssec, dns_settings } = named;
    let mut desired_settings = DesiredSettings::default();
    match setting {
        ZoneSetting::Setting { name, .. } => {
            desired_settings.settings.extend(
                settings.get_key_value(name).map(|(name, wanted)| (name.clone(), wanted.clone())),
            );
        }
        ZoneSetting::Dnssec { .. } => desired_settings.dnssec = *dnssec,
        ZoneSetting::DnsSettings { .. } => desired_settings.dns_settings.clone_from(dns_settings),
    }
    desired_settings
}
