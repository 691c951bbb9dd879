//! The zones of the store in the form that the name server needs: records by name, in wire format.
//!
//! A zone is read at its first query, and again after a change of the store.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::base::name::Name;
use rusqlite::Connection;
use serde_json::Value;

use super::rdata;
use crate::stored_record::{COLUMNS, Record};
use crate::zone::{NAME_SERVERS, Zone};
use crate::{clock, dns_settings, settings};
use zonewright_model::facts::{self, AUTOMATIC_TTL_SECONDS};

/// Numbers of record types that the answers treat specially (IANA, DNS parameters).
pub(super) mod types {
    pub(in super::super) const A: u16 = 1;
    pub(in super::super) const NS: u16 = 2;
    pub(in super::super) const CNAME: u16 = 5;
    pub(in super::super) const SOA: u16 = 6;
    pub(in super::super) const HINFO: u16 = 13;
    pub(in super::super) const AAAA: u16 = 28;
    pub(in super::super) const DS: u16 = 43;
    pub(in super::super) const HTTPS: u16 = 65;
    pub(in super::super) const ANY: u16 = 255;
}

/// A name in two forms: for look-ups, and in wire format.
#[derive(Debug, Clone)]
pub(super) struct OwnerName {
    /// Lower case, labels separated by dots. Octets that no name of the store contains are escaped,
    /// so that a dot inside a label is no separator.
    pub(super) key: String,
    /// The octets, in the case of the query.
    pub(super) wire: Name<Vec<u8>>,
}

impl OwnerName {
    /// Converts a name of a message.
    pub(super) fn asked(wire: Name<Vec<u8>>) -> Self {
        let mut key = String::new();
        for label in wire.iter().filter(|label| !label.is_root()) {
            if !key.is_empty() {
                key.push('.');
            }
            for byte in label.iter() {
                match byte {
                    b'.' | b'\\' => key.push_str(&format!("\\{byte:03}")),
                    b'!'..=b'~' => key.push(char::from(byte.to_ascii_lowercase())),
                    other => key.push_str(&format!("\\{other:03}")),
                }
            }
        }
        Self { key, wire }
    }

    /// Converts a name of the store; `None` if it is too long.
    pub(super) fn stored(name: &str) -> Option<Self> {
        let wire = rdata::encode_name(name).and_then(|octets| Name::from_octets(octets).ok())?;
        Some(Self { key: name.to_owned(), wire })
    }
}

/// A record in wire format.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    /// The number of its type.
    pub(super) kind: u16,
    pub(super) ttl: u32,
    pub(super) data: Vec<u8>,
    /// The target of the types whose target matters here: CNAME and NS.
    pub(super) target: Option<String>,
    /// True if the record is proxied, and the zone's proxy is active.
    pub(super) proxied: bool,
    /// True if the answer has the addresses of its target.
    pub(super) flatten: bool,
    /// True if a proxied name has no IPv6 addresses.
    pub(super) ipv4_only: bool,
    /// True if a proxied name has no IPv4 addresses.
    pub(super) ipv6_only: bool,
}

pub(super) struct ZoneData {
    pub(super) name: String,
    /// Records by name.
    nodes: HashMap<String, Vec<Stored>>,
    /// All names that exist: names with records, and their ancestors.
    names: HashSet<String>,
    /// True if a wildcard does not cover an existing name without records.
    ///
    /// # Sources
    /// developers.cloudflare.com/dns/foundation-dns/setup, read 2026-11: advanced name servers
    /// follow RFC 4592 there, on standard name servers the wildcard covers such a name.
    pub(super) stops_at_empty: bool,
    /// True if every DNS-only alias is flattened.
    pub(super) flattens_all: bool,
    /// True if proxied names have IPv6 addresses.
    pub(super) ipv6: bool,
    /// Protocols that HTTPS records of proxied names offer.
    pub(super) alpn: Vec<&'static str>,
    /// True if NS records at the apex are served beside Cloudflare's.
    pub(super) multi_provider: bool,
    /// TTL of Cloudflare's NS records, in seconds.
    pub(super) ns_ttl: u32,
    /// The SOA record.
    pub(super) soa: Vec<u8>,
    /// TTL of the SOA record, in seconds.
    pub(super) soa_ttl: u32,
    /// The time for which negative answers may be cached, in seconds (RFC 2308 section 5).
    pub(super) negative_ttl: u32,
}

impl ZoneData {
    pub(super) fn at(&self, name: &str) -> &[Stored] {
        self.nodes.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Reads a zone from the store.
    ///
    /// # Sources
    /// A paused zone is DNS-only, and so is a zone in DNS-only mode: developers.cloudflare.com/api,
    /// "Edit Zone", and /dns/proxy-status, read 2026-11. A pending zone is answered but not
    /// proxied: /dns/zone-setups/reference/domain-status, read 2026-11. Secondary zones are
    /// multi-provider: /dns/nameservers/nameserver-options, read 2026-11. ASSUMED: a moved zone is
    /// answered like a pending one; the serial is the time of the last change; custom name servers
    /// have the names of standard ones.
    fn read(connection: &Connection, zone: &Zone) -> rusqlite::Result<Self> {
        let dns = dns_settings::current(connection, zone)?;
        let proxies = zone.status == "active" && !zone.paused && dns["zone_mode"] != "dns_only";
        let sql = format!("SELECT {COLUMNS} FROM records WHERE zone_id = ?1 ORDER BY seq");
        let mut statement = connection.prepare_cached(&sql)?;
        let mut nodes: HashMap<String, Vec<Stored>> = HashMap::new();
        let mut names = HashSet::from([zone.name.clone()]);
        let mut changed = clock::seconds_since_1970(&zone.modified_on).unwrap_or(0);
        for record in statement.query_map([&zone.id], Record::from_row)? {
            let record = record?;
            changed = changed.max(clock::seconds_since_1970(&record.modified_on).unwrap_or(0));
            let Some(stored) = stored(&record, proxies) else {
                tracing::warn!(
                    name = record.name,
                    kind = record.kind,
                    "a record that has no wire format is not served"
                );
                continue;
            };
            let mut name = record.name.as_str();
            while names.insert(name.to_owned())
                && let Some((_, above)) = name.split_once('.')
            {
                name = above;
            }
            nodes.entry(record.name).or_default().push(stored);
        }
        let is_on =
            |name: &str| settings::setting_value(connection, zone, name).map(|value| value == "on");
        let protocols = [("http3", "h3"), ("http2", "h2")];
        let mut alpn = Vec::new();
        for (setting, protocol) in protocols {
            if is_on(setting)? {
                alpn.push(protocol);
            }
        }
        let number =
            |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        let soa = &dns["soa"];
        let negative_ttl = number(&soa["min_ttl"]);
        Ok(Self {
            name: zone.name.clone(),
            nodes,
            names,
            stops_at_empty: dns["nameservers"]["type"] == "cloudflare.advanced",
            flattens_all: dns["flatten_all_cnames"] == true,
            ipv6: is_on("ipv6")?,
            alpn,
            multi_provider: dns["multi_provider"] == true || zone.kind == "secondary",
            ns_ttl: number(&dns["ns_ttl"]),
            soa: soa_data(soa, u32::try_from(changed).unwrap_or(1), number),
            soa_ttl: number(&soa["ttl"]),
            negative_ttl,
        })
    }
}

/// Encodes the SOA record (RFC 1035 section 3.3.13).
fn soa_data(soa: &Value, serial: u32, number: impl Fn(&Value) -> u32) -> Vec<u8> {
    let host = |value: &Value, or: &str| {
        rdata::encode_name(value.as_str().unwrap_or(or)).unwrap_or_else(|| vec![0])
    };
    let mut octets = host(&soa["mname"], NAME_SERVERS[0]);
    octets.extend(host(&soa["rname"], "dns.cloudflare.com"));
    octets.extend(serial.to_be_bytes());
    for member in ["refresh", "retry", "expire", "min_ttl"] {
        octets.extend(number(&soa[member]).to_be_bytes());
    }
    octets
}

/// Encodes a record; `None` if its value has no wire format.
fn stored(record: &Record, proxies: bool) -> Option<Stored> {
    let facts = facts::type_facts(&record.kind)?;
    let says = |setting: &str| record.settings.get(setting) == Some(&Value::Bool(true));
    let is_automatic = record.ttl <= 1 || record.proxied;
    Some(Stored {
        kind: facts.number,
        ttl: if is_automatic { AUTOMATIC_TTL_SECONDS } else { record.ttl },
        data: rdata::wire(facts, &record.content, record.priority, record.data.as_ref())?,
        target: matches!(facts.number, types::CNAME | types::NS).then(|| record.content.clone()),
        proxied: proxies && record.proxied,
        flatten: says("flatten_cname"),
        ipv4_only: says("ipv4_only"),
        ipv6_only: says("ipv6_only"),
    })
}

/// The zones, as of the last change of the store.
#[derive(Default)]
pub(super) struct Cache {
    /// Detects changes of the store: by this connection, and by other connections.
    version: Option<(u64, i64)>,
    /// All zones that are served, by name.
    zones: HashMap<String, Slot>,
}

/// A zone that is read when it is needed.
enum Slot {
    /// Not read yet.
    Closed(Box<Zone>),
    Open(Arc<ZoneData>),
}

impl Cache {
    /// Clears the cache if the store was changed.
    ///
    /// # Sources
    /// A zone that is being set up is not answered:
    /// developers.cloudflare.com/dns/zone-setups/reference/domain-status, read 2026-11. ASSUMED:
    /// neither are the names of a partial zone, whose name servers are elsewhere, and of an
    /// internal zone.
    pub(super) fn refresh(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let data_version =
            connection.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0))?;
        let version = Some((connection.total_changes(), data_version));
        if self.version != version {
            let is_served = |zone: &Zone| {
                zone.status != "initializing" && matches!(&*zone.kind, "full" | "secondary")
            };
            let zones = Zone::all(connection)?.into_iter().filter(is_served);
            self.zones =
                zones.map(|zone| (zone.name.clone(), Slot::Closed(Box::new(zone)))).collect();
            self.version = version;
        }
        Ok(())
    }
}

/// The zones of the store, for one question.
pub(super) struct Contents<'c> {
    pub(super) connection: &'c Connection,
    pub(super) cache: &'c mut Cache,
}

impl Contents<'_> {
    /// Finds the zone that answers for a name: the most specific zone at or above it. For DS at the
    /// apex of a zone, this is the parent zone (RFC 4035 section 3.1.4.1), if the sandbox has it.
    pub(super) fn zone_of(
        &mut self,
        name: &str,
        kind: u16,
    ) -> rusqlite::Result<Option<Arc<ZoneData>>> {
        let mut apex = None;
        let mut text = Some(name);
        while let Some(candidate) = text {
            if self.cache.zones.contains_key(candidate) {
                if kind != types::DS || candidate != name {
                    return self.open(candidate).map(Some);
                }
                apex = Some(candidate);
            }
            text = candidate.split_once('.').map(|(_, above)| above);
        }
        apex.map(|name| self.open(name)).transpose()
    }

    /// Returns a zone of the cache; reads it first if necessary.
    fn open(&mut self, name: &str) -> rusqlite::Result<Arc<ZoneData>> {
        match self.cache.zones.get(name) {
            Some(Slot::Open(data)) => Ok(Arc::clone(data)),
            Some(Slot::Closed(zone)) => {
                let data = Arc::new(ZoneData::read(self.connection, zone)?);
                self.cache.zones.insert(name.to_owned(), Slot::Open(Arc::clone(&data)));
                Ok(data)
            }
            None => Err(rusqlite::Error::QueryReturnedNoRows),
        }
    }
}
