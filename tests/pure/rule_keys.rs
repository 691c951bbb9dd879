//! Keys of rules that the spec stops naming, and keys that it leaves out.

use serde_json::{Value as Json, json};
use zonewright::diagnostic::Sources;
use zonewright::model::ruleset::{EntryPoint, LiveWaf, Phase};
use zonewright::model::{DesiredZone, LiveZone, Tier, ZoneId, ZoneName};
use zonewright::plan::{RuleAction, ZonePlan, plan_zone, plan_zone_with_base};
use zonewright::{spec, wire};

use crate::support::rulesets::{owasp, waf};

/// Returns a zone with this section.
fn zone(section: &str) -> DesiredZone {
    let section: String = section.lines().map(|line| format!("      {line}\n")).collect();
    let text = format!("version: 1\nzones:\n  example.com:\n    waf:\n{section}");
    let outcome =
        spec::load(&[spec::Input::Stdin(text)], &spec::Options::default(), &mut Sources::default());
    let diagnostics = format!("{:?}", outcome.diagnostics);
    outcome
        .desired
        .unwrap_or_else(|| panic!("{diagnostics}"))
        .zones
        .into_values()
        .next()
        .expect("a zone")
}

/// Returns the live zone with these rules of a phase.
fn live(phase: Phase, rules: Json) -> LiveZone {
    let ruleset = json!({ "id": "a".repeat(32), "version": "7", "rules": rules });
    let entry_point =
        EntryPoint::Present(wire::ruleset::read_ruleset(&ruleset).expect("a ruleset"));
    LiveZone {
        tier: Tier::from_legacy_id("enterprise"),
        waf: LiveWaf { entry_points: [(phase, entry_point)].into(), ..waf() },
        ..LiveZone::new(ZoneName::parse("example.com").expect("a name"), ZoneId("1".repeat(32)))
    }
}

const RATE: &str = "rate_limits:\n  - { name: login, when: 'http.request.uri.path eq \"/login\"', per: ip, limit: 5 in 10s, then: block for 10s";

/// Returns the same at Cloudflare, with everything that a spec can leave out.
fn live_rate() -> Json {
    json!([{
        "id": "b".repeat(32), "version": "1", "ref": "login", "action": "block", "enabled": true, "description": "logins",
        "expression": "http.request.uri.path eq \"/login\"",
        "action_parameters": { "response": { "status_code": 429, "content": "slow", "content_type": "text/plain" } },
        "ratelimit": {
            "characteristics": ["cf.colo.id", "ip.src"], "period": 10, "requests_per_period": 5, "mitigation_timeout": 10,
            "counting_expression": "http.request.uri.path eq \"/login\" and http.response.code eq 401",
            "requests_to_origin": true,
        },
    }])
}

/// Returns what an update sends.
fn updated(plan: &ZonePlan) -> Json {
    let [operation] = &plan.operations[..] else { panic!("{:?}", plan.operations) };
    let Some(RuleAction::Update { after, .. }) = operation.rule().map(|rule| &rule.action) else {
        panic!("{operation:?}")
    };
    wire::ruleset::rule_json(after).into()
}

#[test]
fn keys_that_a_rule_no_longer_names_are_told() {
    let all = ", description: logins, to_origin: true, \
               count: 'http.request.uri.path eq \"/login\" and http.response.code eq 401', \
               response: { status_code: 429, content: slow, content_type: text/plain } }";
    let base = zone(&format!("{RATE}{all}"));
    let own = zone(&format!("{RATE} }}"));
    let (plan, found) = plan_zone_with_base(&own, &base, &live(Phase::RateLimit, live_rate()));
    assert!(plan.is_empty(), "{:?}", plan.operations);
    let details: Vec<&str> =
        found.iter().filter(|d| d.code() == "PLAN0038").map(|d| d.detail.as_str()).collect();
    for key in ["description", "count", "to_origin", "response"] {
        assert!(
            details.iter().any(|detail| detail.starts_with(&format!("`{key}` of the rule login"))),
            "{key}: {details:?}"
        );
    }
    assert_eq!(details.len(), 4, "{details:?}");
    // A key that is in neither spec and not live has no finding.
    let (_, found) = plan_zone_with_base(&own, &own, &live(Phase::RateLimit, live_rate()));
    assert!(found.iter().all(|d| d.code() != "PLAN0038"));
    let skip = "custom:\n  - { name: s, when: ssl, action: skip, skip: everything, reason: x";
    let live_skip = json!([{
        "id": "c".repeat(32), "version": "1", "ref": "s", "action": "skip", "expression": "ssl", "enabled": true,
        "action_parameters": { "ruleset": "current" }, "logging": { "enabled": false },
    }]);
    let (own, base) = (zone(&format!("{skip} }}")), zone(&format!("{skip}, log: false }}")));
    let (_, found) = plan_zone_with_base(&own, &base, &live(Phase::Custom, live_skip));
    assert!(found.iter().any(|d| d.detail.starts_with("`log` of the rule s")), "{found:?}");
}

#[test]
fn in_a_pruned_section_keys_that_are_left_out_have_their_defaults() {
    let own = zone(&format!("unmanaged: prune\n{RATE} }}"));
    let body = updated(&plan_zone(&own, &live(Phase::RateLimit, live_rate())).0);
    assert_eq!(
        (body.get("description"), body.pointer("/action_parameters/response")),
        (None, None),
        "{body}"
    );
    let rate = body["ratelimit"].as_object().unwrap();
    assert!(
        !rate.contains_key("counting_expression") && !rate.contains_key("requests_to_origin"),
        "{body}"
    );
    let deployment = json!([{
        "id": "d".repeat(32), "version": "1", "ref": "owasp", "action": "execute", "enabled": true,
        "expression": "http.host eq \"a.example.com\"", "action_parameters": { "id": owasp().id.0 },
    }]);
    let pruned = zone("unmanaged: prune\nowasp: on");
    let body = updated(&plan_zone(&pruned, &live(Phase::Managed, deployment.clone())).0);
    assert_eq!(body["expression"], "true");
    // Said once: the plan shows it, so nothing is called unmanaged.
    let base = zone("unmanaged: prune\nowasp: { when: 'http.host eq \"a.example.com\"' }");
    let (_, found) = plan_zone_with_base(&pruned, &base, &live(Phase::Managed, deployment));
    assert!(found.iter().all(|d| d.code() != "PLAN0038"), "{found:?}");
    // A version that the spec no longer pins.
    let pinned = json!([{
        "id": "d".repeat(32), "version": "1", "ref": "owasp", "action": "execute", "enabled": true,
        "expression": "true", "action_parameters": { "id": owasp().id.0, "version": "35" },
    }]);
    let body = updated(&plan_zone(&pruned, &live(Phase::Managed, pinned.clone())).0);
    assert_eq!(body.pointer("/action_parameters/version"), None, "{body}");
    let base = zone("unmanaged: prune\nowasp: { version: '35' }");
    let (_, found) = plan_zone_with_base(&pruned, &base, &live(Phase::Managed, pinned));
    assert!(found.iter().all(|d| d.code() != "PLAN0038"), "{found:?}");
}

#[test]
fn an_empty_counting_expression_is_the_default() {
    let own = zone(&format!("{RATE}, count: \"\", description: logins, to_origin: true }}"));
    let mut rules = live_rate();
    rules[0]["ratelimit"]["counting_expression"] = json!("");
    rules[0]["action_parameters"] = json!({});
    assert!(plan_zone(&own, &live(Phase::RateLimit, rules)).0.is_empty());
    let body = updated(&plan_zone(&own, &live(Phase::RateLimit, live_rate())).0);
    assert!(body["ratelimit"].get("counting_expression").is_none(), "{body}");
}
