//! Lists of records: filters, order, pages and the exported zone file.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::json;
use zonewright::sandbox::{ListOrder, Profile};

use super::support::{Bench, a};

/// Returns a sandbox with a handful of different records on a plan with tags.
async fn bench() -> Bench {
    let bench =
        Bench::with(Profile { tier: "pro".to_owned(), page_limit: 4, ..Profile::default() }).await;
    bench.plant(json!([
        {"type": "A", "name": "www", "content": "192.0.2.10", "proxied": true},
        {"type": "A", "name": "api", "content": "192.0.2.11", "ttl": 300, "comment": "Edge API", "tags": ["team:dns"]},
        {"type": "CNAME", "name": "blog", "content": "origin.example.net", "ttl": 3600, "tags": ["team:web", "old"]},
        {"type": "MX", "name": "@", "content": "mail.example.com", "priority": 10, "ttl": 3600},
        {"type": "TXT", "name": "www", "content": "v=spf1 -all", "comment": "100%_sure"}
    ]));
    bench
}

#[tokio::test]
async fn filters() {
    let bench = bench().await;
    for (query, names) in [
        ("name=www.example.com", "www www"),
        ("name=WWW.example.com&type=A", "www"),
        ("name.exact=api.example.com", "api"),
        ("name.startswith=w", "www www"),
        ("name.endswith=G.example.com", "blog"),
        ("name.contains=PI.", "api"),
        ("content=v=spf1%20-all", "www"),
        ("content.contains=ORIGIN", "blog"),
        ("content.endswith=.11", "api"),
        ("comment=edge%20api", "api"),
        ("comment.startswith=100%25_", "www"),
        ("comment.present=", "api www"),
        ("comment.absent=true", "www blog @"),
        ("tag.present=TEAM", "api blog"),
        ("tag.absent=team", "www @ www"),
        ("tag.exact=team:web", "blog"),
        // Operators apply to the value of the tag that is named.
        ("tag.contains=team:n", "api"),
        ("tag.contains=:d", ""),
        ("tag.contains=web", ""),
        ("tag.startswith=TEAM:W", "blog"),
        ("tag.startswith=ol", ""),
        ("tag.exact=old", "blog"),
        ("tag.endswith=team:ns", "api"),
        ("tag.endswith=b", ""),
        ("tag.present=team&tag.present=old", "blog"),
        ("tag.exact=team:dns&tag.present=old&tag_match=any", "api blog"),
        ("type=A&tag.exact=team:dns&tag.present=old&tag_match=any&match=any", "api"),
        ("match=any&name.startswith=api&content.endswith=.10", "www api"),
        ("type=MX&proxied=false", "@"),
        ("proxied=true", "www"),
        ("search=origin", "blog"),
        ("type=NOPE", ""),
        ("name=%27%20OR%201=1", ""),
        ("name=contains:www", ""),
    ] {
        let reply = bench.list(query).await;
        let got: Vec<_> = reply
            .column("name")
            .iter()
            .map(|n| n.strip_suffix(".example.com").map_or("@", |n| n).to_owned())
            .collect();
        assert_eq!(got.join(" "), names, "{query}");
        assert_eq!(reply.body["result_info"]["total_count"], got.len(), "{query}");
    }
    // An unknown filter, or a value that is not true or false, filters nothing: observed 2026-09.
    for query in
        ["no_such_filter=x", "proxied=1", "order=nothing", "name.like=x", "tag.like=team:x"]
    {
        assert_eq!(bench.list(query).await.body["result_info"]["total_count"], 5, "{query}");
    }
}

#[tokio::test]
async fn order_and_pages() {
    let bench = bench().await;
    let info = |reply: &super::support::Reply| reply.body["result_info"].to_string();
    let first = bench.list("per_page=2&page=1&order=name&direction=asc").await;
    assert_eq!(first.column("name"), ["api.example.com", "blog.example.com"]);
    assert_eq!(
        info(&first),
        r#"{"page":1,"per_page":2,"count":2,"total_count":5,"total_pages":3}"#
    );
    let last = bench.list("per_page=2&page=3&order=name").await;
    assert_eq!(last.column("type"), ["TXT"]);
    assert_eq!(info(&last), r#"{"page":3,"per_page":2,"count":1,"total_count":5,"total_pages":3}"#);
    let beyond = bench.list("per_page=2&page=9").await;
    assert_eq!(
        info(&beyond),
        r#"{"page":9,"per_page":2,"count":0,"total_count":5,"total_pages":3}"#
    );
    // A page size that is too large is lowered, and the response has the lower number.
    let large = bench.list("per_page=5000").await;
    assert_eq!(
        info(&large),
        r#"{"page":1,"per_page":4,"count":4,"total_count":5,"total_pages":2}"#
    );
    let empty = bench.list("type=NS").await;
    assert_eq!(
        info(&empty),
        r#"{"page":1,"per_page":4,"count":0,"total_count":0,"total_pages":1}"#
    );

    let column = |query: &'static str, member: &'static str| {
        let bench = &bench;
        async move { bench.list(query).await.column(member).join(" ") }
    };
    assert_eq!(column("order=type&direction=desc&per_page=3", "type").await, "TXT MX CNAME");
    assert_eq!(column("order=ttl&per_page=3", "ttl").await, "1 1 300");
    assert_eq!(column("order=proxied&direction=desc&per_page=1", "proxied").await, "true");
    assert_eq!(column("order=content&per_page=2", "content").await, "192.0.2.10 192.0.2.11");
    let bench = Bench::new().await;
    assert_eq!(bench.list("").await.body["result_info"]["per_page"], 100);
}

#[tokio::test]
async fn a_random_order_holds_every_record() {
    let bench = Bench::with(Profile { list_order: ListOrder::Random, ..Profile::default() }).await;
    for n in 1..=9 {
        bench.post(a(&format!("n{n}"), "192.0.2.1")).await;
    }
    let one = bench.list("").await.column("id");
    let two = bench.list("").await.column("id");
    assert_ne!(one, two);
    assert_eq!(one.iter().collect::<BTreeSet<_>>(), two.iter().collect::<BTreeSet<_>>());
    let sorted = bench.list("order=name").await.column("name");
    assert_eq!(sorted, bench.list("order=name").await.column("name"));
}

#[tokio::test]
async fn the_zone_file() {
    let bench = bench().await;
    let export = bench.send(Method::GET, &format!("{}/export", bench.records()), None).await;
    assert_eq!(export.headers["content-type"], "text/plain");
    for line in [
        "$ORIGIN example.com.",
        "api.example.com.\t300\tIN\tA\t192.0.2.11 ; Edge API cf_tags=team:dns,cf-proxied:false",
        "www.example.com.\t1\tIN\tA\t192.0.2.10 ; cf_tags=cf-proxied:true",
        "example.com.\t3600\tIN\tMX\t10 mail.example.com. ; cf_tags=cf-proxied:false",
        "www.example.com.\t1\tIN\tTXT\t\"v=spf1 -all\" ; 100%_sure cf_tags=cf-proxied:false",
        ";; CNAME Records",
    ] {
        assert!(export.text.lines().any(|l| l == line), "{line} in\n{}", export.text);
    }
}
