//! Carries out what is changed of a zone itself: its settings, DNSSEC, its DNS settings.
//!
//! | answer | what follows |
//! |---|---|
//! | one that got lost | the part is read: it is as it should be, or as before and the change is sent again |
//! | one that says both yes and no, or "no" to what was sent again | the same, but it is not sent again |
//! | a refusal | that part stays as it is, the others go on |
//! | a refusal for the credentials | the same, but no other part of that kind is sent: each kind needs a permission of its own |
//! | one that says nothing of an earlier try that got lost | nobody can tell what became of that one |
//! | no connection, too many requests, nothing to be read | no other part is sent |
//!
//! A part that is neither as before nor as it should be has been changed by somebody else, before ours or after it: sent again,
//! the change could undo theirs, so nobody can tell and it is not sent.

use std::mem::{Discriminant, discriminant};

use super::answer::{
    Meaning, earlier_unknown, is_hopeless, meaning, never_answered, not_sent_again, refused, said, unknown,
};
use super::event::ApplyEvent;
use super::executor::{BROKEN, Executor, STOPPED};
use super::outcome::Outcome;
use super::waits::SENDS;
use crate::api::{ApiError, Reader, Writer};
use crate::diff::{ZoneChange, ZonePart, diff_around};
use crate::live::fetch_around;
use crate::model::{DesiredZone, LiveSetting, LiveZone, ZoneWants};
use crate::plan::{Operation, ZonePlan, lower_operation};

/// A part of a zone to be changed.
pub(super) struct PartWork<'a> {
    /// The zone's plan, with its id.
    pub(super) zone: &'a ZonePlan,
    /// What is wanted of the zone.
    pub(super) desired: &'a DesiredZone,
    /// The zone as it was when the change was planned.
    pub(super) live: &'a LiveZone,
    /// The change.
    pub(super) operation: &'a Operation,
    /// What it concerns.
    pub(super) part: &'a ZonePart,
}

/// What became of a change.
pub(super) struct Changed {
    /// Of itself.
    pub(super) outcome: Outcome,
    /// What it means for those after it, and why.
    pub(super) ends: (Ends, String),
}

impl From<Outcome> for Changed {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, ends: (Ends::Nothing, String::new()) }
    }
}

/// Which further changes would fare no better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ends {
    /// None.
    Nothing,
    /// Those of this kind.
    Kind(Discriminant<ZonePart>),
    /// All.
    All,
}

impl Ends {
    /// Whether it is of no use to send this one.
    pub(super) fn covers(&self, part: &ZonePart) -> bool {
        match self {
            Self::Nothing => false,
            Self::Kind(kind) => *kind == discriminant(part),
            Self::All => true,
        }
    }

    /// What a refusal means for others.
    fn of(error: &ApiError, part: &ZonePart) -> Self {
        match error.status() {
            _ if !is_hopeless(error) => Self::Nothing,
            Some(403) if !matches!(error, ApiError::Throttled { .. }) => Self::Kind(discriminant(part)),
            _ => Self::All,
        }
    }
}

/// What a part of a zone shows of a change.
enum Seen {
    /// It is as it should be.
    Done,
    /// It is as it was.
    Pending,
    /// Neither.
    Moved,
    /// It cannot be told.
    Unread(String),
}

impl<R: Reader, W: Writer> Executor<'_, R, W> {
    /// Changes a part of the zone.
    pub(super) async fn change(&self, work: &PartWork<'_>) -> Changed {
        let PartWork { zone, operation, part, .. } = work;
        let request = lower_operation(zone, operation, None);
        if let Some(reason) = self.halted() {
            return Outcome::NotSent(reason.to_owned()).into();
        }
        let Some(number) = self.journal.intent_of(zone, operation, &[], &request) else {
            return Outcome::NotSent(BROKEN.to_owned()).into();
        };
        let mut ends = (Ends::Nothing, String::new());
        let mut sent = 1;
        let (word, detail, outcome) = loop {
            let error = match self.writer.write(&request).await {
                Ok(_) => break ("done", None, Outcome::Done),
                Err(error) => error,
            };
            let reason = said(&error);
            let meaning = meaning(&error, sent > 1);
            // An earlier try may have come late.
            if meaning == Meaning::Refused && sent == 1 {
                ends = (Ends::of(&error, part), reason.clone());
                break refused(&error, reason);
            }
            self.observer.event(&ApplyEvent::Settling { zone: zone.name.clone(), reason: reason.clone() });
            match self.look_at(work).await {
                Seen::Done => break ("done", Some(format!("{reason}; settled by reading")), Outcome::Done),
                Seen::Pending if meaning != Meaning::Lost => {
                    ends = (Ends::of(&error, part), reason.clone());
                    break match meaning == Meaning::EarlierUnknown {
                        true => unknown(earlier_unknown(&error)),
                        false => refused(&error, reason),
                    };
                }
                Seen::Pending if sent >= SENDS => {
                    break unknown(never_answered(sent, &reason));
                }
                Seen::Pending => {
                    if !self.wait_to_resend(&zone.name, sent).await {
                        break unknown(format!("{reason}; {}", not_sent_again(STOPPED)));
                    }
                    sent += 1;
                }
                Seen::Moved => {
                    let moved = "and it is neither as before nor as it should be: somebody else changed it";
                    break unknown(format!("{reason}; {moved}"));
                }
                Seen::Unread(why) => {
                    let reason = format!("{reason}; and {why}");
                    ends = (Ends::All, reason.clone());
                    break unknown(reason);
                }
            }
        };
        self.journal.outcome(number, word, detail.as_deref(), None);
        Changed { outcome, ends }
    }

    /// Reads the part that a change concerns.
    async fn look_at(&self, work: &PartWork<'_>) -> Seen {
        let PartWork { desired, live, part, .. } = work;
        let wants = only(part, &desired.around);
        let around = match fetch_around(self.reader, live, &wants, self.options).await {
            Ok(around) => around,
            Err(error) => return Seen::Unread(format!("it could not be read to see what took effect: {error}")),
        };
        let is_told = match part {
            ZonePart::Setting { name, .. } => matches!(around.settings.get(name), Some(LiveSetting::Value { .. })),
            ZonePart::Dnssec { .. } => around.dnssec.is_some(),
            ZonePart::DnsSettings { .. } => !around.dns_settings.is_empty(),
        };
        if !is_told {
            return Seen::Unread("the service does not tell what is there now".to_owned());
        }
        seen(work, &LiveZone { around, ..(*live).clone() })
    }
}

/// What a zone whose part was read again shows of a change.
fn seen(work: &PartWork<'_>, now: &LiveZone) -> Seen {
    let PartWork { zone, desired, operation, part, .. } = work;
    match change_of(part, desired, now) {
        None => Seen::Done,
        // Nobody else knows a zone that was made just now, and what it was before could not be read.
        Some(_) if zone.is_new => Seen::Pending,
        Some(change) if change.fields == operation.fields => Seen::Pending,
        Some(_) => Seen::Moved,
    }
}

/// What is left to be changed of a part, if anything is.
pub(super) fn change_of(part: &ZonePart, desired: &DesiredZone, now: &LiveZone) -> Option<ZoneChange> {
    diff_around(desired, now).into_iter().find(|change| match (&change.part, part) {
        (ZonePart::Setting { name: a, .. }, ZonePart::Setting { name: b, .. }) => a == b,
        (ZonePart::Dnssec { .. }, ZonePart::Dnssec { .. }) => true,
        (ZonePart::DnsSettings { .. }, ZonePart::DnsSettings { .. }) => true,
        (ZonePart::Setting { .. } | ZonePart::Dnssec { .. } | ZonePart::DnsSettings { .. }, _) => false,
    })
}

/// What is wanted of one part.
fn only(part: &ZonePart, wants: &ZoneWants) -> ZoneWants {
    let ZoneWants { settings, dnssec, dns_settings } = wants;
    let mut one = ZoneWants::default();
    match part {
        ZonePart::Setting { name, .. } => {
            one.settings.extend(settings.get_key_value(name).map(|(name, wanted)| (name.clone(), wanted.clone())));
        }
        ZonePart::Dnssec { .. } => one.dnssec = *dnssec,
        ZonePart::DnsSettings { .. } => one.dns_settings.clone_from(dns_settings),
    }
    one
}
