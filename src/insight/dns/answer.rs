//! The authoritative answer for a name and a type.
//!
//! The steps are those of RFC 1034 section 4.3.2: find the zone, stop at a delegation, take the
//! name itself or the wildcard that covers it, follow an alias as long as it stays in known zones.
//! Cloudflare adds four things: proxied names are answered with its own addresses, some aliases are
//! answered with the addresses that they lead to (flattened), it answers for SOA and name servers
//! of the zone itself, and its standard name servers let a wildcard cover empty non-terminals
//! ([`super::Serving`]).
//!
//! # Sources
//! RFC 1034 section 4.3.2, RFC 2308 (no data, no such name), RFC 4592 (wildcards), RFC 6604 (the
//! status is that of the last name of a chain), RFC 8020 (a name that exists only because of names
//! below it exists). developers.cloudflare.com/dns, read 2026-11: proxy-status, cname-flattening,
//! manage-dns-records/reference/shadowed-records.

use super::entry::Entry;
use super::index::{NameNode, ZoneIndex};
use super::serving::Serving;
use super::zones::Zones;
use crate::model::facts::AUTOMATIC_TTL_SECONDS;
use crate::model::{Fqdn, RecordType, ZoneName};

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The aliases that were followed, in order.
    pub aliases: Vec<Alias<'a>>,
    /// The queried name, or the target of the last alias.
    pub name: Fqdn,
    /// The zone of that name, if it is known.
    pub zone: Option<&'a ZoneName>,
    /// The wildcard that answers for it, if one does.
    pub wildcard: Option<&'a str>,
    /// The result for that name.
    pub end: End<'a>,
}

/// An alias that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias<'a> {
    /// The queried name.
    pub name: Fqdn,
    /// The wildcard that answers for it, if one does.
    pub wildcard: Option<&'a str>,
    /// The CNAME record.
    pub record: Entry<'a>,
    /// True if Cloudflare answers with the target's records instead of the alias.
    pub flattened: bool,
}

/// The result at the end of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End<'a> {
    Records(Vec<Entry<'a>>),
    /// Addresses of Cloudflare's edge: the name is proxied, by these records.
    Edge(Vec<Entry<'a>>),
    /// The name exists, but not with this type.
    NoData(NoData),
    /// The name does not exist, and nothing below it does.
    NoName,
    /// Other name servers answer.
    Referral(Box<Referral<'a>>),
    /// The name is in no known zone.
    Elsewhere,
    /// The aliases form a loop.
    Loop,
    /// Cloudflare answers with records of its own. The records of the zone are served beside them.
    Cloudflare(Own, Vec<Entry<'a>>),
    /// The answer is not documented.
    Unknown(Unknown),
}

/// The reason why a name has no record of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoData {
    /// The name has other records.
    OtherTypes,
    /// The name is an empty non-terminal.
    Empty,
    /// The name is proxied, and addresses of this family are switched off.
    Family,
    /// The name is proxied or flattened, so its alias is not visible.
    Hidden,
}

/// Records that Cloudflare adds or replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Own {
    /// The name servers of the zone.
    NameServers,
    /// The keys of a signed zone.
    Keys,
    /// HTTPS records of a proxied name, if HTTP/2 or HTTP/3 is on.
    Https,
}

/// The reason why an answer is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unknown {
    /// A type other than an address, at a flattened alias.
    FlattenedType,
    /// More aliases than any resolver follows.
    LongChain,
    /// NS records at a wildcard (RFC 4592 section 4.2 leaves them undefined).
    WildcardDelegation,
    /// An alias that is not flattened beside other records.
    BesideAlias,
}

/// A referral to other name servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referral<'a> {
    /// The delegated name.
    pub cut: &'a str,
    /// Its name servers.
    pub servers: Vec<Entry<'a>>,
    /// Its DS records.
    pub ds: Vec<Entry<'a>>,
    /// The addresses of name servers that are at or below the delegated name.
    pub glue: Vec<Entry<'a>>,
    /// Records for the question that the zone has and the delegation hides.
    pub hidden: Vec<Entry<'a>>,
}

/// Maximum number of aliases that are followed. Resolvers follow fewer (BIND and Unbound 11,
/// `max-query-restarts`, read 2026-11), so later ones have no effect.
const MOST_FOLLOWED: usize = 64;

/// Returns true if a type is an address.
fn is_address(kind: RecordType) -> bool {
    matches!(kind, RecordType::A | RecordType::Aaaa)
}

/// The origin of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// A resolver, which gets Cloudflare's addresses for proxied names.
    Resolver,
    /// Cloudflare itself, which looks for the origin behind a proxied name.
    Cloudflare,
}

/// The result for one name.
pub(super) enum NameResult<'a> {
    /// The end of the chain.
    End(End<'a>),
    /// An alias. True if it is flattened.
    Alias(Entry<'a>, bool),
}

/// The result for one name, and its source.
pub(super) struct NameAnswer<'a> {
    /// The zone of the name, if it is known.
    pub(super) zone: Option<&'a ZoneName>,
    /// The wildcard that answers for it, if one does.
    pub(super) wildcard: Option<&'a str>,
    /// The result.
    pub(super) found: NameResult<'a>,
}

impl<'a> Zones<'a> {
    /// Returns the answer for a name and type.
    #[must_use]
    pub fn answer(&self, name: &Fqdn, kind: RecordType) -> Answer<'a> {
        follow(name, |name| self.ask_one_name(name, kind, Asker::Resolver))
    }

    /// Returns the result for one name without following aliases.
    pub(super) fn ask_one_name(
        &self,
        name: &Fqdn,
        kind: RecordType,
        asker: Asker,
    ) -> NameAnswer<'a> {
        let Some(zone) = self.zone_for(name, kind) else {
            return NameAnswer {
                zone: None,
                wildcard: None,
                found: NameResult::End(End::Elsewhere),
            };
        };
        let (wildcard, found) = zone.find(name, kind, asker);
        NameAnswer { zone: Some(zone.name()), wildcard, found }
    }

    /// Returns the zone that answers. For DS at the apex of a zone it is the parent zone, if that
    /// is known.
    fn zone_for(&self, name: &Fqdn, kind: RecordType) -> Option<&ZoneIndex<'a>> {
        let zone = self.zone_of(name)?;
        if kind != RecordType::Ds || zone.name().as_fqdn() != name {
            return Some(zone);
        }
        let above = name.as_str().split_once('.').map(|(_, parent)| Fqdn::reported(parent));
        Some(above.and_then(|parent| self.zone_of(&parent)).unwrap_or(zone))
    }
}

/// Queries a name and the targets of its aliases.
fn follow<'a>(name: &Fqdn, ask: impl Fn(&Fqdn) -> NameAnswer<'a>) -> Answer<'a> {
    let mut aliases: Vec<Alias<'a>> = Vec::new();
    let mut name = name.clone();
    loop {
        let NameAnswer { zone, wildcard, found } = ask(&name);
        let end = |aliases, name, end| Answer { aliases, name, zone, wildcard, end };
        let (record, flattened) = match found {
            NameResult::End(found) => return end(aliases, name, found),
            NameResult::Alias(record, flattened) => (record, flattened),
        };
        if aliases.len() >= MOST_FOLLOWED {
            return end(aliases, name, End::Unknown(Unknown::LongChain));
        }
        let is_loop = aliases.iter().any(|alias| alias.name == name);
        let Some(target) = record.data.target().filter(|_| !is_loop) else {
            return end(aliases, name, End::Loop);
        };
        aliases.push(Alias { name, wildcard, record, flattened });
        name = target.clone();
    }
}

impl<'a> ZoneIndex<'a> {
    /// Returns the answer for a name and type from this zone alone.
    #[must_use]
    pub fn answer(&self, name: &Fqdn, kind: RecordType) -> Answer<'a> {
        follow(name, |name| {
            let (wildcard, found) = self.find(name, kind, Asker::Resolver);
            let is_in_zone = name.is_within(self.name().as_fqdn());
            NameAnswer { zone: is_in_zone.then(|| self.name()), wildcard, found }
        })
    }

    /// Returns the result for one name of the zone, with the wildcard that answers for it, if one
    /// does.
    fn find(
        &self,
        name: &Fqdn,
        kind: RecordType,
        asker: Asker,
    ) -> (Option<&'a str>, NameResult<'a>) {
        let Some(location) = self.locate(name.as_str()) else {
            return (None, NameResult::End(End::Elsewhere));
        };
        // The parent side of a delegation answers for DS (RFC 4035 section 3.1.4.1).
        let asks_parent =
            |cut: &NameNode<'_, 'a>| kind == RecordType::Ds && cut.name() == name.as_str();
        if let Some(cut) = location.cut.filter(|cut| !asks_parent(cut)) {
            return (
                None,
                NameResult::End(End::Referral(Box::new(self.referral(cut, location.exact, kind)))),
            );
        }
        if let Some(node) = location.exact.filter(NameNode::has_records) {
            return (None, at_node(node, self.serving(), kind, asker));
        }
        match (location.wildcard, location.exact) {
            (Some(star), _) => (Some(star.name()), at_node(star, self.serving(), kind, asker)),
            (None, Some(_)) => (None, NameResult::End(End::NoData(NoData::Empty))),
            (None, None) => (None, NameResult::End(End::NoName)),
        }
    }

    /// Returns the referral of a delegation.
    fn referral(
        &self,
        cut: NameNode<'_, 'a>,
        exact: Option<NameNode<'_, 'a>>,
        kind: RecordType,
    ) -> Referral<'a> {
        let servers = cut.of_type(RecordType::Ns);
        let inside = |host: &&Fqdn| host.as_str() == cut.name() || below(host.as_str(), cut.name());
        let mut hosts: Vec<&Fqdn> =
            servers.iter().filter_map(|ns| ns.data.target()).filter(inside).collect();
        hosts.sort();
        hosts.dedup();
        let addresses = |host: &Fqdn| {
            let node = self.node(host.as_str());
            node.into_iter()
                .flat_map(|n| [n.of_type(RecordType::A), n.of_type(RecordType::Aaaa)].concat())
        };
        let glue: Vec<Entry<'a>> = hosts.into_iter().flat_map(addresses).collect();
        let hidden = exact
            .filter(|_| kind != RecordType::Ns)
            .map(|node| node.of_type(kind))
            .unwrap_or_default();
        // Glue is not hidden, because the referral contains it.
        let hidden = hidden.into_iter().filter(|entry| !glue.contains(entry)).collect();
        Referral { cut: cut.name(), ds: cut.of_type(RecordType::Ds), glue, hidden, servers }
    }
}

/// Returns true if a name is below another.
fn below(name: &str, above: &str) -> bool {
    name.strip_suffix(above).is_some_and(|rest| rest.ends_with('.'))
}

/// Returns the result of a name with records, or of the wildcard that answers for it.
fn at_node<'a>(
    node: NameNode<'_, 'a>,
    serving: &Serving,
    kind: RecordType,
    asker: Asker,
) -> NameResult<'a> {
    let set = node.of_type(kind);
    let alias = node.of_type(RecordType::Cname).first().copied();
    let is_own = node.is_apex() && !serving.is_plain;
    if node.is_wildcard() && node.has(RecordType::Ns) {
        return NameResult::End(End::Unknown(Unknown::WildcardDelegation));
    }
    // The name servers of the apex are Cloudflare's even if the name is proxied.
    if is_own && kind == RecordType::Ns {
        let served = if serving.multi_provider == Some(true) { set } else { Vec::new() };
        return NameResult::End(End::Cloudflare(Own::NameServers, served));
    }
    if asker == Asker::Resolver && serving.proxies() {
        let proxied: Vec<_> = node.records().filter(Entry::is_proxied).collect();
        if !proxied.is_empty() {
            return NameResult::End(proxied_name(proxied, set, serving, kind));
        }
    }
    if is_own && kind == RecordType::Dnskey && serving.dnssec == Some(true) {
        return NameResult::End(End::Cloudflare(Own::Keys, set));
    }
    let asks_alias = kind == RecordType::Cname;
    let of_type = |set: Vec<Entry<'a>>| match set.is_empty() {
        true => NameResult::End(End::NoData(NoData::OtherTypes)),
        false => NameResult::End(End::Records(set)),
    };
    let Some(alias) = alias else { return of_type(set) };
    let is_chosen = serving.flattens(alias.settings.flatten_cname);
    let flattened = is_chosen || node.is_apex() && !serving.is_plain;
    // Resolvers that know the alias query its target for other types, and others do not (RFC 1034
    // section 3.6.2). No address is beside an alias.
    let is_beside = || node.records().any(|entry| !entry.is(RecordType::Cname));
    if !flattened && !serving.is_plain && !is_address(kind) && is_beside() {
        return NameResult::End(End::Unknown(Unknown::BesideAlias));
    }
    // Types beside a flattened alias are answered directly.
    if flattened && !asks_alias && !is_address(kind) && !set.is_empty() {
        return of_type(set);
    }
    match (flattened, asks_alias) {
        (true, true) => NameResult::End(End::NoData(NoData::Hidden)),
        (false, true) => NameResult::End(End::Records(set)),
        (true, false) if node.is_apex() && !is_address(kind) => {
            NameResult::End(End::NoData(NoData::Hidden))
        }
        (true, false) if !is_address(kind) => NameResult::End(End::Unknown(Unknown::FlattenedType)),
        (flattened, false) => NameResult::Alias(alias, flattened),
    }
}

/// Returns the result of a proxied name.
fn proxied_name<'a>(
    proxied: Vec<Entry<'a>>,
    set: Vec<Entry<'a>>,
    serving: &Serving,
    kind: RecordType,
) -> End<'a> {
    let only =
        |on: fn(&Entry<'_>) -> Option<bool>| proxied.iter().any(|entry| on(entry) == Some(true));
    match kind {
        RecordType::A if only(|e| e.settings.ipv6_only) => End::NoData(NoData::Family),
        RecordType::Aaaa if serving.ipv6 == Some(false) || only(|e| e.settings.ipv4_only) => {
            End::NoData(NoData::Family)
        }
        RecordType::A | RecordType::Aaaa => End::Edge(proxied),
        RecordType::Cname => End::NoData(NoData::Hidden),
        RecordType::Https if set.is_empty() => End::Cloudflare(Own::Https, set),
        _ if set.is_empty() => End::NoData(NoData::OtherTypes),
        _ => End::Records(set),
    }
}

impl Entry<'_> {
    /// Returns true if the record makes its name proxied.
    #[must_use]
    pub fn is_proxied(&self) -> bool {
        self.is_address_or_alias() && self.proxied
    }

    /// Returns the time for which an answer with this record may be cached.
    ///
    /// # Units
    /// Seconds.
    #[must_use]
    pub fn seconds(&self) -> u32 {
        if self.ttl.is_automatic() || self.is_proxied() {
            AUTOMATIC_TTL_SECONDS
        } else {
            self.ttl.as_number()
        }
    }
}

impl<'a> Answer<'a> {
    /// Returns the records of the answer: the aliases, then those at its end.
    pub fn records(&self) -> impl Iterator<Item = Entry<'a>> + '_ {
        let end: Vec<Entry<'a>> = match &self.end {
            End::Records(set) | End::Edge(set) | End::Cloudflare(_, set) => set.clone(),
            End::Referral(referral) => {
                [&referral.servers[..], &referral.ds, &referral.glue].concat()
            }
            End::NoData(_) | End::NoName | End::Elsewhere | End::Loop | End::Unknown(_) => {
                Vec::new()
            }
        };
        self.aliases.iter().map(|alias| alias.record).chain(end)
    }

    /// Returns the kind of answer, for programs.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match self.end {
            End::Records(_) => "records",
            End::Edge(_) => "edge",
            End::NoData(_) => "no-data",
            End::NoName => "no-name",
            End::Referral(_) => "referral",
            End::Elsewhere => "elsewhere",
            End::Loop => "loop",
            End::Cloudflare(..) => "cloudflare",
            End::Unknown(_) => "unknown",
        }
    }

    /// Returns true if both answers have the same content. Times to live and the origin of the
    /// records do not count.
    #[must_use]
    pub fn says_the_same(&self, other: &Answer<'_>) -> bool {
        let aliases = |answer: &Answer<'_>| -> Vec<_> {
            let pairs =
                answer.aliases.iter().map(|a| (a.name.clone(), a.record.data.clone(), a.flattened));
            pairs.collect()
        };
        self.name == other.name
            && aliases(self) == aliases(other)
            && self.end.says_the_same(&other.end)
    }

    /// Returns the time for which the answer may be cached: the shortest of its records, or the
    /// negative time to live.
    ///
    /// # Units
    /// Seconds; `None` if other name servers decide, or if it is unknown.
    #[must_use]
    pub fn seconds(&self, serving: &Serving) -> Option<u32> {
        let own_seconds = match &self.end {
            End::Records(set) | End::Edge(set) => set.iter().map(Entry::seconds).min(),
            End::NoData(_) | End::NoName => Some(serving.negative_seconds()),
            End::Referral(referral) => referral.servers.iter().map(Entry::seconds).min(),
            End::Elsewhere | End::Loop | End::Cloudflare(..) | End::Unknown(_) => None,
        };
        self.aliases.iter().map(|alias| alias.record.seconds()).chain(own_seconds).min()
    }
}

/// Returns the values of records.
fn values_of<'a>(set: &[Entry<'a>]) -> Vec<&'a crate::model::Rdata> {
    let mut values: Vec<_> = set.iter().map(|entry| entry.data).collect();
    values.sort();
    values.dedup();
    values
}

impl End<'_> {
    /// Returns true if both have the same content.
    fn says_the_same(&self, other: &End<'_>) -> bool {
        match (self, other) {
            (Self::Records(a), End::Records(b)) => values_of(a) == values_of(b),
            // Resolvers see the same edge, independent of the records behind it.
            (Self::Edge(_), End::Edge(_)) => true,
            (Self::NoData(_), End::NoData(_)) | (Self::NoName, End::NoName) => true,
            (Self::Elsewhere, End::Elsewhere) | (Self::Loop, End::Loop) => true,
            (Self::Cloudflare(a, set), End::Cloudflare(b, other)) => {
                a == b && values_of(set) == values_of(other)
            }
            (Self::Unknown(a), End::Unknown(b)) => a == b,
            (Self::Referral(a), End::Referral(b)) => {
                let parts = |r: &Referral<'_>| {
                    (
                        values_of(&r.servers).iter().map(|v| (*v).clone()).collect::<Vec<_>>(),
                        glue(r),
                    )
                };
                a.cut == b.cut && parts(a) == parts(b) && values_of(&a.ds) == values_of(&b.ds)
            }
            _ => false,
        }
    }
}

/// Returns the addresses in a referral, with their names.
fn glue(referral: &Referral<'_>) -> Vec<(Fqdn, crate::model::Rdata)> {
    let mut glue: Vec<_> = referral.glue.iter().map(|e| (e.name.clone(), e.data.clone())).collect();
    glue.sort();
    glue.dedup();
    glue
}
