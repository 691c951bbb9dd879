//! Several zones, and the zone that a name belongs to.

use super::index::ZoneIndex;
use crate::model::{Fqdn, NameMap, ZoneName};

/// Zones by their names.
#[derive(Debug, Clone, Default)]
pub struct Zones<'a> {
    zones: Vec<ZoneIndex<'a>>,
    by_name: NameMap<'a, usize>,
}

impl<'a> Zones<'a> {
    /// Returns these zones. If two have the same name, the last one counts.
    #[must_use]
    pub fn new(zones: Vec<ZoneIndex<'a>>) -> Self {
        let by_name = zones.iter().enumerate().map(|(n, zone)| (zone.name().as_str(), n)).collect();
        Self { zones, by_name }
    }

    /// Returns the zone that a name belongs to: the longest one at or above it.
    #[must_use]
    pub fn zone_of(&self, name: &Fqdn) -> Option<&ZoneIndex<'a>> {
        let mut text = name.as_str();
        loop {
            if let Some(zone) = self.by_name.get(text).and_then(|n| self.zones.get(*n)) {
                return Some(zone);
            }
            text = text.split_once('.')?.1;
        }
    }

    /// Returns the zone with this name.
    #[must_use]
    pub fn named(&self, name: &ZoneName) -> Option<&ZoneIndex<'a>> {
        self.by_name.get(name.as_str()).and_then(|n| self.zones.get(*n))
    }

    /// Returns all zones.
    pub fn iter(&self) -> impl Iterator<Item = &ZoneIndex<'a>> {
        self.zones.iter()
    }
}
