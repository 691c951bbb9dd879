//! Cloudflare's own spelling of a record is stored if this program would write another one, and
//! only then.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use zonewright::model::{Facets, Rdata, RecordForm, RecordType, Tag};
use zonewright::wire::record::{create_body, read_record};

use crate::support::generators::{respelled, stored, zone_name};

/// Returns a live record of a type.
fn record(record_type: RecordType, text: &str) -> zonewright::model::LiveRecord {
    let tags = ["a:1", "b:2"].map(|tag| Tag::parse(tag).unwrap());
    let form = RecordForm {
        name: zone_name().resolve("www").unwrap(),
        data: Rdata::from_text(record_type, text).unwrap(),
        facets: Facets { tags: Some(BTreeSet::from(tags)), ..Facets::default() },
        reported: Default::default(),
    };
    stored(1, &form)
}

/// Returns the members of a value, a name and tags.
fn spelled(body: &Value) -> [&Value; 4] {
    ["name", "content", "data", "tags"].map(|member| &body[member])
}

#[test]
fn every_type_is_written_as_it_was_reported() {
    let mut respelled_types = BTreeSet::new();
    for record_type in RecordType::ALL.iter().copied() {
        for example in record_type.facts().examples {
            let plain = record(record_type, example);
            let mut answer = create_body(&plain.form());
            answer["id"] = json!("1");
            assert!(
                read_record(&answer).unwrap().reported.is_plain(),
                "{record_type} {example}: nothing is kept of it"
            );
            for turn in 0..5 {
                let (other, answer) = respelled(&plain, turn);
                assert!(!other.reported.is_plain(), "{record_type} {answer}");
                assert_eq!(other, plain, "it is the same record");
                assert_eq!(spelled(&create_body(&other.form())), spelled(&answer), "{record_type}");
                let own = create_body(&other.form().in_own_spelling());
                assert_eq!(spelled(&own), spelled(&create_body(&plain.form())), "{record_type}");
                if own["content"] != answer["content"] || own["data"] != answer["data"] {
                    respelled_types.insert(record_type);
                }
            }
        }
    }
    // Base64 and IPv4 addresses have one spelling.
    let single =
        ["A", "DNSKEY", "CERT", "OPENPGPKEY", "URI"].map(|name| RecordType::parse(name).unwrap());
    let missing: Vec<_> = RecordType::ALL
        .iter()
        .filter(|t| !respelled_types.contains(t) && !single.contains(t))
        .collect();
    assert!(missing.is_empty(), "{missing:?} were not written otherwise");
}

#[test]
fn another_name_is_not_a_spelling() {
    let name = |written: &str| {
        let answer = json!({ "id": "1", "type": "A", "name": written, "content": "192.0.2.1" });
        create_body(&read_record(&answer).unwrap().form())["name"].clone()
    };
    assert_eq!(name("WWW.example.com"), "WWW.example.com");
    assert_eq!(name("www.example.com."), "www.example.com");
    assert_eq!(name("bücher.example.com"), "xn--bcher-kva.example.com");
}
