//! What Cloudflare's plans allow: the client and the sandbox read one table, and refuse the same.

use serde_json::{Value, json};

use crate::support::rulesets::body;
use crate::support::workspace::{Ran, Workspace, options_on};
use zonewright::model::Tier;
use zonewright::model::facts::TIERS;
use zonewright::model::facts::rule_features::{Certainty, RULE_FEATURES, RuleFeature};
use zonewright::model::plan_limits::{ZoneTier, rule_count, rule_uses};
use zonewright::model::ruleset::Phase;

/// A rule that uses a feature, in the spec and at Cloudflare.
struct Example {
    phase: Phase,
    keys: &'static str,
    rule: Value,
}

/// A rate limit that every plan has, with other members laid over it.
fn rate(action: &str, members: Value) -> Value {
    let mut limit = json!({ "characteristics": ["cf.colo.id", "ip.src"], "period": 10,
        "requests_per_period": 5, "mitigation_timeout": if action == "block" { 10 } else { 0 } });
    limit.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    limit.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    json!({ "action": action, "expression": "http.request.uri.path eq \"/a\"", "ratelimit": limit })
}

/// A custom rule.
fn custom(expression: &str) -> Value {
    json!({ "action": "block", "expression": expression })
}

/// The rule that shows a feature. A new feature needs one.
fn example(feature: RuleFeature) -> Example {
    let of_rates = |keys, rule| Example { phase: Phase::RateLimit, keys, rule };
    let of_custom = |keys, rule| Example { phase: Phase::Custom, keys, rule };
    match feature {
        RuleFeature::LogAction => of_custom(
            "action: log",
            json!({ "action": "log", "expression": "http.request.uri.path eq \"/a\"" }),
        ),
        RuleFeature::CustomResponse => of_custom(
            "action: block, response: { status_code: 403, content: no, content_type: text/plain }",
            response("no"),
        ),
        RuleFeature::SkipOfBotFightMode => of_custom(
            "action: skip, skip: { phases: [http_request_sbfm] }, reason: partners",
            json!({ "action": "skip", "expression": "http.request.uri.path eq \"/a\"",
                "action_parameters": { "phases": ["http_request_sbfm"] } }),
        ),
        RuleFeature::VisitorCharacteristic => of_rates(
            "per: visitor, limit: 5 in 10s, then: block for 10s",
            rate("block", json!({ "characteristics": ["cf.colo.id", "cf.unique_visitor_id"] })),
        ),
        RuleFeature::OtherCharacteristic => of_rates(
            "per: ['http.request.headers[\"x-api-key\"]'], limit: 5 in 10s, then: block for 10s",
            rate(
                "block",
                json!({ "characteristics": ["cf.colo.id", "http.request.headers[\"a\"]"] }),
            ),
        ),
        RuleFeature::CountingExpression => of_rates(
            "per: ip, limit: 5 in 10s, then: block for 10s, count: 'http.response.code eq 404'",
            rate("block", json!({ "counting_expression": "http.response.code eq 404" })),
        ),
        RuleFeature::CountingScores => of_rates(
            "",
            rate(
                "block",
                json!({ "requests_per_period": null, "score_per_period": 9,
                "score_response_header_name": "x-score" }),
            ),
        ),
        RuleFeature::BlockAboveRate => of_rates(
            "per: ip, limit: 5 in 10s, then: block for 0s",
            rate("block", json!({ "mitigation_timeout": 0 })),
        ),
        RuleFeature::ChallengeDuration => of_rates(
            "per: ip, limit: 5 in 10s, then: managed_challenge for 10s",
            rate("managed_challenge", json!({ "mitigation_timeout": 10 })),
        ),
    }
}

/// A rule that blocks with a response of its own.
fn response(content: &str) -> Value {
    json!({ "action": "block", "expression": "http.request.uri.path eq \"/a\"",
        "action_parameters": { "response":
            { "status_code": 403, "content": content, "content_type": "text/plain" } } })
}

/// The workspace of a zone on a plan.
fn on(plan: &str) -> Workspace {
    Workspace::new(options_on(plan))
}

/// The plan of a zone, as `plan` reads it.
fn known(plan: &str) -> ZoneTier {
    ZoneTier { tier: Tier::from_legacy_id(plan), is_assumed: false }
}

/// Returns true if the sandbox accepts these rules as all rules of a phase.
fn accepts(workspace: &Workspace, phase: Phase, rules: &[Value]) -> bool {
    let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/zones/{zone}/rulesets/phases/{}/entrypoint", phase.as_str());
    workspace.try_write("PUT", &path, &json!({ "rules": rules }))
}

#[test]
fn the_client_and_the_sandbox_count_the_same_rules() {
    for (rank, plan) in TIERS.iter().map(|tier| tier.name).enumerate() {
        let workspace = on(plan);
        for (phase, rule) in
            [(Phase::Custom, custom("ssl")), (Phase::RateLimit, rate("block", json!({})))]
        {
            let most = phase.facts().most_rules.unwrap()[rank];
            for count in [most, most + 1] {
                let is_accepted = accepts(&workspace, phase, &vec![rule.clone(); count]);
                let beyond = rule_count(phase, count, known(plan));
                assert_eq!(is_accepted, beyond.is_none(), "{plan}: {count} {beyond:?}");
            }
        }
    }
}

/// Runs `apply` of a rule.
fn apply(workspace: &Workspace, Example { phase, keys, .. }: &Example) -> Ran {
    let list = phase.key();
    workspace.file(
        "spec.yaml",
        format!(
            "version: 1\nzones:\n  example.com:\n    waf:\n      {list}:\n        - {{ name: a, \
             when: 'http.request.uri.path eq \"/a\"', {keys} }}\n"
        ),
    );
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection"])
}

#[test]
fn a_feature_that_the_plan_lacks_is_refused_before_anything_is_written() {
    for facts in RULE_FEATURES {
        let example = example(facts.feature);
        if example.keys.is_empty() {
            continue;
        }
        let below = on(TIERS[facts.lowest_plan - 1].name);
        let ran = apply(&below, &example).exits(1);
        if facts.certainty == Certainty::Certain {
            assert!(ran.stderr.contains("error[PLAN0003]"), "{ran:?}");
            assert!(ran.stderr.contains(facts.about), "{ran:?}");
            assert!(below.writes().is_empty(), "{:?}", below.writes());
        } else {
            assert!(ran.stderr.contains("warning[PLAN0017]"), "{ran:?}");
        }
        apply(&on(TIERS[facts.lowest_plan].name), &example).exits(0);
    }
}

#[test]
fn what_no_plan_allows_is_refused_before_anything_is_written() {
    let long = "a".repeat(2 * 1024 + 1);
    let rate = "per: ip, limit: 5 in 10s, then: block for 10s, to_origin: true";
    let cases = [
        (
            "custom",
            format!(
                "when: ssl, action: block, response: {{ status_code: 403, content: {long}, \
                 content_type: text/plain }}"
            ),
            "the response has 2049 bytes; Cloudflare allows 2048 here",
        ),
        (
            "custom",
            format!(
                "raw: {{ action: block, expression: ssl, action_parameters: {{ response: {{ \
                status_code: 403, content: {long}, content_type: text/plain }} }} }}"
            ),
            "the response has 2049 bytes",
        ),
        (
            "rate_limits",
            format!("when: 'ip.src in $offices', {rate}"),
            "names a list of the account",
        ),
    ];
    for (list, keys, words) in cases {
        let workspace = on("enterprise");
        workspace.file(
            "spec.yaml",
            format!(
                "version: 1\nzones:\n  example.com:\n    waf:\n      {list}:\n        - {{ name: \
                 a, {keys} }}\n"
            ),
        );
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert!(ran.stderr.contains("error[PLAN0003]") && ran.stderr.contains(words), "{ran:?}");
        assert!(workspace.writes().is_empty(), "{:?}", workspace.writes());
    }
}

#[test]
fn what_the_zone_uses_already_is_allowed_on_every_plan() {
    let example = example(RuleFeature::LogAction);
    let uses = rule_uses(Phase::Custom, &body(example.rule));
    assert!(uses[0].beyond(known("free"), &[]).is_some_and(|beyond| beyond.is_certain));
    assert_eq!(uses[0].beyond(known("free"), &uses), None);
    let new = ZoneTier { tier: Tier::Free, is_assumed: true };
    assert!(uses[0].beyond(new, &[]).is_some_and(|beyond| !beyond.is_certain));
}
