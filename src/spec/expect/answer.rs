//! An expected answer: a name, a type, and a condition on the answer.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::invalid::{Invalid, Outcome, networks};
use crate::diagnostic::Span;
use crate::diagnostic::escape_variables as escape;
use crate::model::{Expected, ExpectedAnswer, Fqdn, Rdata, RecordType, ZoneName};
use crate::spec::deserialize::{Spanned, Text};
use crate::spec::syntax::{AnswerSyntax, ExpectSyntax};

pub(super) fn read(
    zone: &ZoneName,
    resolve: &Spanned<Text>,
    syntax: &ExpectSyntax,
    whole: Span,
) -> Outcome<Expected> {
    let name = zone
        .resolve(&resolve.value.0)
        .map_err(|error| Invalid::at(resolve, error.to_string(), "write a name of the zone"))?;
    let Some(kind) = &syntax.record_type else {
        return Err(Invalid::at(
            resolve,
            "it does not say which type to ask for",
            "add a type, such as `type: A`",
        ));
    };
    let Some(record_type) = RecordType::parse(&kind.value.0) else {
        let detail = format!("`{}` is not a record type", crate::spec::clip(&kind.value.0));
        return Err(Invalid::at(kind, detail, "write a type such as A"));
    };
    let answer = match (&syntax.within, &syntax.is, &syntax.answer) {
        (Some(within), None, None) => {
            if !matches!(record_type, RecordType::A | RecordType::Aaaa) {
                let detail = format!("{record_type} records have no addresses");
                return Err(Invalid::at(
                    within,
                    detail,
                    "write `type: A` or `type: AAAA`, or `is`",
                ));
            }
            ExpectedAnswer::Within(networks(within)?)
        }
        (None, Some(values), None) => {
            if values.value.is_empty() {
                return Err(Invalid::at(
                    values,
                    "no value is named",
                    "write `answer: none` if there must be no record",
                ));
            }
            let mut answer_values: BTreeSet<Rdata> = BTreeSet::new();
            for value in &values.value {
                let data = Rdata::from_text(record_type, &value.value.0).map_err(|error| {
                    Invalid::at(value, error.to_string(), "write the value as in `content`")
                })?;
                answer_values.insert(data.at(&name));
            }
            ExpectedAnswer::Is(answer_values)
        }
        (None, None, Some(answer)) => match answer.value {
            AnswerSyntax::None => ExpectedAnswer::Nothing,
            AnswerSyntax::Edge => ExpectedAnswer::Edge,
        },
        _ => {
            let detail =
                "it does not say what the answer must be, or says it more than once".to_owned();
            return Err(Invalid {
                span: whole,
                detail,
                help: "write one of `within`, `is` and `answer`".into(),
            });
        }
    };
    Ok(Expected::Answer { name, record_type, answer })
}

pub(super) fn emit(
    zone: &ZoneName,
    name: &Fqdn,
    record_type: RecordType,
    answer: &ExpectedAnswer,
    map: &mut Map<String, Json>,
) {
    let mut put = |key: &str, value: Json| drop(map.insert(key.to_owned(), value));
    put("resolve", json!(zone.relative(name)));
    put("type", json!(record_type.as_str()));
    match answer {
        ExpectedAnswer::Nothing => put("answer", json!("none")),
        ExpectedAnswer::Edge => put("answer", json!("edge")),
        ExpectedAnswer::Is(values) => {
            put("is", values.iter().map(|value| json!(escape(&value.presentation()))).collect());
        }
        ExpectedAnswer::Within(networks) => {
            put("within", networks.iter().map(|net| json!(net.to_string())).collect())
        }
    }
}
