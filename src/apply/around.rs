//! Carries out what is done to a zone itself: it is made, and its parts are changed.
//!
//! A change of a part says what it should be, so a lost answer is answered by sending it again. A lost answer to making a
//! zone is settled by looking for it. A zone just made can answer 403 for a while; it is waited for, within bounds.

use std::time::Duration;

use super::event::ApplyEvent;
use super::executor::{Executor, Outcome, said};
use super::journal::JournalError;
use crate::api::{ApiError, Reader, Writer};
use crate::live::find_zone_by_name;
use crate::model::ZoneId;
use crate::plan::{ZoneAction, ZoneOperation, ZonePlan, lower_zone_operation};
use crate::wire::Envelope;
use crate::wire::zone::{list_records, read_zone};

/// How often a change whose answer got lost is sent.
const SENDS: usize = 4;

/// Waits for a zone just made, in seconds; a minute in all.
const FRESH_ZONE_WAITS: [u64; 6] = [1, 2, 4, 8, 15, 30];

/// What became of the operations on a zone itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The zone's id; of a zone just made, the real one. `None` if it could not be made.
    pub id: Option<ZoneId>,
    /// One outcome for each operation, in their order.
    pub outcomes: Vec<Outcome>,
}

impl<R: Reader, W: Writer> Executor<'_, R, W> {
    /// Carries out the operations on a zone itself.
    ///
    /// # Errors
    /// The journal cannot be written; nothing is sent that is not in it.
    pub async fn prepare(&mut self, zone: &ZonePlan) -> Result<Prepared, JournalError> {
        let mut id = (!zone.is_new).then(|| zone.id.clone());
        let mut outcomes = Vec::new();
        for operation in &zone.zone_operations {
            let outcome = match (&operation.action, &id) {
                (ZoneAction::Create, _) => {
                    let (made, outcome) = self.make(zone, operation).await?;
                    id = made;
                    outcome
                }
                (ZoneAction::Change(_), Some(id)) => self.change(&zone.with_id(id.clone()), operation).await?,
                (ZoneAction::Change(_), None) => Outcome::NotSent("the zone could not be made".to_owned()),
            };
            outcomes.push(outcome);
        }
        Ok(Prepared { id, outcomes })
    }

    /// Makes the zone, and waits until it can be used.
    async fn make(
        &mut self,
        zone: &ZonePlan,
        operation: &ZoneOperation,
    ) -> Result<(Option<ZoneId>, Outcome), JournalError> {
        let request = lower_zone_operation(zone, operation, self.options.account.as_deref());
        let number = self.journal.zone_intent(zone, operation, &request)?;
        let answer = self.writer.write(&request).await;
        let id = match &answer {
            Ok(Envelope { result, .. }) => read_zone(result).ok().map(|z| z.id),
            Err(_) => None,
        };
        let lost = id.is_none() && answer.as_ref().err().is_none_or(ApiError::is_uncertain);
        let id = match (id, lost) {
            (None, true) => find_zone_by_name(self.reader, &zone.name, self.options).await.ok().flatten().map(|z| z.id),
            (id, _) => id,
        };
        let Some(id) = id else {
            let reason = match &answer {
                Ok(_) => "the service said that it made the zone, but the zone cannot be found".to_owned(),
                Err(error) if self.options.account.is_none() => {
                    format!("{} (if the service asks for an account, set CLOUDFLARE_ACCOUNT_ID)", said(error))
                }
                Err(error) => said(error),
            };
            let (word, outcome) = match &answer {
                Err(error) if error.status().is_none() && !error.is_uncertain() => {
                    ("not sent", Outcome::NotSent(reason.clone()))
                }
                Err(error) if !error.is_uncertain() => ("refused", Outcome::Refused(reason.clone())),
                _ => ("unknown", Outcome::Unknown(reason.clone())),
            };
            self.journal.outcome(number, word, Some(&reason), None)?;
            return Ok((None, outcome));
        };
        self.journal.outcome(number, "done", None, answer.as_ref().ok().map(|a| &a.result))?;
        self.wait_for(zone, &id).await;
        Ok((Some(id), Outcome::Done))
    }

    /// Waits until a zone just made answers; what it still refuses after that is reported where it is needed.
    async fn wait_for(&mut self, zone: &ZonePlan, id: &ZoneId) {
        for seconds in FRESH_ZONE_WAITS {
            match self.reader.read(&list_records(id, 5, 1)).await {
                Err(error) if error.status() == Some(403) => {
                    let duration = Duration::from_secs(seconds);
                    self.observer.event(&ApplyEvent::Waiting { zone: &zone.name, duration });
                    tokio::time::sleep(duration).await;
                }
                _ => return,
            }
        }
    }

    /// Changes a part of the zone.
    async fn change(&mut self, zone: &ZonePlan, operation: &ZoneOperation) -> Result<Outcome, JournalError> {
        let request = lower_zone_operation(zone, operation, None);
        let number = self.journal.zone_intent(zone, operation, &request)?;
        let mut answer = self.writer.write(&request).await;
        for _ in 1..SENDS {
            match &answer {
                Err(error) if error.is_uncertain() => {
                    self.observer.event(&ApplyEvent::Settling { zone: &zone.name, reason: &said(error) });
                    answer = self.writer.write(&request).await;
                }
                _ => break,
            }
        }
        let (word, outcome) = match answer {
            Ok(_) => ("done", Outcome::Done),
            Err(error) if error.is_uncertain() => ("unknown", Outcome::Unknown(said(&error))),
            Err(error) if error.status().is_none() => ("not sent", Outcome::NotSent(said(&error))),
            Err(error) => ("refused", Outcome::Refused(said(&error))),
        };
        let reason = match &outcome {
            Outcome::Unknown(reason) | Outcome::NotSent(reason) | Outcome::Refused(reason) => Some(reason.clone()),
            Outcome::Done | Outcome::Restored => None,
        };
        self.journal.outcome(number, word, reason.as_deref(), None)?;
        Ok(outcome)
    }
}
