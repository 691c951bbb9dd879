//! Records that cannot exist beside one another, quotas, and records that Cloudflare manages.

use serde_json::json;
use zonewright::sandbox::{DsWithoutNs, NsNeighbours, Profile, RecordMembers};

use super::support::{Bench, a};

#[tokio::test]
async fn names_are_shared_by_rule() {
    let bench = Bench::new().await;
    let cname = |name: &str| json!({"type": "CNAME", "name": name, "content": "o.example.net"});
    let ns = |name: &str, content: &str| json!({"type": "NS", "name": name, "content": content});
    let txt = |name: &str| json!({"type": "TXT", "name": name, "content": "t"});
    for (code, body) in [
        (0, a("www", "192.0.2.1")),
        (0, a("www", "192.0.2.2")),
        (0, json!({"type": "AAAA", "name": "www", "content": "2001:db8::1"})),
        (81058, a("WWW.example.com.", "192.0.2.1")),
        (81053, cname("www")),
        (0, cname("blog")),
        (81058, cname("blog")),
        (81053, json!({"type": "CNAME", "name": "blog", "content": "other.example.net"})),
        (81054, a("blog", "192.0.2.1")),
        (0, txt("blog")),
        (
            81058,
            json!({"type": "TXT", "name": "blog", "content": "\"t\"", "ttl": 300, "comment": "another"}),
        ),
        (0, json!({"type": "MX", "name": "blog", "content": "m.example", "priority": 1})),
        (81053, ns("www", "ns.example")),
        (0, ns("sub", "ns.example")),
        (0, ns("sub", "ns2.example")),
        (81056, a("sub", "192.0.2.1")),
        (81056, cname("sub")),
        (81056, txt("sub")),
        // The apex has name servers of its own, and its CNAME is flattened.
        (0, ns("@", "ns.example")),
        (0, cname("@")),
        (0, cname("*")),
        (0, cname("*.www")),
    ] {
        let reply = bench.post(body.clone()).await;
        let got = if reply.status == 200 { 0 } else { reply.refusal().1 };
        assert_eq!(got, code, "{body}");
        assert_eq!(reply.status, if code == 0 { 200 } else { 400 }, "{body}");
    }
    // A record does not conflict with itself, but it conflicts with others when it is changed, too.
    let other = bench.post(a("other", "192.0.2.1")).await.id();
    assert_eq!(bench.patch(&other, json!({"content": "192.0.2.1"})).await.status, 200);
    assert_eq!(bench.patch(&other, json!({"name": "www"})).await.refusal(), (400, 81058));
    assert_eq!(bench.patch(&other, json!({"name": "blog"})).await.refusal(), (400, 81054));

    let old = Bench::with(Profile { shape: RecordMembers::Seed, ..Profile::default() }).await;
    old.post(a("www", "192.0.2.1")).await;
    assert_eq!(old.post(a("www", "192.0.2.1")).await.refusal(), (400, 81057));
}

#[tokio::test]
async fn quotas_by_plan_and_age() {
    let bench = Bench::with(Profile { record_quota: Some(1), ..Profile::default() }).await;
    let path = format!("{}/usage", bench.records());
    assert_eq!(bench.post(a("n1", "192.0.2.1")).await.status, 200);
    assert_eq!(bench.post(a("n2", "192.0.2.1")).await.refusal(), (400, 81045));
    let usage = bench.send(reqwest::Method::GET, &path, None).await;
    assert_eq!(usage.result(), &json!({"record_quota": 1, "record_usage": 1}));

    let bench = Bench::new().await;
    let old = json!({"zones": [{"name": "old.example", "created_on": "2023-01-01T00:00:00Z"}]});
    bench.running.seed(&old).unwrap();
    let zones = bench.send(reqwest::Method::GET, "/zones?name=old.example", None).await;
    let id = zones.column("id").remove(0);
    let usage =
        bench.send(reqwest::Method::GET, &format!("/zones/{id}/dns_records/usage"), None).await;
    assert_eq!(usage.result()["record_quota"], 1000);
    let usage = bench.send(reqwest::Method::GET, &path, None).await;
    assert_eq!(usage.result()["record_quota"], 200);
}

#[tokio::test]
async fn managed_records_are_left_alone() {
    let bench = Bench::new().await;
    let worker = "b61822e8357dcaff77eaaccf348d9134";
    bench.plant(json!([
        {"id": worker, "type": "AAAA", "name": "app", "content": "100::", "proxied": true, "meta": {"read_only": true}},
        {"type": "MX", "name": "@", "content": "r1.mx.example", "priority": 1, "meta": {"email_routing": true}},
        {"type": "MX", "name": "@", "content": "r2.mx.example", "priority": 2, "meta": {"email_routing": true}},
        {"type": "A", "name": "old", "content": "192.0.2.1", "locked": true}
    ]));
    assert_eq!(bench.get(worker).await.result()["meta"], json!({"read_only": true}));
    assert_eq!(bench.delete(worker).await.refusal(), (400, 1043));
    assert_eq!(bench.patch(worker, json!({"comment": "x"})).await.refusal(), (400, 1043));
    let put = json!({"type": "AAAA", "name": "app", "content": "100::1"});
    assert_eq!(bench.put(worker, put).await.refusal(), (400, 1043));
    assert_eq!(bench.post(a("app", "192.0.2.10")).await.refusal(), (400, 81062));
    let mx = json!({"type": "MX", "name": "@", "content": "mail.example.net", "priority": 5});
    assert_eq!(bench.post(mx).await.refusal(), (400, 890_190));
    let locked = bench.list("name=old.example.com").await.column("id").remove(0);
    assert_eq!(bench.delete(&locked).await.refusal(), (400, 1043));
}

#[tokio::test]
async fn deleted_names_can_stay_taken_for_a_while() {
    let bench =
        Bench::with(Profile { conflict_lag_milliseconds: 300_000, ..Profile::default() }).await;
    let id = bench.post(a("www", "192.0.2.1")).await.id();
    bench.delete(&id).await;
    let cname = json!({"type": "CNAME", "name": "www", "content": "o.example.net"});
    assert_eq!(bench.post(cname).await.refusal(), (400, 81053));
}

#[tokio::test]
async fn closed_domains() {
    let bench = Bench::new().await;
    let created =
        bench.send(reqwest::Method::POST, "/zones", Some(json!({"name": "example.tk"}))).await;
    let path = format!("/zones/{}/dns_records", created.id());
    let reply = bench.send(reqwest::Method::POST, &path, Some(a("www", "192.0.2.1"))).await;
    assert_eq!(reply.refusal(), (403, 1038));
}

#[tokio::test]
async fn ns_beside_others_is_a_switch() {
    let ns = |name: &str| json!({"type": "NS", "name": name, "content": "ns.example"});
    let mx =
        |name: &str| json!({"type": "MX", "name": name, "content": "m.example", "priority": 1});
    let txt = |name: &str| json!({"type": "TXT", "name": name, "content": "t"});
    let cname = |name: &str| json!({"type": "CNAME", "name": name, "content": "o.example.net"});
    let documented = Bench::new().await;
    let lenient =
        Bench::with(Profile { ns_neighbours: NsNeighbours::Accept, ..Profile::default() }).await;
    for (first, second, refused, accepted) in [
        (ns("a"), mx("a"), 81056, 0),
        (ns("b"), txt("b"), 81056, 0),
        (mx("c"), ns("c"), 1004, 0),
        (txt("d"), ns("d"), 1004, 0),
        (ns("e"), a("e", "192.0.2.1"), 81056, 81056),
        (ns("f"), cname("f"), 81056, 81056),
        (a("g", "192.0.2.1"), ns("g"), 81053, 81053),
        (cname("h"), ns("h"), 81053, 81053),
    ] {
        for (bench, code) in [(&documented, refused), (&lenient, accepted)] {
            bench.post(first.clone()).await.result();
            let reply = bench.post(second.clone()).await;
            let got = if reply.status == 200 { 0 } else { reply.refusal().1 };
            assert_eq!(got, code, "{second}");
        }
    }
}

#[tokio::test]
async fn ds_without_ns_is_a_switch() {
    let ds = json!({"type": "DS", "name": "a", "data": {"key_tag": 1, "algorithm": 13, "digest_type": 2, "digest": "AB".repeat(32)}});
    let ns = |host: &str| json!({"type": "NS", "name": "a", "content": host});
    Bench::new().await.post(ds.clone()).await.result();
    let bench =
        Bench::with(Profile { ds_without_ns: DsWithoutNs::Refuse, ..Profile::default() }).await;
    assert_eq!(bench.post(ds.clone()).await.refusal(), (400, 1004));
    let (one, two) =
        (bench.post(ns("ns1.example")).await.id(), bench.post(ns("ns2.example")).await.id());
    let ds = bench.post(ds).await.id();
    bench.delete(&one).await.result();
    assert_eq!(bench.delete(&two).await.refusal(), (400, 1004));
    bench.delete(&ds).await.result();
    bench.delete(&two).await.result();
}
