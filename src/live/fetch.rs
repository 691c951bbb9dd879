//! Reads the zones that a spec names.

use std::collections::BTreeMap;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::any_reader::AnyReader;
use super::error::FetchError;
use super::read_options::{Progress, ReadOptions, WafQuery, ZoneQuery};
use super::rulesets;
use super::{records, settings, zones};
use crate::model::ruleset::{EntryPoint, LiveWaf};
use crate::model::{
    DesiredSettings, Gather, Live, LiveRecord, LiveSettings, LiveZone, ZoneId, ZoneName,
};
use crate::wire::record::record_usage;

/// Result of reading zones.
#[derive(Debug, Clone, Default)]
pub struct Fetched {
    /// Zones that exist.
    pub live: Live,
    /// Zones that do not exist, or that these credentials cannot see.
    pub missing: Vec<ZoneName>,
    /// Account to which the look-up was limited.
    pub account: Option<String>,
}

/// Reads zones with all their records.
///
/// # Errors
/// Fails with the first read that failed. A missing zone is not an error but listed as missing.
pub async fn fetch(
    reader: &dyn AnyReader,
    zones: &[ZoneQuery],
    options: &ReadOptions,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Fetched, FetchError> {
    let zones_found = zones::find_zones(reader, zones, options).await?;
    let queries: BTreeMap<&ZoneName, &ZoneQuery> =
        zones.iter().map(|zone| (&zone.name, zone)).gather();
    let queries = &queries;
    let with_waf =
        zones_found.values().filter_map(|zone| Some((zone, &queries.get(&zone.name)?.waf)));
    let catalogues = &rulesets::catalogues(reader, &with_waf.collect::<Vec<_>>(), options).await?;
    let missing = zones
        .iter()
        .map(|zone| &zone.name)
        .filter(|name| !zones_found.contains_key(*name))
        .cloned()
        .collect();
    progress(Progress::Reading { zones: zones_found.len() });
    let zones: BTreeMap<ZoneName, LiveZone> = stream::iter(zones_found.into_values())
        .map(|mut zone| async move {
            zone.records = fetch_records(reader, &zone, options, progress).await?;
            if let Some(query) = queries.get(&zone.name) {
                zone.settings =
                    settings::read_settings(reader, &zone, &query.settings, options).await?;
                let of_zone = rulesets::catalogues_and_phases(catalogues, &zone, options);
                zone.waf = rulesets::read_entry_points(reader, &zone, &query.waf, of_zone, options)
                    .await?;
            }
            Ok::<_, FetchError>((zone.name.clone(), zone))
        })
        .buffer_unordered(options.concurrency.max(1))
        .try_collect()
        .await?;
    Ok(Fetched { live: Live { zones }, missing, account: options.account.clone() })
}

/// Reads only the protection of zones.
///
/// # Errors
/// Fails as [`fetch`] does.
pub async fn fetch_protection(
    reader: &dyn AnyReader,
    zones: &[ZoneQuery],
    options: &ReadOptions,
) -> Result<Fetched, FetchError> {
    let zones_found = zones::find_zones(reader, zones, options).await?;
    let queries: BTreeMap<&ZoneName, &ZoneQuery> =
        zones.iter().map(|zone| (&zone.name, zone)).gather();
    let waf_queries: Vec<_> = zones_found
        .values()
        .filter_map(|zone| Some((zone, &queries.get(&zone.name)?.waf)))
        .collect();
    let catalogues = &rulesets::catalogues(reader, &waf_queries, options).await?;
    let missing = zones
        .iter()
        .map(|zone| &zone.name)
        .filter(|name| !zones_found.contains_key(*name))
        .cloned()
        .collect();
    let zones = stream::iter(waf_queries)
        .map(|(zone, query)| async move {
            let of_zone = rulesets::catalogues_and_phases(catalogues, zone, options);
            let waf = rulesets::read_entry_points(reader, zone, query, of_zone, options).await?;
            Ok::<_, FetchError>((zone.name.clone(), LiveZone { waf, ..zone.clone() }))
        })
        .buffer_unordered(options.concurrency.max(1))
        .try_collect()
        .await?;
    Ok(Fetched { live: Live { zones }, missing, account: options.account.clone() })
}

/// Reads all records of a zone.
///
/// # Errors
/// Fails as [`fetch`] does.
pub async fn fetch_records(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    options: &ReadOptions,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Vec<LiveRecord>, FetchError> {
    let records = records::read_all_records(reader, zone, options, progress).await?;
    progress(Progress::ZoneRead { zone: &zone.name, records: records.len() });
    Ok(records)
}

/// Reads the requested settings of a zone.
///
/// # Errors
/// Fails as [`fetch`] does.
pub async fn fetch_settings(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    desired: &DesiredSettings,
    options: &ReadOptions,
) -> Result<LiveSettings, FetchError> {
    settings::read_settings(reader, zone, desired, options).await
}

/// Reads the protection of a zone again. Managed rulesets that were read before are reused.
///
/// # Errors
/// Fails as [`fetch`] does.
pub async fn fetch_waf(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    query: &WafQuery,
    options: &ReadOptions,
) -> Result<LiveWaf, FetchError> {
    let mut catalogues = zone.waf.catalogues.clone();
    if !query.managed.iter().all(|m| zone.waf.managed(*m).is_some()) {
        let listed_catalogues = rulesets::catalogues(reader, &[(zone, query)], options).await?;
        catalogues = rulesets::catalogues_and_phases(&listed_catalogues, zone, options).0;
    }
    rulesets::read_entry_points(reader, zone, query, (catalogues, None), options).await
}

/// Returns the protection of a zone that does not exist yet: no rules, and the managed rulesets of
/// the named account.
///
/// # Errors
/// Fails as [`fetch`] does.
pub async fn fetch_waf_of_new(
    reader: &dyn AnyReader,
    query: &WafQuery,
    options: &ReadOptions,
) -> Result<LiveWaf, FetchError> {
    let entry_points = query.phases.iter().map(|phase| (*phase, EntryPoint::Absent)).gather();
    let catalogues = rulesets::of_account(reader, query, options).await?;
    Ok(LiveWaf { entry_points, catalogues, ..LiveWaf::default() })
}

/// Finds one zone by its name, without its records.
///
/// # Errors
/// Fails as [`fetch`] does.
pub async fn find_zone_by_name(
    reader: &dyn AnyReader,
    name: &ZoneName,
    options: &ReadOptions,
) -> Result<Option<LiveZone>, FetchError> {
    Ok(zones::find_zones(reader, &[ZoneQuery::new(name.clone())], options).await?.remove(name))
}

/// Reads the record quota of a zone. `None` if Cloudflare does not report it.
pub async fn fetch_record_quota(reader: &dyn AnyReader, zone: &ZoneId) -> Option<usize> {
    // The quota only makes a warning certain, so a failure is ignored.
    let answer = reader.read(&record_usage(zone)).await.ok()?;
    answer.result.get("record_quota")?.as_u64().and_then(|n| usize::try_from(n).ok())
}
