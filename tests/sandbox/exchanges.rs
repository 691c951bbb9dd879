//! Recorded and documented exchanges with Cloudflare: the response to a create never differs from
//! the request in a plan.
//!
//! `ZONEWRIGHT_SERVICE_EXAMPLES` names the folder of JSON files; without it this is skipped. That
//! the sandbox gives the same responses is tested in tests/sandbox/contract.rs.

use std::io::Write;
use std::path::PathBuf;

use crate::support::generators::{desired_record, empty_desired, empty_live};
use serde_json::Value as Json;
use zonewright::model::{Comment, Facets, RecordForm, Ttl};
use zonewright::plan::plan_zone;
use zonewright::wire::record::read_record;

/// Returns the folder, or a message that it is missing.
fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("ZONEWRIGHT_SERVICE_EXAMPLES").map(PathBuf::from);
    if folder.is_none() {
        let mut stderr = std::io::stderr();
        writeln!(stderr, "SKIPPED: exchanges; ZONEWRIGHT_SERVICE_EXAMPLES names no folder of them")
            .expect("stderr is open");
    }
    folder
}

/// Returns the request as a spec would express it.
fn wanted(body: &Json) -> Option<RecordForm> {
    // A request has the form of a response without the id; its names are relative.
    let mut body = body.clone();
    body["id"] = "asked".into();
    let record = read_record(&body).ok().filter(|r| r.data.record_type().is_some())?;
    let name = match body["name"].as_str()? {
        "@" => "example.com".to_owned(),
        name if name.ends_with("example.com") => name.to_owned(),
        name => format!("{name}.example.com"),
    };
    let facets = Facets {
        ttl: body.get("ttl").and_then(Json::as_u64).and_then(|n| Ttl::seconds(n).ok()),
        proxied: body.get("proxied").and_then(Json::as_bool),
        comment: body.get("comment").and_then(Json::as_str).map(|c| Comment::Set(c.to_owned())),
        ..Facets::default()
    };
    Some(RecordForm {
        name: zonewright::model::Fqdn::reported(&name),
        data: record.data,
        facets,
        reported: record.reported,
    })
}

#[test]
fn answers_are_never_differences() {
    let Some(folder) = folder() else { return };
    let mut checked = 0;
    let files = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|e| e.expect("it can be read").path());
    for path in
        files.filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("record")))
    {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let document: Json = serde_json::from_str(&text).expect("the file is JSON");
        let mut asked: Option<RecordForm> = None;
        for exchange in document["exchanges"].as_array().into_iter().flatten() {
            let (request, answer) = (&exchange["request"], &exchange["response"]["body"]["result"]);
            if exchange["response"]["status"] != 200
                || !answer.is_object()
                || answer.get("type").is_none()
            {
                continue;
            }
            let place = format!("{}: {}", path.display(), exchange["name"]);
            let live = read_record(answer).unwrap_or_else(|e| panic!("{place}: {e}"));
            assert!(live.data.record_type().is_some(), "{place}: not understood");
            if request["method"] == "POST" {
                asked = wanted(&request["body"]);
                assert!(asked.is_some(), "{place}: the request is not understood");
            }
            // A read may return the record in the format of another year.
            let Some(form) = asked
                .as_ref()
                .filter(|f| f.name == live.name && f.data.record_type() == live.data.record_type())
            else {
                continue;
            };
            let (mut desired, mut zone) = (empty_desired(), empty_live());
            desired.records.push(desired_record(form));
            zone.records.push(live);
            let (plan, diagnostics) = plan_zone(&desired, &zone);
            assert!(
                plan.is_empty() && !diagnostics.has_errors(),
                "{place}: {:?} {diagnostics:?}",
                plan.operations
            );
            checked += 1;
        }
    }
    println!("{checked} answers");
    assert!(checked >= 40, "only {checked} answers were checked");
}
