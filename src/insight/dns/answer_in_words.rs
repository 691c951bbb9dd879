//! Describes answers, for plans and reports.

use super::answer::{Answer, End, NoData, Own, Unknown};
use super::entry::Entry;
use super::index::{NameNode, ZoneIndex};
use super::zones::Zones;
use crate::diagnostic::{cut, first_of};
use crate::model::{Fqdn, Rdata, RecordType, sort_by};

/// Maximum number of values that are named.
const MOST_VALUES: usize = 4;

/// Maximum length of a value that is not shortened.
///
/// # Units
/// Characters.
const LONGEST_VALUE: usize = 60;

/// Returns a value, shortened: `mx1.example.net (10)` for MX, the presentation form for everything
/// else.
pub(super) fn short_value(data: &Rdata) -> String {
    let text = match (data, data.target(), data.fields().get("priority")) {
        (Rdata::Mx(_), Some(host), Some(priority)) => format!("{host} ({priority})"),
        _ => data.presentation(),
    };
    cut(&text, LONGEST_VALUE)
}

/// Returns the values of records of one type.
pub(super) fn short_values(set: &[Entry<'_>]) -> String {
    let mut sorted: Vec<_> = set.to_vec();
    sort_by(&mut sorted, |a, b| a.data.cmp(b.data));
    let values: Vec<String> = sorted.iter().map(|entry| short_value(entry.data)).collect();
    first_of(&values, MOST_VALUES)
}

/// Describes the answers of a name with records, or of the wildcard that answers for it: addresses
/// first, then the other types.
pub(super) fn describe_node(node: NameNode<'_, '_>, proxies: bool) -> String {
    let mut set: Vec<Entry<'_>> = node.records().collect();
    if proxies && set.iter().any(Entry::is_proxied) {
        set.retain(|entry| !entry.is_proxied());
        return if set.is_empty() {
            EDGE.to_owned()
        } else {
            format!("{EDGE}, {}", values_with_types(&set))
        };
    }
    values_with_types(&set)
}

/// Returns records with their types, if the value alone does not show the type: `192.0.2.7`, `TXT
/// "v=spf1 -all"`.
fn values_with_types(set: &[Entry<'_>]) -> String {
    let rank = |entry: &Entry<'_>| match entry.record_type() {
        Some(RecordType::A) => 0,
        Some(RecordType::Aaaa) => 1,
        Some(RecordType::Cname) => 2,
        _ => 3,
    };
    let mut sorted: Vec<_> = set.to_vec();
    sort_by(&mut sorted, |a, b| rank(a).cmp(&rank(b)).then_with(|| a.data.cmp(b.data)));
    let words = |entry: &Entry<'_>| match entry.record_type() {
        Some(RecordType::A | RecordType::Aaaa) => short_value(entry.data),
        Some(RecordType::Cname) => format!("alias of {}", short_value(entry.data)),
        _ => format!("{} {}", entry.data.type_name(), short_value(entry.data)),
    };
    let words: Vec<String> = sorted.iter().map(words).collect();
    first_of(&words, MOST_VALUES)
}

/// The answer for a proxied name.
pub(super) const EDGE: &str = "Cloudflare's edge";

/// The answer for a name that does not exist.
pub(super) const NO_NAME: &str = "no such name";

/// Maximum number of aliases that are named.
const MOST_ALIASES: usize = 4;

impl Answer<'_> {
    /// Describes the answer: the chain of aliases, then its end.
    #[must_use]
    pub fn words(&self, kind: RecordType) -> String {
        let mut words: Vec<String> = self
            .aliases
            .iter()
            .take(MOST_ALIASES)
            .filter_map(|alias| Some(alias.record.data.target()?.to_string()))
            .collect();
        if self.aliases.len() > MOST_ALIASES {
            words.push("…".to_owned());
        }
        match &self.end {
            // The last alias names it already.
            End::Elsewhere if !self.aliases.is_empty() => {}
            End::NoData(NoData::OtherTypes) if self.wildcard.is_some() => {
                words.push(format!(
                    "no {kind}; {} has other records",
                    self.wildcard.unwrap_or_default()
                ));
            }
            end => words.push(end.words(kind, &self.name)),
        }
        words.join(" → ")
    }
}

impl End<'_> {
    /// Describes the end of an answer.
    pub(super) fn words(&self, kind: RecordType, name: &Fqdn) -> String {
        match self {
            Self::Records(set) => short_values(set),
            Self::Edge(_) => EDGE.to_owned(),
            Self::NoData(why) => why.words(kind),
            Self::NoName => NO_NAME.to_owned(),
            Self::Referral(referral) => format!("delegated to {}", short_values(&referral.servers)),
            Self::Elsewhere => format!("{name} is in no known zone"),
            Self::Loop => format!("a loop of aliases at {name}"),
            Self::Cloudflare(own, beside) if beside.is_empty() => own.about().to_owned(),
            Self::Cloudflare(own, beside) => format!("{}; {}", own.about(), short_values(beside)),
            Self::Unknown(why) => why.about().to_owned(),
        }
    }
}

impl NoData {
    /// Describes the reason.
    #[must_use]
    pub fn words(self, kind: RecordType) -> String {
        match self {
            Self::OtherTypes => format!("no {kind}; the name has other records"),
            Self::Empty => "no records; only names below it have some".to_owned(),
            Self::Family => {
                format!("no {kind}: the name is proxied, and this family of addresses is off")
            }
            Self::Hidden => {
                format!("no {kind}: Cloudflare answers with the addresses that the alias leads to")
            }
        }
    }
}

impl Own {
    /// Describes the records.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::NameServers => "the name servers that Cloudflare assigned",
            Self::Keys => "the keys that Cloudflare signs with",
            Self::Https => "an HTTPS record that Cloudflare makes if HTTP/2 or HTTP/3 is on",
        }
    }
}

impl Unknown {
    /// Describes the reason.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::FlattenedType => {
                "unknown: Cloudflare does not document this type at a flattened alias"
            }
            Self::LongChain => "unknown: resolvers do not follow so many aliases",
            Self::WildcardDelegation => {
                "unknown: NS records at a wildcard are undefined (RFC 4592 section 4.2)"
            }
            Self::BesideAlias => {
                "unknown: other records are beside an alias that is not flattened (RFC 1034 section 3.6.2)"
            }
        }
    }
}

/// Returns true if a wildcard covers a name although a name without records is at or above it,
/// below the wildcard's parent.
fn is_past_empty(zone: &ZoneIndex<'_>, name: &str, star: &str) -> bool {
    let parent = star.strip_prefix("*.").unwrap_or(star);
    let above =
        std::iter::successors(Some(name), |name| name.split_once('.').map(|(_, rest)| rest));
    above.take_while(|name| *name != parent).any(|name| zone.node(name).is_some())
}

impl Answer<'_> {
    /// Returns true if the answer comes from a wildcard, here or for an alias in the chain, that
    /// covers the name only on some name servers of Cloudflare.
    fn is_past_empty(&self, zones: &Zones<'_>) -> bool {
        let aliases = self.aliases.iter().map(|alias| (&alias.name, alias.wildcard));
        aliases.chain([(&self.name, self.wildcard)]).any(|(name, wildcard)| {
            let (Some(star), Some(zone)) = (wildcard, zones.zone_of(name)) else { return false };
            zone.serving().stops_at_empty.is_none() && is_past_empty(zone, name.as_str(), star)
        })
    }

    /// Returns the assumptions of this answer, and the parts that records and settings do not show.
    #[must_use]
    pub fn unseen(&self, zones: &Zones<'_>, kind: RecordType) -> Vec<String> {
        let past_empty = self.is_past_empty(zones).then(|| {
            "standard name servers let the wildcard cover this name, advanced ones do not (RFC 4592)".to_owned()
        });
        let Some(zone) = self.zone.and_then(|zone| zones.named(zone)) else {
            return past_empty.into_iter().collect();
        };
        let serving = zone.serving();
        let mut notes = Vec::new();
        if let Some(hindrance) = serving.hindrance {
            notes.push(format!("the zone {} {}", zone.name(), hindrance.about()));
        }
        if serving.is_paused {
            notes.push(format!(
                "the zone {} is paused: Cloudflare answers with the record values",
                zone.name()
            ));
        }
        let is_edge = matches!(self.end, End::Edge(_));
        if is_edge && kind == RecordType::Aaaa && serving.ipv6.is_none() {
            notes.push("the zone's `ipv6` setting is unknown; it is on by default".to_owned());
        }
        notes.extend(past_empty);
        if kind == RecordType::Dnskey
            && zone.name().as_fqdn() == &self.name
            && serving.dnssec.is_none()
        {
            notes.push(
                "it is unknown whether the zone is signed; if it is, Cloudflare answers with its keys".to_owned(),
            );
        }
        if self.end == End::NoName {
            notes.push(
                "names that only Workers, load balancers or other products serve are not seen"
                    .to_owned(),
            );
        }
        if kind == RecordType::Txt && self.name.as_str().starts_with("_acme-challenge.") {
            notes.push("Cloudflare adds records here while it validates certificates".to_owned());
        }
        if kind == RecordType::Caa && matches!(self.end, End::Records(_)) {
            notes.push(
                "Cloudflare adds the authorities of its own certificates while Universal SSL is on"
                    .to_owned(),
            );
        }
        if self.aliases.iter().any(|alias| alias.flattened) {
            notes.push(
                "the alias is flattened: Cloudflare answers with the addresses that it leads to"
                    .to_owned(),
            );
        }
        notes
    }
}
