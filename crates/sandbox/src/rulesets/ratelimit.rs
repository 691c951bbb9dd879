//! The `ratelimit` object of rate limiting rules.
//!
//! # Sources
//! Members and values:
//! developers.cloudflare.com/waf/rate-limiting-rules/parameters and the page of the product, read
//! 2026-11-20. Code 20155 and the texts about the period and the timeout of free zones: observed
//! 2025; the evidence for their code 50002 is weak. ASSUMED: texts and codes of all other refusals;
//! `requests_to_origin` is returned as sent, and absent if it was not sent.

use serde_json::{Map, Value};

use super::author::{Author, Problems};
use super::{expression, members};
use crate::envelope::{HandlerResult, Problem};
use zonewright_model::facts::rate_limits::{
    LONGEST_TIMEOUT, RATE_COLO, RATE_IP, RATE_LONGEST_PERIOD, RATE_LONGEST_TIMEOUT, RATE_PERIODS,
    RATE_TIMEOUTS, RATE_VISITOR,
};
use zonewright_model::facts::rule_features::RuleFeature;
use zonewright_model::facts::rulesets::RATE_LIMIT_PHASE;

/// The members.
const MEMBERS: &[&str] = &[
    "characteristics",
    "period",
    "requests_per_period",
    "mitigation_timeout",
    "counting_expression",
    "requests_to_origin",
    "score_per_period",
    "score_response_header_name",
];

/// Checks the object of the rule at `prefix` of the body; returns its stored form.
///
/// # Sources
/// A list of the account excludes `requests_to_origin`: the page of the parameters, "Configuration
/// restrictions", read 2026-11-27. A response has `mitigation_timeout` 0 if none was sent: acceptance tests of Cloudflare's
/// Terraform provider 5, read 2026-11-23.
pub(super) fn check_ratelimit(
    author: &Author<'_>,
    (action, text): (&str, &str),
    sent: Option<&Map<String, Value>>,
    prefix: &str,
    problems: &mut Problems,
) -> HandlerResult<Option<Map<String, Value>>> {
    let limits_rates = author.phase == RATE_LIMIT_PHASE;
    let Some(sent) = sent else {
        if limits_rates && action != "execute" {
            problems.say("ratelimit is required in a ruleset with phase http_ratelimit");
        }
        return Ok(None);
    };
    if !limits_rates {
        problems.say(format!("ratelimit is not possible in a ruleset with phase {}", author.phase));
        return Ok(None);
    }
    members::check_known(sent, MEMBERS)?;
    check_characteristics(
        author,
        &members::optional_texts(sent, "characteristics")?.unwrap_or_default(),
        problems,
    );
    check_period(author, members::optional_number(sent, "period")?.unwrap_or(0), problems);
    let timeout = members::optional_number(sent, "mitigation_timeout")?.unwrap_or(0);
    check_timeout(author, action, timeout, problems);
    check_amounts(author, sent, problems)?;
    if let Some(counting) =
        members::optional_text(sent, "counting_expression")?.filter(|text| !text.is_empty())
    {
        if !author.scope.has(RuleFeature::CountingExpression) {
            problems.add(Problem::new(50002, "not entitled to use a counting expression"));
        }
        expression::check_counting(
            author,
            counting,
            &format!("{prefix}/ratelimit/counting_expression"),
            problems,
        );
    }
    if members::truth(sent, "requests_to_origin")? == Some(true) {
        let counting = members::optional_text(sent, "counting_expression")?.unwrap_or_default();
        if [text, counting].into_iter().any(expression::names_account_list) {
            problems.say("requests_to_origin is not possible with a list in the expression");
        }
    }
    let mut stored = sent.clone();
    stored.insert("mitigation_timeout".to_owned(), timeout.into());
    Ok(Some(stored))
}

/// Checks the characteristics that requests are counted by.
fn check_characteristics(author: &Author<'_>, sent: &[&str], problems: &mut Problems) {
    if !sent.contains(&RATE_COLO) {
        let text = "characteristics field is missing 'cf.colo.id', this is required as ratelimiting counting is processed \
             at colocation level only";
        problems.add(Problem::new(20155, text));
    }
    if sent.contains(&RATE_IP) && sent.contains(&RATE_VISITOR) {
        problems.say("characteristics cannot have both ip.src and cf.unique_visitor_id");
    }
    for (n, characteristic) in sent.iter().enumerate() {
        if sent[..n].contains(characteristic) {
            problems.say(format!("characteristic '{characteristic}' is there more than once"));
        }
        let feature = match *characteristic {
            RATE_COLO | RATE_IP => None,
            RATE_VISITOR => Some(RuleFeature::VisitorCharacteristic),
            _ => Some(RuleFeature::OtherCharacteristic),
        };
        if feature.is_some_and(|feature| !author.scope.has(feature)) {
            problems.add(Problem::new(
                50002,
                format!("not entitled to use the characteristic {characteristic}"),
            ));
        }
    }
}

/// Checks the period in which requests are counted, in seconds.
fn check_period(author: &Author<'_>, period: i64, problems: &mut Problems) {
    let longest = RATE_LONGEST_PERIOD[author.scope.plan()];
    let is_known = RATE_PERIODS.iter().any(|known| i64::from(*known) == period);
    if !is_known {
        problems.say(format!("'{period}' is not a valid value for period"));
    } else if period > i64::from(longest) {
        let allowed: Vec<_> =
            RATE_PERIODS.iter().filter(|p| **p <= longest).map(u32::to_string).collect();
        let allowed = allowed.join(" ");
        let text = format!(
            "not entitled to use the period {period}, can only use a period among [{allowed}]"
        );
        problems.add(Problem::new(50002, text));
    }
}

/// The position of the enterprise plan.
const ENTERPRISE: usize = 3;

/// Checks the duration of the action, in seconds.
///
/// # Sources
/// Other durations than the listed ones: the page about availability, "Enterprise customers can
/// specify a custom mitigation timeout period via API", read 2026-11-27. ASSUMED: any second up to a
/// day; the other plans have the durations of the page about parameters.
fn check_timeout(author: &Author<'_>, action: &str, timeout: i64, problems: &mut Problems) {
    let plan = author.scope.plan();
    let is_challenge = matches!(action, "challenge" | "js_challenge" | "managed_challenge");
    let is_known = match plan {
        ENTERPRISE => (0..=i64::from(LONGEST_TIMEOUT)).contains(&timeout),
        _ => RATE_TIMEOUTS.iter().any(|known| i64::from(*known) == timeout),
    };
    if !is_known {
        problems.say(format!("'{timeout}' is not a valid value for mitigation_timeout"));
    } else if is_challenge && !author.scope.has(RuleFeature::ChallengeDuration) {
        // A solved challenge is valid for the time of the zone's setting.
        if timeout != 0 {
            problems.say(format!("mitigation_timeout must be 0 for the {action} action"));
        }
    } else if plan == 0 && timeout != 10 {
        problems
            .add(Problem::new(50002, "not entitled to use a mitigation timeout different from 10"));
    } else if timeout > i64::from(RATE_LONGEST_TIMEOUT[plan]) {
        let text = format!("not entitled to use the mitigation timeout {timeout}");
        problems.add(Problem::new(50002, text));
    } else if action == "block" && timeout == 0 && !author.scope.has(RuleFeature::BlockAboveRate) {
        problems.add(Problem::new(50002, "not entitled to use the mitigation timeout 0"));
    }
}

/// Checks the limits on requests and scores.
fn check_amounts(
    author: &Author<'_>,
    sent: &Map<String, Value>,
    problems: &mut Problems,
) -> HandlerResult<()> {
    let requests = members::optional_number(sent, "requests_per_period")?;
    let score = members::optional_number(sent, "score_per_period")?;
    members::optional_text(sent, "score_response_header_name")?;
    match (requests, score) {
        (Some(requests), None) if requests < 1 => {
            problems.say(format!("'{requests}' is not a valid value for requests_per_period"));
        }
        (Some(_), None) => {}
        (None, Some(_)) if author.scope.has(RuleFeature::CountingScores) => {}
        (None, Some(_)) => {
            problems.add(Problem::new(50002, "not entitled to use score_per_period"))
        }
        (None, None) => problems.say("requests_per_period is required"),
        (Some(_), Some(_)) => {
            problems.say("requests_per_period and score_per_period cannot be combined")
        }
    }
    Ok(())
}
