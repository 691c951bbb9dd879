//! DNSSEC of a zone: its states, its key, its switches, and refused requests.

use reqwest::Method;
use serde_json::{Value, json};
use zonewright::sandbox::Profile;

use super::support::{Bench, Reply, keys};

/// Every member of the answer while there is a key, in order.
const MEMBERS: [&str; 14] = [
    "status",
    "flags",
    "algorithm",
    "key_type",
    "digest_type",
    "digest_algorithm",
    "digest",
    "ds",
    "key_tag",
    "public_key",
    "modified_on",
    "dnssec_multi_signer",
    "dnssec_presigned",
    "dnssec_use_nsec3",
];

/// PATCH of the state.
async fn set(bench: &Bench, status: &str) -> Reply {
    bench.patch_below("dnssec", json!({ "status": status })).await
}

/// Returns the state as GET gives it.
async fn status(bench: &Bench) -> String {
    bench.get_below("dnssec").await.result()["status"].as_str().unwrap().to_owned()
}

/// DELETE.
async fn delete(bench: &Bench) -> Reply {
    bench.send(Method::DELETE, &format!("/zones/{}/dnssec", bench.zone), None).await
}

#[tokio::test]
async fn a_zone_that_nobody_touched() {
    let bench = Bench::new().await;
    let expected = json!({
        "status": "disabled", "modified_on": null, "dnssec_multi_signer": false, "dnssec_presigned": false,
        "dnssec_use_nsec3": false
    });
    assert_eq!(bench.get_below("dnssec").await.result(), &expected);
    assert_eq!(set(&bench, "disabled").await.result(), &expected);
    assert_eq!(delete(&bench).await.result(), "");
}

#[tokio::test]
async fn pending_until_the_parent_publishes() {
    let bench = Bench::new().await;
    let on = set(&bench, "active").await;
    let dnssec = on.result();
    assert_eq!(keys(dnssec), MEMBERS);
    assert_eq!(
        (&dnssec["status"], &dnssec["flags"], &dnssec["algorithm"]),
        (&json!("pending"), &json!(257), &json!("13"))
    );
    let (tag, digest) = (&dnssec["key_tag"], dnssec["digest"].as_str().unwrap());
    assert_eq!(dnssec["ds"], format!("example.com. 3600 IN DS {tag} 13 2 {digest}"));
    assert!(
        digest.len() == 64 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F')),
        "{digest}"
    );
    assert!(tag.as_u64().unwrap() <= 65535);
    assert_eq!(dnssec["public_key"].as_str().unwrap().len(), 88);
    assert!(dnssec["modified_on"].as_str().unwrap().ends_with("+00:00"));
    assert_eq!(bench.get_below("dnssec").await.result(), dnssec);
    assert_eq!(set(&bench, "active").await.result(), dnssec);
    assert_eq!(delete(&bench).await.refusal(), (400, 1004));
    // No parent trusts the key yet, so there is nothing to wait for.
    assert_eq!(set(&bench, "disabled").await.result()["status"], "disabled");
}

#[tokio::test]
async fn dnssec_is_enabled_and_disabled() {
    let bench = Bench::with(Profile { dnssec_activates: true, ..Profile::default() }).await;
    let pending = set(&bench, "active").await;
    assert_eq!(pending.result()["status"], "pending");
    assert_eq!(status(&bench).await, "active");
    assert_eq!(set(&bench, "disabled").await.result()["status"], "pending-disabled");
    assert_eq!(set(&bench, "active").await.result()["status"], "active");
    assert_eq!(set(&bench, "disabled").await.result()["status"], "pending-disabled");
    assert_eq!(delete(&bench).await.refusal(), (400, 1004));
    let off = bench.get_below("dnssec").await;
    assert_eq!(off.result()["status"], "disabled");
    assert!(off.result()["modified_on"].is_string() && off.result().get("ds").is_none());
    delete(&bench).await.result();
    assert!(bench.get_below("dnssec").await.result()["modified_on"].is_null());
    // The key is the zone's, whatever happened.
    assert_eq!(set(&bench, "active").await.result()["ds"], pending.result()["ds"]);
}

#[tokio::test]
async fn without_the_switch_disabling_still_ends() {
    let bench = Bench::new().await;
    bench
        .running
        .seed(&json!({"zones": [{"name": "example.com", "dnssec": {"status": "active"}}]}))
        .unwrap();
    assert_eq!(status(&bench).await, "active");
    assert_eq!(set(&bench, "disabled").await.result()["status"], "pending-disabled");
    assert_eq!(status(&bench).await, "disabled");
}

#[tokio::test]
async fn switches_and_their_plans() {
    let bench = Bench::new().await;
    let signer = bench.patch_below("dnssec", json!({"dnssec_multi_signer": true})).await;
    assert_eq!(
        (&signer.result()["status"], &signer.result()["dnssec_multi_signer"]),
        (&json!("disabled"), &json!(true))
    );
    for switch in ["dnssec_use_nsec3", "dnssec_presigned"] {
        let refused = bench.patch_below("dnssec", json!({"status": "active", switch: true})).await;
        assert_eq!(refused.refusal(), (400, 1017));
        assert_eq!(refused.body["errors"][0]["message"], "Invalid zone plan for action");
        assert_eq!(status(&bench).await, "disabled");
        bench.patch_below("dnssec", json!({switch: false})).await.result();
    }
    let bench = Bench::with(Profile { tier: "enterprise".to_owned(), ..Profile::default() }).await;
    let all =
        bench.patch_below("dnssec", json!({"status": "active", "dnssec_use_nsec3": true})).await;
    assert_eq!(
        (&all.result()["status"], &all.result()["dnssec_use_nsec3"]),
        (&json!("pending"), &json!(true))
    );
}

#[tokio::test]
async fn bodies_that_are_refused() {
    let bench = Bench::new().await;
    for body in [
        json!({}),
        json!({"status": null}),
        json!({"status": "pending"}),
        json!({"status": true}),
        json!({"dnssec_multi_signer": "on"}),
    ] {
        assert_eq!(
            bench.patch_below("dnssec", body.clone()).await.refusal(),
            (400, 1002),
            "{body}"
        );
    }
    let post =
        bench.send(Method::POST, &format!("/zones/{}/dnssec", bench.zone), Some(json!({}))).await;
    assert_eq!(post.refusal(), (405, 7001));
}

#[tokio::test]
async fn a_zone_that_is_not_active_cannot_be_signed() {
    let bench = Bench::new().await;
    let zone = bench.send(Method::POST, "/zones", Some(json!({"name": "example.org"}))).await.id();
    let path = format!("/zones/{zone}/dnssec");
    let refused = bench.send(Method::PATCH, &path, Some(json!({"status": "active"}))).await;
    assert_eq!(refused.refusal(), (400, 1017));
    let off = bench.send(Method::PATCH, &path, Some(json!({"status": "disabled"}))).await;
    assert_eq!(off.result()["modified_on"], Value::Null);
}
