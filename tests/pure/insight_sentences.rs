//! The sentences about a change of protection, and the direction of each kind of change.

use crate::support::rulesets::{
    body, cloudflare, deployment, id_of, owasp, owasp_of, scoring_rule, tuning, waf,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value as Json, json};
use zonewright::insight::Direction;
use zonewright::insight::waf::{
    Deployed, Difference, Impact, NO_EFFECT, deployment_impact, difference, rule_impact, survey,
    unreachable_families,
};
use zonewright::model::facts::owasp::ANOMALY_RULE;
use zonewright::model::facts::rulesets::SCORE_ACTIONS;
use zonewright::model::managed::{Managed, Overrides};
use zonewright::model::ruleset::{
    EntryPoint, LiveRule, LiveRuleset, LiveWaf, Phase, RuleBody, RuleId, RulesetId, canonical,
};

/// Returns the impact on the OWASP ruleset of a change of overrides.
fn owasp_change(before: Json, after: Json) -> Impact {
    let catalogue = owasp();
    deployment_impact(
        Some(&deployment(&catalogue, before)),
        Some(&deployment(&catalogue, after)),
        Some(&catalogue),
    )
}

/// Returns the impact on the Cloudflare ruleset of a change of overrides.
fn cloudflare_change(before: Json, after: Json) -> Impact {
    let catalogue = cloudflare();
    deployment_impact(
        Some(&deployment(&catalogue, before)),
        Some(&deployment(&catalogue, after)),
        Some(&catalogue),
    )
}

/// Overrides of single rules beside paranoia 2, threshold 40, block.
fn with_rules(rules: &[Json]) -> Json {
    let mut overrides = tuning(2, 40, "block");
    overrides["rules"].as_array_mut().expect("a list").extend(rules.iter().cloned());
    overrides
}

/// Returns true if a sentence is there.
fn says(impact: &Impact, sentence: &str) -> bool {
    impact.lines.iter().any(|l| l.contains(sentence))
}

#[track_caller]
fn expect(impact: &Impact, direction: Direction, sentences: &[&str]) {
    assert_eq!(impact.direction, direction, "{:#?}", impact.lines);
    for sentence in sentences {
        assert!(says(impact, sentence), "{sentence:?} is not said: {:#?}", impact.lines);
    }
}

#[test]
fn a_paranoia_level_says_what_it_switches() {
    let raised = owasp_change(tuning(1, 40, "block"), tuning(2, 40, "block"));
    let line = "paranoia 1 → 2 switches on 49 rules: SQL injection 24, protocol enforcement 8, cross-site scripting 6";
    expect(&raised, Direction::Strengthens, &[line, "49 of 210 rules change"]);
    let lowered = owasp_change(tuning(2, 40, "block"), tuning(1, 40, "block"));
    expect(
        &lowered,
        Direction::Weakens,
        &["paranoia 2 → 1 switches off 49 rules: SQL injection 24"],
    );
    let odd = json!({ "categories": [{ "category": "paranoia-level-1", "enabled": false }] });
    let all_but_one = owasp_change(json!({}), odd);
    expect(&all_but_one, Direction::Weakens, &["paranoia 4 → custom switches off 135 rules"]);
}

#[test]
fn threshold_and_action_say_what_they_mean() {
    let lower = owasp_change(tuning(2, 60, "block"), tuning(2, 40, "block"));
    expect(
        &lower,
        Direction::Strengthens,
        &["threshold 60 → 40: needs 8 instead of 12 critical (+5) hits to act"],
    );
    let log = owasp_change(tuning(2, 40, "block"), tuning(2, 40, "log"));
    expect(
        &log,
        Direction::Weakens,
        &["action block → log: requests at or above the threshold pass and are only logged"],
    );
    let swap = owasp_change(tuning(2, 40, "js_challenge"), tuning(2, 40, "managed_challenge"));
    expect(&swap, Direction::Neutral, &["js_challenge → managed_challenge"]);
    assert!(!says(&swap, NO_EFFECT));
    let mixed = owasp_change(tuning(1, 60, "log"), tuning(3, 60, "block"));
    expect(&mixed, Direction::Strengthens, &["paranoia 1 → 3", "action log → block"]);
    let both = owasp_change(tuning(1, 60, "block"), tuning(2, 60, "log"));
    expect(&both, Direction::Weakens, &["paranoia 1 → 2", "action block → log"]);
}

#[test]
fn single_rules_are_named() {
    let off = json!({ "id": id_of(942_430), "enabled": false });
    let impact = owasp_change(with_rules(&[]), with_rules(std::slice::from_ref(&off)));
    expect(
        &impact,
        Direction::Weakens,
        &["942430 off: SQL injection", "paranoia 2, score 3", "1 of 210 rules change"],
    );
    let back = owasp_change(with_rules(&[off]), with_rules(&[]));
    expect(&back, Direction::Strengthens, &["942430 on: SQL injection"]);
    let above = owasp_change(
        with_rules(&[]),
        with_rules(&[json!({ "id": id_of(942_431), "enabled": false })]),
    );
    let line = "942431 is disabled but off at this level anyway: no effect until paranoia 3";
    expect(&above, Direction::Neutral, &[NO_EFFECT, line]);
    let unknown = json!({ "id": "37da785500000000000000000000abcd", "enabled": false });
    let nobody = owasp_change(with_rules(&[]), with_rules(&[unknown]));
    let line = "override 37da7855… names no rule of version 36 (removed or never existed): no effect on traffic";
    expect(&nobody, Direction::Neutral, &[line]);
}

#[test]
fn what_makes_no_difference_says_so() {
    let explicit = json!({
        "categories": [{ "category": "paranoia-level-4", "enabled": false }, { "category": "paranoia-level-3", "enabled": false }],
        "rules": [
            { "id": id_of(942_100), "enabled": true },
            { "id": ANOMALY_RULE, "score_threshold": 40, "action": "block" },
        ],
    });
    let same = owasp_change(tuning(2, 40, "block"), explicit);
    expect(&same, Direction::Neutral, &[NO_EFFECT, "942100 is enabled but on anyway"]);
    let mut all = tuning(2, 40, "block");
    all["action"] = json!("log");
    let reach = owasp_change(tuning(2, 40, "block"), all);
    expect(&reach, Direction::Neutral, &[NO_EFFECT, "does not change the action at the threshold"]);
    let catalogue = owasp();
    let (plain, mut described) =
        (deployment(&catalogue, json!(null)), deployment(&catalogue, json!(null)));
    described.set("description", "ours");
    expect(
        &deployment_impact(Some(&plain), Some(&described), Some(&catalogue)),
        Direction::Neutral,
        &[NO_EFFECT],
    );
}

#[test]
fn a_deployment_comes_goes_and_changes_its_scope() {
    let catalogue = owasp();
    let on = deployment(&catalogue, tuning(1, 25, "block"));
    let mut off = on.clone();
    off.set("enabled", false);
    let impact =
        |b: Option<&RuleBody>, a: Option<&RuleBody>| deployment_impact(b, a, Some(&catalogue));
    let made = impact(None, Some(&on));
    let reach =
        "these categories can never reach 25, even if every rule matches: method enforcement 5";
    expect(
        &made,
        Direction::Strengthens,
        &["is deployed for all requests: 135 of 210 rules on, paranoia 1", reach],
    );
    expect(
        &impact(Some(&on), None),
        Direction::Weakens,
        &["the deployment is removed: the whole OWASP ruleset is off"],
    );
    expect(
        &impact(Some(&on), Some(&off)),
        Direction::Weakens,
        &["the whole OWASP ruleset is switched off"],
    );
    expect(
        &impact(Some(&off), Some(&on)),
        Direction::Strengthens,
        &["is switched on for all requests"],
    );
    expect(&impact(Some(&off), None), Direction::Neutral, &["the ruleset is off"]);
    let (mut narrow, mut other) = (on.clone(), on.clone());
    narrow.set("expression", "http.host eq \"a.example\"");
    other.set("expression", "http.host eq \"b.example\"");
    expect(
        &impact(Some(&on), Some(&narrow)),
        Direction::Weakens,
        &["scope all requests → `http.host eq \"a.example\"`"],
    );
    expect(
        &impact(Some(&narrow), Some(&on)),
        Direction::Strengthens,
        &["at least as many requests match"],
    );
    expect(&impact(Some(&narrow), Some(&other)), Direction::Both, &["other requests match"]);
    let mut either = on.clone();
    either.set("expression", "http.host in {\"b.example\" \"a.example\"}");
    expect(
        &impact(Some(&narrow), Some(&either)),
        Direction::Strengthens,
        &["at least as many requests match"],
    );
    let mut spelt = narrow.clone();
    spelt.set("expression", "(http.host == \"a.example\")");
    expect(&impact(Some(&narrow), Some(&spelt)), Direction::Neutral, &[NO_EFFECT]);
    let mut pinned = on.clone();
    pinned.set_parameter("version", "35");
    expect(&impact(Some(&on), Some(&pinned)), Direction::Unclassified, &["version latest → 35"]);
    let mut strange = on.clone();
    strange.set_parameter("mystery", true);
    expect(&impact(Some(&on), Some(&strange)), Direction::Unclassified, &["mystery changes"]);
    let dead =
        deployment(&catalogue, json!({ "rules": [{ "id": ANOMALY_RULE, "enabled": false }] }));
    expect(
        &impact(Some(&on), Some(&dead)),
        Direction::Weakens,
        &["the whole OWASP ruleset does nothing"],
    );
    expect(&impact(None, Some(&dead)), Direction::Neutral, &[NO_EFFECT]);
    expect(
        &deployment_impact(Some(&on), Some(&dead), None),
        Direction::Unclassified,
        &["are not known"],
    );
}

#[test]
fn the_cloudflare_ruleset_is_compared_by_its_actions() {
    let tag =
        |action: &str| json!({ "categories": [{ "category": "wordpress", "action": action }] });
    expect(
        &cloudflare_change(json!(null), tag("log")),
        Direction::Weakens,
        &["tag wordpress: action block → log of \"A\", \"B\""],
    );
    expect(
        &cloudflare_change(tag("log"), tag("managed_challenge")),
        Direction::Strengthens,
        &["are challenged", "2 of 6"],
    );
    let off = json!({ "categories": [{ "category": "drupal", "enabled": false }] });
    expect(
        &cloudflare_change(json!(null), off),
        Direction::Weakens,
        &["tag drupal switches off 2 rules: \"C\", \"D\""],
    );
    let all_off = json!({ "enabled": false });
    expect(
        &cloudflare_change(json!(null), all_off),
        Direction::Weakens,
        &["the override of the whole ruleset switches off 5 rules"],
    );
    let order = |first: &str, second: &str| {
        let item = |tag: &str| json!({ "category": tag, "action": if tag == "all" { "log" } else { "block" } });
        json!({ "categories": [item(first), item(second)] })
    };
    expect(
        &cloudflare_change(order("all", "cve"), order("cve", "all")),
        Direction::Weakens,
        &["tag all: action block → log of \"E\""],
    );
    let disjoint = |tags: [&str; 2]| json!({ "categories": tags.map(|tag| json!({ "category": tag, "action": "log" })) });
    expect(
        &cloudflare_change(disjoint(["cve", "drupal"]), disjoint(["drupal", "cve"])),
        Direction::Neutral,
        &[NO_EFFECT],
    );
}

/// Returns a skip rule in the managed phase.
fn exception(parameters: Json) -> RuleBody {
    body(
        json!({ "action": "skip", "expression": "http.host eq \"a.example\"", "action_parameters": parameters, "logging": { "enabled": true } }),
    )
}

#[test]
fn exceptions_weaken_as_they_grow() {
    let waf = waf();
    let owasp = Managed::Owasp.facts().id;
    let rules = |numbers: &[u32]| {
        let ids: Vec<_> = numbers.iter().map(|n| id_of(*n)).collect();
        exception(json!({ "rules": { owasp: ids } }))
    };
    let impact =
        |b: Option<&RuleBody>, a: Option<&RuleBody>| rule_impact(Phase::Managed, b, a, &waf);
    let one = rules(&[941_320]);
    let line =
        "requests where `http.host eq \"a.example\"` bypass rule 941320 of the OWASP ruleset";
    expect(&impact(None, Some(&one)), Direction::Weakens, &[line]);
    expect(&impact(Some(&one), None), Direction::Strengthens, &["no longer bypass rule 941320"]);
    let two = rules(&[941_160, 941_320]);
    expect(&impact(Some(&one), Some(&two)), Direction::Weakens, &["also bypasses rule 941160"]);
    expect(
        &impact(Some(&two), Some(&one)),
        Direction::Strengthens,
        &["no longer bypasses rule 941160"],
    );
    expect(&impact(Some(&one), Some(&rules(&[941_160]))), Direction::Both, &["also", "no longer"]);
    let whole = exception(json!({ "rulesets": [owasp] }));
    expect(&impact(Some(&two), Some(&whole)), Direction::Weakens, &["the whole OWASP ruleset"]);
    let all = exception(json!({ "ruleset": "current" }));
    expect(&impact(Some(&whole), Some(&all)), Direction::Weakens, &["all managed rules after it"]);
    let trap = exception(json!({ "rules": { owasp: [ANOMALY_RULE] } }));
    let line = "switches the whole OWASP ruleset off for the requests it names";
    expect(&impact(None, Some(&trap)), Direction::Weakens, &[line]);
    expect(&impact(Some(&trap), Some(&whole)), Direction::Neutral, &[NO_EFFECT]);
    let void = exception(json!({ "rules": { owasp: ["37da785500000000000000000000abcd"] } }));
    expect(
        &impact(None, Some(&void)),
        Direction::Neutral,
        &["37da7855… names no rule of version 36"],
    );
    let mut wider = one.clone();
    wider.set("expression", "true");
    let (more, less) = ("at least as many requests match", "at most as many requests match");
    expect(&impact(Some(&one), Some(&wider)), Direction::Weakens, &[more]);
    expect(&impact(Some(&wider), Some(&one)), Direction::Strengthens, &[less]);
    let mut quiet = one.clone();
    quiet.set("logging", json_value(json!({ "enabled": false })));
    expect(
        &impact(Some(&one), Some(&quiet)),
        Direction::Neutral,
        &[NO_EFFECT, "not logged any more"],
    );
    let custom = rule_impact(
        Phase::Custom,
        None,
        Some(&exception(
            json!({ "phases": ["http_request_firewall_managed"], "products": ["bic"] }),
        )),
        &waf,
    );
    expect(&custom, Direction::Weakens, &["all managed rules", "the product bic"]);
}

/// Returns a value from JSON.
fn json_value(json: Json) -> zonewright::model::Value {
    zonewright::wire::settings::from_json(&json)
}

#[test]
fn custom_rules_and_rate_limits_go_by_what_they_stop() {
    let waf = LiveWaf::default();
    let rule = |action: &str| {
        body(json!({ "action": action, "expression": "http.host eq \"a.example\"" }))
    };
    let custom =
        |b: Option<&RuleBody>, a: Option<&RuleBody>| rule_impact(Phase::Custom, b, a, &waf);
    expect(&custom(None, Some(&rule("block"))), Direction::Strengthens, &["are blocked"]);
    expect(&custom(Some(&rule("block")), None), Direction::Weakens, &["are no longer blocked"]);
    expect(
        &custom(Some(&rule("block")), Some(&rule("log"))),
        Direction::Weakens,
        &["action block → log"],
    );
    expect(
        &custom(Some(&rule("block")), Some(&rule("skip"))),
        Direction::Weakens,
        &["becomes an exception"],
    );
    let mut off = rule("block");
    off.set("enabled", false);
    expect(
        &custom(Some(&rule("block")), Some(&off)),
        Direction::Weakens,
        &["the rule is switched off"],
    );
    let mut told = rule("block");
    told.set("description", "why");
    expect(&custom(Some(&rule("block")), Some(&told)), Direction::Neutral, &[NO_EFFECT]);
    let rate = |per: &[&str], requests: u32, period: u32, timeout: u32| {
        body(json!({
            "action": "block", "expression": "true",
            "ratelimit": { "characteristics": per, "requests_per_period": requests, "period": period, "mitigation_timeout": timeout },
        }))
    };
    let base = rate(&["cf.colo.id", "ip.src"], 5, 60, 600);
    let limit = |after: RuleBody| rule_impact(Phase::RateLimit, Some(&base), Some(&after), &waf);
    let made = rule_impact(Phase::RateLimit, None, Some(&base), &waf);
    expect(
        &made,
        Direction::Strengthens,
        &["more than 5 requests in 60 s by ip.src are blocked for 600 s"],
    );
    expect(
        &limit(rate(&["cf.colo.id", "ip.src"], 3, 60, 600)),
        Direction::Strengthens,
        &["limit 5 → 3"],
    );
    expect(
        &limit(rate(&["cf.colo.id", "ip.src"], 5, 60, 60)),
        Direction::Weakens,
        &["timeout 600 s → 60 s"],
    );
    let by_ip = |requests: u32, period: u32| rate(&["cf.colo.id", "ip.src"], requests, period, 600);
    for (requests, period, direction, line) in [
        (5, 10, Direction::Weakens, "period 60 s → 10 s: the limit is reached later"),
        (6, 10, Direction::Weakens, "limit 5 in 60 s → 6 in 10 s: the limit is reached later"),
        (5, 120, Direction::Strengthens, "period 60 s → 120 s: the limit is reached sooner"),
        (4, 120, Direction::Strengthens, "limit 5 in 60 s → 4 in 120 s"),
        (1, 30, Direction::Strengthens, "limit 5 in 60 s → 1 in 30 s"),
        (1, 12, Direction::Strengthens, "limit 5 in 60 s → 1 in 12 s"),
        (
            4,
            10,
            Direction::Both,
            "smaller bursts reach the limit, and a higher steady rate does not",
        ),
        (10, 120, Direction::Weakens, "limit 5 in 60 s → 10 in 120 s"),
        (20, 120, Direction::Weakens, "limit 5 in 60 s → 20 in 120 s"),
        (
            6,
            120,
            Direction::Both,
            "a lower steady rate reaches the limit, and larger bursts do not",
        ),
    ] {
        expect(&limit(by_ip(requests, period)), direction, &[line]);
        let back = rule_impact(Phase::RateLimit, Some(&by_ip(requests, period)), Some(&base), &waf);
        assert_eq!(back.direction, direction.reversed());
    }
    expect(
        &limit(rate(&["ip.src", "cf.colo.id", "http.host"], 5, 60, 600)),
        Direction::Weakens,
        &["counted by ip.src → http.host, ip.src"],
    );
    expect(&limit(rate(&["ip.src", "cf.colo.id"], 5, 60, 600)), Direction::Neutral, &[NO_EFFECT]);
}

#[test]
fn without_an_expression_of_its_own_a_rate_counts_what_the_rule_concerns() {
    let limit = |concerned: &str, counted: Json| {
        body(json!({
            "action": "block", "expression": concerned,
            "ratelimit": { "characteristics": ["ip.src"], "requests_per_period": 5, "period": 60, "counting_expression": counted },
        }))
    };
    let impact = |b: &RuleBody, a: &RuleBody| {
        rule_impact(Phase::RateLimit, Some(b), Some(a), &LiveWaf::default())
    };
    let narrow = limit("ssl", json!("ssl and http.host eq \"a.example\""));
    for plain in [limit("ssl", Json::Null), limit("ssl", json!(""))] {
        expect(&impact(&plain, &narrow), Direction::Weakens, &["what is counted: scope `ssl` → "]);
        assert_eq!(impact(&narrow, &plain).direction, Direction::Strengthens);
        assert_eq!(impact(&plain, &limit("ssl", json!("ssl"))).direction, Direction::Neutral);
    }
    assert_eq!(
        impact(&limit("ssl", Json::Null), &limit("ssl", json!("http.host eq \"b\""))).direction,
        Direction::Unclassified
    );
}

#[test]
fn reach_counts_scores_and_says_what_it_assumed() {
    let families = |paranoia: u8, threshold: u32| {
        let value = json_value(tuning(paranoia, threshold, "block"));
        let overrides = Overrides::read(Some(&value)).expect("a known shape");
        unreachable_families(&owasp(), &overrides).iter().map(|r| r.family.key).collect::<Vec<_>>()
    };
    let always = ["method", "multipart", "lfi", "rfi", "node", "session-fixation"];
    for level in 1..=4 {
        let found = families(level, 25);
        assert!(always.iter().all(|f| found.contains(f)), "{level}: {found:?}");
    }
    assert!(families(1, 25).contains(&"java") && !families(2, 25).contains(&"java"));
    assert!(families(4, 40).contains(&"scanner") && families(4, 60).contains(&"java"));
    let unknown = owasp_of(vec![scoring_rule(930_999, 1, None), scoring_rule(930_998, 1, Some(3))]);
    let reach = unreachable_families(&unknown, &Overrides::default());
    assert_eq!((reach[0].total, reach[0].assumed.as_slice()), (8, &["930999".to_owned()][..]));
    assert!(reach[0].sentence().contains("unknown score taken as 5: 930999"));
}

/// Returns the strength of an action, written independently of the program.
fn rank(action: &str) -> u32 {
    match action {
        "block" => 3,
        "log" => 1,
        _ => 2,
    }
}

#[test]
fn the_direction_of_every_pair_of_settings_follows_the_lattice() {
    let settings: Vec<(u8, u32, &str)> = (1..=4)
        .flat_map(|level| [25, 40, 60].map(|t| (level, t)))
        .flat_map(|(level, t)| SCORE_ACTIONS.iter().map(move |a| (level, t, *a)))
        .collect();
    let catalogue = owasp();
    let bodies: Vec<_> =
        settings.iter().map(|(l, t, a)| deployment(&catalogue, tuning(*l, *t, a))).collect();
    for (before, left) in settings.iter().zip(&bodies) {
        for (after, right) in settings.iter().zip(&bodies) {
            // If the ruleset only logs, neither the level nor the threshold matters.
            let logs = before.2 == "log" || after.2 == "log";
            let count = |order| if logs { std::cmp::Ordering::Equal } else { order };
            let (level, threshold) = (after.0.cmp(&before.0), before.1.cmp(&after.1));
            let signs = [count(level), count(threshold), rank(after.2).cmp(&rank(before.2))];
            let (up, down) = (signs.iter().any(|s| s.is_gt()), signs.iter().any(|s| s.is_lt()));
            let expected = match (up, down) {
                (true, true) => Direction::Both,
                (true, false) => Direction::Strengthens,
                (false, true) => Direction::Weakens,
                (false, false) => Direction::Neutral,
            };
            let found = deployment_impact(Some(left), Some(right), Some(&catalogue)).direction;
            assert_eq!(found, expected, "{before:?} → {after:?}");
            let back = deployment_impact(Some(right), Some(left), Some(&catalogue)).direction;
            assert_eq!(back, expected.reversed());
        }
    }
}

#[test]
fn unknown_members_are_named() {
    let level = |value: &str| json!({ "categories": [{ "category": "wordpress", "sensitivity_level": value }] });
    let line = "sensitivity_level of tag wordpress changes: its effect is unknown";
    expect(&cloudflare_change(level("low"), level("medium")), Direction::Unclassified, &[line]);
    let nobody = |value: &str| json!({ "categories": [{ "category": "nobody", "sensitivity_level": value }] });
    expect(&cloudflare_change(nobody("low"), nobody("medium")), Direction::Neutral, &[NO_EFFECT]);
    let weaker = json!({ "action": "log", "sensitivity_level": "low" });
    expect(
        &cloudflare_change(json!(null), weaker),
        Direction::Both,
        &["of the overrides changes", "block → log"],
    );
    let custom = |value: bool| {
        let mut rule = body(json!({ "action": "block", "expression": "true" }));
        rule.set("exposed_credential_check", value);
        rule
    };
    let impact = rule_impact(Phase::Custom, Some(&custom(true)), Some(&custom(false)), &waf());
    expect(&impact, Direction::Unclassified, &["exposed_credential_check changes"]);
}

/// Returns a live rule.
fn live(id: &str, body: RuleBody) -> LiveRule {
    LiveRule { id: RuleId(id.to_owned()), last_updated: None, body }
}

/// Returns a zone with these rules in its phases.
fn zone(phases: &[(Phase, Vec<LiveRule>)]) -> LiveWaf {
    let entry_point = |rules: &Vec<LiveRule>| {
        let (id, rules) = (RulesetId("entry".to_owned()), rules.clone());
        EntryPoint::Present(LiveRuleset {
            id,
            version: Some("1".to_owned()),
            last_updated: None,
            rules,
        })
    };
    let entry_points = phases.iter().map(|(phase, rules)| (*phase, entry_point(rules))).collect();
    LiveWaf { entry_points, ..waf() }
}

#[test]
fn a_survey_finds_what_bypasses_a_ruleset() {
    let bypass = body(json!({
        "action": "skip", "ref": "office", "expression": "ip.src eq 192.0.2.1",
        "action_parameters": { "phases": ["http_request_firewall_managed"] },
    }));
    let editor = exception(json!({ "rules": { Managed::Owasp.facts().id: [id_of(941_160)] } }));
    let after = exception(json!({ "ruleset": "current" }));
    let deployed = deployment(&owasp(), tuning(2, 40, "block"));
    let managed = vec![live("1", editor.clone()), live("2", deployed), live("3", after)];
    let zone = zone(&[(Phase::Custom, vec![live("0", bypass)]), (Phase::Managed, managed)]);
    let survey = survey(&zone, None);
    let ruleset = |which: Managed| {
        survey.rulesets.iter().find(|r| r.which == Some(which)).expect("it is there")
    };
    let names: Vec<_> =
        ruleset(Managed::Owasp).exceptions.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["office", "1"], "what stands after the deployment does not act on it");
    let rows = ruleset(Managed::Owasp).rows();
    let exceptions = |number: u32| {
        rows.iter().find(|r| r.rule.number == Some(number)).expect("it is there").exceptions.len()
    };
    assert_eq!((exceptions(941_160), exceptions(942_100)), (2, 1));
    assert_eq!(ruleset(Managed::Cloudflare).deployed, Deployed::No);
    assert!(
        ruleset(Managed::Cloudflare).rows().iter().all(|r| !r.is_on && r.why == "not deployed")
    );
}

#[test]
fn a_difference_is_told_rule_by_rule() {
    let catalogue = owasp();
    let at = |paranoia: u8| live("1", deployment(&catalogue, tuning(paranoia, 40, "block")));
    let skip = |id: &str| {
        live(id, exception(json!({ "rules": { Managed::Owasp.facts().id: [id_of(941_160)] } })))
    };
    let before = zone(&[(Phase::Managed, vec![at(1)])]);
    let after = zone(&[(Phase::Managed, vec![skip("new"), at(2)])]);
    let found = difference(&before, &after);
    assert_eq!((found.direction, found.changed.len(), found.rules.len()), (Direction::Both, 2, 50));
    let passed = found.rules.iter().find(|r| r.rule.number == Some(941_160)).expect("it is there");
    assert_eq!(
        (passed.before == passed.after, passed.exceptions_after.as_slice()),
        (true, &["new".to_owned()][..])
    );
    assert_eq!(difference(&after, &after), Difference::default());
    let turned = zone(&[(Phase::Managed, vec![at(2), skip("new")])]);
    let order = difference(&after, &turned);
    assert_eq!((order.direction, order.rules.len()), (Direction::Unclassified, 1));
}

/// Returns a rule that skips, acts, or does something else, by rate or not.
fn any_rule() -> impl Strategy<Value = RuleBody> {
    let owasp = Managed::Owasp.facts().id;
    let targets = [
        ("ruleset", json!("current")),
        ("rulesets", json!([owasp])),
        ("rules", json!({ owasp: [id_of(942_100), id_of(942_430)] })),
        ("rules", json!({ owasp: [id_of(942_100), ANOMALY_RULE] })),
        ("products", json!(["bic"])),
        ("phases", json!(["http_request_firewall_managed"])),
    ];
    let expressions = [
        "true",
        "false",
        "http.host eq \"a\"",
        "http.host eq \"a\" or http.host eq \"b\"",
        "http.host in {\"a\"}",
    ];
    let rate = (
        (
            1i64..4,
            select(vec![10i64, 20, 60]),
            select(vec![Json::Null, json!("true"), json!("http.host eq \"a\"")]),
        ),
        prop_oneof![Just(0i64), Just(60)],
        subsequence(vec!["cf.colo.id", "ip.src", "http.host"], 0..=3),
    );
    (
        select(vec!["block", "log", "js_challenge", "managed_challenge", "skip", "skip", "rewrite"]),
        select(expressions.to_vec()),
        subsequence(targets.to_vec(), 0..=3),
        prop::option::of(rate),
        prop::bool::weighted(0.85),
        prop::option::of("[a-z]{0,3}"),
    )
        .prop_map(|(action, expression, targets, rate, enabled, description)| {
            let mut rule = body(json!({ "action": action, "expression": expression, "enabled": enabled }));
            if action == "skip" {
                for (name, value) in targets {
                    rule.set_parameter(name, json_value(value));
                }
            } else if let Some(((requests, period, counted), timeout, by)) = rate {
                let rate = json!({
                    "requests_per_period": requests, "period": period, "mitigation_timeout": timeout, "characteristics": by,
                    "counting_expression": counted,
                });
                rule.set("ratelimit", json_value(rate));
            }
            if let Some(description) = description {
                rule.set("description", description);
            }
            rule
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_way_back_goes_the_other_way(before in any_rule(), after in any_rule(), phase in select(Phase::ALL)) {
        let waf = waf();
        let forth = rule_impact(phase, Some(&before), Some(&after), &waf);
        let back = rule_impact(phase, Some(&after), Some(&before), &waf).direction;
        match forth.direction {
            Direction::Neutral | Direction::Strengthens | Direction::Weakens => {
                prop_assert_eq!(back, forth.direction.reversed(), "{:#?}", forth.lines);
            }
            // An unknown part hides a strengthening and shows a weakening.
            Direction::Both | Direction::Unclassified => {
                prop_assert!(matches!(back, Direction::Both | Direction::Unclassified), "{:#?}", forth.lines);
            }
        }
        if canonical(&before) == canonical(&after) {
            prop_assert_eq!(forth.direction, Direction::Neutral);
            prop_assert!(forth.lines[0].starts_with(NO_EFFECT));
        }
        let made = rule_impact(phase, None, Some(&after), &waf).direction;
        prop_assert_eq!(rule_impact(phase, Some(&after), None, &waf).direction, made.reversed());
    }

    #[test]
    fn no_rule_makes_the_calculation_fail(text in "\\PC{0,40}", number in any::<i64>()) {
        let strange = body(json!({
            "action": text, "expression": text, "enabled": text, "action_parameters": { "rules": text, "id": number },
            "ratelimit": { "period": text, "requests_per_period": number }, "logging": number,
        }));
        for action in ["skip", "block", "execute"] {
            let mut rule = strange.clone();
            rule.set("action", action);
            for phase in Phase::ALL {
                let _ = rule_impact(*phase, None, Some(&rule), &waf());
                let _ = rule_impact(*phase, Some(&strange), Some(&rule), &waf());
            }
        }
    }
}
