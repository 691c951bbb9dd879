//! The format of a `waf` section, as `spec/syntax.rs` for the rest of a spec.
//!
//! Editors show the documentation comments of the keys as descriptions. Allowed words come from the
//! facts, so that the schema and the program cannot differ.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::json;

use super::super::any_value::AnyValue;
use super::super::deserialize::{Entries, OneOrMany, Spanned, Text};
use super::super::record_syntax::{StateSyntax, UnmanagedSyntax, date, lint};
use super::super::scalar_or_parts::ScalarOr;
use crate::model::facts::owasp::THRESHOLD_KEYWORDS;
use crate::model::facts::rulesets::{
    RESPONSE_CONTENT_TYPES, SCORE_ACTIONS, SKIP_PHASES, SKIP_PRODUCTS,
};
use crate::model::ruleset::{Phase, RuleKind};

/// A section: its keys, and the lists of rules of the phases.
#[derive(Debug, Default)]
pub(in crate::spec) struct WafSyntax {
    /// The keys beside the lists.
    pub(super) keys: SectionKeys,
    /// The lists.
    pub(super) lists: BTreeMap<Phase, RuleList>,
}

/// Protection of a zone.
#[derive(Debug, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SectionKeys {
    /// Treatment of rules and overrides that the spec does not name, in the lists and rulesets
    /// that it names: `keep` reports and never changes them, `prune` removes them.
    #[schemars(extend("default" = "keep"))]
    pub(super) unmanaged: Option<Spanned<UnmanagedSyntax>>,
    /// Why weaker protection is accepted; counts as consent for every change of this section that
    /// weakens protection.
    pub(super) accept_weakening: Option<Spanned<Text>>,
    /// Live settings that may make the protection weaker than this section, each with its value and
    /// the reason.
    pub(super) accept: Option<Vec<Spanned<AcceptSyntax>>>,
    /// The Cloudflare OWASP Core Ruleset: `on`, `off`, or how it is tuned.
    #[schemars(default, schema_with = "owasp")]
    pub(super) owasp: Option<Spanned<ScalarOr<OwaspSyntax>>>,
    /// The Cloudflare Managed Ruleset: `on`, `off`, or how it is tuned.
    #[schemars(default, schema_with = "cloudflare")]
    pub(super) cloudflare: Option<Spanned<ScalarOr<CloudflareSyntax>>>,
}

/// Something at Cloudflare that may make the protection weaker, as long as it has this value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AcceptSyntax {
    /// A rule that lets requests skip managed rules: its `ref` or id.
    pub(super) rule: Option<Spanned<Text>>,
    /// A key of a deployment: `threshold`, `action`, `when`, or `enabled` for the switch of all
    /// rules.
    pub(super) key: Option<Spanned<Text>>,
    /// An override of a rule (its number, its description, or the beginning of its id) or of a tag.
    #[serde(rename = "override")]
    pub(super) overridden: Option<Spanned<Text>>,
    /// The live value: of a rule `{ when: EXPRESSION, skip: everything }`, of an override `off` or
    /// the action. Another value is reported again.
    #[serde(default)]
    #[schemars(required, schema_with = "accepted_value")]
    pub(super) is: Option<Spanned<AnyValue>>,
    /// The managed ruleset, `owasp` or `cloudflare`; needed where it could be both.
    pub(super) ruleset: Option<Spanned<Text>>,
    /// Why.
    #[schemars(required)]
    pub(super) reason: Option<Spanned<Text>>,
    /// Owner of the entry; never sent to Cloudflare.
    pub(super) owner: Option<Spanned<Text>>,
    /// The last day on which it is accepted, YYYY-MM-DD; it is reported again afterwards.
    #[serde(default)]
    #[schemars(schema_with = "date")]
    pub(super) expires: Option<Spanned<Text>>,
}

/// A list of rules in the form of their kind.
#[derive(Debug)]
pub(super) enum RuleList {
    /// Rules that take an action.
    Action(Vec<Spanned<CustomSyntax>>),
    /// Rules that take an action above a rate.
    Rate(Vec<Spanned<RateSyntax>>),
    /// Exceptions from managed rulesets.
    Exception(Vec<Spanned<ExceptionSyntax>>),
}

impl RuleList {
    /// Reads the list that is the next value of a mapping.
    fn read<'de, A: MapAccess<'de>>(kind: RuleKind, entries: &mut A) -> Result<Self, A::Error> {
        match kind {
            RuleKind::Action => entries.next_value().map(Self::Action),
            RuleKind::Rate => entries.next_value().map(Self::Rate),
            RuleKind::Exception => entries.next_value().map(Self::Exception),
        }
    }
}

/// Tuning of the OWASP ruleset. Keys that are not set are left alone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OwaspSyntax {
    /// The paranoia level, 1 to 4: higher levels run more rules. `custom` leaves it to `raw`.
    #[serde(default)]
    #[schemars(schema_with = "paranoia")]
    pub(super) paranoia: Option<Spanned<Text>>,
    /// The score at which the action is taken: low (60), medium (40), high (25), or a number. Lower
    /// is stricter.
    #[serde(default)]
    #[schemars(schema_with = "threshold")]
    pub(super) threshold: Option<Spanned<Text>>,
    /// The action for requests whose score reaches the threshold.
    #[serde(default)]
    #[schemars(schema_with = "score_action")]
    pub(super) action: Option<Spanned<Text>>,
    /// Requests that the ruleset inspects: `all`, or an expression.
    #[serde(default)]
    #[schemars(schema_with = "when")]
    pub(super) when: Option<Spanned<Text>>,
    /// Instead of `when`: the expression in Cloudflare's words, which is sent without being
    /// checked.
    #[serde(default)]
    #[schemars(schema_with = "when")]
    pub(super) expression: Option<Spanned<Text>>,
    /// The version of the ruleset to run; `latest` is Cloudflare's default.
    pub(super) version: Option<Spanned<Text>>,
    /// Rules that are switched off.
    pub(super) disable: Option<Vec<Spanned<TuneSyntax>>>,
    /// Rules that are switched on.
    pub(super) enable: Option<Vec<Spanned<TuneSyntax>>>,
    /// Overrides in Cloudflare's form, for what the other keys cannot express; the other keys are
    /// merged into them.
    #[serde(default)]
    #[schemars(schema_with = "raw")]
    pub(super) raw: Option<Spanned<AnyValue>>,
}

/// Tuning of the Cloudflare Managed Ruleset. Keys that are not set are left alone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CloudflareSyntax {
    /// Requests that the ruleset inspects: `all`, or an expression.
    #[serde(default)]
    #[schemars(schema_with = "when")]
    pub(super) when: Option<Spanned<Text>>,
    /// Instead of `when`: the expression in Cloudflare's words, which is sent without being
    /// checked.
    #[serde(default)]
    #[schemars(schema_with = "when")]
    pub(super) expression: Option<Spanned<Text>>,
    /// The version of the ruleset to run; `latest` is Cloudflare's default.
    pub(super) version: Option<Spanned<Text>>,
    /// Tags with their tuning, for current and future rules; for a rule with several of the tags,
    /// the last one wins.
    pub(super) tags: Option<Vec<Spanned<TagSyntax>>>,
    /// Tuning of single rules.
    pub(super) rules: Option<Vec<Spanned<RuleSyntax>>>,
    /// Rules that are switched off.
    pub(super) disable: Option<Vec<Spanned<TuneSyntax>>>,
    /// Rules that are switched on.
    pub(super) enable: Option<Vec<Spanned<TuneSyntax>>>,
    /// Overrides in Cloudflare's form, for what the other keys cannot express; the other keys are
    /// merged into them.
    #[serde(default)]
    #[schemars(schema_with = "raw")]
    pub(super) raw: Option<Spanned<AnyValue>>,
}

/// Rules to switch: one, or all with a tag.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TuneSyntax {
    /// The rule: its number, its description, or the beginning of its id.
    pub(super) rule: Option<Spanned<Text>>,
    /// All rules that have this tag today.
    pub(super) tag: Option<Spanned<Text>>,
    /// With `tag`: also rules that have it in later versions of the ruleset.
    #[schemars(extend("default" = false))]
    pub(super) future: Option<Spanned<bool>>,
    /// Why; required for a rule that is switched off.
    pub(super) reason: Option<Spanned<Text>>,
    /// Owner of the entry; never sent to Cloudflare.
    pub(super) owner: Option<Spanned<Text>>,
    /// The last day on which it is valid, YYYY-MM-DD; it is reverted afterwards.
    #[serde(default)]
    #[schemars(schema_with = "date")]
    pub(super) expires: Option<Spanned<Text>>,
}

/// Tuning of all rules with a tag.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TagSyntax {
    /// The tag.
    #[schemars(required)]
    pub(super) tag: Option<Spanned<Text>>,
    /// The action of the rules.
    #[serde(default)]
    #[schemars(schema_with = "rule_action")]
    pub(super) action: Option<Spanned<Text>>,
    /// Turns the rules on or off.
    pub(super) enabled: Option<Spanned<bool>>,
    /// Why; required to switch rules off or to only log them.
    pub(super) reason: Option<Spanned<Text>>,
    /// Owner of the entry; never sent to Cloudflare.
    pub(super) owner: Option<Spanned<Text>>,
    /// The last day on which it is valid, YYYY-MM-DD; it is reverted afterwards.
    #[serde(default)]
    #[schemars(schema_with = "date")]
    pub(super) expires: Option<Spanned<Text>>,
}

/// Tuning of a single rule.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleSyntax {
    /// The rule: its description, or the beginning of its id.
    #[schemars(required)]
    pub(super) rule: Option<Spanned<Text>>,
    /// The action of the rule.
    #[serde(default)]
    #[schemars(schema_with = "rule_action")]
    pub(super) action: Option<Spanned<Text>>,
    /// Turns the rule on or off.
    pub(super) enabled: Option<Spanned<bool>>,
    /// Why; required to switch rules off or to only log them.
    pub(super) reason: Option<Spanned<Text>>,
    /// Owner of the entry; never sent to Cloudflare.
    pub(super) owner: Option<Spanned<Text>>,
    /// The last day on which it is valid, YYYY-MM-DD; it is reverted afterwards.
    #[serde(default)]
    #[schemars(schema_with = "date")]
    pub(super) expires: Option<Spanned<Text>>,
}

/// Declares the three kinds of rules that have names: their shared keys, and their own.
macro_rules! named_rules {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $key:ident: $kind:ty,)* })+) => {$(
        $(#[$about])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            /// The name: 1 to 128 letters, digits, `-`, `_` and `.`, not `-` or `.` at an end; it
            /// becomes the `ref` that identifies the rule.
            #[schemars(required)]
            pub(super) name: Option<Spanned<Text>>,
            /// Requests that the rule applies to: `all`, or an expression.
            #[serde(default)]
            #[schemars(schema_with = "when")]
            pub(super) when: Option<Spanned<Text>>,
            $($(#[$doc])* pub(super) $key: $kind,)*
            /// Turns the rule on or off.
            #[schemars(extend("default" = true))]
            pub(super) enabled: Option<Spanned<bool>>,
            /// The description that Cloudflare shows.
            pub(super) description: Option<Spanned<Text>>,
            /// Why; required for a rule that lets requests pass.
            pub(super) reason: Option<Spanned<Text>>,
            /// Owner of the entry; never sent to Cloudflare.
            pub(super) owner: Option<Spanned<Text>>,
            /// The last day on which it is valid, YYYY-MM-DD; the rule is removed afterwards.
            #[serde(default)]
            #[schemars(schema_with = "date")]
            pub(super) expires: Option<Spanned<Text>>,
            /// Put it before the rule with this `ref` or id.
            pub(super) before: Option<Spanned<Text>>,
            /// Put it after the rule with this `ref` or id.
            pub(super) after: Option<Spanned<Text>>,
            /// Lints and doubts about the expression that are accepted for the rule: the code of
            /// each, and why.
            #[serde(default)]
            #[schemars(schema_with = "lint")]
            #[expect(dead_code, reason = "read from the tree; here for the schema")]
            pub(super) lint: Option<Entries<Text>>,
            /// `absent` deletes the rule; it needs only a name.
            #[schemars(extend("default" = "present"))]
            pub(super) state: Option<Spanned<StateSyntax>>,
            /// The rule in Cloudflare's form, for what the other keys cannot express; used instead
            /// of them.
            #[serde(default)]
            #[schemars(schema_with = "raw")]
            pub(super) raw: Option<Spanned<AnyValue>>,
        }
    )+};
}

named_rules! {
    /// An exception from the managed rulesets.
    ExceptionSyntax {
        /// What the requests skip: `everything` after this rule, single rules, or whole rulesets.
        #[serde(default)]
        #[schemars(schema_with = "exception_skip")]
        skip: Option<Spanned<ScalarOr<ExceptionSkipSyntax>>>,
        /// Turns the logging of matches on or off.
        log: Option<Spanned<bool>>,
    }

    /// A custom rule.
    CustomSyntax {
        /// The action for the requests.
        #[serde(default)]
        #[schemars(schema_with = "action")]
        action: Option<Spanned<Text>>,
        /// The share of the matching requests on which the rule acts, such as `10%`, chosen at
        /// random for each request. Defaults to all.
        #[serde(default)]
        #[schemars(schema_with = "share")]
        share: Option<Spanned<Text>>,
        /// The response to a blocked request.
        response: Option<Spanned<ResponseSyntax>>,
        /// With `action: skip`, what the requests skip: `everything` means the custom rules after
        /// this one; or later phases and other products.
        #[serde(default)]
        #[schemars(schema_with = "custom_skip")]
        skip: Option<Spanned<ScalarOr<CustomSkipSyntax>>>,
        /// With `action: skip`, whether matches are logged.
        log: Option<Spanned<bool>>,
    }

    /// A rate limiting rule.
    RateSyntax {
        /// What requests are counted by: `ip`, `visitor`, or Cloudflare's names; the data centre is
        /// added automatically.
        per: Option<Spanned<OneOrMany<Spanned<Text>>>>,
        /// How many requests in how much time, such as `5 in 1m`.
        limit: Option<Spanned<Text>>,
        /// The action above the limit, such as `block for 10m` or `managed_challenge`.
        then: Option<Spanned<Text>>,
        /// Which requests are counted, if not those that the rule matches: an expression, which may
        /// use the response. It has to repeat `when`, because nothing else limits what is counted.
        /// An empty text is the default: what the rule matches.
        count: Option<Spanned<Text>>,
        /// Whether only requests that reach the origin are counted.
        to_origin: Option<Spanned<bool>>,
        /// The response to a blocked request.
        response: Option<Spanned<ResponseSyntax>>,
    }
}

/// What an exception skips.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExceptionSkipSyntax {
    /// Rules of the OWASP ruleset: numbers, descriptions, or beginnings of ids.
    pub(super) owasp: Option<Spanned<Vec<Spanned<Text>>>>,
    /// Rules of the Cloudflare Managed Ruleset: descriptions, or beginnings of ids.
    pub(super) cloudflare: Option<Spanned<Vec<Spanned<Text>>>>,
    /// A whole ruleset: `owasp`, `cloudflare`, or an id.
    pub(super) ruleset: Option<Spanned<Text>>,
    /// Whole rulesets: `owasp`, `cloudflare`, or ids.
    pub(super) rulesets: Option<Spanned<Vec<Spanned<Text>>>>,
}

/// What a custom rule skips.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CustomSkipSyntax {
    /// Also the custom rules after this one.
    pub(super) everything: Option<Spanned<bool>>,
    /// Later phases.
    #[serde(default)]
    #[schemars(schema_with = "skip_phases")]
    pub(super) phases: Option<Spanned<Vec<Spanned<Text>>>>,
    /// Products outside the rulesets.
    #[serde(default)]
    #[schemars(schema_with = "skip_products")]
    pub(super) products: Option<Spanned<Vec<Spanned<Text>>>>,
}

/// The response to a blocked request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResponseSyntax {
    /// The status code, 400 to 499.
    #[schemars(required, schema_with = "status")]
    pub(super) status_code: Option<Spanned<Text>>,
    /// The body.
    #[schemars(required)]
    pub(super) content: Option<Spanned<Text>>,
    /// The content type of the body.
    #[schemars(required, schema_with = "content_type")]
    pub(super) content_type: Option<Spanned<Text>>,
}

impl<'de> Deserialize<'de> for WafSyntax {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

/// Reads a section: its own keys, and those of the phases.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = WafSyntax;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a section for protection")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<WafSyntax, A::Error> {
        let mut section = WafSyntax::default();
        while let Some(key) = entries.next_key::<String>()? {
            let SectionKeys { unmanaged, accept_weakening, accept, owasp, cloudflare } =
                &mut section.keys;
            match (key.as_str(), Phase::ALL.iter().find(|phase| phase.key() == key)) {
                ("unmanaged", _) => *unmanaged = Some(entries.next_value()?),
                ("accept_weakening", _) => *accept_weakening = Some(entries.next_value()?),
                ("accept", _) => *accept = Some(entries.next_value()?),
                ("owasp", _) => *owasp = Some(entries.next_value()?),
                ("cloudflare", _) => *cloudflare = Some(entries.next_value()?),
                (_, Some(phase)) => {
                    section.lists.insert(*phase, RuleList::read(phase.rules(), &mut entries)?);
                }
                (_, None) => {
                    return Err(de::Error::custom(format_args!("there is no key `{key}` here")));
                }
            }
        }
        Ok(section)
    }
}

impl JsonSchema for WafSyntax {
    fn schema_name() -> Cow<'static, str> {
        "WafSyntax".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = SectionKeys::json_schema(generator);
        if let Some(serde_json::Value::Object(keys)) = schema.get_mut("properties") {
            for phase in Phase::in_spec() {
                keys.insert(phase.key().to_owned(), list(phase, generator).to_value());
            }
        }
        schema
    }
}

/// Returns the schema of the list of a phase.
fn list(phase: Phase, generator: &mut SchemaGenerator) -> Schema {
    let (mut rule, needed) = match phase.rules() {
        RuleKind::Action => {
            (generator.subschema_for::<CustomSyntax>(), ["when", "action"].as_slice())
        }
        RuleKind::Rate => {
            (generator.subschema_for::<RateSyntax>(), ["when", "per", "limit", "then"].as_slice())
        }
        RuleKind::Exception => {
            (generator.subschema_for::<ExceptionSyntax>(), ["when", "skip", "reason"].as_slice())
        }
    };
    if let Some(action) =
        rule.pointer_mut("/properties/action").and_then(serde_json::Value::as_object_mut)
    {
        action.extend(words(phase.facts().actions).as_object().cloned().unwrap_or_default());
    }
    // A rule that is raw or absent needs none of the keys.
    let absent = json!({ "properties": { "state": { "const": "absent" } }, "required": ["state"] });
    rule.insert("if".to_owned(), json!({ "not": { "anyOf": [{ "required": ["raw"] }, absent] } }));
    rule.insert("then".to_owned(), json!({ "required": needed }));
    json_schema!({ "description": phase.list().help, "type": "array", "items": rule })
}

/// Returns the schema of one of several words.
fn words(words: &[&str]) -> Schema {
    json_schema!({ "type": "string", "enum": words })
}

/// Returns the schema of `on`, `off`, or a mapping.
fn switch(parts: Schema) -> Schema {
    json_schema!({ "anyOf": [words(&["on", "off"]), parts] })
}

fn owasp(generator: &mut SchemaGenerator) -> Schema {
    switch(generator.subschema_for::<OwaspSyntax>())
}

/// Returns the schema of the section of the Cloudflare Managed Ruleset.
fn cloudflare(generator: &mut SchemaGenerator) -> Schema {
    switch(generator.subschema_for::<CloudflareSyntax>())
}

/// Returns the schema of a paranoia level. Text allows substitutions.
fn paranoia(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": 4 },
            { "type": "string", "enum": ["custom"] },
            { "type": "string", "pattern": r"^([1-4]|.*\$\{.*\}.*)$" },
        ]
    })
}

/// Returns the schema of a threshold. Text allows substitutions.
fn threshold(_: &mut SchemaGenerator) -> Schema {
    let keywords: Vec<_> = THRESHOLD_KEYWORDS.iter().map(|(word, _)| *word).collect();
    json_schema!({
        "anyOf": [
            { "type": "string", "enum": keywords },
            { "type": "integer", "minimum": 1, "maximum": u32::MAX },
            { "type": "string", "pattern": r"^([0-9]+|.*\$\{.*\}.*)$" },
        ]
    })
}

/// Returns the schema of the action at the threshold.
fn score_action(_: &mut SchemaGenerator) -> Schema {
    words(SCORE_ACTIONS)
}

/// Returns the schema of the actions that a rule of a managed ruleset can have.
fn rule_action(_: &mut SchemaGenerator) -> Schema {
    words(SCORE_ACTIONS)
}

/// Returns the schema of the action of a rule: text. The list of a phase adds the possible actions.
fn action(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string" })
}

/// Returns the schema of `when`.
fn when(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "minLength": 1, "examples": ["all", "http.request.uri.path \
        eq \"/login\""] })
}

/// Returns the schema of a share of requests.
fn share(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "^[1-9][0-9]? ?%$", "examples": ["10%"] })
}

/// Returns the schema of the value of something that is accepted.
fn accepted_value(_: &mut SchemaGenerator) -> Schema {
    let skip = json!({ "anyOf": [words(&["everything"]), { "type": "object", "additionalProperties": {} }] });
    let rule = json!({
        "type": "object",
        "properties": { "when": { "type": "string", "minLength": 1 }, "skip": skip },
        "required": ["when", "skip"],
        "additionalProperties": false,
    });
    json_schema!({ "anyOf": [{ "type": "string" }, { "type": "integer" }, { "type": "boolean" }, rule] })
}

/// Returns the schema of a value in Cloudflare's form.
fn raw(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": {} })
}

/// Returns the schema of `everything`, or a mapping.
fn everything(parts: Schema) -> Schema {
    json_schema!({ "anyOf": [words(&["everything"]), parts] })
}

/// Returns the schema of the targets that an exception skips.
fn exception_skip(generator: &mut SchemaGenerator) -> Schema {
    everything(generator.subschema_for::<ExceptionSkipSyntax>())
}

/// Returns the schema of the targets that a custom rule skips.
fn custom_skip(generator: &mut SchemaGenerator) -> Schema {
    everything(generator.subschema_for::<CustomSkipSyntax>())
}

/// Returns the schema of phases that can be skipped.
fn skip_phases(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": words(SKIP_PHASES) })
}

/// Returns the schema of products that can be skipped.
fn skip_products(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": words(SKIP_PRODUCTS) })
}

/// Returns the schema of a status code. Text allows substitutions.
fn status(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 400, "maximum": 499 },
            { "type": "string", "pattern": r"^(4[0-9]{2}|.*\$\{.*\}.*)$" },
        ]
    })
}

/// Returns the schema of the content types that Cloudflare sends.
fn content_type(_: &mut SchemaGenerator) -> Schema {
    words(RESPONSE_CONTENT_TYPES)
}
