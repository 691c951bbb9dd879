//! Zones for name servers: from specs, and random ones.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use zonewright::insight::dns::Serving;
use zonewright::model::{
    AsReported, Facets, Fqdn, Rdata, RecordForm, RecordType, Settings, Ttl, ZoneName,
};
use zonewright::wire::record::create_body;

/// A record.
pub(super) struct Record {
    pub(super) name: Fqdn,
    pub(super) data: Rdata,
    pub(super) proxied: bool,
    pub(super) settings: Settings,
}

/// A zone: names with values.
pub(super) struct Zone {
    pub(super) name: ZoneName,
    pub(super) records: Vec<Record>,
    pub(super) serving: Serving,
    /// Names that were left out.
    pub(super) left_out: usize,
}

/// Returns a zone without the names that a name server refuses or treats in its own way.
pub(super) fn fit(name: &ZoneName, records: Vec<(Fqdn, Rdata)>) -> Zone {
    let mut types: BTreeMap<&Fqdn, BTreeSet<RecordType>> = BTreeMap::new();
    for (name, data) in &records {
        types.entry(name).or_default().extend(data.record_type());
    }
    let is_odd = |owner: &Fqdn| {
        let types = &types[owner];
        let alias = types.contains(&RecordType::Cname);
        (alias && (types.len() > 1 || owner == name.as_fqdn()))
            || (owner.is_wildcard() && types.contains(&RecordType::Ns))
            || (types.contains(&RecordType::Ds) && !types.contains(&RecordType::Ns))
    };
    let odd: BTreeSet<Fqdn> =
        types.keys().filter(|owner| is_odd(owner)).map(|owner| (*owner).clone()).collect();
    let mut seen = BTreeSet::new();
    let records = records
        .into_iter()
        .filter(|(name, data)| !odd.contains(name) && data.record_type().is_some());
    let mut records: Vec<(Fqdn, Rdata)> =
        records.filter(|record| seen.insert(record.clone())).collect();
    if !records
        .iter()
        .any(|(owner, data)| owner == name.as_fqdn() && data.record_type() == Some(RecordType::Ns))
    {
        records.push((
            name.as_fqdn().clone(),
            Rdata::from_text(RecordType::Ns, "ns.invalid").unwrap(),
        ));
    }
    let records = records.into_iter().map(|(name, data)| Record {
        name,
        data,
        proxied: false,
        settings: Settings::default(),
    });
    Zone {
        name: name.clone(),
        records: records.collect(),
        serving: Serving::plain(),
        left_out: odd.len(),
    }
}

/// Returns a random zone with wildcards, delegations and chains, for any name server.
pub(super) fn generated(number: usize, random: &mut fastrand::Rng) -> Zone {
    let (name, records) = drawn(number, random);
    fit(&name, records)
}

/// Values of the types that answers do not treat in a way of their own.
const OTHERS: [(RecordType, &str); 18] = [
    (RecordType::Caa, "0 issue \"ca1.example\""),
    (RecordType::Caa, "128 issuewild \"ca2.example; account=1\""),
    (RecordType::Caa, "0 iodef \"mailto:a@b.example\""),
    (RecordType::Srv, "1 2 5060 sip.invalid"),
    (RecordType::Https, "1 . alpn=\"h2\""),
    (RecordType::Https, "2 svc.invalid port=\"8443\""),
    (RecordType::Svcb, "1 svc.invalid ipv4hint=\"192.0.2.1\""),
    (RecordType::Ptr, "host.invalid"),
    (RecordType::Dnskey, "256 3 13 AQIDBA=="),
    (RecordType::Uri, "10 1 \"https://a.example/\""),
    (RecordType::Naptr, "100 10 \"U\" \"E2U+sip\" \"!^.*$!sip:a@b.example!\" ."),
    (RecordType::Sshfp, "4 2 ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB"),
    (RecordType::Tlsa, "3 1 1 ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB"),
    (RecordType::Tlsa, "3 1 1 CDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCD"),
    (RecordType::Smimea, "3 1 1 ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB"),
    (RecordType::Cert, "1 12345 8 AQID"),
    (RecordType::Loc, "51 30 12.000 N 0 7 39.000 W 10.00m 1.00m 100.00m 10.00m"),
    (RecordType::Openpgpkey, "AQID"),
];

/// Returns the records of a random zone.
fn drawn(number: usize, random: &mut fastrand::Rng) -> (ZoneName, Vec<(Fqdn, Rdata)>) {
    let name = ZoneName::parse(&format!("g{number}.test")).unwrap();
    let labels = ["a", "b", "c", "d"];
    let owner = |random: &mut fastrand::Rng, may_be_wild: bool| {
        let mut text: Vec<&str> =
            (0..random.usize(..4)).map(|_| labels[random.usize(..labels.len())]).collect();
        if may_be_wild && random.u8(..4) == 0 {
            text.insert(0, "*");
        }
        let full = name.to_string();
        text.push(&full);
        text.join(".")
    };
    let mut records = Vec::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for _ in 0..random.usize(1..14) {
        let at = owner(random, true);
        if !taken.insert(at.clone()) {
            continue;
        }
        let mut add = |kind: RecordType, value: String| {
            records.push((Fqdn::reported(&at), Rdata::from_text(kind, &value).unwrap()));
        };
        match random.u8(..10) {
            0..=2 => {
                let target = if random.u8(..6) == 0 {
                    "host.invalid".to_owned()
                } else {
                    owner(random, false)
                };
                add(RecordType::Cname, target);
            }
            3 | 4 if !at.starts_with('*') && at != name.as_str() => {
                for _ in 0..=random.u8(..2) {
                    add(
                        RecordType::Ns,
                        if random.bool() { format!("ns.{at}") } else { owner(random, false) },
                    );
                }
                if random.bool() {
                    add(RecordType::Ds, format!("1 13 2 {}", "AB".repeat(32)));
                }
                records.push((
                    Fqdn::reported(&format!("ns.{at}")),
                    Rdata::from_text(RecordType::A, "192.0.2.53").unwrap(),
                ));
            }
            _ => {
                for _ in 0..=random.u8(..3) {
                    match random.u8(..6) {
                        5 => {
                            let (kind, value) = OTHERS[random.usize(..OTHERS.len())];
                            add(kind, value.to_owned());
                        }
                        0 => add(RecordType::Txt, format!("\"{}\"", random.u8(..9))),
                        1 => add(
                            RecordType::Mx,
                            format!("{} {}", random.u8(..30), owner(random, false)),
                        ),
                        2 => add(RecordType::Aaaa, format!("2001:db8::{}", random.u8(1..9))),
                        _ => add(RecordType::A, format!("192.0.2.{}", random.u8(..))),
                    }
                }
            }
        }
    }
    (name, records)
}

/// Returns a random zone with what Cloudflare allows and adds: proxied names, flattened aliases,
/// aliases beside other types and at the apex, and the settings that decide about answers.
pub(super) fn generated_for_cloudflare(number: usize, random: &mut fastrand::Rng) -> (Zone, Value) {
    let (name, mut values) = drawn(number, random);
    let owners: Vec<Fqdn> = values.iter().map(|(owner, _)| owner.clone()).collect();
    let mut add = |owner: &Fqdn, kind, value: &str| {
        values.push((owner.clone(), Rdata::from_text(kind, value).unwrap()))
    };
    for owner in &owners {
        match random.u8(..12) {
            0 => add(owner, RecordType::Txt, "\"beside\""),
            1 => add(owner, RecordType::Https, "1 . alpn=h2"),
            2 => add(owner, RecordType::Cname, &format!("a.g{}.test", number.saturating_sub(1))),
            _ => {}
        }
    }
    match random.u8(..4) {
        0 => add(name.as_fqdn(), RecordType::Cname, &format!("b.{name}")),
        1 => add(name.as_fqdn(), RecordType::Ns, "ns.invalid"),
        2 => add(name.as_fqdn(), RecordType::A, "192.0.2.80"),
        _ => {}
    }
    let mut proxied: BTreeMap<Fqdn, bool> = BTreeMap::new();
    let records = values.into_iter().map(|(name, data)| {
        let at_name = *proxied.entry(name.clone()).or_insert_with(|| random.u8(..4) == 0);
        let kind = data.record_type().unwrap();
        let proxied =
            at_name && matches!(kind, RecordType::A | RecordType::Aaaa | RecordType::Cname);
        let mut one_in = |n: u8| (random.u8(..n) == 0).then_some(true);
        let settings = Settings {
            flatten_cname: one_in(4).filter(|_| !proxied && kind == RecordType::Cname),
            ipv4_only: one_in(8).filter(|_| proxied),
            ..Settings::default()
        };
        Record { name, data, proxied, settings }
    });
    let records: Vec<Record> = records.collect();
    let serving = Serving {
        stops_at_empty: Some(random.bool()),
        flattens_all: Some(random.u8(..6) == 0),
        ipv6: Some(random.u8(..4) > 0),
        multi_provider: Some(random.bool()),
        dnssec: Some(false),
        never_proxies: Some(random.u8(..8) == 0),
        ..Serving::default()
    };
    let word =
        |on: Option<bool>, yes: &str, no: &str| if on == Some(true) { yes } else { no }.to_owned();
    let document = json!({
        "name": name.as_str(), "plan": "enterprise",
        "settings": { "ipv6": word(serving.ipv6, "on", "off") },
        "dns_settings": {
            "flatten_all_cnames": serving.flattens_all, "multi_provider": serving.multi_provider,
            "zone_mode": word(serving.never_proxies, "dns_only", "standard"),
            "nameservers": { "type": word(serving.stops_at_empty, "cloudflare.advanced", "cloudflare.standard") },
        },
    });
    (Zone { name, records, serving, left_out: 0 }, document)
}

/// Returns a record as the API takes it.
pub(super) fn body(Record { name, data, proxied, settings }: &Record) -> Value {
    let ttl = (!proxied).then(|| Ttl::reported(300));
    let facets =
        Facets { ttl, proxied: proxied.then_some(true), settings: *settings, ..Facets::default() };
    let form = RecordForm {
        name: name.clone(),
        data: data.clone(),
        facets,
        reported: AsReported::default(),
    };
    create_body(&form)
}
