//! The records of two specs, paired by name and type.
//!
//! Equal values are paired first. Other values with the same purpose (two SPF texts) are paired in
//! their order, so that a changed value is shown as a change.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::outline::{OutlineItem, Pairs, What, allowed};
use crate::facts::Slot;
use crate::{
    Attribute, DesiredRecord, DesiredZone, Gather, Purpose, Rdata, Tombstone, Value, ZoneName,
};

#[derive(Default)]
struct Set<'a> {
    before: Vec<&'a DesiredRecord>,
    after: Vec<&'a DesiredRecord>,
}

/// Returns the items of both specs for their records.
pub(super) fn outline_records(before: Option<&DesiredZone>, after: Option<&DesiredZone>) -> Pairs {
    let mut sets: BTreeMap<String, Set> = BTreeMap::new();
    if let Some(zone) = before {
        for record in &zone.records {
            sets.entry(record_path(&zone.name, record)).or_default().before.push(record);
        }
    }
    if let Some(zone) = after {
        for record in &zone.records {
            sets.entry(record_path(&zone.name, record)).or_default().after.push(record);
        }
    }
    let mut pairs = Pairs::new();
    for (key, set) in sets {
        let is_single = set.before.len().max(set.after.len()) == 1;
        for (before, after) in pair_records(set) {
            // In a set of several records, an unchanged record is identified by its value, and a
            // changed one shows the value as the difference.
            let kept =
                before.zip(after).filter(|(b, a)| !is_single && b.data == a.data).map(|(_, a)| a);
            let path = match kept {
                Some(record) => format!("records[{key} {}]", record.data.presentation()),
                None => format!("records[{key}]"),
            };
            pairs.push((
                path,
                before.map(|r| record_item(r, is_single)),
                after.map(|r| record_item(r, is_single)),
            ));
        }
    }
    let tombstones = |zone: Option<&DesiredZone>| -> BTreeMap<String, OutlineItem> {
        zone.map(|zone| zone.tombstones.iter().map(|t| tombstone(&zone.name, t)).gather())
            .unwrap_or_default()
    };
    let (mut before, after) = (tombstones(before), tombstones(after));
    for (key, said) in after {
        pairs.push((format!("absent[{key}]"), before.remove(&key), Some(said)));
    }
    pairs
        .extend(before.into_iter().map(|(key, said)| (format!("absent[{key}]"), Some(said), None)));
    pairs
}

fn record_path(zone: &ZoneName, record: &DesiredRecord) -> String {
    format!("{} {}", zone.relative(&record.name), record.data.type_name())
}

/// Pairs the earlier with the later records of a set.
fn pair_records(set: Set<'_>) -> Vec<(Option<&DesiredRecord>, Option<&DesiredRecord>)> {
    let Set { mut before, mut after } = set;
    let mut pairs = Vec::new();
    take_pairs(&mut before, &mut after, &mut pairs, |record| Some(&record.data));
    for records in [&mut before, &mut after] {
        records.sort_by_cached_key(|record| record.data.presentation());
    }
    let purpose = |record: &DesiredRecord| {
        Some(record.data.purpose()).filter(|purpose| *purpose != Purpose::Unique)
    };
    let near = |record: &DesiredRecord| Some((purpose(record)?, record.data.pairing_key()));
    take_pairs(&mut before, &mut after, &mut pairs, near);
    take_pairs(&mut before, &mut after, &mut pairs, purpose);
    pairs.extend(before.into_iter().map(|record| (Some(record), None)));
    pairs.extend(after.into_iter().map(|record| (None, Some(record))));
    pairs.sort_by_cached_key(|(before, after)| {
        after.or(*before).map(|record| record.data.presentation())
    });
    pairs
}

/// Pairs records with equal keys, in their order. Records without a partner stay.
fn take_pairs<'a, K: Ord>(
    before: &mut Vec<&'a DesiredRecord>,
    after: &mut Vec<&'a DesiredRecord>,
    pairs: &mut Vec<(Option<&'a DesiredRecord>, Option<&'a DesiredRecord>)>,
    key: impl Fn(&'a DesiredRecord) -> Option<K>,
) {
    let mut unpaired_after: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
    for (n, record) in after.iter().enumerate() {
        if let Some(key) = key(record) {
            unpaired_after.entry(key).or_default().push_back(n);
        }
    }
    let mut is_paired = vec![false; after.len()];
    before.retain(|record| {
        let Some(n) = key(record).and_then(|key| unpaired_after.get_mut(&key)?.pop_front()) else {
            return true;
        };
        is_paired[n] = true;
        pairs.push((Some(*record), Some(after[n])));
        false
    });
    let mut is_paired = is_paired.into_iter();
    after.retain(|_| is_paired.next() == Some(false));
}

/// Returns the item for a record. A record of a larger set has its value in one piece.
fn record_item(record: &DesiredRecord, is_single: bool) -> OutlineItem {
    let DesiredRecord { name: _, data, facets, protect, allow, expires: _, spelling } = record;
    let place = spelling.entry;
    let in_one_piece =
        || [("content".to_owned(), Value::from(data.presentation()))].into_iter().gather();
    let mut parts = if is_single { value_item(data) } else { in_one_piece() };
    let mut words = Vec::new();
    let mut add = |name: &str, value: Value, words_for_it: String| {
        parts.insert(name.to_owned(), value);
        words.push(words_for_it);
    };
    for attribute in facets.attributes() {
        add(attribute.name(), attribute.value(), attribute_in_words(attribute));
    }
    if *protect {
        add("protect", Value::from(true), "protected".to_owned());
    }
    let aside = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
    let mut parts: BTreeMap<String, OutlineItem> =
        parts.into_iter().map(|(name, value)| (name, OutlineItem::value(value, place))).gather();
    if let Some(allow) = allow {
        parts.insert("allow".to_owned(), allowed(allow, place));
    }
    OutlineItem {
        place,
        what: What::Thing { parts, words: Some(format!("{}{aside}", data.presentation())) },
    }
}

/// Describes an attribute with its value.
fn attribute_in_words(attribute: Attribute<'_>) -> String {
    match attribute {
        Attribute::Ttl(ttl) => format!("ttl {ttl}"),
        Attribute::Proxied(true) => "proxied".to_owned(),
        Attribute::Proxied(false) => "DNS only".to_owned(),
        Attribute::Comment(Some(text)) => format!("comment {text:?}"),
        Attribute::Comment(None) => "no comment".to_owned(),
        Attribute::Tags(tags) if tags.is_empty() => "no tags".to_owned(),
        Attribute::Tags(_) => format!("tags {}", attribute.value()),
        Attribute::Setting(name, is_on) => format!("{name} {}", if is_on { "on" } else { "off" }),
    }
}

fn value_item(data: &Rdata) -> BTreeMap<String, Value> {
    let Some(record_type) = data.record_type() else {
        return [("content".to_owned(), Value::from(data.presentation()))].into_iter().gather();
    };
    let fields = data.fields();
    let is_data: BTreeSet<&str> =
        record_type.facts().fields.iter().filter(|f| f.slot == Slot::Data).map(|f| f.name).gather();
    let (mut data, mut parts) = (BTreeMap::new(), BTreeMap::new());
    for (name, value) in fields {
        let into = if is_data.contains(name.as_str()) { &mut data } else { &mut parts };
        into.insert(name, value);
    }
    if !data.is_empty() {
        parts.insert("data".to_owned(), Value::Map(data));
    }
    parts
}

/// Returns the item for a tombstone.
fn tombstone(zone: &ZoneName, tombstone: &Tombstone) -> (String, OutlineItem) {
    let Tombstone { name, record_type, data, expired, protect: _, allow, spelling } = tombstone;
    let value = data.as_ref().map(|data| format!(" {}", data.presentation())).unwrap_or_default();
    let key = format!("{} {}{value}", zone.relative(name), record_type.as_str());
    let place = spelling.entry;
    let allow = allow.as_ref().map(|allow| ("allow".to_owned(), allowed(allow, place)));
    (
        key,
        OutlineItem {
            place,
            what: What::Thing {
                parts: allow.into_iter().gather(),
                words: Some(match expired {
                    Some(day) => format!("its last day was {day}"),
                    None => "state: absent".to_owned(),
                }),
            },
        },
    )
}
