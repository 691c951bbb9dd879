//! The `expect` section of a zone: what must hold after every plan.

use std::collections::BTreeSet;

use ipnet::IpNet;
use serde_json::{Map, Value as Json, json};

use super::facets::Reader;
use super::read::Spanned;
use super::syntax::{AnswerSyntax, ExpectSyntax};
use super::template::escape;
use crate::diagnostic::findings;
use crate::model::{Expectation, Expected, ExpectedAnswer, Rdata, RecordType, ZoneName};

/// One expectation of a zone.
pub(super) fn expectation(
    zone: &ZoneName,
    syntax: &Spanned<ExpectSyntax>,
    reader: &mut Reader<'_>,
) -> Option<Expectation> {
    let place = reader.place(syntax);
    let ExpectSyntax { name, resolve, record_type, within, is, answer } = &syntax.value;
    // The shape check has reported what is missing.
    let (title, resolve, record_type) = (name.as_ref()?, resolve.as_ref()?, record_type.as_ref()?);
    let mut wrong = |place, detail: String, help: &str| {
        reader.diagnostics.push(findings::EXPECTATION.at(place, detail).help(help));
        None
    };
    let at = |span| crate::diagnostic::Place { source: place.source, span };
    let owner = match zone.resolve(&resolve.value.0) {
        Ok(owner) => owner,
        Err(error) => return wrong(at(resolve.span), error.to_string(), "write a name of the zone"),
    };
    let Some(kind) = RecordType::parse(&record_type.value.0) else {
        let detail = format!("`{}` is not a record type", super::clip(&record_type.value.0));
        return wrong(at(record_type.span), detail, "write a type such as A");
    };
    let answer = match (within, is, answer) {
        (Some(networks), None, None) => {
            if !matches!(kind, RecordType::A | RecordType::Aaaa) {
                return wrong(
                    at(networks.span),
                    format!("{kind} records have no addresses"),
                    "write `type: A` or `type: AAAA`, or `is`",
                );
            }
            let mut all: Vec<IpNet> = Vec::new();
            for network in &networks.value {
                let text = network.value.0.as_str();
                match text.parse().or_else(|_| text.parse::<std::net::IpAddr>().map(IpNet::from)) {
                    Ok(network) => all.push(network),
                    Err(_) => {
                        let detail = format!("`{}` is not a network", super::clip(text));
                        return wrong(at(network.span), detail, "write a network such as 192.0.2.0/24");
                    }
                }
            }
            ExpectedAnswer::Within(all)
        }
        (None, Some(values), None) => {
            let mut all: BTreeSet<Rdata> = BTreeSet::new();
            for value in &values.value {
                match Rdata::from_text(kind, &value.value.0) {
                    Ok(data) => drop(all.insert(data.at(&owner))),
                    Err(error) => return wrong(at(value.span), error.to_string(), "write the value as in `content`"),
                }
            }
            ExpectedAnswer::Is(all)
        }
        (None, None, Some(answer)) => match answer.value {
            AnswerSyntax::None => ExpectedAnswer::Nothing,
            AnswerSyntax::Edge => ExpectedAnswer::Edge,
        },
        _ => {
            return wrong(
                place,
                "it does not say what the answer must be, or says it more than once".to_owned(),
                "write one of `within`, `is` and `answer`",
            );
        }
    };
    Some(Expectation {
        name: title.value.0.clone(),
        place,
        what: Expected::Answer { name: owner, record_type: kind, answer },
    })
}

/// An expectation as the spec writes it.
pub(super) fn emit(zone: &ZoneName, expectation: &Expectation) -> Json {
    let Expectation { name: title, place: _, what: Expected::Answer { name, record_type, answer } } = expectation;
    let mut map = Map::new();
    let mut put = |key: &str, value: Json| drop(map.insert(key.to_owned(), value));
    put("name", json!(escape(title)));
    put("resolve", json!(zone.relative(name)));
    put("type", json!(record_type.as_str()));
    match answer {
        ExpectedAnswer::Nothing => put("answer", json!("none")),
        ExpectedAnswer::Edge => put("answer", json!("edge")),
        ExpectedAnswer::Is(values) => {
            put("is", values.iter().map(|value| json!(escape(&value.presentation()))).collect())
        }
        ExpectedAnswer::Within(networks) => put("within", networks.iter().map(|net| json!(net.to_string())).collect()),
    }
    Json::Object(map)
}
