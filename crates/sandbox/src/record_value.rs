//! The value of a record: checks and canonical forms, all derived from the facts of its type.
//!
//! A new record type needs no change here; a new kind of field needs one arm in [`check_field`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde_json::{Map, Value};

use super::envelope::{HandlerResult, Refusal};
use super::name;
use super::profile::{OldSrvMembers, Profile, UnknownData};
use super::svc_params;
use super::txt;
use zonewright_model::facts::{FieldFacts, FieldKind, LetterCase, Slot, TXT_WIRE_BYTES, TypeFacts};

/// The members of a request body that form a record's value.
#[derive(Debug, Clone, Default)]
pub(super) struct SentValue {
    pub(super) content: Option<Value>,
    pub(super) data: Option<Value>,
    pub(super) priority: Option<Value>,
}

/// The place of the record.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordPlace<'a> {
    /// Full name of the record.
    pub(super) name: &'a str,
    /// Name of the zone.
    pub(super) zone: &'a str,
}

/// A record's value in canonical form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecordValue {
    /// `content` in responses.
    pub(super) content: String,
    /// `data` in responses, for types that have it.
    pub(super) data: Option<Map<String, Value>>,
    /// `priority` in responses, for types that have it.
    pub(super) priority: Option<u32>,
    /// A text that is equal for equivalent values with different spellings.
    pub(super) identity: String,
    /// The address in the value, if there is one.
    pub(super) address: Option<IpAddr>,
}

/// One field in canonical form.
struct CheckedField {
    /// Its JSON form.
    json: Value,
    /// Its form in composed content and in a zone file.
    text: String,
    /// Its form in the identity.
    identity: String,
    /// The address, if it is one.
    address: Option<IpAddr>,
}

impl CheckedField {
    /// Returns a field whose spelling is its identity.
    fn text(text: String) -> Self {
        Self { json: Value::String(text.clone()), identity: text.clone(), text, address: None }
    }
}

/// Reads a value.
///
/// For types with `data`, `content` is ignored: reported by users of Cloudflare. ASSUMED: for types
/// that have the priority in `data`, a `priority` beside `data` is ignored too.
pub(super) fn read_value(
    facts: &TypeFacts,
    sent: &SentValue,
    place: &RecordPlace<'_>,
    profile: &Profile,
) -> HandlerResult<RecordValue> {
    let empty = Map::new();
    let data = match &sent.data {
        None | Some(Value::Null) => &empty,
        Some(Value::Object(members)) => members,
        Some(_) if !facts.has_data() => &empty,
        Some(_) => return Err(Refusal::unspecified("data must be an object.")),
    };
    let mut fields: Vec<(&FieldFacts, CheckedField)> = Vec::with_capacity(facts.fields.len());
    for field in facts.fields {
        let raw = match field.slot {
            Slot::Content => sent.content.as_ref(),
            Slot::Data => data.get(field.name),
            Slot::Top => sent.priority.as_ref(),
        };
        let nothing = Value::String(String::new());
        let raw = match raw.filter(|v| !v.is_null()) {
            Some(raw) => raw,
            None if field.is_optional() => &nothing,
            None => return Err(missing_field(field)),
        };
        fields.push((field, check_field(facts, field, raw, profile)?));
    }
    if facts.has_data() {
        let is_field =
            |key: &str| fields.iter().any(|(f, _)| f.slot == Slot::Data && f.name == key);
        let mut other_members =
            data.keys().filter(|key| !is_field(key) && !is_old_srv_member(facts, key));
        if let Some(unknown) =
            other_members.next().filter(|_| profile.unknown_data == UnknownData::Refuse)
        {
            return Err(Refusal::unspecified(format!(
                "{unknown} is not a data field of {} records.",
                facts.name
            )));
        }
        check_old_srv_members(facts, data, place, profile.old_srv_members)?;
    }
    Ok(assemble(facts, &fields))
}

/// Refuses members of SRV data that contradict the record's name, or any of them if the profile
/// refuses them.
///
/// # Sources
/// Refused since 2024-05-31: developers.cloudflare.com/fundamentals/api/reference/deprecations,
/// read 2026-11-20; text: reported in July 2024 (cloudflare/terraform-provider-cloudflare#3502).
/// ASSUMED: the code.
fn check_old_srv_members(
    facts: &TypeFacts,
    data: &Map<String, Value>,
    place: &RecordPlace<'_>,
    old_srv_members: OldSrvMembers,
) -> HandlerResult<()> {
    if !data.keys().any(|key| is_old_srv_member(facts, key)) {
        return Ok(());
    }
    let member = |key: &str| data.get(key).and_then(Value::as_str);
    let old_owner = match (member("service"), member("proto"), member("name")) {
        (Some(service), Some(proto), Some("" | "@")) => {
            name::record_name(&format!("{service}.{proto}"), place.zone)
        }
        (Some(service), Some(proto), Some(rest)) => {
            name::record_name(&format!("{service}.{proto}.{rest}"), place.zone)
        }
        _ => None,
    };
    if old_srv_members == OldSrvMembers::AcceptEqual && old_owner.as_deref() == Some(place.name) {
        return Ok(());
    }
    Err(Refusal::unspecified(
        "SRV data fields 'service', 'proto' and 'name' are no longer supported",
    ))
}

/// Returns true if a member of SRV data repeats a part of the record's name.
fn is_old_srv_member(facts: &TypeFacts, member: &str) -> bool {
    facts.name == "SRV" && matches!(member, "service" | "proto" | "name")
}

/// Returns the refusal for a missing required field.  # Sources Codes 9100 ("priority is a required
/// field.") and 9101 ("… is a required data field."): observed 2026. ASSUMED: 9100 also for
/// `content`.
fn missing_field(field: &FieldFacts) -> Refusal {
    match field.slot {
        Slot::Data => Refusal::invalid(9101, format!("{} is a required data field.", field.name)),
        Slot::Content | Slot::Top => {
            Refusal::invalid(9100, format!("{} is a required field.", field.name))
        }
    }
}

/// Builds the value from the checked fields.
fn assemble(facts: &TypeFacts, fields: &[(&FieldFacts, CheckedField)]) -> RecordValue {
    let field_named = |name: &str| fields.iter().find(|(f, _)| f.name == name).map(|(_, c)| c);
    let number = |name: &str| {
        field_named(name).and_then(|c| c.json.as_u64()).and_then(|n| u32::try_from(n).ok())
    };
    let in_slot = |slot: Slot| fields.iter().filter(move |(f, _)| f.slot == slot);
    let data = facts.has_data().then(|| {
        // Members are returned in alphabetical order: observed 2025-08 for SRV.
        let mut members: Vec<_> =
            in_slot(Slot::Data).map(|(f, c)| (f.name.to_owned(), c.json.clone())).collect();
        members.sort_by(|a, b| a.0.cmp(&b.0));
        members.into_iter().collect()
    });
    let content = if !facts.has_data() {
        in_slot(Slot::Content).map(|(_, c)| c.text.as_str()).collect::<Vec<_>>().join(" ")
    } else {
        let composed =
            in_slot(Slot::Data).filter(|(f, _)| !(facts.repeats_priority && f.name == "priority"));
        let words = composed.map(|(field, checked)| match field.kind {
            FieldKind::Text | FieldKind::CharacterString => txt::quote(checked.text.as_bytes()),
            FieldKind::Decimal { places, .. } => {
                format!("{:.*}", usize::from(places), checked.json.as_f64().unwrap_or_default())
            }
            _ => checked.text.clone(),
        });
        // ASSUMED: without parameters, as for an alias, there is no space at the end.
        words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
    };
    let has_priority = facts.repeats_priority || in_slot(Slot::Top).next().is_some();
    RecordValue {
        content,
        data,
        priority: has_priority.then(|| number("priority")).flatten(),
        identity: fields
            .iter()
            .map(|(_, c)| c.identity.as_str())
            .collect::<Vec<_>>()
            .join("\u{1f}"),
        address: fields.iter().find_map(|(_, c)| c.address),
    }
}

/// Checks one field and converts it to canonical form: the only function that knows the kinds.
///
/// # Sources
/// Codes 9005, 9006, 9007, 9008, 9009: reported by many users; texts approximate. RFC 5952 for IPv6
/// in responses: observed. ASSUMED: numbers are sent as numbers; code 1004 for members of `data`
/// that are out of range.
fn check_field(
    facts: &TypeFacts,
    field: &FieldFacts,
    raw: &Value,
    profile: &Profile,
) -> HandlerResult<CheckedField> {
    let kind = facts.name;
    let wrong = |what: &str| Refusal::unspecified(format!("{} must be {what}.", field.name));
    let no_address = |code, family: &str| {
        let message = format!("Content for {kind} record must be a valid {family} address.");
        Refusal::invalid(code, message)
    };
    match field.kind {
        FieldKind::Ipv4 => {
            let address = raw.as_str().and_then(|s| s.parse::<Ipv4Addr>().ok());
            let address = address.ok_or_else(|| no_address(9005, "IPv4"))?;
            Ok(CheckedField {
                address: Some(address.into()),
                ..CheckedField::text(address.to_string())
            })
        }
        FieldKind::Ipv6 => {
            let address = raw.as_str().and_then(|s| s.parse::<Ipv6Addr>().ok());
            let address = address.ok_or_else(|| no_address(9006, "IPv6"))?;
            Ok(CheckedField {
                address: Some(address.into()),
                ..CheckedField::text(rfc5952(address))
            })
        }
        FieldKind::Host => {
            let host = raw.as_str().and_then(name::parse_host_name);
            let refused = || match field.slot {
                Slot::Content => Refusal::invalid(
                    9007,
                    format!(
                        "Content for {kind} record is \
                    invalid."
                    ),
                ),
                Slot::Data | Slot::Top => wrong("a hostname"),
            };
            host.map(CheckedField::text).ok_or_else(refused)
        }
        FieldKind::HostOrRoot => {
            let host = raw
                .as_str()
                .and_then(|s| if s == "." { Some(s.to_owned()) } else { name::parse_host_name(s) });
            let refused = || match field.slot {
                Slot::Content => Refusal::invalid(
                    9009,
                    format!(
                        "Content for {kind} record must be \
                    a hostname."
                    ),
                ),
                Slot::Data | Slot::Top => wrong("a hostname"),
            };
            host.map(CheckedField::text).ok_or_else(refused)
        }
        FieldKind::CharacterStrings => {
            // Empty content is refused: reported. ASSUMED: with the code for unbalanced quotes,
            // which is not known.
            let refused = || Refusal::invalid(9051, format!("Invalid {kind} record."));
            let read = |text: &str| txt::parse_content(text, profile.txt_quotes, profile.txt_cuts);
            let text = raw.as_str().and_then(read).ok_or_else(refused)?;
            if text.wire_bytes > TXT_WIRE_BYTES {
                return Err(too_long());
            }
            // ASSUMED: two spellings of the same strings are the same record; only refusals of
            // exact duplicates were observed.
            Ok(CheckedField { identity: text.identity, ..CheckedField::text(text.content) })
        }
        FieldKind::Integer { max } => {
            // Flags are accepted as text, too: acceptance tests of Cloudflare's Terraform provider
            // 5, read 2026-11-23.
            let written = raw
                .as_str()
                .filter(|text| field.name == "flags" && text.bytes().all(|b| b.is_ascii_digit()));
            let number = written.map_or_else(|| raw.as_u64(), |text| text.parse().ok());
            let number = number.and_then(|n| u32::try_from(n).ok()).filter(|n| *n <= max);
            let refused = || match field.slot {
                Slot::Top => Refusal::invalid(
                    9008,
                    format!("{} must be set to a number between 0 and {max}.", field.name),
                ),
                Slot::Data | Slot::Content => wrong(&format!("a number between 0 and {max}")),
            };
            let number = number.ok_or_else(refused)?;
            Ok(CheckedField { json: number.into(), ..CheckedField::text(number.to_string()) })
        }
        FieldKind::Tag => {
            let tag = raw
                .as_str()
                .filter(|s| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric()));
            let tag = tag.ok_or_else(|| wrong("letters and digits"))?;
            Ok(CheckedField {
                identity: tag.to_ascii_lowercase(),
                ..CheckedField::text(tag.to_owned())
            })
        }
        FieldKind::Text | FieldKind::CharacterString => {
            let text =
                raw.as_str().filter(|s| !s.contains(['\r', '\n'])).ok_or_else(|| wrong("text"))?;
            if text.len() > TXT_WIRE_BYTES {
                Err(too_long())
            } else {
                Ok(CheckedField::text(text.to_owned()))
            }
        }
        FieldKind::HostKeepDot => {
            // The final dot is kept in the targets of SVCB and HTTPS and in replacements of NAPTR:
            // observed. ASSUMED: a missing final dot is added.
            let host = raw.as_str().and_then(|s| {
                if s == "." { Some(".".to_owned()) } else { Some(name::parse_host_name(s)? + ".") }
            });
            host.map(CheckedField::text).ok_or_else(|| wrong("a hostname"))
        }
        FieldKind::Hex { answered } => {
            // ASSUMED: spaces are refused, as is an odd number of digits.
            let is_hex = |s: &&str| {
                !s.is_empty()
                    && s.len().is_multiple_of(2)
                    && s.bytes().all(|b| b.is_ascii_hexdigit())
            };
            let text = raw.as_str().filter(is_hex).ok_or_else(|| {
                wrong(
                    "an even number of \
                hexadecimal digits",
                )
            })?;
            let shown = match answered {
                LetterCase::AsSent => text.to_owned(),
                LetterCase::Upper => text.to_ascii_uppercase(),
            };
            Ok(CheckedField { identity: text.to_ascii_lowercase(), ..CheckedField::text(shown) })
        }
        FieldKind::Base64 => {
            // ASSUMED: padding is required, spaces are refused.
            let text = raw.as_str().filter(|s| is_base64(s)).ok_or_else(|| match field.slot {
                Slot::Content => Refusal::unspecified(format!(
                    "Content for {kind} record must be \
                    base64."
                )),
                Slot::Data | Slot::Top => wrong("base64"),
            })?;
            Ok(CheckedField::text(text.to_owned()))
        }
        FieldKind::Decimal { min, max, places } => {
            read_decimal(raw, min, max, places).ok_or_else(|| {
                wrong(&format!(
                    "a number with at most {places} decimals, in units of the last from \
                {min} to {max}"
                ))
            })
        }
        FieldKind::Choice(words) => {
            let word = raw.as_str().filter(|s| words.contains(s));
            word.map(|w| CheckedField::text(w.to_owned()))
                .ok_or_else(|| wrong(&format!("one of {}", words.join(", "))))
        }
        FieldKind::SvcParams => {
            let refused = || wrong("a list of service parameters");
            let params = raw.as_str().and_then(svc_params::parse_params).ok_or_else(refused)?;
            Ok(CheckedField { identity: params.identity, ..CheckedField::text(params.shown) })
        }
    }
}

/// Returns true if a text is base64 with its padding (RFC 4648 section 4).
fn is_base64(text: &str) -> bool {
    let bare = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let letters = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    !bare.is_empty() && text.len().is_multiple_of(4) && bare.bytes().all(letters)
}

/// Reads a decimal number with this many decimal places; a whole number stays whole.
///
/// # Sources
/// Clients that compute with floating-point numbers send `-24.05000000000291` for -24.05, as
/// DNSControl 4 does for LOC. ASSUMED: the number is rounded, and the bounds apply to the rounded
/// value.
fn read_decimal(raw: &Value, min: i64, max: i64, places: u8) -> Option<CheckedField> {
    let units = (raw.as_f64()? * 10f64.powi(places.into())).round();
    // No bound has more than eleven digits, so both conversions are exact.
    #[expect(clippy::cast_precision_loss, reason = "see above")]
    if units < min as f64 || units > max as f64 {
        return None;
    }
    let places = usize::from(places);
    // Zero has no sign.
    let text = format!("{:.places$}", units / 10f64.powi(i32::try_from(places).ok()?) + 0.0);
    let number: f64 = text.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "see above")]
    let json = if number.fract() == 0.0 { Value::from(number as i64) } else { Value::from(number) };
    Some(CheckedField { json, identity: text.clone(), text, address: None })
}

/// Returns the refusal for a value that is too long for a record.  # Sources
/// developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types, read 2026-11-20,
/// for all types; code 9015 and its text: observed 2026.
fn too_long() -> Refusal {
    Refusal::invalid(
        9015,
        format!("Record content exceeds the allowed length of {TXT_WIRE_BYTES} wire format bytes."),
    )
}

/// Formats an IPv6 address as in RFC 5952.
///
/// The standard library prints that form: lower case, the longest run of zero groups shortened, a
/// single one not, and mixed notation for IPv4-mapped addresses only (sections 4 and 5).
fn rfc5952(address: Ipv6Addr) -> String {
    address.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use zonewright_model::facts;

    /// Reads a value under the default profile.
    fn body(kind: &str, body: Value) -> HandlerResult<RecordValue> {
        let sent = SentValue {
            content: body.get("content").cloned(),
            data: body.get("data").cloned(),
            priority: body.get("priority").cloned(),
        };
        read_as(kind, &sent, &Profile::default())
    }

    /// Reads a value under another profile, for the name `_sip._tcp.voice.example.com`.
    fn read_as(kind: &str, sent: &SentValue, profile: &Profile) -> HandlerResult<RecordValue> {
        let place = RecordPlace { name: "_sip._tcp.voice.example.com", zone: "example.com" };
        read_value(facts::type_facts(kind).unwrap(), sent, &place, profile)
    }

    fn code(kind: &str, value: Value) -> u32 {
        body(kind, value).unwrap_err().code()
    }

    #[test]
    fn normal_forms() {
        assert_eq!(
            body("AAAA", json!({"content": "2001:DB8:0:0::10"})).unwrap().content,
            "2001:db8::10"
        );
        assert_eq!(
            body("CNAME", json!({"content": "Origin.Example.net."})).unwrap().content,
            "origin.example.net"
        );
        let mx = body("MX", json!({"content": ".", "priority": 0})).unwrap();
        assert_eq!((mx.content.as_str(), mx.priority), (".", Some(0)));
        let srv = body(
            "SRV",
            json!({"data": {"priority": 10, "weight": 5, "port": 5060, "target": "Sip.example.com."}}),
        );
        let srv = srv.unwrap();
        assert_eq!((srv.content.as_str(), srv.priority), ("5 5060 sip.example.com", Some(10)));
        let members: Vec<_> = srv.data.unwrap().keys().cloned().collect();
        assert_eq!(members, ["port", "priority", "target", "weight"]);
        let caa = body("CAA", json!({"data": {"flags": 0, "tag": "issue", "value": "ca.example"}}))
            .unwrap();
        assert_eq!(caa.content, "0 issue \"ca.example\"");
        let tlsa = json!({"usage": 3, "selector": 1, "matching_type": 1, "certificate": "00ff"});
        assert_eq!(body("TLSA", json!({"data": tlsa})).unwrap().content, "3 1 1 00FF");
        let svcb =
            json!({"priority": 1, "target": "Dns.example.com", "value": "alpn=\"dot\" port=853"});
        assert_eq!(
            body("SVCB", json!({"data": svcb})).unwrap().content,
            "1 dns.example.com. alpn=\"dot\" port=\"853\""
        );
        let alias =
            body("HTTPS", json!({"data": {"priority": 0, "target": "pool.example.net."}})).unwrap();
        assert_eq!(alias.content, "0 pool.example.net.");
        let uri = body(
            "URI",
            json!({"priority": 10, "data": {"weight": 1, "target": "https://example.com/"}}),
        )
        .unwrap();
        assert_eq!((uri.content.as_str(), uri.priority), ("1 \"https://example.com/\"", Some(10)));
        assert!(!uri.data.unwrap().contains_key("priority"));
    }

    #[test]
    fn decimals() {
        let read = |number: Value| read_decimal(&number, -100, 5000, 2).map(|c| (c.json, c.text));
        assert_eq!(read(json!(20.0)), Some((json!(20), "20.00".to_owned())));
        assert_eq!(read(json!(0.29)), Some((json!(0.29), "0.29".to_owned())));
        assert_eq!(read(json!(-1)), Some((json!(-1), "-1.00".to_owned())));
        assert_eq!(read(json!(-0.050_000_000_002_91)), Some((json!(-0.05), "-0.05".to_owned())));
        assert_eq!(read(json!(0.294_9)), Some((json!(0.29), "0.29".to_owned())));
        assert_eq!(read(json!(-0.000_1)), Some((json!(0), "0.00".to_owned())));
        assert_eq!(read(json!(50.004)), Some((json!(50), "50.00".to_owned())));
        for bad in
            [json!(50.01), json!(50.005_1), json!(-1.01), json!("1"), json!(1e300), json!(null)]
        {
            assert_eq!(read(bad), None);
        }
    }

    #[test]
    fn unknown_members_are_ignored_or_refused() {
        let data = json!({"flags": 0, "tag": "issue", "value": "ca.example", "weight": 0});
        let sent = SentValue { data: Some(data), ..SentValue::default() };
        let kept = read_as("CAA", &sent, &Profile::default()).unwrap().data.unwrap();
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["flags", "tag", "value"]);
        let strict = Profile { unknown_data: UnknownData::Refuse, ..Profile::default() };
        assert_eq!(read_as("CAA", &sent, &strict).unwrap_err().code(), 1004);
    }

    #[test]
    fn old_members_of_srv_must_agree_with_the_name() {
        let lenient = Profile { old_srv_members: OldSrvMembers::AcceptEqual, ..Profile::default() };
        let srv = |more: Value| {
            let mut data =
                json!({"priority": 1, "weight": 1, "port": 5060, "target": "sip.example.com"});
            data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            SentValue { data: Some(data), ..SentValue::default() }
        };
        for name in ["voice", "voice.example.com", "Voice.Example.com."] {
            let sent = srv(json!({"service": "_sip", "proto": "_tcp", "name": name}));
            let kept = read_as("SRV", &sent, &lenient).unwrap().data.unwrap();
            assert_eq!(kept.keys().collect::<Vec<_>>(), ["port", "priority", "target", "weight"]);
            assert_eq!(read_as("SRV", &sent, &Profile::default()).unwrap_err().code(), 1004);
        }
        for wrong in [
            json!({"service": "_sips", "proto": "_tcp", "name": "voice"}),
            json!({"service": "_sip", "proto": "_tcp", "name": "@"}),
            json!({"service": "_sip", "proto": "_tcp", "name": "voice.example.org"}),
            json!({"service": "_sip", "proto": "_tcp"}),
            json!({"service": "_sip", "proto": "_tcp", "name": null}),
            json!({"service": 1, "proto": "_tcp", "name": "voice"}),
        ] {
            let refusal = read_as("SRV", &srv(wrong), &lenient).unwrap_err();
            let text = "SRV data fields 'service', 'proto' and 'name' are no longer supported";
            assert_eq!(refusal.problems[0].message, text);
        }
    }

    #[test]
    fn refusals() {
        assert_eq!(code("A", json!({"content": "192.0.2.010"})), 9005);
        assert_eq!(code("AAAA", json!({"content": "192.0.2.1"})), 9006);
        assert_eq!(code("CNAME", json!({"content": "192.0.2.1"})), 9007);
        assert_eq!(code("MX", json!({"content": "mail.example.com"})), 9100);
        assert_eq!(code("MX", json!({"content": "mail.example.com", "priority": 65_536})), 9008);
        assert_eq!(code("MX", json!({"content": "192.0.2.25", "priority": 10})), 9009);
        assert_eq!(code("CAA", json!({"content": "0 issue \"ca.example\""})), 9101);
        assert_eq!(code("CAA", json!({"data": {"flags": 256, "tag": "issue", "value": ""}})), 1004);
        assert_eq!(code("TXT", json!({"content": "\"open"})), 9051);
        assert_eq!(code("TXT", json!({"content": ""})), 9051);
        assert_eq!(code("TXT", json!({"content": "x".repeat(4090)})), 9015);
        assert_eq!(code("TXT", json!({})), 9100);
        assert_eq!(code("OPENPGPKEY", json!({"content": "TUlJ QQ=="})), 1004);
        assert_eq!(
            code("SSHFP", json!({"data": {"algorithm": 4, "type": 2, "fingerprint": "abc"}})),
            1004
        );
        assert_eq!(
            code("URI", json!({"data": {"weight": 1, "target": "https://example.com/"}})),
            9100
        );
    }
}
