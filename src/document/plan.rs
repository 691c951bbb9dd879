//! A plan as JSON. A saved plan and the report of an apply are the same with more at the end.

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
use crate::wire::record::{create_body, to_json};
use crate::wire::ruleset::{position_json, rule_json};

/// A plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Plan {
    /// Version of the form.
    format: u32,
    /// Which document it is.
    kind: PlanKind,
    /// What may happen to it.
    verdict: Verdict,
    /// How much there is of what.
    summary: Summary,
    /// Requests to Cloudflare.
    requests: RequestCounts,
    /// Where the previous version of the spec comes from, if one is named.
    base: Option<BaseSource>,
    /// The consents without which it cannot be applied.
    consents_missing: Vec<ConsentMissing>,
    /// The consents that it needs and has.
    consents_given: Vec<ConsentGiven>,
    /// What an apply does: the zone, its settings, its rules and its records, each in its order.
    /// Rules of a zone that exists are sent first.
    operations: Vec<Operation>,
    /// What is left alone, what it means as a whole, and what someone has to do elsewhere.
    notes: Vec<Note>,
    /// What was found while planning.
    diagnostics: Vec<Diagnostic>,
    /// What it is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<plan::Part>,
    /// The snapshot that it was made against, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<SnapshotOrigin>,
    /// Of the report of an apply: what came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Applied>,
    /// Of a saved plan: what it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<Saved>,
    /// Of a saved plan: the sum of everything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
}

/// Which document a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum PlanKind {
    /// A plan.
    Plan,
    /// What came of one.
    Apply,
}

/// What may happen to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Verdict {
    /// There is nothing to do.
    InSync,
    /// It may be applied.
    Ready,
    /// Consents are missing.
    NeedsConsent,
    /// Something wanted cannot be had; the diagnostics say what.
    Incomplete,
}

/// How much there is of what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Summary {
    /// Operations that create.
    create: usize,
    /// Operations that change or move.
    update: usize,
    /// Operations that delete, replacements included.
    delete: usize,
    /// The deletes that need consent: the number for `--allow-deletes`. A delete whose record is
    /// replaced needs none.
    deletes_to_allow: usize,
    /// Records and rules as they should be.
    unchanged: usize,
    /// Live records that the spec does not name.
    unmanaged: usize,
    /// Live records that `ignore` names.
    ignored: usize,
}

/// Requests to Cloudflare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct RequestCounts {
    /// Made to plan.
    made: u64,
    /// Needed to apply.
    to_apply: usize,
    /// Seconds that Cloudflare's quota lets them take, where that is worth reporting.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_at_limit: Option<u64>,
}

/// A consent that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct ConsentMissing {
    /// For what.
    danger: Keyword<Danger>,
    /// How many operations need it; none if it is the plan as a whole.
    operations: usize,
    /// What to add to the command line.
    flag: String,
}

/// A consent that is needed and there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct ConsentGiven {
    /// For what.
    danger: Keyword<Danger>,
    /// Where it was given, and why.
    by: String,
}

/// One thing that an apply does.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Operation {
    /// The address of what it is about.
    pub(super) address: String,
    /// The zone.
    pub(super) zone: String,
    /// What kind of thing it is about.
    pub(super) kind: Keyword<SubjectKind>,
    /// Of a rule: what a person calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// What is done.
    pub(super) action: Keyword<Action>,
    /// Why.
    pub(super) cause: Keyword<Cause>,
    /// What it means for traffic, or why it is done, where that is known.
    pub(super) effect: Option<Effect>,
    /// The state before it.
    pub(super) before: Option<Map<String, Json>>,
    /// The state after it.
    pub(super) after: Option<Map<String, Json>>,
    /// The fields that differ.
    pub(super) fields: Vec<Field>,
    /// Of a rule: where it is put, if it is put anywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) position: Option<Option<Json>>,
    /// What is dangerous about it.
    pub(super) dangers: Vec<Keyword<Danger>>,
    /// Dangers of it that the spec accepts, with the reasons.
    pub(super) accepted: BTreeMap<Keyword<Danger>, String>,
    /// When the live object was last changed, as Cloudflare wrote it.
    pub(super) live_modified_on: Option<String>,
    /// The place in the spec that asks for it.
    pub(super) source: Option<Source>,
}

/// What an operation means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Effect {
    /// Which way the protection changes; `null` where that is not judged.
    class: Option<Keyword<Direction>>,
    /// Why it is done, then what it means for traffic, in sentences.
    lines: Vec<String>,
}

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct Field {
    /// Its name.
    field: String,
    /// What Cloudflare has.
    before: Json,
    /// What the spec wants.
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

/// What is left alone, what a plan means as a whole, or what someone has to do elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
enum Note {
    /// Records that are left alone.
    LeftAlone {
        /// The zone.
        zone: String,
        /// `left-alone`.
        code: LeftAlone,
        /// Why.
        reason: String,
        /// How many.
        count: usize,
        /// How many by type.
        types: BTreeMap<String, usize>,
    },
    /// What the plan means as a whole to those who ask name servers.
    Impact {
        /// The zone.
        zone: String,
        /// `impact`.
        code: Impact,
        /// What.
        text: String,
    },
    /// Work that no request can do.
    ToDo {
        /// The zone.
        zone: String,
        /// `to-do`.
        code: ToDo,
        /// What.
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
    /// When it was taken.
    taken_at: String,
    /// How old it is, in seconds; `null` if it is from the future by this machine's clock.
    age_seconds: Option<u64>,
    /// The program that took it.
    tool: String,
    /// The host that it was taken of.
    service: String,
}

/// What a saved plan was made from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Saved {
    /// Version of the form of saved plans.
    pub(super) format: u64,
    /// The program that wrote it, with its version.
    pub(super) tool: String,
    /// When it was made, RFC 3339 in UTC.
    pub(super) created_at: String,
    /// The day by which it was judged what has expired, `YYYY-MM-DD`.
    pub(super) today: String,
    /// The SHA-256 of the spec's files.
    pub(super) spec_digest: String,
    /// The consents that were given on the command line.
    pub(super) consents: SavedConsents,
    /// The exact requests, for readers; an apply does not send these, but what it finds to be
    /// needed.
    pub(super) requests: Vec<ExactRequest>,
    /// The spec as resolved, as YAML.
    pub(super) spec: String,
    /// The previous version of the spec.
    pub(super) base: Option<SavedBase>,
    /// The addresses and globs that chose a part of the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) only: Vec<String>,
    /// The zones at Cloudflare that the plan is for. An apply sends nothing to others of these
    /// names.
    pub(super) zones: Vec<SavedZone>,
}

/// The consents of a saved plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedConsents {
    /// How many deletes were allowed.
    pub(super) deletes: Option<usize>,
    /// The codes of other dangers.
    pub(super) dangers: Vec<String>,
}

/// The previous version of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedBase {
    /// Where it comes from.
    #[serde(flatten)]
    pub(super) source: BaseSource,
    /// What it says, as YAML.
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
    /// A plan.
    #[must_use]
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
        let given = plan.consents_given.iter();
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
            consents_missing: missing(verdict),
            consents_given: given
                .map(|g| ConsentGiven { danger: Keyword(g.danger), by: g.by.clone() })
                .collect(),
            operations: operations(plan, sources).collect(),
            notes: plan.zones.iter().flat_map(notes).collect(),
            diagnostics: Diagnostic::all(&plan.diagnostics, sources),
            part: plan.part(),
            against: None,
            result: None,
            saved: None,
            checksum: None,
        }
    }

    /// The same, made against a snapshot.
    #[must_use]
    pub fn with_snapshot(self, as_of: &AsOf) -> Self {
        let AsOf { taken_at, age, tool, service } = as_of.clone();
        let against =
            SnapshotOrigin { taken_at, age_seconds: age.map(|age| age.as_secs()), tool, service };
        Self { against: Some(against), ..self }
    }

    /// The report of its apply.
    #[must_use]
    pub fn applied(self, result: Applied) -> Self {
        Self { kind: PlanKind::Apply, result: Some(result), ..self }
    }

    /// The same as a saved plan.
    pub(super) fn saved(self, saved: Saved) -> Self {
        Self { saved: Some(saved), ..self }
    }

    /// The same with its checksum.
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

/// The missing consents.
fn missing(verdict: &plan::Verdict) -> Vec<ConsentMissing> {
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

/// All operations of a plan, in their order.
pub(super) fn operations<'a>(
    plan: &'a plan::Plan,
    sources: &'a Sources,
) -> impl Iterator<Item = Operation> + 'a {
    plan.zones.iter().flat_map(|zone| operations_of(zone, sources))
}

/// All operations of a zone, in their order.
pub(super) fn operations_of<'a>(
    zone: &'a ZonePlan,
    sources: &'a Sources,
) -> impl Iterator<Item = Operation> + 'a {
    zone.operations.iter().map(move |one| Operation::of(zone, one, sources))
}

impl Operation {
    /// An operation of a zone's plan.
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
            lines: why.iter().cloned().chain(impact.iter().flat_map(|i| i.lines.clone())).collect(),
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
    /// A field that differs.
    fn of(change: &FieldChange) -> Self {
        let FieldChange { field, before, after } = change;
        Self { field: field.to_string(), before: to_json(before), after: to_json(after) }
    }
}

impl Source {
    /// A place in these texts.
    pub(super) fn of(place: Place, sources: &Sources) -> Self {
        let at = sources.line_column(place);
        Self { file: sources.name(place.source).to_owned(), line: at.line, column: at.column }
    }
}

/// A state as JSON.
type Image = Option<Map<String, Json>>;

/// The state before an operation and after it.
fn images(zone: &ZonePlan, subject: &Subject, fields: &[FieldChange]) -> (Image, Image) {
    match subject {
        Subject::Zone => (None, Some(one("name", zone.name.as_str().into()))),
        Subject::Setting(_) => {
            let side = |of: fn(&FieldChange) -> &Value| -> Image {
                Some(fields.iter().map(|f| (f.field.to_string(), to_json(of(f)))).collect())
            };
            (side(|f| &f.before), side(|f| &f.after))
        }
        Subject::Rule(rule) => images_of_rule(rule),
        Subject::Record(record) => images_of_record(record),
    }
}

/// An object with one member.
fn one(name: &str, value: Json) -> Map<String, Json> {
    std::iter::once((name.to_owned(), value)).collect()
}

/// A rule before and after.
fn images_of_rule(rule: &RuleSubject) -> (Image, Image) {
    let whole = |body: &RuleBody| {
        let mut whole = rule_json(body);
        if let Some(id) = rule.action.id() {
            whole.insert("id".to_owned(), id.0.as_str().into());
        }
        whole
    };
    match &rule.action {
        RuleAction::CreateEntryPoint { rules } => {
            (None, Some(one("rules", rules.iter().map(whole).collect())))
        }
        RuleAction::Create { after, .. } => (None, Some(whole(after))),
        RuleAction::Update { before, after, .. } => (Some(whole(before)), Some(whole(after))),
        RuleAction::Move { body, .. } => (Some(whole(body)), Some(whole(body))),
        RuleAction::Delete { before, .. } => (Some(whole(before)), None),
    }
}

/// A record before and after.
fn images_of_record(record: &RecordSubject) -> (Image, Image) {
    let change = &record.change;
    let image = |record: &RecordForm| form(change.id(), record);
    (change.before().map(image), change.after().map(image))
}

/// A record as the API would write it, as far as it is known.
fn form(id: Option<&RecordId>, form: &RecordForm) -> Map<String, Json> {
    let mut object = id.map(|id| one("id", id.0.as_str().into())).unwrap_or_default();
    if let Json::Object(body) = create_body(&form.in_own_spelling()) {
        object.extend(body);
    }
    object
}

/// Why records of a zone are unmanaged, what its plan means as a whole, and what someone has to do
/// elsewhere.
fn notes(zone: &ZonePlan) -> Vec<Note> {
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
    /// A request.
    pub(super) fn of(request: &Request) -> Self {
        let Request { method, path, query, body } = request;
        let query =
            query.iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into())).collect();
        Self { method: method.as_str(), path: path.clone(), query, body: body.clone() }
    }
}

impl Requests {
    /// These requests.
    #[must_use]
    pub fn of(requests: &[Request]) -> Self {
        Self {
            format: FORMAT,
            kind: "requests",
            requests: requests.iter().map(ExactRequest::of).collect(),
        }
    }
}
