//! Values of records in wire format, derived from the facts of their types.

use std::net::{Ipv4Addr, Ipv6Addr};

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use serde_json::{Map, Value};

use super::svcb;
use crate::txt;
use zonewright_model::facts::{FieldFacts, FieldKind, Slot, TypeFacts};

/// Maximum length of a name in octets (RFC 1035 section 2.3.4).
const NAME_OCTETS: usize = 255;

/// Encodes a record's value; `None` if it has no wire format.
pub(super) fn wire(
    facts: &TypeFacts,
    content: &str,
    priority: Option<u32>,
    data: Option<&Map<String, Value>>,
) -> Option<Vec<u8>> {
    if facts.name == "LOC" {
        return location(data?);
    }
    let mut octets = Vec::new();
    for field in facts.fields {
        let value = match field.slot {
            Slot::Content => Value::from(content),
            Slot::Top => Value::from(priority?),
            Slot::Data => data?.get(field.name).cloned().unwrap_or_default(),
        };
        octets.extend(encode_field(field, &value)?);
    }
    u16::try_from(octets.len()).is_ok().then_some(octets)
}

fn encode_field(field: &FieldFacts, value: &Value) -> Option<Vec<u8>> {
    let text = || value.as_str();
    match field.kind {
        FieldKind::Ipv4 => Some(text()?.parse::<Ipv4Addr>().ok()?.octets().to_vec()),
        FieldKind::Ipv6 => Some(text()?.parse::<Ipv6Addr>().ok()?.octets().to_vec()),
        FieldKind::Host | FieldKind::HostOrRoot | FieldKind::HostKeepDot => encode_name(text()?),
        FieldKind::CharacterStrings => {
            let strings = txt::octets(text()?)?;
            let strings: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
            Some(character_strings(&strings))
        }
        // The width of a number is the smallest that holds its largest value.
        FieldKind::Integer { max } => {
            let octets = u32::try_from(value.as_u64()?).ok()?.to_be_bytes();
            let skipped = match max {
                0..=0xff => 3,
                0x100..=0xffff => 2,
                _ => 0,
            };
            Some(octets[skipped..].to_vec())
        }
        FieldKind::Tag => character_string(text()?.as_bytes()),
        FieldKind::CharacterString => character_string(text()?.as_bytes()),
        FieldKind::Text => Some(text()?.as_bytes().to_vec()),
        FieldKind::Hex { .. } => HEXLOWER_PERMISSIVE.decode(text()?.as_bytes()).ok(),
        FieldKind::Base64 => BASE64.decode(text()?.as_bytes()).ok(),
        FieldKind::SvcParams => svcb::wire(text().unwrap_or_default()),
        // Only LOC has these kinds of fields, and it is encoded separately.
        FieldKind::Decimal { .. } | FieldKind::Choice(_) => None,
    }
}

/// Encodes a name without compression; `None` if it is too long. The empty name and `.` are the
/// root.
pub(super) fn encode_name(text: &str) -> Option<Vec<u8>> {
    let mut octets = Vec::with_capacity(text.len() + 2);
    let text = text.strip_suffix('.').unwrap_or(text);
    for label in text.split('.').filter(|_| !text.is_empty()) {
        octets.push(u8::try_from(label.len()).ok().filter(|length| (1..=63).contains(length))?);
        octets.extend(label.as_bytes());
    }
    octets.push(0);
    (octets.len() <= NAME_OCTETS).then_some(octets)
}

/// Encodes a text with its length before it; `None` if it is too long.
fn character_string(text: &[u8]) -> Option<Vec<u8>> {
    let mut octets = vec![u8::try_from(text.len()).ok()?];
    octets.extend(text);
    Some(octets)
}

/// Encodes texts of at most 255 octets, each with its length before it.
pub(super) fn character_strings(texts: &[&[u8]]) -> Vec<u8> {
    texts.iter().filter_map(|text| character_string(text)).flatten().collect()
}

/// Encodes a LOC record (RFC 1876 section 2).
fn location(data: &Map<String, Value>) -> Option<Vec<u8>> {
    let number = |field: &str| data.get(field)?.as_f64();
    let angle = |axis: &str, negative: &str| {
        let part = |field: &str| number(&format!("{axis}_{field}"));
        let thousandths =
            (part("degrees")? * 3600.0 + part("minutes")? * 60.0 + part("seconds")?) * 1000.0;
        let is_negative = data.get(&format!("{axis}_direction"))?.as_str()? == negative;
        to_u32(2_147_483_648.0 + if is_negative { -thousandths } else { thousandths })
    };
    let mut octets = vec![0];
    for field in ["size", "precision_horz", "precision_vert"] {
        octets.push(power_of_ten(number(field)? * 100.0)?);
    }
    octets.extend(angle("lat", "S")?.to_be_bytes());
    octets.extend(angle("long", "W")?.to_be_bytes());
    octets.extend(to_u32((number("altitude")? + 100_000.0) * 100.0)?.to_be_bytes());
    Some(octets)
}

/// Converts to a 32-bit number; `None` for a fraction or an overflow.
fn to_u32(number: f64) -> Option<u32> {
    let rounded = number.round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked"
    )]
    (0.0..=f64::from(u32::MAX)).contains(&rounded).then_some(rounded as u32)
}

/// Encodes a number of centimetres, at most 9e9, as one digit and a power of ten, each in four
/// bits. Further digits are lost.
fn power_of_ten(centimetres: f64) -> Option<u8> {
    let mut base = centimetres.round();
    if !(0.0..1e10).contains(&base) {
        return None;
    }
    let mut exponent = 0;
    while base >= 10.0 {
        base /= 10.0;
        exponent += 1;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "one digit")]
    Some((base as u8) << 4 | exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use zonewright_model::facts;

    fn of(kind: &str, content: &str, priority: Option<u32>, data: Value) -> Option<Vec<u8>> {
        wire(facts::type_facts(kind).unwrap(), content, priority, data.as_object())
    }

    #[test]
    fn every_kind_of_field() {
        let null = || Value::Null;
        assert_eq!(of("A", "192.0.2.1", None, null()), Some(vec![192, 0, 2, 1]));
        assert_eq!(of("MX", "mx.test", Some(10), null()).unwrap(), b"\0\x0a\x02mx\x04test\0");
        assert_eq!(of("MX", ".", Some(0), null()).unwrap(), b"\0\0\0");
        assert_eq!(of("TXT", "v=spf1 -all", None, null()).unwrap(), b"\x0bv=spf1 -all");
        assert_eq!(of("TXT", r#""a" "b\"c""#, None, null()).unwrap(), b"\x01a\x03b\"c");
        let srv = json!({ "priority": 1, "weight": 2, "port": 5060, "target": "s.test" });
        assert_eq!(of("SRV", "", Some(1), srv).unwrap(), b"\0\x01\0\x02\x13\xc4\x01s\x04test\0");
        let caa = json!({ "flags": 128, "tag": "issue", "value": "ca.test" });
        assert_eq!(of("CAA", "", None, caa).unwrap(), b"\x80\x05issueca.test");
        let ds = json!({ "key_tag": 1, "algorithm": 13, "digest_type": 2, "digest": "00fF" });
        assert_eq!(of("DS", "", None, ds).unwrap(), b"\0\x01\x0d\x02\x00\xff");
        let naptr = json!({ "order": 1, "preference": 2, "flags": "S", "service": "SIP+D2U", "regex": "",
            "replacement": "_sip._udp.test." });
        assert_eq!(
            of("NAPTR", "", None, naptr).unwrap(),
            b"\0\x01\0\x02\x01S\x07SIP+D2U\0\x04_sip\x04_udp\x04test\0"
        );
        let uri = json!({ "weight": 1, "target": "https://a.test/" });
        assert_eq!(of("URI", "", Some(10), uri).unwrap(), b"\0\x0a\0\x01https://a.test/");
        assert_eq!(of("OPENPGPKEY", "AAEC", None, null()).unwrap(), [0, 1, 2]);
        let svcb = json!({ "priority": 1, "target": ".", "value": "alpn=\"h2\"" });
        assert_eq!(of("HTTPS", "", None, svcb).unwrap(), b"\0\x01\0\0\x01\0\x03\x02h2");
    }

    #[test]
    fn locations() {
        // The example of RFC 1876 section 4: 42 21 54 N 71 06 18 W -24m 30m.
        let data = json!({ "lat_degrees": 42, "lat_minutes": 21, "lat_seconds": 54, "lat_direction": "N",
            "long_degrees": 71, "long_minutes": 6, "long_seconds": 18, "long_direction": "W",
            "altitude": -24, "size": 30, "precision_horz": 10000, "precision_vert": 10 });
        let octets = of("LOC", "", None, data).unwrap();
        assert_eq!(octets[..4], [0, 0x33, 0x16, 0x13]);
        assert_eq!(octets[4..8], 2_299_997_648_u32.to_be_bytes());
        assert_eq!(octets[8..12], 1_891_505_648_u32.to_be_bytes());
        assert_eq!(octets[12..], 9_997_600_u32.to_be_bytes());
    }

    #[test]
    fn sizes_are_a_digit_and_a_power_of_ten() {
        // RFC 1876 section 2: from 0 to 9e9 centimetres.
        for (centimetres, octet) in [
            (0.0, 0x00),
            (9.0, 0x90),
            (10.0, 0x11),
            (99.0, 0x91),
            (3000.0, 0x33),
            (3_366_119_721.0, 0x39),
            (9e9, 0x99),
        ] {
            assert_eq!(power_of_ten(centimetres), Some(octet), "{centimetres}");
        }
        assert_eq!((power_of_ten(1e10), power_of_ten(-1.0)), (None, None));
    }

    #[test]
    fn long_names_have_no_wire_format() {
        assert_eq!(encode_name(&"x".repeat(64)), None);
        assert_eq!(encode_name(&["abcdefg"; 32].join(".")), None);
        assert_eq!(encode_name("."), Some(vec![0]));
    }
}
