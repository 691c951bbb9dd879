//! Outlines a zone without its records and its protection.

use std::collections::BTreeMap;

use super::outline::{OutlineItem, Pairs, What, allowed, prunes};
use super::{records, waf};
use crate::diagnostic::Place;
use crate::{
    DesiredSettings, DesiredZone, Expectation, Expected, ExpectedAnswer, ExpectedIssuance,
    ExpectedMail, ExpectedPolicy, ExpectedRequest, Gather, IgnorePattern, Rdata, Value,
};

/// Returns the items of both specs for a zone.
pub(super) fn outline_zone(before: Option<&DesiredZone>, after: Option<&DesiredZone>) -> Pairs {
    let mut pairs = Pairs::new();
    let (mut b, mut a) =
        (before.map(zone_items).unwrap_or_default(), after.map(zone_items).unwrap_or_default());
    for path in [
        "id",
        "plan",
        "create",
        "unmanaged",
        "ignore",
        "allow",
        "expect",
        "settings",
        "dnssec",
        "dns_settings",
    ] {
        pairs.push((path.to_owned(), b.remove(path), a.remove(path)));
    }
    pairs.extend(records::outline_records(before, after));
    let waf = |zone: Option<&DesiredZone>| {
        zone.and_then(|zone| zone.waf.as_deref()).map(waf::outline_waf)
    };
    pairs.push(("waf".to_owned(), waf(before), waf(after)));
    pairs
}

/// Returns the items of one spec for the zone itself.
fn zone_items(zone: &DesiredZone) -> BTreeMap<&'static str, OutlineItem> {
    let DesiredZone {
        name: _,
        id,
        place,
        tier,
        unmanaged,
        ignore,
        create,
        allow,
        settings: DesiredSettings { settings, dnssec, dns_settings },
        waf: _,
        records: _,
        tombstones: _,
        expect,
        // The base is compared by its own module.
    } = zone;
    let mut items = BTreeMap::new();
    if let Some(id) = id {
        items.insert("id", OutlineItem::value(id.0.as_str(), *place));
    }
    if let Some((tier, place)) = tier {
        items.insert("plan", OutlineItem::value(tier.facts().name, *place));
    }
    if *create {
        items.insert("create", OutlineItem::value(true, *place));
    }
    if let Some(said) = prunes(*unmanaged, *place) {
        items.insert("unmanaged", said);
    }
    items.insert(
        "ignore",
        OutlineItem { place: *place, what: What::Group(ignore.iter().map(ignore_item).gather()) },
    );
    items.insert("allow", allowed(allow, *place));
    items.insert(
        "expect",
        OutlineItem { place: *place, what: What::Group(expect.iter().map(expected).gather()) },
    );
    let group = |values: &BTreeMap<String, (Value, Place)>| {
        let members = values.iter().map(|(name, (value, place))| {
            (name.clone(), OutlineItem::value(value.clone(), *place))
        });
        OutlineItem { place: *place, what: What::Group(members.gather()) }
    };
    items.insert("settings", group(settings));
    if let Some((on, place)) = dnssec {
        items.insert("dnssec", OutlineItem::value(if *on { "on" } else { "off" }, *place));
    }
    items.insert("dns_settings", group(dns_settings));
    items
}

/// Returns an expectation with its name.
fn expected(expectation: &Expectation) -> (String, OutlineItem) {
    let Expectation { name: title, place, what } = expectation;
    (title.clone(), OutlineItem::value(demand(what).as_str(), *place))
}

/// Describes the demand of an expectation.
fn demand(what: &Expected) -> String {
    fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
        items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
    }
    match what {
        Expected::Answer { name, record_type, answer } => {
            let answer = match answer {
                ExpectedAnswer::Nothing => "no answer".to_owned(),
                ExpectedAnswer::Edge => "Cloudflare's edge".to_owned(),
                ExpectedAnswer::Is(values) => list(values.iter().map(Rdata::presentation)),
                ExpectedAnswer::Within(networks) => format!("within {}", list(networks)),
            };
            format!("{name} {record_type}: {answer}")
        }
        Expected::Mail(ExpectedMail { domain, by, spf_pass, dmarc, dkim }) => {
            let policy = |expected: &ExpectedPolicy| {
                let prefix = if expected.at_least { "at least " } else { "" };
                format!("DMARC {prefix}{}", expected.policy.as_str())
            };
            let demands = [
                by.as_ref().map(|by| {
                    if by.is_empty() { "no mail".to_owned() } else { format!("by {}", list(by)) }
                }),
                (!spf_pass.is_empty()).then(|| format!("sent by {}", list(spf_pass))),
                dmarc.as_ref().map(policy),
                (!dkim.is_empty()).then(|| format!("DKIM keys {}", list(dkim))),
            ];
            format!("mail for {domain}: {}", list(demands.into_iter().flatten()))
        }
        Expected::Request(expected) => {
            let ExpectedRequest { text: _, request, rate, verdict, by } = &**expected;
            let from =
                request.address.map(|address| format!(" from {address}")).unwrap_or_default();
            let fields = request
                .fields
                .iter()
                .map(|(name, given)| format!(", {name} {given}"))
                .collect::<String>();
            let times = if rate.times > 1 {
                format!(", {} in {} s", rate.times, rate.seconds)
            } else {
                String::new()
            };
            let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
            format!("{request}{from}{fields}{times}: {verdict}{by}")
        }
        Expected::Certificates(ExpectedIssuance { name, only, universal_ssl }) => {
            let only =
                if only.is_empty() { "nobody".to_owned() } else { format!("only {}", list(only)) };
            let universal = match universal_ssl {
                None => "",
                Some(true) => ", Universal SSL on",
                Some(false) => ", Universal SSL off",
            };
            format!("certificates for {name}: {only}{universal}")
        }
        Expected::Hidden(networks) => format!("hidden: {}", list(networks)),
    }
}

/// Returns an exception from pruning: its pattern, and its reason.
fn ignore_item(pattern: &IgnorePattern) -> (String, OutlineItem) {
    let IgnorePattern { name, record_type, content, tag, reason, place } = pattern;
    let parts = [
        ("name", name.as_ref().map(glob::Pattern::as_str)),
        ("type", record_type.as_deref()),
        ("content", content.as_ref().map(glob::Pattern::as_str)),
        ("tag", tag.as_deref()),
    ];
    let words: Vec<_> =
        parts.into_iter().filter_map(|(key, text)| Some(format!("{key} {}", text?))).collect();
    let why = reason.as_deref().map_or(Value::from("without a reason"), Value::from);
    (words.join(", "), OutlineItem::value(why, *place))
}
