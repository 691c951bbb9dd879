//! Single records: formats, normalization, PATCH, PUT, and refusals.

use serde_json::{Value, json};
use zonewright::model::{Settings, facts};
use zonewright::sandbox::{
    ErrorStyle, OldSrvMembers, OwnNetwork, Profile, ProxiedTtl, RecordMembers, TxtQuotes,
    UnknownData,
};

use super::support::{Bench, a, keys};

/// Returns a profile with zones on a plan.
fn plan(tier: &str) -> Profile {
    Profile { tier: tier.to_owned(), ..Profile::default() }
}

/// The setting that the API has beside `settings`.
const BESIDE: &str = "private_routing";

/// The members of a record, in order.
const MODERN: [&str; 13] = [
    "id",
    "name",
    "type",
    "content",
    "proxiable",
    "proxied",
    "ttl",
    "settings",
    "meta",
    "comment",
    "tags",
    "created_on",
    "modified_on",
];

#[tokio::test]
async fn the_modern_form() {
    let bench = Bench::new().await;
    let www = bench
        .post(json!({"type": "A", "name": "www", "content": "192.0.2.10", "proxied": true}))
        .await;
    let record = www.result();
    assert_eq!(keys(record), MODERN);
    assert_eq!(keys(&www.body), ["result", "success", "errors", "messages"]);
    assert_eq!(record["ttl"], 1);
    assert_eq!(record["created_on"], record["modified_on"]);
    assert_eq!(
        (&record["comment"], &record["tags"], &record["meta"]),
        (&Value::Null, &json!([]), &json!({}))
    );

    let srv = json!({"type": "SRV", "name": "_sip._tcp", "comment": "phones",
        "data": {"priority": 10, "weight": 5, "port": 5060, "target": "sip.example.com"}});
    let srv = bench.post(srv).await;
    let record = srv.result();
    assert_eq!(keys(record)[4..9], ["priority", "proxiable", "proxied", "ttl", "data"]);
    assert_eq!(record["content"], "5 5060 sip.example.com");
    assert_eq!(record["comment_modified_on"], record["created_on"]);
    assert_eq!(bench.get(&srv.id()).await.result(), record);

    let alias = bench.post(json!({"type": "CNAME", "name": "a", "content": "b.example.net"})).await;
    assert_eq!(alias.result()["settings"], json!({"flatten_cname": false}));
    let alias = json!({"type": "CNAME", "name": "p", "content": "b.example.net", "proxied": true});
    assert_eq!(bench.post(alias).await.result()["settings"], json!({}));
}

#[tokio::test]
async fn the_old_form() {
    let bench = Bench::with(Profile { shape: RecordMembers::Seed, ..Profile::default() }).await;
    let mx = bench
        .post(json!({"type": "MX", "name": "@", "content": "mail.example.com", "priority": 10}))
        .await;
    let record = mx.result();
    assert_eq!(keys(record)[..5], ["id", "zone_id", "zone_name", "name", "type"]);
    assert_eq!((&record["locked"], &record["priority"]), (&json!(false), &json!(10)));
    assert_eq!(record["meta"]["source"], "primary");
    assert_eq!(record["zone_name"], "example.com");
    assert!(record.get("settings").is_none());
}

/// The members that the documentation lists for a record of a zone:
/// developers.cloudflare.com/api/resources/dns, read 2026-11-22.
#[tokio::test]
async fn every_documented_member() {
    let bench = Bench::with(Profile { shape: RecordMembers::Full, ..Profile::default() }).await;
    let a = bench.post(a("www", "192.0.2.1")).await;
    let listed =
        [&MODERN[..], &["private_routing", "comment_modified_on", "tags_modified_on"]].concat();
    assert_eq!(keys(a.result()), listed);
    let names = Settings::default()
        .named()
        .map(|(name, _)| name)
        .into_iter()
        .filter(|name| *name != BESIDE);
    let flags: Value =
        names.map(|name| (name.to_owned(), json!(false))).collect::<serde_json::Map<_, _>>().into();
    assert_eq!(
        (&a.result()["settings"], &a.result()["meta"]["read_only"]),
        (&flags, &json!(false))
    );
    let mx = bench
        .post(json!({"type": "MX", "name": "@", "content": "mail.example.com", "priority": 10}))
        .await;
    assert!(mx.result().get("private_routing").is_none() && mx.result()["priority"] == 10);
}

#[tokio::test]
async fn every_setting_of_a_record_is_kept() {
    let bench = Bench::with(plan("enterprise")).await;
    for (name, _) in Settings::default().named() {
        let mut is_kept = false;
        let is_beside = name == BESIDE;
        for mut body in [
            json!({"type": "A", "name": name, "content": "192.0.2.1", "proxied": true}),
            json!({"type": "CNAME", "name": format!("{name}.alias"), "content": "t.example"}),
        ] {
            if is_beside {
                body[name] = json!(true);
            } else {
                body["settings"] = json!({ name: true });
            }
            let reply = bench.post(body).await;
            let kept =
                if is_beside { &reply.result()[name] } else { &reply.result()["settings"][name] };
            is_kept |= *kept == json!(true);
        }
        assert!(is_kept, "{name} is dropped");
    }
}

#[tokio::test]
async fn the_previous_generation() {
    let bench = Bench::with(Profile::previous_generation()).await;
    let txt = bench.post(json!({"type": "TXT", "name": "@", "content": "v=spf1 -all"})).await;
    assert_eq!(txt.result()["content"], "\"v=spf1 -all\"");
    assert_eq!(bench.post(a("x", "nonsense")).await.refusal(), (400, 1004));
    assert_eq!(bench.batch(json!({})).await.refusal(), (400, 7000));
    assert_eq!(bench.list("per_page=5000").await.body["result_info"]["per_page"], 100);
}

#[tokio::test]
async fn every_type_takes_its_facts() {
    let bench = Bench::new().await;
    for facts in facts::all_types() {
        let reply = bench.post(json!({"type": facts.name, "name": "missing"})).await;
        let first = facts.fields[0];
        let code = if first.slot == facts::Slot::Data { 9101 } else { 9100 };
        assert_eq!(reply.refusal(), (400, code), "{}", facts.name);
    }
    for kind in [json!("SOA"), json!("NOPE"), json!("a"), json!(1)] {
        assert_eq!(
            bench.post(json!({"type": kind, "name": "x", "content": "y"})).await.refusal(),
            (400, 1004)
        );
    }
}

#[tokio::test]
async fn normal_forms() {
    let bench = Bench::new().await;
    for (name, full) in [
        ("@", "example.com"),
        ("API.Example.Com.", "api.example.com"),
        ("mail.other.test", "mail.other.test.example.com"),
        ("bücher", "xn--bcher-kva.example.com"),
        ("*", "*.example.com"),
    ] {
        assert_eq!(bench.post(a(name, "192.0.2.1")).await.result()["name"], full);
    }
    let aaaa = json!({"type": "AAAA", "name": "v6", "content": "FE80:0:0::0:0:1"});
    assert_eq!(bench.post(aaaa).await.result()["content"], "fe80::1");
    let ns = json!({"type": "NS", "name": "sub", "content": "NS1.Example.net."});
    assert_eq!(bench.post(ns).await.result()["content"], "ns1.example.net");
    let long = "k".repeat(300);
    let txt = bench.post(json!({"type": "TXT", "name": "l", "content": long})).await;
    assert_eq!(txt.result()["content"], format!("\"{}\" \"{}\"", &long[..255], &long[255..]));
    for content in ["v=spf1 -all", "\"v=spf1\" \"-all\""] {
        let txt = bench.post(json!({"type": "TXT", "name": "t", "content": content})).await;
        assert_eq!(txt.result()["content"], content);
    }
    let auto = Bench::with(Profile { txt_quotes: TxtQuotes::Auto, ..Profile::default() }).await;
    let txt = auto.post(json!({"type": "TXT", "name": "t", "content": "a b"})).await;
    assert_eq!(txt.result()["content"], "\"a b\"");
    // Content beside data is ignored, as are null data and unknown members.
    let caa = json!({"type": "CAA", "name": "@", "content": "0 issue \"no.example\"", "unknown": 1,
        "data": {"flags": 0, "tag": "issue", "value": "ca.example"}});
    assert_eq!(bench.post(caa).await.result()["content"], "0 issue \"ca.example\"");
    let mut null = a("null", "192.0.2.1");
    null["data"] = Value::Null;
    assert_eq!(bench.post(null).await.status, 200);
}

#[tokio::test]
async fn what_is_refused() {
    let bench = Bench::new().await;
    for (code, body) in [
        (9000, a("a..b", "192.0.2.1")),
        (9000, a(&"x".repeat(64), "192.0.2.1")),
        (9100, json!({"type": "A", "content": "192.0.2.1"})),
        (9100, json!({"name": "x", "content": "192.0.2.1"})),
        (9005, a("x", "not-an-ip")),
        (9006, json!({"type": "AAAA", "name": "x", "content": "192.0.2.1"})),
        (9007, json!({"type": "CNAME", "name": "x", "content": "192.0.2.1"})),
        (9008, json!({"type": "MX", "name": "x", "content": "m.example", "priority": 70_000})),
        (9009, json!({"type": "MX", "name": "@", "content": "192.0.2.25", "priority": 10})),
        (9100, json!({"type": "MX", "name": "@", "content": "mail.example.com"})),
        (9101, json!({"type": "CAA", "name": "@", "content": "0 issue \"ca.example\""})),
        (
            9101,
            json!({"type": "SRV", "name": "@", "data": {"priority": 1, "weight": 1, "port": 1}}),
        ),
        (9003, json!({"type": "A", "name": "x", "content": "192.168.1.10", "proxied": true})),
        (9003, json!({"type": "A", "name": "x", "content": "104.16.1.1", "proxied": true})),
        (9004, json!({"type": "TXT", "name": "x", "content": "\"a\"", "proxied": true})),
        (9021, json!({"type": "A", "name": "x", "content": "192.0.2.1", "ttl": 30})),
        (9021, json!({"type": "A", "name": "x", "content": "192.0.2.1", "ttl": 86_401})),
        (9039, json!({"type": "CNAME", "name": "loop", "content": "Loop.example.com."})),
        (9051, json!({"type": "TXT", "name": "q", "content": "\"open"})),
        (9015, json!({"type": "TXT", "name": "l", "content": "x".repeat(4100)})),
        (
            9226,
            json!({"type": "CNAME", "name": "f", "content": "t.example", "settings": {"flatten_cname": true}}),
        ),
        (9300, json!({"type": "A", "name": "t", "content": "192.0.2.1", "tags": ["team:dns"]})),
        (
            1004,
            json!({"type": "A", "name": "t", "content": "192.0.2.1", "comment": "x".repeat(101)}),
        ),
    ] {
        assert_eq!(bench.post(body.clone()).await.refusal(), (400, code), "{body}");
    }
    // Members that SRV had until 2024-05-31, beside a name that agrees with them.
    let data = json!({"service": "_sip", "proto": "_tcp", "name": "example.com", "priority": 1, "weight": 1, "port": 1, "target": "."});
    let old = bench.post(json!({"type": "SRV", "name": "_sip._tcp", "data": data})).await;
    assert_eq!(old.refusal(), (400, 1004));
    let message = "SRV data fields 'service', 'proto' and 'name' are no longer supported";
    assert_eq!(old.body["errors"][0]["message"], message);
    assert_eq!(bench.list("").await.body["result_info"]["total_count"], 0);
    // DNS-only records may have any address; `proxiable` is false for those that cannot be proxied.
    assert_eq!(bench.post(a("x", "10.0.0.1")).await.result()["proxiable"], false);
    assert_eq!(bench.post(a("x", "104.16.1.1")).await.status, 200);
    let y = |n: usize| json!({"type": "TXT", "name": "y", "content": format!("{n}{}", "y".repeat(2900))});
    assert_eq!(bench.post(y(1)).await.status, 200);
    assert_eq!(bench.post(y(2)).await.status, 200);
    assert_eq!(bench.post(y(3)).await.refusal(), (400, 83011));
}

#[tokio::test]
async fn what_plans_and_profiles_allow() {
    let bench = Bench::with(plan("enterprise")).await;
    let mut body = a("x", "192.0.2.1");
    body["ttl"] = json!(30);
    body["tags"] = json!(["team:dns", "edge"]);
    body["comment"] = json!("ü".repeat(500));
    let record = bench.post(body).await;
    assert_eq!(record.result()["ttl"], 30);
    assert!(record.result()["tags_modified_on"].is_string());
    let flat = json!({"type": "CNAME", "name": "f", "content": "t.example", "settings": {"flatten_cname": true}});
    assert_eq!(bench.post(flat).await.result()["settings"], json!({"flatten_cname": true}));

    let proxied =
        json!({"type": "A", "name": "p", "content": "192.0.2.1", "proxied": true, "ttl": 3600});
    assert_eq!(bench.post(proxied.clone()).await.result()["ttl"], 1);
    let strict = Profile {
        proxied_ttl: ProxiedTtl::Refuse,
        own_network: OwnNetwork::Strict,
        errors: ErrorStyle::Chain,
        ..Profile::default()
    };
    let strict = Bench::with(strict).await;
    let refused = strict.post(proxied).await;
    assert_eq!(refused.refusal(), (400, 1004));
    assert_eq!(refused.body["errors"][0]["error_chain"][0]["code"], 9021);
    let own = strict.post(a("x", "104.16.1.1")).await;
    assert_eq!(own.body["errors"][0]["error_chain"][0]["code"], 9003);
    strict.post(a("x", "192.0.2.1")).await;
    assert_eq!(strict.post(a("x", "192.0.2.1")).await.refusal(), (400, 81058));
}

#[tokio::test]
async fn patch_merges_and_put_resets() {
    let bench = Bench::with(plan("pro")).await;
    let mut body = a("api", "192.0.2.11");
    body["ttl"] = json!(300);
    body["comment"] = json!("edge api");
    body["tags"] = json!(["a:b"]);
    let before = bench.post(body).await;
    let id = before.id();
    let patched = bench.patch(&id, json!({"ttl": 600})).await;
    let (before, after) = (before.result(), patched.result());
    assert_eq!(
        (&after["ttl"], &after["comment"], &after["tags"]),
        (&json!(600), &json!("edge api"), &json!(["a:b"]))
    );
    assert_eq!(after["created_on"], before["created_on"]);
    assert_eq!(after["comment_modified_on"], before["comment_modified_on"]);
    assert_ne!(after["modified_on"], before["modified_on"]);

    for clear in [Value::Null, json!("")] {
        bench.patch(&id, json!({"comment": "again"})).await;
        let cleared = bench.patch(&id, json!({"comment": clear})).await;
        assert!(cleared.result()["comment"].is_null());
        assert!(cleared.result().get("comment_modified_on").is_none());
    }
    assert_eq!(bench.patch(&id, json!({"proxied": true})).await.result()["ttl"], 1);
    assert_eq!(bench.patch(&id, json!({"ttl": 3600})).await.result()["ttl"], 1);
    let unproxied = bench.patch(&id, json!({"proxied": false})).await;
    assert_eq!(
        (&unproxied.result()["ttl"], &unproxied.result()["proxied"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(
        bench.patch(&id, json!({"type": "CNAME", "content": "x.example"})).await.refusal(),
        (400, 1004)
    );
    assert_eq!(
        bench.patch(&id, json!({"type": "A", "name": "moved"})).await.result()["name"],
        "moved.example.com"
    );

    bench.patch(&id, json!({"comment": "lost", "ttl": 300, "tags": ["x"]})).await;
    let replaced = bench.put(&id, a("api", "192.0.2.12")).await;
    let record = replaced.result();
    assert_eq!((&record["comment"], &record["tags"]), (&Value::Null, &json!([])));
    assert_eq!((&record["ttl"], &record["proxied"]), (&json!(1), &json!(false)));
    assert_eq!((&record["id"], &record["created_on"]), (&before["id"], &before["created_on"]));
    assert_eq!(bench.put(&id, json!({"type": "A", "name": "api"})).await.refusal(), (400, 9100));
    assert_eq!(
        bench.put(&id, json!({"name": "api", "content": "192.0.2.1"})).await.refusal(),
        (400, 9100)
    );

    let caa = json!({"type": "CAA", "name": "@", "data": {"flags": 0, "tag": "issue", "value": "ca.example"}});
    let caa = bench.post(caa).await.id();
    assert_eq!(
        bench.patch(&caa, json!({"ttl": 600})).await.result()["content"],
        "0 issue \"ca.example\""
    );
    assert_eq!(bench.patch(&caa, json!({"data": {"flags": 128}})).await.refusal(), (400, 9101));

    assert_eq!(bench.delete(&id).await.result(), &json!({"id": id}));
    assert_eq!(bench.delete(&id).await.refusal(), (404, 81044));
    assert_eq!(bench.get(&id).await.refusal(), (404, 81044));
}

#[tokio::test]
async fn null_tags_of_a_patch_leave_them() {
    let bench = Bench::with(plan("pro")).await;
    let mut www = a("www", "192.0.2.1");
    www["tags"] = json!(["owner:web"]);
    let id = bench.post(www).await.id();
    let patched = bench.patch(&id, json!({"content": "192.0.2.2", "tags": null})).await;
    assert_eq!(patched.result()["tags"], json!(["owner:web"]));
    assert_eq!(bench.patch(&id, json!({"tags": []})).await.result()["tags"], json!([]));
}

#[tokio::test]
async fn numbers_of_other_clients_are_rounded() {
    let bench = Bench::new().await;
    let data = json!({"lat_degrees": 31, "lat_minutes": 58, "lat_seconds": 52.099_999_999_999_4, "lat_direction": "S",
        "long_degrees": 115, "long_minutes": 49, "long_seconds": 11.699_999_999_999_3, "long_direction": "E",
        "altitude": -24.050_000_000_002_91, "size": 0, "precision_horz": 0, "precision_vert": 0});
    let loc = bench.post(json!({"type": "LOC", "name": "here", "data": data})).await;
    assert_eq!(
        (&loc.result()["data"]["altitude"], &loc.result()["data"]["long_seconds"]),
        (&json!(-24.05), &json!(11.7))
    );
    assert_eq!(loc.result()["content"], "31 58 52.100 S 115 49 11.700 E -24.05 0.00 0.00 0.00");
}

#[tokio::test]
async fn members_of_data_that_a_type_does_not_have() {
    let caa = json!({"type": "CAA", "name": "@", "data": {"flags": 0, "tag": "issue", "value": "ca.example", "weight": 0}});
    let kept = Bench::new().await.post(caa.clone()).await;
    assert_eq!(kept.result()["data"], json!({"flags": 0, "tag": "issue", "value": "ca.example"}));
    let strict =
        Bench::with(Profile { unknown_data: UnknownData::Refuse, ..Profile::default() }).await;
    assert_eq!(strict.post(caa).await.refusal(), (400, 1004));
    let srv = json!({"type": "SRV", "name": "_sip._tcp", "data": {"service": "_sip", "proto": "_tcp", "name": "example.com",
        "priority": 1, "weight": 1, "port": 1, "target": "s.example"}});
    assert_eq!(Bench::new().await.post(srv.clone()).await.refusal(), (400, 1004));
    let lenient =
        Bench::with(Profile { old_srv_members: OldSrvMembers::AcceptEqual, ..Profile::default() })
            .await;
    assert_eq!(lenient.post(srv.clone()).await.result()["content"], "1 1 s.example");
    let mut other = srv;
    other["name"] = json!("_sips._tcp");
    let refused = lenient.post(other).await;
    assert!(
        refused
            .text
            .contains("SRV data fields 'service', 'proto' and 'name' are no longer supported"),
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn flags_are_a_number_or_its_text() {
    let bench = Bench::new().await;
    let caa = |flags: Value| json!({"type": "CAA", "name": "@", "data": {"flags": flags, "tag": "issue", "value": "ca.example"}});
    let kept = bench.post(caa(json!("128"))).await;
    assert_eq!(kept.result()["data"]["flags"], 128);
    assert_eq!(kept.result()["content"], "128 issue \"ca.example\"");
    for wrong in ["", "-1", "+1", "256", "0x1", "1.0", " 1"] {
        assert_eq!(bench.post(caa(json!(wrong))).await.refusal(), (400, 1004), "{wrong:?}");
    }
}
