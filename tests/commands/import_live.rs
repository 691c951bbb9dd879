//! `import` and `init` of live zones: settings, DNSSEC and DNS settings come back, and everything
//! else that acts on a zone is named.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use zonewright::model::facts::permissions::{Permission, PermissionGroup};
use zonewright::sandbox::{Fault, Permissions, SandboxOptions};

use crate::support::workspace::{Ran, Workspace, options, options_on};

/// Returns a zone with these members.
fn with_zone(options: SandboxOptions, members: &Value) -> Workspace {
    let plan = options.profile.tier.clone();
    let workspace = Workspace::empty(options);
    let mut zone = json!({ "name": "example.com", "plan": plan, "records": [] });
    for (name, value) in members.as_object().unwrap() {
        zone[name] = value.clone();
    }
    workspace.plant(&json!({ "zones": [zone] }));
    workspace
}

/// Imports into `spec.yaml`. The spec is valid, and its plan is empty.
#[track_caller]
fn import(workspace: &Workspace, arguments: &[&str]) -> Ran {
    let all: Vec<&str> = ["import", "example.com"].iter().chain(arguments).copied().collect();
    let ran = workspace.run(&all).exits(0);
    workspace.file("spec.yaml", &ran.stdout);
    let plan = workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]);
    assert_eq!(
        plan.code,
        Some(0),
        "{}\n{}\n{}\n{}",
        ran.stdout,
        ran.stderr,
        plan.stdout,
        plan.stderr
    );
    assert!(workspace.writes().is_empty());
    ran
}

/// Returns the paths of the requests, without their queries.
fn paths(workspace: &Workspace) -> Vec<String> {
    workspace.requests().into_iter().map(|request| request.path).collect()
}

/// Returns the members of a zone that is far from its defaults.
fn changed() -> Value {
    json!({
        "settings": {
            "ssl": "strict",
            "min_tls_version": "1.2",
            "always_use_https": "on",
            "brotli": { "value": "on", "modified_on": "2026-01-01T00:00:00Z" },
            "browser_cache_ttl": 0,
            "security_header": { "strict_transport_security": { "enabled": true, "max_age": 31_536_000 } },
        },
        "dnssec": { "status": "active" },
        "dns_settings": { "ns_ttl": 3600, "soa": { "rname": "host.example.com", "min_ttl": 300 } },
    })
}

#[test]
fn settings_that_differ_from_their_defaults_are_imported() {
    let workspace = with_zone(options_on("business"), &changed());
    let ran = import(&workspace, &[]);
    for line in [
        "ssl: strict",
        "min_tls_version: \"1.2\"",
        "always_use_https: \"on\"",
        "browser_cache_ttl: 0",
        "max_age: 31536000",
        "dnssec: \"on\"",
        "ns_ttl: 3600",
        "rname: host.example.com",
        "min_ttl: 300",
    ] {
        let bare = line.replace('"', "");
        assert!(ran.stdout.replace('"', "").contains(&bare), "{line}\n{}", ran.stdout);
    }
    // A setting at its default is not in the spec, even if someone set it.
    assert!(!ran.stdout.contains("brotli") && !ran.stdout.contains("refresh"), "{}", ran.stdout);
    // Applied to an empty zone, it makes the same zone.
    let empty = with_zone(options_on("business"), &json!({}));
    empty.file("spec.yaml", &ran.stdout);
    empty.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let again = empty.run(&["import", "example.com"]).exits(0);
    assert_eq!(again.stdout, ran.stdout);
    // A zone without changes has nothing to say.
    let plain = import(&with_zone(options(), &json!({})), &[]);
    assert!(
        !plain.stdout.contains("settings") && !plain.stdout.contains("dnssec"),
        "{}",
        plain.stdout
    );
}

#[test]
fn each_state_of_dnssec_plans_empty() {
    for (status, is_on) in [
        ("active", true),
        ("pending", true),
        ("error", true),
        ("disabled", false),
        ("pending-disabled", false),
    ] {
        let workspace = with_zone(options(), &json!({ "dnssec": { "status": status } }));
        let ran = import(&workspace, &[]);
        assert_eq!(ran.stdout.contains("dnssec:"), is_on, "{status}\n{}", ran.stdout);
    }
    let options = json!({ "dnssec": { "status": "active", "dnssec_multi_signer": true } });
    let ran = import(&with_zone(self::options(), &options), &[]);
    assert!(
        ran.stderr.contains("IMPORT0026") && ran.stderr.contains("dnssec_multi_signer"),
        "{}",
        ran.stderr
    );
}

#[test]
fn settings_that_a_spec_cannot_keep_are_named() {
    let members = json!({ "settings": { "http2": "off", "development_mode": "on" } });
    let ran = import(&with_zone(options(), &members), &[]);
    assert!(
        !ran.stdout.contains("http2") && !ran.stdout.contains("development_mode"),
        "{}",
        ran.stdout
    );
    for words in ["IMPORT0026", "http2: off", "development_mode is on; it ends by itself"] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
    // A setting without a known default is at its default until someone changes it.
    assert!(!ran.stdout.contains("ssl") && !ran.stderr.contains("ssl"), "{ran:?}");
}

/// Returns rulesets of other phases, and other objects.
fn other_things() -> Value {
    let redirect = |on: bool| {
        json!({
            "action": "redirect", "expression": "http.host eq \"old.example.com\" and not ip.src in $partners", "enabled": on,
            "action_parameters": { "from_value": { "target_url": { "value": "https://www.example.com/" } } },
        })
    };
    let cache = json!({
        "action": "set_cache_settings", "expression": "http.host eq \"$not_a_list\"",
        "action_parameters": { "cache": true },
    });
    let entry_point = |phase: &str, rules: Value| json!({ "phase": phase, "kind": "zone", "name": "default", "rules": rules });
    json!({
        "rulesets": [
            entry_point("http_request_dynamic_redirect", json!([redirect(true), redirect(false)])),
            entry_point("http_request_cache_settings", json!([cache])),
            entry_point(
                "http_request_firewall_custom",
                json!([{ "ref": "office", "action": "block", "expression": "ip.src in $office" }]),
            ),
            entry_point(
                "http_ratelimit",
                json!([{
                    "ref": "login", "action": "block", "expression": "http.request.uri.path eq \"/login\"",
                    "ratelimit": {
                        "characteristics": ["ip.src", "cf.colo.id"], "period": 60, "requests_per_period": 5,
                        "mitigation_timeout": 600,
                        "counting_expression": "http.request.uri.path eq \"/login\" and not ip.src in $staff",
                    },
                }]),
            ),
        ],
        "resources": {
            "pagerules": [{ "id": "1", "status": "active" }, { "id": "2", "status": "disabled" }],
            "firewall/access_rules/rules": [{ "id": "1", "mode": "block" }],
            "workers/routes": [{ "id": "1", "pattern": "example.com/*", "script": "a" }],
            "bot_management": { "fight_mode": true, "enable_js": false, "using_latest_model": true },
            "managed_headers": { "managed_request_headers": [{ "id": "a", "enabled": true }, { "id": "b", "enabled": false }] },
            "ssl/universal/settings": { "enabled": false },
        },
    })
}

#[test]
fn everything_else_that_acts_on_the_zone_is_named() {
    let workspace = with_zone(options_on("pro"), &other_things());
    let ran = import(&workspace, &[]);
    assert!(ran.stdout.contains("office") && !ran.stdout.contains("redirect"), "{}", ran.stdout);
    for words in [
        "IMPORT0024",
        "single redirects (2 rules, 1 of them off)",
        "cache rules (1 rule)",
        "lists of the account that rules use ($office, $partners, $staff)",
        "page rules (2, 1 of them off)",
        "IP access rules (1)",
        "Workers routes (1)",
        "bot settings (fight_mode: true)",
        "managed transforms (managed_request_headers: 1)",
        "universal SSL (enabled: false)",
    ] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
    assert!(
        !ran.stderr.contains("load balancers") && !ran.stderr.contains("IMPORT0027"),
        "{}",
        ran.stderr
    );
    // Parts of a zone were asked for, so nothing else is looked at.
    let ran = workspace.run(&["import", "example.com", "--only-dns"]).exits(0);
    assert!(!ran.stderr.contains("IMPORT00"), "{}", ran.stderr);
}

#[test]
fn what_cloudflare_does_not_show_is_not_known() {
    let mut options = options_on("pro");
    options.profile.permissions = [PermissionGroup::Zone, PermissionGroup::Dns]
        .into_iter()
        .fold(Permissions::default(), |all, group| {
            all.with(group, Some(Permission::read(group).access))
        });
    let mut members = other_things();
    members["records"] =
        json!([{ "type": "A", "name": "www.example.com", "content": "192.0.2.1" }]);
    members["settings"] = json!({ "ssl": "strict" });
    let workspace = with_zone(options, &members);
    let ran = import(&workspace, &[]);
    assert!(ran.stdout.contains("name: www") && !ran.stdout.contains("settings"), "{}", ran.stdout);
    for words in [
        "IMPORT0025",
        "Zone > Zone Settings > Read",
        "Zone > Zone DNS Settings > Read",
        "Zone > Zone WAF > Read",
        "Zone > Page Rules > Read",
        "Account > Account Rulesets > Read",
        "bot settings of example.com",
    ] {
        assert!(
            ran.stderr.contains(words) || words.starts_with("Account"),
            "{words}\n{}",
            ran.stderr
        );
    }
    // Without its rules, nothing of the protection can be imported.
    let ran = workspace.run(&["import", "example.com", "--only-waf"]).exits(1);
    assert!(ran.stderr.contains("Zone > Zone WAF > Read"), "{}", ran.stderr);
}

#[test]
fn thirty_zones_take_at_most_a_hundred_requests() {
    let workspace = Workspace::empty(options());
    let zone = |n: usize| {
        json!({
            "name": format!("zone-{n}.example"), "plan": "free", "settings": { "always_use_https": "on" },
            "paused": n == 3,
            "records": [{ "type": "A", "name": format!("www.zone-{n}.example"), "content": "192.0.2.1" }],
        })
    };
    let zones: Vec<Value> = (0..30).map(zone).collect();
    workspace.plant(&json!({ "zones": zones }));
    let ran = workspace.run(&["init", "--all", "--pipeline", "none"]).exits(0);
    let requests = workspace.requests().len();
    assert!((62..=100).contains(&requests), "{requests}");
    let text = std::fs::read_to_string(workspace.path().join("zones/zone-7.example.yaml")).unwrap();
    assert!(text.contains("always_use_https"), "{text}");
    for words in [
        "IMPORT0027",
        "of 30 zones",
        "a pause: no rule applies",
        "DNSSEC, DNS settings",
        "page rules",
        "zonewright import ZONE",
    ] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
    workspace.run(&["plan", "zones/", "--detailed-exitcode"]).exits(0);
    // Without settings, there are requests left for DNSSEC.
    let other = Workspace::empty(options());
    other.plant(&json!({ "zones": zones }));
    let ran = other.run(&["init", "--all", "--pipeline", "none", "--no-settings"]).exits(0);
    assert!(
        other.requests().len() <= 100 && !ran.stderr.contains("requests: DNSSEC"),
        "{}",
        ran.stderr
    );
    assert!(!paths(&other).iter().any(|path| path.ends_with("/settings")));
    let text = std::fs::read_to_string(other.path().join("zones/zone-7.example.yaml")).unwrap();
    assert!(!text.contains("settings"), "{text}");
}

#[test]
fn settings_are_read_one_by_one_once_the_list_has_ended() {
    let members = json!({ "settings": { "min_tls_version": "1.2", "rocket_loader": "on" } });
    let is_single = |path: &String| path.contains("/settings/");
    let ended = || {
        let mut options = options();
        options.profile.settings_list = false;
        with_zone(options, &members)
    };
    let workspace = ended();
    let ran = workspace.run(&["import", "example.com"]).exits(0);
    assert!(
        ran.stdout.contains("min_tls_version") && !ran.stdout.contains("rocket_loader"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("IMPORT0027") && ran.stderr.contains("--all-settings"),
        "{}",
        ran.stderr
    );
    assert_eq!(paths(&workspace).iter().filter(|path| is_single(path)).count(), 17);
    let ran = import(&ended(), &["--all-settings"]);
    assert!(
        ran.stdout.contains("rocket_loader: ") && !ran.stderr.contains("IMPORT0027"),
        "{ran:?}"
    );
    let without = ended();
    let ran = without.run(&["import", "example.com", "--no-settings"]).exits(0);
    let is_list = |path: &String| path.ends_with("/settings") && !path.contains("/ssl/");
    assert!(!ran.stdout.contains("settings") && !paths(&without).iter().any(is_list));
    // While the list is served, it is one request.
    let workspace = with_zone(options(), &members);
    workspace.run(&["import", "example.com"]).exits(0);
    assert_eq!(paths(&workspace).iter().filter(|path| is_single(path)).count(), 0);
    // A refusal of the list alone is its end, whatever the status.
    for code in [403, 404, 405, 410] {
        let workspace = with_zone(options(), &members);
        let fault = json!([{
            "when": { "matching": { "method": "GET", "path_suffix": "/settings" } },
            "what": { "answer": { "code": code, "body": { "success": false, "errors": [{ "code": 1, "message": "gone" }] } } },
            "times": 9,
        }]);
        Fault::list_from_json(&fault.to_string())
            .unwrap()
            .into_iter()
            .for_each(|fault| workspace.fault(fault));
        let ran = workspace.run(&["import", "example.com"]).exits(0);
        assert!(
            ran.stdout.contains("min_tls_version") && ran.stderr.contains("IMPORT0027"),
            "{code}\n{ran:?}"
        );
    }
}

/// Counts the changes of a document without the importer's code: every changed setting, every
/// object of every kind.
fn planted(members: &Value) -> Vec<String> {
    let keys =
        |name: &str| members[name].as_object().into_iter().flatten().map(|(key, _)| key.clone());
    let records = members["records"].as_array().into_iter().flatten();
    let names = records.map(|record| record["name"].as_str().unwrap().replace(".example.com", ""));
    keys("settings").chain(keys("dns_settings")).chain(names).collect()
}

#[test]
fn each_thing_of_a_live_zone_is_imported_or_named() {
    let settings = [
        ("always_use_https", json!("on")),
        ("http2", json!("off")),
        ("development_mode", json!("on")),
        ("ssl", json!("flexible")),
        ("max_upload", json!({ "value": 100, "modified_on": "2026-01-01T00:00:00Z" })),
        ("nel", json!({ "enabled": false })),
        ("tls_1_3", json!("zrt")),
        ("ciphers", json!(["AES128-SHA"])),
        ("minify", json!({ "css": "on" })),
        ("browser_cache_ttl", json!(300)),
        ("cname_flattening", json!("flatten_all")),
        ("security_level", json!("under_attack")),
    ];
    let dns_settings = [
        ("ns_ttl", json!(300)),
        ("multi_provider", json!(true)),
        ("soa", json!({ "mname": "ns.example.net" })),
        ("flatten_all_cnames", json!(true)),
        ("nameservers", json!({ "type": "custom", "nameserver_set_id": "x" })),
        ("zone_mode", json!("dns_only")),
    ];
    let kinds = [
        ("pagerules", "page rules"),
        ("firewall/lockdowns", "zone lockdown rules"),
        ("waiting_rooms", "waiting rooms"),
        ("custom_hostnames", "custom hostnames"),
        ("load_balancers", "load balancers"),
    ];
    let mut state = 7_u64;
    let mut is_drawn = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33).is_multiple_of(2)
    };
    let mut seen = BTreeSet::new();
    for round in 0..10 {
        let mut members =
            json!({ "settings": {}, "dns_settings": {}, "resources": {}, "records": [] });
        for (name, value) in settings.iter().filter(|_| is_drawn()) {
            members["settings"][name] = value.clone();
        }
        for (name, value) in dns_settings.iter().filter(|_| is_drawn()) {
            members["dns_settings"][name] = value.clone();
        }
        let mut words = Vec::new();
        for (path, about) in kinds.iter().filter(|_| is_drawn()) {
            members["resources"][path] = json!([{ "id": "1" }]);
            words.push(format!("{about} (1)"));
        }
        for n in 0..round {
            let record = json!({ "type": "A", "name": format!("host-{n}.example.com"), "content": "192.0.2.1" });
            members["records"].as_array_mut().unwrap().push(record);
        }
        let ran = import(&with_zone(options(), &members), &[]);
        for thing in planted(&members).into_iter().chain(words) {
            let is_imported = ran.stdout.contains(&thing);
            assert!(
                is_imported || ran.stderr.contains(&thing),
                "{thing}\n{members}\n{}\n{}",
                ran.stdout,
                ran.stderr
            );
            seen.insert((thing, is_imported));
        }
    }
    assert!(seen.len() > 25, "{seen:?}");
}

/// Returns an independent reader of rows: quotes are the only syntax.
fn rows(text: &str) -> usize {
    let mut is_quoted = false;
    let is_end = |c: char| {
        is_quoted ^= c == '"';
        c == '\n' && !is_quoted
    };
    text.split(is_end).filter(|row| !row.trim().is_empty()).count() - 1
}

#[test]
fn each_row_of_a_table_is_imported_or_named() {
    let cells = [
        ["www", "@", "a.b", "mail", "", "bad name!"],
        ["A", "a", "A", "TXT", "MX", "NOPE"],
        [
            "192.0.2.1",
            "192.0.2.2",
            "192.0.2.3",
            "\"a, \"\"quoted\"\"\ntext\"",
            "",
            "not valid at all ☃",
        ],
        ["", "auto", "300", "1", "", "soon"],
        ["", "", "false", "no", "true", "maybe"],
        ["", "", "", "", "10", "5,surplus"],
    ];
    let mut state = 11_u64;
    let mut draw = move |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % most
    };
    let workspace = Workspace::empty(options());
    let (mut all_imported, mut all_named) = (0, 0);
    for line_end in ["\n", "\r\n"] {
        let mut text = format!("name,type,content,ttl,proxied,priority{line_end}");
        for _ in 0..150 {
            let row: Vec<&str> = cells.iter().map(|column| column[draw(column.len())]).collect();
            text.push_str(&row.join(","));
            text.push_str(line_end);
        }
        workspace.file("records.csv", &text);
        let arguments = ["import", "./records.csv", "--zone-name", "example.com", "--offline"];
        let ran = workspace.run(&arguments).exits(0);
        let tally = ran
            .stderr
            .lines()
            .find_map(|line| line.split_once("record: "))
            .map(|(_, tally)| tally)
            .unwrap();
        let numbers: Vec<usize> =
            tally.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
        let named = ran.stderr.lines().filter(|line| line.starts_with("warning[IMPORT")).count();
        assert_eq!(numbers[1], rows(&text), "{tally}");
        assert_eq!(numbers[0] + named, numbers[1], "{tally}\n{}", ran.stderr);
        // Equal rows are one record, with a message.
        let written = ran.stdout.matches("type: ").count();
        let times = ran
            .stderr
            .lines()
            .filter_map(|line| line.split_once(" exists ")?.1.split_once(" and was written once"));
        let copies = times.map(|(times, _)| {
            times.trim_end_matches(" times").parse::<usize>().map_or(1, |times| times - 1)
        });
        let twice: usize = copies.sum();
        let lists = ran.stdout.matches("content: [").count();
        assert!(
            written + twice <= numbers[0] && (lists > 0 || written + twice == numbers[0]),
            "{}",
            ran.stdout
        );
        all_imported += numbers[0];
        all_named += named;
    }
    assert!(all_imported > 10 && all_named > 50, "{all_imported} {all_named}");
}

#[test]
fn files_that_are_not_read_are_listed_with_the_reason() {
    let workspace = Workspace::empty(options());
    workspace.file("infra/main.tf", "locals {}\n");
    workspace.file(
        "infra/zone.tf",
        "resource \"cloudflare_zone\" \"a\" {\n  zone = \"example.com\"\n}\n",
    );
    workspace.file("infra/README.md", "text\n");
    workspace.file("infra/terraform.tfstate", "{}\n");
    workspace.file("infra/staging.tfvars", "a = 1\n");
    workspace.file("infra/.terraform/modules/a.tf", "x\n");
    workspace.file("infra/chart/values.yaml", "a: 1\n");
    let ran = workspace.run(&["import", "./infra/", "--offline"]).exits(0);
    for words in [
        "read 2 files, skipped 5:",
        "hidden: ./infra/.terraform",
        "not a file of terraform: ./infra/README.md",
        ", ./infra/chart/values.yaml",
        "a state beside configuration; import it alone to use it instead: ./infra/terraform.tfstate",
        "./infra/staging.tfvars",
    ] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
}

/// The program that imports a folder of sources works on the cases of the repository.
#[test]
fn the_folder_of_cases_is_imported_applied_and_planned_empty() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::process::Command::new("python3")
        .arg(root.join("tests/imports/run.py"))
        .arg(root.join("tests/cases/imports"))
        .arg(env!("CARGO_BIN_EXE_zonewright"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output();
    let Ok(output) = python else {
        eprintln!("SKIPPED: tests/imports/run.py needs python3, which is not installed");
        return;
    };
    let ran = Ran::from(output).exits(0);
    assert_eq!(ran.stdout.matches("valid, applied, plan empty").count(), 4, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("IMPORT0002") && ran.stdout.contains("IMPORT0004"),
        "{}",
        ran.stdout
    );
}
