//! DNS settings and settings of a zone, and how they are stored.

use reqwest::Method;
use serde_json::{Value, json};
use zonewright::sandbox::{self, Profile, StoreLocation};

use super::support::{Bench, a, keys, reply};

/// Returns a sandbox whose zone is on a plan.
async fn on_plan(tier: &str) -> Bench {
    Bench::with(Profile { tier: tier.to_owned(), ..Profile::default() }).await
}

#[tokio::test]
async fn dns_settings_merge() {
    let bench = Bench::new().await;
    let before = bench.get_below("dns_settings").await;
    let members = "flatten_all_cnames foundation_dns multi_provider nameservers ns_ttl secondary_overrides soa zone_mode";
    assert_eq!(keys(before.result()).join(" "), members);
    let patched =
        bench.patch_below("dns_settings", json!({"ns_ttl": 3600, "soa": {"min_ttl": 300}})).await;
    let mut expected = before.result().clone();
    expected["ns_ttl"] = json!(3600);
    expected["soa"]["min_ttl"] = json!(300);
    assert_eq!(patched.result(), &expected);
    assert_eq!(bench.get_below("dns_settings").await.result(), &expected);
    // The whole object can be sent back, with nulls, and with numbers as the schema has them.
    let mut whole = expected.clone();
    whole["internal_dns"] = json!({});
    whole["zone_mode"] = Value::Null;
    whole["ns_ttl"] = json!(3600.0);
    assert_eq!(bench.patch_below("dns_settings", whole).await.result(), &expected);
    let named =
        bench.patch_below("dns_settings", json!({"soa": {"mname": "ns1.example.net"}})).await;
    assert_eq!(named.result()["soa"]["mname"], "ns1.example.net");
    let automatic = bench.patch_below("dns_settings", json!({"soa": {"mname": null}})).await;
    assert_eq!(automatic.result(), &expected);
    assert_eq!(bench.patch_below("dns_settings", json!({})).await.result(), &expected);
}

#[tokio::test]
async fn dns_settings_have_limits() {
    let bench = on_plan("enterprise").await;
    let before = bench.get_below("dns_settings").await;
    for body in [
        json!({"ns_ttl": 29}),
        json!({"ns_ttl": 86_401}),
        json!({"ns_ttl": "3600"}),
        json!({"flatten_all_cnames": "true"}),
        json!({"multi_provider": 1}),
        json!({"zone_mode": "proxy_only"}),
        json!({"soa": []}),
        json!({"soa": {"refresh": 599}}),
        json!({"soa": {"refresh": 86_401}}),
        json!({"soa": {"retry": 599}}),
        json!({"soa": {"retry": 3601}}),
        json!({"soa": {"expire": 86_399}}),
        json!({"soa": {"expire": 2_419_201}}),
        json!({"soa": {"min_ttl": 59}}),
        json!({"soa": {"ttl": 1799}}),
        json!({"soa": {"ttl": 3601}}),
        json!({"soa": {"rname": "no name"}}),
        json!({"soa": {"mname": 7}}),
        // In range, but not together with the retry of 2400 that is there.
        json!({"soa": {"refresh": 1200}}),
        json!({"nameservers": {"type": "other"}}),
        json!({"nameservers": {"ns_set": 1}}),
        json!({"nameservers": {"type": "custom.account", "ns_set": 6}}),
        json!({"nameservers": {"type": "custom"}}),
        json!({"nameservers": {"type": "cloudflare.standard"}, "foundation_dns": true}),
        json!({"internal_dns": {"reference_zone_id": "x"}}),
        // One mistake, and nothing is stored.
        json!({"ns_ttl": 3600, "soa": {"ttl": 1}}),
    ] {
        assert_eq!(
            bench.patch_below("dns_settings", body.clone()).await.refusal(),
            (400, 1004),
            "{body}"
        );
    }
    assert_eq!(bench.get_below("dns_settings").await.result(), before.result());
    bench
        .patch_below("dns_settings", json!({"soa": {"refresh": 1200, "retry": 1200}}))
        .await
        .result();
}

#[tokio::test]
async fn dns_settings_depend_on_the_plan() {
    let advanced = json!({"nameservers": {"type": "cloudflare.advanced"}});
    let custom = json!({"nameservers": {"type": "custom.account", "ns_set": 2}});
    let internal =
        json!({"internal_dns": {"reference_zone_id": "0123456789abcdef0123456789abcdef"}});
    let free = on_plan("free").await;
    for (body, refusal) in [
        (json!({"flatten_all_cnames": true}), (400, 1003)),
        (json!({"foundation_dns": true}), (400, 1003)),
        (advanced.clone(), (400, 1003)),
        (custom.clone(), (400, 1003)),
        (json!({"zone_mode": "dns_only"}), (400, 1003)),
        (json!({"secondary_overrides": true}), (400, 1003)),
        (internal.clone(), (403, 1029)),
    ] {
        assert_eq!(
            free.patch_below("dns_settings", body.clone()).await.refusal(),
            refusal,
            "{body}"
        );
    }
    let pro = on_plan("pro").await;
    let flat = pro.patch_below("dns_settings", json!({"flatten_all_cnames": true})).await;
    assert_eq!(flat.result()["flatten_all_cnames"], true);
    assert_eq!(pro.patch_below("dns_settings", custom.clone()).await.refusal(), (400, 1003));
    let business = on_plan("business").await;
    assert_eq!(
        business.patch_below("dns_settings", custom.clone()).await.result()["nameservers"],
        custom["nameservers"]
    );
    let enterprise = on_plan("enterprise").await;
    let set = enterprise.patch_below("dns_settings", internal.clone()).await;
    assert_eq!(set.result()["internal_dns"], internal["internal_dns"]);
    // The old switch and the type of name servers change together.
    let on = enterprise.patch_below("dns_settings", json!({"foundation_dns": true})).await;
    assert_eq!(on.result()["nameservers"], advanced["nameservers"]);
    let off = enterprise
        .patch_below("dns_settings", json!({"nameservers": {"type": "cloudflare.standard"}}))
        .await;
    assert_eq!(off.result()["foundation_dns"], false);
    // A paid feature stays when the plan is lowered, and does not prevent other changes.
    let plan = json!({"plan": {"id": "free"}});
    enterprise
        .send(Method::PATCH, &format!("/zones/{}", enterprise.zone), Some(plan))
        .await
        .result();
    let ttl = enterprise.patch_below("dns_settings", json!({"ns_ttl": 300})).await;
    assert_eq!(ttl.result()["internal_dns"], internal["internal_dns"]);
}

#[tokio::test]
async fn settings_are_read_and_changed() {
    let bench = Bench::new().await;
    let expected = json!({"id": "ssl", "value": "full", "editable": true, "modified_on": null});
    assert_eq!(bench.get_below("settings/ssl").await.result(), &expected);
    let strict = bench.patch_below("settings/ssl", json!({"value": "strict"})).await;
    assert_eq!(strict.result()["value"], "strict");
    assert!(strict.result()["modified_on"].as_str().unwrap().ends_with('Z'));
    assert_eq!(bench.get_below("settings/ssl").await.result(), strict.result());
    for (name, value) in [
        ("0rtt", json!("on")),
        ("browser_cache_ttl", json!(0)),
        ("challenge_ttl", json!(604_800)),
        ("min_tls_version", json!("1.3")),
        ("tls_1_3", json!("zrt")),
        ("nel", json!({"enabled": false})),
        ("security_level", json!("under_attack")),
    ] {
        let patched =
            bench.patch_below(&format!("settings/{name}"), json!({ "value": value })).await;
        assert_eq!(patched.result()["value"], value, "{name}");
    }
    let path = "settings/security_header";
    let part =
        json!({"value": {"strict_transport_security": {"enabled": true, "max_age": 86_400}}});
    let header = bench.patch_below(path, part).await;
    assert_eq!(
        header.result()["value"]["strict_transport_security"],
        json!({"enabled": true, "max_age": 86400, "include_subdomains": false, "preload": false, "nosniff": false})
    );
}

#[tokio::test]
async fn settings_that_are_refused() {
    let bench = Bench::new().await;
    for (name, value) in [
        ("ssl", json!("on")),
        ("ssl", json!("origin_pull")),
        ("ssl", json!(null)),
        ("always_use_https", json!(true)),
        ("browser_cache_ttl", json!("14400")),
        ("browser_cache_ttl", json!(14_401)),
        ("max_upload", json!(200)),
        ("minify", json!("on")),
        ("minify", json!({"css": true})),
        ("security_header", json!({"strict_transport_security": {"max_age": -1}})),
        ("security_header", json!({"other": {}})),
    ] {
        let refused =
            bench.patch_below(&format!("settings/{name}"), json!({ "value": value })).await;
        assert_eq!(refused.refusal(), (400, 1007), "{name} {value}");
        assert_eq!(
            refused.body["errors"][0]["message"],
            format!("Invalid value for zone setting {name}")
        );
        assert!(
            bench.get_below(&format!("settings/{name}")).await.result()["modified_on"].is_null()
        );
    }
    let unknown = bench.get_below("settings/zero_rtt").await;
    assert_eq!(unknown.refusal(), (400, 1006));
    assert_eq!(unknown.body["errors"][0]["message"], "Unrecognized zone setting name: zero_rtt");
    assert_eq!(
        bench.patch_below("settings/zero_rtt", json!({"value": "on"})).await.refusal(),
        (400, 1006)
    );
    assert_eq!(bench.patch_below("settings/ssl", json!({})).await.refusal(), (400, 1004));
    let delete =
        bench.send(Method::DELETE, &format!("/zones/{}/settings/ssl", bench.zone), None).await;
    assert_eq!(delete.refusal(), (405, 7001));
    // All settings at once can be read, but not written.
    let all = bench.get_below("settings").await;
    let names: Vec<&str> = all
        .result()
        .as_array()
        .unwrap()
        .iter()
        .map(|setting| setting["id"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"ssl") && names.contains(&"tls_1_3"), "{names:?}");
}

#[tokio::test]
async fn settings_depend_on_the_plan() {
    let (free, pro, enterprise) =
        (on_plan("free").await, on_plan("pro").await, on_plan("enterprise").await);
    let value = |value: &str| json!({ "value": value });
    assert_eq!(free.get_below("settings/polish").await.result()["editable"], false);
    let refused = free.patch_below("settings/polish", value("lossy")).await;
    assert_eq!(refused.refusal(), (400, 1015));
    assert_eq!(refused.body["errors"][0]["message"], "Not allowed to edit setting for polish");
    assert_eq!(pro.patch_below("settings/polish", value("lossy")).await.result()["value"], "lossy");
    let refused = pro.patch_below("settings/true_client_ip_header", value("on")).await;
    assert_eq!(
        refused.body["errors"][0]["message"],
        "Not allowed to edit zone setting true_client_ip_header"
    );
    let changed = enterprise.patch_below("settings/true_client_ip_header", value("on")).await;
    assert_eq!(changed.result()["editable"], true);
    enterprise.patch_below("settings/ssl", value("origin_pull")).await.result();
    enterprise.patch_below("settings/max_upload", json!({"value": 500})).await.result();
    let ciphers = json!({"value": ["ECDHE-RSA-AES128-GCM-SHA256", "AES128-SHA"]});
    assert_eq!(free.patch_below("settings/ciphers", ciphers.clone()).await.refusal(), (400, 1015));
    assert_eq!(
        pro.patch_below("settings/ciphers", ciphers.clone()).await.result()["value"],
        ciphers["value"]
    );
    for bad in [json!(["AES128"]), json!(["AES128-SHA", "AES128-SHA"]), json!("AES128-SHA")] {
        assert_eq!(
            pro.patch_below("settings/ciphers", json!({ "value": bad })).await.refusal(),
            (400, 1007)
        );
    }
    // Deprecated in favour of the DNS settings, and read-only for everyone.
    assert_eq!(
        enterprise.get_below("settings/cname_flattening").await.result()["value"],
        "flatten_at_root"
    );
    let refused = enterprise.patch_below("settings/cname_flattening", value("flatten_all")).await;
    assert_eq!(refused.refusal(), (400, 1015));
}

#[tokio::test]
async fn development_mode_ends_by_itself() {
    let bench = Bench::new().await;
    assert!(
        bench.get_below("settings/development_mode").await.result().get("time_remaining").is_none()
    );
    let on = bench.patch_below("settings/development_mode", json!({"value": "on"})).await;
    let remaining = on.result()["time_remaining"].as_i64().unwrap();
    assert!((10_790..=10_800).contains(&remaining), "{remaining}");
    let zone = bench.send(Method::GET, &format!("/zones/{}", bench.zone), None).await;
    assert!((10_790..=10_800).contains(&zone.result()["development_mode"].as_i64().unwrap()));
    let long_ago = json!({"value": "on", "modified_on": "2024-01-01T00:00:00.5Z"});
    let zone = json!({"name": "example.com", "settings": {"development_mode": long_ago}});
    bench.running.seed(&json!({ "zones": [zone] })).unwrap();
    let ended = bench.get_below("settings/development_mode").await;
    assert_eq!(ended.result()["value"], "off");
    assert!(ended.result()["time_remaining"].as_i64().unwrap() < -10_000);
}

/// Returns a document in which everything differs from the defaults.
fn document() -> Value {
    json!({"zones": [{
        "name": "example.com",
        "plan": "free",
        "settings": {"ssl": "strict", "polish": {"value": "lossy", "modified_on": "2026-02-03T10:15:30.5Z"},
            "minify": {"css": "on"}},
        "dnssec": {"status": "pending", "dnssec_multi_signer": true},
        "dns_settings": {"ns_ttl": 3600, "flatten_all_cnames": true, "soa": {"min_ttl": 300, "mname": "ns1.example.net"},
            "nameservers": {"type": "custom", "nameserver_set_id": "x"},
            "internal_dns": {"reference_zone_id": "0123456789abcdef0123456789abcdef"}},
        "records": [a("www", "192.0.2.1")]
    }, {"name": "plain.example"}]})
}

#[tokio::test]
async fn everything_is_kept_and_dumped() {
    let directory = tempfile::tempdir().unwrap();
    let [first, second] = ["1", "2"].map(|name| StoreLocation::File(directory.path().join(name)));
    sandbox::seed(&first, &document()).unwrap();
    let dumped = sandbox::dump(&first).unwrap();
    let zone = &dumped["zones"][0];
    assert_eq!(zone["settings"]["ssl"]["value"], "strict");
    assert_eq!(
        zone["settings"]["minify"]["value"],
        json!({"css": "on", "html": "off", "js": "off"})
    );
    assert_eq!(zone["settings"]["polish"]["modified_on"], "2026-02-03T10:15:30.5Z");
    assert_eq!(
        (&zone["dnssec"]["status"], &zone["dnssec"]["dnssec_multi_signer"]),
        (&json!("pending"), &json!(true))
    );
    assert_eq!(zone["dns_settings"], {
        let mut expected = document()["zones"][0]["dns_settings"].clone();
        expected["soa"] = json!({"mname": "ns1.example.net", "min_ttl": 300});
        expected
    });
    for member in ["settings", "dnssec", "dns_settings"] {
        assert!(dumped["zones"][1].get(member).is_none(), "{member}");
    }
    sandbox::seed(&second, &dumped).unwrap();
    assert_eq!(sandbox::dump(&second).unwrap().to_string(), dumped.to_string());
    // Loading it again changes nothing.
    sandbox::seed(&first, &document()).unwrap();
    assert_eq!(sandbox::dump(&first).unwrap().to_string(), dumped.to_string());
    sandbox::reset(&first).unwrap();
    sandbox::seed(&first, &json!({"zones": [{"name": "example.com", "id": zone["id"]}]})).unwrap();
    assert!(sandbox::dump(&first).unwrap()["zones"][0].get("settings").is_none());
}

#[test]
fn faulty_documents_say_where() {
    let directory = tempfile::tempdir().unwrap();
    let store = StoreLocation::File(directory.path().join("store"));
    for (member, value, place) in [
        ("settings", json!({"ssl": "on"}), "zones[0].settings"),
        ("settings", json!({"zero_rtt": "on"}), "zones[0].settings"),
        ("settings", json!([]), "zones[0].settings"),
        ("dnssec", json!({"status": "on"}), "zones[0].dnssec"),
        ("dns_settings", json!({"ns_ttl": 1}), "zones[0].dns_settings"),
    ] {
        let error =
            sandbox::seed(&store, &json!({"zones": [{"name": "example.com", member: value}]}))
                .unwrap_err();
        assert!(error.to_string().starts_with(&format!("load {place}: ")), "{error}");
    }
}

#[tokio::test]
async fn a_deleted_zone_takes_its_settings_along() {
    let bench = Bench::new().await;
    bench.running.seed(&document()).unwrap();
    let zone = bench.zone.clone();
    bench.send(Method::DELETE, &format!("/zones/{zone}"), None).await.result();
    assert_eq!(bench.get_below("settings/ssl").await.refusal(), (403, 9109));
    bench.running.seed(&json!({"zones": [{"name": "example.com", "id": zone}]})).unwrap();
    assert_eq!(bench.get_below("settings/ssl").await.result()["modified_on"], Value::Null);
    assert_eq!(bench.get_below("dnssec").await.result()["status"], "disabled");
    assert_eq!(bench.get_below("dns_settings").await.result()["ns_ttl"], 86_400);
}

#[tokio::test]
async fn refusals_are_the_same_as_for_records() {
    let bench = Bench::new().await;
    for path in ["dnssec", "dns_settings", "settings/ssl"] {
        let url = format!("{}/zones/{}/{path}", bench.running.base_url(), bench.zone);
        assert_eq!(reply(bench.client.get(&url)).await.refusal(), (400, 9106), "{path}");
        let absent = format!("/zones/0123456789abcdef0123456789abcdef/{path}");
        assert_eq!(bench.send(Method::GET, &absent, None).await.refusal(), (403, 9109), "{path}");
        let malformed = format!("/zones/example.com/{path}");
        assert_eq!(
            bench.send(Method::GET, &malformed, None).await.refusal(),
            (400, 7003),
            "{path}"
        );
        assert_eq!(bench.patch_below(path, json!([])).await.refusal(), (400, 9207), "{path}");
    }
}
