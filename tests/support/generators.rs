//! Random records and zones for property tests.
//!
//! Names and values come from small pools, so that sets, conflicts, swaps and duplicates are
//! common.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use zonewright::diagnostic::{Place, Sources, Span};
use zonewright::model::{
    AsReported, Comment, DesiredRecord, DesiredZone, Facets, Fqdn, LiveRecord, LiveZone, Rdata,
    RecordForm, RecordId, RecordType, Settings, Spelling, Tag, Tier, Tombstone, Ttl, Unmanaged,
    ZoneId, ZoneName,
};

use super::spellings::spellings;
use serde_json::Value as Json;
use zonewright::wire::record::{create_body, read_record};

/// Returns the zone of all generated records.
pub(crate) fn zone_name() -> ZoneName {
    ZoneName::parse("example.com").expect("it is a zone name")
}

/// Returns a span, which nothing reads.
pub(crate) fn place() -> Place {
    let source = Sources::default().add("generated", "");
    Place { source, span: Span::default() }
}

/// Generates presentation texts of one type.
pub(crate) fn presentation(record_type: RecordType) -> impl Strategy<Value = String> {
    spellings(record_type).prop_map(|(text, _)| text)
}

/// Returns a value of any type in two spellings.
pub(crate) fn two_spellings() -> impl Strategy<Value = (RecordType, String, String)> {
    proptest::sample::select(RecordType::ALL)
        .prop_flat_map(|t| spellings(t).prop_map(move |(one, other)| (t, one, other)))
}

/// Returns a record value of any type.
pub(crate) fn rdata() -> impl Strategy<Value = Rdata> {
    proptest::sample::select(RecordType::ALL)
        .prop_flat_map(|t| presentation(t).prop_map(move |text| (t, text)))
        .prop_map(|(t, text)| {
            Rdata::from_text(t, &text).unwrap_or_else(|e| panic!("{t} {text}: {e}"))
        })
}

/// Returns a name in the zone.
fn name() -> impl Strategy<Value = Fqdn> {
    prop_oneof![Just("@"), Just("www"), Just("a.b"), Just("*"), Just("_x")]
        .prop_map(|text| zone_name().resolve(text).expect("it is a name"))
}

/// Returns the attributes of a record, as far as the type allows them.
fn facets() -> impl Strategy<Value = Facets> {
    let ttl =
        prop_oneof![Just(1u64), 60u64..90].prop_map(|n| Ttl::seconds(n).expect("it is a ttl"));
    let comment = prop_oneof![Just(Comment::Clear), "[a-c ]{1,3}".prop_map(Comment::Set)];
    let tags = proptest::collection::btree_set(
        "[a-c]:[a-c]".prop_map(|t| Tag::parse(&t).expect("it is a tag")),
        0..3,
    );
    (
        option::of(ttl),
        option::of(any::<bool>()),
        option::of(comment),
        option::of(tags),
        option::of(any::<bool>()),
    )
        .prop_map(|(ttl, proxied, comment, tags, flatten)| Facets {
            ttl,
            proxied,
            comment,
            tags,
            settings: Settings { flatten_cname: flatten, ..Settings::default() },
        })
}

/// Attributes that the type allows.
fn fitting(data: &Rdata, mut facets: Facets) -> Facets {
    let record_type = data.record_type().expect("generated values are understood");
    if !record_type.facts().proxiable {
        facets.proxied = None;
    }
    if record_type != RecordType::Cname {
        facets.settings = Settings::default();
    }
    facets
}

/// Drops records that cannot share a name, as Cloudflare and the spec do.
fn consistent<T>(records: Vec<T>, key: impl Fn(&T) -> (&Fqdn, &Rdata)) -> Vec<T> {
    let mut types: BTreeMap<Fqdn, BTreeSet<RecordType>> = BTreeMap::new();
    let mut values = BTreeSet::new();
    let keep: Vec<bool> = records
        .iter()
        .map(|record| {
            let (name, data) = key(record);
            let own = data.record_type().expect("generated values are understood");
            let there = types.entry(name.clone()).or_default();
            let fits =
                !there.iter().any(|t| t.excludes_at(own, false) || (*t == own && own.is_single()));
            let new = fits && values.insert((name.clone(), data.clone()));
            if new {
                there.insert(own);
            }
            new
        })
        .collect();
    records.into_iter().zip(keep).filter_map(|(r, k)| k.then_some(r)).collect()
}

/// Returns the record that Cloudflare would hold after creating `form`.
pub(crate) fn stored(id: usize, form: &RecordForm) -> LiveRecord {
    let RecordForm {
        name,
        data,
        facets: Facets { ttl, proxied, comment, tags, settings },
        reported,
    } = form.clone();
    let proxied = proxied.unwrap_or(false);
    LiveRecord {
        id: RecordId(format!("{id:032x}")),
        name,
        data,
        ttl: if proxied { Ttl::AUTOMATIC } else { ttl.unwrap_or(Ttl::AUTOMATIC) },
        proxied,
        comment: comment.and_then(|c| c.text().map(str::to_owned)),
        tags: tags.unwrap_or_default(),
        settings,
        read_only: None,
        modified_on: None,
        reported,
    }
}

/// Returns the spellings of a text that a response may have instead.
fn respellings(text: &str) -> Vec<String> {
    let swapped = text.chars().map(|c| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    });
    let reversed: Vec<&str> = text.split(' ').rev().collect();
    let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let other = match text {
        "N" => "S",
        "S" => "N",
        "E" => "W",
        _ => "E",
    };
    let mut all =
        vec![reversed.join(" "), text.to_ascii_uppercase(), swapped.collect(), other.to_owned()];
    all.extend(bare.map(str::to_owned));
    all
}

/// Returns a record in another spelling that Cloudflare may use, chosen by a number: the same value
/// in another case or order, with the members of its response.
pub(crate) fn respelled(record: &LiveRecord, turn: usize) -> (LiveRecord, Json) {
    let mut answer = create_body(&record.form());
    answer["id"] = record.id.0.as_str().into();
    let is_same = |answer: &Json| {
        read_record(answer)
            .is_ok_and(|read| (&read.name, &read.data) == (&record.name, &record.data))
    };
    let mut paths = vec!["/name".to_owned(), "/content".to_owned()];
    paths.extend(
        answer["data"]
            .as_object()
            .into_iter()
            .flat_map(|data| data.keys().map(|name| format!("/data/{name}"))),
    );
    for (n, path) in paths.iter().enumerate() {
        let Some(text) = answer.pointer(path).and_then(Json::as_str).map(str::to_owned) else {
            continue;
        };
        let mut others = respellings(&text);
        let count = others.len();
        others.rotate_left((turn + n) % count);
        for other in others {
            let mut changed = answer.clone();
            *changed.pointer_mut(path).expect("it is there") = other.into();
            if is_same(&changed) {
                answer = changed;
                break;
            }
        }
    }
    if let Some(tags) = answer["tags"].as_array_mut() {
        tags.reverse();
        if let Some(first) = tags.first_mut() {
            let (name, value) = first
                .as_str()
                .and_then(|tag| tag.split_once(':'))
                .expect("it is a tag with a value");
            *first = format!("{}:{value}", name.to_uppercase()).into();
        }
    }
    let reported = read_record(&answer).expect("it is a record").reported;
    (LiveRecord { reported, ..record.clone() }, answer)
}

/// Returns a live zone without records.
pub(crate) fn empty_live() -> LiveZone {
    LiveZone { tier: Tier::Enterprise, ..LiveZone::new(zone_name(), ZoneId("f".repeat(32))) }
}

/// Returns a spec of the zone that names no records.
pub(crate) fn empty_desired() -> DesiredZone {
    DesiredZone::new(zone_name(), place())
}

/// Returns a record of a spec.
pub(crate) fn desired_record(form: &RecordForm) -> DesiredRecord {
    let RecordForm { name, data, facets, reported } = form.clone();
    DesiredRecord {
        name,
        data,
        facets,
        protect: false,
        allow: None,
        expires: None,
        spelling: Spelling { name: "x".into(), place: place(), entry: place(), reported },
    }
}

/// Returns a live zone.
pub(crate) fn live_zone() -> impl Strategy<Value = LiveZone> {
    vec((name(), rdata(), facets()), 0..14).prop_map(|records| {
        let records = consistent(records, |(name, data, _)| (name, data));
        let stored = records.into_iter().enumerate().map(|(n, (name, data, facets))| {
            let facets = fitting(&data, facets);
            stored(n, &RecordForm { name, data, facets, reported: AsReported::default() })
        });
        LiveZone { records: stored.collect(), ..empty_live() }
    })
}

/// Returns what a spec wants of the zone.
pub(crate) fn desired_zone() -> impl Strategy<Value = DesiredZone> {
    let records = vec((name(), rdata(), facets()), 0..14);
    let tombstones = vec((name(), rdata(), any::<bool>()), 0..3);
    (records, tombstones, any::<bool>()).prop_map(|(records, tombstones, prune)| {
        let spelling = Spelling {
            name: "x".into(),
            place: place(),
            entry: place(),
            reported: AsReported::default(),
        };
        let records: Vec<_> = consistent(records, |(name, data, _)| (name, data))
            .into_iter()
            .map(|(name, data, facets)| {
                let facets = fitting(&data, facets);
                DesiredRecord {
                    name,
                    data,
                    facets,
                    protect: false,
                    allow: None,
                    expires: None,
                    spelling: spelling.clone(),
                }
            })
            .collect();
        let contradicts = |name: &Fqdn, data: &Rdata| {
            records.iter().any(|r| r.name == *name && r.data.record_type() == data.record_type())
        };
        let tombstones = tombstones
            .into_iter()
            .filter(|(name, data, _)| !contradicts(name, data))
            .map(|(name, data, all)| Tombstone {
                allow: None,
                expired: None,
                protect: false,
                name,
                record_type: data.record_type().expect("generated values are understood"),
                data: (!all).then_some(data),
                spelling: spelling.clone(),
            })
            .collect();
        DesiredZone {
            unmanaged: if prune { Unmanaged::Prune } else { Unmanaged::Keep },
            records,
            tombstones,
            ..DesiredZone::new(zone_name(), place())
        }
    })
}
