//! Checks of names, of records that can share a name, and of batches.

use serde_json::{Value as Json, json};

use super::finding::{CheckedAssumption, Unconfirmed};
use super::scratch_name::{ScratchName, expect_member};

pub(super) async fn name_case(scratch: &ScratchName) -> CheckedAssumption {
    let name = scratch.below("UPPER-case");
    let kept =
        scratch.create(json!({ "type": "TXT", "name": name, "content": "x" })).await.accepted()?;
    expect_member(&kept, "/name", &json!(name.to_lowercase()))
}

pub(super) async fn name_final_dot(scratch: &ScratchName) -> CheckedAssumption {
    let name = scratch.below("dot");
    let dotted = format!("{name}.");
    let kept = scratch
        .create(json!({ "type": "TXT", "name": dotted, "content": "x" }))
        .await
        .accepted()?;
    expect_member(&kept, "/name", &json!(name))
}

pub(super) async fn equal_record_first(scratch: &ScratchName) -> CheckedAssumption {
    let body =
        || json!({ "type": "CNAME", "name": scratch.below("alias"), "content": "www.example.net" });
    scratch.create(body()).await.prepared()?;
    // A second alias of any kind would conflict for another reason.
    scratch.create(body()).await.refused_with(Some(81058))
}

pub(super) async fn delegation_neighbours(scratch: &ScratchName) -> CheckedAssumption {
    let name = scratch.below("delegated");
    scratch
        .create(json!({ "type": "NS", "name": name, "content": "ns.example.net" }))
        .await
        .prepared()?;
    scratch
        .create(json!({ "type": "TXT", "name": name, "content": "x" }))
        .await
        .refused_with(Some(81056))
}

pub(super) async fn signer_without_delegation(scratch: &ScratchName) -> CheckedAssumption {
    let digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    let data = json!({ "key_tag": 1, "algorithm": 13, "digest_type": 2, "digest": digest });
    let body = json!({ "type": "DS", "name": scratch.below("signed"), "data": data });
    scratch.create(body).await.accepted().map(|_| ())
}

pub(super) async fn deleted_name_free(scratch: &ScratchName) -> CheckedAssumption {
    let record = scratch.create_address("freed").await?;
    scratch.delete(&record).await.prepared()?;
    let alias =
        json!({ "type": "CNAME", "name": scratch.below("freed"), "content": "www.example.net" });
    scratch.create(alias).await.accepted().map(|_| ())
}

/// Builds a TXT record for a batch.
fn txt_for_batch(scratch: &ScratchName, label: &str) -> Json {
    json!({ "type": "TXT", "name": scratch.below(label), "content": "\"in a batch\"" })
}

pub(super) async fn batch_exists(scratch: &ScratchName) -> CheckedAssumption {
    let done =
        scratch.batch(json!({ "posts": [txt_for_batch(scratch, "batched")] })).await.accepted()?;
    expect_member(&done, "/posts/0/content", &json!("\"in a batch\""))?;
    expect_member(&done, "/deletes", &Json::Null)
}

/// Fails if batches are unsupported, which another check reports.
async fn has_batches(scratch: &ScratchName) -> CheckedAssumption {
    scratch
        .batch(json!({ "posts": [txt_for_batch(scratch, "first")] }))
        .await
        .prepared()
        .map(|_| ())
}

pub(super) async fn batch_swaps(scratch: &ScratchName) -> CheckedAssumption {
    has_batches(scratch).await?;
    let record = scratch.create_address("swapped").await?;
    let alias =
        json!({ "type": "CNAME", "name": scratch.below("swapped"), "content": "www.example.net" });
    let id = record.get("id").cloned().unwrap_or_default();
    scratch
        .batch(json!({ "deletes": [{ "id": id }], "posts": [alias] }))
        .await
        .accepted()
        .map(|_| ())
}

pub(super) async fn batch_all_or_nothing(scratch: &ScratchName) -> CheckedAssumption {
    has_batches(scratch).await?;
    let wrong = json!({ "type": "A", "name": scratch.below("wrong"), "content": "no address" });
    match scratch
        .batch(json!({ "posts": [txt_for_batch(scratch, "half"), wrong] }))
        .await
        .accepted()
    {
        Ok(_) => {
            return Err(Unconfirmed::Differed(
                "a batch with an invalid record was accepted".to_owned(),
            ));
        }
        Err(Unconfirmed::Unknown(why)) => return Err(Unconfirmed::Unknown(why)),
        Err(Unconfirmed::Differed(_)) => {}
    }
    let records = scratch
        .everything()
        .await
        .map_err(|error| Unconfirmed::Unknown(format!("failed to {error}")))?;
    let half = json!(scratch.below("half"));
    match records.iter().any(|record| record.get("name") == Some(&half)) {
        true => Err(Unconfirmed::Differed(
            "the batch was refused, and a part of it was carried out".to_owned(),
        )),
        false => Ok(()),
    }
}
