//! Requests as Cloudflare's Logpush writes them: the data set `http_requests`.
//!
//! # Sources
//! developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests, read 2026-11-22:
//! a log has any selection of the fields; custom fields add `RequestHeaders`. A score of 0 means
//! that no score was computed.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;
use serde_json::Value as Json;

use super::error::describe_json_error;
use super::options::RecordingOptions;
use super::request_target::{is_method, protocol_version, request};
use super::sample::{InputPosition, Sample};
use super::timestamps::of_json;
use crate::model::request::Given;

/// Fields of a row that rules can read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase", default, expecting = "an object with the fields of Logpush")]
#[derive(Default)]
struct Row {
    #[serde(rename = "RayID")]
    ray_id: Option<String>,
    edge_start_timestamp: Option<Json>,
    #[serde(rename = "ClientIP")]
    client_ip: Option<IpAddr>,
    #[serde(rename = "ClientASN")]
    client_asn: Option<i64>,
    client_country: Option<String>,
    #[serde(rename = "ClientSSLProtocol")]
    client_ssl_protocol: Option<String>,
    client_request_scheme: Option<String>,
    client_request_host: Option<String>,
    client_request_method: Option<String>,
    #[serde(rename = "ClientRequestURI")]
    client_request_uri: Option<String>,
    client_request_protocol: Option<String>,
    client_request_user_agent: Option<String>,
    client_request_referer: Option<String>,
    request_headers: Option<BTreeMap<String, Json>>,
    bot_score: Option<i64>,
    #[serde(rename = "JA3Hash")]
    ja3_hash: Option<String>,
    #[serde(rename = "JA4")]
    ja4: Option<String>,
    verified_bot_category: Option<String>,
    #[serde(rename = "WAFAttackScore")]
    attack_score: Option<i64>,
    #[serde(rename = "WAFSQLiAttackScore")]
    sqli_score: Option<i64>,
    #[serde(rename = "WAFXSSAttackScore")]
    xss_score: Option<i64>,
    #[serde(rename = "WAFRCEAttackScore")]
    rce_score: Option<i64>,
}

/// Detects the format of a JSON line from the names of its members.
pub(super) fn is_row(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"\"ClientRequest").is_some()
        || memchr::memmem::find(line, b"\"RayID\"").is_some()
}

pub(super) fn sample_of_row(
    text: &[u8],
    place: InputPosition,
    options: &RecordingOptions,
) -> Result<Sample, String> {
    let row: Row = serde_json::from_slice(text).map_err(|error| describe_json_error(&error))?;
    let Some(method) = row.client_request_method.filter(|method| is_method(method)) else {
        return Err("it lacks the field ClientRequestMethod; add it to the Logpush job".to_owned());
    };
    let Some(target) = row.client_request_uri else {
        let why = "it lacks the field ClientRequestURI, which has the query; add it to the Logpush \
            job (http_requests)";
        return Err(why.to_owned());
    };
    let host =
        row.client_request_host.filter(|host| !host.is_empty()).or_else(|| options.host.clone());
    let host = host.ok_or(
        "it lacks the field ClientRequestHost; add it to the Logpush job, or name the \
            host with --host",
    )?;
    let is_plain = match (row.client_request_scheme.as_deref(), row.client_ssl_protocol.as_deref())
    {
        (Some(scheme), _) => Some(scheme == "http"),
        (None, protocol) => protocol.map(|protocol| protocol == "none"),
    };
    let mut request = request(&method, is_plain != Some(true), &host, target.as_bytes());
    request.is_scheme_assumed = is_plain.is_none();
    request.version = row.client_request_protocol.as_deref().and_then(protocol_version);
    request.address = row.client_ip;
    let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, value) in row.request_headers.into_iter().flatten() {
        let (name, Json::String(value)) = (name.to_ascii_lowercase(), value) else { continue };
        if name != "host" {
            headers.push((name, value.into_bytes()));
        }
    }
    for (name, value) in
        [("user-agent", row.client_request_user_agent), ("referer", row.client_request_referer)]
    {
        if let Some(value) = value.filter(|_| headers.iter().all(|(known, _)| known != name)) {
            headers.push((name.to_owned(), value.into_bytes()));
        }
    }
    request.headers = headers;
    let number = |number: Option<i64>| number.filter(|number| *number > 0).map(Given::Integer);
    let text = |text: Option<String>| text.filter(|text| !text.is_empty()).map(Given::Text);
    for (field, value) in [
        ("ip.src.asnum", number(row.client_asn)),
        ("ip.src.country", text(row.client_country.map(|country| country.to_ascii_uppercase()))),
        ("cf.ray_id", text(row.ray_id.clone())),
        ("cf.bot_management.score", number(row.bot_score)),
        ("cf.bot_management.ja3_hash", text(row.ja3_hash)),
        ("cf.bot_management.ja4", text(row.ja4)),
        ("cf.verified_bot_category", text(row.verified_bot_category)),
        ("cf.waf.score", number(row.attack_score)),
        ("cf.waf.score.sqli", number(row.sqli_score)),
        ("cf.waf.score.xss", number(row.xss_score)),
        ("cf.waf.score.rce", number(row.rce_score)),
    ] {
        if let Some(value) = value {
            request.fields.insert(field.to_owned(), value);
        }
    }
    let time = row.edge_start_timestamp.as_ref().and_then(of_json);
    Ok(Sample { id: row.ray_id, place, time, request, target: target.into_bytes() })
}
