//! A zone as a tree of names, built in one pass: the records of a name, the names above and below
//! it, and the wildcard and the delegation that apply to it.
//!
//! ```text
//! example.com            the apex: always there, because Cloudflare adds SOA and NS
//! ├─ *                   a wildcard
//! ├─ b                   an empty non-terminal: no records, but a name below it
//! │  └─ a
//! └─ shops               a delegation, if it has NS records
//!    └─ ns1              below it: answered elsewhere; its addresses are glue
//! ```
//!
//! The records are references to the source of the zone: a spec, a live zone, or a live zone with
//! the operations of a plan. A clone costs a copy of the tree. [`ZoneIndex::insert`] and
//! [`ZoneIndex::remove`] change a few records in time proportional to them.

use std::cell::OnceCell;
use std::net::IpAddr;

use super::entry::Entry;
use super::serving::Serving;
use crate::model::{DesiredZone, Fqdn, LiveZone, NameMap, Rdata, RecordId, RecordType, ZoneName};

/// The absence of a node or slot.
const NONE: u32 = u32::MAX;

/// A zone, indexed.
#[derive(Debug, Clone)]
pub struct ZoneIndex<'a> {
    name: &'a ZoneName,
    serving: Serving,
    /// The names; the first is the apex.
    nodes: Vec<Tree<'a>>,
    by_name: NameMap<'a, u32>,
    slots: Vec<Slot<'a>>,
    /// The addresses of all records and their slots, in order. Computed on first use, and again
    /// after a change.
    addresses: OnceCell<Vec<(IpAddr, u32)>>,
}

/// A name in the tree. Links are indexes, and [`NONE`] ends a list.
#[derive(Debug, Clone, Copy)]
struct Tree<'a> {
    name: &'a str,
    parent: u32,
    first_child: u32,
    next_sibling: u32,
    /// The wildcard directly below it.
    star: u32,
    /// Its first record.
    first: u32,
    /// Number of its records.
    own: u32,
    /// Number of records at it and below it.
    total: u32,
}

/// A record in the list of its name.
#[derive(Debug, Clone, Copy)]
struct Slot<'a> {
    entry: Entry<'a>,
    next: u32,
}

/// Converts an index for a vector. A zone has fewer records than 2^32.
fn at(index: u32) -> usize {
    index as usize
}

/// Returns the next free index.
fn next_index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

impl<'a> ZoneIndex<'a> {
    /// Returns an empty zone.
    #[must_use]
    pub fn new(name: &'a ZoneName, serving: Serving) -> Self {
        let mut index = Self {
            name,
            serving,
            nodes: Vec::new(),
            by_name: NameMap::default(),
            slots: Vec::new(),
            addresses: OnceCell::new(),
        };
        index.add_node(name.as_str(), NONE);
        index
    }

    /// Returns a zone with these records.
    #[must_use]
    pub fn with(
        name: &'a ZoneName,
        serving: Serving,
        entries: impl ExactSizeIterator<Item = Entry<'a>>,
    ) -> Self {
        let mut index = Self::new(name, serving);
        index.slots.reserve(entries.len());
        index.by_name.reserve(entries.len());
        index.nodes.reserve(entries.len());
        for entry in entries {
            index.insert(entry);
        }
        index
    }

    /// Returns a zone as the spec has it, without live records that the spec does not name.
    #[must_use]
    pub fn of_spec(zone: &'a DesiredZone) -> Self {
        Self::with(&zone.name, Serving::of_spec(zone), zone.records.iter().map(Entry::of_spec))
    }

    /// Returns a live zone.
    #[must_use]
    pub fn of_live(zone: &'a LiveZone) -> Self {
        Self::with(&zone.name, Serving::of_live(zone), zone.records.iter().map(Entry::of_live))
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &'a ZoneName {
        self.name
    }

    /// Returns how it is served.
    #[must_use]
    pub fn serving(&self) -> &Serving {
        &self.serving
    }

    /// Changes how it is served.
    pub fn serve(&mut self, serving: Serving) {
        self.serving = serving;
    }

    /// Adds a record. A record whose name is outside the zone is left out.
    pub fn insert(&mut self, entry: Entry<'a>) {
        let Some(node) = self.make_node(entry.name.as_str()) else { return };
        self.addresses.take();
        let slot = next_index(self.slots.len());
        self.slots.push(Slot { entry, next: self.nodes[at(node)].first });
        self.nodes[at(node)].first = slot;
        self.nodes[at(node)].own += 1;
        self.count(node, |total| total + 1);
    }

    /// Removes a record: the one with this id if it is given, otherwise the first with this value.
    /// Returns true if there was one.
    pub fn remove(&mut self, name: &Fqdn, data: &Rdata, id: Option<&RecordId>) -> bool {
        let Some(node) = self.by_name.get(name.as_str()).copied() else { return false };
        let is_it = |entry: &Entry<'_>| match (id, entry.id) {
            (Some(wanted), Some(id)) => wanted == id,
            _ => entry.data == data,
        };
        let (mut before, mut slot) = (NONE, self.nodes[at(node)].first);
        while slot != NONE && !is_it(&self.slots[at(slot)].entry) {
            (before, slot) = (slot, self.slots[at(slot)].next);
        }
        if slot == NONE {
            return false;
        }
        self.addresses.take();
        let next_slot = self.slots[at(slot)].next;
        if before == NONE {
            self.nodes[at(node)].first = next_slot;
        } else {
            self.slots[at(before)].next = next_slot;
        }
        self.nodes[at(node)].own -= 1;
        self.count(node, |total| total - 1);
        true
    }

    /// Returns the apex.
    #[must_use]
    pub fn apex(&self) -> NameNode<'_, 'a> {
        NameNode { index: self, at: 0 }
    }

    /// Returns a name that exists: it has records, or a name below it has.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<NameNode<'_, 'a>> {
        self.by_name.get(name).map(|at| NameNode { index: self, at: *at }).filter(NameNode::exists)
    }

    /// Returns the records at a name.
    pub fn records(&self, name: &Fqdn) -> impl Iterator<Item = Entry<'a>> + '_ {
        self.node(name.as_str()).into_iter().flat_map(|node| node.records())
    }

    /// Returns all records.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'a>> + '_ {
        self.nodes().flat_map(|node| node.records())
    }

    /// Returns the addresses of records between two addresses, including both, with their names, in
    /// order.
    pub fn addresses_between(
        &self,
        first: IpAddr,
        last: IpAddr,
    ) -> impl DoubleEndedIterator<Item = (IpAddr, &'a Fqdn)> + '_ {
        let addresses = self.addresses.get_or_init(|| {
            let mut sorted_addresses = Vec::new();
            for node in &self.nodes {
                let mut slot = node.first;
                while slot != NONE {
                    let Slot { entry, next } = self.slots[at(slot)];
                    sorted_addresses.extend(entry.data.address().map(|address| (address, slot)));
                    slot = next;
                }
            }
            sorted_addresses.sort_unstable();
            sorted_addresses
        });
        let start = addresses.partition_point(|(address, _)| *address < first);
        let from_first = &addresses[start..];
        let within = &from_first[..from_first.partition_point(|(address, _)| *address <= last)];
        within.iter().map(|(address, slot)| (*address, self.slots[at(*slot)].entry.name))
    }

    /// Returns all names that exist, including empty non-terminals. The apex comes first.
    pub fn nodes(&self) -> impl Iterator<Item = NameNode<'_, 'a>> {
        (0..next_index(self.nodes.len()))
            .map(|at| NameNode { index: self, at })
            .filter(NameNode::exists)
    }

    /// Returns everything that applies to a name; `None` if it is outside the zone.
    #[must_use]
    pub fn locate(&self, name: &str) -> Option<Location<'_, 'a>> {
        let encloser = self.closest(name)?;
        let exact = (encloser.name() == name).then_some(encloser);
        Some(Location {
            exact,
            encloser,
            cut: encloser.path().filter(NameNode::is_cut).last(),
            wildcard: self.covering(encloser, exact.is_some()),
        })
    }

    /// Returns the closest existing name at or above a name.
    fn closest(&self, name: &str) -> Option<NameNode<'_, 'a>> {
        if !is_within(name, self.name.as_str()) {
            return None;
        }
        let mut text = name;
        loop {
            match (self.node(text), text.split_once('.')) {
                (Some(node), _) => return Some(node),
                (None, Some((_, parent))) => text = parent,
                (None, None) => return Some(self.apex()),
            }
        }
    }

    /// Returns the wildcard that covers a name; `encloser` is the closest existing name, and
    /// `is_exact` is true if it is the name itself.
    ///
    /// # Sources
    /// RFC 4592 sections 2.2.2 and 3.3.1: only the wildcard of the closest encloser counts, and an
    /// empty non-terminal is one. developers.cloudflare.com/dns/foundation-dns/setup, read 2026-11:
    /// on standard name servers, a name without records does not count.
    fn covering<'z>(&self, encloser: NameNode<'z, 'a>, is_exact: bool) -> Option<NameNode<'z, 'a>> {
        let stops = self.serving.stops_at_empty == Some(true);
        if is_exact && (stops || encloser.has_records()) {
            return None;
        }
        for node in encloser.path() {
            // A name is not covered by a wildcard below itself.
            if let Some(star) = node.star().filter(|_| !(is_exact && node == encloser)) {
                return Some(star);
            }
            if stops || node.has_records() {
                return None;
            }
        }
        None
    }

    /// Returns the node of a name in the zone. Creates it and its parents if needed.
    fn make_node(&mut self, name: &'a str) -> Option<u32> {
        // Most names are directly below the apex, so they need one look-up.
        if name.split_once('.').is_some_and(|(_, above)| above == self.name.as_str()) {
            let free = next_index(self.nodes.len());
            let node = *self.by_name.entry(name).or_insert(free);
            if node == free {
                self.push_node(name, 0);
            }
            return Some(node);
        }
        if let Some(node) = self.by_name.get(name) {
            return Some(*node);
        }
        if !is_within(name, self.name.as_str()) {
            return None;
        }
        let parent = self.make_node(name.split_once('.')?.1)?;
        Some(self.add_node(name, parent))
    }

    fn add_node(&mut self, name: &'a str, parent: u32) -> u32 {
        let node = next_index(self.nodes.len());
        self.by_name.insert(name, node);
        self.push_node(name, parent);
        node
    }

    /// Adds the links of a new node, which is the last.
    fn push_node(&mut self, name: &'a str, parent: u32) {
        let node = next_index(self.nodes.len());
        let mut next_sibling = NONE;
        if let Some(above) = self.nodes.get_mut(at(parent)) {
            next_sibling = std::mem::replace(&mut above.first_child, node);
            if name.starts_with("*.") {
                above.star = node;
            }
        }
        let links = Tree {
            name,
            parent,
            first_child: NONE,
            next_sibling,
            star: NONE,
            first: NONE,
            own: 0,
            total: 0,
        };
        self.nodes.push(links);
    }

    /// Changes the counts of a node and of all nodes above it.
    fn count(&mut self, node: u32, change: impl Fn(u32) -> u32) {
        let mut node = node;
        while let Some(tree) = self.nodes.get_mut(at(node)) {
            tree.total = change(tree.total);
            node = tree.parent;
        }
    }
}

/// Returns true if a name is a zone's or below it.
fn is_within(name: &str, zone: &str) -> bool {
    name.strip_suffix(zone).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Everything that applies to a name in a zone.
#[derive(Debug, Clone, Copy)]
pub struct Location<'z, 'a> {
    /// The name itself, if it exists.
    pub exact: Option<NameNode<'z, 'a>>,
    /// The closest existing name: the name itself, or one above it.
    pub encloser: NameNode<'z, 'a>,
    /// The topmost delegated name at or above it.
    pub cut: Option<NameNode<'z, 'a>>,
    /// The wildcard that answers for it, if no delegation does.
    pub wildcard: Option<NameNode<'z, 'a>>,
}

/// An existing name of a zone.
#[derive(Clone, Copy)]
pub struct NameNode<'z, 'a> {
    index: &'z ZoneIndex<'a>,
    at: u32,
}

impl PartialEq for NameNode<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl std::fmt::Debug for NameNode<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Node").field(&self.name()).finish()
    }
}

impl<'z, 'a> NameNode<'z, 'a> {
    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.tree().name
    }

    /// Returns true if it is the apex.
    #[must_use]
    pub fn is_apex(&self) -> bool {
        self.at == 0
    }

    /// Returns true if it is a wildcard.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        self.name().starts_with("*.")
    }

    /// Returns true if it delegates: it has NS records, is not the apex, and is not a wildcard. The
    /// records of a wildcard belong to the names that it covers (RFC 4592 section 4.2 leaves that
    /// undefined).
    #[must_use]
    pub fn is_cut(&self) -> bool {
        !self.is_apex() && !self.is_wildcard() && self.has(RecordType::Ns)
    }

    /// Returns true if it has records. The apex always has.
    #[must_use]
    pub fn has_records(&self) -> bool {
        self.is_apex() || self.tree().own > 0
    }

    /// Returns its records.
    pub fn records(self) -> impl Iterator<Item = Entry<'a>> + use<'z, 'a> {
        let slots = &self.index.slots;
        let first = self.tree().first;
        std::iter::successors(slots.get(at(first)), |slot| slots.get(at(slot.next)))
            .map(|slot| slot.entry)
    }

    /// Returns its records of a type, sorted by value.
    #[must_use]
    pub fn of_type(&self, record_type: RecordType) -> Vec<Entry<'a>> {
        let mut set: Vec<_> = self.records().filter(|entry| entry.is(record_type)).collect();
        set.sort_by(|a, b| a.data.cmp(b.data));
        set
    }

    /// Returns true if it has a record of a type.
    #[must_use]
    pub fn has(&self, record_type: RecordType) -> bool {
        self.records().any(|entry| entry.is(record_type))
    }

    /// Returns the name directly above it.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.link(self.tree().parent)
    }

    /// Returns it and all names above it, up to the apex.
    pub fn path(self) -> impl Iterator<Item = NameNode<'z, 'a>> {
        std::iter::successors(Some(self), NameNode::parent)
    }

    /// Returns the wildcard directly below it, if that has records.
    #[must_use]
    pub fn star(&self) -> Option<Self> {
        self.link(self.tree().star).filter(Self::has_records)
    }

    /// Returns the existing names directly below it, in no particular order.
    pub fn children(self) -> impl Iterator<Item = NameNode<'z, 'a>> {
        let first = self.link(self.tree().first_child);
        std::iter::successors(first, |node| node.link(node.tree().next_sibling))
            .filter(NameNode::exists)
    }

    /// Returns all existing names below it, in no particular order.
    pub fn below(self) -> impl Iterator<Item = NameNode<'z, 'a>> {
        let mut open: Vec<_> = self.children().collect();
        std::iter::from_fn(move || {
            let node = open.pop()?;
            open.extend(node.children());
            Some(node)
        })
    }

    fn tree(&self) -> &'z Tree<'a> {
        &self.index.nodes[at(self.at)]
    }

    /// Returns the node that a link leads to.
    fn link(&self, to: u32) -> Option<Self> {
        (to != NONE).then_some(Self { index: self.index, at: to })
    }

    /// Returns true if there is a record at it or below it, or it is the apex.
    fn exists(&self) -> bool {
        self.is_apex() || self.tree().total > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Settings, Ttl};

    /// Returns a zone of records `name type value`.
    fn records(lines: &[&str]) -> Vec<(Fqdn, Rdata)> {
        let parse = |line: &&str| {
            let mut words = line.splitn(3, ' ');
            let name = Fqdn::parse(words.next().unwrap()).unwrap();
            let record_type = RecordType::parse(words.next().unwrap()).unwrap();
            (name, Rdata::from_text(record_type, words.next().unwrap()).unwrap())
        };
        lines.iter().map(parse).collect()
    }

    fn entry((name, data): &(Fqdn, Rdata)) -> Entry<'_> {
        Entry {
            name,
            data,
            ttl: Ttl::AUTOMATIC,
            proxied: false,
            settings: Settings::default(),
            place: None,
            id: None,
            read_only: None,
        }
    }

    #[test]
    fn names_come_and_go_with_their_records() {
        let zone = ZoneName::parse("example.com").unwrap();
        let all = records(&[
            "a.b.example.com A 192.0.2.1",
            "a.b.example.com A 192.0.2.2",
            "other.test A 192.0.2.3",
        ]);
        let mut index = ZoneIndex::with(&zone, Serving::plain(), all.iter().map(entry));
        assert_eq!(
            index.nodes().map(|n| n.name()).collect::<Vec<_>>(),
            ["example.com", "b.example.com", "a.b.example.com"]
        );
        assert!(!index.node("b.example.com").unwrap().has_records());
        for (n, (name, data)) in all[..2].iter().enumerate() {
            assert!(index.remove(name, data, None));
            assert_eq!(index.node("b.example.com").is_some(), n == 0);
        }
        assert!(!index.remove(&all[0].0, &all[0].1, None));
        index.insert(entry(&all[1]));
        assert_eq!(index.entries().count(), 1);
    }

    #[test]
    fn addresses_follow_their_records() {
        let zone = ZoneName::parse("example.com").unwrap();
        let all = records(&[
            "b.example.com A 192.0.2.9",
            "a.example.com A 192.0.2.1",
            "example.com AAAA ::1",
            "a.example.com A 192.0.3.1",
            "example.com TXT text",
        ]);
        let mut index = ZoneIndex::with(&zone, Serving::plain(), all.iter().map(entry));
        let held = |index: &ZoneIndex<'_>, first: &str, last: &str| {
            let found = index.addresses_between(first.parse().unwrap(), last.parse().unwrap());
            found.map(|(address, name)| format!("{name} {address}")).collect::<Vec<_>>()
        };
        assert_eq!(
            held(&index, "192.0.2.1", "192.0.2.9"),
            ["a.example.com 192.0.2.1", "b.example.com 192.0.2.9"]
        );
        assert_eq!(held(&index, "192.0.2.2", "192.0.2.8"), [""; 0]);
        assert_eq!(held(&index, "0.0.0.0", "ffff::").len(), 4);
        index.remove(&all[1].0, &all[1].1, None);
        assert_eq!(held(&index, "192.0.2.0", "192.0.2.255"), ["b.example.com 192.0.2.9"]);
        index.insert(entry(&all[1]));
        assert_eq!(held(&index, "192.0.2.0", "192.0.2.255").len(), 2);
    }

    #[test]
    fn wildcards_and_delegations_apply() {
        let zone = ZoneName::parse("example.com").unwrap();
        let all = records(&[
            "*.example.com A 192.0.2.1",
            "a.b.example.com A 192.0.2.2",
            "sub.example.com NS ns1.sub.example.com",
            "deep.sub.example.com NS ns.example.net",
        ]);
        let mut index = ZoneIndex::with(&zone, Serving::plain(), all.iter().map(entry));
        let wildcard =
            |index: &ZoneIndex<'_>, name: &str| index.locate(name).unwrap().wildcard.is_some();
        assert!(wildcard(&index, "x.y.example.com"));
        for name in [
            "b.example.com",
            "x.b.example.com",
            "a.b.example.com",
            "x.a.b.example.com",
            "example.com",
        ] {
            assert!(!wildcard(&index, name), "{name}");
        }
        // On standard name servers a name without records does not end a wildcard.
        index.serve(Serving::default());
        assert!(wildcard(&index, "b.example.com") && wildcard(&index, "x.b.example.com"));
        assert!(!wildcard(&index, "a.b.example.com") && !wildcard(&index, "x.a.b.example.com"));
        for name in ["sub.example.com", "x.sub.example.com", "x.deep.sub.example.com"] {
            assert_eq!(index.locate(name).unwrap().cut.unwrap().name(), "sub.example.com");
        }
        assert!(index.locate("example.net").is_none() && index.locate("notexample.com").is_none());
    }
}
