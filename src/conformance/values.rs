//! Checks of record values.

use serde_json::{Value as Json, json};

use super::finding::{CheckedAssumption, Unconfirmed};
use super::scratch_name::{CheckResponse, ScratchName, expect_member};

impl ScratchName {
    async fn text(&self, label: &str, content: &str) -> CheckResponse {
        self.create(json!({ "type": "TXT", "name": self.below(label), "content": content })).await
    }

    async fn with_data(&self, record_type: &str, label: &str, data: Json) -> CheckResponse {
        self.create(json!({ "type": record_type, "name": self.below(label), "data": data })).await
    }
}

pub(super) async fn text_as_sent(scratch: &ScratchName) -> CheckedAssumption {
    let plain = scratch.text("plain", "plain text").await.accepted()?;
    expect_member(&plain, "/content", &json!("plain text"))?;
    let quoted = scratch.text("quoted", "\"quoted text\"").await.accepted()?;
    expect_member(&quoted, "/content", &json!("\"quoted text\""))
}

pub(super) async fn text_spellings_equal(scratch: &ScratchName) -> CheckedAssumption {
    scratch.text("spelling", "\"one\" \"two\"").await.prepared()?;
    scratch.text("spelling", "\"one\"  \"two\"").await.refused_with(Some(81058))
}

pub(super) async fn text_cuts_differ(scratch: &ScratchName) -> CheckedAssumption {
    scratch.text("cut", "\"onetwo\"").await.prepared()?;
    scratch.text("cut", "\"one\" \"two\"").await.accepted().map(|_| ())
}

pub(super) async fn text_inner_quotes(scratch: &ScratchName) -> CheckedAssumption {
    let content = r#"say "hello" or \n"#;
    let kept = scratch.text("inner", content).await.accepted()?;
    expect_member(&kept, "/content", &json!(content))
}

pub(super) async fn text_empty(scratch: &ScratchName) -> CheckedAssumption {
    scratch.text("empty", "").await.refused_with(Some(9051))
}

pub(super) async fn data_numbers(scratch: &ScratchName) -> CheckedAssumption {
    let data =
        json!({ "priority": 70_000, "weight": 1, "port": 5060, "target": "sip.example.net" });
    scratch.with_data("SRV", "_sip._tcp", data).await.refused_with(Some(1004))
}

pub(super) async fn data_priority_beside(scratch: &ScratchName) -> CheckedAssumption {
    let data = json!({ "priority": 1, "weight": 2, "port": 5060, "target": "sip.example.net" });
    let body =
        json!({ "type": "SRV", "name": scratch.below("_sip._tcp"), "priority": 9, "data": data });
    let kept = scratch.create(body).await.accepted()?;
    expect_member(&kept, "/data/priority", &json!(1))
}

pub(super) async fn data_unknown_members(scratch: &ScratchName) -> CheckedAssumption {
    let data = json!({ "flags": 0, "tag": "issue", "value": "ca.example.net", "weight": 0 });
    let kept = scratch.with_data("CAA", "unknown", data).await.accepted()?;
    expect_member(&kept, "/data/weight", &Json::Null)
}

pub(super) async fn srv_old_members(scratch: &ScratchName) -> CheckedAssumption {
    let name = scratch.below("_sip._tcp");
    // The part after service and protocol, as in the old members.
    let name_below = name.trim_start_matches("_sip._tcp.").to_owned();
    let data = json!({
        "service": "_sip", "proto": "_tcp", "name": name_below,
        "priority": 1, "weight": 2, "port": 5060, "target": "sip.example.net"
    });
    scratch.with_data("SRV", "_sip._tcp", data).await.refused_with(Some(1004))
}

/// Creates an HTTPS record in alias mode, without a final dot and without parameters.
async fn alias(scratch: &ScratchName) -> Result<Json, Unconfirmed> {
    let data = json!({ "priority": 0, "target": "www.example.net", "value": "" });
    scratch.with_data("HTTPS", "alias", data).await.accepted()
}

pub(super) async fn host_final_dot_added(scratch: &ScratchName) -> CheckedAssumption {
    expect_member(&alias(scratch).await?, "/data/target", &json!("www.example.net."))
}

pub(super) async fn service_alias_no_space(scratch: &ScratchName) -> CheckedAssumption {
    let kept = alias(scratch).await?;
    let content = kept.get("content").and_then(Json::as_str).unwrap_or_default();
    match content.strip_suffix(' ') {
        None => Ok(()),
        Some(_) => Err(Unconfirmed::Differed(format!("content is {content:?}"))),
    }
}

pub(super) async fn hex_strict(scratch: &ScratchName) -> CheckedAssumption {
    for digits in ["0123 4567 89ab cdef 0123 4567 89ab cdef 0123 4567", "abc"] {
        let data = json!({ "algorithm": 4, "type": 1, "fingerprint": digits });
        scratch.with_data("SSHFP", "hex", data).await.refused_with(Some(1004))?;
    }
    Ok(())
}

pub(super) async fn base64_strict(scratch: &ScratchName) -> CheckedAssumption {
    for text in ["AQIDBA", "AQID BA=="] {
        let data = json!({ "flags": 257, "protocol": 3, "algorithm": 13, "public_key": text });
        scratch.with_data("DNSKEY", "base64", data).await.refused_with(Some(1004))?;
    }
    Ok(())
}

pub(super) async fn decimals_rounded(scratch: &ScratchName) -> CheckedAssumption {
    let data = json!({
        "lat_degrees": 37, "lat_minutes": 46, "lat_seconds": 46.000_000_000_002_91, "lat_direction": "N",
        "long_degrees": 122, "long_minutes": 23, "long_seconds": 35, "long_direction": "W",
        "altitude": 0, "size": 100, "precision_horz": 0, "precision_vert": 0
    });
    let kept = scratch.with_data("LOC", "loc", data).await.accepted()?;
    expect_member(&kept, "/data/lat_seconds", &json!(46))
}

pub(super) async fn content_missing(scratch: &ScratchName) -> CheckedAssumption {
    scratch
        .create(json!({ "type": "TXT", "name": scratch.below("nothing") }))
        .await
        .refused_with(Some(9100))
}

pub(super) async fn type_unknown(scratch: &ScratchName) -> CheckedAssumption {
    let name = scratch.below("type");
    scratch
        .create(json!({ "type": "NOSUCH", "name": name, "content": "x" }))
        .await
        .refused_with(Some(1004))?;
    scratch.create(json!({ "name": name, "content": "x" })).await.refused_with(Some(9100))
}

pub(super) async fn service_parameters_order(scratch: &ScratchName) -> CheckedAssumption {
    let value = "ipv4hint=\"192.0.2.1\" alpn=\"h2\"";
    let data = json!({ "priority": 1, "target": "www.example.net.", "value": value });
    let kept = scratch.with_data("HTTPS", "parameters", data).await.accepted()?;
    expect_member(&kept, "/data/value", &json!(value))
}
