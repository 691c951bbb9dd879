//! Checks of record attributes and of PATCH requests that change them.

use serde_json::{Value as Json, json};

use super::finding::{CheckedAssumption, Unconfirmed};
use super::scratch_name::{ScratchName, expect_member};

pub(super) async fn proxied_ttl(scratch: &ScratchName) -> CheckedAssumption {
    let body = json!({ "type": "A", "name": scratch.below("proxied"), "content": "192.0.2.1", "proxied": true, "ttl": 300 });
    let kept = scratch.create(body).await.accepted()?;
    expect_member(&kept, "/ttl", &json!(1))
}

pub(super) async fn proxied_ttl_range(scratch: &ScratchName) -> CheckedAssumption {
    let body = json!({ "type": "A", "name": scratch.below("range"), "content": "192.0.2.1", "proxied": true, "ttl": 7 });
    scratch.create(body).await.refused_with(Some(9021))
}

pub(super) async fn own_network(scratch: &ScratchName) -> CheckedAssumption {
    let body = json!({ "type": "A", "name": scratch.below("own"), "content": "104.16.1.1", "proxied": false });
    scratch.create(body).await.accepted().map(|_| ())
}

pub(super) async fn patch_replaces_data(scratch: &ScratchName) -> CheckedAssumption {
    let data = json!({ "priority": 1, "weight": 2, "port": 5060, "target": "sip.example.net" });
    let body = json!({ "type": "SRV", "name": scratch.below("_sip._tcp"), "data": data });
    let record = scratch.create(body).await.prepared()?;
    scratch.patch(&record, json!({ "data": { "priority": 5 } })).await.refused_with(Some(9101))
}

pub(super) async fn patch_null(scratch: &ScratchName) -> CheckedAssumption {
    let body = json!({ "type": "TXT", "name": scratch.below("null"), "content": "\"kept\"", "comment": "to be cleared" });
    let record = scratch.create(body).await.prepared()?;
    let kept = scratch.patch(&record, json!({ "content": null, "tags": null })).await.accepted()?;
    expect_member(&kept, "/content", &json!("\"kept\""))?;
    expect_member(&kept, "/comment", &json!("to be cleared"))?;
    let cleared = scratch.patch(&record, json!({ "comment": null })).await.accepted()?;
    expect_member(&cleared, "/comment", &Json::Null)
}

pub(super) async fn comment_time(scratch: &ScratchName) -> CheckedAssumption {
    let body = json!({ "type": "TXT", "name": scratch.below("time"), "content": "\"x\"", "ttl": 300, "comment": "stays" });
    let record = scratch.create(body).await.prepared()?;
    let Some(time) = record.get("comment_modified_on") else {
        return Err(Unconfirmed::Unknown("records have no comment_modified_on".to_owned()));
    };
    let changed = scratch.patch(&record, json!({ "ttl": 600 })).await.accepted()?;
    expect_member(&changed, "/comment_modified_on", time)
}

pub(super) async fn record_members(scratch: &ScratchName) -> CheckedAssumption {
    let record = scratch.create_address("members").await?;
    expect_member(&record, "/zone_id", &Json::Null)?;
    expect_member(&record, "/zone_name", &Json::Null)
}

pub(super) async fn private_networks(scratch: &ScratchName) -> CheckedAssumption {
    for address in ["127.0.0.1", "169.254.1.1", "172.16.0.1"] {
        let body = json!({ "type": "A", "name": scratch.below("private"), "content": address, "proxied": true });
        scratch.create(body).await.refused_with(Some(9003))?;
    }
    Ok(())
}
