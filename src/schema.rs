//! The JSON Schemas of everything that other programs read from this one or write for it: the one
//! list.
//!
//! `schema/` holds them, and `zonewright schema KIND` prints them. They follow from the types of
//! the documents.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value as Json, json};

use crate::apply::JournalLine;
use crate::document::conformance::Conformance;
use crate::document::diagnostic::{Findings, Validation};
use crate::document::doctor::Doctor;
use crate::document::drift::Drift;
use crate::document::plan::{Plan, Requests};
use crate::document::rehearsal::Rehearsal;
use crate::document::written_files::{FormattedFiles, NewFiles, PulledFiles, SnapshotFile};
use crate::document::{dns_answer, expectations, spec_diff, waf, waf_explain, waf_trace, waf_tune};
use crate::insight::traffic::Report;
use crate::live::snapshot::SnapshotLine;
use crate::recorded::Line;
use crate::spec;

/// Declares the kinds: the one list. Each has its name on the command line and in `schema/`, and
/// its schema.
macro_rules! kinds {
    ($($(#[doc = $about:literal])+ $(#[cfg(feature = $feature:literal)])? $kind:ident = $name:literal: $schema:expr;)+) => {
        /// A kind of document that programs read or write.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            $($(#[doc = $about])+ $(#[cfg(feature = $feature)])? $kind,)+
        }

        impl Kind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$($(#[cfg(feature = $feature)])? Self::$kind),+];

            /// Its name, on the command line and in `schema/`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($(#[cfg(feature = $feature)])? Self::$kind => $name,)+ }
            }

            /// Its schema without a title.
            fn untitled(self) -> Json {
                match self { $($(#[cfg(feature = $feature)])? Self::$kind => $schema,)+ }
            }
        }
    };
}

kinds! {
    /// The spec.
    Spec = "spec": spec::schema();
    /// The policy file.
    Policy = "policy": spec::policy_schema();
    /// `plan --format json`.
    Plan = "plan": of_plan("plan", &["against"], &[]);
    /// `plan --out`.
    SavedPlan = "saved-plan": of_plan("plan", &[], &["saved", "checksum"]);
    /// `apply --format json`.
    Apply = "apply": of_plan("apply", &[], &["result"]);
    /// `apply --dry-run --format json`.
    Requests = "requests": of::<Requests>(Some("requests"));
    /// `drift --format json`.
    Drift = "drift": of::<Drift>(None);
    /// `rehearse --format json`.
    Rehearsal = "rehearsal": of::<Rehearsal>(None);
    /// `doctor --format json`.
    Doctor = "doctor": of::<Doctor>(None);
    /// `conformance --format json`.
    Conformance = "conformance": of::<Conformance>(None);
    /// A line of a journal.
    Journal = "journal": of::<JournalLine>(None);
    /// A line of a snapshot.
    Snapshot = "snapshot": of::<SnapshotLine>(None);
    /// `snapshot --format json`.
    SnapshotFile = "snapshot-file": of::<SnapshotFile>(Some("snapshot"));
    /// `validate --format json` of a spec without errors.
    Validation = "validation": of::<Validation>(Some("validation"));
    /// What every command writes with `--format json` if the spec has errors.
    Findings = "diagnostics": of::<Findings>(Some("diagnostics"));
    /// `diff --format json`.
    SpecDiff = "spec-diff": of::<spec_diff::Document<'_>>(Some("spec-diff"));
    /// `resolve --format json`.
    Answers = "answers": of::<dns_answer::Document<'_>>(Some("answers"));
    /// `test --format json`.
    Test = "test": of::<expectations::Document<'_>>(Some("test"));
    /// `fmt --format json`.
    FormattedFiles = "fmt": of::<FormattedFiles>(Some("fmt"));
    /// `pull --format json`.
    PulledFiles = "pull": of::<PulledFiles>(Some("pull"));
    /// `init --format json`.
    NewFiles = "init": of::<NewFiles>(Some("init"));
    /// `waf rules --format json`.
    WafRules = "waf-rules": of::<waf::Zones<waf::ZoneRules<'_>>>(Some("waf_rules"));
    /// `waf status --format json`.
    WafEffective = "waf-effective": of::<waf::Zones<waf::ZoneSurvey<'_>>>(Some("waf_effective"));
    /// `waf rules --changes --format json`.
    WafDiff = "waf-diff": of::<waf::Zones<waf::ZoneDifference<'_>>>(Some("waf_diff"));
    /// `waf rules --lock --format json`.
    WafLock = "waf-lock": of::<waf::Lock<'_>>(Some("waf_lock"));
    /// `waf trace --format json`.
    WafTrace = "waf-trace": of::<waf_trace::Document<'_>>(Some("waf_trace"));
    /// `waf explain --format json`.
    WafExplain = "waf-explain": of::<waf_explain::Document<'_>>(Some("waf_explain"));
    /// `waf tune --format json`.
    WafTune = "waf-tune": of::<waf_tune::Document<'_>>(Some("waf_tune"));
    /// `waf replay --format json`.
    WafRehearsal = "waf-rehearsal": of::<Report>(None);
    /// What `sandbox dump` prints and `sandbox seed` reads. `seed` needs no more of it than the
    /// names of zones, and the name, type and value of records.
    #[cfg(feature = "sandbox")]
    Sandbox = "sandbox": of::<crate::sandbox::Document>(Some("sandbox"));
    /// A line of a file of requests, as commands read it. What may be left out is not required.
    Request = "request": SchemaSettings::draft07().into_generator().into_root_schema_for::<Line<'_>>().to_value();
}

/// Returns the schema of a kind of document, draft-07.
#[must_use]
pub fn schema(kind: Kind) -> Json {
    let mut schema = kind.untitled();
    unwrap_descriptions(&mut schema);
    let of_lines = if matches!(kind, Kind::Journal | Kind::Snapshot | Kind::Request) {
        ", a line"
    } else {
        ""
    };
    let title = format!("zonewright {}{of_lines}", kind.name().replace('-', " "));
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("title".to_owned(), json!(title));
    }
    schema
}

/// Joins the lines of each paragraph of a description: where the source breaks them means nothing.
fn unwrap_descriptions(schema: &mut Json) {
    match schema {
        Json::Object(members) => {
            for (key, value) in members {
                match value {
                    Json::String(text) if key == "description" => *text = unwrapped(text),
                    value => unwrap_descriptions(value),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(unwrap_descriptions),
        _ => {}
    }
}

/// Returns a text in Markdown with one line for each paragraph.
fn unwrapped(text: &str) -> String {
    let paragraphs: Vec<String> =
        text.split("\n\n").map(|lines| lines.replace('\n', " ")).collect();
    paragraphs.join("\n\n")
}

/// Returns the schema of a type as it is written; `kind` is what its member of that name always
/// says.
fn of<T: JsonSchema>(kind: Option<&str>) -> Json {
    let mut schema = written::<T>().to_value();
    if let (Some(kind), Some(member)) = (kind, schema.pointer_mut("/properties/kind")) {
        *member = json!({ "const": kind });
    }
    schema
}

/// Returns the schema of a type as it is written.
fn written<T: JsonSchema>() -> Schema {
    SchemaSettings::draft07().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// The members that not every document in the form of a plan has.
const SPECIAL: [&str; 4] = ["against", "result", "saved", "checksum"];

/// Returns the schema of a document in the form of a plan, with these of the special members.
fn of_plan(kind: &str, optional: &[&str], required: &[&str]) -> Json {
    let mut schema = written::<Plan>();
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
    schema.to_value()
}
