//! A spec in the form that the rules need: its records by name, and the answers of name servers.

use crate::insight::dns::{AliasChains, Entry, ZoneIndex, Zones};
use crate::model::{
    Address, Desired, DesiredRecord, DesiredZone, Fqdn, IgnorePattern, RecordType, Unmanaged,
    ZoneName, sort_by,
};

/// Types whose records give a name an address.
pub(super) const ADDRESSES: &[RecordType] = &[RecordType::A, RecordType::Aaaa, RecordType::Cname];

/// A spec with the data that the rules need.
#[derive(Debug)]
pub(super) struct LintContext<'a> {
    /// The zones in the order of their names.
    pub(super) zones: Vec<LintedZone<'a>>,
    /// The answers of name servers that have the records of the spec and no others.
    pub(super) answers: Zones<'a>,
    /// The CNAME records and where they lead.
    pub(super) aliases: AliasChains<'a>,
}

/// A zone of a spec.
#[derive(Debug)]
pub(super) struct LintedZone<'a> {
    /// The zone in the spec.
    pub(super) zone: &'a DesiredZone,
    /// Its names that have records, in order.
    pub(super) owners: Vec<OwnerRecords<'a>>,
}

/// A name with its records.
#[derive(Debug)]
pub(super) struct OwnerRecords<'a> {
    pub(super) name: &'a Fqdn,
    /// Its records, by type, value and place.
    pub(super) records: Vec<&'a DesiredRecord>,
}

impl<'a> LintContext<'a> {
    /// Sorts and indexes a spec.
    pub(super) fn new(desired: &'a Desired) -> Self {
        let zones: Vec<LintedZone<'a>> = desired.zones.values().map(LintedZone::new).collect();
        let answers = Zones::new(desired.zones.values().map(ZoneIndex::of_spec).collect());
        let has_all_addresses = |name: &ZoneName| {
            desired.zones.get(name).is_some_and(|zone| has_all_of(zone, ADDRESSES))
        };
        let aliases = AliasChains::new(&answers, has_all_addresses);
        Self { zones, answers, aliases }
    }

    /// Returns a zone of the spec.
    pub(super) fn zone(&self, name: &ZoneName) -> Option<&LintedZone<'a>> {
        let place = self.zones.binary_search_by(|zone| zone.zone.name.cmp(name));
        place.ok().map(|place| &self.zones[place])
    }

    /// Returns the zone and the record of the spec that an answer is made from.
    pub(super) fn source(&self, entry: &Entry<'_>) -> Option<(&LintedZone<'a>, &'a DesiredRecord)> {
        let zone = self.zone(self.answers.zone_of(entry.name)?.name())?;
        let owner = zone.owner(entry.name)?;
        let record = owner.records.iter().find(|record| record.data == *entry.data)?;
        Some((zone, record))
    }

    /// Returns every name with its zone.
    pub(super) fn owners(&self) -> impl Iterator<Item = (&LintedZone<'a>, &OwnerRecords<'a>)> {
        self.zones.iter().flat_map(|zone| zone.owners.iter().map(move |owner| (zone, owner)))
    }

    /// Returns every record with its zone.
    pub(super) fn records(&self) -> impl Iterator<Item = (&LintedZone<'a>, &'a DesiredRecord)> {
        self.owners()
            .flat_map(|(zone, owner)| owner.records.iter().map(move |record| (zone, *record)))
    }
}

impl<'a> LintedZone<'a> {
    /// Groups the records of a zone by their names.
    fn new(zone: &'a DesiredZone) -> Self {
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
        let owners = records
            .chunk_by(|a, b| a.name == b.name)
            .map(|same| OwnerRecords { name: &same[0].name, records: same.to_vec() })
            .collect();
        Self { zone, owners }
    }

    /// Returns a name that has records.
    pub(super) fn owner(&self, name: &Fqdn) -> Option<&OwnerRecords<'a>> {
        let place = self.owners.binary_search_by(|owner| owner.name.cmp(name));
        place.ok().map(|place| &self.owners[place])
    }

    /// Returns the address that messages use for the records of a name and type.
    pub(super) fn address(&self, record: &DesiredRecord) -> String {
        Address::of_record(&self.zone.name, &record.name, &record.data, false).to_string()
    }

    /// Returns true if all live records of these types are in the spec.
    pub(super) fn knows_all(&self, types: &[RecordType]) -> bool {
        has_all_of(self.zone, types)
    }

    /// Returns true if a name is the apex.
    pub(super) fn is_apex(&self, name: &Fqdn) -> bool {
        name == self.zone.name.as_fqdn()
    }
}

impl<'a> OwnerRecords<'a> {
    /// Returns the records of a type.
    pub(super) fn of_type(
        &self,
        record_type: RecordType,
    ) -> impl Iterator<Item = &'a DesiredRecord> {
        self.records.iter().copied().filter(move |r| r.data.record_type() == Some(record_type))
    }

    /// Returns true if there is a record of one of these types.
    pub(super) fn has_any(&self, types: &[RecordType]) -> bool {
        self.records.iter().any(|r| r.data.record_type().is_some_and(|t| types.contains(&t)))
    }
}

/// Returns true if the spec has all live records of these types: the zone is pruned, and `ignore`
/// spares none.
fn has_all_of(zone: &DesiredZone, types: &[RecordType]) -> bool {
    let spares = |pattern: &IgnorePattern| match &pattern.record_type {
        None => true,
        Some(name) => types.iter().any(|t| t.as_str() == name),
    };
    zone.unmanaged == Unmanaged::Prune && !zone.ignore.iter().any(spares)
}
