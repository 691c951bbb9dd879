//! A plan, the report of an apply or a drift report, read back for people. Members that a later
//! version adds are skipped, and missing ones are empty.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// A saved plan or a report.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ReadableDocument {
    /// The kind of document: `plan`, `apply` or `drift`.
    pub kind: String,
    /// Its verdict.
    pub verdict: String,
    /// Numbers by word.
    pub summary: BTreeMap<String, u64>,
    /// Where the previous spec comes from.
    pub base: Option<Map<String, Json>>,
    /// Consents that were missing.
    pub consents_missing: Vec<ReadableConsent>,
    /// Operations of a plan.
    pub operations: Vec<ReadableOperation>,
    /// Findings of a drift report.
    pub findings: Vec<ReadableOperation>,
    /// When a drift report was made.
    pub checked_at: String,
    /// What a saved plan was made from.
    pub saved: Option<ReadableOrigin>,
}

/// A consent that was missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ReadableConsent {
    /// The flag that gives it.
    pub flag: String,
}

/// What a saved plan was made from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ReadableOrigin {
    /// The program that wrote it, with its version.
    pub tool: String,
    /// When it was made.
    pub created_at: String,
    /// The day by which expiry was judged.
    pub today: String,
}

/// An operation of a plan, or a finding of a drift report.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ReadableOperation {
    /// The address of the object.
    pub address: String,
    /// What is done.
    pub action: String,
    /// The state of a finding.
    pub state: String,
    /// What it means, in sentences.
    pub effect: Option<ReadableEffect>,
    /// The state before it.
    pub before: Option<Map<String, Json>>,
    /// The state after it.
    pub after: Option<Map<String, Json>>,
    /// The fields that differ.
    pub fields: Vec<ReadableField>,
    /// The codes of its dangers.
    pub dangers: Vec<String>,
}

/// What an operation means.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ReadableEffect {
    /// Sentences.
    pub lines: Vec<String>,
}

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ReadableField {
    /// Its name.
    pub field: String,
    /// The value before.
    pub before: Json,
    /// The value after.
    pub after: Json,
}
