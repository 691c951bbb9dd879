//! What a spec says of a zone beside its records and its protection.

use std::collections::BTreeMap;

use super::outline::{Pairs, Said, What, allowed, prunes};
use super::{records, waf};
use crate::diagnostic::Place;
use crate::model::{DesiredSettings, DesiredZone, Expectation, Expected, ExpectedAnswer, IgnorePattern, Rdata, Value};

/// Everything that two specs say of a zone.
pub(super) fn outline(before: Option<&DesiredZone>, after: Option<&DesiredZone>) -> Pairs {
    let mut pairs = Pairs::new();
    let (mut b, mut a) = (before.map(own).unwrap_or_default(), after.map(own).unwrap_or_default());
    for path in ["id", "create", "unmanaged", "ignore", "allow", "expect", "settings", "dnssec", "dns_settings"] {
        pairs.push((path.to_owned(), b.remove(path), a.remove(path)));
    }
    pairs.extend(records::outline(before, after));
    let waf = |zone: Option<&DesiredZone>| zone.and_then(|zone| zone.waf.as_deref()).map(waf::outline);
    pairs.push(("waf".to_owned(), waf(before), waf(after)));
    pairs
}

/// What one spec says of a zone itself.
fn own(zone: &DesiredZone) -> BTreeMap<&'static str, Said> {
    let DesiredZone {
        name: _,
        id,
        place,
        unmanaged,
        ignore,
        create,
        allow,
        settings: DesiredSettings { settings, dnssec, dns_settings },
        waf: _,
        records: _,
        tombstones: _,
        expect,
        // What the previous spec had is another comparison than this one.
    } = zone;
    let mut all = BTreeMap::new();
    if let Some(id) = id {
        all.insert("id", Said::value(id.0.as_str(), *place));
    }
    if *create {
        all.insert("create", Said::value(true, *place));
    }
    if let Some(said) = prunes(*unmanaged, *place) {
        all.insert("unmanaged", said);
    }
    all.insert("ignore", Said { place: *place, what: What::Group(ignore.iter().map(pattern).collect()) });
    all.insert("allow", allowed(allow, *place));
    all.insert("expect", Said { place: *place, what: What::Group(expect.iter().map(expected).collect()) });
    let group = |values: &BTreeMap<String, (Value, Place)>| {
        let said = values.iter().map(|(name, (value, place))| (name.clone(), Said::value(value.clone(), *place)));
        Said { place: *place, what: What::Group(said.collect()) }
    };
    all.insert("settings", group(settings));
    if let Some((on, place)) = dnssec {
        all.insert("dnssec", Said::value(if *on { "on" } else { "off" }, *place));
    }
    all.insert("dns_settings", group(dns_settings));
    all
}

/// What must hold: its name, and what it says.
fn expected(expectation: &Expectation) -> (String, Said) {
    let Expectation { name: title, place, what: Expected::Answer { name, record_type, answer } } = expectation;
    let list = |items: Vec<String>| items.join(", ");
    let answer = match answer {
        ExpectedAnswer::Nothing => "no answer".to_owned(),
        ExpectedAnswer::Edge => "Cloudflare's edge".to_owned(),
        ExpectedAnswer::Is(values) => list(values.iter().map(Rdata::presentation).collect()),
        ExpectedAnswer::Within(networks) => {
            format!("within {}", list(networks.iter().map(ToString::to_string).collect()))
        }
    };
    (title.clone(), Said::value(format!("{name} {record_type}: {answer}").as_str(), *place))
}

/// An exception from pruning: what it names, and why.
fn pattern(pattern: &IgnorePattern) -> (String, Said) {
    let IgnorePattern { name, record_type, content, tag, reason, place } = pattern;
    let parts = [
        ("name", name.as_ref().map(glob::Pattern::as_str)),
        ("type", record_type.as_deref()),
        ("content", content.as_ref().map(glob::Pattern::as_str)),
        ("tag", tag.as_deref()),
    ];
    let words: Vec<_> = parts.into_iter().filter_map(|(key, text)| Some(format!("{key} {}", text?))).collect();
    let why = reason.as_deref().map_or(Value::from("without a reason"), Value::from);
    (words.join(", "), Said::value(why, *place))
}
