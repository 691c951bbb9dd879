//! Why a request is stopped, and how to let it through.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// The part of a request that a rule matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Part {
    /// The collection of the rule language, such as `ARGS`.
    pub collection: &'static str,
    /// The member of the collection, such as the name of an argument.
    pub key: String,
    /// True if the value is the number of such members in the request.
    pub is_count: bool,
    /// The bytes that matched, after the transformations of the rule; `None` if they must not be
    /// shown.
    pub text: Option<String>,
    /// The index of the first byte.
    pub start: usize,
    /// The index after the last byte.
    pub end: usize,
    /// The length of the whole value.
    pub length: usize,
}

/// The explanation in the form of the JSON output.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<'e> {
    /// Version of the format.
    pub(crate) format: u32,
    /// The kind of document.
    pub(crate) kind: &'static str,
    pub(crate) request: Option<&'e str>,
    pub(crate) zone: Option<&'e str>,
    pub(crate) settings: Option<&'static str>,
    pub(crate) verdict: Option<&'static str>,
    pub(crate) by: Option<String>,
    pub(crate) score: Option<u32>,
    pub(crate) threshold: Option<u32>,
    pub(crate) action: Option<&'e str>,
    pub(crate) level: Option<u8>,
    pub(crate) hits: Vec<HitDocument<'e>>,
    pub(crate) undecided: Vec<u32>,
    pub(crate) scores: BTreeMap<u8, u32>,
    pub(crate) attacks: usize,
    pub(crate) stopped: usize,
    pub(crate) ways: Vec<WayDocument<'e>>,
    pub(crate) not_evaluated: Vec<&'e str>,
    pub(crate) depends_on: Vec<&'e str>,
    pub(crate) notes: &'e [String],
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HitDocument<'e> {
    pub(crate) rule: u32,
    pub(crate) level: u8,
    pub(crate) score: u32,
    pub(crate) counts: bool,
    pub(crate) why_not: Option<String>,
    pub(crate) looks_for: Option<&'e str>,
    pub(crate) matched: Vec<&'e Part>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WayDocument<'e> {
    pub(crate) kind: &'static str,
    pub(crate) scope: &'static str,
    pub(crate) rules: &'e [u32],
    pub(crate) score: u32,
    pub(crate) threshold: u32,
    pub(crate) lets_through: usize,
    pub(crate) edit: &'e str,
}
