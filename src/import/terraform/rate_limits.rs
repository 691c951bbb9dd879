//! `cloudflare_rate_limit`: the rate limits of the old API as rate limiting rules, where a rule does the same.
//!
//! | old | rule |
//! |---|---|
//! | URL pattern, schemes, methods, bypassed URLs | the expression; patterns ignore case and have no query |
//! | known search engine crawlers are exempt | excluded by the expression |
//! | status codes and headers of the response | the expression that counts; who is over the limit is stopped whatever the origin would answer |
//! | only what the origin answers counts, by default | `to_origin` |
//! | one IP address in one data centre, or one visitor behind NAT | the characteristics |
//! | a period or a duration that rules do not have | none: Cloudflare rounded it when it replaced the old rate limits |
//!
//! # Sources
//! developers.cloudflare.com/waf/reference/legacy/old-rate-limiting and …/upgrade; `cloudflare_rate_limit` in the documentation of the
//! provider's versions 4 and 5, read 2026-11-23.

use serde_json::{Value as Json, json};

use super::Resource;
use super::refusal::Refusal;
use super::rulesets;
use super::value::Term;
use super::zones::Zones;
use crate::diagnostic::{count, findings};
use crate::import::found::Found;
use crate::model::facts::rulesets::{RATE_COLO, RATE_IP, RATE_PERIODS, RATE_TIMEOUTS, RATE_VISITOR};
use crate::model::ruleset::Phase;

/// What a rule excludes so that it exempts search engines, as the old rate limits did.
const NO_CRAWLER: &str = r#"cf.verified_bot_category ne "Search Engine Crawler""#;
/// Host and path. A rule may have the function once.
const WHOLE_URL: &str = "concat(http.host, http.request.uri.path)";
/// The word of the old API for all methods or schemes.
const ALL: &str = "_ALL_";
/// The status of the response to a blocked request in the old API.
const TOO_MANY_REQUESTS: u16 = 429;

/// `cloudflare_rate_limit`.
pub(super) fn rate_limit(resource: &Resource, zones: &Zones<'_>, found: &mut Found) -> Result<(), Refusal> {
    let values = &resource.values;
    let zone = zones.of(resource)?;
    if let Some(missing) = values.missing_beside_zone() {
        return Err(missing.clone().into());
    }
    let rule = rule(resource).map_err(|why| {
        let what = holds(values).map(|what| format!("; {what}")).unwrap_or_default();
        Refusal::Untranslatable(format!("{why}{what}; write a rule in `rate_limits`"))
    })?;
    rulesets::add(&zone, Phase::RateLimit, vec![rule], found).map_err(Refusal::Invalid)?;
    found.count(&resource.kind, true);
    let why = format!(
        "{}: Cloudflare replaced the old rate limits by rules on 2025-06-15, so {zone} may have it already, under another name; \
         compare with `zonewright import {zone} --only-waf`",
        resource.address
    );
    found.report(findings::OTHER_MEANING, "", resource.place, &why, None);
    Ok(())
}

/// What it limits, as far as it is known.
fn holds(values: &Term) -> Option<String> {
    let number = |name| values.get(name).and_then(Term::whole);
    let (requests, seconds) = number("threshold").zip(number("period"))?;
    let of = pattern(values).map(|pattern| format!(" to `{pattern}`")).unwrap_or_default();
    Some(format!("it allows {} in {seconds} s{of}", count(requests as usize, "request")))
}

/// The URL pattern: `url_pattern` in version 4, `url` in version 5.
fn pattern(values: &Term) -> Option<String> {
    let request = values.object("match")?.object("request")?;
    request.get("url_pattern").or_else(|| request.get("url")).and_then(Term::text)
}

/// The rule that does the same; otherwise why there is none.
fn rule(resource: &Resource) -> Result<Json, String> {
    let values = &resource.values;
    if let Some(member) = unknown_member(values) {
        return Err(format!("its member `{member}` is not known"));
    }
    let number = |name: &str| values.get(name).and_then(Term::whole).ok_or_else(|| format!("it has no `{name}`"));
    let matched = values.object("match");
    let request = matched.and_then(|of| of.object("request"));
    let response = matched.and_then(|of| of.object("response"));
    let action = values.object("action").ok_or("it has no `action`")?;

    let mut conditions = conditions(pattern(values).as_deref().unwrap_or("*"))?;
    let words = |name: &str| -> Vec<String> {
        let words = request.and_then(|of| of.get(name)).map(Term::items).unwrap_or_default();
        words.iter().filter_map(Term::text).map(|word| word.to_ascii_uppercase()).collect()
    };
    let schemes = words("schemes");
    let has = |scheme: &str| schemes.is_empty() || schemes.iter().any(|word| word == scheme || word == ALL);
    let of_scheme = match (has("HTTP"), has("HTTPS")) {
        (true, true) => None,
        (false, true) => Some("ssl"),
        (true, false) => Some("not ssl"),
        (false, false) => return Err(format!("its schemes are `{}`", schemes.join("`, `"))),
    };
    conditions.extend(of_scheme.map(str::to_owned).filter(|word| !conditions.contains(word)));
    let methods = words("methods");
    if let Some(odd) = methods.iter().find(|word| *word != ALL && !word.chars().all(|c| c.is_ascii_alphabetic())) {
        return Err(format!("its method is `{odd}`"));
    }
    match methods.as_slice() {
        all if all.is_empty() || all.iter().any(|word| word == ALL) => {}
        [only] => conditions.push(format!("http.request.method eq \"{only}\"")),
        some => conditions.push(format!("http.request.method in {{\"{}\"}}", some.join("\" \""))),
    }
    for bypassed in bypassed(values) {
        match self::conditions(&bypassed)?.as_slice() {
            [] => return Err(format!("it bypasses `{bypassed}`, which is everything")),
            all => conditions.push(format!("not ({})", all.join(" and "))),
        }
    }
    conditions.push(NO_CRAWLER.to_owned());
    let expression = conditions.join(" and ");
    if expression.matches(WHOLE_URL).count() > 1 {
        return Err("several of its patterns have an asterisk in the host, and a rule can have only one".to_owned());
    }

    let (period, limit) = (number("period")?, number("threshold")?);
    if limit == 0 {
        return Err("its threshold is 0".to_owned());
    }
    if !RATE_PERIODS.contains(&period) {
        return Err(format!(
            "no rule counts for {period} s; the nearest period is {} s",
            nearest(RATE_PERIODS, period)
        ));
    }
    let by = values.object("correlate").and_then(|of| of.get("by")).and_then(Term::text);
    let client = match by.as_deref() {
        None => RATE_IP,
        Some("nat") => RATE_VISITOR,
        Some(other) => return Err(format!("it counts by `{other}`")),
    };
    let mode = action.get("mode").and_then(Term::text).unwrap_or_default();
    let word = match mode.as_str() {
        "ban" => "block",
        "simulate" => "log",
        "challenge" | "js_challenge" | "managed_challenge" => mode.as_str(),
        other => return Err(format!("its action is `{other}`")),
    };
    // Challenges last as long as the zone's Challenge Passage says, whatever is written.
    let timeout = match word {
        "block" | "log" => action.get("timeout").and_then(Term::whole).ok_or("its action has no `timeout`")?,
        _ => 0,
    };
    if !RATE_TIMEOUTS.contains(&timeout) {
        let nearest = nearest(RATE_TIMEOUTS, timeout);
        return Err(format!("no rule stops clients for {timeout} s; the nearest duration is {nearest} s"));
    }
    let mut limits = json!({
        "characteristics": [RATE_COLO, client],
        "period": period,
        "requests_per_period": limit,
        "mitigation_timeout": timeout,
    });
    // `status` in version 5.
    let statuses = response.and_then(|of| of.get("statuses").or_else(|| of.get("status")));
    let statuses = statuses.map(Term::items).unwrap_or_default().iter();
    let statuses = statuses.map(|status| status.whole().map(|status| status.to_string()));
    let statuses = statuses.collect::<Option<Vec<_>>>().ok_or("one of its status codes is not a number")?;
    let (mut counted, is_uncached) = headers(matched, response)?;
    if !statuses.is_empty() {
        counted.insert(0, format!("http.response.code in {{{}}}", statuses.join(" ")));
    }
    if !counted.is_empty() {
        limits["counting_expression"] = json!(format!("{expression} and {}", counted.join(" and ")));
    }
    // Only what the origin answers counts unless something else is written.
    let is_of_origin = response.and_then(|of| of.get("origin_traffic")).and_then(Term::truth).unwrap_or(true);
    if is_of_origin || is_uncached {
        limits["requests_to_origin"] = json!(true);
    }
    let is_disabled = values.get("disabled").and_then(Term::truth) == Some(true);
    let mut rule = json!({
        "id": resource.address,
        "action": word,
        "expression": expression,
        "enabled": !is_disabled,
        "ratelimit": limits,
    });
    match values.get("description").and_then(Term::text) {
        Some(description) => rule["description"] = json!(description),
        None => {
            let name = resource.address.trim_start_matches("cloudflare_rate_limit.");
            rule["ref"] = json!(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        }
    }
    // A response is an answer to blocked requests only.
    if let Some(response) = action.object("response").filter(|_| word == "block") {
        let text = |name: &str| response.get(name).and_then(Term::text).unwrap_or_default();
        let (content, content_type) = (text("body"), text("content_type"));
        rule["action_parameters"] = json!({ "response": { "status_code": TOO_MANY_REQUESTS, "content": content, "content_type": content_type } });
    }
    Ok(rule)
}

/// The URLs that are exempt: `bypass_url_patterns` in version 4, `bypass` in version 5.
fn bypassed(values: &Term) -> Vec<String> {
    let of = |name: &str| values.get(name).map(Term::items).unwrap_or_default();
    let named = of("bypass").iter().filter_map(|entry| entry.get("value"));
    of("bypass_url_patterns").iter().chain(named).filter_map(Term::text).collect()
}

/// The headers of a response that counts, as conditions; whether one says that what comes from the cache does not.
fn headers(matched: Option<&Term>, response: Option<&Term>) -> Result<(Vec<String>, bool), String> {
    let (mut all, mut is_uncached) = (Vec::new(), false);
    let lists = [response, matched].into_iter().flatten().filter_map(|of| of.get("headers"));
    for header in lists.flat_map(Term::items) {
        let text = |name: &str| header.get(name).and_then(Term::text).unwrap_or_default();
        let (name, op, value) = (text("name").to_ascii_lowercase(), text("op"), text("value"));
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
            return Err(format!("its response header `{name}` cannot be compared in an expression"));
        }
        all.push(format!("{not}any(http.response.headers[\"{name}\"][*] eq \"{value}\")"));
    }
    Ok((all, is_uncached))
}

/// The members of an old rate limit, by the path of their block.
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

/// A member that is not one of an old rate limit: what it means is not known.
fn unknown_member(values: &Term) -> Option<String> {
    MEMBERS.iter().find_map(|(path, known)| {
        let block = path.iter().try_fold(values, |block, name| block.object(name))?;
        let Term::Map(members) = block else { return None };
        let member = members.iter().find(|(name, value)| !known.contains(&name.as_str()) && !value.is_empty())?;
        Some(path.iter().copied().chain([member.0.as_str()]).collect::<Vec<_>>().join("."))
    })
}

/// The conditions of a URL pattern: host and path, in any case, without a query.
fn conditions(pattern: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let (scheme, url) = pattern.split_once("://").map_or((None, pattern), |(scheme, url)| (Some(scheme), url));
    match scheme.map(str::to_ascii_lowercase).as_deref() {
        None | Some("*" | "http*") => {}
        Some("https") => all.push("ssl".to_owned()),
        Some("http") => all.push("not ssl".to_owned()),
        Some(_) => return Err(format!("its pattern `{pattern}` has another scheme than HTTP and HTTPS")),
    }
    let mut url = url.to_ascii_lowercase();
    // Two asterisks mean the same as one, and an expression may not have them.
    while url.contains("**") {
        url = url.replace("**", "*");
    }
    if url == "*" || url == "*/*" {
        return Ok(all);
    }
    let (host, path) = url.split_once('/').map_or((&*url, None), |(host, path)| (host, Some(path)));
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\\' | '?' | '#');
    if host.is_empty() || host.contains(':') || url.contains(is_odd) {
        return Err(format!("its pattern `{pattern}` is more than a host and a path"));
    }
    if host.contains('*') {
        // An asterisk stands for slashes, too. Without a path, only that of the home page is meant.
        let path = if path.is_none() && !url.ends_with('*') { "/" } else { "" };
        all.push(format!("{WHOLE_URL} wildcard \"{url}{path}\""));
        return Ok(all);
    }
    all.push(format!("http.host eq \"{host}\""));
    match path.unwrap_or_default() {
        "*" => {}
        path => all.push(format!("http.request.uri.path wildcard \"/{path}\"")),
    }
    Ok(all)
}

/// The number of a list that is nearest to one.
fn nearest(all: &[u32], one: u32) -> u32 {
    all.iter().copied().filter(|n| *n > 0).min_by_key(|n| n.abs_diff(one)).unwrap_or(one)
}
