//! Executes the operations on a zone itself: creates the zone and changes its settings.
//!
//! If the response to creating a zone is lost, the zone is looked up. A new zone can respond with
//! 403 for a while, so the executor waits for it, within limits.

use serde_json::Value as Json;

use super::event::ApplyEvent;
use super::executor::{BROKEN, Executor};
use super::failed_writes::{Judged, error_with_advice, judge_refusal, unknown};
use super::journal::StepFate;
use super::outcome::OperationOutcome;
use super::settings::{Changed, Ends, SettingWork, change_of};
use super::waits::FOR_NEW_ZONE;
use super::write_attempts::{Attempt, Failure, SeenState, WriteVerdict};
use crate::api::error_codes::ZONE_EXISTS;
use crate::api::{ApiError, Writer};
use crate::diff::ZoneSetting;
use crate::live::{FetchError, fetch_settings, find_zone_by_name};
use crate::model::{DesiredZone, LiveSetting, LiveZone, ZoneId, ZoneName};
use crate::plan::{Operation, Subject, ZonePlan, lower_operation};
use crate::wire::{Envelope, Request};
use crate::wire::{record::list_records, zone::read_zone};

/// The result of the operations on a zone itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The zone without its records. For a new zone, this is Cloudflare's response. `None` if the
    /// zone could not be created.
    pub zone: Option<LiveZone>,
    /// One outcome for each operation on the zone and its settings, in order.
    pub outcomes: Vec<OperationOutcome>,
}

impl<W: Writer> Executor<'_, W> {
    /// Executes the operations on a zone itself.
    ///
    /// A new zone is read before its settings are changed. Settings that already match are skipped,
    /// and a value that was planned without Cloudflare's spelling is sent in that spelling.
    pub async fn prepare(
        &self,
        zone: &ZonePlan,
        desired: &DesiredZone,
        live: &LiveZone,
    ) -> Prepared {
        let mut created_zone = (!zone.is_new).then(|| live.clone());
        let mut outcomes = Vec::new();
        let mut is_read = false;
        let mut ended: Vec<(Ends, String)> = Vec::new();
        for operation in &zone.operations {
            let setting = match &operation.subject {
                Subject::Zone => None,
                Subject::Setting(setting) => Some(setting),
                Subject::Rule(_) | Subject::Record(_) => continue,
            };
            if let Some((_, reason)) =
                setting.and_then(|setting| ended.iter().find(|(ends, _)| ends.covers(setting)))
            {
                outcomes.push(OperationOutcome::NotSent(reason.clone()));
                continue;
            }
            let Changed { outcome, ends } = match (setting, &created_zone) {
                (None, _) => {
                    let (new, outcome) = self.make(zone, operation).await;
                    created_zone = new;
                    if let Some(created_zone) = &mut created_zone {
                        is_read = self.read_settings(created_zone, desired).await;
                    }
                    outcome.into()
                }
                (Some(ZoneSetting::Dnssec { on: true }), Some(created_zone)) if created_zone.is_inactive() => OperationOutcome::Deferred(
                    "the zone is not active yet; a run after it becomes active switches DNSSEC on".to_owned(),
                )
                .into(),
                (Some(setting), Some(created_zone)) if is_read => match needed_change(setting, desired, created_zone) {
                    Needed::Nothing => OperationOutcome::Done.into(),
                    Needed::Impossible(reason) => OperationOutcome::Refused(reason).into(),
                    Needed::Change(setting) => {
                        let operation = &Operation { subject: Subject::Setting(setting.clone()), ..operation.clone() };
                        let zone = &zone.for_zone(created_zone);
                        self.change(&SettingWork { zone, desired, live: created_zone, operation, setting: &setting }).await
                    }
                },
                (Some(setting), Some(created_zone)) => {
                    let zone = &zone.for_zone(created_zone);
                    self.change(&SettingWork { zone, desired, live: created_zone, operation, setting }).await
                }
                (Some(_), None) => OperationOutcome::NotSent("the zone could not be created".to_owned()).into(),
            };
            ended.push(ends);
            if outcome == OperationOutcome::Done {
                self.observer.event(&ApplyEvent::Done { zone: zone.name.clone(), operations: 1 });
            }
            outcomes.push(outcome);
        }
        Prepared { zone: created_zone, outcomes }
    }

    /// Creates the zone, and waits until it can be used.
    async fn make(
        &self,
        zone: &ZonePlan,
        operation: &Operation,
    ) -> (Option<LiveZone>, OperationOutcome) {
        let request = lower_operation(zone, operation, self.options.account.as_deref());
        if let Some(reason) = self.halted() {
            return (None, OperationOutcome::NotSent(reason.to_owned()));
        }
        let Some(number) = self.journal.intent_of(zone, operation, &[], &request) else {
            return (None, OperationOutcome::NotSent(BROKEN.to_owned()));
        };
        let mut attempt =
            ZoneAttempt { executor: self, name: &zone.name, request, made: None, result: None };
        let (word, detail, outcome) = self.settle(&mut attempt).await;
        let ZoneAttempt { made, result, .. } = attempt;
        self.journal.outcome(number, word, detail.as_deref(), result.as_ref());
        if let Some(made) = &made {
            self.wait_for(zone, &made.id).await;
        }
        (made, outcome)
    }

    /// Reads the settings of a new zone. Settings that cannot be read yet are requested again for a
    /// while.
    ///
    /// Returns true if they could be read. If not, the changes are sent as planned, and Cloudflare
    /// accepts or refuses them.
    async fn read_settings(&self, made: &mut LiveZone, desired: &DesiredZone) -> bool {
        for wait in FOR_NEW_ZONE.map(Some).into_iter().chain([None]) {
            match fetch_settings(self.reader, made, &desired.settings, self.options).await {
                Ok(settings) => {
                    made.settings = settings;
                    return true;
                }
                Err(FetchError::Api { source, .. }) if source.status() == Some(403) => {
                    let Some(duration) = wait else { break };
                    self.observer.event(&ApplyEvent::Waiting { zone: made.name.clone(), duration });
                    if !self.pause(duration).await {
                        break;
                    }
                }
                Err(_) => break,
            }
        }
        false
    }

    /// Waits until a new zone answers. A refusal that remains after that is reported where the zone
    /// is needed.
    async fn wait_for(&self, zone: &ZonePlan, id: &ZoneId) {
        for duration in FOR_NEW_ZONE {
            match self.reader.read(&list_records(id, 5, 1)).await {
                Err(error) if error.status() == Some(403) => {
                    self.observer.event(&ApplyEvent::Waiting { zone: zone.name.clone(), duration });
                    if !self.pause(duration).await {
                        return;
                    }
                }
                _ => return,
            }
        }
    }
}

/// A zone that is created. The request is sent once. If the zone does not appear, the next run
/// tries again.
struct ZoneAttempt<'a, 'e, W> {
    executor: &'a Executor<'e, W>,
    name: &'a ZoneName,
    request: Request,
    made: Option<LiveZone>,
    /// The result of a success.
    result: Option<Json>,
}

impl<W: Writer> Attempt for ZoneAttempt<'_, '_, W> {
    type End = Judged;

    const MOST_SENDS: usize = 1;

    fn zone(&self) -> &ZoneName {
        self.name
    }

    fn sends(&self) -> usize {
        1
    }

    async fn send(&mut self) -> Result<Envelope, ApiError> {
        self.executor.writer.write(&self.request).await
    }

    async fn accepted(&mut self, answer: Envelope) -> Result<Judged, String> {
        self.made = read_zone(&answer.result).ok();
        self.result = Some(answer.result);
        match self.made {
            Some(_) => Ok((StepFate::Done, None, OperationOutcome::Done)),
            None => {
                Err("Cloudflare reported that it created the zone, but its response cannot be \
                read: run `zonewright plan` again"
                    .to_owned())
            }
        }
    }

    async fn read_back(&mut self, _: &Failure) -> SeenState {
        match find_zone_by_name(self.executor.reader, self.name, self.executor.options).await {
            Ok(Some(found)) => {
                self.made = Some(found);
                SeenState::Done
            }
            Ok(None) => SeenState::Pending,
            Err(error) => SeenState::Unread(error.to_string()),
        }
    }

    fn lost(&mut self, _: &Failure) {}

    async fn conclude(&mut self, verdict: WriteVerdict<'_>, failure: &Failure) -> Judged {
        if matches!(verdict, WriteVerdict::Shown) {
            return (StepFate::Done, None, OperationOutcome::Done);
        }
        self.result = None;
        let reason = match failure {
            Failure::Error(error, _) if error.has_code(ZONE_EXISTS) => {
                format!(
                    "{}; it belongs to an account that these credentials cannot access",
                    error_with_advice(error)
                )
            }
            Failure::Error(error, _) if self.executor.options.account.is_none() => {
                format!(
                    "{} (if Cloudflare asks for an account, set CLOUDFLARE_ACCOUNT_ID)",
                    error_with_advice(error)
                )
            }
            failure => failure.reason(),
        };
        match verdict {
            WriteVerdict::Refused(error) => judge_refusal(error, reason),
            _ => unknown(reason),
        }
    }
}

/// The change that is needed in a new zone after it was read.
enum Needed {
    /// The setting already has the value.
    Nothing,
    /// The change to send.
    Change(ZoneSetting),
    /// Cloudflare would refuse it.
    Impossible(String),
}

/// Compares a planned change with the new zone.
fn needed_change(planned: &ZoneSetting, desired: &DesiredZone, made: &LiveZone) -> Needed {
    if let ZoneSetting::Setting { name, .. } = planned
        && let Some(LiveSetting::Refused(words)) = made.settings.settings.get(name)
    {
        return Needed::Impossible(words.clone());
    }
    let Some(change) = change_of(planned, desired, made) else { return Needed::Nothing };
    if let ZoneSetting::Setting { name, .. } = &change.setting
        && matches!(
            made.settings.settings.get(name),
            Some(LiveSetting::Value { editable: false, .. })
        )
    {
        return Needed::Impossible(format!(
            "Cloudflare says that {name} cannot be changed on the zone's plan"
        ));
    }
    Needed::Change(change.setting)
}
