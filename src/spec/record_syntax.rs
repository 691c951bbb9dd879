//! The syntax of records: the types from which that part of the JSON Schema is generated and into
//! which the tree is read.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::deserialize::{Entries, Nullable, OneOrMany, Spanned, Text};
use crate::model::facts::MAXIMUM_TTL;
use crate::model::{Danger, RecordType, Settings, Unmanaged};

/// Defaults for records.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DefaultsSyntax {
    /// Time to live: `auto`, or seconds from 60 to 86400 (from 30 on Enterprise zones).
    #[serde(default)]
    #[schemars(schema_with = "ttl")]
    pub(super) ttl: Option<Spanned<Text>>,
    /// True to route traffic through Cloudflare; applies to A, AAAA and CNAME records only.
    pub(super) proxied: Option<Spanned<bool>>,
    /// A note for people, up to 500 characters; `null` clears it.
    pub(super) comment: Option<Spanned<Nullable>>,
    /// Tags, each `name` or `name:value`.
    pub(super) tags: Option<Spanned<Vec<Spanned<Text>>>>,
    /// Owner of the records; never sent to Cloudflare.
    pub(super) owner: Option<Spanned<Text>>,
}

/// The parts of one value.
pub(super) type DataSyntax = Spanned<Entries<Spanned<Text>>>;

/// A record, or several with one name and type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordSyntax {
    /// The name: relative to the zone, `@` for the zone itself, or fully qualified inside the zone.
    #[schemars(required)]
    pub(super) name: Option<Spanned<Text>>,
    /// The record type.
    #[serde(rename = "type")]
    #[schemars(required, schema_with = "record_type")]
    pub(super) record_type: Option<Spanned<Text>>,
    /// The value as text, or a list of values (one record each).
    pub(super) content: Option<Spanned<OneOrMany<Spanned<Text>>>>,
    /// The value by its parts, or a list of values (one record each).
    pub(super) data: Option<Spanned<OneOrMany<DataSyntax>>>,
    /// The priority of MX, URI, SRV, SVCB and HTTPS records, 0 to 65535, lowest first; next to
    /// `data` for URI records only.
    #[serde(default)]
    #[schemars(schema_with = "priority")]
    pub(super) priority: Option<Spanned<Text>>,
    /// Time to live: `auto`, or seconds from 60 to 86400 (from 30 on Enterprise zones).
    #[serde(default)]
    #[schemars(schema_with = "ttl")]
    pub(super) ttl: Option<Spanned<Text>>,
    /// True to route traffic through Cloudflare; A, AAAA and CNAME records only.
    pub(super) proxied: Option<Spanned<bool>>,
    /// A note for people, up to 500 characters; `null` clears it; without the key, the comment is
    /// left alone.
    pub(super) comment: Option<Spanned<Nullable>>,
    /// Tags, each `name` or `name:value`.
    pub(super) tags: Option<Spanned<Vec<Spanned<Text>>>>,
    /// Cloudflare's settings for this record.
    pub(super) settings: Option<Spanned<SettingsSyntax>>,
    /// `absent` deletes the record; without a value, every record of the name and type.
    #[schemars(extend("default" = "present"))]
    pub(super) state: Option<Spanned<StateSyntax>>,
    /// Changing or deleting the record needs a separate consent.
    #[schemars(extend("default" = false))]
    pub(super) protect: Option<Spanned<bool>>,
    /// Accepted dangers for the record: the code of each, and why.
    #[serde(default)]
    #[schemars(schema_with = "allow")]
    pub(super) allow: Option<Entries<Spanned<Text>>>,
    /// Lints that are accepted for the record: the code of each, and why.
    #[serde(default)]
    #[schemars(schema_with = "lint")]
    #[expect(dead_code, reason = "read from the tree; here for the schema")]
    pub(super) lint: Option<Entries<Text>>,
    /// Owner of the record; never sent to Cloudflare.
    pub(super) owner: Option<Spanned<Text>>,
    /// Why the record exists; never sent to Cloudflare.
    pub(super) reason: Option<Spanned<Text>>,
    /// The last day on which the record is needed, YYYY-MM-DD; the record is removed afterwards.
    #[serde(default)]
    #[schemars(schema_with = "date")]
    pub(super) expires: Option<Spanned<Text>>,
}

/// Cloudflare's settings for one record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SettingsSyntax {
    /// Answer with the addresses behind a CNAME.
    pub(super) flatten_cname: Option<bool>,
    /// Answer with IPv4 addresses only, on proxied records.
    pub(super) ipv4_only: Option<bool>,
    /// Answer with IPv6 addresses only, on proxied records.
    pub(super) ipv6_only: Option<bool>,
    /// Reach the origin through a private network, on proxied A and AAAA records.
    pub(super) private_routing: Option<bool>,
}

impl From<&SettingsSyntax> for Settings {
    fn from(syntax: &SettingsSyntax) -> Self {
        let SettingsSyntax { flatten_cname, ipv4_only, ipv6_only, private_routing } = *syntax;
        Self { flatten_cname, ipv4_only, ipv6_only, private_routing }
    }
}

/// Whether a record must exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum StateSyntax {
    /// The record must exist.
    Present,
    /// The record must not exist.
    Absent,
}

/// Treatment of records that the spec does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum UnmanagedSyntax {
    /// Report them, never change them.
    Keep,
    /// Delete them: the spec is the complete state.
    Prune,
}

impl From<UnmanagedSyntax> for Unmanaged {
    fn from(syntax: UnmanagedSyntax) -> Self {
        match syntax {
            UnmanagedSyntax::Keep => Self::Keep,
            UnmanagedSyntax::Prune => Self::Prune,
        }
    }
}

/// Returns the schema of a time to live. Text allows substitutions.
pub(super) fn ttl(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            { "type": "string", "enum": ["auto"] },
            { "type": "integer", "minimum": 1, "maximum": MAXIMUM_TTL },
            { "type": "string", "pattern": r"^([0-9]+|.*\$\{.*\}.*)$" },
        ]
    })
}

/// Returns the schema of a priority. Text allows substitutions.
fn priority(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": 65535 },
            { "type": "string", "pattern": r"^([0-9]+|.*\$\{.*\}.*)$" },
        ]
    })
}

/// Returns the schema of a record type.
pub(super) fn record_type(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<_> = RecordType::ALL.iter().map(|t| t.as_str()).collect();
    let about: Vec<_> = RecordType::ALL.iter().map(|t| t.facts().about).collect();
    json_schema!({ "type": "string", "enum": names, "enumDescriptions": about })
}

/// Returns the schema of dangers that can be accepted, with reasons. Deletes are not among them:
/// they are allowed by their number.
pub(super) fn allow(_: &mut SchemaGenerator) -> Schema {
    let danger_schema = |danger: &Danger| {
        let schema = serde_json::json!({ "type": "string", "minLength": 1, "description": format!("Accepts that {}; why.", danger.about()) });
        (danger.code().to_owned(), schema)
    };
    let named_dangers = Danger::ALL.iter().filter(|d| Danger::by_code(d.code()).is_some());
    let properties: serde_json::Map<String, serde_json::Value> =
        named_dangers.map(danger_schema).collect();
    json_schema!({ "type": "object", "additionalProperties": false, "properties": properties })
}

/// Returns the schema of accepted lints, with reasons.
pub(super) fn lint(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": { "type": "string", "minLength": 1 } })
}

/// Returns the schema of a date.
pub(super) fn date(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": r"^([0-9]{4}-[0-9]{2}-[0-9]{2}|.*\$\{.*\}.*)$" })
}
