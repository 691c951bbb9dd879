//! Follows chains of CNAME records to their ends, as Cloudflare follows them from a proxied name to
//! its origin.
//!
//! Every CNAME record points to one name, so the chains form a graph with one edge from each node.
//! Each record is visited once, and the end of a chain is the same for every record that leads to
//! it.

use super::answer::{Asker, End, NameResult};
use super::entry::Entry;
use super::index::ZoneIndex;
use super::zones::Zones;
use crate::model::{NameMap, RecordType, ZoneName};

/// The end of a chain of CNAME records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainEnd {
    /// A name with an address, or a name about which the known zones have no data.
    Good,
    /// No end: the chain returns to an earlier name.
    Loop,
    /// A name of a known zone without any address. Contains the index of the last record of the
    /// chain.
    Dead(usize),
}

/// A CNAME record in a chain.
#[derive(Debug)]
pub struct ChainedAlias<'a> {
    pub record: Entry<'a>,
    /// True if its target exists only through a wildcard.
    pub by_wildcard: bool,
    /// True if no live record outside the known data can lead elsewhere, here or later in the
    /// chain.
    pub is_certain: bool,
    /// The end of the chain.
    pub end: ChainEnd,
    /// The record at its target.
    next: Option<usize>,
}

/// The CNAME records of zones.
#[derive(Debug)]
pub struct AliasChains<'a> {
    /// All CNAME records, by name.
    pub all: Vec<ChainedAlias<'a>>,
    /// Each loop once. The first name of a loop comes first.
    pub loops: Vec<Vec<usize>>,
}

impl<'a> AliasChains<'a> {
    /// Follows every CNAME record that resolvers can see. `has_all_addresses` returns true for a
    /// zone whose live addresses and aliases are all known.
    #[must_use]
    pub fn new(zones: &Zones<'a>, has_all_addresses: impl Fn(&ZoneName) -> bool) -> Self {
        let mut aliases: Vec<ChainedAlias<'a>> =
            zones.iter().flat_map(|zone| visible_aliases(zones, zone)).collect();
        aliases.sort_by(|a, b| a.record.name.cmp(b.record.name));
        let numbers: NameMap<'a, usize> =
            aliases.iter().enumerate().map(|(n, alias)| (alias.record.name.as_str(), n)).collect();
        for (n, alias) in aliases.iter_mut().enumerate() {
            let Some(target) = alias.record.data.target() else { continue };
            let ask = |kind| zones.ask_one_name(target, kind, Asker::Cloudflare);
            let step = ask(RecordType::A);
            let is_nothing = |found: &NameResult<'_>| {
                matches!(found, NameResult::End(End::NoData(_) | End::NoName))
            };
            alias.by_wildcard = step.wildcard.is_some();
            let is_known = step.zone.is_none_or(&has_all_addresses);
            match &step.found {
                NameResult::Alias(next, _) => {
                    alias.next = numbers.get(next.name.as_str()).copied();
                    // A name that a wildcard covers may have a live record of its own.
                    alias.is_certain = !alias.by_wildcard || is_known;
                }
                found if is_nothing(found) && is_nothing(&ask(RecordType::Aaaa).found) => {
                    alias.end = ChainEnd::Dead(n);
                    alias.is_certain = is_known;
                }
                NameResult::End(_) => {}
            }
        }
        let mut chains = Self { all: aliases, loops: Vec::new() };
        chains.follow();
        chains
    }

    /// Copies the end of each chain to all of its members.
    fn follow(&mut self) {
        let mut done = vec![false; self.all.len()];
        // The step of the walk at which a record was reached.
        let mut met: Vec<Option<usize>> = vec![None; self.all.len()];
        for start in 0..self.all.len() {
            let mut way = Vec::new();
            let mut at = Some(start);
            let mut end = None;
            while let Some(n) = at.filter(|n| !done[*n]) {
                // A record that an earlier walk reached is complete.
                if let Some(step) = met[n] {
                    self.loops.push(self.turned_to_first_name(&way[step..]));
                    end = Some(ChainEnd::Loop);
                    break;
                }
                met[n] = Some(way.len());
                way.push(n);
                at = self.all[n].next;
            }
            let (end, mut is_certain) = match (end, at) {
                (Some(end), _) => (end, true),
                (None, Some(n)) => (self.all[n].end, self.all[n].is_certain),
                (None, None) => (way.last().map_or(ChainEnd::Good, |n| self.all[*n].end), true),
            };
            for n in way.into_iter().rev() {
                is_certain &= self.all[n].is_certain;
                self.all[n].is_certain = is_certain;
                self.all[n].end = end;
                done[n] = true;
            }
        }
    }

    /// Returns a loop, rotated so that the lowest of its names is first.
    fn turned_to_first_name(&self, members: &[usize]) -> Vec<usize> {
        let mut members = members.to_vec();
        let first = members
            .iter()
            .enumerate()
            .min_by_key(|(_, n)| self.all[**n].record.name)
            .map_or(0, |(at, _)| at);
        members.rotate_left(first);
        members
    }

    /// Returns the records from one to the end of its chain, each once.
    #[must_use]
    pub fn chain(&self, from: usize) -> Vec<usize> {
        let mut chain: Vec<usize> = Vec::new();
        let mut at = Some(from);
        while let Some(n) = at.filter(|n| self.all[*n].end != ChainEnd::Loop) {
            chain.push(n);
            at = self.all[n].next;
        }
        chain
    }
}

/// Returns the CNAME records of a zone that no delegation and no other zone hides, one for each
/// name.
fn visible_aliases<'a>(
    zones: &Zones<'a>,
    zone: &ZoneIndex<'a>,
) -> impl Iterator<Item = ChainedAlias<'a>> {
    zone.nodes().filter_map(|node| {
        let record = *node.of_type(RecordType::Cname).first()?;
        let is_delegated = node.path().any(|name| name.is_cut());
        let is_in_zone = zones.zone_of(record.name).is_some_and(|z| z.name() == zone.name());
        (is_in_zone && !is_delegated).then_some(ChainedAlias {
            record,
            by_wildcard: false,
            is_certain: true,
            end: ChainEnd::Good,
            next: None,
        })
    })
}
