//! Limits of Cloudflare's plans: the client and the sandbox read one table, and refuse the same.

use serde_json::{Value, json};

use crate::support::rulesets::body;
use crate::support::workspace::{Ran, Workspace, options_on};
use zonewright::model::expression::vocabulary::{FIELDS, FUNCTIONS, FieldType, Needs};
use zonewright::model::facts::TIERS;
use zonewright::model::facts::certainty::Certainty;
use zonewright::model::facts::limited_values::{DNS_SETTING_VALUES, LimitedValue, SETTING_VALUES};
use zonewright::model::facts::rate_limits::{RATE_PERIODS, RATE_TIMEOUTS};
use zonewright::model::facts::record_features::RECORD_FEATURES;
use zonewright::model::facts::rule_features::{RULE_FEATURES, RuleFeature, response_bytes};
use zonewright::model::facts::rulesets::{MANAGED_PHASE, MANAGED_RULESETS};
use zonewright::model::facts::settings::{SETTINGS, SettingKind};
use zonewright::model::plan_limits::{
    BeyondPlan, ZoneTier, dns_setting_limit, record_limits, rule_count, rule_uses, setting_limit,
};
use zonewright::model::ruleset::Phase;
use zonewright::model::{Comment, Facets, Settings, Tag, Tier, Ttl};
use zonewright::wire::settings::from_json;

/// A rule that uses a feature, in the spec and at Cloudflare.
struct Example {
    phase: Phase,
    keys: &'static str,
    rule: Value,
}

/// Returns a rate limit that every plan has, with other members laid over it.
fn rate(action: &str, members: Value) -> Value {
    let mut limit = json!({ "characteristics": ["cf.colo.id", "ip.src"], "period": 10,
        "requests_per_period": 5, "mitigation_timeout": if action == "block" { 10 } else { 0 } });
    limit.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    limit.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    json!({ "action": action, "expression": "http.request.uri.path eq \"/a\"", "ratelimit": limit })
}

/// Returns a custom rule.
fn custom(expression: &str) -> Value {
    json!({ "action": "block", "expression": expression })
}

/// Returns the rule that shows a feature. A new feature needs one.
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

/// Returns a rule that blocks with a response of its own.
fn response(content: &str) -> Value {
    json!({ "action": "block", "expression": "http.request.uri.path eq \"/a\"",
        "action_parameters": { "response":
            { "status_code": 403, "content": content, "content_type": "text/plain" } } })
}

/// Returns the workspace of a zone on a plan.
fn on(plan: &str) -> Workspace {
    Workspace::new(options_on(plan))
}

/// Returns the plan of a zone, as `plan` reads it.
fn known(plan: &str) -> ZoneTier {
    ZoneTier { tier: Tier::from_legacy_id(plan), is_assumed: false }
}

/// Returns why a plan does not allow a rule.
fn beyond(phase: Phase, rule: &Value, plan: &str) -> Option<BeyondPlan> {
    let uses = rule_uses(phase, &body(rule.clone()));
    uses.iter().find_map(|used| used.beyond(known(plan), &[]))
}

/// Returns true if the sandbox accepts these rules as all rules of a phase.
fn accepts(workspace: &Workspace, phase: Phase, rules: &[Value]) -> bool {
    let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/zones/{zone}/rulesets/phases/{}/entrypoint", phase.as_str());
    workspace.try_write("PUT", &path, &json!({ "rules": rules }))
}

/// Returns an expression about a field.
fn about(name: &str, kind: FieldType) -> String {
    match kind {
        FieldType::Boolean => name.to_owned(),
        FieldType::Bytes => format!("{name} eq \"a\""),
        FieldType::Integer => format!("{name} eq 1"),
        FieldType::Address => format!("{name} eq 192.0.2.1"),
        FieldType::BytesArray => format!("any({name}[*] eq \"a\")"),
        FieldType::IntegerArray => format!("any({name}[*] eq 1)"),
        FieldType::BytesArrayArray => format!("any({name}[0][*] eq \"a\")"),
        FieldType::BytesArrayMap => format!("any({name}[\"a\"][*] eq \"a\")"),
        FieldType::IntegerArrayMap => format!("any({name}[\"a\"][*] eq 1)"),
    }
}

/// Returns rules at the limits of every row.
fn rules_at_limits() -> Vec<(Phase, Value)> {
    let mut rules: Vec<(Phase, Value)> = RULE_FEATURES
        .iter()
        .map(|facts| example(facts.feature))
        .map(|example| (example.phase, example.rule))
        .collect();
    rules.extend(
        RATE_PERIODS
            .iter()
            .map(|period| (Phase::RateLimit, rate("block", json!({ "period": period })))),
    );
    for action in Phase::RateLimit.facts().actions {
        // 30 is only in one of two lists of durations, 77 in none.
        let timeouts = RATE_TIMEOUTS.iter().chain([&30, &77]);
        rules.extend(timeouts.map(|timeout| {
            (Phase::RateLimit, rate(action, json!({ "mitigation_timeout": timeout })))
        }));
    }
    let request_fields =
        FIELDS.iter().filter(|field| !field.is_of_response && field.only_in.is_none());
    rules.extend(request_fields.map(|field| {
        let mut rule = rate("block", json!({}));
        rule["expression"] = json!(about(field.name, field.kind));
        (Phase::RateLimit, rule)
    }));
    let managed = MANAGED_RULESETS.iter().filter(|ruleset| ruleset.phase == MANAGED_PHASE);
    rules.extend(managed.map(|ruleset| {
        let parameters = json!({ "id": ruleset.id });
        let rule = json!({ "action": "execute", "expression": "true",
            "action_parameters": parameters });
        (Phase::Managed, rule)
    }));
    let fields = FIELDS.iter().filter(|field| {
        field.needs > Needs::Nothing && !field.is_of_response && !field.name.starts_with("cf.tls")
    });
    rules.extend(fields.map(|field| (Phase::Custom, custom(&about(field.name, field.kind)))));
    let calls = [
        "is_jwt_valid(\"a\")",
        "is_jwt_present(\"a\")",
        "is_timed_hmac_valid_v0(\"k\", http.request.uri, 9, http.request.timestamp.sec, 8)",
    ];
    let of_plans = FUNCTIONS.iter().filter(|function| function.needs > Needs::Nothing);
    // The other one is for transform rules only.
    assert_eq!(of_plans.count(), calls.len() + 1);
    rules.extend(calls.map(|call| (Phase::Custom, custom(call))));
    rules.push((Phase::Custom, custom("http.host matches \"a+\"")));
    for phase in [Phase::Custom, Phase::RateLimit] {
        for length in [response_bytes(phase.as_str()), response_bytes(phase.as_str()) + 1] {
            let mut rule = response(&"a".repeat(length));
            if phase == Phase::RateLimit {
                rule["ratelimit"] = rate("block", json!({}))["ratelimit"].clone();
            }
            rules.push((phase, rule));
        }
    }
    for (list, to_origin) in [("$blocked", true), ("$blocked", false), ("$cf.anonymizer", true)] {
        let mut rule = rate("block", json!({ "requests_to_origin": to_origin }));
        rule["expression"] = json!(format!("ip.src in {list}"));
        rules.push((Phase::RateLimit, rule));
    }
    rules
}

#[test]
fn the_client_and_the_sandbox_refuse_the_same_rules() {
    let rules = rules_at_limits();
    for plan in TIERS.iter().map(|tier| tier.name) {
        let workspace = on(plan);
        for (phase, rule) in &rules {
            let beyond = beyond(*phase, rule, plan);
            let is_accepted = accepts(&workspace, *phase, std::slice::from_ref(rule));
            assert_eq!(is_accepted, beyond.is_none(), "{plan}: {rule}\n{beyond:?}");
        }
    }
}

/// Returns a value that a setting can have.
fn value_of(kind: SettingKind) -> Option<Value> {
    match kind {
        SettingKind::Word(words) => words.first().map(|word| json!(word)),
        SettingKind::Number(numbers) => numbers.first().map(|number| json!(number)),
        SettingKind::Range(least, _) => Some(json!(least)),
        SettingKind::Words(_) => Some(json!([])),
        SettingKind::Switch => Some(json!(true)),
        SettingKind::Object(_) => None,
    }
}

/// Returns a value that only some plans have.
fn limited_value(limited: LimitedValue) -> Value {
    match limited {
        LimitedValue::Word(word) => json!(word),
        LimitedValue::Not("standard") => json!("cdn_only"),
        LimitedValue::Not(word) => panic!("which value is not {word}?"),
        LimitedValue::Above(most) => json!(most + 100),
        LimitedValue::On => json!(true),
        LimitedValue::Type("custom") => json!({ "type": "custom.account", "ns_set": 1 }),
        LimitedValue::Type(kind) => json!({ "type": kind }),
        LimitedValue::Any => json!({ "reference_zone_id": "0".repeat(32) }),
    }
}

#[test]
fn the_client_and_the_sandbox_refuse_the_same_dns_settings() {
    let limited =
        DNS_SETTING_VALUES.iter().map(|limit| (limit.setting, limited_value(limit.value)));
    // Every plan can change what no row of the table limits.
    let all = [
        ("multi_provider", json!(true)),
        ("ns_ttl", json!(3600)),
        ("soa", json!({ "refresh": 9000 })),
        ("flatten_all_cnames", json!(false)),
    ];
    let settings: Vec<(&str, Value)> = limited.chain(all).collect();
    for plan in TIERS.iter().map(|tier| tier.name) {
        let workspace = on(plan);
        let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
        for (name, value) in &settings {
            let path = format!("/zones/{zone}/dns_settings");
            let is_accepted = workspace.try_write("PATCH", &path, &json!({ *name: value }));
            let beyond = dns_setting_limit(name, &from_json(value), known(plan));
            assert_eq!(is_accepted, beyond.is_none(), "{plan}: {name} {value} {beyond:?}");
        }
    }
}

#[test]
fn the_client_and_the_sandbox_refuse_the_same_settings() {
    let values = SETTING_VALUES.iter().map(|limit| (limit.setting, limited_value(limit.value)));
    let every = SETTINGS.iter().filter(|facts| facts.plan.is_some());
    let every = every.filter_map(|facts| Some((facts.name, value_of(facts.kind)?)));
    let settings: Vec<(&str, Value)> = values.chain(every).collect();
    for plan in TIERS.iter().map(|tier| tier.name) {
        let workspace = on(plan);
        let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
        for (name, value) in &settings {
            let path = format!("/zones/{zone}/settings/{name}");
            let is_accepted = workspace.try_write("PATCH", &path, &json!({ "value": value }));
            let beyond = setting_limit(name, &from_json(value), known(plan));
            assert_eq!(is_accepted, beyond.is_none(), "{plan}: {name} {value} {beyond:?}");
        }
    }
}

#[test]
fn the_client_and_the_sandbox_refuse_the_same_records() {
    let most = TIERS.iter().map(|tier| tier.comment_characters);
    let comments = most.flat_map(|most| [most, most + 1]).map(|length| json!("a".repeat(length)));
    let mut attributes: Vec<Value> =
        comments.map(|comment| json!({ "comment": comment })).collect();
    attributes.extend(
        [0, 1, 20, 21].map(
            |count| json!({ "tags": (0..count).map(|n| format!("a:{n}")).collect::<Vec<_>>() }),
        ),
    );
    attributes.extend([30, 59, 60].map(|ttl| json!({ "ttl": ttl })));
    attributes.extend(RECORD_FEATURES.iter().map(
        |facts| json!({ "settings": { facts.key: true }, "proxied": facts.key != "flatten_cname" }),
    ));
    for plan in TIERS.iter().map(|tier| tier.name) {
        let workspace = on(plan);
        let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
        for (n, attributes) in attributes.iter().enumerate() {
            let mut record =
                json!({ "type": "CNAME", "name": format!("a{n}"), "content": "a.example.net" });
            record.as_object_mut().unwrap().extend(attributes.as_object().unwrap().clone());
            let path = format!("/zones/{zone}/dns_records");
            let is_accepted = workspace.try_write("POST", &path, &record);
            let facets = Facets {
                ttl: record["ttl"].as_u64().map(|ttl| Ttl::seconds(ttl).unwrap()),
                proxied: record["proxied"].as_bool(),
                comment: record["comment"].as_str().map(|text| Comment::Set(text.to_owned())),
                tags: record["tags"].as_array().map(|tags| {
                    tags.iter().map(|tag| Tag::parse(tag.as_str().unwrap()).unwrap()).collect()
                }),
                settings: Settings::of(|name| record["settings"][name].as_bool()),
            };
            let beyond = record_limits(&facets, known(plan));
            assert_eq!(is_accepted, beyond.is_empty(), "{plan}: {record} {beyond:?}");
        }
    }
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

/// Returns the keys of a zone with one rule.
fn zone_of(Example { phase, keys, .. }: &Example) -> String {
    format!(
        "    waf:\n      {}:\n        - {{ name: a, when: 'http.request.uri.path eq \"/a\"', {keys} }}\n",
        phase.key()
    )
}

/// Runs `validate` of a zone with these keys, on a plan.
fn validate(plan: Option<&str>, zone: &str) -> Ran {
    let workspace = on("free");
    let plan =
        plan.map_or_else(|| "    ignore: []\n".to_owned(), |plan| format!("    plan: {plan}\n"));
    workspace.file("spec.yaml", format!("version: 1\nzones:\n  example.com:\n{plan}{zone}"));
    workspace.run(&["validate", "spec.yaml"])
}

/// Runs `apply` of a rule.
fn apply(workspace: &Workspace, example: &Example) -> Ran {
    workspace
        .file("spec.yaml", format!("version: 1\nzones:\n  example.com:\n{}", zone_of(example)));
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

#[test]
fn validate_shows_the_key_that_the_plan_of_the_spec_does_not_allow() {
    for facts in RULE_FEATURES {
        let example = example(facts.feature);
        if example.keys.is_empty() {
            continue;
        }
        let zone = zone_of(&example);
        let rule = zone.lines().nth(2).unwrap();
        let column = rule.find(&format!("{}: ", facts.key)).unwrap() + facts.key.len() + 3;
        let ran = validate(Some(TIERS[facts.lowest_plan - 1].name), &zone);
        let finding = match facts.certainty {
            Certainty::Certain => "error[PLAN0003]",
            Certainty::FreePlanOnly | Certainty::Assumed => "warning[PLAN0017]",
        };
        let ran = ran.exits(i32::from(facts.certainty == Certainty::Certain));
        assert!(ran.stderr.contains(finding) && ran.stderr.contains(facts.instead), "{ran:?}");
        assert!(ran.stderr.contains(&format!("spec.yaml:7:{column}")), "{column} {ran:?}");
        for plan in [Some(TIERS[facts.lowest_plan].name), None] {
            let ran = validate(plan, &zone).exits(0);
            assert!(!ran.stderr.contains("PLAN00"), "{ran:?}");
        }
    }
}

#[test]
fn validate_checks_everything_else_that_the_plan_of_the_spec_limits() {
    let rule = |list: &str, keys: &str| {
        format!("    waf:\n      {list}:\n        - {{ name: a, {keys} }}\n")
    };
    let record = |keys: &str| {
        format!("    records:\n      - {{ name: a, type: CNAME, content: a.example, {keys} }}\n")
    };
    let error = |plan, zone: String, words, place| (plan, zone, "error[PLAN0003]", words, place);
    let warning =
        |plan, zone: String, words, place| (plan, zone, "warning[PLAN0017]", words, place);
    let long = "a".repeat(2049);
    let response =
        format!("response: {{ status_code: 403, content: {long}, content_type: text/plain }}");
    let limit = "per: ip, limit: 5 in 1m, then: block for 10s";
    for (plan, zone, finding, words, place) in [
        error(
            "free",
            rule("rate_limits", &format!("when: ssl, {limit}")),
            "a rate limit over 60 s",
            "7:49",
        ),
        error(
            "pro",
            rule("rate_limits", "when: ssl, per: ip, limit: 5 in 1m, then: block for 1d"),
            "acts for 86400 s",
            "7:64",
        ),
        error(
            "free",
            rule("custom", "when: 'http.host matches \"a+\"', action: block"),
            "`matches` needs",
            "7:28",
        ),
        error(
            "free",
            rule("custom", "raw: { action: block, expression: 'http.host matches \"a+\"' }"),
            "`matches` needs",
            "7:27",
        ),
        warning(
            "pro",
            rule("custom", "when: 'http.host matches \"a+\"', action: block"),
            "`matches` needs",
            "7:28",
        ),
        error(
            "pro",
            rule(
                "rate_limits",
                "when: 'http.host eq \"a\"', per: ip, limit: 5 in 1m, then: block for 77s",
            ),
            "only the enterprise plan has other durations",
            "7:79",
        ),
        warning(
            "business",
            rule(
                "rate_limits",
                "when: 'http.host eq \"a\"', per: ip, limit: 5 in 1m, then: block for 30s",
            ),
            "only the enterprise plan has other durations",
            "7:79",
        ),
        error(
            "free",
            rule(
                "rate_limits",
                "when: 'ip.src eq 192.0.2.1', per: ip, limit: 5 in 10s, then: block for 10s",
            ),
            "`ip.src` in a rate limit needs the business plan or above",
            "7:28",
        ),
        warning(
            "free",
            rule(
                "rate_limits",
                "when: 'http.host eq \"a\"', per: ip, limit: 5 in 10s, then: block for 10s",
            ),
            "`http.host` in a rate limit needs the pro plan or above",
            "7:28",
        ),
        warning(
            "pro",
            rule(
                "rate_limits",
                "when: 'http.cookie eq \"a\"', per: ip, limit: 5 in 1m, then: block for 1m",
            ),
            "`http.cookie` in a rate limit needs the enterprise plan;",
            "7:28",
        ),
        warning(
            "enterprise",
            rule("rate_limits", "when: ssl, per: ip, limit: 5 in 1d, then: block for 77s"),
            "counts over at most 65535 s",
            "7:49",
        ),
        error("free", "    waf: { owasp: { paranoia: 2 } }\n".to_owned(), "OWASP", "5:19"),
        error(
            "enterprise",
            rule("custom", &format!("when: ssl, action: block, {response}")),
            "2049 bytes",
            "7:58",
        ),
        error(
            "enterprise",
            rule(
                "rate_limits",
                "when: 'ip.src in $a', per: ip, limit: 5 in 10s, then: block for 10s, to_origin: true",
            ),
            "names a list",
            "7:102",
        ),
        error("free", record("tags: [a]"), "the record has 1 tag", "6:42"),
        error("free", record("settings: { flatten_cname: true }"), "CNAME flattening", "6:42"),
        warning(
            "business",
            record("proxied: true, settings: { ipv4_only: true }"),
            "`ipv4_only` needs",
            "6:42",
        ),
        warning(
            "free",
            "    settings: { polish: lossy }\n".to_owned(),
            "polish can be changed",
            "5:17",
        ),
        error(
            "business",
            "    settings: { max_upload: 300 }\n".to_owned(),
            "max_upload can be 300",
            "5:17",
        ),
    ] {
        let ran = validate(Some(plan), &zone);
        let shown = (ran.stderr.contains(finding), ran.stderr.contains(words));
        assert_eq!(shown, (true, true), "{plan}\n{zone}{ran:?}");
        assert!(ran.stderr.contains(&format!("spec.yaml:{place}")), "{plan}\n{zone}{ran:?}");
    }
    let six = rule("custom", "when: ssl, action: block")
        + &(0..5)
            .map(|n| format!("        - {{ name: b{n}, when: ssl, action: block }}\n"))
            .collect::<String>();
    let ran = validate(Some("free"), &six).exits(1);
    assert!(ran.stderr.contains("there would be 6 custom rules"), "{ran:?}");
}

#[test]
fn the_plan_of_a_live_zone_counts_and_not_that_of_the_spec() {
    let log = zone_of(&example(RuleFeature::LogAction));
    let spec = |plan: &str| format!("version: 1\nzones:\n  example.com:\n    plan: {plan}\n{log}");
    let workspace = on("enterprise");
    workspace.file("spec.yaml", spec("free"));
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(ran.stderr.contains("warning[PLAN0055]"), "{ran:?}");
    assert!(ran.stderr.contains("write `plan: enterprise`"), "{ran:?}");
    workspace.file("spec.yaml", spec("enterprise"));
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(!ran.stderr.contains("PLAN0055"), "{ran:?}");
    let free = on("free");
    free.file("spec.yaml", spec("enterprise"));
    free.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(free.writes().is_empty(), "{:?}", free.writes());
}

#[test]
fn what_the_engine_refuses_is_an_error_under_raw_too() {
    for (expression, code, column) in [
        ("http.host matches \"a(?=b)\"", "error[WAF0001]", 75),
        ("http.host matches \"(a)\\1\"", "error[WAF0001]", 75),
        ("http.host matches \"(a\"", "error[WAF0001]", 75),
        ("http.host matches \"((a{999}){999}){9}\"", "error[WAF0001]", 75),
        ("http.request.headers[\"a\"][*] eq \"b\"", "error[WAF0001]", 82),
        ("brand_new(http.host) eq \"a\"", "warning[WAF0002]", 57),
    ] {
        let raw = format!("raw: {{ action: block, expression: '{expression}' }}");
        let zone = format!("    waf:\n      custom:\n        - {{ name: a, {raw} }}\n");
        let ran = validate(None, &zone);
        let ran = ran.exits(i32::from(code.starts_with("error")));
        assert!(ran.stderr.contains(code), "{ran:?}");
        assert!(ran.stderr.contains(&format!("spec.yaml:7:{column}")), "{column} {ran:?}");
        let when = format!(
            "    waf:\n      custom:\n        - {{ name: a, when: '{expression}', action: block }}\n"
        );
        assert!(validate(None, &when).stderr.contains(code), "{when}");
    }
}
