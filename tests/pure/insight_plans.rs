//! Plans for a zone's protection: the direction of moves, what an exception leaves of a deployment,
//! and which consents are needed.

use std::sync::Arc;

use crate::support::rulesets::{body, deployment, owasp, plan_of, tuning, waf};
use serde_json::{Value as Json, json};
use zonewright::diagnostic::Sources;
use zonewright::insight::Direction;
use zonewright::insight::waf::{Move, MovedRule, cancels, move_impact};
use zonewright::model::ruleset::{EntryPoint, LiveWaf, Phase, RuleBody};
use zonewright::model::{Danger, LiveZone, Tier, ZoneId, ZoneName};
use zonewright::plan::{Operation, plan_zone, plan_zone_with_base};
use zonewright::{spec, wire};

const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";
const PATH: &str = "http.request.uri.path eq \"/a\"";

/// Returns the operations that lead from an entry point (`null`: none) to a spec's section.
fn plan(phase: Phase, rules: &Json, section: &str) -> Vec<Operation> {
    let waf = LiveWaf { catalogues: vec![Arc::new(owasp())], ..LiveWaf::default() };
    let (zone, found) = plan_of(&[(phase, rules.clone())], &waf, section);
    assert!(!found.has_errors(), "{found:?}");
    zone.operations
}

/// Returns the direction of an operation, true if it needs consent, and its sentences.
fn judged(operation: &Operation) -> (Direction, bool, String) {
    let needs = operation.dangers.contains(&Danger::WeakensProtection);
    let impact = operation.impact.as_ref().expect("what is done to a rule is judged");
    (impact.direction, needs, impact.lines.join("\n"))
}

/// Returns a rule of an entry point.
fn rule(number: u8, members: Json) -> Json {
    let mut rule = json!({ "id": format!("{number:032}"), "version": "1", "enabled": true });
    let (Some(rule_members), Json::Object(members)) = (rule.as_object_mut(), members) else {
        panic!("no rule")
    };
    rule_members.extend(members);
    rule
}

/// Returns the OWASP deployment for these requests.
fn deployed(expression: &str) -> Json {
    let parameters =
        json!({ "id": OWASP, "version": "latest", "overrides": tuning(2, 40, "block") });
    rule(
        1,
        json!({ "ref": "owasp", "action": "execute", "expression": expression, "action_parameters": parameters }),
    )
}

/// Returns an exception from everything after it.
fn passing(name: &str, expression: &str) -> Json {
    let parameters = json!({ "ruleset": "current" });
    rule(
        2,
        json!({
            "ref": name, "action": "skip", "expression": expression, "action_parameters": parameters,
            "logging": { "enabled": true }, "description": "r",
        }),
    )
}

/// Returns the effect of moving one of two rules before the other; two ways to describe the move
/// agree, and the reverse move has the opposite direction.
#[track_caller]
fn exchanged(phase: Phase, rises: &RuleBody, sinks: &RuleBody) -> Direction {
    let (rises, sinks) = (&MovedRule::new(rises), &MovedRule::new(sinks));
    let direction = |moved: &Move| move_impact(phase, moved, &waf()).direction;
    let up = |rule, other| direction(&Move { rule, upward: vec![other], downward: Vec::new() });
    let down = |rule, other| direction(&Move { rule, upward: Vec::new(), downward: vec![other] });
    let found = up(rises, sinks);
    assert_eq!(down(sinks, rises), found);
    assert_eq!(up(sinks, rises), found.reversed());
    found
}

#[test]
fn a_move_is_judged_by_what_is_passed() {
    let act = |action: &str, expression: &str| {
        body(json!({ "action": action, "expression": expression }))
    };
    let skip = |parameters: Json, expression: &str| {
        body(json!({ "action": "skip", "expression": expression, "action_parameters": parameters }))
    };
    let all = |expression: &str| skip(json!({ "ruleset": "current" }), expression);
    let (weakens, neutral, unknown) =
        (Direction::Weakens, Direction::Neutral, Direction::Unclassified);
    let block = act("block", PATH);
    for (rises, sinks, direction) in [
        (all(PATH), block.clone(), weakens),
        (all("ssl"), act("managed_challenge", PATH), weakens),
        (all(PATH), act("log", PATH), neutral),
        (all(PATH), act("block", "http.request.uri.path eq \"/b\""), neutral),
        (all(PATH), act("block", "ssl and http.request.uri.path in {\"/b\" \"/c\"}"), neutral),
        (all(PATH), act("block", &format!("not {PATH}")), neutral),
        (all(PATH), act("rewrite", PATH), unknown),
        // Later phases are bypassed wherever the rule is.
        (
            skip(json!({ "phases": ["http_request_firewall_managed"] }), PATH),
            block.clone(),
            neutral,
        ),
        (skip(json!({ "news": true }), PATH), block.clone(), unknown),
        (act("block", "ssl"), block.clone(), neutral),
        (act("log", "ssl"), block.clone(), neutral),
        (act("js_challenge", "ssl"), block.clone(), weakens),
        // Nothing is evaluated after the first rule that bypasses the rest.
        (all("ssl"), all(PATH), neutral),
        (skip(json!({ "ruleset": "current", "products": ["bic"] }), "ssl"), all(PATH), weakens),
        (
            skip(json!({ "products": ["waf"] }), "ssl"),
            skip(json!({ "products": ["bic"] }), PATH),
            neutral,
        ),
        (skip(json!({ "products": ["waf"] }), "ssl"), all(PATH), weakens),
        // An expression that cannot be parsed is not put in parentheses.
        (all("ssl) or (ssl"), act("block", "false) and (false"), weakens),
    ] {
        assert_eq!(exchanged(Phase::Custom, &rises, &sinks), direction, "{rises:#?}\n{sinks:#?}");
    }
    let owasp = deployment(&owasp(), tuning(2, 40, "block"));
    for (parameters, direction) in [
        (json!({ "ruleset": "current" }), weakens),
        (json!({ "rulesets": [OWASP] }), weakens),
        (json!({ "rules": { OWASP: [crate::support::rulesets::id_of(942_100)] } }), weakens),
        (json!({ "rulesets": ["efb7b8c949ac4650a09736fc376e9aee"] }), neutral),
        (json!({ "rules": { OWASP: ["0".repeat(32)] } }), neutral),
    ] {
        assert_eq!(exchanged(Phase::Managed, &skip(parameters, PATH), &owasp), direction);
    }
    let rate = |requests: u32, action: &str| {
        let rate =
            json!({ "characteristics": ["ip.src"], "requests_per_period": requests, "period": 10 });
        body(json!({ "action": action, "expression": "true", "ratelimit": rate }))
    };
    for (rises, sinks, direction) in [
        (rate(5, "block"), rate(6, "block"), unknown),
        // A client that is stopped is not counted any more; a rule that only logs stops no one.
        (rate(5, "block"), block.clone(), unknown),
        (rate(5, "log"), block.clone(), neutral),
        (all(PATH), rate(5, "block"), weakens),
        (all(PATH), rate(5, "log"), neutral),
    ] {
        assert_eq!(
            exchanged(Phase::RateLimit, &rises, &sinks),
            direction,
            "{rises:#?}\n{sinks:#?}"
        );
    }
}

#[test]
fn an_exception_that_starts_to_act_needs_consent() {
    let section =
        format!("exceptions:\n  - {{ name: late, when: '{PATH}', skip: everything, reason: r }}");
    let moved = plan(Phase::Managed, &json!([deployed("true"), passing("late", PATH)]), &section);
    let (direction, consent, lines) = judged(&moved[0]);
    assert_eq!((moved.len(), direction, consent), (1, Direction::Weakens, true), "{lines}");
    assert!(
        lines.contains("is before the OWASP ruleset now: requests where `http.request.uri.path eq"),
        "{lines}"
    );
    // A rule that moves and changes is judged by its new effect at its new place.
    let narrowed = section.replace("eq \"/a\"", "in {\"/a\" \"/b\"} and ssl");
    let moved = plan(Phase::Managed, &json!([deployed("true"), passing("late", PATH)]), &narrowed);
    assert_eq!((moved.len(), judged(&moved[0]).1), (1, true), "{:?}", moved[0].impact);
}

#[test]
fn rules_that_change_places_are_judged_by_what_passes() {
    let block = rule(1, json!({ "ref": "b", "action": "block", "expression": PATH }));
    let first =
        format!("- {{ name: s, when: '{PATH}', action: skip, skip: everything, reason: r }}");
    let second = format!("- {{ name: b, when: '{PATH}', action: block }}");
    let up = plan(
        Phase::Custom,
        &json!([block, passing("s", PATH)]),
        &format!("custom:\n  {first}\n  {second}"),
    );
    assert_eq!(
        (up.len(), judged(&up[0]).0, judged(&up[0]).1),
        (1, Direction::Weakens, true),
        "{:?}",
        up[0].impact
    );
    let down = plan(
        Phase::Custom,
        &json!([passing("s", PATH), block]),
        &format!("custom:\n  {second}\n  {first}"),
    );
    assert_eq!(
        (down.len(), judged(&down[0]).0, judged(&down[0]).1),
        (1, Direction::Strengthens, false)
    );
}

#[test]
fn what_cannot_be_judged_of_a_deployment_needs_consent() {
    for (live, section) in [
        (
            "http.user_agent contains \"example.com\"",
            "owasp: { when: 'http.host eq \"none.example.net\"' }",
        ),
        ("true", "owasp: { version: '1' }"),
    ] {
        let operations = plan(Phase::Managed, &json!([deployed(live)]), section);
        let (direction, consent, lines) = judged(&operations[0]);
        assert_eq!((direction, consent), (Direction::Unclassified, true), "{lines}");
        assert!(
            lines.contains(
                "may weaken: cannot be classified, so it needs the consent weakens-protection"
            ),
            "{lines}"
        );
    }
    // The same holds for the zone's own rules.
    let block = json!([rule(
        1,
        json!({ "ref": "b", "action": "block", "expression": "http.host contains \"a\"" })
    )]);
    let operations = plan(
        Phase::Custom,
        &block,
        &format!("custom:\n  - {{ name: b, when: '{PATH}', action: block }}"),
    );
    assert_eq!(
        (judged(&operations[0]).0, judged(&operations[0]).1),
        (Direction::Unclassified, true)
    );
}

#[test]
fn an_exception_that_leaves_nothing_of_a_deployment_is_told() {
    let exception = |when: &str| {
        format!("exceptions:\n  - {{ name: x, when: {when}, skip: everything, reason: r }}")
    };
    let places = [Json::Null, json!([])];
    for (deployment, when) in [
        ("owasp: { paranoia: 4 }", "all"),
        ("owasp: { paranoia: 4, when: ssl }", "ssl"),
        ("owasp: { paranoia: 4, when: 'ssl and http.host eq \"a.example.com\"' }", "ssl"),
    ] {
        for rules in &places {
            let operations =
                plan(Phase::Managed, rules, &format!("{deployment}\n{}", exception(when)));
            let all = operations.iter().fold(Direction::Neutral, |all, o| all.combine(judged(o).0));
            let lines: Vec<_> = operations
                .iter()
                .flat_map(|o| o.impact.as_ref().map_or(&[][..], |i| &i.lines))
                .cloned()
                .collect();
            // Nothing was stopped before.
            assert_eq!(all, Direction::Neutral, "{lines:#?}");
            assert!(
                lines.iter().any(|l| l.contains("no effect: the exception x bypasses all of it")),
                "{lines:#?}"
            );
            assert_eq!(operations.iter().filter(|o| judged(o).1).count(), 0);
        }
    }
    // If something is left, a new exception removes no protection that existed, whether the entry
    // point exists or not.
    for rules in &places {
        let operations =
            plan(Phase::Managed, rules, &format!("owasp: {{ paranoia: 1 }}\n{}", exception("ssl")));
        let all = operations.iter().fold(Direction::Neutral, |all, o| all.combine(judged(o).0));
        assert_eq!(
            (all, operations.iter().any(|o| judged(o).1)),
            (Direction::Strengthens, false),
            "{operations:#?}"
        );
    }
    // An exception alone, or one beside a deployment that was there, is judged as ever.
    let operations = plan(Phase::Managed, &json!([deployed("true")]), &exception("ssl"));
    assert_eq!((judged(&operations[0]).0, judged(&operations[0]).1), (Direction::Weakens, true));
    // So is one that is there already, above a deployment that is new.
    let operations = plan(Phase::Managed, &json!([passing("x", "true")]), "owasp: { paranoia: 4 }");
    assert_eq!(judged(&operations[0]).0, Direction::Neutral, "{:?}", operations[0].impact);
}

#[test]
fn an_exception_cancels_what_it_covers_whole() {
    let owasp = deployment(&owasp(), tuning(2, 40, "block"));
    let skip = |parameters: Json, expression: &str| {
        body(json!({ "action": "skip", "expression": expression, "action_parameters": parameters }))
    };
    let anomaly = json!({ "rules": { OWASP: [zonewright::model::facts::owasp::ANOMALY_RULE] } });
    for parameters in [json!({ "ruleset": "current" }), json!({ "rulesets": [OWASP] }), anomaly] {
        assert!(cancels(&skip(parameters.clone(), "true"), &owasp, &waf()), "{parameters}");
        assert!(!cancels(&skip(parameters, "ssl"), &owasp, &waf()));
    }
    assert!(!cancels(&skip(json!({ "rules": { OWASP: ["0"] } }), "true"), &owasp, &waf()));
    let mut off = skip(json!({ "ruleset": "current" }), "true");
    off.set("enabled", false);
    assert!(!cancels(&off, &owasp, &waf()));
}

/// Returns the plan of a spec on a day, for the custom rules of a zone.
fn on_day(day: &str, section: &str, base: Option<&str>) -> (Vec<Operation>, Vec<String>) {
    let spec = |section: &str| {
        let section: String = section.lines().map(|line| format!("      {line}\n")).collect();
        let text = format!("version: 1\nzones:\n  example.com:\n    waf:\n{section}");
        let options = spec::Options { today: Some(day.to_owned()), ..spec::Options::default() };
        let outcome =
            spec::load(&[spec::Input::Stdin(text.clone())], &options, &mut Sources::default());
        outcome.desired.unwrap_or_else(|| panic!("{text}\n{:?}", outcome.diagnostics))
    };
    let live = rule(1, json!({ "ref": "old", "action": "block", "expression": PATH }));
    let ruleset = json!({ "id": "2".repeat(32), "version": "7", "rules": [live] });
    let entry_point =
        EntryPoint::Present(wire::ruleset::read_ruleset(&ruleset).expect("a ruleset"));
    let live = LiveZone {
        tier: Tier::from_legacy_id("business"),
        waf: LiveWaf { entry_points: [(Phase::Custom, entry_point)].into(), ..LiveWaf::default() },
        ..LiveZone::new(ZoneName::parse("example.com").expect("a name"), ZoneId("1".repeat(32)))
    };
    let desired = spec(section);
    let desired = desired.zones.values().next().expect("a zone");
    let (zone, found) = match base.map(spec) {
        None => plan_zone(desired, &live),
        Some(base) => {
            plan_zone_with_base(desired, base.zones.values().next().expect("a zone"), &live)
        }
    };
    let ahead = found.iter().filter(|d| d.code() == "PLAN0043").map(|d| d.detail.clone()).collect();
    (zone.operations, ahead)
}

/// An expiry date was accepted when it was written: on that day no further consent is needed, and
/// the days before it have a note.
#[test]
fn an_agreed_expiry_needs_no_further_consent() {
    let section = |expires: &str| {
        format!(
            "custom:\n  - {{ name: old, when: 'http.request.uri.path eq \"/a\"', action: block{expires} }}\n"
        )
    };
    let dated = section(", reason: r, expires: 2029-03-01");
    let (operations, ahead) = on_day("2029-02-25", &dated, None);
    assert!(operations.is_empty());
    assert_eq!(ahead.len(), 1);
    assert!(
        ahead[0].starts_with("after 2029-03-01, the rule old is removed (weakens): "),
        "{ahead:?}"
    );
    assert_eq!(on_day("2029-01-25", &dated, None).1, Vec::<String>::new());
    for base in [None, Some(dated.as_str())] {
        let (operations, _) = on_day("2029-03-02", &dated, base);
        assert_eq!(judged(&operations[0]).0, Direction::Weakens);
        assert_eq!(operations[0].dangers, []);
    }
    // With a base, a date that is new in this change was not accepted before.
    let (operations, _) = on_day("2029-03-02", &dated, Some(&section(", reason: r")));
    assert_eq!(operations[0].dangers, [Danger::WeakensProtection]);
}

/// The limits of ordinary browsing, each at its boundary: the requests of a visitor are allowed, a
/// limit of one fewer is reported.
#[test]
fn a_limit_below_ordinary_browsing_is_named() {
    use zonewright::insight::waf::rule_locks_out;
    const HOST: &str = "http.host eq \"www.example.com\"";
    let locks_out = |expression: &str, period: i64, requests: i64, more: &Json| {
        let mut rate = json!({ "characteristics": ["cf.colo.id", "ip.src"], "requests_per_period": requests, "period": period });
        rate.as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        let rule = body(json!({ "action": "block", "expression": expression, "ratelimit": rate }));
        rule_locks_out(None, &rule, Direction::Strengthens)
    };
    let (alone, together) = (json!({}), json!({ "characteristics": ["cf.colo.id", "http.host"] }));
    let (origin, nobody) =
        (json!({ "requests_to_origin": true }), json!({ "characteristics": ["cf.colo.id"] }));
    for (expression, period, more, usual) in [
        // A page, and two requests in each second.
        ("true", 10, &alone, 90),
        ("true", 60, &alone, 190),
        (HOST, 10, &alone, 90),
        ("not ip.src in {192.0.2.0/24}", 10, &alone, 90),
        // Requests that the cache answers are not counted.
        ("true", 10, &origin, 25),
        ("true", 60, &origin, 50),
        // A form, however long the period is.
        (PATH, 10, &alone, 3),
        (PATH, 3600, &alone, 3),
        // Scripts of all pages send with a method.
        ("http.request.method eq \"POST\"", 10, &alone, 11),
        ("http.request.method eq \"POST\"", 60, &alone, 20),
        // A hundred visitors with one counter.
        ("true", 10, &together, 9_000),
        ("true", 10, &nobody, 9_000),
        (PATH, 10, &together, 300),
    ] {
        let about = format!("{expression}, {period} s, {more}");
        assert_eq!(locks_out(expression, period, usual, more), None, "{about}");
        let why = locks_out(expression, period, usual - 1, more)
            .unwrap_or_else(|| panic!("{about}: silent"));
        let visitors = if usual == 1 {
            "1 request".to_owned()
        } else {
            format!("about {usual} requests in {period} s")
        };
        assert!(why.contains(&visitors), "{about}: {why}");
    }
    // A client that is named is not an ordinary visitor, and programs have limits of their own.
    for expression in [
        "ip.src in {192.0.2.0/24}",
        "http.host eq \"api.example.com\"",
        "http.user_agent contains \"nikto\"",
    ] {
        assert_eq!(locks_out(expression, 10, 1, &alone), None, "{expression}");
    }
    // A limit that falls to a tenth probably lost a digit, for any clients except those that are
    // named.
    let limit = |expression: &str, requests: i64, period: i64| {
        let rate = json!({ "characteristics": ["cf.colo.id", "ip.src"], "requests_per_period": requests, "period": period });
        body(json!({ "action": "block", "expression": expression, "ratelimit": rate }))
    };
    let falls = |expression: &str, from: (i64, i64), to: (i64, i64)| {
        let (before, after) = (limit(expression, from.0, from.1), limit(expression, to.0, to.1));
        rule_locks_out(Some(&before), &after, Direction::Strengthens).is_some()
    };
    const API: &str = "http.host eq \"api.example.com\"";
    assert!(
        falls(API, (600, 60), (60, 60))
            && falls(API, (600, 60), (600, 600))
            && falls(PATH, (1000, 60), (99, 60))
    );
    assert!(!falls(API, (600, 60), (61, 60)) && !falls(API, (600, 60), (100, 10)));
    assert!(!falls("ip.src in {192.0.2.0/24}", (600, 60), (6, 60)));
    // A limit for each client becomes one limit for all: one client that exhausts it stops the
    // others.
    let joins = |expression: &str, to: i64, by: &[&str]| {
        let before = limit(expression, 600, 60);
        let rate = json!({ "characteristics": by, "requests_per_period": to, "period": 60 });
        let after = body(json!({ "action": "block", "expression": expression, "ratelimit": rate }));
        rule_locks_out(Some(&before), &after, Direction::Strengthens)
            .is_some_and(|why| why.contains("counted apart"))
    };
    let (all, site) = (["cf.colo.id"], ["cf.colo.id", "http.host"]);
    assert!(joins(API, 600, &all) && joins(API, 6000, &site));
    assert!(
        !joins(API, 60_000, &all)
            && !joins(API, 600, &["cf.colo.id", "http.request.headers[\"x-key\"]"])
    );
    assert!(!joins("ip.src in {192.0.2.0/24}", 600, &all));
    // The examples of Cloudflare (waf/rate-limiting-rules/best-practices, read 2026-11) stop no
    // ordinary visitor.
    const LOGIN: &str = "http.host eq \"example.com\" and http.request.uri.path eq \"/login\" and http.request.method eq \"POST\"";
    let failed = json!({ "counting_expression": "http.request.uri.path eq \"/login\" and http.request.method eq \"POST\" and http.response.code in {401 403}" });
    for (expression, requests, period, more) in [
        ("http.user_agent eq \"MobileApp\"", 100, 600, &alone),
        (
            "http.request.uri.path eq \"/status\" and http.request.method eq \"GET\" and not ip.src in $partner_ips",
            10,
            60,
            &alone,
        ),
        (LOGIN, 4, 60, &failed),
        (LOGIN, 10, 600, &failed),
        ("http.host eq \"example.com\"", 20, 3600, &failed),
    ] {
        assert_eq!(
            locks_out(expression, period, requests, more),
            None,
            "{expression}, {requests} in {period} s"
        );
    }
    for (period, requests) in [(i64::MAX, 1), (0, 0), (-5, -5), (i64::MAX, i64::MAX)] {
        locks_out("true", period, requests, &together);
        locks_out("true", period, requests, &origin);
    }
}
