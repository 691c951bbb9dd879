//! An export can be imported again.

use std::collections::BTreeSet;

use proptest::prelude::*;
use zonewright::diagnostic::Sources;
use zonewright::export::{ExportTarget, Exported, export};
use zonewright::import::{GivenZones, SourceKind, from_live, read_text};
use zonewright::model::{DesiredRecord, DesiredZone, LiveZone, Rdata};
use zonewright::spec;

use crate::support::generators::live_zone;

/// Returns the number of zones to try; `EXPORT_CASES` changes it.
fn cases() -> ProptestConfig {
    let cases = std::env::var("EXPORT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(96);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Returns the parts of a record that both formats can express. Equal values count as one, even if
/// they are cut into different strings.
fn said(record: &DesiredRecord) -> (String, Rdata, String) {
    let facets = &record.facets;
    let comment = facets
        .comment
        .as_ref()
        .and_then(|comment| comment.text())
        .unwrap_or_default()
        .trim()
        .to_owned();
    let tags: BTreeSet<_> =
        facets.tags.iter().flatten().map(|tag| tag.as_str().to_owned()).collect();
    let said = format!("{:?} {:?} {comment} {tags:?}", facets.ttl, facets.proxied);
    (record.name.to_string(), record.data.clone(), said)
}

/// Returns a record without its other attributes.
fn value(record: &DesiredRecord) -> (String, Rdata) {
    (record.name.to_string(), record.data.clone())
}

/// Exports a zone and imports the result.
fn there_and_back(
    live: &LiveZone,
    target: ExportTarget,
    kind: SourceKind,
) -> (DesiredZone, Exported, DesiredZone) {
    let mut zone = from_live(live).zone;
    // The name servers of the zone itself are Cloudflare's, and left out of every import.
    let apex = zone.name.as_fqdn().clone();
    // So is an alias of itself, which no spec can have.
    zone.records.retain(|record| record.name != apex || record.data.type_name() != "NS");
    zone.records.retain(|record| !record.data.is_alias_of(&record.name));
    let exported = export(&zone, &[], target);
    let name = target.file_name(&zone);
    let mut found = read_text(&name, exported.text.clone(), kind, &GivenZones::default());
    let mut back = found.take_imported();
    assert_eq!(back.len(), 1, "{:?}\n{}", found.diagnostics, exported.text);
    (zone, exported, back.remove(0).zone)
}

/// Returns the records of one zone that another has, by a key.
fn shared<K: Ord>(zone: &DesiredZone, other: &DesiredZone, key: fn(&DesiredRecord) -> K) -> usize {
    let known: BTreeSet<K> = other.records.iter().map(key).collect();
    zone.records.iter().filter(|record| known.contains(&key(record))).count()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn zone_files_come_back(live in live_zone()) {
        let (zone, exported, back) = there_and_back(&live, ExportTarget::Bind, SourceKind::Bind);
        prop_assert_eq!(back.records.len(), exported.records, "{}", exported.text);
        prop_assert_eq!(shared(&back, &zone, said), back.records.len(), "{}\n{:?}\n{:?}", exported.text, zone.records, back.records);
        let named = exported.left_out.iter().filter(|words| words.contains("zone file")).count();
        prop_assert_eq!(zone.records.len(), exported.records + named, "{:?}", exported.left_out);
    }

    #[test]
    fn octodns_comes_back(live in live_zone()) {
        let (zone, exported, back) = there_and_back(&live, ExportTarget::Octodns, SourceKind::Octodns);
        prop_assert_eq!(back.records.len(), exported.records, "{}", exported.text);
        prop_assert_eq!(shared(&back, &zone, value), back.records.len(), "{}\n{:?}", exported.text, exported.left_out);
        if !exported.left_out.iter().any(|words| words.contains("for all values")) {
            prop_assert_eq!(shared(&back, &zone, said), back.records.len(), "{}", exported.text);
        }
    }
}

/// octoDNS takes every name as one below the zone, also a name that ends with the zone's:
/// `example.com` there is a spec's `example.com.example.com`, and the apex is the empty name.
#[test]
fn names_that_end_with_the_zone_come_back() {
    let text = "version: 1\nzones:\n  example.com:\n    records:\n      - { name: example.com, type: A, content: 192.0.2.1 }\n      \
                - { name: example.com.example.com, type: A, content: 192.0.2.2 }\n      \
                - { name: www.example.com.example.com, type: A, content: 192.0.2.3 }\n";
    let mut sources = Sources::default();
    let outcome =
        spec::load(&[spec::Input::Stdin(text.to_owned())], &spec::Options::default(), &mut sources);
    let zone = outcome.desired.unwrap().zones.into_values().next().unwrap();
    for (target, kind) in
        [(ExportTarget::Octodns, SourceKind::Octodns), (ExportTarget::Bind, SourceKind::Bind)]
    {
        let exported = export(&zone, &[], target);
        if target == ExportTarget::Octodns {
            let keys: Vec<&str> = exported
                .text
                .lines()
                .filter(|line| !line.starts_with(' '))
                .filter_map(|line| line.strip_suffix(':'))
                .collect();
            assert_eq!(keys, ["''", "example.com", "www.example.com"], "{}", exported.text);
        }
        let mut found = read_text(
            &target.file_name(&zone),
            exported.text.clone(),
            kind,
            &GivenZones::default(),
        );
        let back = found.take_imported().remove(0).zone;
        let names = |zone: &DesiredZone| zone.records.iter().map(value).collect::<BTreeSet<_>>();
        assert_eq!(names(&back), names(&zone), "{}", exported.text);
    }
}
