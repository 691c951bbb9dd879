//! A plan as JSON. A saved plan and the report of an apply are plans with further members at the
//! end.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::FORMAT;
use super::apply::Applied;
use super::diagnostic::Diagnostic;
use super::saved_zone::SavedZone;
use crate::api::time_at_limit::seconds_at_limit;
use crate::diagnostic::{Place, Sources};
use crate::diff::FieldChange;
use crate::insight::Direction;
use crate::live::snapshot::AsOf;
use crate::model::ruleset::RuleBody;
use crate::model::{Danger, Gather, RecordForm, RecordId, Value};
use crate::plan::{
    self, Action, BaseSource, Cause, MissingConsent, RecordSubject, RuleAction, RuleSubject,
    Subject, SubjectKind, ZonePlan,
};
use crate::wire::Request;
use crate::wire::keyword::Keyword;
use crate::wire::record::{create_body, value_to_json};
use crate::wire::ruleset::{position_json, rule_json};

/// A plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Plan {
    /// Version of the format.
    format: u32,
    /// The kind of document.
    kind: PlanKind,
    /// The verdict.
    verdict: Verdict,
    /// Numbers of operations and objects.
    summary: Summary,
    /// Requests to Cloudflare.
    requests: RequestCounts,
    /// The source of the previous version of the spec, if one is named.
    base: Option<BaseSource>,
    /// The missing consents. The plan cannot be applied without them.
    consents_missing: Vec<ConsentMissing>,
    /// The consents that the plan needs and has.
    consents_given: Vec<ConsentGiven>,
    /// The operations of an apply: the zone, its settings, its rules and its records, each in its
    /// order. Rules of a zone that exists are sent first.
    operations: Vec<Operation>,
    /// Objects that are left alone, effects of the plan as a whole, and work that no request can
    /// do.
    notes: Vec<Note>,
    /// Findings of planning.
    diagnostics: Vec<Diagnostic>,
    /// The whole plan that this is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<plan::Part>,
    /// The snapshot that it was made against, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<SnapshotOrigin>,
    /// In the report of an apply: the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Applied>,
    /// In a saved plan: the inputs that it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<Saved>,
    /// In a saved plan: the checksum of everything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
}

/// The kind of a plan document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum PlanKind {
    /// A plan.
    Plan,
    /// The report of an apply.
    Apply,
}

/// The verdict on a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Verdict {
    /// Nothing differs.
    InSync,
    /// The plan can be applied.
    Ready,
    /// Consents are missing.
    NeedsConsent,
    /// Part of the spec cannot be achieved. The diagnostics have the details.
    Incomplete,
}

/// Numbers of operations and objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Summary {
    /// Operations that create.
    create: usize,
    /// Operations that change or move.
    update: usize,
    /// Operations that delete, including replacements.
    delete: usize,
    /// Deletes that need consent: the number for `--allow-deletes`. A delete whose record is
    /// replaced needs none.
    deletes_to_allow: usize,
    /// Records and rules that are equal to the spec.
    unchanged: usize,
    /// Live records that the spec does not name.
    unmanaged: usize,
    /// Live records that `ignore` matches.
    ignored: usize,
}

/// Requests to Cloudflare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct RequestCounts {
    /// Requests made for planning.
    made: u64,
    /// Requests needed for applying.
    to_apply: usize,
    /// Seconds that they take under Cloudflare's rate limit, if it is worth reporting.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_at_limit: Option<u64>,
}

/// A missing consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct ConsentMissing {
    /// The danger.
    danger: Keyword<Danger>,
    /// Number of operations that need it; 0 if the plan as a whole needs it.
    operations: usize,
    /// The command-line flag that gives it.
    flag: String,
}

/// A consent that is needed and given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct ConsentGiven {
    /// The danger.
    danger: Keyword<Danger>,
    /// The place where it was given, and the reason.
    by: String,
}

/// One operation of an apply.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Operation {
    /// The address of its object.
    pub(super) address: String,
    /// The zone.
    pub(super) zone: String,
    /// The kind of object.
    pub(super) kind: Keyword<SubjectKind>,
    /// The name of a rule for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// The action.
    pub(super) action: Keyword<Action>,
    /// The cause.
    pub(super) cause: Keyword<Cause>,
    /// The effect on traffic, or the reason for the operation, if known.
    pub(super) effect: Option<Effect>,
    /// The state before it.
    pub(super) before: Option<Map<String, Json>>,
    /// The state after it.
    pub(super) after: Option<Map<String, Json>>,
    /// The fields that differ.
    pub(super) fields: Vec<Field>,
    /// The new position of a rule, if it moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) position: Option<Option<Json>>,
    /// The dangers.
    pub(super) dangers: Vec<Keyword<Danger>>,
    /// Dangers that the spec accepts, with the reasons.
    pub(super) accepted: BTreeMap<Keyword<Danger>, String>,
    /// The time of the last change of the live object, as Cloudflare wrote it.
    pub(super) live_modified_on: Option<String>,
    /// The place in the spec.
    pub(super) source: Option<Source>,
}

/// The effect of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Effect {
    /// The direction in which the protection changes; `null` if it is not judged.
    class: Option<Keyword<Direction>>,
    /// The reason for the operation, then its effect on traffic, in sentences.
    lines: Vec<String>,
}

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct Field {
    /// Its name.
    field: String,
    /// The live value.
    before: Json,
    /// The value in the spec.
    after: Json,
}

/// A place in the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Source {
    /// The file.
    file: String,
    /// The line, from 1.
    line: usize,
    /// The column, from 1, in characters.
    column: usize,
}

/// Objects that are left alone, an effect of the plan as a whole, or work that no request can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
enum Note {
    /// Records that are left alone.
    LeftAlone {
        /// The zone.
        zone: String,
        /// `left-alone`.
        code: LeftAlone,
        /// The reason.
        reason: String,
        /// Their number.
        count: usize,
        /// Their number by type.
        types: BTreeMap<String, usize>,
    },
    /// The effect of the plan as a whole on those who query name servers.
    Impact {
        /// The zone.
        zone: String,
        /// `impact`.
        code: Impact,
        /// The effect.
        text: String,
    },
    /// Work that no request can do.
    ToDo {
        /// The zone.
        zone: String,
        /// `to-do`.
        code: ToDo,
        /// The task.
        text: String,
    },
}

/// The code of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
enum LeftAlone {
    LeftAlone,
}

/// The code of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
enum Impact {
    Impact,
}

/// The code of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
enum ToDo {
    ToDo,
}

/// The snapshot that a plan was made against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct SnapshotOrigin {
    /// The time at which it was taken.
    taken_at: String,
    /// Its age in seconds; `null` if it is in the future by this machine's clock.
    age_seconds: Option<u64>,
    /// The program that took it.
    tool: String,
    /// The host that it was taken from.
    service: String,
}

/// The inputs that a saved plan was made from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Saved {
    /// Version of the format of saved plans.
    pub(super) format: u64,
    /// The program that wrote it, with its version.
    pub(super) tool: String,
    /// The time at which it was made, RFC 3339 in UTC.
    pub(super) created_at: String,
    /// The day on which expiry was decided, `YYYY-MM-DD`.
    pub(super) today: String,
    /// The SHA-256 of the spec's files.
    pub(super) spec_digest: String,
    /// The consents that were given on the command line.
    pub(super) consents: SavedConsents,
    /// The exact requests, for readers. An apply plans again and sends its own requests.
    pub(super) requests: Vec<ExactRequest>,
    /// The resolved spec, as YAML.
    pub(super) spec: String,
    /// The previous version of the spec.
    pub(super) base: Option<SavedBase>,
    /// The addresses and globs that selected a part of the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) only: Vec<String>,
    /// True if only the zones that differ from the base were planned, and those that are connected
    /// with them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) changed: bool,
    /// The zones at Cloudflare that the plan is for. An apply sends nothing to other zones of the
    /// same names.
    pub(super) zones: Vec<SavedZone>,
}

/// The consents of a saved plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedConsents {
    /// Number of allowed deletes.
    pub(super) deletes: Option<usize>,
    /// The codes of other dangers.
    pub(super) dangers: Vec<String>,
}

/// The previous version of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedBase {
    /// Its source.
    #[serde(flatten)]
    pub(super) source: BaseSource,
    /// Its content, as YAML.
    pub(super) spec: String,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExactRequest {
    /// The method.
    method: &'static str,
    /// The path below the base URL.
    path: String,
    /// The parameters of the query.
    query: Map<String, Json>,
    /// The body.
    body: Option<Json>,
}

/// The exact requests of a dry run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Requests {
    format: u32,
    kind: &'static str,
    requests: Vec<ExactRequest>,
}

impl Plan {
    /// Converts a plan.
    #[must_use]
    #[doc(hidden)]
    pub fn of(
        plan: &plan::Plan,
        verdict: &plan::Verdict,
        requests_to_apply: usize,
        sources: &Sources,
    ) -> Self {
        let plan::Summary {
            create,
            update,
            delete,
            deletes_to_allow,
            unchanged,
            unmanaged,
            ignored,
        } = plan.summary();
        let seconds_at_limit = seconds_at_limit(plan.requests_made, requests_to_apply);
        let consents_given = plan.consents_given.iter();
        Self {
            format: FORMAT,
            kind: PlanKind::Plan,
            verdict: verdict.into(),
            summary: Summary {
                create,
                update,
                delete,
                deletes_to_allow,
                unchanged,
                unmanaged,
                ignored,
            },
            requests: RequestCounts {
                made: plan.requests_made,
                to_apply: requests_to_apply,
                seconds_at_limit,
            },
            base: plan.base.clone(),
            consents_missing: missing_consents(verdict),
            consents_given: consents_given
                .map(|g| ConsentGiven { danger: Keyword(g.danger), by: g.by.clone() })
                .collect(),
            operations: operations(plan, sources).collect(),
            notes: plan.zones.iter().flat_map(zone_notes).collect(),
            diagnostics: Diagnostic::all(&plan.diagnostics, sources),
            part: plan.part(),
            against: None,
            result: None,
            saved: None,
            checksum: None,
        }
    }

    /// Adds the snapshot that the plan was made against.
    #[must_use]
    #[doc(hidden)]
    pub fn with_snapshot(self, as_of: &AsOf) -> Self {
        let AsOf { taken_at, age, tool, service } = as_of.clone();
        let against =
            SnapshotOrigin { taken_at, age_seconds: age.map(|age| age.as_secs()), tool, service };
        Self { against: Some(against), ..self }
    }

    /// Converts to the report of an apply.
    #[must_use]
    #[doc(hidden)]
    pub fn applied(self, result: Applied) -> Self {
        Self { kind: PlanKind::Apply, result: Some(result), ..self }
    }

    /// Converts to a saved plan.
    pub(super) fn saved(self, saved: Saved) -> Self {
        Self { saved: Some(saved), ..self }
    }

    /// Adds the checksum.
    pub(super) fn sealed(self, checksum: String) -> Self {
        Self { checksum: Some(checksum), ..self }
    }
}

impl From<&plan::Verdict> for Verdict {
    fn from(verdict: &plan::Verdict) -> Self {
        match verdict {
            plan::Verdict::InSync => Self::InSync,
            plan::Verdict::Ready => Self::Ready,
            plan::Verdict::NeedsConsent(_) => Self::NeedsConsent,
            plan::Verdict::Incomplete => Self::Incomplete,
        }
    }
}

/// Returns the missing consents.
fn missing_consents(verdict: &plan::Verdict) -> Vec<ConsentMissing> {
    let plan::Verdict::NeedsConsent(missing) = verdict else { return Vec::new() };
    missing
        .iter()
        .map(|MissingConsent { danger, operations, flag, given: _ }| ConsentMissing {
            danger: Keyword(*danger),
            operations: *operations,
            flag: flag.clone(),
        })
        .collect()
}

/// Returns all operations of a plan, in their order.
pub(super) fn operations<'a>(
    plan: &'a plan::Plan,
    sources: &'a Sources,
) -> impl Iterator<Item = Operation> + 'a {
    plan.zones.iter().flat_map(|zone| operations_of(zone, sources))
}

/// Returns all operations of a zone, in their order.
pub(super) fn operations_of<'a>(
    zone: &'a ZonePlan,
    sources: &'a Sources,
) -> impl Iterator<Item = Operation> + 'a {
    zone.operations.iter().map(move |one| Operation::of(zone, one, sources))
}

impl Operation {
    /// Converts an operation of a zone's plan.
    fn of(zone: &ZonePlan, operation: &plan::Operation, sources: &Sources) -> Self {
        let plan::Operation {
            address,
            subject,
            fields,
            cause,
            impact,
            dangers,
            accepted,
            narrow: _,
            modified_on,
            place,
        } = operation;
        let (before, after) = images(zone, subject, fields);
        let why = subject.record().map(|_| subject.why().in_full()).filter(|why| !why.is_empty());
        let effect = (impact.is_some() || why.is_some()).then(|| Effect {
            class: impact.as_ref().map(|impact| Keyword(impact.direction)),
            lines: why
                .iter()
                .cloned()
                .chain(impact.iter().flat_map(|i| &i.lines).map(|line| line.to_string()))
                .collect(),
        });
        Self {
            address: address.as_str().to_owned(),
            zone: zone.name.as_str().to_owned(),
            kind: Keyword(subject.kind()),
            name: subject.rule().map(|rule| rule.name.clone()),
            action: Keyword(operation.action()),
            cause: Keyword(*cause),
            effect,
            before,
            after,
            fields: fields.iter().map(Field::of).collect(),
            position: subject.rule().map(|rule| rule.action.position().map(position_json)),
            dangers: dangers.iter().copied().map(Keyword).collect(),
            accepted: accepted
                .iter()
                .map(|(danger, reason)| (Keyword(*danger), reason.clone()))
                .gather(),
            live_modified_on: modified_on.clone(),
            source: place.map(|place| Source::of(place, sources)),
        }
    }
}

impl Field {
    /// Converts a field that differs.
    fn of(change: &FieldChange) -> Self {
        let FieldChange { field, before, after } = change;
        Self {
            field: field.to_string(),
            before: value_to_json(before),
            after: value_to_json(after),
        }
    }
}

impl Source {
    /// Resolves a place in these texts.
    pub(super) fn of(place: Place, sources: &Sources) -> Self {
        let at = sources.line_column(place);
        Self { file: sources.name(place.source).to_owned(), line: at.line, column: at.column }
    }
}

/// A state as JSON.
type Image = Option<Map<String, Json>>;

/// Returns the state before an operation and after it.
fn images(zone: &ZonePlan, subject: &Subject, fields: &[FieldChange]) -> (Image, Image) {
    match subject {
        Subject::Zone => (None, Some(object_of("name", zone.name.as_str().into()))),
        Subject::Setting(_) => {
            let side = |of: fn(&FieldChange) -> &Value| -> Image {
                Some(fields.iter().map(|f| (f.field.to_string(), value_to_json(of(f)))).collect())
            };
            (side(|f| &f.before), side(|f| &f.after))
        }
        Subject::Rule(rule) => images_of_rule(rule),
        Subject::Record(record) => images_of_record(record),
    }
}

/// Returns an object with one member.
fn object_of(name: &str, value: Json) -> Map<String, Json> {
    std::iter::once((name.to_owned(), value)).collect()
}

/// Returns the states of a rule before and after.
fn images_of_rule(rule: &RuleSubject) -> (Image, Image) {
    let json_of = |body: &RuleBody| {
        let mut members = rule_json(body);
        if let Some(id) = rule.action.id() {
            members.insert("id".to_owned(), id.0.as_str().into());
        }
        members
    };
    match &rule.action {
        RuleAction::CreateEntryPoint { rules } => {
            (None, Some(object_of("rules", rules.iter().map(json_of).collect())))
        }
        RuleAction::Create { after, .. } => (None, Some(json_of(after))),
        RuleAction::Update { before, after, .. } => (Some(json_of(before)), Some(json_of(after))),
        RuleAction::Move { body, .. } => (Some(json_of(body)), Some(json_of(body))),
        RuleAction::Delete { before, .. } => (Some(json_of(before)), None),
    }
}

/// Returns the states of a record before and after.
fn images_of_record(record: &RecordSubject) -> (Image, Image) {
    let change = &record.change;
    let image = |record: &RecordForm| record_form(change.id(), record);
    (change.before().map(image), change.after().map(image))
}

/// Returns a record in the form of the API, as far as it is known.
fn record_form(id: Option<&RecordId>, form: &RecordForm) -> Map<String, Json> {
    let mut object = id.map(|id| object_of("id", id.0.as_str().into())).unwrap_or_default();
    if let Json::Object(body) = create_body(&form.in_own_spelling()) {
        object.extend(body);
    }
    object
}

/// Returns the notes of a zone: reasons for unmanaged records, effects of the plan as a whole, and
/// work that no request can do.
fn zone_notes(zone: &ZonePlan) -> Vec<Note> {
    let name = || zone.name.as_str().to_owned();
    let aside = zone.set_aside.iter().map(|aside| Note::LeftAlone {
        zone: name(),
        code: LeftAlone::LeftAlone,
        reason: aside.reason.clone(),
        count: aside.count(),
        types: aside.types.clone(),
    });
    let impact = zone.impact.iter();
    let impact =
        impact.map(|line| Note::Impact { zone: name(), code: Impact::Impact, text: line.clone() });
    let to_do = zone.notes.iter().map(|note| Note::ToDo {
        zone: name(),
        code: ToDo::ToDo,
        text: note.clone(),
    });
    aside.chain(impact).chain(to_do).collect()
}

impl ExactRequest {
    /// Converts a request.
    pub(super) fn of(request: &Request) -> Self {
        let Request { method, path, query, body } = request;
        let query =
            query.iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into())).collect();
        Self { method: method.as_str(), path: path.clone(), query, body: body.clone() }
    }
}

impl Requests {
    /// Converts these requests.
    #[must_use]
    pub fn of(requests: &[Request]) -> Self {
        Self {
            format: FORMAT,
            kind: "requests",
            requests: requests.iter().map(ExactRequest::of).collect(),
        }
    }
}
