//! Answers a question by the steps of RFC 1034 section 4.3.2.
//!
//! | step | found | answer |
//! |---|---|---|
//! | 2 | no zone | refused |
//! | 3b | a delegation at or above the name | the name servers, their DS records, and glue |
//! | 3a | the name, with records | the records, an alias to follow, or Cloudflare's own answer |
//! | 3c | a wildcard that covers the name | as 3a, under the name of the question |
//! | 3c | the name, without records | no data, with SOA (RFC 2308) |
//! | 3c | nothing | no such name, with SOA |
//!
//! # Sources
//! RFC 4592 (wildcards), RFC 6604 (the status is that of the last name of a chain), RFC 8482 (ANY).
//! developers.cloudflare.com/dns, read 2026-11: proxy-status, cname-flattening,
//! nameservers/nameserver-options. ASSUMED: an alias is followed through all zones of the sandbox,
//! of any account.

use std::collections::HashSet;

use super::zones::{Contents, OwnerName, Stored, ZoneData, types};
use super::{edge, rdata};
use crate::zone::NAME_SERVERS;
use zonewright_model::facts::AUTOMATIC_TTL_SECONDS;

/// Longest chain of aliases that is followed. ASSUMED: the number.
const ALIASES: usize = 32;

/// TTL of the answer to ANY, in seconds. ASSUMED: the value.
const ANY_TTL: u32 = 3600;

/// Response codes (RFC 1035 section 4.1.1).
pub(super) mod codes {
    pub(in super::super) const SERVER_FAILURE: u8 = 2;
    pub(in super::super) const NO_NAME: u8 = 3;
    pub(in super::super) const REFUSED: u8 = 5;
}

/// Extended errors (RFC 8914 section 4).
pub(super) mod extended {
    pub(in super::super) const OTHER: u16 = 0;
    pub(in super::super) const NOT_AUTHORITATIVE: u16 = 20;
    pub(in super::super) const NO_REACHABLE_AUTHORITY: u16 = 22;
}

/// A record of an answer.
#[derive(Debug, Clone)]
pub(super) struct SentRecord {
    pub(super) owner: OwnerName,
    /// The number of its type.
    pub(super) kind: u16,
    /// Seconds.
    pub(super) ttl: u32,
    pub(super) data: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Reply {
    /// The response code.
    pub(super) code: u8,
    /// The reason of a failure, as an extended error.
    pub(super) extended: Option<u16>,
    /// True if the zone of the question is served here, and not delegated.
    pub(super) authoritative: bool,
    /// The answer section.
    pub(super) answer: Vec<SentRecord>,
    /// The authority section.
    pub(super) authority: Vec<SentRecord>,
    /// The additional section.
    pub(super) additional: Vec<SentRecord>,
}

impl Reply {
    /// Returns the answer of a server that cannot answer.
    pub(super) fn failure() -> Self {
        Self { code: codes::SERVER_FAILURE, extended: Some(extended::OTHER), ..Self::default() }
    }

    /// Ends the reply with "no data" or "no such name".
    fn nothing(mut self, code: u8, zone: &ZoneData) -> Self {
        self.code = code;
        if let Some(owner) = OwnerName::stored(&zone.name) {
            let ttl = zone.soa_ttl.min(zone.negative_ttl);
            self.authority.push(SentRecord {
                owner,
                kind: types::SOA,
                ttl,
                data: zone.soa.clone(),
            });
        }
        self
    }
}

/// The result of looking up a name and type.
enum LookupResult<'z> {
    /// These records.
    Records(Vec<SentRecord>),
    /// The name exists, but has no record of the type.
    NoData,
    /// The name does not exist.
    NoName,
    /// Other name servers answer for this name and the names below it.
    Delegation(String),
    /// An alias to follow.
    Alias(&'z Stored, &'z str),
    /// An alias whose target's addresses are the answer.
    Flattened(&'z Stored, &'z str),
}

pub(super) fn authoritative_answer(
    contents: &mut Contents<'_>,
    question: OwnerName,
    kind: u16,
) -> rusqlite::Result<Reply> {
    resolve(contents, question, kind, &mut HashSet::new())
}

/// Answers a question; `seen` contains the names of the chain so far.
fn resolve(
    contents: &mut Contents<'_>,
    question: OwnerName,
    kind: u16,
    seen: &mut HashSet<String>,
) -> rusqlite::Result<Reply> {
    let mut reply = Reply { authoritative: true, ..Reply::default() };
    let mut owner = question;
    loop {
        let Some(zone) = contents.zone_of(&owner.key, kind)? else {
            if !reply.answer.is_empty() {
                return Ok(reply);
            }
            let extended = Some(extended::NOT_AUTHORITATIVE);
            return Ok(Reply { code: codes::REFUSED, extended, authoritative: false, ..reply });
        };
        match look_up(&zone, &owner, kind) {
            LookupResult::Records(records) => {
                reply.answer.extend(records);
                return Ok(reply);
            }
            LookupResult::NoData => return Ok(reply.nothing(0, &zone)),
            LookupResult::NoName => return Ok(reply.nothing(codes::NO_NAME, &zone)),
            LookupResult::Delegation(cut) => {
                reply.authoritative = !reply.answer.is_empty();
                refer(&mut reply, &zone, &cut);
                return Ok(reply);
            }
            LookupResult::Alias(alias, target) => {
                let sent = SentRecord {
                    owner: owner.clone(),
                    kind: types::CNAME,
                    ttl: alias.ttl,
                    data: alias.data.clone(),
                };
                let Some(next) = OwnerName::stored(target) else { return Ok(Reply::failure()) };
                // A loop, or a chain that is too long, ends with the records found so far.
                if !seen.insert(owner.key) || seen.len() > ALIASES {
                    return Ok(reply);
                }
                reply.answer.push(sent);
                owner = next;
            }
            LookupResult::Flattened(alias, target) => {
                let Some(next) = OwnerName::stored(target) else { return Ok(Reply::failure()) };
                if !seen.insert(owner.key.clone()) || seen.len() > ALIASES {
                    return Ok(Reply::failure());
                }
                return flatten(contents, reply, &zone, (owner, alias.ttl), next, kind, seen);
            }
        }
    }
}

/// Answers a question for a flattened alias with the addresses of its target.
///
/// ASSUMED: if the target has no addresses, or does not exist, the answer is "no data", because the
/// name itself exists; the TTL is the smallest of the chain. The sandbox does not query other name
/// servers, so a target outside its zones is an error.
fn flatten(
    contents: &mut Contents<'_>,
    mut reply: Reply,
    zone: &ZoneData,
    (owner, ttl): (OwnerName, u32),
    target: OwnerName,
    kind: u16,
    seen: &mut HashSet<String>,
) -> rusqlite::Result<Reply> {
    let target_reply = resolve(contents, target, kind, seen)?;
    let ttl = target_reply.answer.iter().map(|sent| sent.ttl).fold(ttl, u32::min);
    let addresses: Vec<Vec<u8>> = target_reply
        .answer
        .into_iter()
        .filter(|sent| sent.kind == kind)
        .map(|sent| sent.data)
        .collect();
    let has_soa = target_reply.authority.iter().any(|sent| sent.kind == types::SOA);
    match (addresses.is_empty(), has_soa) {
        (false, _) => {
            reply.answer.extend(addresses.into_iter().map(|data| SentRecord {
                owner: owner.clone(),
                kind,
                ttl,
                data,
            }));
            Ok(reply)
        }
        (true, true) => Ok(reply.nothing(0, zone)),
        (true, false) => {
            let extended = Some(extended::NO_REACHABLE_AUTHORITY);
            Ok(Reply {
                code: codes::SERVER_FAILURE,
                extended,
                authoritative: false,
                ..Reply::default()
            })
        }
    }
}

/// Adds the name servers of a delegated name, its DS records, and the addresses of the name servers
/// below it.
fn refer(reply: &mut Reply, zone: &ZoneData, cut: &str) {
    let Some(owner) = OwnerName::stored(cut) else { return };
    let records = zone.at(cut);
    for record in records.iter().filter(|record| matches!(record.kind, types::NS | types::DS)) {
        reply.authority.push(sent(&owner, record));
    }
    let suffix = format!(".{cut}");
    let mut hosts: Vec<&str> = records
        .iter()
        .filter(|r| r.kind == types::NS)
        .filter_map(|r| r.target.as_deref())
        .collect();
    hosts.sort_unstable();
    hosts.dedup();
    for host in hosts.into_iter().filter(|host| *host == cut || host.ends_with(&suffix)) {
        let Some(owner) = OwnerName::stored(host) else { continue };
        let addresses =
            zone.at(host).iter().filter(|record| matches!(record.kind, types::A | types::AAAA));
        reply.additional.extend(addresses.map(|record| sent(&owner, record)));
    }
}

fn sent(owner: &OwnerName, record: &Stored) -> SentRecord {
    SentRecord {
        owner: owner.clone(),
        kind: record.kind,
        ttl: record.ttl,
        data: record.data.clone(),
    }
}

/// Looks up a name and type in its zone.
fn look_up<'z>(zone: &'z ZoneData, owner: &OwnerName, kind: u16) -> LookupResult<'z> {
    let name = owner.key.as_str();
    // The search goes down from the apex and ends at the first delegation. The parent zone answers
    // for the DS records of a delegation.
    let mut above: Vec<&str> =
        std::iter::successors(Some(name), |name| name.split_once('.').map(|(_, rest)| rest))
            .take_while(|name| name.len() > zone.name.len())
            .collect();
    above.reverse();
    let delegates = |at: &str| {
        !at.starts_with("*.") && zone.at(at).iter().any(|record| record.kind == types::NS)
    };
    if let Some(cut) = above.iter().find(|at| delegates(at) && !(**at == name && kind == types::DS))
    {
        return LookupResult::Delegation((*cut).to_owned());
    }
    let records = zone.at(name);
    let is_apex = name == zone.name;
    if !records.is_empty() || is_apex {
        return at_name(zone, owner, records, is_apex, kind);
    }
    let exists = zone.has(name);
    match wildcard(zone, name, exists) {
        Some(star) => at_name(zone, owner, star, false, kind),
        None if exists => LookupResult::NoData,
        None => LookupResult::NoName,
    }
}

/// Returns the records of the wildcard that covers a name without records.
///
/// # Sources
/// RFC 4592 section 3.3.1: the wildcard is directly below the closest name that exists. On standard
/// name servers of Cloudflare, names without records do not count (see
/// [`ZoneData::stops_at_empty`]).
fn wildcard<'z>(zone: &'z ZoneData, name: &str, exists: bool) -> Option<&'z [Stored]> {
    if exists && zone.stops_at_empty {
        return None;
    }
    let mut text = name;
    while text.len() > zone.name.len() {
        let (_, above) = text.split_once('.')?;
        let star = zone.at(&format!("*.{above}"));
        if !star.is_empty() {
            return Some(star);
        }
        let ends = if zone.stops_at_empty { zone.has(above) } else { !zone.at(above).is_empty() };
        if ends {
            return None;
        }
        text = above;
    }
    None
}

/// Selects the records of a name that answer a question, under the name of the question.
///
/// ASSUMED: an alias that is flattened or proxied answers only questions for addresses, and `ANY`
/// is answered as RFC 8482 section 4.2 suggests.
fn at_name<'z>(
    zone: &'z ZoneData,
    owner: &OwnerName,
    records: &'z [Stored],
    is_apex: bool,
    kind: u16,
) -> LookupResult<'z> {
    if kind == types::ANY {
        let data = rdata::character_strings(&[b"RFC8482", b""]);
        return LookupResult::Records(vec![SentRecord {
            owner: owner.clone(),
            kind: types::HINFO,
            ttl: ANY_TTL,
            data,
        }]);
    }
    if is_apex && kind == types::SOA {
        let (ttl, data) = (zone.soa_ttl, zone.soa.clone());
        return LookupResult::Records(vec![SentRecord { owner: owner.clone(), kind, ttl, data }]);
    }
    let mut set: Vec<SentRecord> =
        records.iter().filter(|r| r.kind == kind).map(|record| sent(owner, record)).collect();
    if is_apex && kind == types::NS {
        if !zone.multi_provider {
            set.clear();
        }
        let names = NAME_SERVERS.iter().filter_map(|name| rdata::encode_name(name));
        set.splice(
            0..0,
            names.map(|data| SentRecord { owner: owner.clone(), kind, ttl: zone.ns_ttl, data }),
        );
        return LookupResult::Records(set);
    }
    if let Some(data) = edge::edge_answer(zone, &owner.key, records, kind) {
        let sent = data.into_iter().map(|data| SentRecord {
            owner: owner.clone(),
            kind,
            ttl: AUTOMATIC_TTL_SECONDS,
            data,
        });
        return records_found(sent.collect());
    }
    let alias = records.iter().find_map(|record| {
        let target = record.target.as_deref().filter(|_| record.kind == types::CNAME)?;
        Some((record, target))
    });
    let is_flattened =
        |alias: &Stored| is_apex || zone.flattens_all || alias.flatten || alias.proxied;
    match alias {
        Some((alias, _)) if kind == types::CNAME && is_flattened(alias) => LookupResult::NoData,
        // Cloudflare allows other types beside an alias; questions for them return them.
        _ if !set.is_empty() => LookupResult::Records(set),
        Some((alias, target)) if is_flattened(alias) => {
            if matches!(kind, types::A | types::AAAA) {
                LookupResult::Flattened(alias, target)
            } else {
                LookupResult::NoData
            }
        }
        Some((alias, target)) => LookupResult::Alias(alias, target),
        None => LookupResult::NoData,
    }
}

fn records_found<'z>(records: Vec<SentRecord>) -> LookupResult<'z> {
    if records.is_empty() { LookupResult::NoData } else { LookupResult::Records(records) }
}
