//! Zones: creation, settings, DNSSEC, DNS settings.

use crate::support::workspace::{Workspace, options, options_on};
use serde_json::{Value, json};
use zonewright::sandbox::{Fault, Profile, SandboxOptions, What, When};

fn pro() -> SandboxOptions {
    let mut options = options();
    options.profile = Profile { tier: "pro".into(), ..options.profile };
    options
}

/// Writes a spec of example.com with these keys.
fn spec(workspace: &Workspace, keys: &str) {
    workspace.file("spec.yaml", format!("version: 1\nzones:\n  example.com:\n{keys}\n"));
}

fn plan(workspace: &Workspace) -> Value {
    workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json()
}

#[test]
fn a_missing_zone_is_made_if_wanted() {
    let workspace = Workspace::empty(options());
    let keys = "    create: true\n    settings: { always_use_https: on }\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }";
    spec(&workspace, keys);
    let planned = plan(&workspace);
    let kinds: Vec<_> = planned["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| (o["kind"].as_str().unwrap(), o["action"].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, [("zone", "create"), ("zone_setting", "update"), ("dns_record", "create")]);
    assert_eq!(planned["requests"]["to_apply"], 3);
    assert_eq!(workspace.writes().len(), 0);
    let applied = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(
        applied.stdout.contains("new zone")
            && applied.stdout.contains("3 of 3 operations done; in sync"),
        "{}",
        applied.stdout
    );
    assert!(applied.stderr.contains("registrar"), "{}", applied.stderr);
    assert_eq!(workspace.records("example.com").len(), 1);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn a_zone_whose_name_is_kept_in_unicode_is_found() {
    for unicode_zone_names in [false, true] {
        let mut options = options();
        options.profile.unicode_zone_names = unicode_zone_names;
        let workspace = Workspace::empty(options);
        let spec = "version: 1\nzones:\n  bücher.example:\n    create: true\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }\n";
        workspace.file("spec.yaml", spec);
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
        let imported = workspace.run(&["import", "xn--bcher-kva.example"]).exits(0);
        assert!(imported.stdout.contains("192.0.2.1"), "{}", imported.stdout);
    }
}

#[test]
fn a_new_zone_that_answers_403_is_waited_for() {
    let mut options = options();
    options.profile.fresh_zone_forbidden_milliseconds = 1500;
    let workspace = Workspace::empty(options);
    spec(
        &workspace,
        "    create: true\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }",
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert_eq!(workspace.records("example.com").len(), 1);
}

#[test]
fn a_lost_answer_to_making_a_zone_makes_it_once() {
    for what in [What::ResetAfterEffect, What::TruncateBody, What::StatusAfterEffect { code: 502 }]
    {
        let workspace = Workspace::empty(options());
        spec(
            &workspace,
            "    create: true\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }",
        );
        workspace.fault(Fault {
            when: When::Matching {
                method: Some("POST".into()),
                path_suffix: "/zones".into(),
                nth: 1,
            },
            what: what.clone(),
            times: 1,
        });
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        assert_eq!(workspace.writes().iter().filter(|r| r.path == "/zones").count(), 1, "{what:?}");
        assert_eq!(workspace.records("example.com").len(), 1);
    }
}

#[test]
fn a_zone_that_cannot_be_made_is_said_so() {
    let workspace = Workspace::empty(options());
    spec(
        &workspace,
        "    create: true\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }",
    );
    workspace.fault(Fault {
        when: When::Matching { method: Some("POST".into()), path_suffix: "/zones".into(), nth: 1 },
        what: What::Status { code: 400, html: false, retry_after: None },
        times: 9,
    });
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(
        ran.stdout.contains("refused") && ran.stdout.contains("the zone could not be created"),
        "{}",
        ran.stdout
    );
    assert_eq!(workspace.writes().len(), 1);
}

#[test]
fn settings_are_changed_one_by_one_and_only_if_they_differ() {
    let workspace = Workspace::new(pro());
    spec(
        &workspace,
        "    settings: { ssl: strict, min_tls_version: \"1.2\", always_use_https: true, brotli: on }",
    );
    let planned = plan(&workspace);
    let addresses: Vec<_> = planned["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["address"].as_str().unwrap())
        .collect();
    assert_eq!(
        addresses,
        [
            "example.com/settings/always_use_https",
            "example.com/settings/min_tls_version",
            "example.com/settings/ssl"
        ]
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let bodies: Vec<_> =
        workspace.writes().into_iter().map(|r| (r.method, r.body.unwrap())).collect();
    assert!(
        bodies.contains(&("PATCH".to_owned(), json!({ "value": "on" })))
            && bodies.contains(&("PATCH".to_owned(), json!({ "value": "strict" }))),
        "{bodies:?}"
    );
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    assert_eq!(workspace.writes().len(), 3);
}

#[test]
fn a_nested_setting_keeps_what_is_not_named() {
    let workspace = Workspace::new(pro());
    spec(
        &workspace,
        "    settings: { security_header: { strict_transport_security: { enabled: true, max_age: 86400 } } }",
    );
    workspace.settles("spec.yaml");
    spec(
        &workspace,
        "    settings: { security_header: { strict_transport_security: { max_age: 3600 } } }",
    );
    workspace.settles("spec.yaml");
    let body = workspace.writes().last().unwrap().body.clone().unwrap();
    assert_eq!(
        body.pointer("/value/strict_transport_security/enabled"),
        Some(&json!(true)),
        "{body}"
    );
}

#[test]
fn settings_that_cannot_be_are_errors_with_a_place() {
    let workspace = Workspace::new(options());
    spec(&workspace, "    settings:\n      no_such_setting: 1\n      polish: lossy");
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains("spec.yaml:5:") && ran.stderr.contains("no_such_setting"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("spec.yaml:6:") && ran.stderr.contains("polish"), "{}", ran.stderr);
    assert_eq!(workspace.writes().len(), 0);
}

#[test]
fn dnssec_goes_through_its_states() {
    let workspace = Workspace::new(pro());
    spec(&workspace, "    dnssec: on");
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(ran.stderr.contains("registrar") && ran.stderr.contains(" IN DS "), "{}", ran.stderr);
    let again = workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    assert!(again.stdout.contains(" IN DS "), "{}", again.stdout);
    spec(&workspace, "    dnssec: off");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(3);
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "changes-dnssec"]).exits(0);
    workspace.settles("spec.yaml");
    spec(&workspace, "    records: []");
    let before = workspace.requests().len();
    workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert_eq!(workspace.requests().len(), before + 2, "what the spec does not name is not read");
}

#[test]
fn dnssec_of_a_new_zone_waits_for_the_zone() {
    let workspace = Workspace::empty(options());
    spec(&workspace, "    create: true\n    dnssec: on");
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(ran.stdout.contains("deferred  example.com/dnssec"), "{}", ran.stdout);
    let again = workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    assert!(again.stdout.contains("once the zone is active"), "{}", again.stdout);
}

#[test]
fn dns_settings_are_changed_in_one_request() {
    let workspace = Workspace::new(pro());
    spec(
        &workspace,
        "    dns_settings: { ns_ttl: 3600, flatten_all_cnames: true, multi_provider: false, soa: { refresh: 9999 } }",
    );
    let planned = plan(&workspace);
    let fields: Vec<_> = planned["operations"][0]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["field"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        (fields.as_slice(), planned["operations"].as_array().unwrap().len()),
        (&["flatten_all_cnames".to_owned(), "ns_ttl".into(), "soa".into()][..], 1)
    );
    workspace.settles("spec.yaml");
    let body = workspace.writes()[0].body.clone().unwrap();
    assert_eq!(
        (
            workspace.writes().len(),
            &body["soa"]["refresh"],
            &body["soa"]["expire"],
            &body["ns_ttl"]
        ),
        (1, &json!(9999), &json!(604_800), &json!(3600))
    );
    assert_eq!(body.get("multi_provider"), None);
}

#[test]
fn lost_answers_to_settings_are_settled_by_reading() {
    for (what, sent) in [(What::ResetAfterEffect, 1), (What::ResetBeforeEffect, 2)] {
        let workspace = Workspace::new(pro());
        spec(
            &workspace,
            "    settings: { ssl: strict }\n    dnssec: on\n    dns_settings: { ns_ttl: 3600 }",
        );
        let paths = ["/settings/ssl", "/dnssec", "/dns_settings"];
        for path in paths {
            workspace.fault(Fault {
                when: When::Matching {
                    method: Some("PATCH".into()),
                    path_suffix: path.into(),
                    nth: 1,
                },
                what: what.clone(),
                times: 1,
            });
        }
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        for path in paths {
            let writes = workspace.writes();
            assert_eq!(
                writes.iter().filter(|w| w.path.ends_with(path)).count(),
                sent,
                "{what:?} {path}"
            );
        }
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    }
}

/// If the request were sent again, it would revert a change that someone else made after it.
#[test]
fn a_setting_that_someone_else_changed_is_not_sent_again() {
    let workspace = Workspace::new(pro());
    spec(&workspace, "    settings: { min_tls_version: '1.2', ssl: strict }");
    let when = |nth| When::Matching {
        method: Some("PATCH".into()),
        path_suffix: "/settings/min_tls_version".into(),
        nth,
    };
    workspace.fault(Fault { when: when(1), what: What::ResetAfterEffect, times: 1 });
    let path = format!(
        "/zones/{}/settings/min_tls_version",
        workspace.dump()["zones"][0]["id"].as_str().unwrap()
    );
    let other =
        What::AnotherWriter { method: "PATCH".into(), path, body: json!({ "value": "1.3" }) };
    let read = When::Matching {
        method: Some("GET".into()),
        path_suffix: "/settings/min_tls_version".into(),
        nth: 2,
    };
    workspace.fault(Fault { when: read, what: other, times: 1 });
    let ran = workspace.run(&["apply", "spec.yaml", "--yes", "--format", "json"]).exits(5);
    let left = &ran.json()["result"]["zones"][0]["not_done"];
    assert_eq!(left[0]["outcome"], "unknown", "{left}");
    let writes = workspace.writes();
    assert_eq!(writes.iter().filter(|w| w.path.ends_with("/min_tls_version")).count(), 1);
    assert!(writes.iter().any(|w| w.path.ends_with("/ssl")), "the others go on");
}

/// If the second attempt is refused for the credentials, or reports an error under a success
/// status, this does not show the result of the first attempt, which may take effect late.
#[test]
fn a_refusal_of_the_second_attempt_leaves_a_lost_request_unknown() {
    let parts = [
        ("settings: { min_tls_version: '1.2', ssl: strict }", "PATCH", "/settings/min_tls_version"),
        ("dnssec: on", "PATCH", "/dnssec"),
        ("dns_settings: { ns_ttl: 3600 }", "PATCH", "/dns_settings"),
        (
            "waf: { custom: [{ name: a, when: 'http.host eq \"a.example.com\"', action: block }] }",
            "POST",
            "/rulesets",
        ),
    ];
    let refusals = [
        (What::Status { code: 401, html: false, retry_after: None }, "was not sent again"),
        (What::SuccessFalse200, "an earlier attempt got no response"),
    ];
    for (part, method, path) in parts {
        for (refusal, words) in &refusals {
            let workspace = Workspace::new(pro());
            spec(&workspace, &format!("    {part}"));
            let when =
                |nth| When::Matching { method: Some(method.into()), path_suffix: path.into(), nth };
            workspace.fault(Fault { when: when(1), what: What::ResetBeforeEffect, times: 1 });
            workspace.fault(Fault { when: when(2), what: refusal.clone(), times: 1 });
            let ran = workspace.run(&["apply", "spec.yaml", "--yes", "--format", "json"]).exits(5);
            let left = &ran.json()["result"]["zones"][0]["not_done"];
            assert_eq!(left[0]["outcome"], "unknown", "{path} {refusal:?}: {left}");
            assert!(
                left[0]["reason"].as_str().unwrap().contains(words),
                "{path} {refusal:?}: {left}"
            );
            // A request that was never sent was not lost.
            for other in left.as_array().unwrap().iter().skip(1) {
                assert_eq!(other["outcome"], "not-sent", "{left}");
                assert!(!other["reason"].as_str().unwrap().contains("was lost"), "{left}");
            }
            workspace.settles("spec.yaml");
        }
    }
}

#[test]
fn a_pinned_zone_must_have_its_name() {
    let workspace = Workspace::new(options());
    workspace.plant(
        &json!({ "zones": [{ "name": "example.net", "id": "ab".repeat(16), "records": [] }] }),
    );
    spec(&workspace, &format!("    id: {}\n    records: []", "ab".repeat(16)));
    let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("example.net") && ran.stderr.contains("`id`"), "{}", ran.stderr);
    spec(&workspace, &format!("    id: {}\n    records: []", "cd".repeat(16)));
    workspace.run(&["plan", "spec.yaml"]).exits(1);
}

#[test]
fn no_request_deletes_a_zone() {
    let workspace = Workspace::new(pro());
    spec(&workspace, "    unmanaged: prune\n    dnssec: off\n    records: []");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(workspace.requests().iter().all(|r| r.method != "DELETE"));
}

#[test]
fn a_new_zone_gets_settings_in_the_values_of_the_api() {
    let workspace = Workspace::empty(options_on("pro"));
    spec(
        &workspace,
        "    create: true\n    settings: { always_use_https: true, browser_cache_ttl: '14400', ssl: full, brotli: on }",
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    let sent: Vec<_> = workspace
        .writes()
        .into_iter()
        .filter(|r| r.method == "PATCH")
        .filter_map(|r| r.body)
        .collect();
    assert!(
        sent.contains(&json!({ "value": "on" })) && !sent.contains(&json!({ "value": true })),
        "{sent:?}"
    );
    assert!(
        !sent.contains(&json!({ "value": "full" })),
        "what is as wanted already is not sent: {sent:?}"
    );
}

#[test]
fn switches_that_are_to_be_off_are_planned_on_a_new_zone() {
    let workspace = Workspace::empty(options());
    spec(
        &workspace,
        "    create: true\n    settings: { ipv6: false, always_use_https: false }\n    dns_settings: { flatten_all_cnames: false }",
    );
    assert!(plan(&workspace).to_string().contains("settings/ipv6"));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    let sent: Vec<_> = workspace
        .writes()
        .into_iter()
        .filter(|r| r.method == "PATCH")
        .filter_map(|r| r.body)
        .collect();
    assert_eq!(sent, [json!({ "value": "off" })], "the other two are off already");
}

#[test]
fn nothing_wanted_where_nothing_is_reported_is_no_change() {
    let workspace = Workspace::new(options());
    spec(
        &workspace,
        "    dns_settings: { internal_dns: { reference_zone_id: null } }\n    settings: { security_header: { strict_transport_security: { unheard_of: false } } }",
    );
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn what_cannot_be_had_is_not_called_in_sync() {
    let workspace = Workspace::empty(options());
    spec(
        &workspace,
        "    create: true\n    settings: { nonsense: on }\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }",
    );
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(5);
    assert!(
        ran.stdout.contains("something in the spec cannot be applied")
            && ran.stderr.contains("nonsense"),
        "{ran:?}"
    );
    workspace.run(&["plan", "spec.yaml"]).exits(1);
}

#[test]
fn apex_ns_of_other_providers_are_allowed_beside_addresses() {
    let workspace = Workspace::new(pro());
    spec(
        &workspace,
        "    dns_settings: { multi_provider: true }\n    records:\n      - { name: \"@\", type: NS, content: [ns1.example.org, ns2.example.org] }\n      - { name: \"@\", type: A, content: 192.0.2.1 }",
    );
    workspace.settles("spec.yaml");
    spec(&workspace, "    records:\n      - { name: \"@\", type: AAAA, content: \"2001:db8::1\" }");
    let planned = plan(&workspace);
    assert_eq!(planned["summary"]["delete"], 0, "{planned}");
}

#[test]
fn names_in_the_soa_have_many_spellings() {
    let workspace = Workspace::new(pro());
    spec(
        &workspace,
        "    dns_settings: { soa: { mname: NS1.Example.org., rname: DNS.Cloudflare.com. } }",
    );
    workspace.settles("spec.yaml");
    spec(&workspace, "    dns_settings: { soa: { mname: ns1.example.ORG } }");
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    spec(&workspace, "    dns_settings: { soa: { mname: null } }");
    workspace.settles("spec.yaml");
}

#[test]
fn fragments_share_nested_settings() {
    let workspace = Workspace::new(pro());
    workspace.file(
        "z/a.yaml",
        "version: 1\nzones:\n  example.com:\n    dns_settings: { soa: { min_ttl: 600 } }\n",
    );
    workspace.file(
        "z/b.yaml",
        "version: 1\nzones:\n  example.com:\n    dns_settings: { soa: { ttl: 1800 } }\n",
    );
    workspace.settles("z");
    workspace.file(
        "z/b.yaml",
        "version: 1\nzones:\n  example.com:\n    dns_settings: { soa: { min_ttl: 700 } }\n",
    );
    let ran = workspace.run(&["plan", "z"]).exits(1);
    assert!(ran.stderr.contains("soa.min_ttl"), "{}", ran.stderr);
}

#[test]
fn mistakes_around_the_records_are_found_offline() {
    let workspace = Workspace::new(pro());
    for (keys, help) in [
        ("    settings: { SSL: full }", "did you mean `ssl`"),
        ("    settings: { '': on }", "such as `ssl`"),
        ("    settings: { a/../b: on }", "such as `ssl`"),
        ("    dnssec: true", "write `on`"),
        ("    dns_settings: { soa: { refresh: 5 } }", "600"),
    ] {
        spec(&workspace, keys);
        let ran = workspace.run(&["plan", "spec.yaml"]).exits(1);
        assert!(
            ran.stderr.contains("spec.yaml:4:") && ran.stderr.contains(help),
            "{keys}: {}",
            ran.stderr
        );
    }
    assert_eq!(workspace.requests().len(), 0);
}
