//! The expected mail behaviour of a domain: who receives its mail, and who may send in its name.

use std::net::IpAddr;

use serde_json::{Map, Value as Json, json};

use super::invalid::{Invalid, Outcome};
use crate::diagnostic::escape_variables as escape;
use crate::model::{ClosedSet, ExpectedMail, ExpectedPolicy, Fqdn, MailPolicy, ZoneName};
use crate::spec::deserialize::{Spanned, Text};
use crate::spec::syntax::MailSyntax;

pub(super) fn read(zone: &ZoneName, syntax: &Spanned<MailSyntax>) -> Outcome<ExpectedMail> {
    let MailSyntax { domain, by, spf_pass, dmarc, dkim } = &syntax.value;
    let domain = match domain {
        Some(name) => zone
            .resolve(&name.value.0)
            .map_err(|error| Invalid::at(name, error.to_string(), "write a name of the zone"))?,
        None => zone.as_fqdn().clone(),
    };
    let is_empty = |list: &Option<Vec<Spanned<Text>>>| list.as_ref().is_none_or(Vec::is_empty);
    if by.is_none() && dmarc.is_none() && is_empty(spf_pass) && is_empty(dkim) {
        return Err(Invalid::at(
            syntax,
            "it demands nothing",
            "add one of `by`, `spf_pass`, `dmarc` and `dkim`",
        ));
    }
    let by = by
        .as_ref()
        .map(|list| list.value.iter().map(|host| server(zone, host)).collect::<Outcome<_>>());
    let address = |one: &Spanned<Text>| {
        one.value.0.trim().parse::<IpAddr>().map_err(|_| {
            let detail = format!("`{}` is not an address", crate::spec::clip(&one.value.0));
            Invalid::at(one, detail, "write the address of a host, such as 192.0.2.25")
        })
    };
    Ok(ExpectedMail {
        by: by.transpose()?,
        spf_pass: spf_pass.iter().flatten().map(address).collect::<Outcome<_>>()?,
        dmarc: dmarc.as_ref().map(read_mail_policy).transpose()?,
        dkim: dkim.iter().flatten().map(|one| selector(&domain, one)).collect::<Outcome<_>>()?,
        domain,
    })
}

/// Reads the name of a mail server. A name of one label is in the zone.
fn server(zone: &ZoneName, written: &Spanned<Text>) -> Outcome<Fqdn> {
    let text = written.value.0.trim();
    let host = if text.contains('.') { Fqdn::parse(text) } else { zone.resolve(text) };
    match host {
        Ok(host) if !host.is_root() && !host.is_wildcard() => Ok(host),
        Ok(_) => Err(Invalid::at(
            written,
            "this is not the name of a host",
            "write an empty list for no mail: `by: []`",
        )),
        Err(error) => {
            Err(Invalid::at(written, error.to_string(), "write the name of a mail server"))
        }
    }
}

/// Reads a policy: `reject`, or `at least quarantine`.
fn read_mail_policy(written: &Spanned<Text>) -> Outcome<ExpectedPolicy> {
    let text =
        written.value.0.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
    let (at_least, word) =
        text.strip_prefix("at least ").map_or((false, text.as_str()), |word| (true, word));
    let mail_policy = MailPolicy::by_keyword(word);
    mail_policy.map(|policy| ExpectedPolicy { policy, at_least }).ok_or_else(|| {
        let detail = format!("`{}` is not a policy", crate::spec::clip(&written.value.0));
        Invalid::at(
            written,
            detail,
            "write `none`, `quarantine`, `reject`, or `at least quarantine`",
        )
    })
}

/// Reads a selector and returns it in lower case.
fn selector(domain: &Fqdn, written: &Spanned<Text>) -> Outcome<String> {
    let text = written.value.0.trim().to_ascii_lowercase();
    match Fqdn::parse(&format!("{text}._domainkey.{domain}")) {
        Ok(name) if !text.is_empty() && !name.is_wildcard() => Ok(text),
        _ => {
            let detail = format!("`{}` is not a selector", crate::spec::clip(&text));
            Err(Invalid::at(
                written,
                detail,
                "write what comes before `._domainkey`, such as s2025",
            ))
        }
    }
}

pub(super) fn emit(zone: &ZoneName, mail: &ExpectedMail) -> Json {
    let ExpectedMail { domain, by, spf_pass, dmarc, dkim } = mail;
    let mut map = Map::new();
    let mut put = |key: &str, value: Json| drop(map.insert(key.to_owned(), value));
    if domain != zone.as_fqdn() {
        put("domain", json!(zone.relative(domain)));
    }
    if let Some(by) = by {
        // A top-level domain would be read as a name in the zone.
        put("by", by.iter().map(|host| json!(host.absolute())).collect());
    }
    if !spf_pass.is_empty() {
        put("spf_pass", spf_pass.iter().map(|address| json!(address.to_string())).collect());
    }
    if let Some(ExpectedPolicy { policy, at_least }) = dmarc {
        let prefix = if *at_least { "at least " } else { "" };
        put("dmarc", json!(format!("{prefix}{}", policy.as_str())));
    }
    if !dkim.is_empty() {
        put("dkim", dkim.iter().map(|selector| json!(escape(selector))).collect());
    }
    Json::Object(map)
}
