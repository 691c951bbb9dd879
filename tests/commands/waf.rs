//! Protection of zones, end to end: the binary against the sandbox, over HTTP.

use crate::support::workspace::{Workspace, options, options_on};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, SandboxOptions, What, When};

const MANAGED: &str = "http_request_firewall_managed";
const CUSTOM: &str = "http_request_firewall_custom";
const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";
const CLOUDFLARE: &str = "efb7b8c949ac4650a09736fc376e9aee";
const ANOMALY: &str = "6179ae15870a4bb7b2d480d4843b323c";

/// Returns a service whose zones are on the business plan.
fn business() -> SandboxOptions {
    options_on("business")
}

/// Creates a workspace with the zone example.com and an entry point of the phase.
fn with_rules(phase: &str, rules: Value) -> Workspace {
    let workspace = Workspace::empty(business());
    let entry_point = json!({ "phase": phase, "kind": "zone", "name": "default", "rules": rules });
    workspace.plant(
        &json!({ "zones": [{ "name": "example.com", "plan": "business", "records": [], "rulesets": [entry_point] }] }),
    );
    workspace
}

/// Writes a spec of example.com with this `waf` section, each line indented by six.
fn waf_spec(workspace: &Workspace, waf: &str) {
    let lines: Vec<String> = waf.lines().map(|line| format!("      {line}")).collect();
    workspace.file(
        "spec.yaml",
        format!("version: 1\nzones:\n  example.com:\n    waf:\n{}\n", lines.join("\n")),
    );
}

/// Returns the overrides of the OWASP deployment.
fn overrides(workspace: &Workspace) -> Value {
    let all = workspace.rules(MANAGED);
    let found = all
        .iter()
        .find(|r| r["action_parameters"]["id"] == OWASP)
        .unwrap_or_else(|| panic!("{all:?}"));
    found["action_parameters"]["overrides"].clone()
}

fn refs(workspace: &Workspace, phase: &str) -> Vec<String> {
    let name = |r: &Value| r["ref"].as_str().or(r["id"].as_str()).unwrap().to_owned();
    workspace.rules(phase).iter().map(name).collect()
}

/// Applies with all consents; afterwards, a plan is empty.
#[track_caller]
fn settles(workspace: &Workspace) {
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection"]).exits(0);
    let before = workspace.writes().len();
    let again =
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode", "--format", "json"]).exits(0);
    assert_eq!(again.json()["verdict"], "in-sync");
    assert_eq!(workspace.writes().len(), before);
}

/// From an empty zone through three settings and back: the rulesets of the sandbox are always those
/// of the spec.
#[test]
fn levels_thresholds_and_actions_reach_the_sandbox() {
    let workspace = Workspace::new(business());
    let off = |levels: &[u8]| -> Value {
        levels
            .iter()
            .map(|n| json!({ "category": format!("paranoia-level-{n}"), "enabled": false }))
            .collect()
    };
    let steps = [
        ("2", "medium", "managed_challenge", off(&[3, 4]), 40),
        ("4", "25", "block", Value::Null, 25),
        ("1", "low", "log", off(&[2, 3, 4]), 60),
        ("2", "medium", "managed_challenge", off(&[3, 4]), 40),
    ];
    for (n, (level, threshold, action, categories, number)) in steps.into_iter().enumerate() {
        waf_spec(
            &workspace,
            &format!("owasp: {{ paranoia: {level}, threshold: {threshold}, action: {action} }}"),
        );
        let before = workspace.writes().len();
        settles(&workspace);
        let writes = &workspace.writes()[before..];
        assert_eq!(writes.len(), 1, "one write for each step");
        assert_eq!(writes[0].method, if n == 0 { "POST" } else { "PATCH" });
        let has = overrides(&workspace);
        assert_eq!(has["categories"], categories);
        assert_eq!(
            has["rules"],
            json!([{ "id": ANOMALY, "score_threshold": number, "action": action }])
        );
    }
}

/// Rules that are renamed, split and merged stop the same requests: no consent is needed, and the
/// new rules exist before the old ones are deleted.
#[test]
fn rules_that_are_renamed_split_and_merged_need_no_consent() {
    let workspace = with_rules(CUSTOM, json!([]));
    let (a, b) = ("http.host eq \"a.example.com\"", "http.host eq \"b.example.com\"");
    let either = "http.host in {\"a.example.com\" \"b.example.com\"}";
    let custom = |rules: &[(&str, &str)]| {
        let rules = rules
            .iter()
            .map(|(name, when)| format!("\n  - {{ name: {name}, when: '{when}', action: block }}"));
        format!("unmanaged: prune\ncustom:{}", rules.collect::<String>())
    };
    let states: [&[(&str, &str)]; 4] =
        [&[("both", either)], &[("hosts", either)], &[("a", a), ("b", b)], &[("one", either)]];
    for (n, rules) in states.into_iter().enumerate() {
        waf_spec(&workspace, &custom(rules));
        let before = workspace.writes().len();
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        let names: Vec<String> = rules.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(refs(&workspace, CUSTOM), names);
        let methods: Vec<String> =
            workspace.writes()[before..].iter().map(|write| write.method.clone()).collect();
        let is_delete = |method: &String| method == "DELETE";
        assert!(n == 0 || methods.iter().any(is_delete), "{methods:?}");
        let (created, deleted) =
            methods.split_at(methods.iter().position(is_delete).unwrap_or(methods.len()));
        assert_eq!(created.len(), rules.len(), "{methods:?}");
        assert!(deleted.iter().all(is_delete), "{methods:?}");
    }
}

#[test]
fn a_share_of_the_requests_reaches_the_sandbox() {
    let workspace = with_rules(CUSTOM, json!([]));
    waf_spec(
        &workspace,
        "custom:\n  - { name: v2, when: 'http.request.uri.path eq \"/v2\"', share: 10%, action: block }",
    );
    settles(&workspace);
    assert_eq!(
        workspace.rules(CUSTOM)[0]["expression"],
        "(http.request.uri.path eq \"/v2\") and hash_in_range(0, 100, cf.random_seed) < 10"
    );
}

/// Weaker protection needs a consent.
#[test]
fn weakening_needs_consent_or_a_waiver() {
    let workspace = Workspace::new(business());
    waf_spec(&workspace, "owasp: { paranoia: 2, threshold: medium, action: block }");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let writes = workspace.writes().len();
    for weaker in [
        "paranoia: 1, threshold: medium, action: block",
        "paranoia: 2, threshold: low, action: block",
        "paranoia: 2, threshold: medium, action: log",
    ] {
        waf_spec(&workspace, &format!("owasp: {{ {weaker} }}"));
        let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(3);
        assert!(
            ran.stdout.contains("--allow weakens-protection") && ran.stdout.contains("WEAKENS"),
            "{}",
            ran.stdout
        );
    }
    waf_spec(&workspace, "owasp: off");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(3);
    assert_eq!(workspace.writes().len(), writes);
    waf_spec(&workspace, "accept_weakening: TICKET-1, for the migration\nowasp: off");
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(
        ran.stdout.contains("accepted in the spec: TICKET-1, for the migration"),
        "{}",
        ran.stdout
    );
    assert_eq!(workspace.rules(MANAGED)[0]["enabled"], false);
    // Stronger protection needs no consent.
    waf_spec(&workspace, "owasp: { paranoia: 3, threshold: high, action: block }");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
}

/// An entry point with foreign rules: they stay unchanged, and our deployment is changed by one
/// PATCH that keeps everything else.
#[test]
fn foreign_rules_and_overrides_survive() {
    let workspace = with_rules(
        MANAGED,
        json!([
            { "id": "11111111111111111111111111111111", "action": "skip", "expression": "ip.src eq 192.0.2.7", "action_parameters": { "ruleset": "current" }, "description": "office", "enabled": true, "logging": { "enabled": false } },
            { "id": "22222222222222222222222222222222", "action": "execute", "expression": "true", "enabled": true,
              "action_parameters": { "id": CLOUDFLARE, "matched_data": { "public_key": "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=" } } },
            { "id": "33333333333333333333333333333333", "action": "execute", "expression": "http.host ne \"static.example.com\"", "enabled": true, "description": "made by hand",
              "action_parameters": { "id": OWASP, "matched_data": { "public_key": "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=" }, "overrides": {
                "rules": [ { "id": "5e4903d6afa841c9b88b96203297003f", "enabled": false }, { "id": ANOMALY, "action": "managed_challenge", "score_threshold": 60 } ],
                "categories": [ { "category": "paranoia-level-4", "enabled": false }, { "category": "paranoia-level-3", "enabled": false } ] } } }
        ]),
    );
    let before = workspace.rules(MANAGED);
    // No change, in whatever order the overrides are.
    waf_spec(&workspace, "owasp: { paranoia: 2, threshold: low, action: managed_challenge }");
    settles(&workspace);
    assert_eq!(workspace.writes().len(), 0);
    waf_spec(&workspace, "owasp: { paranoia: 3, threshold: high }");
    settles(&workspace);
    let writes = workspace.writes();
    assert_eq!((writes.len(), writes[0].method.as_str()), (1, "PATCH"));
    assert!(writes[0].path.ends_with("/rules/33333333333333333333333333333333"));
    let after = workspace.rules(MANAGED);
    assert_eq!(after[..2], before[..2]);
    let (old, new) = (&before[2], &after[2]);
    for kept in ["id", "ref", "expression", "description", "enabled"] {
        assert_eq!(new[kept], old[kept], "{kept}");
    }
    assert_eq!(new["action_parameters"]["matched_data"], old["action_parameters"]["matched_data"]);
    let has = overrides(&workspace);
    assert_eq!(has["categories"], json!([{ "category": "paranoia-level-4", "enabled": false }]));
    let wanted = [
        json!({ "id": "5e4903d6afa841c9b88b96203297003f", "enabled": false }),
        json!({ "id": ANOMALY, "action": "managed_challenge", "score_threshold": 25 }),
    ];
    assert!(wanted.iter().all(|w| has["rules"].as_array().unwrap().contains(w)), "{has}");
}

/// Only the documented response means that there is no entry point; any other response stops the
/// run before the first write.
#[test]
fn only_the_documented_answer_means_that_there_is_none() {
    let bodies = [
        (
            404,
            json!({ "success": false, "errors": [{ "code": 10001, "message": "not found" }], "messages": [], "result": null }),
        ),
        (
            403,
            json!({ "success": false, "errors": [{ "message": "request is not authorized" }], "messages": [], "result": null }),
        ),
        (
            400,
            json!({ "success": false, "errors": [{ "code": 10003, "message": "could not" }], "messages": [], "result": null }),
        ),
        (200, json!({ "success": true, "errors": [], "messages": [], "result": null })),
        (
            200,
            json!({ "success": true, "errors": [], "messages": [], "result": { "id": "e", "rules": "none" } }),
        ),
    ];
    for (status, body) in bodies {
        let workspace = Workspace::new(business());
        waf_spec(&workspace, "owasp: { paranoia: 2 }");
        workspace.fault(Fault {
            when: When::Matching {
                method: Some("GET".into()),
                path_suffix: "/entrypoint".into(),
                nth: 1,
            },
            what: What::Answer { code: status, body: body.clone() },
            times: 99,
        });
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
        assert_eq!(workspace.writes().len(), 0, "{status} {body}");
    }
}

/// Someone changes the rules between the plan and the write: nothing is sent, and the exit code is
/// the one for a stale plan.
#[test]
fn rules_that_moved_are_stale() {
    let workspace = with_rules(
        CUSTOM,
        json!([{ "action": "block", "expression": "ip.src eq 192.0.2.1", "enabled": true }]),
    );
    waf_spec(
        &workspace,
        "custom:\n  - { name: a, when: 'http.host eq \"a.example.com\"', action: block }",
    );
    // The second read of the entry point is the one just before the write.
    let ruleset = workspace.dump()["zones"][0]["rulesets"][0]["id"].as_str().unwrap().to_owned();
    let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
    workspace.fault(Fault {
        when: When::Matching {
            method: Some("GET".into()),
            path_suffix: format!("{CUSTOM}/entrypoint"),
            nth: 2,
        },
        what: What::AnotherWriter {
            method: "POST".into(),
            path: format!("/zones/{zone}/rulesets/{ruleset}/rules"),
            body: json!({ "action": "block", "expression": "ip.src eq 192.0.2.9" }),
        },
        times: 1,
    });
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]);
    assert_eq!(ran.code, Some(4), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("changed by someone else"), "{}", ran.stdout);
    assert_eq!(refs(&workspace, CUSTOM).len(), 2, "the foreign write alone");
    settles(&workspace);
}

/// A lost response is resolved by reading: nothing is done twice.
#[test]
fn lost_answers_are_settled_by_reading() {
    for what in [
        What::ResetAfterEffect,
        What::ResetBeforeEffect,
        What::StatusAfterEffect { code: 502 },
        What::Status { code: 503, html: true, retry_after: None },
        What::TruncateBody,
    ] {
        for (method, is_first) in [("POST", true), ("POST", false), ("PATCH", false)] {
            let workspace = match is_first {
                true => Workspace::new(business()),
                false => with_rules(
                    CUSTOM,
                    json!([{ "ref": "b", "action": "log", "expression": "true", "enabled": true }]),
                ),
            };
            waf_spec(
                &workspace,
                match method {
                    "PATCH" => {
                        "custom:\n  - { name: b, when: 'http.host eq \"b.example.com\"', action: block }"
                    }
                    _ => {
                        "custom:\n  - { name: a, when: 'http.host eq \"a.example.com\"', action: block }"
                    }
                },
            );
            workspace.fault(Fault {
                when: When::Matching {
                    method: Some(method.into()),
                    path_suffix: String::new(),
                    nth: 1,
                },
                what: what.clone(),
                times: 1,
            });
            let wanted = match (method, is_first) {
                (_, true) => vec!["a"],
                ("POST", false) => vec!["b", "a"],
                _ => vec!["b"],
            };
            settles(&workspace);
            assert_eq!(refs(&workspace, CUSTOM), wanted, "{method} {what:?}");
        }
    }
}

/// A move or a delete that takes effect late is not reported as refused, even if the entry point
/// does not show it yet.
#[test]
fn a_request_that_took_effect_late_is_not_called_refused() {
    let rule = |name: &str| json!({ "ref": name, "action": "log", "expression": format!("http.host eq \"{name}.example.com\"") });
    let line = |name: &str| {
        format!(
            "\n  - {{ name: {name}, when: 'http.host eq \"{name}.example.com\"', action: log }}"
        )
    };
    let cases = [
        ("PATCH", format!("custom:{}{}", line("b"), line("a")), "requested position"),
        ("DELETE", format!("custom:{}\nunmanaged: prune", line("a")), "could not find"),
        ("POST", format!("custom:{}", line("c").replace("log", "block")), "earlier attempt"),
    ];
    for (method, wanted, words) in cases {
        let workspace = with_rules(CUSTOM, json!([rule("a"), rule("b")]));
        waf_spec(&workspace, &wanted);
        workspace.fault(Fault {
            when: When::Matching {
                method: Some(method.into()),
                path_suffix: String::new(),
                nth: 1,
            },
            what: What::ResetAfterEffect,
            times: 1,
        });
        // Read for the plan, before the write, and afterwards with the old content.
        let reads = When::Matching {
            method: Some("GET".into()),
            path_suffix: "/entrypoint".into(),
            nth: 3,
        };
        workspace.fault(Fault { when: reads, what: What::StaleRead, times: 2 });
        let ran = workspace.run(&[
            "apply",
            "spec.yaml",
            "--yes",
            "--allow",
            "weakens-protection",
            "--allow-deletes",
            "1",
            "--format",
            "json",
        ]);
        let left = &ran.json()["result"]["zones"][0]["not_done"];
        assert_eq!(
            (ran.code, &left[0]["outcome"]),
            (Some(5), &json!("unknown")),
            "{method}: {left}"
        );
        assert!(left[0]["reason"].as_str().unwrap().contains(words), "{method}: {left}");
        assert_eq!(workspace.writes().len(), 2);
        settles(&workspace);
        assert_eq!(workspace.writes().len(), 2, "it had taken effect");
    }
}

/// After a refusal the following operations are not sent, and the report says which state is live.
#[test]
fn a_refusal_stops_what_follows() {
    let workspace = with_rules(
        CUSTOM,
        json!([{ "ref": "z", "action": "log", "expression": "true", "enabled": true }]),
    );
    waf_spec(
        &workspace,
        "custom:\n  - { name: a, when: 'http.host eq \"a.example.com\"', action: block }\n  - { name: b, when: 'http.host eq \"b.example.com\"', action: block }",
    );
    workspace.fault(Fault {
        when: When::Matching { method: Some("POST".into()), path_suffix: "/rules".into(), nth: 1 },
        what: What::Answer {
            code: 400,
            body: json!({ "success": false, "errors": [{ "code": 50001, "message": "exceeded the maximum number of rules" }], "messages": [], "result": null }),
        },
        times: 1,
    });
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(
        ran.stdout.contains("exceeded the maximum number of rules (code 50001)")
            && ran.stdout.contains("not sent"),
        "{}",
        ran.stdout
    );
    assert_eq!(workspace.writes().len(), 1);
    settles(&workspace);
}

/// Order: rules in the right order stay, others are moved once, and new rules are created at their
/// place in the list.
#[test]
fn rules_are_moved_as_little_as_possible() {
    let workspace = Workspace::new(business());
    let spec = |names: &str| {
        let line = |n: char| {
            format!(
                "\n  - {{ name: {n}, when: 'http.host eq \"{n}.example.com\"', action: block }}"
            )
        };
        waf_spec(&workspace, &format!("custom:{}", names.chars().map(line).collect::<String>()));
    };
    spec("abcde");
    settles(&workspace);
    for (names, writes) in [("eabcd", 1), ("abcde", 1), ("abxcde", 1), ("xabcde", 1), ("edcbax", 5)]
    {
        let before = workspace.writes().len();
        spec(names);
        settles(&workspace);
        assert_eq!(refs(&workspace, CUSTOM).concat(), names);
        assert_eq!(workspace.writes().len() - before, writes, "{names}");
    }
}

/// Every change is sent to the sandbox as a dry run, and nothing is written.
#[test]
fn changes_can_be_checked_by_the_server_first() {
    let workspace = Workspace::new(business());
    waf_spec(
        &workspace,
        "owasp: { paranoia: 2 }\ncustom:\n  - { name: a, when: 'http.host eq \"a.example.com\"', action: block }",
    );
    let ran = workspace.run(&["plan", "spec.yaml", "--server-check"]).exits(0);
    assert!(
        ran.stdout.contains("server check: 2 of 2 changes of rules would be accepted"),
        "{}",
        ran.stdout
    );
    assert!(workspace.rules(MANAGED).is_empty() && workspace.rules(CUSTOM).is_empty());
    // A refusal of the sandbox is shown in its words, and fails the run.
    let free = Workspace::new(options());
    waf_spec(&free, "owasp: { paranoia: 2 }");
    let ran = free.run(&["plan", "spec.yaml", "--server-check"]).exits(1);
    assert!(ran.stdout.contains("would be refused: not entitled"), "{}", ran.stdout);
    // Without support for dry runs, no request is sent: it would write.
    let mut options = business();
    options.profile.dry_run = false;
    let without = Workspace::new(options);
    waf_spec(&without, "owasp: { paranoia: 2 }");
    let ran = without.run(&["plan", "spec.yaml", "--server-check"]).exits(0);
    assert!(ran.stdout.contains("was not checked"), "{}", ran.stdout);
    assert!(without.rules(MANAGED).is_empty());
}

/// A new zone gets its rules in the same run.
#[test]
fn a_new_zone_is_protected_at_once() {
    let workspace = Workspace::empty(business());
    workspace.file(
        "spec.yaml",
        "version: 1\nzones:\n  example.com:\n    create: true\n    waf:\n      custom:\n        - { name: a, when: 'http.host eq \"a.example.com\"', action: block }\n",
    );
    settles(&workspace);
    assert_eq!(refs(&workspace, CUSTOM), ["a"]);
}

/// The requests of a plan: those for the zone, and managed rulesets once for each account.
#[test]
fn managed_rulesets_are_read_once_and_kept() {
    let workspace = Workspace::empty(business());
    let zone =
        |n: u8| json!({ "name": format!("z{n}.example"), "plan": "business", "records": [] });
    workspace.plant(&json!({ "zones": (1..=3).map(zone).collect::<Vec<_>>() }));
    let zones = (1..=3)
        .map(|n| format!("  z{n}.example:\n    waf: {{ owasp: {{ paranoia: 2 }} }}\n"))
        .collect::<String>();
    workspace.file("spec.yaml", format!("version: 1\nzones:\n{zones}"));
    workspace.run(&["plan", "spec.yaml"]).exits(0);
    let paths = |from: usize| -> Vec<String> {
        workspace.requests()[from..].iter().map(|r| r.path.clone()).collect()
    };
    let count = |paths: &[String], what: &str| paths.iter().filter(|p| p.contains(what)).count();
    let first = paths(0);
    assert_eq!(
        (count(&first, "/accounts/"), count(&first, "/entrypoint"), count(&first, OWASP)),
        (2, 3, 1),
        "{first:?}"
    );
    let before = first.len();
    workspace.run(&["plan", "spec.yaml"]).exits(0);
    let second = paths(before);
    assert_eq!(
        (count(&second, "/accounts/"), count(&second, OWASP)),
        (1, 0),
        "the list says that nothing changed"
    );
}

/// A contradictory order is refused before anything is sent.
#[test]
fn an_order_that_cannot_be_is_not_written() {
    let workspace = Workspace::new(business());
    waf_spec(
        &workspace,
        "custom:\n  - { name: x, when: cf.client.bot, action: block, after: y }\n  - { name: y, when: cf.client.bot, action: block }",
    );
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains("WAF0031") && ran.stderr.contains("is above `y` in the list"),
        "{}",
        ran.stderr
    );
    assert_eq!(workspace.requests().len(), 0, "it is known offline");
    waf_spec(
        &workspace,
        "custom:\n  - { name: y, when: cf.client.bot, action: block }\n  - { name: x, when: cf.client.bot, action: block, after: y }",
    );
    settles(&workspace);
}

/// Only Cloudflare knows where foreign rules are.
#[test]
fn no_place_between_foreign_rules_is_not_written() {
    let foreign = |name: &str| json!({ "ref": name, "action": "block", "expression": "ssl" });
    let workspace =
        with_rules("http_request_firewall_custom", json!([foreign("upper"), foreign("lower")]));
    let spec = |anchors: &str| {
        waf_spec(
            &workspace,
            &format!("custom:\n  - {{ name: x, when: cf.client.bot, action: block, {anchors} }}"),
        )
    };
    spec("before: upper, after: lower");
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains("PLAN0015") && ran.stderr.contains("`lower` before `x`"),
        "{}",
        ran.stderr
    );
    assert_eq!(workspace.writes().len(), 0);
    spec("before: lower, after: upper");
    settles(&workspace);
}

/// A raw exception is placed before the deployment that it concerns, like any other.
#[test]
fn raw_exceptions_have_their_place() {
    let execute = json!([{ "ref": "mine", "action": "execute", "expression": "true", "action_parameters": { "id": OWASP } }]);
    let workspace = with_rules(MANAGED, execute);
    waf_spec(
        &workspace,
        "exceptions:\n  - { name: x, raw: { action: skip, expression: ssl, action_parameters: { ruleset: current }, logging: { enabled: true } } }",
    );
    settles(&workspace);
    assert_eq!(refs(&workspace, MANAGED), ["x", "mine"]);
}

/// The list of a zone's rulesets says which entry points exist; an empty list is not trusted.
#[test]
fn entry_points_are_read_as_the_list_says() {
    let custom = "custom:\n  - { name: a, when: 'http.host eq \"a.example.com\"', action: block }\nrate_limits: []";
    for (is_empty, made) in [(false, 4), (true, 5)] {
        let workspace = with_rules(
            CUSTOM,
            json!([{ "ref": "b", "action": "block", "expression": "ssl", "enabled": true }]),
        );
        waf_spec(&workspace, custom);
        if is_empty {
            let body = json!({ "success": true, "errors": [], "messages": [], "result": [] });
            let when = When::Matching {
                method: Some("GET".into()),
                path_suffix: "/rulesets".into(),
                nth: 1,
            };
            workspace.fault(Fault { when, what: What::Answer { code: 200, body }, times: 1 });
        }
        let plan = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
        // The zone, its records, the list, and the entry points.
        assert_eq!(plan["requests"]["made"], made, "{plan}");
        let operations = plan["operations"].as_array().unwrap();
        assert_eq!((operations.len(), &operations[0]["kind"]), (1, &json!("waf_rule")));
    }
}
