//! Generates a history from a seed, deterministically.

use fastrand::Rng;
use serde_json::json;

use super::history::{
    Call, Existing, Foreign, Gone, History, Ignored, Service, Strike, Wanted, Zone, full,
};
use super::pool::{NAMES, Value, excludes};
use super::protection::{Protection, Rule, Waf};
use super::trouble;

const ZONES: [&str; 3] = ["alpha.example", "beta.example", "gamma.example"];
const TTLS: [u32; 4] = [1, 60, 300, 3600];
const COMMENTS: [&str; 3] = ["by hand", "team: web", "since 2019"];

/// Returns true with this probability.
pub(super) fn chance(rng: &mut Rng, percent: u8) -> bool {
    rng.u8(..100) < percent
}

/// Returns one of these.
pub(super) fn one<'a, T>(rng: &mut Rng, all: &'a [T]) -> &'a T {
    &all[rng.usize(..all.len())]
}

/// Returns the history of a seed.
pub(crate) fn history(seed: u64) -> History {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let has_base = chance(rng, 25);
    let is_saved = chance(rng, 25);
    let page_limit = if chance(rng, 30) { rng.u64(1..6) } else { 5000 };
    let service = Service {
        batches: !chance(rng, 30),
        page_limit,
        // Pages of a list whose order changes with each request do not form a complete list.
        is_unordered: page_limit == 5000 && chance(rng, 30),
        is_old: chance(rng, 10),
        joins_texts: joins_texts(seed),
    };
    let call = Call {
        batch_size: match rng.u8(..4) {
            0 => Some(1),
            1 => Some(rng.u32(2..6)),
            _ => None,
        },
        concurrency: if chance(rng, 20) { rng.u16(2..5) } else { 1 },
        is_saved,
        has_base,
        // Not random, so that it changes no other part of a history.
        verify: if seed.is_multiple_of(2) { "answers" } else { "read" },
    };
    let count = *one(rng, &[1, 1, 1, 1, 1, 2, 2, 3]);
    let mut zones: Vec<Zone> =
        ZONES[..count].iter().map(|name| zone(rng, name, has_base)).collect();
    if service.joins_texts {
        zones.iter_mut().for_each(|zone| drop_twins(&mut zone.existing));
    }
    let between = if chance(rng, 12) { foreigners(rng, &zones, 2) } else { Vec::new() };
    let script = script(rng, &zones);
    let interrupt = chance(rng, 24).then(|| rng.u64(1..20));
    let is_kill = interrupt.is_some() && rng.bool();
    History { seed, zones, service, call, between, script, interrupt, is_kill }
}

/// Returns true if the sandbox of a seed calls texts identical that differ only in their cuts: both
/// are tried, or the one that is asked for.
fn joins_texts(seed: u64) -> bool {
    match std::env::var("ZONEWRIGHT_HISTORY_TEXTS").as_deref() {
        Ok("joined") => true,
        Ok("apart") => false,
        Ok(other) => panic!("ZONEWRIGHT_HISTORY_TEXTS is neither `joined` nor `apart`: {other}"),
        Err(_) => seed / 2 % 2 == 1,
    }
}

/// Drops one of two records that such a sandbox never has together.
fn drop_twins(existing: &mut Vec<Existing>) {
    let mut kept: Vec<(&str, Value)> = Vec::new();
    existing.retain(|record| {
        let is_new = !kept.iter().any(|(name, value)| {
            *name == record.name && value.is_twin(record.value.kind, record.value.text)
        });
        kept.extend(is_new.then_some((record.name, record.value)));
        is_new
    });
}

/// Returns what happens to the requests of the first apply.
fn script(rng: &mut Rng, zones: &[Zone]) -> Vec<Strike> {
    let mut script = Vec::new();
    // Some histories have no faults, so that strict assertions are tested, too.
    if !chance(rng, 15) {
        for _ in 0..rng.u8(1..5) {
            script.push(Strike::Fault(trouble::fault(rng)));
        }
    }
    if chance(rng, 30) {
        script.extend(foreigners(rng, zones, 3).into_iter().map(|foreign| {
            let number = rng.u64(1..14);
            Strike::Foreign { number, is_after: rng.bool(), foreign }
        }));
    }
    script
}

/// Returns a zone.
fn zone(rng: &mut Rng, name: &'static str, has_base: bool) -> Zone {
    let is_new = chance(rng, 5);
    let prune = chance(rng, 40);
    let plan = *one(rng, &["free", "free", "pro", "business"]);
    let mut wanted = Vec::new();
    for _ in 0..rng.usize(..16) {
        let entry = entry(rng);
        if fits(&wanted, &entry) {
            wanted.push(dressed(rng, entry));
        }
    }
    let ignored = if prune { ignored(rng) } else { Vec::new() };
    let gone = gone(rng, &wanted);
    let before = if has_base { earlier(rng, &wanted) } else { Vec::new() };
    let existing = if is_new { Vec::new() } else { existing(rng, name, &wanted, &gone, &before) };
    let settings = if chance(rng, 15) { settings(rng) } else { Vec::new() };
    let protection = (plan == "business" && !is_new && chance(rng, 25)).then(|| protection(rng));
    Zone {
        name,
        plan,
        is_new,
        prune,
        ignored,
        wanted,
        gone,
        before,
        existing,
        settings,
        protection,
    }
}

/// Returns a name and a value that is allowed there.
fn entry(rng: &mut Rng) -> (&'static str, Value) {
    let (name, values) = one(rng, NAMES);
    (name, *one(rng, values))
}

/// Returns true if a spec can have an entry beside these.
fn fits(wanted: &[Wanted], (name, value): &(&'static str, Value)) -> bool {
    let is_apex = *name == "@";
    wanted.iter().filter(|w| w.name == *name).all(|w| w.value != *value && !excludes(w.value.kind, value.kind, is_apex))
        // The zone's own name has one alias at most, like any other.
        && !wanted.iter().any(|w| w.name == *name && w.value.kind == "CNAME" && value.kind == "CNAME")
}

/// Adds the attributes of a record that a spec may have.
fn dressed(rng: &mut Rng, (name, value): (&'static str, Value)) -> Wanted {
    let proxied = (value.is_proxiable() && chance(rng, 50)).then(|| rng.bool());
    let ttl = chance(rng, 50).then(|| *one(rng, &TTLS));
    let comment = chance(rng, 30).then(|| chance(rng, 75).then(|| *one(rng, &COMMENTS)));
    Wanted { name, value, ttl, proxied, comment }
}

/// Returns what stays in a zone that is pruned.
fn ignored(rng: &mut Rng) -> Vec<Ignored> {
    let all = [
        Ignored { name: Some("_acme-challenge*"), kind: Some("TXT") },
        Ignored { name: Some("old"), kind: None },
        Ignored { name: None, kind: Some("CAA") },
    ];
    all.into_iter().filter(|_| chance(rng, 30)).collect()
}

/// Returns records that a spec removes explicitly.
fn gone(rng: &mut Rng, wanted: &[Wanted]) -> Vec<Gone> {
    let mut gone: Vec<Gone> = Vec::new();
    for _ in 0..rng.usize(..3) {
        let (name, value) = entry(rng);
        let whole = rng.bool();
        let same = |n: &str, kind: &str| n == name && kind == value.kind;
        let is_wanted =
            wanted.iter().any(|w| same(w.name, w.value.kind) && (whole || w.value == value));
        if !is_wanted && !gone.iter().any(|g| same(g.name, g.kind)) {
            gone.push(Gone { name, kind: value.kind, value: (!whole).then_some(value) });
        }
    }
    gone
}

/// Returns the records of the previous spec: some are different, some were added since, some were
/// removed since.
fn earlier(rng: &mut Rng, wanted: &[Wanted]) -> Vec<Wanted> {
    let mut before: Vec<Wanted> = Vec::new();
    for record in wanted {
        match rng.u8(..10) {
            0 | 1 => {}
            2 => before.push(dressed(rng, (record.name, record.value))),
            _ => before.push(record.clone()),
        }
    }
    for _ in 0..rng.usize(..4) {
        let entry = entry(rng);
        if fits(&before, &entry) {
            before.push(dressed(rng, entry));
        }
    }
    before
}

/// Returns the live state: many of the wanted records, some of them different, and foreign records.
fn existing(
    rng: &mut Rng,
    zone: &str,
    wanted: &[Wanted],
    gone: &[Gone],
    before: &[Wanted],
) -> Vec<Existing> {
    let mut all: Vec<Existing> = Vec::new();
    let mut add = |rng: &mut Rng, name: &'static str, value: Value, like: Option<&Wanted>| {
        let at = all.iter().filter(|s| s.name == name);
        let is_apex = name == "@";
        if !at
            .clone()
            .all(|s| s.value != value && !cannot_coexist(s.value.kind, value.kind, is_apex))
        {
            return;
        }
        let proxied = match like.and_then(|l| l.proxied) {
            Some(proxied) => proxied,
            None => value.is_proxiable() && chance(rng, 30),
        };
        let ttl = like.and_then(|l| l.ttl).unwrap_or_else(|| *one(rng, &TTLS));
        let comment = match like.map(|l| l.comment) {
            Some(Some(comment)) => comment,
            _ => chance(rng, 20).then(|| *one(rng, &COMMENTS)),
        };
        let id = format!("{:0>32}", format!("{:x}{:03x}", zone.as_bytes()[0], all.len() + 1));
        let ttl = if proxied { 1 } else { ttl };
        all.push(Existing { id, name, value, ttl, proxied, comment, is_read_only: false });
    };
    for record in before.iter().chain(wanted) {
        match rng.u8(..12) {
            // The record is in the wanted state.
            0..=4 => add(rng, record.name, record.value, Some(record)),
            // The value is there, with other attributes.
            5 | 6 => add(rng, record.name, record.value, None),
            // Another value of the type is there.
            7 | 8 => {
                let values = NAMES
                    .iter()
                    .find(|(name, _)| *name == record.name)
                    .map_or(&[][..], |(_, values)| values);
                let others: Vec<Value> =
                    values.iter().copied().filter(|v| v.kind == record.value.kind).collect();
                let other = *one(rng, &others);
                add(rng, record.name, other, None);
            }
            // It is missing.
            _ => {}
        }
    }
    for record in gone {
        if let Some(value) = record.value.filter(|_| rng.bool()) {
            add(rng, record.name, value, None);
        }
    }
    for _ in 0..rng.usize(..7) {
        let (name, value) = entry(rng);
        add(rng, name, value, None);
    }
    if chance(rng, 20) {
        let key = Value { kind: "TXT", text: "v=DKIM1; p=abc", purpose: "v=dkim1" };
        add(rng, "cf2024-1._domainkey", key, None);
        if let Some(last) = all.last_mut().filter(|s| s.value == key) {
            last.is_read_only = true;
        }
    }
    all
}

/// Returns true if Cloudflare would not hold both.
fn cannot_coexist(a: &str, b: &str, is_apex: bool) -> bool {
    excludes(a, b, is_apex)
        || (a == "CNAME" && b == "CNAME")
        // A delegation is alone at its name.
        || (!is_apex && a != b && (a == "NS" || b == "NS"))
}

/// Settings of a zone.
fn settings(rng: &mut Rng) -> Vec<(&'static str, &'static str)> {
    let all = [("always_use_https", "on"), ("min_tls_version", "1.2")];
    all.into_iter().filter(|_| chance(rng, 70)).collect()
}

/// Returns the protection of a zone.
fn protection(rng: &mut Rng) -> Protection {
    let section = |rng: &mut Rng| Waf {
        owasp: chance(rng, 60).then(|| (rng.u8(1..5), *one(rng, &[25, 40, 60]))),
        custom: rules(rng, &["scanners", "office", "partners"]),
    };
    let wanted = chance(rng, 85).then(|| section(rng));
    let before = match rng.u8(..3) {
        0 => wanted.clone(),
        _ => chance(rng, 80).then(|| section(rng)),
    };
    // Some objects that a spec wants or wanted already exist, in the same or in another form.
    let mut existing = rules(rng, &["theirs-1", "theirs-2"]);
    for name in ["scanners", "office", "partners"] {
        let mut all = wanted.iter().chain(&before).flat_map(|waf| &waf.custom);
        if let Some(rule) = all.find(|(own, _, _)| *own == name).filter(|_| rng.bool()) {
            existing.push(if rng.bool() { *rule } else { (name, HOSTS[0], ACTIONS[1]) });
        }
    }
    Protection { wanted, before, existing, is_deployed: rng.bool() }
}

/// Hosts and actions of rules.
const HOSTS: [&str; 2] = ["one.example", "two.example"];
const ACTIONS: [&str; 2] = ["block", "managed_challenge"];

/// Returns some rules of these names.
fn rules(rng: &mut Rng, names: &[&'static str]) -> Vec<Rule> {
    let chosen: Vec<&'static str> = names.iter().copied().filter(|_| rng.bool()).collect();
    chosen.into_iter().map(|name| (name, *one(rng, &HOSTS), *one(rng, &ACTIONS))).collect()
}

/// Writes of someone else.
fn foreigners(rng: &mut Rng, zones: &[Zone], most: usize) -> Vec<Foreign> {
    let mut all = Vec::new();
    for _ in 0..rng.usize(1..=most) {
        let zone = one(rng, zones);
        let records = format!("/zones/{}/dns_records", zone.id());
        let touchable: Vec<&Existing> = zone.existing.iter().filter(|s| !s.is_read_only).collect();
        let foreign =
            |method, path, body, name| Foreign { method, path, body, zone: zone.name, name };
        if zone.is_new {
            continue;
        }
        if touchable.is_empty() || chance(rng, 40) {
            let (name, value) = entry(rng);
            let mut body = value.members();
            body["type"] = value.kind.into();
            body["name"] = full(name, zone.name).into();
            body["ttl"] = (*one(rng, &TTLS)).into();
            all.push(foreign("POST", records, body, name));
            continue;
        }
        let record = one(rng, &touchable);
        let path = format!("{records}/{}", record.id);
        let body = match rng.u8(..4) {
            0 => {
                all.push(foreign("DELETE", path, serde_json::Value::Null, record.name));
                continue;
            }
            1 => json!({ "ttl": 7200, "proxied": false }),
            2 => json!({ "comment": "theirs" }),
            _ => {
                let values = NAMES
                    .iter()
                    .find(|(name, _)| *name == record.name)
                    .map_or(&[][..], |(_, values)| values);
                let others: Vec<Value> =
                    values.iter().copied().filter(|v| v.kind == record.value.kind).collect();
                one(rng, &others).members()
            }
        };
        all.push(foreign("PATCH", path, body, record.name));
    }
    all
}
