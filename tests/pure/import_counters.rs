//! Each entry of a source is imported, or named with the reason. The counters here share no code
//! with the importers: every generated entry has a marker of its own, which is looked for in the
//! spec and in the findings.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use zonewright::import::{GivenZones, ImportResult, SourceKind, read_text};

/// Returns the number of sources to try; `IMPORT_CASES` changes it.
fn cases() -> ProptestConfig {
    let cases = std::env::var("IMPORT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(128);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Returns names of the records in the spec, those that must not exist included.
fn names_in_spec(found: &mut ImportResult) -> Vec<String> {
    let zones = found.take_imported();
    let present = zones
        .iter()
        .flat_map(|imported| &imported.zone.records)
        .map(|record| record.name.to_string());
    let absent = zones
        .iter()
        .flat_map(|imported| &imported.zone.tombstones)
        .map(|stone| stone.name.to_string());
    present.chain(absent).collect()
}

/// Texts of all findings.
fn findings(found: &ImportResult) -> Vec<String> {
    found.diagnostics.iter().map(|diagnostic| diagnostic.detail.clone()).collect()
}

/// Returns the number of entries of every kind, by the tally.
fn tallied(found: &ImportResult) -> usize {
    found.tally.values().map(|tally| tally.all).sum()
}

/// Returns a record of DNSControl. `MARKER` stands for the label.
fn dnscontrol_record() -> impl Strategy<Value = Value> {
    let plain = select(vec![
        json!({ "type": "A", "target": "192.0.2.1", "ttl": 300 }),
        json!({ "type": "A", "target": "192.0.2.1", "ttl": 5, "meta": { "cloudflare_proxy": "on" } }),
        json!({ "type": "A", "target": "192.0.2.1", "meta": { "cloudflare_proxy": "maybe" } }),
        json!({ "type": "AAAA", "target": "192.0.2.1" }),
        json!({ "type": "CNAME", "target": "a.b" }),
        json!({ "type": "CNAME", "target": "host" }),
        json!({ "type": "MX", "target": "mx.example.net.", "mxpreference": "ten" }),
        json!({ "type": "MX", "target": "mx.example.net.", "mxpreference": 10 }),
        json!({ "type": "TXT", "target": "x", "meta": { "cloudflare_proxy": "on" } }),
        json!({ "type": "TXT", "txtstrings": ["a", 7] }),
        json!({ "type": "CF_REDIRECT", "target": "a,b" }),
        json!({ "type": "R53_ALIAS", "target": "a" }),
        json!({ "type": "A", "target": ["192.0.2.1"] }),
        json!({ "target": "192.0.2.1" }),
        json!({ "type": "A", "target": "192.0.2.9", "ensure_absent": true }),
    ]);
    plain.prop_map(|mut record| {
        record["name"] = json!("MARKER");
        record
    })
}

/// Returns a domain of DNSControl.
fn dnscontrol_domain() -> impl Strategy<Value = Value> {
    let providers = select(vec![
        json!({ "cf": -1 }),
        json!({ "r53": -1 }),
        json!({}),
        json!({ "cf": 0, "r53": -1 }),
    ]);
    let records = || vec(dnscontrol_record(), 0..6);
    (
        providers,
        records(),
        records(),
        vec(Just(json!({ "type": "A", "args": ["MARKER", "192.0.2.1"] })), 0..2),
        0..3_usize,
    )
        .prop_map(|(providers, records, absent, arguments, others)| {
            let servers = vec![json!({ "name": "ns.example.net" }); others];
            let patterns = vec![json!({ "label_pattern": "x" }); others];
            json!({ "dnsProviders": providers, "records": records, "recordsabsent": absent, "rawrecords": arguments,
                    "nameservers": servers, "unmanaged": patterns })
        })
}

/// Replaces each marker by one of its own, `m0`, `m1` and so on.
fn with_markers(text: &str) -> (String, usize) {
    let mut parts = text.split("MARKER");
    let mut out = parts.next().unwrap_or_default().to_owned();
    let mut markers = 0;
    for part in parts {
        out.push_str(&format!("m{markers}m{part}"));
        markers += 1;
    }
    (out, markers)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn each_entry_of_dnscontrol_is_imported_or_named(mut domains in vec(dnscontrol_domain(), 1..4)) {
        for (n, domain) in domains.iter_mut().enumerate() {
            domain["name"] = json!(format!("zone{n}.example"));
        }
        let providers = json!([{ "name": "cf", "type": "CLOUDFLAREAPI" }, { "name": "r53", "type": "ROUTE53" }]);
        let document = json!({ "dns_providers": providers, "domains": domains });
        let (text, markers) = with_markers(&document.to_string());
        let mut found = read_text("ir.json", text.clone(), SourceKind::Dnscontrol, &GivenZones::default());
        let (names, said) = (names_in_spec(&mut found), findings(&found));
        let document: Value = serde_json::from_str(&text).unwrap();
        let mut expected = 0;
        let mut seen = 0;
        for domain in document["domains"].as_array().unwrap() {
            let count = |member: &str| domain[member].as_array().unwrap().len();
            let name = domain["name"].as_str().unwrap();
            let records = count("records") + count("recordsabsent") + count("rawrecords");
            expected += 1 + records;
            if domain["dnsProviders"].get("cf").is_none() {
                seen += records;
                let noun = if records == 1 { "record" } else { "records" };
                let words = format!("{name}: it");
                let is_named = |said: &&String| said.starts_with(&words) && said.contains(&format!("{records} {noun}"));
                prop_assert_eq!(said.iter().filter(is_named).count(), 1, "{} {}\n{:#?}", name, records, said);
                continue;
            }
            expected += count("nameservers") + count("unmanaged");
            for member in ["records", "recordsabsent", "rawrecords"] {
                for entry in domain[member].as_array().unwrap() {
                    seen += 1;
                    let marker = entry["name"].as_str().or_else(|| entry["args"][0].as_str()).unwrap();
                    let in_spec = names.iter().filter(|name| name.starts_with(&format!("{marker}."))).count();
                    let is_named = said.iter().any(|said| said.contains(marker));
                    prop_assert!(in_spec == 1 || is_named, "{}\n{}\n{:#?}", marker, entry, said);
                    prop_assert!(in_spec <= 1, "{}", marker);
                }
            }
        }
        prop_assert_eq!(seen, markers);
        prop_assert_eq!(tallied(&found), expected, "{:#?}\n{}", found.tally, text);
        let imported: usize = ["record", "absent record"]
            .iter()
            .filter_map(|kind| found.tally.get(*kind))
            .map(|tally| tally.imported + tally.in_part)
            .sum();
        prop_assert_eq!(imported, names.len(), "{:#?}", found.tally);
    }

    #[test]
    fn each_line_of_a_zone_file_is_imported_or_named(
        lines in vec(zone_file_line(), 1..40),
        directives in vec(select(vec!["$TTL 600", "$ORIGIN sub", "$ORIGIN example.com.", "; comment", "", ";; A Records"]), 0..8),
    ) {
        let mut text = String::from("$ORIGIN example.com.\n$TTL 300\n@ IN SOA ns1 host 1 2 3 4 5\n");
        let mut records = 1;
        for (n, line) in lines.iter().enumerate() {
            if let Some(directive) = directives.get(n / 2).filter(|_| n % 2 == 0) {
                text.push_str(directive);
                text.push('\n');
            }
            text.push_str(line);
            text.push('\n');
            records += 1;
        }
        let (text, _) = with_markers(&text);
        let mut found = read_text("example.com.zone", text.clone(), SourceKind::Bind, &GivenZones::default());
        let names = names_in_spec(&mut found);
        let places: Vec<u32> = found
            .diagnostics
            .iter()
            .filter_map(|diagnostic| diagnostic.primary.as_ref())
            .map(|label| label.place.span.start)
            .collect();
        let said = findings(&found).join("\n");
        let mut at = 0_u32;
        for line in text.lines() {
            let end = at + u32::try_from(line.len()).unwrap() + 1;
            let marker = line.split(['m', '.', ' ', '\t']).nth(1).filter(|_| line.starts_with('m'));
            if let Some(marker) = marker {
                let prefix = format!("m{marker}m.");
                let in_spec = names.iter().filter(|name| name.starts_with(&prefix)).count();
                let is_named = places.iter().any(|place| (at..end).contains(place));
                let is_made = line.contains("RRSIG") && said.contains("RRSIG record");
                prop_assert!(in_spec == 1 || is_named || is_made, "{}\n{}\n{}", line, text, said);
            }
            at = end;
        }
        // Records that a name server makes are named with their number, and are not missing in the
        // spec.
        let made: usize = ["SOA", "RRSIG"]
            .iter()
            .filter_map(|kind| said.split(&format!(" {kind} record")).next()?.rsplit(' ').next()?.parse::<usize>().ok())
            .sum();
        prop_assert_eq!(tallied(&found) + made, records, "{:#?}\n{}\n{}", found.tally, text, said);
        let imported = found.tally.get("record").map_or(0, |tally| tally.imported + tally.in_part);
        prop_assert_eq!(imported, names.len(), "{}\n{}", text, said);
    }
}

/// Returns a line of a zone file with one record. `MARKER` stands for the owner.
fn zone_file_line() -> impl Strategy<Value = String> {
    let owner = select(vec!["MARKER", "MARKER.example.com.", "MARKER.example.net.", "MARKER"]);
    let head = select(vec![" 300 IN ", " IN 300 ", "\t", " 1h ", " CH ", " IN "]);
    let value = select(vec![
        "A 192.0.2.1",
        "A 192.0.2.1 ; a remark",
        "A 192.0.2.1 ; c cf_tags=cf-proxied:true",
        "A 192.0.2",
        "CNAME host",
        "MX 10 mx",
        "MX mx",
        "TXT ( \"a\" \"b\" )",
        "TXT \"a; b\"",
        "TYPE65534 \\# 0",
        "RRSIG A 13 2 300 20300101000000 20200101000000 1 example.com. AAAA",
        "NS ns.example.net.",
        "SRV 1 2 3",
        "",
    ]);
    (owner, head, value).prop_map(|(owner, head, value)| format!("{owner}{head}{value}"))
}
