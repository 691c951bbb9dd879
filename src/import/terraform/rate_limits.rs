//! Translates `cloudflare_rate_limit`: rate limits of the old API become rate limiting rules if a
//! rule has the same effect.
//!
//! | old | rule |
//! |---|---|
//! | URL pattern, schemes, methods, bypassed URLs | the expression; patterns ignore case and have no query |
//! | known search engine crawlers are exempt | excluded by the expression |
//! | status codes and headers of the response | the expression that counts; who is over the limit is stopped whatever the origin would answer |
//! | only what the origin answers counts, by default | `to_origin` |
//! | one IP address in one data centre, or one visitor behind NAT | the characteristics |
//! | a block is at least as long as the period | its duration |
//! | a period or a duration that rules usually do not have | none: Cloudflare rounded it when it replaced the old rate limits |
//! | they are tried from the newest to the oldest | none: the source does not contain the order, which the report says |
//!
//! # Sources
//! developers.cloudflare.com/waf/reference/legacy/old-rate-limiting and …/upgrade;
//! `cloudflare_rate_limit` in the documentation of the provider's versions 4 and 5, read
//! 2026-11-23.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::Resource;
use super::not_imported::Refusal;
use super::rulesets;
use super::value::Term;
use super::zones::Zones;
use crate::diagnostic::{count, findings};
use crate::import::import_result::{ImportResult, Translation};
use crate::model::ZoneName;
use crate::model::facts::rate_limits::{
    RATE_COLO, RATE_IP, RATE_PERIODS, RATE_TIMEOUTS, RATE_VISITOR,
};
use crate::model::ruleset::Phase;

/// Condition that exempts search engines, as the old rate limits did.
const NO_CRAWLER: &str = r#"cf.verified_bot_category ne "Search Engine Crawler""#;
/// Host and path. A rule may call the function once.
const WHOLE_URL: &str = "concat(http.host, http.request.uri.path)";
/// Keyword of the old API for all methods or schemes.
const ALL: &str = "_ALL_";
/// Status of the response to a blocked request in the old API.
const TOO_MANY_REQUESTS: u16 = 429;

/// Translated rate limits of each zone.
pub(super) type Translated<'r> = BTreeMap<ZoneName, Vec<&'r Resource>>;

/// Translates a `cloudflare_rate_limit`.
pub(super) fn rate_limit<'r>(
    resource: &'r Resource,
    zones: &Zones<'_>,
    translated: &mut Translated<'r>,
    found: &mut ImportResult,
) -> Result<Translation, Refusal> {
    let values = &resource.values;
    let zone = zones.of(resource)?;
    if let Some(missing) = values.missing_beside_zone() {
        return Err(missing.clone().into());
    }
    let mut rule = rule(resource).map_err(|why| {
        let what = holds(values).map(|what| format!("; {what}")).unwrap_or_default();
        Refusal::Untranslatable(format!("{why}{what}; write a rule in `rate_limits`"))
    })?;
    if rule.get("description").is_none() {
        rule["ref"] = json!(rulesets::reference(&resource.kind, &resource.address, found));
    }
    let added =
        rulesets::add(&zone, Phase::RateLimit, vec![rule], found).map_err(Refusal::Invalid)?;
    if let Some((_, why)) = added.notes.into_iter().next() {
        return Err(Refusal::Untranslatable(why));
    }
    found.count(&resource.kind, Translation::Whole);
    translated.entry(zone).or_default().push(resource);
    Ok(Translation::Whole)
}

/// Reports facts about the rate limits that their source lacks, once for each zone.
pub(super) fn report(translated: &Translated<'_>, found: &mut ImportResult) {
    for (zone, resources) in translated {
        let Some(first) = resources.first() else { continue };
        let of = match resources.len() {
            1 => first.address.clone(),
            n => format!("{} and {}", first.address, count(n - 1, "more rate limit")),
        };
        let mut why = format!(
            "{of}: Cloudflare replaced the old rate limits by rules on 2025-06-15, so {zone} may \
            have them already, under other names; \
             compare with `zonewright import {zone} --only-waf`"
        );
        if resources.len() > 1 {
            why.push_str(
                ". Cloudflare tried the old ones from the newest to the oldest, and the source \
                does not contain that \
                 order: check the order of those that apply to the same requests",
            );
        }
        found.report(findings::OTHER_MEANING, "", first.place, &why, None);
    }
}

/// Describes the requests that a rate limit counts, as far as they are known.
fn holds(values: &Term) -> Option<String> {
    let number = |name| values.get(name).and_then(Term::whole);
    let (requests, seconds) = number("threshold").zip(number("period"))?;
    let of = pattern(values).map(|pattern| format!(" to `{pattern}`")).unwrap_or_default();
    Some(format!("it allows {} in {seconds} s{of}", count(requests as usize, "request")))
}

/// Returns the URL pattern, as far as it is known: `url_pattern` in version 4, `url` in version 5.
fn pattern(values: &Term) -> Option<String> {
    let request = values.object("match")?.object("request")?;
    request.get("url_pattern").or_else(|| request.get("url")).and_then(Term::text)
}

/// Returns the block of a name, if there is one.
fn block<'t>(of: Option<&'t Term>, name: &str) -> Result<Option<&'t Term>, String> {
    match of.and_then(|of| of.get(name)) {
        None => Ok(None),
        Some(Term::Map(_)) => Ok(of.and_then(|of| of.get(name))),
        Some(Term::List(list)) => match list.as_slice() {
            [only @ Term::Map(_)] => Ok(Some(only)),
            _ => Err(format!("its `{name}` is not one block")),
        },
        Some(_) => Err(format!("its `{name}` is not a block")),
    }
}

/// Returns a text, if there is one.
fn text(of: Option<&Term>, name: &str) -> Result<Option<String>, String> {
    let value = of.and_then(|of| of.get(name));
    value.map(|value| value.text().ok_or_else(|| format!("its `{name}` is not a text"))).transpose()
}

/// Returns the texts of a list; empty if there is no list.
fn texts(of: Option<&Term>, name: &str) -> Result<Vec<String>, String> {
    let items = of.and_then(|of| of.get(name)).map(Term::items).unwrap_or_default();
    let texts = items.iter().map(Term::text).collect::<Option<Vec<_>>>();
    texts.ok_or_else(|| format!("its `{name}` is not a list of texts"))
}

/// Returns a boolean, if there is one.
fn switch(of: Option<&Term>, name: &str) -> Result<Option<bool>, String> {
    let value = of.and_then(|of| of.get(name));
    value
        .map(|value| value.truth().ok_or_else(|| format!("its `{name}` is neither true nor false")))
        .transpose()
}

/// Returns a required whole number.
fn number(of: &Term, name: &str) -> Result<u32, String> {
    let value = of.get(name).ok_or_else(|| format!("it has no `{name}`"))?;
    value.whole().ok_or_else(|| format!("its `{name}` is not a whole number"))
}

/// Returns the rule with the same effect, without a name. The error is the reason why there is
/// none.
fn rule(resource: &Resource) -> Result<Json, String> {
    let values = &resource.values;
    if let Some(member) = unknown_member(values) {
        return Err(format!("its member `{member}` is not known"));
    }
    let matched = block(Some(values), "match")?;
    let (request, response) = (block(matched, "request")?, block(matched, "response")?);
    let action = block(Some(values), "action")?.ok_or("it has no `action`")?;
    let expression = expression(values, request)?;
    let (verb, mut rate) = rate(values, action)?;
    let of_status = statuses(response)?;
    let (of_headers, is_uncached) = headers(matched, response)?;
    let counted: Vec<String> = of_status.into_iter().chain(of_headers).collect();
    if !counted.is_empty() {
        rate["counting_expression"] = json!(format!("{expression} and {}", counted.join(" and ")));
    }
    // Only responses of the origin count, unless the rate limit states something else.
    let is_of_origin = switch(response, "origin_traffic")?.unwrap_or(true);
    if is_of_origin || is_uncached {
        rate["requests_to_origin"] = json!(true);
    }
    let is_disabled = switch(Some(values), "disabled")? == Some(true);
    let mut rule = json!({
        "id": resource.address,
        "action": verb,
        "expression": expression,
        "enabled": !is_disabled,
        "ratelimit": rate,
    });
    if let Some(description) = text(Some(values), "description")? {
        rule["description"] = json!(description);
    }
    // Only blocked requests get a custom response.
    let response = block(Some(action), "response")?;
    if response.is_some() && verb == "block" {
        let of = |name: &str| text(response, name).map(Option::unwrap_or_default);
        let (content, content_type) = (of("body")?, of("content_type")?);
        rule["action_parameters"] = json!({ "response": { "status_code": TOO_MANY_REQUESTS, "content": content, "content_type": content_type } });
    }
    Ok(rule)
}

/// Returns the expression for the limited requests.
fn expression(values: &Term, request: Option<&Term>) -> Result<String, String> {
    let pattern = match text(request, "url_pattern")? {
        Some(pattern) => Some(pattern),
        None => text(request, "url")?,
    };
    let mut parts = conditions(pattern.as_deref().unwrap_or("*"))?;
    let of_scheme = of_scheme(request)?.map(str::to_owned);
    parts.extend(of_scheme.filter(|condition| !parts.contains(condition)));
    parts.extend(of_method(request)?);
    for bypassed in bypassed(values)? {
        // A bypass applies to both schemes, whatever its pattern contains.
        let url = bypassed.split_once("://").map_or(&*bypassed, |(_, url)| url);
        match conditions(url)?.as_slice() {
            [] => return Err(format!("it bypasses `{bypassed}`, which is everything")),
            some => parts.push(format!("not ({})", some.join(" and "))),
        }
    }
    parts.push(NO_CRAWLER.to_owned());
    let expression = parts.join(" and ");
    if expression.matches(WHOLE_URL).count() > 1 {
        return Err(
            "several of its patterns have an asterisk in the host, and a rule can have only one"
                .to_owned(),
        );
    }
    Ok(expression)
}

/// Returns the words of a list in upper case.
fn upper_case(request: Option<&Term>, name: &str) -> Result<Vec<String>, String> {
    Ok(texts(request, name)?.into_iter().map(|word| word.to_ascii_uppercase()).collect())
}

/// Returns the condition on the scheme, unless both schemes are limited.
fn of_scheme(request: Option<&Term>) -> Result<Option<&'static str>, String> {
    let schemes = upper_case(request, "schemes")?;
    if let Some(odd) = schemes.iter().find(|word| !["HTTP", "HTTPS", ALL].contains(&word.as_str()))
    {
        return Err(format!("its scheme is `{odd}`"));
    }
    let has = |scheme: &str| {
        schemes.is_empty() || schemes.iter().any(|word| word == scheme || word == ALL)
    };
    Ok(match (has("HTTP"), has("HTTPS")) {
        (true, false) => Some("not ssl"),
        (false, true) => Some("ssl"),
        _ => None,
    })
}

/// Returns the condition on the method, unless all methods are limited.
fn of_method(request: Option<&Term>) -> Result<Option<String>, String> {
    let methods = upper_case(request, "methods")?;
    if let Some(odd) =
        methods.iter().find(|word| *word != ALL && !word.chars().all(|c| c.is_ascii_alphabetic()))
    {
        return Err(format!("its method is `{odd}`"));
    }
    Ok(match methods.as_slice() {
        all if all.is_empty() || all.iter().any(|word| word == ALL) => None,
        [only] => Some(format!("http.request.method eq \"{only}\"")),
        some => Some(format!("http.request.method in {{\"{}\"}}", some.join("\" \""))),
    })
}

/// Returns the action for requests above the rate, and the rate.
fn rate(values: &Term, action: &Term) -> Result<(String, Json), String> {
    let (period, limit) = (number(values, "period")?, number(values, "threshold")?);
    if limit == 0 {
        return Err("its threshold is 0".to_owned());
    }
    if !RATE_PERIODS.contains(&period) {
        let nearest = nearest(RATE_PERIODS, period);
        return Err(format!(
            "{period} s is not a usual period of a rule; the nearest is {nearest} s"
        ));
    }
    let by = text(block(Some(values), "correlate")?, "by")?;
    let client = match by.as_deref() {
        None => RATE_IP,
        Some("nat") => RATE_VISITOR,
        Some(other) => return Err(format!("it counts by `{other}`")),
    };
    let mode = text(Some(action), "mode")?.unwrap_or_default();
    let verb = match mode.as_str() {
        "ban" => "block",
        "simulate" => "log",
        "challenge" | "js_challenge" | "managed_challenge" => mode.as_str(),
        other => return Err(format!("its action is `{other}`")),
    };
    // The zone's Challenge Passage determines the duration of a challenge. Other actions last at
    // least as long as the period.
    let timeout = match verb {
        "block" | "log" => number(action, "timeout")?.max(period),
        _ => 0,
    };
    if !RATE_TIMEOUTS.contains(&timeout) {
        let nearest = nearest(RATE_TIMEOUTS, timeout);
        return Err(format!(
            "{timeout} s is not a usual duration of a rule; the nearest is {nearest} s"
        ));
    }
    let rate = json!({
        "characteristics": [RATE_COLO, client],
        "period": period,
        "requests_per_period": limit,
        "mitigation_timeout": timeout,
    });
    Ok((verb.to_owned(), rate))
}

/// Returns the condition on status codes of counted responses: `statuses` in version 4, `status` in
/// version 5.
fn statuses(response: Option<&Term>) -> Result<Option<String>, String> {
    let listed = response.and_then(|of| of.get("statuses").or_else(|| of.get("status")));
    let listed = listed.map(Term::items).unwrap_or_default().iter();
    let codes = listed.map(|status| status.whole().map(|status| status.to_string()));
    let codes =
        codes.collect::<Option<Vec<_>>>().ok_or("one of its status codes is not a number")?;
    Ok((!codes.is_empty()).then(|| format!("http.response.code in {{{}}}", codes.join(" "))))
}

/// Returns the exempt URLs: `bypass_url_patterns` in version 4, `bypass` in version 5.
fn bypassed(values: &Term) -> Result<Vec<String>, String> {
    let mut urls = texts(Some(values), "bypass_url_patterns")?;
    for entry in values.get("bypass").map(Term::items).unwrap_or_default() {
        match (text(Some(entry), "name")?.as_deref(), text(Some(entry), "value")?) {
            (None | Some("url"), Some(url)) => urls.push(url),
            (name, _) => {
                return Err(format!(
                    "it exempts requests by `{}`, not by their URL",
                    name.unwrap_or_default()
                ));
            }
        }
    }
    Ok(urls)
}

/// Returns the conditions on headers of counted responses, and true if one excludes cached
/// responses.
fn headers(matched: Option<&Term>, response: Option<&Term>) -> Result<(Vec<String>, bool), String> {
    let (mut all, mut is_uncached) = (Vec::new(), false);
    let lists = [response, matched].into_iter().flatten().filter_map(|of| of.get("headers"));
    for header in lists.flat_map(Term::items) {
        let of = |name: &str| text(Some(header), name).map(Option::unwrap_or_default);
        let (name, op, value) = (of("name")?.to_ascii_lowercase(), of("op")?, of("value")?);
        if name == "cf-cache-status" && op == "ne" && value.eq_ignore_ascii_case("HIT") {
            is_uncached = true;
            continue;
        }
        let is_odd = |c: char| c.is_control() || matches!(c, '"' | '\\');
        let not = match op.as_str() {
            "eq" => "",
            "ne" => "not ",
            _ => return Err(format!("its response header `{name}` is compared by `{op}`")),
        };
        if name.is_empty() || name.contains(is_odd) || value.contains(is_odd) {
            return Err(format!(
                "its response header `{name}` cannot be compared in an expression"
            ));
        }
        all.push(format!("{not}any(http.response.headers[\"{name}\"][*] eq \"{value}\")"));
    }
    Ok((all, is_uncached))
}

/// Members of an old rate limit, by the path of their block.
const MEMBERS: &[(&[&str], &[&str])] = &[
    (
        &[],
        &[
            "id",
            "zone_id",
            "threshold",
            "period",
            "match",
            "action",
            "correlate",
            "disabled",
            "description",
            "bypass",
            "bypass_url_patterns",
        ],
    ),
    (&["match"], &["request", "response", "headers"]),
    (&["match", "request"], &["methods", "schemes", "url", "url_pattern"]),
    (&["match", "response"], &["statuses", "status", "origin_traffic", "headers"]),
    (&["action"], &["mode", "timeout", "response"]),
    (&["action", "response"], &["body", "content_type"]),
    (&["correlate"], &["by"]),
];

/// Returns a member with an unknown meaning.
fn unknown_member(values: &Term) -> Option<String> {
    MEMBERS.iter().find_map(|(path, known)| {
        let block = path.iter().try_fold(values, |block, name| block.object(name))?;
        let Term::Map(members) = block else { return None };
        let member = members
            .iter()
            .find(|(name, value)| !known.contains(&name.as_str()) && !value.is_empty())?;
        Some(path.iter().copied().chain([member.0.as_str()]).collect::<Vec<_>>().join("."))
    })
}

/// Returns the conditions of a URL pattern: host and path, ignoring case and query.
fn conditions(pattern: &str) -> Result<Vec<String>, String> {
    let mut parts = Vec::new();
    let (scheme, url) =
        pattern.split_once("://").map_or((None, pattern), |(scheme, url)| (Some(scheme), url));
    match scheme.map(str::to_ascii_lowercase).as_deref() {
        None | Some("*" | "http*") => {}
        Some("https") => parts.push("ssl".to_owned()),
        Some("http") => parts.push("not ssl".to_owned()),
        Some(_) => {
            return Err(format!("its pattern `{pattern}` has another scheme than HTTP and HTTPS"));
        }
    }
    if !url.is_ascii() {
        return Err(format!(
            "its pattern `{pattern}` has letters that requests do not have: hosts begin with \
            `xn--`, and paths are percent-encoded"
        ));
    }
    let mut url = url.to_ascii_lowercase();
    // Two asterisks mean the same as one, and an expression must not contain them.
    while url.contains("**") {
        url = url.replace("**", "*");
    }
    if url == "*" || url == "*/*" {
        return Ok(parts);
    }
    let (host, path) = url.split_once('/').map_or((&*url, None), |(host, path)| (host, Some(path)));
    let is_odd =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\\' | '?' | '#');
    if host.is_empty() || host.contains(':') || url.contains(is_odd) {
        return Err(format!("its pattern `{pattern}` is more than a host and a path"));
    }
    if host.contains('*') {
        // An asterisk matches slashes, too. A pattern without a path only matches the home page.
        let path = if path.is_none() && !url.ends_with('*') { "/" } else { "" };
        parts.push(format!("{WHOLE_URL} wildcard \"{url}{path}\""));
        return Ok(parts);
    }
    parts.push(format!("http.host eq \"{host}\""));
    match path.unwrap_or_default() {
        "*" => {}
        path => parts.push(format!("http.request.uri.path wildcard \"/{path}\"")),
    }
    Ok(parts)
}

/// Returns the number of a list that is nearest to `one`.
fn nearest(all: &[u32], one: u32) -> u32 {
    all.iter().copied().filter(|n| *n > 0).min_by_key(|n| n.abs_diff(one)).unwrap_or(one)
}
