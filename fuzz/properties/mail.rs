//! TXT and CAA records, as mail and certificate authorities read them.

use zonewright::insight::dns::{Entry, RecordEdit, Serving, ZoneIndex};
use zonewright::insight::mail::dkim::{self, Selector};
use zonewright::insight::mail::dmarc::{Dmarc, is_dmarc};
use zonewright::insight::mail::mta_sts_tls_reporting::{Announcement, mta_sts, tls_reporting};
use zonewright::insight::mail::spf::{Mechanism, Spf, is_spf};
use zonewright::insight::{OtherZones, effects};
use zonewright::model::{Fqdn, Rdata, RecordType, Settings, Ttl, ZoneName};

/// The allowed length of a message: a fixed number of bytes, plus this number for each byte of the
/// record.
const MESSAGE: usize = 1024;

/// Asserts that a message is not much longer than the record.
fn bounded(message: &str, text: &[u8]) {
    assert!(message.len() <= MESSAGE + 8 * text.len(), "{message}");
}

/// Properties of an SPF record.
pub fn spf(data: &[u8]) {
    let parsed = Spf::parse(data);
    assert_eq!(parsed, Spf::parse(data));
    let record = match parsed {
        Ok(record) => record,
        Err(why) => return bounded(&why, data),
    };
    // Other texts at the name are not SPF records and are not parsed as such.
    assert!(is_spf(data), "{data:?}");
    let text = std::str::from_utf8(data).expect("a record is text");
    let words = text.split(' ').filter(|word| !word.is_empty()).count();
    assert!(record.directives.len() + record.unknown.len() < words.max(1), "{record:?}");
    // Terms are separated by any number of spaces (RFC 7208 section 4.6.1), and unknown modifiers
    // change nothing (section 6).
    assert_eq!(Spf::parse(text.replace(' ', "  ").as_bytes()).as_ref(), Ok(&record), "{text:?}");
    let more = Spf::parse(format!("{text} x-unknown=1").as_bytes())
        .expect("an unknown modifier is allowed");
    assert_eq!((&more.directives, &more.redirect), (&record.directives, &record.redirect));
    assert_eq!(more.unknown.len(), record.unknown.len() + 1);
    // Later terms than the first `all` are unreachable, and an invalid term is an error.
    let reachable = record.reachable();
    assert!(reachable.iter().rev().skip(1).all(|directive| directive.mechanism != Mechanism::All));
    assert_eq!(reachable, &record.directives[..reachable.len()]);
    assert!(record.otherwise().is_some() || record.redirect.is_some());
    Spf::parse(format!("{text} no-such-mechanism").as_bytes())
        .expect_err("an unknown mechanism is an error");
}

/// Properties of the text at a DKIM selector.
pub fn dkim(data: &[u8]) {
    let selector = dkim::parse_selector(data);
    assert_eq!(selector, dkim::parse_selector(data));
    let key = match &selector {
        Selector::Broken(why) => return bounded(why, data),
        Selector::Revoked => {
            assert!(!selector.is_usable());
            return;
        }
        Selector::Key(key) => key,
        Selector::Missing | Selector::Several | Selector::Alias(_) => {
            panic!("a text is none of {selector:?}")
        }
    };
    let text = std::str::from_utf8(data).expect("a key is text");
    assert!(key.octets.len() <= text.len(), "{key:?}");
    // Unknown tags are ignored (RFC 6376 section 3.2); a tag that occurs twice makes the list void.
    let end = text.trim_end().trim_end_matches(';');
    if !text.contains("zz9") {
        assert_eq!(dkim::parse_selector(format!("{end}; zz9=1").as_bytes()), selector, "{text:?}");
    }
    assert!(
        matches!(dkim::parse_selector(format!("{end}; p=").as_bytes()), Selector::Broken(_)),
        "{text:?}"
    );
}

/// Properties of a DMARC record.
pub fn dmarc(data: &[u8]) {
    let parsed = Dmarc::parse(data);
    assert_eq!(parsed, Dmarc::parse(data));
    let record = match parsed {
        Ok(record) => record,
        Err(why) => return bounded(&why, data),
    };
    assert!(is_dmarc(data), "{data:?}");
    let text = std::str::from_utf8(data).expect("a record is text");
    let end = text.trim_end().trim_end_matches(';');
    if !text.contains("zz9") {
        assert_eq!(
            Dmarc::parse(format!("{end}; zz9=1").as_bytes()).as_ref(),
            Ok(&record),
            "{text:?}"
        );
    }
    // Test mode never makes a policy stricter (RFC 9989 section 4.7), and reports are still sent.
    if !record.is_test && !text.contains('t') {
        let tested = Dmarc::parse(format!("{end}; t=y").as_bytes()).expect("a tag more");
        assert!(tested.domain() <= record.domain() && tested.subdomains() <= record.subdomains());
        assert_eq!(tested.reports, record.reports);
    }
    Dmarc::parse(format!("{end}; v=DMARC1").as_bytes())
        .expect_err("a tag that occurs twice is an error");
}

/// Properties of the texts at `_mta-sts` and `_smtp._tls`, one per line.
pub fn transport(data: &[u8]) {
    let texts: Vec<&[u8]> = data.split(|byte| *byte == b'\n').collect();
    for read in [mta_sts, tls_reporting] {
        let found = read(&texts);
        let reversed: Vec<&[u8]> = texts.iter().rev().copied().collect();
        assert_eq!(found, read(&reversed), "the order of texts means nothing");
        match &found {
            Announcement::Missing => {}
            Announcement::Void(why) => bounded(why, data),
            Announcement::Valid(value) => {
                let text = String::from_utf8_lossy(data);
                assert!(value.split(", ").all(|part| text.contains(part)), "{value}");
            }
        }
        // Two records have the same effect as none (RFC 8461 section 3.1, RFC 8460 section 3).
        if found != Announcement::Missing {
            assert!(matches!(read(&[&texts[..], &texts[..]].concat()), Announcement::Void(_)));
        }
    }
}

/// Properties of CAA records before and after a change, one per line, separated by an empty line.
pub fn caa(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (before, after) = text.split_once("\n\n").unwrap_or((&text, ""));
    let values = |text: &str| -> Vec<Rdata> {
        let all =
            text.lines().take(6).filter_map(|line| Rdata::from_text(RecordType::Caa, line).ok());
        let mut all: Vec<Rdata> = all.collect();
        all.sort();
        all.dedup();
        all
    };
    let (before, after) = (values(before), values(after));
    let zone = ZoneName::parse("example.com").expect("a zone");
    let lines = |before: &[Rdata], after: &[Rdata]| -> Vec<String> {
        let gone = before.iter().map(|data| RecordEdit {
            zone: &zone,
            before: Some(entry(zone.as_fqdn(), data)),
            after: None,
        });
        let new = after.iter().map(|data| RecordEdit {
            zone: &zone,
            before: None,
            after: Some(entry(zone.as_fqdn(), data)),
        });
        let edits: Vec<RecordEdit<'_>> = gone.chain(new).collect();
        let of = |values| {
            ZoneIndex::with(&zone, Serving::default(), entries(zone.as_fqdn(), values).into_iter())
        };
        effects(&of(before), &of(after), &edits, OtherZones::NONE)
            .into_iter()
            .map(|(_, effect)| effect.line)
            .collect()
    };
    // Records that stay are not reported as changed, in whichever order they are written.
    let same = lines(&before, &before);
    assert!(same.is_empty(), "{same:?}");
    let said = lines(&before, &after);
    let reversed: Vec<Rdata> = after.iter().rev().cloned().collect();
    assert_eq!(said, lines(&before, &reversed), "the order of records means nothing");
    said.iter().for_each(|line| bounded(line, data));
}

/// Returns records at a name.
fn entries<'a>(name: &'a Fqdn, values: &'a [Rdata]) -> Vec<Entry<'a>> {
    values.iter().map(|data| entry(name, data)).collect()
}

/// Returns a record.
fn entry<'a>(name: &'a Fqdn, data: &'a Rdata) -> Entry<'a> {
    let settings = Settings::default();
    Entry {
        name,
        data,
        ttl: Ttl::AUTOMATIC,
        proxied: false,
        settings,
        place: None,
        id: None,
        read_only: None,
    }
}
