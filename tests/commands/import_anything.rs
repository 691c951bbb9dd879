//! Everything that Cloudflare can store can be imported: the spec is valid, and a plan of it is
//! empty.

use crate::support::generators::presentation;
use crate::support::workspace::{Workspace, options, options_on};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRng, TestRunner};
use serde_json::{Value, json};
use zonewright::model::{Rdata, RecordType, Settings};
use zonewright::sandbox::{Fault, What, When};

/// The number of random zones. Each has its own records, so the test covers thousands of records.
const ZONES: u8 = 12;

/// Number of records that each zone is offered. The sandbox refuses some of them.
const RECORDS: usize = 90;

/// Names with many records: aliases, delegations, wildcards, and the name of the zone as a label.
const NAMES: [&str; 14] = [
    "example.com",
    "www.example.com",
    "*.example.com",
    "a.example.com",
    "b.example.com",
    "c.example.com",
    "sub.example.com",
    "x.sub.example.com",
    "ns1.sub.example.com",
    "example.com.example.com",
    "_dmarc.example.com",
    "_sip._tcp.example.com",
    "xn--bcher-kva.example.com",
    "deep.er.and.deeper.example.com",
];

/// Targets within the zone: loops, aliases of aliases, aliases as mail servers.
const TARGETS: [&str; 7] = [
    "www.example.com",
    "a.example.com",
    "b.example.com",
    "c.example.com",
    "x.sub.example.com",
    "example.com",
    "host.example.net",
];

/// Returns a record as a client would create it.
fn body() -> impl Strategy<Value = Value> {
    let types = RecordType::ALL;
    let own = (proptest::sample::select(types), 0..NAMES.len()).prop_flat_map(|(kind, name)| {
        presentation(kind).prop_map(move |text| {
            let data = Rdata::from_text(kind, &text).unwrap();
            let mut body = json!({ "type": kind.as_str(), "name": NAMES[name] });
            value(&mut body, kind, &data);
            body
        })
    });
    let alias = (proptest::sample::select(&["CNAME", "NS", "MX"][..]), 0..NAMES.len(), 0..TARGETS.len()).prop_map(
        |(kind, name, target)| json!({ "type": kind, "name": NAMES[name], "content": TARGETS[target], "priority": 10 }),
    );
    let ttl = prop_oneof![Just(1), Just(30), Just(60), Just(86_400)];
    let comment = proptest::sample::select(
        &["", "mail team", "${NAME} $${", "a: b # c", "'\"\\", "é\t", " ends ", "- x"][..],
    );
    let tags = proptest::sample::select(&["", "team:dns", "Team", "a:${b}", "a: b:c"][..]);
    let facets = (
        ttl,
        any::<bool>(),
        comment,
        tags,
        proptest::collection::vec(any::<bool>(), Settings::default().named().len()),
    );
    (prop_oneof![3 => own, 2 => alias], facets).prop_map(
        |(mut body, (ttl, proxied, comment, tags, settings))| {
            body["ttl"] = json!(ttl);
            if matches!(body["type"].as_str(), Some("A" | "AAAA" | "CNAME")) {
                body["proxied"] = json!(proxied);
            }
            body["comment"] = json!(comment);
            body["tags"] = if tags.is_empty() { json!([]) } else { json!([tags]) };
            body["settings"] = json!({});
            for ((name, _), on) in Settings::default().named().into_iter().zip(settings) {
                match name {
                    // The API has it beside `settings`.
                    "private_routing" if body.get("proxied").is_none() => {}
                    "private_routing" => body[name] = json!(on),
                    _ => body["settings"][name] = json!(on),
                }
            }
            body
        },
    )
}

/// Puts a value where the API has it.
fn value(body: &mut Value, kind: RecordType, data: &Rdata) {
    use zonewright::model::facts::Slot;
    let fields = data.fields();
    for field in kind.facts().fields {
        let Some(value) = fields.get(field.name).map(zonewright::wire::record::value_to_json)
        else {
            continue;
        };
        match field.slot {
            Slot::Data => body["data"][field.name] = value,
            Slot::Content | Slot::Top => body[field.name] = value,
        }
    }
}

#[test]
fn an_import_of_anything_storable_validates_and_plans_empty() {
    let rng =
        |seed: u8| TestRng::from_seed(proptest::test_runner::RngAlgorithm::ChaCha, &[seed; 32]);
    let mut suppressed = 0;
    for seed in 0..ZONES {
        let workspace = Workspace::new(options_on("enterprise"));
        let zone = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
        let mut runner = TestRunner::new_with_rng(Config::default(), rng(seed));
        for _ in 0..RECORDS {
            let body = body().new_tree(&mut runner).unwrap().current();
            workspace.try_write("POST", &format!("/zones/{zone}/dns_records"), &body);
        }
        let stored = workspace.records("example.com").len();
        assert!(stored > RECORDS / 4, "{stored} of {RECORDS}");
        let imported = workspace.run(&["import", "example.com"]).exits(0);
        workspace.file("spec.yaml", &imported.stdout);
        let valid = workspace.run(&["validate", "spec.yaml"]);
        assert_eq!(
            valid.code,
            Some(0),
            "{seed}\n{}\n{}\n{}",
            imported.stdout,
            imported.stderr,
            valid.stderr
        );
        let plan = workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]);
        assert_eq!(
            plan.code,
            Some(0),
            "{seed}\n{}\n{}\n{}",
            imported.stdout,
            plan.stdout,
            plan.stderr
        );
        let formatted = workspace.run(&["fmt", "spec.yaml", "--diff"]);
        assert_eq!(
            formatted.code,
            Some(0),
            "an import is in the layout of `fmt`: {seed}\n{}",
            formatted.stdout
        );
        // The import contains everything.
        let plan = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
        assert_eq!(
            plan["summary"]["unmanaged"], 0,
            "{seed}\n{}\n{}",
            imported.stdout, imported.stderr
        );
        suppressed += imported.stdout.matches(": \"as found at import\"").count();
    }
    assert!(suppressed > 0, "what lints refuse was never drawn");
}

#[test]
fn what_a_lint_refuses_is_accepted_where_it_is() {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "CNAME", "name": "a.example.com", "content": "b.example.com" },
        { "type": "CNAME", "name": "b.example.com", "content": "a.example.com" },
        { "type": "A", "name": "www.example.com", "content": "192.0.2.1" },
    ]));
    let imported = workspace.run(&["import", "example.com"]).exits(0).stdout;
    assert_eq!(imported.matches("LINT0001: \"as found at import\"").count(), 1, "{imported}");
    workspace.file("spec.yaml", &imported);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    // It covers nothing else.
    let record = |name: &str, target: &str| {
        format!("      - {{ name: {name}, type: CNAME, content: {target} }}\n")
    };
    let more = record("c", "d.example.com") + &record("d", "c.example.com");
    workspace.file("spec.yaml", format!("{imported}{more}"));
    let ran = workspace.run(&["validate", "spec.yaml"]).exits(1);
    assert_eq!(ran.stderr.matches("[LINT0001]").count(), 1, "{}", ran.stderr);
    // `validate --print` keeps it.
    workspace.file("spec.yaml", &imported);
    let printed = workspace.run(&["validate", "spec.yaml", "--print"]).exits(0).stdout;
    workspace.file("spec.yaml", &printed);
    workspace.run(&["validate", "spec.yaml"]).exits(0);
}

/// Cloudflare may report a setting of a record that cannot have it.
#[test]
fn settings_that_a_record_cannot_have_are_left_out() {
    let workspace = Workspace::new(options());
    workspace.plant_records(
        json!([{ "type": "CNAME", "name": "www.example.com", "content": "t.example.net", "proxied": true }]),
    );
    let when =
        When::Chance { seed: 0, per_mille: 1000, method: None, path_suffix: "/dns_records".into() };
    let what = What::Replace {
        member: "settings".into(),
        value: json!({ "flatten_cname": true, "ipv4_only": true }),
    };
    workspace.fault(Fault { when, what, times: u64::MAX });
    let imported = workspace.run(&["import", "example.com"]).exits(0).stdout;
    assert!(
        imported.contains("ipv4_only: true") && !imported.contains("flatten_cname"),
        "{imported}"
    );
    workspace.file("spec.yaml", &imported);
    let valid = workspace.run(&["validate", "spec.yaml"]).exits(0);
    assert!(!valid.stderr.contains("SPEC0045"), "{}", valid.stderr);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn private_routing_is_compared_and_undone() {
    let workspace = Workspace::new(options());
    workspace.plant_records(
        json!([{ "type": "A", "name": "www.example.com", "content": "192.0.2.1", "proxied": true, "private_routing": true }]),
    );
    let imported = workspace.run(&["import", "example.com"]).exits(0).stdout;
    assert!(imported.contains("private_routing: true"), "{imported}");
    let is_on = || workspace.records("example.com")[0]["private_routing"] == json!(true);
    assert!(is_on());
    workspace.records_spec("      - { name: www, type: A, content: 192.0.2.1 }");
    workspace.settles("spec.yaml");
    assert!(is_on(), "what the spec does not name stays");
    workspace.records_spec(
        "      - { name: www, type: A, content: 192.0.2.1, settings: { private_routing: false } }",
    );
    workspace.settles("spec.yaml");
    assert!(!is_on());
    assert_eq!(
        workspace
            .writes()
            .last()
            .unwrap()
            .body
            .as_ref()
            .map(|b| b["patches"][0]["private_routing"].clone()),
        Some(json!(false))
    );
    let journal = crate::support::journals::newest(&workspace);
    workspace.run(&["undo", &journal, "--yes"]).exits(0);
    assert!(is_on());
}
