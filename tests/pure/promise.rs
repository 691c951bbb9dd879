//! The promises of a spec about managed rulesets, compared with the live state: each row of the
//! table of cases.

use serde_json::{Value as Json, json};
use zonewright::insight::waf::InForce;
use zonewright::model::facts::owasp::ANOMALY_RULE;
use zonewright::model::managed::Catalogue;
use zonewright::model::ruleset::{Phase, Unread};
use zonewright::plan::ZonePlan;

use crate::support::rulesets::{cloudflare, id_of, owasp, plan_of, tuning, waf};

/// Returns a live deployment.
pub(crate) fn live(catalogue: &Catalogue, overrides: Json) -> Json {
    json!({
        "id": "d".repeat(32), "version": "1", "action": "execute", "expression": "true", "enabled": true,
        "last_updated": "2026-11-20T10:00:00Z",
        "action_parameters": { "id": catalogue.id.0, "version": "latest", "overrides": overrides },
    })
}

/// Returns a live rule that skips others.
pub(crate) fn skip(id: &str, expression: &str, parameters: Json) -> Json {
    json!({
        "id": id.repeat(32), "version": "1", "ref": format!("skip-{id}"), "action": "skip", "expression": expression,
        "enabled": true, "action_parameters": parameters, "logging": { "enabled": true },
    })
}

/// Returns the plan for these live rules.
pub(crate) fn plan(section: &str, managed: Json, custom: Json) -> ZonePlan {
    plan_of(&[(Phase::Managed, managed), (Phase::Custom, custom)], &waf(), section).0
}

/// Returns the only deployment of a section.
pub(crate) fn held(section: &str, managed: Json) -> InForce {
    let plan = plan(section, managed, Json::Null);
    assert!(plan.is_empty(), "{section}: {:?}", plan.operations);
    let [deployment] = &plan.in_force[..] else { panic!("{:?}", plan.in_force) };
    deployment.in_force.clone()
}

/// Returns the OWASP deployment of a section with these overrides.
fn owasp_with(section: &str, overrides: Json) -> InForce {
    held(section, json!([live(&owasp(), overrides)]))
}

/// Returns true if it is weaker, and how many promised rules are lost.
fn weak(found: &InForce) -> (bool, usize) {
    (found.is_weakened(), found.lost_rules().len())
}

fn score(members: Json) -> Json {
    let mut rule = json!({ "id": ANOMALY_RULE });
    rule.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    json!({ "rules": [rule] })
}

#[test]
fn a_choice_within_the_floor_is_a_note() {
    for (level, threshold) in [(1, 25), (2, 60), (3, 40)] {
        let found = owasp_with("owasp: on", tuning(level, threshold, "managed_challenge"));
        assert_eq!((weak(&found), found.unknown.len()), ((false, 0), 0), "{found:?}");
        assert!(found.choices.contains(&format!("paranoia {level}")), "{found:?}");
        assert!(found.choices.contains(&"action managed_challenge".to_owned()), "{found:?}");
    }
    let plain = owasp_with("owasp: on", Json::Null);
    assert!(
        !plain.is_weakened() && plain.choices.is_empty(),
        "a deployment without overrides is no news: {plain:?}"
    );
}

#[test]
fn what_switches_the_owasp_ruleset_off_weakens() {
    let all = owasp().rules.len() - 1;
    let level_1 =
        owasp().rules.iter().filter(|rule| rule.level().is_some_and(|l| l.level() == 1)).count();
    let off = owasp_with("owasp: on", json!({ "enabled": false }));
    assert_eq!(weak(&off), (true, level_1));
    assert!(
        level_1 < all && off.summary().contains("override of the whole ruleset"),
        "{}",
        off.summary()
    );
    for section in ["owasp: on", "owasp: { paranoia: 2 }"] {
        let levels = json!([
            { "category": "paranoia-level-3", "enabled": false }, { "category": "paranoia-level-4", "enabled": false },
        ]);
        for members in [
            json!({ "score_threshold": 100 }),
            json!({ "action": "log" }),
            json!({ "enabled": false }),
        ] {
            let mut overrides = score(members.clone());
            overrides["categories"] = levels.clone();
            let found = owasp_with(section, overrides);
            assert_eq!(weak(&found), (true, 0), "{section} {members}");
            assert_eq!(found.shortfalls.len(), 1, "{found:?}");
        }
        let mut overrides = score(json!({ "score_threshold": 60, "action": "block" }));
        overrides["categories"] = levels;
        assert!(!owasp_with(section, overrides).is_weakened());
    }
}

#[test]
fn promised_rules_that_are_off_are_counted() {
    let level = |more: Json| {
        let mut overrides = tuning(2, 40, "block");
        overrides["rules"].as_array_mut().unwrap().extend(more.as_array().unwrap().iter().cloned());
        overrides
    };
    let one = owasp_with(
        "owasp: { paranoia: 2 }",
        level(json!([{ "id": id_of(942_100), "enabled": false }])),
    );
    assert_eq!((weak(&one), one.promised_rules), ((true, 1), 184));
    assert_eq!(one.rules_in_words().as_deref(), Some("1 / 184 rules"));
    assert_eq!(one.shortfalls[0].cause.id(), id_of(942_100));
    // An id of digits would be a number.
    let entry = one.shortfalls[0].cause.accept_entry(one.ruleset);
    assert_eq!(
        entry,
        format!("{{ override: \"{}\", is: off, ruleset: owasp, reason: … }}", id_of(942_100))
    );
    let section = format!("owasp: {{ paranoia: 2 }}\naccept: [{entry}]");
    let off = level(json!([{ "id": id_of(942_100), "enabled": false }]));
    assert!(!owasp_with(&section, off).is_weakened());
    let mut php = tuning(2, 40, "block");
    php["categories"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "category": "language-php", "enabled": false }));
    let tag = owasp_with("owasp: { paranoia: 2 }", php);
    assert!(
        tag.is_weakened() && tag.lost_rules().len() > 5 && tag.shortfalls.len() == 1,
        "{tag:?}"
    );
    assert_eq!(tag.shortfalls[0].cause.id(), "language-php");
    // Level 3 is not promised, in either direction.
    let more = owasp_with(
        "owasp: { paranoia: 2 }",
        level(json!([{ "id": id_of(942_460), "enabled": true }])),
    );
    assert!(
        !more.is_weakened() && more.choices.iter().any(|note| note.starts_with("stronger")),
        "{more:?}"
    );
    let less = owasp_with(
        "owasp: { paranoia: 2 }",
        level(json!([{ "id": id_of(942_460), "enabled": false }])),
    );
    assert!(!less.is_weakened() && less.choices.is_empty(), "{less:?}");
    // Rules that the spec itself disables are not promised.
    let own = "owasp: { paranoia: 2, disable: [{ rule: 942100, reason: x }] }";
    let own = owasp_with(own, level(json!([{ "id": id_of(942_100), "enabled": false }])));
    assert_eq!((weak(&own), own.promised_rules), ((false, 0), 183));
}

#[test]
fn a_scope_is_promised_and_compared() {
    let with = |section: &str, expression: &str| {
        let mut rule = live(&owasp(), Json::Null);
        rule["expression"] = json!(expression);
        held(section, json!([rule]))
    };
    let narrow = with("owasp: on", "http.host eq \"a.example.com\"");
    assert!(
        narrow.is_weakened() && narrow.summary().contains("all requests are checked"),
        "{narrow:?}"
    );
    assert!(!with("owasp: on", "(true)").is_weakened());
    assert!(!with("owasp: on", "starts_with(http.request.uri.path, \"/\")").is_weakened());
    let strange = with("owasp: on", "http.host whatever (");
    assert!(
        !strange.is_weakened() && strange.unknown[0].contains("cannot be compared"),
        "{strange:?}"
    );
    let stated =
        with("owasp: { when: 'http.host eq \"a.example.com\"' }", "http.host eq \"a.example.com\"");
    assert!(!stated.is_weakened());
}

#[test]
fn the_cloudflare_ruleset_keeps_what_blocks() {
    let with =
        |section: &str, overrides: Json| held(section, json!([live(&cloudflare(), overrides)]));
    let id = |n: usize| cloudflare().rules[n].id.0.clone();
    assert_eq!(weak(&with("cloudflare: on", json!({ "action": "log" }))), (true, 5));
    assert_eq!(weak(&with("cloudflare: on", json!({ "enabled": false }))), (true, 5));
    let other = with("cloudflare: on", json!({ "action": "managed_challenge" }));
    assert!(
        !other.is_weakened() && other.choices == ["action managed_challenge of 5 rules"],
        "{other:?}"
    );
    let more = with("cloudflare: on", json!({ "rules": [{ "id": id(5), "enabled": true }] }));
    assert!(
        !more.is_weakened() && more.choices[0].starts_with("stronger: 1 rule more on"),
        "{more:?}"
    );
    let off = with("cloudflare: on", json!({ "rules": [{ "id": id(5), "enabled": false }] }));
    assert!(!off.is_weakened(), "it is off by default");
    // An action that the spec names is more than its class.
    let section = "cloudflare: { tags: [{ tag: wordpress, action: block }] }";
    let overrides = json!({
        "categories": [{ "category": "wordpress", "action": "block" }],
        "rules": [{ "id": id(0), "action": "managed_challenge" }],
    });
    assert_eq!(weak(&with(section, overrides)), (true, 1));
}

#[test]
fn a_wide_skip_of_others_counts_and_a_narrow_one_does_not() {
    let with = |section: &str, expression: &str, parameters: Json| {
        let rules = json!([skip("a", expression, parameters), live(&owasp(), Json::Null)]);
        held(section, rules)
    };
    let everything = || json!({ "ruleset": "current" });
    let wide = with("owasp: on", "true", everything());
    assert!(wide.is_weakened() && wide.shortfalls[0].cause.id() == "a".repeat(32), "{wide:?}");
    let entry = wide.shortfalls[0].cause.accept_entry(wide.ruleset);
    // The entries of two rulesets for one rule can be pasted together.
    assert_eq!(
        entry,
        "{ rule: skip-a, is: { when: 'true', skip: everything }, ruleset: owasp, reason: … }"
    );
    assert!(with("owasp: on", "http.host eq \"a.example.com\"", everything()).is_weakened());
    assert!(with("owasp: on", "not ip.src in {192.0.2.1}", everything()).is_weakened());
    for narrow in ["ip.src in {192.0.2.0/24}", "http.request.uri.path eq \"/a\"", "cf.client.bot"] {
        let found = with("owasp: on", narrow, everything());
        assert!(!found.is_weakened() && found.narrow_skips.len() == 1, "{narrow}: {found:?}");
    }
    let five: Vec<String> = [942_100, 941_100, 941_110, 930_100, 930_110].map(id_of).into();
    let six: Vec<String> = [942_100, 941_100, 941_110, 930_100, 930_110, 932_100].map(id_of).into();
    let rules = |ids: &[String]| json!({ "rules": { owasp().id.0: ids } });
    assert!(!with("owasp: on", "true", rules(&five)).is_weakened());
    assert_eq!(weak(&with("owasp: on", "true", rules(&six))), (true, 6));
    assert!(
        with("owasp: on", "true", rules(&[ANOMALY_RULE.to_owned()])).is_weakened(),
        "the rule that acts on the score"
    );
    // Cut into pieces, it is as wide.
    let pieces = json!([
        skip("a", "true", rules(&five)),
        skip("b", "ssl", rules(&six[5..])),
        live(&owasp(), Json::Null),
    ]);
    assert_eq!(weak(&held("owasp: on", pieces)), (true, 6));
    // An exception after the deployment, a disabled one, one without requests and one for another
    // ruleset have no effect.
    let after = json!([live(&owasp(), Json::Null), skip("a", "true", everything())]);
    assert!(!held("owasp: on", after).is_weakened());
    assert!(!with("owasp: on", "false", everything()).is_weakened());
    assert!(!with("owasp: on", "true", json!({ "rulesets": [cloudflare().id.0] })).is_weakened());
    let mut off = skip("a", "true", everything());
    off["enabled"] = json!(false);
    assert!(!held("owasp: on", json!([off, live(&owasp(), Json::Null)])).is_weakened());
    let strange = with("owasp: on", "http.host whatever (", everything());
    assert!(!strange.is_weakened() && strange.unknown.len() == 1, "{strange:?}");
}

/// The ids of six rules of level 1, and their numbers.
pub(crate) fn six() -> (Vec<String>, &'static str) {
    let ids = [942_100, 941_100, 941_110, 930_100, 930_110, 932_100].map(id_of);
    (ids.into(), "942100, 941100, 941110, 930100, 930110, 932100")
}

#[test]
fn a_skip_outside_of_what_is_promised_is_no_finding() {
    let host = "http.host eq \"a.example.com\"";
    let with = |expression: &str| {
        let mut deployed = live(&owasp(), Json::Null);
        deployed["expression"] = json!(host);
        let gate = skip("a", expression, json!({ "ruleset": "current" }));
        held(&format!("owasp: {{ when: '{host}' }}"), json!([gate, deployed]))
    };
    for others in [
        "http.host ne \"a.example.com\"",
        "not http.host eq \"a.example.com\"",
        "not http.host in {\"a.example.com\"}",
        "http.host in {\"b.example.com\" \"c.example.com\"}",
        "http.host ne \"a.example.com\" and ssl",
        "lower(http.host) ne \"a.example.com\"",
    ] {
        let found = with(others);
        assert!(!found.is_weakened() && found.narrow_skips.is_empty(), "{others}: {found:?}");
    }
    for own in ["ssl", host, "http.host in {\"a.example.com\" \"b.example.com\"}"] {
        assert!(with(own).is_weakened(), "{own}");
    }
}

#[test]
fn a_skip_that_repeats_an_exception_of_the_spec_is_no_finding() {
    let host = "http.host eq \"a.example.com\"";
    let (ids, numbers) = six();
    let rules = |ids: &[String]| json!({ "rules": { owasp().id.0: ids } });
    let everything = || json!({ "ruleset": "current" });
    let with = |own: &str, expression: &str, parameters: Json| {
        let section = format!(
            "owasp: on\nexceptions:\n  - {{ name: own, when: '{host}', skip: {own}, reason: x }}"
        );
        let gate = skip("a", expression, parameters);
        let plan = plan(&section, json!([gate, live(&owasp(), Json::Null)]), Json::Null);
        plan.in_force[0].in_force.clone()
    };
    let own_rules = format!("{{ owasp: [{numbers}] }}");
    for (own, expression, parameters) in [
        (own_rules.as_str(), host, rules(&ids)),
        (&own_rules, "http.host eq \"a.example.com\" and ssl", rules(&ids)),
        (&own_rules, host, rules(&ids[..2])),
        ("{ ruleset: owasp }", host, rules(&ids)),
        ("{ ruleset: owasp }", host, everything()),
        ("everything", host, json!({ "rulesets": [owasp().id.0] })),
    ] {
        let found = with(own, expression, parameters);
        assert!(!found.is_weakened() && found.narrow_skips.is_empty(), "{own}: {found:?}");
    }
    for (expression, parameters) in
        [("true", rules(&ids)), (host, everything()), ("ssl", rules(&ids))]
    {
        assert!(with(&own_rules, expression, parameters).is_weakened(), "{expression}");
    }
    // Beyond the own exception, one rule is left.
    let found = with("{ owasp: [942100, 941100, 941110, 930100, 930110] }", host, rules(&ids));
    assert!(!found.is_weakened() && found.narrow_skips.len() == 1, "{found:?}");
}

#[test]
fn exceptions_of_the_spec_count_together() {
    let (ids, numbers) = six();
    let own_rules = format!("{{ owasp: [{numbers}] }}");
    let rules = || json!({ "rules": { owasp().id.0: ids } });
    let everything = || json!({ "ruleset": "current" });
    let with = |own: &[(&str, &str)], expression: &str, parameters: Json| {
        let list = if own.is_empty() { "exceptions: []" } else { "exceptions:" };
        let mut section = format!("owasp: on\n{list}\n");
        for (n, (when, skip)) in own.iter().enumerate() {
            let when = in_zone(when);
            section.push_str(&format!(
                "  - {{ name: own{n}, when: '{when}', skip: {skip}, reason: x }}\n"
            ));
        }
        let gate = skip("a", &in_zone(expression), parameters);
        let plan = plan(&section, json!([gate, live(&owasp(), Json::Null)]), Json::Null);
        plan.in_force[0].in_force.clone()
    };
    for (own, expression) in [
        (&["HOST eq A", "HOST eq B"][..], "HOST in {A B}"),
        (&["HOST eq A", "HOST eq B"], "HOST eq A or HOST eq B"),
        (&["HOST eq A", "HOST eq B"], "HOST in {A B} and ssl"),
        (&["HOST eq A", "HOST eq B"], "ssl and (HOST eq A or HOST eq B)"),
        (&["HOST eq A", "HOST in {B C}"], "not (HOST ne A and HOST ne B and HOST ne C)"),
        (&["HOST eq A", "HOST eq B"], "HOST eq A xor HOST eq B"),
        (&["HOST eq A and ssl", "HOST eq A and not ssl"], "HOST eq A"),
        (&["HOST eq A", "HOST ne A"], "true"),
        (&["not HOST in {A B}"], "HOST ne A and HOST ne B"),
        (&["HOST ne A and HOST ne B"], "not HOST in {A B}"),
        (&["SCORE in {1..50}", "SCORE gt 50"], "SCORE in {40..60}"),
        (&["SCORE lt 30", "SCORE ge 30"], "ssl"),
        (&["COUNTRY eq \"DE\"", "COUNTRY in {\"FR\" \"IT\"}"], "COUNTRY in {\"IT\" \"DE\"}"),
        (&["HOST in $hosts", "HOST eq A"], "HOST in $hosts or HOST eq A"),
        (&["HOST in $hosts"], "HOST in $hosts and ssl"),
        (&["ends_with(HOST, \"a.example.com\")", "HOST eq B"], "HOST in {A B}"),
        (
            &["HOST wildcard \"*.example.com\"", "HOST eq \"example.com\""],
            "HOST in {A \"example.com\"}",
        ),
    ] {
        let everything_own: Vec<_> = own.iter().map(|when| (*when, "everything")).collect();
        let found = with(&everything_own, expression, everything());
        assert!(!found.is_weakened() && found.narrow_skips.is_empty(), "{expression}: {found:?}");
        let rules_own: Vec<_> = own.iter().map(|when| (*when, own_rules.as_str())).collect();
        let found = with(&rules_own, expression, rules());
        assert!(!found.is_weakened() && found.narrow_skips.is_empty(), "{expression}: {found:?}");
        // One of them does not have all, and an exception for few rules does not free from all.
        assert!(with(&everything_own[1..], expression, everything()).is_weakened(), "{expression}");
        assert!(with(&rules_own, expression, everything()).is_weakened(), "{expression}");
    }
    let mixed = [("HOST eq A", "everything"), ("HOST eq B", own_rules.as_str())];
    assert!(!with(&mixed, "HOST in {A B}", rules()).is_weakened());
    assert!(with(&mixed, "HOST in {A B}", everything()).is_weakened());
    // What is left is one page.
    let found = with(&mixed, "HOST eq A or PATH eq \"/x\"", everything());
    assert!(!found.is_weakened() && found.narrow_skips.len() == 1, "{found:?}");
    assert!(with(&mixed, "HOST eq A or ssl", everything()).is_weakened());
}

/// Expands the words of a short expression.
fn in_zone(text: &str) -> String {
    [
        ("HOST", "http.host"),
        ("PATH", "http.request.uri.path"),
        ("SCORE", "cf.bot_management.score"),
        ("COUNTRY", "ip.src.country"),
        (" A", " \"a.example.com\""),
        ("{A", "{\"a.example.com\""),
        (" B", " \"b.example.com\""),
        ("{B", "{\"b.example.com\""),
        (" C", " \"c.example.com\""),
    ]
    .iter()
    .fold(text.to_owned(), |text, (word, field)| text.replace(word, field))
}

#[test]
fn a_skip_for_few_requests_is_found_in_every_form() {
    let with = |expression: &str| {
        let gate = skip("a", &in_zone(expression), json!({ "ruleset": "current" }));
        held("owasp: on", json!([gate, live(&owasp(), Json::Null)]))
    };
    for few in [
        "url_decode(PATH) eq \"/a\"",
        "PATH eq \"/a\" xor PATH eq \"/b\"",
        "not (PATH ne \"/a\" and PATH ne \"/b\")",
        "starts_with(http.request.uri, \"/hooks/pay/\")",
        "starts_with(http.request.full_uri, \"https://a.example.com/hooks/pay/\")",
        "lower(url_decode(PATH)) in {\"/a\" \"/b\"}",
    ] {
        let found = with(few);
        assert!(!found.is_weakened() && found.narrow_skips.len() == 1, "{few}: {found:?}");
    }
    for wide in
        ["PATH ne \"/a\"", "PATH eq \"/a\" xor ssl", "not (PATH eq \"/a\" xor PATH eq \"/b\")"]
    {
        assert!(with(wide).is_weakened(), "{wide}");
    }
}

#[test]
fn a_skip_in_an_earlier_phase_counts() {
    let custom = |expression: &str, parameters: Json| {
        let managed = json!([live(&owasp(), Json::Null)]);
        let plan = plan("owasp: on", managed, json!([skip("c", expression, parameters)]));
        plan.in_force[0].in_force.clone()
    };
    let phases = json!({ "phases": ["http_request_firewall_managed"] });
    let found = custom("true", phases.clone());
    assert!(found.is_weakened() && found.summary().contains("skip-c"), "{found:?}");
    assert!(!custom("ip.src in {192.0.2.1}", phases).is_weakened());
    assert!(
        !custom("true", json!({ "ruleset": "current" })).is_weakened(),
        "the rest of the custom rules"
    );
    assert!(!custom("true", json!({ "products": ["waf"] })).is_weakened(), "another product");
    let mut waf = waf();
    waf.unread.insert(Phase::Custom, Unread::Failed("HTTP 403".to_owned()));
    let (plan, diagnostics) =
        plan_of(&[(Phase::Managed, json!([live(&owasp(), Json::Null)]))], &waf, "owasp: on");
    assert!(!plan.in_force[0].in_force.is_weakened());
    let codes: Vec<_> = diagnostics.iter().map(|d| d.code()).collect();
    assert!(codes.contains(&"WAF0035") && !diagnostics.has_errors(), "{codes:?}");
}

#[test]
fn what_the_plan_changes_is_not_reported_twice() {
    let off = json!([live(&owasp(), json!({ "enabled": false }))]);
    let pruned = plan("unmanaged: prune\nowasp: on", off.clone(), Json::Null);
    assert_eq!(pruned.operations.len(), 1, "{:?}", pruned.operations);
    assert!(!pruned.in_force[0].in_force.is_weakened());
    // Pruning reaches exceptions of others only if the list is named.
    let skipped =
        json!([skip("a", "true", json!({ "ruleset": "current" })), live(&owasp(), Json::Null)]);
    let left = plan("unmanaged: prune\nowasp: on", skipped.clone(), Json::Null);
    assert!(left.is_empty() && left.in_force[0].in_force.is_weakened());
    let listed = plan("unmanaged: prune\nowasp: on\nexceptions: []", skipped, Json::Null);
    assert!(!listed.is_empty() && !listed.in_force[0].in_force.is_weakened());
    // A deployment that is disabled is switched on.
    let mut disabled = live(&owasp(), Json::Null);
    disabled["enabled"] = json!(false);
    let on = plan("owasp: on", json!([disabled]), Json::Null);
    assert!(!on.is_empty() && !on.in_force[0].in_force.is_weakened());
    // Nothing is promised.
    for section in ["owasp: off", "owasp: { raw: { enabled: false } }", "custom: []"] {
        assert!(plan(section, off.clone(), Json::Null).in_force.is_empty(), "{section}");
    }
}

#[test]
fn two_deployments_are_two_findings_and_a_third_is_none() {
    let third = json!({
        "id": "e".repeat(32), "version": "1", "action": "execute", "expression": "true", "enabled": true,
        "action_parameters": { "id": "c2e184081120413c86c3ab7e14069605", "overrides": { "enabled": false } },
    });
    let mut owasp_rule = live(&owasp(), json!({ "enabled": false }));
    owasp_rule["id"] = json!("f".repeat(32));
    let rules = json!([live(&cloudflare(), json!({ "action": "log" })), owasp_rule, third]);
    let plan = plan("owasp: on\ncloudflare: on", rules, Json::Null);
    let weak: Vec<_> = plan
        .in_force
        .iter()
        .filter(|one| one.in_force.is_weakened())
        .map(|one| one.address.as_str())
        .collect();
    assert_eq!(weak.len(), 2, "{weak:?}");
    assert_eq!(plan.set_aside.iter().map(|aside| aside.count()).sum::<usize>(), 1);
    assert_eq!(plan.in_force[0].modified_on.as_deref(), Some("2026-11-20T10:00:00Z"));
}

#[test]
fn a_pinned_version_is_a_note_and_compared_by_its_own_rules() {
    let mut rule = live(&owasp(), Json::Null);
    rule["action_parameters"]["version"] = json!("35");
    let found = held("owasp: on", json!([rule.clone()]));
    assert!(
        !found.is_weakened() && found.choices[0].contains("version 35 could not be read"),
        "{found:?}"
    );
    let mut waf = waf();
    let mut old = owasp();
    old.version = "35".to_owned();
    old.rules.list_mut().retain(|rule| rule.number != Some(942_100));
    waf.pinned.push(std::sync::Arc::new(old));
    rule["action_parameters"]["overrides"] =
        json!({ "rules": [{ "id": id_of(942_100), "enabled": false }] });
    let (plan, _) = plan_of(&[(Phase::Managed, json!([rule]))], &waf, "owasp: on");
    let found = &plan.in_force[0].in_force;
    assert!(
        !found.is_weakened() && found.unknown.is_empty(),
        "the rule is not in that version: {found:?}"
    );
    assert!(found.choices[0].contains("pinned to version 35"), "{found:?}");
}

/// An entry holds for one thing with one value.
#[test]
fn what_is_accepted_is_bound_to_its_value() {
    let codes = |section: &str, overrides: Json| {
        let rules =
            json!([skip("a", "true", json!({ "ruleset": "current" })), live(&owasp(), overrides)]);
        let (plan, diagnostics) = plan_of(&[(Phase::Managed, rules)], &waf(), section);
        let mut codes: Vec<_> =
            diagnostics.iter().map(|d| d.code()).filter(|code| *code != "PLAN0018").collect();
        codes.sort_unstable();
        (plan.in_force[0].in_force.shortfalls.len(), codes)
    };
    let skip = "{ rule: skip-a, is: { when: all, skip: everything }, reason: x }";
    let accept = |more: &str| format!("owasp: on\naccept:\n  - {skip}\n{more}");
    let threshold = || score(json!({ "score_threshold": 100 }));
    assert_eq!(codes(&accept(""), Json::Null), (0, vec!["PLAN0053"]));
    assert_eq!(
        codes(&accept("  - { key: threshold, is: 100, reason: x }"), threshold()),
        (0, vec!["PLAN0053"])
    );
    assert_eq!(
        codes(&accept("  - { override: 949110, is: off, reason: x }"), threshold()).0,
        1,
        "another value"
    );
    assert_eq!(
        codes(&accept("  - { key: threshold, is: 80, reason: x }"), threshold()),
        (1, vec!["PLAN0052", "PLAN0053"])
    );
    assert_eq!(
        codes(&accept("  - { key: threshold, is: 100, reason: x }"), Json::Null).1,
        ["PLAN0053", "WAF0034"]
    );
    let tuned = || json!({ "rules": [{ "id": id_of(942_100), "enabled": false }] });
    assert_eq!(
        codes(&accept("  - { override: 942100, is: off, reason: x }"), tuned()),
        (0, vec!["PLAN0053"])
    );
    assert_eq!(
        codes(&accept("  - { override: 942110, is: off, reason: x }"), tuned()).1,
        ["PLAN0052", "PLAN0053", "WAF0034"]
    );
    let off = || json!({ "categories": [{ "category": "paranoia-level-1", "enabled": false }] });
    assert_eq!(
        codes(&accept("  - { override: paranoia-level-1, is: off, reason: x }"), off()).0,
        0
    );
    let log = || score(json!({ "action": "log" }));
    assert_eq!(codes(&accept("  - { key: action, is: log, reason: x }"), log()).0, 0);
    assert_eq!(codes(&accept("  - { override: 949110, is: log, reason: x }"), log()).0, 0);
    let all = || json!({ "enabled": false });
    assert!(codes(&accept("  - { key: enabled, is: false, reason: x }"), all()).0 == 0);
    // Another rule, another expression, another target.
    for other in [
        "{ rule: skip-b, is: { when: all, skip: everything }, reason: x }",
        "{ rule: skip-a, is: { when: ssl, skip: everything }, reason: x }",
        "{ rule: skip-a, is: { when: all, skip: { phases: [http_ratelimit] } }, reason: x }",
        "{ rule: skip-a, is: { when: all, skip: everything }, ruleset: cloudflare, reason: x }",
    ] {
        assert_eq!(codes(&format!("owasp: on\naccept: [{other}]"), Json::Null).0, 1, "{other}");
    }
}
