//! Small texts: values of records, names, expressions.

use serde_json::json;
use zonewright::model::{
    AsReported, Expression, ExpressionSetting, Facets, Fields, Fqdn, Rdata, RecordForm, RecordType,
    ScopeChange, Value, ZoneName, parse_expression, ruleset::Phase,
};
use zonewright::wire::record::{create_body, read_record};

use super::{choose, text};

/// The allowed length of a message about a value: a fixed number of bytes, plus this number for
/// each byte of the value.
const MESSAGE: usize = 4096;

/// Properties of the value of a record, of any type.
pub fn record(data: &[u8]) {
    let Some((record_type, data)) = choose(RecordType::ALL, data) else { return };
    let text = text(data);
    of_type(record_type, &text);
    // With the priority beside the value, as a spec may write it and Cloudflare returns it.
    let (priority, rest) = text.split_once(' ').unwrap_or(("", &text));
    let value = priority.parse().map_or_else(|_| Value::Text(priority.to_owned()), Value::Integer);
    if let Ok(data) = Rdata::from_content(record_type, rest, Some(&value)) {
        survives(record_type, &data);
    }
    let fields: Fields = text.split(';').filter_map(field).collect();
    if let Ok(data) = Rdata::from_fields(record_type, &fields) {
        survives(record_type, &data);
    }
    for type_name in [record_type.as_str(), "SPF", "\u{1b}"] {
        let reported = Rdata::reported(type_name, Some(rest), &fields, Some(&value));
        assert_eq!(reported, Rdata::reported(type_name, Some(rest), &fields, Some(&value)));
        if reported.record_type().is_some() && reported.record_type() != Some(RecordType::Txt) {
            survives(record_type, &reported);
        }
    }
}

/// Properties of `name=value`.
fn field(text: &str) -> Option<(String, Value)> {
    let (name, value) = text.split_once('=')?;
    let value = match value.parse() {
        Ok(number) => Value::Integer(number),
        Err(_) => Value::Text(value.to_owned()),
    };
    Some((name.to_owned(), value))
}

/// Properties of the content of a TXT record.
pub fn txt(data: &[u8]) {
    let text = text(data);
    of_type(RecordType::Txt, &text);
    let Rdata::Txt(reported) = Rdata::reported("TXT", Some(&text), &Fields::new(), None) else {
        panic!("a text was not taken as a text");
    };
    let printed = Rdata::Txt(reported.clone()).presentation();
    // Cloudflare shows the content that it stores, so its own spelling must read as the same value.
    assert_eq!(Rdata::reported("TXT", Some(&printed), &Fields::new(), None), Rdata::Txt(reported));
}

/// Properties of presentation text of a type.
fn of_type(record_type: RecordType, text: &str) {
    match Rdata::from_text(record_type, text) {
        Ok(data) => survives(record_type, &data),
        Err(error) => {
            assert!(
                error.offset.is_none_or(|at| at <= text.len()),
                "{error:?} is outside of {text:?}"
            );
            assert!(error.message.len() <= MESSAGE + 8 * text.len());
        }
    }
}

/// Asserts that a value survives printing, conversion to fields, and conversion to Cloudflare's
/// JSON.
fn survives(record_type: RecordType, data: &Rdata) {
    let printed = data.presentation();
    let again = Rdata::from_text(record_type, &printed)
        .unwrap_or_else(|e| panic!("{printed:?} is refused: {e}"));
    assert_eq!(&again, data, "{printed:?} reads as another value");
    assert_eq!(again.presentation(), printed);
    let fields = data.fields();
    assert_eq!(Rdata::from_fields(record_type, &fields).as_ref(), Ok(data), "{fields:?}");
    let name = Fqdn::parse("www.example.com").expect("it is a name");
    let mut body = create_body(&RecordForm {
        name,
        data: data.clone(),
        facets: Facets::default(),
        reported: AsReported::default(),
    });
    body["id"] = json!("1");
    assert_eq!(&read_record(&body).expect("it is a record").data, data, "{body}");
    let _ = (data.pairing_key(), data.purpose(), data.target());
}

/// Properties of names of domains and zones.
pub fn name(data: &[u8]) {
    let text = text(data);
    let (one, other) = text.split_once('\n').unwrap_or((&text, "example.com"));
    for text in [one, other] {
        let reported = Fqdn::reported(text);
        assert_eq!(Fqdn::reported(reported.as_str()).as_str(), reported.as_str(), "{text:?}");
        let Ok(name) = Fqdn::parse(text) else { continue };
        assert_eq!(name, reported);
        assert_eq!(Fqdn::parse(name.as_str()).as_ref(), Ok(&name), "{text:?}");
        assert_eq!(Fqdn::parse(&name.absolute()).as_ref(), Ok(&name), "{text:?}");
        assert!(
            name.as_str().len() <= 253 && name.as_str().split('.').all(|label| label.len() <= 63)
        );
        assert!(
            !name.as_str().contains(|c: char| c.is_ascii_uppercase() || !c.is_ascii_graphic()),
            "{name}"
        );
        assert!(name.is_within(&name) && name.is_within(&Fqdn::root()));
    }
    let (a, b) = (Fqdn::reported(one), Fqdn::reported(other));
    assert_eq!(a.cmp(&b).is_eq(), a == b, "{a} {b}");
    assert_eq!(a.cmp(&b), b.cmp(&a).reverse(), "{a} {b}");
    let Ok(zone) = ZoneName::parse(other) else { return };
    if let Ok(name) = zone.resolve(one) {
        assert!(name.is_within(zone.as_fqdn()), "{name} is not in {zone}");
        assert_eq!(zone.resolve(zone.relative(&name)).as_ref(), Ok(&name), "{one:?} in {zone}");
        assert_eq!(zone.resolve(&name.absolute()).as_ref(), Ok(&name), "{one:?} in {zone}");
    }
}

/// Properties of an expression.
pub fn expression(data: &[u8]) {
    let Some((phase, data)) = choose(Phase::ALL, data) else { return };
    let text = text(data);
    for is_account in [false, true] {
        let setting = ExpressionSetting {
            phase: phase.as_str(),
            is_account,
            sees_response: data.len() % 2 == 1,
        };
        let (parsed, problems) = parse_expression(&text, setting);
        for problem in &problems {
            let span = problem.span.clone();
            assert!(span.start <= span.end && text.get(span).is_some(), "{problem:?} in {text:?}");
            assert!(
                !problem.message.is_empty() && problem.message.len() <= MESSAGE + 8 * text.len()
            );
        }
        let has_errors = problems.iter().any(|p| p.is_error);
        assert_eq!(parsed.is_some(), !has_errors, "{problems:?}");
        let Some(parsed) = parsed else { continue };
        assert_eq!(parsed, Expression::reported(&text));
        // The canonical spelling is accepted wherever the original spelling is.
        let (again, problems) = parse_expression(parsed.canonical(), setting);
        let again =
            again.unwrap_or_else(|| panic!("{:?} is refused: {problems:?}", parsed.canonical()));
        assert_eq!(again.canonical(), parsed.canonical(), "{text:?}");
        assert_eq!(
            (again.is_always_true(), again.is_always_false()),
            (parsed.is_always_true(), parsed.is_always_false())
        );
        assert_eq!(again.requirement(), parsed.requirement());
        assert_eq!(again.hosts(), parsed.hosts());
    }
    let reported = Expression::reported(&text);
    assert_eq!(
        Expression::reported(reported.canonical()).canonical(),
        reported.canonical(),
        "{text:?}"
    );
    assert_eq!(Expression::scope_change(&reported, &reported), ScopeChange::Equal);
    if let Some((one, other)) = text.split_once('\n') {
        let (one, other) = (Expression::reported(one), Expression::reported(other));
        let (there, back) =
            (Expression::scope_change(&one, &other), Expression::scope_change(&other, &one));
        let mirrored = match there {
            ScopeChange::Wider => ScopeChange::Narrower,
            ScopeChange::Narrower => ScopeChange::Wider,
            same => same,
        };
        // A proof may succeed in one direction and be abandoned in the other, but two proofs never
        // contradict each other.
        assert!(
            back == mirrored || [there, back].contains(&ScopeChange::Unknown),
            "{there:?} and {back:?}: {text:?}"
        );
    }
}
