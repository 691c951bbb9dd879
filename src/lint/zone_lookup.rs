//! The zones of a spec, for looking up names as the DNS would: closest zone, delegations, exact
//! names, wildcards.
//!
//! Names are kept in DNS order, in which everything below a name directly follows it, wildcards
//! first. So the zone, the delegation, the wildcard and the closest name with records are found
//! from the predecessor of a name, in logarithmic time.

use super::alias_chains::Aliases;
use crate::model::{
    Address, Desired, DesiredRecord, DesiredZone, Fqdn, IgnorePattern, RecordType, Unmanaged,
    sort_by,
};

/// Types whose records give a name an address.
pub(super) const ADDRESSES: &[RecordType] = &[RecordType::A, RecordType::Aaaa, RecordType::Cname];

/// A spec with an index for looking up names.
#[derive(Debug)]
pub(super) struct ZoneLookup<'a> {
    /// The zones in the order of their names.
    pub(super) zones: Vec<ZoneView<'a>>,
    /// The CNAME records and where they lead.
    pub(super) aliases: Aliases<'a>,
}

/// A zone of a spec.
#[derive(Debug)]
pub(super) struct ZoneView<'a> {
    /// The zone in the spec.
    pub(super) zone: &'a DesiredZone,
    /// Its names that have records, in order.
    pub(super) owners: Vec<Owner<'a>>,
    /// The zone of the spec that contains this one.
    above: Option<usize>,
}

/// A name with its records.
#[derive(Debug)]
pub(super) struct Owner<'a> {
    /// The name.
    pub(super) name: &'a Fqdn,
    /// Its records, by type, value and place.
    pub(super) records: Vec<&'a DesiredRecord>,
    /// The topmost delegated name at or above it, as the index of an owner.
    pub(super) cut: Option<usize>,
    /// The next name above it that has records.
    above: Option<usize>,
    /// The closest wildcard that would cover it, other than itself.
    wildcard: Option<usize>,
}

/// The result of looking up a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// The name is answered elsewhere: it is in no zone of the spec, or below a delegated name.
    Elsewhere,
    /// These records.
    Records {
        /// Index of the zone.
        zone: usize,
        /// Index of the name in it.
        owner: usize,
        /// Whether they come from a wildcard.
        wildcard: bool,
    },
    /// No record, in this zone.
    Nothing {
        /// Index of the zone.
        zone: usize,
    },
}

impl<'a> ZoneLookup<'a> {
    /// Sorts and indexes a spec.
    pub(super) fn new(desired: &'a Desired) -> Self {
        let mut zones: Vec<ZoneView<'a>> = Vec::with_capacity(desired.zones.len());
        for zone in desired.zones.values() {
            // Anything between a zone and a name below it is also below that zone, so the last one
            // leads up to it.
            let above = lead_up(
                zones.len().checked_sub(1),
                |n| zones[n].above,
                |n| zones[n].is_above(zone.name.as_fqdn()),
            );
            zones.push(ZoneView { zone, owners: owners(zone), above });
        }
        let mut lookup = Self { zones, aliases: Aliases::default() };
        lookup.aliases = Aliases::new(&lookup);
        lookup
    }

    /// The zone that a name belongs to: the longest one at or above it.
    pub(super) fn zone_of(&self, name: &Fqdn) -> Option<usize> {
        let next = self.zones.partition_point(|z| z.zone.name.as_fqdn() <= name);
        lead_up(next.checked_sub(1), |n| self.zones[n].above, |n| self.zones[n].is_above(name))
    }

    /// Looks a name up.
    ///
    /// A wildcard covers every name below its parent, except those at or below a name that has
    /// records. Unlike in RFC 4592, a name that exists only because of names below it does not
    /// count, except for zones with advanced name servers.
    ///
    /// # Sources
    /// RFC 1034 section 4.3.2;
    /// developers.cloudflare.com/dns/manage-dns-records/reference/wildcard-dns-records and
    /// developers.cloudflare.com/dns/foundation-dns/setup, read 2026-11-20.
    pub(super) fn look_up(&self, name: &Fqdn) -> Found {
        let Some(zone) = self.zone_of(name) else { return Found::Elsewhere };
        let owners = &self.zones[zone].owners;
        let found = |owner, wildcard| Found::Records { zone, owner, wildcard };
        let next = match owners.binary_search_by(|o| o.name.cmp(name)) {
            Ok(owner) if owners[owner].is_occluded(owner) => return Found::Elsewhere,
            Ok(owner) => return found(owner, false),
            Err(next) => next,
        };
        let before = next.checked_sub(1);
        if before.and_then(|n| owners[n].cut).is_some_and(|cut| name.is_within(owners[cut].name)) {
            return Found::Elsewhere;
        }
        let closest = above(owners, before, name).map_or(0, |n| owners[n].name.as_str().len());
        match covering(owners, before, name) {
            Some(wildcard) if scope(owners[wildcard].name).is_some_and(|s| s.len() >= closest) => {
                found(wildcard, true)
            }
            _ => Found::Nothing { zone },
        }
    }

    /// The records at a name.
    pub(super) fn owner(&self, zone: usize, owner: usize) -> &Owner<'a> {
        &self.zones[zone].owners[owner]
    }

    /// Every name with its zone.
    pub(super) fn owners(&self) -> impl Iterator<Item = (&ZoneView<'a>, &Owner<'a>)> {
        self.zones.iter().flat_map(|z| z.owners.iter().map(move |o| (z, o)))
    }

    /// Every record with its zone.
    pub(super) fn records(&self) -> impl Iterator<Item = (&ZoneView<'a>, &'a DesiredRecord)> {
        self.owners().flat_map(|(z, o)| o.records.iter().map(move |r| (z, *r)))
    }
}

impl<'a> ZoneView<'a> {
    /// The address that messages use for the records of a name and type.
    pub(super) fn address(&self, record: &DesiredRecord) -> String {
        Address::of_record(&self.zone.name, &record.name, &record.data, false).to_string()
    }

    /// Whether all records of these types are in the spec: the zone is pruned, and `ignore` spares
    /// none.
    pub(super) fn knows_all(&self, types: &[RecordType]) -> bool {
        let spares = |pattern: &IgnorePattern| match &pattern.record_type {
            None => true,
            Some(name) => types.iter().any(|t| t.as_str() == name),
        };
        self.zone.unmanaged == Unmanaged::Prune && !self.zone.ignore.iter().any(spares)
    }

    /// Whether a name is the apex.
    pub(super) fn is_apex(&self, name: &Fqdn) -> bool {
        name == self.zone.name.as_fqdn()
    }

    /// The delegated name above this name.
    pub(super) fn delegation_above(&self, number: usize) -> Option<&Owner<'a>> {
        let owner = &self.owners[number];
        owner.is_occluded(number).then_some(owner.cut).flatten().map(|cut| &self.owners[cut])
    }

    /// Whether a name is in the zone.
    fn is_above(&self, name: &Fqdn) -> bool {
        name.is_within(self.zone.name.as_fqdn())
    }
}

impl<'a> Owner<'a> {
    /// The records of a type.
    pub(super) fn of_type(
        &self,
        record_type: RecordType,
    ) -> impl Iterator<Item = &'a DesiredRecord> {
        self.records.iter().copied().filter(move |r| r.data.record_type() == Some(record_type))
    }

    /// Whether there is a record of one of these types.
    pub(super) fn has_any(&self, types: &[RecordType]) -> bool {
        self.records.iter().any(|r| r.data.record_type().is_some_and(|t| types.contains(&t)))
    }

    /// Whether it is below a delegated name, given its own index.
    fn is_occluded(&self, number: usize) -> bool {
        self.cut.is_some_and(|cut| cut != number)
    }
}

/// The names of a zone with their records.
fn owners(zone: &DesiredZone) -> Vec<Owner<'_>> {
    let mut records: Vec<&DesiredRecord> = zone.records.iter().collect();
    sort_by(&mut records, |a, b| {
        let (first, second) = (a.data.record_type(), b.data.record_type());
        (&a.name, first, &a.data, a.spelling.place).cmp(&(
            &b.name,
            second,
            &b.data,
            b.spelling.place,
        ))
    });
    let mut owners: Vec<Owner<'_>> = Vec::new();
    for same in records.chunk_by(|a, b| a.name == b.name) {
        let name = &same[0].name;
        let number = owners.len();
        let last = number.checked_sub(1);
        let mut owner = Owner {
            name,
            records: same.to_vec(),
            cut: owners.last().and_then(|o| o.cut).filter(|cut| name.is_within(owners[*cut].name)),
            above: above(&owners, last, name),
            wildcard: covering(&owners, last, name),
        };
        // A wildcard delegates nothing: its NS records belong to the names that it covers.
        let delegates = name != zone.name.as_fqdn() && !name.is_wildcard();
        if owner.cut.is_none() && delegates && owner.of_type(RecordType::Ns).next().is_some() {
            owner.cut = Some(number);
        }
        owners.push(owner);
    }
    owners
}

/// From an index up to the first one that passes the test.
fn lead_up(
    from: Option<usize>,
    above: impl Fn(usize) -> Option<usize>,
    good: impl Fn(usize) -> bool,
) -> Option<usize> {
    std::iter::successors(from, |n| above(*n)).find(|n| good(*n))
}

/// The closest name with records above a name, given the name before it in order.
fn above(owners: &[Owner<'_>], before: Option<usize>, name: &Fqdn) -> Option<usize> {
    lead_up(before, |n| owners[n].above, |n| name.is_within(owners[n].name))
}

/// The closest wildcard above a name, given the name before it in order.
fn covering(owners: &[Owner<'_>], before: Option<usize>, name: &Fqdn) -> Option<usize> {
    let from = before
        .and_then(|n| if owners[n].name.is_wildcard() { Some(n) } else { owners[n].wildcard });
    let covers = |n: usize| {
        let rest = scope(owners[n].name).and_then(|s| name.as_str().strip_suffix(s));
        rest.is_some_and(|rest| rest.ends_with('.') && rest != "*.")
    };
    lead_up(from, |n| owners[n].wildcard, covers)
}

/// The name that a wildcard is directly below.
fn scope(wildcard: &Fqdn) -> Option<&str> {
    wildcard.as_str().strip_prefix("*.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Place, Sources, Span};
    use crate::model::{Facets, Rdata, Spelling, ZoneName};

    /// Compares with a search label by label.
    #[test]
    fn wildcards_are_found_as_by_walking() {
        let zone = ZoneName::parse("example.com").unwrap();
        let source = Sources::default().add("", "");
        let place = Place { source, span: Span::default() };
        let all = [
            "@", "*", "a", "*.a", "b.a", "c", "*.d.c", "x.y.c", "*.z.y", "q.w", "-", "*.-.c",
            "a.b.c",
        ];
        let candidates = [
            "n", "n.a", "n.b.a", "n.c", "n.d.c", "n.n.d.c", "y.c", "n.y.c", "z.y", "n.z.y", "w",
            "n.w", "n.q.w", "n.-.c", "b.c", "d.c",
        ];
        // Trying every set takes too long, and every seventh is as good a test.
        for chosen in (0..1u32 << all.len()).step_by(7) {
            let own: Vec<Fqdn> = all
                .iter()
                .enumerate()
                .filter(|(n, _)| chosen >> n & 1 == 1)
                .map(|(_, t)| zone.resolve(t).unwrap())
                .collect();
            let spelling =
                Spelling { name: "x".into(), place, entry: place, reported: Default::default() };
            let data = Rdata::from_text(RecordType::A, "192.0.2.1").unwrap();
            let record = |name: &Fqdn| DesiredRecord {
                name: name.clone(),
                data: data.clone(),
                facets: Facets::default(),
                protect: false,
                allow: None,
                spelling: spelling.clone(),
            };
            let records = own.iter().map(record).collect();
            let desired = DesiredZone { records, ..DesiredZone::new(zone.clone(), place) };
            let desired = Desired { zones: [(zone.clone(), desired)].into(), ..Desired::default() };
            let lookup = ZoneLookup::new(&desired);
            for name in candidates.map(|t| zone.resolve(t).unwrap()) {
                let mut expected = None;
                let mut at = name.as_str();
                while let Some((_, up)) = at.split_once('.').filter(|_| at != zone.as_str()) {
                    if own.iter().any(|o| o.as_str() == at) {
                        expected = (at == name.as_str()).then(|| at.to_owned());
                        break;
                    }
                    let wildcard = format!("*.{up}");
                    if own.iter().any(|o| o.as_str() == wildcard) {
                        expected = Some(wildcard);
                        break;
                    }
                    at = up;
                }
                let found = match lookup.look_up(&name) {
                    Found::Records { zone, owner, .. } => {
                        Some(lookup.owner(zone, owner).name.to_string())
                    }
                    Found::Nothing { .. } | Found::Elsewhere => None,
                };
                assert_eq!(found, expected, "{name} in {own:?}");
            }
        }
    }
}
