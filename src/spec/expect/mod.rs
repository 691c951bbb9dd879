//! The `expect` section of a zone: what must hold after every plan.
//!
//! A kind of expectation is a key of `ExpectSyntax` with a file here that reads and writes it.

mod answer;
mod certificates;
mod hidden;
mod invalid;
mod mail;
mod request;

use serde_json::{Map, Value as Json, json};

use invalid::{Invalid, Outcome};

use super::attributes::Reader;
use super::deserialize::Spanned;
use super::syntax::ExpectSyntax;
use crate::diagnostic::escape_variables as escape;
use crate::diagnostic::{Diagnostic, Place, Severity, Span, findings};
use crate::model::{Expectation, Expected, ZoneName};

pub(super) fn expectation(
    zone: &ZoneName,
    syntax: &Spanned<ExpectSyntax>,
    reader: &mut Reader<'_>,
) -> Option<Expectation> {
    let whole_place = reader.place(syntax);
    match expected(zone, syntax) {
        Ok(what) => {
            let name = syntax
                .value
                .name
                .as_ref()
                .map_or_else(|| what.to_string(), |name| name.value.0.clone());
            Some(Expectation { name, place: whole_place, what })
        }
        Err(Invalid { span, detail, help }) => {
            // A value that the shape check refused is missing here. The missing value is not a
            // second mistake.
            let is_in = |d: &Diagnostic| {
                let place = d.primary.as_ref().map(|label| label.place);
                place.is_some_and(|at| whole_place.contains(at))
            };
            if reader.diagnostics.iter().any(|d| d.severity == Severity::Error && is_in(d)) {
                return None;
            }
            let at = Place { source: whole_place.source, span };
            let diagnostic: Diagnostic = findings::EXPECTATION.at(at, detail);
            reader.diagnostics.push(diagnostic.help(help));
            None
        }
    }
}

/// Reads the condition.
fn expected(zone: &ZoneName, syntax: &Spanned<ExpectSyntax>) -> Outcome<Expected> {
    let ExpectSyntax {
        name,
        resolve,
        record_type,
        within,
        is,
        answer,
        mail,
        certificates,
        hidden,
        request,
        curl,
        from,
        fields,
        times,
        verdict,
        by,
    } = &syntax.value;
    let of_answer = [
        record_type.as_ref().map(|key| ("type", key.span)),
        within.as_ref().map(|key| ("within", key.span)),
        is.as_ref().map(|key| ("is", key.span)),
        answer.as_ref().map(|key| ("answer", key.span)),
    ];
    let of_request = [
        from.as_ref().map(|key| ("from", key.span)),
        fields.as_ref().and_then(|fields| fields.0.first()).map(|(key, _)| ("fields", key.span)),
        times.as_ref().map(|key| ("times", key.span)),
        verdict.as_ref().map(|key| ("verdict", key.span)),
        by.as_ref().map(|key| ("by", key.span)),
    ];
    let request = request.as_ref().or(curl.as_ref());
    let alone = |keys: &[Option<(&'static str, Span)>], is_there: bool| {
        keys.iter().flatten().next().copied().filter(|_| !is_there)
    };
    if let Some((key, span)) = alone(&of_answer, resolve.is_some()) {
        let detail = format!("`{key}` needs `resolve`, which says what to look up");
        return Err(Invalid { span, detail, help: "add `resolve: NAME`".into() });
    }
    if let Some((key, span)) = alone(&of_request, request.is_some()) {
        let detail = format!("`{key}` needs `request` or `curl`");
        return Err(Invalid { span, detail, help: "add `request: GET https://…`".into() });
    }
    if let Some(name) = name.as_ref().filter(|name| name.value.0.trim().is_empty()) {
        return Err(Invalid::at(
            name,
            "the name is empty",
            "write what reports call it, or remove the key",
        ));
    }
    match (resolve, mail, certificates, hidden, request) {
        (Some(name), None, None, None, None) => {
            answer::read(zone, name, &syntax.value, syntax.span)
        }
        (None, Some(mail), None, None, None) => mail::read(zone, mail).map(Expected::Mail),
        (None, None, Some(certificates), None, None) => {
            certificates::read(zone, certificates).map(Expected::Certificates)
        }
        (None, None, None, Some(networks), None) => hidden::read(networks).map(Expected::Hidden),
        (None, None, None, None, Some(_)) => {
            request::read(syntax).map(|read| Expected::Request(Box::new(read)))
        }
        (None, None, None, None, None) => Err(Invalid::at(
            syntax,
            "it does not say what must hold",
            "write one of `resolve`, `mail`, `certificates`, `hidden` and `request`",
        )),
        _ => Err(Invalid::at(
            syntax,
            "it says more than one thing",
            "write an expectation of its own, with a name, for each",
        )),
    }
}

/// Returns an expectation as the spec writes it.
pub(super) fn emit(zone: &ZoneName, expectation: &Expectation) -> Json {
    let Expectation { name, place: _, what } = expectation;
    let mut map = Map::new();
    map.insert("name".to_owned(), json!(escape(name)));
    match what {
        Expected::Answer { name, record_type, answer } => {
            answer::emit(zone, name, *record_type, answer, &mut map)
        }
        Expected::Mail(mail) => drop(map.insert("mail".to_owned(), mail::emit(zone, mail))),
        Expected::Certificates(issuance) => {
            map.insert("certificates".to_owned(), certificates::emit(zone, issuance));
        }
        Expected::Request(request) => request::emit(request, &mut map),
        Expected::Hidden(networks) => drop(map.insert("hidden".to_owned(), hidden::emit(networks))),
    }
    Json::Object(map)
}
