//! The verdict on a request: rule by rule, as Cloudflare documents it.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/actions, read 2026-11-22: block and
//! challenges end the evaluation; log does not; skip leaves out the rules that it names.
//! developers.cloudflare.com/waf/rate-limiting-rules/request-rate, read 2026-11-22: a rule acts on
//! requests above the rate. Assumed: the request that reaches the limit itself still passes.

use std::collections::BTreeSet;

use bumpalo::Bump;

use super::anomaly_score::{Hit, Hits, Scored, Scoring};
use super::protection::{
    Bypass, Limit, Protection, ProtectionEffect, ProtectionRule, why_not_evaluated,
};
use super::request_rates::{Counting, Pace, counting_key};
use super::rule_action::{Act, RuleAt};
use crate::model::expression::Sample;
use crate::model::request::{Outcome, Rate, Request};
use crate::model::ruleset::Phase;

/// Maximum number of unknown conditions for which both results are evaluated.
const MOST_FORKS: u32 = 64;

/// A step of the evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationStep {
    pub rule: RuleAt,
    /// Describes its action, with "may" if the action depends on unknown conditions.
    pub what: String,
}

/// The outcome of a request, with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestVerdict {
    pub outcome: Outcome,
    /// The rule that acts.
    pub by: Option<RuleAt>,
    /// The rules that match or may match, in their order.
    pub trace: Vec<EvaluationStep>,
    /// The conditions of an unknown outcome.
    pub depends_on: BTreeSet<String>,
    /// Parts that were not evaluated.
    pub not_evaluated: BTreeSet<String>,
    /// The anomaly score, if the OWASP ruleset ran on the request.
    pub score: Option<Scored>,
}

/// The state of the evaluation before a rule.
#[derive(Debug, Clone, Default)]
struct EvaluationState {
    /// Phases that the request bypasses, completely or from here on.
    phases: Vec<Phase>,
    /// Rulesets that the request bypasses.
    rulesets: Vec<String>,
    /// Single rules that the request bypasses, by id, with the exception.
    rules: Vec<(String, RuleAt)>,
    /// True if an unknown condition decides if the request reaches this rule.
    is_possible: bool,
    trace: Vec<EvaluationStep>,
    not_evaluated: BTreeSet<String>,
    score: Option<Scored>,
}

/// The evaluation of one request.
struct Walk<'w, 'c> {
    protection: &'w Protection,
    sample: &'w Sample<'w>,
    /// The rate of the request.
    pace: Pace<'c>,
    /// Limits that already counted the request, with the results. The request is counted once,
    /// although several branches are evaluated.
    counted: Vec<(usize, Result<bool, Vec<String>>)>,
    /// The matches of the public OWASP rules, if the rules were run.
    hits: Option<&'w Hits>,
}

impl Protection {
    /// Returns the verdict on the last of several equal requests. Without `hits`, the OWASP ruleset
    /// is not evaluated.
    #[must_use]
    pub fn verdict(&self, request: &Request, rate: Rate, hits: Option<&Hits>) -> RequestVerdict {
        self.verdict_at(request, Pace::Stated(rate), hits, &Bump::new())
    }

    /// Returns the verdict on a request with a rate. Values of fields are allocated in the arena,
    /// which its owner may reset.
    #[must_use]
    pub fn verdict_at(
        &self,
        request: &Request,
        pace: Pace<'_>,
        hits: Option<&Hits>,
        arena: &Bump,
    ) -> RequestVerdict {
        let mut sample = request.sample(arena);
        sample.set_lists(&self.lists);
        let mut walk = Walk { protection: self, sample: &sample, pace, counted: Vec::new(), hits };
        let state = EvaluationState {
            not_evaluated: self.unread.iter().cloned().collect(),
            ..EvaluationState::default()
        };
        walk.from(0, state, &mut { MOST_FORKS })
    }
}

impl Walk<'_, '_> {
    /// Returns the verdict from a rule on.
    fn from(
        &mut self,
        first: usize,
        mut state: EvaluationState,
        forks: &mut u32,
    ) -> RequestVerdict {
        let protection = self.protection;
        for (n, rule) in protection.rules.iter().enumerate().skip(first) {
            if state.phases.contains(&rule.phase) {
                continue;
            }
            if matches!(rule.effect, ProtectionEffect::Log) {
                let what = match rule.when.matches(self.sample) {
                    Ok(true) if !state.is_possible => "only logs it",
                    Ok(true) | Err(_) => "may log it",
                    Ok(false) => continue,
                };
                state.trace.push(EvaluationStep { rule: RuleAt::of(rule), what: what.to_owned() });
                continue;
            }
            if rule
                .effect
                .executes()
                .is_some_and(|id| state.rulesets.iter().any(|bypassed| bypassed == id))
            {
                continue;
            }
            let matches = rule.when.matches(self.sample);
            let score = match (&rule.effect, self.hits) {
                (ProtectionEffect::Score(scoring), Some(hits)) if matches != Ok(false) => {
                    let score = scoring.score(RuleAt::of(rule), hits, &state.rules);
                    state.score = Some(score.clone());
                    Some(score)
                }
                _ => None,
            };
            let applies = self.applies(n, rule, &matches, score.as_ref());
            let why = match (matches, applies) {
                (Ok(false), _) | (Err(_), Ok(false)) => continue,
                (Ok(true), Ok(false)) => {
                    if let (ProtectionEffect::Score(scoring), Some(score)) = (&rule.effect, &score)
                    {
                        state.trace.push(EvaluationStep {
                            rule: RuleAt::of(rule),
                            what: score_in_words(scoring, score),
                        });
                    }
                    continue;
                }
                (Ok(true), Ok(true)) => match self.apply(rule, &mut state) {
                    Some(outcome) => return state.ended(outcome, Some(rule)),
                    None => continue,
                },
                (Ok(true), Err(why)) | (Err(why), Ok(true)) => why,
                (Err(why), Err(more)) => why.into_iter().chain(more).collect(),
            };
            if *forks == 0 {
                return state.unknown(why);
            }
            *forks -= 1;
            let shared = state.trace.len();
            state.is_possible = true;
            let mut matched = state.clone();
            let yes = match self.apply(rule, &mut matched) {
                Some(outcome) => matched.ended(outcome, Some(rule)),
                None => self.from(n + 1, matched, forks),
            };
            return yes.or(self.from(n + 1, state, forks), why, shared);
        }
        state.ended(Outcome::Pass, None)
    }

    /// Returns true if a rule applies when its expression matches: a limit only above its rate, a
    /// score only from its threshold on.
    fn applies(
        &mut self,
        n: usize,
        rule: &ProtectionRule,
        matches: &Result<bool, Vec<String>>,
        score: Option<&Scored>,
    ) -> Result<bool, Vec<String>> {
        match (&rule.effect, score) {
            (ProtectionEffect::Limit(limit, _), _) => self.is_above(n, limit, matches),
            (ProtectionEffect::Score(scoring), Some(score)) if scoring.act().is_some() => {
                score.acts().ok_or_else(|| {
                    let rule = |hit: Hit| {
                        format!(
                            "rule {}, whose pattern takes too many steps on this request",
                            hit.rule
                        )
                    };
                    score.open().map(rule).collect()
                })
            }
            (
                ProtectionEffect::Log
                | ProtectionEffect::Act(_)
                | ProtectionEffect::Skip(_)
                | ProtectionEffect::Execute(..)
                | ProtectionEffect::Score(_)
                | ProtectionEffect::Unknown(_),
                _,
            ) => Ok(true),
        }
    }

    /// Returns true if the request is above a limit. Requests that the rule does not match may
    /// count as well.
    fn is_above(
        &mut self,
        n: usize,
        limit: &Limit,
        matches: &Result<bool, Vec<String>>,
    ) -> Result<bool, Vec<String>> {
        let of_counting = limit.counted.as_ref().map(|counted| counted.matches(self.sample));
        let is_above = match &mut self.pace {
            Pace::Unknown if *matches == Ok(false) => Ok(false),
            Pace::Unknown => Err(vec!["how often the request is made".to_owned()]),
            Pace::Stated(Rate { times, seconds }) => {
                // The requests are evenly distributed, so a proportional number of them is in one
                // period.
                let within = if *seconds <= limit.period {
                    *times
                } else {
                    (*times * limit.period).div_ceil(*seconds)
                };
                if within <= limit.requests { Ok(false) } else { of_counting.unwrap_or(Ok(true)) }
            }
            Pace::At(now, counters) => match self.counted.iter().find(|(rule, _)| *rule == n) {
                Some((_, result)) => result.clone(),
                None => {
                    let counts = of_counting.as_ref().unwrap_or(matches).as_ref().ok().copied();
                    let result = match counting_key(&limit.characteristics, self.sample) {
                        Ok(key) => {
                            let Limit { requests: most, period, timeout, .. } = *limit;
                            let counting = Counting { rule: n, key, most, period, timeout, counts };
                            counters.count(*now, counting).map_err(|why| vec![why])
                        }
                        Err(_) if counts == Some(false) => Ok(false),
                        Err(name) => Err(vec![name]),
                    };
                    self.counted.push((n, result.clone()));
                    result
                }
            },
        };
        match is_above {
            Ok(true) if limit.is_of_origin => {
                Err(vec!["which requests the cache answers".to_owned()])
            }
            other => other,
        }
    }

    /// Applies a matching rule. Returns the outcome if the rule ends the evaluation.
    fn apply(&self, rule: &ProtectionRule, state: &mut EvaluationState) -> Option<Outcome> {
        let may = state.is_possible;
        let what = match &rule.effect {
            ProtectionEffect::Log => return None,
            ProtectionEffect::Act(Act::Block) => {
                if may { "may block" } else { "blocks" }.to_owned()
            }
            ProtectionEffect::Act(Act::Challenge) => {
                if may { "may challenge" } else { "challenges" }.to_owned()
            }
            ProtectionEffect::Limit(limit, _) => {
                let acts = if may { "may act" } else { "acts" };
                format!("{acts} above {} in {} s", limit.requests, limit.period)
            }
            ProtectionEffect::Skip(bypass) => {
                state.bypass(rule, bypass);
                if may { "may let it bypass other rules" } else { "lets it bypass other rules" }
                    .to_owned()
            }
            ProtectionEffect::Execute(id, name) => {
                state.not_evaluated.insert(why_not_evaluated(id, name));
                format!("{} {name}, which is not evaluated", if may { "may run" } else { "runs" })
            }
            ProtectionEffect::Score(scoring) => match (self.hits, &state.score) {
                (Some(_), Some(score)) => score_in_words(scoring, score),
                _ => {
                    state.not_evaluated.insert(why_not_evaluated(&scoring.id, &scoring.name));
                    format!(
                        "{} {}, which is not evaluated",
                        if may { "may run" } else { "runs" },
                        scoring.name
                    )
                }
            },
            ProtectionEffect::Unknown(what) => format!("has an unknown effect: {what}"),
        };
        state.trace.push(EvaluationStep { rule: RuleAt::of(rule), what });
        let outcome = |act: Act| match act {
            Act::Block => Outcome::Block,
            Act::Challenge => Outcome::Challenge,
        };
        match &rule.effect {
            ProtectionEffect::Act(act) | ProtectionEffect::Limit(_, act) => Some(outcome(*act)),
            ProtectionEffect::Score(scoring) => self.hits.and_then(|_| scoring.act()).map(outcome),
            ProtectionEffect::Unknown(_) => Some(Outcome::Unknown),
            ProtectionEffect::Log | ProtectionEffect::Skip(_) | ProtectionEffect::Execute(..) => {
                None
            }
        }
    }
}

/// Describes the action of the OWASP ruleset at a score.
fn score_in_words(scoring: &Scoring, score: &Scored) -> String {
    let Scored { total, threshold, action, .. } = score;
    match (scoring.act(), score.acts()) {
        (Some(_), Some(true)) => format!("scores {total}, and acts from {threshold} on: {action}"),
        (Some(_), Some(false)) => format!("scores {total}, and does nothing below {threshold}"),
        (Some(_), None) => {
            format!("scores at least {total}, and may act from {threshold} on: {action}")
        }
        (None, _) => format!("scores {total}, and only logs"),
    }
}

impl ProtectionEffect {
    /// Returns the managed ruleset that a rule executes.
    fn executes(&self) -> Option<&str> {
        match self {
            Self::Execute(id, _) => Some(id),
            Self::Score(scoring) => Some(&scoring.id),
            Self::Log | Self::Act(_) | Self::Skip(_) | Self::Limit(..) | Self::Unknown(_) => None,
        }
    }
}

impl EvaluationState {
    /// Adds the rules that a skip rule names to the bypassed ones.
    fn bypass(&mut self, by: &ProtectionRule, bypass: &Bypass) {
        self.phases.extend(bypass.rest.then_some(by.phase));
        self.rules.extend(bypass.rules.iter().map(|id| (id.clone(), RuleAt::of(by))));
        self.phases.extend(&bypass.phases);
        self.rulesets.extend(bypass.rulesets.iter().cloned());
        self.not_evaluated.extend(
            bypass.unknown.iter().map(|name| format!("the parameter `{name}` of a skip rule")),
        );
    }

    /// Ends the evaluation with a verdict.
    fn ended(self, outcome: Outcome, by: Option<&ProtectionRule>) -> RequestVerdict {
        let depends_on = match (outcome, by.map(|rule| &rule.effect)) {
            (Outcome::Unknown, Some(ProtectionEffect::Unknown(what))) => {
                BTreeSet::from([what.clone()])
            }
            _ => BTreeSet::new(),
        };
        let by = by.map(RuleAt::of);
        let Self { trace, not_evaluated, score, .. } = self;
        RequestVerdict { outcome, by, trace, depends_on, not_evaluated, score }
    }

    /// Ends the evaluation with a verdict that depends on unknown conditions.
    fn unknown(self, why: Vec<String>) -> RequestVerdict {
        RequestVerdict {
            depends_on: why.into_iter().collect(),
            ..self.ended(Outcome::Unknown, None)
        }
    }
}

impl RuleAt {
    fn of(rule: &ProtectionRule) -> Self {
        Self { name: rule.name.clone(), phase: rule.phase, place: rule.place }
    }
}

impl RequestVerdict {
    /// Returns the verdict on a request to which no rule applies.
    #[must_use]
    pub fn pass() -> Self {
        EvaluationState::default().ended(Outcome::Pass, None)
    }

    /// Combines the verdicts of two branches of an unknown condition; their traces begin with
    /// `shared` equal steps.
    fn or(self, other: Self, why: Vec<String>, shared: usize) -> Self {
        let is_same = self.outcome == other.outcome && self.outcome != Outcome::Unknown;
        let by = self.by.filter(|by| is_same && other.by.as_ref() == Some(by));
        let not_evaluated = self.not_evaluated.into_iter().chain(other.not_evaluated).collect();
        let mut trace = self.trace;
        for step in other.trace.into_iter().skip(shared) {
            if !trace.contains(&step) {
                trace.push(step);
            }
        }
        if is_same {
            let Self { outcome, depends_on, score, .. } = other;
            return Self { outcome, by, trace, depends_on, not_evaluated, score };
        }
        let depends_on = why.into_iter().chain(self.depends_on).chain(other.depends_on).collect();
        let score = self.score.or(other.score);
        Self { outcome: Outcome::Unknown, by: None, trace, depends_on, not_evaluated, score }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::Value;
    use crate::model::ruleset::{
        EntryPoint, LiveRule, LiveRuleset, LiveWaf, RuleBody, RuleId, RulesetId,
    };

    /// A rule as name, action, expression, and parameters.
    type Written<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);

    fn phase(rules: &[Written<'_>]) -> EntryPoint {
        let rule = |(name, action, expression, skipped): &Written<'_>| {
            let mut body = RuleBody::default();
            body.set("ref", *name);
            body.set("action", *action);
            body.set("expression", *expression);
            for (parameter, value) in *skipped {
                match *parameter {
                    "ruleset" | "id" => body.set_parameter(parameter, *value),
                    "ratelimit" => {
                        let (requests, period) = value.split_once('/').expect("it is a rate");
                        let number =
                            |text: &str| Value::Integer(text.parse().expect("it is a number"));
                        let rate =
                            [("requests_per_period", number(requests)), ("period", number(period))];
                        body.set(
                            "ratelimit",
                            Value::Map(rate.map(|(name, value)| (name.to_owned(), value)).into()),
                        );
                    }
                    parameter => {
                        body.set_parameter(parameter, Value::List(vec![Value::from(*value)]))
                    }
                }
            }
            LiveRule { id: RuleId((*name).to_owned()), last_updated: None, body }
        };
        let rules = rules.iter().map(rule).collect();
        EntryPoint::Present(LiveRuleset {
            id: RulesetId("1".to_owned()),
            version: None,
            last_updated: None,
            rules,
        })
    }

    fn protection() -> Protection {
        let custom = phase(&[
            ("log-all", "log", "true", &[]),
            (
                "office",
                "skip",
                "ip.src in {192.0.2.0/24}",
                &[("ruleset", "current"), ("phases", "http_ratelimit")],
            ),
            ("bots", "managed_challenge", "cf.client.bot", &[]),
            ("wp", "block", "http.request.uri.path contains \"/wp-\"", &[]),
            (
                "late",
                "js_challenge",
                "http.request.uri.path contains \"/wp-\" or http.request.method eq \"PUT\"",
                &[],
            ),
        ]);
        let rate = phase(&[
            ("login", "block", "http.request.uri.path eq \"/login\"", &[("ratelimit", "5/60")]),
            (
                "slow",
                "block",
                "http.request.uri.path eq \"/slow\" and cf.bot_management.score lt 30",
                &[("ratelimit", "5/60")],
            ),
        ]);
        let managed = phase(&[
            (
                "trusted",
                "skip",
                "http.request.uri.path eq \"/hook\"",
                &[("rulesets", "4814384a9e5d4991b9815dcfc25d2f1f")],
            ),
            ("owasp", "execute", "true", &[("id", "4814384a9e5d4991b9815dcfc25d2f1f")]),
        ]);
        let entry_points = BTreeMap::from([
            (Phase::Custom, custom),
            (Phase::RateLimit, rate),
            (Phase::Managed, managed),
        ]);
        Protection::new(&LiveWaf { entry_points, ..LiveWaf::default() }, |_, _| None)
    }

    fn verdict(text: &str, address: &str, is_bot: Option<bool>, times: u64) -> RequestVerdict {
        let mut request = Request::parse(text).expect("it is one");
        request.address = address.parse().ok();
        if let Some(is_bot) = is_bot {
            request
                .fields
                .insert("cf.client.bot".to_owned(), crate::model::request::Given::Truth(is_bot));
        }
        protection().verdict(&request, Rate { times, seconds: 60 }, None)
    }

    fn brief(verdict: &RequestVerdict) -> String {
        let by = verdict.by.as_ref().map_or("-", |by| by.name.as_str());
        let words = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(", ");
        format!(
            "{} {by} [{}] [{}]",
            verdict.outcome.as_str(),
            words(&verdict.depends_on),
            words(&verdict.not_evaluated)
        )
    }

    #[test]
    fn a_request_meets_the_rules_in_their_order() {
        const OWASP: &str = "OWASP ruleset, whose public rules run with --crs DIR";
        for (text, address, is_bot, times, expected) in [
            ("GET https://x.test/", "203.0.113.9", Some(false), 1, format!("pass - [] [{OWASP}]")),
            ("GET https://x.test/hook", "203.0.113.9", Some(false), 1, "pass - [] []".to_owned()),
            (
                "GET https://x.test/wp-login.php",
                "203.0.113.9",
                Some(false),
                1,
                "block wp [] []".to_owned(),
            ),
            (
                "PUT https://x.test/",
                "203.0.113.9",
                Some(false),
                1,
                "challenge late [] []".to_owned(),
            ),
            (
                "GET https://x.test/wp-login.php",
                "203.0.113.9",
                Some(true),
                1,
                "challenge bots [] []".to_owned(),
            ),
            // The unknown bot status makes a difference.
            (
                "GET https://x.test/wp-login.php",
                "203.0.113.9",
                None,
                1,
                "unknown - [cf.client.bot] []".to_owned(),
            ),
            // The unknown condition makes no difference if both branches have the same outcome.
            ("PUT https://x.test/", "203.0.113.9", None, 1, "challenge - [] []".to_owned()),
            (
                "GET https://x.test/wp-login.php",
                "192.0.2.1",
                None,
                1,
                format!("pass - [] [{OWASP}]"),
            ),
            (
                "GET https://x.test/login",
                "203.0.113.9",
                Some(false),
                5,
                format!("pass - [] [{OWASP}]"),
            ),
            (
                "GET https://x.test/login",
                "203.0.113.9",
                Some(false),
                6,
                "block login [] []".to_owned(),
            ),
            (
                "GET https://x.test/login",
                "192.0.2.1",
                Some(false),
                60,
                format!("pass - [] [{OWASP}]"),
            ),
            (
                "GET https://x.test/login",
                "-",
                Some(false),
                6,
                "unknown - [ip.src] ".to_owned() + &format!("[{OWASP}]"),
            ),
        ] {
            assert_eq!(
                brief(&verdict(text, address, is_bot, times)),
                expected,
                "{text} {address} {is_bot:?} {times}"
            );
        }
    }

    #[test]
    fn what_may_happen_is_not_told_as_certain() {
        let trace = |text, address, is_bot| {
            let steps = verdict(text, address, is_bot, 6).trace;
            steps
                .iter()
                .map(|step| format!("{} {}", step.rule.name, step.what))
                .collect::<Vec<_>>()
                .join("; ")
        };
        assert_eq!(
            trace("GET https://x.test/wp-login.php", "203.0.113.9", None),
            "log-all only logs it; bots may challenge; wp may block"
        );
        assert_eq!(
            trace("GET https://x.test/wp-login.php", "203.0.113.9", Some(true)),
            "log-all only logs it; bots challenges"
        );
        assert_eq!(
            trace("GET https://x.test/login", "-", Some(false)),
            "log-all only logs it; office may let it bypass other rules; \
             owasp may run OWASP ruleset, which is not evaluated; login may act above 5 in 60 s"
        );
    }

    #[test]
    fn recorded_requests_are_counted_by_their_time() {
        let protection = protection();
        let mut request = Request::parse("GET https://x.test/login").expect("it is one");
        request.address = "203.0.113.9".parse().ok();
        request
            .fields
            .insert("cf.client.bot".to_owned(), crate::model::request::Given::Truth(false));
        let unknown = protection.verdict_at(&request, Pace::Unknown, None, &Bump::new());
        assert_eq!(
            brief(&unknown).split(" [OWASP").next(),
            Some("unknown - [how often the request is made]")
        );
        let mut counters = crate::insight::traffic::Counters::default();
        let mut at = |seconds: i64| {
            let pace = Pace::At(seconds * 1000, &mut counters);
            protection.verdict_at(&request, pace, None, &Bump::new()).outcome
        };
        assert!((0..5).all(|second| at(second) == Outcome::Pass));
        assert_eq!([at(5), at(6), at(300)], [Outcome::Block, Outcome::Block, Outcome::Pass]);
    }

    #[test]
    fn phases_that_were_not_read_are_told() {
        let protection = Protection::new(&LiveWaf::default(), |_, _| None);
        let request = Request::parse("GET https://x.test/").expect("it is one");
        let verdict = protection.verdict(&request, Rate { times: 1, seconds: 1 }, None);
        assert_eq!((verdict.outcome, verdict.not_evaluated.len()), (Outcome::Pass, 3));
    }
}
