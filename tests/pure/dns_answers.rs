//! Answers and comparisons of zones, checked with an oracle that was written from the RFCs and
//! shares no code with the program: it has no tree and no index, and searches all records each
//! time.
//!
//! Zones are small, with names from three labels, so that every name can be asked. There are two
//! zones, whose aliases point to each other.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use zonewright::insight::dns::{
    Answer, Class, End, Entry, NoData, Own, RecordEdit, References, Serving, Unknown, ZoneIndex,
    Zones, differences, explain,
};
use zonewright::model::{Fqdn, Rdata, RecordType, Settings, Ttl, ZoneName};

/// The apex of the zone whose names are all asked.
const APEX: &str = "z.test";
/// Name of the other zone.
const OTHER: &str = "y.test";

/// A record: name, type, value, proxied.
type Record = (String, &'static str, String, bool);

/// An answer, in the form of both the oracle and the program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    /// The aliases: name and target.
    aliases: Vec<(String, String)>,
    /// The final result, as text.
    end: String,
}

/// Settings under which the oracle's zone is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// As any name server does.
    Plain,
    /// As Cloudflare's standard name servers do.
    Standard,
    /// As its advanced ones do.
    Advanced,
}

// ----------------------------------------------------------------------------------------------
// the oracle

fn parent(name: &str) -> &str {
    name.split_once('.').map_or("", |(_, rest)| rest)
}

/// Returns the apex at or above a name.
fn apex_of(name: &str) -> Option<&'static str> {
    [APEX, OTHER].into_iter().find(|apex| name == *apex || name.ends_with(&format!(".{apex}")))
}

fn is_apex(name: &str) -> bool {
    name == APEX || name == OTHER
}

fn has_records(zone: &[Record], name: &str) -> bool {
    is_apex(name) || zone.iter().any(|r| r.0 == name)
}

fn exists(zone: &[Record], name: &str) -> bool {
    is_apex(name) || zone.iter().any(|r| r.0 == name || r.0.ends_with(&format!(".{name}")))
}

fn values(zone: &[Record], name: &str, kind: &str) -> Vec<String> {
    let set: BTreeSet<String> =
        zone.iter().filter(|r| r.0 == name && r.1 == kind).map(|r| r.2.clone()).collect();
    set.into_iter().collect()
}

/// Returns all names from the apex down to a name, without the apex.
fn path(name: &str) -> Vec<String> {
    let mut path = vec![name.to_owned()];
    while !is_apex(parent(path.last().unwrap())) && !is_apex(path.last().unwrap()) {
        path.push(parent(path.last().unwrap()).to_owned());
    }
    path.reverse();
    if is_apex(name) { Vec::new() } else { path }
}

/// Answers as in RFC 1034 section 4.3.2, from the apex down, label by label.
fn oracle(zone: &[Record], mode: Mode, name: &str, kind: &str) -> Said {
    let mut aliases: Vec<(String, String)> = Vec::new();
    let mut name = name.to_owned();
    loop {
        match one(zone, mode, &name, kind) {
            Ok(end) => return Said { aliases, end: format!("{name}: {end}") },
            Err(target) => {
                if aliases.iter().any(|(seen, _)| *seen == name) {
                    return Said { aliases, end: format!("{name}: loop") };
                }
                aliases.push((name, target.clone()));
                name = target;
            }
        }
    }
}

/// Returns what one name says; the target of an alias as an error.
fn one(zone: &[Record], mode: Mode, name: &str, kind: &str) -> Result<String, String> {
    if apex_of(name).is_none() {
        return Ok("elsewhere".into());
    }
    for step in path(name) {
        let delegates = !step.starts_with("*.") && !values(zone, &step, "NS").is_empty();
        if delegates && !(kind == "DS" && step == name) {
            let servers = values(zone, &step, "NS");
            let inside: Vec<_> = servers
                .iter()
                .filter(|s| **s == step || s.ends_with(&format!(".{step}")))
                .collect();
            let glue: BTreeSet<_> = inside.iter().flat_map(|s| values(zone, s, "A")).collect();
            return Ok(format!(
                "referral {step} {servers:?} {:?} {glue:?}",
                values(zone, &step, "DS")
            ));
        }
    }
    if has_records(zone, name) {
        return at(zone, mode, name, is_apex(name), kind);
    }
    // The source of synthesis.
    let mut encloser = parent(name);
    let is_empty = exists(zone, name);
    if is_empty && mode != Mode::Standard {
        return Ok("no data".into());
    }
    while !exists(zone, encloser) {
        encloser = parent(encloser);
    }
    loop {
        let star = format!("*.{encloser}");
        if zone.iter().any(|r| r.0 == star) && star != name {
            return at(zone, mode, &star, false, kind);
        }
        if mode != Mode::Standard || has_records(zone, encloser) {
            return Ok(if is_empty { "no data" } else { "no name" }.into());
        }
        encloser = parent(encloser);
    }
}

/// Returns the result of the records at a name.
fn at(
    zone: &[Record],
    mode: Mode,
    owner: &str,
    is_apex: bool,
    kind: &str,
) -> Result<String, String> {
    let set = values(zone, owner, kind);
    let alias = values(zone, owner, "CNAME").pop();
    let found =
        |set: Vec<String>| if set.is_empty() { "no data".to_owned() } else { format!("{set:?}") };
    if mode != Mode::Plain {
        // Proxied or not, the apex has Cloudflare's name servers: a zone without them could not be
        // delegated to Cloudflare.
        if is_apex && kind == "NS" {
            return Ok("name servers".into());
        }
        if zone.iter().any(|r| r.0 == owner && r.3) {
            return Ok(match kind {
                "A" | "AAAA" => "edge".into(),
                "CNAME" => "no data".into(),
                "HTTPS" => "https".into(),
                _ => found(set),
            });
        }
        if let Some(alias) = alias.clone().filter(|_| is_apex) {
            return match kind {
                "A" | "AAAA" => Err(alias),
                "CNAME" => Ok("no data".into()),
                _ => Ok(found(set)),
            };
        }
        let is_beside = zone.iter().any(|r| r.0 == owner && r.1 != "CNAME");
        match alias.clone().filter(|_| is_beside) {
            Some(target) if matches!(kind, "A" | "AAAA") => return Err(target),
            Some(_) => return Ok("BesideAlias".into()),
            None => {}
        }
    }
    match alias {
        Some(target) if kind != "CNAME" && (set.is_empty() || mode == Mode::Plain) => Err(target),
        _ => Ok(found(set)),
    }
}

// ----------------------------------------------------------------------------------------------
// the program

/// Returns the records as the program's.
fn parsed(zone: &[Record]) -> Vec<(Fqdn, Rdata, bool)> {
    let parse = |(name, kind, value, proxied): &Record| {
        let data = Rdata::from_text(RecordType::parse(kind).unwrap(), value).unwrap();
        (Fqdn::reported(name), data, *proxied)
    };
    zone.iter().map(parse).collect()
}

fn entry((name, data, proxied): &(Fqdn, Rdata, bool)) -> Entry<'_> {
    let settings = Settings::default();
    Entry {
        name,
        data,
        ttl: Ttl::AUTOMATIC,
        proxied: *proxied,
        settings,
        place: None,
        id: None,
        read_only: None,
    }
}

fn serving(mode: Mode) -> Serving {
    match mode {
        Mode::Plain => Serving::plain(),
        Mode::Standard => Serving::default(),
        Mode::Advanced => Serving { stops_at_empty: Some(true), ..Serving::default() },
    }
}

/// Returns an answer of the program in the words of the oracle.
fn said(answer: &Answer<'_>) -> Said {
    let texts = |set: &[Entry<'_>]| -> Vec<String> {
        let texts: BTreeSet<_> = set.iter().map(|e| e.data.presentation()).collect();
        texts.into_iter().collect()
    };
    let end = match &answer.end {
        End::Records(set) => format!("{:?}", texts(set)),
        End::Edge(_) => "edge".into(),
        End::NoData(NoData::OtherTypes | NoData::Empty | NoData::Family | NoData::Hidden) => {
            "no data".into()
        }
        End::NoName => "no name".into(),
        End::Referral(r) => {
            let glue: BTreeSet<_> = texts(&r.glue).into_iter().collect();
            format!("referral {} {:?} {:?} {glue:?}", r.cut, texts(&r.servers), texts(&r.ds))
        }
        End::Elsewhere => "elsewhere".into(),
        End::Loop => "loop".into(),
        End::Cloudflare(Own::NameServers, _) => "name servers".into(),
        End::Cloudflare(Own::Https, _) => "https".into(),
        End::Cloudflare(Own::Keys, _) => "keys".into(),
        End::Unknown(why) => format!("{why:?}"),
    };
    let target =
        |a: &zonewright::insight::dns::Alias<'_>| a.record.data.target().unwrap().to_string();
    Said {
        aliases: answer.aliases.iter().map(|a| (a.name.to_string(), target(a))).collect(),
        end: format!("{}: {end}", answer.name),
    }
}

// ----------------------------------------------------------------------------------------------
// the zones

/// Returns names of at most three labels below the apex; `*` only as the first label.
fn owner() -> impl Strategy<Value = String> {
    let label = || prop::sample::select(vec!["a", "b"]);
    let rest = prop::collection::vec(label(), 0..3);
    (rest, prop::bool::weighted(0.25)).prop_map(|(labels, star)| {
        let mut labels: Vec<_> = labels.into_iter().map(str::to_owned).collect();
        if star {
            labels.insert(0, "*".into());
        }
        labels.push(APEX.into());
        labels.join(".")
    })
}

/// Returns what a name has: an alias, a delegation with addresses that it hides, or other types.
fn at_owner() -> impl Strategy<Value = Vec<Record>> {
    let elsewhere =
        prop_oneof![2 => owner().prop_map(|name| moved(&name)), 1 => Just("else.test".to_owned())];
    let target = prop_oneof![2 => owner(), 1 => elsewhere];
    let alias = (target, prop::bool::weighted(0.2))
        .prop_map(|(t, p)| vec![("CNAME", t.replace('*', "a"), p)]);
    let hosts = prop_oneof![2 => owner().prop_map(|n| n.replace('*', "b")), 1 => Just("ns.else.test".to_owned())];
    let delegation = (prop::collection::btree_set(hosts, 1..3), any::<bool>(), any::<bool>())
        .prop_map(|(hosts, ds, a)| {
            let mut all: Vec<_> = hosts.into_iter().map(|h| ("NS", h, false)).collect();
            if ds {
                all.push(("DS", format!("1 13 2 {}", "AB".repeat(32)), false));
            }
            if a {
                all.push(("A", "192.0.2.77".into(), false));
            }
            all
        });
    let address =
        (0u8..4, prop::bool::weighted(0.2)).prop_map(|(n, p)| ("A", format!("192.0.2.{n}"), p));
    let text = (0u8..3).prop_map(|n| ("TXT", format!("\"{n}\""), false));
    let plain = prop::collection::vec(prop_oneof![3 => address, 1 => text], 1..3);
    (owner(), prop_oneof![2 => alias, 1 => delegation, 4 => plain]).prop_map(|(name, records)| {
        // A wildcard delegates nothing that is defined (RFC 4592 section 4.2), and name servers of
        // the apex are another matter.
        let defined = |kind: &str| {
            kind == "A"
                || kind == "TXT"
                || kind == "CNAME"
                || !(name.starts_with('*') || is_apex(&name))
        };
        let kept = records.into_iter().filter(|r| defined(r.0));
        kept.map(|(kind, value, proxied)| (name.clone(), kind, value, proxied)).collect()
    })
}

/// Returns a name of one zone as that of the other.
fn moved(name: &str) -> String {
    match apex_of(name) {
        Some(apex) => format!(
            "{}{}",
            &name[..name.len() - apex.len()],
            if apex == APEX { OTHER } else { APEX }
        ),
        None => name.to_owned(),
    }
}

/// Returns two zones.
fn zone() -> impl Strategy<Value = Vec<Record>> {
    (one_zone(8), one_zone(4)).prop_map(|(zone, other)| {
        let other = other
            .into_iter()
            .map(|(name, kind, value, proxied)| (moved(&name), kind, moved(&value), proxied));
        zone.into_iter().chain(other).collect()
    })
}

/// Returns a zone: for each of some owners one of the above.
fn one_zone(owners: usize) -> impl Strategy<Value = Vec<Record>> {
    prop::collection::vec(at_owner(), 0..owners).prop_map(|owners| {
        let mut by_name: BTreeMap<String, Vec<Record>> = BTreeMap::new();
        for records in owners.into_iter().filter(|r| !r.is_empty()) {
            by_name.insert(records[0].0.clone(), records);
        }
        by_name.into_values().flatten().collect()
    })
}

fn mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(vec![Mode::Plain, Mode::Standard, Mode::Advanced])
}

/// Returns every name of at most four labels below the apex over the alphabet, and of at most two
/// below the other; `c` is in no zone.
fn all_names() -> Vec<String> {
    let mut names = Vec::new();
    for (apex, labels) in [(APEX, 4), (OTHER, 2)] {
        let mut longest = vec![apex.to_owned()];
        for _ in 0..labels {
            names.extend(longest.iter().cloned());
            longest = longest
                .iter()
                .flat_map(|n| ["a", "b", "c", "*"].map(|label| format!("{label}.{n}")))
                .collect();
        }
        names.extend(longest);
    }
    names
}

/// The types that are asked.
const KINDS: [&str; 9] = ["A", "AAAA", "TXT", "CNAME", "NS", "DS", "HTTPS", "MX", "LOC"];

/// Returns records without the proxy where the mode has none.
fn fit(zone: &[Record], mode: Mode) -> Vec<Record> {
    let fitted = zone.iter().cloned().map(|r| (r.0, r.1, r.2, r.3 && mode != Mode::Plain));
    // An alias at the apex is Cloudflare's alone.
    fitted.filter(|r| mode != Mode::Plain || !(is_apex(&r.0) && r.1 == "CNAME")).collect()
}

/// Returns the names of both zones.
fn names() -> [ZoneName; 2] {
    [APEX, OTHER].map(|apex| ZoneName::parse(apex).unwrap())
}

fn zones<'a>(
    names: &'a [ZoneName; 2],
    records: &'a [(Fqdn, Rdata, bool)],
    mode: Mode,
) -> Zones<'a> {
    // Each zone gets its own records.
    let index =
        |name: &'a ZoneName| ZoneIndex::with(name, serving(mode), records.iter().map(entry));
    Zones::new(names.iter().map(index).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn answers_are_those_of_the_oracle(zone in zone(), mode in mode()) {
        let zone = fit(&zone, mode);
        let (names, records) = (names(), parsed(&zone));
        let zones = zones(&names, &records, mode);
        for name in all_names() {
            for kind in KINDS {
                let answer = zones.answer(&Fqdn::reported(&name), RecordType::parse(kind).unwrap());
                prop_assert_eq!(said(&answer), oracle(&zone, mode, &name, kind), "{} {} of {:?}", name, kind, zone);
            }
        }
    }

    #[test]
    fn the_comparison_is_complete_and_exact(before in zone(), others in zone(), kept in any::<u64>(), still in any::<bool>(), mode in mode()) {
        let before = fit(&before, mode);
        // The other state keeps some names and takes some from other zones; of the other zone
        // perhaps all.
        let mut by_name: BTreeMap<&String, Vec<Record>> = BTreeMap::new();
        let stays = |name: &str| still && apex_of(name) == Some(OTHER);
        let keeps = |n: usize| (kept >> (n % 64)) & 3 != 0;
        for (_, r) in before.iter().enumerate().filter(|(n, r)| keeps(*n) || stays(&r.0)) {
            by_name.entry(&r.0).or_default().push(r.clone());
        }
        let others = fit(&others, mode);
        let taken = others.iter().enumerate().filter(|(n, r)| !keeps(n + 17) && !stays(&r.0));
        let taken: BTreeSet<_> = taken.map(|(_, r)| &r.0).collect();
        for name in taken {
            by_name.insert(name, others.iter().filter(|r| r.0 == *name).cloned().collect());
        }
        let after: Vec<Record> = by_name.into_values().flatten().collect();
        let (names, old, new) = (names(), parsed(&before), parsed(&after));
        let (old, new) = (zones(&names, &old, mode), zones(&names, &new, mode));
        let edited: BTreeSet<Fqdn> = before.iter().filter(|r| !after.contains(r))
            .chain(after.iter().filter(|r| !before.contains(r))).map(|r| Fqdn::reported(&r.0)).collect();
        let found = differences(&old, &new, &edited.iter().collect::<Vec<_>>());
        let answers = |name: &str, kind: &str| (oracle(&before, mode, name, kind), oracle(&after, mode, name, kind));
        let targets: BTreeSet<&String> = before.iter().chain(&after).filter(|r| r.1 == "CNAME").map(|r| &r.2).collect();
        let exists = |name: &str| exists(&before, name) || exists(&after, name);
        // Complete: every difference for a name is reported for its class, and nothing else is.
        for name in all_names() {
            let class = if exists(&name) || targets.contains(&name) {
                Class::Name(Fqdn::reported(&name))
            } else {
                let mut above = parent(&name);
                while !exists(above) {
                    above = parent(above);
                }
                Class::Below(Fqdn::reported(above))
            };
            let difference = found.iter().find(|d| d.class == class);
            for kind in KINDS {
                let (was, is) = answers(&name, kind);
                let record_type = RecordType::parse(kind).unwrap();
                // Types that were not asked one by one count as "every other".
                let stated = difference.is_some_and(|d| d.types.contains_key(&record_type) || (d.others.is_some() && !d.asked_types.contains(&record_type)));
                prop_assert_eq!(stated, was != is, "{} {}: {:?}, {:?} to {:?}", name, kind, difference, before, after);
            }
        }
        // Exactness: the difference of a class is the same for all of its names, also for longer
        // ones.
        for difference in &found {
            for kind in RecordType::ALL.iter().copied() {
                let (was, is) = answers(difference.asked.as_str(), kind.as_str());
                let stated = match difference.types.get(&kind) {
                    Some(pair) => Some(pair),
                    None => difference.others.as_deref().filter(|_| !difference.asked_types.contains(&kind)),
                };
                let stated = stated.map(|(before, after)| (said(before), said(after)));
                let differs = (was != is).then_some((was, is));
                prop_assert_eq!(stated, differs, "{:?} {}: {:?} to {:?}", difference.class, kind, before, after);
            }
        }
    }
}

/// Resolvers give up much earlier, and a chain without a limit would keep the program busy.
#[test]
fn a_chain_of_aliases_is_followed_to_its_limit() {
    for (aliases, is_followed) in [(1, true), (64, true), (65, false), (1000, false)] {
        let alias =
            |n: usize| (format!("n{n}.{APEX}"), "CNAME", format!("n{}.{APEX}", n + 1), false);
        let mut zone: Vec<Record> = (0..aliases).map(alias).collect();
        zone.push((format!("n{aliases}.{APEX}"), "A", "192.0.2.1".to_owned(), false));
        let (names, records) = (names(), parsed(&zone));
        let zones = zones(&names, &records, Mode::Standard);
        let answer = zones.answer(&Fqdn::reported(&format!("n0.{APEX}")), RecordType::A);
        assert_eq!(
            matches!(answer.end, End::Records(_)),
            is_followed,
            "{aliases}: {:?}",
            answer.end
        );
        assert_eq!(
            matches!(answer.end, End::Unknown(Unknown::LongChain)),
            !is_followed,
            "{aliases}"
        );
        assert_eq!(answer.aliases.len(), aliases.min(64));
    }
}

/// The mail servers of a name do not explain why its TXT record is missing.
#[test]
fn a_type_that_goes_is_told_beside_its_record() {
    let record = |kind, value: &str| -> Record { (APEX.to_owned(), kind, value.to_owned(), false) };
    let before = parsed(&[
        record("MX", "10 mx.a.test"),
        record("MX", "20 mx2.a.test"),
        record("TXT", "\"old\""),
    ]);
    let after = parsed(&[record("MX", "10 mx.a.test"), record("MX", "30 mx2.a.test")]);
    let names = names();
    let (old, new) =
        (zones(&names, &before, Mode::Standard), zones(&names, &after, Mode::Standard));
    let edits = [
        RecordEdit {
            zone: &names[0],
            before: Some(entry(&before[1])),
            after: Some(entry(&after[1])),
        },
        RecordEdit { zone: &names[0], before: Some(entry(&before[2])), after: None },
    ];
    let explained = explain(&old, &new, &edits, &References::default());
    let says = |lines: &[String]| {
        lines.iter().any(|line| line == "@: no TXT any more; the name has other records")
    };
    let said: Vec<bool> = explained.of_edits.iter().map(|lines| says(lines)).collect();
    assert_eq!(said, [false, true], "{:?}", explained.of_edits);
}

#[test]
fn the_names_that_a_wildcard_covers_become_proxied() {
    let record =
        |proxied| -> Record { (format!("*.{APEX}"), "A", "192.0.2.1".to_owned(), proxied) };
    let (before, after) = (parsed(&[record(false)]), parsed(&[record(true)]));
    let names = names();
    let (old, new) =
        (zones(&names, &before, Mode::Standard), zones(&names, &after, Mode::Standard));
    let edits = [RecordEdit {
        zone: &names[0],
        before: Some(entry(&before[0])),
        after: Some(entry(&after[0])),
    }];
    let explained = explain(&old, &new, &edits, &References::default());
    let line = format!(
        "every name below {APEX} without records of its own: 192.0.2.1 → Cloudflare's edge"
    );
    assert!(explained.of_edits[0].contains(&line), "{:?}", explained.of_edits);
}
