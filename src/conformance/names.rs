//! Checks of names, of what can share one, and of batches.

use serde_json::{Value as Json, json};

use super::finding::{Checked, Finding};
use super::scratch_name::{Bench, same};

pub(super) async fn name_case(bench: &Bench) -> Checked {
    let name = bench.name("UPPER-case");
    let kept = bench.create(json!({ "type": "TXT", "name": name, "content": "x" })).await.accepted()?;
    same(&kept, "/name", &json!(name.to_lowercase()))
}

pub(super) async fn name_final_dot(bench: &Bench) -> Checked {
    let name = bench.name("dot");
    let dotted = format!("{name}.");
    let kept = bench.create(json!({ "type": "TXT", "name": dotted, "content": "x" })).await.accepted()?;
    same(&kept, "/name", &json!(name))
}

pub(super) async fn equal_record_first(bench: &Bench) -> Checked {
    let body = || json!({ "type": "CNAME", "name": bench.name("alias"), "content": "www.example.net" });
    bench.create(body()).await.prepared()?;
    // A second alias of any kind would be a conflict of its own.
    bench.create(body()).await.refused_with(Some(81058))
}

pub(super) async fn delegation_neighbours(bench: &Bench) -> Checked {
    let name = bench.name("delegated");
    bench.create(json!({ "type": "NS", "name": name, "content": "ns.example.net" })).await.prepared()?;
    bench.create(json!({ "type": "TXT", "name": name, "content": "x" })).await.refused_with(Some(81056))
}

pub(super) async fn signer_without_delegation(bench: &Bench) -> Checked {
    let digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    let data = json!({ "key_tag": 1, "algorithm": 13, "digest_type": 2, "digest": digest });
    let body = json!({ "type": "DS", "name": bench.name("signed"), "data": data });
    bench.create(body).await.accepted().map(|_| ())
}

pub(super) async fn deleted_name_free(bench: &Bench) -> Checked {
    let record = bench.create_address("freed").await?;
    bench.delete(&record).await.prepared()?;
    let alias = json!({ "type": "CNAME", "name": bench.name("freed"), "content": "www.example.net" });
    bench.create(alias).await.accepted().map(|_| ())
}

/// A TXT record in a batch.
fn text(bench: &Bench, label: &str) -> Json {
    json!({ "type": "TXT", "name": bench.name(label), "content": "\"in a batch\"" })
}

pub(super) async fn batch_exists(bench: &Bench) -> Checked {
    let done = bench.batch(json!({ "posts": [text(bench, "batched")] })).await.accepted()?;
    same(&done, "/posts/0/content", &json!("\"in a batch\""))?;
    same(&done, "/deletes", &Json::Null)
}

/// Whether there are batches at all; that there are is another assumption.
async fn has_batches(bench: &Bench) -> Checked {
    bench.batch(json!({ "posts": [text(bench, "first")] })).await.prepared().map(|_| ())
}

pub(super) async fn batch_swaps(bench: &Bench) -> Checked {
    has_batches(bench).await?;
    let record = bench.create_address("swapped").await?;
    let alias = json!({ "type": "CNAME", "name": bench.name("swapped"), "content": "www.example.net" });
    let id = record.get("id").cloned().unwrap_or_default();
    bench.batch(json!({ "deletes": [{ "id": id }], "posts": [alias] })).await.accepted().map(|_| ())
}

pub(super) async fn batch_all_or_nothing(bench: &Bench) -> Checked {
    has_batches(bench).await?;
    let wrong = json!({ "type": "A", "name": bench.name("wrong"), "content": "no address" });
    match bench.batch(json!({ "posts": [text(bench, "half"), wrong] })).await.accepted() {
        Ok(_) => return Err(Finding::Differed("a batch with an invalid record was accepted".to_owned())),
        Err(Finding::Unknown(why)) => return Err(Finding::Unknown(why)),
        Err(Finding::Differed(_)) => {}
    }
    let there = bench.everything().await.map_err(|error| Finding::Unknown(format!("failed to {error}")))?;
    let half = json!(bench.name("half"));
    match there.iter().any(|record| record.get("name") == Some(&half)) {
        true => Err(Finding::Differed("the batch was refused, and a part of it was carried out".to_owned())),
        false => Ok(()),
    }
}
