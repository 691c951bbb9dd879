//! Refused writes of rules, by error code.

use reqwest::Method;
use serde_json::{Value, json};

use super::rulesets::{CUSTOM, MANAGED, OWASP, block, column, messages, on};
use super::support::{Bench, Reply};

/// The phase of rate limiting rules.
const RATE: &str = "http_ratelimit";

/// PUT of one rule; nothing may be stored if it is refused.
async fn try_rule(bench: &Bench, phase: &str, rule: &Value) -> Reply {
    let reply = bench.put_rules(phase, json!([rule])).await;
    if reply.status != 200 {
        assert_eq!(bench.entry(phase).await.refusal(), (404, 10003), "{rule}");
    }
    reply
}

/// Returns a custom rule with an expression.
fn matching(expression: &str) -> Value {
    json!({"action": "block", "expression": expression})
}

#[tokio::test]
async fn expressions() {
    let bench = on("pro").await;
    for blank in [json!(""), json!("  \n"), Value::Null] {
        let refused =
            try_rule(&bench, CUSTOM, &json!({"action": "block", "expression": blank})).await;
        assert_eq!(refused.refusal(), (400, 20125));
        assert!(refused.body["errors"][0].get("source").is_none());
    }
    let long = format!("http.host eq \"{}\"", "a".repeat(4082));
    let refused = try_rule(&bench, CUSTOM, &matching(&long)).await;
    assert_eq!(
        (refused.refusal(), messages(&refused)),
        ((400, 20127), vec!["expression size 4097 exceeded maximum 4096"])
    );
    let refused = try_rule(&bench, CUSTOM, &matching("http.hots eq \"a\"")).await;
    assert_eq!(refused.refusal(), (400, 20127));
    let expected = "'http.hots eq \"a\"' is not a valid value for expression because could not parse filter expression: \
        Filter parsing error (1:1): http.hots eq \"a\" ^^^^^^^^^ unknown identifier";
    assert_eq!(messages(&refused), [expected]);
    assert_eq!(refused.body["errors"][0]["source"], json!({"pointer": "/rules/0/expression"}));
    for bad in [
        "(ssl",
        "ip.src in {192.0.2.1, 192.0.2.2}",
        "ip.src not in {192.0.2.1}",
        "ssl AND ssl",
        "http.host eq 'a'",
        "http.host eq",
        "ip.src contains \"1\"",
        "cf.zone.plan eq \"ENT\"",
    ] {
        assert_eq!(try_rule(&bench, CUSTOM, &matching(bad)).await.refusal(), (400, 20127), "{bad}");
    }
    // The expression is measured and parsed on one line.
    let lines = format!("http.host eq \"{}\"\n{}or ssl", "a".repeat(4000), " ".repeat(500));
    assert_eq!(
        try_rule(&bench, CUSTOM, &matching(&lines)).await.result()["rules"][0]["expression"],
        lines
    );
}

#[tokio::test]
async fn the_pointer_names_the_rule() {
    let bench = Bench::new().await;
    let refused =
        bench.put_rules(CUSTOM, json!([block("a"), matching("x"), block("b"), matching("")])).await;
    let errors = refused.body["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "{}", refused.text);
    assert_eq!(errors[0]["source"]["pointer"], "/rules/1/expression");
    assert_eq!(errors[1]["code"], 20125);
    let id = bench.put_rules(CUSTOM, json!([])).await.id();
    let refused = bench.rulesets(Method::POST, &format!("/{id}/rules"), Some(matching("x"))).await;
    assert_eq!(refused.body["errors"][0]["source"]["pointer"], "/expression");
}

#[tokio::test]
async fn what_plans_do_not_have() {
    let regex = "not entitled: the use of operator Matches is not allowed, a Business plan or a WAF Advanced plan is required";
    let bots = "not entitled: the use of field cf.bot_management.score is not allowed, a Bot Management plan is required";
    let log = "not entitled: the use of action log is not allowed, an Enterprise plan is required";
    for (rule, lowest, text) in [
        (matching("http.host matches \"^a\""), "business", regex),
        (
            matching("cf.bot_management.score lt 30 or cf.bot_management.score gt 90"),
            "enterprise",
            bots,
        ),
        (json!({"action": "log", "expression": "ssl"}), "enterprise", log),
    ] {
        let mut is_allowed = false;
        for plan in ["free", "pro", "business", "enterprise"] {
            is_allowed |= plan == lowest;
            let reply = try_rule(&on(plan).await, CUSTOM, &rule).await;
            if is_allowed {
                reply.result();
            } else {
                assert_eq!(
                    (reply.refusal(), messages(&reply)),
                    ((400, 50002), vec![text]),
                    "{plan}"
                );
            }
        }
    }
}

#[tokio::test]
async fn numbers_of_rules() {
    for (phase, plan, most) in
        [(CUSTOM, "free", 5), (CUSTOM, "pro", 20), (RATE, "free", 1), (RATE, "business", 5)]
    {
        let bench = on(plan).await;
        let rule = |n: usize| match phase {
            CUSTOM => block(&n.to_string()),
            _ => {
                json!({"action": "block", "expression": "cf.client.bot", "ratelimit": limit(json!({}))})
            }
        };
        bench.put_rules(phase, (0..most).map(rule).collect()).await.result();
        let over = bench.put_rules(phase, (0..=most).map(rule).collect()).await;
        let text = format!(
            "exceeded the maximum number of rules in the phase {phase}: {} out of {most}",
            most + 1
        );
        assert_eq!((over.refusal(), messages(&over)), ((400, 50001), vec![text.as_str()]));
        let entry = bench.entry(phase).await;
        assert_eq!(column(entry.result(), "id").len(), most);
        let add =
            bench.rulesets(Method::POST, &format!("/{}/rules", entry.id()), Some(rule(most))).await;
        assert_eq!(add.refusal(), (400, 50001));
    }
    // A ruleset that is already over the limit can be changed.
    let bench = Bench::new().await;
    let rules: Vec<Value> = (0..7).map(|n| block(&n.to_string())).collect();
    let planted = json!({"zones": [{"name": "example.com", "rulesets": [{"phase": CUSTOM, "rules": rules}]}]});
    bench.running.seed(&planted).unwrap();
    let entry = bench.entry(CUSTOM).await;
    let path = format!("/{}/rules", entry.id());
    let change = format!("{path}/{}", column(entry.result(), "id")[0]);
    bench.rulesets(Method::PATCH, &change, Some(matching("ssl"))).await.result();
    assert_eq!(bench.rulesets(Method::POST, &path, Some(block("x"))).await.refusal(), (400, 50001));
}

#[tokio::test]
async fn actions_of_phases() {
    let bench = on("enterprise").await;
    for (phase, action) in
        [(CUSTOM, "execute"), (CUSTOM, "score"), (MANAGED, "block"), (RATE, "skip")]
    {
        let rule = json!({"action": action, "expression": "ssl", "ratelimit": (phase == RATE).then(|| limit(json!({})))});
        let refused = try_rule(&bench, phase, &rule).await;
        let text = format!(
            "'{action}' is not a valid value for action because it is not possible to use the {action} action in a ruleset \
             with phase {phase} and kind zone"
        );
        assert_eq!((refused.refusal(), messages(&refused)), ((400, 20016), vec![text.as_str()]));
    }
    let skip = json!({"rules": [{"action": "skip", "action_parameters": {"ruleset": "current"}, "expression": "true"}]});
    let path = |phase: &str| format!("/phases/{phase}/entrypoint");
    let root = bench.account_rulesets(Method::PUT, &path(CUSTOM), Some(skip.clone())).await;
    assert_eq!(root.refusal(), (400, 20016));
    assert!(messages(&root)[0].ends_with("with phase http_request_firewall_custom and kind root"));
    let refused = bench.account_rulesets(Method::PUT, &path(MANAGED), Some(skip.clone())).await;
    assert_eq!(
        messages(&refused),
        ["the expression of an account-level rule must end with: and cf.zone.plan eq \"ENT\""]
    );
    let mut skip = skip;
    skip["rules"][0]["expression"] = json!("(ssl) and cf.zone.plan eq \"ENT\"");
    bench.account_rulesets(Method::PUT, &path(MANAGED), Some(skip)).await.result();
    let unknown = try_rule(&bench, CUSTOM, &json!({"action": "tarpit", "expression": "ssl"})).await;
    assert_eq!(unknown.refusal(), (400, 0));
    // Rules of other products are kept as they are.
    let redirect = json!({"action": "redirect", "expression": "ssl", "action_parameters": {"from_value": {"x": [1]}}});
    let kept = try_rule(&bench, "http_request_dynamic_redirect", &redirect).await;
    assert_eq!(kept.result()["rules"][0]["action_parameters"], redirect["action_parameters"]);
    assert!(kept.result().get("source").is_none());
}

#[tokio::test]
async fn members_of_rules_and_bodies() {
    let bench = on("pro").await;
    for (key, value) in
        [("kind", json!("zone")), ("phase", json!(CUSTOM)), ("position", json!({"index": 1}))]
    {
        let refused = bench.put_entry(CUSTOM, json!({"rules": [], key: value})).await;
        assert_eq!(
            (refused.refusal(), messages(&refused)),
            ((400, 0), vec![format!("invalid JSON: unknown field \"{key}\"").as_str()])
        );
        assert!(refused.body["errors"][0].get("code").is_none());
    }
    let with = |key: &str, value: Value| {
        let mut rule = block("a");
        rule[key] = value;
        rule
    };
    for rule in [
        with("position", json!({"index": 1})),
        with("priority", json!(1)),
        with("ref", json!("")),
        with("description", json!("d".repeat(501))),
        with("categories", json!(["a"])),
        with("score_threshold", json!(1)),
        with("action_parameters", json!({"status": 403})),
        with(
            "action_parameters",
            json!({"response": {"status_code": 302, "content": "", "content_type": "text/html"}}),
        ),
        with(
            "action_parameters",
            json!({"response": {"status_code": 404, "content": "", "content_type": "image/png"}}),
        ),
        with("ratelimit", limit(json!({}))),
        json!({"expression": "ssl"}),
    ] {
        assert_eq!(try_rule(&bench, CUSTOM, &rule).await.refusal(), (400, 0), "{rule}");
    }
    assert_eq!(bench.put_rules(CUSTOM, json!(["a"])).await.refusal(), (400, 0));
    let twice = bench.put_rules(CUSTOM, json!([block("a"), block("a")])).await;
    assert_eq!(twice.refusal(), (400, 0));
    assert!(messages(&twice)[0].contains("'a' is not a valid value for ref"));
    let response =
        json!({"response": {"status_code": 451, "content": "no", "content_type": "text/plain"}});
    let kept = try_rule(&bench, CUSTOM, &with("action_parameters", response.clone())).await;
    assert_eq!(kept.result()["rules"][0]["action_parameters"], response);
    // Members that Cloudflare itself adds to a rule may be sent back, and have no effect.
    let mut rule = kept.result()["rules"][0].clone();
    rule["version"] = json!("9");
    let again = bench.put_rules(CUSTOM, json!([rule])).await;
    assert_eq!(again.result()["rules"], kept.result()["rules"]);
    let no_json = bench.request(
        Method::PUT,
        &format!("/zones/{}/rulesets/phases/{CUSTOM}/entrypoint", bench.zone),
    );
    assert_eq!(super::support::reply(no_json.body("rules: []")).await.refusal(), (415, 9207));
}

#[tokio::test]
async fn skip_rules() {
    let bench = on("pro").await;
    let skip = |parameters: Value| json!({"action": "skip", "action_parameters": parameters, "expression": "true"});
    for (phase, parameters, code, text) in [
        (
            CUSTOM,
            json!({"products": ["uablock"]}),
            20119,
            "skip action parameter product 'uablock' is invalid",
        ),
        (
            CUSTOM,
            json!({"products": ["botFight"]}),
            20119,
            "skip action parameter product 'botFight' is invalid",
        ),
        (
            CUSTOM,
            json!({"phases": ["ddos_l7"]}),
            20120,
            "skip action parameter phase 'ddos_l7' is not authorized",
        ),
        (
            CUSTOM,
            json!({"phases": [CUSTOM]}),
            20120,
            "skip action parameter phase 'http_request_firewall_custom' is not authorized",
        ),
        (
            MANAGED,
            json!({"phases": ["http_request_sbfm"]}),
            20120,
            "skip action parameter phase 'http_request_sbfm' is not authorized",
        ),
        (MANAGED, json!({}), 0, "a skip action must have something to skip"),
        (
            MANAGED,
            json!({"rulesets": [OWASP], "ruleset": "current"}),
            0,
            "rulesets cannot be combined with ruleset or phases",
        ),
        (MANAGED, json!({"rulesets": []}), 0, "rulesets of a skip action cannot be empty"),
        (
            MANAGED,
            json!({"rulesets": ["x"]}),
            0,
            "skip action parameter ruleset 'x' does not exist",
        ),
        (
            MANAGED,
            json!({"rules": {OWASP: ["x"]}}),
            0,
            "skip action parameter rule 'x' does not exist in ruleset '4814384a9e5d4991b9815dcfc25d2f1f'",
        ),
        (
            MANAGED,
            json!({"rules": {"x": []}}),
            0,
            "skip action parameter ruleset 'x' does not exist",
        ),
        (
            MANAGED,
            json!({"ruleset": "other"}),
            0,
            "'other' is not a valid value for ruleset because only current is possible",
        ),
        (MANAGED, json!({"rule": "x"}), 0, "invalid JSON: unknown field \"rule\""),
        (
            MANAGED,
            json!({"rulesets": "x,y"}),
            0,
            "invalid JSON: field \"rulesets\" must be an array of strings",
        ),
    ] {
        let refused = try_rule(&bench, phase, &skip(parameters.clone())).await;
        assert_eq!(
            (refused.refusal(), messages(&refused)),
            ((400, code), vec![text]),
            "{parameters}"
        );
    }
    let good = json!({"rules": {OWASP: ["8ac8bc2a661e475d940980f9317f28e1", "00000000000000000000000000942100"]}});
    let answer = try_rule(&bench, MANAGED, &skip(good.clone())).await;
    let rule = &answer.result()["rules"][0];
    assert_eq!((&rule["action_parameters"], &rule["logging"]), (&good, &json!({"enabled": true})));
    let mut silent =
        skip(json!({"phase": "current", "phases": ["http_request_sbfm"], "products": ["uaBlock"]}));
    silent["logging"] = json!({"enabled": false});
    assert_eq!(
        try_rule(&bench, CUSTOM, &silent).await.result()["rules"][0]["logging"],
        json!({"enabled": false})
    );
    // If a PUT omits logging, it is on again; for other rules it is not stored.
    let mut again = silent.clone();
    again["logging"] = Value::Null;
    let answer = bench
        .put_rules(
            CUSTOM,
            json!([
                again,
                json!({"action": "block", "expression": "ssl", "logging": {"enabled": true}})
            ]),
        )
        .await;
    assert_eq!(answer.result()["rules"][0]["logging"], json!({"enabled": true}));
    assert!(answer.result()["rules"][1].get("logging").is_none());
    let free = Bench::new().await;
    assert_eq!(
        try_rule(&free, CUSTOM, &skip(json!({"phases": ["http_request_sbfm"]}))).await.refusal(),
        (400, 20120)
    );
}

/// Returns a `ratelimit` object that free zones can have, with other members laid over it.
fn limit(changes: Value) -> Value {
    let mut limit = json!({"characteristics": ["cf.colo.id", "ip.src"], "period": 10, "requests_per_period": 20,
        "mitigation_timeout": 10});
    limit.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    limit
}

#[tokio::test]
async fn rate_limits() {
    let rule = |action: &str, changes: Value| json!({"action": action, "expression": "cf.client.bot", "ratelimit": limit(changes)});
    let free = Bench::new().await;
    let colo = "characteristics field is missing 'cf.colo.id', this is required as ratelimiting counting is processed at \
        colocation level only";
    for (changes, code, text) in [
        (json!({"characteristics": ["ip.src"]}), 20155, colo),
        (
            json!({"period": 60}),
            50002,
            "not entitled to use the period 60, can only use a period among [10]",
        ),
        (
            json!({"mitigation_timeout": 600}),
            50002,
            "not entitled to use a mitigation timeout different from 10",
        ),
        (
            json!({"counting_expression": "cf.client.bot"}),
            50002,
            "not entitled to use a counting expression",
        ),
        (json!({"period": 11}), 0, "'11' is not a valid value for period"),
        (json!({"mitigation_timeout": 11}), 0, "'11' is not a valid value for mitigation_timeout"),
        (json!({"requests_per_period": 0}), 0, "'0' is not a valid value for requests_per_period"),
        (json!({"requests_per_period": null}), 0, "requests_per_period is required"),
        (
            json!({"characteristics": ["cf.colo.id", "http.host"]}),
            50002,
            "not entitled to use the characteristic http.host",
        ),
        (
            json!({"requests_to_orgin": true}),
            0,
            "invalid JSON: unknown field \"requests_to_orgin\"",
        ),
    ] {
        let refused = try_rule(&free, RATE, &rule("block", changes.clone())).await;
        assert_eq!((refused.refusal(), messages(&refused)), ((400, code), vec![text]), "{changes}");
    }
    let missing =
        try_rule(&free, RATE, &json!({"action": "block", "expression": "cf.client.bot"})).await;
    assert_eq!(missing.refusal(), (400, 0));
    let good = try_rule(&free, RATE, &rule("block", json!({}))).await;
    assert_eq!(good.result()["rules"][0]["ratelimit"], limit(json!({})));
    assert_eq!(good.result()["source"], "rate_limit");
    let counting = rule("block", json!({"counting_expression": "http.response.code eq 403"}));
    try_rule(&on("business").await, RATE, &counting).await.result();
    let pro = on("pro").await;
    let both = json!({"characteristics": ["cf.colo.id", "ip.src", "cf.unique_visitor_id"]});
    assert_eq!(
        try_rule(&on("enterprise").await, RATE, &rule("block", both)).await.refusal(),
        (400, 0)
    );
    let mut silent = rule("managed_challenge", json!({"period": 60}));
    silent["ratelimit"].as_object_mut().unwrap().remove("mitigation_timeout");
    let kept = try_rule(&on("pro").await, RATE, &silent).await;
    assert_eq!(kept.result()["rules"][0]["ratelimit"]["mitigation_timeout"], 0);
    let challenge = try_rule(&pro, RATE, &rule("managed_challenge", json!({}))).await;
    assert_eq!(
        messages(&challenge),
        ["mitigation_timeout must be 0 for the managed_challenge action"]
    );
    let good = rule(
        "managed_challenge",
        json!({"mitigation_timeout": 0, "period": 60, "requests_to_origin": true}),
    );
    assert_eq!(
        try_rule(&pro, RATE, &good).await.result()["rules"][0]["ratelimit"],
        good["ratelimit"]
    );
}

#[tokio::test]
async fn a_check_for_exposed_credentials_rewrites_in_a_custom_ruleset() {
    let bench = on("enterprise").await;
    let header = json!({"Exposed-Credential-Check": {"operation": "set", "value": "1"}});
    let mut rule = json!({"action": "rewrite", "expression": "ssl", "action_parameters": {"headers": header},
        "exposed_credential_check": {"username_expression": "url_decode(http.request.body.form[\"u\"][0])",
            "password_expression": "url_decode(http.request.body.form[\"p\"][0])"}});
    let body = |rule: &Value| {
        Some(json!({"name": "x", "kind": "custom", "phase": CUSTOM, "rules": [rule]}))
    };
    let kept = bench.account_rulesets(Method::POST, "", body(&rule)).await;
    assert_eq!(kept.result()["rules"][0]["action_parameters"], rule["action_parameters"]);
    assert_eq!(try_rule(&bench, CUSTOM, &rule).await.refusal(), (400, 20016));
    rule.as_object_mut().unwrap().remove("exposed_credential_check");
    assert_eq!(bench.account_rulesets(Method::POST, "", body(&rule)).await.refusal(), (400, 20016));
}
