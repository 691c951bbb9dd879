//! Decides if a rate limit may stop ordinary visitors: one visitor's pages are more requests than
//! it allows, it falls far, or it no longer distinguishes clients.
//!
//! # Sources
//! A page makes about 70 requests: the median is 71 on desktops and 66 on phones (HTTP Archive, Web
//! Almanac 2024, chapter "Page Weight", read 2026-11).
//!
//! The other numbers are estimates, chosen so that the limits that Cloudflare recommends raise
//! nothing: 4 requests in a minute, 10 in ten minutes for a login
//! (developers.cloudflare.com/waf/rate-limiting-rules/best-practices, read 2026-11). A limit for
//! one path needs 3: open a form, send it, and try once more. One for a method alone needs 10, and
//! one more every 6 seconds: scripts of all pages send with it. A limit that falls to a tenth or
//! less of what it was is taken for one that lost a digit. Two requests a second are a page of 70
//! every 35 seconds, and half a request a second beside 20 for a page are the same where a cache
//! answers the rest. A hundred visitors with one counter is what a small site has in a minute; a
//! rule that counts everyone together is nearly always a mistake, so the number is not critical.

use std::collections::BTreeMap;

use super::action_strength::{Strength, fate, strength};
use super::rate_limit::{counted_by, number};
use super::rule_scope;
use crate::diagnostic::count;
use crate::model::Value;
use crate::model::expression::{Bound, Expression};
use crate::model::ruleset::{RuleBody, canonical_rate_limit, counting_expression};

/// Number of requests of a page.
const PAGE: i64 = 70;
/// Further requests of one visitor per second.
const PER_SECOND: i64 = 2;
/// Number of requests of a page that are not answered from the cache.
const PAGE_AT_ORIGIN: i64 = 20;
/// Number of visitors that are counted together if the limit does not distinguish them.
const TOGETHER: i64 = 100;
/// Number of requests for opening a form, sending it, and trying once more.
const FORM: i64 = 3;
/// Requests that change something, which one visitor makes while using a site: this number, and one
/// more for each period of [`SECONDS_FOR_A_WRITE`].
const WRITES: i64 = 10;
/// See [`WRITES`].
///
/// # Units
/// Seconds.
const SECONDS_FOR_A_WRITE: i64 = 6;
/// Factor of a decrease that is more likely a lost digit than intended.
const FAR: i128 = 10;
/// The sentence about such a decrease.
const FALLS_FAR: &str = "the limit is a tenth or less of what it was";
/// Bounds that exclude the pages that visitors open. A whole host is not such a bound.
const APART: &[Bound] = &[Bound::Path, Bound::Method, Bound::Client, Bound::Content];
/// Bounds that restrict a rate limit to some pages. A method alone is that of every form, and of
/// every script that sends something.
const PAGES: &[Bound] = &[Bound::Path, Bound::Client, Bound::Content];
/// Characteristics that many visitors share.
const SHARED: &[&str] = &[
    "http.host",
    "http.request.uri.path",
    "ip.src.asnum",
    "ip.geoip.asnum",
    "ip.src.country",
    "ip.geoip.country",
    "cf.bot_management.ja3_hash",
    "cf.bot_management.ja4",
];

/// Returns the reason why a limit that is a tenth or less of its previous value may stop clients
/// that stayed below it.
pub(super) fn falls_far(before: &RuleBody, after: &RuleBody) -> Option<String> {
    let limit = |rate: &BTreeMap<String, Value>| {
        Some((
            i128::from(number(rate, "requests_per_period")?),
            i128::from(number(rate, "period")?),
        ))
    };
    let (then, now) = (canonical_rate_limit(before)?, canonical_rate_limit(after)?);
    let ((requests, period), (requests_after, period_after)) = (limit(&then)?, limit(&now)?);
    let acts =
        |rule: &RuleBody| rule.is_enabled() && strength(rule.action()) >= Some(Strength::Challenge);
    let falls = requests_after * FAR * period <= requests * period_after;
    (acts(before) && acts(after) && falls && !rule_scope::expression(after).names(&[Bound::Client]))
        .then(|| format!("{FALLS_FAR}: those who stayed below it {}", fate(after.action())))
}

/// Returns the reason why a limit for each client that becomes one for all clients together may
/// stop them: any of them can use it up.
pub(super) fn becomes_shared(before: &RuleBody, after: &RuleBody) -> Option<String> {
    let (then, now) = (canonical_rate_limit(before)?, canonical_rate_limit(after)?);
    let acts =
        |rule: &RuleBody| rule.is_enabled() && strength(rule.action()) >= Some(Strength::Challenge);
    let together = |rate: &BTreeMap<String, Value>| {
        counted_by(rate).iter().all(|name| SHARED.contains(&name.as_str()))
    };
    let is_shared_now = acts(after) && !together(&then) && together(&now);
    let allowed =
        |rate: &BTreeMap<String, Value>| Some(i128::from(number(rate, "requests_per_period")?));
    let grows = allowed(&now)? >= allowed(&then)?.saturating_mul(i128::from(TOGETHER));
    (is_shared_now && !grows && !rule_scope::expression(after).names(&[Bound::Client])).then(|| {
        format!(
            "clients are no longer counted apart: one of them can use up the limit, and then all {}",
            fate(after.action())
        )
    })
}

/// Returns the reason why a rate limit of the requests that an expression matches may stop ordinary
/// visitors: they make more requests than it allows.
pub(super) fn too_low(
    rate: &BTreeMap<String, Value>,
    expression: &Expression,
    action: &str,
) -> Option<String> {
    let allowed = number(rate, "requests_per_period")?;
    let usual = usual(rate, expression)?;
    (allowed < usual).then(|| {
        let period = number(rate, "period").unwrap_or_default();
        let usual = count(usual, "request");
        format!(
            "ordinary visitors make about {usual} in {period} s, more than {allowed}, and {}",
            fate(action)
        )
    })
}

/// Returns the number of counted requests of an ordinary visitor in a period; `None` if there are
/// none.
fn usual(rate: &BTreeMap<String, Value>, expression: &Expression) -> Option<i64> {
    let counting = counting_expression(rate).map(Expression::reported);
    let period = number(rate, "period")?;
    let counted = counting.as_ref().unwrap_or(expression);
    let by = counted_by(rate);
    let together = by.iter().all(|name| SHARED.contains(&name.as_str()));
    let visitors = if together { TOGETHER } else { 1 };
    if counted.names(&[Bound::Client, Bound::Content])
        || expression.names(&[Bound::Client])
        || is_for_programs(expression)
    {
        return None;
    }
    if counted.names(APART) || expression.names(APART) {
        let names_pages = counted.names(PAGES) || expression.names(PAGES);
        let per_visitor =
            if names_pages { FORM } else { WRITES.saturating_add(period / SECONDS_FOR_A_WRITE) };
        return Some(per_visitor.saturating_mul(visitors));
    }
    let at_origin = rate.get("requests_to_origin") == Some(&Value::Bool(true));
    let per_visitor = match at_origin {
        true => PAGE_AT_ORIGIN.saturating_add(period / 2),
        false => PAGE.saturating_add(period.saturating_mul(PER_SECOND)),
    };
    Some(per_visitor.saturating_mul(visitors))
}

/// Returns true if a rule is about hosts whose names say that programs, not browsers, use them.
fn is_for_programs(expression: &Expression) -> bool {
    const WORDS: &[&str] = &["api", "graphql", "grpc", "rpc", "hooks", "webhook", "webhooks"];
    let is_program = |host: &String| {
        let label = host.split('.').next().unwrap_or_default();
        label
            .split(['-', '_'])
            .any(|word| WORDS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
    };
    expression.hosts().is_some_and(|hosts| !hosts.is_empty() && hosts.iter().all(is_program))
}
