//! Checks of names, of records that can share a name, and of batches.

use serde_json::{Value as Json, json};

use super::finding::{Checked, Finding};
use super::scratch_name::{ScratchName, same};

pub(super) async fn name_case(scratch: &ScratchName) -> Checked {
    let name = scratch.below("UPPER-case");
    let kept =
        scratch.create(json!({ "type": "TXT", "name": name, "content": "x" })).await.accepted()?;
    same(&kept, "/name", &json!(name.to_lowercase()))
}

pub(super) async fn name_final_dot(scratch: &ScratchName) -> Checked {
    let name = scratch.below("dot");
    let dotted = format!("{name}.");
    let kept = scratch
        .create(json!({ "type": "TXT", "name": dotted, "content": "x" }))
        .await
        .accepted()?;
    same(&kept, "/name", &json!(name))
}

pub(super) async fn equal_record_first(scratch: &ScratchName) -> Checked {
    let body =
        || json!({ "type": "CNAME", "name": scratch.below("alias"), "content": "www.example.net" });
    scratch.create(body()).await.prepared()?;
    // A second alias of any kind would conflict for another reason.
    scratch.create(body()).await.refused_with(Some(81058))
}

pub(super) async fn delegation_neighbours(scratch: &ScratchName) -> Checked {
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

pub(super) async fn signer_without_delegation(scratch: &ScratchName) -> Checked {
    let digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    let data = json!({ "key_tag": 1, "algorithm": 13, "digest_type": 2, "digest": digest });
    let body = json!({ "type": "DS", "name": scratch.below("signed"), "data": data });
    scratch.create(body).await.accepted().map(|_| ())
}

pub(super) async fn deleted_name_free(scratch: &ScratchName) -> Checked {
    let record = scratch.create_address("freed").await?;
    scratch.delete(&record).await.prepared()?;
    let alias =
        json!({ "type": "CNAME", "name": scratch.below("freed"), "content": "www.example.net" });
    scratch.create(alias).await.accepted().map(|_| ())
}

/// Builds a TXT record for a batch.
fn text(scratch: &ScratchName, label: &str) -> Json {
    json!({ "type": "TXT", "name": scratch.below(label), "content": "\"in a batch\"" })
}

pub(super) async fn batch_exists(scratch: &ScratchName) -> Checked {
    let done = scratch.batch(json!({ "posts": [text(scratch, "batched")] })).await.accepted()?;
    same(&done, "/posts/0/content", &json!("\"in a batch\""))?;
    same(&done, "/deletes", &Json::Null)
}

/// Fails if batches are unsupported, which another check reports.
async fn has_batches(scratch: &ScratchName) -> Checked {
    scratch.batch(json!({ "posts": [text(scratch, "first")] })).await.prepared().map(|_| ())
}

pub(super) async fn batch_swaps(scratch: &ScratchName) -> Checked {
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

pub(super) async fn batch_all_or_nothing(scratch: &ScratchName) -> Checked {
    has_batches(scratch).await?;
    let wrong = json!({ "type": "A", "name": scratch.below("wrong"), "content": "no address" });
    match scratch.batch(json!({ "posts": [text(scratch, "half"), wrong] })).await.accepted() {
        Ok(_) => {
            return Err(Finding::Differed(
                "a batch with an invalid record was accepted".to_owned(),
            ));
        }
        Err(Finding::Unknown(why)) => return Err(Finding::Unknown(why)),
        Err(Finding::Differed(_)) => {}
    }
    let there = scratch
        .everything()
        .await
        .map_err(|error| Finding::Unknown(format!("failed to {error}")))?;
    let half = json!(scratch.below("half"));
    match there.iter().any(|record| record.get("name") == Some(&half)) {
        true => Err(Finding::Differed(
            "the batch was refused, and a part of it was carried out".to_owned(),
        )),
        false => Ok(()),
    }
}
