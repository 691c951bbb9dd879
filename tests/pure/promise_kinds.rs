//! Other spellings of what weakens a managed ruleset: overrides of each level, and skips of each
//! form.

use serde_json::{Value as Json, json};
use zonewright::insight::waf::{InForce, hold_floor};
use zonewright::model::facts::owasp::ANOMALY_RULE;
use zonewright::model::managed::Managed;
use zonewright::model::ruleset::{EntryPoint, LiveRuleset, Phase};
use zonewright::wire;

use crate::support::rulesets::{cloudflare, id_of, owasp, plan_of, waf};

const MANAGED: &str = "http_request_firewall_managed";

/// Returns a live deployment of a ruleset.
fn live(id: &str, name: char, overrides: Json) -> Json {
    json!({
        "id": name.to_string().repeat(32), "version": "1", "action": "execute", "expression": "true", "enabled": true,
        "action_parameters": { "id": id, "version": "latest", "overrides": overrides },
    })
}

/// Returns a live rule that skips others.
fn skip(expression: &str, parameters: Json) -> Json {
    json!({
        "id": "a".repeat(32), "version": "1", "ref": "theirs", "action": "skip", "expression": expression,
        "enabled": true, "action_parameters": parameters,
    })
}

/// Returns the deployments of a section, each held against the live rules of some phases.
fn held(section: &str, rules: &[(Phase, Json)]) -> Vec<InForce> {
    let all =
        [(Phase::Managed, json!([])), (Phase::Custom, json!([])), (Phase::RateLimit, json!([]))];
    let given = |phase: Phase| rules.iter().find(|(own, _)| *own == phase);
    let all: Vec<(Phase, Json)> = all
        .into_iter()
        .map(|(phase, none)| given(phase).cloned().unwrap_or((phase, none)))
        .collect();
    let (plan, _) = plan_of(&all, &waf(), section);
    assert!(plan.is_empty(), "{section}: {:?}", plan.operations);
    plan.in_force.into_iter().map(|deployment| deployment.in_force).collect()
}

/// Returns the numbers of lost rules of each weakened deployment.
fn lost(found: &[InForce]) -> Vec<Option<usize>> {
    found.iter().map(|one| one.is_weakened().then(|| one.lost_rules().len())).collect()
}

#[test]
fn overrides_of_each_level_count_as_they_decide() {
    let level_1 =
        owasp().rules.iter().filter(|rule| rule.level().is_some_and(|l| l.level() == 1)).count();
    let php = |rule: &&zonewright::model::managed::CatalogueRule| {
        rule.tags.iter().any(|tag| tag == "language-php")
            && rule.level().is_some_and(|l| l.level() == 1)
    };
    let rules = owasp();
    let php: Vec<_> = rules.rules.iter().filter(php).collect();
    let category = |tag: &str, members: Json| {
        let mut one = members;
        one["category"] = json!(tag);
        json!({ "categories": [one] })
    };
    let off = || json!({ "enabled": false });
    let anomaly = |members: Json| {
        let mut one = members;
        one["id"] = json!(ANOMALY_RULE);
        json!([one])
    };
    for (overrides, expected) in [
        (category("paranoia-level-1", off()), Some(level_1)),
        (category("paranoia-level-2", off()), None),
        (category("language-php", off()), Some(php.len())),
        (category("no-such-tag", off()), None),
        // A rule of its own is on again.
        (
            json!({
                "categories": [{ "category": "language-php", "enabled": false }],
                "rules": [{ "id": php[0].id.0, "enabled": true }],
            }),
            Some(php.len() - 1),
        ),
        // Every rule is off except the promised ones.
        (
            json!({
                "enabled": false, "categories": [{ "category": "paranoia-level-1", "enabled": true }],
                "rules": [{ "id": ANOMALY_RULE, "enabled": true }],
            }),
            None,
        ),
        // The score rule is off with everything else.
        (
            json!({ "enabled": false, "categories": [{ "category": "paranoia-level-1", "enabled": true }] }),
            Some(0),
        ),
        (json!({ "enabled": true }), None),
        // The action of the whole ruleset does not reach the score rule.
        (json!({ "action": "log" }), None),
        (json!({ "action": "log", "rules": anomaly(json!({ "action": "block" })) }), None),
        (json!({ "action": "block", "rules": anomaly(json!({ "action": "log" })) }), Some(0)),
        (json!({ "action": "managed_challenge" }), None),
        (json!({ "rules": anomaly(json!({ "score_threshold": 61 })) }), Some(0)),
        (json!({ "rules": anomaly(json!({ "score_threshold": 60 })) }), None),
        (json!({ "rules": anomaly(json!({ "score_threshold": 1 })) }), None),
        (json!({ "rules": anomaly(json!({ "enabled": true, "action": "js_challenge" })) }), None),
        // A rule that is in no version.
        (json!({ "rules": [{ "id": id_of(999_999), "enabled": false }] }), None),
        (json!({ "sensitivity_level": "low" }), None),
    ] {
        let found = held(
            "owasp: on",
            &[(Phase::Managed, json!([live(&owasp().id.0, 'd', overrides.clone())]))],
        );
        assert_eq!(lost(&found), [expected], "{overrides} {found:#?}");
    }
    let id = |n: usize| cloudflare().rules[n].id.0.clone();
    for (overrides, expected) in [
        (category("wordpress", off()), Some(2)),
        (category("wordpress", json!({ "action": "log" })), Some(2)),
        (category("wordpress", json!({ "action": "js_challenge" })), None),
        (category("cve", off()), Some(1)),
        (
            json!({ "rules": [{ "id": id(0), "action": "log" }, { "id": id(1), "enabled": false }] }),
            Some(2),
        ),
        (json!({ "rules": [{ "id": id(5), "action": "log" }] }), None),
        (json!({ "rules": [{ "id": id(5), "enabled": true, "action": "log" }] }), None),
        (
            json!({ "action": "log", "categories": [{ "category": "all", "action": "block" }] }),
            None,
        ),
        // The later of two tags decides.
        (
            json!({ "categories": [
                { "category": "wordpress", "enabled": false }, { "category": "all", "enabled": true },
            ] }),
            None,
        ),
        (json!({ "enabled": false, "rules": [{ "id": id(0), "enabled": true }] }), Some(4)),
    ] {
        let found = held(
            "cloudflare: on",
            &[(Phase::Managed, json!([live(&cloudflare().id.0, 'd', overrides.clone())]))],
        );
        assert_eq!(lost(&found), [expected], "{overrides} {found:#?}");
    }
}

#[test]
fn skips_of_each_form_count_for_what_they_free() {
    let (of_owasp, of_cloudflare) = (owasp().id.0, cloudflare().id.0);
    let all = Some(held_count("owasp: on"));
    for (phase, expression, parameters, expected) in [
        (Phase::Managed, "true", json!({ "ruleset": "current" }), all),
        (Phase::Managed, "true", json!({ "phase": "current" }), all),
        (Phase::Managed, "true", json!({ "rulesets": [of_owasp] }), all),
        (Phase::Managed, "true", json!({ "rulesets": [of_cloudflare, of_owasp] }), all),
        (Phase::Managed, "true", json!({ "rulesets": [of_cloudflare] }), None),
        (Phase::Managed, "true", json!({ "phases": [MANAGED] }), all),
        (Phase::Managed, "true", json!({ "rules": { &of_owasp: [ANOMALY_RULE] } }), all),
        (Phase::Managed, "true", json!({ "rules": { &of_cloudflare: [ANOMALY_RULE] } }), None),
        (Phase::Managed, "true", json!({ "products": ["waf", "bic"] }), None),
        (Phase::Managed, "true", json!({}), None),
        (Phase::Custom, "true", json!({ "phases": [MANAGED] }), all),
        (Phase::Custom, "true", json!({ "phases": ["http_ratelimit", MANAGED] }), all),
        (Phase::Custom, "true", json!({ "phases": ["http_ratelimit"] }), None),
        (Phase::Custom, "true", json!({ "phase": "current" }), None),
        (Phase::Custom, "true", json!({ "ruleset": "current" }), None),
        (Phase::Custom, "true", json!({ "products": ["waf"] }), None),
        // Arbitrary clients.
        (Phase::Custom, "not cf.client.bot", json!({ "phases": [MANAGED] }), all),
        (Phase::Custom, "ip.src ne 192.0.2.1", json!({ "phases": [MANAGED] }), all),
        (Phase::Custom, "ip.src in {0.0.0.0/1 128.0.0.0/1}", json!({ "phases": [MANAGED] }), all),
        (Phase::Custom, "ip.src.country in {\"DE\" \"FR\"}", json!({ "phases": [MANAGED] }), all),
        (Phase::Custom, "http.request.method eq \"POST\"", json!({ "phases": [MANAGED] }), all),
        (
            Phase::Custom,
            "starts_with(http.request.uri.path, \"/api/\")",
            json!({ "phases": [MANAGED] }),
            all,
        ),
        (Phase::Custom, "http.request.uri.path ne \"/login\"", json!({ "phases": [MANAGED] }), all),
        (Phase::Custom, "ip.src eq 192.0.2.1 or ssl", json!({ "phases": [MANAGED] }), all),
        (Phase::Custom, "http.user_agent ne \"\"", json!({ "phases": [MANAGED] }), all),
        // Certain clients, or one place.
        (Phase::Custom, "ip.src eq 192.0.2.1 and ssl", json!({ "phases": [MANAGED] }), None),
        (Phase::Custom, "ip.src.asnum eq 64496", json!({ "phases": [MANAGED] }), None),
        (Phase::Custom, "http.request.uri.path eq \"/hook\"", json!({ "phases": [MANAGED] }), None),
        (
            Phase::Custom,
            "starts_with(http.request.uri.path, \"/api/hook/\")",
            json!({ "phases": [MANAGED] }),
            None,
        ),
        (
            Phase::Custom,
            "any(http.request.headers[\"x-key\"][*] eq \"k\")",
            json!({ "phases": [MANAGED] }),
            None,
        ),
        (Phase::Custom, "http.cookie contains \"session=k\"", json!({ "phases": [MANAGED] }), None),
        (Phase::Custom, "cf.tls_client_auth.cert_verified", json!({ "phases": [MANAGED] }), None),
    ] {
        let deployed = live(&of_owasp, 'd', Json::Null);
        let rule = skip(expression, parameters.clone());
        let rules = match phase {
            Phase::Managed => vec![(phase, json!([rule, deployed]))],
            _ => vec![(phase, json!([rule])), (Phase::Managed, json!([deployed]))],
        };
        let found = held("owasp: on", &rules);
        assert_eq!(lost(&found), [expected], "{phase:?} {expression} {parameters}: {found:#?}");
    }
}

/// Returns the number of rules that a section promises of its only deployment.
fn held_count(section: &str) -> usize {
    held(section, &[(Phase::Managed, json!([live(&owasp().id.0, 'd', Json::Null)]))])[0]
        .promised_rules
}

/// A skip between two deployments frees the second one; one for other requests than the
/// deployment's frees nothing.
#[test]
fn a_skip_counts_for_what_comes_after_it_and_for_the_same_requests() {
    let deployed = |overrides: Json| live(&owasp().id.0, 'd', overrides);
    let first = live(&cloudflare().id.0, 'e', Json::Null);
    let everything = || skip("true", json!({ "ruleset": "current" }));
    let between = json!([first, everything(), deployed(Json::Null)]);
    let found = held("owasp: on\ncloudflare: on", &[(Phase::Managed, between)]);
    let weak: Vec<_> =
        found.iter().filter(|one| one.is_weakened()).map(|one| one.ruleset.key()).collect();
    assert_eq!(weak, ["owasp"]);
    let mut scoped = deployed(Json::Null);
    scoped["expression"] = json!("http.host eq \"a.example.com\"");
    let section = "owasp: { when: 'http.host eq \"a.example.com\"' }";
    for (host, is_weakened) in [("a.example.com", true), ("b.example.com", false)] {
        let rule = skip(&format!("http.host eq \"{host}\""), json!({ "ruleset": "current" }));
        let found = held(section, &[(Phase::Managed, json!([rule, scoped]))]);
        assert_eq!(found[0].is_weakened(), is_weakened, "{host}: {found:#?}");
    }
}

/// Rules of the account run first. An exception there that skips a phase also skips it for the
/// zone. Its other targets concern only the account.
#[test]
fn rules_of_the_account_count_where_they_were_read() {
    let read = |rules: Json| -> LiveRuleset {
        wire::ruleset::read_ruleset(
            &json!({ "id": "b".repeat(32), "version": "1", "rules": rules }),
        )
        .expect("a ruleset")
    };
    let mut waf = waf();
    let deployed = live(&owasp().id.0, 'd', Json::Null);
    waf.entry_points.insert(Phase::Managed, EntryPoint::Present(read(json!([deployed]))));
    for (phase, expression, parameters, is_weakened) in [
        (Phase::Custom, "cf.zone.plan eq \"ENT\"", json!({ "phases": [MANAGED] }), true),
        (
            Phase::Custom,
            "ip.src in {192.0.2.1} and cf.zone.plan eq \"ENT\"",
            json!({ "phases": [MANAGED] }),
            false,
        ),
        (Phase::Custom, "true", json!({ "ruleset": "current" }), false),
        (Phase::Managed, "true", json!({ "ruleset": "current" }), false),
        (Phase::Managed, "true", json!({ "rulesets": [owasp().id.0] }), false),
    ] {
        let rules = read(json!([skip(expression, parameters.clone())]));
        let account = [(phase, EntryPoint::Present(rules))].into();
        let found = hold_floor(Managed::Owasp, &waf, Some(&account)).expect("it is deployed");
        assert_eq!(
            found.is_weakened(),
            is_weakened,
            "{phase:?} {expression} {parameters}: {found:#?}"
        );
        if is_weakened {
            assert!(
                found.summary().contains("the rule theirs of the account"),
                "{}",
                found.summary()
            );
        }
        assert!(!hold_floor(Managed::Owasp, &waf, None).expect("it is deployed").is_weakened());
    }
}
