//! Executes the operations on a zone's rules.
//!
//! | before a write | the entry point is read; if it is not as the plan saw it, nothing of the zone's rules is sent any more |
//! | after a write | the answer holds the whole ruleset: if its version made more steps than we sent requests, someone else wrote at the same time; the previous version says what was overwritten |
//! | an entry point that someone makes at the same time | ours is refused, as it is made with POST. Where Cloudflare has no POST for it, PUT replaces the rules, and those that were erased are put back |
//! | an answer that was lost, or cannot be read | the entry point is read: the effect is there, or the request is sent again |
//! | one that says both yes and no, or "no" to what was sent again | the same, but it is not sent again |
//! | a refusal that says nothing of an earlier try that was lost | the same; it is unknown what became of what does not show |
//! | a refusal | what follows is not sent: the order is there so that no hole opens |
//!
//! Cloudflare has no conditional writes, so the time between reading and writing is kept as short
//! as possible.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::ControlFlow;

use super::event::ApplyEvent;
use super::executor::{BROKEN, Executor};
use super::failed_writes::{Judged, ResponseMeaning, error_with_advice, meaning};
use super::journal::StepFate;
use super::outcome::OperationOutcome;
use super::write_attempts::{Attempt, Failure, SeenState, WriteVerdict, judged};
use crate::api::error_codes::ENTRY_POINT_EXISTS;
use crate::api::{ApiError, Writer};
use crate::diagnostic::cut;
use crate::live::read_entry_point;
use crate::model::ruleset::{
    EntryPoint, LiveRule, LiveRuleset, Phase, Position, RuleBody, RuleId, canonical,
};
use crate::model::{LiveZone, ZoneName};
use crate::plan::{ExpectRuleset, Operation, RuleAction, RuleSubject, ZonePlan, lower_operation};
use crate::wire::ruleset::{get_ruleset_version, read_ruleset, replace_entry_point, rule_json};
use crate::wire::{Envelope, Request};

/// Maximum length of a rule in a message, in characters.
const MOST_SHOWN: usize = 1_000;

/// The reason for not sending the rest of a zone's rules.
const AFTER_A_FAILURE: &str =
    "an earlier change of the zone's rules did not succeed, and the order matters";

impl<W: Writer> Executor<'_, W> {
    /// Executes the operations on a zone's rules. Returns one outcome for each, in order.
    pub async fn execute_rules(&self, zone: &ZonePlan, live: &LiveZone) -> Vec<OperationOutcome> {
        let mut entry_points: BTreeMap<Phase, EntryPoint> = BTreeMap::new();
        let mut outcomes = Vec::new();
        for (_, operation, rule) in zone.rules() {
            if outcomes.iter().any(|o| *o != OperationOutcome::Done) {
                outcomes.push(OperationOutcome::NotSent(AFTER_A_FAILURE.to_owned()));
                continue;
            }
            let outcome = self.rule(zone, live, (operation, rule), &mut entry_points).await;
            if outcome == OperationOutcome::Done {
                self.observer.event(&ApplyEvent::Done { zone: zone.name.clone(), operations: 1 });
            }
            outcomes.push(outcome);
        }
        outcomes
    }

    /// Executes one operation.
    async fn rule(
        &self,
        zone: &ZonePlan,
        live: &LiveZone,
        (operation, rule): (&Operation, &RuleSubject),
        known: &mut BTreeMap<Phase, EntryPoint>,
    ) -> OperationOutcome {
        if let Some(reason) = self.halted() {
            return OperationOutcome::NotSent(reason.to_owned());
        }
        let phase = rule.phase;
        if let Entry::Vacant(unread) = known.entry(phase) {
            let entry_point_now = match read_entry_point(self.reader, live, phase).await {
                Ok(entry_point_now) => entry_point_now,
                Err(error) => {
                    return OperationOutcome::NotSent(format!(
                        "the rules could not be read again: {error}"
                    ));
                }
            };
            if let Some(what) = unexpected_difference(
                &rule.expect,
                live.waf.entry_points.get(&phase),
                &entry_point_now,
            ) {
                return OperationOutcome::Stale(what);
            }
            unread.insert(entry_point_now);
        }
        let request = lower_operation(zone, operation, None);
        let rules_before: Vec<LiveRule> =
            known.get(&phase).map(|e| e.rules().to_vec()).unwrap_or_default();
        let Some(number) = self.journal.intent_of(zone, operation, &rules_before, &request) else {
            return OperationOutcome::NotSent(BROKEN.to_owned());
        };
        self.observer.event(&ApplyEvent::Sending { zone: zone.name.clone(), operations: 1 });
        let mut attempt = RuleAttempt {
            executor: self,
            zone: live,
            rule,
            request,
            before: rules_before,
            known,
            now: None,
            created: Vec::new(),
            sent: 1,
            replaces: false,
        };
        let (word, detail, outcome) = self.settle(&mut attempt).await;
        self.journal.rule_outcome(number, word, detail.as_deref(), &attempt.created);
        outcome
    }
}

/// An operation on a rule that is sent.
struct RuleAttempt<'a, 'e, W> {
    executor: &'a Executor<'e, W>,
    zone: &'a LiveZone,
    rule: &'a RuleSubject,
    request: Request,
    /// The rules of the phase before it.
    before: Vec<LiveRule>,
    /// The current entry points.
    known: &'a mut BTreeMap<Phase, EntryPoint>,
    /// The entry point that was read after a failure.
    now: Option<EntryPoint>,
    created: Vec<RuleId>,
    sent: usize,
    /// True if it replaces all rules of the entry point.
    replaces: bool,
}

impl<W: Writer> Attempt for RuleAttempt<'_, '_, W> {
    type End = Judged;

    fn zone(&self) -> &ZoneName {
        &self.zone.name
    }

    fn sends(&self) -> usize {
        self.sent
    }

    async fn send(&mut self) -> Result<Envelope, ApiError> {
        self.executor.writer.write(&self.request).await
    }

    async fn accepted(&mut self, answer: Envelope) -> Result<Judged, String> {
        let ruleset = read_ruleset(&answer.result)
            .map_err(|error| format!("the response cannot be used: {error}"))?;
        Ok(match self.keep(EntryPoint::Present(ruleset)).await {
            Some(race) => (StepFate::Done, Some(race.clone()), OperationOutcome::Unknown(race)),
            None => (StepFate::Done, None, OperationOutcome::Done),
        })
    }

    fn other_way(&mut self, error: &ApiError) -> Option<ControlFlow<Judged>> {
        let RuleAction::CreateEntryPoint { rules } = &self.rule.action else { return None };
        if self.sent == 1 && error.has_code(ENTRY_POINT_EXISTS) {
            let reason = "someone created the entry point after it was read; plan again".to_owned();
            return Some(ControlFlow::Break((
                StepFate::Refused,
                Some(error_with_advice(error)),
                OperationOutcome::Stale(reason),
            )));
        }
        if self.replaces || !error.is_no_such_route() {
            return None;
        }
        self.replaces = true;
        self.request = replace_entry_point(&self.zone.id, self.rule.phase, rules.iter());
        Some(ControlFlow::Continue(()))
    }

    fn meaning(&mut self, error: &ApiError) -> ResponseMeaning {
        let is_repeated = self.sent > 1;
        match meaning(error, is_repeated) {
            // The rule of an earlier attempt may be the conflict.
            ResponseMeaning::Refused
                if is_repeated && matches!(self.rule.action, RuleAction::Create { .. }) =>
            {
                ResponseMeaning::EarlierUnknown
            }
            ResponseMeaning::Refused if is_repeated => ResponseMeaning::Doubtful,
            meaning => meaning,
        }
    }

    async fn read_back(&mut self, failure: &Failure) -> SeenState {
        let (zone, phase) = (self.zone, self.rule.phase);
        self.executor
            .observer
            .event(&ApplyEvent::Settling { zone: zone.name.clone(), reason: failure.reason() });
        let entry_point_now = match read_entry_point(self.executor.reader, zone, phase).await {
            Ok(entry_point_now) => entry_point_now,
            Err(error) => {
                return SeenState::Unread(format!(
                    "the rules could not be read to see what took effect: {error}"
                ));
            }
        };
        if has_effect(self.rule, &entry_point_now) {
            self.now = Some(entry_point_now);
            return SeenState::Done;
        }
        match self.known.get(&phase) {
            Some(before) if same_rules(before, &entry_point_now) => SeenState::Pending,
            _ => SeenState::Moved(
                "the rules match neither the state before the plan nor the planned one".to_owned(),
            ),
        }
    }

    fn lost(&mut self, _: &Failure) {
        self.sent += 1;
    }

    async fn conclude(&mut self, verdict: WriteVerdict<'_>, failure: &Failure) -> Judged {
        if matches!(verdict, WriteVerdict::Shown)
            && let Some(now) = self.now.take()
            && let Some(race) = self.keep(now).await
        {
            let reason = failure.reason();
            return (
                StepFate::Done,
                Some(race.clone()),
                OperationOutcome::Unknown(format!("{reason}; {race}")),
            );
        }
        judged(verdict, failure, self.sent, |error| refusal_in_words(error, self.rule))
    }
}

impl<W: Writer> RuleAttempt<'_, '_, W> {
    /// Keeps an entry point after the write. Returns a description of what someone else wrote at
    /// the same time, if anything.
    async fn keep(&mut self, now: EntryPoint) -> Option<String> {
        let Self { zone, rule, sent, replaces, .. } = *self;
        self.created = new_rules(&self.before, now.rules());
        if let EntryPoint::Present(ruleset) = &now {
            let was = self.known.get(&rule.phase).and_then(entry_point_version);
            let race = Race { zone, rule, was, sent, replaces };
            if let Some((race, restored)) = self.executor.overwritten(&race, ruleset).await {
                if let Some(restored) = restored {
                    self.created = restored;
                }
                self.known.remove(&rule.phase);
                return Some(race);
            }
        }
        self.known.insert(rule.phase, now);
        None
    }
}

/// A write that may have overlapped with another one.
struct Race<'a> {
    zone: &'a LiveZone,
    rule: &'a RuleSubject,
    /// The version before it.
    was: Option<u64>,
    /// Number of times it was sent.
    sent: usize,
    /// True if it replaces all rules of the entry point.
    replaces: bool,
}

impl<W: Writer> Executor<'_, W> {
    /// Returns a description of what someone else wrote between the last read and the write that
    /// led to this ruleset; `None` if there was nothing. If an entry point was written again to
    /// restore erased rules, returns their ids as well.
    async fn overwritten(
        &self,
        race: &Race<'_>,
        now: &LiveRuleset,
    ) -> Option<(String, Option<Vec<RuleId>>)> {
        let Race { zone, rule, was, sent, replaces } = race;
        let is_created = matches!(rule.action, RuleAction::CreateEntryPoint { .. });
        let (before, after) = ((*was)?, now.version.as_deref()?.parse::<u64>().ok()?);
        let steps = after.checked_sub(before)?;
        if steps <= u64::try_from(*sent).unwrap_or(u64::MAX) || (is_created && !replaces) {
            return None;
        }
        let jump = format!(
            "someone else changed the ruleset at the same time: version {before} is now {after}"
        );
        let request = get_ruleset_version(&zone.id, &now.id, after - 1);
        let previous = match self.reader.read(&request).await {
            Ok(answer) => read_ruleset(&answer.result).map_err(|error| error.to_string()),
            Err(error) => Err(error_with_advice(&error)),
        };
        let previous = match previous {
            Ok(previous) => previous,
            Err(error) => {
                return Some((
                    format!(
                        "{jump}; version {}, which was overwritten, cannot be read: {error}",
                        after - 1
                    ),
                    None,
                ));
            }
        };
        if let RuleAction::CreateEntryPoint { rules } = &rule.action {
            return Some(self.put_back(race, rules, &previous.rules, jump).await);
        }
        let replaced = match &rule.action {
            RuleAction::Update { id, before, .. } | RuleAction::Delete { id, before, .. } => {
                let theirs =
                    previous.rules.iter().find(|other| other.id == *id).map(|other| &other.body);
                theirs.filter(|theirs| canonical(theirs) != canonical(before))
            }
            RuleAction::CreateEntryPoint { .. }
            | RuleAction::Create { .. }
            | RuleAction::Move { .. } => None,
        };
        let what = match replaced {
            Some(theirs) => {
                format!("the rule {} was overwritten; it was {}", rule.name, rule_shown(theirs))
            }
            None => "none of that was overwritten".to_owned(),
        };
        Some((format!("{jump}; {what}; plan again"), None))
    }

    /// Restores the rules of an entry point that our rules have replaced.
    async fn put_back(
        &self,
        race: &Race<'_>,
        ours: &[RuleBody],
        theirs: &[LiveRule],
        jump: String,
    ) -> (String, Option<Vec<RuleId>>) {
        let is_ours =
            |rule: &&LiveRule| ours.iter().any(|body| canonical(body) == canonical(&rule.body));
        let lost: Vec<&RuleBody> =
            theirs.iter().filter(|rule| !is_ours(rule)).map(|rule| &rule.body).collect();
        if lost.is_empty() {
            return (format!("{jump}; none of that was overwritten; plan again"), None);
        }
        let request =
            replace_entry_point(&race.zone.id, race.rule.phase, lost.iter().copied().chain(ours));
        let names: Vec<String> = lost.iter().map(|body| rule_shown(body)).collect();
        let written = match self.writer.write(&request).await {
            Ok(answer) => read_ruleset(&answer.result).map_err(|error| error.to_string()),
            Err(error) => Err(error_with_advice(&error)),
        };
        match written {
            Ok(ruleset) => {
                let rule_ids =
                    ruleset.rules.iter().skip(lost.len()).map(|rule| rule.id.clone()).collect();
                let text = format!(
                    "{jump}; {} of its rules were erased and restored, with new ids",
                    lost.len()
                );
                (format!("{text}: {}; plan again", names.join(", ")), Some(rule_ids))
            }
            Err(error) => {
                let text = format!(
                    "{jump}; {} of its rules are erased and could not be put back ({error})",
                    lost.len()
                );
                (format!("{text}: {}", names.join(", ")), None)
            }
        }
    }
}

/// Returns a rule in Cloudflare's form, shortened if it is long.
fn rule_shown(body: &RuleBody) -> String {
    cut(&serde_json::Value::Object(rule_json(body)).to_string(), MOST_SHOWN)
}

/// Returns the ids of new rules, in order.
fn new_rules(before: &[LiveRule], after: &[LiveRule]) -> Vec<RuleId> {
    after
        .iter()
        .filter(|new| !before.iter().any(|old| old.id == new.id))
        .map(|new| new.id.clone())
        .collect()
}

/// Returns a refusal of an operation in Cloudflare's words, with a next step if one is known.
fn refusal_in_words(error: &ApiError, rule: &RuleSubject) -> String {
    let words = error_with_advice(error);
    match &rule.action {
        RuleAction::CreateEntryPoint { .. } if error.is_no_such_route() => {
            format!(
                "{words}; the API cannot create the first rule of this phase: create it in the \
                dashboard once"
            )
        }
        _ => words,
    }
}

/// Returns the version of an entry point.
fn entry_point_version(entry_point: &EntryPoint) -> Option<u64> {
    match entry_point {
        EntryPoint::Absent => Some(0),
        EntryPoint::Present(ruleset) => ruleset.version.as_deref()?.parse().ok(),
    }
}

/// Describes how an entry point differs from the expectation of a plan, if it does.
fn unexpected_difference(
    expect: &ExpectRuleset,
    seen: Option<&EntryPoint>,
    now: &EntryPoint,
) -> Option<String> {
    match (expect, now) {
        (ExpectRuleset::Absent, EntryPoint::Absent) => None,
        // An entry point without rules has nothing that could be overwritten.
        (ExpectRuleset::Absent, EntryPoint::Present(now)) => Some(format!(
            "rules appeared since the plan was made ({} of them); plan again",
            now.rules.len()
        )),
        (ExpectRuleset::Version { .. }, EntryPoint::Absent) => {
            Some("the ruleset was deleted since the plan was made; plan again".to_owned())
        }
        (ExpectRuleset::Version { id, version }, EntryPoint::Present(now)) => {
            if *id != now.id {
                return Some(
                    "the ruleset has been replaced since the plan was made; plan again".to_owned(),
                );
            }
            let changed = match (version, &now.version) {
                (Some(before), Some(after)) => before != after,
                _ => seen.is_some_and(|seen| seen.rules() != now.rules.as_slice()),
            };
            changed.then(|| {
                let name =
                    |version: &Option<String>| version.clone().unwrap_or_else(|| "?".to_owned());
                let when =
                    now.last_updated.as_deref().map(|t| format!(" at {t}")).unwrap_or_default();
                format!(
                    "the ruleset was changed by someone else{when}: version {} is now {}; plan \
                    again",
                    name(version),
                    name(&now.version)
                )
            })
        }
    }
}

/// Returns true if two entry points have the same rules in the same order.
fn same_rules(a: &EntryPoint, b: &EntryPoint) -> bool {
    let key = |e: &EntryPoint| -> Vec<_> {
        e.rules().iter().map(|r| (r.id.clone(), canonical(&r.body))).collect()
    };
    matches!(a, EntryPoint::Absent) == matches!(b, EntryPoint::Absent) && key(a) == key(b)
}

/// Returns true if an operation has taken effect.
fn has_effect(rule: &RuleSubject, now: &EntryPoint) -> bool {
    let EntryPoint::Present(ruleset) = now else { return false };
    let is = |body: &RuleBody, wanted: &RuleBody| canonical(body) == canonical(wanted);
    let by_ref = |wanted: &RuleBody| {
        ruleset
            .rules
            .iter()
            .any(|r| r.body.reference() == wanted.reference() && is(&r.body, wanted))
    };
    match &rule.action {
        RuleAction::CreateEntryPoint { rules } => rules.iter().all(by_ref),
        RuleAction::Create { after, .. } => by_ref(after),
        RuleAction::Update { id, after, position, .. } => {
            ruleset.rules.iter().any(|r| r.id == *id && is(&r.body, after))
                && position.as_ref().is_none_or(|position| is_at(ruleset, id, position))
        }
        RuleAction::Move { id, position, .. } => is_at(ruleset, id, position),
        RuleAction::Delete { id, .. } => !ruleset.rules.iter().any(|r| r.id == *id),
    }
}

/// Returns true if a rule is at a position.
fn is_at(ruleset: &LiveRuleset, id: &RuleId, position: &Position) -> bool {
    let at = |id: &RuleId| ruleset.rules.iter().position(|r| r.id == *id);
    let Some(own) = at(id) else { return false };
    match position {
        Position::First => own == 0,
        Position::Last => own + 1 == ruleset.rules.len(),
        Position::Before(other) => at(other) == Some(own + 1),
        Position::After(other) => at(other).is_some_and(|other| other + 1 == own),
        Position::Index(index) => own + 1 == *index,
    }
}
