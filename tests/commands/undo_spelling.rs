//! Undo restores records as they were written: case, order of parameters and tags, hemispheres,
//! quotes.

use serde_json::{Value, json};
use zonewright::model::{ClosedSet, Danger, RecordType};
use zonewright::wire::record::read_record;

use crate::support::journals::{newest, world};
use crate::support::workspace::{Ran, Workspace, options_on};

/// Returns records of every type, in spellings that this program does not use itself, as far as the
/// sandbox keeps them.
fn planted() -> Vec<Value> {
    let hex = "AbCdEf0123456789".repeat(4);
    let values = [
        json!({ "type": "A", "content": "192.0.2.1", "proxied": true }),
        json!({ "type": "AAAA", "content": "2001:DB8::1" }),
        json!({ "type": "CNAME", "content": "Host.Example.NET" }),
        json!({ "type": "MX", "content": "mx.example.net", "priority": 10 }),
        json!({ "type": "TXT", "content": "no quotes" }),
        json!({ "type": "TXT", "content": "\"v=spf1 \"   \"-all\"" }),
        json!({ "type": "TXT", "content": "\"\\065 needless escape\"" }),
        json!({ "type": "NS", "content": "ns1.example.net" }),
        json!({ "type": "DS", "data": { "key_tag": 1, "algorithm": 13, "digest_type": 2, "digest": hex } }),
        json!({ "type": "SRV", "data": { "priority": 1, "weight": 2, "port": 3, "target": "sip.example.net" } }),
        json!({ "type": "CAA", "data": { "flags": 0, "tag": "ISSUE", "value": "ca.example.net" } }),
        json!({ "type": "HTTPS", "data": { "priority": 1, "target": ".", "value": "port=8443 alpn=h2,h3" } }),
        json!({ "type": "SVCB", "data": { "priority": 1, "target": "svc.example.net", "value": "port=853 alpn=dot" } }),
        json!({ "type": "PTR", "content": "host.example.net" }),
        json!({ "type": "DNSKEY", "data": { "flags": 257, "protocol": 3, "algorithm": 13, "public_key": "AAAA" } }),
        json!({ "type": "URI", "priority": 5, "data": { "weight": 1, "target": "https://Example.net/A" } }),
        json!({ "type": "NAPTR", "data": { "order": 1, "preference": 2, "flags": "s", "service": "sip+D2U", "regex": "",
            "replacement": "_sip._udp.example.net." } }),
        json!({ "type": "SSHFP", "data": { "algorithm": 4, "type": 2, "fingerprint": hex } }),
        json!({ "type": "TLSA", "data": { "usage": 3, "selector": 1, "matching_type": 1, "certificate": hex } }),
        json!({ "type": "SMIMEA", "data": { "usage": 3, "selector": 1, "matching_type": 1, "certificate": hex } }),
        json!({ "type": "CERT", "data": { "type": 1, "key_tag": 2, "algorithm": 13, "certificate": "AAAA" } }),
        json!({ "type": "LOC", "data": { "lat_degrees": 0, "lat_minutes": 0, "lat_seconds": 0, "lat_direction": "S",
            "long_degrees": 0, "long_minutes": 0, "long_seconds": 0, "long_direction": "W", "altitude": 0, "size": 1,
            "precision_horz": 2, "precision_vert": 3 } }),
        json!({ "type": "OPENPGPKEY", "content": "AAAA" }),
    ];
    let named = |(n, mut record): (usize, Value)| {
        let kind = record["type"].as_str().unwrap().to_lowercase();
        let name = if kind == "ds" { "ns-7".to_owned() } else { format!("{kind}-{n}") };
        record["name"] = format!("{name}.example.com").into();
        record["comment"] = format!("note {n}").into();
        record["tags"] = json!(["zone:B", "Team:dns", "alpha"]);
        record
    };
    values.into_iter().enumerate().map(named).collect()
}

/// Returns a spec of these records, with one change in each.
fn spec(change: impl Fn(RecordType, &str) -> String) -> String {
    let line = |record: &Value| {
        let mut answer = record.clone();
        answer["id"] = "1".into();
        let live = read_record(&answer).unwrap();
        let name = live.name.as_str().strip_suffix(".example.com").unwrap();
        let kind = live.data.record_type().unwrap();
        format!(
            "      - {{ name: {name}, type: {kind}, {} }}\n",
            change(kind, &live.data.presentation())
        )
    };
    planted().iter().map(line).collect()
}

/// Runs a command with every consent that it asks for.
fn with_consents(workspace: &Workspace, command: &[&str]) -> Ran {
    let dangers: Vec<&str> = Danger::ALL
        .iter()
        .filter(|d| **d != Danger::Delete)
        .map(|danger| danger.keyword())
        .collect();
    let dangers = dangers.join(",");
    let all = [command, &["--yes", "--allow", &dangers]].concat();
    let ran = workspace.run(&all);
    if ran.code != Some(3) {
        return ran;
    }
    let number = ran.stdout.split_once("--allow-deletes ").unwrap_or_else(|| panic!("{ran:?}")).1;
    let number = number.split(|c: char| !c.is_ascii_digit()).next().unwrap();
    workspace.run(&[&all[..], &["--allow-deletes", number]].concat())
}

#[test]
fn every_type_is_restored_letter_by_letter() {
    let facets = spec(|_, value| {
        format!("content: {}, comment: other, tags: ['x:y'], ttl: 4000", json!(value))
    });
    let values = spec(|kind, value| {
        let other = kind.facts().examples.iter().rev().find(|example| **example != value);
        let other = other.map_or_else(
            || value.replace("example.net", "example.org"),
            |other| (*other).to_owned(),
        );
        format!("content: {}, tags: []", json!(other))
    });
    let keep = "      - { name: keep, type: A, content: 192.0.2.9 }\n".to_owned();
    for (what, records) in [("facets", facets), ("values", values), ("nothing is left", keep)] {
        let workspace = Workspace::new(options_on("enterprise"));
        workspace.plant_records(planted().into());
        let before = world(&workspace);
        let kept = before[0]["records"].to_string();
        for spelling in [
            "ISSUE",
            "AbCdEf",
            "port=\\\"8443\\\" alpn",
            "\"S\"",
            "\"no quotes\"",
            "\"zone:B\",\"Team:dns\"",
        ] {
            assert!(kept.contains(spelling), "the sandbox keeps {spelling}: {kept}");
        }
        workspace.file(
            "spec.yaml",
            format!(
                "version: 1\nzones:\n  example.com:\n    unmanaged: prune\n    records:\n{records}"
            ),
        );
        with_consents(&workspace, &["apply", "spec.yaml"]).exits(0);
        let after = world(&workspace);
        assert_ne!(after, before, "{what}");
        let journal = newest(&workspace);
        with_consents(&workspace, &["undo", &journal]).exits(0);
        assert_eq!(world(&workspace), before, "{what}");
        // The undo itself can also be undone.
        let own = newest(&workspace);
        with_consents(&workspace, &["undo", &own]).exits(0);
        assert_eq!(world(&workspace), after, "{what}");
    }
}
