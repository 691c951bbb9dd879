//! The only authorities that may issue certificates for a name.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::invalid::{Invalid, Outcome};
use crate::model::{ExpectedIssuance, Fqdn, ZoneName};
use crate::spec::deserialize::{Spanned, Text};
use crate::spec::syntax::CertificatesSyntax;

pub(super) fn read(
    zone: &ZoneName,
    syntax: &Spanned<CertificatesSyntax>,
) -> Outcome<ExpectedIssuance> {
    let CertificatesSyntax { name, only, universal_ssl } = &syntax.value;
    let name = match name {
        Some(name) => zone
            .resolve(&name.value.0)
            .map_err(|error| Invalid::at(name, error.to_string(), "write a name of the zone"))?,
        None => zone.as_fqdn().clone(),
    };
    let Some(only) = only else {
        return Err(Invalid::at(
            syntax,
            "it names no authority",
            "add `only:` with a list, such as [letsencrypt.org]",
        ));
    };
    let authority = |one: &Spanned<Text>| match Fqdn::parse(one.value.0.trim()) {
        Ok(name) if !name.is_root() && !name.is_wildcard() => Ok(name.as_str().to_owned()),
        _ => {
            let detail = format!(
                "`{}` is not the identifier of an authority",
                crate::spec::clip(&one.value.0)
            );
            Err(Invalid::at(one, detail, "write it as in a CAA record, such as letsencrypt.org"))
        }
    };
    let only: BTreeSet<String> = only.value.iter().map(authority).collect::<Outcome<_>>()?;
    Ok(ExpectedIssuance { name, only, universal_ssl: *universal_ssl })
}

pub(super) fn emit(zone: &ZoneName, issuance: &ExpectedIssuance) -> Json {
    let ExpectedIssuance { name, only, universal_ssl } = issuance;
    let mut map = Map::new();
    if name != zone.as_fqdn() {
        map.insert("name".to_owned(), json!(zone.relative(name)));
    }
    map.insert("only".to_owned(), json!(only));
    if let Some(on) = universal_ssl {
        map.insert("universal_ssl".to_owned(), json!(on));
    }
    Json::Object(map)
}
