//! The JSON Schemas of the documents, from their types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value as Json, json};

use super::conformance::Conformance;
use super::doctor::Doctor;
use super::drift::Drift;
use super::plan::Plan;
use super::rehearsal::Rehearsal;
use crate::apply::JournalLine;
use crate::insight::traffic::Report;
use crate::live::snapshot::SnapshotLine;
use crate::recorded::Line;

/// A kind of document that programs read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `plan --format json`.
    Plan,
    /// `plan --out`.
    SavedPlan,
    /// `apply --format json`.
    Apply,
    /// `drift --format json`.
    Drift,
    /// `rehearse --format json`.
    Rehearsal,
    /// `doctor --format json`.
    Doctor,
    /// `conformance --format json`.
    Conformance,
    /// A line of a journal.
    Journal,
    /// A line of a snapshot.
    Snapshot,
    /// `waf rehearse --format json`.
    WafRehearsal,
    /// A line of a file of requests, as commands read it.
    Request,
}

impl Kind {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Plan,
        Self::SavedPlan,
        Self::Apply,
        Self::Drift,
        Self::Rehearsal,
        Self::Doctor,
        Self::Conformance,
        Self::Journal,
        Self::Snapshot,
        Self::WafRehearsal,
        Self::Request,
    ];

    /// Its name, on the command line and in `schema/`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::SavedPlan => "saved-plan",
            Self::Apply => "apply",
            Self::Drift => "drift",
            Self::Rehearsal => "rehearsal",
            Self::Doctor => "doctor",
            Self::Conformance => "conformance",
            Self::Journal => "journal",
            Self::Snapshot => "snapshot",
            Self::WafRehearsal => "waf-rehearsal",
            Self::Request => "request",
        }
    }
}

/// The schema of a kind of document, draft-07.
#[must_use]
pub fn schema(kind: Kind) -> Json {
    let mut schema = match kind {
        Kind::Plan => of_plan("plan", &["against"], &[]),
        Kind::SavedPlan => of_plan("plan", &[], &["saved", "checksum"]),
        Kind::Apply => of_plan("apply", &[], &["result"]),
        Kind::Drift => of::<Drift>(),
        Kind::Rehearsal => of::<Rehearsal>(),
        Kind::Doctor => of::<Doctor>(),
        Kind::Conformance => of::<Conformance>(),
        Kind::Journal => of::<JournalLine>(),
        Kind::Snapshot => of::<SnapshotLine>(),
        Kind::WafRehearsal => of::<Report>(),
        // It is read, not written: what may be left out is not required.
        Kind::Request => SchemaSettings::draft07().into_generator().into_root_schema_for::<Line<'static>>(),
    };
    let of_lines = if matches!(kind, Kind::Journal | Kind::Snapshot | Kind::Request) { ", a line" } else { "" };
    let title = format!("zonewright {}{of_lines}", kind.name().replace('-', " "));
    schema.insert("title".to_owned(), json!(title));
    schema.to_value()
}

/// The schema of a type as it is written.
fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft07().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// The members that not every document in the form of a plan has.
const SPECIAL: [&str; 4] = ["against", "result", "saved", "checksum"];

/// The schema of a document in the form of a plan, with these of the special members.
fn of_plan(kind: &str, optional: &[&str], required: &[&str]) -> Schema {
    let mut schema = of::<Plan>();
    if let Some(members) = schema.get_mut("properties").and_then(Json::as_object_mut) {
        members.retain(|name, _| {
            let name = name.as_str();
            !SPECIAL.contains(&name) || optional.contains(&name) || required.contains(&name)
        });
        members.insert("kind".to_owned(), json!({ "const": kind }));
        for name in required {
            // What is always there is never null.
            let Some(member) = members.get_mut(*name) else { continue };
            if let Some(Json::Array(types)) = member.get_mut("type") {
                types.retain(|name| name != "null");
            }
            if let Some(Json::Array(choices)) = member.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
            }
        }
    }
    if let Some(all) = schema.get_mut("required").and_then(Json::as_array_mut) {
        all.extend(required.iter().map(|name| json!(name)));
    }
    schema
}
