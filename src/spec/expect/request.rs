//! The expected verdict on a request.

use serde_json::{Map, Value as Json, json};

use super::invalid::{Invalid, Outcome};
use crate::diagnostic::escape_variables as escape;
use crate::model::request::{Given, Rate, Request, VerdictExpected};
use crate::model::{ExpectedRequest, RequestText};
use crate::recorded::parse_curl;
use crate::spec::deserialize::Spanned;
use crate::spec::syntax::{ExpectSyntax, FromSyntax};

pub(super) fn read(syntax: &Spanned<ExpectSyntax>) -> Outcome<ExpectedRequest> {
    let ExpectSyntax { request, curl, from, fields, times, verdict, by, .. } = &syntax.value;
    let (text, written) = match (request, curl) {
        (Some(send), None) => (RequestText::Send(send.value.0.trim().to_owned()), send),
        (None, Some(curl)) => (RequestText::Curl(curl.value.0.trim().to_owned()), curl),
        (None, None) | (Some(_), Some(_)) => {
            return Err(Invalid::at(
                syntax,
                "it does not say which request",
                "write one of `request` and `curl`",
            ));
        }
    };
    let read = match &text {
        RequestText::Send(text) => Request::parse(text),
        RequestText::Curl(text) => parse_curl(text),
    };
    let mut request = read.map_err(|error| Invalid::at(written, error.detail, error.help))?;
    if let Some(from) = from {
        let FromSyntax { ip, country, asn } = &from.value;
        if let Some(ip) = ip {
            let address = ip.value.0.trim().parse().map_err(|_| {
                let detail = format!("`{}` is not an address", crate::spec::clip(&ip.value.0));
                Invalid::at(ip, detail, "write an address such as 203.0.113.9")
            });
            request.address = Some(address?);
        }
        for (name, value) in [("ip.src.country", country), ("ip.src.asnum", asn)] {
            if let Some(value) = value {
                let stated = request.state(name, &Given::Text(value.value.0.trim().to_owned()));
                stated.map_err(|error| Invalid::at(value, error.detail, error.help))?;
            }
        }
    }
    for (name, value) in fields.iter().flat_map(|fields| &fields.0) {
        let field_value = Given::Text(value.value.0.clone());
        request
            .state(&name.value.0, &field_value)
            .map_err(|error| Invalid::at(name, error.detail, error.help))?;
    }
    let rate = match times {
        None => Rate { times: 1, seconds: 1 },
        Some(times) => Rate::parse(&times.value.0).ok_or_else(|| {
            let detail = format!("`{}` does not say how often", crate::spec::clip(&times.value.0));
            Invalid::at(times, detail, "write a number and a time, such as `6 in 1m`")
        })?,
    };
    let Some(verdict) = verdict else {
        return Err(Invalid::at(
            syntax,
            "`verdict` is missing",
            "add `verdict: pass`, `block` or `challenge`",
        ));
    };
    let expected = VerdictExpected::parse(&verdict.value.0).ok_or_else(|| {
        let detail = format!("`{}` is not a verdict", crate::spec::clip(&verdict.value.0));
        Invalid::at(
            verdict,
            detail,
            "write `pass`, `block` or `challenge`, or `not` before one of them",
        )
    })?;
    let by = by.as_ref().map(|by| by.value.0.clone());
    Ok(ExpectedRequest { text, request, rate, verdict: expected, by })
}

pub(super) fn emit(expected: &ExpectedRequest, map: &mut Map<String, Json>) {
    let ExpectedRequest { text, request, rate, verdict, by } = expected;
    let mut put = |key: &str, value: Json| drop(map.insert(key.to_owned(), value));
    match text {
        RequestText::Send(text) => put("request", json!(escape(text))),
        RequestText::Curl(text) => put("curl", json!(escape(text))),
    }
    if let Some(address) = request.address {
        put("from", json!({ "ip": address.to_string() }));
    }
    let fields = request.fields.iter().filter_map(|(name, given)| {
        let value = match given {
            Given::Truth(truth) => json!(truth),
            Given::Integer(number) => json!(number),
            Given::Text(text) => json!(escape(text)),
            // No field of a spec has several values.
            Given::Several(_) => return None,
        };
        Some((name.clone(), value))
    });
    let fields: Map<String, Json> = fields.collect();
    if !fields.is_empty() {
        put("fields", Json::Object(fields));
    }
    if rate.times > 1 {
        put("times", json!(format!("{} in {}s", rate.times, rate.seconds)));
    }
    put("verdict", json!(verdict.to_string()));
    if let Some(by) = by {
        put("by", json!(escape(by)));
    }
}
