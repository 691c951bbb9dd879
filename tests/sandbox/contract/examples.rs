//! Replays example exchanges with Cloudflare, where the environment names a folder of them.
//!
//! `ZONEWRIGHT_SERVICE_EXAMPLES` is a folder of JSON files, each with `exchanges` of `name`,
//! `request` (`method`, `path`, `query`, `headers`, `body`) and `response` (`status`, `body`).
//! Every exchange runs against a sandbox of its own that has the objects which the exchange needs.
//! Identifiers and times may differ, and texts that the file calls approximate.

use std::io::Write;
use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};
use zonewright::model::facts;
use zonewright::sandbox::{self, EMAIL, ErrorStyle, Profile, RecordMembers, SandboxOptions, TOKEN};

use super::ruleset_examples;
use super::support::{client, reply};

/// Exchanges that need objects which the sandbox does not have; those about rulesets are all
/// replayed.
const SKIPPED: &[&str] = &[
    "no permission",
    "ip filter",
    "throttled",
    "throttled old text",
    "edge outage",
    "failure on 200",
    "zones rate headers",
    "export",
    "import",
    "import include",
    "scan trigger",
    "scan review",
    "scan decide",
];

/// The zone of the examples.
const ZONE: &str = "c7915704a794c5f99111b674c1985c3a";

/// Returns the zones that the examples need, the first with these records.
fn zones(exchange: &Value, records: &[Value]) -> Value {
    let account = json!({"id": "503be6216751f6fa1a8132a34b38ff29", "name": "Acme"});
    let mut zones =
        vec![json!({"name": "example.com", "id": ZONE, "account": account, "records": records})];
    match exchange["name"].as_str() {
        Some("dnssec get" | "dnssec disable") => zones[0]["dnssec"] = json!({"status": "active"}),
        Some("setting get" | "setting patch") => {
            zones[0]["settings"] =
                json!({"ssl": {"value": "full", "modified_on": "2026-02-03T10:15:30.123456Z"}});
        }
        _ => {}
    }
    if matches!(exchange["name"].as_str(), Some("create existing" | "delete" | "list page two")) {
        let id = "324789c928b895fd24c5c19f4417e00f";
        zones
            .push(json!({"name": "example.org", "id": id, "status": "pending", "account": account,
            "activated_on": null}));
    }
    if exchange["name"] == "list page two" {
        zones.extend(["a", "b", "c", "d"].iter().map(|n| json!({"name": format!("{n}.example")})));
    }
    json!({ "zones": zones })
}

/// Returns the records that an exchange needs.
fn records(file: &str, exchange: &Value) -> Vec<Value> {
    let name = exchange["name"].as_str().unwrap_or_default();
    let txt =
        |name: &str, content: String| json!({"type": "TXT", "name": name, "content": content});
    let www = json!({"id": "c10bc076fa2c38a67ff36375a8f7c397", "type": "A", "name": "www", "content": "192.0.2.10",
        "proxied": true});
    let api = json!({"id": "585069346a5991b5195e1d6e8830f578", "type": "A", "name": "api", "content": "192.0.2.11",
        "ttl": 300, "comment": "edge api"});
    let blog = json!({"id": "d914881d4d5b2373fbdb5a426c33fd94", "type": "CNAME", "name": "blog",
        "content": "origin.example.net", "ttl": 3600});
    let mx = json!({"id": "2f806861cb649c409e0439cc60927e15", "type": "MX", "name": "@", "content": "mail.example.com",
        "priority": 10, "ttl": 3600});
    let mut base = vec![www, blog, mx];
    if name != "delete again" {
        base.push(api);
    }
    match (file, name) {
        ("records-list.json", _) => base,
        ("records-batch.json", _) => {
            base.push(json!({"id": "cf14e38fa56acf49c413c718258eb77e", "type": "A", "name": "old",
                "content": "192.0.2.30", "ttl": 300}));
            base
        }
        ("records-update-delete.json", _) | ("records-errors.json", "worker host") => {
            base.push(
                json!({"id": "b61822e8357dcaff77eaaccf348d9134", "type": "AAAA", "name": "app",
                "content": "100::", "proxied": true, "meta": {"read_only": true}}),
            );
            base
        }
        ("records-errors.json", "name total") => {
            vec![txt("l", "1".repeat(4000)), txt("l", "2".repeat(4000))]
        }
        ("records-errors.json", "mx under email routing") => {
            vec![json!({"type": "MX", "name": "@", "content": "r.example", "priority": 1,
                "meta": {"email_routing": true}})]
        }
        ("records-errors.json", _) => {
            base.push(txt("@", "v=spf1 -all".to_owned()));
            base.push(json!({"type": "NS", "name": "sub", "content": "ns1.example.net"}));
            base
        }
        // A read needs the record that it reads.
        _ if exchange["request"]["method"] == "GET" && file.starts_with("record-") => {
            vec![exchange["response"]["body"]["result"].clone()]
        }
        _ => Vec::new(),
    }
}

/// Returns the profile that an exchange needs.
fn profile(exchange: &Value, records: usize) -> Profile {
    let name = exchange["name"].as_str().unwrap_or_default();
    let is_old = exchange["certainty"] == "seed" || name == "older duplicate text";
    Profile {
        shape: if is_old { RecordMembers::Seed } else { RecordMembers::Modern },
        errors: if name == "old wrapper" { ErrorStyle::Chain } else { ErrorStyle::Direct },
        record_quota: (name == "quota").then_some(records),
        ..Profile::default()
    }
}

/// Returns true if the exchange is about a type that the sandbox does not know yet.
fn is_of_unknown_type(exchange: &Value) -> bool {
    let (request, result) = (&exchange["request"]["body"], &exchange["response"]["body"]["result"]);
    [request, result].iter().filter_map(|v| v["type"].as_str()).any(|kind| {
        // Zones have a type as well.
        !matches!(kind, "full" | "partial" | "secondary" | "internal")
            && facts::type_facts(kind).is_none()
    })
}

/// Replaces what may differ.
fn mask(value: &mut Value, texts: bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, texts)),
        Value::Object(members) => {
            // Only DNSSEC of a zone has `ds`; in records the same names are values.
            let has_key = members.contains_key("ds");
            for (key, member) in members.iter_mut() {
                let is_moment = key.ends_with("_on") && member.is_string();
                let is_key =
                    has_key && matches!(key.as_str(), "digest" | "ds" | "key_tag" | "public_key");
                if (key == "id" && member.is_string())
                    || is_moment
                    || is_key
                    || (key == "message" && texts)
                {
                    *member = json!("*");
                } else if key == "account" {
                    *member = json!({});
                } else if matches!(key.as_str(), "deletes" | "patches" | "puts" | "posts")
                    && member.is_null()
                {
                    *member = json!([]);
                } else {
                    mask(member, texts);
                }
            }
        }
        _ => {}
    }
}

/// Sorts a list whose order was not asked for.
fn sort(body: &mut Value) {
    if let Some(items) = body["result"].as_array_mut() {
        items.sort_by_key(|item| item["name"].to_string());
    }
}

/// Runs one exchange, and returns the differences.
async fn replay(file: &str, exchange: &Value) -> Option<String> {
    let is_of_rulesets = file.starts_with("rulesets");
    let records = records(file, exchange);
    let profile = if is_of_rulesets {
        ruleset_examples::profile(exchange)
    } else {
        profile(exchange, records.len())
    };
    let running =
        sandbox::start(SandboxOptions { profile, ..SandboxOptions::default() }).await.unwrap();
    let mut document = zones(exchange, &records);
    if is_of_rulesets {
        ruleset_examples::prepare(exchange, &mut document);
    }
    running.seed(&document).unwrap();
    let (request, response) = (&exchange["request"], &exchange["response"]);
    let method = Method::from_bytes(request["method"].as_str().unwrap().as_bytes()).unwrap();
    let mut sent = client()
        .request(method, format!("{}{}", running.base_url(), request["path"].as_str().unwrap()));
    match request["headers"].as_object() {
        Some(headers) => {
            for (name, value) in headers {
                let token =
                    if response["status"] == 200 { TOKEN.to_owned() } else { "x".repeat(40) };
                sent = sent.header(name, value.as_str().unwrap().replace("example-token", &token));
            }
        }
        None if exchange["name"] == "no credentials" => sent = sent.header("X-Auth-Email", EMAIL),
        None => sent = sent.bearer_auth(TOKEN),
    }
    if let Some(query) = request["query"].as_object() {
        let pairs: Vec<_> = query.iter().map(|(k, v)| (k.as_str(), v.as_str().unwrap())).collect();
        sent = sent.query(&pairs);
    }
    if let Some(body) = request.get("body") {
        sent = sent.json(body);
    }
    let answer = reply(sent).await;
    let texts = exchange["note"].as_str().is_some_and(|n| n.contains("approximate"))
        || matches!(exchange["name"].as_str(), Some("old wrapper"));
    let (mut got, mut expected) = (answer.body.clone(), response["body"].clone());
    for body in [&mut got, &mut expected] {
        if is_of_rulesets {
            ruleset_examples::settle(exchange, body);
            continue;
        }
        if request["query"].get("order").is_none() {
            sort(body);
        }
        mask(body, texts);
    }
    (u64::from(answer.status) != response["status"] || got != expected).then(|| {
        format!(
            "{file}: {}: expected {} {expected}\n     got {} {got}",
            exchange["name"], response["status"], answer.status
        )
    })
}

#[tokio::test]
async fn example_exchanges() {
    let Ok(folder) = std::env::var("ZONEWRIGHT_SERVICE_EXAMPLES") else {
        // Past the capture of the test harness, so that it is seen.
        let line = b"SKIPPED: example_exchanges, as ZONEWRIGHT_SERVICE_EXAMPLES names no folder of example exchanges\n";
        std::io::stderr().write_all(line).unwrap();
        return;
    };
    let mut files: Vec<_> =
        std::fs::read_dir(Path::new(&folder)).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let (mut differences, mut replayed, mut skipped) = (Vec::new(), 0, Vec::new());
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_of_rulesets = file.starts_with("rulesets");
        let is_of_records =
            file.starts_with("record") || file.starts_with("zone") || file == "http-errors.json";
        if !is_of_rulesets && !is_of_records {
            continue;
        }
        let document: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for exchange in document["exchanges"].as_array().unwrap() {
            let name = exchange["name"].as_str().unwrap();
            if !is_of_rulesets && (SKIPPED.contains(&name) || is_of_unknown_type(exchange)) {
                skipped.push(format!("{file}: {name}"));
                continue;
            }
            replayed += 1;
            differences.extend(replay(&file, exchange).await);
        }
    }
    println!("replayed {replayed} exchanges, skipped {}: {skipped:#?}", skipped.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
