//! Selects the zones to examine: the zones of the spec, or those that the credentials can see.

use super::permission_probes::{Tried, is_refused, reason_of};
use crate::live::{AnyReader, FetchError, ReadOptions, ZoneQuery, find_zones, list_zones};
use crate::model::{Desired, DesiredZone, LiveZone};

/// Maximum number of zones that are examined without a spec.
const MOST_ZONES: usize = 50;

pub(super) struct ExaminedZones {
    /// Zones that exist, as far as they were read.
    pub(super) zones: Vec<LiveZone>,
    /// Zones of the spec that do not exist.
    pub(super) missing: Vec<String>,
    /// Number of further zones, which are not examined.
    pub(super) left_out: u64,
    /// Result of the attempt to read zones.
    pub(super) zone_read: Tried,
    /// True if reading failed because Cloudflare does not know the token.
    pub(super) is_unknown_token: bool,
}

/// Finds the zones of the spec, or the zones whose names match a pattern, or all zones if no
/// pattern is given.
pub(super) async fn examine_zones(
    reader: &dyn AnyReader,
    desired: Option<&Desired>,
    patterns: &[glob::Pattern],
    options: &ReadOptions,
) -> Result<ExaminedZones, FetchError> {
    let Some(desired) = desired else { return find_any(reader, patterns, options).await };
    // The query only finds the zones and does not read their content.
    let query =
        |zone: &DesiredZone| ZoneQuery { id: zone.id.clone(), ..ZoneQuery::new(zone.name.clone()) };
    let queries: Vec<ZoneQuery> = desired.zones.values().map(query).collect();
    match find_zones(reader, &queries, options).await {
        Ok(mut found) => {
            let missing = desired
                .zones
                .values()
                .filter(|zone| !zone.create && !found.contains_key(&zone.name));
            let missing = missing.map(|zone| zone.name.to_string()).collect();
            // Keep the order of the spec.
            let zones = desired.zones.keys().filter_map(|name| found.remove(name)).collect();
            Ok(ExaminedZones {
                zones,
                missing,
                left_out: 0,
                zone_read: Tried::Yes,
                is_unknown_token: false,
            })
        }
        Err(FetchError::Api { source, .. }) if is_refused(&source) => {
            // Other requests about a zone need its identifier.
            let pinned = desired
                .zones
                .values()
                .filter_map(|zone| Some(LiveZone::new(zone.name.clone(), zone.id.clone()?)));
            let (zone_read, is_unknown_token) =
                (Tried::No(reason_of(&source)), source.is_unknown_token());
            Ok(ExaminedZones {
                zones: pinned.collect(),
                missing: Vec::new(),
                left_out: 0,
                zone_read,
                is_unknown_token,
            })
        }
        Err(error) => Err(error),
    }
}

async fn find_any(
    reader: &dyn AnyReader,
    patterns: &[glob::Pattern],
    options: &ReadOptions,
) -> Result<ExaminedZones, FetchError> {
    let mut zones = match list_zones(reader, options).await {
        Ok(zones) => zones,
        Err(FetchError::Api { source, .. }) if is_refused(&source) => {
            let (zone_read, is_unknown_token) =
                (Tried::No(reason_of(&source)), source.is_unknown_token());
            return Ok(ExaminedZones {
                zones: Vec::new(),
                missing: Vec::new(),
                left_out: 0,
                zone_read,
                is_unknown_token,
            });
        }
        Err(error) => return Err(error),
    };
    zones.retain(|zone| {
        patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(zone.name.as_str()))
    });
    let left_out = zones.len().saturating_sub(MOST_ZONES) as u64;
    zones.truncate(MOST_ZONES);
    Ok(ExaminedZones {
        zones,
        missing: Vec::new(),
        left_out,
        zone_read: Tried::Yes,
        is_unknown_token: false,
    })
}
