//! The vocabulary of Cloudflare's Rules language: fields, functions, lists and limits, as plain
//! data.
//!
//! Presence here does not mean that a zone's plan or phase has the field; only Cloudflare knows
//! that.
//!
//! # Sources
//! Fields: the field reference of developers.cloudflare.com/ruleset-engine/rules-language/fields,
//! read 2026-11-20; functions, operators and values: the pages of those names next to it. Where
//! documentation and engine disagree on a type, the engine's is used. `has_key`, `has_value`,
//! `is_jwt_present` and `is_jwt_valid`: the page of functions, read 2026-11-22; that a claim is
//! read with `lookup_json_string(http.request.jwt.claims["…"][0], "…")`:
//! developers.cloudflare.com/api-shield/security/jwt-validation/transform-rules, read 2026-11-22.
//! `coalesce`, `hash_in_range`:
//! developers.cloudflare.com/changelog/post/2026-10-01-coalesce-function and
//! /2026-10-02-hash-in-range-ga; `cf.waf.signature.request.*`:
//! /waf/detections/attack-signature-detection/fields; `cf.intel.ip.*`:
//! /waf/detections/threat-intelligence/fields; `cf.bot_management.signed_agent`, `tags`: the page of
//! bot variables; all read 2026-11-26.

/// The day on which the lists of fields and functions were last compared with the documentation.
pub const VOCABULARY_DATE: &str = "2026-11-26";

/// Returns true if a name has the form of a field name.
#[must_use]
pub fn is_field_name(name: &str) -> bool {
    let mut labels = name.split('.');
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    labels.next().is_some_and(|first| matches!(first, "cf" | "http" | "ip" | "raw"))
        && name.contains('.')
        && labels.all(is_label)
}

/// The type of a value in an expression. The documentation's String is a sequence of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// A boolean.
    Boolean,
    /// A byte string.
    Bytes,
    /// A whole number of 64 bits.
    Integer,
    /// An IPv4 or IPv6 address.
    Address,
    /// An array of byte strings.
    BytesArray,
    /// An array of integers.
    IntegerArray,
    /// An array of arrays of byte strings.
    BytesArrayArray,
    /// A map from names to arrays of byte strings.
    BytesArrayMap,
    /// A map from names to arrays of integers.
    IntegerArrayMap,
}

/// The smallest plan that has a field, function or operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// Every plan.
    Nothing,
    /// Pro or above.
    Pro,
    /// Business or above.
    Business,
    /// Enterprise, often with an extra product.
    Enterprise,
}

impl Needs {
    /// Returns its position among the plans, from 0 for free to 3 for enterprise.
    #[must_use]
    pub const fn rank(self) -> usize {
        self as usize
    }
}

/// The plan that the operator `matches` needs.
///
/// # Sources
/// developers.cloudflare.com/waf/custom-rules (availability), read 2026-11-27.
pub const MATCHES_NEEDS: Needs = Needs::Business;

/// A field of the rules language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpressionField {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: FieldType,
    /// True if the field exists only after the response.
    pub is_of_response: bool,
    /// True if the field depends on the body of the request.
    pub is_of_body: bool,
    /// The smallest plan that has it.
    pub needs: Needs,
    /// Smallest and largest value, if bounded.
    pub range: Option<(i64, i64)>,
    /// All valid values, if there are few.
    pub values: &'static [&'static str],
    /// The replacement, if the field is deprecated.
    pub instead: Option<&'static str>,
    /// The normalised field, if this field is the same text before normalisation.
    pub raw_of: Option<&'static str>,
    /// Describes where the field can be used, if it is limited to some rules.
    pub only_in: Option<&'static str>,
}

impl ExpressionField {
    /// Returns a field of requests that every plan has.
    const fn new(name: &'static str, kind: FieldType) -> Self {
        Self {
            name,
            kind,
            is_of_response: false,
            is_of_body: false,
            needs: Needs::Nothing,
            range: None,
            values: &[],
            instead: None,
            raw_of: None,
            only_in: None,
        }
    }

    const fn of_response(mut self) -> Self {
        self.is_of_response = true;
        self
    }

    const fn of_body(mut self) -> Self {
        self.is_of_body = true;
        self
    }

    const fn needs(mut self, needs: Needs) -> Self {
        self.needs = needs;
        self
    }

    const fn range(mut self, from: i64, to: i64) -> Self {
        self.range = Some((from, to));
        self
    }

    const fn values(mut self, values: &'static [&'static str]) -> Self {
        self.values = values;
        self
    }

    const fn instead(mut self, field: &'static str) -> Self {
        self.instead = Some(field);
        self
    }

    const fn raw_of(mut self, field: &'static str) -> Self {
        self.raw_of = Some(field);
        self
    }

    const fn only_in(mut self, words: &'static str) -> Self {
        self.only_in = Some(words);
        self
    }
}

use ExpressionField as F;
use FieldType::{
    Address, Boolean, Bytes, BytesArray, BytesArrayArray, BytesArrayMap, Integer, IntegerArray,
    IntegerArrayMap,
};
use Needs::{Business, Enterprise, Pro};

/// The value of `only_in` for fields of account-level rules.
pub const ACCOUNT_RULESETS: &str = "account-level rulesets";

/// All fields, by name.
#[rustfmt::skip]
pub const FIELDS: &[ExpressionField] = &[
    F::new("cf.api_gateway.auth_id_present", Boolean).needs(Enterprise),
    F::new("cf.api_gateway.fallthrough_detected", Boolean),
    F::new("cf.api_gateway.request_violates_schema", Boolean),
    F::new("cf.appsec.request.failed_detections", BytesArray)
        .values(&["waf_content_scan", "waf_score", "waf_signature", "waf_credential_check", "llm_prompt_pii", "llm_prompt_injection", "llm_prompt_custom_topic", "llm_prompt_unsafe_topic"]),
    F::new("cf.bot_management.corporate_proxy", Boolean).needs(Enterprise),
    F::new("cf.bot_management.detection_ids", IntegerArray).needs(Enterprise),
    F::new("cf.bot_management.ja3_hash", Bytes).needs(Enterprise),
    F::new("cf.bot_management.ja4", Bytes).needs(Enterprise),
    F::new("cf.bot_management.js_detection.passed", Boolean).needs(Enterprise),
    F::new("cf.bot_management.score", Integer).needs(Enterprise).range(1, 99),
    F::new("cf.bot_management.signed_agent", Boolean).needs(Enterprise),
    F::new("cf.bot_management.static_resource", Boolean).needs(Enterprise),
    F::new("cf.bot_management.verified_bot", Boolean).needs(Enterprise),
    F::new("cf.client.bot", Boolean),
    F::new("cf.edge.client_tcp", Boolean),
    F::new("cf.edge.l4.delivery_rate", Integer),
    F::new("cf.edge.server_ip", Address),
    F::new("cf.edge.server_port", Integer).range(1, 65535),
    F::new("cf.hostname.metadata", Bytes),
    F::new("cf.intel.ip.attacker_countries", BytesArray).needs(Enterprise),
    F::new("cf.intel.ip.attacker_names", BytesArray).needs(Enterprise),
    F::new("cf.intel.ip.datasets", BytesArray).needs(Enterprise).values(&["ddos", "waf"]),
    F::new("cf.intel.ip.target_countries", BytesArray).needs(Enterprise),
    F::new("cf.intel.ip.target_industries", BytesArray).needs(Enterprise),
    F::new("cf.llm.prompt.detected", Boolean).needs(Enterprise),
    F::new("cf.llm.prompt.injection_score", Integer).needs(Enterprise),
    F::new("cf.llm.prompt.pii_categories", BytesArray).needs(Enterprise),
    F::new("cf.llm.prompt.pii_detected", Boolean).needs(Enterprise),
    F::new("cf.llm.prompt.token_count", Integer).needs(Enterprise),
    F::new("cf.llm.prompt.unsafe_topic_categories", BytesArray).needs(Enterprise),
    F::new("cf.llm.prompt.unsafe_topic_detected", Boolean).needs(Enterprise),
    F::new("cf.random_seed", Bytes),
    F::new("cf.ray_id", Bytes),
    F::new("cf.response.1xxx_code", Integer).of_response().only_in("response header modification \
        and custom errors only"),
    F::new("cf.response.error_type", Bytes).of_response().only_in("response header modification \
        and custom errors only")
        .values(&["managed_challenge", "iuam", "legacy_challenge", "ip_ban", "waf", "5xx", "1xxx", "always_online", "country_challenge", "ratelimit"]),
    F::new("cf.schema_validation.learned.violated", Boolean),
    F::new("cf.schema_validation.uploaded.violated", Boolean),
    F::new("cf.threat_score", Integer).range(0, 100),
    F::new("cf.timings.client_quic_rtt_msec", Integer),
    F::new("cf.timings.client_tcp_rtt_msec", Integer),
    F::new("cf.timings.edge_msec", Integer),
    F::new("cf.timings.origin_ttfb_msec", Integer),
    F::new("cf.timings.worker_msec", Integer),
    F::new("cf.tls_cipher", Bytes),
    F::new("cf.tls_ciphers_sha1", Bytes),
    F::new("cf.tls_client_auth.cert_chain_rfc9440", Bytes),
    F::new("cf.tls_client_auth.cert_chain_rfc9440_too_large", Boolean),
    F::new("cf.tls_client_auth.cert_fingerprint_sha1", Bytes),
    F::new("cf.tls_client_auth.cert_fingerprint_sha256", Bytes),
    F::new("cf.tls_client_auth.cert_issuer_dn", Bytes),
    F::new("cf.tls_client_auth.cert_issuer_dn_legacy", Bytes),
    F::new("cf.tls_client_auth.cert_issuer_dn_rfc2253", Bytes),
    F::new("cf.tls_client_auth.cert_issuer_serial", Bytes),
    F::new("cf.tls_client_auth.cert_issuer_ski", Bytes),
    F::new("cf.tls_client_auth.cert_not_after", Bytes),
    F::new("cf.tls_client_auth.cert_not_before", Bytes),
    F::new("cf.tls_client_auth.cert_presented", Boolean),
    F::new("cf.tls_client_auth.cert_revoked", Boolean),
    F::new("cf.tls_client_auth.cert_rfc9440", Bytes),
    F::new("cf.tls_client_auth.cert_rfc9440_too_large", Boolean),
    F::new("cf.tls_client_auth.cert_serial", Bytes),
    F::new("cf.tls_client_auth.cert_ski", Bytes),
    F::new("cf.tls_client_auth.cert_subject_dn", Bytes),
    F::new("cf.tls_client_auth.cert_subject_dn_legacy", Bytes),
    F::new("cf.tls_client_auth.cert_subject_dn_rfc2253", Bytes),
    F::new("cf.tls_client_auth.cert_verified", Boolean),
    F::new("cf.tls_client_extensions_sha1", Bytes),
    F::new("cf.tls_client_extensions_sha1_le", Bytes),
    F::new("cf.tls_client_hello_length", Integer),
    F::new("cf.tls_client_random", Bytes),
    F::new("cf.tls_version", Bytes),
    F::new("cf.verified_bot_category", Bytes),
    F::new("cf.waf.auth_detected", Boolean).needs(Enterprise),
    F::new("cf.waf.content_scan.has_failed", Boolean).needs(Enterprise),
    F::new("cf.waf.content_scan.has_malicious_obj", Boolean).needs(Enterprise),
    F::new("cf.waf.content_scan.has_obj", Boolean).needs(Enterprise),
    F::new("cf.waf.content_scan.num_malicious_obj", Integer).needs(Enterprise),
    F::new("cf.waf.content_scan.num_obj", Integer).needs(Enterprise),
    F::new("cf.waf.content_scan.obj_results", BytesArray).needs(Enterprise)
        .values(&["clean", "suspicious", "infected", "not scanned"]),
    F::new("cf.waf.content_scan.obj_sizes", IntegerArray).needs(Enterprise),
    F::new("cf.waf.content_scan.obj_types", BytesArray).needs(Enterprise),
    F::new("cf.waf.credential_check.password_leaked", Boolean),
    F::new("cf.waf.credential_check.username_and_password_leaked", Boolean).needs(Pro),
    F::new("cf.waf.credential_check.username_leaked", Boolean).needs(Enterprise),
    F::new("cf.waf.credential_check.username_password_similar", Boolean).needs(Enterprise),
    F::new("cf.waf.score", Integer).needs(Enterprise).range(1, 99),
    F::new("cf.waf.score.class", Bytes).needs(Business)
        .values(&["attack", "likely_attack", "likely_clean", "clean"]),
    F::new("cf.waf.score.rce", Integer).needs(Enterprise).range(1, 99),
    F::new("cf.waf.score.sqli", Integer).needs(Enterprise).range(1, 99),
    F::new("cf.waf.score.xss", Integer).needs(Enterprise).range(1, 99),
    F::new("cf.waf.signature.request.categories", BytesArray).needs(Enterprise),
    F::new("cf.waf.signature.request.confidence", BytesArray).needs(Enterprise)
        .values(&["high", "low"]),
    F::new("cf.waf.signature.request.refs", BytesArray).needs(Enterprise),
    F::new("cf.worker.upstream_zone", Bytes),
    F::new("cf.zone.name", Bytes).only_in(ACCOUNT_RULESETS),
    F::new("cf.zone.plan", Bytes).only_in(ACCOUNT_RULESETS),
    F::new("http.cookie", Bytes),
    F::new("http.host", Bytes),
    F::new("http.referer", Bytes),
    F::new("http.request.accepted_languages", BytesArray).only_in("Transform Rules only"),
    F::new("http.request.body.form", BytesArrayMap).of_body().needs(Enterprise),
    F::new("http.request.body.form.names", BytesArray).of_body().needs(Enterprise),
    F::new("http.request.body.form.values", BytesArray).of_body().needs(Enterprise),
    F::new("http.request.body.mime", Bytes),
    F::new("http.request.body.multipart", BytesArrayMap).of_body().needs(Enterprise),
    F::new("http.request.body.multipart.content_dispositions", BytesArrayArray).of_body().needs(Enterprise),
    F::new("http.request.body.multipart.content_transfer_encodings", BytesArrayArray).of_body().needs(Enterprise),
    F::new("http.request.body.multipart.content_types", BytesArrayArray).of_body().needs(Enterprise),
    F::new("http.request.body.multipart.filenames", BytesArrayArray).of_body().needs(Enterprise),
    F::new("http.request.body.multipart.names", BytesArrayArray).of_body().needs(Enterprise),
    F::new("http.request.body.multipart.values", BytesArray).of_body().needs(Enterprise),
    F::new("http.request.body.raw", Bytes).of_body().needs(Enterprise),
    F::new("http.request.body.size", Integer).of_body().needs(Enterprise),
    F::new("http.request.body.truncated", Boolean).of_body().needs(Enterprise),
    F::new("http.request.cookies", BytesArrayMap).needs(Pro),
    F::new("http.request.full_uri", Bytes),
    F::new("http.request.headers", BytesArrayMap),
    F::new("http.request.headers.names", BytesArray),
    F::new("http.request.headers.truncated", Boolean),
    F::new("http.request.headers.values", BytesArray),
    F::new("http.request.jwt.claims", BytesArrayMap).needs(Enterprise),
    F::new("http.request.jwt.claims.aud", BytesArrayMap).needs(Enterprise),
    F::new("http.request.jwt.claims.aud.names", BytesArray).needs(Enterprise),
    F::new("http.request.jwt.claims.aud.values", BytesArray).needs(Enterprise),
    F::new("http.request.jwt.claims.exp.sec", IntegerArrayMap),
    F::new("http.request.jwt.claims.exp.sec.names", BytesArray),
    F::new("http.request.jwt.claims.exp.sec.values", IntegerArray),
    F::new("http.request.jwt.claims.iat.sec", IntegerArrayMap).needs(Enterprise),
    F::new("http.request.jwt.claims.iat.sec.names", BytesArray).needs(Enterprise),
    F::new("http.request.jwt.claims.iat.sec.values", IntegerArray).needs(Enterprise),
    F::new("http.request.jwt.claims.iss", BytesArrayMap).needs(Enterprise),
    F::new("http.request.jwt.claims.iss.names", BytesArray).needs(Enterprise),
    F::new("http.request.jwt.claims.iss.values", BytesArray).needs(Enterprise),
    F::new("http.request.jwt.claims.jti", BytesArrayMap).needs(Enterprise),
    F::new("http.request.jwt.claims.jti.names", BytesArray).needs(Enterprise),
    F::new("http.request.jwt.claims.jti.values", BytesArray).needs(Enterprise),
    F::new("http.request.jwt.claims.nbf.sec", IntegerArrayMap).needs(Enterprise),
    F::new("http.request.jwt.claims.nbf.sec.names", BytesArray).needs(Enterprise),
    F::new("http.request.jwt.claims.nbf.sec.values", IntegerArray).needs(Enterprise),
    F::new("http.request.jwt.claims.sub", BytesArrayMap).needs(Enterprise),
    F::new("http.request.jwt.claims.sub.names", BytesArray).needs(Enterprise),
    F::new("http.request.jwt.claims.sub.values", BytesArray).needs(Enterprise),
    F::new("http.request.method", Bytes),
    F::new("http.request.timestamp.msec", Integer).range(0, 999),
    F::new("http.request.timestamp.sec", Integer),
    F::new("http.request.uri", Bytes),
    F::new("http.request.uri.args", BytesArrayMap),
    F::new("http.request.uri.args.names", BytesArray),
    F::new("http.request.uri.args.values", BytesArray),
    F::new("http.request.uri.path", Bytes),
    F::new("http.request.uri.path.extension", Bytes),
    F::new("http.request.uri.query", Bytes),
    F::new("http.request.version", Bytes),
    F::new("http.response.code", Integer).of_response().range(100, 599),
    F::new("http.response.content_type.media_type", Bytes).of_response(),
    F::new("http.response.headers", BytesArrayMap).of_response(),
    F::new("http.response.headers.names", BytesArray).of_response(),
    F::new("http.response.headers.truncated", Boolean).of_response(),
    F::new("http.response.headers.values", BytesArray).of_response(),
    F::new("http.user_agent", Bytes),
    F::new("http.x_forwarded_for", Bytes),
    F::new("ip.geoip.asnum", Integer).instead("ip.src.asnum"),
    F::new("ip.geoip.continent", Bytes).instead("ip.src.continent"),
    F::new("ip.geoip.country", Bytes).instead("ip.src.country"),
    F::new("ip.geoip.is_in_european_union", Boolean).instead("ip.src.is_in_european_union"),
    F::new("ip.geoip.subdivision_1_iso_code", Bytes).instead("ip.src.subdivision_1_iso_code"),
    F::new("ip.geoip.subdivision_2_iso_code", Bytes).instead("ip.src.subdivision_2_iso_code"),
    F::new("ip.src", Address),
    F::new("ip.src.asnum", Integer),
    F::new("ip.src.city", Bytes),
    F::new("ip.src.continent", Bytes)
        .values(&["AF", "AN", "AS", "EU", "NA", "OC", "SA", "T1"]),
    F::new("ip.src.country", Bytes),
    F::new("ip.src.is_in_european_union", Boolean).needs(Business),
    F::new("ip.src.lat", Bytes),
    F::new("ip.src.lon", Bytes),
    F::new("ip.src.metro_code", Bytes),
    F::new("ip.src.postal_code", Bytes),
    F::new("ip.src.region", Bytes),
    F::new("ip.src.region_code", Bytes),
    F::new("ip.src.subdivision_1_iso_code", Bytes).needs(Business),
    F::new("ip.src.subdivision_2_iso_code", Bytes).needs(Business),
    F::new("ip.src.timezone.name", Bytes).only_in("rewrite expressions of Transform Rules only"),
    F::new("raw.http.request.full_uri", Bytes).raw_of("http.request.full_uri"),
    F::new("raw.http.request.uri", Bytes).raw_of("http.request.uri"),
    F::new("raw.http.request.uri.args", BytesArrayMap).raw_of("http.request.uri.args"),
    F::new("raw.http.request.uri.args.names", BytesArray).raw_of("http.request.uri.args.names"),
    F::new("raw.http.request.uri.args.values", BytesArray).raw_of("http.request.uri.args.values"),
    F::new("raw.http.request.uri.path", Bytes).raw_of("http.request.uri.path"),
    F::new("raw.http.request.uri.path.extension", Bytes).raw_of("http.request.uri.path.extension"),
    F::new("raw.http.request.uri.query", Bytes).raw_of("http.request.uri.query"),
    F::new("raw.http.response.headers", BytesArrayMap).of_response().raw_of("http.response.headers"),
    F::new("raw.http.response.headers.names", BytesArray).of_response().raw_of("http.response.headers.names"),
    F::new("raw.http.response.headers.values", BytesArray).of_response().raw_of("http.response.headers.values"),
    F::new("ssl", Boolean),
];

/// The type of an argument of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterType {
    /// A byte string.
    Bytes,
    /// A whole number.
    Integer,
    /// An address.
    Address,
    /// An array of booleans, such as a comparison over `[*]`.
    BooleanArray,
    /// An array of byte strings.
    BytesArray,
    /// A byte string, or any array.
    BytesOrArray,
    /// A byte string, or a whole number.
    BytesOrInteger,
    /// A number, a boolean or an address.
    Scalar,
    /// A map of any values.
    Map,
    /// A map or array of single values.
    Collection,
    /// A single value of any type.
    Single,
}

/// The forms of argument that a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// Any form.
    Anyhow,
    /// A field, or a function of a field.
    Field,
    /// A literal.
    Literal,
    /// Any form except a literal.
    NoLiteral,
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the documentation.
    pub name: &'static str,
    /// Its type.
    pub kind: ParameterType,
    /// The accepted forms.
    pub given: Given,
    /// True if it may be left out.
    pub is_optional: bool,
}

/// A function of the rules language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpressionFunction {
    /// Its name.
    pub name: &'static str,
    /// Its parameters in their order.
    pub parameters: &'static [Parameter],
    /// True if the last parameter may be repeated.
    pub is_variadic: bool,
    /// The type of the result; over an array, an array of it.
    pub returns: FieldType,
    /// Names of phases, or descriptions of other places, to which the function is limited; empty if
    /// it can be used everywhere.
    pub only_in: &'static [&'static str],
    /// The smallest plan that has it.
    pub needs: Needs,
}

/// Returns a required parameter.
const fn p(name: &'static str, kind: ParameterType, given: Given) -> Parameter {
    Parameter { name, kind, given, is_optional: false }
}

/// Returns an optional parameter.
const fn o(name: &'static str, kind: ParameterType, given: Given) -> Parameter {
    Parameter { name, kind, given, is_optional: true }
}

/// Returns a function of all plans with a fixed number of parameters.
const fn function(
    name: &'static str,
    parameters: &'static [Parameter],
    returns: FieldType,
    only_in: &'static [&'static str],
) -> ExpressionFunction {
    ExpressionFunction {
        name,
        parameters,
        is_variadic: false,
        returns,
        only_in,
        needs: Needs::Nothing,
    }
}

impl ExpressionFunction {
    const fn variadic(mut self) -> Self {
        self.is_variadic = true;
        self
    }

    const fn needs(mut self, needs: Needs) -> Self {
        self.needs = needs;
        self
    }
}

/// All functions.
#[rustfmt::skip]
pub const FUNCTIONS: &[ExpressionFunction] = &{
    use Given::{Anyhow, Field, Literal, NoLiteral};
    use ParameterType as P;
    [
        function("all", &[p("values", P::BooleanArray, Anyhow)], FieldType::Boolean, &[]),
        function("any", &[p("values", P::BooleanArray, Anyhow)], FieldType::Boolean, &[]),
        function("bit_slice", &[p("protocol", P::Bytes, Anyhow), p("offset_start", P::Integer, Anyhow), p("offset_end", P::Integer, Anyhow)], FieldType::Integer, &["Magic Firewall phases"]),
        function("cidr", &[p("address", P::Address, Field), p("ipv4_network_bits", P::Integer, Literal), p("ipv6_network_bits", P::Integer, Literal)], FieldType::Address, &["http_request_firewall_custom", "http_ratelimit"]),
        function("cidr6", &[p("address", P::Address, Field), p("ipv6_network_bits", P::Integer, Literal)], FieldType::Address, &["http_request_firewall_custom", "http_ratelimit"]),
        // The type of the result is that of its arguments.
        function("coalesce", &[p("value", P::Single, NoLiteral), p("value", P::Single, Anyhow)], FieldType::Bytes, &[]).variadic(),
        function("concat", &[p("value", P::BytesOrArray, Anyhow), p("value", P::BytesOrArray, Anyhow)], FieldType::Bytes, &[]).variadic(),
        function("decode_base64", &[p("source", P::Bytes, Field)], FieldType::Bytes, &["transform rewrites", "http_request_firewall_custom", "http_ratelimit"]),
        function("encode_base64", &[p("source", P::Bytes, Field), o("flags", P::Bytes, Literal)], FieldType::Bytes, &["transform rewrites"]),
        function("ends_with", &[p("source", P::Bytes, NoLiteral), p("substring", P::Bytes, Anyhow)], FieldType::Boolean, &[]),
        function("hash_in_range", &[p("min", P::Integer, Literal), p("max", P::Integer, Literal), p("field", P::Single, NoLiteral)], FieldType::Integer, &[]).variadic(),
        function("has_key", &[p("map", P::Map, Anyhow), p("key", P::Bytes, Anyhow)], FieldType::Boolean, &[]),
        function("has_value", &[p("collection", P::Collection, Anyhow), p("value", P::Single, Anyhow)], FieldType::Boolean, &[]),
        function("is_jwt_present", &[p("token_configuration_id", P::Bytes, Literal)], FieldType::Boolean, &[]).needs(Enterprise),
        function("is_jwt_valid", &[p("token_configuration_id", P::Bytes, Literal)], FieldType::Boolean, &[]).needs(Enterprise),
        function("is_timed_hmac_valid_v0", &[p("key", P::Bytes, Literal), p("message_mac", P::Bytes, Anyhow), p("ttl", P::Integer, Literal), p("current_timestamp", P::Integer, Anyhow), o("length_of_separator", P::Integer, Literal), o("flags", P::Bytes, Literal)], FieldType::Boolean, &[]).needs(Pro),
        function("join", &[p("items", P::BytesArray, Anyhow), p("separator", P::Bytes, Anyhow)], FieldType::Bytes, &["transform rewrites", "http_request_firewall_custom", "custom errors"]),
        function("len", &[p("value", P::BytesOrArray, Anyhow)], FieldType::Integer, &[]),
        function("lookup_json_integer", &[p("field", P::Bytes, Anyhow), p("key", P::BytesOrInteger, Anyhow)], FieldType::Integer, &[]).variadic(),
        function("lookup_json_string", &[p("field", P::Bytes, Anyhow), p("key", P::BytesOrInteger, Anyhow)], FieldType::Bytes, &[]).variadic(),
        function("lower", &[p("value", P::Bytes, Anyhow)], FieldType::Bytes, &[]),
        function("regex_replace", &[p("source", P::Bytes, Anyhow), p("regular_expression", P::Bytes, Literal), p("replacement", P::Bytes, Literal)], FieldType::Bytes, &["transform rewrites", "dynamic redirect targets"]),
        function("remove_bytes", &[p("source", P::Bytes, NoLiteral), p("bytes", P::Bytes, Anyhow)], FieldType::Bytes, &[]),
        function("remove_query_args", &[p("field", P::Bytes, Field), p("query_param", P::Bytes, Anyhow)], FieldType::Bytes, &["transform rewrites"]).variadic(),
        function("sha256", &[p("source", P::Bytes, Field)], FieldType::Bytes, &["transform rewrites"]).needs(Enterprise),
        function("split", &[p("input", P::Bytes, Anyhow), p("separator", P::Bytes, Literal), p("limit", P::Integer, Literal)], FieldType::BytesArray, &["response header transform", "custom errors"]),
        function("starts_with", &[p("source", P::Bytes, NoLiteral), p("substring", P::Bytes, Anyhow)], FieldType::Boolean, &[]),
        function("substring", &[p("field", P::Bytes, Anyhow), p("start", P::Integer, Anyhow), o("end", P::Integer, Anyhow)], FieldType::Bytes, &[]),
        function("to_string", &[p("value", P::Scalar, Anyhow)], FieldType::Bytes, &["transform rewrites", "dynamic redirect targets"]),
        function("upper", &[p("value", P::Bytes, Anyhow)], FieldType::Bytes, &[]),
        function("url_decode", &[p("source", P::Bytes, Field), o("options", P::Bytes, Literal)], FieldType::Bytes, &[]),
        function("uuidv4", &[p("source", P::Bytes, Anyhow)], FieldType::Bytes, &["transform rewrites"]),
        function("wildcard_replace", &[p("source", P::Bytes, Field), p("wildcard_pattern", P::Bytes, Literal), p("replacement", P::Bytes, Literal), o("flags", P::Bytes, Literal)], FieldType::Bytes, &["transform rewrites", "dynamic redirect targets"]),
    ]
};

/// Lists that Cloudflare maintains.
pub const MANAGED_LISTS: &[&str] =
    &["$cf.anonymizer", "$cf.botnetcc", "$cf.malware", "$cf.open_proxies", "$cf.vpn"];

/// Maximum size of a body that rules see in full, in bytes.
pub const REQUEST_BODY_BYTES: usize = 128 << 10;

/// Maximum length of an expression, in characters of its form on one line.
pub const EXPRESSION_CHARACTERS: usize = 4096;

/// Maximum number of regular expressions in one rule.
pub const REGULAR_EXPRESSIONS: usize = 64;

/// Maximum number of number signs around a raw string.
pub const RAW_STRING_HASHES: usize = 255;

/// Functions that Cloudflare accepts only once in an expression, as its refusals showed.
pub const ONCE_PER_EXPRESSION: &[&str] = &["concat", "regex_replace"];

/// The phases whose rules run before there is a response.
pub const REQUEST_PHASES: &[&str] =
    &["http_request_firewall_managed", "http_request_firewall_custom", "http_ratelimit"];
