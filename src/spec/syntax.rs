//! The format of a spec: the types from which the JSON Schema is generated and into which the tree
//! is read.
//!
//! Editors show the documentation comments of the public keys as descriptions. Every key is
//! optional for the reader, because a key that the shape check refused is left out; the schema says
//! which keys are required.

use std::ops::RangeInclusive;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::any_value::AnyValue;
use super::deserialize::{Deferred, Entries, Spanned, Text};
use super::record_syntax::{
    DefaultsSyntax, RecordSyntax, UnmanagedSyntax, allow, lint, record_type,
};
use super::waf::WafSyntax;
use crate::model::Tier;
use crate::model::facts::dns_settings::{
    NS_TTL, SOA_EXPIRE, SOA_MINIMUM_TTL, SOA_REFRESH, SOA_RETRY, SOA_TTL,
};

/// A spec for zonewright: zones and the DNS records in them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FileSyntax {
    /// The version of the spec language. It fixes the meaning: an upgrade of the program never
    /// changes what `version: 1` means.
    #[schemars(required, schema_with = "version")]
    #[expect(dead_code, reason = "checked when the file is loaded; here for the schema")]
    pub(super) version: Option<Text>,
    /// More files of the same format: paths and globs relative to this file, which must stay below
    /// its directory.
    #[expect(dead_code, reason = "followed when the file is loaded; here for the schema")]
    pub(super) include: Option<Vec<Text>>,
    /// Values for `${NAME}`, shared by all files; `--var NAME=VALUE` overrides them.
    #[expect(dead_code, reason = "collected before anything is substituted; here for the schema")]
    pub(super) variables: Option<Entries<Text>>,
    /// Defaults for records in this file and the files it includes.
    pub(super) defaults: Option<DefaultsSyntax>,
    /// Values that zones share by naming the profile under `use`; a zone's own values override
    /// them, key by key. `${ZONE}` in them is the name of the zone.
    pub(super) profiles: Option<Entries<Deferred<Spanned<ProfileSyntax>>>>,
    /// Lints that are accepted in this file: the code of each, and why.
    #[serde(default)]
    #[schemars(schema_with = "lint")]
    #[expect(dead_code, reason = "read from the tree; here for the schema")]
    pub(super) lint: Option<Entries<Text>>,
    /// The zones by name. Fragments of one zone in several files are merged.
    pub(super) zones: Option<Entries<Spanned<ZoneSyntax>>>,
}

/// A zone.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ZoneSyntax {
    /// Cloudflare's id of the zone, 32 hexadecimal digits: needed if several zones have the same
    /// name.
    pub(super) id: Option<Spanned<Text>>,
    /// The zone's plan at Cloudflare: `validate` refuses what it does not allow. Without it, only
    /// `plan` does, which asks Cloudflare for the plan.
    pub(super) plan: Option<Spanned<PlanSyntax>>,
    /// Treatment of records that the spec does not name: `keep` reports and never changes them,
    /// `prune` deletes them.
    #[schemars(extend("default" = "keep"))]
    pub(super) unmanaged: Option<Spanned<UnmanagedSyntax>>,
    /// Records that are left alone even with `unmanaged: prune`.
    pub(super) ignore: Option<Spanned<Vec<Spanned<IgnoreSyntax>>>>,
    /// Accepted dangers for everything in the zone: the code of each, and why.
    #[serde(default)]
    #[schemars(schema_with = "allow")]
    pub(super) allow: Option<Entries<Spanned<Text>>>,
    /// Defaults for the zone's records; they override the defaults of files.
    pub(super) defaults: Option<DefaultsSyntax>,
    /// Create the zone if Cloudflare does not have it; without this, a missing zone is an error.
    #[schemars(extend("default" = false))]
    pub(super) create: Option<Spanned<bool>>,
    /// Zone settings by Cloudflare's names (`ssl`, `min_tls_version`, …); all others are left
    /// alone.
    pub(super) settings: Option<Entries<Spanned<AnyValue>>>,
    /// Turns DNSSEC on or off. The DS record for the registrar is printed.
    pub(super) dnssec: Option<Spanned<SwitchSyntax>>,
    /// DNS settings of the zone; those not listed are left alone.
    #[serde(default)]
    #[schemars(schema_with = "dns_settings")]
    pub(super) dns_settings: Option<Entries<Spanned<AnyValue>>>,
    /// Profiles for the zone, by name; the zone's own values override theirs.
    #[serde(rename = "use")]
    pub(super) profiles: Option<Vec<Spanned<Text>>>,
    /// Protection: managed rulesets and their tuning, exceptions, custom rules and rate limits.
    /// Without it, the zone's protection is left alone.
    pub(super) waf: Option<Spanned<WafSyntax>>,
    /// Lints that are accepted for everything in the zone: the code of each, and why.
    #[serde(default)]
    #[schemars(schema_with = "lint")]
    #[expect(dead_code, reason = "read from the tree; here for the schema")]
    pub(super) lint: Option<Entries<Text>>,
    /// Expectations that must hold after every plan, each with a name; `zonewright test` checks it
    /// offline.
    pub(super) expect: Option<Vec<Spanned<ExpectSyntax>>>,
    /// The records.
    pub(super) records: Option<Vec<Deferred<Spanned<RecordSyntax>>>>,
}

/// Values that many zones share.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileSyntax {
    /// Settings; a zone's own override them, key by key.
    pub(super) settings: Option<Entries<Spanned<AnyValue>>>,
    /// Turns DNSSEC on or off.
    pub(super) dnssec: Option<Spanned<SwitchSyntax>>,
    /// DNS settings; a zone's own override them, key by key.
    #[serde(default)]
    #[schemars(schema_with = "dns_settings")]
    pub(super) dns_settings: Option<Entries<Spanned<AnyValue>>>,
    /// Protection; a zone's own values override it, key by key.
    pub(super) waf: Option<Deferred<Spanned<WafSyntax>>>,
    /// Expectations; a zone's own of the same name replaces one.
    pub(super) expect: Option<Vec<Spanned<ExpectSyntax>>>,
    /// Records; a zone's own of the same name and type replace them, and `state: absent` removes
    /// them.
    pub(super) records: Option<Vec<Deferred<Spanned<RecordSyntax>>>>,
}

/// Something that must hold after every plan: one of `resolve`, `mail`, `certificates`, `hidden`
/// and `request`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectSyntax {
    /// A name for it, which reports show [default: what it is about].
    pub(super) name: Option<Spanned<Text>>,
    /// The name to look up: relative to the zone, `@`, or fully qualified inside the zone.
    pub(super) resolve: Option<Spanned<Text>>,
    /// With `resolve`: the record type to ask for.
    #[serde(rename = "type", default)]
    #[schemars(schema_with = "record_type")]
    pub(super) record_type: Option<Spanned<Text>>,
    /// With `resolve`: networks that every address of the answer is in.
    pub(super) within: Option<Spanned<Vec<Spanned<Text>>>>,
    /// With `resolve`: the values of the answer, in any order.
    pub(super) is: Option<Spanned<Vec<Spanned<Text>>>>,
    /// With `resolve`: `none` for no answer, `edge` for the addresses of Cloudflare's edge.
    pub(super) answer: Option<Spanned<AnswerSyntax>>,
    /// The mail behaviour of a domain.
    pub(super) mail: Option<Spanned<MailSyntax>>,
    /// The authorities that may issue certificates.
    pub(super) certificates: Option<Spanned<CertificatesSyntax>>,
    /// Networks whose addresses are never published: by records without the proxy, hints, SPF,
    /// aliases.
    pub(super) hidden: Option<Spanned<Vec<Spanned<Text>>>>,
    /// A request, such as `GET https://www.example.com/search?q=a`, which the rules treat as
    /// `verdict` says.
    pub(super) request: Option<Spanned<Text>>,
    /// Instead of `request`: a `curl` command, as a browser copies it.
    pub(super) curl: Option<Spanned<Text>>,
    /// With `request` or `curl`: who sends it.
    pub(super) from: Option<Spanned<FromSyntax>>,
    /// With `request` or `curl`: fields of the rules language that it does not tell, such as
    /// `cf.bot_management.score: 30`.
    #[serde(default)]
    #[schemars(schema_with = "request_fields")]
    pub(super) fields: Option<Entries<Spanned<Text>>>,
    /// With `request` or `curl`: how often it is made, such as `6 in 1m`; the verdict is that on
    /// the last one [default: once].
    pub(super) times: Option<Spanned<Text>>,
    /// With `request` or `curl`: `pass`, `block` or `challenge`, or `not` one of them.
    pub(super) verdict: Option<Spanned<Text>>,
    /// With `request` or `curl`: the rule that must act, by its name.
    pub(super) by: Option<Spanned<Text>>,
}

/// The sender of a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FromSyntax {
    /// The address.
    pub(super) ip: Option<Spanned<Text>>,
    /// The country, as two letters.
    pub(super) country: Option<Spanned<Text>>,
    /// The number of the network.
    pub(super) asn: Option<Spanned<Text>>,
}

/// An answer without values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum AnswerSyntax {
    /// No record of the type, or no such name.
    None,
    /// Cloudflare's edge: the name is proxied.
    Edge,
}

/// The mail behaviour of a domain; at least one of the keys beside `domain`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MailSyntax {
    /// The domain: relative to the zone, or `@`.
    #[schemars(extend("default" = "@"))]
    #[allow(rustdoc::broken_intra_doc_links, reason = "the brackets are those of the schema")]
    pub(super) domain: Option<Spanned<Text>>,
    /// Its mail servers, in the order in which senders try them; an empty list if it takes no mail.
    pub(super) by: Option<Spanned<Vec<Spanned<Text>>>>,
    /// Addresses of hosts that may send mail in its name by SPF.
    pub(super) spf_pass: Option<Vec<Spanned<Text>>>,
    /// What receivers do with mail that fails by DMARC: `none`, `quarantine` or `reject`, or `at
    /// least` one of them.
    pub(super) dmarc: Option<Spanned<Text>>,
    /// Selectors whose DKIM keys receivers can use.
    pub(super) dkim: Option<Vec<Spanned<Text>>>,
}

/// The authorities that may issue certificates.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CertificatesSyntax {
    /// The name of the certificates: relative to the zone, or `@`.
    #[schemars(extend("default" = "@"))]
    #[allow(rustdoc::broken_intra_doc_links, reason = "the brackets are those of the schema")]
    pub(super) name: Option<Spanned<Text>>,
    /// The only authorities that may issue, by the identifiers that they use in CAA records; none
    /// if it is empty.
    #[schemars(required)]
    pub(super) only: Option<Spanned<Vec<Spanned<Text>>>>,
    /// Whether Universal SSL is on for the zone. While it is, Cloudflare answers with its own
    /// authorities as well.
    pub(super) universal_ssl: Option<bool>,
}

/// A plan of Cloudflare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum PlanSyntax {
    /// Free.
    Free,
    /// Pro.
    Pro,
    /// Business.
    Business,
    /// Enterprise.
    Enterprise,
}

impl From<PlanSyntax> for Tier {
    fn from(plan: PlanSyntax) -> Self {
        match plan {
            PlanSyntax::Free => Self::Free,
            PlanSyntax::Pro => Self::Pro,
            PlanSyntax::Business => Self::Business,
            PlanSyntax::Enterprise => Self::Enterprise,
        }
    }
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SwitchSyntax {
    /// On.
    On,
    /// Off.
    Off,
}

/// Records that are left alone even if the zone is pruned; every given part must match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IgnoreSyntax {
    /// A glob over the name relative to the zone (`@` at the apex), such as `_acme-challenge*`.
    pub(super) name: Option<Spanned<Text>>,
    /// A record type, including one that the program does not manage.
    #[serde(rename = "type")]
    pub(super) record_type: Option<Spanned<Text>>,
    /// A glob over the value; for TXT records, over the joined text.
    pub(super) content: Option<Spanned<Text>>,
    /// A tag of the record, as `name` or `name:value`.
    pub(super) tag: Option<Spanned<Text>>,
    /// Why, for readers of the plan.
    pub(super) reason: Option<Spanned<Text>>,
}

/// Returns the schema of the version.
fn version(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "enum": [1], "default": 1 })
}

/// Returns the schema of fields that a request does not contain.
fn request_fields(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "description": "With `request` or `curl`: fields of the rules language that the request \
            does not contain, by name.",
        "additionalProperties": { "type": ["string", "number", "boolean"] },
    })
}

/// Returns the schema of the DNS settings of a zone, with the limits that Cloudflare documents.
fn dns_settings(_: &mut SchemaGenerator) -> Schema {
    let seconds = |about: &str, range: RangeInclusive<u32>| json_schema!({ "type": "integer", "minimum": range.start(), "maximum": range.end(), "description": format!("{about}, in seconds.") });
    json_schema!({
        "type": "object",
        "description": "DNS settings of the zone; those not named are left alone.",
        "additionalProperties": false,
        "properties": {
            "flatten_all_cnames": { "type": "boolean", "description": "Answer with the addresses \
                behind every CNAME (paid plans)." },
            "multi_provider": { "type": "boolean", "description": "Serve the zone's own NS records \
                beside those of other providers." },
            "secondary_overrides": { "type": "boolean", "description": "Proxy records of a \
                secondary zone." },
            "ns_ttl": seconds("Time to live of the zone's name servers", NS_TTL),
            "zone_mode": { "type": "string", "enum": ["standard", "cdn_only", "dns_only"], "description": "What Cloudflare does for the zone." },
            "nameservers": {
                "type": "object", "additionalProperties": false, "description": "Which name servers the zone has.",
                "properties": {
                    "type": { "type": "string", "description": "The kind of name servers.",
                              "enum": ["cloudflare.standard", "cloudflare.advanced", "custom.account", "custom.tenant", "custom.zone"] },
                    "ns_set": { "type": "integer", "minimum": 1, "maximum": 5, "description": "Number of the set of custom name servers." }
                }
            },
            "internal_dns": {
                "type": "object", "additionalProperties": false, "description": "Internal DNS.",
                "properties": { "reference_zone_id": { "type": ["string", "null"], "x-nullable": true, "description": "The zone that unknown names are looked up in." } }
            },
            "soa": {
                "type": "object", "additionalProperties": false, "description": "The zone's SOA \
                    record.",
                "properties": {
                    "mname": { "type": ["string", "null"], "x-nullable": true, "description": "The primary name server; null for automatic." },
                    "rname": { "type": "string", "description": "The mailbox of the person \
                        responsible for the zone, with \
                     a dot in place of `@`." },
                    "refresh": seconds("How often secondaries check for changes", SOA_REFRESH),
                    "retry": seconds("When secondaries retry after a failure", SOA_RETRY),
                    "expire": seconds("When secondaries stop serving the zone", SOA_EXPIRE),
                    "min_ttl": seconds("How long resolvers remember that a name does not exist", SOA_MINIMUM_TTL),
                    "ttl": seconds("Time to live of the SOA record", SOA_TTL)
                }
            }
        }
    })
}
