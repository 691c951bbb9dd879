//! Where chains of CNAME records end.
//!
//! Every CNAME record points to one name, so following them is walking a graph with one edge from
//! each node: each record is visited once, and the end of a chain is the same for every record that
//! leads to it.

use super::zone_lookup::{ADDRESSES, Found, ZoneLookup};
use crate::model::{DesiredRecord, RecordType};

/// Where following a CNAME record ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// At a name with an address, or at a name that the spec does not cover.
    Good,
    /// Nowhere: it returns to a name that it passed.
    Loop,
    /// At a name of the spec without any address; the index of the last record of the chain.
    Dead(usize),
}

/// A CNAME record.
#[derive(Debug)]
pub(super) struct Alias<'a> {
    /// Index of its zone.
    pub(super) zone: usize,
    /// The record.
    pub(super) record: &'a DesiredRecord,
    /// The record at its target.
    pub(super) next: Option<usize>,
    /// Whether the target exists only through a wildcard.
    pub(super) by_wildcard: bool,
    /// Whether no unmanaged live record can lead elsewhere, here or later in the chain.
    pub(super) certain: bool,
    /// Where it ends.
    pub(super) end: End,
}

/// The CNAME records of a spec.
#[derive(Debug, Default)]
pub(super) struct Aliases<'a> {
    /// All of them, by zone and name.
    pub(super) all: Vec<Alias<'a>>,
    /// Each loop once, beginning with its first name.
    pub(super) loops: Vec<Vec<usize>>,
}

impl<'a> Aliases<'a> {
    /// Follows every CNAME record.
    pub(super) fn new(lookup: &ZoneLookup<'a>) -> Self {
        let mut all: Vec<Alias<'a>> = Vec::new();
        // Indexes of aliases by zone and name.
        let mut numbers: Vec<Vec<Option<usize>>> = Vec::with_capacity(lookup.zones.len());
        for (number, zone) in lookup.zones.iter().enumerate() {
            let mut of_zone = vec![None; zone.owners.len()];
            for (n, owner) in zone.owners.iter().enumerate() {
                let Some(record) = owner.of_type(RecordType::Cname).next() else { continue };
                // Names below a delegated name are answered elsewhere.
                if zone.delegation_above(n).is_some() {
                    continue;
                }
                of_zone[n] = Some(all.len());
                let alias = Alias {
                    zone: number,
                    record,
                    next: None,
                    by_wildcard: false,
                    certain: true,
                    end: End::Good,
                };
                all.push(alias);
            }
            numbers.push(of_zone);
        }
        for (n, alias) in all.iter_mut().enumerate() {
            let Some(target) = alias.record.data.target() else { continue };
            match lookup.look_up(target) {
                Found::Elsewhere => {}
                Found::Nothing { zone } => {
                    alias.end = End::Dead(n);
                    alias.certain = lookup.zones[zone].knows_all(ADDRESSES);
                }
                Found::Records { zone, owner, wildcard } => {
                    alias.next = numbers[zone][owner];
                    alias.by_wildcard = wildcard;
                    let has_address = lookup.owner(zone, owner).has_any(ADDRESSES);
                    if !has_address {
                        alias.end = End::Dead(n);
                    }
                    // A name without an address here, or covered by a wildcard, may have another
                    // live record.
                    alias.certain =
                        (has_address && !wildcard) || lookup.zones[zone].knows_all(ADDRESSES);
                }
            }
        }
        let mut aliases = Self { all, loops: Vec::new() };
        aliases.follow();
        aliases
    }

    /// Carries the result at the end of each chain back to its start.
    fn follow(&mut self) {
        let mut done = vec![false; self.all.len()];
        // At which step of its walk a record was reached.
        let mut met: Vec<Option<usize>> = vec![None; self.all.len()];
        for start in 0..self.all.len() {
            let mut way = Vec::new();
            let mut at = Some(start);
            let mut end = None;
            while let Some(n) = at.filter(|n| !done[*n]) {
                // A record that an earlier walk reached is done.
                if let Some(step) = met[n] {
                    self.loops.push(self.turned_to_first_name(&way[step..]));
                    end = Some(End::Loop);
                    break;
                }
                met[n] = Some(way.len());
                way.push(n);
                at = self.all[n].next;
            }
            let (end, mut certain) = match (end, at) {
                (Some(end), _) => (end, true),
                (None, Some(n)) => (self.all[n].end, self.all[n].certain),
                (None, None) => (way.last().map_or(End::Good, |n| self.all[*n].end), true),
            };
            for n in way.into_iter().rev() {
                certain &= self.all[n].certain;
                self.all[n].certain = certain;
                self.all[n].end = end;
                done[n] = true;
            }
        }
    }

    /// A loop, rotated so that the lowest of its names is first.
    fn turned_to_first_name(&self, members: &[usize]) -> Vec<usize> {
        let mut members = members.to_vec();
        let first = members
            .iter()
            .enumerate()
            .min_by_key(|(_, n)| &self.all[**n].record.name)
            .map_or(0, |(at, _)| at);
        members.rotate_left(first);
        members
    }

    /// The records from one to the end of its chain, each once.
    pub(super) fn chain(&self, from: usize) -> Vec<usize> {
        let mut chain: Vec<usize> = Vec::new();
        let mut at = Some(from);
        while let Some(n) = at.filter(|n| self.all[*n].end != End::Loop) {
            chain.push(n);
            at = self.all[n].next;
        }
        chain
    }
}
