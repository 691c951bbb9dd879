//! Features of rules that not every plan has.

use std::collections::BTreeSet;

use super::{BeyondPlan, ZoneTier};
use crate::Value;
use crate::expression::{Expression, Requirement};
use crate::facts::TIERS;
use crate::facts::certainty::Certainty;
use crate::facts::expressions::{ExpressionField, FIELDS, Needs};
use crate::facts::rate_limits::{
    RATE_COLO, RATE_IP, RATE_LONGEST_PERIOD, RATE_LONGEST_TIMEOUT, RATE_PERIODS, RATE_TIMEOUTS,
    RATE_VISITOR, field_certainty, lowest_plan_of_field,
};
use crate::facts::rule_features::{RuleFeature, response_bytes};
use crate::facts::rulesets::{BOT_FIGHT_PHASE, MANAGED_RULESETS, ManagedFacts};
use crate::ruleset::{Phase, RuleBody, counting_expression};

/// Something that a rule uses and that has a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleUse {
    /// A feature that not every plan has.
    Feature(RuleFeature),
    /// A managed ruleset.
    Ruleset(&'static ManagedFacts),
    /// Fields, functions and operators that not every plan has, and the key of their expression.
    Terms(Requirement, &'static str),
    /// A field of a rate limit that not every plan has there, and the key of its expression.
    RateField(String, &'static str),
    /// A time over which requests are counted, in seconds.
    Period(i64),
    /// A time for which a rate limit acts, in seconds.
    Timeout(i64),
    /// The length of a response of the rule's own, in bytes, and the maximum.
    Response(usize, usize),
    /// Counts only requests to the origin, and names a list of the account.
    ListToOrigin,
}

/// Returns what a rule of a phase uses that has a limit.
#[must_use]
pub fn rule_uses(phase: Phase, body: &RuleBody) -> Vec<RuleUse> {
    let mut uses = Vec::new();
    let ruleset = body.executes().and_then(|id| MANAGED_RULESETS.iter().find(|m| m.id == id));
    uses.extend(ruleset.map(RuleUse::Ruleset));
    if body.action() == "log" {
        uses.push(RuleUse::Feature(RuleFeature::LogAction));
    }
    if let Some(Value::Map(response)) = body.parameter("response") {
        uses.push(RuleUse::Feature(RuleFeature::CustomResponse));
        if let Some(Value::Text(content)) = response.get("content") {
            uses.push(RuleUse::Response(content.len(), response_bytes(phase.as_str())));
        }
    }
    if texts_of_list(body.parameter("phases")).any(|phase| phase == BOT_FIGHT_PHASE) {
        uses.push(RuleUse::Feature(RuleFeature::SkipOfBotFightMode));
    }
    add_rate_uses(body, &mut uses);
    let counting = body.rate_limit().and_then(counting_expression);
    let expressions = [(body.text("expression"), "when"), (counting, "count")];
    for (text, key) in expressions.into_iter().filter_map(|(text, key)| Some((text?, key))) {
        let expression = Expression::reported(text);
        uses.extend(expression.requirement().map(|needed| RuleUse::Terms(needed, key)));
        if phase == Phase::RateLimit {
            let fields = expression.fields().into_iter().filter(|field| is_limited_in_rates(field));
            uses.extend(fields.map(|field| RuleUse::RateField(field, key)));
        }
    }
    uses
}

/// Returns true if every plan has a field, but not every plan has it in rate limits.
fn is_limited_in_rates(name: &str) -> bool {
    let is_everywhere =
        |field: &&ExpressionField| field.name == name && field.needs == Needs::Nothing;
    FIELDS.iter().any(|field| is_everywhere(&field)) && lowest_plan_of_field(name) > 0
}

/// Adds what the rate limit of a rule uses.
fn add_rate_uses(body: &RuleBody, uses: &mut Vec<RuleUse>) {
    let Some(rate) = body.rate_limit() else { return };
    let seconds = |member: &str| match rate.get(member) {
        Some(Value::Integer(seconds)) => Some(*seconds),
        _ => None,
    };
    let characteristics: BTreeSet<&str> = texts_of_list(rate.get("characteristics")).collect();
    let timeout = seconds("mitigation_timeout").unwrap_or(0);
    let is_challenge = matches!(body.action(), "challenge" | "js_challenge" | "managed_challenge");
    let counting = counting_expression(rate);
    let features = [
        (characteristics.contains(RATE_VISITOR), RuleFeature::VisitorCharacteristic),
        (
            characteristics.iter().any(|name| ![RATE_COLO, RATE_IP, RATE_VISITOR].contains(name)),
            RuleFeature::OtherCharacteristic,
        ),
        (counting.is_some(), RuleFeature::CountingExpression),
        (rate.contains_key("score_per_period"), RuleFeature::CountingScores),
        (body.action() == "block" && timeout == 0, RuleFeature::BlockAboveRate),
        (is_challenge && timeout > 0, RuleFeature::ChallengeDuration),
    ];
    let used = features.into_iter().filter(|(is_used, _)| *is_used);
    uses.extend(used.map(|(_, feature)| RuleUse::Feature(feature)));
    uses.extend(seconds("period").map(RuleUse::Period));
    if !is_challenge {
        uses.push(RuleUse::Timeout(timeout));
    }
    let names_list = |text: &str| Expression::reported(text).names_account_list();
    if rate.get("requests_to_origin") == Some(&Value::Bool(true))
        && body.text("expression").into_iter().chain(counting).any(names_list)
    {
        uses.push(RuleUse::ListToOrigin);
    }
}

/// Returns the texts of a list.
fn texts_of_list(list: Option<&Value>) -> impl Iterator<Item = &str> {
    let items = match list {
        Some(Value::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| match item {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

impl RuleUse {
    /// Returns why a plan does not allow it. Anything that the zone's live rules use is allowed.
    #[must_use]
    pub fn beyond(&self, zone: ZoneTier, live: &[Self]) -> Option<BeyondPlan> {
        let (rank, plan) = (zone.tier.rank(), zone.tier.facts().name);
        let beyond = |key, certainty, detail, help: &str| {
            let is_certain = zone.is_certain(certainty);
            Some(BeyondPlan { key, detail, help: help.to_owned(), is_certain })
        };
        let at_limit = |key, detail, help: &str| {
            Some(BeyondPlan { key, detail, help: help.to_owned(), is_certain: true })
        };
        match self {
            _ if live.contains(self) => None,
            Self::Feature(feature) if feature.facts().lowest_plan > rank => {
                let facts = feature.facts();
                let detail = format!("{} is not part of the {plan} plan", facts.about);
                beyond(facts.key, facts.certainty, detail, facts.instead)
            }
            Self::Ruleset(facts) if facts.lowest_plan > rank => {
                let detail = format!("{} is not part of the {plan} plan", facts.name);
                let help = "move the zone to a plan that has it, or remove the section";
                beyond(facts.key, Certainty::FreePlanOnly, detail, help)
            }
            Self::Terms(requirement, key) if requirement.needs.rank() > rank => {
                let is_live = |term: &&String| {
                    live.iter()
                        .any(|used| matches!(used, Self::Terms(r, _) if r.by.contains(*term)))
                };
                let terms: Vec<String> = requirement
                    .by
                    .iter()
                    .filter(|term| !is_live(term))
                    .map(|term| format!("`{term}`"))
                    .collect();
                let verb = match terms.len() {
                    0 => return None,
                    1 => "needs",
                    _ => "need",
                };
                let detail = format!(
                    "{} {verb} {}; the zone is on the {plan} plan",
                    terms.join(", "),
                    requirement.plan()
                );
                let help =
                    "write the expression without it, or move the zone to a plan that has it";
                beyond(key, Certainty::FreePlanOnly, detail, help)
            }
            Self::RateField(name, key) if lowest_plan_of_field(name) > rank => {
                let lowest = TIERS[lowest_plan_of_field(name)].name;
                let detail = format!(
                    "`{name}` in a rate limit needs the {lowest} plan{}; the zone is on the {plan} \
                     plan",
                    if lowest_plan_of_field(name) + 1 < TIERS.len() { " or above" } else { "" }
                );
                let help =
                    "write the expression without it, or move the zone to a plan that has it";
                beyond(key, field_certainty(name), detail, help)
            }
            Self::Period(period) => {
                let of_live = live.iter().filter_map(|used| match used {
                    Self::Period(seconds) => Some(*seconds),
                    _ => None,
                });
                let longest = of_live.fold(i64::from(RATE_LONGEST_PERIOD[rank]), i64::max);
                if *period <= longest {
                    return None;
                }
                let detail = format!(
                    "a rate limit over {period} s; the {plan} plan counts over at most {longest} s"
                );
                let help = format!("count over {longest} s or less");
                // Two statements about the longest period of the enterprise plan differ.
                let is_enterprise = rank + 1 == TIERS.len();
                let certainty = if is_enterprise { Certainty::Assumed } else { Certainty::Certain };
                beyond("limit", certainty, detail, &help)
            }
            Self::Timeout(timeout) => {
                let of_live = live.iter().filter_map(|used| match used {
                    Self::Timeout(seconds) => Some(*seconds),
                    _ => None,
                });
                let longest = of_live.fold(i64::from(RATE_LONGEST_TIMEOUT[rank]), i64::max);
                if *timeout > longest {
                    let detail = format!(
                        "a rate limit acts for {timeout} s; the {plan} plan has at most {longest} s"
                    );
                    let help = format!("let it act for {longest} s or less");
                    return beyond("then", Certainty::Certain, detail, &help);
                }
                let is_listed =
                    |list: &[u32]| list.iter().any(|seconds| i64::from(*seconds) == *timeout);
                if rank + 1 == TIERS.len() || is_listed(RATE_TIMEOUTS) {
                    return None;
                }
                let detail = format!(
                    "a rate limit acts for {timeout} s; only the enterprise plan has other durations \
                     than {} s",
                    join_numbers(RATE_TIMEOUTS)
                );
                // Two statements about the durations of the other plans differ.
                let certainty =
                    if is_listed(RATE_PERIODS) { Certainty::Assumed } else { Certainty::Certain };
                beyond("then", certainty, detail, "write one of these durations")
            }
            Self::Response(length, most) if length > most => {
                let detail =
                    format!("the response has {length} bytes; Cloudflare allows {most} here");
                at_limit("response", detail, "shorten `content`, or let it refer to a page")
            }
            Self::ListToOrigin => {
                let detail = "a rate limit whose expression names a list of the account cannot \
                              count only the requests to the origin";
                let help = "remove `to_origin`, or write the values of the list";
                at_limit("to_origin", detail.to_owned(), help)
            }
            Self::Feature(_)
            | Self::Ruleset(_)
            | Self::Terms(..)
            | Self::RateField(..)
            | Self::Response(..) => None,
        }
    }
}

/// Returns numbers as text, separated by commas.
fn join_numbers(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns why a plan does not allow a number of rules in a phase.
#[must_use]
pub fn rule_count(phase: Phase, count: usize, zone: ZoneTier) -> Option<BeyondPlan> {
    let rule_limit = phase.facts().most_rules?[zone.tier.rank()];
    (count > rule_limit).then(|| BeyondPlan {
        key: phase.key(),
        detail: format!(
            "there would be {count} {}; the {} plan usually has {rule_limit}",
            phase.about(),
            zone.tier.facts().name
        ),
        help: "remove rules, or join them with `or`".to_owned(),
        is_certain: zone.is_certain(Certainty::FreePlanOnly),
    })
}
